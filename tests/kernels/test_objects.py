"""Kernels as objects: parameters, values, diagonal, arithmetic."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone

from statlearn import kernels
from statlearn.kernels import (
    AdditiveChi2Kernel,
    Chi2Kernel,
    ConstantKernel,
    CosineKernel,
    FunctionKernel,
    GaussianKernel,
    KernelMap,
    KernelPower,
    KernelProduct,
    KernelScale,
    KernelSum,
    LaplacianKernel,
    LinearKernel,
    MinKernel,
    PolynomialKernel,
    SigmoidKernel,
    SpectrumKernel,
)
from statlearn.svm import SVC
from tests.helpers import assert_close

PAIRS = [
    (LinearKernel(), lambda X, Y=None: kernels.linear_kernel(X, Y)),
    (CosineKernel(), lambda X, Y=None: kernels.cosine_similarity(X, Y)),
    (PolynomialKernel(2, 0.3, 0.5), lambda X, Y=None: kernels.polynomial_kernel(X, Y, 2, 0.3, 0.5)),
    (GaussianKernel(sigma=1.5), lambda X, Y=None: kernels.rbf_kernel(X, Y, sigma=1.5)),
    (GaussianKernel(), lambda X, Y=None: kernels.rbf_kernel(X, Y)),
    (LaplacianKernel(norm="l2", delta=2.0), lambda X, Y=None: kernels.laplacian_kernel(X, Y, norm="l2", delta=2.0)),
    (SigmoidKernel(0.2, 0.1), lambda X, Y=None: kernels.sigmoid_kernel(X, Y, 0.2, 0.1)),
    (Chi2Kernel(0.5), lambda X, Y=None: kernels.chi2_kernel(X, Y, 0.5)),
    (AdditiveChi2Kernel(), lambda X, Y=None: kernels.additive_chi2_kernel(X, Y)),
    (MinKernel(), lambda X, Y=None: kernels.min_kernel(X, Y)),
]


def tables(seed, n=25, m=8, p=3):
    rng = np.random.default_rng(seed)
    return rng.random((n, p)), rng.random((m, p))


@pytest.mark.parametrize(("kernel", "function"), PAIRS, ids=lambda v: type(v).__name__)
def test_objects_give_the_values_of_the_functions(kernel, function, seed):
    X, Y = tables(seed)
    np.testing.assert_array_equal(kernel(X, Y), function(X, Y))
    np.testing.assert_array_equal(kernel(X), function(X))
    assert_close(kernel.diag(X), np.diag(function(X)), rtol=1e-12)
    assert_close(kernel.diag(sparse.csr_matrix(X)), np.diag(function(X)), rtol=1e-12)
    assert kernel.psd == (type(kernel) not in (SigmoidKernel, AdditiveChi2Kernel))


@pytest.mark.spec("KER-09")
def test_sums_products_scales_powers_and_maps_match_their_definitions(seed):
    X, Y = tables(seed)
    a, b = GaussianKernel(gamma=0.7), PolynomialKernel(2, 1.0, 0.3)
    A, B = a(X, Y), b(X, Y)
    for kernel, wanted in [
        (KernelSum(a, b), A + B),
        (KernelProduct(a, b), A * B),
        (KernelScale(a, 2.5), 2.5 * A),
        (KernelPower(b, 3), B**3),
        (a + b, A + B),
        (a * b, A * B),
        (2.5 * a, 2.5 * A),
        (a * 2.5, 2.5 * A),
        (b**3, B**3),
        (a + 1, A + 1),
        (1 + a, A + 1),
        ((a + b) * b**2 + 3, (A + B) * B**2 + 3),
        (KernelSum(kernels.rbf_kernel, kernels.linear_kernel), kernels.rbf_kernel(X, Y) + X @ Y.T),
        (KernelMap(b, map=np.sqrt), b(np.sqrt(X), np.sqrt(Y))),
        (KernelMap(a, weight=lambda Z: Z[:, 0]), X[:, :1] * A * Y[:, 0]),
        (
            KernelMap(a, map=lambda Z: Z[:, :2], weight=lambda Z: Z.sum(axis=1)),
            X.sum(axis=1)[:, None] * a(X[:, :2], Y[:, :2]) * Y.sum(axis=1),
        ),
    ]:
        assert_close(kernel(X, Y), wanted, rtol=1e-13)
        assert_close(kernel.diag(X), np.diag(kernel(X)), rtol=1e-13)


@pytest.mark.spec("KER-P3", "KER-P1", "KER-P2")
@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32 - 1), st.floats(0, 5), st.integers(1, 4))
def test_closure_operations_keep_positive_semi_definiteness(random, scale, power):
    rng = np.random.default_rng(random)
    X = rng.normal(size=(10, 2))
    a, b = GaussianKernel(gamma=rng.uniform(0.1, 2)), PolynomialKernel(2, coef0=rng.uniform(0, 1))
    f, phi = (lambda Z: np.sin(3 * Z[:, 0])), np.tanh
    for kernel in (
        a + b,
        a * b,
        scale * a,
        b**power,
        KernelMap(b, weight=f),
        KernelMap(a, map=phi, weight=f),
        a + scale,
    ):
        K = kernel(X)
        assert kernel.psd
        assert np.linalg.eigvalsh(K)[0] >= -1e-12 * max(np.trace(K), 1e-300)
        assert np.all(np.outer(np.diag(K), np.diag(K)) * (1 + 1e-10) + 1e-300 >= K**2)
    assert not (a + SigmoidKernel()).psd


def test_objects_are_cloned_pickled_compared_and_printed():
    kernel = 2.0 * (GaussianKernel(gamma=0.5) + LinearKernel()) ** 2 * SpectrumKernel(2) + 1.5
    twin = clone(kernel)
    assert twin == kernel
    assert twin is not kernel
    assert pickle.loads(pickle.dumps(kernel)) == kernel
    assert repr(kernel) == "2.0 * (GaussianKernel(gamma=0.5) + LinearKernel()) ** 2 * SpectrumKernel(m=2) + 1.5"
    assert kernel != LinearKernel()
    assert LinearKernel() == LinearKernel()
    assert GaussianKernel(gamma=1.0) != GaussianKernel(gamma=2.0)


def test_a_formula_is_printed_so_that_it_can_be_read_back():
    a, b, c = GaussianKernel(gamma=1.0), LinearKernel(), CosineKernel()
    for kernel in (
        a + b * c,
        (a + b) * c,
        a * (b * c),
        (a * b) ** 2,
        (2 * a) ** 2,
        2 * (a + b),
        a + b + c,
        (a**2) ** 3,
    ):
        names = {name: getattr(kernels, name) for name in kernels.__all__}
        again = eval(repr(kernel), names)
        X = np.random.default_rng(0).random((4, 2))
        assert_close(again(X), kernel(X), rtol=1e-14)


def test_parameters_are_set_by_their_path():
    kernel = GaussianKernel(gamma=0.5) + 2 * LinearKernel()
    assert kernel.get_params()["k1__gamma"] == 0.5
    kernel.set_params(k1__gamma=3.0, k2__scale=4.0)
    assert kernel.k1.gamma == 3.0
    assert kernel.k2.scale == 4.0
    with pytest.raises(ValueError, match="Invalid parameter 'nothing'"):
        kernel.set_params(nothing=1)


@pytest.mark.spec("KER-09", "KER-10")
def test_functions_of_tables_and_of_pairs(seed):
    X, Y = tables(seed)
    blocks = FunctionKernel(lambda A, B, power: (A @ B.T) ** power, params={"power": 2})
    pairs = FunctionKernel(lambda a, b, power: float(a @ b) ** power, pairs=True, params={"power": 2})
    for kernel in (blocks, pairs):
        assert_close(kernel(X, Y), (X @ Y.T) ** 2)
        assert_close(kernel(X), (X @ X.T) ** 2)
        assert_close(kernel.diag(X), np.diag(X @ X.T) ** 2)


@pytest.mark.parametrize(
    ("kernel", "message"),
    [
        (GaussianKernel(gamma=-1.0), "'gamma' parameter of GaussianKernel"),
        (GaussianKernel(gamma=1.0, c=2.0), "only one of `gamma`, `sigma` and `c`"),
        (KernelScale(LinearKernel(), -1.0), "'scale' parameter of KernelScale"),
        (KernelPower(LinearKernel(), 0.5), "'power' parameter of KernelPower"),
        (ConstantKernel(-1.0), "'value' parameter of ConstantKernel"),
        (FunctionKernel(lambda A, B: np.ones(3)), "kernel"),
        (FunctionKernel(lambda A, B: np.ones((3, 9))), r"must return an array of shape \(2, 2\)"),
        (FunctionKernel(lambda a, b: "x", pairs=True), "must return a number"),
        (FunctionKernel(lambda a, b: np.inf, pairs=True), "must return finite numbers"),
        (KernelMap(LinearKernel(), weight=lambda X: [1.0]), "`weight` must return one number per item"),
        (KernelSum("rbf", LinearKernel()), "'k1' parameter of KernelSum"),
    ],
)
def test_wrong_kernels_raise(kernel, message):
    with pytest.raises((ValueError, TypeError), match=message):
        kernel(np.ones((2, 2)))


def test_other_operands_raise():
    for operation in (lambda k: k + "a", lambda k: k * [1], lambda k: k ** LinearKernel(), lambda k: "a" + k):
        with pytest.raises(TypeError):
            operation(LinearKernel())


@pytest.mark.spec("CRS-35")
@pytest.mark.parametrize("d", [1, 2, 3])
def test_both_routes_to_the_textbook_polynomial_kernel(d, rng):
    X, Z = rng.normal(size=(40, 3)), rng.normal(size=(10, 3))
    kernel = PolynomialKernel(degree=d, gamma=1, coef0=1)
    assert_close(kernel(X, Z), (1 + X @ Z.T) ** d)
    y = (X[:, 0] * X[:, 1] > 0).astype(int)
    by_name = SVC(kernel="poly", degree=d, gamma=1, coef0=1, tol=1e-8).fit(X, y)
    by_object = SVC(kernel=kernel, tol=1e-8).fit(X, y)
    assert_close(by_object.decision_function(Z), by_name.decision_function(Z), atol=1e-6)


@pytest.mark.spec("CRS-35")
def test_both_docstrings_name_the_other_default():
    for owner, other in ((SVC, "PolynomialKernel"), (PolynomialKernel, 'SVC(kernel="poly")')):
        text = " ".join(owner.__doc__.split())
        assert "PolynomialKernel(degree=d, gamma=1, coef0=1)" in text
        assert other in text
    assert (SVC().coef0, PolynomialKernel().coef0) == (0.0, 1)
