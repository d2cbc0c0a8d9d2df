"""NIST's Statistical Reference Datasets, analysis of variance: eleven problems, whose files come with scipy's tests."""

import re
from pathlib import Path

import numpy as np
import scipy.stats

from statlearn.assess import anova
from statlearn.formula import lm
from verification.check import compare

SOURCE = "NIST StRD, analysis of variance"
DATA = Path(scipy.stats.__file__).parent / "tests" / "data" / "nist_anova"
PROBLEMS = ("SiRstv", *(f"SmLs0{k}" for k in range(1, 10)), "AtmWtAg")
THIRTEEN_DIGITS = ("SmLs07", "SmLs08", "SmLs09")
LEADING = (
    "Every value begins with the same thirteen digits and double precision keeps about sixteen: the data are rounded "
    "when they are read. Exact rational arithmetic on the rounded data gives our values to six digits or more."
)
FACTOR = (
    "The data are rounded when they are read, which leaves about 4.5 digits. Our R squared loses one "
    "more: its total sum of squares is rounded relative to the mean of the response, not to its variation."
)
NUMBER = r"([-+]?\d\.\d+E[-+]\d+)"


def load(name):
    """The treatments, the responses and the certified values of a problem."""
    text = (DATA / f"{name}.dat").read_text(encoding="latin-1")
    between = re.search(rf"Between \w+\s+\d+\s+{NUMBER}\s+{NUMBER}\s+{NUMBER}", text)
    within = re.search(rf"Within \w+\s+\d+\s+{NUMBER}\s+{NUMBER}", text)
    r2 = re.search(rf"Certified R-Squared\s+{NUMBER}", text)
    sd = re.search(rf"Standard Deviation\s+{NUMBER}", text)
    first = int(re.search(r"Data\s+\(lines (\d+) to", text)[1])
    rows = np.array([line.split() for line in text.splitlines()[first - 1 :] if line.strip()], float)
    certified = {
        "sums of squares": [float(between[1]), float(within[1])],
        "F": float(between[3]),
        "R squared": float(r2[1]),
        "residual standard deviation": float(sd[1]),
    }
    return rows[:, 0].astype(int), rows[:, 1], certified


def checks():
    for name in PROBLEMS:
        treatment, response, certified = load(name)
        for quantity, call, ours in answers(treatment, response):
            reason = FACTOR if quantity == "R squared" else LEADING
            reason = reason if name in THIRTEEN_DIGITS else ""
            yield from compare(SOURCE, name, quantity, call, certified[quantity], ours, reason=reason)


def answers(treatment, response):
    groups = [response[treatment == level] for level in np.unique(treatment)]
    yield "F", "assess.anova(*groups)", anova(*groups).statistic
    model = lm("y ~ factor(treatment)", {"y": response, "treatment": treatment})
    table, facts = model.anova(), model.summary().facts
    yield "sums of squares", "lm('y ~ factor(treatment)').anova()", table["sum_sq"][:2]
    yield "F", "lm('y ~ factor(treatment)').anova()", table["F"][0]
    yield "R squared", "lm('y ~ factor(treatment)').summary()", facts["r2"]
    yield "residual standard deviation", "lm('y ~ factor(treatment)').summary()", facts["sigma"]
