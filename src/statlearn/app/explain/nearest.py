"""The training rows nearest to a row, where a model file stores rows."""

from dataclasses import dataclass

import numpy as np

N_NEAREST = 5


@dataclass
class Neighbour:
    """A training row near another row.

    Parameters
    ----------
    row : int
        Position in the table that the model was trained on, from 0.
    actual : object
        Its target.
    distance : float
        Mean over the columns of differences between 0 (equal) and 1 (Gower's distance).
    cells : dict of str to object
    """

    row: int
    actual: object
    distance: float
    cells: dict


def nearest_rows(model, cells, n=N_NEAREST):
    """The stored training rows with the smallest Gower distance to a row.

    Numbers count by their difference in shares of the stored rows' range, at most 1; anything else counts 0 if equal
    and 1 if not. A missing value differs from every other cell by 1 and equals another missing one.

    Parameters
    ----------
    model : TableModel
    cells : dict of str to object
        By column.
    n : int

    Returns
    -------
    list of Neighbour
        Empty if the model file stores no rows.
    """
    stored = getattr(model, "stored", None)
    if stored is None or len(stored) == 0:
        return []
    distance = np.mean([_differences(stored.columns[name], cells[name]) for name in stored.columns], axis=0)
    order = np.argsort(distance, kind="stable")[:n]
    return [
        Neighbour(
            int(stored.rows[k]), stored.target[k], float(distance[k]),
            {name: values[k] for name, values in stored.columns.items()},
        )
        for k in order
    ]  # fmt: skip


def _differences(values, cell):
    gone = np.array([v is None or v != v for v in values])
    if cell is None or cell != cell:
        return np.where(gone, 0.0, 1.0)
    if all(isinstance(v, (int, float)) and not isinstance(v, bool) for v in np.asarray(values, object)[~gone]):
        numbers = np.array([np.nan if lost else float(v) for v, lost in zip(values, gone)])
        span = np.ptp(numbers[~gone]) if (~gone).any() else 0.0
        apart = np.abs(numbers - float(cell))
        return np.where(gone, 1.0, np.minimum(apart / span, 1.0) if span > 0 else (apart > 0) * 1.0)
    return np.array([1.0 if lost else float(str(v) != str(cell)) for v, lost in zip(values, gone)])
