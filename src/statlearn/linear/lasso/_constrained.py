"""Norm-constrained least squares: the constrained forms of ridge, lasso and bridge regression."""

from dataclasses import dataclass

import numpy as np
from scipy import optimize
from sklearn.utils.validation import check_X_y

from statlearn._core.params import Real, check_arguments
from statlearn._core.validation import check_weights
from statlearn._math.penalties.scales import elastic_net_terms, ridge_lambda
from statlearn._math.rows.rows import Rows
from statlearn.linear._penalty import PENALTY_SCALE
from statlearn.linear.ridge._path import check_alphas
from statlearn.linear.ridge._spectrum import RidgeProducts

from ._bridge import lasso_knots, solve_bridge


@dataclass
class ConstrainedFit:
    """Result of `constrained_ls`: slopes, intercept, multiplier, and whether the constraint binds."""

    coef: np.ndarray
    intercept: float
    multiplier: float
    active: bool


def _norm(coef, p, axis=0):
    return np.linalg.norm(coef, ord=p, axis=axis)


def _checked(X, y, sample_weight, fit_intercept):
    X, y = check_X_y(X, y, dtype=np.float64, y_numeric=True)
    return X, y, check_weights(sample_weight, X)


def constrained_ls(X, y, budget, *, p=2, fit_intercept=True, sample_weight=None):
    r"""Least squares subject to a norm constraint, \|w\|_p ≤ budget.

    .. math:: \min_{b, w} \sum_i s_i (y_i - b - x_i^\top w)^2 \quad\text{subject to}\quad \lVert w \rVert_p \le t

    with an unconstrained intercept. p = 2 is ridge and p = 1 the lasso, at the penalty whose solution has exactly this
    norm. That penalty is the multiplier.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
    budget : float
        The bound t on the norm, non-negative.
    p : float, default=2
        The norm, at least 1; ``numpy.inf`` bounds every slope.
    fit_intercept : bool, default=True
    sample_weight : array-like of shape (n_samples,) or None, default=None

    Returns
    -------
    ConstrainedFit
        With ``coef``, ``intercept``, ``multiplier`` (λ of RSS + λ Σ\|w\|^p; NaN for p = inf) and ``active`` (whether
        the constraint binds; if not, this is least squares and the multiplier is 0).

    Notes
    -----
    p = 2 solves the secular equation of the eigenvalues and p = 1 uses the lasso homotopy; both are exact. Other values
    of p search for the multiplier with the bridge solver. p = inf is a bounded least-squares problem.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.linear import constrained_ls
    >>> X = np.array([[1.0, 0], [0, 1], [-1, 0], [0, -1]])
    >>> fit = constrained_ls(X, X @ [3.0, 0.5], 2.5, p=1)
    >>> fit.coef.round(6), round(float(fit.multiplier), 6)
    (array([2.5, 0. ]), 2.0)
    """
    check_arguments(
        constrained_ls,
        budget=(budget, [Real(0, None)]),
        p=(p, [Real(1, None, closed="both")]),
        fit_intercept=(fit_intercept, ["boolean"]),
    )
    X, y, weights = _checked(X, y, sample_weight, fit_intercept)
    products = RidgeProducts.of_rows(X, y[:, None], weights, fit_intercept)
    coef, multiplier, active = _constrained(products, float(budget), float(p), (X, y, weights))
    intercept = float(products.y_mean[0] - coef @ products.x_mean) if fit_intercept else 0.0
    return ConstrainedFit(coef, intercept, multiplier, active)


