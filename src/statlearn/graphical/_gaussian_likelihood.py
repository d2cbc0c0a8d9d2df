"""Log-likelihood, deviances and the likelihood ratio test of Gaussian graphical models."""

import numpy as np
from scipy.stats import chi2

from ._covariance import log_likelihood


def ggm_loglik(emp_cov, precision, n_rows, *, mean_difference=None, constant=True):
    r"""Log-likelihood of n rows under a Gaussian graphical model.

    .. math:: \frac{n}{2} \log\det\Theta - \frac{n}{2} \operatorname{tr}(\Theta S)
        - \frac{n}{2} (\bar x - \mu)^\top \Theta (\bar x - \mu) - \frac{np}{2} \log 2\pi

    Parameters
    ----------
    emp_cov : array-like of shape (n_features, n_features)
        Covariance S of the rows about their mean, with the divisor n.
    precision : array-like of shape (n_features, n_features)
    n_rows : float
    mean_difference : array-like of shape (n_features,) or None, default=None
        Sample mean minus the model's mean; None means zero.
    constant : bool, default=True
        Whether to include the last term.

    Returns
    -------
    float

    See Also
    --------
    log_likelihood : the mean per row at the sample mean.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.graphical import ggm_loglik
    >>> round(ggm_loglik(np.eye(2), np.eye(2), 10, constant=False), 4)
    -10.0
    """
    S, K = np.asarray(emp_cov, dtype=np.float64), np.asarray(precision, dtype=np.float64)
    p = len(K)
    value = 2.0 * log_likelihood(S, K) + p * np.log(2.0 * np.pi)
    if mean_difference is not None:
        d = np.asarray(mean_difference, dtype=np.float64)
        value -= d @ K @ d
    if constant:
        value -= p * np.log(2.0 * np.pi)
    return float(n_rows * value / 2.0)


def deviance(precision, emp_cov, n_rows):
    r"""Deviance of a model from the saturated one.

    .. math:: -n \log\det(S \Theta)

    for a maximum-likelihood fit Θ, for which tr(SΘ) = p. Zero for the complete graph, infinite if S is singular.

    Parameters
    ----------
    precision : array-like of shape (n_features, n_features)
        Maximum-likelihood estimate on a graph.
    emp_cov : array-like of shape (n_features, n_features)
    n_rows : float

    Returns
    -------
    float

    See Also
    --------
    ideviance : the distance from independence.

    Examples
    --------
    >>> from statlearn.graphical import deviance
    >>> round(deviance([[1, 0], [0, 1]], [[1.0, 0.5], [0.5, 1.0]], 100), 3)
    28.768
    """
    value = -n_rows * (
        np.linalg.slogdet(np.asarray(emp_cov, dtype=float))[1]
        + np.linalg.slogdet(np.asarray(precision, dtype=float))[1]
    )
    return float(value) + 0.0


def ideviance(precision, emp_cov, n_rows):
    r"""Deviance of the model of independent variables from a model.

    .. math:: n \left(\log\det\Theta + \sum_i \log s_{ii}\right)

    Parameters
    ----------
    precision : array-like of shape (n_features, n_features)
        Maximum-likelihood estimate on a graph.
    emp_cov : array-like of shape (n_features, n_features)
    n_rows : float

    Returns
    -------
    float
        The sum of this and `deviance` is the same for all graphs.

    Examples
    --------
    >>> from statlearn.graphical import ideviance
    >>> round(ideviance([[1, 0], [0, 1]], [[1.0, 0.5], [0.5, 1.0]], 100), 3)
    0.0
    """
    variances = np.diag(np.asarray(emp_cov, dtype=float))
    return float(n_rows * (np.linalg.slogdet(np.asarray(precision, dtype=float))[1] + np.sum(np.log(variances)))) + 0.0


def lrt(larger, smaller, n_rows):
    r"""Likelihood ratio test of two nested graphical models.

    .. math:: n \log \frac{\det \Theta_0}{\det \Theta_1} \sim \chi^2

    with degrees of freedom the number of edges that the smaller model lacks.

    Parameters
    ----------
    larger, smaller : array-like of shape (n_features, n_features)
        Precision matrices Θ_0 and Θ_1 of maximum-likelihood fits; the graph of `smaller` is part of that of `larger`.
    n_rows : float

    Returns
    -------
    statistic : float
    df : int
    p_value : float

    Examples
    --------
    >>> from statlearn.graphical import GaussianGraphicalMLE, lrt
    >>> S = [[10, 1, 5, 4], [1, 10, 2, 6], [5, 2, 10, 3], [4, 6, 3, 10]]
    >>> full = GaussianGraphicalMLE(covariance="precomputed").fit(S)
    >>> cycle = GaussianGraphicalMLE([(0, 1), (1, 2), (2, 3), (0, 3)], covariance="precomputed").fit(S)
    >>> statistic, df, p_value = lrt(full.precision_, cycle.precision_, n_rows=20)
    >>> round(statistic, 4), df, round(p_value, 5)
    (13.2281, 2, 0.00134)
    """
    K0, K1 = np.asarray(larger, dtype=np.float64), np.asarray(smaller, dtype=np.float64)
    if K0.shape != K1.shape:
        raise ValueError(f"`larger` and `smaller` must have equal shapes, got {K0.shape} and {K1.shape}.")
    has0, has1 = K0 != 0, K1 != 0
    if (has1 & ~has0).any():
        i, j = np.argwhere(has1 & ~has0)[0]
        raise ValueError(f"The models are not nested: `smaller` has the edge ({i}, {j}), which `larger` lacks.")
    statistic = float(n_rows * (np.linalg.slogdet(K0)[1] - np.linalg.slogdet(K1)[1]))
    df = int(np.triu(has0, 1).sum() - np.triu(has1, 1).sum())
    return statistic, df, float(chi2.sf(statistic, df)) if df else 1.0
