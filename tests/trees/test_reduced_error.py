"""Pruning on validation rows: leaves for subtrees, branches for their parents."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from statlearn.trees import (
    C45Classifier,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    prune_reduced_error,
    subtree_raising,
)
from tests.helpers import assert_close


def rows(rng, n=150, regression=False):
    X = rng.normal(size=(n, 4)).round(1)
    X[rng.random(X.shape) < 0.05] = np.nan
    clean = np.nan_to_num(X)
    y = (clean[:, 0] > 0).astype(int) + (clean[:, 1] > 0.5)
    if regression:
        return X, y + 0.5 * rng.normal(size=n)
    return X, np.where(rng.random(n) < 0.2, rng.integers(0, 3, n), y)


def loss(model, X, y, w=None):
    predicted = model.predict(X)
    each = (predicted - y) ** 2 if isinstance(model, DecisionTreeRegressor) else predicted != y
    return np.average(each, weights=w)


def tree_for(regression):
    return DecisionTreeRegressor() if regression else DecisionTreeClassifier()


@pytest.mark.spec("TRE-P14", "TRE-21")
@given(seed=st.integers(0, 10_000), regression=st.booleans(), strategy=st.sampled_from(["bottom_up", "greedy"]))
def test_loss_on_the_validation_rows_never_rises(seed, regression, strategy):
    rng = np.random.default_rng(seed)
    X, y = rows(rng, regression=regression)
    new_X, new_y = rows(rng, regression=regression)
    w = rng.integers(0, 3, len(new_y)) + (np.arange(len(new_y)) == 0)
    full = tree_for(regression).fit(X, y)
    before = full.tree_.node_count
    small = prune_reduced_error(full, new_X, new_y, strategy=strategy, sample_weight=w)
    assert full.tree_.node_count == before
    assert small.tree_.node_count <= before
    assert loss(small, new_X, new_y, w) <= loss(full, new_X, new_y, w) + 1e-12


def smallest_best(model, X, y, node=0):
    """Least loss of any pruning below a node on these rows, and its number of leaves, by trying all."""
    tree = model.tree_
    value = tree.value[node, 0]
    own = np.sum(model.classes_[np.argmax(value)] != y)
    left, right = tree.children_left[node], tree.children_right[node]
    if left < 0:
        return own, 1
    x = X[:, tree.feature[node]]
    goes = np.where(np.isnan(x), tree.missing_go_to_left[node] == 1, x <= tree.threshold[node])
    a, b = smallest_best(model, X[goes], y[goes], left), smallest_best(model, X[~goes], y[~goes], right)
    return min((own, 1), (a[0] + b[0], a[1] + b[1]))


@pytest.mark.spec("TRE-21")
@given(seed=st.integers(0, 10_000))
def test_bottom_up_gives_the_smallest_of_the_best_prunings(seed):
    rng = np.random.default_rng(seed)
    full = DecisionTreeClassifier().fit(*rows(rng))
    X, y = rows(rng)
    small = prune_reduced_error(full, X, y)
    errors, leaves = smallest_best(full, X, y)
    assert round(loss(small, X, y) * len(y)) == errors
    assert small.get_n_leaves() == leaves


@pytest.mark.spec("TRE-21")
def test_threshold_prunes_more_and_surrogates_go_along(rng):
    X, y = rows(rng)
    new_X, new_y = rows(rng)
    full = DecisionTreeClassifier(missing="surrogate").fit(X, y)
    sizes = [prune_reduced_error(full, new_X, new_y, threshold=t).get_n_leaves() for t in (0.0, 0.005, 0.02, 1.0)]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[-1] == 1
    small = prune_reduced_error(full, new_X, new_y)
    assert small.surrogates_.node.max(initial=0) < small.tree_.node_count
    assert loss(small, new_X, new_y) <= loss(full, new_X, new_y)


@pytest.mark.spec("TRE-P14", "TRE-22")
@settings(max_examples=15)
@given(seed=st.integers(0, 10_000), regression=st.booleans())
def test_raising_never_raises_the_loss_and_keeps_the_facts_right(seed, regression):
    rng = np.random.default_rng(seed)
    X, y = rows(rng, 100, regression=regression)
    new_X, new_y = rows(rng, 100, regression=regression)
    full = tree_for(regression).fit(X, y)
    small = subtree_raising(full, X, y, new_X, new_y)
    assert small.get_n_leaves() <= full.get_n_leaves()
    assert loss(small, new_X, new_y) <= loss(full, new_X, new_y) + 1e-12
    # Every training row is in the tree: counts, values and impurities are those of the rows that reach the node.
    tree, path = small.tree_, small.decision_path(X).toarray().astype(bool)
    for node in range(tree.node_count):
        own = y[path[:, node]]
        assert tree.n_node_samples[node] == len(own)
        if regression:
            assert_close(tree.value[node, 0, 0], own.mean())
            assert_close(tree.impurity[node], own.var(), atol=1e-9)
        else:
            shares = np.bincount(own, minlength=3) / len(own)
            assert_close(tree.value[node, 0], shares)
            assert_close(tree.impurity[node], 1 - np.sum(shares**2))
    if tree.node_count > 1:
        assert_close(small.feature_importances_.sum(), 1.0)


@pytest.mark.spec("TRE-22")
def test_a_superfluous_test_at_the_top_is_replaced_by_its_branch(rng):
    y = rng.integers(0, 2, 400)
    X = np.column_stack([np.where(rng.random(400) < 0.9, y, 1 - y), np.where(rng.random(400) < 0.8, y, 1 - y)])
    full = DecisionTreeClassifier(max_depth=2).fit(X, y)
    assert full.tree_.feature[0] == 0
    held = np.column_stack([rng.integers(0, 2, 400), y])  # now only the second column tells
    raised = subtree_raising(full, X, y, held, y)
    assert raised.tree_.feature[0] == 1
    assert raised.get_n_leaves() == 2
    assert loss(raised, held, y) == 0.0 < loss(full, held, y)
    assert raised.tree_.n_node_samples[0] == 400


@pytest.mark.spec("TRE-22", "TRE-21")
def test_sparse_tables_are_pruned_as_dense_ones(rng):
    X, y = rows(rng)
    new_X, new_y = rows(rng)
    full = DecisionTreeClassifier().fit(X, y)
    for prune, dense in ((subtree_raising, (X, y, new_X, new_y)), (prune_reduced_error, (new_X, new_y))):
        wide = [sparse.csr_array(part) if part.ndim == 2 else part for part in dense]
        expected, found = prune(full, *dense), prune(full, *wide)
        assert expected.get_n_leaves() < full.get_n_leaves()
        np.testing.assert_array_equal(found.tree_.threshold, expected.tree_.threshold)
        np.testing.assert_array_equal(found.tree_.value, expected.tree_.value)


@pytest.mark.spec("TRE-22", "TRE-21")
def test_unprunable_trees_raise(rng):
    X, y = rows(rng)
    with pytest.raises(TypeError, match="C45Classifier"):
        prune_reduced_error(C45Classifier().fit(X, y), X, y)
    for bad in ({"missing": "surrogate"}, {"missing": "fractional"}, {"loss_matrix": 1 - np.eye(3)}):
        with pytest.raises(ValueError, match="subtree_raising"):
            subtree_raising(DecisionTreeClassifier(**bad).fit(X, y), X, y, X, y)
    falling = DecisionTreeRegressor(monotonic_cst=[-1] + [0] * (X.shape[1] - 1)).fit(X, y)
    with pytest.raises(ValueError, match="does not support `monotonic_cst`"):
        subtree_raising(falling, X, y, X, y)
    with pytest.raises(ValueError, match="absolute_error"):
        subtree_raising(DecisionTreeRegressor(criterion="absolute_error").fit(X, y), X, y, X, y)
    with pytest.raises(ValueError, match="classes of the tree"):
        subtree_raising(DecisionTreeClassifier().fit(X, y), X, y + 5, X, y)
    with pytest.raises(ValueError, match="inconsistent"):
        prune_reduced_error(DecisionTreeClassifier().fit(X, y), X, y[:-1])
    with pytest.raises(ValueError, match="strategy"):
        prune_reduced_error(DecisionTreeClassifier().fit(X, y), X, y, strategy="sideways")


def test_invalid_weights_raise_by_argument_name():
    X, y = np.arange(8.0)[:, None], np.arange(8) % 2
    tree = DecisionTreeClassifier().fit(X, y)
    with pytest.raises(ValueError, match=r"^sample_weight\.shape"):
        subtree_raising(tree, X, y, X, y, sample_weight=np.ones(3))
    with pytest.raises(ValueError, match=r"^sample_weight_val\.shape"):
        subtree_raising(tree, X, y, X, y, sample_weight_val=np.ones(3))
