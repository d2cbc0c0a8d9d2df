"""Estimates of class covariances by name: empirical, shrunk, Ledoit-Wolf, or any estimator with `covariance_`."""

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import has_fit_parameter

from statlearn._math.linalg.covariance import ledoit_wolf, shrink


def check_shrinkage(estimator):
    """Refuse combinations of `shrinkage` and `covariance_estimator` that cannot be honoured."""
    if estimator.covariance_estimator is not None and estimator.shrinkage not in (None, 0):
        raise ValueError("covariance_estimator and shrinkage parameters are not None. Only one of the two can be set.")
    if getattr(estimator, "solver", None) != "svd":
        return
    if estimator.shrinkage is not None:
        raise NotImplementedError("shrinkage not supported with 'svd' solver. Use solver='eigen', 'lsqr' or 'sphere'.")
    if estimator.covariance_estimator is not None:
        raise ValueError("covariance_estimator is not supported with solver='svd'. Try solver='eigen' instead.")


def shrunk(S, amount, target):
    """``(1 - amount) S + amount T``: T is the identity times the mean variance, or the plain identity."""
    if target == "scaled_identity":
        return shrink(S, amount)
    return (1.0 - amount) * S + amount * np.eye(S.shape[-1])


def covariance_by(X, weights, covariance_estimator):
    """Covariance of rows (divisor n) by `covariance_estimator`; if None, by Ledoit and Wolf on standardised columns."""
    if covariance_estimator is None:
        return ledoit_wolf(X, weights, target="diagonal")[1]
    model = covariance_estimator
    if hasattr(model, "get_params"):
        model = clone(model)
    if weights is None:
        model.fit(X)
    elif has_fit_parameter(model, "sample_weight"):
        model.fit(X, sample_weight=weights)
    else:
        raise ValueError(f"{type(model).__name__}.fit does not accept sample_weight; fit without weights.")
    if not hasattr(model, "covariance_"):
        raise ValueError(f"{type(model).__name__} does not have a covariance_ attribute.")
    return np.asarray(model.covariance_, dtype=np.float64)


def class_covariances_by(X, codes, weights, n_classes, covariance_estimator):
    """`covariance_by` of each class, shape (k, p, p)."""
    p = X.shape[1]
    out = np.empty((n_classes, p, p))
    for k in range(n_classes):
        rows = np.flatnonzero(codes == k)
        out[k] = covariance_by(X[rows], None if weights is None else weights[rows], covariance_estimator)
    return out
