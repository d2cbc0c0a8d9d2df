"""Huber regression against scikit-learn, MASS::rlm and its own optimality conditions."""

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.linear_model import HuberRegressor as Peer

from statlearn.linear import HuberRegressor, LADRegressor, LinearRegression, StudentTRegressor
from statlearn.linear.robust._huber import huber_scale
from tests.helpers import assert_close


def objective(X, y, coef, intercept, scale, epsilon, alpha, weights=None):
    """The documented formula, literally."""
    z = np.abs(y - intercept - X @ coef) / scale
    H = np.where(z <= epsilon, z**2, 2 * epsilon * z - epsilon**2)
    weights = np.ones(len(y)) if weights is None else weights
    return weights @ (scale + H * scale) + alpha * coef @ coef


def fixed_objective(X, y, coef, intercept, delta, alpha):
    r = np.abs(y - intercept - X @ coef)
    return np.sum(np.where(r <= delta, 0.5 * r**2, delta * (r - 0.5 * delta))) + alpha * coef @ coef


def make(rng, n=80, p=4):
    X = rng.normal(size=(n, p)) * np.geomspace(1, 30, p) + 3
    return X, X @ rng.normal(size=p) + rng.standard_t(1.5, size=n)


@pytest.mark.spec("LIN-31")
@given(
    seed=st.integers(0, 10_000),
    epsilon=st.sampled_from([1.05, 1.35, 3.0]),
    alpha=st.sampled_from([0.0, 1e-4, 1.0]),
    fit_intercept=st.booleans(),
)
def test_never_above_scikit_learns_objective(seed, epsilon, alpha, fit_intercept):
    X, y = make(np.random.default_rng(seed))
    weights = np.random.default_rng(seed).uniform(0.5, 2, size=len(y))
    settings = {"epsilon": epsilon, "alpha": alpha, "fit_intercept": fit_intercept}
    ours = HuberRegressor(**settings).fit(X, y, sample_weight=weights)
    peer = Peer(**settings, max_iter=10_000, tol=1e-8).fit(X, y, sample_weight=weights)
    values = [objective(X, y, m.coef_, m.intercept_, m.scale_, epsilon, alpha, weights) for m in (ours, peer)]
    assert_close(ours.objective_, values[0])
    assert values[0] <= values[1] * (1 + 1e-9)
    assert_close(values[0], values[1], rtol=1e-4)  # L-BFGS stops early on badly scaled columns


@pytest.mark.spec("LIN-31")
def test_minimises_its_documented_objective(rng):
    X, y = make(rng)
    joint = HuberRegressor(tol=1e-10).fit(X, y)
    best = objective(X, y, joint.coef_, joint.intercept_, joint.scale_, 1.35, 1e-4)
    fixed = HuberRegressor(delta=0.7, alpha=0.3, tol=1e-10).fit(X, y)
    best_fixed = fixed_objective(X, y, fixed.coef_, fixed.intercept_, 0.7, 0.3)
    assert_close(fixed.objective_, best_fixed)
    assert fixed.scale_ == 1.0
    for d in 1e-3 * rng.normal(size=(50, 6)):
        assert objective(X, y, joint.coef_ + d[2:], joint.intercept_ + d[0], joint.scale_ + d[1], 1.35, 1e-4) > best
        assert fixed_objective(X, y, fixed.coef_ + d[2:], fixed.intercept_ + d[0], 0.7, 0.3) > best_fixed
    assert np.array_equal(fixed.outliers_, np.abs(y - fixed.predict(X)) > 0.7)
    assert np.array_equal(joint.outliers_, np.abs(y - joint.predict(X)) > 1.35 * joint.scale_)


@pytest.mark.spec("LIN-31")
def test_fixed_delta_is_mass_rlm_at_its_scale():
    # MASS 7.3-58.2, R 4.2.2: rlm(stack.loss ~ ., stackloss, k=1.345, scale.est="Huber", maxit=500, acc=1e-14)
    coef = [-41.140878413075, 0.816732448345, 0.983794408113, -0.131433292638]
    error = [10.638935686855, 0.120607594206, 0.329134795393, 0.139778304856]
    data = sm.datasets.stackloss.load_pandas().data
    X, y = data.iloc[:, 1:], data.iloc[:, 0]
    model = HuberRegressor(delta=1.345 * 2.85513271974, alpha=0, tol=1e-12).fit(X, y)
    summary = model.summary()
    assert_close(summary["estimate"], coef, rtol=1e-8)
    assert_close(summary["std_error"], error, rtol=1e-8)


