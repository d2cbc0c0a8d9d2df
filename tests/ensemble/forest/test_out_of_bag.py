"""Out-of-bag predictions, error curves and importances."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, make_friedman1
from sklearn.metrics import accuracy_score, r2_score
from sklearn.model_selection import cross_val_predict

from statlearn.ensemble import (
    BaggingClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
    oob_error_curve,
    oob_permutation_importance,
    tree_correlation,
    voided_importance,
)
from tests.helpers import assert_close


def unseen(model):
    """Rows x trees: whether the row is out of bag for the tree."""
    n = model._n_samples
    return np.column_stack([~np.isin(np.arange(n), rows) for rows in model.estimators_samples_])


@pytest.mark.spec("ENS-04")
@pytest.mark.filterwarnings("ignore:Some inputs do not have OOB scores")
@pytest.mark.parametrize("weighted", [False, True])
def test_each_row_is_predicted_by_the_trees_that_have_not_seen_it(seed, weighted):
    X, y = load_diabetes(return_X_y=True)
    weights = np.random.default_rng(seed).integers(1, 4, len(y)) if weighted else None
    model = RandomForestRegressor(25, oob_score=True, random_state=seed).fit(X, y, weights)
    by_tree = np.column_stack([tree.predict(X) for tree in model.estimators_])
    out = unseen(model)
    expected = np.where(out, by_tree, 0).sum(axis=1) / np.maximum(out.sum(axis=1), 1)
    assert_close(model.oob_prediction_, expected, rtol=1e-10, atol=0)
    assert model.oob_score_ == pytest.approx(r2_score(y, expected))


@pytest.mark.spec("ENS-04", "ENS-05")
def test_classes_have_oob_probabilities_and_the_curve_ends_at_the_error(seed):
    X, y = load_iris(return_X_y=True)
    model = RandomForestClassifier(40, oob_score=True, random_state=seed).fit(X, y)
    out = unseen(model)
    by_tree = np.stack([tree.predict_proba(X) for tree in model.estimators_], axis=1)
    expected = (out[:, :, None] * by_tree).sum(axis=1) / out.sum(axis=1)[:, None]
    assert_close(model.oob_decision_function_, expected, atol=1e-12)
    assert model.oob_score_ == accuracy_score(y, expected.argmax(axis=1))
    curve = oob_error_curve(model, X, y)
    assert curve.shape == (40,)
    assert curve[-1] == pytest.approx(1 - model.oob_score_)
    first = out[:, 0]
    assert curve[0] == pytest.approx(np.mean(model.estimators_[0].predict(X)[first] != y[first]))


@pytest.mark.spec("ENS-05")
def test_the_curve_of_the_squared_error_ends_at_the_oob_error(seed):
    X, y = load_diabetes(return_X_y=True)
    model = RandomForestRegressor(60, oob_score=True, random_state=seed, max_features="p/3").fit(X, y)
    curve = oob_error_curve(model, X, y)
    assert curve[-1] == pytest.approx(np.mean((y - model.oob_prediction_) ** 2), rel=1e-12)
    assert curve[-1] < curve[:5].mean()


def test_oob_scores_by_a_given_function_and_for_several_outputs(seed):
    X, y = load_diabetes(return_X_y=True)
    both = np.column_stack([y, -y])
    model = RandomForestRegressor(
        60, oob_score=lambda truth, said: float(np.mean(np.abs(truth - said))), random_state=seed, max_samples=0.5
    ).fit(X, both)
    assert model.oob_prediction_.shape == both.shape
    assert model.oob_score_ == pytest.approx(np.mean(np.abs(both - model.oob_prediction_)))


def test_rows_of_weight_zero_are_out_of_every_bag(seed):
    X, y = load_iris(return_X_y=True)
    weights = (np.arange(150) % 3 > 0).astype(float)
    model = RandomForestClassifier(40, oob_score=True, random_state=seed).fit(X, y, weights)
    absent = weights == 0
    assert_close(model.oob_decision_function_[absent], model.predict_proba(X[absent]), atol=1e-12)


@pytest.mark.spec("ENS-P4", "ENS-T2")
def test_about_a_third_of_the_rows_is_out_of_each_bag(seed):
    n, trees = 1000, 200
    X = np.arange(n, dtype=float)[:, None]
    model = RandomForestRegressor(trees, max_depth=1, random_state=seed).fit(X, X[:, 0])
    out = unseen(model)
    expected = (1 - 1 / n) ** n
    assert expected == pytest.approx(0.3676954, abs=1e-7)
    assert pytest.approx(0.3486784, abs=1e-7) == (1 - 1 / 10) ** 10
    assert pytest.approx(0.3660323, abs=1e-7) == (1 - 1 / 100) ** 100
    # Rows of one bag are nearly independent, so four standard errors are a wide band.
    assert abs(out.mean() - expected) < 4 * np.sqrt(expected * (1 - expected) / (n * trees))
    per_row = out.sum(axis=1)
    assert abs(per_row.mean() - trees * expected) < 1.0
    assert per_row.min() > trees / 5


@pytest.mark.spec("ENS-P7")
def test_oob_error_is_close_to_cross_validation(seed):
    X, y = load_breast_cancer(return_X_y=True)
    model = RandomForestClassifier(100, oob_score=True, random_state=seed).fit(X, y)
    held_out = cross_val_predict(RandomForestClassifier(100, random_state=seed), X, y, cv=30)
    assert abs(model.oob_score_ - np.mean(held_out == y)) < 0.015


@pytest.mark.spec("ENS-10")
def test_permutation_importance_is_the_rise_of_the_oob_error_by_hand(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(400, 3))
    y = 4 * X[:, 0] + X[:, 1]
    model = RandomForestRegressor(150, random_state=seed).fit(X, y)
    found = oob_permutation_importance(model, X, y, random_state=seed)
    # Permuting a column with coefficient b of an additive function adds 2 b^2 var(x) to the mean squared error.
    assert found[0] == pytest.approx(2 * 16 * X[:, 0].var(), rel=0.25)
    assert found[1] == pytest.approx(2 * X[:, 1].var(), rel=0.4)
    assert abs(found[2]) < 0.1
    scaled = oob_permutation_importance(model, X, y, scaled=True, random_state=seed)
    assert scaled.argmax() == 0
    assert scaled[0] > 20
    np.testing.assert_array_equal(found, oob_permutation_importance(model, X, y, random_state=seed))


@pytest.mark.spec("ENS-P9", "ENS-09")
def test_unused_columns_have_no_importance_and_scales_are_respected(seed):
    X, y = load_iris(return_X_y=True)
    X = np.column_stack([X, np.ones(len(X))])  # constant: never split on
    model = RandomForestClassifier(60, random_state=seed).fit(X, y)
    assert oob_permutation_importance(model, X, y, random_state=seed)[4] == 0.0
    assert voided_importance(model, X, y, random_state=seed)[4] == 0.0
    assert model.feature_importances_[4] == 0.0
    assert model.feature_importances_.sum() == pytest.approx(1.0)
    assert np.all(model.feature_importances_ >= 0)
    assert model.impurity_importances(scale="max100").max() == pytest.approx(100.0)
    by_class = model.impurity_importances(scale=None, per_class=True)
    assert by_class.shape == (3, 5)
    # The one-vs-rest Gini impurities 2 p (1 - p) of the classes sum to twice the Gini impurity.
    assert_close(by_class.sum(axis=0), 2 * model.impurity_importances(scale=None), rtol=1e-9, atol=0)
    with pytest.raises(ValueError, match="scale"):
        model.impurity_importances(scale="half")


@pytest.mark.spec("ENS-12")
def test_voiding_a_column_raises_the_error_by_its_importance(seed):
    X, y = make_friedman1(250, noise=0.5, random_state=seed)
    X = np.column_stack([X[:, :5], X[:, 3] + 1e-9])  # the strongest column twice
    model = RandomForestRegressor(60, random_state=seed, max_features=3).fit(X, y)
    side = voided_importance(model, X, y, random_state=seed)
    again = voided_importance(model, X, y, method="refit", random_state=seed)
    assert np.all(side[[0, 1, 3]] > 0.1)
    # Without one of the twins the other stands in: refitting costs little, which the grown trees cannot know.
    assert again[3] < 0.3 * side[3]
    assert again[0] > 5 * abs(again[3])
    with pytest.raises(ValueError, match="method"):
        voided_importance(model, X, y, method="drop")


def test_only_the_training_rows_have_bags():
    X, y = load_iris(return_X_y=True)
    model = RandomForestClassifier(5, random_state=0).fit(X, y)
    with pytest.raises(ValueError, match="training rows"):
        oob_error_curve(model, X[:50], y[:50])
    with pytest.raises(ValueError, match="not one of the classes"):
        oob_error_curve(model, X, y + 7)
    whole = RandomForestClassifier(5, bootstrap=False).fit(X, y)
    with pytest.raises(ValueError, match="bootstrap"):
        oob_permutation_importance(whole, X, y)


@pytest.mark.spec("ENS-12")
def test_refitting_without_a_column_keeps_types_names_and_settings(rng):
    letters, x, z = rng.choice(list("abcdef"), 200), rng.normal(size=200), rng.normal(size=200)
    y = 2.0 * np.isin(letters, ["b", "e"]) + x
    frame = pd.DataFrame({"z": z, "letter": pd.Categorical(letters), "x": x})
    codes = np.column_stack([z, frame["letter"].cat.codes, x])
    found = []
    for table, settings in [
        (frame, {"monotonic_cst": {"x": 1}}),
        (pl.from_pandas(frame), {"monotonic_cst": {"x": 1}}),
        (codes, {"categorical_features": [1], "monotonic_cst": [0, 0, 1]}),
        (codes, {"categorical_features": [False, True, False], "monotonic_cst": [0, 0, 1]}),
    ]:
        model = RandomForestRegressor(30, random_state=0, **settings).fit(table, y)
        found.append(voided_importance(model, table, y, method="refit", random_state=0))
    assert np.argmin(found[0]) == 0
    for other in found[1:]:
        assert_close(other, found[0], atol=0)


@pytest.mark.parametrize("measure", [oob_error_curve, oob_permutation_importance, voided_importance])
def test_other_ensembles_raise(measure, rng):
    X, y = rng.normal(size=(40, 2)), rng.integers(0, 2, 40)
    with pytest.raises(TypeError, match="must be a statlearn random forest or extra-trees model"):
        measure(BaggingClassifier(n_estimators=3).fit(X, y), X, y)
    with pytest.raises(TypeError, match="got BaggingClassifier"):
        tree_correlation(BaggingClassifier(n_estimators=3).fit(X, y), X)


@pytest.mark.parametrize("kind", [RandomForestClassifier, RandomForestRegressor])
def test_out_of_bag_estimates_are_of_the_last_fit(kind):
    X, y = load_iris(return_X_y=True)
    model = kind(30, oob_score=True, random_state=0).fit(X[::-1], y[::-1])
    model.set_params(oob_score=False).fit(X[:, :2], y)
    assert not hasattr(model, "oob_score_")
    model.set_params(oob_score=True, warm_start=True)
    with pytest.warns(UserWarning, match="without increasing n_estimators"):
        model.fit(X[:, :2], y)
    assert model.oob_score_ == kind(30, oob_score=True, random_state=0).fit(X[:, :2], y).oob_score_
    name = "oob_prediction_" if kind is RandomForestRegressor else "oob_decision_function_"
    kept = getattr(model, name)
    with pytest.warns(UserWarning, match="without increasing n_estimators"):
        assert getattr(model.fit(X[:, :2], y), name) is kept
