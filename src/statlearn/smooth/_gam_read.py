"""What a user hands to an additive model: terms or a formula, tables with text, offsets."""

import numpy as np

from statlearn._core import native

from ._gam_formula import parse_formula
from ._gam_terms import Term, factor, lin, s

_FEW_VALUES = 5  # a column with fewer distinct values enters as it is, when the terms are left to the model


def read_terms(terms, X, y):
    """The terms as a list (or None), X without the response of a formula, and y, if need be that response."""
    response = None
    if isinstance(terms, str):
        response, terms = parse_formula(terms)
    elif terms is not None:
        terms = list(terms)
        if not all(isinstance(term, Term) for term in terms):
            raise ValueError("terms must be a formula or terms made by s, s2, te, re, lin and factor.")
    if response is not None and response in getattr(X, "columns", ()):
        import narwhals as nw

        frame = nw.from_native(X, eager_only=True)
        y = frame.get_column(response).to_numpy() if y is None else y
        X = frame.drop(response).to_native()
    if y is None:
        raise ValueError(
            "requires y to be passed, but the target y is None: give y, or name a column of X left of the tilde."
        )
    return terms, X, y


def default_terms(columns, y, family):
    """For each column a factor, the column as it is, or a smooth of it, by what it holds.

    With few rows for so many columns the straight parts need a penalty too, and small bases will do. Rows of two
    classes tell as much as twice those of the smaller one.
    """
    X, w = columns.X, columns.weights
    rows, p = w.sum(), X.shape[1]
    crowded = 2 * (1 + p) > rows
    most = 5 if crowded else 10
    if family.name == "binomial":
        most = int(np.clip(1 + min(w @ y, w @ (1 - y)) / p, 3, most))
    terms = []
    for j in range(p):
        if j in columns.levels:
            terms.append(factor(j))
            continue
        distinct = len(native.smooth.distinct_values(X, j, most)) or most  # none are given where there are more
        terms.append(lin(j) if distinct < min(_FEW_VALUES, most) else s(j, k=min(most, distinct), select=crowded))
    return terms


def factor_columns(terms, X):
    """Columns that hold factors: those of `factor` and `re`, and others of a data frame that are no numbers."""
    wanted = [] if terms is None else [t.features[0] for t in terms if t.kind == "factor" or t.basis == "re"]
    if not hasattr(X, "columns"):
        return list(dict.fromkeys(wanted))
    import narwhals as nw

    columns = list(nw.from_native(X, eager_only=True).iter_columns())
    texts = [not (column.dtype.is_numeric() or column.dtype == nw.Boolean) for column in columns]
    named = [j in wanted or (isinstance(c.name, str) and c.name in wanted) for j, c in enumerate(columns)]
    return np.array(texts) | np.array(named)


def without_response(terms, X):
    """X without the column on the left of a formula, which a table for prediction may still hold."""
    if not isinstance(terms, str) or not hasattr(X, "columns"):
        return X
    response = parse_formula(terms)[0]
    if response is None or response not in X.columns:
        return X
    import narwhals as nw

    return nw.from_native(X, eager_only=True).drop(response).to_native()


def check_offset(offset, n):
    if offset is None:
        return np.zeros(n)
    offset = np.asarray(offset, np.float64)
    if offset.shape != (n,) or not np.all(np.isfinite(offset)):
        raise ValueError(f"offset must hold {n} finite numbers.")
    return offset
