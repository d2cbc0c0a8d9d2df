"""Intervals by profile likelihood."""

import warnings

import numpy as np
from scipy import optimize
from sklearn.exceptions import ConvergenceWarning

from statlearn._math.inference import normal_or_t_quantile
from statlearn._math.solvers.glm import fit_glm, glm_rows
from statlearn._math.solvers.glm_problem import GlmProblem

_FARTHEST = 1e4  # standard errors from the estimate beyond which a limit counts as infinite


class _Profile:
    """Deviance of the fits with one coefficient held, each started from the one before."""

    def __init__(self, core, j, intercept):
        self.core, self.j, self.intercept = core, j, bool(intercept and j != 0)
        c = int(self.intercept)
        self.others = np.setdiff1d(core.identified, [j])
        X = np.ascontiguousarray(core.Z[:, self.others[c:]])
        if not X.shape[1]:
            X = np.zeros((len(core.y), 1))
        self.rows = glm_rows(X, core.weights, core.family, core.link, 0.0)
        self.width = len(self.others) - c
        self.forget()

    def forget(self):
        """Start the next fit from the estimate."""
        c = int(self.intercept)
        coef = self.core.coef[self.others]
        self.start = (coef[c:] if self.width else np.zeros(1), float(coef[0]) if c else 0.0)

    def deviance(self, value):
        core = self.core
        offset = core.offset + value * core.Z[:, self.j]
        problem = GlmProblem(self.rows, core.y, core.family, core.link, offset, self.intercept)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            fit = fit_glm(problem, start=self.start, tol=1e-13, max_iter=100)
        mu = core.link.inverse(problem.scores(fit.coef, fit.intercept))
        deviance = float(core.weights @ core.family.unit_deviance(core.y, mu))
        if np.isfinite(deviance):
            self.start = (fit.coef, fit.intercept)
        return deviance


def profile_limits(core, j, intercept, level):
    """Values of a coefficient at which the signed root of the likelihood ratio is the normal quantile, as in R."""
    if j not in core.identified:
        return np.nan, np.nan
    place = int(np.flatnonzero(core.identified == j)[0])
    error, quantile = np.sqrt(core.covariance[place, place]), normal_or_t_quantile(level, None)
    profile = _Profile(core, j, intercept)

    def distance(t):
        return np.sqrt(max(profile.deviance(core.coef[j] + t) - core.deviance, 0.0) / core.dispersion) - quantile

    limits = []
    for sign in (-1.0, 1.0):
        profile.forget()
        low, high = 0.0, 0.5 * quantile * error
        while distance(sign * high) < 0 and high < _FARTHEST * error:
            low, high = high, 1.4 * high
        if high >= _FARTHEST * error:
            limits.append(sign * np.inf)
            continue
        ends = sorted((sign * low, sign * high))
        if low == 0.0:  # the distance at the estimate itself is known
            ends = sorted((sign * 1e-6 * error, sign * high))
        root = optimize.brentq(distance, *ends, xtol=1e-8 * error, rtol=1e-12)
        limits.append(core.coef[j] + root)
    return tuple(limits)
