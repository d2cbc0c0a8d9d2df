"""Error rate of the best rule for two Gaussian classes with a common covariance."""

import numpy as np
from scipy.stats import norm

from statlearn._core.class_scores import class_priors
from statlearn._core.params import Real, check_arguments
from statlearn._math.linalg.positive import cholesky


def lda_error_rate(delta=None, *, priors=None, means=None, covariance=None):
    r"""Error rate of the Bayes rule for two Gaussian classes with a common covariance.

    With Δ the Mahalanobis distance of the means, Φ(-Δ/2) for equal priors and otherwise

    .. math:: \pi_1 \Phi\Big(\frac{-\Delta^2/2 + \log(\pi_2/\pi_1)}{\Delta}\Big)
        + \pi_2 \Phi\Big(\frac{-\Delta^2/2 - \log(\pi_2/\pi_1)}{\Delta}\Big)

    Parameters
    ----------
    delta : float or None, default=None
        The Mahalanobis distance, at least 0. None computes it from `means` and `covariance`.
    priors : array-like of shape (2,) or None, default=None
        Class priors. None for equal ones.
    means : array-like of shape (2, p) or None, default=None
    covariance : array-like of shape (p, p) or None, default=None

    Returns
    -------
    float

    Notes
    -----
    With estimated means and covariance the result is optimistic. Use cross-validation to estimate the error of a fitted
    rule.

    Examples
    --------
    >>> from statlearn.discriminant import lda_error_rate
    >>> round(lda_error_rate(2.0), 7)
    0.1586553
    """
    if delta is None:
        if means is None or covariance is None:
            raise ValueError("`delta`, or both `means` and `covariance`, must be given.")
        means, S = np.asarray(means, dtype=np.float64), np.atleast_2d(np.asarray(covariance, dtype=np.float64))
        if means.ndim != 2 or len(means) != 2 or S.shape != (means.shape[1], means.shape[1]):
            raise ValueError(
                f"`means` must have shape (2, p) and `covariance` shape (p, p), got {means.shape} and {S.shape}."
            )
        gap = means[1] - means[0]
        factor = cholesky(S)
        if factor is None:
            raise ValueError("`covariance` must be positive definite.")
        delta = float(np.sqrt(gap @ factor.solve(gap)))
    elif means is not None or covariance is not None:
        raise ValueError("`delta` is given, so `means` and `covariance` must be None.")
    check_arguments(lda_error_rate, delta=(delta, [Real(0, None)]))
    prior = class_priors("uniform" if priors is None else priors, np.ones(2))
    if delta == 0 or prior.min() == 0:
        return float(prior.min())
    odds = np.log(prior[1] / prior[0])
    first, second = (-(delta**2) / 2 + odds) / delta, (-(delta**2) / 2 - odds) / delta
    return float(prior[0] * norm.cdf(first) + prior[1] * norm.cdf(second))