@pytest.mark.spec("LIN-P22", "LIN-31")
@given(seed=st.integers(0, 10_000))
def test_large_delta_is_least_squares(seed):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(30, 3)), rng.normal(size=30)
    ols = LinearRegression().fit(X, y)
    for model in (HuberRegressor(delta=1e3, alpha=0), HuberRegressor(epsilon=1e3, alpha=0)):
        model.fit(X, y)
        assert_close(model.coef_, ols.coef_, rtol=1e-6)
        assert_close(model.intercept_, ols.intercept_, rtol=1e-6)
        assert not model.outliers_.any()


def test_sandwich_is_hc1_where_the_loss_is_quadratic(rng):
    X, y = rng.normal(size=(60, 2)), rng.normal(size=60)
    model = HuberRegressor(delta=1e6, alpha=0, tol=1e-12).fit(X, y)
    peer = sm.OLS(y, sm.add_constant(X)).fit()
    assert_close(model.summary()["std_error"], peer.bse)
    assert_close(model.summary(covariance="sandwich")["std_error"], peer.get_robustcov_results("HC1").bse)


def test_summary_is_refused_under_a_penalty(rng):
    X, y = make(rng)
    with pytest.raises(ValueError, match="alpha=0"):
        HuberRegressor().fit(X, y).summary()
    with pytest.raises(ValueError, match="covariance"):
        HuberRegressor(alpha=0).fit(X, y).summary(covariance="other")


def test_rows_on_a_line_with_an_outlier_are_fitted_exactly():
    # The scale goes to 0 here: the profile has a kink that plain Newton steps do not reach.
    x = np.arange(7.0)[:, None]
    y = 1 + 2 * x[:, 0]
    y[3] = 100
    model = HuberRegressor(alpha=0).fit(x, y)
    assert_close([model.intercept_, model.coef_[0]], [1, 2], atol=1e-10)
    assert model.outliers_[3]


@given(seed=st.integers(0, 10_000), epsilon=st.floats(1.0, 5.0))
def test_scale_solves_its_equation(seed, epsilon):
    rng = np.random.default_rng(seed)
    size, weights = np.abs(rng.standard_cauchy(size=40)), rng.uniform(0.1, 3, size=40)
    scale = huber_scale(size, weights, epsilon, 1.0, 1e-12)
    if scale > 1e-12:
        assert_close(weights @ np.minimum(epsilon**2, (size / scale) ** 2), weights.sum(), rtol=1e-10)
    else:
        assert epsilon**2 * weights.sum() < weights.sum() * (1 + 1e-12)


def test_sparse_input_gives_the_same_fit(rng):
    X = rng.normal(size=(100, 6)) * (rng.uniform(size=(100, 6)) < 0.5)
    y = X[:, 0] + rng.standard_t(2, size=100)
    dense, other = HuberRegressor().fit(X, y), HuberRegressor().fit(sparse.csr_array(X), y)
    assert_close(other.coef_, dense.coef_, rtol=1e-6)
    assert_close(other.scale_, dense.scale_, rtol=1e-6)


def test_warm_start_from_the_solution_takes_no_step(rng):
    X, y = make(rng)
    model = HuberRegressor(warm_start=True).fit(X, y)
    assert model.n_iter_ > 0
    assert model.fit(X, y).n_iter_ == 0
    with pytest.raises(ValueError, match="warm_start"):
        model.fit(X[:, :2], y)


@pytest.mark.parametrize(
    ("X_unit", "y_unit", "message"), [(1e200, 1.0, "X contains values up to"), (1.0, 1e200, "y contains values up to")]
)
@pytest.mark.parametrize("model", [HuberRegressor(), StudentTRegressor(), LADRegressor(solver="irls")])
def test_values_whose_squares_overflow_are_refused(model, X_unit, y_unit, message, rng):
    X = rng.normal(size=(20, 2))
    with pytest.raises(ValueError, match=rf"^{message} .*, whose squares overflow; scale "):
        model.fit(X_unit * X, y_unit * X[:, 0])


@pytest.mark.parametrize("model", [HuberRegressor(), StudentTRegressor()])
def test_weights_that_underflow_are_refused(model, rng):
    X = rng.normal(size=(20, 2))
    with pytest.raises(ValueError, match=r"^sample_weight: the largest weight is 1e-310"):
        model.fit(X, X[:, 0], sample_weight=np.full(20, 1e-310))
