"""Intervals for rates and ROC areas: statsmodels, U-statistics written out, and coverage by simulation."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from sklearn.metrics import roc_auc_score
from statsmodels.stats.proportion import proportion_confint

from statlearn.assess import delong_interval, delong_test, score_interval
from tests.helpers import assert_close


@pytest.mark.spec("ASM-38")
@pytest.mark.parametrize("method, theirs", [("wilson", "wilson"), ("normal", "normal"), ("exact", "beta")])
@given(n=st.integers(1, 300), share=st.floats(0, 1), confidence=st.floats(0.5, 0.999))
def test_rates_agree_with_statsmodels(method, theirs, n, share, confidence):
    count = int(round(share * n))
    interval = score_interval(count, n, confidence=confidence, method=method)
    low, high = proportion_confint(count, n, alpha=1 - confidence, method=theirs)
    assert_close([interval.low, interval.high], np.clip([low, high], 0, 1), atol=1e-9)
    assert interval.estimate == count / n
    assert 0 <= interval.low <= interval.estimate <= interval.high <= 1
    assert interval.estimate in interval


def test_wilson_covers_as_promised_on_average():
    # Exact coverage: the binomial weights of the counts whose interval holds p, averaged over p.
    n, covered = 40, []
    bounds = [(i.low, i.high) for i in (score_interval(k, n, confidence=0.9) for k in range(n + 1))]
    for p in np.linspace(0.05, 0.95, 91):
        weight = stats.binom.pmf(np.arange(n + 1), n, p)
        covered.append(sum(w for w, (low, high) in zip(weight, bounds) if low <= p <= high))
    assert abs(np.mean(covered) - 0.9) < 0.01
    assert min(covered) > 0.83


def test_rates_out_of_range_raise():
    with pytest.raises(ValueError, match="at most `n`"):
        score_interval(5, 4)
    with pytest.raises(ValueError, match="'method' parameter of score_interval"):
        score_interval(1, 4, method="guess")


def area_and_placements(y, s):
    """All pairs, literally."""
    wins = (s[y == 1][:, None] > s[y == 0]) + 0.5 * (s[y == 1][:, None] == s[y == 0])
    return wins.mean(), wins.mean(axis=1), wins.mean(axis=0)


def u_statistic_covariance(y, scores):
    parts = [area_and_placements(y, s) for s in scores]
    m, n = np.sum(y == 1), np.sum(y == 0)
    return np.cov([p[1] for p in parts]) / m + np.cov([p[2] for p in parts]) / n


def two_scores(seed, n=60, digits=None):
    rng = np.random.default_rng(seed)
    y = np.r_[0, 0, 1, 1, rng.integers(0, 2, n)]
    a, b = (y + scale * rng.normal(size=len(y)) for scale in (1.0, 2.0))
    return y, np.round(a, digits or 12), np.round(b, digits or 12)


@given(seed=st.integers(0, 10**6), digits=st.sampled_from([None, 0, 1]))
def test_delong_agrees_with_all_pairs(seed, digits):
    y, a, b = two_scores(seed, digits=digits)
    S = u_statistic_covariance(y, [a, b])
    one = delong_interval(y, a, transform="none")
    assert_close(one.estimate, roc_auc_score(y, a))
    assert_close(one.std_error, np.sqrt(S[0, 0]))
    half = stats.norm.ppf(0.975) * np.sqrt(S[0, 0])
    assert_close([one.low, one.high], np.clip([one.estimate - half, one.estimate + half], 0, 1))
    two = delong_test(y, a, b)
    assert_close(two.difference, roc_auc_score(y, a) - roc_auc_score(y, b))
    error = np.sqrt(S[0, 0] + S[1, 1] - 2 * S[0, 1])
    assert_close(two.std_error, error)
    assert_close(two.p_value, 2 * stats.norm.sf(abs(two.difference) / error), atol=1e-12)


def test_delong_is_unmoved_by_increasing_transforms_and_mirrored_by_labels(rng):
    y, a, _ = two_scores(3)
    plain = delong_interval(y, a)
    moved = delong_interval(y, np.exp(a))
    assert_close([plain.low, plain.high, plain.std_error], [moved.low, moved.high, moved.std_error])
    other = delong_interval(y, a, pos_label=0)
    assert_close([other.estimate, other.low, other.high], [1 - plain.estimate, 1 - plain.high, 1 - plain.low])


def test_delong_covers(rng):
    true = stats.norm.cdf(1.5 / np.sqrt(2))
    covered = {"logit": 0, "none": 0}
    runs = 1000
    for _ in range(runs):
        y = np.repeat([0, 1], [60, 30])
        s = rng.normal(size=90) + 1.5 * y
        for transform in covered:
            covered[transform] += true in delong_interval(y, s, transform=transform)
    assert abs(covered["logit"] / runs - 0.95) < 0.02
    assert abs(covered["none"] / runs - 0.95) < 0.035


def test_delong_at_the_end_is_a_point():
    interval = delong_interval([0, 0, 1, 1], [0.1, 0.2, 0.8, 0.9])
    assert (interval.estimate, interval.low, interval.high) == (1.0, 1.0, 1.0)
    same = delong_test([0, 0, 1, 1], [0.1, 0.8, 0.2, 0.9], [1.0, 8.0, 2.0, 9.0])
    assert (same.difference, same.p_value) == (0.0, 1.0)


@pytest.mark.parametrize(
    "y, s, words",
    [
        ([0, 0, 0], [1.0, 2.0, 3.0], "two classes"),
        ([0, 1, 2], [1.0, 2.0, 3.0], "two classes"),
        ([0, 1, 1], [1.0, np.nan, 3.0], "NaN"),
        ([0, 1, 1], [1.0, 2.0], "inconsistent"),
        ([0, 1, 1], [1.0, 2.0, 0.0], "at least two rows"),
    ],
)
def test_invalid_delong_input_raises(y, s, words):
    with pytest.raises(ValueError, match=words):
        delong_interval(y, s)
