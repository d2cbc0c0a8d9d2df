"""Columns cut into bins of one byte, learned on training rows and applied to them."""

from dataclasses import dataclass

import numpy as np

from statlearn._core.native import trees as native

SAMPLE = 200_000  # rows that decide the edges of a long table
OTHER = 254  # bin of the rare categories, where a column has too many for one each


@dataclass
class BinnedTable:
    """The bins of a table, by row for histograms and by column for splits."""

    by_row: np.ndarray
    by_column: np.ndarray
    n_bins: np.ndarray
    ordered: np.ndarray


class BinMapper:
    """Edges of the bins of each column, or its categories.

    Parameters
    ----------
    max_bins : int
        At most this many bins per column, missing values apart; 2 to 255.
    categorical : ndarray of bool, shape (n_features,)
        Columns whose values are names, not sizes.
    """

    def __init__(self, max_bins, categorical):
        self.max_bins = max_bins
        self.categorical = np.asarray(categorical, dtype=bool)

    def fit(self, X, rng):
        """Learn the edges from X (a random sample of it where it is long)."""
        n = X.shape[0]
        self.categories = {int(j): _frequent_levels(X[:, j]) for j in np.flatnonzero(self.categorical)}
        sample = X if n <= SAMPLE else X[np.sort(rng.choice(n, SAMPLE, replace=False))]
        edges, starts = native.bin_edges(sample, self.max_bins)
        columns = np.split(edges, starts[1:-1])
        for j, (levels, pooled) in self.categories.items():
            columns[j] = np.arange(len(levels) - 1 + pooled, dtype=X.dtype) + X.dtype.type(0.5)
        self.edges = np.concatenate(columns)
        self.starts = np.concatenate([[0], np.cumsum([len(c) for c in columns])]).astype(np.int32)
        return self

    def encode(self, X):
        """X with its categories replaced by their bins: NaN for missing and for unseen ones."""
        if not self.categories:
            return X
        X = X.copy()
        for j, (levels, pooled) in self.categories.items():
            X[:, j] = _codes(X[:, j], levels, OTHER if pooled else np.nan)
        return X

    def transform(self, encoded):
        """The bins of an encoded table."""
        n, p = encoded.shape
        # A row's bins within one cache line as far as they fit.
        stride = 16 * -(-p // 16) if p <= 32 else 64 * -(-p // 64)
        by_row, by_column = np.empty((n, stride), np.uint8), np.empty((p, n), np.uint8)
        native.bin_rows(encoded, self.edges, self.starts, by_row, by_column)
        n_bins = (np.diff(self.starts) + 1).astype(np.int32)
        return BinnedTable(by_row, by_column, n_bins, (~self.categorical).astype(np.uint8))

    def threshold(self, feature, bins):
        """The value up to which the given bins reach: x <= threshold goes with them. The last bin has no end."""
        at = self.starts[feature] + bins
        inside = at < self.starts[feature + 1]
        return np.where(inside, self.edges[np.where(inside, at, 0)] if len(self.edges) else np.inf, np.inf)


def _frequent_levels(column):
    """The distinct values of a column, sorted, at most 254 of them, and whether rarer ones are pooled."""
    levels, counts = np.unique(column[~np.isnan(column)], return_counts=True)
    if len(levels) <= OTHER:
        return levels, False
    keep = np.sort(np.argsort(-counts, kind="stable")[:OTHER])
    return levels[keep], True


def _codes(column, levels, other):
    """Number of each value among the sorted levels; `other` for the rest, NaN for NaN."""
    at = np.minimum(np.searchsorted(levels, column), max(len(levels) - 1, 0))
    known = levels[at] == column if len(levels) else np.zeros(len(column), bool)
    return np.where(known, at, np.where(np.isnan(column), np.nan, other)).astype(column.dtype)
