"""Optimal policies: value iteration, policy iteration, and modified policy iteration."""

from dataclasses import dataclass, field

import numpy as np

from statlearn._core import native
from statlearn._core.warnings import warn_if_stopped

from ._factored_mdp import FactoredMDP
from ._factored_sweeps import factored_action_values, factored_value_iteration
from ._finite_mdp import FiniteMDP
from ._policy import evaluate_policy, greedy_policy


@dataclass
class Solution:
    """Result of a solver.

    Parameters
    ----------
    V : ndarray of shape (n_states,)
        Value of each state.
    Q : ndarray of shape (n_states, n_actions)
        Value of each action; single precision for a `FactoredMDP`.
    policy : ndarray of int of shape (n_states,)
        Best action of each state; the lowest number among equals.
    n_iter : int
        Sweeps of value iteration, or improvements of the policy.
    changes : ndarray
        Largest change of a value in each sweep.
    error_bound : float
        Upper bound of the largest error of V, discount / (1 - discount) times the last change.
    converged : bool
        Whether the stopping rule was met.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.decision import FiniteMDP, policy_iteration
    >>> mdp = FiniteMDP([np.eye(2), np.eye(2)[::-1]], [[0, 0], [1, 0]], discount=0.9)
    >>> solution = policy_iteration(mdp)
    >>> solution.policy, solution.n_iter, solution.converged
    (array([1, 0]), 2, True)
    """

    V: np.ndarray = field(repr=False)
    Q: np.ndarray = field(repr=False)
    policy: np.ndarray = field(repr=False)
    n_iter: int
    changes: np.ndarray = field(repr=False)
    error_bound: float
    converged: bool


def _check(mdp, tol, max_iter, kinds):
    if not isinstance(mdp, kinds):
        names = " or a ".join(kind.__name__ for kind in kinds)
        raise TypeError(f"`mdp` must be a {names}, got {type(mdp).__name__}.")
    if not tol > 0 or not np.isfinite(tol):
        raise ValueError(f"`tol` must be a positive number, got {tol!r}.")
    if isinstance(max_iter, bool) or not isinstance(max_iter, (int, np.integer)) or max_iter < 1:
        raise ValueError(f"`max_iter` must be an int of at least 1, got {max_iter!r}.")


def _start(mdp, Q0):
    """Initial values: 0, or the maximum of each row of Q0."""
    if Q0 is None:
        return np.zeros(mdp.n_states)
    start = np.asarray(Q0.Q if isinstance(Q0, Solution) else Q0, dtype=np.float64)
    if start.shape not in ((mdp.n_states, mdp.n_actions), (mdp.n_states,)):
        raise ValueError(
            f"`Q0` must have shape ({mdp.n_states}, {mdp.n_actions}) or ({mdp.n_states},), got {start.shape}."
        )
    if not np.isfinite(start).all():
        raise ValueError("`Q0` must be finite.")
    return start.max(axis=1) if start.ndim == 2 else start.copy()


def _error_bound(discount, change):
    return discount / (1 - discount) * change


def _finish(mdp, V, changes, n_iter, error_bound, converged):
    if isinstance(mdp, FactoredMDP):
        Q = factored_action_values(mdp, V)
    else:
        Q = np.empty((mdp.n_states, mdp.n_actions))
        native.decision.mdp_action_values(*mdp._arrays(), V, Q)
    return Solution(V, Q, greedy_policy(Q), n_iter, changes, float(error_bound), bool(converged))


def value_iteration(mdp, *, tol=1e-6, max_iter=10_000, method="synchronous", Q0=None):
    r"""Optimal values and policy by value iteration.

    Repeats :math:`Q(s, a) \leftarrow R(s, a) + \gamma \sum_{s'} P(s' \mid s, a) \max_{a'} Q(s', a')`, a contraction by
    :math:`\gamma` in the maximum norm, until the largest change of a value is at most
    :math:`\text{tol}\,(1 - \gamma) / \gamma`. The values are then within `tol` of the optimal ones.

    Parameters
    ----------
    mdp : FiniteMDP or FactoredMDP
    tol : float, default=1e-6
        Largest error of the values.
    max_iter : int, default=10000
        Maximum number of sweeps.
    method : {"synchronous", "gauss-seidel"}, default="synchronous"
        Whether a sweep uses the old values only, in parallel, or each new value as soon as it is known, which needs
        fewer sweeps but runs on one thread. A `FactoredMDP` supports "synchronous" only.
    Q0 : Solution or array-like of shape (n_states, n_actions) or (n_states,), default=None
        Start, for example the solution of a similar process; the fewer sweeps are needed the closer it is.

    Returns
    -------
    solution : Solution

    Notes
    -----
    Each sweep costs one pass over the transitions. About :math:`\log(\text{range of } R / \text{tol}) / (1 - \gamma)`
    sweeps are needed, so very negative rewards and a discount close to 1 make the solution slow; `policy_iteration`
    and `modified_policy_iteration` depend less on the discount.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.decision import FiniteMDP, value_iteration
    >>> mdp = FiniteMDP([np.eye(2), np.eye(2)[::-1]], [[0, 0], [1, 0]], discount=0.9)
    >>> solution = value_iteration(mdp, tol=1e-9)
    >>> solution.policy
    array([1, 0])
    >>> solution.Q.round(6)
    array([[ 8.1,  9. ],
           [10. ,  8.1]])
    """
    _check(mdp, tol, max_iter, (FiniteMDP, FactoredMDP))
    if method not in ("synchronous", "gauss-seidel"):
        raise ValueError(f"`method` must be 'synchronous' or 'gauss-seidel', got {method!r}.")
    V = _start(mdp, Q0)
    change = tol * (1 - mdp.discount) / mdp.discount if mdp.discount > 0 else np.inf
    if isinstance(mdp, FactoredMDP):
        if method != "synchronous":
            raise ValueError("`method`='gauss-seidel' is not available for a FactoredMDP; use 'synchronous'.")
        status, changes = factored_value_iteration(mdp, change, max_iter, V)
    else:
        status, changes = native.decision.mdp_value_iteration(
            *mdp._arrays(), method == "gauss-seidel", change, max_iter, V
        )
    bound = _error_bound(mdp.discount, changes[-1])
    warn_if_stopped(
        "value_iteration",
        status,
        f"the values may still be off by {bound:.3g} after {len(changes)} sweeps",
        remedy="Increase max_iter, raise tol, or start from a similar solution with Q0.",
    )
    return _finish(mdp, V, changes, len(changes), bound, status == 0)


