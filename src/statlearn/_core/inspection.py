"""Shared parts of model inspection: columns, response, grids, and predictions on them."""

import numbers

import numpy as np
from scipy import sparse
from sklearn.base import is_classifier, is_regressor
from sklearn.utils.validation import check_array, check_is_fitted

from statlearn._core.frames import (
    cells,
    column_names,
    column_with_values,
    declared_categories,
    missing,
    n_rows,
    take_rows,
)

MAX_CELLS = 4_000_000  # size of the table passed to one call of predict


def check_estimator_and_table(estimator, X):
    """The table, with lists converted to an array; raises for estimators that cannot be inspected."""
    check_is_fitted(estimator)
    if not (is_classifier(estimator) or is_regressor(estimator)):
        raise ValueError("'estimator' must be a fitted regressor or classifier.")
    if is_classifier(estimator) and isinstance(estimator.classes_[0], np.ndarray):
        raise ValueError("Multiclass-multioutput estimators are not supported.")
    if not (hasattr(X, "__array__") or sparse.issparse(X)):
        X = check_array(X, ensure_all_finite="allow-nan", dtype=object)
    return X


class Response:
    """Predictions of a model as a table with one column per output, and the names of the outputs.

    For a classifier, probabilities or scores, of the second class only if there are two.
    """

    def __init__(self, estimator, response_method="auto"):
        self.estimator = estimator
        if is_regressor(estimator):
            if response_method != "auto":
                raise ValueError("The response_method parameter is ignored for regressors and must be 'auto'.")
            self.method = "predict"
        elif response_method == "auto":
            self.method = "predict_proba" if hasattr(estimator, "predict_proba") else "decision_function"
        else:
            self.method = response_method
        if not hasattr(estimator, self.method):
            raise AttributeError(f"{type(estimator).__name__} has none of the following attributes: {self.method}.")

    def __call__(self, X):
        answer = np.asarray(getattr(self.estimator, self.method)(X))
        if answer.ndim == 1:
            return answer[:, None]
        return answer[:, 1:] if self.method == "predict_proba" and answer.shape[1] == 2 else answer


def find_columns(X, features, feature_names=None):
    """Positions of columns given by name, index or mask."""
    p = X.shape[1]
    if isinstance(features, (str, numbers.Integral)):
        features = [features]
    wanted = list(features)
    if wanted and all(isinstance(f, (bool, np.bool_)) for f in wanted):
        if len(wanted) != p:
            raise ValueError(f"`features` must have {p} entries if it is a boolean mask, got {len(wanted)}.")
        return np.flatnonzero(wanted)
    return np.array([_find_column(X, f, feature_names) for f in wanted], np.intp)


def _find_column(X, feature, feature_names):
    if isinstance(feature, numbers.Integral):
        if not 0 <= feature < X.shape[1]:
            raise ValueError(f"all features must be in [0, {X.shape[1] - 1}].")
        return int(feature)
    names = getattr(X, "columns", None) if feature_names is None else feature_names
    if names is None:
        raise ValueError("Specifying the columns using strings is only supported for dataframes.")
    matches = [k for k, name in enumerate(names) if name == feature]
    if len(matches) != 1:
        raise ValueError(f"Some column names are not columns of the dataframe: {feature!r}.")
    return matches[0]


def check_names(X, feature_names):
    """Validated names of the columns, which must be unique."""
    if feature_names is None:
        return column_names(X)
    names = [str(name) for name in feature_names]
    if len(set(names)) != len(names):
        raise ValueError("`feature_names` should not contain duplicates.")
    if len(names) != X.shape[1]:
        raise ValueError(f"`feature_names` should have {X.shape[1]} entries, got {len(names)}.")
    return names


def find_categorical(X, columns, categorical_features, feature_names=None):
    """Whether each of the columns is categorical, as given or by its type."""
    if categorical_features is None:
        declared = declared_categories(X)
        return [
            int(j) in declared or (cells(X, j).dtype.kind not in "iuf" and not _numbers_as_objects(cells(X, j)))
            for j in columns
        ]
    chosen = np.asarray(categorical_features)
    if chosen.size == 0:
        raise ValueError(
            "Passing an empty list (`[]`) to `categorical_features` is not supported. Use `None` instead to indicate "
            "that there are no categorical features."
        )
    if chosen.dtype.kind == "b":
        if chosen.size != X.shape[1]:
            raise ValueError(
                "When `categorical_features` is a boolean array-like, the array should be of shape (n_features,). Got "
                f"{chosen.size} elements while `X` contains {X.shape[1]} features."
            )
        return [bool(chosen[j]) for j in columns]
    if chosen.dtype.kind not in "iuOU":
        raise ValueError(
            "Expected `categorical_features` to be an array-like of boolean, integer, or string. Got "
            f"{chosen.dtype} instead."
        )
    named = set(find_columns(X, chosen.tolist(), feature_names).tolist())
    return [int(j) in named for j in columns]


def _numbers_as_objects(values):
    present = values[~missing(values)]
    return len(present) > 0 and all(isinstance(v, numbers.Real) and not isinstance(v, bool) for v in present)


def present_values(X, j):
    """The non-missing values of a column, with numbers as floats."""
    values = cells(X, j)
    if values.dtype.kind == "O" and _numbers_as_objects(values):
        values = values.astype(np.float64)
    return values[~missing(values)]


def levels_of(values, name):
    """The distinct values, sorted."""
    try:
        return np.unique(values)
    except TypeError as error:
        raise ValueError(
            f"The column {name} contains mixed data types. Its values cannot be sorted. Convert them to one type."
        ) from error


def predict_on_grid(predict, X, fill, n_points):
    """Predictions for all rows at all points, an array (n_points, n_rows, n_outputs).

    `fill(table, points)` sets the values of the given point in each row of the table. Several points are predicted
    together as long as the table stays small.
    """
    n = n_rows(X)
    together = max(1, MAX_CELLS // max(1, n * X.shape[1]))
    answers = []
    for first in range(0, n_points, together):
        points = np.arange(first, min(first + together, n_points))
        table = X if len(points) == 1 else take_rows(X, np.tile(np.arange(n), len(points)))
        answer = predict(fill(table, np.repeat(points, n)))
        answers.append(answer.reshape(len(points), n, -1))
    return np.concatenate(answers)


def filler(columns, grid):
    """A `fill` function that sets the columns to grid values, given as one list of values per column."""

    def fill(table, points):
        for j, values in zip(columns, grid):
            table = column_with_values(table, j, values[points])
        return table

    return fill


def crossed(values):
    """All combinations of several lists of values, the last varying fastest, as one array per list."""
    places = np.meshgrid(*[np.arange(len(v)) for v in values], indexing="ij")
    return [np.asarray(v)[place.ravel()] for v, place in zip(values, places)]
