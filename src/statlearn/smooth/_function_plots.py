"""Figures of several functions: a grid of panels, and the rows to evaluate a function of one or two features at."""

import numpy as np

from statlearn._draw.axes import new_axes
from statlearn._draw.style import styled, theme


def panels(axes, count):
    """`count` axes: those given, or a new grid with three columns; unused axes are hidden."""
    if axes is None:
        columns = min(3, count)
        rows = -(-count // columns)
        axes = new_axes(nrows=rows, ncols=columns, figsize=(4 * columns, 3.2 * rows), squeeze=False)
    axes = np.atleast_1d(axes).ravel()
    if len(axes) < count:
        raise ValueError(f"`axes` must hold at least {count} axes, got {len(axes)}.")
    for ax in axes[count:]:
        ax.set_visible(False)
    return axes[:count]


def grid_rows(features, low, high, middle, size, levels=None):
    """Grids over the ranges of the features, and rows for all their combinations; other columns are set to `middle`.

    `levels`: the levels, by feature, of features that hold codes 0, 1, ..., all of which are used.
    """
    levels = {} if levels is None else levels
    lines = [np.arange(float(len(levels[j]))) if j in levels else np.linspace(low[j], high[j], size) for j in features]
    X = np.tile(middle, (int(np.prod([len(line) for line in lines])), 1))
    for j, values in zip(features, np.meshgrid(*lines, indexing="ij"), strict=True):
        X[:, j] = values.ravel()
    return lines, X


def draw_levels(ax, lines, values):
    """Draw a function of two features as filled contours."""
    levels = ax.contourf(*lines, values.reshape(len(lines[0]), len(lines[1])).T, 12, cmap=theme().sequential)
    ax.figure.colorbar(levels, ax=ax)


@styled
def draw_curves(curves, axes):
    """One panel per `TermCurve`, with its band if it has one."""
    axes = panels(axes, len(curves))
    for ax, curve in zip(axes, curves, strict=True):
        if curve.low is not None:
            ax.fill_between(curve.x, curve.low, curve.high, alpha=0.25, linewidth=0)
        ax.plot(curve.x, curve.value)
        ax.set(xlabel=curve.feature, ylabel=curve.label if curve.label != curve.feature else f"f({curve.feature})")
    return axes
