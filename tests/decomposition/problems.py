"""Data that several tests of the family share."""

import numpy as np

# Data `two5` of the catalog: class A, then class B.
TWO5 = np.array([(4, 2), (2, 4), (2, 3), (3, 6), (4, 4), (9, 10), (6, 8), (9, 5), (8, 7), (10, 8)], dtype=float)


def low_rank(seed, n=40, p=6, k=2, noise=0.2):
    """Rows near a k-dimensional plane away from the origin."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, k)) @ rng.normal(size=(k, p)) + noise * rng.normal(size=(n, p)) + rng.normal(size=p)


def with_holes(X, share, seed=0):
    """X with this share of its cells missing at random, but no empty row or column."""
    rng = np.random.default_rng(seed)
    holes = rng.random(X.shape) < share
    holes[:, 0] = False
    holes[: min(X.shape), :][np.diag_indices(min(X.shape))] = False
    return np.where(holes, np.nan, X)


def same_directions(A, B):
    """Largest difference of the rows of two matrices up to sign."""
    signs = np.sign(np.sum(A * B, axis=1))
    return np.abs(A - signs[:, None] * B).max()
