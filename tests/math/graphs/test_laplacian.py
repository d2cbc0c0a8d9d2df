"""Smallest eigenpairs of sparse graphs by multigrid, and graphs of nearest neighbours, against dense algebra."""

import numpy as np
import pytest
from scipy import sparse

import statlearn
from statlearn._core import native
from statlearn._core.warnings import OK
from statlearn._math.graphs.laplacian import Laplacian, check_affinity, smallest_eigenpairs
from statlearn._math.graphs.similarity import neighbor_affinity, ordered_neighbor_affinity, scaled
from statlearn._math.linalg.eigen import smallest_graph_eigenpairs
from tests.helpers import assert_close


def _chain(weights):
    return sparse.csr_array(sparse.diags_array([weights, weights], offsets=[1, -1]))


def _star(n):
    spokes = np.ones(n - 1, dtype=float)
    rows, columns = np.zeros(n - 1, dtype=int), np.arange(1, n)
    half = sparse.coo_array((spokes, (rows, columns)), shape=(n, n))
    return sparse.csr_array(half + half.T)


def _graphs():
    rng = np.random.default_rng(0)
    side = _chain(np.ones(29))
    pieces = np.vstack([rng.normal(size=(300, 2)) + 40 * i for i in range(3)])
    space = rng.normal(size=(800, 8))
    return {
        "path": _chain(np.ones(700)),
        "path of weights over twelve decades": _chain(10.0 ** rng.uniform(-6, 6, 700)),
        "star": _star(600),
        "grid, with double eigenvalues": sparse.csr_array(
            sparse.kron(side, sparse.eye_array(30)) + sparse.kron(sparse.eye_array(30), side)
        ),
        "three components": neighbor_affinity(pieces, 10),
        "points in eight dimensions": neighbor_affinity(space, 10, ties="either", gamma=3.0),
    }


GRAPHS = _graphs()


@pytest.mark.parametrize("kind", ["sym", "unnormalized"])
@pytest.mark.parametrize("name", GRAPHS)
def test_sparse_pairs_match_a_complete_decomposition(name, kind):
    operator = Laplacian(check_affinity(GRAPHS[name]), kind)
    L = operator.matrix()
    values, vectors, _ = smallest_eigenpairs(operator, 6, np.random.RandomState(0))
    assert_close(values, np.linalg.eigvalsh(L.toarray())[:6], atol=1e-10 * operator.top)
    assert np.linalg.norm(L @ vectors - vectors * values, axis=0).max() <= 2e-8 * operator.top
    assert_close(vectors.T @ vectors, np.eye(6), atol=1e-10)


def test_sparse_pairs_have_the_same_bits_for_any_number_of_threads():
    rng = np.random.default_rng(1)
    operator = Laplacian(neighbor_affinity(rng.uniform(size=(3000, 2)), 12), "sym")
    results = []
    for n_threads in (1, 2, 3):
        with statlearn.threads(n_threads):
            results.append(smallest_eigenpairs(operator, 5, np.random.RandomState(0))[:2])
    for values, vectors in results[1:]:
        np.testing.assert_array_equal(values, results[0][0])
        np.testing.assert_array_equal(vectors, results[0][1])


def test_rows_without_edges_are_components():
    W = neighbor_affinity(np.random.default_rng(0).normal(size=(500, 2)), 8).tolil()
    W[7], W[:, 7] = 0, 0
    operator = Laplacian(check_affinity(sparse.csr_array(W)), "sym")
    values, vectors, pieces = smallest_eigenpairs(operator, 4, np.random.RandomState(0))
    L = operator.matrix().toarray()
    assert_close(values, np.linalg.eigvalsh(L)[:4], atol=1e-10)
    assert np.sum(values < 1e-10) == pieces >= 2
    assert np.abs(L @ vectors - vectors * values).max() < 1e-7


