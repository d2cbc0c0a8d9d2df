"""Residual plots: normal Q-Q plots and residuals against predictions."""

import numpy as np
from scipy.special import ndtri

from statlearn._draw.axes import new_axes
from statlearn._draw.style import styled, theme

from ._display import Display


class QQDisplay(Display):
    """Display of a normal Q-Q plot of residuals, with a line through the quartiles and a pointwise band.

    See Also
    --------
    qq_plot : The same for given residuals.
    """

    def __init__(self, theoretical, ordered, slope, intercept, lower, upper, name=None):
        self.theoretical, self.ordered, self.slope, self.intercept = theoretical, ordered, slope, intercept
        self.lower, self.upper, self.name = lower, upper, name

    @classmethod
    def from_predictions(cls, y_true, y_pred, *, name=None, ax=None, **options):
        """Plot the residuals y_true - y_pred.

        Parameters
        ----------
        y_true, y_pred : array-like of shape (n,)
        name : str or None, default=None
        ax : matplotlib Axes or None, default=None
        **options
            As in `from_residuals`.

        Returns
        -------
        QQDisplay
        """
        residuals = np.asarray(y_true, dtype=float) - np.asarray(y_pred, dtype=float)
        return cls.from_residuals(residuals, name=name, ax=ax, **options)

    @classmethod
    def from_residuals(cls, residuals, *, band=0.95, name=None, ax=None):
        """Plot the given residuals.

        Parameters
        ----------
        residuals : array-like of shape (n,)
        band : float or None, default=0.95
            Pointwise confidence level of the band for ordered normal values. None draws no band.
        name : str or None, default=None
        ax : matplotlib Axes or None, default=None

        Returns
        -------
        QQDisplay
        """
        ordered = np.sort(np.asarray(residuals, dtype=np.float64).ravel())
        n = len(ordered)
        if n < 2 or not np.all(np.isfinite(ordered)):
            raise ValueError("`residuals` must contain at least two finite numbers.")
        # R's ppoints: offset 3/8 for few values, 1/2 for many.
        a = 0.375 if n <= 10 else 0.5
        theoretical = ndtri((np.arange(1, n + 1) - a) / (n + 1 - 2 * a))
        q = np.quantile(ordered, [0.25, 0.75])
        slope = float((q[1] - q[0]) / (ndtri(0.75) - ndtri(0.25)))
        intercept = float(q.mean())
        lower = upper = None
        if band is not None:
            from scipy.special import betaincinv

            k = np.arange(1, n + 1)
            tails = [betaincinv(k, n + 1 - k, t) for t in ((1 - band) / 2, (1 + band) / 2)]
            lower, upper = (intercept + slope * ndtri(t) for t in tails)
        return cls(theoretical, ordered, slope, intercept, lower, upper, name).plot(ax=ax)

    @styled
    def plot(self, ax=None):
        """Plot the points, the line and the band.

        Parameters
        ----------
        ax : matplotlib Axes or None, default=None

        Returns
        -------
        self
        """
        ax = new_axes(ax, figsize=(4.8, 4.2))
        colours = theme()
        if self.lower is not None:
            ax.fill_between(self.theoretical, self.lower, self.upper, color=colours.muted, alpha=0.16, lw=0)
        ends = self.theoretical[[0, -1]]
        ax.plot(ends, self.intercept + self.slope * ends, color=colours.muted, lw=1.2, ls="--")
        ax.plot(self.theoretical, self.ordered, "o", ms=4, color=colours.cycle[0], alpha=0.75, mew=0)
        ax.set(xlabel="normal quantile", ylabel="ordered residual", title=self.name or "")
        return self._finish(ax)


@styled
def qq_plot(residuals, *, band=0.95, ax=None):
    """Normal Q-Q plot of residuals, like R's ``qqnorm`` with ``qqline``, with a band.

    Points close to the line indicate a normal distribution, and points that bend away at both ends heavy tails.

    Parameters
    ----------
    residuals : array-like of shape (n,)
    band : float or None, default=0.95
        Pointwise confidence level of the band for ordered normal values. None draws no band.
    ax : matplotlib Axes or None, default=None

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.plot import qq_plot
    >>> qq_plot(np.random.default_rng(0).normal(size=50)).get_xlabel()
    'normal quantile'
    """
    return QQDisplay.from_residuals(residuals, band=band, ax=ax).ax_


class ResidualDisplay(Display):
    """Display of residuals or observed values against predictions, with a running median.

    See Also
    --------
    residual_plot : The same in one call.
    """

    def __init__(self, y_true, y_pred, kind, name=None):
        self.y_true, self.y_pred, self.kind, self.name = y_true, y_pred, kind, name

    @classmethod
    def from_predictions(cls, y_true, y_pred, *, kind="residual", name=None, ax=None):
        """Plot residuals or observed values against predictions.

        Parameters
        ----------
        y_true, y_pred : array-like of shape (n,)
        kind : {"residual", "observed"}, default="residual"
        name : str or None, default=None
        ax : matplotlib Axes or None, default=None

        Returns
        -------
        ResidualDisplay
        """
        if kind not in ("residual", "observed"):
            raise ValueError(f"`kind` must be 'residual' or 'observed', got {kind!r}.")
        y_true, y_pred = np.asarray(y_true, dtype=float), np.asarray(y_pred, dtype=float)
        if y_true.shape != y_pred.shape or y_true.ndim != 1:
            raise ValueError(
                f"`y_true` and `y_pred` must be one-dimensional arrays of the same length, got shapes {y_true.shape} "
                f"and {y_pred.shape}."
            )
        return cls(y_true, y_pred, kind, name).plot(ax=ax)

    @styled
    def plot(self, ax=None):
        """Plot the points.

        Parameters
        ----------
        ax : matplotlib Axes or None, default=None

        Returns
        -------
        self
        """
        ax = new_axes(ax, figsize=(5.4, 4.0))
        colours = theme()
        values = self.y_true - self.y_pred if self.kind == "residual" else self.y_true
        n = len(values)
        ax.plot(
            self.y_pred, values, "o", ms=4.5 if n < 500 else 2.5, alpha=0.65 if n < 500 else 0.3, mew=0,
            color=colours.cycle[0], rasterized=n > 5000,
        )  # fmt: skip
        if self.kind == "residual":
            ax.axhline(0.0, color=colours.muted, lw=1.2, ls="--")
        else:
            ax.axline((self.y_pred.mean(), self.y_pred.mean()), slope=1, color=colours.muted, lw=1.2, ls="--")
        if n >= 30:
            order = np.argsort(self.y_pred, kind="stable")
            blocks = np.array_split(order, min(12, n // 10))
            x = [np.median(self.y_pred[b]) for b in blocks]
            middle = [np.median(values[b]) for b in blocks]
            ax.plot(x, middle, color=colours.cycle[1], label="running median")
            ax.legend()
        ax.set(xlabel="predicted", ylabel=self.kind, title=self.name or "")
        return self._finish(ax)


@styled
def residual_plot(y_true, y_pred, *, kind="residual", ax=None):
    """Plot of residuals or observed values against predictions, with a running median.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,)
    kind : {"residual", "observed"}, default="residual"
    ax : matplotlib Axes or None, default=None

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from statlearn.plot import residual_plot
    >>> residual_plot([1.0, 2.0, 3.0], [1.1, 1.9, 3.2]).get_ylabel()
    'residual'
    """
    return ResidualDisplay.from_predictions(y_true, y_pred, kind=kind, ax=ax).ax_
