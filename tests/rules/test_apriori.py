"""Apriori, in memory and over streams."""

import pytest
from hypothesis import given

from statlearn.rules import apriori, frequent_itemsets
from tests.rules.baskets import FREQUENT, TEN, collections, thresholds


@pytest.mark.spec("RUL-03", "RUL-T4")
def test_candidates_of_each_level():
    found = apriori(TEN, 0.2)
    assert found.to_dict() == FREQUENT
    levels = [(s["length"], s["joined"], s["candidates"], s["frequent"]) for s in found.search["levels"]]
    assert levels[1:] == [(2, 21, 21, 15), (3, 28, 14, 14), (4, 16, 6, 6), (5, 3, 1, 1)]
    assert found.search["passes"] == 5
    loose = apriori(TEN, 0.2, prune=False).search["levels"]
    assert [(s["joined"], s["candidates"]) for s in loose[1:]] == [(21, 21), (28, 28), (16, 16), (3, 3)]
    prefix = apriori(TEN, 0.2, join="prefix").search["levels"]
    assert [s["joined"] for s in prefix[1:3]] == [21, 25]  # pairs that share their first item only


@pytest.mark.spec("RUL-P4")
@given(collections, thresholds)
def test_one_pass_per_level_with_candidates(baskets, threshold):
    found = apriori(baskets, threshold)
    longest = int(found.lengths.max()) if len(found) else 0
    levels = found.search["levels"]
    assert found.search["passes"] == sum(level["candidates"] > 0 or level["length"] == 1 for level in levels)
    # A further pass only finds out that no candidate of the next level is frequent.
    assert max(longest, 1) <= found.search["passes"] <= longest + 1
    assert frequent_itemsets(baskets, threshold).search["passes"] == 2


@pytest.mark.spec("RUL-04", "RUL-P7")
@given(collections, thresholds)
def test_a_stream_gives_the_sets_of_the_whole(baskets, threshold):
    chunks = [baskets[k : k + 7] for k in range(0, len(baskets), 7)]
    expected = apriori(baskets, threshold)
    for stream in (chunks, lambda: iter(chunks)):
        found = apriori(stream=stream, min_support=threshold)
        assert list(found) == list(expected)
        assert found.search == expected.search or found.search["passes"] == expected.search["passes"]


def test_streams_that_cannot_be_read_again_raise():
    with pytest.raises(TypeError, match="only once"):
        apriori(stream=iter([TEN]), min_support=0.2)
    passes = []

    def shrinking():
        passes.append(1)
        return [TEN[: -len(passes)]]

    with pytest.raises(ValueError, match="must not change"):
        apriori(stream=shrinking, min_support=0.2)
    with pytest.raises(ValueError, match="either `data` or `stream`"):
        apriori(min_support=0.2)
    with pytest.raises(ValueError, match="stream contains no baskets"):
        apriori(stream=[], min_support=0.2)
    with pytest.raises(ValueError, match="join"):
        apriori(TEN, join="cross")
