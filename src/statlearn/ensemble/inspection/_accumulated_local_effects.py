"""Accumulated local effects: differences of predictions within narrow intervals, accumulated."""

import numpy as np
from sklearn.utils import Bunch

from statlearn._core.frames import cells, column_with_values, missing, n_rows, take_rows
from statlearn._core.inspection import (
    Response,
    check_estimator_and_table,
    check_names,
    find_categorical,
    find_columns,
    levels_of,
    present_values,
)
from statlearn._core.params import Int, Options, check_arguments
from statlearn._core.validation import check_weights
from statlearn._math.linalg.quantiles import weighted_quantile


def accumulated_local_effects(
    estimator,
    X,
    features,
    *,
    sample_weight=None,
    categorical_features=None,
    feature_names=None,
    response_method="auto",
    n_intervals=40,
    order="similarity",
):
    r"""Accumulated local effects (ALE) of one or two columns on the prediction.

    The range of the column is divided at quantiles z_0 < ... < z_K. Each row is moved only between the two ends of its
    own interval, so that the model is not evaluated at unrealistic rows, and the mean changes are accumulated:

    .. math::

        f(z_k) = \sum_{l \le k} \frac{1}{n_l} \sum_{i : x_{ij} \in (z_{l-1}, z_l]}
        \left[ f(z_l, x_{i,-j}) - f(z_{l-1}, x_{i,-j}) \right] - c,

    with c such that the effect has mean 0 over the rows. For two numeric columns the second differences in the cells of
    a grid are accumulated and the main effects are removed, which leaves the interaction.

    Parameters
    ----------
    estimator : fitted regressor or classifier
    X : array-like, sparse matrix or data frame of shape (n_rows, n_features)
    features : int, str or a sequence of one or two of them
    sample_weight : array-like of shape (n_rows,) or None, default=None
        Weights of the rows.
    categorical_features : array-like of bool, int or str, or None, default=None
        Categorical columns. None uses the non-numeric ones.
    feature_names : array-like of str or None, default=None
    response_method : {"auto", "predict_proba", "decision_function"}, default="auto"
    n_intervals : int, default=40
        Maximum number of intervals per column.
    order : {"similarity", "value"} or sequence, default="similarity"
        Order of the levels of a categorical column. "similarity" puts levels next to each other that are similar in the
        other columns (first coordinate of a multidimensional scaling of Kolmogorov-Smirnov and total-variation
        distances), "value" sorts them, and a sequence gives the order explicitly.

    Returns
    -------
    Bunch
        `grid_values`, the ends of the intervals or the ordered levels, one array per feature; `average` of shape
        (n_outputs, len(grid_values[0])[, len(grid_values[1])]); `counts`, the weight of the rows in each interval,
        level or cell.

    Notes
    -----
    One column costs two predictions per row, two columns cost four. The effects of an additive model are its terms,
    regardless of the dependence between the columns. A cell without rows uses the second difference of the nearest
    non-empty cell. Effects are estimated from few rows near the ends of the range and are less reliable there.

    References
    ----------
    Apley, D. & Zhu, J. (2020). Visualizing the effects of predictor variables in black box supervised learning models.
    Journal of the Royal Statistical Society B 82, 1059-1086.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.ensemble import accumulated_local_effects
    >>> from statlearn.linear import LinearRegression
    >>> X = np.random.default_rng(0).uniform(size=(100, 2))
    >>> model = LinearRegression().fit(X, 2 * X[:, 0] + X[:, 1])
    >>> found = accumulated_local_effects(model, X, [0], n_intervals=10)
    >>> slope = np.diff(found.average[0]) / np.diff(found.grid_values[0])
    >>> bool(np.allclose(slope, 2))
    True
    """
    check_arguments(
        accumulated_local_effects,
        n_intervals=(n_intervals, [Int(1, None)]),
        order=(order, [Options("similarity", "value"), "array-like"]),
        response_method=(response_method, [Options("auto", "predict_proba", "decision_function")]),
    )
    X = check_estimator_and_table(estimator, X)
    check_names(X, feature_names)
    columns = find_columns(X, features, feature_names)
    categorical = find_categorical(X, columns, categorical_features, feature_names)
    if len(columns) not in (1, 2) or (len(columns) == 2 and (any(categorical) or columns[0] == columns[1])):
        raise ValueError("`features` must be one column or two different numeric columns.")
    weights = check_weights(sample_weight, X)
    weights = np.ones(n_rows(X)) if weights is None else weights.astype(np.float64)
    known = weights > 0
    for j in columns:
        known &= ~missing(cells(X, j))
    if not known.all():
        X, weights = take_rows(X, np.flatnonzero(known)), weights[known]
    predict = Response(estimator, response_method)
    if categorical[0]:
        return _of_categories(predict, X, columns[0], weights, order)
    if len(columns) == 1:
        return _of_numbers(predict, X, columns[0], weights, n_intervals)
    return _of_pairs(predict, X, columns, weights, n_intervals)


