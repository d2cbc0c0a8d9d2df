"""Environments with Gymnasium's `reset` and `step`, and the calls of environments by others."""

import inspect
import numbers
from dataclasses import dataclass, field

import numpy as np
from sklearn.utils import check_random_state

from ._finite_mdp import FiniteMDP

_MOST_STATES = 1_000_000


class _Seeded:
    """Mixin with a seeded `reset`, as in Gymnasium."""

    _rng = None

    def _seed(self, seed):
        if seed is not None or self._rng is None:
            self._rng = np.random.default_rng(seed)


class CliffWalking(_Seeded):
    """Cliff walking: a grid with a cliff along the lower edge, between the start and the goal.

    Every step earns -1. A step into the cliff earns -100 and leads back to the start. Actions are 0 up, 1 right, 2 down
    and 3 left, and a step against a wall has no effect. States are numbered row by row from the upper left.

    Parameters
    ----------
    height, width : int, default=4, 12
        Size of the grid.

    Attributes
    ----------
    n_states, n_actions : int

    References
    ----------
    Sutton, R. and Barto, A. (2018). *Reinforcement Learning*, 2nd ed., example 6.6.

    Examples
    --------
    >>> from statlearn.decision import CliffWalking
    >>> cliff = CliffWalking()
    >>> cliff.reset()[0], cliff.step(1)[:3]
    (36, (36, -100.0, False))
    """

    moves = ((-1, 0), (0, 1), (1, 0), (0, -1))

    def __init__(self, height=4, width=12):
        for name, value, low in (("height", height, 2), ("width", width, 3)):
            if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or not low <= value <= 1000:
                raise ValueError(f"`{name}` must be an int from {low} to 1000, got {value!r}.")
        self.height, self.width = int(height), int(width)
        self.n_states, self.n_actions = self.height * self.width, 4
        self._state = None

    def reset(self, *, seed=None, options=None):
        """Go to the start.

        Parameters
        ----------
        seed : int or None, default=None
            Without effect: nothing is random.
        options : ignored

        Returns
        -------
        state : int
        info : dict
        """
        self._state = (self.height - 1) * self.width
        return self._state, {}

    def step(self, action):
        """Take a step.

        Parameters
        ----------
        action : int

        Returns
        -------
        state : int
        reward : float
        terminated, truncated : bool
        info : dict
        """
        down, right = self.moves[_checked_action(self, action)]
        row, column = divmod(self._state, self.width)
        row = min(max(row + down, 0), self.height - 1)
        column = min(max(column + right, 0), self.width - 1)
        bottom = row == self.height - 1
        if bottom and 0 < column < self.width - 1:
            return self.reset()[0], -100.0, False, False, {}
        self._state = row * self.width + column
        return self._state, -1.0, bool(bottom and column == self.width - 1), False, {}


class RandomWalk(_Seeded):
    """Random walk: a row of states, a reward of 1 for leaving it on the right and of 0 on the left.

    Action 0 goes left and 1 goes right. If both are equally probable, the values of n states are k / (n + 1), k = 1 to
    n. Walks begin in the middle.

    Parameters
    ----------
    n_states : int, default=5

    Attributes
    ----------
    n_states, n_actions : int

    References
    ----------
    Sutton, R. and Barto, A. (2018). *Reinforcement Learning*, 2nd ed., example 6.2.

    Examples
    --------
    >>> from statlearn.decision import RandomWalk
    >>> walk = RandomWalk(3)
    >>> walk.reset()[0], walk.step(1)[:3], walk.step(1)[1:3]
    (1, (2, 0.0, False), (1.0, True))
    """

    def __init__(self, n_states=5):
        if isinstance(n_states, bool) or not isinstance(n_states, (int, np.integer)) or not 1 <= n_states <= 10**6:
            raise ValueError(f"`n_states` must be an int from 1 to 1,000,000, got {n_states!r}.")
        self.n_states, self.n_actions = int(n_states), 2
        self._state = None

    def reset(self, *, seed=None, options=None):
        """Go to the middle.

        Parameters
        ----------
        seed : int or None, default=None
            Without effect: what is random are the actions.
        options : ignored

        Returns
        -------
        state : int
        info : dict
        """
        self._state = self.n_states // 2
        return self._state, {}

    def step(self, action):
        """Take a step. The state after the end is the last one of the row.

        Parameters
        ----------
        action : int

        Returns
        -------
        state : int
        reward : float
        terminated, truncated : bool
        info : dict
        """
        state = self._state + (1 if _checked_action(self, action) else -1)
        if not 0 <= state < self.n_states:
            return self._state, float(state > 0), True, False, {}
        self._state = state
        return state, 0.0, False, False, {}


