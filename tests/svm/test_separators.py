"""Comparison of separating hyperplanes, and the rule of thumb."""

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from statlearn.svm import (
    SVC,
    SVCCV,
    HardMarginSVC,
    LinearSVC,
    NotSeparableError,
    compare_separators,
    dataset_margin,
    hinge_sgd_path,
    model_choice_hint,
    svm_path,
)
from tests.helpers import assert_close
from tests.svm.data import blobs, iris


@pytest.mark.spec("SVM-19", "SVM-P10")
@pytest.mark.parametrize("data", ["flowers", 0, 1, 2])
def test_maximum_margin_is_the_widest(data):
    X, y = (iris()[0][:100], iris()[1][:100]) if data == "flowers" else blobs(data, distance=7.0)
    table = compare_separators(X, y)
    margins = table["margin"]
    assert len(margins) == 5
    assert np.all(margins[:-1] <= margins[-1] + 1e-7)
    for k in range(5):
        w = np.array([table[f"x{j}"][k] for j in range(X.shape[1])])
        assert_close(np.linalg.norm(w), 1.0)
        assert_close(dataset_margin(X, y, w, table["intercept"][k]), margins[k])
        assert (table["errors"][k] == 0) == (margins[k] > 0)
    assert "maximum margin" in str(table)


@pytest.mark.spec("SVM-19")
def test_overlapping_classes_raise():
    with pytest.raises(NotSeparableError):
        compare_separators(*blobs(0, distance=1.0))
    with pytest.raises(ValueError, match="two classes"):
        compare_separators(*iris())


@pytest.mark.spec("SVM-21")
@pytest.mark.parametrize(
    ("n", "p", "model"),
    [(100, 10_000, "linear"), (1000, 1000, "linear"), (5000, 50, "rbf"), (1_000_000, 50, "linear on added features")],
)
def test_rule_of_thumb(n, p, model):
    hint = model_choice_hint(n, p)
    assert hint["model"] == model
    assert hint["reason"].endswith(".")


@pytest.mark.spec("CRS-07")
def test_width_is_twice_the_margin_everywhere(rng):
    y = np.repeat([-1, 1], 15)
    X = rng.uniform(-1, 1, size=(30, 2)) + np.outer(y, [1.5, 1.5])
    hard = HardMarginSVC().fit(X, y)
    margin = dataset_margin(X, y, hard.coef_[0], hard.intercept_[0])
    assert_close(hard.width_, 2 * margin, rtol=1e-6)
    assert_close(hard.margin_, margin, rtol=1e-6)
    assert_close(compare_separators(X, y)["margin"][-1], margin, rtol=1e-6)
    two_points = HardMarginSVC().fit([[0.0, 0.0], [2.0, 0.0]], [-1, 1])
    assert_close([two_points.margin_, two_points.width_], [1.0, 2.0], atol=1e-6)
    soft = SVC(kernel="linear", C=1e4, tol=1e-8).fit(X, y)
    path = svm_path(X, y, Cs=[1e4], tol=1e-8)
    rough = hinge_sgd_path(X, y, Cs=[1.0], random_state=0)
    assert_close([soft.width_, path.width, path.margin], [[2 * margin], [2 * margin], [margin]], rtol=1e-5)
    assert_close(rough.width, 2 / np.linalg.norm(rough.coef, axis=1))
    for model in (soft, LinearSVC().fit(X, y)):
        summary = model.summary()
        assert_close(summary["margin"], 1 / np.linalg.norm(model.coef_))
        assert_close(summary["width"], 2 * np.asarray(summary["margin"]))
    tuned = SVCCV(Cs=[1.0], gammas=[0.5], cv=2).fit(X, y)
    assert_close(tuned.width_, 2 * tuned.margin_)
    with pytest.raises(NotFittedError):
        SVC().width_  # noqa: B018
