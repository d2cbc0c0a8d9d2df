"""Least squares inside a ball, and the map from penalties to budgets."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from statlearn.linear import BridgeRegression, LassoLars, Ridge, constrained_ls, path_to_budget
from tests.helpers import assert_close


def problem(rng, n=30, p=4):
    X = rng.normal(size=(n, p)) + 1.0
    return X, X @ rng.normal(size=p) + rng.normal(size=n) + 2.0


@pytest.mark.spec("LIN-21", "LIN-P11")
@given(st.integers(0, 2**31), st.sampled_from([0.5, 5.0, 30.0]), st.booleans(), st.booleans())
def test_constrained_equals_penalised_at_its_own_norm(seed, alpha, fit_intercept, weighted):
    rng = np.random.default_rng(seed)
    X, y = problem(rng)
    weights = rng.uniform(0.5, 2, 30) if weighted else None
    settings = {"fit_intercept": fit_intercept}
    ridge = Ridge(alpha, **settings).fit(X, y, weights)
    lasso = LassoLars(alpha, penalty_scale="rss", **settings)
    models = [(2, ridge)] + ([] if weighted else [(1, lasso.fit(X, y))])
    models.append((1.5, BridgeRegression(alpha, 1.5, **settings).fit(X, y, weights)))
    for p, model in models:
        norm = np.linalg.norm(model.coef_, ord=p)
        budget = path_to_budget(X, y, [alpha], p=p, sample_weight=weights, penalty_scale="rss", **settings)
        assert_close(budget, [norm], atol=1e-8)
        if norm == 0:
            continue
        fit = constrained_ls(X, y, norm, p=p, sample_weight=weights, **settings)
        assert fit.active
        assert_close(fit.coef, model.coef_, rtol=1e-6, atol=1e-7)
        assert_close(fit.intercept, model.intercept_, rtol=1e-6, atol=1e-7)
        assert_close(fit.multiplier, alpha, rtol=1e-5)


@pytest.mark.spec("LIN-21")
@pytest.mark.parametrize("p", [1, 1.3, 2, 4, np.inf])
def test_solution_is_optimal_within_the_ball(p, rng):
    X, y = problem(rng)
    free = np.linalg.lstsq(X - X.mean(0), y - y.mean(), rcond=None)[0]
    budget = 0.6 * np.linalg.norm(free, ord=p)
    fit = constrained_ls(X, y, budget, p=p)
    assert np.linalg.norm(fit.coef, ord=p) == pytest.approx(budget, rel=1e-9)

    def rss(w):
        return np.sum((y - y.mean() - (X - X.mean(0)) @ w) ** 2)

    for step in rng.normal(size=(500, 4)) * rng.choice([1e-3, 0.1, 1], size=(500, 1)):
        other = fit.coef + step
        other *= min(1.0, budget / np.linalg.norm(other, ord=p))
        assert rss(other) >= rss(fit.coef) * (1 - 1e-9)


@pytest.mark.spec("LIN-21")
@pytest.mark.parametrize("p", [1, 1.3, 2, np.inf])
def test_a_large_budget_leaves_least_squares_alone(p, rng):
    X, y = problem(rng)
    fit = constrained_ls(X, y, 100.0, p=p)
    assert not fit.active
    assert fit.multiplier == 0
    assert_close(fit.coef, Ridge(0.0).fit(X, y).coef_, atol=1e-8)
    nothing = constrained_ls(X, y, 0.0, p=p)
    assert not nothing.coef.any()
    assert nothing.intercept == pytest.approx(y.mean())


@pytest.mark.spec("LIN-21")
def test_budget_falls_with_the_penalty(rng):
    X, y = problem(rng)
    alphas = np.logspace(-3, 3, 20)
    for p in (1, 1.5, 2):
        assert np.all(np.diff(path_to_budget(X, y, alphas, p=p)) <= 1e-12)
    assert_close(
        path_to_budget(X, y, [0.3], p=1), [np.abs(LassoLars(0.3).fit(X, y).coef_).sum()]
    )  # the lasso's own scale
    assert path_to_budget(X, y, [0.0], p=1) == pytest.approx(np.abs(Ridge(0.0).fit(X, y).coef_).sum())


def test_wrong_arguments_are_refused(rng):
    X, y = problem(rng)
    for arguments in ({"p": 0.5}, {"budget": -1.0}):
        with pytest.raises(ValueError, match=f"'{next(iter(arguments))}' parameter of constrained_ls"):
            constrained_ls(X, y, **{"budget": 1.0, **arguments})
    with pytest.raises(ValueError, match="alphas must be finite"):
        path_to_budget(X, y, [-1.0])
