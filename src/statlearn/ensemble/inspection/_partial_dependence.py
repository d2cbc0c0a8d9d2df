"""Partial dependence: the average prediction with some columns set to given values."""

import numpy as np
from sklearn.base import is_regressor
from sklearn.utils import Bunch

from statlearn._core.frames import cells, column_names, declared_categories, n_rows
from statlearn._core.inspection import (
    Response,
    check_estimator_and_table,
    check_names,
    crossed,
    filler,
    find_categorical,
    find_columns,
    levels_of,
    predict_on_grid,
    present_values,
)
from statlearn._core.params import Instance, Int, Options, check_arguments
from statlearn._core.validation import check_weights

from ._additive_trees import additive_trees
from ._member_trees import has_tree_members


def partial_dependence(
    estimator,
    X,
    features,
    *,
    sample_weight=None,
    categorical_features=None,
    feature_names=None,
    response_method="auto",
    percentiles=(0.05, 0.95),
    grid_resolution=100,
    custom_values=None,
    method="auto",
    kind="average",
):
    r"""Partial dependence and individual conditional expectation of the prediction on some columns.

    With S the columns of interest and C the others, the partial dependence at a grid point x_S is

    .. math:: f_S(x_S) = \sum_i w_i f(x_S, x_{iC}) \Big/ \sum_i w_i ,

    the weighted mean over the rows of X. This is what ``method="brute"`` computes, and what is used for all models but
    trees, for which "auto" takes the recursion. The curve of a single row is its individual conditional expectation
    (ICE).

    Parameters
    ----------
    estimator : fitted regressor or classifier
    X : array-like, sparse matrix or data frame of shape (n_rows, n_features)
    features : int, str or a sequence of one or more of them
        The columns S. The grid of several columns is their Cartesian product.
    sample_weight : array-like of shape (n_rows,) or None, default=None
        Weights of the rows in the average.
    categorical_features : array-like of bool, int or str, or None, default=None
        Categorical columns, whose grid consists of all their values. None uses the non-numeric ones.
    feature_names : array-like of str or None, default=None
        Names for the columns of an array.
    response_method : {"auto", "predict_proba", "decision_function"}, default="auto"
        Output of a classifier to use. "auto" uses probabilities if available.
    percentiles : (float, float), default=(0.05, 0.95)
        Lower and upper quantiles that limit the grid of a column.
    grid_resolution : int, default=100
        Number of grid points per column. For a column with fewer distinct values, these are the grid.
    custom_values : dict or None, default=None
        Maps features to custom grids.
    method : {"auto", "recursion", "brute"}, default="auto"
        "brute" predicts every row at every grid point: the formula above. "recursion", for tree models, traverses each
        tree once per grid point and follows both branches at splits on other columns, weighted by their shares of the
        training rows at that node. It never looks at X, and it differs from the formula even for the training rows,
        because the shares at a node ignore which rows the splits on x_S above it would send there: the two agree if the
        columns are independent. It is on the scale of scores (boosting), values or class proportions. "auto" uses it
        for regression trees, their forests and boosting if there are no weights and `kind` is "average", as in
        scikit-learn.
    kind : {"average", "individual", "both"}, default="average"

    Returns
    -------
    Bunch
        `method`, the one that was used ("brute" or "recursion"); `grid_values`, a list with one array per feature;
        `average` of shape (n_outputs, len(grid_values[0]), ...);
        `individual` of shape (n_outputs, n_rows, len(grid_values[0]), ...). Two classes have one output, the second.

    Notes
    -----
    The average includes combinations of x_S and x_C that never occur. If the columns are dependent, the model is
    evaluated far from the data. `accumulated_local_effects` avoids this. `conditional_dependence` answers a different
    question, how the prediction varies with x_S when the other columns vary as they do in the data. A flat average can
    hide opposing individual curves; check with `kind="both"`.

    References
    ----------
    Friedman, J. (2001). Greedy function approximation: a gradient boosting machine. Annals of Statistics 29, 1189-1232.

    Goldstein, A., Kapelner, A., Bleich, J. & Pitkin, E. (2015). Peeking inside the black box. Journal of Computational
    and Graphical Statistics 24, 44-65.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.ensemble import partial_dependence
    >>> from statlearn.linear import LinearRegression
    >>> X = np.random.default_rng(0).uniform(size=(50, 2))
    >>> model = LinearRegression().fit(X, 2 * X[:, 0] + X[:, 1])
    >>> found = partial_dependence(model, X, [0], custom_values={0: [0.0, 0.5, 1.0]})
    >>> np.diff(found.average[0]).round(6)
    array([1., 1.])
    """
    check_arguments(
        partial_dependence,
        response_method=(response_method, [Options("auto", "predict_proba", "decision_function")]),
        percentiles=(percentiles, [Instance(tuple)]),
        grid_resolution=(grid_resolution, [Int(1, None)]),
        custom_values=(custom_values, [Instance(dict), None]),
        method=(method, [Options("auto", "recursion", "brute")]),
        kind=(kind, [Options("average", "individual", "both")]),
        sample_weight=(sample_weight, ["array-like", None]),
        categorical_features=(categorical_features, ["array-like", None]),
        feature_names=(feature_names, ["array-like", None]),
    )
    X = check_estimator_and_table(estimator, X)
    if is_regressor(estimator) and response_method != "auto":
        raise ValueError("The response_method parameter is ignored for regressors and must be 'auto'.")
    check_names(X, feature_names)
    columns = find_columns(X, features, feature_names)
    categorical = find_categorical(X, columns, categorical_features, feature_names)
    values = grids_for(X, columns, categorical, features, percentiles, grid_resolution, custom_values)
    trees = _trees_for(estimator, X, columns, values, method, kind, sample_weight, response_method)
    shape = [len(v) for v in values]
    if trees is not None:
        grid = np.column_stack(crossed(values)).astype(np.float64)
        return Bunch(
            method="recursion", grid_values=values, average=trees.averaged(columns, grid).T.reshape(-1, *shape)
        )
    weights = None if sample_weight is None else check_weights(sample_weight, X)
    grid = crossed(values)
    curves = predict_on_grid(Response(estimator, response_method), X, filler(columns, grid), len(grid[0]))
    result = Bunch(method="brute", grid_values=values)
    if kind != "individual":
        result.average = np.average(curves, axis=1, weights=weights).T.reshape(-1, *shape)
    if kind != "average":
        result.individual = curves.transpose(2, 1, 0).reshape(-1, n_rows(X), *shape)
    return result


