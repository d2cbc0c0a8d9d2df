"""Prior means: a function, or a basis whose coefficients are estimated by generalised least squares."""

import numpy as np

NAMES = ("constant", "linear", "quadratic")


def prior_mean(mean_function, X):
    """Values of the prior mean and columns of its basis at the rows of X.

    Parameters
    ----------
    mean_function : None, str or callable
    X : ndarray of shape (n_samples, n_features)

    Returns
    -------
    fixed : ndarray of shape (n_samples,) or None
        Values of a function.
    basis : ndarray of shape (n_samples, n_basis) or None
        Columns of a basis.
    """
    if mean_function is None:
        return None, None
    if isinstance(mean_function, str):
        return None, _named_basis(mean_function, X)
    values = np.asarray(mean_function(X), dtype=np.float64)
    if values.ndim not in (1, 2) or values.shape[0] != len(X):
        raise ValueError(
            f"`mean_function` must return one number or one row per row of X ({len(X)}), got shape {values.shape}."
        )
    if not np.isfinite(values).all():
        raise ValueError("`mean_function` must return finite numbers.")
    return (values, None) if values.ndim == 1 else (None, np.ascontiguousarray(values))


def _named_basis(name, X):
    columns = [np.ones((len(X), 1))]
    if name in ("linear", "quadratic"):
        columns.append(X)
    if name == "quadratic":
        rows, cols = np.triu_indices(X.shape[1])
        columns.append(X[:, rows] * X[:, cols])
    return np.ascontiguousarray(np.hstack(columns))
