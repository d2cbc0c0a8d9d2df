"""Base class of kernel machines: parameters of the kernel, validation of the data, sums over support vectors."""

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted, column_or_1d

from statlearn._core.fitted_state import forget
from statlearn._core.params import Int, Options, Real
from statlearn._core.validation import FLOATS, check_same_length, naming, validate_data
from statlearn._core.warnings import MAX_ITER, warn
from statlearn._math.linalg.sparse_arrays import stored_values, to_dense
from statlearn.svm._kernel_table import (
    ALIASES,
    KINDS,
    KernelTable,
    callable_kernel,
    check_gram,
    resolve_gamma,
    sums_of_kernels,
    warn_if_indefinite,
)
from statlearn.svm._machine_weights import machine_weights
from statlearn.svm._scale_warning import warn_if_uneven
from statlearn.svm._solver import NOT_FINITE, StepSettings, solve, stopped_early

# Kernels that the compiled solver does not provide.
_AS_OBJECTS = {
    "laplacian": 'LaplacianKernel(norm="l2", delta=1.0)',
    "cosine": "CosineKernel()",
    "chi2": "Chi2Kernel()",
    "additive_chi2": "AdditiveChi2Kernel()",
    "min": "MinKernel()",
    "spectrum": "SpectrumKernel()",
}

KERNEL_CONSTRAINTS: dict[str, list] = {
    "kernel": [
        Options(
            *KINDS,
            *ALIASES,
            "precomputed",
            hints={
                name: f"Pass an object: kernel={call}, from statlearn.kernels." for name, call in _AS_OBJECTS.items()
            },
        ),
        "callable",
    ],
    "degree": [Int(0, None)],
    "gamma": [Options("scale", "auto"), Real(0, None, closed="neither")],
    "coef0": [Real(None, None)],
    "tol": [Real(0, None, closed="neither")],
    "shrinking": ["boolean"],
    "cache_size": [Real(0, None, closed="neither")],
    "verbose": ["verbose"],
    "max_iter": [Int(-1, None)],
    "on_interrupt": [Options("raise", "keep")],
}


