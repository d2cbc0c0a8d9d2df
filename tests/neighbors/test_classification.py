"""Votes of neighbours."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn import neighbors as peer
from sklearn.datasets import load_iris
from sklearn.exceptions import EfficiencyWarning

from statlearn.neighbors import KNeighborsClassifier, MixedDistance, RadiusNeighborsClassifier
from statlearn.prep import StandardScaler, make_scenario
from tests.helpers import assert_close


def vote(X, y, Q, k, weights=None):
    """The majority of the k nearest, literally; the first class wins a tie."""
    D = cdist(Q, X)
    out = np.zeros((len(Q), y.max() + 1))
    for i, d in enumerate(D):
        for r in np.argsort(d, kind="stable")[:k]:
            out[i, y[r]] += 1.0 if weights is None else weights(d[r])
    return out / out.sum(axis=1, keepdims=True)


def blobs(rng, n=120, p=2, classes=3):
    y = np.arange(n) % classes
    return rng.normal(size=(n, p)) + 1.5 * np.eye(classes, p)[y], y


@pytest.mark.spec("NEI-01")
@pytest.mark.parametrize("weights, function", [("uniform", None), ("distance", lambda d: 1 / d)])
@pytest.mark.parametrize("k", [1, 4, 15])
def test_shares_match_the_votes(weights, function, k, rng):
    X, y = blobs(rng)
    Q = rng.normal(size=(40, 2))
    model = KNeighborsClassifier(k, weights=weights).fit(X, y)
    expected = vote(X, y, Q, k, function)
    assert_close(model.predict_proba(Q), expected)
    np.testing.assert_array_equal(model.predict(Q), np.argmax(expected, axis=1))


@pytest.mark.spec("NEI-01")
def test_a_kernel_as_weights(rng):
    X, y = blobs(rng)
    Q = rng.normal(size=(40, 2))

    def kernel(d):
        return np.exp(-(d**2) / 2)

    model = KNeighborsClassifier(20, weights=kernel).fit(X, y)
    assert_close(model.predict_proba(Q), vote(X, y, Q, 20, kernel))
    with pytest.raises(ValueError, match="zero weights"):
        KNeighborsClassifier(3, weights=lambda d: 0 * d).fit(X, y).predict(Q)
    with pytest.raises(ValueError, match="`weights` must return"):
        KNeighborsClassifier(3, weights=lambda d: 1.0).fit(X, y).predict(Q)


@pytest.mark.spec("NEI-P2")
@given(st.integers(0, 10_000))
def test_one_neighbour_makes_no_training_error_and_all_make_a_constant(seed):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(25, 2)), rng.integers(0, 3, size=25)
    assert KNeighborsClassifier(1).fit(X, y).score(X, y) == 1.0
    everybody = KNeighborsClassifier(25).fit(X, y).predict_proba(rng.normal(size=(6, 2)))
    assert_close(everybody, np.tile(np.bincount(y, minlength=everybody.shape[1])[np.unique(y)] / 25, (6, 1)))


@pytest.mark.spec("NEI-P3")
def test_regions_become_smoother_with_k(seed):
    grid = np.stack(np.meshgrid(*[np.linspace(-2, 2, 50)] * 2), axis=-1)
    lengths = np.zeros(3)
    for draw in range(5):
        data = make_scenario("gaussians", 300, n_features=2, distance=1.0, random_state=5 * seed + draw)
        for i, k in enumerate((1, 7, 50)):
            region = KNeighborsClassifier(k).fit(data.X, data.y).predict(grid.reshape(-1, 2)).reshape(50, 50)
            lengths[i] += np.sum(region[1:] != region[:-1]) + np.sum(region[:, 1:] != region[:, :-1])
    assert lengths[0] > 1.5 * lengths[1] > 1.5**2 * lengths[2]


@pytest.mark.spec("NEI-P8")
def test_a_scale_decides_who_is_near_and_standardising_repairs_it(rng):
    n = 400
    y = np.arange(n) % 2
    X = np.column_stack([rng.normal(size=n) + 2.5 * y, 1000 * rng.normal(size=n)])  # knowledge in small units
    plain = KNeighborsClassifier(9).fit(X[:200], y[:200])
    rescaled = KNeighborsClassifier(9).fit(X[:200] * [1, 0.001], y[:200])
    assert np.any(plain.kneighbors(X[200:])[1] != rescaled.kneighbors(X[200:] * [1, 0.001])[1])
    scaler = StandardScaler().fit(X[:200])
    scaled = KNeighborsClassifier(9).fit(scaler.transform(X[:200]), y[:200])
    assert plain.score(X[200:], y[200:]) < 0.65
    assert scaled.score(scaler.transform(X[200:]), y[200:]) > 0.8


@pytest.mark.spec("NEI-P12")
@given(st.integers(0, 10_000), st.sampled_from(["uniform", "distance"]))
def test_whole_weights_are_copies(seed, weights):
    rng = np.random.default_rng(seed)
    X, y = rng.integers(-6, 7, size=(30, 2)).astype(float), rng.integers(0, 3, size=30)  # many ties
    w = rng.integers(0, 4, size=30)
    w[:4] = 1
    rows = np.repeat(np.arange(30), w)
    Q = rng.integers(-6, 7, size=(20, 2)).astype(float)
    weighted = KNeighborsClassifier(4, weights=weights).fit(X, y, sample_weight=w)
    copied = KNeighborsClassifier(4, weights=weights).fit(X[rows], y[rows])
    assert_close(weighted.predict_proba(Q), copied.predict_proba(Q))
    # All weights c, and c times as many places: as without weights.
    same = KNeighborsClassifier(15, weights=weights).fit(X, y, sample_weight=np.full(30, 3.0))
    assert_close(same.predict_proba(Q), KNeighborsClassifier(5, weights=weights).fit(X, y).predict_proba(Q))
    left_out = copied.predict_proba(None)[np.unique(rows, return_index=True)[1]]
    assert_close(weighted.predict_proba(None), left_out)


@pytest.mark.parametrize("weights", ["uniform", "distance"])
def test_whole_weights_are_copies_within_a_radius(weights, rng):
    X, y = rng.integers(-3, 4, size=(30, 2)).astype(float), rng.integers(0, 3, size=30)
    w = rng.integers(0, 4, size=30)
    rows = np.repeat(np.arange(30), w)
    Q = rng.integers(-3, 4, size=(20, 2)).astype(float)
    model = RadiusNeighborsClassifier(2.0, weights=weights, outlier_label=0)
    weighted, copied = model.fit(X, y, sample_weight=w), RadiusNeighborsClassifier(**model.get_params())
    copied.fit(X[rows], y[rows])
    assert_close(weighted.predict_proba(Q), copied.predict_proba(Q))
    left_out = copied.predict_proba(None)[np.unique(rows, return_index=True)[1]]
    assert_close(weighted.predict_proba(None), left_out)


def test_mixed_tables_by_a_distance_object():
    table = pd.DataFrame({"dose": [0.0, 0.1, 0.9, 1.0], "group": ["x", "x", "y", "y"]})
    model = KNeighborsClassifier(1, metric=MixedDistance().fit(table)).fit(table, [0, 0, 1, 1])
    assert model.predict(pd.DataFrame({"dose": [0.2, 0.6], "group": ["x", "y"]})).tolist() == [0, 1]


def test_fractional_weights_fill_the_places():
    X, y = [[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1]
    model = KNeighborsClassifier(1).fit(X, y, sample_weight=[0.25, 0.5, 0.5, 4.0])
    assert_close(model.predict_proba([[0.0]]), [[0.25 + 0.25, 0.5]])  # 0.25 of row 0, 0.5 of row 1, the rest of row 2


def test_precomputed_distances_with_absent_rows(rng):
    X, y = blobs(rng, 40)
    w = rng.integers(0, 3, size=40)
    Q = rng.normal(size=(9, 2))
    rows = np.repeat(np.arange(40), w)
    model = KNeighborsClassifier(5, metric="precomputed").fit(cdist(X, X), y, sample_weight=w)
    assert_close(model.predict_proba(cdist(Q, X)), KNeighborsClassifier(5).fit(X[rows], y[rows]).predict_proba(Q))


def test_sparse_distances_to_rows_that_were_dense(rng):
    X, y = blobs(rng, 40)
    Q = rng.normal(size=(9, 2))
    for model in (KNeighborsClassifier(5, metric="precomputed"), RadiusNeighborsClassifier(9.0, metric="precomputed")):
        model.fit(cdist(X, X), y)
        with pytest.warns(EfficiencyWarning, match="not sorted"):
            said = model.predict_proba(sparse.csr_array(cdist(Q, X)))
        assert_close(said, model.predict_proba(cdist(Q, X)))


def test_leaving_each_row_out(rng):
    X, y = blobs(rng, 60)
    model = KNeighborsClassifier(5).fit(X, y)
    said = [
        KNeighborsClassifier(5).fit(np.delete(X, i, 0), np.delete(y, i)).predict(X[i : i + 1])[0] for i in range(60)
    ]
    np.testing.assert_array_equal(model.predict(None), said)
    assert_close(model.score(None, y), np.mean(said == y))


@pytest.mark.parametrize("metric", ["manhattan", "chebyshev", "cosine", "correlation", "mahalanobis", "nan_euclidean"])
def test_other_metrics_agree_with_scikit_learn(metric, rng):
    X, y = blobs(rng, p=4)
    Q = rng.normal(size=(30, 4))
    params = {"V": np.cov(X.T)} if metric == "mahalanobis" else None
    ours = KNeighborsClassifier(7, metric=metric, metric_params=params).fit(X, y)
    theirs = peer.KNeighborsClassifier(
        7, metric=metric, metric_params={"VI": np.linalg.inv(params["V"])} if params else None, algorithm="brute"
    ).fit(X, y)
    assert_close(ours.predict_proba(Q), theirs.predict_proba(Q))


def test_missing_cells_with_the_nan_aware_distance():
    X = np.array([[0.0, np.nan], [1.0, 1.0], [np.nan, 5.0]])
    model = KNeighborsClassifier(2, metric="nan_euclidean").fit(X, [0, 0, 1])
    # The first row shares no column with the query, the other two do.
    assert_close(model.predict_proba([[np.nan, 4.0]]), [[0.5, 0.5]])
    model = KNeighborsClassifier(3, metric="nan_euclidean").fit(X, [0, 0, 1])
    assert_close(model.predict_proba([[np.nan, 4.0]]), [[0.5, 0.5]])
    with pytest.raises(ValueError, match="share no observed column"):
        model.predict([[np.nan, np.nan]])


def test_several_outputs_and_sparse_rows(rng):
    X, y = blobs(rng)
    Y = np.column_stack([y, np.where(y == 1, "a", "b")])
    model = KNeighborsClassifier(5).fit(sparse.csr_array(X), Y)
    said = model.predict(X)
    np.testing.assert_array_equal(said[:, 0].astype(int), KNeighborsClassifier(5).fit(X, y).predict(X))
    assert [p.shape for p in model.predict_proba(X)] == [(120, 3), (120, 2)]


@pytest.mark.parametrize("weights", ["uniform", "distance"])
def test_radius_agrees_with_scikit_learn(weights):
    X, y = load_iris(return_X_y=True)
    ours = RadiusNeighborsClassifier(0.8, weights=weights).fit(X[::2], y[::2])
    theirs = peer.RadiusNeighborsClassifier(0.8, weights=weights).fit(X[::2], y[::2])
    assert_close(ours.predict_proba(X[:110]), theirs.predict_proba(X[:110]))
    np.testing.assert_array_equal(ours.predict(X[:110]), theirs.predict(X[:110]))


def test_rows_alone_get_the_outliers_label():
    X, y = [[0.0], [1.0], [10.0]], ["b", "a", "b"]
    with pytest.raises(ValueError, match="No neighbors found"):
        RadiusNeighborsClassifier(1.0).fit(X, y).predict([[5.0]])
    model = RadiusNeighborsClassifier(1.0, outlier_label="most_frequent").fit(X, y)
    assert model.predict([[5.0], [1.2]]).tolist() == ["b", "a"]
    assert_close(model.predict_proba([[5.0]]), [[0, 1]])
    heavy = RadiusNeighborsClassifier(1.0, outlier_label="most_frequent").fit(X, y, sample_weight=[1, 5, 1])
    assert heavy.predict([[5.0]]).tolist() == ["a"]
    with pytest.raises(TypeError, match="dtype of outlier_label"):
        RadiusNeighborsClassifier(outlier_label=3).fit(X, y)
    with pytest.raises(ValueError, match="inconsistent with the output length"):
        RadiusNeighborsClassifier(outlier_label=["a", "b"]).fit(X, y)


def test_more_neighbours_than_rows_raise_early():
    with pytest.raises(ValueError, match="n_neighbors = 5, n_samples_fit = 2"):
        KNeighborsClassifier().fit([[0.0], [1.0]], [0, 1])
    with pytest.raises(ValueError, match="n_neighbors <= n_samples_fit"):
        KNeighborsClassifier(3).fit([[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1], sample_weight=[1, 1, 0, 0])
