"""The next point of a batch by the joint expected improvement."""

import numpy as np

from ._acquisition import normal_draws
from ._proposal import candidates
from ._space import key_of

DRAWS = 512


def best_joint_position(space, surrogate, pending, best, terms, leaders, seen, rng):
    """The unseen candidate with the largest expected improvement jointly with the pending points.

    All candidates share the same draws of the pending points, and of their own remaining deviation.

    Parameters
    ----------
    space : Space
    surrogate : Surrogate
    pending : ndarray of shape (q, width)
    best : float
    terms : list of Feasibility
    leaders : ndarray
    seen : set of keys
    rng : numpy.random.Generator

    Returns
    -------
    position : ndarray or None
    """
    pool = np.concatenate([candidates(space, leaders, rng) for _ in range(3)])
    pool = pool[[key_of(row) not in seen for row in pool]]
    if not len(pool):
        return None
    X = space.columns(pool)
    gain = np.log(np.maximum(joint_improvement(surrogate, pending, X, best, int(rng.integers(2**31))), 1e-300))
    for term in terms:
        gain = gain + term.score(X)
    return pool[int(np.argmax(gain))]


def joint_improvement(surrogate, pending, X, best, seed):
    """Joint expected improvement of the pending points and each row of X, for minimisation."""
    mean, cov = surrogate.joint(pending)
    draws = normal_draws(DRAWS, len(pending) + 1, seed)
    values, vectors = np.linalg.eigh(cov)
    positive = values > 1e-12 * max(values[-1], 1e-300)
    root = vectors[:, positive] * np.sqrt(values[positive])
    whitened = draws[:, : root.shape[1]]
    held = (mean + whitened @ root.T).min(axis=1)  # best of the pending points in each draw
    cross, own_mean, own_var = surrogate.cross(X, pending)
    weights = cross @ (vectors[:, positive] / np.sqrt(values[positive]))
    rest = np.sqrt(np.maximum(own_var - np.sum(weights**2, axis=1), 0.0))
    draws_here = own_mean + whitened @ weights.T + draws[:, -1:] * rest
    return np.maximum(best - np.minimum(draws_here, held[:, None]), 0.0).mean(axis=0)
