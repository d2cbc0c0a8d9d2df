"""The graphical lasso: a sparse precision matrix by penalised Gaussian likelihood."""

import numpy as np
from sklearn.utils import check_array
from sklearn.utils.validation import check_is_fitted

from statlearn._core.fitted_state import forget
from statlearn._core.params import Int, Options, Real, check_params
from statlearn._core.validation import check_weights, naming, validate_data
from statlearn._core.warnings import DIVERGED, OK, warn_if_stopped
from statlearn._math.linalg import covariance as core

from ._covariance import EmpiricalCovariance
from ._missing import em_fit
from ._nonparanormal import KINDS, nonparanormal_correlation
from ._penalised_likelihood import check_covariance, penalty_array, refuse_constant, solve
from ._undirected import GraphMixin

_EPS = np.finfo(np.float64).eps
SOLVERS = ("auto", "columns", "newton", "dual")
_REMEDY = "Increase max_iter, standardise the columns, or raise alpha or tol."


def solve_or_raise(S, L, **options):
    """`solve`, with an error if no optimum exists or none was found."""
    solution = solve(S, L, **options)
    if solution.status == DIVERGED or not np.isfinite(solution.gap):
        low = float(np.linalg.eigvalsh(S)[0])
        if np.isfinite(solution.objective) and solution.status != DIVERGED and low >= -1e-8 * np.abs(S).max():
            return solution  # an optimum exists, but the steps ended before a certificate
        state = "indefinite" if low < -1e-8 * np.abs(S).max() else "singular" if low < 1e-10 * S.max() else "too close"
        if state == "too close":
            raise ValueError("The covariance matrix is so badly conditioned that no optimum was found; increase alpha.")
        raise ValueError(
            f"The covariance matrix is {state} (smallest eigenvalue {low:.2g}), and the penalty is too small for the "
            "likelihood to have a maximum. Increase alpha, or use penalize_diagonal=True."
        )
    return solution


def graphical_lasso(
    emp_cov,
    alpha,
    *,
    mode="cd",
    tol=1e-4,
    enet_tol=1e-4,
    max_iter=100,
    verbose=False,
    return_costs=False,
    eps=_EPS,
    return_n_iter=False,
    penalize_diagonal=False,
    penalty_matrix=None,
    solver="auto",
):
    """Graphical lasso of a covariance matrix.

    The parameters are those of :class:`GraphicalLasso`.

    Parameters
    ----------
    emp_cov : array-like of shape (n_features, n_features)
    alpha : float
    mode : {"cd", "lars"}, default="cd"
        Has no effect; kept so that calls written for scikit-learn work.
    tol : float, default=1e-4
    enet_tol : float, default=1e-4
    max_iter : int, default=100
    verbose : bool, default=False
    return_costs : bool, default=False
        Whether to return objective and duality gap of each iteration.
    eps : float, default=machine precision
        Has no effect; kept so that calls written for scikit-learn work.
    return_n_iter : bool, default=False
        Whether to return the number of iterations.
    penalize_diagonal : bool, default=False
    penalty_matrix : array-like of shape (n_features, n_features) or None, default=None
    solver : {"auto", "columns", "newton", "dual"}, default="auto"

    Returns
    -------
    covariance : ndarray of shape (n_features, n_features)
    precision : ndarray of shape (n_features, n_features)
    costs : list of (objective, dual_gap)
        Only if `return_costs` is True.
    n_iter : int
        Only if `return_n_iter` is True.

    Examples
    --------
    >>> from statlearn.graphical import graphical_lasso
    >>> S = [[10, 1, 5, 4], [1, 10, 2, 6], [5, 2, 10, 3], [4, 6, 3, 10]]
    >>> covariance, precision = graphical_lasso(S, alpha=1.0, tol=1e-10)
    >>> precision.round(3) + 0.0
    array([[ 0.127,  0.   , -0.045, -0.029],
           [ 0.   ,  0.133,  0.   , -0.067],
           [-0.045,  0.   ,  0.12 , -0.011],
           [-0.029, -0.067, -0.011,  0.144]])
    """
    with naming("emp_cov"):
        emp_cov = check_array(emp_cov, dtype=np.float64)
    model = GraphicalLasso(
        alpha,
        mode=mode,
        covariance="precomputed",
        tol=tol,
        enet_tol=enet_tol,
        max_iter=max_iter,
        verbose=verbose,
        eps=eps,
        assume_centered=True,
        penalize_diagonal=penalize_diagonal,
        penalty_matrix=penalty_matrix,
        solver=solver,
    ).fit(emp_cov)
    answer = [model.covariance_, model.precision_]
    if return_costs:
        answer.append(model.costs_)
    if return_n_iter:
        answer.append(model.n_iter_)
    return tuple(answer)


