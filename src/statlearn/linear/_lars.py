"""Least-angle regression and the lasso path that it gives."""

import math
import warnings
from dataclasses import dataclass

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import validate_data

from statlearn._core import native
from statlearn._core.params import Int, Options, Real, check_arguments, check_params
from statlearn._core.selection import CVCurve
from statlearn._core.validation import FLOATS, check_weights

from ._base import LinearRegressorMixin
from ._design import centred_design
from ._penalty import PENALTY_SCALE, elastic_net_terms

_EPS = float(np.finfo(float).eps)
_MAX_STEPS = 2**31 - 1


@dataclass
class _Path:
    """One path, nodes along the first axis."""

    level: np.ndarray  # largest inner product at each node
    coefs: np.ndarray  # (nodes, p)
    products: np.ndarray  # (nodes, p)
    active: list
    events: np.ndarray  # rows (step, j + 1 or -j - 1)
    n_iter: int


def _solve(X, gram, xy, max_rank, *, method, positive=False, c_min=0.0, max_iter=500, eps=_EPS, keep_path=True):
    """Run the kernel on X (Fortran order) or on the Gram matrix; no more than `max_rank` columns are independent."""
    design = X if gram is None else np.asfortranarray(gram, dtype=np.float64)
    xy = np.ascontiguousarray(xy, dtype=np.float64)
    level, coefs, products, active, events, degenerate, n_iter, status = native.linear.lars_path(
        design, gram is not None, xy, method == "lasso", positive, float(c_min), min(int(max_iter), _MAX_STEPS),
        int(max_rank), float(_EPS if eps is None else eps), keep_path,
    )  # fmt: skip
    if len(degenerate):
        warnings.warn(
            f"Regressors in active set degenerate. Column {degenerate[0]} (the first of "
            f"{len(np.unique(degenerate))}) depends linearly on columns that are already active, so its coefficient "
            "stays 0: the solution is not unique. Remove dependent columns.",
            ConvergenceWarning,
            stacklevel=4,
        )
    if status:
        warnings.warn(
            "The LARS path met more ties between columns than it could resolve. Use coordinate descent, or jitter.",
            ConvergenceWarning,
            stacklevel=4,
        )
    return _Path(level, coefs, products, [int(j) for j in active], events, n_iter)


def _print_steps(path, n_samples):
    print("Step\t\tAdded\t\tDropped\t\tActive set size\t\tC")
    size = 0
    for step, signed in path.events:
        size += 1 if signed > 0 else -1
        added, dropped = (signed - 1, "") if signed > 0 else ("", -signed - 1)
        level = path.level[min(step, len(path.level) - 1)]
        print(f"{step}\t\t{added}\t\t{dropped}\t\t{size}\t\t{level / n_samples:.6g}")


def _gram_for(precompute, X, n_targets=1):
    """The Gram matrix that `precompute` asks for, or None to work on the columns."""
    if precompute is None or precompute is False:
        return None
    if precompute is True or (isinstance(precompute, str) and (X.shape[0] > X.shape[1] or n_targets > 1)):
        return X.T @ X
    if isinstance(precompute, str):
        return None
    gram = np.asarray(precompute)
    if gram.shape != (X.shape[1], X.shape[1]):
        raise ValueError(
            f"The shapes of the inputs Gram and Xy do not match: precompute must have shape "
            f"({X.shape[1]}, {X.shape[1]}), got {gram.shape}."
        )
    return gram


def _check_path_arguments(function, max_iter, alpha_min, method, eps, positive, penalty_scale, **flags):
    check_arguments(
        function,
        max_iter=(max_iter, [Int(0, None)]),
        alpha_min=(alpha_min, [Real(0, None)]),
        method=(method, [Options("lar", "lasso")]),
        eps=(eps, [Real(0, None, closed="neither"), None]),
        positive=(positive, ["boolean"]),
        penalty_scale=(penalty_scale, PENALTY_SCALE),
        **{name: (value, ["boolean"]) for name, value in flags.items()},
    )
    if method == "lar" and positive:
        raise ValueError("Positive constraint not supported for 'lar' coding method.")


def _scale_factor(penalty_scale, total_weight):
    """What a penalty on the given scale is multiplied by to give scikit-learn's alpha."""
    return elastic_net_terms(1.0, 1.0, penalty_scale, total_weight)[0]


def _path_result(path, n_samples, penalty_scale, dtype, verbose, return_path, return_n_iter):
    if verbose > 1:
        _print_steps(path, n_samples)
    alphas = (path.level / n_samples / _scale_factor(penalty_scale, n_samples)).astype(dtype)
    coefs = path.coefs.T.astype(dtype)
    result = (alphas, path.active, coefs if return_path else coefs[:, -1])
    return (*result, path.n_iter) if return_n_iter else result


