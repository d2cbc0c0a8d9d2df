"""AdaBoost.R2."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import ensemble, tree
from sklearn.datasets import load_diabetes

from statlearn.ensemble import AdaBoostRegressor
from statlearn.ensemble.boosting._adaboost_regressor import row_medians
from statlearn.linear import LinearRegression
from tests.helpers import assert_close


@pytest.mark.spec("ENS-19")
@pytest.mark.parametrize("loss", ["linear", "square", "exponential"])
def test_agrees_with_scikit_learn_given_the_same_learner(loss):
    X, y = load_diabetes(return_X_y=True)
    settings = {"n_estimators": 12, "loss": loss, "random_state": 0, "learning_rate": 0.8}
    learner = tree.DecisionTreeRegressor(max_depth=3)
    ours = AdaBoostRegressor(learner, **settings).fit(X, y)
    theirs = ensemble.AdaBoostRegressor(learner, **settings).fit(X, y)
    for a, b in zip(ours.staged_predict(X), theirs.staged_predict(X), strict=True):
        assert_close(a, b)
    assert_close(ours.predict(X), theirs.predict(X))
    assert_close(ours.estimator_weights_, theirs.estimator_weights_)
    assert_close(ours.feature_importances_, theirs.feature_importances_)


@pytest.mark.spec("ENS-19")
@pytest.mark.parametrize(
    "loss, formula",
    [("linear", lambda a: a), ("square", lambda a: a**2), ("exponential", lambda a: 1 - np.exp(-a))],
)
def test_rounds_follow_the_printed_algorithm(loss, formula):
    X, y = load_diabetes(return_X_y=True)
    model = AdaBoostRegressor(LinearRegression(), n_estimators=6, loss=loss, random_state=0).fit(X, y)
    w = np.ones(len(y))
    for t, member in enumerate(model.estimators_):
        p = w / w.sum()
        error = np.abs(y - member.predict(X))
        L = formula(error / error.max())
        mean = p @ L
        beta = mean / (1 - mean)
        assert_close(model.estimator_errors_[t], mean)
        assert_close(model.estimator_weights_[t], np.log(1 / beta))
        w = w * beta ** (1 - L)


@pytest.mark.spec("ENS-19", "ENS-20")
@given(seed=st.integers(0, 10_000), members=st.integers(1, 8))
def test_prediction_is_the_lower_weighted_median(seed, members):
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 6, size=(7, members)).astype(float)
    weights = rng.integers(0, 4, size=members) + np.eye(members)[0]
    copies = np.sort(np.repeat(values, weights.astype(int), axis=1), axis=1)
    np.testing.assert_array_equal(row_medians(values, weights), copies[:, (copies.shape[1] - 1) // 2])


def test_stops_at_an_average_loss_of_one_half_and_at_zero():
    X = np.arange(20.0)[:, None]
    exact = AdaBoostRegressor(LinearRegression(), random_state=0).fit(X, 0 * X[:, 0] + 2.0)
    assert len(exact) == 1
    assert_close(exact.predict(X), np.full(20, 2.0))
    coin = AdaBoostRegressor(LinearRegression(), random_state=0).fit(
        X, np.arange(20) % 2
    )  # all errors near the largest
    assert len(coin) == 1
    assert coin.estimator_errors_[0] >= 0.5
    assert np.all(np.isfinite(coin.predict(X)))


def test_weights_that_count_too_many_copies_are_probabilities():
    X = np.arange(20.0)[:, None]
    counted = AdaBoostRegressor(n_estimators=3, random_state=0).fit(X, X[:, 0], sample_weight=np.full(20, 1e12))
    plain = AdaBoostRegressor(n_estimators=3, random_state=0).fit(X, X[:, 0])
    np.testing.assert_array_equal(counted.predict(X), plain.predict(X))


class Wordy(tree.DecisionTreeRegressor):
    """A member that predicts words."""

    def predict(self, X):
        return np.full(len(X), "much")


def test_members_that_predict_strings_raise():
    with pytest.raises(ValueError, match="Wordy returned a prediction that is not numeric"):
        AdaBoostRegressor(Wordy()).fit(np.arange(8.0)[:, None], np.arange(8.0))


def test_labels_raise():
    X = np.arange(8.0)[:, None]
    with pytest.raises(ValueError, match="y must contain numbers, got 'a'; for class labels use a classifier"):
        AdaBoostRegressor(tree.DecisionTreeClassifier()).fit(X, np.array(["a", "b"] * 4))
