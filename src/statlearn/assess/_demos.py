"""Two demonstrations: feature screening outside the folds, and no free lunch."""

import itertools
from dataclasses import dataclass

import numpy as np

from statlearn._core.params import Int, check_arguments

from ._bootstrap import generator


@dataclass
class WrongCV:
    """Cross-validated errors on pure noise, one per data set; the true error is one half.

    Parameters
    ----------
    outside : ndarray
        The column was chosen using all rows before the folds were made, which is wrong.
    inside : ndarray
        The column was chosen again within each fold, which is right.
    true_error : float
    """

    outside: np.ndarray
    inside: np.ndarray
    true_error: float = 0.5


def _best_splits(X, y):
    """Best stump of every column: mistakes, threshold, and the class (0/1) above it."""
    order = np.argsort(X, axis=0, kind="stable")
    sorted_x = np.take_along_axis(X, order, axis=0)
    ones = np.cumsum(y[order], axis=0)  # ones among the k smallest
    n, total = len(y), int(y.sum())
    k = np.arange(1, n + 1)[:, None]
    mistakes_up = ones + (n - k) - (total - ones)  # class 1 above: ones below and zeros above are wrong
    mistakes = np.minimum(mistakes_up, n - mistakes_up)[:-1]
    usable = sorted_x[:-1] < sorted_x[1:]
    cut = np.argmin(np.where(usable, mistakes, n + 1), axis=0)
    columns = np.arange(X.shape[1])
    threshold = 0.5 * (sorted_x[cut, columns] + sorted_x[cut + 1, columns])
    above = (mistakes_up[cut, columns] <= n - mistakes_up[cut, columns]).astype(int)
    return mistakes[cut, columns], threshold, above


def _mistakes(X, y, column, threshold, above):
    says = np.where(X[:, column] > threshold[column], above[column], 1 - above[column])
    return int(np.sum(says != y))


def wrong_cv_demo(n_sets=50, *, n_features=500, n_per_class=10, n_folds=5, random_state=None):
    """Demonstration of feature screening outside and inside the folds of cross-validation, on pure noise.

    Normal columns, and two classes of equal size that are unrelated to them. The model is the best stump: the column
    and threshold with the fewest mistakes. Wrong: the column is chosen using all rows, and only the threshold is
    cross-validated. Right: the choice of the column is part of what is cross-validated.

    Parameters
    ----------
    n_sets : int, default=50
        Number of simulated data sets.
    n_features : int, default=500
    n_per_class : int, default=10
    n_folds : int, default=5
    random_state : int, RandomState or None, default=None

    Returns
    -------
    WrongCV

    References
    ----------
    Hastie, T., Tibshirani, R. & Friedman, J. (2009). The Elements of Statistical Learning, sections 7.10.2 and 7.10.3.

    Examples
    --------
    >>> from statlearn.assess import wrong_cv_demo
    >>> found = wrong_cv_demo(20, random_state=0)
    >>> bool(found.outside.mean() < 0.3 < 0.4 < found.inside.mean())
    True
    """
    check_arguments(
        wrong_cv_demo, n_sets=(n_sets, [Int(1, None)]), n_features=(n_features, [Int(1, None)]),
        n_per_class=(n_per_class, [Int(2, None)]), n_folds=(n_folds, [Int(2, None)]),
    )  # fmt: skip
    if n_folds > 2 * n_per_class:
        raise ValueError(f"`n_folds`={n_folds} exceeds the {2 * n_per_class} rows.")
    rng = generator(random_state)
    y = np.repeat([0, 1], n_per_class)
    n = len(y)
    outside, inside = np.empty(n_sets), np.empty(n_sets)
    for s in range(n_sets):
        X = rng.normal(size=(n, n_features))
        fold = rng.permutation(np.arange(n) % n_folds)
        favourite = int(np.argmin(_best_splits(X, y)[0]))
        wrong = right = 0
        for f in range(n_folds):
            train, test = fold != f, fold == f
            mistakes, threshold, above = _best_splits(X[train], y[train])
            wrong += _mistakes(X[test], y[test], favourite, threshold, above)
            right += _mistakes(X[test], y[test], int(np.argmin(mistakes)), threshold, above)
        outside[s], inside[s] = wrong / n, right / n
    return WrongCV(outside, inside)


def no_free_lunch(learner, n_points=4, train=(0, 1), *, probability=None):
    r"""No-free-lunch sum of off-training-set errors of a learner over all :math:`2^{|X|}` targets on a finite X.

    For every target :math:`f: X \to \{0, 1\}` the learner sees the training points with their true labels; its error is
    :math:`\sum_{x \notin D} P(x) 1[h(x) \neq f(x)]`. The sum over targets is :math:`2^{|X|-1} P(X \setminus D)` for
    every learner.

    Parameters
    ----------
    learner : callable or estimator
        Function ``learner(points, labels)`` that returns a function from points to labels, or a classifier with `fit`
        and `predict` (the points are passed as one column of numbers 0, 1, ...).
    n_points : int, default=4
        \|X\|, at most 16.
    train : sequence of int, default=(0, 1)
        Training points D.
    probability : array-like of shape (n_points,) or None, default=None
        Probabilities P of the points; None means uniform.

    Returns
    -------
    float

    References
    ----------
    Wolpert, D. (1996). The lack of a priori distinctions between learning algorithms. Neural Computation 8, 1341-1390.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.assess import no_free_lunch
    >>> no_free_lunch(lambda x, y: lambda new: np.zeros(len(new)))
    4.0
    """
    check_arguments(no_free_lunch, n_points=(n_points, [Int(1, 16)]))
    train = np.asarray(train, dtype=int)
    if train.ndim != 1 or len(set(train.tolist())) != len(train) or not set(train.tolist()) <= set(range(n_points)):
        raise ValueError(f"`train` must contain distinct indices from 0 to {n_points - 1}, got {train.tolist()}.")
    P = np.ones(n_points) if probability is None else np.asarray(probability, dtype=np.float64)
    if P.shape != (n_points,) or np.any(P < 0) or P.sum() <= 0:
        raise ValueError(f"`probability` must contain {n_points} non-negative numbers.")
    off = np.setdiff1d(np.arange(n_points), train)
    mistakes = np.zeros(len(off))
    for labels in itertools.product((0, 1), repeat=n_points):
        target = np.array(labels)
        says = _learn(learner, train, target[train])(off) if len(off) else np.empty(0)
        mistakes += np.asarray(says) != target[off]
    # Whole numbers are summed and divided once, so that the sums of different learners are equal to the last bit.
    return float(mistakes @ P[off] / P.sum())


def _learn(learner, points, labels):
    if not hasattr(learner, "fit"):
        return learner(points, labels)
    from sklearn.base import clone

    model = clone(learner).fit(points[:, None].astype(float), labels)
    return lambda new: model.predict(new[:, None].astype(float))
