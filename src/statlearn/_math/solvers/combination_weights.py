"""Weights of a combination of predictions: by least squares, or by likelihood for probabilities."""

import numpy as np
from scipy.optimize import minimize
from scipy.special import log_softmax, softmax

from ..linalg.nonnegative import nonnegative_quadratic

# Relative to the mean diagonal: members that agree share their weight, and an exact fit keeps a solution.
_FLOOR = 1e-10


def combination_weights(predictions, y, sample_weight=None, constraint="simplex"):
    r"""Least-squares weights of a combination of predictions.

    Minimises :math:`\sum_i s_i (y_i - \sum_m w_m p_{im})^2` over w, with w >= 0 and sum(w) = 1 ("simplex"), with
    w >= 0 ("nonnegative"), or over all w ("unconstrained"); there is no intercept.

    On the simplex y - Pw = Ew with the errors E = y1' - P, and the minimiser of w'E'Ew is the direction of the
    minimiser of u'E'Eu / 2 - sum(u) over u >= 0: both have E'Ew constant where w > 0, and no smaller where w = 0.
    """
    P = np.asarray(predictions, dtype=np.float64)
    y = np.asarray(y, dtype=np.float64)
    s = np.ones(len(y)) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
    if constraint == "simplex":
        E = y[:, None] - P
        S, b = E.T @ (s[:, None] * E), np.ones(P.shape[1])
    else:
        S, b = P.T @ (s[:, None] * P), P.T @ (s * y)
    if constraint == "unconstrained":
        root = np.sqrt(s)[:, None]
        return np.linalg.lstsq(root * P, root[:, 0] * y, rcond=None)[0]
    scale = np.trace(S) / len(b)
    if scale == 0.0:  # every member is exact, or predicts 0
        return np.full(len(b), 1.0 / len(b))
    w, _ = nonnegative_quadratic(S / scale + _FLOOR * np.eye(len(b)), b if constraint == "simplex" else b / scale)
    return w / w.sum() if constraint == "simplex" else w


def log_pool(logs, weights):
    """Class probabilities proportional to the product of the members' probabilities, each to the power of its weight.

    Parameters
    ----------
    logs : ndarray of shape (n_members, n_rows, n_classes)
        Logarithms of the members' probabilities.
    weights : ndarray of shape (n_members,)

    Returns
    -------
    ndarray of shape (n_rows, n_classes)
    """
    return softmax(np.tensordot(weights, logs, 1), axis=1)


def log_pool_weights(logs, codes, *, ridge=5.0):
    r"""Non-negative weights of a logarithmic pool that maximise its likelihood.

    Minimises :math:`-\sum_i \log p_i(y_i) + \lambda \sum_m (w_m - 1/M)^2` over w >= 0, with p the pool
    (:func:`log_pool`) and lambda the `ridge`, which is worth a few rows and divides weight between equal members. The
    objective is convex. The weights need not sum to 1: a sum above 1 sharpens members that are too cautious, a sum
    below 1 corrects members that are too sure.

    Parameters
    ----------
    logs : ndarray of shape (n_members, n_rows, n_classes)
    codes : ndarray of int of shape (n_rows,)
        Numbers of the observed classes.
    ridge : float, default=5.0

    Returns
    -------
    ndarray of shape (n_members,)
    """
    logs = np.asarray(logs, dtype=np.float64)
    n_members, n_rows, _ = logs.shape
    rows, even = np.arange(n_rows), 1.0 / n_members
    observed = logs[:, rows, codes].sum(axis=1)

    def objective(w):
        pooled = log_softmax(np.tensordot(w, logs, 1), axis=1)
        value = -pooled[rows, codes].sum() + ridge * np.sum((w - even) ** 2)
        slope = np.tensordot(logs, np.exp(pooled), 2) - observed + 2 * ridge * (w - even)
        return value / n_rows, slope / n_rows

    start, bounds = np.full(n_members, even), [(0.0, None)] * n_members
    return minimize(objective, start, jac=True, bounds=bounds, method="L-BFGS-B").x
