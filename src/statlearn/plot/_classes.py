"""Confusion matrices and calibration curves."""

import numpy as np

from statlearn._draw.axes import new_axes
from statlearn._draw.style import LINE_STYLES, styled, theme

from ._display import Display


class ConfusionDisplay(Display):
    """Display of a confusion matrix with true classes in the rows and predicted classes in the columns.

    See Also
    --------
    confusion_plot : The same in one call.
    """

    def __init__(self, counts, labels, normalize=None, name=None):
        self.counts, self.labels, self.normalize, self.name = np.asarray(counts), list(labels), normalize, name

    @classmethod
    def from_predictions(cls, y_true, y_pred, *, labels=None, normalize="true", name=None, ax=None):
        """Compute and plot the confusion matrix.

        Parameters
        ----------
        y_true, y_pred : array-like of shape (n,)
        labels : sequence or None, default=None
            Order of the classes. None sorts them.
        normalize : {"true", "pred", "all"} or None, default="true"
            Quantity shown by the shading: proportions of the rows, of the columns or of all. None shades by counts. The
            counts are always printed.
        name : str or None, default=None
            Title.
        ax : matplotlib Axes or None, default=None

        Returns
        -------
        ConfusionDisplay
        """
        from sklearn.metrics import confusion_matrix

        labels = np.unique(np.concatenate([np.asarray(y_true), np.asarray(y_pred)])) if labels is None else labels
        return cls(confusion_matrix(y_true, y_pred, labels=labels), labels, normalize, name).plot(ax=ax)

    @property
    def shares(self):
        """Proportions (or counts) shown by the shading."""
        total = {
            None: 1.0,
            "all": self.counts.sum(),
            "true": self.counts.sum(axis=1, keepdims=True),
            "pred": self.counts.sum(axis=0, keepdims=True),
        }[self.normalize]
        return self.counts / np.maximum(total, 1)

    @styled
    def plot(self, ax=None):
        """Plot the confusion matrix.

        Parameters
        ----------
        ax : matplotlib Axes or None, default=None

        Returns
        -------
        self
        """
        k = len(self.labels)
        size = 1.6 + 0.62 * k
        ax = new_axes(ax, figsize=(max(3.4, size), max(3.1, size)))
        colours = theme()
        from matplotlib.colors import LinearSegmentedColormap, to_rgb

        shade = LinearSegmentedColormap.from_list("shade", [colours.background, colours.cycle[0]])
        shares = self.shares
        top = 1.0 if self.normalize else max(shares.max(), 1)
        ax.imshow(shares, cmap=shade, vmin=0, vmax=top)
        base, paper = np.array(to_rgb(colours.cycle[0])), np.array(to_rgb(colours.background))
        for i in range(k):
            for j in range(k):
                cell = paper + (base - paper) * shares[i, j] / top
                light = cell @ [0.299, 0.587, 0.114] > 0.55
                text = f"{self.counts[i, j]}"
                if self.normalize and k <= 6:
                    text += f"\n{100 * shares[i, j]:.0f} %"
                ax.text(
                    j, i, text, ha="center", va="center", fontsize=10 if k <= 6 else 7,
                    color="#1F2328" if light else "#FFFFFF",
                )  # fmt: skip
        names = [str(label) for label in self.labels]
        turn = {"rotation": 45, "ha": "right", "rotation_mode": "anchor"} if max(map(len, names)) > 4 and k > 2 else {}
        ax.set_xticks(range(k), names, **turn)
        ax.set_yticks(range(k), names)
        ax.set(xlabel="predicted", ylabel="true", title=self.name or "")
        ax.grid(False)
        ax.spines[:].set_visible(False)
        ax.tick_params(length=0)
        return self._finish(ax)


@styled
def confusion_plot(y_true, y_pred, *, labels=None, normalize="true", ax=None):
    """Plot of a confusion matrix, with printed counts and shading by proportion.

    True classes are in the rows.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,)
    labels : sequence or None, default=None
        Order of the classes. None sorts them.
    normalize : {"true", "pred", "all"} or None, default="true"
    ax : matplotlib Axes or None, default=None

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from statlearn.plot import confusion_plot
    >>> confusion_plot([0, 0, 1, 1], [0, 1, 1, 1]).get_ylabel()
    'true'
    """
    return ConfusionDisplay.from_predictions(y_true, y_pred, labels=labels, normalize=normalize, ax=ax).ax_


