"""Comparison of separating hyperplanes, and the rule of thumb."""

import numpy as np
import pytest

from statlearn.svm import NotSeparableError, compare_separators, dataset_margin, model_choice_hint
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
def test_overlapping_classes_are_refused():
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
