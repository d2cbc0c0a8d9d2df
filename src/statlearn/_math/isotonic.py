"""Isotonic regression: the non-decreasing values with the smallest weighted squared error."""

import numpy as np
from scipy.optimize import isotonic_regression


def isotonic_curve(x, y, weights=None, *, increasing=True):
    """Knots and values of the monotone curve closest to y.

    Equal x share their mean. Every block of equal values is given by its first and last x; between the knots the curve
    is a straight line.

    Parameters
    ----------
    x, y : ndarray of shape (n,)
    weights : ndarray of shape (n,) or None
        None gives every row the same weight. Rows of weight 0 must have been left out.
    increasing : bool, default=True

    Returns
    -------
    knots, values : ndarray of shape (k,)
    """
    distinct, codes = np.unique(x, return_inverse=True)
    mass = np.bincount(codes, weights).astype(np.float64)
    means = np.bincount(codes, y if weights is None else weights * y) / mass
    fit = isotonic_regression(means, weights=mass, increasing=increasing)
    ends = np.unique(np.r_[fit.blocks[:-1], fit.blocks[1:] - 1])
    return distinct[ends], fit.x[ends]
