"""Exact classification and regression trees."""

import numpy as np
import pandas as pd
import pytest
import sklearn.tree
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris

import statlearn
from statlearn import ensemble
from statlearn.ensemble import BaggingRegressor, GradientBooster, GradientBoostingRegressor, RandomForestRegressor
from statlearn.linear import LinearRegression
from statlearn.trees import (
    C45Classifier,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ExtraTreeClassifier,
    ExtraTreeRegressor,
    ModelTreeRegressor,
    export_text,
    rules_from_tree,
    tree_complexity,
)
from tests.helpers import assert_close
from tests.trees.tree_data import STEPS_X, STEPS_Y, impurity_of, problem, structure

CRITERIA = ["squared_error", "absolute_error", "poisson"]
CLASS_CRITERIA = ["gini", "entropy", "log_loss", "error"]


# ---- The catalog's values ----


@pytest.mark.spec("TRE-09", "TRE-T11")
def test_one_split_of_ten_steps():
    sse = [15.723089, 12.083388, 8.365638, 5.775475, 3.911320, 1.930008, 8.009810, 11.735400, 15.738600]
    total = np.sum((STEPS_Y - STEPS_Y.mean()) ** 2)
    assert_close(total, 19.11421, atol=1e-6)
    for cut, expected in zip(np.arange(1.5, 10.0), sse, strict=True):
        # A column of 0 and 1 leaves that cut alone.
        tree = DecisionTreeRegressor(max_depth=1).fit((cut < STEPS_X).astype(float), STEPS_Y)
        assert_close(total - tree.tree_.gain[0], expected, atol=1e-6)
    tree = DecisionTreeRegressor(max_depth=1).fit(STEPS_X, STEPS_Y)
    assert tree.tree_.threshold[0] == 6.5
    assert_close(tree.tree_.value.ravel()[1:], [6.236667, 8.9125], atol=1e-6)


@pytest.mark.spec("TRE-T12")
def test_two_levels_of_ten_steps():
    tree = DecisionTreeRegressor(max_depth=2).fit(STEPS_X, STEPS_Y)
    inner = tree.tree_.children_left >= 0
    np.testing.assert_array_equal(np.sort(tree.tree_.threshold[inner]), [3.5, 6.5, 8.5])
    assert_close(tree.tree_.value.ravel()[~inner], [5.723333, 6.75, 8.8, 9.025], atol=1e-6)
    assert_close(np.sum((STEPS_Y - tree.predict(STEPS_X)) ** 2), 0.298317, atol=1e-6)


@pytest.mark.spec("TRE-08", "TRE-T14")
@pytest.mark.parametrize("criterion", CLASS_CRITERIA)
def test_a_full_tree_fits_iris_without_error(criterion):
    X, y = load_iris(return_X_y=True)
    assert DecisionTreeClassifier(criterion=criterion).fit(X, y).score(X, y) == 1.0


# ---- Agreement with scikit-learn ----


@pytest.mark.spec("TRE-09", "TRE-26")
@pytest.mark.parametrize("outputs", [1, 2])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("criterion", CRITERIA)
def test_regression_trees_match_scikit_learn(criterion, weighted, outputs, rng):
    X, y, _ = problem(rng, n=250)
    y = np.exp(y) if outputs == 1 else np.column_stack([np.exp(y), np.exp(X[:, 2] + 0.3 * rng.normal(size=len(y)))])
    # Sums of absolute deviations without weights tie often: scikit-learn then draws lots.
    weights = rng.uniform(0.5, 2.0, size=len(X)) if weighted or criterion == "absolute_error" else None
    settings = {"criterion": criterion, "min_samples_leaf": 6, "random_state": 0}
    X = X.astype(np.float32)
    theirs = sklearn.tree.DecisionTreeRegressor(**settings).fit(X, y, weights)
    ours = DecisionTreeRegressor(**settings).fit(X, y, weights)
    assert structure(ours.tree_) == structure(theirs.tree_)
    assert_close(ours.predict(X), theirs.predict(X))
    assert_close(ours.feature_importances_, theirs.feature_importances_)
    assert_close(np.sort(ours.tree_.impurity), np.sort(theirs.tree_.impurity), atol=1e-12)
    assert_close(np.sort(ours.tree_.weighted_n_node_samples), np.sort(theirs.tree_.weighted_n_node_samples))


