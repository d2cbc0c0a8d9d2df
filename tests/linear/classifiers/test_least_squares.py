"""Least squares on coded labels."""

import numpy as np
import pytest
from scipy import sparse

from statlearn.linear import LeastSquaresClassifier, LogisticRegression, Ridge, RidgeClassifier
from tests.helpers import assert_close


def two_classes(rng, n=80):
    X = rng.normal(size=(n, 3))
    return X, np.where(X[:, 0] - X[:, 1] + 0.5 * rng.normal(size=n) > 0, "up", "down")


@pytest.mark.spec("LIN-46")
@pytest.mark.parametrize("alpha", [0.0, 5.0])
def test_the_codings_agree_on_two_classes(alpha, rng):
    X, y = two_classes(rng)
    sign, half, onehot = (LeastSquaresClassifier(c, alpha=alpha).fit(X, y) for c in ("sign", "half", "onehot"))
    reference = Ridge(alpha).fit(X, np.where(y == "up", 1.0, -1.0))
    assert_close(sign.coef_[0], reference.coef_)
    assert_close(sign.decision_function(X), reference.predict(X))
    assert_close(half.fitted_targets(X), (reference.predict(X) + 1) / 2)
    assert_close(half.decision_function(X), reference.predict(X) / 2)
    assert_close(onehot.decision_function(X), reference.predict(X))
    for model in (sign, half, onehot, LeastSquaresClassifier(alpha=alpha).fit(X, y)):
        assert np.array_equal(model.predict(X), np.where(reference.predict(X) > 0, "up", "down"))


@pytest.mark.spec("LIN-46")
def test_indicator_regression_for_three_classes(rng):
    X = rng.normal(size=(90, 2))
    y = np.digitize(X[:, 0], [-0.6, 0.6])
    model = LeastSquaresClassifier().fit(X, y)
    assert model.coding_ == "onehot"
    design = np.column_stack([np.ones(90), X])
    expected = design @ np.linalg.lstsq(design, np.eye(3)[y], rcond=None)[0]
    assert_close(model.decision_function(X), expected)
    assert_close(model.decision_function(X).sum(axis=1), 1.0)  # fitted indicators sum to 1
    assert np.array_equal(model.predict(X), expected.argmax(axis=1))
    assert np.array_equal(
        LeastSquaresClassifier(alpha=2.0).fit(X, y).predict(X), RidgeClassifier(alpha=2.0).fit(X, y).predict(X)
    )
    with pytest.raises(ValueError, match="two classes, but y has 3"):
        LeastSquaresClassifier("sign").fit(X, y)


@pytest.mark.spec("LIN-46", "LIN-T13")
def test_polynomial_stage_learns_exclusive_or():
    X = np.array([[0, 0], [0, 1], [1, 0], [1, 1.0]])
    y = np.array([-1, 1, 1, -1])
    model = LeastSquaresClassifier(degree=2, interaction_only=True).fit(X, y)
    assert_close(np.append(model.intercept_, model.coef_), [-1, 2, 2, -4], atol=1e-12)
    assert np.array_equal(model.predict(X), y)
    assert_close(LeastSquaresClassifier().fit(X, y).coef_, 0.0, atol=1e-12)


@pytest.mark.spec("LIN-P33")
def test_plain_regression_on_labels_leaves_the_unit_interval_and_logistic_does_not(seed):
    for k in range(20):
        rng = np.random.default_rng(1000 * seed + k)
        X = rng.normal(size=(100, 1))
        y = (X[:, 0] + 0.5 * rng.normal(size=100) > 0).astype(int)
        fit = LeastSquaresClassifier("half").fit(X, y)
        far = np.array([[-10.0], [10.0]])
        assert fit.fitted_targets(far)[0] < 0
        assert fit.fitted_targets(far)[1] > 1
        probabilities = LogisticRegression().fit(X, y).predict_proba(far)
        assert np.all((probabilities >= 0) & (probabilities <= 1))


def test_scores_at_the_threshold_get_the_class_of_the_tie_rule():
    X, y = [[-1.0], [1.0]], [0, 1]
    assert LeastSquaresClassifier().fit(X, y).predict([[0.0]]) == 0
    assert LeastSquaresClassifier(threshold_rule="ge").fit(X, y).predict([[0.0]]) == 1


def test_weights_and_sparse_input(rng):
    X, y = two_classes(rng)
    weights = rng.integers(0, 3, len(y))
    model = LeastSquaresClassifier(alpha=1.0).fit(X, y, weights)
    copies = LeastSquaresClassifier(alpha=1.0).fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    assert_close(model.coef_, copies.coef_)
    assert_close(LeastSquaresClassifier(alpha=1.0).fit(sparse.csr_array(X), y, weights).coef_, model.coef_)


def test_columns_so_small_that_coefficients_overflow_are_refused():
    X = np.array([[1e-310, 0.0], [0.0, 1e-310]])
    with pytest.raises(ValueError, match="so small that the computations overflow"):
        LeastSquaresClassifier(fit_intercept=False, alpha=0.0).fit(X, [0, 1])
