"""Tests of smooth terms, and the distribution they need: that of weighted sums of chi-squares."""

import numpy as np
from scipy.stats import chi2
from scipy.stats import f as f_distribution

_MOST_TERMS = 20_000  # of the series
_WHOLE = 0.01  # a rank this close to a whole number is one: the mixture would have a weight of nearly 0


def chi_square_mixture(x, weights, residual_df=None, degrees=None):
    """P(sum_j w_j chi²_{d_j} > x), or with residual degrees of freedom k P(sum_j w_j chi²_{d_j} > x chi²_k / k).

    The mixture is a mixture of chi-squares of rising degrees of freedom with positive coefficients (Ruben, 1962), so
    that small probabilities keep their digits. Its length is that of the ratio of the largest to the smallest weight.

    Parameters
    ----------
    x : float or ndarray
    weights : array-like
        Positive.
    residual_df : float or None
    degrees : array-like or None
        Degrees of freedom d_j, which need not be whole; None: 1 each.

    Returns
    -------
    float or ndarray
    """
    w = np.asarray(weights, np.float64)
    d = np.ones(len(w)) if degrees is None else np.asarray(degrees, np.float64)
    x = np.asarray(x, np.float64)
    m, beta = d.sum(), w.min()
    rest = 1.0 - beta / w
    a = np.zeros(_MOST_TERMS)
    a[0] = np.exp(0.5 * d @ np.log(beta / w))
    g = np.zeros(_MOST_TERMS)  # in reverse, so that its product with `a` needs no copy
    powers, reached, k = d.copy(), a[0], 0
    while 1.0 - reached > 1e-12 and k + 1 < _MOST_TERMS:
        k += 1
        powers *= rest
        g[-k] = powers.sum()
        a[k] = (g[-k:] @ a[:k]) / (2 * k)
        reached += a[k]
    rising = m + 2.0 * np.arange(k + 1)
    at = np.maximum(x[..., None], 0.0)
    if residual_df is None:
        tails = chi2.sf(at / beta, rising)
    else:
        tails = f_distribution.sf(at / (beta * rising), rising, residual_df)
    # What the cut-off series has not given away belongs to higher degrees still: their tail is at least the last.
    found = np.minimum(1.0, tails @ a[: k + 1] + (1.0 - reached) * tails[..., -1])
    return float(found) if found.ndim == 0 else found


def wide_mixture(x, weights, residual_df=None):
    """The same for weights of any size: those below a fiftieth of the largest are taken together.

    They become one weighted chi-square with their mean and variance, or, where its weight is too small for the series,
    the constant that they almost are.
    """
    w = np.sort(np.asarray(weights, np.float64))[::-1]
    small = w < w[0] / 50
    large, rest = w[~small], w[small]
    if not rest.sum() > 0:
        return chi_square_mixture(x, large, residual_df)
    own, degrees = (rest @ rest) / rest.sum(), rest.sum() ** 2 / (rest @ rest)
    if own > 3e-3 * w[0]:
        return chi_square_mixture(x, np.append(large, own), residual_df, np.append(np.ones(len(large)), degrees))
    if residual_df is None:
        return chi_square_mixture(x - rest.sum(), large)
    nodes, shares = np.polynomial.legendre.leggauss(64)
    scale = chi2.ppf((nodes + 1) / 2, residual_df) / residual_df
    return float(shares / 2 @ chi_square_mixture(x * scale - rest.sum(), large))


def random_effect_test(G, S, inverse, beta, own, others, scale, residual_df):
    """Test that a term without an unpenalised part is zero (Wood, 2013b).

    The squared length of the estimate, in the metric of its information, is compared with its distribution when the
    term is absent: the estimate is then linear in rows whose covariance holds the other random effects only.

    Parameters
    ----------
    G, S : ndarray of shape (P, P)
        X'WX and the penalties at the fit.
    inverse : ndarray of shape (P, P)
        Of their sum.
    beta : ndarray of shape (P,)
    own : slice
        The columns of the term.
    others : ndarray of int
        Those of the other random effects.
    scale : float
    residual_df : float or None
        Of the scale; None where it is known.

    Returns
    -------
    statistic, p_value, rank : float
    """
    spread, metric = G, inverse[own, own]
    if len(others):
        spread = G + G[:, others] @ np.linalg.pinv(S[np.ix_(others, others)], hermitian=True) @ G[others]
        kept = np.setdiff1d(np.arange(len(G)), others)
        place = np.flatnonzero((kept >= own.start) & (kept < own.stop))
        metric = np.linalg.inv((spread + S)[np.ix_(kept, kept)])[np.ix_(place, place)]
    covariance = (inverse @ spread @ inverse)[own, own]
    values, vectors = np.linalg.eigh((metric + metric.T) / 2)
    root = vectors / np.sqrt(np.maximum(values, values[-1] * 1e-15))
    weights = np.linalg.eigvalsh(root.T @ covariance @ root)[::-1]
    statistic = float(np.sum((root.T @ beta[own]) ** 2)) / scale
    if not weights[0] > 0:
        return 0.0, 1.0, 0
    weights = weights[weights > weights[0] * np.finfo(np.float64).eps ** 0.8]
    df = None if residual_df is None else max(1.0, round(residual_df))
    return statistic, wide_mixture(statistic, weights, df), len(weights)


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
