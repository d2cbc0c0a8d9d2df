"""Values of R 4.2.2: nlme 3.1-162 (generalised least squares with correlated errors) and mgcv 1.8-41 (GP smooths)."""

import numpy as np
import pytest

from statlearn import gp
from statlearn.gp import GaussianProcessRegressor
from tests.helpers import assert_close


@pytest.mark.spec("GPR-03", "GPR-11")
def test_a_constant_mean_with_gaussian_correlation_and_nugget_matches_nlme():
    # i <- 0:19; x <- i/19; z <- (7*i) %% 20 / 19; y <- sin(6*x) + 0.5*z^2 + 0.1*cos(37*i)
    # gls(y ~ 1, correlation=corGaus(form=~x+z, nugget=TRUE), method="ML",
    #     control=glsControl(tolerance=1e-12, msTol=1e-14, maxIter=500, msMaxIter=500))
    log_likelihood, reach, nugget, sigma, intercept = (
        -4.44017851562,
        0.386896967793,
        0.002568484753,
        0.73446013,
        0.20337176,
    )
    i = np.arange(20)
    x, z = i / 19, 7 * i % 20 / 19
    y = np.sin(6 * x) + 0.5 * z**2 + 0.1 * np.cos(37 * i)
    kernel = gp.ConstantKernel(1.0) * gp.RBF(0.3) + gp.WhiteKernel(0.01)
    model = GaussianProcessRegressor(kernel, alpha=0.0, mean_function="constant").fit(np.column_stack([x, z]), y)
    variance, length, noise = np.exp(model.kernel_.theta)
    # nlme: sigma^2 ((1 - nugget) exp(-(d / range)^2) + nugget 1[d = 0])
    assert_close(model.log_marginal_likelihood_value_, log_likelihood, rtol=1e-10)
    assert_close(np.sqrt(2) * length, reach, rtol=1e-5)
    assert_close(noise / (variance + noise), nugget, rtol=1e-4)
    assert_close(np.sqrt(variance + noise), sigma, rtol=1e-5)
    assert_close(model.coef_, [intercept], rtol=1e-5)


@pytest.mark.spec("GPR-03")
def test_a_matern_smooth_matches_mgcv():
    # i <- 0:39; d <- data.frame(x=(i %% 20)/19); d$y <- sin(6*d$x) + 0.3*cos(37*i)
    # sm <- smoothCon(s(x, bs="gp", k=20, m=c(-3, .4)), d, absorb.cons=FALSE, scale.penalty=FALSE)[[1]]
    # X <- sm$X; g <- gam(d$y ~ X - 1, paraPen=list(X=list(sm$S[[1]])), method="REML")
    # predict(g, list(X=PredictMat(sm, data.frame(x=c(2, 6, 15)/19))), se.fit=TRUE)
    scale, penalty = 0.02596686542193, 0.00911583846447
    fit, error = [0.4693792459, 0.9802488933, -0.9531369667], [0.07430906619, 0.07321050312, 0.07335435020]
    constant = -0.00461348221699
    i = np.arange(40)
    x = (i % 20)[:, None] / 19
    y = np.sin(6 * x[:, 0]) + 0.3 * np.cos(37 * i)
    # mgcv's Matern is (1 + d / 0.4) exp(-d / 0.4). It keeps 19 of 20 eigenvectors, hence the tolerances.
    kernel = gp.ConstantKernel(scale / penalty) * gp.Matern(0.4 * np.sqrt(3), nu=1.5)
    model = GaussianProcessRegressor(kernel, alpha=scale, mean_function="constant", optimizer=None).fit(x, y)
    mean, std = model.predict(np.array([[2], [6], [15]]) / 19, return_std=True)
    assert_close(mean, fit, atol=1e-5)
    assert_close(std, error, rtol=5e-3)
    assert_close(model.coef_, [constant], atol=1e-7)
