"""Functions that draw data are called with (rng, n), whatever the order of their parameters, or refused by name."""

import numpy as np
import pytest

from statlearn.assess import bias_variance_decomposition, expected_risk, learning_curve, validation_curve
from statlearn.assess.losses import SquaredError
from statlearn.linear import LinearRegression, Ridge

POINTS = np.linspace(-1, 1, 5)[:, None]


def rng_first(rng, n):
    x = rng.uniform(-1, 1, size=(n, 1))
    return x, x[:, 0] + rng.normal(size=n)


def n_first(n, rng):
    return rng_first(rng, n)


def n_samples_first(n_samples, random_state):
    return rng_first(random_state, n_samples)


def n_optional(rng, n=20):
    return rng_first(rng, n)


def rng_alone(rng):
    return rng_first(rng, 20)


def unnamed_old_order(a, b):
    return b.uniform(size=(a, 1)), b.normal(size=a)


def risk(sample):
    return expected_risk(SquaredError(), lambda X: X[:, 0], sample, n_samples=50, random_state=0).estimate


def curve(generator):
    found = learning_curve(LinearRegression(), generator=generator, train_sizes=[5, 10], replicates=3, random_state=0)
    return found.test_mean.tolist()


def by_parameter(generator):
    options = {"param_name": "alpha", "param_range": [0.1, 1.0], "replicates": 3, "n_train": 10, "random_state": 0}
    return validation_curve(Ridge(), generator=generator, **options).test_mean.tolist()


def decomposition(generator):
    options = {"truth": lambda X: X[:, 0], "n_sets": 5, "random_state": 0}
    return bias_variance_decomposition(LinearRegression(), generator, POINTS, **options).average["variance"]


@pytest.mark.spec("CRS-129")
@pytest.mark.parametrize("ask", [risk, curve, by_parameter])
def test_every_order_of_named_parameters_gives_the_same_draws(ask):
    expected = ask(rng_first)
    for generator in (n_first, n_samples_first, n_optional, lambda *args: rng_first(*args)):
        assert ask(generator) == expected


@pytest.mark.spec("CRS-129")
def test_training_sets_are_drawn_without_a_number_of_rows():
    assert decomposition(rng_alone) == decomposition(n_optional)
    with pytest.raises(TypeError, match=r"`generator` must be a function of rng .*generator\(rng\)"):
        decomposition(rng_first)


@pytest.mark.spec("CRS-129")
@pytest.mark.parametrize(("ask", "name"), [(risk, "sample"), (curve, "generator"), (by_parameter, "generator")])
def test_other_signatures_raise_with_the_expected_one(ask, name):
    with pytest.raises(TypeError, match=rf"`{name}` must be a function of rng and .*{name}\(rng, n\)"):
        ask(rng_alone)
    with pytest.raises(TypeError, match=rf"`{name}` is called as {name}\(rng, n\)"):
        ask(unnamed_old_order)
    with pytest.raises(TypeError, match=rf"`{name}` must return X and y, got ndarray"):
        ask(lambda rng, n: rng.normal(size=(n, 2)))
