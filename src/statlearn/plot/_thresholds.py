"""ROC, precision-recall and DET curves with bootstrap bands."""

import numpy as np
from scipy.special import ndtri

from statlearn._core.docstrings import filled
from statlearn._draw.axes import new_axes
from statlearn._draw.style import LINE_STYLES, styled, theme

from ._display import Display

_GRID = np.linspace(0.0, 1.0, 201)


def _positive(y, pos_label):
    """Mask of the positive rows: those of `pos_label`, or of the second of two classes."""
    y = np.asarray(y)
    classes = np.unique(y)
    if pos_label is None:
        if len(classes) != 2:
            raise ValueError(
                f"`y_true` must have two classes, got {len(classes)}; pass `pos_label`, or scores for every class."
            )
        pos_label = classes[1]
    positive = y == pos_label
    if not positive.any() or positive.all():
        raise ValueError(f"`y_true` must contain positive and negative rows, with pos_label={pos_label!r}.")
    return positive


class _Sorted:
    """Rows in order of decreasing score, with counts above every distinct score for any row weights."""

    def __init__(self, positive, score):
        score = np.asarray(score, dtype=np.float64)
        if score.shape != positive.shape:
            raise ValueError(f"`y_score` has shape {score.shape}, but `y_true` has shape {positive.shape}.")
        order = np.argsort(-score, kind="stable")
        self.positive = positive[order].astype(np.float64)
        score = score[order]
        self.ends = np.append(np.flatnonzero(np.diff(score)), len(score) - 1)
        self.thresholds = score[self.ends]

    def counts(self, weights=None):
        """True and false positives when all rows with at least each distinct score are predicted positive."""
        up = self.positive if weights is None else weights * self.positive
        down = 1.0 - self.positive if weights is None else weights * (1.0 - self.positive)
        zero = np.zeros(1)
        return np.append(zero, np.cumsum(up)[self.ends]), np.append(zero, np.cumsum(down)[self.ends])

    def resampled(self, n_resamples, rng):
        """Counts of bootstrap samples, drawn separately from positives and negatives so that neither vanishes."""
        n = len(self.positive)
        classes = [np.flatnonzero(self.positive == v) for v in (1.0, 0.0)]
        for _ in range(n_resamples):
            weights = np.zeros(n)
            for rows in classes:
                weights[rows] = np.bincount(rng.integers(len(rows), size=len(rows)), minlength=len(rows))
            yield self.counts(weights)


class _CurveDisplay(Display):
    """Base class of displays of a curve over thresholds with a band."""

    _response = ("decision_function", "predict_proba")
    kind: str

    def __init__(self, x, y, lower, upper, thresholds, summary, name=None):
        self.x, self.y, self.lower, self.upper = x, y, lower, upper
        self.thresholds, self.summary, self.name = thresholds, summary, name

    @classmethod
    def _with_classes(cls, options, classes, answer):
        if answer.ndim == 1:
            options.setdefault("pos_label", classes[1])
        return options

    @classmethod
    def from_predictions(
        cls, y_true, y_score, *, pos_label=None, name=None, band=0.95, n_resamples=200, random_state=0, ax=None, **style
    ):
        """Compute and plot the curve.

        Parameters
        ----------
        y_true : array-like of shape (n,)
        y_score : array-like of shape (n,)
            Scores, larger for the positive class.
        pos_label : label or None, default=None
            The positive class. None uses the second of two classes.
        name : str or None, default=None
            Name in the legend.
        band : float or None, default=0.95
            Confidence level of the pointwise bootstrap band. None draws no band.
        n_resamples : int, default=200
        random_state : int, default=0
        ax : matplotlib Axes or None, default=None
        **style
            Line properties, such as ``color=``.

        Returns
        -------
        display
        """
        rows = _Sorted(_positive(y_true, pos_label), y_score)
        tp, fp = rows.counts()
        x, y = cls._curve(tp, fp)
        lower = upper = None
        if band is not None:
            rng = np.random.default_rng(random_state)
            bundle = [cls._on_grid(*cls._curve(*counts)) for counts in rows.resampled(n_resamples, rng)]
            lower, upper = np.quantile(bundle, [(1 - band) / 2, (1 + band) / 2], axis=0)
        self = cls(x, y, lower, upper, rows.thresholds, cls._summary(y_true, y_score, pos_label, band, tp, fp), name)
        return self.plot(ax=ax, **style)

    @styled
    def plot(self, ax=None, **style):
        """Plot the curve.

        Parameters
        ----------
        ax : matplotlib Axes or None, default=None
        **style
            Line properties.

        Returns
        -------
        self
        """
        ax = new_axes(ax, figsize=(4.8, 4.6))
        used = sum(1 for line in ax.lines if line.get_gid() == "curve")
        colours = theme()
        style = {"color": colours.cycle[used % 7], "ls": LINE_STYLES[used % 7], "gid": "curve", **style}
        label = f"{self.name}: {self.summary}" if self.name else self.summary
        self._draw(ax, style, label, colours)
        if used == 0:
            self._decorate(ax, colours)
        ax.legend(loc=self._legend)
        return self._finish(ax)

    def _draw(self, ax, style, label, colours):
        if self.lower is not None:
            ax.fill_between(_GRID, self.lower, self.upper, color=style["color"], alpha=0.18, lw=0, step=self._step)
        ax.plot(self.x, self.y, label=label, drawstyle=self._drawstyle, **style)

    _step = None
    _drawstyle = "default"
    _legend = "lower right"


