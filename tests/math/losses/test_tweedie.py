"""The density of the Tweedie family against mgcv's, and as a distribution."""

import numpy as np
import pytest
from scipy.integrate import quad

from statlearn._math.losses.families import make_family
from statlearn._math.losses.tweedie import TweedieDensity
from statlearn.linear import GeneralizedLinearRegressor
from tests.helpers import assert_close

# mgcv 1.8-41: ldTweedie(c(0, 0.01, 1, 3, 50), mu = c(2, 0.5, 1, 5, 40), p = , phi = )[, 1]
MGCV = {
    (1.1, 0.01): [-207.34066478596, -48.81095777989, 1.38277533643, -39.67910595469, -80.18446581373],
    (1.1, 20): [-0.103670332393, -56.609791125969, -20.288854841236, -12.457894171807, -4.639465846106],
    (1.5, 0.01): [-282.84271247462, -99.42175399999, 1.38270788534, -22.16228408609, -19.17327270560],
    (1.5, 0.5): [-5.6568542494924, -0.0334460469945, -0.6225583001210, -1.8788608787100, -3.8655262325191],
    (1.9, 0.5): [-21.435469250726, -0.948657693042, -0.616615078403, -1.911451855517, -4.396844459549],
    (1.9, 20): [-0.535886731268, 0.694118479532, -3.337317284683, -4.336199149193, -6.879148301586],
}


@pytest.mark.parametrize(("power", "phi"), MGCV)
def test_log_densities_match_mgcv(power, phi):
    y, mu = np.array([0, 0.01, 1, 3, 50]), np.array([2, 0.5, 1, 5, 40])
    assert_close(TweedieDensity(power).log_density(y, mu, phi), MGCV[power, phi], rtol=1e-10, atol=0)


@pytest.mark.parametrize("power", [1.2, 1.6])
def test_it_is_a_distribution_with_that_mean(power):
    density = TweedieDensity(power)

    def at(y):
        return float(np.exp(density.log_density(np.array([y]), np.array([2.0]), 0.8))[0])

    assert at(0.0) + quad(at, 0, 60, limit=500)[0] == pytest.approx(1, abs=1e-6)
    assert quad(lambda y: y * at(y), 0, 60, limit=500)[0] == pytest.approx(2, abs=1e-6)


def test_a_table_for_many_rows_and_an_integral_for_long_series():
    rng = np.random.default_rng(0)
    y = rng.gamma(2, 2, size=5000) * (rng.uniform(size=5000) < 0.8)
    mu = np.full(5000, 3.0)
    for phi, error in ((0.7, 1e-8), (1e-6, 1e-3)):  # the largest terms of the latter have numbers beyond 1e6
        density = TweedieDensity(1.5)
        many = density.log_density(y, mu, phi)
        few = np.concatenate(
            [density.log_density(y[k : k + 1000], mu[k : k + 1000], phi) for k in range(0, 5000, 1000)]
        )
        assert_close(many, few, atol=error)
    # Near 0 the dispersion makes the density normal: W at the number where sums become an integral.
    step = TweedieDensity(1.5).log_series(np.array([23.0, 23.02585, 23.05]))
    assert np.diff(step, n=2)[0] < 2 * (step[2] - step[0])


def test_aic_of_a_generalised_linear_model():
    rng = np.random.default_rng(1)
    x = rng.uniform(size=200)
    n = rng.poisson(np.exp(1 + x))
    y = np.array([rng.gamma(1.5 * k, 1.0) if k else 0.0 for k in n])
    model = GeneralizedLinearRegressor(family="tweedie").fit(x[:, None], y)
    family = make_family("tweedie", power=1.5)
    mu = model.predict(x[:, None])
    phi = family.unit_deviance(y, mu).mean()
    expected = TweedieDensity(1.5).log_density(y, mu, phi).sum()
    assert family.log_likelihood(y, mu, np.ones(200)) == pytest.approx(expected)
