"""Tree models as what they are to an explanation: a start plus a scaled sum of trees."""

from dataclasses import dataclass
from functools import partial

import numpy as np
from sklearn.utils.validation import check_is_fitted, validate_data

from statlearn._core.native import trees as native
from statlearn._core.validation import FLOATS
from statlearn.trees._forest import Forest


@dataclass
class AdditiveTrees:
    """A prediction ``start + scale * (sum of the trees' values)``, one column per output.

    Parameters
    ----------
    forest : Forest
    start : ndarray of shape (n_outputs,)
    scale : float
    check : callable
        Turns rows as a user has them into numbers.
    encode : callable
        Turns these numbers into those that the trees compare.
    n_features : int
    outputs : list of str
        Names of the columns of the prediction; one empty name where there is one.
    """

    forest: Forest
    start: np.ndarray
    scale: float
    check: object
    encode: object
    n_features: int
    outputs: list

    @property
    def arrays(self):
        """What the kernels read, in their order."""
        forest = self.forest
        known = len(forest.weight) == len(forest.feature)
        cover = forest.weight if known else forest.rows.astype(np.float64)
        value = forest.value.reshape(len(forest.feature), -1)
        return (*forest._walk(), np.ascontiguousarray(value), np.ascontiguousarray(cover))

    def table(self, X):
        """Rows as a user has them, as the trees compare them."""
        return self.encode(self.check(X))

    def predict(self, table):
        """The outputs of rows that `table` has made."""
        sums = np.zeros((table.shape[0], len(self.start)))
        self.forest.add_predictions(table, sums)
        return self.start + self.scale * sums

    def averaged(self, columns=(), grid=None):
        """The outputs where the given columns have the values of the grid and all others are averaged by the covers."""
        columns = np.asarray(columns, np.int32).reshape(-1)
        full = np.full((1 if grid is None else len(grid), self.n_features), np.nan)
        if grid is not None:
            full[:, columns] = grid
        grid = self.encode(full)[:, columns]
        sums = np.zeros((len(grid), len(self.start)))
        native.forest_partial_dependence(grid, *self.arrays, columns, self.n_features, sums)
        return self.start + self.scale * sums


def additive_trees(model):
    """The trees behind a fitted tree model, or None where it has none."""
    if hasattr(model, "forest_") and hasattr(model, "start_"):
        return _boosted(model)
    if hasattr(model, "forest_"):
        return _averaged(model, model.forest_)
    if hasattr(getattr(model, "tree_", None), "forest"):
        return _averaged(model, model.tree_.forest)
    return None


def require_additive_trees(model):
    """The same, with an error where there are none."""
    check_is_fitted(model)
    found = additive_trees(model)
    if found is None:
        raise ValueError(
            f"{type(model).__name__} is no tree model: a decision tree, a forest or gradient boosting of statlearn "
            "is needed."
        )
    return found


def _boosted(model):
    K = len(model.start_)
    outputs = [str(c) for c in model.classes_] if K > 1 else [""]
    start = np.asarray(model.start_, np.float64)
    check = partial(_numbers, model)
    return AdditiveTrees(model.forest_, start, 1.0, check, model.bins_.encode, model.n_features_in_, outputs)


def _averaged(model, forest):
    """Trees whose values are averaged: class shares or predictions."""
    if len(forest.value) and forest.value.reshape(len(forest.feature), -1).shape[1] > 1 and _is_binary(model):
        forest = forest._slice(0, len(forest))
        forest.value = np.ascontiguousarray(forest.value[:, 1:])  # the share of the second class
    width = forest.value.shape[1] if forest.value.ndim == 2 else 1
    outputs = [str(k) for k in getattr(model, "classes_", range(width))] if width > 1 else [""]
    check = partial(_numbers, model)
    return AdditiveTrees(forest, np.zeros(width), 1.0 / len(forest), check, _same, model.n_features_in_, outputs)


def _same(table):
    return table


def _is_binary(model):
    return getattr(model, "n_outputs_", 1) == 1 and len(getattr(model, "classes_", ())) == 2


def _numbers(model, X):
    """The table as the model checks it at prediction."""
    own = getattr(model, "_check_table", None)
    if own is not None:
        return own(X)
    return validate_data(model, X, dtype=FLOATS, reset=False, ensure_all_finite="allow-nan")