@pytest.mark.spec("TRE-08", "TRE-26", "TRE-27")
@pytest.mark.parametrize("outputs", [1, 2])
@pytest.mark.parametrize("criterion", ["gini", "entropy", "log_loss"])
@pytest.mark.parametrize("classes", [2, 3])
def test_classification_trees_match_scikit_learn(criterion, outputs, classes, rng):
    X, y, c = problem(rng, n=250, classes=classes)
    c = c if outputs == 1 else np.column_stack([c, X[:, 3] + y > 0])
    # Counts would tie, and inexact sums make scikit-learn split pure nodes.
    weights = rng.integers(512, 2048, size=len(X)) / 1024
    settings = {"criterion": criterion, "min_samples_leaf": 6, "random_state": 0}
    X = X.astype(np.float32)
    theirs = sklearn.tree.DecisionTreeClassifier(**settings).fit(X, c, weights)
    ours = DecisionTreeClassifier(**settings).fit(X, c, weights)
    assert structure(ours.tree_) == structure(theirs.tree_)
    for a, b in zip(ours.predict_proba(X), theirs.predict_proba(X), strict=True):
        assert_close(a, b)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    balanced = DecisionTreeClassifier(**settings, class_weight="balanced").fit(X, c)
    theirs = sklearn.tree.DecisionTreeClassifier(**settings, class_weight="balanced").fit(X, c)
    assert_close(balanced.tree_.impurity[0], theirs.tree_.impurity[0])


@pytest.mark.spec("TRE-14")
def test_best_first_growth_matches_scikit_learn(rng):
    X, y, _ = problem(rng, n=400)
    X = X.astype(np.float32)
    for leaves in (2, 9, 30):
        settings = {"max_leaf_nodes": leaves, "min_samples_leaf": 3, "random_state": 0}
        theirs = sklearn.tree.DecisionTreeRegressor(**settings).fit(X, y)
        ours = DecisionTreeRegressor(**settings).fit(X, y)
        assert structure(ours.tree_) == structure(theirs.tree_)
        assert ours.get_n_leaves() == leaves


@pytest.mark.spec("TRE-19")
def test_missing_values_go_where_scikit_learn_sends_them(rng):
    X, y, _ = problem(rng, n=300)
    X = X.astype(np.float32)
    X[rng.random(X.shape) < 0.15] = np.nan
    settings = {"min_samples_leaf": 10, "random_state": 0}
    theirs = sklearn.tree.DecisionTreeRegressor(**settings).fit(X, y)
    ours = DecisionTreeRegressor(**settings).fit(X, y)
    assert_close(ours.predict(X), theirs.predict(X))


@pytest.mark.parametrize("sign", [1, -1])
def test_monotone_trees_match_scikit_learn(sign, rng):
    X, y, c = problem(rng, n=300, classes=2)
    X, weights = X.astype(np.float32), rng.integers(512, 2048, size=len(X)) / 1024
    settings = {"monotonic_cst": [sign, 0, 0, -sign], "min_samples_leaf": 5, "random_state": 0}
    for ours, theirs, target in [
        (DecisionTreeRegressor, sklearn.tree.DecisionTreeRegressor, y),
        (DecisionTreeClassifier, sklearn.tree.DecisionTreeClassifier, c),
    ]:
        a, b = (cls(**settings).fit(X, target, weights) for cls in (ours, theirs))
        assert structure(a.tree_) == structure(b.tree_)
        # scikit-learn keeps the bounds of the values in single precision.
        assert_close(a.tree_.predict(X), b.tree_.predict(X), rtol=1e-6, atol=1e-6)


# ---- The definition, literally ----


@pytest.mark.spec("TRE-08")
@pytest.mark.parametrize("criterion", ["gini", "entropy", "error", "squared_error"])
def test_the_root_takes_the_best_of_all_splits(criterion, rng):
    X, y, c = problem(rng, n=60, p=3)
    number = criterion == "squared_error"
    target, w = (y if number else c), rng.uniform(0.5, 2.0, size=60)
    cls = DecisionTreeRegressor if number else DecisionTreeClassifier
    tree = cls(criterion=criterion, max_depth=1).fit(X, target, w).tree_
    best = -np.inf
    for j in range(3):
        values = np.sort(X[:, j])
        for cut in (values[1:] + values[:-1]) / 2:
            sides = [X[:, j] <= cut, X[:, j] > cut]
            inner = sum(w[s].sum() * impurity_of(target[s], w[s], criterion) for s in sides)
            best = max(best, w.sum() * impurity_of(target, w, criterion) - inner)
    assert_close(tree.gain[0], best)


@pytest.mark.spec("TRE-09")
def test_leaves_of_the_absolute_error_are_medians(rng):
    X, y, _ = problem(rng, n=120)
    tree = DecisionTreeRegressor(criterion="absolute_error", min_samples_leaf=10).fit(X, y)
    leaves = tree.apply(X)
    for leaf in np.unique(leaves):
        assert_close(tree.tree_.value[leaf, 0, 0], np.median(y[leaves == leaf]))
        assert_close(tree.tree_.impurity[leaf], np.mean(np.abs(y[leaves == leaf] - np.median(y[leaves == leaf]))))


def test_equal_gains_go_to_the_lowest_column_and_threshold():
    x = np.arange(6.0)
    tree = DecisionTreeRegressor(max_depth=1).fit(np.column_stack([x, x, -x]), [0, 0, 1, 1, 0, 0])
    assert tree.tree_.feature[0] == 0
    assert tree.tree_.threshold[0] == 1.5


