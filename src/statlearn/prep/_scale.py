"""Scaling of columns and normalisation of rows."""

import numpy as np
from scipy import sparse
from sklearn import preprocessing
from sklearn.utils.validation import check_array, check_is_fitted

from statlearn._core.frames import refuse_repeated_names
from statlearn._core.params import Instance, Int, Options, Real, check_params
from statlearn._core.validation import FLOATS, check_weights, explained, validate_data
from statlearn._math.linalg.products import row_blocks
from statlearn._math.rows.site_statistics import SiteStatistics, StatisticsMixin, column_names

from ._explained_transform import ExplainedTransformMixin

# The standard deviation of a normal distribution in units of its median absolute deviation.
NORMAL_MAD = 1.482602218505602
_ENTRIES = 2**18  # of the rows whose squares are in memory at a time


def weights_of_rows(sample_weight, X):
    if sample_weight is None:
        return None
    rows = X.shape[0] if hasattr(X, "shape") else len(np.asarray(X))
    return check_weights(sample_weight, np.broadcast_to(0.0, (rows, 1)))


def present(X):
    """Columns of a dense or sparse matrix, each without NaN."""
    columns = (X[:, [j]].toarray().ravel() for j in range(X.shape[1])) if sparse.issparse(X) else X.T
    for column in columns:
        yield column[~np.isnan(column)]


