"""Lasso and elastic net for one strength of the penalty, and whole paths of them."""

import numbers
import sys
from dataclasses import dataclass

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_array, check_consistent_length, validate_data

from statlearn._core import native
from statlearn._core.params import Int, Options, Real, check_arguments, check_params
from statlearn._core.statistics import CrossProducts
from statlearn._core.validation import FLOATS, check_weights
from statlearn._core.warnings import OK, warn

from ._base import LinearRegressorMixin
from ._penalty import PENALTY_SCALE, elastic_net_terms

# Cross-products of all features are formed at once when the rows outnumber them by this factor.
_TALL = 2


@dataclass
class PathFits:
    """Several paths: coefficients (paths, models, features), duality gaps on the scale of a sum, passes, status."""

    coef: np.ndarray
    gap: np.ndarray
    n_iter: np.ndarray
    status: np.ndarray


@dataclass
class Solver:
    """How paths are solved, whatever the data."""

    tol: float = 1e-4
    max_iter: int = 1000
    positive: bool = False
    selection: str = "cyclic"
    random_state: object = None

    def _run(self, function, data, l1, l2, factor, init, p):
        paths, models = l1.shape
        random = self.selection == "random"
        seed = int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max)) if random else 0
        fits = PathFits(
            np.empty((paths, models, p)),
            np.empty((paths, models)),
            np.zeros((paths, models), np.int32),
            np.zeros(paths, np.int32),
        )
        if factor is not None:
            factor = np.ascontiguousarray(factor, dtype=np.float64)
        if init is not None:
            init = np.ascontiguousarray(np.atleast_2d(init), dtype=np.float64)
        # The kernel compares the gap with tol |y|^2; the documented scale is the objective at 0, |y|^2 / 2.
        function(
            *data,
            np.ascontiguousarray(l1),
            np.ascontiguousarray(l2),
            factor,
            init,
            0.5 * self.tol,
            int(self.max_iter),
            self.positive,
            random,
            seed,
            fits.coef,
            fits.gap,
            fits.n_iter,
            fits.status,
        )
        return fits

    def from_data(self, X, Y, weights, l1, l2, *, centre, factor=None, init=None):
        """Paths on rows: X dense (column-major) or CSC; Y and weights have one row per path, or one for all."""
        Y = np.ascontiguousarray(Y, dtype=np.float64)
        if weights is not None:
            weights = np.ascontiguousarray(np.atleast_2d(weights), dtype=np.float64)
        if sparse.issparse(X):
            data = (X.data, X.indices.astype(np.int32, copy=False), X.indptr.astype(np.int32, copy=False))
            function = native.linear.enet_path_sparse
        else:
            data, function = (X,), native.linear.enet_path_dense
        return self._run(function, (*data, Y, weights, centre), l1, l2, factor, init, X.shape[1])

    def from_gram(self, G, target_dot, target_norm2, l1, l2, *, factor=None, init=None):
        """Paths on cross-products: G (paths or 1, p, p), X'y (paths, p) and y'y (paths,)."""
        data = (
            np.ascontiguousarray(G, dtype=np.float64),
            np.ascontiguousarray(target_dot, dtype=np.float64),
            np.ascontiguousarray(target_norm2, dtype=np.float64),
        )
        return self._run(native.linear.enet_path_gram, data, l1, l2, factor, init, G.shape[2])


def warn_unless_converged(fits, scale, tolerance):
    """A ConvergenceWarning when a path reports that a model stopped early; `scale` turns sums into means."""
    if np.all(fits.status == OK):
        return
    if not np.all(np.isfinite(fits.coef)):
        return  # refused by the caller, with the reason
    warn(
        "Objective did not converge. You might want to increase the number of iterations (max_iter), check the scale "
        "of the features or consider increasing regularisation (alpha). "
        f"Duality gap: {np.max(fits.gap) / scale:.3e}, tolerance: {tolerance / scale:.3e}",
        ConvergenceWarning,
    )


