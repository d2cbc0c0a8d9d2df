"""Graphs from node-wise lasso regressions, and from the stability of edges under subsampling."""

import numpy as np
from scipy.special import ndtri
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from statlearn._core.names import input_names
from statlearn._core.native import graphical as native
from statlearn._core.params import Int, Options, Real, check_params
from statlearn._core.validation import check_weights, validate_data
from statlearn._core.warnings import warn
from statlearn._math.linalg import covariance as core

from ._glasso import SOLVERS, GraphicalLasso, input_covariance
from ._glasso_path import alpha_max, checked_alphas, default_alphas, follow_path
from ._known_graph import fit_known_graph
from ._nonparanormal import KINDS
from ._penalised_likelihood import refuse_constant
from ._undirected import GraphMixin, UndirectedGraph


def neighbourhoods(S, alpha, tol=1e-7):
    """Lasso coefficients of every standardised variable on all others; row j for variable j."""
    scale = np.sqrt(np.diag(S))
    R = np.ascontiguousarray(S / np.outer(scale, scale))
    L = np.full(R.shape, float(alpha))
    B = np.zeros_like(R)
    for j in range(len(R)):
        W = R.copy()
        native.glasso_column(R, L, j, tol, W, B)
    return B


class NeighborhoodSelection(BaseEstimator):
    r"""Graph of a Gaussian model by a lasso regression of every variable on all others.

    For each standardised variable j minimises, with n the number of rows,

    .. math:: \frac{1}{2n} \lVert x_j - X_{-j} \beta \rVert^2 + \alpha \lVert \beta \rVert_1

    and joins j with the variables whose coefficients are not zero.

    Parameters
    ----------
    alpha : float or None, default=None
        Penalty. None uses :math:`\Phi^{-1}(1 - 0.05 / (2 p^2)) / \sqrt n`, the value of Meinshausen and Bühlmann, with
        which separate components are joined by mistake with a probability of at most 5 %.
    rule : {"and", "or"}, default="and"
        Whether an edge needs to be selected from both sides or from one.
    nonparanormal : {None, "scores", "spearman", "kendall"}, default=None
        Rank-based correlations instead of those of the data.
    tol : float, default=1e-7
        Largest change of a standardised coefficient at which a regression stops.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features, n_features)
        Row j contains the standardised coefficients of the regression of j.
    adjacency_ : ndarray of shape (n_features, n_features)
        True for each edge.
    alpha_ : float
        Penalty that was used.
    n_edges_ : int
    location_ : ndarray of shape (n_features,)
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)

    See Also
    --------
    GraphicalLasso : a joint estimate that is a distribution.
    GaussianGraphicalMLE : the fit on the graph found.

    Notes
    -----
    Faster than the graphical lasso and often better at finding the graph, but no positive definite estimate.

    References
    ----------
    Meinshausen, N. and Bühlmann, P. (2006). High-dimensional graphs and variable selection with the lasso. Annals of
    Statistics 34, 1436-1462.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.graphical import NeighborhoodSelection
    >>> K = np.array([[2.0, -1.0, 0.0], [-1.0, 2.0, -1.0], [0.0, -1.0, 2.0]])
    >>> X = np.random.RandomState(0).multivariate_normal(np.zeros(3), np.linalg.inv(K), size=500)
    >>> NeighborhoodSelection().fit(X).to_graph().edges()
    [('x0', 'x1'), ('x1', 'x2')]
    """

    _constraints = {
        "alpha": [Real(0, None, closed="neither"), None],
        "rule": [Options("and", "or")],
        "nonparanormal": [Options(*KINDS), None],
        "tol": [Real(0, None, closed="neither")],
    }

    def __init__(self, alpha=None, *, rule="and", nonparanormal=None, tol=1e-7):
        self.alpha = alpha
        self.rule = rule
        self.nonparanormal = nonparanormal
        self.tol = tol

    def fit(self, X, y=None, sample_weight=None):
        """Select the neighbours of every variable.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : ignored
        sample_weight : array-like of shape (n_samples,) or None, default=None
            A weight of k counts a row k times.

        Returns
        -------
        self : NeighborhoodSelection
        """
        check_params(self)
        X = validate_data(self, X, ensure_min_features=2, ensure_min_samples=2, dtype=np.float64)
        weights = check_weights(sample_weight, X)
        n = float(len(X)) if weights is None else float(weights.sum())
        settings = GraphicalLasso(nonparanormal=self.nonparanormal)
        self.location_, S = input_covariance(settings, X, weights)
        refuse_constant(S, np.zeros_like(S), getattr(self, "feature_names_in_", None))
        p = len(S)
        self.alpha_ = float(ndtri(1.0 - 0.05 / (2.0 * p * p)) / np.sqrt(n)) if self.alpha is None else float(self.alpha)
        self.coef_ = neighbourhoods(S, self.alpha_, self.tol)
        chosen = self.coef_ != 0
        self.adjacency_ = chosen & chosen.T if self.rule == "and" else chosen | chosen.T
        self.n_edges_ = int(np.triu(self.adjacency_, 1).sum())
        return self

    def to_graph(self):
        """The graph found, weighted by the mean of the two coefficients of each edge.

        Returns
        -------
        UndirectedGraph
        """
        check_is_fitted(self)
        names = input_names(self)
        i, j = np.nonzero(np.triu(self.adjacency_, 1))
        edges = [(names[a], names[b]) for a, b in zip(i, j)]
        mean = (self.coef_ + self.coef_.T) / 2.0
        return UndirectedGraph(names, edges, {e: mean[a, b] for e, a, b in zip(edges, i, j)})

    def plot(self, *, ax=None, layout="auto"):
        """Draw the graph; see `UndirectedGraph.plot`."""
        return self.to_graph().plot(ax=ax, layout=layout)


