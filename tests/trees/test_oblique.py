"""Oblique trees: half-spaces, axis-parallel limits, agreement with plain trees."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from statlearn.trees import (
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ObliqueTreeClassifier,
    ObliqueTreeRegressor,
    impurity,
)
from statlearn.trees._node_numbers import level_scores
from statlearn.trees._oblique_grow import CoordinateSearch, discriminant_direction, gini_mass, logistic_direction
from tests.helpers import assert_close

DIRECTIONS = ["lda", "logistic", "search"]


def slanted(rng, n=300, p=3):
    X = rng.normal(size=(n, p))
    return X, X[:, 0] + 0.8 * X[:, 1]


@pytest.mark.spec("TRE-17")
@pytest.mark.parametrize("direction", DIRECTIONS)
def test_one_oblique_test_replaces_many_straight_ones(direction, rng):
    X, score = slanted(rng)
    y = np.where(score > 0.2, "b", "a")
    oblique = ObliqueTreeClassifier(direction=direction, max_depth=1).fit(X, y)
    straight = ObliqueTreeClassifier(max_direction_features=1, max_depth=1).fit(X, y)
    assert oblique.score(X, y) > 0.95 > straight.score(X, y)
    w = oblique.tree_.coef[0]
    assert abs(w[1] / w[0] - 0.8) < 0.3
    number = ObliqueTreeRegressor(direction=direction, max_depth=1).fit(X, (score > 0.2) * 3.0)
    assert number.score(X, (score > 0.2) * 3.0) > 0.8


@pytest.mark.spec("TRE-17")
def test_the_test_is_a_half_space(rng):
    X, y = load_iris(return_X_y=True)
    model = ObliqueTreeClassifier(min_samples_leaf=3).fit(X, y)
    tree = model.tree_
    leaf = model.apply(X)
    for row in range(0, 150, 7):
        node = 0
        while tree.child[node] != node:
            node = tree.child[node] + int(X[row] @ tree.coef[node] + tree.intercept[node] > 0)
        assert node == leaf[row]
    for node in np.unique(leaf):
        shares = np.bincount(y[leaf == node], minlength=3) / np.sum(leaf == node)
        assert_close(tree.value[node], shares)
        assert_close(tree.impurity[node], impurity(shares))
        assert tree.rows[node] == np.sum(leaf == node) >= 3
    assert tree.n_leaves == model.get_n_leaves() == np.sum(tree.is_leaf)


@pytest.mark.spec("TRE-P18", "TRE-17")
@given(seed=st.integers(0, 10_000), criterion=st.sampled_from(["gini", "entropy"]))
def test_one_column_at_a_time_is_the_plain_tree(seed, criterion):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(80, 4))
    y = (X[:, 0] * X[:, 1] + 0.5 * rng.normal(size=80) > 0).astype(int) + (X[:, 2] > 1)
    new = rng.normal(size=(200, 4))
    ours = ObliqueTreeClassifier(max_direction_features=1, criterion=criterion, min_samples_leaf=2).fit(X, y)
    plain = DecisionTreeClassifier(criterion=criterion, min_samples_leaf=2).fit(X, y)
    assert_close(ours.predict_proba(new), plain.predict_proba(new))
    z = X[:, 0] * X[:, 1] + 0.1 * rng.normal(size=80)
    ours = ObliqueTreeRegressor(max_direction_features=1, max_depth=4).fit(X, z)
    plain = DecisionTreeRegressor(max_depth=4).fit(X, z)
    assert_close(ours.predict(new), plain.predict(new))


@pytest.mark.spec("TRE-17")
def test_directions_match_the_linear_methods(rng):
    X, y = load_iris(return_X_y=True)
    two = y < 2
    parts = np.eye(3)[y]
    own = discriminant_direction(X[two], parts[two], False)
    theirs = LinearDiscriminantAnalysis().fit(X[two], y[two]).coef_[0]
    assert_close(own / np.linalg.norm(own), theirs / np.linalg.norm(theirs), rtol=1e-5)
    own = discriminant_direction(X, parts, False)
    theirs = LinearDiscriminantAnalysis(solver="eigen").fit(X, y).scalings_[:, 0]
    cosine = own @ theirs / np.linalg.norm(own) / np.linalg.norm(theirs)
    assert_close(abs(cosine), 1.0, rtol=1e-6)
    z, w = rng.normal(size=150), rng.random(150)
    own = discriminant_direction(X, np.column_stack([w, w * z, w * z**2]), True)
    A = np.column_stack([X, np.ones(150)])
    theirs = np.linalg.lstsq(A * np.sqrt(w)[:, None], z * np.sqrt(w), rcond=None)[0][:-1]
    assert_close(own, theirs, rtol=1e-4, atol=1e-6)  # a ridge of 1e-8 of the spread
    flipped = np.where(rng.random(150) < 0.1, 1, y) == 2
    own = logistic_direction(X, np.eye(2)[flipped.astype(int)], False, steps=50, ridge=1e-9)
    from sklearn.linear_model import LogisticRegression

    theirs = LogisticRegression(C=np.inf, tol=1e-10, max_iter=10_000).fit(X, flipped).coef_[0]
    assert_close(own, theirs, rtol=1e-3)


@pytest.mark.spec("TRE-17")
@given(seed=st.integers(0, 10_000))
def test_coordinate_search_never_leaves_more_impurity(seed):
    rng = np.random.default_rng(seed)
    Z = rng.normal(size=(60, 3))
    parts = np.eye(2)[(Z[:, 0] + Z[:, 2] + 0.5 * rng.normal(size=60) > 0).astype(int)]

    def remaining(direction, intercept):
        right = Z @ direction + intercept > 0
        return gini_mass(parts[right].sum(axis=0)) + gini_mass(parts[~right].sum(axis=0))

    start = np.array([1.0, 0.0, 0.0]), 0.1
    direction, intercept, left = CoordinateSearch(gini_mass, 1).improve(Z, parts, *start, remaining(*start))
    assert_close(left, remaining(direction, intercept))
    assert left <= remaining(*start)


@pytest.mark.spec("TRE-17")
@pytest.mark.parametrize("direction", DIRECTIONS)
def test_a_full_tree_fits_its_rows(direction, rng):
    X, y = rng.normal(size=(100, 3)), rng.integers(0, 3, 100)
    assert ObliqueTreeClassifier(direction=direction).fit(X, y).score(X, y) == 1.0
    z = rng.normal(size=100)
    assert_close(ObliqueTreeRegressor(direction=direction).fit(X, z).predict(X), z)
    grid = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 3)
    assert (
        ObliqueTreeClassifier(direction=direction)
        .fit(grid, grid[:, 0] ^ grid[:, 1])
        .score(grid, grid[:, 0] ^ grid[:, 1])
        == 1.0
    )


@pytest.mark.spec("TRE-17")
def test_smoothing_adds_rows_of_each_class(rng):
    X, y = load_iris(return_X_y=True)
    plain, smooth = (ObliqueTreeClassifier(max_depth=2, smoothing=s).fit(X, y) for s in (0.0, 2.0))
    n = plain.tree_.weight[plain.apply(X), None]
    assert_close(smooth.predict_proba(X), (plain.predict_proba(X) * n + 2) / (n + 6))


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_large_numbers_do_not_overflow(direction, rng):
    X, score = slanted(rng, n=80)
    model = ObliqueTreeRegressor(direction=direction, max_depth=3)
    small, large = (model.fit(f * X, score).predict(f * X) for f in (1.0, 2.0**600))
    assert_close(large, small)


def test_limits_hold_and_damage_raises(rng):
    X, score = slanted(rng)
    model = ObliqueTreeRegressor(max_depth=3, min_samples_leaf=20, min_samples_split=60).fit(X, score)
    assert model.get_depth() <= 3
    assert model.tree_.rows[model.tree_.is_leaf].min() >= 20
    assert model.tree_.rows[~model.tree_.is_leaf].min() >= 60
    assert ObliqueTreeRegressor(min_impurity_decrease=1e6).fit(X, score).get_n_leaves() == 1
    model.tree_.child[0] = 10_000
    with pytest.raises(ValueError, match="corrupted"):
        model.predict(X)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("criterion", ["gini", "entropy", "squared_error"])
def test_the_cut_of_a_column_is_the_best_of_all(seed, dtype, criterion):
    from statlearn.trees._oblique_grow import MASSES, Scan

    rng = np.random.default_rng(seed)
    Z = np.column_stack([rng.normal(size=40), rng.integers(0, 4, 40), np.ones(40)]).astype(dtype)
    w, y = rng.uniform(0.5, 2, 40), rng.normal(size=40)
    parts = (
        np.column_stack([w, w * y, w * y**2])
        if criterion == "squared_error"
        else w[:, None] * np.eye(3)[rng.integers(0, 3, 40)]
    )
    for min_leaf in (1, 8):
        for table in (Z, np.asfortranarray(Z)):
            left, cut = Scan(criterion, min_leaf).columns(table, np.ascontiguousarray(parts))
            for j in range(2):
                sides = [Z[:, j] <= c for c in np.unique(Z[:, j])[:-1]]
                sides = [s for s in sides if min_leaf <= s.sum() <= 40 - min_leaf]
                mass = [sum(MASSES[criterion](parts[s].sum(axis=0)) for s in (side, ~side)) for side in sides]
                assert left[j] == pytest.approx(min(mass), rel=1e-10)
                np.testing.assert_array_equal(Z[:, j] <= cut[j], sides[int(np.argmin(mass))])
            assert np.isinf(left[2])
    with pytest.raises(ValueError, match="numbers of rows"):
        Scan(criterion, 1).columns(Z[:-1], np.ascontiguousarray(parts))


def with_gaps(seed, n=150):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3)) * [1.0, 10.0, 0.1] + 5.0
    score = X[:, 0] - 5 + (X[:, 1] - 5) / 10 + 0.3 * rng.normal(size=n)
    X[rng.random(X.shape) < 0.2] = np.nan
    return X, score, rng.integers(1, 4, n).astype(float)


@pytest.mark.spec("TRE-17")
@pytest.mark.parametrize("direction", DIRECTIONS)
@settings(max_examples=10)
@given(seed=st.integers(0, 1000))
def test_a_missing_cell_has_the_mean_of_its_node(direction, seed):
    X, score, w = with_gaps(seed)
    model = ObliqueTreeRegressor(direction=direction, min_samples_leaf=8).fit(X, score, sample_weight=w)
    tree, leaf = model.tree_, model.apply(X)
    nodes = [(0, np.arange(len(X)))]
    while nodes:
        k, rows = nodes.pop()
        if tree.child[k] == k:
            assert_close(tree.value[k, 0], np.average(score[rows], weights=w[rows]))
            np.testing.assert_array_equal(np.flatnonzero(leaf == k), rows)
            continue
        A, v = X[rows], w[rows]
        means = np.array([np.average(a[~np.isnan(a)], weights=v[~np.isnan(a)]) for a in A.T])
        filled = np.where(np.isnan(A), means, A)
        alone = ObliqueTreeRegressor(direction=direction, min_samples_leaf=8, max_depth=1)
        alone.fit(filled, score[rows], sample_weight=v)
        assert_close(tree.coef[k], alone.tree_.coef[0], atol=1e-9)
        assert_close(tree.missing[k], tree.coef[k] * means)
        right = filled @ tree.coef[k] + tree.intercept[k] > 0
        nodes += [(tree.child[k], rows[~right]), (tree.child[k] + 1, rows[right])]
    full = X[~np.isnan(X).any(axis=1)]
    assert np.isfinite(ObliqueTreeRegressor().fit(full, full[:, 0]).predict(X)).all()  # gaps that come later


def lettered(seed=0, n=300):
    rng = np.random.default_rng(seed)
    letters, x = rng.choice(list("abcdef"), n), rng.normal(size=n)
    level = {"a": 0.0, "b": 2.5, "c": -1.0, "d": 2.0, "e": 0.5, "f": 3.0}
    score = np.array([level[k] for k in letters]) + 1.5 * x
    return pd.DataFrame({"letter": pd.Categorical(letters), "x": x}), score + 0.1 * rng.normal(size=n)


@pytest.mark.spec("TRE-17", "TRE-P18")
def test_a_cut_of_one_categorical_column_is_the_best_set_of_levels():
    X, score = lettered()
    limits = {"max_depth": 4, "min_samples_leaf": 5}
    ours = ObliqueTreeRegressor(max_direction_features=1, **limits).fit(X, score)
    assert_close(ours.predict(X), DecisionTreeRegressor(**limits).fit(X, score).predict(X))
    y = score > 1.2
    one = ObliqueTreeClassifier(max_direction_features=1, max_depth=1).fit(X[["letter"]], y)
    best = DecisionTreeClassifier(max_depth=1, categorical_split="exhaustive").fit(X[["letter"]], y)
    assert_close(one.predict_proba(X[["letter"]]), best.predict_proba(X[["letter"]]))


@pytest.mark.spec("TRE-17")
@pytest.mark.parametrize("direction", DIRECTIONS)
def test_levels_and_numbers_share_one_test(direction):
    X, score = lettered()
    y = score > 1.2
    ours = ObliqueTreeClassifier(direction=direction, max_depth=1).fit(X, y)
    straight = ObliqueTreeClassifier(max_direction_features=1, max_depth=1).fit(X, y)
    assert ours.score(X, y) > 0.93 > straight.score(X, y) + 0.05
    shares = pd.Series(y).groupby(X["letter"].to_numpy()).mean()
    assert_close(ours.tree_.level_coef[0], ours.tree_.coef[0, 0] * shares)
    assert_close(ours.tree_.missing[0, 0], ours.tree_.coef[0, 0] * y.mean())


@pytest.mark.spec("TRE-17")
def test_scores_of_levels_follow_the_classes_as_closely_as_numbers_can(rng):
    counts = rng.integers(0, 20, size=(6, 4)).astype(float) + np.eye(6, 4)
    rows, classes = counts.sum(axis=1), counts.sum(axis=0)

    def ratio(score):
        """Spread between the classes' means of a score over its whole spread."""
        centred = score - rows @ score / rows.sum()
        means = counts.T @ centred / classes
        return (classes @ means**2) / (rows @ centred**2)

    best = ratio(level_scores(counts, False))
    inner = counts / rows[:, None] @ (counts / classes).T  # its second eigenvalue is the largest ratio
    assert_close(best, np.sort(np.linalg.eigvals(inner).real)[-2])
    assert all(ratio(rng.normal(size=6)) <= best for _ in range(200))
    two = level_scores(counts[:, [0, 0, 2]] * [1, 0, 1], False)
    assert_close(two, counts[:, 2] / (counts[:, 0] + counts[:, 2]))


