"""Ising models: binary variables with pairwise interactions."""

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit, logsumexp
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from statlearn._core.fitted_state import forget
from statlearn._core.names import input_names
from statlearn._core.native import graphical as native
from statlearn._core.params import Instance, Int, Options, Real, check_params
from statlearn._core.validation import check_weights, validate_data
from statlearn._core.warnings import MAX_ITER, warn_if_stopped
from statlearn._math.solvers.step import backtrack, rounding

from ._ising_l1 import fit_exact_l1
from ._undirected import UndirectedGraph, as_graph

MOST_UNITS = 20  # variables of an exact enumeration
MOST_JOINT = 15  # of one with second moments in every step


def all_states(p):
    """All 2^p binary rows, as floats."""
    codes, digits = np.arange(2**p)[:, None], np.arange(p)[::-1]
    return ((codes >> digits) % 2).astype(np.float64)


def refuse_many(p, what):
    """Raise an error if 2^p states are too many to enumerate."""
    if p > MOST_UNITS:
        raise ValueError(f"{what} enumerates 2^p states, up to p = {MOST_UNITS}; there are {p} variables.")


def check_binary(estimator, X, **options):
    """Rows of zeros and ones as floats, with an error that names the first other column."""
    X = validate_data(estimator, X, dtype=np.float64, **options)
    if estimator.binarize is not None:
        return np.greater(X, estimator.binarize).astype(np.float64)
    bad = (X != 0.0) & (X != 1.0)
    if bad.any():
        j = int(np.flatnonzero(bad.any(axis=0))[0])
        name = getattr(estimator, "feature_names_in_", np.arange(X.shape[1]))[j]
        raise ValueError(
            f"X must contain only 0 and 1, but column {name!r} contains {X[bad[:, j], j][0]:g}; set `binarize`."
        )
    return X


def _energies(states, J, b):
    return states @ b + 0.5 * np.einsum("ij,ij->i", states @ J, states)


