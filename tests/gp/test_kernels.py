"""Covariance functions: values, derivatives, composition."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special
from sklearn.base import clone
from sklearn.gaussian_process import GaussianProcessRegressor as Reference
from sklearn.gaussian_process import kernels as sk

from statlearn import gp
from statlearn._core.native import gp as native
from statlearn.gp.kernels._formula import compile_kernel
from statlearn.kernels import GaussianKernel, KernelRidge, MinKernel
from tests.helpers import assert_close

SCALES = [0.5, 1.0, 2.0]


def test_the_module_of_kernels_has_the_same_objects():
    from statlearn.gp import kernels

    assert set(kernels.__all__) < set(gp.__all__)
    assert all(getattr(kernels, name) is getattr(gp, name) for name in kernels.__all__)


def every_kernel(m):
    """The kernels of a module, of three non-negative columns."""
    return [
        m.RBF(0.7),
        m.RBF(SCALES),
        m.Matern(0.7, nu=0.5),
        m.Matern(SCALES, nu=0.5),
        m.Matern(SCALES, nu=1.5),
        m.Matern(SCALES, nu=2.5),
        m.Matern(0.7, nu=np.inf),
        m.RationalQuadratic(0.6, 1.3),
        m.ExpSineSquared(0.8, 1.7),
        m.DotProduct(0.6),
        m.DotProduct(0.6) ** 2,
        m.DotProduct(0.6) ** 1.5,
        m.ConstantKernel(0.4),
        m.WhiteKernel(0.3),
        2.0 * m.RBF(SCALES) + m.WhiteKernel(0.3),
        m.RBF(0.7, "fixed") * m.ConstantKernel(2.0) + 0.5,
        (m.RBF(0.5) + 0.3 * m.Matern([1, 2, 3.0], nu=1.5)) * m.DotProduct(0.4) + m.WhiteKernel(0.2) * 1.5,
    ]


@pytest.mark.parametrize(
    "kernel",
    [
        gp.RBF(SCALES),
        *(gp.Matern(0.7, nu=nu) for nu in (0.5, 1.3, 1.5, 2.5, np.inf)),
        gp.RationalQuadratic(0.6, 1.3),
        gp.ExpSineSquared(0.8, 1.7),
        gp.DotProduct(0.6),
        gp.DotProduct(0.6, squared=False),
        gp.Brownian(1.7),
    ],
    ids=str,
)
def test_compiled_values_equal_the_documented_formula(kernel, rng):
    columns = 1 if isinstance(kernel, gp.Brownian) else 3
    X, Z = rng.random((20, columns)), rng.random((15, columns))
    assert_close(kernel(X, Z), kernel._formula(X, Z))


PAIRS = list(zip(every_kernel(gp), every_kernel(sk)))
PAIRWISE = ["linear", "poly", "rbf", "laplacian", "sigmoid", "cosine", "chi2", "additive_chi2"]


@pytest.mark.spec("GPR-06", "GPR-07", "GPR-08", "GPR-10")
@pytest.mark.parametrize(("ours", "theirs"), PAIRS, ids=[str(a)[:40] for a, _ in PAIRS])
def test_values_and_gradients_match_scikit_learn(ours, theirs, rng):
    X, Z = rng.random((61, 3)), rng.random((50, 3))
    assert_close(ours.theta, theirs.theta)
    assert_close(ours.bounds, theirs.bounds)
    assert [h.name for h in ours.hyperparameters] == [h.name for h in theirs.hyperparameters]
    K, gradient = ours(X, eval_gradient=True)
    K_ref, gradient_ref = theirs(X, eval_gradient=True)
    assert_close(K, K_ref, atol=1e-14)
    assert_close(gradient, gradient_ref, atol=1e-13)
    assert_close(ours(X, Z), theirs(X, Z), atol=1e-14)
    assert_close(ours.diag(X), theirs.diag(X), atol=1e-14)
    assert ours.is_stationary() == theirs.is_stationary()
    assert clone(ours) == ours
    assert_close(ours.clone_with_theta(ours.theta + 0.1)(X), theirs.clone_with_theta(theirs.theta + 0.1)(X), atol=1e-14)


@pytest.mark.spec("GPR-10")
@pytest.mark.parametrize("metric", PAIRWISE)
def test_pairwise_kernels_agree_and_have_exact_gradients(metric, rng):
    X = rng.random((30, 3))
    ours, theirs = gp.PairwiseKernel(0.7, metric=metric), sk.PairwiseKernel(0.7, metric=metric)
    assert_close(ours(X), theirs(X), atol=1e-12)
    assert_close(ours(X, X[:4]), theirs(X, X[:4]), atol=1e-12)
    assert_close(ours.diag(X), np.diag(ours(X)), atol=1e-13)
    assert_close(ours(X, eval_gradient=True)[1], difference_quotient(ours, X), atol=1e-8)


@pytest.mark.spec("GPR-10")
def test_a_pairwise_kernel_takes_functions_and_kernel_objects(rng):
    X = rng.random((12, 2))
    by_function = gp.PairwiseKernel(0.7, metric=lambda a, b, gamma=1.0: np.exp(-gamma * np.sum((a - b) ** 2)))
    assert_close(by_function(X), gp.PairwiseKernel(0.7, metric="rbf")(X))
    assert_close(by_function(X, eval_gradient=True)[1], difference_quotient(by_function, X), atol=1e-7)
    by_object = gp.PairwiseKernel(metric=GaussianKernel(gamma=0.7), gamma_bounds="fixed")
    assert_close(by_object(X), by_function(X))
    assert by_object(X, eval_gradient=True)[1].shape == (12, 12, 0)
    mixed = 2.0 * by_function + gp.RBF(0.5) ** 2
    K, gradient = mixed(X, eval_gradient=True)
    assert_close(K, 2.0 * by_function(X) + gp.RBF(0.5)(X) ** 2)
    assert_close(gradient, difference_quotient(mixed, X), atol=1e-7)


def difference_quotient(kernel, X, step=1e-5):
    theta = kernel.theta
    slices = []
    for k in range(len(theta)):
        shift = step * (np.arange(len(theta)) == k)
        slices.append(
            (kernel.clone_with_theta(theta + shift)(X) - kernel.clone_with_theta(theta - shift)(X)) / (2 * step)
        )
    return np.stack(slices, axis=-1)


LEAVES = [
    gp.RBF(0.8),
    gp.RBF([0.4, 1.5]),
    gp.Matern(0.6, nu=0.5),
    gp.Matern([0.6, 2.0], nu=1.5),
    gp.Matern([0.6, 2.0], nu=2.5),
    gp.Matern(0.8, nu=0.3),
    gp.Matern([0.8, 1.2], nu=1.8),
    gp.Matern(0.8, nu=3.2),
    gp.RationalQuadratic(0.7, 0.9),
    gp.ExpSineSquared(0.9, 1.1),
    gp.DotProduct(0.5),
    gp.DotProduct(0.5, squared=False),
    gp.ConstantKernel(0.7),
    gp.WhiteKernel(0.4),
    gp.PairwiseKernel(0.6, metric="rbf"),
    gp.PairwiseKernel(0.6, metric="poly"),
]


@pytest.mark.spec("GPR-P5", "GPR-10")
@given(
    st.lists(st.sampled_from(range(len(LEAVES))), min_size=1, max_size=4),
    st.lists(st.sampled_from(["+", "*", "**"]), min_size=3, max_size=3),
)
def test_sums_and_products_are_positive_definite_with_exact_gradients(which, signs):
    kernel = LEAVES[which[0]]
    for k, sign in zip(which[1:], signs):
        kernel = kernel**2 if sign == "**" else kernel + LEAVES[k] if sign == "+" else kernel * LEAVES[k]
    X = np.random.default_rng(0).random((9, 2))
    K, gradient = kernel(X, eval_gradient=True)
    if not any(isinstance(leaf, gp.ExpSineSquared) for leaf in (LEAVES[k] for k in which)):  # not a kernel of the plane
        assert np.linalg.eigvalsh(K)[0] > -1e-9 * np.abs(K).max()
    assert_close(gradient, difference_quotient(kernel, X), rtol=1e-6, atol=1e-6 * np.abs(K).max())
    assert_close(K, K.T, rtol=0, atol=0)
    assert_close(kernel.diag(X), np.diag(K))


@pytest.mark.spec("GPR-T6")
def test_printed_values():
    assert_close(gp.Matern(2.0, nu=0.5)([[0.0]], [[1.0]]), [[0.6065307]], atol=1e-7)
    assert_close(gp.RBF(2.0)([[0.0]], [[1.0]]), [[0.8824969]], atol=1e-7)


@pytest.mark.spec("GPR-P4", "GPR-07")
def test_limits_of_the_families(rng):
    X = rng.random((20, 2))
    distances = np.sqrt(((X[:, None] - X[None]) ** 2).sum(-1))
    assert_close(gp.Matern(0.7, nu=0.5)(X), np.exp(-distances / 0.7))
    assert_close(gp.Matern(0.7, nu=np.inf)(X), gp.RBF(0.7)(X))
    gaps = [np.abs(gp.Matern(0.7, nu=nu)(X) - gp.RBF(0.7)(X)).max() for nu in (3.3, 10.3, 50.3, 300.3)]
    assert np.all(np.diff(gaps) < 0)
    assert gaps[-1] < 2e-3
    gaps = [np.abs(gp.RationalQuadratic(0.7, a)(X) - gp.RBF(0.7)(X)).max() for a in (1.0, 10.0, 100.0, 1e4)]
    assert np.all(np.diff(gaps) < 0)
    assert gaps[-1] < 1e-4
    # Matern 3/2 has one derivative: (1 - k(h)) / h^2 has a limit; with 1/2 it grows like 1 / h.
    h = np.array([[1e-2], [1e-4]])
    smooth = (1 - gp.Matern(1.0, nu=1.5)([[0.0]], h)[0]) / h[:, 0] ** 2
    rough = (1 - gp.Matern(1.0, nu=0.5)([[0.0]], h)[0]) / h[:, 0] ** 2
    assert abs(smooth[0] / smooth[1] - 1) < 0.02
    assert rough[1] > 90 * rough[0]


@pytest.mark.spec("GPR-07")
@pytest.mark.parametrize("nu", [0.1, 0.3, 0.5, 0.9, 1.0, 1.2, 2.0, 2.7, 7.5, 30.25])
def test_bessel_functions_match_scipy(nu):
    for x in (1e-8, 1e-3, 0.1, 1.0, 1.999, 2.0, 2.001, 5.0, 20.0, 300.0):
        order, below, exponent = native.bessel_k_scaled(nu, x)
        if np.isfinite(special.kve(nu, x)):
            order, below = order * np.exp(exponent), below * np.exp(exponent)
            assert_close(order, special.kve(nu, x), rtol=1e-12)
            assert_close(below, special.kve(nu - 1, x), rtol=1e-12)


@pytest.mark.spec("GPR-07")
@pytest.mark.parametrize("nu", [0.7, 1.2, 3.0])
def test_matern_of_any_smoothness(nu, rng):
    X = np.vstack([rng.random((15, 2)), 500 * rng.random((3, 2))])
    assert_close(gp.Matern([0.7, 0.9], nu=nu)(X), sk.Matern([0.7, 0.9], nu=nu)(X), atol=1e-13)


@pytest.mark.spec("GPR-08")
def test_the_constant_of_the_dot_product_is_squared_or_not(rng):
    X = rng.normal(size=(5, 2))
    assert_close(gp.DotProduct(0.5)(X), 0.25 + X @ X.T)
    assert_close(gp.DotProduct(0.5, squared=False)(X), 0.5 + X @ X.T)
    assert_close(gp.DotProduct(0.5, squared=False).diag(X), 0.5 + (X**2).sum(1))


@pytest.mark.spec("GPR-09")
def test_brownian_kernel_is_the_scaled_minimum(rng):
    X = rng.random((60, 1)) * 4
    kernel = gp.Brownian(1.7)
    assert_close(kernel(X), 1.7 * np.minimum(X, X.T))
    assert_close(kernel(X), 1.7 * MinKernel()(X))
    assert_close(kernel.diag(X), 1.7 * X[:, 0])
    assert_close(kernel(X, eval_gradient=True)[1][..., 0], kernel(X))
    assert not kernel.is_stationary()
    with pytest.raises(ValueError, match="times X >= 0, got -1"):
        kernel([[-1.0]])
    with pytest.raises(ValueError, match="single column, got 2"):
        kernel(np.ones((3, 2)))


@pytest.mark.spec("GPR-06")
def test_white_noise_is_on_the_diagonal_of_one_sample_only(rng):
    X = np.zeros((4, 1))
    kernel = gp.WhiteKernel(0.5)
    assert_close(kernel(X), 0.5 * np.eye(4))
    assert_close(kernel(X, X), np.zeros((4, 4)))
    assert_close((kernel + gp.RBF())(X, X), np.ones((4, 4)))


@pytest.mark.spec("GPR-10")
def test_weighted_sums_of_derivatives_equal_the_full_array(rng):
    for n in (1, 47, 48, 100):
        X = rng.random((n, 3))
        M = rng.normal(size=(n, n))
        M, U = M + M.T, rng.normal(size=(n, 2))
        for kernel in [*every_kernel(gp), gp.Matern(0.7, nu=1.2)]:
            formula = compile_kernel(kernel)
            out = np.empty(len(formula.free))
            native.covariance_trace(formula.args, X, 0.7, np.tril(M), U, U, out)
            expected = np.einsum("ij,ijk->k", 0.7 * M + U @ U.T, kernel(X, eval_gradient=True)[1])
            assert_close(out, expected, rtol=1e-9, atol=1e-9 * np.abs(expected).max(initial=1.0))


def test_fixed_parameters_have_no_derivative(rng):
    X = rng.random((6, 2))
    kernel = gp.ConstantKernel(2.0, "fixed") * gp.RBF([1.0, 2.0]) + gp.WhiteKernel(0.1, "fixed")
    assert kernel.n_dims == 2
    assert kernel(X, eval_gradient=True)[1].shape == (6, 6, 2)


def test_kernels_work_in_other_models(rng):
    X, y = rng.random((30, 2)), rng.random(30)
    kernel = gp.RBF(0.7)
    ridge = KernelRidge(0.3, kernel=kernel).fit(X, y)
    assert_close(ridge.predict(X), KernelRidge(0.3, kernel=GaussianKernel(sigma=0.7)).fit(X, y).predict(X))
    theirs = Reference(1.0 * kernel, alpha=0.3).fit(X, y)
    assert isinstance(theirs.kernel_, gp.Product)


def test_kernels_refuse_tables_that_do_not_fit():
    with pytest.raises(ValueError, match="2!=3"):
        gp.RBF([1.0, 2.0])(np.ones((4, 3)))
    with pytest.raises(ValueError, match="same number of columns, got 3 and 2"):
        gp.RBF()(np.ones((4, 3)), np.ones((4, 2)))
    with pytest.raises(ValueError, match="Y is None"):
        gp.RBF()(np.ones((4, 3)), np.ones((4, 3)), eval_gradient=True)
    with pytest.raises(ValueError, match="`nu`=-1 of the Matern kernel must be positive"):
        gp.Matern(nu=-1)(np.ones((4, 3)))
    with pytest.raises(ValueError, match="X contains negative values"):
        gp.PairwiseKernel(metric="chi2")(-np.ones((2, 2)))
    with pytest.raises(ValueError, match="not a valid covariance function"):
        native.covariance_gram(
            (np.array([[99, 0, 0, 0, 0]], np.int32), np.zeros(1), np.zeros(1), np.zeros(1, np.int32), 1),
            np.ones((2, 2)), True, np.empty((2, 2)),
        )  # fmt: skip


def test_blocked_factors_solve_and_invert(rng):
    for n in (1, 5, 127, 128, 129, 300):
        A = rng.normal(size=(n, n))
        A = A @ A.T + n * np.eye(n)
        L = A.copy()
        assert native.cholesky_factor(L) == 0
        assert_close(np.tril(L), np.linalg.cholesky(A))
        inverse = np.empty_like(A)
        native.cholesky_inverse(L, inverse)
        assert_close(np.tril(inverse), np.tril(np.linalg.inv(A)), atol=1e-12)
        B = rng.normal(size=(n, 3))
        X = B.copy()
        native.cholesky_solve_half(L, False, X)
        native.cholesky_solve_half(L, True, X)
        assert_close(X, np.linalg.solve(A, B))
    A[200, 200] = -1.0
    assert native.cholesky_factor(A) == 201


def test_a_subclass_is_compiled_unless_it_replaces_the_values():
    class Same(gp.RBF):
        pass

    class Other(gp.RBF):
        def __call__(self, X, Y=None, eval_gradient=False):
            return 2.0 * super().__call__(X, Y)

    assert compile_kernel(1.0 * Same(1.0)) is not None
    assert compile_kernel(1.0 * Other(1.0)) is None
    assert_close((3.0 * Other(1.0))([[0.0]]), [[6.0]])