def check_factor(penalty_factor, n_features):
    """The penalty factors as an array, or None."""
    if penalty_factor is None:
        return None
    factor = check_array(penalty_factor, ensure_2d=False, dtype=np.float64, input_name="penalty_factor")
    if factor.shape != (n_features,):
        raise ValueError(f"penalty_factor must have shape ({n_features},), one per feature, got {factor.shape}")
    if np.any(factor < 0):
        raise ValueError("penalty_factor must not be negative")
    return factor


def column_means(X, weights, columns=slice(None)):
    """Weighted means of (some) columns, in double precision."""
    part = X[:, columns]
    n = X.shape[0]
    if weights is None:
        return np.asarray(part.sum(axis=0, dtype=np.float64)).ravel() / n
    return np.asarray(np.asarray(weights, np.float64) @ part).ravel() / np.sum(weights, dtype=np.float64)


def largest_alpha(X, y, weights, *, centre, l1_ratio, penalty_scale="sklearn", factor=None, positive=False):
    """The smallest alpha for which every penalised coefficient is 0."""
    if l1_ratio == 0:
        raise ValueError(
            "Automatic alpha grid generation is not supported for l1_ratio=0. Please supply a grid by providing your "
            "estimator with the appropriate `alphas=` argument."
        )
    w = np.ones(X.shape[0]) if weights is None else np.asarray(weights, np.float64)
    y = np.asarray(y, dtype=np.float64)
    if centre:
        y = y - np.average(y, weights=w)
    total = w.sum()
    if factor is not None and np.any(factor == 0):
        # What the unpenalised columns explain is gone before the first penalised one enters.
        free = X[:, np.flatnonzero(factor == 0)]
        free = (free.toarray() if sparse.issparse(free) else free) - (
            column_means(X, weights, np.flatnonzero(factor == 0)) if centre else 0.0
        )
        root = np.sqrt(w)[:, None]
        y = y - free @ np.linalg.lstsq(root * free, root[:, 0] * y, rcond=None)[0]
    wy = w * y
    # In X's own precision: a copy of X would cost more than everything else here.
    dot = np.asarray(X.T @ wy.astype(X.dtype), dtype=np.float64)
    if centre:
        dot -= column_means(X, weights) * wy.sum()
    size = np.maximum(dot, 0.0) if positive else np.abs(dot)
    if factor is not None:
        size = size[factor > 0] / factor[factor > 0]
    l1, _ = elastic_net_terms(1.0, l1_ratio, penalty_scale, total)
    return size.max(initial=0.0) / (l1 * total)


def alpha_grid(largest, eps, count):
    """`count` values from the largest alpha down to eps times it, evenly spaced in their logarithm."""
    smallest = np.finfo(np.float64).resolution
    if largest <= smallest:
        return np.full(count, smallest)
    return np.geomspace(largest, largest * eps, num=count)


def path_terms(alphas, l1_ratio, penalty_scale, total):
    """The penalties of each model on the scale of 1/2 RSS, as rows for the kernel."""
    l1, l2 = elastic_net_terms(np.asarray(alphas, np.float64), l1_ratio, penalty_scale, total)
    return np.atleast_2d(l1 * total), np.atleast_2d(l2 * total)


def check_gram(X, gram, centre, weights):
    """The given Gram matrix as doubles, or None (with a warning) when X is not centred as it should be."""
    p = X.shape[1]
    gram = check_array(gram, dtype=FLOATS, input_name="precompute")
    if gram.shape != (p, p):
        raise ValueError(f"Shape of Gram matrix provided is inconsistent: expected {(p, p)}, got {gram.shape}")
    mean = column_means(X, weights) if centre else np.zeros(p)
    if centre and not np.allclose(mean, np.zeros(p)):
        warn(
            "Gram matrix was provided but X was centered to fit intercept: recomputing Gram matrix.",
            UserWarning,
        )
        return None
    a = (p - 1) // 2
    b = min(a + 1, p - 1)
    w = 1.0 if weights is None else weights * (len(weights) / weights.sum())
    expected = np.sum(w * (X[:, a] - mean[a]) * (X[:, b] - mean[b]), dtype=np.float64)
    size = np.sqrt(abs(gram[a, a] * gram[b, b]))
    digits = 1e-4 if np.float32 in (X.dtype, gram.dtype) else 1e-7
    if not abs(expected - gram[a, b]) <= digits * (abs(expected) + size):
        raise ValueError(
            "Gram matrix passed in via 'precompute' parameter did not pass validation when a single element was "
            f"checked - please check that it was computed properly. For element ({a},{b}) we computed {expected} but "
            f"the user-supplied value was {gram[a, b]}."
        )
    return gram


