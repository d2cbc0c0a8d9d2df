"""Kernel averages and local polynomial regression."""

import numpy as np
from scipy import linalg
from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_is_fitted

from statlearn._core import native
from statlearn._core.memory import require_memory
from statlearn._core.params import Int, Options, check_arguments, check_params
from statlearn._core.validation import FLOATS, check_weights, validate_columns
from statlearn.smooth._input_columns import check_sizes, in_precision_of
from statlearn.smooth._smoother_scores import noise_variance, smoother_scores

from ._kernel_profile import PROFILES
from ._rows import LocalRows

_NO_ROWS = np.empty((0, 0))
_CHUNK_BYTES = 64_000_000  # of rows of the smoother matrix that exist at one time


def local_weights(B, weights):
    """Weights l of the responses in the constant of a weighted fit to the columns of B, and the variance of it.

    The first column of B is the constant. Columns that the weighted rows do not determine are dropped. The second value
    is the first entry of the inverse of B'WB.
    """
    root = np.sqrt(weights)
    A = root[:, None] * B
    Q = np.empty((len(A), 0))
    independent = []
    for j in range(A.shape[1]):
        rest = A[:, j]
        for _ in range(2):
            rest = rest - Q @ (Q.T @ rest)
        norm = np.linalg.norm(rest)
        if norm > 1e-8 * np.linalg.norm(A[:, j]):
            Q = np.column_stack([Q, rest / norm])
            independent.append(j)
    R = np.triu(Q.T @ A[:, independent])
    first = linalg.solve_triangular(R, np.eye(len(independent))[0], trans="T")  # R^-T e1
    return root * (Q @ first), float(first @ first)


