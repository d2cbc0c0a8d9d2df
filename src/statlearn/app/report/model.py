"""The section of one model: settings, figures, importances, inference, worst rows."""

import datetime
import re
from dataclasses import dataclass

import numpy as np
from markupsafe import Markup

from .. import names as names
from ..explain.residuals import residual_tests, table_rows
from . import figures as draw
from .common import anchor, badges, class_codes
from .svg import shorten

MAX_TERMS = 60  # rows of an inference table
MAX_CURVES = 30
MAX_WORST_COLUMNS = 8
MAX_CONFUSION = 10  # classes of a confusion matrix with numbers
MAX_CONFUSION_SHADES = 60


@dataclass
class Subject:
    """What predictions are compared with."""

    task: str
    target: str
    y: np.ndarray  # values, or positions in the list of classes
    classes: list[str]
    axis: str  # what predictions are called on an axis
    caption: str  # where they come from
    rows: str  # behind the importances: "rows it was not trained on"
    dull: set[str]  # columns that say nothing about a row


def subject_of(found, predictions=None):
    """The training rows of a comparison, predicted out of fold; those of unfinished folds have no prediction."""
    y, classes = (np.asarray(found.y_true, dtype=float), []) if found.task == "regression" else class_codes(found)
    dull = {c.name for c in found.profile.columns if c.kind in ("identifier", "constant")}
    caption = "Every training row, predicted by a model that was not trained on it."
    missing = np.zeros(len(y), bool) if predictions is None else np.isnan(predictions.reshape(len(y), -1)).any(axis=1)
    if missing.any():
        which = (
            "the later ones, on which the folds test" if found.settings.get("time_order") else "those of finished folds"
        )
        caption = (
            f"{np.sum(~missing):,} of {len(y):,} training rows ({which}), predicted by a model that was not trained on "
            "them."
        )
    unseen = "rows it was not trained on"
    return Subject(found.task, found.target, y, classes, "predicted, out of fold", caption, unseen, dull)


def empty_section(label, estimator_class):
    """A section to be filled: what `model_body` of the templates asks for."""
    return {
        "label": label,
        "class": estimator_class,
        "scores": [],
        "settings": [],
        "warnings": [],
        "more_warnings": 0,
        "notes": [],
        "figures": [],
        "confusion": None,
        "dependence": [],
        "single_curves": False,
        "effects": [],
        "residuals": [],
        "worst": None,
        "inference": None,
        "terms": [],
    }


def model_section(found, entry, detailed):
    """One model of the leaderboard; without its figures where it is not `detailed`."""
    model = entry.model
    mean, error = names.mean_and_error(*entry.level)
    out = {
        **empty_section(model.label, model.estimator_class),
        "anchor": anchor(model),
        "badges": badges(entry),
        "open": entry.is_best or entry.is_simplest,
        "printed": entry.is_best,
        "mean": mean,
        "error": error,
        "scores": [
            (names.metric_label(metric), *names.mean_and_error(*level)) for metric, level in entry.levels.items()
        ],
        "settings": _settings(model),
        "warnings": [shorten(w, 300) for w in model.warnings[:6]],
        "more_warnings": max(0, len(model.warnings) - 6),
    }
    if not detailed:
        out["notes"].append("Figures are omitted to keep this file small; the numbers are in report.json.")
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
                "caption": "Bands are one standard error. If the curves are still converging, more rows will help. "
                "If they have met, a richer model or better columns might.",
            }
        )
    predictions = None if model.predictions is None else np.asarray(model.predictions, dtype=float)
    subject = subject_of(found, predictions)
    if predictions is not None:
        prediction_figures(subject, predictions, out, curves=not trivial)
    if looked is not None and not trivial:
        inspection_figures(subject, looked, out)
    if not trivial:
        out["inference"] = inference(model.estimator)
        out["terms"] = term_figures(model.estimator)
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
    words = f"The ring marks the smallest validation loss ({curve.parameter} = {best})"
    if curve.one_se != curve.best:
        words += f", the filled dot the simplest value within one standard error of it ({simple})"
    return f"{words}. The value used is {chosen}. Simpler models are on the left."


def prediction_figures(subject, predictions, out, *, curves=True):
    """Pictures of predictions against what was there; `curves` False leaves out those that need a model that ranks."""
    if subject.task == "regression":
        known = np.isfinite(predictions) & np.isfinite(subject.y)
        if known.sum() >= 3 and np.ptp(predictions[known]) > 0:
            _regression_figures(subject, subject.y[known], predictions[known], out)
            out["residuals"] = table_rows(residual_tests(subject.y[known], predictions[known]))
        return
    known = np.isfinite(predictions).all(axis=1)
    codes, proba = subject.y[known], predictions[known]
    if not len(codes) or proba.shape[1] != len(subject.classes):
        return
    certain = bool(np.isin(proba, (0.0, 1.0)).all())
    if curves and not certain and np.ptp(proba, axis=0).max() > 0:
        _probability_figures(codes, proba, subject.classes, out)
    elif curves and certain:
        out["notes"].append(
            "This model does not predict probabilities, so there are no ROC, precision-recall or calibration curves."
        )
    _confusion(codes, proba, subject, out)


