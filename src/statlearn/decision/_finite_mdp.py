"""Finite Markov decision processes with dense or sparse transitions."""

import numbers

import numpy as np
from scipy import sparse

ROW_SUM_TOLERANCE = 1e-8  # of the probabilities of one state and action


def check_discount(discount):
    """The discount factor as a float in [0, 1)."""
    if not isinstance(discount, numbers.Real) or isinstance(discount, bool) or not 0 <= discount < 1:
        raise ValueError(f"`discount` must be a number in [0, 1), got {discount!r}.")
    return float(discount)


def check_rows(table, n_actions, ending, name="P"):
    """Raise a ValueError unless every row, except those of `ending` states, is a probability distribution."""
    if table.data.size and (not np.isfinite(table.data).all() or table.data.min() < 0):
        raise ValueError(f"`{name}` must contain finite probabilities of at least 0.")
    sums = np.asarray(table.sum(axis=1)).ravel()
    bad = np.abs(sums - 1) > ROW_SUM_TOLERANCE
    bad &= ~np.repeat(ending, n_actions)
    if bad.any():
        row = int(np.argmax(bad))
        state, action = divmod(row, n_actions)
        count = int(bad.sum())
        problem = "a row that does not sum to 1:" if count == 1 else f"{count} rows that do not sum to 1; the first is"
        raise ValueError(
            f"`{name}` has {problem} state {state}, action {action}, with sum {sums[row]:.6g}. Normalise the rows, or "
            "list states where the process ends in `terminal`."
        )


def _stack(P):
    """Transitions as one CSR matrix with a row for each pair (state, action), actions fastest."""
    if not sparse.issparse(P) and isinstance(P, (list, tuple)) and P and all(sparse.issparse(p) for p in P):
        shapes = {p.shape for p in P}
        n = P[0].shape[0]
        if shapes != {(n, n)}:
            raise ValueError(f"`P` must hold square matrices of one size, got shapes {sorted(shapes)}.")
        tall = sparse.vstack([sparse.csr_array(p, dtype=np.float64) for p in P], format="csr")
        order = np.arange(n * len(P)).reshape(len(P), n).T.ravel()  # from action-major to state-major
        return sparse.csr_array(tall[order]), n, len(P)
    try:
        dense = np.asarray(P, dtype=np.float64)
    except (TypeError, ValueError):
        dense = np.empty(0)
    if dense.ndim != 3 or dense.shape[1] != dense.shape[2] or 0 in dense.shape:
        raise ValueError(
            "`P` must be an array of shape (n_actions, n_states, n_states) or a list with one sparse "
            "(n_states, n_states) matrix per action."
        )
    n_actions, n = dense.shape[:2]
    return sparse.csr_array(dense.transpose(1, 0, 2).reshape(n * n_actions, n)), n, n_actions


def _rewards(R, table, n, n_actions):
    """Rewards of shape (n_states, n_actions); those of transitions are averaged over the next state."""
    R = np.asarray(R, dtype=np.float64)
    if R.shape == (n, n_actions):
        rewards = R
    elif R.shape == (n,):
        rewards = np.repeat(R[:, None], n_actions, axis=1)
    elif R.shape == (n_actions, n, n):
        flat = R.transpose(1, 0, 2).reshape(n * n_actions, n)
        rewards = np.asarray(table.multiply(flat).sum(axis=1)).reshape(n, n_actions)
    else:
        raise ValueError(
            f"`R` must have shape ({n}, {n_actions}) (state, action), ({n},) (state) or ({n_actions}, {n}, {n}) "
            f"(action, state, next state), got {R.shape}."
        )
    if not np.isfinite(rewards).all():
        raise ValueError(
            "`R` must be finite. Mark states that must never be visited with `impossible` and `reward_min` instead of "
            "an infinite penalty."
        )
    return np.ascontiguousarray(rewards)


def _mask(states, n, name):
    mask = np.zeros(n, dtype=bool)
    if states is None:
        return mask
    states = np.asarray(states)
    if states.dtype == bool:
        if states.shape != (n,):
            raise ValueError(f"`{name}` must have length {n} as a mask, got {states.shape}.")
        return states.copy()
    if states.size and (not np.issubdtype(states.dtype, np.integer) or states.min() < 0 or states.max() >= n):
        raise ValueError(f"`{name}` must contain state numbers from 0 to {n - 1}.")
    mask[states] = True
    return mask


