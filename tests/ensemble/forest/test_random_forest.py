"""Random forests: agreement with single trees of scikit-learn, out-of-bag estimates, the rules of growth."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.stats import chisquare
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, make_friedman1
from sklearn.ensemble import RandomForestClassifier as SklearnClassifier
from sklearn.ensemble import RandomForestRegressor as SklearnRegressor
from sklearn.model_selection import cross_val_score
from sklearn.tree import DecisionTreeClassifier as SklearnTreeClassifier
from sklearn.tree import DecisionTreeRegressor as SklearnTreeRegressor

import statlearn
from statlearn._math.trees.bins import BinMapper
from statlearn.ensemble import (
    BaggingClassifier,
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
    RandomTreesEmbedding,
)
from statlearn.ensemble.forest._growth import columns_per_node
from statlearn.trees import DecisionTreeRegressor
from tests.helpers import assert_close

ONE_TREE = {"n_estimators": 1, "bootstrap": False, "max_features": None}


def problem(rng, n=200, p=5):
    """Fewer rows than bins: the search is exact."""
    X = rng.normal(size=(n, p))
    return X, X[:, 0] * X[:, 1] + rng.normal(size=n), rng.normal(size=(300, p))


@pytest.mark.spec("ENS-06")
@pytest.mark.parametrize(
    "rule",
    [
        {"min_samples_leaf": 5},
        {"min_samples_leaf": 0.03},
        {"min_samples_split": 20, "min_samples_leaf": 4},
        {"min_samples_leaf": 4, "max_leaf_nodes": 12},
        {"min_impurity_decrease": 0.02, "min_samples_leaf": 4},
        {"min_weight_fraction_leaf": 0.05},
        {"max_depth": 3, "min_samples_leaf": 4},
        {"monotonic_cst": [1, 0, -1, 0, 0], "min_samples_leaf": 6},
    ],
    ids=str,
)
def test_one_tree_on_all_rows_and_columns_is_scikit_learns_tree(rng, rule):
    X, y, Z = problem(rng)
    ours = RandomForestRegressor(**ONE_TREE, **rule).fit(X, y)
    theirs = SklearnTreeRegressor(random_state=0, **rule).fit(X, y)
    assert_close(ours.predict(Z), theirs.predict(Z), rtol=1e-10, atol=0)
    assert_close(ours.feature_importances_, theirs.feature_importances_, atol=1e-12)
    forest = ours.forest_
    assert len(forest.feature) == theirs.tree_.node_count
    assert_close(np.sort(forest.impurity), np.sort(theirs.tree_.impurity), atol=1e-12)
    np.testing.assert_array_equal(np.sort(forest.rows), np.sort(theirs.tree_.n_node_samples))


@pytest.mark.spec("ENS-06")
@pytest.mark.parametrize("criterion", ["gini", "entropy", "log_loss"])
@pytest.mark.parametrize("classes", [2, 5])
def test_weighted_classification_trees_agree_with_scikit_learns(rng, criterion, classes):
    X, score, Z = problem(rng)
    y = np.digitize(score, np.quantile(score, np.linspace(0, 1, classes + 1)[1:-1]))
    weights = rng.uniform(0.5, 2.0, len(y))  # whole numbers would tie
    rule = {"criterion": criterion, "min_samples_leaf": 7, "max_depth": 4}
    ours = RandomForestClassifier(**ONE_TREE, **rule).fit(X, y, weights)
    theirs = SklearnTreeClassifier(random_state=0, **rule).fit(X, y, weights)
    assert ours.forest_.impurity[0] == pytest.approx(theirs.tree_.impurity[0], rel=1e-12)
    assert_close(ours.predict_proba(Z), theirs.predict_proba(Z), atol=1e-12)
    assert_close(ours.feature_importances_, theirs.feature_importances_, atol=1e-12)


def impurity(shares, criterion):
    """Gini or entropy in bits, the formulas literally; any leading shape."""
    if criterion == "gini":
        return 1 - np.sum(shares**2, axis=-1)
    return -np.sum(np.where(shares > 0, shares * np.log2(np.where(shares > 0, shares, 1)), 0), axis=-1)


def best_gain(X, labels, criterion):
    """The largest fall of rows x impurity by any cut, one cut after the other."""
    found = -np.inf
    for x in X.T:
        for cut in np.unique(x)[:-1]:
            left = x <= cut
            sides = [labels[left], labels[~left]]
            found = max(found, -sum(len(s) * impurity(s.mean(axis=0), criterion) for s in sides))
    return found + len(labels) * impurity(labels.mean(axis=0), criterion)


@pytest.mark.spec("ENS-06")
@pytest.mark.parametrize("criterion", ["gini", "entropy"])
@pytest.mark.parametrize("classes", [2, 4])
def test_every_split_is_the_best_there_is(rng, criterion, classes):
    X, score, _ = problem(rng, n=120, p=3)
    y = np.digitize(score, np.quantile(score, np.linspace(0, 1, classes + 1)[1:-1]))
    model = RandomForestClassifier(**ONE_TREE, criterion=criterion).fit(X, y)
    path, _ = model.decision_path(X)
    forest = model.forest_
    inner = np.flatnonzero(~forest.is_leaf)
    assert len(inner) > 20
    for node in inner:
        rows = path[:, node].toarray()[:, 0] > 0
        assert forest.gain[node] == pytest.approx(best_gain(X[rows], np.eye(classes)[y[rows]], criterion), abs=1e-9)
    np.testing.assert_array_equal(model.predict(X), y)  # grown until the leaves are pure


@pytest.mark.spec("ENS-06")
@pytest.mark.parametrize("case", ["weights", "outputs", "poisson", "missing"])
def test_regression_trees_agree_with_scikit_learns(rng, case):
    X, y, Z = problem(rng)
    rule, weights = {"min_samples_leaf": 8}, None
    if case == "weights":
        weights = rng.uniform(0.5, 2.0, len(y))
    elif case == "outputs":
        y = np.column_stack([y, X[:, 2] + rng.normal(size=len(y))])
    elif case == "poisson":
        y, rule = rng.gamma(2.0, np.exp(X[:, 0])), {**rule, "criterion": "poisson"}
    else:
        X[rng.random(X.shape) < 0.1] = np.nan
        Z[rng.random(Z.shape) < 0.1] = np.nan
    ours = RandomForestRegressor(**ONE_TREE, **rule).fit(X, y, weights)
    theirs = SklearnTreeRegressor(random_state=0, **rule).fit(X, y, weights)
    assert_close(ours.predict(Z), theirs.predict(Z), rtol=1e-10, atol=0)
    assert_close(ours.feature_importances_, theirs.feature_importances_, atol=1e-12)


@pytest.mark.spec("ENS-06")
def test_forests_predict_as_well_as_scikit_learns(seed):
    X, y = load_breast_cancer(return_X_y=True)
    ours, theirs = (
        cross_val_score(cls(50, random_state=seed), X, y, cv=3).mean()
        for cls in (RandomForestClassifier, SklearnClassifier)
    )
    assert ours > theirs - 0.01
    X, y = make_friedman1(600, noise=1.0, random_state=seed)
    ours, theirs = (
        cross_val_score(cls(50, max_features=0.4, random_state=seed), X, y, cv=3).mean()
        for cls in (RandomForestRegressor, SklearnRegressor)
    )
    assert ours > theirs - 0.02


@pytest.mark.spec("ENS-06")
def test_wide_and_narrow_tables_give_the_same_trees(rng):
    # Beyond 512 columns row numbers are moved instead of rows.
    X, y, _ = problem(rng)
    wide = np.zeros((len(X), 600))
    wide[:, :5] = X
    narrow = RandomForestRegressor(**ONE_TREE, min_samples_leaf=5).fit(X, y)
    other = RandomForestRegressor(**ONE_TREE, min_samples_leaf=5).fit(wide, y)
    assert_close(narrow.predict(X), other.predict(wide), rtol=1e-12, atol=0)
    np.testing.assert_array_equal(narrow.forest_.feature, other.forest_.feature)


def test_the_number_of_threads_does_not_change_a_bit(rng):
    X, y, _ = problem(rng, n=500)
    with statlearn.threads(1):
        one = RandomForestRegressor(20, random_state=0).fit(X, y)
    two = RandomForestRegressor(20, random_state=0, n_jobs=2).fit(X, y)
    np.testing.assert_array_equal(one.forest_.threshold, two.forest_.threshold)
    np.testing.assert_array_equal(one.predict(X), two.predict(X))


@pytest.mark.parametrize(
    "given, expected",
    [(None, 10), ("sqrt", 3), ("log2", 3), ("p/3", 3), (4, 4), (40, 10), (0.25, 2), (1.0, 10), (0.01, 1)],
)
def test_columns_per_node(given, expected):
    assert columns_per_node(given, 10) == expected


def test_warm_start_adds_the_trees_that_one_fit_would_have_grown():
    X, y = load_iris(return_X_y=True)
    grown = RandomForestClassifier(4, random_state=3, warm_start=True, oob_score=False).fit(X, y)
    grown.set_params(n_estimators=9).fit(X, y)
    at_once = RandomForestClassifier(9, random_state=3).fit(X, y)
    np.testing.assert_array_equal(grown.predict_proba(X), at_once.predict_proba(X))
    np.testing.assert_array_equal(grown.apply(X), at_once.apply(X))
    with pytest.warns(UserWarning, match="without increasing n_estimators"):
        grown.fit(X, y)
    with pytest.raises(ValueError, match="must be larger or equal"):
        grown.set_params(n_estimators=2).fit(X, y)


def test_samples_of_the_trees_explain_their_roots(seed):
    X, y = load_diabetes(return_X_y=True)
    forest = RandomForestRegressor(5, random_state=seed, max_samples=100).fit(X, y)
    for rows, root in zip(forest.estimators_samples_, forest.forest_.roots):
        assert len(rows) == 100
        assert forest.forest_.rows[root] == len(np.unique(rows))
        assert forest.forest_.value[root, 0] == pytest.approx(y[rows].mean(), rel=1e-12)


def test_classes_are_balanced_within_each_bootstrap_sample(seed):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(300, 3)), (rng.random(300) < 0.1).astype(int)
    forest = RandomForestClassifier(10, class_weight="balanced_subsample", random_state=seed).fit(X, y)
    assert_close(forest.forest_.value[forest.forest_.roots], 0.5, atol=1e-12)
    drawn = RandomForestClassifier(200, class_weight="balanced", random_state=seed, max_depth=1).fit(X, y)
    shares = drawn.forest_.value[drawn.forest_.roots, 1]  # rows are drawn in proportion to the class weights
    assert abs(shares.mean() - 0.5) < 4 * 0.5 / np.sqrt(300 * 200)


def test_weights_set_the_expected_number_of_draws(seed):
    X = np.arange(50.0)[:, None]
    weights = np.where(X[:, 0] < 10, 0.0, np.where(X[:, 0] < 30, 1.0, 3.0))
    forest = RandomForestRegressor(400, random_state=seed, max_depth=1).fit(X, X[:, 0], sample_weight=weights)
    roots = forest.forest_.value[forest.forest_.roots, 0]
    expected = np.average(X[:, 0], weights=weights)
    assert abs(roots.mean() - expected) < 5 * roots.std() / np.sqrt(400)
    assert forest.predict([[0.0]])[0] >= 10


@pytest.mark.parametrize("bad", [{"max_samples": 0.5}, {"oob_score": True}])
def test_bootstrap_options_need_a_bootstrap(bad):
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match="bootstrap"):
        RandomForestClassifier(bootstrap=False, **bad).fit(X, y)


@pytest.mark.spec("ENS-P5")
@pytest.mark.parametrize("splitter", ["binned", "exact"])
def test_a_forest_with_all_columns_is_a_bag_of_trees(rng, splitter):
    # Whole numbers times a factor of their own, so that no two cuts part the rows alike; few values: bins are exact.
    X, y, Z = problem(rng, n=250)
    forest = RandomForestRegressor(8, max_features=None, min_samples_leaf=5, splitter=splitter, random_state=1).fit(
        X, y
    )
    bag = []
    for rows, seed in zip(forest.estimators_samples_, forest.seeds_):
        counts = np.bincount(rows, minlength=len(y)).astype(float)
        tree = DecisionTreeRegressor(min_samples_leaf=5, random_state=int(seed)).fit(X, y, sample_weight=counts)
        bag.append(tree.predict(Z))
    assert_close(forest.predict(Z), np.mean(bag, axis=0), rtol=1e-10, atol=0)


@pytest.mark.spec("ENS-06")
@pytest.mark.parametrize("splitter", ["binned", "exact"])
@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_categories_of_a_data_frame_are_split_into_sets(rng, splitter, library):
    letters = rng.choice(list("abcdefgh"), 300)
    number = rng.normal(size=300)
    y = np.isin(letters, ["b", "e", "g"]) * 3.0 + 0.1 * number
    table = (
        pd.DataFrame({"letter": pd.Categorical(letters), "number": number})
        if library == "pandas"
        else pl.DataFrame({"letter": pl.Series(letters, dtype=pl.Categorical), "number": number})
    )
    model = RandomForestRegressor(20, max_features=None, max_depth=1, splitter=splitter, random_state=0).fit(table, y)
    # One split on the letter tells the two groups apart.
    assert_close(model.predict(table), np.where(y > 1.5, 3.0, 0.0), atol=0.1)
    coded = RandomForestRegressor(
        20, max_features=None, max_depth=1, splitter=splitter, random_state=0, categorical_features=[0]
    ).fit(np.column_stack([np.searchsorted(list("abcdefgh"), letters), number]), y)
    np.testing.assert_array_equal(coded.forest_.threshold, model.forest_.threshold)
    unknown = table[:3]
    unknown = (
        unknown.assign(letter=pd.Categorical(["z", None, "b"]))
        if library == "pandas"
        else unknown.with_columns(letter=pl.Series(["z", None, "b"], dtype=pl.Categorical))
    )
    assert np.isfinite(model.predict(unknown)).all()


@pytest.mark.parametrize("classes", [2, 3])
def test_many_categories_and_several_classes(rng, classes):
    codes = rng.integers(0, 400, 4000)  # more than one byte holds: the rarest share a bin
    y = codes % classes
    X = np.column_stack([codes, rng.normal(size=4000)]).astype(float)
    model = RandomForestClassifier(10, max_features=None, random_state=0, categorical_features=[0]).fit(X, y)
    assert model.score(X, y) > 0.95
    with pytest.raises(ValueError, match="must be 0 for categorical columns"):
        RandomForestClassifier(categorical_features=[0], monotonic_cst=[1, 0]).fit(X, (y > 0).astype(int))


def test_absolute_error_grows_by_medians(rng):
    X, y, Z = problem(rng, n=100)
    y = y + np.where(rng.random(100) < 0.1, 100.0, 0.0)
    ours = RandomForestRegressor(**ONE_TREE, criterion="absolute_error", max_depth=2, min_samples_leaf=8).fit(X, y)
    theirs = SklearnTreeRegressor(criterion="absolute_error", max_depth=2, min_samples_leaf=8, random_state=0).fit(X, y)
    assert_close(ours.predict(Z), theirs.predict(Z), rtol=1e-10, atol=0)


def test_exact_and_binned_forests_are_the_same_model(seed):
    X, y = load_diabetes(return_X_y=True)
    scores = [
        RandomForestRegressor(100, splitter=splitter, oob_score=True, random_state=seed).fit(X, y).oob_score_
        for splitter in ("binned", "exact")
    ]
    assert abs(scores[0] - scores[1]) < 0.02


def test_pruning_cuts_every_tree(rng):
    X, y, _ = problem(rng)
    full = RandomForestRegressor(6, random_state=0).fit(X, y)
    cut = RandomForestRegressor(6, random_state=0, ccp_alpha=0.05).fit(X, y)
    for t, tree in enumerate(full.estimators_):
        alone = SklearnTreeRegressor(ccp_alpha=0.05)  # the same rule on a tree of scikit-learn's
        assert cut.estimators_[t].tree_.n_leaves <= tree.tree_.n_leaves
        counts = np.bincount(full.estimators_samples_[t], minlength=len(y)).astype(float)
        alone.fit(X, y, sample_weight=counts)
        assert abs(cut.estimators_[t].tree_.n_leaves - alone.tree_.n_leaves) <= 2  # ties of the last splits


def test_single_trees_reproduce_the_forest(seed):
    X, y = load_iris(return_X_y=True)
    forest = RandomForestClassifier(7, random_state=seed).fit(X, y)
    assert len(forest) == len(forest.estimators_) == 7
    assert_close(forest.predict_proba(X), np.mean([tree.predict_proba(X) for tree in forest], axis=0), atol=1e-12)
    indicator, starts = forest.decision_path(X)
    np.testing.assert_array_equal(np.diff(starts), [tree.tree_.node_count for tree in forest.estimators_])
    leaves = forest.apply(X)
    for t in range(7):
        np.testing.assert_array_equal(leaves[:, t], forest[t].apply(X))
        np.testing.assert_array_equal(indicator[np.arange(150), starts[t] + leaves[:, t]], 1)
    with pytest.raises(AttributeError, match="not fitted"):
        _ = RandomForestClassifier().estimators_


def test_a_damaged_forest_raises():
    X, y = load_iris(return_X_y=True)
    forest = RandomForestClassifier(3, random_state=0).fit(X, y)
    forest.forest_.child = forest.forest_.child.copy()
    forest.forest_.child[0] = 10**9
    with pytest.raises(ValueError, match="damaged"):
        forest.predict(X)


@pytest.mark.parametrize("outputs", [1, 2])
def test_labels_of_any_kind_and_number_of_columns(seed, outputs):
    X, y = load_iris(return_X_y=True)
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    target = names if outputs == 1 else np.column_stack([names, np.where(y > 0, "big", "small")])
    forest = RandomForestClassifier(15, random_state=seed).fit(X, target)
    assert np.mean(forest.predict(X) == target) > 0.97
    shares = forest.predict_proba(X)
    shares = [shares] if outputs == 1 else shares
    assert [s.shape[1] for s in shares] == [3, 2][:outputs]
    for s in shares:
        assert_close(s.sum(axis=1), 1.0, atol=0)


def test_few_rows_of_a_large_forest_are_walked_alone(rng):
    X, y, Z = problem(rng, n=400)
    X[rng.random(X.shape) < 0.1] = np.nan
    Z[rng.random(Z.shape) < 0.1] = np.nan
    forest = RandomForestRegressor(40, random_state=0).fit(X, y)
    assert len(forest.forest_.feature) > 4096
    by_pieces = np.concatenate([forest.predict(Z[k : k + 7]) for k in range(0, len(Z), 7)])
    np.testing.assert_array_equal(by_pieces, forest.predict(Z))
    np.testing.assert_array_equal(forest.apply(Z[:5]), forest.apply(Z)[:5])
    forest.forest_.child = forest.forest_.child.copy()
    forest.forest_.child[0] = 10**9
    with pytest.raises(ValueError, match="damaged"):
        forest.predict(Z[:1])


def test_limits_beyond_the_range_of_kernels():
    X, y = load_iris(return_X_y=True)
    for name in ("max_depth", "max_leaf_nodes", "max_features"):
        for model in (RandomForestClassifier(5, random_state=0), GradientBoostingClassifier(n_estimators=3)):
            assert model.set_params(**{name: 2**65}).fit(X, y).score(X, y) > 0.9
    for name in ("min_samples_leaf", "min_samples_split"):
        assert RandomForestClassifier(2, **{name: 2**65}).fit(X, y).forest_.is_leaf.all()
        assert GradientBoostingClassifier(n_estimators=2, **{name: 2**65}).fit(X, y).forest_.is_leaf.all()
    for draws in (2**31 - 1, 2**65, 1e300):
        with pytest.raises(ValueError, match=r"`max_samples`=.* draws per tree from 150 rows; at most 1,000,000"):
            RandomForestClassifier(2, max_samples=draws).fit(X, y)


def test_a_share_of_huge_weights_raises_as_too_many_draws():
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match=r"`max_samples`=0\.5 amounts to 7\.5e"):
        RandomForestClassifier(2, max_samples=0.5).fit(X, y, np.full(len(y), 1e90))


@pytest.mark.spec("ENS-06", "ENS-07")
@pytest.mark.parametrize(
    "kind", [RandomForestClassifier, RandomForestRegressor, ExtraTreesClassifier, ExtraTreesRegressor]
)
@pytest.mark.parametrize("bootstrap", [True, False])
def test_an_exact_tree_refitted_to_its_sample_is_the_tree(kind, bootstrap):
    X, y = load_iris(return_X_y=True)
    forest = kind(5, splitter="exact", max_features=0.5, bootstrap=bootstrap, random_state=1).fit(X, y)
    for tree, rows in zip(forest.estimators_, forest.estimators_samples_, strict=True):
        again = clone(tree).fit(X[rows], y[rows].astype(float))
        np.testing.assert_array_equal(again.tree_.feature, tree.tree_.feature)
        assert_close(again.tree_.value, tree.tree_.value)


def test_constraints_on_several_outputs_raise_before_their_length_is_looked_at():
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match="not supported with multiple output"):
        RandomForestClassifier(2, monotonic_cst=[-1, 1]).fit(X, np.column_stack([y > 0, y > 1]))


@pytest.mark.spec("ENS-06", "ENS-07")
@pytest.mark.parametrize("splitter", ["binned", "exact"])
@pytest.mark.parametrize("max_features", [0.4, None])
@pytest.mark.parametrize("kind", [RandomForestClassifier, ExtraTreesClassifier])
def test_of_equally_good_columns_any_may_win(kind, max_features, splitter):
    # With two values a cut leaves nothing to chance: all five columns are equally good wherever they are drawn.
    X = np.repeat(np.array([[0.0], [1.0]] * 10), 5, axis=1)
    y = X[:, 0].astype(int)
    forest = kind(600, max_features=max_features, splitter=splitter, bootstrap=False, random_state=0).fit(X, y)
    used = np.bincount(forest.forest_.feature[forest.forest_.roots], minlength=5)
    assert chisquare(used).pvalue > 0.001


@pytest.mark.parametrize("kind", [RandomForestClassifier, ExtraTreesClassifier, BaggingClassifier])
def test_a_warm_start_raises_for_other_columns_and_classes(kind):
    X, y = load_iris(return_X_y=True)

    def begun():
        return kind(n_estimators=3, warm_start=True, random_state=0).fit(X, y).set_params(n_estimators=5)

    with pytest.raises(ValueError, match=r"X has 2 features, but .* is expecting 4"):
        begun().fit(X[:, :2], y)
    for labels in (y > 0, np.array(["a", "b", "c"])[y]):
        with pytest.raises(ValueError, match="`warm_start`=True requires the classes of the previous fit"):
            begun().fit(X, labels)
    assert len(begun().fit(X[::2], y[::2]).estimators_) == 5


def test_a_warm_start_raises_for_another_number_of_outputs():
    X, y = load_iris(return_X_y=True)
    model = RandomForestRegressor(3, warm_start=True).fit(X, y).set_params(n_estimators=5)
    with pytest.raises(ValueError, match="requires the 1 outputs of the previous fit, but y has 2"):
        model.fit(X, np.column_stack([y, y]))
    with pytest.raises(ValueError, match="X has 2 features"):
        model.fit(X[:, :2], y)
    embedding = RandomTreesEmbedding(3, warm_start=True).fit(X).set_params(n_estimators=5)
    with pytest.raises(ValueError, match="X has 2 features, but RandomTreesEmbedding"):
        embedding.fit(X[:, :2])


@pytest.mark.parametrize("cls", [RandomForestRegressor, ExtraTreesRegressor, GradientBoostingRegressor])
@pytest.mark.parametrize("first, then", [(np.float64, np.float32), (np.float32, np.float64)])
def test_a_warm_start_takes_rows_of_another_precision(cls, first, then, rng):
    X = rng.normal(size=(300, 4)).astype(np.float32)
    y = X[:, 0] + X[:, 1] ** 2

    def grown(dtype):
        model = cls(n_estimators=4, warm_start=True, random_state=0).fit(X.astype(first), y)
        return model.set_params(n_estimators=8).fit(X.astype(dtype), y).predict(X)

    assert_close(grown(then), grown(first), rtol=1e-6)


@pytest.mark.spec("CRS-47")
@pytest.mark.parametrize("kind", [RandomForestClassifier, ExtraTreesClassifier])
def test_hard_votes_are_the_mode_of_the_trees(kind, seed):
    rng = np.random.default_rng(seed)
    X, Q = rng.normal(size=(150, 4)), rng.normal(size=(200, 4))
    y = np.array(["b", "a", "c"])[(X[:, 0] + rng.normal(size=150) > 0).astype(int) + (X[:, 1] > 1)]
    options = dict(n_estimators=24, max_depth=3, bootstrap=True, random_state=0)
    soft, hard = (kind(vote=vote, oob_score=True, **options).fit(X, y) for vote in ("soft", "hard"))
    votes = np.array([tree.predict(Q) for tree in hard.estimators_]).astype(int)  # class indices
    shares = np.array([np.bincount(row, minlength=3) for row in votes.T]) / 24
    assert_close(hard.predict_proba(Q), shares)
    np.testing.assert_array_equal(hard.predict(Q), hard.classes_[shares.argmax(axis=1)])  # ties: the first class
    assert np.sum(np.sort(shares, axis=1)[:, -1] == np.sort(shares, axis=1)[:, -2]) > 0  # there are ties
    assert 0.5 < np.mean(soft.predict(Q) == hard.predict(Q)) < 1.0  # similar, not equal
    np.testing.assert_array_equal(soft.forest_.value, hard.forest_.value)  # the same trees
    voters = 1 - np.array([np.bincount(rows, minlength=150) > 0 for rows in hard.estimators_samples_])
    own = np.array([tree.predict(X) for tree in hard.estimators_]).astype(int)
    found = (
        np.stack([np.sum(voters * (own == k), axis=0) for k in range(3)], axis=1)
        / np.maximum(voters.sum(0), 1)[:, None]
    )
    assert_close(hard.oob_decision_function_, found)


@pytest.mark.spec("CRS-47")
@pytest.mark.parametrize("options", [{"vote": "hard"}, {"smoothing": 3.0}, {"vote": "hard", "smoothing": 2.0}])
@pytest.mark.parametrize("K", [2, 3])
def test_votes_and_smoothing_are_explained(options, K, rng):
    X, y = rng.normal(size=(80, 3)), rng.integers(0, K, 80)
    model = RandomForestClassifier(10, max_depth=4, random_state=0, **options).fit(X, y)
    shap = statlearn.ensemble.tree_shap(model, X[:5])
    proba = model.predict_proba(X[:5])
    assert_close(np.squeeze(shap.prediction), proba[:, 1] if K == 2 else proba)
    assert_close(np.squeeze(shap.base_value + shap.values.sum(axis=1)), proba[:, 1] if K == 2 else proba)


@pytest.mark.spec("CRS-47")
def test_votes_of_several_outputs(rng):
    X, y = rng.normal(size=(60, 3)), rng.integers(0, [2, 3], size=(60, 2))
    model = RandomForestClassifier(9, vote="hard", max_depth=2, random_state=0).fit(X, y)
    for k, p in enumerate(model.predict_proba(X)):
        votes = np.array([tree.predict(X)[:, k] for tree in model.estimators_]).astype(int)
        assert_close(p, np.array([np.bincount(row, minlength=k + 2) for row in votes.T]) / 9)


@pytest.mark.parametrize("cls", [RandomForestRegressor, RandomForestClassifier])
def test_the_table_is_binned_once_whatever_is_printed(cls, rng, monkeypatch, capsys):
    """With `verbose`, each tenth of the trees binned it again."""
    X, y, _ = problem(rng, n=200)
    y = y > 0 if cls is RandomForestClassifier else y
    calls, transform = [], BinMapper.transform
    monkeypatch.setattr(BinMapper, "transform", lambda self, table: calls.append(1) or transform(self, table))
    silent = cls(20, random_state=0).fit(X, y)
    before = len(calls)
    loud = cls(20, random_state=0, verbose=1).fit(X, y)
    assert len(calls) == 2 * before
    assert capsys.readouterr().out.count("trees grown") == 10
    np.testing.assert_array_equal(silent.predict(X), loud.predict(X))


@pytest.mark.full
def test_many_threads_move_row_numbers_instead_of_rows(rng):
    """64 copies of the rows of this table have more than a gigabyte."""
    X, y = rng.normal(size=(33_000, 480)), rng.normal(size=33_000)
    model = RandomForestRegressor(64, max_depth=3, max_features=6, random_state=0)
    with statlearn.threads(1):
        one = model.fit(X, y).forest_
    with statlearn.threads(64):
        many = model.fit(X, y).forest_
    np.testing.assert_array_equal(one.threshold, many.threshold)
    np.testing.assert_array_equal(one.value, many.value)
