"""Thin-plate splines."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.interpolate import RBFInterpolator
from scipy.spatial.distance import cdist

from statlearn.assess import gcv_score, loo_shortcut
from statlearn.smooth import SmoothingSpline, ThinPlateSpline
from statlearn.smooth.splines._thin_plate import radial, spread_points
from tests.helpers import assert_close


def dense_system(X, y, lam):
    """[[E + lam I, T], [T', 0]] (alpha, beta) = (y, 0)."""
    n, p = X.shape
    E, T = radial(cdist(X, X), p), np.column_stack([np.ones(n), X])
    A = np.block([[E + lam * np.eye(n), T], [T.T, np.zeros((p + 1, p + 1))]])
    solution = np.linalg.solve(A, np.concatenate([y, np.zeros(p + 1)]))
    return solution[:n], solution[n:], E @ solution[:n] + T @ solution[n:]


@pytest.mark.spec("SMT-14")
@pytest.mark.parametrize("lam", [1e-3, 0.1, 10.0])
@pytest.mark.parametrize("scale", [1.0, 30.0])
def test_solves_the_bordered_system(lam, scale, rng):
    X, y = scale * (5 + rng.uniform(size=(50, 2))), rng.normal(size=50)
    alpha, beta, fitted = dense_system(X, y, lam)
    surface = ThinPlateSpline(lam=lam).fit(X, y)
    assert_close(surface.predict(X), fitted, atol=1e-7)
    assert_close(surface.predict(X), radial(cdist(X, surface.knots_), 2) @ surface.alpha_ + surface.intercept_
                 + X @ surface.slope_, atol=1e-6)  # fmt: skip
    order = np.lexsort(X.T[::-1])
    assert_close(surface.knots_, X[order])
    assert_close(surface.alpha_, alpha[order], rtol=1e-5, atol=1e-5 * np.abs(alpha).max())
    assert_close(surface.slope_, beta[1:], rtol=1e-5, atol=1e-6)


@pytest.mark.spec("SMT-P7")
@given(st.integers(0, 10**6), st.integers(2, 3))
def test_affine_functions_are_free_and_side_conditions_hold(seed, p):
    rng = np.random.default_rng(seed)
    X = rng.uniform(size=(30, p))
    affine = 2.0 - X @ np.arange(1.0, p + 1)
    flat = ThinPlateSpline(lam=1e6).fit(X, affine)
    assert_close(flat.predict(X), affine, atol=1e-8)
    assert_close(flat.df_, p + 1, atol=1e-3)
    y = rng.normal(size=30)
    through = ThinPlateSpline(lam=0.0).fit(X, y)
    assert_close(through.predict(X), y, atol=1e-6)
    bent = ThinPlateSpline(lam=0.01).fit(X, y)
    for surface in (through, bent):
        size = np.abs(surface.alpha_).sum()
        assert_close(surface.alpha_.sum() / size, 0.0, atol=1e-9)
        assert_close(surface.knots_.T @ surface.alpha_ / size, 0.0, atol=1e-9)


def test_interpolation_agrees_with_scipy(rng):
    X, y, new = rng.uniform(size=(40, 2)), rng.normal(size=40), rng.uniform(-0.2, 1.2, size=(20, 2))
    scipys = RBFInterpolator(X, y, kernel="thin_plate_spline", degree=1)(new)
    assert_close(ThinPlateSpline(lam=0.0).fit(X, y).predict(new), scipys, rtol=1e-5, atol=1e-5)


def test_one_column_is_the_smoothing_spline(rng):
    """The penalties differ by a constant factor: the same curves at the same degrees of freedom."""
    x, y = rng.uniform(size=40), rng.normal(size=40)
    for df in (3.0, 7.5, 20.0):
        a, b = ThinPlateSpline(df=df).fit(x[:, None], y), SmoothingSpline(df=df).fit(x, y)
        assert_close(a.predict(x[:, None]), b.predict(x), atol=1e-6)
        assert_close(a.leverage_, b.leverage_, atol=1e-7)
        assert_close([a.loo_, a.gcv_, a.sigma2_], [b.loo_, b.gcv_, b.sigma2_], rtol=1e-6)


def test_scores_and_choice(rng):
    X = rng.uniform(size=(120, 2))
    y = np.sin(4 * X[:, 0]) * np.cos(3 * X[:, 1]) + 0.1 * rng.normal(size=120)
    best = ThinPlateSpline().fit(X, y)
    assert_close(best.gcv_, gcv_score(best, y, X))
    assert_close(best.loo_, loo_shortcut(best, y, X))
    for factor in (0.1, 0.9, 1.1, 10):
        assert ThinPlateSpline(lam=factor * best.lam_).fit(X, y).gcv_ > best.gcv_
    assert_close(ThinPlateSpline(df=12).fit(X, y).df_, 12)
    std = best.predict([[0.5, 0.5], [3.0, 3.0]], return_std=True)[1]
    assert std[1] > 10 * std[0]
    # At the rows the variance of the Bayesian model is that of the noise times the diagonal of the smoother.
    leverage = np.diag(best.smoother_matrix(X))
    assert_close(best.predict(X, return_std=True)[1], np.sqrt(best.sigma2_ * leverage), rtol=1e-6)


def test_few_knots_come_close_to_all(rng):
    X = rng.uniform(size=(400, 2))
    f = np.sin(4 * X[:, 0]) * np.cos(3 * X[:, 1])
    y = f + 0.1 * rng.normal(size=400)
    full, low = ThinPlateSpline(n_knots=None).fit(X, y), ThinPlateSpline(n_knots=60).fit(X, y)
    assert len(full.knots_) == 400
    assert len(low.knots_) == 60
    assert np.mean((low.predict(X) - full.predict(X)) ** 2) < 1e-4
    assert np.mean((low.predict(X) - f) ** 2) < 0.1**2 / 5


def test_knots_are_spread(rng):
    X = rng.normal(size=(300, 2))
    chosen = spread_points(X, 20)
    assert len(set(chosen)) == 20
    gaps = cdist(X[chosen], X[chosen]) + 10 * np.eye(20)
    assert (
        gaps.min() >= cdist(X, X[chosen]).min(axis=1).max()
    )  # nobody is farther from the knots than they from another


def test_weights_and_duplicates_are_copies(rng):
    X, y, w = rng.uniform(size=(40, 2)), rng.normal(size=40), rng.integers(0, 4, size=40)
    rows = np.repeat(np.arange(40), w)
    a = ThinPlateSpline(n_knots=15).fit(X, y, sample_weight=w)
    b = ThinPlateSpline(n_knots=15).fit(X[rows], y[rows])
    assert_close(a.predict(X), b.predict(X), atol=1e-6)
    assert_close([a.df_, a.gcv_, a.loo_], [b.df_, b.gcv_, b.loo_], rtol=1e-6)


@pytest.mark.parametrize(
    "settings, words", [(dict(df=5, lam=1.0), "not both"), (dict(df=2), "between"), (dict(df=30), "between")]
)
def test_bad_settings_raise(settings, words, rng):
    with pytest.raises(ValueError, match=words):
        ThinPlateSpline(**settings).fit(rng.uniform(size=(20, 2)), rng.normal(size=20))
