"""Learned dictionaries: recovery of a known one, monotone steps, identities of the online statistics."""

import numpy as np
import pytest
from sklearn import decomposition as sk

from statlearn.decomposition import (
    KSVD,
    DictionaryLearning,
    MiniBatchDictionaryLearning,
    OnlineDictionaryLearning,
    dict_learning,
    dict_learning_online,
    sparse_encode,
)
from statlearn.decomposition.dictionary._atoms import gradient_update
from statlearn.decomposition.dictionary._ksvd import ksvd_update, leading_pair
from tests.helpers import assert_close


def sparse_signals(rng, n=600, k=12, p=10, count=2):
    """Signals of `count` atoms each over a known dictionary."""
    D = rng.normal(size=(k, p))
    D /= np.linalg.norm(D, axis=1, keepdims=True)
    codes = np.zeros((n, k))
    for row in codes:
        row[rng.choice(k, count, replace=False)] = rng.choice([-1, 1], count) * rng.uniform(1, 3, count)
    return codes @ D, D


def recovered(found, D):
    """Share of the true atoms that a learned one matches up to sign."""
    return np.mean(np.abs(D @ found.T).max(axis=1) > 0.99)


@pytest.mark.spec("DEC-32")
def test_ksvd_recovers_a_known_dictionary(rng):
    X, D = sparse_signals(rng, 800, 24, 20)
    options = dict(n_nonzero_coefs=2, max_iter=60, tol=0)
    shares = [recovered(KSVD(24, **options, random_state=s).fit(X).components_, D) for s in range(3)]
    assert max(shares) >= 0.9  # the problem has other local minima


@pytest.mark.spec("DEC-P15")
def test_the_update_of_ksvd_lowers_the_error_and_keeps_supports(rng):
    X, _ = sparse_signals(rng, 100)
    D = rng.normal(size=(12, 10))
    D /= np.linalg.norm(D, axis=1, keepdims=True)
    codes = sparse_encode(X, D, algorithm="omp", n_nonzero_coefs=2)
    support = codes != 0
    before = np.sum((X - codes @ D) ** 2)
    used = support.any(axis=0)
    residual, fresh = ksvd_update(D, codes, X)
    assert np.sum(residual**2) <= before
    assert_close(residual, X - codes @ D, atol=1e-10)
    assert ((codes != 0) <= support).all()
    assert_close(np.linalg.norm(D, axis=1), 1.0)
    assert fresh == np.sum(~used)


def test_unused_atoms_become_the_worst_signals(rng):
    X = np.vstack([np.tile([1.0, 0.0, 0.0], (5, 1)), [[0.0, 3.0, 4.0]]])
    D, codes = np.array([[1.0, 0, 0], [0, 0, 1.0]]), np.zeros((6, 2))
    codes[:5, 0] = 1.0
    _, fresh = ksvd_update(D, codes, X)
    assert fresh == 1
    assert_close(D[1], [0.0, 0.6, 0.8])


def test_the_leading_pair_is_the_best_rank_one(rng):
    for shape in ((7, 4), (3, 6)):
        E = rng.normal(size=shape)
        a, u = leading_pair(E)
        U, s, Vt = np.linalg.svd(E)
        assert_close(np.outer(a, u), s[0] * np.outer(U[:, 0], Vt[0]), atol=1e-10)


@pytest.mark.spec("DEC-31")
@pytest.mark.parametrize("fit_algorithm", ["lars", "cd", "omp"])
def test_alternating_minimisation_lowers_its_objective(rng, fit_algorithm):
    X, _D = sparse_signals(rng, 200)
    model = DictionaryLearning(
        12, alpha=0.3, fit_algorithm=fit_algorithm, fit_n_nonzero_coefs=2, max_iter=15, random_state=0
    ).fit(X)
    assert model.error_[-1] < 0.8 * model.error_[0]
    if fit_algorithm == "lars":  # both steps are exact: resampled atoms of the first steps aside, it never rises
        assert (np.diff(model.error_[3:]) <= 1e-9).all()
    assert (np.linalg.norm(model.components_, axis=1) <= 1 + 1e-12).all()


