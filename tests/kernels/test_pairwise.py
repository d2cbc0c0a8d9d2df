"""Kernel functions of the rows of tables."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.metrics import pairwise as reference

import statlearn
from statlearn import kernels
from tests.helpers import assert_close

NAMES = ["linear_kernel", "cosine_similarity", "polynomial_kernel", "rbf_kernel", "laplacian_kernel", "sigmoid_kernel"]
NAMES += ["chi2_kernel", "additive_chi2_kernel"]
PSD = [
    (kernels.linear_kernel, {}),
    (kernels.cosine_similarity, {}),
    (kernels.polynomial_kernel, {"degree": 3, "coef0": 0.5}),
    (kernels.polynomial_kernel, {"degree": 2, "coef0": 0}),
    (kernels.rbf_kernel, {"gamma": 0.7}),
    (kernels.laplacian_kernel, {"gamma": 0.7}),
    (kernels.laplacian_kernel, {"gamma": 0.7, "norm": "l2"}),
    (kernels.min_kernel, {}),
    (kernels.chi2_kernel, {"gamma": 0.7}),
]


def tables(seed, dtype=np.float64):
    rng = np.random.default_rng(seed)
    X, Y = rng.random((30, 6)), rng.random((11, 6))
    X[X < 0.3] = 0.0
    X[4] = 0.0
    return X.astype(dtype), Y.astype(dtype)


@pytest.mark.spec("KER-01", "KER-02", "KER-03", "KER-04", "KER-05", "KER-06")
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_functions_agree_with_scikit_learn(name, dtype, seed):
    X, Y = tables(seed, dtype)
    ours, theirs = getattr(kernels, name), getattr(reference, name)
    rtol, atol = (1e-12, 1e-14) if dtype == np.float64 else (1e-5, 1e-6)
    assert ours(X, Y).dtype == dtype
    assert_close(ours(X, Y), theirs(X, Y), rtol=rtol, atol=atol)
    assert_close(ours(X), theirs(X), rtol=rtol, atol=atol)
    if "chi2" not in name:  # scikit-learn has no sparse chi-squared kernels
        assert_close(ours(sparse.csr_matrix(X), sparse.csr_matrix(Y)), theirs(X, Y), rtol=rtol, atol=atol)
    assert_close(ours(sparse.csr_matrix(X)), theirs(X), rtol=rtol, atol=atol)
    assert_close(ours(sparse.csc_matrix(X), Y), theirs(X, Y), rtol=rtol, atol=atol)


@pytest.mark.parametrize("name", ["linear_kernel", "cosine_similarity"])
def test_sparse_output_on_request(name, seed):
    X, Y = tables(seed)
    function = getattr(kernels, name)
    K = function(sparse.csr_matrix(X), sparse.csr_matrix(Y), dense_output=False)
    assert sparse.issparse(K)
    assert_close(K.toarray(), function(X, Y))
    assert_close(function(sparse.csr_matrix(X), dense_output=False).toarray(), function(X))
    assert isinstance(function(X, Y, dense_output=False), np.ndarray)


@pytest.mark.spec("KER-T5", "KER-04")
def test_three_widths_of_the_gaussian_are_one(seed):
    X, Y = tables(seed)
    K = kernels.rbf_kernel(X, Y, sigma=2.0)
    np.testing.assert_array_equal(kernels.rbf_kernel(X, Y, gamma=0.125), K)
    np.testing.assert_array_equal(kernels.rbf_kernel(X, Y, c=8.0), K)
    with pytest.raises(ValueError, match="only one of `gamma`, `sigma` and `c`"):
        kernels.rbf_kernel(X, gamma=1.0, sigma=2.0)
    with pytest.raises(ValueError, match="'sigma' parameter of rbf_kernel"):
        kernels.rbf_kernel(X, sigma=0.0)
    with pytest.raises(ValueError, match="`sigma`=1e-200 is so small"):
        kernels.rbf_kernel(X, sigma=1e-200)


@pytest.mark.spec("KER-05")
def test_laplacian_of_the_euclidean_norm_divides_by_delta_squared(seed):
    X, Y = tables(seed)
    distance = np.sqrt(((X[:, None] - Y) ** 2).sum(axis=2))
    assert_close(kernels.laplacian_kernel(X, Y, norm="l2", delta=3.0), np.exp(-distance / 9.0))
    assert_close(kernels.laplacian_kernel(X, Y, delta=3.0), np.exp(-np.abs(X[:, None] - Y).sum(axis=2) / 9.0))


@pytest.mark.spec("KER-06")
def test_logistic_form_of_the_sigmoid(seed):
    X, Y = tables(seed)
    b, sigma = 0.4, 1.5
    wanted = 1 / (1 + np.exp(-(X @ Y.T + b) / sigma**2))
    assert_close(kernels.sigmoid_kernel(X, Y, gamma=1 / sigma**2, coef0=b / sigma**2, form="logistic"), wanted)


@pytest.mark.spec("KER-03")
def test_polynomial_with_a_variance_is_a_choice_of_gamma(seed):
    X, Y = tables(seed)
    assert_close(kernels.polynomial_kernel(X, Y, degree=4, gamma=1 / 1.7**2), (1 + X @ Y.T / 1.7**2) ** 4)


@pytest.mark.spec("KER-T6", "KER-07")
def test_minimum_kernel_of_three_and_seven():
    np.testing.assert_array_equal(kernels.min_kernel([[3.0], [7.0]]), [[3, 3], [3, 7]])
    # The covariance of Brownian motion: that of sums of independent steps.
    times = np.array([0.5, 1.25, 3.0])
    steps = np.tril(np.ones((3, 3))) * np.sqrt(np.diff(times, prepend=0.0))
    assert_close(kernels.min_kernel(times[:, None]), steps @ steps.T)


@pytest.mark.spec("KER-P1", "KER-P2")
@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 12), st.integers(1, 4))
def test_gram_matrices_are_positive_semi_definite(random, n, p):
    X = np.random.default_rng(random).random((n, p)) * 3
    for function, options in PSD:
        K = function(X, **options)
        assert np.linalg.eigvalsh(K)[0] >= -1e-12 * np.trace(K), function.__name__
        assert np.all(np.outer(np.diag(K), np.diag(K)) * (1 + 1e-12) >= K**2), function.__name__


@pytest.mark.spec("KER-P1")
def test_tanh_kernel_is_not_always_positive_semi_definite():
    # The determinant of [[tanh 1, tanh 2], [tanh 2, tanh 4]] is negative: 0.7611 - 0.9294.
    K = kernels.sigmoid_kernel([[1.0], [2.0]], gamma=1.0, coef0=0.0)
    assert np.linalg.eigvalsh(K)[0] < -0.05


@pytest.mark.spec("KER-P4")
def test_cosine_is_the_linear_kernel_of_unit_rows_and_the_gaussian_lies_in_0_1(seed):
    X, Y = tables(seed)
    X = X[np.linalg.norm(X, axis=1) > 0]
    unit = [Z / np.linalg.norm(Z, axis=1, keepdims=True) for Z in (X, Y)]
    assert_close(kernels.cosine_similarity(X, Y), kernels.linear_kernel(*unit))
    K = kernels.rbf_kernel(X, gamma=2.0)
    np.testing.assert_array_equal(np.diag(K), 1.0)
    assert np.all((K > 0) & (K <= 1))


@pytest.mark.spec("KER-P7")
def test_a_larger_constant_gives_lower_orders_more_weight():
    # (s + c)^3 = sum over orders of C(3, k) c^(3 - k) s^k: fit the coefficients from values of the kernel.
    s = np.array([0.0, 1.0, 2.0, 3.0])
    orders = []
    for c in (0.5, 1.0, 4.0):
        K = kernels.polynomial_kernel(s[:, None], [[1.0]], degree=3, gamma=1.0, coef0=c)[:, 0]
        coefficients = np.linalg.solve(np.vander(s, increasing=True), K)
        assert_close(coefficients, [c**3, 3 * c**2, 3 * c, 1.0])
        orders.append(coefficients / coefficients[-1])
    assert np.all(np.diff(orders, axis=0)[:, :3] > 0)


@pytest.mark.spec("KER-T3")
def test_rank_of_a_polynomial_gram_matrix_is_the_number_of_monomials(seed):
    X = np.random.default_rng(seed).normal(size=(60, 3))
    assert np.linalg.matrix_rank(kernels.polynomial_kernel(X, degree=2, gamma=1.0, coef0=1.0)) == 10


@pytest.mark.parametrize("function", [getattr(kernels, name) for name in [*NAMES, "min_kernel"]])
def test_bad_tables_raise_by_name(function):
    X = np.ones((3, 2))
    with pytest.raises(ValueError, match="X contains NaN"):
        function([[np.nan, 1.0]])
    with pytest.raises(ValueError, match="Y"):
        function(X, [["a", "b"]])
    with pytest.raises(ValueError, match="Incompatible dimension"):
        function(X, np.ones((3, 4)))
    with pytest.raises(ValueError, match="X"):
        function(np.ones(3))


@pytest.mark.parametrize("function", [kernels.chi2_kernel, kernels.additive_chi2_kernel, kernels.min_kernel])
def test_negative_entries_raise_where_the_kernel_needs_counts(function):
    with pytest.raises(ValueError, match="X contains negative values"):
        function([[-1.0, 2.0]])
    with pytest.raises(ValueError, match="Y contains negative values"):
        function([[1.0, 2.0]], sparse.csr_matrix([[1.0, -2.0]]))


def test_integers_and_frames_are_welcome(seed):
    import pandas as pd

    X, Y = tables(seed)
    assert_close(kernels.rbf_kernel(pd.DataFrame(X), pd.DataFrame(Y)), kernels.rbf_kernel(X, Y))
    assert kernels.linear_kernel([[1, 2]]).dtype == np.float64


def test_mixed_precision_is_double(seed):
    X, Y = tables(seed)
    assert kernels.rbf_kernel(X.astype(np.float32), Y).dtype == np.float64


@pytest.mark.parametrize(("n", "dtype"), [(2901, np.float32), (2051, np.float64)])
def test_a_matrix_larger_than_the_caches_has_the_same_bits(n, dtype):
    X = np.random.default_rng(0).random((n, 3)).astype(dtype)
    with statlearn.threads(1):
        K = kernels.rbf_kernel(X, gamma=2.0)
    with statlearn.threads(2):
        np.testing.assert_array_equal(kernels.rbf_kernel(X, gamma=2.0), K)
        np.testing.assert_array_equal(kernels.rbf_kernel(X, X.copy(), gamma=2.0)[1:, 0], K[1:, 0])
    np.testing.assert_array_equal(K, K.T)
    rows = [0, 1, 95, 96, 1000, n - 1]
    some = kernels.rbf_kernel(X[rows], X, gamma=2.0)
    some[range(len(rows)), rows] = 1.0  # rounding aside
    np.testing.assert_array_equal(some, K[rows])
