"""Tree models as what they are to an explanation: a start plus a scaled sum of trees."""

from dataclasses import dataclass

import numpy as np
from scipy.sparse import issparse
from sklearn.utils.validation import check_is_fitted

from statlearn._core.native import trees as native
from statlearn._core.trees.forest import Forest
from statlearn._core.trees.missing import Surrogates, fractional_values

from .._joined_trees import is_decision_tree
from ._member_trees import (
    forest_of_members,
    goes_in_pieces,
    has_tree_members,
    is_ensemble_of_members,
    node_shares,
)
from ._surrogate_routes import routes


@dataclass
class AdditiveTrees:
    """A prediction ``start + scale * (sum of the trees' values)``, one column per output.

    Parameters
    ----------
    forest : Forest
    start : ndarray of shape (n_outputs,)
    scale : float
    table : callable
        Turns rows as a user has them into the numbers that the trees compare.
    encode : callable
        The last step of that, from numbers to numbers: categories to codes.
    n_features : int
    outputs : list of str
        Names of the columns of the prediction; one empty name where there is one.
    in_pieces : bool
        Whether a row goes both ways at a missing value, in the proportions of the training rows.
    surrogates : Surrogates or None
        Splits that stand in where a value is missing.
    """

    forest: Forest
    start: np.ndarray
    scale: float
    table: object
    encode: object
    n_features: int
    outputs: list
    in_pieces: bool = False
    surrogates: Surrogates | None = None

    @property
    def arrays(self):
        """What the kernels read, in their order."""
        return self.arrays_of(self.forest)

    def arrays_of(self, forest):
        """The same of a forest with other splits."""
        known = len(forest.weight) == len(forest.feature)
        cover = forest.weight if known else forest.rows.astype(np.float64)
        value = forest.value.reshape(len(forest.feature), -1)
        return (*forest._walk(), np.ascontiguousarray(value), np.ascontiguousarray(cover))

    def routes(self, table):
        """Rows (numbers, or a slice) and the forest whose splits lead them."""
        if self.surrogates is None or not np.isnan(table).any():
            return [(slice(None), self.forest)]
        return routes(self.forest, self.surrogates, table)

    def takes_several_ways(self, table):
        """Whether a row has missing values that do not decide a split by themselves."""
        return (self.in_pieces or self.surrogates is not None) and bool(np.isnan(table).any())

    def predict(self, table):
        """The outputs of rows that `table` has made."""
        sums = np.zeros((table.shape[0], len(self.start)))
        if self.in_pieces:
            for t in range(len(self.forest)):
                sums += fractional_values(self.forest.tree(t), table)
            return self.start + self.scale * sums
        for rows, forest in self.routes(table):
            part = sums[rows]
            forest.add_predictions(table[rows], part)
            sums[rows] = part
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


_OTHER_SUMS = {
    "AdaBoostRegressor": "it is a weighted median of them",
    "C45Classifier": "its splits may have many branches",
    "HuntTree": "its splits may have many branches",
    "ID3Classifier": "its splits may have many branches",
    "ModelTreeRegressor": "its leaves hold planes",
    "ObliqueTreeClassifier": "its tests weigh several columns together",
    "ObliqueTreeRegressor": "its tests weigh several columns together",
    "RandomTreesEmbedding": "it has none",
    "RotatedTree": "its tests weigh several columns together",
}


def additive_trees(model):
    """The trees behind a fitted tree model, or None where its prediction is no sum of trees."""
    if _obstacle(model):
        return None
    if has_tree_members(model):
        return _of_members(model)
    if hasattr(model, "start_"):
        return _boosted(model)
    return _averaged(model, model.forest_ if hasattr(model, "forest_") else model.tree_.forest)


