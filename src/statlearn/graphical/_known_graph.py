"""Gaussian graphical models on a given graph: maximum likelihood, with tests of the edges."""

import numpy as np
from scipy.stats import chi2
from sklearn.utils.validation import check_is_fitted

from statlearn._core.fitted_state import forget
from statlearn._core.names import input_names
from statlearn._core.native import graphical as native
from statlearn._core.params import Instance, Int, Options, Real, check_params
from statlearn._core.summary import Summary, Table
from statlearn._core.validation import check_weights, validate_data
from statlearn._core.warnings import DIVERGED, MAX_ITER, warn_if_stopped
from statlearn._math.linalg import covariance as core
from statlearn._math.linalg.positive import cholesky

from ._covariance import EmpiricalCovariance, log_likelihood
from ._gaussian import partial_correlation
from ._gaussian_likelihood import deviance
from ._penalised_likelihood import check_covariance, refuse_constant
from ._undirected import GraphMixin, UndirectedGraph, as_graph

_NO_MLE = (
    "The maximum-likelihood estimate does not exist on this graph: {reason}. Use fewer edges, more rows, or "
    "GraphicalLasso."
)


def fit_known_graph(S, adjacency, *, tol=1e-10, max_iter=1000, owner="fit_known_graph", needed=-np.inf, start=None):
    """Covariance W and precision K of the maximum-likelihood fit on a graph, and the number of sweeps.

    W equals S on the diagonal and the edges, and K is zero elsewhere. None is returned as soon as it is certain that
    the log determinant of K stays below `needed`. The sweeps begin at `start`, a positive definite matrix equal to S on
    the diagonal and the edges.
    """
    p, S = len(S), np.ascontiguousarray(S, dtype=np.float64)
    A, starts, neighbours = _neighbours(adjacency)
    if start is None:
        start = _start(S, A, starts, neighbours)
    if start is None:
        raise ValueError(_NO_MLE.format(reason="no positive definite covariance agrees with the data on its edges"))
    W, B = np.array(start, dtype=np.float64, order="C"), np.zeros((p, p))
    n_iter, status = 0, MAX_ITER
    while status == MAX_ITER and n_iter < max_iter:
        if n_iter and _cannot_reach(needed, W):
            return None
        sweeps = max_iter - n_iter if needed == -np.inf else min(max(n_iter, 4), max_iter - n_iter)
        change, more, status, column = native.known_graph_fit(S, starts, neighbours, tol, sweeps, W, B)
        n_iter += more
    if status == DIVERGED:
        raise ValueError(_NO_MLE.format(reason=f"the covariance of the neighbours of column {column} is singular"))
    residual = np.diag(W) - np.einsum("ij,ij->i", W, B)
    if (residual <= 1e-10 * np.diag(W)).any():
        worst = int(np.argmin(residual / np.diag(W)))
        raise ValueError(_NO_MLE.format(reason=f"the covariance of column {worst} and its neighbours is singular"))
    if status == MAX_ITER:
        warn_if_stopped(
            owner, status, f"entries of the covariance still change by {change:.1e}", remedy="Increase max_iter."
        )
    K = -B / residual[:, None]
    K[np.arange(p), np.arange(p)] = 1.0 / residual
    return W, (K + K.T) / 2.0, n_iter


def _neighbours(adjacency):
    """The graph without loops, and its neighbours in compressed rows."""
    A = np.array(adjacency, dtype=bool)
    np.fill_diagonal(A, False)
    starts = np.zeros(len(A) + 1, dtype=np.int32)
    starts[1:] = np.cumsum(A.sum(axis=1))
    return A, starts, np.nonzero(A)[1].astype(np.int32)


def _start(S, A, starts, neighbours):
    return S if _is_positive_definite(S) else _completion(S, A, starts, neighbours)


def regression_steps(S, adjacency, n_cycles):
    """The regressions of the first cycles over the columns, one dict each; see `GaussianGraphicalMLE.steps_`."""
    A, starts, neighbours = _neighbours(adjacency)
    S = np.ascontiguousarray(S, dtype=np.float64)
    W, steps = np.array(_start(S, A, starts, neighbours)), []
    for cycle in range(n_cycles):
        for column in range(len(S)):
            near, others = np.flatnonzero(A[column]), np.delete(np.arange(len(S)), column)
            W11 = W[np.ix_(near, near)]
            beta = np.linalg.solve(W11, S[near, column])
            w12 = W[np.ix_(others, near)] @ beta
            W[others, column] = W[column, others] = w12
            steps.append(
                {"cycle": cycle, "column": column, "neighbors": near, "W11": W11, "beta": beta, "others": others,
                 "w12": w12}
            )  # fmt: skip
    return steps


