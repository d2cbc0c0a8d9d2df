"""Analysis of variance with several strata of error: ``y ~ A * B + Error(C / D)``."""

import numpy as np
from scipy import linalg

from statlearn._core.summary import Summary, Table
from statlearn._math.formulas.design import Design
from statlearn._math.formulas.limits import shortened
from statlearn._math.formulas.parser import parse_sides, written
from statlearn._math.formulas.terms import expand
from statlearn._math.formulas.tree import Binary, Call, bare

from ._anova import term_names
from ._frame import read_frame
from ._tables import upper_tail


def split_error(formula):
    """The formula without ``Error(...)``, and the text inside; the latter is None if there is none."""
    try:
        left, right = parse_sides(formula)
    except SyntaxError as error:
        raise ValueError(f"`formula`: cannot parse {shortened(formula)}: {error.msg}.") from None
    summands = []
    while isinstance(right, Binary) and right.sign in "+-":
        summands.append((right.sign, right.right))
        right = right.left
    summed, inside = [], None
    for sign, node in [("+", right), *summands[::-1]]:
        inner = bare(node)
        if isinstance(inner, Call) and inner.function == "Error":
            if sign != "+" or inside is not None or len(inner.arguments) != 1:
                raise ValueError("`formula`: write one term + Error(strata).")
            inside = written(inner.arguments[0])
        else:
            summed.append((sign, node))
    if inside is None:
        return formula, None
    text = (
        " ".join([written(summed[0][1]), *(f"{sign} {written(node)}" for sign, node in summed[1:])]) if summed else "1"
    )
    return f"{written(left)} ~ {text}", inside


def strata_table(formula, data, **arguments):
    """Sequential tests of the terms within each stratum, as by R's ``summary(aov(...))``."""
    plain, inside = split_error(formula)
    left, right = plain.split("~", 1)
    whole = read_frame(f"{left} ~ ({right}) + ({inside})", data, **arguments)
    used = {**arguments, "subset": whole.rows.astype(float)}
    terms = read_frame(plain, data, **used).terms
    strata = expand(parse_sides(f"~ {inside}")[1])
    errors, E = Design.learn(strata, whole.columns, whole.n)
    design, X = Design.learn(terms, whole.columns, whole.n)
    assign = np.array(errors.numbers)
    Q, R = linalg.qr(E, mode="full")
    size = np.abs(np.diag(R))
    independent = size > 1e-7 * size.max()
    if not independent.all():
        E, assign = E[:, independent], assign[independent]
        Q, _ = linalg.qr(E, mode="full")
    qty, qtx = Q.T @ whole.y, Q.T @ X
    stratum = np.full(whole.n, len(strata.terms))
    stratum[: E.shape[1]] = assign
    names, numbers = term_names(terms), np.array(design.numbers)
    labels = [f"Error: {name}" for name in term_names(strata)] + ["Error: Within"]
    rows, columns = [], {"df": [], "sum_sq": [], "mean_sq": [], "F": [], "p": []}
    for number, label in enumerate(labels):
        select = stratum == number
        if not select.any():
            continue
        _stratum_rows(label, names, numbers, qtx[select], qty[select], rows, columns)
    table = Table(rows, {name: np.array(values, dtype=float) for name, values in columns.items()})
    return Summary("Analysis of variance by strata", table, {"n": whole.n}, {})


def _stratum_rows(label, names, numbers, X, y, rows, columns):
    """Append the sequential tests of one stratum, and its residuals."""
    used, rank, rss, tests = np.empty((len(y), 0)), 0, float(y @ y), []
    for k, name in enumerate(names):
        block = X[:, numbers == k]
        block = block[:, np.sum(block**2, axis=0) > 1e-5]
        if not block.shape[1]:
            continue
        used = np.hstack([used, block])
        Q, R, _ = linalg.qr(used, mode="economic", pivoting=True)
        new = int(np.sum(np.abs(np.diag(R)) > 1e-7 * np.abs(R[0, 0])))
        if new == rank:
            continue
        left = y - Q[:, :new] @ (Q[:, :new].T @ y)
        tests.append((name, new - rank, rss - float(left @ left)))
        rank, rss = new, float(left @ left)
    df = len(y) - rank
    for name, degrees, square in tests:
        F = square / degrees / (rss / df) if df > 0 else np.nan
        rows.append(f"{label}  {name}")
        values = (degrees, square, square / degrees, F, float(upper_tail("F", F, degrees, df)) if df > 0 else np.nan)
        for column, value in zip(columns.values(), values):
            column.append(value)
    if df > 0:
        rows.append(f"{label}  Residuals")
        for column, value in zip(columns.values(), (df, rss, rss / df, np.nan, np.nan)):
            column.append(value)