def _grid_argument(n_alphas, alphas):
    """The number of alphas or the array of them, from the two arguments of a path function."""
    if n_alphas != "deprecated":
        warn(
            "'n_alphas' was deprecated in 1.9 and will be removed in 1.11 of scikit-learn, whose signature this is: "
            "pass an integer as 'alphas'.",
            FutureWarning,
        )
    if alphas is None:
        warn(
            "'alphas=None' is deprecated and will be removed in 1.11 of scikit-learn, whose signature this is: "
            "pass 'alphas=100'.",
            FutureWarning,
        )
    if alphas is None or (isinstance(alphas, str) and alphas == "warn"):
        return 100 if n_alphas == "deprecated" else n_alphas
    return alphas


_GRID = [Int(1, None), "array-like", None, Options("warn")]
_COUNT = [Int(1, None), Options("deprecated")]


def lasso_path(
    X,
    y,
    *,
    eps=1e-3,
    n_alphas="deprecated",
    alphas="warn",
    precompute="auto",
    Xy=None,
    copy_X=True,
    coef_init=None,
    verbose=False,
    return_n_iter=False,
    positive=False,
    **params,
):
    r"""Lasso coefficients along a decreasing grid of penalties.

    For each alpha minimises, without an intercept (centre X and y first),

    .. math:: \frac{1}{2n} \lVert y - X w \rVert^2 + \alpha \lVert w \rVert_1

    the loss being a mean with a factor 1/2. Every model is returned with its exact duality gap, at most `tol` times
    the objective at w = 0.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
        Column-major (Fortran) float arrays and CSC matrices are used in place.
    y : array-like of shape (n_samples,)
    eps : float
        Ratio of the smallest alpha to the largest, when the grid is made here.
    n_alphas : int
        Number of alphas; kept for older code, `alphas` takes it.
    alphas : int or array-like, default 100
        The grid, or the number of values from the largest useful alpha down to `eps` times it.
    precompute : "auto", bool or array-like of shape (n_features, n_features)
        Whether to work on the cross-products of all features, or these themselves. "auto" does when the rows
        outnumber the features.
    Xy : array-like of shape (n_features,) or None
        ``X.T @ y``, used with a given Gram matrix.
    copy_X : bool
        Accepted for compatibility: X is never changed.
    coef_init : array-like of shape (n_features,) or None
        Starting point of the first model.
    verbose : bool or int
        Print a line when the path is done.
    return_n_iter : bool
        Also return the number of passes.
    positive : bool
        Hold the coefficients at or above 0.
    **params
        `tol` (1e-4), `max_iter` (1000), `selection` ("cyclic"), `random_state`, `sample_weight`, `penalty_factor`.

    Returns
    -------
    alphas : ndarray of shape (n_alphas,)
        Decreasing.
    coefs : ndarray of shape (n_features, n_alphas)
    dual_gaps : ndarray of shape (n_alphas,)
        On the scale of the objective.
    n_iters : list of int
        With `return_n_iter`.

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
        alphas=_grid_argument(n_alphas, alphas),
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
    n_alphas="deprecated",
    alphas="warn",
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
    r"""Elastic-net coefficients along a decreasing grid of penalties.

    For each alpha minimises, without an intercept (centre X and y first),

    .. math:: \frac{1}{2n} \lVert y - X w \rVert^2 + \alpha \rho \lVert w \rVert_1
              + \frac{\alpha (1 - \rho)}{2} \lVert w \rVert^2

    with :math:`\rho` = `l1_ratio`. Every model is returned with its exact duality gap, at most `tol` times the
    objective at w = 0.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
        Column-major (Fortran) float arrays and CSC matrices are used in place.
    y : array-like of shape (n_samples,)
    l1_ratio : float in [0, 1]
        1 is the lasso, 0 ridge (which needs explicit `alphas`).
    eps : float
        Ratio of the smallest alpha to the largest, when the grid is made here.
    n_alphas : int
        Number of alphas; kept for older code, `alphas` takes it.
    alphas : int or array-like, default 100
        The grid, or the number of values from the largest useful alpha down to `eps` times it.
    precompute : "auto", bool or array-like of shape (n_features, n_features)
        Whether to work on the cross-products of all features, or these themselves.
    Xy : array-like of shape (n_features,) or None
        ``X.T @ y``, used with a given Gram matrix.
    copy_X : bool
        Accepted for compatibility: X is never changed.
    coef_init : array-like of shape (n_features,) or None
        Starting point of the first model.
    verbose : bool or int
        Print a line when the path is done.
    return_n_iter : bool
        Also return the number of passes.
    positive : bool
        Hold the coefficients at or above 0.
    check_input : bool
        False skips the checks of X, y and the Gram matrix; X must then be column-major.
    **params
        `tol` (1e-4), `max_iter` (1000), `selection` ("cyclic"), `random_state`, `sample_weight`, `penalty_factor`.

    Returns
    -------
    alphas : ndarray of shape (n_alphas,)
        Decreasing.
    coefs : ndarray of shape (n_features, n_alphas)
    dual_gaps : ndarray of shape (n_alphas,)
        On the scale of the objective.
    n_iters : list of int
        With `return_n_iter`.

    See Also
    --------
    lasso_path, ElasticNet, ElasticNetCV

    Notes
    -----
    Correlations of all features with the residual are piecewise linear in alpha: they are extrapolated to choose the
    features of the next few models. These are solved on the cross-products of the chosen features, by coordinate
    descent and, once the signs are known, by a linear system whose Cholesky factor is kept from model to model. One
    pass over X then certifies several models at a time; a feature that was missed makes the model be solved again.
    The cost of a path is a few passes over X per ten models plus O(n m^2) for the m features ever chosen.

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
    grid = _grid_argument(n_alphas, alphas)
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
        n_alphas=(n_alphas, _COUNT),
        alphas=(alphas, _GRID),
        precompute=(precompute, [Options("auto"), "boolean", "array-like"]),
        positive=(positive, ["boolean"]),
        tol=(solver.tol, [Real(0, None)]),
        max_iter=(solver.max_iter, [Int(1, None)]),
    )
    if check_input:
        X = check_array(X, accept_sparse="csc", dtype=FLOATS, order="F", accept_large_sparse=False)
        y = check_array(y, dtype=X.dtype, ensure_2d=False, input_name="y")
        check_consistent_length(X, y)
    if y.ndim == 2 and y.shape[1] == 1:
        y = y.ravel()
    if y.ndim != 1:
        if positive:
            raise ValueError("positive=True is not allowed for multi-output (y.ndim != 1)")
        raise ValueError("y must have one column: compute the path of each target on its own.")
    weights = check_weights(weights, X)
    factor = check_factor(factor, X.shape[1])
    total = X.shape[0] if weights is None else float(np.sum(weights, dtype=np.float64))

    if isinstance(grid, numbers.Integral):
        largest = largest_alpha(X, y, weights, centre=False, l1_ratio=l1_ratio, factor=factor, positive=solver.positive)
        grid = alpha_grid(largest, eps, grid)
    else:
        grid = check_alphas(grid)
    l1, l2 = path_terms(grid, l1_ratio, "sklearn", total)
    fits, norm2 = _solve(X, y, weights, l1, l2, solver, precompute, factor, coef_init, Xy=Xy, centre=False)
    warn_unless_converged(fits, total, 0.5 * solver.tol * norm2)
    if verbose:
        sys.stderr.write(f"Path: {len(grid)} models, {int(fits.n_iter.sum())} iterations\n")
    coefs = fits.coef[0].T.astype(X.dtype, copy=False)
    if return_n_iter:
        return grid, coefs, fits.gap[0] / total, fits.n_iter[0].tolist()
    return grid, coefs, fits.gap[0] / total


