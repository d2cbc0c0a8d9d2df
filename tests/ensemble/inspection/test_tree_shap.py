"""Shapley values of trees against the definition, other programs, and themselves."""

from itertools import combinations
from math import factorial

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError

import statlearn
from statlearn import ensemble
from statlearn._core.native import trees as native
from statlearn._math.trees.forest import Forest
from statlearn.ensemble import GradientBoostingClassifier, GradientBoostingRegressor, tree_shap
from statlearn.ensemble.inspection._additive_trees import AdditiveTrees, additive_trees
from statlearn.trees import (
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ExtraTreeRegressor,
    HuntTree,
    ModelTreeRegressor,
    ObliqueTreeRegressor,
)
from tests.helpers import assert_close


def as_is(X):
    return X


def made_tree(rng, p, depth, *, categories=False, chance=0.8):
    """A random tree whose covers are counts, as a dict of arrays."""
    child, feature, threshold, weight, sets = [0], [-1], [0.0], [float(rng.integers(50, 200))], []
    missing, category_set, level = [0], [-1], [0]
    for k in range(10_000):
        if k == len(child):
            break
        if level[k] == depth or (level[k] > 0 and rng.random() > chance):
            child[k] = k
            continue
        child[k] = len(child)
        feature[k], threshold[k] = int(rng.integers(p)), rng.normal()
        missing[k] = int(rng.integers(2))
        if categories and feature[k] == 0:
            category_set[k] = len(sets)
            sets.append(rng.integers(0, 2**32, size=8, dtype=np.uint32))
        share = rng.choice([0.0, 0.2, 0.5, 0.9], p=[0.05, 0.35, 0.3, 0.3])  # an empty child now and then
        for part in (share, 1 - share):
            child.append(0)
            feature.append(-1)
            threshold.append(0.0)
            weight.append(weight[k] * part)
            missing.append(0)
            category_set.append(-1)
            level.append(level[k] + 1)
    return {
        "child": np.array(child, np.int32),
        "feature": np.array(feature, np.int32),
        "threshold": np.array(threshold),
        "missing_left": np.array(missing, np.uint8),
        "category_set": np.array(category_set, np.int32),
        "left_sets": np.array(sets, np.uint32).reshape(-1, 8),
        "weight": np.array(weight),
    }


def made_forest(rng, p, *, n_trees=3, depth=4, width=1, categories=False, chance=0.8):
    trees = [made_tree(rng, p, depth, categories=categories, chance=chance) for _ in range(n_trees)]
    for t in trees:
        t["value"] = rng.normal(size=(len(t["child"]), width))
    forest = Forest.of(trees)
    return AdditiveTrees(forest, np.zeros(width), 1.0, as_is, as_is, p, [""] * width)