def policy_iteration(mdp, *, max_iter=1000, Q0=None):
    """Optimal values and policy by policy iteration.

    Alternates the exact evaluation of a policy with its improvement, until no action is better than the current one.
    Few improvements are needed, whatever the discount; each solves a system of n_states equations.

    Parameters
    ----------
    mdp : FiniteMDP
    max_iter : int, default=1000
        Maximum number of improvements.
    Q0 : Solution or array-like, default=None
        Start, as in `value_iteration`.

    Returns
    -------
    solution : Solution
        `changes` holds the largest change of a value per improvement.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.decision import FiniteMDP, policy_iteration
    >>> mdp = FiniteMDP([np.eye(2), np.eye(2)[::-1]], [[0, 0], [1, 0]], discount=0.9)
    >>> policy_iteration(mdp).V.round(6)
    array([ 9., 10.])
    """
    _check(mdp, 1.0, max_iter, (FiniteMDP,))
    arrays = mdp._arrays()
    V, Q = _start(mdp, Q0), np.empty((mdp.n_states, mdp.n_actions))
    native.decision.mdp_action_values(*arrays, V, Q)
    policy = greedy_policy(Q)
    states = np.arange(mdp.n_states)
    changes, settled = [], False
    for _ in range(max_iter):
        values = evaluate_policy(mdp, policy)
        changes.append(np.abs(values - V).max())
        V = values
        native.decision.mdp_action_values(*arrays, V, Q)
        # An action replaces the current one only if it is better by more than rounding: equal actions could alternate.
        margin = 1e-12 * (1 + np.abs(V).max())
        better = Q.max(axis=1) > Q[states, policy] + margin
        if not better.any():
            settled = True
            break
        policy = np.where(better, greedy_policy(Q), policy)
    warn_if_stopped(
        "policy_iteration",
        0 if settled else 1,
        f"{better.sum()} states still improved after {max_iter} improvements",
        remedy="Increase max_iter.",
    )
    residual = np.abs(Q.max(axis=1) - V).max()
    return _finish(mdp, V, np.array(changes), len(changes), residual / (1 - mdp.discount), settled)


def modified_policy_iteration(mdp, *, tol=1e-6, max_iter=10_000, n_sweeps=20, Q0=None):
    """Optimal values and policy by modified policy iteration.

    Each improvement of the policy is followed by `n_sweeps` cheap sweeps that evaluate it approximately, which visit
    one action per state instead of all. The stopping rule is that of `value_iteration`.

    Parameters
    ----------
    mdp : FiniteMDP
    tol : float, default=1e-6
        Largest error of the values.
    max_iter : int, default=10000
        Maximum number of improvements.
    n_sweeps : int, default=20
        Sweeps of evaluation per improvement; 0 is value iteration.
    Q0 : Solution or array-like, default=None
        Start, as in `value_iteration`.

    Returns
    -------
    solution : Solution

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.decision import FiniteMDP, modified_policy_iteration
    >>> mdp = FiniteMDP([np.eye(2), np.eye(2)[::-1]], [[0, 0], [1, 0]], discount=0.9)
    >>> modified_policy_iteration(mdp, tol=1e-9).V.round(6)
    array([ 9., 10.])
    """
    _check(mdp, tol, max_iter, (FiniteMDP,))
    if isinstance(n_sweeps, bool) or not isinstance(n_sweeps, (int, np.integer)) or n_sweeps < 0:
        raise ValueError(f"`n_sweeps` must be an int of at least 0, got {n_sweeps!r}.")
    arrays = mdp._arrays()
    V, Q = _start(mdp, Q0), np.empty((mdp.n_states, mdp.n_actions))
    smallest = tol * (1 - mdp.discount) / mdp.discount if mdp.discount > 0 else np.inf
    changes = []
    for _ in range(max_iter):
        native.decision.mdp_action_values(*arrays, V, Q)
        policy, values = greedy_policy(Q), Q.max(axis=1)
        changes.append(np.abs(values - V).max())
        V = values
        if changes[-1] <= smallest:
            break
        if n_sweeps:
            native.decision.mdp_policy_sweeps(*arrays, policy.astype(np.int32), smallest, n_sweeps, V)
    bound = _error_bound(mdp.discount, changes[-1])
    converged = changes[-1] <= smallest
    warn_if_stopped(
        "modified_policy_iteration",
        0 if converged else 1,
        f"the values may still be off by {bound:.3g} after {len(changes)} improvements",
        remedy="Increase max_iter or n_sweeps, or raise tol.",
    )
    return _finish(mdp, V, np.array(changes), len(changes), bound, bool(converged))
