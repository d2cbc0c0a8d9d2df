"""Laplace approximation of the evidence of a model."""

import numpy as np
from sklearn.utils.validation import check_array

from statlearn._math.linalg.positive import cholesky

_DECREMENT = 1e-3  # gain of a Newton step that a mode does not have


def laplace_evidence(log_posterior, mode, *, hessian=None):
    r"""Laplace approximation of the log evidence :math:`\log p(Z) = \log \int p(Z \mid \theta) p(\theta) d\theta`.

    .. math:: \log p(Z, \hat\theta) + \frac d2 \log 2 \pi - \frac12 \log \lvert H \rvert

    with H minus the matrix of second derivatives of :math:`\log p(Z, \theta)` at its maximum. It is exact if the
    posterior is Gaussian, and its error is of order 1/n otherwise. BIC drops all terms that do not grow with n.

    Parameters
    ----------
    log_posterior : callable
        ``log_posterior(theta)`` is the log of likelihood times prior, with all constants, for a vector theta (a number
        if `mode` is one).
    mode : float or array-like of shape (d,)
        Its maximum.
    hessian : array-like of shape (d, d), float or None, default=None
        Second derivatives at the mode. None computes them by finite differences over a hundredth of the posterior
        standard deviations.

    Returns
    -------
    float

    See Also
    --------
    bic : :math:`-2` times the part that grows with n.

    References
    ----------
    Hastie, T., Tibshirani, R. and Friedman, J. (2009). *The Elements of Statistical Learning*, 2nd ed., section 7.7.

    Examples
    --------
    Three of five balls are red, with a uniform prior of the proportion (exact: log 1/60 = -4.0943):

    >>> import numpy as np
    >>> from statlearn.assess import laplace_evidence
    >>> round(laplace_evidence(lambda p: 3 * np.log(p) + 2 * np.log(1 - p), 0.6), 4)
    -3.9644
    """
    number = np.ndim(mode) == 0
    theta = check_array(np.atleast_1d(mode), ensure_2d=False, dtype=np.float64, input_name="mode")
    if theta.ndim != 1:
        raise ValueError(f"`mode` must be a number or a vector, got shape {theta.shape}.")

    def function(at):
        value = np.asarray(log_posterior(float(at[0]) if number else at.copy()), dtype=np.float64)
        if value.size != 1:
            raise ValueError(f"`log_posterior` must return a number, got shape {value.shape}.")
        value = float(value.reshape(()))
        if not np.isfinite(value):
            raise ValueError(
                f"`log_posterior` must be finite at and near the mode, got {value} at {at.tolist()}. If the mode is at "
                "the border of the parameters, there is no Laplace approximation; near it, pass `hessian`."
            )
        return value

    top = function(theta)
    if hessian is None:
        gradient, H = _derivatives(function, theta)
    else:
        gradient = None
        H = -check_array(np.atleast_2d(hessian), dtype=np.float64, input_name="hessian")
        if H.shape != (len(theta), len(theta)):
            raise ValueError(f"`hessian` must have shape {(len(theta),) * 2}, got {H.shape}.")
    factor = cholesky(0.5 * (H + H.T))
    if factor is None:
        raise ValueError(
            "The second derivatives of `log_posterior` at `mode` are not negative definite, so it is no maximum, or "
            "the data do not determine all parameters."
        )
    if gradient is not None and 0.5 * gradient @ factor.solve(gradient) > _DECREMENT:
        raise ValueError(
            "`mode` is not the maximum of `log_posterior`: a Newton step from it gains "
            f"{0.5 * gradient @ factor.solve(gradient):.3g}."
        )
    return float(top + 0.5 * len(theta) * np.log(2.0 * np.pi) - 0.5 * factor.log_det)


def _derivatives(function, theta):
    """Gradient, and minus the second derivatives, by differences of fourth order over a share of the deviations."""
    d = len(theta)
    middle = function(theta)
    steps = 1e-4 * np.maximum(1.0, np.abs(theta))
    for _ in range(2):  # with the scale of the posterior, once it is known
        along = [[function(theta + k * steps[j] * np.eye(d)[j]) for k in (-2, -1, 1, 2)] for j in range(d)]
        curvature = [(-a + 16 * b - 30 * middle + 16 * c - e) / 12 for a, b, c, e in along] / steps**2
        if np.all(curvature < 0):
            steps = 0.01 / np.sqrt(-curvature)
    along = [[function(theta + k * steps[j] * np.eye(d)[j]) for k in (-2, -1, 1, 2)] for j in range(d)]
    gradient = np.array([(a - 8 * b + 8 * c - e) / 12 for a, b, c, e in along]) / steps
    H = np.diag([(-a + 16 * b - 30 * middle + 16 * c - e) / 12 for a, b, c, e in along]) / steps**2

    def mixed(i, j, k):
        e, f = k * steps[i] * np.eye(d)[i], k * steps[j] * np.eye(d)[j]
        total = function(theta + e + f) - function(theta + e - f) - function(theta - e + f) + function(theta - e - f)
        return total / (4 * k * k * steps[i] * steps[j])

    for i in range(d):
        for j in range(i):
            H[i, j] = H[j, i] = (4.0 * mixed(i, j, 1) - mixed(i, j, 2)) / 3.0
    return gradient, -H
