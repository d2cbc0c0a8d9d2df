"""Subjects that are measured repeatedly, and rows in the order of time: what the folds of a comparison have to follow.

Random folds test a model on rows whose neighbours in time, or whose subjects, it has seen. A design is detected only
where two things come together: the table says so (names, panels, dates that rise from row to row at a steady pace) and
the target does (rows of a subject, or neighbours in time, resemble each other).
"""

import re
from dataclasses import dataclass

import narwhals as nw
import numpy as np
from scipy.special import betainc, stdtr
from scipy.stats import rankdata

from statlearn._core.frames.column_kinds import names_group
from statlearn.app.honesty.wording import say
from statlearn.app.names import plus_minus, with_article
from statlearn.app.tables import frames

MIN_ROWS = 30
FEW_GROUPS = 10  # up to here an "id" may be a treatment or a region, all of which are known
CERTAIN = 1e-3  # level of the tests of the target, divided by the number of columns that are looked at
FULL_PANEL = 0.5  # share of the pairs of subject and time that a panel has
UNRELATED = 0.5  # mean squared step from label to label, as a share of that of labels in a random order
STEADY = 0.6  # share of the steps in time that are alike
SAME_STEP = 0.15  # months differ by less
# Names of columns that may hold times as numbers.
TIME_NAME = re.compile(
    r"(?i:(.*[_\W])?(date|time|timestamp|year|quarter|month|week|day|hour|period|jahr|quartal|monat|tag|zeit|datum)"
    r"([_\W](start|begin|from|end|to|nr|no|index))?)"
)
YEAR_NAME = re.compile(r"(?i:(.*[_\W])?(year|jahr))")


@dataclass(frozen=True)
class Design:
    """What the folds follow: the column of the groups or that of the time; the other one is None."""

    groups: str | None = None
    time_order: str | None = None

    @property
    def column(self):
        """The column that the folds follow."""
        return self.groups or self.time_order

    def sentence(self):
        """What the folds do, for the verdict."""
        return say("GROUP-FOLDS" if self.groups else "TIME-FOLDS", column=repr(self.column))


def detect(frame, truth, classes, kinds):
    """The design of a table, or None if random folds are as good as any.

    Parameters
    ----------
    frame : narwhals frame
        Features in the order of the table.
    truth : ndarray
        Values of the target, or numbers of classes.
    classes : ndarray or None
    kinds : dict of str to str
        What each column is; left-out identifiers are looked at too.

    Returns
    -------
    Design or None
    """
    if len(truth) < MIN_ROWS:
        return None
    times = time_columns(frame, kinds)
    responses = _responses(frame, truth, classes, times, kinds)
    groups = _groups(frame, responses, times, truth if classes is None else None)
    if groups is not None:
        return Design(groups=groups)
    time = _series(responses, times)
    return None if time is None else Design(time_order=time)


def _responses(frame, truth, classes, times, kinds):
    """Ranks of the target, or indicators of its classes, and what is left of them by the columns of numbers.

    Subjects and neighbours in time may be alike in the target although other columns hide it, such as the age of a
    chick in its weight; or only because they are alike in the other columns.
    """
    columns = times | {
        name: frames.numbers(frame[name])
        for name in frame.columns
        if kinds.get(name) == "number" and frame[name].dtype.is_numeric()
    }
    X = np.column_stack([np.ones(len(truth)), *columns.values()])
    X = X[:, np.isfinite(X).all(axis=0)]
    X = X / np.abs(X).max(axis=0, where=X != 0, initial=1e-300)
    ys = [rankdata(truth)] if classes is None else [(truth == k) * 1.0 for k in range(len(classes))]
    if X.shape[1] > len(X) / 4:
        return ys
    return [*ys, *(y - X @ np.linalg.lstsq(X, y, rcond=None)[0] for y in ys)]


# ---- groups ---------------------------------------------------------------------------------------------------------


def _groups(frame, responses, times, values):
    """The column of the subjects, the coarsest of several; None if there is none. `values` are those of a quantity."""
    known = {}
    for name in frame.columns:
        codes = labels(frame[name])
        if codes is None or name in times:
            continue
        sizes = np.bincount(codes)
        if not FEW_GROUPS < len(sizes) <= len(codes) / 2:
            continue
        if _is_named(frame[name], codes, sizes, times) or (values is not None and _is_property(values, codes, sizes)):
            known[name] = codes
    found = [
        (codes.max(), name)
        for name, codes in known.items()
        if min(_between(codes, y) for y in responses) * len(responses) * len(known) < CERTAIN
    ]
    return min(found)[1] if found else None


