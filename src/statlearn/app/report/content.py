"""What the report says, as plain values and drawings for the template."""

import numpy as np
from markupsafe import Markup

from statlearn._core.summary import format_p

from .. import _names as names
from . import figures as draw
from .svg import shorten

MAX_COLUMNS = 60  # of the table, in the data section
MAX_CELL = 60  # characters
MAX_TERMS = 60  # rows of an inference table
MAX_WORST_COLUMNS = 8
MAX_CONFUSION = 10  # classes of a confusion matrix with numbers
MAX_CONFUSION_SHADES = 60

SEVERITIES = {"serious": 0, "warning": 1, "note": 2}


def page(comparison, detailed=None):
    """Everything that the template shows.

    `detailed` names the models that get figures; None: all. The others keep their numbers and a note.
    """
    found = comparison
    finished = [m for m in found.models if m.status == "done" and len(m.scores.get(found.metric, ()))]
    return {
        "title": f"Predicting {found.target}",
        "target": found.target,
        "task": found.task,
        "source": found.profile.source,
        "verdict": found.verdict,
        "complete": found.complete,
        "metric": names.metric_label(found.metric),
        "better": "larger is better" if found.greater_is_better else "smaller is better",
        "facts": _facts(found, finished),
        "cards": _cards(found, finished),
        "board": _leaderboard(found, finished),
        "failed": [
            {"label": m.label, "status": m.status, "error": shorten(m.error or "", 400)}
            for m in found.models
            if m not in finished
        ],
        "findings": _findings(found),
        "data": _data(found.profile, found.target),
        "models": [_model(found, m, detailed is None or m.name in detailed) for m in finished],
        "reproduce": _reproduce(found),
    }


def fold_stats(values):
    """Mean over the folds and its standard error."""
    values = np.asarray(values, dtype=float)
    values = values[np.isfinite(values)]
    if values.size == 0:
        return float("nan"), float("nan")
    error = values.std(ddof=1) / np.sqrt(values.size) if values.size > 1 else float("nan")
    return float(values.mean()), float(error)


def anchor(model):
    """The id of the model's section."""
    return "model-" + "".join(c if c.isalnum() and c.isascii() else "-" for c in model.name)


def class_codes(comparison):
    """The training rows' classes as positions in the list of classes."""
    classes = [str(c) for c in comparison.profile.classes]
    y = np.asarray(comparison.y_true)
    place = {c: k for k, c in enumerate(classes)}
    labels = [str(v) for v in y.tolist()]
    if all(label in place for label in labels):
        return np.array([place[label] for label in labels], dtype=int), classes
    return y.astype(int), classes


# ---- head ---------------------------------------------------------------------------------------------------------


def _facts(found, finished):
    settings, profile = found.settings, found.profile
    facts = [
        ("rows", f"{profile.n_rows:,}"),
        ("columns", f"{len(profile.columns):,}"),
        ("models", f"{len(finished)}"),
    ]
    folds = settings.get("folds")
    if folds:
        repeats = settings.get("repeats") or 1
        facts.append(("outer folds", f"{folds}" + (f" × {repeats}" if repeats > 1 else "")))
    if len(found.holdout_rows):
        facts.append(("held-out rows", f"{len(found.holdout_rows):,}"))
    facts.append(("took", names.duration(found.seconds)))
    return facts


def _cards(found, finished):
    by_name = {m.name: m for m in finished}
    wanted = [("best", found.best, "Best on the outer folds")]
    if found.simplest != found.best:
        wanted.append(("simplest", found.simplest, "Simplest within one standard error"))
    if found.baseline not in (found.best, found.simplest):
        wanted.append(("baseline", found.baseline, "Learns nothing"))
    cards = []
    for kind, name, caption in wanted:
        if name not in by_name:
            continue
        model = by_name[name]
        mean, error = names.mean_and_error(*fold_stats(model.scores[found.metric]))
        cards.append(
            {
                "kind": kind,
                "caption": caption,
                "label": model.label,
                "mean": mean,
                "error": error,
                "anchor": anchor(model),
            }
        )
    held = found.holdout_scores.get(found.best, {}).get(found.metric)
    if held and found.best in by_name:
        value, low, high = held
        text = names.mean_and_error(value, (high - low) / 4)[0]
        interval = " – ".join(names.mean_and_error(v, (high - low) / 4)[0] for v in (low, high))
        cards.insert(
            1,
            {"kind": "held", "caption": "Best model on the held-out rows", "label": by_name[found.best].label,
             "mean": text, "interval": interval, "anchor": anchor(by_name[found.best])},
        )  # fmt: skip
    return cards


