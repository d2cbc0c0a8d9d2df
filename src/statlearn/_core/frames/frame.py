"""Properties and conversion of data frames."""

import collections

import numpy as np

from .columns import frame_names


def refuse_lazy(table, name="X"):
    """Raise if an argument of this name is a lazy frame."""
    if type(table).__name__ in ("LazyFrame", "DuckDBPyRelation"):
        raise TypeError(f"{name} is a lazy frame; call collect() on it first.")


def as_frame(X):
    """X as a narwhals frame, or None for anything else."""
    refuse_lazy(X)
    if not hasattr(X, "columns"):
        return None
    import narwhals as nw

    frame = _from_native(X, pass_through=True)
    return frame if isinstance(frame, nw.DataFrame) else None


def refuse_repeated_names(X):
    """Raise an error if two columns of a data frame share a name."""
    refuse_lazy(X)
    names = frame_names(X)
    if names is None or len(set(names)) == len(names):
        return
    repeated = [repr(name) for name, count in collections.Counter(names).items() if count > 1]
    raise ValueError(f"X has duplicate column names: {', '.join(repeated)}. Rename these columns.")


def _from_native(X, **options):
    import narwhals as nw

    if nw.dependencies.is_into_dataframe(X):
        refuse_repeated_names(X)
    return nw.from_native(X, eager_only=True, **options)


def declared_categories(X):
    """Indices of the columns of a data frame with a categorical data type."""
    refuse_lazy(X)
    if not (hasattr(X, "columns") and (hasattr(X, "dtypes") or hasattr(X, "schema"))):
        return []
    import narwhals as nw

    try:
        schema = _from_native(X).schema
    except TypeError:  # another object with columns; left to validation
        return []
    return [j for j, dtype in enumerate(schema.values()) if dtype in (nw.Categorical, nw.Enum)]


def is_numeric(dtype):
    """Whether a narwhals data type is numeric or boolean."""
    import narwhals as nw

    return dtype.is_numeric() or dtype == nw.Boolean


def is_mixed_frame(X):
    """Whether X is a data frame with text, categories or nullable types, which a numeric array cannot hold."""
    frame = as_frame(X)
    return frame is not None and np.asarray(frame.head(0).to_native()).dtype.kind not in "fiub"


def plain_numbers(X):
    """A pandas frame with booleans and nullable numbers (Int64, ...) converted to floats; others unchanged.

    Boolean categories become objects. scikit-learn's validation cannot convert such types if the frame also has
    non-numeric columns.
    """
    if not (hasattr(X, "iloc") and hasattr(X, "dtypes") and hasattr(X, "columns")):
        return X
    types = list(X.dtypes.items())
    if all(dtype.kind in "biuf" for _, dtype in types):
        return X
    new = {
        name: np.float64
        for name, dtype in types
        if dtype.kind == "b" or (dtype.kind in "iuf" and hasattr(dtype, "na_value"))
    }
    levels = {name: getattr(dtype, "categories", None) for name, dtype in types}
    new |= {name: object for name, known in levels.items() if known is not None and known.dtype.kind == "b"}
    return X.astype(new) if new else X


def plain_columns(frame, names):
    """Float arrays, with NaN for missing values, of the numeric columns of a narwhals frame, by name.

    Columns of the same type are read together, because reading them one by one takes about a second per few thousand
    columns.
    """
    import narwhals as nw

    machine = {nw.Float64, nw.Float32, nw.Int64, nw.Int32, nw.Int16, nw.Int8, nw.UInt64, nw.UInt32, nw.UInt16, nw.UInt8}
    schema = frame.schema
    alike = {}
    for name in names:
        if schema[name] in machine:
            alike.setdefault(schema[name], []).append(name)
    plain = {}
    for group in alike.values():
        values = frame.select(group).to_numpy()
        if values.dtype.kind in "iuf":  # extension types with missing values may give objects, read one by one
            plain.update(zip(group, np.array(values, dtype=np.float64, order="F").T))
    return plain


def columns_beside(X, numbers, names):
    """The data frame X with named numeric columns inserted before its own.

    The numbers are an array, or another frame of the same library.
    """
    import narwhals as nw

    frame, like = as_frame(X), as_frame(numbers)
    if not all(isinstance(name, str) for name in frame.columns):
        frame = frame.rename({name: f"x{j}" for j, name in enumerate(frame.columns)})
    if like is not None and like.implementation != frame.implementation:
        backend = like.implementation
        frame = nw.from_dict(
            {c.name: nw.new_series(c.name, c.to_list(), c.dtype, backend=backend) for c in frame.iter_columns()}
        )
    cells = np.asarray(numbers)
    new = [nw.new_series(name, cells[:, k], backend=frame.implementation) for k, name in enumerate(names)]
    return frame.with_columns(*new).select(*names, *frame.columns).to_native()
