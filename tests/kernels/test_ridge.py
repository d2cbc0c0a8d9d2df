"""Kernel ridge regression."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel
from sklearn.kernel_ridge import KernelRidge as Reference

from statlearn.kernels import GaussianKernel, KernelRidge, LinearKernel, rbf_kernel
from statlearn.linear import Ridge
from tests.helpers import assert_close


def problem(seed, n=40, p=3, targets=None):
    rng = np.random.default_rng(seed)
    X = rng.random((n, p))
    y = np.sin(3 * X[:, 0]) + X[:, 1] + 0.1 * rng.normal(size=n)
    return X, y if targets is None else np.column_stack([y * k + k for k in range(1, targets + 1)])


def objective(K, y, a, b, alpha, s):
    """The docstring's objective for f = K a + b."""
    return np.sum(s * (y - K @ a - b) ** 2) + alpha * a @ K @ a


@pytest.mark.spec("KER-19")
@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly", "laplacian", "sigmoid", "cosine", "chi2"])
def test_it_agrees_with_scikit_learn(kernel, seed):
    X, y = problem(seed)
    options = {"alpha": 0.3, "kernel": kernel, "gamma": 0.7, "degree": 2, "coef0": 0.5}
    weights = np.random.default_rng(seed).random(len(X))
    for w in (None, weights):
        ours, theirs = KernelRidge(**options).fit(X, y, w), Reference(**options).fit(X, y, w)
        assert_close(ours.dual_coef_, theirs.dual_coef_, rtol=1e-7)
        assert_close(ours.predict(X[:5] + 0.1), theirs.predict(X[:5] + 0.1))
    assert ours.intercept_ == 0.0


@pytest.mark.spec("KER-19")
@pytest.mark.parametrize("fit_intercept", [False, True])
def test_the_documented_objective_is_minimised(fit_intercept, seed):
    rng = np.random.default_rng(seed)
    X, y = problem(seed, n=15)
    s = rng.random(15) + 0.1
    K = rbf_kernel(X, gamma=1.0)
    model = KernelRidge(0.2, kernel="rbf", gamma=1.0, fit_intercept=fit_intercept).fit(X, y, s)
    a, b = model.dual_coef_, model.intercept_
    assert_close(model.predict(X), K @ a + b)
    best = objective(K, y, a, b, 0.2, s)
    for _ in range(30):
        step, shift = 1e-3 * rng.normal(size=15), 1e-3 * rng.normal() * fit_intercept
        assert objective(K, y, a + step, b + shift, 0.2, s) > best
    residuals = s * (y - model.predict(X))
    assert_close(a, residuals / 0.2)  # stationarity
    if fit_intercept:
        assert_close(residuals.sum(), 0.0, atol=1e-10)


@pytest.mark.spec("KER-P10", "KER-19")
def test_linear_kernel_is_ridge_regression(seed):
    X, y = problem(seed)
    w = np.random.default_rng(seed).random(len(X)) + 0.1
    for weights in (None, w):
        linear = Ridge(0.5).fit(X, y, weights)
        kernel = KernelRidge(0.5, kernel=LinearKernel(), fit_intercept=True).fit(X, y, weights)
        assert_close(kernel.predict(X + 1), linear.predict(X + 1))
        assert_close(kernel.dual_coef_ @ X, linear.coef_)
        assert_close(kernel.intercept_, linear.intercept_)
    centred = X - X.mean(axis=0)
    assert_close(
        KernelRidge(0.5).fit(centred, y - y.mean()).predict(centred) + y.mean(), Ridge(0.5).fit(X, y).predict(X)
    )


@pytest.mark.spec("KER-P12")
def test_it_is_the_posterior_mean_of_a_gaussian_process(seed):
    X, y = problem(seed)
    new = X[:6] + 0.2
    gp = GaussianProcessRegressor(ConstantKernel(2.0, "fixed") * RBF(0.7, "fixed"), alpha=0.3, optimizer=None).fit(X, y)
    model = KernelRidge(0.3, kernel=2.0 * GaussianKernel(sigma=0.7)).fit(X, y)
    assert_close(model.predict(new), gp.predict(new))


@pytest.mark.spec("KER-19")
def test_several_targets_and_a_penalty_for_each(seed):
    X, Y = problem(seed, targets=3)
    for intercept in (False, True):
        options = {"kernel": "rbf", "gamma": 1.0, "fit_intercept": intercept}
        together = KernelRidge(0.3, **options).fit(X, Y)
        each = KernelRidge([0.1, 0.3, 2.0], **options).fit(X, Y)
        assert together.dual_coef_.shape == (40, 3)
        for t, alpha in enumerate([0.1, 0.3, 2.0]):
            assert_close(together.predict(X)[:, t], KernelRidge(0.3, **options).fit(X, Y[:, t]).predict(X))
            assert_close(each.predict(X)[:, t], KernelRidge(alpha, **options).fit(X, Y[:, t]).predict(X))