def _edges(x, weights, n_intervals):
    """The smallest value and the quantiles at 1/K, 2/K, ..., 1, without duplicates."""
    shares = np.arange(1, n_intervals + 1) / n_intervals
    edges = np.unique([x.min(), *(weighted_quantile(x, weights, q) for q in shares)])
    if len(edges) < 2:
        raise ValueError("`features` contains a constant column, which has no effect; drop it.")
    return edges


def _interval(x, edges):
    """Index of the interval of each value, 0 for values up to edges[1]."""
    return np.clip(np.searchsorted(edges, x, side="left") - 1, 0, len(edges) - 2)


def _means(groups, values, weights, n_groups):
    """Weighted mean of the rows of `values` in each group, and the weight of the group."""
    counts = np.bincount(groups, weights=weights, minlength=n_groups)
    sums = np.array([np.bincount(groups, weights=weights * v, minlength=n_groups) for v in values.T])
    return np.divide(sums, counts, out=np.zeros_like(sums), where=counts > 0), counts


def _of_numbers(predict, X, j, weights, n_intervals):
    x = present_values(X, j).astype(np.float64)
    edges = _edges(x, weights, n_intervals)
    place = _interval(x, edges)
    change = predict(column_with_values(X, j, edges[place + 1])) - predict(column_with_values(X, j, edges[place]))
    local, counts = _means(place, change, weights, len(edges) - 1)
    effect = np.concatenate([np.zeros((len(local), 1)), np.cumsum(local, axis=1)], axis=1)
    middle = (effect[:, 1:] + effect[:, :-1]) / 2
    effect -= (middle @ counts / counts.sum())[:, None]
    return Bunch(grid_values=[edges], average=effect, counts=counts)


def _of_categories(predict, X, j, weights, order):
    values = cells(X, j)
    levels = levels_of(values, f"#{j}")
    levels = _ordered(X, j, values, levels, weights, order)
    place = np.argmax(values[:, None] == levels[None, :], axis=1)
    intact = predict(X)
    changes, steps, by = [], [], []
    for move in (1, -1):  # each row is moved to the levels adjacent to its own
        rows = np.flatnonzero((place + move >= 0) & (place + move < len(levels)))
        if len(rows) == 0:
            continue
        moved = predict(column_with_values(take_rows(X, rows), j, levels[place[rows] + move]))
        changes.append(move * (moved - intact[rows]))
        steps.append(np.minimum(place[rows], place[rows] + move))
        by.append(weights[rows])
    effect = np.zeros((intact.shape[1], len(levels)))
    if changes:
        local, _ = _means(np.concatenate(steps), np.concatenate(changes), np.concatenate(by), len(levels) - 1)
        effect[:, 1:] = np.cumsum(local, axis=1)
    counts = np.bincount(place, weights=weights, minlength=len(levels))
    effect -= (effect @ counts / counts.sum())[:, None]
    return Bunch(grid_values=[levels], average=effect, counts=counts)


