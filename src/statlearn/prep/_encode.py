"""Encoding of categories as indicators, and binning of numbers."""

import numpy as np
from sklearn import preprocessing
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from statlearn._core.fitted_state import forget
from statlearn._core.frames import refuse_repeated_names
from statlearn._core.names import input_names
from statlearn._core.params import Instance, Int, Options, Real, check_entries, check_params
from statlearn._core.validation import FLOATS, explained, refuse_no_rows, validate_data

from ._explained_transform import ExplainedTransformMixin
from ._scale import weights_of_rows


def adopt(estimator, fitted):
    """Copy the fitted state of an estimator to another one with other parameters."""
    parameters = estimator.get_params(deep=False)
    vars(estimator).update(
        {k: v for k, v in vars(fitted).items() if k not in parameters and k != "_sklearn_output_config"}
    )


class OneHotEncoder(ExplainedTransformMixin, preprocessing.OneHotEncoder):
    """One-hot encoding: one 0/1 column per level of every column, for all levels or all but one.

    Extends scikit-learn's class of the same name by ``drop="last"``, the reference level of many textbooks.

    Parameters
    ----------
    categories : "auto" or list of array-like, default="auto"
        Levels of each column; "auto" uses the sorted levels of the training table.
    drop : {"first", "last", "if_binary"}, array-like or None, default=None
        Reference level with zeros in all columns: the first, the last, the first only for columns with two levels, a
        given level per column, or none. If rare levels are pooled, "last" is the last one that is not pooled.
    sparse_output : bool, default=True
        Whether the result is sparse.
    dtype : dtype, default=float64
        Data type of the result.
    handle_unknown : {"error", "ignore", "infrequent_if_exist", "warn"}, default="error"
        Treatment of levels not seen in training; "ignore" encodes them as zeros.
    min_frequency : int, float or None, default=None
        Levels with fewer rows, or a smaller fraction of rows, are pooled.
    max_categories : int or None, default=None
        Maximum number of output columns per column; the rarest levels are pooled.
    feature_name_combiner : "concat" or callable, default="concat"
        Combines the names of a column and a level.

    Attributes
    ----------
    categories_ : list of ndarray
        Levels of each column.
    drop_idx_ : ndarray or None
        Index of the dropped level of each column.
    infrequent_categories_ : list of ndarray or None
        Pooled levels of each column, None for columns without any. Only with `min_frequency` or `max_categories`.
    n_features_in_ : int
    feature_names_in_ : ndarray of str

    Notes
    -----
    All levels together with an intercept are linearly dependent. Drop one for unpenalised linear models; keep all for
    trees, distances and penalised models.

    References
    ----------
    Venables, W. N. and Ripley, B. D. (2002). *Modern Applied Statistics with S*, 4th ed., section 6.2.

    Examples
    --------
    >>> from statlearn.prep import OneHotEncoder
    >>> levels = [["Married"], ["Single"], ["Divorced"]]
    >>> OneHotEncoder(drop="last", sparse_output=False).fit_transform(levels).tolist()
    [[0.0, 1.0], [0.0, 0.0], [1.0, 0.0]]
    """

    _constraints = {
        "categories": [Options("auto"), "array-like"],
        "drop": [Options("first", "last", "if_binary"), "array-like", None],
        "sparse_output": ["boolean"],
        "dtype": [Instance(type, np.dtype), Options("float32", "float64", "int32", "int64", "int8", "uint8", "bool")],
        "handle_unknown": [Options("error", "ignore", "infrequent_if_exist", "warn")],
        "min_frequency": [Int(1, None), Real(0, 1, closed="neither"), None],
        "max_categories": [Int(1, None), None],
        "feature_name_combiner": [Options("concat"), "callable"],
    }

    def __init__(
        self,
        *,
        categories="auto",
        drop=None,
        sparse_output=True,
        dtype=np.float64,
        handle_unknown="error",
        min_frequency=None,
        max_categories=None,
        feature_name_combiner="concat",
    ):
        super().__init__(
            categories=categories,
            drop=drop,
            sparse_output=sparse_output,
            dtype=dtype,
            handle_unknown=handle_unknown,
            min_frequency=min_frequency,
            max_categories=max_categories,
            feature_name_combiner=feature_name_combiner,
        )

    def fit(self, X, y=None):
        """Learn the levels.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : ignored

        Returns
        -------
        self
        """
        check_params(self)
        refuse_no_rows(X)
        if not isinstance(self.categories, str) and any(np.ndim(levels) != 1 for levels in self.categories):
            raise ValueError("`categories` must be 'auto' or contain one list of levels per column.")
        # The first two are what scikit-learn's `infrequent_categories_` reads.
        forget(self, "_infrequent_indices", "_default_to_infrequent_mappings", "feature_names_in_")
        if not (isinstance(self.drop, str) and self.drop == "last"):
            refuse_repeated_names(X)
            with explained(self, X):
                return super().fit(X, y)
        settings = self.get_params(deep=False)
        with explained(self, X):
            full = preprocessing.OneHotEncoder(**{**settings, "drop": None}).fit(X)
        rare = (
            full.infrequent_categories_ if hasattr(full, "infrequent_categories_") else [None] * len(full.categories_)
        )
        last = [_last(levels, pooled) for levels, pooled in zip(full.categories_, rare)]
        reference = np.empty(len(last), dtype=object)
        reference[:] = last
        adopt(self, preprocessing.OneHotEncoder(**{**settings, "drop": reference}).fit(X))
        return self


