"""Prediction by bit vectors gives the very numbers of the walk."""

import numpy as np
import pytest

from statlearn._math.trees.forest import Forest


def random_tree(rng, leaves, n_features, thresholds):
    """A tree of random shape, as the arrays that `Forest.of` takes."""
    feature, child, is_leaf = [-1], [0], [0]
    while len(is_leaf) < leaves:
        k = is_leaf.pop(rng.integers(len(is_leaf)))
        feature[k], child[k] = int(rng.integers(n_features)), len(feature)
        is_leaf += [len(feature), len(feature) + 1]
        feature += [-1, -1]
        child += [0, 0]
    n = len(feature)
    threshold = np.array([thresholds[f, rng.integers(thresholds.shape[1])] if f >= 0 else 0.0 for f in feature])
    return dict(
        feature=np.array(feature),
        child=np.array(child),
        threshold=threshold,
        missing_left=rng.integers(0, 2, n),
        category_set=np.full(n, -1),
        left_sets=np.empty((0, 8), np.uint32),
        value=rng.normal(size=n),
    )


def walked(forest, X, width):
    """Predictions in portions too small for bit vectors."""
    sums = np.full((len(X), width), 0.5)
    for first in range(0, len(X), 100):
        forest.add_predictions(X[first : first + 100], sums[first : first + 100])
    return sums


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("leaves", [1, 2, 8, 9, 31, 32, 33, 64])
@pytest.mark.parametrize("missing", [0.0, 0.1])
def test_bit_vectors_agree_with_walks(seed, dtype, leaves, missing):
    rng = np.random.default_rng(seed)
    thresholds = rng.normal(size=(6, 3))  # few per column: ranks are counted
    thresholds = np.concatenate([thresholds, rng.normal(size=(6, 80))], axis=1) if leaves > 8 else thresholds
    forest = Forest.of([random_tree(rng, leaves, 6, thresholds) for _ in range(12)], np.arange(12) % 3)
    X = rng.normal(size=(301, 7)).astype(dtype)
    X[: 6 * 3, :6] = np.repeat(thresholds.T[:3], 6, axis=0)  # values on the thresholds
    X[rng.random(X.shape) < missing] = np.nan
    X[20, 0], X[21, 1] = np.inf, -np.inf
    sums = np.full((301, 3), 0.5)
    forest.add_predictions(X, sums)
    np.testing.assert_array_equal(sums, walked(forest, X, 3))
    np.testing.assert_array_equal(sums[::-1], walked(forest, np.asfortranarray(X[::-1]), 3))


@pytest.mark.parametrize("leaves, n_thresholds", [(65, 20), (40, 400)])
def test_unsupported_arrays_are_walked(seed, leaves, n_thresholds):
    rng = np.random.default_rng(seed)
    thresholds = rng.normal(size=(2, n_thresholds))
    forest = Forest.of([random_tree(rng, leaves, 2, thresholds) for _ in range(30)])
    X = rng.normal(size=(300, 2))
    sums = np.full((300, 1), 0.5)
    forest.add_predictions(X, sums)
    np.testing.assert_array_equal(sums, walked(forest, X, 1))


def test_a_nan_threshold_is_walked(seed):
    rng = np.random.default_rng(seed)
    forest = Forest.of([random_tree(rng, 20, 3, rng.normal(size=(3, 50))) for _ in range(9)])
    forest.threshold[::3] = np.nan
    X, sums = rng.normal(size=(300, 3)), np.full((300, 1), 0.5)
    forest.add_predictions(X, sums)
    np.testing.assert_array_equal(sums, walked(forest, X, 1))


def test_a_damaged_forest_raises(seed):
    rng = np.random.default_rng(seed)
    forest = Forest.of([random_tree(rng, 20, 3, rng.normal(size=(3, 5)))])
    forest.child[0] = 1000
    with pytest.raises(ValueError, match="damaged"):
        forest.add_predictions(rng.normal(size=(300, 3)), np.zeros((300, 1)))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("leaves, words", [(2, 8), (31, 8), (64, 12), (65, 8)])  # more than 64 leaves are walked
def test_tables_of_categories_agree_with_walks(seed, dtype, leaves, words):
    rng = np.random.default_rng(seed)
    trees = [random_tree(rng, leaves, 5, rng.normal(size=(5, 20))) for _ in range(12)]
    for tree in trees:
        inner = np.flatnonzero(tree["feature"] >= 0)
        by_set = inner[(tree["feature"][inner] < 3) & (rng.random(len(inner)) < 0.9)]  # some cut the same columns
        tree["category_set"][by_set] = np.arange(len(by_set))
        tree["left_sets"] = rng.integers(0, 2**32, (len(by_set), words), dtype=np.uint32)
    forest = Forest.of(trees, np.arange(12) % 3)
    n = 20_001 if leaves < 10 else 3001
    X = rng.normal(size=(n, 6)).astype(dtype)
    X[:, :3] = rng.integers(-1, 32 * words + 2, (n, 3))  # unknown ones among them
    X[rng.random(X.shape) < 0.05] = np.nan
    X[20, 0], X[21, 1], X[22, 2] = np.inf, -np.inf, 3.7
    sums = np.full((n, 3), 0.5)
    forest.add_predictions(X, sums)
    np.testing.assert_array_equal(sums, walked(forest, X, 3))
