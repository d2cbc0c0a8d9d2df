"""The leaderboard: numbers and drawings of all models side by side."""

import numpy as np
from markupsafe import Markup

from .. import names as names
from ..compare.scoring import METRICS
from . import board_figures as draw
from .common import anchor, badges


def leaderboard(found, entries):
    """The entries of models that have scores, as the template shows them."""
    if not entries:
        return None
    means = np.array([entry.level[0] for entry in entries])
    errors = np.nan_to_num(np.array([entry.level[1] for entry in entries]))
    best = next((k for k, entry in enumerate(entries) if entry.is_best), 0)
    column = draw.WhiskerColumn(means, errors, best, found.greater_is_better)
    others = [metric for metric in found.metrics if metric != found.metric][:3]
    decimals = names.decimals_for(errors)
    other_decimals = {m: names.decimals_for([entry.levels[m][1] for entry in entries]) for m in others}
    held_decimals = names.decimals_for([(e.held_out[2] - e.held_out[1]) / 4 for e in entries if e.held_out])
    rows = []
    for entry in entries:
        mean, error = names.fixed_pair(*entry.level, names.enough_decimals(decimals, entry.level[1]))
        held = entry.held_out or ()
        held_places = names.enough_decimals(held_decimals, (held[2] - held[1]) / 4) if held else None
        css = "muted" if entry.is_baseline else "s3" if entry.is_simplest else "s1"
        words = f"{entry.label}: {mean} ± {error}"
        folds = entry.model.scores[found.metric]
        rows.append(
            {
                "rank": entry.rank,
                "label": entry.label,
                "anchor": anchor(entry.model),
                "badges": badges(entry),
                "figure": Markup(column.cell(entry.level[0], np.nan_to_num(entry.level[1]), folds, words, css)),
                "mean": mean,
                "error": error,
                "others": [
                    names.fixed(value, names.enough_decimals(other_decimals[m], error))
                    for m in others
                    for value, error in [entry.levels[m]]
                ]
                + ([_cost(entry.cost)] if found.costs is not None else []),
                "difference": _difference(entry.behind),
                "held": [names.fixed(value, held_places) for value in held],
                "fit": _time(entry.fit_seconds),
                "predict": _time(entry.predict_seconds),
                "size": names.size(entry.model.size_bytes),
                "parameters": names.plain(entry.model.n_parameters) if entry.model.n_parameters is not None else "",
            }
        )
    return {
        "rows": rows,
        "others": [names.metric_label(metric) for metric in others] + (["cost"] if found.costs is not None else []),
        "cost": "" if found.costs is None else found.costs.words(entries[best].name, entries[best].label),
        "axis": Markup(column.axis()),
        "band": f"--b0:{column.band[0]:.2f}%;--b1:{column.band[1]:.2f}%;--b:{column.best:.2f}%",
        "has_held": any(r["held"] for r in rows),
        "figures": _board_figures(found, entries, entries[best]),
        "orders": _orders(found, entries),
    }


def _orders(found, entries):
    """The models in other orders than that of the metric that ranks: the page has no scripts that could sort."""
    orders = []
    for metric in found.metrics:
        if metric != found.metric:
            sign = -1.0 if METRICS[found.task][metric].greater_is_better else 1.0
            values = [(entry.label, *entry.levels[metric]) for entry in entries]
            orders.append((names.metric_label(metric), sign, values, names.plus_minus))
    if found.costs is not None:
        values = [(e.label, e.cost.cost, e.cost.std_error) for e in entries if e.cost is not None]
        orders.append(("cost", 1.0, values, names.plus_minus))
    orders.append(("tune + fit", 1.0, [(e.label, e.fit_seconds, 0.0) for e in entries], lambda v, _: _time(v)))
    return [
        {
            "name": name,
            "rows": [(label, shown(value, error)) for label, value, error in sorted(values, key=lambda v: sign * v[1])],
        }
        for name, sign, everything, shown in orders
        if len(values := [v for v in everything if np.isfinite(v[1])]) > 1
    ]


def _cost(cost):
    return "" if cost is None else names.fixed(cost.cost, names.decimals_for([cost.std_error]))


def _difference(gap):
    if gap is None:
        return None
    mean, error = names.mean_and_error(gap.mean, gap.std_error)
    return {"mean": mean, "error": error, "p": names.p_value(gap.p_value), "clear": gap.p_value < 0.05}


def _time(seconds):
    return names.duration(seconds) if np.isfinite(seconds) else "–"


def _board_figures(found, entries, best):
    out = []
    reference = np.asarray(best.model.scores[found.metric], dtype=float)
    sign = -1.0 if found.greater_is_better else 1.0
    rows = []
    for entry in entries:
        folds = np.asarray(entry.model.scores[found.metric], dtype=float)
        if entry is best or entry.behind is None or len(folds) != len(reference):
            continue
        gaps = sign * (folds - reference)
        gaps = gaps[np.isfinite(gaps)]
        if gaps.size >= 2:
            rows.append((entry.label, gaps, entry.behind.mean, float(np.nan_to_num(entry.behind.std_error))))
    if rows:
        caption = (
            f"Fold by fold against {best.label}: each grey dot is one outer fold, the blue one the "
            "difference on all rows with its standard error. Zero is the best model."
        )
        out.append({"svg": Markup(draw.differences_figure(rows, found.metric)), "caption": caption})
    timed = [
        (e.label, e.fit_seconds, e.level[0], "s2" if e is best else "s3" if e.is_simplest else "s1")
        for e in entries
        if np.isfinite(e.fit_seconds) and not e.is_baseline and np.isfinite(e.level[0])
    ]
    if len(timed) > 1:
        caption = "Accuracy against cost: score over the outer folds and time for tuning and fitting."
        svg = draw.cost_figure(timed, found.metric, found.greater_is_better)
        out.append({"svg": Markup(svg), "caption": caption})
    return out