def goes_left(forest, k, x):
    if np.isnan(x):
        return bool(forest.missing_left[k])
    if forest.category_set[k] >= 0:
        return bool(forest.left_sets[forest.category_set[k], int(x) // 32] >> np.uint32(int(x) % 32) & 1)
    return x <= forest.threshold[k]


def expectation(forest, k, x, known):
    """Value of node k for row x where only the columns in `known` are known: the recursion, literally."""
    c = forest.child[k]
    if c == k:
        return forest.value[k]
    if forest.feature[k] in known:
        return expectation(forest, c + (not goes_left(forest, k, x[forest.feature[k]])), x, known)
    left, both = forest.weight[c], forest.weight[c] + forest.weight[c + 1]
    share = left / both if both > 0 else 0.5
    return share * expectation(forest, c, x, known) + (1 - share) * expectation(forest, c + 1, x, known)


def game_of_covers(forest, x):
    return lambda S: sum(expectation(forest, k, x, S) for k in forest.roots)


def game_of_rows(trees, x, background, weights):
    def value(S):
        mixed = background.copy()
        mixed[:, list(S)] = x[list(S)]
        return weights @ trees.predict(mixed)

    return value


def shapley(value, p):
    """The definition."""
    phi = []
    for j in range(p):
        others = [k for k in range(p) if k != j]
        total = 0.0
        for size in range(p):
            w = factorial(size) * factorial(p - size - 1) / factorial(p)
            for S in combinations(others, size):
                total = total + w * (value({*S, j}) - value(set(S)))
        phi.append(total)
    return np.array(phi)


def shapley_interactions(value, p):
    """Half the Shapley interaction index of each pair; the rest of each column's value on the diagonal."""
    half = np.zeros((p, p))
    for i, j in combinations(range(p), 2):
        others = [k for k in range(p) if k not in (i, j)]
        total = 0.0
        for size in range(p - 1):
            w = factorial(size) * factorial(p - size - 2) / factorial(p - 1)
            for S in map(set, combinations(others, size)):
                total += w * (value(S | {i, j}) - value(S | {i}) - value(S | {j}) + value(S))[0]
        half[i, j] = half[j, i] = total / 2
    return half + np.diag(shapley(value, p)[:, 0] - half.sum(axis=1))


def rows_for(rng, n, p, categories):
    X = rng.normal(size=(n, p))
    if categories:
        X[:, 0] = rng.integers(0, 256, size=n)
    X[rng.random(size=X.shape) < 0.1] = np.nan
    return X


@pytest.mark.parametrize("case", range(6))
def test_values_match_the_definition(case, rng):
    p, width, categories = (5, 2, True) if case % 2 else (4, 1, False)
    trees = made_forest(rng, p, depth=2 + case, width=width, categories=categories)
    X = rows_for(rng, 20, p, categories)
    values = np.zeros((20, p, width))
    native.tree_shap(X, *trees.arrays, values)
    for x, found in zip(X[[0, 7, 19]], values[[0, 7, 19]]):
        assert_close(found, shapley(game_of_covers(trees.forest, x), p), atol=1e-12)
    full = [expectation(trees.forest, 0, x, set(range(p))) for x in X]
    assert_close(trees.forest.tree(0).value[trees.forest.tree(0).apply(X)[:, 0]], full)


def test_interventional_values_match_the_definition(rng):
    for categories in (False, True):
        trees = made_forest(rng, 5, depth=5, width=2, categories=categories)
        X, background = rows_for(rng, 3, 5, categories), rows_for(rng, 7, 5, categories)
        weights = rng.dirichlet(np.ones(7))
        weights[2] = 0.0
        weights /= weights.sum()
        values = np.zeros((3, 5, 2))
        native.tree_shap_interventional(X, *trees.arrays, background, weights, values)
        for x, found in zip(X, values):
            assert_close(found, shapley(game_of_rows(trees, x, background, weights), 5), atol=1e-12)


def test_many_rows_go_by_tables_of_the_leaves_and_get_the_same_values(rng):
    """Few rows are walked against each row of the background, many are looked up by their patterns at the leaves."""
    for p, width, depth in ((5, 2, 5), (14, 1, 13)):  # paths of at most ten columns, and of more
        trees = made_forest(rng, p, depth=depth, width=width, categories=True, chance=0.8 if depth == 5 else 0.95)
        X, background = rows_for(rng, 300, p, True), rows_for(rng, 60, p, True)
        weights = rng.dirichlet(np.ones(60))
        together = np.zeros((300, p, width))
        native.tree_shap_interventional(X, *trees.arrays, background, weights, together)
        for k in (0, 100, 299):
            alone = np.zeros((1, p, width))
            native.tree_shap_interventional(X[k : k + 1], *trees.arrays, background, weights, alone)
            assert_close(together[k], alone[0], atol=1e-12)
        assert_close(together.sum(axis=1), trees.predict(X) - weights @ trees.predict(background), atol=1e-10)


def test_interactions_match_the_definition(rng):
    trees = made_forest(rng, 4, depth=5)
    X = rows_for(rng, 2, 4, False)
    values, pairs = np.zeros((2, 4, 1)), np.zeros((2, 4, 4, 1))
    native.tree_shap(X, *trees.arrays, values)
    native.tree_shap_interactions(X, *trees.arrays, pairs)
    for x, phi, found in zip(X, values[..., 0], pairs[..., 0]):
        expected = shapley_interactions(game_of_covers(trees.forest, x), 4)
        assert_close(found + np.diag(phi - found.sum(axis=1)), expected, atol=1e-12)


def peer_forest(child, feature, threshold, value, count):
    """Trees as the peers print them, siblings side by side."""
    trees = []
    for k in range(len(child)):
        n = len(child[k])
        trees.append(
            {
                "child": np.array(child[k], np.int32),
                "feature": np.array(feature[k], np.int32),
                "threshold": np.array(threshold[k]),
                "missing_left": np.zeros(n, np.uint8),
                "category_set": np.full(n, -1, np.int32),
                "left_sets": np.empty((0, 8), np.uint32),
                "value": np.array(value[k])[:, None],
                "weight": np.array(count[k], float),
            }
        )
    return AdditiveTrees(Forest.of(trees), np.zeros(1), 1.0, as_is, as_is, 4, [""])


ROWS = np.array([[0, 0, 0, 0], [7, 7, 7, 7], [3, 5, 1, 2], [6, 2, 4, 0.0]])


def test_lightgbm_gives_the_same_values():
    """LightGBM 4.7.0, two trees of seven leaves on integers, ``predict(ROWS, pred_contrib=True)``."""
    trees = peer_forest(
        [[1, 3, 5, 3, 4, 7, 9, 7, 8, 9, 11, 11, 12], [1, 3, 5, 3, 7, 5, 9, 11, 8, 9, 10, 11, 12]],
        [[1, 2, 0, -1, -1, 2, 0, -1, -1, -1, 2, -1, -1], [1, 2, 0, -1, 2, -1, 0, 2, -1, -1, -1, -1, -1]],
        [[3.5, 1.5, 2.5, 0, 0, 1.5, 4.5, 0, 0, 0, 0, 0, 0], [3.5, 0, 2.5, 0, 6.5, 0, 5.5, 2.5, 0, 0, 0, 0, 0]],
        [
            [0, 0, 0, 1.7357516727949445, 0.8267368711133647, 0, 0, 2.3697110755102964, 1.3014039393100474,
             2.9203647573788962, 0, 4.993037382761634, 3.825006162419039],
            [0, 0, 0, 1.1143243047926161, 0, 0.8002649688720703, 0, 0, 1.087086968951755, 1.5168278625136928,
             2.2621327340602875, 0.6248060952533375, -0.006034452002495527],
        ],
        [[120, 60, 60, 19, 41, 25, 35, 7, 18, 12, 23, 6, 17], [120, 60, 60, 9, 51, 25, 35, 42, 9, 19, 16, 22, 20]],
    )  # fmt: skip
    values = np.zeros((4, 4, 1))
    native.tree_shap(ROWS, *trees.arrays, values)
    expected = [
        [-0.45274500498203235, -0.7149469148520526, 1.0563122977975248, 0.0],
        [1.5792537697646012, 1.6933849672675017, -0.1469554401768964, 0.0],
        [0.05475614119718958, 1.1809169308588314, 0.24006394821244748, 0.0],
        [0.529932636700431, -1.9666653225060644, -0.7040204947076177, 0.0],
    ]
    assert_close(values[..., 0], expected, rtol=1e-12)
    assert_close(trees.averaged(), [[2.96145559962412]])


def test_xgboost_gives_the_same_interactions():
    """XGBoost 3.2.0 (float32), two trees of depth 3: ``predict(..., pred_interactions=True)`` of the third row."""
    trees = peer_forest(
        [[1, 3, 5, 3, 7, 9, 11, 7, 8, 9, 10, 11, 12], [1, 3, 5, 7, 9, 11, 13, 7, 8, 9, 10, 11, 12, 13, 14]],
        [
            [1, 2, 0, -1, 2, 2, 0, -1, -1, -1, -1, -1, -1],
            [1, 2, 0, 2, 2, 0, 2, -1, -1, -1, -1, -1, -1, -1, -1],
        ],
        [
            [3.5, 1.5, 2.5, 0, 5.5, 1.5, 4.5, 0, 0, 0, 0, 0, 0],
            [3.5, 2.5, 2.5, 0.5, 5.5, 0.5, 0.5, 0, 0, 0, 0, 0, 0, 0, 0],
        ],
        [
            [0, 0, 0, 1.648964, 0, 0, 0, 0.577162, 1.275488, 2.073497, 1.232909, 2.695721, 3.957639],
            [0] * 7 + [1.041946, 0.681614, 0.009086, 0.686801, 0.294607, 0.947247, 2.510566, 1.664000],
        ],
        [
            [120, 60, 60, 19, 41, 25, 35, 29, 12, 7, 18, 12, 23],
            [120, 60, 60, 31, 29, 25, 35, 9, 22, 17, 12, 5, 20, 7, 28],
        ],
    )
    values, pairs = np.zeros((4, 4, 1)), np.zeros((4, 4, 4, 1))
    native.tree_shap(ROWS, *trees.arrays, values)
    native.tree_shap_interactions(ROWS, *trees.arrays, pairs)
    expected = [
        [-0.5822193, -0.5416421, 0.9747042, 0.0],
        [1.2963672, 1.5313861, -0.046182126, 0.0],
        [0.2039941, 1.153022, 0.16263843, 0.0],
        [0.43059343, -1.8753964, -0.80901605, 0.0],
    ]
    assert_close(values[..., 0], expected, atol=2e-6)
    found = pairs[2, ..., 0] + np.diag(values[2, :, 0] - pairs[2, ..., 0].sum(axis=1))
    third = [
        [0.2525353, 0.07248014, -0.12102137, 0],
        [0.07248022, 1.2645785, -0.18403658, 0],
        [-0.12102136, -0.18403661, 0.4676964, 0],
        [0, 0, 0, 0],
    ]
    assert_close(found, third, atol=2e-6)


@pytest.fixture(scope="module")
def boosted():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 6))
    X[rng.random(X.shape) < 0.05] = np.nan
    X[:, 5] = rng.integers(0, 12, size=300)
    y = np.nan_to_num(X[:, 0] * X[:, 1] + X[:, 2]) + (X[:, 5] % 3)
    return X, GradientBoostingRegressor(
        n_estimators=20, max_leaf_nodes=15, max_depth=None, categorical_features=[5], random_state=0
    ).fit(X, y)  # fmt: skip


