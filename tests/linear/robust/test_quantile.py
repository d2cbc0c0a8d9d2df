"""Quantile regression and least absolute deviations against linear programmes, R's quantreg and the catalog."""

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from scipy.optimize import linprog

from statlearn._core import native
from statlearn._core.warnings import OK, RankWarning
from statlearn.linear import LADRegressor, LinearRegression, QuantileRegressor
from statlearn.linear.robust._quantile_covariance import steepest_line
from tests.helpers import assert_close
from tests.linear import carcass

CARCASS, LEAN = carcass.X, carcass.y


def objective(X, y, coef, intercept, tau, alpha=0.0, weights=None):
    """The documented formula, literally."""
    r = y - intercept - X @ coef
    rho = tau * np.maximum(r, 0) + (1 - tau) * np.maximum(-r, 0)
    return np.average(rho, weights=weights) + alpha * np.abs(coef).sum()


def best_by_linprog(X, y, tau, alpha=0.0, weights=None, fit_intercept=True):
    """The optimum of the textbook linear programme, by HiGHS."""
    n = X.shape[0]
    weights = np.ones(n) if weights is None else weights
    Z = np.column_stack([np.ones(n), X]) if fit_intercept else X
    price = np.full(Z.shape[1], alpha * weights.sum())
    price[: int(fit_intercept)] = 0.0
    A = sparse.hstack([Z, -Z, sparse.eye(n), -sparse.eye(n)])
    c = np.concatenate([price, price, tau * weights, (1 - tau) * weights])
    return linprog(c, A_eq=A, b_eq=y, method="highs").fun / weights.sum()


def make(seed, n, p, kind):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(n, p)), rng.standard_t(2, size=n)
    if kind == "ties":  # many rows meet in one vertex
        X, y = np.round(X), np.round(2 * y)
    if kind == "copies":
        X, y = np.repeat(X, 3, axis=0), np.repeat(y, 3)
    return X, y


@pytest.mark.spec("LIN-T9", "LIN-30")
def test_lad_on_carcass6_is_exact():
    model = LADRegressor().fit(CARCASS, LEAN)
    assert_close(np.append(model.intercept_, model.coef_), [47.4421053, -0.3315789, 0.3447368], rtol=0, atol=1e-6)
    assert_close(model.objective_, 6.6026316, rtol=0, atol=1e-6)
    assert model.basis_ == [2, 3, 5]
    residual = LEAN - model.predict(CARCASS)
    assert np.abs(residual[[2, 3, 5]]).max() < 2e-14
    assert np.abs(residual[[0, 1, 4]]).min() > 1


@pytest.mark.spec("LIN-T11", "LIN-30")
def test_one_outlier_moves_least_squares_but_not_lad():
    x = np.arange(7.0)[:, None]
    y = 1 + 2 * x[:, 0]
    y[3] = 100
    ols = LinearRegression().fit(x, y)
    assert_close([ols.intercept_, ols.coef_[0]], [14.2857143, 2], atol=1e-6)
    for solver in ("irls", "lp"):
        lad = LADRegressor(solver=solver).fit(x, y)
        assert_close([lad.intercept_, lad.coef_[0]], [1, 2], rtol=0, atol=1e-6)


