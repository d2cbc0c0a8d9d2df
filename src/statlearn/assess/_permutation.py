"""Permutation test of a score, and permutation importances with intervals."""

from dataclasses import dataclass, field

import numpy as np
from sklearn import model_selection
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from statlearn._core.frames import column_from_rows, n_rows
from statlearn._core.params import Int, Options, Real, check_arguments
from statlearn._core.reexport import same_call
from statlearn._math.inference import standard_error

from ._cached_predictions import CachedPredictions, prediction_scorer
from ._folds import folds_for, run
from ._scorers import read_scoring


@dataclass
class PermutationTest:
    """Cross-validated score and its permutation distribution.

    Parameters
    ----------
    score : float
    p_value : float
        (1 + number of permutations that score at least as well) / (1 + number of permutations).
    null_scores : ndarray
    """

    score: float
    p_value: float
    null_scores: np.ndarray = field(repr=False)


def permutation_test(
    estimator, X, y, *, groups=None, cv=None, scoring=None, n_permutations=100, params=None, n_jobs=None, random_state=0
):
    """Permutation test of a cross-validated score against scores with shuffled responses.

    Parameters
    ----------
    estimator : estimator
        Estimator that includes all steps that use y.
    X : array-like of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
    groups : array-like of shape (n_samples,) or None, default=None
        Responses are shuffled within groups, which are also passed to the splitter.
    cv : int, splitter, iterable or None, default=None
        None uses five folds.
    scoring : str, callable or None, default=None
        Greater is better; None uses the `score` method of the estimator.
    n_permutations : int, default=100
        The smallest p-value is 1 / (n_permutations + 1).
    params : dict or None, default=None
        Passed to `fit`.
    n_jobs : int or None, default=None
    random_state : int, RandomState or None, default=0

    Returns
    -------
    PermutationTest

    References
    ----------
    Ojala, M. & Garriga, G. (2010). Permutation tests for studying classifier performance. JMLR 11, 1833-1863.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from statlearn.assess import permutation_test
    >>> from statlearn.linear import LinearRegression
    >>> X, y = load_diabetes(return_X_y=True)
    >>> found = permutation_test(LinearRegression(), X, y, n_permutations=19)
    >>> found.p_value
    0.05
    """
    check_arguments(permutation_test, n_permutations=(n_permutations, [Int(1, None)]))
    splitter = folds_for(cv, estimator, y)
    score, null, p_value = model_selection.permutation_test_score(
        estimator, X, y, groups=groups, cv=splitter, scoring=read_scoring(scoring), n_permutations=n_permutations,
        params=params, n_jobs=n_jobs, random_state=random_state,
    )  # fmt: skip
    return PermutationTest(float(score), float(p_value), np.asarray(null))


@same_call(model_selection.permutation_test_score)
def permutation_test_score():
    """Score of a model, its scores on permuted targets and a p-value, under scikit-learn's name.

    :func:`permutation_test` does the same and returns an object that prints and draws itself.

    Parameters
    ----------
    estimator : estimator
    X : array-like of shape (n, p)
    y : array-like of shape (n,) or None
    groups : array-like of shape (n,) or None, default=None
        Targets are permuted within groups, and folds keep groups together if `cv` does.
    cv : int, splitter or None, default=None
    n_permutations : int, default=100
        The smallest possible p-value is 1 / (n_permutations + 1).
    n_jobs : int or None, default=None
    random_state : int, RandomState or None, default=0
    verbose : int, default=0
    scoring : str, callable or None, default=None
        A score that grows with quality.
    params : dict or None, default=None
        Arguments for `fit`, the scorer and the splitter.

    Returns
    -------
    score : float
    permutation_scores : ndarray of shape (n_permutations,)
    pvalue : float
        (number of permuted scores that reach the score, plus one) / (n_permutations + 1).

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from statlearn.assess import permutation_test_score
    >>> from statlearn.linear import LinearRegression
    >>> X, y = load_diabetes(return_X_y=True)
    >>> score, null, p_value = permutation_test_score(LinearRegression(), X, y, n_permutations=19)
    >>> float(p_value)
    0.05
    """


@dataclass
class ImportanceInterval:
    """Permutation importances with intervals.

    Parameters
    ----------
    mean : ndarray of shape (p,)
        Mean decrease of the score if the column is shuffled.
    lower, upper : ndarray of shape (p,)
        Limits of the interval.
    std_error : ndarray of shape (p,)
    importances : ndarray of shape (p, n_repeats)
        Decrease of the score in every permutation.
    names : list of str
    confidence : float
    baseline : float
        Score without permutation.
    """

    mean: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    std_error: np.ndarray
    importances: np.ndarray
    names: list
    confidence: float
    baseline: float

    @property
    def order(self):
        """Column indices from the most to the least important."""
        return np.argsort(-self.mean, kind="stable")

    def plot(self, ax=None, **options):
        """Plot of the importances; see `statlearn.plot.plot_importance`."""
        from statlearn._draw.curves import plot_importance

        return plot_importance(self, ax=ax, **options)


