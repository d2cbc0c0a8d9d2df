"""Impurities of nodes and gains of splits.

Gains are in bits. The entropy of a node is in nats unless ``base`` is given.
"""

import numpy as np

from statlearn._math.linalg.quantiles import weighted_quantile

from ._entropy import (
    check_masses,
    entropy_of_shares,
    joint_table,
    label_counts,
    label_weights,
    log_scale,
    mutual_information,
    warn_of_labels,
)

_CRITERIA = ("gini", "entropy", "error", "variance", "absolute_deviation")


def impurity(values=None, criterion="gini", *, labels=None, loss_matrix=None, sample_weight=None, base=None):
    r"""Impurity of a node: heterogeneity of its class counts or `labels`, or dispersion of its target values.

    ============================ ============================================================
    "gini"                       :math:`1 - \sum_k p_k^2`; with losses :math:`\sum_{k,l} L_{kl} p_k p_l`
    "entropy"                    :math:`-\sum_k p_k \log p_k`
    "error"                      :math:`1 - \max_k p_k`
    "variance"                   mean squared distance of numbers from their mean
    "absolute_deviation"         mean distance of numbers from their median
    ============================ ============================================================

    Parameters
    ----------
    values : array-like or None, default=None
        Class counts or probabilities, of shape (k,) or, for several nodes, (nodes, k). For "variance" and
        "absolute_deviation", the target values of shape (n,).
    criterion : {"gini", "entropy", "error", "variance", "absolute_deviation"}, default="gini"
    labels : array-like of shape (n,) or None, default=None
        Class of each row of the node, instead of the counts in `values`.
    loss_matrix : array-like of shape (k, k) or None, default=None
        ``loss_matrix[k, l]`` is the loss of predicting class l when the true class is k. For "gini" only.
    sample_weight : array-like of shape (n,) or None, default=None
        Weights of the labels or the target values.
    base : float or None, default=None
        Base of the logarithm in "entropy". None uses natural logarithms, so that the entropy is in nats;
        :func:`information_gain` is in bits.

    Returns
    -------
    float or ndarray of shape (nodes,)

    Notes
    -----
    Grow trees with Gini or entropy. The error rate cannot distinguish a split that produces a pure child from one that
    does not if both misclassify the same number of rows.

    References
    ----------
    Breiman, L., Friedman, J., Olshen, R. and Stone, C. (1984). *Classification and Regression Trees*, chapter 4.

    Examples
    --------
    >>> from statlearn.trees import impurity
    >>> impurity([4, 6]).__round__(7), impurity([4, 6], "entropy", base=2).__round__(7), impurity([4, 6], "error")
    (0.48, 0.9709506, 0.4)
    >>> impurity(labels=["a", "a", "a", "a", "b", "b", "b", "b", "b", "b"]).__round__(7)
    0.48
    """
    if criterion not in _CRITERIA:
        raise ValueError(
            f"`criterion` must be one of {list(_CRITERIA)}, got {criterion!r}. The misclassification rate is 'error'."
        )
    if loss_matrix is not None and criterion != "gini":
        raise ValueError(f"`loss_matrix` is only supported with criterion='gini', got criterion={criterion!r}.")
    if (values is None) == (labels is None):
        raise ValueError("Pass exactly one of `values` and `labels`.")
    if criterion in ("variance", "absolute_deviation"):
        if labels is not None:
            raise ValueError(f"`labels` are classes, which have no {criterion}; pass the target values as `values`.")
        return _spread(values, criterion, sample_weight)
    if labels is not None:
        values, sample_weight = label_counts(labels, sample_weight), None
    else:
        warn_of_labels(values, "values")
    if sample_weight is not None:
        raise ValueError(
            f"`sample_weight` is not supported with criterion={criterion!r}; pass weighted counts as `values` instead."
        )
    return class_impurity(values, criterion, loss_matrix, base)


def class_impurity(values, criterion="gini", loss_matrix=None, base=None):
    """Impurity of class counts or probabilities of one or several nodes."""
    p = check_masses(values, "values", ndim=max(np.ndim(values), 1))
    totals = p.sum(axis=-1, keepdims=True)
    if (totals == 0).any():
        raise ValueError("`values` must contain finite, non-negative numbers with a positive sum in every node.")
    p = p / totals
    if criterion == "entropy":
        mixed = entropy_of_shares(p) / log_scale(base)
    elif criterion == "error":
        mixed = 1.0 - p.max(axis=-1)
    elif loss_matrix is None:
        mixed = 1.0 - np.sum(p * p, axis=-1)
    else:
        mixed = np.einsum("...k,kl,...l->...", p, _losses(loss_matrix, p.shape[-1]), p)
    return float(mixed) if np.ndim(mixed) == 0 else mixed


