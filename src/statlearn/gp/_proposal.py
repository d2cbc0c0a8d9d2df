"""The next point of an optimisation: scores of points, and the search for the best one."""

import math

import numpy as np
from scipy.optimize import minimize
from scipy.special import log_ndtr

from ._acquisition import FrontStrips, log_h, log_h_slope
from ._space import key_of

SPREAD, LOCAL = 512, 384  # candidates all over the space, and around the best points so far
STARTS = 5  # candidates that are refined
STEPS = (0.3, 0.1, 0.03, 0.01, 0.003)  # sizes of the moves from the best points
LEAST = 1e-18  # variance below which a prediction is certain, in units of the variance of the data
LARGEST_LIST = 4096  # a finite space of at most this many points is scored completely


class Gain:
    """Logarithm of the gain expected from one objective: improvement, probability, or bound.

    Parameters
    ----------
    surrogate : Surrogate
    best : float
        Value to improve on; smaller is better.
    kind : {"log_ei", "ei", "pi", "lcb"}
    kappa : float
    """

    def __init__(self, surrogate, best, kind, kappa):
        self.surrogate, self.best, self.kind, self.kappa = surrogate, best, kind, kappa
        self.least = LEAST * surrogate.scale**2

    def score(self, X):
        mean, var = self.surrogate.predict(X)
        return self._value(mean, np.sqrt(np.maximum(var, self.least)))[0]

    def score_and_slope(self, X):
        mean, var, by_mean, by_var = self.surrogate.slopes(X)
        std = np.sqrt(np.maximum(var, self.least))
        value, mean_factor, std_factor = self._value(mean, std)
        return value, mean_factor[:, None] * by_mean + (std_factor / (2 * std))[:, None] * by_var

    def _value(self, mean, std):
        """Value, and derivatives by mean and standard deviation."""
        if self.kind == "lcb":
            unit = self.surrogate.scale
            return (
                -(mean - self.kappa * std) / unit,
                np.full_like(mean, -1.0 / unit),
                np.full_like(std, self.kappa / unit),
            )
        z = (self.best - mean) / std
        if self.kind == "pi":
            value = log_ndtr(z)
            ratio = np.exp(-0.5 * z * z - 0.5 * math.log(2 * math.pi) - value)
            return value, -ratio / std, -z * ratio / std
        value = log_h(z)  # improvement and its logarithm have the same maximiser
        slope = log_h_slope(z, value)
        return np.log(std) + value, -slope / std, (1.0 - z * slope) / std


class Feasibility:
    """Logarithm of the probability that a function is at most a limit."""

    def __init__(self, surrogate, limit=0.0):
        self.surrogate, self.limit = surrogate, limit
        self.least = LEAST * surrogate.scale**2

    def score(self, X):
        mean, var = self.surrogate.predict(X)
        return log_ndtr((self.limit - mean) / np.sqrt(np.maximum(var, self.least)))

    def score_and_slope(self, X):
        mean, var, by_mean, by_var = self.surrogate.slopes(X)
        std = np.sqrt(np.maximum(var, self.least))
        z = (self.limit - mean) / std
        value = log_ndtr(z)
        ratio = np.exp(-0.5 * z * z - 0.5 * math.log(2 * math.pi) - value)
        return value, (-ratio / std)[:, None] * by_mean + (-z * ratio / (2 * std * std))[:, None] * by_var


class HypervolumeGain:
    """Logarithm of the expected gain of hypervolume of two objectives."""

    def __init__(self, surrogates, front, reference):
        self.surrogates = surrogates
        self.units = np.array([surrogate.scale for surrogate in surrogates])
        self.strips = FrontStrips(np.asarray(front) / self.units, np.asarray(reference) / self.units)

    def score(self, X):
        return self._combine([surrogate.predict(X) for surrogate in self.surrogates])[0]

    def score_and_slope(self, X):
        parts = [surrogate.slopes(X) for surrogate in self.surrogates]
        value, std, by_mean, by_std = self._combine(parts)
        slope = 0.0
        for k, (_, _, mean_slope, var_slope) in enumerate(parts):
            unit = self.units[k]
            slope = slope + by_mean[:, k, None] * mean_slope / unit
            slope = slope + (by_std[:, k] / (2 * std[:, k]))[:, None] * var_slope / unit**2
        return value, slope

    def _combine(self, parts):
        mean = np.stack([part[0] / unit for part, unit in zip(parts, self.units)], axis=1)
        std = np.sqrt(np.maximum(np.stack([p[1] / unit**2 for p, unit in zip(parts, self.units)], axis=1), LEAST))
        gain, by_mean, by_std = self.strips.gain(mean, std)
        safe = np.maximum(gain, 1e-300)[:, None]
        return np.log(safe[:, 0]), std, by_mean / safe, by_std / safe


class Total:
    """Sum of scores of points of a space, as a function of positions."""

    def __init__(self, space, terms):
        self.space, self.terms = space, terms
        self._columns = np.array([part.start for part in space.slices])

    def score(self, positions):
        X = self.space.columns(positions)
        return sum(term.score(X) for term in self.terms)

    def score_and_slope(self, positions):
        """Scores, and derivatives by the positions of real dimensions (0 for others)."""
        X = self.space.columns(positions)
        value, slope = 0.0, 0.0
        for term in self.terms:
            term_value, by = term.score_and_slope(X)
            value, slope = value + term_value, slope + by
        return value, np.where(self.space.real, slope[:, self._columns], 0.0)


