"""Ratings from long tables, sparse matrices and matrices with NaN."""

import functools
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from statlearn._core.frames import cells, column_names, refuse_lazy
from statlearn._core.validation import check_weights
from statlearn._core.warnings import StatlearnWarning, warn

DUPLICATES = ("error", "mean", "sum", "last")


class UnknownLabelWarning(StatlearnWarning):
    """Users or items of a prediction did not occur in the ratings."""


# Added to the complaint about missing labels of a table that could be a matrix of ratings with gaps.
_MATRIX_HINT = ". If X has a row per user and a column per item, use layout='matrix'"


def plain_labels(values, name, hint=""):
    """Labels as an array of numbers, dates or text, without missing values."""
    values = np.asarray(values)
    if values.dtype == object:
        if any(v is None or v != v for v in values):
            raise ValueError(f"{name} contains missing values; drop these rows{hint}.")
        if all(isinstance(v, str) for v in values):
            return values.astype(str)
        kinds = {type(v) for v in values}
        if len(kinds) > 1 and not all(isinstance(v, (int, float, np.number)) for v in values):
            return np.array([str(v) for v in values])
        return np.array(values.tolist())
    if values.dtype.kind in "fmM" and (values != values).any():
        raise ValueError(f"{name} contains missing values; drop these rows{hint}.")
    if values.dtype.kind == "f" and np.isinf(values).any():
        raise ValueError(f"{name} contains infinity; labels must be finite.")
    return values


def codes_of(values, known, name):
    """The position of each value among the known labels; -1 for others."""
    values = plain_labels(values, name)
    if values.dtype.kind != known.dtype.kind and "U" in (values.dtype.kind, known.dtype.kind):
        # An array of pairs with text on one side holds the numbers of the other side as text.
        known, values = known.astype(str), values.astype(str)
    order = np.argsort(known, kind="stable")
    at = order[np.minimum(np.searchsorted(known, values, sorter=order), len(known) - 1)]
    return np.where(known[at] == values, at, -1)


def read_pairs(X, columns):
    """User and item labels of a long table, and their names."""
    refuse_lazy(X)
    if not hasattr(X, "columns"):
        X = np.asarray(X)
        if X.ndim != 2:
            raise ValueError(f"X must be a table with columns for users and items, got {X.ndim} dimension(s).")
        if X.dtype.kind == "c":
            raise ValueError("X: Complex data not supported.")
    if X.shape[0] == 0:
        raise ValueError("X has no rows: at least one rating is required.")
    names = column_names(X)
    user, item = (_position(c, names) for c in columns[:2])
    if max(user, item) >= X.shape[1]:
        raise ValueError(f"X has {X.shape[1]} column(s); a long table has a user, an item and a rating column.")
    return X, names, cells(X, user), cells(X, item)


def _position(column, names):
    if isinstance(column, str):
        if column not in names:
            raise ValueError(f"`columns`: X has no column {column!r}; its columns are {names}.")
        return names.index(column)
    if isinstance(column, (bool, np.bool_)) or not isinstance(column, (int, np.integer)) or column < 0:
        raise ValueError(f"`columns` must hold names or positions of columns (0, 1, ...), got {column!r}.")
    return int(column)


@dataclass
class Ratings:
    """Ratings by codes of users and items: sorted by user, then item, each pair once."""

    users: np.ndarray  # labels, sorted
    items: np.ndarray
    rows: np.ndarray  # codes
    cols: np.ndarray
    values: np.ndarray
    weights: np.ndarray  # empty without weights

    @property
    def shape(self):
        return len(self.users), len(self.items)

    @functools.cached_property
    def starts(self):
        """Position at which the ratings of each user begin."""
        return _starts(self.rows, len(self.users))

    def matrix(self, values=None):
        """Compressed rows with the ratings, or other values of the same pairs."""
        data = self.values if values is None else values
        return sparse.csr_matrix((data, self.cols, self.starts), shape=self.shape)

    def arrays(self):
        """Values, columns and starts of the rows, for a kernel."""
        return self.values, self.cols, self.starts

    def turned(self):
        """The ratings with users and items exchanged."""
        order = self.matrix(np.arange(len(self.rows))).tocsc().data
        weights = self.weights[order] if len(self.weights) else self.weights
        return Ratings(self.items, self.users, self.cols[order], self.rows[order], self.values[order], weights)


