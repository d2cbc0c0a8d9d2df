"""Estimation of a family parameter together with the smoothing parameters of an additive model."""

from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize_scalar

from statlearn._math.losses.families import make_family, theta_ml

_NEAR_POISSON = 1e6  # a theta from which on a negative binomial is a Poisson distribution
_POWERS = (1.01, 1.99)  # of Tweedie's variance, where the density has its series


@dataclass
class Solved:
    """Result of a search for smoothing parameters."""

    family: object
    problem: object
    rho: np.ndarray
    score: float
    fit: object
    converged: bool


def estimate_theta(solve, problem_means, y, weights, by_score):
    """A negative binomial fit with estimated theta.

    First alternate with theta by maximum likelihood at the fitted means; then, with `by_score`, minimise the criterion.

    Parameters
    ----------
    solve : callable
        From a family and log smoothing parameters to begin with (or None) to `Solved`.
    problem_means : callable
        The fitted means of a `Solved`.
    """
    solved = solve(make_family("negative_binomial", theta=1.0), None)
    for _ in range(30):
        theta = min(theta_ml(y, problem_means(solved), weights)[0], 1e7)
        if abs(theta - solved.family.theta) <= (1e-2 if by_score else 1e-6) * theta:
            break
        solved = solve(make_family("negative_binomial", theta=theta), solved.rho)
    if not by_score or solved.family.theta > _NEAR_POISSON:
        return solved
    middle = np.log(solved.family.theta)
    return _smallest(
        solve, lambda t: make_family("negative_binomial", theta=float(np.exp(t))), solved, (middle - 0.7, middle + 0.7)
    )


def estimate_power(solve):
    """A Tweedie family with the power that has the smallest criterion."""
    solved = solve(make_family("tweedie", power=1.5), None)
    return _smallest(solve, lambda p: make_family("tweedie", power=float(p)), solved, _POWERS)


def _smallest(solve, family_of, last, bounds):
    """Best family between the bounds, by Brent's method; every search starts where the last one ended."""
    best = last

    def score(t):
        nonlocal best, last
        last = solve(family_of(t), last.rho)
        if last.score < best.score:
            best = last
        return last.score

    minimize_scalar(score, bounds=bounds, method="bounded", options={"xatol": 1e-4})
    return best
