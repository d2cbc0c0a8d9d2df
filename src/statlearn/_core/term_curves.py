"""The functions of one column that an additive model is made of, as numbers to draw."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class TermCurve:
    """One function with its band; an estimator's ``term_curves()`` gives a list of them, and a report draws them.

    Parameters
    ----------
    label : str
        What the term is called.
    feature : str
        The column.
    x, value : ndarray
        Where, and what the term adds to the (linear) predictor.
    low, high : ndarray or None
        The band, where the method has one.
    """

    label: str
    feature: str
    x: np.ndarray
    value: np.ndarray
    low: np.ndarray | None = None
    high: np.ndarray | None = None


def column_range(X):
    """The smallest, the largest and the middle value of each column."""
    return np.array([X.min(axis=0), X.max(axis=0)]), np.median(X, axis=0)


def predicted_curves(model, names, features, grid_size, quantile=None):
    """Curves of a model whose `predict_terms` gives a column for each feature.

    It needs ``feature_range_`` and ``feature_middle_``; with a quantile of the normal distribution, its ``return_std``.
    """
    curves = []
    for j in features:
        x = np.linspace(*model.feature_range_[:, j], grid_size)
        X = np.tile(model.feature_middle_, (grid_size, 1))
        X[:, j] = x
        if quantile is None:
            curves.append(TermCurve(str(names[j]), str(names[j]), x, model.predict_terms(X)[:, j]))
        else:
            value, error = (found[:, j] for found in model.predict_terms(X, return_std=True))
            curves.append(
                TermCurve(str(names[j]), str(names[j]), x, value, value - quantile * error, value + quantile * error)
            )
    return curves