class LocalSmoother(RegressorMixin, LocalRows):
    """Shared part of local smoothers; a subclass defines its degree."""

    _constraints = {**LocalRows._constraints, "kernel": [Options(*PROFILES), "callable"]}

    def fit(self, X, y, sample_weight=None):
        """Store the rows; the local fits are computed at prediction.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,) or None, default=None
            A weight of k counts as k rows.

        Returns
        -------
        self
        """
        check_params(self)
        X, y = validate_columns(self, X, y, dtype=FLOATS, y_numeric=True)
        check_sizes(X, y)
        self._keep(X, y, check_weights(sample_weight, X))
        return self

    def _evaluate(self, X, *, rows=False):
        """Estimates, leverages of a row of weight 1 at each query, and the smoother matrix if requested."""
        X = np.ascontiguousarray(X, dtype=np.float64)
        n, q = len(self.X_train_), len(X)
        if rows:
            require_memory(8 * n * q, f"A smoother matrix of {q:,} x {n:,}", "Ask for fewer rows.")
        L = np.empty((q, n)) if rows else _NO_ROWS
        fitted, leverage = np.empty(q), np.empty(q)
        if callable(self.kernel):
            own_variance = float(self._profile(np.zeros(1), 1.0)[0])
            for k, (functions, weights) in enumerate(self._windows(X)):
                own_weights, variance = local_weights(functions, weights)
                fitted[k], leverage[k] = own_weights @ self.y_train_, own_variance * variance
                if rows:
                    L[k] = own_weights
            return fitted, leverage, L
        arguments = self._arguments(X)
        native.smooth.local_polynomial(*arguments, fitted, leverage, L)
        return fitted, leverage, L

    def predict(self, X, *, return_std=False):
        """Local fit at each row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        return_std : bool, default=False
            Whether to also return the standard error, for noise of variance `sigma2_` and a fixed bandwidth; it ignores
            the bias of the fit.

        Returns
        -------
        ndarray of shape (n_samples,), or two of them
        """
        check_is_fitted(self)
        check_arguments("predict", return_std=(return_std, ["boolean"]))
        X = validate_columns(self, X, dtype=FLOATS, reset=False)
        if not return_std:
            return in_precision_of(X, self._evaluate(X)[0])
        fitted, _, norms = self._evaluate_with_norms(X)
        return in_precision_of(X, fitted), in_precision_of(X, np.sqrt(self.sigma2_ * norms))

    def _evaluate_with_norms(self, X):
        """Estimates, leverages, and variances for noise of variance 1, computed a block of rows at a time."""
        fitted, leverage, norms = np.empty((3, len(X)))
        chunk = max(1, _CHUNK_BYTES // (8 * len(self.X_train_)))
        for start in range(0, len(X), chunk):
            part = slice(start, start + chunk)
            fitted[part], leverage[part], L = self._evaluate(X[part], rows=True)
            # A row of weight k is the mean of k.
            divided = L if self._row_weights is None else L / np.where(self._row_weights > 0, self._row_weights, 1.0)
            norms[part] = np.einsum("ij,ij->i", L, divided)
        return fitted, leverage, norms

    def smoother_matrix(self, X):
        """Smoother matrix: the matrix L with predictions L y at the rows of X.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Any rows; the training rows give the smoother matrix S.

        Returns
        -------
        ndarray of shape (n_samples, n_training_rows)
            Its rows sum to 1.
        """
        check_is_fitted(self)
        X = validate_columns(self, X, dtype=FLOATS, reset=False)
        L = np.empty((len(X), len(self.X_train_)))
        L[:, self._row_order] = self._evaluate(X, rows=True)[2]
        return L

    def scores(self):
        """Degrees of freedom and errors of the fit to the training rows, computed in one pass over them.

        Returns
        -------
        dict
            ``df`` (trace of the smoother matrix), ``rss``, ``loo`` and ``gcv`` (mean squared errors; `loo` is that of
            refits without each row, at the same bandwidths) and ``aicc`` (Hurvich, Simonoff and Tsai).
        """
        check_is_fitted(self)
        fitted, leverage, _ = self._evaluate(self.X_train_)
        w = 1.0 if self._row_weights is None else self._row_weights
        residual, n = self.y_train_ - fitted, self._total_weight
        return smoother_scores(residual, leverage, float(np.sum(w * leverage)), self._row_weights, n)

    @property
    def sigma2_(self):
        """Noise variance, RSS / (n - tr(2S - SS'))."""
        check_is_fitted(self)
        fitted, leverage, norms = self._evaluate_with_norms(self.X_train_)
        w = np.ones(len(fitted)) if self._row_weights is None else self._row_weights
        spare = self._total_weight - float(w @ (2.0 * leverage - norms))
        return noise_variance(float(w @ (self.y_train_ - fitted) ** 2), spare, self._total_weight)

    @property
    def df_(self):
        """Trace of the smoother matrix."""
        return self.scores()["df"]

    @property
    def loo_(self):
        """Leave-one-out mean squared error."""
        return self.scores()["loo"]

    @property
    def gcv_(self):
        """Generalised cross-validation error."""
        return self.scores()["gcv"]


class NadarayaWatson(LocalSmoother):
    r"""Nadaraya-Watson regression: kernel-weighted local means of the responses.

    .. math:: \hat f(x_0) = \frac{\sum_i w_i K(\lVert x_i - x_0 \rVert / h) \, y_i}
        {\sum_i w_i K(\lVert x_i - x_0 \rVert / h)}

    Parameters
    ----------
    bandwidth : float, callable or None, default=None
        The bandwidth h, or a function that returns :math:`h(x_0)` for each row of an array.
    n_neighbors : int or None, default=None
        Without a bandwidth, :math:`h(x_0)` is the distance to this nearest row. If neither is set, 30.
    kernel : {"epanechnikov", "tricube", "gaussian", "uniform"} or callable, default="epanechnikov"
        See :func:`kernel_profile`. A function of the distances in units of the bandwidth must return non-negative
        weights, not all of them 0; fits with it are computed in Python.
    gaussian_scale : {"standard", "variance", "no_half"}, default="standard"
        Meaning of the bandwidth b for the Gaussian kernel: :math:`\exp(-d^2 / (2 b^2))`, :math:`\exp(-d^2 / (2 b))` or
        :math:`\exp(-d^2 / b^2)`.
    A : array-like of shape (n_features, n_features) or None, default=None
        Positive semi-definite matrix of the distances :math:`\sqrt{(x - x_0)^\top A (x - x_0)}`, to weight or drop
        directions.

    Attributes
    ----------
    df_, loo_, gcv_ : float
        Trace of the smoother matrix, leave-one-out and generalised cross-validation errors. Each takes a pass over the
        rows; :meth:`scores` returns them together.
    sigma2_ : float
        Noise variance, RSS / (n - tr(2S - SS')); requires the smoother matrix, computed a block of rows at a time.
    X_train_, y_train_ : ndarray
        Training rows, sorted by x if there is a single column.
    n_features_in_ : int
    feature_names_in_ : ndarray of str

    Notes
    -----
    Averages are biased where rows lie to one side, especially at the boundary, or are unevenly spaced; use
    :class:`LocalPolynomialRegressor` there. If no row is within the bandwidth, the nearest ones are averaged. A
    prediction costs O(n); with a single column and a kernel of bounded support, O(rows within the bandwidth). In more
    than three or four dimensions neighbourhoods are hardly local.

    References
    ----------
    Hastie, T., Tibshirani, R. and Friedman, J. (2009). *The Elements of Statistical Learning*, 2nd ed., section 6.1.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.smooth import NadarayaWatson
    >>> x = np.arange(5.0)[:, None]
    >>> NadarayaWatson(3.0, kernel="tricube").fit(x, x[:, 0] ** 2).predict([[0.0]]).round(4)
    array([1.0203])
    """

    def __init__(self, bandwidth=None, *, n_neighbors=None, kernel="epanechnikov", gaussian_scale="standard", A=None):
        self.bandwidth = bandwidth
        self.n_neighbors = n_neighbors
        self.kernel = kernel
        self.gaussian_scale = gaussian_scale
        self.A = A


class LocalPolynomialRegressor(LocalSmoother):
    r"""Local polynomial regression by kernel-weighted least squares.

    .. math:: \min_\beta \sum_i w_i K(\lVert x_i - x_0 \rVert / h)
        \bigl(y_i - \beta_0 - \beta_1^\top (x_i - x_0) - \dots\bigr)^2, \qquad \hat f(x_0) = \hat\beta_0

    Parameters
    ----------
    bandwidth : float, callable or None, default=None
        The bandwidth h, or a function that returns :math:`h(x_0)` for each row of an array.
    degree : {0, 1, 2}, default=1
        Degree of the local polynomial; 2 includes all products of two columns, and 0 is :class:`NadarayaWatson`.
    n_neighbors : int or None, default=None
        Without a bandwidth, :math:`h(x_0)` is the distance to this nearest row. If neither is set, 30.
    kernel : {"epanechnikov", "tricube", "gaussian", "uniform"} or callable, default="tricube"
        See :func:`kernel_profile`. A function of the distances in units of the bandwidth must return non-negative
        weights, not all of them 0; fits with it are computed in Python.
    gaussian_scale : {"standard", "variance", "no_half"}, default="standard"
        Meaning of the bandwidth b for the Gaussian kernel: :math:`\exp(-d^2 / (2 b^2))`, :math:`\exp(-d^2 / (2 b))` or
        :math:`\exp(-d^2 / b^2)`.
    A : array-like of shape (n_features, n_features) or None, default=None
        Positive semi-definite matrix of the distances :math:`\sqrt{(x - x_0)^\top A (x - x_0)}`, to weight or drop
        directions. The polynomial uses all columns.

    Attributes
    ----------
    df_, loo_, gcv_ : float
        Trace of the smoother matrix, leave-one-out and generalised cross-validation errors. Each takes a pass over the
        rows; :meth:`scores` returns them together.
    sigma2_ : float
        Noise variance, RSS / (n - tr(2S - SS')); requires the smoother matrix, computed a block of rows at a time.
    X_train_, y_train_ : ndarray
        Training rows, sorted by x if there is a single column.
    n_features_in_ : int
    feature_names_in_ : ndarray of str

    Notes
    -----
    Degree 1 removes the first-order bias of averages at boundaries and in uneven designs. Degree 2 removes the bias
    from curvature in the interior, at the cost of more variance. Use one degree for the whole curve. Polynomials of the
    degree are reproduced exactly. If a window has too few rows for the degree, the columns that it cannot determine are
    dropped; if it is empty, the nearest rows are averaged. A prediction costs O(n); with a single column and a kernel
    of bounded support, O(rows within the bandwidth).

    References
    ----------
    Cleveland, W. and Devlin, S. (1988). Locally weighted regression. Journal of the American Statistical Association
    83, 596-610.

    Fan, J. and Gijbels, I. (1996). *Local Polynomial Modelling and Its Applications*. Chapman & Hall.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.smooth import LocalPolynomialRegressor
    >>> x = np.arange(5.0)[:, None]
    >>> LocalPolynomialRegressor(3.0).fit(x, x[:, 0] ** 2).predict([[0.0]]).round(4)
    array([-0.2395])
    >>> LocalPolynomialRegressor(3.0, degree=2).fit(x, x[:, 0] ** 2).predict([[0.0]]).round(4) + 0.0
    array([0.])
    """

    _constraints = {**LocalSmoother._constraints, "degree": [Int(0, 2)]}

    def __init__(
        self, bandwidth=None, degree=1, *, n_neighbors=None, kernel="tricube", gaussian_scale="standard", A=None
    ):
        self.bandwidth = bandwidth
        self.degree = degree
        self.n_neighbors = n_neighbors
        self.kernel = kernel
        self.gaussian_scale = gaussian_scale
        self.A = A

    def _degree(self):
        return self.degree
