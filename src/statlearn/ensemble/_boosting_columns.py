"""What the columns of a boosted table are: categories, monotone effects, groups that may interact, draws."""

import numbers

import numpy as np


def categorical_mask(given, p, names=None):
    """Mask of the categorical columns from indices, names or a mask; None and "from_dtype" give none."""
    mask = np.zeros(p, bool)
    if given is None or isinstance(given, str):
        return mask
    given = np.asarray(given)
    if given.size == 0:
        return mask
    if given.dtype == bool:
        if given.shape != (p,):
            raise ValueError(f"categorical_features: a mask needs {p} entries, got {given.shape[0]}.")
        return given.copy()
    if given.dtype.kind in "iu":
        if given.min() < 0 or given.max() >= p:
            raise ValueError(f"categorical_features: column numbers must lie between 0 and {p - 1}.")
        mask[given] = True
        return mask
    if names is None:
        raise ValueError("categorical_features: names need a data frame with column names.")
    unknown = sorted(set(given.tolist()) - set(names))
    if unknown:
        raise ValueError(f"categorical_features: no column named {unknown[0]!r}.")
    return np.isin(names, given)


class LevelCodes:
    """Columns of a data frame whose values are names, and the number of each name.

    Columns of a categorical, string or object type among the chosen ones are replaced by codes; a name that `fit` has
    not seen becomes a missing value. Arrays, and frames of numbers, pass unchanged.
    """

    def __init__(self, given):
        self.given = given
        self.levels = {}
        self.columns = []

    def fit(self, X):
        frame = _as_frame(X)
        if frame is None:
            return self
        wanted = self._wanted(frame)
        self.columns = [name for name in frame.columns if name in wanted]
        for name in self.columns:
            column = frame[name]
            if not column.dtype.is_numeric():
                self.levels[name] = sorted(set(column.drop_nulls().cast(_string_type()).to_list()))
        return self

    def _wanted(self, frame):
        if isinstance(self.given, str):  # "from_dtype"
            return {name for name in frame.columns if _is_categorical(frame[name].dtype)}
        if self.given is None:
            return set()
        return set(np.asarray(frame.columns)[categorical_mask(self.given, frame.shape[1], frame.columns)])

    def transform(self, X):
        """The frame with names replaced by numbers."""
        frame = _as_frame(X) if self.levels else None
        if frame is None:
            return X
        replaced = []
        for name, levels in self.levels.items():
            if name not in frame.columns:
                continue
            number = {level: float(k) for k, level in enumerate(levels)}
            values = frame[name].cast(_string_type()).to_list()
            codes = np.array([number.get(v, np.nan) for v in values], np.float64)
            replaced.append(_series_like(frame, name, codes))
        return frame.with_columns(*replaced).to_native()

    def mask(self, p, names):
        """Mask of the categorical columns."""
        if self.columns:
            return np.isin(names, self.columns)
        return categorical_mask(self.given, p, names)


def _as_frame(X):
    if not hasattr(X, "columns") or not hasattr(X, "dtypes") or not all(isinstance(c, str) for c in X.columns):
        return None
    import narwhals.stable.v2 as nw

    frame = nw.from_native(X, eager_only=True, pass_through=True)
    return frame if isinstance(frame, nw.DataFrame) else None


def _string_type():
    import narwhals.stable.v2 as nw

    return nw.String


def _is_categorical(dtype):
    import narwhals.stable.v2 as nw

    return dtype in (nw.Categorical, nw.Enum)


def _series_like(frame, name, values):
    import narwhals.stable.v2 as nw

    series = nw.new_series(name, values, nw.Float64, backend=frame.implementation)
    native = series.to_native()
    if hasattr(native, "index"):  # pandas aligns by index
        native.index = frame.to_native().index
        series = nw.from_native(native, series_only=True)
    return series


def monotone_signs(given, p, names=None):
    """-1, 0 or +1 per column, from a list or from names; empty when there is no constraint."""
    if given is None:
        return np.empty(0, np.int8)
    if isinstance(given, dict):
        names = [] if names is None else list(names)
        unknown = sorted(set(given) - set(names))
        if unknown:
            raise ValueError(f"monotonic_cst: no column named {unknown[0]!r}.")
        given = [given.get(name, 0) for name in names]
    signs = np.asarray(given)
    if signs.shape != (p,) or not np.all(np.isin(signs, (-1, 0, 1))):
        raise ValueError(f"monotonic_cst needs one of -1, 0, 1 for each of the {p} columns.")
    return signs.astype(np.int8) if np.any(signs) else np.empty(0, np.int8)


def interaction_groups(given, p, names=None):
    """Flags (n_groups, p) of the columns that may meet on a path; no rows when there is no constraint."""
    if given is None:
        return np.empty((0, p), np.uint8)
    if isinstance(given, str):
        if given == "no_interactions":
            return np.eye(p, dtype=np.uint8)
        pairs = [(i, j) for i in range(p) for j in range(i + 1, p)] or [(0,)]
        return _flags(pairs, p)
    groups = [_numbers(group, p, names) for group in given]
    rest = set(range(p)).difference(*groups)
    return _flags([*groups, rest] if rest else groups, p)


def _numbers(group, p, names):
    found = []
    for item in group:
        if isinstance(item, str):
            if names is None or item not in set(names):
                raise ValueError(f"interaction_cst: no column named {item!r}.")
            item = list(names).index(item)
        if not isinstance(item, numbers.Integral) or not 0 <= item < p:
            raise ValueError(f"interaction_cst: column numbers must lie between 0 and {p - 1}, got {item!r}.")
        found.append(int(item))
    return set(found)


def _flags(groups, p):
    flags = np.zeros((len(groups), p), np.uint8)
    for k, group in enumerate(groups):
        flags[k, list(group)] = 1
    return flags


def columns_per_split(max_features, p):
    """The number of columns drawn for each split: scikit-learn's meaning of `max_features`."""
    if max_features is None:
        return p
    if max_features == "sqrt":
        return max(1, int(np.sqrt(p)))
    if max_features == "log2":
        return max(1, int(np.log2(p)))
    if isinstance(max_features, numbers.Integral):
        return min(int(max_features), p)
    return max(1, int(max_features * p))


def row_limit(limit, n):
    """A number of rows given as such or as a share of n."""
    return int(limit) if isinstance(limit, numbers.Integral) else int(np.ceil(limit * n))
