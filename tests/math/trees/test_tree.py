"""One tree under scikit-learn's names."""

import pickle

import numpy as np
import pytest
import sklearn.tree

from statlearn.trees import DecisionTreeClassifier, DecisionTreeRegressor
from tests.helpers import assert_close
from tests.trees.tree_data import problem, rows_below

NAMES = ["children_left", "children_right", "feature", "threshold", "value", "impurity", "n_node_samples",
         "weighted_n_node_samples", "missing_go_to_left"]  # fmt: skip


@pytest.fixture
def pair(rng):
    X, _, c = problem(rng, n=200)
    X = X.astype(np.float32)
    weights = rng.integers(512, 2048, size=200) / 1024
    settings = {"min_samples_leaf": 5, "random_state": 0}
    ours = DecisionTreeClassifier(**settings).fit(X, c, weights).tree_
    return X, ours, sklearn.tree.DecisionTreeClassifier(**settings).fit(X, c, weights).tree_


def test_arrays_and_numbers_have_scikit_learns_shapes(pair):
    _, ours, theirs = pair
    for name in NAMES:
        a, b = getattr(ours, name), getattr(theirs, name)
        assert a.shape == b.shape, name
        assert a.dtype.kind == b.dtype.kind, name
    for name in ["node_count", "n_leaves", "max_depth", "n_features", "n_outputs", "max_n_classes"]:
        assert getattr(ours, name) == getattr(theirs, name), name
    np.testing.assert_array_equal(ours.n_classes, theirs.n_classes)
    leaf = ours.children_left < 0
    assert np.all(ours.children_right[leaf] == -1)
    assert np.all(ours.feature[leaf] == -2)
    assert np.all(ours.threshold[leaf] == -2.0)
    assert np.all(ours.children_right[~leaf] == ours.children_left[~leaf] + 1)  # siblings are neighbours
    assert sorted(rows_below(ours, 0)) == list(range(ours.node_count))
    assert "leaves" in repr(ours)


def test_methods_match_scikit_learn(pair):
    X, ours, theirs = pair
    assert_close(ours.predict(X), theirs.predict(X))
    assert_close(ours.compute_feature_importances(), theirs.compute_feature_importances())
    assert_close(ours.compute_feature_importances(normalize=False), theirs.compute_feature_importances(normalize=False))
    a, b = ours.apply(X), theirs.apply(X)
    np.testing.assert_array_equal(a[:, None] == a, b[:, None] == b)  # the same rows together
    np.testing.assert_array_equal(
        np.asarray(ours.decision_path(X).sum(axis=1)), np.asarray(theirs.decision_path(X).sum(axis=1))
    )


def test_several_outputs(rng):
    X, y, c = problem(rng, n=80)
    both = DecisionTreeRegressor(max_depth=3).fit(X, np.column_stack([y, c])).tree_
    assert both.value.shape == (both.node_count, 2, 1)
    assert both.predict(X).shape == (80, 2, 1)


def test_a_tree_is_read_only_and_survives_pickling(pair):
    X, ours, _ = pair
    with pytest.raises(ValueError, match="read-only"):
        ours.value[0] = 0.0
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(ours)).predict(X), ours.predict(X))
