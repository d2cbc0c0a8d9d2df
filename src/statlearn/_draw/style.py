"""Common style of all plots: colour-blind safe colours, minimal decoration, and light and dark themes.

Every plotting function of the package is `styled`: it uses the active style, or the light one if none is active.
`style` activates one by name::

    with statlearn.plot.style("dark"):
        roc_plot(y, score)
"""

import functools
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

# Okabe and Ito's colours, ordered so that adjacent ones also differ in lightness; their yellow is too pale on white.
_LIGHT_CYCLE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#6F6F6F")
_DARK_CYCLE = ("#56B4E9", "#F0803C", "#2FC79A", "#E5A5CB", "#F2B632", "#8FB8FF", "#B8B8B8")

# For printing in greyscale: in plots with few lines, adjacent ones also differ in line style.
LINE_STYLES = ("-", (0, (5, 1.6)), (0, (1.2, 1.2)), (0, (5, 1.5, 1.2, 1.5)), (0, (8, 2)), (0, (3, 1)), "-")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")


@dataclass(frozen=True)
class Theme:
    """Colours by purpose."""

    name: str
    cycle: tuple[str, ...]  # series, classes, models
    background: str
    ink: str  # text, and data without a group
    muted: str  # axes, ticks, reference lines
    faint: str  # grid, background fills
    good: str  # the selected item
    bad: str  # errors, limits
    sequential: str = "cividis"  # matplotlib's names
    diverging: str = "PuOr"


THEMES = {
    "light": Theme("light", _LIGHT_CYCLE, "#FFFFFF", "#1F2328", "#6E7781", "#E3E6EA", "#009E73", "#D55E00"),
    "dark": Theme("dark", _DARK_CYCLE, "#16191E", "#E6EAF0", "#9AA4B0", "#2E343D", "#2FC79A", "#F0803C"),
}

_active: ContextVar[Theme | None] = ContextVar("statlearn_plot_theme", default=None)


def theme():
    """Colours of the active style, or of the light one if none is active.

    Returns
    -------
    Theme
        With `cycle`, `background`, `ink`, `muted`, `faint`, `good`, `bad`, and the colour maps `sequential` and
        `diverging`.

    Examples
    --------
    >>> from statlearn.plot import style, theme
    >>> theme().name
    'light'
    >>> with style("dark"):
    ...     theme().name
    'dark'
    """
    return _active.get() or THEMES["light"]


def rc_parameters(colours):
    """matplotlib's rc parameters for a theme."""
    from cycler import cycler

    return {
        "axes.prop_cycle": cycler(color=colours.cycle),
        "figure.facecolor": colours.background,
        "savefig.facecolor": colours.background,
        "axes.facecolor": colours.background,
        "text.color": colours.ink,
        "axes.labelcolor": colours.ink,
        "axes.titlecolor": colours.ink,
        "axes.edgecolor": colours.muted,
        "xtick.color": colours.muted,
        "ytick.color": colours.muted,
        "xtick.labelcolor": colours.ink,
        "ytick.labelcolor": colours.ink,
        "grid.color": colours.faint,
        "axes.grid": True,
        "axes.axisbelow": True,
        "grid.linewidth": 0.8,
        "axes.linewidth": 0.8,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.titlelocation": "left",
        "axes.titleweight": "bold",
        "axes.titlesize": 11,
        "axes.labelsize": 10,
        "font.size": 10,
        "xtick.labelsize": 9,
        "ytick.labelsize": 9,
        "legend.fontsize": 9,
        "legend.frameon": False,
        "lines.linewidth": 1.8,
        "lines.markersize": 5,
        "lines.solid_capstyle": "round",
        "scatter.edgecolors": "none",
        "image.cmap": colours.sequential,
        "figure.dpi": 110,
        "savefig.dpi": 150,
    }


@contextmanager
def style(name="light") -> Iterator[Theme]:
    """Context manager that activates a plot style and restores matplotlib's settings on exit.

    Parameters
    ----------
    name : {"light", "dark"}, default="light"

    Examples
    --------
    >>> from statlearn.plot import style
    >>> with style("dark") as colours:
    ...     colours.background
    '#16191E'
    """
    if name not in THEMES:
        raise ValueError(f"`name` must be one of {sorted(THEMES)}, got {name!r}.")
    import matplotlib

    token = _active.set(THEMES[name])
    try:
        with matplotlib.rc_context(rc_parameters(THEMES[name])):
            yield THEMES[name]
    finally:
        _active.reset(token)


def styled(function):
    """Decorator that makes a plotting function use the active style, or the light one if none is active.

    Parameters
    ----------
    function : callable
        A function that draws with matplotlib and takes its colours from :func:`theme`.

    Returns
    -------
    callable

    Examples
    --------
    >>> from statlearn.plot import new_axes, styled, theme
    >>> @styled
    ... def plot_line(x, ax=None):
    ...     return new_axes(ax).plot(x, color=theme().ink)
    >>> plot_line([1, 2, 3])[0].get_color()
    '#1F2328'
    """

    @functools.wraps(function)
    def draw(*args, **kwargs):
        if _active.get() is not None:
            return function(*args, **kwargs)
        require_matplotlib()
        with style("light"):
            return function(*args, **kwargs)

    return draw


def require_matplotlib():
    """Import of `matplotlib.pyplot`, with an error that says how to install it.

    Returns
    -------
    module

    Examples
    --------
    >>> from statlearn.plot import require_matplotlib
    >>> require_matplotlib().__name__
    'matplotlib.pyplot'
    """
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError("Plots require matplotlib; install it with: pip install 'statlearn[plot]'") from error
    return plt
