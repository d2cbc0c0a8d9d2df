"""Ridge regression: exact solvers (cross-products, dual, SVD), conjugate gradients, and the path over all penalties."""

import warnings
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy import linalg, sparse
from sklearn.base import BaseEstimator, MultiOutputMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_array, check_is_fitted, check_X_y, column_or_1d, validate_data

from statlearn._core.params import Instance, Int, Options, Real, check_arguments, check_params
from statlearn._core.validation import FLOATS, check_weights, effective_rows

from ._base import LinearClassifierMixin, LinearRegressorMixin
from ._penalty import PENALTY_SCALE, ridge_lambda
from ._spectrum import SAFE_RCOND, CentredDesign, RidgeProducts, decompose

SOLVERS = ("auto", "svd", "cholesky", "dual", "lsqr", "sparse_cg", "sag", "saga", "lbfgs")
ITERATIVE = ("lsqr", "sparse_cg", "sag", "saga")
# Up to this many columns a sparse cross-product matrix is formed and factorised; beyond, conjugate gradients.
SPARSE_EXACT = 1000
# Up to this many columns the non-negative fit pivots on the cross-product matrix; beyond, L-BFGS-B.
POSITIVE_EXACT = 2000

SPARSE_FORMATS = ("csr", "csc", "coo")


@dataclass
class RidgeSolution:
    """Coefficients (m, p), intercepts (m,), dual variables (n, m) or None, iterations per target or None, solver."""

    coef: np.ndarray
    intercept: np.ndarray
    dual: np.ndarray | None
    n_iter: np.ndarray | None
    solver: str


class _IllConditioned(Exception):
    """A Cholesky factor exists but is not to be trusted, or does not exist."""


def _factorise(S, penalty):
    """Cholesky factor of S + penalty I after scaling to a unit diagonal; returns a solver for right-hand sides."""
    M = S.copy()
    M[np.diag_indices_from(M)] += penalty
    diagonal = np.diag(M)
    if not diagonal.min() > 0.0:
        raise _IllConditioned
    # The accuracy of Cholesky depends on the best diagonal scaling, so the condition is judged after it.
    scale = 1.0 / np.sqrt(diagonal)
    M *= scale[:, None]
    M *= scale
    norm = np.abs(M).sum(axis=0).max()
    factor, info = linalg.lapack.dpotrf(M, lower=0, overwrite_a=1)
    if info != 0 or linalg.lapack.dpocon(factor, norm)[0] < SAFE_RCOND:
        raise _IllConditioned
    return lambda B: scale[:, None] * linalg.lapack.dpotrs(factor, scale[:, None] * B, lower=0)[0]


def _solve_symmetric(S, B, penalties):
    """(S + penalty_t I)^-1 B_t for every target t, with one factorisation per distinct penalty."""
    result = np.empty_like(B)
    for penalty in np.unique(penalties):
        targets = penalties == penalty
        result[:, targets] = _factorise(S, penalty)(B[:, targets])
    return result


def ridge_from_statistic(statistic, penalty, *, fit_intercept=True):
    """Coefficients (m, p) and intercepts (m,) from an additive `CrossProducts` statistic.

    The statistic may come from one block of rows or from many merged ones. `penalty` is lambda of
    RSS + lambda |w|^2, one number or one per target. Where S + lambda I is singular to working precision, the
    solution of smallest norm is returned.
    """
    products = RidgeProducts.of_statistic(statistic, fit_intercept)
    penalties = np.broadcast_to(np.asarray(penalty, dtype=np.float64), products.y_mean.shape)
    try:
        coef = _solve_symmetric(products.S, products.Sxy, penalties).T
    except _IllConditioned:
        coef = products.spectrum().coef(penalties)
    return coef, products.y_mean - coef @ products.x_mean if fit_intercept else products.y_mean


def _dual_variables(design, B, coef, penalties):
    """Dual variables of a primal solution: the weighted residuals over lambda.

    At lambda = 0 that limit is undefined; the vector of smallest norm with X' dual = w takes its place.
    """
    W = coef.T
    R = B - design.dot(W)
    dual = np.empty_like(R)
    penalised = penalties > 0
    dual[:, penalised] = R[:, penalised] / penalties[penalised]
    if not penalised.all():
        spectrum, *_ = decompose(design.X, np.zeros((design.shape[0], 1)), _weights(design),
                                 fit_intercept=design.mean is not None)  # fmt: skip
        V = spectrum.vectors
        dual[:, ~penalised] = design.dot(V @ ((V.T @ W[:, ~penalised]) / spectrum.values[:, None]))
    return design.weigh(dual)


