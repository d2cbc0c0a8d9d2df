"""Gentle AdaBoost."""

import numpy as np
import pytest
from sklearn.datasets import load_iris

from statlearn.ensemble import GentleBoostClassifier
from statlearn.linear import LinearRegression
from statlearn.trees import DecisionTreeRegressor
from tests.ensemble.boosting.test_adaboost import overlapping, spheres
from tests.helpers import assert_close


@pytest.mark.spec("ENS-18")
def test_rounds_are_newton_steps_of_the_exponential_loss():
    X, y = overlapping(2, n=150)
    sign, f = np.where(y == 1, 1.0, -1.0), np.zeros(150)
    model = GentleBoostClassifier(n_estimators=8, learning_rate=0.5).fit(X, y)
    for t, (member,) in enumerate(model.estimators_):
        w = np.exp(-sign * f)
        left = X[:, member.tree_.feature[0]] <= member.tree_.threshold[0]
        for side in (left, ~left):
            f[side] += 0.5 * (w[side] @ sign[side]) / w[side].sum()  # -gradient / curvature in the leaf
        assert_close(model.train_score_[t], np.mean(np.exp(-sign * f)))
    assert_close(model.decision_function(X), f)
    assert_close(model.predict_proba(X)[:, 1], 1 / (1 + np.exp(-2 * f)))
    assert np.all(np.diff(model.train_score_) < 0)


@pytest.mark.spec("ENS-18")
def test_more_classes_are_separated_one_against_the_rest():
    X, y = load_iris(return_X_y=True)
    model = GentleBoostClassifier(n_estimators=25).fit(X, y)
    for k in range(3):
        one = GentleBoostClassifier(n_estimators=25).fit(X, y == k)
        assert_close(model.decision_function(X)[:, k], one.decision_function(X))
    assert_close(model.predict_proba(X).sum(axis=1), np.ones(150))
    np.testing.assert_array_equal(model.predict(X), np.argmax(model.decision_function(X), axis=1))
    assert model.score(X, y) > 0.97
    *_, last = model.staged_predict(X)
    np.testing.assert_array_equal(last, model.predict(X))


@pytest.mark.spec("ENS-18")
def test_any_regressor_will_do():
    X, y = overlapping(0, n=200)
    for member in (DecisionTreeRegressor(max_depth=2), LinearRegression()):
        assert GentleBoostClassifier(member, n_estimators=10).fit(X, y).score(X, y) > 0.7


@pytest.mark.spec("ENS-T10")
def test_nested_spheres():
    errors = []
    for seed in range(3):
        rng = np.random.default_rng(seed)
        X, y = spheres(2000, rng)
        A, b = spheres(10_000, rng)
        errors.append(1 - GentleBoostClassifier(n_estimators=400).fit(X, y).score(A, b))
    assert all(0.045 <= error <= 0.065 for error in errors), errors


def test_probabilities_sum_to_one_even_if_every_class_is_hopeless():
    X, y = load_iris(return_X_y=True)
    model = GentleBoostClassifier(n_estimators=3).fit(X, y)
    shares = 1.0 / (1.0 + np.exp(-2.0 * model.decision_function(X)))
    assert_close(model.predict_proba(X), shares / shares.sum(axis=1, keepdims=True))
    # A large learning rate makes such scores; e^{-2e6} is 0.
    hopeless = model._probabilities(np.array([[-1e6, -2e6, -2e6], [-1e6, -1e6, -3e6]]))
    assert_close(hopeless, [[1.0, 0.0, 0.0], [0.5, 0.5, 0.0]])
