"""Model trees: ridge regressions in the leaves, pruning and smoothing."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_diabetes, make_friedman1
from sklearn.linear_model import Ridge
from sklearn.model_selection import cross_val_score

from statlearn.trees import DecisionTreeRegressor, ModelTreeRegressor
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
def test_leaves_hold_ridge_regressions_of_their_own_rows(seed):
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


def test_a_single_leaf_is_ridge_regression_of_nothing_or_all(rng):
    X, y = rng.normal(size=(40, 3)), rng.normal(size=40)
    stump = ModelTreeRegressor(min_samples_leaf=1000, leaf_features="all", alpha=1.0).fit(X, y)
    spread = X.std(axis=0)
    ridge = Ridge(alpha=1.0).fit(X / spread, y)
    assert_close(stump.predict(X), ridge.predict(X / spread))
    assert_close(ModelTreeRegressor(min_samples_leaf=1000).fit(X, y).predict(X), y.mean())
