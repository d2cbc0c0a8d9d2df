"""Whether the columns of a new table are distributed as in the training rows of a model."""

from dataclasses import dataclass, field

import numpy as np

from statlearn.app.model.training import column_values
from statlearn.app.statements import say
from statlearn.app.tables import frames

LEVEL = 0.01  # chance that a table like the training rows gets any column called moved
EXPECTED = 5.0  # rows of a level in either table, below which levels are pooled
FEW_VALUES = 50  # below which the exact distribution is needed
SHOWN_LEVELS = 5


@dataclass
class ColumnDrift:
    """One test of one column.

    Parameters
    ----------
    column : str
    what : {"values", "levels", "missing"}
        What was compared: the distribution of a number, the shares of levels, or the share of missing values.
    p_value : float
    size : float
        The largest difference of the distribution functions, half the sum of the differences of the shares, or the
        difference of the shares of missing values.
    words : str
        A sentence for people.
    moved : bool
        Whether the difference is significant, corrected for all tests of the table.
    """

    column: str
    what: str
    p_value: float
    size: float
    words: str
    moved: bool = False


@dataclass
class Drift:
    """Comparison of a new table with the training rows.

    Parameters
    ----------
    tests : list of ColumnDrift
    n_columns : int
    new_levels : list of str
        Sentences on levels that no training row has.
    level : float
        Chance of any false alarm, for the whole table.
    """

    tests: list
    n_columns: int
    new_levels: list = field(default_factory=list)
    level: float = LEVEL

    @property
    def moved(self):
        """Names of the columns that have moved, the clearest first."""
        found = sorted((t for t in self.tests if t.moved), key=lambda t: (t.p_value, -t.size))
        return list(dict.fromkeys(t.column for t in found))

    def notes(self):
        """Sentences for people; empty if nothing has moved."""
        lines = []
        if self.moved:
            lines.append(
                say(
                    "DRIFT",
                    moved=f"{len(self.moved):,}",
                    columns=f"{self.n_columns:,} {'column' if self.n_columns == 1 else 'columns'}",
                    have="has" if len(self.moved) == 1 else "have",
                    level=f"{100 * self.level:g} %",
                )
            )
            order = {name: k for k, name in enumerate(self.moved)}
            lines += [t.words for t in sorted((t for t in self.tests if t.moved), key=lambda t: order[t.column])]
        return lines + self.new_levels


def drift(training, frame, kinds, level=LEVEL):
    """Compare a table with the summary of the training rows.

    Numbers and dates are compared by the two-sample Kolmogorov-Smirnov test, levels by the chi-squared test with rare
    levels pooled, shares of missing values by Fisher's exact test. The p-values are corrected by Holm's method for all
    tests of the table.

    Parameters
    ----------
    training : TrainingSummary
    frame : narwhals DataFrame
        The new rows, as the model reads them.
    kinds : dict of str to str
        Kinds of the columns that the model uses.
    level : float
        Chance of any false alarm.

    Returns
    -------
    Drift

    Notes
    -----
    A new table that contains training rows differs less from them than chance alone would make it; the tests are then
    conservative.
    """
    tests, new = [], []
    for column in training.columns:
        values, n_missing = column_values(frame[column.name], kinds[column.name])
        tests += filter(None, [_missing_test(column, len(frame), n_missing), _values_test(column, values)])
        new += _new_levels(column, values)
    for rank, test in enumerate(sorted(tests, key=lambda t: t.p_value)):
        if test.p_value * (len(tests) - rank) > level:
            break
        test.moved = True
    return Drift(tests, len(training.columns), new, level)


def _missing_test(column, n, n_missing):
    from scipy.stats import fisher_exact

    if n == 0 or column.n == 0 or column.n_missing + n_missing == 0:
        return None
    p = fisher_exact([[column.n_missing, column.n - column.n_missing], [n_missing, n - n_missing]])[1]
    before, here = column.n_missing / column.n, n_missing / n
    words = say("DRIFT-MISSING", column=repr(column.name), here=_percent(here), before=_percent(before))
    return ColumnDrift(column.name, "missing", float(p), abs(here - before), words)


def _values_test(column, values):
    if column.is_number and values.dtype != object and len(values):
        return _number_test(column, values)
    if column.kind == "levels" and len(column.levels) and values.dtype == object and len(values):
        return _levels_test(column, values)
    return None


