"""Univariate outlier limits."""

import numpy as np
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from statlearn._core.frames import take_rows
from statlearn._core.params import Options, Real, check_params
from statlearn._core.validation import FLOATS, check_same_length, validate_data

from ._scale import NORMAL_MAD

DEFAULT_THRESHOLDS = {"iqr": 1.5, "z": 3.0, "mad": 3.5}


class OutlierFilter(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    r"""Clipping of outliers to limits learned from the training rows, or removal of training rows outside them.

    With threshold t, the limits of a column are

    - "iqr": :math:`q_{.25} - t \cdot IQR` and :math:`q_{.75} + t \cdot IQR` (Tukey's fences),
    - "z": mean :math:`\pm t` standard deviations (divisor n),
    - "mad": median :math:`\pm t \cdot 1.4826 \cdot MAD`.

    Parameters
    ----------
    rule : {"iqr", "z", "mad"}, default="iqr"
        Rule for the limits.
    threshold : float or None, default=None
        Width t of the limits; None is 1.5 for "iqr", 3 for "z", 3.5 for "mad".
    action : {"clip", "drop"}, default="clip"
        "clip" moves values to the nearest limit, in training and later. "drop" removes training rows with a value
        beyond its limits. This happens only in `fit_resample`, that is while a :class:`SamplingPipeline` is fitted;
        `transform` then changes nothing, since every row needs a prediction.

    Attributes
    ----------
    lower_, upper_ : ndarray of shape (n_features,)
        The limits.
    n_features_in_ : int
    feature_names_in_ : ndarray of str

    Notes
    -----
    The rule based on mean and standard deviation masks outliers if there are several: among n rows no z-score exceeds
    :math:`(n-1)/\sqrt n`. If most values of a column are equal, its MAD or IQR is 0 and its limits would exclude all
    other values, so it gets no limits. NaN is not an outlier.

    References
    ----------
    Tukey, J. W. (1977). *Exploratory Data Analysis*. Addison-Wesley.
    Iglewicz, B. and Hoaglin, D. (1993). *How to Detect and Handle Outliers*. ASQC.

    Examples
    --------
    >>> from statlearn.prep import OutlierFilter
    >>> X = [[1.0], [2.0], [3.0], [4.0], [100.0]]
    >>> OutlierFilter().fit_transform(X).ravel().tolist()
    [1.0, 2.0, 3.0, 4.0, 7.0]
    >>> OutlierFilter(action="drop").fit_resample(X, [0, 1, 2, 3, 4])[1]
    [0, 1, 2, 3]
    """

    _constraints = {
        "rule": [Options("iqr", "z", "mad")],
        "threshold": [Real(0, None), None],
        "action": [Options("clip", "drop")],
    }

    def __init__(self, rule="iqr", *, threshold=None, action="clip"):
        self.rule = rule
        self.threshold = threshold
        self.action = action

    def fit(self, X, y=None):
        """Learn the limits.

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
        width = DEFAULT_THRESHOLDS[self.rule] if self.threshold is None else self.threshold
        limits = [self._limits(column[~np.isnan(column)].astype(np.float64), width) for column in X.T]
        self.lower_, self.upper_ = np.array(limits, dtype=X.dtype).T
        return self

    def _limits(self, column, width):
        if not column.size:
            return -np.inf, np.inf
        if self.rule == "iqr":
            low, high = np.quantile(column, [0.25, 0.75])
            spread = high - low
        elif self.rule == "z":
            low = high = column.mean()
            spread = column.std()
        else:
            low = high = np.median(column)
            spread = NORMAL_MAD * np.median(np.abs(column - low))
        return (low - width * spread, high + width * spread) if spread > 0 else (-np.inf, np.inf)

    def inliers(self, X):
        """Whether all values of a row are within their limits.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of bool of shape (n_samples,)
        """
        check_is_fitted(self)
        X = validate_data(self, X, dtype=FLOATS, ensure_all_finite="allow-nan", reset=False)
        return ~((self.lower_ > X) | (self.upper_ < X)).any(axis=1)

    def transform(self, X):
        """Table with clipped values; unchanged for ``action="drop"``.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_features)
        """
        check_is_fitted(self)
        X = validate_data(self, X, dtype=FLOATS, ensure_all_finite="allow-nan", reset=False)
        return np.clip(X, self.lower_, self.upper_) if self.action == "clip" else X

    def fit_resample(self, X, y=None):
        """Training rows without outliers, or with clipped values.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,), default=None

        Returns
        -------
        X, y
        """
        self.fit(X, y)
        check_same_length(X, y)
        if self.action == "clip":
            return self.transform(X), y
        rows = np.flatnonzero(self.inliers(X))
        return take_rows(X, rows), take_rows(y, rows)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
