"""The search for hyper-parameters."""

import numpy as np
import pytest
from scipy import optimize

from statlearn import gp
from statlearn.gp import GaussianProcessRegressor, _search
from tests.helpers import assert_close


def test_climb_ends_at_the_minimum_within_bounds(rng):
    root = rng.normal(size=(4, 4))
    H, centre = root @ root.T + np.eye(4), np.array([0.5, -2.0, 3.0, 0.0])
    bounds = np.array([[-1.0, 1.0]] * 4)

    def function(x):
        d = x - centre
        return 0.5 * d @ H @ d + 0.1 * np.sum(d**4), H @ d + 0.4 * d**3

    for curvature in (H, np.eye(4), np.zeros((4, 4)), -H):
        theta, value = _search.climb(function, np.zeros(4), bounds, curvature, function(np.zeros(4)))
        best = optimize.minimize(function, np.zeros(4), jac=True, bounds=bounds, method="L-BFGS-B", tol=1e-14)
        assert_close(value, best.fun, rtol=1e-6)
        assert_close(theta, best.x, atol=1e-2)


def plain(function, start, bounds):
    found = optimize.minimize(function, start, jac=True, bounds=bounds, method="L-BFGS-B")
    return found.x, found.fun


@pytest.mark.filterwarnings("ignore:The optimal value found")
@pytest.mark.parametrize("kernel", [gp.RBF(np.ones(3)), gp.Matern(np.ones(3), nu=2.5), gp.RBF()])
def test_the_curvature_of_a_sample_shortens_the_search_only(kernel, rng, monkeypatch):
    monkeypatch.setattr(_search, "ROUGH_ROWS", 40)
    X = rng.random((200, 3))
    y = np.sin(6 * X[:, 0]) + X[:, 1] + 0.1 * rng.normal(size=200)  # the last column has no effect
    kernel = 1.0 * kernel + gp.WhiteKernel(0.1)
    values = []
    for optimizer in ("fmin_l_bfgs_b", plain):
        model = GaussianProcessRegressor(kernel, optimizer=optimizer).fit(X, y)
        values.append(model.log_marginal_likelihood_value_)
    assert values[0] > values[1] - 1e-3


def test_a_sample_is_the_same_every_time():
    assert _search.rough_rows(900, 4) is None
    rows = _search.rough_rows(1000, 4)
    assert len(rows) == len(set(rows)) == 250
    assert np.array_equal(rows, _search.rough_rows(1000, 4))
