"""Frequent, closed and maximal item sets."""

import itertools
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given

import statlearn
from statlearn.rules import (
    Baskets,
    Itemsets,
    apriori,
    brute_force_itemsets,
    fpclose,
    fpgrowth,
    fpmax,
    frequent_itemsets,
    hmine,
    supports_from_closed,
)
from tests.rules.baskets import CLOSED, FREQUENT, MAXIMAL, TEN, collections, random_baskets, sets, thresholds

REPRESENTATIONS = ("auto", "bitset", "tidlist", "diffset", "tree")


@pytest.mark.spec("RUL-T1", "RUL-06")
def test_single_items_of_the_ten_baskets():
    singles = {items[0]: count for items, count in fpgrowth(TEN, 1, max_len=1)}
    expected = {"a": 8, "b": 2, "c": 8, "d": 2, "e": 8, "f": 2, "g": 5}
    assert singles == {**expected, **dict.fromkeys("ijlmnop", 1)}


@pytest.mark.spec("RUL-T2", "RUL-16")
def test_pairs_of_the_ten_baskets():
    printed = sets("ab2 ac8 ad2 ae6 af2 ag5 bc2 bd0 be2 bf2 bg0 cd2 ce6 cf2 cg5 de1 df0 dg1 ef2 eg4 fg0")
    found = brute_force_itemsets([[i for i in basket if i in "abcdefg"] for basket in TEN], 1).to_dict()
    assert {pair: found.get(pair, 0) for pair in itertools.combinations("abcdefg", 2)} == printed


@pytest.mark.spec("RUL-T3")
@pytest.mark.parametrize("representation", REPRESENTATIONS)
def test_all_frequent_sets_of_the_ten_baskets(representation):
    found = frequent_itemsets(TEN, 0.2, representation=representation)
    assert found.to_dict() == FREQUENT
    assert np.bincount(found.lengths).tolist() == [0, 7, 15, 14, 6, 1]
    assert found.min_count == 2


@pytest.mark.spec("RUL-T5", "RUL-07", "RUL-08")
def test_maximal_and_closed_sets_of_the_ten_baskets():
    for representation in REPRESENTATIONS[:-1]:
        assert fpmax(TEN, 0.2, representation=representation).to_dict() == MAXIMAL
        assert fpclose(TEN, 0.2, representation=representation).to_dict() == CLOSED


@pytest.mark.spec("RUL-P1")
@given(collections, thresholds)
def test_every_search_matches_brute_force(baskets, threshold):
    expected = brute_force_itemsets(baskets, threshold)
    for representation in REPRESENTATIONS:
        found = frequent_itemsets(baskets, threshold, representation=representation)
        assert list(found) == list(expected)  # the order, too
    assert list(apriori(baskets, threshold)) == list(expected)
    assert list(apriori(baskets, threshold, join="prefix", prune=False)) == list(expected)
    short = frequent_itemsets(baskets, threshold, max_len=2)
    assert short.to_dict() == {s: c for s, c in expected if len(s) <= 2}


@pytest.mark.spec("RUL-P1", "RUL-16")
@pytest.mark.parametrize("density", [0.1, 0.5, 0.97])
def test_long_columns_are_counted_as_by_brute_force(density, rng):
    baskets = random_baskets(rng, n=1500, items=8, density=density)  # more than one word of bits, compressed
    expected = list(brute_force_itemsets(baskets, 0.02))
    for representation in REPRESENTATIONS:
        assert list(frequent_itemsets(baskets, 0.02, representation=representation)) == expected


@pytest.mark.spec("RUL-P2", "RUL-P3")
@given(collections, thresholds)
def test_supports_fall_with_more_items_and_agree_with_conditional_counts(baskets, threshold):
    found = frequent_itemsets(baskets, threshold).to_dict()
    for items, count in found.items():
        for k in range(len(items)):
            smaller = items[:k] + items[k + 1 :]
            assert not smaller or found[smaller] >= count
        for split in range(1, len(items)):
            first, second = set(items[:split]), set(items[split:])
            containing = [basket for basket in baskets if first <= set(basket)]
            assert count == sum(second <= set(basket) for basket in containing)


