"""Values of a policy from episodes: temporal differences and Monte Carlo."""

import numpy as np

from ._control import check_share
from ._environments import Episode, check_count


def _pair(episode, number):
    """States and rewards of an episode, and the state after the last reward (None at the end)."""
    if isinstance(episode, Episode):
        states, rewards = episode.states, episode.rewards
    elif isinstance(episode, (tuple, list)) and len(episode) == 2:
        states, rewards = episode
    else:
        raise TypeError(f"`episodes` must hold Episode objects or (states, rewards); episode {number} is neither.")
    states, rewards = np.asarray(states), np.asarray(rewards, dtype=np.float64)
    if states.ndim != 1 or rewards.ndim != 1 or len(states) - len(rewards) not in (0, 1) or not len(rewards):
        raise ValueError(
            f"Episode {number} of `episodes` must have a reward for each state, and one state more if it was "
            f"interrupted; it has {states.shape} states and {rewards.shape} rewards."
        )
    if not np.issubdtype(states.dtype, np.integer) or states.min() < 0:
        raise ValueError(f"Episode {number} of `episodes` must have ints from 0 as states.")
    if not np.isfinite(rewards).all():
        raise ValueError(f"Episode {number} of `episodes` must have finite rewards.")
    last = int(states[len(rewards)]) if len(states) > len(rewards) else None
    return states[: len(rewards)].tolist(), rewards.tolist(), last


def _checked(episodes, discount, n_states, V0):
    """Checked episodes as lists, and initial values."""
    check_share("discount", discount)
    if isinstance(episodes, Episode):
        episodes = [episodes]
    pairs = [_pair(episode, number) for number, episode in enumerate(episodes)]
    if not pairs:
        raise ValueError("`episodes` must hold at least one episode.")
    met = 1 + max(max(states + ([] if last is None else [last])) for states, _, last in pairs)
    start = np.asarray(V0, dtype=np.float64)
    if n_states is None:
        n_states = max(met, len(start) if start.ndim == 1 else 0)
    check_count("n_states", n_states)
    if met > n_states:
        raise ValueError(f"`n_states`={n_states} is too small: `episodes` has state {met - 1}.")
    if start.shape not in ((), (n_states,)) or not np.isfinite(start).all():
        raise ValueError(f"`V0` must be a finite number or have shape ({n_states},), got shape {start.shape}.")
    return pairs, np.broadcast_to(start, (n_states,)).copy()


def td_evaluation(episodes, lam=0.0, *, step_size=0.1, discount=1.0, batch=False, V0=0.0, n_states=None):
    r"""Values of a policy from its episodes by temporal differences, TD(λ).

    After each step from s to s' with reward r, all states move by their traces z:

    .. math:: \delta = r + \gamma V(s') - V(s), \qquad z \leftarrow \gamma \lambda z + e_s, \qquad
        V \leftarrow V + \alpha \delta z

    With ``batch=True`` the limit of repeated small steps over all episodes is computed directly, from a system of
    linear equations. For λ = 0 it is the value in the process whose probabilities are the observed frequencies, for
    λ = 1 the mean return of all visits.

    Parameters
    ----------
    episodes : list of Episode or of pairs (states, rewards)
        Each has as many rewards as states, or one state more if it was interrupted before its end.
    lam : float, default=0
        λ in [0, 1], the share of later steps that is passed back.
    step_size : float, default=0.1
        Step α in (0, 1], without `batch`.
    discount : float, default=1
        Discount factor γ in [0, 1].
    batch : bool, default=False
    V0 : float or array-like of shape (n_states,), default=0
        Values to start from.
    n_states : int or None, default=None
        None means the largest state of the episodes, or the length of `V0`.

    Returns
    -------
    V : ndarray of shape (n_states,)
        With `batch`, NaN for states that no episode has visited.

    See Also
    --------
    monte_carlo_evaluation : mean returns.
    evaluate_policy : exact values from known probabilities.

    References
    ----------
    Sutton, R. and Barto, A. (2018). *Reinforcement Learning*, 2nd ed., chapters 6 and 12.

    Boyan, J. (2002). Technical update: least-squares temporal difference learning. Machine Learning 49, 233-246.

    Examples
    --------
    Two episodes, 0 → 1 → end with reward 1, and 1 → end with reward 0:

    >>> from statlearn.decision import td_evaluation
    >>> episodes = [([0, 1], [0.0, 1.0]), ([1], [0.0])]
    >>> td_evaluation(episodes, batch=True)  # 0 leads to 1, whose value is 1/2
    array([0.5, 0.5])
    >>> td_evaluation(episodes, lam=1.0, batch=True)  # the return from 0 was 1
    array([1. , 0.5])
    """
    check_share("lam", lam)
    check_share("step_size", step_size, None)
    if not isinstance(batch, (bool, np.bool_)):
        raise ValueError(f"`batch` must be a bool, got {batch!r}.")
    pairs, V = _checked(episodes, discount, n_states, V0)
    if batch:
        return _batch(pairs, float(lam), float(discount), len(V))
    V = V.tolist()
    fade = float(lam) * float(discount)
    for states, rewards, last in pairs:
        traces = {}
        following = [*states[1:], last]
        for state, reward, follower in zip(states, rewards, following):
            error = reward - V[state] + (0.0 if follower is None else discount * V[follower])
            if fade:
                traces = {s: fade * z for s, z in traces.items() if fade * z > 1e-16}
                traces[state] = traces.get(state, 0.0) + 1.0
                for s, z in traces.items():
                    V[s] += step_size * error * z
            else:
                V[state] += step_size * error
    return np.array(V)


