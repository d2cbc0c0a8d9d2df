"""Rows that were entered twice, told from rows that agree by chance.

In a designed experiment, or in a table of a few categories, many rows agree in everything. Then many more agree in all
columns but one. A row that was copied agrees in all, and nearly no other row agrees with it in all but one.
"""

import numpy as np

from statlearn.app.tables.profile import row_hashes

MORE_THAN_CHANCE = 4.0  # times the pairs of equal rows that are expected by chance; empirical
MAX_COLUMNS = 60  # that are left out in turn


def copied_rows(problem):
    """Which rows have an exact copy, including the target, in the training part of a fold that tests them."""
    in_test = np.zeros(len(problem.y), bool)
    if problem.frame.shape[1] < 2 or problem.scheme.groups is not None:  # rows of different subjects are no copies
        return in_test
    hashes = row_hashes(problem.frame) ^ _mixed(problem.truth)
    _, place, counts = np.unique(hashes, return_inverse=True, return_counts=True)
    if (counts > 1).any():
        for train, test in problem.folds:
            in_test[test] |= np.isin(place[test], place[train])
    return in_test


def suspicious_copies(problem):
    """Share of rows with a copy among the training rows; 0 if they may agree by chance."""
    copied = copied_rows(problem)
    if not copied.any():
        return 0.0
    cells = np.array([row_hashes(problem.frame.select(name)) for name in problem.frame.columns])
    return float(copied.mean()) if are_copies(np.vstack([cells, _mixed(problem.truth)])) else 0.0


def are_copies(cells):
    """Whether more rows agree in all columns than those that agree in all but one let expect.

    For each column, the pairs of rows that agree in all others agree in it too with at least the chance of any two rows
    of the table.

    Parameters
    ----------
    cells : ndarray of shape (n_columns, n_rows)
        A number for each cell; equal cells have equal numbers.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.app.honesty.copies import are_copies
    >>> rng = np.random.default_rng(0)
    >>> few, many = rng.integers(3, size=(3, 60)), rng.integers(10**9, size=(3, 60))
    >>> are_copies(few), are_copies(np.hstack([many, many[:, :2]]))
    (False, True)
    """
    cells = np.array([np.unique(column, return_inverse=True)[1] for column in cells]).astype(np.uint64)
    cells = (cells + np.uint64(1)) * np.random.default_rng(0).integers(1, 2**63, size=(len(cells), 1), dtype=np.uint64)
    whole = cells.sum(axis=0, dtype=np.uint64)
    same, n = _pairs(whole), cells.shape[1]
    expected = 0.0
    for column in cells[-MAX_COLUMNS:]:
        chance = _pairs(column) / (n * (n - 1) / 2)
        nearly = _pairs(whole - column) - same
        if chance < 1:
            expected = max(expected, nearly * chance / (1 - chance))
    return bool(same > MORE_THAN_CHANCE * expected)


def _pairs(keys):
    """Number of pairs of equal keys."""
    counts = np.unique(keys, return_counts=True)[1].astype(float)
    return float(np.sum(counts * (counts - 1) / 2))


def _mixed(truth):
    """64-bit numbers from the target, to be mixed into the hash of a row."""
    bits = np.ascontiguousarray(truth).astype(np.float64).view(np.uint64)
    return bits * np.uint64(0x9E3779B97F4A7C15)
