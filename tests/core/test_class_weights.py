import numpy as np
import pytest
from sklearn.utils.class_weight import compute_class_weight, compute_sample_weight

from statlearn._core.class_weights import class_and_sample_weights, class_factors, label_and_sample_weights
from tests.helpers import assert_close

LABELS = np.array(["b", "a", "b", "c", "b", "a"])
CLASSES, CODES = np.unique(LABELS, return_inverse=True)
COUNTS = np.array([1, 3, 2, 2, 1, 1])


@pytest.mark.parametrize("class_weight", [None, "balanced", {"a": 2.0, "b": 0.5, "c": 3.0}, {"a": 4.0}])
def test_factors_match_scikit_learn(class_weight):
    expected = compute_class_weight(class_weight, classes=CLASSES, y=LABELS)
    assert_close(class_factors(class_weight, CLASSES, CODES), expected, atol=0)


def test_balanced_factors_count_a_row_of_weight_k_as_k_rows():
    copies = np.repeat(CODES, COUNTS)
    weighted = class_factors("balanced", CLASSES, CODES, COUNTS.astype(float))
    assert_close(weighted, class_factors("balanced", CLASSES, copies), atol=0)


def test_balanced_weights_need_weight_in_every_class():
    weights = (CODES != 0).astype(float)
    assert class_factors("balanced", CLASSES, CODES, weights)[0] == 0
    with pytest.raises(ValueError, match="class_weight='balanced'"):
        class_and_sample_weights("balanced", CLASSES, CODES, weights)


def test_labels_without_a_row_in_a_dict_raise():
    with pytest.raises(ValueError, match="class_weight"):
        class_factors({"a": 1.0, "absent": 2.0}, CLASSES, CODES)


def test_class_and_sample_weights_multiply():
    assert class_and_sample_weights(None, CLASSES, CODES) is None
    weights = COUNTS.astype(np.float32)
    assert class_and_sample_weights(None, CLASSES, CODES, weights).dtype == np.float64
    found = class_and_sample_weights({"a": 2.0}, CLASSES, CODES, weights)
    np.testing.assert_array_equal(found, COUNTS * np.where(LABELS == "a", 2.0, 1.0))


def test_labels_give_the_same_weights_as_codes():
    weights = COUNTS.astype(float)
    assert label_and_sample_weights(None, LABELS) is None
    assert label_and_sample_weights(None, LABELS, weights) is weights
    assert label_and_sample_weights({"a": 2.0}, LABELS, weights.astype(np.float32)).dtype == np.float32
    for class_weight in ("balanced", {"a": 2.0}):
        for given in (None, weights):
            expected = class_and_sample_weights(class_weight, CLASSES, CODES, given)
            assert_close(label_and_sample_weights(class_weight, LABELS, given), expected, atol=0)


def test_rows_count_once_where_counts_are_not_weighted():
    found = label_and_sample_weights("balanced", LABELS, COUNTS.astype(float), weighted_counts=False)
    assert_close(found, COUNTS * compute_sample_weight("balanced", LABELS), atol=0)


def test_factors_of_several_columns_multiply():
    Y = np.column_stack([LABELS, LABELS[::-1]])
    weights = COUNTS.astype(float)
    each = [label_and_sample_weights("balanced", column, weights) / weights for column in Y.T]
    assert_close(label_and_sample_weights("balanced", Y, weights), weights * each[0] * each[1], atol=0)
    given = [{"a": 2.0}, {"b": 3.0}]
    assert_close(label_and_sample_weights(given, Y), compute_sample_weight(given, Y), atol=0)


@pytest.mark.parametrize("given", [[2, 2], [{"a": 2.0}]])
def test_a_list_for_a_single_output_raises(given):
    with pytest.raises(ValueError, match="`class_weight` must be a dict, 'balanced' or None for a single output"):
        label_and_sample_weights(given, LABELS)


@pytest.mark.parametrize("given", [[2, 2], [{"a": 2.0}], [{"a": 2.0}, "heavy"]])
def test_a_list_without_one_dict_per_output_raises(given):
    with pytest.raises(ValueError, match="`class_weight` must contain one dict for each of the 2 outputs"):
        label_and_sample_weights(given, np.column_stack([LABELS, LABELS]))


@pytest.mark.parametrize("bad", [-1.0, np.inf, np.nan])
def test_negative_and_infinite_weights_raise_by_class(bad):
    with pytest.raises(ValueError, match="`class_weight` must be finite and at least 0"):
        class_factors({"b": bad}, np.array(["a", "b"]), np.array([0, 1]))
