"""The stumps behind boosting are those of the trees, whatever the weights."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import statlearn
from statlearn._core.native import ensemble as native
from statlearn.ensemble import AdaBoostClassifier, GentleBoostClassifier, LogitBoostClassifier
from statlearn.ensemble._weak_learner import WeakLearner
from statlearn.ensemble.boosting._stumps import ClassificationStumps, RegressionStumps, StumpTable, stump_learner
from statlearn.trees import DecisionTreeClassifier, DecisionTreeRegressor
from tests.helpers import assert_close

NAMES = ("feature", "threshold", "child", "missing_left", "value", "gain", "rows", "impurity", "weight")


def brute_force(X, weights, target):
    """Feature, threshold and fall of the weighted squares of the best cut, by trying all."""
    s = weights * target
    best = (-np.inf, None, None)
    for j in range(X.shape[1]):
        order = np.argsort(X[:, j], kind="stable")
        x, W, S = X[order, j], np.cumsum(weights[order]), np.cumsum(s[order])
        for k in np.flatnonzero(x[1:] > x[:-1]):
            score = S[k] ** 2 / W[k] + (S[-1] - S[k]) ** 2 / (W[-1] - W[k])
            if score > best[0] + 1e-11 * abs(best[0] if np.isfinite(best[0]) else 0):
                best = (score, j, x[k] / 2 + x[k + 1] / 2)
    return best[1], best[2], best[0] - s.sum() ** 2 / weights.sum()


def table(seed, rounded):
    rng = np.random.default_rng(seed)
    n, p = rng.integers(2, 700), rng.integers(1, 6)
    X = rng.normal(size=(n, p))
    X = np.round(X, 1) if rounded else X
    X[0] = X.max(axis=0) + 1.0  # two values at least
    return X, rng.exponential(size=n) ** 3, rng


@pytest.mark.spec("ENS-15")
@given(seed=st.integers(0, 10_000), rounded=st.booleans())
def test_the_search_matches_brute_force(seed, rounded):
    X, weights, rng = table(seed, rounded)
    for dtype in (np.float64, np.float32):
        T = StumpTable(X.astype(dtype))
        for target, found in (
            (z := rng.normal(size=len(X)), T.split_numbers(z, weights)),
            (s := rng.choice([-1.0, 1.0], len(X)), T.split_signs(s, weights)),
        ):
            feature, threshold, gain = brute_force(X.astype(dtype).astype(float), weights, target)
            unit = 0.5 if target is s else 1.0
            assert found.feature == feature
            assert_close(found.threshold, threshold)
            assert_close(found.gain, unit * gain)
            assert_close(found.left_weight, weights[found.left].sum())
            assert_close(found.left_sum, (weights * target)[found.left].sum(), atol=1e-7)
            assert found.left_rows == found.left.sum()


@given(seed=st.integers(0, 10_000))
def test_two_classes_and_several_agree(seed):
    X, weights, rng = table(seed, rounded=True)
    codes = rng.integers(0, 2, len(X)).astype(np.int32)
    T = StumpTable(X)
    two, several = T.split_signs(2.0 * codes - 1.0, weights), T.split_classes(codes, weights, 2)
    assert (two.feature, two.threshold) == (several.feature, several.threshold)
    assert_close(two.gain, several.gain)


def same_trees(a, b):
    for name in NAMES:
        x, y = getattr(a.tree_.forest, name), getattr(b.tree_.forest, name)
        if name == "threshold":  # of leaves it says nothing
            x, y = x[:1], y[:1]
        assert_close(x, y, err_msg=name)


@pytest.mark.spec("ENS-15")
@given(seed=st.integers(0, 10_000), classes=st.integers(1, 4))
def test_members_are_the_trees_that_the_estimator_grows(seed, classes):
    X, weights, rng = table(seed, rounded=False)
    y = rng.integers(0, classes, len(X))
    z = rng.normal(size=len(X))
    for estimator, target in ((DecisionTreeClassifier(max_depth=1), y), (DecisionTreeRegressor(max_depth=1), z)):
        fast = stump_learner(estimator, X, np.random.RandomState(0))
        slow = WeakLearner(estimator, X, np.random.RandomState(0))
        a, b = fast.fit(target, weights), slow.fit(target, weights)
        same_trees(a, b)
        assert a.get_params() == b.get_params()
        assert_close(a.predict(X), b.predict(X))
        assert_close(fast.output(a), b.predict(X))
        assert vars(a).keys() == vars(b).keys()
        assert a.n_split_evaluations_ == b.n_split_evaluations_


def slow_path(monkeypatch):
    monkeypatch.setattr("statlearn.ensemble.boosting._stumps.stump_learner", lambda *_: None)


@pytest.mark.spec("ENS-15", "ENS-18")
@pytest.mark.parametrize("kind", [AdaBoostClassifier, GentleBoostClassifier, LogitBoostClassifier])
@pytest.mark.parametrize("classes", [2, 3])
def test_boosting_is_the_same_with_and_without_the_kernel(kind, classes, rng, monkeypatch):
    X = rng.normal(size=(400, 4))
    y = np.digitize(X[:, 0] + X[:, 1] ** 2 + rng.normal(size=400), [0.5, 2.0][: classes - 1])
    fast = kind(n_estimators=15, random_state=0).fit(X, y)
    slow_path(monkeypatch)
    slow = kind(n_estimators=15, random_state=0).fit(X, y)
    assert_close(fast.decision_function(X), slow.decision_function(X))
    *_, staged = fast.staged_decision_function(X)
    assert_close(fast.decision_function(X), staged)
    first = fast.estimators_[3] if kind is AdaBoostClassifier else fast.estimators_[3][0]
    other = slow.estimators_[3] if kind is AdaBoostClassifier else slow.estimators_[3][0]
    same_trees(first, other)


def test_only_plain_stumps_on_complete_tables_take_the_kernel(rng):
    X = rng.normal(size=(20, 2))
    state = np.random.RandomState(0)
    assert isinstance(stump_learner(DecisionTreeClassifier(max_depth=1), X, state), ClassificationStumps)
    assert isinstance(stump_learner(DecisionTreeRegressor(max_depth=1, random_state=3), X, state), RegressionStumps)
    assert isinstance(stump_learner(DecisionTreeRegressor(max_depth=1), (X * 9).astype(int), state), RegressionStumps)
    gap = X.copy()
    gap[3, 1] = np.nan
    for estimator, data in (
        (DecisionTreeClassifier(max_depth=2), X),
        (DecisionTreeClassifier(max_depth=1, criterion="entropy"), X),
        (DecisionTreeClassifier(max_depth=1, min_samples_leaf=5), X),
        (DecisionTreeClassifier(max_depth=1), gap),
        (DecisionTreeClassifier(max_depth=1), X.astype(object)),
    ):
        assert stump_learner(estimator, data, state) is None


def test_missing_values_go_to_the_trees(rng):
    X = rng.normal(size=(200, 3))
    y = (X[:, 0] > 0).astype(int)
    X[rng.random(X.shape) < 0.2] = np.nan
    assert AdaBoostClassifier(n_estimators=20, random_state=0).fit(X, y).score(X, y) > 0.8


def test_any_number_of_threads_gives_the_same_bits(rng):
    X = rng.normal(size=(70_000, 5))
    weights, z = rng.random(70_000), rng.normal(size=70_000)
    found = []
    for threads in (1, 2, 3):
        with statlearn.threads(threads):
            T = StumpTable(X)
            cut = T.split_numbers(z, weights)
            found.append((cut.feature, cut.threshold, cut.gain, cut.left_weight, cut.left_sum))
    assert found[0] == found[1] == found[2]


def test_damaged_arrays_raise(rng):
    T = StumpTable(rng.normal(size=(50, 3)))
    sums = np.ones((50, 2))
    beyond = T.order.copy()
    beyond[1, 7] = 99
    backwards = T.ends.copy()
    backwards[0, 5] = 0
    for order, ends, bins, table in (
        (beyond, T.ends, T.bins, sums),
        (T.order, backwards, T.bins, sums),
        (T.order, T.ends, T.bins[:, :-4], sums),
        (T.order, T.ends, T.bins, sums[:-1]),
        (T.order, T.ends, T.bins, np.ones((50, 3))),
    ):
        with pytest.raises(ValueError, match="stump"):
            native.stump_search(order, ends, np.ascontiguousarray(bins), np.ascontiguousarray(table), 0.0)
    with pytest.raises(ValueError, match="class"):
        native.stump_search_classes(T.order, np.ones(50), np.full(50, 3, np.int32), 3, 0.0)
    with pytest.raises(ValueError, match="lengths"):
        native.reweigh(
            np.zeros(3, np.uint8), 0.1, -0.1, np.ones(4), np.zeros(3, np.uint8), 0.0, np.zeros(3), np.ones(3)
        )


@given(seed=st.integers(0, 10_000))
def test_reweighing_is_its_formula(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 300))
    start, weights, margins = rng.random(n), rng.random(n), rng.normal(size=n)
    wrong, second = (rng.integers(0, 2, (2, n))).astype(np.uint8)
    moves = np.where(wrong, -0.7, 0.4)
    m, w = margins.copy(), weights.copy()
    total, loss, error = native.reweigh(wrong, 0.4, -0.7, start, second, 1e-3, m, w)
    expected = weights * np.exp(-moves)
    assert_close(m, margins + moves)
    assert_close(total, expected.sum())
    assert_close(w, np.maximum(expected / expected.sum(), 1e-3))
    assert_close(loss, np.sum(start * np.exp(-m)))
    assert_close(error, np.sum(start[m < 0]))
    assert_close(native.marked_weight(weights, wrong), weights[wrong == 1].sum())