def _dual_by_svd(spectrum, B, penalties, full_rank):
    """(A A' + lambda I)^-1 b from the left singular vectors; what they do not span is divided by lambda."""
    dual = spectrum.left @ (spectrum.scores / (spectrum.values[:, None] + penalties))
    if len(spectrum.values) < full_rank:
        beyond = B - spectrum.left @ spectrum.scores
        dual += beyond * np.divide(1.0, penalties, where=penalties > 0, out=np.zeros_like(penalties))
    return dual


def _weights(design):
    return None if design.root is None else design.root**2


def conjugate_gradients(design, B, penalties, tol, max_iter):
    """Minimises |b - A w|² + lambda |w|² for all targets at once by conjugate gradients on the least-squares form.

    Works with A and A' only, never with A'A, so that the condition number is not squared in rounding. Columns are
    scaled to a common length where that cannot move the solution (more rows than columns, a penalty that matters).
    Stops when the gradient has fallen to `tol` of its first norm, or to what rounding allows.

    Returns
    -------
    W : ndarray of shape (p, m)
    R : ndarray of shape (n, m)
        Residuals b - A w.
    n_iter : ndarray of shape (m,)
    converged : bool
    """
    n, p = design.shape
    m = B.shape[1]
    norms = design.column_norms_squared()
    scalable = n > p and penalties.min() > 1e-10 * norms.max(initial=0.0)
    scale = 1.0 / np.sqrt(norms[:, None] + penalties) if scalable else np.ones((p, 1))
    rounding = 4.0 * np.finfo(float).eps * np.sqrt(np.sum(norms[:, None] * scale**2, axis=0))

    W, R = np.zeros((p, m)), B.copy()
    S = scale * design.transposed_dot(R)
    direction = S.copy()
    gamma = np.sum(S**2, axis=0)
    goal = tol * np.sqrt(gamma)
    n_iter = np.zeros(m, dtype=int)
    active = np.sqrt(gamma) > rounding * np.sqrt(np.sum(R**2, axis=0))
    for _ in range(max_iter):
        if not active.any():
            break
        step_w = scale * direction
        step_r = design.dot(step_w)
        curvature = np.sum(step_r**2, axis=0) + penalties * np.sum(step_w**2, axis=0)
        length = np.where(active, gamma / np.where(curvature > 0, curvature, 1.0), 0.0)
        W += length * step_w
        R -= length * step_r
        n_iter += active
        S = scale * (design.transposed_dot(R) - penalties * W)
        gamma_new = np.sum(S**2, axis=0)
        level = rounding * np.sqrt(np.sum(R**2, axis=0) + penalties * np.sum(W**2, axis=0))
        active &= (np.sqrt(gamma_new) > np.maximum(goal, level)) & (curvature > 0)
        direction = S + np.where(gamma > 0, gamma_new / np.where(gamma > 0, gamma, 1.0), 0.0) * direction
        gamma = gamma_new
    return W, R, n_iter, not active.any()


def nonnegative_quadratic(S, b, free=None, max_iter=None):
    """Minimises w'Sw/2 - b'w over w >= 0 (free entries of either sign) by block principal pivoting.

    Exchanges all entries that break a sign condition at once; when that stops helping, one at a time, which must end
    (Kim & Park, 2011). S is positive definite. Returns w and whether the conditions were met.
    """
    p = len(b)
    free = np.zeros(p, dtype=bool) if free is None else free
    inside = free | (np.linalg.solve(S, b) > 0)
    scale = np.sqrt(np.diag(S))
    slack = 1e-12 * np.abs(b / scale).max(initial=0.0)
    fewest, patience = p + 1, 3
    w = np.zeros(p)
    for _ in range(max_iter or 50 + 10 * p):
        w[:] = 0.0
        if inside.any():
            w[inside] = linalg.solve(S[np.ix_(inside, inside)], b[inside], assume_a="pos", check_finite=False)
        gradient = (S[:, inside] @ w[inside] - b) / scale
        broken = (inside & (w * scale < 0.0) & ~free) | (~inside & (gradient < -slack))
        count = int(broken.sum())
        if count == 0:
            return w, True
        if count < fewest:
            fewest, patience = count, 3
        elif patience > 0:
            patience -= 1
        else:
            last = np.flatnonzero(broken)[-1]
            broken[:] = False
            broken[last] = True
        inside ^= broken
    return np.where(free, w, np.maximum(w, 0.0)), False


