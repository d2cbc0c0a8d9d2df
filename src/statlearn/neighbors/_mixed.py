"""Distances between rows of mixed columns: numeric, ordinal, nominal and asymmetric binary."""

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_array, check_is_fitted

from statlearn._core import native
from statlearn._core.frames import missing
from statlearn._core.memory import require_memory
from statlearn._core.params import Options, check_arguments, check_params
from statlearn._core.validation import validate_data

KINDS = ("numeric", "ordinal", "nominal", "asymmetric")
_ABSOLUTE, _SQUARED, _NOMINAL, _ASYMMETRIC = range(4)  # of native/neighbors/mixed.hpp


def _cells(X):
    """The cells as an array in which mixed lists keep their numbers."""
    return X if hasattr(X, "__array__") or hasattr(X, "toarray") else np.array(X, dtype=object)


def _as_numbers(column):
    """The values as floats with NaN for missing ones, or None if one of them is not a number."""
    if column.dtype.kind in "fiub":
        return column.astype(np.float64)
    if column.dtype.kind != "O":
        return None
    gone = missing(column)
    if any(isinstance(v, (str, bytes)) for v in column[~gone]):
        return None
    try:
        out = np.full(len(column), np.nan)
        out[~gone] = column[~gone].astype(np.float64)
    except (TypeError, ValueError):
        return None
    return out


def _find_kinds(X, kinds):
    """The kind of each column: as passed, or numeric if all values are numbers, otherwise nominal."""
    p = X.shape[1]
    if isinstance(kinds, str):
        if kinds != "auto":
            raise ValueError(f"`kinds` must be 'auto' or a sequence of {KINDS}, got {kinds!r}.")
        return ["nominal" if _as_numbers(X[:, j]) is None else "numeric" for j in range(p)]
    kinds = [str(kind) for kind in kinds]
    wrong = sorted(set(kinds) - set(KINDS))
    if wrong:
        raise ValueError(f"`kinds` contains {wrong[0]!r}; each entry must be one of {KINDS}.")
    if len(kinds) != p:
        raise ValueError(f"`kinds` has {len(kinds)} entries, but X has {p} features.")
    return kinds


def _levels(column):
    """Distinct values that are not missing, sorted (as text if they cannot be ordered)."""
    present = column[~missing(column)]
    try:
        return list(np.unique(present).tolist())
    except TypeError:
        return sorted(set(present.tolist()), key=lambda v: (type(v).__name__, str(v)))


def _codes(column, levels):
    """Position of each value among the levels, one past the last for unknown values, NaN for missing ones."""
    known = {level: float(k) for k, level in enumerate(levels)}
    gone = missing(column)
    out = np.full(len(column), np.nan)
    out[~gone] = [known.setdefault(v, float(len(known))) for v in column[~gone].tolist()]
    return out


def _finite(column, j, kind):
    numbers = _as_numbers(column)
    if numbers is None:
        raise ValueError(f"X: column {j} is {kind} but contains values that are not numbers.")
    if np.any(np.isinf(numbers)):
        raise ValueError(f"Input X contains infinity or a value too large in column {j}.")
    return numbers


def mean_dissimilarities(columns, codes):
    """Mean of each column's dissimilarity over all ordered pairs of rows, including each row with itself."""
    means = np.zeros(len(codes))
    for j, code in enumerate(codes):
        x = columns[:, j]
        x = np.sort(x[~np.isnan(x)])
        n = len(x)
        if n == 0:
            continue
        if code == _SQUARED:
            means[j] = 2.0 * np.var(x)
        elif code == _ABSOLUTE:  # sum over pairs of |x - x'| from the sorted values
            means[j] = 2.0 * np.sum((2.0 * np.arange(1, n + 1) - n - 1) * (x - x.mean())) / n**2
        else:
            shares = np.unique(x, return_counts=True)[1] / n
            means[j] = 1.0 - np.sum(shares**2)
    return means


def _learn_columns(X, kinds, numeric):
    """Kinds, their native codes, the levels of each category column (None for numbers), and the values as numbers."""
    kinds = _find_kinds(X, kinds)
    table = {"numeric": _SQUARED if numeric == "squared" else _ABSOLUTE, "nominal": _NOMINAL, "asymmetric": _ASYMMETRIC}
    codes = [table.get(kind, table["numeric"]) for kind in kinds]
    levels = [None if kind in ("numeric", "asymmetric") else _levels(X[:, j]) for j, kind in enumerate(kinds)]
    return kinds, codes, levels, _encode(X, kinds, levels)


