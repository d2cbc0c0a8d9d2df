"""Components of two tables: pairs of directions, one for each table, and the deflation between pairs."""

from dataclasses import dataclass

import numpy as np
from scipy import linalg

from statlearn._math.rows.least_squares import EPS


@dataclass
class CrossComponents:
    """Weights, loadings and rotations (columns are components) of two tables; scores are table @ rotations."""

    x_weights: np.ndarray
    y_weights: np.ndarray
    x_loadings: np.ndarray
    y_loadings: np.ndarray
    x_rotations: np.ndarray
    y_rotations: np.ndarray


def covariance_pair(A, B):
    """Unit vectors w and c that maximise the covariance w'A'Bc."""
    U, _, Vt = linalg.svd(A.T @ B, full_matrices=False, check_finite=False)
    return U[:, 0], Vt[0]


def correlation_pair(A, B):
    """Unit vectors w and c that maximise the correlation of Aw and Bc; shortest where columns depend on others."""
    Qa, back_a = _orthonormal(A)
    Qb, back_b = _orthonormal(B)
    U, _, Vt = linalg.svd(Qa.T @ Qb, full_matrices=False, check_finite=False)
    w, c = back_a @ U[:, 0], back_b @ Vt[0]
    return w / np.linalg.norm(w), c / np.linalg.norm(c)


def _orthonormal(A):
    """A basis Q of the columns of A, and the matrix M with A M = Q."""
    U, d, Vt = linalg.svd(A, full_matrices=False, check_finite=False)
    rank = int(np.sum(d > 10 * max(A.shape) * EPS * d[0]))
    return U[:, :rank], Vt[:rank].T / d[:rank]


def cross_components(A, B, k, *, pair, canonical, unit_y):
    """Up to k components of the centred and scaled tables A (rows, p) and B (rows, q).

    After every pair A is deflated by its score t = Aw. With `canonical` B is deflated by its own score, else by t, as
    in a regression on t. With `unit_y` the weights of B are unit vectors, else the coefficients of B on t. Stops early
    if nothing common is left.
    """
    p, q = A.shape[1], B.shape[1]
    W, C, P, Q = np.zeros((p, k)), np.zeros((q, k)), np.zeros((p, k)), np.zeros((q, k))
    start = np.linalg.norm(A.T @ B)
    rank = 0
    while rank < k and np.linalg.norm(A.T @ B) > 10 * max(A.shape) * EPS * start:
        w, c = pair(A, B)
        if w[np.argmax(np.abs(w))] < 0:  # the sign of a pair is arbitrary
            w, c = -w, -c
        t = A @ w
        if not unit_y:
            c = B.T @ t / (t @ t)
        u = B @ c if unit_y else B @ c / (c @ c)
        W[:, rank], C[:, rank] = w, c
        P[:, rank] = A.T @ t / (t @ t)
        other = u if canonical else t
        Q[:, rank] = B.T @ other / (other @ other)
        A = A - np.outer(t, P[:, rank])
        B = B - np.outer(other, Q[:, rank])
        rank += 1
    W, C, P, Q = (matrix[:, :rank] for matrix in (W, C, P, Q))
    return CrossComponents(W, C, P, Q, W @ linalg.pinv(P.T @ W), C @ linalg.pinv(Q.T @ C))


def simpls_components(A, B, k):
    """Up to k components by de Jong's SIMPLS: scores orthogonal to each other, directions of largest covariance."""
    p, q = A.shape[1], B.shape[1]
    R, P, Q, V = np.zeros((p, k)), np.zeros((p, k)), np.zeros((q, k)), np.zeros((p, k))
    S = A.T @ B
    start = np.linalg.norm(S)
    rank = 0
    while rank < k and np.linalg.norm(S) > 10 * max(A.shape) * EPS * start:
        r = linalg.svd(S, full_matrices=False, check_finite=False)[0][:, 0]
        if r[np.argmax(np.abs(r))] < 0:
            r = -r
        t = A @ r
        length = np.linalg.norm(t)
        r, t = r / length, t / length
        loading = A.T @ t
        P[:, rank], Q[:, rank], R[:, rank] = loading, B.T @ t, r
        v = loading - V[:, :rank] @ (V[:, :rank].T @ loading)
        V[:, rank] = v / np.linalg.norm(v)
        S = S - np.outer(V[:, rank], V[:, rank] @ S)
        rank += 1
    R, P, Q = R[:, :rank], P[:, :rank], Q[:, :rank]
    return CrossComponents(R, Q, P, Q, R, Q @ linalg.pinv(Q.T @ Q))
