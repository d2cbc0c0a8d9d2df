"""Isolation forest: path lengths by hand and in expectation, agreement with scikit-learn, weights, missing values."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn import ensemble as reference
from sklearn.datasets import load_breast_cancer
from sklearn.metrics import roc_auc_score

from statlearn._core.native import ensemble as native
from statlearn.ensemble import IsolationForest
from tests.helpers import assert_close


def search_depth(m):
    """2 (H(m-1) - (m-1)/m) with H(k) = ln k + Euler's constant, as in the paper."""
    if m <= 2:
        return float(m == 2)
    return 2.0 * (np.log(m - 1) + np.euler_gamma) - 2.0 * (m - 1) / m


def walks(model, X):
    """The nodes of every row in every tree, by the definition of a forest."""
    forest = model.forest_
    for root in forest.roots:
        for row in X:
            node, path = root, [root]
            while forest.child[node] != node:
                x = row[forest.feature[node]]
                left = forest.missing_left[node] if np.isnan(x) else x <= forest.threshold[node]
                node = forest.child[node] + (not left)
                path.append(node)
            yield path


def within(found, expected, spread, count):
    """Whether a mean of `count` draws is at its expectation, up to five standard errors."""
    assert abs(found - expected) < 5.0 * spread / np.sqrt(count)


def test_scores_match_the_paths(seed):
    rng = np.random.default_rng(seed)
    X, Z = rng.normal(size=(70, 3)), 2.0 * rng.normal(size=(20, 3))
    X[rng.random(X.shape) < 0.1] = np.nan
    model = IsolationForest(n_estimators=7, max_samples=40, random_state=seed).fit(X)
    lengths = [len(path) - 1 + search_depth(model.forest_.rows[path[-1]]) for path in walks(model, Z)]
    mean = np.reshape(lengths, (7, 20)).mean(axis=0)
    assert_close(model.score_samples(Z), -(2.0 ** (-mean / search_depth(40))))
    assert_close(model.decision_function(Z), model.score_samples(Z) + 0.5)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_nodes_cut_between_their_rows_until_they_are_alone(seed, dtype):
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.normal(size=60), rng.integers(3, size=60), np.ones(60)]).astype(dtype)
    X[1] = X[0]  # equal rows end together
    model = IsolationForest(n_estimators=20, max_samples=60, random_state=seed).fit(X)
    forest, members = model.forest_, {}
    for k, path in enumerate(walks(model, X)):
        for node in path:
            members.setdefault(node, []).append(k % 60)
    assert set(members) == set(range(len(forest.feature)))
    depth = forest.depth
    for node, rows in members.items():
        assert forest.rows[node] == len(rows)
        if forest.child[node] != node:
            column = X[rows, forest.feature[node]]
            assert column.min() <= forest.threshold[node] < column.max()
        else:
            assert depth[node] == 6 or len(np.unique(X[rows], axis=0)) == 1  # 6 = log2(60), rounded up
    assert not (forest.feature == 2).any()


def test_path_lengths_have_their_expectations():
    """Of rows at 0, 1 and 10, the last is alone after the first cut with probability 0.9, the first with 0.1."""
    X, trees = np.array([[0.0], [1.0], [10.0]]), 4000
    forest = IsolationForest(n_estimators=trees, random_state=1).fit(X).forest_
    sums = np.zeros((3, 1))
    forest.add_predictions(X, sums)
    found = sums[:, 0] / trees
    within(found[0], 1.9, 0.3, trees)
    within(found[2], 1.1, 0.3, trees)
    assert_close(found[1], 2.0)


def test_columns_are_chosen_with_equal_chances(seed):
    X = np.random.default_rng(seed).normal(size=(100, 4)) * [1.0, 1e6, 1e-6, 1.0]
    forest = IsolationForest(n_estimators=2000, random_state=seed).fit(X).forest_
    counts = np.bincount(forest.feature[forest.roots], minlength=4)
    for count in counts:
        within(count / 2000, 0.25, np.sqrt(0.25 * 0.75), 2000)


def test_mean_paths_agree_with_scikit_learn(seed):
    X, _ = load_breast_cancer(return_X_y=True)
    rows = np.random.default_rng(seed).choice(len(X), 30, replace=False)
    c = search_depth(256)

    def lengths(model):
        return -c * np.log2(-model.fit(X).score_samples(X[rows]))

    repeats = [
        (
            lengths(IsolationForest(n_estimators=40, random_state=seed + k)),
            lengths(reference.IsolationForest(n_estimators=40, random_state=seed + k)),
        )
        for k in range(10)
    ]
    ours, theirs = np.moveaxis(np.array(repeats), 1, 0)
    error = np.sqrt((ours.var(axis=0, ddof=1) + theirs.var(axis=0, ddof=1)) / 10)
    z = (ours.mean(axis=0) - theirs.mean(axis=0)) / error
    assert np.abs(z).max() < 6.0  # 30 t statistics with 18 degrees of freedom: beyond 6 once in 3,000 runs
    assert abs(np.mean(z)) < 2.5


def test_outliers_are_detected():
    X, y = load_breast_cancer(return_X_y=True)
    rows = np.r_[np.flatnonzero(y == 1), np.flatnonzero(y == 0)[:20]]
    X, malignant = X[rows], y[rows] == 0
    model = IsolationForest(n_estimators=300, contamination=0.1, random_state=0).fit(X)
    assert roc_auc_score(malignant, -model.score_samples(X)) > 0.9
    assert abs(np.mean(model.predict(X) == -1) - 0.1) < 1.0 / len(X)
    np.testing.assert_array_equal(model.predict(X) == -1, model.decision_function(X) < 0)


