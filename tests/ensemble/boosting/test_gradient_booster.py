"""Gradient boosting in its general form."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.datasets import load_diabetes

from statlearn._math.losses import scores as losses
from statlearn.ensemble import AdaBoostRegressor, ForwardStagewise, GradientBooster, weighted_median
from statlearn.ensemble.boosting._line_search import LOSSES, MARGIN_LOSSES, best_step
from statlearn.linear import LinearRegression
from statlearn.trees import DecisionTreeRegressor
from tests.helpers import assert_close

STEPS10 = np.arange(1.0, 11)[:, None], np.array([5.56, 5.70, 5.91, 6.40, 6.80, 7.05, 8.90, 8.70, 9.00, 9.05])
STUMP = DecisionTreeRegressor(max_depth=1)


@pytest.mark.spec("ENS-22", "ENS-T7")
def test_six_rounds_by_hand():
    X, y = STEPS10
    model = GradientBooster(STUMP, learning_rate=1.0, init=0.0, n_estimators=6).fit(X, y)
    assert [m.tree_.threshold[0] for m in model.estimators_] == [6.5, 3.5, 6.5, 4.5, 6.5, 2.5]
    sse = 2 * len(y) * model.train_score_[1:]
    assert_close(sse, [1.930008, 0.800675, 0.478008, 0.305559, 0.228915, 0.172178], rtol=0, atol=1e-6)
    for f, expected in zip(model.staged_predict(X), sse, strict=True):
        assert_close(np.sum((y - f) ** 2), expected)


@pytest.mark.spec("ENS-22", "ENS-P16")
@given(seed=st.integers(0, 10_000))
def test_absolute_loss_steps_to_the_weighted_median_of_ratios(seed):
    rng = np.random.default_rng(seed)
    y, f, h, w = rng.normal(size=(4, 15))
    w, h = np.abs(w), np.where(np.abs(h) < 0.3, 0.0, h)
    if not h.any():
        return
    moved = h != 0
    rho = best_step(losses.AbsoluteError(y), f, h, w)
    assert_close(rho, weighted_median((y - f)[moved] / h[moved], w[moved] * np.abs(h[moved])))
    cost = [np.sum(w * np.abs(y - f - step * h)) for step in (y - f)[moved] / h[moved]]
    assert_close(np.sum(w * np.abs(y - f - rho * h)), min(cost))


@pytest.mark.spec("ENS-22")
@pytest.mark.parametrize("name", sorted(LOSSES))
@given(seed=st.integers(0, 10_000))
def test_steps_minimise_the_loss_along_the_direction(name, seed):
    rng = np.random.default_rng(seed)
    y, f, h = rng.normal(size=(3, 20))
    w = rng.integers(0, 3, 20) + np.eye(20)[0]
    y = np.sign(y) if name in MARGIN_LOSSES else y
    loss = LOSSES[name](y)

    def cost(step):
        return np.sum(w * loss.value(f + step * h))

    found = cost(best_step(loss, f, h, w))
    best = minimize_scalar(cost, bracket=(-1, 1), options={"xtol": 1e-10}).fun
    assert found <= best + 1e-8 * (1 + abs(best))


@pytest.mark.spec("ENS-22", "ENS-P16")
@pytest.mark.parametrize("name", sorted(LOSSES))
def test_training_loss_never_rises_and_leaves_do_better_than_trees(name, rng):
    X = rng.normal(size=(80, 3))
    y = X[:, 0] + X[:, 1] ** 2 + rng.normal(size=80)
    y = np.sign(y - 1) if name in MARGIN_LOSSES else y
    settings = {"loss": name, "learning_rate": 1.0, "n_estimators": 5, "random_state": 0}
    member = GradientBooster(STUMP, **settings).fit(X, y)
    leaf = GradientBooster(STUMP, line_search="leaf", **settings).fit(X, y)
    assert np.all(np.diff(member.train_score_) <= 1e-12)
    assert np.all(np.diff(leaf.train_score_) <= 1e-12)
    assert leaf.train_score_[1] <= member.train_score_[1] + 1e-12  # the first tree is the same
    for model in (member, leaf):
        *_, last = model.staged_predict(X)
        assert_close(last, model.predict(X))
        assert_close(np.mean(LOSSES[name](y).value(last)), model.train_score_[-1])


@pytest.mark.spec("ENS-22")
def test_starts_at_the_best_constant_and_shrinks_towards_it():
    X, y = load_diabetes(return_X_y=True)
    for loss, start in (("squared_error", y.mean()), ("absolute_error", weighted_median(y))):
        model = GradientBooster(STUMP, loss=loss, n_estimators=1, learning_rate=1e-9).fit(X, y)
        assert_close(model.start_, start)
        assert_close(model.predict(X), np.full(len(y), start))
    labels = np.where(y > 200, 1.0, -1.0)
    share = np.mean(labels > 0)
    assert_close(GradientBooster(STUMP, loss="log_loss").fit(X, labels).start_, np.log(share / (1 - share)))
    assert_close(GradientBooster(STUMP, loss="exponential").fit(X, labels).start_, 0.5 * np.log(share / (1 - share)))


@pytest.mark.spec("ENS-22")
def test_least_squares_boosting_of_least_squares_is_done_in_one_round():
    X, y = load_diabetes(return_X_y=True)
    model = GradientBooster(LinearRegression(), learning_rate=1.0, n_estimators=3).fit(X, y)
    assert_close(model.predict(X), LinearRegression().fit(X, y).predict(X))
    assert_close(model.train_score_[1], model.train_score_[3])


@pytest.mark.spec("ENS-22", "ENS-P23")
@pytest.mark.parametrize("line_search", ["member", "leaf", None])
def test_weights_are_copies(line_search, rng):
    X, y = rng.normal(size=(60, 2)), rng.normal(size=60)
    w = rng.integers(0, 4, 60)
    rows = np.repeat(np.arange(60), w)
    settings = {"loss": "huber", "line_search": line_search, "n_estimators": 10}
    a = GradientBooster(STUMP, **settings).fit(X, y, sample_weight=w)
    b = GradientBooster(STUMP, **settings).fit(X[rows], y[rows])
    assert_close(a.predict(X), b.predict(X), rtol=1e-6)


def test_custom_losses_are_used_and_invalid_ones_raise():
    def cubed(y, f, power=3):
        r = f - y
        size = np.abs(r)
        return size**power, power * np.sign(r) * size ** (power - 1), power * (power - 1) * size ** (power - 2)

    def broken(y, f):
        return y**2, np.full_like(f, np.nan), np.ones_like(f)

    X, y = load_diabetes(return_X_y=True)
    y = (y - y.mean()) / y.std()
    model = GradientBooster(STUMP, loss=cubed, n_estimators=20).fit(X, y)
    assert np.all(np.diff(model.train_score_) < 0)
    with pytest.raises(ValueError, match="gradient that is not finite"):
        GradientBooster(STUMP, loss=broken, init=0.0).fit(X, y)
    square = GradientBooster(STUMP, loss=cubed, loss_params={"power": 2}, n_estimators=20).fit(X, y)
    assert_close(square.predict(X), GradientBooster(STUMP, n_estimators=20).fit(X, y).predict(X))
    with pytest.raises(ValueError, match="three arrays"):
        GradientBooster(STUMP, loss=lambda y, f: y - f).fit(X, y)
    with pytest.raises(ValueError, match="must return arrays of length"):
        GradientBooster(STUMP, loss=lambda y, f: (0.0, 0.0, 0.0)).fit(X, y)
    with pytest.raises(ValueError, match="to be -1 and"):
        GradientBooster(STUMP, loss="exponential").fit(X, y)
    with pytest.raises(ValueError, match="requires a tree"):
        GradientBooster(LinearRegression(), line_search="leaf").fit(X, y)


def test_a_share_of_the_rows_is_redrawn_in_every_round():
    X, y = load_diabetes(return_X_y=True)
    model = GradientBooster(STUMP, subsample=0.5, random_state=0, n_estimators=5).fit(X, y)
    assert {m.tree_.n_node_samples[0] for m in model.estimators_} == {221}
    again = GradientBooster(STUMP, subsample=0.5, random_state=0, n_estimators=5).fit(X, y)
    np.testing.assert_array_equal(model.predict(X), again.predict(X))


@pytest.mark.parametrize("kind", [GradientBooster, ForwardStagewise])
def test_a_custom_loss_cannot_change_the_scores(kind):
    def careless(y, f):
        f -= y
        return f**2 / 2, f, np.ones_like(f)

    with pytest.raises(ValueError, match="read-only"):
        kind(loss=careless, n_estimators=2).fit(*STEPS10)


class Lost(RegressorMixin, BaseEstimator):
    """A regressor that predicts no number."""

    def fit(self, X, y):
        return self

    def predict(self, X):
        return np.full(len(X), np.nan)


@pytest.mark.parametrize("kind", [GradientBooster, AdaBoostRegressor])
def test_members_that_predict_no_numbers_are_named(kind):
    with pytest.raises(ValueError, match="Lost returned a prediction that is not finite"):
        kind(Lost(), n_estimators=2).fit(*STEPS10)