# ---- Stopping rules, columns, splitters ----


@pytest.mark.spec("TRE-14")
def test_every_stopping_rule_stops(rng):
    X, y, _ = problem(rng, n=150)
    assert DecisionTreeRegressor(max_depth=3).fit(X, y).get_depth() == 3
    split = DecisionTreeRegressor(min_samples_split=40).fit(X, y).tree_
    assert split.n_node_samples[split.children_left >= 0].min() >= 40
    share = DecisionTreeRegressor(min_samples_leaf=0.1).fit(X, y).tree_
    assert share.n_node_samples.min() >= 15
    w = rng.uniform(0.5, 2, size=150)
    weight = DecisionTreeRegressor(min_weight_fraction_leaf=0.1).fit(X, y, w).tree_
    assert weight.weighted_n_node_samples.min() >= 0.1 * w.sum()
    fall = DecisionTreeRegressor(min_impurity_decrease=0.02).fit(X, y).tree_
    assert fall.gain[fall.children_left >= 0].min() / 150 >= 0.02
    assert DecisionTreeClassifier().fit(X, np.zeros(150, int)).tree_.node_count == 1
    assert DecisionTreeRegressor().fit(np.ones((150, 2)), y).tree_.node_count == 1
    assert DecisionTreeRegressor().fit(X[:1], y[:1]).tree_.node_count == 1


@pytest.mark.spec("TRE-14")
def test_growth_stops_at_the_target_score(rng):
    X, y, c = problem(rng, n=200)
    for cls, target in [(DecisionTreeClassifier, c), (DecisionTreeRegressor, y)]:
        tree = cls(target_score=0.8).fit(X, target)
        before = cls(max_leaf_nodes=tree.get_n_leaves() - 1).fit(X, target)
        assert before.score(X, target) < 0.8 <= tree.score(X, target)


@pytest.mark.spec("TRE-15")
@pytest.mark.parametrize(("given", "drawn"), [(2, 2), (0.5, 4), ("sqrt", 3), ("log2", 3), (None, 9)])
def test_each_split_considers_a_subset_of_the_columns(given, drawn, rng):
    X, y, _ = problem(rng, n=200, p=9)
    tree = DecisionTreeRegressor(max_features=given, random_state=0).fit(X, y)
    assert tree.max_features_ == drawn
    assert_close(tree.predict(X), y)
    stump = [DecisionTreeRegressor(max_features=1, max_depth=1, random_state=s).fit(X, y) for s in range(30)]
    assert len({int(t.tree_.feature[0]) for t in stump}) > 5
    # Where all drawn columns are constant, others are tried.
    constant = np.column_stack([np.zeros((200, 8)), X[:, 0]])
    assert DecisionTreeRegressor(max_features=1, random_state=0).fit(constant, y).get_n_leaves() == 200


def test_sorting_once_and_sorting_in_each_node_give_the_same_tree(rng, monkeypatch):
    from statlearn.trees import _tree_base

    X, y, _ = problem(rng, n=300, p=8)
    X[rng.random(X.shape) < 0.1] = np.nan
    trees = []
    plain = _tree_base.native_rules
    for presort in (True, False):
        monkeypatch.setattr(_tree_base, "native_rules", lambda *a, p=presort, **k: {**plain(*a, **k), "presort": p})
        trees.append(DecisionTreeRegressor(max_features=3, random_state=1).fit(X, y).tree_)
    assert structure(trees[0], 12) == structure(trees[1], 12)


@pytest.mark.spec("TRE-08")
def test_binned_and_exact_splits_give_the_same_tree_when_bins_are_fine_enough(rng):
    for X in (rng.normal(size=(240, 4)), np.round(rng.normal(size=(2000, 4)), 1)):
        y = X[:, 0] * X[:, 1] + rng.normal(size=len(X))
        exact = DecisionTreeRegressor(min_samples_leaf=3).fit(X, y)
        binned = DecisionTreeRegressor(min_samples_leaf=3, splitter="binned").fit(X, y)
        np.testing.assert_array_equal(exact.tree_.threshold, binned.tree_.threshold)
        np.testing.assert_array_equal(exact.tree_.feature, binned.tree_.feature)
    coarse = DecisionTreeRegressor(splitter="binned", max_bins=8).fit(X, y)
    assert all(len(np.unique(coarse.tree_.threshold[coarse.tree_.feature == j])) <= 7 for j in range(4))


def test_coarse_bins_send_training_rows_where_they_were_counted(rng):
    X, y, _ = problem(rng, n=500)
    X[rng.random(X.shape) < 0.05] = np.nan
    tree = DecisionTreeRegressor(splitter="binned", max_bins=11, min_samples_leaf=5).fit(X, y)
    rows = np.bincount(tree.apply(X), minlength=tree.tree_.node_count)
    leaf = tree.tree_.children_left < 0
    np.testing.assert_array_equal(rows[leaf], tree.tree_.n_node_samples[leaf])


