"""FP-trees."""

import numpy as np
import pytest
from hypothesis import given

from statlearn.rules import FPTree, frequent_itemsets
from tests.rules.baskets import TEN, collections

HEADER = list("ecagbfd")


@pytest.mark.spec("RUL-05", "RUL-T8")
def test_tree_of_the_ten_baskets():
    tree = FPTree(TEN, 0.2, tie_order=HEADER)
    assert tree.header == HEADER
    assert tree.counts.tolist() == [8, 8, 8, 5, 2, 2, 2]
    assert tree.n_nodes == 11
    assert not tree.is_single_path
    lines = tree.to_text().split("\n")
    expected = "root, e: 8, c: 6, a: 6, g: 4, d: 1, b: 2, f: 2, c: 2, a: 2, g: 1, d: 1"
    assert [line.strip() for line in lines] == expected.split(", ")
    assert [len(line) - len(line.lstrip()) for line in lines] == [0, 2, 4, 6, 8, 10, 8, 10, 2, 4, 6, 6]


@pytest.mark.spec("RUL-T9", "RUL-06")
def test_pair_array_and_conditional_tree():
    tree = FPTree(TEN, 0.2, tie_order=HEADER)
    rows = {tree.header[k]: tree.pair_counts[k, :k].tolist() for k in range(1, 7)}
    assert rows == {
        "c": [6], "a": [6, 8], "g": [4, 5, 5], "b": [2, 2, 2, 0], "f": [2, 2, 2, 0, 2], "d": [1, 2, 2, 1, 0, 0],
    }  # fmt: skip
    below = tree.conditional("g")
    assert below.to_dict() == {"a": 5, "c": 5, "e": 4}
    assert below.pair_counts[1, 0] == 5
    assert below.pair_counts[2, :2].tolist() == [4, 4]
    assert sorted(tree.paths("g")) == [(["c", "a"], 1), (["e", "c", "a"], 4)]


@given(collections)
def test_counts_links_and_conditional_trees_agree_with_the_baskets(baskets):
    tree = FPTree(baskets, 1)
    found = frequent_itemsets(baskets, 1).to_dict()
    assert tree.to_dict() == {s[0]: c for s, c in found.items() if len(s) == 1}
    for k, item in enumerate(tree.header):
        node, total = tree.head[k], 0
        while node >= 0:
            assert tree.node_item[node] == k
            total += tree.node_count[node]
            node = tree.node_link[node]
        assert total == tree.counts[k]
        conditional = tree.conditional(item)
        assert all(found[tuple(sorted([item, other]))] == c for other, c in conditional.to_dict().items())
    children = np.zeros(len(tree.node_item))
    np.add.at(children, tree.node_parent[1:], tree.node_count[1:])
    assert np.all(children <= np.r_[np.inf, tree.node_count[1:]])


def test_weights_and_single_paths_are_used_and_bad_input_raises():
    tree = FPTree([["a", "b"], ["a"]], sample_weight=[3, 2])
    assert tree.to_dict() == {"a": 5, "b": 3}
    assert tree.is_single_path
    with pytest.raises(ValueError, match="not in the header"):
        tree.paths("z")
    wide = FPTree([[k] for k in range(200)])
    with pytest.raises(ValueError, match="200 nodes"):
        wide.plot()
    assert "2 nodes" in repr(tree)


@pytest.mark.spec("RUL-G1")
def test_the_drawing_shows_every_node_with_its_count():
    tree = FPTree(TEN, 0.2, tie_order=HEADER)
    shown = [text.get_text() for text in tree.plot().texts if text.get_text()]
    nodes = [f"{HEADER[i]}: {c}" for i, c in zip(tree.node_item[1:], tree.node_count[1:])]
    assert sorted(shown) == sorted([*nodes, "root"])