def _last(levels, pooled):
    pooled = set() if pooled is None else set(pooled.tolist())
    frequent = [level for level in levels.tolist() if level not in pooled]
    if not frequent:
        raise ValueError(
            "`drop`='last' requires a level that is not pooled; increase `max_categories` or decrease `min_frequency`."
        )
    return frequent[-1]


class KBinsDiscretizer(ExplainedTransformMixin, preprocessing.KBinsDiscretizer):
    r"""Binning of numbers: equal width, equal counts, around k-means centres, or equal width in log x.

    Extends scikit-learn's class of the same name by ``strategy="log"``, whose edges are :math:`\exp` of equally spaced
    points between the logarithms of the smallest and largest value.

    Parameters
    ----------
    n_bins : int or array-like of shape (n_features,), default=5
        Number of bins.
    encode : {"onehot", "onehot-dense", "ordinal"}, default="onehot"
        One 0/1 column per bin, sparse or dense, or the index of the bin.
    strategy : {"uniform", "quantile", "kmeans", "log"}, default="quantile"
        Placement of the edges. "log" requires positive values.
    quantile_method : str, default="averaged_inverted_cdf"
        Interpolation of quantiles, a method of :func:`numpy.quantile`.
    dtype : {float32, float64} or None, default=None
        Data type of the result; None uses that of the input.
    subsample : int or None, default=200000
        Maximum number of rows used to learn the edges.
    random_state : int, RandomState or None, default=None
        Seed of the subsample.

    Attributes
    ----------
    bin_edges_ : ndarray of ndarray
    n_bins_ : ndarray of int
    n_features_in_ : int
    feature_names_in_ : ndarray of str

    Notes
    -----
    A value equal to an edge belongs to the bin above it; values beyond the training range belong to the outer bins. Use
    "log" or "quantile" for numbers that span many orders of magnitude. Binning lets linear models fit nonlinear
    effects, but loses accuracy within the bins.

    References
    ----------
    Dougherty, J., Kohavi, R. and Sahami, M. (1995). Supervised and unsupervised discretization of continuous features.
    *ICML*, 194-202.

    Examples
    --------
    >>> from statlearn.prep import KBinsDiscretizer
    >>> bins = KBinsDiscretizer(3, encode="ordinal", strategy="log").fit([[1], [10], [100], [1000]])
    >>> bins.bin_edges_[0].tolist(), bins.transform([[1], [10], [100], [1000]]).ravel().tolist()
    ([1.0, 10.0, 100.0, 1000.0], [0.0, 1.0, 2.0, 2.0])
    """

    _constraints = {
        "n_bins": [Int(2, 65_536), "array-like"],
        "encode": [Options("onehot", "onehot-dense", "ordinal")],
        "strategy": [Options("uniform", "quantile", "kmeans", "log")],
        "quantile_method": [
            Options(
                "warn",
                "inverted_cdf",
                "averaged_inverted_cdf",
                "closest_observation",
                "interpolated_inverted_cdf",
                "hazen",
                "weibull",
                "linear",
                "median_unbiased",
                "normal_unbiased",
            )
        ],
        "dtype": [Instance(type, np.dtype), None],
        "subsample": [Int(1, None), None],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        n_bins=5,
        *,
        encode="onehot",
        strategy="quantile",
        quantile_method="averaged_inverted_cdf",
        dtype=None,
        subsample=200_000,
        random_state=None,
    ):
        super().__init__(
            n_bins,
            encode=encode,
            strategy=strategy,
            quantile_method=quantile_method,
            dtype=dtype,
            subsample=subsample,
            random_state=random_state,
        )

    def fit(self, X, y=None, sample_weight=None):
        """Learn the edges.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : ignored
        sample_weight : array-like of shape (n_samples,), default=None
            Used by "quantile" and "kmeans".

        Returns
        -------
        self
        """
        check_params(self)
        sample_weight = weights_of_rows(sample_weight, X)
        settings = self.get_params(deep=False)
        if self.strategy != "log":
            self._fit_bins(X, sample_weight, settings)
        else:
            self._fit_log_bins(X, settings)
        return self

    def _fit_bins(self, X, sample_weight, settings):
        if hasattr(self.n_bins, "__len__"):
            check_entries("n_bins", self.n_bins, Real(2, None), type(self).__name__)
        table = validate_data(self, X, dtype="numeric")
        kind = self.dtype if self.dtype in FLOATS else table.dtype if table.dtype.kind in "iuf" else np.dtype(float)
        table = table if table.dtype in FLOATS else table.astype(np.float64)
        rows = table if sample_weight is None else table[sample_weight > 0]
        low, high = rows.min(axis=0), rows.max(axis=0)
        self._middle = low / 2 + high / 2
        # scikit-learn merges edges closer than 1e-8: columns of a small range are enlarged by a power of 2, exactly.
        width = high - low
        power = np.where((width > 0) & (width < 1e-3), -np.frexp(width)[1], 0)
        # Without the encoder, which fails where no bin is left.
        inner = preprocessing.KBinsDiscretizer(**{**settings, "encode": "ordinal"})
        inner.fit(np.ldexp(table, power), sample_weight=sample_weight)
        for j in np.flatnonzero(inner.n_bins_ == 0):  # all quantiles are equal: one bin, as for a constant
            inner.n_bins_[j], inner.bin_edges_[j] = 1, np.array([-np.inf, np.inf])
        for j in np.flatnonzero(power):
            inner.bin_edges_[j] = np.ldexp(inner.bin_edges_[j], -power[j])
        self.bin_edges_, self.n_bins_ = inner.bin_edges_, inner.n_bins_
        forget(self, "_encoder")
        if "onehot" in self.encode:
            levels = [np.arange(n) for n in self.n_bins_]
            self._encoder = preprocessing.OneHotEncoder(
                categories=levels, sparse_output=self.encode == "onehot", dtype=kind
            )
            self._encoder.fit(np.zeros((1, len(levels))))

    def inverse_transform(self, X):
        """Midpoints of the bins; for a column with a single bin, the midpoint of its training values.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_transformed)

        Returns
        -------
        ndarray of shape (n_samples, n_features)
        """
        with np.errstate(invalid="ignore"):  # a single bin has no end
            values = super().inverse_transform(X)
        single = [j for j, edges in enumerate(self.bin_edges_) if np.isinf(edges).all()]
        values[:, single] = self._middle[single]
        return values

    def _fit_log_bins(self, X, settings):
        uniform = preprocessing.KBinsDiscretizer(**{**settings, "strategy": "uniform"}).fit(X)
        edges = np.empty(len(uniform.bin_edges_), dtype=object)
        for j, linear in enumerate(uniform.bin_edges_):
            if np.isfinite(linear).all() and linear[0] <= 0:
                name = input_names(uniform)[j]
                raise ValueError(
                    f"`strategy`='log' requires positive values, but column {name!r} of X contains {linear[0]:g}."
                )
            edges[j] = np.geomspace(linear[0], linear[-1], len(linear)) if np.isfinite(linear).all() else linear
        uniform.bin_edges_ = edges
        forget(self, "_encoder", "feature_names_in_")
        adopt(self, uniform)
        self._middle = np.asarray(validate_data(self, X, reset=False, dtype="numeric")[0], dtype=np.float64)


