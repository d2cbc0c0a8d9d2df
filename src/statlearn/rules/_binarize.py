"""Tables of numbers and categories as tables of items."""

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from statlearn._core.frames import as_frame, take_rows
from statlearn._core.frames.column_kinds import guess_numbers
from statlearn._core.frames.typed_columns import array_columns, frame_columns
from statlearn._core.names import input_names
from statlearn._core.params import Int, Options, check_params
from statlearn._core.validation import check_weights, validate_data
from statlearn._core.warnings import AmbiguousInputWarning, warn
from statlearn._math.linalg.quantiles import weighted_quantile


class BinarizeDataset(TransformerMixin, BaseEstimator):
    """Binarisation of a table: one item per category, and one per interval of a numeric column.

    Ordinal and numeric columns are cut at the median into two intervals, or at quantiles into more. Other columns give
    one item per level. Exactly one item of each column is true in each row.

    Parameters
    ----------
    ordinal : "auto" or array-like of column names or positions, default="auto"
        Columns to cut. "auto" cuts numeric columns with more than `max_levels` distinct values, dates, and ordered
        categories, and warns of columns of three or more integer codes, which could be either.
    n_bins : int, default=2
        Number of intervals of an ordinal column; ties can leave fewer.
    max_levels : int, default=10
        With ``ordinal="auto"``, a numeric column with at most this many distinct values gives one item per value.
    missing : {"drop", "ignore"}, default="drop"
        Rows with missing values are left out of the result, or have no item for the columns with missing values.
    drop_identifiers : bool, default=True
        Whether to leave out columns of text in which more than half of the values are distinct, if there are more than
        `max_levels`, because they cannot form frequent items; and, with ``ordinal="auto"``, numbers that are
        identifiers by their name ("rownames", "user_id"; "nr" if it counts the rows) and nearly all distinct.
    keep : array-like of column names or positions, default=()
        Columns that are not left out as identifiers.

    Attributes
    ----------
    items_ : list of str
        Names of the resulting columns, such as "sex=female", "age<=35" and "age>35".
    columns_ : list of int
        Column of X behind each item.
    cuts_ : dict of int to ndarray
        Boundaries of the ordinal columns, by position.
    levels_ : dict of int to list
        Levels of the other columns.
    dropped_ : dict of str to str
        Columns without items and the reason: a single value, no value, or identifiers.
    n_features_in_ : int
        Number of columns of X.
    feature_names_in_ : ndarray of str
        Column names of X, if it has any.

    See Also
    --------
    TransactionEncoder : for baskets.

    Notes
    -----
    An item can only say "this column has this value" or "lies in this interval". Rules cannot express other subsets of
    values; see :class:`GeneralizedRules`. A level that `fit` has not seen has no item.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.rules import BinarizeDataset
    >>> X = np.array([["f", 31], ["m", 45], ["f", 28], ["m", 60]], dtype=object)
    >>> binarizer = BinarizeDataset(ordinal=[1]).fit(X)
    >>> binarizer.items_
    ['x0=f', 'x0=m', 'x1<=38', 'x1>38']
    >>> binarizer.transform(X)[0]
    array([ True, False,  True, False])
    """

    _constraints = {
        "ordinal": [Options("auto"), "array-like"],
        "n_bins": [Int(2, 65_536)],
        "max_levels": [Int(1, None)],
        "missing": [Options("drop", "ignore")],
        "drop_identifiers": ["boolean"],
        "keep": ["array-like"],
    }

    def __init__(self, *, ordinal="auto", n_bins=2, max_levels=10, missing="drop", drop_identifiers=True, keep=()):
        self.ordinal = ordinal
        self.n_bins = n_bins
        self.max_levels = max_levels
        self.missing = missing
        self.drop_identifiers = drop_identifiers
        self.keep = keep

    def fit(self, X, y=None, sample_weight=None):
        """Learn levels and boundaries.

        Parameters
        ----------
        X : array-like or data frame of shape (n_rows, n_columns)
        y : ignored
        sample_weight : array-like of shape (n_rows,) or None, default=None
            A weight of k is equivalent to k copies of the row, a weight of 0 to omitting it.

        Returns
        -------
        self
        """
        names, columns = self._learn(X, sample_weight)
        coded = [
            names[j]
            for j, levels in self.levels_.items()
            if columns[j].type == "number" and len(levels) > 2 and all(float(level).is_integer() for level in levels)
        ]
        if coded and isinstance(self.ordinal, str):
            shown = ", ".join(repr(name) for name in coded[:5]) + (", ..." if len(coded) > 5 else "")
            warn(
                f"X: the integers of column {shown} become one item per value. If their order matters, list the "
                "columns to cut at the median as `ordinal`; if they are codes, pass them as text, or `ordinal` without "
                "them.",
                AmbiguousInputWarning,
            )
        return self

    def _learn(self, X, sample_weight):
        """Learn levels and boundaries without a warning; returns the names and cells of the columns."""
        check_params(self)
        names, columns = self._read(X, reset=True)
        complete = ~np.any([cells.missing for cells in columns], axis=0)
        if self.missing == "drop" and not complete.any():
            raise ValueError("X has no row without missing values; use missing='ignore'.")
        used = complete if self.missing == "drop" else np.ones(len(complete), dtype=bool)
        weights = check_weights(sample_weight, np.empty((len(complete), 0)))
        if weights is not None:
            used = used & (weights > 0)
        cut = self._cut_columns(names, columns, used)
        usable = (
            {_position(column, names, "keep") for column in self.keep} if self.drop_identifiers else range(len(names))
        )
        self.items_, self.columns_, self.cuts_, self.levels_, self.dropped_ = [], [], {}, {}, {}
        for j, (name, cells) in enumerate(zip(names, columns)):
            if cells.type == "empty" or cells.missing[used].all():
                self.dropped_[name] = "no value"
            elif j not in usable and self._is_identifier(name, cells, used):
                self.dropped_[name] = f"identifiers ({_n_distinct(cells, used):,} distinct values)"
            elif cut[j]:
                self._learn_cuts(j, name, cells, used, weights)
            else:
                self._learn_levels(j, name, cells, used)
        return names, columns

    def _read(self, X, reset):
        """Names and cells of the columns."""
        names, columns = read_table(self, X, reset)
        for name, cells in zip(names, columns):
            if cells.type == "number" and np.isinf(cells.values).any():
                raise ValueError(
                    f"X contains infinity in column {name!r}; replace it with a number or a missing value."
                )
        return names, columns

    def _cut_columns(self, names, columns, used):
        if isinstance(self.ordinal, str):
            return [
                cells.type in ("date", "ordinal")
                or (cells.type == "number" and _n_distinct(cells, used) > self.max_levels)
                for cells in columns
            ]
        cut = [False] * len(names)
        for column in self.ordinal:
            j = _position(column, names, "ordinal")
            if columns[j].type == "string":
                raise ValueError(f"`ordinal` contains {names[j]!r}, a column of text without an order.")
            cut[j] = True
        return cut

    def _is_identifier(self, name, cells, used):
        if cells.type == "string":
            return _n_distinct(cells, used) > max(self.max_levels, np.count_nonzero(used) / 2)
        if cells.type != "number" or not isinstance(self.ordinal, str):
            return False
        return guess_numbers([name], cells.values[used, None])[0] == "identifier"

    def _learn_cuts(self, j, name, cells, used, weights):
        values, levels = _numbers(cells)
        rows = used & ~np.isnan(values)
        known, w = values[rows], None if weights is None else weights[rows]
        if len(np.unique(known)) < 2:
            self.dropped_[name] = "a single value"
            return
        shares = np.arange(1, self.n_bins) / self.n_bins
        cuts = np.array([weighted_quantile(known, w, share, midpoint=True) for share in shares])
        # An interval must not be empty: a boundary at the maximum moves to the value below it.
        below = known[known < known.max()].max()
        cuts = np.unique(np.minimum(cuts, below))
        self.cuts_[j] = cuts
        words = [_word(c, cells, levels) for c in cuts]
        for k in range(len(cuts) + 1):
            if k == 0:
                text = f"{name}<={words[0]}"
            elif k == len(cuts):
                text = f"{name}>{words[-1]}"
            else:
                text = f"{words[k - 1]}<{name}<={words[k]}"
            self.items_.append(text)
            self.columns_.append(j)

    def _learn_levels(self, j, name, cells, used):
        text = cells.as_strings()[used]
        distinct = {value for value in text if value is not None}
        if len(distinct) < 2:
            self.dropped_[name] = "a single value"
            return
        if cells.type == "number":
            levels = sorted(distinct, key=float)
        elif cells.levels is not None:
            levels = [level for level in cells.levels if level in distinct]
        else:
            levels = sorted(distinct)
        self.levels_[j] = levels
        self.items_ += [f"{name}={level}" for level in levels]
        self.columns_ += [j] * len(levels)

    def complete_rows(self, X):
        """Mask of the rows without missing values, those that `transform` returns with ``missing="drop"``.

        Parameters
        ----------
        X : array-like or data frame of shape (n_rows, n_columns)

        Returns
        -------
        ndarray of bool
        """
        check_is_fitted(self)
        _, columns = self._read(X, reset=False)
        return ~np.any([cells.missing for cells in columns], axis=0)

    def transform(self, X):
        """Boolean table of the items.

        Parameters
        ----------
        X : array-like or data frame of shape (n_rows, n_columns)

        Returns
        -------
        ndarray of bool, of shape (n_rows, n_items)
            Without the incomplete rows, if ``missing="drop"``.
        """
        check_is_fitted(self)
        _, columns = self._read(X, reset=False)
        blocks = [np.zeros((len(columns[0]), 0), dtype=bool)]
        for j, cells in enumerate(columns):
            if j in self.cuts_:
                values = _numbers(cells)[0]
                place = np.searchsorted(self.cuts_[j], values, side="left")
                block = place[:, None] == np.arange(len(self.cuts_[j]) + 1)
                block[np.isnan(values)] = False
                blocks.append(block)
            elif j in self.levels_:
                text = cells.as_strings()
                blocks += [(text == level).astype(bool)[:, None] for level in self.levels_[j]]
        table = np.hstack(blocks)
        if self.missing == "drop":
            table = take_rows(table, ~np.any([cells.missing for cells in columns], axis=0))
        return table

    def get_feature_names_out(self, input_features=None):
        """Names of the items.

        Parameters
        ----------
        input_features : array-like of str or None, default=None
            Names of the columns of X; they must match those of `fit`.

        Returns
        -------
        ndarray of str
        """
        check_is_fitted(self)
        input_names(self, input_features)  # raises if they do not match
        return np.array(self.items_, dtype=object)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        tags.input_tags.allow_nan = True
        tags.transformer_tags.preserves_dtype = []
        return tags