def _losses(loss_matrix, k):
    losses = np.asarray(loss_matrix, dtype=np.float64)
    if losses.shape != (k, k) or not np.isfinite(losses).all() or (losses < 0).any() or np.diag(losses).any():
        raise ValueError(f"`loss_matrix` must be a {k} x {k} matrix of non-negative losses with zeros on its diagonal.")
    return losses


def _spread(values, criterion, sample_weight):
    values = np.asarray(values, dtype=np.float64)
    if values.ndim != 1 or values.size == 0 or not np.isfinite(values).all():
        raise ValueError("`values` must be a one-dimensional array of finite numbers with at least one entry.")
    weights = label_weights(sample_weight, len(values))
    if criterion == "variance":
        return float(np.average((values - np.average(values, weights=weights)) ** 2, weights=weights))
    median = weighted_quantile(values, weights, 0.5)
    return float(np.average(np.abs(values - median), weights=weights))


def information_gain(x, y=None, *, sample_weight=None, base=2.0):
    """Information gain of a split in bits: the decrease in class entropy over any number of branches.

    The same number as :func:`mutual_information` of branch and class, which is in nats: both agree for the same `base`.
    Two vectors are labels, one per row; a table has the class counts of each branch in a row.

    Parameters
    ----------
    x : array-like of shape (n,) or (branches, classes)
        Branch of each row or, if `y` is None, the class counts in each branch.
    y : array-like of shape (n,) or None, default=None
        Class of each row.
    sample_weight : array-like of shape (n,) or None, default=None
        Weights of the rows.
    base : float or None, default=2.0
        Base of the logarithm. The default gives bits; None uses natural logarithms.

    Returns
    -------
    float

    Notes
    -----
    A column that is different in every row has the largest possible gain but no predictive value. See
    :func:`gain_ratio` for a correction.

    References
    ----------
    Quinlan, J. R. (1986). Induction of decision trees. *Machine Learning* 1, 81-106.

    Examples
    --------
    >>> from statlearn.trees import information_gain
    >>> information_gain([[300, 100], [100, 300]]).__round__(7)
    0.1887219
    """
    return mutual_information(x, y, sample_weight=sample_weight, base=base)


def gain_ratio(x, y=None, *, sample_weight=None):
    r"""Gain ratio of a split: information gain divided by the entropy of the branch sizes, a number without a unit.

    .. math:: \frac{H(Y) - \sum_b \frac{n_b}{n} H(Y \mid b)}{-\sum_b \frac{n_b}{n} \log_2 \frac{n_b}{n}}

    Parameters
    ----------
    x : array-like of shape (n,) or (branches, classes)
        Branch of each row or, if `y` is None, the class counts in each branch.
    y : array-like of shape (n,) or None, default=None
        Class of each row.
    sample_weight : array-like of shape (n,) or None, default=None
        Weights of the rows.

    Returns
    -------
    float
        0 if all rows are in one branch.

    Notes
    -----
    The gain ratio favours very unbalanced splits, whose branch sizes have low entropy. C4.5 therefore only compares
    splits with at least average gain.

    References
    ----------
    Quinlan, J. R. (1993). *C4.5: Programs for Machine Learning*, chapter 2.

    Examples
    --------
    >>> from statlearn.trees import gain_ratio
    >>> gain_ratio([[200, 400], [200, 0]]).__round__(7)
    0.3836885
    """
    table, _ = joint_table(x, y, sample_weight)
    sizes = table.sum(axis=1)
    split = float(entropy_of_shares(sizes / sizes.sum()) / log_scale(2.0))
    return mutual_information(table, base=2.0) / split if split > 0 else 0.0


def gini_decrease(x, y=None, *, sample_weight=None):
    """Decrease in Gini impurity of a split into any number of branches.

    Two vectors are labels, one per row; a table has the class counts of each branch in a row, as in :func:`impurity`.

    Parameters
    ----------
    x : array-like of shape (n,) or (branches, classes)
        Branch of each row or, if `y` is None, the class counts in each branch.
    y : array-like of shape (n,) or None, default=None
        Class of each row.
    sample_weight : array-like of shape (n,) or None, default=None
        Weights of the rows.

    Returns
    -------
    float

    References
    ----------
    Breiman, L., Friedman, J., Olshen, R. and Stone, C. (1984). *Classification and Regression Trees*, chapter 4.

    Examples
    --------
    >>> from statlearn.trees import gini_decrease
    >>> gini_decrease([[300, 100], [100, 300]])
    0.125
    """
    table, _ = joint_table(x, y, sample_weight)
    sizes = table.sum(axis=1)
    filled = sizes > 0
    inside = sizes[filled] @ np.atleast_1d(class_impurity(table[filled])) / sizes.sum()
    return max(float(class_impurity(table.sum(axis=0)) - inside), 0.0)
