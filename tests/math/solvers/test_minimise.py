"""The loss + penalty solver: optimality conditions and independent programs on every combination."""

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import linprog, minimize

from statlearn._core import native
from statlearn._math.losses.scores import MARGIN_LOSSES, REGRESSION_LOSSES, AbsoluteError, Hinge, Logistic, Pinball
from statlearn._math.penalties.elastic_net import ElasticNetPenalty
from statlearn._math.rows.rows import Rows
from statlearn._math.solvers import newton
from statlearn._math.solvers.interior_point import _NormalEquations
from statlearn._math.solvers.minimise import minimise
from tests.helpers import assert_close

SMOOTH = [(MARGIN_LOSSES, k) for k in MARGIN_LOSSES if MARGIN_LOSSES[k](np.ones(1)).smooth]
SMOOTH += [(REGRESSION_LOSSES, k) for k in REGRESSION_LOSSES if REGRESSION_LOSSES[k](np.ones(1)).smooth]
KINKED = [(MARGIN_LOSSES, "hinge")] + [
    (REGRESSION_LOSSES, k) for k in ("absolute_error", "epsilon_insensitive", "quantile")
]
PENALTIES = [(0.0, 0.0), (0.0, 0.1), (0.05, 0.0), (0.03, 0.05)]


def problem(losses, rng, n=80, p=5):
    X = rng.normal(size=(n, p)) * np.array([1.0, 3.0, 0.3, 1.0, 1.0])[:p] + 1.0
    score = X @ rng.normal(size=p) + rng.standard_t(3, size=n)
    y = score if losses is REGRESSION_LOSSES else np.where(score > np.median(score), 1.0, -1.0)
    w = rng.uniform(0.2, 2.0, size=n)
    return X, y, w / w.sum()


def objective(X, loss, w, coef, b, l1, l2):
    return w @ loss.value(X @ coef + b) + l1 * np.abs(coef).sum() + 0.5 * l2 * coef @ coef


def program(X, loss, w, l1):
    """The optimum of a piecewise linear loss with an L1 penalty as scipy's simplex method finds it."""
    pieces, (n, p) = loss.pieces(), X.shape
    k = len(pieces.knots)
    # Unknowns: w+, w-, b+, b-, and one excess for each hinge, which is at least r - knot.
    cost = [np.full(2 * p, l1), np.zeros(2), *(w * h for h in pieces.heights)]
    slope = w * pieces.low
    D = np.hstack([X, -X, np.ones((n, 1)), -np.ones((n, 1))])
    cost[0] = cost[0] - (slope @ D)[: 2 * p]
    cost[1] = cost[1] - (slope @ D)[2 * p :]
    rows = [np.hstack([-D, *[-np.eye(n) if m == j else np.zeros((n, n)) for m in range(k)]]) for j in range(k)]
    bounds = np.concatenate([knot - pieces.centre for knot in pieces.knots])
    found = linprog(np.concatenate(cost), A_ub=np.vstack(rows), b_ub=bounds, bounds=(0, None), method="highs")
    assert found.success
    return found.fun + slope @ pieces.centre + w @ pieces.constant


@pytest.mark.spec("LIN-48", "LIN-49")
@pytest.mark.parametrize(("l1", "l2"), PENALTIES)
@pytest.mark.parametrize(("losses", "name"), SMOOTH, ids=lambda v: v if isinstance(v, str) else "")
def test_smooth_losses_meet_the_optimality_conditions(losses, name, l1, l2, rng):
    X, y, w = problem(losses, rng)
    loss = losses[name](y)
    found = minimise(Rows.double(X), loss, ElasticNetPenalty(l1, l2), w, tol=1e-12)
    assert found.status == 0
    assert_close(found.objective, objective(X, loss, w, found.coef, found.intercept, l1, l2), rtol=1e-12)
    g = w * loss.derivatives(X @ found.coef + found.intercept)[0]
    slope = X.T @ g + l2 * found.coef
    zero = found.coef == 0
    assert abs(g.sum()) < 1e-7
    assert_close(slope[~zero], -l1 * np.sign(found.coef[~zero]), atol=1e-6)
    assert np.all(np.abs(slope[zero]) <= l1 + 1e-6)


@pytest.mark.spec("LIN-49")
@pytest.mark.parametrize("l1", [0.0, 0.05])
@pytest.mark.parametrize(("losses", "name"), KINKED, ids=lambda v: v if isinstance(v, str) else "")
def test_piecewise_linear_losses_agree_with_a_linear_program(losses, name, l1, rng):
    X, y, w = problem(losses, rng)
    loss = losses[name](y)
    found = minimise(Rows.double(X), loss, ElasticNetPenalty(l1), w, tol=1e-10)
    assert found.status == 0
    assert_close(found.objective, program(X, loss, w, l1), rtol=1e-8)
    assert_close(found.objective, objective(X, loss, w, found.coef, found.intercept, l1, 0.0), rtol=1e-12)


