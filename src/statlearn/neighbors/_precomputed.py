"""Neighbours from a precomputed distance matrix, dense or a sparse graph of near pairs."""

import numpy as np
from scipy import sparse
from sklearn.neighbors import sort_graph_by_row_values
from sklearn.utils.validation import check_array

from statlearn._core.validation import FLOATS
from statlearn._math.distances.metrics import Metric
from statlearn._math.distances.neighbor_index import FunctionIndex


def check_precomputed(X):
    """Check a distance matrix: non-negative and finite; sparse ones in CSR format, rows sorted by distance."""
    if not sparse.issparse(X):
        return check_array(X, dtype=FLOATS, ensure_non_negative=True, input_name="X")
    if X.format not in ("csr", "csc", "coo", "lil"):
        raise TypeError(f"Sparse matrix in {X.format!r} format is not supported due to its handling of explicit zeros.")
    copied = X.format != "csr"
    X = check_array(
        X, accept_sparse="csr", dtype=FLOATS, ensure_non_negative=True, input_name="precomputed distance matrix"
    )
    return sort_graph_by_row_values(X, copy=not copied, warn_when_not_sorted=True)


class DistanceMatrixIndex(FunctionIndex):
    """Queries are rows of distances to the n indexed points."""

    def __init__(self, D):
        super().__init__(D, Metric("precomputed", blocks=lambda A, B: np.array(A, dtype=np.float64)))

    def query(self, Q, k, exclude_self=False, n_jobs=None):
        if sparse.issparse(Q):  # near pairs only, whatever the training rows were given by
            return DistanceGraphIndex.query(self, Q, k, exclude_self, n_jobs)
        return FunctionIndex.query(self, self._fitting(Q), k, exclude_self, n_jobs)

    def radius(self, Q, r, sort=False, n_jobs=None, exclude_self=False):
        if sparse.issparse(Q):
            return DistanceGraphIndex.radius(self, Q, r, sort, n_jobs, exclude_self)
        return FunctionIndex.radius(self, self._fitting(Q), r, sort, n_jobs, exclude_self)

    def _fitting(self, Q):
        if Q is not None and Q.shape[1] != self.n_rows:
            raise ValueError(
                f"Precomputed metric requires shape (n_queries, n_indexed). Got {Q.shape} for {self.n_rows} indexed."
            )
        return Q


class DistanceGraphIndex(DistanceMatrixIndex):
    """Index of a sparse graph with rows sorted by distance; pairs that are not stored are not neighbours."""

    def query(self, Q, k, exclude_self=False, n_jobs=None):
        if Q is not None and not sparse.issparse(Q):
            return DistanceMatrixIndex.query(self, Q, k, exclude_self, n_jobs)
        graph = self._X if exclude_self else self._fitting(Q)
        # A row stands in its own list: one more is needed when it does not count.
        wanted = k + bool(exclude_self)
        sizes = np.diff(graph.indptr)
        if sizes.min() < wanted:
            raise ValueError(
                f"{wanted} neighbors per samples are required, but some samples have only {sizes.min()} neighbors in "
                "precomputed graph matrix. Decrease number of neighbors used or recompute the graph with more "
                "neighbors."
            )
        at = graph.indptr[:-1, None].astype(np.int64) + np.arange(wanted)
        distances, rows = graph.data[at].astype(np.float64), graph.indices[at].astype(np.int64)
        if exclude_self:
            keep = rows != np.arange(len(rows))[:, None]
            keep[np.all(keep, axis=1), -1] = False  # not in its own list: one too many
            distances, rows = distances[keep].reshape(-1, k), rows[keep].reshape(-1, k)
        return distances, rows

    def radius(self, Q, r, sort=False, n_jobs=None, exclude_self=False):
        if Q is not None and not sparse.issparse(Q):
            return DistanceMatrixIndex.radius(self, Q, r, sort, n_jobs, exclude_self)
        graph = self._X if exclude_self else self._fitting(Q)
        at = np.repeat(np.arange(graph.shape[0]), np.diff(graph.indptr))
        r = np.atleast_1d(np.asarray(r, dtype=np.float64))
        keep = graph.data <= (r[0] if len(r) == 1 else r[at])
        if exclude_self:
            keep &= graph.indices != at
        indptr = np.concatenate([[0], np.cumsum(np.bincount(at[keep], minlength=graph.shape[0]))])
        return indptr, graph.indices[keep].astype(np.int64), graph.data[keep].astype(np.float64)