def _regression_figures(subject, y, predicted, out):
    for name, svg, caption in (
        ("Actual and predicted", draw.observed_figure(y, predicted, subject.target, subject.axis), subject.caption),
        (
            "Residuals",
            draw.residual_figure(y, predicted, subject.axis),
            "A trend in the median suggests a richer model, a growing spread a transformed target.",
        ),
        (
            "Normal quantile plot",
            draw.quantile_figure(y, predicted),
            "Points off the line at the ends mean that large errors are more or less common than in a normal "
            "distribution.",
        ),
    ):
        out["figures"].append({"name": name, "svg": Markup(svg), "caption": caption})


def _probability_figures(codes, proba, classes, out):
    rest = "" if len(classes) == 2 else " Each class versus the rest."
    for name, figure, caption in (
        ("ROC curve", draw.roc_figure, "Over all thresholds." + rest),
        (
            "Precision and recall",
            draw.precision_recall_figure,
            "Precision is the share of predicted positives that are positive; recall the share of positives that are "
            "found." + rest,
        ),
        (
            "Calibration",
            draw.calibration_figure,
            "Groups of equal size with 95 % intervals. Grey bars show how often each probability is predicted.",
        ),
    ):
        out["figures"].append({"name": name, "svg": Markup(figure(codes, proba, classes)), "caption": caption})


