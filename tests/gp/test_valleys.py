"""Valleys of an objective, and proposals away from those that have been searched."""

import math

import numpy as np
import pytest

from statlearn.gp import BayesianOptimizer, Real, Space, log_expected_improvement
from statlearn.gp._surrogate import Surrogate
from statlearn.gp._valleys import FEWEST, LEFT, PATIENCE, REACH, Edges, Outside, Valley, _turn, find_valleys
from statlearn.gp._warp import Warp
from tests.helpers import assert_close

# The two deep wells of Hartmann's function of six variables. The wide one is flat in two of the coordinates.
NARROW, WIDE = np.array(
    [[0.2348, 0.1451, 0.3522, 0.2883, 0.3047, 0.6650], [0.4047, 0.8828, 0.8732, 0.5743, 0.1091, 0.0381]]
)
SLOPES = np.array([[3.0, 3.5, 1.7, 10.0, 17.0, 8.0], [17.0, 8.0, 0.05, 10.0, 0.1, 14.0]])


def wells(x):
    narrow, wide = np.exp(-np.sum(SLOPES * (np.asarray(x) - [NARROW, WIDE]) ** 2, axis=1))
    return 3.2 - 3.2 * narrow - 3.0 * wide


def searched_study(n_extra, **settings):
    """A study whose first points are a design, and the others in the wide well, closer and closer to its bottom."""
    settings = {"noise": False, "n_initial": 12, "random_state": 0} | settings
    optimizer = BayesianOptimizer([(0.0, 1.0)] * 6, **settings)
    rng = np.random.default_rng(0)
    points = [*optimizer.space.design(12, "sobol", np.random.default_rng(3))]
    points += [np.clip(WIDE + 0.25 * 0.85**k * rng.normal(size=6), 0, 1) for k in range(n_extra)]
    for point in points:
        value = wells(point)
        held = {"constraints": [0.2 - point[0]]} if settings.get("n_constraints") else {}
        optimizer.tell(point.tolist(), value, **held)
    return optimizer, np.array(points), np.array([wells(point) for point in points])


def distance(optimizer, point, X, y):
    """From the best point so far, in length scales of the model of all points."""
    return np.linalg.norm((np.array(point) - X[np.argmin(y)]) / optimizer._fitted()[0][0].lengths)


def test_points_are_divided_among_the_wells(seed):
    rng = np.random.default_rng(seed)
    X = np.concatenate([centre + 0.1 * rng.normal(size=(12, 6)) for centre in (NARROW, WIDE)])
    y = np.array([wells(x) for x in X])
    model = Surrogate(X, y, theta=np.r_[0.0, np.log(np.full(6, 0.4))], noise=False)
    everything = np.ones(len(y), dtype=bool)
    valleys = find_valleys(model, X, y, 3.2, everything)
    assert valleys[0].share == 1.0
    assert [valley.depth for valley in valleys] == sorted((valley.depth for valley in valleys), reverse=True)
    assert {bool(valley.best < 12) for valley in valleys} == {False, True}
    for valley in valleys:
        rows = np.flatnonzero(valley.members)
        assert len(set(rows < 12)) == 1  # of one well only
        assert y[valley.best] == y[rows].min()
        assert np.all(np.linalg.norm((X[rows] - X[valley.best]) / 0.4, axis=1) <= valley.radius)
        others = np.array([X[other.best] for other in valleys if other is not valley])
        nearest = np.linalg.norm((X[valley.best] - others) / 0.4, axis=1).min()
        assert_close(valley.radius, min(REACH, nearest / 2))
        assert np.all(y[rows] < 3.2)
    assert np.sum([valley.members for valley in valleys], axis=0).max() == 1
    assert max(valley.members.sum() for valley in valleys) >= 6
    assert find_valleys(model, X, y, 3.2, ~valleys[0].members)[0].best == valleys[1].best
    assert find_valleys(model, X, y, y.min(), everything) == []


