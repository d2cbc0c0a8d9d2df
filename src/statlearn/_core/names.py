"""Column names of transformers."""

import numpy as np


def input_names(estimator, input_features=None):
    """Column names an estimator was fitted with, or the given ones, checked as in scikit-learn."""
    fitted = getattr(estimator, "feature_names_in_", None)
    if input_features is None:
        return list(fitted) if fitted is not None else [f"x{k}" for k in range(estimator.n_features_in_)]
    passed = np.asarray(input_features, dtype=object)
    if fitted is not None and not np.array_equal(fitted, passed):
        raise ValueError("input_features is not equal to feature_names_in_.")
    if len(passed) != estimator.n_features_in_:
        wanted = f"length equal to number of features ({estimator.n_features_in_})"
        raise ValueError(f"input_features should have {wanted}, got {len(passed)}.")
    return list(passed)
