"""Losses of all candidate splits: printed values, the tree's own choice, and the definitions."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from statlearn.trees import DecisionTreeClassifier, DecisionTreeRegressor, candidate_splits, gini_decrease, impurity
from tests.helpers import assert_close
from tests.trees.test_impurity import PLAY14, TEMP14
from tests.trees.tree_data import STEPS_X, STEPS_Y


@pytest.mark.spec("CRS-46", "TRE-T11")
def test_the_losses_of_ten_steps():
    splits = candidate_splits(STEPS_X[:, 0], STEPS_Y)
    sse = [15.723089, 12.083388, 8.365638, 5.775475, 3.911320, 1.930008, 8.009810, 11.735400, 15.738600]
    assert_close(splits["loss"], sse, atol=1e-6)
    assert_close(splits["cut"], np.arange(1.5, 10.0))
    assert_close(splits.facts["root_loss"], 19.11421, atol=1e-6)
    assert (splits.facts["best_row"], splits.facts["best_split"]) == (5, "x <= 6.5")
    assert_close([splits["mean_left"][5], splits["mean_right"][5]], [6.236667, 8.9125], atol=1e-6)
    assert splits.to_frame().loc["x <= 6.5", "n_left"] == 6


@pytest.mark.spec("CRS-46", "TRE-T7")
def test_the_gains_of_all_cuts_of_the_temperatures():
    splits = candidate_splits(TEMP14, PLAY14, "entropy")
    gains = [
        0.047709,
        0.010318,
        0.000489,
        0.014956,
        0.045334,
        0.001340,
        0.001340,
        0.025078,
        0.000489,
        0.010318,
        0.113401,
    ]
    assert_close(splits["cut"], [64.5, 66.5, 68.5, 69.5, 70.5, 71.5, 73.5, 77.5, 80.5, 82.0, 84.0])
    assert_close(splits["decrease"], gains, atol=1e-6)
    assert_close(splits.facts["root_loss"], 0.940286, atol=1e-6)
    assert splits.facts["best_split"] == "x <= 84"
    assert_close(splits["left: n"] + splits["left: y"], 1.0)


@pytest.mark.spec("CRS-46")
@given(seed=st.integers(0, 10**6), criterion=st.sampled_from(["squared_error", "absolute_error", "gini", "error"]))
def test_every_loss_matches_its_two_sides(seed, criterion):
    rng = np.random.default_rng(seed)
    x, w = rng.integers(0, 6, 25), rng.integers(0, 3, 25).astype(float)
    x[:2], w[:2] = [0, 1], 1.0
    classes = criterion in ("gini", "error")
    y = rng.integers(0, 3, 25) if classes else 1e3 + rng.normal(size=25)
    splits = candidate_splits(x, y, criterion, sample_weight=w)
    copies = candidate_splits(np.repeat(x, w.astype(int)), np.repeat(y, w.astype(int)), criterion)
    assert_close(splits["loss"], copies["loss"], atol=1e-7)
    x, y = np.repeat(x, w.astype(int)), np.repeat(y, w.astype(int))
    of_values = {"squared_error": "variance", "absolute_error": "absolute_deviation"}
    for cut, loss in zip(splits["cut"], splits["loss"]):
        sides = [y[x <= cut], y[x > cut]]
        if classes:
            parts = [len(side) / len(y) * impurity(np.bincount(side), criterion) for side in sides]
        else:
            parts = [len(side) * impurity(side, of_values[criterion]) for side in sides]
        assert_close(loss, sum(parts), atol=1e-7)


@pytest.mark.spec("CRS-46")
def test_categories_are_divided_in_every_way(rng):
    x = rng.choice(["blue", "green", "red", "white"], 40)
    y, number = rng.choice(["no", "yes"], 40), rng.normal(size=40)
    splits = candidate_splits(x, y, "gini")
    assert len(splits.table.rows) == 2**3 - 1
    assert splits.table.rows[:3] == ["{blue}", "{blue, green}", "{blue, red}"]
    for label, decrease in zip(splits.table.rows, splits["decrease"]):
        assert_close(decrease, gini_decrease(np.isin(x, label.strip("{}").split(", ")), y))
    codes = np.unique(x, return_inverse=True)[1][:, None].astype(float)
    tree = DecisionTreeClassifier(max_depth=1, categorical_features=[0]).fit(codes, y)
    assert_close(tree.tree_.gain[0] / 40, splits["decrease"].max())
    of_numbers = candidate_splits(codes[:, 0], number, categorical=True)
    stump = DecisionTreeRegressor(max_depth=1, categorical_features=[0]).fit(codes, number)
    assert_close(stump.tree_.gain[0], of_numbers["decrease"].max())


def test_columns_that_cannot_be_split_raise():
    with pytest.raises(ValueError, match="`x` must have at least two different values"):
        candidate_splits([1.0, 1.0], [1.0, 2.0])
    with pytest.raises(ValueError, match="`x` has 13 categories"):
        candidate_splits(list("abcdefghijklm"), np.arange(13.0))
    with pytest.raises(ValueError, match="criterion"):
        candidate_splits([1.0, 2.0], [1.0, 2.0], "variance")
