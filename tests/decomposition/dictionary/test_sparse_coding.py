"""Sparse codes against exhaustive least squares, optimality conditions and scikit-learn."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import decomposition as sk

from statlearn.decomposition import OrthogonalMatchingPursuit, SparseCoder, matching_pursuit, sparse_encode
from statlearn.decomposition.dictionary._sparse_coding import cosine_dictionary, lasso_codes
from statlearn.linear import orthogonal_mp
from tests.helpers import assert_close


def unit_atoms(rng, k, p):
    D = rng.normal(size=(k, p))
    return D / np.linalg.norm(D, axis=1, keepdims=True)


@pytest.mark.spec("DEC-29", "DEC-30", "DEC-T10")
def test_a_sparse_signal_in_an_incoherent_dictionary_is_recovered(rng):
    # Unit vectors and cosines: the coherence of the two bases is sqrt(2 / p).
    D = np.vstack([np.eye(64), cosine_dictionary(64, 64)])
    code = np.zeros((1, 128))
    code[0, [3, 40, 90]] = [2.0, -1.5, 1.0]
    x = code @ D
    found = sparse_encode(x, D, algorithm="omp", n_nonzero_coefs=3)
    assert np.sum((x - found @ D) ** 2) < 1e-12
    assert_close(found, code, atol=1e-8)
    assert np.sqrt(np.sum((x - matching_pursuit(x, D, n_steps=3) @ D) ** 2)) > 0.01


@pytest.mark.spec("DEC-30", "DEC-P14")
@given(st.integers(0, 10_000), st.integers(1, 6))
def test_orthogonal_matching_pursuit_keeps_its_promises(seed, count):
    rng = np.random.default_rng(seed)
    D, X = unit_atoms(rng, 15, 8), rng.normal(size=(4, 8))
    before = np.full(4, np.inf)
    for m in range(1, count + 1):
        codes = sparse_encode(X, D, algorithm="omp", n_nonzero_coefs=m)
        residual = X - codes @ D
        assert ((codes != 0).sum(axis=1) <= m).all()
        for r, c in zip(residual, codes):
            assert np.abs(D[c != 0] @ r).max() < 1e-9  # orthogonal to the chosen atoms
        now = np.sum(residual**2, axis=1)
        assert (now <= before + 1e-12).all()
        before = now


@pytest.mark.spec("DEC-29")
def test_the_pursuit_of_many_signals_equals_that_of_each(rng):
    D, X = unit_atoms(rng, 20, 12), rng.normal(size=(30, 12))
    assert_close(sparse_encode(X, D, algorithm="omp", n_nonzero_coefs=4), orthogonal_mp(D.T, X.T, n_nonzero_coefs=4).T)
    assert_close(sparse_encode(X, D, algorithm="omp", alpha=2.0), orthogonal_mp(D.T, X.T, tol=2.0).T)
    assert OrthogonalMatchingPursuit.__module__.startswith("statlearn.linear")


@pytest.mark.spec("DEC-29")
def test_a_tolerance_gives_the_fewest_atoms_of_the_pursuit(rng):
    D, X = unit_atoms(rng, 20, 12), rng.normal(size=(10, 12))
    codes = sparse_encode(X, D, algorithm="omp", alpha=1.0)
    assert (np.sum((X - codes @ D) ** 2, axis=1) <= 1.0).all()
    for x, code in zip(X, codes):
        m = np.count_nonzero(code)
        if m > 1:
            shorter = sparse_encode(x[None], D, algorithm="omp", n_nonzero_coefs=m - 1)
            assert np.sum((x - shorter @ D) ** 2) > 1.0


@pytest.mark.spec("DEC-P14")
def test_an_orthonormal_dictionary_is_exact_with_all_atoms(rng):
    D = np.linalg.qr(rng.normal(size=(6, 6)))[0]
    X = rng.normal(size=(5, 6))
    assert_close(sparse_encode(X, D, algorithm="omp", n_nonzero_coefs=6), X @ D.T, atol=1e-12)


@pytest.mark.spec("DEC-29")
@given(st.integers(0, 10_000), st.sampled_from([0.05, 0.5, 2.0]), st.booleans())
def test_lasso_codes_satisfy_the_optimality_conditions(seed, alpha, positive):
    rng = np.random.default_rng(seed)
    D, X = unit_atoms(rng, 25, 10), rng.normal(size=(6, 10))
    codes = sparse_encode(X, D, algorithm="lasso_lars", alpha=alpha, positive=positive)
    inner = (X - codes @ D) @ D.T
    assert_close(inner[codes != 0], alpha * np.sign(codes[codes != 0]), atol=1e-8)
    assert ((inner if positive else np.abs(inner)) <= alpha + 1e-8).all()
    assert not positive or codes.min() >= 0


@pytest.mark.parametrize("algorithm", ["lasso_lars", "lasso_cd", "lars", "omp", "threshold"])
def test_codes_agree_with_scikit_learn(rng, algorithm):
    D, X = unit_atoms(rng, 12, 8), rng.normal(size=(9, 8))
    options = dict(algorithm=algorithm) if algorithm in ("lars", "omp") else dict(algorithm=algorithm, alpha=0.3)
    ours = sparse_encode(X, D, **options)
    theirs = sk.sparse_encode(X, D, **options)
    # Coordinate descent stops at a tolerance.
    assert_close(ours, theirs, atol=2e-2 if algorithm == "lasso_cd" else 1e-7)
    coder = SparseCoder(D, transform_algorithm=algorithm, transform_alpha=options.get("alpha"))
    assert_close(coder.transform(X), ours)


def test_split_codes_are_inverted_to_the_same_signals(rng):
    D, X = unit_atoms(rng, 12, 8), rng.normal(size=(9, 8))
    coder = SparseCoder(D, transform_algorithm="lasso_lars", transform_alpha=0.1, split_sign=True)
    codes = coder.fit_transform(X)
    assert codes.shape == (9, 24)
    assert codes.min() >= 0
    assert len(coder.get_feature_names_out()) == 24
    whole = SparseCoder(D, transform_algorithm="lasso_lars", transform_alpha=0.1).transform(X)
    assert_close(coder.inverse_transform(codes), whole @ D)


def test_fixed_dictionaries(rng):
    D = cosine_dictionary(16, 16)
    assert_close(D @ D.T, np.eye(16), atol=1e-12)
    assert_close(np.linalg.norm(cosine_dictionary(16), axis=1), 1.0)
    X = rng.normal(size=(3, 16))
    assert SparseCoder("cosine").fit(X).components_.shape == (32, 16)
    assert_close(SparseCoder("identity", transform_n_nonzero_coefs=16).fit_transform(X), X)


@pytest.mark.spec("DEC-30")
def test_matching_pursuit_projects_the_residual_and_leaves_earlier_coefficients(rng):
    D, x = unit_atoms(rng, 10, 5), rng.normal(size=(1, 5))
    residual, code = x[0].copy(), np.zeros(10)
    for _ in range(7):
        j = np.argmax(np.abs(D @ residual))
        code[j] += D[j] @ residual
        residual -= (D[j] @ residual) * D[j]
    found, sizes = matching_pursuit(x, D, n_steps=7, return_residuals=True)
    assert_close(found[0], code)
    assert_close(sizes[0, -1], residual @ residual)
    assert (np.diff(sizes[0]) <= 0).all()


def test_dependent_atoms_end_the_pursuit_with_a_warning():
    D = np.array([[1.0, 0.0], [1.0, 0.0]])
    with pytest.warns(RuntimeWarning, match="ended early for 1 of 1 signals"):
        codes = sparse_encode([[1.0, 1.0]], D, algorithm="omp", n_nonzero_coefs=2)
    assert_close(codes, [[1.0, 0.0]])


def test_a_limit_of_passes_is_reported(rng):
    D = unit_atoms(rng, 60, 20) + 1.0
    with pytest.warns(Warning, match="did not converge"):
        sparse_encode(rng.normal(size=(5, 20)), D, algorithm="lasso_cd", alpha=1e-4, max_iter=1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sparse_encode(rng.normal(size=(5, 20)), D, algorithm="lasso_lars", alpha=1e-4, max_iter=1)


def test_exact_codes_over_dependent_atoms_keep_to_the_passes(rng):
    """Dependent atoms have no unique support to search for: passes continue where they stopped, and none is worse."""
    D, X = rng.normal(size=(12, 5)), 1e3 * rng.normal(size=(4, 5))
    gram, products, squares = D @ D.T, X @ D.T, np.einsum("ij,ij->i", X, X)
    costs, codes = [], np.zeros((4, 12))
    for _ in range(5):
        codes = lasso_codes(gram, products, squares, 1.0, max_iter=1, start=codes)[0]
        costs.append(0.5 * np.sum((X - codes @ D) ** 2) + np.abs(codes).sum())
    assert (np.diff(costs) < 0).any()  # one pass was not all of them
    assert (np.diff(costs) <= 1e-9 * costs[0]).all()
