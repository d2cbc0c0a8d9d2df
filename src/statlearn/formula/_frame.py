"""The rows of a table that a formula uses: target, weights, offset, and the columns of its variables."""

from dataclasses import dataclass, field, replace

import numpy as np

from statlearn._core.frames import frame_names
from statlearn._core.frames.frame import refuse_lazy
from statlearn._core.frames.typed_columns import Cells, is_frame
from statlearn._math.formulas.limits import shortened
from statlearn._math.formulas.parser import parse, written
from statlearn._math.formulas.reading import read, response_parts, response_values
from statlearn._math.formulas.variables import Factor, Variables, check_functions, columns_of, nearest, read_columns


@dataclass
class ModelFrame:
    """Complete rows of a table, as a formula reads them.

    `columns` holds the typed columns of the variables, `rows` the mask of the rows of the table that are used, `y` the
    numbers of the target, and `classes` the labels behind 0, 1, ... if the target is a factor.
    """

    formula: str
    target: object
    terms: object
    columns: dict
    rows: np.ndarray
    y: np.ndarray
    classes: list | None
    weights: np.ndarray | None
    offset: np.ndarray | None
    arguments: dict = field(default_factory=dict)

    @property
    def n(self):
        return len(self.y)

    @property
    def n_dropped(self):
        return int(len(self.rows) - self.rows.sum())

    @property
    def target_text(self):
        return written(self.target)


def as_table(data, argument="data"):
    """The data frame, or one made of a dict of columns."""
    refuse_lazy(data)
    if isinstance(data, dict):
        import pandas as pd

        data = pd.DataFrame(data)
    if not is_frame(data):
        raise TypeError(f"`{argument}` must be a data frame or a dict of columns, got {type(data).__name__}.")
    if not all(isinstance(name, str) for name in frame_names(data)):
        raise ValueError(f"`{argument}` must have text as column names.")
    if len(data) == 0:
        raise ValueError(f"`{argument}` has no rows.")
    return data


def table_columns(data, wanted, argument="data"):
    """The wanted columns of a table, with an error that offers the nearest names."""
    names = list(frame_names(data))
    lacking = [name for name in dict.fromkeys(wanted) if name not in names]
    if lacking:
        close = nearest(lacking[0], names)
        listed = ", ".join(map(shortened, lacking[:20]))
        raise ValueError(f"`{argument}` lacks columns used in the formula: {listed}{close or '.'}")
    return read_columns(data, names, list(dict.fromkeys(wanted)))


def selected(columns, rows):
    """The columns at some rows only."""
    return {
        name: replace(cells, values=cells.values[rows]) if isinstance(cells, Cells) else cells
        for name, cells in columns.items()
    }


def read_frame(formula, data, *, weights=None, offset=None, subset=None, others=()):
    """Read a formula for a table: everything but the design. `others` are columns that must be complete, too."""
    if not isinstance(formula, str):
        raise TypeError(f"`formula` must be text such as 'y ~ x1 + x2', got {type(formula).__name__}.")
    data = as_table(data)
    names = list(frame_names(data))
    target, terms = read(formula, names)
    if target is None:
        raise ValueError(f"`formula`: {shortened(formula)} has no target; write 'y ~ terms'.")
    nodes = [*terms.used.values(), *terms.offsets, *response_parts(target)]
    extra = {"weights": weights, "offset": offset, "subset": subset}
    parsed = {word: _expression(value, word) for word, value in extra.items() if isinstance(value, str)}
    wanted = [name for node in [*nodes, *parsed.values()] for name in columns_of(node)]
    columns = table_columns(data, [*wanted, *others])
    n = len(data)
    values = {word: _values(extra[word], parsed.get(word), columns, n, word) for word in extra}
    rows = np.ones(n, dtype=bool)
    if values["subset"] is not None:
        rows &= values["subset"] == 1
        if not rows.any():
            raise ValueError("`subset` leaves no rows.")
    for name in dict.fromkeys([*others, *(name for node in nodes for name in columns_of(node))]):
        rows &= ~columns[name].missing
    for word in ("weights", "offset"):
        if values[word] is not None:
            rows &= ~np.isnan(values[word])
    if not rows.any():
        raise ValueError("Every row of `data` has a missing value in a variable of the model.")
    if not rows.all():
        columns = selected(columns, rows)
        values = {word: None if each is None else each[rows] for word, each in values.items()}
    if values["weights"] is not None and ((values["weights"] < 0).any() or not (values["weights"] > 0).any()):
        raise ValueError("`weights` must not be negative, and not all 0.")
    y, classes = _target(target, columns)
    return ModelFrame(formula, target, terms, columns, rows, y, classes, values["weights"], values["offset"])


def _expression(text, argument):
    """The tree of an argument that is an expression of columns."""
    try:
        node = parse(text)
        check_functions(node)
    except (SyntaxError, ValueError) as error:
        raise ValueError(f"`{argument}`: {error}.") from None
    return node


def _values(value, node, columns, n, argument):
    """Numbers of an argument: an array with a value per row, or an expression of columns."""
    if value is None:
        return None
    if node is not None:
        missing = np.any([columns[name].missing for name in columns_of(node)], axis=0)
        used_columns = {name: columns[name] for name in columns_of(node)}
        out = np.full(n, np.nan)
        variables = Variables(selected(used_columns, ~missing), {}, {}, learning=True)
        try:
            out[~missing] = variables.number(node)
        except ValueError as error:
            raise ValueError(f"`{argument}`: {error}.") from None
        return out
    values = np.asarray(value, dtype=np.float64)
    if values.ndim == 0 and argument == "offset":
        return np.full(n, float(values))
    if values.shape != (n,):
        raise ValueError(f"`{argument}` must have one value for each of {n} rows, got shape {values.shape}.")
    return values


def _target(node, columns):
    """The target as numbers, and the labels behind them if it is a factor."""
    variables = Variables(columns, {}, {}, learning=True)
    parts = response_parts(node)
    if len(parts) == 1:
        try:
            value = variables.value(parts[0])
        except ValueError as error:
            raise ValueError(f"`formula`: the target {shortened(written(node))}: {error}.") from None
        if isinstance(value, Factor):
            return value.codes().astype(np.float64), list(value.known)
    return response_values(node, variables), None
