"""Proximal gradient descent: agreement with the special solvers, optimality for every other penalty."""

import numpy as np
import pytest
from scipy import sparse

from statlearn._core.warnings import MAX_ITER
from statlearn._math.losses.scores import Huber, Logistic, SquaredError
from statlearn._math.penalties.concave import MCP, SCAD
from statlearn._math.penalties.elastic_net import ElasticNetPenalty
from statlearn._math.penalties.group import GroupPenalty
from statlearn._math.rows.rows import Rows
from statlearn._math.solvers.minimise import minimise
from statlearn.linear import GroupLasso, NonconvexRegressor
from tests.helpers import assert_close

LOSSES = {
    "squared": SquaredError,
    "huber": lambda y: Huber(y, 0.7),
    "logistic": lambda y: Logistic(np.where(y > 3, 1.0, -1.0)),
}


def problem(rng, n=80, p=6):
    X = rng.normal(size=(n, p)) + 2.0
    return X, X @ [1.0, -1.0, 0.5, 0.0, 0.0, 0.0] + 3.0 + rng.normal(size=n)


@pytest.mark.parametrize("name", LOSSES)
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array])
def test_agrees_with_newtons_method(rng, name, intercept, make):
    X, y = problem(rng)
    w, offset = rng.uniform(1, 2, 80), 0.1 * rng.normal(size=80)
    settings = dict(weights=w / w.sum(), offset=offset, intercept=intercept)
    # Factors of one are the same penalty, for which there is no special solver.
    general = ElasticNetPenalty(0.05, 0.02, factor=np.ones(6))
    slow = minimise(Rows.double(make(X)), LOSSES[name](y), general, **settings, tol=1e-9)
    fast = minimise(Rows.double(make(X)), LOSSES[name](y), ElasticNetPenalty(0.05, 0.02), **settings, tol=1e-12)
    assert slow.converged
    assert_close(slow.objective, fast.objective, rtol=1e-9)
    assert_close(slow.coef, fast.coef, atol=1e-6)
    assert_close(slow.intercept, fast.intercept, atol=1e-5)


def test_agrees_with_the_group_lasso(rng):
    X, y = problem(rng)
    codes = np.array([0, 0, 1, 1, 2, 2])
    model = GroupLasso(0.2, groups=codes, tol=1e-12).fit(X, y)
    found = minimise(Rows.double(X), SquaredError(y), GroupPenalty(codes, 0.2 * np.sqrt([2.0, 2.0, 2.0])), tol=1e-10)
    assert_close(found.coef, model.coef_, atol=1e-6)
    assert_close(found.intercept, model.intercept_, rtol=1e-6)


@pytest.mark.parametrize(("name", "make"), [("mcp", MCP), ("scad", SCAD)])
def test_agrees_with_nonconvex_paths_where_the_objective_is_convex(rng, name, make):
    X, y = problem(rng)
    model = NonconvexRegressor(0.1, penalty=name, gamma=20.0, standardize=False, tol=1e-12).fit(X, y)
    assert model.locally_convex_
    found = minimise(Rows.double(X), SquaredError(y), make(0.1, 20.0), tol=1e-10)
    assert_close(found.coef, model.coef_, atol=1e-6)


def test_the_gap_is_the_violation_in_units_of_the_gradient(rng):
    X, y = problem(rng)
    penalty = GroupPenalty(np.arange(6) // 2, np.full(3, 0.3))
    found = minimise(Rows.double(X), SquaredError(y), penalty, tol=1e-3, max_iter=1)
    assert found.status == MAX_ITER
    r = y - X @ found.coef - found.intercept
    expected = max(penalty.violation(found.coef, -(X - X.mean(axis=0)).T @ r / 80), abs(r.mean()))
    assert_close(found.gap, expected)


def test_piecewise_losses_refuse_other_penalties(rng):
    from statlearn._math.losses.scores import Hinge

    with pytest.raises(ValueError, match="need a smooth loss"):
        minimise(Rows.double(np.eye(3)), Hinge([1, -1, 1]), MCP(0.1))
