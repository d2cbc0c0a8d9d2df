"""Partial least squares regression."""

import numpy as np
from scipy import linalg
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from statlearn._core.params import Int, Options
from statlearn._core.search import SearchSpace
from statlearn._core.validation import FLOATS, validate_data
from statlearn._math.rows.least_squares import EPS

from ._pcr import ComponentRegressorMixin


def kernel_pls(A, B, k):
    """Up to k components of A (rows, p) for B (rows, m), both centred: weights, loadings, y-loadings, rotations.

    Dayal and MacGregor (1997), the variant that deflates A'B only: the same components as NIPALS, which deflates A.
    Stops early if nothing of B is left to explain.
    """
    p, m = A.shape[1], B.shape[1]
    W, P, R, Q = np.zeros((p, k)), np.zeros((p, k)), np.zeros((p, k)), np.zeros((m, k))
    cross = A.T @ B
    start = np.linalg.norm(cross)
    size = np.linalg.norm(A, 2) if A.size else 0.0
    for a in range(k):
        if not np.linalg.norm(cross) > 10 * max(A.shape) * EPS * start:
            return W[:, :a], P[:, :a], Q[:, :a], R[:, :a]
        # The direction of largest covariance with B: the leading left singular vector of A'B.
        w = cross[:, 0] if m == 1 else linalg.svd(cross, full_matrices=False, check_finite=False)[0][:, 0]
        w = w / np.linalg.norm(w)
        largest = np.argmax(np.abs(w))
        if m > 1 and w[largest] < 0:
            w = -w
        r = w - R[:, :a] @ (P[:, :a].T @ w)
        t = A @ r
        tt = t @ t
        if not np.sqrt(tt) > max(A.shape) * EPS * size:
            return W[:, :a], P[:, :a], Q[:, :a], R[:, :a]
        W[:, a], R[:, a] = w, r
        P[:, a] = A.T @ t / tt
        Q[:, a] = cross.T @ r / tt
        cross = cross - np.outer(P[:, a], Q[:, a]) * tt
    return W, P, Q, R


class PartialLeastSquares(ComponentRegressorMixin, ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    r"""Partial least squares regression (PLS1, and PLS2 for several targets).

    Component a is the score :math:`t_a = X_a w_a`, where :math:`X_a` is X deflated by the earlier components and
    :math:`w_a` the unit vector that maximises the (summed squared) covariance of the score with y. y is regressed on
    the scores. The coefficients are reported on the original scale, and the intercept is unpenalised. If the number of
    components equals the rank of X, this is least squares.

    Parameters
    ----------
    n_components : int or "cv", default=2
        Number of components. "cv" chooses it by cross-validation.
    scale : bool, default=True
        Divide the columns of X and y by their standard deviations first.
    cv : int, splitter, iterable or None, default=None
        Folds for ``n_components="cv"``; None means 5 consecutive blocks of rows.
    rule : {"min", "one_se"}, default="min"
        Choose the smallest cross-validated squared error, or the fewest components within one standard error of it.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,) or (n_targets, n_features)
    intercept_ : float or ndarray of shape (n_targets,)
    n_components_ : int
        Number of components, fewer than requested if they already fit y exactly.
    coef_path_ : ndarray of shape (n_components_, n_features) or (n_components_, n_targets, n_features)
        Coefficients with 1, 2, ... components.
    x_weights_ : ndarray of shape (n_features, n_components_)
        The unit vectors :math:`w_a`.
    x_loadings_ : ndarray of shape (n_features, n_components_)
    y_loadings_ : ndarray of shape (n_targets, n_components_)
    x_rotations_ : ndarray of shape (n_features, n_components_)
        Projection matrix: the scores are the centred and scaled X times this matrix.
    x_mean_, x_scale_ : ndarray of shape (n_features,)
    cv_curve_ : CVCurve
        Cross-validated squared errors. Only with ``n_components="cv"``.
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Defined when X has string column names.

    Notes
    -----
    The kernel algorithm runs on a triangular factor of the data, from one QR or, for tall data, from cross-products
    computed once for all folds. It then costs O(p) per entry of the factor and component, whatever the number of rows.
    The fit is not linear in y, so the usual standard errors do not apply. The components are those of scikit-learn's
    ``PLSRegression`` and of ``plsr(method="kernelpls")`` in R.

    References
    ----------
    Dayal and MacGregor (1997), Improved PLS algorithms, *Journal of Chemometrics* 11.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.linear import PartialLeastSquares
    >>> X = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [2.0, 2.0, 2.0], [2.0, 5.0, 4.0]])
    >>> model = PartialLeastSquares(n_components=1).fit(X, [0.1, 0.9, 6.2, 11.9])
    >>> model.predict(X).round(2)
    array([ 0.06,  0.73,  6.67, 11.64])
    """

    _constraints = {
        "n_components": [Int(1, None), Options("cv")],
        "scale": ["boolean"],
        "cv": ["cv"],
        "rule": [Options("min", "one_se")],
    }
    _search_space = SearchSpace("partial least squares", fixed={"n_components": "cv", "cv": 5, "scale": False})

    def __init__(self, n_components=2, *, scale=True, cv=None, rule="min"):
        self.n_components = n_components
        self.scale = scale
        self.cv = cv
        self.rule = rule

    def _path(self, A, B, k):
        W, P, Q, R = kernel_pls(A, B, k)
        path = np.cumsum(R.T[:, :, None] * Q.T[:, None, :], axis=0)
        return path, {"x_weights_": W, "x_loadings_": P, "y_loadings_": Q, "x_rotations_": R}

    def transform(self, X):
        """Scores of the rows on the components.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_components_)
        """
        check_is_fitted(self)
        X = validate_data(self, X, dtype=FLOATS, reset=False)
        scores = (X - self.x_mean_) / self.x_scale_ @ self.x_rotations_
        return scores.astype(X.dtype, copy=False)

    @property
    def _n_features_out(self):
        return self.n_components_

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
