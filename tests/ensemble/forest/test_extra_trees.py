"""Extra trees: random cuts, fewer evaluations, more diverse members."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kstest
from sklearn.datasets import load_breast_cancer, make_friedman1
from sklearn.ensemble import ExtraTreesClassifier as SklearnClassifier
from sklearn.ensemble import ExtraTreesRegressor as SklearnRegressor
from sklearn.model_selection import cross_val_score

from statlearn.ensemble import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestRegressor,
    RandomTreesEmbedding,
    tree_correlation,
)


@pytest.mark.spec("ENS-07")
def test_extra_trees_predict_as_well_as_scikit_learns(seed):
    X, y = load_breast_cancer(return_X_y=True)
    ours, theirs = (
        cross_val_score(cls(50, random_state=seed), X, y, cv=3).mean()
        for cls in (ExtraTreesClassifier, SklearnClassifier)
    )
    assert ours > theirs - 0.01
    X, y = make_friedman1(600, noise=1.0, random_state=seed)
    ours, theirs = (
        cross_val_score(cls(50, random_state=seed), X, y, cv=3).mean()
        for cls in (ExtraTreesRegressor, SklearnRegressor)
    )
    assert ours > theirs - 0.02


@pytest.mark.spec("ENS-07")
def test_the_cut_is_even_between_smallest_and_largest_value(seed):
    x = np.array([0.0, 0.1, 0.2, 4.0, 10.0])[:, None]
    model = ExtraTreesRegressor(2000, max_depth=1, random_state=seed).fit(x, np.arange(5.0))
    cuts = model.forest_.threshold[model.forest_.roots]
    assert cuts.min() >= 0.0
    assert cuts.max() < 10.0
    # The share of cuts below each value is its place between the ends; three standard errors of 2000 draws.
    for place in (0.2, 2.0, 4.0, 7.0):
        share = place / 10.0
        assert abs(np.mean(cuts < place) - share) < 3.5 * np.sqrt(share * (1 - share) / 2000)


@pytest.mark.spec("ENS-07")
def test_cuts_inside_a_bin_move_to_its_end(seed):
    x = np.random.default_rng(seed).normal(size=(3000, 1))
    model = ExtraTreesRegressor(50, max_depth=1, max_bins=8, random_state=seed).fit(x, x[:, 0] ** 2)
    cuts = model.forest_.threshold[model.forest_.roots]
    # Training rows fall on the side that growth sent them to.
    left = model.forest_.child[model.forest_.roots]
    np.testing.assert_array_equal(model.forest_.rows[left], [(x[:, 0] <= cut).sum() for cut in cuts])
    assert len(np.unique(model.forest_.rows[left])) <= 7  # ways to part eight bins


@pytest.mark.spec("ENS-07")
def test_the_best_of_the_random_cuts_is_taken(seed):
    # One column tells everything: among all columns, its random cut is the best nearly always.
    rng = np.random.default_rng(seed)
    X = rng.uniform(size=(200, 5))
    model = ExtraTreesRegressor(200, max_depth=1, max_features=None, random_state=seed).fit(X, X[:, 3])
    assert np.mean(model.forest_.feature[model.forest_.roots] == 3) > 0.9


@pytest.mark.spec("ENS-P8")
@pytest.mark.parametrize("splitter", ["binned", "exact"])
def test_extra_trees_evaluate_fewer_splits_and_are_more_diverse(seed, splitter):
    X, y = make_friedman1(500, noise=1.0, random_state=seed)
    options = dict(n_estimators=30, bootstrap=False, max_features=3, min_samples_leaf=3, random_state=seed)
    extra = ExtraTreesRegressor(splitter=splitter, **options).fit(X[:300], y[:300])
    best = RandomForestRegressor(splitter=splitter, **options).fit(X[:300], y[:300])
    per_split = [m.n_split_evaluations_ / np.sum(~m.forest_.is_leaf) for m in (extra, best)]
    assert per_split[0] < 4 < per_split[1]
    assert tree_correlation(extra, X[300:]).correlation < tree_correlation(best, X[300:]).correlation


def test_missing_values_take_a_side_and_unseen_ones_the_larger(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(300, 2))
    y = np.where(np.isnan(X[:, 0]), 3.0, X[:, 0])
    X[rng.random(300) < 0.3, 0] = np.nan
    y = np.where(np.isnan(X[:, 0]), 5.0, y)
    model = ExtraTreesRegressor(50, random_state=seed, max_features=None).fit(X, y)
    gap = np.array([[np.nan, 0.0]])
    assert model.predict(gap)[0] > 4.0
    assert np.isfinite(ExtraTreesRegressor(5, random_state=seed).fit(X[:, 1:], y).predict([[np.nan]])).all()


def test_embedding_is_one_leaf_per_tree(seed):
    X = np.random.default_rng(seed).normal(size=(60, 3))
    model = RandomTreesEmbedding(7, max_depth=3, random_state=seed)
    code = model.fit_transform(X)
    np.testing.assert_array_equal(np.asarray(code.sum(axis=1)).ravel(), 7)
    np.testing.assert_array_equal(code.toarray(), model.transform(X).toarray())
    assert code.shape[1] == np.sum(model.forest_.is_leaf) == len(model.get_feature_names_out())
    leaves = model.apply(X)
    np.testing.assert_array_equal((code @ code.T).toarray(), (leaves[:, None] == leaves[None]).sum(axis=2))
    assert model.forest_.depth.max() == 3
    assert abs(model.feature_importances_.sum() - 1) < 1e-12


@pytest.mark.spec("ENS-07")
@pytest.mark.parametrize("splitter", ["binned", "exact"])
def test_cuts_are_even_over_a_range_with_thin_ends(seed, splitter):
    # Equally full bins alone would have two in five cuts at the inner ends of the first and the last one.
    X = np.random.default_rng(seed).normal(size=(5000, 1))
    model = ExtraTreesRegressor(1500, max_depth=1, splitter=splitter, random_state=seed).fit(X, X[:, 0])
    cuts = model.forest_.threshold[model.forest_.roots]
    assert kstest(cuts, "uniform", (X.min(), np.ptp(X))).pvalue > 0.001


@pytest.mark.parametrize("n", [15, 16, 17, 300, 9000])
def test_weights_of_one_and_no_weights_make_the_same_trees(n, rng):
    # Without weights two classes are counted sixteen rows at a time; with weights, or a missing value, one by one.
    X = rng.normal(size=(n, 6))
    y = (X[:, 0] * X[:, 1] + rng.normal(size=n) > 0).astype(int)
    plain = ExtraTreesClassifier(10, random_state=0).fit(X, y)
    weighted = ExtraTreesClassifier(10, random_state=0).fit(X, y, sample_weight=np.ones(n))
    for name in ("feature", "threshold", "child"):
        np.testing.assert_array_equal(getattr(plain.forest_, name), getattr(weighted.forest_, name))
    np.testing.assert_array_equal(plain.predict_proba(X), weighted.predict_proba(X))


@pytest.mark.parametrize("scale", [1e-300, 1.0, 1e300])
def test_random_cuts_lie_between_the_values_of_columns_with_outliers(scale, rng):
    # A hundredth of the range holds nearly all values, or the range itself is beyond numbers.
    X = rng.standard_cauchy(size=(200, 3)) ** 3
    X = np.clip(X / np.abs(X).max(), -1, 1) * scale
    X[0], X[1] = 1.7 * scale, -1.7 * scale
    y = rng.integers(2, size=200)
    model = ExtraTreesClassifier(20, random_state=0).fit(X, y)
    inner = model.forest_.feature >= 0
    column = X.T[model.forest_.feature[inner]]
    at = model.forest_.threshold[inner][:, None]
    assert np.all((column <= at).any(axis=1) & (column > at).any(axis=1))
    assert model.score(X, y) == 1.0


def _column(rng, n, kind):
    return {
        "normal": lambda: rng.normal(size=n),
        "heavy": lambda: rng.standard_cauchy(size=n) ** 3,
        "whole": lambda: rng.integers(0, 6, size=n).astype(float),
        "steps": lambda: np.round(rng.normal(size=n), 1) * 1e6,
        "tiny": lambda: 1.0 + 1e-15 * rng.integers(0, 50, size=n),
        "gaps": lambda: np.where(rng.random(n) < 0.2, np.nan, rng.normal(size=n)),
        "clusters": lambda: rng.choice([0.0, 1e3, 1e9], size=n) + rng.random(n),
    }[kind]()


@given(
    st.integers(0, 2**32 - 1),
    st.integers(2, 700),
    st.lists(
        st.sampled_from(["normal", "heavy", "whole", "steps", "tiny", "gaps", "clusters"]), min_size=1, max_size=6
    ),
    st.sampled_from([2, 3, 0]),
    st.sampled_from([4, 16, 255]),
    st.sampled_from([np.float32, np.float64]),
)
def test_training_rows_reach_the_leaves_that_growth_sent_them_to(seed, n, kinds, classes, max_bins, dtype):
    rng = np.random.default_rng(seed)
    X = np.column_stack([_column(rng, n, kind) for kind in kinds]).astype(dtype)
    y = rng.integers(classes, size=n) if classes else rng.normal(size=n)
    kind = ExtraTreesClassifier if classes else ExtraTreesRegressor
    model = kind(3, max_features=None, max_bins=max_bins, random_state=seed % 1000).fit(X, y)
    forest = model.forest_
    reached = np.zeros(len(forest.feature), int)
    np.add.at(reached, model.apply(X) + forest.roots, 1)
    leaf = forest.is_leaf
    np.testing.assert_array_equal(reached[leaf], forest.rows[leaf])
    inner = np.flatnonzero(~leaf)
    np.testing.assert_array_equal(
        forest.rows[inner], forest.rows[forest.child[inner]] + forest.rows[forest.child[inner] + 1]
    )
    assert forest.rows.min() > 0


def test_smoothing_equals_additional_uninformative_trees(rng):
    X, y = rng.normal(size=(60, 3)), np.repeat(["a", "b", "c"], 20)
    sure = ExtraTreesClassifier(30, random_state=0).fit(X, y)
    doubtful = ExtraTreesClassifier(30, smoothing=2.0, random_state=0).fit(X, y)
    p = sure.predict_proba(X)
    assert p.min() == 0
    np.testing.assert_allclose(doubtful.predict_proba(X), (30 * p + 2 / 3) / 32)
    np.testing.assert_array_equal(doubtful.predict(X), sure.predict(X))
    both = ExtraTreesClassifier(5, smoothing=1.0, random_state=0).fit(X, np.column_stack([y, y == "a"]))
    assert [table.shape[1] for table in both.predict_proba(X)] == [3, 2]
    assert min(table.min() for table in both.predict_proba(X)) > 0
