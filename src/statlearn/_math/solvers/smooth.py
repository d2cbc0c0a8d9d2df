"""Minimisers of smooth convex losses: Newton (IRLS), preconditioned quasi-Newton, gradient descent.

A loss offers `value_and_gradient(phi)`, `plain_gradient(g)` and, where used, `value_gradient_hessian(phi)`; see
`LogisticLoss`. All stop when the largest entry of the plain gradient is at most `tol`, or when no
further decrease is possible up to rounding. `report(phi)` is called after each iteration and returns True to stop.
"""

import numpy as np

from statlearn._core.validation import require_finite
from statlearn._core.warnings import MAX_ITER, OK
from statlearn._math.linalg.positive import positive_system
from statlearn._math.solvers.solution import SmoothSolution
from statlearn._math.solvers.step import backtrack, rounding

_PERFECT = 1e-9


def newton(loss, phi, *, tol, max_iter, gauge=None, report=None):
    """Newton's method with step halving: for logistic losses the same as iteratively reweighted least squares.

    `gauge` (d, d) is added to the Hessian: it fixes directions along which the loss is constant. The history contains,
    per iteration, the value before the step, the step length and the largest change of a plain parameter. The search
    also ends at a mean loss of 1e-9, when all rows are fitted up to rounding.
    """
    history = {"value": [], "max_change": [], "step": []}
    value, gradient, hessian = loss.value_gradient_hessian(phi)
    status, n_iter = MAX_ITER, 0
    size = _largest(loss, gradient)
    while True:
        if size <= tol or value <= _PERFECT:
            status = OK
            break
        if n_iter >= max_iter:
            break
        n_iter += 1
        system = positive_system(hessian if gauge is None else hessian + gauge)
        with np.errstate(over="ignore", invalid="ignore"):
            direction = -system.solve(gradient.ravel()).reshape(phi.shape)
        if not np.abs(direction).max() < 1e8 * (1.0 + np.abs(phi).max()):
            # Far away the curvature vanishes; an upper bound still yields a descent direction.
            direction = -gradient / np.maximum(loss.diagonal_bound(), 1e-300)
        slope = float(np.vdot(gradient, direction))

        def ahead(t):
            trial = phi + t * direction
            value, *derivatives = loss.value_gradient_hessian(trial)
            return value, (trial, *derivatives)

        step = backtrack(ahead, value, slope, slack=rounding(value))
        stuck = -slope <= rounding(value) and size > tol
        if step is None:  # nothing left to gain at this precision, or no direction helps
            status = OK if -slope <= 1e-9 * abs(value) else MAX_ITER
            n_iter -= 1
            break
        trial, *derivatives = step.state
        history["value"].append(value)
        history["step"].append(step.length)
        history["max_change"].append(float(np.abs(loss.to_plain(trial) - loss.to_plain(phi)).max()))
        phi, value, (gradient, hessian) = trial, step.value, derivatives
        size = _largest(loss, gradient)
        # `stuck`: the predicted decrease is below rounding.
        if _asked_to_stop(report, phi) or stuck:
            status = OK
            break
    history = {name: np.array(column) for name, column in history.items()}
    return SmoothSolution(phi=phi, objective=value, gap=size, n_iter=n_iter, status=status, history=history)


class FullHessian:
    """Preconditioning by the exact Hessian, which is computed with the gradient in one pass over the data."""

    exact = True

    def __init__(self, loss, gauge=None):
        self.loss, self.gauge = loss, gauge

    def evaluate(self, phi):
        value, gradient, hessian = self.loss.value_gradient_hessian(phi)
        system = positive_system(hessian if self.gauge is None else hessian + self.gauge)
        return value, gradient, lambda g: system.solve(g.ravel()).reshape(g.shape)


class BlockHessian:
    """Preconditioning by one block of the Hessian per class, from a sample of the rows."""

    exact = False

    def __init__(self, loss, sample):
        self.loss, self.sample = loss, sample

    def evaluate(self, phi):
        blocks = [positive_system(block) for block in self.sample.block_hessians(phi)]
        value, gradient = self.loss.value_and_gradient(phi)
        return value, gradient, lambda g: np.stack([block.solve(row) for block, row in zip(blocks, g)])


class DiagonalHessian:
    """Scaling of each parameter by a bound on its curvature."""

    exact = False

    def __init__(self, loss):
        self.loss = loss
        diagonal = loss.diagonal_bound()
        self.inverse = 1.0 / np.where(diagonal > 0, diagonal, 1.0)

    def evaluate(self, phi):
        value, gradient = self.loss.value_and_gradient(phi)
        return value, gradient, lambda g: g * self.inverse


