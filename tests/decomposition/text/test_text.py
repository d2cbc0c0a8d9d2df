"""Latent semantic analysis, co-occurrences and word vectors: printed values and identities."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from statlearn.decomposition import LSA, CooccurrenceMatrix, PMIEmbedding, TruncatedSVD, pmi_matrix
from statlearn.decomposition.text._svd import truncated_svd
from tests.helpers import assert_close

DOCS4 = ["aircraft safety", "airplane fast", "apple company value", "apple fruit fresh"]
WORDS = ["red", "green", "blue", "apple", "pear", "tree", "house", "river"]


def texts(rng, n=40):
    return [" ".join(rng.choice(WORDS, size=rng.integers(2, 9))) for _ in range(n)]


@pytest.mark.spec("DEC-34", "DEC-T4")
def test_the_four_documents():
    raw = LSA(4, weighting="count").fit(DOCS4)
    counts = raw.coordinates_ @ raw.components_
    cosine = counts @ counts.T  # documents have length 1
    assert_close(cosine[0, 1], 0.0, atol=1e-12)
    assert_close(cosine[2, 3], 1 / 3)
    model = LSA(2).fit(DOCS4)
    idf = dict(zip(model.vocabulary_.tolist(), model.idf_))
    assert_close(idf.pop("apple"), 0.6931472)
    assert_close(list(idf.values()), 1.3862944)


@pytest.mark.spec("DEC-34", "DEC-P17")
@pytest.mark.parametrize("scaled", [True, False])
def test_fold_in_of_a_training_document_returns_its_coordinates(rng, scaled):
    documents = texts(rng)
    model = LSA(5, scaled=scaled).fit(documents)
    assert_close(model.transform(documents), model.coordinates_, atol=1e-10)
    assert_close(model.components_ @ model.components_.T, np.eye(5), atol=1e-10)
    unseen = model.transform(["zebra", "red zebra"])
    assert_close(unseen[0], 0.0)
    assert unseen[1].any()


@pytest.mark.spec("DEC-P17")
def test_documents_of_one_topic_without_common_words_get_closer():
    documents = ["car engine", "engine motor", "motor auto", "fruit apple", "apple pear", "pear plum"]
    model = LSA(2, weighting="count").fit(documents)

    def cosine(a, b):
        return a @ b / np.linalg.norm(a) / np.linalg.norm(b)

    Y = model.coordinates_
    assert cosine(Y[0], Y[2]) > 0.9  # "car engine" and "motor auto" share no word
    assert abs(cosine(Y[0], Y[4])) < 0.1


@pytest.mark.spec("DEC-34")
def test_counts_lists_and_texts_agree_and_match_the_svd(rng):
    documents = texts(rng)
    model = LSA(3, weighting="log", norm=None).fit(documents)
    counts = np.array([[d.split().count(w) for w in model.vocabulary_] for d in documents])
    for other in (counts, sparse.csr_matrix(counts), pd.DataFrame(counts, columns=model.vocabulary_)):
        same = LSA(3, weighting="log", norm=None).fit(other)
        assert_close(same.coordinates_, model.coordinates_)
    assert same.vocabulary_.tolist() == model.vocabulary_.tolist()
    assert_close(LSA(3, weighting="log", norm=None).fit([d.split() for d in documents]).idf_, model.idf_)
    svd = TruncatedSVD(3, algorithm="arpack", random_state=0).fit(np.log1p(counts))
    assert_close(svd.singular_values_, model.singular_values_)
    assert_close(model.explained_share_, model.singular_values_**2 / np.sum(np.log1p(counts) ** 2))
    assert len(model.top_words(3)) == 3
    assert model.top_words(1)[0][0] == model.vocabulary_[np.argmax(np.abs(model.components_[0]))]


def test_large_tables_have_the_same_leading_values(rng):
    A = sparse.random(700, 600, 0.05, random_state=0, format="csr")
    U, s, Vt = truncated_svd(A, 4)
    assert_close(s, np.linalg.svd(A.toarray(), compute_uv=False)[:4])
    assert_close(A @ Vt.T, U * s, atol=1e-6)


@pytest.mark.spec("DEC-39")
@pytest.mark.parametrize("weighting", ["uniform", "linear", "harmonic"])
@pytest.mark.parametrize("symmetric", [True, False])
def test_windows_counted_by_hand(rng, weighting, symmetric):
    documents = texts(rng, 10)
    model = CooccurrenceMatrix(3, symmetric=symmetric, weighting=weighting).fit(documents)
    number = {w: k for k, w in enumerate(model.vocabulary_)}
    expected = np.zeros((len(number),) * 2)
    for document in documents:
        words = document.split()
        for a in range(len(words)):
            for d in range(1, 4):
                if a + d < len(words):
                    weight = {"uniform": 1.0, "linear": (4 - d) / 3, "harmonic": 1 / d}[weighting]
                    expected[number[words[a]], number[words[a + d]]] += weight
                    if symmetric:
                        expected[number[words[a + d]], number[words[a]]] += weight
    assert_close(model.matrix_.toarray(), expected)
    assert_close(model.count(WORDS[0], WORDS[1]), expected[number[WORDS[0]], number[WORDS[1]]])
    assert model.word_counts_.sum() == sum(len(d.split()) for d in documents)


@pytest.mark.spec("DEC-40", "DEC-P19")
@given(st.integers(0, 10_000))
def test_pmi_is_the_log_ratio_and_zero_for_independent_words(seed):
    rng = np.random.default_rng(seed)
    counts = rng.integers(0, 5, size=(6, 6)) + np.eye(6)
    n = counts.sum()
    with np.errstate(divide="ignore"):
        expected = np.log((counts / n) / np.outer(counts.sum(axis=1) / n, counts.sum(axis=0) / n))
    assert_close(pmi_matrix(counts, positive=False), expected)
    assert_close(pmi_matrix(counts), np.maximum(expected, 0))
    assert_close(pmi_matrix(sparse.csr_matrix(counts)).toarray(), np.maximum(expected, 0))
    smooth = counts + 0.5
    assert np.isfinite(pmi_matrix(counts, positive=False, smooth=0.5)).all()
    assert_close(pmi_matrix(counts, positive=False, smooth=0.5), pmi_matrix(smooth, positive=False))
    independent = np.outer(rng.random(4) + 0.1, rng.random(5) + 0.1)
    assert_close(pmi_matrix(independent, positive=False), 0.0, atol=1e-12)


@pytest.mark.spec("DEC-40", "DEC-P19")
def test_the_gram_matrix_of_the_vectors_is_the_best_of_its_rank(rng):
    documents = texts(rng)
    counts = CooccurrenceMatrix(2).fit(documents).matrix_
    M = pmi_matrix(counts).toarray()
    # Inner products are U S U': those of the SVD where the eigenvalues are positive; U S V' is best in any case.
    model = PMIEmbedding(3, window=2, power=1.0).fit(documents)
    U, s, Vt = np.linalg.svd(M)
    assert_close(model.vectors_ @ model.components_, (U[:, :3] * s[:3]) @ Vt[:3], atol=1e-8)
    definite = M @ M  # positive semi-definite
    U, s, _ = truncated_svd(definite, 3)
    vectors = U * np.sqrt(s)
    values, basis = np.linalg.eigh(definite)
    assert_close(vectors @ vectors.T, (basis[:, -3:] * values[-3:]) @ basis[:, -3:].T, atol=1e-8)


@pytest.mark.spec("DEC-40")
def test_nearest_words_share_their_contexts():
    documents = [
        "drink hot tea now",
        "drink hot coffee now",
        "drive the fast car home",
        "drive the fast truck home",
    ] * 3
    model = PMIEmbedding(6, window=2).fit(documents)
    assert model.nearest("tea", n=1)[0][0] == "coffee"
    assert model.nearest("car", n=1)[0][0] == "truck"
    assert model.nearest(model.vector("tea"), n=1)[0][0] in ("tea", "coffee")


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: LSA().fit(["a b", "c"]), "The vocabulary is empty"),
        (lambda: LSA().fit(["red", "red"]), "every word occurs in all documents"),
        (lambda: LSA().fit("red apple"), "single text"),
        (lambda: CooccurrenceMatrix(min_count=3).fit(["red apple"]), "lower `min_count`"),
        (lambda: PMIEmbedding().fit(["red", "apple"]), "no two words"),
        (lambda: PMIEmbedding(positive=False).fit(["red apple"]), "requires smooth > 0"),
        (lambda: PMIEmbedding().fit(["red apple"]).vector("car"), "not in the vocabulary"),
        (lambda: PMIEmbedding(1, power=1e300).fit(["red apple", "red car", "green apple"]), "Use a smaller `power`"),
        (lambda: pmi_matrix([[-1.0]]), "negative"),
        (lambda: pmi_matrix([[0.0]]), "zeros only"),
        (lambda: LSA().fit([[1, -1]]), "negative counts"),
    ],
)
def test_bad_documents_raise(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize("X", [None, 3.0])
def test_invalid_documents_raise_by_name(X):
    with pytest.raises(ValueError, match="X must be a list of documents or a table of word counts"):
        LSA(2).fit(X)


@pytest.mark.spec("CRS-01")
def test_words_with_zero_vectors_have_no_neighbours():
    texts = [["like", "deep", "learning"], ["like", "nlp"], ["enjoy", "flying"]]
    model = PMIEmbedding(2, window=1).fit(texts)
    zero = [word for word, vector in zip(model.vocabulary_, model.vectors_, strict=True) if not vector.any()]
    assert "like" in zero
    assert len(zero) < len(model.vocabulary_)
    norms = np.linalg.norm(model.vectors_, axis=1)
    assert np.all((norms == 0) | (norms > 0.1))
    with pytest.raises(ValueError, match=r"`word`='like' has no neighbours .* no positive PMI with any word"):
        model.nearest("like")
    with pytest.raises(ValueError, match="not all 0"):
        model.nearest(model.vector("like"))
    for word in set(model.vocabulary_) - set(zero):
        assert not {other for other, _ in model.nearest(str(word))} & {*zero, word}
        assert len(model.nearest(model.vector(word))) == np.sum(norms > 0)


@pytest.mark.spec("CRS-01")
@pytest.mark.parametrize("n_components", [1, 2, 5])
def test_a_word_without_positive_pmi_has_a_zero_vector(n_components):
    # "x" is as often beside any word, itself included, as independent words would be: all its PMI are 0.
    texts = [["a", "b"], ["c", "d"]] * 9 + [[word, "x"] for word in "abcd"] * 3 + [["x", "x"]] * 2
    model = PMIEmbedding(n_components, window=1).fit(texts)
    assert abs(pmi_matrix(CooccurrenceMatrix(1).fit(texts).matrix_)[model.vocabulary_ == "x"]).max() < 1e-14
    assert not model.vector("x").any()


@pytest.mark.spec("CRS-32")
def test_one_letter_words_count_as_neighbours():
    assert CooccurrenceMatrix(1).fit(["I like deep"]).vocabulary_.tolist() == ["deep", "i", "like"]
    model = CooccurrenceMatrix(1).fit(["I like deep learning", "I like NLP", "I enjoy flying"])
    assert model.count("i", "like") == 2.0
    assert model.count("i", "enjoy") == 1.0
    assert "i" in PMIEmbedding(2, window=1).fit(["I like deep learning"]).vocabulary_
    assert "i" not in LSA(1).fit(["I like deep", "I like NLP"]).vocabulary_


@pytest.mark.spec("CRS-51")
def test_pmi_with_word_frequencies_by_hand():
    texts = ["aa bb", "aa bb", "aa cc cc"]  # 8 ordered pairs of neighbours, 7 words
    counts = CooccurrenceMatrix(window=1).fit(texts)
    words = counts.word_counts_
    assert words.tolist() == [3, 2, 2]
    M = pmi_matrix(counts.matrix_, positive=False, marginals="words", word_counts=words)
    pairs = {(0, 1): 2, (0, 2): 1, (2, 2): 2}
    for (i, j), count in pairs.items():
        assert_close(M[i, j], np.log((count / 8) / ((words[i] / 7) * (words[j] / 7))))
        assert M[j, i] == M[i, j]
    assert M[0, 0] == -np.inf
    positive = pmi_matrix(counts.matrix_, marginals="words", word_counts=words)
    assert_close(positive.toarray(), np.maximum(M, 0.0))
    assert_close(pmi_matrix(counts.matrix_.toarray(), marginals="words", word_counts=words), np.maximum(M, 0.0))
    model = PMIEmbedding(3, window=1, marginals="words").fit(texts)
    singular = np.linalg.svd(np.maximum(M, 0.0), compute_uv=False)
    assert_close(model.singular_values_, singular[: len(model.singular_values_)])
    # Word counts equal to the marginal sums give the default.
    square = [[2.0, 1.0], [1.0, 3.0]]
    assert_close(pmi_matrix(square, marginals="words", word_counts=[3, 4]), pmi_matrix(square))
    with pytest.raises(ValueError, match="requires `word_counts`"):
        pmi_matrix(square, marginals="words")
    with pytest.raises(ValueError, match="one entry per row and column"):
        pmi_matrix(square, marginals="words", word_counts=[3, 4, 5])
