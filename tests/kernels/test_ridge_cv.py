"""Choice of the penalty of kernel ridge regression."""

import numpy as np
import pytest

from statlearn.kernels import GaussianKernel, KernelRidge, KernelRidgeCV, rbf_kernel
from statlearn.linear import RidgeCV
from tests.helpers import assert_close

ALPHAS = np.geomspace(10, 1e-4, 7)


def problem(seed, n=35, targets=None):
    rng = np.random.default_rng(seed)
    X = rng.random((n, 2))
    Y = np.column_stack([np.sin(5 * X[:, 0]), X[:, 1] ** 2, rng.normal(size=n)]) + 0.1 * rng.normal(size=(n, 3))
    return X, Y[:, 0] if targets is None else Y[:, :targets]


@pytest.mark.spec("KER-20", "KER-P10")
@pytest.mark.parametrize("fit_intercept", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_leave_one_out_errors_match_refits(fit_intercept, weighted, seed):
    X, y = problem(seed)
    w = np.random.default_rng(seed).random(len(X)) + 0.2 if weighted else np.ones(len(X))
    model = KernelRidgeCV(ALPHAS, gamma=2.0, fit_intercept=fit_intercept, store_cv_results=True)
    model.fit(X, y, w if weighted else None)
    for k, alpha in enumerate(ALPHAS):
        single = KernelRidge(alpha, kernel="rbf", gamma=2.0, fit_intercept=fit_intercept)
        for i in (0, 7, 34):
            keep = np.arange(len(X)) != i
            prediction = single.fit(X[keep], y[keep], w[keep]).predict(X[[i]])[0]
            assert_close(model.cv_results_[i, k], w[i] * (y[i] - prediction) ** 2, rtol=1e-5, atol=1e-10)
    assert model.alpha_ == ALPHAS[model.cv_results_.mean(axis=0).argmin()]
    assert_close(-model.best_score_, model.cv_results_.mean(axis=0).min())
    best = KernelRidge(model.alpha_, kernel="rbf", gamma=2.0, fit_intercept=fit_intercept)
    assert_close(model.predict(X), best.fit(X, y, w).predict(X), rtol=1e-6)


@pytest.mark.spec("KER-20")
@pytest.mark.parametrize("fit_intercept", [False, True])
def test_gcv_and_degrees_of_freedom_come_from_the_smoother(fit_intercept, seed):
    X, y = problem(seed)
    n = len(X)
    model = KernelRidgeCV(ALPHAS, gamma=2.0, fit_intercept=fit_intercept, criterion="gcv").fit(X, y)
    gcv, df = [], []
    for alpha in ALPHAS:  # the columns of S are the fits to unit vectors
        single = KernelRidge(alpha, kernel="rbf", gamma=2.0, fit_intercept=fit_intercept)
        S = single.fit(X, np.eye(n)).predict(X)
        df.append(np.trace(S))
        gcv.append(np.mean((y - S @ y) ** 2) / (1 - df[-1] / n) ** 2)
    assert_close(model.cv_curve_.mean, gcv, rtol=1e-6)
    assert model.alpha_ == ALPHAS[np.argmin(gcv)]
    assert_close(model.df_, df[int(np.argmin(gcv))], rtol=1e-6)
    d = model.eigenvalues_
    assert_close(model.df_, np.sum(d / (d + model.alpha_)) + fit_intercept)


@pytest.mark.spec("KER-20", "KER-P10")
@pytest.mark.parametrize("criterion", ["loo", "gcv"])
@pytest.mark.parametrize("weighted", [False, True])
def test_linear_kernel_gives_ridge_regression_with_cross_validation(criterion, weighted, seed):
    X, y = problem(seed)
    w = np.random.default_rng(seed).random(len(X)) + 0.2 if weighted else None
    kernel = KernelRidgeCV(ALPHAS, kernel="linear", criterion=criterion).fit(X, y, w)
    linear = RidgeCV(ALPHAS, criterion=criterion).fit(X, y, w)
    assert kernel.alpha_ == linear.alpha_
    assert_close(kernel.cv_curve_.mean, linear.cv_curve_.mean)
    assert_close(kernel.cv_curve_.std_error, linear.cv_curve_.std_error)
    assert_close(kernel.df_, linear.df_ + 1)
    assert_close(kernel.predict(X), linear.predict(X))


def test_gcv_counts_copies_as_rows(seed):
    X, y = problem(seed)
    w = np.random.default_rng(seed).integers(0, 4, size=len(X)).astype(float)
    rows = np.repeat(np.arange(len(X)), w.astype(int))
    a = KernelRidgeCV(20, gamma=2.0, criterion="gcv").fit(X, y, w)
    b = KernelRidgeCV(20, gamma=2.0, criterion="gcv").fit(X[rows], y[rows])
    assert_close(a.alphas_, b.alphas_)
    assert_close(a.cv_curve_.mean, b.cv_curve_.mean, rtol=1e-6)
    assert_close(a.predict(X), b.predict(X), rtol=1e-5)


def test_rows_of_weight_zero_are_absent(seed):
    X, y = problem(seed)
    w = np.ones(len(X))
    w[:5] = 0.0
    y = y.copy()
    y[:5] = 1e6
    a = KernelRidgeCV(ALPHAS, gamma=2.0, store_cv_results=True).fit(X, y, w)
    b = KernelRidgeCV(ALPHAS, gamma=2.0, store_cv_results=True).fit(X[5:], y[5:])
    assert_close(a.cv_results_[5:], b.cv_results_)
    assert np.all(np.isnan(a.cv_results_[:5]))
    assert_close(a.predict(X), b.predict(X))


def test_near_interpolation_no_digits_are_lost(seed):
    # With a tiny penalty 1 - S_ii is tiny as well; both are sums of positive terms.
    X, y = problem(seed, n=12)
    K = rbf_kernel(X, gamma=50.0)
    model = KernelRidgeCV([1e-9], kernel="precomputed", fit_intercept=False, store_cv_results=True).fit(K, y)
    inverse = np.linalg.inv(K + 1e-9 * np.eye(12))
    assert_close(model.cv_results_[:, 0], (inverse @ y / np.diag(inverse)) ** 2, rtol=1e-6)


def test_several_gammas_are_tried(seed):
    X, y = problem(seed)
    gammas = [0.01, 2.0, 300.0]
    model = KernelRidgeCV(ALPHAS, gamma=gammas).fit(X, y)
    singles = [KernelRidgeCV(ALPHAS, gamma=g).fit(X, y) for g in gammas]
    best = int(np.argmax([m.best_score_ for m in singles]))
    assert model.gamma_ == gammas[best]
    assert model.alpha_ == singles[best].alpha_
    np.testing.assert_array_equal(model.predict(X), singles[best].predict(X))
    searched = KernelRidgeCV(ALPHAS, gamma="search").fit(X, y)
    assert searched.gamma_ in (1 / 32, 1 / 8, 0.5, 2.0)
    with pytest.raises(ValueError, match="has no parameter `gamma`"):
        KernelRidgeCV(kernel="linear", gamma=gammas).fit(X, y)
    with pytest.raises(ValueError, match="`gamma` must contain finite non-negative"):
        KernelRidgeCV(gamma=[-1.0]).fit(X, y)


def test_targets_share_a_penalty_or_have_separate_ones(seed):
    X, Y = problem(seed, targets=3)
    own = KernelRidgeCV(ALPHAS, gamma=2.0, alpha_per_target=True, store_cv_results=True).fit(X, Y)
    singles = [KernelRidgeCV(ALPHAS, gamma=2.0).fit(X, y) for y in Y.T]
    assert_close(own.alpha_, [m.alpha_ for m in singles])
    assert_close(own.predict(X), np.column_stack([m.predict(X) for m in singles]), rtol=1e-6)
    assert len(own.cv_curve_) == 3
    assert own.cv_results_.shape == (35, 3, 7)
    shared = KernelRidgeCV(ALPHAS, gamma=2.0).fit(X, Y)
    mean = np.mean([m.cv_curve_.mean for m in singles], axis=0)
    assert_close(shared.cv_curve_.mean, mean)
    assert shared.alpha_ == ALPHAS[np.argmin(mean)]


def test_one_standard_error_rule_prefers_a_larger_penalty(seed):
    X, y = problem(seed)
    least, simple = KernelRidgeCV(30, gamma=2.0).fit(X, y), KernelRidgeCV(30, gamma=2.0, rule="one_se").fit(X, y)
    curve = least.cv_curve_
    assert simple.alpha_ == curve.parameter[curve.one_se] >= least.alpha_


def test_the_default_grid_starts_at_the_largest_eigenvalue(seed):
    X, y = problem(seed)
    model = KernelRidgeCV(kernel=GaussianKernel(gamma=2.0)).fit(X, y)
    assert_close(model.alphas_[0], model.eigenvalues_.max())
    assert_close(model.alphas_[-1], 1e-8 * model.alphas_[0])
    assert len(model.alphas_) == 50
    assert model.gamma_ is None


def test_bad_settings_raise(seed):
    X, y = problem(seed)
    for options, message in [
        ({"alphas": [0.0, 1.0]}, "`alphas` must contain finite positive"),
        ({"alphas": []}, "`alphas` must contain"),
        ({"alphas": ["a"]}, "`alphas` must contain"),
        ({"alphas": 0}, "'alphas' parameter"),
        ({"criterion": "gcv", "rule": "one_se"}, "criterion='gcv' has no errors of single rows"),
        ({"criterion": "aic"}, "'criterion' parameter"),
    ]:
        with pytest.raises(ValueError, match=message):
            KernelRidgeCV(**options).fit(X, y)
    with pytest.warns(UserWarning, match="negative eigenvalues"):
        KernelRidgeCV(kernel="sigmoid", gamma=3.0, coef0=-1.0).fit(X - 0.5, y)