class RocDisplay(_CurveDisplay):
    """Display of a receiver operating characteristic (ROC) curve.

    See Also
    --------
    roc_plot : The same in one call.
    """

    kind = "roc"

    @staticmethod
    def _curve(tp, fp):
        return fp / fp[-1], tp / tp[-1]

    @staticmethod
    def _on_grid(x, y):
        return np.interp(_GRID, x, y)

    @staticmethod
    def _summary(y_true, y_score, pos_label, band, tp, fp):
        rate, hits = fp / fp[-1], tp / tp[-1]
        area = float(np.sum(np.diff(rate) * (hits[1:] + hits[:-1]) / 2))
        if band is None:
            return f"AUC {area:.3f}"
        from statlearn.assess import delong_interval

        interval = delong_interval(_positive(y_true, pos_label), y_score, confidence=band)
        return f"AUC {area:.3f} ({interval.low:.3f} to {interval.high:.3f})"

    def _decorate(self, ax, colours):
        ax.plot([0, 1], [0, 1], color=colours.muted, lw=1, ls=":", zorder=0)
        ax.set(xlabel="false positive rate", ylabel="true positive rate", xlim=(-0.01, 1.01), ylim=(-0.01, 1.01))
        ax.set_aspect("equal")


class PrecisionRecallDisplay(_CurveDisplay):
    """Display of a precision-recall curve; the dotted line is the prevalence, the precision of random scores.

    See Also
    --------
    precision_recall_plot : The same in one call.
    """

    kind = "precision-recall"
    _legend = "best"
    _drawstyle = "steps-post"

    @staticmethod
    def _curve(tp, fp):
        called = tp + fp
        precision = np.divide(tp, called, out=np.ones_like(tp), where=called > 0)
        precision[0] = precision[1] if len(precision) > 1 else 1.0
        return tp / tp[-1], precision

    @staticmethod
    def _on_grid(x, y):
        # The precision of the smallest set that reaches the recall.
        return y[np.minimum(np.searchsorted(x, _GRID, side="left"), len(y) - 1)]

    @staticmethod
    def _summary(y_true, y_score, pos_label, band, tp, fp):
        recall = tp / tp[-1]
        called = tp + fp
        precision = np.divide(tp, called, out=np.ones_like(tp), where=called > 0)
        return f"average precision {float(np.sum(np.diff(recall) * precision[1:])):.3f}"

    def _decorate(self, ax, colours):
        ax.axhline(self.y[-1], color=colours.muted, lw=1, ls=":", zorder=0)
        ax.set(xlabel="recall", ylabel="precision", xlim=(-0.01, 1.01), ylim=(-0.01, 1.03))


