"""The maximum-margin hyperplane without slack."""

from dataclasses import replace
from functools import partial

import numpy as np
from scipy.linalg import lapack
from scipy.optimize import linprog
from scipy.spatial.distance import cdist
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from statlearn._core.blas import single_blas_thread
from statlearn._core.params import Real, check_params
from statlearn._core.validation import check_labels
from statlearn._core.warnings import OK
from statlearn._math.linalg.positive import regularised_cholesky
from statlearn._math.linalg.sparse_arrays import to_dense
from statlearn.svm._kernel_table import KernelTable
from statlearn.svm._machine import KERNEL_CONSTRAINTS, KernelMachine, sparse_like
from statlearn.svm._margins import MarginWidthMixin
from statlearn.svm._solver import LARGEST_C, classification_dual, solve_by_qp, violation_of

_LARGEST_PROGRAM = 4_000_000  # cells of the linear program that looks for a separating function
_MOST_ROWS = 2000  # of the dense active-set method, and its steps
_USEFUL = 1e-3  # violation below which a solution of that method is better than one by pair steps
_NOT_SEPARABLE = (
    "y: no function of this kernel separates the two classes, so a hard margin does not exist. Use SVC, which allows "
    "slack, or a richer kernel."
)


class NotSeparableError(ValueError):
    """Error raised if no function of the chosen kernel separates the two classes, so that a hard margin does not exist.

    Parameters
    ----------
    message : str

    Examples
    --------
    >>> from statlearn.svm import HardMarginSVC, NotSeparableError
    >>> try:
    ...     HardMarginSVC().fit([[0.0], [1.0], [2.0]], [0, 1, 0])
    ... except NotSeparableError:
    ...     print("not separable")
    not separable
    """


