"""Backtracking: the step length of every descent method, and the one rule for what rounding hides."""

from typing import Any, NamedTuple

import numpy as np

SUFFICIENT = 1e-4  # share of the decrease predicted to first order that a step must achieve
SHORTEST = 1e-10  # share of the full step below which a decrease cannot be distinguished from rounding
ROUNDING = 64 * np.finfo(np.float64).eps  # relative error of an objective that is a sum over rows


class Step(NamedTuple):
    """An accepted step: its length as a share of the full one, the objective there, and what was computed with it."""

    length: float
    value: float
    state: Any


def rounding(*sizes):
    """Changes of an objective that are below its rounding errors, given the sizes of the terms that it adds up."""
    return ROUNDING * sum(abs(size) for size in sizes)


def backtrack(
    evaluate, value, slope, *, slack=0.0, sufficient=SUFFICIENT, shortest=SHORTEST, accept=None, interpolate=False
):
    """The first of the step lengths 1, 1/2, 1/4, ... at which the objective has decreased sufficiently (Armijo 1966).

    A length t is accepted if f(t) <= f(0) + sufficient t f'(0) + slack. Values that are infinite or NaN are rejected,
    so a step never leaves the domain of the objective.

    Parameters
    ----------
    evaluate : callable
        Takes t; returns f(t), or f(t) and anything that was computed on the way.
    value : float
        f(0).
    slope : float or callable
        f'(0), negative; or the change to first order as a function of t, where the path is not a straight line.
    slack : float, default=0.0
        An increase up to this is attributed to rounding; see `rounding`.
    sufficient : float, default=1e-4
        Share of the decrease predicted to first order that is required; 1/2 for gradient steps of length 1/L.
    shortest : float, default=1e-10
        The search ends below this length.
    accept : callable, optional
        Takes t, f(t) and what was computed with it; whether the step is accepted although the decrease is insufficient.
    interpolate : bool, default=False
        Shorten to the minimum of the parabola through both values and the slope, within 0.1 and 0.5 of the last length.

    Returns
    -------
    Step or None
        None if no step decreases the objective: nothing but rounding is left, or the direction is wrong.
    """
    change = slope if callable(slope) else lambda t: t * slope
    t = 1.0
    while t >= shortest:
        result = evaluate(t)
        new, state = result if isinstance(result, tuple) else (result, None)
        predicted = change(t)
        if new <= value + sufficient * predicted + slack or (accept is not None and accept(t, new, state)):
            return Step(t, new, state)
        t *= _shorter(new - value, predicted) if interpolate else 0.5
    return None


def _shorter(change, predicted):
    """Minimum of the parabola with this change and slope, as a fraction of the step, bounded away from 0 and 1."""
    curved = 2.0 * (change - predicted)
    return float(np.clip(-predicted / curved, 0.1, 0.5)) if np.isfinite(curved) else 0.1