def test_values_add_up_to_the_prediction(boosted):
    X, model = boosted
    for options in ({}, {"background": X[:30]}, {"interactions": True}):
        found = tree_shap(model, X[:50], **options)
        assert_close(found.base_value + found.values.sum(axis=1), model.predict(X[:50]), atol=1e-10)
        assert_close(found.prediction, model.predict(X[:50]))
    assert_close(found.interactions.sum(axis=2), found.values, atol=1e-10)
    assert_close(found.interactions, np.swapaxes(found.interactions, 1, 2), atol=1e-12)
    assert found.names == [f"x{j}" for j in range(6)]
    assert found.importance.shape == (6,)


def test_the_base_of_covers_is_the_mean_over_the_training_rows(boosted):
    X, model = boosted
    assert_close(tree_shap(model, X[:1]).base_value, model.predict(X).mean())
    assert_close(tree_shap(model, X[:1], background=X).base_value, model.predict(X).mean())


def test_a_column_that_no_tree_asks_has_value_zero(rng):
    X = rng.normal(size=(200, 3))
    X[:, 1] = 1.0
    model = GradientBoostingRegressor(n_estimators=5, random_state=0).fit(X, X[:, 0])
    found = tree_shap(model, X, interactions=True)
    assert not found.values[:, 1].any()
    assert not found.interactions[:, 1].any()
    assert not tree_shap(model, X[:5], background=X[:20]).values[:, 1].any()


