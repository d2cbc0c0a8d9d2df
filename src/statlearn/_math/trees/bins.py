"""Binning of columns into bytes."""

from dataclasses import dataclass

import numpy as np

from statlearn._core.frames import are_codes, level_codes
from statlearn._core.native import trees as native

SAMPLE = 200_000  # rows from which the bin edges of a long table are computed
LEVELS = 254  # categories that a byte can represent, in addition to missing values
DOUBT = 10.0  # prior weight, in rows, when the mean target of a category is shrunk to the overall mean


@dataclass
class BinnedTable:
    """A binned table, stored by row for histograms and by column for splits.

    The bins of feature j are in column ``column[j]``. If ``zero[j]`` is -1 the feature has this column to itself.
    Otherwise it shares it, and its bins except ``zero[j]`` have the codes from ``first[j]`` on. A feature with many
    categories uses column ``wide[j]`` of ``wide_codes`` instead, with code ``n_bins[j]`` for missing values.
    ``wide[j]`` is -1 for all others.
    """

    by_row: np.ndarray
    by_column: np.ndarray
    n_bins: np.ndarray
    ordered: np.ndarray
    column: np.ndarray
    first: np.ndarray
    zero: np.ndarray
    wide: np.ndarray
    wide_codes: np.ndarray

    @classmethod
    def of(cls, by_row, by_column, n_bins, ordered, *, column=None, first=None, zero=None, wide=None, wide_codes=None):
        """Create a table; by default every feature has a column to itself."""
        p = len(n_bins)
        nowhere = np.full(p, -1, np.int32)
        return cls(
            by_row,
            by_column,
            n_bins,
            ordered,
            np.arange(p, dtype=np.int32) if column is None else column,
            np.zeros(p, np.int32) if first is None else first,
            nowhere if zero is None else zero,
            nowhere if wide is None else wide,
            np.empty((0, 0), np.uint16) if wide_codes is None else wide_codes,
        )


