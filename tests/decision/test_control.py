"""Environments, Q-learning and Sarsa."""

from types import SimpleNamespace

import numpy as np
import pytest

from statlearn.decision import (
    CliffWalking,
    FiniteMDP,
    MDPSimulator,
    QLearning,
    RandomWalk,
    Sarsa,
    sample_episodes,
    value_iteration,
)
from tests.helpers import assert_close


def machine(discount=0.7):
    """The machine of the guide: new, worn, broken; use or replace."""
    use = [[0.7, 0.3, 0.0], [0.0, 0.6, 0.4], [0.0, 0.0, 1.0]]
    replace = [[1.0, 0.0, 0.0]] * 3
    return FiniteMDP([use, replace], np.array([[1.0, 0.2], [0.8, 0.2], [0.0, 0.2]]), discount=discount)


@pytest.mark.spec("CRS-88")
@pytest.mark.parametrize("double", [False, True])
def test_q_learning_tends_to_value_iteration(double, seed):
    mdp = machine()
    steps = 100 * (1 + double)
    settings = {"step_size": "decay", "epsilon": 1.0, "max_steps": steps, "double": double, "random_state": seed}
    agent = QLearning(400, **settings).fit(mdp)
    exact = value_iteration(mdp, tol=1e-10)
    assert np.abs(agent.Q_ - exact.Q).max() < 1e-2
    assert np.array_equal(agent.policy_, exact.policy)
    assert agent.n_visits_.sum() == agent.lengths_.sum() == 400 * steps


@pytest.mark.spec("CRS-88")
@pytest.mark.parametrize("expected", [False, True])
def test_sarsa_tends_to_value_iteration_as_exploration_ends(expected, seed):
    mdp = machine(0.5)
    settings = {"step_size": "decay", "epsilon": lambda k: max(0.02, k**-0.5), "max_steps": 100, "random_state": seed}
    agent = Sarsa(400, expected=expected, **settings).fit(mdp)
    assert np.array_equal(agent.policy_, value_iteration(mdp).policy)
    assert np.abs(agent.Q_ - value_iteration(mdp).Q).max() < 0.1  # it still explores


def greedy_path(agent):
    (episode,) = sample_episodes(CliffWalking(), agent.policy_, max_steps=100)
    return episode


