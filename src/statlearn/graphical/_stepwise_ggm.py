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
    Each step fits one model per candidate edge, so some p^2 of them: meant for tens of columns. Tests after the
    selection are too optimistic.

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
        sample_weight : array-like of shape (n_samples,) or None
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
        value = self._log_det(S, A)
        self.steps_ = []
        for _ in range(p * (p - 1)):
            move = self._best_move(S, A, value, n)
            if move is None:
                break
            kind, i, j, change, value = move
            A[i, j] = A[j, i] = kind == "add"
            self.steps_.append((kind, int(i), int(j), float(change)))
        self._keep(*fit_known_graph(S, A, tol=self.tol, max_iter=self.max_iter, owner=self))
        self.n_iter_ = len(self.steps_) + 1
        return self

    def _log_det(self, S, A):
        return float(np.linalg.slogdet(fit_known_graph(S, A, tol=1e-8, max_iter=self.max_iter, owner=self)[1])[1])

    def _best_move(self, S, A, value, n):
        """The most useful move as (kind, i, j, change, log det), or None."""
        charge = {"aic": 2.0, "bic": np.log(n), "lrt": 0.0}[self.criterion]
        best = None
        for i, j in zip(*np.triu_indices(len(S), 1)):
            kind = "delete" if A[i, j] else "add"
            if self.direction == ("backward" if kind == "add" else "forward"):
                continue
            B = A.copy()
            B[i, j] = B[j, i] = kind == "add"
            try:
                new = self._log_det(S, B)
            except ValueError:  # no estimate with this edge
                continue
            statistic = max(0.0, n * abs(new - value))
            if self.criterion == "lrt":
                p_value = float(chi2.sf(statistic, 1))
                useful = p_value > self.alpha if kind == "delete" else p_value < self.alpha
                gain, change = (p_value if kind == "delete" else 1.0 - p_value), p_value
                rank = (gain, -statistic if kind == "delete" else statistic)
            else:
                change = statistic - charge if kind == "delete" else charge - statistic
                useful, rank = change < 0.0, (-change, 0.0)
            if useful and (best is None or rank > best[0]):
                best = (rank, kind, i, j, change, new)
        return None if best is None else best[1:]
