"""Paths of the graphical lasso over its penalty, and the extended BIC."""

from dataclasses import dataclass
from numbers import Number

import numpy as np

from statlearn._core.params import Int, Options, Real, check_arguments
from statlearn._core.validation import check_array, check_weights, naming
from statlearn._core.warnings import OK, warn_if_stopped
from statlearn._math.linalg import covariance as core

from ._covariance import log_likelihood
from ._glasso import _REMEDY, SOLVERS, GraphicalLasso, input_covariance, solve_or_raise
from ._nonparanormal import KINDS
from ._penalised_likelihood import penalty_array, refuse_constant


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
            [
                ebic_value(n * ll, edges, n, p, gamma)
                for ll, edges in zip(self.log_likelihoods, self.n_edges, strict=True)
            ]
        )


def ebic_value(total_log_likelihood, n_edges, n, p, gamma):
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
    return float(ebic_value(n_rows * log_likelihood(np.asarray(emp_cov), K), edges, n_rows, len(K), gamma))


def follow_path(S, alphas, *, tol, max_iter, solver, penalize_diagonal, owner, enet_tol=1e-4):
    """Solutions along alphas in any order, each started from that of the next larger alpha."""
    order = np.argsort(alphas)[::-1]
    solutions, start = [None] * len(alphas), None
    for k in order:
        L = penalty_array(alphas[k], len(S), penalize_diagonal)
        solution = solve_or_raise(
            S, L, tol=tol, max_iter=max_iter, solver=solver, inner_tol=1e-2 * min(enet_tol, tol), start=start
        )
        if solution.status != OK:
            detail = f"duality gap {solution.gap:.1e} > tol={tol:g} at alpha={alphas[k]:.4g}"
            warn_if_stopped(owner, solution.status, detail, remedy=_REMEDY)
        solutions[k], start = solution, solution.precision
    return solutions


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
    """Graphical lasso along decreasing penalties, each started from the previous one.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features), or covariance of shape (n_features, n_features)
    alphas : array-like or None, default=None
        Penalties. By default `n_alphas` values in geometric steps from the largest absolute covariance, where the graph
        is empty, down to `eps` times it.
    cov_init : ignored
        Kept so that calls written for scikit-learn work.
    X_test : array-like of shape (n_test, n_features) or None, default=None
        Rows to score the models on.
    mode : ignored
    tol : float, default=1e-4
    enet_tol : float, default=1e-4
    max_iter : int, default=100
    verbose : bool, default=False
        Whether to print a line per model.
    n_alphas : int, default=20
    eps : float, default=0.01
    covariance : {"precomputed"} or None, default=None
    penalize_diagonal : bool, default=False
    nonparanormal : {None, "scores", "spearman", "kendall"}, default=None
    assume_centered : bool, default=False
    sample_weight : array-like of shape (n_samples,) or None, default=None
    solver : {"auto", "columns", "newton", "dual"}, default="auto"

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
        alphas = checked_alphas(alphas)
    solutions = follow_path(
        S,
        alphas,
        tol=tol,
        enet_tol=enet_tol,
        max_iter=max_iter,
        solver=solver,
        penalize_diagonal=penalize_diagonal,
        owner="graphical_lasso_path",
    )
    precisions = np.array([solution.precision for solution in solutions])
    test_scores = None
    if X_test is not None:
        with naming("X_test"):
            X_test = check_array(X_test, dtype=np.float64)
        held_out = core.empirical_covariance(X_test - location, assume_centered=True)[1]
        test_scores = np.array([log_likelihood(held_out, K) for K in precisions])
    n_rows = np.nan if covariance else float(len(X)) if weights is None else float(weights.sum())
    path = GraphicalLassoPath(
        alphas,
        np.array([solution.covariance for solution in solutions]),
        precisions,
        np.array([np.count_nonzero(np.triu(K, 1)) for K in precisions]),
        np.array([log_likelihood(S, K) for K in precisions]),
        test_scores,
        np.array([solution.gap for solution in solutions]),
        n_rows,
    )
    if verbose:
        for alpha, edges, gap in zip(path.alphas, path.n_edges, path.dual_gaps):
            print(f"[graphical_lasso_path] alpha {alpha:.4g}, {edges} edges, dual gap {gap:.1e}")
    return path


def checked_alphas(alphas):
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
