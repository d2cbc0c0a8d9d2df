"""Words numbered."""

import numpy as np
import pytest

from statlearn.prep import WordIndexer
from tests.helpers import assert_close


@pytest.mark.spec("PRE-24")
def test_words_get_numbers_and_vectors():
    words = WordIndexer().fit(["to be or not to be", "be quick"])
    assert words.words_ == ["<pad>", "<unknown>", "be", "to", "not", "or", "quick"]
    codes = words.transform(["Be bold", "not to be"])
    np.testing.assert_array_equal(codes, [[2, 1, 0, 0, 0, 0], [4, 3, 2, 0, 0, 0]])
    assert words.inverse_transform(codes) == [["be", "<unknown>"], ["not", "to", "be"]]
    vectors = words.one_hot(["to", "quick", "strange"]).toarray()
    np.testing.assert_array_equal(vectors.argmax(axis=1), [3, 6, 1])
    np.testing.assert_array_equal(vectors.sum(axis=1), 1)
    distances = np.linalg.norm(vectors[:, None] - vectors[None], axis=2)
    assert_close(distances[np.triu_indices(3, 1)], np.sqrt(2))


def test_words_within_limits():
    short = WordIndexer(max_words=1, max_length=2).fit(["a b b", "c"])
    np.testing.assert_array_equal(short.transform(["b b b", "a"]), [[2, 2], [1, 0]])
    assert short.get_feature_names_out().tolist() == ["word0", "word1"]
    assert WordIndexer(lowercase=False).fit(["A a"]).words_[2:] == ["A", "a"]
    for bad in ("one string", ["a", 3], ["", " "]):
        with pytest.raises(ValueError, match="X"):
            WordIndexer().fit(bad)


@pytest.mark.parametrize(
    ("documents", "message"),
    [
        (["to be", None], "X must contain documents as strings, got NoneType"),
        (np.array([["to be"], ["quick"]]), r"X must be a list or column of documents; got a table of shape \(2, 1\)"),
    ],
)
def test_invalid_documents_raise(documents, message):
    with pytest.raises(ValueError, match=f"^{message}"):
        WordIndexer().fit(documents)
    with pytest.raises(ValueError, match=f"^{message}"):
        WordIndexer().fit(["to be"]).transform(documents)


def test_a_length_without_end_raises():
    with pytest.raises(ValueError, match="max_length"):
        WordIndexer(max_length=2**40).fit(["to be"])


@pytest.mark.spec("CRS-33")
def test_a_string_is_one_word():
    words = WordIndexer().fit(["the cat sat", "a cat"])
    assert words.one_hot("cat").shape == (1, len(words.words_))
    np.testing.assert_array_equal(words.one_hot("Cat").toarray(), words.one_hot(["cat"]).toarray())
