"""Binning of sparse columns, with exclusive feature bundling.

Zero, stored or not, has a separate bin. Columns without NaN that are (almost) never non-zero together share a byte:
code 0 means that all are zero, and each column has an offset for its other bins (Ke et al., 2017).
"""

import numpy as np

from statlearn._core.native import trees as native

CODES = 255  # available in a shared byte, in addition to "all are zero"
TRIES = 64  # bundles tried for a column, the latest first


def sparse_edges(X, max_bins):
    """Edges of the bins of every column of a sparse table."""
    X = X.tocsc()
    return [_edges_around_zero(X.data[X.indptr[j] : X.indptr[j + 1]], X.shape[0], max_bins) for j in range(X.shape[1])]


def _edges_around_zero(values, n, max_bins):
    values = values[~np.isnan(values)]
    present = values[values != 0]
    if len(present) < n or not len(values):
        low, high = present[present < 0], present[present > 0]
        # Zero uses one bin. Both sides share the others in proportion to their rows, or by their distinct values.
        left = max_bins - 1
        distinct = len(np.unique(low)), len(np.unique(high))
        n_low = 0 if not len(low) else max(1, min(left - bool(len(high)), round(left * len(low) / len(present))))
        if sum(distinct) <= left:
            n_low, left = distinct[0], sum(distinct)
        sides = [_edges(low, n_low), _edges(high, left - n_low)]
        around = []
        if len(low):
            around.append(low.max() / 2)
        if len(high):
            around.append(high.min() / 2)
        return np.concatenate([sides[0], np.array(around, values.dtype), sides[1]]).astype(values.dtype)
    return _edges(values, max_bins)


def _edges(values, bins):
    if bins < 2 or not len(values):
        return values[:0]
    return native.bin_edges(np.ascontiguousarray(values)[:, None], bins)[0]


def bundle_columns(X, widths, budget, alone):
    """Greedy bundling of the columns of a sparse table (CSC), densest columns first.

    Parameters
    ----------
    X : sparse matrix in CSC form without stored zeros
    widths : ndarray of int
        Number of codes needed by each column.
    budget : int
        Maximum number of rows with more than one non-zero column of a bundle.
    alone : ndarray of bool
        Columns that must not be bundled.

    Returns
    -------
    list of lists of int
    """
    bundles, used, conflicts, taken = [], [], [], []
    counts = np.diff(X.indptr)
    for j in np.argsort(-counts, kind="stable"):
        rows = X.indices[X.indptr[j] : X.indptr[j + 1]]
        place = None
        if not alone[j]:
            for b in range(len(bundles) - 1, max(-1, len(bundles) - 1 - TRIES), -1):
                if taken[b] is None or used[b] + widths[j] > CODES:
                    continue
                clash = int(np.count_nonzero(taken[b][rows]))
                if conflicts[b] + clash <= budget:
                    place = b
                    conflicts[b] += clash
                    break
        if place is None:
            place = len(bundles)
            bundles.append([])
            used.append(0)
            conflicts.append(0)
            taken.append(None if alone[j] else np.zeros(X.shape[0], bool))
        bundles[place].append(int(j))
        used[place] += int(widths[j])
        if taken[place] is not None:
            taken[place][rows] = True
    return bundles


def bin_sparse(X, edges, starts, n_bins, ordered, max_conflict_rate):
    """The binned table for a sparse table."""
    from .bins import BinnedTable, row_stride

    n, p = X.shape
    X = X.tocsc(copy=True)
    X.eliminate_zeros()
    missing = np.zeros(p, bool)
    missing[np.repeat(np.arange(p), np.diff(X.indptr))[np.isnan(X.data)]] = True
    alone = missing | (ordered == 0) | (max_conflict_rate is None) | (n_bins < 2)
    budget = 0 if max_conflict_rate is None else int(max_conflict_rate * n)
    bundles = bundle_columns(X, n_bins - 1, budget, alone)
    column, first, zero = np.zeros(p, np.int32), np.zeros(p, np.int32), np.full(p, -1, np.int32)
    by_column = np.zeros((len(bundles), n), np.uint8)
    for b, features in enumerate(bundles):
        offset = 1
        for j in features:
            edges_of = edges[starts[j] : starts[j + 1]]
            at = slice(X.indptr[j], X.indptr[j + 1])
            bins = np.searchsorted(edges_of, X.data[at], side="left")
            bin_of_zero = int(np.searchsorted(edges_of, 0, side="left"))
            column[j] = b
            if len(features) == 1:
                by_column[b] = bin_of_zero
                by_column[b, X.indices[at]] = np.where(np.isnan(X.data[at]), 255, bins)
                continue
            first[j], zero[j] = offset, bin_of_zero
            codes = offset + bins - (bins > bin_of_zero)
            stored = bins != bin_of_zero
            by_column[b, X.indices[at][stored]] = codes[stored]
            offset += n_bins[j] - 1
    by_row = np.zeros((n, row_stride(len(bundles))), np.uint8)
    by_row[:, : len(bundles)] = by_column.T
    return BinnedTable.of(by_row, by_column, n_bins, ordered, column=column, first=first, zero=zero)
