"""Entropies, divergences, impurities and gains against hand values, identities and scipy."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from statlearn._core.warnings import AmbiguousInputWarning
from statlearn.trees import (
    ID3Classifier,
    conditional_entropy,
    cross_entropy,
    differential_entropy,
    entropy,
    information_gain,
    joint_entropy,
    kl_divergence,
    log_sum_inequality_gap,
    mutual_information,
    self_information,
)
from tests.helpers import assert_close

counts = arrays(float, st.integers(1, 6), elements=st.integers(0, 50).map(float)).filter(lambda a: a.sum() > 0)
tables = arrays(float, st.tuples(st.integers(1, 5), st.integers(1, 5)), elements=st.integers(0, 20).map(float)).filter(
    lambda a: a.sum() > 0
)


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
    with pytest.raises(ValueError, match="must integrate to 1"):
        differential_entropy(lambda x: 1.0, support=(0, 2))
    for bad in ({"scale": 0.0}, {"cov": [[1.0, 2.0], [2.0, 1.0]]}, {"cov": [[1.0, 2.0]]}):
        with pytest.raises(ValueError, match=r"scale|cov"):
            differential_entropy("normal", **bad)
    with pytest.raises(ValueError, match="`distribution` must be"):
        differential_entropy("cauchy")


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
    q /= q.sum()
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
def test_events_excluded_by_q_are_infinitely_surprising():
    assert cross_entropy([1, 1], [1, 0]) == kl_divergence([1, 1], [1, 0]) == math.inf
    assert log_sum_inequality_gap([1, 1], [1, 0]) == math.inf
    assert kl_divergence([1, 0], [1, 1], base=2) == 1.0


def test_bad_arguments_are_named():
    with pytest.raises(ValueError, match="p must contain"):
        entropy([-1, 2])
    with pytest.raises(ValueError, match="exactly one of `p` and `labels`"):
        entropy()
    with pytest.raises(ValueError, match="labels"):
        entropy(labels=[1.0, np.nan])
    with pytest.raises(ValueError, match="base"):
        entropy([1, 2], base=1)
    with pytest.raises(ValueError, match="`x` and `y` must have the same length, got 2 and 3"):
        mutual_information([1, 2], [1, 2, 3])
    with pytest.raises(ValueError, match="`p` and `q` must have the same length, got 2 and 3"):
        kl_divergence([1, 2], [1, 2, 3])
    with pytest.raises(ValueError, match="does not occur"):
        conditional_entropy([1, 2], [1, 2], given=7)


@pytest.mark.parametrize("labels", [["yes", "no"], np.array(["yes", "no"], dtype=object)])
def test_labels_passed_as_counts_raise_with_advice(labels):
    with pytest.raises(ValueError, match=r"p must contain probabilities or counts\. To use labels, pass `labels=`"):
        entropy(labels)
    assert entropy(labels=labels, base=2) == 1.0


@pytest.mark.spec("CRS-23")
def test_counts_that_look_like_labels_warn():
    for labels in ([1, 0, 1, 1, 0], [True, False, True], ["1", "2", "1"], np.array([1.0, 0.0, 1.0, 0.0])):
        with pytest.warns(AmbiguousInputWarning, match=r"Use `labels=` for labels"):
            entropy(labels)
    for labels in ([-1, 1, 1], ["no", "yes"]):
        with pytest.raises(ValueError, match="labels="):
            entropy(labels)
    for counts in ([1, 1], [1, 1, 1], [0, 1, 0], [1, 1, 1, 2], [0.5, 0.5, 0], [0, 2, 1]):
        entropy(counts)
    assert_close(entropy(labels=[1, 1, 1, 2], base=2), 0.8112781, atol=1e-7)
    assert_close(joint_entropy([[1, 1, 0]], base=2), 1.0)  # no warning from inside
    assert_close(conditional_entropy([[1, 0], [1, 0], [0, 1]], given=0, base=2), 1.0)


@pytest.mark.spec("CRS-25")
@pytest.mark.parametrize("function", [kl_divergence, cross_entropy])
def test_fractions_that_do_not_sum_to_one_are_warned_about(function):
    with pytest.warns(AmbiguousInputWarning, match=r"`p` contains fractions that sum to 1\.1"):
        value = function([0.5, 0.6], [0.9, 0.1])
    assert_close(value, function([5, 6], [9, 1]))
    thirds = np.full(3, 1 / 3, np.float32)
    function(thirds, [0.2, 0.3, 0.5])
    function([0.333333, 0.333333, 0.333334], [2.0, 3.0, 5.0])


@pytest.mark.spec("CRS-24")
@pytest.mark.parametrize(
    ("function", "unit", "counterpart"),
    [
        (entropy, "nats", "information_gain"),
        (mutual_information, "nats", "information_gain"),
        (information_gain, "bits", "mutual_information"),
        (ID3Classifier, "bits", "mutual_information"),
        (cross_entropy, "nats", "kl_divergence"),
        (kl_divergence, "nats", "cross_entropy"),
        (joint_entropy, "nats", "entropy"),
        (conditional_entropy, "nats", "entropy"),
    ],
)
def test_units_stand_in_the_first_line(function, unit, counterpart):
    first, *rest = function.__doc__.split("\n")
    assert unit in first
    assert counterpart in " ".join(rest[: rest.index("    Parameters")])


@pytest.mark.spec("CRS-24")
@given(seed=st.integers(0, 10_000), base=st.sampled_from([None, 2, 10, math.e]))
def test_gain_is_mutual_information_in_the_same_unit(seed, base):
    rng = np.random.default_rng(seed)
    x, y = rng.integers(0, 3, 20), rng.integers(0, 4, 20)
    assert_close(information_gain(x, y, base=base), mutual_information(x, y, base=base))
    assert_close(information_gain(x, y), mutual_information(x, y) / math.log(2))