class IsingModel(BaseEstimator):
    r"""Ising model of binary variables.

    .. math:: p(x) = \exp\Big(\sum_j \theta_{0j} x_j + \sum_{j<k} \theta_{jk} x_j x_k - \Phi(\theta)\Big),
        \quad x_j \in \{0, 1\}

    The constant node 0 carries the biases. Given the others, each variable follows a logistic regression with the
    coefficients θ.

    Parameters
    ----------
    method : {"auto", "exact", "ipf", "pseudo"}, default="auto"
        "exact" maximises the likelihood by enumeration with Newton's method, "ipf" by iterative proportional fitting of
        the tables of nodes and edges (both up to 20 variables); "pseudo" maximises the sum of the conditional
        log-likelihoods. "auto" is "exact" up to 15 variables and "pseudo" beyond.
    structure : {"given", "l1", "exact_l1"}, default="given"
        "given" uses `graph`. "l1" selects the neighbours of each variable by L1-penalised logistic regression and then
        fits on the graph found. "exact_l1" maximises the exact mean log-likelihood minus ``alpha sum abs(theta_jk)``
        over the pairs of `graph`, jointly [3]_, for up to 15 variables; `method` and `rule` are not used.
    graph : UndirectedGraph, list of pairs, matrix or None, default=None
        Edges, by column names or numbers; None means all pairs.
    alpha : float or None, default=None
        Penalty of the logistic regressions with ``structure="l1"``, or of the interactions with "exact_l1" (where it
        may be 0), in units of the mean log-likelihood. None uses ``sqrt(log(p) / n)``.
    rule : {"and", "or"}, default="and"
        Whether an edge needs to be selected from both sides or from one.
    l2 : float, default=0.0
        Ridge penalty ``l2 / 2 sum theta_jk^2`` on the interactions, per row. A small value keeps the estimates finite
        if a variable is determined by others.
    binarize : float or None, default=None
        Values greater than this become 1, others 0. None requires zeros and ones.
    tol : float, default=1e-8
        Largest difference between the moments of data and model (gradient per row) at which the iterations stop.
    max_iter : int, default=1000
        Maximum number of iterations, or of cycles over the edges.

    Attributes
    ----------
    interactions_ : ndarray of shape (n_features, n_features)
        Symmetric matrix of the θ_jk with a zero diagonal.
    bias_ : ndarray of shape (n_features,)
        The θ_0j.
    log_partition_ : float
        Φ(θ), or NaN with more than 20 variables.
    n_edges_ : int
    n_iter_ : int
    kkt_residual_ : float
        Largest violation of the optimality conditions: by how much moments of data and model differ from `alpha` times
        the sign of an interaction, or by more than `alpha` where it is 0. Only with ``structure="exact_l1"``.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)

    See Also
    --------
    BoltzmannMachine : with hidden variables.
    GraphicalLasso : for Gaussian variables.

    Notes
    -----
    Exact quantities cost 2^p. Likelihood maxima do not exist if some pair of states never occurs; use `l2` then.

    The three ways to sparse edges differ in what they approximate: "exact_l1" has the likelihood itself and shrinks the
    interactions that it keeps; "l1" needs p logistic regressions, whose two answers for an edge may differ, and refits
    without a penalty; ``method="pseudo"`` has no zeros, but its large interactions are those of the others and it
    serves any number of variables. With many rows they agree.

    References
    ----------
    .. [3] Hoefling, H. and Tibshirani, R. (2009). Estimation of sparse binary pairwise Markov networks using
       pseudo-likelihoods. Journal of Machine Learning Research 10, 883-906.

    Ravikumar, P., Wainwright, M. and Lafferty, J. (2010). High-dimensional Ising model selection using L1-regularized
    logistic regression. Annals of Statistics 38, 1287-1319.

    Hastie, T., Tibshirani, R. and Friedman, J. (2009). The Elements of Statistical Learning, section 17.4. Springer.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.graphical import IsingModel
    >>> rng = np.random.RandomState(0)
    >>> a = rng.randint(0, 2, 500)
    >>> b = np.where(rng.rand(500) < 0.8, a, 1 - a)
    >>> model = IsingModel().fit(np.column_stack([a, b]))
    >>> model.interactions_.round(2)
    array([[0.  , 2.72],
           [2.72, 0.  ]])
    """

    _constraints = {
        "method": [Options("auto", "exact", "ipf", "pseudo")],
        "structure": [Options("given", "l1", "exact_l1")],
        "graph": [Instance(UndirectedGraph), "array-like", None],
        "alpha": [Real(0, None), None],
        "rule": [Options("and", "or")],
        "l2": [Real(0, None)],
        "binarize": [Real(None, None, closed="neither"), None],
        "tol": [Real(0, None, closed="neither")],
        "max_iter": [Int(1, None)],
    }

    def __init__(
        self,
        method="auto",
        *,
        structure="given",
        graph=None,
        alpha=None,
        rule="and",
        l2=0.0,
        binarize=None,
        tol=1e-8,
        max_iter=1000,
    ):
        self.method = method
        self.structure = structure
        self.graph = graph
        self.alpha = alpha
        self.rule = rule
        self.l2 = l2
        self.binarize = binarize
        self.tol = tol
        self.max_iter = max_iter

    def fit(self, X, y=None, sample_weight=None):
        """Estimate the interactions.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Zeros and ones.
        y : ignored
        sample_weight : array-like of shape (n_samples,) or None, default=None
            A weight of k counts a row k times.

        Returns
        -------
        self : IsingModel
        """
        check_params(self)
        X = check_binary(self, X)
        weights = check_weights(sample_weight, X)
        w = np.ones(len(X)) if weights is None else weights
        p = X.shape[1]
        method = self.method
        if method == "auto":
            method = "exact" if p <= 15 else "pseudo"
        if self.alpha == 0 and self.structure == "l1":
            raise ValueError("`alpha` must be positive with structure='l1', got 0.")
        forget(self, "kkt_residual_")
        if self.structure == "exact_l1":
            return self._fit_exact_l1(X[w > 0], w[w > 0])
        if method in ("exact", "ipf"):
            refuse_many(p, f"method={method!r}")
        if self.structure == "l1":
            A = self._select(X, w)
        else:
            A = self._candidates(p)
        keep = w > 0
        J, b, self.n_iter_, worst = {"exact": _fit_exact, "ipf": _fit_ipf, "pseudo": _fit_pseudo}[method](
            X[keep], w[keep], A, self.l2, self.tol, self.max_iter
        )
        if self.l2 == 0.0 and _never_seen(X[keep], A):
            worst = np.inf
        if worst > max(100 * self.tol, 1e-7):
            warn_if_stopped(
                self,
                MAX_ITER,
                "a state never occurs" if np.isinf(worst) else f"moments of data and model differ by {worst:.1e}",
                remedy="If some pair of states never occurs, estimates are infinite: use l2=0.01. Otherwise increase "
                "max_iter.",
            )
        self._keep(J, b)
        return self

    def _candidates(self, p):
        """The pairs that may interact."""
        if self.graph is None:
            return ~np.eye(p, dtype=bool)
        return as_graph(self.graph, input_names(self)).adjacency()

    def _fit_exact_l1(self, X, w):
        """The joint L1 estimate."""
        p = X.shape[1]
        if p > MOST_JOINT:
            raise ValueError(
                f"structure='exact_l1' needs the moments of 2^p states in every step, up to p = {MOST_JOINT}; there "
                f"are {p} variables. Use structure='l1'."
            )
        A = self._candidates(p)
        pairs = np.nonzero(np.triu(A, 1))
        alpha = np.sqrt(np.log(max(p, 2)) / w.sum()) if self.alpha is None else float(self.alpha)
        states = all_states(p)
        features = np.column_stack([states, states[:, pairs[0]] * states[:, pairs[1]]])
        target = _moments(X, w, pairs)
        on_edges = np.concatenate([np.zeros(p), np.ones(len(pairs[0]))])
        start = np.zeros(len(target))
        mean = np.clip(target[:p], 1e-3, 1 - 1e-3)
        start[:p] = np.log(mean / (1 - mean))
        theta, self.n_iter_, self.kkt_residual_ = fit_exact_l1(
            features, target, start, alpha * on_edges, self.l2 * on_edges, self.tol, self.max_iter
        )
        constant = bool((target[:p] == 0).any() or (target[:p] == 1).any())
        if (
            constant
            or self.kkt_residual_ > max(100 * self.tol, 1e-7)
            or (alpha == 0 and self.l2 == 0 and _never_seen(X, A))
        ):
            warn_if_stopped(
                self,
                MAX_ITER,
                "a state never occurs"
                if constant
                else f"the optimality conditions are off by {self.kkt_residual_:.1e}",
                remedy="If a variable is constant or alpha=0 and some pair of states never occurs, estimates are "
                "infinite. Otherwise increase max_iter.",
            )
        self._keep(*_unpack(theta, p, pairs))
        return self

    def _keep(self, J, b):
        self.interactions_, self.bias_ = J, b
        self.n_edges_ = int(np.count_nonzero(np.triu(J, 1)))
        p = len(b)
        self.log_partition_ = float(logsumexp(_energies(all_states(p), J, b))) if p <= MOST_UNITS else np.nan

    @classmethod
    def from_parameters(cls, interactions, bias):
        """Model with given parameters.

        Parameters
        ----------
        interactions : array-like of shape (n, n)
            Symmetric with a zero diagonal.
        bias : array-like of shape (n,)

        Returns
        -------
        IsingModel
        """
        J, b = np.array(interactions, dtype=np.float64), np.array(bias, dtype=np.float64)
        if J.shape != (len(b), len(b)) or not np.allclose(J, J.T) or np.diag(J).any():
            raise ValueError(
                "`interactions` must be symmetric with a zero diagonal and as many rows as `bias` has entries."
            )
        model = cls()
        model.n_features_in_, model.n_iter_ = len(b), 0
        model._keep((J + J.T) / 2.0, b)
        return model

    def _select(self, X, w):
        """Neighbours by L1-penalised logistic regressions."""
        from statlearn.linear import LogisticRegression

        n, p = w.sum(), X.shape[1]
        alpha = np.sqrt(np.log(max(p, 2)) / n) if self.alpha is None else self.alpha
        chosen = np.zeros((p, p), dtype=bool)
        for j in range(p):
            others = np.delete(np.arange(p), j)
            y = X[:, j]
            if len(np.unique(y[w > 0])) < 2:
                continue
            model = LogisticRegression(C=1.0 / (alpha * n), l1_ratio=1.0, solver="saga", tol=1e-6, max_iter=1000)
            model.fit(X[:, others], y, sample_weight=w)
            chosen[j, others] = model.coef_[0] != 0
        return chosen & chosen.T if self.rule == "and" else chosen | chosen.T

    def conditional(self, X):
        """Probabilities of x_j = 1 given the other variables of the row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_features)
        """
        check_is_fitted(self)
        X = check_binary(self, X, reset=False)
        return expit(self.bias_ + X @ self.interactions_)

    def probabilities(self):
        """Probabilities of all 2^p states, in binary order with the first variable as the leading digit.

        Returns
        -------
        ndarray of shape (2 ** n_features,)
        """
        check_is_fitted(self)
        refuse_many(len(self.bias_), "probabilities")
        return np.exp(_energies(all_states(len(self.bias_)), self.interactions_, self.bias_) - self.log_partition_)

    def score_samples(self, X):
        """Log-probability of each row; needs at most 20 variables."""
        check_is_fitted(self)
        X = check_binary(self, X, reset=False)
        refuse_many(X.shape[1], "score_samples")
        return _energies(X, self.interactions_, self.bias_) - self.log_partition_

    def score(self, X, y=None, sample_weight=None):
        """Mean log-probability per row; beyond 20 variables, mean pseudo-log-likelihood."""
        check_is_fitted(self)
        X = check_binary(self, X, reset=False)
        if X.shape[1] <= MOST_UNITS:
            values = _energies(X, self.interactions_, self.bias_) - self.log_partition_
        else:
            values = -np.logaddexp(0.0, (1.0 - 2.0 * X) * (self.bias_ + X @ self.interactions_)).sum(axis=1)
        return float(np.average(values, weights=sample_weight))

    def sample(self, n_samples=1, *, burn_in=200, random_state=None):
        """Random rows: exact up to 15 variables, else one Gibbs chain per row.

        Parameters
        ----------
        n_samples : int, default=1
        burn_in : int, default=200
            Sweeps of each chain.
        random_state : int, RandomState or None, default=None

        Returns
        -------
        ndarray of shape (n_samples, n_features)
        """
        check_is_fitted(self)
        rng = check_random_state(random_state)
        p = len(self.bias_)
        if p <= 15:
            return all_states(p)[rng.choice(2**p, size=n_samples, p=self.probabilities())]
        states = rng.randint(0, 2, size=(n_samples, p)).astype(np.uint8)
        native.gibbs_sweeps(
            self.interactions_,
            self.bias_,
            np.ones(p, dtype=np.uint8),
            int(burn_in),
            int(rng.randint(2**31)),
            states,
            np.empty((0, p)),
        )
        return states.astype(np.float64)

    def to_graph(self):
        """Graph of the non-zero interactions, weighted by them."""
        check_is_fitted(self)
        names = input_names(self)
        i, j = np.nonzero(np.triu(self.interactions_, 1))
        edges = [(names[a], names[b]) for a, b in zip(i, j)]
        return UndirectedGraph(names, edges, {e: self.interactions_[a, b] for e, a, b in zip(edges, i, j)})

    def plot(self, *, ax=None, layout="auto"):
        """Draw the graph; see `UndirectedGraph.plot`."""
        return self.to_graph().plot(ax=ax, layout=layout)


