"""Mixed tables: detection of column kinds and encoding as a design matrix."""

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from statlearn._core.frames import frame_names, refuse_lazy, refuse_repeated_names
from statlearn._core.frames.column_kinds import guess_kind, guess_numbers
from statlearn._core.frames.typed_columns import (
    MISSING_MARKERS,
    array_columns,
    counts,
    drop_markers,
    frame_columns,
    is_frame,
)
from statlearn._core.names import input_names
from statlearn._core.params import Instance, Int, Options, check_params
from statlearn._core.summary import Summary, Table
from statlearn._core.validation import validate_data
from statlearn._math.linalg.sparse_arrays import to_dense

from ._table_columns import (
    BinEncoder,
    CategoryEncoder,
    CodeEncoder,
    DateEncoder,
    LevelEncoder,
    Misfit,
    NumberBlock,
    NumericEncoder,
    TextEncoder,
)

KINDS = ("number", "binary", "category", "ordinal", "date", "text", "drop")
DROPPED = {
    "drop": "dropped on request",
    "empty": "dropped: all values missing",
    "constant": "dropped: constant",
    "identifier": "dropped: a different value in (nearly) every row",
}


def stack(columns, names):
    """Numeric columns as a matrix in column-major order."""
    values = np.empty((len(next(iter(columns.values()))), len(names)), order="F")
    for k, name in enumerate(names):
        values[:, k] = columns[name].values
    return values


class NoColumnsLeftError(ValueError):
    """Error raised if a table has no usable columns: all are constant, empty or identifiers.

    Parameters
    ----------
    *args
        The message.

    Examples
    --------
    >>> from statlearn.prep import NoColumnsLeftError, TableTransformer
    >>> try:
    ...     TableTransformer().fit([[1.0], [1.0]])
    ... except NoColumnsLeftError as error:
    ...     print(error)
    X has no usable columns: 0 dropped: constant.
    """