class StandardScaler(StatisticsMixin, preprocessing.StandardScaler):
    r"""Standardisation of columns to mean 0 and variance 1, with divisor n or n - 1.

    .. math:: z = (x - \bar x) / s, \qquad s^2 = \frac{1}{n - \mathrm{ddof}} \sum_i (x_i - \bar x)^2

    A constant column is only centred. Extends scikit-learn's class of the same name by `ddof`.

    Parameters
    ----------
    copy : bool, default=True
        Whether to work on a copy.
    with_mean : bool, default=True
        Whether to centre the columns. Sparse matrices cannot be centred.
    with_std : bool, default=True
        Whether to divide by the standard deviation.
    ddof : int, default=0
        Subtracted from the number of rows in the divisor of the variance: 0 (maximum likelihood, as in scikit-learn) or
        1 (unbiased).

    Attributes
    ----------
    scale_ : ndarray of shape (n_features,) or None
        Divisors, computed with `ddof`.
    mean_ : ndarray of shape (n_features,) or None
    var_ : ndarray of shape (n_features,) or None
        Variances with divisor n.
    n_samples_seen_ : int or ndarray of shape (n_features,)
        Number of rows, or the sum of their weights.
    n_features_in_ : int
    feature_names_in_ : ndarray of str

    Notes
    -----
    NaN is ignored in the statistics and passed through. With weights, n is their sum. A single outlier can move the
    mean and standard deviation arbitrarily; see :class:`RobustScaler`.

    References
    ----------
    Hastie, T., Tibshirani, R. and Friedman, J. (2009). *The Elements of Statistical Learning*, 2nd ed., section 3.4.1.

    Examples
    --------
    >>> from statlearn.prep import StandardScaler
    >>> float(StandardScaler(ddof=1).fit([[1], [2], [3], [4]]).scale_[0])
    1.2909944487358056
    """

    _constraints = {
        "copy": ["boolean"],
        "with_mean": ["boolean"],
        "with_std": ["boolean"],
        "ddof": [Int(0, None)],
    }

    def __init__(self, *, copy=True, with_mean=True, with_std=True, ddof=0):
        super().__init__(copy=copy, with_mean=with_mean, with_std=with_std)
        self.ddof = ddof

    def fit(self, X, y=None, sample_weight=None):
        """Compute means and standard deviations.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : ignored
        sample_weight : array-like of shape (n_samples,), default=None

        Returns
        -------
        self
        """
        check_params(self)
        refuse_repeated_names(X)
        weights = weights_of_rows(sample_weight, X)
        if weights is None and isinstance(X, np.ndarray) and X.dtype in FLOATS and X.size > 2 * _ENTRIES:
            return self._fit_in_blocks(X)
        with explained(self, X):
            return super().fit(X, y, sample_weight=weights)

    def _fit_in_blocks(self, X):
        """Statistics of blocks of rows, merged: those of the whole would need its squares in double precision."""
        X = validate_data(self, X, ensure_all_finite="allow-nan", dtype=FLOATS)
        first, *others = row_blocks(X, _ENTRIES)
        super().fit(X[first])
        for rows in others:
            self.partial_fit(X[rows])
        return self

    def partial_fit(self, X, y=None, sample_weight=None):
        """Update the statistics with more rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : ignored
        sample_weight : array-like of shape (n_samples,), default=None

        Returns
        -------
        self
        """
        check_params(self)
        refuse_repeated_names(X)
        weights = weights_of_rows(sample_weight, X)
        with explained(self, X):
            super().partial_fit(X, y, sample_weight=weights)
        if self.with_std and self.ddof:
            n = np.asarray(self.n_samples_seen_, dtype=float)
            if np.any(n <= self.ddof):
                raise ValueError(f"`ddof`={self.ddof} requires more than {self.ddof} rows, got n_samples={n.min():g}.")
            # Columns taken for constant have scale 1 whatever their variance in the last digits.
            constant = self.scale_ != np.sqrt(self.var_)
            self.scale_ = np.where(constant, self.scale_, np.sqrt(self.var_ * (n / (n - self.ddof))))
        return self

    _statistics_kind = "moments"

    def _site_statistics(self, X, y, sample_weight):
        refuse_repeated_names(X)
        X = validate_data(self, X, dtype=np.float64, ensure_all_finite="allow-nan")
        weights = check_weights(sample_weight, X)
        w = np.ones(len(X)) if weights is None else weights
        known = ~np.isnan(X)
        counts = w @ known
        values, safe = np.where(known, X, 0.0), np.where(counts > 0, counts, 1.0)
        means = w @ values / safe
        squares = w @ np.where(known, X - means, 0.0) ** 2
        arrays = {"class_weight": np.array([w.sum()]), "counts": counts[None]}
        arrays |= {"means": means[None], "squares": squares[None]}
        return SiteStatistics(
            "moments",
            arrays,
            n_features=X.shape[1],
            n_rows=int(np.count_nonzero(w)),
            columns=column_names(self),
        )

    def _fit_statistics(self, statistics):
        if statistics.classes is not None:
            raise ValueError("StandardScaler requires statistics without classes.")
        counts, means, squares = (statistics.arrays[name][0] for name in ("counts", "means", "squares"))
        total = float(statistics.arrays["class_weight"][0])
        if np.any(counts <= self.ddof):
            raise ValueError(f"`ddof`={self.ddof} requires more than {self.ddof} rows, got n_samples={counts.min():g}.")
        whole = int(total) if total == int(total) else total
        self.n_samples_seen_ = whole if np.all(counts == total) else counts
        self.mean_ = means if self.with_mean or self.with_std else None
        self.var_ = self.scale_ = None
        if self.with_std:
            self.var_ = squares / counts
            eps = np.finfo(np.float64).eps
            constant = self.var_ <= counts * eps * self.var_ + (counts * means * eps) ** 2  # as scikit-learn's
            self.scale_ = np.where(constant, 1.0, np.sqrt(squares / (counts - self.ddof)))

    def transform(self, X, copy=None):
        """Columns minus their means, over their standard deviations.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        copy : bool or None, default=None
            Overrides the constructor parameter.

        Returns
        -------
        ndarray or sparse matrix of shape (n_samples, n_features)
        """
        with explained(self, X, reset=False):
            return super().transform(X, copy)


