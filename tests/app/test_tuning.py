"""Settings: searches that widen once, natural bounds, and quick searches."""

import numpy as np
import pytest

from statlearn._core.search import SearchSpace
from statlearn.app.compare import compare
from statlearn.app.tuning import next_value
from statlearn.trees import DecisionTreeRegressor


@pytest.mark.parametrize(
    "values, expected",
    [
        ([4, 8, 16, 31], 60),
        ([0.1, 0.01], 0.001),
        ([10, 3, 1], None),  # one row in a leaf: the end
        ([0.5, 0.0], -0.5),  # refused by the parameter's own bounds
        (["a", "b"], None),
        ([None, 3], None),
        ([True, False], None),
        ([5], None),
    ],
)
def test_how_a_grid_continues(values, expected):
    assert next_value(values) == expected


def steps(rng, n=400):
    X = rng.uniform(size=(n, 1))
    return X, np.floor(32 * X[:, 0]) % 7 + 0.01 * rng.normal(size=n)


def test_a_search_continues_beyond_its_grid_once(rng, monkeypatch):
    space = SearchSpace("regression tree", 3.0, grid={"max_leaf_nodes": [2, 4, 8]}, table="native")
    monkeypatch.setattr(DecisionTreeRegressor, "_search_space", space)
    X, y = steps(rng)
    result = compare(X, y, models=["regression-tree"], folds=3)
    tree = result.model("regression-tree")
    assert tree.tuning.values == [2, 4, 8, 16, 32]
    assert tree.settings == {"max_leaf_nodes": 32}
    assert any(f.code == "GRID-EDGE" for f in result.findings)


def test_a_natural_bound_is_no_edge(rng, monkeypatch):
    space = SearchSpace("regression tree", 3.0, grid={"min_samples_leaf": [10, 3, 1]}, table="native")
    monkeypatch.setattr(DecisionTreeRegressor, "_search_space", space)
    X, y = steps(rng)
    result = compare(X, y, models=["regression-tree"], folds=3)
    tree = result.model("regression-tree")
    assert tree.settings == {"min_samples_leaf": 1}
    assert tree.tuning.values == [10, 3, 1]
    assert tree.tuning.at_bound
    assert not any(f.code == "GRID-EDGE" for f in result.findings)
