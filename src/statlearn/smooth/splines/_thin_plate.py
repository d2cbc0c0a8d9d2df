"""Thin-plate splines: smooth surfaces over scattered points."""

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.base import BaseEstimator

from statlearn._core.blas import single_blas_thread
from statlearn._core.memory import require_memory
from statlearn._core.params import Int, Real, check_params
from statlearn._core.search import SearchSpace
from statlearn._core.validation import FLOATS, check_weights, validate_columns
from statlearn.smooth._input_columns import check_sizes

from ._basis_smoother import BasisSmootherMixin
from ._penalized_least_squares import PenalizedLeastSquares, reduce_rows


def spread_points(X, count):
    """Indices of `count` space-filling rows: each is the farthest from those before it.

    The first is the one nearest to the centre of the box around all rows; ties are broken by the lowest index.
    """
    middle = (X.min(axis=0) + X.max(axis=0)) / 2
    chosen = [int(np.argmin(np.sum((X - middle) ** 2, axis=1)))]
    nearest = np.sum((X - X[chosen[0]]) ** 2, axis=1)
    while len(chosen) < count:
        chosen.append(int(np.argmax(nearest)))
        np.minimum(nearest, np.sum((X - X[chosen[-1]]) ** 2, axis=1), out=nearest)
    return np.array(chosen)


def radial(distance, n_features):
    """The kernel of thin-plate splines: z^2 log z^2, or z^3 for one column."""
    if n_features == 1:
        return distance**3
    square = distance**2
    return square * np.log(np.where(square > 0, square, 1.0))


