"""Correlation of the trees of a forest, and the probability that a node considers a relevant column."""

from dataclasses import dataclass

import numpy as np
from sklearn.base import ClassifierMixin

from statlearn._core.jobs import jobs
from statlearn._core.params import Int, check_arguments

from ._out_of_bag import require_forest


@dataclass
class TreeCorrelation:
    """Correlation and variance of the predictions of a forest's trees.

    Parameters
    ----------
    correlation : float
        Mean correlation over the rows of the predictions of two trees: their mean covariance divided by their mean
        variance.
    variance : float
        Mean over the trees of the variance of their predictions over the rows.
    average_variance : float
        Variance over the rows of the forest's predictions, which equals rho sigma^2 + (1 - rho) sigma^2 / B.
    n_trees : int

    Examples
    --------
    >>> from statlearn.ensemble import TreeCorrelation
    >>> TreeCorrelation(correlation=0.3, variance=1.0, average_variance=0.37, n_trees=10).average_variance
    0.37
    """

    correlation: float
    variance: float
    average_variance: float
    n_trees: int


def tree_correlation(model, X):
    r"""Average pairwise correlation and variance of the predictions of a forest's trees.

    With the covariances :math:`c_{st}` of two trees' predictions over the rows of X,
    :math:`\sigma^2 = \frac1B \sum_t c_{tt}` and :math:`\rho\sigma^2 = \frac{1}{B(B-1)} \sum_{s \ne t} c_{st}`, the
    variance of the average is :math:`\rho\sigma^2 + (1 - \rho)\sigma^2 / B`. More trees reduce only the second term,
    and less correlated trees the first. The predictions also vary with the rows, so that even perfect trees are
    perfectly correlated. Only compare forests on the same rows.

    Parameters
    ----------
    model : fitted forest
        For a classifier, the predictions are the class proportions of the leaves, pooled over the classes.
    X : array-like of shape (n_rows, n_features)
        Rows other than the training rows.

    Returns
    -------
    TreeCorrelation

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from statlearn.ensemble import RandomForestRegressor, tree_correlation
    >>> X, y = load_diabetes(return_X_y=True)
    >>> few = RandomForestRegressor(max_features=1, random_state=0).fit(X[:300], y[:300])
    >>> all_ = RandomForestRegressor(max_features=None, random_state=0).fit(X[:300], y[:300])
    >>> tree_correlation(few, X[300:]).correlation < tree_correlation(all_, X[300:]).correlation
    True
    """
    require_forest(model)
    X = model._dense_table(X)
    forest = model.forest_
    with jobs(model.n_jobs):
        leaves = forest.apply(X) + forest.roots
    values = forest.value[leaves]  # (rows, trees, width)
    centred = values - values.mean(axis=0)
    trees, rows = values.shape[1], len(values)
    variance = float(np.sum(centred**2) / rows / trees)
    average = float(np.sum(centred.mean(axis=1) ** 2) / rows)
    if isinstance(model, ClassifierMixin) and forest.value.shape[1] == 2:
        variance, average = variance / 2, average / 2  # the two proportions are one number
    # B^2 average = B variance + B (B - 1) covariance
    covariance = (trees * average - variance) / (trees - 1) if trees > 1 else variance
    rho = covariance / variance if variance > 0 else 1.0
    return TreeCorrelation(float(rho), variance, average, trees)


def relevant_split_probability(n_relevant, n_noise, max_features):
    r"""Probability that at least one of the columns drawn for a split is relevant.

    .. math:: 1 - \binom{\text{noise}}{m} \Big/ \binom{\text{relevant} + \text{noise}}{m}

    Parameters
    ----------
    n_relevant, n_noise : int
        Numbers of relevant and irrelevant columns.
    max_features : int
        Number m of columns drawn.

    Returns
    -------
    float

    Examples
    --------
    >>> from statlearn.ensemble import relevant_split_probability
    >>> round(relevant_split_probability(6, 100, 10), 4)
    0.4566
    """
    check_arguments(
        relevant_split_probability,
        n_relevant=(n_relevant, [Int(0, None)]),
        n_noise=(n_noise, [Int(0, None)]),
        max_features=(max_features, [Int(1, None)]),
    )
    total = n_relevant + n_noise
    if max_features > total:
        raise ValueError(f"`max_features`={max_features} exceeds the {total} columns; use at most {total}.")
    none = 1.0
    for k in range(max_features):  # one draw at a time, to avoid large binomial coefficients
        none *= max(n_noise - k, 0) / (total - k)
    return 1.0 - none