def check_alphas(alphas):
    """A decreasing float array; an error names the entry that is not a number at least 0."""
    alphas = list(alphas)
    if not alphas:
        raise ValueError("alphas must not be empty")
    for index, alpha in enumerate(alphas):
        if not isinstance(alpha, numbers.Real):
            raise TypeError(f"alphas[{index}] must be an instance of float, not {type(alpha).__name__}")
        if not alpha >= 0.0 or np.isinf(alpha):
            raise ValueError(f"alphas[{index}] == {alpha}, must be >= 0.0.")
    return np.sort(np.asarray(alphas, dtype=np.float64))[::-1]


def _solve(X, y, weights, l1, l2, solver, precompute, factor, init, *, Xy=None, centre):
    """One path by the way that suits the shape of the data; the fits and |y|^2."""
    n, p = X.shape
    dense = not sparse.issparse(X)
    if dense and not X.flags.f_contiguous:
        raise ValueError("X must be column-major (Fortran order) when its check is skipped.")
    given = not isinstance(precompute, (bool, np.bool_, str))
    gram = check_gram(X, precompute, centre, weights) if dense and given else None
    tall = precompute is True or (given and gram is None)
    tall = tall or (isinstance(precompute, str) and n >= _TALL * p and l1.shape[1] > 1)
    if gram is not None:
        w = None if weights is None else weights * (n / weights.sum())
        yc = np.asarray(y, np.float64)
        yc = yc - np.average(yc, weights=w) if centre else yc
        wy = yc if w is None else w * yc
        dot = np.asarray(Xy, np.float64).ravel() if Xy is not None else np.asarray(X.T @ wy, np.float64)
        norm2 = float(yc @ wy)
        scale = 1.0 if weights is None else n / float(weights.sum())
        fits = solver.from_gram(
            gram[None], dot[None], np.array([norm2]), l1 * scale, l2 * scale, factor=factor, init=init
        )
        fits.gap /= scale
        return fits, norm2 / scale
    if dense and tall:
        Sxx, Sxy, Syy = _cross_products(X, y, weights, centre)
        return solver.from_gram(Sxx[None], Sxy.T, Syy.ravel(), l1, l2, factor=factor, init=init), float(Syy[0, 0])
    fits = solver.from_data(X, y[None], weights, l1, l2, centre=centre, factor=factor, init=init)
    yc = np.asarray(y, np.float64)
    yc = yc - np.average(yc, weights=weights) if centre else yc
    return fits, float(yc @ yc if weights is None else yc @ (weights * yc))


