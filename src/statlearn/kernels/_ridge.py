"""Kernel ridge regression."""

import numpy as np
from scipy import linalg
from sklearn.base import BaseEstimator, MultiOutputMixin, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from statlearn._core.blas import single_blas_thread
from statlearn._core.memory import require_memory
from statlearn._core.params import Real, check_params
from statlearn._core.validation import check_weights, require_finite
from statlearn._core.warnings import RankWarning, warn
from statlearn._math.linalg.positive import large_cholesky

from ._estimator_kernel import KERNEL_CONSTRAINTS, KernelEstimatorMixin, new_kernel, training_kernel


def centre_kernel(K, shares):
    """K of features centred by the mean with these shares, in place."""
    means = K @ shares
    K -= means[:, None]
    K -= means
    K += shares @ means
    return K


class WeightedProblem:
    """Kernel ridge regression on the rows of positive weight, as a least-squares problem with unit weights.

    With S the weights, the problem becomes A = S^1/2 K S^1/2 and b = S^1/2 y, both centred if there is an intercept.
    """

    def __init__(self, X, y, weights, kernel, fit_intercept):
        n = X.shape[0]
        self.present = None if weights is None or np.all(weights > 0) else np.flatnonzero(weights > 0)
        if self.present is not None:
            X = X[np.ix_(self.present, self.present)] if kernel is None else X[self.present]
            y, weights = y[self.present], weights[self.present]
        self.n, self.n_given = X.shape[0], n
        require_memory(3 * 8 * self.n**2, f"The {self.n:,} x {self.n:,} kernel matrix and its factors",
                       "Use Nystroem or RBFSampler with a linear ridge regression.")  # fmt: skip
        K = training_kernel(kernel, X)
        Y = y.astype(np.float64).reshape(self.n, -1)
        self.X_fit, self.plain_kernel = X, None
        self.root = None if weights is None else np.sqrt(weights, dtype=np.float64)
        self.shares = np.full(self.n, 1.0 / self.n) if weights is None else weights / weights.sum(dtype=np.float64)
        self.y_mean = np.zeros(Y.shape[1])
        self.kernel_means = None
        if fit_intercept:
            self.y_mean = self.shares @ Y
            self.kernel_means = K @ self.shares
            Y = Y - self.y_mean
            centre_kernel(K, self.shares)
        if self.root is not None:
            K *= self.root[:, None]
            K *= self.root
            Y = Y * self.root[:, None]
        require_finite(K, Y, remedy="Scale them, or use a kernel with bounded values.")
        self.A, self.B = K, Y

    def dual_coef(self, C):
        """Coefficients of the kernel from those of the weighted problem (n, m)."""
        return C if self.root is None else C * self.root[:, None]

    def intercept(self, dual):
        """Intercepts (m,) that go with coefficients of the kernel."""
        if self.kernel_means is None:
            return np.zeros(dual.shape[1])
        # The coefficients sum to 0, so the centring of new rows is a constant.
        return self.y_mean - self.kernel_means @ dual

    def all_rows(self, dual):
        """Coefficients with zeros for the rows of weight 0, as a precomputed kernel needs them."""
        if self.present is None:
            return dual
        full = np.zeros((self.n_given, dual.shape[1]))
        full[self.present] = dual
        return full


def solve_shifted(A, B, alpha, owner):
    """(A + alpha I)^-1 B for a symmetric A, which is overwritten.

    A Cholesky factor if it exists. Otherwise the eigenvectors, without the directions where A + alpha I vanishes.
    """
    diagonal = np.arange(len(A))
    A[diagonal, diagonal] += alpha
    try:
        factor = large_cholesky(A.copy())
        # A factor with a tiny pivot has no correct digits left.
        if factor.pivots.min() > len(A) * np.finfo(float).eps * factor.pivots.max():
            return factor.solve(B)
    except linalg.LinAlgError:
        pass
    values, Q = linalg.eigh(A, check_finite=False)
    limit = len(A) * np.finfo(float).eps * np.abs(values).max()
    usable = np.abs(values) > limit
    if values[0] < -limit:
        warn(
            f"{owner}: the kernel matrix plus alpha has negative eigenvalues (smallest {values[0]:.3g}), so the "
            "objective has no minimum and a stationary point is returned. Increase alpha, use a positive semi-definite "
            "kernel, or repair a precomputed matrix with nearest_psd."
        )
    elif not usable.all():
        warn(
            f"Singular matrix in solving dual problem. Using least-squares solution instead: {int(np.sum(~usable))} of "
            f"{len(A)} directions have no weight. Increase alpha to avoid this.",
            RankWarning,
        )
    return (Q[:, usable] / values[usable]) @ (Q[:, usable].T @ B)


