"""Tests between models: scipy and statsmodels, printed values, and how often they reject when nothing is there."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from sklearn.datasets import load_iris
from sklearn.dummy import DummyClassifier
from statsmodels.stats import contingency_tables

from statlearn.assess import (
    anova,
    corrected_resampled_ttest,
    five_by_two_cv_test,
    five_by_two_test,
    friedman_test,
    mcnemar,
    mcnemar_counts,
    paired_ttest,
    ttest,
    wilcoxon_signed_rank,
)
from statlearn.linear import LogisticRegression
from tests.helpers import assert_close

seeds = st.integers(0, 10**6)


@pytest.mark.spec("ASM-38")
@given(seed=seeds, k=st.integers(2, 30), m=st.integers(2, 30))
def test_t_tests_agree_with_scipy(seed, k, m):
    rng = np.random.default_rng(seed)
    a, b, c = rng.normal(size=k), rng.normal(size=k) + 0.5, 2 * rng.normal(size=m)
    ours, theirs = paired_ttest(a, b, confidence=0.9), stats.ttest_rel(a, b)
    assert_close([ours.statistic, ours.p_value, ours.df], [theirs.statistic, theirs.pvalue, theirs.df])
    assert_close([ours.low, ours.high], theirs.confidence_interval(0.9))
    for equal in (True, False):
        ours, theirs = ttest(a, c, equal_variance=equal), stats.ttest_ind(a, c, equal_var=equal)
        assert_close([ours.statistic, ours.p_value, ours.df], [theirs.statistic, theirs.pvalue, theirs.df])
        assert_close([ours.low, ours.high], theirs.confidence_interval(0.95))


@pytest.mark.spec("ASM-38")
@given(seed=seeds, sizes=st.lists(st.integers(2, 12), min_size=2, max_size=5))
def test_anova_agrees_with_scipy(seed, sizes):
    rng = np.random.default_rng(seed)
    groups = [rng.normal(size=s) + 0.3 * j for j, s in enumerate(sizes)]
    theirs = stats.f_oneway(*groups)
    ours = anova(*groups)
    assert_close([ours.statistic, ours.p_value], [theirs.statistic, theirs.pvalue])
    assert ours.df == (len(sizes) - 1, sum(sizes) - len(sizes))


def test_two_models_in_anova_are_the_pooled_t_test(rng):
    a, b = rng.normal(size=7), rng.normal(size=9)
    assert_close(anova(a, b).statistic, ttest(a, b, equal_variance=True).statistic ** 2)
    assert_close(anova(a, b).p_value, ttest(a, b, equal_variance=True).p_value)


@given(seed=seeds)
def test_corrected_test_is_the_formula_and_more_cautious(seed):
    rng = np.random.default_rng(seed)
    d = rng.normal(size=10) + 0.3
    ours = corrected_resampled_ttest(d, 90, 10, confidence=0.9)
    error = np.sqrt((1 / 10 + 1 / 9) * d.var(ddof=1))
    assert_close([ours.difference, ours.std_error, ours.statistic], [d.mean(), error, d.mean() / error])
    assert_close(ours.p_value, 2 * stats.t.sf(abs(d.mean() / error), 9))
    assert_close([ours.low, ours.high], d.mean() + error * stats.t.ppf([0.05, 0.95], 9))
    assert ours.p_value >= paired_ttest(d, np.zeros(10)).p_value
    assert corrected_resampled_ttest(d.reshape(2, 5), 90, 10).p_value == ours.p_value


def test_anova_keeps_its_digits_far_from_zero():
    groups = np.random.default_rng(0).integers(0, 1024, (3, 12)) / 1024.0
    shifted = groups + 2.0**40  # exact: the sums are multiples of 2**-12
    assert_close(anova(*shifted).statistic, anova(*groups).statistic, rtol=1e-12)


def test_no_spread_decides_without_dividing_by_zero():
    nothing = corrected_resampled_ttest(np.zeros(5), 80, 20)
    assert (nothing.statistic, nothing.p_value) == (0.0, 1.0)
    sure = corrected_resampled_ttest(np.full(5, 0.1), 80, 20)
    assert (sure.statistic, sure.p_value, sure.low, sure.high) == (np.inf, 0.0, 0.1, 0.1)
    assert anova([1.0, 1.0], [1.0, 1.0]).p_value == 1.0
    assert anova([1.0, 1.0], [2.0, 2.0]).p_value == 0.0
    assert five_by_two_test(np.zeros((5, 2))).p_value == 1.0
    assert wilcoxon_signed_rank([1.0, 2.0], [1.0, 2.0]).p_value == 1.0


def test_corrected_test_keeps_its_level_unlike_the_plain_one(rng):
    """The means of either half of the training rows as guesses, over ten random splits: no true difference."""
    rejected = np.zeros(2)
    runs = 600
    for _ in range(runs):
        y = rng.normal(size=60)
        d = np.empty(10)
        for k in range(10):
            rows = rng.permutation(60)
            train, test = y[rows[:45]], y[rows[45:]]
            half = len(train) // 2
            d[k] = np.mean((test - train[:half].mean()) ** 2) - np.mean((test - train[half:].mean()) ** 2)
        rejected += [corrected_resampled_ttest(d, 45, 15).p_value < 0.05, paired_ttest(d, np.zeros(10)).p_value < 0.05]
    assert rejected[0] / runs < 0.07
    assert rejected[0] < rejected[1]


@given(seed=seeds)
def test_five_by_two_is_the_formula(seed):
    d = np.random.default_rng(seed).normal(size=(5, 2))
    mean = d.mean(axis=1)
    variance = (d[:, 0] - mean) ** 2 + (d[:, 1] - mean) ** 2
    t = d[0, 0] / np.sqrt(variance.mean())
    ours = five_by_two_test(d, statistic="t")
    assert_close([ours.statistic, ours.p_value], [t, 2 * stats.t.sf(abs(t), 5)])
    F = np.sum(d**2) / (2 * variance.sum())
    ours = five_by_two_test(d)
    assert_close([ours.statistic, ours.p_value, ours.difference], [F, stats.f.sf(F, 10, 5), d.mean()])


def test_five_by_two_runs_the_ten_fits():
    X, y = load_iris(return_X_y=True)
    result = five_by_two_cv_test(LogisticRegression(), DummyClassifier(), X, y, random_state=0, statistic="t")
    assert result.difference > 0.5
    assert result.p_value < 0.01
    same = five_by_two_cv_test(DummyClassifier(), DummyClassifier(), X, y, random_state=0)
    assert (same.difference, same.p_value) == (0.0, 1.0)
    with pytest.raises(ValueError, match=r"shape \(5, 2\)"):
        five_by_two_test(np.zeros((2, 5)))


@pytest.mark.spec("ASM-39", "ASM-T17")
def test_mcnemar_of_one_and_seven():
    assert_close(mcnemar_counts(1, 7).p_value, 0.0703125, atol=1e-12)
    assert_close(mcnemar_counts(7, 1).p_value, 0.0703125, atol=1e-12)
    corrected = mcnemar_counts(1, 7, method="chi2")
    assert_close([corrected.statistic, corrected.p_value], [3.125, 0.0770999], atol=1e-6)


@pytest.mark.spec("ASM-39")
@given(b=st.integers(0, 60), c=st.integers(0, 60))
def test_mcnemar_agrees_with_statsmodels(b, c):
    if b + c == 0:
        assert mcnemar_counts(0, 0).p_value == 1.0
        return
    table = [[3, b], [c, 4]]
    exact = contingency_tables.mcnemar(table, exact=True)
    ours = mcnemar_counts(b, c, method="exact")
    assert_close([ours.p_value, ours.statistic], [exact.pvalue, exact.statistic])
    for correction in (True, False):
        ours = mcnemar_counts(b, c, method="chi2", correction=correction)
        theirs = contingency_tables.mcnemar(table, exact=False, correction=correction)
        if b != c or not correction:  # statsmodels lets the correction overshoot: (0 - 1)^2
            assert_close([ours.statistic, ours.p_value], [theirs.statistic, theirs.pvalue])
    assert mcnemar_counts(b, c).method.endswith("chi-squared" if min(b, c) >= 5 else "exact")


@pytest.mark.spec("ASM-39")
def test_mcnemar_counts_rows_that_one_model_gets_right(rng):
    y, a, b = (rng.choice(["x", "y", "z"], size=200) for _ in range(3))
    result = mcnemar(y, a, b)
    first, second = np.sum((a == y) & (b != y)), np.sum((a != y) & (b == y))
    assert result == mcnemar_counts(int(first), int(second))
    assert result.difference == first - second
    with pytest.raises(ValueError, match="inconsistent"):
        mcnemar(y, a, b[:-1])


@given(seed=seeds, k=st.integers(3, 20), ties=st.booleans())
def test_wilcoxon_agrees_with_scipy(seed, k, ties):
    rng = np.random.default_rng(seed)
    a, b = rng.normal(size=(2, k))
    if ties:
        approx = stats.wilcoxon(np.round(a), np.round(b), method="approx", correction=False) if np.any(
            np.round(a) != np.round(b)) else None  # fmt: skip
        if approx is not None:
            ours = wilcoxon_signed_rank(np.round(a), np.round(b), method="approx")
            assert_close([ours.statistic, ours.p_value], [approx.statistic, approx.pvalue])
        return
    theirs = stats.wilcoxon(a, b, method="exact")
    ours = wilcoxon_signed_rank(a, b)
    assert_close([ours.statistic, ours.p_value], [theirs.statistic, theirs.pvalue])


def test_wilcoxon_with_ties_enumerates_all_signs():
    d = np.array([1.0, 1.0, 2.0, -1.0, 3.0, -2.0])
    ranks = stats.rankdata(np.abs(d))
    observed = min(ranks[d > 0].sum(), ranks[d < 0].sum())
    sums = [ranks @ [(code >> i) & 1 for i in range(6)] for code in range(64)]
    p = min(1.0, 2 * np.mean(np.array(sums) <= observed))
    assert_close(wilcoxon_signed_rank(d, np.zeros(6)).p_value, p)


@given(seed=seeds, N=st.integers(4, 20), k=st.integers(3, 6), ties=st.booleans())
def test_friedman_agrees_with_scipy(seed, N, k, ties):
    scores = np.random.default_rng(seed).normal(size=(N, k))
    scores = np.round(scores) if ties else scores
    if np.all(scores == scores[:, :1]):
        return
    theirs = stats.friedmanchisquare(*scores.T)
    ours = friedman_test(scores, statistic="chi2")
    assert_close([ours.statistic, ours.p_value], [theirs.statistic, theirs.pvalue], atol=1e-9)
    assert_close(ours.mean_ranks, stats.rankdata(-scores, axis=1).mean(axis=0))
    flipped = friedman_test(-scores, greater_is_better=False)
    assert_close(flipped.mean_ranks, ours.mean_ranks)


def test_friedman_on_the_published_example():
    """Demsar (2006), table 6: four variants of C4.5 on fourteen data sets; printed: ranks, chi2 9.28, F 3.69, CD 1.25.

    One pair that is equal in print has different ranks there: 0.9751 stands for the larger 0.975.
    """
    scores = [
        [0.763, 0.768, 0.771, 0.798], [0.599, 0.591, 0.590, 0.569], [0.954, 0.971, 0.968, 0.967],
        [0.628, 0.661, 0.654, 0.657], [0.882, 0.888, 0.886, 0.898], [0.936, 0.931, 0.916, 0.931],
        [0.661, 0.668, 0.609, 0.685], [0.583, 0.583, 0.563, 0.625], [0.775, 0.838, 0.866, 0.875],
        [1.000, 1.000, 1.000, 1.000], [0.940, 0.962, 0.965, 0.962], [0.619, 0.666, 0.614, 0.669],
        [0.972, 0.981, 0.9751, 0.975], [0.957, 0.978, 0.946, 0.970],
    ]  # fmt: skip
    result = friedman_test(scores, confidence=0.9)
    assert_close(result.mean_ranks, [3.143, 2.000, 2.893, 1.964], atol=6e-4)
    # The book uses q = 2.291 at 0.10 for four models.
    assert_close(result.critical_difference, 2.291 * np.sqrt(4 * 5 / (6 * 14)), atol=1e-3)
    # Its chi2 ignores the ties: 12N/(k(k+1)) [sum R^2 - k(k+1)^2/4].
    plain = 12 * 14 / 20 * (np.sum(result.mean_ranks**2) - 4 * 25 / 4)
    assert_close(plain, 9.28, atol=0.01)
    assert_close(13 * plain / (14 * 3 - plain), 3.69, atol=0.01)
    assert friedman_test(scores, statistic="chi2").statistic > plain
    far = abs(result.mean_ranks[0] - result.mean_ranks[3])
    assert (result.pairwise_p[0, 3] < 0.1) == (far > result.critical_difference)
    assert_close(result.pairwise_p, result.pairwise_p.T)
    assert_close(np.diag(result.pairwise_p), np.ones(4))


def test_bad_scores_raise():
    with pytest.raises(ValueError, match="at least 2"):
        paired_ttest([1.0], [2.0])
    with pytest.raises(ValueError, match="inconsistent"):
        paired_ttest([1.0, 2.0], [2.0])
    with pytest.raises(ValueError, match="NaN"):
        ttest([1.0, np.nan], [2.0, 3.0])
    with pytest.raises(ValueError, match="two models"):
        anova([1.0, 2.0])
    with pytest.raises(ValueError, match="'n_test' parameter"):
        corrected_resampled_ttest([0.1, 0.2], 80, 0)


@pytest.mark.spec("CRS-137")
def test_mcnemar_of_a_table_names_the_function_of_counts():
    with pytest.raises(TypeError, match=r"For a 2 x 2 table use mcnemar_counts\(1, 7\)"):
        mcnemar([[30, 1], [7, 12]])
    with pytest.raises(TypeError, match=r"For a 2 x 2 table use mcnemar_counts\(1, 7\)"):
        mcnemar(np.array([[30, 1], [7, 12]]))
    with pytest.raises(TypeError, match=r"predictions of two models\.$"):
        mcnemar([0, 1, 1], [0, 1, 1])
