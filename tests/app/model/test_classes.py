"""Names of classes in model files outlive moves of their modules."""

import numpy as np
import pytest

from statlearn._core.frames import CategoryCoder
from statlearn._math.distances.metrics import Metric
from statlearn._math.trees.forest import Forest
from statlearn._math.trees.table_coder import TableCoder
from statlearn.app.model.format import classes
from tests.helpers import assert_same_state

# What the first files name: everything that was in `_core` when they were written.
FIRST_CLASSES = [
    "BallTreeIndex", "BinMapper", "BruteIndex", "CVCurve", "CategoryCoder", "Forest", "KDTreeIndex",
    "LeastSquaresStatistic", "Metric", "PanelIndex", "SparseIndex", "Surrogates", "Table", "Tree",
]  # fmt: skip
FIRST_FUNCTIONS = [
    "_divided_rows", "_mapped_rows", "_multiplied_rows", "_probability_rows", "_sphere_rows", "_unit_rows",
]  # fmt: skip


@pytest.mark.parametrize("name", FIRST_CLASSES)
def test_classes_named_by_the_first_files_are_found(name):
    assert classes.find_class(f"statlearn._core.{name}").__name__ == name


@pytest.mark.parametrize("name", FIRST_FUNCTIONS)
def test_functions_named_by_the_first_files_are_found(name):
    assert classes.find_function(f"statlearn._core.{name}").__name__ == name


def test_files_keep_the_names_of_classes_that_moved():
    assert classes.class_name(Metric) == "statlearn._core.Metric"
    assert classes.class_name(Forest) == "statlearn._core.Forest"


def test_coders_of_earlier_forests_are_read():
    """They kept the coder of categories as a part, under the name of another package."""
    table = np.array([[0.5, 1.0], [1.5, 0.0], [2.5, 2.0]])
    now = TableCoder([1], max_bins=4).fit(table)
    before = object.__new__(classes.find_class("statlearn.ensemble.TableCoder"))
    state = dict(vars(now))
    rest = {name: state.pop(name) for name in ("max_bins", "random_cuts", "bins")}
    before.categories = object.__new__(CategoryCoder)
    vars(before.categories).update(state)
    vars(before).update(rest)
    before._check_state()
    assert_same_state(vars(before), vars(now))
    assert np.array_equal(before.encode(table), now.encode(table))


def test_no_two_parts_share_a_name():
    assert len(classes._parts()) == len(classes.PARTS) + len(classes.FORMER)
    assert len(classes._functions()) == len(classes.FUNCTIONS)