def _starts(rows, n):
    return np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=n))]).astype(np.int32)


def _in_order(rows, cols, *others):
    """Pairs sorted by row and column, with their arrays; equal pairs keep their order."""
    if (rows[1:] >= rows[:-1]).all() and ((cols[1:] >= cols[:-1]) | (rows[1:] != rows[:-1])).all():
        return rows, cols, *others
    keys = rows.astype(np.int64) * (int(cols.max()) + 1) + cols
    order = np.argsort(keys, kind="stable")
    return tuple(values[order] for values in (rows, cols, *others))


def read_ratings(X, y=None, sample_weight=None, *, columns=(0, 1, 2), duplicates="error", layout="long"):
    """Ratings from what the user has.

    A sparse matrix, and a dense one with ``layout="matrix"``, has users as rows and items as columns: stored entries,
    or those that are not NaN, are ratings. Other tables are long: a user, an item and a rating per row.
    """
    if sparse.issparse(X) or layout == "matrix":
        users, items, rows, cols, values = _from_matrix(X)
        weights = None
        if sample_weight is not None:
            raise ValueError("sample_weight is supported for long tables only.")
    else:
        X, names, users, items = read_pairs(X, columns)
        if y is None and X.shape[1] > 3 and not any(isinstance(c, str) for c in columns):
            _refuse_matrix(X)
        values = _ratings_column(X, y, names, columns)
        weights = check_weights(sample_weight, np.empty((len(values), 1)))
        keep = ~np.isnan(values)
        if weights is not None:
            keep &= weights > 0
        if not keep.any():
            raise ValueError("X contains no ratings: all of them are missing.")
        users, items, values = np.asarray(users)[keep], np.asarray(items)[keep], values[keep]
        weights = np.empty(0) if weights is None else weights[keep]
        user_name, item_name = (f"column {names[_position(c, names)]!r} of X" for c in columns[:2])
        users, rows = np.unique(plain_labels(users, user_name, _MATRIX_HINT), return_inverse=True)
        items, cols = np.unique(plain_labels(items, item_name, _MATRIX_HINT), return_inverse=True)
        rows, cols = rows.ravel(), cols.ravel()
    if np.isinf(values).any():
        raise ValueError("X contains infinite ratings.")
    if max(len(values), len(users), len(items)) > np.iinfo(np.int32).max:
        raise ValueError(f"X contains {len(values)} ratings; at most {np.iinfo(np.int32).max} are supported.")
    if weights is None or len(weights) == 0:
        rows, cols, values = _in_order(rows, cols, values)
        weights = np.empty(0)
    else:
        rows, cols, values, weights = _in_order(rows, cols, values, weights)
    rows, cols = rows.astype(np.int32, copy=False), cols.astype(np.int32, copy=False)
    ratings = Ratings(users, items, rows, cols, np.asarray(values, np.float64), weights)
    return _without_duplicates(ratings, duplicates)


def _refuse_matrix(X):
    """Raise an error if a table is read as a list of ratings although all its columns look like ratings.

    In a list with further columns, most users or items are beyond the scale of the other columns, or these are beyond
    the scale of the first three, such as time stamps. Labels are not fractions, either.
    """
    try:
        values = np.asarray(X, dtype=np.float64)
    except (TypeError, ValueError):  # names of users or items
        return
    users, items, first, further, others = (
        part[~np.isnan(part)] for part in (values[:, 0], values[:, 1], values[:, :3], values[:, 3:], values[:, 2:])
    )
    if not (len(users) and len(items) and len(further)):
        return
    shares = [_share_within(users, others), _share_within(items, others), _share_within(further, first)]
    if min(shares) > 0.7 or (users % 1 != 0).any() or (items % 1 != 0).any():
        raise ValueError(
            f"X has {X.shape[1]} columns that look like ratings, but layout='long' reads only a user, an item and a "
            "rating column. If X has a row per user and a column per item, use layout='matrix'; if it is a list of "
            "ratings, pass its three columns only."
        )


def _share_within(values, others):
    return np.mean((values >= others.min()) & (values <= others.max()))


