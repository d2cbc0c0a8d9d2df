"""Lasso and elastic net: acceptance values, certificates, agreement with scikit-learn and glmnet, the kernel's ways."""

import warnings

import numpy as np
import pytest
import sklearn.linear_model as sk
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize, sparse
from sklearn.base import clone
from sklearn.datasets import load_diabetes, make_regression
from sklearn.exceptions import ConvergenceWarning

import statlearn
from statlearn._math.rows.rows import Rows
from statlearn.linear import ElasticNet, Lasso, LassoLars, Ridge, convert_penalty, enet_path, lasso_path
from statlearn.linear.lasso import _lasso
from statlearn.linear.lasso._solver import Solver
from statlearn.neural import plot_history
from tests.helpers import assert_close

CARCASS_X = np.column_stack([[17, 17, 14, 17, 14, 20], [51, 49, 38, 58, 51, 40]]).astype(float)
CARCASS_Y = np.array([56.5, 57.6, 55.9, 61.8, 63.0, 54.6])


def problem(rng, n=40, p=15, k=5, shift=2.0):
    X = np.asfortranarray(rng.normal(size=(n, p)) + shift)
    w = np.zeros(p)
    w[:k] = 2 * rng.normal(size=min(k, p))
    return X, X @ w + rng.normal(size=n) + 5.0


def gap_of(X, y, w, l1, l2=0.0, factor=1.0):
    """Duality gap of |y - Xw|^2 / 2 + sum factor (l1 |w| + l2 / 2 w^2), written out."""
    r = y - X @ w
    primal = r @ r / 2 + np.sum(factor * (l1 * np.abs(w) + l2 / 2 * w**2))
    ratio = np.max(np.abs(X.T @ r - l2 * factor * w) / (l1 * factor))
    s = min(1.0, 1.0 / ratio)
    dual = -0.5 * s**2 * (r @ r + np.sum(l2 * factor * w**2)) + s * (r @ y)
    return primal - dual


def check_kkt(X, y, model, l1, l2, atol, factor=1.0, weights=None):
    """Subgradient conditions of the mean objective at the fitted point."""
    s = np.ones(len(y)) if weights is None else weights
    r = (s / s.sum()) * (y - model.predict(X))
    c = np.asarray(X.T @ r) - l2 * factor * model.coef_
    on = model.coef_ != 0
    factor = np.broadcast_to(factor, c.shape)
    assert_close(c[on], l1 * factor[on] * np.sign(model.coef_[on]), atol=atol)
    assert np.all(np.abs(c[~on]) <= l1 * factor[~on] + atol)


@pytest.mark.spec("LIN-16", "LIN-T7")
def test_acceptance_values_of_the_catalog():
    expected = {5: (-0.4740324, 0.3177639), 10: (-0.2800509, 0.3024861), 20: (0.0, 0.2705952)}
    for penalty, coef in expected.items():
        for alpha, scale in ((penalty, "half_rss"), (2 * penalty, "rss"), (penalty / 6, "sklearn")):
            model = Lasso(alpha, penalty_scale=scale, tol=1e-12).fit(CARCASS_X, CARCASS_Y)
            assert_close(model.coef_, coef, atol=1e-6)
            assert_close(model.intercept_, CARCASS_Y.mean() - CARCASS_X.mean(axis=0) @ model.coef_, rtol=1e-12)
    assert np.all(Lasso(96.5333334, penalty_scale="half_rss").fit(CARCASS_X, CARCASS_Y).coef_ == 0)
    below = Lasso(96.53, penalty_scale="half_rss", tol=1e-14).fit(CARCASS_X, CARCASS_Y)
    assert below.coef_[1] > 0
    assert below.coef_[0] == 0
    for penalty, enters in ((17.2184965, False), (17.2184963, True)):
        model = Lasso(penalty, penalty_scale="half_rss", tol=1e-15).fit(CARCASS_X, CARCASS_Y)
        assert (model.coef_[0] != 0) == enters