def row_stride(columns):
    """Number of bytes from row to row, chosen so that a row lies within one cache line if it fits."""
    return 16 * -(-columns // 16) if columns <= 32 else 64 * -(-columns // 64)


class BinMapper:
    """Bin edges or categories of each column.

    Parameters
    ----------
    max_bins : int
        Maximum number of bins per column, not counting the one for missing values; 2 to 255.
    categorical : ndarray of bool, shape (n_features,)
        The categorical columns.
    max_conflict_rate : float or None, default=0.0
        Sparse columns share a byte if at most this proportion of the rows has more than one of them non-zero; None
        turns sharing off.
    max_levels : int
        Maximum number of categories of a column that are distinguished; beyond 254 the column uses two bytes. If there
        are more, categories adjacent in the order of their mean targets share a code.
    even_share : float, default=0.0
        Proportion of the bins of a dense column that divide its range evenly; the others contain equal numbers of rows.
    """

    def __init__(self, max_bins, categorical, max_conflict_rate=0.0, max_levels=LEVELS, even_share=0.0):
        self.max_bins = max_bins
        self.even_share = even_share
        self.categorical = np.asarray(categorical, dtype=bool)
        self.max_conflict_rate = max_conflict_rate
        self.max_levels = max_levels

    def fit(self, X, rng, target=None):
        """Learn the bin edges from X, or from a random sample of it if it is long.

        `target` (n,) or (n, k) orders the categories of columns that have too many for one bin each.
        """
        n = X.shape[0]
        self.categories = {}
        for j in np.flatnonzero(self.categorical):
            column = X[:, j] if isinstance(X, np.ndarray) else X[:, [j]].toarray()[:, 0]
            self.categories[int(j)] = _bins_of_levels(column, target, self.max_levels)
        sample = X if n <= SAMPLE else X[np.sort(rng.choice(n, SAMPLE, replace=False))]
        if isinstance(X, np.ndarray):
            edges, starts = native.bin_edges(sample, self.max_bins, int(self.even_share * self.max_bins))
            columns = np.split(edges, starts[1:-1])
        else:
            from .sparse_bins import sparse_edges

            columns = sparse_edges(sample, self.max_bins)
        for j, (_, bins) in self.categories.items():
            narrow = bins.max(initial=0) < LEVELS
            columns[j] = np.arange(bins.max(initial=0) if narrow else 0, dtype=X.dtype) + X.dtype.type(0.5)
        self.edges = np.concatenate(columns)
        self.starts = np.concatenate([[0], np.cumsum([len(c) for c in columns])]).astype(np.int32)
        return self

    def encode(self, X):
        """X with categories replaced by their bins, NaN for missing and unseen ones."""
        if not self.categories:
            return X
        X = X.copy() if isinstance(X, np.ndarray) else X.toarray()
        for j, (levels, bins) in self.categories.items():
            X[:, j] = level_codes(X[:, j], levels, bins)
        return X

    def transform(self, encoded):
        """The bins of an encoded table."""
        n_bins = (np.diff(self.starts) + 1).astype(np.int32)
        ordered = (~self.categorical).astype(np.uint8)
        n, p = encoded.shape
        # A warm start may bring rows of another precision than those that the edges were learned from.
        dtype = np.result_type(encoded.dtype, self.edges.dtype)
        encoded, edges = encoded.astype(dtype, copy=False), self.edges.astype(dtype, copy=False)
        if not isinstance(encoded, np.ndarray):
            from .sparse_bins import bin_sparse

            return bin_sparse(encoded, edges, self.starts, n_bins, ordered, self.max_conflict_rate)
        wide = [j for j, count in self.n_levels.items() if count > LEVELS]
        if wide:
            return self._with_wide(encoded, wide, n_bins, ordered)
        by_row, by_column = np.empty((n, row_stride(p)), np.uint8), np.empty((p, n), np.uint8)
        native.bin_rows(encoded, edges, self.starts, by_row, by_column)
        return BinnedTable.of(by_row, by_column, n_bins, ordered)

    @property
    def n_levels(self):
        """The number of categories of each categorical column."""
        return {j: int(bins.max(initial=-1)) + 1 for j, (_, bins) in self.categories.items()}

    def _with_wide(self, encoded, wide, n_bins, ordered):
        """The binned table if some columns need two bytes; the others use one (a column of zeros if there are none)."""
        n, p = encoded.shape
        narrow = np.setdiff1d(np.arange(p), wide)
        columns = encoded[:, narrow] if len(narrow) else np.zeros((n, 1), encoded.dtype)
        edges = self.edges.astype(encoded.dtype, copy=False)
        parts = [edges[self.starts[j] : self.starts[j + 1]] for j in narrow] or [edges[:0]]
        edges, starts = (
            np.concatenate(parts),
            np.concatenate([[0], np.cumsum([len(e) for e in parts])]).astype(np.int32),
        )
        q = columns.shape[1]
        by_row, by_column = np.empty((n, row_stride(q)), np.uint8), np.empty((q, n), np.uint8)
        native.bin_rows(columns, edges, starts, by_row, by_column)
        column, place = np.zeros(p, np.int32), np.full(p, -1, np.int32)
        column[narrow] = np.arange(len(narrow))
        place[wide] = np.arange(len(wide))
        n_bins[wide] = [self.n_levels[j] for j in wide]
        codes = np.empty((n, len(wide)), np.uint16)
        for w, j in enumerate(wide):
            codes[:, w] = np.where(np.isnan(encoded[:, j]), n_bins[j], encoded[:, j])
        return BinnedTable.of(by_row, by_column, n_bins, ordered, column=column, wide=place, wide_codes=codes)

    def threshold(self, feature, bins):
        """The threshold at the upper edge of the given bins, x <= threshold. The last bin is unbounded."""
        at = self.starts[feature] + bins
        inside = at < self.starts[feature + 1]
        return np.where(inside, self.edges[np.where(inside, at, 0)] if len(self.edges) else np.inf, np.inf)


def _bins_of_levels(column, target, max_levels):
    """The sorted distinct values of a column and the bin of each.

    If there are more than max_levels, values are ordered by mean target and adjacent ones share bins with about equal
    numbers of rows, because the optimal split of the first tree is a threshold in this order (Fisher, 1958).
    """
    present = ~np.isnan(column)
    values = column[present]
    levels, counts = _distinct(values)
    if len(levels) <= max_levels:
        return levels, np.arange(len(levels))
    if target is None:
        order = np.argsort(-counts, kind="stable")
    else:
        order = _order_of_means(np.searchsorted(levels, values), counts, target[present])
    middle = np.cumsum(counts[order]) - counts[order] / 2
    share = np.minimum((middle / counts.sum() * max_levels).astype(np.int64), max_levels - 1)
    bins = np.empty(len(levels), np.int64)
    bins[order] = np.unique(share, return_inverse=True)[1]
    return levels, bins


def _order_of_means(at, counts, target):
    """Order of the levels by mean target, shrunk to the overall mean; by its main direction if it is multivariate."""
    target = np.asarray(target, np.float64).reshape(len(at), -1)
    target = target - target.mean(axis=0)
    means = np.column_stack([np.bincount(at, t, len(counts)) for t in target.T]) / (counts + DOUBT)[:, None]
    if means.shape[1] > 1:
        _, _, directions = np.linalg.svd(means * np.sqrt(counts)[:, None], full_matrices=False)
        means = means @ directions[0][:, None]
    return np.argsort(means[:, 0], kind="stable")


def _distinct(values):
    """np.unique with counts, computed by counting if the values are codes, as categories usually are."""
    if are_codes(values):
        whole = values.astype(np.int64)
        if np.array_equal(whole, values):
            counts = np.bincount(whole)
            levels = np.flatnonzero(counts)
            return levels.astype(values.dtype), counts[levels]
    return np.unique(values, return_counts=True)
