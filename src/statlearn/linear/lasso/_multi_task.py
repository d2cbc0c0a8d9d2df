"""Lasso and elastic net for several targets, with features selected for all of them together."""

from dataclasses import dataclass

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, MultiOutputMixin

from statlearn._core import native
from statlearn._core.params import Int, Options, Real, check_params
from statlearn._core.validation import FLOATS, check_weights, require_finite, validate_data
from statlearn._core.warnings import warn_if_stopped
from statlearn._math.linalg.positive import positive_system
from statlearn._math.rows.least_squares import LeastSquaresStatistic
from statlearn.linear._base import LinearRegressorMixin


class MultiTaskProblem:
    """Rows and targets reduced to at most p + q rows, which every penalty of a path is solved on.

    With a triangular factor of [X, Y] about the means, sums over its rows are the sums over all rows.

    Parameters
    ----------
    X : ndarray of shape (n, p)
    Y : ndarray of shape (n, q)
    weights : ndarray of shape (n,) or None
    fit_intercept : bool
    """

    def __init__(self, X, Y, weights, fit_intercept):
        statistic = LeastSquaresStatistic.from_block(X, Y, weights, fit_intercept=fit_intercept)
        self.A, self.B = np.asfortranarray(statistic.design), np.asfortranarray(statistic.targets)
        self.total, self.means = statistic.total_weight, statistic.means
        require_finite(self.A)
        require_finite(self.B)

    def largest_alpha(self, l1_ratio):
        """The smallest penalty at which all coefficients are 0."""
        return float(np.max(np.linalg.norm(self.A.T @ self.B, axis=1), initial=0.0) / (self.total * l1_ratio))

    def solve(self, alpha, l1_ratio, *, tol, max_iter, start=None):
        """Coefficients (p, q) at one penalty, from a start."""
        p, q = self.A.shape[1], self.B.shape[1]
        l1, l2 = self.total * alpha * l1_ratio, self.total * alpha * (1.0 - l1_ratio)
        if l1 == 0.0:
            return MultiTaskSolution(self._ridge(l2), 0.0, 0, 0)
        W = np.zeros((p, q)) if start is None else np.ascontiguousarray(start, dtype=np.float64).copy()
        residual = self.B.copy(order="F")
        gap, n_iter, status = native.linear.multi_task_fit(self.A, l1, l2, float(tol), int(max_iter), residual, W)
        return MultiTaskSolution(W, gap / self.total, n_iter, status)

    def _ridge(self, l2):
        if l2 == 0.0:
            return np.linalg.lstsq(self.A, self.B, rcond=None)[0]
        return positive_system(self.A.T @ self.A + l2 * np.eye(self.A.shape[1])).solve(self.A.T @ self.B)

    def intercept(self, W):
        """The intercepts that belong to coefficients."""
        return self.means[1] - self.means[0] @ W


@dataclass
class MultiTaskSolution:
    """Coefficients (p, q), the duality gap on the scale of the objective, passes, and how the solver ended."""

    W: np.ndarray
    gap: float
    n_iter: int
    status: int


CONSTRAINTS = {
    "alpha": [Real(0, None)],
    "l1_ratio": [Real(0, 1, closed="both")],
    "fit_intercept": ["boolean"],
    "copy_X": ["boolean"],
    "max_iter": [Int(1, None)],
    "tol": [Real(0, None)],
    "warm_start": ["boolean"],
    "random_state": ["random_state"],
    "selection": [Options("cyclic", "random")],
}