def _encode(X, kinds, levels):
    """The values as numbers: values, positions of ordinal levels scaled to (0, 1), codes of categories, 0 and 1."""
    out = np.empty(X.shape)
    for j, kind in enumerate(kinds):
        column = X[:, j]
        if kind == "numeric":
            out[:, j] = _finite(column, j, kind)
        elif kind == "nominal":
            out[:, j] = _codes(column, levels[j])
        elif kind == "ordinal":
            positions = _codes(column, levels[j])
            if np.any(positions >= len(levels[j])):
                strange = column[np.flatnonzero(positions >= len(levels[j]))[0]]
                raise ValueError(
                    f"X: ordinal column {j} contains the level {strange!r}, which is not among its levels {levels[j]}."
                )
            out[:, j] = (positions + 0.5) / max(len(levels[j]), 1)
        else:
            numbers = _finite(column, j, kind)
            if not np.all(np.isnan(numbers) | np.isin(numbers, (0.0, 1.0))):
                raise ValueError(f"X: asymmetric column {j} must contain only 0 and 1.")
            out[:, j] = numbers
    return out


def attribute_weights(X, *, kinds="auto", numeric="squared"):
    r"""Weights that make every column contribute equally, on average, to a sum of dissimilarities.

    .. math:: w_j = 1 / \bar d_j, \qquad \bar d_j = \frac{1}{N^2} \sum_i \sum_{i'} d_j(x_{ij}, x_{i'j})

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Numbers, text, or both; missing values are ignored.
    kinds : "auto" or sequence of {"numeric", "ordinal", "nominal", "asymmetric"}, default="auto"
        Kind of each column, see :class:`MixedDistance`.
    numeric : {"squared", "absolute"}, default="squared"
        Dissimilarity of numbers and of ordinal positions.

    Returns
    -------
    ndarray of shape (n_features,)
        0 for a constant column, which contributes nothing whatever its weight.

    Notes
    -----
    The mean is taken over all ordered pairs, including each row with itself. For squared differences it is twice the
    variance with divisor N, for categories one minus the sum of squared proportions. Computing it requires only
    sorting. Equal influence is a default rather than a goal: columns that separate the groups of interest deserve more
    weight.

    References
    ----------
    Hastie, T., Tibshirani, R. & Friedman, J. (2009). The Elements of Statistical Learning, section 14.3.3.

    Examples
    --------
    >>> from statlearn.neighbors import attribute_weights
    >>> attribute_weights([[0.0, 10.0], [2.0, 30.0]]).tolist()
    [0.5, 0.005]
    """
    check_arguments(
        attribute_weights,
        kinds=(kinds, [Options("auto"), "array-like"]),
        numeric=(numeric, [Options("squared", "absolute")]),
    )
    X = check_array(_cells(X), dtype=None, ensure_all_finite=False)
    _, codes, _, columns = _learn_columns(X, kinds, numeric)
    return _inverse(mean_dissimilarities(columns, codes))


def _inverse(means):
    return np.divide(1.0, means, out=np.zeros_like(means), where=means > 0)