def _cross_products(X, y, weights, centre):
    if weights is not None and not np.all(weights > 0):
        X, y, weights = X[weights > 0], np.asarray(y)[weights > 0], weights[weights > 0]
    products = CrossProducts.from_block(X, np.asarray(y), weights, centre=centre)
    return products.centred() if centre else products.uncentred()


class ElasticNet(LinearRegressorMixin, BaseEstimator):
    r"""Least squares with a mixture of an L1 and an L2 penalty on the slopes.

    Minimises over slopes w and an unpenalised intercept b, with S the sum of the weights s_i and
    :math:`\rho` = `l1_ratio`,

    .. math:: \frac{1}{2S} \sum_i s_i (y_i - b - x_i^\top w)^2 + \alpha \rho \lVert w \rVert_1
              + \frac{\alpha (1 - \rho)}{2} \lVert w \rVert^2

    The loss is a weighted mean with a factor 1/2. Stops when the duality gap is at most `tol` times the objective at
    w = 0, that is `tol` times half the variance of y.

    Parameters
    ----------
    alpha : float
        Strength of the penalty. With 0, use LinearRegression instead.
    l1_ratio : float in [0, 1]
        1 is the lasso, 0 is ridge.
    fit_intercept : bool
        Whether to estimate the intercept; without it the data are taken as centred.
    precompute : bool or array-like of shape (n_features, n_features)
        Work on the cross-products of all features, or on these, given (of centred X). Ignored for sparse X.
    max_iter : int
        Passes over the working set at most.
    copy_X : bool
        Accepted for compatibility: X is never changed.
    tol : float
        See above.
    warm_start : bool
        Start from the coefficients of the previous fit.
    positive : bool
        Hold the slopes at or above 0.
    random_state : int, RandomState or None
        Used when `selection` is "random".
    selection : {"cyclic", "random"}
        Order of the coordinates. "cyclic" is also allowed to solve for all active coordinates at once.
    penalty_scale : {"sklearn", "half_rss", "rss"}
        Meaning of `alpha`: the objective above; RSS/2 + alpha (rho abs(w)_1 + (1 - rho) w'w); or the same with RSS.
    penalize_intercept : bool
        Treat the intercept as one more slope, of a column of ones.
    penalty_factor : array-like of shape (n_features,) or None
        Multiplies the penalty of each feature; 0 leaves it unpenalised.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,) or (n_targets, n_features)
    intercept_ : float or ndarray of shape (n_targets,)
    dual_gap_ : float or ndarray of shape (n_targets,)
        Exact duality gap on the scale of the objective (mean loss).
    n_iter_ : int or list of int
        Passes and Newton steps.
    sparse_coef_ : sparse array
        `coef_` as a sparse row or matrix.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    See Also
    --------
    Lasso, ElasticNetCV, enet_path, AdaptiveLasso

    Notes
    -----
    Standardise the features first: the penalty compares slopes. The elastic net keeps groups of correlated features
    together where the lasso picks one of them. Several targets are fitted one by one. The algorithm is described in
    `enet_path`; a column-major float array is used without a copy.

    References
    ----------
    Zou & Hastie (2005), Regularization and variable selection via the elastic net.

    Examples
    --------
    >>> from statlearn.linear import ElasticNet
    >>> model = ElasticNet(alpha=0.1).fit([[0.0], [1.0], [2.0]], [0.0, 1.0, 2.0])
    >>> model.coef_.round(4)
    array([0.8605])
    """

    _constraints = {
        "alpha": [Real(0, None)],
        "l1_ratio": [Real(0, 1, closed="both")],
        "fit_intercept": ["boolean"],
        "precompute": ["boolean", "array-like"],
        "max_iter": [Int(1, None), None],
        "copy_X": ["boolean"],
        "tol": [Real(0, None)],
        "warm_start": ["boolean"],
        "positive": ["boolean"],
        "random_state": ["random_state"],
        "selection": [Options("cyclic", "random")],
        "penalty_scale": PENALTY_SCALE,
        "penalize_intercept": ["boolean"],
        "penalty_factor": ["array-like", None],
    }

    path = staticmethod(enet_path)

    def __init__(
        self,
        alpha=1.0,
        *,
        l1_ratio=0.5,
        fit_intercept=True,
        precompute=False,
        max_iter=1000,
        copy_X=True,
        tol=1e-4,
        warm_start=False,
        positive=False,
        random_state=None,
        selection="cyclic",
        penalty_scale="sklearn",
        penalize_intercept=False,
        penalty_factor=None,
    ):
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.fit_intercept = fit_intercept
        self.precompute = precompute
        self.max_iter = max_iter
        self.copy_X = copy_X
        self.tol = tol
        self.warm_start = warm_start
        self.positive = positive
        self.random_state = random_state
        self.selection = selection
        self.penalty_scale = penalty_scale
        self.penalize_intercept = penalize_intercept
        self.penalty_factor = penalty_factor

    def fit(self, X, y, sample_weight=None, check_input=True):
        """Fit the model.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
        sample_weight : array-like of shape (n_samples,), float or None
            Weight k counts as k copies of the row; only ratios matter on the default `penalty_scale`.
        check_input : bool
            False skips the checks of X and y; X must then be a float array, column-major unless there are weights.

        Returns
        -------
        self
        """
        check_params(self)
        if self.alpha == 0:
            warn(
                "With alpha=0, this algorithm does not converge well. You are advised to use the LinearRegression "
                "estimator",
            )
        if check_input:
            X, y = validate_data(
                self,
                X,
                y,
                accept_sparse="csc",
                order="F",
                dtype=FLOATS,
                accept_large_sparse=False,
                multi_output=True,
                y_numeric=True,
            )
        y = np.asarray(y, dtype=np.float64)
        weights = None if isinstance(sample_weight, numbers.Number) else check_weights(sample_weight, X)
        if weights is not None and not sparse.issparse(X):
            X = np.asfortranarray(X)
        return self._fit_checked(X, y, weights)

    def _l1_ratio(self):
        return self.l1_ratio

    def _fit_checked(self, X, y, weights):
        p = X.shape[1]
        factor = check_factor(self.penalty_factor, p)
        column = self.fit_intercept and self.penalize_intercept
        centre = self.fit_intercept and not column
        data = X
        if column:
            data = _with_ones(X)
            factor = None if factor is None else np.append(factor, 1.0)
        total = X.shape[0] if weights is None else float(np.sum(weights, dtype=np.float64))
        l1, l2 = path_terms([self.alpha], self._l1_ratio(), self.penalty_scale, total)
        solver = Solver(
            self.tol, 1000 if self.max_iter is None else self.max_iter, self.positive, self.selection, self.random_state
        )
        targets = y.reshape(len(y), -1).T
        start = None
        if self.warm_start and hasattr(self, "coef_"):
            start = np.atleast_2d(self.coef_)
            if start.shape != (len(targets), p):
                start = None
            elif column:
                start = np.column_stack([start, np.broadcast_to(self.intercept_, len(targets))])
        plain = self.precompute is False and len(targets) > 1
        if plain:  # all targets at once, in parallel
            repeat = (len(targets), 1)
            if not sparse.issparse(data) and not data.flags.f_contiguous:
                raise ValueError("X must be column-major (Fortran order) when its check is skipped.")
            fits = solver.from_data(
                data,
                targets,
                weights,
                np.tile(l1, repeat),
                np.tile(l2, repeat),
                centre=centre,
                factor=factor,
                init=start,
            )
            parts = [
                PathFits(fits.coef[k : k + 1], fits.gap[k : k + 1], fits.n_iter[k : k + 1], fits.status[k : k + 1])
                for k in range(len(targets))
            ]
            norms = [_norm2(t, weights, centre) for t in targets]
        else:
            parts, norms = [], []
            for k, target in enumerate(targets):
                init = None if start is None else start[k]
                fits, norm2 = _solve(
                    data, target, weights, l1, l2, solver, self.precompute, factor, init, centre=centre
                )
                parts.append(fits)
                norms.append(norm2)
        coef = np.stack([part.coef[0, 0] for part in parts])
        if not np.all(np.isfinite(coef)):
            raise ValueError(
                "Coordinate descent iterations resulted in non-finite parameter values. The input data may contain "
                "large values and need to be preprocessed."
            )
        for part, norm2 in zip(parts, norms):
            warn_unless_converged(part, total, 0.5 * self.tol * norm2)
        intercept = coef[:, -1] if column else np.zeros(len(targets))
        coef = coef[:, :p]
        if centre:
            used = np.flatnonzero(np.any(coef != 0, axis=0))
            intercept = np.average(targets, axis=1, weights=weights)
            intercept = intercept - coef[:, used] @ column_means(X, weights, used)
        coef = coef.astype(X.dtype)
        gaps = np.array([part.gap[0, 0] / total for part in parts])
        n_iter = [int(part.n_iter[0, 0]) for part in parts]
        single = len(targets) == 1
        self.coef_ = coef[0] if single else coef
        self.n_iter_ = n_iter[0] if single else n_iter
        self.dual_gap_ = float(gaps[0]) if single else gaps
        if not self.fit_intercept:
            self.intercept_ = 0.0
        else:
            intercept = intercept.astype(X.dtype)
            self.intercept_ = intercept[0] if y.ndim == 1 else intercept
        return self

    @property
    def sparse_coef_(self):
        """`coef_` as a sparse array with one row per target."""
        return sparse.csr_array(np.atleast_2d(self.coef_))

    def summary(self):
        """Refuses: there are no honest standard errors for penalised coefficients."""
        raise ValueError(
            f"{type(self).__name__} shrinks and selects coefficients: their standard errors, t and p values do not "
            "hold. Refit the selected columns by LinearRegression on data that did not choose them."
        )

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.multi_output = True
        return tags


