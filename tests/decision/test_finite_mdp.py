"""Validation of finite decision processes."""

import numpy as np
import pytest

from statlearn.decision import FiniteMDP, value_iteration
from tests.decision.problems import as_sparse, random_mdp
from tests.helpers import assert_close


@pytest.mark.spec("MDP-01")
def test_dense_sparse_and_row_numbers_agree(seed):
    P, mdp = random_mdp(seed)
    again = FiniteMDP(as_sparse(P), mdp.reward, discount=0.9)
    assert_close(mdp.transitions.toarray(), again.transitions.toarray())
    for s in range(6):
        for a in range(3):
            assert_close(mdp.transitions.toarray()[s * 3 + a], P[a, s])


def test_rewards_by_state_and_by_next_state(seed):
    P, mdp = random_mdp(seed)
    rng = np.random.default_rng(seed)
    by_state = rng.normal(size=6)
    assert_close(FiniteMDP(P, by_state).reward, np.repeat(by_state[:, None], 3, axis=1))
    by_next = rng.normal(size=(3, 6, 6))
    assert_close(FiniteMDP(P, by_next).reward, np.einsum("ast,ast->sa", P, by_next))
    assert "n_states=6" in repr(mdp)


@pytest.mark.spec("MDP-01")
def test_terminal_states_earn_their_reward_once():
    walk = np.array([[[0, 1, 0], [0, 0, 1], [0, 0, 0]]], dtype=float)  # 0 -> 1 -> 2, where it ends
    mdp = FiniteMDP(walk, [[1.0], [2.0], [4.0]], discount=0.5, terminal=[2])
    assert_close(value_iteration(mdp, tol=1e-12).V, [1 + 0.5 * (2 + 0.5 * 4), 2 + 0.5 * 4, 4])


@pytest.mark.spec("MDP-01")
def test_impossible_states_are_worth_no_more_than_any_other(seed):
    P, _ = random_mdp(seed, n=8)
    rng = np.random.default_rng(seed)
    mdp = FiniteMDP(P, rng.normal(size=(8, 3)), discount=0.8, impossible=[3, 5], reward_min=-7.0)
    V = value_iteration(mdp, tol=1e-10).V
    assert_close(V[[3, 5]], -7.0 / (1 - 0.8), rtol=1e-6)  # the tolerance of the sweeps
    assert (np.delete(V, [3, 5]) >= V[3] - 1e-6).all()


@pytest.mark.parametrize(
    "change, message",
    [
        (dict(P=np.ones((2, 3))), "`P` must be an array"),
        (dict(P=np.full((3, 6, 6), 0.2)), "state 0, action 0, with sum 1.2"),
        (
            dict(P=np.stack([np.eye(6), np.eye(6), np.diag([1, 1, 1, 1, 1, 0.5])])),
            "a row that .*: state 5, action 2, with",
        ),
        (dict(P=-np.ones((3, 6, 6))), "at least 0"),
        (dict(R=np.ones((2, 2))), "`R` must have shape"),
        (dict(R=np.full((6, 3), np.inf)), "`R` must be finite"),
        (dict(discount=1.0), r"`discount` must be a number in \[0, 1\)"),
        (dict(discount=np.nan), "`discount`"),
        (dict(terminal=[6]), "`terminal` must contain state numbers from 0 to 5"),
        (dict(terminal=[0], impossible=[0]), "State 0 is both"),
        (dict(impossible=[0], reward_min=100.0), "`reward_min`=100"),
        (dict(impossible=np.ones(2, dtype=bool)), "`impossible` must have length 6"),
    ],
)
def test_wrong_input_raises_by_name(change, message):
    P, mdp = random_mdp(0)
    arguments = {"P": P, "R": mdp.reward} | change
    with pytest.raises(ValueError, match=message):
        FiniteMDP(arguments.pop("P"), arguments.pop("R"), **arguments)


def test_sparse_matrices_of_different_sizes_raise():
    with pytest.raises(ValueError, match="square matrices of one size"):
        FiniteMDP([*as_sparse([np.eye(2)]), *as_sparse([np.eye(3)])], [0, 0])
