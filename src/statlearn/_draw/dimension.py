"""Plots for nearest neighbours."""

from .style import require_matplotlib, styled, theme


@styled
def plot_curse(result, axes=None):
    """Plot of the curse of dimensionality: nearest-neighbour distance and estimate against the dimension.

    Parameters
    ----------
    result : CurseSimulation
        Result of :func:`statlearn.neighbors.curse_simulation`.
    axes : pair of matplotlib Axes or None, default=None

    Returns
    -------
    pair of matplotlib Axes

    Examples
    --------
    >>> from statlearn.neighbors import curse_simulation
    >>> from statlearn.plot import plot_curse
    >>> left, right = plot_curse(curse_simulation((1, 3, 6), n_repeats=20, random_state=0))
    """
    if axes is None:
        axes = require_matplotlib().subplots(1, 2, figsize=(9, 3.8), layout="constrained")[1]
    colours = theme()
    p = result.n_features
    panels = (
        (axes[0], result.distance, result.distance_std, "distance to the nearest point", 0),
        (axes[1], result.estimate, result.estimate_std, "estimate at the origin", 1),
    )
    for ax, mean, spread, label, k in panels:
        ax.fill_between(p, mean - spread, mean + spread, color=colours.cycle[k], alpha=0.18, lw=0)
        ax.plot(p, mean, "o-", color=colours.cycle[k], ms=4)
        ax.set(xlabel="dimension", ylabel=label)
        ax.xaxis.get_major_locator().set_params(integer=True)
    axes[1].axhline(result.truth, ls="--", lw=1, color=colours.muted)
    axes[1].annotate(
        "truth", (p[-1], result.truth), (0, -4), textcoords="offset points", ha="right", va="top", color=colours.muted
    )
    axes[0].set_title(f"{result.n_samples:,} points, {result.n_repeats} repetitions", loc="left")
    return tuple(axes)
