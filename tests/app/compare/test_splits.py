"""Rows in folds."""

import numpy as np
import pandas as pd
import pytest

from statlearn.app.compare.run import compare
from statlearn.app.compare.splits import Scheme, holdout_split, mixed_order, outer_folds
from statlearn.app.errors import DataError


def test_parts_are_disjoint_cover_all_and_repeat(rng):
    y = np.arange(100) % 4
    scheme = Scheme("classification")
    train, held = holdout_split(y, scheme, 0.2, 0)
    assert np.array_equal(np.sort(np.concatenate([train, held])), np.arange(100))
    assert np.bincount(y[held]).tolist() == [5, 5, 5, 5]
    assert all(np.array_equal(a, b) for a, b in zip(holdout_split(y, scheme, 0.2, 0), (train, held)))
    folds, n = outer_folds(y[train], scheme, 5, 2, 0)
    assert (len(folds), n) == (10, 5)
    for a, b in folds:
        assert not set(a) & set(b)
        assert np.bincount(y[train][b]).tolist() == [4, 4, 4, 4]


def test_groups_are_never_divided(rng):
    groups = rng.integers(0, 12, size=120)
    y = rng.normal(size=120)
    scheme = Scheme("regression", groups)
    train, held = holdout_split(y, scheme, 0.25, 0)
    assert not set(groups[train]) & set(groups[held])
    inside = scheme.rows(train)
    folds, n = outer_folds(y[train], inside, 5, 2, 0)
    assert (len(folds), n) == (10, 5)
    for a, b in folds:
        assert not set(inside.groups[a]) & set(inside.groups[b])
    for a, b in inside.inner(y[train], 0)(3):
        assert not set(inside.groups[a]) & set(inside.groups[b])


def test_the_future_is_tested_on_the_past():
    y = np.arange(50.0)
    scheme = Scheme("regression", ordered=True)
    train, held = holdout_split(y, scheme, 0.2, 0)
    assert held.min() > train.max()
    for a, b in outer_folds(y[train], scheme, 5, 1, 0)[0]:
        assert b.min() > a.max()


def test_small_tables():
    y = np.arange(12.0)
    assert outer_folds(y, Scheme("regression"), 20, 1, 0)[1] == 12
    with pytest.raises(DataError, match="too few to hold out"):
        holdout_split(np.arange(4.0), Scheme("regression"), 0.1, 0)
    train, held = holdout_split(y, Scheme("regression"), 0, 0)
    assert (len(train), len(held)) == (12, 0)


def test_beginnings_of_a_mixed_order_hold_the_classes_in_proportion(rng):
    y = np.repeat([0, 1], [90, 10])
    order = mixed_order(y, True, rng)
    assert sorted(order) == list(range(100))
    for m in (10, 20, 50):
        assert abs(y[order[:m]].sum() - m / 10) <= 1


def test_two_rows_per_class_make_two_folds():
    y = np.repeat([f"s{k}" for k in range(10)], 2)
    scheme = Scheme("classification")
    pairs, n_folds = outer_folds(y, scheme, 10, 1, 0)
    assert n_folds == 2
    assert all(set(y[train]) == set(y) for train, _ in pairs)
    # Inside, where each class has one row left, the inner folds are made without regard to the classes.
    train = pairs[0][0]
    inner = scheme.rows(train).inner(y[train], 0)(5)
    assert len(list(inner.split(np.zeros(len(train)), y[train]))) == 2


def test_classes_of_one_row_each_are_refused():
    with pytest.raises(DataError, match="only one row"):
        outer_folds(np.array(list("abcdefghijkl")), Scheme("classification"), 5, 1, 0)


def test_a_table_of_two_rows_per_class_is_compared():
    rng = np.random.default_rng(0)
    y = np.repeat([f"s{k}" for k in range(10)], 2)
    X = pd.DataFrame({"x": np.repeat(np.arange(10.0), 2) + 0.1 * rng.normal(size=20), "z": rng.normal(size=20)})
    result = compare(X, y, models=["decision-tree", "logistic-l2", "k-nearest-neighbours"], holdout=0)
    assert any(m.status == "done" for m in result.models)
    assert "2 folds were used instead of 10" in " ".join(result.profile.notes)
