"""Temporal differences and Monte Carlo."""

import numpy as np
import pytest

from statlearn.decision import RandomWalk, monte_carlo_evaluation, sample_episodes, td_evaluation
from tests.helpers import assert_close

EXACT = np.arange(1, 6) / 6


def walks(n, seed=0):
    return sample_episodes(RandomWalk(), n_episodes=n, random_state=seed)


@pytest.mark.spec("CRS-89")
def test_values_of_the_random_walk(seed):
    episodes = walks(2000, seed)
    assert np.abs(td_evaluation(episodes, batch=True) - EXACT).max() < 0.05
    assert np.abs(monte_carlo_evaluation(episodes) - EXACT).max() < 0.05
    for lam in (0.0, 0.5, 0.9):
        assert np.abs(td_evaluation(episodes, lam, step_size=0.01, V0=0.5) - EXACT).max() < 0.1


@pytest.mark.spec("CRS-89")
@pytest.mark.parametrize("discount", [1.0, 0.8])
def test_batches_with_lambda_1_are_monte_carlo(discount, seed):
    episodes = walks(30, seed)
    assert_close(td_evaluation(episodes, 1.0, batch=True, discount=discount),
                 monte_carlo_evaluation(episodes, discount=discount))  # fmt: skip


@pytest.mark.parametrize("lam", [0.0, 0.4])
def test_batches_are_the_limit_of_small_steps(lam):
    episodes = walks(20)
    V = np.full(5, 0.5)
    for step_size in (0.03, 0.01, 0.003):
        for _ in range(300):
            V = td_evaluation(episodes, lam, step_size=step_size, V0=V)
    assert_close(V, td_evaluation(episodes, lam, batch=True), atol=5e-3)  # of the order of the step


def test_batches_with_lambda_0_are_the_values_of_the_observed_frequencies():
    # Sutton and Barto, example 6.4: A 0 B 0; B 1 six times; B 0.
    episodes = [([0, 1], [0.0, 0.0])] + 6 * [([1], [1.0])] + [([1], [0.0])]
    assert_close(td_evaluation(episodes, batch=True), [0.75, 0.75])
    assert_close(monte_carlo_evaluation(episodes), [0.0, 0.75])


def slow_td(episodes, lam, alpha, discount, n):
    """The formulas of the docstring with arrays."""
    V = np.zeros(n)
    for states, rewards in episodes:
        z = np.zeros(n)
        for t, reward in enumerate(rewards):
            follower = V[states[t + 1]] if t + 1 < len(states) else 0.0
            delta = reward + discount * follower - V[states[t]]
            z = discount * lam * z + np.eye(n)[states[t]]
            V = V + alpha * delta * z
    return V


@pytest.mark.parametrize("lam", [0.0, 0.6, 1.0])
def test_steps_match_the_docstring(lam, rng):
    episodes = [(rng.integers(0, 4, size), rng.normal(size=size)) for size in (5, 3, 9)]
    episodes.append((rng.integers(0, 4, 6), rng.normal(size=5)))  # interrupted
    assert_close(td_evaluation(episodes, lam, step_size=0.3, discount=0.9), slow_td(episodes, lam, 0.3, 0.9, 4))


def test_first_and_every_visit_and_constant_steps():
    episode = [([0, 0, 1], [1.0, 2.0, 3.0])]
    assert_close(monte_carlo_evaluation(episode), [5.5, 3.0])
    assert_close(monte_carlo_evaluation(episode, first_visit=True), [6.0, 3.0])
    assert_close(monte_carlo_evaluation(episode, step_size=0.5, V0=[2.0, 1.0, 7.0]), [4.5, 2.0, 7.0])
    assert np.isnan(monte_carlo_evaluation(episode, n_states=3)[2])
    assert np.isnan(td_evaluation(episode, batch=True, n_states=3)[2])


@pytest.mark.parametrize("episodes, settings, message", [
    ([], {}, "`episodes` must hold at least one episode"),
    ([3], {}, "episode 0 is neither"),
    ([([0, 1, 2], [1.0])], {}, "Episode 0 of `episodes` must have a reward for each state"),
    ([([0, -1], [1.0, 1.0])], {}, "must have ints from 0 as states"),
    ([([0], [np.inf])], {}, "must have finite rewards"),
    ([([0], [1.0])], {"lam": 1.5}, "`lam` must be a number in"),
    ([([4], [1.0])], {"n_states": 2}, "`n_states`=2 is too small"),
    ([([0], [1.0])], {"V0": [0.0, np.nan]}, "`V0` must be a finite number"),
    ([([0, 1], [1.0])], {"batch": True}, "interrupted in state 1, which no episode has left"),
    ([([0, 0], [1.0])], {"batch": True}, "The values are not determined"),
])  # fmt: skip
def test_bad_arguments_are_named(episodes, settings, message):
    with pytest.raises((TypeError, ValueError), match=message):
        td_evaluation(episodes, **settings)


def test_interrupted_episodes_raise_in_monte_carlo():
    with pytest.raises(ValueError, match=r"Episode 0 of `episodes` was interrupted in state 1.*Use td_evaluation"):
        monte_carlo_evaluation([([0, 1], [1.0])])
