"""Sums of ridge functions: smoothers of a projection, the fit of one term, and the fit of all of them together.

Rows are standardised here; `_projection_pursuit.py` returns to the scale of the data.
"""

from dataclasses import dataclass

import numpy as np

from statlearn._core import native
from statlearn.smooth.splines._smoothing_problem import SplineProblem, lambda_of_df

_PLACES = 256  # distinct places of a spline at most, where rows are many: nearer ones are merged
_MOST_DF = 15.0  # of a spline by generalised cross-validation, which ignores that directions were chosen
_REFINED = 7  # penalties tried between the neighbours of the best one of the grid
# Lengths of a step of a direction that are tried, and the share from one to the next. Curves through few rows are rough
# functions of the direction, and cheap.
_FEW_ROWS, _MANY_ROWS = (6, 0.5), (3, 0.25)
_DAMPING = 1e-3  # share of the mean curvature that is added to the curvature in every direction


@dataclass
class RidgeSmoother:
    """Weighted curves through (z, t): values and slopes at z, and the penalty of a spline.

    A given penalty is kept while a direction moves, so that steps are compared at the same smoothness.

    Parameters
    ----------
    method : {"supersmoother", "spline", "gcv_spline"}
    span, bass : float
        Span of the super smoother; 0 chooses it locally.
    df : float
        Of the spline.
    gcv_penalty : float
        Cost of a degree of freedom in GCV.
    """

    method: str
    span: float = 0.0
    bass: float = 0.0
    df: float = 5.0
    gcv_penalty: float = 1.0

    def __call__(self, z, t, w, lam=None):
        value, slope = np.empty((2, len(z)))
        if self.method == "supersmoother":
            native.smooth.ridge_supersmooth(z, t, w, self.span, self.bass, value, slope)
            return value, slope, lam
        order, sums = np.empty(len(z), np.int32), np.empty((4, len(z)))
        count = native.smooth.ridge_places(z, t, w, _PLACES, order, sums)
        if count < 3:
            return *_line(z, t, w), lam
        places, weight, mean, within = (row[:count] for row in sums)
        problem = SplineProblem(places, mean, weight)
        problem.within = within
        if lam is None:
            lam = self._penalty(problem)
        curve = problem.fit(lam)
        native.smooth.ridge_evaluate(z, order, curve.knots, curve.value, curve.slope, curve.second, value, slope)
        return value, slope, lam

    def _penalty(self, problem):
        if self.method == "spline":
            return lambda_of_df(problem, min(self.df, problem.n_used - 0.5))
        grid = problem.grid()
        best = _lowest(self._gcv(problem, 10.0**grid))
        near = np.linspace(grid[max(best - 1, 0)], grid[min(best + 1, len(grid) - 1)], _REFINED)
        values = self._gcv(problem, 10.0**near)
        return 10.0 ** _valley(near, values, _lowest(values))

    def _gcv(self, problem, lam):
        scores = problem.scores(lam)
        left = 1.0 - self.gcv_penalty * scores.df / problem.total
        usable = (left > 0) & (scores.df <= min(_MOST_DF, problem.n_used - 0.5))
        return np.where(usable, scores.rss / np.where(usable, left, 1.0) ** 2, np.inf)


def _lowest(values):
    """Index of the smallest value, the last among ties, which has the largest penalty."""
    return len(values) - 1 - int(np.argmin(values[::-1]))


def _valley(x, values, k):
    """Minimum of the parabola through point k and its neighbours on an even grid, or the point itself."""
    if not 0 < k < len(x) - 1 or not np.isfinite(values[k - 1] + values[k + 1]):
        return x[k]
    low, middle, high = values[k - 1 : k + 2]
    bend = low - 2.0 * middle + high
    return x[k] + 0.5 * (x[1] - x[0]) * (low - high) / bend if bend > 0 else x[k]


def _line(z, t, w):
    centre, middle = np.average(z, weights=w), np.average(t, weights=w)
    spread = w @ (z - centre) ** 2
    slope = w @ ((z - centre) * (t - middle)) / spread if spread > 0 else 0.0
    return middle + slope * (z - centre), np.full(len(z), slope)


@dataclass
class RidgeTerm:
    """beta_k f(a'x): f has mean 0 and variance 1 over the rows."""

    direction: np.ndarray  # of length 1
    loadings: np.ndarray  # beta, one for each response
    value: np.ndarray  # f at the rows
    slope: np.ndarray  # f' at the rows
    lam: float | None  # penalty of its spline

    @property
    def part(self):
        return self.value[:, None] * self.loadings


