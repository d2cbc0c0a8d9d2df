"""Dynamic time warping."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from statlearn.neighbors import dtw_distance, dtw_path
from tests.helpers import assert_close


def slow_dtw(costs, window=None):
    """The recursion, literally."""
    n, m = costs.shape
    D = np.full((n + 1, m + 1), np.inf)
    D[0, 0] = 0.0
    for i in range(n):
        for j in range(m):
            if window is None or abs(i - j) <= window:
                D[i + 1, j + 1] = costs[i, j] + min(D[i, j], D[i, j + 1], D[i + 1, j])
    return D[n, m]


@pytest.mark.spec("NEI-11", "NEI-T5")
def test_a_repeated_start_is_free():
    assert dtw_distance([0, 1, 2, 1, 0], [0, 0, 1, 2, 1, 0]) == 0.0


sequences = st.lists(st.integers(-4, 4), min_size=1, max_size=9)


@pytest.mark.spec("NEI-11")
@given(sequences, sequences, st.one_of(st.none(), st.integers(0, 9)))
def test_the_kernel_is_the_recursion(a, b, extra):
    window = None if extra is None else abs(len(a) - len(b)) + extra
    gap = np.subtract.outer(np.array(a, float), np.array(b, float))
    assert_close(dtw_distance(a, b, window=window), slow_dtw(np.abs(gap), window))
    assert_close(dtw_distance(a, b, window=window, cost="squared"), slow_dtw(gap**2, window))


@pytest.mark.spec("NEI-11")
@given(sequences, sequences, st.one_of(st.none(), st.integers(0, 3)))
def test_the_path_is_monotone_complete_and_costs_the_distance(a, b, extra):
    window = None if extra is None else abs(len(a) - len(b)) + extra
    path, distance = dtw_path(a, b, window=window)
    assert path[0].tolist() == [0, 0]
    assert path[-1].tolist() == [len(a) - 1, len(b) - 1]
    steps = np.diff(path, axis=0)
    assert np.all((steps >= 0) & (steps <= 1))
    assert np.all(steps.sum(axis=1) >= 1)
    assert_close(sum(abs(a[i] - b[j]) for i, j in path), distance)
    assert distance == dtw_distance(a, b, window=window)
    if window is not None:
        assert np.abs(path[:, 0] - path[:, 1]).max() <= window


def test_several_features_and_a_callable(rng):
    a, b = rng.normal(size=(12, 3)), rng.normal(size=(15, 3))
    costs = np.linalg.norm(a[:, None] - b[None], axis=2)
    assert_close(dtw_distance(a, b, cost="euclidean"), slow_dtw(costs))
    assert_close(dtw_distance(a, b, cost=lambda x, y: np.linalg.norm(x - y)), slow_dtw(costs))
    assert_close(dtw_distance(a, b, window=3, cost=lambda x, y: np.linalg.norm(x - y)), slow_dtw(costs, 3))
    assert_close(dtw_distance(a, b, cost="euclidean"), dtw_distance(b, a, cost="euclidean"))


def test_a_narrow_window_is_the_plain_distance(rng):
    a, b = rng.normal(size=(2, 40))
    assert_close(dtw_distance(a, b, window=0), np.abs(a - b).sum())
    assert dtw_distance(a, b) <= dtw_distance(a, b, window=5) <= dtw_distance(a, b, window=0)


def test_landmarks_of_a_warped_curve_are_located():
    time = np.linspace(0, 1, 80)
    slow, fast = np.sin(2 * np.pi * time), np.sin(2 * np.pi * time**1.5)
    path, _ = dtw_path(slow, fast)
    match = path[path[:, 0] == np.argmax(slow), 1]
    assert np.abs(match - np.argmax(fast)).min() <= 1


def test_bad_arguments_raise():
    with pytest.raises(ValueError, match=r"`window`=1 allows no path.*at least 2"):
        dtw_distance([1, 2, 3], [1], window=1)
    with pytest.raises(ValueError, match="cost"):
        dtw_distance([1], [1], cost="none")
    with pytest.raises(ValueError, match="same number of features, got 2 and 1"):
        dtw_distance([[1, 2]], [[1]])
    with pytest.raises(ValueError, match="non-negative"):
        dtw_distance([1], [2], cost=lambda x, y: -1)
    with pytest.raises(ValueError, match="NaN"):
        dtw_distance([1, np.nan], [2])


def test_a_table_of_steps_that_does_not_fit_raises_with_its_size():
    long = np.zeros(10_000_000)
    with pytest.raises(MemoryError, match="window"):
        dtw_path(long, long)