def test_sparse_rows_precomputed_matrices_objects_and_functions_agree(seed):
    X, y = problem(seed)
    new = X[:7] * 0.9
    wanted = KernelRidge(0.3, kernel="rbf", gamma=0.8, fit_intercept=True).fit(X, y).predict(new)
    K, T = rbf_kernel(X, gamma=0.8), rbf_kernel(new, X, gamma=0.8)
    assert_close(KernelRidge(0.3, kernel="precomputed", fit_intercept=True).fit(K, y).predict(T), wanted)
    for kernel in (GaussianKernel(gamma=0.8), lambda a, b: np.exp(-0.8 * np.sum((a - b) ** 2))):
        assert_close(KernelRidge(0.3, kernel=kernel, fit_intercept=True).fit(X, y).predict(new), wanted)
    model = KernelRidge(0.3, kernel="rbf", gamma=0.8, fit_intercept=True).fit(sparse.csr_matrix(X), y)
    assert_close(model.predict(sparse.csc_matrix(new)), wanted)
    with_params = KernelRidge(
        0.3, kernel=lambda a, b, g: np.exp(-g * np.sum((a - b) ** 2)), kernel_params={"g": 0.8}, fit_intercept=True
    )
    assert_close(with_params.fit(X, y).predict(new), wanted)
    ours = KernelRidge(0.3, kernel=rbf_kernel, kernel_params={"gamma": 0.8}, fit_intercept=True)
    assert_close(ours.fit(X, y).predict(new), wanted)


def test_weights_are_copies_and_zero_is_absence(seed):
    X, y = problem(seed)
    w = np.random.default_rng(seed).integers(0, 4, size=len(X)).astype(float)
    rows = np.repeat(np.arange(len(X)), w.astype(int))
    for intercept in (False, True):
        options = {"alpha": 0.3, "kernel": "rbf", "gamma": 1.0, "fit_intercept": intercept}
        weighted = KernelRidge(**options).fit(X, y, w)
        assert_close(weighted.predict(X), KernelRidge(**options).fit(X[rows], y[rows]).predict(X))
        np.testing.assert_array_equal(weighted.dual_coef_[w == 0], 0.0)
        options["kernel"] = "precomputed"
        K = rbf_kernel(X, gamma=1.0)
        assert_close(KernelRidge(**options).fit(K, y, w).predict(K), weighted.predict(X))


def test_without_a_penalty_repeated_rows_have_the_solution_of_smallest_norm(seed):
    X, y = problem(seed, n=8)
    X[4:], y[4:] = X[:4], y[:4]
    with pytest.warns(UserWarning, match="Singular matrix in solving dual problem"):
        model = KernelRidge(0.0, kernel="rbf", gamma=1.0).fit(X, y)
    assert_close(model.predict(X), y, atol=1e-6)
    assert_close(model.dual_coef_[:4], model.dual_coef_[4:], rtol=1e-4)


def test_an_indefinite_kernel_is_reported(seed):
    K = np.array([[0.0, 1.0], [1.0, 0.0]])
    with pytest.warns(UserWarning, match="negative eigenvalues"):
        model = KernelRidge(0.1, kernel="precomputed").fit(K, [1.0, 2.0])
    assert_close(model.dual_coef_, np.linalg.solve(K + 0.1 * np.eye(2), [1.0, 2.0]))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"alpha": -1.0}, "'alpha' parameter of KernelRidge"),
        ({"alpha": [0.1, 0.2]}, "`alpha` must be one number or one per target"),
        ({"alpha": [-0.1]}, "`alpha` must contain finite non-negative numbers"),
        ({"kernel": "nothing"}, "'kernel' parameter of KernelRidge"),
        ({"kernel": "precomputed"}, "X must be a square kernel matrix"),
        ({"kernel": "chi2"}, "X contains negative values"),
        ({"kernel": lambda a, b: np.nan}, "must return finite numbers"),
        ({"gamma": -1.0}, "'gamma' parameter of KernelRidge"),
    ],
)
def test_bad_settings_raise(options, message):
    X = np.array([[1.0, -2.0], [3.0, 4.0], [0.0, 1.0]])
    with pytest.raises(ValueError, match=message):
        KernelRidge(**options).fit(X, [1.0, 2.0, 3.0])


@pytest.mark.parametrize("model", [KernelRidge(kernel="rbf"), KernelRidge(kernel=GaussianKernel())])
def test_parameters_changed_after_fit_leave_predictions_unchanged(model, seed):
    X, y = problem(seed)
    before = model.fit(X, y).predict(X)
    if isinstance(model.kernel, str):
        model.set_params(kernel="linear", gamma=7.0)
    else:
        model.set_params(kernel__gamma=7.0)
    np.testing.assert_array_equal(model.predict(X), before)
