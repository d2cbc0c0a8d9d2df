"""Self-organising maps."""

import warnings

import numpy as np
import pytest
from sklearn.datasets import load_iris

from statlearn.cluster import KMeans, SelfOrganizingMap
from tests.helpers import assert_close


def fitted(*args, X, **settings):
    return SelfOrganizingMap(*args, **settings).fit(X)


@pytest.mark.spec("CRS-74")
@pytest.mark.parametrize("neighbourhood", ["gaussian", "bubble"])
def test_batch_with_radius_0_is_lloyds_algorithm_step_for_step(neighbourhood, rng):
    X = rng.normal(size=(200, 3))
    start = X[:6]
    for step in range(1, 8):
        som = SelfOrganizingMap((2, 3), neighbourhood=neighbourhood, radius=0, n_passes=step, init=start).fit(X)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # k-means warns that it was stopped
            kmeans = KMeans(6, init=start, max_iter=step, tol=0, algorithm="full").fit(X)
        assert_close(som.prototypes_, kmeans.cluster_centers_)
    som = SelfOrganizingMap((2, 3), radius=0, n_passes=500, init=start).fit(X)
    kmeans = KMeans(6, init=start, max_iter=500, tol=0).fit(X)
    assert som.n_iter_ < 500  # nothing changes any more
    assert np.array_equal(som.labels_, kmeans.labels_)


@pytest.mark.spec("CRS-74")
@pytest.mark.parametrize("settings", [{}, {"update": "online", "random_state": 0}, {"neighbourhood": "bubble"}])
def test_a_chain_keeps_the_order_of_a_curve(settings, rng):
    t = np.sort(rng.uniform(0, 0.9 * np.pi, 300))
    X = np.column_stack([np.cos(t), np.sin(t), 0.2 * t])
    chain = SelfOrganizingMap((1, 12), **settings).fit(X)
    steps = np.diff(chain.labels_)
    assert np.all(steps >= 0) or np.all(steps <= 0)
    assert chain.topographic_error_ < 0.05


def slow_batch(X, w, start, positions, radii, h):
    """The formula of the docstring with loops."""
    m = start.copy()
    for r in radii:
        c = [int(np.argmin([np.sum((x - p) ** 2) for p in m])) for x in X]
        new = m.copy()
        for j in range(len(m)):
            weights = np.array([w[i] * h(np.sum((positions[j] - positions[c[i]]) ** 2), r) for i in range(len(X))])
            if weights.any():  # with a bubble no row may be near
                new[j] = weights @ X / weights.sum()
        m = new
    return m


@pytest.mark.spec("CRS-74")
@pytest.mark.parametrize("topology", ["rect", "hex"])
def test_batch_passes_are_the_weighted_means_of_the_docstring(topology, rng):
    X, w, start = rng.normal(size=(30, 2)), rng.uniform(0.5, 2, 30), rng.normal(size=(12, 2))
    settings = {"topology": topology, "init": start, "radius": 2.0, "final_radius": 1.0, "n_passes": 3}
    som = SelfOrganizingMap((3, 4), **settings).fit(X, sample_weight=w)
    slow = slow_batch(X, w, start, som.positions_, [2.0, 1.5, 1.0], lambda d, r: np.exp(-d / (2 * r * r)))
    assert_close(som.prototypes_, slow)
    som = SelfOrganizingMap((3, 4), **settings, neighbourhood="bubble").fit(X, sample_weight=w)
    slow = slow_batch(X, w, start, som.positions_, [2.0, 1.5, 1.0], lambda d, r: float(d <= r * r + 1e-6))
    assert_close(som.prototypes_, slow)


def test_neighbours_on_both_grids_are_at_distance_1():
    rect = fitted((3, 3), X=np.arange(9.0).reshape(-1, 1))
    assert rect.positions_[[0, 1, 3]].tolist() == [[0, 0], [1, 0], [0, 1]]
    hexagons = fitted((3, 3), X=np.arange(9.0).reshape(-1, 1), topology="hex")
    distances = np.linalg.norm(hexagons.positions_ - hexagons.positions_[4], axis=1)
    assert np.sum(np.abs(distances - 1.0) < 1e-12) == 6


@pytest.mark.spec("CRS-74")
def test_errors_match_their_definitions():
    X = np.array([[0.0], [1.0], [2.0], [9.0]])
    som = SelfOrganizingMap((1, 3), init=[[0.0], [10.0], [2.0]], n_passes=0).fit(X)
    assert som.labels_.tolist() == [0, 0, 2, 1]  # the tie at 1 goes to the first
    assert_close(som.quantization_error_, (0 + 1 + 0 + 1) / 4)
    # The second nearest prototype of 0, 1 and 2 is at the other end of the chain; that of 9 is the neighbour.
    assert_close(som.topographic_error_, 3 / 4)
    assert_close(som.transform(X), [[0, 0], [0, 0], [2, 0], [1, 0]])
    assert_close(som.u_matrix(), [[10, 9, 8]])
    assert_close(som.topographic_error(X, [0, 0, 1, 1]), 0.5)


@pytest.mark.spec("CRS-74")
def test_maps_of_iris_are_ordered_and_fit_better_than_the_plane():
    X = load_iris().data
    start = fitted((8, 5), X=X, n_passes=0)
    for settings in ({}, {"update": "online", "random_state": 0, "n_passes": 10}):
        som = fitted((8, 5), X=X, **settings)
        assert som.quantization_error_ < 0.8 * start.quantization_error_
        assert som.topographic_error_ < 0.15
        assert len(som.history_) == som.n_iter_


def test_weights_are_copies(rng):
    X, w = rng.normal(size=(40, 3)), rng.integers(0, 4, 40)
    a = SelfOrganizingMap((3, 2)).fit(X, sample_weight=w)
    b = SelfOrganizingMap((3, 2)).fit(np.repeat(X, w, axis=0))
    assert_close(a.prototypes_, b.prototypes_)
    assert_close(a.topographic_error_, b.topographic_error_)


@pytest.mark.parametrize("shape", [(3,), (0, 3), (2.5, 2), "ab", (10**6, 10**6), (True, 2)])
def test_bad_shapes_are_named(shape):
    with pytest.raises(ValueError, match="shape"):
        SelfOrganizingMap(shape).fit(np.ones((4, 2)))


def test_given_prototypes_must_fit_the_grid():
    with pytest.raises(ValueError, match=r"`init` must have shape \(4, 2\), one prototype per unit, got \(3, 2\)"):
        SelfOrganizingMap((2, 2), init=np.ones((3, 2))).fit(np.ones((4, 2)))
