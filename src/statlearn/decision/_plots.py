"""Plots of policies on a grid, and of a metric for several policies."""

import numpy as np

from statlearn._draw.axes import new_axes
from statlearn._draw.style import styled, theme

from ._qmdp import as_policy


@styled
def policy_map(policy, axes, *, x=0, y=1, at=None, labels=None, names=None, resolution=150, ax=None):
    """Actions of a policy over a slice of two coordinates.

    Parameters
    ----------
    policy : callable, Solution or array-like
        ``policy(states)`` returns the number of an action for each row of `states`, such as a `QMDPPolicy`. Also the
        solution of a process on this grid, whose action values are interpolated, or the actions of its nodes
        (``solution.policy``), where the closest node decides.
    axes : list of array-like
        Grid values of each coordinate; they set the range of the plot.
    x, y : int, default=0 and 1
        The coordinates that vary.
    at : array-like of shape (n_coordinates,), default=None
        Values of the other coordinates; by default 0, or the closest grid value to it.
    labels : list of str, default=None
        Names of the actions for the legend.
    names : list of str, default=None
        Names of the coordinates.
    resolution : int, default=150
        Points per axis.
    ax : matplotlib Axes, default=None

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.decision import policy_map
    >>> axes = [np.linspace(-1, 1, 5)] * 2
    >>> ax = policy_map(lambda s: (s[:, 0] > s[:, 1]).astype(int), axes, labels=["left", "right"])
    """
    axes = [np.asarray(axis, dtype=np.float64) for axis in axes]
    if x == y or not (0 <= x < len(axes) and 0 <= y < len(axes)):
        raise ValueError(f"`x`={x} and `y`={y} must be two different coordinates from 0 to {len(axes) - 1}.")
    centre = [np.clip(0.0, axis[0], axis[-1]) for axis in axes] if at is None else np.asarray(at, dtype=np.float64)
    if len(centre) != len(axes):
        raise ValueError(f"`at` must have length {len(axes)}, got {len(centre)}.")
    across, up = (np.linspace(axes[k][0], axes[k][-1], resolution) for k in (x, y))
    states = np.tile(centre, (resolution * resolution, 1))
    states[:, x], states[:, y] = (grid.ravel() for grid in np.meshgrid(across, up))
    action = np.asarray(as_policy(policy, axes)(states)).reshape(resolution, resolution)
    ax = new_axes(ax)
    shown = np.unique(action)
    cycle = theme().cycle
    from matplotlib.colors import ListedColormap
    from matplotlib.patches import Patch

    if len(shown) <= len(cycle):
        colours = list(cycle[: len(shown)])
    else:  # more actions than colours of the theme
        from matplotlib import colormaps

        colours = [colormaps["tab20"](k % 20) for k in range(len(shown))]
    picture = np.searchsorted(shown, action)
    ax.pcolormesh(
        across,
        up,
        picture,
        cmap=ListedColormap(colours),
        vmin=-0.5,
        vmax=len(shown) - 0.5,
        shading="nearest",
        alpha=0.85,
    )
    words = [str(a) if labels is None else labels[a] for a in shown]
    patches = [Patch(color=colour, label=word) for colour, word in zip(colours, words)]
    ax.legend(handles=patches, title="action", loc="center left", bbox_to_anchor=(1.01, 0.5), frameon=False)
    names = [f"coordinate {k}" for k in range(len(axes))] if names is None else names
    ax.set(xlabel=names[x], ylabel=names[y], title="Policy")
    return ax


@styled
def cdf_comparison(samples, *, threshold=None, xlabel="value", ax=None):
    """Empirical distribution functions of one metric for several policies.

    Parameters
    ----------
    samples : dict of str to array-like
        Values of the metric, by the name of the policy.
    threshold : float, default=None
        A required value, drawn as a vertical line.
    xlabel : str, default="value"
    ax : matplotlib Axes, default=None

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from statlearn.decision import cdf_comparison
    >>> ax = cdf_comparison({"coarse": [1.0, 2.0, 3.0], "fine": [2.0, 3.0, 4.0]}, threshold=1.5)
    """
    if not samples:
        raise ValueError("`samples` must hold at least one policy.")
    ax = new_axes(ax)
    for name, values in samples.items():
        values = np.sort(np.asarray(values, dtype=np.float64))
        if values.ndim != 1 or values.size == 0 or not np.isfinite(values).all():
            raise ValueError(f"`samples`[{name!r}] must be a non-empty list of finite numbers.")
        ax.ecdf(values, label=name)
    if threshold is not None:
        ax.axvline(threshold, color=theme().bad, linestyle=":", label=f"required {threshold:g}")
    ax.set(xlabel=xlabel, ylabel="share of runs at or below", ylim=(0, 1))
    ax.legend(frameon=False)
    return ax