@pytest.mark.spec("LIN-16", "LIN-18")
def test_numbers_of_glmnet():
    """R 4.2.2, glmnet 4.1-6, raw diabetes data: glmnet(X, y, lambda =, alpha =, standardize =, thresh = 1e-20)."""
    X, y = load_diabetes(return_X_y=True, scaled=False)
    lasso = {
        5.0: (-110.39701261866, -0.01177327039, 0.0, 6.18664857082, 1.00447472646, 1.24079458953, -1.34553131351,
              -2.07293900252, 0.0, 0.0, 0.31453610354),
        1.0: (-202.26324788879, -0.01902352751, -17.47691558088, 5.84246046403, 1.09153759497, 0.15653119270,
              -0.31555898915, -1.18822839139, 0.16105688845, 34.21496394879, 0.32973363827),
        0.2: (-303.17748986044, -0.03228545518, -21.77140721673, 5.65414496368, 1.11113056177, -0.79209621613,
              0.49044218143, 0.0, 5.07385004464, 60.45349155802, 0.29045446021),
    }  # fmt: skip
    for alpha, values in lasso.items():
        model = Lasso(alpha, tol=1e-12).fit(X, y)
        assert_close(np.append(model.intercept_, model.coef_), values, rtol=1e-6, atol=1e-7)
    mixed = (-320.90413774567, -0.03424938768, -22.51723167166, 5.62659896425, 1.11600761217, -0.96082575135,
             0.63238636497, 0.21704910596, 6.06225132054, 64.84387158549, 0.28500295384)  # fmt: skip
    # Its L2 term is that of y divided by its (1/n) standard deviation.
    l1, l2 = 0.05, 0.05 / y.std()
    model = ElasticNet(l1 + l2, l1_ratio=l1 / (l1 + l2), tol=1e-12).fit(X, y)
    assert_close(np.append(model.intercept_, model.coef_), mixed, rtol=1e-6)
    # glmnet standardises by the 1/n standard deviation and reports the original scale.
    scale = X.std(axis=0)
    model = Lasso(5.0, tol=1e-12).fit(X / scale, y)
    standard = (0.0, -4.3194902398, 5.4871927160, 0.7478122217, 0.0, 0.0, -0.5439189618, 0.0, 40.6847141617, 0.0)
    assert_close(model.coef_ / scale, standard, rtol=1e-6, atol=1e-9)


@pytest.mark.spec("LIN-16", "LIN-18")
@pytest.mark.parametrize("shape", [(60, 20), (40, 40), (30, 120), (25, 300)])
@pytest.mark.parametrize("positive", [False, True])
@pytest.mark.parametrize("intercept", [True, False])
def test_agrees_with_scikit_learn(rng, shape, positive, intercept):
    X, y = problem(rng, *shape)
    top = np.abs((X - X.mean(0)).T @ (y - y.mean())).max() / len(y)
    for ratio in (1.0, 0.7):
        common = dict(alpha=0.05 * top, l1_ratio=ratio, positive=positive, fit_intercept=intercept)
        ours = ElasticNet(**common, tol=1e-12).fit(X, y)
        theirs = sk.ElasticNet(**common, tol=1e-13, max_iter=200_000).fit(X, y)
        assert_close(ours.coef_, theirs.coef_, atol=2e-6 * np.abs(theirs.coef_).max())
        assert_close(ours.intercept_, theirs.intercept_, rtol=1e-5)
        for other in (sparse.csc_array(X), sparse.csr_array(X)):
            assert_close(ElasticNet(**common, tol=1e-12).fit(other, y).coef_, ours.coef_, atol=1e-7)
        assert_close(ElasticNet(**common, tol=1e-12, precompute=True).fit(X, y).coef_, ours.coef_, atol=1e-7)


