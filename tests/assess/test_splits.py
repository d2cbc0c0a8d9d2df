"""Splits: every row once, shares kept, groups whole, time in order."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from statlearn import assess
from statlearn.assess import train_validation_test_split, two_thirds_split


@pytest.mark.spec("ASM-23")
@given(st.integers(12, 200), st.integers(0, 1000), st.booleans())
def test_three_parts_partition_the_rows_in_the_requested_shares(n, seed, shuffle):
    parts = train_validation_test_split(np.arange(n), shuffle=shuffle, random_state=seed)
    assert sorted(np.concatenate(parts)) == list(range(n))
    for part, share in zip(parts, (0.5, 0.25, 0.25)):
        assert abs(len(part) - share * n) <= 1
    if not shuffle:
        assert np.all(np.diff(np.concatenate(parts)) == 1)


@pytest.mark.spec("ASM-23", "ASM-P20")
@given(st.integers(0, 1000), st.lists(st.integers(8, 40), min_size=2, max_size=4))
def test_stratified_parts_keep_the_class_shares(seed, counts):
    y = np.repeat(np.arange(len(counts)), counts)
    parts = train_validation_test_split(np.arange(len(y)), stratify=y, random_state=seed)
    for part in parts:
        for k, count in enumerate(counts):
            # Two splits, each within one row of the share.
            assert abs(np.sum(y[part] == k) - count * len(part) / len(y)) <= 2


@pytest.mark.spec("ASM-23", "ASM-P20")
@given(st.integers(0, 1000), st.booleans())
def test_groups_stay_whole_and_sizes_hold_nearly(seed, stratified):
    rng = np.random.default_rng(seed)
    groups = rng.integers(0, 40, size=400)
    y = rng.integers(0, 2, size=400)
    rows = train_validation_test_split(
        np.arange(400), groups=groups, stratify=y if stratified else None, random_state=seed
    )
    assert sorted(np.concatenate(rows)) == list(range(400))
    owners = [set(groups[part]) for part in rows]
    assert not owners[0] & owners[1]
    assert not owners[0] & owners[2]
    assert not owners[1] & owners[2]
    largest = np.bincount(groups).max()
    for part, share in zip(rows, (0.5, 0.25, 0.25)):
        assert abs(len(part) - share * 400) <= largest


@pytest.mark.spec("ASM-23")
def test_arrays_frames_sparse_and_lists_are_cut_alike():
    n = 20
    X = np.arange(2 * n).reshape(n, 2)
    tables = [X, pd.DataFrame(X), pl.DataFrame(X), sparse.csr_array(X), [tuple(r) for r in X]]
    out = train_validation_test_split(*tables, sizes=(10, 6, 4), random_state=3)
    for k, size in enumerate((10, 6, 4)):
        dense = out[k]
        assert len(dense) == size
        np.testing.assert_array_equal(out[3 + k].to_numpy(), dense)
        np.testing.assert_array_equal(out[6 + k].to_numpy(), dense)
        np.testing.assert_array_equal(out[9 + k].toarray(), dense)
        np.testing.assert_array_equal(np.array(out[12 + k]), dense)


@pytest.mark.parametrize(
    "options, message",
    [
        ({"sizes": (0.5, 0.5)}, "three positive"),
        ({"sizes": (0.5, 0.4, 0.4)}, "sum to 1"),
        ({"sizes": (10, 10, 10)}, "cannot be applied"),
        ({"shuffle": False, "stratify": [0, 1] * 5}, "`shuffle`=True"),
        ({"groups": [0, 1] * 5}, "three groups"),
        ({"stratify": [0, 1]}, "`stratify` must have"),
    ],
)
def test_wrong_arguments_are_named(options, message):
    with pytest.raises(ValueError, match=message):
        train_validation_test_split(np.arange(10), **options)


@pytest.mark.spec("ASM-24")
def test_two_thirds_and_one_third():
    train, test = two_thirds_split(np.arange(99), random_state=0)
    assert (len(train), len(test)) == (66, 33)


@pytest.mark.spec("ASM-24", "ASM-P20")
@pytest.mark.parametrize("name", ["KFold", "StratifiedKFold", "GroupKFold", "StratifiedGroupKFold", "LeaveOneOut"])
def test_folds_partition_the_data(name, rng):
    n = 60
    y, groups = rng.integers(0, 3, n), np.repeat(np.arange(15), 4)
    splitter = getattr(assess, name)()
    held_out = []
    for train, test in splitter.split(np.zeros((n, 1)), y, groups if "Group" in name else None):
        assert sorted(np.concatenate([train, test])) == list(range(n))
        held_out.append(test)
        if "Group" in name:
            assert not set(groups[train]) & set(groups[test])
        if name == "StratifiedKFold":
            for k in range(3):
                assert abs(np.sum(y[test] == k) - np.sum(y == k) / 5) < 1
    assert sorted(np.concatenate(held_out)) == list(range(n))


@pytest.mark.spec("ASM-24")
def test_repeats_time_order_and_train_test_split_are_here():
    X = np.zeros((30, 1))
    repeated = list(assess.RepeatedKFold(n_splits=3, n_repeats=4, random_state=0).split(X))
    assert len(repeated) == 12
    assert np.all(np.bincount(np.concatenate([test for _, test in repeated])) == 4)
    for train, test in assess.TimeSeriesSplit(4).split(X):
        assert train.max() < test.min()
    assert [len(part) for part in assess.train_test_split(X, test_size=10, random_state=0)] == [20, 10]
    assert len(list(assess.LeaveOneOut().split(X))) == 30
