"""Policies of a finite Markov decision process: greedy choice, exact evaluation, simulation."""

from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import splu
from sklearn.utils import check_random_state

from ._finite_mdp import FiniteMDP

DENSE_STATES = 1000  # below, a dense solve is at least as fast as a sparse one (empirical)


def greedy_policy(Q):
    """Action with the largest value in each state; ties go to the lowest number.

    Parameters
    ----------
    Q : array-like of shape (n_states, n_actions)

    Returns
    -------
    policy : ndarray of int of shape (n_states,)

    Examples
    --------
    >>> from statlearn.decision import greedy_policy
    >>> greedy_policy([[1, 2], [3, 3]])
    array([1, 0])
    """
    Q = np.asarray(Q)
    if Q.ndim != 2 or Q.shape[1] == 0:
        raise ValueError(f"`Q` must have shape (n_states, n_actions), got {Q.shape}.")
    if np.isnan(Q).any():
        raise ValueError("`Q` must not contain NaN.")
    return Q.argmax(axis=1)


def _action_probabilities(mdp, policy):
    """A policy as a sparse (n_states, n_states * n_actions) matrix that selects rows of the transitions."""
    n, k = mdp.n_states, mdp.n_actions
    policy = getattr(policy, "policy", policy)  # of a Solution
    policy = np.asarray(policy(np.arange(n)) if callable(policy) else policy)
    if policy.shape == (n,):
        if not np.issubdtype(policy.dtype, np.integer) or policy.min() < 0 or policy.max() >= k:
            raise ValueError(f"`policy` must contain action numbers from 0 to {k - 1}.")
        return sparse.csr_array((np.ones(n), (np.arange(n), np.arange(n) * k + policy)), shape=(n, n * k))
    if policy.shape == (n, k):
        weights = policy.astype(np.float64)
        if not np.isfinite(weights).all() or (weights < 0).any() or np.abs(weights.sum(axis=1) - 1).max() > 1e-8:
            raise ValueError("`policy` must have rows of probabilities that sum to 1.")
        rows = np.repeat(np.arange(n), k)
        return sparse.csr_array((weights.ravel(), (rows, np.arange(n * k))), shape=(n, n * k))
    raise ValueError(f"`policy` must have shape ({n},) or ({n}, {k}), got {policy.shape}.")


def evaluate_policy(mdp, policy):
    r"""Exact values of a policy.

    Solves :math:`(I - \gamma P_\pi) V = R_\pi`, by a dense or a sparse factorisation.

    Parameters
    ----------
    mdp : FiniteMDP
    policy : array-like of int of shape (n_states,), or of float of shape (n_states, n_actions), Solution or callable
        Action of each state, or probabilities of the actions in each state. A callable, such as a `QMDPPolicy`, gets
        the numbers of the states.

    Returns
    -------
    V : ndarray of shape (n_states,)

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.decision import FiniteMDP, evaluate_policy
    >>> mdp = FiniteMDP([np.eye(2), np.eye(2)[::-1]], [[0, 0], [1, 0]], discount=0.9)
    >>> evaluate_policy(mdp, [0, 0]).round(6)
    array([ 0., 10.])
    """
    if not isinstance(mdp, FiniteMDP):
        raise TypeError(f"`mdp` must be a FiniteMDP, got {type(mdp).__name__}.")
    choose = _action_probabilities(mdp, policy)
    reward = choose @ mdp.reward.ravel()
    system = sparse.identity(mdp.n_states, format="csr") - mdp.discount * (choose @ mdp.transitions)
    if mdp.n_states <= DENSE_STATES:
        return np.linalg.solve(system.toarray(), reward)
    return splu(system.tocsc()).solve(reward)