def _common_dtype(*arrays):
    dtypes = {a.dtype for a in arrays if a is not None}
    only = next(iter(dtypes)) if len(dtypes) == 1 else np.dtype(np.float64)
    return only if only in FLOATS else np.dtype(np.float64)


def lars_path(
    X,
    y,
    Xy=None,
    *,
    Gram=None,
    max_iter=500,
    alpha_min=0,
    method="lar",
    copy_X=True,
    eps=_EPS,
    copy_Gram=True,
    verbose=0,
    return_path=True,
    return_n_iter=False,
    positive=False,
    penalty_scale="sklearn",
):
    r"""Least-angle regression path, or the exact lasso path.

    With ``method="lasso"`` the nodes are the points where the set of non-zero coefficients of

    .. math:: \min_w \; \frac{1}{2n} \lVert y - X w \rVert^2 + \alpha \lVert w \rVert_1

    changes; between two nodes the coefficients are linear in alpha. There is no intercept: centre X and y first.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features) or None
        The columns. To work from the Gram matrix alone use `lars_path_gram`.
    y : array-like of shape (n_samples,) or None
    Xy : array-like of shape (n_features,), default=None
        ``X.T @ y``, if it is already known.
    Gram : None, "auto", bool or array-like of shape (n_features, n_features), default=None
        ``X.T @ X``; "auto" forms it when there are more rows than columns.
    max_iter : int, default=500
        Largest number of steps.
    alpha_min : float, default=0
        The path stops at this penalty.
    method : {"lar", "lasso"}, default="lar"
    copy_X, copy_Gram : bool, default=True
        Accepted for compatibility; neither X nor Gram is ever changed.
    eps : float, default=machine precision
        A column counts as dependent on the active ones when its squared Cholesky pivot is below ``64 * eps`` times
        its squared norm.
    verbose : int, default=0
        Above 1, the table of entries and drops is printed.
    return_path : bool, default=True
        All nodes, or the last one.
    return_n_iter : bool, default=False
        Whether the number of steps is returned too.
    positive : bool, default=False
        Coefficients >= 0; only with ``method="lasso"``.
    penalty_scale : {"sklearn", "half_rss", "rss"}, default="sklearn"
        The objective to which `alpha_min` and the returned alphas belong; see `convert_penalty`.

    Returns
    -------
    alphas : ndarray of shape (n_nodes,)
        Largest absolute inner product of a column with the residual, divided by n (on scikit-learn's scale).
    active : list of int
        Columns that are active at the end, in order of entry.
    coefs : ndarray of shape (n_features, n_nodes)
    n_iter : int
        Only if `return_n_iter`.

    Notes
    -----
    Columns that tie exactly are all admitted (under the lasso those for which the optimality conditions hold just
    beyond the tie), so no jitter is needed. A column that depends linearly on the active ones stays out, with a
    warning. Cost per step O(n p), or O(p k) with the Gram matrix and k active columns.

    References
    ----------
    Efron, Hastie, Johnstone & Tibshirani (2004), Least angle regression, Annals of Statistics 32.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.linear import lars_path
    >>> X = np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]])
    >>> alphas, active, coefs = lars_path(X, X @ [3.0, 1.0], method="lasso")
    >>> alphas
    array([1.5, 0.5, 0. ])
    >>> coefs
    array([[0., 2., 3.],
           [0., 0., 1.]])
    """
    if X is None and Gram is not None:
        raise ValueError("X cannot be None if Gram is not None. Use lars_path_gram to avoid passing X and y.")
    if X is None:
        raise ValueError("X and Gram cannot both be unspecified.")
    _check_path_arguments(
        lars_path, max_iter, alpha_min, method, eps, positive, penalty_scale,
        copy_X=copy_X, copy_Gram=copy_Gram, return_path=return_path, return_n_iter=return_n_iter,
    )  # fmt: skip
    X, y = np.asarray(X), np.asarray(y)
    if X.ndim != 2 or y.ndim != 1 or X.shape[0] != y.shape[0]:
        raise ValueError(f"X must have shape (n, p) and y shape (n,), got {X.shape} and {y.shape}.")
    if not (np.isfinite(X).all() and np.isfinite(y).all()):
        raise ValueError("X or y contains NaN or infinity.")
    given = np.asarray(Gram) if hasattr(Gram, "__array__") or isinstance(Gram, (list, tuple)) else None
    Xy = None if Xy is None else np.asarray(Xy)
    dtype = _common_dtype(X, y, Xy, given)
    n = y.shape[0]
    X = np.asfortranarray(X, dtype=np.float64)
    xy = X.T @ y.astype(np.float64) if Xy is None else Xy
    if xy.shape != (X.shape[1],):
        raise ValueError(f"The shapes of the inputs Gram and Xy do not match: Xy has shape {xy.shape}.")
    path = _solve(
        X, _gram_for(Gram, X), xy, n, method=method, positive=positive, max_iter=max_iter, eps=eps,
        c_min=n * alpha_min * _scale_factor(penalty_scale, n), keep_path=return_path or verbose > 1,
    )  # fmt: skip
    if not return_path:
        path.level = path.level[-1:]
    return _path_result(path, n, penalty_scale, dtype, verbose, return_path, return_n_iter)


