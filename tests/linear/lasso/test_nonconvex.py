import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from scipy.integrate import quad
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import Lasso as PeerLasso

from statlearn._core import native
from statlearn.linear import NonconvexRegressor, NonconvexRegressorCV, nonconvex_path
from tests.helpers import assert_close

KIND = {"mcp": 0, "scad": 1}


def slope(penalty, t, alpha, gamma):
    """P'(t) of the docstring, literally."""
    if penalty == "mcp":
        return max(alpha - t / gamma, 0.0)
    return alpha if t <= alpha else max(gamma * alpha - t, 0.0) / (gamma - 1)


def value(penalty, w, alpha, gamma):
    return sum(native.linear.concave_penalty(KIND[penalty], b, alpha, gamma) for b in w)


def objective(X, y, w, b, penalty, alpha, gamma):
    return np.mean((y - b - X @ w) ** 2) / 2 + value(penalty, w, alpha, gamma)


@given(st.sampled_from(["mcp", "scad"]), st.floats(0, 6), st.floats(0.1, 2), st.floats(2.1, 6))
def test_penalty_is_the_integral_of_its_slope(penalty, t, alpha, gamma):
    kinks = [k for k in (alpha, gamma * alpha) if 0 < k < t]
    exact = quad(lambda u: slope(penalty, u, alpha, gamma), 0, t, points=kinks or None)[0] if t > 0 else 0.0
    assert_close(native.linear.concave_penalty(KIND[penalty], -t, alpha, gamma), exact, atol=1e-9)


@given(st.sampled_from(["mcp", "scad"]), st.floats(-6, 6), st.floats(0.05, 4), st.floats(0.1, 2), st.floats(2.1, 6))
def test_threshold_is_the_global_minimum_in_one_coefficient(penalty, z, v, alpha, gamma):
    def f(b):
        return v * b * b / 2 - z * b + native.linear.concave_penalty(KIND[penalty], b, alpha, gamma)

    found = native.linear.concave_threshold(KIND[penalty], z, v, alpha, gamma)
    grid = np.linspace(-6 / v - 1, 6 / v + 1, 4001)
    assert f(found) <= min(f(b) for b in grid) + 1e-12


def test_soft_firm_and_no_shrinkage_on_a_standardised_column():
    # Breheny & Huang (2011), section 2: the univariate solutions for v = 1, alpha = 1.
    def mcp(z):
        return native.linear.concave_threshold(0, z, 1.0, 1.0, 3.0)

    def scad(z):
        return native.linear.concave_threshold(1, z, 1.0, 1.0, 3.7)

    assert mcp(0.9) == 0.0
    assert_close([mcp(2.0), mcp(-2.0), mcp(4.0)], [1.5, -1.5, 4.0], atol=0)
    assert_close(
        [scad(0.9), scad(1.5), scad(3.0), scad(4.0)], [0.0, 0.5, (3.0 - 3.7 / 2.7) / (1 - 1 / 2.7), 4.0], atol=0
    )


@pytest.mark.parametrize("penalty", ["mcp", "scad"])
@given(st.integers(0, 10**6), st.booleans(), st.booleans())
def test_stationary_and_locally_minimal(penalty, seed, standardize, wide):
    rng = np.random.default_rng(seed)
    n, p = (15, 30) if wide else (50, 8)
    X = rng.normal(size=(n, p)) * rng.uniform(0.5, 2.0, size=p) + 1.0
    y = X[:, :3] @ [2.0, -1.0, 1.0] + 0.5 * rng.normal(size=n)
    gamma = 3.0 if penalty == "mcp" else 3.7
    model = NonconvexRegressor(0.3, penalty=penalty, standardize=standardize, tol=1e-10, max_iter=10**6).fit(X, y)
    Z = X - X.mean(axis=0)
    scale = Z.std(axis=0) if standardize else np.ones(p)
    Z = Z / scale
    w = model.coef_ * scale
    gradient = Z.T @ (y - y.mean() - Z @ w) / n
    for g, b in zip(gradient, w):
        if b == 0:
            assert abs(g) <= 0.3 + 1e-7 or not standardize  # with v < 1/gamma a column may stay out longer
        else:
            assert_close(g, np.sign(b) * slope(penalty, abs(b), 0.3, gamma), atol=1e-6)
    best = objective(Z, y - y.mean(), w, 0.0, penalty, 0.3, gamma)
    for j in range(p):  # no better value of any single coefficient
        for delta in (-0.5, -0.01, 0.01, 0.5):
            moved = w.copy()
            moved[j] += delta
            assert objective(Z, y - y.mean(), moved, 0.0, penalty, 0.3, gamma) >= best - 1e-9


@pytest.mark.parametrize("penalty", ["mcp", "scad"])
def test_large_gamma_is_the_lasso_and_strong_signals_are_not_shrunk(penalty, rng):
    X = rng.normal(size=(200, 6))
    y = X @ [5.0, -4.0, 0, 0, 0, 0] + 0.5 * rng.normal(size=200)
    lasso = PeerLasso(0.3, tol=1e-12).fit(X, y)
    wide = NonconvexRegressor(0.3, penalty=penalty, gamma=1e8, standardize=False, tol=1e-10).fit(X, y)
    assert_close(wide.coef_, lasso.coef_, atol=1e-6)
    oracle = np.linalg.lstsq(np.column_stack([np.ones(200), X[:, :2]]), y, rcond=None)[0][1:]
    model = NonconvexRegressor(0.3, penalty=penalty, tol=1e-10).fit(X, y)
    np.testing.assert_array_equal(np.flatnonzero(model.coef_), [0, 1])
    assert_close(model.coef_[:2], oracle, atol=1e-7)
    assert model.locally_convex_


