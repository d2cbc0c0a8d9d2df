"""Tests of two models: paired t-test and corrections for overlapping training sets, 5x2cv, McNemar, Wilcoxon."""

import numpy as np
from scipy.special import bdtr, chdtrc, fdtrc, stdtr, stdtrit
from sklearn.utils.validation import check_array, check_consistent_length, column_or_1d

from statlearn._core.params import Int, Options, Real, check_arguments

from ._intervals import CONFIDENCE
from ._result import TestResult


def scores_1d(values, name):
    """A finite 1-d float array."""
    values = check_array(values, ensure_2d=False, dtype=np.float64, input_name=name, ensure_min_samples=0)
    if values.ndim != 1:
        raise ValueError(f"`{name}` must be one-dimensional, got shape {values.shape}.")
    return values


def t_result(difference, error, df, confidence, method):
    """Two-sided t-test of difference = 0 with its interval; zero variance gives a p-value of 0 or 1."""
    if error > 0.0:
        statistic = difference / error
    else:
        statistic = 0.0 if difference == 0.0 else float(np.copysign(np.inf, difference))
    p = float(2.0 * stdtr(df, -abs(statistic)))
    half = float(stdtrit(df, 0.5 + 0.5 * confidence)) * error
    return TestResult(
        float(statistic), p, float(df), method, float(difference), float(error), difference - half, difference + half
    )


def _mean_and_variance(values, name, least=2):
    if len(values) < least:
        raise ValueError(f"`{name}` must contain at least {least} values, got {len(values)}.")
    mean = float(np.mean(values))
    # Equal values have no spread, even if rounding suggests one.
    variance = 0.0 if np.all(values == values[0]) else float(np.var(values, ddof=1))
    return (float(values[0]) if variance == 0.0 else mean), variance


def paired_ttest(a, b, *, confidence=0.95):
    """Paired t-test of the mean scores of two models on the same folds or data sets.

    Parameters
    ----------
    a, b : array-like of shape (k,)
        Scores of the two models, in the same order of folds.
    confidence : float, default=0.95
        Confidence level of the interval of the mean difference a - b.

    Returns
    -------
    TestResult
        Has `statistic` (t), `p_value` (two-sided), `df` = k - 1, `difference`, `std_error`, `low`, `high`.

    See Also
    --------
    corrected_resampled_ttest : folds of one data set, whose training sets overlap.
    wilcoxon_signed_rank : without assuming a normal distribution.

    Notes
    -----
    For scores from independent data sets. Scores from the folds of one data set share training rows; their spread
    understates the variance, so this test rejects too often.

    Examples
    --------
    >>> from statlearn.assess import paired_ttest
    >>> result = paired_ttest([0.9, 0.8, 0.85, 0.9], [0.8, 0.75, 0.85, 0.8])
    >>> round(result.difference, 4), round(result.statistic, 3), round(result.p_value, 3)
    (0.0625, 2.611, 0.08)
    """
    check_arguments(paired_ttest, confidence=(confidence, CONFIDENCE))
    a, b = scores_1d(a, "a"), scores_1d(b, "b")
    check_consistent_length(a, b)
    mean, variance = _mean_and_variance(a - b, "a and b")
    return t_result(mean, np.sqrt(variance / len(a)), len(a) - 1, confidence, "paired t-test")


def ttest(a, b, *, equal_variance=False, confidence=0.95):
    """t-test of two independent samples of scores.

    Parameters
    ----------
    a, b : array-like of shape (k,) and (m,)
        Scores of the two models, each on its own data.
    equal_variance : bool, default=False
        Whether to pool the variances (Student) or not (Welch, with Satterthwaite's degrees of freedom).
    confidence : float, default=0.95

    Returns
    -------
    TestResult

    See Also
    --------
    paired_ttest : the same folds for both, which is almost always more powerful.

    Examples
    --------
    >>> from statlearn.assess import ttest
    >>> result = ttest([0.9, 0.8, 0.85, 0.9], [0.8, 0.75, 0.85])
    >>> round(result.statistic, 3), round(result.df, 2)
    (1.667, 4.33)
    """
    check_arguments(ttest, confidence=(confidence, CONFIDENCE), equal_variance=(equal_variance, ["boolean"]))
    a, b = scores_1d(a, "a"), scores_1d(b, "b")
    (mean_a, var_a), (mean_b, var_b) = _mean_and_variance(a, "a"), _mean_and_variance(b, "b")
    k, m = len(a), len(b)
    if equal_variance:
        df = k + m - 2
        error = np.sqrt(((k - 1) * var_a + (m - 1) * var_b) / df * (1 / k + 1 / m))
    else:
        u, v = var_a / k, var_b / m
        error = np.sqrt(u + v)
        df = (u + v) ** 2 / (u**2 / (k - 1) + v**2 / (m - 1)) if error > 0 else k + m - 2
    name = "Student's t-test" if equal_variance else "Welch's t-test"
    return t_result(mean_a - mean_b, error, df, confidence, name)


