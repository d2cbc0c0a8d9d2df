"""The exact likelihood of an Ising model with an L1 penalty on all interactions at once."""

import numpy as np
from scipy.special import logsumexp

from statlearn._math.solvers.step import backtrack, rounding


def _subproblem(H, g, theta, l1, tol, max_sweeps=500):
    """Minimise -g'd + d'Hd/2 + sum l1 |theta + d| over d by coordinate descent."""
    d, pull = np.zeros(len(g)), g.copy()  # pull = g - H d
    curvature = np.diag(H)
    for _ in range(max_sweeps):
        largest = 0.0
        for j in range(len(g)):
            if curvature[j] <= 0.0:
                continue
            z = theta[j] + d[j] + pull[j] / curvature[j]
            new = np.copysign(max(abs(z) - l1[j] / curvature[j], 0.0), z) - theta[j]
            change = new - d[j]
            if change != 0.0:
                d[j] = new
                pull -= H[j] * change
                largest = max(largest, abs(change) * curvature[j])
        if largest <= tol:
            break
    return d


def kkt_residual(gradient, theta, l1):
    """Largest violation of the optimality conditions; the gradient is that of the smooth part, to be maximised."""
    signed = np.abs(gradient - l1 * np.sign(theta))
    return float(np.where(theta != 0.0, signed, np.maximum(np.abs(gradient) - l1, 0.0)).max(initial=0.0))


def fit_exact_l1(features, target, start, l1, l2, tol, max_iter):
    """Maximise target'theta - log sum exp(features theta) - sum (l1 |theta| + l2/2 theta^2) by proximal Newton steps.

    Returns theta, the number of steps and the residual of the optimality conditions.
    """

    def evaluate(theta):
        logs = features @ theta
        log_z = logsumexp(logs)
        return log_z - target @ theta + 0.5 * l2 @ theta**2 + l1 @ np.abs(theta), np.exp(logs - log_z)

    theta = start.copy()
    loss, law = evaluate(theta)
    residual, n_iter = np.inf, 0
    while n_iter < max_iter:
        moments = law @ features
        gradient = target - moments - l2 * theta
        residual = kkt_residual(gradient, theta, l1)
        if residual <= tol or np.abs(theta).max() > 50.0:  # beyond, the maximum is at infinity
            break
        n_iter += 1
        H = (features * law[:, None]).T @ features - np.outer(moments, moments)
        H[np.diag_indices_from(H)] += l2 + 1e-10
        d = _subproblem(H, gradient, theta, l1, 0.1 * min(tol, residual**2))
        expected = gradient @ d - l1 @ (np.abs(theta + d) - np.abs(theta))
        shorter = min(1.0, 20.0 / max(np.abs(d).max(), 1e-300))
        d, expected = shorter * d, shorter * expected
        step = backtrack(lambda t: evaluate(theta + t * d), loss, -expected, slack=rounding(loss))
        if step is None:
            break
        theta, loss, law = theta + step.length * d, step.value, step.state
    return theta, n_iter, residual
