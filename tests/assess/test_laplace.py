"""Laplace approximation of the evidence: exact for Gaussians, the printed number, and refusals."""

import numpy as np
import pytest
from scipy import stats
from scipy.special import betaln

from statlearn.assess import bic, laplace_evidence
from tests.helpers import assert_close


@pytest.mark.spec("CRS-62")
def test_three_of_five_red():
    def log_posterior(p):
        return 3 * np.log(p) + 2 * np.log(1 - p)

    found = laplace_evidence(log_posterior, 0.6)
    assert_close(found, -3.9643969, rtol=0, atol=1e-7)
    assert_close(laplace_evidence(log_posterior, [0.6], hessian=[[-3 / 0.36 - 2 / 0.16]]), found, atol=1e-8)
    assert_close(-0.5 * bic(log_posterior(0.6), 1, 5), -4.1697773, rtol=0, atol=1e-7)


@pytest.mark.spec("CRS-62")
@pytest.mark.parametrize("scale", [1.0, 1e-3, 1e4])
def test_exact_for_gaussian_posteriors(scale, seed):
    rng = np.random.default_rng(seed)
    X, noise = rng.normal(size=(12, 3)) / scale, 0.7
    y = rng.normal(size=12)
    prior = stats.multivariate_normal(np.zeros(3), scale**2 * np.eye(3))

    def log_posterior(beta):
        return stats.norm(0, noise).logpdf(y - X @ beta).sum() + prior.logpdf(beta)

    precision = X.T @ X / noise**2 + np.eye(3) / scale**2
    mode = np.linalg.solve(precision, X.T @ y / noise**2)
    exact = stats.multivariate_normal(np.zeros(12), noise**2 * np.eye(12) + scale**2 * X @ X.T).logpdf(y)
    assert_close(laplace_evidence(log_posterior, mode), exact, atol=1e-6)
    assert_close(laplace_evidence(log_posterior, mode, hessian=-precision), exact)


@pytest.mark.spec("CRS-62")
def test_error_falls_with_the_number_of_rows():
    errors = []
    for n in (5, 50, 500):
        k = int(0.6 * n)
        approximate = laplace_evidence(lambda p, k=k, n=n: k * np.log(p) + (n - k) * np.log(1 - p), k / n)
        errors.append(approximate - betaln(k + 1, n - k + 1))
    assert errors[0] > 8 * errors[1] > 64 * errors[2] > 0


def test_unknown_modes_raise():
    with pytest.raises(ValueError, match="`mode` is not the maximum"):
        laplace_evidence(lambda t: -(t**2), 0.3)
    with pytest.raises(ValueError, match="not negative definite"):
        laplace_evidence(lambda t: t[0] ** 2 - t[1] ** 2, [0.0, 0.0])
    with np.errstate(divide="ignore"), pytest.raises(ValueError, match="must be finite"):
        laplace_evidence(lambda p: 5 * np.log(p) if p < 1 else -np.inf, 1.0)
    with pytest.raises(ValueError, match="`hessian` must have shape"):
        laplace_evidence(lambda t: -(t**2), 0.0, hessian=np.eye(2))
