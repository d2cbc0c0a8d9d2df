"""If-then rules: conditions on columns and the prediction if they hold."""

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
    """Condition of a rule: a test on one column.

    Parameters
    ----------
    feature : int
        Index of the column.
    operator : {"<=", "<", ">", ">=", "==", "!=", "in", "not in"}
    value : float, str or tuple
    name : str
        Name of the column.
    missing : bool
        Whether a missing value satisfies the condition.
    labels : tuple or None
        Names of the values, if they are level codes.
    """

    feature: int
    operator: str
    value: object
    name: str
    missing: bool = False
    labels: tuple | None = None

    def holds(self, column):
        """Which values of the column satisfy the condition."""
        if self.operator in ("in", "not in"):
            passed = np.isin(column, self.value, invert=self.operator == "not in")
        else:
            passed = _TESTS[self.operator](column, self.value)
        unknown = column != column
        return np.where(unknown, self.missing, passed).astype(bool) if unknown.any() else passed

    def text(self, decimals=None):
        """The condition as text, with numbers rounded to `decimals` places."""
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


@dataclass(frozen=True, repr=False)
class Rule:
    """If-then rule: a prediction for the rows that satisfy all conditions.

    Parameters
    ----------
    conditions : tuple of Condition
        An empty tuple means that the rule holds for every row.
    prediction : label or float
    support : float
        Weight of the rows the rule covers, among those it was estimated from.
    precision : float
        Proportion of these rows that it predicts correctly; NaN for regression.
    """

    conditions: tuple
    prediction: object
    support: float
    precision: float

    def covers(self, columns):
        """Which rows satisfy all conditions; `columns` is a matrix, or a list of the columns of a table."""
        if isinstance(columns, np.ndarray):
            columns = columns.T
        rows = np.arange(len(columns[0]))
        for condition in self.conditions:  # each tests only the rows that satisfied the previous ones
            rows = rows[condition.holds(columns[condition.feature][rows])]
        mask = np.zeros(len(columns[0]), bool)
        mask[rows] = True
        return mask

    def without(self, k):
        """The rule without its k-th condition."""
        return replace(self, conditions=self.conditions[:k] + self.conditions[k + 1 :])

    @property
    def text(self):
        """The conditions as text."""
        return " and ".join(map(str, self.conditions)) or "anything else"

    def row(self):
        """Cells of the rule in a table; the precision is NaN for regression."""
        prediction = self.prediction.item() if isinstance(self.prediction, np.generic) else self.prediction
        return {
            "rule": self.text,
            "prediction": prediction,
            "support": float(self.support),
            "precision": float(self.precision),
        }

    def __repr__(self):
        return str(self)

    def __str__(self):
        tests = self.text
        prediction = f"{self.prediction:.6g}" if isinstance(self.prediction, float) else self.prediction
        sure = "" if np.isnan(self.precision) else f", {self.precision:.0%} right"
        return f"{tests} -> {prediction} ({self.support:g} rows{sure})"
