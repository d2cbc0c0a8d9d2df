"""Prediction by trees in flat arrays."""

import numpy as np
import pytest

from statlearn._math.trees.forest import Forest


def stump(feature, threshold, values, missing_left=0, categories=-1, sets=()):
    return {
        "feature": np.array([feature, -1, -1], np.int32),
        "threshold": np.array([threshold, 0.0, 0.0]),
        "child": np.array([1, 0, 0], np.int32),
        "missing_left": np.array([missing_left, 0, 0], np.uint8),
        "category_set": np.array([categories, -1, -1], np.int32),
        "left_sets": np.array(sets, np.uint32).reshape(-1, 8),
        "value": np.array([0.0, *values]),
        "gain": np.array([2.0, 0.0, 0.0]),
        "rows": np.array([3, 1, 2]),
        "hessian": np.ones(3),
    }


TREES = [stump(0, 1.5, (1.0, 2.0)), stump(1, 0.0, (10.0, 20.0), missing_left=1)]
CATEGORIES = stump(1, 0.0, (5.0, 7.0), categories=0, sets=[[0b101, 0, 0, 0, 0, 0, 0, 1 << 30]])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_rows_reach_their_leaves(dtype):
    X = np.array([[1.5, 0.0], [1.6, 1.0], [np.nan, np.nan], [np.inf, -np.inf]], dtype)
    sums = np.zeros((4, 1))
    forest = Forest.of(TREES, [0, 0])
    forest.add_predictions(X, sums)
    np.testing.assert_array_equal(sums[:, 0], [11.0, 22.0, 12.0, 12.0])
    np.testing.assert_array_equal(forest.apply(X), [[1, 1], [2, 2], [2, 1], [2, 1]])
    np.testing.assert_array_equal(forest.importances(3), [0.5, 0.5, 0.0])


def test_category_sets_and_joined_forests():
    forest = Forest.of([CATEGORIES], [0]).joined(Forest.of([TREES[0], CATEGORIES], [1, 1]))
    X = np.array([[0.0, 0.0], [0.0, 1.0], [9.0, 2.0], [9.0, 254.0], [9.0, np.nan], [9.0, 300.0]])
    sums = np.zeros((6, 2))
    forest.add_predictions(X, sums)
    np.testing.assert_array_equal(sums[:, 0], [5, 7, 5, 5, 7, 7])
    np.testing.assert_array_equal(sums[:, 1] - sums[:, 0], [1, 1, 2, 2, 2, 2])
    part = np.zeros((6, 2))
    forest.first(2).add_predictions(X, part)
    np.testing.assert_array_equal(part[:, 1], [1, 1, 2, 2, 2, 2])


def test_damaged_arrays_raise():
    X = np.zeros((2, 2))
    for name, at, wrong in [("child", 0, 99), ("child", 0, -4), ("feature", 0, 2), ("category_set", 0, 3)]:
        forest = Forest.of(TREES, [0, 0])
        getattr(forest, name)[at] = wrong
        with pytest.raises(ValueError, match="damaged"):
            forest.add_predictions(X, np.zeros((2, 1)))
    cyclic = Forest.of(TREES, [0, 0])
    cyclic.child[4] = 3  # back to the root: a walk would never end
    with pytest.raises(ValueError, match="damaged"):
        cyclic.add_predictions(X, np.zeros((2, 1)))
    with pytest.raises(ValueError, match="output"):
        Forest.of(TREES, [0, 1]).add_predictions(X, np.zeros((2, 1)))
    short = Forest.of(TREES, [0, 0])
    short.value = short.value[:-1]
    with pytest.raises(ValueError, match="length"):
        short.add_predictions(X, np.zeros((2, 1)))


def full_tree():
    """Root, two nodes, four leaves."""
    forest = Forest()
    for name, dtype in {**Forest._ARRAYS, **Forest._FACTS}.items():
        setattr(forest, name, np.zeros(7, dtype))
    forest.child = np.array([1, 3, 5, 3, 4, 5, 6], np.int32)
    forest.category_set[:] = -1
    forest.roots = forest.output = np.zeros(1, np.int32)
    return forest


def test_trees_with_shared_nodes_raise():
    X = np.zeros((20, 2))
    whole = full_tree()
    np.testing.assert_array_equal(whole.depth, [0, 1, 1, 2, 2, 2, 2])
    np.testing.assert_array_equal(whole.decision_path(X).toarray(), np.tile([1, 1, 0, 1, 0, 0, 0], (20, 1)))
    for k, child in [(2, 3), (1, 2), (1, 4)]:  # both children have two parents; they lie across; one has
        broken = full_tree()
        broken.child[k] = child
        _refuses(broken, X)
    two = whole.joined(whole)
    two.child[2] = 8  # children in the other tree
    _refuses(two, X)
    two = whole.joined(whole)
    two.roots[1] = 6  # a tree that begins elsewhere
    _refuses(two, X)