def _norm2(target, weights, centre):
    deviation = target - np.average(target, weights=weights) if centre else target
    return float(deviation @ deviation if weights is None else deviation @ (weights * deviation))


def _with_ones(X):
    if sparse.issparse(X):
        return sparse.hstack([X, np.ones((X.shape[0], 1), dtype=X.dtype)], format="csc")
    return np.asfortranarray(np.column_stack([X, np.ones(X.shape[0], dtype=X.dtype)]))


class Lasso(ElasticNet):
    r"""Least squares with an L1 penalty on the slopes.

    Minimises over slopes w and an unpenalised intercept b, with S the sum of the weights s_i,

    .. math:: \frac{1}{2S} \sum_i s_i (y_i - b - x_i^\top w)^2 + \alpha \lVert w \rVert_1

    The loss is a weighted mean with a factor 1/2. Stops when the duality gap is at most `tol` times the objective at
    w = 0, that is `tol` times half the variance of y.

    Parameters
    ----------
    alpha : float
        Strength of the penalty. With 0, use LinearRegression instead.
    fit_intercept : bool
        Whether to estimate the intercept; without it the data are taken as centred.
    precompute : bool or array-like of shape (n_features, n_features)
        Work on the cross-products of all features, or on these, given (of centred X). Ignored for sparse X.
    copy_X : bool
        Accepted for compatibility: X is never changed.
    max_iter : int
        Passes over the working set at most.
    tol : float
        See above.
    warm_start : bool
        Start from the coefficients of the previous fit.
    positive : bool
        Hold the slopes at or above 0.
    random_state : int, RandomState or None
        Used when `selection` is "random".
    selection : {"cyclic", "random"}
        Order of the coordinates. "cyclic" is also allowed to solve for all active coordinates at once.
    penalty_scale : {"sklearn", "half_rss", "rss"}
        Meaning of `alpha`: the objective above, RSS/2 + alpha abs(w)_1, or RSS + alpha abs(w)_1.
    penalize_intercept : bool
        Treat the intercept as one more slope, of a column of ones.
    penalty_factor : array-like of shape (n_features,) or None
        Multiplies the penalty of each feature; 0 leaves it unpenalised.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,) or (n_targets, n_features)
    intercept_ : float or ndarray of shape (n_targets,)
    dual_gap_ : float or ndarray of shape (n_targets,)
        Exact duality gap on the scale of the objective (mean loss).
    n_iter_ : int or list of int
        Passes and Newton steps.
    sparse_coef_ : sparse array
        `coef_` as a sparse row or matrix.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    See Also
    --------
    LassoCV, lasso_path, LassoLars, AdaptiveLasso, ElasticNet

    Notes
    -----
    Standardise the features first: the penalty compares slopes. The lasso suits few strong effects; of correlated
    features it keeps one, more or less by chance. Choose alpha by cross-validation (LassoCV, `rule="one_se"`). Several
    targets are fitted one by one. The algorithm is described in `enet_path`; a column-major float array is used
    without a copy.

    References
    ----------
    Tibshirani (1996), Regression shrinkage and selection via the lasso.

    Examples
    --------
    >>> from statlearn.linear import Lasso
    >>> model = Lasso(alpha=0.1).fit([[0, 0], [1, 1], [2, 2]], [0, 1, 2])
    >>> model.coef_.round(4)
    array([0.85, 0.  ])
    >>> round(float(model.intercept_), 4)
    0.15
    """

    _constraints = {name: rule for name, rule in ElasticNet._constraints.items() if name != "l1_ratio"}

    path = staticmethod(enet_path)

    def __init__(
        self,
        alpha=1.0,
        *,
        fit_intercept=True,
        precompute=False,
        copy_X=True,
        max_iter=1000,
        tol=1e-4,
        warm_start=False,
        positive=False,
        random_state=None,
        selection="cyclic",
        penalty_scale="sklearn",
        penalize_intercept=False,
        penalty_factor=None,
    ):
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.precompute = precompute
        self.copy_X = copy_X
        self.max_iter = max_iter
        self.tol = tol
        self.warm_start = warm_start
        self.positive = positive
        self.random_state = random_state
        self.selection = selection
        self.penalty_scale = penalty_scale
        self.penalize_intercept = penalize_intercept
        self.penalty_factor = penalty_factor

    def _l1_ratio(self):
        return 1.0
