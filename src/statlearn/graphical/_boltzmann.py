"""General Boltzmann machines with visible and hidden units."""

import numpy as np
from scipy.special import expit, logsumexp
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from statlearn._core.fitted_state import forget
from statlearn._core.native import graphical as native
from statlearn._core.params import Int, Options, Real, check_params
from statlearn._core.validation import check_weights
from statlearn._math.solvers.step import backtrack

from ._ising import _energies, all_states, check_binary, refuse_many

_EXACT_UNITS = 14  # units up to which gradients are exact by default


class BoltzmannMachine(BaseEstimator):
    r"""Boltzmann machine with visible and hidden binary units.

    .. math:: p(v, h) \propto \exp\left(b^\top x + \tfrac12 x^\top J x\right), \quad x = (v, h) \in \{0, 1\}^{p+q}

    with a symmetric J of zero diagonal that joins all units. Gradient ascent on the mean log-likelihood of the visible
    units: the gradient is the difference of the second moments with the visible units clamped and free.

    Parameters
    ----------
    n_hidden : int, default=2
        Number of hidden units; 0 gives an Ising model.
    method : {"auto", "exact", "gibbs"}, default="auto"
        How moments are computed: by enumeration (up to 20 units), or by Gibbs sampling with persistent chains. "auto"
        is exact up to 14 units.
    learning_rate : float, default=0.5
        Step size. With exact moments a step that lowers the likelihood is halved.
    n_iter : int, default=200
        Number of steps.
    n_chains : int, default=200
        Number of free chains for ``method="gibbs"``.
    n_sweeps : int, default=5
        Gibbs sweeps per step.
    l2 : float, default=0.0
        Ridge penalty ``l2 / 2 |J|^2`` per row, over pairs.
    binarize : float or None, default=None
        Values greater than this become 1, others 0. None requires zeros and ones.
    random_state : int, RandomState or None, default=None
        Seed of the start values and of the chains.

    Attributes
    ----------
    interactions_ : ndarray of shape (n_features + n_hidden, n_features + n_hidden)
    bias_ : ndarray of shape (n_features + n_hidden,)
    log_likelihood_path_ : ndarray of shape (n_iter,)
        Mean log-likelihood per row at each step; only with exact moments.
    n_iter_ : int
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)

    See Also
    --------
    BernoulliRBM : no connections within a layer; scales to many units.
    IsingModel : without hidden units, with a convex likelihood.

    Notes
    -----
    Meant for small sizes. The likelihood has many local maxima with hidden units. Gibbs moments are noisy, and the
    chains mix slowly if the interactions are large.

    References
    ----------
    Ackley, D., Hinton, G. and Sejnowski, T. (1985). A learning algorithm for Boltzmann machines. Cognitive Science 9,
    147-169.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.graphical import BoltzmannMachine
    >>> X = np.array([[0, 0, 0], [1, 1, 1], [0, 0, 0], [1, 1, 1]])
    >>> machine = BoltzmannMachine(n_hidden=1, n_iter=100, random_state=0).fit(X)
    >>> bool(machine.log_likelihood_path_[-1] > machine.log_likelihood_path_[0])
    True
    """

    _constraints = {
        "n_hidden": [Int(0, 500)],
        "method": [Options("auto", "exact", "gibbs")],
        "learning_rate": [Real(0, None, closed="neither")],
        "n_iter": [Int(1, None)],
        "n_chains": [Int(1, 10_000)],
        "n_sweeps": [Int(1, 200)],
        "l2": [Real(0, None)],
        "binarize": [Real(None, None, closed="neither"), None],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        n_hidden=2,
        *,
        method="auto",
        learning_rate=0.5,
        n_iter=200,
        n_chains=200,
        n_sweeps=5,
        l2=0.0,
        binarize=None,
        random_state=None,
    ):
        self.n_hidden = n_hidden
        self.method = method
        self.learning_rate = learning_rate
        self.n_iter = n_iter
        self.n_chains = n_chains
        self.n_sweeps = n_sweeps
        self.l2 = l2
        self.binarize = binarize
        self.random_state = random_state

    def fit(self, X, y=None, sample_weight=None):
        """Learn the interactions.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Zeros and ones.
        y : ignored
        sample_weight : array-like of shape (n_samples,) or None, default=None
            A weight of k counts a row k times.

        Returns
        -------
        self : BoltzmannMachine
        """
        check_params(self)
        X = check_binary(self, X)
        weights = check_weights(sample_weight, X)
        w = np.ones(len(X)) if weights is None else weights
        # Equal rows are merged: the moments need each pattern once.
        patterns, which = np.unique(X[w > 0], axis=0, return_inverse=True)
        w = np.bincount(np.ravel(which), weights=w[w > 0])
        w = w / w.sum()
        p, q = X.shape[1], self.n_hidden
        exact = self.method == "exact" or (self.method == "auto" and p + q <= _EXACT_UNITS)
        if exact:
            refuse_many(p + q, "method='exact'")
        rng = check_random_state(self.random_state)
        J = np.triu(rng.normal(0.0, 0.1, size=(p + q, p + q)), 1)
        J += J.T
        mean = np.clip(w @ patterns, 0.01, 0.99)
        b = np.concatenate([np.log(mean / (1.0 - mean)), np.zeros(q)])
        forget(self, "log_likelihood_path_")
        if exact:
            self._learn_exactly(patterns, w, J, b)
        else:
            self._learn_by_sampling(patterns, w, J, b, rng)
        self.n_iter_ = self.n_iter
        return self

    def _penalised(self, value, J):
        return value - 0.25 * self.l2 * np.sum(J**2)

    def _learn_exactly(self, patterns, w, J, b):
        rate, path = self.learning_rate, []
        value, gradient = _exact_gradient(patterns, w, J, b)
        for _ in range(self.n_iter):
            path.append(value)
            current = self._penalised(value, J)

            def ahead(t):
                new_J, new_b = J + t * rate * (gradient[0] - self.l2 * J), b + t * rate * gradient[1]
                value, new_gradient = _exact_gradient(patterns, w, new_J, new_b)
                return -self._penalised(value, new_J), (new_J, new_b, value, new_gradient)

            step = backtrack(ahead, -current, 0.0)
            if step is not None:  # otherwise only rounding is left
                J, b, value, gradient = step.state
                rate *= 1.1 * step.length
        self.interactions_, self.bias_ = J, b
        self.log_likelihood_path_ = np.array(path)

    def _learn_by_sampling(self, patterns, w, J, b, rng):
        p, q = patterns.shape[1], self.n_hidden
        chains = rng.randint(0, 2, size=(self.n_chains, p + q)).astype(np.uint8)
        clamped = np.hstack([patterns, rng.randint(0, 2, size=(len(patterns), q))]).astype(np.uint8)
        everything = np.ones(p + q, dtype=np.uint8)
        hidden_only = np.concatenate([np.zeros(p), np.ones(q)]).astype(np.uint8)
        nothing = np.empty((0, p + q))
        for step in range(self.n_iter):
            if q:
                native.gibbs_sweeps(J, b, hidden_only, self.n_sweeps, int(rng.randint(2**31)), clamped, nothing)
            native.gibbs_sweeps(J, b, everything, self.n_sweeps, int(rng.randint(2**31)), chains, nothing)
            up, down = clamped.astype(np.float64), chains.astype(np.float64)
            dJ = (up * w[:, None]).T @ up - down.T @ down / len(down) - self.l2 * J
            np.fill_diagonal(dJ, 0.0)
            rate = self.learning_rate / (1.0 + step / 100.0)
            J = J + rate * dJ
            b = b + rate * (w @ up - down.mean(axis=0))
        self.interactions_, self.bias_ = np.ascontiguousarray(J), b

    def score_samples(self, X):
        """Log-probability of the visible units of each row, by enumeration (up to 20 units)."""
        check_is_fitted(self)
        X = check_binary(self, X, reset=False)
        refuse_many(len(self.bias_), "score_samples")
        value = logsumexp(_clamped_energies(X, self.interactions_, self.bias_), axis=1)
        return value - logsumexp(_energies(all_states(len(self.bias_)), self.interactions_, self.bias_))

    def score(self, X, y=None, sample_weight=None):
        """Mean log-probability per row."""
        return float(np.average(self.score_samples(X), weights=sample_weight))

    def conditional(self, states):
        """Probabilities that each unit is 1 given all others; rows contain visible and hidden units."""
        check_is_fitted(self)
        states = np.atleast_2d(np.asarray(states, dtype=np.float64))
        return expit(self.bias_ + states @ self.interactions_)

    def sample(self, n_samples=1, *, burn_in=200, random_state=None):
        """Visible units of Gibbs chains after `burn_in` sweeps.

        Parameters
        ----------
        n_samples : int, default=1
        burn_in : int, default=200
        random_state : int, RandomState or None, default=None

        Returns
        -------
        ndarray of shape (n_samples, n_features)
        """
        check_is_fitted(self)
        rng = check_random_state(random_state)
        m = len(self.bias_)
        states = rng.randint(0, 2, size=(n_samples, m)).astype(np.uint8)
        native.gibbs_sweeps(
            self.interactions_,
            self.bias_,
            np.ones(m, dtype=np.uint8),
            int(burn_in),
            int(rng.randint(2**31)),
            states,
            np.empty((0, m)),
        )
        return states[:, : self.n_features_in_].astype(np.float64)


