"""Conditional dependence: the expected prediction given some columns."""

import numpy as np
from sklearn.utils import Bunch

from statlearn._core.frames import cells, missing
from statlearn._core.inspection import (
    Response,
    check_estimator_and_table,
    check_names,
    crossed,
    find_categorical,
    find_columns,
)
from statlearn._core.params import Instance, Int, Options, Real, check_arguments
from statlearn._core.validation import check_weights
from statlearn._math.linalg.quantiles import weighted_quantile

from ._partial_dependence import grids_for


def conditional_dependence(
    estimator,
    X,
    features,
    *,
    bandwidth=None,
    sample_weight=None,
    categorical_features=None,
    feature_names=None,
    response_method="auto",
    percentiles=(0.05, 0.95),
    grid_resolution=100,
    custom_values=None,
):
    r"""Conditional dependence of the prediction on some columns, E[f(X) | X_S = x_S].

    Estimated by the weighted mean prediction of the rows near each point of a grid,

    .. math:: \tilde f_S(x_S) = \sum_i w_i K_h(x_S - x_{iS}) f(x_i) \Big/ \sum_i w_i K_h(x_S - x_{iS})

    with a product K_h of Gaussian kernels over the columns in S. For categorical columns, only rows of the same
    category are used.

    Parameters
    ----------
    estimator : fitted regressor or classifier
    X : array-like, sparse matrix or data frame of shape (n_rows, n_features)
    features : int, str or a sequence of one or more of them
        The columns S. The grid of several columns is their Cartesian product.
    bandwidth : float, sequence of float or None, default=None
        Standard deviation of the kernel in each column. None uses 0.9 min(s, IQR / 1.34) n^(-1 / (4 + d)), where d is
        the number of columns.
    sample_weight : array-like of shape (n_rows,) or None, default=None
    categorical_features, feature_names, response_method, percentiles, grid_resolution, custom_values
        As in `partial_dependence`.

    Returns
    -------
    Bunch
        `grid_values`; `average` of shape (n_outputs, len(grid_values[0]), ...); `effective_rows`, the number of equally
        weighted rows that would give the same variance, of shape (len(grid_values[0]), ...); `bandwidth`.

    Notes
    -----
    Partial dependence changes x_S and keeps the other columns fixed, whereas here they vary with x_S as in the data. A
    column that the model does not use has a flat partial dependence, but its conditional dependence reflects its
    association with the columns that are used. For an additive f both agree up to a constant only if the columns are
    independent.

    References
    ----------
    Hastie, T., Tibshirani, R. & Friedman, J. (2009). The Elements of Statistical Learning, section 10.13.2.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.ensemble import conditional_dependence
    >>> from statlearn.linear import LinearRegression
    >>> Z = np.random.default_rng(0).normal(size=(50, 2))
    >>> model = LinearRegression().fit(Z, Z[:, 1])
    >>> x = np.linspace(-1, 1, 201)
    >>> X = np.column_stack([x, x])
    >>> found = conditional_dependence(model, X, [0], bandwidth=0.05, custom_values={0: [-0.5, 0.5]})
    >>> found.average[0].round(3)
    array([-0.5,  0.5])
    """
    check_arguments(
        conditional_dependence,
        bandwidth=(bandwidth, [Real(0, None, closed="neither"), "array-like", None]),
        response_method=(response_method, [Options("auto", "predict_proba", "decision_function")]),
        percentiles=(percentiles, [Instance(tuple)]),
        grid_resolution=(grid_resolution, [Int(1, None)]),
        custom_values=(custom_values, [Instance(dict), None]),
    )
    X = check_estimator_and_table(estimator, X)
    check_names(X, feature_names)
    columns = find_columns(X, features, feature_names)
    categorical = find_categorical(X, columns, categorical_features, feature_names)
    values = grids_for(X, columns, categorical, features, percentiles, grid_resolution, custom_values)
    weights = check_weights(sample_weight, X)
    weights = np.ones(X.shape[0]) if weights is None else weights.astype(np.float64)
    widths = _widths(X, columns, categorical, bandwidth, weights)
    answer = Response(estimator, response_method)(X)
    log_kernel = np.log(weights, out=np.full(len(weights), -np.inf), where=weights > 0)[None, :]
    for j, at, width, is_categorical in zip(columns, crossed(values), widths, categorical):
        log_kernel = log_kernel + _log_kernel(cells(X, j), at, width, is_categorical)
    shares, effective = _normalised(log_kernel, weights)
    shape = [len(v) for v in values]
    return Bunch(
        grid_values=values,
        average=(shares @ answer).T.reshape(-1, *shape),
        effective_rows=effective.reshape(shape),
        bandwidth=widths,
    )


def _log_kernel(column, points, width, categorical):
    """Log kernel at each point (rows of the result) for each row of the table."""
    if categorical:
        return np.where(np.asarray(points)[:, None] == column[None, :], 0.0, -np.inf)
    column = column.astype(np.float64)
    distance = (np.asarray(points, np.float64)[:, None] - column[None, :]) / width
    return np.where(np.isnan(distance), -np.inf, -0.5 * distance**2)


def _normalised(log_kernel, weights):
    """Normalised weights from log weights, and the effective number of rows; NaN if no row has positive weight."""
    top = log_kernel.max(axis=1, keepdims=True)
    kernel = np.exp(log_kernel - np.where(np.isfinite(top), top, 0.0))
    total = kernel.sum(axis=1, keepdims=True)
    shares = np.divide(kernel, total, out=np.full(kernel.shape, np.nan), where=total > 0)
    # A row of weight k is equivalent to k rows, each with a k-th of its weight.
    squares = (shares**2 / np.where(weights > 0, weights, np.inf)).sum(axis=1)
    return shares, np.where(total[:, 0] > 0, 1.0 / np.where(total[:, 0] > 0, squares, 1.0), 0.0)


def _widths(X, columns, categorical, bandwidth, weights):
    """The kernel bandwidth of each column; 0 for categorical ones."""
    if bandwidth is not None:
        widths = np.broadcast_to(np.asarray(bandwidth, np.float64), len(columns))
        if not np.all(widths > 0):
            raise ValueError(f"`bandwidth` must be positive, got {bandwidth!r}.")
        return np.where(categorical, 0.0, widths)
    n_numbers = len(columns) - sum(categorical)
    return np.array(
        [0.0 if c else _rule_of_thumb(cells(X, j), weights, n_numbers) for j, c in zip(columns, categorical)]
    )


def _rule_of_thumb(column, weights, d):
    column = column.astype(np.float64)
    present = ~missing(column) & (weights > 0)
    x, w = column[present], weights[present]
    mean = np.average(x, weights=w)
    spread = np.sqrt(np.average((x - mean) ** 2, weights=w))
    low, high = (weighted_quantile(x, w, q) for q in (0.25, 0.75))
    if high > low:
        spread = min(spread, (high - low) / 1.34)
    if spread == 0:
        raise ValueError("`bandwidth`=None cannot be used with a constant column; pass a positive `bandwidth`.")
    return 0.9 * spread * w.sum() ** (-1.0 / (4 + d))