def lars_path_gram(
    Xy,
    Gram,
    *,
    n_samples,
    max_iter=500,
    alpha_min=0,
    method="lar",
    copy_X=True,
    eps=_EPS,
    copy_Gram=True,
    verbose=0,
    return_path=True,
    return_n_iter=False,
    positive=False,
    penalty_scale="sklearn",
):
    """Least-angle regression or lasso path from cross-products alone.

    Parameters
    ----------
    Xy : array-like of shape (n_features,)
        ``X.T @ y``.
    Gram : array-like of shape (n_features, n_features)
        ``X.T @ X``.
    n_samples : int
        Number of rows behind the cross-products.
    max_iter, alpha_min, method, copy_X, eps, copy_Gram, verbose, return_path, return_n_iter, positive, penalty_scale
        As in `lars_path`.

    Returns
    -------
    alphas, active, coefs, n_iter
        As in `lars_path`.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.linear import lars_path_gram
    >>> alphas, active, coefs = lars_path_gram(np.array([6.0, 2.0]), 2 * np.eye(2), n_samples=4)
    >>> coefs[:, -1]
    array([3., 1.])
    """
    _check_path_arguments(
        lars_path_gram, max_iter, alpha_min, method, eps, positive, penalty_scale,
        copy_X=copy_X, copy_Gram=copy_Gram, return_path=return_path, return_n_iter=return_n_iter,
    )  # fmt: skip
    check_arguments(lars_path_gram, n_samples=(n_samples, [Int(1, None)]))
    Xy, Gram = np.asarray(Xy), np.asarray(Gram)
    if Xy.ndim != 1 or Gram.shape != (Xy.shape[0], Xy.shape[0]):
        raise ValueError("The shapes of the inputs Gram and Xy do not match.")
    if not (np.isfinite(Xy).all() and np.isfinite(Gram).all()):
        raise ValueError("Xy or Gram contains NaN or infinity.")
    path = _solve(
        None, Gram, Xy, n_samples, method=method, positive=positive, max_iter=max_iter, eps=eps,
        c_min=n_samples * alpha_min * _scale_factor(penalty_scale, n_samples),
        keep_path=return_path or verbose > 1,
    )  # fmt: skip
    if not return_path:
        path.level = path.level[-1:]
    return _path_result(path, n_samples, penalty_scale, _common_dtype(Xy, Gram), verbose, return_path, return_n_iter)


_PRECOMPUTE = ["boolean", Options("auto"), "array-like", None]


