"""k-modes and k-prototypes."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning

from statlearn.cluster import KMeans, KModes, KPrototypes
from tests.helpers import assert_close


def cost(X, modes, labels, weights):
    return float(np.sum(weights[:, None] * (modes[labels] != X)))


def words(rng, n=60, p=5, levels=4):
    return np.array(["a", "b", "c", "d", "e", "f"])[rng.integers(levels, size=(n, p))].astype(object)


@given(st.integers(0, 10_000), st.integers(1, 5))
def test_modes_are_modes_and_the_cost_never_rises(draw, k):
    rng = np.random.default_rng(draw)
    X, weights = words(rng), rng.integers(1, 4, size=60).astype(float)
    model = KModes(k, random_state=draw).fit(X, sample_weight=weights)
    assert_close(model.cost_, cost(X, model.cluster_centers_, model.labels_, weights))
    assert np.all(np.diff(model.history_) <= 1e-9)
    for c in range(k):
        own = model.labels_ == c
        for j in range(5):
            counts = {v: weights[own & (X[:, j] == v)].sum() for v in set(X[:, j])}
            assert counts[model.cluster_centers_[c, j]] == max(counts.values())
    np.testing.assert_array_equal(model.predict(X), model.labels_)


def test_clear_groups_are_recovered(rng):
    kinds = np.array([list("abcde"), list("fghij"), list("klmno")], dtype=object)
    truth = rng.integers(3, size=90)
    X = kinds[truth]
    noise = rng.random(X.shape) < 0.1
    X[noise] = "z"
    model = KModes(3, random_state=0, n_init=5).fit(X)
    assert len(set(zip(model.labels_, truth))) == 3
    assert {"".join(row) for row in model.cluster_centers_} == {"abcde", "fghij", "klmno"}


def test_numbers_are_levels():
    X = np.array([[1, 1], [1, 1], [1000, 2], [1000, 2], [2, 3]])
    model = KModes(2, init=[[1, 1], [1000, 2]]).fit(X)
    # 2 is as far from 1 as from 1000: the first mode takes the row.
    assert model.labels_.tolist() == [0, 0, 1, 1, 0]
    assert model.cluster_centers_.dtype == X.dtype
    assert model.predict([[7, 2]]).tolist() == [1]  # 7 is new


@given(st.integers(0, 10_000))
def test_prototypes_of_numbers_only_are_kmeans(draw):
    rng = np.random.default_rng(draw)
    X = rng.normal(size=(40, 2))
    plain = KMeans(3, init=X[:3], tol=0).fit(X)
    ours = KPrototypes(3, init=X[:3]).fit(X)
    np.testing.assert_array_equal(ours.labels_, plain.labels_)
    assert_close(ours.cost_, plain.inertia_)


def test_prototypes_of_categorical_columns_are_modes(rng):
    X = words(rng)
    a, b = KModes(3, init=X[:3]).fit(X), KPrototypes(3, init=X[:3]).fit(X)
    np.testing.assert_array_equal(a.labels_, b.labels_)
    assert a.cost_ == b.cost_


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame], ids=["pandas", "polars"])
def test_tables_of_both_kinds(rng, frame):
    size = rng.normal(size=80)
    colour = np.where(rng.random(80) < 0.5, "red", "blue")
    table = frame({"size": size, "colour": colour, "year": rng.integers(3, size=80)})
    model = KPrototypes(4, random_state=0, gamma=2.0, categorical=["colour", "year"]).fit(table)
    said = model.cluster_centers_
    squares = (size[:, None] - said[:, 0].astype(float)) ** 2
    differ = (colour[:, None] != said[:, 1]).astype(int) + (np.asarray(table["year"])[:, None] != said[:, 2])
    total = squares + 2.0 * differ
    np.testing.assert_array_equal(model.labels_, total.argmin(axis=1))
    assert_close(model.cost_, total.min(axis=1).sum())
    auto = KPrototypes(4, random_state=0).fit(table)
    # "year" holds numbers: only "colour" is taken for a category.
    numeric = np.column_stack([size, np.asarray(table["year"])])
    expected = numeric.var(axis=0).mean() / (1 - np.mean(colour == "red") ** 2 - np.mean(colour == "blue") ** 2)
    assert_close(auto.gamma_, expected)


@given(st.integers(0, 10_000))
def test_weight_k_is_k_copies_in_any_order(draw):
    rng = np.random.default_rng(draw)
    X, weights = words(rng, 25), rng.integers(0, 4, size=25)
    rows = rng.permutation(np.repeat(np.arange(25), weights))
    a = KModes(3, random_state=draw).fit(X, sample_weight=weights)
    b = KModes(3, random_state=draw).fit(X[rows])
    assert_close(a.cost_, b.cost_)
    np.testing.assert_array_equal(a.cluster_centers_, b.cluster_centers_)


def test_bad_input_raises_by_name():
    X = np.array([["a", 1.0], ["b", 2.0], ["a", 3.0]], dtype=object)
    with pytest.raises(ValueError, match="n_samples=3 should be >= n_clusters=8"):
        KModes().fit(X)
    with pytest.raises(ValueError, match="missing values"):
        KModes(2).fit(np.array([["a"], [None], ["b"]], dtype=object))
    with pytest.raises(ValueError, match="NaN"):
        KPrototypes(2).fit(np.array([["a", 1.0], ["b", np.nan], ["a", 3.0]], dtype=object))
    with pytest.raises(ValueError, match="column 0 is numeric but contains text"):
        KPrototypes(2, categorical=[1]).fit(X)
    with pytest.raises(ValueError, match="`categorical` must contain column indices between 0 and 1"):
        KPrototypes(2, categorical=[2]).fit(X)
    with pytest.raises(ValueError, match="shape of the initial centers"):
        KModes(2, init=[["a"], ["b"]]).fit(X)
    with pytest.warns(ConvergenceWarning, match=r"distinct clusters \(1\)"):
        KModes(2, random_state=0).fit([["a"], ["a"]])
