"""The matplotlib pictures behind the ``plot_...`` methods of a comparison."""

import numpy as np

from statlearn.plot import new_axes, styled, theme

from .. import names as names
from .leaderboard import finished


def _with_scores(comparison, metric):
    return [e for e in finished(comparison) if np.isfinite(e.model.scores.get(metric, [np.nan])).any()]


@styled
def plot_board(comparison, metric, *, ax=None):
    """Dot and whisker of each model."""
    entries = _with_scores(comparison, metric)
    stats = np.array([entry.levels[metric] for entry in entries])
    place = np.arange(len(entries))[::-1]
    ax = new_axes(ax, figsize=(7, 0.9 + 0.34 * len(entries)))
    colours = theme()
    best = next(k for k, entry in enumerate(entries) if entry.is_best)
    if np.isfinite(stats[best, 1]):  # one fold has no standard error
        ax.axvspan(stats[best, 0] - stats[best, 1], stats[best, 0] + stats[best, 1], color=colours.faint, zorder=0)
    for k, entry in enumerate(entries):
        colour = colours.muted if entry.is_baseline else colours.good if entry.is_simplest else colours.cycle[0]
        folds = np.asarray(entry.model.scores[metric], dtype=float)
        ax.plot(folds, np.full(len(folds), place[k]), "|", color=colour, alpha=0.35, ms=7)
        ax.errorbar(*stats[k, :1], place[k], xerr=stats[k, 1], fmt="o", color=colour, ms=6, capsize=0)
    ax.set_yticks(place, [entry.label for entry in entries])
    ax.set_xlabel(f"{names.metric_label(metric)}, ± one standard error")
    ax.grid(axis="y", visible=False)
    ax.spines["left"].set_visible(False)
    ax.tick_params(axis="y", length=0)
    return ax


@styled
def scores(comparison, metric, *, ax=None):
    """One line per fold across the models."""
    models = [entry.model for entry in _with_scores(comparison, metric)]
    ax = new_axes(ax, figsize=(max(5.0, 0.8 * len(models) + 1.5), 4.2))
    table = np.array([np.asarray(m.scores[metric], dtype=float) for m in models])
    colours = theme()
    ax.plot(np.arange(len(models)), table, color=colours.cycle[0], alpha=0.35, lw=1, marker="o", ms=3)
    ax.plot(np.arange(len(models)), np.nanmean(table, axis=1), color=colours.cycle[1], marker="o", label="mean")
    ax.set_xticks(np.arange(len(models)), [m.label for m in models], rotation=30, ha="right", rotation_mode="anchor")
    ax.set_ylabel(f"{names.metric_label(metric)}, one line per outer fold")
    ax.legend()
    return ax


@styled
def tuning(model, *, ax=None):
    """Validation curve with the best value and the one-standard-error choice."""
    curve = model.tuning
    ax = new_axes(ax)
    colours = theme()
    numeric = all(isinstance(v, (int, float, np.number)) and not isinstance(v, bool) for v in curve.values)
    at = np.asarray(curve.values, dtype=float) if numeric else np.arange(len(curve.values), dtype=float)
    mean, error = np.asarray(curve.mean, dtype=float), np.asarray(curve.std_error, dtype=float)
    ax.fill_between(at, mean - error, mean + error, color=colours.cycle[0], alpha=0.18, lw=0)
    ax.plot(at, mean, "o-", ms=3.5, color=colours.cycle[0])
    ax.axhline(mean[curve.best] + error[curve.best], color=colours.muted, ls=":", lw=1)
    ax.plot(at[curve.best], mean[curve.best], "o", ms=9, mfc="none", color=colours.cycle[0], label="smallest loss")
    if curve.one_se != curve.best:
        ax.plot(at[curve.one_se], mean[curve.one_se], "o", ms=8, color=colours.cycle[1], label="one standard error")
    if numeric:
        if curve.log_scale and (at > 0).all():
            ax.set_xscale("log")
        if len(at) > 1 and at[0] > at[-1]:
            ax.invert_xaxis()  # the simplest model stays on the left
    else:
        ax.set_xticks(at, [names.setting(v) for v in curve.values], rotation=30, ha="right", rotation_mode="anchor")
    ax.set_xlabel(curve.parameter)
    ax.set_ylabel(f"validation {names.metric_label(curve.metric)}")
    ax.set_title(model.label)
    ax.legend()
    return ax


@styled
def predictions(comparison, model, *, ax=None):
    """Actual against predicted values, or ROC curves."""
    ax = new_axes(ax)
    colours = theme()
    table = np.asarray(model.predictions, dtype=float)
    if comparison.task == "regression":
        known = np.isfinite(table)
        y, p = np.asarray(comparison.y_true, dtype=float)[known], table[known]
        if len(y) > 3000:
            ax.hexbin(p, y, gridsize=45, mincnt=1, bins="log", linewidths=0.2)
        else:
            ax.plot(p, y, "o", ms=3.5, alpha=0.6, mew=0)
        ends = [min(y.min(), p.min()), max(y.max(), p.max())]
        ax.plot(ends, ends, color=colours.muted, ls="--", lw=1)
        ax.set_xlabel("predicted, out of fold")
        ax.set_ylabel(f"actual {comparison.target}")
    else:
        _roc(ax, comparison, table)
    ax.set_title(model.label)
    return ax


def _roc(ax, comparison, table):
    from statlearn.plot import RocDisplay

    from ..report.common import class_codes, shown_classes

    codes, classes = class_codes(comparison)
    known = np.isfinite(table).all(axis=1)
    codes, table = codes[known], table[known]
    for k in shown_classes(codes, len(classes)):
        RocDisplay.from_predictions(codes == k, table[:, k], pos_label=True, name=classes[k], band=None, ax=ax)
