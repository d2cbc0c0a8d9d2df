"""Minimising a criterion over log smoothing parameters."""

import numpy as np


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
        new, found = _halved(cost, x, step, value, gradient, low, high)
        quiet = quiet + 1 if value - found[0] <= 1e-12 * (1.0 + abs(value)) else 0
        if found[0] < value:
            x, (value, gradient, hessian) = new, found
        if quiet == 2:
            break
    return x


def quasi_newton(cost, x, low, high, hessian, *, max_iter=100, longest=3.0):
    """The same by the BFGS method, from a guess of the second derivatives; `cost(x)` gives value and gradient.

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
        found = cost(x)
        met |= not np.isfinite(found[0])
        return found

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
        new, (new_value, new_gradient) = _halved(watched, x, step, value, gradient, low, high)
        walls += met
        moved, turned = new - x, new_gradient - gradient
        quiet = quiet + 1 if value - new_value <= 1e-12 * (1.0 + abs(value)) else 0
        if new_value < value:
            x, value, gradient = new, new_value, new_gradient
        if quiet == 2 or walls == 3:
            break
        curvature = moved @ turned
        if curvature <= 0 and not met:
            H = 2.0 * H  # the cost bends downwards: on, and faster
        elif curvature > 1e-12 * np.linalg.norm(moved) * np.linalg.norm(turned):
            left = np.eye(len(x)) - np.outer(moved, turned) / curvature
            H = left @ H @ left.T + np.outer(moved, moved) / curvature
    return x


def _halved(cost, x, step, value, gradient, low, high):
    """The step, halved until the criterion falls enough, and what the criterion is there."""
    size = 1.0
    while True:
        new = np.clip(x + size * step, low, high)
        found = cost(new)
        if found[0] <= value + 1e-4 * gradient @ (new - x) or size < 1e-5:
            return new, found
        size /= 2


def _positive_inverse(hessian):
    """Of the matrix with the absolute values of its eigenvalues, none below a small share of the largest."""
    if not np.all(np.isfinite(hessian)):
        return np.eye(len(hessian))
    values, vectors = np.linalg.eigh((hessian + hessian.T) / 2)
    size = np.abs(values)
    return (vectors / np.maximum(size, max(1e-7 * size.max(), 1e-12))) @ vectors.T