@pytest.mark.parametrize("cls", [ExtraTreeClassifier, ExtraTreeRegressor])
def test_random_thresholds_lie_inside_the_node(cls, rng):
    X, _, c = problem(rng, n=120)
    tree = cls(random_state=3).fit(X, c)
    assert tree.score(X, c) == 1.0
    path = tree.decision_path(X).toarray().astype(bool)
    for k in np.flatnonzero(tree.tree_.children_left >= 0):
        x = X[path[:, k], tree.tree_.feature[k]]
        assert x.min() <= tree.tree_.threshold[k] < x.max()
    other = cls(random_state=4).fit(X, c)
    assert structure(other.tree_) != structure(tree.tree_)


def test_a_path_tests_columns_of_one_set_only(rng):
    X = rng.normal(size=(400, 5))
    y = X[:, 0] * X[:, 1] + X[:, 2] + X[:, 3] * X[:, 4]
    tree = DecisionTreeRegressor(interaction_cst=[[0, 1], [2]], max_depth=6).fit(X, y)
    path = tree.decision_path(X)
    for k in np.unique(tree.apply(X)):
        row = int(np.flatnonzero(tree.apply(X) == k)[0])
        used = {int(f) for f in tree.tree_.feature[path[row].indices] if f >= 0}
        assert used <= {0, 1} or used <= {2} or used <= {3, 4}
    alone = DecisionTreeRegressor(interaction_cst="no_interactions", max_depth=4).fit(X, y)
    assert len(set(alone.tree_.feature) - {-2}) == 1


# ---- Class shares, losses ----


@pytest.mark.spec("TRE-26")
@pytest.mark.parametrize("model", [DecisionTreeRegressor(max_depth=3), ModelTreeRegressor(max_depth=3)])
def test_weights_keep_their_precision_with_a_single_precision_table(model, rng):
    X, y, _ = problem(rng, n=120)
    X, weights = X.astype(np.float32), rng.uniform(0.1, 3.0, size=120)
    single = clone(model).fit(X, y, sample_weight=weights)
    double = clone(model).fit(X.astype(np.float64), y, sample_weight=weights)
    assert single.tree_.weighted_n_node_samples[0] == pytest.approx(weights.sum(), rel=1e-14)
    np.testing.assert_array_equal(single.predict(X), double.predict(X))


@pytest.mark.spec("TRE-27")
def test_smoothed_shares_follow_laplace(rng):
    X, _, c = problem(rng, n=150)
    tree = DecisionTreeClassifier(max_depth=3, smoothing=1.0).fit(X, c)
    leaves = tree.apply(X)
    shares = tree.predict_proba(X)
    for leaf in np.unique(leaves):
        counts = np.bincount(c[leaves == leaf], minlength=3)
        assert_close(shares[leaves == leaf][0], (counts + 1) / (counts.sum() + 3))
    plain = DecisionTreeClassifier(max_depth=3).fit(X, c)
    np.testing.assert_array_equal(plain.predict(X), tree.predict(X))
    with np.errstate(divide="ignore"):
        np.testing.assert_array_equal(plain.predict_log_proba(X), np.log(plain.predict_proba(X)))


@pytest.mark.spec("TRE-25", "TRE-P11")
def test_losses_of_two_classes_are_case_weights(rng):
    X, _, c = problem(rng, n=200, classes=2)
    losses = np.array([[0.0, 1.0], [4.0, 0.0]])
    lossy = DecisionTreeClassifier(loss_matrix=losses, min_samples_leaf=5).fit(X, c)
    weighted = DecisionTreeClassifier(min_samples_leaf=5).fit(X, c, sample_weight=np.where(c == 1, 4.0, 1.0))
    np.testing.assert_array_equal(lossy.tree_.threshold, weighted.tree_.threshold)
    np.testing.assert_array_equal(lossy.predict(X), weighted.predict(X))
    leaves = lossy.apply(X)
    for leaf in np.unique(leaves):  # the shares are those of the rows, not of the weights
        assert_close(lossy.predict_proba(X)[leaves == leaf][0, 1], np.mean(c[leaves == leaf]))
    # Rows count by what they are, not by what they may cost.
    smooth = DecisionTreeClassifier(loss_matrix=losses, min_samples_leaf=5, smoothing=1.0).fit(X, c)
    for leaf in np.unique(leaves):
        counts = np.bincount(c[leaves == leaf], minlength=2)
        assert_close(smooth.predict_proba(X)[leaves == leaf][0], (counts + 1) / (counts.sum() + 2))
    assert_close(
        sorted(rule.support for rule in rules_from_tree(lossy)), np.sort(np.unique(leaves, return_counts=True)[1])
    )
    heaviest = np.bincount(leaves).argmax()
    counts = np.bincount(c[leaves == heaviest], minlength=2)
    assert f"weights: [{counts[0]}, {counts[1]}] " in export_text(lossy, show_weights=True, decimals=0)


