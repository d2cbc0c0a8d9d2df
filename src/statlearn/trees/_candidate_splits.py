"""All candidate splits of one column, with the loss of each."""

from itertools import combinations

import numpy as np
from sklearn.utils.validation import check_array, check_consistent_length, column_or_1d

from statlearn._core.params import Options, check_arguments
from statlearn._core.summary import Summary, Table, as_counts

from ._entropy import label_weights
from ._impurity import class_impurity, impurity

_REGRESSION = ("squared_error", "absolute_error")
_CLASSES = ("gini", "entropy", "error")
_MOST_LEVELS = 12  # 2047 subsets


def candidate_splits(x, y, criterion="squared_error", *, categorical=None, sample_weight=None):
    """Table of all binary splits of one column, with sizes, means, loss and decrease of the loss.

    Parameters
    ----------
    x : array-like of shape (n,)
        Numbers, which are cut midway between neighbouring values, or categories, which are divided into two sets.
    y : array-like of shape (n,)
        Target: numbers for "squared_error" and "absolute_error", class labels for the others.
    criterion : {"squared_error", "absolute_error", "gini", "entropy", "error"}, default="squared_error"
        Loss of a split. "squared_error" and "absolute_error" are **sums** over the rows of squared distances from the
        mean of their side, or of distances from its median. The others are the **mean** impurity of the two sides
        weighted by size; "entropy" is in bits, so that its decrease is the information gain.
    categorical : bool or None, default=None
        Whether x contains categories. None means everything but numbers.
    sample_weight : array-like of shape (n,) or None, default=None

    Returns
    -------
    Summary
        One row per split, in the order of the cuts, or by the size of the set for categories. Columns ``cut`` (for
        numbers), ``n_left``, ``n_right`` (sums of weights), ``mean_left`` and ``mean_right`` (medians for
        "absolute_error") or ``left: k`` and ``right: k`` with the share of every class k, ``loss`` and ``decrease``.
        ``facts`` contain the loss without a split, and the row number and the label of the best split (the first of
        equals).

    Notes
    -----
    A category with K levels has 2^(K-1) - 1 splits, which are listed for up to 12 levels. Trees find the best one
    without listing them, by ordering the levels by their mean or share.

    See Also
    --------
    DecisionTreeRegressor, DecisionTreeClassifier : Trees, which make the best split of all columns.
    information_gain : The decrease of one split with any number of branches.

    References
    ----------
    Breiman, L., Friedman, J., Olshen, R. and Stone, C. (1984). *Classification and Regression Trees*, chapter 2.

    Examples
    --------
    >>> from statlearn.trees import candidate_splits
    >>> print(candidate_splits([1, 2, 3, 4], [5.0, 5.2, 7.1, 7.3]))
    Candidate splits: squared error
    ===============================
                 cut  n left  n right  mean left  mean right      loss  decrease
    x <= 1.5  1.5000       1        3     5.0000      6.5333  2.686667    1.7633
    x <= 2.5  2.5000       2        2     5.1000      7.2000  0.040000    4.4100
    x <= 3.5  3.5000       3        1     5.7667      7.3000  2.686667    1.7633
    """
    check_arguments(
        candidate_splits,
        criterion=(criterion, [Options(*_REGRESSION, *_CLASSES)]),
        categorical=(categorical, ["boolean", None]),
    )
    x, y = column_or_1d(x), column_or_1d(y)
    check_consistent_length(x, y)
    weights = label_weights(sample_weight, len(y))
    x, y, weights = x[weights > 0], y[weights > 0], weights[weights > 0]
    if categorical is None:
        categorical = x.dtype.kind not in "iuf"
    if not categorical:
        x = check_array(x, ensure_2d=False, dtype=np.float64, input_name="x")
    levels, codes = np.unique(x.astype(str) if x.dtype.kind == "O" else x, return_inverse=True)
    if len(levels) < 2:
        raise ValueError("`x` must have at least two different values to be split.")
    labels, cuts, sides = _sides(levels, categorical)
    if criterion in _REGRESSION:
        columns, root = _number_columns(y, weights, codes, sides, criterion)
    else:
        columns, root = _class_columns(y, weights, codes, sides, criterion)
    loss = columns["loss"]
    columns["decrease"] = np.maximum(root - loss, 0.0)
    if cuts is not None:
        columns = {"cut": cuts, **columns}
    names = tuple(name for name in columns if ": " in name)
    best = int(np.argmin(loss))
    return Summary(
        f"Candidate splits: {criterion.replace('_', ' ')}",
        Table(labels, columns, names=names),
        facts={"root_loss": root, "best_row": best, "best_split": labels[best]},
    )


