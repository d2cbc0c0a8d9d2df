"""Approximate features of any kernel from a sample of the rows."""

import numpy as np
from scipy import linalg
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin, clone
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from statlearn._core.blas import single_blas_thread
from statlearn._core.jobs import jobs
from statlearn._core.params import Instance, Int, Options, Real, check_params
from statlearn._core.validation import FLOATS, require_finite, validate_data
from statlearn._core.warnings import warn
from statlearn._math.linalg.sparse_arrays import to_dense

from ._evaluate import check_rows
from ._gram import NUMERIC, as_kernel
from ._kernel import Kernel


class Nystroem(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    r"""Approximate features of a kernel from a sample of the training rows (Nyström's method).

    With landmarks :math:`z_1, \ldots, z_m` drawn from the rows and their kernel matrix :math:`K_m`, the features of x
    are :math:`K_m^{-1/2} (k(x, z_1), \ldots, k(x, z_m))^\top`. Inner products of features equal the kernel of the
    images projected onto the span of the landmarks; with all rows as landmarks they reproduce the kernel matrix.

    Parameters
    ----------
    kernel : str, Kernel or callable, default="rbf"
        A name ("linear", "poly", "rbf", "laplacian", "sigmoid", "cosine", "chi2", "additive_chi2", "min"), a kernel
        object, "precomputed" (with all rows as landmarks candidates), or a function of two rows.
    gamma : float or None, default=None
        Parameter of "rbf", "laplacian", "poly", "sigmoid" and "chi2"; None means the kernel's default.
    coef0 : float or None, default=None
        Constant of "poly" and "sigmoid".
    degree : float or None, default=None
        Degree of "poly".
    kernel_params : dict or None, default=None
        Keyword arguments of a function.
    n_components : int, default=100
        Number of landmarks and of features.
    random_state : int, RandomState instance or None, default=None
        Seed of the sample.
    n_jobs : int or None, default=None
        Number of threads; see :func:`statlearn.threads`.

    Attributes
    ----------
    components_ : ndarray or sparse matrix of shape (n_components, n_features)
        The landmarks.
    component_indices_ : ndarray of shape (n_components,)
        Their row numbers.
    normalization_ : ndarray of shape (n_components, n_components)
        Symmetric inverse square root of their kernel matrix. Directions without weight (landmarks that repeat one
        another) are left out.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Column names of X, if it has any.

    See Also
    --------
    EmpiricalKernelMap : all rows as landmarks, with the features along the eigenvectors.
    RBFSampler : random features of the Gaussian kernel, independent of the data.

    Notes
    -----
    O(m^3) for the fit and O(n m (p + m)) for the features. Usually more accurate than random Fourier features of the
    same number if the eigenvalues of the kernel matrix decay fast.

    References
    ----------
    Williams and Seeger (2001), Using the Nyström method to speed up kernel machines.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.kernels import Nystroem, rbf_kernel
    >>> X = np.random.default_rng(0).normal(size=(300, 2))
    >>> Z = Nystroem(gamma=0.2, n_components=60, random_state=0).fit_transform(X)
    >>> K = rbf_kernel(X, gamma=0.2)
    >>> bool(np.linalg.norm(Z @ Z.T - K) < 0.01 * np.linalg.norm(K))
    True
    """

    _constraints = {
        "kernel": [Options(*NUMERIC, "precomputed"), "callable"],
        "gamma": [Real(0, None), None],
        "coef0": [Real(None, None), None],
        "degree": [Real(0, None), None],
        "kernel_params": [Instance(dict), None],
        "n_components": [Int(1, None)],
        "random_state": ["random_state"],
        "n_jobs": [Int(None, None), None],
    }

    def __init__(
        self,
        kernel="rbf",
        *,
        gamma=None,
        coef0=None,
        degree=None,
        kernel_params=None,
        n_components=100,
        random_state=None,
        n_jobs=None,
    ):
        self.kernel = kernel
        self.gamma = gamma
        self.coef0 = coef0
        self.degree = degree
        self.kernel_params = kernel_params
        self.n_components = n_components
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X, y=None):
        """Draw the landmarks.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
        y : ignored

        Returns
        -------
        self
        """
        check_params(self)
        self._set_kernel()
        kernel = self._kernel_object()
        X = validate_data(self, X, accept_sparse="csr", dtype=FLOATS, order="C")
        n = X.shape[0]
        if kernel is None and X.shape[0] != X.shape[1]:
            raise ValueError(f"X must be a square kernel matrix with `kernel`='precomputed', got shape {X.shape}.")
        count = min(self.n_components, n)
        if self.n_components > n:
            warn(
                f"n_components > n_samples. This is not possible. All {n} rows are used instead of `n_components`="
                f"{self.n_components}, which results in inefficient evaluation of the full kernel."
            )
        rows = check_random_state(self.random_state).permutation(n)[:count]
        landmarks = X[rows]
        with jobs(self.n_jobs):
            K = landmarks[:, rows] if kernel is None else kernel(landmarks)
        K = to_dense(K)
        require_finite(K)
        with single_blas_thread():  # the same bits for any number of threads
            values, vectors = linalg.eigh(np.asarray(K, dtype=np.float64), check_finite=False)
        # Directions of rounding noise would be blown up; single precision has more of it.
        nonzero = values > count * np.finfo(K.dtype).eps * np.abs(values).max()
        if values[0] < -1e-4 * np.abs(values).max():
            warn(
                f"Nystroem: the kernel matrix of the landmarks has negative eigenvalues (smallest {values[0]:.3g}), "
                "whose directions were dropped. Use a positive semi-definite kernel."
            )
        with single_blas_thread():
            root = (vectors[:, nonzero] / np.sqrt(values[nonzero])) @ vectors[:, nonzero].T
        self.normalization_ = root.astype(X.dtype, copy=False)
        self.components_ = landmarks
        self.component_indices_ = rows
        return self

    def transform(self, X):
        """Features of rows.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_queries, n_features)

        Returns
        -------
        ndarray of shape (n_queries, n_components)
        """
        check_is_fitted(self)
        kernel = self._kernel_object()
        X = validate_data(self, X, accept_sparse="csr", dtype=FLOATS, order="C", reset=False)
        if kernel is None:
            K = X[:, self.component_indices_]
            K = to_dense(K)
        else:
            with jobs(self.n_jobs):
                K = kernel(check_rows(X), self.components_)
        with single_blas_thread():
            return (K @ self.normalization_.T).astype(X.dtype, copy=False)

    def _set_kernel(self):
        """Store the kernel, so that parameters changed later do not affect the features."""
        settings = {"gamma": self.gamma, "degree": self.degree, "coef0": self.coef0}
        passed = {name: value for name, value in settings.items() if value is not None}
        if isinstance(self.kernel, str):
            if self.kernel == "precomputed" and (passed or self.kernel_params):
                raise ValueError(
                    "Don't pass gamma, coef0 or degree to Nystroem, nor kernel_params, if `kernel`='precomputed'."
                )
        elif passed:
            raise ValueError(
                "Don't pass gamma, coef0 or degree to Nystroem if `kernel` is a function or an object; use "
                "kernel_params or the object's own parameters."
            )
        self._fit_kernel = clone(self.kernel) if isinstance(self.kernel, Kernel) else self.kernel
        self._fit_params = {**(self.kernel_params or {}), **passed}

    def _kernel_object(self):
        """The stored kernel as an object, or None if the matrix is given."""
        named = isinstance(self._fit_kernel, str)
        if named and self._fit_kernel == "precomputed":
            return None
        return as_kernel(self._fit_kernel, self._fit_params, filter_params=named)

    @property
    def _n_features_out(self):
        return self.components_.shape[0]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = isinstance(self.kernel, str) and self.kernel == "precomputed"
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