def _never_seen(X, A):
    """Whether a state of a node or of an edge does not occur, so that estimates are infinite."""
    both = X.T @ X
    one = X.sum(axis=0)
    cells = np.stack([both, one[:, None] - both, one[None] - both, len(X) - one[:, None] - one[None] + both])
    return bool((one == 0).any() or (one == len(X)).any() or (cells[:, A] == 0).any())


def _moments(X, w, pairs):
    total = w.sum()
    mean = w @ X / total
    second = (X * w[:, None]).T @ X / total
    return np.concatenate([mean, second[pairs]])


def _unpack(theta, p, pairs):
    b, J = theta[:p].copy(), np.zeros((p, p))
    J[pairs] = theta[p:]
    return J + J.T, b


def _fit_exact(X, w, A, l2, tol, max_iter):
    """Newton's method on the exact log-likelihood; the gradient is data minus model moments."""
    p = X.shape[1]
    pairs = np.nonzero(np.triu(A, 1))
    states = all_states(p)
    features = np.column_stack([states, states[:, pairs[0]] * states[:, pairs[1]]])
    target = _moments(X, w, pairs)
    ridge = np.concatenate([np.zeros(p), np.full(len(pairs[0]), l2)])
    theta = np.zeros(features.shape[1])
    mean = np.clip(target[:p], 1e-3, 1 - 1e-3)
    theta[:p] = np.log(mean / (1 - mean))

    def loss_and_law(theta):
        logs = features @ theta
        log_z = logsumexp(logs)
        return log_z - target @ theta + 0.5 * ridge @ theta**2, np.exp(logs - log_z)

    loss, law = loss_and_law(theta)
    worst, n_iter = np.inf, 0
    while n_iter < max_iter:
        n_iter += 1
        moments = law @ features
        gradient = target - moments - ridge * theta
        worst = float(np.abs(gradient).max())
        if worst <= tol:
            break
        hessian = (features * law[:, None]).T @ features - np.outer(moments, moments)
        hessian[np.diag_indices_from(hessian)] += ridge + 1e-10
        direction = np.linalg.solve(hessian, gradient)
        direction *= min(1.0, 20.0 / max(np.abs(direction).max(), 1e-300))
        step = backtrack(
            lambda t: loss_and_law(theta + t * direction),
            loss,
            -gradient @ direction,
            slack=rounding(loss),
        )
        if step is None:
            break
        theta, loss, law = theta + step.length * direction, step.value, step.state
        if np.abs(theta).max() > 50.0:  # the maximum is at infinity
            break
    return *_unpack(theta, p, pairs), n_iter, worst


