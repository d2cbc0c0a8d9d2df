"""Explicit feature maps."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from statlearn.kernels import gaussian_taylor_map, poly_feature_dim, poly_feature_map, polynomial_kernel, rbf_kernel
from tests.helpers import assert_close


@pytest.mark.spec("KER-T2", "KER-13")
def test_degree_two_of_two_inputs(seed):
    rng = np.random.default_rng(seed)
    X, Z = rng.normal(size=(10, 2)), rng.normal(size=(10, 2))
    assert_close(poly_feature_map(X) @ poly_feature_map(Z).T, (1 + X @ Z.T) ** 2, rtol=1e-12, atol=1e-12)
    a, b = 1.7, -0.3
    root = math.sqrt(2)
    assert_close(poly_feature_map([[a, b]])[0], [1, root * a, root * b, a * a, root * a * b, b * b])


@pytest.mark.spec("KER-13")
@settings(max_examples=25, deadline=None)
@given(st.integers(1, 4), st.integers(0, 4), st.sampled_from([0.0, 0.5, 2.0]), st.sampled_from([0.25, 1.0]))
def test_inner_products_are_the_kernel(p, degree, coef0, gamma):
    rng = np.random.default_rng(p + 10 * degree)
    X, Z = rng.normal(size=(6, p)), rng.normal(size=(5, p))
    A, B = (poly_feature_map(M, degree, gamma=gamma, coef0=coef0) for M in (X, Z))
    assert A.shape[1] == poly_feature_dim(p, degree, coef0)
    assert_close(A @ B.T, polynomial_kernel(X, Z, degree, gamma, coef0), rtol=1e-10, atol=1e-12)
    wanted = math.comb(p + degree, degree) if coef0 > 0 else math.comb(p + degree - 1, degree)
    assert poly_feature_dim(p, degree, coef0) == wanted


@pytest.mark.spec("KER-T4", "KER-14")
def test_thirty_terms_of_the_gaussian():
    a, b = gaussian_taylor_map([0.7, -0.4], 30)
    assert_close(a @ b, 0.5460744, rtol=0, atol=1e-7)
    assert_close(a @ b, math.exp(-(1.1**2) / 2), rtol=1e-14)


@pytest.mark.spec("KER-14")
def test_the_map_converges_to_the_kernel_for_any_width(seed):
    x = np.random.default_rng(seed).normal(size=(20, 1))
    for sigma in (0.5, 1.0, 3.0):
        Z = gaussian_taylor_map(x, 150, sigma=sigma)
        assert_close(Z @ Z.T, rbf_kernel(x, sigma=sigma), rtol=1e-9, atol=1e-12)
    # exp(-(x - z)^2) carries sqrt(2^k / k!).
    Z = gaussian_taylor_map([0.3], 4, sigma=math.sqrt(0.5))[0]
    assert_close(Z, [math.exp(-0.09) * math.sqrt(2**k / math.factorial(k)) * 0.3**k for k in range(4)])
    assert np.all(np.isfinite(gaussian_taylor_map([0.0, 40.0], 2000)))


def test_bad_arguments_raise():
    with pytest.raises(ValueError, match="x must have one column"):
        gaussian_taylor_map(np.ones((2, 2)))
    with pytest.raises(ValueError, match="'degree' parameter of poly_feature_map"):
        poly_feature_map([[1.0]], 1.5)
    with pytest.raises(ValueError, match="'coef0' parameter of poly_feature_map"):
        poly_feature_map([[1.0]], coef0=-1.0)
    with pytest.raises(MemoryError, match="polynomial_kernel"):
        poly_feature_map(np.ones((10, 5000)), 5)