@pytest.mark.spec("TRE-25", "TRE-P11")
def test_a_leaf_takes_the_class_of_smallest_expected_loss(rng):
    X, _, c = problem(rng, n=200)
    plain = DecisionTreeClassifier(min_samples_leaf=8).fit(X, c)
    same = DecisionTreeClassifier(min_samples_leaf=8, loss_matrix=1 - np.eye(3)).fit(X, c)
    assert structure(plain.tree_) == structure(same.tree_)
    losses = np.array([[0, 1, 2], [5, 0, 1], [3, 9, 0]], float)
    tree = DecisionTreeClassifier(min_samples_leaf=8, loss_matrix=losses).fit(X, c)
    np.testing.assert_array_equal(tree.predict(X), np.argmin(tree.predict_proba(X) @ losses, axis=1))
    assert_close(tree.tree_.impurity[0], impurity_of(c, np.ones(200), "loss", losses))
    ones = np.ones(200)
    k = 0
    left, right = tree.tree_.children_left[k], tree.tree_.children_right[k]
    assert_close(tree.tree_.gain[k], sum(s * tree.tree_.n_node_samples[n] * tree.tree_.impurity[n]
                                         for s, n in ((1, k), (-1, left), (-1, right))))  # fmt: skip
    assert ones.sum() == tree.tree_.weighted_n_node_samples[0]


# ---- Properties ----

tables = st.integers(0, 10_000).map(lambda s: problem(np.random.default_rng(s), n=40 + s % 50, p=3, classes=2 + s % 3))


@pytest.mark.spec("TRE-P5", "TRE-P8", "TRE-P21", "TRE-28")
@given(tables, st.sampled_from(["gini", "entropy", "error", "squared_error", "absolute_error"]))
def test_impurity_never_rises_and_trees_are_binary(data, criterion):
    X, y, c = data
    classes = criterion in CLASS_CRITERIA
    tree = (DecisionTreeClassifier if classes else DecisionTreeRegressor)(criterion=criterion).fit(
        X, c if classes else y
    )
    t = tree.tree_
    inner = t.children_left >= 0
    cost = t.weighted_n_node_samples * t.impurity
    fall = cost[inner] - cost[t.children_left[inner]] - cost[t.children_right[inner]]
    assert np.all(fall >= -1e-9 * cost[0])
    assert_close(fall, t.gain[inner], atol=1e-9 * cost[0])
    assert t.n_leaves == inner.sum() + 1
    assert t.max_depth + 1 <= t.n_leaves <= 2**t.max_depth
    falls = tree.impurity_importances(scale=None)
    assert np.all(falls >= 0)
    assert_close(falls.sum(), (cost[0] - cost[~inner].sum()) / len(y), atol=1e-12)
    assert_close(tree.feature_importances_, falls / falls.sum())


@pytest.mark.spec("TRE-P6")
@given(tables)
def test_consistent_data_are_learned_by_heart(data):
    X, y, c = data
    assert DecisionTreeClassifier().fit(X, c).score(X, c) == 1.0
    np.testing.assert_array_equal(DecisionTreeRegressor().fit(X, y).predict(X), y)


@pytest.mark.spec("TRE-P9")
@given(tables, st.integers(2, 20))
def test_larger_limits_give_smaller_trees(data, limit):
    X, y, _ = data
    depth = [DecisionTreeRegressor(min_samples_split=s).fit(X, y).get_depth() for s in (limit, limit + 1, 2 * limit)]
    assert depth == sorted(depth, reverse=True)
    assert DecisionTreeRegressor(min_samples_leaf=limit).fit(X, y).tree_.n_node_samples.min() >= limit


@pytest.mark.spec("TRE-P10", "TRE-26")
@given(tables, st.integers(0, 1000))
def test_whole_weights_are_copies(data, seed):
    X, y, c = data
    times = np.random.default_rng(seed).integers(0, 4, size=len(y))
    times[0] = 1
    rows = np.repeat(np.arange(len(y)), times)
    for cls, target in [(DecisionTreeRegressor, y), (DecisionTreeClassifier, c)]:
        weighted = cls(ccp_alpha=0.01).fit(X, target, sample_weight=times)
        copied = cls(ccp_alpha=0.01).fit(X[rows], target[rows])
        assert structure(weighted.tree_) == structure(copied.tree_)
        assert_close(weighted.feature_importances_, copied.feature_importances_)


@pytest.mark.spec("TRE-P16")
@given(tables)
def test_a_tree_sees_only_the_order_of_values(data):
    X, y, _ = data
    tree = DecisionTreeRegressor(min_samples_leaf=4).fit(X, y)
    bent = DecisionTreeRegressor(min_samples_leaf=4).fit(np.exp(X) + X**3, y)
    np.testing.assert_array_equal(tree.apply(X), bent.apply(np.exp(X) + X**3))
    np.testing.assert_array_equal(tree.tree_.feature, bent.tree_.feature)


