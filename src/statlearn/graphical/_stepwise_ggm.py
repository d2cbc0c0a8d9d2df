"""Stepwise selection of the graph of a Gaussian model."""

import numpy as np
from scipy.stats import chi2

from statlearn._core.params import Int, Options, Real, check_params

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
    A step fits the models of those edges only for which a bound of the likelihood, from the current fit, promises more
    than the best model found. Still, there may be p^2 of them: meant for tens of columns. Tests after the selection are
    too optimistic.

    References
    ----------
    Edwards, D. (2000). Introduction to Graphical Modelling, 2nd ed., chapter 6. Springer.

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
        covariance=None,
        n_rows=None,
        assume_centered=False,
        tol=1e-10,
        max_iter=1000,
    ):
        self.criterion = criterion
        self.direction = direction
        self.alpha = alpha
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
        for _ in range(p * (p - 1)):
            move = self._best_move(S, A, model, n)
            if move is None:
                break
            kind, i, j, change, model = move
            A[i, j] = A[j, i] = kind == "add"
            self.steps_.append((kind, int(i), int(j), float(change)))
        self._keep(*fit_known_graph(S, A, tol=self.tol, max_iter=self.max_iter, owner=self))
        self.n_iter_ = len(self.steps_) + 1
        return self

    def _fit_graph(self, S, A):
        """Covariance and precision of the fit on a graph, and the log determinant of the latter."""
        W, K, _ = fit_known_graph(S, A, tol=1e-8, max_iter=self.max_iter, owner=self)
        return W, K, float(np.linalg.slogdet(K)[1])

    def _best_move(self, S, A, model, n):
        """The most useful move as (kind, i, j, change, fit), or None.

        Models are fitted in the order of what `_bounds` promises, and no more of them once none promises more than
        the best one found.
        """
        bounds = n * _bounds(S, A, model)
        moves = []
        for i, j in zip(*np.triu_indices(len(S), 1)):
            kind = "delete" if A[i, j] else "add"
            if self.direction != ("backward" if kind == "add" else "forward"):
                useful, rank, _ = self._judge(kind, bounds[i, j], n)
                if useful:
                    moves.append((rank, kind, i, j))
        best = None
        for promise, kind, i, j in sorted(moves, key=lambda move: move[0], reverse=True):
            if best is not None and promise < best[0]:
                break
            B = A.copy()
            B[i, j] = B[j, i] = kind == "add"
            try:
                new = self._fit_graph(S, B)
            except ValueError:  # no estimate with this edge
                continue
            useful, rank, change = self._judge(kind, n * abs(new[2] - model[2]), n)
            if useful and (best is None or rank > best[0]):
                best = (rank, kind, i, j, change, new)
        return None if best is None else best[1:]

    def _judge(self, kind, statistic, n):
        """Whether a move of this likelihood ratio statistic is useful, its rank among the moves, and the change."""
        if self.criterion == "lrt":
            p_value = float(chi2.sf(statistic, 1))
            if kind == "delete":
                return p_value > self.alpha, (p_value, -statistic), p_value
            return p_value < self.alpha, (1.0 - p_value, statistic), p_value
        charge = {"aic": 2.0, "bic": np.log(n)}[self.criterion]
        change = statistic - charge if kind == "delete" else charge - statistic
        return change < 0.0, (-change, 0.0), change


def _bounds(S, A, model):
    """Bounds of the change of the log determinant by each move: least loss of a deletion, largest gain of an edge.

    The fit has the largest determinant among the covariances that agree with S on the diagonal and the edges. Without
    the edge (i, j), the current fit with another entry (i, j) is one of those, and with the edge, it is the current fit
    with the entry S_ij; the determinant after a change of one entry is a formula in the precision K.
    """
    W, K, _ = model
    variances = np.outer(np.diag(K), np.diag(K))
    with np.errstate(divide="ignore"):
        loss = -np.log1p(-np.minimum(K**2 / variances, 1.0))
        gain = -np.log1p(-np.minimum((S - W) ** 2 * variances, 1.0))
    return np.where(A, loss, gain)