def _solve_positive(design, B, penalties, solver, tol, max_iter, n_free):
    """Non-negative ridge; the last `n_free` columns (a penalised intercept) keep their sign."""
    p = design.shape[1]
    free = np.zeros(p, dtype=bool)
    free[p - n_free :] = True
    coef = np.empty((B.shape[1], p))
    n_iter = np.zeros(B.shape[1], dtype=int)
    if solver == "auto" and p <= POSITIVE_EXACT:
        A = design.array()
        S, Sxy = A.T @ A, A.T @ B
        for t, penalty in enumerate(penalties):
            # A floor at rounding level makes the pivots unique for collinear columns at lambda = 0.
            ridge = max(penalty, 1e-12 * np.trace(S) / p)
            coef[t], done = nonnegative_quadratic(S + ridge * np.eye(p), Sxy[:, t], free)
            if done:
                continue
            solver = "lbfgs"
        if solver == "auto":
            return coef, None, "cholesky"
    from scipy.optimize import minimize

    bounds = [(None, None) if f else (0.0, None) for f in free]
    for t, penalty in enumerate(penalties):
        b = B[:, [t]]

        def objective(w, b=b, penalty=penalty):
            R = b - design.dot(w[:, None])
            gradient = penalty * w - design.transposed_dot(R)[:, 0]
            return 0.5 * (np.sum(R**2) + penalty * (w @ w)), gradient

        options = {"maxiter": 15000 if max_iter is None else max_iter, "ftol": np.finfo(float).eps, "maxcor": 20}
        found = minimize(objective, np.zeros(p), jac=True, method="L-BFGS-B", bounds=bounds, tol=tol, options={
            **options, "gtol": tol, "ftol": min(tol, 1e-10) * 1e-3})  # fmt: skip
        coef[t], n_iter[t] = found.x, found.nit
        if found.status == 1:
            warnings.warn(
                f"The lbfgs solver did not converge after {found.nit} iterations. Increase max_iter or tol.",
                ConvergenceWarning,
                stacklevel=4,
            )
    return coef, n_iter, "lbfgs"


def _choose_solver(solver, X, positive, n_rows):
    if positive or solver != "auto":
        return solver
    if sparse.issparse(X):
        return "cholesky" if X.shape[1] <= SPARSE_EXACT else "sparse_cg"
    return "dual" if X.shape[1] > n_rows else "cholesky"


def solve_ridge(
    X, Y, weights, penalties, *, fit_intercept=True, solver="auto", tol=1e-4, max_iter=None, positive=False, n_free=0
):
    """Ridge coefficients for targets Y (n, m) and penalties lambda (m,) of RSS + lambda |w|²."""
    n, p = X.shape
    solver = _choose_solver(solver, X, positive, effective_rows(n, weights))
    if solver == "cholesky" and not positive:
        products = RidgeProducts.of_rows(X, Y, weights, fit_intercept)
        try:
            coef = _solve_symmetric(products.S, products.Sxy, penalties).T
        except _IllConditioned:
            if sparse.issparse(X):
                coef = products.spectrum().coef(penalties)
            else:
                solver = "svd"
        if solver == "cholesky":
            x_mean, y_mean = products.x_mean, products.y_mean
            design = CentredDesign(X, x_mean, weights)
            dual = _dual_variables(design, design.weigh(Y - y_mean), coef, penalties)
            intercept = y_mean - coef @ x_mean if fit_intercept else y_mean
            return RidgeSolution(coef, intercept, dual, None, solver)

    if solver in (*ITERATIVE, "lbfgs") and not sparse.issparse(X):
        X = np.asarray(X, dtype=np.float64)  # once, not at every product
    design, B, y_mean = CentredDesign.of(X, Y, weights, fit_intercept)
    dual = n_iter = None
    if positive:
        coef, n_iter, solver = _solve_positive(design, B, penalties, solver, tol, max_iter, n_free)
    elif solver == "dual":
        try:
            dual = _solve_symmetric(design.outer(), B, penalties)
            coef = design.transposed_dot(dual).T
            dual = design.weigh(dual)
        except _IllConditioned:
            solver = "svd"
    elif solver in ITERATIVE:
        limit = 10 * max(100, min(n, p)) if max_iter is None else max_iter
        W, R, n_iter, converged = conjugate_gradients(design, B, penalties, tol, limit)
        coef = W.T
        if not converged:
            warnings.warn(
                f"Conjugate gradients (solver={solver!r}) did not converge after {n_iter.max()} iterations. Increase "
                "max_iter, raise tol, scale the features, or use an exact solver ('cholesky', 'svd', 'dual').",
                ConvergenceWarning,
                stacklevel=4,
            )
        penalised = np.where(penalties > 0, penalties, np.nan)
        dual = design.weigh(R / penalised)
        if not np.all(penalties > 0) and min(n, p) <= SPARSE_EXACT:
            dual = _dual_variables(design, B, coef, penalties)
    if solver == "svd":
        method = "eigen" if sparse.issparse(X) else "svd"
        spectrum, *_ = decompose(X, Y, weights, fit_intercept=fit_intercept, method=method)
        coef = spectrum.coef(penalties)
        if spectrum.left is None:
            dual = _dual_variables(design, B, coef, penalties)
        else:
            dual = design.weigh(_dual_by_svd(spectrum, B, penalties, n - fit_intercept))
    intercept = y_mean if design.mean is None else y_mean - coef @ design.mean
    return RidgeSolution(coef, intercept, dual, n_iter, solver)


