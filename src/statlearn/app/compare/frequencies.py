"""A column of frequencies: each row of the table counts as that many rows."""

from dataclasses import replace

import numpy as np

from statlearn.app.errors import DataError, UsageError
from statlearn.app.setting_names import did_you_mean, option
from statlearn.app.statements import say
from statlearn.app.tables import frames

MAX_ROWS = 5_000_000  # after counting out


def counted_out(request):
    """The request with every row of its table repeated as often as the column of frequencies says.

    The rows of a table of frequencies are counts of like cases. So copies may stand in different folds: each is a case
    of its own.

    Parameters
    ----------
    request : Request

    Returns
    -------
    Request
        The same one without `weights`.
    """
    if request.weights is None:
        return request
    table = request.table
    frame = frames.as_frame(table.frame)
    if isinstance(request.weights, str):
        name, counts, frame = _column(frame, request)
    else:
        name, counts = "the weights", _checked(np.asarray(request.weights), len(frame), "the weights")
    total = int(counts.sum())
    if total > MAX_ROWS:
        raise DataError(
            f"{option('weights')}: the frequencies add up to {total:,} rows; at most {MAX_ROWS:,} are supported"
        )
    if total == 0:
        raise DataError(f"{option('weights')}: all frequencies are 0")
    rows = np.repeat(np.arange(len(frame)), counts)
    note = say("FREQUENCIES", column=name, rows=f"{len(frame):,}", total=f"{total:,}")

    def of_rows(values):
        return values if values is None or isinstance(values, str) else np.asarray(values)[rows]

    counted = replace(table, frame=frames.take(frame, rows).to_native(), n_rows=total, notes=[*table.notes, note])
    return replace(
        request, table=counted, y=of_rows(request.y), groups=of_rows(request.groups),
        time_order=of_rows(request.time_order), weights=None,
    )  # fmt: skip


def _column(frame, request):
    """Name and values of the column of frequencies, and the frame without it."""
    name = request.weights
    if name not in frame.columns:
        raise UsageError(f"{option('weights')}: unknown column {name!r}; {did_you_mean(name, frame.columns)}")
    if name == request.y:
        raise UsageError(f"{option('weights')}: {name!r} is the target")
    if request.table.sampled:
        raise UsageError(f"{option('weights')} needs the whole table, but it was sampled; raise {option('max_rows')}")
    series = frame[name]
    if not series.dtype.is_numeric():
        wrong = next((text for text in frames.strings(series) if text is not None), "nothing")
        raise DataError(f"{option('weights')}: {name!r} must contain whole numbers of at least 0, got {wrong!r}")
    return repr(name), _checked(frames.numbers(series), len(frame), repr(name)), frame.drop(name)


def _checked(values, n, name):
    """The frequencies as integers; DataError naming the first value that is none."""
    if values.shape != (n,):
        raise UsageError(f"{option('weights')} must have one value per row ({n:,}), got the shape {values.shape}")
    try:
        numbers = values.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(f"{option('weights')}: {name} must contain whole numbers of at least 0 ({error})") from error
    wrong = np.flatnonzero(~(numbers >= 0) | (numbers != np.round(numbers)) | np.isinf(numbers))
    if len(wrong):
        value = numbers[wrong[0]]
        got = "a missing value" if np.isnan(value) else f"{value:g}"
        raise DataError(
            f"{option('weights')}: {name} must contain whole numbers of at least 0, which say how many rows each row "
            f"stands for; got {got} in row {wrong[0]}"
        )
    return numbers.astype(np.int64)