def _is_named(series, codes, sizes, times):
    """Whether a column labels subjects: by its name, in a panel, or as blocks of the same size one after another.

    A name does if the labels are numbered ("s12"), or of about the same number of rows: the subjects of courses are no
    persons.
    """
    alike = sizes.max() <= 2 * np.median(sizes)
    if names_group(series.name) and (alike or _are_numbered(series)):
        return True
    if any(_is_panel(codes, t) for t in times.values()):
        return True
    runs = 1 + np.count_nonzero(np.diff(codes))
    return runs == len(sizes) and sizes.max() == np.median(sizes) and (sizes == sizes.max()).mean() >= 0.9


def _is_property(values, codes, sizes):
    """Whether the target is a property of the label: the same in all its rows, and unrelated from one to the next.

    So is the size of a litter in a table of its pups. A quantity that determines the target changes it in small steps.
    """
    means = np.bincount(codes, values) / sizes
    if np.ptp(means) == 0 or np.abs(values - means[codes]).max() > 1e-9 * np.ptp(means):
        return False
    return bool(np.mean(np.diff(means) ** 2) > UNRELATED * 2 * np.var(means))


def _are_numbered(series):
    """Whether most labels are numbers or hold one."""
    if not frames.is_text(series.dtype):
        return True
    distinct = [text for text in series.unique().cast(nw.String).to_list() if text is not None]
    return sum(any(c.isdigit() for c in text) for text in distinct) > 0.5 * len(distinct)


def labels(series):
    """Numbers of the labels of a column of text or whole numbers; None if it has gaps or is a quantity."""
    if frames.missing(series).any():
        return None
    if frames.is_text(series.dtype):
        return np.unique(frames.strings(series).astype(str), return_inverse=True)[1]
    if not series.dtype.is_numeric():
        return None
    values = frames.numbers(series)
    return np.unique(values, return_inverse=True)[1] if np.all(values == np.round(values)) else None


def _is_panel(codes, times):
    """Whether each subject has a row at each of most times, and no two."""
    moments = np.unique(times, return_inverse=True)[1]
    n_times = moments.max() + 1
    pairs = len(np.unique(codes * n_times + moments))
    return n_times > 2 and pairs == len(codes) and pairs >= FULL_PANEL * (codes.max() + 1) * n_times


def _between(codes, y):
    """p-value of the differences between groups: analysis of variance."""
    counts, total = np.bincount(codes), np.sum((y - y.mean()) ** 2)
    df, rest = len(counts) - 1, len(y) - len(counts)
    if total == 0 or rest < 1:
        return 1.0
    share = np.sum(counts * (np.bincount(codes, y) / counts - y.mean()) ** 2) / total
    return float(betainc(rest / 2, df / 2, max(1 - share, 0.0)))


# ---- time -----------------------------------------------------------------------------------------------------------


def time_columns(frame, kinds):
    """Times of the columns that hold dates, or numbers under the name of a time; those with gaps are left out."""
    found = {}
    for name in frame.columns:
        series = frames.dates(frame[name]) if kinds.get(name) == "date" else frame[name]
        named = kinds.get(name) == "date" or TIME_NAME.fullmatch(name)
        if not named or series is None or not (series.dtype.is_numeric() or series.dtype.is_temporal()):
            continue
        values = frames.numbers(series)
        if np.all(np.isfinite(values)) and np.ptp(values) > 0:
            found[name] = values
    return found


def _series(responses, times):
    """The column of the time of a series whose neighbours resemble each other; None if there is none."""
    found = [name for name, values in times.items() if is_series(values, times)]
    if not found:
        return None
    p = min(_memory(y) for y in responses)
    return found[0] if p * len(responses) < CERTAIN else None


def is_series(values, times):
    """Whether the rows are one series: times that rise (or fall) at a steady pace, or the parts of years that do."""
    steps = np.diff(values)
    if np.all(steps <= 0):
        steps = -steps
    if np.any(steps < 0):
        return False
    moves = steps[steps > 0]
    if np.mean(np.abs(moves - np.median(moves)) <= SAME_STEP * np.median(moves)) < STEADY:
        return False
    if len(moves) == len(steps):
        return True
    # Years of twelve months, months of thirty days: within a year, another column has to go on rising.
    here = steps == 0
    return any(np.all(np.diff(part)[here] > 0) or np.all(np.diff(part)[here] < 0) for part in times.values())


def _memory(rest):
    """p-value of the likeness of neighbours: correlation of each row with the one before."""
    rest = rest - rest.mean()
    total = rest @ rest
    if total == 0:
        return 1.0
    return float(stdtr(len(rest) - 2, -np.sqrt(len(rest)) * (rest[1:] @ rest[:-1]) / total))


# ---- what the verdict says ------------------------------------------------------------------------------------------


def verdict_with_design(verdict, design, random, metric):
    """The verdict, what the folds follow, and the score with random folds if it is known."""
    words = f"{verdict} {design.sentence()}"
    if not random:
        return words
    numbers = {key: plus_minus(*random[key]) for key in ("number", "other")}
    return f"{words} {say('RANDOM-FOLDS', model=random['label'], metric=with_article(metric), **numbers)}"
