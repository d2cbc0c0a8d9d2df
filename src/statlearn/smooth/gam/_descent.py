"""Minimising a criterion over log smoothing parameters."""

import numpy as np

from statlearn._math.solvers.step import backtrack


def newton(cost, x, low, high, *, max_iter=200, longest=5.0):
    """Minimise by Newton's method with bounded steps and halving: a long step may jump to where a criterion is flat.

    `cost(x)` gives the value, the gradient and the second derivatives; x stays between `low` and `high`. Ends when the
    gradient is below 1e-8 of the value, or when two steps have brought nothing.
    """
    x = np.clip(x, low, high)
    value, gradient, hessian = cost(x)
    quiet = 0
    for _ in range(max_iter):
        held = ((x <= low) & (gradient > 0)) | ((x >= high) & (gradient < 0))
        free = np.flatnonzero(~held)
        if not len(free) or np.abs(gradient[free]).max() <= 1e-8 * (1.0 + abs(value)):
            break
        step = np.zeros(len(x))
        step[free] = -_positive_inverse(hessian[np.ix_(free, free)]) @ gradient[free]
        step *= min(1.0, longest / max(np.abs(step).max(), 1e-300))
        moved = _search(cost, x, step, value, gradient, low, high)
        if moved is None:
            break
        quiet = quiet + 1 if value - moved.value <= 1e-12 * (1.0 + abs(value)) else 0
        value, (x, gradient, hessian) = moved.value, moved.state
        if quiet == 2:
            break
    return x


def quasi_newton(cost, x, low, high, hessian, *, max_iter=100, longest=3.0):
    """Minimise by the BFGS method, from a guess of the second derivatives; `cost(x)` gives value and gradient.

    Ends at a gradient below 1e-7 of the value. Where the cost is infinite there is a wall; the search ends when it has
    run against it three times.
    """
    x = np.clip(x, low, high)
    value, gradient = cost(x)
    first = _positive_inverse(hessian)
    H = first
    quiet = walls = 0
    met = False

    def watched(x):
        nonlocal met
        cost_here = cost(x)
        met |= not np.isfinite(cost_here[0])
        return cost_here

    for _ in range(max_iter):
        held = ((x <= low) & (gradient > 0)) | ((x >= high) & (gradient < 0))
        if np.abs(np.where(held, 0.0, gradient)).max() <= 1e-7 * (1.0 + abs(value)):
            break
        step = -H @ np.where(held, 0.0, gradient)
        if step @ gradient >= 0:
            H = first
            step = -H @ np.where(held, 0.0, gradient)
        step *= min(1.0, longest / max(np.abs(step).max(), 1e-300))
        met = False
        accepted = _search(watched, x, step, value, gradient, low, high)
        walls += met
        if walls == 3 or (accepted is None and H is first):
            break
        if accepted is None:
            H = first
            continue
        new, new_gradient = accepted.state
        moved, turned = new - x, new_gradient - gradient
        quiet = quiet + 1 if value - accepted.value <= 1e-12 * (1.0 + abs(value)) else 0
        x, value, gradient = new, accepted.value, new_gradient
        if quiet == 2:
            break
        curvature = moved @ turned
        if curvature <= 0 and not met:
            H = 2.0 * H  # the cost bends downwards: on, and faster
        elif curvature > 1e-12 * np.linalg.norm(moved) * np.linalg.norm(turned):
            left = np.eye(len(x)) - np.outer(moved, turned) / curvature
            H = left @ H @ left.T + np.outer(moved, moved) / curvature
    return x


def _search(cost, x, step, value, gradient, low, high):
    """A step within the bounds that decreases the criterion, with the point and the derivatives there; or None."""

    def point(t):
        return np.clip(x + t * step, low, high)

    def ahead(t):
        new = point(t)
        value, *derivatives = cost(new)
        return value, (new, *derivatives)

    # Each value of the criterion requires a fit, so very short steps are not tried.
    return backtrack(ahead, value, lambda t: gradient @ (point(t) - x), shortest=1e-5)


def _positive_inverse(hessian):
    """Inverse of the matrix with the absolute eigenvalues, none below a small fraction of the largest."""
    if not np.all(np.isfinite(hessian)):
        return np.eye(len(hessian))
    values, vectors = np.linalg.eigh((hessian + hessian.T) / 2)
    size = np.abs(values)
    return (vectors / np.maximum(size, max(1e-7 * size.max(), 1e-12))) @ vectors.T
