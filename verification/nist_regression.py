"""NIST's Statistical Reference Datasets, linear regression: eleven problems with certified coefficients.

The data and the certified values are in the public domain: https://www.itl.nist.gov/div898/strd/lls/lls.shtml
"""

import json
import warnings
from pathlib import Path

import numpy as np

from statlearn.linear import LinearRegression
from verification.check import compare

SOURCE = "NIST StRD, linear regression"
DATA = Path(__file__).parent / "data" / "nist"
CERTIFIED = json.loads((DATA / "certified.json").read_text(encoding="utf-8"))
# Wampler's and Filippelli's problems are polynomials in one variable.
DEGREES = {"pontius": 2, "filip": 10, **{f"wampler{k}": 5 for k in range(1, 6)}}
THROUGH_THE_ORIGIN = ("noint1", "noint2")
FILIP = (
    "The ten powers are so nearly dependent that the default ``tol=1e-6`` counts seven of them as independent and "
    "says so in a warning; ``tol=1e-12`` keeps all ten and gives seven to eight digits."
)


def load(name):
    """The design matrix and the response of a problem."""
    table = np.loadtxt(DATA / f"{name}.csv", delimiter=",", skiprows=1)
    y, X = table[:, 0], table[:, 1:]
    if name in DEGREES:
        X = np.column_stack([X[:, 0] ** k for k in range(1, DEGREES[name] + 1)])
    return X, y


def fit(name, **options):
    X, y = load(name)
    return LinearRegression(fit_intercept=name not in THROUGH_THE_ORIGIN, **options).fit(X, y)


def coefficients(model):
    return np.r_[model.intercept_, model.coef_] if model.fit_intercept else model.coef_


def checks():
    for name, certified in CERTIFIED["coefficients"].items():
        reason, options = "", {}
        if name == "filip":
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # the rank; the page explains it
                found = coefficients(fit(name))
            yield from compare(SOURCE, name, "coefficients", "LinearRegression()", certified, found, reason=FILIP)
            options = {"tol": 1e-12}
        call = "LinearRegression(tol=1e-12)" if options else "LinearRegression()"
        model = fit(name, **options)
        yield from compare(SOURCE, name, "coefficients", call, certified, coefficients(model), reason=reason)
        if name in CERTIFIED["standard_deviations"]:
            errors = model.summary()["std_error"]
            certified = CERTIFIED["standard_deviations"][name]
            yield from compare(SOURCE, name, "standard errors", f"{call}.summary()", certified, errors)
