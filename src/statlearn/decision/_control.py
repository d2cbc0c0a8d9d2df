"""Learning to act from rewards: Q-learning and Sarsa."""

import numbers
import random

import numpy as np
from sklearn.utils import check_random_state

from ._environments import EnvironmentCalls, check_count
from ._finite_mdp import FiniteMDP

_DECAY = 0.7  # of steps: sums of n^-.7 diverge, sums of squares do not


def check_share(name, value, low=0.0):
    """Raise unless the value is a number in [low, 1], or in (0, 1] if low is None."""
    real = isinstance(value, numbers.Real) and not isinstance(value, bool)
    inside = real and (0.0 < value <= 1.0 if low is None else low <= value <= 1.0)
    if not inside:
        raise ValueError(f"`{name}` must be a number in {'(0, 1]' if low is None else f'[{low:g}, 1]'}, got {value!r}.")


def _schedule(name, value, decay):
    """Schedule as a function of a count from 1: a constant, `decay` for "decay", or a checked function."""
    if isinstance(value, str) and value == "decay":
        return decay
    if not callable(value):
        check_share(name, value, None if name == "step_size" else 0.0)
        return lambda n: value

    def checked(n):
        check_share(f"{name}({n})", value(n))
        return value(n)

    return checked


class _TabularControl:
    """Loop over episodes, and the state of the table."""

    def __init__(
        self,
        n_episodes=500,
        *,
        step_size=0.1,
        epsilon=0.1,
        discount=None,
        initial_value=0.0,
        max_steps=1000,
        random_state=None,
    ):
        self.n_episodes = n_episodes
        self.step_size = step_size
        self.epsilon = epsilon
        self.discount = discount
        self.initial_value = initial_value
        self.max_steps = max_steps
        self.random_state = random_state

    def __repr__(self):
        settings = ", ".join(f"{name}={value!r}" for name, value in vars(self).items() if not name.endswith("_"))
        return f"{type(self).__name__}({settings})"

    def _checked(self, environment):
        check_count("n_episodes", self.n_episodes)
        check_count("max_steps", self.max_steps)
        if not isinstance(self.initial_value, numbers.Real) or not np.isfinite(self.initial_value):
            raise ValueError(f"`initial_value` must be a finite number, got {self.initial_value!r}.")
        discount = self.discount
        if discount is None:
            discount = environment.discount if isinstance(environment, FiniteMDP) else 1.0
        check_share("discount", discount)
        return float(discount)

    def fit(self, environment):
        """Learn from episodes.

        Parameters
        ----------
        environment : FiniteMDP or object with reset() and step(action)
            Gymnasium's protocol: `reset` returns (state, info), `step` returns (state, reward, terminated, truncated,
            info), and the number of actions is `n_actions` or ``action_space.n``. A process is sampled, with random
            first states.

        Returns
        -------
        self
        """
        discount = self._checked(environment)
        alpha = _schedule("step_size", self.step_size, lambda n: n**-_DECAY)
        epsilon = _schedule("epsilon", self.epsilon, lambda n: 1.0 / n)
        rng = check_random_state(self.random_state)
        calls = EnvironmentCalls(environment, rng)
        draw = random.Random(int(rng.randint(2**31 - 1)))  # many single numbers: faster than numpy's
        table = _ValueTable(calls, float(self.initial_value), getattr(self, "double", False), draw)
        returns, lengths = np.zeros(self.n_episodes), np.zeros(self.n_episodes, dtype=np.intp)
        for episode in range(self.n_episodes):
            rate = epsilon(episode + 1)
            state = calls.reset()
            action = table.choose(state, rate)
            for step in range(self.max_steps):
                follower, reward, terminated, truncated = calls.step(action)
                following = table.choose(follower, rate)
                self._update(
                    table, alpha, discount, rate, state, action, reward, None if terminated else follower, following
                )
                returns[episode] += reward
                lengths[episode] = step + 1
                if terminated or truncated:
                    break
                # Q-learning acts by the table after the update, Sarsa takes the action whose value it has used.
                state, action = follower, following if self._on_policy else table.choose(follower, rate)
        self.Q_ = table.values()
        if not np.isfinite(self.Q_).all():
            raise ValueError("The values have left the floating-point range; use a discount below 1 or a smaller step.")
        self.n_visits_ = np.array(table.visits).reshape(self.Q_.shape)
        self.policy_ = self.Q_.argmax(axis=1)
        self.returns_, self.lengths_ = returns, lengths
        self.states_ = None if calls.states is None else list(calls.states)
        return self