class MultiTaskElasticNet(MultiOutputMixin, LinearRegressorMixin, BaseEstimator):
    r"""Elastic net for several targets, whose features are selected jointly.

    Minimises over slopes W (features by targets, rows :math:`w_j`) and unpenalised intercepts b

    .. math:: \frac{1}{2S} \sum_i s_i \lVert y_i - b - W^\top x_i \rVert^2
        + \alpha\rho \sum_j \lVert w_j \rVert_2 + \frac{\alpha(1-\rho)}{2} \lVert W \rVert_F^2

    with S the sum of the weights and :math:`\rho` = `l1_ratio`. A feature is in the models of all targets or of none.

    Parameters
    ----------
    alpha : float, default=1.0
        Strength of the penalty.
    l1_ratio : float, default=0.5
        Share of the penalty that selects. 0 is ridge regression.
    fit_intercept : bool, default=True
        Whether to fit intercepts.
    copy_X : bool, default=True
        Accepted for compatibility. X is never modified.
    max_iter : int, default=1000
        Maximum number of passes over the working set.
    tol : float, default=1e-4
        Stop when the duality gap is at most `tol` times the (weighted) sum of squares of the centred targets.
    warm_start : bool, default=False
        Start from the coefficients of the previous fit.
    random_state : int, RandomState or None, default=None
        Not used: features are updated in turn.
    selection : {"cyclic", "random"}, default="cyclic"
        Accepted for compatibility; the solution does not depend on it.

    Attributes
    ----------
    coef_ : ndarray of shape (n_targets, n_features)
    sparse_coef_ : sparse matrix of shape (n_targets, n_features)
    intercept_ : ndarray of shape (n_targets,)
    dual_gap_ : float
        Duality gap on the scale of the objective.
    n_iter_ : int
        Number of passes.
    n_features_in_ : int
    feature_names_in_ : ndarray of str

    See Also
    --------
    MultiTaskElasticNetCV : Chooses the penalty by cross-validation.
    GroupLasso : Selects groups of features for one target.

    Notes
    -----
    Tall data are reduced once to a triangular factor, O(n(p + q)²), so that passes cost O(pq) per feature whatever the
    number of rows. Block coordinate descent runs over a working set that grows by the violation of the optimality
    conditions until the gap over all features is small enough.

    Standardise the features, and bring the targets to a common scale: a target with large values dominates the choice
    of features. Standard errors after selection would be invalid.

    References
    ----------
    Obozinski, G., Taskar, B. and Jordan, M. (2010). Joint covariate selection and joint subspace selection for multiple
    classification problems. *Statistics and Computing* 20.

    Massias, M., Gramfort, A. and Salmon, J. (2018). Celer: a fast solver for the lasso with dual extrapolation. *ICML*.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.linear import MultiTaskElasticNet
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(100, 4))
    >>> Y = X[:, [0, 2]] @ [[1.0, 2.0], [-1.0, 1.0]] + 0.1 * rng.normal(size=(100, 2))
    >>> model = MultiTaskElasticNet(alpha=0.2, l1_ratio=0.9).fit(X, Y)
    >>> np.flatnonzero(model.coef_.any(axis=0))
    array([0, 2])
    """

    _constraints = CONSTRAINTS
    _accept_sparse = False

    def __init__(
        self,
        alpha=1.0,
        *,
        l1_ratio=0.5,
        fit_intercept=True,
        copy_X=True,
        max_iter=1000,
        tol=1e-4,
        warm_start=False,
        random_state=None,
        selection="cyclic",
    ):
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.fit_intercept = fit_intercept
        self.copy_X = copy_X
        self.max_iter = max_iter
        self.tol = tol
        self.warm_start = warm_start
        self.random_state = random_state
        self.selection = selection

    def fit(self, X, y, sample_weight=None):
        """Fit to the data.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples, n_targets)
        sample_weight : array-like of shape (n_samples,), float or None, default=None
            Weights of the rows.

        Returns
        -------
        self
        """
        check_params(self)
        X, y, weights = check_tasks(self, X, y, sample_weight)
        problem = MultiTaskProblem(X, y, weights, self.fit_intercept)
        start = self.coef_.T if self.warm_start and hasattr(self, "coef_") else None
        if start is not None and start.shape != (X.shape[1], y.shape[1]):
            raise ValueError(
                f"`warm_start` requires coefficients of shape {(y.shape[1], X.shape[1])}, but those of the previous "
                f"fit have shape {self.coef_.shape}."
            )
        ratio = getattr(self, "l1_ratio", 1.0)
        solution = problem.solve(self.alpha, ratio, tol=self.tol, max_iter=self.max_iter, start=start)
        warn_if_stopped(self, solution.status, f"duality gap {solution.gap:.1e}")
        store_solution(self, problem, solution, X.dtype)
        return self

    @property
    def sparse_coef_(self):
        """The coefficients as a sparse matrix."""
        return sparse.csr_matrix(self.coef_)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.single_output = False
        return tags


