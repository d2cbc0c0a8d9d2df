"""Kernel principal component analysis."""

import numpy as np
from scipy import linalg
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.exceptions import NotFittedError
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from statlearn._core.blas import single_blas_thread
from statlearn._core.fitted_state import forget
from statlearn._core.jobs import jobs
from statlearn._core.memory import require_memory
from statlearn._core.native import manifold as native
from statlearn._core.params import Instance, Int, Options, Real, check_params
from statlearn._core.validation import require_finite, validate_data
from statlearn._math.linalg.eigen import eigh_between, fixed_signs, leading_eigenpairs
from statlearn._math.linalg.positive import large_cholesky
from statlearn._math.linalg.sparse_arrays import to_dense
from statlearn.kernels import pairwise_kernels

NAMES = (
    "linear", "poly", "polynomial", "rbf", "gaussian", "laplacian", "sigmoid", "cosine", "chi2", "additive_chi2", "min",
)  # fmt: skip


def centred_kernel(K, column_means):
    """Kernel of feature vectors from which the mean of the training rows is subtracted.

    Parameters
    ----------
    K : ndarray of shape (m, n)
        Kernel of m rows with the n training rows.
    column_means : ndarray of shape (n,)
        Column means of the kernel matrix of the training rows.
    """
    return K - K.mean(axis=1, keepdims=True) - column_means + column_means.mean()