# ---- leaderboard --------------------------------------------------------------------------------------------------


def _leaderboard(found, finished):
    if not finished:
        return None
    stats = [fold_stats(m.scores[found.metric]) for m in finished]
    means = np.array([s[0] for s in stats])
    errors = np.nan_to_num(np.array([s[1] for s in stats]))
    best = next((k for k, m in enumerate(finished) if m.name == found.best), 0)
    column = draw.WhiskerColumn(means, errors, best, found.greater_is_better)
    others = [metric for metric in found.metrics if metric != found.metric][:3]
    differences = {d.name: d for d in found.differences}
    rows = []
    for k, model in enumerate(finished):
        mean, error = names.mean_and_error(*stats[k])
        css = "s3" if model.name == found.simplest and model.name != found.best else "s1"
        css = "muted" if model.name == found.baseline else css
        rows.append(
            {
                "rank": k + 1,
                "label": model.label,
                "anchor": anchor(model),
                "badges": _badges(found, model),
                "figure": Markup(
                    column.cell(
                        means[k], errors[k], model.scores[found.metric], f"{model.label}: {mean} ± {error}", css
                    )
                ),
                "mean": mean,
                "error": error,
                "others": [names.mean_and_error(*fold_stats(model.scores.get(metric, ())))[0] for metric in others],
                "difference": _difference(differences.get(model.name), model.name == found.best),
                "held": _held(found.holdout_scores.get(model.name, {}).get(found.metric)),
                "fit": _mean_time(model.fit_seconds),
                "predict": _mean_time(model.predict_seconds),
                "size": names.size(model.size_bytes),
                "parameters": names.plain(model.n_parameters) if model.n_parameters is not None else "–",
            }
        )
    return {
        "rows": rows,
        "others": [names.metric_label(metric) for metric in others],
        "axis": Markup(column.axis()),
        "has_held": any(r["held"] for r in rows),
        "figures": _board_figures(found, finished, stats, best),
    }


def _badges(found, model):
    badges = []
    if model.name == found.best:
        badges.append(("best", "best"))
    if model.name == found.simplest and model.name != found.best:
        badges.append(("simplest", "simplest within 1 SE"))
    if model.name == found.baseline:
        badges.append(("baseline", "baseline"))
    return badges


def _difference(difference, is_best):
    if difference is None or is_best:
        return None
    mean, error = names.mean_and_error(difference.mean, difference.std_error)
    return {"mean": mean, "error": error, "p": format_p(difference.p_value), "clear": difference.p_value < 0.05}