class MultiTaskLasso(MultiTaskElasticNet):
    r"""Lasso for several targets, whose features are selected jointly.

    Minimises over slopes W (features by targets, rows :math:`w_j`) and unpenalised intercepts b

    .. math:: \frac{1}{2S} \sum_i s_i \lVert y_i - b - W^\top x_i \rVert^2 + \alpha \sum_j \lVert w_j \rVert_2

    with S the sum of the weights. A feature is in the models of all targets or of none.

    Parameters
    ----------
    alpha : float, default=1.0
        Strength of the penalty.
    fit_intercept : bool, default=True
        Whether to fit intercepts.
    copy_X : bool, default=True
        Accepted for compatibility. X is never modified.
    max_iter : int, default=1000
        Maximum number of passes over the working set.
    tol : float, default=1e-4
        Stop when the duality gap is at most `tol` times the (weighted) sum of squares of the centred targets.
    warm_start : bool, default=False
        Start from the coefficients of the previous fit.
    random_state : int, RandomState or None, default=None
        Not used: features are updated in turn.
    selection : {"cyclic", "random"}, default="cyclic"
        Accepted for compatibility; the solution does not depend on it.

    Attributes
    ----------
    coef_ : ndarray of shape (n_targets, n_features)
    sparse_coef_ : sparse matrix of shape (n_targets, n_features)
    intercept_ : ndarray of shape (n_targets,)
    dual_gap_ : float
        Duality gap on the scale of the objective.
    n_iter_ : int
        Number of passes.
    n_features_in_ : int
    feature_names_in_ : ndarray of str

    See Also
    --------
    MultiTaskLassoCV : Chooses the penalty by cross-validation.
    MultiTaskElasticNet : With a second penalty that keeps correlated features together.

    Notes
    -----
    See `MultiTaskElasticNet` for the algorithm and for what to do before the fit.

    References
    ----------
    Obozinski, G., Taskar, B. and Jordan, M. (2010). Joint covariate selection and joint subspace selection for multiple
    classification problems. *Statistics and Computing* 20.

    Examples
    --------
    >>> from statlearn.linear import MultiTaskLasso
    >>> X = [[0.0, 1.0], [1.0, 0.0], [2.0, 1.0], [3.0, 0.0]]
    >>> Y = [[0.0, 0.1], [1.0, 2.1], [2.1, 4.0], [3.0, 6.0]]
    >>> MultiTaskLasso(alpha=0.1).fit(X, Y).coef_.round(2)
    array([[0.97, 0.  ],
           [1.89, 0.  ]])
    """

    _constraints = {name: rules for name, rules in CONSTRAINTS.items() if name != "l1_ratio"}

    def __init__(
        self,
        alpha=1.0,
        *,
        fit_intercept=True,
        copy_X=True,
        max_iter=1000,
        tol=1e-4,
        warm_start=False,
        random_state=None,
        selection="cyclic",
    ):
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.copy_X = copy_X
        self.max_iter = max_iter
        self.tol = tol
        self.warm_start = warm_start
        self.random_state = random_state
        self.selection = selection


def check_tasks(estimator, X, y, sample_weight):
    """X, targets of two dimensions and weights, validated."""
    X, y = validate_data(
        estimator,
        X,
        y,
        validate_separately=(dict(dtype=FLOATS, order="F"), dict(dtype=FLOATS, ensure_2d=False)),
    )
    if len(X) != len(y):
        raise ValueError(f"X and y must have the same number of rows, got {len(X)} and {len(y)}.")
    if y.ndim == 1:
        single = type(estimator).__name__.removeprefix("MultiTask")
        raise ValueError(f"For mono-task outputs, use {single}: y must have two dimensions, got shape {y.shape}.")
    return X, y, check_weights(sample_weight, X)


def store_solution(estimator, problem, solution, dtype):
    """Set the fitted attributes."""
    require_finite(solution.W)
    estimator.coef_ = np.ascontiguousarray(solution.W.T, dtype=dtype)
    estimator.intercept_ = np.asarray(problem.intercept(solution.W), dtype=dtype)
    estimator.dual_gap_, estimator.n_iter_ = solution.gap, solution.n_iter
