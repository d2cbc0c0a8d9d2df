"""Columns cut into bins of one byte, learned on training rows and applied to them."""

from dataclasses import dataclass

import numpy as np

from statlearn._core.native import trees as native

SAMPLE = 200_000  # rows that decide the edges of a long table
LEVELS = 254  # categories that have a bin of their own; where there are more, neighbours in the order share one
DOUBT = 10.0  # rows' worth of doubt about the mean target of a category


@dataclass
class BinnedTable:
    """The bins of a table, by row for histograms and by column for splits.

    Feature j has its bins in column ``column[j]``: there alone where ``zero[j]`` is -1, otherwise beside others, its
    bins except ``zero[j]`` under the codes from ``first[j]`` on.
    """

    by_row: np.ndarray
    by_column: np.ndarray
    n_bins: np.ndarray
    ordered: np.ndarray
    column: np.ndarray
    first: np.ndarray
    zero: np.ndarray

    @classmethod
    def alone(cls, by_row, by_column, n_bins, ordered):
        """Every feature has a column to itself."""
        p = len(n_bins)
        nowhere = np.full(p, -1, np.int32)
        return cls(by_row, by_column, n_bins, ordered, np.arange(p, dtype=np.int32), np.zeros(p, np.int32), nowhere)


def row_stride(columns):
    """Bytes from row to row: a row's bins within one cache line as far as they fit."""
    return 16 * -(-columns // 16) if columns <= 32 else 64 * -(-columns // 64)


class BinMapper:
    """Edges of the bins of each column, or its categories.

    Parameters
    ----------
    max_bins : int
        At most this many bins per column, missing values apart; 2 to 255.
    categorical : ndarray of bool, shape (n_features,)
        Columns whose values are names, not sizes.
    max_conflict_rate : float or None
        Sparse columns share a byte where at most this share of the rows has more than one of them; None never.
    """

    def __init__(self, max_bins, categorical, max_conflict_rate=0.0):
        self.max_bins = max_bins
        self.categorical = np.asarray(categorical, dtype=bool)
        self.max_conflict_rate = max_conflict_rate

    def fit(self, X, rng, target=None):
        """Learn the edges from X (a random sample of it where it is long).

        `target` (n,) or (n, k) puts categories in order where a column has too many for a bin each.
        """
        n = X.shape[0]
        self.categories = {}
        for j in np.flatnonzero(self.categorical):
            column = X[:, j] if isinstance(X, np.ndarray) else X[:, [j]].toarray()[:, 0]
            self.categories[int(j)] = _bins_of_levels(column, target)
        sample = X if n <= SAMPLE else X[np.sort(rng.choice(n, SAMPLE, replace=False))]
        if isinstance(X, np.ndarray):
            edges, starts = native.bin_edges(sample, self.max_bins)
            columns = np.split(edges, starts[1:-1])
        else:
            from ._sparse_bins import sparse_edges

            columns = sparse_edges(sample, self.max_bins)
        for j, (_, bins) in self.categories.items():
            columns[j] = np.arange(bins.max(initial=0), dtype=X.dtype) + X.dtype.type(0.5)
        self.edges = np.concatenate(columns)
        self.starts = np.concatenate([[0], np.cumsum([len(c) for c in columns])]).astype(np.int32)
        return self

    def encode(self, X):
        """X with its categories replaced by their bins: NaN for missing and for unseen ones."""
        if not self.categories:
            return X
        X = X.copy() if isinstance(X, np.ndarray) else X.toarray()
        for j, (levels, bins) in self.categories.items():
            X[:, j] = _codes(X[:, j], levels, bins)
        return X

    def transform(self, encoded):
        """The bins of an encoded table."""
        n_bins = (np.diff(self.starts) + 1).astype(np.int32)
        ordered = (~self.categorical).astype(np.uint8)
        n, p = encoded.shape
        if not isinstance(encoded, np.ndarray):
            from ._sparse_bins import bin_sparse

            return bin_sparse(encoded, self.edges, self.starts, n_bins, ordered, self.max_conflict_rate)
        by_row, by_column = np.empty((n, row_stride(p)), np.uint8), np.empty((p, n), np.uint8)
        native.bin_rows(encoded, self.edges, self.starts, by_row, by_column)
        return BinnedTable.alone(by_row, by_column, n_bins, ordered)

    def threshold(self, feature, bins):
        """The value up to which the given bins reach: x <= threshold goes with them. The last bin has no end."""
        at = self.starts[feature] + bins
        inside = at < self.starts[feature + 1]
        return np.where(inside, self.edges[np.where(inside, at, 0)] if len(self.edges) else np.inf, np.inf)


def _bins_of_levels(column, target):
    """The distinct values of a column, sorted, and the bin of each.

    With too many for a bin each, values are put in the order of their mean target and neighbours share bins of about
    equally many rows: the split that is best for the first tree is a cut in this order (Fisher, 1958).
    """
    present = ~np.isnan(column)
    levels, at, counts = np.unique(column[present], return_inverse=True, return_counts=True)
    if len(levels) <= LEVELS:
        return levels, np.arange(len(levels))
    order = np.argsort(-counts, kind="stable") if target is None else _order_of_means(at, counts, target[present])
    middle = np.cumsum(counts[order]) - counts[order] / 2
    share = np.minimum((middle / counts.sum() * LEVELS).astype(np.int64), LEVELS - 1)
    bins = np.empty(len(levels), np.int64)
    bins[order] = np.unique(share, return_inverse=True)[1]
    return levels, bins


def _order_of_means(at, counts, target):
    """Levels by their mean target, drawn towards the overall mean; by its main direction if it has several columns."""
    target = np.asarray(target, np.float64).reshape(len(at), -1)
    target = target - target.mean(axis=0)
    means = np.column_stack([np.bincount(at, t, len(counts)) for t in target.T]) / (counts + DOUBT)[:, None]
    if means.shape[1] > 1:
        _, _, directions = np.linalg.svd(means * np.sqrt(counts)[:, None], full_matrices=False)
        means = means @ directions[0][:, None]
    return np.argsort(means[:, 0], kind="stable")


def _codes(column, levels, bins):
    """The bin of each value; NaN for NaN and for values that are no level."""
    if not len(levels):
        return np.full(len(column), np.nan, column.dtype)
    at = np.minimum(np.searchsorted(levels, column), len(levels) - 1)
    return np.where(levels[at] == column, bins[at], np.nan).astype(column.dtype)
