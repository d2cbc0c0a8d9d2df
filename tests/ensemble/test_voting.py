"""Votes and averages of given members."""

import numpy as np
import pytest
from sklearn import ensemble
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_iris

from statlearn.ensemble import VotingClassifier, VotingRegressor
from statlearn.linear import LinearRegression, LogisticRegression, QuantileRegressor, Ridge
from tests.helpers import assert_close


class Says(ClassifierMixin, BaseEstimator):
    """Predicts the labels it is given, whatever the rows."""

    def __init__(self, labels=()):
        self.labels = labels

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.asarray(self.labels)


def members():
    return [("weak", LogisticRegression(C=0.01)), ("strong", LogisticRegression(C=10.0))]


@pytest.mark.spec("ENS-36")
def test_hard_votes_are_counted_with_weights_and_ties_go_to_the_first_class():
    X, y = np.zeros((4, 1)), np.array([0, 1, 2, 0])
    said = [("a", Says([0, 1, 2, 2])), ("b", Says([1, 1, 0, 1])), ("c", Says([1, 2, 1, 0]))]
    np.testing.assert_array_equal(VotingClassifier(said).fit(X, y).predict(X), [1, 1, 0, 0])
    np.testing.assert_array_equal(VotingClassifier(said, weights=[5, 2, 2]).fit(X, y).predict(X), [0, 1, 2, 2])


@pytest.mark.spec("ENS-36")
def test_soft_votes_average_probabilities():
    X, y = load_iris(return_X_y=True)
    labels = np.array(["setosa", "versicolor", "virginica"])[y]
    model = VotingClassifier(members(), voting="soft", weights=[1, 3]).fit(X, labels)
    single = [m.fit(X, labels).predict_proba(X) for _, m in members()]
    assert_close(model.predict_proba(X), (single[0] + 3 * single[1]) / 4)
    np.testing.assert_array_equal(model.predict(X), model.classes_[np.argmax(model.predict_proba(X), axis=1)])
    assert not hasattr(VotingClassifier(members()), "predict_proba")


@pytest.mark.spec("ENS-36")
@pytest.mark.parametrize("voting", ["hard", "soft"])
def test_agrees_with_scikit_learn(voting):
    X, y = load_iris(return_X_y=True)
    three = [*members(), ("other", LogisticRegression(C=0.1))]
    ours = VotingClassifier(three, voting=voting, weights=[1, 1, 1.5]).fit(X, y)
    theirs = ensemble.VotingClassifier(three, voting=voting, weights=[1, 1, 1.5]).fit(X, y)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    assert_close(ours.transform(X), theirs.transform(X))


@pytest.mark.spec("ENS-36")
def test_regressors_are_averaged_and_can_be_left_out(rng):
    X, y = rng.normal(size=(40, 2)), rng.normal(size=40)
    pair = [("mean", LinearRegression()), ("median", QuantileRegressor(alpha=0.0)), ("shrunk", Ridge(50.0))]
    model = VotingRegressor(pair, weights=[1, 2, 5]).fit(X, y)
    a, b, c = (m.fit(X, y).predict(X) for _, m in pair)
    assert_close(model.predict(X), (a + 2 * b + 5 * c) / 8)
    model.set_params(median="drop").fit(X, y)
    assert_close(model.predict(X), (a + 5 * c) / 6)
    assert model.named_estimators_["median"] == "drop"


def test_bad_weights_raise():
    X, y = np.arange(10.0)[:, None], np.arange(10.0)
    for weights in ([1, -1], [0, 0], [1, np.nan]):
        with pytest.raises(ValueError, match="weights"):
            VotingRegressor([("a", LinearRegression()), ("b", Ridge())], weights=weights).fit(X, y)
    with pytest.raises(ValueError, match="Number of `estimators` and weights"):
        VotingRegressor([("a", LinearRegression())], weights=[1, 2]).fit(X, y)


def test_defaults_show_in_a_notebook_and_do_not_stick():
    model = VotingClassifier()
    assert "LogisticRegression" in model._repr_html_()
    X, y = load_iris(return_X_y=True)
    assert model.fit(X, y).estimators is None
    assert list(model.named_estimators_) == ["logistic", "boosting"]