class HardMarginSVC(MarginWidthMixin, ClassifierMixin, KernelMachine):
    r"""Hard-margin support vector classification.

    Minimises :math:`\tfrac12\lVert w\rVert^2` subject to :math:`y_i(w^\top\phi(x_i)+b)\ge1` for all rows. The dual is
    :math:`\max\sum\alpha_i-\tfrac12\sum\alpha_i\alpha_jy_iy_jK_{ij}` with :math:`\alpha\ge0`,
    :math:`\sum\alpha_iy_i=0`. Whether the classes can be separated is decided first, by a linear program; if not,
    `NotSeparableError` is raised.

    Parameters
    ----------
    kernel : {"linear", "poly", "rbf", "sigmoid", "precomputed"} or callable, default="linear"
    degree : int, default=3
    gamma : {"scale", "auto"} or float, default="scale"
    coef0 : float, default=0.0
    shrinking : bool, default=True
    tol : float, default=1e-8
        Largest violation of the optimality conditions at the end.
    cache_size : float, default=200
    verbose : bool, default=False
    max_iter : int, default=1000000
        Pair steps; up to 2000 rows on which they do not suffice are solved by a dense active-set method, with a
        Gaussian kernel also in its centred form, which keeps more digits if gamma is small.
    on_interrupt : {"raise", "keep"}, default="raise"
        These are as in `SVC`.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
    support_, support_vectors_, n_support_, dual_coef_, intercept_
        As in `SVC`.
    coef_ : ndarray of shape (1, n_features)
        Only with a linear kernel.
    X_fit_ : array or list
        Training rows. Only with a callable kernel.
    margin_ : float
        Margin :math:`1/\lVert w\rVert`: the distance between the boundary and the closest rows in the feature space of
        the kernel.
    width_ : float
        Width :math:`2/\lVert w\rVert` of the empty strip between the classes, twice `margin_`.
    dual_value_ : float
        :math:`\sum\alpha_i-\tfrac12\lVert w\rVert^2`, which equals :math:`\tfrac12\lVert w\rVert^2` at the solution.
    violation_, fit_status_, n_iter_, shape_fit_, n_features_in_, feature_names_in_
        As in `SVC`.

    Notes
    -----
    For demonstrations: one outlier makes the problem infeasible or the margin silly. Use `SVC` with a tuned C.

    References
    ----------
    B. E. Boser, I. M. Guyon and V. N. Vapnik, "A training algorithm for optimal margin classifiers", COLT 1992.

    Examples
    --------
    >>> from statlearn.svm import HardMarginSVC
    >>> machine = HardMarginSVC().fit([[3, 3], [4, 3], [1, 1]], [1, 1, -1])
    >>> print(machine.coef_.round(6), machine.intercept_.round(6), round(machine.margin_, 6))
    [[0.5 0.5]] [-2.] 1.414214
    """

    _constraints = {**KERNEL_CONSTRAINTS, "tol": [Real(0, None, closed="neither")]}

    def __init__(
        self,
        *,
        kernel="linear",
        degree=3,
        gamma="scale",
        coef0=0.0,
        shrinking=True,
        tol=1e-8,
        cache_size=200,
        verbose=False,
        max_iter=1_000_000,
        on_interrupt="raise",
    ):
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.shrinking = shrinking
        self.tol = tol
        self.cache_size = cache_size
        self.verbose = verbose
        self.max_iter = max_iter
        self.on_interrupt = on_interrupt

    def fit(self, X, y, sample_weight=None):
        """Fit the machine.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Labels of two classes.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            Rows with a positive weight are constraints, whatever its size. All others are left out, with a warning if
            any weight is negative.

        Returns
        -------
        self
        """
        check_params(self)
        X, y = self._validate(X, y)
        check_labels(y)
        table, used, _ = self._prepare(X, sample_weight)
        classes, codes = np.unique(y[used], return_inverse=True)
        if classes.size == 1:
            raise ValueError("HardMarginSVC needs two classes; y contains only one class.")
        if classes.size > 2:
            raise ValueError(
                f"Only binary classification is supported. y has {classes.size} classes; wrap the machine in "
                "OneVsOneClassifier."
            )
        self.classes_ = classes
        signs = np.where(codes == 1, 1.0, -1.0)
        require_separable(table, signs)
        dual = classification_dual(np.arange(used.size), signs, np.full(used.size, LARGEST_C))
        self._largest_kernel_value = float(np.max(table.diagonal(np.arange(used.size))))
        (solution,) = self._solve(table, [dual], last_resort=partial(_by_active_set, tol=self.tol))
        coef = solution.multipliers(dual)
        b = -solution.level(dual)
        if np.min(signs * (solution.score + b)) < 1.0 - 1e-3 and self.fit_status_ == 0:
            raise NotSeparableError("y: the classes are not separable by this kernel. Use SVC, which allows slack.")
        order = np.flatnonzero(coef)
        order = order[np.argsort(codes[order], kind="stable")]
        self._n_support = np.bincount(codes[order], minlength=2).astype(np.int32)
        self._keep_support(X, used[order])
        self.dual_coef_ = sparse_like(coef[None, order], self.support_vectors_)
        self.intercept_ = np.array([b])
        square = max(float(coef @ solution.score), 0.0)
        self.margin_ = 1.0 / np.sqrt(square)
        self.dual_value_ = float(np.abs(coef).sum() - 0.5 * square)
        self.violation_, self.n_iter_ = float(solution.gap), int(solution.n_iter)
        self._require_finite()
        return self

    def _words_on_early_stop(self, solutions):
        (ended,) = solutions
        if not np.isfinite(ended.gap):
            return super()._words_on_early_stop(solutions)
        terms = self._largest_kernel_value * np.abs(ended.b).max()
        rounding = ended.gap <= 1e3 * np.finfo(np.float64).eps * terms
        looser = ", raise tol" if rounding else ""
        return (
            f"HardMarginSVC did not converge: the optimality conditions hold to {ended.gap:.1e} after "
            f"{ended.n_iter:,} steps, tol is {self.tol:g}. The margin of this kernel is thin: the decision values are "
            f"sums of terms up to {terms:.0e}{', of which double precision keeps 16 digits' if rounding else ''}. "
            f"Scale the columns, choose another kernel or a larger gamma{looser}, or use SVC."
        )

    def decision_function(self, X):
        """Values of the separating function, positive for ``classes_[1]`` and at least 1 in size on training rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        check_is_fitted(self)
        return self._segment_sums(X, self.dual_coef_, [0, int(self._n_support.sum())])[:, 0, 0] + self.intercept_[0]

    def predict(self, X):
        """Predicted class of each row.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        above = self.decision_function(X) > 0
        return self.classes_[above.astype(np.intp)]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.classifier_tags.poor_score = True
        return tags


def _by_active_set(table, dual, point, tol):
    """Exact solution of a problem of moderate size for which pairwise steps do not terminate.

    It starts from what they have found. Where that holds too many multipliers that should be 0, it starts again.
    """
    if dual.row_of.size > _MOST_ROWS:
        return point
    steps = point.n_iter
    for start in (point.b, None):
        better = solve_by_qp(table, dual, start=start, max_steps=_MOST_ROWS)
        better.n_iter = steps = steps + better.n_iter
        if better.gap <= tol:
            better.status = OK
            return better
        if better.gap < min(point.gap, _USEFUL):
            better.status = point.status
            point = better
    if table.kind == "rbf" and not hasattr(table.X, "toarray"):
        better = _by_centred_kernel(table, dual, point)
        better.n_iter += steps
        if better.gap <= tol:
            better.status = OK
        if better.gap < point.gap:
            return better
    return point