@pytest.mark.spec("RUL-P5", "RUL-09")
@given(collections, thresholds)
def test_maximal_within_closed_within_frequent_and_supports_recovered(baskets, threshold):
    frequent = frequent_itemsets(baskets, threshold)
    known = frequent.to_dict()
    closed, maximal = fpclose(baskets, threshold), fpmax(baskets, threshold)
    assert closed.to_dict() == {
        s: c for s, c in known.items() if not any(set(s) < set(t) and c == d for t, d in known.items())
    }
    assert maximal.to_dict() == {s: c for s, c in known.items() if not any(set(s) < set(t) for t in known)}
    assert list(supports_from_closed(closed)) == list(frequent)


@pytest.mark.spec("RUL-P7")
def test_row_order_item_names_and_threads_do_not_matter(rng):
    baskets = random_baskets(rng)
    found = frequent_itemsets(baskets, 0.05)
    shuffled = [baskets[k] for k in rng.permutation(len(baskets))]
    renamed = [[f"item {9 - i}" for i in basket] for basket in shuffled]
    again = {tuple(sorted(9 - int(i[5:]) for i in s)): c for s, c in frequent_itemsets(renamed, 0.05)}
    assert again == found.to_dict()
    for search in (frequent_itemsets, fpgrowth, fpclose, fpmax):
        results = []
        for n in (1, 4):
            with statlearn.threads(n):
                results.append(search(baskets, 0.05))
        np.testing.assert_array_equal(results[0].indices, results[1].indices)
        np.testing.assert_array_equal(results[0].counts, results[1].counts)


@pytest.mark.parametrize("threshold", [0.07, 0.29, 0.57, 0.58])
def test_thresholds_are_compared_without_rounding(threshold):
    n = round(100 * threshold)
    baskets = [["a"]] * n + [["b"]] * (100 - n)
    assert ("a",) in frequent_itemsets(baskets, threshold).to_dict()  # 0.07 * 100 is 7.000000000000001
    assert ("a",) not in frequent_itemsets(baskets, threshold, strict=True).to_dict()
    assert ("a",) not in frequent_itemsets(baskets, n + 1).to_dict()


@pytest.mark.parametrize("search", [frequent_itemsets, fpgrowth, fpclose, fpmax])
def test_weights_are_copies(search, rng):
    baskets = random_baskets(rng, n=60)
    weights = rng.integers(0, 4, 60)
    copies = [basket for basket, w in zip(baskets, weights) for _ in range(w)]
    weighted, copied = search(baskets, 0.1, sample_weight=weights), search(copies, 0.1)
    assert list(weighted) == list(copied)
    assert weighted.n_baskets == len(copies)
    halves = search(baskets, 0.1, sample_weight=weights / 2)  # fractions: the same supports
    assert [s for s, _ in halves] == [s for s, _ in copied]
    np.testing.assert_allclose(halves.support, copied.support)


def test_a_hopeless_search_ends_in_a_clear_error():
    wide = [list(range(10_000)) for _ in range(30)]  # every one of 2^10000 sets is frequent
    for search in (frequent_itemsets, fpgrowth):
        with pytest.raises(MemoryError, match=r"More than 100,000 item sets.*max_len"):
            search(wide, 0.5, max_sets=100_000)
    with pytest.raises(MemoryError, match="max_len"):
        apriori([list(range(3000))] * 3, 0.5, max_sets=100_000)
    assert len(fpclose(wide, 0.5)) == len(fpmax(wide, 0.5)) == 1
    assert len(frequent_itemsets(wide, 0.5, max_len=1)) == 10_000
    with pytest.raises(MemoryError, match="max_sets"):
        supports_from_closed(fpclose(wide, 0.5), max_sets=1000)


def test_a_bound_that_is_not_passed_has_no_effect():
    assert len(frequent_itemsets(TEN, 0.2, max_sets=43)) == 43
    with pytest.raises(MemoryError):
        frequent_itemsets(TEN, 0.2, max_sets=42)


def test_perfect_extensions_respect_max_len():
    baskets = [list("abcde")] * 3 + [["a"]]
    found = frequent_itemsets(baskets, 3, max_len=2)
    assert len(found) == 5 + math.comb(5, 2)