@pytest.mark.spec("LIN-P12")
@given(seed=st.integers(0, 2**32 - 1), n=st.integers(3, 40), p=st.integers(1, 60), strength=st.floats(0.01, 1.2))
def test_subgradient_conditions_hold(seed, n, p, strength):
    rng = np.random.default_rng(seed)
    X, y = problem(rng, n, p, k=min(3, p))
    top = np.abs((X - X.mean(0)).T @ (y - y.mean())).max() / n
    alpha = strength * top
    model = Lasso(alpha, tol=1e-14).fit(X, y)
    check_kkt(X, y, model, alpha, 0.0, atol=1e-7 * top)
    if strength > 1.0:
        assert np.all(model.coef_ == 0)
        assert np.all(Lasso(n * alpha, penalty_scale="half_rss").fit(X, y).coef_ == 0)
        assert np.all(Lasso(2 * n * alpha, penalty_scale="rss").fit(X, y).coef_ == 0)
    net = ElasticNet(alpha, l1_ratio=0.5, tol=1e-14).fit(X, y)
    check_kkt(X, y, net, alpha / 2, alpha / 2, atol=1e-7 * top)


@pytest.mark.spec("LIN-P12")
@pytest.mark.parametrize("selection", ["cyclic", "random"])
def test_objective_never_rises_over_iterations(rng, selection):
    X, y = problem(rng, 30, 60)
    alpha = 0.02

    def objective(m):
        return np.mean((y - m.predict(X)) ** 2) / 2 + alpha * np.abs(m.coef_).sum()

    values = []
    model = Lasso(alpha, max_iter=1, warm_start=True, tol=0.0, selection=selection, random_state=0)
    model.coef_, model.intercept_ = np.zeros(60), y.mean()
    for _ in range(40):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model.fit(X, y)
        values.append(objective(model))
    assert np.all(np.diff(values) <= 1e-12 * values[0])
    assert values[-1] < values[0]


@pytest.mark.spec("LIN-P13")
@given(seed=st.integers(0, 2**32 - 1), strength=st.floats(0.02, 0.9))
def test_limits_and_scales(seed, strength):
    rng = np.random.default_rng(seed)
    X, y = problem(rng, 30, 8)
    n = len(y)
    alpha = strength * np.abs((X - X.mean(0)).T @ (y - y.mean())).max() / n
    lasso = Lasso(alpha, tol=1e-14).fit(X, y)
    assert_close(ElasticNet(alpha, l1_ratio=1.0, tol=1e-14).fit(X, y).coef_, lasso.coef_, atol=1e-12)
    assert_close(LassoLars(alpha).fit(X, y).coef_, lasso.coef_, atol=1e-6)
    ridge = Ridge(n * alpha).fit(X, y)
    assert_close(ElasticNet(alpha, l1_ratio=0.0, tol=1e-16).fit(X, y).coef_, ridge.coef_, atol=1e-7)
    for scale in ("half_rss", "rss"):
        other = convert_penalty(alpha, "sklearn", scale, penalty="l1", n_samples=n)
        assert_close(Lasso(other, penalty_scale=scale, tol=1e-14).fit(X, y).coef_, lasso.coef_, atol=1e-9)


@pytest.mark.spec("LIN-P15")
def test_exact_zeros_lasso_net_ridge(rng):
    X, y = problem(rng, 60, 40)
    alpha = 0.2
    zeros = [int(np.sum(ElasticNet(alpha, l1_ratio=r, tol=1e-12).fit(X, y).coef_ == 0)) for r in (1.0, 0.5, 0.0)]
    assert zeros[0] >= zeros[1] >= zeros[2] == 0
    assert zeros[0] > 0