def check_penalties(alpha, n_targets, penalty_scale="sklearn"):
    """The penalties lambda (m,) of RSS + lambda |w|² behind a scalar or per-target `alpha`."""
    alphas = np.asarray(alpha, dtype=np.float64).ravel()
    if alphas.size not in (1, n_targets):
        raise ValueError(f"Number of targets and number of penalties do not correspond: {alphas.size} != {n_targets}")
    if not np.all(np.isfinite(alphas)) or np.any(alphas < 0):
        raise ValueError(f"alpha must be finite and at least 0, got {alpha!r}")
    return np.broadcast_to(ridge_lambda(alphas, penalty_scale), (n_targets,)).astype(np.float64)


_RIDGE_CONSTRAINTS = {
    "alpha": [Real(0, None), "array-like"],
    "fit_intercept": ["boolean"],
    "copy_X": ["boolean"],
    "max_iter": [Int(1, None), None],
    "tol": [Real(0, None)],
    "solver": [Options(*SOLVERS)],
    "positive": ["boolean"],
    "random_state": ["random_state"],
    "penalty_scale": PENALTY_SCALE,
    "penalize_intercept": ["boolean"],
}


class _RidgeFit:
    """What Ridge and RidgeClassifier share: from checked data to attributes."""

    def _check_solver(self, X):
        if self.solver == "lbfgs" and not self.positive:
            raise ValueError("'lbfgs' solver can be used only when positive=True. Please use another solver.")
        if self.positive and self.solver not in ("auto", "lbfgs"):
            raise ValueError(
                f"solver='{self.solver}' does not support positive fitting. Please set the solver to 'auto' or "
                "'lbfgs', or set `positive=False`"
            )
        if sparse.issparse(X) and self.solver == "svd":
            raise ValueError(
                "solver='svd' does not support sparse X: the SVD needs the dense matrix. Please set the solver to "
                "'auto', 'cholesky', 'dual' or 'sparse_cg'."
            )
        if sparse.issparse(X) and self.solver == "sag" and self.max_iter is None and self.tol > 1e-4:
            warnings.warn(
                '"sag" solver requires a low "tol" to fit an intercept with sparse inputs. Either set the solver to '
                '"auto" or "sparse_cg", or lower "tol".',
                UserWarning,
                stacklevel=3,
            )

    def _fit_targets(self, X, Y, weights):
        """Solve for the columns of Y (n, m)."""
        self._check_solver(X)
        if sparse.issparse(X) and X.format == "coo":
            X = X.tocsr()
        penalties = check_penalties(self.alpha, Y.shape[1], self.penalty_scale)
        Y = Y.astype(X.dtype).astype(np.float64)
        shrink_all = self.fit_intercept and self.penalize_intercept
        design = _with_ones(X) if shrink_all else X
        found = solve_ridge(
            design,
            Y,
            weights,
            penalties,
            fit_intercept=self.fit_intercept and not shrink_all,
            solver=self.solver,
            tol=self.tol,
            max_iter=self.max_iter,
            positive=self.positive,
            n_free=int(shrink_all),
        )
        if shrink_all:
            found.intercept, found.coef = found.coef[:, -1], found.coef[:, :-1]
        self.n_iter_, self.solver_ = found.n_iter, found.solver
        return found

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def _with_ones(X):
    """X with a column of ones at its end: the intercept as an ordinary coefficient."""
    ones = np.ones((X.shape[0], 1), dtype=X.dtype)
    return sparse.hstack([X, ones], format="csr") if sparse.issparse(X) else np.hstack([X, ones])


def coef_shape(coef, intercept, y_ndim, fit_intercept, dtype):
    """`coef_` and `intercept_` in scikit-learn's shapes: (p,) and a number for one target."""
    coef = np.ascontiguousarray(coef, dtype=dtype)
    if coef.shape[0] == 1:
        coef = coef[0]
    if not fit_intercept:
        return coef, 0.0
    intercept = np.asarray(intercept, dtype=dtype)
    return coef, intercept[0] if y_ndim == 1 else intercept


