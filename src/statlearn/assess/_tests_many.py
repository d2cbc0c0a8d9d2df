"""Tests of several models: analysis of variance, Friedman test with Nemenyi's critical difference."""

from dataclasses import dataclass

import numpy as np
from scipy.special import chdtrc, fdtrc
from sklearn.utils.validation import check_array

from statlearn._core.params import Options, check_arguments

from ._intervals import CONFIDENCE, mid_ranks
from ._result import TestResult
from ._tests_paired import scores_1d


def anova(*scores):
    """One-way analysis of variance of the mean scores of several models.

    Parameters
    ----------
    *scores : array-like of shape (k_j,)
        Scores of each model, with at least two models and two scores in one of them.

    Returns
    -------
    TestResult
        `statistic` is F = (variance between models) / (variance within), `df` the pair (models - 1, scores - models).

    See Also
    --------
    friedman_test : ranks within folds or data sets, which removes their common effect.

    Notes
    -----
    The scores are assumed to be independent; folds of one cross-validation are not.

    Examples
    --------
    >>> from statlearn.assess import anova
    >>> result = anova([0.90, 0.80, 0.85], [0.70, 0.75, 0.72], [0.80, 0.82, 0.78])
    >>> round(result.statistic, 3), round(result.p_value, 4)
    (10.368, 0.0113)
    """
    groups = [scores_1d(s, f"scores[{j}]") for j, s in enumerate(scores)]
    n, k = sum(map(len, groups)), len(groups)
    if k < 2 or min(map(len, groups)) < 1 or n <= k:
        raise ValueError(
            "anova requires at least two models, at least one score per model, and more scores than models."
        )
    # Relative to one of the scores, no digits are lost to what all have in common.
    groups = [g - groups[0][0] for g in groups]
    grand = np.mean(np.concatenate(groups))
    between = sum(len(g) * (g.mean() - grand) ** 2 for g in groups) / (k - 1)
    within = sum(np.sum((g - g.mean()) ** 2) for g in groups if not np.all(g == g[0])) / (n - k)
    if within > 0:
        F = float(between / within)
    else:
        F = 0.0 if len({float(g[0]) for g in groups}) == 1 else np.inf
    p = 1.0 if F == 0.0 else float(fdtrc(k - 1, n - k, F))
    return TestResult(F, p, (float(k - 1), float(n - k)), "one-way analysis of variance")


@dataclass(frozen=True)
class FriedmanResult(TestResult):
    """Result of the Friedman test with Nemenyi comparisons of all pairs.

    Parameters
    ----------
    mean_ranks : ndarray of shape (n_models,)
        1 is best.
    critical_difference : float
        Mean ranks that differ by more than this differ significantly.
    pairwise_p : ndarray of shape (n_models, n_models)
        P-values of the Nemenyi test.
    """

    mean_ranks: np.ndarray | None = None
    critical_difference: float = float("nan")
    pairwise_p: np.ndarray | None = None


def friedman_test(scores, *, statistic="F", greater_is_better=True, confidence=0.95):
    r"""Friedman test of several models over several data sets, with Nemenyi post-hoc comparisons.

    The models are ranked on every data set (ties share the mean rank). With mean ranks :math:`R_j` of k models over N
    data sets

    .. math:: \chi^2_F = \frac{12N}{k(k+1)} \sum_j \Bigl(R_j - \frac{k+1}{2}\Bigr)^2,
        \qquad F_F = \frac{(N-1)\chi^2_F}{N(k-1) - \chi^2_F}

    (the first divided by its correction for ties). Two models differ if their mean ranks differ by more than the
    critical difference :math:`q_\alpha \sqrt{k(k+1)/(6N)}`, with q from the studentised range over :math:`\sqrt 2`.

    Parameters
    ----------
    scores : array-like of shape (n_data_sets, n_models)
    statistic : {"F", "chi2"}, default="F"
        "F" is the form of Iman and Davenport on (k - 1, (k - 1)(N - 1)) degrees of freedom; "chi2" is the original on
        k - 1, which is too conservative for few data sets.
    greater_is_better : bool, default=True
        Whether the largest score gets rank 1.
    confidence : float, default=0.95
        Confidence level of the critical difference.

    Returns
    -------
    FriedmanResult
        Has `statistic`, `p_value`, `df`, and `mean_ranks`, `critical_difference`, `pairwise_p`.

    See Also
    --------
    wilcoxon_signed_rank : two models.

    Notes
    -----
    Consider the pairs only if the test itself rejects. Rows must be independent data sets; the folds of one
    cross-validation are not.

    References
    ----------
    Friedman (1940), A comparison of alternative tests of significance for the problem of m rankings. Iman and Davenport
    (1980), Approximations of the critical region of the Friedman statistic. Demšar (2006), Statistical comparisons of
    classifiers over multiple data sets.

    Examples
    --------
    >>> from statlearn.assess import friedman_test
    >>> scores = [[0.9, 0.8, 0.7], [0.8, 0.75, 0.7], [0.95, 0.9, 0.8], [0.7, 0.72, 0.6], [0.6, 0.55, 0.5]]
    >>> result = friedman_test(scores)
    >>> result.mean_ranks.tolist(), round(result.critical_difference, 3), round(result.p_value, 4)
    ([1.2, 1.8, 3.0], 1.482, 0.0007)
    """
    check_arguments(
        friedman_test,
        statistic=(statistic, [Options("F", "chi2")]),
        greater_is_better=(greater_is_better, ["boolean"]),
        confidence=(confidence, CONFIDENCE),
    )
    scores = check_array(scores, dtype=np.float64, input_name="scores", ensure_min_samples=2, ensure_min_features=2)
    N, k = scores.shape
    ranks = np.array([mid_ranks(-row if greater_is_better else row) for row in scores])
    mean_ranks = ranks.mean(axis=0)
    # The sum of squared deviations of all ranks is N k (k^2 - 1)/12 without ties, less with them.
    spread = np.sum((ranks - (k + 1) / 2) ** 2)
    chi2 = float((k - 1) * N**2 * np.sum((mean_ranks - (k + 1) / 2) ** 2) / spread) if spread > 0 else 0.0
    if statistic == "chi2":
        value, df, p = chi2, float(k - 1), float(chdtrc(k - 1, chi2))
    else:
        rest = N * (k - 1) - chi2
        value = float((N - 1) * chi2 / rest) if rest > 1e-12 * N * k else np.inf
        df = (float(k - 1), float((k - 1) * (N - 1)))
        p = 1.0 if value == 0.0 else float(fdtrc(*df, value))
    unit = np.sqrt(k * (k + 1) / (6.0 * N))
    gaps = np.abs(mean_ranks[:, None] - mean_ranks) / unit
    from scipy.stats import studentized_range

    pairwise = np.ones((k, k))
    upper = np.triu_indices(k, 1)
    pairwise[upper] = np.clip(studentized_range.sf(gaps[upper] * np.sqrt(2.0), k, np.inf), 0.0, 1.0)
    pairwise = np.minimum(pairwise, pairwise.T)
    critical = float(studentized_range.ppf(confidence, k, np.inf) / np.sqrt(2.0) * unit)
    return FriedmanResult(
        value,
        p,
        df,
        "Friedman's test",
        mean_ranks=mean_ranks,
        critical_difference=critical,
        pairwise_p=pairwise,
    )