@pytest.mark.spec("LIN-P30")
@pytest.mark.parametrize("make", [np.asfortranarray, sparse.csc_array])
@pytest.mark.parametrize("precompute", [False, True])
def test_weights_are_copies(rng, make, precompute):
    X, y = problem(rng, 30, 10)
    weights = rng.integers(0, 4, size=30).astype(float)
    copies = np.repeat(np.arange(30), weights.astype(int))
    for scale, alpha in (("sklearn", 0.1), ("half_rss", 5.0)):
        settings = dict(alpha=alpha, penalty_scale=scale, tol=1e-13, precompute=precompute)
        weighted = ElasticNet(**settings).fit(make(X), y, sample_weight=weights)
        copied = ElasticNet(**settings).fit(make(X[copies]), y[copies])
        assert_close(weighted.coef_, copied.coef_, atol=1e-9)
        assert_close(weighted.intercept_, copied.intercept_, rtol=1e-9)
    # A row of weight 0 may hold anything.
    X[weights == 0] *= 1e6
    assert_close(ElasticNet(**settings).fit(make(X), y, sample_weight=weights).coef_, weighted.coef_, atol=1e-8)


def test_a_scalar_weight_applies_to_every_row(rng):
    X, y = problem(rng, 30, 10)
    for scale, alpha in (("sklearn", 0.1), ("rss", 5.0)):
        model = Lasso(alpha, penalty_scale=scale, tol=1e-13)
        scalar = model.fit(X, y, sample_weight=2.0).coef_
        assert_close(scalar, model.fit(np.tile(X, (2, 1)), np.tile(y, 2)).coef_, atol=1e-9)
    assert np.abs(scalar - model.fit(X, y).coef_).max() > 1e-3  # a sum of squares counts both copies


def test_minimum_of_a_general_optimiser(rng):
    """The objective, literally, with weights, factors and a free feature, under L-BFGS-B on split coefficients."""
    X, y = problem(rng, 40, 6)
    weights, factor = rng.uniform(0.2, 2.0, 40), np.array([1.0, 0.0, 2.0, 0.5, 1.0, 3.0])
    alpha, ratio = 0.3, 0.6

    def objective(z):
        w, b = z[:6] - z[6:12], z[12]
        r = y - b - X @ w
        value = weights @ r**2 / (2 * weights.sum())
        value += alpha * np.sum(factor * (ratio * (z[:6] + z[6:12]) + (1 - ratio) / 2 * w**2))
        g = -X.T @ (weights * r) / weights.sum() + alpha * (1 - ratio) * factor * w
        l1 = alpha * ratio * factor
        return value, np.concatenate([g + l1, -g + l1, [-(weights @ r) / weights.sum()]])

    bounds = [(0, None)] * 12 + [(None, None)]
    best = optimize.minimize(objective, np.zeros(13), jac=True, bounds=bounds, method="L-BFGS-B",
                             options=dict(ftol=1e-15, gtol=1e-10, maxiter=20_000))  # fmt: skip
    model = ElasticNet(alpha, l1_ratio=ratio, penalty_factor=factor, tol=1e-14).fit(X, y, sample_weight=weights)
    assert_close(model.coef_, best.x[:6] - best.x[6:12], atol=2e-5)
    check_kkt(X, y, model, alpha * ratio, alpha * (1 - ratio), 1e-8, factor=factor, weights=weights)
    assert model.dual_gap_ <= 1e-10


@pytest.mark.spec("LIN-17")
@pytest.mark.parametrize("shape", [(200, 12), (40, 150), (60, 600)])
@pytest.mark.parametrize("ratio", [1.0, 0.5])
def test_path_is_certified(rng, shape, ratio):
    X, y = problem(rng, *shape, shift=0.0)
    y = y - y.mean()
    n = len(y)
    for data in (X, sparse.csc_array(X)):
        alphas, coefs, gaps, n_iters = enet_path(data, y, l1_ratio=ratio, alphas=40, return_n_iter=True)
        assert coefs.shape == (shape[1], 40)
        assert len(n_iters) == 40
        assert np.all(np.diff(alphas) < 0)
        assert_close(alphas[-1] / alphas[0], 1e-3, rtol=1e-12)
        assert np.all(coefs[:, 0] == 0)
        for alpha, w, gap in zip(alphas, coefs.T, gaps):
            true = gap_of(X, y, w, n * alpha * ratio, n * alpha * (1 - ratio)) / n
            assert_close(gap, true, atol=1e-12 * (y @ y))
            assert true <= 1e-4 * (y @ y) / (2 * n) * (1 + 1e-9)