class KernelPCA(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    r"""Kernel principal component analysis.

    With the centred kernel matrix :math:`K_c = U \Lambda U^\top`, the scores of the training rows are
    :math:`\sqrt{\lambda_m}\, u_m`, and those of a new row are :math:`z_m(x) = \sum_j \alpha_{jm} k_c(x, x_j)` with
    :math:`\alpha_m = u_m / \sqrt{\lambda_m}`. The linear kernel gives principal component analysis.

    Parameters
    ----------
    n_components : int or None, default=None
        Number of components; None keeps all with a positive eigenvalue.
    kernel : str, kernel object or callable, default="linear"
        A name of :func:`statlearn.kernels.pairwise_kernels`, an object of :mod:`statlearn.kernels`, a function of two
        rows, or "precomputed" if X contains kernel values.
    gamma : float or None, default=None
        Parameter of the rbf, polynomial, sigmoid and Laplacian kernels; None means 1 over the number of columns.
    degree : float, default=3
    coef0 : float, default=1
    kernel_params : dict or None, default=None
        Parameters of a callable kernel.
    alpha : float, default=1.0
        Ridge penalty of the inverse transform.
    fit_inverse_transform : bool, default=False
        Whether to learn the inverse transform, by kernel ridge regression of the rows on their scores.
    eigen_solver : {"auto", "dense", "arpack", "randomized"}, default="auto"
        "dense" decomposes completely. The others iterate on blocks of vectors if few components are wanted, and are
        exact to rounding.
    tol : float, default=0
        Accepted for compatibility.
    max_iter : int or None, default=None
        Accepted for compatibility.
    iterated_power : int or "auto", default="auto"
        Accepted for compatibility.
    remove_zero_eig : bool, default=False
        Whether to drop components whose eigenvalue is 0.
    random_state : int, RandomState or None, default=None
        Seed of the initial vectors of the eigensolver.
    copy_X : bool, default=True
        Whether the training rows that are kept for `transform` are a copy.
    n_jobs : int or None, default=None
        Number of threads; see :func:`statlearn.threads`.

    Attributes
    ----------
    eigenvalues_ : ndarray of shape (n_components,)
        Decreasing.
    eigenvectors_ : ndarray of shape (n_samples, n_components)
        The entry of largest absolute value of each column is positive.
    dual_coef_ : ndarray of shape (n_samples, n_features)
        Coefficients of the inverse transform. Only with `fit_inverse_transform`.
    X_fit_ : array of shape (n_samples, n_features)
        Training rows, or their kernel matrix with ``kernel="precomputed"``.
    X_transformed_fit_ : ndarray of shape (n_samples, n_components)
        Scores of the training rows; only with `fit_inverse_transform`.
    gamma_ : float
        Value of `gamma` in use.
    n_features_in_ : int
        Number of columns of X.
    feature_names_in_ : ndarray of str

    Notes
    -----
    Needs the n x n kernel matrix. Scores have mean 0, are uncorrelated, and have the squared lengths `eigenvalues_`.

    References
    ----------
    Schölkopf, Smola and Müller (1998), Nonlinear component analysis as a kernel eigenvalue problem.
    Neural Computation 10.

    Examples
    --------
    >>> from statlearn.manifold import KernelPCA, three_circles
    >>> X, ring = three_circles(random_state=0)
    >>> KernelPCA(2, kernel="rbf", gamma=0.1).fit_transform(X).shape
    (450, 2)
    """

    _constraints = {
        "n_components": [Int(1, None), None],
        "kernel": [Options(*NAMES, "precomputed"), "callable"],
        "gamma": [Real(0, None), None],
        "degree": [Real(0, None)],
        "coef0": [Real(None, None)],
        "kernel_params": [Instance(dict), None],
        "alpha": [Real(0, None)],
        "fit_inverse_transform": ["boolean"],
        "eigen_solver": [Options("auto", "dense", "arpack", "randomized")],
        "tol": [Real(0, None)],
        "max_iter": [Int(1, None), None],
        "iterated_power": [Int(0, None), Options("auto")],
        "remove_zero_eig": ["boolean"],
        "random_state": ["random_state"],
        "copy_X": ["boolean"],
        "n_jobs": [Int(None, None), None],
    }

    def __init__(
        self,
        n_components=None,
        *,
        kernel="linear",
        gamma=None,
        degree=3,
        coef0=1,
        kernel_params=None,
        alpha=1.0,
        fit_inverse_transform=False,
        eigen_solver="auto",
        tol=0,
        max_iter=None,
        iterated_power="auto",
        remove_zero_eig=False,
        random_state=None,
        copy_X=True,
        n_jobs=None,
    ):
        self.n_components = n_components
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.alpha = alpha
        self.fit_inverse_transform = fit_inverse_transform
        self.eigen_solver = eigen_solver
        self.tol = tol
        self.max_iter = max_iter
        self.iterated_power = iterated_power
        self.remove_zero_eig = remove_zero_eig
        self.random_state = random_state
        self.copy_X = copy_X
        self.n_jobs = n_jobs

    def fit(self, X, y=None):
        """Compute the components.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features) or (n_samples, n_samples)
            Rows, or kernel values with ``kernel="precomputed"``.
        y : ignored

        Returns
        -------
        self
        """
        check_params(self)
        if self.fit_inverse_transform and self._precomputed:
            raise ValueError("Cannot fit_inverse_transform with a precomputed kernel: the rows are unknown.")
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64, order="C", copy=self.copy_X)
        if self._precomputed and X.shape[0] != X.shape[1]:
            raise ValueError(f"X must be a square kernel matrix with `kernel`='precomputed', got shape {X.shape}.")
        n = X.shape[0]
        self.gamma_ = 1.0 / X.shape[1] if self.gamma is None else self.gamma
        # The kernel of the fit also decides later on, whatever the parameters are then.
        self._fitted_kernel = self.kernel, self.degree, self.coef0, dict(self.kernel_params or {})
        require_memory(24 * n * n, f"The {n:,} x {n:,} kernel matrix", "Use a sample of the rows, or Nystroem and PCA.")
        K = np.ascontiguousarray(self._kernel_matrix(X), dtype=np.float64)
        self._column_means = np.empty(n)
        centred = np.empty_like(K) if self._precomputed else K
        with jobs(self.n_jobs):
            native.double_center(K, False, self._column_means, centred)
            require_finite(self._column_means)
            self._decompose(centred)
        self.X_fit_ = X
        forget(self, "dual_coef_", "X_transformed_fit_")
        if self.fit_inverse_transform:
            scores = self.eigenvectors_ * np.sqrt(self.eigenvalues_)
            inner = self._kernel_matrix(scores)
            inner[np.diag_indices(n)] += self.alpha
            rows = to_dense(X)
            try:
                if self.alpha > 0:
                    self.dual_coef_ = large_cholesky(inner).solve(rows)
                else:
                    self.dual_coef_ = linalg.solve(inner, rows, assume_a="sym")
            except np.linalg.LinAlgError:
                raise np.linalg.LinAlgError(
                    f"`fit_inverse_transform`: the regression on the scores is singular with `alpha`={self.alpha}; "
                    "increase `alpha`."
                ) from None
            self.X_transformed_fit_ = scores
        return self

    def _decompose(self, K):
        n = K.shape[0]
        k = n if self.n_components is None else min(self.n_components, n)
        if self.eigen_solver == "dense" or k > n // 10:
            values, vectors = eigh_between(K, n - k, n - 1)
            values, vectors = values[::-1], fixed_signs(vectors[:, ::-1])
        else:
            values, vectors = leading_eigenpairs(K, k, check_random_state(self.random_state))
        # Eigenvalues of a positive semi-definite matrix that rounding made negative, or that are only rounding.
        small = 1e-12 * max(values[0], 0.0)
        if values[-1] < -1e-5 * max(values[0], 1e-300):
            values = np.where(
                values < 0, 0.0, values
            )  # an indefinite kernel: directions of negative length are left out
        values = np.where(np.abs(values) <= small, 0.0, np.maximum(values, 0.0))
        if self.remove_zero_eig or self.n_components is None:
            keep = values > 0
            if not keep.any():
                keep[0] = True  # constant rows
            values, vectors = values[keep], vectors[:, keep]
        self.eigenvalues_, self.eigenvectors_ = np.ascontiguousarray(values), np.ascontiguousarray(vectors)

    def _kernel_matrix(self, X, Y=None):
        kernel, degree, coef0, params = self._fitted_kernel
        if isinstance(kernel, str) and kernel != "precomputed":
            params = {"gamma": self.gamma_, "degree": degree, "coef0": coef0}
        return pairwise_kernels(X, Y, metric=kernel, filter_params=True, n_jobs=self.n_jobs, **params)

    def fit_transform(self, X, y=None):
        """Compute the components and return the scores of the rows.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features) or (n_samples, n_samples)
        y : ignored

        Returns
        -------
        scores : ndarray of shape (n_samples, n_components)
        """
        self.fit(X)
        return self.eigenvectors_ * np.sqrt(self.eigenvalues_)

    def transform(self, X):
        """Scores of new rows.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_queries, n_features) or (n_queries, n_samples)

        Returns
        -------
        scores : ndarray of shape (n_queries, n_components)
        """
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64, order="C", reset=False)
        K = np.asarray(
            self._kernel_matrix(X[:], self.X_fit_), dtype=np.float64
        )  # alike if X is the training table itself
        require_finite(K)
        scale = np.sqrt(self.eigenvalues_)
        axes = np.divide(self.eigenvectors_, scale, out=np.zeros_like(self.eigenvectors_), where=scale > 0)
        with single_blas_thread():  # the same bits for any number of threads
            return centred_kernel(K, self._column_means) @ axes

    def inverse_transform(self, X):
        """Rows whose scores are close to given ones.

        Parameters
        ----------
        X : array-like of shape (n_queries, n_components)

        Returns
        -------
        rows : ndarray of shape (n_queries, n_features)
        """
        check_is_fitted(self)
        if not hasattr(self, "dual_coef_"):
            raise NotFittedError("Set `fit_inverse_transform`=True and fit again to use the inverse transform.")
        K = self._kernel_matrix(np.ascontiguousarray(X, dtype=np.float64), self.X_transformed_fit_)
        require_finite(K)
        return K @ self.dual_coef_

    @property
    def _precomputed(self):
        return isinstance(self.kernel, str) and self.kernel == "precomputed"

    @property
    def _n_features_out(self):
        return self.eigenvalues_.shape[0]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = self._precomputed
        tags.transformer_tags.preserves_dtype = []
        return tags
