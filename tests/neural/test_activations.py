"""Activations against their formulas, their derivatives against finite differences."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit

from statlearn.neural import activation, check_gradient
from tests.helpers import assert_close

SMOOTH = ["identity", "softplus", "logistic", "tanh"]
FORMULAS = {
    "identity": lambda x: x,
    "linear": lambda x: x,
    "relu": lambda x: np.where(x > 0, x, 0),
    "softplus": lambda x: np.log(1 + np.exp(x)),
    "soft_relu": lambda x: np.log(1 + np.exp(x)),
    "threshold": lambda x: (np.sign(x) + 1) / 2,
    "hard_threshold": lambda x: (np.sign(x) + 1) / 2,
    "logistic": lambda x: 1 / (1 + np.exp(-x)),
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "tanh": np.tanh,
}


@pytest.mark.spec("NEU-01")
@pytest.mark.parametrize("name", FORMULAS)
def test_values_are_the_formulas(name):
    x = np.linspace(-5, 5, 41)
    assert_close(activation(name)(x), FORMULAS[name](x))
    assert activation(name)(x.astype(np.float32)).dtype == np.float32


@pytest.mark.spec("NEU-01", "NEU-P1")
@pytest.mark.parametrize("name", ["relu", "threshold", *SMOOTH])
def test_derivatives_are_finite_differences_away_from_kinks(name):
    x = np.array([-4.3, -1.2, -0.3, 0.4, 1.7, 3.9])
    function = activation(name)
    assert check_gradient(lambda at: function(at).sum(), x, function.derivative, rtol=1e-7)
    assert_close(function.slope_of_output(function(x)), function.derivative(x))


@pytest.mark.spec("NEU-P7")
@given(st.floats(-30, 30))
def test_identities_of_slopes(x):
    s = activation("logistic")(x)
    assert_close(activation("logistic").derivative(x), s * (1 - s))
    assert_close(activation("tanh").derivative(x), 1 - activation("tanh")(x) ** 2)
    assert_close(activation("softplus").derivative(x), s, rtol=1e-12)


@pytest.mark.spec("NEU-T8")
def test_softplus_is_stable_far_out():
    x = np.repeat([800.0, -800.0], 500)
    values = activation("softplus")(x)
    np.testing.assert_array_equal(values, np.repeat([800.0, 0.0], 500))


def test_slopes_keep_their_digits_far_out():
    # 1 - sigmoid(40) is 0 in double precision, the slope is exp(-40)
    assert_close(activation("logistic").derivative([40.0, -40.0]), np.exp([-40.0, -40.0]), rtol=1e-12, atol=0)
    assert_close(activation("tanh").derivative(20.0), 4 * np.exp(-40.0), rtol=1e-12, atol=0)


def test_threshold_at_zero_is_one_half_and_its_slope_is_zero_not_one():
    assert activation("threshold")(0.0) == 0.5
    np.testing.assert_array_equal(activation("threshold").derivative([-1.0, 0.0, 2.0]), 0)


def test_results_can_be_written_in_place():
    x = np.array([-1.0, 2.0])
    assert activation("logistic")(x, out=x) is not None
    assert_close(x, expit([-1.0, 2.0]))


def test_unknown_names_raise_with_the_list():
    with pytest.raises(ValueError, match=r"`name` must be one of 'hard_threshold'.*got 'swish'"):
        activation("swish")