class KernelMachine(BaseEstimator):
    """Base of the exact machines. Subclasses have the parameters of `KERNEL_CONSTRAINTS`."""

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = isinstance(self.kernel, str) and self.kernel == "precomputed"
        tags.input_tags.sparse = not tags.input_tags.pairwise
        return tags

    @property
    def _by_matrix(self):
        """Whether kernel values are not computed by the compiled kernels."""
        return callable(self.kernel) or self.kernel == "precomputed"

    def _validate(self, X, y, *, y_numeric=False, needs_y=True):
        """Validated X (unchanged for a callable kernel) and y; sets n_features_in_ and the names of the columns."""
        if needs_y and y is None:
            raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None.")
        if sparse.issparse(X) and not callable(self.kernel) and self.kernel == "precomputed":
            raise TypeError("Sparse precomputed kernels are not supported: X must be a dense matrix.")
        if callable(self.kernel) and not hasattr(X, "shape"):
            if y is not None:
                check_same_length(X, y)
                y = self._column(y, y_numeric)
            forget(self, "n_features_in_", "feature_names_in_")
            return X, y
        options = {"dtype": FLOATS, "order": "C", "accept_sparse": "csr", "accept_large_sparse": False}
        if callable(self.kernel) and getattr(X, "dtype", None) is not None and X.dtype.kind in "OUS":
            options["dtype"] = None  # rows of text: only the kernel knows
            options["ensure_2d"] = False
        if y is None:
            return validate_data(self, X, **options), None
        X, y = validate_data(self, X, y, y_numeric=y_numeric, **options)
        return X, self._column(y, y_numeric)

    @staticmethod
    def _column(y, numeric):
        with naming("y"):
            y = column_or_1d(y, warn=True)
        return y.astype(np.float64) if numeric else y

    def _prepare(self, X, sample_weight):
        """The kernel table of the rows of positive weight, the positions of these rows, and their weights."""
        n = X.shape[0] if hasattr(X, "shape") else len(X)
        if self._by_matrix and not callable(self.kernel) and X.shape[0] != X.shape[1]:
            check_gram(X)
        shaped = X if hasattr(X, "dtype") else np.empty((n, 1))
        weights = machine_weights(sample_weight, shaped)
        used = np.arange(n)
        if weights is not None:
            used = np.flatnonzero(weights)
            weights = weights[used].astype(np.float64)
        name = type(self).__name__
        self._gamma = 0.0
        self._kernel = "callable" if callable(self.kernel) else ALIASES.get(self.kernel, self.kernel)
        if self._by_matrix:
            if callable(self.kernel):
                rows = X if used.size == n else _take(X, used)
                K = callable_kernel(self.kernel, rows, rows)
            else:
                K = X if used.size == n else X[np.ix_(used, used)]
            check_gram(K)
            table = KernelTable(np.ascontiguousarray(K), None)
        else:
            rows = X if used.size == n else X[used]
            warn_if_uneven(rows, name)
            self._gamma = resolve_gamma(self.gamma, rows, weights)
            table = KernelTable(rows, self.kernel, self._gamma, self.coef0, self.degree)
        self._kernel_parameters = table.parameters
        if self._by_matrix or self.kernel == "sigmoid":
            warn_if_indefinite(table, name)
        self.shape_fit_ = X.shape if hasattr(X, "shape") else (n,)
        return table, used, weights

    def _solve(self, table, duals, last_resort=None):
        """Solutions of the duals; `last_resort` improves those on which the steps fail."""
        settings = StepSettings(
            tol=self.tol,
            max_iter=self.max_iter,
            cache_size=self.cache_size,
            shrinking=self.shrinking,
            verbose=self.verbose,
            name=type(self).__name__,
            keep_interrupted=self.on_interrupt == "keep",
        )
        solutions = solve(table, duals, settings)
        if last_resort is not None:
            solutions = [
                last_resort(table, dual, solution) if solution.status == MAX_ITER else solution
                for dual, solution in zip(duals, solutions)
            ]
        self.fit_status_ = int(stopped_early(solutions))
        if self.fit_status_:
            warn(self._words_on_early_stop(solutions), ConvergenceWarning)
        return solutions

    def _words_on_early_stop(self, solutions):
        worst = max(s.gap for s in solutions)
        reached = "The fit was interrupted" if not np.isfinite(worst) else f"The violation is {worst:.1e}"
        stuck = self.max_iter < 0 and np.isfinite(worst)
        why = "no more progress, perhaps C is too large" if stuck else f"max_iter={self.max_iter}"
        return (
            f"Solver terminated early ({why}).  Consider pre-processing your data with "
            f"StandardScaler or MinMaxScaler. {reached}, tol is {self.tol:g}."
        )

    def _keep_support(self, X, support):
        """Store the support vectors, by their positions in X."""
        self.support_ = support.astype(np.int32)
        forget(self, "X_fit_")
        if self._by_matrix:
            self.support_vectors_ = np.empty((0, 0))
            if callable(self.kernel):
                self.X_fit_ = X  # some kernels accept only the training rows as their second argument
        else:
            self.support_vectors_ = X[support]

    def _require_finite(self):
        coef = stored_values(self.dual_coef_)
        if not (np.isfinite(coef).all() and np.isfinite(self.intercept_).all()):
            raise ValueError(NOT_FINITE)

    def _validate_for_predict(self, X):
        """Rows to predict, or their kernel values with the support vectors, and the kernel's parameters (or None)."""
        check_is_fitted(self)
        if self._kernel == "callable":
            if hasattr(X, "shape") and hasattr(self, "n_features_in_"):
                X = validate_data(
                    self, X, reset=False, accept_sparse="csr", ensure_2d=X.dtype.kind not in "OUS",
                    dtype=None if X.dtype.kind in "OUS" else FLOATS,
                )  # fmt: skip
            K = callable_kernel(self.kernel, X, self.X_fit_)
            return np.ascontiguousarray(K[:, self.support_]), None
        X = validate_data(self, X, reset=False, dtype=FLOATS, order="C", accept_sparse="csr", accept_large_sparse=False)
        if self._kernel == "precomputed":
            if X.shape[1] != self.shape_fit_[0]:
                raise ValueError(
                    f"X.shape[1] = {X.shape[1]} should be equal to {self.shape_fit_[0]}, the number of samples at "
                    "training time."
                )
            return np.ascontiguousarray(X[:, self.support_]), None
        return X, self._kernel_parameters

    def _segment_sums(self, X, coef, segments):
        """Sums of coef times kernel over segments of the support vectors, see `sums_of_kernels`."""
        X, parameters = self._validate_for_predict(X)
        coef = np.asarray(to_dense(coef))
        if segments[-1] != self.support_.size or coef.shape[1] != self.support_.size:
            raise ValueError(f"The internal representation of {type(self).__name__} was altered.")
        if coef.shape[1] == 0:
            return np.zeros((X.shape[0], len(segments) - 1, coef.shape[0]))
        support = self.support_vectors_
        if parameters is not None:
            if sparse.issparse(X) != sparse.issparse(support):
                X = X.toarray() if sparse.issparse(X) else sparse.csr_array(X)
            common = np.result_type(X.dtype, support.dtype)
            X, support = X.astype(common, copy=False), support.astype(common, copy=False)
        return sums_of_kernels(X, support, parameters, coef, segments)

    @property
    def coef_(self):
        """Weights of the features, with a linear kernel only."""
        if getattr(self, "_kernel", self.kernel) != "linear":
            raise AttributeError("coef_ is only available when using a linear kernel")
        coef = self._linear_coef()
        if sparse.issparse(coef):
            coef.data.flags.writeable = False
        else:
            coef.flags.writeable = False
        return coef

    def _linear_coef(self):
        return self.dual_coef_ @ self.support_vectors_

    @property
    def n_support_(self):
        """Number of support vectors, for each class if there are classes."""
        check_is_fitted(self)
        return self._n_support


def _take(X, rows):
    if hasattr(X, "shape"):
        return X[rows]
    return [X[i] for i in rows]


def sparse_like(coef, X):
    """The coefficients as a sparse matrix if the support vectors are sparse, as in scikit-learn."""
    if not sparse.issparse(X):
        return coef
    full = sparse.csr_matrix if isinstance(X, sparse.spmatrix) else sparse.csr_array
    rows, cols = np.indices(coef.shape)
    return full((coef.ravel(), (rows.ravel(), cols.ravel())), shape=coef.shape)
