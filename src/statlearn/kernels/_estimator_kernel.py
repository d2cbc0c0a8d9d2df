"""The kernel of an estimator: by name with parameters, an object, a function of two rows, or the matrix itself."""

import numpy as np
from scipy import sparse
from sklearn.base import clone

from statlearn._core.params import Instance, Options, Real
from statlearn._core.validation import validate_data
from statlearn._math.linalg.sparse_arrays import to_dense

from ._evaluate import check_rows
from ._gram import NUMERIC, as_kernel, is_symmetric
from ._kernel import Kernel

KERNEL_CONSTRAINTS = {
    "kernel": [Options(*NUMERIC, "precomputed"), "callable"],
    "gamma": [Real(0, None), None],
    "degree": [Real(0, None)],
    "coef0": [Real(None, None)],
    "kernel_params": [Instance(dict), None],
}


class KernelEstimatorMixin:
    """Parameters `kernel`, `gamma`, `degree`, `coef0` and `kernel_params` of an estimator."""

    @property
    def _precomputed(self):
        return isinstance(self.kernel, str) and self.kernel == "precomputed"

    def _set_kernel(self, gamma=None):
        """Store the kernel, so that parameters changed later do not affect predictions."""
        if not isinstance(self.kernel, str):
            self._fit_kernel = clone(self.kernel) if isinstance(self.kernel, Kernel) else self.kernel
            self._fit_params = dict(self.kernel_params or {})
            return
        settings = {"gamma": self.gamma if gamma is None else gamma, "degree": self.degree, "coef0": self.coef0}
        self._fit_kernel = self.kernel
        self._fit_params = {name: value for name, value in settings.items() if value is not None}

    def _kernel_object(self):
        """The stored kernel as an object, or None if the matrix is given."""
        if isinstance(self._fit_kernel, str):
            if self._fit_kernel == "precomputed":
                return None
            return as_kernel(self._fit_kernel, self._fit_params, filter_params=True)
        return as_kernel(self._fit_kernel, self._fit_params)

    def _check_training(self, X, y="no_validation", **options):
        """Validated X (and y): rows in double precision, or a square kernel matrix."""
        options = {"accept_sparse": "csr", "dtype": np.float64, "order": "C", **options}
        alone = isinstance(y, str)
        data = validate_data(self, X, y, **options)
        X = data if alone else data[0]
        if self._precomputed:
            if X.shape[0] != X.shape[1]:
                raise ValueError(f"X must be a square kernel matrix with `kernel`='precomputed', got shape {X.shape}.")
            X = to_dense(X)
            if not is_symmetric(X):
                raise ValueError("X must be a symmetric kernel matrix with `kernel`='precomputed'.")
        elif sparse.issparse(X):
            X = check_rows(X)
        return X if alone else (X, data[1])

    def _check_new(self, X):
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64, order="C", reset=False)
        precomputed = isinstance(self._fit_kernel, str) and self._fit_kernel == "precomputed"
        return X.toarray() if precomputed and sparse.issparse(X) else X

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = self._precomputed
        tags.input_tags.positive_only = isinstance(self.kernel, str) and self.kernel in ("chi2", "additive_chi2", "min")
        return tags


def training_kernel(kernel, X):
    """Kernel matrix of the training rows as a new array in double precision."""
    if kernel is None:
        return np.array(X, dtype=np.float64)
    return np.asarray(kernel(X), dtype=np.float64)


def new_kernel(kernel, X, X_fit):
    """Kernel between new and training rows.

    The training rows themselves are treated like any others, so that a prediction does not depend on who asks.
    """
    if kernel is None:
        return X
    return np.asarray(kernel(X, X_fit[:] if X is X_fit else X_fit), dtype=np.float64)
