"""Formula functions that learn from the training rows: polynomials, splines, scaling.

A function has a `learn` step, which returns plain numbers and lists, and a `compute` step, which needs only these and
the values of new rows.
"""

from itertools import pairwise

import numpy as np
import scipy.linalg
from scipy.interpolate import BSpline

from statlearn._core.warnings import StatlearnWarning, warn

from .limits import MAX_BASIS, MAX_DEGREE, over

# Arguments -----------------------------------------------------------------------------------------------------------


def _integer(value, name, limit="MAX_BASIS"):
    """A whole number within a limit."""
    if not isinstance(value, int):
        raise ValueError(f"`{name}` must be an integer, got {value!r}")
    if value > {"MAX_BASIS": MAX_BASIS, "MAX_DEGREE": MAX_DEGREE}[limit]:
        raise ValueError(f"`{name}`={value} exceeds {over(limit)}")
    return value


def _number(value, name):
    """A finite number."""
    if not isinstance(value, (int, float)) or not np.isfinite(float(value)):
        raise ValueError(f"`{name}` must be a finite number, got {value!r}")
    return float(value)


def _numbers(values, name):
    """One or several finite numbers as a list, in increasing order."""
    values = values if isinstance(values, tuple) else (values,)
    if len(values) > MAX_BASIS:
        raise ValueError(f"`{name}`: {len(values):,} values exceed {over('MAX_BASIS')}")
    return sorted(_number(value, name) for value in values)


# Scaling and polynomials ---------------------------------------------------------------------------------------------


class Scale:
    """R's ``scale(x, center = TRUE, scale = TRUE)``."""

    @staticmethod
    def learn(x, center=True, scale=True):
        mean = (x.mean() if center else 0.0) if isinstance(center, bool) else _number(center, "center")
        if not isinstance(scale, bool):
            return {"mean": float(mean), "scale": _number(scale, "scale")}
        spread = np.sqrt(np.sum((x - mean) ** 2) / max(1, len(x) - 1)) if scale else 1.0
        return {"mean": float(mean), "scale": float(spread)}

    @staticmethod
    def compute(x, state):
        return (x - state["mean"]) / state["scale"]


class Center(Scale):
    """The values minus their mean in the training rows."""

    @staticmethod
    def learn(x):
        return Scale.learn(x, scale=False)


class Poly:
    """R's ``poly(x, degree = 1, raw = FALSE)``: orthonormal polynomials on the training rows."""

    @staticmethod
    def learn(x, degree=1, raw=False):
        if not isinstance(degree, int) or degree < 1:
            raise ValueError(f"`degree` must be a positive integer, got {degree!r}")
        _integer(degree, "degree")
        if raw:
            return {"degree": degree}
        if len(np.unique(x)) <= degree:
            raise ValueError(f"`degree`={degree} must be less than the number of distinct values, {len(np.unique(x))}")
        # The three-term recurrence of Forsythe (1957), with the constants that R calls alpha and norm2.
        alpha, norm2, before, now = [], [1.0], np.zeros_like(x), np.ones_like(x)
        for _ in range(degree + 1):
            norm2.append(float(now @ now))
            alpha.append(float(now @ (x * now) / norm2[-1]))
            before, now = now, (x - alpha[-1]) * now - norm2[-1] / norm2[-2] * before
        return {"degree": degree, "alpha": alpha[:degree], "norm2": norm2}

    @staticmethod
    def compute(x, state):
        if "alpha" not in state:
            return x[:, None] ** np.arange(1, state["degree"] + 1)
        norm2, columns, before, now = state["norm2"], [], np.zeros_like(x), np.ones_like(x)
        for j, alpha in enumerate(state["alpha"]):
            before, now = now, (x - alpha) * now - norm2[j + 1] / norm2[j] * before
            columns.append(now / np.sqrt(norm2[j + 2]))
        return np.column_stack(columns)


# Splines -------------------------------------------------------------------------------------------------------------


def _ends(x, boundary, lower, upper):
    if boundary is not None and (not isinstance(boundary, tuple) or len(boundary) != 2):
        raise ValueError(f"`Boundary.knots` must be two numbers, got {boundary!r}")
    low, high = (x.min(), x.max()) if boundary is None else (_number(knot, "Boundary.knots") for knot in boundary)
    low = low if lower is None else _number(lower, "lower_bound")
    high = high if upper is None else _number(upper, "upper_bound")
    if not low < high:
        raise ValueError(f"a spline requires two boundary knots in increasing order, got {low:g} and {high:g}")
    return float(low), float(high)


def _inner_knots(x, df, knots, ends, spent, name):
    """The given knots, or quantiles that give `df` columns, of which `spent` need no knots."""
    if knots is not None:
        return _numbers(knots, "knots")
    count = 0 if df is None else _integer(df, "df") - spent
    if count < 0:
        raise ValueError(f"`df`={df} of {name}() must be at least {spent}")
    inside = x[(x >= ends[0]) & (x <= ends[1])]
    return np.quantile(inside, np.linspace(0, 1, count + 2)[1:-1]).tolist()


