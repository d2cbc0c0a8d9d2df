"""Mixed tables: every column taken for what it is, and turned into columns of a design matrix."""

import re

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from statlearn._core.params import Instance, Int, Options, check_params
from statlearn._core.summary import Summary, Table

from ._cells import array_columns, counts, date_format, drop_markers, frame_columns, is_frame, number_format
from ._names import input_names
from ._table_columns import CategoryEncoder, DateEncoder, LevelEncoder, Misfit, NumericEncoder, TextEncoder

KINDS = ("number", "binary", "category", "ordinal", "date", "text", "drop")
DROPPED = {
    "drop": "dropped as asked",
    "empty": "dropped: no cell is filled",
    "constant": "dropped: one value only",
    "identifier": "dropped: another value in (nearly) every row",
}
# Below this many rows nothing is called an identifier: a few rows are easily all different.
FEW_ROWS = 10
_ID_NAME = re.compile(r"(.*[_\W])?(id|uuid|guid|index|key|rownames?|row_?(number|id|nr)|unnamed: 0)", re.IGNORECASE)

# Columns that may well count from 1 and mean something.
_TIME_NAME = re.compile(r"(.*[_\W])?(t|time|age|(second|minute|hour|day|week|month|year|step|period)s?)", re.IGNORECASE)


def guess_kind(name, cells, *, max_levels=30, markers=()):
    """What a column is taken for: one of the kinds of :class:`TableTransformer`, "empty", "constant" or "identifier".

    Numbers are numbers, even if they have two values only; text is read as numbers or dates if every cell reads so.
    Text with two levels is "binary". It is "text" when its cells have several words and mostly differ, an "identifier"
    when nearly every row has a level of its own.
    """
    if cells.type in ("number", "boolean", "date"):
        present = cells.values[~cells.missing]
        if not present.size:
            return "empty"
        if len(present) == len(cells) and (present == present[0]).all():
            return "constant"
        if cells.type == "number":
            return "identifier" if _numbers_rows(name, present) else "number"
        return "binary" if cells.type == "boolean" else "date"
    text = drop_markers(cells.values, markers)
    found = counts(text)
    filled = sum(found.values())
    if not filled:
        return "empty"
    if len(found) == 1 and filled == len(text):
        return "constant"
    if cells.type == "ordinal":
        return "ordinal"
    if number_format(list(found)) is not None:
        return "number"
    if date_format(list(found)) is not None:
        return "date"
    if len(found) == 2:
        return "binary"
    return _guess_text(found, filled, max_levels)


def _numbers_rows(name, present):
    """Whole numbers, all different, that count the rows from 0 or 1, or whose column is called an identifier.

    A column that is named after time is none.
    """
    if (
        present.size < FEW_ROWS
        or _TIME_NAME.fullmatch(str(name))
        or not (np.isfinite(present).all() and (present == np.round(present)).all())
    ):
        return False
    if len(np.unique(present)) < present.size:
        return False
    counted = present.min() in (0, 1) and np.ptp(present) == present.size - 1
    return bool(counted or _ID_NAME.fullmatch(str(name)))


def _guess_text(found, filled, max_levels):
    words = sum(count * len(text.split()) for text, count in found.items()) / filled
    differ = len(found) / filled
    if (words >= 4 and differ > 0.5) or (words >= 2.5 and len(found) > max_levels):
        return "text"
    return "identifier" if differ > 0.9 and filled >= FEW_ROWS else "category"


