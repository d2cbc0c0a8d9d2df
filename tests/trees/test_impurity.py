"""Impurities of nodes and gains of splits."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.metrics import mutual_info_score

from statlearn._core.warnings import AmbiguousInputWarning
from statlearn.trees import (
    conditional_entropy,
    entropy,
    gain_ratio,
    gini_decrease,
    impurity,
    information_gain,
    mutual_information,
)
from tests.helpers import assert_close

TEMP14 = np.array([64, 65, 68, 69, 70, 71, 72, 72, 75, 75, 80, 81, 83, 85])
PLAY14 = np.array(list("ynyyynnyyynyyn"))

counts = arrays(float, st.integers(1, 6), elements=st.integers(0, 50).map(float)).filter(lambda a: a.sum() > 0)


@pytest.mark.spec("TRE-T1", "TRE-T2", "TRE-01", "TRE-06")
@pytest.mark.parametrize(
    "n, gini, nats, bits, error",
    [((4, 6), 0.48, 0.6730117, 0.9709506, 0.4), ((9, 1), 0.18, 0.3250830, 0.4689956, 0.1)],
)
def test_impurities_of_two_counts(n, gini, nats, bits, error):
    assert_close(impurity(n), gini)
    assert_close(impurity(n, "entropy"), nats, atol=1e-7)
    assert_close(entropy(n), nats, atol=1e-7)
    assert_close(entropy(n, base=2), bits, atol=1e-7)
    assert_close(entropy(labels=np.repeat(["a", "b"], n), base=2), bits, atol=1e-7)
    assert_close(impurity(n, "error"), error)


@pytest.mark.spec("TRE-T6", "TRE-07")
def test_two_splits_of_800_points():
    A, B = [[300, 100], [100, 300]], [[200, 400], [200, 0]]
    for split, left, gain, ratio in ((A, 0.8112781, 0.1887219, 0.1887219), (B, 0.6887219, 0.3112781, 0.3836885)):
        assert_close(conditional_entropy(np.transpose(split), base=2), left, atol=1e-7)
        assert_close(information_gain(split), gain, atol=1e-7)
        assert_close(gain_ratio(split), ratio, atol=1e-7)
        sizes = np.sum(split, axis=1)
        assert_close(np.average(impurity(split, "error"), weights=sizes), 0.25)
    assert_close(0.5 - gini_decrease(A), 3 / 8)
    assert_close(0.5 - gini_decrease(B), 1 / 3)


@pytest.mark.spec("TRE-T7", "TRE-07")
def test_gains_of_all_cuts_of_the_temperatures():
    expected = {
        64.5: 0.047709, 66.5: 0.010318, 68.5: 0.000489, 69.5: 0.014956, 70.5: 0.045334, 71.5: 0.001340,
        73.5: 0.001340, 77.5: 0.025078, 80.5: 0.000489, 82: 0.010318, 84: 0.113401,
    }  # fmt: skip
    found = {cut: information_gain(cut >= TEMP14, PLAY14) for cut in expected}
    assert_close(list(found.values()), list(expected.values()), atol=1e-6)
    assert max(found, key=found.get) == 84
    assert_close(entropy(labels=PLAY14, base=2), 0.940286, atol=1e-6)


@pytest.mark.spec("TRE-T10")
def test_exclusive_or_is_invisible_to_single_inputs():
    a, b = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])
    assert information_gain(a, a ^ b) == information_gain(b, a ^ b) == 0.0
    assert_close(information_gain(2 * a + b, a ^ b), 1.0, atol=1e-12)


@pytest.mark.spec("TRE-P4", "TRE-06")
@given(n=counts)
def test_impurity_is_zero_when_pure_and_largest_when_uniform(n):
    K = len(n)
    for criterion, top in (("gini", 1 - 1 / K), ("entropy", math.log(K)), ("error", 1 - 1 / K)):
        assert_close(impurity(np.ones(K), criterion), top)
        assert -1e-12 <= impurity(n, criterion) <= top + 1e-12
        if np.count_nonzero(n) == 1:
            assert impurity(n, criterion) == 0
    zero_one = 1 - np.eye(K)
    assert_close(impurity(n, loss_matrix=zero_one), impurity(n))
    if K == 2:
        p = n[0] / n.sum()
        assert_close(impurity(n), 2 * p * (1 - p))


@pytest.mark.spec("TRE-P4", "TRE-07", "TRE-04")
@given(seed=st.integers(0, 10_000))
def test_gain_is_mutual_information(seed):
    rng = np.random.default_rng(seed)
    x, y = rng.integers(0, 4, 30), rng.integers(0, 3, 30)
    w = rng.integers(0, 3, 30) + (np.arange(30) == 0)
    assert_close(information_gain(x, y, base=None), mutual_info_score(x, y))
    assert_close(mutual_information(x, y), mutual_info_score(x, y))
    rows = np.repeat(np.arange(30), w)
    for gain in (information_gain, gain_ratio, gini_decrease):
        assert_close(gain(x, y, sample_weight=w), gain(x[rows], y[rows]))
        assert gain(x, y) >= 0


@pytest.mark.spec("TRE-P7")
@given(seed=st.integers(0, 10_000), n=st.integers(2, 40))
def test_an_identifier_has_all_the_gain_and_a_small_ratio(seed, n):
    y = np.random.default_rng(seed).integers(0, 3, n)
    assert_close(information_gain(np.arange(n), y), entropy(labels=y, base=2))
    assert_close(gain_ratio(np.arange(n), y), entropy(labels=y, base=2) / math.log2(n))


@pytest.mark.spec("TRE-06")
def test_spread_of_numbers(rng):
    y, w = rng.normal(size=25), rng.integers(0, 4, 25) + 0.0
    assert_close(impurity(y, "variance"), y.var())
    assert_close(impurity(y, "absolute_deviation"), np.mean(np.abs(y - np.median(y))))
    copies = np.repeat(y, w.astype(int))
    for criterion in ("variance", "absolute_deviation"):
        assert_close(impurity(y, criterion, sample_weight=w), impurity(copies, criterion))
    with pytest.raises(ValueError, match="finite"):
        impurity([1.0, np.nan], "variance")


@pytest.mark.spec("TRE-06")
def test_losses_weigh_the_gini_impurity():
    losses = np.array([[0.0, 5.0], [1.0, 0.0]])
    assert_close(impurity([3, 7], loss_matrix=losses), 6 * 0.3 * 0.7)
    with pytest.raises(ValueError, match="loss_matrix"):
        impurity([3, 7], loss_matrix=np.ones((2, 2)))
    with pytest.raises(ValueError, match="`loss_matrix` is only supported"):
        impurity([3, 7], "entropy", loss_matrix=losses)


def test_bad_arguments_are_named():
    with pytest.raises(ValueError, match="criterion"):
        impurity([1, 2], "mistakes")
    with pytest.raises(ValueError, match="`sample_weight` has"):
        information_gain([1, 2], [1, 2], sample_weight=[1.0])


@pytest.mark.spec("CRS-23")
def test_labels_and_counts_of_a_node():
    labels = [1] * 4 + [0] * 6
    assert_close(impurity(labels=labels), 0.48)
    assert_close(impurity(criterion="entropy", labels=["a", "b"], base=2), 1.0)
    assert_close(impurity(labels=["a", "b"], sample_weight=[4, 6]), 0.48)
    with pytest.warns(AmbiguousInputWarning, match="`values` contains only 0 and 1.*`labels=`"):
        assert_close(impurity(labels), 0.75)
    with pytest.raises(ValueError, match=r"only -1 and 1.*labels="):
        impurity([-1, 1, 1])
    for values, classes in ((None, None), ([1, 2], labels)):
        with pytest.raises(ValueError, match="exactly one of `values` and `labels`"):
            impurity(values, labels=classes)
    with pytest.raises(ValueError, match="classes, which have no variance"):
        impurity(criterion="variance", labels=labels)
    for values in ([1, 0], [0, 0, 1], [1, 1, 0], [[1, 0, 1], [0, 1, 1]], [0.5, 0.5, 0.0]):
        impurity(values)
    gini_decrease([[1, 1, 0], [0, 1, 1]])
    impurity(labels, "variance")


def test_the_misclassification_rate_is_called_error():
    with pytest.raises(ValueError, match="The misclassification rate is 'error'"):
        impurity([3, 1], "misclassification")
