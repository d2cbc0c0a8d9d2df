"""Noise variances and prediction errors of smoothers."""

import numpy as np
import pytest

from statlearn.smooth import (
    LocalPolynomialRegressor,
    RegressionSpline,
    SmoothingSpline,
    ThinPlateSpline,
    VaryingCoefficientModel,
)
from statlearn.smooth._smoother_scores import noise_variance


def test_the_noise_variance_is_undefined_without_residual_degrees_of_freedom():
    assert noise_variance(6.0, 3.0, 10.0) == 2.0
    assert np.isnan(noise_variance(1e-30, 0.0, 10.0))
    assert np.isnan(noise_variance(1e-30, 1e-14, 10.0))  # n - df, by rounding


@pytest.mark.parametrize(
    "model",
    [
        SmoothingSpline(lam=1e-60),
        ThinPlateSpline(lam=1e-60),
        RegressionSpline(df=8),
        LocalPolynomialRegressor(bandwidth=0.01, degree=0),
        VaryingCoefficientModel(bandwidth=0.01, degree=0),
    ],
    ids=lambda model: type(model).__name__,
)
def test_an_interpolating_fit_has_no_noise_variance(model, seed):
    x, y = np.linspace(0, 1, 8)[:, None], np.random.default_rng(seed).normal(size=8)
    model.fit(x, y)
    assert np.allclose(model.predict(x), y)
    assert np.isnan(model.sigma2_)
    assert model.gcv_ == model.loo_ == np.inf
