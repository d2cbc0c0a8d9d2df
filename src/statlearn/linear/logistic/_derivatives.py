"""Value, gradient and Hessian of the logistic log-likelihood at given coefficients."""

from typing import NamedTuple

import numpy as np
from scipy import special
from sklearn.utils import check_array, check_X_y

from statlearn._core.params import Real, check_arguments
from statlearn._core.validation import check_labels, check_weights, refuse_one_class


class LogisticDerivatives(NamedTuple):
    """Log-likelihood, its gradient and its Hessian."""

    value: float
    gradient: np.ndarray
    hessian: np.ndarray


def logistic_derivatives(X, y, coef, penalty=None, *, reference=None, fit_intercept=True, sample_weight=None):
    r"""Log-likelihood of binary or multinomial logistic regression, with gradient and Hessian.

    With x including the constant 1, :math:`\mu_i` the probabilities of the classes with a free row of coefficients,
    :math:`y_i` the indicators of these classes and weights :math:`s_i`, the gradient and the Hessian are

    .. math:: \sum_i s_i (y_i - \mu_i) \otimes x_i - 2 \lambda \beta, \qquad
        -\sum_i s_i \bigl( \operatorname{diag} \mu_i - \mu_i \mu_i^\top \bigr) \otimes x_i x_i^\top - 2 \lambda I .

    For two classes with the first as reference these are :math:`X^\top (y - p) - 2 \lambda \beta` and
    :math:`-X^\top W X - 2 \lambda I` with W = diag p(1 - p). The intercept is not penalised.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
        Labels of two or more classes.
    coef : array-like of shape (p,), (n_classes, p) or (n_classes - 1, p)
        Coefficients, the intercept first: p is the number of features, plus 1 with an intercept. A vector holds the
        log-odds of the second of two classes. A matrix has one row per class (the symmetric form), or one per class
        other than `reference`.
    penalty : float or None, default=None
        Strength :math:`\lambda` of the term :math:`-\lambda \lVert w \rVert^2` of the slopes; None is 0. In
        :class:`LogisticRegression` it is 1 / (2C).
    reference : class label or None, default=None
        Class whose coefficients are fixed at 0 and left out of `coef`.
    fit_intercept : bool, default=True
        Whether the first coefficient of each row is an intercept.
    sample_weight : array-like of shape (n_samples,) or None, default=None

    Returns
    -------
    LogisticDerivatives
        ``value``, the penalised log-likelihood; ``gradient`` of the shape of `coef`; ``hessian`` with a row and a
        column for every entry of ``coef.ravel()``.

    See Also
    --------
    LogisticRegression : Maximises the value; ``solver="irls"`` by Newton steps with this gradient and Hessian.
    statlearn.neural.check_gradient : Comparison of a gradient with finite differences.

    Examples
    --------
    >>> from statlearn.linear import logistic_derivatives
    >>> value, gradient, hessian = logistic_derivatives([[0], [1], [2], [3]], [0, 0, 1, 1], [0.0, 0.0])
    >>> gradient
    array([0., 2.])
    >>> hessian
    array([[-1. , -1.5],
           [-1.5, -3.5]])
    """
    check_arguments(
        logistic_derivatives,
        penalty=(penalty, [Real(0, None), None]),
        fit_intercept=(fit_intercept, ["boolean"]),
    )
    X, y = check_X_y(X, y, dtype=np.float64)
    check_labels(y)
    classes, codes = np.unique(y, return_inverse=True)
    refuse_one_class(classes, "logistic_derivatives")
    weights = check_weights(sample_weight, X)
    s = np.ones(len(y)) if weights is None else weights
    Z = np.column_stack([np.ones(len(y)), X]) if fit_intercept else X
    coef = check_array(coef, ensure_2d=False, dtype=np.float64, input_name="coef")
    free = _free_classes(coef, classes, reference, Z.shape[1])

    full = np.zeros((len(classes), Z.shape[1]))
    full[free] = coef
    logs = special.log_softmax(Z @ full.T, axis=1)
    mu = np.exp(logs)
    strength = 0.0 if penalty is None else float(penalty)
    slopes = np.atleast_2d(coef).copy()
    if fit_intercept:
        slopes[:, 0] = 0.0
    value = float(s @ logs[np.arange(len(y)), codes] - strength * np.sum(slopes**2))
    indicator = codes[:, None] == free
    gradient = ((indicator - mu[:, free]) * s[:, None]).T @ Z - 2.0 * strength * slopes
    q, R = Z.shape[1], len(free)
    hessian = np.empty((R, q, R, q))
    for a, k in enumerate(free):
        for b, m in enumerate(free[: a + 1]):
            weight = s * mu[:, k] * ((1.0 - mu[:, k]) if k == m else -mu[:, m])
            hessian[a, :, b] = -(Z.T * weight) @ Z
            hessian[b, :, a] = hessian[a, :, b].T
    hessian = hessian.reshape(R * q, R * q)
    penalised = np.ones((R, q))
    if fit_intercept:
        penalised[:, 0] = 0.0
    hessian[np.diag_indices(R * q)] -= 2.0 * strength * penalised.ravel()
    return LogisticDerivatives(value, gradient.reshape(coef.shape), hessian)


def _free_classes(coef, classes, reference, q):
    """Numbers of the classes to which the rows of `coef` belong."""
    K = len(classes)
    if coef.ndim == 1 and reference is None:
        if K > 2:
            raise ValueError(f"`coef` must be a matrix with one row per class for {K} classes, got a vector.")
        reference = classes[0]
    free = np.arange(K)
    if reference is not None:
        fixed = np.flatnonzero(classes == reference)
        if not len(fixed):
            raise ValueError(f"`reference` must be one of the classes {classes.tolist()}, got {reference!r}.")
        free = np.delete(free, fixed)
    shapes = [(len(free), q)] + ([(q,)] if len(free) == 1 else [])
    if coef.shape not in shapes:
        raise ValueError(f"`coef` must have shape {' or '.join(map(str, shapes))}, got {coef.shape}.")
    return free
