"""R's lowess, influence measures and quantile regression, whose results statsmodels' tests keep and install."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import statsmodels
from statsmodels import datasets
from statsmodels.regression.tests.results import results_quantile_regression as quantile

from statlearn.linear import QuantileRegressor, influence
from statlearn.smooth import Loess
from verification.check import compare

SOURCE = "R, in statsmodels' tests"
ROOT = Path(statsmodels.__file__).parent
# The file, the column of R's answer, its robust iterations and its span.
LOWESS = (
    ("simple", "out", 3, 2 / 3),
    ("iter", "out_0", 0, 2 / 3),
    ("iter", "out_3", 3, 2 / 3),
    ("frac", "out_2_3", 3, 2 / 3),
    ("frac", "out_1_5", 3, 1 / 5),
    ("delta", "out_0", 3, 0.1),
)
INFLUENCE = {
    "hat": "leverage",
    "std.res": "standardized",
    "stud.res": "studentized",
    "cooks": "cooks_distance",
    "dfits": "dffits",
}
EVERY = 8  # one row in this many is compared: all of them would only swell the counts


def checks():
    yield from lowess()
    yield from influences()
    yield from quantiles()


def lowess():
    for name, column, iterations, span in LOWESS:
        table = pd.read_csv(ROOT / "nonparametric" / "tests" / "results" / f"test_lowess_{name}.csv")
        family = "symmetric" if iterations else "gaussian"
        options = {"span": span, "degree": 1, "family": family, "iterations": iterations + 1, "surface": "direct"}
        model = Loess(**options).fit(table[["x"]].to_numpy(float), table["y"].to_numpy())
        call = f"Loess(span={span:.3g}, degree=1, family='{family}', surface='direct')"
        yield from compare(SOURCE, f"lowess, {name}", column, call, table[column], model.fitted_values_)


def influences():
    expected = json.loads((ROOT / "stats" / "tests" / "results" / "influence_lsdiag_R.json").read_text("utf-8"))
    data = datasets.macrodata.load_pandas().data
    growth = {name: 400 * np.diff(np.log(data[name])) for name in ("realinv", "realgdp")}
    found = influence(np.column_stack([growth["realgdp"], data["realint"][:-1]]), growth["realinv"])
    yield from compare(SOURCE, "macrodata", "std.dev", "influence(X, y).sigma", expected["std.dev"], found.sigma)
    for name, attribute in INFLUENCE.items():
        call = f"influence(X, y).{attribute}"
        ours = getattr(found, attribute)[::EVERY]
        yield from compare(SOURCE, "macrodata", name, call, expected[name][::EVERY], ours)


def quantiles():
    data = datasets.engel.load_pandas().data
    X, y = data[["income"]], data["foodexp"]
    ours = QuantileRegressor(quantile=0.1, alpha=0.0).fit(X, y).predict(X)[::EVERY]
    call = "QuantileRegressor(quantile=0.1, alpha=0)"
    yield from compare(SOURCE, "engel", "fitted values", call, quantile.Rquantreg.fittedvalues[::EVERY], ours)
    for level, reference in ((0.5, quantile.biweight_hsheather), (0.75, quantile.epanechnikov_hsheather_q75)):
        model = QuantileRegressor(quantile=level, alpha=0.0).fit(X, y)
        call = f"QuantileRegressor(quantile={level}, alpha=0)"
        ours = [*model.coef_, model.intercept_]
        yield from compare("Stata, in statsmodels' tests", "engel", "coefficients", call, reference.table[:, 0], ours)