@pytest.mark.spec("LIN-17")
def test_path_equals_single_fits(rng):
    X, y = problem(rng, 50, 120)
    X, y = X - X.mean(axis=0), y - y.mean()
    alphas, coefs, _ = lasso_path(X, y, alphas=15, tol=1e-13)
    for alpha, w in zip(alphas, coefs.T):
        assert_close(Lasso(alpha, fit_intercept=False, tol=1e-13).fit(X, y).coef_, w, atol=1e-7)
    assert_close(lasso_path(X, y, alphas=alphas[::-1], tol=1e-13)[1], coefs, atol=1e-12)
    gram = lasso_path(X, y, alphas=alphas, tol=1e-13, precompute=X.T @ X, Xy=X.T @ y)[1]
    assert_close(gram, coefs, atol=1e-7)


@pytest.mark.parametrize("alphas", [3, [1.0, 0.5]])
@pytest.mark.parametrize("weights", [None, np.r_[np.ones(39), 0.0]])
@pytest.mark.parametrize("shape", [(40, 5), (40, 60)])
@pytest.mark.parametrize("precompute", ["auto", True, False])
@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_path_refuses_what_is_not_finite(rng, shape, precompute, alphas, weights, bad):
    X, y = problem(rng, *shape)
    X[-1, -1] = bad
    with pytest.raises(ValueError, match=r"contains (NaN|infinity)"):
        lasso_path(X, y, alphas=alphas, precompute=precompute, sample_weight=weights)


@pytest.mark.spec("LIN-P12")
def test_path_beside_a_saturated_model(rng):
    """More columns than rows, down to where nearly every row is fitted: factor updates and many sign changes."""
    X, y = problem(rng, 60, 400, k=30, shift=0.0)
    _alphas, coefs, gaps = lasso_path(X, y - y.mean(), alphas=60, eps=1e-4, tol=1e-8)
    assert np.max(gaps) <= 1e-8 * np.var(y) / 2 * (1 + 1e-9)
    assert np.sum(coefs[:, -1] != 0) > 45


def test_collinear_and_constant_columns(rng):
    X, y = problem(rng, 30, 5)
    X = np.asfortranarray(np.column_stack([X, X, np.full(30, 7.0), np.zeros(30)]))
    model = Lasso(0.05, tol=1e-12).fit(X, y)
    check_kkt(X, y, model, 0.05, 0.0, 1e-7)
    assert np.all(model.coef_[10:] == 0)
    single = Lasso(0.05, tol=1e-12).fit(X[:, :5], y)
    assert_close(model.predict(X), single.predict(X[:, :5]), atol=1e-6)


def test_large_means_do_not_hurt(rng):
    X, y = problem(rng, 80, 12, shift=0.0)
    moved = Lasso(0.1, tol=1e-12).fit(X + 1e6, y)
    assert_close(moved.coef_, Lasso(0.1, tol=1e-12).fit(X, y).coef_, atol=1e-6)


def test_penalised_intercept(rng):
    X, y = problem(rng, 30, 4)
    for data in (X, sparse.csc_array(X)):
        model = Lasso(0.5, penalize_intercept=True, tol=1e-12).fit(data, y)
        columns = np.column_stack([X, np.ones(30)])
        plain = Lasso(0.5, fit_intercept=False, tol=1e-12).fit(columns, y)
        assert_close(np.append(model.coef_, model.intercept_), plain.coef_, atol=1e-8)


