"""Logistic and multinomial regression paths over a grid of penalties."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_X_y

from statlearn._core.class_weights import class_and_sample_weights
from statlearn._core.params import Int, Real, check_arguments
from statlearn._core.validation import FLOATS, check_array, check_labels, check_weights
from statlearn._core.warnings import OK, warn_if_stopped
from statlearn._math.linalg.sparse_arrays import by_rows
from statlearn._math.solvers.logistic import minimise_logistic

from ._coordinate import coordinate_path
from ._problem import LogisticProblem


class LogisticPath(NamedTuple):
    """Result of `logistic_path`, one entry per penalty, largest penalty first."""

    alphas: np.ndarray
    """Penalties on the scale of the mean loss, shape (k,)."""
    coefs: np.ndarray
    """Slopes, shape (p, k) for two classes, (n_classes, p, k) for more."""
    intercepts: np.ndarray
    """Intercepts, shape (k,) or (n_classes, k)."""
    dual_gaps: np.ndarray
    """Duality gaps of the mean objective, shape (k,); NaN for the pure L2 penalty, which is solved by its gradient."""
    n_iters: np.ndarray
    """Iterations spent on each penalty, shape (k,)."""
    Cs: np.ndarray
    """The penalties as scikit-learn's C = 1 / (alpha * sum of weights), shape (k,)."""


def logistic_path(
    X,
    y,
    *,
    alphas=None,
    Cs=None,
    l1_ratio=1.0,
    n_alphas=100,
    eps=None,
    fit_intercept=True,
    standardize=False,
    sample_weight=None,
    class_weight=None,
    offset=None,
    tol=1e-4,
    max_iter=1000,
):
    r"""Logistic regression path over a grid of penalties.

    For each :math:`\alpha`, minimises over slopes w and unpenalised intercepts

    .. math:: \frac{1}{S} \sum_i s_i \, \ell_i
              + \alpha \Bigl( \rho \lVert w \rVert_1 + \frac{1 - \rho}{2} \lVert w \rVert_2^2 \Bigr)

    with S the sum of the weights and :math:`\rho` = `l1_ratio`. The loss is a **mean**, as in R's glmnet, whose
    lambda is this alpha. With more than two classes, the loss is the symmetric softmax and the penalty covers every
    class.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
        Class labels.
    alphas : array-like or None, default=None
        The grid in any order, returned in decreasing order. None means `n_alphas` values from the smallest alpha at
        which all slopes are 0 down to `eps` times it.
    Cs : array-like or None, default=None
        The grid in scikit-learn's terms, C = 1 / (alpha S). Pass at most one of `alphas` and `Cs`.
    l1_ratio : float, default=1.0
        1 is the lasso, 0 the ridge penalty.
    n_alphas : int, default=100
    eps : float or None, default=None
        Ratio of the smallest alpha to the largest; None means 1e-4, or 1e-2 if there are more columns than rows.
    fit_intercept : bool, default=True
    standardize : bool, default=False
        Standardise the columns by their (weighted) standard deviations for the penalty. Coefficients are reported on
        the original scale. R's glmnet does this by default.
    sample_weight : array-like of shape (n_samples,) or None, default=None
    class_weight : dict, "balanced" or None, default=None
    offset : array-like of shape (n_samples,) or (n_samples, n_classes), or None, default=None
    tol : float, default=1e-4
        A fit stops when its duality gap is at most tol times the mean loss without slopes, or for the pure ridge
        penalty, when the largest entry of the gradient is at most tol.
    max_iter : int, default=1000
        Maximum number of steps per penalty.

    Returns
    -------
    LogisticPath
        ``alphas, coefs, intercepts, dual_gaps, n_iters, Cs``.

    Notes
    -----
    The solver takes proximal Newton steps with coordinate descent on the weighted cross-products of the columns in use,
    screened by the sequential strong rule and warm-started. Each fit is certified over all columns by its duality gap
    and costs about one pass over X plus work on the columns in use. Standardise the columns, or pass
    ``standardize=True``, because the penalty depends on their scale.

    References
    ----------
    Friedman, Hastie & Tibshirani (2010), J. Stat. Softw. 33(1). Tibshirani et al. (2012), Strong rules for discarding
    predictors in lasso-type problems, JRSS B 74.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from statlearn.linear import logistic_path
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> path = logistic_path(X, y, standardize=True, n_alphas=5, eps=1e-2, tol=1e-8)
    >>> (path.coefs != 0).sum(axis=0).tolist()
    [0, 2, 5, 9, 13]
    """
    check_arguments(
        logistic_path,
        l1_ratio=(l1_ratio, [Real(0, 1, closed="both")]),
        n_alphas=(n_alphas, [Int(1, None)]),
        eps=(eps, [Real(0, 1, closed="neither"), None]),
        fit_intercept=(fit_intercept, ["boolean"]),
        standardize=(standardize, ["boolean"]),
        tol=(tol, [Real(0, None)]),
        max_iter=(max_iter, [Int(1, None)]),
    )
    X, y = check_X_y(X, y, accept_sparse=["csc", "csr"], dtype=list(FLOATS))
    check_labels(y)
    classes, codes = np.unique(y, return_inverse=True)
    if len(classes) < 2:
        raise ValueError(f"y must contain at least 2 classes, got only {classes[0]!r}.")
    weights = class_and_sample_weights(class_weight, classes, codes, check_weights(sample_weight, X))
    K = len(classes)
    if offset is not None:
        offset = check_array(offset, ensure_2d=False, dtype=np.float64, input_name="offset")
        expected = (X.shape[0],) if K == 2 else (X.shape[0], K)
        if offset.shape != expected:
            raise ValueError(f"offset.shape == {offset.shape}, expected {expected}!")
    scale = np.ones(X.shape[1])
    if standardize:
        X, scale = _standardised(X, weights)
    problem = LogisticProblem(X, codes, K, weights, offset, fit_intercept)
    grid = _grid(problem, alphas, Cs, l1_ratio, n_alphas, eps)
    if l1_ratio > 0.0 and grid[-1] > 0.0:
        path = coordinate_path(problem, grid * l1_ratio, grid * (1.0 - l1_ratio), tol=tol, max_iter=max_iter)
        theta, gaps, n_iters, status = path.theta, path.gaps, path.n_iters, path.status
    else:
        if l1_ratio > 0.0:
            raise ValueError(
                "alphas must be positive when l1_ratio > 0; for alpha = 0 use LogisticRegression(C=np.inf)."
            )
        theta, n_iters, status = _ridge_path(problem, grid, tol, max_iter)
        gaps = np.full(len(grid), np.nan)
    bad = np.flatnonzero(status != OK)
    if len(bad):
        warn_if_stopped(
            "logistic_path",
            int(status[bad[0]]),
            f"{len(bad)} of {len(grid)} penalties reached max_iter={max_iter}, first at alpha={grid[bad[0]]:.3g}",
        )
    p = X.shape[1]
    coefs = (theta[:, :, :p] / scale).astype(X.dtype)
    intercepts = theta[:, :, p] if fit_intercept else np.zeros(theta.shape[:2])
    if K == 2:
        coefs, intercepts = coefs[:, 0].T, intercepts[:, 0]
    else:
        intercepts = (intercepts - intercepts.mean(axis=1, keepdims=True)).T
        coefs = np.moveaxis(coefs, 0, -1)
    with np.errstate(divide="ignore"):
        return LogisticPath(
            grid, coefs, intercepts.astype(X.dtype), gaps, np.array(n_iters), 1.0 / (grid * problem.total)
        )