def _by_centred_kernel(table, dual, before):
    """Solution for a wide Gaussian kernel, whose values are all near 1.

    The sum of the multipliers is 0, so that adding a constant to the kernel changes nothing. What is left of K - 1,
    centred and divided by gamma, keeps the digits that K loses.
    """
    rows, gamma = table.X[dual.rows].astype(np.float64), table.parameters[1]
    K = np.expm1(-gamma * cdist(rows, rows, "sqeuclidean")) / gamma
    means = K.mean(axis=0)
    K = K - means - means[:, None] + means.mean()
    centred = replace(
        dual, rows=np.arange(rows.shape[0]), lower=gamma * dual.lower, upper=gamma * dual.upper,
        start=np.zeros_like(dual.start),
    )  # fmt: skip
    scaled = solve_by_qp(KernelTable(K, None), centred, max_steps=_MOST_ROWS)
    b = scaled.b / gamma
    with single_blas_thread():
        score = table.values(dual.rows, dual.rows) @ b
    solution = replace(scaled, b=b, score=score, status=before.status)
    solution.gap = violation_of(dual, b, solution.gradient(dual))
    solution.objective = scaled.objective / gamma
    return solution


def require_separable(table, signs):
    """Raise `NotSeparableError` unless some w, b of the kernel's feature space satisfy y (w'phi(x) + b) >= 1.

    By the representer theorem it suffices to look at w in the span of the rows, so the program has one variable per
    dimension of that span, or with a linear kernel one per column. Larger problems than a few thousand rows are left to
    the solver.
    """
    n = signs.size
    if table.kind == "linear":
        X = to_dense(table.X)
        features = X if X.shape[1] <= n else _coordinates(X @ X.T)
    elif n * n <= _LARGEST_PROGRAM:
        K = table.values(np.arange(n), np.arange(n))
        if _same_point_in_both_classes(K, signs):
            raise NotSeparableError(_NOT_SEPARABLE)
        features = _coordinates(K)
    else:
        return
    if features.size > _LARGEST_PROGRAM:
        return
    scale = np.abs(features).max(axis=0)
    features = np.column_stack([features / np.where(scale > 0, scale, 1.0), np.ones(n)])
    if not (_fits_labels(features, signs) or _largest_margin(features, signs) > 1e-9):
        raise NotSeparableError(_NOT_SEPARABLE)


def _coordinates(K):
    """Coordinates of the rows in the span of their features, by a Cholesky factor with pivots; K if it is indefinite.

    Directions in which the rows differ by less than 1e-5 of their length are left out: what they separate has a margin
    that rounding destroys.
    """
    size = max(float(np.max(np.diag(K))), 1e-300)
    factor, pivots, rank, _ = lapack.dpstrf(K, tol=1e-10 * size, lower=1)
    rows = np.tril(factor)[:, :rank]
    coordinates = np.empty_like(rows)
    coordinates[pivots - 1] = rows
    rest = np.diag(K) - np.einsum("ij,ij->i", coordinates, coordinates)
    return coordinates if np.abs(rest).max() <= 1e-9 * size else K


def _same_point_in_both_classes(K, signs):
    """Whether two rows of different classes have the same features."""
    first, second = np.flatnonzero(signs > 0), np.flatnonzero(signs < 0)
    diagonal = np.diag(K)
    squares = diagonal[first, None] + diagonal[second] - 2.0 * K[np.ix_(first, second)]
    return bool(np.min(squares) <= 1e-15 * float(np.max(np.abs(diagonal))))


def _fits_labels(features, signs):
    """Whether ridge regression on the labels separates the classes, a cheap test that settles many cases."""
    with single_blas_thread():
        G = features.T @ features
        G[np.diag_indices_from(G)] += 1e-12 * np.trace(G)
        w = regularised_cholesky(G).solve(features.T @ signs)
        return bool(np.min(signs * (features @ w)) > 1e-6)


def _largest_margin(features, signs):
    """The largest t with y f(x) >= t for weights in [-1, 1] and a free constant; not positive if not separable."""
    n, k = features.shape
    result = linprog(
        np.append(np.zeros(k), -1.0),
        A_ub=np.column_stack([-signs[:, None] * features, np.ones(n)]),
        b_ub=np.zeros(n),
        bounds=[(-1.0, 1.0)] * (k - 1) + [(None, None), (None, 1.0)],
        method="highs",
    )
    return -result.fun if result.status == 0 else -np.inf