def _from_matrix(X):
    users = items = None
    if hasattr(X, "columns") and not sparse.issparse(X):
        refuse_lazy(X)
        users = _frame_labels(getattr(X, "index", None), "row labels")
        items = _frame_labels(X.columns, "column names")
    if sparse.issparse(X):
        X = X.tocoo(copy=True)  # recommenders store what they read
        values, rows, cols = np.asarray(X.data, dtype=np.float64), X.row, X.col
        missing = np.isnan(values)
        if missing.any():
            values, rows, cols = values[~missing], rows[~missing], cols[~missing]
    else:
        X = np.asarray(X, dtype=np.float64)
        if X.ndim != 2:
            raise ValueError(f"X must be a matrix of users by items, got {X.ndim} dimension(s).")
        rows, cols = np.nonzero(~np.isnan(X))
        values = X[rows, cols]
    if len(values) == 0:
        raise ValueError("X contains no ratings.")
    users = np.arange(X.shape[0]) if users is None else users
    items = np.arange(X.shape[1]) if items is None else items
    return users, items, rows, cols, values


def _frame_labels(labels, name):
    """Labels of the rows or columns of a frame; None if it has none."""
    if labels is None:
        return None
    labels = plain_labels(labels, f"X ({name})")
    unique, counts = np.unique(labels, return_counts=True)
    if len(unique) < len(labels):
        raise ValueError(
            f"X: {name} must be unique with layout='matrix', but {unique[counts > 1][:1].tolist()[0]!r} is repeated."
        )
    return labels


def _ratings_column(X, y, names, columns):
    """Ratings of a long table: y, or a column; 1 for every pair if there is neither."""
    if y is not None:
        values, name = y, "y"
        if len(values) != X.shape[0]:
            raise ValueError(f"y has {len(values)} ratings, but X has {X.shape[0]} rows.")
    elif len(columns) > 2 and (isinstance(columns[2], str) or columns[2] < X.shape[1]):
        at = _position(columns[2], names)
        values, name = cells(X, at), f"column {names[at]!r} of X"
    else:
        return np.ones(X.shape[0])
    if np.ndim(values) == 2 and np.shape(values)[1] != 1:
        raise ValueError(f"{name} must hold one rating per row, got shape {np.shape(values)}.")
    try:
        return np.array(values, dtype=np.float64).ravel()
    except (TypeError, ValueError):
        raise ValueError(f"Ratings must be numbers: {name} contains text or objects.") from None


def _without_duplicates(ratings, duplicates):
    """The ratings with each pair once, by the treatment of duplicates."""
    same = (ratings.rows[1:] == ratings.rows[:-1]) & (ratings.cols[1:] == ratings.cols[:-1])
    if not same.any():
        return ratings
    if duplicates == "error":
        at = int(np.flatnonzero(same)[0])
        pair = ratings.users[ratings.rows[at]].item(), ratings.items[ratings.cols[at]].item()
        raise ValueError(
            f"X contains {int(same.sum())} repeated pair(s) of user and item, the first is {pair}. Remove them or use "
            "duplicates='mean', 'sum' or 'last'."
        )
    first = np.flatnonzero(np.append(True, ~same))
    last = np.append(first[1:], len(ratings.rows)) - 1
    weights = ratings.weights if len(ratings.weights) else np.ones(len(ratings.rows))
    total = np.add.reduceat(weights, first)
    if duplicates == "last":
        values, total = ratings.values[last], weights[last]
    else:
        values = np.add.reduceat(weights * ratings.values, first)
        if duplicates == "mean":
            values = values / total
    row_weights = total if len(ratings.weights) else ratings.weights
    return Ratings(ratings.users, ratings.items, ratings.rows[first], ratings.cols[first], values, row_weights)


def note_unknown(users, items, instead):
    """Warn of pairs with an unknown user or item (code -1), and say what is predicted instead."""
    n = int(((users < 0) | (items < 0)).sum())
    if n:
        have = "has" if n == 1 else "have"
        warn(
            f"{n} of {len(users)} pairs {have} a user or an item without ratings in the training data. Their "
            f"prediction is {instead}.",
            UnknownLabelWarning,
        )