class Lars(LinearRegressorMixin, BaseEstimator):
    r"""Least-angle regression.

    Starts at 0 and moves the coefficients of the columns that have the largest absolute inner product with the
    residual, jointly and in the least-squares direction, until another column ties; at most min(n - 1, p) steps lead to
    the least-squares fit. The intercept is the mean that centring takes out.

    Parameters
    ----------
    fit_intercept : bool, default=True
    verbose : bool or int, default=False
        Above 1, the table of entries is printed.
    precompute : bool, "auto" or array-like of shape (n_features, n_features), default="auto"
        Whether to work on the Gram matrix of the centred columns, or that matrix.
    n_nonzero_coefs : int, default=500
        Largest number of steps.
    eps : float, default=machine precision
        A column counts as dependent on the active ones when its squared pivot is below ``64 * eps`` times its norm².
    copy_X : bool, default=True
        If False, X may be overwritten.
    fit_path : bool, default=True
        Whether the whole path is kept.
    jitter : float or None, default=None
        Upper bound of uniform noise added to y. Exact ties are handled without it.
    random_state : int, RandomState or None, default=None
        For the jitter.

    Attributes
    ----------
    alphas_ : ndarray of shape (n_nodes,), or list of such arrays
        Largest absolute inner product at each node divided by the number of rows (or the sum of the weights).
    active_ : list of int, or list of such lists
        Active columns at the end, in order of entry.
    coef_path_ : ndarray of shape (n_features, n_nodes), or list
    inner_products_path_ : ndarray of shape (n_features, n_nodes), or list
        Inner product of every centred column with the residual at each node: equal in absolute value on the active set
        and falling together.
    coef_ : ndarray of shape (n_features,) or (n_targets, n_features)
    intercept_ : float or ndarray of shape (n_targets,)
    n_iter_ : int or list of int
        Steps.
    n_features_in_ : int
    feature_names_in_ : ndarray of str

    Notes
    -----
    The columns are not standardised: scale them first if their units differ. After k steps the fit has about k degrees
    of freedom. Cost of the whole path O(n p min(n, p)), as one least-squares fit.

    References
    ----------
    Efron, Hastie, Johnstone & Tibshirani (2004), Least angle regression, Annals of Statistics 32.

    Examples
    --------
    >>> from statlearn.linear import Lars
    >>> model = Lars(n_nonzero_coefs=1).fit([[-1, 1], [0, 0], [1, 1]], [-1.5, 0, -1.5])
    >>> model.coef_.round(3)
    array([ 0. , -1.5])
    """

    _accept_sparse = False
    _constraints: dict = {
        "fit_intercept": ["boolean"],
        "verbose": ["verbose"],
        "precompute": _PRECOMPUTE,
        "n_nonzero_coefs": [Int(1, None)],
        "eps": [Real(0, None)],
        "copy_X": ["boolean"],
        "fit_path": ["boolean"],
        "jitter": [Real(0, None), None],
        "random_state": ["random_state"],
    }
    method = "lar"

    def __init__(
        self,
        *,
        fit_intercept=True,
        verbose=False,
        precompute="auto",
        n_nonzero_coefs=500,
        eps=_EPS,
        copy_X=True,
        fit_path=True,
        jitter=None,
        random_state=None,
    ):
        self.fit_intercept = fit_intercept
        self.verbose = verbose
        self.precompute = precompute
        self.n_nonzero_coefs = n_nonzero_coefs
        self.eps = eps
        self.copy_X = copy_X
        self.fit_path = fit_path
        self.jitter = jitter
        self.random_state = random_state

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags

    def fit(self, X, y, Xy=None, sample_weight=None):
        """Fit the path.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
        Xy : array-like of shape (n_features,) or (n_features, n_targets), default=None
            ``X.T @ y`` of the centred data, if it is already known.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight k counts as k copies of the row.

        Returns
        -------
        self
        """
        check_params(self)
        X, y = validate_data(
            self, X, y, dtype=FLOATS, force_writeable=not self.copy_X, y_numeric=True, multi_output=True
        )
        if self.jitter is not None:
            y = y + check_random_state(self.random_state).uniform(high=self.jitter, size=y.shape)
        design = centred_design(
            X, y, check_weights(sample_weight, X), fit_intercept=self.fit_intercept, copy=self.copy_X
        )
        return self._fit_path(design, X.dtype, self._alpha(), self._max_steps(), Xy)

    def _alpha(self):
        return 0.0

    def _max_steps(self):
        return self.n_nonzero_coefs

    def _fit_path(self, design, dtype, alpha, max_iter, Xy=None):
        """Fit every target down to `alpha` (on this estimator's scale) and set the attributes."""
        targets = design.y.shape[1]
        gram = _gram_for(self.precompute, design.X, targets)
        factor = _scale_factor(getattr(self, "penalty_scale", "sklearn"), design.total_weight)
        Xy = design.X.T @ design.y if Xy is None else np.asarray(Xy, dtype=np.float64).reshape(design.X.shape[1], -1)
        if Xy.shape[1] != targets:
            raise ValueError(f"Xy must have one column per target, {targets}; got {Xy.shape[1]}.")
        fit_path = getattr(self, "fit_path", True)
        paths = []
        for k in range(targets):
            path = _solve(
                design.X, gram, Xy[:, k], design.max_rank,
                method=self.method, positive=getattr(self, "positive", False),
                c_min=design.total_weight * alpha * factor, max_iter=max_iter, eps=self.eps, keep_path=fit_path,
            )  # fmt: skip
            if self.verbose > 1:
                _print_steps(path, design.total_weight)
            paths.append(path)
        coef = np.vstack([path.coefs[-1] for path in paths])
        intercept = design.intercept(coef)

        def per_target(values):
            return values[0] if targets == 1 else values

        self.coef_ = per_target(coef.astype(dtype))
        self.intercept_ = per_target(intercept.astype(dtype))
        self.alphas_ = per_target([(path.level / design.total_weight / factor).astype(dtype) for path in paths])
        self.n_iter_ = per_target([path.n_iter for path in paths])
        if fit_path:
            self.active_ = per_target([path.active for path in paths])
            self.coef_path_ = per_target([np.ascontiguousarray(path.coefs.T, dtype=dtype) for path in paths])
            self.inner_products_path_ = per_target([path.products.T.astype(dtype) for path in paths])
        return self


