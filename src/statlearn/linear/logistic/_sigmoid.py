"""Logistic function, logit, softmax and logistic curve, stable over the whole floating-point range."""

import numpy as np
from scipy import special


def _floating(x, name):
    x = np.asarray(x)
    if x.dtype.kind not in "biuf":
        raise ValueError(f"{name} must be real, got dtype {x.dtype}.")
    return x if x.dtype.kind == "f" else x.astype(np.float64)


def expit(x):
    r"""Logistic function :math:`\sigma(x) = 1 / (1 + e^{-x})`.

    Parameters
    ----------
    x : array-like
        Real numbers; infinities map to 0 and 1.

    Returns
    -------
    ndarray or float
        Values in [0, 1], of the shape and precision of `x`.

    Notes
    -----
    Neither tail overflows, because the equivalent :math:`e^x / (1 + e^x)` is used for negative x.
    :math:`\sigma(-x) = 1 - \sigma(x)` and :math:`\sigma' = \sigma (1 - \sigma)`.

    Examples
    --------
    >>> from statlearn.linear import expit
    >>> expit([-1000.0, 0.0, 1000.0])
    array([0. , 0.5, 1. ])
    """
    return special.expit(_floating(x, "x"))


def logit(p):
    r"""Log-odds :math:`\log(p / (1 - p))`, the inverse of `expit`.

    Parameters
    ----------
    p : array-like
        Probabilities; 0 and 1 map to minus and plus infinity.

    Returns
    -------
    ndarray or float

    Examples
    --------
    >>> from statlearn.linear import logit
    >>> logit(0.5)
    0.0
    """
    p = _floating(p, "p")
    if np.any((p < 0) | (p > 1)):
        raise ValueError("p must contain values in [0, 1] only.")
    value = special.logit(p)
    return float(value) if np.ndim(value) == 0 and p.dtype == np.float64 else value


def softmax(x, axis=-1):
    r"""Softmax: probabilities proportional to :math:`e^{x_k}` along an axis.

    Parameters
    ----------
    x : array-like
        Scores. Adding a constant along the axis does not change the result.
    axis : int, default=-1
        The axis over which the result sums to 1.

    Returns
    -------
    ndarray
        Same shape and precision as `x`.

    Notes
    -----
    The largest score is subtracted first to avoid overflow.

    Examples
    --------
    >>> from statlearn.linear import softmax
    >>> softmax([1000.0, 1000.0])
    array([0.5, 0.5])
    """
    x = _floating(x, "x")
    if x.ndim == 0:
        raise ValueError("x must have at least one dimension.")
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


def general_logistic(x, *, upper=1.0, rate=1.0, midpoint=0.0):
    r"""Logistic growth curve :math:`L / (1 + e^{-k (x - x_0)})`.

    Parameters
    ----------
    x : array-like
    upper : float, default=1.0
        The limit L for large x (when the rate is positive).
    rate : float, default=1.0
        The steepness k.
    midpoint : float, default=0.0
        The point :math:`x_0` at which the curve equals L/2.

    Returns
    -------
    ndarray or float

    Examples
    --------
    >>> from statlearn.linear import general_logistic
    >>> float(general_logistic(3.0, upper=10.0, rate=2.0, midpoint=3.0))
    5.0
    """
    return upper * special.expit(rate * (_floating(x, "x") - midpoint))
