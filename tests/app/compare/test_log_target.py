"""Models of the logarithm of a target."""

import numpy as np
import pandas as pd
import pytest

from statlearn.app.compare.log_target import BASES, LogTargetRegressor, likelihood_ratio
from statlearn.app.compare.run import compare
from statlearn.app.errors import UsageError
from statlearn.app.model.file import load, save
from statlearn.app.model.table_model import TableModel
from statlearn.app.tables.learning_table import learning_table
from statlearn.app.tables.profile import profile_table
from statlearn.app.tables.table import as_table
from statlearn.linear import LinearRegression
from tests.helpers import assert_close


def multiplicative(rng, n, noise=0.5):
    frame = pd.DataFrame({"a": rng.normal(size=n), "town": rng.choice(["x", "y"], size=n)})
    mean = np.exp(1 + 0.6 * frame["a"] + 0.5 * (frame["town"] == "x"))
    return frame.assign(price=mean * np.exp(noise * rng.normal(size=n)))


def additive(rng, n):
    frame = pd.DataFrame({"a": rng.normal(size=n), "town": rng.choice(["x", "y"], size=n)})
    return frame.assign(price=20 + 2 * frame["a"] + (frame["town"] == "x") + rng.normal(size=n))


def ratio(frame):
    table = learning_table(as_table(frame), "price")
    return likelihood_ratio(table, profile_table(table.frame, target="price").kinds)


def test_predictions_are_means_on_the_original_scale(rng):
    train, fresh = multiplicative(rng, 2000), multiplicative(rng, 20_000)
    X, new = (f[["a"]].assign(x=f["town"] == "x").to_numpy(float) for f in (train, fresh))
    for mean, expected in ((True, fresh["price"].mean()), (False, (fresh["price"] / np.exp(0.125)).mean())):
        model = LogTargetRegressor(LinearRegression(), mean=mean).fit(X, train["price"])
        assert model.predict(new).mean() == pytest.approx(expected, rel=0.04)
    plain = LinearRegression().fit(X, np.log(train["price"]))
    assert_close(model.predict(new), np.exp(plain.predict(new)), rtol=1e-12)


def test_predictions_stay_near_the_range_of_the_target(rng):
    x = rng.normal(size=(50, 1))
    y = np.exp(x[:, 0])
    model = LogTargetRegressor(LinearRegression(), mean=False).fit(x, y)
    low, high = np.log(y.min()), np.log(y.max())
    assert model.predict([[1000.0]])[0] == pytest.approx(np.exp(high + 0.5 * (high - low)))
    with pytest.raises(ValueError, match="`y` must be above 0"):
        model.fit(x, -y)


def test_the_errors_ask_for_a_logarithm_where_they_are_multiplicative_only():
    rng = np.random.default_rng(0)
    assert all(ratio(multiplicative(rng, 100)) > 10.8 for _ in range(10))
    assert all(ratio(additive(rng, 100)) < 10.8 for _ in range(40))
    assert ratio(additive(rng, 100).assign(price=lambda f: f["price"] - 30)) == -np.inf
    assert ratio(additive(rng, 30)) == -np.inf


def test_models_of_the_logarithm_are_named_and_win_where_they_are_true(tmp_path):
    rng = np.random.default_rng(1)
    frame = multiplicative(rng, 300)
    found = compare(frame, "price", models=["least-squares", "least-squares-log"], folds=3)
    assert found.best == "least-squares-log"
    label = found.model("least-squares-log").label
    assert label == "least squares on log(price)"
    model = found.model_for_use("least-squares-log")
    save(model, tmp_path / "m.statlearn")
    again = load(tmp_path / "m.statlearn", TableModel)
    np.testing.assert_array_equal(again.predict(frame), model.predict(frame))
    fresh = multiplicative(rng, 5000)
    rmse = np.sqrt(np.mean((fresh["price"] - again.predict(fresh)) ** 2))
    assert abs(found.level("least-squares-log")[0] - rmse) < 4 * found.level("least-squares-log")[1]
    assert "log(price)" in found.verdict


@pytest.mark.parametrize("base", BASES)
def test_every_model_of_the_logarithm_can_be_compared(base):
    frame = multiplicative(np.random.default_rng(2), 90)
    found = compare(frame, "price", models=[f"{base}-log"], folds=2, holdout=0, metric="mae")
    own = found.model(f"{base}-log")
    assert own.status == "done", own.error
    assert not own.estimator[-1].mean


def test_models_of_the_logarithm_that_cannot_be_are_refused():
    frame = additive(np.random.default_rng(3), 80)
    for table, target, name, words in (
        (frame, "price", "random-forest-log", "models of the logarithm are least-squares-log"),
        (frame, "town", "lasso-log", "for regression; got 'lasso-log'"),
        (frame.assign(price=-frame["price"]), "price", "lasso-log", "needs a positive target, and 'price' is not"),
    ):
        with pytest.raises(UsageError, match=words):
            compare(table, target, models=[name], folds=2)