class ThinPlateSpline(BasisSmootherMixin, BaseEstimator):
    r"""Thin-plate spline: a smooth function of several columns with a bending-energy penalty.

    .. math:: f(x) = \beta_0 + \beta^\top x + \sum_j \alpha_j \, \eta(\lVert x - x_j \rVert),
        \qquad \eta(z) = z^2 \log z^2, \quad \sum_j \alpha_j = 0, \quad \sum_j \alpha_j x_j = 0

    minimises :math:`\sum_i w_i (y_i - f(x_i))^2 + \lambda \, \alpha^\top E \alpha` with :math:`E_{jk} = \eta(\lVert x_j
    - x_k \rVert)`. For two columns the penalty is, up to a constant factor, the bending energy :math:`\iint f_{11}^2 +
    2 f_{12}^2 + f_{22}^2`; affine functions are not penalised. For one column :math:`\eta(z) = z^3` and f is the cubic
    smoothing spline.

    Parameters
    ----------
    df : float or None, default=None
        Trace of the smoother matrix; more than the number of columns plus one.
    lam : float or None, default=None
        The penalty, if `df` is None; 0 interpolates if every point is a knot. If neither is set, generalised
        cross-validation chooses it.
    n_knots : int or None, default=300
        Maximum number of distinct points with a radial function, spread evenly over the space; None uses all.

    Attributes
    ----------
    knots_ : ndarray of shape (n_knots, n_features)
        The points with a radial function.
    alpha_ : ndarray of shape (n_knots,) or (n_targets, n_knots)
        Coefficients of the radial functions, on the original scale of X.
    intercept_, slope_ : ndarray
        Coefficients of the affine part.
    lam_, df_ : float
        The penalty in use, and the trace of the smoother matrix.
    gcv_, loo_ : float
        Generalised and leave-one-out cross-validation errors (mean squares).
    sigma2_ : float
        Noise variance, RSS / (n - df); NaN if no degrees of freedom are left.
    leverage_ : ndarray of shape (n_samples,)
        Diagonal of the smoother matrix.
    coef_ : ndarray of shape (n_functions,) or (n_targets, n_functions)
        Coefficients in the basis of the fit: combinations of radial functions with unit penalties, the constant and the
        columns, scaled to unit range. `alpha_`, `intercept_` and `slope_` are the same function on the original scale.
    covariance_ : ndarray of shape (n_functions, n_functions)
        Covariance matrix of `coef_`, divided by the noise variance.
    n_features_in_ : int
    feature_names_in_ : ndarray of str

    Notes
    -----
    The penalty treats all directions alike, so scale columns of different units first. The cost is :math:`O(n K^2 +
    K^3)` for K knots, for all penalties together. With more than two columns the kernel remains :math:`z^2 \log z^2` (a
    Duchon spline), since the true thin-plate kernel would require polynomials of high degree.

    References
    ----------
    Duchon, J. (1977). Splines minimizing rotation-invariant semi-norms in Sobolev spaces. Springer.

    Green, P. and Silverman, B. (1994). *Nonparametric Regression and Generalized Linear Models*, chapter 7.

    Wood, S. (2003). Thin plate regression splines. Journal of the Royal Statistical Society B 65, 95-114.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.smooth import ThinPlateSpline
    >>> X = np.random.default_rng(0).uniform(size=(60, 2))
    >>> surface = ThinPlateSpline(lam=0.0).fit(X, np.sin(4 * X[:, 0]) * X[:, 1])
    >>> surface.predict(X[:2]).round(4) == (np.sin(4 * X[:2, 0]) * X[:2, 1]).round(4)
    array([ True,  True])
    """

    _constraints = {
        "df": [Real(1, None, closed="neither"), None],
        "lam": [Real(0, None), None],
        "n_knots": [Int(1, None), None],
    }

    _search_space = SearchSpace("thin-plate spline")

    def __init__(self, df=None, *, lam=None, n_knots=300):
        self.df = df
        self.lam = lam
        self.n_knots = n_knots

    def fit(self, X, y, sample_weight=None):
        """Fit the surface.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
        sample_weight : array-like of shape (n_samples,) or None, default=None
            A weight of k counts as k rows.

        Returns
        -------
        self
        """
        check_params(self)
        if self.df is not None and self.lam is not None:
            raise ValueError("Set either `df` or `lam`, not both.")
        X, y = validate_columns(self, X, y, dtype=FLOATS, y_numeric=True, multi_output=True)
        check_sizes(X, y)
        weights = check_weights(sample_weight, X)
        with single_blas_thread():  # its sums would depend on the number of threads
            self._fit(X, y, weights)
        return self

    def _fit(self, X, y, weights):
        used = np.asarray(X if weights is None else X[weights > 0], dtype=np.float64)
        self._place(used)
        k = len(self.knots_)
        require_memory(8 * (2 * len(X) * k + 4 * k * k), f"{k:,} radial functions at {len(X):,} rows", "Lower n_knots.")
        H = self._design(X)
        radials = self._side.shape[1]
        penalty = np.diag(np.concatenate([np.ones(radials), np.zeros(X.shape[1] + 1)]))
        Y = np.asarray(y, dtype=np.float64).reshape(len(y), -1)
        w = None if weights is None else weights.astype(np.float64)
        total = float(len(y) if w is None else w.sum())
        problem = PenalizedLeastSquares(*reduce_rows(H, Y, w), penalty, total)
        units = self._scale ** (3 if X.shape[1] == 1 else 2)  # of the penalty, on the inner scale
        if self.lam is not None:
            self.lam_ = self.lam / units
        else:
            self.lam_ = float(problem.best_lambda() if self.df is None else problem.lambda_of_df(self.df))
        self._finish(problem, X, y, w)
        self.lam_ = self.lam_ * units
        self._read(X.shape[1], radials)

    def _place(self, X):
        """Knots, and combinations of radial functions that satisfy the side conditions."""
        self._centre = (X.min(axis=0) + X.max(axis=0)) / 2
        self._scale = float(np.max(X.max(axis=0) - X.min(axis=0))) or 1.0
        distinct = np.unique(X, axis=0)
        if self.n_knots is not None and len(distinct) > self.n_knots:
            distinct = distinct[np.sort(spread_points(distinct, self.n_knots))]
        self.knots_ = distinct
        T = np.column_stack([np.ones(len(distinct)), self._inner(distinct)])
        U, s, _ = np.linalg.svd(T, full_matrices=True)
        free = U[:, int(np.sum(s > 1e-10 * s[0])) :]
        # Combinations of unit roughness: their penalty is the identity, which keeps digits that E itself would lose.
        inner = self._inner(distinct)
        d, V = np.linalg.eigh(free.T @ radial(cdist(inner, inner), X.shape[1]) @ free)
        seen = d > 1e-15 * d.max(initial=0.0)
        self._side = free @ (V[:, seen] / np.sqrt(d[seen]))

    def _inner(self, X):
        return (np.asarray(X, dtype=np.float64) - self._centre) / self._scale

    def _design(self, X):
        Z = self._inner(X)
        E = radial(cdist(Z, self._inner(self.knots_)), Z.shape[1])
        with single_blas_thread():
            return np.column_stack([E @ self._side, np.ones(len(Z)), Z])

    def _read(self, p, radials):
        """Coefficients on the original scale."""
        coef = np.atleast_2d(self.coef_).astype(np.float64)
        alpha, inner = coef[:, :radials] @ self._side.T, coef[:, radials:]
        power = 3 if p == 1 else 2
        # z^2 log z^2 on the inner scale has a term in z^2 too, which the side conditions make an affine one.
        slope, level = inner[:, 1:] / self._scale, inner[:, 0] - inner[:, 1:] @ self._centre / self._scale
        if p > 1:
            factor = np.log(self._scale**2) / self._scale**2
            level = level - factor * alpha @ np.sum(self.knots_**2, axis=1)
        alpha = alpha / self._scale**power
        one = self.coef_.ndim == 1
        self.alpha_ = alpha[0] if one else alpha
        self.intercept_, self.slope_ = (float(level[0]), slope[0]) if one else (level, slope)
