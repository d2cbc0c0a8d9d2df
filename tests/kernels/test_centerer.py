"""Centring of kernel matrices."""

import numpy as np
import pytest
from sklearn.preprocessing import KernelCenterer as Reference

from statlearn.kernels import KernelCenterer, linear_kernel, poly_feature_map, polynomial_kernel
from tests.helpers import assert_close


@pytest.mark.spec("KER-15", "KER-P5")
def test_centring_matches_explicit_features(seed):
    rng = np.random.default_rng(seed)
    X, new = rng.normal(size=(20, 3)), rng.normal(size=(7, 3))
    options = {"degree": 2, "gamma": 1.0, "coef0": 1.0}
    features, new_features = poly_feature_map(X), poly_feature_map(new)
    mean = features.mean(axis=0)
    K, T = polynomial_kernel(X, **options), polynomial_kernel(new, X, **options)
    centerer = KernelCenterer().fit(K)
    centred = centerer.transform(K)
    assert_close(centred, (features - mean) @ (features - mean).T, atol=1e-10)
    assert_close(centerer.transform(T), (new_features - mean) @ (features - mean).T, atol=1e-10)
    n = len(K)
    H = np.eye(n) - np.ones((n, n)) / n
    assert_close(centred, H @ K @ H, atol=1e-10)
    assert_close(centred.sum(axis=0), np.zeros(n), atol=1e-10)
    # The note's formula for a test block: K_t - 1_t K - K_t 1_n + 1_t K 1_n.
    ones, tall = np.ones((n, n)) / n, np.ones((7, n)) / n
    assert_close(centerer.transform(T), T - tall @ K - T @ ones + tall @ K @ ones, atol=1e-10)


@pytest.mark.spec("KER-15")
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_it_agrees_with_scikit_learn(dtype, seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(15, 3)).astype(dtype)
    K, T = linear_kernel(X), linear_kernel(X[:4])
    T = linear_kernel(X[:4], X)
    ours, theirs = KernelCenterer().fit(K), Reference().fit(K)
    atol = 1e-5 if dtype == np.float32 else 1e-12
    assert_close(ours.transform(T), theirs.transform(T), rtol=0, atol=atol)
    assert ours.transform(T).dtype == dtype
    work = K.copy()
    assert ours.transform(work, copy=False) is work
    assert_close(work, theirs.transform(K), rtol=0, atol=atol)


def test_a_matrix_that_is_not_square_raises():
    with pytest.raises(ValueError, match=r"must be a square matrix\. Input K is a 2x3 matrix"):
        KernelCenterer().fit(np.ones((2, 3)))