def _number_test(column, values):
    from scipy.stats import ks_2samp, kstwo

    n, m = column.n - column.n_missing, len(values)
    known, new = column.values, np.sort(values)
    at = np.union1d(known, new)
    here = np.searchsorted(new, at, side="right") / m
    below = np.searchsorted(known, at, side="right") / len(known)
    # A value between two of the kept order statistics leaves its rank open by one of their distances.
    slack = 0.0 if n <= len(known) else 1.0 / (len(known) - 1)
    distance = max(float(np.abs(here - below).max()) - slack, 0.0)
    if min(n, m) < FEW_VALUES:
        p = float(ks_2samp(known, new).pvalue)
    else:
        p = float(kstwo.sf(distance, round(n * m / (n + m))))
    medians = [_value(float(np.median(part)), column.is_date) for part in (new, known)]
    words = say(
        "DRIFT-VALUES", column=repr(column.name), here=medians[0], before=medians[1], share=f"{100 * distance:.2g}"
    )
    return ColumnDrift(column.name, "values", p, distance, words)


def _levels_test(column, values):
    from scipy.stats import chi2

    names, counts = np.unique(values.astype(str), return_counts=True)
    new = dict(zip(names.tolist(), counts.tolist()))
    known = dict(zip(column.levels, column.counts.tolist()))
    if not column.complete:  # levels beyond the stored ones are one level
        rest = column.n - column.n_missing - sum(known.values())
        new = {name: c for name, c in new.items() if name in known} | {
            "": sum(c for name, c in new.items() if name not in known)
        }
        known = known | {"": rest}
    levels = list(dict.fromkeys([*known, *new]))
    table = np.array([[known.get(name, 0) for name in levels], [new.get(name, 0) for name in levels]], float)
    shares = table / table.sum(axis=1, keepdims=True)
    total = table.sum()
    rare = table.sum(axis=0) * table.sum(axis=1).min() / total < EXPECTED
    pooled = np.column_stack([table[:, ~rare], table[:, rare].sum(axis=1)]) if rare.any() else table
    pooled = pooled[:, pooled.sum(axis=0) > 0]
    if pooled.shape[1] > 2 and (pooled[:, -1].sum() * table.sum(axis=1).min() / total) < EXPECTED and rare.any():
        pooled[:, -2] += pooled[:, -1]
        pooled = pooled[:, :-1]
    if pooled.shape[1] < 2:
        return None
    p = _two_shares(pooled) if pooled.shape[1] == 2 else float(chi2.sf(_chi_squared(pooled), pooled.shape[1] - 1))
    apart = shares[1] - shares[0]
    k = int(np.argmax(np.abs(apart)))
    words = say(
        "DRIFT-LEVELS", column=repr(column.name), level=repr(levels[k]), here=_percent(shares[1, k]),
        before=_percent(shares[0, k]),
    )  # fmt: skip
    return ColumnDrift(column.name, "levels", p, float(np.abs(apart).sum() / 2), words)


def _chi_squared(table):
    expected = table.sum(axis=1, keepdims=True) * table.sum(axis=0) / table.sum()
    return float(((table - expected) ** 2 / expected).sum())


def _two_shares(table):
    from scipy.stats import fisher_exact

    return float(fisher_exact(table.astype(int))[1])


def _new_levels(column, values):
    if column.kind != "levels" or not column.complete or values.dtype != object or len(values) == 0:
        return []
    known = set(column.levels)
    names, counts = np.unique(values.astype(str), return_counts=True)
    fresh = [(name, int(c)) for name, c in zip(names.tolist(), counts) if name not in known]
    if not fresh:
        return []
    fresh.sort(key=lambda item: (-item[1], item[0]))
    shown = ", ".join(repr(name) for name, _ in fresh[:SHOWN_LEVELS])
    if len(fresh) > SHOWN_LEVELS:
        shown += f" and {len(fresh) - SHOWN_LEVELS:,} more"
    n = sum(c for _, c in fresh)
    return [say("NEW-LEVELS", column=repr(column.name), levels=shown, rows=f"{n:,} {'row' if n == 1 else 'rows'}")]


def _percent(share):
    return f"{100 * share:.1f} %" if 0 < share < 0.095 else f"{100 * share:.0f} %"


def _value(value, is_date):
    from statlearn.app.names import moment, plain

    return moment(value) if is_date else plain(value)


def frame_drift(model, X, level=LEVEL):
    """The drift of a native frame that a model has checked; None for a model without a summary of its training rows."""
    if model.training is None:
        return None
    return drift(model.training, frames.as_frame(X), model.columns, level)
