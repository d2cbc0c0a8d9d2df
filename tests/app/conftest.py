"""Comparisons that several test files look at: made once."""

import warnings

import pytest

from .made import classification_frame, comparison_of, regression_frame


def _quietly(*args, **kwargs):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return comparison_of(*args, **kwargs)


@pytest.fixture(scope="session")
def regression():
    return _quietly(regression_frame(), "price", "regression")


@pytest.fixture(scope="session")
def binary():
    return _quietly(classification_frame(), "kind", "classification")


@pytest.fixture(scope="session")
def multiclass():
    return _quietly(classification_frame(k=13, n=390), "kind", "classification")
