"""Functions of single columns in additive models, as arrays."""

import warnings
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class TermCurve:
    """One function with its band; the ``term_curves()`` method of an estimator returns a list of them.

    Parameters
    ----------
    label : str
        Name of the term.
    feature : str
        The column.
    x, value : ndarray
        Grid of the column, and the contribution of the term to the (linear) predictor there.
    low, high : ndarray or None
        Confidence band, if the method provides one.
    """

    label: str
    feature: str
    x: np.ndarray
    value: np.ndarray
    low: np.ndarray | None = None
    high: np.ndarray | None = None


def column_range(X):
    """Smallest, largest and median value of each column."""
    return np.array([X.min(axis=0), X.max(axis=0)]), np.median(X, axis=0)


def predicted_curves(model, names, features, grid_size, quantile=None):
    """Curves of a model whose `predict_terms` returns one column per feature.

    It needs ``feature_range_`` and ``feature_middle_``; with a quantile of the normal distribution, its ``return_std``.
    """
    with _rows_without_names():
        return [_predicted_curve(model, str(names[j]), j, grid_size, quantile) for j in features]


@contextmanager
def _rows_without_names():
    """Rows with the columns of the training table in order, without their names."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "X does not have valid feature names", UserWarning)
        yield


def _predicted_curve(model, name, j, grid_size, quantile):
    x = np.linspace(*model.feature_range_[:, j], grid_size)
    X = np.tile(model.feature_middle_, (grid_size, 1))
    X[:, j] = x
    if quantile is None:
        return TermCurve(name, name, x, model.predict_terms(X)[:, j])
    value, error = (part[:, j] for part in model.predict_terms(X, return_std=True))
    return TermCurve(name, name, x, value, value - quantile * error, value + quantile * error)