def _refuses(forest, X):
    for use in [
        lambda: forest.add_predictions(X, np.zeros((len(X), 1))),
        lambda: forest.apply(X),
        lambda: forest.decision_path(X),
        lambda: forest.paths(np.zeros((len(X), len(forest)), np.int32)),
        lambda: forest.depth,
    ]:
        with pytest.raises(ValueError, match="damaged"):
            use()


def test_a_deep_tree_is_walked_without_recursion():
    depth = 50_000
    nodes = 2 * depth + 1
    forest = Forest()
    child = np.arange(nodes, dtype=np.int32)
    child[0 : nodes - 1 : 2] = np.arange(1, nodes, 2)  # node 2k has the children 2k + 1 (a leaf) and 2k + 2
    forest.child = child
    forest.feature = np.zeros(nodes, np.int32)
    forest.threshold = np.repeat(np.arange(depth + 1.0), 2)[:nodes]
    forest.missing_left = np.zeros(nodes, np.uint8)
    forest.category_set = np.full(nodes, -1, np.int32)
    forest.value = np.arange(nodes, dtype=float)
    forest.roots, forest.output = np.zeros(1, np.int32), np.zeros(1, np.int32)
    sums = np.zeros((2, 1))
    forest.add_predictions(np.array([[0.0], [1e9]]), sums)
    np.testing.assert_array_equal(sums[:, 0], [1.0, nodes - 1.0])


def test_values_may_be_vectors():
    pair = [{**t, "value": np.column_stack([t["value"], -2 * t["value"]])} for t in TREES]
    X = np.array([[1.5, 0.0], [1.6, 1.0], [np.nan, np.nan]], np.float32)
    sums, vectors = np.zeros((3, 1)), np.zeros((3, 2))
    Forest.of(TREES).add_predictions(X, sums)
    Forest.of(pair).add_predictions(X, vectors)
    np.testing.assert_array_equal(vectors, sums * [1, -2])
    alone = np.zeros((3, 2))
    Forest.of(pair).tree(1).add_predictions(X, alone)
    np.testing.assert_array_equal(alone[:, 0], [10.0, 20.0, 10.0])
    with pytest.raises(ValueError, match="shapes"):
        Forest.of(pair).add_predictions(X, np.zeros((3, 3)))


def test_facts_that_a_learner_leaves_behind_stay_with_their_nodes():
    known = [{**t, "impurity": np.array([0.5, 0.1, 0.2])} for t in TREES]
    forest = Forest.of(known)
    np.testing.assert_array_equal(forest.tree(1).impurity, [0.5, 0.1, 0.2])
    assert len(forest.joined(Forest.of(TREES)).impurity) == 0
    np.testing.assert_array_equal(forest.parent, [-1, 0, 0, -1, 3, 3])
    np.testing.assert_array_equal(forest.depth, [0, 1, 1, 0, 1, 1])


def test_the_path_of_a_row_holds_its_nodes():
    X = np.array([[1.5, 0.0], [1.6, 1.0]])
    path = Forest.of(TREES).decision_path(X)
    np.testing.assert_array_equal(path.toarray(), [[1, 1, 0, 1, 1, 0], [1, 0, 1, 1, 0, 1]])


def test_category_sets_may_be_wider_than_a_byte():
    wide = stump(1, 0.0, (5.0, 7.0), categories=0, sets=np.zeros((1, 8)))
    wide["left_sets"] = np.zeros((1, 40), np.uint32)
    wide["left_sets"][0, 1000 // 32] = 1 << (1000 % 32)
    forest = Forest.of([wide]).joined(Forest.of([CATEGORIES]))
    sums = np.zeros((3, 1))
    forest.add_predictions(np.array([[0.0, 1000.0], [0.0, 2.0], [0.0, 5000.0]]), sums)
    np.testing.assert_array_equal(sums[:, 0], [5.0 + 7.0, 7.0 + 5.0, 7.0 + 7.0])


def test_single_precision_rows_meet_the_threshold_in_double():
    low = np.float32(1.0)
    high = np.nextafter(low, np.float32(2.0))
    forest = Forest.of([stump(0, (float(low) + float(high)) / 2, (1.0, 2.0))])
    sums = np.zeros((2, 1))
    forest.add_predictions(np.array([[low], [high]]), sums)
    np.testing.assert_array_equal(sums[:, 0], [1.0, 2.0])
