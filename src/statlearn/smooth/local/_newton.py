"""Local fits of a likelihood defined in Python: Newton's method, vectorised over the rows of a window."""

import numpy as np

from statlearn._math.solvers.step import backtrack, rounding

OK, NOT_CONVERGED, SEPARATED, EMPTY = range(4)  # as in local_likelihood.hpp
_SINGULAR = 1e-10


def local_newton(likelihood, y, copies, windows, centre, alpha, fallback, tol, max_iter):
    """Linear predictors, standard errors, inverse information times K(0), and the status of the windows.

    `windows` yields functions and weights of the rows for each query. The curvature is the second derivative of the
    likelihood, replaced by squared slopes in windows where it is not positive.
    """
    eta, std_error, information, ended = [], [], [], []
    for B, weights in windows:
        rows = np.flatnonzero(weights > 0)
        if not len(rows):
            eta.append(np.nan), std_error.append(np.nan), information.append(np.nan), ended.append(EMPTY)
            continue
        fit = _Window(likelihood, y[rows], B[rows], weights[rows], centre, tol, max_iter)
        state = OK
        if not fit.climb(alpha):
            state = NOT_CONVERGED
            if alpha == 0.0:
                fit.climb(fallback)
                state = SEPARATED
        k = 1.0 if copies is None else copies[rows]
        first, spread = fit.spread(k)
        eta.append(fit.beta[0])
        std_error.append(np.sqrt(spread))
        # K(0) is the largest possible weight of a row of weight 1.
        information.append(first * np.max(weights[rows] / k))
        ended.append(state)
    return np.array(eta), np.array(std_error), np.array(information), np.array(ended)


class _Window:
    def __init__(self, likelihood, y, B, weights, centre, tol, max_iter):
        self.likelihood, self.y, self.weights = likelihood, y, weights
        self.centre, self.tol, self.max_iter = centre, tol, max_iter
        self.used = _determined(B, weights)
        self.B = B[:, self.used]
        self.beta = np.zeros(len(self.used))
        self.alpha = 0.0

    def _value(self, beta):
        with np.errstate(all="ignore"):
            value = self.weights @ self.likelihood.loss(self.y, self.B @ beta)
        moved = beta - self._target()
        value = value + 0.5 * self.alpha * moved @ moved
        return value if np.isfinite(value) else np.inf

    def _target(self):
        return np.r_[self.centre, np.zeros(len(self.used) - 1)]

    def _system(self):
        slope, curvature = self.likelihood.derivatives(self.y, self.B @ self.beta)
        gradient = self.B.T @ (self.weights * slope) + self.alpha * (self.beta - self._target())
        for c in (curvature, np.square(slope)):
            H = (self.B * (self.weights * c)[:, None]).T @ self.B + self.alpha * np.eye(len(self.used))
            scale = np.sqrt(np.maximum(np.diagonal(H), 0.0))
            if np.all(scale > 0) and np.linalg.eigvalsh(H / np.outer(scale, scale))[0] > _SINGULAR:
                return gradient, H
        return gradient, None

    def climb(self, alpha):
        """Newton's method from the constant model; returns whether it converged."""
        self.alpha, self.beta = alpha, self._target()
        value = self._value(self.beta)
        for _ in range(self.max_iter):
            gradient, H = self._system()
            if H is None:
                return False
            step = -np.linalg.solve(H, gradient)
            before = self.B @ self.beta

            def ahead(t):
                trial = self.beta + t * step
                after = self.B @ trial
                return self._value(trial), (trial, np.max(np.abs(after - before) / (1.0 + np.abs(after))))

            moved = backtrack(
                ahead,
                value,
                gradient @ step,
                slack=rounding(value, self.weights.sum()),
                accept=lambda t, new, state: np.isfinite(new) and state[1] <= self.tol,
            )
            if moved is None:
                return False
            value, (self.beta, change) = moved.value, moved.state
            if change <= self.tol:
                return True
        return False

    def spread(self, copies):
        """The intercept's element of the inverse information, and its variance."""
        _, H = self._system()
        if H is None:
            return np.nan, np.nan
        first = np.linalg.solve(H, np.r_[1.0, np.zeros(len(self.used) - 1)])
        curvature = np.maximum(self.likelihood.derivatives(self.y, self.B @ self.beta)[1], 0.0)
        return first[0], float(np.sum(self.weights**2 / copies * curvature * (self.B @ first) ** 2))


def _determined(B, weights):
    """Columns that are linearly independent of those before them, in the rows with weight."""
    independent, basis = [], []
    for j in range(B.shape[1]):
        column = np.sqrt(weights) * B[:, j]
        left = column.copy()
        for other in basis:
            left -= (other @ left) * other
        if column @ column > 0 and left @ left > _SINGULAR * (column @ column):
            independent.append(j)
            basis.append(left / np.linalg.norm(left))
    return independent
