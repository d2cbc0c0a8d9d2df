"""Permutation importance: the decrease in a score when a column is permuted."""

import numbers

import numpy as np
from sklearn.metrics import check_scoring
from sklearn.utils import Bunch, check_random_state
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.random import sample_without_replacement
from sklearn.utils.validation import check_array

from statlearn._core.frames import column_from_rows, take_rows
from statlearn._core.jobs import keep_limit
from statlearn._core.params import HasMethods, Int, Real, check_arguments
from statlearn._core.validation import check_weights

from ._additive_trees import additive_trees


def permutation_importance(
    estimator,
    X,
    y,
    *,
    scoring=None,
    n_repeats=5,
    n_jobs=None,
    random_state=None,
    sample_weight=None,
    max_samples=1.0,
):
    """Permutation importances: the decrease in a score when the values of one column are permuted.

    Parameters
    ----------
    estimator : fitted estimator
    X : array-like or data frame of shape (n_rows, n_features)
        Data on which to compute the score, preferably held out from training.
    y : array-like of shape (n_rows,) or (n_rows, n_outputs), or None
    scoring : str, callable, list, tuple, dict or None, default=None
        Score for which greater is better. None uses the estimator's `score`. Several metrics return a dict of results.
    n_repeats : int, default=5
        Number of permutations of each column.
    n_jobs : int or None, default=None
        Number of processes, among which the columns are divided.
    random_state : int, RandomState or None, default=None
        Seed for the permutations, which are the same for every column and identical to those of scikit-learn's
        function.
    sample_weight : array-like of shape (n_rows,) or None, default=None
        Weights used in the score. Rows of weight 0 are dropped.
    max_samples : int or float, default=1.0
        Number or proportion of rows drawn for each column.

    Returns
    -------
    Bunch or dict of Bunch
        `importances` of shape (n_features, n_repeats), `importances_mean` and `importances_std`.

    Notes
    -----
    Importances describe the model, not the data-generating process. If two columns carry the same information, each may
    look unimportant, as the model can still use the other. Permuting also creates unrealistic rows. Columns that a
    statlearn tree model never splits on have importance 0 and are not permuted.
    `statlearn.assess.permutation_importance_interval` adds confidence intervals over rows.

    References
    ----------
    Breiman, L. (2001). Random forests. Machine Learning 45, 5-32.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.ensemble import permutation_importance
    >>> from statlearn.linear import LinearRegression
    >>> X = np.random.default_rng(0).normal(size=(200, 3))
    >>> model = LinearRegression().fit(X, 3 * X[:, 0] + X[:, 1])
    >>> permutation_importance(model, X, 3 * X[:, 0] + X[:, 1], random_state=0).importances_mean.argsort()[::-1]
    array([0, 1, 2])
    """
    check_arguments(
        permutation_importance,
        estimator=(estimator, [HasMethods("fit")]),
        n_repeats=(n_repeats, [Int(1, None)]),
        n_jobs=(n_jobs, [Int(None, None), None]),
        random_state=(random_state, ["random_state"]),
        sample_weight=(sample_weight, ["array-like", None]),
        max_samples=(max_samples, [Int(1, None), Real(0, 1, closed="right")]),
    )
    if not hasattr(X, "iloc") and not hasattr(X, "with_columns"):
        X = check_array(X, ensure_all_finite="allow-nan", dtype=None)
    if sample_weight is not None:
        X, y, sample_weight = _without_absent(X, y, sample_weight)
    rows = _sample_size(max_samples, X.shape[0])
    seed = check_random_state(random_state).randint(np.iinfo(np.int32).max + 1)
    from statlearn.assess import get_scorer

    scorer = check_scoring(estimator, get_scorer(scoring))
    intact = _score(scorer, estimator, X, y, sample_weight)
    asked = _columns_asked(estimator, X.shape[1], rows == X.shape[0])
    shuffled = Parallel(n_jobs=n_jobs)(
        delayed(keep_limit(_shuffled_scores))(estimator, X, y, sample_weight, j, seed, n_repeats, scorer, rows)
        for j in asked
    )
    scores = [[intact] * n_repeats for _ in range(X.shape[1])]
    for j, decreases in zip(asked, shuffled):
        scores[j] = decreases
    if isinstance(intact, dict):
        return {name: _result(intact[name], [[one[name] for one in column] for column in scores]) for name in intact}
    return _result(intact, scores)


def _result(intact, scores):
    drops = intact - np.array(scores, dtype=np.float64)
    return Bunch(importances_mean=drops.mean(axis=1), importances_std=drops.std(axis=1), importances=drops)


def _score(scorer, estimator, X, y, weights):
    return scorer(estimator, X, y) if weights is None else scorer(estimator, X, y, sample_weight=weights)


def _shuffled_scores(estimator, X, y, weights, column, seed, n_repeats, scorer, n_rows):
    rng = check_random_state(seed)
    if n_rows < X.shape[0]:
        drawn = sample_without_replacement(X.shape[0], n_rows, random_state=rng)
        X, y = take_rows(X, drawn), _take(y, drawn)
        weights = None if weights is None else weights[drawn]
    order = np.arange(X.shape[0])
    scores = []
    for _ in range(n_repeats):
        rng.shuffle(order)
        X = column_from_rows(X, column, order)
        scores.append(_score(scorer, estimator, X, y, weights))
    return scores


def _columns_asked(estimator, p, all_rows):
    """The columns that can matter; for a tree model, those it splits on."""
    trees = additive_trees(estimator) if all_rows else None
    if trees is None or trees.n_features != p:
        return list(range(p))
    used = trees.forest.feature[~trees.forest.is_leaf]
    if trees.surrogates is not None:
        used = np.concatenate([used, trees.surrogates.feature])
    return np.unique(used).tolist()


def _without_absent(X, y, sample_weight):
    weights = check_weights(sample_weight, np.empty((X.shape[0], 0)))
    used = np.flatnonzero(weights > 0)
    if len(used) == len(weights):
        return X, y, weights
    return take_rows(X, used), _take(y, used), weights[used]


def _take(y, rows):
    if y is None:
        return None
    return y.iloc[rows] if hasattr(y, "iloc") else np.asarray(y)[rows]


def _sample_size(max_samples, n):
    if not isinstance(max_samples, numbers.Integral):
        return max(1, int(max_samples * n))
    if max_samples > n:
        raise ValueError("max_samples must be <= n_samples.")
    return int(max_samples)