class RidgeProblem:
    """Rows, responses and weights, and the sum of squares to minimise by ridge functions.

    Parameters
    ----------
    X : ndarray of shape (n, p)
        Of mean 0 and variance 1.
    weights : ndarray of shape (n,)
    response_weights : ndarray of shape (q,)
    smoother : RidgeSmoother
    tol : float
        Smallest relative decrease of the sum of squares that warrants another step.
    """

    def __init__(self, X, weights, response_weights, smoother, tol):
        self.X, self.w, self.ww, self.smoother, self.tol = X, weights, response_weights, smoother, tol
        self.total, self.root = weights.sum(), np.sqrt(weights)

    def loss(self, R):
        """Weighted sum of squares of residuals."""
        return float(self.w @ (R**2 @ self.ww))

    def smooth(self, R, direction, loadings, lam=None):
        """The term along a direction for the residuals R, from loadings that combine them, and its loss."""
        strength = float(self.ww @ loadings**2)
        target = R @ (self.ww * loadings) / strength if strength > 0 else R.mean(axis=1)
        value, slope, lam = self.smoother(self.X @ direction, target, self.w, lam)
        value = value - self.w @ value / self.total
        spread = np.sqrt(self.w @ value**2 / self.total)
        if not spread > 0:
            nothing = np.zeros(len(value))
            return RidgeTerm(direction, np.zeros(len(self.ww)), nothing, nothing, lam), self.loss(R)
        value, slope = value / spread, slope / spread
        term = RidgeTerm(direction, (self.w * value) @ R / self.total, value, slope, lam)
        return term, self.loss(R - term.part)

    def step(self, R, term):
        """Gauss-Newton step of the direction: least squares of the residuals on x f'(a'x)."""
        strength = float(self.ww @ term.loadings**2)
        if not strength > 0:
            return np.zeros_like(term.direction)
        left = (R - term.part) @ (self.ww * term.loadings) / strength
        H = self.X * (self.root * term.slope)[:, None]
        A = H.T @ H
        g = H.T @ (self.root * left)
        damping = _DAMPING * np.trace(A) / len(A)
        if not damping > 0:
            return np.zeros_like(term.direction)
        delta = np.linalg.solve(A + damping * np.eye(len(A)), g)
        return delta - term.direction * (term.direction @ delta)  # along the direction nothing changes

    def improve(self, R, term, loss, max_steps):
        """Steps of the direction, each shortened until the sum of squares decreases."""
        tries, shorter = _FEW_ROWS if len(R) <= 2 * _PLACES else _MANY_ROWS
        for _ in range(max_steps):
            delta, before = self.step(R, term), loss
            length = np.linalg.norm(delta)
            if not length > 1e-12:
                break
            delta *= min(1.0, 2.0 / length)
            for _ in range(tries):
                moved = term.direction + delta
                new, new_loss = self.smooth(R, moved / np.linalg.norm(moved), term.loadings, term.lam)
                if new_loss < loss:
                    term, loss = new, new_loss
                    break
                delta *= shorter
            if before - loss <= self.tol * before:
                break
        return term, loss

    def starts(self, R, rng, n_random):
        """Starting directions and loadings: of the linear fit, of the strongest curvature, and random ones."""
        X, w = self.X, self.w
        p = X.shape[1]
        cross = X.T @ (w[:, None] * R * np.sqrt(self.ww)) / self.total
        gram = X.T @ (X * w[:, None]) / self.total + 1e-6 * np.eye(p)
        U, _, Vt = np.linalg.svd(cross, full_matrices=False)
        loadings = Vt[0] / np.sqrt(np.where(self.ww > 0, self.ww, 1.0))
        directions = [np.linalg.solve(gram, U[:, 0]), U[:, 0]]
        # Principal Hessian directions find what bends to the same side on both ends, which no linear fit sees.
        main = R @ (self.ww * loadings)
        main = main - w @ main / self.total
        bend = np.linalg.solve(gram, X.T @ (X * (w * main)[:, None]) / self.total)
        values, vectors = np.linalg.eig(bend)
        strongest = np.argsort(-np.abs(values.real), kind="stable")[:2]
        directions += list(vectors.real[:, strongest].T)
        directions += list(rng.normal(size=(n_random, p)))
        lengths = [np.linalg.norm(a) for a in directions]
        return [a / size for a, size in zip(directions, lengths, strict=True) if size > 1e-12], loadings

    def new_term(self, R, rng, n_random, max_steps):
        """Best of several starts, two of which are run to convergence."""
        directions, loadings = self.starts(R, rng, n_random)
        tried = [self.smooth(R, a, loadings) for a in directions]
        tried.sort(key=lambda trial: trial[1])
        return min((self.improve(R, *trial, max_steps) for trial in tried[:2]), key=lambda trial: trial[1])

    def backfit(self, Y, terms, max_iter, max_steps):
        """Rounds over the terms until the sum of squares converges: residuals, rounds, whether they converged."""
        R = Y - sum(term.part for term in terms)
        loss = self.loss(R)
        for done in range(1, max_iter + 1):
            before = loss
            for k, term in enumerate(terms):
                partial = R + term.part
                refreshed, new_loss = self.smooth(partial, term.direction, term.loadings)
                if new_loss > loss:  # a smoother need not lower the sum of squares
                    refreshed, new_loss = term, loss
                terms[k], loss = self.improve(partial, refreshed, new_loss, max_steps)
                R = partial - terms[k].part
            if before - loss <= self.tol * before:
                return R, done, True
        return R, max_iter, False