def test_a_hill_between_points_separates_valleys():
    X = np.array([[0.2], [0.35], [0.5], [0.65], [0.8]])
    y = np.array([0.0, 0.5, 1.0, 0.5, 0.1])
    model = Surrogate(X, y, theta=np.r_[0.0, math.log(0.5)], noise=False)  # everything is within reach
    first, second = find_valleys(model, X, y, 1.0, np.ones(5, dtype=bool))
    assert first.members[:2].all()
    assert not first.members[3:].any()
    assert second.best == 4
    assert second.members[3]


@pytest.mark.parametrize(
    "values, turn",
    [([3.0, 2.0, 1.0], 2), ([1.0, 2.0, 3.0], 0), ([3.0, 1.0, 0.995, 2.0], 1), ([math.inf, 2.0, math.inf, 3.0], 1)],
)
def test_minor_improvements_do_not_count(values, turn):
    assert _turn(values, 0.01) == turn


def test_a_valley_is_searched_when_no_improvement_is_expected_in_it():
    members = np.ones(FEWEST, dtype=bool)
    turn = FEWEST - 1 - PATIENCE
    little = math.log(0.9 * LEFT * 2.0)
    assert Valley(0, members, 2.0, 1.0, turn, REACH).searched(little)
    assert not Valley(0, members, 2.0, 1.0, turn, REACH).searched(math.log(1.1 * LEFT * 2.0))
    assert not Valley(0, members, 2.0, 1.0, turn + 1, REACH).searched(little)
    assert not Valley(0, members[1:], 2.0, 1.0, turn - 1, REACH).searched(little)
    assert not Valley(0, members, 2.0, 0.4, turn, REACH).searched(little)


def test_a_search_elsewhere_gets_as_many_evaluations_as_the_first():
    members = np.r_[np.ones(10, dtype=bool), np.zeros(9, dtype=bool), np.ones(5, dtype=bool)]
    assert not Valley(0, members, 1.0, 1.0, 9, REACH).left
    assert Valley(0, np.r_[members, False], 1.0, 1.0, 9, REACH).left


def test_slopes_of_the_added_scores_match_differences(rng):
    space = Space([(0.0, 1.0), (1, 9), Real(1e-3, 1.0, "log-uniform")])
    centres, widths = np.array([[0.5, 0.5, 0.5], [0.9, 0.4, 0.1]]), np.array([[0.4, 0.7, 0.6], [0.3, 0.5, 0.4]])
    terms = [Edges(space), Outside(centres, widths)]
    X, step = rng.random((20, 3)), 1e-6
    for term in terms:
        value, slope = term.score_and_slope(X)
        assert_close(value, term.score(X))
        for j in range(3):
            move = step * np.eye(3)[j]
            assert_close(slope[:, j], (term.score(X + move) - term.score(X - move)) / (2 * step), rtol=1e-4, atol=1e-5)
    assert np.all(terms[0].score_and_slope(X)[1][:, 1] == 0)  # whole numbers are not drawn away from their ends


def test_edges_are_cheap_and_free_in_one_dimension():
    cube = Edges(Space([(0.0, 1.0)] * 6))
    assert_close(cube.score(np.full((1, 6), 0.5)), [0.0])
    face = np.full((1, 6), 0.5)
    face[0, 2] = 1.0
    assert -1.1 < cube.score(face)[0] < -0.7
    assert_close(Edges(Space([(0.0, 1.0)])).score(np.array([[0.0], [0.3]])), [0.0, 0.0])
    assert_close(Edges(Space([(1, 5)])).score(np.array([[0.0], [1.0]])), [0.0, 0.0])


def test_proposals_leave_a_searched_valley_and_return_now_and_then():
    far = []
    for n_extra in range(24, 30):
        optimizer, X, y = searched_study(n_extra)
        far.append(bool(distance(optimizer, optimizer.ask(), X, y) >= REACH))
    assert far == [False, True, True, True, False, True]  # trials 36 and 40: one of four refines the best valley
    assert distance(*_asked(searched_study(7))) < REACH  # too few points to give the valley up


