"""Information criteria Cp, AIC and BIC."""

from dataclasses import dataclass

import numpy as np
from scipy.special import log_softmax

from statlearn._core.params import Options, Real, check_arguments
from statlearn._math.inference import aic_of, bic_of, gaussian_log_likelihood

_POSITIVE = [Real(0, None, closed="neither")]


def mallows_cp(train_error, d, n, noise_variance):
    r"""Mallows' Cp as an error estimate: :math:`\overline{\mathrm{err}} + 2 d \sigma^2 / n`.

    Unbiased for the in-sample squared error of a linear fit with d (effective) parameters.

    Parameters
    ----------
    train_error : float or array-like
        Mean squared residual.
    d : float or array-like
        Number of parameters including the intercept, or effective degrees of freedom.
    n : float
        Number of rows.
    noise_variance : float
        σ², from a model with little bias.

    Returns
    -------
    float or ndarray

    Notes
    -----
    The other common form, ``RSS/σ² - n + 2 d`` (R's leaps), is ``n/σ²`` times this minus n and gives the same ranking.

    Some texts call this value the AIC of a Gaussian model. Up to a constant it is: with the same known variance,
    ``gaussian_aic(RSS, d, n, noise_variance=σ²)`` is :math:`n \log(2\pi\sigma^2) + \frac{n}{\sigma^2} C_p`, so that
    both choose the same model. With an estimated variance, the default of :func:`gaussian_aic`, they may differ.

    See Also
    --------
    gaussian_aic : AIC and BIC on the scale of the log-likelihood.

    References
    ----------
    Mallows, C. (1973). Some comments on Cp. Technometrics 15, 661-675.

    Examples
    --------
    >>> from statlearn.assess import mallows_cp
    >>> mallows_cp(2.0, d=3, n=60, noise_variance=1.5)
    2.15
    """
    check_arguments(mallows_cp, n=(n, _POSITIVE), noise_variance=(noise_variance, [Real(0, None)]))
    return _number(np.asarray(train_error, dtype=float) + 2.0 * np.asarray(d, dtype=float) * noise_variance / n)


def aic(log_likelihood, d, *, n=None, scale="sum"):
    r"""Akaike information criterion, :math:`-2 \log L + 2 d`, optionally divided by n.

    Parameters
    ----------
    log_likelihood : float or array-like
        Maximised log-likelihood, a sum over rows.
    d : float or array-like
        Number of estimated parameters (including a variance), or effective degrees of freedom.
    n : float or None, default=None
        Number of rows; required by ``scale="mean"``.
    scale : {"sum", "mean"}, default="sum"
        "mean" divides by n: :math:`-\frac2n \log L + 2 \frac dn`.

    Returns
    -------
    float or ndarray

    References
    ----------
    Akaike, H. (1974). A new look at the statistical model identification. IEEE Trans. Automatic Control 19, 716-723.

    Examples
    --------
    >>> from statlearn.assess import aic
    >>> aic(-100.0, 3)
    206.0
    >>> aic(-100.0, 3, n=50, scale="mean")
    4.12
    """
    check_arguments(aic, scale=(scale, [Options("sum", "mean")]), n=(n, [*_POSITIVE, None]))
    if scale == "mean" and n is None:
        raise ValueError("`scale`='mean' divides by the number of rows; pass `n`.")
    value = aic_of(-2.0 * np.asarray(log_likelihood, dtype=float), np.asarray(d, dtype=float))
    return _number(value / n if scale == "mean" else value)


