"""The smoothing-spline problem of one column: distinct knots, scores of penalties, curves, and the choice of a penalty.

Every smoother with a cubic smoothing spline inside is built on `SplineProblem`.
"""

from dataclasses import dataclass

import numpy as np
from scipy.linalg import solveh_banded

from statlearn._core import native
from statlearn._core.memory import require_memory

_NONE = np.empty(0)
_STEPS = 8  # penalties tried at once when the grid is refined


@dataclass
class Scores:
    """Scores of penalties; each field holds one number per penalty."""

    rss: np.ndarray
    df: np.ndarray
    gcv: np.ndarray
    loo: np.ndarray
    reml: np.ndarray
    held: np.ndarray


@dataclass
class Curve:
    """A natural cubic spline by its values, slopes and second derivatives at increasing knots.

    Parameters
    ----------
    knots, value, slope, second : ndarray of shape (m,)
    variance : ndarray of shape (m,)
        Variance of the value for noise of variance 1 and weight 1.
    """

    knots: np.ndarray
    value: np.ndarray
    slope: np.ndarray
    second: np.ndarray
    variance: np.ndarray

    def __call__(self, x, derivative=0):
        """Values of the curve or a derivative (1, 2 or 3) at any points; linear beyond the outer knots."""
        knots = self.knots
        left = np.clip(np.searchsorted(knots, x, side="right") - 1, 0, len(knots) - 2)
        h = knots[left + 1] - knots[left]
        inside = np.clip(x, knots[0], knots[-1])
        t = inside - knots[left]
        if derivative == 0:
            return self._values(x, left, h, inside, t)
        second = self.second[left]
        jerk = (self.second[left + 1] - second) / h
        if derivative == 1:
            return self.slope[left] + t * (second + 0.5 * t * jerk)
        outside = (x < knots[0]) | (x > knots[-1])
        return np.where(outside, 0.0, second + t * jerk if derivative == 2 else jerk)

    def _values(self, x, left, h, inside, t):
        u = t / h
        step = self.value[left + 1] - self.value[left]
        low, high = h * self.slope[left] - step, step - h * self.slope[left + 1]
        cubic = self.value[left] + u * step + u * (1.0 - u) * ((1.0 - u) * low + u * high)
        beyond = x - inside
        return cubic + beyond * np.where(beyond < 0, self.slope[0], self.slope[-1])


