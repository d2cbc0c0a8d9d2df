"""Lasso and elastic-net paths over a grid of penalties."""

import numbers
import sys

import numpy as np
from sklearn.utils import assert_all_finite
from sklearn.utils.validation import check_array

from statlearn._core.params import Int, Options, Real, check_arguments
from statlearn._core.validation import FLOATS, check_same_length, check_weights
from statlearn._math.penalties.elastic_net import ElasticNetPenalty
from statlearn._math.penalties.scales import elastic_net_terms
from statlearn._math.rows.rows import Rows
from statlearn.linear._path_cv import alpha_grid, given_alphas

from ._solver import PathProblem, Solver, check_factor, path_terms, warn_unless_converged


def largest_alpha(rows, y, *, l1_ratio, penalty_scale="sklearn", factor=None, positive=False):
    """The smallest alpha for which every penalised coefficient is 0."""
    if l1_ratio == 0:
        raise ValueError(
            "Automatic alpha grid generation is not supported for l1_ratio=0. Please supply a grid by providing your "
            "estimator with the appropriate `alphas=` argument."
        )
    y = np.asarray(y, dtype=np.float64)
    y = y - rows.average(y)
    if factor is not None and np.any(factor == 0):
        # The unpenalised columns are fitted before the first penalised one enters.
        free = np.flatnonzero(factor == 0)
        coef = np.linalg.lstsq(rows.dense(columns=free), rows.rooted(y[:, None])[:, 0], rcond=None)[0]
        y = y - (rows.X[:, free] @ coef - rows.means(free) @ coef)
    wy = rows.weighted(y)
    # In X's own precision: a copy of X would cost more than everything else here.
    dot = np.asarray(rows.X.T @ wy.astype(rows.X.dtype), dtype=np.float64)
    if rows.centre:
        dot -= rows.mean * wy.sum()
    l1, _ = elastic_net_terms(1.0, l1_ratio, penalty_scale, rows.total_weight)
    return ElasticNetPenalty(l1 * rows.total_weight, factor=factor, positive=positive).largest(-dot)


def lasso_path(
    X,
    y,
    *,
    eps=1e-3,
    alphas=100,
    precompute="auto",
    Xy=None,
    copy_X=True,
    coef_init=None,
    verbose=False,
    return_n_iter=False,
    positive=False,
    **params,
):
    r"""Lasso path by coordinate descent.

    For each alpha minimises, without an intercept (centre X and y first),

    .. math:: \frac{1}{2n} \lVert y - X w \rVert^2 + \alpha \lVert w \rVert_1

    The loss is a mean with a factor 1/2. Every model is returned with its exact duality gap, which is at most `tol`
    times the objective at w = 0.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
        Column-major (Fortran) float arrays and CSC matrices are used in place.
    y : array-like of shape (n_samples,)
    eps : float, default=0.001
        Ratio of the smallest alpha to the largest in an automatic grid.
    alphas : int or array-like, default 100
        The grid, or the number of values from the largest useful alpha down to `eps` times it.
    precompute : "auto", bool or array-like of shape (n_features, n_features), default="auto"
        Whether to use the cross-products of all features, or these cross-products themselves. "auto" uses them if there
        are more rows than features.
    Xy : array-like of shape (n_features,) or None, default=None
        ``X.T @ y``, used with a given Gram matrix.
    copy_X : bool, default=True
        Accepted for compatibility. X is never modified.
    coef_init : array-like of shape (n_features,) or None, default=None
        Starting point of the first model.
    verbose : bool or int, default=False
        Print a line when the path is complete.
    return_n_iter : bool, default=False
        Also return the number of passes.
    positive : bool, default=False
        Restrict the coefficients to be non-negative.
    **params
        `tol` (1e-4), `max_iter` (1000), `selection` ("cyclic"), `random_state`, `sample_weight`, `penalty_factor`.

    Returns
    -------
    alphas : ndarray of shape (n_alphas,)
        Penalties in decreasing order.
    coefs : ndarray of shape (n_features, n_alphas)
    dual_gaps : ndarray of shape (n_alphas,)
        On the scale of the objective.
    n_iters : list of int
        Only with ``return_n_iter=True``.

    See Also
    --------
    enet_path, Lasso, LassoCV

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.linear import lasso_path
    >>> X = np.array([[1, 2, 3.1], [2.3, 5.4, 4.3]]).T
    >>> y = np.array([1, 2, 3.1])
    >>> alphas, coefs, gaps = lasso_path(X, y, alphas=[5.0, 1.0, 0.5])
    >>> coefs.round(4)
    array([[0.    , 0.    , 0.4692],
           [0.2159, 0.4426, 0.2367]])
    """
    return enet_path(
        X,
        y,
        l1_ratio=1.0,
        eps=eps,
        alphas=alphas,
        precompute=precompute,
        Xy=Xy,
        copy_X=copy_X,
        coef_init=coef_init,
        verbose=verbose,
        return_n_iter=return_n_iter,
        positive=positive,
        **params,
    )


