"""H-mine and its hyper-linked array."""

import numpy as np
import pytest
from hypothesis import given

from statlearn.rules import HyperStructure, fpgrowth, frequent_itemsets, hmine
from tests.rules.baskets import FREQUENT, TEN, collections, random_baskets, thresholds

FOUR = [list(word) for word in ("cdefgi", "acdem", "abdegk", "acdh")]  # Pei et al. (2001), table 1


@pytest.mark.spec("CRS-81")
def test_the_ten_baskets_have_43_frequent_sets():
    assert hmine(TEN, 0.2).to_dict() == FREQUENT
    assert len(FREQUENT) == 43


@pytest.mark.spec("CRS-81")
@given(collections, thresholds)
def test_sets_counts_and_order_match_fpgrowth(baskets, threshold):
    assert list(hmine(baskets, threshold)) == list(fpgrowth(baskets, threshold))


@pytest.mark.spec("CRS-81")
@pytest.mark.parametrize("options", [{"max_len": 2}, {"strict": True}, {"max_sets": 1000}])
def test_options_have_the_meaning_of_fpgrowth(seed, options):
    baskets = random_baskets(np.random.default_rng(seed), n=80, items=7)
    assert hmine(baskets, 0.2, **options).to_dict() == fpgrowth(baskets, 0.2, **options).to_dict()


@pytest.mark.spec("CRS-81")
@pytest.mark.parametrize("scale", [1, 0.5])
def test_weights_count_copies_of_baskets(seed, scale):
    rng = np.random.default_rng(seed)
    baskets, weights = random_baskets(rng, n=40, items=6), rng.integers(0, 4, 40) * scale
    assert hmine(baskets, 0.2, sample_weight=weights).to_dict() == (
        frequent_itemsets(baskets, 0.2, sample_weight=weights).to_dict()
    )


@pytest.mark.spec("CRS-81")
def test_queues_of_the_four_baskets_of_the_article():
    links = HyperStructure(FOUR, 2)
    assert links.header == list("acdeg")
    assert links.counts.tolist() == [3, 3, 4, 3, 2]
    assert [links.queue(item) for item in "acdeg"] == [[1, 2, 3], [0], [], [], []]
    links = links.advance("a")
    assert [links.queue(item) for item in "acdeg"] == [[], [0, 1, 3], [2], [], []]
    links = links.advance("c")
    assert [links.queue(item) for item in "acdeg"] == [[], [], [0, 1, 2, 3], [], []]
    links = links.advance("d").advance("e")
    assert links.queue("g") == [0, 2]
    assert HyperStructure(FOUR, 2, order=list("gedca")).queue("g") == [0, 2]


@given(collections)
def test_advancing_item_by_item_visits_every_basket_of_each_item(baskets):
    links = HyperStructure(baskets, 1)
    for item in links.header:
        assert links.queue(item) == [r for r, basket in enumerate(baskets) if item in basket]
        links = links.advance(item)
    assert (links.head == -1).all()
    assert (links.link == -1).all()


def test_drawing_shows_header_entries_and_links():
    ax = HyperStructure(FOUR, 2).plot()
    shown = [text.get_text() for text in ax.texts if text.get_text()]
    assert [text for text in shown if ":" in text] == ["a: 3", "c: 3", "d: 4", "e: 3", "g: 2"]
    assert sum(text in "acdeg" for text in shown) == 15
    assert sum(hasattr(text, "arrow_patch") and text.arrow_patch is not None for text in ax.texts) == 4


def test_limits_are_respected_and_bad_input_raises():
    with pytest.raises(MemoryError, match="More than 5 item sets"):
        hmine(TEN, 0.2, max_sets=5)
    with pytest.raises(ValueError, match="no baskets"):
        hmine([])
    links = HyperStructure([[k] for k in range(200)])
    with pytest.raises(ValueError, match="200 entries"):
        links.plot()
    with pytest.raises(ValueError, match="not in the header"):
        links.queue("z")
    assert "200 entries" in repr(links)