def test_additive_models_give_each_column_a_separate_term(rng):
    """Stumps never mix columns: value = term at x minus its mean over the training rows, and no interaction."""
    X = rng.normal(size=(150, 3))
    y = X[:, 0] + np.abs(X[:, 1])
    model = GradientBoostingRegressor(n_estimators=40, max_depth=1, random_state=0).fit(X, y)
    found = tree_shap(model, X, interactions=True)
    for j in range(3):
        term = model.predict(np.where(np.arange(3) == j, X, X[:1])) - model.predict(X[:1])
        assert_close(found.values[:, j], term - term.mean(), atol=1e-10)
    apart = found.interactions[:, *np.triu_indices(3, 1)]
    assert_close(apart, np.zeros_like(apart), atol=1e-12)
    assert_close(tree_shap(model, X, background=X).values, found.values, atol=1e-10)


def test_several_classes_have_several_outputs(rng):
    X = rng.normal(size=(150, 4))
    y = np.array(["a", "b", "c"])[np.argmax(X[:, :3], axis=1)]
    model = GradientBoostingClassifier(n_estimators=5, random_state=0).fit(X, y)
    found = tree_shap(model, X, interactions=True)
    assert found.values.shape == (150, 4, 3)
    assert found.outputs == ["a", "b", "c"]
    assert_close(found.base_value + found.values.sum(axis=1), model.decision_function(X), atol=1e-10)
    one = found.output("b")
    assert_close(one.base_value + one.values.sum(axis=1), model.decision_function(X)[:, 1], atol=1e-10)
    assert_close(one.interactions.sum(axis=1), one.values, atol=1e-10)
    two = GradientBoostingClassifier(n_estimators=5, random_state=0).fit(X, y == "a")
    found = tree_shap(two, X.astype(np.float32))
    assert found.values.shape == (150, 4)
    assert_close(found.base_value + found.values.sum(axis=1), two.decision_function(X.astype(np.float32)), atol=1e-10)


@pytest.mark.parametrize("kind", ["RandomForest", "ExtraTrees"])
def test_forests_are_explained_on_the_scale_of_their_predictions(kind, rng):
    X = rng.normal(size=(120, 4))
    y = X[:, 0] * X[:, 1] + X[:, 2]
    model = getattr(ensemble, f"{kind}Regressor")(10, random_state=0).fit(X, y)
    found = tree_shap(model, X)
    assert_close(found.base_value + found.values.sum(axis=1), model.predict(X))
    brute = shapley(game_of_rows(additive_trees(model), X[0], X[:20], np.full(20, 0.05)), 4)
    assert_close(tree_shap(model, X[:1], background=X[:20]).values[0], brute[:, 0])
    classes = np.digitize(y, [-0.5, 0.5])
    model = getattr(ensemble, f"{kind}Classifier")(10, random_state=0).fit(X, classes)
    found = tree_shap(model, X)
    assert_close(found.base_value + found.values.sum(axis=1), model.predict_proba(X))
    two = getattr(ensemble, f"{kind}Classifier")(10, random_state=0).fit(X, classes == 1)
    found = tree_shap(two, X)
    assert_close(found.base_value + found.values.sum(axis=1), two.predict_proba(X)[:, 1])