def test_free_features_are_not_shrunk(rng):
    X, y = problem(rng, 60, 8)
    model = Lasso(1e3, penalty_factor=[0, 0, 1, 1, 1, 1, 1, 1], tol=1e-13).fit(X, y)
    free = sk.LinearRegression().fit(X[:, :2], y)
    assert_close(model.coef_[:2], free.coef_, atol=1e-7)
    assert np.all(model.coef_[2:] == 0)
    _alphas, coefs, _ = lasso_path(X, y, alphas=5, penalty_factor=[0, 0, 1, 1, 1, 1, 1, 1], tol=1e-12)
    assert np.all(coefs[2:, 0] == 0)
    assert np.any(coefs[2:, 1] != 0)


@pytest.mark.parametrize("selection", ["cyclic", "random"])
def test_selection_and_threads_agree(rng, selection):
    X, y = problem(rng, 60, 90)
    settings = dict(alpha=0.05, selection=selection, random_state=3, tol=1e-12, max_iter=100_000)
    fits = []
    for threads in (1, 2):
        with statlearn.threads(threads):
            fits.append(Lasso(**settings).fit(X, y))
    assert np.array_equal(fits[0].coef_, fits[1].coef_)
    assert_close(fits[0].coef_, Lasso(0.05, tol=1e-12).fit(X, y).coef_, atol=1e-6)


def test_several_targets_and_warm_start(rng):
    X, y = problem(rng, 40, 12)
    Y = np.column_stack([y, -2 * y + rng.normal(size=40), rng.normal(size=40)])
    model = ElasticNet(0.1).fit(X, Y)
    assert model.coef_.shape == (3, 12)
    assert model.intercept_.shape == (3,)
    assert len(model.n_iter_) == 3
    for k in range(3):
        one = ElasticNet(0.1).fit(X, Y[:, k])
        assert_close(model.coef_[k], one.coef_, atol=1e-12)
        assert_close(model.dual_gap_[k], one.dual_gap_, atol=1e-12)
    assert model.predict(X).shape == (40, 3)
    model.set_params(warm_start=True).fit(X, Y)
    assert model.n_iter_ == [0, 0, 0]
    assert Lasso(0.1).fit(X, y[:, None]).coef_.shape == (12,)


def test_reduced_precision(rng):
    X, y = problem(rng, 60, 200)
    single = Lasso(0.1, tol=1e-8).fit(X.astype(np.float32), y.astype(np.float32))
    assert single.coef_.dtype == np.float32
    assert_close(single.coef_, Lasso(0.1, tol=1e-8).fit(X, y).coef_, atol=1e-4)


def test_wide_ridge_like_net_updates_the_residual(rng):
    """Thousands of active columns and few rows: residual updates instead of cross-products."""
    X, y = problem(rng, 50, 5000, k=20, shift=0.0)
    settings = dict(alpha=30.0, l1_ratio=0.0001, tol=1e-8)
    model = ElasticNet(**settings).fit(X, y)
    assert np.sum(model.coef_ != 0) > 4096
    check_kkt(X, y, model, 30.0 * 0.0001, 30.0 * 0.9999, 1e-3)
    assert model.dual_gap_ <= 1e-8 * np.var(y) / 2
    assert_close(ElasticNet(**settings).fit(sparse.csc_array(X), y).coef_, model.coef_, atol=1e-5)


def test_stopping_early_says_so(rng):
    X, y = problem(rng, 40, 80)
    with pytest.warns(ConvergenceWarning, match="Objective did not converge"):
        model = Lasso(1e-3, max_iter=1, selection="random", random_state=0).fit(X, y)
    assert model.n_iter_ == 1
    with pytest.warns(UserWarning, match="With alpha=0"):
        Lasso(0).fit(*problem(rng, 20, 3))