class FiniteMDP:
    r"""Finite Markov decision process.

    In state s, action a earns the expected reward :math:`R(s, a)` and leads to state s' with probability
    :math:`P(s' \mid s, a)`. Rewards of later steps are discounted by :math:`\gamma` per step.

    Parameters
    ----------
    P : array-like of shape (n_actions, n_states, n_states) or list of sparse matrices
        Transition probabilities, one matrix per action; each row sums to 1.
    R : array-like of shape (n_states, n_actions), (n_states,) or (n_actions, n_states, n_states)
        Rewards by state and action, by state, or by action, state and next state.
    discount : float, default=0.99
        Discount factor in [0, 1).
    terminal : array-like of int or bool mask, default=None
        States in which the process ends: the reward is earned once and nothing follows. Their transitions are ignored.
    impossible : array-like of int or bool mask, default=None
        States that a policy must never prefer. They earn `reward_min` forever, so no possible state is worth less.
    reward_min : float, default=None
        Reward of impossible states; by default the smallest reward in `R`.

    Attributes
    ----------
    n_states, n_actions : int
    discount : float
    reward : ndarray of shape (n_states, n_actions)
    transitions : CSR array of shape (n_states * n_actions, n_states)
        Row ``s * n_actions + a`` is the distribution of the next state.
    terminal, impossible : ndarray of bool of shape (n_states,)

    Examples
    --------
    Stay in a state or go to the other one; staying in state 1 pays.

    >>> import numpy as np
    >>> from statlearn.decision import FiniteMDP, value_iteration
    >>> stay, go = np.eye(2), np.eye(2)[::-1]
    >>> mdp = FiniteMDP([stay, go], [[0, 0], [1, 0]], discount=0.9)
    >>> value_iteration(mdp).V.round(3)
    array([ 9., 10.])
    """

    def __init__(self, P, R, *, discount=0.99, terminal=None, impossible=None, reward_min=None):
        table, self.n_states, self.n_actions = _stack(P)
        n, n_actions = self.n_states, self.n_actions
        self.discount = check_discount(discount)
        self.terminal = _mask(terminal, n, "terminal")
        self.impossible = _mask(impossible, n, "impossible")
        both = np.flatnonzero(self.terminal & self.impossible)
        if both.size:
            raise ValueError(f"State {both[0]} is both in `terminal` and in `impossible`; list it only once.")
        check_rows(table, n_actions, self.terminal | self.impossible)
        self.reward = _rewards(R, table, n, n_actions)
        if self.impossible.any():
            floor = self.reward.min() if reward_min is None else float(reward_min)
            if not np.isfinite(floor) or floor > self.reward.min():
                raise ValueError(
                    f"`reward_min`={floor:g} must be finite and at most the smallest reward, {self.reward.min():g}."
                )
            self.reward = np.where(self.impossible[:, None], floor, self.reward)
        if (self.terminal | self.impossible).any():
            keep = np.repeat(~(self.terminal | self.impossible), n_actions).astype(float)
            loops = sparse.csr_array(
                (
                    np.repeat(self.impossible, n_actions).astype(float),
                    (np.arange(n * n_actions), np.repeat(np.arange(n), n_actions)),
                ),
                shape=table.shape,
            )
            table = sparse.csr_array(sparse.diags_array(keep) @ table + loops)
        table.eliminate_zeros()
        table.sort_indices()
        self.transitions = table

    def _arrays(self):
        """Arguments of the native kernels."""
        t = self.transitions
        return (
            np.ascontiguousarray(t.indptr, dtype=np.int64),
            np.ascontiguousarray(t.indices, dtype=np.int32),
            np.ascontiguousarray(t.data, dtype=np.float64),
            self.reward,
            self.discount,
        )

    def __repr__(self):
        return (
            f"FiniteMDP(n_states={self.n_states}, n_actions={self.n_actions}, discount={self.discount}, "
            f"entries={self.transitions.nnz})"
        )