class RobustScaler(ExplainedTransformMixin, preprocessing.RobustScaler):
    r"""Scaling of columns by robust estimates of location and spread.

    Extends scikit-learn's class of the same name by `method`. A column with zero spread is only centred.

    Parameters
    ----------
    with_centering : bool, default=True
        Whether to subtract the centre. Sparse matrices cannot be centred.
    with_scaling : bool, default=True
        Whether to divide by the spread.
    quantile_range : tuple of two floats, default=(25.0, 75.0)
        Percentiles that define the interquantile range; for ``method="trimmed"``, also those from which the fences are
        measured.
    copy : bool, default=True
        Whether to work on a copy.
    unit_variance : bool, default=False
        Whether to rescale the spread so that it is 1 for a standard normal distribution.
    method : {"iqr", "mad", "trimmed"}, default="iqr"
        "iqr" uses the median and interquantile range (as in scikit-learn), "mad" the median and median absolute
        deviation, and "trimmed" the mean and standard deviation (divisor n) of the values that are not outliers, which
        are those within `whisker` ranges of the quantiles.
    whisker : float, default=1.5
        Width of the fences for "trimmed".

    Attributes
    ----------
    center_ : ndarray of shape (n_features,) or None
    scale_ : ndarray of shape (n_features,) or None
    n_features_in_ : int
    feature_names_in_ : ndarray of str

    Notes
    -----
    NaN is ignored in the statistics and passed through. No row is dropped from the result; outliers are excluded from
    the statistics only (:class:`OutlierFilter` removes them from the training rows). The median absolute deviation
    tolerates up to half of the rows as outliers, the interquantile range a quarter.

    References
    ----------
    Rousseeuw, P. J. and Croux, C. (1993). Alternatives to the median absolute deviation. *JASA* 88, 1273-1283.
    Tukey, J. W. (1977). *Exploratory Data Analysis*. Addison-Wesley.

    Examples
    --------
    >>> from statlearn.prep import RobustScaler
    >>> RobustScaler(method="mad").fit_transform([[1], [2], [3], [4], [1000]]).ravel().tolist()
    [-2.0, -1.0, 0.0, 1.0, 997.0]
    >>> RobustScaler(method="trimmed").fit([[1], [2], [3], [4], [1000]]).center_.tolist()
    [2.5]
    """

    _constraints = {
        "with_centering": ["boolean"],
        "with_scaling": ["boolean"],
        "quantile_range": [Instance(tuple, list)],
        "copy": ["boolean"],
        "unit_variance": ["boolean"],
        "method": [Options("iqr", "mad", "trimmed")],
        "whisker": [Real(0, None)],
    }

    def __init__(
        self,
        *,
        with_centering=True,
        with_scaling=True,
        quantile_range=(25.0, 75.0),
        copy=True,
        unit_variance=False,
        method="iqr",
        whisker=1.5,
    ):
        super().__init__(
            with_centering=with_centering,
            with_scaling=with_scaling,
            quantile_range=quantile_range,
            copy=copy,
            unit_variance=unit_variance,
        )
        self.method = method
        self.whisker = whisker

    def fit(self, X, y=None):
        """Compute the centre and spread of every column.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : ignored

        Returns
        -------
        self
        """
        check_params(self)
        if len(self.quantile_range) != 2:
            raise ValueError(f"quantile_range must be a pair (low, high); got {self.quantile_range!r}.")
        low, high = self.quantile_range
        # A normal distribution has no range between the same quantiles, and an infinite one up to its ends.
        if self.unit_variance and self.method == "iqr" and (low == high or low <= 0 or high >= 100):
            raise ValueError(
                "quantile_range must name two percentiles between 0 and 100 if unit_variance=True; got "
                f"{self.quantile_range!r}."
            )
        refuse_repeated_names(X)
        with explained(self, X):
            super().fit(X, y)
        if self.method == "iqr":
            return self
        X = check_array(X, accept_sparse="csc", dtype=FLOATS, ensure_all_finite="allow-nan", input_name="X")
        facts = self._mad if self.method == "mad" else self._trimmed
        centres, spreads = np.array([facts(column) for column in present(X)]).T
        tiny = 10 * np.finfo(X.dtype).eps * np.abs(centres)
        spreads = np.where(spreads > tiny, spreads, 1.0)
        self.center_ = centres.astype(X.dtype) if self.with_centering else None
        self.scale_ = spreads.astype(X.dtype) if self.with_scaling else None
        return self

    def _mad(self, column):
        if not column.size:
            return np.nan, np.nan
        centre = np.median(column)
        deviation = np.median(np.abs(column - centre))
        return centre, deviation * NORMAL_MAD if self.unit_variance else deviation

    def _trimmed(self, column):
        if not column.size:
            return np.nan, np.nan
        low, high = np.percentile(column, self.quantile_range)
        reach = self.whisker * (high - low)
        inner = column[(column >= low - reach) & (column <= high + reach)]
        if not inner.size:
            raise ValueError(
                f"`whisker`={self.whisker:g}: all values of a column lie outside of the fences; increase `whisker`, or "
                "widen `quantile_range`."
            )
        return inner.mean(), inner.std()


