"""Two comparisons side by side: what was asked, what came out, and where they differ."""

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from statlearn.app.compare.results import estimate, standard_error_of
from statlearn.app.compare.scoring import METRICS, Predictions
from statlearn.app.errors import DataError
from statlearn.app.statements import say

_SETTINGS = (
    "metric",
    "folds",
    "repeats",
    "holdout",
    "groups",
    "time_order",
    "rule",
    "search",
    "seed",
    "drop",
    "keep",
    "kinds",
)


@dataclass(frozen=True)
class Pair:
    """One model in both comparisons.

    Parameters
    ----------
    name, label : str
    levels : tuple of (float, float) or None
        Score and standard error in each comparison; None where the model has none.
    change : (float, float) or None
        The second score minus the first and its standard error; None if the scores are by different metrics or of
        different targets.
    """

    name: str
    label: str
    levels: tuple
    change: tuple | None = None


@dataclass(frozen=True)
class SideBySide:
    """Two comparisons.

    Parameters
    ----------
    folders : tuple of str
    comparisons : tuple of Comparison
    metric : str or None
        The metric of the scores; None if the comparisons have none in common.
    same_rows : bool
        Whether both were scored on the same rows of the same target.
    pairs : list of Pair
        In the order of the first comparison's models, then the others.
    differences : list of (str, str, str)
        Facts and settings that differ.
    notes : list of str
    """

    folders: tuple
    comparisons: tuple
    metric: str | None
    same_rows: bool
    pairs: list
    differences: list
    notes: list = field(default_factory=list)

    def to_html(self):
        """One HTML page without scripts and outside resources."""
        from statlearn.app.report.side_by_side import side_by_side_html

        return side_by_side_html(self)

    _repr_html_ = to_html

    def write(self, path):
        """Write that page, whole or not at all."""
        from statlearn._core.atomic_files import write_text

        write_text(path, self.to_html())


def read_reports(first, second):
    """The comparisons in two folders side by side.

    Parameters
    ----------
    first, second : path
        Folders that `statlearn compare` has written.

    Returns
    -------
    SideBySide
    """
    return side_by_side((_read(first), _read(second)), (str(first), str(second)))


def _read(folder):
    from statlearn.app.compare.comparison import Comparison

    folder = Path(folder)
    if not folder.exists():
        raise DataError(f"{folder}: no such folder")
    if not folder.is_dir():
        raise DataError(f"{folder} is a file; pass the folder that statlearn compare wrote")
    other = _kind_of(folder / "report.json")
    if other not in (None, "report"):
        raise DataError(f"{folder} holds a report of statlearn {other}, not of a comparison")
    return Comparison.open(folder)


def _kind_of(path):
    """The command behind a report, by the format that its JSON file names; None if there is none."""
    if not path.exists():
        return None
    with open(path, encoding="utf-8", errors="replace") as file:
        head = file.read(200)
    for word, command in (("clusters", "cluster"), ("embedding", "embed"), ("rules", "rules"), ("report", "report")):
        if f'"statlearn {word} ' in head:
            return command
    return None


def side_by_side(comparisons, folders=("first", "second")):
    """Two comparisons side by side.

    Parameters
    ----------
    comparisons : pair of Comparison
    folders : pair of str
        What they are called.

    Returns
    -------
    SideBySide
    """
    one, two = comparisons
    alike = one.task == two.task and one.target == two.target
    metric = None
    if alike:
        metric = next((m for m in (one.metric, *one.metrics) if m in two.metrics), None)
    same_rows = (
        alike
        and len(one.y_true) == len(two.y_true)
        and np.array_equal(one.train_rows, two.train_rows)
        and np.array_equal(one.y_true, two.y_true)
    )
    labels = {m.name: m.label for c in comparisons for m in c.models}
    scored = [{m.name: m for m in c.models if m.status == "done"} for c in comparisons]
    pairs = [
        _pair(name, labels[name], comparisons, scored, metric, same_rows)
        for name in labels
        if name in scored[0] | scored[1]
    ]
    notes = []
    if not alike:
        notes.append(say("REPORTS-OTHER-TARGET"))
    elif metric is None:
        notes.append(say("REPORTS-OTHER-METRIC"))
    else:
        notes.append(say("REPORTS-SAME-ROWS" if same_rows else "REPORTS-OTHER-ROWS"))
    return SideBySide(tuple(folders), tuple(comparisons), metric, same_rows, pairs, _differences(one, two), notes)


def _pair(name, label, comparisons, scored, metric, same_rows):
    levels = tuple(
        c.level(name, metric) if name in own and np.isfinite(c.level(name, metric)[0]) else None
        for c, own in zip(comparisons, scored)
    )
    if metric is None or None in levels:
        return Pair(name, label, levels)
    change = levels[1][0] - levels[0][0]
    error = float(np.hypot(levels[0][1], levels[1][1]))
    if same_rows:
        error = _paired_error(comparisons, [own[name].predictions for own in scored], metric)
    return Pair(name, label, levels, (float(change), error))


def _paired_error(comparisons, predictions, metric):
    """Standard error of the difference of two scores on the same rows; NaN without predictions for all of them."""
    if any(p is None or not np.isfinite(p).all() for p in predictions):
        return float("nan")
    task = comparisons[0].task
    truth = comparisons[0].y_true
    if task == "classification":
        truth = np.searchsorted(np.unique(truth), truth)
    outcomes = [Predictions(p) if p.ndim == 1 else Predictions(p.argmax(axis=1), p) for p in predictions]
    one, two = (estimate(METRICS[task][metric], truth, outcome).influence for outcome in outcomes)
    return float(standard_error_of(two - one, np.arange(len(truth)))[0])


def _differences(one, two):
    lines = []
    facts = [
        ("table", one.profile.source, two.profile.source),
        ("rows", one.profile.n_rows, two.profile.n_rows),
        ("target", one.target, two.target),
        ("task", one.task, two.task),
        ("rows compared on", len(one.y_true), len(two.y_true)),
        ("columns used", _used(one, two), _used(two, one)),
        ("best model", one.model(one.best).label, two.model(two.best).label),
        ("findings", _codes(one), _codes(two)),
        *((name.replace("_", " "), one.settings.get(name), two.settings.get(name)) for name in _SETTINGS),
    ]
    for name, first, second in facts:
        if first != second:
            lines.append((name, _text(first), _text(second)))
    return lines


def _used(one, other):
    """The columns that only one comparison uses; a count if these are all."""
    mine, theirs = ({c.name for c in x.profile.columns if not c.left_out and c.name != x.target} for x in (one, other))
    own = sorted(mine - theirs)
    shown = ", ".join(own[:8]) + (f" and {len(own) - 8} more" if len(own) > 8 else "")
    return f"{len(mine):,}" + (f", among them {shown}" if own else "")


def _codes(one):
    own = [f.code for f in one.findings]
    return ", ".join(dict.fromkeys(own)) or "none"


def _text(value):
    if value is None or value == []:
        return "–"
    if isinstance(value, (list, tuple)):
        return ", ".join(map(str, value))
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)
