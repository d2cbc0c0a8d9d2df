"""What the report says, as plain values and drawings for the template."""

import numpy as np
from markupsafe import Markup

from .. import names as names
from ..compare.leaderboard import finished
from ..compare.ranking import held_out_words
from ..compare.result import ColumnProfile
from . import figures as draw
from .board import leaderboard
from .common import anchor
from .model import model_section
from .svg import shorten

MAX_COLUMNS = 120  # of the table, in the data section
MAX_ROWS = 24  # columns with a row of their own; a wider table is shown in tiles
MAX_PLAIN = 36  # tiles without a drawing
MAX_CELL = 60  # characters


def page(comparison, detailed=None):
    """Everything that the template shows.

    `detailed` names the models that get figures; None: all. The others keep their numbers and a note.
    """
    found = comparison
    entries = finished(found)
    return {
        "title": f"Predicting {found.target}",
        "target": found.target,
        "task": found.task,
        "source": found.profile.source,
        "verdict": _unbroken(found.verdict),
        "complete": found.complete,
        "metric": names.metric_label(found.metric),
        "better": "larger is better" if found.greater_is_better else "smaller is better",
        "facts": _facts(found, entries),
        "cards": _cards(found, entries),
        "board": leaderboard(found, entries),
        "failed": [
            {"label": m.label, "status": m.status, "error": shorten(m.error or "", 400)}
            for m in found.models
            if all(m is not entry.model for entry in entries)
        ],
        "findings": _findings(found),
        "data": _data(found),
        "models": [model_section(found, e, detailed is None or e.name in detailed) for e in entries],
        "reproduce": _reproduce(found),
        "appendix": _appendix(found),
        "muted": found.settings.get("mute") or [],
        "held_words": held_out_words(found),
        "timed": found.settings.get("time_limit") is not None,
    }


def _unbroken(text):
    """Numbers stay on one line with their signs."""
    return text.replace(" ± ", "\u00a0±\u00a0").replace(" = ", "\u00a0=\u00a0").replace(" < ", "\u00a0<\u00a0")


# ---- head ---------------------------------------------------------------------------------------------------------


def _facts(found, entries):
    settings, profile = found.settings, found.profile
    facts = [
        ("rows", f"{profile.n_rows:,}"),
        ("features", f"{sum(c.name != found.target and not c.left_out for c in profile.columns):,}"),
        ("models", f"{len(entries)}"),
    ]
    folds = settings.get("folds")
    if folds:
        repeats = settings.get("repeats") or 1
        facts.append(("outer folds", f"{folds}" + (f" × {repeats}" if repeats > 1 else "")))
    if len(found.holdout_rows):
        facts.append(("held-out rows", f"{len(found.holdout_rows):,}"))
    facts.append(("time", names.duration(found.seconds)))
    return facts


def _cards(found, entries):
    captions = {
        "best": "Best on the outer folds",
        "simplest": "Simplest within one standard error",
        "baseline": "Baseline, which ignores the features",
    }
    by_role = {}
    for entry in entries:
        by_role |= {role: entry for role in entry.roles[:1]}
    cards = []
    for role, caption in captions.items():
        if role not in by_role:
            continue
        entry = by_role[role]
        mean, error = names.mean_and_error(*entry.level)
        cards.append(
            {"kind": role, "caption": caption, "label": entry.label, "mean": mean, "error": error,
             "anchor": anchor(entry.model)}
        )  # fmt: skip
    best = by_role.get("best")
    if best is not None and best.held_out:
        spread = (best.held_out[2] - best.held_out[1]) / 4
        value, low, high = (names.mean_and_error(v, spread)[0] for v in best.held_out)
        cards.insert(
            1,
            {"kind": "held", "caption": "Best model on the held-out rows", "label": best.label, "mean": value,
             "interval": f"{low} – {high}" if np.isfinite(spread) else "", "anchor": anchor(best.model)},
        )  # fmt: skip
    return cards


def _appendix(found):
    """The board with the columns that are the target in disguise; None if there are none."""
    board = found.with_leaks.get("board")
    if not board:
        return None
    rows = [(label, *names.mean_and_error(mean, error)) for label, mean, error in board[:10]]
    return {"columns": ", ".join(found.with_leaks["columns"]), "rows": rows}


def _findings(found):
    labels = {m.name: m.label for m in found.models}
    return [
        {
            "code": f.code,
            "title": f.title,
            "details": f.detail.splitlines(),
            "why": f.why,
            "advice": f.advice,
            "severity": f.severity if f.severity in ("serious", "note") else "warning",
            "models": [labels.get(name, name) for name in f.models],
        }
        for f in found.grouped_findings()
    ]


# ---- data ---------------------------------------------------------------------------------------------------------


