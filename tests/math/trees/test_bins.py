"""Bins of columns: edges, the search for them, categories."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.sparse import csr_array

from statlearn._core.native import trees as native
from statlearn._math.trees.bins import BinMapper

COLUMNS = hnp.arrays(
    st.sampled_from([np.float32, np.float64]),
    st.tuples(st.integers(1, 60), st.just(1)),
    elements=st.floats(allow_nan=False, allow_infinity=True, width=32),
)


@given(COLUMNS, st.integers(2, 255))
def test_edges_lie_between_distinct_values(X, max_bins):
    edges, starts = native.bin_edges(X, max_bins)
    distinct = np.unique(X)
    assert starts.tolist() == [0, len(edges)]
    assert len(edges) <= min(max_bins, len(distinct)) - 1 + (len(distinct) == 0)
    assert np.all(np.diff(edges) > 0)
    if len(distinct) <= max_bins:  # one bin each
        np.testing.assert_array_equal(np.searchsorted(edges, distinct), np.arange(len(distinct)))


def test_bins_hold_about_equally_many_rows_and_frequent_values_are_alone(seed):
    rng = np.random.default_rng(seed)
    x = np.where(rng.random(20_000) < 0.3, 0.5, rng.normal(size=20_000))
    edges, _ = native.bin_edges(x[:, None], 64)
    counts = np.bincount(np.searchsorted(edges, x), minlength=len(edges) + 1)
    alone = np.searchsorted(edges, 0.5)
    assert counts[alone] < 1.01 * np.sum(x == 0.5) + 400
    others = np.delete(counts, alone)
    assert others.max() < 2.2 * others.mean()


@given(COLUMNS, st.integers(4, 255))
def test_even_edges_divide_the_range(X, max_bins):
    even = max_bins // 4
    edges, _ = native.bin_edges(X, max_bins, even)
    distinct = np.unique(X)
    assert len(edges) < max_bins
    assert np.all(np.diff(edges) > 0)
    if len(distinct) <= max_bins:
        np.testing.assert_array_equal(edges, native.bin_edges(X, max_bins)[0])
    elif np.all(np.isfinite(distinct)):
        ends = np.concatenate([distinct[:1], edges, distinct[-1:]]).astype(np.float64)
        assert np.diff(ends).max() <= (ends[-1] - ends[0]) / (even + 1) * (1 + 1e-5)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("order", ["C", "F"])
def test_bins_of_rows_match_a_search(seed, dtype, order):
    rng = np.random.default_rng(seed)
    X = np.asarray(rng.normal(size=(1300, 19)).round(2), dtype=dtype, order=order)
    X[rng.random(X.shape) < 0.05] = np.nan
    table = BinMapper(40, np.zeros(19, bool)).fit(X, rng)
    binned = table.transform(X)
    for j in range(19):
        edges = table.edges[table.starts[j] : table.starts[j + 1]]
        expected = np.where(np.isnan(X[:, j]), 255, np.searchsorted(edges, X[:, j]))
        np.testing.assert_array_equal(binned.by_column[j], expected)
        np.testing.assert_array_equal(binned.by_row[:, j], expected)
    assert not binned.by_row[:, 19:].any()


def test_categories_beyond_254_share_bins_with_those_of_similar_targets():
    rng = np.random.default_rng(0)
    effect = rng.normal(size=1000)
    level = np.repeat(np.arange(1000.0), 20)
    target = effect[level.astype(int)] + 0.1 * rng.normal(size=level.size)
    mapper = BinMapper(255, [True]).fit(level[:, None], rng, target)
    codes = mapper.encode(np.arange(1000.0)[:, None])[:, 0]
    assert len(np.unique(codes)) == 254
    assert np.median(np.abs(effect - np.array([effect[codes == c].mean() for c in codes]))) < 0.03
    assert np.corrcoef(codes, np.argsort(np.argsort(effect)))[0, 1] > 0.999
    # With several targets the order is that of their main direction.
    several = BinMapper(255, [True]).fit(level[:, None], rng, np.column_stack([target, -target, 0 * target]))
    codes = several.encode(np.arange(1000.0)[:, None])[:, 0]
    assert abs(np.corrcoef(codes, np.argsort(np.argsort(effect)))[0, 1]) > 0.999
    np.testing.assert_array_equal(mapper.encode(np.array([[5000.0], [np.nan]]))[:, 0], [np.nan, np.nan])


def test_few_categories_have_a_bin_each_and_unseen_ones_are_missing():
    few = BinMapper(255, [True]).fit(np.array([[3.0], [7.0], [np.nan]]), np.random.default_rng(0))
    np.testing.assert_array_equal(few.encode(np.array([[7.0], [3.0], [4.0]]))[:, 0], [1, 0, np.nan])


def test_wrong_shapes_raise():
    X = np.zeros((3, 2))
    edges, starts = np.array([0.5]), np.array([0, 1, 1], np.int32)
    good = np.empty((3, 16), np.uint8), np.empty((2, 3), np.uint8)
    native.bin_rows(X, edges, starts, *good)
    with pytest.raises(ValueError, match="by_row"):
        native.bin_rows(X, edges, starts, np.empty((3, 1), np.uint8), good[1])
    with pytest.raises(ValueError, match="starts"):
        native.bin_rows(X, edges, np.array([0, 1, 2], np.int32), *good)
    with pytest.raises(ValueError, match="max_bins"):
        native.bin_edges(X, 256)
    with pytest.raises(ValueError, match="room"):
        native.bin_edges(X, 8, 7)


@pytest.mark.parametrize("shift", [0.0, 0.5, -3.0, 1e6])
def test_categories_are_distinguished_whatever_numbers_they_have(shift, rng):
    levels = np.sort(rng.choice(1000, 40, replace=False)) + shift
    column = rng.choice(levels, 500)
    column[::7] = np.nan
    mapper = BinMapper(255, np.array([True])).fit(column[:, None], rng)
    new = np.concatenate([column, [levels[0] - 1, levels[-1] + 1, levels[3] + 0.25, -np.inf, np.inf]])
    known, place = np.unique(column[~np.isnan(column)], return_inverse=True)
    expected = np.full(len(new), np.nan)
    expected[: len(column)][~np.isnan(column)] = place
    unseen = ~np.isin(new, known)
    assert np.all(np.isnan(mapper.encode(new[:, None])[unseen, 0]))
    np.testing.assert_array_equal(mapper.encode(column[:, None])[:, 0], expected[: len(column)])


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("learned, asked", [(np.float32, np.float64), (np.float64, np.float32)])
def test_rows_of_another_precision_get_the_bins_of_their_values(learned, asked, sparse, rng):
    X = np.where(rng.random((200, 3)) < 0.5, rng.normal(size=(200, 3)), 0.0)
    table = csr_array if sparse else np.asarray
    mapper = BinMapper(20, [False] * 3).fit(table(X.astype(learned)), rng)
    asked_rows = X.astype(asked)
    found = mapper.transform(table(asked_rows))
    wide = mapper.transform(asked_rows.astype(np.float64))
    for j in range(3):
        edges = mapper.edges[mapper.starts[j] : mapper.starts[j + 1]].astype(np.float64)
        expected = np.searchsorted(edges, asked_rows[:, j].astype(np.float64), side="left")
        np.testing.assert_array_equal(wide.by_column[j], expected)
    if not sparse:
        np.testing.assert_array_equal(found.by_column, wide.by_column)
