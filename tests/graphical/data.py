"""Matrices that several tests share."""

import numpy as np

CARCASS = np.array(
    [
        [11.34, 0.74, 8.42, 2.06, 7.66, -0.76, -9.08],
        [0.74, 32.97, 0.67, 35.94, 2.01, 31.97, 5.33],
        [8.42, 0.67, 8.91, 0.31, 6.84, -0.60, -7.95],
        [2.06, 35.94, 0.31, 51.79, 2.18, 41.47, 6.03],
        [7.66, 2.01, 6.84, 2.18, 7.62, 0.38, -6.93],
        [-0.76, 31.97, -0.60, 41.47, 0.38, 41.44, 7.23],
        [-9.08, 5.33, -7.95, 6.03, -6.93, 7.23, 12.90],
    ]
)
CARCASS_NAMES = ["Fat11", "Meat11", "Fat12", "Meat12", "Fat13", "Meat13", "Lean"]
GAUSS4_MEAN = np.array([1.0, 2.0, 3.0, 4.0])
GAUSS4 = np.array([[10.0, 1, 5, 4], [1, 10, 2, 6], [5, 2, 10, 3], [4, 6, 3, 10]])
CYCLE4 = [(0, 1), (1, 2), (2, 3), (0, 3)]  # edges 1-3 and 2-4 (counted from 1) missing


def sparse_precision(rng, p, edges=None):
    """A random positive definite matrix with few entries."""
    K = np.zeros((p, p))
    for _ in range(p if edges is None else edges):
        i, j = rng.choice(p, size=2, replace=False)
        K[i, j] = K[j, i] = rng.uniform(0.3, 0.8) * rng.choice([-1, 1])
    K += np.diag(np.abs(K).sum(axis=1) + rng.uniform(0.5, 1.0, size=p))
    return K


def random_covariance(rng, p, n=None):
    """Sample covariance of n rows of correlated columns."""
    X = rng.normal(size=(n or 5 * p, p)) @ (np.eye(p) + 0.4 * rng.normal(size=(p, p)))
    return np.cov(X, rowvar=False, bias=True)


def rows_of(rng, K, n):
    """Rows of a Gaussian with precision K."""
    return rng.multivariate_normal(np.zeros(len(K)), np.linalg.inv(K), size=n)