MEMBERS = {
    "bagged numbers": lambda: ensemble.BaggingRegressor(n_estimators=5, max_features=0.7, random_state=0),
    "steps": lambda: ensemble.GradientBooster(DecisionTreeRegressor(max_depth=2), n_estimators=5),
    "leaves": lambda: ensemble.GradientBooster(DecisionTreeRegressor(max_depth=2), n_estimators=5, line_search="leaf"),
    "bagged shares": lambda: ensemble.BaggingClassifier(n_estimators=5, random_state=0),
    "bagged votes": lambda: ensemble.BaggingClassifier(n_estimators=5, vote="hard", random_state=0),
    "votes": lambda: ensemble.AdaBoostClassifier(n_estimators=8, random_state=0),
    "real": lambda: ensemble.AdaBoostClassifier(
        DecisionTreeClassifier(max_depth=2), n_estimators=5, algorithm="real", random_state=0
    ),
    "gentle": lambda: ensemble.GentleBoostClassifier(n_estimators=8),
    "logit": lambda: ensemble.LogitBoostClassifier(DecisionTreeRegressor(max_depth=2), n_estimators=5),
}


@pytest.mark.parametrize("name", MEMBERS)
def test_ensembles_of_separate_trees(name, rng):
    X = rng.normal(size=(120, 4))
    y = X[:, 0] * X[:, 1] + X[:, 2]
    model = MEMBERS[name]()
    if hasattr(model, "predict_proba"):
        targets = [np.digitize(y, [0.0]), np.digitize(y, [-0.6, 0.6])]
    else:
        targets = [y]
    for target in targets:
        model.fit(X, target)
        for options in ({}, {"background": X[:20]}):
            found = tree_shap(model, X, **options)
            total = found.base_value + found.values.sum(axis=1)
            if name in ("bagged shares", "bagged votes"):
                expected = model.predict_proba(X)
                expected = expected[:, 1] if expected.shape[1] == 2 else expected
            else:
                expected = model.decision_function(X) if hasattr(model, "decision_function") else model.predict(X)
            assert_close(total, expected)


@pytest.mark.parametrize(
    "model",
    [
        GradientBoostingRegressor(n_estimators=20, categorical_features="from_dtype"),
        ensemble.RandomForestRegressor(10, categorical_features="from_dtype", random_state=0),
        DecisionTreeRegressor(max_depth=4, categorical_features="from_dtype"),
    ],
    ids=lambda model: type(model).__name__,
)
def test_frames_with_categories(model, rng):
    frame = pd.DataFrame({"a": rng.normal(size=300), "c": pd.Categorical(rng.choice(list("xyzw"), 300))})
    y = frame["a"] + 2.0 * frame["c"].isin(["x", "w"])
    model.fit(frame, y)
    for options in ({}, {"background": frame[:40]}):
        found = tree_shap(model, frame[:50], **options)
        assert_close(found.base_value + found.values.sum(axis=1), model.predict(frame[:50]))
    # The column's value is high for two of the levels, low for the others.
    high = frame["c"][:50].isin(["x", "w"]).to_numpy()
    assert found.values[high, 1].min() > 0 > found.values[~high, 1].max()
    curve = ensemble.partial_dependence(model, frame, ["c"])
    assert curve.grid_values[0].tolist() == ["w", "x", "y", "z"]
    assert_close(curve.average[0], [2, 2, 0, 0] + curve.average[0, 2], atol=0.35)  # shrunken trees, statistical
    effect = ensemble.accumulated_local_effects(model, frame, "c", order="value")
    assert_close(effect.average[0] - effect.average[0, 2], [2, 2, 0, 0], atol=0.35)


def test_weights_are_copies_for_boosting_too(rng):
    X = rng.normal(size=(80, 3))
    y = X[:, 0] * X[:, 1]
    weights = rng.integers(0, 4, size=80)
    a = GradientBoostingRegressor(n_estimators=10, random_state=0).fit(X, y, sample_weight=weights)
    b = GradientBoostingRegressor(n_estimators=10, random_state=0).fit(
        np.repeat(X, weights, axis=0), np.repeat(y, weights)
    )
    assert_close(tree_shap(a, X).values, tree_shap(b, X).values, atol=1e-8)


def test_a_model_that_starts_from_another_raises(rng):
    X = rng.normal(size=(80, 3))
    model = GradientBoostingRegressor(n_estimators=3, init=DecisionTreeRegressor(max_depth=1)).fit(X, X[:, 0])
    with pytest.raises(ValueError, match="starts from another estimator"):
        tree_shap(model, X)
    assert ensemble.partial_dependence(model, X, [0], grid_resolution=3).average.shape == (1, 3)


TREES = {
    "tree": lambda: DecisionTreeRegressor(max_depth=6, random_state=0),
    "deep tree": lambda: DecisionTreeRegressor(random_state=0),
    "extra tree": lambda: ExtraTreeRegressor(random_state=0),
    "pruned": lambda: DecisionTreeRegressor(ccp_alpha=0.05),
}