def test_no_steps_are_reported_as_unfinished():
    operator = Laplacian(GRAPHS["points in eight dimensions"], "sym")
    null = operator.root[:, None] / np.linalg.norm(operator.root)
    *_, status = smallest_graph_eigenpairs(
        operator.matrix(),
        3,
        null=null,
        near=operator.root,
        random_state=np.random.RandomState(0),
        tol=1e-12,
        max_iter=1,
    )
    assert status != OK


@pytest.mark.parametrize("ties", ["average", "either", "both"])
@pytest.mark.parametrize("gamma", [0.0, 0.7])
def test_the_graph_of_neighbours_is_the_one_by_its_definition(ties, gamma):
    X = np.random.default_rng(0).normal(size=(120, 3))
    d2 = ((X[:, None] - X) ** 2).sum(axis=2)
    near = np.zeros_like(d2)
    np.put_along_axis(near, np.argsort(d2, axis=1)[:, :7], 1.0, axis=1)
    ones = {
        "average": 0.5 * (near + near.T),
        "either": np.maximum(near, near.T),
        "both": near * near.T,
    }[ties]
    graph = neighbor_affinity(X, 7, ties=ties, gamma=gamma)
    assert_close(graph.toarray(), ones * np.exp(-gamma * d2), atol=1e-14)
    assert (np.diff(graph.indices)[np.diff(np.repeat(np.arange(120), np.diff(graph.indptr))) == 0] > 0).all()
    np.testing.assert_array_equal(graph.toarray(), graph.T.toarray())


@pytest.mark.parametrize("ties", ["average", "either", "both"])
@pytest.mark.parametrize("columns", [2, 30])  # by a tree, and by brute force
def test_the_graph_in_spatial_order_is_the_same_graph(ties, columns):
    X = np.random.default_rng(0).integers(0, 4, size=(300, columns)).astype(float)  # with ties and duplicates
    graph, order = ordered_neighbor_affinity(X, 9, ties=ties, gamma=0.3)
    np.testing.assert_array_equal(np.sort(order), np.arange(300))
    plain = neighbor_affinity(X, 9, ties=ties, gamma=0.3).toarray()
    np.testing.assert_array_equal(graph.toarray(), plain[np.ix_(order, order)])


_TABLES = {
    "roll": lambda rng: np.c_[rng.normal(size=(1500, 2)), rng.uniform(size=1500) ** 4],
    "nine columns": lambda rng: rng.normal(size=(700, 9)),
    "dense and sparse places": lambda rng: np.exp(6.0 * rng.normal(size=(900, 2))),
    "copies of few rows": lambda rng: rng.normal(size=(5, 3))[rng.integers(0, 5, 700)],
    "one row, many times": lambda rng: np.ones((600, 2)),
    "distances that overflow": lambda rng: 1e200 * rng.normal(size=(500, 2)),
    "single precision": lambda rng: rng.normal(size=(800, 3)).astype(np.float32),
    "fewer rows than a leaf": lambda rng: rng.normal(size=(70, 2)),
}


@pytest.mark.parametrize("k", [1, 5, 64])
@pytest.mark.parametrize("name", _TABLES)
def test_sets_of_neighbours_match_a_query(name, k):
    X = _TABLES[name](np.random.default_rng(0))
    gamma = 0.1
    graphs = []
    for n_threads in (1, 3):
        with statlearn.threads(n_threads):
            graphs.append(ordered_neighbor_affinity(X, k, ties="average", gamma=gamma))
    (graph, order), (again, _) = graphs
    np.testing.assert_array_equal(graph.indices, again.indices)
    np.testing.assert_array_equal(graph.data, again.data)
    plain = neighbor_affinity(X, k, ties="average", gamma=gamma).tocoo()
    graph = graph.tocoo()
    key = np.lexsort((order[graph.col], order[graph.row]))
    np.testing.assert_array_equal(order[graph.row][key], plain.row)
    np.testing.assert_array_equal(order[graph.col][key], plain.col)
    np.testing.assert_array_equal(graph.data[key], plain.data)


