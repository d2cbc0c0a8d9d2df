"""Learning and validation curves, and importances."""

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from .axes import new_axes, parameter_axis
from .style import MARKERS, styled, theme


@styled
def plot_score_curve(
    curve,
    *,
    error=None,
    centre="mean",
    band="se",
    replicates=False,
    acceptable=None,
    mark=None,
    log=None,
    scale=None,
    ax=None,
):
    """Plot of a learning or validation curve, with training and test scores and their bands.

    Parameters
    ----------
    curve : ScoreCurve
        The result of `statlearn.assess.learning_curve` or `validation_curve`.
    error : bool or None, default=None
        Whether to plot errors (negative scores). None does so if the name of the metric starts with "neg_".
    centre : {"mean", "median"}, default="mean"
        Statistic shown by the thick line. Use the median if a few replicates are extreme.
    band : {"se", "sd"} or float or None, default="se"
        One standard error around the mean, one standard deviation, the central proportion of the replicates given as a
        float, or no band.
    replicates : bool, default=False
        Whether to plot every fold or replicate as a thin line.
    acceptable : float or None, default=None
        Acceptable level of the error, marked by a line.
    mark : {"best", "one_se", "both"} or None, default=None
        For validation curves ordered from the simplest to the most complex model, mark the best mean, the choice of the
        one-standard-error rule, or both.
    log : bool or None, default=None
        Whether the horizontal axis is logarithmic. None decides by the range.
    scale : {"log", "linear"} or None, default=None
        Scale of the vertical axis.
    ax : matplotlib Axes or None, default=None

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from statlearn.assess import validation_curve
    >>> from statlearn.linear import Ridge
    >>> from statlearn.plot import plot_score_curve
    >>> X, y = load_diabetes(return_X_y=True)
    >>> curve = validation_curve(Ridge(), X, y, param_name="alpha", param_range=[10.0, 1.0, 0.1, 0.01])
    >>> plot_score_curve(curve, mark="both").get_xlabel()
    'alpha'
    """
    if mark not in (None, "best", "one_se", "both"):
        raise ValueError(f"`mark` must be None, 'best', 'one_se' or 'both', got {mark!r}.")
    if centre not in ("mean", "median"):
        raise ValueError(f"`centre` must be 'mean' or 'median', got {centre!r}.")
    ax = new_axes(ax, figsize=(5.8, 4.0))
    colours = theme()
    error = curve.metric.startswith("neg_") if error is None else error
    sign = -1.0 if error else 1.0
    x = np.asarray(curve.parameter, dtype=float)
    for k, (name, scores) in enumerate((("training", curve.train_scores), ("test", curve.test_scores))):
        values = sign * np.asarray(scores)
        mean = values.mean(axis=1) if centre == "mean" else np.median(values, axis=1)
        colour = colours.cycle[k]
        limits = _limits(values, mean, band)
        if limits is not None:
            ax.fill_between(x, *limits, color=colour, alpha=0.18, lw=0)
        if replicates:
            ax.plot(x, values, color=colour, lw=0.5, alpha=0.35)
        ax.plot(x, mean, color=colour, marker=MARKERS[k], ls="-" if k else "--", label=name)
    if acceptable is not None:
        ax.axhline(acceptable, color=colours.muted, lw=1.2, ls=":")
        ax.annotate("acceptable", (1.0, acceptable), xycoords=("axes fraction", "data"), xytext=(-4, 4), ha="right",
                    textcoords="offset points", color=colours.muted, fontsize=8)  # fmt: skip
    if mark is not None:
        _mark(ax, curve, x, mark, colours)
    parameter_axis(ax, x, log)
    if scale is not None:
        ax.set_yscale(scale)
    if getattr(curve, "labels", None):
        ax.set_xticks(x, curve.labels)
    metric = curve.metric.removeprefix("neg_").replace("_", " ")
    ax.set(xlabel=curve.name.split("__")[-1], ylabel="error" if error and metric == "score" else metric)
    ax.legend()
    return ax


def _limits(values, mean, band):
    if band is None or values.shape[1] < 2:
        return None
    if band in ("se", "sd"):
        half = values.std(axis=1, ddof=1) / (np.sqrt(values.shape[1]) if band == "se" else 1.0)
        return mean - half, mean + half
    tail = (1.0 - float(band)) / 2
    return np.quantile(values, [tail, 1.0 - tail], axis=1)


def _mark(ax, curve, x, mark, colours):
    chosen = curve.cv_curve
    if mark in ("best", "both"):
        ax.axvline(x[chosen.best], color=colours.bad, ls="--", lw=1.2, label="best")
    if mark in ("one_se", "both"):
        ax.axvline(x[chosen.one_se], color=colours.good, ls="-.", lw=1.2, label="simplest within one SE")


