"""Poor, short or wrong input, over all smoothers: an error that names it, or the treatment that is documented."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import get_tags

import statlearn.smooth
from statlearn import all_estimators
from statlearn._core.warnings import RankWarning, SeparationWarning
from statlearn.smooth import (
    BRUTO,
    GAM,
    MARS,
    AdditiveModel,
    LocalLikelihood,
    LocalLogistic,
    LocalPolynomialRegressor,
    Loess,
    NadarayaWatson,
    ProjectionPursuitRegressor,
    RegressionSpline,
    SmoothingSpline,
    SplineTransformer,
    StepBasis,
    SuperSmoother,
    TensorProductSpline,
    ThinPlateBasis,
    ThinPlateSpline,
    VaryingCoefficientModel,
    df_to_lambda,
    factor,
    lin,
    match_df,
    re,
    s,
)
from tests.helpers import assert_close

NAMES = [name for name, cls in all_estimators() if cls.__module__.startswith("statlearn.smooth")]
PREDICTORS = [name for name in NAMES if hasattr(getattr(statlearn.smooth, name), "predict")]
FEW = np.resize([0.0, 1.0, 2.0, 3.0, 4.0], 40)[:, None]  # five distinct values


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    x = rng.uniform(size=(40, 1))
    return x, np.sin(5 * x[:, 0]) + 0.1 * rng.normal(size=40)


def made(name):
    return getattr(statlearn.smooth, name)()


def target(estimator, y):
    """The responses, or two classes that no threshold of them separates."""
    if get_tags(estimator).estimator_type != "classifier":
        return y
    classes = (y > np.median(y)).astype(int)
    classes[::7] = 1 - classes[::7]
    return classes


def means(x, y):
    """At each row the mean of the responses with the same x."""
    return np.array([y[x[:, 0] == value].mean() for value in x[:, 0]])


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_missing_and_infinite_values_raise_by_name(name, bad, rows):
    x, y = rows
    model, broken = made(name), x.copy()
    broken[3] = bad
    with pytest.raises(ValueError, match=r"X contains (NaN|infinity)"):
        model.fit(broken, target(model, y))
    if name in PREDICTORS:
        with pytest.raises(ValueError, match=r"[Xy] contains (NaN|infinity)"):
            model.fit(x, np.where(np.arange(40) == 3, bad, y))
        model = made(name).fit(x, target(made(name), y))
        with pytest.raises(ValueError, match=r"X contains (NaN|infinity)"):
            model.predict(broken)


# One row --------------------------------------------------------------------------------------------------------------

ONE_ROW_MEAN = [LocalPolynomialRegressor, NadarayaWatson, LocalLikelihood, SuperSmoother, ThinPlateSpline]


@pytest.mark.parametrize("smoother", ONE_ROW_MEAN)
def test_one_row_is_its_own_mean(smoother):
    assert_close(smoother().fit([[1.0]], [5.0]).predict([[1.0], [3.0]]), 5.0)


@pytest.mark.parametrize(
    "name", ["AdditiveModel", "BRUTO", "GAM", "Loess", "MARS", "ProjectionPursuitRegressor", "RegressionSpline",
             "SmoothingSpline", "SplineTransformer", "TensorProductSpline"],
)  # fmt: skip
def test_a_single_row_raises(name):
    with pytest.raises(ValueError, match=r"1 sample"):
        made(name).fit([[1.0]], [5.0])


# Few distinct values, ties --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "model",
    [
        RegressionSpline(df=30),
        RegressionSpline(df=30, basis="bspline"),
        ThinPlateSpline(lam=1e-12, n_knots=30),
        SmoothingSpline(lam=1e-12),
        GAM([s(0, 30, lam=1e-12)]),
        AdditiveModel(SmoothingSpline(lam=1e-12)),
        LocalPolynomialRegressor(bandwidth=0.5),
        TensorProductSpline(df=5),
    ],
    ids=repr,
)
def test_with_fewer_values_than_knots_the_curve_goes_through_their_means(model, rows):
    y = rows[1]
    assert_close(model.fit(FEW, y).predict(FEW), means(FEW, y), atol=1e-6)


def test_bases_have_no_more_functions_than_values():
    assert SplineTransformer(30, basis="natural", knots="quantile").fit(FEW).transform(FEW).shape[1] == 5
    assert StepBasis(30).fit_transform(FEW).shape[1] <= 8
    assert GAM([s(0, 30)]).fit(FEW, FEW[:, 0] ** 2).terms_[0].width == 4  # without its constant


@pytest.mark.parametrize("name", PREDICTORS)
def test_duplicated_values_are_met(name, rows):
    x, y = rows[0].round(1), rows[1]
    model = made(name)
    said = model.fit(x, target(model, y)).predict(x)
    assert np.isfinite(said).all()
    same = x[:, 0] == x[0, 0]
    assert np.ptp(said[same]) == 0


def test_two_values_make_no_smoothing_spline(rows):
    with pytest.raises(ValueError, match="at least 3 distinct values of X"):
        SmoothingSpline().fit(np.resize([0.0, 1.0], 40), rows[1])
    with pytest.raises(ValueError, match=r"s\(x0\): the feature must have at least 3 distinct values, got 2"):
        GAM([s(0)]).fit(np.resize([0.0, 1.0], 40)[:, None], rows[1])


# A constant column ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "smoother",
    [
        AdditiveModel, BRUTO, GAM, LocalPolynomialRegressor, Loess, NadarayaWatson, LocalLikelihood,
        ProjectionPursuitRegressor, RegressionSpline, VaryingCoefficientModel,
    ],
)  # fmt: skip
def test_a_constant_column_has_no_effect(smoother, rows):
    x, y = rows
    both = np.column_stack([x, np.full(40, 3.0)])
    # Their defaults depend on the number of columns.
    fixed = {VaryingCoefficientModel: dict(bandwidth=0.3), ProjectionPursuitRegressor: dict(n_terms=1, max_terms=1)}
    settings = fixed.get(smoother, {})
    model = smoother(**settings)
    if smoother in (AdditiveModel, GAM):
        with pytest.warns(RankWarning, match=r"\bx1\b") as caught:
            model.fit(both, y)
        assert len(caught) == 1
    else:
        model.fit(both, y)
    # Penalties by restricted likelihood settle to a few digits only.
    assert_close(model.predict(both), smoother(**settings).fit(x, y).predict(x), rtol=0, atol=5e-3)


@pytest.mark.parametrize(
    "model, words",
    [
        (RegressionSpline(), "of X is constant"),
        (TensorProductSpline(), "of X is constant"),
        (SmoothingSpline(), "at least 3 distinct values of X"),
        (GAM([s(0)]), r"s\(x0\): the feature must have at least 3 distinct values, got 1"),
    ],
    ids=repr,
)
def test_a_constant_column_alone_raises(model, words, rows):
    with pytest.raises(ValueError, match=words):
        model.fit(np.ones((40, 1)), rows[1])


def test_the_constant_column_is_named(rows):
    x, y = rows
    table = pd.DataFrame({"size": x[:, 0], "unit": 1.0})
    with pytest.raises(ValueError, match=r"column unit of X is constant"):
        SplineTransformer(basis="natural").fit(table)
    with pytest.raises(ValueError, match=r"column unit of X is constant"):
        RegressionSpline().fit(table[["unit"]], y)


@pytest.mark.parametrize(
    "smoother",
    [BRUTO, MARS, LocalPolynomialRegressor, NadarayaWatson, SuperSmoother, ThinPlateSpline, ProjectionPursuitRegressor],
)
def test_or_is_fitted_by_the_mean(smoother, rows):
    y = rows[1]
    assert_close(smoother().fit(np.ones((40, 1)), y).predict([[1.0]]), y.mean())


# Windows and degrees of freedom ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("span, degree, words", [(0.05, 2, "at least 0.1"), (0.02, 1, "at least 0.075")])
def test_a_span_too_small_for_the_degree_raises(span, degree, words, rows):
    with pytest.raises(ValueError, match=f"`span`={span} gives neighbourhoods of .* rows.*degree={degree}.*{words}"):
        Loess(span, degree).fit(*rows)


def test_windows_too_small_for_the_degree_have_a_lower_one(rows):
    x, y = rows
    apart = np.unique(x[:, 0], return_index=True)[1]
    alone = LocalPolynomialRegressor(bandwidth=1e-9, degree=2).fit(x[apart], y[apart])
    assert_close(alone.predict(x[apart]), y[apart])
    alone = VaryingCoefficientModel(bandwidth=1e-9, degree=2).fit(x[apart], y[apart])
    assert_close(alone.predict(x[apart]), y[apart])
    model = LocalLogistic(bandwidth=1e-9)
    with pytest.warns(SeparationWarning):
        said = model.fit(x, target(model, y)).predict(x)
    assert np.array_equal(said, target(model, y))
    with pytest.raises(ValueError, match="exceeds the 40 training rows"):
        LocalPolynomialRegressor(n_neighbors=41).fit(x, y).predict(x)


@pytest.mark.parametrize(
    "make",
    [
        lambda x, y: SmoothingSpline(df=40.5).fit(x, y),
        lambda x, y: SmoothingSpline(df=1.9).fit(x, y),
        lambda x, y: SmoothingSpline(df=5.5).fit(FEW, y),
        lambda x, y: df_to_lambda(FEW[:, 0], 5.5),
        lambda x, y: ThinPlateSpline(df=1.0).fit(x, y),
        lambda x, y: ThinPlateSpline(df=30).fit(FEW, y),
        lambda x, y: RegressionSpline(df=0).fit(x, y),
        lambda x, y: SplineTransformer(df=2).fit(x),
        lambda x, y: AdditiveModel(SmoothingSpline(10)).fit(FEW, y),
        lambda x, y: match_df(LocalPolynomialRegressor(), x, 50.0),
        lambda x, y: ProjectionPursuitRegressor(df=2, smoother="spline").fit(x, y),
        lambda x, y: BRUTO(max_df=0.5).fit(x, y),
    ],
)
def test_degrees_of_freedom_out_of_range_raise(make, rows):
    with pytest.raises(ValueError, match=r"df|degrees of freedom"):
        make(*rows)


def test_a_basis_too_small_raises(rows):
    with pytest.raises(ValueError, match=r"s\(x0\): k must be at least 3, got 1"):
        GAM([s(0, 1)]).fit(*rows)


# Beyond the rows ------------------------------------------------------------------------------------------------------

OUTSIDE = np.array([[-1.0], [-2.0], [-3.0]])


@pytest.mark.parametrize(
    "smoother",
    [AdditiveModel, BRUTO, GAM, MARS, ProjectionPursuitRegressor, RegressionSpline, SmoothingSpline,
     TensorProductSpline, ThinPlateSpline],
)  # fmt: skip
def test_curves_continue_as_lines(smoother, rows):
    x, y = rows
    model = smoother().fit(x, y)
    end, step = x.min(), 1e-4
    slope = (model.predict([[end]])[0] - model.predict([[end - step]])[0]) / step
    assert_close(model.predict(OUTSIDE), model.predict([[end]])[0] + slope * (OUTSIDE[:, 0] - end), rtol=1e-6)


@pytest.mark.parametrize("smoother", [Loess, SuperSmoother])
def test_curves_that_stay_at_their_last_value(smoother, rows):
    x, y = rows
    model = smoother().fit(x, y)
    assert_close(model.predict(OUTSIDE), np.repeat(model.predict([[x.min()]]), 3))


@pytest.mark.parametrize(
    "model",
    [Loess(extrapolation="error"), RegressionSpline(extrapolation="error"), TensorProductSpline(extrapolation="error")],
    ids=repr,
)
def test_extrapolation_can_raise(model, rows):
    model.fit(*rows)
    with pytest.raises(ValueError, match=r"(?i)beyond|outside|bounds"):
        model.predict(OUTSIDE)


def test_kernel_averages_far_away_match_the_nearest_rows(rows):
    x, y = rows
    nearest = y[np.argmin(x[:, 0])]
    for smoother in (NadarayaWatson, LocalPolynomialRegressor, VaryingCoefficientModel):
        assert_close(smoother(bandwidth=0.2).fit(x, y).predict(OUTSIDE), nearest)


# Factors and concurvity -----------------------------------------------------------------------------------------------


def grouped(rows):
    return pd.DataFrame({"x": rows[0][:, 0], "g": ["a"] * 20 + ["b"] * 19 + ["c"]})


def test_a_level_with_one_row_has_a_separate_effect(rows):
    """That row is fitted exactly, the others as if it were not there; a random effect draws it to the rest."""
    table, y = grouped(rows), rows[1]
    model = GAM([s("x"), factor("g")], method="gcv").fit(table, y)
    assert_close(model.predict(table)[-1], y[-1])
    without = GAM([s("x", lam=float(model.lam_[0])), factor("g")]).fit(table[:-1], y[:-1])
    assert_close(model.predict(table)[:-1], without.predict(table[:-1]), atol=2e-2)
    for terms in ([s("x"), re("g")], [s("x", by="g")]):
        assert np.isfinite(GAM(terms).fit(table, y).predict(table)).all()
    with pytest.raises(ValueError, match="column 'g' contains a level that was not seen in fit"):
        model.predict(table.assign(g="z"))


def test_dependent_columns_warn(rows):
    x, y = rows
    twice = np.column_stack([x, 2 * x])
    with pytest.warns(RankWarning, match=r"2 coefficients are not identifiable \(x0, x1\)"):
        model = GAM([lin(0), lin(1)]).fit(twice, y)
    assert_close(model.predict(twice), np.polyval(np.polyfit(x[:, 0], y, 1), x[:, 0]))
    assert_close(model.edf_.sum(), 1.0, rtol=1e-6)
    near = np.column_stack([x, x + 1e-3 * np.resize([-1.0, 0.0, 1.0], 40)[:, None]])
    close = GAM([s(0), s(1)]).fit(near, y)
    assert min(close.concurvity().columns["worst"]) > 0.999
    with pytest.warns(ConvergenceWarning, match="nearly functions of each other"):
        AdditiveModel(max_iter=20).fit(near, y)


@pytest.mark.parametrize("family", ["gaussian", "poisson", "gamma"])
def test_coefficients_of_copies_match_smallest_norm(family):
    rng = np.random.default_rng(0)
    x = rng.uniform(size=(200, 2))
    y = rng.poisson(np.exp(x[:, 0] + x[:, 1])) + 0.5 * (family == "gamma")
    single = GAM([lin(0), lin(1)], family=family, link="log").fit(x, y)
    with pytest.warns(RankWarning, match=r"2 coefficients are not identifiable \(x0, x2\)"):
        double = GAM([lin(0), lin(1), lin(2)], family=family, link="log").fit(x[:, [0, 1, 0]], y)
    halves = single.coef_[1] / 2
    assert_close(double.coef_, [single.coef_[0], halves, single.coef_[2], halves], rtol=1e-6)
    assert_close(2 * double.covariance_[1, 1] ** 0.5, single.covariance_[1, 1] ** 0.5, rtol=1e-6)
    assert_close(double.edf_, [0.5, 1.0, 0.5], rtol=1e-6)


@pytest.mark.parametrize("terms", ["x + s(x)", "C(g) + s(x) + s(x, by=g)"])
def test_terms_that_contain_each_other_are_fitted_with_a_warning(terms):
    rng = np.random.default_rng(3)
    table = pd.DataFrame({"x": rng.uniform(size=300), "g": rng.choice(["a", "b", "c"], 300)})
    y = np.sin(7 * table["x"]) + (table["g"] == "b") * table["x"] + 0.3 * rng.normal(size=300)
    for method in ("gcv", "reml"):
        with pytest.warns(RankWarning, match="not identifiable") as caught:
            model = GAM(terms, method=method).fit(table, y)
        assert len(caught) == 1  # the smoothing parameters settle
        p = model.summary().tables[0].columns["p"]
        assert np.all((p >= 0) & (p <= 1))
        # Against the same functions said once.
        once = GAM("s(x)" if terms == "x + s(x)" else "C(g) + s(x, by=g)", method=method).fit(table, y)
        assert model.deviance_ == pytest.approx(once.deviance_, rel=0.05)
        if method == "gcv":
            assert model.score_ <= once.score_ * (1 + 1e-6)


@pytest.mark.parametrize("smoother", [BRUTO, ProjectionPursuitRegressor])
def test_a_second_copy_of_a_column_changes_little(smoother, rows):
    x, y = rows
    model = smoother().fit(np.column_stack([x, x]), y)
    assert_close(model.predict(np.column_stack([x, x])), smoother().fit(x, y).predict(x), rtol=0, atol=0.1)


@pytest.mark.parametrize("model", [GAM(family="binomial"), AdditiveModel(family="binomial")])
def test_labels_are_for_classifiers(model, rows):
    X, y = rows[0], np.where(np.arange(len(rows[0])) % 2, "a", "b")
    with pytest.raises(ValueError, match="for class labels use a classifier"):
        model.fit(X, y)


# Sizes ----------------------------------------------------------------------------------------------------------------

SIZED = [
    LocalLikelihood, LocalLogistic, LocalPolynomialRegressor, Loess, MARS, NadarayaWatson, ProjectionPursuitRegressor,
    RegressionSpline, SmoothingSpline, SuperSmoother, TensorProductSpline, ThinPlateSpline, VaryingCoefficientModel,
]  # fmt: skip


@pytest.mark.parametrize("smoother", SIZED)
def test_numbers_whose_powers_overflow_raise(smoother, rows):
    x, y = rows
    y = target(smoother(), y)
    with pytest.raises(ValueError, match="rescale X"):
        smoother().fit(1e200 * x, y)
    with pytest.raises(ValueError, match="rescale X"):
        smoother().fit(1e-200 * x, y)
    if smoother not in (LocalLogistic, TensorProductSpline):
        with pytest.raises(ValueError, match="rescale y"):
            smoother().fit(x, 1e200 * y)


@pytest.mark.parametrize("smoother", [cls for cls in SIZED if cls is not LocalLogistic])
@pytest.mark.parametrize("unit", [1e-45, 1e45])
def test_units_do_not_matter_up_to_there(smoother, unit, rows):
    x, y = rows
    unit = max(unit, 1e-19) if smoother is Loess else unit
    settings = {"n_neighbors": 15} if "n_neighbors" in smoother().get_params() else {}
    expected = smoother(**settings).fit(x, y).predict(x)
    assert_close(smoother(**settings).fit(unit * x, 1 / unit * y).predict(unit * x) * unit, expected, atol=1e-6)


# Sizes that powers cannot hold ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("estimator", [GAM(), ThinPlateBasis()], ids=lambda e: type(e).__name__)
@pytest.mark.parametrize("factor, words", [(1e-310, "range of only"), (1e-200, "range of only"), (1e200, "overflow")])
def test_columns_out_of_all_proportion_raise(estimator, factor, words, rows):
    x, y = rows
    with pytest.raises(ValueError, match=f"X .*{words}.*; rescale X"):
        clone(estimator).fit(factor * x, y)


def test_a_link_that_the_mean_does_not_have_raises(rows):
    with pytest.raises(ValueError, match=r"`link`='cloglog' is undefined at 2\.5"):
        LocalLikelihood(link="cloglog").fit(rows[0], np.full(40, 2.5))


@pytest.mark.parametrize(
    "estimator",
    [BRUTO(), ProjectionPursuitRegressor(n_terms=1), LocalPolynomialRegressor(), RegressionSpline()],
    ids=lambda e: type(e).__name__,
)
def test_predictions_beyond_single_precision_are_double(estimator, rows):
    x, y = rows
    predicted = clone(estimator).fit(x, 1e90 * y).predict(x.astype(np.float32))
    assert predicted.dtype == np.float64
    assert_close(predicted, 1e90 * clone(estimator).fit(x, y).predict(x), rtol=1e-4, atol=1e84)
