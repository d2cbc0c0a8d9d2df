"""Spectrum kernel of strings."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from statlearn.kernels import SpectrumKernel, SpectrumVectorizer, spectrum_kernel
from tests.helpers import assert_close

PROTEIN = [
    "IPTSALVKETLALLSTHRTLLIANETLRIPVPVHKNHQLCTEEIFQIGITLESQTVQGQGTVERLFKNLSLIKKYIDGQKKKCGEERRRVNQFLDYLQEFLGVMNTEWI",
    "PHRRDLCSRSIWLARKIRSDLTALTESYVKHQGLWSELTEAERLQENLQAYRTFHVLLARLLEDQQVHFPTPEGDFHQAIHTLLLQVAAFAYQIEELMILLEYKIPRNEADGMLFEKK",
]
WORDS = st.text("abc", min_size=0, max_size=12)


@pytest.mark.spec("KER-T1", "KER-08")
def test_two_proteins():
    assert [len(s) for s in PROTEIN] == [109, 118]
    for m, cross, first, second in [(1, 857, 853, 1028), (2, 57, 158, 179), (3, 3, 109, 122), (4, 0, 106, 115)]:
        np.testing.assert_array_equal(spectrum_kernel(PROTEIN, m=m), [[first, cross], [cross, second]])
    vectorizer = SpectrumVectorizer(3).fit(PROTEIN)
    counts = vectorizer.transform(PROTEIN).toarray()
    common = vectorizer.get_feature_names_out()[(counts > 0).all(axis=0)]
    assert sorted(common) == ["ERL", "LQE", "TLL"]
    np.testing.assert_array_equal(counts[:, (counts > 0).all(axis=0)], 1.0)


@pytest.mark.spec("KER-P11", "KER-08", "KER-P1", "KER-P2")
@settings(max_examples=40, deadline=None)
@given(st.lists(WORDS, min_size=1, max_size=6), st.lists(WORDS, min_size=1, max_size=4), st.integers(1, 4))
def test_the_kernel_is_the_inner_product_of_counts(left, right, m):
    def count(string, word):  # overlapping occurrences, found one by one
        return sum(string.startswith(word, i) for i in range(len(string)))

    words = {s[i : i + m] for s in left + right for i in range(len(s) - m + 1)}
    slow = [[sum(count(a, w) * count(b, w) for w in words) for b in right] for a in left]
    K = spectrum_kernel(left, right, m)
    np.testing.assert_array_equal(K, slow)
    vectorizer = SpectrumVectorizer(m).fit(left)
    np.testing.assert_array_equal((vectorizer.transform(left) @ vectorizer.transform(right).T).toarray(), slow)
    own = spectrum_kernel(left, m=m)
    assert np.linalg.eigvalsh(own)[0] >= -1e-9 * max(np.trace(own), 1.0)
    assert np.all(own**2 <= np.outer(np.diag(own), np.diag(own)))
    np.testing.assert_array_equal(SpectrumKernel(m).diag(left), np.diag(own))


@pytest.mark.spec("KER-08")
def test_normalised_values_are_cosines():
    strings = ["abab", "abcabc", "b", "ababab"]
    K, N = spectrum_kernel(strings, m=2), spectrum_kernel(strings, m=2, normalize=True)
    lengths = np.sqrt(np.diag(K))
    lengths[2] = 1.0  # too short to have a substring
    assert_close(N, K / np.outer(lengths, lengths))
    assert_close(np.diag(N), [1, 1, 0, 1])
    assert_close(SpectrumKernel(2, normalize=True).diag(strings), np.diag(N))
    Z = SpectrumVectorizer(2, normalize=True).fit_transform(strings)
    assert_close((Z @ Z.T).toarray(), N)


def test_new_substrings_are_ignored():
    vectorizer = SpectrumVectorizer(2).fit(["abc"])
    np.testing.assert_array_equal(vectorizer.transform(["abxy", "xy"]).toarray(), [[1, 0], [0, 0]])


@pytest.mark.parametrize(
    ("strings", "message"),
    [("abc", "single string"), ([1, 2], "strings only, got 1 at position 0"), ([], "at least one"), (3, "sequence")],
)
def test_invalid_strings_raise(strings, message):
    with pytest.raises((TypeError, ValueError), match=f"X.*{message}"):
        spectrum_kernel(strings)
    with pytest.raises((TypeError, ValueError), match=f"X.*{message}"):
        SpectrumVectorizer().fit(strings)


def test_columns_of_frames_are_sequences_of_strings():
    import pandas as pd
    import polars as pl

    strings = ["banana", "bandana"]
    for column in (pd.Series(strings), pl.Series(strings), np.array(strings), np.array(strings, dtype=object)):
        np.testing.assert_array_equal(spectrum_kernel(column, m=2), [[9, 7], [7, 8]])


def test_a_data_frame_is_not_a_sequence_of_strings():
    frame = pd.DataFrame({"text": ["ab", "ba"]})
    with pytest.raises(TypeError, match="got a data frame; use one of its columns"):
        SpectrumVectorizer().fit(frame)