class Ridge(_RidgeFit, LinearRegressorMixin, MultiOutputMixin, BaseEstimator):
    r"""Least squares with an L2 penalty on the slopes.

    Minimises over slopes w and an unpenalised intercept b, with weights s_i (1 by default),

    .. math:: \sum_i s_i (y_i - b - x_i^\top w)^2 + \lambda \lVert w \rVert_2^2

    The loss is a weighted sum, without a factor 1/2; with ``penalty_scale="half_rss"`` the loss is halved, so
    :math:`\lambda = 2\,\alpha`.

    Parameters
    ----------
    alpha : float or array-like of shape (n_targets,), default=1.0
        Strength of the penalty, at least 0; an array gives each target its own. 0 is least squares (the solution of
        smallest norm when the columns are dependent).
    fit_intercept : bool, default=True
        Fit an intercept. It is not penalised unless `penalize_intercept` is set.
    copy_X : bool, default=True
        Accepted for compatibility; X is never overwritten.
    max_iter : int or None, default=None
        Limit for the iterative solvers; None means ten times the smaller side of X, at least 1000 (conjugate
        gradients), or 15,000 (L-BFGS-B).
    tol : float, default=1e-4
        Iterative solvers stop when the norm of the gradient has fallen to `tol` times its value at w = 0. The exact
        solvers ignore it.
    solver : {"auto", "svd", "cholesky", "dual", "lsqr", "sparse_cg", "sag", "saga", "lbfgs"}, default="auto"
        - "auto": "dual" for dense X with more columns than rows, else "cholesky"; conjugate gradients for sparse X
          with more than 1000 columns; with ``positive=True`` an exact pivoting method.
        - "cholesky": one pass over the rows for the p x p cross-products (an additive statistic), then a Cholesky
          factorisation; turns to the SVD when the factor is too ill-conditioned (``solver_`` tells).
        - "dual": solves the n x n system for the dual variables.
        - "svd": singular value decomposition of the centred X; the most robust, dense X only.
        - "lsqr", "sparse_cg", "sag", "saga": conjugate gradients in least-squares form on X itself. Scikit-learn's
          names are accepted; there is one algorithm behind them, it is deterministic and needs no step size.
        - "lbfgs": L-BFGS-B, for ``positive=True`` only.
    positive : bool, default=False
        Restrict the slopes to be non-negative.
    random_state : int, RandomState or None, default=None
        Accepted for compatibility; no solver is random.
    penalty_scale : {"sklearn", "half_rss", "rss"}, keyword only
        The objective `alpha` belongs to: RSS + alpha |w|² ("sklearn", "rss") or RSS/2 + alpha |w|² ("half_rss").
    penalize_intercept : bool, default=False
        Penalise the intercept like a slope, as texts do that put a column of ones into X.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,) or (n_targets, n_features)
    intercept_ : float or ndarray of shape (n_targets,)
    dual_coef_ : ndarray of shape (n_samples,) or (n_samples, n_targets)
        Dual variables a with w = Σ a_i (x_i - mean): residuals over lambda, whatever the solver. Without weights
        :math:`a = (X X^\top + \lambda I)^{-1} y` on centred data. Not set with ``positive=True``.
    n_iter_ : ndarray of shape (n_targets,) or None
        Iterations of an iterative solver.
    solver_ : str
        The solver that was used.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)

    Notes
    -----
    Cost: "cholesky" O(n p² + p³/3), "dual" O(n² p + n³/3), "svd" O(n p min(n, p)) with a larger constant, conjugate
    gradients O(nnz) per iteration.

    Standardise the columns first: the penalty compares coefficients, so their units matter. Do not compare `alpha`
    across objectives without :func:`convert_penalty`. Standard errors of a penalised fit ignore its bias; see
    :func:`ridge_moments` for bias and covariance under given truth.

    References
    ----------
    Hoerl, A. E. & Kennard, R. W. (1970). Ridge regression: biased estimation for nonorthogonal problems.
    Technometrics 12, 55-67.

    Hastie, T., Tibshirani, R. & Friedman, J. (2009). The Elements of Statistical Learning, section 3.4.1.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.linear import Ridge
    >>> X = np.array([[17, 51], [17, 49], [14, 38], [17, 58], [14, 51], [20, 40]])
    >>> y = np.array([56.5, 57.6, 55.9, 61.8, 63.0, 54.6])
    >>> model = Ridge(alpha=10).fit(X, y)
    >>> model.coef_.round(4), round(model.intercept_, 4)
    (array([-0.4807,  0.3239]), np.float64(50.672))
    """

    _constraints = _RIDGE_CONSTRAINTS

    def __init__(
        self,
        alpha=1.0,
        *,
        fit_intercept=True,
        copy_X=True,
        max_iter=None,
        tol=1e-4,
        solver="auto",
        positive=False,
        random_state=None,
        penalty_scale="sklearn",
        penalize_intercept=False,
    ):
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.copy_X = copy_X
        self.max_iter = max_iter
        self.tol = tol
        self.solver = solver
        self.positive = positive
        self.random_state = random_state
        self.penalty_scale = penalty_scale
        self.penalize_intercept = penalize_intercept

    def fit(self, X, y, sample_weight=None):
        """Fit the model.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
        sample_weight : float or array-like of shape (n_samples,) or None
            Weight k counts as k copies of the row.

        Returns
        -------
        self : Ridge
        """
        check_params(self)
        X, y = validate_data(self, X, y, accept_sparse=SPARSE_FORMATS, dtype=FLOATS, multi_output=True, y_numeric=True)
        weights = check_weights(sample_weight, X)
        found = self._fit_targets(X, y.reshape(len(y), -1), weights)
        self.coef_, self.intercept_ = coef_shape(found.coef, found.intercept, y.ndim, self.fit_intercept, X.dtype)
        if found.dual is not None:
            self.dual_coef_ = (found.dual[:, 0] if y.ndim == 1 else found.dual).astype(X.dtype)
        elif hasattr(self, "dual_coef_"):
            del self.dual_coef_
        return self

    def summary(self):
        """Refused: a penalised fit has no standard errors that mean what they say.

        Raises
        ------
        ValueError
        """
        raise ValueError(
            "Ridge has no coefficient table: the penalty biases the coefficients, so standard errors and p-values "
            "computed from them do not hold. Use LinearRegression.summary() for the unpenalised fit, ridge_moments "
            "for bias and covariance under a given truth, or BayesianRidge for a posterior."
        )