class DetDisplay(_CurveDisplay):
    """Display of a detection error tradeoff (DET) curve on normal-deviate axes, with the equal error rate marked.

    See Also
    --------
    det_plot : The same in one call.
    """

    kind = "det"
    _legend = "upper right"
    _ticks = np.array([0.001, 0.01, 0.05, 0.2, 0.5, 0.8, 0.95, 0.99, 0.999])

    @staticmethod
    def _curve(tp, fp):
        return fp / fp[-1], 1.0 - tp / tp[-1]

    @staticmethod
    def _on_grid(x, y):
        return np.interp(_GRID, x, y)

    @staticmethod
    def _summary(y_true, y_score, pos_label, band, tp, fp):
        from statlearn.assess import equal_error_rate

        error_rate = equal_error_rate(_positive(y_true, pos_label), y_score)
        rate = error_rate[0] if isinstance(error_rate, tuple) else getattr(error_rate, "rate", error_rate)
        return f"EER {100 * float(rate):.1f} %"

    def _draw(self, ax, style, label, colours):
        def deviate(rate):
            return ndtri(np.clip(rate, 5e-4, 1 - 5e-4))

        if self.lower is not None:
            inside = (_GRID > 0) & (_GRID < 1)
            ax.fill_between(
                deviate(_GRID[inside]), deviate(self.lower[inside]), deviate(self.upper[inside]),
                color=style["color"], alpha=0.18, lw=0,
            )  # fmt: skip
        ax.plot(deviate(self.x), deviate(self.y), label=label, **style)
        gap = self.y - self.x
        k = int(np.argmax(gap <= 0))
        if k > 0:
            share = gap[k - 1] / (gap[k - 1] - gap[k])
            rate = self.x[k - 1] + share * (self.x[k] - self.x[k - 1])
            ax.plot(*[deviate(rate)] * 2, "o", ms=7, mfc=colours.background, mec=style["color"], mew=1.8, zorder=3)

    def _decorate(self, ax, colours):
        places = ndtri(self._ticks)
        names = [f"{100 * t:g} %" for t in self._ticks]
        ax.axline((0, 0), slope=1, color=colours.muted, lw=1, ls=":", zorder=0)
        low = ndtri(max(1e-3, 0.4 / len(self.x)))
        ax.set_xticks(places, names, rotation=45)
        ax.set_yticks(places, names)
        ax.set(xlabel="false positive rate", ylabel="miss rate", xlim=(low, -low), ylim=(low, -low))
        ax.set_aspect("equal")


def _many(display, y_true, y_score, ax, options):
    """One curve, or one per class if the scores have a column for each class."""
    score = np.asarray(y_score)
    if score.ndim == 1:
        return display.from_predictions(y_true, score, ax=ax, **options).ax_
    classes = np.unique(y_true)
    if score.ndim != 2 or score.shape[1] != len(classes):
        raise ValueError(f"`y_score` must have one column per class ({len(classes)}), got shape {score.shape}.")
    if len(classes) == 2:
        return display.from_predictions(y_true, score[:, 1], ax=ax, **options).ax_
    for k, label in enumerate(classes):
        ax = display.from_predictions(
            np.asarray(y_true) == label, score[:, k], ax=ax, **{**options, "name": f"{label}", "pos_label": True}
        ).ax_
    return ax


_OPTIONS = """
    Parameters
    ----------
    y_true : array-like of shape (n,)
    y_score : array-like of shape (n,) or (n, n_classes)
        Scores, larger for the positive class. With one column per class, one-vs-rest curves are plotted.
    ax : matplotlib Axes or None
        Axes to draw on. Draw on the same axes twice to compare two models with different colours and line styles.
    **options
        pos_label, name, band (0.95; None draws no band), n_resamples, random_state, and line properties.

    Returns
    -------
    matplotlib Axes
    """


@filled(options=_OPTIONS)
def roc_plot(y_true, y_score, *, ax=None, **options):
    """ROC curve with a bootstrap band, and the area under it with an interval.

    {options}

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.plot import roc_plot
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(0, 2, 100)
    >>> ax = roc_plot(y, y + rng.normal(size=100), name="toy")
    >>> ax.get_xlabel()
    'false positive rate'
    """
    return _many(RocDisplay, y_true, y_score, ax, options)


@filled(options=_OPTIONS)
def precision_recall_plot(y_true, y_score, *, ax=None, **options):
    """Precision-recall curve with a bootstrap band.

    {options}

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.plot import precision_recall_plot
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(0, 2, 100)
    >>> ax = precision_recall_plot(y, y + rng.normal(size=100), name="toy")
    >>> ax.get_xlabel()
    'recall'
    """
    return _many(PrecisionRecallDisplay, y_true, y_score, ax, options)


@filled(options=_OPTIONS)
def det_plot(y_true, y_score, *, ax=None, **options):
    """Detection error tradeoff (DET) curve with a bootstrap band and the equal error rate.

    {options}

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.plot import det_plot
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(0, 2, 100)
    >>> ax = det_plot(y, y + rng.normal(size=100), name="toy")
    >>> ax.get_xlabel()
    'false positive rate'
    """
    return _many(DetDisplay, y_true, y_score, ax, options)
