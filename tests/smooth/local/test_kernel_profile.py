"""Profiles of kernels."""

import numpy as np
import pytest
from scipy.integrate import quad

from statlearn.smooth import kernel_integral, kernel_profile
from statlearn.smooth.local._kernel_profile import PROFILES
from tests.helpers import assert_close


@pytest.mark.spec("SMT-15")
@pytest.mark.parametrize("kernel", PROFILES)
def test_integrals_match_quadrature(kernel):
    reach = 10.0 if kernel == "gaussian" else 1.0
    assert_close(quad(kernel_profile, -reach, reach, (kernel,))[0], kernel_integral(kernel), rtol=1e-9)
    density = quad(lambda t: kernel_profile(t, kernel, normalized=True), -reach, reach)[0]
    assert_close(density, 1.0, rtol=1e-9)


@pytest.mark.spec("SMT-15")
def test_values_match_the_formulas():
    t = np.array([-2.0, -0.5, 0.0, 0.25, 1.0])
    assert_close(kernel_profile(t, "epanechnikov"), [0, 0.5625, 0.75, 0.703125, 0])
    assert_close(kernel_profile(t, "tricube"), [0, 0.875**3, 1, (1 - 1 / 64) ** 3, 0])
    assert_close(kernel_profile(t, "gaussian"), np.exp(-(t**2) / 2))
    assert_close(kernel_profile(t, "uniform"), [0, 1, 1, 1, 1])
    with pytest.raises(ValueError, match="kernel"):
        kernel_profile(t, "cosine")


@pytest.mark.spec("SMT-T10")
def test_constants_of_the_tricube():
    """The profile integrates to 81/70; the constant that makes it a density is 70/81."""
    assert_close(kernel_integral("tricube"), 81 / 70, atol=1e-9)
    assert_close(kernel_profile(0.0, "tricube", normalized=True), 70 / 81, atol=1e-9)


@pytest.mark.spec("CRS-56")
@pytest.mark.parametrize("name", ["epanechnikov", "tricube", "gaussian", "uniform"])
def test_profiles_of_functions(name):
    t = np.linspace(-2.0, 2.0, 9)

    def function(s):
        assert np.all(s >= 0)
        return kernel_profile(s, name)

    assert_close(kernel_profile(t, function), kernel_profile(t, name))
    assert_close(kernel_integral(function), kernel_integral(name), rtol=1e-7)
    assert_close(kernel_profile(t, function, normalized=True), kernel_profile(t, name, normalized=True), rtol=1e-7)
    with pytest.raises(ValueError, match="at least 0"):
        kernel_profile(t, lambda s: 1.0 - s)
    with pytest.raises(ValueError, match="integral of the function must be positive"):
        kernel_integral(lambda s: np.zeros_like(s))
