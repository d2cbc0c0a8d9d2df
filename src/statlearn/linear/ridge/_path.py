"""Ridge path and moments of the ridge coefficients, from one decomposition."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from sklearn.utils.validation import check_array, check_X_y

from statlearn._core.params import Int, Real, check_arguments
from statlearn._core.validation import FLOATS, check_weights
from statlearn._math.penalties.scales import ridge_lambda
from statlearn.linear._penalty import PENALTY_SCALE

from ._spectrum import decompose


class RidgePath(NamedTuple):
    """Result of `ridge_path`."""

    alphas: np.ndarray
    coefs: np.ndarray
    intercepts: np.ndarray
    df: np.ndarray


def default_alphas(values, n_alphas, penalty_scale="sklearn"):
    """A geometric grid, largest first, from almost no to almost all degrees of freedom.

    The ends are 1000 times the largest and 1/1000 of the smallest squared singular value that matters.
    """
    if values.size == 0:
        return np.geomspace(1.0, 1e-6, n_alphas)
    grid = np.geomspace(1e3 * values[0], 1e-3 * max(values[-1], 1e-8 * values[0]), n_alphas)
    return grid / ridge_lambda(1.0, penalty_scale)


def check_alphas(alphas, name="alphas"):
    """A 1-d float grid; raises ValueError for empty grids and negative or non-finite values."""
    alphas = np.atleast_1d(np.asarray(alphas, dtype=np.float64)).ravel()
    if alphas.size == 0:
        raise ValueError(f"{name} must not be empty; pass at least one penalty.")
    if not np.all(np.isfinite(alphas)) or np.any(alphas < 0):
        raise ValueError(f"{name} must be finite and non-negative, got {alphas}.")
    return alphas


def ridge_path(X, y, *, alphas=None, n_alphas=100, fit_intercept=True, sample_weight=None, penalty_scale="sklearn"):
    r"""Ridge path: coefficients for a grid of penalties from one decomposition.

    With the singular value decomposition X = U D V' of the centred X,

    .. math:: \hat w(\lambda) = \sum_j v_j \frac{d_j}{d_j^2 + \lambda} u_j^\top y, \qquad
        \hat y(\lambda) = \sum_j u_j \frac{d_j^2}{d_j^2 + \lambda} u_j^\top y .

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
    y : array-like of shape (n_samples,) or (n_samples, n_targets)
    alphas : array-like of shape (n_alphas,) or None, default=None
        Penalties, used in the given order. None means a geometric grid from almost no to almost all degrees of
        freedom, largest penalty first.
    n_alphas : int, default=100
        Length of that grid.
    fit_intercept : bool, default=True
        Fit an unpenalised intercept.
    sample_weight : array-like of shape (n_samples,) or None, default=None
    penalty_scale : {"sklearn", "half_rss", "rss"}, default="sklearn"
        See :class:`Ridge`.

    Returns
    -------
    RidgePath
        A named tuple: ``alphas`` (k,); ``coefs`` (n_features, k) or (n_targets, n_features, k); ``intercepts`` (k,)
        or (n_targets, k); ``df`` (k,), effective degrees of freedom without the intercept.

    Notes
    -----
    Cost O(n p min(n, p)) for the decomposition, then O(p min(n, p)) per penalty.

    Examples
    --------
    >>> from statlearn.linear import ridge_path
    >>> path = ridge_path([[1.0], [2.0], [3.0]], [1.0, 2.0, 4.0], alphas=[2.0, 0.0])
    >>> path.coefs.round(6)
    array([[0.75, 1.5 ]])
    >>> path.df
    array([0.5, 1. ])
    """
    check_arguments(
        ridge_path,
        n_alphas=(n_alphas, [Int(1, None)]),
        fit_intercept=(fit_intercept, ["boolean"]),
        penalty_scale=(penalty_scale, PENALTY_SCALE),
    )
    X, y = check_X_y(X, y, accept_sparse=("csr", "csc"), dtype=FLOATS, multi_output=True, y_numeric=True)
    weights = check_weights(sample_weight, X)
    grid = None if alphas is None else check_alphas(alphas)
    floor = 0.0 if grid is None else ridge_lambda(grid.min(), penalty_scale)
    spectrum, *_ = decompose(X, y.reshape(len(y), -1), weights, fit_intercept=fit_intercept, floor=floor)
    if grid is None:
        grid = default_alphas(spectrum.values, n_alphas, penalty_scale)
    penalties = ridge_lambda(grid, penalty_scale)
    coefs = spectrum.coefs(penalties)
    intercepts = np.broadcast_to(spectrum.intercept(coefs), coefs.shape[:2])
    coefs, intercepts = coefs.transpose(1, 2, 0), intercepts.T
    if y.ndim == 1:
        coefs, intercepts = coefs[0], intercepts[0]
    return RidgePath(grid, coefs.astype(X.dtype), intercepts.astype(X.dtype), spectrum.df(penalties))


@dataclass
class RidgeMoments:
    """Mean, bias, covariance and standard errors of ridge coefficients for known true slopes."""

    mean: np.ndarray | None
    bias: np.ndarray | None
    covariance: np.ndarray
    std_error: np.ndarray
    squared_bias: float | None = None
    model_bias: float | None = None
    estimation_bias: float | None = None


def ridge_moments(X, *, alpha=1.0, sigma2=1.0, beta=None, fit_intercept=True, penalty_scale="sklearn", truth=None):
    r"""Exact mean, bias and covariance of ridge coefficients for known true slopes.

    With X (centred when there is an intercept) = U D V' and y = X β + ε, Var ε = σ²,

    .. math::
        E\,\hat\beta = \sum_j \frac{d_j^2}{d_j^2+\lambda} v_j v_j^\top \beta, \quad
        \text{bias} = -\sum_j \frac{\lambda}{d_j^2+\lambda} v_j v_j^\top \beta, \quad
        \mathrm{Cov}\,\hat\beta = \sigma^2 \sum_j \frac{d_j^2}{(d_j^2+\lambda)^2} v_j v_j^\top .

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    alpha : float, default=1.0
        The penalty.
    sigma2 : float, default=1.0
        Noise variance σ².
    beta : array-like of shape (n_features,) or None, default=None
        True slopes. If None, the mean and bias are None.
    fit_intercept : bool, default=True
        Whether the fit has an unpenalised intercept.
    penalty_scale : {"sklearn", "half_rss", "rss"}, default="sklearn"
        See :class:`Ridge`.
    truth : callable or None, default=None
        Mean f of the responses, called with X, instead of `beta`. The true slopes are then those of the best linear
        approximation :math:`\beta_*^\top x` on the rows.

    Returns
    -------
    RidgeMoments
        With attributes ``mean``, ``bias``, ``covariance`` (n_features, n_features) and ``std_error``. With `truth` also
        ``model_bias``, the mean over the rows of :math:`(f - \beta_*^\top x)^2`, ``estimation_bias``, that of
        :math:`(\beta_*^\top x - E\,\hat\beta^\top x)^2`, which is 0 without a penalty, and their sum
        ``squared_bias``, the mean squared bias of the predictions.

    Notes
    -----
    These moments assume that the true slopes and the noise variance are known. With estimates in their place, the bias
    is estimated poorly, and intervals built on it do not have their nominal coverage.

    Examples
    --------
    >>> from statlearn.linear import ridge_moments
    >>> m = ridge_moments([[-1.0], [0.0], [1.0]], alpha=2.0, sigma2=4.0, beta=[3.0])
    >>> m.mean, m.bias, m.std_error
    (array([1.5]), array([-1.5]), array([0.70710678]))
    """
    check_arguments(
        ridge_moments,
        alpha=(alpha, [Real(0, None)]),
        sigma2=(sigma2, [Real(0, None)]),
        fit_intercept=(fit_intercept, ["boolean"]),
        penalty_scale=(penalty_scale, PENALTY_SCALE),
    )
    X = check_array(X, dtype=np.float64)
    penalty = ridge_lambda(alpha, penalty_scale)
    spectrum, *_ = decompose(X, np.zeros((len(X), 1)), fit_intercept=fit_intercept, floor=penalty)
    d2, V = spectrum.values, spectrum.vectors
    covariance = sigma2 * (V * (d2 / (d2 + penalty) ** 2)) @ V.T
    mean = bias = None
    parts = {}
    if truth is not None:
        if beta is not None:
            raise ValueError("Set either `beta` or `truth`, not both.")
        f = np.asarray(truth(X), dtype=np.float64)
        if f.shape != (len(X),) or not np.all(np.isfinite(f)):
            raise ValueError(f"`truth` must return {len(X)} finite numbers, one per row of X.")
        Z = X - X.mean(axis=0) if fit_intercept else X
        f = f - f.mean() if fit_intercept else f
        beta = np.linalg.lstsq(Z, f, rcond=None)[0]
        fitted = Z @ (V @ ((d2 / (d2 + penalty)) * (V.T @ beta)))
        model, estimation = float(np.mean((f - Z @ beta) ** 2)), float(np.mean((Z @ beta - fitted) ** 2))
        parts = {"squared_bias": model + estimation, "model_bias": model, "estimation_bias": estimation}
    if beta is not None:
        beta = check_array(beta, ensure_2d=False, dtype=np.float64, input_name="beta")
        if beta.shape != (X.shape[1],):
            raise ValueError(f"beta must have shape ({X.shape[1]},), got {beta.shape}.")
        mean = V @ ((d2 / (d2 + penalty)) * (V.T @ beta))
        bias = mean - beta
    return RidgeMoments(mean, bias, covariance, np.sqrt(np.diag(covariance)), **parts)