def read_table(estimator, X, reset):
    """Names and typed cells of the columns of an array or data frame; missing values are allowed."""
    frame = as_frame(X)
    if frame is None:
        X = validate_data(estimator, X, dtype=None, ensure_all_finite="allow-nan", reset=reset)
        if X.dtype.kind == "c":
            raise ValueError("Complex data not supported: X must contain numbers or text.")
        columns = list(array_columns(X))
        return [f"x{j}" for j in range(len(columns))], columns
    validate_data(estimator, X, reset=reset, skip_check_array=True)
    if not len(frame.columns) or not len(frame):
        raise ValueError(f"Found array with {len(frame)} sample(s) and {len(frame.columns)} feature(s): X is empty.")
    if not all(isinstance(name, str) for name in frame.columns):
        frame = frame.rename({name: str(name) for name in frame.columns})
    cells = dict(frame_columns(frame.to_native()))
    return list(cells), list(cells.values())


def _n_distinct(cells, used):
    if cells.type == "number":
        return len(np.unique(cells.values[used & ~cells.missing]))
    return len({value for value in cells.as_strings()[used] if value is not None})


def _position(column, names, argument):
    """Position of a column that is given by its name or its position."""
    if isinstance(column, str) and column in names:
        return names.index(column)
    if isinstance(column, (int, np.integer)) and -len(names) <= column < len(names):
        return int(column) % len(names)
    raise ValueError(f"{argument} contains {column!r}, which is not a column of X.")


def _numbers(cells):
    """An ordinal column as floats with NaN, and the levels behind them."""
    if cells.type == "date":
        days = cells.values.astype("datetime64[s]").astype(np.float64) / 86400.0
        days[np.isnat(cells.values)] = np.nan
        return days, None
    if cells.type == "ordinal":
        place = {level: k for k, level in enumerate(cells.levels)}
        return np.array([np.nan if v is None else place.get(v, np.nan) for v in cells.values]), cells.levels
    if cells.type in ("number", "boolean", "empty"):
        values = cells.values.astype(np.float64) if cells.type != "empty" else np.full(len(cells.values), np.nan)
        return values, None
    try:
        return np.array([np.nan if v is None else float(v) for v in cells.values]), None
    except ValueError as error:
        raise ValueError(f"X contains text in a column that had numbers at fit: {error}.") from None


def _word(cut, cells, levels):
    if levels is not None:
        return levels[int(np.floor(cut))]
    if cells.type == "date":
        return str(np.datetime64(int(round(cut * 86400)), "s").astype("datetime64[D]"))
    return f"{cut:.10g}"