@pytest.mark.spec("LIN-48", "LIN-49")
@pytest.mark.parametrize("shape", [(60, 4), (15, 40)])
@pytest.mark.parametrize("l1", [0.0, 0.02])
@pytest.mark.parametrize(("losses", "name"), KINKED, ids=lambda v: v if isinstance(v, str) else "")
def test_piecewise_linear_losses_with_ridge_agree_with_a_quadratic_program(losses, name, l1, shape, rng):
    n, p = shape
    X = rng.normal(size=shape) + 0.5
    score = X[:, :3] @ rng.normal(size=3) + rng.normal(size=n)
    y = score if losses is REGRESSION_LOSSES else np.where(score > np.median(score), 1.0, -1.0)
    w, l2 = np.full(n, 1.0 / n), 0.1
    loss = losses[name](y)
    found = minimise(Rows.double(X), loss, ElasticNetPenalty(l1, l2), w, tol=1e-10)
    assert found.status == 0
    # The dual, a box with one equation: maximise u'c - excess knots'v - |(X'u - q)|^2/(2 l2) over v and q.
    pieces = loss.pieces()
    k = len(pieces.knots)

    def split(x):
        v = x[: k * n].reshape(k, n)
        return v, w * pieces.low + v.sum(axis=0), x[k * n :]

    def negative_dual(x):
        v, u, q = split(x)
        z = X.T @ u - q
        value = u @ pieces.centre - (v * pieces.knots).sum() - z @ z / (2 * l2) + w @ pieces.constant
        gu = pieces.centre - X @ z / l2
        return -value, -np.concatenate([(gu - pieces.knots).ravel(), z / l2])

    top = np.concatenate([(w * pieces.heights).ravel(), np.full(p, l1)])
    low = np.concatenate([np.zeros(k * n), np.full(p, -l1)])
    ones = np.concatenate([np.ones(k * n), np.zeros(p)])
    dual = minimize(
        negative_dual,
        0.5 * (low + top),
        jac=True,
        method="SLSQP",
        bounds=list(zip(low, top)),
        constraints={
            "type": "eq",
            "fun": lambda x: ones @ x + (w * pieces.low).sum(),
            "jac": lambda x: ones,
        },
        options={"ftol": 1e-13, "maxiter": 2000},
    )
    # Any dual point bounds the optimum from below, so agreement proves both (whatever SLSQP says of its line search).
    assert_close(ones @ dual.x, -(w * pieces.low).sum(), atol=1e-10)
    assert_close(found.objective, -dual.fun, rtol=1e-6)
    assert_close(found.objective, objective(X, loss, w, found.coef, found.intercept, l1, l2), rtol=1e-12)


