"""The likelihood over two hyper-parameters."""

import numpy as np
import pytest
from matplotlib import pyplot as plt

from statlearn import gp
from statlearn.gp import GaussianProcessClassifier, GaussianProcessRegressor, lml_surface
from tests.helpers import assert_close


@pytest.fixture(scope="module")
def model():
    state = np.random.RandomState(0)
    X = state.uniform(0, 5, 20)[:, None]
    y = 0.5 * np.sin(3 * X[:, 0]) + state.normal(0, 0.5, 20)
    kernel = gp.ConstantKernel(1.0) * gp.RBF(1.0, (1e-2, 1e3)) + gp.WhiteKernel(1e-5, (1e-10, 10))
    return GaussianProcessRegressor(kernel, alpha=0.0).fit(X, y)


@pytest.mark.spec("GPR-12", "GPR-T4")
def test_both_local_maxima_of_the_catalog_are_listed(model):
    limits = ((1e-2, 1e3), (1e-2, 10.0))
    surface = lml_surface(model, ("k1__k2__length_scale", "k2__noise_level"), limits=limits, n_points=15)
    found = [best["log_likelihood"] for best in surface.optima]
    assert_close(found[0], -21.8050909, atol=1e-5)
    assert any(abs(value + 23.8723374) < 1e-4 for value in found)
    assert surface.values.shape == (15, 15)
    theta = model.kernel_.theta
    theta[1:] = np.log([surface.first[4], surface.second[9]])
    assert_close(surface.values[9, 4], model.log_marginal_likelihood(theta))
    assert surface.values.max() <= found[0] + 1e-9
    ax = surface.plot()
    assert ax.get_xlabel() == "k1__k2__length_scale"
    assert len(ax.lines) == len(found)
    plt.close(ax.figure)


@pytest.mark.spec("GPR-12")
def test_the_default_grid_surrounds_the_fit(model):
    surface = lml_surface(model, n_points=3)
    assert surface.names == ("k1__k1__constant_value", "k1__k2__length_scale")
    assert_close(surface.first[1], np.exp(model.kernel_.theta[0]))


def test_classifiers_are_accepted_and_unknown_names_raise(model, rng):
    X = rng.normal(size=(25, 1))
    classifier = GaussianProcessClassifier(1.0 * gp.RBF()).fit(X, X[:, 0] + 0.5 * rng.normal(size=25) > 0)
    assert (
        lml_surface(classifier, n_points=4).optima[0]["log_likelihood"]
        >= classifier.log_marginal_likelihood_value_ - 1e-6
    )
    with pytest.raises(ValueError, match="`names` must be two of the free hyper-parameters"):
        lml_surface(model, ("a", "b"))
    with pytest.raises(ValueError, match="`limits`"):
        lml_surface(model, limits=((1, 0.1), (1, 2)))