def quasi_newton(loss, phi, preconditioner, *, tol, max_iter, memory=12, warm=False, report=None):
    """L-BFGS with a Hessian of the loss as initial matrix, recomputed only while worthwhile.

    Far from the optimum, the exact Hessian is recomputed at every step (Newton's method). Once a step has reduced the
    gradient substantially, the factor is kept and corrected by secant pairs, so that an iteration costs one gradient.
    `warm` means that phi is already near the optimum. With an exact Hessian, one more step is taken after convergence;
    it costs one gradient and squares the error.
    """
    value, gradient, solve = preconditioner.evaluate(phi)
    pairs, n_iter, status = [], 0, MAX_ITER
    renew, slow = preconditioner.exact and not warm, 0
    size = _largest(loss, gradient)
    extra = preconditioner.exact
    while True:
        if size <= tol or value <= _PERFECT:
            status = OK
            if not extra or n_iter == 0 or n_iter >= max_iter or value <= _PERFECT:
                break
            extra = False
        if n_iter >= max_iter:
            break
        n_iter += 1
        direction = -_two_loops(gradient, pairs, solve)
        slope = float(np.vdot(gradient, direction))
        if slope >= 0.0:  # the pairs are corrupted by rounding
            pairs = []
            direction = -solve(gradient)
            slope = float(np.vdot(gradient, direction))

        def ahead(t):
            trial = phi + t * direction
            value, *rest = preconditioner.evaluate(trial) if renew else (*loss.value_and_gradient(trial), solve)
            return value, (trial, *rest)

        def flatter(t, new, state):
            return new <= value + rounding(value) and abs(np.vdot(state[1], direction)) <= -slope

        step = backtrack(ahead, value, slope, accept=flatter, interpolate=True)
        if step is None:
            status = OK if -slope <= 1e-9 * abs(value) else MAX_ITER
            n_iter -= 1
            break
        trial, new_gradient, new_solve = step.state
        if renew:
            pairs, solve = [], new_solve
        else:
            s, y = trial - phi, new_gradient - gradient
            curvature = float(np.vdot(s, y))
            if curvature > 1e-12 * float(np.vdot(y, y)) ** 0.5 * float(np.vdot(s, s)) ** 0.5:
                pairs = [*pairs[1 - memory :], (s, y, 1.0 / curvature)]
        ratio = np.linalg.norm(new_gradient) / np.linalg.norm(gradient)
        if preconditioner.exact:
            slow = slow + 1 if ratio > 0.3 else 0
            renew = ratio > 0.1 if renew else slow >= 2
        gained = value - step.value
        phi, value, gradient = trial, step.value, new_gradient
        size = _largest(loss, gradient)
        nothing_left = gained <= np.finfo(float).eps * abs(value) and -slope <= rounding(value)
        if _asked_to_stop(report, phi) or nothing_left:
            status = OK
            break
    return SmoothSolution(phi=phi, objective=value, gap=size, n_iter=n_iter, status=status)


def gradient_descent(loss, phi, *, tol, max_iter, report=None):
    """Steps of 1/L along the negative gradient, L estimated from the steps and doubled when one is too long."""
    value, gradient = loss.value_and_gradient(phi)
    lipschitz = float(loss.diagonal_bound().max())
    status, n_iter = MAX_ITER, 0
    history = {"value": [], "max_change": [], "step": []}
    size = _largest(loss, gradient)
    while True:
        if size <= tol:
            status = OK
            break
        if n_iter >= max_iter:
            break
        n_iter += 1

        def ahead(t):
            trial = phi - t * gradient / lipschitz
            value, new_gradient = loss.value_and_gradient(trial)
            return value, (trial, new_gradient)

        square = float(np.vdot(gradient, gradient)) / lipschitz
        step = backtrack(ahead, value, -square, slack=rounding(value), sufficient=0.5, shortest=1e-300)
        # No step helps if the loss or its gradient has overflowed.
        require_finite(np.inf if step is None else step.length)
        lipschitz /= step.length
        trial, new_gradient = step.state
        history["value"].append(value)
        history["step"].append(1.0 / lipschitz)
        history["max_change"].append(float(np.abs(loss.to_plain(trial) - loss.to_plain(phi)).max()))
        phi, value, gradient = trial, step.value, new_gradient
        size = _largest(loss, gradient)
        lipschitz *= 0.9
        if _asked_to_stop(report, phi):
            status = OK
            break
    history = {name: np.array(column) for name, column in history.items()}
    return SmoothSolution(phi=phi, objective=value, gap=size, n_iter=n_iter, status=status, history=history)


def _asked_to_stop(report, phi):
    return report is not None and report(phi)


def _largest(loss, gradient):
    return float(np.abs(loss.plain_gradient(gradient)).max())


def _two_loops(gradient, pairs, solve):
    """The L-BFGS direction (without its sign) with `solve` as initial inverse Hessian."""
    r, coefficients = gradient.copy(), []
    for s, y, rho in reversed(pairs):
        a = rho * float(np.vdot(s, r))
        r -= a * y
        coefficients.append(a)
    if pairs:
        s, y, _ = pairs[-1]
        scaled = solve(y)
        r = solve(r) * (float(np.vdot(s, y)) / float(np.vdot(y, scaled)))
    else:
        r = solve(r)
    for (s, y, rho), a in zip(pairs, reversed(coefficients)):
        r += s * (a - rho * float(np.vdot(y, r)))
    return r
