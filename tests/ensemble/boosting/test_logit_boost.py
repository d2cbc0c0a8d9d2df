"""LogitBoost."""

import numpy as np
import pytest
from sklearn.datasets import load_iris

from statlearn.ensemble import LogitBoostClassifier
from tests.ensemble.boosting.test_adaboost import overlapping
from tests.helpers import assert_close


@pytest.mark.spec("ENS-18")
def test_rounds_are_newton_steps_of_the_likelihood():
    X, y = overlapping(2, n=150)
    f = np.zeros(150)
    model = LogitBoostClassifier(n_estimators=8, z_max=1e6).fit(X, y)
    for t, (member,) in enumerate(model.estimators_):
        p = 1 / (1 + np.exp(-2 * f))
        left = X[:, member.tree_.feature[0]] <= member.tree_.threshold[0]
        for side in (left, ~left):
            f[side] += 0.5 * np.sum((y - p)[side]) / np.sum((p * (1 - p))[side])
        assert_close(model.train_score_[t], np.mean(np.logaddexp(0, -2 * (2 * y - 1) * f)))
    assert_close(model.decision_function(X), f)
    assert_close(model.predict_proba(X)[:, 1], 1 / (1 + np.exp(-2 * f)))
    assert np.all(np.diff(model.train_score_) < 0)


def test_more_classes_share_the_symmetric_softmax():
    X, y = load_iris(return_X_y=True)
    model = LogitBoostClassifier(n_estimators=25, learning_rate=0.5).fit(X, y)
    f = model.decision_function(X)
    assert_close(f.sum(axis=1), np.zeros(150), atol=1e-9)
    assert_close(model.predict_proba(X), np.exp(f) / np.exp(f).sum(axis=1, keepdims=True))
    assert_close(model.train_score_[-1], -np.mean(np.log(model.predict_proba(X)[np.arange(150), y])))
    assert model.train_score_[-1] < 0.2 * model.train_score_[0]
    assert model.score(X, y) > 0.97


def test_wrong_labels_do_not_explode():
    X = np.linspace(-1, 1, 200)[:, None]
    y = (X[:, 0] > 0).astype(int)
    y[[10, 190]] = 1 - y[[10, 190]]
    model = LogitBoostClassifier(n_estimators=200).fit(X, y)
    assert np.all(np.isfinite(model.decision_function(X)))
    assert np.all(np.abs(model.predict_proba(X).sum(axis=1) - 1) < 1e-12)
