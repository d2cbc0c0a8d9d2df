"""The order in which statistics are merged."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from statlearn.scale._tree import Reduction, merge_all, ranges, task_width


class Written:
    """A statistic that records how it was merged."""

    def __init__(self, text):
        self.text = text

    def merge(self, other):
        return Written(f"({self.text}{other.text})")


def by_levels(values):
    """The tree, level by level: pairs of neighbours, and the last one as it is if it has none."""
    while len(values) > 1:
        pairs = [values[k].merge(values[k + 1]) for k in range(0, len(values) - 1, 2)]
        values = pairs + values[len(values) - len(values) % 2 :]
    return values[0]


@pytest.mark.parametrize("count", [1, 2, 3, 5, 6, 7, 8, 13, 31, 33])
def test_reduction_merges_by_levels(count):
    leaves = [Written(chr(65 + k)) for k in range(count)]
    assert merge_all(leaves).text == by_levels(leaves).text


@given(st.integers(1, 200), st.integers(0, 5), st.integers(0, 3), st.randoms())
def test_subtrees_in_any_order_give_the_same_tree(count, level, fan_in, random):
    leaves = [Written(chr(200 + k)) for k in range(count)]
    spans = ranges(count, 2**level)
    done = {}
    for k in random.sample(range(len(spans)), len(spans)):  # the order in which workers finish
        done[k] = merge_all(leaves[slice(*spans[k])])
    parts = [done[k] for k in range(len(spans))]
    while len(parts) > 1:
        parts = [merge_all(parts[k : k + 2 ** (fan_in + 1)]) for k in range(0, len(parts), 2 ** (fan_in + 1))]
    assert parts[0].text == by_levels(leaves).text


def test_empty_blocks_take_no_part():
    assert merge_all([None, Written("a"), None, Written("b"), None]).text == "(ab)"
    assert merge_all([None, None]) is None
    assert Reduction().result() is None


def test_reduction_holds_one_value_per_level():
    class Count(int):
        def merge(self, other):
            return Count(self + other)

    reduction = Reduction()
    for _ in range(1000):
        reduction.add(Count(1))
        assert len(reduction._values) <= np.log2(1024)
    assert reduction.result() == 1000


@pytest.mark.parametrize("count, workers", [(1, 1), (200, 2), (7, 3), (10_000, 100)])
def test_tasks_are_powers_of_two_and_enough_for_all_workers(count, workers):
    width = task_width(count, workers)
    assert width & (width - 1) == 0
    assert width == 1 or len(ranges(count, width)) >= 4 * workers
