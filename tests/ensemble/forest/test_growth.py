"""The growth of forests: what holds for every tree, whatever the table, the target and the rules."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from statlearn._core.native import trees as native
from statlearn.ensemble import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from tests.helpers import assert_close


@st.composite
def fits(draw):
    """A table with ties, gaps and categories, a target, and a forest without a bootstrap that was fitted to them."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, p = draw(st.integers(2, 400)), draw(st.integers(1, 5))
    X = rng.normal(size=(n, p))
    if draw(st.booleans()):
        X = np.round(X, 1)
    if draw(st.booleans()):
        X[rng.random((n, p)) < 0.2] = np.nan
    categories = draw(st.booleans())
    if categories:
        X[:, 0] = rng.integers(0, draw(st.sampled_from([2, 9, 300])), n)
    classes = draw(st.sampled_from([0, 2, 5]))
    outputs = draw(st.sampled_from([1, 1, 2]))
    y = rng.integers(0, classes, (n, outputs)) if classes else rng.normal(size=(n, outputs))
    weights = {
        "none": None,
        "whole": rng.integers(1, 4, n).astype(float),
        "real": rng.uniform(0.5, 2.0, n),
    }[draw(st.sampled_from(["none", "whole", "real"]))]
    options = dict(
        n_estimators=2,
        bootstrap=False,
        max_features=draw(st.sampled_from([None, 1, "sqrt"])),
        min_samples_leaf=draw(st.sampled_from([1, 1, 3])),
        max_leaf_nodes=draw(st.sampled_from([None, None, 7])),
        max_bins=draw(st.sampled_from([255, 255, 16])),
        categorical_features=[0] if categories else None,
        random_state=draw(st.integers(0, 1000)),
    )
    random = draw(st.booleans())
    if classes:
        kind = ExtraTreesClassifier if random else RandomForestClassifier
        options["criterion"] = draw(st.sampled_from(["gini", "entropy"]))
    else:
        kind = ExtraTreesRegressor if random else RandomForestRegressor
    model = kind(**options).fit(X, y if outputs > 1 else y[:, 0], sample_weight=weights)
    return model, X, y, np.ones(n) if weights is None else weights


@given(fits())
def test_children_part_the_rows_of_their_parent_and_predictions_find_them_again(fit):
    model, X, _, weights = fit
    forest = model.forest_
    inner = np.flatnonzero(~forest.is_leaf)
    left = forest.child[inner]
    np.testing.assert_array_equal(forest.rows[inner], forest.rows[left] + forest.rows[left + 1])
    assert_close(forest.weight[inner], forest.weight[left] + forest.weight[left + 1], rtol=1e-9, atol=0)
    assert np.all(forest.rows >= 1)
    split = forest.weight[inner, None] * forest.value[inner]
    parts = [forest.weight[k, None] * forest.value[k] for k in (left, left + 1)]
    assert_close(split, parts[0] + parts[1], atol=1e-8)
    fall = forest.weight * forest.impurity
    assert_close(forest.gain[inner], fall[inner] - fall[left] - fall[left + 1], atol=1e-8)
    # The rows that growth sent to a leaf are those that a walk sends there.
    leaves = model.apply(X) + forest.roots
    for t in range(len(forest)):
        rows = np.bincount(leaves[:, t], minlength=len(forest.feature))
        mass = np.bincount(leaves[:, t], weights=weights, minlength=len(forest.feature))
        own = np.unique(leaves[:, t])
        np.testing.assert_array_equal(rows[own], forest.rows[own])
        assert_close(mass[own], forest.weight[own], rtol=1e-9, atol=0)


@given(fits())
def test_rules_match_their_definitions(fit):
    model, X, y, _ = fit
    forest = model.forest_
    assert forest.rows[forest.is_leaf].min() >= min(model.min_samples_leaf, len(X))
    leaves = np.bincount(np.searchsorted(forest.roots, np.flatnonzero(forest.is_leaf), side="right") - 1)
    if model.max_leaf_nodes is not None:
        assert leaves.max() <= model.max_leaf_nodes
    elif model.min_samples_leaf == 1:
        # Grown to the end: rows that still share a leaf have the same response, or the same bins everywhere.
        table = model._coder.bins.transform(model._coder.encode(X)).by_column
        at = model.apply(X)[:, 0]
        for leaf in np.unique(at):
            rows = at == leaf
            same_bins = np.all(table[:, rows] == table[:, rows][:, :1])
            assert same_bins or len(np.unique(y[rows], axis=0)) == 1


def test_bags_are_drawn_in_proportion_to_the_weights():
    counts = np.empty(4, np.uint32)
    native.bootstrap_counts(5, 40_000, np.cumsum([1.0, 0.0, 2.0, 1.0]), counts)
    assert counts.sum() == 40_000
    assert counts[1] == 0
    assert_close(counts / 40_000, [0.25, 0.0, 0.5, 0.25], atol=0.01)
    again = np.empty(4, np.uint32)
    native.bootstrap_counts(5, 40_000, np.cumsum([1.0, 0.0, 2.0, 1.0]), again)
    np.testing.assert_array_equal(counts, again)


def test_wrong_arrays_raise():
    n, p = 10, 2
    good = dict(
        by_row=np.zeros((n, 16), np.uint8),
        by_column=np.zeros((p, n), np.uint8),
        n_bins=np.ones(p, np.int32),
        ordered=np.ones(p, np.uint8),
        has_missing=np.zeros(p, np.uint8),
        low=np.zeros((p, 255)),
        high=np.zeros((p, 255)),
        y=np.zeros((n, 1)),
        n_classes=np.array([2], np.int32),
        weight=np.empty(0),
        seeds=np.array([1], np.uint64),
        criterion=0,
        random_cuts=False,
        bootstrap=True,
        balanced=False,
        draws=n,
        max_features=1,
        max_depth=0,
        max_leaves=0,
        min_split=2,
        min_leaf=1,
        min_leaf_share=0.0,
        min_decrease=0.0,
        monotone=np.empty(0, np.int8),
    )
    assert len(native.grow_forest(**good)["feature"]) == 1
    for change in (
        {"y": np.full((n, 1), 2.0)},
        {"y": np.full((n, 1), np.nan)},
        {"y": np.zeros((n - 1, 1))},
        {"n_bins": np.array([1, 256], np.int32)},
        {"weight": np.zeros(n)},
        {"low": np.zeros((p, 3))},
        {"monotone": np.zeros(5, np.int8)},
        {"draws": 0},
        {"criterion": 9},
    ):
        with pytest.raises(ValueError, match="grow_forest"):
            native.grow_forest(**{**good, **change})
