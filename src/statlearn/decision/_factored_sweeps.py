"""Sweeps of value iteration over a factored process, by the native kernel for two parts and by scipy for three."""

import numpy as np

from statlearn._core import native
from statlearn._core.memory import require_memory


def factored_value_iteration(mdp, tol, max_iter, V):
    """Sweep until no value changes by more than `tol`; V is updated in place.

    Returns
    -------
    status : int
        0, or 1 after `max_iter` sweeps.
    changes : ndarray
        Largest change of a value in each sweep.
    """
    if len(mdp.shape) == 2:
        return native.decision.factored_value_iteration(*mdp._arrays(), tol, max_iter, V)
    changes = []
    for _ in range(max_iter):
        best = np.full(mdp.shape, -np.inf)
        for _, q in _action_values(mdp, V):
            np.maximum(best, q, out=best)
        changes.append(np.abs(best.ravel() - V).max())
        V[:] = best.ravel()
        if changes[-1] <= tol:
            return 0, np.array(changes)
    return 1, np.array(changes)


def factored_action_values(mdp, V):
    """Values of all actions in single precision, of shape (n_states, n_actions)."""
    require_memory(
        4 * mdp.n_states * mdp.n_actions, "The table of action values", "Use a coarser grid or fewer actions."
    )
    Q = np.empty((mdp.n_states, mdp.n_actions), dtype=np.float32)
    if len(mdp.shape) == 2:
        native.decision.factored_action_values(*mdp._arrays(), V, Q)
    else:
        for action, q in _action_values(mdp, V):
            Q[:, action] = q.ravel()
    return Q


def _action_values(mdp, V):
    """Numbers and values of the actions of a process of three parts, one action after the other.

    A product with the matrix of the last axis turns the axes: (i, j, k) becomes (k', i, j), then (j', k', i), and at
    last (i', j', k'). Products are shared by all actions that agree in the later parts.
    """
    first, second, third = mdp.part_transitions()
    n, m, _ = mdp.shape
    V = V.reshape(mdp.shape)
    for c, P3 in enumerate(third):
        after_third = P3 @ V.reshape(n * m, -1).T
        for b, P2 in enumerate(second):
            after_second = P2 @ after_third.reshape(-1, m).T
            for a, P1 in enumerate(first):
                expected = (P1 @ after_second.reshape(-1, n).T).reshape(mdp.shape)
                reward = np.maximum(mdp.floor, mdp.state_reward + mdp.action_reward[a, b, c])
                yield (a * len(second) + b) * len(third) + c, reward + mdp.discount * expected