@pytest.mark.spec("LIN-30")
@given(
    seed=st.integers(0, 10_000),
    n=st.integers(3, 60),
    p=st.integers(1, 6),
    tau=st.sampled_from([0.1, 0.25, 0.5, 0.77]),
    alpha=st.sampled_from([0.0, 0.02, 0.3]),
    kind=st.sampled_from(["plain", "ties", "copies"]),
    fit_intercept=st.booleans(),
)
@pytest.mark.filterwarnings("ignore::statlearn._core.warnings.RankWarning")
def test_reaches_the_optimum_of_the_linear_programme(seed, n, p, tau, alpha, kind, fit_intercept):
    X, y = make(seed, n, p, kind)
    weights = np.random.default_rng(seed).integers(1, 4, size=len(y)).astype(float)
    model = QuantileRegressor(quantile=tau, alpha=alpha, fit_intercept=fit_intercept).fit(X, y, sample_weight=weights)
    value = objective(X, y, model.coef_, model.intercept_, tau, alpha, weights)
    assert_close(value, best_by_linprog(X, y, tau, alpha, weights, fit_intercept), rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize("tol", [1e-8, 0.3, 10.0])
@pytest.mark.parametrize("kind", ["plain", "ties", "copies"])
def test_simplex_steps_finish_what_the_interior_point_left(tol, kind, rng):
    # A loose gap hands over far from the optimum: the vertex search must do the rest.
    X, y = make(int(rng.integers(1000)), 60, 4, kind)
    n, p = X.shape
    beta, basis = np.empty(p + 1), np.empty(p + 1, np.int32)
    ones, prices = np.full(n, 0.3), np.zeros(p + 1)
    args = (X, np.zeros(p), np.ones(p), True, y, ones, np.full(n, 0.7), prices, tol, 100, beta, basis)
    violation, _, pivots, status = native.linear.quantile_fit(*args)
    assert status == 0
    assert violation < 1e-9
    if kind == "plain" and tol == 10.0:
        assert pivots > 0
    value = objective(X, y, beta[1:], beta[0], 0.3)
    assert_close(value, best_by_linprog(X, y, 0.3), rtol=1e-10)


def test_zero_residuals_number_the_coefficients_and_penalised_zeros_are_exact(rng):
    X, y = make(3, 300, 8, "plain")
    model = QuantileRegressor(quantile=0.3, alpha=0).fit(X, y)
    residual = np.abs(y - model.predict(X))
    assert len(model.basis_) == 9
    assert residual[model.basis_].max() < 1e-13
    assert np.sort(residual)[9] > 1e-6
    sparse_model = QuantileRegressor(quantile=0.3, alpha=0.1).fit(X, y)
    zeros = np.sum(sparse_model.coef_ == 0)
    assert zeros > 0
    assert len(sparse_model.basis_) == 9 - zeros


def test_sparse_input_gives_the_same_fit(rng):
    X = rng.normal(size=(200, 10)) * (rng.uniform(size=(200, 10)) < 0.4)
    y = X[:, 0] + rng.normal(size=200)
    for alpha in (0.0, 0.05):
        dense = QuantileRegressor(quantile=0.6, alpha=alpha).fit(X, y)
        for form in (sparse.csr_matrix, sparse.csc_array, sparse.coo_array):
            other = QuantileRegressor(quantile=0.6, alpha=alpha).fit(form(X), y)
            assert_close(other.coef_, dense.coef_)
            assert_close(other.intercept_, dense.intercept_)


def test_several_quantiles_are_the_single_fits(rng):
    X, y = make(1, 150, 3, "plain")
    levels = [0.1, 0.5, 0.9]
    joint = QuantileRegressor(quantile=levels, alpha=0).fit(X, y)
    assert joint.predict(X).shape == (150, 3)
    for k, tau in enumerate(levels):
        single = QuantileRegressor(quantile=tau, alpha=0).fit(X, y)
        assert_close(joint.coef_[k], single.coef_)
        assert abs(np.mean(y < joint.predict(X)[:, k]) - tau) <= 4 / 150
    with pytest.raises(ValueError, match="quantile"):
        QuantileRegressor(quantile=[0.5, 1.0]).fit(X, y)


def test_dependent_columns_are_named_and_set_to_zero(rng):
    X, y = make(2, 50, 3, "plain")
    with pytest.warns(RankWarning, match="x3"):
        model = LADRegressor().fit(np.column_stack([X, X[:, 0] + X[:, 1]]), y)
    assert model.coef_[3] == 0
    assert_close(model.coef_[:3], LADRegressor().fit(X, y).coef_)
    assert np.isnan(model.summary()["std_error"][4])


# quantreg 5.94, R 4.2.2: data(engel); summary(rq(foodexp ~ income, tau, data=engel), se=...)$coefficients
ENGEL = {
    (0.25, "iid"): ([95.483539634553, 0.474103208193], [15.8619076503776, 0.0142806983774]),
    (0.25, "nid"): ([95.483539634553, 0.474103208193], [21.3923697518315, 0.0290552734828]),
    (0.25, "ker"): ([95.483539634553, 0.474103208193], [24.1639194918595, 0.0295488223199]),
    (0.5, "iid"): ([81.482247416936, 0.560180551209], [13.2390797180804, 0.0119193295293]),
    (0.5, "nid"): ([81.482247416936, 0.560180551209], [19.2506602521060, 0.0282772096839]),
    (0.5, "ker"): ([81.482247416936, 0.560180551209], [30.2153158527793, 0.0373170354527]),
    (0.9, "iid"): ([67.350872080130, 0.686299480372], [20.5673981916209, 0.0185171176416]),
    (0.9, "nid"): ([67.350872080130, 0.686299480372], [22.3953831454532, 0.0284907223757]),
    (0.9, "ker"): ([67.350872080130, 0.686299480372], [22.5691951036302, 0.0279602328287]),
}
# The same with stack.loss ~ . on data(stackloss).
STACKLOSS = {
    (0.5, "nid"): [7.1416267869283, 0.1269327153146, 0.3417930015301, 0.0604123313417],
    (0.5, "ker"): [14.059736430164, 0.243502747606, 0.578943305021, 0.181421698395],
    (0.3, "nid"): [4.3296099043329, 0.1731297352356, 0.3801140622161, 0.0485391225538],
    (0.3, "ker"): [17.922914402198, 0.293701642737, 0.706101838647, 0.236266254832],
}


# "iid" on stackloss: the median line through the few residuals next to zero, whose slope is the sparsity, is not unique
# (R warns "Solution may be nonunique" and keeps the vertex at which its simplex stops). Equally good slopes, and R's
# standard errors of the intercept and the slopes:
#   tau 0.5: nine residuals, loss 0.92174 for slopes from 5.527053 to 5.794783; R stops at the largest
#   tau 0.3: seven residuals, loss 1.76471 for slopes from 7.625 to 7.766667; R stops at the smallest
STACKLOSS_IID = {
    0.5: ([10.627039919372162, 0.120472738621145, 0.328766778224124, 0.139622013826712], 1.0),
    0.3: ([12.816063630310, 0.145288461848, 0.396488201910, 0.168382223740], 7.766666666666667 / 7.625),
}


@pytest.mark.parametrize("tau", STACKLOSS_IID)
def test_standard_errors_match_quantreg_up_to_the_slope_it_stops_at(tau):
    data = sm.datasets.stackloss.load_pandas().data
    model = QuantileRegressor(quantile=tau, alpha=0).fit(data.iloc[:, 1:], data.iloc[:, 0])
    theirs, steeper = STACKLOSS_IID[tau]
    assert_close(model.summary()["std_error"], np.multiply(theirs, steeper), rtol=1e-9)


@pytest.mark.parametrize(("tau", "kind"), ENGEL)
def test_standard_errors_match_quantreg_on_engel(tau, kind):
    data = sm.datasets.engel.load_pandas().data
    model = QuantileRegressor(quantile=tau, alpha=0, inference=kind).fit(data[["income"]], data["foodexp"])
    summary = model.summary()
    estimate, error = ENGEL[tau, kind]
    assert_close(summary["estimate"], estimate, rtol=1e-10)
    assert_close(summary["std_error"], error, rtol=1e-9)
    assert_close(summary["t"], np.divide(estimate, error), rtol=1e-8)
    assert summary.table.rows == ["(Intercept)", "income"]


@pytest.mark.parametrize(("tau", "kind"), STACKLOSS)
def test_standard_errors_match_quantreg_on_stackloss(tau, kind):
    data = sm.datasets.stackloss.load_pandas().data
    model = QuantileRegressor(quantile=tau, alpha=0, inference=kind).fit(data.iloc[:, 1:], data.iloc[:, 0])
    assert_close(model.summary()["std_error"], STACKLOSS[tau, kind], rtol=1e-9)


def test_the_steepest_of_equally_good_lines():
    x, y = np.array([0.0, 0.0, 1.0, 1.0]), np.array([0.0, 1.0, 2.0, 4.0])
    for slope in (1.0, 2.0, 4.0):  # every line from one pair to the other has a loss of 1 + 2
        assert_close(steepest_line(x, y, slope), 4.0)
    assert_close(steepest_line(x, 2 * x + 1, 2.0), 2.0)


def test_lad_summary_agrees_with_the_median_and_counts_weights_as_copies():
    data = sm.datasets.engel.load_pandas().data
    X, y = data[["income"]].to_numpy(), data["foodexp"].to_numpy()
    lad = LADRegressor(inference="nid").fit(X, y)
    assert_close(lad.summary()["std_error"], ENGEL[0.5, "nid"][1], rtol=1e-9)
    weights = np.random.default_rng(0).integers(0, 3, size=len(y))
    rows = np.repeat(np.arange(len(y)), weights)
    weighted = LADRegressor().fit(X, y, sample_weight=weights)
    copied = LADRegressor().fit(X[rows], y[rows])
    assert_close(weighted.summary()["std_error"], copied.summary()["std_error"])
    assert "observations" in str(weighted.summary())


def test_summary_is_refused_with_the_reason(rng):
    X, y = make(0, 40, 2, "plain")
    with pytest.raises(ValueError, match="alpha > 0"):
        QuantileRegressor().fit(X, y).summary()
    with pytest.raises(ValueError, match="inference=None"):
        QuantileRegressor(alpha=0, inference=None).fit(X, y).summary()
    with pytest.raises(ValueError, match="not integers"):
        LADRegressor().fit(X, y, sample_weight=np.full(40, 0.5)).summary()
    with pytest.raises(ValueError, match="too few"):
        LADRegressor().fit(X[:3], y[:3]).summary()


@pytest.mark.spec("LIN-P21")
@given(seed=st.integers(0, 10_000), size=st.floats(20, 1e6))
def test_lad_moves_less_than_least_squares_when_one_response_is_corrupted(seed, size):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(40, 2))
    y = X @ [1.0, -1.0] + rng.normal(size=40)
    spoiled = y.copy()
    spoiled[rng.integers(40)] += size
    moves = {}
    for cls in (LADRegressor, LinearRegression):
        moves[cls] = np.linalg.norm(cls().fit(X, spoiled).predict(X) - cls().fit(X, y).predict(X))
    assert moves[LADRegressor] < moves[LinearRegression]


