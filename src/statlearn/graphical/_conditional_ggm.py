"""Conditional Gaussian graphical models: sparse regression of several responses with a sparse noise precision."""

import numpy as np
from scipy.special import stdtr
from sklearn.base import BaseEstimator, MultiOutputMixin, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from statlearn._core.params import Int, Real, check_params
from statlearn._core.validation import check_weights, validate_data
from statlearn._core.warnings import MAX_ITER, warn_if_stopped
from statlearn._math.linalg import covariance as core

from ._glasso import solve_or_raise
from ._penalised_likelihood import penalty_array, refuse_constant
from ._undirected import dependence_graph, names_of


class ConditionalGGM(MultiOutputMixin, RegressorMixin, BaseEstimator):
    r"""Conditional Gaussian graphical model of several responses given covariates.

    .. math:: Y \mid x \sim N(\mu + M x, \Theta^{-1})

    Minimises over M (q x p), an unpenalised μ, and positive definite Θ, with R(M) the covariance of the residuals
    (divisor n),

    .. math:: -\log\det\Theta + \operatorname{tr}(R(M) \Theta) + \alpha_M \sum_{jk} s_k |M_{jk}|
        + \alpha_\Theta \sum_{j \ne k} |\Theta_{jk}|

    with s_k the standard deviation of covariate k. Alternates between M, a lasso weighted by Θ, and Θ, a graphical
    lasso of the residuals; each step lowers the objective. Stops when it falls by at most `tol`.

    Parameters
    ----------
    alpha : float, default=0.1
        Penalty of the precision matrix.
    alpha_coef : float, default=0.1
        Penalty of the coefficients, per standard deviation of a covariate.
    screen : float or None, default=None
        Fix the coefficient of a covariate for a response at zero if the p-value of their correlation exceeds this
        value, which saves time with many covariates. None keeps all.
    penalize_diagonal : bool, default=False
        Whether to penalise the diagonal of Θ as well. The objective is then bounded even if the covariates explain a
        response without error.
    tol : float, default=1e-6
        Decrease of the objective at which the iterations stop.
    max_iter : int, default=200
        Maximum number of alternations.

    Attributes
    ----------
    coef_ : ndarray of shape (n_targets, n_features)
        Coefficients M.
    intercept_ : ndarray of shape (n_targets,)
        Constants μ.
    precision_ : ndarray of shape (n_targets, n_targets)
        Precision Θ of the responses given the covariates.
    covariance_ : ndarray of shape (n_targets, n_targets)
        Its inverse.
    screened_ : ndarray of shape (n_targets, n_features)
        True for coefficients that were not fixed at zero.
    objective_path_ : ndarray of shape (n_iter_,)
        Objective after each alternation.
    n_iter_ : int
    n_edges_ : int
        Edges between responses.
    target_names_ : list
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)

    See Also
    --------
    GraphicalLasso : without covariates. Responses that share a covariate are joined there.

    Notes
    -----
    The objective is convex in M and in Θ, not in both; the result is a stationary point. Standardise the responses
    before using one alpha for all. Screening by p values of the same data makes later tests invalid.

    References
    ----------
    Rothman, A., Levina, E. and Zhu, J. (2010). Sparse multivariate regression with covariance estimation. Journal of
    Computational and Graphical Statistics 19, 947-962.

    Yin, J. and Li, H. (2011). A sparse conditional Gaussian graphical model for analysis of genetical genomics data.
    Annals of Applied Statistics 5, 2630-2650.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.graphical import ConditionalGGM
    >>> rng = np.random.RandomState(0)
    >>> X = rng.normal(size=(300, 2))
    >>> Y = np.column_stack([2 * X[:, 0], 2 * X[:, 0], -X[:, 1]]) + rng.normal(size=(300, 3))
    >>> model = ConditionalGGM(alpha=0.15, alpha_coef=0.2).fit(X, Y)
    >>> model.coef_.round(1) + 0.0
    array([[ 1.9,  0. ],
           [ 1.8,  0. ],
           [ 0. , -0.9]])
    >>> model.to_graph().edges()  # the first two share a covariate, but no edge
    []
    """

    _constraints = {
        "alpha": [Real(0, None)],
        "alpha_coef": [Real(0, None)],
        "penalize_diagonal": ["boolean"],
        "screen": [Real(0, 1, closed="right"), None],
        "tol": [Real(0, None, closed="neither")],
        "max_iter": [Int(1, None)],
    }

    def __init__(self, alpha=0.1, *, alpha_coef=0.1, screen=None, penalize_diagonal=False, tol=1e-6, max_iter=200):
        self.alpha = alpha
        self.alpha_coef = alpha_coef
        self.screen = screen
        self.penalize_diagonal = penalize_diagonal
        self.tol = tol
        self.max_iter = max_iter

    def fit(self, X, y, sample_weight=None):
        """Estimate coefficients and precision.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Covariates.
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            Responses.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            A weight of k counts a row k times.

        Returns
        -------
        self : ConditionalGGM
        """
        check_params(self)
        names = [str(c) for c in y.columns] if hasattr(y, "columns") else None
        X, y = validate_data(self, X, y, dtype=np.float64, multi_output=True, y_numeric=True, ensure_min_samples=3)
        self._flat = y.ndim == 1
        Y = np.asarray(y, dtype=np.float64).reshape(len(X), -1)
        weights = check_weights(sample_weight, X)
        p, q = X.shape[1], Y.shape[1]
        mean, S = core.empirical_covariance(np.hstack([X, Y]), weights)
        Sxx, Sxy, Syy = S[:p, :p], S[:p, p:], S[p:, p:]
        self.target_names_ = names_of(names, q) if names is not None else [f"y{k}" for k in range(q)]
        refuse_constant(Syy, np.zeros_like(Syy), self.target_names_)
        n = float(len(X)) if weights is None else float(weights.sum())
        allowed = self._screened(Sxx, Sxy, Syy, n)
        scale = np.sqrt(np.diag(Sxx))
        penalty = np.where(allowed & (scale > 0), self.alpha_coef * scale, np.inf)
        L = penalty_array(self.alpha, q, self.penalize_diagonal)
        M, K, W, path = np.zeros((q, p)), None, None, []
        for _ in range(self.max_iter):
            R = _residual_covariance(M, Sxx, Sxy, Syy)
            if (np.diag(R) + np.diag(L) <= 1e-12 * np.diag(Syy)).any():
                j = int(np.argmin(np.diag(R) / np.diag(Syy)))
                raise ValueError(
                    f"The covariates explain response {self.target_names_[j]!r} without error, so the likelihood is "
                    "unbounded. Use penalize_diagonal=True, or fewer covariates."
                )
            solution = solve_or_raise(R, L, tol=1e-2 * self.tol, max_iter=200, inner_tol=1e-8, start=K)
            K, W = solution.precision, solution.covariance
            _lasso_step(M, K, Sxx, Sxy, penalty)
            path.append(_objective(M, K, Sxx, Sxy, Syy, penalty, L))
            if len(path) > 1 and path[-2] - path[-1] <= self.tol:
                break
        else:
            warn_if_stopped(
                self, MAX_ITER, f"the objective still falls by {path[-2] - path[-1] if len(path) > 1 else np.inf:.1e}"
            )
        self.coef_, self.precision_, self.covariance_ = M, K, W
        self.intercept_ = mean[p:] - M @ mean[:p]
        self.screened_, self.objective_path_, self.n_iter_ = allowed, np.array(path), len(path)
        self.n_edges_ = int(np.count_nonzero(np.triu(K, 1)))
        return self

    def _screened(self, Sxx, Sxy, Syy, n):
        if self.screen is None:
            return np.ones((Syy.shape[0], Sxx.shape[0]), dtype=bool)
        with np.errstate(divide="ignore", invalid="ignore"):
            r = Sxy.T / np.sqrt(np.outer(np.diag(Syy), np.diag(Sxx)))
            r = np.clip(np.nan_to_num(r), -1.0, 1.0)
            t = np.abs(r) * np.sqrt((n - 2.0) / np.maximum(1.0 - r**2, 1e-300))
        return 2.0 * stdtr(n - 2.0, -t) <= self.screen

    def predict(self, X):
        """Conditional means of the responses.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_targets)
        """
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, dtype=np.float64)
        mean = X @ self.coef_.T + self.intercept_
        return mean[:, 0] if self._flat else mean

    def log_likelihood(self, X, y):
        """Mean conditional log-density per row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,) or (n_samples, n_targets)

        Returns
        -------
        float
        """
        from ._covariance import log_likelihood

        residual = np.asarray(y, dtype=np.float64).reshape(len(y), -1) - self.predict(X).reshape(len(y), -1)
        return log_likelihood(residual.T @ residual / len(residual), self.precision_)

    def to_graph(self):
        """Graph of the responses given the covariates.

        Returns
        -------
        UndirectedGraph
        """
        check_is_fitted(self)
        return dependence_graph(self.precision_, names=self.target_names_)

    def plot(self, *, ax=None, layout="auto"):
        """Draw the graph of the responses; see `UndirectedGraph.plot`."""
        return self.to_graph().plot(ax=ax, layout=layout)