def code_labels(y):
    """Binarised targets in {-1, 1} (n, m), classes, and whether y is multilabel."""
    from sklearn.preprocessing import LabelBinarizer

    binarizer = LabelBinarizer(pos_label=1, neg_label=-1)
    Y = binarizer.fit_transform(y)
    multilabel = binarizer.y_type_.startswith("multilabel")
    return np.asarray(Y, dtype=np.float64), binarizer.classes_, multilabel


def combine_class_weight(class_weight, y, weights):
    """Sample weights times class weights; None when neither is given."""
    if class_weight is None:
        return weights
    from sklearn.utils.class_weight import compute_sample_weight

    by_class = compute_sample_weight(class_weight, y)
    return by_class if weights is None else (weights * by_class).astype(weights.dtype)


class RidgeClassifierMixin(LinearClassifierMixin):
    """Labels coded ±1, several columns for several classes; multilabel targets get one sign per column."""

    def _check_data(self, X, y, sample_weight):
        X, y = validate_data(self, X, y, accept_sparse=SPARSE_FORMATS, dtype=FLOATS, multi_output=True)
        check_classification_targets(y)
        if y.ndim == 2 and y.shape[1] == 1:
            y = column_or_1d(y, warn=True)
        Y, self.classes_, self._multilabel = code_labels(y)
        if not self._multilabel and len(self.classes_) < 2:
            raise ValueError(
                f"{type(self).__name__} needs samples of at least 2 classes in the data, but the data contains only "
                f"one class: {self.classes_[0]!r}"
            )
        weights = combine_class_weight(self.class_weight, y, check_weights(sample_weight, X))
        return X, y, Y, weights

    def predict(self, X):
        """The class of each row, or an indicator matrix for multilabel targets.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_outputs)
        """
        check_is_fitted(self)
        if self._multilabel:
            return (self.decision_function(X) > 0).astype(np.intp).reshape(-1, len(self.classes_))
        return super().predict(X)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        tags.input_tags.sparse = True
        return tags