def _batch(pairs, lam, discount, n):
    """Solution of sum z (V(s) - discount V(s')) = sum z r over all steps."""
    A, b = np.zeros((n, n)), np.zeros(n)
    visited = np.zeros(n, bool)
    for states, rewards, last in pairs:
        z = np.zeros(n)
        for state, reward, follower in zip(states, rewards, [*states[1:], last]):
            z *= discount * lam
            z[state] += 1.0
            A[:, state] += z
            if follower is not None:
                A[:, follower] -= discount * z
            b += reward * z
            visited[state] = True
    V = np.full(n, np.nan)
    ends = {last for _, _, last in pairs if last is not None}
    unknown = sorted(state for state in ends if not visited[state])
    if unknown:
        raise ValueError(
            f"An episode was interrupted in state {unknown[0]}, which no episode has left: its value is unknown."
        )
    try:
        V[visited] = np.linalg.solve(A[np.ix_(visited, visited)], b[visited])
    except np.linalg.LinAlgError:
        raise ValueError(
            "The values are not determined: no episode ends, and `discount` is 1. Use a smaller discount."
        ) from None
    return V


def monte_carlo_evaluation(episodes, *, first_visit=False, step_size=None, discount=1.0, V0=0.0, n_states=None):
    """Values of a policy from its episodes by Monte Carlo: mean returns after visits of a state.

    Parameters
    ----------
    episodes : list of Episode or of pairs (states, rewards)
        Complete episodes: an interrupted one has no return.
    first_visit : bool, default=False
        Count only the first visit of a state in an episode, whose mean is unbiased, or every visit.
    step_size : float or None, default=None
        Step in (0, 1] towards each return, from `V0` on. None takes means.
    discount : float, default=1
        Discount factor in [0, 1].
    V0 : float or array-like of shape (n_states,), default=0
        Values to start from, with `step_size`.
    n_states : int or None, default=None
        None means the largest state of the episodes, or the length of `V0`.

    Returns
    -------
    V : ndarray of shape (n_states,)
        Without `step_size`, NaN for states that no episode has visited.

    See Also
    --------
    td_evaluation : from single steps.

    References
    ----------
    Sutton, R. and Barto, A. (2018). *Reinforcement Learning*, 2nd ed., section 5.1.

    Examples
    --------
    >>> from statlearn.decision import monte_carlo_evaluation
    >>> monte_carlo_evaluation([([0, 1, 0], [1.0, 1.0, 1.0]), ([1], [4.0])])
    array([2., 3.])
    """
    if not isinstance(first_visit, (bool, np.bool_)):
        raise ValueError(f"`first_visit` must be a bool, got {first_visit!r}.")
    if step_size is not None:
        check_share("step_size", step_size, None)
    pairs, V = _checked(episodes, discount, n_states, V0)
    totals, counts = np.zeros(len(V)), np.zeros(len(V))
    for number, (states, rewards, last) in enumerate(pairs):
        if last is not None:
            raise ValueError(
                f"Episode {number} of `episodes` was interrupted in state {last}; Monte Carlo needs complete episodes. "
                "Use td_evaluation."
            )
        returns, total = [0.0] * len(rewards), 0.0
        for t in range(len(rewards) - 1, -1, -1):
            total = rewards[t] + discount * total
            returns[t] = total
        met = set()
        for state, value in zip(states, returns):
            if first_visit and state in met:
                continue
            met.add(state)
            if step_size is None:
                totals[state] += value
                counts[state] += 1
            else:
                V[state] += step_size * (value - V[state])
    if step_size is not None:
        return V
    return np.divide(totals, counts, out=np.full(len(V), np.nan), where=counts > 0)
