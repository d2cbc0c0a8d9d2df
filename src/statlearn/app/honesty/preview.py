"""Warnings on a table before anything is fitted: what a comparison would find, or do, because of its columns."""

import numpy as np

from statlearn._core.frames.column_kinds import names_group
from statlearn.app.compare.result import Finding
from statlearn.app.errors import AppError
from statlearn.app.honesty import leaks
from statlearn.app.honesty.design import FEW_GROUPS, Design, detect
from statlearn.app.honesty.findings import finding
from statlearn.app.model.drift import drift
from statlearn.app.model.training import TrainingSummary
from statlearn.app.setting_names import joined, listed
from statlearn.app.tables import frames
from statlearn.app.tables.learning_table import learning_table
from statlearn.app.tables.profile import MOSTLY_NUMBERS
from statlearn.app.tables.sentinels import sentinels

MAX_ROWS = 20_000  # a sample of longer tables is looked at
LATEST = 0.2  # share of the rows, in the order of time, that is compared with the rows before
TITLES = {
    "GROUP-FOLDS": "The folds will keep groups together",
    "TIME-FOLDS": "The folds will follow the order of time",
    "WRONG-KIND": "A column of numbers is read as a category",
    "TIME-DRIFT": "Later rows differ from earlier ones",
    "TARGET": "The target cannot be used as it is",
}


def warnings_before(table, target, *, groups=None, time_order=None, keep=(), drop=(), kinds=None, profile=None, seed=0):
    """Findings on a table and its target, the serious ones first; nothing is fitted.

    Parameters
    ----------
    table : Table
    target : str or None
        Without a target only the columns are looked at.
    groups, time_order : str or None
        Names of columns.
    keep, drop : sequence of str
    kinds : dict or None
        Kinds that the user has set.
    profile : TableProfile
        Of the table for the same choices.
    seed : int
        For the sample of long tables.

    Returns
    -------
    list of Finding
    """
    found = _wrong_kinds(profile)
    frame = frames.as_frame(table.frame)
    used = [c.name for c in profile.columns if not c.left_out and c.name not in (target, groups)]
    if target is None:
        few = frames.take(frame, _sample(len(frame), seed)).select(used) if used else frame
        return found + _columns(few)
    try:
        whole = learning_table(table, target, groups=groups, time_order=time_order, keep=keep, drop=drop, kinds=kinds)
    except AppError as error:
        return [_own("TARGET", f"{str(error)[0].upper()}{str(error)[1:]}.", "serious"), *found]
    rows = whole.rows(_sample(len(whole.y), seed))
    features = rows.frame.select([c for c in used if c in rows.frame.columns])
    given_away = leaks.find_leaks(features, rows.truth, rows.classes, seed)
    for leak in given_away:
        detail = f"{leak.column!r}: {leak.detail}"
        detail = f"{detail[:-1]}. It will be left out." if leak.severe and leak.column not in keep else detail
        found.append(finding(leak.code, detail, "warning" if leak.code == "STRONG-COLUMN" else "serious"))
    if groups is None and time_order is None:
        found += _design(whole, profile)
    if groups is None:
        found += _groups(rows, profile)
    if time_order is not None:
        found += _moved(whole, profile, used)
    found += _columns(features)
    order = {"serious": 0, "warning": 1, "note": 2}
    return sorted(found, key=lambda f: order[f.severity])


def _sample(n, seed):
    return np.arange(n) if n <= MAX_ROWS else np.sort(np.random.default_rng(seed).choice(n, MAX_ROWS, replace=False))


def _own(code, detail, severity="warning", advice=""):
    """A finding that only a look before the fits has."""
    return Finding(code, TITLES[code], detail, "", advice, severity)


def _wrong_kinds(profile):
    names = [c.name for c in profile.columns if c.note.startswith(MOSTLY_NUMBERS) and not c.left_out]
    advice = "If it is a number, say so: cells that are not numbers become missing values."
    return [_own("WRONG-KIND", f"{listed(names)}: most of the cells are numbers.", "warning", advice)] if names else []


def _design(table, profile):
    """What the folds of a comparison would follow without being asked."""
    design = detect(table.frame, table.truth, table.classes, profile.kinds)
    if design is None:
        return []
    return [_own("GROUP-FOLDS" if design.groups else "TIME-FOLDS", _follow(design), "note")]


def _follow(design: Design):
    if design.groups:
        return f"Rows of one {design.groups!r} resemble each other, so none is divided between training and test."
    return f"Models are tested on rows that are later in {design.time_order!r} than those they were trained on."


def _groups(rows, profile):
    alike = leaks.repeated_units(rows.frame, rows.truth) if rows.classes is None else {}
    found = []
    for column in profile.columns:
        filled = (profile.sampled_rows or profile.n_rows) - column.n_missing
        named = column.kind in ("category", "number", "identifier") and names_group(column.name)
        if (named or column.name in alike) and column.name != profile.target and 2 < column.n_distinct < filled:
            detail = f"{column.name!r} has {column.n_distinct:,} distinct values in {filled:,} rows."
            found.append(finding("GROUPS", detail, "warning" if column.n_distinct > FEW_GROUPS else "note"))
    return found


def _moved(table, profile, used):
    """Columns that are distributed differently in the latest rows."""
    n = len(table.y)
    cut = n - int(LATEST * n)
    time = {c.name for c in profile.columns if c.kind == "date"}
    kinds = {c: k for c, k in profile.kinds.items() if c in used and c in table.frame.columns and c not in time}
    kinds = {c: "category" if isinstance(k, tuple) else k for c, k in kinds.items() if k != "drop"}
    if not kinds or min(cut, n - cut) < 20:
        return []
    early = TrainingSummary.of(frames.take(table.frame, np.arange(cut)), kinds)
    change = drift(early, frames.take(table.frame, np.arange(cut, n)), kinds)
    moved = [name for name in change.moved if name != table.target]
    if not moved:
        return []
    detail = f"{listed(moved)} {'is' if len(moved) == 1 else 'are'} distributed differently in the latest fifth."
    advice = "A model that is trained on the earlier rows may not hold for the later ones; look at the scores by fold."
    return [_own("TIME-DRIFT", detail, "note", advice)]


def _columns(frame):
    """Sentinels, and columns that repeat another one."""
    found = []
    hits = sentinels(frame)
    if hits:
        shown = [f"{name!r} is {value:.0f} in {cells:,} rows" for name, (value, cells) in list(hits.items())[:5]]
        found.append(finding("SENTINEL", f"{joined(shown)}, far from all other values."))
    copies = leaks.repeated_columns(frame)
    if copies:
        pairs = [f"{name!r} repeats {first!r}" for name, first in copies[:5]]
        more = f", and {len(copies) - 5} more" if len(copies) > 5 else ""
        found.append(finding("REPEATED-COLUMN", f"{joined(pairs)}{more}.", "note"))
    return found