class RidgeClassifier(RidgeClassifierMixin, _RidgeFit, BaseEstimator):
    r"""Ridge regression on classes coded -1 and +1.

    Fits :class:`Ridge` to the coded labels (one column per class when there are more than two) and predicts the sign,
    or the class with the largest score.

    Parameters
    ----------
    alpha : float or array-like of shape (n_targets,), default=1.0
        Strength of the penalty.
    fit_intercept : bool, default=True
        Fit an unpenalised intercept.
    copy_X : bool, default=True
        Accepted for compatibility; X is never overwritten.
    max_iter : int or None, default=None
        Limit for the iterative solvers.
    tol : float, default=1e-4
        Iterative solvers stop when the gradient has fallen to `tol` times its first norm.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes, multiplied into the sample weights; "balanced" makes them inverse to the frequencies.
    solver : str, default="auto"
        See :class:`Ridge`.
    positive : bool, default=False
        Restrict the slopes to be non-negative.
    random_state : int, RandomState or None, default=None
        Accepted for compatibility; no solver is random.
    penalty_scale : {"sklearn", "half_rss", "rss"}, keyword only
        See :class:`Ridge`.
    penalize_intercept : bool, default=False
        Penalise the intercept like a slope.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,) or (n_classes, n_features)
        One row per class; with two classes only the slopes of ``classes_[1]``, 1-d as in scikit-learn 1.9.
    intercept_ : ndarray of shape (1,) or (n_classes,), or 0.0 without an intercept
    classes_ : ndarray of shape (n_classes,)
    n_iter_ : ndarray or None
    solver_ : str
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)

    Notes
    -----
    Scores are not probabilities. With three or more classes in a row a middle class can be masked by its neighbours;
    logistic regression or discriminant analysis do not suffer from that.

    References
    ----------
    Hastie, T., Tibshirani, R. & Friedman, J. (2009). The Elements of Statistical Learning, section 4.2.

    Examples
    --------
    >>> from statlearn.linear import RidgeClassifier
    >>> model = RidgeClassifier().fit([[0.0], [1.0], [2.0], [3.0]], ["low", "low", "high", "high"])
    >>> model.predict([[0.5], [2.5]])
    array(['low', 'high'], dtype='<U4')
    """

    _constraints = {**_RIDGE_CONSTRAINTS, "class_weight": [Instance(dict), Options("balanced"), None]}

    def __init__(
        self,
        alpha=1.0,
        *,
        fit_intercept=True,
        copy_X=True,
        max_iter=None,
        tol=1e-4,
        class_weight=None,
        solver="auto",
        positive=False,
        random_state=None,
        penalty_scale="sklearn",
        penalize_intercept=False,
    ):
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.copy_X = copy_X
        self.max_iter = max_iter
        self.tol = tol
        self.class_weight = class_weight
        self.solver = solver
        self.positive = positive
        self.random_state = random_state
        self.penalty_scale = penalty_scale
        self.penalize_intercept = penalize_intercept

    def fit(self, X, y, sample_weight=None):
        """Fit the model.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Class labels; an indicator matrix for multilabel targets.
        sample_weight : float or array-like of shape (n_samples,) or None

        Returns
        -------
        self : RidgeClassifier
        """
        check_params(self)
        X, _, Y, weights = self._check_data(X, y, sample_weight)
        found = self._fit_targets(X, Y, weights)
        self.coef_, self.intercept_ = coef_shape(found.coef, found.intercept, 2, self.fit_intercept, X.dtype)
        return self


class RidgePath(NamedTuple):
    """Result of `ridge_path`."""

    alphas: np.ndarray
    coefs: np.ndarray
    intercepts: np.ndarray
    df: np.ndarray


def default_alphas(values, n_alphas, penalty_scale="sklearn"):
    """A geometric grid, largest first, from almost no degree of freedom to almost all of them.

    The ends are 1000 times the largest and 1/1000 of the smallest squared singular value that matters.
    """
    if values.size == 0:
        return np.geomspace(1.0, 1e-6, n_alphas)
    grid = np.geomspace(1e3 * values[0], 1e-3 * max(values[-1], 1e-8 * values[0]), n_alphas)
    return grid / ridge_lambda(1.0, penalty_scale)


def check_alphas(alphas, name="alphas"):
    """A 1-d float grid; refuses empty, negative and non-finite values."""
    alphas = np.atleast_1d(np.asarray(alphas, dtype=np.float64)).ravel()
    if alphas.size == 0:
        raise ValueError(f"{name} is empty: give at least one penalty")
    if not np.all(np.isfinite(alphas)) or np.any(alphas < 0):
        raise ValueError(f"{name} must be finite and at least 0, got {alphas}")
    return alphas


def ridge_path(X, y, *, alphas=None, n_alphas=100, fit_intercept=True, sample_weight=None, penalty_scale="sklearn"):
    r"""Ridge coefficients for a whole grid of penalties from one decomposition.

    With the singular value decomposition X = U D V' of the centred X,

    .. math:: \hat w(\lambda) = \sum_j v_j \frac{d_j}{d_j^2 + \lambda} u_j^\top y, \qquad
        \hat y(\lambda) = \sum_j u_j \frac{d_j^2}{d_j^2 + \lambda} u_j^\top y .

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
    y : array-like of shape (n_samples,) or (n_samples, n_targets)
    alphas : array-like of shape (n_alphas,) or None
        Penalties, used in the order given; None makes a geometric grid from almost none to almost all degrees of
        freedom, largest penalty first.
    n_alphas : int
        Length of that grid.
    fit_intercept : bool
        Fit an unpenalised intercept.
    sample_weight : array-like of shape (n_samples,) or None
    penalty_scale : {"sklearn", "half_rss", "rss"}
        See :class:`Ridge`.

    Returns
    -------
    RidgePath
        A named tuple: ``alphas`` (k,); ``coefs`` (n_features, k) or (n_targets, n_features, k); ``intercepts`` (k,)
        or (n_targets, k); ``df`` (k,), effective degrees of freedom without the intercept.

    Notes
    -----
    Cost O(n p min(n, p)) for the decomposition, then O(p min(n, p)) per penalty.

    Examples
    --------
    >>> from statlearn.linear import ridge_path
    >>> path = ridge_path([[1.0], [2.0], [3.0]], [1.0, 2.0, 4.0], alphas=[2.0, 0.0])
    >>> path.coefs.round(6)
    array([[0.75, 1.5 ]])
    >>> path.df
    array([0.5, 1. ])
    """
    check_arguments(
        ridge_path,
        n_alphas=(n_alphas, [Int(1, None)]),
        fit_intercept=(fit_intercept, ["boolean"]),
        penalty_scale=(penalty_scale, PENALTY_SCALE),
    )
    X, y = check_X_y(X, y, accept_sparse=("csr", "csc"), dtype=FLOATS, multi_output=True, y_numeric=True)
    weights = check_weights(sample_weight, X)
    grid = None if alphas is None else check_alphas(alphas)
    floor = 0.0 if grid is None else ridge_lambda(grid.min(), penalty_scale)
    spectrum, *_ = decompose(X, y.reshape(len(y), -1), weights, fit_intercept=fit_intercept, floor=floor)
    if grid is None:
        grid = default_alphas(spectrum.values, n_alphas, penalty_scale)
    penalties = ridge_lambda(grid, penalty_scale)
    coefs = spectrum.coefs(penalties)
    intercepts = np.broadcast_to(spectrum.intercept(coefs), coefs.shape[:2])
    coefs, intercepts = coefs.transpose(1, 2, 0), intercepts.T
    if y.ndim == 1:
        coefs, intercepts = coefs[0], intercepts[0]
    return RidgePath(grid, coefs.astype(X.dtype), intercepts.astype(X.dtype), spectrum.df(penalties))