class SplineProblem:
    r"""Rows of one column prepared for the problem :math:`\sum_i w_i (y_i - f(x_i))^2 + \lambda \int f''^2`.

    Rows with equal x become one knot with their weighted mean. Internally x runs from 0 to 1 and a line is subtracted
    from y; penalties always refer to the original x.

    Parameters
    ----------
    x, y : ndarray of shape (n,)
    weights : ndarray of shape (n,) or None, default=None
        A knot with weight 0 has no response.

    Attributes
    ----------
    knots : ndarray of shape (m,)
        The distinct x.
    row_knot : ndarray of shape (n,)
        The knot of each row.
    weights : ndarray of shape (m,)
        Sums of the weights at each knot.
    total : float
        Sum of all weights, used as the number of rows.
    n_used : int
        Knots with a positive weight.
    """

    def __init__(self, x, y, weights=None):
        x = np.ascontiguousarray(x, dtype=np.float64)
        if np.all(x[1:] > x[:-1]):
            self.knots, self.row_knot = x, np.arange(len(x), dtype=np.intp)
        else:
            order = slice(None) if np.all(x[1:] >= x[:-1]) else np.argsort(x, kind="stable")
            ordered = x[order]
            new = np.empty(len(x), dtype=bool)
            new[:1] = True
            np.greater(ordered[1:], ordered[:-1], out=new[1:])
            self.knots = ordered[new]
            self.row_knot = np.empty(len(x), dtype=np.intp)
            self.row_knot[order] = np.cumsum(new) - 1
        self.row_weight = None if weights is None else np.ascontiguousarray(weights, dtype=np.float64)
        self.weights = self._sums(None)
        self.total = float(self.weights.sum())
        used = np.flatnonzero(self.weights)
        self.n_used = len(used)
        self.start = self.knots[used[0]]
        self.scale = (self.knots[used[-1]] - self.start) or 1.0
        if not 1e-80 < self.scale < 1e80:  # the penalty is in units of its cube
            raise ValueError(f"X has a range of only {self.scale:.3g}; rescale X.")
        self.places = (self.knots - self.start) / self.scale
        if len(self.places) > 1 and not np.all(self.places[1:] > self.places[:-1]):
            raise ValueError(
                "X: distinct values are so close together that their differences vanish relative to the range."
            )
        gap, weight = np.diff(self.places[used]).min(initial=1.0), self.weights[used].min()
        # Far below the stiffness w h^3 of the closest knots, a penalty lets the curve pass through all means.
        self._least = max(1e-20 * weight * gap**3, 1e-140)
        # Where the equations of the second derivatives lose fewer digits than the kernel (empirical).
        self._small = weight * gap**1.5
        self._set_response(np.ascontiguousarray(y, dtype=np.float64))

    def _sums(self, values):
        """Sums over the rows of each knot of weights times values."""
        if values is None:
            values = self.row_weight
        elif self.row_weight is not None:
            values = values * self.row_weight
        if len(self.knots) == len(self.row_knot):
            sums = np.ones(len(self.knots))
            if values is not None:
                sums[self.row_knot] = values
            return sums
        return np.bincount(self.row_knot, weights=values, minlength=len(self.knots)).astype(np.float64)

    def _set_response(self, y):
        w, t = self.weights, self.places
        with np.errstate(invalid="ignore"):
            mean = np.where(w > 0, self._sums(y) / np.where(w > 0, w, 1.0), 0.0)
        self.within = np.zeros(len(t))
        if len(t) < len(y):
            self.within = self._sums((y - mean[self.row_knot]) ** 2)
        middle, centre = np.sum(w * t) / self.total, np.sum(w * mean) / self.total
        spread = np.sum(w * (t - middle) ** 2)
        tilt = np.sum(w * (t - middle) * (mean - centre)) / spread if spread > 0 else 0.0
        self.line = (centre - tilt * middle, tilt)
        self.y = np.where(w > 0, mean - (self.line[0] + tilt * t), 0.0)
        self.mean = mean

    def rss_line(self):
        """Residual sum of squares of the least squares line."""
        return float(np.sum(self.weights * self.y**2) + self.within.sum())

    def rss_mean(self):
        """Sum of squares around the mean."""
        centre = np.average(self.mean, weights=self.weights)
        return float(np.sum(self.weights * (self.mean - centre) ** 2) + self.within.sum())

    def with_response(self, y):
        """The problem of the same rows with another response."""
        other = object.__new__(SplineProblem)
        other.__dict__.update(self.__dict__)
        other._set_response(np.ascontiguousarray(y, dtype=np.float64))
        return other

    def inner(self, lam):
        """Penalties on the scale of places; those too small to make a difference are raised to one of that kind."""
        inner = np.atleast_1d(np.asarray(lam, dtype=np.float64)) / self.scale**3
        return np.maximum(inner, self._least)

    def scores(self, lam, *, likelihood=False, held_y=None, held_w=None):
        """Scores of several penalties, and of held-out responses at each knot if given."""
        inner = np.ascontiguousarray(self.inner(lam))
        out = np.empty((len(inner), 6))
        if held_y is None:
            held_y = held_w = _NONE
        else:
            held_y = held_y - (self.line[0] + self.line[1] * self.places)
        native.smooth.smoothing_spline_scores(
            self.places, self.y, self.weights, self.within, held_y, held_w, inner, likelihood, out
        )
        rss, df, loo, penalised, log_det, held = out.T
        within = self.within.sum()
        n = self.total
        with np.errstate(divide="ignore", invalid="ignore"):
            gcv = ((rss + within) / n) / (1.0 - df / n) ** 2
            reml = 0.5 * ((n - 2) * np.log((penalised + within) / (n - 2)) + log_det)
        # A point that determines its own value has an infinite leave-one-out error; its residual of 0 makes it NaN.
        gcv, loo = (np.where(np.isnan(score), np.inf, score) for score in (gcv, loo / n))
        return Scores(rss + within, df, gcv, loo, reml, held)

    def fit(self, lam, at=None):
        """The curve, also at extra points if `at` is given."""
        places, y, w = self.places, self.y, self.weights
        knots = self.knots
        if at is not None:
            knots = np.union1d(self.knots, at)
            where = np.searchsorted(knots, self.knots)
            places = (knots - self.start) / self.scale
            y, w = np.zeros(len(knots)), np.zeros(len(knots))
            y[where], w[where] = self.y, self.weights
        value, slope, second, variance = np.empty((4, len(knots)))
        inner = float(self.inner(lam)[0])
        native.smooth.smoothing_spline_fit(places, y, w, inner, value, slope, second, variance)
        if inner < self._small and self.n_used > 2:
            value, slope, second = self._nearly_interpolating(inner, places)
        value += self.line[0] + self.line[1] * places
        slope = (slope + self.line[1]) / self.scale
        return Curve(knots, value, slope, second / self.scale**2, variance)

    def _nearly_interpolating(self, inner, places):
        """Values, slopes and second derivatives of a curve with a small penalty, at increasing places.

        The kernel divides by the penalty, which costs digits between the knots. The equations of the second derivatives
        g (Green & Silverman 1994, section 2.3), (R + lambda Q'W^-1 Q) g = Q'y, do not.
        """
        used = self.weights > 0
        x, y, w = self.places[used], self.y[used], self.weights[used]
        h = np.diff(x)
        # Columns of Q: second divided differences at three consecutive knots
        left, right = 1.0 / h[:-1], 1.0 / h[1:]
        middle = -(left + right)
        bands = np.zeros((3, len(x) - 2))
        bands[2] = (h[:-1] + h[1:]) / 3.0 + inner * (left**2 / w[:-2] + middle**2 / w[1:-1] + right**2 / w[2:])
        bands[1, 1:] = h[1:-1] / 6.0 + inner * (middle[:-1] * left[1:] / w[1:-2] + right[:-1] * middle[1:] / w[2:-1])
        bands[0, 2:] = inner * right[:-2] * left[2:] / w[2:-2]
        inside = solveh_banded(bands, np.diff(np.diff(y) / h))
        pull = np.zeros(len(x))
        pull[:-2] += left * inside
        pull[1:-1] += middle * inside
        pull[2:] += right * inside
        value, second = y - inner * pull / w, np.concatenate([[0.0], inside, [0.0]])
        rise = np.diff(value) / h
        slope = np.append(rise - h / 6.0 * (2.0 * second[:-1] + second[1:]), 0.0)
        slope[-1] = rise[-1] + h[-1] / 6.0 * second[-2]
        curve = Curve(x, value, slope, second, np.empty(0))
        return curve(places), curve(places, 1), curve(places, 2)

    def solve(self, pulls, lam, at=None):
        """(W + lambda K)^-1 pulls at the knots, or at the union of the knots with `at`."""
        knots = self.knots if at is None else np.union1d(self.knots, at)
        w = np.zeros(len(knots))
        w[np.searchsorted(knots, self.knots)] = self.weights
        require_memory(16 * pulls.size, f"A smoother matrix with {pulls.size:,} numbers", "Ask for fewer rows.")
        fitted = np.empty(pulls.shape)
        places = (knots - self.start) / self.scale
        native.smooth.smoothing_spline_columns(
            places, np.ascontiguousarray(pulls), w, float(self.inner(lam)[0]), fitted
        )
        return fitted

    def rows(self, x, lam):
        """Weights of the training rows in the curve at x: predictions are this matrix times y."""
        knots = np.union1d(self.knots, x)
        pulls = np.zeros((len(knots), len(x)))
        pulls[np.searchsorted(knots, x), np.arange(len(x))] = 1.0
        columns = self.solve(pulls, lam, at=x)[np.searchsorted(knots, self.knots)]
        L = columns.T[:, self.row_knot]
        return L if self.row_weight is None else L * self.row_weight

    def grid(self, step=1.0):
        """Base-10 logarithms of penalties, from a curve through nearly all knots to nearly a line."""
        top = np.log10(self.total) + 2.0
        bottom = np.log10(self.total) - 1.0 - 4.0 * np.log10(np.pi * self.n_used)
        return np.arange(bottom, top + step, step) + 3.0 * np.log10(self.scale)


