"""From what the user has to a source of blocks."""

from pathlib import Path

import numpy as np

from statlearn._core.params import Int, check_arguments

from .arrow_files import ArrowSource
from .base import Source
from .csv import CsvSource
from .files import list_files
from .memory import ArraySource, DelayedSource, FrameSource
from .parquet import ParquetSource

_ARRAY_BYTES = 2**25  # of a block of an array
_KINDS = {
    ".parquet": ParquetSource,
    ".pq": ParquetSource,
    ".arrow": ArrowSource,
    ".feather": ArrowSource,
    ".ipc": ArrowSource,
    ".csv": CsvSource,
}


def open_source(data, *, rows=None, types=None):
    """Blocks of rows that can be read again and again, in a fixed order.

    Parameters
    ----------
    data : path, list of paths, array, list of data frames or delayed parts, or Source
        - A Parquet file, or a folder of them: a block is a row group. Only the columns of the fit are read.
        - An Arrow file (feather) or a folder of them: a block is a record batch.
        - A CSV file or a folder of them: a block is some 32 MB of whole lines.
        - An array or memory map of shape (n_samples, n_features): a block is `rows` rows.
        - Data frames (pandas, polars, pyarrow): a list, or an object that can be iterated more than once.
        - A list of ``dask.delayed`` parts, each of which gives a data frame.
    rows : int or None, default=None
        Rows of a block of an array. None means about 32 MB.
    types : dict or None, default=None
        Types of columns of CSV files, as polars names them, where those of the first block are not general enough.

    Returns
    -------
    Source
        With ``len(source)`` blocks and the names in ``source.columns``.

    Notes
    -----
    A fit reads its source once or several times. Files may not change meanwhile; each read compares length and time
    of change. The result of a fit depends on how rows are divided into blocks by rounding only, and not at all on
    who reads them.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.scale import open_source
    >>> len(open_source(np.zeros((1000, 3)), rows=300))
    4
    """
    check_arguments(open_source, rows=(rows, [Int(1, None), None]))
    if isinstance(data, Source):
        return data
    if isinstance(data, (str, Path)):
        return _open_paths(list_files(data, _KINDS), data, types)
    if isinstance(data, np.ndarray):
        size = max(1, _ARRAY_BYTES // max(1, data.itemsize * (data.shape[1] if data.ndim == 2 else 1)))
        return ArraySource(data, rows=rows or size)
    if hasattr(data, "columns") and hasattr(data, "shape"):
        return FrameSource([data])
    if not hasattr(data, "__iter__"):
        raise TypeError(
            "`source` must be a path, an array, data frames, delayed parts or a Source, got "
            + type(data).__name__
            + "."
        )
    if isinstance(data, (list, tuple)) and data:
        if all(isinstance(part, (str, Path)) for part in data):
            return _open_paths([file for path in data for file in list_files(path, _KINDS)], data, types)
        if all(type(part).__name__.startswith("Delayed") for part in data):
            return DelayedSource(data)
    return FrameSource(data)


def _open_paths(paths, data, types):
    """One source for files of one kind."""
    if not paths:
        raise ValueError(f"`source` must contain Parquet, Arrow or CSV files, got {str(data)!r} without any.")
    kinds = sorted({path.suffix.lower() for path in paths})
    classes = {_KINDS.get(kind) for kind in kinds}
    if len(classes) > 1 or None in classes:
        raise ValueError(f"`source` must hold files of one kind among {sorted(_KINDS)}, got {kinds}.")
    kind = classes.pop()
    if types is not None and kind is not CsvSource:
        raise ValueError("`types` must be None except for CSV files.")
    return kind(paths, types=types) if kind is CsvSource else kind(paths)