def _data(found):
    profile, target = found.profile, found.target
    columns = [c for c in profile.columns if c.name != target]
    columns.insert(0, next((c for c in profile.columns if c.name == target), None) or target_profile(found))
    return data_section(profile, columns, target)


def data_section(profile, columns, target=None):
    """The columns of a table: facts, a row or a tile for each, notes. The target, if there is one, comes first."""
    others = columns if target is None else columns[1:]
    drawn = any(c.histogram is not None or c.levels for c in others)
    shown = columns[: MAX_COLUMNS if drawn else MAX_PLAIN + 1]
    kinds: dict[str, int] = {}
    for column in others:
        kinds[column.kind] = kinds.get(column.kind, 0) + 1
    notes = list(profile.notes)
    if profile.sampled_rows:
        notes.insert(0, f"Statistics are based on a random sample of {profile.sampled_rows:,} rows.")
    if len(columns) > len(shown):
        where = "not shown" if target is None else "in report.json"
        notes.append(f"{len(columns) - len(shown):,} more columns are {where}.")
    missing = sum(c.n_missing for c in profile.columns)
    rows = profile.sampled_rows or profile.n_rows
    facts = [
        ("rows", f"{profile.n_rows:,}"),
        ("columns" if target is None else "columns besides the target", f"{len(others):,}"),
        ("missing values", f"{missing:,}" + _percent(missing, rows * len(profile.columns))),
        ("duplicate rows", f"{profile.n_duplicates:,}" + _percent(profile.n_duplicates, rows)),
        *((_kinds(kind, count), f"{count:,}") for kind, count in sorted(kinds.items(), key=lambda item: -item[1])),
    ]
    wide = len(shown) > MAX_ROWS
    return {
        "facts": facts,
        "rows": [_column(c, rows, c.name == target) for c in (shown[: len(columns) - len(others)] if wide else shown)],
        "tiles": [_tile(c, rows) for c in shown[len(columns) - len(others) :]] if wide else [],
        "notes": notes,
    }


def target_profile(found):
    """The target of all rows that took part, where the table's profile does not hold it."""
    y = np.asarray(found.y_true)
    if found.y_holdout is not None and len(found.y_holdout):
        y = np.concatenate([y, np.asarray(found.y_holdout)])
    values, counts = np.unique(y, return_counts=True)
    column = ColumnProfile(found.target, "number", found.profile.n_rows - len(y), len(values))
    if found.profile.sampled_rows:
        column.n_missing = 0
    if found.task == "classification":
        column.kind = "category"
        order = np.argsort(-counts, kind="stable")[:20]
        column.levels = [(str(values[k]), int(counts[k])) for k in order]
        return column
    y = y.astype(float)
    summary = np.quantile(y, [0, 0.25, 0.5, 0.75, 1])
    column.statistics = dict(zip(("min", "q1", "median", "q3", "max"), map(float, summary)))
    column.statistics["mean"] = float(y.mean())
    counts, edges = np.histogram(y, bins=24)
    column.histogram = (edges, counts)
    return column


def _kinds(kind, count):
    """The name of a kind of columns behind their number: "1 category", "3 categories"."""
    if count == 1:
        return kind
    return "categories" if kind == "category" else f"{kind}s"


def _percent(part, whole):
    return f" ({100 * part / whole:.2g} %)" if part and whole else ""


def _tile(column, n_rows):
    statistics = column.statistics
    if column.kind == "constant":
        words = "constant"
    elif "min" in statistics and "max" in statistics:
        show = names.moments(statistics) if column.kind == "date" else lambda value: names.bare(value, 3)
        words = f"{show(statistics['min'])} – {show(statistics['max'])}"
    else:
        words = f"{column.kind}, {column.n_distinct:,} distinct"
    if column.n_missing:
        words += f", {_percent(column.n_missing, n_rows).strip(' ()')} missing"
    return {
        "name": shorten(column.name, 22),
        "full": column.name,
        "spark": Markup(draw.column_spark(column)),
        "range": words,
    }


def _column(column, n_rows, is_target):
    statistics = column.statistics
    if statistics:
        show = names.moments(statistics) if column.kind == "date" else names.bare
        keys = ("min", "median", "max") if column.kind == "date" else ("min", "median", "max", "mean")
        words = [(key, show(statistics[key])) for key in keys if key in statistics]
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


# ---- reproduce ----------------------------------------------------------------------------------------------------


def _reproduce(found):
    settings = dict(found.settings)
    command = settings.pop("command", None)
    versions = settings.pop("versions", None) or {}
    return {
        "command": command,
        "settings": [
            (key.replace("_", " "), names.setting(value))
            for key, value in settings.items()
            if value not in (None, [], ())
        ],
        "versions": [(str(k), str(v)) for k, v in versions.items()] if isinstance(versions, dict) else [],
    }