@pytest.mark.spec("LIN-P21", "LIN-30")
@given(seed=st.integers(0, 10_000))
def test_irls_objective_never_rises_and_ends_at_the_linear_programme(seed):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(30, 2)), rng.standard_t(2, size=30)
    irls = LADRegressor(solver="irls", max_iter=5000, tol=1e-14).fit(X, y)
    assert np.all(np.diff(irls.history_) <= 0)
    exact = LADRegressor().fit(X, y)
    assert exact.objective_ <= irls.objective_ * (1 + 1e-12)
    # Linear convergence: the weights of rows next to zero still move at the end.
    assert_close(irls.objective_, exact.objective_, rtol=1e-5)


@pytest.mark.spec("LIN-P21")
@given(r=st.floats(1e-3, 1e3), m=st.floats(1e-3, 1e3))
def test_absolute_value_is_the_minimum_of_its_quadratic_bounds(r, m):
    assert 0.5 * (r * r / m + m) >= r * (1 - 1e-15)
    assert_close(0.5 * (r * r / r + r), r)


def test_solver_options_are_checked(rng):
    X, y = make(0, 30, 2, "plain")
    with pytest.raises(ValueError, match="nonsense"):
        QuantileRegressor(solver_options={"nonsense": 1}).fit(X, y)
    for solver in ("highs", "highs-ds", "highs-ipm", "interior-point", "revised simplex"):
        model = QuantileRegressor(alpha=0, solver=solver, solver_options={"maxiter": 3, "presolve": True}).fit(X, y)
        assert_close(objective(X, y, model.coef_, model.intercept_, 0.5), best_by_linprog(X, y, 0.5))


