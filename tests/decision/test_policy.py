"""Greedy policies, their exact values, simulated runs, and the QMDP rule."""

import numpy as np
import pytest

from statlearn.decision import (
    FiniteMDP,
    MultilinearInterpolator,
    QMDPPolicy,
    evaluate_policy,
    greedy_policy,
    policy_iteration,
    simulate,
    value_iteration,
)
from tests.decision.problems import random_mdp, random_sparse_mdp, two_states
from tests.helpers import assert_close


@pytest.mark.spec("MDP-04")
def test_evaluation_solves_the_equations_of_the_policy(seed):
    P, mdp = random_mdp(seed)
    rng = np.random.default_rng(seed)
    policy = rng.integers(3, size=6)
    V = evaluate_policy(mdp, policy)
    P_policy, R_policy = P[policy, np.arange(6)], mdp.reward[np.arange(6), policy]
    assert_close(V, R_policy + 0.9 * P_policy @ V)
    mixed = rng.dirichlet(np.ones(3), size=6)
    V = evaluate_policy(mdp, mixed)
    assert_close(V, (mixed * (mdp.reward + 0.9 * np.einsum("ast,t->sa", P, V))).sum(axis=1))


def test_large_processes_are_evaluated_by_a_sparse_factorisation(seed):
    P, mdp = random_sparse_mdp(seed, n=1500)
    policy = np.zeros(1500, dtype=int)
    V = evaluate_policy(mdp, policy)
    assert_close(V, mdp.reward[:, 0] + 0.9 * P[0] @ V)


@pytest.mark.spec("MDP-04")
def test_the_mean_return_of_runs_is_the_value(seed):
    _, mdp = random_mdp(seed, discount=0.7)
    solution = value_iteration(mdp, tol=1e-10)
    runs = simulate(mdp, solution.policy, 2, n_steps=60, n_runs=4000, random_state=seed)
    error = runs.returns.std() / np.sqrt(4000)
    assert abs(runs.returns.mean() - solution.V[2]) < 5 * error  # five standard errors
    again = simulate(mdp, solution.policy, 2, n_steps=60, n_runs=4000, random_state=seed)
    np.testing.assert_array_equal(runs.states, again.states)


def test_runs_follow_the_transitions(seed):
    P, mdp = random_mdp(seed, n=4, k=2)
    runs = simulate(mdp, np.full((4, 2), 0.5), 1, n_steps=1, n_runs=20_000, random_state=seed)
    share = np.bincount(runs.states[:, 1], minlength=4) / 20_000
    assert np.abs(share - P[:, 1].mean(axis=0)).max() < 5 * 0.5 / np.sqrt(20_000)  # five standard errors
    assert abs((runs.actions == 0).mean() - 0.5) < 5 * 0.5 / np.sqrt(20_000)


def test_runs_end_in_terminal_states():
    mdp = FiniteMDP([[[0, 1.0], [0, 0]]], [[1.0], [5.0]], discount=0.5, terminal=[1])
    runs = simulate(mdp, [0, 0], 0, n_steps=4)
    np.testing.assert_array_equal(runs.states, [[0, 1, 1, 1, 1]])
    np.testing.assert_array_equal(runs.rewards, [[1, 5, 0, 0]])
    np.testing.assert_array_equal(runs.actions, [[0, 0, -1, -1]])
    assert_close(runs.returns, [3.5])


def test_greedy_ties_go_to_the_lowest_number():
    np.testing.assert_array_equal(greedy_policy([[1, 1, 0], [0, 2, 2]]), [0, 1])


@pytest.mark.spec("MDP-05", "MDP-T3")
def test_a_belief_averages_the_action_values():
    policy = QMDPPolicy(value_iteration(two_states(), tol=1e-12))
    assert_close(policy.action_values([0.5, 0.5]), [9.05, 8.55])
    assert policy.action([0.5, 0.5]) == 0  # argmax, not max
    assert policy.action([0.9, 0.1]) == 1


@pytest.mark.spec("MDP-05", "MDP-P3")
def test_a_certain_belief_is_the_greedy_policy(seed):
    _, mdp = random_mdp(seed)
    solution = value_iteration(mdp)
    policy = QMDPPolicy(solution)
    for s, belief in enumerate(np.eye(6)):
        assert policy.action(belief) == solution.policy[s]
        assert policy.action([1.0], states=[s]) == solution.policy[s]
    np.testing.assert_array_equal(policy.actions(np.arange(6)), solution.policy)


def test_beliefs_over_points_interpolate(seed):
    grid = MultilinearInterpolator([[0, 1], [0, 2]])
    Q = np.random.default_rng(seed).normal(size=(4, 3))
    policy = QMDPPolicy(Q, grid)
    states = [[0.25, 0.5], [1, 2]]
    assert_close(policy.action_values([0.4, 0.6], states), 0.4 * grid.interpolate(states[:1], Q)[0] + 0.6 * Q[3])


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda m: evaluate_policy(m, [0, 2]), "`policy` must contain action numbers from 0 to 1"),
        (lambda m: evaluate_policy(m, [0.5, 0.5]), "`policy` must contain action numbers"),
        (lambda m: evaluate_policy(m, [[0.5, 0.6], [1, 0]]), "sum to 1"),
        (lambda m: evaluate_policy(m, [0]), "`policy` must have shape"),
        (lambda m: simulate(m, [0, 0], 2), "`start` must contain state numbers from 0 to 1"),
        (lambda m: simulate(m, [0, 0], 0, n_steps=0), "`n_steps`"),
        (lambda m: greedy_policy([1, 2]), "`Q` must have shape"),
        (lambda m: greedy_policy([[np.nan, 1]]), "`Q` must not contain NaN"),
        (lambda m: QMDPPolicy([[np.inf, 0]]), "`Q` must be a finite array"),
        (lambda m: QMDPPolicy(np.zeros((3, 2)), MultilinearInterpolator([[0, 1]])), "has 2 nodes"),
        (lambda m: QMDPPolicy(np.zeros((2, 2))).action([0.5, 0.6]), "sum to 1"),
        (lambda m: QMDPPolicy(np.zeros((2, 2))).action([1.0]), "`belief` must have length 2"),
        (lambda m: QMDPPolicy(np.zeros((2, 2))).actions([5]), "`states` must contain state numbers from 0 to 1"),
    ],
)
def test_wrong_input_raises_by_name(call, message):
    with pytest.raises(ValueError, match=message):
        call(two_states())


@pytest.mark.parametrize("call", [evaluate_policy, lambda m, p: simulate(m, p, 0)])
def test_other_objects_raise(call):
    with pytest.raises(TypeError, match="`mdp` must be a FiniteMDP, got ndarray"):
        call(np.eye(2), [0, 0])


@pytest.mark.spec("CRS-118")
def test_solutions_and_policies_can_be_simulated_and_evaluated():
    mdp = FiniteMDP([np.eye(2), np.eye(2)[::-1]], [[0, 0], [1, 0]], discount=0.9)
    solution = policy_iteration(mdp)
    expected = simulate(mdp, solution.policy, start=0, n_steps=4, random_state=0)
    for policy in (solution, QMDPPolicy(solution), lambda states: solution.policy[states]):
        np.testing.assert_array_equal(simulate(mdp, policy, 0, n_steps=4, random_state=0).states, expected.states)
        assert_close(evaluate_policy(mdp, policy), evaluate_policy(mdp, solution.policy))
    np.testing.assert_array_equal(QMDPPolicy(solution)([0, 1, 0]), solution.policy[[0, 1, 0]])
