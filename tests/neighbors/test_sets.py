"""Distances of sets, binary vectors, categories and strings."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial import distance

from statlearn.neighbors import (
    hamming_count,
    jaccard_distance,
    jaccard_similarity,
    matching_distance,
    overlap_distance,
)
from tests.helpers import assert_close

pairs = st.integers(1, 12).flatmap(
    lambda n: st.tuples(*[st.lists(st.integers(0, 1), min_size=n, max_size=n) for _ in range(2)])
)


@pytest.mark.spec("NEI-09", "NEI-T1")
def test_hamming_counts_of_the_catalog():
    assert hamming_count("toned", "roses") == 3
    assert hamming_count("101110", "101101") == 2
    assert hamming_count([1, "a", None], [1, "b", None]) == 2  # missing is equal to nothing


@pytest.mark.spec("NEI-07", "NEI-08", "NEI-T4")
def test_binary_vectors_of_the_catalog():
    a, b = [1, 1, 0, 1], [1, 0, 1, 1]
    assert jaccard_similarity(a, b) == 0.5
    assert jaccard_distance(a, b) == 0.5
    assert matching_distance(a, b) == 0.5


@pytest.mark.spec("NEI-P6", "NEI-07", "NEI-08")
@given(pairs)
def test_vectors_agree_with_sets_and_with_scipy(pair):
    a, b = pair
    sets = [{i for i, member in enumerate(x) if member} for x in pair]
    assert jaccard_distance(a, b) == jaccard_distance(*sets)
    assert jaccard_similarity(a, b) == 1 - jaccard_distance(a, b)
    if any(a) or any(b):
        assert_close(jaccard_distance(a, b), distance.jaccard(np.array(a, bool), np.array(b, bool)))
        assert_close(jaccard_similarity(a, b), len(sets[0] & sets[1]) / len(sets[0] | sets[1]))
    assert_close(matching_distance(a, b), distance.hamming(a, b))
    assert_close(overlap_distance(a, b), distance.hamming(a, b))
    assert hamming_count(a, b) == sum(x != y for x, y in zip(a, b))


@given(st.tuples(*[st.sets(st.integers(0, 6)) for _ in range(3)]))
def test_jaccard_distance_satisfies_the_triangle_inequality(sets):
    a, b, c = sets
    assert jaccard_distance(a, c) <= jaccard_distance(a, b) + jaccard_distance(b, c) + 1e-12


def test_empty_things_are_equal():
    assert jaccard_distance(set(), frozenset()) == 0.0
    assert jaccard_distance([0, 0], [0, 0]) == 0.0
    assert jaccard_similarity([0, 0], [0, 0]) == 1.0
    assert matching_distance([], []) == overlap_distance([], []) == hamming_count("", "") == 0


@pytest.mark.spec("NEI-08")
def test_categories_of_any_type():
    a = np.array(["red", 3, None], dtype=object)
    assert_close(overlap_distance(a, ["red", 4, "x"]), 2 / 3)
    assert overlap_distance(["1", "2"], [1, 2]) == 1.0


@pytest.mark.parametrize("function", [jaccard_distance, matching_distance, overlap_distance, hamming_count])
def test_lengths_must_agree(function):
    with pytest.raises(ValueError, match="equal length, got 3 and 2"):
        function([1, 0, 1], [1, 0])


def test_wrong_kinds_raise():
    with pytest.raises(ValueError, match="binary"):
        jaccard_distance([1, 2], [1, 0])
    with pytest.raises(TypeError, match="got one of each"):
        jaccard_distance({1}, [1])
    with pytest.raises(ValueError, match="2 dimensions"):
        hamming_count([[1]], [[1]])
