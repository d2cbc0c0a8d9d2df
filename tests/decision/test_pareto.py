"""Trajectory metrics, scalarised objectives, dominance, and the plots."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from statlearn.decision import (
    MultilinearInterpolator,
    QMDPPolicy,
    Solution,
    cdf_comparison,
    closest_approach,
    is_dominated,
    pareto_front,
    policy_map,
    scalarize,
    trajectory_metrics,
)
from tests.helpers import assert_close


@pytest.mark.spec("MDP-10")
def test_metrics_of_trajectories(seed):
    rng = np.random.default_rng(seed)
    distance, deviation = rng.normal(size=(40, 12, 2)), rng.normal(size=(40, 12, 2))
    slow = [min(np.hypot(*r) for r in run) for run in distance]
    assert_close(closest_approach(distance), slow)
    metrics = trajectory_metrics(distance, deviation)
    assert_close(metrics["closest_approach"], slow)
    assert_close(metrics["closest_quantile"], np.quantile(slow, 0.05))
    assert_close(metrics["mean_deviation"], np.mean([np.hypot(*d) for run in deviation for d in run]))


@pytest.mark.spec("MDP-11")
def test_the_objective_of_the_collision_example():
    metrics = {"closest_quantile": 1.6, "mean_deviation": 0.4, "other": 3.0}
    for beta in (0.01, 0.5, 0.99):
        weights = {"closest_quantile": beta, "mean_deviation": 1 - beta}
        value = scalarize(metrics, weights, maximize=["closest_quantile"])
        assert_close(value, beta / 1.6 + (1 - beta) * 0.4)
    assert_close(scalarize(metrics, {"other": 2.0}), 6.0)
    assert scalarize({"a": 0.0}, {"a": 1.0}, maximize=["a"]) == np.inf
    assert scalarize({"a": 0.0, "b": 1.0}, {"a": 0.0, "b": 1.0}, maximize=["a"]) == 1.0


@pytest.mark.spec("MDP-12", "MDP-T4")
def test_the_front_by_hand():
    points = [(1, 5), (2, 3), (3, 4), (4, 1), (5, 2)]
    np.testing.assert_array_equal(pareto_front(points), [0, 1, 3])
    np.testing.assert_array_equal(pareto_front(points, minimize=[True, False]), [0])
    np.testing.assert_array_equal(pareto_front(points, minimize=False), [0, 2, 4])
    np.testing.assert_array_equal(pareto_front([(1, 2), (1, 2), (2, 2)]), [0, 1])  # ties are kept


def dominates(a, b):
    return (a <= b).all() and (a < b).any()


@pytest.mark.spec("MDP-12", "MDP-P5")
@settings(max_examples=100, deadline=None)
@given(
    points=st.integers(1, 4).flatmap(
        lambda d: st.lists(st.lists(st.integers(0, 4), min_size=d, max_size=d), min_size=1, max_size=30)
    ),
    flip=st.booleans(),
)
def test_dominance_is_its_definition_in_any_order(points, flip):
    points = np.array(points, dtype=float)
    sign = -1 if flip else 1
    slow = np.array([any(dominates(sign * p, sign * q) for p in points) for q in points])
    np.testing.assert_array_equal(is_dominated(points, minimize=not flip), slow)
    np.testing.assert_array_equal(is_dominated(points[::-1], minimize=not flip), slow[::-1])


def test_many_points_with_three_objectives(seed):
    points = np.random.default_rng(seed).normal(size=(3000, 3))
    some = np.arange(0, 3000, 37)
    dominated = is_dominated(points)
    for i in some:
        assert dominated[i] == ((points <= points[i]).all(axis=1) & (points < points[i]).any(axis=1)).any()


@pytest.mark.spec("CRS-118")
def test_policy_maps_take_solutions_arrays_and_policies():
    axes = [np.array([0.0, 1.0, 3.0]), np.array([0.0, 2.0])]
    grid = MultilinearInterpolator(axes)
    nodes = grid.nodes()
    Q = np.column_stack([nodes[:, 0] - nodes[:, 1], np.full(6, 0.5)])
    solution = Solution(Q.max(axis=1), Q, Q.argmax(axis=1), 1, np.zeros(1), 0.0, True)

    def picture(policy):
        return policy_map(policy, axes, resolution=13).collections[0].get_array().reshape(13, 13)

    expected = picture(QMDPPolicy(Q, grid).actions)
    for policy in (QMDPPolicy(Q, grid), solution, Q):
        np.testing.assert_array_equal(picture(policy), expected)
    by_node = picture(solution.policy)
    np.testing.assert_array_equal(picture(solution.policy.reshape(3, 2).tolist()), by_node)
    across, up = np.linspace(0, 3, 13), np.linspace(0, 2, 13)
    np.testing.assert_array_equal(by_node[np.ix_(np.searchsorted(up, [0, 2]), np.searchsorted(across, [0, 1, 3]))].T,
                                  solution.policy.reshape(3, 2))  # fmt: skip
    for wrong in (np.zeros(4, int), solution.policy.astype(str), [-1] * 6):
        with pytest.raises(ValueError, match="`policy` must be callable"):
            policy_map(wrong, axes)


@pytest.mark.spec("MDP-13")
def test_policy_maps_show_the_actions():
    axes = [np.linspace(-2, 2, 5)] * 3
    seen = []

    def policy(states):
        seen.append(states)
        return (states[:, 0] > states[:, 2]).astype(int)

    ax = policy_map(policy, axes, x=0, y=2, at=[0, 1.5, 0], labels=["hold", "climb"], names=list("abc"), resolution=21)
    assert (seen[0][:, 1] == 1.5).all()
    picture = ax.collections[0].get_array().reshape(21, 21)
    grid = np.linspace(-2, 2, 21)
    np.testing.assert_array_equal(picture, grid[None, :] > grid[:, None])
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["hold", "climb"]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("a", "c")
    many = policy_map(lambda s: np.arange(len(s)) % 9, axes, resolution=9)
    assert len(many.get_legend().get_texts()) == 9


@pytest.mark.spec("MDP-13")
def test_distribution_functions_of_several_policies():
    ax = cdf_comparison({"coarse": [3.0, 1.0, 2.0], "fine": [4.0, 2.0]}, threshold=1.5, xlabel="distance")
    coarse = ax.lines[0].get_xydata()
    assert_close(coarse[coarse[:, 0] == 2.0, 1].max(), 2 / 3)
    labels = [text.get_text() for text in ax.get_legend().get_texts()]
    assert labels == ["coarse", "fine", "required 1.5"]


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: closest_approach([[1, 2]]), "`distance` must have shape"),
        (lambda: closest_approach([[[np.inf, 2]]]), "`distance` must be finite"),
        (lambda: trajectory_metrics([[[1]]], [[[1]]], quantile=2), "`quantile`"),
        (lambda: scalarize({"a": 1}, {"b": 1}), "`metrics` has no 'b'"),
        (lambda: scalarize({"a": 1}, {"a": -1}), r"`weights`\['a'\] must be a finite number"),
        (lambda: scalarize({"a": np.nan}, {"a": 1}), r"`metrics`\['a'\] must be a number"),
        (lambda: scalarize({"a": -1}, {"a": 1}, maximize=["a"]), "at least 0"),
        (lambda: pareto_front([1, 2]), "`points` must have shape"),
        (lambda: pareto_front([[np.nan, 1]]), "`points` must not contain NaN"),
        (lambda: pareto_front([[1, 2]], minimize=[True]), "`minimize` must be a bool or a list of 2 bools"),
        (lambda: policy_map(lambda s: s, [[0, 1]], x=0, y=0), "two different coordinates"),
        (lambda: policy_map(lambda s: s, [[0, 1]] * 2, at=[0]), "`at` must have length 2"),
        (lambda: cdf_comparison({}), "`samples` must hold at least one"),
        (lambda: cdf_comparison({"a": []}), r"`samples`\['a'\]"),
    ],
)
def test_wrong_input_raises_by_name(call, message):
    with pytest.raises(ValueError, match=message):
        call()