def aicc(log_likelihood, d, n):
    r"""Corrected Akaike information criterion for few rows: AIC + :math:`2 d (d+1) / (n-d-1)`.

    Parameters
    ----------
    log_likelihood : float or array-like
    d : float or array-like
    n : float

    Returns
    -------
    float or ndarray
        Infinite if n is at most d + 1.

    References
    ----------
    Hurvich, C. & Tsai, C.-L. (1989). Regression and time series model selection in small samples. Biometrika 76,
    297-307.

    Examples
    --------
    >>> from statlearn.assess import aicc
    >>> aicc(-100.0, 3, 24)
    207.2
    """
    check_arguments(aicc, n=(n, _POSITIVE))
    d = np.asarray(d, dtype=float)
    with np.errstate(divide="ignore"):
        extra = np.where(n > d + 1, 2 * d * (d + 1) / np.maximum(n - d - 1, 0.0), np.inf)
    return _number(aic_of(-2.0 * np.asarray(log_likelihood, dtype=float), d) + extra)


def bic(log_likelihood, d, n):
    r"""Bayesian information criterion of Schwarz, :math:`-2 \log L + d \log n`.

    Parameters
    ----------
    log_likelihood : float or array-like
        Maximised log-likelihood, a sum over rows.
    d : float or array-like
        Number of estimated parameters (including a variance), or effective degrees of freedom.
    n : float
        Number of rows.

    Returns
    -------
    float or ndarray

    Notes
    -----
    The penalty per parameter exceeds that of AIC if n > e², that is for at least 8 rows. Among candidates that include
    the true model, BIC finds it as n grows; AIC keeps choosing too many parameters, but predicts well if no candidate
    is true.

    References
    ----------
    Schwarz, G. (1978). Estimating the dimension of a model. Annals of Statistics 6, 461-464.

    Examples
    --------
    >>> from statlearn.assess import bic
    >>> round(bic(-100.0, 3, 50), 4)
    211.7361
    """
    check_arguments(bic, n=(n, _POSITIVE))
    return _number(bic_of(-2.0 * np.asarray(log_likelihood, dtype=float), np.asarray(d, dtype=float), n))


def gaussian_aic(rss, d, n, *, noise_variance=None, criterion="aic"):
    r"""AIC or BIC of a Gaussian model from its residual sum of squares.

    With the maximum-likelihood variance RSS/n, which counts as a parameter, :math:`n \log(2\pi\,\mathrm{RSS}/n) + n +
    2 (d + 1)`; with a known variance, :math:`n \log(2\pi\sigma^2) + \mathrm{RSS}/\sigma^2 + 2 d`. BIC has log n
    instead of 2.

    Parameters
    ----------
    rss : float or array-like
    d : float or array-like
        Number of coefficients including the intercept, or effective degrees of freedom; the variance is not counted
        here.
    n : float
    noise_variance : float or None, default=None
        σ², if known.
    criterion : {"aic", "bic"}, default="aic"

    Returns
    -------
    float or ndarray

    Notes
    -----
    The form :math:`\overline{\mathrm{err}} + 2 d \sigma^2 / n`, on the scale of the squared error, is
    :func:`mallows_cp`. With a known variance it is :math:`\frac{\sigma^2}{n} (\mathrm{AIC} - n \log(2\pi\sigma^2))`,
    and chooses the same model.

    See Also
    --------
    mallows_cp : The criterion as an estimate of the error.

    Examples
    --------
    >>> from statlearn.assess import gaussian_aic
    >>> round(gaussian_aic(13.1858583, 3, 6), 6)
    29.751575
    """
    check_arguments(
        gaussian_aic, n=(n, _POSITIVE), noise_variance=(noise_variance, [*_POSITIVE, None]),
        criterion=(criterion, [Options("aic", "bic")]),
    )  # fmt: skip
    k = np.asarray(d, dtype=float) + (noise_variance is None)
    deviance = -2.0 * gaussian_log_likelihood(rss, n, noise_variance)
    return _number(aic_of(deviance, k) if criterion == "aic" else bic_of(deviance, k, n))