@pytest.mark.parametrize(("losses", "name"), SMOOTH + KINKED, ids=lambda v: v if isinstance(v, str) else "")
@pytest.mark.parametrize("l1", [0.0, 0.05])
def test_sparse_and_dense_designs_agree(losses, name, l1, rng):
    X, y, w = problem(losses, rng)
    X[np.abs(X) < 0.8] = 0.0
    dense = minimise(Rows.double(X), losses[name](y), ElasticNetPenalty(l1, 0.1), w, tol=1e-12)
    thin = minimise(Rows.double(sparse.csr_array(X)), losses[name](y), ElasticNetPenalty(l1, 0.1), w, tol=1e-12)
    assert_close(thin.coef, dense.coef, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("name", ["log_loss", "squared_hinge"])
@pytest.mark.parametrize("thin", [False, True])
def test_the_column_wise_kernels_give_the_same_fit(name, thin, rng, monkeypatch):
    X, y, w = problem(MARGIN_LOSSES, rng)
    loss = MARGIN_LOSSES[name](y)
    design = Rows.double(sparse.csr_array(X)) if thin else Rows.double(X)
    for l1 in (0.0, 0.05):
        direct = minimise(Rows.double(X), loss, ElasticNetPenalty(l1, 0.01), w, tol=1e-13)
        with monkeypatch.context() as patch:
            patch.setattr(newton, "_GRAM", 0)
            patch.setattr(newton, "_DIRECT", 0)
            other = minimise(design, loss, ElasticNetPenalty(l1, 0.01), w, tol=1e-13)
        assert_close(other.coef, direct.coef, rtol=1e-5, atol=1e-7)
        assert_close(other.objective, direct.objective, rtol=1e-10)


def test_offsets_shift_the_scores(rng):
    X, y, w = problem(REGRESSION_LOSSES, rng)
    offset = rng.normal(size=len(y))
    for loss, moved in ((AbsoluteError(y), AbsoluteError(y - offset)), (Pinball(y, 0.3), Pinball(y - offset, 0.3))):
        a = minimise(Rows.double(X), loss, ElasticNetPenalty(0.01), w, offset=offset, tol=1e-11)
        b = minimise(Rows.double(X), moved, ElasticNetPenalty(0.01), w, tol=1e-11)
        assert_close(a.coef, b.coef, atol=1e-7)
    signs = np.sign(y)
    found = minimise(Rows.double(X), Logistic(signs), ElasticNetPenalty(0.0, 0.1), w, offset=offset)
    g = w * Logistic(signs).derivatives(X @ found.coef + found.intercept + offset)[0]
    assert_close(X.T @ g + 0.1 * found.coef, 0.0, atol=1e-8)


def test_dependent_columns_are_found_and_the_solution_has_minimum_norm(rng):
    X = rng.normal(size=(30, 3))
    X = np.column_stack([X, X[:, 0] + 2 * X[:, 2]])
    y = rng.normal(size=30)
    found = minimise(Rows.double(X), REGRESSION_LOSSES["squared_error"](y))
    assert found.rank == 3
    assert list(found.aliased) == [3]
    Xc, yc = X - X.mean(axis=0), y - y.mean()
    assert_close(found.coef, np.linalg.lstsq(Xc, yc, rcond=1e-10)[0], atol=1e-10)


def test_the_kernels_solve_the_inner_problem(rng):
    n, p, l1, l2 = 50, 8, 3.0, 0.7
    X, z, h = rng.normal(size=(n, p)) + 1, rng.normal(size=n) * 3, rng.uniform(0.1, 2, size=n)
    w, residual = np.zeros(p), z.copy()
    b, _, _, status = native.linear.quadratic_lasso(
        np.asfortranarray(X), h, l1, l2, True, 1e-20, 1000, w, 0.0, residual
    )
    assert status == 0
    assert_close(residual, z - X @ w - b, atol=1e-10)
    slope = X.T @ (h * residual) - l2 * w
    assert abs(h @ residual) < 1e-9
    assert_close(slope[w != 0], l1 * np.sign(w[w != 0]), atol=1e-8)
    assert np.all(np.abs(slope[w == 0]) <= l1)
    assert 0 < np.count_nonzero(w) < p
    csc = sparse.csc_array(X)
    w2, residual2 = np.zeros(p), z.copy()
    b2, *_ = native.linear.quadratic_lasso_sparse(
        csc.data,
        csc.indices.astype(np.int32),
        csc.indptr.astype(np.int32),
        h,
        l1,
        l2,
        True,
        1e-20,
        1000,
        w2,
        0.0,
        residual2,
    )
    assert_close(w2, w, atol=1e-12)
    assert_close(b2, b, atol=1e-12)
    mean = h @ X / h.sum()
    A = (X - mean).T @ (h[:, None] * (X - mean)) + l2 * np.eye(p)
    w3 = np.zeros(p)
    native.linear.quadratic_lasso_gram(A, (X - mean).T @ (h * z), l1, 1e-20, 1000, w3)
    assert_close(w3, w, atol=1e-10)


def test_the_kernels_refuse_arrays_that_do_not_fit():
    w = np.zeros(2)
    with pytest.raises(ValueError, match="shapes of the arrays do not match"):
        native.linear.quadratic_lasso_gram(np.eye(3), np.zeros(3), 1.0, 1e-6, 10, w)
    with pytest.raises(ValueError, match="shapes of the arrays do not match"):
        native.linear.quadratic_lasso(
            np.zeros((4, 2), order="F"), np.ones(3), 1.0, 0.0, True, 1e-6, 10, w, 0.0, np.ones(4)
        )


def test_separable_classes_without_a_penalty_reach_zero_hinge_loss(rng):
    X = rng.normal(size=(40, 3))
    y = np.where(X @ [1.0, -2.0, 0.5] > 0.1, 1.0, -1.0)
    found = minimise(Rows.double(X), Hinge(y), tol=1e-9)
    assert found.objective < 1e-8


def test_too_wide_a_program_raises_before_memory_is_taken():
    tall = Rows.double(sparse.csr_array((40000, 40000)))
    with pytest.raises(MemoryError, match="GB"):
        minimise(tall, Hinge(np.ones(40000)), ElasticNetPenalty(0.0, 1.0))


def test_normal_equations_that_overflow_are_abandoned():
    class Overflowed:
        def gram(self, D, intercept):
            return np.full((2, 2), np.nan), np.zeros(2), 1.0

    with pytest.raises(np.linalg.LinAlgError, match="overflowed"):
        _NormalEquations(Overflowed(), np.ones(3), np.ones(2), False, None)
