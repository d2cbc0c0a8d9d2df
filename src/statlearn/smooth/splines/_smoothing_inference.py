r"""Standard errors and the test against a line for smoothing splines, in O(n).

In the basis of its eigenfunctions the smoother multiplies by :math:`\rho_k = 1 / (1 + \lambda d_k)`. As functions of
:math:`t = \log \lambda` these satisfy :math:`\rho' = \rho^2 - \rho`, so that what needs squares of the smoother (the
variance of the fit, the moments of residual sums) follows from derivatives, in t, of what the walk along the knots
gives: variances and the trace. They are analytic in a strip of half-width :math:`\pi` around the real axis, where
differences of high order are exact to eight digits and more (fewest beyond the data, for a curve close to
interpolation).
"""

import numpy as np
from numpy.polynomial import Polynomial

from statlearn._core.summary import Summary, Table
from statlearn._core.validation import as_column
from statlearn._draw.axes import new_axes
from statlearn._draw.style import styled

_STEP = 0.05  # of log lambda: truncation (step^8) and rounding (1 / step) are about equal (empirical)
# Central difference of eighth order.
_OFFSETS = np.array([-4, -3, -2, -1, 1, 2, 3, 4])
_WEIGHTS = np.array([1 / 280, -4 / 105, 1 / 5, -4 / 5, 4 / 5, -1 / 5, 4 / 105, -1 / 280])


def sampling_variance(problem, lam, x):
    """Variance of the fit at x over repeated responses with noise of variance 1 / weight.

    With A = W + lambda K the Bayesian variances are the diagonal of A^-1, these the diagonal of
    A^-1 W A^-1 = A^-1 + dA^-1 / dlog(lambda).
    """
    curve = problem.fit(lam, at=x)
    at = np.searchsorted(curve.knots, x)
    slope = np.zeros(len(x))
    for offset, weight in zip(_OFFSETS, _WEIGHTS, strict=True):
        slope += weight / _STEP * problem.fit(lam * np.exp(_STEP * offset), at=x).variance[at]
    return np.maximum(curve.variance[at] + slope, 0.0)


def power_traces(problem, lam):
    """Traces of the first four powers of the smoother."""
    nodes = np.arange(-6, 7) * 0.2
    df = Polynomial.fit(nodes, problem.scores(lam * np.exp(nodes)).df, 10)
    first = df(0.0)
    second = first + df.deriv(1)(0.0)
    third = (df.deriv(2)(0.0) + 3.0 * second - first) / 2.0
    fourth = (df.deriv(3)(0.0) + 12.0 * third - 7.0 * second + first) / 6.0
    return first, second, third, fourth


def line_test(traces, n, rss_line, rss):
    r"""F test of a line against the curve: degrees of freedom of the numerator and denominator, F and its p-value.

    Under a line both sums of squares are quadratic forms :math:`\sum_k a_k z_k^2` in normal noise, with
    :math:`a_k = 1 - (1 - \rho_k)^2` for the drop in the residual sum of squares and :math:`(1 - \rho_k)^2` for what
    remains. Each is given the chi-squared distribution with its first two moments.
    """
    from scipy.stats import f

    s1, s2, s3, s4 = traces
    drop, drop_square = 2.0 * s1 - s2 - 2.0, 4.0 * s2 - 4.0 * s3 + s4 - 2.0
    left, left_square = n - 2.0 * s1 + s2, n - 4.0 * s1 + 6.0 * s2 - 4.0 * s3 + s4
    if drop <= 1e-8 or left <= 1e-8 or rss <= 0:
        return drop, left, float("nan"), float("nan")
    statistic = max(rss_line - rss, 0.0) / drop / (rss / left)
    return drop, left, statistic, float(f.sf(statistic, drop**2 / drop_square, left**2 / left_square))


def spline_summary(model, traces):
    """Summary of a fitted smoothing spline whose smoother has these traces of powers."""
    from scipy.stats import f

    drop, left, statistic, p = line_test(traces, model._n_rows, model.rss_line_, model.rss_)
    noise = model.rss_ / left if left > 1e-8 else float("nan")
    slope = model.rss_mean_ - model.rss_line_
    slope_f = slope / noise if noise > 0 else float("nan")
    left_square = model._n_rows - 4.0 * traces[0] + 6.0 * traces[1] - 4.0 * traces[2] + traces[3]
    table = Table(
        ["slope", "curvature"],
        {
            "df": np.array([1.0, drop]),
            "sum_sq": np.array([slope, model.rss_line_ - model.rss_]),
            "F": np.array([slope_f, statistic]),
            "p": np.array([float(f.sf(slope_f, 1.0, left**2 / left_square)) if noise > 0 else float("nan"), p]),
        },
    )
    chosen = model.df is None and model.lam is None
    facts = {
        "n": model._n_rows, "n_knots": len(model.knots_), "df": model.df_, "lam": model.lam_,
        "chosen_by": model.criterion if chosen else ("df" if model.df is not None else "lam"),
        "gcv": model.gcv_, "loo": model.loo_, "reml": model.reml_, "sigma": float(np.sqrt(model.sigma2_)),
        "df_residual": left,
    }  # fmt: skip
    labels = {
        "n": "observations", "n_knots": "knots", "df": "df (trace)", "lam": "penalty", "chosen_by": "set by",
        "gcv": "GCV", "loo": "leave-one-out", "reml": "REML", "sigma": "residual std. dev.",
        "df_residual": "residual df",
    }  # fmt: skip
    notes = []
    if chosen:
        notes.append("The penalty was chosen on the same rows, so a p-value of the curvature near 0.05 is too small.")
    return Summary("Smoothing spline", table, facts, labels, [], notes)


@styled
def plot_spline(model, X, y, ax, grid_size, level, std):
    """Plot the curve over the range of its knots with a pointwise band."""
    from scipy.stats import t

    ax = new_axes(ax)
    x = np.linspace(model.knots_[0], model.knots_[-1], grid_size)
    names = getattr(model, "feature_names_in_", None)
    said = model._curve()(x)
    spread = model._std(x, std) * t.ppf(0.5 + level / 2, max(model._n_rows - model.df_, 1.0))
    if X is not None and y is not None:
        ax.plot(np.ravel(as_column(X)), np.ravel(y), ".", color="0.6", markersize=4, zorder=1)
    ax.fill_between(x, said - spread, said + spread, alpha=0.25, linewidth=0)
    ax.plot(x, said, label=f"{model.df_:.1f} df")
    ax.set(xlabel="x" if names is None else names[0], ylabel="y")
    return ax
