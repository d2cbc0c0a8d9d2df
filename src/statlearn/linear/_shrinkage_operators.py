"""Shrinkage operators: the effect of lasso, best subset and ridge on least squares with an orthonormal design."""

import numpy as np

from statlearn._core.params import Int, Real, check_arguments


def _values(beta):
    beta = np.asarray(beta)
    return beta if beta.dtype in (np.float32, np.float64) else beta.astype(np.float64)


def soft_threshold(beta, threshold):
    """Soft thresholding, sign(beta) max(|beta| - threshold, 0).

    This is the lasso with RSS/2 + threshold ‖b‖₁ on an orthonormal design.

    Parameters
    ----------
    beta : array-like
        Least-squares coefficients.
    threshold : float
        Non-negative. For RSS + lambda ‖b‖₁ use lambda/2.

    Returns
    -------
    ndarray of the shape of `beta`

    Examples
    --------
    >>> from statlearn.linear import soft_threshold
    >>> soft_threshold([3, -0.5, 0.2, -2.5], 1.0)
    array([ 2. ,  0. ,  0. , -1.5])
    """
    check_arguments(soft_threshold, threshold=(threshold, [Real(0, None)]))
    beta = _values(beta)
    return np.where(np.abs(beta) > threshold, beta - np.sign(beta) * threshold, 0.0).astype(beta.dtype)


def hard_threshold(beta, threshold=None, *, n_keep=None):
    """Hard thresholding: large coefficients are kept, the others set to 0.

    This is best subset selection on an orthonormal design.

    Parameters
    ----------
    beta : array-like of shape (n,)
        Least-squares coefficients.
    threshold : float or None, default=None
        Keep coefficients with |beta| above this value.
    n_keep : int or None, default=None
        Keep this many coefficients, those with the largest |beta|. Ties are broken in favour of the first.

    Returns
    -------
    ndarray of the shape of `beta`

    Examples
    --------
    >>> from statlearn.linear import hard_threshold
    >>> hard_threshold([3, -0.5, 0.2, -2.5], n_keep=2)
    array([ 3. ,  0. ,  0. , -2.5])
    >>> hard_threshold([3, -0.5, 0.2, -2.5], 0.4)
    array([ 3. , -0.5,  0. , -2.5])
    """
    if (threshold is None) == (n_keep is None):
        raise ValueError("Pass exactly one of threshold and n_keep.")
    beta = _values(beta)
    if threshold is not None:
        check_arguments(hard_threshold, threshold=(threshold, [Real(0, None)]))
        return np.where(np.abs(beta) > threshold, beta, 0.0).astype(beta.dtype)
    check_arguments(hard_threshold, n_keep=(n_keep, [Int(0, None)]))
    thresholded = np.zeros_like(beta).ravel()
    largest = np.argsort(-np.abs(beta.ravel()), kind="stable")[:n_keep]
    thresholded[largest] = beta.ravel()[largest]
    return thresholded.reshape(beta.shape)


def proportional_shrink(beta, alpha):
    """Proportional shrinkage, beta / (1 + alpha).

    This is ridge regression with RSS + alpha ‖b‖² on an orthonormal design.

    Parameters
    ----------
    beta : array-like
        Least-squares coefficients.
    alpha : float
        The penalty, non-negative.

    Returns
    -------
    ndarray of the shape of `beta`

    Examples
    --------
    >>> from statlearn.linear import proportional_shrink
    >>> proportional_shrink([3.0, -0.5], 1.0)
    array([ 1.5 , -0.25])
    """
    check_arguments(proportional_shrink, alpha=(alpha, [Real(0, None)]))
    beta = _values(beta)
    return (beta / (1.0 + alpha)).astype(beta.dtype)