@pytest.mark.parametrize("name", TREES)
def test_regression_trees(name, rng):
    X = rng.normal(size=(150, 4))
    X[::11, 1] = np.nan
    y = np.nan_to_num(X[:, 0] * X[:, 1]) + X[:, 2]
    weights = rng.integers(0, 3, size=150).astype(float)
    model = TREES[name]().fit(X, y, sample_weight=weights)
    found = tree_shap(model, X, interactions=True)
    assert_close(found.base_value + found.values.sum(axis=1), model.predict(X))
    assert_close(found.base_value, np.average(model.predict(X), weights=weights))
    other = tree_shap(model, X[:10], background=X, background_weight=weights)
    assert_close(other.base_value, found.base_value)
    assert_close(other.base_value + other.values.sum(axis=1), model.predict(X[:10]))
    x = X[1]
    brute = shapley(game_of_rows(additive_trees(model), x, X[:20], np.full(20, 0.05)), 4)
    assert_close(tree_shap(model, x[None], background=X[:20]).values[0], brute[:, 0])


def test_classification_trees(rng):
    X = rng.normal(size=(200, 3))
    y = np.array(["a", "b", "c"])[np.digitize(X[:, 0] + X[:, 1], [-0.7, 0.7])]
    model = DecisionTreeClassifier(max_depth=4).fit(X, y)
    found = tree_shap(model, X)
    assert found.outputs == ["a", "b", "c"]
    assert_close(found.base_value + found.values.sum(axis=1), model.predict_proba(X))
    two = DecisionTreeClassifier(max_depth=4, smoothing=1.0).fit(X, y == "a")
    found = tree_shap(two, X)
    assert found.values.shape == (200, 3)
    assert_close(found.base_value + found.values.sum(axis=1), two.predict_proba(X)[:, 1])
    sparse = tree_shap(two, csr_array(X))
    assert_close(sparse.values, found.values)
    several = DecisionTreeRegressor(max_depth=4).fit(X, np.column_stack([X[:, 0], -X[:, 1]]))
    found = tree_shap(several, X)
    assert_close(found.base_value + found.values.sum(axis=1), several.predict(X))
    with pytest.raises(ValueError, match="Multiclass-multioutput"):
        tree_shap(DecisionTreeClassifier(max_depth=2).fit(X, np.column_stack([y, y])), X)


def gappy(rng, n=200):
    """Columns that can stand in for each other, one of them with levels, with gaps."""
    X = rng.normal(size=(n, 5))
    X[:, 1] = 0.5 * rng.normal(size=n) - X[:, 0]  # a surrogate the other way round
    X[:, 4] = 0.4 * rng.normal(size=n) + X[:, 0]
    X[:, 3] = np.clip(np.round(X[:, 2] + 2), 0, 4)
    y = np.round(X[:, 0] + (X[:, 2] > 0) + 0.3 * rng.normal(size=n), 3)
    X[rng.random(X.shape) < 0.25] = np.nan
    return X, y


