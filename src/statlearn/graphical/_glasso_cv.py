"""The graphical lasso with its penalty chosen by cross-validation."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
from sklearn.model_selection import check_cv

from statlearn._core.jobs import count_jobs, keep_limit
from statlearn._core.params import Int, Options, check_params
from statlearn._core.selection import weighty_folds
from statlearn._core.validation import check_weights, validate_data
from statlearn._math.linalg import covariance as core

from ._covariance import inverse, log_likelihood
from ._glasso import _EPS, SOLVERS, GraphicalLasso
from ._glasso_path import alpha_max, checked_alphas, follow_path
from ._penalised_likelihood import penalty_array, refuse_constant

_SMALLEST = 1e-4  # penalty of a refined grid, relative to the largest


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
    eps : float, default=machine precision
        Has no effect; kept so that calls written for scikit-learn work.
    assume_centered : bool, default=False
        Whether the mean is taken to be zero.
    penalize_diagonal : bool, default=False
        Whether to penalise the diagonal as well.
    solver : {"auto", "columns", "newton", "dual"}, default="auto"

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
        "alphas": [Int(0, 100), "array-like"],
        "n_refinements": [Int(1, 100)],
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
        sample_weight : array-like of shape (n_samples,) or None, default=None
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
        splitter = check_cv(self.cv, y, classifier=False)
        splits = weighty_folds(splitter.split(X, y, **_split_params(params)), weights)
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
        weight_pair = (None, None) if weights is None else (weights[train], weights[test])
        return tuple(
            core.empirical_covariance(X[rows], w, assume_centered=self.assume_centered)[1]
            for rows, w in zip((train, test), weight_pair)
        )

    def _scores(self, parts, alphas):
        """Held-out log-likelihoods (n_alphas, n_folds)."""

        def one(part):
            train, test = part
            refuse_constant(train, np.zeros_like(train), getattr(self, "feature_names_in_", None))
            path = follow_path(
                train,
                alphas,
                tol=self.tol,
                enet_tol=self.enet_tol,
                max_iter=self.max_iter,
                solver=self.solver,
                penalize_diagonal=self.penalize_diagonal,
                owner=self,
            )
            return [log_likelihood(test, solution.precision) for solution in path]

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
            alphas = checked_alphas(self.alphas)
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
    """Arguments for the splitter, without those that are None."""
    return {name: value for name, value in params.items() if value is not None}
