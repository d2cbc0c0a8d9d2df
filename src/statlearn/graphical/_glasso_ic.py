"""The graphical lasso with its penalty chosen by the extended BIC."""

import numpy as np

from statlearn._core.params import Int, Options, Real, check_params
from statlearn._core.validation import check_weights, validate_data

from ._covariance import log_likelihood
from ._glasso import SOLVERS, GraphicalLasso, input_covariance
from ._glasso_path import checked_alphas, default_alphas, ebic_value, follow_path
from ._nonparanormal import KINDS
from ._penalised_likelihood import refuse_constant


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
        Whether to penalise the diagonal as well.
    nonparanormal : {None, "scores", "spearman", "kendall"}, default=None
        Rank-based correlations instead of the covariance.
    solver : {"auto", "columns", "newton", "dual"}, default="auto"

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
        "alphas": [Int(1, 100), "array-like"],
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
        sample_weight : array-like of shape (n_samples,) or None, default=None
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
            alphas = checked_alphas(self.alphas)
        path = follow_path(
            S,
            alphas,
            tol=self.tol,
            max_iter=self.max_iter,
            solver=self.solver,
            penalize_diagonal=self.penalize_diagonal,
            owner=self,
        )
        if self.refit:
            for solution in path:
                try:
                    W, K, _ = fit_known_graph(S, solution.precision != 0)
                except ValueError:  # no maximum-likelihood estimate on this graph
                    solution.precision = np.full_like(S, np.nan)
                    continue
                solution.precision, solution.covariance = K, W
        edges = np.array([np.count_nonzero(np.triu(np.nan_to_num(s.precision, nan=1.0), 1)) for s in path])
        values = np.array(
            [
                np.inf
                if np.isnan(s.precision).any()
                else ebic_value(n * log_likelihood(S, s.precision), e, n, len(S), self.gamma)
                for s, e in zip(path, edges)
            ]
        )
        best = int(np.argmin(values))
        self.alphas_, self.criterion_, self.path_n_edges_ = alphas, values, edges
        self.alpha_ = float(alphas[best])
        self._keep(path[best])
        return self