@pytest.mark.spec("TRE-P16")
def test_regions_are_boxes(rng):
    X, y, _ = problem(rng, n=100, p=2)
    tree = DecisionTreeRegressor(max_leaf_nodes=8).fit(X, y)
    grid = np.stack(np.meshgrid(*[np.linspace(-3, 3, 60)] * 2), -1).reshape(-1, 2)
    leaves = tree.apply(grid)
    for leaf in np.unique(leaves):
        low, high = grid[leaves == leaf].min(axis=0), grid[leaves == leaf].max(axis=0)
        inside = np.all((grid >= low) & (grid <= high), axis=1)
        np.testing.assert_array_equal(inside, leaves == leaf)


@pytest.mark.spec("TRE-28")
def test_importances_of_the_books(rng):
    X, y = load_diabetes(return_X_y=True)
    tree = DecisionTreeRegressor(max_depth=4).fit(X, y)
    falls = tree.impurity_importances(scale=None)
    assert_close(tree.impurity_importances(scale="max100").max(), 100.0)
    assert_close(tree.impurity_importances(scale="max100", root=True), 100 * np.sqrt(falls / falls.max()))
    unused = np.setdiff1d(np.arange(10), tree.tree_.feature)
    assert len(unused) > 0
    assert np.all(falls[unused] == 0)
    with pytest.raises(ValueError, match="scale"):
        tree.impurity_importances(scale="percent")


@pytest.mark.spec("TRE-33", "TRE-P22")
def test_cost_grows_as_documented(rng):
    small, large = (tree_complexity(DecisionTreeRegressor().fit(rng.normal(size=(n, 3)), rng.normal(size=n)))
                    for n in (1000, 4000))  # fmt: skip
    for size, n in ((small, 1000), (large, 4000)):
        assert size.n_splits == size.n_leaves - 1 == n - 1
        assert size.balanced_depth <= size.expected_comparisons <= size.depth
        # Every row is scored at most once per column and level.
        assert size.split_evaluations <= size.scan_cost
        assert_close(size.sort_cost, 3 * n * np.log2(n))
    growth = large.split_evaluations / small.split_evaluations
    assert 3.0 < growth < 1.5 * 4 * np.log2(4000) / np.log2(1000)


@pytest.mark.spec("CRS-48")
@pytest.mark.parametrize(
    "kind, options",
    [
        (ensemble.RandomForestRegressor, {"max_features": "p/3"}),
        (ensemble.ExtraTreesRegressor, {}),
        (ensemble.GradientBoostingRegressor, {"max_features": 2}),
        (ensemble.BaggingRegressor, {}),
        (ensemble.AdaBoostRegressor, {}),
        (ensemble.GradientBooster, {}),
    ],
)
def test_the_cost_of_an_ensemble_is_the_sum_over_its_trees(kind, options, rng):
    X, y = rng.normal(size=(80, 6)), rng.normal(size=80)
    model = kind(n_estimators=7, **({"random_state": 0} | options)).fit(X, y)
    size = tree_complexity(model)
    members = [member.tree_ for member in np.ravel(np.asarray(model.estimators_, dtype=object))]
    assert size.n_trees == len(members)
    assert size.n_leaves == sum(tree.n_leaves for tree in members) == size.n_splits + len(members)
    assert size.depth == max(tree.max_depth for tree in members)
    assert size.split_evaluations > 0
    tried = 2 if options else 6
    assert size.split_evaluations <= tried * 80 * len(members) * (size.depth + 1)  # O(B N p' depth)
    leaves = [tree.forest.is_leaf for tree in members]
    depths = [np.average(t.forest.depth[leaf], weights=t.forest.weight[leaf]) for t, leaf in zip(members, leaves)]
    assert_close(size.expected_comparisons, sum(depths))
    rows = [tree.forest.rows[0] for tree in members]  # of a bootstrap sample, the different ones
    assert_close(size.scan_cost, tried * np.dot(rows, depths))


def test_the_cost_of_other_models_raises():
    with pytest.raises(TypeError, match="`estimator` must be a decision tree of statlearn or an ensemble"):
        tree_complexity(LinearRegression().fit([[0.0], [1.0]], [0.0, 1.0]))


# ---- Data of all kinds ----