@pytest.mark.parametrize("size", [1e200, np.inf, np.nan])
def test_cross_products_that_overflow_are_not_taken_for_a_solution(rng, size):
    """The factor of such a matrix was used, and its NaN returned as a converged fit."""
    n = 30
    X, y = rng.normal(size=(n, 2)) * size, rng.normal(size=n)
    beta, basis, half = np.empty(3), np.empty(3, np.int32), np.full(n, 0.5)
    *_, status = native.linear.quantile_fit(
        X, np.zeros(2), np.ones(2), True, y, half, half, np.zeros(3), 1e-8, 100, beta, basis
    )
    assert status != OK or np.isfinite(beta).all()


@pytest.mark.parametrize("container", [np.asarray, sparse.csr_matrix])
def test_a_table_of_zeros_without_an_intercept(container):
    """No column is left, so nothing is to be fitted."""
    X, y = container(np.zeros((20, 2))), np.arange(20.0)
    with pytest.warns(RankWarning):
        model = LADRegressor(fit_intercept=False).fit(X, y)
    assert_close(model.coef_, [0.0, 0.0])
    assert model.intercept_ == 0.0
    assert_close(model.predict(X), 0.0)


def test_level_sets_the_width_of_the_intervals(rng):
    X, y = rng.normal(size=(60, 2)), rng.normal(size=60)
    model = QuantileRegressor(alpha=0.0).fit(X, y)
    wide, narrow = (model.summary(level=level) for level in (0.95, 0.5))
    assert np.all(wide["ci_high"] - wide["ci_low"] > narrow["ci_high"] - narrow["ci_low"])
    with pytest.raises(ValueError, match="level"):
        model.summary(level=95)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_columns_whose_squares_underflow_are_refused_in_plain_words(rng):
    X = 1e-160 * rng.normal(size=(40, 3))
    with pytest.raises(ValueError, match="overflow or underflow"):
        LADRegressor().fit(X, rng.normal(size=40))
