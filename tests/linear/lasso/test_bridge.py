"""Bridge regression."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize
from sklearn.exceptions import ConvergenceWarning

from statlearn.linear import BridgeRegression, LassoLars, Ridge
from statlearn.linear.lasso._bridge import concave_minimiser
from tests.helpers import assert_close


def problem(rng, n=40, p=5):
    X = rng.normal(size=(n, p)) + 1.0
    return X, X @ np.r_[2.0, -1.0, np.zeros(p - 2)] + rng.normal(size=n) + 4.0


def objective(X, y, w, b, penalty, q):
    return np.sum((y - b - X @ w) ** 2) + penalty * np.sum(np.abs(w) ** q)


@pytest.mark.spec("LIN-22", "LIN-P18")
@given(st.integers(0, 2**31), st.sampled_from([0.1, 5.0, 60.0]), st.booleans())
def test_exponents_one_and_two_are_lasso_and_ridge(seed, alpha, fit_intercept):
    rng = np.random.default_rng(seed)
    X, y = problem(rng)
    lasso = LassoLars(alpha, penalty_scale="rss", fit_intercept=fit_intercept).fit(X, y)
    ridge = Ridge(alpha, fit_intercept=fit_intercept).fit(X, y)
    assert_close(BridgeRegression(alpha, 1, fit_intercept=fit_intercept).fit(X, y).coef_, lasso.coef_, atol=1e-8)
    assert_close(BridgeRegression(alpha, 2, fit_intercept=fit_intercept).fit(X, y).coef_, ridge.coef_, atol=1e-8)
    # Exponents next to them come next to them: the other solvers meet the exact ones.
    near = [BridgeRegression(alpha, q, fit_intercept=fit_intercept).fit(X, y).coef_ for q in (2 - 1e-6, 2 + 1e-6)]
    for coef in near:
        assert_close(coef, ridge.coef_, rtol=1e-4, atol=1e-5)


@pytest.mark.spec("LIN-22")
@pytest.mark.parametrize("q", [1.2, 1.5, 2.5, 4.0])
@pytest.mark.parametrize("shape", [(40, 5), (6, 12)])
def test_convex_exponents_are_stationary_and_best(q, shape, rng):
    X, y = problem(rng, *shape)
    weights = rng.integers(1, 3, shape[0])
    model = BridgeRegression(3.0, q).fit(X, y, weights)
    gradient = -2 * X.T @ (weights * (y - model.predict(X)))
    slope = 3.0 * q * np.sign(model.coef_) * np.abs(model.coef_) ** (q - 1)
    assert_close(gradient + slope, 0.0, atol=1e-5)
    assert_close(np.sum(weights * (y - model.predict(X))), 0.0, atol=1e-8)
    copies = BridgeRegression(1.5, q, penalty_scale="half_rss").fit(
        np.repeat(X, weights, axis=0), np.repeat(y, weights)
    )
    assert_close(copies.coef_, model.coef_, rtol=1e-6, atol=1e-7)
    assert_close(
        model.objective_,
        objective(np.repeat(X, weights, axis=0), np.repeat(y, weights), model.coef_, model.intercept_, 3.0, q),
    )


@pytest.mark.spec("LIN-22")
@given(st.integers(0, 2**31), st.sampled_from([0.3, 0.5, 0.8]), st.sampled_from([2.0, 20.0]))
def test_concave_exponents_find_the_best_subset_of_two_columns(seed, q, alpha):
    """Two columns: the global minimum by brute force over a fine grid, then polished."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(25, 2))
    y = X @ [1.0, 0.3] + rng.normal(size=25)
    model = BridgeRegression(alpha, q, random_state=0).fit(X, y)
    Xc, yc = X - X.mean(0), y - y.mean()
    grid = np.stack(np.meshgrid(*[np.linspace(-2.5, 2.5, 101)] * 2)).reshape(2, -1)
    values = np.sum((yc[:, None] - Xc @ grid) ** 2, axis=0) + alpha * np.sum(np.abs(grid) ** q, axis=0)
    start = grid[:, np.argmin(values)]
    local = optimize.minimize(lambda w: objective(Xc, yc, w, 0.0, alpha, q), start, method="Nelder-Mead")
    assert model.objective_ <= min(local.fun, values.min()) + 1e-6 * abs(local.fun)
    assert_close(model.objective_, objective(X, y, model.coef_, model.intercept_, alpha, q), rtol=1e-6)


@given(st.floats(0.01, 10), st.floats(-20, 20), st.floats(0.01, 20), st.floats(0.05, 0.95))
def test_scalar_minimiser_beats_a_grid(z, rho, penalty, q):
    w = concave_minimiser(z, rho, penalty, q)
    grid = np.linspace(-1, 1, 4001) * (abs(rho) / z + 1)

    def value(v):
        return z * v**2 - 2 * rho * v + penalty * np.abs(v) ** q

    assert value(np.array(w)) <= value(grid).min() + 1e-9 * (1 + rho**2 / z)


def test_smaller_exponents_give_more_zeros(rng):
    X, y = problem(rng, 60, 10)
    zeros = [np.sum(BridgeRegression(20.0, q).fit(X, y).coef_ == 0) for q in (0.5, 1.0, 1.5)]
    assert zeros[0] >= zeros[1] > zeros[2] == 0


def test_no_penalty_is_least_squares_and_the_limit_warns(rng):
    X, y = problem(rng)
    assert_close(BridgeRegression(0.0, 0.5).fit(X, y).coef_, Ridge(0.0).fit(X, y).coef_)
    with pytest.warns(ConvergenceWarning, match="after 2 iterations"):
        BridgeRegression(5.0, 1.5, max_iter=2).fit(X, y)
    with pytest.raises(ValueError, match="'alpha' parameter"):
        BridgeRegression(np.inf).fit(X, y)


def test_a_tolerance_of_zero_ends_at_rounding(rng):
    X = rng.normal(size=(12, 80))
    model = BridgeRegression(q=0.5, tol=0.0, random_state=0).fit(X, X.sum(axis=1) + rng.normal(size=12))
    assert model.n_iter_ < model.max_iter
