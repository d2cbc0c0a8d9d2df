"""Model trees: ridge regressions in the leaves, pruning and smoothing."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_diabetes, make_friedman1
from sklearn.linear_model import Ridge
from sklearn.model_selection import cross_val_score

from statlearn.trees import DecisionTreeRegressor, ModelTreeRegressor
from statlearn.trees._level_steps import MOST_STEPS, LevelSteps
from tests.helpers import assert_close


@pytest.mark.spec("TRE-P18", "TRE-16")
@given(seed=st.integers(0, 10_000))
def test_constant_leaves_are_the_regression_tree(seed):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(80, 3)), rng.normal(size=80)
    limits = {"min_samples_leaf": 3, "max_depth": 5}
    ours = ModelTreeRegressor(leaf="constant", **limits).fit(X, y)
    plain = DecisionTreeRegressor(**limits).fit(X, y)
    new = rng.normal(size=(100, 3))
    np.testing.assert_array_equal(ours.predict(new), plain.predict(new))
    assert ours.get_n_leaves() == plain.get_n_leaves()
    assert ours.get_depth() == plain.get_depth()


@pytest.mark.spec("TRE-16")
@given(seed=st.integers(0, 10_000))
def test_leaves_hold_ridge_regressions_of_their_rows(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(120, 3)) * [1.0, 10.0, 0.1] + 5.0
    y = rng.normal(size=120) + X[:, 1] * (X[:, 0] > 5)
    w = rng.integers(1, 4, 120).astype(float)
    model = ModelTreeRegressor(alpha=2.0, leaf_features="all", smoothing=0, prune=False, min_samples_leaf=15).fit(
        X, y, sample_weight=w
    )
    spread = np.sqrt(np.average((X - np.average(X, axis=0, weights=w)) ** 2, axis=0, weights=w))
    leaf = model.apply(X)
    for node in np.unique(leaf):
        own = leaf == node
        ridge = Ridge(alpha=2.0, tol=1e-12).fit(X[own] / spread, y[own], sample_weight=w[own])
        assert_close(model.coef_[node] * spread, ridge.coef_, rtol=1e-6, atol=1e-8)
        assert_close(model.predict(X[own]), ridge.predict(X[own] / spread), rtol=1e-6, atol=1e-8)


@pytest.mark.spec("TRE-16")
def test_models_use_the_columns_tested_below(rng):
    X = rng.normal(size=(300, 4))
    y = np.where(X[:, 0] > 0, 2 * X[:, 0], -X[:, 0]) + 0.01 * rng.normal(size=300)
    model = ModelTreeRegressor(smoothing=0).fit(X, y)
    used = model.coef_[model.tree_.children_left < 0]
    assert np.all(np.abs(used[:, 1:]) < 0.2)  # hardly anything but the first column
    full = ModelTreeRegressor(smoothing=0, prune=False).fit(X, y)
    leaves = full.tree_.children_left < 0
    assert not full.coef_[leaves].any()  # nothing is tested below a leaf that was not pruned


@pytest.mark.spec("TRE-16")
def test_two_straight_lines_need_two_leaves(rng):
    x = np.linspace(-1, 1, 300)[:, None]
    noise = 0.05 * rng.normal(size=300)
    y = np.where(x[:, 0] < 0, 1 + 2 * x[:, 0], 5 - x[:, 0]) + noise
    model = ModelTreeRegressor(alpha=1e-3, smoothing=0, min_samples_leaf=20).fit(x, y)
    assert model.get_n_leaves() == 2
    assert abs(model.tree_.threshold[0]) < 0.02
    assert model.score(x, y) > 0.999
    # The same line on both sides: nothing is left of the tree.
    assert ModelTreeRegressor(alpha=1e-3, min_samples_leaf=20).fit(x, 3 * x[:, 0] + noise).get_n_leaves() == 1


@pytest.mark.spec("TRE-16")
@given(seed=st.integers(0, 10_000), k=st.sampled_from([1.0, 15.0]))
def test_smoothing_mixes_the_models_of_the_path(seed, k):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(100, 2)), rng.normal(size=100)
    limits = {"min_samples_leaf": 8, "prune": False, "leaf_features": "all"}
    plain = ModelTreeRegressor(smoothing=0, **limits).fit(X, y)
    mixed = ModelTreeRegressor(smoothing=k, **limits).fit(X, y)
    forest = plain.tree_.forest
    for row in range(0, 100, 9):
        node = plain.apply(X[row : row + 1])[0]
        p = X[row] @ plain.coef_[node] + plain.intercept_[node]
        while (parent := forest.parent[node]) >= 0:
            q = X[row] @ plain.coef_[parent] + plain.intercept_[parent]
            n = forest.weight[node]
            p, node = (n * p + k * q) / (n + k), parent
        assert_close(mixed.predict(X[row : row + 1]), p, rtol=1e-8)


@pytest.mark.spec("TRE-16")
def test_beats_the_plain_tree_where_lines_help():
    for X, y in (make_friedman1(400, noise=1.0, random_state=0), load_diabetes(return_X_y=True)):
        ours = cross_val_score(ModelTreeRegressor(), X, y).mean()
        plain = cross_val_score(DecisionTreeRegressor(min_samples_leaf=10), X, y).mean()
        assert ours > plain + 0.05


def test_a_single_leaf_is_ridge_regression_of_no_or_all_columns(rng):
    X, y = rng.normal(size=(40, 3)), rng.normal(size=40)
    stump = ModelTreeRegressor(min_samples_leaf=1000, leaf_features="all", alpha=1.0).fit(X, y)
    spread = X.std(axis=0)
    ridge = Ridge(alpha=1.0).fit(X / spread, y)
    assert_close(stump.predict(X), ridge.predict(X / spread))
    assert_close(ModelTreeRegressor(min_samples_leaf=1000).fit(X, y).predict(X), y.mean())


def with_gaps(seed, n=160):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3)) * [1.0, 10.0, 0.1] + 5.0
    y = rng.normal(size=n) + X[:, 1] * (X[:, 0] > 5)
    X[rng.random(X.shape) < 0.2] = np.nan
    return X, y, rng.integers(1, 4, n).astype(float)


@pytest.mark.spec("TRE-16")
@given(seed=st.integers(0, 10_000))
def test_a_missing_cell_has_the_mean_of_its_leaf(seed):
    X, y, w = with_gaps(seed)
    limits = {"min_samples_leaf": 15.0, "leaf_features": "all", "prune": False}
    model = ModelTreeRegressor(alpha=2.0, smoothing=0, **limits).fit(X, y, sample_weight=w)
    plain = DecisionTreeRegressor(min_weight_fraction_leaf=15 * (1 - 1e-9) / w.sum(), random_state=0)
    leaf = plain.fit(X, y, sample_weight=w).apply(X)
    np.testing.assert_array_equal(model.apply(X), leaf)  # on the way down as in a plain tree
    known = ~np.isnan(X)
    centre = [np.average(X[k, j], weights=w[k]) for j, k in enumerate(known.T)]
    spread = np.sqrt([np.average((X[k, j] - centre[j]) ** 2, weights=w[k]) for j, k in enumerate(known.T)])
    for node in np.unique(leaf):
        own = leaf == node
        means = [
            np.average(X[own & k, j], weights=w[own & k]) if (own & k).any() else 0.0 for j, k in enumerate(known.T)
        ]
        filled = np.where(known[own], X[own], means) / spread
        ridge = Ridge(alpha=2.0, tol=1e-12).fit(filled, y[own], sample_weight=w[own])
        assert_close(model.predict(X[own]), ridge.predict(filled), rtol=1e-6, atol=1e-7)
        assert_close(model.coef_[node] * spread, ridge.coef_, rtol=1e-6, atol=1e-7)
        assert_close(model.missing_coef_[node], model.coef_[node] * means, rtol=1e-6, atol=1e-7)


@pytest.mark.spec("TRE-16")
@given(seed=st.integers(0, 10_000))
def test_smoothing_fills_a_missing_cell_at_every_node_of_the_path(seed):
    X, y, _ = with_gaps(seed)
    limits = {"min_samples_leaf": 10, "prune": False, "leaf_features": "all"}
    plain = ModelTreeRegressor(smoothing=0, **limits).fit(X, y)
    mixed = ModelTreeRegressor(smoothing=15, **limits).fit(X, y)
    forest = plain.tree_.forest

    def own(node, x):
        gap = np.isnan(x)
        return (x * plain.coef_[node])[~gap].sum() + plain.missing_coef_[node][gap].sum() + plain.intercept_[node]

    for row in range(0, len(X), 9):
        node = plain.apply(X[row : row + 1])[0]
        p = own(node, X[row])
        while (parent := forest.parent[node]) >= 0:
            n = forest.weight[node]
            p, node = (n * p + 15 * own(parent, X[row])) / (n + 15), parent
        assert_close(mixed.predict(X[row : row + 1]), p, rtol=1e-7)


def lettered(seed=0, n=400):
    """A slope that depends on a set of letters, and a level of each letter."""
    rng = np.random.default_rng(seed)
    letters, x = rng.choice(list("abcdef"), n), rng.normal(size=n)
    level = {"a": 0.0, "b": 2.5, "c": -1.0, "d": 2.0, "e": 0.5, "f": 3.0}
    y = np.array([level[k] for k in letters]) + x * np.where(np.isin(letters, ["b", "d", "f"]), 3.0, -1.0)
    return pd.DataFrame({"letter": pd.Categorical(letters), "x": x}), y + 0.1 * rng.normal(size=n)


@pytest.mark.spec("TRE-16")
def test_categories_are_sets_in_the_tree_and_steps_in_the_leaves():
    X, y = lettered()
    model = ModelTreeRegressor(alpha=1e-3, leaf_features="all", smoothing=0, min_samples_leaf=40).fit(X, y)
    assert model.get_n_leaves() == 2  # the letters with one slope, and those with the other
    assert model.score(X, y) > 0.995
    order = pd.Series(y).groupby(X["letter"].to_numpy()).mean().sort_values().index.tolist()
    assert list(model.level_order_[0]) == order
    assert model.coef_.shape == (3, 6)
    rank = X["letter"].map({level: k for k, level in enumerate(order)}).to_numpy().astype(int)
    steps = np.column_stack([rank[:, None] > np.arange(5), X["x"]]).astype(float)
    spread = steps.std(axis=0)
    leaf = model.apply(X)
    for node in np.unique(leaf):
        own = leaf == node
        ridge = Ridge(alpha=1e-3, tol=1e-12).fit(steps[own] / spread, y[own])
        assert_close(model.predict(X[own]), ridge.predict(steps[own] / spread), rtol=1e-5, atol=1e-6)
    numbers = X.assign(letter=X["letter"].cat.codes.astype(float))
    assert ModelTreeRegressor(min_samples_leaf=40).fit(numbers, y).score(numbers, y) < model.score(X, y) - 0.01
    # All letters, nothing else: the means of the groups, as from dummy variables.
    one = ModelTreeRegressor(alpha=0.0, leaf_features="all", min_samples_leaf=1000).fit(X[["letter"]], y)
    assert_close(one.predict(X[["letter"]]), pd.Series(y).groupby(X["letter"].to_numpy()).transform("mean"), rtol=1e-6)


def test_levels_unseen_or_without_weight_are_missing_values_whatever_the_frame():
    X, y = lettered()
    X.loc[::11, "letter"] = None
    model = ModelTreeRegressor(min_samples_leaf=20).fit(X, y)
    words = X.assign(letter=X["letter"].astype(object))
    polar = pl.from_pandas(words).with_columns(pl.col("letter").cast(pl.Categorical))
    other = ModelTreeRegressor(min_samples_leaf=20).fit(polar, y)
    np.testing.assert_array_equal(other.predict(polar), model.predict(X))
    known, new = X.assign(letter=None), X.assign(letter=pd.Categorical(["z"] * len(X)))
    known["letter"] = pd.Categorical(known["letter"], categories=list("abcdef"))
    np.testing.assert_array_equal(model.predict(new), model.predict(known))
    kept = (X["letter"] != "f").to_numpy()
    absent = ModelTreeRegressor(min_samples_leaf=20).fit(X, y, sample_weight=kept.astype(float))
    gone = ModelTreeRegressor(min_samples_leaf=20).fit(X[kept], y[kept])
    np.testing.assert_array_equal(absent.predict(X), gone.predict(X))
    codes = np.column_stack([X["letter"].cat.codes.replace(-1, np.nan), X["x"]]).astype(float)
    named = ModelTreeRegressor(min_samples_leaf=20, categorical_features=[0]).fit(codes, y)
    np.testing.assert_array_equal(named.predict(codes), model.predict(X))
    with pytest.raises(ValueError, match=r"'letter' contains text .* categorical data type"):
        ModelTreeRegressor().fit(words, y)
    with pytest.raises(ValueError, match="infinity"):
        ModelTreeRegressor().fit(np.where(codes > 1, np.inf, codes), y)


def test_large_numbers_do_not_overflow(rng):
    X, y = rng.normal(size=(80, 2)), rng.normal(size=80)
    small, large = (ModelTreeRegressor(min_samples_leaf=10).fit(f * X, y).predict(f * X) for f in (1.0, 1e200))
    assert_close(large, small)


def test_many_levels_share_steps_in_the_order_of_their_means(rng):
    codes = np.append(rng.integers(0, 200, 3000), [np.nan, np.nan])[:, None]
    y = rng.normal(size=3002)
    steps = LevelSteps([True]).fit(codes, y, np.ones(3002))
    D = steps.design(codes)
    assert D.shape == (3002, MOST_STEPS)
    assert np.isnan(D[-2:]).all()
    assert np.all(np.diff(D[:-2], axis=1) <= 0)
    means = pd.Series(y[:-2]).groupby(codes[:-2, 0]).transform("mean")
    assert np.all(np.diff(D[:-2].sum(axis=1)[np.argsort(means)]) >= 0)
    assert np.bincount(D[:-2].sum(axis=1).astype(int)).min() > 50  # 91 rows in a group on average
    one = LevelSteps([True]).fit(np.zeros((3, 1)), np.ones(3), np.ones(3))
    assert one.design(np.zeros((2, 1))).tolist() == [[0.0], [0.0]]


def test_columns_of_denormal_numbers_count_as_constant(rng):
    X, y = 1e-310 * rng.normal(size=(20, 2)), rng.normal(size=20)
    model = ModelTreeRegressor(max_depth=1, prune=False).fit(X, y)
    assert np.isfinite(model.predict(X)).all()
