"""`predict`: predictions of all rows of a source, as an array or as a Parquet file."""

import numpy as np
from sklearn.utils.validation import check_is_fitted

from statlearn._core.atomic_files import replacing
from statlearn._core.params import HasMethods, Options, check_arguments

from ._fit import make_passes
from ._models import features_of, for_arrays, needs_frames
from ._sources.files import arrow
from ._sources.open import open_source

METHODS = ("predict", "predict_proba", "decision_function", "transform")


def predict(model, source, *, out=None, method="predict", carry=(), features=None, client=None):
    """Predictions for data larger than memory.

    Parameters
    ----------
    model : estimator
        Fitted.
    source : path, array, frames or Source
        See :func:`open_source`.
    out : path or None, default=None
        A Parquet file, which appears when it is complete and with one row group per block. None returns the
        predictions.
    method : {"predict", "predict_proba", "decision_function", "transform"}, default="predict"
        Method of the model.
    carry : list of str, default=()
        Columns of the source that are copied to the file, such as an identifier.
    features : list of str or None, default=None
        The columns of the model, if it has no ``feature_names_in_``. None means all others.
    client : distributed.Client or None, default=None
        A Dask cluster.

    Returns
    -------
    predictions : ndarray or int
        The number of rows if a file was written.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn import scale
    >>> from statlearn.linear import LinearRegression
    >>> X = np.arange(10.0)[:, None]
    >>> model = LinearRegression().fit(X, X[:, 0] + 1)
    >>> scale.predict(model, scale.open_source(X, rows=3)).round(1)
    array([ 1.,  2.,  3.,  4.,  5.,  6.,  7.,  8.,  9., 10.])
    """
    check_arguments(predict, model=(model, [HasMethods("fit")]), method=(method, [Options(*METHODS)]))
    check_is_fitted(model)
    if not hasattr(model, method):
        raise ValueError(f"`method` must be one that {type(model).__name__} has, got {method!r}.")
    carry = list(carry)
    if carry and out is None:
        raise ValueError("`carry` must be empty unless `out` names a file.")
    source = open_source(source)
    unknown = [name for name in carry if name not in (source.columns or [])]
    if unknown:
        raise ValueError(f"`carry` must name columns of the source, got {unknown}.")
    names = features_of(model) or features
    if source.columns is None:
        names = None
    elif names is None:
        names = [name for name in source.columns if name not in carry]
    passes = make_passes(source, None, None, names, client, carried=carry, frames=needs_frames(model))
    try:
        blocks = passes.map(_predictions, for_arrays(model), method)
        if out is None:
            return np.concatenate([values for values, _ in blocks])
        return _write(blocks, out, _column_names(model, method))
    finally:
        passes.close()


def _predictions(block, model, method):
    """Predictions of one block, and the columns that it carries."""
    values = getattr(model, method)(block.X)
    return np.asarray(values.toarray() if hasattr(values, "toarray") else values), block.carried


def _column_names(model, method):
    """Names of the columns of a two-dimensional result."""
    if method == "predict_proba" and hasattr(model, "classes_"):
        return [f"probability_{label}" for label in model.classes_]
    return None


def _write(blocks, out, names):
    """Write the predictions as they come; the file takes its place when it is complete."""
    pa, parquet = arrow("", "Writing Parquet"), arrow("parquet", "Writing Parquet")
    rows, writer = 0, None
    with replacing(out, "wb") as file:
        try:
            for values, carried in blocks:
                table = pa.table({**(carried or {}), **_columns(values, names)})
                if writer is None:
                    writer = parquet.ParquetWriter(file, table.schema, write_page_checksum=True)
                writer.write_table(table.cast(writer.schema), row_group_size=max(1, table.num_rows))
                rows += table.num_rows
        finally:
            if writer is not None:
                writer.close()
    return rows


def _columns(values, names):
    """Predictions as named columns."""
    if values.ndim == 1:
        return {"prediction": values}
    names = names or [f"prediction_{j}" for j in range(values.shape[1])]
    return {name: np.ascontiguousarray(column) for name, column in zip(names, values.T)}
