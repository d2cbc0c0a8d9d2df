r"""Covariance matrices of rows, and their shrinkage towards a simple target.

All covariances have the divisor n (the sum of the weights), as in the Gaussian likelihood. A shrunk covariance is

.. math:: (1 - \rho) S + \rho T, \qquad T = \frac{\mathrm{tr} S}{p} I \text{ or } T = \mathrm{diag}(S)

The amount ρ for the target "diagonal" is that for the target "identity" computed from standardised columns, which is
what scikit-learn's linear discriminant analysis uses.
"""

import numpy as np

from statlearn._core.validation import require_finite
from statlearn._math.linalg.products import doubled_blocks

TARGETS = ("identity", "diagonal")


def empirical_covariance(X, weights=None, *, assume_centered=False):
    """Weighted mean (zero if `assume_centered`) and covariance with the divisor n.

    Parameters
    ----------
    X : ndarray of shape (n, p)
    weights : ndarray of shape (n,) or None, default=None
    assume_centered : bool, default=False

    Returns
    -------
    location : ndarray of shape (p,)
    covariance : ndarray of shape (p, p), exactly symmetric

    Raises
    ------
    ValueError
        If a variance overflows.
    """
    X = np.asarray(X)
    p, total = X.shape[1], float(X.shape[0])
    if weights is not None:
        weights = np.asarray(weights, dtype=np.float64)
        total = weights.sum()
    location, products = np.zeros(p), np.zeros((p, p))
    with np.errstate(over="ignore", invalid="ignore"):
        if not assume_centered:
            for rows, block in doubled_blocks(X):
                location += block.sum(axis=0) if weights is None else weights[rows] @ block
            location /= total
        for rows, block in doubled_blocks(X):
            Z = block if assume_centered else block - location
            if weights is not None:
                Z = Z * np.sqrt(weights[rows])[:, None]
            products += Z.T @ Z  # numpy sees the same array twice and calls syrk
        covariance = products / total
    require_finite(covariance)
    return location, covariance


def shrink(S, amount, target="identity"):
    """``(1 - amount) S + amount T`` with T the scaled identity or the diagonal of S; S may be a stack of matrices."""
    S = np.asarray(S)
    p = S.shape[-1]
    diagonal = np.diagonal(S, axis1=-2, axis2=-1)
    if target == "identity":
        aim = np.broadcast_to(diagonal.mean(axis=-1, keepdims=True), diagonal.shape)
    else:
        aim = diagonal
    shrunk = (1.0 - amount) * S
    shrunk[..., np.arange(p), np.arange(p)] += amount * aim
    return shrunk


def _scales(S):
    """Square roots of the variances, 1 for a constant column."""
    scale = np.sqrt(np.diagonal(S))
    return np.where(scale > 0.0, scale, 1.0)


def ledoit_wolf_amount(X, weights=None, *, assume_centered=False, target="identity"):
    """The shrinkage of Ledoit and Wolf (2004): estimated variance of S over its squared distance from the target.

    With |.| the Frobenius norm, n the sum of the weights and the rows x_i centred,
    ``(sum_i w_i |x_i x_i' - S|^2 / n) / n`` over ``|S - T|^2``, limited to 1; 0 for a single column.
    """
    X = np.asarray(X, dtype=np.float64)
    if X.shape[1] == 1:
        return 0.0
    w = np.ones(X.shape[0]) if weights is None else np.asarray(weights, dtype=np.float64)
    Z = X if assume_centered else X - np.average(X, axis=0, weights=weights)
    largest = np.abs(Z).max(initial=0.0)
    if largest > 0.0:
        Z = Z / largest  # the amount has no scale; fourth powers would overflow
    n, p = w.sum(), X.shape[1]
    S = (Z * w[:, None]).T @ Z / n
    if target == "diagonal":
        scale = _scales(S)
        Z, S = Z / scale, S / np.outer(scale, scale)
    norm = np.einsum("ij,ij->i", Z, Z)
    squared = np.sum(S * S)
    mu = np.trace(S) / p
    variance = (np.dot(w, norm * norm) / n - squared) / n
    distance = squared - 2.0 * mu * np.trace(S) + p * mu**2
    variance = min(variance, distance)
    return 0.0 if variance <= 0.0 else float(variance / distance)


def oas_amount(S, n, *, target="identity"):
    """The oracle approximating shrinkage of Chen, Wiesel, Eldar and Hero (2010), eq. 23, for large p.

    ``(tr(S^2) + tr(S)^2) / ((n + 1) (tr(S^2) - tr(S)^2 / p))``, limited to 1; 0 for a single column.

    Parameters
    ----------
    S : ndarray of shape (p, p)
        Covariance with the divisor n.
    n : float
        Number of rows, or the sum of the weights.
    target : {"identity", "diagonal"}, default="identity"
    """
    S = np.asarray(S, dtype=np.float64)
    p = S.shape[0]
    if p == 1:
        return 0.0
    if target == "diagonal":
        scale = _scales(S)
        S = S / np.outer(scale, scale)
    largest = np.abs(S).max()
    if largest > 0.0:
        S = S / largest
    mean_square, mean_variance = np.mean(S * S), (np.trace(S) / p) ** 2
    distance = (n + 1.0) * (mean_square - mean_variance / p)
    return 1.0 if distance <= 0.0 else float(min((mean_square + mean_variance) / distance, 1.0))


def ledoit_wolf(X, weights=None, *, assume_centered=False, target="identity"):
    """Location, shrunk covariance and amount by Ledoit and Wolf's formula."""
    amount = ledoit_wolf_amount(X, weights, assume_centered=assume_centered, target=target)
    location, S = empirical_covariance(X, weights, assume_centered=assume_centered)
    return location, shrink(S, amount, target), amount


def oas(X, weights=None, *, assume_centered=False, target="identity"):
    """Location, shrunk covariance and amount by the oracle approximation."""
    location, S = empirical_covariance(X, weights, assume_centered=assume_centered)
    n = X.shape[0] if weights is None else float(np.sum(weights))
    amount = oas_amount(S, n, target=target)
    return location, shrink(S, amount, target), amount