def deciding(model, k, x):
    """The column that decides the split at node k for row x, None for none, and whether the row goes left."""
    forest, s = model.tree_.forest, model.surrogates_
    j = forest.feature[k]
    if not np.isnan(x[j]):
        return j, goes_left(forest, k, x[j])
    if model.missing == "fractional":
        return None, False
    for i in np.flatnonzero(s.node == k):
        z = x[s.feature[i]]
        if np.isnan(z):
            continue
        if s.set[i] >= 0:
            return s.feature[i], bool(forest.left_sets[s.set[i], int(z) // 32] >> np.uint32(int(z) % 32) & 1)
        return s.feature[i], (z <= s.threshold[i]) == bool(s.below_left[i])
    return j, bool(forest.missing_left[k])


def several_ways(model, x, known, k=0):
    """Value of node k where a split is known when the column that decides it for the row is: the recursion."""
    forest = model.tree_.forest
    c = forest.child[k]
    if c == k:
        return forest.value[k]
    column, left = deciding(model, k, x)
    if column in known:
        return several_ways(model, x, known, c + (not left))
    share = forest.weight[c] / (forest.weight[c] + forest.weight[c + 1])
    return share * several_ways(model, x, known, c) + (1 - share) * several_ways(model, x, known, c + 1)


@pytest.mark.parametrize("missing", ["surrogate", "fractional"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_rows_that_go_several_ways_have_the_values_of_the_definition(missing, dtype, rng):
    X, y = gappy(rng)
    X = X.astype(dtype)
    model = DecisionTreeRegressor(max_depth=5, min_samples_leaf=5, missing=missing, categorical_features=[3]).fit(X, y)
    found = tree_shap(model, X, interactions=True)
    assert_close(found.prediction, model.predict(X))
    assert_close(found.base_value + found.values.sum(axis=1), model.predict(X))
    for i in range(0, 200, 20):
        codes = model._coder.encode(X[i : i + 1].astype(float))[0]

        def game(S, x=codes):
            return several_ways(model, x, S)

        assert_close(game(set(range(5))), model.predict(X[i : i + 1]))
        assert_close(found.values[i], shapley(game, 5)[:, 0], atol=1e-12)
        assert_close(found.interactions[i], shapley_interactions(game, 5), atol=1e-12)
    if missing == "fractional":
        assert not found.values[np.isnan(X)].any()
    else:
        s = model.surrogates_
        assert np.any(s.set >= 0)
        assert set(s.below_left[s.set < 0]) == {0, 1}  # all kinds of surrogates were there
    with pytest.raises(ValueError, match=r"do not support missing values in X or `background`.* Set background=None"):
        tree_shap(model, X[:3], background=X)
    known = X[~np.isnan(X).any(axis=1)]
    inter = tree_shap(model, known, background=known)
    assert_close(inter.base_value + inter.values.sum(axis=1), model.predict(known))


@pytest.mark.parametrize("missing", ["surrogate", "fractional"])
def test_classes_and_members_that_go_several_ways_add_up(missing, rng):
    X, y = gappy(rng)
    tree = DecisionTreeClassifier(max_depth=4, missing=missing, random_state=0).fit(X, np.digitize(y, [0, 1]))
    found = tree_shap(tree, X)
    assert_close(found.base_value + found.values.sum(axis=1), tree.predict_proba(X))
    x = X[np.isnan(X).any(axis=1)][0]
    assert_close(tree_shap(tree, x[None]).values[0], shapley(lambda S: several_ways(tree, x, S), 5), atol=1e-12)
    number = DecisionTreeRegressor(max_depth=4, missing=missing)
    for kind, options in ((ensemble.BaggingRegressor, {"max_features": 3}), (ensemble.GradientBooster, {})):
        model = kind(number, n_estimators=4, random_state=0, **options).fit(X, y)
        found = tree_shap(model, X)
        assert_close(found.base_value + found.values.sum(axis=1), model.predict(X))
    for kind in (ensemble.LogitBoostClassifier, ensemble.GentleBoostClassifier):
        model = kind(number, n_estimators=3, random_state=0).fit(X, y > 0.5)
        found = tree_shap(model, X)
        assert_close(found.base_value + found.values.sum(axis=1), model.decision_function(X))
    bagged = ensemble.BaggingClassifier(tree, n_estimators=4, random_state=0).fit(X, y > 0.5)
    found = tree_shap(bagged, X)
    assert_close(found.base_value + found.values.sum(axis=1), bagged.predict_proba(X)[:, 1])
    boosted = ensemble.AdaBoostClassifier(tree, n_estimators=4, random_state=0).fit(X, y > 0.5)
    if missing == "surrogate":
        found = tree_shap(boosted, X)
        assert_close(found.base_value + found.values.sum(axis=1), boosted.decision_function(X))
    else:
        with pytest.raises(ValueError, match="votes only after averaging"):
            tree_shap(boosted, X)


def test_threads_do_not_change_a_bit(boosted):
    X, model = boosted
    found = []
    for n in (1, 2, 3):
        with statlearn.threads(n):
            found.append([tree_shap(model, X).values, tree_shap(model, X[:20], background=X[:30]).values])
    for other in found[1:]:
        assert np.array_equal(found[0][0], other[0])
        assert np.array_equal(found[0][1], other[1])


def test_a_chain_of_ten_thousand_splits_is_walked_without_recursion(rng):
    n = 10_000
    child = np.arange(2 * n + 1, dtype=np.int32)
    child[: 2 * n : 2] = np.arange(1, 2 * n, 2)
    feature = np.full(2 * n + 1, -1, np.int32)
    # Splits at nodes 0, 2, 4, ...: the left child is a leaf, the right one is split again.
    feature[0 : 2 * n : 2] = np.arange(n) % 3
    weight = np.empty(2 * n + 1)
    weight[0], weight[1::2], weight[2::2] = n + 1, 1, np.arange(n, 0, -1)
    tree = {
        "child": child, "feature": feature, "threshold": np.linspace(-3, 3, 2 * n + 1), "weight": weight,
        "missing_left": np.zeros(2 * n + 1, np.uint8), "category_set": np.full(2 * n + 1, -1, np.int32),
        "left_sets": np.empty((0, 8), np.uint32), "value": rng.normal(size=(2 * n + 1, 1)),
    }  # fmt: skip
    trees = AdditiveTrees(Forest.of([tree]), np.zeros(1), 1.0, as_is, as_is, 3, [""])
    X = rng.normal(size=(5, 3))
    for background in (None, rng.normal(size=(2, 3))):
        values = np.zeros((5, 3, 1))
        if background is None:
            native.tree_shap(X, *trees.arrays, values)
            base = trees.averaged()
        else:
            native.tree_shap_interventional(X, *trees.arrays, background, np.full(2, 0.5), values)
            base = trees.predict(background).mean(axis=0)
        assert_close(base + values.sum(axis=1), trees.predict(X), atol=1e-9)


def test_unsupported_models_raise(boosted):
    from statlearn.linear import LinearRegression

    X, model = boosted
    assert ensemble.is_sum_of_trees(model)
    median = ensemble.AdaBoostRegressor(n_estimators=3).fit(np.eye(3), np.arange(3.0))
    with pytest.raises(
        ValueError, match="AdaBoostRegressor is not a sum of binary trees"
    ):  # a median of trees is no sum
        tree_shap(median, np.eye(3))
    with pytest.raises(ValueError, match=r"must be a statlearn decision tree, .* got LinearRegression"):
        tree_shap(LinearRegression().fit(np.eye(3), np.ones(3)), np.eye(3))
    with pytest.raises(ValueError, match="expecting 6 features"):
        tree_shap(model, X[:, :4])
    with pytest.raises(ValueError, match="expecting 6 features"):
        tree_shap(model, X, background=X[:, :4])
    with pytest.raises(ValueError, match="set background=None"):
        tree_shap(model, X, background=X, interactions=True)
    with pytest.raises(ValueError, match="`background_weight` requires `background`"):
        tree_shap(model, X, background_weight=np.ones(3))
    with pytest.raises(ValueError, match="`background_weight`"):
        tree_shap(model, X, background=X[:3], background_weight=-np.ones(3))
    broken = AdditiveTrees(model.forest_.first(3), np.zeros(1), 1.0, as_is, as_is, 6, [""])
    broken.forest.child = broken.forest.child.copy()
    broken.forest.child[0] = 10**6
    with pytest.raises(ValueError, match="damaged"):
        native.tree_shap(X, *broken.arrays, np.zeros((300, 6, 1)))


def test_boosting_that_stopped_early_is_explained():
    X, y = load_iris(return_X_y=True)
    model = ensemble.AdaBoostClassifier(DecisionTreeClassifier(max_depth=3), n_estimators=50).fit(X[:100], y[:100])
    assert len(model.estimators_) == 1  # without a mistake
    found = tree_shap(model, X[:100])
    assert_close(found.base_value + found.values.sum(axis=1), model.decision_function(X[:100]))


@pytest.mark.parametrize(
    ("model", "reason"),
    [
        (ensemble.AdaBoostRegressor(n_estimators=3), "weighted median"),
        (ModelTreeRegressor(), "leaves contain linear models"),
        (ObliqueTreeRegressor(), "involve several columns"),
        (HuntTree(), "more than two branches"),
        (ensemble.RandomTreesEmbedding(3), "makes no prediction"),
        (ensemble.VotingRegressor(), "must be a statlearn decision tree"),
    ],
    ids=str,
)
def test_models_that_are_not_sums_of_trees_raise_with_the_reason(model, reason):
    X = np.random.default_rng(0).normal(size=(60, 2))
    model.fit(X, np.round(X[:, 0]))
    assert not ensemble.is_sum_of_trees(model)
    with pytest.raises(ValueError, match=reason):
        tree_shap(model, X)


def test_an_unfitted_model_raises():
    with pytest.raises(NotFittedError):
        ensemble.is_sum_of_trees(DecisionTreeRegressor())


@pytest.mark.parametrize("kind", [ensemble.BaggingRegressor, ensemble.GradientBooster])
def test_ensembles_of_oblique_trees_raise(kind, rng):
    X = rng.normal(size=(120, 2))
    y = np.abs(X[:, 0]) + X[:, 1]
    model = kind(ModelTreeRegressor(min_samples_leaf=20), n_estimators=3).fit(X, y)
    with pytest.raises(ValueError, match=r"is not a sum of binary trees: its members \(ModelTreeRegressor\) are not"):
        tree_shap(model, X)
    found = ensemble.partial_dependence(model, X, [0], grid_resolution=5)
    by_hand = [model.predict(np.column_stack([np.full(120, v), X[:, 1]])).mean() for v in found["grid_values"][0]]
    assert_close(found["average"][0], by_hand)


@pytest.mark.parametrize("smoothing", [0.0, 1.0])
def test_a_tree_with_losses_is_explained_by_its_rows(smoothing, rng):
    X = rng.normal(size=(150, 3))
    y = (X[:, 0] + rng.normal(size=150) > 1).astype(int)
    tree = DecisionTreeClassifier(max_depth=3, loss_matrix=[[0, 1], [4, 0]], smoothing=smoothing).fit(X, y)
    found, shares = tree_shap(tree, X), tree.predict_proba(X)[:, 1]
    assert_close(found.base_value + found.values.sum(axis=1), shares)
    assert_close(found.base_value, shares.mean())