def corrected_resampled_ttest(differences, n_train, n_test, *, confidence=0.95):
    r"""Corrected resampled t-test of Nadeau and Bengio for scores from resampled splits of one data set.

    For k differences of mean d and variance s², :math:`t = d / \sqrt{(1/k + n_{test}/n_{train})\, s^2}` on k - 1
    degrees of freedom. The second term accounts for the training rows that the splits share.

    Parameters
    ----------
    differences : array-like of shape (k,) or (repeats, folds)
        Score of model a minus score of model b, split by split.
    n_train, n_test : float
        Numbers of rows in a training and in a test part (averages, if they vary).
    confidence : float, default=0.95
        Confidence level of the interval of the mean difference.

    Returns
    -------
    TestResult
        Has `statistic`, `p_value` (two-sided), `df`, `difference`, `std_error`, `low`, `high`.

    See Also
    --------
    five_by_two_test : from five random splits into halves.
    paired_ttest : for independent data sets.

    Notes
    -----
    Applies to random subsampling and to (repeated) cross-validation, where n_test / n_train = 1/(K - 1) with K folds.
    Differences without any spread give p = 1 if they are 0 and p = 0 otherwise.

    References
    ----------
    Nadeau and Bengio (2003), Inference for the generalization error. Bouckaert and Frank (2004), Evaluating the
    replicability of significance tests for comparing learning algorithms.

    Examples
    --------
    >>> from statlearn.assess import corrected_resampled_ttest
    >>> result = corrected_resampled_ttest([0.02, 0.03, 0.01, 0.02, 0.04], n_train=80, n_test=20)
    >>> round(result.difference, 3), round(result.statistic, 3), round(result.p_value, 3)
    (0.024, 3.138, 0.035)
    """
    check_arguments(
        corrected_resampled_ttest,
        n_train=(n_train, [Real(0, None, closed="neither")]),
        n_test=(n_test, [Real(0, None, closed="neither")]),
        confidence=(confidence, CONFIDENCE),
    )
    d = scores_1d(np.ravel(np.asarray(differences)), "differences")
    mean, variance = _mean_and_variance(d, "differences")
    error = np.sqrt((1.0 / len(d) + n_test / n_train) * variance)
    return t_result(mean, error, len(d) - 1, confidence, "corrected resampled t-test")


def five_by_two_test(differences, *, statistic="F", confidence=0.95):
    r"""5x2cv test from the score differences of five twofold cross-validations.

    With differences :math:`d_{r1}, d_{r2}` in repeat r and :math:`s_r^2` the sum of their squared deviations from their
    mean, the t statistic is :math:`d_{11} / \sqrt{\sum_r s_r^2/5}` on 5 degrees of freedom (Dietterich), and the F
    statistic :math:`\sum_{r,j} d_{rj}^2 / (2 \sum_r s_r^2)` on (10, 5) (Alpaydin).

    Parameters
    ----------
    differences : array-like of shape (5, 2)
        Score of model a minus score of model b, by repeat and half.
    statistic : {"F", "t"}, default="F"
        "F" uses all ten differences and rejects more evenly; "t" is the original, which uses only the first difference
        in the numerator.
    confidence : float, default=0.95
        Confidence level of the interval of the difference (for "t").

    Returns
    -------
    TestResult
        `difference` is the mean of all ten.

    See Also
    --------
    five_by_two_cv_test : runs the ten fits of each model first.

    References
    ----------
    Dietterich (1998), Approximate statistical tests for comparing supervised classification learning algorithms.
    Alpaydin (1999), Combined 5 x 2 cv F test for comparing supervised classification learning algorithms.

    Examples
    --------
    >>> from statlearn.assess import five_by_two_test
    >>> d = [[0.02, 0.05], [0.03, 0.01], [0.04, 0.02], [0.01, 0.03], [0.02, 0.02]]
    >>> result = five_by_two_test(d)
    >>> round(result.statistic, 3), round(result.p_value, 3)
    (3.667, 0.082)
    """
    check_arguments(five_by_two_test, statistic=(statistic, [Options("F", "t")]), confidence=(confidence, CONFIDENCE))
    d = check_array(differences, dtype=np.float64, input_name="differences")
    if d.shape != (5, 2):
        raise ValueError(f"`differences` must have shape (5, 2), got {d.shape}.")
    spread = float(np.sum((d[:, 0] - d[:, 1]) ** 2) / 2.0)  # sum over repeats of s_r^2
    mean = float(np.mean(d))
    if statistic == "t":
        result = t_result(float(d[0, 0]), np.sqrt(spread / 5.0), 5, confidence, "5x2cv t-test")
        return TestResult(**{**vars(result), "difference": mean})
    total = float(np.sum(d**2))
    if spread > 0.0:
        F = total / (2.0 * spread)
    else:
        F = 0.0 if total == 0.0 else np.inf
    p = 1.0 if F == 0.0 else float(fdtrc(10, 5, F))
    return TestResult(F, p, (10.0, 5.0), "5x2cv F-test", mean)


