"""Weights, means and sums of squares by class and column, as an additive statistic."""

import numpy as np

from statlearn._core import native


class ClassMoments:
    """Weight, mean and sum of squares about the mean of each column within each class; missing values are left out.

    Parameters
    ----------
    count, mean, scatter : ndarray of shape (n_classes, n_features)
    """

    def __init__(self, count, mean, scatter):
        self.count, self.mean, self.scatter = count, mean, scatter

    @classmethod
    def from_block(cls, X, labels, weights=None, *, n_classes):
        """One pass over the rows of X (float32 or float64, NaN allowed); labels are int32 class numbers."""
        shape = (n_classes, X.shape[1])
        count, mean, scatter = np.empty(shape), np.empty(shape), np.empty(shape)
        weights = np.empty(0) if weights is None else np.ascontiguousarray(weights, dtype=np.float64)
        native.bayes.class_moments(X, labels, weights, count, mean, scatter)
        return cls(count, mean, scatter)

    def merge(self, other):
        """The statistic of both blocks together."""
        count = self.count + other.count
        share = np.divide(other.count, count, out=np.zeros_like(count), where=count > 0)
        gap = other.mean - self.mean
        empty = self.count == 0
        mean = np.where(empty, other.mean, self.mean + share * gap)
        cross = np.where(empty | (other.count == 0), 0.0, self.count * share * gap**2)
        return ClassMoments(count, mean, self.scatter + other.scatter + cross)

    def total(self):
        """The statistic of all classes together, of shape (1, n_features)."""
        parts = [ClassMoments(c[None], m[None], s[None]) for c, m, s in zip(self.count, self.mean, self.scatter)]
        whole = parts[0]
        for part in parts[1:]:
            whole = whole.merge(part)
        return whole

    def solve(self):
        """Variances with the divisor N of each class and column; NaN without values."""
        with np.errstate(invalid="ignore", divide="ignore"):
            return self.scatter / self.count
