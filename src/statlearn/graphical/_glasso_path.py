"""Paths of the graphical lasso, and the choice of its penalty by cross-validation and by the extended BIC."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from numbers import Number

import numpy as np
from sklearn.model_selection import check_cv

from statlearn._core import covariance as core
from statlearn._core.jobs import count_jobs, keep_limit
from statlearn._core.params import Int, Options, Real, check_arguments, check_params
from statlearn._core.validation import check_array, check_weights, naming, validate_data
from statlearn._core.warnings import OK, warn_if_stopped

from ._covariance import inverse, log_likelihood
from ._glasso import _EPS, _REMEDY, SOLVERS, GraphicalLasso, input_covariance, solve_or_raise
from ._nonparanormal import KINDS
from ._penalised_likelihood import penalty_array, refuse_constant

_SMALLEST = 1e-4  # penalty of a refined grid, relative to the largest


def alpha_max(emp_cov):
    """The smallest penalty with an empty graph: the largest absolute covariance of a pair."""
    A = np.abs(np.array(emp_cov, dtype=np.float64))
    np.fill_diagonal(A, 0.0)
    return float(A.max())


def default_alphas(S, n_alphas, eps):
    """A geometric grid from `alpha_max` down to `eps` times it."""
    top = alpha_max(S)
    if top <= 0.0:
        top = float(np.diag(S).max()) or 1.0
    return np.geomspace(top, eps * top, n_alphas)


@dataclass
class GraphicalLassoPath:
    """Result of `graphical_lasso_path`.

    Parameters
    ----------
    alphas : ndarray of shape (n_alphas,)
        In decreasing order.
    covariances, precisions : ndarray of shape (n_alphas, n_features, n_features)
    n_edges : ndarray of shape (n_alphas,)
    log_likelihoods : ndarray of shape (n_alphas,)
        Mean log-likelihood per training row.
    test_scores : ndarray of shape (n_alphas,) or None
        Mean log-likelihood per row of `X_test`.
    dual_gaps : ndarray of shape (n_alphas,)
    n_rows : float
        Number of rows, or the sum of the weights; NaN if a covariance was given.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.graphical import graphical_lasso_path
    >>> X = np.random.default_rng(0).normal(size=(50, 4))
    >>> path = graphical_lasso_path(X, n_alphas=3)
    >>> path.precisions.shape, int(path.n_edges[0])
    ((3, 4, 4), 0)
    """

    alphas: np.ndarray
    covariances: np.ndarray
    precisions: np.ndarray
    n_edges: np.ndarray
    log_likelihoods: np.ndarray
    test_scores: np.ndarray | None
    dual_gaps: np.ndarray
    n_rows: float

    def ebic(self, gamma=0.5, n_rows=None):
        """Extended BIC of each model; see `ebic`."""
        n = self.n_rows if n_rows is None else n_rows
        if not np.isfinite(n):
            raise ValueError("`n_rows` is required if the path was computed from a covariance matrix.")
        p = self.precisions.shape[1]
        return np.array(
            [_ebic(n * ll, edges, n, p, gamma) for ll, edges in zip(self.log_likelihoods, self.n_edges, strict=True)]
        )


def _ebic(total_log_likelihood, n_edges, n, p, gamma):
    return -2.0 * total_log_likelihood + n_edges * np.log(n) + 4.0 * gamma * n_edges * np.log(p)


def ebic(emp_cov, precision, n_rows, *, gamma=0.5):
    r"""Extended Bayesian information criterion of a Gaussian graphical model.

    .. math:: -2 \ell(\Theta) + E \log n + 4 \gamma E \log p

    with E the number of edges and the log-likelihood at the sample mean.

    Parameters
    ----------
    emp_cov : array-like of shape (n_features, n_features)
    precision : array-like of shape (n_features, n_features)
    n_rows : float
    gamma : float, default=0.5
        In [0, 1]; 0 is the BIC. Larger values give sparser graphs, which is needed if there are many variables.

    Returns
    -------
    float

    References
    ----------
    Foygel, R. and Drton, M. (2010). Extended Bayesian information criteria for Gaussian graphical models. NeurIPS 23.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.graphical import ebic
    >>> round(ebic(np.eye(3), np.eye(3), 100), 3)
    851.363
    """
    check_arguments(
        ebic, gamma=(gamma, [Real(0, 1, closed="both")]), n_rows=(n_rows, [Real(0, None, closed="neither")])
    )
    K = np.asarray(precision, dtype=np.float64)
    edges = int(np.count_nonzero(np.triu(K, 1)))
    return float(_ebic(n_rows * log_likelihood(np.asarray(emp_cov), K), edges, n_rows, len(K), gamma))


def _follow(S, alphas, *, tol, max_iter, solver, penalize_diagonal, owner, enet_tol=1e-4):
    """Solutions along alphas in any order, each started from that of the next larger alpha."""
    order = np.argsort(alphas)[::-1]
    found, start = [None] * len(alphas), None
    for k in order:
        L = penalty_array(alphas[k], len(S), penalize_diagonal)
        solution = solve_or_raise(
            S, L, tol=tol, max_iter=max_iter, solver=solver, inner_tol=1e-2 * min(enet_tol, tol), start=start
        )
        if solution.status != OK:
            detail = f"duality gap {solution.gap:.1e} > tol={tol:g} at alpha={alphas[k]:.4g}"
            warn_if_stopped(owner, solution.status, detail, remedy=_REMEDY)
        found[k], start = solution, solution.precision
    return found


def graphical_lasso_path(
    X,
    alphas=None,
    cov_init=None,
    X_test=None,
    mode="cd",
    tol=1e-4,
    enet_tol=1e-4,
    max_iter=100,
    verbose=False,
    *,
    n_alphas=20,
    eps=0.01,
    covariance=None,
    penalize_diagonal=False,
    nonparanormal=None,
    assume_centered=False,
    sample_weight=None,
    solver="auto",
):
    """Graphical lasso along decreasing penalties, each started from the last.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features), or covariance of shape (n_features, n_features)
    alphas : array-like or None
        Penalties. By default `n_alphas` values in geometric steps from the largest absolute covariance, where the graph
        is empty, down to `eps` times it.
    cov_init : ignored
        Kept so that calls written for scikit-learn work.
    X_test : array-like of shape (n_test, n_features) or None
        Rows to score the models on.
    mode : ignored
    tol : float, default=1e-4
    enet_tol : float, default=1e-4
    max_iter : int, default=100
    verbose : bool, default=False
        Whether to print a line per model.
    n_alphas : int, default=20
    eps : float, default=0.01
    covariance : {"precomputed"} or None
    penalize_diagonal : bool, default=False
    nonparanormal : {None, "scores", "spearman", "kendall"}
    assume_centered : bool, default=False
    sample_weight : array-like of shape (n_samples,) or None
    solver : {"auto", "columns", "newton"}

    Returns
    -------
    GraphicalLassoPath
        With alphas in decreasing order.

    See Also
    --------
    GraphicalLasso : one penalty, with the meaning of the parameters.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.graphical import graphical_lasso_path
    >>> X = np.random.RandomState(0).normal(size=(100, 5)).cumsum(axis=1)
    >>> path = graphical_lasso_path(X, alphas=[1.0, 0.3, 0.1])
    >>> path.n_edges
    array([6, 9, 8])
    """
    check_arguments(
        graphical_lasso_path,
        tol=(tol, [Real(0, None, closed="neither")]),
        max_iter=(max_iter, [Int(1, None)]),
        n_alphas=(n_alphas, [Int(1, None)]),
        eps=(eps, [Real(0, 1, closed="neither")]),
        covariance=(covariance, [Options("precomputed"), None]),
        nonparanormal=(nonparanormal, [Options(*KINDS), None]),
        penalize_diagonal=(penalize_diagonal, ["boolean"]),
        assume_centered=(assume_centered, ["boolean"]),
        solver=(solver, [Options(*SOLVERS)]),
    )
    with naming("X"):
        X = check_array(X, dtype=np.float64, ensure_min_features=2)
    settings = GraphicalLasso(covariance=covariance, nonparanormal=nonparanormal, assume_centered=assume_centered)
    weights = check_weights(sample_weight, X)
    location, S = input_covariance(settings, X, weights)
    refuse_constant(S, np.zeros_like(S))
    if alphas is None:
        alphas = default_alphas(S, n_alphas, eps)
    else:
        alphas = _checked_alphas(alphas)
    found = _follow(
        S,
        alphas,
        tol=tol,
        enet_tol=enet_tol,
        max_iter=max_iter,
        solver=solver,
        penalize_diagonal=penalize_diagonal,
        owner="graphical_lasso_path",
    )
    precisions = np.array([solution.precision for solution in found])
    test_scores = None
    if X_test is not None:
        with naming("X_test"):
            X_test = check_array(X_test, dtype=np.float64)
        held_out = core.empirical_covariance(X_test - location, assume_centered=True)[1]
        test_scores = np.array([log_likelihood(held_out, K) for K in precisions])
    n_rows = np.nan if covariance else float(len(X)) if weights is None else float(weights.sum())
    path = GraphicalLassoPath(
        alphas,
        np.array([solution.covariance for solution in found]),
        precisions,
        np.array([np.count_nonzero(np.triu(K, 1)) for K in precisions]),
        np.array([log_likelihood(S, K) for K in precisions]),
        test_scores,
        np.array([solution.gap for solution in found]),
        n_rows,
    )
    if verbose:
        for alpha, edges, gap in zip(path.alphas, path.n_edges, path.dual_gaps):
            print(f"[graphical_lasso_path] alpha {alpha:.4g}, {edges} edges, dual gap {gap:.1e}")
    return path


def _checked_alphas(alphas):
    for alpha in alphas:
        if not isinstance(alpha, Number) or isinstance(alpha, bool):
            raise TypeError(f"`alphas` must contain numbers: {alpha!r} must be an instance of float.")
    alphas = np.asarray(alphas, dtype=np.float64).ravel()
    bad = alphas[~((alphas > 0) & np.isfinite(alphas))]
    if len(bad):
        raise ValueError(f"`alphas` contains {bad[0]:g}, but alpha must be > 0 and finite.")
    if not len(alphas):
        raise ValueError("`alphas` must not be empty.")
    return np.sort(alphas)[::-1]


class GraphicalLassoCV(GraphicalLasso):
    r"""Graphical lasso with the penalty chosen by cross-validated log-likelihood.

    Scores a grid of penalties by the mean Gaussian log-likelihood of held-out rows, and refines the grid around the
    best one `n_refinements` times.

    Parameters
    ----------
    alphas : int or array-like, default=4
        Number of penalties per grid, or the penalties themselves, which are then not refined.
    n_refinements : int, default=4
        Number of grids, each between the neighbours of the best penalty so far.
    cv : int, splitter or iterable, default=None
        Folds; None means 5.
    tol : float, default=1e-4
        Duality gap at which the iterations stop.
    enet_tol : float, default=1e-4
        Tolerance of the regressions within a sweep.
    max_iter : int, default=100
        Maximum number of sweeps or Newton steps.
    mode : {"cd", "lars"}, default="cd"
        Has no effect; kept so that calls written for scikit-learn work.
    n_jobs : int or None, default=None
        Number of folds to fit at the same time. None means 1.
    verbose : bool, default=False
        Whether to print the progress.
    eps : float
        Has no effect; kept so that calls written for scikit-learn work.
    assume_centered : bool, default=False
        Whether the mean is taken to be zero.
    penalize_diagonal : bool, default=False
        Whether the diagonal is penalised, too.
    solver : {"auto", "columns", "newton"}, default="auto"

    Attributes
    ----------
    alpha_ : float
        Chosen penalty.
    cv_results_ : dict of ndarrays
        "alphas", "mean_test_score", "std_test_score" and "split(k)_test_score" of all penalties, the last of which
        is 0, the empirical covariance.
    location_ : ndarray of shape (n_features,)
        Estimated mean.
    covariance_ : ndarray of shape (n_features, n_features)
    precision_ : ndarray of shape (n_features, n_features)
    n_iter_ : int
    costs_ : list of (objective, dual_gap)
    objective_ : float
    dual_gap_ : float
    n_edges_ : int
    component_labels_ : ndarray of shape (n_features,)
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)

    See Also
    --------
    GraphicalLassoIC : sparser graphs, by the extended BIC; one fit per penalty.
    StabilityGGM : by the stability of the edges under subsampling.

    Notes
    -----
    Cross-validation chooses the best predictive distribution, whose graph has usually many false edges. If the graph
    is the aim, use `GraphicalLassoIC` or `StabilityGGM`.

    References
    ----------
    Friedman, J., Hastie, T. and Tibshirani, R. (2008). Sparse inverse covariance estimation with the graphical lasso.
    Biostatistics 9, 432-441.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.graphical import GraphicalLassoCV
    >>> K = np.array([[2.0, -1.0, 0.0], [-1.0, 2.0, -1.0], [0.0, -1.0, 2.0]])
    >>> X = np.random.RandomState(0).multivariate_normal(np.zeros(3), np.linalg.inv(K), size=200)
    >>> model = GraphicalLassoCV().fit(X)
    >>> round(model.alpha_, 4), model.precision_.round(1) + 0.0
    (0.0051, array([[ 2.1, -1.1,  0.1],
           [-1.1,  1.9, -1. ],
           [ 0.1, -1. ,  2.1]]))
    """

    _constraints = {
        **{
            name: GraphicalLasso._constraints[name]
            for name in ("tol", "enet_tol", "max_iter", "mode", "verbose", "eps", "assume_centered")
        },
        "alphas": [Int(0, None), "array-like"],
        "n_refinements": [Int(1, None)],
        "cv": ["cv"],
        "n_jobs": [Int(None, None), None],
        "penalize_diagonal": ["boolean"],
        "solver": [Options(*SOLVERS)],
    }
    covariance = None
    missing = "error"
    nonparanormal = None
    penalty_matrix = None

    def __init__(
        self,
        *,
        alphas=4,
        n_refinements=4,
        cv=None,
        tol=1e-4,
        enet_tol=1e-4,
        max_iter=100,
        mode="cd",
        n_jobs=None,
        verbose=False,
        eps=_EPS,
        assume_centered=False,
        penalize_diagonal=False,
        solver="auto",
    ):
        self.alphas = alphas
        self.n_refinements = n_refinements
        self.cv = cv
        self.tol = tol
        self.enet_tol = enet_tol
        self.max_iter = max_iter
        self.mode = mode
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.eps = eps
        self.assume_centered = assume_centered
        self.penalize_diagonal = penalize_diagonal
        self.solver = solver

    def fit(self, X, y=None, sample_weight=None, **params):
        """Choose the penalty and fit.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : ignored
        sample_weight : array-like of shape (n_samples,) or None
            Weights of the rows in fits and in scores.
        **params : dict
            Passed to the `split` method of `cv`, such as groups.

        Returns
        -------
        self : GraphicalLassoCV
        """
        check_params(self)
        X = validate_data(self, X, ensure_min_features=2, ensure_min_samples=2, dtype=np.float64)
        weights = check_weights(sample_weight, X)
        self.location_, S = core.empirical_covariance(X, weights, assume_centered=self.assume_centered)
        refuse_constant(S, np.zeros_like(S), getattr(self, "feature_names_in_", None))
        splits = list(check_cv(self.cv, y, classifier=False).split(X, y, **_split_params(params)))
        parts = [self._fold(X, weights, train, test) for train, test in splits]
        scores = self._search(S, parts)
        alphas = np.array([alpha for alpha, _ in scores])
        table = np.array([row for _, row in scores])
        unpenalised = [log_likelihood(test, inverse(train)) for train, test in parts]
        best = int(np.nonzero(table.mean(axis=1) >= np.max(table.mean(axis=1)))[0][-1])
        self.alpha_ = float(alphas[best])
        table = np.vstack([table, unpenalised])
        self.cv_results_ = {"alphas": np.append(alphas, 0.0)}
        for k in range(table.shape[1]):
            self.cv_results_[f"split{k}_test_score"] = table[:, k]
        self.cv_results_["mean_test_score"] = table.mean(axis=1)
        self.cv_results_["std_test_score"] = table.std(axis=1)
        self._keep(self._solve(S, penalty_array(self.alpha_, len(S), self.penalize_diagonal)))
        return self

    def _fold(self, X, weights, train, test):
        """Covariances of the training and of the held-out rows, each about its own mean."""
        own = (None, None) if weights is None else (weights[train], weights[test])
        return tuple(
            core.empirical_covariance(X[rows], w, assume_centered=self.assume_centered)[1]
            for rows, w in zip((train, test), own)
        )

    def _scores(self, parts, alphas):
        """Held-out log-likelihoods (n_alphas, n_folds)."""

        def one(part):
            train, test = part
            refuse_constant(train, np.zeros_like(train), getattr(self, "feature_names_in_", None))
            found = _follow(
                train,
                alphas,
                tol=self.tol,
                enet_tol=self.enet_tol,
                max_iter=self.max_iter,
                solver=self.solver,
                penalize_diagonal=self.penalize_diagonal,
                owner=self,
            )
            return [log_likelihood(test, solution.precision) for solution in found]

        n_jobs = 1 if self.n_jobs is None else count_jobs(self.n_jobs)
        if n_jobs == 1:
            columns = [one(part) for part in parts]
        else:
            with ThreadPoolExecutor(n_jobs) as pool:
                columns = list(pool.map(keep_limit(one), parts))
        return np.array(columns).T

    def _search(self, S, parts):
        """(alpha, scores) of all penalties, from large to small."""
        if not isinstance(self.alphas, (int, np.integer)):
            alphas = _checked_alphas(self.alphas)
            return list(zip(alphas, self._scores(parts, alphas)))
        high = alpha_max(S)
        if high <= 0.0:
            high = float(np.diag(S).max())
        alphas = np.geomspace(high, 1e-2 * high, max(self.alphas, 1))
        path: list = []
        for round_ in range(self.n_refinements):
            path += list(zip(alphas, self._scores(parts, alphas)))
            path.sort(key=lambda item: -item[0])
            means = np.array([row.mean() for _, row in path])
            best = int(np.nonzero(means >= means.max())[0][-1])
            high = path[max(best - 1, 0)][0]
            low = path[best + 1][0] if best + 1 < len(path) else 1e-2 * path[best][0]
            low = max(low, _SMALLEST * path[0][0])
            if low >= high:
                break
            if self.verbose:
                print(f"[GraphicalLassoCV] Done refinement {round_ + 1} out of {self.n_refinements}")
            alphas = np.geomspace(high, low, max(self.alphas, 1) + 2)[1:-1]
        return path


def _split_params(params):
    """Arguments for the splitter; those that are None are left out."""
    return {name: value for name, value in params.items() if value is not None}


class GraphicalLassoIC(GraphicalLasso):
    r"""Graphical lasso with the penalty chosen by the extended BIC.

    Chooses the penalty with the smallest

    .. math:: -2 \ell(\Theta) + E \log n + 4 \gamma E \log p

    among a grid, with E the number of edges. With ``refit=True`` each graph is refitted without shrinkage before its
    likelihood is computed, and the result is the refitted model.

    Parameters
    ----------
    alphas : int or array-like, default=30
        Number of penalties in geometric steps, or the penalties themselves.
    gamma : float, default=0.5
        Weight of the additional term, in [0, 1]; 0 is the ordinary BIC.
    min_ratio : float, default=0.01
        Smallest penalty relative to the one with an empty graph.
    refit : bool, default=False
        Whether to use maximum-likelihood estimates on each graph.
    tol : float, default=1e-4
        Duality gap at which the iterations stop.
    max_iter : int, default=100
        Maximum number of sweeps or Newton steps.
    assume_centered : bool, default=False
        Whether the mean is taken to be zero.
    penalize_diagonal : bool, default=False
        Whether the diagonal is penalised, too.
    nonparanormal : {None, "scores", "spearman", "kendall"}, default=None
        Rank-based correlations in place of the covariance.
    solver : {"auto", "columns", "newton"}, default="auto"

    Attributes
    ----------
    alpha_ : float
        Chosen penalty.
    alphas_ : ndarray of shape (n_alphas,)
        All penalties, in decreasing order.
    criterion_ : ndarray of shape (n_alphas,)
        Extended BIC of each; infinite if the refit does not exist.
    path_n_edges_ : ndarray of shape (n_alphas,)
        Number of edges of each.
    location_ : ndarray of shape (n_features,)
        Estimated mean.
    covariance_ : ndarray of shape (n_features, n_features)
    precision_ : ndarray of shape (n_features, n_features)
    n_iter_ : int
    costs_ : list of (objective, dual_gap)
    objective_ : float
    dual_gap_ : float
    n_edges_ : int
    component_labels_ : ndarray of shape (n_features,)
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)

    See Also
    --------
    GraphicalLassoCV : the best predictive distribution.

    Notes
    -----
    Shrinkage lowers the likelihood of dense graphs less than that of sparse ones, so that the plain criterion tends
    to too many edges with small penalties; `refit` removes this effect.

    References
    ----------
    Foygel, R. and Drton, M. (2010). Extended Bayesian information criteria for Gaussian graphical models. NeurIPS 23.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.graphical import GraphicalLassoIC
    >>> K = np.array([[2.0, -1.0, 0.0], [-1.0, 2.0, -1.0], [0.0, -1.0, 2.0]])
    >>> X = np.random.RandomState(0).multivariate_normal(np.zeros(3), np.linalg.inv(K), size=500)
    >>> GraphicalLassoIC(refit=True).fit(X).to_graph().edges()
    [('x0', 'x1'), ('x1', 'x2')]
    """

    _constraints = {
        "alphas": [Int(1, None), "array-like"],
        "gamma": [Real(0, 1, closed="both")],
        "min_ratio": [Real(0, 1, closed="neither")],
        "refit": ["boolean"],
        "tol": [Real(0, None, closed="neither")],
        "max_iter": [Int(1, None)],
        "assume_centered": ["boolean"],
        "penalize_diagonal": ["boolean"],
        "nonparanormal": [Options(*KINDS), None],
        "solver": [Options(*SOLVERS)],
    }
    covariance = None
    missing = "error"
    penalty_matrix = None
    verbose = False
    enet_tol = 1e-4

    def __init__(
        self,
        *,
        alphas=30,
        gamma=0.5,
        min_ratio=0.01,
        refit=False,
        tol=1e-4,
        max_iter=100,
        assume_centered=False,
        penalize_diagonal=False,
        nonparanormal=None,
        solver="auto",
    ):
        self.alphas = alphas
        self.gamma = gamma
        self.min_ratio = min_ratio
        self.refit = refit
        self.tol = tol
        self.max_iter = max_iter
        self.assume_centered = assume_centered
        self.penalize_diagonal = penalize_diagonal
        self.nonparanormal = nonparanormal
        self.solver = solver

    def fit(self, X, y=None, sample_weight=None):
        """Choose the penalty and fit.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : ignored
        sample_weight : array-like of shape (n_samples,) or None
            A weight of k counts a row k times.

        Returns
        -------
        self : GraphicalLassoIC
        """
        from ._known_graph import fit_known_graph

        check_params(self)
        X = validate_data(self, X, ensure_min_features=2, ensure_min_samples=2, dtype=np.float64)
        weights = check_weights(sample_weight, X)
        n = float(len(X)) if weights is None else float(weights.sum())
        self.location_, S = input_covariance(self, X, weights)
        refuse_constant(S, np.zeros_like(S), getattr(self, "feature_names_in_", None))
        if isinstance(self.alphas, (int, np.integer)):
            alphas = default_alphas(S, int(self.alphas), self.min_ratio)
        else:
            alphas = _checked_alphas(self.alphas)
        found = _follow(
            S,
            alphas,
            tol=self.tol,
            max_iter=self.max_iter,
            solver=self.solver,
            penalize_diagonal=self.penalize_diagonal,
            owner=self,
        )
        if self.refit:
            for solution in found:
                try:
                    W, K, _ = fit_known_graph(S, solution.precision != 0)
                except ValueError:  # no maximum-likelihood estimate on this graph
                    solution.precision = np.full_like(S, np.nan)
                    continue
                solution.precision, solution.covariance = K, W
        edges = np.array([np.count_nonzero(np.triu(np.nan_to_num(s.precision, nan=1.0), 1)) for s in found])
        values = np.array(
            [
                np.inf
                if np.isnan(s.precision).any()
                else _ebic(n * log_likelihood(S, s.precision), e, n, len(S), self.gamma)
                for s, e in zip(found, edges)
            ]
        )
        best = int(np.argmin(values))
        self.alphas_, self.criterion_, self.path_n_edges_ = alphas, values, edges
        self.alpha_ = float(alphas[best])
        self._keep(found[best])
        return self