@pytest.mark.spec("CRS-88")
def test_q_learning_walks_along_the_cliff_and_sarsa_keeps_away(seed):
    q = QLearning(1000, step_size=0.5, random_state=seed).fit(CliffWalking())
    edge = greedy_path(q)
    assert edge.terminated
    assert edge.rewards.sum() == -13
    assert np.all(edge.states[1:] // 12 == 2)  # the row above the cliff
    sarsa = Sarsa(3000, step_size=lambda n: n**-0.5, random_state=seed).fit(CliffWalking())
    away = greedy_path(sarsa)
    assert away.terminated
    assert away.rewards.sum() in (-15, -17)
    assert sarsa.returns_[-500:].mean() > q.returns_[-500:].mean() + 10  # it falls less often while it explores


def test_steps_of_cliff_walking_match_the_book():
    cliff = CliffWalking()
    with pytest.raises(RuntimeError, match="Call `reset` before `step`"):
        cliff.step(0)
    assert cliff.reset() == (36, {})
    assert cliff.step(3)[:3] == (36, -1.0, False)  # a wall
    assert cliff.step(0)[:3] == (24, -1.0, False)
    for _ in range(11):
        state = cliff.step(1)[0]
    assert state == 35
    assert cliff.step(2)[:3] == (47, -1.0, True)
    with pytest.raises(ValueError, match="`action` must be an int from 0 to 3, got 4"):
        cliff.step(4)


def test_simulated_processes_have_their_probabilities(seed):
    mdp = FiniteMDP([[[0.2, 0.5, 0.3], [0, 1, 0], [0, 0, 1]]], [1.0, 2.0, 3.0], terminal=[2])
    environment = MDPSimulator(mdp, start=0)
    environment.reset(seed=seed)
    counts = np.zeros(3)
    for _ in range(3000):
        environment.reset()
        counts[environment.step(0)[0]] += 1
    assert np.abs(counts / 3000 - [0.2, 0.5, 0.3]).max() < 0.04  # four standard errors
    environment = MDPSimulator(mdp, start=2)
    environment.reset()
    assert environment.step(0)[1:3] == (3.0, True)  # its reward is earned once


class Corridor:
    """Gymnasium's names, with arrays as observations and steps until the time is over."""

    action_space = SimpleNamespace(n=2)

    def reset(self, *, seed=None, options=None):
        self.place, self.time = 0, 0
        return np.array([self.place, 0.5]), {}

    def step(self, action):
        self.time += 1
        self.place = max(self.place + (1 if action else -1), 0)
        return np.array([self.place, 0.5]), float(self.place == 3), self.place == 3, self.time >= 50, {}


class OldCorridor(Corridor):
    """A bare observation, and four values from each step."""

    def reset(self):
        return super().reset()[0]

    def step(self, action):
        state, reward, done, late, info = super().step(action)
        return state, reward, done or late, info


@pytest.mark.spec("CRS-88")
@pytest.mark.parametrize("corridor", [Corridor, OldCorridor])
def test_environments_by_others(corridor):
    agent = QLearning(200, discount=0.9, random_state=0).fit(corridor())
    assert agent.states_[0] == (0.0, 0.5)
    going = dict(zip(agent.states_, agent.policy_))
    assert [going[(k, 0.5)] for k in (0.0, 1.0, 2.0)] == [1, 1, 1]
    episodes = sample_episodes(corridor(), lambda state: 0, n_episodes=2)
    assert all(len(e.rewards) == 50 for e in episodes)
    assert [len(e.states) for e in episodes] == ([51, 51] if corridor is Corridor else [50, 50])


def test_the_same_seed_gives_the_same_table():
    a, b = (Sarsa(50, random_state=3).fit(machine()) for _ in range(2))
    assert np.array_equal(a.Q_, b.Q_)
    assert "n_episodes=50" in repr(a)


@pytest.mark.parametrize("settings, message", [
    ({"epsilon": 2.0}, "`epsilon` must be a number in"),
    ({"step_size": 0.0}, "`step_size` must be a number in"),
    ({"n_episodes": 0}, "`n_episodes` must be an int of at least 1"),
    ({"discount": -0.1}, "`discount` must be a number in"),
    ({"initial_value": np.nan}, "`initial_value` must be a finite number"),
    ({"epsilon": lambda n: 3.0}, r"`epsilon\(1\)` must be a number in"),
])  # fmt: skip
def test_bad_settings_are_named(settings, message):
    with pytest.raises(ValueError, match=message):
        QLearning(**settings).fit(RandomWalk())


def broken(**changes):
    environment = CliffWalking()
    for name, value in changes.items():
        setattr(environment, name, value)
    return environment


@pytest.mark.parametrize("environment, message", [
    (object(), "`environment` must be a FiniteMDP or have the methods"),
    (SimpleNamespace(reset=list, step=list), "`environment` must have a finite number of actions"),
    (broken(n_actions=-1), "`n_actions` of the environment must be an int"),
    (broken(reset=lambda: 99), "returned state 99, but its states are 0 to 47"),
    (broken(reset=lambda: "x"), "must return states as ints, got 'x'"),
    (broken(step=lambda a: 3), "must return .state, reward"),
    (broken(step=lambda a: (0, np.nan, False, False, {})), "must return a finite reward, got nan"),
])  # fmt: skip
def test_broken_environments_are_named(environment, message):
    with pytest.raises((TypeError, ValueError), match=message):
        QLearning().fit(environment)


def test_policies_of_samples_are_checked():
    walk = RandomWalk(3)
    with pytest.raises(ValueError, match="`policy` must contain action numbers from 0 to 1"):
        sample_episodes(walk, [0, 2, 1])
    with pytest.raises(ValueError, match="`policy` must hold ints of shape"):
        sample_episodes(walk, [0, 1])
    (right,) = sample_episodes(walk, [[0.0, 1.0]] * 3)
    assert_close(right.rewards, [0.0, 1.0])
