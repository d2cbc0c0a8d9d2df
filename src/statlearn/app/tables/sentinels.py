"""Numbers that stand for a missing value: -999, 99, 9999999."""

import numpy as np

from statlearn.app.tables import frames

MIN_CELLS = 2
APART = 0.5  # of the range of all other values, by which a sentinel lies outside of it


def sentinel(values):
    """A number of nines, with or without a sign, that occurs repeatedly and far from all others; None if there is none.

    Parameters
    ----------
    values : ndarray
        NaN where a cell is missing.

    Returns
    -------
    (float, int) or None
        The number and its cells.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.app.tables.sentinels import sentinel
    >>> sentinel(np.array([171.5, 168.0, -999.0, 180.2, -999.0])), sentinel(np.array([97.0, 98, 99, 99, 100]))
    ((-999.0, 2), None)
    """
    values = values[np.isfinite(values)]
    for value in (values.min(), values.max()) if len(values) else ():
        cells = values == value
        rest = values[~cells]
        if cells.sum() < MIN_CELLS or len(rest) < MIN_CELLS or not _is_nines(value):
            continue
        gap = rest.min() - value if value < rest.min() else value - rest.max()
        if gap > APART * np.ptp(rest) > 0:
            return float(value), int(cells.sum())
    return None


def sentinels(frame):
    """The sentinels of the numeric columns of a frame, with their numbers of cells."""
    found = {n: sentinel(frames.numbers(frame[n])) for n in frame.columns if frame[n].dtype.is_numeric()}
    return {name: hit for name, hit in found.items() if hit is not None}


def _is_nines(value):
    return value == round(value) and abs(value) >= 99 and set(str(int(abs(value)))) == {"9"}
