"""Initial factors of a non-negative factorisation."""

import numpy as np
from sklearn.utils import check_random_state

from statlearn._math.linalg.svd import leading_svd

STARTS = ("random", "nndsvd", "nndsvda", "nndsvdar", "custom")


def _filled_with_means(X):
    """Missing values replaced by the means of their columns."""
    means = np.nanmean(X, axis=0)
    return np.where(np.isnan(X), means.astype(X.dtype), X)


def nonnegative_svd(X, k, random_state, eps=1e-6):
    """Factors from the positive parts of singular vectors (Boutsidis & Gallopoulos, 2008).

    Of each pair of singular vectors, the positive or the negative parts are kept, whichever carry the larger product of
    norms.
    """
    U, S, V = leading_svd(X, k, check_random_state(random_state), n_iter=2)  # a start needs few digits
    W, H = np.zeros_like(U), np.zeros_like(V)
    W[:, 0] = np.sqrt(S[0]) * np.abs(U[:, 0])
    H[0] = np.sqrt(S[0]) * np.abs(V[0])
    for j in range(1, k):
        x, y = U[:, j], V[j]
        parts = []
        for sign in (1.0, -1.0):
            a, b = np.maximum(sign * x, 0.0), np.maximum(sign * y, 0.0)
            parts.append((np.linalg.norm(a), np.linalg.norm(b), a, b))
        size_a, size_b, a, b = max(parts, key=lambda part: part[0] * part[1])
        if size_a == 0.0 or size_b == 0.0:
            continue
        scale = np.sqrt(S[j] * size_a * size_b)
        W[:, j], H[j] = scale * a / size_a, scale * b / size_b
    W[eps > W] = 0.0
    H[eps > H] = 0.0
    return W, H


def initial_factors(cells, k, init, random_state):
    """W and H by the named method; None means "nndsvda" if the rank allows it, otherwise "random"."""
    X, (n, p) = cells.X, cells.shape
    if init is None:
        init = "nndsvda" if k <= min(n, p) else "random"
    elif init != "random" and k > min(n, p):
        raise ValueError(
            f"init = '{init}' can only be used when n_components <= min(n_samples, n_features): `n_components`={k} "
            f"exceeds {min(n, p)}; use init='random'."
        )
    mean = cells.mean()
    if init == "random":
        scale = np.sqrt(mean / k)
        rng = check_random_state(random_state)
        H = scale * rng.standard_normal(size=(k, p)).astype(cells.dtype, copy=False)
        W = scale * rng.standard_normal(size=(n, k)).astype(cells.dtype, copy=False)
        return np.abs(W).astype(cells.dtype), np.abs(H).astype(cells.dtype)
    W, H = nonnegative_svd(_filled_with_means(X) if cells.missing else X, k, random_state)
    if init == "nndsvda":
        W[W == 0], H[H == 0] = mean, mean
    elif init == "nndsvdar":
        rng = check_random_state(random_state)
        W[W == 0] = np.abs(mean * rng.standard_normal(size=int((W == 0).sum())) / 100)
        H[H == 0] = np.abs(mean * rng.standard_normal(size=int((H == 0).sum())) / 100)
    return np.ascontiguousarray(W, cells.dtype), np.ascontiguousarray(H, cells.dtype)