class TableTransformer(TransformerMixin, BaseEstimator):
    """A design matrix from a table of mixed columns: numbers, levels, dates, text, with missing cells.

    Each column is taken for one kind, decided on the training table or given in `kinds`, and encoded accordingly:

    - "number": as it is; text is read where every cell shows a number ("75K", "$1,200.50", "12 %").
    - "binary": booleans and text with two levels become one column of 0 and 1.
    - "category": one column of 0 and 1 per level. The rarest levels are pooled as "(other)" beyond `max_levels`;
      missing cells are a level of their own if there are any in training.
    - "ordinal": ordered levels become 0, 1, 2, ... (an ordered type of the frame, or `orders`).
    - "date": days since the first date of the training table, and year, month, day, weekday (Monday is 0) and hour as
      far as they vary in it; text is read where every cell shows a date.
    - "text": tf-idf weights of the `max_terms` most frequent words.

    Columns that are empty, constant, or different in (nearly) every row like an identifier are dropped, with a record
    (numbers only if they count the rows or the column is called an identifier, and something else is left).

    Parameters
    ----------
    kinds : dict or None, default=None
        Kinds of columns by name (by number for an array), where the automatic choice is not wanted: "number", "binary",
        "category", "ordinal", "date", "text" or "drop".
    scale : bool, default=False
        Whether numbers, ordinal codes and the parts of dates get mean 0 and variance 1. Columns of 0 and 1 and tf-idf
        weights are left alone.
    drop : {"first"} or None, default=None
        "first" leaves out the first level of each category, so that the columns are independent of an intercept.
    max_levels : int, default=30
        The most columns that a category gets, missing cells aside: rarer levels are pooled.
    min_count : int, default=1
        Levels with fewer rows than this are pooled.
    max_terms : int, default=100
        The most columns that a text gets.
    impute : {"median", "mean"}, default="median"
        What fills the missing cells of numbers and dates. Ordered levels take the (lower) median, two levels the more
        frequent one.
    indicator : bool, default=True
        Whether a column that had missing cells in training gets a second one that marks them.
    keep_missing : bool, default=False
        Leave NaN where cells are missing, for models that take them (trees). No indicator is made then.
    sparse : bool, default=False
        Whether the design is a sparse CSR array.
    orders : dict or None, default=None
        Levels from low to high of ordinal columns, by column.
    missing_markers : list of str, default=("", "?", "NA", "N/A", "NaN", "nan", "null", "NULL")
        Text cells that stand for a missing value.

    Attributes
    ----------
    kinds_ : dict
        What each column was taken for. Beside the kinds above: "empty", "constant", "identifier", "drop".
    dropped_ : dict
        The columns left out and why.
    missing_ : dict
        How many cells of each column were missing.
    encoders_ : dict
        The fitted encoder of each column that is used.
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Only for data frames with names that are strings.

    Notes
    -----
    Everything is learned in `fit`, so that a pipeline learns it inside the training folds. A row of the result depends
    on no other row. A level that was not in the training table counts as "(other)" if rare levels were pooled, and has
    zeros in all columns if not; in a binary or ordinal column it counts as missing.

    `transform` finds the columns of a data frame by name: their order does not matter, others are ignored, those that
    were dropped may be absent. Columns that are lacking, or whose cells cannot be of the kind that was learned, raise a
    ValueError that names them all. Arrays must have the columns of the training array.

    Use ``drop="first"`` and `scale` for linear models, neither for trees. A low count of distinct numbers does not make
    a category: say ``kinds={"zip": "category"}`` where numbers are names.

    References
    ----------
    Hastie, T., Tibshirani, R. and Friedman, J. (2009). *The Elements of Statistical Learning*, 2nd ed., section 9.6.
    Kuhn, M. and Johnson, K. (2019). *Feature Engineering and Selection*. Chapters 5 and 8.

    Examples
    --------
    >>> import polars as pl
    >>> from statlearn.prep import TableTransformer
    >>> loans = pl.DataFrame({
    ...     "owner": ["Y", "N", "N", "Y", "N"],
    ...     "marital": ["Single", "Married", "Divorced", "Single", "Married"],
    ...     "age": [20, 25, None, 24, 28],
    ...     "income": ["75K", "100K", "170K", "90K", "120K"],
    ... })
    >>> table = TableTransformer().fit(loans)
    >>> table.kinds_
    {'owner': 'binary', 'marital': 'category', 'age': 'number', 'income': 'number'}
    >>> print(table.transform(loans[:2]))
    [[1.0e+00 0.0e+00 0.0e+00 1.0e+00 2.0e+01 0.0e+00 7.5e+04]
     [0.0e+00 0.0e+00 1.0e+00 0.0e+00 2.5e+01 0.0e+00 1.0e+05]]
    >>> print(table.summary())
    Mixed table: 4 columns to 7
    ===========================
                 kind  missing  columns                               treatment
    owner      binary        0        1                      1 for Y, 0 for N
    marital  category        0        3                              3 levels
    age        number        1        2  number, missing filled (median) and marked
    income     number        0        1                 number read from text
    """

    _constraints = {
        "kinds": [Instance(dict), None],
        "scale": ["boolean"],
        "drop": [Options("first"), None],
        "max_levels": [Int(2, None)],
        "min_count": [Int(1, None)],
        "max_terms": [Int(1, None)],
        "impute": [Options("median", "mean")],
        "indicator": ["boolean"],
        "keep_missing": ["boolean"],
        "sparse": ["boolean"],
        "orders": [Instance(dict), None],
        "missing_markers": ["array-like"],
    }

    def __init__(
        self,
        *,
        kinds=None,
        scale=False,
        drop=None,
        max_levels=30,
        min_count=1,
        max_terms=100,
        impute="median",
        indicator=True,
        keep_missing=False,
        sparse=False,
        orders=None,
        missing_markers=("", "?", "NA", "N/A", "NaN", "nan", "null", "NULL"),
    ):
        self.kinds = kinds
        self.scale = scale
        self.drop = drop
        self.max_levels = max_levels
        self.min_count = min_count
        self.max_terms = max_terms
        self.impute = impute
        self.indicator = indicator
        self.keep_missing = keep_missing
        self.sparse = sparse
        self.orders = orders
        self.missing_markers = missing_markers

    def fit(self, X, y=None):
        """Decide what each column is and learn its levels, fills, scales and words.

        Parameters
        ----------
        X : data frame or array of shape (n_samples, n_features)
        y : ignored

        Returns
        -------
        self
        """
        check_params(self)
        columns = dict(self._columns(X, fitting=True))
        self._check_given(columns)
        self.kinds_, self.dropped_, self.encoders_, self.missing_ = {}, {}, {}, {}
        for name, cells in columns.items():
            self.missing_[name] = int(cells.missing.sum())
            kind = self._kind(name, cells)
            encoder = None if kind in DROPPED else self._learn(name, cells, kind)
            if encoder is not None and not encoder.suffixes:  # for example a given kind on a constant column
                kind, encoder = "constant", None
            self.kinds_[name] = kind
            if encoder is None:
                self.dropped_[name] = DROPPED[kind]
            else:
                self.encoders_[name] = encoder
                self.missing_[name] = encoder.n_missing
        if not self.encoders_:
            self._keep_counters(columns)
        if not self.encoders_:
            rows = " (X has only one sample)" if len(next(iter(columns.values()))) == 1 else ""
            raise ValueError(f"No column of X is left to learn from{rows}: {self._list(self.dropped_)}.")
        return self

    def _keep_counters(self, columns):
        """Take numbers that look like identifiers for numbers after all, when nothing else is left."""
        for name, cells in columns.items():
            if self.kinds_[name] == "identifier" and cells.type == "number":
                self.kinds_[name], self.encoders_[name] = "number", self._learn(name, cells, "number")
                del self.dropped_[name]

    def transform(self, X):
        """The design matrix.

        Parameters
        ----------
        X : data frame or array of shape (n_samples, n_features)

        Returns
        -------
        ndarray or CSR array of shape (n_samples, n_columns), float64
        """
        check_is_fitted(self)
        columns = dict(self._columns(X, fitting=False))
        blocks, misfits = [], {}
        for name, encoder in self.encoders_.items():
            try:
                blocks.append(encoder.transform(columns[name]))
            except Misfit as misfit:
                misfits[name] = str(misfit)
        if misfits:
            raise ValueError(f"X has columns that do not fit the training table: {self._list(misfits)}.")
        if self.sparse:
            return sparse.hstack([sparse.csr_array(block) for block in blocks], format="csr")
        widths = np.cumsum([0] + [block.shape[1] for block in blocks])
        design = np.empty((blocks[0].shape[0], widths[-1]))
        for block, start, end in zip(blocks, widths[:-1], widths[1:]):
            design[:, start:end] = block.toarray() if sparse.issparse(block) else block
        return design

    def get_feature_names_out(self, input_features=None):
        """Names of the design's columns: the name of the column, and the level, part or word that they show.

        Parameters
        ----------
        input_features : array-like of str or None, default=None
            Names of the columns of an array; for a data frame they must be its own.

        Returns
        -------
        ndarray of str
        """
        check_is_fitted(self)
        names = dict(zip(self.kinds_, input_names(self, input_features)))
        out, taken = [], set()
        for column, encoder in self.encoders_.items():
            for suffix in encoder.suffixes:
                name = stem = f"{names[column]}{suffix}"
                copy = 1
                while name in taken:  # the column "a_b" beside the level "b" of "a"
                    copy += 1
                    name = f"{stem}_{copy}"
                taken.add(name)
                out.append(name)
        return np.asarray(out, dtype=object)

    def summary(self):
        """What was done to each column, as a table that prints, renders in a notebook and converts to a data frame.

        Returns
        -------
        Summary
        """
        check_is_fitted(self)
        names = list(self.kinds_)
        encoders = [self.encoders_.get(name) for name in names]
        widths = [0 if e is None else len(e.suffixes) for e in encoders]
        table = Table(
            [str(name) for name in names],
            {
                "kind": list(self.kinds_.values()),
                "missing": list(self.missing_.values()),
                "columns": widths,
                "treatment": [self.dropped_[n] if e is None else e.note for n, e in zip(names, encoders)],
            },
        )
        return Summary(f"Mixed table: {len(names)} columns to {sum(widths)}", table)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        return tags

    # Reading the table.

    def _columns(self, X, *, fitting):
        """The columns by name (by number for arrays); checks that those which are needed are there."""
        named = is_frame(X) and all(isinstance(name, str) for name in X.columns)
        if named:
            yield from self._frame(X, fitting)
            return
        X = validate_data(self, X, dtype=None, ensure_all_finite="allow-nan", reset=fitting)
        names = range(X.shape[1]) if fitting else self.kinds_
        yield from zip(names, array_columns(X))

    def _frame(self, X, fitting):
        names = list(X.columns)
        twice = sorted({name for name in names if names.count(name) > 1}) if len(set(names)) < len(names) else []
        if twice:
            raise ValueError(f"X has several columns of the name {', '.join(map(repr, twice))}.")
        if len(X) == 0 or not names:
            what = "sample(s)" if names else "feature(s)"
            raise ValueError(f"Found array with 0 {what} (shape={tuple(X.shape)}) while a minimum of 1 is required.")
        if fitting:
            validate_data(self, X, skip_check_array=True)
            yield from frame_columns(X)
            return
        if not hasattr(self, "feature_names_in_"):  # trained on an array: by position
            validate_data(self, X, skip_check_array=True, reset=False)
            for name, (_, cells) in zip(self.kinds_, frame_columns(X)):
                yield name, cells
            return
        there = set(names)
        lacking = [name for name in self.encoders_ if name not in there]
        if lacking:
            raise ValueError(f"X lacks columns of the training table: {', '.join(map(repr, lacking))}.")
        yield from frame_columns(X, set(self.encoders_))

    def _check_given(self, columns):
        for parameter in ("kinds", "orders"):
            unknown = [name for name in getattr(self, parameter) or {} if name not in columns]
            if unknown:
                raise ValueError(f"{parameter} names columns that X does not have: {', '.join(map(repr, unknown))}.")
        for name, kind in (self.kinds or {}).items():
            if kind not in KINDS:
                raise ValueError(f"kinds: {name!r} cannot be {kind!r}; the kinds are {', '.join(KINDS)}.")

    @staticmethod
    def _list(reasons):
        return "; ".join(f"{name!r} {reason}" for name, reason in reasons.items())

    # Learning a column.

    def _kind(self, name, cells):
        if name in (self.orders or {}):
            return "empty" if self._is_empty(cells) else "ordinal"
        given = (self.kinds or {}).get(name)
        if given not in (None, "drop") and self._is_empty(cells):
            return "empty"
        return given or guess_kind(name, cells, max_levels=self.max_levels, markers=set(self.missing_markers))

    def _is_empty(self, cells):
        if cells.missing.all():
            return True
        return cells.type == "string" and not counts(drop_markers(cells.values, set(self.missing_markers)))

    def _learn(self, name, cells, kind):
        markers = [str(marker) for marker in self.missing_markers]
        numeric = {
            "fill": self.impute,
            "keep_missing": self.keep_missing,
            "indicator": self.indicator,
            "scale": self.scale,
            "markers": markers,
        }
        if kind == "number":
            encoder = NumericEncoder(**numeric)
        elif kind == "date":
            encoder = DateEncoder(**numeric)
        elif kind == "category":
            encoder = CategoryEncoder(
                drop=self.drop, max_levels=self.max_levels, min_count=self.min_count, markers=markers
            )
        elif kind == "text":
            encoder = TextEncoder(max_terms=self.max_terms, markers=markers)
        else:
            encoder = LevelEncoder(kind, levels=(self.orders or {}).get(name), **numeric)
        try:
            return encoder.fit(cells)
        except Misfit as misfit:
            raise ValueError(f"The column {name!r} of X cannot be a {kind}: it {misfit}.") from None
