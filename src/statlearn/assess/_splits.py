"""Splits of rows: scikit-learn's splitters and a three-way split."""

import numpy as np
from sklearn.model_selection import (
    GroupKFold,
    GroupShuffleSplit,
    KFold,
    LeaveOneGroupOut,
    LeaveOneOut,
    LeavePOut,
    PredefinedSplit,
    RepeatedKFold,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedGroupKFold,
    StratifiedKFold,
    StratifiedShuffleSplit,
    TimeSeriesSplit,
)
from sklearn.utils import check_random_state, indexable

from statlearn._core.frames import n_rows, take_rows
from statlearn._core.params import check_arguments

from ._standard_metrics import check_cv, cross_val_predict, train_test_split

__all__ = [
    "GroupKFold",
    "GroupShuffleSplit",
    "KFold",
    "LeaveOneGroupOut",
    "LeaveOneOut",
    "LeavePOut",
    "PredefinedSplit",
    "RepeatedKFold",
    "RepeatedStratifiedKFold",
    "ShuffleSplit",
    "StratifiedGroupKFold",
    "StratifiedKFold",
    "StratifiedShuffleSplit",
    "TimeSeriesSplit",
    "check_cv",
    "cross_val_predict",
    "train_test_split",
    "train_validation_test_split",
    "two_thirds_split",
]


def two_thirds_split(*arrays, shuffle=True, stratify=None, random_state=None):
    """Split into two thirds for training and one third for testing.

    Parameters
    ----------
    *arrays : arrays, sparse matrices, data frames or lists of the same length
    shuffle : bool, default=True
    stratify : array-like of shape (n_samples,) or None, default=None
        Classes whose proportions are kept in both parts.
    random_state : int, RandomState or None, default=None

    Returns
    -------
    list
        For every array its training part, then its test part.

    Examples
    --------
    >>> from statlearn.assess import two_thirds_split
    >>> train, test = two_thirds_split(list(range(9)), random_state=0)
    >>> len(train), len(test)
    (6, 3)
    """
    return train_test_split(*arrays, test_size=1 / 3, shuffle=shuffle, stratify=stratify, random_state=random_state)


def train_validation_test_split(
    *arrays, sizes=(0.5, 0.25, 0.25), shuffle=True, stratify=None, groups=None, random_state=None
):
    """Split into three parts for training, validation and testing.

    Parameters
    ----------
    *arrays : arrays, sparse matrices, data frames or lists of the same length
    sizes : (float, float, float) or (int, int, int), default=(0.5, 0.25, 0.25)
        Fractions that sum to 1, or numbers of rows that sum to at most the number of rows.
    shuffle : bool, default=True
        False takes the parts in the order of the rows with the test rows last, which suits rows ordered in time.
    stratify : array-like of shape (n_samples,) or None, default=None
        Classes whose proportions are kept in all parts.
    groups : array-like of shape (n_samples,) or None, default=None
        Rows of a group are assigned to the same part; the sizes are then met as closely as the groups allow.
    random_state : int, RandomState or None, default=None

    Returns
    -------
    list
        For every array its training, validation and test part.

    Notes
    -----
    With `stratify` and `groups`, the largest groups are assigned first, each to the part whose class counts are then
    closest to their targets.

    References
    ----------
    Hastie, T., Tibshirani, R. & Friedman, J. (2009). The Elements of Statistical Learning, section 7.2.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.assess import train_validation_test_split
    >>> X, y = np.arange(40).reshape(20, 2), np.arange(20) % 2
    >>> X_train, X_val, X_test, y_train, y_val, y_test = train_validation_test_split(X, y, stratify=y, random_state=0)
    >>> len(X_train), len(X_val), len(X_test), y_train.mean()
    (10, 5, 5, np.float64(0.5))
    """
    check_arguments(train_validation_test_split, shuffle=(shuffle, ["boolean"]))
    if not arrays:
        raise ValueError("train_validation_test_split requires at least one array.")
    arrays = indexable(*arrays)
    n = n_rows(arrays[0])
    counts = _part_sizes(sizes, n)
    if not shuffle and (stratify is not None or groups is not None):
        raise ValueError("`stratify` and `groups` require `shuffle`=True.")
    if groups is not None:
        parts = _deal_groups(groups, stratify, counts, n, random_state)
    elif stratify is not None:
        parts = _stratified_parts(np.asarray(stratify), counts, n, random_state)
    else:
        rows = check_random_state(random_state).permutation(n) if shuffle else np.arange(n)
        parts = np.split(rows[: sum(counts)], np.cumsum(counts)[:2])
    return [take_rows(array, rows) for array in arrays for rows in parts]


def _part_sizes(sizes, n):
    """Numbers of rows of the three parts."""
    values = np.asarray(sizes)
    if values.shape != (3,) or values.dtype.kind not in "iuf" or not np.all(values > 0):
        raise ValueError(f"`sizes` must be three positive fractions or numbers of rows, got {sizes!r}.")
    if values.dtype.kind == "f":
        if abs(values.sum() - 1) > 1e-8:
            raise ValueError(f"`sizes` given as fractions must sum to 1, got {sizes!r}.")
        limits = np.floor(np.cumsum(values) * n + 0.5).astype(int)
        values = np.diff(limits, prepend=0)
    if values.sum() > n or values.min() < 1:
        raise ValueError(f"`sizes`={sizes!r} cannot be applied to {n} rows; every part needs at least one row.")
    return [int(v) for v in values]


def _stratified_parts(classes, counts, n, random_state):
    if len(classes) != n:
        raise ValueError(f"`stratify` must have {n} entries, got {len(classes)}.")
    random = check_random_state(random_state)
    rest, test = train_test_split(
        np.arange(n), train_size=counts[0] + counts[1], test_size=counts[2], stratify=classes, random_state=random
    )
    train, validation = train_test_split(
        rest, train_size=counts[0], test_size=counts[1], stratify=classes[rest], random_state=random
    )
    return train, validation, test


def _deal_groups(groups, stratify, counts, n, random_state):
    """Assign whole groups to parts, the largest first, where the class counts come closest to their targets."""
    _, group = np.unique(np.asarray(groups), return_inverse=True)
    if len(group) != n:
        raise ValueError(f"`groups` must have {n} entries, got {len(group)}.")
    label = np.zeros(n, dtype=int) if stratify is None else np.unique(np.asarray(stratify), return_inverse=True)[1]
    table = np.zeros((group.max() + 1, label.max() + 1))
    np.add.at(table, (group, label), 1)
    if len(table) < 3:
        raise ValueError(f"`groups` must contain at least three groups, one per part, got {len(table)}.")
    random = check_random_state(random_state)
    shuffled = random.permutation(len(table))
    order = shuffled[np.argsort(-table[shuffled].sum(axis=1), kind="stable")]
    target = np.outer(np.array(counts) / sum(counts), table.sum(axis=0))
    filled = np.zeros_like(target)
    part_of = np.empty(len(table), dtype=int)
    for position, g in enumerate(order):
        # What is missing, relative to what the part should have; a part still empty near the end comes first.
        cost = np.sum((filled + table[g] - target) ** 2 - (filled - target) ** 2, axis=1) / target.sum(axis=1)
        empty = filled.sum(axis=1) == 0
        if empty.sum() >= len(order) - position:
            cost[~empty] = np.inf
        part_of[g] = int(np.argmin(cost))
        filled[part_of[g]] += table[g]
    rows = random.permutation(n)
    return [rows[part_of[group[rows]] == k] for k in range(3)]
