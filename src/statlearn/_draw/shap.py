"""Plots of Shapley values: a summary of all rows, and a waterfall of one prediction."""

import numpy as np

from .axes import new_axes
from .style import styled, theme


@styled
def plot_shap_summary(shap, *, max_columns=12, max_rows=2000, random_state=0, ax=None):
    """Summary plot of Shapley values, with one point per row and column, coloured by the column's value.

    For several outputs, bars of the mean absolute values are plotted instead, one colour per output.

    Parameters
    ----------
    shap : ShapValues
        The result of `statlearn.ensemble.tree_shap`.
    max_columns : int, default=12
        Maximum number of columns. Those with the largest mean absolute value are plotted.
    max_rows : int, default=2000
        Maximum number of rows. If there are more, a random sample is plotted.
    random_state : int, default=0
    ax : matplotlib Axes or None, default=None

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.ensemble import GradientBoostingRegressor, tree_shap
    >>> from statlearn.plot import plot_shap_summary
    >>> X = np.random.default_rng(0).normal(size=(100, 3))
    >>> model = GradientBoostingRegressor(n_estimators=10).fit(X, X[:, 0])
    >>> plot_shap_summary(tree_shap(model, X)).get_xlabel()
    'Shapley value (change in prediction)'
    """
    size = shap.importance if shap.values.ndim == 2 else shap.importance.sum(axis=1)
    order = np.argsort(-size, kind="stable")[:max_columns]
    ax = new_axes(ax, figsize=(6.4, 1.0 + 0.36 * len(order)))
    if shap.values.ndim == 3:
        _stacked_bars(ax, shap, order)
    else:
        _swarms(ax, shap, order, max_rows, random_state)
    ax.set_yticks(range(len(order)), [shap.names[j] for j in order])
    ax.set_ylim(len(order) - 0.5, -0.5)
    ax.grid(axis="y", visible=False)
    ax.tick_params(axis="y", length=0)
    return ax


def _stacked_bars(ax, shap, order):
    colours = theme()
    left = np.zeros(len(order))
    for k, name in enumerate(shap.outputs):
        width = shap.importance[order, k]
        ax.barh(range(len(order)), width, left=left, height=0.66, color=colours.cycle[k % 7], label=name)
        left += width
    ax.set_xlabel("mean absolute Shapley value")
    ax.legend(loc="lower right")


def _swarms(ax, shap, order, max_rows, random_state):
    from matplotlib.cm import ScalarMappable

    colours = theme()
    rows = np.arange(len(shap.values))
    if len(rows) > max_rows:
        rows = np.sort(np.random.default_rng(random_state).choice(len(rows), max_rows, replace=False))
    for place, j in enumerate(order):
        values, cells = shap.values[rows, j], shap.data[rows, j]
        known = np.isfinite(cells)
        height = place + _spread(values)
        if not known.all():
            ax.scatter(values[~known], height[~known], s=9, color=colours.muted, alpha=0.6, zorder=2)
        shade = _ranks(cells[known])
        ax.scatter(values[known], height[known], s=9, c=shade, cmap=colours.sequential, vmin=0, vmax=1, zorder=3)
    ax.axvline(0.0, color=colours.muted, lw=1, zorder=1)
    ax.set_xlabel("Shapley value (change in prediction)")
    scale = ax.figure.colorbar(ScalarMappable(cmap=colours.sequential), ax=ax, pad=0.02, aspect=30)
    scale.set_ticks([0.0, 1.0], labels=["low", "high"])
    scale.set_label("column value", labelpad=-18)
    scale.outline.set_visible(False)


def _ranks(values):
    """Ranks from 0 to 1, equal for equal values, so that outliers do not compress the colour scale."""
    levels, codes, counts = np.unique(values, return_inverse=True, return_counts=True)
    if len(levels) < 2:
        return np.full(len(values), 0.5)
    middle = np.cumsum(counts) - (counts + 1) / 2
    return ((middle - middle[0]) / (middle[-1] - middle[0]))[codes]


