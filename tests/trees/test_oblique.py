"""Oblique trees: half-spaces, axis-parallel limits, agreement with plain trees."""

import numpy as np
import pytest
from hypothesis import given
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
from statlearn.trees._oblique_grow import CoordinateSearch, discriminant_direction, gini_mass, logistic_direction
from tests.helpers import assert_close

DIRECTIONS = ["lda", "logistic", "search"]


def slanted(rng, n=300, p=3):
    X = rng.normal(size=(n, p))
    return X, X[:, 0] + 0.8 * X[:, 1]


@pytest.mark.spec("TRE-17")
@pytest.mark.parametrize("direction", DIRECTIONS)
def test_one_slanted_test_does_what_many_straight_ones_cannot(direction, rng):
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
def test_directions_are_those_of_the_linear_methods(rng):
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
def test_grown_fully_it_knows_its_rows(direction, rng):
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


def test_limits_hold_and_damage_is_refused(rng):
    X, score = slanted(rng)
    model = ObliqueTreeRegressor(max_depth=3, min_samples_leaf=20, min_samples_split=60).fit(X, score)
    assert model.get_depth() <= 3
    assert model.tree_.rows[model.tree_.is_leaf].min() >= 20
    assert model.tree_.rows[~model.tree_.is_leaf].min() >= 60
    assert ObliqueTreeRegressor(min_impurity_decrease=1e6).fit(X, score).get_n_leaves() == 1
    model.tree_.child[0] = 10_000
    with pytest.raises(ValueError, match="damaged"):
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
    with pytest.raises(ValueError, match="row counts"):
        Scan(criterion, 1).columns(Z[:-1], np.ascontiguousarray(parts))