def _sides(levels, categorical):
    """Labels and cuts of the splits, and for each the mask of the levels on its left side."""
    K = len(levels)
    if not categorical:
        cuts = levels[:-1] + 0.5 * np.diff(levels)
        cuts = np.where(cuts < levels[1:], cuts, levels[:-1])  # between neighbouring floats
        return [f"x <= {cut:.6g}" for cut in cuts], cuts, None
    if K > _MOST_LEVELS:
        raise ValueError(f"`x` has {K} categories, at most {_MOST_LEVELS} are supported; pool the rare ones.")
    # Every division once: the first level is on the left.
    subsets = [(0, *others) for size in range(K - 1) for others in combinations(range(1, K), size)]
    masks = np.array([np.isin(np.arange(K), subset) for subset in subsets])
    return ["{" + ", ".join(str(levels[k]) for k in subset) + "}" for subset in subsets], None, masks


def _left_sums(codes, values, sides, n_levels):
    """Sums of the rows of `values` on the left of every split."""
    table = np.zeros((n_levels, values.shape[1]))
    np.add.at(table, codes, values)
    return np.cumsum(table, axis=0)[:-1] if sides is None else sides @ table


def _number_columns(y, weights, codes, sides, criterion):
    y = check_array(y, ensure_2d=False, dtype=np.float64, input_name="y")
    K = int(codes.max()) + 1
    centre = float(np.average(y, weights=weights))
    r = y - centre
    moments = np.column_stack([weights, weights * r, weights * r * r])
    left = _left_sums(codes, moments, sides, K)
    right = moments.sum(axis=0) - left
    sizes = {"n_left": as_counts(left[:, 0]), "n_right": as_counts(right[:, 0])}
    if criterion == "squared_error":
        loss = sum(np.maximum(side[:, 2] - side[:, 1] ** 2 / side[:, 0], 0.0) for side in (left, right))
        means = {"mean_left": centre + left[:, 1] / left[:, 0], "mean_right": centre + right[:, 1] / right[:, 0]}
        return {**sizes, **means, "loss": loss}, float(moments[:, 2].sum())
    return _median_columns(y, weights, codes, sides, K, sizes)


def _median_columns(y, weights, codes, sides, K, sizes):
    from statlearn._math.linalg.quantiles import weighted_quantile

    def spread(rows):
        return impurity(y[rows], "absolute_deviation", sample_weight=weights[rows]) * weights[rows].sum()

    masks = np.tril(np.ones((K, K), bool))[:-1] if sides is None else sides
    lefts = [mask[codes] for mask in masks]
    columns = {
        **sizes,
        "mean_left": np.array([weighted_quantile(y[rows], weights[rows], 0.5) for rows in lefts]),
        "mean_right": np.array([weighted_quantile(y[~rows], weights[~rows], 0.5) for rows in lefts]),
        "loss": np.array([spread(rows) + spread(~rows) for rows in lefts]),
    }
    return columns, float(spread(np.ones(len(y), bool)))


def _class_columns(y, weights, codes, sides, criterion):
    classes, labels = np.unique(y.astype(str) if y.dtype.kind == "O" else y, return_inverse=True)
    indicators = weights[:, None] * (labels[:, None] == np.arange(len(classes)))
    left = _left_sums(codes, indicators, sides, int(codes.max()) + 1)
    right = np.maximum(indicators.sum(axis=0) - left, 0.0)
    n_left, n_right = left.sum(axis=1), right.sum(axis=1)
    base = {"base": 2.0} if criterion == "entropy" else {}
    loss = (
        n_left * class_impurity(left, criterion, **base) + n_right * class_impurity(right, criterion, **base)
    ) / weights.sum()
    columns = {"n_left": as_counts(n_left), "n_right": as_counts(n_right)}
    for side, counts, size in (("left", left, n_left), ("right", right, n_right)):
        columns.update({f"{side}: {label}": counts[:, k] / size for k, label in enumerate(classes)})
    return {**columns, "loss": loss}, float(class_impurity(indicators.sum(axis=0), criterion, **base))
