"""Tests of smooth terms, and the distribution they need: that of weighted sums of chi-squares."""

import numpy as np
from scipy.stats import chi2
from scipy.stats import f as f_distribution

_MOST_TERMS = 20_000  # of the series
_WHOLE = 0.01  # a rank this close to a whole number is one: the mixture would have a weight of nearly 0


def chi_square_mixture(x, weights, residual_df=None):
    """P(sum_j w_j chi²_1 > x), or with residual degrees of freedom k P(sum_j w_j chi²_1 > x chi²_k / k).

    The mixture is a mixture of chi-squares of rising degrees of freedom with positive coefficients (Ruben, 1962), so
    that small probabilities keep their digits.

    Parameters
    ----------
    x : float
    weights : array-like
        Positive.
    residual_df : float or None

    Returns
    -------
    float
    """
    w = np.asarray(weights, np.float64)
    if x <= 0:
        return 1.0
    m, beta = len(w), w.min()
    rest = 1.0 - beta / w
    a = np.zeros(_MOST_TERMS)
    a[0] = np.exp(0.5 * np.log(beta / w).sum())
    g = np.zeros(_MOST_TERMS)  # in reverse, so that its product with `a` needs no copy
    powers, reached, k = np.ones(m), a[0], 0
    while 1.0 - reached > 1e-12 and k + 1 < _MOST_TERMS:
        k += 1
        powers *= rest
        g[-k] = powers.sum()
        a[k] = (g[-k:] @ a[:k]) / (2 * k)
        reached += a[k]
    coefficients = a[: k + 1]
    degrees = m + 2.0 * np.arange(k + 1)
    if residual_df is None:
        tails = chi2.sf(x / beta, degrees)
    else:
        tails = f_distribution.sf(x / (beta * degrees), degrees, residual_df)
    # What the cut-off series has not given away belongs to higher degrees still: their tail is at least the last.
    return float(min(1.0, coefficients @ tails + (1.0 - reached) * tails[-1]))


def smooth_test(X, beta, V, rank, residual_df):
    """Wood's (2013) test that a smooth term is zero.

    The fitted values X beta are compared with their covariance through its pseudo-inverse of rank `rank` (a number that
    need not be whole), which weighs the directions that the data determine and leaves out those that the penalty does.

    Parameters
    ----------
    X : ndarray of shape (n, q)
        Columns of the term.
    beta, V : ndarray
        Its coefficients and their (Bayesian) covariance.
    rank : float
        Effective degrees of freedom for testing.
    residual_df : float or None
        Of the scale estimate; None where the scale is known.

    Returns
    -------
    statistic, p_value : float
        The statistic is to be divided by `rank` for an F-like value.
    """
    R = np.linalg.qr(X, mode="r")
    values, vectors = np.linalg.eigh(R @ V @ R.T)
    values, vectors = values[::-1], vectors[:, ::-1]
    usable = int(np.sum(values > values[0] * np.finfo(float).eps ** 0.9))
    if usable == 0 or not values[0] > 0:
        return 0.0, 1.0
    rank = min(float(rank), float(usable))
    whole = int(np.floor(rank))
    part = rank - whole
    d = vectors.T @ (R @ beta)
    z = d / np.sqrt(np.maximum(values, 1e-300))
    if whole == 0 or part < _WHOLE or part > 1 - _WHOLE or whole == len(values):
        m = max(round(rank), 1)
        statistic = float(np.sum(z[:m] ** 2))
        return statistic, _tail(statistic, m, residual_df)
    # The last two directions share 1 + part degrees of freedom: a 2 x 2 matrix with eigenvalues nu1 + nu2 = 1 + part
    # takes the place of diag(1, part). It depends on the sign of a root; both are averaged.
    head = float(np.sum(z[: whole - 1] ** 2))
    cross = np.sqrt(max(0.5 * part * (1.0 - part), 0.0))
    B = np.array([[1.0, cross], [cross, part]])
    a = z[whole - 1 : whole + 1]
    statistics = [head + float(v @ B @ v) for v in (a, a * np.array([-1.0, 1.0]))]  # eigenvectors have no sign
    larger = (1.0 + part + np.sqrt((1.0 + part) * (1.0 - part))) / 2.0
    weights = np.append(np.ones(whole - 1), [larger, 1.0 + part - larger])
    p = np.mean([chi_square_mixture(t, weights, residual_df) for t in statistics])
    return float(np.mean(statistics)), float(p)


def _tail(statistic, rank, residual_df):
    if residual_df is None:
        return float(chi2.sf(statistic, rank))
    return float(f_distribution.sf(statistic / rank, rank, residual_df))
