"""Words counted and weighed."""

import pickle

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.feature_extraction import text

from statlearn.prep import BinaryVectorizer, CountVectorizer, TfidfTransformer, TfidfVectorizer
from tests.helpers import assert_close

DOCS4 = ["aircraft safety", "airplane fast", "apple company value", "apple fruit fresh"]
PLAIN = {"smooth_idf": False, "add_one": False, "norm": None}


@pytest.mark.spec("PRE-22")
def test_counts_and_presence():
    documents = ["to be or not to be", "be quick"]
    counts = CountVectorizer().fit(documents)
    assert counts.get_feature_names_out().tolist() == ["be", "not", "or", "quick", "to"]
    np.testing.assert_array_equal(counts.transform(documents).toarray(), [[2, 1, 1, 0, 2], [1, 0, 0, 1, 0]])
    binary = BinaryVectorizer().fit(documents)
    np.testing.assert_array_equal(binary.transform(documents).toarray(), [[1, 1, 1, 0, 1], [1, 0, 0, 1, 0]])
    np.testing.assert_array_equal(binary.fit_transform(documents).toarray(), binary.transform(documents).toarray())


@pytest.mark.spec("PRE-23", "PRE-T5")
def test_printed_weights():
    weights = TfidfVectorizer(**PLAIN).fit(DOCS4)
    for word, k in weights.vocabulary_.items():
        assert_close(weights.idf_[k], np.log(2) if word == "apple" else np.log(4), atol=1e-9)
    common = TfidfVectorizer(**PLAIN).fit_transform([d + " the" for d in DOCS4])
    everywhere = TfidfVectorizer(**PLAIN).fit([d + " the" for d in DOCS4])
    assert_close(everywhere.idf_[everywhere.vocabulary_["the"]], 0, atol=1e-9)
    assert_close(common.toarray()[:, everywhere.vocabulary_["the"]], 0)


@pytest.mark.spec("PRE-23")
@pytest.mark.parametrize("smooth", [True, False])
@pytest.mark.parametrize("norm", ["l1", "l2", None])
@pytest.mark.parametrize("add_one", [True, False])
def test_both_conventions_follow_their_formula(smooth, norm, add_one, rng):
    counts = rng.poisson(0.8, size=(12, 6)) + np.eye(12, 6, dtype=int)
    s = int(smooth)
    idf = np.log((12 + s) / ((counts > 0).sum(axis=0) + s)) + add_one
    expected = counts * idf
    if norm:
        expected = expected / np.linalg.norm(expected, ord=int(norm[1]), axis=1, keepdims=True)
    ours = TfidfTransformer(norm=norm, smooth_idf=smooth, add_one=add_one).fit(counts)
    assert_close(ours.transform(counts).toarray(), expected)
    assert_close(ours.idf_, idf)


@pytest.mark.spec("PRE-23")
def test_defaults_are_scikit_learns():
    ours, theirs = TfidfVectorizer(), text.TfidfVectorizer()
    assert_close(ours.fit_transform(DOCS4).toarray(), theirs.fit_transform(DOCS4).toarray())
    assert_close(ours.transform(["apple safety"]).toarray(), theirs.transform(["apple safety"]).toarray())
    assert_close(ours.fit(DOCS4).transform(DOCS4).toarray(), theirs.transform(DOCS4).toarray())
    assert ours.get_feature_names_out().tolist() == theirs.get_feature_names_out().tolist()
    assert TfidfVectorizer(dtype=np.float32).fit_transform(DOCS4).dtype == np.float32
    copy = pickle.loads(pickle.dumps(ours))
    assert_close(copy.transform(DOCS4).toarray(), ours.transform(DOCS4).toarray())


TEXTS = ["to be or not", "to be", "quick"]


@pytest.mark.parametrize("cls", [BinaryVectorizer, TfidfVectorizer])
@pytest.mark.parametrize(
    ("documents", "message"),
    [
        (["to be", None], "raw_documents must contain strings; got NoneType"),
        (["to be", 3], "raw_documents must contain strings; got int"),
        (np.array([1.0, 2.0]), "raw_documents must contain strings; got float64"),
        (np.ones((3, 2)), r"raw_documents must be a list or column .* table of shape \(3, 2\)"),
        (pd.DataFrame({"text": TEXTS}), r"raw_documents must be a list or column .* table of shape \(3, 1\)"),
        (sparse.csr_array(np.ones((3, 1))), "raw_documents must be a list or column"),
        ([b"to be", b"\xff\xfe"], "raw_documents contains bytes that are not valid utf-8; set encoding"),
    ],
)
def test_invalid_documents_raise(cls, documents, message):
    with pytest.raises(ValueError, match=f"^{message}"):
        cls().fit(documents)
    with pytest.raises(ValueError, match=f"^{message}"):
        cls().fit(TEXTS).transform(documents)


@pytest.mark.parametrize("cls", [BinaryVectorizer, TfidfVectorizer])
@pytest.mark.parametrize(
    ("settings", "documents", "message"),
    [
        ({"input": "file"}, TEXTS, "raw_documents must contain open files with input='file'; got str"),
        ({"input": "filename"}, [None], "raw_documents must contain paths with input='filename'; got NoneType"),
        ({"ngram_range": ()}, TEXTS, "ngram_range must be a pair"),
        ({"token_pattern": None}, TEXTS, "token_pattern=None requires a tokenizer"),
    ],
)
def test_settings_that_do_not_fit_raise(cls, settings, documents, message):
    with pytest.raises(ValueError, match=f"^{message}"):
        cls(**settings).fit(documents)


@pytest.mark.parametrize("settings", [{"analyzer": list}, {"tokenizer": list, "lowercase": False}])
def test_callables_may_take_documents_that_are_lists_of_words(settings):
    words = [["to", "be"], ["be"]]
    table = BinaryVectorizer(token_pattern=None, **settings).fit_transform(words).toarray()
    assert table.tolist() == [[1, 1], [1, 0]]


def test_negative_counts_have_no_sublinear_weight():
    model = TfidfTransformer(sublinear_tf=True).fit([[2, 1], [0, 1]])
    with pytest.raises(ValueError, match=r"^X contains -1; sublinear_tf=True requires non-negative counts"):
        model.transform([[-1, 2]])


def test_stored_zeros_count_as_zeros():
    X = sparse.csr_array([[2.0, 1.0], [5.0, 1.0]])
    X.data[2] = 0.0
    model = TfidfTransformer(sublinear_tf=True).fit(X.toarray())
    assert_close(model.transform(X).toarray(), model.transform(X.toarray()).toarray())
    assert X.nnz == 4


@pytest.mark.parametrize("add_one", [False, True])
def test_a_word_without_documents_has_no_weight_without_smoothing(add_one):
    with np.errstate(divide="ignore"):
        model = TfidfTransformer(smooth_idf=False, add_one=add_one).fit([[2, 1, 0], [0, 1, 0]])
    assert model.idf_[2] == 0.0
    assert np.isfinite(model.transform([[1, 0, 3]]).toarray()).all()


def test_a_refit_without_idf_does_not_weight_words_with_the_earlier_one():
    counts = CountVectorizer().fit_transform(DOCS4)
    model = TfidfTransformer(norm=None).fit(counts)
    np.testing.assert_array_equal(
        model.set_params(use_idf=False).fit(counts).transform(counts).toarray(), counts.toarray()
    )
