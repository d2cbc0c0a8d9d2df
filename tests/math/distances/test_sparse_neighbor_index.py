"""Search among sparse rows gives what it gives among the same rows in full."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from statlearn._math.distances.neighbor_index import build_index


def sparse_rows(rng, n, p, density=0.1, dtype=np.float64):
    X = sparse.random_array((n, p), density=density, format="csr", rng=rng, dtype=np.float64)
    X.data = rng.normal(size=X.nnz)
    return X.astype(dtype)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "sqeuclidean", "cosine", "minkowski"])
def test_sparse_and_dense_rows_have_the_same_neighbours_to_the_bit(metric, dtype, rng):
    X, Q = sparse_rows(rng, 400, 60, dtype=dtype), sparse_rows(rng, 50, 60, dtype=dtype)
    X = sparse.vstack([X[:50], sparse.csr_array((2, 60), dtype=dtype), X[50:]]).tocsr()  # rows without entries
    Q = sparse.vstack([sparse.csr_array((2, 60), dtype=dtype), X[10:12], Q]).tocsr()
    index, dense = build_index(X, metric), build_index(X.toarray(), metric, algorithm="brute")
    for a, b in zip(index.query(Q, 30), dense.query(Q.toarray(), 30)):
        np.testing.assert_array_equal(a, b)
    for a, b in zip(index.query(None, 7, exclude_self=True), dense.query(None, 7, exclude_self=True)):
        np.testing.assert_array_equal(a, b)
    r = dense.query(Q.toarray(), 30)[0][:, 12]
    for a, b in zip(index.radius(Q, r, sort=True), dense.radius(Q.toarray(), r, sort=True)):
        np.testing.assert_array_equal(a, b)


@given(st.integers(0, 2**31), st.integers(1, 120), st.integers(1, 6), st.sampled_from(["euclidean", "manhattan"]))
def test_ties_among_sparse_rows_go_by_row_number(seed, n, p, metric):
    rng = np.random.default_rng(seed)
    X, Q = rng.integers(-1, 2, size=(n, p)).astype(float), rng.integers(-1, 2, size=(5, p)).astype(float)
    k = int(rng.integers(1, n + 1))
    dense = build_index(X, metric, algorithm="brute").query(Q, k)
    for a, b in zip(build_index(sparse.csr_array(X), metric).query(sparse.csr_array(Q), k), dense):
        np.testing.assert_array_equal(a, b)


def test_entries_stored_twice_or_out_of_order_are_put_right(rng):
    X = sparse_rows(rng, 100, 20)
    coo = X.tocoo()
    twice = sparse.csr_array((np.repeat(X.data / 2, 2), np.repeat(X.indices, 2), 2 * X.indptr), shape=X.shape)
    assert coo.nnz * 2 == twice.nnz
    expected = build_index(X).query(X, 5)
    found = build_index(twice).query(twice, 5)
    np.testing.assert_array_equal(found[1], expected[1])


def test_metrics_without_a_sparse_form_raise(rng):
    with pytest.raises(ValueError, match="does not support sparse rows"):
        build_index(sparse_rows(rng, 10, 4), "canberra")
    with pytest.raises(ValueError, match="columns"):
        build_index(sparse_rows(rng, 10, 4)).query(sparse_rows(rng, 3, 5), 2)


def test_a_function_sees_sparse_rows(rng):
    X = sparse_rows(rng, 40, 8, density=0.5)

    def distance(a, b):
        return np.abs((a - b).toarray()).sum()

    found = build_index(X, distance).query(X[:4], 3)
    expected = build_index(X, "manhattan").query(X[:4], 3)
    np.testing.assert_array_equal(found[1], expected[1])
