"""Covariances of quantile regressions."""

import math

import numpy as np
from scipy.special import ndtri

from statlearn._math.linalg.positive import positive_inverse
from statlearn._math.linalg.sparse_arrays import to_dense

from ._m_estimation import spread_covariance
from ._quantile_problem import QuantileDesign


def bandwidth(quantile, n, *, level=0.05):
    """Hall and Sheather's (1988) bandwidth for the sparsity of a sample quantile."""
    x = ndtri(quantile)
    density = math.exp(-0.5 * x * x) / math.sqrt(2 * math.pi)
    return n ** (-1 / 3) * ndtri(1 - level / 2) ** (2 / 3) * (1.5 * density**2 / (2 * x * x + 1)) ** (1 / 3)


def _with_ones(X, fit_intercept):
    X = np.asarray(to_dense(X), dtype=float)
    return np.column_stack([np.ones(X.shape[0]), X]) if fit_intercept else X


def quantile_covariance(X, y, fit, quantile, fit_intercept, kind, weights):
    """Covariance of a quantile regression, as in R's `quantreg::summary.rq`, or the reason why it is not available.

    kind "iid" assumes identically distributed errors and estimates the sparsity by a local fit to the order statistics
    of the residuals. If several lines fit equally well (R warns "Solution may be nonunique" and keeps the one at which
    its simplex stops), the steepest is used, so that the standard errors are conservative. "nid" is Hendricks and
    Koenker's (1992) sandwich from the fits at quantile +- h, "ker" Powell's kernel sandwich.
    """
    copies = np.rint(weights).astype(int)
    if np.any(copies != weights):
        return "the sample weights are not integers, so they do not count copies of rows"
    if np.any(copies != 1):
        rows = np.repeat(np.arange(y.size), copies)
        X, y = X[rows], y[rows]
    X = X[:, fit.kept] if not fit.kept.all() else X
    Z = _with_ones(X, fit_intercept)
    n, q = Z.shape
    if n <= q:
        return f"{n} rows are too few for {q} coefficients"
    covariance = _plain_covariance(X, y, Z, fit, quantile, fit_intercept, kind)
    return covariance if isinstance(covariance, str) else spread_covariance(covariance, fit.kept, fit_intercept)


def steepest_line(x, y, slope):
    """The largest slope among the lines of least absolute deviation, given one of them.

    With few points several lines can be equally good. The loss at the best intercept is convex in the slope, so the
    optimal slopes form an interval, whose end is found by bisection.
    """

    def loss(s):
        r = y - s * x
        return np.abs(r - np.median(r)).sum()

    limit = loss(slope) * (1 + 1e-13)
    low, step = slope, 1e-9 * max(abs(slope), 1e-300)
    if loss(low + step) > limit:
        return slope
    while loss(low + step) <= limit:
        low, step = low + step, 2 * step
    high = low + step
    while high - low > 1e-15 * abs(high):
        middle = 0.5 * (low + high)
        if middle in (low, high):
            break
        low, high = (middle, high) if loss(middle) <= limit else (low, middle)
    return low


def _plain_covariance(X, y, Z, fit, quantile, fit_intercept, kind):
    """`quantile_covariance` without weights and dependent columns; Z = [1, X] or X."""
    n, q = Z.shape
    beta = fit.coef[fit.kept]
    residual = y - Z @ (np.append(fit.intercept, beta) if fit_intercept else beta)
    h = bandwidth(quantile, n)
    chance = quantile * (1 - quantile)
    small = math.sqrt(np.finfo(float).eps)
    gram = Z.T @ Z
    if kind == "iid":
        # Residuals next to zero, as a function of their rank: the slope is the reciprocal of the density.
        exact = int(np.sum(np.abs(residual) < small))
        h = max(q + 1, math.ceil(n * h))
        ranks = np.arange(exact, min(h + exact + 1, n))
        if ranks.size < 2:
            return "too few residuals are non-zero to estimate the density of the errors"
        near = np.sort(residual[np.argsort(np.abs(residual), kind="stable")][ranks])
        at = ((ranks + 1.0) / (n - q))[:, None]
        line = QuantileDesign(at, np.ones(near.size), True, drop_dependent=True).solve(near, 0.5, 0.0, 1e-10, 200)
        return steepest_line(at[:, 0], near, line.coef[0]) ** 2 * chance * positive_inverse(gram)
    while quantile - h < 0 or quantile + h > 1:
        h /= 2
    if kind == "nid":
        design = QuantileDesign(X, np.ones(n), fit_intercept, drop_dependent=True)
        low, high = (design.solve(y, tau, 0.0, 1e-10, 200) for tau in (quantile - h, quantile + h))
        change = Z @ np.append(high.intercept - low.intercept, high.coef - low.coef)[0 if fit_intercept else 1 :]
        with np.errstate(divide="ignore"):
            density = np.maximum(0.0, 2 * h / (change - small))
    else:
        quartiles = np.quantile(residual, [0.25, 0.75])
        width = (ndtri(quantile + h) - ndtri(quantile - h)) * min(
            np.std(residual, ddof=1), (quartiles[1] - quartiles[0]) / 1.34
        )
        if not width > 0:
            return "the residuals have no spread"
        density = np.exp(-0.5 * (residual / width) ** 2) / (math.sqrt(2 * math.pi) * width)
    if not np.isfinite(density).all():
        return "the fitted neighbouring quantiles coincide, so the density of the errors cannot be estimated"
    bread = Z.T @ (density[:, None] * Z)
    if not np.diag(bread).all():
        return "the estimated density of the errors is 0 wherever some column is non-zero"
    inverse = positive_inverse(bread)
    return chance * inverse @ gram @ inverse
