"""Plots of density estimates."""

import numpy as np

from statlearn._draw.axes import new_axes
from statlearn._draw.style import styled

_MOST_MARKS = 2000  # rows that are drawn with the estimate


@styled
def plot_density(model, ax, grid_size):
    """A curve with tick marks for the rows (one column), or contours with the rows as points (two columns)."""
    X, h = model._fit_X.astype(np.float64), model.bandwidth_
    n, d = X.shape
    if d > 2:
        raise ValueError(f"A density of {d} columns cannot be plotted; fit it to one or two columns.")
    ax = new_axes(ax)
    margin = (3.0 if model.kernel in ("gaussian", "exponential") else 1.05) * h
    size = (512 if d == 1 else 80) if grid_size is None else grid_size
    lines = [np.linspace(x.min() - margin, x.max() + margin, size) for x in X.T]
    names = getattr(model, "feature_names_in_", [f"x{j}" for j in range(d)])
    shown = X[:: max(1, n // _MOST_MARKS)]
    if d == 1:
        ax.plot(lines[0], np.exp(model._log_density(lines[0][:, None])), label=f"h = {h:.3g}")
        ax.plot(shown[:, 0], np.zeros(len(shown)), "|", color="0.5", markersize=8, alpha=0.5)
        ax.set(xlabel=names[0], ylabel="density")
        return ax
    grid = np.stack(np.meshgrid(*lines, indexing="ij"), axis=-1).reshape(-1, 2)
    values = np.exp(model._log_density(grid)).reshape(size, size).T
    levels = ax.contourf(*lines, values, 12, cmap="viridis")
    ax.figure.colorbar(levels, ax=ax, label="density")
    ax.plot(*shown.T, ".", color="white", markersize=2, alpha=0.5)
    ax.set(xlabel=names[0], ylabel=names[1])
    return ax
