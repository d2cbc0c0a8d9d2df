"""Value iteration, policy iteration and what lies between them."""

import itertools

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

import statlearn
from statlearn.decision import (
    FactoredMDP,
    FiniteMDP,
    evaluate_policy,
    modified_policy_iteration,
    policy_iteration,
    value_iteration,
)
from tests.decision.problems import random_mdp, random_sparse_mdp, two_states
from tests.helpers import assert_close

SOLVERS = [
    pytest.param(lambda m: value_iteration(m, tol=1e-10), id="synchronous"),
    pytest.param(lambda m: value_iteration(m, tol=1e-10, method="gauss-seidel"), id="gauss-seidel"),
    pytest.param(policy_iteration, id="policy"),
    pytest.param(lambda m: modified_policy_iteration(m, tol=1e-10), id="modified"),
]


@pytest.mark.spec("MDP-02", "MDP-T3")
@pytest.mark.parametrize("solve", SOLVERS)
def test_two_states(solve):
    solution = solve(two_states())
    assert_close(solution.V, [9, 10])
    assert_close(solution.Q, [[8.1, 9], [10, 8.1]])
    np.testing.assert_array_equal(solution.policy, [1, 0])
    assert solution.converged


@pytest.mark.parametrize("solve", SOLVERS)
def test_absorbing_and_unreachable_states(solve):
    # State 2 keeps the process and pays 1 a step; no state leads to state 0.
    go, stay = np.array([[0, 1, 0], [0, 0, 1], [0, 0, 1]]), np.array([[0, 1, 0], [0, 1, 0], [0, 0, 1]])
    solution = solve(FiniteMDP([go, stay], [[5, 5], [0, 0.5], [1, 1]], discount=0.9))
    assert_close(solution.V, [5 + 0.9 * 9, 9, 10])
    np.testing.assert_array_equal(solution.policy, [0, 0, 0])
    assert type(solution.error_bound) is float


@pytest.mark.spec("MDP-02", "MDP-P2")
@pytest.mark.parametrize("solve", SOLVERS)
def test_the_optimal_policy_matches_brute_force(solve, seed):
    _, mdp = random_mdp(seed, n=4, k=3)
    values = np.array([evaluate_policy(mdp, p) for p in itertools.product(range(3), repeat=4)])
    solution = solve(mdp)
    assert_close(solution.V, values.max(axis=0), rtol=1e-6)
    assert (values <= solution.V + 1e-7).all()
    assert_close(evaluate_policy(mdp, solution.policy), solution.V, rtol=1e-6)


@pytest.mark.spec("MDP-P1")
def test_sweeps_contract_by_the_discount_towards_one_fixed_point(seed):
    _, mdp = random_mdp(seed, n=10, discount=0.8)
    rng = np.random.default_rng(seed)
    solution = value_iteration(mdp, tol=1e-10)
    assert (solution.changes[1:] <= 0.8 * solution.changes[:-1] + 1e-12).all()
    for method in ("synchronous", "gauss-seidel"):
        other = value_iteration(mdp, tol=1e-10, method=method, Q0=100 * rng.normal(size=(10, 3)))
        assert_close(other.V, solution.V, rtol=1e-8, atol=1e-8)


@pytest.mark.spec("MDP-02")
@pytest.mark.parametrize("method", ["synchronous", "gauss-seidel"])
def test_the_error_bound_holds_and_is_at_most_tol(method, seed):
    _, mdp = random_mdp(seed, n=10, discount=0.95)
    exact = policy_iteration(mdp).V
    for tol in (1.0, 1e-2, 1e-5):
        solution = value_iteration(mdp, tol=tol, method=method)
        assert solution.error_bound <= tol
        assert np.abs(solution.V - exact).max() <= solution.error_bound + 1e-10
        assert len(solution.changes) == solution.n_iter


