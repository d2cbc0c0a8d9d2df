"""Feature map of a kernel on the span of the training rows."""

import numpy as np
from scipy import linalg
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from statlearn._core.blas import single_blas_thread
from statlearn._core.memory import require_memory
from statlearn._core.params import Int, Real, check_params
from statlearn._core.validation import require_finite
from statlearn._core.warnings import warn

from ._estimator_kernel import KERNEL_CONSTRAINTS, KernelEstimatorMixin, new_kernel, training_kernel


def signed(vectors):
    """Eigenvectors with the entry of largest absolute value positive, so that their signs are reproducible."""
    if vectors.size == 0:
        return vectors
    rows = np.abs(vectors).argmax(axis=0)
    signs = np.sign(vectors[rows, np.arange(vectors.shape[1])])
    return vectors * np.where(signs == 0, 1.0, signs)


class EmpiricalKernelMap(ClassNamePrefixFeaturesOutMixin, KernelEstimatorMixin, TransformerMixin, BaseEstimator):
    r"""Features whose inner products are the kernel on the training rows.

    With the eigendecomposition :math:`K = \sum_j \lambda_j e_j e_j^\top`, the features of the training rows are the
    columns :math:`\sqrt{\lambda_j} \, e_j`, so that their inner products reproduce K: the expansion of Mercer's theorem
    in a finite sample. The features of a new row x are :math:`\sum_i k(x, x_i) \, e_{ij} / \sqrt{\lambda_j}` (Nyström):
    the coordinates of the projection of its image on the span of the training images.

    Parameters
    ----------
    kernel : str, Kernel or callable, default="rbf"
        A name ("linear", "poly", "rbf", "laplacian", "sigmoid", "cosine", "chi2", "additive_chi2", "min"), a kernel
        object, "precomputed", or a function of two rows.
    gamma : float or None, default=None
        Parameter of "rbf", "laplacian", "poly", "sigmoid" and "chi2"; None means 1 / n_features (1 for "chi2").
    degree : float, default=3
        Degree of "poly".
    coef0 : float, default=1
        Constant of "poly" and "sigmoid".
    kernel_params : dict or None, default=None
        Keyword arguments of a function.
    n_components : int or None, default=None
        Maximum number of features, those of the largest eigenvalues. None keeps all.
    tol : float or None, default=None
        Eigenvalues up to `tol` times the largest are dropped. None means n times the machine epsilon.

    Attributes
    ----------
    eigenvalues_ : ndarray of shape (n_components,)
        Eigenvalues of the features, descending.
    eigenvectors_ : ndarray of shape (n_samples, n_components)
        Eigenvectors, each with its largest entry positive.
    X_fit_ : ndarray or sparse matrix
        Training rows, or the kernel matrix for "precomputed".
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Column names of X, if it has any.

    See Also
    --------
    Nystroem : the same from a sample of the rows, up to a rotation.

    Notes
    -----
    O(n^3) time and O(n^2) memory. Without centring, the first feature often carries the mean; centre the kernel
    (:class:`KernelCenterer`) for kernel principal components.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.kernels import EmpiricalKernelMap, rbf_kernel
    >>> X = np.array([[0.0], [1.0], [3.0]])
    >>> Z = EmpiricalKernelMap(kernel="rbf", gamma=0.5).fit_transform(X)
    >>> bool(np.allclose(Z @ Z.T, rbf_kernel(X, gamma=0.5)))
    True
    """

    _constraints = {**KERNEL_CONSTRAINTS, "n_components": [Int(1, None), None], "tol": [Real(0, None), None]}

    def __init__(self, kernel="rbf", *, gamma=None, degree=3, coef0=1, kernel_params=None, n_components=None, tol=None):
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.n_components = n_components
        self.tol = tol

    def fit(self, X, y=None):
        """Decompose the kernel matrix.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), or (n_samples, n_samples) if precomputed
        y : ignored

        Returns
        -------
        self
        """
        check_params(self)
        X = self._check_training(X)
        n = X.shape[0]
        require_memory(3 * 8 * n**2, f"The {n:,} x {n:,} kernel matrix and its eigenvectors", "Use Nystroem.")
        self._set_kernel()
        K = training_kernel(self._kernel_object(), X)
        require_finite(K)
        with single_blas_thread():  # the same bits for any number of threads
            values, vectors = linalg.eigh(K, driver="evd", overwrite_a=True, check_finite=False)
        size = np.abs(values).max()
        limit = (n * np.finfo(float).eps if self.tol is None else float(self.tol)) * size
        if values[0] < -max(limit, 1e-10 * size):
            warn(
                f"EmpiricalKernelMap: the kernel matrix has negative eigenvalues (smallest {values[0]:.3g}), whose "
                "directions were dropped. The inner products of the features differ from the kernel."
            )
        positive = np.flatnonzero(values > limit)[::-1][: self.n_components]
        if len(positive) == 0:
            raise ValueError("The kernel matrix of X has no positive eigenvalues, so no features can be computed.")
        self.eigenvalues_, self.eigenvectors_ = values[positive], signed(vectors[:, positive])
        self.X_fit_ = X
        return self

    def transform(self, X):
        """Features of rows.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_queries, n_features), or (n_queries, n_samples) if precomputed
            With "precomputed", the kernel between these rows and the training rows.

        Returns
        -------
        ndarray of shape (n_queries, n_components)
        """
        check_is_fitted(self)
        K = new_kernel(self._kernel_object(), self._check_new(X), self.X_fit_)
        with single_blas_thread():
            return K @ (self.eigenvectors_ / np.sqrt(self.eigenvalues_))

    @property
    def _n_features_out(self):
        return len(self.eigenvalues_)
