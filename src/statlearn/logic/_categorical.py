"""Reading of categorical tables for the propositional learners."""

import numpy as np

from statlearn._core.frames import column_names
from statlearn._core.params import Instance, Real
from statlearn._core.validation import encode_classes, validate_data

LABEL = [Instance(str), Real(None, None), "boolean", None]


def read_table(estimator, X, y=None, *, reset):
    """The columns of a table of categories (or numbers) as lists, and the target."""
    names = column_names(X) if hasattr(X, "columns") else None
    if reset:
        X, y = validate_data(estimator, X, y, dtype=None)
    else:
        X = validate_data(estimator, X, dtype=None, reset=False)
    columns = [X[:, j].tolist() for j in range(X.shape[1])]
    for j, column in enumerate(columns):
        if X.dtype.kind == "O" and any(value is None or value != value for value in column):
            raise ValueError(
                f"Input X has missing values in column {names[j] if names else j!r}; drop the rows or give missing "
                "values their own level."
            )
    return (columns, y) if reset else columns


def binary_target(estimator, y, positive):
    """Classes, and whether each row is positive."""
    classes, codes = encode_classes(y, minimum=1)
    if len(classes) > 2:
        raise ValueError(
            "Only binary classification is supported. The type of the target is multiclass: y has "
            f"{len(classes)} classes; wrap {type(estimator).__name__} in OneVsRestClassifier."
        )
    if positive is None:
        return classes, codes == len(classes) - 1
    if positive not in classes.tolist():
        raise ValueError(f"`positive`={positive!r} is not among the classes {classes.tolist()} of y.")
    return classes, np.asarray(y) == positive


def levels_of(columns):
    """The distinct values of each column, in the order in which they occur."""
    return [list(dict.fromkeys(column)) for column in columns]


def codes_of(columns, categories):
    """Codes (n, p) of the values; -2 for values that are not among the categories."""
    n = len(columns[0]) if columns else 0
    codes = np.empty((n, len(columns)), np.int64)
    for j, (column, levels) in enumerate(zip(columns, categories)):
        table = {value: k for k, value in enumerate(levels)}
        codes[:, j] = [table.get(value, -2) for value in column]
    return codes


def describe(h, categories):
    """A hypothesis in codes with its values, "?" for any."""
    return ["?" if s == -1 else categories[j][s] for j, s in enumerate(h)]