class GraphicalLasso(GraphMixin, EmpiricalCovariance):
    r"""Graphical lasso: sparse precision matrix by penalised Gaussian likelihood.

    Minimises over positive definite Θ, with S the covariance of the data (divisor n),

    .. math:: -\log\det\Theta + \operatorname{tr}(S\Theta) + \alpha \sum_{i \ne j} |\Theta_{ij}|

    Both triangles are counted in the sum. A zero of Θ means that two variables are independent given all others. Stops
    when the duality gap, the certified distance from the optimum in the units of this objective, is at most `tol`.

    Parameters
    ----------
    alpha : float, default=0.01
        Penalty; larger values give fewer edges. With ``alpha >= max |S_ij|`` over pairs the graph is empty.
    mode : {"cd", "lars"}, default="cd"
        Has no effect; kept so that calls written for scikit-learn work.
    covariance : {"precomputed"} or None, default=None
        If "precomputed", `fit` takes a covariance matrix.
    tol : float, default=1e-4
        Duality gap at which the iterations stop.
    enet_tol : float, default=1e-4
        Tolerance of the regressions within a sweep over the columns, relative to the standard deviations. It is
        tightened where `tol` needs it.
    max_iter : int, default=100
        Maximum number of sweeps or Newton steps.
    verbose : bool, default=False
        Whether to print objective and duality gap of each iteration.
    eps : float, default=machine precision
        Has no effect; kept so that calls written for scikit-learn work.
    assume_centered : bool, default=False
        Whether the mean is taken to be zero.
    penalize_diagonal : bool, default=False
        Whether to penalise the diagonal as well, as in the original article and in R's glasso by default.
    penalty_matrix : array-like of shape (n_features, n_features) or None, default=None
        Penalty per entry, symmetric, instead of `alpha`: 0 leaves an entry free, infinity forces it to zero. Its
        diagonal counts only if `penalize_diagonal` is True.
    missing : {"error", "em"}, default="error"
        "em" accepts NaN in X and maximises the penalised likelihood of the observed cells by EM, which is valid if
        cells are missing at random. It stops when the objective rises by at most 1e-6 of itself.
    nonparanormal : {None, "scores", "spearman", "kendall"}, default=None
        Rank-based correlations instead of the covariance, for columns with skewed or heavy-tailed distributions; see
        `nonparanormal_correlation`.
    solver : {"auto", "columns", "newton", "dual"}, default="auto"
        "columns" is block coordinate descent, "newton" a proximal Newton method, and "dual" a projected Newton method
        on the dual problem along a path of falling penalties, for small penalties with few rows. "auto" uses columns,
        then "dual" if these do not reach `tol`, and "newton" if there is no dual point to start from. All find the
        same optimum.

    Attributes
    ----------
    location_ : ndarray of shape (n_features,)
        Estimated mean.
    covariance_ : ndarray of shape (n_features, n_features)
        Inverse of the precision matrix.
    precision_ : ndarray of shape (n_features, n_features)
        Sparse precision matrix Θ.
    n_iter_ : int
        Sweeps or Newton steps of the component that needed most; EM steps with ``missing="em"``.
    costs_ : list of (objective, dual_gap)
        Value of each iteration. The gaps of Newton steps before the last are lower bounds.
    objective_ : float
    dual_gap_ : float
        Certified distance of `objective_` from the minimum.
    n_edges_ : int
    component_labels_ : ndarray of shape (n_features,)
        Connected component of each variable.
    log_likelihood_path_ : ndarray
        Penalised observed log-likelihood per row of each EM step, only with ``missing="em"``.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)

    See Also
    --------
    GraphicalLassoCV : alpha by cross-validation.
    GraphicalLassoIC : alpha by the extended BIC.
    GaussianGraphicalMLE : no shrinkage on a known graph.

    Notes
    -----
    The problem is first divided into the connected components of the entries with \|S_ij\| > alpha, which are exactly
    those of the solution. Cost per sweep: p^2 times the number of neighbours, and a Cholesky factorisation.

    Standardise the columns before using one alpha for all: the penalty is not invariant to units. The estimates are
    shrunk; refit with `GaussianGraphicalMLE` for unbiased partial correlations on the selected graph.

    References
    ----------
    Friedman, J., Hastie, T. and Tibshirani, R. (2008). Sparse inverse covariance estimation with the graphical lasso.
    Biostatistics 9, 432-441.

    Bertsekas, D. (1982). Projected Newton methods for optimization problems with simple constraints. SIAM Journal on
    Control and Optimization 20, 221-246.

    Hsieh, C.-J., Sustik, M., Dhillon, I. and Ravikumar, P. (2014). QUIC: quadratic approximation for sparse inverse
    covariance estimation. JMLR 15, 2911-2947.

    Witten, D., Friedman, J. and Simon, N. (2011). New insights and faster computations for the graphical lasso. Journal
    of Computational and Graphical Statistics 20, 892-900.

    Städler, N. and Bühlmann, P. (2012). Missing values: sparse inverse covariance estimation and an extension to sparse
    regression. Statistics and Computing 22, 219-235.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.graphical import GraphicalLasso
    >>> K = np.array([[2.0, -1.0, 0.0], [-1.0, 2.0, -1.0], [0.0, -1.0, 2.0]])  # a chain
    >>> X = np.random.RandomState(0).multivariate_normal(np.zeros(3), np.linalg.inv(K), size=500)
    >>> model = GraphicalLasso(alpha=0.1).fit(X)
    >>> model.to_graph().edges()
    [('x0', 'x1'), ('x1', 'x2')]
    >>> bool(model.dual_gap_ <= 1e-4)
    True
    """

    _constraints = {
        "alpha": [Real(0, None)],
        "mode": [Options("cd", "lars")],
        "covariance": [Options("precomputed"), None],
        "tol": [Real(0, None, closed="neither")],
        "enet_tol": [Real(0, None, closed="neither")],
        "max_iter": [Int(0, None)],
        "verbose": ["verbose"],
        "eps": [Real(0, None)],
        "assume_centered": ["boolean"],
        "penalize_diagonal": ["boolean"],
        "penalty_matrix": ["array-like", None],
        "missing": [Options("error", "em")],
        "nonparanormal": [Options(*KINDS), None],
        "solver": [Options(*SOLVERS)],
    }
    store_precision = True

    def __init__(
        self,
        alpha=0.01,
        *,
        mode="cd",
        covariance=None,
        tol=1e-4,
        enet_tol=1e-4,
        max_iter=100,
        verbose=False,
        eps=_EPS,
        assume_centered=False,
        penalize_diagonal=False,
        penalty_matrix=None,
        missing="error",
        nonparanormal=None,
        solver="auto",
    ):
        self.alpha = alpha
        self.mode = mode
        self.covariance = covariance
        self.tol = tol
        self.enet_tol = enet_tol
        self.max_iter = max_iter
        self.verbose = verbose
        self.eps = eps
        self.assume_centered = assume_centered
        self.penalize_diagonal = penalize_diagonal
        self.penalty_matrix = penalty_matrix
        self.missing = missing
        self.nonparanormal = nonparanormal
        self.solver = solver

    def fit(self, X, y=None, sample_weight=None):
        """Estimate the sparse precision matrix.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), or covariance of shape (n_features, n_features)
        y : ignored
        sample_weight : array-like of shape (n_samples,) or None, default=None
            A weight of k counts a row k times.

        Returns
        -------
        self : GraphicalLasso
        """
        check_params(self)
        by_em = self.missing == "em" and self.covariance is None
        X = validate_data(
            self,
            X,
            ensure_min_features=2,
            ensure_min_samples=1 if self.covariance else 2,
            dtype=np.float64,
            ensure_all_finite="allow-nan" if by_em else True,
        )
        weights = None
        if sample_weight is not None:
            if self.covariance is not None:
                raise ValueError("`sample_weight` cannot be used with covariance='precomputed'.")
            weights = check_weights(sample_weight, X)
        L = penalty_array(self.alpha, X.shape[1], self.penalize_diagonal, self.penalty_matrix)
        forget(self, "log_likelihood_path_")
        if by_em and np.isnan(X).any():
            self._fit_missing(X, weights, L)
            return self
        self.location_, S = input_covariance(self, X, weights)
        refuse_constant(S, L, getattr(self, "feature_names_in_", None))
        self._keep(self._solve(S, L))
        return self

    def _solve(self, S, L, start=None):
        inner = min(self.enet_tol, 1e-2 * self.tol) if self.tol < 1e-4 else self.enet_tol * 1e-2
        return solve_or_raise(
            S, L, tol=self.tol, max_iter=self.max_iter, solver=self.solver, inner_tol=inner, start=start
        )

    def _keep(self, solution):
        self.covariance_, self.precision_ = solution.covariance, solution.precision
        self.n_iter_, self.costs_ = solution.n_iter, solution.steps
        self.objective_, self.dual_gap_ = solution.objective, solution.gap
        self.n_edges_ = int(np.count_nonzero(np.triu(solution.precision, 1)))
        self.component_labels_ = solution.labels
        if self.verbose:
            for i, (cost, gap) in enumerate(solution.steps):
                print(f"[graphical_lasso] Iteration {i: 3d}, cost {cost:.2e}, dual gap {gap:.3e}")
        if solution.status != OK:
            warn_if_stopped(self, solution.status, f"duality gap {solution.gap:.1e} > tol={self.tol:g}", remedy=_REMEDY)

    def _fit_missing(self, X, weights, L):
        if self.nonparanormal is not None:
            raise ValueError("nonparanormal=... does not support missing values; impute them first.")
        seen = ~np.isnan(X) if weights is None else ~np.isnan(X) & (weights > 0)[:, None]
        empty = np.flatnonzero(~seen.any(axis=0))
        if len(empty):
            names = getattr(self, "feature_names_in_", np.arange(X.shape[1]))
            raise ValueError(f"X has no observed value in column {names[empty[0]]!r}; drop it.")

        def refuse(S):
            refuse_constant(S, L, getattr(self, "feature_names_in_", None))

        def maximise(S, start):
            refuse(S)
            # The M step is solved to a tenth of the rise that ends the iterations.
            solution = solve_or_raise(
                S, L, tol=1e-8, max_iter=max(self.max_iter, 100), solver=self.solver, inner_tol=1e-8, start=start
            )
            used = solution.precision != 0
            solution.penalty = float(np.sum(L[used] * np.abs(solution.precision[used])))
            return solution

        self.location_, solution, history, converged = em_fit(
            X, weights, maximise, refuse, assume_centered=self.assume_centered, tol=1e-6, max_iter=max(self.max_iter, 1)
        )
        self._keep(solution)
        self.n_iter_ = len(history)
        self.log_likelihood_path_ = np.array(history)
        if not converged:
            warn_if_stopped(self, 1, f"EM stopped after {len(history)} steps", remedy="Increase max_iter.")

    def score(self, X_test, y=None, sample_weight=None):
        """Mean Gaussian log-likelihood per row.

        Parameters
        ----------
        X_test : array-like of shape (n_samples, n_features)
            Complete rows.
        y : ignored
        sample_weight : array-like of shape (n_samples,) or None, default=None

        Returns
        -------
        float
        """
        check_is_fitted(self)
        if self.nonparanormal is not None:
            raise ValueError("A nonparanormal model has no likelihood on the scale of X.")
        return super().score(X_test, sample_weight=sample_weight)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.missing == "em"
        tags.input_tags.pairwise = self.covariance == "precomputed"
        return tags


def input_covariance(model, X, weights):
    """Location and covariance (or rank-based correlation, or the given matrix) that an estimator works on."""
    if getattr(model, "covariance", None) == "precomputed":
        return np.zeros(X.shape[1]), check_covariance(X, "covariance")
    if getattr(model, "nonparanormal", None) is not None:
        if weights is not None:
            X = _repeated(X, weights)
        return X.mean(axis=0), nonparanormal_correlation(X, model.nonparanormal)
    return core.empirical_covariance(X, weights, assume_centered=model.assume_centered)


def _repeated(X, weights):
    """Rows repeated by integer weights; ranks have no meaning for other weights."""
    counts = np.asarray(weights)
    if not np.all(counts == np.round(counts)):
        raise ValueError("`sample_weight` must contain whole numbers with nonparanormal=...: ranks count rows.")
    return np.repeat(X, counts.astype(np.intp), axis=0)