def test_bad_arguments(rng):
    X, y = problem(rng, 20, 4)
    with pytest.raises(ValueError, match="penalty_factor must have shape"):
        Lasso(penalty_factor=[1, 2]).fit(X, y)
    with pytest.raises(ValueError, match="penalty_factor must be non-negative"):
        Lasso(penalty_factor=[1, 2, -1, 0]).fit(X, y)
    with pytest.raises(ValueError, match=r"alphas\[1\] == -1"):
        lasso_path(X, y, alphas=[1.0, -1.0])
    with pytest.raises(ValueError, match="empty"):
        lasso_path(X, y, alphas=[])
    with pytest.raises(ValueError, match="l1_ratio=0"):
        enet_path(X, y, l1_ratio=0.0)
    with pytest.raises(ValueError, match="Unexpected parameters"):
        lasso_path(X, y, normalize=True)
    with pytest.raises(ValueError, match="one column"):
        lasso_path(X, np.column_stack([y, y]))
    with pytest.raises(ValueError, match="did not pass validation"):
        Lasso(precompute=np.eye(4)).fit(X - X.mean(axis=0), y)
    with pytest.warns(UserWarning, match="recomputing Gram matrix"):
        Lasso(precompute=X.T @ X).fit(X, y)
    with pytest.raises(ValueError, match="standard errors"):
        Lasso().fit(X, y).summary()
    with pytest.raises(ValueError, match="column-major"):
        Lasso().fit(np.ascontiguousarray(X), y, check_input=False)
    with pytest.raises(ValueError, match="non-finite"):
        Lasso().fit(X * 1e200, y)


def test_inputs_are_left_alone(rng):
    X, y = problem(rng, 30, 6)
    before = X.copy(), y.copy()
    X.setflags(write=False)
    y.setflags(write=False)
    Lasso(0.1, copy_X=False).fit(X, y)
    assert np.array_equal(X, before[0])
    assert np.array_equal(y, before[1])


def test_kernel_solves_several_paths_at_once(rng):
    X, y = problem(rng, 40, 30)
    rows = Rows(X, centre=True)
    weights = rng.integers(0, 2, size=(3, 40)).astype(float) + np.eye(3, 40)
    l1 = np.geomspace(50.0, 1.0, 6)[None].repeat(3, axis=0)
    solver = Solver(tol=1e-10)
    together = solver.from_rows(rows, y[None], l1, 0.1 * l1, weights=weights)
    for k in range(3):
        alone = solver.from_rows(rows, y[None], l1[:1], 0.1 * l1[:1], weights=weights[k])
        assert np.array_equal(together.coef[k], alone.coef[0])


def test_sparse_coefficients_of_make_regression():
    X, y = make_regression(n_samples=60, n_features=30, n_informative=4, noise=1.0, random_state=0)
    model = Lasso(1.0).fit(X, y)
    assert sparse.issparse(model.sparse_coef_)
    assert_close(model.sparse_coef_.toarray()[0], model.coef_)


def test_unchecked_rows_in_row_order_are_fine_with_weights_only(rng):
    X, y = rng.normal(size=(20, 3)), rng.normal(size=20)
    weights = rng.uniform(0.5, 1.5, size=20)
    expected = Lasso(alpha=0.05).fit(X, y, weights).coef_
    assert_close(Lasso(alpha=0.05).fit(X, y, weights, check_input=False).coef_, expected)
    with pytest.raises(ValueError, match="column-major"):
        Lasso(alpha=0.05).fit(X, y, check_input=False)


