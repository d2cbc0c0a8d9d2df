"""Metrics over blocks equal those of scikit-learn on all rows."""

import numpy as np
import pytest
from sklearn import metrics

from statlearn import bayes, linear, scale, svm
from tests.scale.tables import NAMES, table


def frames(frame):
    return [frame[k : k + 700] for k in range(0, len(frame), 700)]


def test_metrics_of_regression():
    frame = table()
    X, y, w = frame[NAMES], frame["y"].to_numpy(), frame["weight"].to_numpy()
    model = linear.Ridge(50.0).fit(X, y + 3.0)
    found = scale.evaluate(model, frames(frame), "y", "weight").metrics
    p = model.predict(X)
    assert found["n"] == w.sum()
    assert found["mse"] == pytest.approx(metrics.mean_squared_error(y, p, sample_weight=w), rel=1e-12)
    assert found["mae"] == pytest.approx(metrics.mean_absolute_error(y, p, sample_weight=w), rel=1e-12)
    assert found["r2"] == pytest.approx(metrics.r2_score(y, p, sample_weight=w), rel=1e-12)
    assert found["bias"] == pytest.approx(np.average(p - y, weights=w), rel=1e-12)


def test_metrics_of_three_classes():
    frame = table()
    X, y, w = frame[NAMES], frame["label"].to_numpy().astype(str), frame["weight"].to_numpy()
    model = bayes.GaussianNB().fit(X, y)
    result = scale.evaluate(model, frames(frame), "label", "weight")
    p = model.predict_proba(X)
    np.testing.assert_allclose(result.confusion, metrics.confusion_matrix(y, model.predict(X), sample_weight=w))
    assert result.metrics["accuracy"] == pytest.approx(model.score(X, y, w), rel=1e-12)
    assert result.metrics["log_loss"] == pytest.approx(metrics.log_loss(y, p, sample_weight=w), rel=1e-10)
    assert result.roc is None


@pytest.mark.parametrize("estimator", [bayes.GaussianNB(), linear.LogisticRegression()], ids=repr)
def test_roc_curve_is_within_its_stated_error(estimator):
    frame = table()
    y = (frame["y"] > frame["y"].median()).to_numpy().astype(int)
    frame = frame.with_columns(two=y)
    X, w = frame[NAMES], frame["weight"].to_numpy()
    model = estimator.fit(X, y)
    result = scale.evaluate(model, frames(frame), "two", "weight")
    p = model.predict_proba(X)[:, 1]
    exact = metrics.roc_auc_score(y, p, sample_weight=w)
    assert abs(result.metrics["roc_auc"] - exact) <= result.metrics["roc_auc_error"] + 1e-12
    assert result.metrics["roc_auc_error"] < 0.005
    assert result.metrics["brier"] == pytest.approx(metrics.brier_score_loss(y, p, sample_weight=w), rel=1e-10)
    fpr, tpr = result.roc
    assert metrics.auc(fpr, tpr) == pytest.approx(result.metrics["roc_auc"], rel=1e-12)
    assert result.calibration["weight"].sum() == pytest.approx(w.sum())
    share = np.average(result.calibration["observed"], weights=result.calibration["weight"])
    assert share == pytest.approx(np.average(y, weights=w))
    assert "roc_auc" in str(result)


def test_classifiers_without_probabilities_have_confusions():
    frame = table()
    model = svm.SGDClassifier(random_state=0).fit(frame[NAMES], frame["label"].to_numpy().astype(str))
    result = scale.evaluate(model, frames(frame), "label")
    assert set(result.metrics) == {"n", "accuracy"}
    assert result.confusion.sum() == 3000


def test_labels_that_the_model_has_not_seen_raise():
    frame = table()
    model = bayes.GaussianNB().fit(frame[NAMES][:3], ["a", "b", "b"])
    with pytest.raises(ValueError, match=r"frame 0: the target has the label .*'c'"):
        scale.evaluate(model, frames(frame), "label")
