"""Isotonic regression on one column."""

import numpy as np
from scipy.stats import spearmanr
from sklearn.base import BaseEstimator, RegressorMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from statlearn._core.params import Options, Real, check_params
from statlearn._core.validation import check_weights
from statlearn._core.warnings import StatlearnWarning, warn
from statlearn._math.isotonic import isotonic_curve
from statlearn.smooth._input_columns import check_sizes, validate_column


class IsotonicRegression(RegressorMixin, TransformerMixin, BaseEstimator):
    r"""Isotonic regression: the monotone function with the smallest squared error.

    Minimises over all non-decreasing (or non-increasing) functions f

    .. math:: \sum_i w_i (y_i - f(x_i))^2 \quad\text{subject to}\quad
        y_\min \le f(x) \le y_\max,\; f(a) \le f(b) \text{ for } a \le b

    There is nothing to tune: the monotone order alone decides where the curve is flat. At the data the solution is a
    step function of block means; between neighbouring data points it is continued by straight lines.

    Parameters
    ----------
    y_min : float or None, default=None
        Lower bound of the fitted values. None means no bound.
    y_max : float or None, default=None
        Upper bound.
    increasing : bool or "auto", default=True
        Whether the function rises or falls. "auto" takes the sign of Spearman's rank correlation of x and y, and warns
        if an interval for it (by Fisher's transformation, 95 %) contains 0.
    out_of_bounds : {"nan", "clip", "raise"}, default="nan"
        Prediction for x outside the training range: NaN, the value at the nearest end, or an error.

    Attributes
    ----------
    X_min_, X_max_ : float
        Ends of the training range.
    X_thresholds_, y_thresholds_ : ndarray of shape (n_thresholds,)
        Knots of the curve and its values there: the first and last x of every block.
    increasing_ : bool
        Whether the function rises.
    n_features_in_ : int
    feature_names_in_ : ndarray of str

    See Also
    --------
    SmoothingSpline : A smooth curve without a constraint on its direction.
    statlearn.assess.CalibratedClassifier : Calibrated probabilities, also by isotonic regression.

    Notes
    -----
    Adjacent violators are pooled in O(n) after sorting, O(n log n) in all. Rows with equal x share their mean. The
    curve is consistent, but flat stretches and jumps follow the noise, and its ends are biased outwards: the first
    block is too low and the last one too high. X may be a vector or a single column. The standard errors of least
    squares do not apply; resample the rows.

    References
    ----------
    Barlow, R., Bartholomew, D., Bremner, J. and Brunk, H. (1972). *Statistical Inference under Order Restrictions*.
    Wiley.

    Best, M. and Chakravarti, N. (1990). Active set algorithms for isotonic regression; a unifying framework.
    *Mathematical Programming* 47.

    Examples
    --------
    >>> from statlearn.smooth import IsotonicRegression
    >>> curve = IsotonicRegression().fit([1, 2, 3, 4], [1.0, 3.0, 2.0, 5.0])
    >>> curve.predict([1, 2, 2.5, 3, 4])
    array([1. , 2.5, 2.5, 2.5, 5. ])
    """

    _constraints = {
        "y_min": [Real(None, None), None],
        "y_max": [Real(None, None), None],
        "increasing": ["boolean", Options("auto")],
        "out_of_bounds": [Options("nan", "clip", "raise")],
    }

    def __init__(self, *, y_min=None, y_max=None, increasing=True, out_of_bounds="nan"):
        self.y_min = y_min
        self.y_max = y_max
        self.increasing = increasing
        self.out_of_bounds = out_of_bounds

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.one_d_array = True
        tags.input_tags.two_d_array = False
        tags.target_tags.required = True
        return tags

    def fit(self, X, y, sample_weight=None):
        """Fit the curve.

        Parameters
        ----------
        X : array-like of shape (n_samples,) or (n_samples, 1)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,) or None, default=None
            A weight of k counts as k rows; a weight of 0 leaves the row out.

        Returns
        -------
        self
        """
        check_params(self)
        if self.y_min is not None and self.y_max is not None and self.y_min > self.y_max:
            raise ValueError(f"`y_min` must not exceed `y_max`, got {self.y_min} and {self.y_max}.")
        x, y = validate_column(self, X, y)
        check_sizes(y=y)
        weights = check_weights(sample_weight, x)
        if weights is not None:
            present = weights > 0
            x, y, weights = x[present], y[present], weights[present]
        self.increasing_ = rises(x, y) if self.increasing == "auto" else bool(self.increasing)
        knots, values = isotonic_curve(x, y, weights, increasing=self.increasing_)
        values = np.clip(values, self.y_min, self.y_max)
        bends = np.r_[True, (values[1:-1] != values[:-2]) | (values[1:-1] != values[2:]), True][: len(knots)]
        self.X_thresholds_, self.y_thresholds_ = knots[bends], values[bends]
        self.X_min_, self.X_max_ = float(self.X_thresholds_[0]), float(self.X_thresholds_[-1])
        self._out_of_bounds = self.out_of_bounds
        return self

    def predict(self, X):
        """Values of the curve.

        Parameters
        ----------
        X : array-like of shape (n_samples,) or (n_samples, 1)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        check_is_fitted(self)
        x = validate_column(self, X, reset=False)
        outside = (x < self.X_min_) | (x > self.X_max_)
        if self._out_of_bounds == "raise" and outside.any():
            raise ValueError(
                f"X contains {x[outside][0]:.6g}, outside the training range [{self.X_min_:.6g}, {self.X_max_:.6g}]; "
                "set out_of_bounds='clip' to continue the curve at its ends."
            )
        values = np.interp(x, self.X_thresholds_, self.y_thresholds_)
        if self._out_of_bounds == "nan":
            values[outside] = np.nan
        return values

    def transform(self, X):
        """Values of the curve, as `predict` gives them.

        Parameters
        ----------
        X : array-like of shape (n_samples,) or (n_samples, 1)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        return self.predict(X)

    def get_feature_names_out(self, input_features=None):
        """Name of the transformed column.

        Parameters
        ----------
        input_features : array-like of str or None, default=None
            Ignored.

        Returns
        -------
        ndarray of str of shape (1,)
        """
        check_is_fitted(self)
        return np.array(["isotonicregression0"], dtype=object)


def rises(x, y):
    """Whether y rises with x, by the sign of Spearman's rank correlation; warns if the sign is uncertain."""
    if len(x) < 2 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return True
    correlation = float(spearmanr(x, y).statistic)
    half_width = 1.96 / np.sqrt(max(len(x) - 3, 1))
    if abs(correlation) < 1 and abs(np.arctanh(correlation)) < half_width:
        warn(
            f"Spearman's rank correlation of x and y is {correlation:.2f}, and its 95 % interval contains 0, so the "
            "direction of the curve is uncertain. Set increasing=True or False.",
            StatlearnWarning,
        )
    return correlation >= 0