class MedianSplit(TransformerMixin, BaseEstimator):
    """Split of ordinal columns at their medians into two 0/1 columns each, "low" and "high".

    Turns ordinal answers into items for association rules.

    Parameters
    ----------
    side : {"low", "high"}, default="low"
        Side of values equal to the median. If all other values would then be on the same side, the median goes to the
        other side.

    Attributes
    ----------
    medians_ : ndarray of shape (n_features,)
    median_is_low_ : ndarray of bool
        Whether the median itself is on the low side.
    n_features_in_ : int
    feature_names_in_ : ndarray of str

    Notes
    -----
    Missing values (NaN) have zeros in both columns and are ignored in the medians.

    References
    ----------
    Hastie, T., Tibshirani, R. and Friedman, J. (2009). *The Elements of Statistical Learning*, 2nd ed., section 14.2.3.

    Examples
    --------
    >>> from statlearn.prep import MedianSplit
    >>> split = MedianSplit().fit([[1], [2], [3], [5]])
    >>> split.transform([[2], [3]]).tolist(), split.get_feature_names_out(["age"]).tolist()
    ([[1.0, 0.0], [0.0, 1.0]], ['age<=2.5', 'age>2.5'])
    """

    _constraints = {"side": [Options("low", "high")]}

    def __init__(self, side="low"):
        self.side = side

    def fit(self, X, y=None):
        """Learn the medians.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : ignored

        Returns
        -------
        self
        """
        check_params(self)
        X = validate_data(self, X, dtype=FLOATS, ensure_all_finite="allow-nan")
        empty = np.isnan(X).all(axis=0)
        if empty.any():
            name = input_names(self)[int(np.argmax(empty))]
            raise ValueError(f"X: column {name!r} contains only missing values, so its median is undefined.")
        self.medians_ = np.nanmedian(X, axis=0)
        if self.side == "low":
            self.median_is_low_ = (self.medians_ < np.nanmax(X, axis=0)) | (self.medians_ == np.nanmin(X, axis=0))
        else:
            self.median_is_low_ = (self.medians_ == np.nanmin(X, axis=0)) & (self.medians_ < np.nanmax(X, axis=0))
        return self

    def transform(self, X):
        """Two columns per column: low and high.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, 2 * n_features)
        """
        check_is_fitted(self)
        X = validate_data(self, X, dtype=FLOATS, ensure_all_finite="allow-nan", reset=False)
        low = (self.medians_ > X) | ((self.medians_ == X) & self.median_is_low_)
        out = np.zeros((X.shape[0], 2 * X.shape[1]), dtype=X.dtype)
        out[:, 0::2] = low
        out[:, 1::2] = ~low & ~np.isnan(X)
        return out

    def get_feature_names_out(self, input_features=None):
        """Names such as "age<=30" and "age>30".

        Parameters
        ----------
        input_features : array-like of str or None, default=None

        Returns
        -------
        ndarray of str
        """
        check_is_fitted(self)
        out = []
        for name, median, low in zip(input_names(self, input_features), self.medians_, self.median_is_low_):
            out += [f"{name}{'<=' if low else '<'}{median:g}", f"{name}{'>' if low else '>='}{median:g}"]
        return np.asarray(out, dtype=object)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
