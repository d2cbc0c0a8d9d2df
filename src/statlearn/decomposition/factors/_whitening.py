"""The whitening that independent component analysis starts from."""

import numpy as np
from scipy import linalg

from statlearn._core.validation import require_finite
from statlearn._core.warnings import StatlearnWarning, warn
from statlearn._math.linalg.eigen import eigh

from ..components._scatter import Scatter

_TALL = 5  # rows per column from which the covariance is decomposed instead of the table
_SAFE = 1e-10  # ratio of eigenvalues down to which it has enough digits


def whitening(X, k, solver):
    """Mean and matrix K (k, p) such that the rows K (x - mean) sqrt(n) are white.

    With the eigenvectors u and singular values d of the centred table, K = (u / d)'. The first entry of each row is
    positive.
    """
    n, p = X.shape
    if n > 1 and np.all(X[0] == X):
        raise ValueError("All rows of X are equal, so they cannot be whitened.")
    mean, values = None, None
    if solver == "eigh" or n >= _TALL * p:
        statistic = Scatter.from_block(X)
        mean = statistic.mean
        if solver == "eigh":
            require_finite(statistic.products)
        if np.isfinite(statistic.products).all():  # squares may overflow where singular values do not
            values, u = eigh(statistic.products)
            values, u = values[::-1], u[:, ::-1]
    few = values is None or values[min(k, len(values)) - 1] < _SAFE * max(values[0], 1e-300)
    if solver == "svd" and few:
        mean = X.mean(axis=0, dtype=np.float64)
        u, d, _ = linalg.svd((X - mean).T.astype(np.float64), full_matrices=False, check_finite=False)
    else:
        eps = 10 * np.finfo(np.float64).eps
        if np.any(values[:k] < eps):
            warn(
                "There are some small singular values, using whiten_solver = 'svd' might lead to more accurate "
                "results.",
                StatlearnWarning,
            )
        d = np.sqrt(np.maximum(values, eps))
    d = np.maximum(d, np.finfo(np.float64).tiny)
    u = u * np.where(u[0] < 0, -1.0, 1.0)
    return mean, (u / d).T[:k]


def symmetric_orthogonal(W):
    """(W W')^(-1/2) W, the closest matrix with orthonormal rows."""
    with np.errstate(over="ignore"):
        products = W @ W.T
    require_finite(products)
    values, vectors = eigh(products)
    values = np.maximum(values, np.finfo(np.float64).tiny)
    return (vectors / np.sqrt(values)) @ vectors.T @ W
