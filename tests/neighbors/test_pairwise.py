"""Distances between rows of text; those of numbers are tested with the metrics."""

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import pairwise_distances as reference

from statlearn.neighbors import KNeighborsClassifier, hamming_count, pairwise_distances
from tests.helpers import assert_close

WORDS = [["toned"], ["roses"], ["stone"], ["tones"]]


@pytest.mark.spec("CRS-58")
def test_words_differ_in_as_many_letters_as_hamming_count_says():
    assert pairwise_distances([["toned"]], [["roses"]], metric="hamming_count") == 3
    assert pairwise_distances([["101110"]], [["101101"]], metric="hamming_count") == 2
    D = pairwise_distances(WORDS, metric="hamming_count")
    assert_close(D, [[hamming_count(a, b) for (b,) in WORDS] for (a,) in WORDS])
    near, _ = KNeighborsClassifier(2, metric="hamming_count").fit(WORDS, [0, 0, 1, 1]).kneighbors(WORDS)
    assert_close(near, np.sort(D, axis=1)[:, :2])


@pytest.mark.spec("CRS-58")
@pytest.mark.parametrize("metric", ["hamming", "matching", "overlap"])
def test_cells_of_text_are_equal_or_not(metric, rng):
    table = pd.DataFrame({"job": rng.choice(list("abc"), 20), "city": rng.choice(["Rome", "Oslo"], 20)})
    codes = table.apply(lambda column: pd.factorize(column)[0]).to_numpy()
    assert_close(pairwise_distances(table, metric=metric), reference(codes, metric="hamming"))
    assert_close(pairwise_distances(table[:5], table[5:], metric), reference(codes[:5], codes[5:], metric="hamming"))


def test_missing_cells_differ_from_all_but_their_own_row():
    for metric, unit in (("hamming", 0.5), ("hamming_count", 1.0)):
        D = pairwise_distances([["a", None], ["a", None], ["a", "b"]], metric=metric)
        assert_close(D, unit * (1 - np.eye(3)))


def test_parameters_of_other_metrics_raise():
    with pytest.raises(ValueError, match=r"`metric`='hamming' does not accept \['p'\] for tables with text"):
        pairwise_distances(WORDS, metric="hamming", p=2)
