"""Markov decision processes whose state consists of two or three parts that move independently."""

import math
from functools import partial, reduce
from itertools import product

import numpy as np
from scipy import sparse

from statlearn._core.memory import require_memory

from ._finite_mdp import FiniteMDP, check_discount, check_rows


def _factor(matrices, name):
    """The arrays of the native kernel for one part: rows by action, then state."""
    matrices = [
        sparse.csr_array(np.asarray(p, float) if not sparse.issparse(p) else p, dtype=np.float64) for p in matrices
    ]
    if not matrices:
        raise ValueError(f"`{name}` must hold at least one transition matrix.")
    n = matrices[0].shape[0]
    if n == 0 or any(p.shape != (n, n) for p in matrices):
        raise ValueError(f"`{name}` must hold square matrices of one size, got {[p.shape for p in matrices]}.")
    for p in matrices:
        check_rows(p, 1, np.zeros(n, dtype=bool), name)
    tall = sparse.csr_array(sparse.vstack(matrices, format="csr"))
    tall.sum_duplicates()
    return tall.indptr.astype(np.int64), tall.indices.astype(np.int32), np.ascontiguousarray(tall.data)


class FactoredMDP:
    r"""Markov decision process with a state of two or three parts that move independently.

    State (i, j) and action (a, b) lead to (i', j') with probability :math:`P_1(i' \mid i, a)\, P_2(j' \mid j, b)`, and
    earn :math:`\max(\text{floor},\; r(i, j) + c(a, b))`. The expectation over the next state is a product of two
    sparse matrices, so a process with millions of states is solved without storing its transitions. A third part is one
    factor more in each of these formulas.

    Parameters
    ----------
    first, second : list of array-like or sparse matrices
        Transition matrices of each part, one per action of that part.
    state_reward : array-like of shape (n_first, n_second) or (n_first, n_second, n_third)
        Reward r of each state; -inf is allowed if `floor` is finite.
    action_reward : array-like with one axis per part, default=None
        Reward c of each combination of actions; 0 by default.
    third : list of array-like or sparse matrices or None, default=None
        Transition matrices of a third part. The sweeps over three parts run on one thread.
    floor : float, default=-inf
        Smallest reward of a step.
    discount : float, default=0.99
        Discount factor in [0, 1).

    Attributes
    ----------
    shape : tuple of int
        Numbers of states of the parts.
    n_states, n_actions : int
        State (i, j) has number ``i * shape[1] + j``, action (a, b) number ``a * n_second_actions + b``. With three
        parts the numbers run through the third part first.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.decision import FactoredMDP, value_iteration
    >>> stay, go = np.eye(2), np.eye(2)[::-1]
    >>> mdp = FactoredMDP([stay, go], [stay, go], [[0, 0], [0, 1]], discount=0.5)
    >>> value_iteration(mdp).V.round(3)
    array([1., 1., 1., 2.])
    """

    def __init__(self, first, second, state_reward, action_reward=None, *, third=None, floor=-np.inf, discount=0.99):
        self.discount = check_discount(discount)
        matrices_by_name = {"first": first, "second": second} | ({} if third is None else {"third": third})
        self._parts = tuple(_factor(matrices, name) for name, matrices in matrices_by_name.items())
        self.state_reward = np.ascontiguousarray(state_reward, dtype=np.float64)
        if self.state_reward.ndim != len(matrices_by_name):
            kind = "a matrix" if third is None else "an array of three dimensions"
            raise ValueError(f"`state_reward` must be {kind}, got {self.state_reward.ndim} dimensions.")
        self.shape = tuple(matrices[0].shape[0] for matrices in matrices_by_name.values())
        if self.state_reward.shape != self.shape:
            raise ValueError(f"`state_reward` must have shape {self.shape}, got {self.state_reward.shape}.")
        actions = tuple(len(matrices) for matrices in matrices_by_name.values())
        self.action_reward = np.zeros(actions) if action_reward is None else np.ascontiguousarray(action_reward, float)
        if self.action_reward.shape != actions:
            raise ValueError(f"`action_reward` must have shape {actions}, got {self.action_reward.shape}.")
        if not np.isfinite(self.action_reward).all():
            raise ValueError("`action_reward` must be finite.")
        self.floor = float(floor)
        if np.isnan(self.state_reward).any() or np.isnan(self.floor) or self.floor == np.inf:
            raise ValueError("`state_reward` and `floor` must not be NaN or +inf.")
        if (self.state_reward == np.inf).any() or (self.floor == -np.inf and not np.isfinite(self.state_reward).all()):
            raise ValueError("`state_reward` must be finite; -inf is allowed only with a finite `floor`.")
        self.n_states, self.n_actions = math.prod(self.shape), math.prod(actions)

    def _arrays(self):
        """Arguments of the native kernels for two parts."""
        return *self._parts, self.state_reward, self.action_reward, self.floor, self.discount

    def reward(self):
        """Rewards of every state and action.

        Returns
        -------
        reward : ndarray of shape (n_states, n_actions)
        """
        return np.maximum(self.floor, self.state_reward.ravel()[:, None] + self.action_reward.ravel())

    def to_finite(self):
        """The process with explicit transitions, for small processes.

        Returns
        -------
        mdp : FiniteMDP
        """
        parts = self.part_transitions()
        entries = math.prod(sum(p.nnz for p in part) for part in parts)
        require_memory(40 * entries, "The explicit transition matrices", "Solve the factored process itself.")
        P = [reduce(partial(sparse.kron, format="csr"), matrices) for matrices in product(*parts)]
        return FiniteMDP(P, self.reward(), discount=self.discount)

    def part_transitions(self):
        """Transition matrices of the parts.

        Returns
        -------
        parts : list of lists of CSR arrays
            One list per part, with one matrix per action.
        """
        parts = []
        for (indptr, indices, data), n in zip(self._parts, self.shape):
            tall = sparse.csr_array((data, indices, indptr), shape=(len(indptr) - 1, n))
            parts.append([tall[a * n : (a + 1) * n] for a in range(tall.shape[0] // n)])
        return parts

    def __repr__(self):
        return f"FactoredMDP(n_states={self.n_states}, n_actions={self.n_actions}, discount={self.discount})"