def _confusion(codes, proba, subject, out):
    classes = subject.classes
    k = len(classes)
    counts = np.bincount(codes * k + proba.argmax(axis=1), minlength=k * k).reshape(k, k)
    if k <= MAX_CONFUSION:
        share = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
        out["confusion"] = {
            "caption": f"{subject.caption} The predicted class is the most probable one.",
            "dense": k > 4,
            "classes": [shorten(c, 16) for c in classes],
            "rows": [
                {
                    "name": shorten(classes[i], 20),
                    "cells": [
                        {
                            "count": f"{counts[i, j]:,}" if counts[i, j] or k <= 4 else "",
                            "v": f"{share[i, j]:.2f}",
                            "hit": i == j,
                        }
                        for j in range(k)
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
                "caption": "Rows are actual classes, columns predicted classes. Darker cells hold a larger share of "
                "their row.",
            }
        )
    if k > MAX_CONFUSION:
        off = counts - np.diag(np.diag(counts))
        worst = [np.unravel_index(i, off.shape) for i in np.argsort(-off, axis=None, kind="stable")[:8]]
        pairs = [f"{classes[i]} → {classes[j]} ({off[i, j]:,})" for i, j in worst if off[i, j]]
        out["notes"].append(
            "Most frequent confusions (actual → predicted): " + ", ".join(pairs) + "."
            if pairs
            else "Every row is predicted correctly."
        )


def inspection_figures(subject, looked, out):
    """Importances, partial dependence and worst rows."""
    out["notes"] += looked.notes
    importance = looked.importance
    if importance is not None and np.nan_to_num(importance.drops).any():
        used = int(importance.drops.any(axis=1).sum())
        words = (
            f"How much worse {names.metric_label(importance.metric)} gets when one column is shuffled, on "
            f"{importance.n_rows:,} {subject.rows}, with {100 * importance.confidence:.0f} % intervals."
        )
        if used > draw.MAX_IMPORTANCES:
            words += f" The {draw.MAX_IMPORTANCES} most important of {used} columns with an effect are shown."
        others = sum(not drop.any() for c, drop in zip(importance.columns, importance.drops) if c not in subject.dull)
        if others:
            words += f" Shuffling {'the other one' if others == 1 else f'the other {others:,}'} changes nothing."
        svg = Markup(draw.importance_figure(importance))
        out["figures"].append({"svg": svg, "name": "Permutation importance", "caption": words})
    outputs = draw.shown_outputs(looked.dependence)
    figures = [draw.dependence_figure(d, subject.target, outputs) for d in looked.dependence[:6]]
    out["dependence"] = [Markup(svg) for svg in figures]
    out["single_curves"] = any(d.curves is not None for d in looked.dependence[:6]) and len(outputs) == 1
    out["effects"] = [Markup(draw.effects_figure(e, subject.target)) for e in getattr(looked, "effects", ())]
    if looked.worst:
        order = list(importance.columns) if importance is not None else []
        cells = looked.worst[0].cells
        columns = [c for c in order if c in cells and c not in subject.dull]
        columns += [c for c in cells if c not in order and c not in subject.dull]
        columns = columns[:MAX_WORST_COLUMNS]
        out["worst"] = {
            "measure": "P(actual)" if subject.task == "classification" else "error",
            "columns": [shorten(c, 18) for c in columns],
            "unit": getattr(looked, "unit", ""),
            "method": getattr(looked, "method", ""),
            "rows": [
                {
                    "row": f"{w.row:,}",
                    "actual": _cell(w.actual),
                    "predicted": _cell(w.predicted),
                    "measure": _error(w, subject.task),
                    "cells": [_cell(w.cells.get(c)) for c in columns],
                    "reasons": ", ".join(names.reason(shorten(c, 18), change) for c, change in w.reasons),
                }
                for w in looked.worst
            ],
        }


def _error(worst, task):
    if task == "classification":
        return f"{np.exp(-worst.loss):.2g}"
    return _cell(worst.actual - worst.predicted) if isinstance(worst.actual, (int, float)) else ""


def _cell(value):
    if value is None or (isinstance(value, float) and value != value):
        return "–"
    if isinstance(value, (bool, np.bool_)):
        return "yes" if value else "no"
    if isinstance(value, (int, float, np.number)):
        return names.bare(value)
    if isinstance(value, datetime.date):  # times too
        return names.moment(value)
    return shorten(value, 28)


def inference(pipeline):
    """The table of `summary()`, or the reason why there is none."""
    final = pipeline[-1] if hasattr(pipeline, "steps") else pipeline
    summary = getattr(final, "summary", None)
    if summary is None:
        return None
    try:
        found = summary()
    except (ValueError, TypeError, AttributeError) as refusal:
        return {"heading": "Inference", "refusal": str(refusal)}
    tables = [_table(pipeline, found.table, found.title)]
    tables += [_table(pipeline, other, other.caption) for other in found.tables]
    more = sum(max(0, len(table.rows) - MAX_TERMS) for table in (found.table, *found.tables))
    notes = list(found.notes) + ([f"{more:,} more terms are not shown."] if more else [])
    if hasattr(pipeline, "steps") and any(getattr(step, "scale", False) is True for _, step in pipeline.steps[:-1]):
        notes.append(
            "Numeric columns were standardised before the fit, so one unit of such a column is one standard deviation."
        )
    return {
        "heading": "Inference"
        if any({"p", "std_error"} & set(t.columns) for t in (found.table, *found.tables))
        else "Fitted model",
        "tables": tables,
        "facts": [(name, _minus(value)) for name, value in found.printed_facts()],
        "notes": notes,
    }


def _table(pipeline, table, caption):
    headings, cells = table.cells()
    # Columns of a table can be called after features, and cells of text can name them: parents in a network.
    own = [heading for name, heading in zip(table.columns, headings) if name in table.names]
    renamed = dict(zip(own, _term_names(pipeline, own)))
    headings = [renamed.get(heading, heading) for heading in headings]
    columns = [
        _term_names(pipeline, shown) if any(isinstance(cell, str) for cell in column) else shown
        for column, shown in zip(table.columns.values(), zip(*cells[:MAX_TERMS]))
    ]
    cells = list(zip(*columns)) if columns else cells
    labels = [str(label) for label in _term_names(pipeline, table.rows)]
    return {
        "caption": caption,
        "headings": headings,
        "rows": [
            {"name": shorten(name, 40), "cells": [_minus(cell) for cell in row]}
            for name, row in zip(labels[:MAX_TERMS], cells)
        ],
    }


def term_figures(pipeline):
    """The functions that an additive model is made of, drawn; none for other models."""
    final = pipeline[-1] if hasattr(pipeline, "steps") else pipeline
    if not hasattr(final, "term_curves"):
        return []
    out = []
    for curve in final.term_curves()[:MAX_CURVES]:
        label, column = _term_names(pipeline, [curve.label, curve.feature])
        out.append(Markup(draw.term_figure(curve, str(label), str(column))))
    return out


def _minus(text):
    return "−" + text[1:] if text.startswith("-") else text


def _term_names(pipeline, labels):
    """The terms by the design matrix's names where the final step has seen an array without names."""
    try:
        columns = list(pipeline[:-1].get_feature_names_out())
    except (AttributeError, TypeError, ValueError):
        return labels
    if hasattr(pipeline[-1], "feature_names_in_"):
        return labels
    if {str(label) for label in labels} <= {str(c) for c in getattr(pipeline[-1], "classes_", ())}:
        return labels  # classes, even if they look like names of columns
    levels = _level_names(pipeline[0])
    labels = [
        re.sub(r"^(x\d+) = (\d+)$", lambda found: levels.get((found[1], int(found[2])), found[0]), str(label))
        for label in labels
    ]
    return [names.with_column_names(str(label), columns) for label in labels]


def _level_names(table):
    """'island = Dream' for the columns of codes of a `TableTransformer`, by column of the design and code."""
    if not getattr(table, "categorical_", np.zeros(0)).any():
        return {}
    labels = {name: iter(encoder.code_labels) for name, encoder in table.encoders_.items()}
    columns = zip(table.get_feature_names_out(), table.get_source_names_out(), table.categorical_)
    return {
        (f"x{j}", code): f"{name}{label}"
        for j, (name, source, coded) in enumerate(columns)
        if coded
        for code, label in enumerate(next(labels[source]))
    }
