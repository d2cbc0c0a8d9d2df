"""Stepwise selection of the graph of a Gaussian model."""

import numpy as np
from scipy.stats import chi2

from statlearn._core.params import Int, Options, Real, check_params
from statlearn._core.warnings import warn

from ._edge_bounds import SeparatorBounds, gain_bounds, least_gains, loss_bounds
from ._known_graph import GaussianGraphicalMLE, fit_known_graph


class StepwiseGGM(GaussianGraphicalMLE):
    r"""Stepwise selection of the edges of a Gaussian graphical model.

    Deletes or adds the edge that improves the criterion most, one at a time, and stops when none does.

    Parameters
    ----------
    criterion : {"bic", "aic", "lrt"}, default="bic"
        "aic" and "bic" charge 2 or log n per edge. "lrt" deletes the edge with the largest p value above `alpha`, or
        adds the one with the smallest below it, by likelihood ratio tests.
    direction : {"backward", "forward", "both"}, default="backward"
        Start from the complete graph and delete, from the empty one and add, or from the complete one with both moves.
    alpha : float, default=0.05
        Level of the tests with ``criterion="lrt"``.
    max_edges : int or None, default=None
        Maximum number of edges of a forward search, which stops there with a warning. None means n / log n neighbours
        per column on average; n rows contain too little information to test the edges of a denser graph.
    covariance : {"precomputed"} or None, default=None
        If "precomputed", `fit` takes a covariance matrix, and `n_rows` is required.
    n_rows : int or None, default=None
        Number of rows behind a given covariance.
    assume_centered : bool, default=False
        Whether the mean is taken to be zero.
    tol : float, default=1e-10
        Largest relative change of an entry at which the sweeps of the final fit stop.
    max_iter : int, default=1000
        Maximum number of sweeps per model.

    Attributes
    ----------
    steps_ : list of (str, int, int, float)
        The moves: "delete" or "add", the two columns, and the change of the criterion (the p value for "lrt").
    location_ : ndarray of shape (n_features,)
    covariance_ : ndarray of shape (n_features, n_features)
    precision_ : ndarray of shape (n_features, n_features)
    sample_covariance_ : ndarray of shape (n_features, n_features)
    n_rows_ : float
    n_edges_ : int
    n_iter_ : int
        Number of moves, including the last attempt.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)

    See Also
    --------
    GraphicalLassoIC : for many columns.

    Notes
    -----
    Each step fits only those models for which an upper bound of the likelihood exceeds that of the best model so far.
    For a new edge (i, j), the bound follows from the partial correlation of i and j given a set of nodes that separates
    them in the current graph; it is exact between two components. Usually few of the p^2 models remain, but each is an
    iterative fit, so the method is meant for tens of columns. Tests after the selection are too optimistic.

    References
    ----------
    Edwards, D. (2000). Introduction to Graphical Modelling, 2nd ed., chapter 6. Springer.

    Fan, J. and Lv, J. (2008). Sure independence screening for ultrahigh dimensional feature space. Journal of the Royal
    Statistical Society B 70, 849-911. (n / log n variables of a regression)

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.graphical import StepwiseGGM
    >>> K = np.array([[2.0, -1.0, 0.0], [-1.0, 2.0, -1.0], [0.0, -1.0, 2.0]])
    >>> X = np.random.RandomState(0).multivariate_normal(np.zeros(3), np.linalg.inv(K), size=500)
    >>> StepwiseGGM().fit(X).to_graph().edges()
    [('x0', 'x1'), ('x1', 'x2')]
    """

    _constraints = {
        "criterion": [Options("aic", "bic", "lrt")],
        "direction": [Options("backward", "forward", "both")],
        "alpha": [Real(0, 1, closed="neither")],
        "max_edges": [Int(1, None), None],
        "n_rows": [Int(2, None), None],
        **{
            name: GaussianGraphicalMLE._constraints[name]
            for name in ("covariance", "assume_centered", "tol", "max_iter")
        },
    }

    def __init__(
        self,
        criterion="bic",
        *,
        direction="backward",
        alpha=0.05,
        max_edges=None,
        covariance=None,
        n_rows=None,
        assume_centered=False,
        tol=1e-10,
        max_iter=1000,
    ):
        self.criterion = criterion
        self.direction = direction
        self.alpha = alpha
        self.max_edges = max_edges
        self.covariance = covariance
        self.n_rows = n_rows
        self.assume_centered = assume_centered
        self.tol = tol
        self.max_iter = max_iter

    def fit(self, X, y=None, sample_weight=None):
        """Select the edges and fit.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), or covariance of shape (n_features, n_features)
        y : ignored
        sample_weight : array-like of shape (n_samples,) or None, default=None
            A weight of k counts a row k times.

        Returns
        -------
        self : StepwiseGGM
        """
        check_params(self)
        S = self._sample_covariance(X, sample_weight)
        if self.covariance == "precomputed":
            if self.n_rows is None:
                raise ValueError("`n_rows` is required with covariance='precomputed'.")
            self.n_rows_ = float(self.n_rows)
        p, n = len(S), self.n_rows_
        A = np.full((p, p), self.direction != "forward")
        np.fill_diagonal(A, False)
        model = self._fit_graph(S, A)
        self.steps_ = []
        hopeless = np.zeros_like(A)  # edges without an estimate, even with more edges
        for _ in range(self._most_moves(p, n)):
            move = self._best_move(S, A, model, n, hopeless)
            if move is None:
                break
            kind, i, j, change, model = move
            A[i, j] = A[j, i] = kind == "add"
            hopeless &= kind == "add"
            self.steps_.append((kind, int(i), int(j), float(change)))
        else:
            self._report_limit(p)
        self._keep(*fit_known_graph(S, A, tol=self.tol, max_iter=self.max_iter, owner=self, start=model[0]))
        self.n_iter_ = len(self.steps_) + 1
        return self

    def _most_moves(self, p, n):
        """Limit on the number of moves."""
        if self.direction != "forward":
            return p * (p - 1)
        rows = max(n, 3.0)
        edges = int(p * rows / np.log(rows) / 2.0) if self.max_edges is None else self.max_edges
        return min(max(edges, 1), p * (p - 1) // 2)

    def _report_limit(self, p):
        if self.direction == "forward" and len(self.steps_) < p * (p - 1) // 2:
            origin = "the default of `max_edges`" if self.max_edges is None else "`max_edges`"
            warn(
                f"StepwiseGGM stopped at {len(self.steps_)} edges, {origin}, so further edges may satisfy "
                f"criterion={self.criterion!r}. Raise `max_edges` to continue, or use GraphicalLassoIC for few rows."
            )

    def _fit_graph(self, S, A, needed=-np.inf, start=None):
        """Covariance, precision and the log determinant of the latter of the fit on a graph; None below `needed`."""
        fit = fit_known_graph(S, A, tol=1e-8, max_iter=self.max_iter, owner=self, needed=needed, start=start)
        return None if fit is None else (*fit[:2], float(np.linalg.slogdet(fit[1])[1]))

    def _best_move(self, S, A, model, n, hopeless):
        """The most useful move as (kind, i, j, change, fit), or None.

        Models are fitted in the order of what bounds of the likelihood promise, and no more of them once none promises
        more than the best one found. The addition that is certain to gain most comes first, so that the bounds of the
        others need not be as sharp as they can be.
        """
        step = _EdgeStep(self, S, A, model, n, hopeless)
        least = np.where(A | hopeless, -1.0, least_gains(S, model[0]))
        if self.direction != "backward" and least.max() > 0.0:
            step.attempt("add", *np.unravel_index(np.argmax(least), A.shape))
        for promise, kind, i, j in step.promising():
            if step.best is not None and promise < step.best[0]:
                break
            step.attempt(kind, i, j)
        return None if step.best is None else step.best[1:]

    def _charge(self, n):
        """Likelihood ratio statistic above which an edge is worth its parameter."""
        return chi2.isf(self.alpha, 1) if self.criterion == "lrt" else {"aic": 2.0, "bic": np.log(n)}[self.criterion]

    def _judge(self, adds, statistic, n):
        """Whether moves with such likelihood ratio statistics are useful, their rank, its ties, and the change."""
        sign = np.where(adds, 1.0, -1.0)
        if self.criterion == "lrt":
            p_value = chi2.sf(statistic, 1)
            return sign * p_value < sign * self.alpha, np.where(adds, 1.0 - p_value, p_value), sign * statistic, p_value
        change = sign * (self._charge(n) - statistic)
        return change < 0.0, -change, np.zeros_like(change), change


class _EdgeStep:
    """One step of the search: the moves from a graph, and the best one so far as (rank, kind, i, j, change, fit)."""

    def __init__(self, search, S, A, model, n, hopeless):
        self.search, self.S, self.A, self.model, self.n, self.hopeless = search, S, A, model, n, hopeless
        self.separators = SeparatorBounds(S, A, model[0])
        self.best = None
        # Log determinants of K that the next move of each kind has to reach
        worth = search._charge(n) / n
        self.needed = {"add": model[2] + worth, "delete": model[2] - worth}

    def promising(self):
        """Moves that may be useful, as (rank, kind, i, j), the best rank first."""
        S, A, (W, K, log_det) = self.S, self.A, self.model
        bounds = loss_bounds(K)
        if self.search.direction != "backward":
            gains = gain_bounds(S, A | self.hopeless, W, K, self.separators, self.needed["add"] - log_det)
            bounds = np.where(A, bounds, gains)
        useful, rank, tie, _ = self.search._judge(~A, self.n * bounds, self.n)
        useful &= {"backward": A, "forward": ~A, "both": True}[self.search.direction]
        I, J = np.nonzero(np.triu(useful & ~self.hopeless, 1))
        order = np.lexsort((-tie[I, J], -rank[I, J]))
        kinds = np.where(A, "delete", "add")
        return [([rank[i, j], tie[i, j]], str(kinds[i, j]), i, j) for i, j in zip(I[order], J[order])]

    def attempt(self, kind, i, j):
        """Fit the model after a move, and keep it if it is the best."""
        adds, (W, _, log_det) = kind == "add", self.model
        B = self.A.copy()
        B[i, j] = B[j, i] = adds
        start = self.separators.joined(i, j) if adds else W
        try:
            new = self.search._fit_graph(self.S, B, self.needed[kind] - 1e-6, start)
        except ValueError:  # no estimate with this edge
            self.hopeless[i, j] = self.hopeless[j, i] = True
            return
        if new is None:
            return
        self.needed[kind] = max(self.needed[kind], new[2])
        useful, *rank, change = self.search._judge(adds, self.n * abs(new[2] - log_det), self.n)
        if useful and (self.best is None or rank > self.best[0]):
            self.best = (rank, kind, i, j, change, new)
