"""Coefficients of a source model towards which a penalty shrinks."""

import numpy as np
from sklearn.utils.validation import check_array


def check_prior_coef(prior_coef, n_rows, n_features):
    """Source coefficients as an array (rows, features), one row per target or class; None stays None."""
    if prior_coef is None:
        return None
    prior = check_array(prior_coef, ensure_2d=False, dtype=np.float64, input_name="prior_coef", ensure_min_features=0)
    if prior.ndim == 0 or prior.ndim > 2 or prior.shape[-1] != n_features or (prior.ndim == 2 and len(prior) != n_rows):
        if n_rows > 1:
            expected = f"({n_features},) or ({n_rows}, {n_features})"
        else:
            expected = f"({n_features},)"
        raise ValueError(f"`prior_coef` must have the shape {expected} of `coef_`, got {prior.shape}.")
    return np.broadcast_to(prior, (n_rows, n_features))