@pytest.mark.spec("CRS-44")
@given(
    seed=st.integers(0, 10**6),
    l1_ratio=st.sampled_from([1.0, 0.5, 0.0]),
    positive=st.booleans(),
    intercept=st.booleans(),
    scale=st.sampled_from(["sklearn", "half_rss", "rss"]),
    selection=st.sampled_from(["cyclic", "random"]),
    free=st.booleans(),
)
def test_sweeps_descend_to_the_same_fit(seed, l1_ratio, positive, intercept, scale, selection, free):
    rng = np.random.default_rng(seed)
    X, y = problem(rng, n=30, p=6, k=3, shift=0.5)
    w = rng.uniform(0.5, 2.0, 30)
    options = dict(alpha=0.2 if scale == "sklearn" else 6.0, l1_ratio=l1_ratio, positive=positive, tol=1e-10,
                   fit_intercept=intercept, penalty_scale=scale, penalty_factor=[0.0 if free else 2.0, 1, 1, 1, 1, 1],
                   max_iter=5000)  # fmt: skip
    model = ElasticNet(store_objective=True, selection=selection, random_state=0, **options).fit(X, y, w)
    direct = ElasticNet(**options).fit(X, y, w)
    history = model.objective_history_
    assert len(history) == model.n_iter_ + 1
    assert np.all(np.diff(history) <= 1e-12 * history[0])
    assert_close(model.predict(X), direct.predict(X), atol=1e-4)  # the gap is 1e-10, so scores differ by its root
    loss = {"sklearn": 0.5 / w.sum(), "half_rss": 0.5, "rss": 1.0}[scale] * np.sum(w * (y - model.predict(X)) ** 2)
    factor, alpha = np.array(options["penalty_factor"]), options["alpha"]
    half = 0.5 if scale == "sklearn" else 1.0
    l2 = half * (1 - l1_ratio) * np.sum(factor * model.coef_**2)
    assert_close(history[-1], loss + alpha * (l1_ratio * np.sum(factor * np.abs(model.coef_)) + l2))


@pytest.mark.spec("CRS-44")
def test_the_first_sweep_by_hand(rng):
    X, y = problem(rng, n=20, p=3, k=2)
    with pytest.warns(ConvergenceWarning):
        model = Lasso(alpha=0.1, max_iter=1, tol=0.0, store_objective=True).fit(X, y)
    Z, r, w = X - X.mean(axis=0), y - y.mean(), np.zeros(3)
    before = r @ r / 40
    for j in range(3):
        z = Z[:, j] @ r / 20
        w[j] = np.sign(z) * max(abs(z) - 0.1, 0.0) / (Z[:, j] @ Z[:, j] / 20)
        r = r - Z[:, j] * w[j]
    assert_close(model.coef_, w)
    assert_close(model.objective_history_, [before, r @ r / 40 + 0.1 * np.abs(w).sum()])
    one = Lasso(alpha=0.1, store_objective=True).fit(sparse.csc_array(X), np.column_stack([y, -2 * y]))
    assert [len(values) - 1 for values in one.objective_history_] == one.n_iter_
    assert not hasattr(one.set_params(store_objective=False).fit(X, y), "objective_history_")


@pytest.mark.spec("CRS-44")
def test_the_sweeps_are_drawn(rng):
    X, y = problem(rng)
    history = Lasso(alpha=0.1, store_objective=True, tol=1e-8).fit(X, y)
    axes = plot_history(history)
    assert_close(axes.lines[0].get_ydata(), (history.objective_history_ - history.objective_history_[-1])[:-1])
    assert axes.get_yscale() == "log"


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("weighted", [False, True])
def test_tall_tables_have_the_same_fit_by_products_of_columns(dtype, weighted, rng, monkeypatch):
    X = rng.normal(size=(600, 5)).astype(dtype) + 3
    y = (X @ np.linspace(1.0, 0.0, 5) + rng.normal(size=600)).astype(dtype)
    weights = rng.uniform(size=600) if weighted else None
    for settings in ({}, {"positive": True}, {"fit_intercept": False}, {"selection": "random", "random_state": 0}):
        model = ElasticNet(alpha=0.05, tol=1e-12, **settings)
        monkeypatch.setattr(_lasso, "MANY_ENTRIES", 2**60)
        columns = clone(model).fit(X, y, weights)
        monkeypatch.setattr(_lasso, "MANY_ENTRIES", 100)
        products = clone(model).fit(X, y, weights)
        for name in ("coef_", "intercept_"):
            rtol = 1e-7 if dtype is np.float64 else 1e-5  # coefficients are rounded to the precision of X
            assert_close(getattr(products, name), getattr(columns, name), rtol=rtol)
