"""Data that several test files use."""

import numpy as np

NAMES = ["BEL", "BRA", "CHI", "CUB", "EGY", "FRA", "IND", "ISR", "USA", "USS", "YUG", "ZAI"]
_LOWER = """
5.58
7.00 6.50
7.08 7.00 3.83
4.83 5.08 8.17 5.83
2.17 5.75 6.67 6.92 4.92
6.42 5.00 5.58 6.00 4.67 6.42
3.42 5.50 6.42 6.42 5.00 3.92 6.17
2.50 4.92 6.25 7.33 4.50 2.25 6.33 2.75
6.08 6.67 4.25 2.67 6.00 6.17 6.17 6.92 6.17
5.25 6.83 4.50 3.75 5.75 5.42 6.08 5.83 6.67 3.67
4.75 3.00 6.08 6.67 5.00 5.58 4.83 6.17 5.67 6.50 6.92
"""


def countries():
    """Dissimilarities of twelve countries (Kaufman and Rousseeuw, 1990)."""
    D = np.zeros((12, 12))
    for i, line in enumerate(_LOWER.split("\n")[1:12], start=1):
        D[i, :i] = [float(word) for word in line.split()]
    return D + D.T


W4 = np.array([[0, 1, 1, 0], [1, 0, 1, 1], [1, 1, 0, 0], [0, 1, 0, 0]], dtype=float)


def random_graph(seed, n=12, density=0.5):
    """Symmetric weights of a connected graph."""
    rng = np.random.default_rng(seed)
    W = np.triu(rng.uniform(size=(n, n)) * (rng.uniform(size=(n, n)) < density), 1)
    W[np.arange(n - 1), np.arange(1, n)] = 0.5  # a path through all nodes
    return W + W.T


def same_up_to_signs(A, B, atol=1e-7):
    """Columns agree, each up to its sign."""
    signs = np.sign(np.sum(A * B, axis=0))
    np.testing.assert_allclose(A * signs, B, atol=atol * max(1.0, np.abs(B).max()))