def posterior_model_probabilities(bic, prior=None):
    r"""Approximate posterior probabilities of models, proportional to :math:`\pi_m e^{-\mathrm{BIC}_m/2}`.

    Parameters
    ----------
    bic : array-like of shape (k,)
    prior : array-like of shape (k,) or None, default=None
        Prior weights; None means equal weights.

    Returns
    -------
    ndarray of shape (k,)

    References
    ----------
    Hastie, T., Tibshirani, R. & Friedman, J. (2009). The Elements of Statistical Learning, section 7.7.

    Examples
    --------
    >>> from statlearn.assess import posterior_model_probabilities
    >>> posterior_model_probabilities([100.0, 102.0, 110.0]).round(3)
    array([0.727, 0.268, 0.005])
    """
    score = -0.5 * np.asarray(bic, dtype=np.float64)
    if score.ndim != 1 or score.size == 0 or not np.all(np.isfinite(score)):
        raise ValueError("`bic` must be a vector of finite numbers.")
    if prior is not None:
        prior = np.asarray(prior, dtype=np.float64)
        if prior.shape != score.shape or np.any(prior < 0) or prior.sum() <= 0:
            raise ValueError(f"`prior` must contain {score.size} non-negative weights.")
        with np.errstate(divide="ignore"):
            score = score + np.log(prior)
    return np.exp(log_softmax(score))


def _number(value):
    return float(value) if np.ndim(value) == 0 else np.asarray(value)


@dataclass
class InformationCriteria:
    """Likelihood, effective degrees of freedom and information criteria of a model.

    Parameters
    ----------
    log_likelihood : float
        Log-likelihood, a sum over rows.
    df : float
        Effective degrees of freedom, including intercepts and an estimated variance.
    n : float
        Number of rows, or the sum of their weights.
    aic, aicc, bic : float
    gcv : float
        Generalised cross-validation, for regressors with squared error; NaN otherwise.
    """

    log_likelihood: float
    df: float
    n: float
    aic: float
    aicc: float
    bic: float
    gcv: float = float("nan")


def information_criteria(model, X, y, *, sample_weight=None, df=None):
    """AIC, BIC and GCV of a fitted model of any family.

    The likelihood is that of the model's family (generalised linear and additive models, boosting and trees with a
    Poisson, gamma or Tweedie loss), the multinomial likelihood of the probabilities for classifiers, and the normal
    likelihood with variance RSS/n for other regressors.

    Parameters
    ----------
    model : fitted estimator
    X : array-like of shape (n_samples, n_features)
        The training rows.
    y : array-like of shape (n_samples,)
    sample_weight : array-like of shape (n_samples,) or None, default=None
        Weights of the fit; a weight of k is equivalent to k rows.
    df : float or None, default=None
        Effective number of coefficients including the intercepts, but not the variance or other parameters of the
        family. None derives it: the rank for least squares, the number used by a GAM's own AIC, the trace of the
        smoother for ridge and similar models, the nonzero coefficients for the lasso, the trace of (H + P)⁻¹H for a
        logistic model with Hessian H and ridge penalty P. For any other model pass its :func:`covariance_df`.

    Returns
    -------
    InformationCriteria

    Notes
    -----
    Comparable between models of the same response on the same rows. After a search over many models the minimum is too
    optimistic; cross-validate the whole search to estimate the error.

    Examples
    --------
    >>> from statlearn.assess import information_criteria
    >>> from statlearn.linear import LinearRegression
    >>> X = [[17.0, 51.0], [17.0, 49.0], [14.0, 38.0], [17.0, 58.0], [14.0, 51.0], [20.0, 40.0]]
    >>> y = [56.5, 57.6, 55.9, 61.8, 63.0, 54.6]
    >>> found = information_criteria(LinearRegression().fit(X, y), X, y)
    >>> round(found.aic, 6), round(found.bic, 6)
    (29.751575, 28.918613)
    """
    from ._model_df import likelihood_of

    likelihood, k, n, gcv = likelihood_of(model, X, y, sample_weight, df)
    return InformationCriteria(likelihood, k, n, aic(likelihood, k), aicc(likelihood, k, n), bic(likelihood, k, n), gcv)
