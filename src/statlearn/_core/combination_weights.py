"""Weights of a combination of predictions: by least squares, or by likelihood for probabilities."""

import numpy as np

from .nonnegative import nonnegative_quadratic

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


def mixture_weights(probabilities, *, tol=1e-5, max_iter=2000):
    r"""Weights on the simplex that maximise the likelihood of a mixture of given probabilities.

    Maximises :math:`\frac{1}{n} \sum_i \log \sum_m w_m p_{im}`, which is concave, by EM: each weight is multiplied by
    :math:`g_m = \frac{1}{n} \sum_i p_{im} / \sum_k w_k p_{ik}`. The maximum is at most :math:`\max_m g_m - 1` above
    the value reached, and the iteration stops when that is at most `tol`.

    Parameters
    ----------
    probabilities : ndarray of shape (n_rows, n_members)
        What each member gave the observed class of each row.
    tol : float
    max_iter : int

    Returns
    -------
    ndarray of shape (n_members,)
    """
    P = np.asarray(probabilities, dtype=np.float64)
    P = P[P.max(axis=1) > 0]  # no weights help where every member gave 0
    w = np.full(P.shape[1], 1.0 / P.shape[1])
    for _ in range(max_iter if len(P) else 0):
        g = np.mean(P / (P @ w)[:, None], axis=0)
        if g.max() - 1 <= tol:
            break
        w = w * g
        w /= w.sum()
    return w
