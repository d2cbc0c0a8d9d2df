"""Decisions under an uncertain state: the QMDP rule."""

import numpy as np

from ._interpolation import MultilinearInterpolator
from ._solvers import Solution


def as_policy(policy, axes, interpolator=MultilinearInterpolator):
    """A policy as a function from the rows of `states` to numbers of actions.

    `policy` is a function, a `Solution`, or actions (n_nodes,) or action values (n_nodes, n_actions) of the nodes of
    the grid `axes`. Actions between the nodes are those of the closest node; action values are interpolated.
    """
    if callable(policy):
        return policy
    grid = interpolator(axes)
    if isinstance(policy, Solution):
        return QMDPPolicy(policy, grid)
    table = np.asarray(policy)
    if table.ndim == 2 and len(table) == grid.n_nodes and table.dtype.kind in "iuf":
        return QMDPPolicy(table, grid)
    shape = tuple(len(axis) for axis in axes)
    if table.shape not in ((grid.n_nodes,), shape) or table.dtype.kind not in "iu" or (table.size and table.min() < 0):
        raise ValueError(
            f"`policy` must be callable (states -> actions), a Solution, or the number of an action for each of the "
            f"{grid.n_nodes} nodes of the grid, got {type(policy).__name__} of shape {table.shape}."
        )
    table = table.reshape(shape)

    def closest(states):
        at = [np.abs(np.asarray(states)[:, k, None] - axis).argmin(axis=1) for k, axis in enumerate(axes)]
        return table[tuple(at)]

    return closest


class QMDPPolicy:
    r"""Policy for a belief over states.

    Chooses :math:`\arg\max_a \sum_k b_k Q(s_k, a)`, the lowest number among equals: the action that is best on average
    if the uncertainty vanished after one step. It therefore never acts in order to learn more about the state.

    Parameters
    ----------
    Q : Solution or array-like of shape (n_states, n_actions)
        Action values of the process with known states.
    interpolator : MultilinearInterpolator or SimplexInterpolator, default=None
        If given, states are points in the space of its grid, and Q is interpolated between the nodes.

    Examples
    --------
    >>> from statlearn.decision import QMDPPolicy
    >>> policy = QMDPPolicy([[8.1, 9.0], [10.0, 8.1]])
    >>> policy.action_values([0.5, 0.5])
    array([9.05, 8.55])
    >>> policy.action([0.5, 0.5])
    0
    >>> policy([0, 1])
    array([1, 0])
    """

    def __init__(self, Q, interpolator=None):
        self.Q = np.asarray(Q.Q if isinstance(Q, Solution) else Q)
        if self.Q.ndim != 2 or 0 in self.Q.shape or not np.isfinite(self.Q).all():
            raise ValueError("`Q` must be a finite array of shape (n_states, n_actions).")
        if interpolator is not None and interpolator.n_nodes != len(self.Q):
            raise ValueError(
                f"`Q` has {len(self.Q)} rows, but the grid of `interpolator` has {interpolator.n_nodes} nodes."
            )
        self.interpolator = interpolator

    def __call__(self, states):
        """`actions`: the policy as a function of known states."""
        return self.actions(states)

    def _state_values(self, states):
        """Q of each state, interpolated if the states are points."""
        if self.interpolator is not None:
            return self.interpolator.interpolate(states, self.Q)
        states = np.asarray(states)
        if not np.issubdtype(states.dtype, np.integer) or (
            states.size and (states.min() < 0 or states.max() >= len(self.Q))
        ):
            raise ValueError(f"`states` must contain state numbers from 0 to {len(self.Q) - 1}.")
        return self.Q[states]

    def action_values(self, belief, states=None):
        """Expected value of each action.

        Parameters
        ----------
        belief : array-like of shape (n_states,) or (len(states),)
            Probabilities; they sum to 1.
        states : array-like, default=None
            Possible states, as numbers or as points of the interpolator's space; by default all states.

        Returns
        -------
        values : ndarray of shape (n_actions,)
        """
        belief = np.asarray(belief, dtype=np.float64)
        values = self.Q if states is None else self._state_values(states)
        if belief.shape != (len(values),):
            raise ValueError(f"`belief` must have length {len(values)}, got shape {belief.shape}.")
        if not np.isfinite(belief).all() or (belief < 0).any() or abs(belief.sum() - 1) > 1e-8:
            raise ValueError("`belief` must contain probabilities that sum to 1.")
        return belief @ values

    def action(self, belief, states=None):
        """Best action for a belief; parameters as in `action_values`.

        Returns
        -------
        action : int
        """
        return int(np.argmax(self.action_values(belief, states)))

    def actions(self, states):
        """Best action in each of several states that are known exactly.

        Parameters
        ----------
        states : array-like of int, or of shape (n, n_axes) with an interpolator

        Returns
        -------
        actions : ndarray of int
        """
        return self._state_values(states).argmax(axis=1)
