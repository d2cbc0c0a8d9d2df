"""Quantiles of a stream: a sketch that merges, with the error that it has made."""

import numpy as np

SIZE = 2048  # points that a sketch keeps


class QuantileSketch:
    """Sorted values with weights that stand for all values of some blocks.

    Parameters
    ----------
    values : ndarray
        Sorted.
    weights : ndarray
        Rows that each value stands for.
    error : float, default=0.0
        Bound on the error of the rank of any value, in rows.
    """

    def __init__(self, values, weights, error=0.0):
        self.values, self.weights, self.error = values, weights, error

    @classmethod
    def from_values(cls, values):
        """The sketch of the finite values of a block."""
        return cls(np.sort(values).astype(np.float64), np.ones(len(values)))._compressed()

    def merge(self, other):
        """The sketch of both."""
        values = np.concatenate([self.values, other.values])
        order = np.argsort(values, kind="stable")
        weights = np.concatenate([self.weights, other.weights])[order]
        return QuantileSketch(values[order], weights, self.error + other.error)._compressed()

    def _compressed(self):
        """At most `SIZE` points: the middle of each of as many groups of about equal weight, and both ends."""
        if len(self.values) <= SIZE:
            return self
        upper = np.cumsum(self.weights)
        total = upper[-1]
        group = np.minimum(((upper - 0.5 * self.weights) * (SIZE / total)).astype(np.intp), SIZE - 1)
        starts = np.flatnonzero(np.diff(group, prepend=-1))
        ends = np.append(starts[1:], len(group))
        sums = np.add.reduceat(self.weights, starts)
        middle = np.minimum(np.searchsorted(upper, upper[starts] - self.weights[starts] + 0.5 * sums), ends - 1)
        middle[0], middle[-1] = 0, len(group) - 1  # the smallest and the largest value are exact
        return QuantileSketch(self.values[middle], sums, self.error + float(sums.max()))

    def quantile(self, q):
        """Values at the shares `q` of the rows; NaN without any."""
        if len(self.values) == 0:
            return np.full(np.shape(q), np.nan)
        upper = np.cumsum(self.weights)
        return self.values[np.minimum(np.searchsorted(upper, np.asarray(q) * upper[-1]), len(self.values) - 1)]

    @property
    def rank_error(self):
        """Bound on the error of a rank, as a share of the rows."""
        total = float(self.weights.sum())
        return self.error / total if total else 0.0
