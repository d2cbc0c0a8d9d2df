"""Proximities of rows, their picture, outliers and prototypes."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.datasets import load_diabetes, load_iris

from statlearn.ensemble import (
    RandomForestClassifier,
    RandomForestRegressor,
    prototypes,
    proximity_matrix,
    proximity_outliers,
    proximity_plot,
    proximity_scaling,
)
from tests.helpers import assert_close


@pytest.fixture(scope="module")
def iris():
    X, y = load_iris(return_X_y=True)
    return RandomForestClassifier(60, random_state=0).fit(X, y), X, y


@pytest.mark.spec("ENS-13")
@pytest.mark.parametrize("oob", [False, True])
def test_proximity_is_the_share_of_trees_in_which_rows_meet(iris, oob):
    model, X, _ = iris
    rows = np.arange(0, 150, 7)
    found = proximity_matrix(model, X, oob=oob)
    leaves = model.apply(X)
    out = np.column_stack([~np.isin(np.arange(150), seen) for seen in model.estimators_samples_])
    for i in rows:
        for j in rows:
            both = out[i] & out[j] if oob else np.ones(60, bool)
            meet = np.sum(both & (leaves[i] == leaves[j]))
            expected = 1.0 if i == j else (meet / both.sum() if both.any() else 0.0)
            assert found[i, j] == pytest.approx(expected, abs=1e-12)


@pytest.mark.spec("ENS-P10")
@pytest.mark.parametrize("oob", [False, True])
def test_proximities_are_symmetric_shares_and_can_be_drawn_as_points(seed, oob):
    X, y = load_diabetes(return_X_y=True)
    model = RandomForestRegressor(40, min_samples_leaf=5, random_state=seed).fit(X[:200], y[:200])
    P = proximity_matrix(model, X[:200], oob=oob)
    np.testing.assert_array_equal(P, P.T)
    assert P.min() >= 0.0
    assert P.max() <= 1.0
    np.testing.assert_array_equal(np.diag(P), 1.0)
    if not oob:  # a mean of block matrices of ones
        assert np.linalg.eigvalsh(P).min() > -1e-9
        # All coordinates together give the distances 1 - P back.
        points = proximity_scaling(P, 199)
        squared = np.sum((points[:, None] - points[None]) ** 2, axis=2)
        assert_close(squared, 1 - P, atol=1e-9)
    assert proximity_scaling(P).shape == (200, 2)


@pytest.mark.spec("ENS-13")
def test_the_plot_parts_the_classes(iris):
    model, X, y = iris
    ax = proximity_plot(model, X, y)
    assert len(ax.collections) == 3
    points = proximity_scaling(proximity_matrix(model, X))
    centres = np.array([points[y == k].mean(axis=0) for k in range(3)])
    nearest = np.argmin(np.sum((points[:, None] - centres) ** 2, axis=2), axis=1)
    assert np.mean(nearest == y) > 0.9
    assert len(proximity_plot(model, X).collections) == 1


def test_a_row_among_strangers_is_an_outlier_and_prototypes_are_typical(iris):
    _, X, y = iris
    X, y = X.copy(), y.copy()
    y[0] = 2  # a setosa under a wrong name
    model = RandomForestClassifier(100, random_state=0).fit(X, y)
    P = proximity_matrix(model, X)
    assert np.argmax(proximity_outliers(P, y)) == 0
    found = prototypes(X, y, P, n_prototypes=2)
    assert sorted(found) == [0, 1, 2]
    medians = np.array([np.median(X[y == k], axis=0) for k in range(3)])
    for k in range(3):
        assert found[k].shape[1] == 4
        assert np.argmin(np.sum((medians - found[k][0]) ** 2, axis=1)) == k


def test_wrong_shapes_raise(iris):
    model, X, y = iris
    with pytest.raises(ValueError, match="square"):
        proximity_scaling(np.ones((3, 2)))
    with pytest.raises(ValueError, match="n_components"):
        proximity_scaling(np.eye(3), 4)
    with pytest.raises(ValueError, match="shape"):
        proximity_outliers(np.eye(3), y)
    with pytest.raises(ValueError, match="rows"):
        prototypes(X, y, np.eye(3))
    with pytest.raises(ValueError, match="training rows"):
        proximity_matrix(model, X[:20], oob=True)
    assert proximity_matrix(model, X[:20]).shape == (20, 20)


@pytest.mark.spec("ENS-13")
def test_prototypes_of_a_frame_have_medians_and_most_frequent_levels(rng):
    kind = rng.choice(["a", "b"], 120)
    frame = pd.DataFrame(
        {"kind": pd.Categorical(kind), "x": rng.normal(size=120), "code": pd.Categorical(rng.integers(3, size=120))}
    )
    frame.loc[5, "x"] = np.nan
    forest = RandomForestClassifier(40, random_state=0).fit(frame, kind)
    for table in (frame, pl.from_pandas(frame.astype({"code": str})).with_columns(pl.col("code").cast(pl.Categorical))):
        found = prototypes(table, kind, proximity_matrix(forest, frame))
        assert {label: rows[0, 0] for label, rows in found.items()} == {"a": "a", "b": "b"}
        assert all(isinstance(rows[0, 1], float) and np.isfinite(rows[0, 1]) for rows in found.values())
        assert all(str(rows[0, 2]) in "012" for rows in found.values())


def test_a_forest_is_not_a_matrix_of_proximities(rng):
    X, y = rng.normal(size=(30, 2)), rng.integers(0, 2, 30)
    forest = RandomForestClassifier(3, random_state=0).fit(X, y)
    message = r"as returned by proximity_matrix\(forest, X\); got RandomForestClassifier"
    for call in (
        lambda: proximity_scaling(forest),
        lambda: proximity_outliers(forest, y),
        lambda: prototypes(X, y, forest),
    ):
        with pytest.raises(ValueError, match=message):
            call()
    with pytest.raises(ValueError, match=r"of shape \(2, 30\)"):
        proximity_scaling(np.ones((2, 30)))
