"""Rules: conditions that a row must meet, and what is then predicted."""

from dataclasses import dataclass, replace

import numpy as np

_TESTS = {
    "<=": np.less_equal,
    "<": np.less,
    ">": np.greater,
    ">=": np.greater_equal,
    "==": np.equal,
    "!=": np.not_equal,
}


@dataclass(frozen=True)
class Condition:
    """A test of one column.

    Parameters
    ----------
    feature : int
        Number of the column.
    operator : {"<=", "<", ">", ">=", "==", "!=", "in", "not in"}
    value : float, str or tuple
    name : str
        Name of the column.
    missing : bool
        Whether a missing cell passes.
    labels : tuple or None
        What the values are called, where they are the numbers of levels.
    """

    feature: int
    operator: str
    value: object
    name: str
    missing: bool = False
    labels: tuple | None = None

    def holds(self, column):
        """Which cells of the column pass."""
        if self.operator in ("in", "not in"):
            passed = np.isin(column, self.value, invert=self.operator == "not in")
        else:
            passed = _TESTS[self.operator](column, self.value)
        unknown = column != column
        return np.where(unknown, self.missing, passed).astype(bool) if unknown.any() else passed

    def text(self, decimals=None):
        """As it is printed, numbers rounded to so many decimals."""
        value = self.value if self.labels is None else self.labels
        if isinstance(value, float) and np.isposinf(value):
            return f"{self.name} is {'known' if self.operator == '<=' else 'missing'}"
        if isinstance(value, float):
            shown = f"{value:g}" if decimals is None else f"{value:.{decimals}f}"
        elif isinstance(value, tuple):
            shown = "{" + ", ".join(map(str, value)) + "}"
        else:
            shown = str(value)
        return f"{self.name} {'=' if self.operator == '==' else self.operator} {shown}"

    def __str__(self):
        return self.text()


@dataclass(frozen=True)
class Rule:
    """If all conditions hold, then this prediction.

    Parameters
    ----------
    conditions : tuple of Condition
        None of them: the rule holds for every row.
    prediction : label or float
    support : float
        Weight of the rows that it was learned from.
    precision : float
        Share of them that it predicts rightly; NaN for numbers.
    """

    conditions: tuple
    prediction: object
    support: float
    precision: float

    def covers(self, columns):
        """Which rows meet all conditions; `columns` is a matrix, or a list of the columns of a table."""
        if isinstance(columns, np.ndarray):
            columns = columns.T
        rows = np.arange(len(columns[0]))
        for condition in self.conditions:  # each looks only at the rows that passed the others
            rows = rows[condition.holds(columns[condition.feature][rows])]
        mask = np.zeros(len(columns[0]), bool)
        mask[rows] = True
        return mask

    def without(self, k):
        """The rule without its k-th condition."""
        return replace(self, conditions=self.conditions[:k] + self.conditions[k + 1 :])

    def __str__(self):
        tests = " and ".join(map(str, self.conditions)) or "anything else"
        prediction = f"{self.prediction:.6g}" if isinstance(self.prediction, float) else self.prediction
        sure = "" if np.isnan(self.precision) else f", {self.precision:.0%} right"
        return f"{tests} -> {prediction} ({self.support:g} rows{sure})"