def _completion(S, A, starts, neighbours):
    """Positive definite matrix that equals a singular S on the diagonal and the edges; None if none exists.

    The correlations on the edges grow from 0 to those of S. At each stage, W has the share t of them: half of the rest
    is added by the mean of W and S, which is positive definite, too. Sweeps at this share move W away from the border,
    until the whole rest can be added to the edges alone.
    """
    fixed, W, t, B = A | np.eye(len(S), dtype=bool), np.diag(np.diag(S)), 0.0, np.zeros_like(S)
    for _ in range(30):
        whole = np.where(fixed, S, W)
        if _is_positive_definite(whole):
            return whole
        t, W = (1.0 + t) / 2.0, (W + S) / 2.0
        shared = t * S
        np.fill_diagonal(shared, np.diag(S))
        if native.known_graph_fit(shared, starts, neighbours, 1e-8, 5, W, B)[2] == DIVERGED:
            return None
    return None


def _is_positive_definite(W):
    return np.isfinite(_log_det(W))


def _log_det(W):
    """The log determinant; -infinity for a matrix that is not positive definite."""
    factor = cholesky(W)
    return -np.inf if factor is None else factor.log_det


def _cannot_reach(needed, W):
    """Whether the log determinant of K cannot reach the needed value, judged by that of W between two sweeps.

    After a sweep, W equals S on the edges. The fit has the largest determinant of all such covariances.
    """
    return -_log_det(W) < needed