def is_sum_of_trees(model):
    """Whether the prediction of a fitted model is a sum of binary trees, which :func:`tree_shap` can explain.

    Parameters
    ----------
    model : fitted estimator

    Returns
    -------
    bool
        True for the decision trees, forests, boosted and bagged trees of this package, except where several columns
        share a test, a leaf holds more than a constant, or the trees start from another model.

    Examples
    --------
    >>> from statlearn.ensemble import RandomForestRegressor, is_sum_of_trees
    >>> from statlearn.linear import LinearRegression
    >>> X, y = [[0.0], [1.0], [2.0]], [0.0, 1.0, 4.0]
    >>> is_sum_of_trees(RandomForestRegressor(5).fit(X, y)), is_sum_of_trees(LinearRegression().fit(X, y))
    (True, False)
    """
    check_is_fitted(model)
    return not _obstacle(model)


def require_additive_trees(model):
    """The same, with an error where there are none."""
    check_is_fitted(model)
    if _obstacle(model):
        raise ValueError(_obstacle(model))
    return additive_trees(model)


def _obstacle(model):
    """Why a prediction is no sum of trees."""
    name = type(model).__name__
    if has_tree_members(model):
        return ""
    if name in _OTHER_SUMS:
        return f"The prediction of {name} is no sum of binary trees: {_OTHER_SUMS[name]}."
    if is_ensemble_of_members(model):
        member = type(np.ravel(np.asarray(model.estimators_, dtype=object))[0]).__name__
        return (
            f"The prediction of {name} is no sum of binary trees: its members ({member}) are none, or differ in the "
            "levels of their categories."
        )
    if not hasattr(model, "forest_") and not is_decision_tree(model):
        return (
            f"{name} is no tree model: a decision tree of statlearn, or a forest, boosting or bagging of such trees, "
            "is needed."
        )
    if getattr(model, "init_", None) is not None:
        return f"Only trees can be explained, but {name} starts from another estimator (init)."
    if getattr(model, "n_outputs_", 1) > 1 and hasattr(model, "classes_"):
        return "Multiclass-multioutput estimators are not supported"
    return ""


def _boosted(model):
    start = np.asarray(model.start_, np.float64)
    outputs = [str(c) for c in model.classes_] if len(start) > 1 else [""]
    encode = model.bins_.encode

    def table(X):
        return encode(_dense(model._read(X) if hasattr(model, "_read") else model._check_table(X)))

    return AdditiveTrees(model.forest_, start, 1.0, table, encode, model.n_features_in_, outputs)


def _averaged(model, forest):
    """Trees whose values are averaged: class shares or predictions."""
    classes = getattr(model, "classes_", None)
    value = forest.value.reshape(len(forest.feature), -1) if classes is None else node_shares(model, forest)
    if classes is not None and len(classes) == 2:
        value = value[:, 1:]  # the share of the second class says it all
    forest = forest.first(len(forest))
    forest.value = np.ascontiguousarray(value)
    if is_decision_tree(model) and not goes_in_pieces(model):
        forest.weight = model._node_weights()  # rows by what they are, not by what they may cost
    width = value.shape[1]
    outputs = [str(k) for k in (range(width) if classes is None else classes)] if width > 1 else [""]
    encode = (model._coder if hasattr(model, "_coder") else model.bins_).encode

    def table(X):
        checked = model._check_table(X)
        return encode(checked.toarray()) if issparse(checked) else checked

    return AdditiveTrees(
        forest,
        np.zeros(width),
        1.0 / len(forest),
        table,
        encode,
        model.n_features_in_,
        outputs,
        goes_in_pieces(model),
        getattr(model, "surrogates_", None),
    )


def _of_members(model):
    """Ensembles of separate trees: bagging, AdaBoost and its kin."""
    forest, start, table, encode, *ways = forest_of_members(model)
    outputs = [str(k) for k in getattr(model, "classes_", range(len(start)))] if len(start) > 1 else [""]
    return AdditiveTrees(forest, start, 1.0, table, encode, model.n_features_in_, outputs, *ways)


def _dense(X):
    return X.toarray() if issparse(X) else X
