"""Names of classes in model files outlive moves of their modules."""

import pytest

from statlearn._math.distances.metrics import Metric
from statlearn._math.trees.forest import Forest
from statlearn.app.model.format import classes

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


def test_no_two_parts_share_a_name():
    assert len(classes._parts()) == len(classes.PARTS)
    assert len(classes._functions()) == len(classes.FUNCTIONS)
