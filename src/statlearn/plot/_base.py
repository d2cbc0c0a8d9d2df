"""Axes to draw on."""

from ._style import require_matplotlib


def new_axes(ax=None, **subplots):
    """The given axes, or new ones; a clear error when matplotlib is missing."""
    if ax is not None:
        return ax
    return require_matplotlib().subplots(**{"layout": "constrained", **subplots})[1]
