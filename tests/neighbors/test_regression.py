"""Responses of neighbours."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn import neighbors as peer

from statlearn._math.linalg.quantiles import weighted_quantile
from statlearn.linear import LinearRegression
from statlearn.neighbors import KNeighborsRegressor, RadiusNeighborsClassifier, RadiusNeighborsRegressor
from tests.helpers import assert_close


@pytest.fixture
def data(rng):
    X = rng.normal(size=(80, 2))
    return X, np.sin(2 * X[:, 0]) + 0.1 * rng.normal(size=80), rng.normal(size=(25, 2))


@pytest.mark.spec("NEI-02")
@pytest.mark.parametrize("weights", ["uniform", "distance", lambda d: np.exp(-d)])
@pytest.mark.parametrize("k", [1, 6, 80])
def test_mean_agrees_with_scikit_learn(weights, k, data):
    X, y, Q = data
    Y = np.column_stack([y, y**2])
    for target in (y, Y):
        ours = KNeighborsRegressor(k, weights=weights).fit(X, target)
        theirs = peer.KNeighborsRegressor(k, weights=weights).fit(X, target)
        assert_close(ours.predict(Q), theirs.predict(Q))
        if k < 80:
            assert_close(ours.predict(None), theirs.predict(None))


@pytest.mark.spec("NEI-02")
def test_mean_of_the_nearest_literally(data):
    X, y, Q = data
    nearest = np.argsort(cdist(Q, X), axis=1)[:, :7]
    assert_close(KNeighborsRegressor(7).fit(X, y).predict(Q), y[nearest].mean(axis=1))


@pytest.mark.spec("NEI-03")
@pytest.mark.parametrize("k", [1, 4, 9])
def test_median_of_the_nearest(k, data):
    X, y, Q = data
    D = cdist(Q, X)
    nearest = np.argsort(D, axis=1)[:, :k]
    model = KNeighborsRegressor(k, aggregate="median").fit(X, y)
    assert_close(model.predict(Q), np.median(y[nearest], axis=1))
    weighted = KNeighborsRegressor(k, aggregate="median", weights="distance").fit(X, y)
    expected = [weighted_quantile(y[r], 1 / d[r], 0.5, midpoint=True) for r, d in zip(nearest, D)]
    assert_close(weighted.predict(Q), expected)
    # The weighted median minimises the weighted sum of absolute differences.
    for q, r, d in zip(weighted.predict(Q), nearest, D):
        losses = [np.sum(np.abs(y[r] - c) / d[r]) for c in y[r]]
        assert np.sum(np.abs(y[r] - q) / d[r]) <= min(losses) + 1e-9


@pytest.mark.spec("NEI-03")
def test_median_does_not_follow_outliers(data):
    X, y, Q = data
    wild = y.copy()
    wild[::10] += 1000
    median = KNeighborsRegressor(9, aggregate="median")
    assert np.abs(median.fit(X, wild).predict(Q) - median.fit(X, y).predict(Q)).max() < 3
    assert np.abs(KNeighborsRegressor(9).fit(X, wild).predict(Q)).max() > 100


@given(
    st.integers(0, 10_000),
    st.sampled_from(["mean", "median", "local_linear"]),
    st.sampled_from(["uniform", "distance"]),
)
def test_whole_weights_are_copies(seed, aggregate, weights):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(30, 2)), rng.normal(size=30)
    w = rng.integers(0, 4, size=30)
    w[:8] = 1
    rows = np.repeat(np.arange(30), w)
    Q = rng.normal(size=(8, 2))
    settings = {"aggregate": aggregate, "weights": weights}
    for model in (KNeighborsRegressor(8, **settings), RadiusNeighborsRegressor(4.0, **settings)):
        weighted = model.fit(X, y, sample_weight=w).predict(Q)
        assert_close(weighted, model.fit(X[rows], y[rows]).predict(Q), rtol=1e-6)


def test_planes_are_local_least_squares(data):
    X, y, Q = data
    D = cdist(Q, X)
    for k, weights in ((12, "uniform"), (12, "distance"), (80, "uniform")):
        model = KNeighborsRegressor(k, weights=weights, aggregate="local_linear").fit(X, y)
        said = model.predict(Q)
        for i in range(len(Q)):
            rows = np.argsort(D[i])[:k]
            w = None if weights == "uniform" else 1 / D[i, rows]
            assert_close(said[i], LinearRegression().fit(X[rows], y[rows], sample_weight=w).predict(Q[i : i + 1])[0])


def test_planes_are_exact_on_linear_data_and_flat_without_spread(rng):
    X = rng.normal(size=(60, 3))
    y = 2 + X @ [1.0, -2.0, 0.5]
    Q = rng.normal(size=(9, 3)) * 3
    assert_close(KNeighborsRegressor(10, aggregate="local_linear").fit(X, y).predict(Q), 2 + Q @ [1.0, -2.0, 0.5])
    flat = np.column_stack([X[:, 0], np.zeros(60)])
    model = KNeighborsRegressor(10, aggregate="local_linear").fit(flat, X[:, 0])
    assert_close(model.predict([[0.3, 100.0]]), [0.3], atol=1e-6)  # no slope in the direction that was never seen
    one = KNeighborsRegressor(1, aggregate="local_linear").fit(X, y)
    assert_close(one.predict(X), y)


def test_planes_need_rows(rng):
    X, y = rng.normal(size=(20, 2)), rng.normal(size=20)
    model = KNeighborsRegressor(aggregate="local_linear")
    with pytest.raises(ValueError, match="dense numeric rows"):
        model.fit(sparse.csr_array(X), y)
    with pytest.raises(ValueError, match="dense numeric rows"):
        model.set_params(metric="precomputed").fit(cdist(X, X), y)


@pytest.mark.parametrize("weights", ["uniform", "distance"])
def test_radius_agrees_with_scikit_learn_and_warns_of_empty_balls(weights, data):
    X, y, Q = data
    for target in (y, np.column_stack([y, y**2])):
        ours = RadiusNeighborsRegressor(0.5, weights=weights).fit(X, target)
        theirs = peer.RadiusNeighborsRegressor(0.5, weights=weights).fit(X, target)
        with pytest.warns(UserWarning, match="no neighbors"):
            said = ours.predict(Q)
        with pytest.warns(UserWarning, match="no neighbors"):
            expected = theirs.predict(Q)
        assert np.isnan(said).any()
        assert_close(said, expected)


def test_radius_median_and_planes(data):
    X, y, Q = data
    D = cdist(Q, X)
    median = RadiusNeighborsRegressor(3.0, aggregate="median").fit(X, y).predict(Q)
    assert_close(median, [np.median(y[d <= 3.0]) for d in D])
    plane = RadiusNeighborsRegressor(3.0, aggregate="local_linear").fit(X, y).predict(Q)
    near = D[0] <= 3.0
    assert_close(plane[0], LinearRegression().fit(X[near], y[near]).predict(Q[:1])[0])


def test_single_precision_stays(rng):
    X, y = rng.normal(size=(30, 2)).astype(np.float32), rng.normal(size=30).astype(np.float32)
    for aggregate in ("mean", "median", "local_linear"):
        assert KNeighborsRegressor(aggregate=aggregate).fit(X, y).predict(X).dtype == np.float32


@pytest.mark.parametrize("cls", [RadiusNeighborsClassifier, RadiusNeighborsRegressor])
def test_weights_of_a_radius_may_sum_to_less_than_one(cls):
    X, y = np.arange(6.0)[:, None], [0, 0, 0, 1, 1, 1]
    weights = np.full(6, 0.01)
    assert cls(1.0).fit(X, y, sample_weight=weights).predict([[0.5], [4.5]]).tolist() == [0, 1]


def test_a_huge_power_is_the_largest_difference(rng):
    X, y = rng.normal(size=(30, 3)), rng.normal(size=30)
    huge, limit = (KNeighborsRegressor(3, p=p).fit(X, y) for p in (1e300, np.inf))
    assert np.array_equal(huge.kneighbors(X)[0], limit.kneighbors(X)[0])
    assert huge.effective_metric_ == "chebyshev"
