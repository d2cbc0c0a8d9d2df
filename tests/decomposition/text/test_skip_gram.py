"""Skip-gram word vectors."""

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import check_grad

from statlearn._core.warnings import ConvergenceWarning
from statlearn.decomposition import CooccurrenceMatrix, SkipGramEmbedding, pmi_matrix
from statlearn.decomposition.text._skip_gram import SkipGramProblem
from tests.helpers import assert_close


def corpus(rng, n=60, length=12):
    """Random documents of six words, in which every pair occurs."""
    return [rng.choice(list("abcdef"), length, p=[0.3, 0.2, 0.2, 0.1, 0.1, 0.1]).tolist() for _ in range(n)]


@pytest.mark.spec("CRS-78")
def test_long_vectors_reach_the_shifted_mutual_information(rng):
    texts = corpus(rng)
    model = SkipGramEmbedding(
        6, window=2, noise_exponent=1.0, weighting="uniform", n_negative=5, tol=0.0, max_iter=5000, random_state=0
    ).fit(texts)
    counts = CooccurrenceMatrix(2).fit(texts).matrix_.toarray()
    assert (counts > 0).all()
    expected = pmi_matrix(counts, positive=False) - np.log(5)
    assert round(np.log(5), 4) == 1.6094
    assert_close(model.vectors_ @ model.context_vectors_.T, expected, atol=1e-4)


@pytest.mark.spec("CRS-78")
def test_any_noise_exponent_has_its_closed_form(rng):
    texts = corpus(rng)
    model = SkipGramEmbedding(6, window=3, tol=0.0, max_iter=5000, random_state=0).fit(texts)
    counts = CooccurrenceMatrix(3, weighting="linear").fit(texts).matrix_.toarray()
    assert_close(model.noise_, counts.sum(axis=0) ** 0.75 / np.sum(counts.sum(axis=0) ** 0.75))
    expected = np.log(counts / counts.sum(axis=1, keepdims=True) / model.noise_) - np.log(5)
    assert_close(model.vectors_ @ model.context_vectors_.T, expected, atol=1e-4)


@pytest.mark.spec("CRS-78")
def test_objective_is_the_documented_sum_and_its_gradient_is_right(rng, monkeypatch):
    counts = rng.poisson(1.0, (7, 7)).astype(float)
    U, V = rng.normal(size=(2, 7, 3))
    q = counts.sum(axis=0) ** 0.75
    q /= q.sum()
    Z = U @ V.T
    rows = counts.sum(axis=1, keepdims=True)
    value = -np.sum(counts * -np.logaddexp(0, -Z) + 2 * rows * q * -np.logaddexp(0, Z)) / counts.sum()
    monkeypatch.setattr("statlearn.decomposition.text._skip_gram._BLOCK_CELLS", 20)  # blocks of two rows
    problem = SkipGramProblem(sparse.csr_array(counts), 2, 0.75)
    at = np.concatenate([U.ravel(), V.ravel()])
    assert_close(problem.value_and_gradient(at, 3)[0], value)
    error = check_grad(
        lambda x: problem.value_and_gradient(x, 3)[0], lambda x: problem.value_and_gradient(x, 3)[1], at, rng=0
    )
    assert error < 1e-6


@pytest.mark.spec("CRS-78")
def test_vectors_of_other_programs_have_neighbours():
    model = SkipGramEmbedding.from_vectors(["cat", "dog", "car"], [[1.0, 0.2], [0.9, 0.4], [0.0, 1.0]])
    assert model.nearest("cat")[0][0] == "dog"
    np.testing.assert_array_equal(model.vector("car"), [0.0, 1.0])
    with pytest.raises(ValueError, match="2 words, 3 rows"):
        SkipGramEmbedding.from_vectors(["a", "b"], np.eye(3))
    with pytest.raises(ValueError, match="twice"):
        SkipGramEmbedding.from_vectors(["a", "a"], np.eye(2))
    with pytest.raises(ValueError, match="list of texts"):
        SkipGramEmbedding.from_vectors([1, 2], np.eye(2))


def test_subsampling_thins_out_frequent_words(rng):
    texts = corpus(rng)
    plain = CooccurrenceMatrix(2, weighting="linear").fit(texts)
    share = plain.word_counts_ / plain.word_counts_.sum()
    kept = np.minimum(np.sqrt(0.05 / share) + 0.05 / share, 1.0)
    counts = SkipGramEmbedding(window=2, subsample=0.05)._counted(plain)
    assert_close(counts.toarray(), plain.matrix_.toarray() * np.outer(kept, kept))
    assert kept.min() < 1


def test_fits_repeat_and_report_early_stops(rng):
    texts = corpus(rng, n=10)
    first, second = (SkipGramEmbedding(2, random_state=3).fit(texts) for _ in range(2))
    np.testing.assert_array_equal(first.vectors_, second.vectors_)
    with pytest.warns(ConvergenceWarning, match="max_iter"):
        SkipGramEmbedding(2, max_iter=2, random_state=0).fit(texts)
    with pytest.raises(ValueError, match="no two words"):
        SkipGramEmbedding().fit([["a"], ["b"]])