def test_weights_are_chances_of_being_drawn(seed):
    """Samples of two rows with replacement: a cut between groups of weight 0.9 and 0.1 has probability 0.18."""
    rng = np.random.default_rng(seed)
    X = np.r_[rng.uniform(size=(50, 1)), 10.0 + rng.uniform(size=(50, 1))]
    w = np.repeat([9.0, 1.0], 50)
    model = IsolationForest(n_estimators=3000, max_samples=2, bootstrap=True, random_state=seed).fit(X, sample_weight=w)
    inner = model.forest_.threshold[model.forest_.child != np.arange(len(model.forest_.child))]
    within(np.sum((inner > 1.0) & (inner < 10.0)) / 3000, 0.18 * 0.9, np.sqrt(0.1462 * 0.8538), 3000)


def test_rows_of_weight_zero_are_never_drawn(rng):
    X = np.r_[rng.uniform(size=(50, 2)), 10.0 + rng.uniform(size=(50, 2))]
    with pytest.warns(UserWarning, match=r"greater than the total number of samples \(50\)"):
        model = IsolationForest(max_samples=80, random_state=0).fit(X, sample_weight=np.repeat([1.0, 0.0], 50))
    assert model.forest_.threshold.max() < 1.0
    assert model.max_samples_ == 50


@pytest.mark.parametrize("low, high", [(1e-320, 1.0), (1.0, 1e150)])
def test_weights_of_all_sizes(rng, low, high):
    X = rng.uniform(size=(50, 2))
    model = IsolationForest(random_state=0).fit(X, sample_weight=np.repeat([low, high], [10, 40]))
    assert np.isfinite(model.score_samples(X)).all()
    assert 40 <= model.max_samples_ <= 50


def test_missing_values_take_both_sides(rng):
    X = np.c_[rng.normal(size=(100, 1)), np.full((100, 1), np.nan)]
    forest = IsolationForest(random_state=0).fit(X).forest_
    assert not (forest.feature == 1).any()
    sides = forest.missing_left[forest.feature == 0]
    within(sides.mean(), 0.5, 0.5, len(sides))


def test_sparse_tables_give_the_same_forest(rng):
    X = sparse.random_array((5000, 30), density=0.1, rng=rng, format="csr")
    dense, sparse_model = (IsolationForest(random_state=0, contamination=0.05).fit(Z) for Z in (X.toarray(), X))
    np.testing.assert_array_equal(dense.score_samples(X.toarray()), sparse_model.score_samples(X))
    assert dense.offset_ == sparse_model.offset_


def test_added_trees_match_one_fit(rng):
    X = rng.normal(size=(300, 3))
    model = IsolationForest(n_estimators=5, warm_start=True, random_state=0).fit(X)
    model.set_params(n_estimators=12).fit(X)
    once = IsolationForest(n_estimators=12, random_state=0).fit(X)
    np.testing.assert_array_equal(model.score_samples(X), once.score_samples(X))
    with pytest.warns(UserWarning, match="does not grow new trees"):
        model.fit(X)
    with pytest.raises(ValueError, match="`n_estimators`=3 must be at least 12"):
        model.set_params(n_estimators=3).fit(X)
    with pytest.raises(ValueError, match="`max_samples` means 10 rows per tree and was 256"):
        model.set_params(n_estimators=20, max_samples=10).fit(X)


def test_huge_values_do_not_overflow():
    X = np.array([[-1.7e308], [0.0], [1.0], [1.7e308]])
    model = IsolationForest(n_estimators=200, random_state=0).fit(X)
    assert np.isfinite(model.forest_.threshold).all()
    scores = model.score_samples(X)
    assert scores[[0, 3]].max() < scores[[1, 2]].min()


def test_trees_of_one_row_are_uninformative(rng):
    X = rng.normal(size=(10, 2))
    np.testing.assert_array_equal(IsolationForest(max_samples=1).fit(X).score_samples(X), -0.5)


def test_sizes_of_samples(rng):
    X = rng.normal(size=(400, 10))
    assert IsolationForest(n_estimators=2).fit(X).max_samples_ == 256
    assert IsolationForest(n_estimators=2, max_samples=0.5).fit(X).max_samples_ == 200
    with pytest.warns(UserWarning, match=r"max_samples \(1000\) is greater than the total number of samples \(400\)"):
        assert IsolationForest(n_estimators=2, max_samples=1000).fit(X).max_samples_ == 400
    forest = IsolationForest(n_estimators=30, max_features=2, random_state=0).fit(X).forest_
    for t in range(30):
        assert len(set(forest.tree(t).feature) - {-1}) == 2
    with pytest.raises(ValueError, match="`max_features`=11 must be at most 10"):
        IsolationForest(max_features=11).fit(X)


def test_columns_of_text_are_named():
    with pytest.raises(ValueError, match="city"):
        IsolationForest().fit(pd.DataFrame({"size": [1.0, 2.0], "city": ["Ulm", "Bern"]}))


def test_progress_is_printed(rng, capsys):
    IsolationForest(n_estimators=20, verbose=1).fit(rng.normal(size=(50, 2)))
    assert "20 of 20 trees grown" in capsys.readouterr().out


@pytest.mark.parametrize("row, column", [(5, 0), (-1, 0), (0, 2), (0, -1)])
def test_the_kernel_checks_its_indices(row, column):
    def array(dtype):
        return np.empty(8, dtype)

    with pytest.raises(ValueError, match="out of range"):
        native.isolation_trees(
            np.zeros((5, 2)), np.array([[0, 1, row, 2]]), np.array([[column]], np.int32), np.zeros(1, np.uint64), 2,
            array(np.int32), array(np.int32), array(float), array(float), array(np.uint8), array(np.int64),
            np.empty(1, np.int32),
        )  # fmt: skip