@pytest.mark.parametrize("kind", [ObliqueTreeClassifier, ObliqueTreeRegressor])
def test_levels_unseen_or_without_weight_are_missing_values_whatever_the_frame(kind):
    X, score = lettered()
    y = np.digitize(score, [0, 1.5]) if kind is ObliqueTreeClassifier else score
    X.loc[::11, "letter"] = None
    words = X.assign(letter=X["letter"].astype(object))
    model = kind(min_samples_leaf=10).fit(X, y)
    polar = pl.from_pandas(words).with_columns(pl.col("letter").cast(pl.Categorical))
    np.testing.assert_array_equal(kind(min_samples_leaf=10).fit(polar, y).predict(polar), model.predict(X))
    codes = np.column_stack([X["letter"].cat.codes.replace(-1, np.nan), X["x"]]).astype(float)
    named = kind(min_samples_leaf=10, categorical_features=[0]).fit(codes, y)
    np.testing.assert_array_equal(named.predict(codes), model.predict(X))
    missing, new = (X.assign(letter=pd.Categorical([k] * len(X), categories=list("abcdefz"))) for k in (None, "z"))
    np.testing.assert_array_equal(model.predict(new), model.predict(missing))
    kept = (X["letter"] != "f").to_numpy()
    absent = kind(min_samples_leaf=10).fit(X, y, sample_weight=kept.astype(float))
    np.testing.assert_array_equal(absent.predict(X), kind(min_samples_leaf=10).fit(X[kept], y[kept]).predict(X))
    with pytest.raises(ValueError, match=r"'letter' contains text .* categorical data type"):
        kind().fit(words, y)
    with pytest.raises(ValueError, match="infinity"):
        kind().fit(np.where(codes > 1, np.inf, codes), y)