def _ordered(X, j, values, levels, weights, order):
    if not isinstance(order, str):
        levels_in_order = np.asarray(order, dtype=levels.dtype)
        if sorted(levels_in_order.tolist(), key=str) != sorted(levels.tolist(), key=str):
            raise ValueError(f"`order` must list every level exactly once: {levels.tolist()}.")
        return levels_in_order
    if order == "value" or len(levels) < 3:
        return levels
    members = [(values == level).astype(np.float64) * weights for level in levels]
    members = np.array([m / m.sum() for m in members])
    distance = np.zeros((len(levels), len(levels)))
    for k in range(X.shape[1]):
        if k != j:
            distance += _distances(cells(X, k), members)
    # Classical scaling: the leading eigenvector of the centred squared distances.
    centre = np.eye(len(levels)) - 1.0 / len(levels)
    _, vectors = np.linalg.eigh(-0.5 * centre @ distance**2 @ centre)
    leading = vectors[:, -1]
    return levels[np.argsort(leading * (-1 if leading[0] > 0 else 1), kind="stable")]


def _distances(column, members):
    """Distance between the distributions of a column for every pair of levels."""
    gone = missing(column)
    if column.dtype.kind in "iuf":
        order = np.argsort(np.where(gone, np.inf, column), kind="stable")
        last = np.append(column[order][1:] != column[order][:-1], True)
        shape = np.cumsum(members[:, order], axis=1)[:, last]
        return np.abs(shape[:, None, :] - shape[None, :, :]).max(axis=2)
    _, codes = np.unique(np.where(gone, "", column.astype(str)), return_inverse=True)
    shares = np.array([np.bincount(codes, weights=m) for m in members])
    return 0.5 * np.abs(shares[:, None, :] - shares[None, :, :]).sum(axis=2)


def _of_pairs(predict, X, columns, weights, n_intervals):
    x = [present_values(X, j).astype(np.float64) for j in columns]
    edges = [_edges(v, weights, n_intervals) for v in x]
    place = [_interval(v, e) for v, e in zip(x, edges)]
    shape = [len(e) - 1 for e in edges]

    def at(first, second):
        table = column_with_values(X, columns[0], edges[0][place[0] + first])
        return predict(column_with_values(table, columns[1], edges[1][place[1] + second]))

    change = (at(1, 1) - at(0, 1)) - (at(1, 0) - at(0, 0))
    local, counts = _means(place[0] * shape[1] + place[1], change, weights, shape[0] * shape[1])
    counts = counts.reshape(shape)
    local = _filled(local.reshape(-1, *shape), counts, edges)
    effect = np.zeros((len(local), shape[0] + 1, shape[1] + 1))
    effect[:, 1:, 1:] = local.cumsum(axis=1).cumsum(axis=2)
    for axis in (1, 2):
        effect -= _main_effect(effect, counts, axis)
    corners = (effect[:, 1:, 1:] + effect[:, :-1, 1:] + effect[:, 1:, :-1] + effect[:, :-1, :-1]) / 4
    effect -= ((corners * counts).sum(axis=(1, 2)) / counts.sum())[:, None, None]
    return Bunch(grid_values=edges, average=effect, counts=counts)


def _main_effect(effect, counts, axis):
    """Main effect along one axis contained in accumulated second differences: its accumulated mean differences."""
    other = 3 - axis
    change = np.diff(effect, axis=axis)
    ahead, behind = np.delete(change, 0, axis=other), np.delete(change, -1, axis=other)
    total = counts.sum(axis=other - 1)
    mean = ((ahead + behind) / 2 * counts).sum(axis=other) / np.where(total > 0, total, 1.0)
    main = np.concatenate([np.zeros((len(mean), 1)), np.cumsum(mean, axis=1)], axis=1)
    return np.expand_dims(main, other)


def _filled(local, counts, edges):
    """Second differences with empty cells filled from the nearest non-empty cell, by rank distance of midpoints."""
    empty = np.argwhere(counts == 0)
    if len(empty) == 0:
        return local
    full = np.argwhere(counts > 0)
    middles = [(e[1:] + e[:-1]) / 2 / (e[-1] - e[0]) for e in edges]
    far = [np.column_stack([m[cell[:, a]] for a, m in enumerate(middles)]) for cell in (empty, full)]
    local = local.copy()
    for first in range(0, len(empty), 256):
        part = slice(first, first + 256)
        nearest = np.argmin(((far[0][part, None, :] - far[1][None, :, :]) ** 2).sum(axis=2), axis=1)
        local[:, empty[part, 0], empty[part, 1]] = local[:, full[nearest, 0], full[nearest, 1]]
    return local