class StabilityGGM(GraphMixin, BaseEstimator):
    r"""Gaussian graphical model with the penalty chosen by the stability of its edges (StARS).

    Fits the graphical lasso, or node-wise regressions, along a path on subsamples without replacement. With θ the
    frequency of an edge, its instability is 2 θ (1 - θ); D(α) is the mean over all pairs. Going from an empty graph to
    smaller penalties, chooses the smallest penalty whose largest D so far is at most `beta`.

    Parameters
    ----------
    method : {"glasso", "neighborhood"}, default="glasso"
    alphas : int or array-like, default=20
        Number of penalties in geometric steps, or the penalties themselves.
    min_ratio : float, default=0.05
        Smallest penalty relative to the largest, at which the graphs of all subsamples are empty.
    beta : float, default=0.05
        Largest accepted mean instability, in (0, 0.5).
    n_subsamples : int, default=20
        Number of subsamples.
    subsample_size : int or None, default=None
        Rows per subsample. None uses ``10 sqrt(n)``, and 80 % of the rows for fewer than 144.
    nonparanormal : {None, "scores", "spearman", "kendall"}, default=None
        Rank-based correlations instead of those of the data.
    solver : {"auto", "columns", "newton", "dual"}, default="auto"
        Of the graphical lasso.
    tol : float, default=1e-4
        Duality gap at which the graphical lasso stops.
    max_iter : int, default=100
        Maximum number of sweeps or Newton steps.
    random_state : int, RandomState or None, default=None
        Seed of the subsamples.

    Attributes
    ----------
    alpha_ : float
        Chosen penalty, for columns with variance 1.
    alphas_ : ndarray of shape (n_alphas,)
        In decreasing order.
    instability_ : ndarray of shape (n_alphas,)
        Mean instability D of each penalty.
    edge_frequencies_ : ndarray of shape (n_features, n_features)
        Fraction of the subsamples that have each edge, at the chosen penalty.
    precision_ : ndarray of shape (n_features, n_features)
        Of the fit of all rows: graphical lasso at the chosen penalty, or maximum likelihood on the graph of the
        regressions.
    covariance_ : ndarray of shape (n_features, n_features)
    location_ : ndarray of shape (n_features,)
    n_edges_ : int
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)

    See Also
    --------
    GraphicalLassoIC : one fit per penalty.

    Notes
    -----
    Columns are standardised within. With many columns the method prefers a few false edges to missing ones. With few
    columns the graph is often empty: D is a mean over all pairs, so one edge that enters in half of the subsamples
    contributes 0.5 divided by the number of pairs. With fewer than five columns this exceeds ``beta=0.05``, and the
    path stops before its first edge unless all subsamples gain it at the same penalty. Use
    :class:`NeighborhoodSelection` or :class:`GraphicalLassoIC` then.

    References
    ----------
    Liu, H., Roeder, K. and Wasserman, L. (2010). Stability approach to regularization selection (StARS) for high
    dimensional graphical models. NeurIPS 23.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.graphical import StabilityGGM
    >>> X = np.random.RandomState(0).normal(size=(400, 20)).cumsum(axis=1)  # a chain
    >>> StabilityGGM("neighborhood", random_state=0).fit(X).n_edges_
    21
    """

    _constraints = {
        "method": [Options("glasso", "neighborhood")],
        "alphas": [Int(1, 100), "array-like"],
        "min_ratio": [Real(0, 1, closed="neither")],
        "beta": [Real(0, 0.5, closed="neither")],
        "n_subsamples": [Int(2, 500)],
        "subsample_size": [Int(2, None), None],
        "nonparanormal": [Options(*KINDS), None],
        "solver": [Options(*SOLVERS)],
        "tol": [Real(0, None, closed="neither")],
        "max_iter": [Int(1, None)],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        method="glasso",
        *,
        alphas=20,
        min_ratio=0.05,
        beta=0.05,
        n_subsamples=20,
        subsample_size=None,
        nonparanormal=None,
        solver="auto",
        tol=1e-4,
        max_iter=100,
        random_state=None,
    ):
        self.method = method
        self.alphas = alphas
        self.min_ratio = min_ratio
        self.beta = beta
        self.n_subsamples = n_subsamples
        self.subsample_size = subsample_size
        self.nonparanormal = nonparanormal
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state

    def fit(self, X, y=None):
        """Choose the penalty and fit.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : ignored

        Returns
        -------
        self : StabilityGGM
        """
        check_params(self)
        X = validate_data(self, X, ensure_min_features=2, ensure_min_samples=4, dtype=np.float64)
        n = len(X)
        size = self.subsample_size
        if size is None:
            size = int(10 * np.sqrt(n)) if n >= 144 else int(0.8 * n)
        if size >= n:
            raise ValueError(f"`subsample_size`={size} must be smaller than the {n} rows.")
        R, scale = self._correlation(X)
        rng = check_random_state(self.random_state)
        parts = [self._correlation(X[rng.permutation(n)[:size]])[0] for _ in range(self.n_subsamples)]
        if isinstance(self.alphas, (int, np.integer)):
            # Correlations of a subsample may exceed those of all rows: start where every graph is empty.
            steepest = max([R, *parts], key=alpha_max)
            alphas = default_alphas(steepest, int(self.alphas), self.min_ratio)
        else:
            alphas = checked_alphas(self.alphas)
        frequency = np.zeros((len(alphas), *R.shape))
        for part in parts:
            frequency += self._graphs(part, alphas)
        frequency /= self.n_subsamples
        upper = np.triu_indices(len(R), 1)
        instability = np.array([np.mean(2.0 * f[upper] * (1.0 - f[upper])) for f in frequency])
        steady = np.maximum.accumulate(instability) <= self.beta
        best = int(np.flatnonzero(steady)[-1]) if steady.any() else 0
        if not steady.any():
            warn(
                f"`alphas`: the largest penalty, {alphas[0]:.3g}, has a mean instability of {instability[0]:.3g}, "
                f"above `beta`={self.beta}. It is used although its edges are unstable; add larger penalties."
            )
        self.alphas_, self.instability_ = alphas, instability
        self.alpha_ = float(alphas[best])
        self.edge_frequencies_ = frequency[best]
        self.location_ = X.mean(axis=0)
        if self.method == "glasso":
            solution = self.follow_path(R, [self.alpha_])[0]
            K, W = solution.precision, solution.covariance
        else:
            W, K, _ = fit_known_graph(R, self._graphs(R, [self.alpha_])[0], owner=self)
        self.precision_ = K / np.outer(scale, scale)
        self.covariance_ = W * np.outer(scale, scale)
        self.n_edges_ = int(np.count_nonzero(np.triu(K, 1)))
        return self

    def get_precision(self):
        """The precision matrix."""
        check_is_fitted(self)
        return self.precision_

    def _correlation(self, X):
        """Correlation matrix and standard deviations; a column that is constant in a subsample is uncorrelated."""
        scale = X.std(axis=0)
        if len(X) and (scale == 0).any():
            refuse_constant(
                np.diag(scale**2), np.zeros((len(scale), len(scale))), getattr(self, "feature_names_in_", None)
            )
        if self.nonparanormal is not None:
            return input_covariance(GraphicalLasso(nonparanormal=self.nonparanormal), X, None)[1], scale
        _, S = core.empirical_covariance(X)
        R = S / np.outer(scale, scale)
        np.fill_diagonal(R, 1.0)  # rounding aside
        return R, scale

    def follow_path(self, R, alphas):
        return follow_path(
            R,
            np.asarray(alphas),
            tol=self.tol,
            max_iter=self.max_iter,
            solver=self.solver,
            penalize_diagonal=False,
            owner=self,
        )

    def _graphs(self, R, alphas):
        """Adjacency matrices (n_alphas, p, p) without the diagonal."""
        if self.method == "glasso":
            graphs = np.array([solution.precision != 0 for solution in self.follow_path(R, alphas)])
        else:
            chosen = np.array([neighbourhoods(R, alpha) != 0 for alpha in alphas])
            graphs = chosen & np.swapaxes(chosen, 1, 2)
        graphs[:, np.arange(len(R)), np.arange(len(R))] = False
        return graphs
