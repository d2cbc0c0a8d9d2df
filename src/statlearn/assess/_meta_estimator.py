"""Shared parts of meta-estimators: the inner estimator, its names and tags, splits of its rows."""

import numpy as np
from scipy.sparse import issparse
from sklearn.base import MetaEstimatorMixin, clone
from sklearn.frozen import FrozenEstimator
from sklearn.utils import check_random_state, get_tags
from sklearn.utils.validation import assert_all_finite, column_or_1d, indexable

from statlearn._core.fitted_state import take_attributes
from statlearn._core.frames import n_rows, refuse_lazy, take_rows
from statlearn._core.sparse_indices import refuse_broken
from statlearn._core.validation import naming


class InnerEstimatorMixin(MetaEstimatorMixin):
    """Base class of estimators with a parameter `estimator`, where None means `_default()`."""

    def _default(self):
        raise NotImplementedError

    def _inner(self):
        return self._default() if self.estimator is None else self.estimator

    def _take_names(self, model):
        """Number and names of the columns, as reported by the inner model."""
        take_attributes(self, model, "n_features_in_", "feature_names_in_")

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        inner = get_tags(self._inner())
        tags.input_tags.sparse = inner.input_tags.sparse
        tags.input_tags.allow_nan = inner.input_tags.allow_nan
        tags.input_tags.pairwise = inner.input_tags.pairwise
        tags.target_tags.positive_only = inner.target_tags.positive_only
        return tags


def check_table_and_target(X, y):
    """X and y with indexable rows; the inner estimator validates X.

    Raises an error for a missing target, no rows, or inconsistent lengths.
    """
    if y is None:
        raise ValueError("requires y to be passed, but the target y is None")
    refuse_lazy(X)
    refuse_broken(X)
    is_table = any(hasattr(X, name) for name in ("shape", "__len__", "__array__"))
    if not is_table or isinstance(X, str) or (isinstance(X, dict) and not issparse(X)):
        raise TypeError(f"X must be a table, got {type(X).__name__}.")
    dimensions = getattr(X, "ndim", 2)
    if dimensions == 1:
        raise ValueError("X: Expected 2D array, got 1D array instead. Reshape your data with X.reshape(-1, 1).")
    if dimensions != 2:
        raise ValueError(f"Found array X with dim {dimensions}, expected 2.")
    with naming("y"):
        X, y = indexable(X, y)  # of the same length
    if n_rows(X) == 0:
        raise ValueError("X: Found array with 0 sample(s) while a minimum of 1 is required.")
    return X, y


def check_target(X, y, *, numeric):
    """X with indexable rows, and the target as a finite 1-d array."""
    X, y = check_table_and_target(X, y)
    y = column_or_1d(y, warn=True)
    if y.dtype.kind in "fc":
        if y.dtype.kind == "c":
            raise ValueError("Complex data not supported in y.")
        assert_all_finite(y, input_name="y")
    if numeric:
        y = y.astype(np.float64) if y.dtype.kind not in "fiu" else y
        assert_all_finite(y, input_name="y")
    return X, y


def held_out_rows(n, share, random_state, codes=None):
    """Training and calibration rows; with class codes, each class is split in the same proportion up to one row."""
    if n < 2:
        raise ValueError(
            f"n_samples={n}, but at least 2 samples are required, to train on one part and calibrate on the other."
        )
    order = check_random_state(random_state).permutation(n)
    if codes is not None:
        order = order[np.argsort(codes[order], kind="stable")]
    # Evenly spaced picks; at least one row on either side.
    k = int(np.clip(np.ceil(share * n), 1, n - 1))
    picked = np.zeros(n, dtype=bool)
    picked[(np.arange(k) * n) // k + (n // k) // 2] = True
    return np.sort(order[~picked]), np.sort(order[picked])


def fit_on(estimator, X, y, rows):
    """A clone fitted to some of the rows."""
    return clone(estimator).fit(take_rows(X, rows), y[rows])


def is_frozen(estimator):
    """Whether the estimator is frozen, that is fitted already and not to be refitted."""
    return isinstance(estimator, FrozenEstimator)