class _ValueTable:
    """Values of actions as lists, which are faster than arrays one entry at a time."""

    def __init__(self, calls, start, double, draw):
        self.calls, self.start, self.draw, self.k = calls, start, draw, calls.n_actions
        self.tables = [[] for _ in range(2 if double else 1)]
        self.visits = []
        self._grow()

    def _grow(self):
        while len(self.visits) < len(self.calls):
            self.visits.append([0] * self.k)
            for table in self.tables:
                table.append([self.start] * self.k)

    def row(self, state):
        """Values of the actions in a state; the mean of two tables."""
        if state >= len(self.visits):
            self._grow()
        if len(self.tables) == 1:
            return self.tables[0][state]
        return [0.5 * (a + b) for a, b in zip(self.tables[0][state], self.tables[1][state])]

    def best(self, row):
        """Best action, one of several at random."""
        top = max(row)
        ties = [a for a, q in enumerate(row) if q == top]
        return ties[0] if len(ties) == 1 else self.draw.choice(ties)

    def choose(self, state, epsilon):
        """Any action with probability epsilon, otherwise the best one."""
        row = self.row(state)
        return int(self.draw.random() * self.k) if self.draw.random() < epsilon else self.best(row)

    def move(self, table, state, action, alpha, target):
        """Move a value towards a target."""
        self.visits[state][action] += 1
        row = table[state]
        row[action] += alpha(self.visits[state][action]) * (target - row[action])

    def values(self):
        """The table as an array; the mean of two."""
        self._grow()
        return np.mean([np.array(table, dtype=np.float64).reshape(-1, self.k) for table in self.tables], axis=0)


class QLearning(_TabularControl):
    r"""Q-learning: the values of the best policy, learned while another one acts.

    After each step from s to s' with action a and reward r,

    .. math:: Q(s, a) \leftarrow Q(s, a) + \alpha \left( r + \gamma \max_{a'} Q(s', a') - Q(s, a) \right)

    and actions are chosen ε-greedily. If every pair is visited infinitely often and the steps decrease, Q tends to the
    values of :func:`value_iteration`.

    Parameters
    ----------
    n_episodes : int, default=500
    step_size : float, "decay" or callable, default=0.1
        Step α: a constant; ``n**-0.7`` after n visits of the pair; or a function of n.
    epsilon : float, "decay" or callable, default=0.1
        Probability of a random action: a constant, ``1 / k`` in episode k, or a function of k.
    discount : float or None, default=None
        Discount factor in [0, 1]. None means that of a `FiniteMDP`, and 1 for other environments.
    initial_value : float, default=0
        First entry of the table. A value above all returns makes untried actions attractive.
    max_steps : int, default=1000
        Number of steps after which an episode is interrupted.
    random_state : int, RandomState or None, default=None
    double : bool, default=False
        Double Q-learning: of two tables, one chooses the best next action and the other one values it. The maximum of
        noisy values is too large on average, and this is not.

    Attributes
    ----------
    Q_ : ndarray of shape (n_states, n_actions)
        Values of the actions; the mean of the two tables of double Q-learning.
    policy_ : ndarray of int of shape (n_states,)
        Greedy action of each state, the lowest number among equals.
    n_visits_ : ndarray of int of shape (n_states, n_actions)
        Number of updates of each pair. Values of pairs that were hardly visited mean nothing.
    returns_ : ndarray of shape (n_episodes,)
        Sum of the rewards of each episode, not discounted.
    lengths_ : ndarray of int of shape (n_episodes,)
        Number of steps of each episode.
    states_ : list or None
        The states in the order of the table, for an environment whose states are not numbers below a known count.

    See Also
    --------
    Sarsa : values of the policy that acts.
    value_iteration : the same values from known probabilities.

    Notes
    -----
    Rewards of random actions are part of `returns_`: in cliff walking Q-learning finds the shortest path along the
    edge, and falls from it while it explores. With a constant step the values keep fluctuating.

    References
    ----------
    Watkins, C. and Dayan, P. (1992). Q-learning. Machine Learning 8, 279-292.

    van Hasselt, H. (2010). Double Q-learning. NIPS 23.

    Sutton, R. and Barto, A. (2018). *Reinforcement Learning*, 2nd ed., sections 6.5 and 6.7.

    Examples
    --------
    >>> from statlearn.decision import CliffWalking, QLearning, sample_episodes
    >>> agent = QLearning(random_state=0, step_size=0.5).fit(CliffWalking())
    >>> (episode,) = sample_episodes(CliffWalking(), agent.policy_)
    >>> episode.rewards.sum()
    np.float64(-13.0)
    """

    _on_policy = False

    def __init__(
        self,
        n_episodes=500,
        *,
        step_size=0.1,
        epsilon=0.1,
        discount=None,
        initial_value=0.0,
        max_steps=1000,
        random_state=None,
        double=False,
    ):
        super().__init__(
            n_episodes,
            step_size=step_size,
            epsilon=epsilon,
            discount=discount,
            initial_value=initial_value,
            max_steps=max_steps,
            random_state=random_state,
        )
        self.double = double

    def _checked(self, environment):
        if not isinstance(self.double, bool):
            raise ValueError(f"`double` must be a bool, got {self.double!r}.")
        return super()._checked(environment)

    def _update(self, table, alpha, discount, epsilon, state, action, reward, follower, following):
        values_here, other = table.tables[0], table.tables[-1]
        if self.double and table.draw.random() < 0.5:
            values_here, other = other, values_here
        future = 0.0 if follower is None else other[follower][table.best(values_here[follower])]
        table.move(values_here, state, action, alpha, reward + discount * future)


