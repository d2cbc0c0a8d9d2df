"""What an estimator keeps from one fit to the next."""

from types import SimpleNamespace

import numpy as np
import pytest

from statlearn._core.fitted_state import check_indices, check_numbers, check_offsets, forget, take_attributes


def test_forget_deletes_existing_attributes_only():
    model = SimpleNamespace(coef_=1, gap_=2, alpha=3)
    forget(model, "gap_", "history_")
    assert vars(model) == {"coef_": 1, "alpha": 3}


def test_attributes_missing_from_the_inner_model_are_forgotten():
    model = SimpleNamespace(coef_=1, classes_="old", alpha=3)
    take_attributes(model, SimpleNamespace(coef_=5, gap_=6), "coef_", "classes_")
    assert vars(model) == {"coef_": 5, "alpha": 3}


def test_checks_of_fitted_arrays_name_the_mismatch():
    check_indices("leaves", np.array([0, 2]), 3)
    check_offsets("ends", np.array([0, 2, 2]), 2)
    check_numbers("coef", np.zeros((2, 3)), kind="f", shape=(None, 3))
    for wrong in (np.array([0, 3]), np.array([-1]), np.array([0.0]), np.array([[0]]), [0], None):
        with pytest.raises(ValueError, match=r"^`leaves` must"):
            check_indices("leaves", wrong, 3)
    for wrong in ([0, 1], [1, 2], [0, 2, 1, 2], []):
        with pytest.raises(ValueError, match=r"^`ends` must"):
            check_offsets("ends", np.array(wrong, dtype=int), 2)
    for wrong in (np.zeros((2, 2)), np.zeros(3), np.array([["a"] * 3])):
        with pytest.raises(ValueError, match=r"^`coef` must"):
            check_numbers("coef", wrong, shape=(None, 3))
