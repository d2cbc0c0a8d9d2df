"""Balanced class weights of linear classifiers: a row of weight k counts as k rows, a row of weight 0 as none."""

import numpy as np
import pytest

from statlearn.linear import (
    LogisticRegression,
    Perceptron,
    RegularizedLinearClassifier,
    RidgeClassifier,
    RidgeClassifierCV,
)
from tests.helpers import assert_close

CLASSIFIERS = [
    LogisticRegression(tol=1e-10, class_weight="balanced"),
    RegularizedLinearClassifier("squared_hinge", tol=1e-12, class_weight="balanced"),
    RidgeClassifier(class_weight="balanced"),
    RidgeClassifierCV(alphas=[1.0], class_weight="balanced"),
]


@pytest.mark.parametrize("model", CLASSIFIERS, ids=lambda model: type(model).__name__)
def test_balanced_classes_count_a_row_of_weight_k_as_k_rows(model, rng):
    X = rng.normal(size=(60, 3))
    y = np.digitize(X[:, 0] + 0.5 * rng.normal(size=60), [-0.5, 0.5])
    weights = rng.integers(0, 4, size=60) * (1 + 2 * (y == 1))  # far from the same weight for each class
    copies = np.repeat(np.arange(60), weights)
    weighted = model.fit(X, y, sample_weight=weights.astype(float))
    coef, intercept = weighted.coef_.copy(), weighted.intercept_.copy()
    repeated = model.fit(X[copies], y[copies])
    assert_close(coef, repeated.coef_, rtol=1e-6, atol=1e-7)  # two iterations of the smooth losses
    assert_close(intercept, repeated.intercept_, rtol=1e-6, atol=1e-7)


def test_balanced_perceptron_weighs_classes_by_their_sample_weights():
    # The order of the rows matters to a perceptron, so the balanced factors are compared with the same ones given.
    X = np.array([[0.0, 1.0], [1.0, 0.2], [0.4, 0.5], [1.0, 1.0], [0.1, 0.3]])
    y, weights = np.array([0, 1, 1, 0, 1]), np.array([3.0, 1.0, 0.5, 5.0, 0.5])
    factors = {0: 10 / (2 * 8), 1: 10 / (2 * 2)}
    options = {"shuffle": False, "max_iter": 20, "tol": None}
    balanced = Perceptron(class_weight="balanced", **options).fit(X, y, sample_weight=weights)
    given = Perceptron(class_weight=factors, **options).fit(X, y, sample_weight=weights)
    np.testing.assert_array_equal(balanced.coef_, given.coef_)
    np.testing.assert_array_equal(balanced.intercept_, given.intercept_)


def test_a_class_without_weight_does_not_change_the_balance_of_the_others(rng):
    X = rng.normal(size=(50, 2))
    y = np.digitize(X[:, 0] + rng.normal(size=50), [0.0, 1.0])
    weights = np.where(y == 2, 0.0, 1.0 + (y == 1))
    model = RegularizedLinearClassifier("log_loss", tol=1e-12, class_weight="balanced")
    coef = model.fit(X, y, sample_weight=weights).coef_.copy()
    rest = weights > 0
    assert_close(coef, model.fit(X[rest], y[rest], sample_weight=weights[rest]).coef_)