@pytest.mark.spec("DEC-31")
def test_the_objective_agrees_with_scikit_learn(rng):
    X = rng.normal(size=(60, 8))
    ours = dict_learning(X, 6, alpha=1.0, max_iter=30, random_state=0)
    theirs = sk.dict_learning(X, 6, alpha=1.0, max_iter=30, random_state=0)
    # The same start and exact steps: equal until rounding decides.
    assert_close(ours[2][:5], theirs[2][:5], rtol=1e-6)
    assert ours[2][-1] <= theirs[2][-1] * 1.01
    code, atoms, _ = ours
    assert_close(ours[2][-1], 0.5 * np.sum((X - code @ atoms) ** 2) + np.abs(code).sum())


@pytest.mark.spec("DEC-33", "DEC-P16")
def test_the_online_gradient_matches_finite_differences(rng):
    D, C, X = rng.normal(size=(4, 5)), rng.normal(size=(20, 4)), rng.normal(size=(20, 5))
    A, B, n = C.T @ C, C.T @ X, len(X)

    def direct(D):
        return np.sum((X - C @ D) ** 2) / (2 * n)

    def trace_form(D):
        return (0.5 * np.trace(D.T @ A @ D) - np.trace(D.T @ B) + 0.5 * np.sum(X**2)) / n

    assert_close(direct(D), trace_form(D))
    gradient = np.empty_like(D)
    for at in np.ndindex(*D.shape):
        step = np.zeros_like(D)
        step[at] = 1e-5
        gradient[at] = (direct(D + step) - direct(D - step)) / 2e-5
    assert_close((A @ D - B) / n, gradient, rtol=1e-6)
    moved = 0.1 * D
    gradient_update(moved, A, B, 0.01, n)
    assert_close(moved, 0.1 * D - 0.01 * (A @ (0.1 * D) - B) / n)  # inside the unit ball


@pytest.mark.spec("DEC-33")
@pytest.mark.parametrize("update", ["block", "gradient"])
def test_the_online_dictionary_learns_and_its_statistics_are_sums(rng, update):
    X, _D = sparse_signals(rng, 400)
    start = rng.normal(size=(12, 10)) / 4
    model = OnlineDictionaryLearning(
        12,
        alpha=0.2,
        update=update,
        forgetting=1.0,
        dict_init=start,
        learning_rate=0.5,
        max_iter=5,
        random_state=0,
        tol=0,
    ).fit(X)

    def cost(D):
        codes = sparse_encode(X, D, alpha=0.2)
        return 0.5 * np.sum((X - codes @ D) ** 2) + 0.2 * np.abs(codes).sum()

    assert cost(model.components_) < 0.7 * cost(start)
    assert model.n_seen_ == 5 * 400
    assert (np.linalg.norm(model.components_, axis=1) <= 1 + 1e-12).all()
    one = OnlineDictionaryLearning(12, alpha=0.2, dict_init=start, random_state=0).partial_fit(X[:50])
    codes = sparse_encode(X[:50], start, alpha=0.2)
    assert_close(one.code_products_, codes.T @ codes, atol=1e-8)
    assert_close(one.cross_products_, codes.T @ X[:50], atol=1e-8)
    again = OnlineDictionaryLearning(12, alpha=0.2, dict_init=start, forgetting=0.5, random_state=0)
    again.partial_fit(X[:50]).partial_fit(X[50:100])
    assert again.n_seen_ == 75


def test_mini_batches_agree_with_scikit_learn(rng):
    X = rng.normal(size=(80, 6))
    start = rng.normal(size=(5, 6))
    options = dict(alpha=0.5, batch_size=20, max_iter=3, shuffle=False, dict_init=start, random_state=0, tol=0)
    ours = MiniBatchDictionaryLearning(5, **options).fit(X)
    theirs = sk.MiniBatchDictionaryLearning(5, **options).fit(X)
    assert_close(ours.components_, theirs.components_, rtol=1e-6, atol=1e-8)
    code, atoms = dict_learning_online(X, 5, random_state=0)
    assert code.shape == (80, 5)
    assert atoms.shape == (5, 6)


def test_bad_starts_raise(rng):
    X = rng.normal(size=(10, 4))
    with pytest.raises(ValueError, match="`dict_init` has shape"):
        KSVD(3, dict_init=np.ones((2, 4))).fit(X)
    with pytest.raises(ValueError, match="zeros only"):
        KSVD(3).fit(np.zeros((5, 4)))
    with pytest.raises(ValueError, match="Positive constraint not supported for 'lars'"):
        DictionaryLearning(3, positive_code=True).fit(X)