@pytest.mark.parametrize("k", [8, 60])  # coarse levels by products row by row, and over few columns at a time
def test_pairs_of_a_graph_in_spatial_order(k):
    X = np.random.default_rng(0).uniform(size=(1200, 2))
    W, _ = ordered_neighbor_affinity(X, k, ties="either", gamma=2.0)
    operator = Laplacian(W, "sym")
    results = []
    for n_threads in (1, 2, 3):
        with statlearn.threads(n_threads):
            results.append(smallest_eigenpairs(operator, 5, np.random.RandomState(0))[:2])
    assert_close(results[0][0], np.linalg.eigvalsh(operator.matrix().toarray())[:5], atol=1e-10)
    for values, vectors in results[1:]:
        np.testing.assert_array_equal(values, results[0][0])
        np.testing.assert_array_equal(vectors, results[0][1])


def test_rows_and_columns_are_scaled():
    rng = np.random.default_rng(0)
    A = sparse.random_array((40, 40), density=0.2, rng=rng, format="csr")
    left, right = rng.normal(size=40), rng.normal(size=40)
    assert_close(scaled(A, left, right).toarray(), left[:, None] * A.toarray() * right)
    assert_close(scaled(A.toarray(), left, right), left[:, None] * A.toarray() * right)


@pytest.mark.parametrize("bad", [40, -1])
def test_columns_of_a_graph_are_checked(bad):
    W = neighbor_affinity(np.random.default_rng(0).normal(size=(40, 2)), 5)
    columns = W.indices.copy()
    columns[7] = bad
    one, pair = np.ones((40, 1)), (np.empty(1), np.empty((40, 1)))
    with pytest.raises(ValueError, match="a column index is out of range"):
        native.common.smallest_pairs(W.data, columns, W.indptr, one, one.ravel(), 1e-9, 10, 0, *pair)
    with pytest.raises(ValueError, match="a column index is out of range"):
        native.manifold.walk_laplacian(
            W.data, columns, W.indptr, 1.0, np.empty(40), np.empty(40), np.empty_like(W.data)
        )


def test_the_memory_of_a_graph_is_known_before_it_is_taken(monkeypatch):
    monkeypatch.setattr("statlearn._core.memory.available_memory", lambda: 36 * 200 * 20 - 1)
    X = np.random.default_rng(0).normal(size=(200, 2))
    ordered_neighbor_affinity(X, 19)
    with pytest.raises(MemoryError, match=r"graph of the 20 nearest neighbours of 200 rows .*fewer neighbours"):
        ordered_neighbor_affinity(X, 20)


@pytest.mark.parametrize("ties", [0, 1, 2])
def test_neighbour_graphs_of_asymmetric_distances_are_refused(ties):
    """The columns of the last row once ran over the end of the graph."""
    n = 20_000
    near, distances = np.full((n, 1), n - 1, np.int64), np.ones((n, 1))
    near[-1], distances[-1] = 0, 5.0
    with pytest.raises(ValueError, match="the same in both directions"):
        native.common.neighbor_graph(near, distances, np.empty(0, np.int32), ties, 0.0)


def test_matrices_that_are_not_finite_give_no_pairs():
    """They ended in an error of LAPACK's arguments, or in eigenvalues that were never computed."""
    n = 300
    ring = sparse.diags_array([np.full(n - 1, -1.0), np.full(n, 2.0), np.full(n - 1, -1.0)], offsets=[-1, 0, 1]).tocsr()
    ring.data[[5, 100]] = np.nan
    one = np.full((n, 1), n**-0.5)
    values, vectors = np.zeros(2), np.zeros((n, 2))
    with pytest.raises(ValueError, match="values must be finite"):
        native.common.smallest_pairs(
            ring.data, ring.indices.astype(np.int32), ring.indptr.astype(np.int32), one, one.ravel(), 1e-9, 10, 0,
            values, vectors,
        )  # fmt: skip
