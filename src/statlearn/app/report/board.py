"""The leaderboard: numbers and drawings of all models side by side."""

import numpy as np
from markupsafe import Markup

from .. import names as names
from . import board_figures as draw
from .common import anchor, badges


def leaderboard(found, finished):
    if not finished:
        return None
    stats = [found.level(m.name) for m in finished]
    means = np.array([s[0] for s in stats])
    errors = np.nan_to_num(np.array([s[1] for s in stats]))
    best = next((k for k, m in enumerate(finished) if m.name == found.best), 0)
    column = draw.WhiskerColumn(means, errors, best, found.greater_is_better)
    others = [metric for metric in found.metrics if metric != found.metric][:3]
    differences = {d.name: d for d in found.differences}
    decimals = names.decimals_for(errors)
    other_stats = {metric: [found.level(m.name, metric) for m in finished] for metric in others}
    other_decimals = {metric: names.decimals_for([e for _, e in stat]) for metric, stat in other_stats.items()}
    held = {name: scores.get(found.metric) for name, scores in found.holdout_scores.items()}
    held_decimals = names.decimals_for([(v[2] - v[1]) / 4 for v in held.values() if v])
    rows = []
    for k, model in enumerate(finished):
        mean, error = names.fixed_pair(*stats[k], names.enough_decimals(decimals, stats[k][1]))
        tested = held.get(model.name) or ()
        tested_decimals = names.enough_decimals(held_decimals, (tested[2] - tested[1]) / 4) if tested else None
        css = "s3" if model.name == found.simplest and model.name != found.best else "s1"
        css = "muted" if model.name == found.baseline else css
        rows.append(
            {
                "rank": k + 1,
                "label": model.label,
                "anchor": anchor(model),
                "badges": badges(found, model),
                "figure": Markup(
                    column.cell(
                        means[k], errors[k], model.scores[found.metric], f"{model.label}: {mean} ± {error}", css
                    )
                ),
                "mean": mean,
                "error": error,
                "others": [
                    names.fixed(other_stats[m][k][0], names.enough_decimals(other_decimals[m], other_stats[m][k][1]))
                    for m in others
                ],
                "difference": _difference(differences.get(model.name), model.name == found.best),
                "held": [names.fixed(v, tested_decimals) for v in tested],
                "fit": _mean_time(model.fit_seconds),
                "predict": _mean_time(model.predict_seconds),
                "size": names.size(model.size_bytes),
                "parameters": names.plain(model.n_parameters) if model.n_parameters is not None else "",
            }
        )
    return {
        "rows": rows,
        "others": [names.metric_label(metric) for metric in others],
        "axis": Markup(column.axis()),
        "band": f"--b0:{column.band[0]:.2f}%;--b1:{column.band[1]:.2f}%;--b:{column.best:.2f}%",
        "has_held": any(r["held"] for r in rows),
        "figures": _board_figures(found, finished, stats, best),
    }


def _difference(difference, is_best):
    if difference is None or is_best:
        return None
    mean, error = names.mean_and_error(difference.mean, difference.std_error)
    return {"mean": mean, "error": error, "p": names.p_value(difference.p_value), "clear": difference.p_value < 0.05}


def _mean_time(seconds):
    return names.duration(float(np.mean(seconds))) if len(seconds) else "–"


def _board_figures(found, finished, stats, best):
    out = []
    reference = np.asarray(finished[best].scores[found.metric], dtype=float)
    sign = -1.0 if found.greater_is_better else 1.0
    differences = {d.name: d for d in found.differences}
    rows = []
    for k, model in enumerate(finished):
        folds = np.asarray(model.scores[found.metric], dtype=float)
        if k == best or len(folds) != len(reference):
            continue
        gap = sign * (folds - reference)
        gap = gap[np.isfinite(gap)]
        if gap.size < 2:
            continue
        known = differences.get(model.name)
        if known is not None:
            rows.append((model.label, gap, known.mean, float(np.nan_to_num(known.std_error))))
    if rows:
        caption = (
            f"Fold by fold against {finished[best].label}: each grey dot is one outer fold, the blue one the "
            "difference on all rows with its standard error. Zero is the best model."
        )
        out.append({"svg": Markup(draw.differences_figure(rows, found.metric)), "caption": caption})
    timed = [
        (
            m.label,
            float(np.mean(m.fit_seconds)),
            stats[k][0],
            "s2" if k == best else "s3" if m.name == found.simplest else "s1",
        )
        for k, m in enumerate(finished)
        if len(m.fit_seconds) and m.name != found.baseline and np.isfinite(stats[k][0])
    ]
    if len(timed) > 1:
        caption = "Accuracy against cost: score over the outer folds and time for tuning and fitting."
        svg = draw.cost_figure(timed, found.metric, found.greater_is_better)
        out.append({"svg": Markup(svg), "caption": caption})
    return out
