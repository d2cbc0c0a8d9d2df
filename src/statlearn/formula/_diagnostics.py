"""The diagnostic pictures of a linear or generalised linear model."""

import numpy as np
from scipy import stats

from statlearn._draw.axes import new_axes


def draw_diagnostics(fit, which, axes):
    """The pictures of R's ``plot(lm)`` by their numbers."""
    which = [which] if isinstance(which, int) else list(which)
    if not which or not set(which) <= {1, 2, 3, 4, 5}:
        raise ValueError(f"`which` must be numbers from 1 to 5, got {which!r}.")
    rows = 1 if len(which) < 3 else 2
    if axes is None:
        axes = new_axes(nrows=rows, ncols=-(-len(which) // rows), figsize=(4 * -(-len(which) // rows), 3.2 * rows))
    axes = np.atleast_1d(axes).ravel()
    measures = fit.influence()
    for ax, number in zip(axes, which):
        _PICTURES[number](ax, fit, measures)
    for ax in axes[len(which) :]:
        ax.set_visible(False)
    return axes[: len(which)]


def _named(ax, x, y, size, count=3):
    """Numbers of the rows with the largest values of `size`."""
    for row in np.argsort(-np.nan_to_num(size))[:count]:
        ax.annotate(str(row), (x[row], y[row]), fontsize="x-small", xytext=(3, 3), textcoords="offset points")


def _trend(ax, x, y):
    """A robust local line through the points, if there are enough different values."""
    from statlearn.smooth import Loess

    if len(np.unique(x)) < 10:
        return
    order = np.argsort(x)
    curve = Loess(2 / 3, degree=1, surface="direct").fit(x[order, None], y[order])
    ax.plot(x[order], curve.predict(x[order, None]), color="tab:red", linewidth=1)


def _residuals_fitted(ax, fit, measures):
    x, y = fit.core.eta, fit.residuals()
    ax.plot(x, y, "o", markersize=3, alpha=0.7)
    ax.axhline(0, color="0.6", linestyle=":")
    _trend(ax, x, y)
    _named(ax, x, y, np.abs(y))
    ax.set(xlabel="linear predictor" if not fit.core.kind.least_squares else "fitted values", ylabel="residuals")


def _quantiles(ax, fit, measures):
    y = measures.standardized
    (theory, values), (slope, base, _) = stats.probplot(y[np.isfinite(y)], dist="norm")
    ax.plot(theory, values, "o", markersize=3, alpha=0.7)
    ax.plot(theory, base + slope * theory, color="0.6", linestyle=":")
    ax.set(xlabel="normal quantiles", ylabel="standardised residuals")


def _scale_location(ax, fit, measures):
    x, y = fit.core.eta, np.sqrt(np.abs(measures.standardized))
    keep = np.isfinite(y)
    ax.plot(x, y, "o", markersize=3, alpha=0.7)
    _trend(ax, x[keep], y[keep])
    _named(ax, x, y, y)
    ax.set(xlabel="fitted values", ylabel="root of |standardised residuals|")


def _cook(ax, fit, measures):
    d = measures.cooks_distance
    ax.vlines(np.arange(len(d)), 0, d, linewidth=1)
    _named(ax, np.arange(len(d)), d, d)
    ax.set(xlabel="row", ylabel="Cook's distance")


def _leverage(ax, fit, measures):
    x, y = measures.leverage, measures.standardized
    ax.plot(x, y, "o", markersize=3, alpha=0.7)
    low, high = ax.get_ylim()
    grid = np.linspace(max(1e-3, x.min() / 2), min(0.999, x.max() * 1.05), 100)
    for limit in (0.5, 1.0):
        bound = np.sqrt(limit * fit.core.rank * (1 - grid) / grid)
        for sign in (-1, 1):
            ax.plot(grid, sign * bound, color="tab:red", linestyle="--", linewidth=0.8)
    ax.set_ylim(low, high)
    _named(ax, x, y, measures.cooks_distance)
    ax.set(xlabel="leverage", ylabel="standardised residuals")


_PICTURES = {1: _residuals_fitted, 2: _quantiles, 3: _scale_location, 4: _cook, 5: _leverage}