@pytest.mark.spec("MDP-03", "MDP-P1")
def test_a_close_start_needs_fewer_sweeps(seed):
    P, mdp = random_mdp(seed, n=20, discount=0.97)
    cold = value_iteration(mdp)
    similar = FiniteMDP(P, mdp.reward + 1e-3, discount=0.97)
    warm = value_iteration(similar, Q0=cold)
    assert warm.n_iter < value_iteration(similar).n_iter
    assert value_iteration(mdp, Q0=cold.Q).n_iter <= 2


def test_a_synchronous_sweep_is_the_formula(seed):
    P, mdp = random_mdp(seed)
    start = np.random.default_rng(seed).normal(size=6)
    with pytest.warns(ConvergenceWarning, match="may still be off by .* after 1 sweep"):
        solution = value_iteration(mdp, max_iter=1, Q0=start)
    assert_close(solution.V, (mdp.reward + 0.9 * np.einsum("ast,t->sa", P, start)).max(axis=1))
    assert_close(solution.Q, mdp.reward + 0.9 * np.einsum("ast,t->sa", P, solution.V))
    assert not solution.converged


def test_no_discount_reduces_to_one_step_lookahead(seed):
    _, mdp = random_mdp(seed, discount=0.0)
    assert_close(value_iteration(mdp).V, mdp.reward.max(axis=1))
    assert_close(modified_policy_iteration(mdp).V, mdp.reward.max(axis=1))


def test_equal_actions_give_the_lowest_number_and_policy_iteration_ends():
    mdp = FiniteMDP(np.full((3, 4, 4), 0.25), np.zeros((4, 3)))
    for solution in (value_iteration(mdp), policy_iteration(mdp), modified_policy_iteration(mdp)):
        np.testing.assert_array_equal(solution.policy, 0)


def test_threads_do_not_change_a_bit(seed):
    _, mdp = random_sparse_mdp(seed, n=20_000, k=3)
    with statlearn.threads(1):
        one = value_iteration(mdp, tol=1e-3)
    with statlearn.threads(2):
        two = value_iteration(mdp, tol=1e-3)
    np.testing.assert_array_equal(one.V, two.V)
    np.testing.assert_array_equal(one.changes, two.changes)


def random_factored(seed, discount=0.9, floor=-0.5):
    rng = np.random.default_rng(seed)
    first = list(rng.dirichlet(np.ones(11), size=(2, 11)))
    second = list(rng.dirichlet(np.ones(7), size=(3, 7)))
    return FactoredMDP(
        first, second, rng.normal(size=(11, 7)), 0.1 * rng.normal(size=(2, 3)), floor=floor, discount=discount
    )


@pytest.mark.spec("MDP-02", "MDP-08")
def test_factored_processes_are_their_explicit_product(seed):
    mdp = random_factored(seed)
    explicit = mdp.to_finite()
    assert_close(explicit.reward, mdp.reward())
    assert mdp.reward().min() == -0.5
    a, b = value_iteration(mdp, tol=1e-8), value_iteration(explicit, tol=1e-8)
    assert a.n_iter == b.n_iter
    assert_close(a.V, b.V, rtol=1e-12)
    assert_close(a.Q, b.Q, rtol=1e-6)  # single precision
    with statlearn.threads(1):
        np.testing.assert_array_equal(value_iteration(mdp, tol=1e-8).V, a.V)


@pytest.mark.spec("CRS-73")
def test_processes_of_three_parts_are_their_explicit_product(seed):
    rng = np.random.default_rng(seed)
    first, second, third = (list(rng.dirichlet(np.ones(n), size=(k, n))) for n, k in ((5, 2), (4, 3), (3, 2)))
    rewards = rng.normal(size=(5, 4, 3)), 0.1 * rng.normal(size=(2, 3, 2))
    mdp = FactoredMDP(first, second, *rewards, third=third, floor=-0.5, discount=0.9)
    assert (mdp.n_states, mdp.n_actions) == (60, 12)
    explicit = mdp.to_finite()
    a, b = value_iteration(mdp, tol=1e-8), value_iteration(explicit, tol=1e-8)
    assert a.n_iter == b.n_iter
    assert_close(a.V, b.V, rtol=1e-12)
    assert_close(a.Q, b.Q, rtol=1e-6)  # single precision
    # A third part that neither earns nor costs anything leaves the values of the first two.
    plane = FactoredMDP(first, second, rewards[0][..., 0], rewards[1][..., 0], floor=-0.5, discount=0.9)
    idle = FactoredMDP(
        first, second, np.repeat(rewards[0][..., :1], 3, axis=2), rewards[1][..., :1], third=third[:1],
        floor=-0.5, discount=0.9,
    )  # fmt: skip
    flat = value_iteration(plane, tol=1e-8).V
    assert_close(value_iteration(idle, tol=1e-8).V, np.repeat(flat, 3), rtol=1e-12)
    with pytest.warns(ConvergenceWarning, match="after 2 sweeps"):
        value_iteration(mdp, tol=1e-8, max_iter=2)


