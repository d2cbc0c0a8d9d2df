"""Truncated singular value decompositions of tables of words."""

import numpy as np
from scipy import linalg

from statlearn._math.linalg.sparse_arrays import to_dense
from statlearn._math.linalg.svd import leading_svd, signed

from ..components._svd import numerical_rank

_SMALL = 500  # of the smaller dimension: up to here a complete decomposition is as fast (empirical)
_TOL = 1e-10  # of the residuals of a large one


def truncated_svd(A, k):
    """U, s, Vt of the at most k largest singular values that are not 0, with fixed signs."""
    smaller = min(A.shape)
    k = min(k, smaller)
    if smaller <= _SMALL or k > smaller // 3:
        U, s, Vt = linalg.svd(to_dense(A), full_matrices=False)
        U, Vt = signed(U[:, :k], Vt[:k])
        s = s[:k]
    else:
        U, s, Vt = leading_svd(A, k, np.random.RandomState(0), tol=_TOL)
    rank = max(1, numerical_rank(s, A.shape))
    return U[:, :rank], s[:rank], Vt[:rank]
