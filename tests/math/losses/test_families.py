"""Families: deviances and likelihoods against scipy's distributions."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from statlearn._math.losses.families import make_family, theta_ml
from tests.helpers import assert_close


def test_likelihoods_match_the_distributions(rng):
    n = 40
    w = rng.integers(1, 4, size=n).astype(float)
    mu = rng.uniform(0.5, 4.0, size=n)
    counts = rng.poisson(mu).astype(float)
    assert_close(make_family("poisson").log_likelihood(counts, mu, w), w @ stats.poisson.logpmf(counts, mu))
    nb = make_family("negative_binomial", theta=1.4)
    assert_close(nb.log_likelihood(counts, mu, w), w @ stats.nbinom.logpmf(counts, 1.4, 1.4 / (1.4 + mu)))
    y = rng.gamma(3.0, mu / 3.0)
    gamma = make_family("gamma")
    phi = w @ gamma.unit_deviance(y, mu) / w.sum()
    assert_close(gamma.log_likelihood(y, mu, w), w @ stats.gamma.logpdf(y, 1 / phi, scale=mu * phi))
    ig = make_family("inverse_gaussian")
    phi = w @ ig.unit_deviance(y, mu) / w.sum()
    assert_close(ig.log_likelihood(y, mu, w), w @ stats.invgauss.logpdf(y, mu * phi, scale=1 / phi))
    gaussian = make_family("gaussian")
    s2 = w @ (y - mu) ** 2 / w.sum()
    assert_close(gaussian.log_likelihood(y, mu, w), w @ stats.norm.logpdf(y, mu, np.sqrt(s2)))
    s2 = w @ (y - mu) ** 2 / n
    prior = stats.norm.logpdf(y, mu, np.sqrt(s2 / w)).sum()
    assert_close(gaussian.log_likelihood(y, mu, w, frequency=False), prior)
    p, k = rng.uniform(0.2, 0.8, size=n), rng.integers(0, 2, size=n)
    assert_close(make_family("binomial").log_likelihood(k, p, w), stats.binom.logpmf(k * w, w, p).sum())


def test_tweedie_powers_with_a_name_are_those_families(rng):
    names = {0: "gaussian", 1: "poisson", 2: "gamma", 3: "inverse_gaussian"}
    assert {p: make_family("tweedie", power=p).name for p in names} == names
    y, mu = rng.gamma(2.0, size=20) + 0.1, rng.uniform(0.5, 2.0, size=20)
    for power, name in names.items():
        near = make_family("tweedie", power=power + 1e-7 if power else -1e-7)
        assert_close(near.unit_deviance(y, mu), make_family(name).unit_deviance(y, mu), rtol=1e-4, atol=1e-6)
    with pytest.raises(ValueError, match="between 0 and 1"):
        make_family("tweedie", power=0.5)


@given(seed=st.integers(0, 10**6))
def test_theta_maximises_the_likelihood(seed):
    rng = np.random.default_rng(seed)
    mu = rng.uniform(1.0, 8.0, size=200)
    y = rng.negative_binomial(2.0, 2.0 / (2.0 + mu)).astype(float)
    w = rng.integers(1, 3, size=200).astype(float)
    theta, error = theta_ml(y, mu, w)

    def value(t):
        return make_family("negative_binomial", theta=t).log_likelihood(y, mu, w)

    assert value(theta) >= max(value(theta * 1.001), value(theta / 1.001))
    step = 1e-3 * theta
    curvature = (value(theta + step) - 2 * value(theta) + value(theta - step)) / step**2
    assert_close(error, 1 / np.sqrt(-curvature), rtol=1e-3)


def test_counts_without_overdispersion_have_infinite_theta():
    y = np.tile([2.0, 3.0, 4.0], 20)
    assert np.isinf(theta_ml(y, np.full(60, 3.0), np.ones(60))[0])
