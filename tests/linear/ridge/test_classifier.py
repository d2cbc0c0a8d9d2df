"""Ridge regression on coded classes."""

import numpy as np
import pytest
import sklearn.linear_model as sk

from statlearn.linear import Ridge, RidgeClassifier
from tests.helpers import assert_close


def problem(rng, n=30, p=6):
    X = rng.normal(size=(n, p)) + 2.0
    return X, X @ rng.normal(size=p) + rng.normal(size=n) + 5.0


def test_classifier_is_ridge_on_signs(rng):
    X = rng.normal(size=(60, 4))
    y = np.where(X[:, 0] + 0.5 * rng.normal(size=60) > 0, "yes", "no")
    model = RidgeClassifier(alpha=2.0).fit(X, y)
    plain = Ridge(alpha=2.0).fit(X, np.where(y == "yes", 1.0, -1.0))
    assert_close(model.coef_, plain.coef_)
    assert_close(model.decision_function(X), plain.predict(X))
    assert np.array_equal(model.predict(X), np.where(plain.predict(X) > 0, "yes", "no"))
    theirs = sk.RidgeClassifier(alpha=2.0, class_weight="balanced").fit(X, y)
    assert_close(RidgeClassifier(alpha=2.0, class_weight="balanced").fit(X, y).coef_, theirs.coef_)


def test_classifier_with_three_classes_and_with_many_labels(rng):
    X = rng.normal(size=(80, 3))
    y = np.digitize(X[:, 0] + X[:, 1], [-0.7, 0.7])
    ours, theirs = RidgeClassifier().fit(X, y), sk.RidgeClassifier().fit(X, y)
    assert_close(ours.coef_, theirs.coef_)
    assert np.array_equal(ours.predict(X), theirs.predict(X))
    labels = (X > 0).astype(int)
    assert np.array_equal(RidgeClassifier().fit(X, labels).predict(X), sk.RidgeClassifier().fit(X, labels).predict(X))
    with pytest.raises(ValueError, match="only one class"):
        RidgeClassifier().fit(X, np.ones(80))
