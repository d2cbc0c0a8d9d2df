"""Accumulated local effects of single columns on the predictions of any saved model."""

from dataclasses import dataclass

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin

from statlearn._core.frames import cells, column_names, missing, n_rows, take_rows
from statlearn.ensemble import accumulated_local_effects

from .importance import predict_values

MAX_ROWS = 2000
MAX_LEVELS = 12  # of a category
N_INTERVALS = 20


@dataclass
class LocalEffects:
    """Accumulated local effects of one column.

    Parameters
    ----------
    column : str
    values : list
        Ends of intervals of a number, or levels.
    mean : ndarray of shape (n_values, n_outputs)
        Effects, with mean 0 over the rows.
    outputs : list of str
    categorical : bool
    """

    column: str
    values: list
    mean: np.ndarray
    outputs: list
    categorical: bool


class _Fitted(BaseEstimator):
    """A saved model as one fitted estimator of the library's inspections."""

    def __init__(self, model=None):
        self.model = model

    def __sklearn_is_fitted__(self):
        return True

    def fit(self, X, y=None):
        """The model is fitted already."""
        return self


class _Values(RegressorMixin, _Fitted):
    def predict(self, X):
        return predict_values(self.model, X)


class _Probabilities(ClassifierMixin, _Fitted):
    """A classifier; one without probabilities gives its label probability 1."""

    @property
    def classes_(self):
        return self.model.classes_

    def predict_proba(self, X):
        return predict_values(self.model, X)


def local_effects(estimator, X, column, *, task, seed=0):
    """Accumulated local effects of a number, or of a category with at most 12 levels; None for other columns.

    Parameters
    ----------
    estimator : fitted pipeline or stack
    X : table
    column : str
    task : {"regression", "classification"}
    seed : int
        For the rows of long tables.

    Returns
    -------
    LocalEffects or None
    """
    if n_rows(X) > MAX_ROWS:
        X = take_rows(X, np.sort(np.random.default_rng(seed).choice(n_rows(X), MAX_ROWS, replace=False)))
    j = column_names(X).index(column)
    values = cells(X, j)
    present = values[~missing(values)]
    number = present.dtype.kind in "iuf"
    levels = set(present.tolist())
    if len(levels) < 2 or (not number and (len(levels) > MAX_LEVELS or len({type(v) for v in levels}) > 1)):
        return None
    model = (_Values if task == "regression" else _Probabilities)(estimator)
    found = accumulated_local_effects(
        model, X, [j], n_intervals=N_INTERVALS, categorical_features=None if number else [j]
    )
    mean, outputs = found.average.T, ["prediction"]
    if task == "classification":
        classes = [str(c) for c in estimator.classes_]
        outputs = classes[1:] if len(classes) == 2 else classes
    return LocalEffects(column, found.grid_values[0].tolist(), mean, outputs, not number)