def _held(scores):
    if not scores:
        return None
    value, low, high = scores
    width = (high - low) / 4
    text, first, last = (names.mean_and_error(v, width)[0] for v in (value, low, high))
    return {"value": text, "low": first, "high": last}


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
        error = known.std_error if known else gap.std(ddof=1) / np.sqrt(gap.size)
        rows.append((model.label, gap, float(gap.mean()), float(np.nan_to_num(error))))
    if rows:
        caption = (
            f"Fold by fold against {finished[best].label}: each grey dot is one outer fold, the whisker the standard "
            "error of the corrected test. Zero is the best model itself."
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
        caption = "What the score costs: mean over the outer folds against the time that tuning and fitting took."
        svg = draw.cost_figure(timed, found.metric, found.greater_is_better)
        out.append({"svg": Markup(svg), "caption": caption})
    return out


def _findings(found):
    labels = {m.name: m.label for m in found.models}
    ordered = sorted(found.findings, key=lambda f: SEVERITIES.get(f.severity, 1))
    return [
        {
            "code": f.code,
            "title": f.title,
            "detail": f.detail,
            "why": f.why,
            "advice": f.advice,
            "severity": f.severity if f.severity in SEVERITIES else "warning",
            "models": [labels.get(name, name) for name in f.models],
        }
        for f in ordered
    ]


# ---- data ---------------------------------------------------------------------------------------------------------


def _data(profile, target):
    columns = sorted(profile.columns, key=lambda c: c.name != target)  # the target first, the others in their order
    shown = columns[:MAX_COLUMNS]
    kinds: dict[str, int] = {}
    for column in profile.columns:
        kinds[column.kind] = kinds.get(column.kind, 0) + 1
    notes = list(profile.notes)
    if profile.sampled_rows:
        notes.insert(0, f"The statistics come from a sample of {profile.sampled_rows:,} rows.")
    if len(columns) > len(shown):
        notes.append(f"{len(columns) - len(shown):,} more columns are in report.json.")
    missing = sum(c.n_missing for c in profile.columns)
    rows = profile.sampled_rows or profile.n_rows
    facts = [
        ("rows", f"{profile.n_rows:,}"),
        ("columns", f"{len(profile.columns):,}"),
        ("missing cells", f"{missing:,}" + _percent(missing, rows * len(profile.columns))),
        ("repeated rows", f"{profile.n_duplicates:,}" + _percent(profile.n_duplicates, rows)),
        *((_plural(kind), f"{count:,}") for kind, count in sorted(kinds.items(), key=lambda item: -item[1])),
    ]
    return {"facts": facts, "columns": [_column(c, rows, c.name == target) for c in shown], "notes": notes}


def _plural(kind):
    return {"number": "numbers", "category": "categories", "boolean": "booleans", "date": "dates", "text": "texts"}.get(
        kind, kind
    )


def _percent(part, whole):
    return f" ({100 * part / whole:.2g} %)" if part and whole else ""


def _column(column, n_rows, is_target):
    statistics = column.statistics
    if statistics:
        words = [(key, names.plain(statistics[key])) for key in ("min", "median", "max") if key in statistics]
        words += [("mean", names.plain(statistics["mean"]))] if "mean" in statistics else []
    else:
        words = [(shorten(name, 18), f"{count:,}") for name, count in column.levels[:3]]
    return {
        "name": shorten(column.name, MAX_CELL),
        "kind": column.kind,
        "target": is_target,
        "missing": f"{column.n_missing:,}" if column.n_missing else "",
        "missing_percent": _percent(column.n_missing, n_rows).strip(" ()"),
        "distinct": f"{column.n_distinct:,}",
        "spark": Markup(draw.column_spark(column, "s2" if is_target else "s1")),
        "words": words,
        "note": column.note,
    }


# ---- one model ----------------------------------------------------------------------------------------------------


def _model(found, model, detailed):
    mean, error = names.mean_and_error(*fold_stats(model.scores[found.metric]))
    out = {
        "label": model.label,
        "anchor": anchor(model),
        "class": model.estimator_class,
        "badges": _badges(found, model),
        "open": model.name in (found.best, found.simplest),
        "mean": mean,
        "error": error,
        "scores": [
            (names.metric_label(metric), *names.mean_and_error(*fold_stats(model.scores.get(metric, ()))))
            for metric in found.metrics
        ],
        "settings": _settings(model),
        "warnings": [shorten(w, 300) for w in model.warnings[:6]],
        "more_warnings": max(0, len(model.warnings) - 6),
        "notes": [],
        "figures": [],
        "confusion": None,
        "importance": None,
        "dependence": [],
        "worst": None,
        "inference": None,
    }
    if not detailed:
        out["notes"].append(
            "The figures of this model are left out to keep this file small; its numbers are in report.json."
        )
        return out
    trivial = model.name == found.baseline
    if model.tuning is not None and len(model.tuning.values) > 1:
        out["figures"].append(
            {
                "svg": Markup(draw.tuning_figure(model.tuning)),
                "name": "Validation curve",
                "caption": _tuning_words(model),
            }
        )
    looked = model.inspection
    if looked is not None and looked.learning is not None and not trivial:
        out["figures"].append(
            {
                "svg": Markup(draw.learning_figure(looked.learning)),
                "name": "Learning curve",
                "caption": "Bands are one standard error. Curves that still approach each other ask for more rows; "
                "curves that have met ask for a richer model or better columns.",
            }
        )
    _prediction_figures(found, model, out)
    if looked is not None:
        _inspection(found, looked, out, trivial)
    out["inference"] = _inference(model) if not trivial else None
    return out


def _settings(model):
    rows = []
    keys = list(dict.fromkeys([*model.settings, *model.grid]))
    for key in keys:
        chosen = [s[key] for s in model.fold_settings if key in s]
        tally: dict[str, int] = {}
        for value in chosen:
            tally[names.setting(value)] = tally.get(names.setting(value), 0) + 1
        ordered = sorted(tally.items(), key=lambda item: -item[1])[:5]
        rows.append(
            {
                "name": key,
                "value": names.setting(model.settings[key]) if key in model.settings else "–",
                "grid": ", ".join(names.setting(v) for v in list(model.grid.get(key, ()))[:30]),
                "folds": ", ".join(f"{value} ({count}×)" if count > 1 else value for value, count in ordered)
                + (", …" if len(tally) > 5 else ""),
            }
        )
    return rows


def _tuning_words(model):
    curve = model.tuning
    best, simple, chosen = (names.setting(curve.values[k]) for k in (curve.best, curve.one_se, curve.chosen))
    words = f"The ring marks the smallest loss ({curve.parameter} = {best})"
    if curve.one_se != curve.best:
        words += f", the filled dot the simplest value within one standard error of it ({simple})"
    return f"{words}; {chosen} was used. Simple models are on the left."


def _prediction_figures(found, model, out):
    if model.predictions is None:
        return
    predictions = np.asarray(model.predictions, dtype=float)
    if found.task == "regression":
        y = np.asarray(found.y_true, dtype=float)
        known = np.isfinite(predictions) & np.isfinite(y)
        if known.sum() < 3 or np.ptp(predictions[known]) == 0:
            return
        y, p = y[known], predictions[known]
        out["figures"] += [
            {"svg": Markup(draw.observed_figure(y, p, found.target)), "name": "Actual and predicted",
             "caption": "Every training row, predicted by a model that had not seen it."},
            {"svg": Markup(draw.residual_figure(y, p)), "name": "Residuals",
             "caption": "A trend of the median asks for a richer model, a growing spread for a transformed target."},
            {"svg": Markup(draw.quantile_figure(y, p)), "name": "Normal quantiles",
             "caption": "Ends that leave the line are errors larger than a normal distribution would make."},
        ]  # fmt: skip
        return
    codes, classes = class_codes(found)
    known = np.isfinite(predictions).all(axis=1)
    codes, proba = codes[known], predictions[known]
    if not len(codes) or proba.shape[1] != len(classes):
        return
    certain = bool(np.isin(proba, (0.0, 1.0)).all())
    if not certain and np.ptp(proba, axis=0).max() > 0 and model.name != found.baseline:
        rest = "" if len(classes) == 2 else " Each class against the rest."
        out["figures"] += [
            {"svg": Markup(draw.roc_figure(codes, proba, classes)), "name": "ROC curve",
             "caption": "Over all thresholds, from out-of-fold probabilities." + rest},
            {"svg": Markup(draw.precision_recall_figure(codes, proba, classes)), "name": "Precision and recall",
             "caption": "Of the rows called positive, how many are; of the positive, how many are called."
             + rest},
            {"svg": Markup(draw.calibration_figure(codes, proba, classes)), "name": "Calibration",
             "caption": "Groups of equal size with 95 % intervals; grey bars: how often each probability is said."},
        ]  # fmt: skip
    elif certain and model.name != found.baseline:
        out["notes"].append("This model gives classes without probabilities: no ROC, precision or calibration curve.")
    _confusion(codes, proba, classes, out)


def _confusion(codes, proba, classes, out):
    k = len(classes)
    counts = np.bincount(codes * k + proba.argmax(axis=1), minlength=k * k).reshape(k, k)
    if k <= MAX_CONFUSION:
        share = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
        out["confusion"] = {
            "classes": [shorten(c, 16) for c in classes],
            "rows": [
                {
                    "name": shorten(classes[i], 20),
                    "cells": [
                        {"count": f"{counts[i, j]:,}", "v": f"{share[i, j]:.2f}", "hit": i == j} for j in range(k)
                    ],
                    "recall": f"{100 * share[i, i]:.0f} %",
                }
                for i in range(k)
            ],
        }
    elif k <= MAX_CONFUSION_SHADES:
        out["figures"].append(
            {
                "svg": Markup(draw.confusion_figure(counts, classes)),
                "name": "Confusion",
                "caption": "Rows are actual classes, columns predicted ones; the darker, the larger the row's share.",
            }
        )
    if k > MAX_CONFUSION:
        off = counts - np.diag(np.diag(counts))
        worst = [np.unravel_index(i, off.shape) for i in np.argsort(-off, axis=None, kind="stable")[:8]]
        pairs = [f"{classes[i]} → {classes[j]} ({off[i, j]:,})" for i, j in worst if off[i, j]]
        out["notes"].append("Most frequent confusions: " + ", ".join(pairs) + "." if pairs else "No confusion at all.")


def _inspection(found, looked, out, trivial):
    out["notes"] += looked.notes
    importance = looked.importance
    if importance is not None and importance.columns and not trivial and np.isfinite(importance.mean).any():
        shown = min(15, len(importance.columns))
        words = (
            f"{names.metric_label(importance.metric)} lost when one column is shuffled in {importance.n_rows:,} rows "
            f"that the model has not seen; whiskers are {100 * importance.confidence:.0f} % intervals."
        )
        if len(importance.columns) > shown:
            words += f" The {shown} most important of {len(importance.columns)} measured columns."
        out["importance"] = {"svg": Markup(draw.importance_figure(importance)), "caption": words}
    out["dependence"] = [Markup(draw.dependence_figure(d, found.target)) for d in looked.dependence[:6] if not trivial]
    if looked.worst and not trivial:
        order = list(importance.columns) if importance is not None else []
        cells = looked.worst[0].cells
        columns = [c for c in order if c in cells] + [c for c in cells if c not in order]
        columns = columns[:MAX_WORST_COLUMNS]
        out["worst"] = {
            "columns": [shorten(c, 18) for c in columns],
            "rows": [
                {
                    "row": f"{w.row + 1:,}",
                    "actual": _cell(w.actual),
                    "predicted": _cell(w.predicted),
                    "cells": [_cell(w.cells.get(c)) for c in columns],
                }
                for w in looked.worst
            ],
        }


def _cell(value):
    if value is None or (isinstance(value, float) and value != value):
        return "–"
    if isinstance(value, (bool, np.bool_)):
        return "yes" if value else "no"
    if isinstance(value, (int, float, np.number)):
        return names.plain(value)
    return shorten(value, 28)


def _inference(model):
    """The table of `summary()`, or the reason why there is none."""
    pipeline = model.estimator
    final = pipeline[-1] if hasattr(pipeline, "steps") else pipeline
    summary = getattr(final, "summary", None)
    if summary is None:
        return None
    try:
        found = summary()
    except (ValueError, TypeError, AttributeError) as refusal:
        return {"refusal": str(refusal)}
    headings, cells = found.table.cells()
    labels = [str(label) for label in _term_names(pipeline, found.table.rows)]
    shown = slice(0, MAX_TERMS)
    return {
        "title": found.title,
        "headings": headings,
        "rows": [{"name": shorten(name, 40), "cells": row} for name, row in zip(labels[shown], cells[shown])],
        "facts": list(found._printed_facts()),
        "notes": list(found.notes)
        + ([f"{len(labels) - MAX_TERMS:,} more terms are left out here."] if len(labels) > MAX_TERMS else []),
    }


def _term_names(pipeline, labels):
    """The terms by the design matrix's names where the final step has seen an array without names."""
    try:
        columns = list(pipeline[:-1].get_feature_names_out())
    except (AttributeError, TypeError, ValueError):
        return labels
    plain = {f"x{j}": name for j, name in enumerate(columns)}
    return [plain.get(str(label), label) for label in labels]


# ---- reproduce ----------------------------------------------------------------------------------------------------


def _reproduce(found):
    settings = dict(found.settings)
    command = settings.pop("command", None)
    versions = settings.pop("versions", None) or {}
    return {
        "command": command,
        "settings": [(key.replace("_", " "), names.setting(value)) for key, value in settings.items()],
        "versions": [(str(k), str(v)) for k, v in versions.items()] if isinstance(versions, dict) else [],
    }