def minimise(score, grid, *, rounds=2):
    """Point where `score`, a function of an array of points, is smallest, between the points of a grid.

    The neighbourhood of the best point is refined twice; then the polynomial through the last points is minimised.
    """
    values = score(grid)
    # The largest penalty among equals; not-a-number (nothing left to estimate from) is never best.
    k = len(grid) - 1 - int(np.nanargmin(values[::-1]))
    for _ in range(rounds):
        grid = np.linspace(grid[max(k - 1, 0)], grid[min(k + 1, len(grid) - 1)], _STEPS)
        values = score(grid)
        k = len(grid) - 1 - int(np.nanargmin(values[::-1]))
    if not 0 < k < len(grid) - 1 or not np.isfinite(values).all():
        return grid[k]
    poly = np.polynomial.Polynomial.fit(grid, values, len(grid) - 1)
    roots = poly.deriv().roots()
    roots = roots[np.isreal(roots)].real
    near = roots[(roots > grid[k - 1]) & (roots < grid[k + 1])]
    return near[np.argmin(poly(near))] if len(near) else grid[k]


def lambda_of_df(problem, df):
    """Penalty at which the smoother has trace `df`."""
    if not 2.0 < df < problem.n_used:
        raise ValueError(
            f"`df` must be more than 2 (a straight line) and less than {problem.n_used}, the number of "
            f"distinct values of X; got {df}."
        )
    target = np.log(df - 2.0)

    def excess(t):
        return np.log(np.maximum(problem.scores(10.0**t).df - 2.0, 1e-300)) - target

    grid = problem.grid(step=1.5)
    values = excess(grid)
    for _ in range(10):
        if values[0] < 0:
            grid = np.concatenate([grid[0] + np.arange(-12.0, 0.0, 1.5), grid])
        elif values[-1] > 0:
            grid = np.concatenate([grid, grid[-1] + np.arange(1.5, 12.1, 1.5)])
        else:
            break
        values = excess(grid)
    for _ in range(2):
        k = int(np.clip(np.searchsorted(-values, 0.0), 1, len(grid) - 1))
        grid = np.linspace(grid[k - 1], grid[k], _STEPS)
        values = excess(grid)
    poly = np.polynomial.Polynomial.fit(grid, values, len(grid) - 1)
    roots = poly.roots()
    roots = roots[np.isreal(roots)].real
    roots = roots[(roots >= grid[0]) & (roots <= grid[-1])]
    return 10.0 ** float(roots[0] if len(roots) else grid[np.argmin(np.abs(values))])