@pytest.mark.parametrize(
    "change, message",
    [
        (dict(first=[np.eye(3) * 2]), "`first` has 3 rows that do not sum to 1"),
        (dict(second=[np.eye(3), np.eye(2)]), "`second` must hold square matrices of one size"),
        (dict(first=[]), "`first` must hold at least one"),
        (dict(state_reward=np.zeros((2, 2))), r"`state_reward` must have shape \(3, 2\)"),
        (dict(state_reward=np.zeros(3)), "`state_reward` must be a matrix"),
        (dict(state_reward=np.full((3, 2), -np.inf)), "-inf is allowed only with a finite `floor`"),
        (dict(action_reward=np.zeros((2, 2))), "`action_reward` must have shape"),
        (dict(action_reward=[[np.nan]]), "`action_reward` must be finite"),
        (dict(floor=np.nan), "`floor`"),
        (dict(discount=-1), "`discount`"),
        (dict(third=[np.eye(2)]), "`state_reward` must be an array of three dimensions, got 2"),
        (dict(third=[np.eye(2) * 2]), "`third` has 2 rows that do not sum to 1"),
    ],
)
def test_wrong_factors_raise_by_name(change, message):
    arguments = dict(first=[np.eye(3)], second=[np.eye(2)], state_reward=np.zeros((3, 2))) | change
    with pytest.raises(ValueError, match=message):
        FactoredMDP(**arguments)


@pytest.mark.parametrize(
    "solver, options, message",
    [
        (value_iteration, dict(tol=0.0), "`tol` must be a positive number"),
        (value_iteration, dict(tol=np.nan), "`tol`"),
        (value_iteration, dict(max_iter=0), "`max_iter`"),
        (value_iteration, dict(method="fast"), "`method` must be"),
        (value_iteration, dict(Q0=np.zeros(3)), r"`Q0` must have shape \(2, 2\) or \(2,\)"),
        (value_iteration, dict(Q0=[np.nan, 0]), "`Q0` must be finite"),
        (modified_policy_iteration, dict(n_sweeps=-1), "`n_sweeps`"),
    ],
)
def test_wrong_options_raise_by_name(solver, options, message):
    with pytest.raises(ValueError, match=message):
        solver(two_states(), **options)


def test_wrong_processes_raise():
    with pytest.raises(TypeError, match="`mdp` must be a FiniteMDP or a FactoredMDP, got ndarray"):
        value_iteration(np.eye(2))
    with pytest.raises(TypeError, match="`mdp` must be a FiniteMDP, got FactoredMDP"):
        policy_iteration(random_factored(0))
    with pytest.raises(ValueError, match="not available for a FactoredMDP"):
        value_iteration(random_factored(0), method="gauss-seidel")


def test_unfinished_policy_iterations_warn(seed):
    _, mdp = random_mdp(seed, n=30, k=5, discount=0.99)
    with pytest.warns(ConvergenceWarning, match="states still improved after 1 improvement"):
        policy_iteration(mdp, max_iter=1)
    with pytest.warns(ConvergenceWarning, match="Increase max_iter or n_sweeps"):
        modified_policy_iteration(mdp, max_iter=2, n_sweeps=1)
