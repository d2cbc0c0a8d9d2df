"""Quantiles from the leaves of a forest."""

import numpy as np
import pytest

from statlearn.ensemble import ExtraTreesRegressor, RandomForestRegressor


def by_hand(model, X, y, x, levels):
    """The weights of the training rows, tree by tree, and the quantiles of the responses under them."""
    weights = np.zeros(len(y))
    at, where = model.apply(X), model.apply(x[None])[0]
    for t, rows in enumerate(model.estimators_samples_):
        inside = rows[at[rows, t] == where[t]]
        np.add.at(weights, inside, 1 / len(inside))
    order = np.argsort(y)
    order = order[weights[order] > 0]
    reached = np.cumsum(weights[order]) / weights.sum()
    return y[order][np.searchsorted(reached, np.array(levels) - 1e-10)]


@pytest.mark.spec("ENS-06")
@pytest.mark.parametrize("kind", [RandomForestRegressor, ExtraTreesRegressor])
def test_quantiles_match_the_weighted_responses(rng, kind):
    X = rng.normal(size=(150, 3))
    y = X[:, 0] + rng.normal(size=150)
    model = kind(20, min_samples_leaf=4, quantiles=True, random_state=0).fit(X, y)
    Z = rng.normal(size=(10, 3))
    levels = [0.0, 0.1, 0.5, 0.9, 1.0]
    found = model.predict_quantiles(Z, levels)
    for z, row in zip(Z, found):
        np.testing.assert_array_equal(row, by_hand(model, X, y, z, levels))
    assert np.all(np.diff(found, axis=1) >= 0)


def test_intervals_follow_the_spread(seed):
    rng = np.random.default_rng(seed)
    X = rng.uniform(size=(3000, 2))
    y = np.where(X[:, 0] < 0.5, 0.2, 2.0) * rng.normal(size=3000)
    model = RandomForestRegressor(60, min_samples_leaf=20, quantiles=True, random_state=seed).fit(X[:2000], y[:2000])
    bounds = model.predict_interval(X[2000:], coverage=0.8)
    inside = (y[2000:] >= bounds[:, 0]) & (y[2000:] <= bounds[:, 1])
    assert abs(inside.mean() - 0.8) < 0.06
    width = bounds[:, 1] - bounds[:, 0]
    quiet = X[2000:, 0] < 0.45
    loud = X[2000:, 0] > 0.55
    assert width[loud].mean() > 5 * width[quiet].mean()


def test_invalid_quantiles_raise(rng):
    X = rng.normal(size=(30, 2))
    with pytest.raises(ValueError, match="quantiles=True"):
        RandomForestRegressor(3).fit(X, X[:, 0]).predict_quantiles(X)
    with pytest.raises(ValueError, match="not supported for multi-output regression"):
        RandomForestRegressor(3, quantiles=True).fit(X, X)
    model = RandomForestRegressor(3, quantiles=True).fit(X, X[:, 0])
    with pytest.raises(ValueError, match="between 0 and 1"):
        model.predict_quantiles(X, [1.5])
    with pytest.raises(ValueError, match="coverage"):
        model.predict_interval(X, coverage=1.0)