def _spread(values, amplitude=0.38):
    """Heights of points within their band, with similar values stacked symmetrically around its centre."""
    if len(values) == 0 or np.ptp(values) == 0:
        return np.linspace(-amplitude / 4, amplitude / 4, len(values)) if len(values) > 1 else np.zeros(len(values))
    bins = np.floor((values - values.min()) / np.ptp(values) * 79.999).astype(int)
    counts = np.bincount(bins, minlength=80)
    order = np.argsort(bins, kind="stable")
    within = np.empty(len(values), int)
    within[order] = np.arange(len(values)) - np.repeat(np.cumsum(counts) - counts, counts)
    side = np.where(within % 2 == 0, 1, -1) * ((within + 1) // 2)
    return side * 2 * amplitude / max(counts.max(), 12)


@styled
def plot_shap_row(shap, row, *, max_columns=9, cells=None, ax=None):
    """Waterfall plot of one prediction: from the base value, column by column, to the prediction.

    Parameters
    ----------
    shap : ShapValues
        The result of `statlearn.ensemble.tree_shap` for one output. Use `ShapValues.output` to select one of several.
    row : int
        Position of the row.
    max_columns : int, default=9
        Maximum number of columns shown individually, those with the largest changes. The others are combined.
    cells : sequence or None, default=None
        Values of the row to print. None prints the numbers in `shap`.
    ax : matplotlib Axes or None, default=None

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.ensemble import GradientBoostingRegressor, tree_shap
    >>> from statlearn.plot import plot_shap_row
    >>> X = np.random.default_rng(0).normal(size=(100, 3))
    >>> model = GradientBoostingRegressor(n_estimators=10).fit(X, X[:, 0])
    >>> len(plot_shap_row(tree_shap(model, X), 0).patches)
    3
    """
    if shap.values.ndim != 2:
        raise ValueError("`shap` must have a single output; select one with shap.output(k).")
    values = shap.values[row]
    order = np.argsort(-np.abs(values), kind="stable")
    shown = order[:max_columns] if len(order) > max_columns + 1 else order
    rest = order[len(shown) :]
    cells = shap.data[row] if cells is None else cells
    labels = [f"{shap.names[j]} = {_written(cells[j])}" for j in shown]
    changes = [float(values[j]) for j in shown]
    if len(rest):
        labels.append(f"{len(rest)} others")
        changes.append(float(values[rest].sum()))
    ax = new_axes(ax, figsize=(6.4, 1.3 + 0.36 * len(changes)))
    _steps(ax, shap.base_value, changes, labels)
    return ax


def _written(cell):
    if isinstance(cell, (float, np.floating)):
        return "missing" if np.isnan(cell) else f"{cell:.4g}"
    return str(cell)


def _steps(ax, base, changes, labels):
    """Bars from the base value up to the prediction, with the smallest change next to the base value."""
    colours = theme()
    n = len(changes)
    at = base
    ends = [base]
    for k in range(n - 1, -1, -1):
        change = changes[k]
        ax.barh(k, change, left=at, height=0.62, color=colours.cycle[1] if change > 0 else colours.cycle[0], zorder=3)
        ax.plot([at + change] * 2, [k - 1 if k else -0.75, k + 0.31], color=colours.muted, lw=0.8, zorder=2)
        text = f"{change:+.3g}"
        ax.annotate(
            text, (max(at, at + change), k), xytext=(4, 0), textcoords="offset points", va="center", fontsize=8,
            color=colours.ink,
        )  # fmt: skip
        at += change
        ends.append(at)
    ax.axvline(base, color=colours.muted, lw=1, ls=":", zorder=1)
    low, high = min(ends), max(ends)
    space = 0.12 * ((high - low) or 1.0)
    ax.set_xlim(low - space, high + 1.6 * space)
    ax.set_yticks(range(n), labels)
    ax.set_ylim(n - 0.4, -0.8)
    ax.annotate(f"prediction {at:.4g}", (at, -0.75), ha="center", va="bottom", fontsize=9, xytext=(0, 3),
                textcoords="offset points", annotation_clip=False)  # fmt: skip
    ax.set_xlabel(f"prediction; base value {base:.4g}")
    ax.grid(axis="y", visible=False)
    ax.tick_params(axis="y", length=0)
