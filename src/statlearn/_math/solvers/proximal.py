"""Proximal gradient descent: any smooth loss of a linear score with any penalty that has a proximal map."""

import numpy as np

from statlearn._core.warnings import MAX_ITER, OK

from ..rows.rows import Rows
from .solution import LinearSolution
from .step import backtrack, rounding


def proximal_descent(problem, start, *, tol, max_iter):
    """Minimise a `LinearProblem` with a smooth loss from a start (w, b).

    A step goes to ``prox(w - s gradient, s)``, with the length s of Barzilai and Borwein (1988), shortened until the
    objective has decreased (SpaRSA; Wright, Nowak & Figueiredo 2009). Stops when the violation of the optimality
    conditions, the `gap` of the solution, is at most `tol` times the largest gradient at w = 0. With a penalty that is
    not convex, the solution is a stationary point.
    """
    loss, penalty, weights = problem.loss, problem.penalty, problem.weights
    intercept, offset = problem.intercept, problem.offset
    rows = Rows(problem.rows.X, weights, centre=intercept)
    w, b = start[0], start[1] + rows.means() @ start[0]

    def loss_at(scores):
        with np.errstate(over="ignore", invalid="ignore"):
            value = float(weights @ loss.value(scores))
        return value if np.isfinite(value) else np.inf

    def gradient_at(scores):
        slopes = weights * loss.derivatives(scores)[0]
        return np.append(rows.project(slopes), slopes.sum() if intercept else 0.0)

    scores = offset + rows.scores(w) + b
    objective = loss_at(scores) + penalty.value(w)
    gradient = gradient_at(scores)
    goal = tol * max(np.abs(gradient_at(offset + b)).max(initial=0.0), np.finfo(float).tiny)
    curvature = max(float(loss.derivatives(scores)[1].max(initial=0.0)), 1e-8)
    length = 1.0 / (curvature * (float(rows.squares().sum()) + 1.0))
    status, gap, n_iter = MAX_ITER, np.inf, 0
    while True:
        gap = max(penalty.violation(w, gradient[:-1]), abs(gradient[-1]))
        if gap <= goal:
            status = OK
            break
        if n_iter >= max_iter:
            break
        n_iter += 1

        def ahead(t):
            new = penalty.prox(w - t * length * gradient[:-1], t * length)
            new_b = b - t * length * gradient[-1]
            scores = offset + rows.scores(new) + new_b
            moved[:] = new - w, new_b - b
            return loss_at(scores) + penalty.value(new), (new, new_b, scores)

        def change(t):
            return -(moved[0] @ moved[0] + moved[1] ** 2) / (2.0 * t * length)

        moved = [np.zeros_like(w), 0.0]
        step = backtrack(ahead, objective, change, slack=rounding(objective))
        if step is None:  # nothing but rounding is left to gain
            break
        objective, (w, b, scores) = step.value, step.state
        before, gradient = gradient, gradient_at(scores)
        bend = moved[0] @ (gradient - before)[:-1] + moved[1] * (gradient - before)[-1]
        square = moved[0] @ moved[0] + moved[1] ** 2
        length = square / bend if bend > 1e-16 * square else 2.0 * length
    return LinearSolution(
        coef=w,
        intercept=float(b - rows.means() @ w) if intercept else 0.0,
        objective=float(objective),
        gap=float(gap),
        n_iter=n_iter,
        status=status,
    )
