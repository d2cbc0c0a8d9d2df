"""Smoothing, priors and counts of the naive Bayes classifiers on discrete data."""

import numpy as np
from scipy import sparse

from statlearn._core import native
from statlearn._core.params import Options, Real
from statlearn._core.validation import FLOATS, validate_data
from statlearn._core.warnings import warn
from statlearn._math.linalg.sparse_arrays import canonical, compressed_arrays, stored_values

from ._base import NO_Y, BaseNB, log_quietly, one_hot
from ._category_block import FrameNB
from ._nb_summary import class_table

PRIOR_CONSTRAINTS = {
    "fit_prior": ["boolean"],
    "class_prior": ["array-like", None],
    "smooth_prior": [Real(0, None)],
}
ESTIMATE = [Options("mean", "map")]
_SMALLEST_ALPHA = 1e-10


class SmoothedNB(BaseNB):
    """Naive Bayes with pseudo-counts `alpha`."""

    def _check_alpha(self):
        """The pseudo-count, a number or one per column; raised to 1e-10 unless `force_alpha`."""
        alpha = np.asarray(self.alpha, dtype=np.float64)
        if alpha.ndim > 0 and alpha.shape != (self.n_features_in_,):
            raise ValueError(
                f"`alpha` must be one number or one per column of X ({self.n_features_in_}), got shape {alpha.shape}."
            )
        if not np.all(np.isfinite(alpha)) or np.any(alpha < 0):
            raise ValueError(f"All values in alpha must be greater than 0, got {alpha.min():.6g} in `alpha`.")
        if not self.force_alpha and np.any(alpha < _SMALLEST_ALPHA):
            warn(
                "alpha too small will result in numeric errors, setting alpha = 1.0e-10. "
                "Use `force_alpha=True` to keep alpha unchanged."
            )
            return np.maximum(alpha, _SMALLEST_ALPHA)
        return alpha


class CountNB(FrameNB, SmoothedNB):
    """Sums of X by class, dense or sparse: multinomial, complement and Bernoulli models."""

    _nonnegative = True

    def _read_numbers(self, X, y=NO_Y, *, reset):
        options = {"dtype": FLOATS, "accept_sparse": "csr", "ensure_all_finite": "allow-nan", "reset": reset}
        if y is NO_Y:
            X = validate_data(self, X, **options)
        else:
            X, y = validate_data(self, X, y, **options)
        X = self._checked_numbers(X)
        return X if y is NO_Y else (X, self._read_y(y))

    def _checked_numbers(self, X):
        if self._nonnegative:
            values = stored_values(X)
            if values.size:
                self._refuse_negative(np.nanmin(values, initial=0.0))
        return X

    def _clear_numbers(self, p):
        k = len(self.classes_)
        self.class_count_, self.feature_count_ = np.zeros(k), np.zeros((k, p))
        self._missing_count = np.zeros(k)

    def _sums(self, X, labels, weights):
        """Sum of the columns over the rows of each class."""
        k = len(self.classes_)
        if not sparse.issparse(X):
            return np.asarray(one_hot(labels, k, weights) @ X, dtype=np.float64)
        if X.nnz > np.iinfo(np.int32).max:
            return (one_hot(labels, k, weights) @ X).toarray()
        sums = np.empty((k, X.shape[1]))
        weights = np.empty(0) if weights is None else np.ascontiguousarray(weights, dtype=np.float64)
        native.bayes.sparse_class_sums(*compressed_arrays(X), labels, weights, sums)
        return sums

    def _add_numbers(self, X, labels, weights):
        """Adds a batch; returns the weights of its missing values by class and column, or None."""
        k = len(self.classes_)
        lost = missing_marks(X)
        missing = None if lost is None else self._sums(lost, labels, weights)
        self.feature_count_ = self.feature_count_ + self._sums(
            X if lost is None else without_missing(X), labels, weights
        )
        self.class_count_ = self.class_count_ + np.bincount(labels, weights, minlength=k)
        if missing is not None:
            self._missing_count = self._missing_count + missing.sum(axis=1)
        return missing

    def _set_class_prior(self):
        self.class_log_prior_ = log_quietly(self._prior_from_counts(self.class_prior, self.fit_prior))

    def _terms(self):
        """Names of the columns and levels, their contributions to the scores, and their counts."""
        names, block = self._number_names(), self._block
        if block is None:
            return names, self.feature_log_prob_, self.feature_count_
        logs = np.hstack([self.feature_log_prob_, block.logs()])
        return names + self._level_terms(), logs, np.hstack([self.feature_count_, block.counts()])

    def _class_table(self):
        missing = self._missing_count + self._missing_categories()
        return class_table(self.classes_, self.class_count_, np.exp(self.class_log_prior_), missing)

    def _scores(self, X, table, offset):
        """offset + X @ table.T, with 0 times -inf equal to 0."""
        if sparse.issparse(X) and X.nnz <= np.iinfo(np.int32).max:
            out = np.empty((X.shape[0], table.shape[0]))
            native.bayes.sparse_scores(
                *compressed_arrays(canonical(X)), np.ascontiguousarray(table.T), np.ascontiguousarray(offset), out
            )
            return out
        if np.all(np.isfinite(table)):
            return np.asarray(X @ table.T, dtype=np.float64) + offset
        infinite = np.isinf(table)  # all of one sign: logarithms of 0, or complement weights
        decided = np.asarray((X > 0).astype(np.float64) @ infinite.T.astype(np.float64)) > 0
        finite = np.asarray(X @ np.where(infinite, 0.0, table).T)
        return np.where(decided, np.inf if np.any(table == np.inf) else -np.inf, finite) + offset

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = self._nonnegative
        tags.classifier_tags.poor_score = True
        return tags


def missing_marks(X):
    """Matrix of ones where X is NaN, or None if there are none."""
    values = stored_values(X)
    lost = np.isnan(values)
    if not lost.any():
        return None
    if not sparse.issparse(X):
        return lost.astype(np.float64)
    marks = X.copy()
    marks.data = lost.astype(X.dtype)
    return marks


def without_missing(X):
    """The matrix with 0 for missing values."""
    values = stored_values(X)
    if not np.isnan(values).any():
        return X
    if sparse.issparse(X):
        X = X.copy()
        X.data = np.nan_to_num(X.data, nan=0.0)
        return X
    return np.nan_to_num(X, nan=0.0)