class BSplines:
    """R's ``bs(x, df, knots, degree = 3, intercept = FALSE, Boundary.knots)``."""

    @staticmethod
    def learn(
        x,
        df=None,
        knots=None,
        degree=3,
        intercept=False,
        boundary_knots=None,
        include_intercept=None,
        lower_bound=None,
        upper_bound=None,
    ):
        intercept = bool(intercept if include_intercept is None else include_intercept)
        if _integer(degree, "degree", "MAX_DEGREE") < 0:
            raise ValueError(f"`degree` of bs() must be at least 0, got {degree}")
        ends = _ends(x, boundary_knots, lower_bound, upper_bound)
        inner = _inner_knots(x, df, knots, ends, degree + intercept, "bs")
        return {"knots": inner, "ends": list(ends), "degree": degree, "intercept": intercept}

    @staticmethod
    def compute(x, state):
        (low, high), k = state["ends"], state["degree"]
        if np.any((x < low) | (x > high)):
            warn(
                f"bs(): some values are outside the boundary knots {low:g} and {high:g}. The end polynomials are "
                "extrapolated there and grow quickly; use ns() for linear extrapolation.",
                StatlearnWarning,
            )
        t = np.r_[[low] * (k + 1), state["knots"], [high] * (k + 1)]
        basis = BSpline.design_matrix(x, t, k, extrapolate=True).toarray()
        return basis if state["intercept"] else basis[:, 1:]


class NaturalSplines:
    """R's ``ns(x, df, knots, intercept = FALSE, Boundary.knots)``: cubic, linear outside the boundary knots."""

    @staticmethod
    def learn(x, df=None, knots=None, intercept=False, boundary_knots=None):
        ends = _ends(x, boundary_knots, None, None)
        inner = _inner_knots(x, df, knots, ends, 1 + bool(intercept), "ns")
        return {"knots": inner, "ends": list(ends), "intercept": bool(intercept)}

    @staticmethod
    def compute(x, state):
        low, high = state["ends"]
        t = np.r_[[low] * 4, state["knots"], [high] * 4]
        spline = BSpline(t, np.eye(len(t) - 4), 3)
        inside = np.clip(x, low, high)
        slopes = np.where((x < low)[:, None], spline(low, nu=1), spline(high, nu=1))
        basis = spline(inside) + (x - inside)[:, None] * slopes
        bends = spline([low, high], nu=2)
        if not state["intercept"]:
            basis, bends = basis[:, 1:], bends[:, 1:]
        # The columns that bend at the ends are rotated away, as R does.
        rotation, _ = scipy.linalg.qr(bends.T)
        return (basis @ rotation)[:, 2:]


class _Cardinal:
    """Cubic regression splines parametrised by their values at the knots (Wood 2017, section 5.3.1)."""

    cyclic: bool

    @classmethod
    def learn(cls, x, df=None, knots=None, lower_bound=None, upper_bound=None):
        ends = _ends(x, None, lower_bound, upper_bound)
        if knots is None:
            count = _integer(df or 0, "df") - (1 if cls.cyclic else 2)
            if count < 0 or df < 3:
                raise ValueError(f"`df` of {'cc' if cls.cyclic else 'cr'}() must be at least 3, got {df}")
            inner = np.quantile(np.unique(x[(x >= ends[0]) & (x <= ends[1])]), np.linspace(0, 1, count + 2)[1:-1])
        else:
            inner = _numbers(knots, "knots")
        return {"knots": np.unique(np.r_[ends[0], inner, ends[1]]).tolist()}

    @classmethod
    def compute(cls, x, state):
        knots = np.asarray(state["knots"])
        second = cls.second_derivatives(np.diff(knots))
        if cls.cyclic:
            x = knots[0] + np.mod(x - knots[0], knots[-1] - knots[0])
        inside = np.clip(x, knots[0], knots[-1])
        basis = cls._values(inside, knots, second)
        outside = x != inside
        if outside.any():  # linear continuation by the slope at the end
            h = 1e-3 * np.diff(knots)[np.where(inside[outside] == knots[0], 0, -1)]
            h = np.where(inside[outside] == knots[0], h, -h)
            at, one, two = (cls._values(inside[outside] + k * h, knots, second) for k in (0, 1, 2))
            three = cls._values(inside[outside] + 3 * h, knots, second)
            slope = (-11 * at + 18 * one - 9 * two + 2 * three) / (6 * h[:, None])  # exact for a cubic
            basis[outside] = at + (x - inside)[outside, None] * slope
        return basis

    @classmethod
    def _values(cls, x, knots, second):
        h = np.diff(knots)
        j = np.clip(np.searchsorted(knots, x, side="right") - 1, 0, len(h) - 1)
        left, right, h = x - knots[j], knots[j + 1] - x, h[j]
        ones = np.eye(len(second))
        after = (j + 1) % len(second)
        values = (right / h)[:, None] * ones[j] + (left / h)[:, None] * ones[after]
        values += ((right**3 / h - h * right) / 6)[:, None] * second[j]
        return values + ((left**3 / h - h * left) / 6)[:, None] * second[after]


