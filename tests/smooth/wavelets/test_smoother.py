"""Wavelet shrinkage."""

import numpy as np
import pytest

from statlearn.linear import Lasso
from statlearn.smooth import SmoothingSpline, WaveletBasis, WaveletSmoother
from statlearn.smooth.wavelets._smoother import bayes_threshold, sure_threshold, universal_threshold
from tests.helpers import assert_close


def blocks(t):
    places = np.array([0.1, 0.13, 0.15, 0.23, 0.25, 0.4, 0.44, 0.65, 0.76, 0.78, 0.81])
    heights = np.array([4, -5, 3, -4, 5, -4.2, 2.1, 4.3, -3.1, 2.1, -4.2])
    return (t[:, None] >= places) @ heights


@pytest.mark.spec("CRS-77")
def test_universal_threshold_and_noise_match_donoho_and_johnstone(rng):
    assert round(universal_threshold(1.0, 1024), 4) == 3.7233
    y = rng.normal(0, 2.0, 1024)
    curve = WaveletSmoother().fit(np.arange(1024.0), y)
    finest = WaveletBasis("sym8").fit_transform(y[None])[0, 512:]
    assert_close(curve.sigma_, np.median(np.abs(finest)) / 0.6745)
    assert_close(curve.thresholds_, 3.7232988 * curve.sigma_, rtol=1e-6)  # printed digits
    assert curve.level_ == 6


@pytest.mark.spec("CRS-77")
def test_soft_thresholds_are_the_lasso_in_the_orthonormal_basis(rng):
    n = 32
    y = blocks(np.arange(n) / n) + rng.normal(size=n)
    curve = WaveletSmoother(0.8, wavelet="db2", level=5).fit(np.arange(n), y)
    W = WaveletBasis("db2", level=5).fit(y[None]).components_
    free = W[:1].T  # averages are not penalised: they are orthogonal to the details, and removed first
    rest = y - free @ (free.T @ y)
    lasso = Lasso(alpha=0.8 / n, fit_intercept=False, tol=1e-14).fit(W[1:].T, rest)
    assert_close(curve.coefficients_[1:], lasso.coef_, atol=1e-7)  # the lasso stops at its own tolerance
    assert_close(curve.values_, free @ (free.T @ y) + lasso.predict(W[1:].T), atol=1e-7)


def test_sure_threshold_minimises_steins_estimate_of_the_risk(rng):
    theta = np.where(rng.uniform(size=256) < 0.4, 5.0, 0.0)
    d = theta + rng.normal(size=256)
    t = sure_threshold(d, 1.0)

    def risk(t):
        return len(d) - 2 * np.sum(np.abs(d) <= t) + np.sum(np.minimum(np.abs(d), t) ** 2)

    assert risk(t) <= min(risk(s) for s in np.linspace(0, np.sqrt(2 * np.log(256)), 500)) + 1e-9
    assert_close(sure_threshold(rng.normal(size=256), 1.0), np.sqrt(2 * np.log(256)))  # looks like noise


def test_bayes_threshold_is_the_noise_variance_over_the_signal():
    assert_close(bayes_threshold(np.array([3.0, -1.0, 1.0, 3.0]), 1.0), 1.0 / 2.0)  # mean square 5, less 1
    assert bayes_threshold(np.array([0.1, -0.2]), 1.0) == 0.2


@pytest.mark.spec("CRS-77")
@pytest.mark.parametrize("settings", [
    {"threshold": "sure"}, {"threshold": "bayes"}, {"threshold": "cv"}, {"threshold": "cv", "mode": "hard"},
    {"mode": "hard"},
])  # fmt: skip
def test_jumps_are_fitted_better_than_by_a_smoothing_spline(settings, rng):
    t = np.arange(1024) / 1024
    truth = 7 * blocks(t) / blocks(t).std()
    y = truth + rng.normal(size=1024)
    curve = WaveletSmoother(wavelet="haar", **settings).fit(t, y)
    spline = SmoothingSpline().fit(t, y)
    assert abs(curve.sigma_ - 1.0) < 0.15
    assert np.mean((curve.predict(t) - truth) ** 2) < 0.6 * np.mean((spline.predict(t) - truth) ** 2)


def test_no_threshold_reproduces_the_data_of_any_length(rng):
    x, y = rng.permutation(37.0 * np.arange(37)), rng.normal(size=37)
    for mode in ("soft", "hard"):
        assert_close(WaveletSmoother(0.0, mode=mode, wavelet="db3").fit(x, y).predict(x), y)
    flat = WaveletSmoother(1e6, wavelet="haar", level=5).fit(np.arange(32), y[:32])
    assert_close(flat.predict([0.0, 31.0, 99.0]), y[:32].mean())


def test_weights_are_copies_and_rows_of_one_x_are_averaged(rng):
    x, y, w = rng.integers(0, 40, 60).astype(float), rng.normal(size=60), rng.integers(0, 3, 60)
    a = WaveletSmoother("cv", wavelet="haar").fit(x, y, sample_weight=w)
    b = WaveletSmoother("cv", wavelet="haar").fit(np.repeat(x, w), np.repeat(y, w))
    assert_close(a.values_, b.values_)


def test_impossible_settings_are_named():
    x = np.arange(6.0)
    with pytest.raises(ValueError, match="`threshold`='sure' requires `mode`='soft'"):
        WaveletSmoother("sure", mode="hard").fit(x, x)
    with pytest.raises(ValueError, match="`threshold`='cv' requires at least 8 distinct x"):
        WaveletSmoother("cv").fit(x, x)
    with pytest.raises(ValueError, match="`level`=9 requires at least 256 distinct x, got 6"):
        WaveletSmoother(level=9).fit(x, x)