def _clamped_energies(X, J, b):
    """Energies (rows, 2^q) of each row with all states of the hidden units."""
    p = X.shape[1]
    H = all_states(len(b) - p)
    visible = X @ b[:p] + 0.5 * np.einsum("ij,ij->i", X @ J[:p, :p], X)
    hidden = H @ b[p:] + 0.5 * np.einsum("ij,ij->i", H @ J[p:, p:], H)
    return visible[:, None] + hidden[None] + X @ J[:p, p:] @ H.T


def _exact_gradient(patterns, w, J, b):
    """Mean log-likelihood, and its gradient in J (symmetric) and b."""
    p = patterns.shape[1]
    states = all_states(len(b))
    logs = _energies(states, J, b)
    log_z = logsumexp(logs)
    law = np.exp(logs - log_z)
    up = _clamped_energies(patterns, J, b)
    value = logsumexp(up, axis=1)
    posterior = np.exp(up - value[:, None])
    H = all_states(len(b) - p)
    m = len(b)
    second = np.zeros((m, m))
    expected = posterior @ H
    second[:p, :p] = (patterns * w[:, None]).T @ patterns
    second[:p, p:] = (patterns * w[:, None]).T @ expected
    second[p:, :p] = second[:p, p:].T
    second[p:, p:] = (H * (w @ posterior)[:, None]).T @ H
    dJ = second - (states * law[:, None]).T @ states
    np.fill_diagonal(dJ, 0.0)
    db = np.concatenate([w @ patterns, w @ expected]) - law @ states
    return float(w @ value - log_z), (dJ, db)