def _fit_ipf(X, w, A, l2, tol, max_iter):
    """Iterative proportional fitting of the tables of edges and single nodes."""
    if l2 > 0.0:
        raise ValueError("method='ipf' does not support `l2`; use method='exact'.")
    p = X.shape[1]
    pairs = np.argwhere(np.triu(A, 1))
    alone = [(j,) for j in range(p) if not A[j].any()]
    table = np.full((2,) * p, 0.5**p)
    margins = [(tuple(axes), _margin(X, w, axes)) for axes in [*map(tuple, pairs), *alone]]
    worst, n_iter = 0.0, 0
    while n_iter < max_iter:
        n_iter += 1
        worst = 0.0
        for axes, target in margins:
            rest = tuple(k for k in range(p) if k not in axes)
            current = table.sum(axis=rest)
            worst = max(worst, float(np.abs(current - target).max()))
            ratio = np.where(current > 0, target / np.where(current > 0, current, 1.0), 0.0)
            table = table * ratio.reshape([2 if k in axes else 1 for k in range(p)])
        if worst <= tol:
            break
    # Log-linear terms about the state of all zeros.
    base = (0,) * p
    with np.errstate(divide="ignore"):
        logs = np.log(table)
    if not np.isfinite(logs).all():
        logs = np.maximum(logs, -700.0)
        worst = np.inf
    J, b = np.zeros((p, p)), np.zeros(p)

    def at(*ones):
        return logs[tuple(1 if k in ones else 0 for k in range(p))]

    for j in range(p):
        b[j] = at(j) - logs[base]
    for i, j in pairs:
        J[i, j] = J[j, i] = at(i, j) - at(i) - at(j) + logs[base]
    return J, b, n_iter, worst


