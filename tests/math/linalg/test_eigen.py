"""Leading eigenpairs by block Krylov iteration, against a complete decomposition and known spectra."""

import warnings

import numpy as np
import pytest

from statlearn._core.warnings import OK
from statlearn._math.linalg.eigen import eigh, eigh_between, largest_eigenpairs, leading_eigenpairs
from statlearn.decomposition import PCA, FactorAnalysis, FastICA
from statlearn.decomposition.dictionary._ksvd import leading_pair
from statlearn.manifold import ClassicalMDS, KernelPCA
from tests.helpers import assert_close


def test_leading_pairs_of_an_indefinite_matrix_match_a_complete_decomposition(rng):
    A = rng.normal(size=(500, 500))
    A = A + A.T
    values, vectors = leading_eigenpairs(A, 6, np.random.RandomState(0))
    assert_close(values, np.linalg.eigvalsh(A)[::-1][:6])
    assert_close(A @ vectors, vectors * values, atol=1e-7)  # residuals of 1e-10 times the norm of A
    assert_close(vectors.T @ vectors, np.eye(6))


@pytest.mark.parametrize("known", [0, 1])
def test_small_gaps_are_resolved_after_restarts(known):
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


def test_eigenvalues_of_a_matrix_over_the_whole_range_of_floats(rng):
    """LAPACK's default method does not return for it."""
    scale = np.array([1e-90, 1e90, 1.0, 1.0])
    X = rng.normal(size=(40, 4)) * scale
    values, vectors = eigh(X.T @ X)
    assert_close(values[-1], np.sum(X[:, 1] ** 2))
    assert_close(vectors.T @ vectors, np.eye(4), atol=1e-12)


@pytest.mark.parametrize("draw", range(1, 6))
def test_models_of_columns_over_the_whole_range_return(draw):
    rng = np.random.default_rng(draw)
    X = rng.normal(size=(40, 4)) * [1e-90, 1e90, 1.0, 1.0]
    for model in (PCA(), FactorAnalysis(2, max_iter=5), FastICA(random_state=0, max_iter=5)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                assert np.isfinite(model.fit(X).components_).all()
            except ValueError as error:
                assert "overflow or underflow" in str(error)  # noqa: PT017


@pytest.mark.parametrize("n", [20, 60, 100, 300])
@pytest.mark.parametrize("sign", [1, -1])
def test_equal_eigenvalues_are_all_found(n, sign):
    """LAPACK returns none for some of these, where all but one eigenvalue are equal."""
    A = sign * (np.eye(n) - 1 / n) / 2
    known = np.sort(np.r_[0.0, np.full(n - 1, sign / 2)])
    for k in (1, 2, 5):
        for first in (0, n - k):
            values, vectors = eigh_between(A, first, first + k - 1)
            assert_close(values, known[first : first + k], atol=1e-12)
            assert_close(A @ vectors, vectors * values, atol=1e-12)
            assert_close(vectors.T @ vectors, np.eye(k), atol=1e-12)


def test_models_of_points_that_are_all_equally_far_apart():
    D = 1.0 - np.eye(60)
    placed = ClassicalMDS(metric="precomputed").fit(D)
    assert_close(placed.eigenvalues_, [0.5, 0.5])
    model = KernelPCA(n_components=2, kernel="precomputed", eigen_solver="dense").fit(np.eye(60))
    assert_close(model.eigenvalues_, [1.0, 1.0])
    a, u = leading_pair(np.vstack([np.eye(60) - 1 / 60] * 2))
    assert_close([np.linalg.norm(a), np.linalg.norm(u)], [np.sqrt(2), 1.0])
