"""The choice of the ridge penalty by information criteria."""

import numpy as np
import pytest

from statlearn.linear import Ridge, RidgeIC
from tests.helpers import assert_close

ALPHAS = np.logspace(-3, 3, 7)


def problem(rng, n=25, p=6, m=None):
    X = rng.normal(size=(n, p)) + 1.0
    shape = n if m is None else (n, m)
    return X, (X[:, 0] if m is None else X[:, :1]) + rng.normal(size=shape) + 3.0


@pytest.mark.spec("LIN-13")
@pytest.mark.parametrize("criterion", ["aic", "bic", "aicc"])
def test_information_criteria_from_their_definition(criterion, rng):
    X, y = problem(rng, 40, 5)
    weights = rng.integers(1, 4, 40)
    model = RidgeIC(ALPHAS, criterion=criterion).fit(X, y, weights)
    assert np.all(np.diff(model.alphas_) < 0)
    n = weights.sum()
    expected = []
    for alpha, df in zip(model.alphas_, model.dfs_):
        residual = y - Ridge(alpha).fit(X, y, weights).predict(X)
        rss = np.sum(weights * residual**2)
        k = df + 2  # intercept and variance
        value = n * np.log(2 * np.pi * rss / n) + n
        value += {"aic": 2 * k, "bic": np.log(n) * k, "aicc": 2 * k + 2 * k * (k + 1) / (n - k - 1)}[criterion]
        expected.append(value)
    assert_close(model.criterion_, expected)
    assert model.alpha_ == model.alphas_[np.argmin(expected)]
    copies = RidgeIC(ALPHAS, criterion=criterion).fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    assert_close(copies.criterion_, model.criterion_)
    assert_close(copies.coef_, model.coef_)


def test_criterion_grid_and_small_penalty_limit(rng):
    X, y = problem(rng, 60, 4)
    model = RidgeIC().fit(X, y)
    assert model.alphas_.shape == (100,)
    assert_close(model.dfs_[-1], 4, atol=1e-2)
    # Without a penalty AIC is that of least squares, as R's AIC(lm) counts it: p + 2 parameters.
    ols = RidgeIC([0.0]).fit(X, y)
    rss = np.sum((y - ols.predict(X)) ** 2)
    assert_close(ols.criterion_, [60 * np.log(2 * np.pi * rss / 60) + 60 + 2 * 6])
    assert_close(ols.noise_variance_, rss / 55)
