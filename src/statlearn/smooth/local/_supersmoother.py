"""Friedman's super smoother."""

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from statlearn._core import native
from statlearn._core.params import Options, Real, check_params
from statlearn._core.validation import check_weights
from statlearn.smooth._input_columns import check_sizes, validate_column


def supersmooth(x, y, weights, span=0.0, bass=0.0, periodic=False):
    """Values, slopes and spans of the super smoother at increasing x; a span of 0 is chosen locally."""
    value, slope, spans = np.empty((3, len(x)))
    native.smooth.supersmoother_fit(x, y, weights, float(span), float(bass), bool(periodic), value, slope, spans)
    return value, slope, spans


def _order(x, y):
    """Order by x, with ties sorted by y, so that the order of the rows does not matter."""
    if np.all(x[1:] > x[:-1]):
        return np.arange(len(x))
    order = np.argsort(x, kind="stable")
    ordered = x[order]
    return order if np.all(ordered[1:] > ordered[:-1]) else np.lexsort((y, x))


class SuperSmoother(RegressorMixin, BaseEstimator):
    r"""Friedman's super smoother: running lines with spans chosen locally by cross-validation.

    Around each row a line is fitted to the nearest rows on both sides, for 5, 20 and 50 % of the rows. Their smoothed
    absolute leave-one-out residuals determine the best span at each point. The spans are smoothed in turn, the fits of
    the neighbouring spans are interpolated, and the result is smoothed once more with the shortest span.

    Parameters
    ----------
    span : "cv" or float, default="cv"
        Fraction of the rows in a window, the same everywhere; ``"cv"`` chooses it at every point. With fewer than 40
        rows a fixed span between 0.2 and 0.4 is safer.
    bass : float, default=0.0
        From 0 to 10: how strongly the chosen spans are drawn towards the widest one.
    periodic : bool, default=False
        Whether x is periodic, with values from 0 to 1 and both ends identified.

    Attributes
    ----------
    knots_ : ndarray of shape (n_knots,)
        The distinct values of x.
    values_ : ndarray of shape (n_knots,)
        The curve at the knots.
    spans_ : ndarray of shape (n_knots,)
        The span used at each knot.
    n_features_in_ : int
    feature_names_in_ : ndarray of str

    Notes
    -----
    Takes nine passes of O(n) after sorting. Values agree with R's ``supsmu``. Between knots the curve is interpolated
    linearly; beyond them it is constant.

    X may be a one-dimensional array or a single column. Weights affect the lines, but a window counts rows, so a row of
    weight k is not equivalent to k rows, as in the original. Rows of weight 0 are ignored.

    References
    ----------
    Friedman, J. (1984). A variable span smoother. Technical report 5, Laboratory for Computational Statistics,
    Stanford University.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.smooth import SuperSmoother
    >>> x = np.linspace(0, 1, 101)
    >>> SuperSmoother().fit(x, np.sin(6 * x)).predict([0.25]).round(2)
    array([0.98])
    """

    _constraints = {
        "span": [Options("cv"), Real(0, 1, closed="right")],
        "bass": [Real(0, 10, closed="both")],
        "periodic": ["boolean"],
    }

    def __init__(self, span="cv", *, bass=0.0, periodic=False):
        self.span = span
        self.bass = bass
        self.periodic = periodic

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

        Returns
        -------
        self
        """
        check_params(self)
        x, y = validate_column(self, X, y)
        check_sizes(x, y)
        weights = check_weights(sample_weight, x)
        weights = np.ones(len(x)) if weights is None else np.asarray(weights, np.float64)
        if self.periodic and (x.min() < 0 or x.max() > 1 or np.sum(weights > 0) < 8):
            raise ValueError("periodic=True requires values of X between 0 and 1 and at least eight rows.")
        order = _order(x, y)
        if not np.all(weights > 0):
            order = order[weights[order] > 0]
        x = np.ascontiguousarray(x[order])
        span = 0.0 if self.span == "cv" else self.span
        value, _, spans = supersmooth(
            x, np.ascontiguousarray(y[order], np.float64), weights[order], span, self.bass, self.periodic
        )
        first = np.flatnonzero(np.concatenate([[True], x[1:] > x[:-1]]))
        self.knots_, self.values_, self.spans_ = x[first], value[first], spans[first]
        return self

    def predict(self, X):
        """Values of the curve at any points.

        Parameters
        ----------
        X : array-like of shape (n_samples,) or (n_samples, 1)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        check_is_fitted(self)
        x = validate_column(self, X, reset=False)
        return np.interp(x, self.knots_, self.values_, period=1.0 if self.periodic else None)