class MDPSimulator(_Seeded):
    """Finite Markov decision process as an environment that hides its probabilities.

    A step in a terminal state earns its reward and ends the episode.

    Parameters
    ----------
    mdp : FiniteMDP
    start : int or None, default=None
        First state of every episode. None draws any state, so that all of them are visited.

    Attributes
    ----------
    n_states, n_actions : int

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.decision import FiniteMDP, MDPSimulator
    >>> mdp = FiniteMDP([np.eye(2), np.eye(2)[::-1]], [[0, 0], [1, 0]], discount=0.9)
    >>> environment = MDPSimulator(mdp, start=0)
    >>> environment.reset(seed=0)[0], environment.step(1)[:3]
    (0, (1, 0.0, False))
    """

    def __init__(self, mdp, start=None):
        if not isinstance(mdp, FiniteMDP):
            raise TypeError(f"`mdp` must be a FiniteMDP, got {type(mdp).__name__}.")
        whole = isinstance(start, (int, np.integer)) and not isinstance(start, bool)
        if start is not None and not (whole and 0 <= start < mdp.n_states):
            raise ValueError(f"`start` must be a state number from 0 to {mdp.n_states - 1} or None, got {start!r}.")
        self.n_states, self.n_actions = mdp.n_states, mdp.n_actions
        self._start, self._reward, self._terminal = start, mdp.reward, mdp.terminal
        table = mdp.transitions
        self._rows, self._next = table.indptr, table.indices
        self._cumulative = np.cumsum(table.data)
        self._state = None

    def reset(self, *, seed=None, options=None):
        """Begin an episode.

        Parameters
        ----------
        seed : int or None, default=None
        options : ignored

        Returns
        -------
        state : int
        info : dict
        """
        self._seed(seed)
        self._state = int(self._rng.integers(self.n_states)) if self._start is None else int(self._start)
        return self._state, {}

    def step(self, action):
        """Take a step.

        Parameters
        ----------
        action : int

        Returns
        -------
        state : int
        reward : float
        terminated, truncated : bool
        info : dict
        """
        action = _checked_action(self, action)
        reward = float(self._reward[self._state, action])
        if self._terminal[self._state]:
            return self._state, reward, True, False, {}
        pair = self._state * self.n_actions + action
        first, end = self._rows[pair], self._rows[pair + 1]
        low = self._cumulative[first - 1] if first else 0.0
        drawn = low + self._rng.random() * (self._cumulative[end - 1] - low)
        place = first + np.searchsorted(self._cumulative[first:end], drawn, side="right")
        self._state = int(self._next[min(place, end - 1)])
        return self._state, reward, False, False, {}


def _checked_action(environment, action):
    """An action as an int; `reset` must have been called."""
    if environment._state is None:
        raise RuntimeError("Call `reset` before `step`.")
    if not isinstance(action, (int, np.integer)) or not 0 <= action < environment.n_actions:
        raise ValueError(f"`action` must be an int from 0 to {environment.n_actions - 1}, got {action!r}.")
    return int(action)


class EnvironmentCalls:
    """`reset` and `step` of any environment, checked, with states as numbers from 0.

    Environments of Gymnasium return (observation, info) and five values; those with a bare observation and four values
    (observation, reward, done, info) are understood, too. States that are not numbers below a known count are numbered
    in the order in which they are met.
    """

    def __init__(self, environment, random_state):
        if isinstance(environment, FiniteMDP):
            environment = MDPSimulator(environment)
        for method in ("reset", "step"):
            if not callable(getattr(environment, method, None)):
                raise TypeError(
                    f"`environment` must be a FiniteMDP or have the methods reset() and step(action), got "
                    f"{type(environment).__name__}."
                )
        self.environment = environment
        self.n_actions = _count(environment, "n_actions", "action_space")
        if self.n_actions is None:
            raise TypeError("`environment` must have a finite number of actions, as n_actions or action_space.n.")
        self.n_states = _count(environment, "n_states", "observation_space")
        self.states = None if self.n_states is not None else {}
        self._seed = int(check_random_state(random_state).randint(2**31 - 1))

    def reset(self):
        """First state of an episode."""
        if self._seed is not None and _takes_seed(self.environment.reset):
            result = self.environment.reset(seed=self._seed)
        else:
            result = self.environment.reset()
        self._seed = None
        pair = isinstance(result, tuple) and len(result) == 2 and isinstance(result[1], dict)
        return self._number(result[0] if pair else result)

    def step(self, action):
        """Next state, reward, and whether the process has ended or was interrupted."""
        result = self.environment.step(action)
        if not isinstance(result, tuple) or len(result) not in (4, 5):
            raise TypeError("`environment.step` must return (state, reward, terminated, truncated, info).")
        reward = result[1]
        if not isinstance(reward, (numbers.Real, np.ndarray)) or np.size(reward) != 1 or not np.isfinite(reward):
            raise ValueError(f"`environment.step` must return a finite reward, got {reward!r}.")
        truncated = bool(result[3]) if len(result) == 5 else False
        return self._number(result[0]), float(reward), bool(result[2]), truncated

    def _number(self, state):
        if self.states is None:
            if np.size(state) != 1 or not np.issubdtype(np.asarray(state).dtype, np.integer):
                raise ValueError(f"`environment` must return states as ints, got {state!r}.")
            state = int(np.asarray(state).reshape(()))
            if not 0 <= state < self.n_states:
                raise ValueError(f"`environment` returned state {state}, but its states are 0 to {self.n_states - 1}.")
            return state
        key = tuple(np.asarray(state).ravel().tolist()) if isinstance(state, (np.ndarray, list)) else state
        number = self.states.setdefault(key, len(self.states))
        if number >= _MOST_STATES:
            raise ValueError(f"`environment` has more than {_MOST_STATES:,} distinct states; make them coarser.")
        return number

    def __len__(self):
        return self.n_states if self.states is None else len(self.states)


