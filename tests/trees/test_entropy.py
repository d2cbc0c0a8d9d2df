"""Entropies, divergences, impurities and gains against hand values, identities and scipy."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats
from sklearn.metrics import mutual_info_score

from statlearn.trees import (
    conditional_entropy,
    cross_entropy,
    differential_entropy,
    entropy,
    gain_ratio,
    gini_decrease,
    impurity,
    information_gain,
    joint_entropy,
    kl_divergence,
    log_sum_inequality_gap,
    mutual_information,
    self_information,
)
from tests.helpers import assert_close

TEMP14 = np.array([64, 65, 68, 69, 70, 71, 72, 72, 75, 75, 80, 81, 83, 85])
PLAY14 = np.array(list("ynyyynnyyynyyn"))

counts = arrays(float, st.integers(1, 6), elements=st.integers(0, 50).map(float)).filter(lambda a: a.sum() > 0)
tables = arrays(float, st.tuples(st.integers(1, 5), st.integers(1, 5)), elements=st.integers(0, 20).map(float)).filter(
    lambda a: a.sum() > 0
)


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


@pytest.mark.spec("TRE-T3", "TRE-01")
def test_surprise_in_bits():
    p = [1, 3 / 4, 1 / 2, 1 / 4, 1 / 6, 1 / 24, 1 / 76e6, 2.7e-12]
    expected = [0, 0.4150375, 1, 2, 2.5849625, 4.5849625, 26.1794961, 38.4301777]
    assert_close(self_information(p, base=2), expected, atol=1e-6)
    assert self_information(0.0) == math.inf
    with pytest.raises(ValueError, match="between 0 and 1"):
        self_information(1.5)


@pytest.mark.spec("TRE-T4", "TRE-P2")
def test_grouping_of_counts():
    assert_close(entropy([2, 3, 4], base=2), 1.5304931, atol=1e-7)
    assert_close(entropy([2, 7], base=2) + 7 / 9 * entropy([3, 4], base=2), 1.5304931, atol=1e-7)


@pytest.mark.spec("TRE-T5", "TRE-02", "TRE-P3")
def test_differential_entropies():
    assert_close(differential_entropy("normal"), 1.4189385, atol=1e-7)
    assert_close(differential_entropy("exponential"), 1.0)
    assert_close(differential_entropy("normal", scale=0.01), stats.norm(0, 0.01).entropy())
    assert differential_entropy("normal", scale=0.01) < 0
    assert_close(differential_entropy("exponential", mean=3.0), stats.expon(scale=3.0).entropy())
    assert_close(differential_entropy("uniform", low=2.0, high=5.0), math.log(3.0))
    cov = np.array([[2.0, 0.5], [0.5, 1.0]])
    assert_close(differential_entropy("normal", cov=cov), stats.multivariate_normal(cov=cov).entropy())
    assert_close(differential_entropy("normal", base=2), 1.4189385332 / math.log(2), rtol=1e-9)
    for mean in (-3.0, 0.0, 40.0):
        numeric = differential_entropy(stats.norm(mean, 2.0).pdf, support=(mean - 30, mean + 30))
        assert_close(numeric, differential_entropy("normal", scale=2.0), rtol=1e-6)
    with pytest.raises(ValueError, match="integrates to"):
        differential_entropy(lambda x: 1.0, support=(0, 2))
    for bad in ({"scale": 0.0}, {"cov": [[1.0, 2.0], [2.0, 1.0]]}, {"cov": [[1.0, 2.0]]}):
        with pytest.raises(ValueError, match=r"scale|cov"):
            differential_entropy("normal", **bad)
    with pytest.raises(ValueError, match="distribution must be"):
        differential_entropy("cauchy")


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
def test_exclusive_or_shows_nothing_to_single_inputs():
    a, b = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])
    assert information_gain(a, a ^ b) == information_gain(b, a ^ b) == 0.0
    assert_close(information_gain(2 * a + b, a ^ b), 1.0, atol=1e-12)


@pytest.mark.spec("TRE-P1", "TRE-04")
@given(table=tables)
def test_identities_of_joint_entropies(table):
    hx, hy = entropy(table.sum(axis=1)), entropy(table.sum(axis=0))
    both = joint_entropy(table)
    assert_close(both, hy + conditional_entropy(table))
    assert_close(both, hx + conditional_entropy(table.T))
    assert hx + hy >= both - 1e-12
    assert conditional_entropy(table) <= hx + 1e-12
    information = mutual_information(table)
    assert_close(information, mutual_information(table.T))
    independent = np.outer(table.sum(axis=1), table.sum(axis=0))
    assert_close(information, kl_divergence(table.ravel(), independent.ravel()))
    assert_close(mutual_information(independent), 0.0)
    used = np.flatnonzero(table.sum(axis=0))
    shares = table.sum(axis=0)[used] / table.sum()
    assert_close(conditional_entropy(table), shares @ [conditional_entropy(table, given=k) for k in used])


@pytest.mark.spec("TRE-P1", "TRE-01")
@given(n=counts)
def test_entropy_lies_between_certainty_and_uniform(n):
    h = entropy(n)
    assert -1e-15 <= h <= math.log(len(n)) + 1e-12
    assert (h < 1e-12) == (np.count_nonzero(n) == 1)
    assert_close(entropy(np.ones(len(n))), math.log(len(n)))
    assert_close(h, stats.entropy(n))
    assert_close(entropy(n, base=2), h / math.log(2))


@pytest.mark.spec("TRE-P2", "TRE-03", "TRE-05")
@given(seed=st.integers(0, 10_000), k=st.integers(1, 6))
def test_cross_entropy_is_entropy_and_divergence(seed, k):
    rng = np.random.default_rng(seed)
    p, q = rng.integers(0, 9, k) + (np.arange(k) == 0), rng.random(k) + 0.01
    assert_close(cross_entropy(p, q), entropy(p) + kl_divergence(p, q))
    assert kl_divergence(p, q) >= 0
    assert_close(kl_divergence(p, q), stats.entropy(p, q))
    assert log_sum_inequality_gap(p, q) >= -1e-12
    assert_close(log_sum_inequality_gap(q, 3.7 * q), 0.0)
    assert_close(log_sum_inequality_gap(p, q), p.sum() * kl_divergence(p, q))
    # Merging two classes loses their inner entropy, weighted by their share.
    if k > 2 and p[:2].sum() > 0:
        merged = np.concatenate([[p[:2].sum()], p[2:]])
        assert_close(entropy(p), entropy(merged) + p[:2].sum() / p.sum() * entropy(p[:2]))


@pytest.mark.spec("TRE-03")
def test_what_q_excludes_is_infinitely_surprising():
    assert cross_entropy([1, 1], [1, 0]) == kl_divergence([1, 1], [1, 0]) == math.inf
    assert log_sum_inequality_gap([1, 1], [1, 0]) == math.inf
    assert kl_divergence([1, 0], [1, 1], base=2) == 1.0


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
    with pytest.raises(ValueError, match="loss_matrix belongs"):
        impurity([3, 7], "entropy", loss_matrix=losses)


def test_bad_arguments_are_named():
    with pytest.raises(ValueError, match="p must hold"):
        entropy([-1, 2])
    with pytest.raises(ValueError, match="p or labels"):
        entropy()
    with pytest.raises(ValueError, match="labels"):
        entropy(labels=[1.0, np.nan])
    with pytest.raises(ValueError, match="base"):
        entropy([1, 2], base=1)
    with pytest.raises(ValueError, match="x has 2 labels"):
        mutual_information([1, 2], [1, 2, 3])
    with pytest.raises(ValueError, match="q has 3"):
        kl_divergence([1, 2], [1, 2, 3])
    with pytest.raises(ValueError, match="does not occur"):
        conditional_entropy([1, 2], [1, 2], given=7)
    with pytest.raises(ValueError, match="criterion"):
        impurity([1, 2], "mistakes")
    with pytest.raises(ValueError, match="sample_weight has"):
        information_gain([1, 2], [1, 2], sample_weight=[1.0])


@pytest.mark.parametrize("labels", [["yes", "no"], np.array(["yes", "no"], dtype=object)])
def test_labels_in_the_place_of_counts_are_refused_with_advice(labels):
    with pytest.raises(
        ValueError, match="p must hold numbers, probabilities or counts; `entropy` takes labels as labels="
    ):
        entropy(labels)
    assert entropy(labels=labels, base=2) == 1.0