def five_by_two_cv_test(estimator_a, estimator_b, X, y, *, scoring=None, statistic="F", random_state=None):
    """Comparison of two estimators by five twofold cross-validations and the 5x2cv test.

    Parameters
    ----------
    estimator_a, estimator_b : estimator
        Estimators, cloned for every fit.
    X : array-like or data frame of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
    scoring : str, callable or None, default=None
        As in scikit-learn; None uses the `score` method of the estimators.
    statistic : {"F", "t"}, default="F"
    random_state : int, RandomState or None, default=None
        Seed of the five random splits into halves, which are stratified by class.

    Returns
    -------
    TestResult
        A positive `difference` means that `estimator_a` has the higher score.

    See Also
    --------
    five_by_two_test : the formulas, from given differences.

    Notes
    -----
    The models are compared at half the sample size, which can favour the simpler one.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from statlearn.assess import DummyClassifier, five_by_two_cv_test
    >>> from statlearn.linear import LogisticRegression
    >>> X, y = load_iris(return_X_y=True)
    >>> five_by_two_cv_test(LogisticRegression(), DummyClassifier(), X, y, random_state=0).p_value < 0.001
    True
    """
    from sklearn.base import clone, is_classifier
    from sklearn.metrics import check_scoring
    from sklearn.model_selection import KFold, StratifiedKFold
    from sklearn.utils import check_random_state

    from statlearn._core.frames import take_rows

    from ._meta_estimator import check_table_and_target
    from ._scorers import get_scorer

    X, y = check_table_and_target(X, y)
    rng = check_random_state(random_state)
    score_a, score_b = (check_scoring(model, get_scorer(scoring)) for model in (estimator_a, estimator_b))
    make = StratifiedKFold if is_classifier(estimator_a) else KFold
    d = np.empty((5, 2))
    for r in range(5):
        folds = make(2, shuffle=True, random_state=rng.randint(2**31 - 1)).split(X, y)
        for j, (train, test) in enumerate(folds):
            train_set, test_set = ((take_rows(X, rows), take_rows(y, rows)) for rows in (train, test))
            d[r, j] = score_a(clone(estimator_a).fit(*train_set), *test_set)
            d[r, j] -= score_b(clone(estimator_b).fit(*train_set), *test_set)
    return five_by_two_test(d, statistic=statistic)


def mcnemar_counts(b, c, *, method="auto", correction=True):
    r"""McNemar test from the two discordant counts.

    Parameters
    ----------
    b, c : int
        Numbers of rows that only the first model and only the second model classifies correctly.
    method : {"auto", "exact", "chi2"}, default="auto"
        "exact" is the two-sided binomial test of b in b + c at one half; "chi2" is :math:`(|b - c| - 1)^2 / (b + c)` on
        one degree of freedom. "auto" uses chi2 if both counts are at least 5.
    correction : bool, default=True
        Whether to apply the continuity correction, the -1 in that formula.

    Returns
    -------
    TestResult
        `statistic` is min(b, c) for "exact". `difference` is b - c.

    See Also
    --------
    mcnemar : from predictions.

    Examples
    --------
    >>> from statlearn.assess import mcnemar_counts
    >>> mcnemar_counts(1, 7).p_value
    0.0703125
    """
    check_arguments(
        mcnemar_counts,
        b=(b, [Int(0, None)]),
        c=(c, [Int(0, None)]),
        method=(method, [Options("auto", "exact", "chi2")]),
        correction=(correction, ["boolean"]),
    )
    b, c = int(b), int(c)
    n, low = b + c, min(b, c)
    if method == "chi2" or (method == "auto" and low >= 5):
        gap = max(abs(b - c) - correction, 0)
        statistic = gap**2 / n if n else 0.0
        return TestResult(
            float(statistic), float(chdtrc(1, statistic)), 1.0, "McNemar's test, chi-squared", float(b - c)
        )
    p = 1.0 if 2 * low >= n else min(1.0, 2.0 * float(bdtr(low, n, 0.5)))
    return TestResult(float(low), p, None, "McNemar's test, exact", float(b - c))