class LassoLars(Lars):
    r"""The lasso by least-angle regression.

    Minimises over w and an unpenalised intercept b, with S the sum of the weights (the number of rows),

    .. math:: \frac{1}{2S} \sum_i s_i (y_i - b - x_i^\top w)^2 + \alpha \lVert w \rVert_1

    by following the exact piecewise linear path from the penalty at which all coefficients are 0 down to `alpha`.

    Parameters
    ----------
    alpha : float, default=1.0
        The penalty; 0 leads to least squares.
    fit_intercept : bool, default=True
    verbose : bool or int, default=False
        Above 1, the table of entries and drops is printed.
    precompute : bool, "auto" or array-like of shape (n_features, n_features), default="auto"
        Whether to work on the Gram matrix of the centred columns, or that matrix.
    max_iter : int, default=500
        Largest number of steps.
    eps : float, default=machine precision
        A column counts as dependent on the active ones when its squared pivot is below ``64 * eps`` times its norm².
    copy_X : bool, default=True
        If False, X may be overwritten.
    fit_path : bool, default=True
        Whether the whole path is kept.
    positive : bool, default=False
        Coefficients >= 0. The path is exact down to alpha = 0, where it gives non-negative least squares.
    jitter : float or None, default=None
        Upper bound of uniform noise added to y. Exact ties are handled without it.
    random_state : int, RandomState or None, default=None
        For the jitter.
    penalty_scale : {"sklearn", "half_rss", "rss"}, default="sklearn"
        The objective to which `alpha` and `alphas_` belong: the one above, ``RSS/2 + alpha |w|_1`` or
        ``RSS + alpha |w|_1``.

    Attributes
    ----------
    alphas_ : ndarray of shape (n_nodes,), or list of such arrays
        Penalties at which the active set changes, and the last one reached.
    active_ : list of int, or list of such lists
    coef_path_ : ndarray of shape (n_features, n_nodes), or list
        Coefficients at these penalties; in between they are linear.
    inner_products_path_ : ndarray of shape (n_features, n_nodes), or list
        Inner products of the centred columns with the residual.
    coef_ : ndarray of shape (n_features,) or (n_targets, n_features)
    intercept_ : float or ndarray of shape (n_targets,)
    n_iter_ : int or list of int
    n_features_in_ : int
    feature_names_in_ : ndarray of str

    See Also
    --------
    Lasso : the same objective by coordinate descent, faster when many coefficients are non-zero.

    Notes
    -----
    Standardise the columns first, unless their units agree: the penalty treats all coefficients alike.

    References
    ----------
    Efron, Hastie, Johnstone & Tibshirani (2004), Least angle regression, Annals of Statistics 32.

    Examples
    --------
    >>> from statlearn.linear import LassoLars
    >>> model = LassoLars(alpha=0.01).fit([[-1, 1], [0, 0], [1, 1]], [-1, 0, -1])
    >>> model.coef_
    array([ 0.   , -0.955])
    """

    _constraints: dict = {
        **{name: rule for name, rule in Lars._constraints.items() if name != "n_nonzero_coefs"},
        "alpha": [Real(0, None)],
        "max_iter": [Int(0, None)],
        "positive": ["boolean"],
        "penalty_scale": PENALTY_SCALE,
    }
    method = "lasso"

    def __init__(
        self,
        alpha=1.0,
        *,
        fit_intercept=True,
        verbose=False,
        precompute="auto",
        max_iter=500,
        eps=_EPS,
        copy_X=True,
        fit_path=True,
        positive=False,
        jitter=None,
        random_state=None,
        penalty_scale="sklearn",
    ):
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.verbose = verbose
        self.precompute = precompute
        self.max_iter = max_iter
        self.eps = eps
        self.copy_X = copy_X
        self.fit_path = fit_path
        self.positive = positive
        self.jitter = jitter
        self.random_state = random_state
        self.penalty_scale = penalty_scale

    def _alpha(self):
        return self.alpha

    def _max_steps(self):
        return self.max_iter


def _fold_residuals(X, y, weights, train, test, precompute, fit_intercept, options):
    """The path on the training rows: its levels (per unit of weight) and the residuals of the other rows."""
    design = centred_design(
        X[train], y[train], None if weights is None else weights[train], fit_intercept=fit_intercept
    )
    gram = _gram_for(precompute, design.X)
    path = _solve(design.X, gram, design.X.T @ design.y[:, 0], design.max_rank, **options)
    intercepts = design.intercept(path.coefs) if fit_intercept else np.zeros(len(path.coefs))
    fitted = np.asarray(X[test], dtype=np.float64) @ path.coefs.T + intercepts
    return path.level / design.total_weight, y[test, None] - fitted


def _interpolate_rows(at, levels, values):
    """Linear interpolation of the columns of `values`, given at increasing `levels`; constant beyond the ends."""
    right = np.clip(np.searchsorted(levels, at), 1, len(levels) - 1)
    left = right - 1
    width = levels[right] - levels[left]
    share = np.clip(np.divide(at - levels[left], width, out=np.zeros_like(at), where=width > 0), 0.0, 1.0)
    return values[:, left] * (1.0 - share) + values[:, right] * share


