"""Leading eigenpairs by block Krylov iteration, against a complete decomposition and known spectra."""

import numpy as np
import pytest

from statlearn._core.eigen import largest_eigenpairs, leading_eigenpairs
from statlearn._core.warnings import OK
from tests.helpers import assert_close


def test_leading_pairs_of_an_indefinite_matrix_are_those_of_a_complete_decomposition(rng):
    A = rng.normal(size=(500, 500))
    A = A + A.T
    values, vectors = leading_eigenpairs(A, 6, np.random.RandomState(0))
    assert_close(values, np.linalg.eigvalsh(A)[::-1][:6])
    assert_close(A @ vectors, vectors * values, atol=1e-7)  # residuals of 1e-10 times the norm of A
    assert_close(vectors.T @ vectors, np.eye(6))


@pytest.mark.parametrize("known", [0, 1])
def test_small_gaps_are_found_after_restarts(known):
    """More passes than the basis has room for, an eigenvalue of multiplicity three, and a known vector."""
    spectrum = np.linspace(1.0, 0.0, 1200)
    spectrum[2:5] = spectrum[3]
    passes = 0

    def apply(V):
        nonlocal passes
        passes += 1
        return spectrum[:, None] * V

    first = np.eye(1200, 1)[:, :known]
    start = np.random.RandomState(0).standard_normal((1200, 8))
    values, vectors, status = largest_eigenpairs(
        apply, start, 6, known=first, known_value=1.0, tol=1e-9, max_passes=2000
    )
    assert status == OK
    assert passes * 8 > 320
    assert_close(values, spectrum[:6])
    assert_close(spectrum[:, None] * vectors, vectors * values, atol=1e-8)
    assert_close(vectors.T @ vectors, np.eye(6))
