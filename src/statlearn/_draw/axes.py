"""Axes to draw on."""

import numpy as np

from .style import require_matplotlib


def new_axes(ax=None, **subplots):
    """The given axes, or new ones if none are given.

    Parameters
    ----------
    ax : matplotlib Axes or None, default=None
        Returned unchanged if given.
    **subplots
        Arguments of ``matplotlib.pyplot.subplots`` for new axes. The layout is constrained unless set otherwise.

    Returns
    -------
    matplotlib Axes, or an array of them if `subplots` requests several

    Examples
    --------
    >>> from statlearn.plot import new_axes
    >>> new_axes(nrows=1, ncols=2).shape
    (2,)
    """
    if ax is not None:
        return ax
    return require_matplotlib().subplots(**{"layout": "constrained", **subplots})[1]


def parameter_axis(ax, x, log):
    """Set up the horizontal axis of a parameter, with integer ticks for integers and the simplest model on the left.

    `log=None` chooses a logarithmic or linear scale by the range.
    """
    if log or (log is None and np.all(x > 0) and x.max() > 20 * x.min()):
        ax.set_xscale("log")
    elif np.all(x == np.round(x)):
        ax.xaxis.get_major_locator().set_params(integer=True)
    if len(x) > 1 and x[0] > x[-1]:
        ax.invert_xaxis()
