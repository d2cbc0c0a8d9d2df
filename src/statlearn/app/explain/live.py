"""One row of a table under a saved model, predicted again whenever a cell changes: fast answers, no explanations."""

from dataclasses import dataclass, field

import narwhals as nw
import numpy as np

from statlearn.app.errors import UsageError
from statlearn.app.explain.what_if import Scenario, _unlike_training, _with_cells, read_cell
from statlearn.app.tables import frames

GRID = 31  # points of a curve
MAX_LEVELS = 20  # of a curve over a category


@dataclass
class Answer:
    """What a model says about versions of a row.

    Parameters
    ----------
    scenarios : list of Scenario
        The row as it is first.
    curve : Curve or None
    notes : list of str
    """

    scenarios: list
    curve: object = None
    notes: list = field(default_factory=list)


@dataclass
class Curve:
    """Predictions of one version of a row along one column.

    Parameters
    ----------
    column : str
    values : list
        Numbers from low to high, or levels.
    mean : ndarray
        Predicted values, or probabilities of `label`.
    lower, upper : ndarray or None
        Ends of the prediction intervals of a regression.
    label : str
        The class of the probabilities; empty for regression.
    at : object
        The value that this version has.
    numeric : bool
    """

    column: str
    values: list
    mean: np.ndarray
    lower: np.ndarray | None
    upper: np.ndarray | None
    label: str
    at: object
    numeric: bool


class LiveTable:
    """A table as a saved model reads it, ready for questions about its rows.

    Parameters
    ----------
    model : TableModel
    frame : data frame
    """

    def __init__(self, model, frame):
        self.model = model
        self.frame = frames.as_frame(frame)
        self.X = frames.as_frame(model.check(frame)[0])

    def __len__(self):
        return len(self.X)

    def cells(self, row):
        """The cells of a row by column."""
        self._check(row)
        one = frames.take(self.X, [row])
        return {name: one[name].to_list()[0] for name in one.columns}

    def actual(self, row):
        """The target in a row, if the table has it."""
        self._check(row)
        return self.frame[self.model.target].to_list()[row] if self.model.target in self.frame.columns else None

    def changed(self, row, texts):
        """The cells among `texts` that differ from the row, in the types of their columns."""
        own, found = self.cells(row), {}
        for name, text in texts.items():
            value = read_cell(self.model, self.X, name, text)
            if value != own[name] and not (value is None and own[name] != own[name]):
                found[name] = value
        return found

    def ask(self, row, versions, column=None, coverage=0.9):
        """Predict a row, versions of it with other cells, and the last version along one column.

        Parameters
        ----------
        row : int
        versions : list of dict
            Changed cells, as `changed` returns them.
        column : str or None
            The column of the curve.
        coverage : float
            Of the prediction intervals.

        Returns
        -------
        Answer
        """
        self._check(row)
        one = frames.take(self.X, [row])
        rows = [one, *(_with_cells(one, changes) if changes else one for changes in versions)]
        values = [] if column is None else self._along(column)
        last = versions[-1] if versions else {}
        for value in values:
            rows.append(_with_cells(one, {**last, column: value}))
        wide = {n: max((r[n].dtype for r in rows), key=lambda d: d.is_float()) for n in one.columns}
        table = frames.as_frame(self.model.predict_table(_stacked(rows, wide), coverage))
        n = 1 + len(versions)
        scenarios = []
        for k, part in enumerate(rows[:n]):
            cells = {name: part[name].to_list()[0] for name in part.columns}
            scenarios.append(_from_table(self.model, table, k, cells))
        curve = self._curve(table, n, column, values, scenarios[-1]) if values else None
        return Answer(scenarios, curve, _unlike_training(self.model, last))

    def _check(self, row):
        if isinstance(row, bool) or not isinstance(row, int) or not 0 <= row < len(self.X):
            raise UsageError(f"`row` must be between 0 and {len(self.X) - 1:,}, got {row!r}")

    def _along(self, column):
        """Values of a column that a curve goes through; none for columns of dates and text."""
        if column not in self.X.columns:
            raise UsageError(f"`column` must be a column of the model, got {column!r}")
        known = None if self.model.training is None else self.model.training.column(column)
        if known is not None and known.is_date:
            return []
        if known is not None and known.is_number and self.X[column].dtype.is_numeric():
            low, high = known.low, known.high
            if self.X[column].dtype.is_integer() and high - low < GRID:
                return [float(v) for v in range(int(low), int(high) + 1)]
            return np.linspace(low, high, GRID).tolist()
        if known is not None and known.kind == "levels" and 1 < len(known.levels) <= MAX_LEVELS:
            return [read_cell(self.model, self.X, column, level) for level in known.levels]
        return []

    def _curve(self, table, start, column, values, last):
        numeric = self.X[column].dtype.is_numeric()
        at = last.cells[column]
        if self.model.task == "regression":
            mean, lower, upper = (
                np.asarray(table[c].to_list()[start:], float) for c in ("prediction", "lower", "upper")
            )
            return Curve(column, values, mean, lower, upper, "", at, numeric)
        name = f"probability of {last.prediction}"
        if name not in table.columns:
            return None
        mean = np.asarray(table[name].to_list()[start:], float)
        return Curve(column, values, mean, None, None, str(last.prediction), at, numeric)


def _stacked(rows, dtypes):
    """The rows as one native frame, with the widest type of each column."""
    same = [row.with_columns(*(row[n].cast(t) for n, t in dtypes.items() if row[n].dtype != t)) for row in rows]
    return nw.concat(same).to_native()


def _from_table(model, table, k, cells):
    """The scenario of one row of a table of predictions."""
    row = {name: table[name].to_list()[k] for name in table.columns}
    found = Scenario(cells, row["prediction"], row.get("lower"), row.get("upper"))
    mark = "probability of "
    if model.task != "regression":
        found.probabilities = {str(c): float(row[mark + str(c)]) for c in model.classes if mark + str(c) in row}
    return found
