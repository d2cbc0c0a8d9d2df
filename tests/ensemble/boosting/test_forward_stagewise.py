"""Forward stagewise additive modelling."""

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from sklearn.datasets import load_diabetes

from statlearn.ensemble import ForwardStagewise
from statlearn.ensemble.boosting._line_search import LOSSES, MARGIN_LOSSES
from statlearn.linear import LinearRegression
from tests.helpers import assert_close


@pytest.mark.spec("ENS-21")
@pytest.mark.parametrize("name", sorted(LOSSES))
@pytest.mark.parametrize("basis", ["stump", "column"])
def test_a_round_takes_the_best_of_all_pairs(name, basis, rng):
    X = rng.normal(size=(25, 2))
    y = X[:, 0] + rng.normal(size=25)
    y = np.sign(y) if name in MARGIN_LOSSES else y
    w = rng.integers(1, 4, 25).astype(float)
    model = ForwardStagewise(name, basis, n_estimators=1, init=0.0).fit(X, y, sample_weight=w)
    if basis == "stump":
        cuts = [np.sort(X[:, j])[:-1] + np.diff(np.sort(X[:, j])) / 2 for j in range(2)]
        functions = [np.where(X[:, j] <= t, 1.0, -1.0) for j in range(2) for t in cuts[j]]
    else:
        functions = list((X - np.average(X, axis=0, weights=w)).T)

    def cost(step, b):
        return w @ LOSSES[name](y).value(step * b) / w.sum()

    best = min(minimize_scalar(cost, bracket=(-1, 1), args=(b,)).fun for b in functions)
    assert model.train_score_[-1] <= best + 1e-7
    assert_close(model.train_score_[-1], w @ LOSSES[name](y).value(model.predict(X)) / w.sum())


@pytest.mark.spec("ENS-21")
def test_columns_and_squared_error_are_stagewise_linear_regression():
    X, y = load_diabetes(return_X_y=True)
    model = ForwardStagewise(basis="column", n_estimators=3000).fit(X, y)
    truth = LinearRegression().fit(X, y)
    assert_close(model.coef_, truth.coef_, rtol=1e-2, atol=1.0)  # closes in slowly on correlated columns
    assert_close(model.predict(X), y.mean() + (X - X.mean(axis=0)) @ model.coef_)
    first = ForwardStagewise(basis="column", n_estimators=1).fit(X, y)
    C = X - X.mean(axis=0)
    gain = (C.T @ y) ** 2 / np.sum(C**2, axis=0)
    j = int(np.argmax(gain))
    assert first.chosen_[0]["feature"] == j
    assert_close(first.steps_, [C[:, j] @ y / np.sum(C[:, j] ** 2)])


@pytest.mark.spec("ENS-21")
def test_small_steps_of_fixed_size():
    X, y = load_diabetes(return_X_y=True)
    model = ForwardStagewise(basis="column", step=5.0, n_estimators=40).fit(X, y)
    assert set(np.abs(model.steps_)) == {5.0}
    C = X - X.mean(axis=0)
    r = y - y.mean()
    for chosen, step in zip(model.chosen_, model.steps_, strict=True):
        gain = (C.T @ r) ** 2 / np.sum(C**2, axis=0)
        assert chosen["feature"] == np.argmax(gain)
        r = r - step * C[:, chosen["feature"]]


@pytest.mark.spec("ENS-21")
def test_any_family_of_functions():
    X = np.linspace(-3, 3, 60)[:, None]

    def waves(X):
        return np.column_stack([np.sin(k * X[:, 0]) for k in range(1, 6)])

    y = 2 * np.sin(3 * X[:, 0]) - 0.5 * np.sin(X[:, 0])
    model = ForwardStagewise(basis=waves, init=0.0, n_estimators=60).fit(X, y)
    assert model.chosen_[0] == {"function": 2}
    assert_close(model.predict(X), y, atol=1e-6)
    with pytest.raises(ValueError, match="basis"):
        ForwardStagewise(basis=lambda X: X[:3]).fit(X, y)


def test_no_rounds_leave_the_constant():
    X, y = np.ones((8, 2)), np.arange(8.0)
    for basis in ("stump", "column"):
        model = ForwardStagewise(basis=basis).fit(X, y)
        assert model.chosen_ == []
        assert_close(model.predict(X), np.full(8, 3.5))
    with pytest.raises(ValueError, match="to be -1 and"):
        ForwardStagewise("log_loss").fit(X, y)


@pytest.mark.spec("ENS-21")
def test_own_losses(rng):
    X, y = rng.normal(size=(30, 2)), rng.normal(size=30)

    def squared(y, f):
        return 0.5 * (y - f) ** 2, f - y, np.ones_like(f)

    own = ForwardStagewise(squared, n_estimators=8).fit(X, y)
    named = ForwardStagewise(n_estimators=8).fit(X, y)
    assert own.chosen_ == named.chosen_
    assert_close(own.predict(X), named.predict(X))