def test_itemsets_convert_to_frames_arrow_and_back():
    found = frequent_itemsets(TEN, 0.2)
    frame = found.to_frame()
    assert frame.itemset[7] == ["a", "b"]
    assert frame["count"][7] == 2
    assert frame.support[7] == 0.2
    assert found.to_frame("polars")["itemset"].to_list() == frame.itemset.tolist()
    assert found.to_arrow()["itemset"].to_pylist() == frame.itemset.tolist()
    assert list(Itemsets.from_dict({s[::-1]: c for s, c in found}, 10)) == list(found)
    assert found.select(found.lengths == 5).to_dict() == {tuple("abcef"): 2}
    assert found[-1] == tuple("abcef")
    assert "43 frequent item sets" in repr(found)
    with pytest.raises(ValueError, match="backend"):
        found.to_frame("spark")
    with pytest.raises(ValueError, match="repeated items"):
        Itemsets.from_dict({("a", "a"): 1}, 2)
    with pytest.raises(ValueError, match="n_baskets=2"):
        Itemsets.from_dict({("a",): 3}, 2)


def test_no_frequent_set_is_an_empty_result():
    found = frequent_itemsets([["a"], ["b"], []], 2)
    assert len(found) == 0
    assert found.to_dict() == {}
    assert len(found.support) == 0
    assert len(supports_from_closed(fpclose([["a"], ["b"]], 2))) == 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"min_support": 0}, "min_support"),
        ({"min_support": 0.0}, "min_support"),
        ({"min_support": 1.5}, "min_support"),
        ({"min_support": -0.1}, "min_support"),
        ({"min_support": True}, "min_support"),
        ({"max_len": 0}, "max_len"),
        ({"max_sets": 0}, "max_sets"),
        ({"representation": "magic"}, "representation"),
    ],
)
def test_wrong_arguments_are_named(arguments, words):
    with pytest.raises(ValueError, match=words):
        frequent_itemsets(TEN, **arguments)


def test_other_invalid_input_raises():
    with pytest.raises(ValueError, match="no baskets"):
        frequent_itemsets([])
    with pytest.raises(ValueError, match="limited to 20"):
        brute_force_itemsets([list(range(21))])
    with pytest.raises(ValueError, match="maximal"):
        supports_from_closed(fpmax(TEN, 0.2))
    with pytest.raises(TypeError, match="fpclose"):
        supports_from_closed({})
    with pytest.raises(ValueError, match="sample_weight"):
        frequent_itemsets(TEN, 0.2, sample_weight=[0.5] * 10, representation="diffset")
    with pytest.raises(ValueError, match="sample_weight"):
        frequent_itemsets(TEN, 0.2, sample_weight=[1.0])
    assert isinstance(repr(Baskets(TEN)), str)


@pytest.mark.spec("RUL-P1")
def test_many_baskets_give_the_same_sets_for_any_number_of_threads(seed):
    # Enough baskets for several blocks, and items without a frequent partner.
    rng = np.random.default_rng(seed)
    rows = [row[: row[0] % 6].tolist() for row in rng.integers(60, size=(45_000, 6))]
    for row in rows[::7]:
        row.extend([60, 61, 62])
    found = []
    for n_threads in (1, 2):
        with statlearn.threads(n_threads):
            found.append([search(rows, 0.02).to_dict() for search in (frequent_itemsets, fpclose, fpmax)])
    assert found[0] == found[1]
    assert found[0][0] == fpgrowth(rows, 0.02).to_dict()
    assert found[0][0][60, 61, 62] == len(rows[::7])
    alone = [items for items in found[0][1] if len(items) == 1 and items[0] < 60]
    assert alone
    assert set(alone) <= set(found[0][2])


@pytest.mark.spec("CRS-132")
@pytest.mark.parametrize("function", [apriori, fpgrowth, fpmax, hmine])
def test_calls_of_mlxtend_are_accepted(function, rng):
    table = pd.DataFrame(rng.random((40, 4)) < 0.6, columns=list("abcd"))
    sets = function(table, min_support=0.3, use_colnames=True)
    assert sets.to_dict() == function(table, min_support=0.3).to_dict()
    frame = sets.to_frame(style="mlxtend")
    assert frame.columns.tolist() == ["support", "itemsets"]
    assert dict(zip(frame.itemsets, frame.support)) == {frozenset(s): n / 40 for s, n in sets}
    with pytest.raises(ValueError, match=f"`use_colnames` must be True in {function.__name__}, got False"):
        function(table, use_colnames=False)
    with pytest.raises(ValueError, match="requires backend='pandas'"):
        sets.to_frame("polars", style="mlxtend")