def test_proposals_leave_two_searched_valleys():
    optimizer, _, _ = searched_study(25)
    rng = np.random.default_rng(1)
    for k in range(25):
        point = np.clip(NARROW + 0.25 * 0.85**k * rng.normal(size=6), 0, 1)
        optimizer.tell(point.tolist(), wells(point))
    assert wells(optimizer.ask()) > 2.0  # the bottoms are at 0 and 0.2, all else at 3.2


def _asked(study):
    optimizer, X, y = study
    return optimizer, optimizer.ask(), X, y


@pytest.mark.parametrize("settings", [{"noise": True}, {"acquisition": "pi"}])
def test_noisy_and_other_searches_use_all_points(settings):
    assert distance(*_asked(searched_study(25, **settings))) < REACH


def test_the_score_matches_a_model_without_the_searched_valley(rng):
    optimizer, X, y = searched_study(25)
    model = optimizer._fitted()[0][0]
    valley = find_valleys(model, X, model.warp(y), float(np.median(y[:12])), np.ones(len(y), dtype=bool))[0]
    kept = ~valley.members
    other = Surrogate(X[kept], y[kept], noise=False, warp=Warp(y[:12]))
    points = rng.random((50, 6))
    mean, var = other.predict(points)
    expected = log_expected_improvement(mean, np.sqrt(var), other.warp(y[kept]).min())
    expected += Outside(X[[valley.best]], valley.radius * model.lengths[None]).score(points)
    expected += Edges(optimizer.space).score(points)
    assert_close(optimizer.acquisition_values(points.tolist()), expected, rtol=1e-6, atol=1e-6)


def test_a_deeper_well_is_located_after_the_first():
    optimizer, _, y = searched_study(20)
    assert y.min() > 0.19
    optimizer.optimize(wells, n_trials=62)
    assert optimizer.best_value < 0.05
    assert np.abs(np.array(optimizer.best_point) - NARROW).max() < 0.15


def test_a_single_valley_is_refined_to_the_end():
    optimizer = BayesianOptimizer([(0.0, 1.0)] * 2, noise=False, random_state=0)
    optimizer.optimize(lambda p: (p[0] - 0.3) ** 2 + 2 * (p[1] - 0.6) ** 2, n_trials=25)
    assert optimizer.best_value < 1e-5


def test_constraints_and_batches():
    optimizer, X, _ = searched_study(25, n_constraints=1)
    batch = optimizer.ask(3)
    assert len({tuple(point) for point in batch}) == 3
    assert optimizer.trials[-1].status == "pending"
    assert len(optimizer.trials) == len(X) + 3


def test_points_that_break_a_constraint_score_low_whatever_their_gain(rng):
    optimizer, _, _ = searched_study(25, n_constraints=1)  # the first coordinate must be at least 0.2
    points = rng.random((100, 6))
    loss = searched_study(25)[0].acquisition_values(points.tolist()) - optimizer.acquisition_values(points.tolist())
    assert loss[points[:, 0] < 0.15].min() > 10.0
    assert_close(loss[points[:, 0] > 0.3], 0.0, atol=1e-6)


def test_a_study_proposes_the_same_after_it_was_reopened(tmp_path):
    settings = {"noise": False, "n_initial": 12}
    optimizer, _, _ = searched_study(25, study=tmp_path / "study.jsonl")
    first = optimizer.ask()
    optimizer.close()
    with BayesianOptimizer([(0.0, 1.0)] * 6, study=tmp_path / "study.jsonl", **settings) as again:
        assert again.ask() == first
        again.tell(first, wells(first))
        second = again.ask()
    plain, _, _ = searched_study(25)
    plain.tell(plain.ask(), wells(first))
    assert plain.ask() == second
