"""Tables of the folds: those of the transformer, learned on the training rows, and no failure is hidden."""

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from statlearn.app.compare.fitting import ALL_ROWS, Designs, Problem, make_transformer
from statlearn.app.tables import frames
from statlearn.app.tables.learning_table import LearningTable
from statlearn.prep import TableTransformer

N = 60
TRAIN, TEST = np.arange(40), np.arange(40, N)


def designs(table, kinds):
    problem = Problem(
        LearningTable(frames.as_frame(table), np.arange(N, dtype=float)),
        folds=[(TRAIN, TEST)], metric=None, metrics=[], rule="min", seed=0, kinds=kinds,
    )  # fmt: skip
    return Designs(problem)


@pytest.fixture
def table(rng):
    return pd.DataFrame(
        {
            "a": rng.normal(size=N),
            "town": rng.choice(["Rome", "Oslo", "Lima"], N),
            "b": np.where(rng.random(N) < 0.2, np.nan, rng.normal(3.0, 2.0, N)),
        }
    )


KINDS = {"a": "number", "town": "category", "b": "number"}


@pytest.mark.parametrize("kind", ["scaled", "plain", "native"])
def test_a_fold_is_what_the_transformer_makes_of_it(table, kind):
    found, X, X_test = designs(table, KINDS).get(0, kind)
    transformer = make_transformer(kind, KINDS)
    np.testing.assert_array_equal(X, transformer.fit_transform(table.iloc[TRAIN], np.arange(40.0)))
    np.testing.assert_array_equal(X_test, transformer.transform(table.iloc[TEST]))
    # The columns have the order that the final model sees.
    whole, _, _ = designs(table, KINDS).get(ALL_ROWS, kind)
    assert list(found.get_feature_names_out()) == list(whole.get_feature_names_out())


def test_the_native_table_keeps_categories_and_gaps(table):
    transformer, X, X_test = designs(table, KINDS).get(0, "native")
    assert transformer.categorical_.tolist() == [False, True, False]
    assert set(np.unique(X[:, 1])) == {0.0, 1.0, 2.0}
    np.testing.assert_array_equal(np.isnan(X_test[:, 2]), table["b"].iloc[TEST].isna())


def test_trees_are_fitted_to_the_native_table(table):
    from statlearn.app.compare.portfolio.selection import candidates

    kinds = {c.name: c.table for task in ("regression", "classification") for c in candidates(task)}
    for name in ("regression-tree", "decision-tree", "random-forest", "extra-trees", "gradient-boosting", "c4-5-tree"):
        assert kinds[name] == "native"
    assert (kinds["lasso"], kinds["least-squares"]) == ("scaled", "plain")


def test_the_final_model_is_the_fold_model_on_all_rows(table, rng):
    from statlearn.app.compare.run import compare

    y = 3.0 * (table["town"] == "Oslo") + np.nan_to_num(table["b"]) + 0.1 * rng.normal(size=N)
    result = compare(table, y, models=["gradient-boosting"], folds=3)
    pipeline = result.model("gradient-boosting").estimator
    assert pipeline[-1].categorical_features == [1]
    # A clone learns from some rows what the fold model has learned from them, although a column says nothing there.
    some = table.assign(a=1.0).iloc[:45]
    again = clone(pipeline).fit(some, y[:45])
    assert again[-1].categorical_features == [0]


def test_all_rows_keep_the_transformer(table):
    transformer, X, X_test = designs(table, KINDS).get(ALL_ROWS, "scaled")
    assert isinstance(transformer, TableTransformer)
    assert X_test is None
    np.testing.assert_array_equal(X, transformer.transform(table))


def test_columns_that_say_nothing_in_a_fold_are_left_out_of_it(table):
    table["town"] = np.where(np.arange(N) < 40, "Rome", "Oslo")
    _, X, X_test = designs(table[["a", "town"]], {"a": "number", "town": "category"}).get(0, "scaled")
    assert X.shape == (40, 1)
    assert X_test.shape == (20, 1)


def test_a_fold_without_any_information_is_an_error(table):
    table["town"] = np.where(np.arange(N) < 40, "Rome", "Oslo")
    with pytest.raises(ValueError, match="no usable columns"):
        designs(table[["town"]], {"town": "category"}).get(0, "scaled")


@pytest.mark.parametrize("method", ["fit_transform", "transform"])
def test_other_failures_of_the_transformer_are_not_hidden(table, monkeypatch, method):
    def fail(self, *_):
        raise ValueError("a defect")

    monkeypatch.setattr(TableTransformer, method, fail)
    with pytest.raises(ValueError, match="a defect"):
        designs(table, KINDS).get(0, "scaled")


def test_torch_is_imported_before_the_clock_runs():
    """An alarm inside its import leaves PyTorch half imported, and nothing in the process can use it any more."""
    code = (
        "import numpy as np, polars as pl, sys\n"
        "from statlearn.app.compare import fitting, scoring, splits\n"
        "from statlearn.app.tables import frames\n"
        "from statlearn.app.tables.learning_table import LearningTable\n"
        "from statlearn.app.compare.portfolio.selection import candidates\n"
        "rng = np.random.default_rng(0)\n"
        "y = rng.normal(size=40)\n"
        "scheme = splits.Scheme('regression')\n"
        "folds, _ = splits.outer_folds(y, scheme, 2, 1, 0)\n"
        "metric, metrics = scoring.choose_metrics('regression', None)\n"
        "problem = fitting.Problem(\n"
        "    LearningTable(frames.as_frame(pl.DataFrame({'a': rng.normal(size=40)})), y, scheme=scheme),\n"
        "    folds=folds, metric=metric, metrics=metrics, rule='min', seed=0, kinds={'a': 'number'},\n"
        "    candidates={c.name: c for c in candidates('regression') if c.name == 'neural-network'},\n"
        ")\n"
        "fitting.run(problem, fitting.Designs(problem), 'neural-network', 0, seconds=0.4)\n"
        "import torch\n"
        "print(torch.zeros(2).sum().item())\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "0.0"


def test_warnings_name_the_columns_of_the_table(table):
    from statlearn.app.compare.run import compare

    y = np.where(np.arange(N) % 2, "yes", "no")
    table["town"] = np.where(y == "yes", "Rome", table["town"])  # constant within a class
    result = compare(table, y, models=["diagonal-quadratic-discriminant"], folds=3)
    lines = " ".join(result.model("diagonal-quadratic-discriminant").warnings)
    assert "town_Rome" in lines or "town_Oslo" in lines
    assert "x0" not in lines
