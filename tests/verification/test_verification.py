"""NIST's certified values, problem by problem, and what the page of all comparisons says."""

import re
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from statlearn.assess import anova
from verification import nist_anova, nist_regression, r_smoothers, statsmodels_results
from verification.check import MOST_DIGITS, Check, compare
from verification.page import page, sentence

ROOT = Path(__file__).parents[2]
# Fewer than are found, since the last digits depend on the machine's BLAS.
REGRESSION_DIGITS = {
    "norris": 11,
    "pontius": 11,
    "noint1": 13,
    "noint2": 13,
    "longley": 11,
    "filip": 6,
    "wampler1": 8,
    "wampler2": 11,
    "wampler3": 8,
    "wampler4": 6,
    "wampler5": 5,
}
ANOVA_DIGITS = {"SiRstv": 12, "AtmWtAg": 8}
ANOVA_DIGITS |= {f"SmLs0{k}": 12 if k < 4 else 8 if k < 7 else 3 for k in range(1, 10)}


def fewest(checks):
    found = {}
    for c in checks:
        found[c.place] = min(found.get(c.place, MOST_DIGITS), c.digits)
    return found


def test_regressions_have_the_digits_that_nist_certifies():
    checks = list(nist_regression.checks())
    default = [c for c in checks if c.place == "filip" and "tol" not in c.call]
    found = fewest(c for c in checks if c not in default)
    assert set(found) == set(REGRESSION_DIGITS)
    for name, digits in REGRESSION_DIGITS.items():
        assert found[name] >= digits, (name, found[name])


def test_filip_is_refused_by_the_default_tolerance_with_a_warning():
    with pytest.warns(UserWarning, match="rank 7 of 10"):
        assert nist_regression.fit("filip").rank_ == 7
    assert nist_regression.fit("filip", tol=1e-12).rank_ == 10


def test_analyses_of_variance_have_the_digits_that_nist_certifies():
    found = fewest(nist_anova.checks())
    assert set(found) == set(ANOVA_DIGITS)
    for name, digits in ANOVA_DIGITS.items():
        assert found[name] >= digits, (name, found[name])


def test_analysis_of_variance_is_exact_on_the_rounded_data():
    treatment, response, _ = nist_anova.load("SmLs07")
    groups = [response[treatment == level] for level in np.unique(treatment)]
    exact = [[Fraction(v) for v in group.tolist()] for group in groups]
    means = [sum(g) / len(g) for g in exact]
    grand = sum(map(sum, exact)) / len(response)
    between = sum(len(g) * (m - grand) ** 2 for g, m in zip(exact, means)) / (len(groups) - 1)
    within = sum((v - m) ** 2 for g, m in zip(exact, means) for v in g) / (len(response) - len(groups))
    assert anova(*groups).statistic == pytest.approx(float(between / within), rel=1e-12)


def test_smoothers_and_influence_agree_with_r():
    assert [c for c in r_smoothers.checks() if not c.agrees] == []


def test_generalised_linear_models_agree_with_r_and_stata_as_far_as_those_iterate():
    for c in statsmodels_results.checks():
        observed_information = c.place == "Spector, probit" and c.quantity == "standard errors"
        assert c.digits >= (1.4 if observed_information else 3.5), c


def test_digits_measure_the_relative_error():
    assert Check("", "", "", "", 2.0, 2.002).digits == pytest.approx(3.0)
    assert Check("", "", "", "", 0.0, 1e-8).digits == pytest.approx(8.0)
    assert Check("", "", "", "", 1.0, 1.0).digits == MOST_DIGITS
    assert not Check("", "", "", "", 1.0, float("nan")).agrees


def test_missing_reference_values_are_not_compared():
    assert [c.ours for c in compare("", "", "", "", [1.0, None], [1.5, 2.0])] == [1.5]
    with pytest.raises(ValueError, match="2 reference values, but 1 of ours"):
        compare("R", "cars", "coef", "", [1.0, 2.0], [1.0])


def test_page_counts_and_explains_the_differences():
    checks = [Check("R", "a", "b", "f()", 1.0, 1.0), Check("R", "a", "b", "f()", 1.0, 2.0, reason="because")]
    assert sentence(checks) == "2 values: 1 agree, 1 differ, each difference explained."
    assert "because" in page(checks)
    assert "not all explained" in sentence([Check("R", "a", "b", "f()", 1.0, 2.0)])


def test_readme_says_what_the_page_says():
    counts = re.search(r"\d+ values: \d+ agree, \d+ differ", (ROOT / "docs/verification.rst").read_text("utf-8"))[0]
    readme = " ".join((ROOT / "README.md").read_text("utf-8").split())
    assert counts in readme
