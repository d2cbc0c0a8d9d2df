"""Mixed tables for k-prototypes: one block of numbers, one of category codes."""

import numpy as np

from statlearn._core.frames import missing


class Levels:
    """The levels of one categorical column, sorted, and their codes."""

    def __init__(self, values):
        self.values = _sorted_distinct(values)
        self.codes_of = {level: code for code, level in enumerate(self.values)}

    def encode(self, values):
        """Codes of the values; -1 for a level not seen in training."""
        if values.dtype.kind != "O":
            known = np.asarray(self.values)
            if known.dtype.kind in "biufU" and (known.dtype.kind == "U") == (values.dtype.kind == "U"):
                place = np.minimum(np.searchsorted(known, values), len(known) - 1)
                return np.where(known[place] == values, place, -1).astype(np.intp)
        return np.array([self.codes_of.get(v, -1) for v in values.tolist()], dtype=np.intp)


def _sorted_distinct(values):
    if values.dtype.kind != "O":
        return np.unique(values).tolist()
    distinct = set(values.tolist())
    try:
        return sorted(distinct)
    except TypeError:  # text and numbers in one column
        return sorted(distinct, key=lambda v: (type(v).__name__, v))


class MixedTable:
    """Split of a validated table into numbers and codes, learned from the training rows."""

    def __init__(self, X, categorical):
        self.categorical = categorical
        self.levels = [Levels(self._column(X, j)) for j in np.flatnonzero(categorical)]

    def split(self, X):
        """Numbers (n x q, doubles) and codes (n x r)."""
        numbers = np.empty((X.shape[0], int((~self.categorical).sum())))
        for place, j in enumerate(np.flatnonzero(~self.categorical)):
            try:
                numbers[:, place] = X[:, j].astype(np.float64)
            except (TypeError, ValueError) as error:
                raise ValueError(f"X: column {j} is numeric but contains text: {error}") from error
        if not np.isfinite(numbers).all():
            raise ValueError("Input X contains NaN or infinity in a numeric column.")
        codes = np.empty((X.shape[0], len(self.levels)), dtype=np.intp)
        for place, j in enumerate(np.flatnonzero(self.categorical)):
            codes[:, place] = self.levels[place].encode(self._column(X, j))
        return np.ascontiguousarray(numbers), codes

    def join(self, numbers, codes, dtype):
        """Rows of numbers and levels in the original representation."""
        plain = np.dtype(dtype).kind != "O"
        rows = np.empty((len(codes), len(self.categorical)), dtype=dtype if plain else object)
        rows[:, ~self.categorical] = numbers
        for place, j in enumerate(np.flatnonzero(self.categorical)):
            levels = np.array(self.levels[place].values, dtype=dtype if plain else object)
            rows[:, j] = levels[codes[:, place]]
        return rows

    @staticmethod
    def _column(X, j):
        column = X[:, j]
        if missing(column).any():
            raise ValueError(f"X: column {j} contains missing values; replace them, or code them as a separate level.")
        return column


def find_categorical(X):
    """Columns that contain values other than numbers."""
    if X.dtype.kind != "O":
        return np.full(X.shape[1], X.dtype.kind not in "biuf")

    def is_number(v):
        return isinstance(v, (int, float, np.number)) and not isinstance(v, bool)

    return np.array([not all(is_number(v) for v in X[:, j].tolist()) for j in range(X.shape[1])], dtype=bool)
