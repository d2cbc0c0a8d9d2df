"""Fits that are made once and shared by the checks that only read them."""

import copy
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from sklearn.base import clone

from tests.contract.instances import instance_of, make_problem, name_of


@dataclass
class Fit:
    """A fitted estimator and the data it was given, as they were left by `fit`."""

    estimator: object
    X: np.ndarray
    y: np.ndarray


def shared_fit(estimator):
    """A copy of the one fit of this estimator on the problem of `make_problem`: change it as you like."""
    return copy.deepcopy(_fit(name_of(estimator)))


# The tests of an estimator follow one another (conftest.py), so that a few fits are enough to remember.
@lru_cache(maxsize=4)
def _fit(name):
    estimator = instance_of(name)
    X, y = make_problem(estimator)
    return Fit(clone(estimator).fit(X, y), X, y)