class GaussianGraphicalMLE(GraphMixin, EmpiricalCovariance):
    r"""Maximum-likelihood Gaussian model on a given graph.

    Maximises :math:`\log\det\Theta - \operatorname{tr}(S\Theta)` over positive definite Θ with zeros at all pairs that
    the graph does not join. At the maximum, the covariance equals S on the diagonal and the edges.

    Cycles over the variables: column j is regressed on its neighbours under the current covariance, until no entry of
    the covariance changes by more than `tol` relative to the standard deviations.

    Parameters
    ----------
    graph : UndirectedGraph, list of pairs, matrix or None, default=None
        The edges: pairs of column names or numbers, or a symmetric matrix with True for each edge. None means the
        complete graph.
    covariance : {"precomputed"} or None, default=None
        If "precomputed", `fit` takes a covariance matrix.
    assume_centered : bool, default=False
        Whether the mean is taken to be zero.
    tol : float, default=1e-10
        Largest relative change of an entry at which the sweeps stop.
    max_iter : int, default=1000
        Maximum number of sweeps.
    store_steps : bool, default=False
        Whether to keep every regression in ``steps_``.

    Attributes
    ----------
    location_ : ndarray of shape (n_features,)
        Estimated mean.
    covariance_ : ndarray of shape (n_features, n_features)
    precision_ : ndarray of shape (n_features, n_features)
    sample_covariance_ : ndarray of shape (n_features, n_features)
        The covariance S that was fitted.
    n_rows_ : float
        Number of rows, or the sum of the weights; NaN for a given covariance.
    n_edges_ : int
    n_iter_ : int
        Number of sweeps.
    steps_ : list of dict
        The regressions in the order in which they were made: ``cycle`` and ``column`` (from 0), the ``neighbors`` of
        the column, their current covariance ``W11`` (W₁₁*), the coefficients ``beta`` (β*) of the column on them, and
        the updated covariances ``w12`` with all ``others``. Only with `store_steps`.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)

    See Also
    --------
    GraphicalLasso : the graph from the data.
    lrt : test of two nested graphs.

    Notes
    -----
    Cost per sweep: the sum of the cubed numbers of neighbours, plus p times the number of edges. The estimate exists if
    there are at least as many rows as the largest clique of a triangulated graph has nodes, plus one.

    References
    ----------
    Hastie, T., Tibshirani, R. and Friedman, J. (2009). The Elements of Statistical Learning, algorithm 17.1. Springer.

    Lauritzen, S. L. (1996). Graphical Models. Oxford University Press.

    Examples
    --------
    >>> from statlearn.graphical import GaussianGraphicalMLE
    >>> S = [[10, 1, 5, 4], [1, 10, 2, 6], [5, 2, 10, 3], [4, 6, 3, 10]]
    >>> model = GaussianGraphicalMLE([(0, 1), (1, 2), (2, 3), (0, 3)], covariance="precomputed").fit(S)
    >>> model.covariance_.round(3)
    array([[10.   ,  1.   ,  1.314,  4.   ],
           [ 1.   , 10.   ,  2.   ,  0.87 ],
           [ 1.314,  2.   , 10.   ,  3.   ],
           [ 4.   ,  0.87 ,  3.   , 10.   ]])
    """

    _constraints = {
        "graph": [Instance(UndirectedGraph), "array-like", None],
        "covariance": [Options("precomputed"), None],
        "assume_centered": ["boolean"],
        "tol": [Real(0, None, closed="neither")],
        "max_iter": [Int(1, None)],
        "store_steps": ["boolean"],
    }
    store_precision = True

    def __init__(
        self, graph=None, *, covariance=None, assume_centered=False, tol=1e-10, max_iter=1000, store_steps=False
    ):
        self.graph = graph
        self.covariance = covariance
        self.assume_centered = assume_centered
        self.tol = tol
        self.max_iter = max_iter
        self.store_steps = store_steps

    def fit(self, X, y=None, sample_weight=None):
        """Estimate covariance and precision on the graph.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), or covariance of shape (n_features, n_features)
        y : ignored
        sample_weight : array-like of shape (n_samples,) or None, default=None
            A weight of k counts a row k times.

        Returns
        -------
        self : GaussianGraphicalMLE
        """
        check_params(self)
        S = self._sample_covariance(X, sample_weight)
        p = len(S)
        A = np.ones((p, p), dtype=bool) if self.graph is None else as_graph(self.graph, input_names(self)).adjacency()
        self._keep(*fit_known_graph(S, A, tol=self.tol, max_iter=self.max_iter, owner=self))
        forget(self, "steps_")
        if self.store_steps:
            self.steps_ = regression_steps(S, A, self.n_iter_)
        return self

    def _sample_covariance(self, X, sample_weight):
        X = validate_data(self, X, ensure_min_features=2, ensure_min_samples=2, dtype=np.float64)
        weights = check_weights(sample_weight, X) if sample_weight is not None else None
        if self.covariance == "precomputed":
            if weights is not None:
                raise ValueError("`sample_weight` cannot be used with covariance='precomputed'.")
            self.location_, S = np.zeros(X.shape[1]), check_covariance(X, "covariance")
            self.n_rows_ = np.nan
        else:
            self.location_, S = core.empirical_covariance(X, weights, assume_centered=self.assume_centered)
            self.n_rows_ = float(len(X)) if weights is None else float(weights.sum())
        refuse_constant(S, np.zeros_like(S), getattr(self, "feature_names_in_", None))
        self.sample_covariance_ = S
        return S

    def _keep(self, W, K, n_iter):
        self.covariance_, self.precision_, self.n_iter_ = W, K, n_iter
        self.n_edges_ = int(np.count_nonzero(np.triu(K, 1)))

    def summary(self, *, n_rows=None):
        """Partial correlations of the edges with tests of their removal.

        The test of an edge compares the model with the one without it by likelihood ratio (chi-squared, one degree of
        freedom).

        Parameters
        ----------
        n_rows : float or None, default=None
            Number of rows, required if a covariance was given.

        Returns
        -------
        Summary
        """
        check_is_fitted(self)
        n = self.n_rows_ if n_rows is None else float(n_rows)
        if not np.isfinite(n):
            raise ValueError("`n_rows` is required if the model was fitted to a covariance matrix.")
        names, R = input_names(self), partial_correlation(precision=self.precision_)
        A = self.precision_ != 0
        edges = np.argwhere(np.triu(A, 1))
        statistic = np.array([_removal(self.sample_covariance_, self.precision_, A, i, j, n) for i, j in edges])
        table = Table(
            [f"{names[i]} -- {names[j]}" for i, j in edges],
            {
                "partial_correlation": np.array([R[i, j] for i, j in edges]),
                "deviance": statistic,
                "p": chi2.sf(statistic, 1),
            },
        )
        facts = {
            "n": n,
            "n_edges": self.n_edges_,
            "log_likelihood": n * log_likelihood(self.sample_covariance_, self.precision_),
            "deviance": deviance(self.precision_, self.sample_covariance_, n),
            "df": len(A) * (len(A) - 1) // 2 - self.n_edges_,
        }
        facts["deviance_p"] = float(chi2.sf(facts["deviance"], facts["df"])) if facts["df"] else np.nan
        labels = {
            "n": "Rows",
            "n_edges": "Edges",
            "log_likelihood": "Log-likelihood",
            "deviance": "Deviance from the complete graph",
            "df": "Missing edges",
            "deviance_p": "p value of the missing edges",
        }
        if not facts["df"] or not np.isfinite(facts["deviance"]):
            labels.pop("deviance_p")
        notes = (
            []
            if type(self) is GaussianGraphicalMLE
            else ["The graph was chosen with the same data, so the p values are too small."]
        )
        return Summary(f"{type(self).__name__}: {len(names)} variables", table, facts, labels, notes=notes)


def _removal(S, K, adjacency, i, j, n, tol=1e-8):
    """Likelihood ratio statistic of the edge (i, j)."""
    A = adjacency.copy()
    A[i, j] = A[j, i] = False
    smaller = fit_known_graph(S, A, tol=tol)[1]
    return max(0.0, n * float(np.linalg.slogdet(K)[1] - np.linalg.slogdet(smaller)[1]))
