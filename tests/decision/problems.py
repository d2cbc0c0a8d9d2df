"""Decision processes that several test files use."""

import numpy as np
from scipy import sparse

from statlearn.decision import FiniteMDP


def random_mdp(seed, n=6, k=3, discount=0.9):
    """A process with random dense transitions and rewards."""
    rng = np.random.default_rng(seed)
    P = rng.dirichlet(np.ones(n), size=(k, n))
    return P, FiniteMDP(P, rng.normal(size=(n, k)), discount=discount)


def random_sparse_mdp(seed, n, k=2, branching=5, discount=0.9):
    """The same with few next states per row."""
    rng = np.random.default_rng(seed)
    P = []
    for _ in range(k):
        columns, shares = rng.integers(n, size=(n, branching)), rng.dirichlet(np.ones(branching), size=n)
        rows = np.repeat(np.arange(n), branching)
        P.append(sparse.csr_array((shares.ravel(), (rows, columns.ravel())), shape=(n, n)))
    return P, FiniteMDP(P, rng.normal(size=(n, k)), discount=discount)


def two_states():
    """Stay or go between two states; staying in state 1 pays 1."""
    return FiniteMDP([np.eye(2), np.eye(2)[::-1]], [[0, 0], [1, 0]], discount=0.9)


def as_sparse(P):
    return [sparse.csr_array(p) for p in P]


TINY = {"distance": [-8, -1, 0, 1, 8], "own_speed": [-2, 0, 2], "intruder_speed": [-2, 0, 2], "deviation": [-4, 0, 4]}