class Sarsa(_TabularControl):
    r"""Sarsa: the values of the ε-greedy policy that acts, which improves as it learns.

    After each step from s to s' with action a and reward r, and with the next action a',

    .. math:: Q(s, a) \leftarrow Q(s, a) + \alpha \left( r + \gamma Q(s', a') - Q(s, a) \right)

    Expected Sarsa replaces Q(s', a') by its mean over the next action, which has less noise.

    Parameters
    ----------
    n_episodes : int, default=500
    step_size : float, "decay" or callable, default=0.1
        Step α: a constant; ``n**-0.7`` after n visits of the pair; or a function of n.
    epsilon : float, "decay" or callable, default=0.1
        Probability of a random action: a constant, ``1 / k`` in episode k, or a function of k.
    discount : float or None, default=None
        Discount factor in [0, 1]. None means that of a `FiniteMDP`, and 1 for other environments.
    initial_value : float, default=0
        First entry of the table.
    max_steps : int, default=1000
        Number of steps after which an episode is interrupted.
    random_state : int, RandomState or None, default=None
    expected : bool, default=False
        Expected Sarsa.

    Attributes
    ----------
    Q_ : ndarray of shape (n_states, n_actions)
        Values of the actions.
    policy_ : ndarray of int of shape (n_states,)
        Greedy action of each state, the lowest number among equals.
    n_visits_ : ndarray of int of shape (n_states, n_actions)
        Number of updates of each pair.
    returns_ : ndarray of shape (n_episodes,)
        Sum of the rewards of each episode, not discounted.
    lengths_ : ndarray of int of shape (n_episodes,)
        Number of steps of each episode.
    states_ : list or None
        The states in the order of the table, for an environment whose states are not numbers below a known count.

    See Also
    --------
    QLearning : values of the best policy.

    Notes
    -----
    The values include the cost of random actions. In cliff walking Sarsa therefore keeps away from the edge: its path
    is longer, and it earns more while it explores. With an ε that decreases to 0 both methods have the same limit.

    References
    ----------
    Sutton, R. and Barto, A. (2018). *Reinforcement Learning*, 2nd ed., sections 6.4 and 6.6.

    Examples
    --------
    >>> from statlearn.decision import CliffWalking, Sarsa, sample_episodes
    >>> agent = Sarsa(2000, expected=True, step_size=0.5, random_state=0).fit(CliffWalking())
    >>> (episode,) = sample_episodes(CliffWalking(), agent.policy_)
    >>> episode.rewards.sum()
    np.float64(-15.0)
    """

    _on_policy = True

    def __init__(
        self,
        n_episodes=500,
        *,
        step_size=0.1,
        epsilon=0.1,
        discount=None,
        initial_value=0.0,
        max_steps=1000,
        random_state=None,
        expected=False,
    ):
        super().__init__(
            n_episodes,
            step_size=step_size,
            epsilon=epsilon,
            discount=discount,
            initial_value=initial_value,
            max_steps=max_steps,
            random_state=random_state,
        )
        self.expected = expected

    def _checked(self, environment):
        if not isinstance(self.expected, bool):
            raise ValueError(f"`expected` must be a bool, got {self.expected!r}.")
        return super()._checked(environment)

    def _update(self, table, alpha, discount, epsilon, state, action, reward, follower, following):
        if follower is None:
            future = 0.0
        elif self.expected:
            row = table.row(follower)
            future = (1.0 - epsilon) * max(row) + epsilon * sum(row) / len(row)
        else:
            future = table.row(follower)[following]
        table.move(table.tables[0], state, action, alpha, reward + discount * future)
