"""Designs of the folds: those of the transformer, learned on the training rows, and no failure is hidden."""

import numpy as np
import pandas as pd
import pytest

from statlearn.app import frames
from statlearn.app.fitting import ALL_ROWS, Designs, Problem, make_transformer
from statlearn.prep import TableTransformer
from tests.helpers import assert_close

N = 60
TRAIN, TEST = np.arange(40), np.arange(40, N)


def designs(table, kinds):
    problem = Problem(
        frame=frames.as_frame(table), y=np.arange(N, dtype=float), codes=None, classes=None, scheme=None,
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


@pytest.mark.parametrize("scaled", [False, True])
def test_a_fold_is_what_the_transformer_makes_of_it(table, scaled):
    _, X, X_test = designs(table, KINDS).get(0, scaled)
    transformer = make_transformer(scaled, KINDS)
    expected = transformer.fit_transform(table.iloc[TRAIN], np.arange(40.0))
    expected_test = transformer.transform(table.iloc[TEST])
    # Complete columns of numbers come first in a fold; models do not care, so the columns are compared in any order.
    order, other = np.lexsort(X), np.lexsort(expected)
    assert_close(X[:, order], expected[:, other], rtol=1e-12, atol=1e-12)
    assert_close(X_test[:, order], expected_test[:, other], rtol=1e-12, atol=1e-12)


def test_all_rows_keep_the_transformer(table):
    transformer, X, X_test = designs(table, KINDS).get(ALL_ROWS, True)
    assert isinstance(transformer, TableTransformer)
    assert X_test is None
    np.testing.assert_array_equal(X, transformer.transform(table))


def test_columns_that_say_nothing_in_a_fold_are_left_out_of_it(table):
    table["town"] = np.where(np.arange(N) < 40, "Rome", "Oslo")
    _, X, X_test = designs(table[["a", "town"]], {"a": "number", "town": "category"}).get(0, True)
    assert X.shape == (40, 1)
    assert X_test.shape == (20, 1)


def test_a_fold_without_any_information_is_an_error(table):
    table["town"] = np.where(np.arange(N) < 40, "Rome", "Oslo")
    with pytest.raises(ValueError, match="No column of X is left"):
        designs(table[["town"]], {"town": "category"}).get(0, True)


@pytest.mark.parametrize("method", ["fit_transform", "transform"])
def test_other_failures_of_the_transformer_are_not_hidden(table, monkeypatch, method):
    def fail(self, *_):
        raise ValueError("a defect")

    monkeypatch.setattr(TableTransformer, method, fail)
    with pytest.raises(ValueError, match="a defect"):
        designs(table, KINDS).get(0, True)