def _count(environment, name, space):
    """A number of states or actions, from an attribute or a discrete space of Gymnasium."""
    number = getattr(environment, name, getattr(getattr(environment, space, None), "n", None))
    if number is None:
        return None
    if isinstance(number, bool) or not isinstance(number, (int, np.integer)) or not 1 <= number <= _MOST_STATES:
        raise ValueError(f"`{name}` of the environment must be an int from 1 to {_MOST_STATES:,}, got {number!r}.")
    return int(number)


def _takes_seed(reset):
    try:
        return "seed" in inspect.signature(reset).parameters
    except (TypeError, ValueError):
        return False


@dataclass
class Episode:
    """One episode of an environment.

    Parameters
    ----------
    states : ndarray of int of shape (n_steps,) or (n_steps + 1,)
        The state before each step, and the last one if the episode was interrupted rather than ended.
    actions : ndarray of int of shape (n_steps,)
    rewards : ndarray of shape (n_steps,)
    terminated : bool
        Whether the process has ended.

    Examples
    --------
    >>> from statlearn.decision import RandomWalk, sample_episodes
    >>> (episode,) = sample_episodes(RandomWalk(3), [1, 1, 1])
    >>> episode.states, episode.rewards, episode.terminated
    (array([1, 2]), array([0., 1.]), True)
    """

    states: np.ndarray
    actions: np.ndarray = field(repr=False)
    rewards: np.ndarray
    terminated: bool


def sample_episodes(environment, policy=None, *, n_episodes=1, max_steps=1000, random_state=None):
    """Episodes of a policy in an environment.

    Parameters
    ----------
    environment : FiniteMDP or object with reset() and step(action)
    policy : array-like of int of shape (n_states,), or of float of shape (n_states, n_actions), callable or None
        Action of each state, probabilities of the actions in each state, or a function from a state to an action. None
        draws all actions with the same probability.
    n_episodes : int, default=1
    max_steps : int, default=1000
        Number of steps after which an episode is interrupted.
    random_state : int, RandomState or None, default=None

    Returns
    -------
    episodes : list of Episode

    Examples
    --------
    >>> from statlearn.decision import CliffWalking, sample_episodes
    >>> episodes = sample_episodes(CliffWalking(), n_episodes=2, max_steps=50, random_state=0)
    >>> [len(episode.rewards) for episode in episodes]
    [50, 50]
    """
    check_count("n_episodes", n_episodes)
    check_count("max_steps", max_steps)
    rng = check_random_state(random_state)
    calls = EnvironmentCalls(environment, rng)
    choose = _chooser(policy, calls, rng)
    episodes = []
    for _ in range(n_episodes):
        states, actions, rewards = [calls.reset()], [], []
        terminated = truncated = False
        while not terminated and not truncated and len(rewards) < max_steps:
            action = choose(states[-1])
            state, reward, terminated, truncated = calls.step(action)
            actions.append(action)
            rewards.append(reward)
            states.append(state)
        episodes.append(
            Episode(np.array(states[:-1] if terminated else states), np.array(actions), np.array(rewards), terminated)
        )
    return episodes


def _chooser(policy, calls, rng):
    """A function from the number of a state to an action."""
    k = calls.n_actions
    if policy is None:
        return lambda state: int(rng.randint(k))
    if callable(policy):
        return lambda state: int(policy(state))
    if calls.n_states is None:
        raise ValueError("`policy` must be a function or None: the states of the environment are not numbered.")
    table = np.asarray(policy)
    if table.shape == (calls.n_states,) and np.issubdtype(table.dtype, np.integer):
        if table.min() < 0 or table.max() >= k:
            raise ValueError(f"`policy` must contain action numbers from 0 to {k - 1}.")
        return lambda state: int(table[state])
    if table.shape != (calls.n_states, k):
        raise ValueError(
            f"`policy` must hold ints of shape ({calls.n_states},) or probabilities of shape ({calls.n_states}, {k}), "
            f"got shape {table.shape}."
        )
    table = table.astype(np.float64)
    if not np.isfinite(table).all() or (table < 0).any() or np.abs(table.sum(axis=1) - 1).max() > 1e-8:
        raise ValueError("`policy` must have rows of probabilities that sum to 1.")
    ends = np.cumsum(table, axis=1)
    return lambda state: int(min(np.searchsorted(ends[state], rng.random_sample(), side="right"), k - 1))


def check_count(name, value):
    """Raise unless the value is an int of at least 1."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < 1:
        raise ValueError(f"`{name}` must be an int of at least 1, got {value!r}.")