@dataclass
class Rollouts:
    """Simulated runs of a policy, the result of `simulate`.

    Parameters
    ----------
    states : ndarray of int of shape (n_runs, n_steps + 1)
        Visited states; after the end of a run in a terminal state, that state is repeated.
    actions : ndarray of int of shape (n_runs, n_steps)
        -1 after the end of a run.
    rewards : ndarray of shape (n_runs, n_steps)
    returns : ndarray of shape (n_runs,)
        Discounted sums of the rewards.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.decision import FiniteMDP, simulate
    >>> mdp = FiniteMDP([np.eye(2), np.eye(2)[::-1]], [[0, 0], [1, 0]], discount=0.9)
    >>> runs = simulate(mdp, [1, 0], start=[0, 1], n_steps=2, n_runs=2, random_state=0)
    >>> runs.states.tolist(), runs.returns.round(2).tolist()
    ([[0, 1, 1], [1, 1, 1]], [0.9, 1.9])
    """

    states: np.ndarray
    actions: np.ndarray
    rewards: np.ndarray
    returns: np.ndarray


def simulate(mdp, policy, start, *, n_steps=100, n_runs=1, random_state=None):
    """Simulated runs of a policy.

    Parameters
    ----------
    mdp : FiniteMDP
    policy : array-like of int of shape (n_states,), or of float of shape (n_states, n_actions), Solution or callable
        As in `evaluate_policy`.
    start : int or array-like of int of shape (n_runs,)
        First state of each run.
    n_steps : int, default=100
    n_runs : int, default=1
    random_state : int, RandomState or None, default=None

    Returns
    -------
    rollouts : Rollouts

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.decision import FiniteMDP, simulate
    >>> mdp = FiniteMDP([np.eye(2), np.eye(2)[::-1]], [[0, 0], [1, 0]], discount=0.9)
    >>> simulate(mdp, [1, 0], start=0, n_steps=4, random_state=0).rewards
    array([[0., 1., 1., 1.]])
    """
    if not isinstance(mdp, FiniteMDP):
        raise TypeError(f"`mdp` must be a FiniteMDP, got {type(mdp).__name__}.")
    choose = _action_probabilities(mdp, policy)
    for name, value in (("n_steps", n_steps), ("n_runs", n_runs)):
        if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < 1:
            raise ValueError(f"`{name}` must be an int of at least 1, got {value!r}.")
    state = np.broadcast_to(np.asarray(start), (n_runs,)).copy()
    if not np.issubdtype(state.dtype, np.integer) or state.min() < 0 or state.max() >= mdp.n_states:
        raise ValueError(f"`start` must contain state numbers from 0 to {mdp.n_states - 1}.")
    rng = check_random_state(random_state)
    states = np.empty((n_runs, n_steps + 1), dtype=np.intp)
    actions = np.full((n_runs, n_steps), -1, dtype=np.intp)
    rewards = np.zeros((n_runs, n_steps))
    states[:, 0] = state
    draw_action, draw_state = _Draws(choose), _Draws(mdp.transitions)
    alive = np.ones(n_runs, dtype=bool)
    for step in range(n_steps):
        pairs = draw_action(state, rng.random_sample(n_runs))  # n_states * n_actions numbers of (state, action)
        moves = rng.random_sample(n_runs)
        actions[alive, step] = pairs[alive] % mdp.n_actions
        rewards[alive, step] = mdp.reward.ravel()[pairs[alive]]
        alive &= ~mdp.terminal[state]  # the reward of a terminal state is earned once
        state = state.copy()
        state[alive] = draw_state(pairs[alive], moves[alive])
        states[:, step + 1] = state
    returns = rewards @ mdp.discount ** np.arange(n_steps)
    return Rollouts(states, actions, rewards, returns)


class _Draws:
    """Draws of one column per row from a sparse table of probabilities, by inversion."""

    def __init__(self, table):
        self.indptr, self.indices = table.indptr, table.indices
        self.cumulative = np.concatenate([[0.0], np.cumsum(table.data)])

    def __call__(self, rows, uniform):
        begin, end = self.indptr[rows], self.indptr[rows + 1]
        low, high = self.cumulative[begin], self.cumulative[end]
        entry = np.searchsorted(self.cumulative, low + uniform * (high - low), side="right") - 1
        return self.indices[np.clip(entry, begin, end - 1)].astype(np.intp)