def _residual_covariance(M, Sxx, Sxy, Syy):
    cross = M @ Sxy
    R = Syy - cross - cross.T + M @ Sxx @ M.T
    return (R + R.T) / 2.0


def _objective(M, K, Sxx, Sxy, Syy, penalty, L):
    R = _residual_covariance(M, Sxx, Sxy, Syy)
    used = M != 0
    return float(
        -np.linalg.slogdet(K)[1] + np.sum(R * K) + np.sum(penalty[used] * np.abs(M[used])) + np.sum(L * np.abs(K))
    )


def _lasso_step(M, K, Sxx, Sxy, penalty, max_passes=200, tol=1e-9):
    """Coordinate descent on tr(R(M) K) + sum penalty |M|, in place."""
    G = K @ (M @ Sxx - Sxy.T)  # half the gradient of the smooth part
    entries = np.argwhere(np.isfinite(penalty))
    if not len(entries):
        return
    size = np.outer(np.diag(K), np.diag(Sxx))
    active = entries
    for _ in range(max_passes):
        largest = 0.0
        for j, k in active:
            a = size[j, k]
            z = M[j, k] - G[j, k] / a
            t = penalty[j, k] / (2.0 * a)
            new = np.sign(z) * max(abs(z) - t, 0.0)
            move = new - M[j, k]
            if move != 0.0:
                M[j, k] = new
                G += move * np.outer(K[:, j], Sxx[k])
                largest = max(largest, move * move * a)
        if largest <= tol**1.5:
            if active is entries:
                return
            active = entries
        else:
            active = entries[M[entries[:, 0], entries[:, 1]] != 0] if active is entries else active
            if not len(active):
                active = entries
