"""Neighbours of rows of categories, and of texts letter by letter."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest

from statlearn.neighbors import (
    KNeighborsClassifier,
    KNeighborsRegressor,
    NearestNeighbors,
    RadiusNeighborsClassifier,
    hamming_count,
    overlap_distance,
)
from tests.helpers import assert_close

FRUIT = [["red", "round"], ["red", "long"], ["green", "long"], ["green", "round"], ["blue", "long"]]


@pytest.mark.spec("CRS-58")
@pytest.mark.parametrize("metric", ["hamming", "matching", "overlap"])
@pytest.mark.parametrize("algorithm", ["auto", "brute", "ball_tree"])
def test_cells_of_text_are_equal_or_not(metric, algorithm):
    model = NearestNeighbors(n_neighbors=5, metric=metric, algorithm=algorithm).fit(FRUIT)
    queries = [["red", "long"], ["black", "long"], ["black", "square"]]
    distance, row = model.kneighbors(queries)
    for query, d, r in zip(queries, distance, row):
        assert_close(d, [overlap_distance(query, FRUIT[k]) for k in r])
    assert row[0, 0] == 1
    assert model.n_features_in_ == 2
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.kneighbors(queries)[0], distance)
    assert_close(model.kneighbors(n_neighbors=1)[0].ravel(), [0.5, 0.5, 0.5, 0.5, 0.5])  # each row's nearest other


@pytest.mark.spec("CRS-58")
@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_data_frames_of_categories(frame):
    table = frame({"colour": ["red", "red", "green", None], "doors": [2, 4, 4, 2]})
    model = KNeighborsClassifier(1, metric="hamming").fit(table, ["a", "b", "c", "d"])
    assert model.feature_names_in_.tolist() == ["colour", "doors"]
    np.testing.assert_array_equal(model.predict(table[:3]), ["a", "b", "c"])
    distance, _ = model.kneighbors(table[3:])
    assert_close(distance, 0.5)  # a missing value equals nothing, not even itself
    regressor = KNeighborsRegressor(2, metric="overlap", weights="distance").fit(table, [1.0, 2.0, 3.0, 4.0])
    assert_close(regressor.predict(table[:3]), [1.0, 2.0, 3.0])
    near = RadiusNeighborsClassifier(0.1, metric="hamming").fit(table, ["a", "b", "c", "d"])
    np.testing.assert_array_equal(near.predict(table[:3]), ["a", "b", "c"])


@pytest.mark.spec("CRS-58")
@pytest.mark.parametrize("algorithm", ["auto", "brute", "kd_tree", "ball_tree"])
def test_texts_of_one_length_are_compared_letter_by_letter(algorithm):
    words = [["toned"], ["tones"], ["xxxxx"]]
    model = NearestNeighbors(n_neighbors=3, metric="hamming_count", algorithm=algorithm).fit(words)
    distance, row = model.kneighbors([["roses"], ["toned"]])
    assert_close(distance, [[2, 3, 5], [0, 1, 5]])
    assert row.tolist() == [[1, 0, 2], [0, 1, 2]]
    assert_close(
        NearestNeighbors(n_neighbors=1, metric="hamming_count").fit([["101110"]]).kneighbors([["101101"]])[0], 2
    )
    table = [["ab", 1], ["ac", 2], ["bd", 1]]  # letters and whole cells
    found = NearestNeighbors(n_neighbors=3, metric="hamming_count").fit(table).kneighbors([["ad", 2]])
    for d, r in zip(found[0][0], found[1][0]):
        assert d == hamming_count("ad", table[r][0]) + (table[r][1] != 2)


@pytest.mark.spec("CRS-58")
def test_errors_on_text():
    with pytest.raises(ValueError, match="one length letter by letter"):
        NearestNeighbors(metric="hamming_count").fit([["toned"], ["red"]])
    model = NearestNeighbors(n_neighbors=1, metric="hamming_count").fit([["toned"]])
    with pytest.raises(ValueError, match="fitted to 5"):
        model.kneighbors([["red"]])
    with pytest.raises(
        ValueError, match=r"accepts only numbers; .* metric='hamming' and mixed columns with MixedDistance"
    ):
        KNeighborsClassifier(1).fit(pd.DataFrame({"a": ["x", "y"]}), [0, 1])
    with pytest.raises(ValueError, match="table with rows and columns"):
        NearestNeighbors(metric="hamming").fit(["toned", "roses"])
