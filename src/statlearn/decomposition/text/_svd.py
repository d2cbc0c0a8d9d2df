"""Truncated singular value decompositions with fixed signs."""

import numpy as np
from scipy import linalg, sparse
from scipy.sparse.linalg import svds

_SMALL = 500  # of the smaller dimension: up to here a complete decomposition is as fast (empirical)


def truncated_svd(A, k):
    """U, s, Vt of the k largest singular values; the entry of largest absolute value of each row of Vt is positive."""
    smaller = min(A.shape)
    if smaller <= _SMALL or k > smaller // 3:
        U, s, Vt = linalg.svd(A.toarray() if sparse.issparse(A) else A, full_matrices=False)
        U, s, Vt = U[:, :k], s[:k], Vt[:k]
    else:
        start = np.cos(np.arange(smaller) + 1.0)  # any vector that is not special
        U, s, Vt = svds(A, k=k, v0=start)
        order = np.argsort(-s)
        U, s, Vt = U[:, order], s[order], Vt[order]
    sizes = np.abs(Vt)
    largest = (sizes >= (1 - 1e-9) * sizes.max(axis=1, keepdims=True)).argmax(axis=1)
    signs = np.where(Vt[np.arange(len(Vt)), largest] < 0, -1.0, 1.0)
    return U * signs, s, Vt * signs[:, None]
