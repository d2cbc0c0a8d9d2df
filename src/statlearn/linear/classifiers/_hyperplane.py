"""Hyperplane geometry: signed distances and half-spaces."""

import numpy as np
from sklearn.utils.validation import check_array

from statlearn._core.params import Options, check_arguments


def hyperplane_distance(X, coef, intercept=0.0):
    """Signed distance (w'x + b) / |w| of each row from the hyperplane w'x + b = 0.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    coef : array-like of shape (n_features,)
        The non-zero normal vector w. Distances are positive on the side it points to.
    intercept : float, default=0.0
        The offset b.

    Returns
    -------
    ndarray of shape (n_samples,)

    Examples
    --------
    >>> from statlearn.linear import hyperplane_distance
    >>> hyperplane_distance([[3.0, 4.0], [0.0, 0.0]], [3.0, 4.0], -5.0)
    array([ 4., -1.])
    """
    X = check_array(X, dtype=np.float64, input_name="X")
    w = check_array(coef, ensure_2d=False, dtype=np.float64, input_name="coef").ravel()
    b = float(check_array([[intercept]], dtype=np.float64, input_name="intercept")[0, 0])
    if w.shape[0] != X.shape[1]:
        raise ValueError(f"coef has {w.shape[0]} entries, but X has {X.shape[1]} features.")
    largest = np.max(np.abs(w))
    if largest == 0.0:
        raise ValueError("coef must be non-zero to define a hyperplane.")
    # Scaled first, so that tiny or huge normal vectors neither underflow nor overflow.
    w = w / largest
    return (X @ w + b / largest) / np.linalg.norm(w)


def half_space(X, coef, intercept=0.0, *, threshold_rule="gt"):
    """Side of the hyperplane w'x + b = 0 on which each row lies, +1 or -1.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    coef : array-like of shape (n_features,)
        The non-zero normal vector w.
    intercept : float, default=0.0
        The offset b.
    threshold_rule : {"gt", "ge"}, default="gt"
        Whether points on the hyperplane count as -1 ("gt", only w'x + b > 0 is +1) or as +1 ("ge").

    Returns
    -------
    ndarray of int of shape (n_samples,)

    Examples
    --------
    >>> from statlearn.linear import half_space
    >>> half_space([[3.0, 4.0], [0.0, 0.0], [1.0, 0.5]], [3.0, 4.0], -5.0)
    array([ 1, -1, -1])
    """
    check_arguments("half_space", threshold_rule=(threshold_rule, [Options("gt", "ge")]))
    distance = hyperplane_distance(X, coef, intercept)
    return np.where(distance >= 0 if threshold_rule == "ge" else distance > 0, 1, -1)