@dataclass
class RidgeMoments:
    """Mean, bias, covariance and standard errors of ridge coefficients for a given truth."""

    mean: np.ndarray | None
    bias: np.ndarray | None
    covariance: np.ndarray
    std_error: np.ndarray


def ridge_moments(X, *, alpha=1.0, sigma2=1.0, beta=None, fit_intercept=True, penalty_scale="sklearn"):
    r"""Exact mean, bias and covariance of the ridge coefficients for given noise variance and true slopes.

    With X (centred when there is an intercept) = U D V' and y = X β + ε, Var ε = σ²,

    .. math::
        E\,\hat\beta = \sum_j \frac{d_j^2}{d_j^2+\lambda} v_j v_j^\top \beta, \quad
        \text{bias} = -\sum_j \frac{\lambda}{d_j^2+\lambda} v_j v_j^\top \beta, \quad
        \mathrm{Cov}\,\hat\beta = \sigma^2 \sum_j \frac{d_j^2}{(d_j^2+\lambda)^2} v_j v_j^\top .

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    alpha : float
        The penalty.
    sigma2 : float
        Noise variance σ².
    beta : array-like of shape (n_features,) or None
        True slopes; without them mean and bias are None.
    fit_intercept : bool
        Whether the fit has an unpenalised intercept.
    penalty_scale : {"sklearn", "half_rss", "rss"}
        See :class:`Ridge`.

    Returns
    -------
    RidgeMoments
        With attributes ``mean``, ``bias``, ``covariance`` (n_features, n_features) and ``std_error``.

    Notes
    -----
    These are moments for a *known* truth. Put estimates in their place and the bias is estimated badly: intervals
    built so do not keep their level.

    Examples
    --------
    >>> from statlearn.linear import ridge_moments
    >>> m = ridge_moments([[-1.0], [0.0], [1.0]], alpha=2.0, sigma2=4.0, beta=[3.0])
    >>> m.mean, m.bias, m.std_error
    (array([1.5]), array([-1.5]), array([0.70710678]))
    """
    check_arguments(
        ridge_moments,
        alpha=(alpha, [Real(0, None)]),
        sigma2=(sigma2, [Real(0, None)]),
        fit_intercept=(fit_intercept, ["boolean"]),
        penalty_scale=(penalty_scale, PENALTY_SCALE),
    )
    X = check_array(X, dtype=np.float64)
    penalty = ridge_lambda(alpha, penalty_scale)
    spectrum, *_ = decompose(X, np.zeros((len(X), 1)), fit_intercept=fit_intercept, floor=penalty)
    d2, V = spectrum.values, spectrum.vectors
    covariance = sigma2 * (V * (d2 / (d2 + penalty) ** 2)) @ V.T
    mean = bias = None
    if beta is not None:
        beta = check_array(beta, ensure_2d=False, dtype=np.float64, input_name="beta")
        if beta.shape != (X.shape[1],):
            raise ValueError(f"beta must have shape ({X.shape[1]},), got {beta.shape}")
        mean = V @ ((d2 / (d2 + penalty)) * (V.T @ beta))
        bias = mean - beta
    return RidgeMoments(mean, bias, covariance, np.sqrt(np.diag(covariance)))
