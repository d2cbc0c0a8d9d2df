"""Words counted and weighed."""

import pickle

import numpy as np
import pytest
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


@pytest.mark.parametrize("vectorizer", [BinaryVectorizer, TfidfVectorizer])
def test_documents_of_another_type_are_refused_by_name(vectorizer):
    for bad, words in (
        (["a word", None], "strings with `input`='content', got NoneType"),
        ([1, 2], "got int"),
        (np.ones((3, 2)), r"got a table of shape \(3, 2\)"),
        ([b"\xff\xfe word"], "not valid utf-8; set `encoding`"),
    ):
        with pytest.raises(ValueError, match=words):
            vectorizer().fit(bad)
        with pytest.raises(ValueError, match=words):
            vectorizer().fit(["some words"]).transform(bad)
    with pytest.raises(ValueError, match="method read"):
        vectorizer(input="file").fit(["some words"])
    fitted = vectorizer(analyzer=lambda document: [str(document)]).fit([1, 2])  # a callable may read any type
    assert fitted.get_feature_names_out().tolist() == ["1", "2"]


def test_negative_counts_have_no_logarithm():
    with pytest.raises(ValueError, match="negative counts with `sublinear_tf`=True"):
        TfidfTransformer(sublinear_tf=True).fit_transform([[1.0, -2.0], [1.0, 1.0]])