@styled
def plot_importance(importance, *, names=None, max_columns=15, scale=None, ax=None):
    """Plot of importances, with their intervals if there are any, largest on top.

    Parameters
    ----------
    importance : fitted estimator, array-like, ImportanceInterval or Bunch
        A model with ``feature_importances_`` (trees, forests, boosting), one importance per column (such as the result
        of `statlearn.ensemble.oob_permutation_importance`), the result of
        `statlearn.assess.permutation_importance_interval`, or that of `statlearn.ensemble.permutation_importance`, for
        which the lines span all permutations. The first two are drawn as bars without intervals.
    names : sequence of str or None, default=None
        Names of the columns. None uses those of the model, the series or the result, or x0, x1, ...
    max_columns : int, default=15
    scale : {"max100"} or None, default=None
        "max100" divides by the largest importance and multiplies by 100.
    ax : matplotlib Axes or None, default=None

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.assess import permutation_importance_interval
    >>> from statlearn.linear import LinearRegression
    >>> from statlearn.plot import plot_importance
    >>> X = np.random.default_rng(0).normal(size=(50, 3))
    >>> found = permutation_importance_interval(LinearRegression().fit(X, X[:, 0]), X, X[:, 0], random_state=0)
    >>> plot_importance(found).get_xlabel()
    'decrease in score when permuted'
    """
    if scale not in (None, "max100"):
        raise ValueError(f"`scale` must be 'max100' or None, got {scale!r}.")
    mean, lower, upper, own_names, label = _importances(importance)
    if names is None:
        names = [f"x{j}" for j in range(len(mean))] if own_names is None else own_names
    elif len(names) != len(mean):
        raise ValueError(f"`names` must have one name per column ({len(mean)}), got {len(names)}.")
    if scale == "max100" and mean.max() > 0:
        factor = 100.0 / mean.max()
        mean, label = factor * mean, f"{label}, largest = 100"
        lower, upper = (None, None) if lower is None else (factor * lower, factor * upper)
    order = np.argsort(-mean, kind="stable")[:max_columns]
    ax = new_axes(ax, figsize=(5.8, 0.9 + 0.3 * len(order)))
    colours = theme()
    rows = np.arange(len(order))
    if lower is None:
        ax.barh(rows, mean[order], height=0.7, color=colours.cycle[0])
    else:
        ax.hlines(rows, lower[order], upper[order], color=colours.cycle[0], lw=3, alpha=0.35)
        ax.plot(mean[order], rows, "o", color=colours.cycle[0])
    ax.axvline(0.0, color=colours.muted, lw=1)
    ax.set_yticks(rows, [str(names[k]) for k in order])
    ax.set(xlabel=label, ylim=(len(order) - 0.5, -0.5))
    ax.grid(axis="y", visible=False)
    return ax


def _importances(importance):
    """Importances, the ends of their intervals, their names (None if unnamed), and the label of the axis."""
    if not isinstance(importance, str) and hasattr(importance, "lower") and hasattr(importance, "mean"):
        label = "decrease in score when permuted"
        return importance.mean, importance.lower, importance.upper, importance.names, label
    if hasattr(importance, "importances_mean"):
        drops = importance.importances
        label = "decrease in score when permuted"
        return importance.importances_mean, drops.min(axis=1), drops.max(axis=1), None, label
    if isinstance(importance, BaseEstimator) or hasattr(importance, "feature_importances_"):
        check_is_fitted(importance)
        if not hasattr(importance, "feature_importances_"):
            raise TypeError(
                f"`importance`: {type(importance).__name__} has no feature_importances_; pass the result of "
                "statlearn.ensemble.permutation_importance(model, X, y)."
            )
        own_names = getattr(importance, "feature_names_in_", None)
        return np.asarray(importance.feature_importances_, dtype=np.float64), None, None, own_names, "importance"
    own_names = list(importance.index) if hasattr(importance, "index") and hasattr(importance, "dtype") else None
    try:
        mean = np.asarray(importance, dtype=np.float64)
    except (TypeError, ValueError):
        mean = np.empty((0, 0))
    if mean.ndim != 1 or len(mean) == 0 or not np.all(np.isfinite(mean)):
        raise ValueError(
            "`importance` must be a fitted model with feature_importances_, a vector of finite numbers or the result "
            f"of a permutation importance, got {type(importance).__name__}."
        )
    return mean, None, None, own_names, "importance"