class LarsCV(Lars):
    """Least-angle regression stopped where cross-validation says.

    The path of every fold is exact; its squared errors on the left-out rows are compared at the union of all nodes.

    Parameters
    ----------
    fit_intercept : bool, default=True
    verbose : bool or int, default=False
    max_iter : int, default=500
        Largest number of steps.
    precompute : bool, "auto" or array-like, default="auto"
        Whether to work on the Gram matrix. A given matrix is used for the final fit only, with a warning.
    cv : int, splitter, iterable or None, default=None
        Folds; None means 5.
    max_n_alphas : int, default=1000
        Most penalties at which the folds are compared.
    n_jobs : int or None, default=None
        Folds are fitted in this many threads.
    eps : float, default=machine precision
        As in `Lars`.
    copy_X : bool, default=True
        If False, X may be overwritten.
    rule : {"min", "one_se"}, default="min"
        Smallest mean error, or the largest penalty within one standard error of it.

    Attributes
    ----------
    alpha_ : float
        The chosen level.
    cv_alphas_ : ndarray of shape (n_cv_alphas,)
        Levels at which the folds were compared, increasing.
    mse_path_ : ndarray of shape (n_cv_alphas, n_folds)
    cv_curve_ : CVCurve
        The same with standard errors and a plot, largest penalty first.
    alphas_, active_, coef_path_, inner_products_path_, coef_, intercept_, n_iter_
        Of the fit to all rows down to `alpha_`, as in `Lars`.

    Notes
    -----
    Errors of the fold means are not independent, so the standard error is a guide, not a test.

    References
    ----------
    Efron, Hastie, Johnstone & Tibshirani (2004), Least angle regression, Annals of Statistics 32.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from statlearn.linear import LarsCV
    >>> X, y = load_diabetes(return_X_y=True)
    >>> int((LarsCV(rule="one_se").fit(X, y).coef_ != 0).sum())
    7
    """

    _constraints: dict = {
        "fit_intercept": ["boolean"],
        "verbose": ["verbose"],
        "max_iter": [Int(0, None)],
        "precompute": _PRECOMPUTE,
        "cv": ["cv"],
        "max_n_alphas": [Int(1, None)],
        "n_jobs": [Int(), None],
        "eps": [Real(0, None)],
        "copy_X": ["boolean"],
        "rule": [Options("min", "one_se")],
    }
    method = "lar"

    def __init__(
        self,
        *,
        fit_intercept=True,
        verbose=False,
        max_iter=500,
        precompute="auto",
        cv=None,
        max_n_alphas=1000,
        n_jobs=None,
        eps=_EPS,
        copy_X=True,
        rule="min",
    ):
        self.fit_intercept = fit_intercept
        self.verbose = verbose
        self.max_iter = max_iter
        self.precompute = precompute
        self.cv = cv
        self.max_n_alphas = max_n_alphas
        self.n_jobs = n_jobs
        self.eps = eps
        self.copy_X = copy_X
        self.rule = rule

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = False
        return tags

    def fit(self, X, y, sample_weight=None):
        """Choose the level by cross-validation and fit all rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), default=None
            Weight k counts as k copies of the row, in the fits and in the errors.

        Returns
        -------
        self
        """
        from sklearn.model_selection import check_cv
        from sklearn.utils.parallel import Parallel, delayed

        check_params(self)
        X, y = validate_data(self, X, y, dtype=FLOATS, force_writeable=not self.copy_X, y_numeric=True)
        weights = check_weights(sample_weight, X)
        precompute = self.precompute
        if hasattr(precompute, "__array__"):
            warnings.warn(
                f'Parameter "precompute" cannot be an array in {type(self).__name__}. Automatically switch to "auto" '
                "instead.",
                stacklevel=2,
            )
            precompute = "auto"
        options = {
            "method": self.method,
            "positive": getattr(self, "positive", False),
            "max_iter": self.max_iter,
            "eps": self.eps,
        }
        target = y.astype(np.float64)
        splits = list(check_cv(self.cv, classifier=False).split(X, y))
        jobs = (
            delayed(_fold_residuals)(X, target, weights, train, test, precompute, self.fit_intercept, options)
            for train, test in splits
        )
        folds = Parallel(n_jobs=self.n_jobs, prefer="threads")(jobs)

        alphas = np.unique(np.concatenate([levels for levels, _ in folds]))
        alphas = alphas[:: max(1, len(alphas) // self.max_n_alphas)]
        mse = np.empty((len(alphas), len(folds)))
        for k, ((levels, residuals), (_, test)) in enumerate(zip(folds, splits)):
            errors = _interpolate_rows(alphas, levels[::-1], residuals[:, ::-1]) ** 2
            share = None if weights is None else weights[test].astype(np.float64)
            if share is not None and not share.any():
                raise ValueError("sample_weight: a cross-validation fold has no row of positive weight to test on.")
            mse[:, k] = np.average(errors, axis=0, weights=share)

        total = X.shape[0] if weights is None else float(weights.sum())
        shown = alphas / _scale_factor(getattr(self, "penalty_scale", "sklearn"), total)
        self.cv_alphas_, self.mse_path_ = shown, mse
        self.cv_curve_ = CVCurve(shown[::-1].copy(), mse[::-1].copy())
        self.alpha_ = self.cv_curve_.parameter[self.cv_curve_.chosen(self.rule)]
        design = centred_design(X, y, weights, fit_intercept=self.fit_intercept, copy=self.copy_X)
        return self._fit_path(design, X.dtype, self.alpha_, self.max_iter)


class LassoLarsCV(LarsCV):
    r"""The lasso by least-angle regression, its penalty chosen by cross-validation.

    The objective is that of `LassoLars`. The penalties at which folds are compared are the nodes of their exact paths,
    so no grid has to be chosen.

    Parameters
    ----------
    fit_intercept : bool, default=True
    verbose : bool or int, default=False
    max_iter : int, default=500
        Largest number of steps.
    precompute : bool, "auto" or array-like, default="auto"
        Whether to work on the Gram matrix. A given matrix is used for the final fit only, with a warning.
    cv : int, splitter, iterable or None, default=None
        Folds; None means 5.
    max_n_alphas : int, default=1000
        Most penalties at which the folds are compared.
    n_jobs : int or None, default=None
        Folds are fitted in this many threads.
    eps : float, default=machine precision
        As in `LassoLars`.
    copy_X : bool, default=True
        If False, X may be overwritten.
    positive : bool, default=False
        Coefficients >= 0.
    rule : {"min", "one_se"}, default="min"
        Smallest mean error, or the largest penalty within one standard error of it.
    penalty_scale : {"sklearn", "half_rss", "rss"}, default="sklearn"
        The objective to which the alphas belong, see `LassoLars`. Folds are matched by the penalty per unit of weight.

    Attributes
    ----------
    alpha_ : float
        The chosen penalty.
    cv_alphas_ : ndarray of shape (n_cv_alphas,)
        Penalties at which the folds were compared, increasing.
    mse_path_ : ndarray of shape (n_cv_alphas, n_folds)
    cv_curve_ : CVCurve
        The same with standard errors and a plot, largest penalty first.
    alphas_, active_, coef_path_, inner_products_path_, coef_, intercept_, n_iter_
        Of the fit to all rows down to `alpha_`, as in `LassoLars`.

    References
    ----------
    Efron, Hastie, Johnstone & Tibshirani (2004), Least angle regression, Annals of Statistics 32.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from statlearn.linear import LassoLarsCV
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = LassoLarsCV().fit(X, y)
    >>> bool(model.alpha_ == model.alphas_[-1])
    True
    """

    _constraints: dict = {**LarsCV._constraints, "positive": ["boolean"], "penalty_scale": PENALTY_SCALE}
    method = "lasso"

    def __init__(
        self,
        *,
        fit_intercept=True,
        verbose=False,
        max_iter=500,
        precompute="auto",
        cv=None,
        max_n_alphas=1000,
        n_jobs=None,
        eps=_EPS,
        copy_X=True,
        positive=False,
        rule="min",
        penalty_scale="sklearn",
    ):
        self.fit_intercept = fit_intercept
        self.verbose = verbose
        self.max_iter = max_iter
        self.precompute = precompute
        self.cv = cv
        self.max_n_alphas = max_n_alphas
        self.n_jobs = n_jobs
        self.eps = eps
        self.copy_X = copy_X
        self.positive = positive
        self.rule = rule
        self.penalty_scale = penalty_scale


class LassoLarsIC(LassoLars):
    r"""The lasso by least-angle regression, its penalty chosen by AIC or BIC.

    At every node of the path, with :math:`d` non-zero coefficients and :math:`S` the sum of the weights,

    .. math:: S \log(2\pi\sigma^2) + RSS/\sigma^2 + c\,d, \qquad c = 2 \text{ (AIC)} \text{ or } \log S \text{ (BIC)}.

    Parameters
    ----------
    criterion : {"aic", "bic"}, default="aic"
    fit_intercept : bool, default=True
    verbose : bool or int, default=False
    precompute : bool, "auto" or array-like, default="auto"
        Whether to work on the Gram matrix of the centred columns, or that matrix.
    max_iter : int, default=500
        Largest number of steps.
    eps : float, default=machine precision
        As in `LassoLars`.
    copy_X : bool, default=True
        If False, X may be overwritten.
    positive : bool, default=False
        Coefficients >= 0.
    noise_variance : float or None, default=None
        :math:`\sigma^2`; None takes it from the least-squares fit on all columns, which needs more rows than columns.
    penalty_scale : {"sklearn", "half_rss", "rss"}, default="sklearn"
        The objective to which the alphas belong, see `LassoLars`.

    Attributes
    ----------
    alpha_ : float
        The chosen penalty.
    alphas_ : ndarray of shape (n_nodes,)
    criterion_ : ndarray of shape (n_nodes,)
    noise_variance_ : float
    coef_ : ndarray of shape (n_features,)
    intercept_ : float
    coef_path_, inner_products_path_ : ndarray of shape (n_features, n_nodes)
    active_ : list of int
    n_iter_ : int
    n_features_in_ : int
    feature_names_in_ : ndarray of str

    Notes
    -----
    The number of non-zero coefficients is an unbiased estimate of the degrees of freedom of the lasso.

    References
    ----------
    Zou, Hastie & Tibshirani (2007), On the "degrees of freedom" of the lasso, Annals of Statistics 35.

    Examples
    --------
    >>> from statlearn.linear import LassoLarsIC
    >>> X = [[-2, 2], [-1, 1], [0, 0], [1, 1], [2, 2]]
    >>> y = [-2.2222, -1.1111, 0, -1.1111, -2.2222]
    >>> LassoLarsIC(criterion="bic").fit(X, y).coef_.round(2)
    array([ 0.  , -1.11])
    """

    _constraints: dict = {
        **{k: v for k, v in LassoLars._constraints.items() if k not in ("jitter", "fit_path", "alpha", "random_state")},
        "criterion": [Options("aic", "bic")],
        "noise_variance": [Real(0, None), None],
    }

    def __init__(
        self,
        criterion="aic",
        *,
        fit_intercept=True,
        verbose=False,
        precompute="auto",
        max_iter=500,
        eps=_EPS,
        copy_X=True,
        positive=False,
        noise_variance=None,
        penalty_scale="sklearn",
    ):
        self.criterion = criterion
        self.fit_intercept = fit_intercept
        self.verbose = verbose
        self.precompute = precompute
        self.max_iter = max_iter
        self.eps = eps
        self.copy_X = copy_X
        self.positive = positive
        self.noise_variance = noise_variance
        self.penalty_scale = penalty_scale

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = False
        return tags

    def fit(self, X, y, copy_X=None, sample_weight=None):
        """Fit the path and choose a node.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        copy_X : bool or None, default=None
            If given, used instead of the constructor's.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight k counts as k copies of the row.

        Returns
        -------
        self
        """
        check_params(self)
        copy = self.copy_X if copy_X is None else copy_X
        X, y = validate_data(self, X, y, dtype=FLOATS, force_writeable=not copy, y_numeric=True)
        weights = check_weights(sample_weight, X)
        design = centred_design(X, y, weights, fit_intercept=self.fit_intercept, copy=copy)
        self._fit_path(design, X.dtype, 0.0, self.max_iter)
        coefs = self.coef_path_.astype(np.float64)
        rss = ((design.y - design.X @ coefs) ** 2).sum(axis=0)
        if self.noise_variance is None:
            self.noise_variance_ = self._estimated_noise(design)
        else:
            self.noise_variance_ = self.noise_variance
        df = (np.abs(coefs) > np.finfo(X.dtype).eps).sum(axis=0)
        with np.errstate(divide="ignore"):  # a perfect fit leaves a variance of 0
            fit = design.total_weight * np.log(2 * np.pi * self.noise_variance_) + np.divide(
                rss, self.noise_variance_, out=np.zeros_like(rss), where=rss > 0
            )
        self.criterion_ = fit + (2.0 if self.criterion == "aic" else math.log(design.total_weight)) * df
        best = int(np.argmin(self.criterion_))
        self.alpha_ = self.alphas_[best]
        self.coef_ = self.coef_path_[:, best].copy()
        self.intercept_ = design.intercept(coefs[:, best][None]).astype(X.dtype)[0]
        return self

    def _estimated_noise(self, design):
        """Residual variance of the fit on all columns."""
        p, total = design.X.shape[1], design.total_weight
        if total <= p + self.fit_intercept:
            raise ValueError(
                f"You are using {type(self).__name__} in the case where the number of samples is smaller than the "
                "number of features. In this setting, getting a good estimate for the variance of the noise is not "
                f"possible. Provide an estimate of the noise variance in the constructor. Got n_samples = {total:g}."
            )
        target = design.y[:, 0]
        if self.positive:
            path = _solve(
                design.X, None, design.X.T @ target, design.max_rank,
                method="lasso", positive=True, max_iter=_MAX_STEPS, keep_path=False,
            )  # fmt: skip
            coef = path.coefs[-1]
        else:
            coef = np.linalg.lstsq(design.X, target, rcond=None)[0]
        residual = target - design.X @ coef
        return residual @ residual / (total - p - self.fit_intercept)