@pytest.mark.parametrize("cls", [DecisionTreeClassifier, ExtraTreeRegressor])
def test_sparse_tables_give_the_same_tree(cls, rng):
    X = sparse.random(5000, 6, density=0.3, random_state=0, format="csr")
    y = (X.toarray()[:, :3].sum(axis=1) > 0.4).astype(int)
    dense = cls(max_depth=5, random_state=0).fit(X.toarray(), y)
    for form in (sparse.csr_matrix, sparse.csc_array):
        tree = cls(max_depth=5, random_state=0).fit(form(X), y)
        np.testing.assert_array_equal(tree.tree_.threshold, dense.tree_.threshold)
        np.testing.assert_array_equal(tree.predict(form(X)), dense.predict(X.toarray()))
        np.testing.assert_array_equal(tree.apply(form(X)), dense.apply(X.toarray()))


@pytest.mark.parametrize("cls", [DecisionTreeClassifier, DecisionTreeRegressor])
def test_any_number_of_threads_gives_the_same_bits(cls, rng):
    X, y, c = problem(rng, n=20_000, p=5)
    X[rng.random(X.shape) < 0.05] = np.nan
    target = c if cls is DecisionTreeClassifier else y
    found = []
    for n in (1, 2, 3):
        with statlearn.threads(n):
            found.append(cls(max_features=4, random_state=0).fit(X, target).tree_.forest)
    for other in found[1:]:
        for name in found[0]._PER_NODE:
            np.testing.assert_array_equal(getattr(found[0], name), getattr(other, name), err_msg=name)


def test_remainders_of_a_large_split_are_split_too(rng):
    X = rng.normal(size=(60, 3))
    y = np.where(X[:, 1] > 0, 1e9, 0.0) + rng.normal(size=60)
    tree = DecisionTreeRegressor().fit(X, y)
    np.testing.assert_array_equal(tree.predict(X), y)
    rows = np.bincount(tree.apply(X), minlength=tree.tree_.node_count)
    assert rows.max() == 1


def test_double_precision_is_preserved(rng):
    x = 1.0 + np.arange(8)[:, None] * 1e-12  # the same number in single precision
    y = np.arange(8.0)
    np.testing.assert_array_equal(DecisionTreeRegressor().fit(x, y).predict(x), y)


def test_a_chain_of_nodes_as_deep_as_the_table(rng):
    X = np.arange(200.0)[:, None]
    y = 4.0 ** np.arange(200)  # the largest value is always split off
    tree = DecisionTreeRegressor().fit(X, y)
    assert tree.get_depth() == 199
    np.testing.assert_array_equal(tree.predict(X), y)


def test_facts_and_prediction_agree_on_real_data():
    X, y = load_breast_cancer(return_X_y=True)
    tree = DecisionTreeClassifier(max_leaf_nodes=12).fit(X, y)
    path, leaves = tree.decision_path(X), tree.apply(X)
    np.testing.assert_array_equal(np.asarray(path.sum(axis=0)).ravel(), tree.tree_.n_node_samples)
    assert np.all(path[np.arange(len(y)), leaves] == 1)
    shares = np.array([np.bincount(y[leaves == k], minlength=2) / np.sum(leaves == k) for k in leaves])
    assert_close(tree.predict_proba(X), shares)


@pytest.mark.parametrize(
    ("settings", "data", "message"),
    [
        ({}, {"y": np.array([0.0, np.nan, 1.0, 2.0])}, "NaN"),
        ({}, {"X": np.array([[1.0], [np.inf], [0.0], [1.0]])}, "infinity"),
        ({}, {"sample_weight": [1, -1, 1, 1]}, "Negative"),
        ({}, {"sample_weight": [0, 0, 0, 0]}, "zero"),
        ({"criterion": "poisson"}, {"y": np.array([-1.0, 0, 1, 2])}, "negative"),
        ({"monotonic_cst": [1, 1]}, {}, "monotonic_cst has shape 2"),
        ({"monotonic_cst": [2]}, {}, "-1, 0 or 1"),
        ({"monotonic_cst": [1], "categorical_features": [0]}, {}, "must be 0 for categorical columns"),
        ({"interaction_cst": [[3]]}, {}, "interaction_cst"),
        ({"categorical_features": [4]}, {}, "categorical_features"),
        ({"categorical_features": ["a"]}, {}, "can only contain column names if X is a data frame"),
        ({"missing": "fractional", "max_leaf_nodes": 4}, {}, "does not support `max_leaf_nodes`"),
        ({"target_score": 0.5, "criterion": "absolute_error"}, {}, "target_score"),
    ],
)
def test_bad_input_raises(settings, data, message):
    given = {"X": np.arange(4.0)[:, None], "y": np.arange(4.0), **data}
    with pytest.raises(ValueError, match=message):
        DecisionTreeRegressor(**settings).fit(**given)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"loss_matrix": np.ones((3, 3))}, "shape"),
        ({"loss_matrix": [[0, -1], [1, 0]]}, "non-negative"),
        ({"loss_matrix": [[1, 1], [1, 0]]}, "diagonal"),
        ({"loss_matrix": [[0, 0], [1, 0]]}, "positive"),
        ({"loss_matrix": [[0, 1], [1, 0]], "criterion": "entropy"}, "gini"),
    ],
)
def test_bad_losses_raise(settings, message):
    with pytest.raises(ValueError, match=message):
        DecisionTreeClassifier(**settings).fit(np.arange(4.0)[:, None], [0, 1, 0, 1])


