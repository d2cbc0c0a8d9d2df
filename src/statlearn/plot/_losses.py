"""Plots of loss functions."""

import numpy as np

from statlearn._draw.axes import new_axes
from statlearn._draw.style import LINE_STYLES, styled, theme


@styled
def plot_losses(losses=None, *, against="residual", limits=None, ax=None):
    """Plot of loss functions against the residual y - f or the margin y f.

    Parameters
    ----------
    losses : sequence or dict of losses, or None, default=None
        Objects of `statlearn.assess.losses` or their names ("huber"), optionally as a dict with names as keys. None
        plots the usual ones: squared (r², not half of it), absolute, Huber and log-cosh against the residual, or
        zero-one, perceptron, hinge, squared hinge, modified Huber, logistic and exponential against the margin.
    against : {"residual", "margin"}, default="residual"
    limits : (float, float) or None, default=None
        Range of the horizontal axis. None means -4 to 4, or -2.5 to 2.5 for margins.
    ax : matplotlib Axes or None, default=None

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from statlearn.plot import plot_losses
    >>> plot_losses(against="margin").get_xlabel()
    'margin y f'
    """
    from statlearn.assess.losses import get

    if against not in ("residual", "margin"):
        raise ValueError(f"`against` must be 'residual' or 'margin', got {against!r}.")
    if losses is None:
        losses = _usual(against)
    elif not isinstance(losses, dict):
        losses = {_describe(loss): loss for loss in ([losses] if isinstance(losses, str) else losses)}
    losses = {name: get(loss) for name, loss in losses.items()}
    ax = new_axes(ax, figsize=(6.0, 4.2))
    low, high = limits or ((-4.0, 4.0) if against == "residual" else (-2.5, 2.5))
    x = np.linspace(low, high, 801)
    ones, zeros = np.ones_like(x), np.zeros_like(x)
    tops = []
    for k, (name, loss) in enumerate(losses.items()):
        # A margin is the score of a row with label +1; a residual is a response with a fit of 0.
        values = np.asarray(loss.value(ones, x) if against == "margin" else loss.value(x, zeros), dtype=float)
        tops.append(values.max())
        ax.plot(x, values, label=name, ls=LINE_STYLES[k % 7], color=theme().cycle[k % 7])
    ax.axvline(0.0, color=theme().muted, lw=0.8, zorder=0)
    ax.set_ylim(-0.1, 1.05 * min(max(tops), max(4.0 if against == "residual" else 6.0, float(np.median(tops)))))
    ax.set(xlabel="residual y - f" if against == "residual" else "margin y f", ylabel="loss", xlim=(low, high))
    ax.legend(loc="upper center" if against == "residual" else "upper right")
    return ax


def _describe(loss):
    if isinstance(loss, str):
        return loss.replace("_", " ")
    if getattr(loss, "half", False) is True:
        return f"{type(loss).__name__} / 2"
    names = [name for name in getattr(loss, "_parameters", ()) if name != "half"]
    parameters = ", ".join(f"{name}={getattr(loss, name):g}" for name in names)
    return f"{type(loss).__name__}({parameters})" if parameters else type(loss).__name__


class _ZeroOne:
    """Zero-one loss, which is 1 for a negative margin and at 0, where the classifier is undecided."""

    def value(self, y, f):
        return (y * f <= 0).astype(float)


def _usual(against):
    from statlearn.assess import losses as L

    if against == "residual":
        return {
            "squared": L.SquaredError(),
            "absolute": L.AbsoluteError(),
            "Huber, δ = 1": L.Huber(),
            "log-cosh": L.LogCosh(),
        }
    return {
        "zero-one": _ZeroOne(),
        "perceptron": L.Perceptron(),
        "hinge": L.Hinge(),
        "squared hinge": L.SquaredHinge(),
        "modified Huber": L.ModifiedHuber(),
        "logistic": L.Logistic(),
        "exponential": L.Exponential(),
    }
