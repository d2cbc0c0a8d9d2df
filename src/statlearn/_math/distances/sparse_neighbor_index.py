"""Search among sparse rows: brute force over the column lists."""

import numpy as np
from scipy import sparse

from statlearn._core.native import neighbors as native

from ..linalg.sparse_arrays import canonical, compressed_arrays
from .metrics import ALIASES, resolve_metric
from .neighbor_index import FunctionIndex, Index

# Names of sparse metrics and the policies of the compiled core.
_CODES = {"euclidean": 0, "manhattan": 1, "sqeuclidean": 16, "cosine": 17}


def _sorted_rows(X):
    """CSR with 32-bit indices, each row sorted by column, without duplicates."""
    X = canonical(sparse.csr_array(X))
    return *compressed_arrays(X), X.shape


class SparseIndex(Index):
    """Rows in CSR, and the same by columns."""

    def __init__(self, X, name):
        self.name = name
        self.n_rows, self.n_columns = X.shape
        self._X = X
        padded = sparse.csr_array(self._prepare(X, pole=0)[:3], shape=(X.shape[0], X.shape[1] + 2 * (name == "cosine")))
        self._arrays = (padded.data, padded.indices, padded.indptr, *compressed_arrays(padded.tocsc()))

    def _prepare(self, X, pole):
        """Values, columns and starts of the rows, scaled to length 1 for the cosine; `unit_rows` explains the pole."""
        values, columns, starts, shape = _sorted_rows(X)
        if self.name != "cosine":
            return values, columns, starts, shape
        values, empty = values.astype(np.float64), np.zeros(shape[0], dtype=np.uint8)
        native.sparse_unit_rows(values, starts, empty)
        rows = np.flatnonzero(empty)
        if len(rows):
            # Rows without direction may store zeros: drop them, and put the pole in their place.
            plain = sparse.csr_array((values, columns, starts), shape=(shape[0], shape[1] + 2))
            plain.eliminate_zeros()
            poles = (np.ones(len(rows), dtype=values.dtype), (rows, np.full(len(rows), shape[1] + pole)))
            values, columns, starts, shape = _sorted_rows(plain + sparse.coo_array(poles, shape=plain.shape).tocsr())
        return values, columns, starts, shape

    def _queries(self, Q, exclude_self):
        Q = self._X if exclude_self else Q
        if Q.shape[1] != self.n_columns:
            raise ValueError(f"The queries have {Q.shape[1]} columns, but the index has {self.n_columns}.")
        values, columns, starts, _ = self._prepare(Q, pole=1)
        return values.astype(np.float64, copy=False), columns, starts

    def _query(self, Q, k, self_query, distances, rows):
        native.sparse_query(*self._arrays, *Q, k, _CODES[self.name], self_query, distances, rows)

    def _radius(self, Q, r, sort, self_query):
        return native.sparse_radius(*self._arrays, *Q, r, sort, _CODES[self.name], self_query)


def sparse_index(X, metric, p=2, metric_params=None):
    """Search index of sparse rows; see `build_index`."""
    if not isinstance(metric, str):
        return FunctionIndex(X, resolve_metric(metric, X, metric_params=metric_params))
    name = ALIASES.get(metric, metric)
    if name == "minkowski" and not (metric_params or {}).get("w"):
        name = {1: "manhattan", 2: "euclidean"}.get((metric_params or {}).get("p", p), name)
    if name not in _CODES:
        raise ValueError(
            f"`metric`={metric!r} does not support sparse rows; use one of {sorted(_CODES)}, or "
            "convert X to a dense array."
        )
    return SparseIndex(X, name)
