"""Singular value decomposition and what follows from it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from statlearn.decomposition import best_rank_k, fundamental_subspaces, svd, svd_inverse, svd_norms
from tests.helpers import assert_close

BOOK = np.array([[3.0, 0.0], [4.0, 5.0]])


def matrix(seed, m, n, rank):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(m, rank)) @ rng.normal(size=(rank, n))


shapes = st.tuples(st.integers(0, 10_000), st.integers(1, 7), st.integers(1, 7), st.integers(1, 4))


@pytest.mark.spec("DEC-T1")
def test_the_printed_example():
    assert_close(svd(BOOK).s, [6.708203932499369, 2.23606797749979])
    best = best_rank_k(BOOK, 1)
    assert_close(best.matrix, [[1.5, 1.5], [4.5, 4.5]])
    assert_close(best.frobenius_error, np.sqrt(5))
    # Erratum 000b E20: the spectral error is the singular value, not its square.
    assert_close(best.spectral_error, np.sqrt(5))


@pytest.mark.spec("DEC-01", "DEC-P1")
@given(shapes)
def test_all_modes_multiply_back_and_have_orthonormal_factors(case):
    seed, m, n, rank = case
    A = matrix(seed, m, n, min(rank, m, n))
    r = min(rank, m, n)
    for mode in ("complete", "thin", "compact"):
        U, s, Vt = svd(A, mode=mode)
        k = len(s)
        assert_close((U[:, :k] * s) @ Vt[:k], A, atol=1e-9)
        assert_close(U.T @ U, np.eye(U.shape[1]), atol=1e-10)
        assert_close(Vt @ Vt.T, np.eye(Vt.shape[0]), atol=1e-10)
        largest = np.abs(Vt).argmax(axis=1)
        assert np.all(Vt[np.arange(len(Vt)), largest] > 0)
    assert svd(A, mode="complete").U.shape == (m, m)
    assert svd(A, mode="complete").Vt.shape == (n, n)
    assert len(svd(A, mode="compact").s) == r
    # Erratum 000b E21: U holds eigenvectors of A A'.
    U, s, Vt = svd(A)
    assert_close(A @ A.T @ U, U * s**2, atol=1e-8)
    assert_close(A.T @ A @ Vt.T, Vt.T * s**2, atol=1e-8)


@pytest.mark.spec("DEC-02", "DEC-P1")
@given(shapes)
def test_four_subspaces_are_orthogonal_and_have_the_right_dimensions(case):
    seed, m, n, rank = case
    r = min(rank, m, n)
    A = matrix(seed, m, n, r)
    parts = fundamental_subspaces(A)
    assert [basis.shape for basis in parts] == [(m, r), (m, m - r), (n, r), (n, n - r)]
    assert_close(parts.column_space.T @ parts.left_null_space, 0, atol=1e-10)
    assert_close(parts.row_space.T @ parts.null_space, 0, atol=1e-10)
    assert_close(A @ parts.null_space, 0, atol=1e-9)
    assert_close(A.T @ parts.left_null_space, 0, atol=1e-9)
    assert_close(parts.column_space @ (parts.column_space.T @ A), A, atol=1e-9)


@pytest.mark.spec("DEC-03", "DEC-P1")
@given(shapes)
def test_pseudo_inverse_and_norms(case):
    seed, m, n, rank = case
    A = matrix(seed, m, n, min(rank, m, n))
    inverse = svd_inverse(A)
    assert_close(A @ inverse @ A, A, atol=1e-8)
    assert_close(inverse @ A @ inverse, inverse, rtol=1e-6, atol=1e-6)
    assert_close((A @ inverse).T, A @ inverse, atol=1e-8)
    norms = svd_norms(A)
    assert_close(norms.frobenius, np.sqrt(np.sum(A**2)))
    assert_close(norms.spectral, np.linalg.norm(A, 2))
    assert_close(norms.nuclear, np.linalg.norm(A, "nuc"))
    if rank < min(m, n):
        assert norms.condition == np.inf
    else:
        assert_close(norms.condition, np.linalg.cond(A), rtol=1e-6)


def test_the_inverse_of_a_regular_matrix_is_its_inverse():
    assert_close(svd_inverse(BOOK), np.linalg.inv(BOOK))
    assert svd_norms(np.zeros((2, 2))).condition == np.inf


@pytest.mark.spec("DEC-04", "DEC-P2")
@given(st.integers(0, 10_000), st.integers(0, 4))
def test_no_matrix_of_the_same_rank_is_closer(seed, k):
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(6, 5))
    U, s, Vt = svd(A, mode="thin")
    best = best_rank_k(A, k)
    assert_close(best.frobenius_error**2, np.sum(s[k:] ** 2))
    assert_close(np.linalg.norm(A - best.matrix), best.frobenius_error)
    assert_close(np.linalg.norm(A - best.matrix, 2), s[k])
    assert_close(best.spectral_error, s[k])
    assert_close(best.matrix, U[:, :k] @ U[:, :k].T @ A, atol=1e-12)
    assert_close(best.matrix, A @ Vt[:k].T @ Vt[:k], atol=1e-12)
    left = U[:, :k] + 0.1 * rng.normal(size=(6, k))
    right = np.linalg.lstsq(left, A, rcond=None)[0] if k else np.zeros((0, 5))
    assert np.linalg.norm(A - left @ right) >= best.frobenius_error - 1e-9
    assert np.linalg.norm(A - left @ right, 2) >= best.spectral_error - 1e-9


def test_truncated_mode_and_its_errors():
    A = matrix(0, 5, 4, 4)
    assert_close(svd(A, mode="truncated", k=2).s, svd(A).s[:2])
    with pytest.raises(ValueError, match="`k` must be given"):
        svd(A, mode="truncated")
    with pytest.raises(ValueError, match="`k`=5 exceeds"):
        svd(A, mode="truncated", k=5)
    with pytest.raises(ValueError, match="`k`=9 exceeds"):
        best_rank_k(A, 9)
