"""Positive definite systems: solutions, scaling, rank, dependent columns, ridges."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import linalg

from statlearn._math.linalg.positive import (
    cholesky,
    independent_columns,
    large_cholesky,
    positive_system,
    regularised_cholesky,
    scaled_eigen,
)
from tests.helpers import assert_close


def cross_products(rng, p=4, n=9):
    A = rng.normal(size=(n, p))
    return A.T @ A


def test_solve_inverse_and_determinant(rng):
    S, B = cross_products(rng), rng.normal(size=(4, 3))
    factor = cholesky(S)
    assert_close(factor.solve(B), np.linalg.solve(S, B))
    assert_close(factor.solve(B[:, 0]), np.linalg.solve(S, B[:, 0]))
    assert_close(factor.inverse(), np.linalg.inv(S))
    assert_close(factor.log_det, np.linalg.slogdet(S)[1])
    assert_close(factor.upper.T @ factor.upper, S)


@given(exponents=st.lists(st.integers(-140, 140), min_size=4, max_size=4))
def test_solutions_do_not_depend_on_the_units_of_columns(exponents):
    S = cross_products(np.random.default_rng(0))
    units = 10.0 ** np.array(exponents)
    b = np.arange(1.0, 5.0)
    scaled = positive_system(S * units * units[:, None])
    assert scaled.rank == 4
    assert_close(scaled.solve(b * units) * units, np.linalg.solve(S, b))


def test_singular_systems_get_a_pseudo_inverse(rng):
    A = rng.normal(size=(6, 4))
    A[:, 3] = A[:, 0] - A[:, 1]
    S = A.T @ A
    system = positive_system(S)
    assert system.rank == 3
    reachable = S @ rng.normal(size=4)
    assert_close(S @ system.solve(reachable), reachable)
    assert_close(system.inverse() @ S @ system.inverse(), system.inverse())


def test_columns_of_zeros_and_empty_systems():
    S = np.diag([2.0, 0.0, 3.0])
    assert cholesky(S) is None
    system = positive_system(S)
    assert system.rank == 2
    assert_close(system.solve(np.array([2.0, 0.0, 6.0])), [1.0, 0.0, 2.0])
    assert cholesky(np.zeros((0, 0))).solve(np.zeros(0)).shape == (0,)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -1.0])
def test_bad_entries_have_no_factor(bad):
    S = np.eye(3)
    S[1, 1] = bad
    assert cholesky(S) is None


def test_pivots_are_unexplained_shares(rng):
    X = rng.normal(size=(30, 3))
    pivots = cholesky(X.T @ X).pivots
    for j in range(3):
        residual = X[:, j] - X[:, :j] @ np.linalg.lstsq(X[:, :j], X[:, j], rcond=None)[0]
        assert_close(pivots[j], residual @ residual / (X[:, j] @ X[:, j]))


def test_first_columns_of_a_dependent_set_are_kept(rng):
    X = rng.normal(size=(20, 6)) * 10.0 ** np.array([3, -4, 0, 1, 2, -2])
    X[:, 2] = 0.0
    X[:, 4] = X[:, 0] - 1e6 * X[:, 1]
    mask = independent_columns(X.T @ X)
    assert mask.tolist() == [True, True, False, True, False, True]
    assert independent_columns(np.diag([1.0, 1e-20]), removed=np.array([0.0, 1e10])).tolist() == [True, False]


def test_smallest_ridge_outweighs_rounding():
    v = np.array([1.0, 2.0, 3.0])
    S = np.outer(v, v)
    S[0, 0] -= 1e-15
    with pytest.raises(linalg.LinAlgError):
        linalg.cholesky(S)
    assert_close(regularised_cholesky(S).upper.T @ regularised_cholesky(S).upper, S, rtol=1e-7)
    with pytest.raises(linalg.LinAlgError, match="not positive definite"):
        regularised_cholesky(np.array([[1.0, 2.0], [2.0, 1.0]]))


def test_a_factor_knows_its_condition_and_whitens(rng):
    B = rng.normal(size=(20, 4))
    A = B.T @ B * np.outer([1, 1e5, 1e-5, 1], [1, 1e5, 1e-5, 1])
    factor = cholesky(A)
    C = A / np.sqrt(np.outer(np.diag(A), np.diag(A)))
    exact = 1.0 / np.linalg.norm(C, 1) / np.linalg.norm(np.linalg.inv(C), 1)
    assert exact <= factor.rcond * (1 + 1e-12)  # LAPACK's estimate of the inverse's norm is a lower bound
    assert factor.rcond < 3 * exact
    assert_close(factor.whitening.T @ A @ factor.whitening, np.eye(4))
    assert np.array_equal(factor.whitening, np.triu(factor.whitening))


def test_scaled_eigenvalues_do_not_depend_on_units(rng):
    B = rng.normal(size=(20, 3))
    A, units = B.T @ B, np.array([1.0, 1e6, 1e-6])
    values, vectors, scale = scaled_eigen(A * np.outer(units, units))
    assert_close(values, scaled_eigen(A)[0])
    assert_close(vectors * values @ vectors.T, A * np.outer(units, units) / np.outer(scale, scale))
    assert scaled_eigen(np.diag([4.0, 0.0]))[2].tolist() == [2.0, 1.0]


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_large_cholesky_solves_in_place(dtype):
    rng = np.random.default_rng(0)
    A = rng.normal(size=(8, 8))
    A = (A @ A.T + np.eye(8)).astype(dtype)
    B, before = rng.normal(size=(8, 2)), A.astype(float)
    factor = large_cholesky(A)
    assert np.shares_memory(factor.U, A)
    np.testing.assert_allclose(before @ factor.solve(B), B, atol=1e-4 if dtype == np.float32 else 1e-12)
    np.testing.assert_allclose(factor.U.T @ factor.U, before, rtol=1e-5 if dtype == np.float32 else 1e-13)


def test_large_cholesky_of_an_indefinite_matrix_raises():
    with pytest.raises(np.linalg.LinAlgError, match="not positive definite"):
        large_cholesky(np.diag([1.0, -1.0]))
