"""Input of an additive model: terms or a formula, data frames with text, offsets."""

from dataclasses import dataclass

import numpy as np

from statlearn._core import native
from statlearn._core.frames import refuse_repeated_names

from ._expressions import Expression
from ._formula import expressions, parse_formula, term_columns
from ._loss import all_are, constant
from ._terms import Term, factor, lin, s

_FEW_VALUES = 5  # a column with fewer distinct values enters linearly if the terms are chosen by default


def read_terms(terms, X, y):
    """The terms as a list (or None), X without the response of a formula, and y (by default that response)."""
    response = None
    if isinstance(terms, str):
        X, table = formula_columns(terms, X), X
        response, terms = parse_formula(terms)
    elif terms is not None:
        terms = list(terms)
        if not all(isinstance(term, Term) for term in terms):
            raise ValueError(
                "`terms` must be a formula, or a list of terms made by s, s2, te, ti, re, lin, factor and offset."
            )
    if response is not None and y is None and hasattr(table, "columns"):
        y = _response(response, table)
    if y is None:
        raise ValueError(
            "requires y to be passed, but the target y is None: pass y, or name the response column on the "
            "left of the formula."
        )
    return terms, X, y


def _response(response, table):
    """The response of a formula: a column or a function of columns."""
    import narwhals as nw

    frame = nw.from_native(table, eager_only=True)
    if response in frame.columns:
        return frame.get_column(response).to_numpy()
    try:
        written = Expression(response)
    except ValueError as error:
        raise ValueError(f"terms: on the left of the formula, {error}") from None
    for name in written.columns:
        if name not in frame.columns:
            raise ValueError(f"terms: X has no column named {name!r}, the response of the formula, and y is None.")
    try:
        return written.values({name: frame.get_column(name).to_numpy() for name in written.columns})
    except ValueError as error:
        raise ValueError(f"terms: on the left of the formula, {error}") from None


@dataclass
class Derived:
    """Features of terms that are functions of columns; they are appended to X.

    Parameters
    ----------
    texts : list of str
        As written: also the names of the new columns.
    names : list of str
        Of the columns of X.
    """

    texts: list
    names: list

    @classmethod
    def of(cls, terms, names, factors):
        """The columns of the terms; `factors` are the numbers of the columns that hold codes of levels."""
        parsed = cls([] if terms is None else expressions(terms, names), names)
        for text in parsed.texts:
            for name in Expression(text).columns:
                if name not in names:
                    raise ValueError(f"terms: X has no column named {name!r}, which {text!r} uses.")
                if names.index(name) in factors:
                    raise ValueError(f"terms: {text!r} requires a numeric column, but {name!r} is a factor.")
        return parsed

    def append(self, X):
        """X with the new columns appended."""
        if not self.texts:
            return X
        columns = {name: X[:, j] for j, name in enumerate(self.names)}
        try:
            return np.column_stack([X, *(Expression(text).values(columns) for text in self.texts)])
        except ValueError as error:
            raise ValueError(f"X: {error}") from None


def default_terms(columns, y, family):
    """Default terms: a factor, a linear term or a smooth for each column, depending on its values.

    With few rows per column, the linear parts also need a penalty, and small bases suffice. For two classes, twice the
    size of the smaller one counts as the number of rows.
    """
    X, w = columns.X, columns.weights
    rows, p = w.sum(), X.shape[1]
    crowded = 2 * (1 + p) > rows
    limit = 5 if crowded else 10
    if family.name == "binomial":
        ones = y.sum() if all_are(1.0, w) else w @ y
        limit = int(np.clip(1 + min(ones, rows - ones) / p, 3, limit))
    terms = []
    for j in range(p):
        if j in columns.levels:
            terms.append(factor(j))
            continue
        distinct = len(native.smooth.distinct_values(X, j, limit)) or limit  # empty if there are more
        terms.append(lin(j) if distinct < min(_FEW_VALUES, limit) else s(j, k=min(limit, distinct), select=crowded))
    return terms


def factor_columns(terms, X):
    """Columns that hold factors: those of `factor` and `re`, and other columns of a data frame that are not numeric."""
    wanted = [] if terms is None else [t.features[0] for t in terms if t.kind == "factor" or t.basis == "re"]
    if not hasattr(X, "columns"):
        return list(dict.fromkeys(wanted))
    import narwhals as nw

    refuse_repeated_names(X)
    columns = list(nw.from_native(X, eager_only=True).iter_columns())
    texts = [not (column.dtype.is_numeric() or column.dtype == nw.Boolean) for column in columns]
    named = [j in wanted or (isinstance(c.name, str) and c.name in wanted) for j, c in enumerate(columns)]
    return np.array(texts, dtype=bool) | np.array(named, dtype=bool)


def formula_columns(terms, X):
    """Columns of a data frame that a formula names on its right, in this order; others are ignored."""
    if not isinstance(terms, str) or not hasattr(X, "columns"):
        return X
    import narwhals as nw

    response, terms = parse_formula(terms)
    named = [name for term in terms for name in term_columns(term, X.columns)]
    wanted = list(dict.fromkeys(named or [name for name in X.columns if name != response]))
    for name in wanted:
        if name not in X.columns:
            raise ValueError(f"terms: X has no column named {name!r}.")
    return nw.from_native(X, eager_only=True).select(wanted).to_native()


def column_names(names, X):
    """Column names, x0, x1, ... if there are none."""
    return [f"x{j}" for j in range(X.shape[1])] if names is None else [str(name) for name in names]


def check_offset(offset, n):
    if offset is None:
        return constant(0.0, n)
    offset = np.asarray(offset, np.float64)
    if offset.shape != (n,) or not np.all(np.isfinite(offset)):
        raise ValueError(f"`offset` must hold {n} finite numbers.")
    return offset


def offset_of(offsets, X, names):
    """Sum of offsets given by columns (numbers, with the function of each, or None)."""
    total = np.zeros(len(X))
    for j, transform in offsets:
        x = X[:, j]
        if transform is not None and not np.all(x > 0 if transform == "log" else x >= 0):
            raise ValueError(
                f"X: column {names[j]!r} contains values for which {transform}, the transform of the offset, is "
                "not defined."
            )
        total += x if transform is None else getattr(np, transform)(x)
    return total