class MixedDistance(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    r"""Distances to the training rows for mixed tables of numbers, categories and binary columns.

    .. math:: D(x, x') = \frac{\sum_j u_j\, s_j\, d_j(x_j, x'_j)}{\sum_j u_j}

    summed over the columns j that apply to the pair. With the defaults this is Gower's dissimilarity coefficient:
    absolute differences divided by the range of the column, 0 or 1 for equal and unequal categories, and a plain mean
    over the columns observed in both rows.

    Parameters
    ----------
    kinds : "auto" or sequence of str, default="auto"
        Kind of each column. "numeric": differences of numbers. "ordinal": levels in sorted order, replaced by
        (position - 1/2) / number of levels. "nominal": equal or not. "asymmetric": 0 and 1, where the column is ignored
        for a pair if both values are 0. "auto" treats columns of numbers as numeric and all others as nominal.
    numeric : {"absolute", "squared"}, default="absolute"
        Dissimilarity d of numbers and ordinal positions.
    scale : {"range", "mean"} or None, default="range"
        Divisor of each column's dissimilarity. "range" is its largest value in the training rows, which is 1 for
        categories. "mean" is its mean over all pairs of training rows, so that all columns contribute equally (see
        :func:`attribute_weights`). None does not scale.
    weights : array-like of shape (n_features,) or None, default=None
        Non-negative importances u; None weights all columns equally.

    Attributes
    ----------
    kinds_ : list of str
        Kind of each column.
    levels_ : list
        Levels of each ordinal and nominal column, None for the others.
    scale_ : ndarray of shape (n_features,)
        The factors s.
    weights_ : ndarray of shape (n_features,)
        The importances u.
    rows_ : ndarray of shape (n_samples, n_features)
        Training rows as numbers: codes for categories, NaN for missing values.
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Defined only if X has column names that are all strings.

    See Also
    --------
    attribute_weights : inverse of the mean dissimilarity of each column.

    Notes
    -----
    Placed before an estimator with ``metric="precomputed"``, it provides neighbours for mixed tables. Cross-validation
    is then valid, because ranges and levels are learned from the training rows only. Once fitted, it can also be the
    `metric` of an estimator that reads the table itself. Missing values (None, NaN) are left out of the mean of a pair.
    Two rows without a common column have distance 1 (Gower's coefficient is undefined there), the largest value under
    ``scale="range"``. A category not seen in training differs from all those that were; an ordinal level not seen in
    training raises an error. A constant column contributes nothing. The cost is O(n m p).

    References
    ----------
    Gower, J. C. (1971). A general coefficient of similarity and some of its properties. Biometrics 27, 857-871.

    Hastie, T., Tibshirani, R. & Friedman, J. (2009). The Elements of Statistical Learning, section 14.3.

    Examples
    --------
    >>> from statlearn.neighbors import MixedDistance
    >>> X = [[1.0, "red"], [3.0, "red"], [5.0, "blue"]]
    >>> MixedDistance().fit_transform(X)
    array([[0.  , 0.25, 1.  ],
           [0.25, 0.  , 0.75],
           [1.  , 0.75, 0.  ]])
    """

    _constraints = {
        "kinds": [Options("auto"), "array-like"],
        "numeric": [Options("absolute", "squared")],
        "scale": [Options("range", "mean"), None],
        "weights": ["array-like", None],
    }

    def __init__(self, kinds="auto", *, numeric="absolute", scale="range", weights=None):
        self.kinds = kinds
        self.numeric = numeric
        self.scale = scale
        self.weights = weights

    def fit(self, X, y=None):
        """Learn the kinds, levels and scales of the columns, and store the rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : None, default=None
            Ignored.

        Returns
        -------
        self
        """
        check_params(self)
        X = self._table(X, reset=True)
        self.kinds_, codes, self.levels_, self.rows_ = _learn_columns(X, self.kinds, self.numeric)
        self._codes = np.array(codes, dtype=np.int32)
        self.scale_ = self._factors()
        self.weights_ = self._importances(X.shape[1])
        self._n_features_out = X.shape[0]
        return self

    def _table(self, X, reset):
        """The values unchanged; NaN and None are allowed, infinity is an error in numeric columns."""
        return validate_data(self, _cells(X), reset=reset, dtype=None, ensure_all_finite=False)

    def _cells_of(self, X):
        """Cells of one table for `pairwise`; arrays come from an estimator that has checked the names."""
        if not isinstance(X, np.ndarray):
            return self._table(X, reset=False)
        if X.ndim != 2 or X.shape[1] != self.n_features_in_:
            raise ValueError(f"X must have {self.n_features_in_} features, got an array of shape {X.shape}.")
        return X

    def _factors(self):
        if self.scale is None:
            return np.ones(self.rows_.shape[1])
        if self.scale == "mean":
            return _inverse(mean_dissimilarities(self.rows_, self._codes))
        with np.errstate(invalid="ignore"):
            known = ~np.all(np.isnan(self.rows_), axis=0)
            largest = np.zeros(self.rows_.shape[1])
            largest[known] = np.nanmax(self.rows_[:, known], axis=0) - np.nanmin(self.rows_[:, known], axis=0)
        largest = np.where(self._codes == _SQUARED, largest**2, largest)
        return np.where(self._codes >= _NOMINAL, 1.0, _inverse(largest))

    def _importances(self, p):
        if self.weights is None:
            return np.ones(p)
        weights = check_array(self.weights, ensure_2d=False, dtype=np.float64, input_name="weights")
        if weights.shape != (p,):
            raise ValueError(f"`weights` must have shape ({p},), got {weights.shape}.")
        if np.any(weights < 0) or not np.any(weights > 0):
            raise ValueError("`weights` must be non-negative and contain at least one positive value.")
        return weights

    def transform(self, X):
        """Distances from rows to the training rows.

        Parameters
        ----------
        X : array-like of shape (n_queries, n_features)

        Returns
        -------
        ndarray of shape (n_queries, n_samples)
        """
        check_is_fitted(self)
        return self._distances(_encode(self._table(X, reset=False), self.kinds_, self.levels_), self.rows_)

    def pairwise(self, X, Y=None):
        """Distances between the rows of two tables, using the learned scales.

        Parameters
        ----------
        X : array-like of shape (n, n_features)
        Y : array-like of shape (m, n_features) or None, default=None
            None uses X itself.

        Returns
        -------
        ndarray of shape (n, m)
        """
        check_is_fitted(self)
        X = self._cells_of(X)
        Y = X if Y is None else self._cells_of(Y)
        # Encoded together: a level that training did not have is equal to itself.
        table = X if Y is X else np.concatenate([X.astype(object), Y.astype(object)])
        both = _encode(table, self.kinds_, self.levels_)
        return self._distances(both[: len(X)], both[-len(Y) :])

    def _distances(self, left, right):
        size = 8 * len(left) * len(right)
        require_memory(size, f"The {len(left):,} x {len(right):,} distance matrix", "Transform fewer rows at a time.")
        D = np.empty((len(left), len(right)))
        left, right = np.ascontiguousarray(left), np.ascontiguousarray(right)
        native.neighbors.mixed_distances(left, right, self._codes, self.scale_, self.weights_, D)
        return np.nan_to_num(D, copy=False, nan=1.0)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        return tags