class TableTransformer(TransformerMixin, BaseEstimator):
    """Design matrix from a mixed table of numbers, categories, dates and text with missing values.

    Each column has one kind, detected from the training table or given in `kinds`, and is encoded accordingly:

    - "number": unchanged; text is parsed if every value is a number ("75K", "$1,200.50", "12 %").
    - "binary": booleans and text with two levels become one 0/1 column.
    - "category": one 0/1 column per level. The rarest levels are pooled as "(other)" beyond `max_levels`; missing
      values form their own level if there are any in training.
    - "ordinal": ordered levels become 0, 1, 2, ... (an ordered type of the frame, or `orders`).
    - "date": days since the first date of the training table, and year, month, day, weekday (Monday is 0) and hour
      if they vary in it; text is parsed if every value is a date.
    - "text": tf-idf weights of the `max_terms` most frequent words.

    Columns that are empty, constant, or different in (nearly) every row like an identifier are dropped and recorded.
    Integers are treated as identifiers only if the name of the column says so ("id", "user_id", "rownames") and another
    column is left.

    Parameters
    ----------
    kinds : dict or None, default=None
        Kinds of columns by name (by index for an array) that override the detection: "number", "binary", "category",
        "ordinal", "date", "text" or "drop".
    scale : bool or "normal", default=False
        Whether to standardise numbers, ordinal codes and date parts to mean 0 and variance 1. 0/1 columns and tf-idf
        weights are unchanged. "normal" first replaces numbers by their normal scores, the normal quantiles of their
        ranks in training: long tails and outliers, which mislead neural networks and distances, are drawn in.
    drop : {"first", "last"} or None, default=None
        Reference level of each category, which has zeros in all its columns, so that the columns are linearly
        independent of an intercept: its first level, or the last one that is not pooled.
    categories : {"indicators", "codes"}, default="indicators"
        "indicators" encodes a category as one 0/1 column per level. "codes" encodes it as one column with the index of
        its level and NaN for missing values, for models that split by category; see `categorical_`.
    bins : int or None, default=None
        Maximum number of bins of about equal frequency into which numbers, ordinal levels and date parts are cut, for
        models of categories; one per value if there are at most this many values. The bins are encoded as levels of a
        category according to `categories` and `drop`, and words of text by their presence.
    dates : {"calendar", "days"}, default="calendar"
        "calendar" encodes a date as the days since the first one and the calendar parts that vary (year, month, day,
        weekday, hour). "days" gives the days only, for methods on distances or covariances, in which the others would
        count a date several times.
    max_levels : int, default=30
        Maximum number of levels of a category, not counting missing values; rarer levels are pooled.
    min_count : int, default=1
        Levels with fewer rows than this are pooled.
    max_terms : int, default=100
        Maximum number of columns per text column.
    impute : {"median", "mean"}, default="median"
        Imputation of missing numbers and dates. Ordinal columns use the (lower) median, binary columns the more
        frequent level.
    indicator : bool, default=True
        Whether a column with missing values in training gets a second column that indicates them. Columns of numbers
        that are missing in the same rows share the indicator of the first.
    keep_missing : bool, default=False
        Whether to keep missing values as NaN, for models that support them (trees). No indicator is added then.
    sparse : bool, default=False
        Whether to return a sparse CSR array.
    orders : dict or None, default=None
        Levels of ordinal columns from low to high, by column.
    missing_markers : list of str, default=("", "?", "NA", "N/A", "NaN", "nan", "null", "NULL")
        Text values that stand for a missing value.

    Attributes
    ----------
    kinds_ : dict
        Detected kind of each column. Besides the kinds above: "empty", "constant", "identifier", "drop".
    dropped_ : dict
        Dropped columns, with the reason.
    missing_ : dict
        Number of missing values of each column.
    encoders_ : dict
        Fitted encoder of each used column that is not numeric.
    numbers_ : NumberBlock
        Learned state of the numeric columns: arrays with one entry per column.
    categorical_ : ndarray of bool
        Which columns of the design contain category codes; all False unless ``categories="codes"``.
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Defined only for data frames whose column names are all strings.

    Notes
    -----
    Everything is learned in `fit`, so a pipeline learns it inside the training folds. A row of the result does not
    depend on other rows. A level not seen in training is treated as "(other)" if rare levels were pooled, and has zeros
    in all columns otherwise; in a binary or ordinal column it is treated as missing.

    `transform` matches the columns of a data frame by name: their order does not matter, additional columns are
    ignored, and dropped columns may be absent. Absent columns, or values that cannot be of the learned kind, raise a
    ValueError that names all such columns. Arrays must have the columns of the training array.

    Use ``drop="first"`` and `scale` for linear models. For trees, forests and boosting use ``categories="codes"`` and
    ``keep_missing=True``, and pass them `categorical_` as `categorical_features`. Numbers with few distinct values are
    not treated as categories; set ``kinds={"zip": "category"}`` if numbers are labels.

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
    Mixed table: 4 columns encoded as 7
    ===================================
                 kind  missing  columns                                                treatment
    owner      binary        0        1                                         1 for Y, 0 for N
    marital  category        0        3                                                 3 levels
    age        number        1        2  number, missing values imputed (median), with indicator
    income     number        0        1                                  number parsed from text
    """

    _constraints = {
        "kinds": [Instance(dict), None],
        "scale": ["boolean", Options("normal")],
        "drop": [Options("first", "last"), None],
        "categories": [Options("indicators", "codes")],
        "bins": [Int(2, 65_536), None],
        "dates": [Options("calendar", "days")],
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
        categories="indicators",
        bins=None,
        dates="calendar",
        max_levels=30,
        min_count=1,
        max_terms=100,
        impute="median",
        indicator=True,
        keep_missing=False,
        sparse=False,
        orders=None,
        missing_markers=MISSING_MARKERS,
    ):
        self.kinds = kinds
        self.scale = scale
        self.drop = drop
        self.categories = categories
        self.bins = bins
        self.dates = dates
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
        """Detect the kind of each column and learn its levels, imputation values, scales and words.

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
        plain = self._plain_kinds(columns)
        self.kinds_, self.encoders_, self.missing_ = {}, {}, {}
        for name, cells in columns.items():
            kind = plain[name] if name in plain else self._kind(name, cells)
            self.missing_[name] = int(cells.missing.sum())
            self.kinds_[name] = kind if name in plain or kind in DROPPED else self._learn(name, cells, kind)
        self._learn_numbers(columns, [name for name, kind in plain.items() if kind == "number"])
        if not (self.encoders_ or self.numbers_.places.size):
            # Numbers that look like identifiers are better than nothing.
            self._learn_numbers(columns, [name for name, kind in plain.items() if kind == "identifier"])
        self.encoders_ = {name: self.encoders_[name] for name in columns if name in self.encoders_}
        self.dropped_ = {name: DROPPED[kind] for name, kind in self.kinds_.items() if kind in DROPPED}
        if not (self.encoders_ or self.numbers_.places.size):
            rows = " (X has only one sample)" if len(next(iter(columns.values()))) == 1 else ""
            raise NoColumnsLeftError(f"X has no usable columns{rows}: {self._list(self.dropped_)}.")
        coded = {name for name, encoder in self.encoders_.items() if encoder.code_labels}
        self.categorical_ = np.array([name in coded for name in self.get_source_names_out()], dtype=bool)
        return self

    def transform(self, X):
        """Design matrix.

        Parameters
        ----------
        X : data frame or array of shape (n_samples, n_features)

        Returns
        -------
        ndarray or CSR array of shape (n_samples, n_columns), float64
        """
        check_is_fitted(self)
        columns = dict(self._columns(X, fitting=False))
        names = list(self.kinds_)
        blocks, misfits = [], {}
        if len(self.numbers_.places):
            numbers = [names[place] for place in self.numbers_.places]
            block, wrong = self.numbers_.transform([columns[name] for name in numbers])
            blocks.append(block)
            misfits.update((numbers[k], reason) for k, reason in wrong.items())
        for name, encoder in self.encoders_.items():
            try:
                blocks.append(encoder.transform(columns[name]))
            except Misfit as misfit:
                misfits[name] = str(misfit)
        if misfits:
            wrong = {name: misfits[name] for name in names if name in misfits}
            raise ValueError(f"X does not match the training table: {self._list(wrong)}.")
        return self._join(blocks)

    def _join(self, blocks):
        """The design with its columns in the order of the table; the block of numbers comes first in `blocks`."""
        places = self._design_places([block.shape[1] for block in blocks])
        if self.sparse:
            design = sparse.hstack([sparse.csr_array(block) for block in blocks], format="csr")
            design.indices = np.concatenate(places).astype(design.indices.dtype)[design.indices]
            design.sort_indices()
            return design
        design = np.empty((blocks[0].shape[0], sum(map(len, places))))
        for block, place in zip(blocks, places):
            together = place[-1] - place[0] == len(place) - 1
            where = slice(place[0], place[-1] + 1) if together else place
            design[:, where] = to_dense(block)
        return design

    def _design_places(self, widths):
        """Positions of the columns of each block in the design."""
        order = {name: k for k, name in enumerate(self.kinds_)}
        sources = [np.full(width, order[name]) for name, width in zip(self.encoders_, widths[-len(self.encoders_) :])]
        if self.numbers_.places.size:
            sources.insert(0, np.repeat(self.numbers_.places, self.numbers_.widths))
        places = np.argsort(np.argsort(np.concatenate(sources), kind="stable"))  # the rank of each column
        return np.split(places, np.cumsum(widths)[:-1])

    def get_feature_names_out(self, input_features=None):
        """Names of the columns of the design: the name of the column, followed by the level, part or word.

        Parameters
        ----------
        input_features : array-like of str or None, default=None
            Names of the columns of an array; for a data frame they must match its own.

        Returns
        -------
        ndarray of str
        """
        check_is_fitted(self)
        names = dict(zip(self.kinds_, input_names(self, input_features)))
        out, taken = [], set()
        for column, (suffixes, _) in self._used().items():
            for suffix in suffixes:
                name = stem = f"{names[column]}{suffix}"
                copy = 1
                while name in taken:  # the column "a_b" and the level "b" of "a"
                    copy += 1
                    name = f"{stem}_{copy}"
                taken.add(name)
                out.append(name)
        return np.asarray(out, dtype=object)

    def get_source_names_out(self):
        """Column of the table from which each column of the design is derived.

        Returns
        -------
        ndarray of shape (n_columns,)
        """
        check_is_fitted(self)
        sources = [column for column, (suffixes, _) in self._used().items() for _ in suffixes]
        return np.asarray(sources, dtype=object)

    def summary(self):
        """Treatment of each column, as a table that prints, renders in a notebook and converts to a data frame.

        Returns
        -------
        Summary
        """
        check_is_fitted(self)
        names = list(self.kinds_)
        used = self._used()
        widths = [len(used[name][0]) if name in used else 0 for name in names]
        table = Table(
            [str(name) for name in names],
            {
                "kind": list(self.kinds_.values()),
                "missing": list(self.missing_.values()),
                "columns": widths,
                "treatment": [used[name][1] if name in used else self.dropped_[name] for name in names],
            },
        )
        return Summary(f"Mixed table: {len(names)} columns encoded as {sum(widths)}", table)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        return tags

    def _used(self):
        """Suffixes of the design columns and description by column of the table, in its order."""
        block = self.numbers_
        number = {place: k for k, place in enumerate(block.places.tolist())}
        used = {}
        for place, name in enumerate(self.kinds_):
            if place in number:
                used[name] = block.suffixes(number[place]), block.note(number[place])
            elif name in self.encoders_:
                used[name] = self.encoders_[name].suffixes, self.encoders_[name].note
        return used

    # Reading the table.

    def _columns(self, X, *, fitting):
        """Columns by name (by index for arrays); checks that the required ones are present."""
        refuse_lazy(X)
        named = is_frame(X) and all(isinstance(name, str) for name in frame_names(X))
        if named:
            yield from self._frame(X, fitting)
            return
        X = validate_data(self, X, dtype=None, ensure_all_finite="allow-nan", reset=fitting)
        names = range(X.shape[1]) if fitting else self.kinds_
        yield from zip(names, array_columns(X))

    def _frame(self, X, fitting):
        names = list(frame_names(X))
        refuse_repeated_names(X)
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
        used = [name for name in self.kinds_ if name not in self.dropped_]
        lacking = [name for name in used if name not in there]
        if lacking:
            raise ValueError(f"X lacks columns of the training table: {', '.join(map(repr, lacking))}.")
        yield from frame_columns(X, set(used))

    def _check_given(self, columns):
        for parameter in ("kinds", "orders"):
            unknown = [name for name in getattr(self, parameter) or {} if name not in columns]
            if unknown:
                raise ValueError(
                    f"`{parameter}` contains columns that X does not have: {', '.join(map(repr, unknown))}."
                )
        for name, kind in (self.kinds or {}).items():
            if kind not in KINDS:
                raise ValueError(
                    f"`kinds`: {kind!r} is not a valid kind for column {name!r}; choose from {', '.join(KINDS)}."
                )

    @staticmethod
    def _list(reasons):
        return "; ".join(f"{name!r} {reason}" for name, reason in reasons.items())

    # Learning the columns that hold numbers as such, all at once.

    def _plain_kinds(self, columns):
        """Kinds of the columns, detected or given."""
        fixed = {**(self.kinds or {}), **dict.fromkeys(self.orders or {}, "ordinal")}
        free = [name for name, cells in columns.items() if cells.type == "number" and name not in fixed]
        plain = dict(zip(free, guess_numbers(free, stack(columns, free))))
        for name, kind in fixed.items():
            if kind == "number" and columns[name].type in ("number", "boolean"):
                plain[name] = "empty" if columns[name].missing.all() else "number"
        return plain

    def _learn_numbers(self, columns, names):
        order = {name: place for place, name in enumerate(columns)}
        names = sorted(names, key=order.get)
        values = stack(columns, names)
        infinite = np.isinf(values).any(axis=0)
        if infinite.any():
            name = names[int(np.argmax(infinite))]
            raise ValueError(f"X: column {name!r} cannot be used as a number column because it contains infinity.")
        if self.bins is not None:
            for name in names:
                self.kinds_[name] = self._learn(name, columns[name], "number")
            values, names = values[:, :0], []
        self.numbers_ = NumberBlock(**self._numeric_options()).fit(values, [order[name] for name in names])
        used = set(self.numbers_.places.tolist())
        for name in names:
            self.kinds_[name] = "number" if order[name] in used else "constant"

    def _numeric_options(self):
        return {
            "fill": self.impute,
            "keep_missing": self.keep_missing,
            "indicator": self.indicator,
            "scale": self.scale,
            "markers": [str(marker) for marker in self.missing_markers],
        }

    # Learning any other column.

    def _kind(self, name, cells):
        if name in (self.orders or {}):
            return "empty" if self._is_empty(cells) else "ordinal"
        kind = (self.kinds or {}).get(name)
        if kind not in (None, "drop") and self._is_empty(cells):
            return "empty"
        return kind or guess_kind(name, cells, max_levels=self.max_levels, markers=set(self.missing_markers))

    def _is_empty(self, cells):
        if cells.missing.all():
            return True
        return cells.type == "string" and not counts(drop_markers(cells.values, set(self.missing_markers)))

    def _learn(self, name, cells, kind):
        """Learn the encoder of a column; returns its kind, "constant" if it turns out not to vary."""
        encoder = self._encoder(name, cells, kind)
        if not encoder.suffixes:  # for example a given kind on a constant column
            return "constant"
        self.encoders_[name], self.missing_[name] = encoder, encoder.n_missing
        return kind

    def _encoder(self, name, cells, kind):
        numeric = self._numeric_options()
        markers = numeric["markers"]
        if kind == "number":
            encoder = NumericEncoder(**numeric)
        elif kind == "date":
            encoder = DateEncoder(calendar=self.dates == "calendar", **numeric)
        elif kind == "category":
            make = CodeEncoder if self.categories == "codes" else CategoryEncoder
            encoder = make(drop=self.drop, max_levels=self.max_levels, min_count=self.min_count, markers=markers)
        elif kind == "text":
            encoder = TextEncoder(max_terms=self.max_terms, presence=self.bins is not None, markers=markers)
        else:
            encoder = LevelEncoder(kind, levels=(self.orders or {}).get(name), **numeric)
        if self.bins is not None and kind in ("number", "ordinal", "date"):
            encoder = BinEncoder(encoder, self.bins, codes=self.categories == "codes", drop=self.drop)
        try:
            return encoder.fit(cells)
        except Misfit as misfit:
            raise ValueError(f"X: column {name!r} cannot be used as a {kind} column because it {misfit}.") from None