def candidates(space, leaders, rng):
    """Positions all over the space, and around the leaders with some or all coordinates moved."""
    from scipy.stats import qmc

    d = len(space)
    spread = qmc.Sobol(d, rng=rng).random(SPREAD) if d <= 50 else rng.random((SPREAD, d))
    if not len(leaders):
        return space.snap(spread)
    origin = leaders[rng.integers(len(leaders), size=LOCAL)]
    step = rng.choice(STEPS, size=(LOCAL, 1))
    moved = rng.random((LOCAL, d)) < np.maximum(rng.choice([1.0, 2.0 / d, 1.0 / d], size=(LOCAL, 1)), 1.0 / d)
    jump = rng.random((LOCAL, d))
    local = np.where(moved & space.real, np.clip(origin + step * rng.standard_normal((LOCAL, d)), 0.0, 1.0), origin)
    # Discrete coordinates move by normal steps or to any value: categories have no order.
    hop = rng.random((LOCAL, d)) < 0.5
    near = np.clip(origin + np.maximum(step, 0.1) * rng.standard_normal((LOCAL, d)), 0.0, 1.0)
    local = np.where(moved & ~space.real, np.where(hop, jump, near), local)
    return space.snap(np.concatenate([spread, local]))


def best_position(space, total, leaders, seen, rng):
    """The unseen position with the best score, or None if a finite space has no unseen point.

    Parameters
    ----------
    space : Space
    total : Total
    leaders : ndarray of shape (k, n_dimensions)
        Good points so far.
    seen : set of keys
        Points that must not be proposed.
    rng : numpy.random.Generator
    """
    if space.size <= LARGEST_LIST:
        pool = space.all_positions()
        pool = pool[[key_of(row) not in seen for row in pool]]
        return pool[int(np.argmax(total.score(pool)))] if len(pool) else None
    pool = candidates(space, leaders, rng)
    scores = total.score(pool)
    order = np.argsort(-scores, kind="stable")
    best, best_score = None, -math.inf
    for start in _apart(pool[order], STARTS):
        position, score = _refine(space, total, start)
        if score > best_score and key_of(position) not in seen:
            best, best_score = position, score
    if best is None:
        fresh = (row for row in pool[order] if key_of(row) not in seen)
        best = next(fresh, None)
    return best if best is not None else _any_unseen(space, seen, rng)


def _apart(ordered, count):
    """The first rows of an ordered pool without those close to an earlier one."""
    chosen = [ordered[0]]
    for row in ordered[1:]:
        if len(chosen) == count:
            break
        if min(np.abs(row - other).max() for other in chosen) > 0.02:
            chosen.append(row)
    return chosen


def _refine(space, total, start):
    """Climb from a start, alternating quasi-Newton steps of real coordinates and single moves of discrete ones."""
    position, score = start, float(total.score(start[None])[0])
    for _ in range(4):
        before = score
        if space.real.any():
            position, score = _climb(space, total, position, score)
        if not space.real.all():
            position, score = _hop(space, total, position, score)
        if score <= before + 1e-9 * (1.0 + abs(before)) or space.real.all():
            break
    return position, score


def _climb(space, total, position, score):
    free = np.flatnonzero(space.real)

    def function(values):
        moved = position.copy()
        moved[free] = values
        value, slope = total.score_and_slope(moved[None])
        return -value[0], -slope[0, free]

    result = minimize(
        function, position[free], jac=True, method="L-BFGS-B", bounds=[(0.0, 1.0)] * len(free),
        options={"maxiter": 50, "maxcor": 8, "ftol": 1e-9, "gtol": 1e-7},
    )  # fmt: skip
    if not np.isfinite(result.fun) or -result.fun <= score:
        return position, score
    moved = position.copy()
    moved[free] = np.clip(result.x, 0.0, 1.0)
    return moved, -float(result.fun)


def _hop(space, total, position, score):
    """The best single move of a discrete coordinate, as long as one helps."""
    while True:
        moves = []
        for j in np.flatnonzero(~space.real):
            grid = space.dimensions[j].grid()
            if len(grid) > 40:  # the neighbours, at growing distances
                here = int(np.argmin(np.abs(grid - position[j])))
                steps = np.array([1, 2, 4, 8, 16, 64, 256])
                places = np.unique(np.clip(np.r_[here - steps, here + steps], 0, len(grid) - 1))
                grid = grid[places]
            for value in grid[np.abs(grid - position[j]) > 1e-12]:
                moves.append((j, value))
        if not moves:
            return position, score
        moved = np.repeat(position[None], len(moves), axis=0)
        for row, (j, value) in enumerate(moves):
            moved[row, j] = value
        scores = total.score(moved)
        at = int(np.argmax(scores))
        if not scores[at] > score + 1e-12 * (1.0 + abs(score)):
            return position, score
        position, score = moved[at], float(scores[at])


def _any_unseen(space, seen, rng):
    for _ in range(20):
        for row in space.snap(rng.random((64, len(space)))):
            if key_of(row) not in seen:
                return row
    return None