def enet_path(
    X,
    y,
    *,
    l1_ratio=0.5,
    eps=1e-3,
    alphas=100,
    precompute="auto",
    Xy=None,
    copy_X=True,
    coef_init=None,
    verbose=False,
    return_n_iter=False,
    positive=False,
    check_input=True,
    **params,
):
    r"""Elastic-net path by coordinate descent.

    For each alpha minimises, without an intercept (centre X and y first),

    .. math:: \frac{1}{2n} \lVert y - X w \rVert^2 + \alpha \rho \lVert w \rVert_1
              + \frac{\alpha (1 - \rho)}{2} \lVert w \rVert^2

    with :math:`\rho` = `l1_ratio`. Every model is returned with its exact duality gap, which is at most `tol`
    times the objective at w = 0.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
        Column-major (Fortran) float arrays and CSC matrices are used in place.
    y : array-like of shape (n_samples,)
    l1_ratio : float in [0, 1], default=0.5
        1 is the lasso, 0 is ridge (which requires explicit `alphas`).
    eps : float, default=0.001
        Ratio of the smallest alpha to the largest in an automatic grid.
    alphas : int or array-like, default 100
        The grid, or the number of values from the largest useful alpha down to `eps` times it.
    precompute : "auto", bool or array-like of shape (n_features, n_features), default="auto"
        Whether to use the cross-products of all features, or these cross-products themselves.
    Xy : array-like of shape (n_features,) or None, default=None
        ``X.T @ y``, used with a given Gram matrix.
    copy_X : bool, default=True
        Accepted for compatibility. X is never modified.
    coef_init : array-like of shape (n_features,) or None, default=None
        Starting point of the first model.
    verbose : bool or int, default=False
        Print a line when the path is complete.
    return_n_iter : bool, default=False
        Also return the number of passes.
    positive : bool, default=False
        Restrict the coefficients to be non-negative.
    check_input : bool, default=True
        False skips the validation of X, y and the Gram matrix; X must then be column-major.
    **params
        `tol` (1e-4), `max_iter` (1000), `selection` ("cyclic"), `random_state`, `sample_weight`, `penalty_factor`.

    Returns
    -------
    alphas : ndarray of shape (n_alphas,)
        Penalties in decreasing order.
    coefs : ndarray of shape (n_features, n_alphas)
    dual_gaps : ndarray of shape (n_alphas,)
        On the scale of the objective.
    n_iters : list of int
        Only with ``return_n_iter=True``.

    See Also
    --------
    lasso_path, ElasticNet, ElasticNetCV

    Notes
    -----
    The correlations of the features with the residual are piecewise linear in alpha, so they are extrapolated to choose
    the features of the next few models. These models are solved on the cross-products of the chosen features, by
    coordinate descent and, once the signs are known, by a linear system whose Cholesky factor is updated from model to
    model. One pass over X then certifies several models at a time; if a feature was missed, the model is solved again.
    A path costs a few passes over X per ten models plus O(n m^2) for the m features ever chosen.

    References
    ----------
    Friedman, Hastie & Tibshirani (2010), Regularization paths for generalized linear models via coordinate descent.
    Tibshirani et al. (2012), Strong rules for discarding predictors in lasso-type problems.
    Massias, Gramfort & Salmon (2018), Celer: a fast solver for the lasso with dual extrapolation.
    Larsson & Wallin (2022), The Hessian screening rule.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.linear import enet_path
    >>> X = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]])
    >>> y = np.array([1.0, 0.5, -1.5])
    >>> alphas, coefs, gaps = enet_path(X, y, alphas=3)
    >>> coefs.shape
    (2, 3)
    """
    params = dict(params)
    weights = params.pop("sample_weight", None)
    factor = params.pop("penalty_factor", None)
    solver = Solver(
        tol=params.pop("tol", 1e-4),
        max_iter=params.pop("max_iter", 1000),
        positive=bool(positive),
        selection=params.pop("selection", "cyclic"),
        random_state=params.pop("random_state", None),
    )
    if params:
        raise ValueError("Unexpected parameters in params", params.keys())
    if solver.selection not in ("cyclic", "random"):
        raise ValueError("selection should be either random or cyclic.")
    check_arguments(
        enet_path,
        l1_ratio=(l1_ratio, [Real(0, 1, closed="both")]),
        eps=(eps, [Real(0, None, closed="neither"), None]),
        alphas=(alphas, [Int(1, None), "array-like"]),
        precompute=(precompute, [Options("auto"), "boolean", "array-like"]),
        positive=(positive, ["boolean"]),
        tol=(solver.tol, [Real(0, None)]),
        max_iter=(solver.max_iter, [Int(1, None)]),
    )
    if check_input:
        X = check_array(
            X, accept_sparse="csc", dtype=FLOATS, order="F", accept_large_sparse=False, ensure_all_finite=False
        )
        y = check_array(y, dtype=X.dtype, ensure_2d=False, input_name="y")
        check_same_length(X, y)
        # Non-finite values show up in the cross-products, which saves a pass over X.
        made_here = isinstance(alphas, numbers.Integral)
        if (
            made_here
            or weights is not None
            or not PathProblem(Rows(X), solver, precompute=precompute).by_products(np.size(alphas))
        ):
            assert_all_finite(X)
    if y.ndim == 2 and y.shape[1] == 1:
        y = y.ravel()
    if y.ndim != 1:
        if positive:
            raise ValueError("positive=True is not allowed for multi-output (y.ndim != 1)")
        raise ValueError("y must have one column; compute the path of each target separately.")
    weights = check_weights(weights, X)
    factor = check_factor(factor, X.shape[1])
    rows = Rows(X, weights)
    total = rows.total_weight
    if isinstance(alphas, numbers.Integral):
        largest = largest_alpha(rows, y, l1_ratio=l1_ratio, factor=factor, positive=solver.positive)
        grid = alpha_grid(largest, eps, alphas)
    else:
        grid = given_alphas(alphas)
    l1, l2 = path_terms(grid, l1_ratio, "sklearn", total)
    fits = PathProblem(rows, solver, factor, precompute).solve(y, l1, l2, init=coef_init, Xy=Xy)
    if not fits.converged:
        warn_unless_converged(fits, total, 0.5 * solver.tol * rows.squared_norm(np.asarray(y, np.float64)))
    if verbose:
        sys.stderr.write(f"Path: {len(grid)} models, {int(fits.n_iter.sum())} iterations\n")
    coefs = fits.coef[0].T.astype(X.dtype, copy=False)
    if return_n_iter:
        return grid, coefs, fits.gap[0] / total, fits.n_iter[0].tolist()
    return grid, coefs, fits.gap[0] / total