def permutation_importance_interval(
    estimator,
    X,
    y,
    *,
    scoring=None,
    n_repeats=10,
    confidence=0.95,
    interval="bootstrap",
    n_resamples=200,
    columns=None,
    n_jobs=None,
    random_state=None,
):
    """Permutation importance: the decrease of the score if a column is shuffled, with an interval.

    Shuffling a column breaks its association with the target and with the other columns. Use rows that the model has
    not seen.

    Parameters
    ----------
    estimator : fitted estimator
    X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
    scoring : str, callable or None, default=None
        None uses R² for regressors and accuracy for classifiers.
    n_repeats : int, default=10
        Number of permutations of every column.
    confidence : float, default=0.95
    interval : {"bootstrap", "permutation"}, default="bootstrap"
        "bootstrap" resamples the rows and the permutations, so the interval covers the values on other test sets.
        "permutation" is a Student t interval over the permutations, which only shows whether more of them are needed.
    n_resamples : int, default=200
    columns : sequence of int or None, default=None
        Columns to assess; None means all.
    n_jobs : int or None, default=None
    random_state : int, RandomState or None, default=None

    Returns
    -------
    ImportanceInterval

    Notes
    -----
    Every shuffled table is predicted once; resamples only score the stored predictions. An importance describes the
    model, not the real world: of two copies of a column, each may look unimportant.

    References
    ----------
    Breiman, L. (2001). Random forests. Machine Learning 45, 5-32.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.assess import permutation_importance_interval
    >>> from statlearn.linear import LinearRegression
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 3))
    >>> y = 2 * X[:, 0] + rng.normal(size=200)
    >>> model = LinearRegression().fit(X[:100], y[:100])
    >>> found = permutation_importance_interval(model, X[100:], y[100:], random_state=0)
    >>> found.order[0], found.lower[0] > 0, found.upper[1] < 0.1
    (np.int64(0), np.True_, np.True_)
    """
    check_arguments(
        permutation_importance_interval,
        n_repeats=(n_repeats, [Int(2, None)]),
        confidence=(confidence, [Real(0, 1, closed="neither")]),
        interval=(interval, [Options("bootstrap", "permutation")]),
        n_resamples=(n_resamples, [Int(2, None)]),
    )
    check_is_fitted(estimator)
    if not hasattr(X, "shape"):
        X = np.asarray(X)
    y = np.asarray(y)
    scorer = prediction_scorer(estimator, scoring)
    n = n_rows(X)
    columns = range(X.shape[1]) if columns is None else list(columns)
    rng = check_random_state(random_state)
    everything = np.arange(n)
    plain = CachedPredictions([estimator], [X])
    baseline = float(scorer(plain, everything, y))
    draws = rng.randint(n, size=(n_resamples, n)) if interval == "bootstrap" else None
    drawn_baseline = None if draws is None else [scorer(plain, rows, y[rows]) for rows in draws]
    seeds = rng.randint(2**31 - 1, size=len(columns))

    def one(column, seed):
        rng = np.random.default_rng(seed)
        tables = [
            CachedPredictions([estimator], [column_from_rows(X, column, rng.permutation(n))]) for _ in range(n_repeats)
        ]
        drops = np.array([baseline - scorer(table, everything, y) for table in tables])
        if draws is None:
            return drops, None
        which = rng.integers(n_repeats, size=n_resamples)
        again = [b - scorer(tables[k], rows, y[rows]) for b, k, rows in zip(drawn_baseline, which, draws)]
        return drops, np.array(again)

    results = run(one, list(zip(columns, seeds)), n_jobs)
    importances = np.array([drops for drops, _ in results])
    mean = importances.mean(axis=1)
    if interval == "bootstrap":
        spread = np.array([again for _, again in results])
        tail = (1 - confidence) / 2
        lower, upper = np.quantile(spread, [tail, 1 - tail], axis=1)
        std_error = spread.std(axis=1, ddof=1)
    else:
        from scipy.special import stdtrit

        std_error = standard_error(importances, axis=1)
        half = stdtrit(n_repeats - 1, (1 + confidence) / 2) * std_error
        lower, upper = mean - half, mean + half
    names = [str(c) for c in X.columns] if hasattr(X, "columns") else [f"x{j}" for j in range(X.shape[1])]
    return ImportanceInterval(
        mean, lower, upper, std_error, importances, [names[c] for c in columns], confidence, baseline
    )
