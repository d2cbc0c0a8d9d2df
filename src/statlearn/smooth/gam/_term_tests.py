"""Tests of smooth terms, and the distribution they need: that of weighted sums of chi-squares."""

import numpy as np
from scipy.special import betainc, betaln, chdtrc, gammaln
from scipy.stats import chi2

from statlearn._math.linalg.positive import cholesky, positive_system

from ._factor import times

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
    residual_df : float or None, default=None
    degrees : array-like or None, default=None
        Degrees of freedom d_j, which need not be whole; None: 1 each.

    Returns
    -------
    float or ndarray
    """
    degrees = np.ones(len(weights)) if degrees is None else degrees
    probability = chi_square_mixtures([x], [weights], [degrees], [residual_df])[0]
    return float(probability) if probability.ndim == 0 else probability


def chi_square_mixtures(x, weights, degrees, residual_df, tol=1e-12):
    """Tail probabilities of several mixtures, by series without coefficients that sum to `tol`."""
    weights, degrees = ([np.asarray(part, np.float64) for part in parts] for parts in (weights, degrees))
    rest, d = np.zeros((2, len(weights), max(map(len, weights))))
    for j, (w, df_of) in enumerate(zip(weights, degrees, strict=True)):
        rest[j, : len(w)], d[j, : len(w)] = 1.0 - w.min() / w, df_of
    series = _ruben(rest, d, tol)
    return [
        _mixture_tail(np.asarray(at, np.float64) / w.min(), a, df_of.sum() / 2, df)
        for at, w, df_of, df, a in zip(x, weights, degrees, residual_df, series, strict=True)
    ]


def _ruben(rest, d, tol):
    """Coefficients of Ruben's series for weights 1 / (1 - rest) with d degrees of freedom, one for each row."""
    series = [None] * len(rest)
    a = np.exp(0.5 * np.sum(d * np.log1p(-rest), axis=1))
    sums, terms, reached = np.zeros_like(rest), [a], a
    rows, k, ones = np.arange(len(rest)), 0, np.ones(rest.shape[1])
    while len(rows):
        k += 1
        sums = rest * (sums + d * a[:, None])
        a = sums @ ones / (2 * k)
        terms.append(a)
        reached = reached + a
        if k % 32 == 0:
            over = (1.0 - reached <= tol) | (k >= _MOST_TERMS)
            if np.any(over):
                table = np.array(terms)
                for j in np.flatnonzero(over):
                    enough = np.searchsorted(np.cumsum(table[:, j]), 1.0 - tol)
                    series[rows[j]] = table[: enough + 1, j]
                rows, rest, d, sums, a, reached = (part[~over] for part in (rows, rest, d, sums, a, reached))
                terms = list(table[:, ~over])
    return series


def _mixture_tail(x, a, half, residual_df):
    """The sum of a_j P(chi²_{2 (half + j)} > x), or of such probabilities for F distributions.

    Two more degrees of freedom add a step to the tail. So each step counts with all coefficients after it; what the
    cut-off series has not given away belongs to higher degrees still.
    """
    at = np.maximum(x, 0.0)[..., None]
    rising = half + np.arange(len(a) - 1)
    after = np.cumsum(a[:0:-1])[::-1] + max(1.0 - a.sum(), 0.0)
    with np.errstate(divide="ignore"):
        if residual_df is None:
            first = chdtrc(2 * half, at)
            steps = rising * np.log(at / 2) - at / 2 - gammaln(rising + 1)
        else:
            k = residual_df / 2
            share, other = at / (residual_df + at), residual_df / (residual_df + at)
            first = betainc(k, half, other)
            steps = rising * np.log(share) + k * np.log(other) - betaln(k, rising) - np.log(rising)
    return np.minimum(1.0, first[..., 0] + np.exp(steps) @ after)


def few_weights(weights, together=0.02, constant=0.003):
    """Weights of any size as few that are not too far apart.

    Those below a share `together` of the largest become one with their mean and variance; where it is below a share
    `constant`, they are the constant that they almost are.

    Returns
    -------
    weights, degrees : ndarray
    constant : float
    """
    w = np.sort(np.asarray(weights, np.float64))[::-1]
    small = w < together * w[0]
    large, rest = w[~small], w[small]
    if not rest.sum() > 0:
        return large, np.ones(len(large)), 0.0
    scale, degrees = (rest @ rest) / rest.sum(), rest.sum() ** 2 / (rest @ rest)
    if scale > constant * w[0]:
        return np.append(large, scale), np.append(np.ones(len(large)), degrees), 0.0
    return large, np.ones(len(large)), rest.sum()


def wide_mixture(x, weights, residual_df=None):
    """`chi_square_mixture` for weights of any size, by `few_weights`."""
    w, d, constant = few_weights(weights)
    if constant == 0 or residual_df is None:
        return chi_square_mixture(x - constant, w, residual_df, d)
    nodes, shares = np.polynomial.legendre.leggauss(64)
    scale = chi2.ppf((nodes + 1) / 2, residual_df) / residual_df
    return float(shares / 2 @ chi_square_mixture(x * scale - constant, w, degrees=d))