class CalibrationDisplay(Display):
    """Display of a calibration curve with Wilson intervals for each bin.

    See Also
    --------
    calibration_plot : The same in one call.
    """

    _response = ("predict_proba",)

    def __init__(self, predicted, observed, low, high, counts, name=None):
        self.predicted, self.observed, self.low, self.high = predicted, observed, low, high
        self.counts, self.name = counts, name

    @classmethod
    def _with_classes(cls, options, classes, answer):
        if answer.ndim == 1:
            options.setdefault("pos_label", classes[1])
        return options

    @classmethod
    def from_predictions(
        cls, y_true, y_prob, *, pos_label=None, n_bins=10, strategy="quantile", confidence=0.95, name=None, ax=None
    ):
        """Compute and plot the calibration curve.

        Parameters
        ----------
        y_true : array-like of shape (n,)
        y_prob : array-like of shape (n,)
            Probability of the positive class.
        pos_label : label or None, default=None
            The positive class. None uses the second of two classes.
        n_bins : int, default=10
        strategy : {"quantile", "uniform"}, default="quantile"
            "quantile" uses bins with equal counts, "uniform" bins of equal width.
        confidence : float, default=0.95
        name : str or None, default=None
        ax : matplotlib Axes or None, default=None

        Returns
        -------
        CalibrationDisplay
        """
        from statlearn.assess import score_interval

        from ._thresholds import _positive

        positive = _positive(y_true, pos_label)
        prob = np.asarray(y_prob, dtype=np.float64)
        if prob.shape != positive.shape or prob.min() < 0 or prob.max() > 1:
            raise ValueError("`y_prob` must contain one probability per row.")
        levels = np.linspace(0, 1, n_bins + 1)
        edges = np.unique(np.quantile(prob, levels)) if strategy == "quantile" else levels
        bins = np.clip(np.searchsorted(edges[1:-1], prob, side="right"), 0, max(len(edges) - 2, 0))
        used = [k for k in range(max(len(edges) - 1, 1)) if np.any(bins == k)]
        counts = np.array([np.sum(bins == k) for k in used])
        hits = np.array([np.sum(positive[bins == k]) for k in used])
        limits = [score_interval(int(h), int(c), confidence=confidence) for h, c in zip(hits, counts)]
        return cls(
            np.array([prob[bins == k].mean() for k in used]),
            hits / counts,
            np.array([i.low for i in limits]),
            np.array([i.high for i in limits]),
            counts,
            name,
        ).plot(ax=ax)

    @styled
    def plot(self, ax=None):
        """Plot the points with their intervals.

        Parameters
        ----------
        ax : matplotlib Axes or None, default=None

        Returns
        -------
        self
        """
        ax = new_axes(ax, figsize=(4.6, 4.4))
        colours = theme()
        used = sum(1 for line in ax.lines if line.get_gid() == "curve")
        colour = colours.cycle[used % 7]
        if used == 0:
            ax.plot([0, 1], [0, 1], color=colours.muted, lw=1, ls=":", zorder=0)
            ax.set(
                xlabel="predicted probability", ylabel="observed frequency", xlim=(-0.02, 1.02), ylim=(-0.02, 1.02)
            )  # fmt: skip
            ax.set_aspect("equal")
        ax.vlines(self.predicted, self.low, self.high, color=colour, lw=1.2, alpha=0.6)
        ax.plot(
            self.predicted, self.observed, "o", ls=LINE_STYLES[used % 7], color=colour, lw=1.4, gid="curve",
            label=self.name or "model",
        )  # fmt: skip
        if self.name or used:
            ax.legend(loc="upper left")
        return self._finish(ax)


@styled
def calibration_plot(y_true, y_prob, *, ax=None, **options):
    """Calibration plot: observed frequency against predicted probability, with Wilson intervals for each bin.

    Parameters
    ----------
    y_true : array-like of shape (n,)
    y_prob : array-like of shape (n,)
    ax : matplotlib Axes or None, default=None
    **options
        pos_label, n_bins, strategy ("quantile" or "uniform"), confidence, name.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.plot import calibration_plot
    >>> p = np.linspace(0.05, 0.95, 200)
    >>> y = np.random.default_rng(0).uniform(size=200) < p
    >>> calibration_plot(y, p).get_ylabel()
    'observed frequency'
    """
    return CalibrationDisplay.from_predictions(y_true, y_prob, ax=ax, **options).ax_
