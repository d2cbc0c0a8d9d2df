"""From the table of a block to features, target and weights."""

from dataclasses import dataclass, field

import numpy as np

from ._sources.base import Block, located


@dataclass
class Design:
    """Which columns of the source are features, target and weight.

    Parameters
    ----------
    features : list of str or None
        None for arrays, whose columns are all features.
    target, weight : str or None
    carried : list of str
        Further columns that predictions carry along.
    frames : bool
        Whether features remain a data frame even if all of them are numbers.
    transformers : list of fitted transformer
        Applied to the features, one after the other.
    """

    features: list[str] | None
    target: str | None
    weight: str | None
    carried: list[str] = field(default_factory=list)
    frames: bool = False
    transformers: list = field(default_factory=list)

    @property
    def columns(self):
        """The columns to read, each once."""
        names = [*(self.features or []), self.target, self.weight, *self.carried]
        return list(dict.fromkeys(name for name in names if name is not None))

    def _transformed(self, X):
        """The features as the last step of a pipeline receives them."""
        for transformer in self.transformers:
            X = transformer.transform(X)
        return X.toarray() if hasattr(X, "toarray") else X

    def block(self, table, place, index=0):
        """The `Block` of a table, without rows of weight 0; None if no rows are left."""
        with located(place):
            if isinstance(table, tuple):
                X, y, weights = table
                carried = None
            else:
                table = _plain_frame(table)
                X = _features(table, self.features, self.frames)
                y = None if self.target is None else _target(table, self.target)
                weights = None if self.weight is None else _numbers(table, self.weight)
                carried = {name: _arrow_column(table, name) for name in self.carried}
            if weights is not None:
                weights = _checked_weights(weights, self.weight)
                present = weights > 0
                if not present.all():
                    X, weights = _take(X, present), weights[present]
                    y = None if y is None else y[present]
                    carried = {name: column.filter(present) for name, column in (carried or {}).items()}
            if self.transformers and X.shape[0]:
                X = self._transformed(X)
            if isinstance(X, np.ndarray):
                X = np.asfortranarray(X)  # kernels add in an order that depends on the layout
            return Block(X, y, weights, place, index, carried) if X.shape[0] else None


def _checked_weights(weights, name):
    weights = np.asarray(weights, dtype=np.float64)
    wrong = ~np.isfinite(weights) | (weights < 0)
    if wrong.any():
        raise ValueError(f"`weight`={name!r} must hold finite numbers of at least 0, got {weights[wrong][0]:g}.")
    return weights


def _take(X, rows):
    if isinstance(X, np.ndarray):
        return X[rows]
    return X.filter(rows) if hasattr(X, "filter") and not hasattr(X, "loc") else X.loc[rows]


def _plain_frame(table):
    """Arrow tables as polars frames, others as they are."""
    if type(table).__module__.startswith("pyarrow"):
        return ArrowFrame(table)
    return table


class ArrowFrame:
    """An Arrow table whose numeric columns become arrays without a detour."""

    def __init__(self, table):
        self.table = table

    def numbers(self, name):
        """A column as floats with NaN for nulls, or None if it is not numeric."""
        import pyarrow as pa

        column = self.table.column(name)
        kind = column.type
        if pa.types.is_decimal(kind) or pa.types.is_boolean(kind):
            column = column.cast(pa.float64())
        elif not (pa.types.is_integer(kind) or pa.types.is_floating(kind)):
            return None
        parts = [part.to_numpy(zero_copy_only=False) for part in column.chunks]
        return parts[0] if len(parts) == 1 else np.concatenate(parts) if parts else np.empty(0)

    def labels(self, name):
        """A column as an array of its values."""
        numbers = self.numbers(name)
        return self.table.column(name).to_pandas().to_numpy() if numbers is None else numbers

    def frame(self, names):
        """Some columns as a polars frame."""
        import polars as pl

        return pl.from_arrow(self.table.select(names))


def _column(table, name):
    """A column of a data frame as an array."""
    import narwhals.stable.v1 as nw

    series = nw.from_native(table, eager_only=True)[name]
    if series.dtype in (nw.Categorical, nw.Enum):
        series = series.cast(nw.String)
    return series.to_numpy()


def _numbers(table, name):
    values = table.numbers(name) if isinstance(table, ArrowFrame) else _column(table, name)
    if values is None or values.dtype.kind not in "iufb":
        raise ValueError(f"`weight`={name!r} must be a column of numbers.")
    return values


def _target(table, name):
    values = table.labels(name) if isinstance(table, ArrowFrame) else _column(table, name)
    if values.dtype.kind == "O":
        absent = np.array([value is None or value != value for value in values], dtype=bool)
        if absent.any():
            raise ValueError(f"`target`={name!r} has {absent.sum()} missing values; leave these rows out.")
        return values.astype(str) if all(isinstance(value, str) for value in values) else values
    if values.dtype.kind == "f" and not np.isfinite(values).all():
        raise ValueError(f"`target`={name!r} has missing or infinite values; leave these rows out.")
    return values


def _arrow_column(table, name):
    """A column as an Arrow array, for a file of predictions."""
    if isinstance(table, ArrowFrame):
        return table.table.column(name)
    import narwhals.stable.v1 as nw

    return nw.from_native(table, eager_only=True)[name].to_arrow()


def _features(table, names, frames):
    """A column-major array if all features are numbers, otherwise a data frame."""
    if frames:
        return table.frame(names) if isinstance(table, ArrowFrame) else table[list(names)]
    if isinstance(table, ArrowFrame):
        columns = []
        for name in names:
            values = table.numbers(name)
            if values is None:
                return table.frame(names)
            columns.append(values)
    else:
        import narwhals.stable.v1 as nw

        frame = nw.from_native(table, eager_only=True)
        kinds = frame.schema
        if not all(kinds[name].is_numeric() or kinds[name] == nw.Boolean for name in names):
            return table[list(names)]
        columns = [frame[name].to_numpy() for name in names]
    single = bool(columns) and all(values.dtype == np.float32 for values in columns)
    X = np.empty((len(columns[0]) if columns else 0, len(names)), np.float32 if single else np.float64, order="F")
    for j, values in enumerate(columns):
        X[:, j] = values
    return X