class VanishingForm:
    """The statistic of a term that can vanish (Wood, 2013b): the squared length of its coefficients, in their metric.

    Parameters
    ----------
    metric, covariance : ndarray of shape (q, q)
        Inverse of the penalised information of the term, and covariance of the coefficients when it is absent.
    """

    def __init__(self, metric, covariance):
        self.axes = _inverse_root((metric + metric.T) / 2)
        weights = np.linalg.eigvalsh(self.axes @ covariance @ self.axes.T)[::-1]
        self.weights = weights[weights > max(weights[0], 0.0) * np.finfo(np.float64).eps ** 0.8]

    def statistics(self, beta):
        """The statistic of each column of `beta`, as one row."""
        return np.sum((self.axes @ beta) ** 2, axis=0)[None]


def _inverse_root(metric):
    """A matrix B with B'B the inverse of the metric; its smallest eigenvalues are kept above rounding."""
    factor = cholesky(metric, cutoff=1e-14)
    if factor is not None:
        return factor.whitening.T
    values, vectors = np.linalg.eigh(metric)
    return (vectors / np.sqrt(np.maximum(values, values[-1] * 1e-15))).T


def without_effects(G, S, random):
    """The covariance of X'Wy, in units of the scale, that random effects in the columns `random` make; the others."""
    fixed = np.setdiff1d(np.arange(len(G)), random)
    if not len(random):
        return G, fixed
    return G + G[:, random] @ positive_system(S[np.ix_(random, random)]).inverse() @ G[random], fixed


def random_effect_test(G, S, inverse, beta, at, others, scale, residual_df, diagonal=None):
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
    diagonal : slice or None, default=None
        Columns among which G is diagonal.

    Returns
    -------
    statistic, p_value, rank : float
    """
    spread, fixed = without_effects(G, S, others)
    metric = inverse[at, at]
    if len(others):
        place = np.flatnonzero((fixed >= at.start) & (fixed < at.stop))
        metric = np.linalg.inv((spread + S)[np.ix_(fixed, fixed)])[np.ix_(place, place)]
    half = times(inverse[at], spread, None if len(others) else diagonal)
    form = VanishingForm(metric, half @ inverse[:, at])
    statistic = float(form.statistics(beta[at])[0]) / scale
    if not len(form.weights):
        return 0.0, 1.0, 0
    df = None if residual_df is None else max(1.0, round(residual_df))
    return statistic, wide_mixture(statistic, form.weights, df), len(form.weights)


class WaldForm:
    """Wood's (2013) statistic of a smooth term at one fit, for any number of coefficient vectors.

    The fitted values R beta are compared with their covariance through its pseudo-inverse of rank `rank` (a number that
    need not be whole), which weighs the directions that the data determine and leaves out those that the penalty does.

    Parameters
    ----------
    R : ndarray of shape (m, q)
        The columns of the term, or any matrix with the same cross-products: a smaller one is faster.
    V : ndarray of shape (q, q)
        (Bayesian) covariance of its coefficients.
    rank : float
        Effective degrees of freedom for testing.
    """

    def __init__(self, R, V, rank):
        values, vectors = np.linalg.eigh(R @ V @ R.T)
        values, vectors = values[::-1], vectors[:, ::-1]
        usable = int(np.sum(values > values[0] * np.finfo(float).eps ** 0.9)) if values[0] > 0 else 0
        rank = min(float(rank), float(usable))
        whole = int(np.floor(rank))
        self.part = rank - whole
        self.mixed = not (whole == 0 or self.part < _WHOLE or self.part > 1 - _WHOLE or whole == len(values))
        taken = whole + 1 if self.mixed else min(max(round(rank), 1), usable)
        self.axes = (vectors[:, :taken] / np.sqrt(values[:taken])).T @ R  # R beta in units of its errors
        self.weights = np.ones(taken)
        if self.mixed:
            part = self.part
            larger = (1.0 + part + np.sqrt((1.0 + part) * (1.0 - part))) / 2.0
            self.weights[-2:] = larger, 1.0 + part - larger

    def statistics(self, beta):
        """The statistic of each column of `beta`, or two that are equally good: their tails are to be averaged.

        The last two directions of a rank that is not whole share 1 + part degrees of freedom: a 2 x 2 matrix with
        eigenvalues that sum to 1 + part takes the place of diag(1, part). It depends on the sign of a root.
        """
        z = self.axes @ beta
        if not self.mixed:
            return np.sum(z**2, axis=0)[None]
        a, b = z[-2:]
        plain = np.sum(z[:-1] ** 2, axis=0) + self.part * b**2
        cross = 2.0 * np.sqrt(0.5 * self.part * (1.0 - self.part)) * a * b
        return np.array([plain + cross, plain - cross])


def smooth_test(R, beta, V, rank, residual_df):
    """Test that a smooth term is zero by `WaldForm`, as if its smoothing parameters were given.

    Parameters
    ----------
    R, V, rank :
        See `WaldForm`.
    beta : ndarray of shape (q,)
    residual_df : float or None
        Of the scale estimate; None where the scale is known.

    Returns
    -------
    statistic, p_value : float
        The statistic is to be divided by `rank` for an F-like value.
    """
    form = WaldForm(R, V, rank)
    statistics = form.statistics(beta)
    if not len(form.weights):
        return 0.0, 1.0
    return float(np.mean(statistics)), float(np.mean(chi_square_mixture(statistics, form.weights, residual_df)))
