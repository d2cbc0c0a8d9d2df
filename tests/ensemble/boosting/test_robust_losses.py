"""Constants of robust losses, and steps of callable ones, in gradient boosting."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar

from statlearn._core.warnings import StatlearnWarning
from statlearn._math.losses import scores as losses
from statlearn.ensemble import (
    ForwardStagewise,
    GradientBooster,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    weighted_median,
)
from statlearn.ensemble.boosting._losses import huber_centre
from statlearn.trees import DecisionTreeRegressor
from tests.helpers import assert_close

START = np.array([0, 0.2, 0.5, 0.9, 1.5, 4, 9])
LEAF = np.array([0, 0.2, 0.4, 10, 11])


def two_leaves(v, leaf):
    """Predictions of two leaves with v and v + 100, by one tree that starts from 0."""
    X = np.repeat([0.0, 1.0], len(v))[:, None]
    model = GradientBoostingRegressor(
        loss="huber", delta=1.0, init="zero", n_estimators=1, learning_rate=1.0, leaf=leaf
    ).fit(X, np.concatenate([v, v + 100]))
    return model.predict([[0.0], [1.0]])


@pytest.mark.spec("CRS-02")
@pytest.mark.parametrize(("leaf", "start", "value"), [("newton", 1.025, 13 / 15), ("one_step", 6.9 / 7, 0.68)])
def test_huber_constants_are_exact_or_one_step_from_the_median(leaf, start, value):
    model = GradientBoostingRegressor(loss="huber", delta=1.0, leaf=leaf, n_estimators=1)
    assert_close(model.fit(np.zeros((7, 1)), START).start_, [start])
    assert_close(two_leaves(START, leaf), [start, 100 + start])
    assert_close(two_leaves(LEAF, leaf), [value, 100 + value])
    if leaf == "newton":
        general = GradientBooster(loss="huber", loss_params={"delta": 1.0}, n_estimators=1)
        assert_close(general.fit(np.zeros((7, 1)), START).start_, start)


@pytest.mark.spec("CRS-02")
@given(
    st.lists(st.tuples(st.integers(-40, 40), st.integers(1, 4)), min_size=1, max_size=25), st.sampled_from([0.5, 3, 20])
)
def test_the_huber_constant_minimises_the_loss(pairs, delta):
    r, weights = np.array(pairs, dtype=float).T

    def cost(m):
        return weights @ losses.Huber(r, delta).value(np.full(len(r), m))

    found = huber_centre(r, weights, delta)
    best = minimize_scalar(cost, bounds=(r.min() - 1, r.max() + 1), method="bounded", options={"xatol": 1e-10})
    assert cost(found) <= best.fun * (1 + 1e-12) + 1e-12
    assert_close(huber_centre(-r, weights, delta), -found, atol=1e-9)  # the middle one of several
    assert_close(huber_centre(np.repeat(r, weights.astype(int)), np.ones(int(weights.sum())), delta), found, atol=1e-9)


@pytest.mark.spec("CRS-02")
def test_one_step_leaves_belong_to_the_huber_loss():
    with pytest.raises(ValueError, match="`leaf`='one_step' requires loss='huber'"):
        GradientBoostingRegressor(leaf="one_step").fit(START[:, None], START)
    with pytest.raises(ValueError, match="leaf"):
        GradientBoostingClassifier(leaf="one_step").fit(START[:, None], START > 1)


@pytest.mark.spec("CRS-03")
def test_absolute_loss_starts_and_steps_to_the_middle_median():
    X, y = np.arange(1.0, 5)[:, None], np.array([1.0, 2, 3, 10])
    options = dict(loss="absolute_error", n_estimators=1, learning_rate=1.0)
    booster = GradientBooster(DecisionTreeRegressor(max_depth=1), line_search="leaf", **options).fit(X, y)
    trees = GradientBoostingRegressor(max_depth=1, **options).fit(X, y)
    stagewise = ForwardStagewise(**options).fit(X, y)
    assert [booster.start_, trees.start_[0], stagewise.start_] == [2.5, 2.5, 2.5]
    for model in (booster, trees):
        assert_close(model.predict(X), [1.5, 1.5, 6.5, 6.5])
    assert_close(stagewise.predict(X), [1.5, 1.5, 3.5, 3.5])  # one step for both sides: the median of .5, .5, 1.5, 7.5
    weights = [1.0, 2.0, 1.5, 1.5]
    assert weighted_median(y, weights) == 2.5
    for model in (booster, trees, stagewise):
        assert_close(model.fit(X, y, sample_weight=weights).start_, 2.5)


@pytest.mark.spec("CRS-04")
@pytest.mark.parametrize("learning_rate", [0.1, 1.0])
@pytest.mark.parametrize("n", [60, 61])
def test_absolute_loss_grows_the_same_trees_in_both_classes(rng, n, learning_rate):
    X = rng.normal(size=(n, 3))
    y = X[:, 0] + np.sin(X[:, 1]) + rng.normal(size=n)
    options = dict(loss="absolute_error", n_estimators=10, learning_rate=learning_rate)
    fast = GradientBoostingRegressor(max_depth=2, tree_method="exact", **options).fit(X, y)
    general = GradientBooster(DecisionTreeRegressor(max_depth=2, random_state=0), line_search="leaf", **options)
    general.fit(X, y)
    for a, b in zip(fast.staged_predict(X), general.staged_predict(X), strict=True):
        assert_close(a, b, rtol=0, atol=1e-9)


def log_cosh(y, f):
    r, e = f - y, np.exp(-2 * np.abs(f - y))
    return np.abs(r) + np.log1p(e) - np.log(2), np.tanh(r), 4 * e / (1 + e) ** 2


@pytest.mark.spec("CRS-26")
@pytest.mark.parametrize("tree_method", ["hist", "exact"])
@pytest.mark.parametrize("table", ["uniform", "normal", "far"])
def test_a_loss_with_flat_curvature_does_not_explode(rng, table, tree_method):
    X = {
        "uniform": rng.uniform(-1, 1, size=(150, 1)),
        "normal": rng.normal(size=(150, 2)),
        "far": rng.uniform(2, 3, size=(150, 1)),
    }[table]
    y = 20 * X[:, 0]
    model = GradientBoostingRegressor(loss=log_cosh, tree_method=tree_method).fit(X, y)
    assert model.score(X, y) > 0.99
    assert np.diff(model.train_score_).max() <= 1e-12 * model.train_score_[0]


@pytest.mark.spec("CRS-26")
def test_a_callable_loss_with_full_newton_steps_equals_the_built_in_one(rng):
    X = rng.normal(size=(100, 2))
    y = X[:, 0] + rng.normal(size=100)
    half_square = GradientBoostingRegressor(loss=lambda y, f: ((y - f) ** 2 / 2, f - y, 1.0), n_estimators=10).fit(X, y)
    assert_close(half_square.predict(X), GradientBoostingRegressor(n_estimators=10).fit(X, y).predict(X))


@pytest.mark.spec("CRS-26")
def test_a_rising_training_loss_is_warned_about():
    X, y = np.arange(10.0)[:, None], np.arange(10.0)
    with pytest.warns(StatlearnWarning, match=r"training loss rose over \d+ of 5 rounds.*smaller `learning_rate`"):
        GradientBoostingRegressor(leaf="gradient", learning_rate=2.0, n_estimators=5).fit(X, y)