def _standardised(X, weights):
    """Columns divided by their standard deviations (divisor S), and these; constant columns are unchanged."""
    w = np.full(X.shape[0], 1.0 / X.shape[0]) if weights is None else weights / weights.sum()
    mean = np.asarray(w @ X, dtype=np.float64).ravel()
    if sparse.issparse(X):
        variance = np.asarray(w @ X.multiply(X)).ravel() - mean**2
    else:
        variance = np.empty(X.shape[1])
        for j in range(0, X.shape[1], 64):
            variance[j : j + 64] = w @ (X[:, j : j + 64] - mean[j : j + 64]) ** 2
    deviation = np.sqrt(np.maximum(variance, 0.0))
    deviation[deviation <= 1e-12 * np.maximum(1.0, np.abs(mean))] = 1.0
    inverse = (1.0 / deviation).astype(X.dtype)
    scaled = (X @ sparse.diags_array(inverse)).tocsc() if sparse.issparse(X) else X * inverse
    return scaled, deviation


def _grid(problem, alphas, Cs, l1_ratio, n_alphas, eps):
    """The penalties in decreasing order."""
    if alphas is not None and Cs is not None:
        raise ValueError("Pass either alphas or Cs, not both.")
    points, name = (alphas, "alphas") if Cs is None else (Cs, "Cs")
    if points is not None:
        values = check_array(points, ensure_2d=False, dtype=np.float64, ensure_min_samples=0, input_name=name,
                             ensure_all_finite=name != "Cs")  # fmt: skip
        values = np.atleast_1d(values)
        if values.ndim != 1 or values.size == 0:
            raise ValueError(f"{name} must be a non-empty 1-d array, got shape {values.shape}.")
        if np.any(np.isnan(values)) or np.any(values < 0) or (name == "Cs" and np.any(values == 0)):
            raise ValueError(f"{name} must be {'positive' if name == 'Cs' else 'non-negative'}, got {values.min()}.")
        return np.sort(values if Cs is None else 1.0 / (values * problem.total))[::-1].copy()
    # Slightly above, so that no slope enters by rounding.
    largest = (1.0 + 1e-9) * null_gradient(problem) / max(l1_ratio, 1e-3)
    if largest <= 0.0:
        largest = np.finfo(float).eps
    if eps is None:
        eps = 1e-4 if problem.X.shape[0] > problem.X.shape[1] else 1e-2
    return np.geomspace(largest, largest * eps, n_alphas) if n_alphas > 1 else np.array([largest])


def null_gradient(problem):
    """The largest gradient of the mean loss with respect to a slope, at the model without slopes.

    This is the smallest L1 penalty at which all slopes are zero.
    """
    start = coordinate_path(problem, [1e300], [0.0], tol=1e300, max_iter=1)
    loss = problem.loss()
    gradient = loss.plain_gradient(loss.value_and_gradient(loss.from_plain(start.theta[0]))[1])
    return float(np.abs(gradient[:, : problem.X.shape[1]]).max(initial=0.0))


def _ridge_path(problem, grid, tol, max_iter):
    problem = replace(problem, X=by_rows(problem.X))
    theta = np.zeros(problem.shape)
    thetas, n_iters, status = [], [], []
    for alpha in grid:
        loss = problem.loss(float(alpha))
        result = minimise_logistic(loss, loss.from_plain(theta), solver="lbfgs", tol=tol, max_iter=max_iter)
        theta = loss.to_plain(result.phi)
        thetas.append(theta)
        n_iters.append(result.n_iter)
        status.append(result.status)
    return np.array(thetas), np.array(n_iters), np.array(status)
