"""Tests of the residuals of a regression."""

import numpy as np
import pytest
from scipy import stats

from statlearn.app.explain.residuals import residual_tests
from tests.helpers import assert_close


def table(rng, n, errors):
    predicted = rng.normal(size=n)
    return predicted + errors, predicted


def rejected(y, predicted):
    return {t.name for t in residual_tests(y, predicted) if t.rejected}


@pytest.mark.parametrize("n", [30, 100, 400])
def test_false_alarms_are_rare(n):
    """Each of the tests has a rate of 1 %: of 400 tables with normal errors 4 on average, 12 at most."""
    rng = np.random.default_rng(n)
    counts = {}
    for _ in range(400):
        for name in rejected(*table(rng, n, rng.normal(size=n))):
            counts[name] = counts.get(name, 0) + 1
    assert max(counts.values(), default=0) <= 12


@pytest.mark.parametrize(
    "name, errors",
    [
        ("normality", lambda rng, p: rng.standard_t(3, size=len(p))),
        ("normality", lambda rng, p: rng.lognormal(size=len(p))),
        ("constant spread", lambda rng, p: np.exp(0.5 * p) * rng.normal(size=len(p))),
        ("constant spread", lambda rng, p: np.exp(-0.5 * p) * rng.normal(size=len(p))),
        ("independence of rows", lambda rng, p: np.cumsum(rng.normal(size=len(p)))),
    ],
)
def test_what_is_wrong_with_residuals_is_found(name, errors):
    rng = np.random.default_rng(0)
    hits = 0
    for _ in range(50):
        predicted = rng.normal(size=300)
        hits += name in rejected(predicted + errors(rng, predicted), predicted)
    assert hits >= 45


def test_heavy_tails_are_not_taken_for_a_spread_that_grows_or_for_dependence():
    rng = np.random.default_rng(1)
    alarms = [rejected(*table(rng, 200, rng.standard_t(2, size=200))) - {"normality"} for _ in range(200)]
    assert sum(map(bool, alarms)) <= 12


def test_numbers_are_those_of_the_formulas():
    rng = np.random.default_rng(2)
    y, predicted = table(rng, 80, rng.normal(size=80))
    normal, spread, independent = residual_tests(y, predicted)
    e = y - predicted
    assert_close(normal.p_value, stats.normaltest(e).pvalue)
    assert_close(spread.p_value, stats.spearmanr(np.abs(e), predicted).pvalue)
    c = e - e.mean()
    r = np.array([np.sum(c[k:] * c[:-k]) for k in range(1, 11)]) / np.sum(c**2)
    q = 80 * 82 * np.sum(r**2 / (80 - np.arange(1, 11)))
    assert_close(independent.p_value, stats.chi2.sf(q, 10))


def test_few_rows_and_perfect_predictions_are_not_tested():
    y = np.arange(50.0)
    assert residual_tests(y[:20], y[:20] + 1) == []
    assert residual_tests(y, y) == []
    assert [t.name for t in residual_tests(y, np.zeros(50))] == ["normality", "independence of rows"]
