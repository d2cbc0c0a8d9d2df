"""The report's tables as files for programs: JSON and CSV."""

import csv
import dataclasses
import json
import math
from datetime import date, datetime

import numpy as np

from statlearn.app.compare.leaderboard import as_rows
from statlearn.app.tables import frames

from .common import class_codes

_PER_ROW = {
    "predictions",
    "holdout_predictions",
    "y_true",
    "y_holdout",
    "train_rows",
    "holdout_rows",
}  # in predictions.csv
_NOT_DATA = {"estimator", "features", "state"}


def to_plain(value):
    """Numbers, strings, lists and dicts with the same content; what is not finite becomes None."""
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, (int, np.integer)):
        return int(value)
    if isinstance(value, np.bool_):
        return bool(value)
    if isinstance(value, (float, np.floating)):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, np.ndarray):
        return to_plain(value.tolist())
    if isinstance(value, dict):
        return {str(key): to_plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, set, frozenset, range)):
        return [to_plain(item) for item in value]
    if isinstance(value, (date, datetime)):
        return value.isoformat()
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        out = {}
        for field in dataclasses.fields(value):
            if field.name not in _PER_ROW | _NOT_DATA and not field.name.startswith("_"):
                out[field.name] = to_plain(getattr(value, field.name))
        return out
    return str(value)


def comparison_json(comparison):
    """Every number of the comparison but those of single rows, which are in predictions.csv."""
    content = to_plain(comparison)
    content["leaderboard"] = as_rows(comparison)
    content["n_train"], content["n_holdout"] = len(comparison.train_rows), len(comparison.holdout_rows)
    return json.dumps(
        {"format": "statlearn report 1", **to_plain(content)}, indent=1, ensure_ascii=False, allow_nan=False
    )


def leaderboard_csv(comparison, file, text=None):
    """The leaderboard as CSV; `text`, if given, is applied to every cell."""
    rows = to_plain(as_rows(comparison))
    if text is not None:
        rows = [{name: text(cell) for name, cell in row.items()} for row in rows]
    writer = csv.DictWriter(file, list(rows[0]) if rows else ["rank", "model"], lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)


def predictions_csv(comparison, file, text=None):
    """One row per row of the table: its number (from 0), its identifiers, its part, the actual value, each model's
    prediction.

    Training rows hold out-of-fold predictions, held-out rows those of the final models. In classification a model's
    column holds the most probable class, and the best model's probabilities follow. `text`, if given, is applied to
    every cell.
    """
    text = text or (lambda cell: cell)
    models = [m for m in comparison.models if m.predictions is not None]
    names = [m.name for m in models]
    classes = None
    if comparison.task == "classification":
        _, classes = class_codes(comparison)
    best = comparison.best
    header = ["part", "actual", *names, *(f"P({c})" for c in classes or ())]
    keys = _identifiers(comparison, {"row", *header})
    header = ["row", *(name for name, _ in keys), *header]
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(map(text, header))
    parts = [
        ("train", comparison.train_rows, comparison.y_true, {m.name: m.predictions for m in models}),
        ("holdout", comparison.holdout_rows, comparison.y_holdout, comparison.holdout_predictions),
    ]
    for part, rows, actual, predictions in parts:
        n = len(rows)
        if n == 0:
            continue
        known = np.asarray(actual).tolist() if actual is not None and len(actual) == n else [""] * n
        found = [["" if cell is None else cell for cell in cells[rows].tolist()] for _, cells in keys]
        columns = [np.asarray(rows).tolist(), *found, [part] * n, known]
        for name in names:
            columns.append(_predicted(predictions.get(name), classes, n))
        if classes is not None:
            table = predictions.get(best)
            columns += [[""] * n] * len(classes) if table is None else [_blank(c) for c in np.asarray(table).T]
        writer.writerows(map(text, row) for row in zip(*columns))


def _identifiers(comparison, taken):
    """Names and cells of the columns that identify rows, where the table is at hand."""
    if comparison.features is None:
        return []
    frame = frames.as_frame(comparison.features)
    named = [c.name for c in comparison.profile.columns if c.kind == "identifier" and c.name in frame.columns]
    return [(name, np.array(frame[name].to_list(), dtype=object)) for name in named if name and name not in taken]


def _predicted(values, classes, n):
    if values is None:
        return [""] * n
    values = np.asarray(values, dtype=float)
    if classes is None:
        return _blank(values)
    known = np.isfinite(values).all(axis=1)
    winner = np.where(known[:, None], values, 0.0).argmax(axis=1)
    return [classes[k] if good else "" for k, good in zip(winner, known)]


def _blank(values):
    return ["" if v != v else v for v in np.asarray(values, dtype=float).tolist()]