def _constrained(products, t, p, data):
    n_features = products.S.shape[0]
    if p == 1.0:
        c, coefs = lasso_knots(products)
        norms = np.abs(coefs).sum(axis=0)
        if t >= norms[-1]:
            return coefs[:, -1], 0.0, False
        # Between knots the solution and its norm are linear in the multiplier.
        k = int(np.searchsorted(norms, t, side="right"))
        share = (t - norms[k - 1]) / (norms[k] - norms[k - 1])
        coef = coefs[:, k - 1] + share * (coefs[:, k] - coefs[:, k - 1])
        return coef, 2.0 * (c[k - 1] + share * (c[k] - c[k - 1])), True
    spectrum = products.spectrum()
    free = spectrum.coef(0.0)[0]
    if np.linalg.norm(free, ord=p) <= t:
        return free, 0.0, False
    if t == 0.0:
        return np.zeros(n_features), np.inf, True
    if np.isinf(p):
        X, y, weights = data
        design = Rows(X, weights, centre=products.x_mean is not None)
        B, _ = design.targets(y[:, None])
        solution = optimize.lsq_linear(design.dense(), B[:, 0], bounds=(-t, t), tol=1e-14, method="bvls")
        return solution.x, np.nan, True

    def solution(penalty):
        return spectrum.coef(penalty)[0] if p == 2.0 else solve_bridge(products, penalty, p, tol=1e-13)[0]

    def excess(log_penalty):
        return np.log(np.linalg.norm(solution(np.exp(log_penalty)), ord=p) / t)

    low = high = np.log(np.trace(products.S) / n_features)
    while excess(high) > 0:
        high += 3.0
    while excess(low) < 0:
        low -= 3.0
    log_penalty = optimize.brentq(excess, low, high, xtol=1e-13, rtol=1e-14) if low < high else low
    penalty = np.exp(log_penalty)
    coef = solution(penalty)
    return coef * (t / np.linalg.norm(coef, ord=p)), penalty, True


def path_to_budget(X, y, alphas, *, p=2, fit_intercept=True, sample_weight=None, penalty_scale="sklearn"):
    r"""Norm of the penalised solution for each penalty, t(α) = \|w(α)\|_p.

    w(α) is the ridge solution for p = 2, the lasso solution for p = 1, and the bridge solution with q = p otherwise;
    :func:`constrained_ls` with budget t(α) returns the same fit.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
    alphas : array-like of shape (k,)
        Non-negative penalties.
    p : float, default=2
        The norm, at least 1 and finite.
    fit_intercept : bool, default=True
    sample_weight : array-like of shape (n_samples,) or None, default=None
    penalty_scale : {"sklearn", "half_rss", "rss"}, default="sklearn"
        The scale of `alphas`; "sklearn" is that of :class:`Ridge` (p = 2), of :class:`Lasso` (p = 1), and
        RSS + α Σ\|w\|^p otherwise.

    Returns
    -------
    ndarray of shape (k,)

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.linear import path_to_budget
    >>> X = np.array([[1.0, 0], [0, 1], [-1, 0], [0, -1]])
    >>> path_to_budget(X, X @ [3.0, 0.5], [0.0, 2.0, 20.0], p=1, penalty_scale="rss")
    array([3.5, 2.5, 0. ])
    """
    check_arguments(
        path_to_budget,
        p=(p, [Real(1, 1e6, closed="left")]),
        fit_intercept=(fit_intercept, ["boolean"]),
        penalty_scale=(penalty_scale, PENALTY_SCALE),
    )
    X, y, weights = _checked(X, y, sample_weight, fit_intercept)
    alphas = check_alphas(alphas)
    products = RidgeProducts.of_rows(X, y[:, None], weights, fit_intercept)
    if p == 1:
        total = len(y) if weights is None else float(weights.sum())
        levels = np.array([elastic_net_terms(a, 1.0, penalty_scale, total)[0] * total for a in alphas])
        c, coefs = lasso_knots(products)
        at = [np.interp(-levels, -c, row) for row in coefs]
        return _norm(np.array(at), 1)
    penalties = ridge_lambda(alphas, penalty_scale)
    if p == 2:
        return _norm(products.spectrum().coefs(penalties)[:, 0], 2, axis=1)
    return np.array([np.linalg.norm(solve_bridge(products, c, float(p))[0], ord=p) for c in penalties])