class Normalizer(preprocessing.Normalizer):
    r"""Normalisation of rows to unit :math:`L_p` norm, :math:`x / (\sum_j |x_j|^p)^{1/p}`.

    Rows of zeros are unchanged. Extends scikit-learn's class of the same name by any `p` of at least 1.

    Parameters
    ----------
    norm : {"l1", "l2", "max"}, default="l2"
        Norm to use if `p` is None.
    copy : bool, default=True
        Whether to work on a copy.
    p : float or None, default=None
        Exponent of the norm; ``inf`` is the maximum norm.

    Attributes
    ----------
    n_features_in_ : int
    feature_names_in_ : ndarray of str

    Notes
    -----
    Nothing is learned; the result of a row depends only on that row. Entries are divided by the largest one before
    summing, so the sum cannot overflow.

    References
    ----------
    Golub, G. H. and Van Loan, C. F. (2013). *Matrix Computations*, 4th ed., section 2.2.

    Examples
    --------
    >>> from statlearn.prep import Normalizer
    >>> Normalizer(p=3).fit_transform([[1, 2, 2]]).round(4).tolist()
    [[0.3889, 0.7778, 0.7778]]
    """

    _constraints = {
        "norm": [Options("l1", "l2", "max")],
        "copy": ["boolean"],
        "p": [Real(1, None, closed="both"), None],
    }

    def __init__(self, norm="l2", *, copy=True, p=None):
        super().__init__(norm=norm, copy=copy)
        self.p = p

    def fit(self, X, y=None):
        """Check the parameters and the data.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : ignored

        Returns
        -------
        self
        """
        check_params(self)
        refuse_repeated_names(X)
        with explained(self, X):
            return super().fit(X, y)

    def transform(self, X, copy=None):
        """Rows divided by their norms.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        copy : bool or None, default=None
            Overrides the constructor parameter.

        Returns
        -------
        ndarray or CSR matrix of shape (n_samples, n_features)
        """
        if self.p is None:
            with explained(self, X, reset=False):
                return super().transform(X, copy)
        check_is_fitted(self, "n_features_in_")
        copy = self.copy if copy is None else copy
        X = validate_data(
            self, X, accept_sparse="csr", dtype=FLOATS, force_writeable=True, copy=copy, reset=False
        )  # fmt: skip
        if sparse.issparse(X):
            lengths = np.array([row_norms(X.data[a:b][None], self.p)[0] for a, b in zip(X.indptr, X.indptr[1:])])
            X.data /= np.repeat(np.where(lengths == 0, 1, lengths), np.diff(X.indptr)).astype(X.dtype)
            return X
        lengths = row_norms(X, self.p)
        X /= np.where(lengths == 0, 1, lengths)[:, None].astype(X.dtype)
        return X


def row_norms(X, p):
    """The L_p norms of the rows, without overflow."""
    size = np.abs(X)
    largest = size.max(axis=1, initial=0.0)
    if np.isinf(p):
        return largest
    unit = np.where(largest == 0, 1, largest)
    return largest * np.sum((size / unit[:, None]) ** p, axis=1) ** (1 / p)
