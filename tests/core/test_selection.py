"""The rules that choose a model from cross-validated losses."""

import numpy as np
import pytest

from statlearn._core.selection import CVCurve, weighty_folds
from tests.helpers import assert_close


def test_rules_by_hand():
    loss = np.array([[4.0, 6.0], [2.0, 4.0], [2.0, 3.0], [2.5, 2.7]])
    curve = CVCurve(np.array([8.0, 4.0, 2.0, 1.0]), loss)
    assert_close(curve.mean, [5.0, 3.0, 2.5, 2.6])
    assert_close(curve.std_error, loss.std(axis=1, ddof=1) / np.sqrt(2))
    assert curve.best == curve.chosen("min") == 2
    # 2.5 + 0.5 reaches the second model, which is simpler.
    assert curve.one_se == curve.chosen("one_se") == 1


def test_ties_go_to_the_simplest_model():
    curve = CVCurve(np.array([3.0, 2.0, 1.0]), np.array([[1.0, 1.0], [1.0, 1.0], [1.0, 1.0]]))
    assert curve.best == curve.one_se == 0


def test_folds_can_be_weighted_by_their_rows():
    curve = CVCurve(np.array([1.0]), np.array([[1.0, 4.0]]), fold_weight=np.array([3, 1]))
    assert_close(curve.mean, [1.75])


def test_plot_marks_both_choices():
    curve = CVCurve(np.array([8.0, 4.0, 2.0, 0.1]), np.array([[4.0, 6.0], [2.0, 4.0], [2.0, 3.0], [2.5, 2.7]]))
    ax = curve.plot()
    labels = [text.get_text() for text in ax.get_legend().get_texts()]
    assert labels == ["smallest loss", "simplest within one standard error"]
    assert ax.get_xlabel() == "log10(alpha)"


def test_infinite_losses_have_no_standard_error_and_are_never_chosen():
    curve = CVCurve(np.array([3.0, 2.0]), np.array([[np.inf, np.inf], [1.0, 2.0]]))
    assert np.isnan(curve.std_error[0])  # and no warning
    assert_close(curve.std_error[1], 0.5)
    assert curve.best == curve.one_se == 1


def test_folds_without_weight_raise_or_left_out():
    weights, folds = np.array([1.0, 0, 0, 2]), [([0, 1], [2, 3]), ([0, 3], [1, 2]), ([1, 2], [0, 3])]
    assert weighty_folds(folds, None) == folds
    assert weighty_folds(folds[:2], weights, skip_tests=True) == folds[:1]
    with pytest.raises(ValueError, match="0 for all test rows of a fold"):
        weighty_folds(folds[:2], weights)
    for skip in (False, True):
        with pytest.raises(ValueError, match="0 for all training rows of a fold"):
            weighty_folds(folds[::2], weights, skip_tests=skip)
    with pytest.raises(ValueError, match="0 for the test rows of all folds"):
        weighty_folds(folds[1:2], weights, skip_tests=True)
    with pytest.raises(ValueError, match="0 for the test rows of all folds"):
        CVCurve(np.ones(1), np.ones((1, 2)), fold_weight=np.zeros(2))