def test_a_damaged_tree_raises(rng):
    X, y, _ = problem(rng, n=50)
    tree = DecisionTreeRegressor().fit(X, y)
    tree.tree_.forest.child[0] = 10_000
    with pytest.raises(ValueError, match="damaged"):
        tree.predict(X)
    with pytest.raises(ValueError, match="read-only"):
        tree.tree_.impurity[0] = 1.0


@pytest.mark.parametrize(
    "settings", [{"max_leaf_nodes": 2**65}, {"max_depth": 2**65}, {"max_features": 2**65}, {"max_surrogates": 2**65}]
)
def test_limits_beyond_all_numbers_of_rows_have_no_effect(settings):
    X, y = load_iris(return_X_y=True)
    assert DecisionTreeClassifier(**settings).fit(X, y).score(X, y) == 1.0


@pytest.mark.parametrize("settings", [{"min_samples_leaf": 2**65}, {"min_samples_split": 2**65}])
def test_leaves_larger_than_all_tables_make_a_root(settings):
    X, y = load_iris(return_X_y=True)
    assert DecisionTreeClassifier(**settings).fit(X, y).get_n_leaves() == 1


def test_a_weight_without_dimensions_counts_for_every_row():
    X, y = load_iris(return_X_y=True)
    weighted = DecisionTreeClassifier(max_depth=2).fit(X, y, sample_weight=np.array(2.0))
    assert weighted.tree_.weighted_n_node_samples[0] == 300
    with pytest.raises(ValueError, match="all weights are zero"):
        DecisionTreeClassifier().fit(X, y, sample_weight=np.array(0.0))


@pytest.mark.parametrize("model", [DecisionTreeRegressor, ExtraTreeRegressor, RandomForestRegressor])
def test_targets_at_the_ends_of_the_range(model, rng):
    X = np.column_stack([rng.normal(size=5_000), rng.integers(0, 40, 5_000)])
    y = rng.normal(size=5_000)
    with pytest.raises(ValueError, match="whose square overflows; scale y"):
        model().fit(X, 1e200 * y)
    tiny = model(categorical_features=[1], random_state=0).fit(X, 1e-310 * y)  # squares vanish: nothing to gain
    assert np.isfinite(tiny.predict(X)).all()
    large = model(max_depth=4, random_state=0).fit(X, 2.0**450 * y).predict(X) / 2.0**450
    assert_close(large, model(max_depth=4, random_state=0).fit(X, y).predict(X))


def test_categories_of_a_frame_without_names_are_categories():
    """Columns that are numbered, not named, have no feature_names_in_."""
    rng = np.random.default_rng(0)
    letters = rng.choice(list("abcdef"), 200)
    y = np.isin(letters, ["b", "e"]).astype(float)
    named = pd.DataFrame({"x": rng.normal(size=200), "letter": pd.Categorical(letters)})
    numbered = named.set_axis([0, 1], axis=1)
    for model in (
        DecisionTreeRegressor(max_depth=1),
        RandomForestRegressor(5, max_features=None, max_depth=1, random_state=0),
        GradientBoostingRegressor(n_estimators=3, max_depth=1),
        GradientBooster(n_estimators=3),
        BaggingRegressor(n_estimators=3, random_state=0),
    ):
        np.testing.assert_array_equal(model.fit(numbered, y).predict(numbered), model.fit(named, y).predict(named))
    assert "feature_1 in {a, c, d, f}" in export_text(DecisionTreeRegressor(max_depth=1).fit(numbered, y))


def test_weights_whose_sums_overflow_raise():
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match=r"sample_weight contains 1e\+200, so large that sums overflow"):
        DecisionTreeClassifier().fit(X, y, sample_weight=np.full(150, 1e200))
    large = DecisionTreeClassifier(max_depth=3).fit(X, y, sample_weight=np.full(150, 2.0**300))
    np.testing.assert_array_equal(large.predict(X), DecisionTreeClassifier(max_depth=3).fit(X, y).predict(X))


@pytest.mark.parametrize("model", [DecisionTreeClassifier(), C45Classifier()])
def test_a_missing_label_raises(model):
    with pytest.raises(ValueError, match="y contains None"):
        model.fit(np.arange(3.0)[:, None], np.array(["a", None, "b"], dtype=object))


def test_a_fit_without_checks_has_no_column_names_of_an_earlier_table(rng):
    X = rng.normal(size=(20, 2)).astype(np.float32)
    tree = DecisionTreeRegressor().fit(pd.DataFrame(X, columns=["a", "b"]), X[:, 0])
    assert not hasattr(tree.fit(X, X[:, 0], check_input=False), "feature_names_in_")