def test_path_is_warm_started_and_convexity_is_reported(rng):
    X = rng.normal(size=(30, 60))
    y = X[:, :3] @ [3.0, -2.0, 2.0] + rng.normal(size=30)
    X, y = X - X.mean(axis=0), y - y.mean()
    alphas, coefs, convex = nonconvex_path(X, y, gamma=3.0, tol=1e-9)
    assert not coefs[:, 0].any()
    assert convex[0]
    assert not convex[-1]
    for k in range(99):
        on = (coefs[:, k] != 0) | (coefs[:, k + 1] != 0)
        block = X[:, on] / np.sqrt(np.mean(X[:, on] ** 2, axis=0))
        exact = not on.any() or (on.sum() < 30 and np.linalg.eigvalsh(block.T @ block / 30)[0] > 1 / 3)
        assert convex[k] == exact
    k = 30
    single = NonconvexRegressor(alphas[k], n_alphas=k + 1, tol=1e-9).fit(X, y)
    assert_close(single.coef_, coefs[:, k], atol=1e-6)


def test_cross_validation_and_penalty_scales(rng):
    X = rng.normal(size=(100, 10))
    y = X[:, :2] @ [2.0, -1.0] + rng.normal(size=100)
    model = NonconvexRegressorCV(penalty="scad", cv=4, alphas=30).fit(X, y)
    assert {0, 1} <= set(np.flatnonzero(model.coef_))
    assert model.alpha_ == model.alphas_[np.argmin(model.mse_path_.mean(axis=1))]
    assert model.mse_path_.shape == (30, 4)
    one_se = NonconvexRegressorCV(penalty="scad", cv=4, alphas=30, rule="one_se").fit(X, y)
    assert one_se.alpha_ >= model.alpha_
    half = NonconvexRegressorCV(penalty="scad", cv=4, alphas=30, penalty_scale="half_rss", n_jobs=2).fit(X, y)
    assert_close(half.alpha_, 100 * model.alpha_, atol=0)
    np.testing.assert_array_equal(half.coef_, model.coef_)


@given(st.integers(0, 10**6))
def test_weights_count_copies(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(30, 4))
    y = X @ [2.0, 0.0, -1.0, 0.0] + 0.5 * rng.normal(size=30)
    w = rng.integers(0, 4, size=30)
    a = NonconvexRegressor(0.2, tol=1e-10).fit(X, y, sample_weight=w)
    b = NonconvexRegressor(0.2, tol=1e-10).fit(np.repeat(X, w, axis=0), np.repeat(y, w))
    assert_close(a.coef_, b.coef_, atol=1e-7)


def test_bad_arguments_are_named(rng):
    X, y = rng.normal(size=(20, 3)), rng.normal(size=20)
    with pytest.raises(ValueError, match="gamma"):
        NonconvexRegressor(penalty="scad", gamma=1.5).fit(X, y)
    with pytest.raises(ValueError, match="alphas"):
        nonconvex_path(X, y, alphas=[])
    with pytest.warns(ConvergenceWarning, match="max_iter"):
        NonconvexRegressor(1e-4, max_iter=1, tol=1e-12).fit(X, y)


@pytest.mark.parametrize("penalty", ["mcp", "scad"])
@pytest.mark.parametrize("standardize", [True, False])
def test_sparse_equals_dense(rng, penalty, standardize):
    X = np.where(rng.random((60, 12)) < 0.4, rng.normal(size=(60, 12)) + 1.0, 0.0)
    y = X[:, :3] @ [2.0, -1.0, 0.5] + 0.3 * rng.normal(size=60)
    X[:, 5] = 0.0
    S, w = sparse.csc_array(X), rng.integers(0, 3, size=60).astype(float)
    settings = dict(penalty=penalty, standardize=standardize, tol=1e-10)
    for fit_intercept in (True, False):
        dense = NonconvexRegressor(0.1, fit_intercept=fit_intercept, **settings).fit(X, y, sample_weight=w)
        kept = NonconvexRegressor(0.1, fit_intercept=fit_intercept, **settings).fit(S, y, sample_weight=w)
        assert_close(kept.coef_, dense.coef_, atol=1e-7)
        assert_close(kept.intercept_, dense.intercept_, atol=1e-7)
        assert kept.locally_convex_ == dense.locally_convex_
    for a, b in zip(nonconvex_path(X, y, n_alphas=8, **settings), nonconvex_path(S, y, n_alphas=8, **settings)):
        assert_close(a, b, atol=1e-7)
    dense, kept = (NonconvexRegressorCV(cv=3, alphas=10, **settings).fit(A, y) for A in (X, S))
    assert_close(kept.mse_path_, dense.mse_path_, rtol=1e-5, atol=0)