def _margin(X, w, axes):
    table = np.zeros((2,) * len(axes))
    np.add.at(table, tuple(X[:, k].astype(int) for k in axes), w)
    return table / w.sum()


def _fit_pseudo(X, w, A, l2, tol, max_iter):
    """Maximum of the mean over rows of the sum of the conditional log-likelihoods."""
    p = X.shape[1]
    pairs = np.nonzero(np.triu(A, 1))
    total = w.sum()
    v = w / total

    def objective(theta):
        J, b = _unpack(theta, p, pairs)
        eta = b + X @ J
        value = -v @ np.logaddexp(0.0, (1.0 - 2.0 * X) * eta).sum(axis=1) - 0.5 * l2 * np.sum(theta[p:] ** 2)
        R = v[:, None] * (X - expit(eta))
        G = R.T @ X
        gradient = np.concatenate([R.sum(axis=0), (G + G.T)[pairs] - l2 * theta[p:]])
        return -value, -gradient

    result = minimize(
        objective,
        np.zeros(p + len(pairs[0])),
        jac=True,
        method="L-BFGS-B",
        options={"maxiter": max_iter, "gtol": tol, "ftol": 0.0, "maxcor": 30},
    )
    return *_unpack(result.x, p, pairs), int(result.nit), float(np.abs(result.jac).max()) / 10.0
