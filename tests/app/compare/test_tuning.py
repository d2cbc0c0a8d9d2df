"""Settings: searches that widen once, natural bounds, and quick searches."""

import numpy as np
import pytest

from statlearn.app.compare.portfolio.entry import Space
from statlearn.app.compare.run import compare
from statlearn.app.compare.tuning import next_value
from statlearn.discriminant import LinearDiscriminantAnalysis
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
    space = Space(3.0, label="regression tree", grid={"max_leaf_nodes": [2, 4, 8]}, table="native")
    monkeypatch.setattr(DecisionTreeRegressor, "_search_space", space)
    X, y = steps(rng)
    result = compare(X, y, models=["regression-tree"], folds=3)
    tree = result.model("regression-tree")
    assert tree.tuning.values == [2, 4, 8, 16, 32]
    assert tree.settings == {"max_leaf_nodes": 32}
    assert any(f.code == "GRID-EDGE" for f in result.findings)


def test_a_natural_bound_is_no_edge(rng, monkeypatch):
    space = Space(3.0, label="regression tree", grid={"min_samples_leaf": [10, 3, 1]}, table="native")
    monkeypatch.setattr(DecisionTreeRegressor, "_search_space", space)
    X, y = steps(rng)
    result = compare(X, y, models=["regression-tree"], folds=3)
    tree = result.model("regression-tree")
    assert tree.settings == {"min_samples_leaf": 1}
    assert tree.tuning.values == [10, 3, 1]
    assert tree.tuning.at_bound
    assert not any(f.code == "GRID-EDGE" for f in result.findings)


def test_the_elastic_net_does_not_depend_on_the_unit_of_the_target(rng):
    X = rng.normal(size=(120, 6))
    y = X @ [3.0, 2.0, 1.0, 0.0, 0.0, 0.0] + rng.normal(size=120)
    one, many = (compare(X, unit * y, models=["elastic-net", "lasso"], folds=4, holdout=0) for unit in (1.0, 1e5))
    for name in ("elastic-net", "lasso"):
        np.testing.assert_allclose(many.model(name).scores["rmse"], 1e5 * one.model(name).scores["rmse"], rtol=1e-3)
    assert many.model("elastic-net").scores["rmse"].mean() < 1.1 * many.model("lasso").scores["rmse"].mean()


def test_boosting_does_not_depend_on_the_unit_of_the_target(rng):
    """A stop by an absolute gain would end at once for a target of proportions."""
    X = rng.normal(size=(200, 2))
    y = np.sin(2 * X[:, 0]) + 0.1 * rng.normal(size=200)
    one, small = (compare(X, unit * y, models=["gradient-boosting"], folds=2, holdout=0) for unit in (1.0, 1e-3))
    found = small.model("gradient-boosting").scores["rmse"]
    np.testing.assert_allclose(1e3 * found, one.model("gradient-boosting").scores["rmse"], rtol=0.1)


def test_boosting_is_fitted_again_to_the_rows_it_held_out_to_stop_early(rng):
    X = rng.normal(size=(300, 3))
    y = X[:, 0] + 0.3 * rng.normal(size=300)
    model = compare(X, y, models=["gradient-boosting"], folds=2).model("gradient-boosting").estimator[-1]
    assert model.n_iter_no_change is None
    assert model.n_estimators_ == model.n_estimators < 600  # as many trees as the validation rows asked for


def test_a_bayesian_search_tunes_models_with_three_parameters_or_more(monkeypatch):
    from sklearn.datasets import load_diabetes

    from statlearn import compare
    from statlearn.app.compare import tuning

    monkeypatch.setattr(tuning, "BAYES_SETTINGS", 6)
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    settings = {"models": ["random-forest", "ridge"], "folds": 2, "holdout": 0.0, "search": "bayes"}
    result = compare(X[:120], y[:120], **settings)
    forest = next(model for model in result.models if model.name == "random-forest")
    assert set(forest.settings) == {"max_features", "min_samples_leaf", "max_samples"}
    assert 0.1 <= forest.settings["max_features"] <= 1.0
    assert forest.tuning.parameter == "proposed setting"
    leaves = forest.settings["min_samples_leaf"]
    curve = forest.tuning
    assert curve.mean[curve.chosen] == min(curve.mean)
    frugal = compare(X[:120], y[:120], **settings, rule="one_se")
    frugal = next(model for model in frugal.models if model.name == "random-forest")
    curve = frugal.tuning
    within = np.flatnonzero(curve.mean <= curve.mean[curve.best] + curve.std_error[curve.best])
    assert curve.chosen == within[0]  # the first are the simplest
    assert frugal.settings["min_samples_leaf"] >= leaves
    ridge = next(model for model in result.models if model.name == "ridge")
    assert ridge.status == "done"
    again = compare(X[:120], y[:120], **settings)
    assert next(m for m in again.models if m.name == "random-forest").settings == forest.settings


def test_settings_that_are_only_tried_give_no_warnings(rng, monkeypatch):
    X = rng.normal(size=(80, 25))
    y = X[:, 0] + 2 * rng.normal(size=80) > 0
    X = np.column_stack([X, X[:, 0]])  # singular without shrinkage, which is hopeless with so few rows anyway
    label = "linear discriminant analysis"
    for grid in ([0.9, 0.0], [0.0]):
        space = Space(1.0, label=label, grid={"shrinkage": grid}, fixed={"solver": "sphere"})
        monkeypatch.setattr(LinearDiscriminantAnalysis, "_search_space", space)
        model = compare(X, y, models=["lda"], folds=3).model("linear-discriminant-analysis")
        assert model.settings["shrinkage"] == grid[0]
        assert any("singular" in line for line in model.warnings) == (grid == [0.0])