class KernelRidge(KernelEstimatorMixin, MultiOutputMixin, RegressorMixin, BaseEstimator):
    r"""Kernel ridge regression.

    Minimises over functions f of the kernel's space, with weights :math:`s_i` (1 by default),

    .. math:: \sum_i s_i (y_i - f(x_i))^2 + \alpha \lVert f \rVert^2 .

    The solution is :math:`f(x) = \sum_i a_i k(x_i, x)` with :math:`a = (K + \alpha I)^{-1} y` if all weights are 1.
    With `fit_intercept`, a constant is added to f and not penalised.

    Parameters
    ----------
    alpha : float or array-like of shape (n_targets,), default=1.0
        Penalty; an array has one value per target. It corresponds to the noise variance of a Gaussian process with the
        same kernel, whose posterior mean is f.
    kernel : str, Kernel or callable, default="linear"
        A name ("linear", "poly", "rbf" or "gaussian", "laplacian", "sigmoid", "cosine", "chi2", "additive_chi2",
        "min"), a kernel object, "precomputed", or a function of two rows.
    gamma : float or None, default=None
        Parameter of "rbf", "laplacian", "poly", "sigmoid" and "chi2"; None means 1 / n_features (1 for "chi2").
    degree : float, default=3
        Degree of "poly".
    coef0 : float, default=1
        Constant of "poly" and "sigmoid".
    kernel_params : dict or None, default=None
        Keyword arguments of a function.
    fit_intercept : bool, default=False
        Whether to add an unpenalised constant, by centring kernel and target. scikit-learn has none: without it,
        predictions far from the data go to 0 for a Gaussian kernel, so centre y or set this.

    Attributes
    ----------
    dual_coef_ : ndarray of shape (n_samples,) or (n_samples, n_targets)
        The coefficients a, 0 for rows of weight 0.
    intercept_ : float or ndarray of shape (n_targets,)
        The constant, 0 without `fit_intercept`.
    X_fit_ : ndarray or sparse matrix of shape (n_samples, n_features)
        Training rows, or the kernel matrix for "precomputed".
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Column names of X, if it has any.

    See Also
    --------
    KernelRidgeCV : the penalty chosen by leave-one-out.
    Nystroem : approximate features for many rows.

    Notes
    -----
    One Cholesky factorisation: O(n^3) time and O(n^2) memory, in double precision. A prediction costs one kernel value
    per training row. Scale the features first, and state the parametrisation of the width: gamma, sigma and c of the
    Gaussian kernel differ by squares and factors of 2.

    If the matrix is singular (alpha = 0, repeated rows), the solution of smallest norm is returned with a warning.

    References
    ----------
    Saunders, Gammerman and Vovk (1998), Ridge regression learning algorithm in dual variables.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.kernels import KernelRidge
    >>> X = np.linspace(0, 6, 40)[:, None]
    >>> y = np.sin(X[:, 0])
    >>> model = KernelRidge(alpha=0.01, kernel="rbf", gamma=0.5).fit(X, y)
    >>> model.predict([[np.pi / 2], [3.0]]).round(2)
    array([1.  , 0.14])
    """

    _constraints = {
        "alpha": [Real(0, None), "array-like"],
        **KERNEL_CONSTRAINTS,
        "fit_intercept": ["boolean"],
    }

    def __init__(
        self, alpha=1, *, kernel="linear", gamma=None, degree=3, coef0=1, kernel_params=None, fit_intercept=False
    ):
        self.alpha = alpha
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.fit_intercept = fit_intercept

    def fit(self, X, y, sample_weight=None):
        """Fit the model.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), or (n_samples, n_samples) if precomputed
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
        sample_weight : float, array-like of shape (n_samples,) or None, default=None
            A weight of k is equivalent to k copies of the row, a weight of 0 to omitting it.

        Returns
        -------
        self
        """
        check_params(self)
        X, y = self._check_training(X, y, multi_output=True, y_numeric=True)
        weights = check_weights(sample_weight, X)
        alphas = self._check_alpha(1 if y.ndim == 1 else y.shape[1])
        self._set_kernel()
        with single_blas_thread():  # the same bits for any number of threads
            problem = WeightedProblem(X, y, weights, self._kernel_object(), self.fit_intercept)
            self._set_solution(problem, problem.dual_coef(self._solve(problem, alphas)), X, y.ndim)
        return self

    def _solve(self, problem, alphas):
        owner = type(self).__name__
        if np.all(alphas == alphas[0]):
            return solve_shifted(problem.A, problem.B, alphas[0], owner)
        columns = [solve_shifted(problem.A.copy(), problem.B[:, [t]], a, owner) for t, a in enumerate(alphas)]
        return np.hstack(columns)

    def _check_alpha(self, n_targets):
        alphas = np.atleast_1d(np.asarray(self.alpha, dtype=np.float64))
        if alphas.ndim != 1 or not np.all((alphas >= 0) & np.isfinite(alphas)):
            raise ValueError(f"`alpha` must contain finite non-negative numbers, got {self.alpha!r}.")
        if len(alphas) not in (1, n_targets):
            raise ValueError(f"`alpha` must be one number or one per target ({n_targets}), got {len(alphas)} numbers.")
        return alphas

    def _set_solution(self, problem, dual, X, y_ndim):
        require_finite(dual)
        intercept = problem.intercept(dual)
        dual = problem.all_rows(dual)
        self.dual_coef_ = np.ascontiguousarray(dual[:, 0] if y_ndim == 1 else dual)
        self.intercept_ = float(intercept[0]) if y_ndim == 1 else intercept
        self.X_fit_ = X

    def predict(self, X):
        """Predictions.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_queries, n_features), or (n_queries, n_samples) if precomputed
            With "precomputed", the kernel between these rows and the training rows.

        Returns
        -------
        ndarray of shape (n_queries,) or (n_queries, n_targets)
        """
        check_is_fitted(self)
        K = new_kernel(self._kernel_object(), self._check_new(X), self.X_fit_)
        with single_blas_thread():
            return K @ self.dual_coef_ + self.intercept_
