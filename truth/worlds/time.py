"""Rows in the order of time, with and without a memory of the rows before."""

import numpy as np
import pandas as pd

from truth.world import Facts, Made, world

AHEAD = 0.1  # length of what is to be predicted, as a share of the table: what a fold of the comparison tests


def _series(rows, step, column):
    """A table of `rows` times, and `fresh` rows: many continuations of it, which all begin where it ends.

    `step(rng, x, state, t)` returns the target and the best prediction, for a vector of independent continuations.
    """
    last = {}

    def unroll(rng, start, n, paths, state):
        parts = []
        for t in range(start, start + n):
            x = rng.normal(size=(paths, 2))
            y, best, state = step(rng, x, state, t)
            parts.append((np.full(paths, t), x, y, best))
        t, x, y, best = (np.concatenate(part) for part in zip(*parts))
        frame = pd.DataFrame({column: _times(t, column), "dose": x[:, 0], "heat": x[:, 1]})
        return frame.assign(y=y), best, state

    def draw(rng, n):
        frame, best, last["state"] = unroll(rng, 0, n, 1, np.zeros(1))
        return frame, best

    def fresh(rng, n):
        ahead = max(int(AHEAD * rows), 1)
        paths = max(n // ahead, 1)
        frame, best, _ = unroll(rng, rows, ahead, paths, np.repeat(last["state"], paths))
        return frame, best

    return draw, fresh


def _times(t, column):
    if column == "date":
        return pd.Timestamp("2001-01-01") + pd.to_timedelta(7 * t, unit="D")
    return 1700 + t if column == "year" else t + 1


@world(rows=[60, 150, 300], column=["year", "date", "time"], drift=[0.5, 1.0])
def random_walk(rng, rows, column, drift):
    """A level that wanders: rows nearby are known to random folds, and not in use."""

    def step(rng, x, state, t):
        state = state + drift * rng.normal(size=len(state))
        best = 0.5 * x[:, 0] + state
        return best + 0.3 * rng.normal(size=len(state)), best, state

    draw, fresh = _series(rows, step, column)
    return Made(draw, rows, Facts(ordered=[column]), fresh=fresh)


@world(rows=[60, 150, 300], column=["year", "date"])
def trend(rng, rows, column):
    """A straight trend with memoryless noise."""

    def step(rng, x, state, t):
        best = 0.5 * x[:, 0] + 6 * t / rows
        return best + rng.normal(size=len(state)), best, state

    draw, fresh = _series(rows, step, column)
    return Made(draw, rows, Facts(ordered=[column]), fresh=fresh)


@world(rows=[120, 300])
def season(rng, rows):
    """A season of 52 weeks and a memory of the week before."""

    def step(rng, x, state, t):
        state = 0.8 * state + 0.6 * rng.normal(size=len(state))
        best = 0.5 * x[:, 0] + np.sin(2 * np.pi * t / 52) + state
        return best + 0.3 * rng.normal(size=len(state)), best, state

    draw, fresh = _series(rows, step, "date")
    return Made(draw, rows, Facts(ordered=["date"]), fresh=fresh)


@world(rows=[150, 500])
def dates_without_effect(rng, rows):
    """A date of entry, in no order and without any effect."""

    def draw(rng, n):
        x = rng.normal(size=n)
        days = pd.Timestamp("2015-01-01") + pd.to_timedelta(rng.integers(3000, size=n), unit="D")
        return pd.DataFrame({"entered": days, "dose": x, "y": x + rng.normal(size=n)}), x

    return Made(draw, rows, Facts(dates=["entered"]))
