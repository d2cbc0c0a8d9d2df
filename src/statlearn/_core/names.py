"""Names of columns on their way through a transformer."""

import numpy as np


def input_names(estimator, input_features=None):
    """Names of the columns that an estimator was trained on, or those given for them, checked as scikit-learn does."""
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
