"""Principal components by iteratively reweighted least squares."""

import numpy as np
from scipy import linalg

from statlearn._core.blas import single_blas_thread
from statlearn._core.params import Int, Real, check_params
from statlearn._core.validation import FLOATS, check_weights, effective_rows, require_finite, validate_data
from statlearn._core.warnings import MAX_ITER, OK, warn_if_stopped
from statlearn._math.linalg.svd import signed

from ..components._base import ComponentsMixin


def weighted_plane(X, weights, k):
    """Weighted mean, all variances (divisor: sum of the weights) and leading k axes of rows."""
    mean = weights @ X / weights.sum()
    Z = (X - mean) * np.sqrt(weights)[:, None]
    require_finite(Z)
    _, s, Vt = linalg.svd(Z, full_matrices=False, check_finite=False)
    with np.errstate(over="ignore"):
        variance = s**2 / weights.sum()
    require_finite(variance)
    return mean, variance, signed(None, Vt[:k])[1]


def plane_distances(X, mean, axes):
    """Distance of each row from the plane through `mean` spanned by the orthonormal rows of `axes`."""
    Z = X - mean
    return np.linalg.norm(Z - (Z @ axes.T) @ axes, axis=1)


class IRLSPCA(ComponentsMixin):
    r"""Robust principal components by iteratively reweighted least squares.

    With the distance :math:`e_i` of row i from the plane, minimises

    .. math:: \sum_i s_i \, \tfrac12 \varepsilon_0^2 \log(1 + e_i^2 / \varepsilon_0^2)

    by weighted principal components with the weights :math:`w_i = \varepsilon_0^2 / (\varepsilon_0^2 + e_i^2)`. Rows
    far from the plane have little influence on it. Stops when no fitted point :math:`\mu + U y_i` moves by more than
    `tol` times the root mean square of the distances from the mean.

    Parameters
    ----------
    n_components : int, default=1
        Dimension of the plane, smaller than the number of columns.
    scale : float or None, default=None
        The distance :math:`\varepsilon_0` at which a row has half of its weight. None means the median distance from
        the plane of ordinary principal components. A large value gives ordinary principal components.
    max_iter : int, default=200
    tol : float, default=1e-6

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
    mean_ : ndarray of shape (n_features,)
        Weighted mean.
    weights_ : ndarray of shape (n_samples,)
        Weights between 0 and 1; small for outliers.
    scale_ : float
        The value of :math:`\varepsilon_0` in use.
    explained_variance_, explained_variance_ratio_ : ndarray of shape (n_components,)
        Weighted variances along the components, with the sum of the weights as divisor, and their shares.
    noise_variance_ : float
        Mean weighted variance of the other directions.
    objective_ : list of float
        Objective after each step; it never rises.
    n_components_, n_iter_ : int
    n_samples_ : int
        Number of training rows.
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Defined when X has string column names.

    See Also
    --------
    RANSACPCA : Tolerates up to half of the rows as outliers.
    PrincipalComponentPursuit : For single corrupted cells instead of rows.

    Notes
    -----
    The objective has local minima, and the iteration starts from ordinary principal components. Outliers that lie
    within the plane they suggest, far out along a wrong direction, can capture it.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.decomposition import IRLSPCA
    >>> t = np.linspace(-1, 1, 20)
    >>> X = np.column_stack([t, 2 * t])
    >>> X[0] = [3, -3]
    >>> model = IRLSPCA(scale=0.1).fit(X)
    >>> (model.components_[0] / model.components_[0, 0]).round(2), int(model.weights_.argmin())
    (array([1., 2.]), 0)
    """

    whiten = False
    _constraints = {
        "n_components": [Int(1, None)],
        "scale": [Real(0, None, closed="right"), None],
        "max_iter": [Int(1, None)],
        "tol": [Real(0, None)],
    }

    def __init__(self, n_components=1, *, scale=None, max_iter=200, tol=1e-6):
        self.n_components = n_components
        self.scale = scale
        self.max_iter = max_iter
        self.tol = tol

    def fit(self, X, y=None, sample_weight=None):
        """Compute the plane.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : ignored
        sample_weight : array-like of shape (n_samples,), float or None, default=None
            A weight of k counts as k copies of the row; a weight of 0 leaves it out.

        Returns
        -------
        self
        """
        check_params(self)
        X = validate_data(self, X, dtype=FLOATS, ensure_min_samples=2)
        weights = check_weights(sample_weight, X)
        Z = X.astype(np.float64)
        copies = np.ones(len(Z)) if weights is None else weights.astype(np.float64)
        k = self.n_components
        limit = min(effective_rows(len(Z), weights) - 1, Z.shape[1])
        if k > limit:
            raise ValueError(f"`n_components`={k} must be at most min(n_samples - 1, n_features) = {limit}.")
        with single_blas_thread(max(Z.shape[1], len(Z) // 16)):
            mean, variance, axes, status = self._iterate(Z, copies, k)
        require_finite(mean, axes)
        self.n_iter_ = len(self.objective_)
        warn_if_stopped(self, status, f"the plane still moves after {self.n_iter_} steps")
        total = float(variance.sum())
        self.mean_, self.components_ = mean.astype(X.dtype), axes.astype(X.dtype)
        self.explained_variance_ = variance[:k].astype(X.dtype)
        self.explained_variance_ratio_ = (variance[:k] / total if total > 0 else np.zeros(k)).astype(X.dtype)
        self.noise_variance_ = float(variance[k:].sum() / (Z.shape[1] - k)) if k < Z.shape[1] else 0.0
        self.n_components_, self.n_samples_ = k, len(X)
        return self

    def _iterate(self, Z, copies, k):
        mean, variance, axes = weighted_plane(Z, copies, k)
        distance = plane_distances(Z, mean, axes)
        spread = np.sqrt(copies @ np.sum((Z - mean) ** 2, axis=1) / copies.sum())
        self.scale_ = self._scale(distance, copies, spread)
        self.objective_: list[float] = []
        fitted = mean + (Z - mean) @ axes.T @ axes
        for _ in range(self.max_iter):
            ratio = (distance / self.scale_) ** 2
            self.objective_.append(float(0.5 * self.scale_**2 * (copies @ np.log1p(ratio))))
            self.weights_ = 1.0 / (1.0 + ratio)
            mean, variance, axes = weighted_plane(Z, copies * self.weights_, k)
            distance = plane_distances(Z, mean, axes)
            before, fitted = fitted, mean + (Z - mean) @ axes.T @ axes
            if np.linalg.norm(fitted - before, axis=1)[copies > 0].max() <= self.tol * spread:
                return mean, variance, axes, OK
        return mean, variance, axes, MAX_ITER

    def _scale(self, distance, copies, spread):
        if self.scale is not None:
            return float(self.scale)
        order = np.argsort(distance, kind="stable")
        half = np.searchsorted(np.cumsum(copies[order]), 0.5 * copies.sum())
        return max(float(distance[order][half]), 1e-8 * float(spread), 1e-300)
