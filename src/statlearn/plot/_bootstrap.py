"""Diagram of the bootstrap."""

from collections.abc import Callable

import numpy as np

from statlearn._core.params import Instance, Int, check_arguments
from statlearn._draw.axes import new_axes
from statlearn._draw.style import styled, theme


@styled
def bootstrap_diagram(data=None, statistic=np.mean, *, n_resamples=6, random_state=0, ax=None):
    """Diagram of bootstrap samples: rows drawn once, repeatedly and not at all, and the statistic of each sample.

    Each line is a sample of as many rows as the data have, drawn with replacement. A number in a cell says how often
    the row was drawn, an empty cell that it was left out. On the right stand the statistic of the sample, whose spread
    estimates the standard error, and the proportion of rows left out, on average (1 - 1/n)ⁿ or nearly 0.368.

    Parameters
    ----------
    data : array-like of shape (n,) or (n, ...) or None, default=None
        Data to resample. None uses the numbers 1 to 12.
    statistic : callable, default=numpy.mean
        Function of a sample that returns a number.
    n_resamples : int, default=6
        Number of bootstrap samples.
    random_state : int, RandomState or None, default=0
    ax : matplotlib Axes or None, default=None

    Returns
    -------
    matplotlib Axes

    See Also
    --------
    statlearn.assess.bootstrap_distribution : Distribution of a statistic over many samples.

    Examples
    --------
    >>> from statlearn.plot import bootstrap_diagram
    >>> ax = bootstrap_diagram([2.0, 4.0, 4.5, 7.0], n_resamples=2)
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['Z', 'Z*1', 'Z*2']
    """
    from sklearn.utils import check_random_state

    from statlearn.assess import probability_left_out

    check_arguments(
        "bootstrap_diagram",
        statistic=(statistic, [Instance(Callable)]),
        n_resamples=(n_resamples, [Int(1, None)]),
    )
    data = np.arange(1, 13) if data is None else np.asarray(data)
    if data.ndim == 0 or len(data) < 2:
        raise ValueError(f"`data` must have at least 2 rows, got an array of shape {data.shape}.")
    n = len(data)
    rng = check_random_state(random_state)
    samples = [rng.randint(n, size=n) for _ in range(n_resamples)]
    counts = np.vstack([np.ones(n, dtype=np.intp), *(np.bincount(rows, minlength=n) for rows in samples)])
    values = [float(statistic(data)), *(float(statistic(data[rows])) for rows in samples)]

    ax = new_axes(ax, figsize=(2.6 + 0.36 * n, 1.2 + 0.4 * (n_resamples + 1)))
    colours = theme()
    for line, row in np.ndindex(counts.shape):
        count = counts[line, row]
        strength = 0.3 if line == 0 else min(0.2 + 0.25 * (count - 1), 0.95)
        colour = colours.background if count == 0 else colours.cycle[1 if line == 0 else 0]
        place = (row - 0.42, line - 0.36)
        ax.add_patch(_cell(place, colour, strength if count else 1.0, colours.muted if count == 0 else colour))
        if line > 0 and count:
            ink = colours.background if strength > 0.6 else colours.ink
            ax.text(row, line, str(count), ha="center", va="center", fontsize=8, color=ink)
        elif line == 0 and data.ndim == 1 and n <= 20:
            ax.text(row, line, f"{data[row]:.3g}", ha="center", va="center", fontsize=8, color=colours.ink)
    left_out = (counts[1:] == 0).mean(axis=1)
    for line, value in enumerate(values):
        name = "S(Z)" if line == 0 else f"S(Z*{line})"
        ax.text(n - 0.1, line, f"{name} = {value:.3g}", va="center", fontsize=9, color=colours.ink)
        if line > 0:
            ax.text(
                n + 3.2, line, f"{100 * left_out[line - 1]:.0f} % out", va="center", fontsize=9, color=colours.muted
            )
    ax.set_yticks(range(n_resamples + 1), ["Z", *(f"Z*{b}" for b in range(1, n_resamples + 1))])
    ax.set_xticks(range(0, n, max(1, n // 12)), range(1, n + 1, max(1, n // 12)))
    ax.set(xlim=(-0.7, n + 4.9), ylim=(n_resamples + 0.6, -0.6))
    spread = f"std. error {np.std(values[1:], ddof=1):.2g}, " if n_resamples > 1 else ""
    shares = 100 * left_out.mean(), 100 * probability_left_out(n)
    ax.set_xlabel(f"row    ({spread}{shares[0]:.0f} % left out; {shares[1]:.1f} % expected)", loc="left")
    ax.grid(False)
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    return ax


def _cell(place, colour, alpha, edge):
    from matplotlib.colors import to_rgba
    from matplotlib.patches import Rectangle

    return Rectangle(place, 0.84, 0.72, fc=to_rgba(colour, alpha), ec=to_rgba(edge, 0.6), lw=0.8)
