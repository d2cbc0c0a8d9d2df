"""Graphs of neighbours."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.neighbors import kneighbors_graph as sklearn_graph

from statlearn.neighbors import (
    KNeighborsTransformer,
    NearestNeighbors,
    RadiusNeighborsTransformer,
    kneighbors_graph,
    pairwise_distances,
    radius_neighbors_graph,
)
from tests.helpers import assert_close


@pytest.mark.spec("NEI-05")
@pytest.mark.parametrize("mode", ["connectivity", "distance"])
@pytest.mark.parametrize("include_self", [True, False, "auto"])
def test_the_directed_graph_is_scikit_learns(mode, include_self, rng):
    X = rng.normal(size=(60, 3))
    ours = kneighbors_graph(X, 5, mode=mode, include_self=include_self)
    theirs = sklearn_graph(X, 5, mode=mode, include_self=include_self)
    assert_close(ours.toarray(), theirs.toarray())
    assert ours.nnz == theirs.nnz


@pytest.mark.spec("NEI-05", "NEI-P10")
@given(st.integers(0, 2**31), st.integers(2, 40))
def test_mutual_edges_are_directed_edges_are_symmetric_edges(seed, n):
    rng = np.random.default_rng(seed)
    X, k = rng.integers(0, 5, size=(n, 2)).astype(float), int(rng.integers(1, n))
    directed, symmetric, mutual = (
        kneighbors_graph(X, k, kind=kind).toarray() > 0 for kind in ("directed", "symmetric", "mutual")
    )
    np.testing.assert_array_equal(symmetric, directed | directed.T)
    np.testing.assert_array_equal(mutual, directed & directed.T)
    assert not np.any(mutual & ~directed)
    assert not np.any(directed & ~symmetric)
    D = pairwise_distances(X)
    weights = kneighbors_graph(X, k, kind="symmetric", mode="distance")
    assert weights.nnz == symmetric.sum()  # edges between equal points are edges, too
    np.testing.assert_array_equal(weights.toarray(), np.where(symmetric, D, 0))


@pytest.mark.spec("NEI-05")
def test_heat_weights(rng):
    X = rng.normal(size=(30, 2))
    distance = kneighbors_graph(X, 4, mode="distance").toarray()
    for exponent, factor in (("two", 2.0), ("one", 1.0)):
        heat = kneighbors_graph(X, 4, mode="heat", bandwidth=0.7, exponent=exponent).toarray()
        assert_close(heat, np.where(distance > 0, np.exp(-(distance**2) / (factor * 0.49)), 0))
    own = np.median(distance[distance > 0])
    assert_close(
        kneighbors_graph(X, 4, mode="heat").toarray(), kneighbors_graph(X, 4, mode="heat", bandwidth=own).toarray()
    )
    ball = radius_neighbors_graph(X, 0.5, mode="heat", bandwidth=1.0)
    assert_close(ball.data, np.exp(-(radius_neighbors_graph(X, 0.5, mode="distance").data ** 2) / 2))


def test_a_fitted_search_is_taken_over_if_its_metric_is_meant(rng):
    search = NearestNeighbors(metric="manhattan").fit(rng.normal(size=(20, 2)))
    A = kneighbors_graph(search, 3, metric="manhattan")
    assert A.shape == (20, 20)
    with pytest.raises(ValueError, match="Got minkowski for metric, while the estimator has manhattan"):
        kneighbors_graph(search, 3)
    with pytest.raises(ValueError, match="Got minkowski for metric"):
        radius_neighbors_graph(search, 3.0)


@pytest.mark.parametrize(
    "arguments", [dict(mode="blah"), dict(kind="both"), dict(bandwidth=0.0), dict(include_self="yes"), dict(metric="?")]
)
def test_arguments_are_checked(arguments):
    with pytest.raises(ValueError, match=next(iter(arguments))):
        kneighbors_graph(np.eye(4), 2, **arguments)


def test_transformers_keep_an_explicit_diagonal(rng):
    X = rng.normal(size=(25, 3))
    A = KNeighborsTransformer(n_neighbors=4).fit_transform(X)
    assert A.nnz == 25 * 5
    np.testing.assert_array_equal(A.indices.reshape(25, 5)[:, 0], np.arange(25))
    B = KNeighborsTransformer(n_neighbors=4, mode="connectivity").fit(X).transform(X[:3])
    assert B.nnz == 12
    C = RadiusNeighborsTransformer(radius=1.0).fit_transform(X)
    assert np.all(C.data <= 1.0)
    assert C.nnz == (pairwise_distances(X) <= 1.0).sum()
    assert list(KNeighborsTransformer().fit(X).get_feature_names_out())[:1] == ["kneighborstransformer0"]


def test_a_graph_serves_as_precomputed_distances(rng):
    X, Q = rng.normal(size=(40, 3)), rng.normal(size=(6, 3))
    graph = KNeighborsTransformer(n_neighbors=9).fit(X)
    search = NearestNeighbors(n_neighbors=5, metric="precomputed").fit(graph.transform(X))
    direct = NearestNeighbors(n_neighbors=5).fit(X)
    for a, b in zip(search.kneighbors(graph.transform(Q)), direct.kneighbors(Q)):
        np.testing.assert_array_equal(a, b)
    for a, b in zip(search.kneighbors(), direct.kneighbors()):
        np.testing.assert_array_equal(a, b)
    with pytest.raises(ValueError, match="13 neighbors per samples are required, but some samples have only 10"):
        search.kneighbors(graph.transform(Q), n_neighbors=13)


@pytest.mark.parametrize("transformer", [KNeighborsTransformer(), RadiusNeighborsTransformer()])
def test_a_transformer_needs_rows(transformer):
    with pytest.raises(ValueError, match="X must not be None; `fit_transform`"):
        transformer.fit(np.arange(20.0)[:, None]).transform(None)
