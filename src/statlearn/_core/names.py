"""Column names of transformers."""

import numpy as np


def input_names(estimator, input_features=None):
    """Column names an estimator was fitted with, or the given ones, checked as in scikit-learn."""
    own = getattr(estimator, "feature_names_in_", None)
    if input_features is None:
        return list(own) if own is not None else [f"x{k}" for k in range(estimator.n_features_in_)]
    given = np.asarray(input_features, dtype=object)
    if own is not None and not np.array_equal(own, given):
        raise ValueError("input_features is not equal to feature_names_in_")
    if len(given) != estimator.n_features_in_:
        wanted = f"length equal to number of features ({estimator.n_features_in_})"
        raise ValueError(f"input_features should have {wanted}, got {len(given)}")
    return list(given)