def _trees_for(estimator, X, columns, values, method, kind, sample_weight, response_method):
    """The trees for the recursion method, or None for the average over the rows of X."""
    if method == "recursion" and kind != "average":
        raise ValueError("The 'recursion' method only applies when 'kind' is set to 'average'.")
    if method == "recursion" and sample_weight is not None:
        raise ValueError("The 'recursion' method can only be applied when sample_weight is None.")
    if method == "brute" or kind != "average" or sample_weight is not None:
        return None
    if method == "auto" and has_tree_members(estimator):
        return None
    trees = additive_trees(estimator)
    declared = declared_categories(X)
    named = [int(j) for j, v in zip(columns, values) if j in declared or np.asarray(v).dtype.kind not in "iufb"]
    if method == "recursion":
        if trees is None:
            raise ValueError(
                "Only the following estimators support the 'recursion' method: statlearn decision trees, and forests, "
                "boosting and bagging of such trees. Try using method='brute'."
            )
        if named:
            raise ValueError(
                f"The 'recursion' method requires numeric columns, but {column_names(X)[named[0]]!r} is categorical. "
                "Use method='brute'."
            )
        if response_method == "predict_proba":
            raise ValueError(
                "With the 'recursion' method, the response_method must be 'decision_function'. Got predict_proba."
            )
        return trees
    scores = is_regressor(estimator) or hasattr(estimator, "decision_function")
    numeric = all(np.asarray(v).dtype.kind in "iuf" for v in values) and not named
    return trees if scores and numeric and response_method != "predict_proba" else None


def grids_for(X, columns, categorical, features, percentiles, resolution, custom_values):
    """The grid values of each column."""
    percentiles = _check_percentiles(percentiles)
    if resolution <= 1:
        raise ValueError("'grid_resolution' must be strictly greater than 1.")
    features = [features] if isinstance(features, (str, int)) else list(features)
    if len(features) != len(columns):  # a mask
        features = columns.tolist()
    custom = {
        int(j): custom_values[feature]
        for j, feature in zip(columns, features)
        if custom_values and feature in custom_values
    }
    grids = []
    for j, feature, is_categorical in zip(columns, features, categorical):
        _refuse_integers(X, j, feature, is_categorical)
        grid = _given(feature, custom[int(j)]) if int(j) in custom else None
        grids.append(_grid(X, j, is_categorical, percentiles, resolution) if grid is None else grid)
    return grids


def _check_percentiles(percentiles):
    if len(percentiles) != 2:
        raise ValueError("'percentiles' must be a sequence of 2 elements.")
    if not all(0 <= x <= 1 for x in percentiles):
        raise ValueError("'percentiles' values must be in [0, 1].")
    if percentiles[0] >= percentiles[1]:
        raise ValueError("percentiles[0] must be strictly less than percentiles[1].")
    return percentiles


def _given(feature, values):
    values = np.asarray(values, dtype=object if any(isinstance(v, str) for v in values) else None)
    if values.ndim != 1:
        raise ValueError(
            "The custom grid for some features is not a one-dimensional array. "
            f"Feature {feature}: {values.ndim} dimensions."
        )
    return values


def _refuse_integers(X, j, feature, categorical):
    if not categorical and cells(X, j).dtype.kind in "iu":
        raise ValueError(
            f"The column {feature!r} contains integer data. Partial dependence plots are not supported for integer "
            "data: this can lead to implicit rounding with NumPy arrays or even errors with newer pandas versions. "
            "Please convert numerical features to floating point dtypes ahead of time to avoid problems."
        )


def _grid(X, j, categorical, percentiles, resolution):
    values = present_values(X, j)
    levels = levels_of(values, f"#{j}")
    if categorical or len(levels) < resolution:
        return levels
    low, high = _quantiles(np.sort(values.astype(np.float64)), np.array(percentiles, np.float64))
    if np.allclose(low, high):
        raise ValueError(
            "percentiles are too close to each other, unable to build the grid. Please choose percentiles that are "
            "further apart."
        )
    return np.linspace(low, high, resolution)


def _quantiles(ordered, share):
    """Quantiles with plotting positions (k - 0.4) / (n + 0.2), as in scikit-learn."""
    n = len(ordered)
    place = n * share + 0.4 + 0.2 * share
    below = np.floor(np.clip(place, 1, n - 1)).astype(int)
    part = np.clip(place - below, 0.0, 1.0)
    return (1 - part) * ordered[below - 1] + part * ordered[below]
