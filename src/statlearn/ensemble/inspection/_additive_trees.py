"""Tree models represented as a constant plus a scaled sum of trees."""

from dataclasses import dataclass

import numpy as np
from scipy.sparse import issparse
from sklearn.utils.validation import check_is_fitted

from statlearn._core.native import trees as native
from statlearn._math.linalg.sparse_arrays import to_dense
from statlearn._math.trees.forest import Forest
from statlearn._math.trees.missing import Surrogates, fractional_values

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
    """Prediction of the form ``start + scale * (sum of the trees' values)``, one column per output.

    Parameters
    ----------
    forest : Forest
    start : ndarray of shape (n_outputs,)
    scale : float
    table : callable
        Converts user tables to the numbers that the trees compare.
    encode : callable
        The last step of that conversion, from categories to codes.
    n_features : int
    outputs : list of str
        Names of the columns of the prediction; a single empty name if there is one column.
    in_pieces : bool
        Whether a row goes to both children at a missing value, in proportion to the training rows.
    surrogates : Surrogates or None
        Surrogate splits for missing values.
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
        """The arrays read by the kernels, in their order."""
        return self.arrays_of(self.forest)

    def arrays_of(self, forest):
        """The arrays read by the kernels, for a forest with other splits."""
        known = len(forest.weight) == len(forest.feature)
        cover = forest.weight if known else forest.rows.astype(np.float64)
        value = forest.value.reshape(len(forest.feature), -1)
        return (*forest._walk(), np.ascontiguousarray(value), np.ascontiguousarray(cover))

    def routes(self, table):
        """Yield rows (indices or a slice) and the forest whose splits apply to them."""
        if self.surrogates is None or not np.isnan(table).any():
            return [(slice(None), self.forest)]
        return routes(self.forest, self.surrogates, table)

    def takes_several_ways(self, table):
        """Whether any row has missing values that do not determine a single path."""
        return (self.in_pieces or self.surrogates is not None) and bool(np.isnan(table).any())

    def predict(self, table):
        """The outputs for rows converted by `table`."""
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
        """The outputs with the given columns set to the grid and the others averaged by training proportions."""
        columns = np.asarray(columns, np.int32).reshape(-1)
        full = np.full((1 if grid is None else len(grid), self.n_features), np.nan)
        if grid is not None:
            full[:, columns] = grid
        grid = self.encode(full)[:, columns]
        sums = np.zeros((len(grid), len(self.start)))
        native.forest_partial_dependence(grid, *self.arrays, columns, self.n_features, sums)
        return self.start + self.scale * sums


_OTHER_SUMS = {
    "AdaBoostRegressor": "it is their weighted median",
    "C45Classifier": "its splits may have more than two branches",
    "HuntTree": "its splits may have more than two branches",
    "ID3Classifier": "its splits may have more than two branches",
    "ModelTreeRegressor": "its leaves contain linear models",
    "ObliqueTreeClassifier": "its splits involve several columns",
    "ObliqueTreeRegressor": "its splits involve several columns",
    "RandomTreesEmbedding": "it makes no prediction",
    "RotatedTree": "its splits involve several columns",
}


def additive_trees(model):
    """The trees of a fitted tree model, or None if its prediction is not a sum of trees."""
    if _obstacle(model):
        return None
    if has_tree_members(model):
        return _of_members(model)
    if hasattr(model, "start_"):
        return _boosted(model)
    if hasattr(model, "forest_"):
        return _averaged(model, model._voting_forest() if hasattr(model, "_voting_forest") else model.forest_)
    return _averaged(model, model.tree_.forest)


def is_sum_of_trees(model):
    """Test whether a fitted model is a sum of binary trees, as required by :func:`tree_shap`.

    Parameters
    ----------
    model : fitted estimator

    Returns
    -------
    bool
        True for the decision trees, forests, boosted and bagged trees of this package, unless splits involve several
        columns, leaves contain more than a constant, or boosting starts from another model.

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
    """The trees of a fitted tree model; raises if its prediction is not a sum of trees."""
    check_is_fitted(model)
    if _obstacle(model):
        raise ValueError(_obstacle(model))
    return additive_trees(model)


def _obstacle(model):
    """Why a prediction is not a sum of trees."""
    name = type(model).__name__
    if has_tree_members(model):
        return ""
    if name in _OTHER_SUMS:
        return f"The prediction of {name} is not a sum of binary trees: {_OTHER_SUMS[name]}."
    if is_ensemble_of_members(model):
        member = type(np.ravel(np.asarray(model.estimators_, dtype=object))[0]).__name__
        return (
            f"The prediction of {name} is not a sum of binary trees: its members ({member}) are not statlearn decision "
            "trees, or they have different category levels."
        )
    if not hasattr(model, "forest_") and not is_decision_tree(model):
        return (
            f"`model` must be a statlearn decision tree, or a forest, boosting or bagging model of such trees; got "
            f"{name}."
        )
    if getattr(model, "init_", None) is not None:
        return f"`model`={name} starts from another estimator (`init`), which cannot be explained; use init=None."
    if getattr(model, "n_outputs_", 1) > 1 and hasattr(model, "classes_"):
        return "Multiclass-multioutput estimators are not supported"
    return ""


def _boosted(model):
    start = np.asarray(model.start_, np.float64)
    outputs = [str(c) for c in model.classes_] if len(start) > 1 else [""]
    encode = model._bins.encode

    def table(X):
        return encode(to_dense(model._read(X) if hasattr(model, "_read") else model._check_table(X)))

    return AdditiveTrees(model.forest_, start, 1.0, table, encode, model.n_features_in_, outputs)


def _averaged(model, forest):
    """Trees whose values, class proportions or predictions, are averaged."""
    classes = getattr(model, "classes_", None)
    raw = forest.value.reshape(len(forest.feature), -1)
    value = node_shares(model, forest) if is_decision_tree(model) and classes is not None else raw
    # A forest smooths its mean, as some more trees with equal probabilities would.
    extra = 0.0 if is_decision_tree(model) else getattr(model, "_smoothing", 0.0)
    start = extra / (len(forest) + extra) / value.shape[1]
    if classes is not None and len(classes) == 2:
        value = value[:, 1:]  # the proportion of the second class is sufficient
    forest = forest.first(len(forest))
    forest.value = np.ascontiguousarray(value)
    if is_decision_tree(model) and not goes_in_pieces(model):
        forest.weight = model._node_weights()  # row weights without the losses
    width = value.shape[1]
    outputs = [str(k) for k in (range(width) if classes is None else classes)] if width > 1 else [""]
    encode = (model._coder if hasattr(model, "_coder") else model._bins).encode

    def table(X):
        checked = model._check_table(X)
        return encode(checked.toarray()) if issparse(checked) else checked

    return AdditiveTrees(
        forest,
        np.full(width, start),
        1.0 / (len(forest) + extra),
        table,
        encode,
        model.n_features_in_,
        outputs,
        goes_in_pieces(model),
        getattr(model, "surrogates_", None),
    )


def _of_members(model):
    """Ensembles of separate trees: bagging, AdaBoost and related methods."""
    forest, start, table, encode, *ways = forest_of_members(model)
    outputs = [str(k) for k in getattr(model, "classes_", range(len(start)))] if len(start) > 1 else [""]
    return AdditiveTrees(forest, start, 1.0, table, encode, model.n_features_in_, outputs, *ways)
