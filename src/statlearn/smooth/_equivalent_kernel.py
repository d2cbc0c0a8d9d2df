"""Equivalent kernels of linear smoothers."""

import inspect

import numpy as np
from sklearn.utils.validation import check_is_fitted


def equivalent_kernel(smoother, x0, X=None):
    """Equivalent kernel: the weights of the training responses in the prediction of a linear smoother at x0.

    Parameters
    ----------
    smoother : estimator
        A fitted smoother with the method ``smoother_matrix``: the spline, kernel and local-polynomial smoothers of this
        family.
    x0 : float or array-like of shape (n_points,) or (n_points, n_features)
        Points of prediction; a number or a vector only for smoothers of one column.
    X : array-like of shape (n_training_rows,) or (n_training_rows, n_features), or None, default=None
        Training rows, which some smoothers need because they do not store them (:class:`RegressionSpline`,
        :class:`ThinPlateSpline`).

    Returns
    -------
    ndarray of shape (n_points, n_training_rows)
        The prediction at ``x0[i]`` is row i times the training responses.

    References
    ----------
    Silverman, B. (1984). Spline smoothing: the equivalent variable kernel method. Annals of Statistics 12, 898-916.

    Examples
    --------
    >>> from statlearn.smooth import SmoothingSpline, equivalent_kernel
    >>> spline = SmoothingSpline(lam=1.0).fit([0, 1, 2, 3, 4], [0, 2, 1, 3, 2])
    >>> equivalent_kernel(spline, [2.0]).round(3)
    array([[0.046, 0.261, 0.386, 0.261, 0.046]])
    """
    check_is_fitted(smoother)
    if not hasattr(smoother, "smoother_matrix"):
        raise ValueError(
            f"`smoother`: {type(smoother).__name__} has no smoother_matrix because it is not linear in the responses."
        )
    columns = getattr(smoother, "n_features_in_", 1)
    x0 = _as_table(x0, "x0", columns)
    if "X_train" not in inspect.signature(smoother.smoother_matrix).parameters:
        return smoother.smoother_matrix(x0)
    if X is None:
        raise ValueError(
            f"`X` must be passed for {type(smoother).__name__}, which does not store its training rows: "
            "equivalent_kernel(smoother, x0, X)."
        )
    return smoother.smoother_matrix(x0, _as_table(X, "X", columns))


def _as_table(x, name, columns):
    """Points as a table: numbers and vectors are values of a single column."""
    if hasattr(x, "columns") or np.ndim(x) == 2:
        return x
    x = np.asarray(x)
    if columns == 1 and x.ndim < 2:
        return x.reshape(-1, 1)
    raise ValueError(f"`{name}` must have shape (n_points, {columns}) for this smoother, got shape {x.shape}.")