class CubicSplines(_Cardinal):
    """``cr(x, df)``: natural cubic splines parametrised by their values at the knots."""

    cyclic = False

    @staticmethod
    def second_derivatives(h):
        n = len(h) - 1
        bend, jump = np.zeros((n, n)), np.zeros((n, n + 2))
        for i in range(n):
            jump[i, i : i + 3] = 1 / h[i], -1 / h[i] - 1 / h[i + 1], 1 / h[i + 1]
            bend[i, i] = (h[i] + h[i + 1]) / 3
            if i:
                bend[i, i - 1] = bend[i - 1, i] = h[i] / 6
        return np.vstack([np.zeros(n + 2), np.linalg.solve(bend, jump), np.zeros(n + 2)])


class CyclicSplines(_Cardinal):
    """``cc(x, df)``: periodic cubic splines."""

    cyclic = True

    @staticmethod
    def second_derivatives(h):
        n = len(h)
        bend, jump = np.zeros((n, n)), np.zeros((n, n))
        for i in range(n):
            before, after = h[i - 1], h[i]
            bend[i, i] += (before + after) / 3
            bend[i, i - 1] += before / 6
            bend[i, (i + 1) % n] += after / 6
            jump[i, i] -= 1 / before + 1 / after
            jump[i, i - 1] += 1 / before
            jump[i, (i + 1) % n] += 1 / after
        return np.linalg.solve(bend, jump)


class Cut:
    """R's ``cut(x, breaks, labels, include.lowest = FALSE, right = TRUE, dig.lab = 3, ordered_result = FALSE)``."""

    @staticmethod
    def learn(x, breaks, labels=None, include_lowest=False, right=True, dig_lab=3, ordered_result=False):
        if isinstance(breaks, int):
            count = _integer(breaks, "breaks")
            if count < 2:
                raise ValueError(f"`breaks` must be at least 2 intervals or a list of numbers, got {breaks}")
            low, high = float(x.min()), float(x.max())
            width = (high - low) or abs(low)
            ends = np.linspace(low, high, count + 1)
            ends[0], ends[-1] = low - width / 1000, high + width / 1000
            breaks = ends.tolist()
        else:
            breaks = _numbers(breaks, "breaks")
        if len(set(breaks)) < len(breaks) or len(breaks) < 2:
            raise ValueError("`breaks` must be at least two different numbers")
        state = {"breaks": breaks, "right": bool(right), "lowest": bool(include_lowest)}
        if labels is None:
            labels = Cut.intervals(breaks, state, _integer(dig_lab, "dig.lab"))
        labels = [str(label) for label in (labels if isinstance(labels, (tuple, list)) else (labels,))]
        if len(labels) != len(breaks) - 1:
            raise ValueError(f"`labels` must have one entry for each of {len(breaks) - 1} intervals, got {len(labels)}")
        return {**state, "labels": labels, "ordered": bool(ordered_result)}

    @staticmethod
    def intervals(breaks, state, digits):
        """Intervals as R prints them, with as many digits as tell the breaks apart."""
        for precision in range(digits, 17):
            shown = [f"{each:.{precision}g}" for each in breaks]
            if len(set(shown)) == len(shown):
                break
        left, end = ("(", "]") if state["right"] else ("[", ")")
        labels = [f"{left}{a},{b}{end}" for a, b in pairwise(shown)]
        if state["lowest"] and state["right"]:
            labels[0] = "[" + labels[0][1:]
        elif state["lowest"]:
            labels[-1] = labels[-1][:-1] + "]"
        return labels

    @staticmethod
    def compute(x, state):
        """Number of the interval of each value; -1 outside."""
        breaks = np.asarray(state["breaks"])
        codes = np.searchsorted(breaks, x, side="left" if state["right"] else "right") - 1
        if state["lowest"]:
            codes[x == (breaks[0] if state["right"] else breaks[-1])] = 0 if state["right"] else len(breaks) - 2
        codes[codes >= len(breaks) - 1] = -1
        return codes


LEARNING = {
    "scale": Scale,
    "standardize": Scale,
    "center": Center,
    "poly": Poly,
    "bs": BSplines,
    "ns": NaturalSplines,
    "cr": CubicSplines,
    "cs": CubicSplines,
    "cc": CyclicSplines,
}