def mcnemar(y_true, y_pred_a=None, y_pred_b=None, *, method="auto", correction=True):
    """McNemar test of equal error rates of two classifiers on the same test rows.

    Only rows that exactly one of the two classifies correctly count: b rows for the first, c rows for the second.

    Parameters
    ----------
    y_true : array-like of shape (n,)
    y_pred_a, y_pred_b : array-like of shape (n,)
        Predicted labels.
    method : {"auto", "exact", "chi2"}, default="auto"
        Binomial test or chi-squared approximation; "auto" uses the latter if both counts are at least 5.
    correction : bool, default=True
        Whether to apply the continuity correction to the chi-squared statistic.

    Returns
    -------
    TestResult
        A positive `difference` (b - c) means that the first model classifies more rows correctly.

    See Also
    --------
    mcnemar_counts : from the two counts.
    corrected_resampled_ttest : from the folds of a cross-validation.

    Notes
    -----
    Compares two fitted models, not two learning procedures; the variation due to the training set is not included.

    References
    ----------
    McNemar (1947), Note on the sampling error of the difference between correlated proportions or percentages.

    Examples
    --------
    >>> from statlearn.assess import mcnemar
    >>> result = mcnemar([0, 0, 1, 1, 1, 0], [0, 0, 1, 1, 0, 0], [1, 1, 0, 0, 1, 0])
    >>> result.difference, result.p_value
    (3.0, 0.375)
    """
    if y_pred_a is None or y_pred_b is None:
        table = np.asarray(y_true, dtype=object)
        hint = ""
        if table.shape == (2, 2):
            hint = f" For a 2 x 2 table use mcnemar_counts({table[0, 1]}, {table[1, 0]}), the two discordant counts."
        raise TypeError(f"mcnemar() requires the labels and the predictions of two models.{hint}")
    y_true, a, b = column_or_1d(y_true), column_or_1d(y_pred_a), column_or_1d(y_pred_b)
    check_consistent_length(y_true, a, b)
    right_a, right_b = a == y_true, b == y_true
    return mcnemar_counts(
        int(np.sum(right_a & ~right_b)), int(np.sum(right_b & ~right_a)), method=method, correction=correction
    )


def wilcoxon_signed_rank(a, b, *, method="auto"):
    """Wilcoxon signed-rank test of paired scores of two models over several data sets.

    Parameters
    ----------
    a, b : array-like of shape (k,)
        Scores in the same order of data sets.
    method : {"auto", "exact", "approx"}, default="auto"
        "exact" enumerates the signs (by dynamic programming on twice the ranks, so ties are allowed). "approx" is the
        normal approximation with the variance corrected for ties. "auto" is exact for up to 50 pairs. Pairs without a
        difference are dropped.

    Returns
    -------
    TestResult
        `statistic` is the smaller of the two rank sums; `difference` the median of a - b.

    See Also
    --------
    friedman_test : more than two models.

    References
    ----------
    Wilcoxon (1945), Individual comparisons by ranking methods. Demšar (2006), Statistical comparisons of classifiers
    over multiple data sets.

    Examples
    --------
    >>> from statlearn.assess import wilcoxon_signed_rank
    >>> wilcoxon_signed_rank([0.9, 0.8, 0.7, 0.95, 0.85], [0.8, 0.75, 0.69, 0.8, 0.83]).p_value
    0.0625
    """
    from ._intervals import mid_ranks, normal_test

    check_arguments(wilcoxon_signed_rank, method=(method, [Options("auto", "exact", "approx")]))
    a, b = scores_1d(a, "a"), scores_1d(b, "b")
    check_consistent_length(a, b)
    median = float(np.median(a - b)) if len(a) else 0.0
    d = (a - b)[a != b]
    if not len(d):
        return TestResult(0.0, 1.0, None, "Wilcoxon's signed-rank test", 0.0)
    ranks = mid_ranks(np.abs(d))
    up, total = float(ranks[d > 0].sum()), float(ranks.sum())
    smaller = min(up, total - up)
    if method == "exact" or (method == "auto" and len(d) <= 50):
        ways = np.zeros(int(round(2 * total)) + 1)
        ways[0] = 1.0
        for step in np.rint(2 * ranks).astype(int):
            ways[step:] += ways[:-step].copy()
        p = 2.0 * ways[: int(round(2 * smaller)) + 1].sum() / ways.sum()
        return TestResult(smaller, float(min(p, 1.0)), None, "Wilcoxon's signed-rank test, exact", median)
    p = normal_test(up - total / 2, float(np.sqrt(np.sum(ranks**2) / 4.0)), 0.95, "").p_value
    return TestResult(smaller, p, None, "Wilcoxon's signed-rank test, normal approximation", median)
