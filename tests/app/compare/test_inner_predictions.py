"""Fits inside the training part of a fold: they see nothing of its test part, and they end with the clock."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from statlearn.app.compare import scoring, splits
from statlearn.app.compare.fitting import Designs, Problem, run
from statlearn.app.compare.inner_predictions import INNER_FOLDS, Nested
from statlearn.app.compare.portfolio.selection import candidates
from statlearn.app.tables import frames
from statlearn.app.tables.learning_table import LearningTable

NAMES = ["ridge", "regression-tree"]


@pytest.fixture
def problem(rng):
    n = 60
    table = pd.DataFrame({"a": rng.normal(size=n), "town": rng.choice(["Rome", "Oslo"], n)})
    y = table["a"].to_numpy() + rng.normal(size=n)
    scheme = splits.Scheme("regression")
    folds, _ = splits.outer_folds(y, scheme, 3, 1, 0)
    metric, metrics = scoring.choose_metrics("regression", None)
    return Problem(
        LearningTable(frames.as_frame(table), y, scheme=scheme), folds=folds, metric=metric,
        metrics=metrics, rule="min", seed=0, kinds={"a": "number", "town": "category"},
        candidates={c.name: c for c in candidates("regression") if c.name in NAMES},
    )  # fmt: skip


def records_of(problem):
    designs = Designs(problem)
    return {(name, fold): run(problem, designs, name, fold) for name in NAMES for fold in range(3)}


def test_predictions_inside_a_fold_do_not_depend_on_its_test_part(problem):
    records = records_of(problem)
    rows, before = Nested(problem, records)(0, NAMES, 3)
    train, test = problem.folds[0]
    np.testing.assert_array_equal(np.sort(rows), train)
    changed = problem.y.copy()
    changed[test] += 100.0
    again, after = Nested(replace(problem, table=replace(problem.table, y=changed)), records)(0, NAMES, 3)
    np.testing.assert_array_equal(rows, again)
    np.testing.assert_array_equal(before, after)
    # What the outer folds know of each other's rows does: this is why the nested fits are made.
    plain = run(problem, Designs(problem), "ridge", 1).predictions
    other = replace(problem, table=replace(problem.table, y=changed))
    assert not np.allclose(run(other, Designs(other), "ridge", 1).predictions, plain)


def test_each_prediction_is_made_without_its_row(problem):
    records = records_of(problem)
    nested = Nested(problem, records)
    part = nested._part(0, NAMES)
    assert len(part.folds) == INNER_FOLDS
    for train, test in part.folds:
        assert not np.intersect1d(train, test).size
    # The settings are those of the fold: nothing is tuned again.
    assert part.candidates["regression-tree"].space.grid == {}
    assert part.candidates["regression-tree"].space.fixed.items() >= records["regression-tree", 0].settings.items()


def test_no_time_no_predictions(problem):
    nested = Nested(problem, records_of(problem), seconds=1e-9)
    assert nested(0, NAMES, 3) is None or nested(1, NAMES, 3) is None


def test_a_class_of_two_rows_is_no_cause_for_a_warning(problem, rng):
    """Warnings are errors here; the honesty box reports rare classes."""
    y = np.array(["rare", "rare", *["a", "b"] * 29], dtype=object)
    classes, codes = np.unique(y, return_inverse=True)
    scheme = splits.Scheme("classification")
    folds, _ = splits.outer_folds(y, scheme, 3, 1, 0)
    table = replace(problem.table, y=y, codes=codes, classes=classes, scheme=scheme)
    rare = replace(problem, table=table, folds=folds)
    assert len(Nested(rare, {})._part(0, []).folds) == INNER_FOLDS
