"""Rank correlations of the Gaussian copula."""

import numpy as np
from scipy.stats import kendalltau

from statlearn.graphical._nonparanormal import _kendall
from tests.helpers import assert_close


def test_kendalls_tau_of_all_pairs_is_scipys_with_ties(seed):
    X = np.random.default_rng(seed).integers(0, 6, size=(60, 4)).astype(float)
    R = _kendall(X)
    for i in range(4):
        for j in range(4):
            assert_close(R[i, j], kendalltau(X[:, i], X[:, j]).statistic if i != j else 1.0)
    assert_close(_kendall(np.vstack([X] * 17)), _kendall_by_scipy(np.vstack([X] * 17)))  # more rows, the other way


def _kendall_by_scipy(X):
    p = X.shape[1]
    return np.array([[1.0 if i == j else kendalltau(X[:, i], X[:, j]).statistic for j in range(p)] for i in range(p)])
