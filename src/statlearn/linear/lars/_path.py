"""Least-angle regression and lasso paths: the interface to the kernel, `lars_path` and `lars_path_gram`."""

from dataclasses import dataclass

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from statlearn._core import native
from statlearn._core.params import Int, Options, Real, check_arguments
from statlearn._core.validation import FLOATS
from statlearn._core.warnings import warn
from statlearn._math.penalties.scales import penalty_factor
from statlearn.linear._penalty import PENALTY_SCALE

EPS = float(np.finfo(float).eps)
MAX_STEPS = 2**31 - 1


@dataclass
class _Path:
    """One path, nodes along the first axis."""

    level: np.ndarray  # largest inner product at each node
    coefs: np.ndarray  # (nodes, p)
    products: np.ndarray  # (nodes, p)
    active: list
    events: np.ndarray  # rows (step, j + 1 or -j - 1)
    n_iter: int


def solve_path(X, gram, xy, max_rank, *, method, positive=False, c_min=0.0, max_iter=500, eps=EPS, keep_path=True):
    """Run the kernel on X (Fortran order) or the Gram matrix; at most `max_rank` columns are independent."""
    design = X if gram is None else np.asfortranarray(gram, dtype=np.float64)
    xy = np.ascontiguousarray(xy, dtype=np.float64)
    level, coefs, products, active, events, degenerate, n_iter, status = native.linear.lars_path(
        design, gram is not None, xy, method == "lasso", positive, float(c_min), min(int(max_iter), MAX_STEPS),
        int(max_rank), float(EPS if eps is None else eps), keep_path,
    )  # fmt: skip
    if len(degenerate):
        warn(
            f"Regressors in active set degenerate. Column {degenerate[0]} (the first of "
            f"{len(np.unique(degenerate))}) is linearly dependent on columns that are already active, so its "
            "coefficient is kept at 0 and the solution is not unique. Remove linearly dependent columns.",
            ConvergenceWarning,
        )
    if status:
        warn(
            "The LARS path encountered more ties between columns than it could resolve, so the path may be "
            "inexact from there on. Use coordinate descent (Lasso), or set jitter.",
            ConvergenceWarning,
        )
    return _Path(level, coefs, products, [int(j) for j in active], events, n_iter)


def print_steps(path, n_samples):
    print("Step\t\tAdded\t\tDropped\t\tActive set size\t\tC")
    size = 0
    for step, signed in path.events:
        size += 1 if signed > 0 else -1
        added, dropped = (signed - 1, "") if signed > 0 else ("", -signed - 1)
        level = path.level[min(step, len(path.level) - 1)]
        print(f"{step}\t\t{added}\t\t{dropped}\t\t{size}\t\t{level / n_samples:.6g}")


def gram_for(precompute, X, n_targets=1):
    """The Gram matrix requested by `precompute`, or None to use the columns."""
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


def _path_result(path, n_samples, penalty_scale, dtype, verbose, return_path, return_n_iter):
    if not return_path:
        path.level = path.level[-1:]
    if verbose > 1:
        print_steps(path, n_samples)
    alphas = (path.level / n_samples / penalty_factor(penalty_scale, n_samples)).astype(dtype)
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
    eps=EPS,
    copy_Gram=True,
    verbose=0,
    return_path=True,
    return_n_iter=False,
    positive=False,
    penalty_scale="sklearn",
):
    r"""Least-angle regression path or exact lasso path.

    With ``method="lasso"``, the nodes are the points where the set of non-zero coefficients of

    .. math:: \min_w \; \frac{1}{2n} \lVert y - X w \rVert^2 + \alpha \lVert w \rVert_1

    changes. Between two nodes the coefficients are linear in alpha. There is no intercept, so centre X and y first.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features) or None
        The features. To use the Gram matrix alone, call `lars_path_gram`.
    y : array-like of shape (n_samples,) or None
    Xy : array-like of shape (n_features,), default=None
        ``X.T @ y``, if already computed.
    Gram : None, "auto", bool or array-like of shape (n_features, n_features), default=None
        ``X.T @ X``; "auto" computes it if there are more rows than columns.
    max_iter : int, default=500
        Maximum number of steps.
    alpha_min : float, default=0
        The path stops at this penalty.
    method : {"lar", "lasso"}, default="lar"
    copy_X, copy_Gram : bool, default=True
        Accepted for compatibility. Neither X nor Gram is modified.
    eps : float, default=machine precision
        A column is treated as dependent on the active ones if its squared Cholesky pivot is below ``64 * eps`` times
        its squared norm.
    verbose : int, default=0
        Values above 1 print a table of the columns entering and leaving the model.
    return_path : bool, default=True
        Whether to return all nodes or only the last one.
    return_n_iter : bool, default=False
        Whether to return the number of steps as well.
    positive : bool, default=False
        Restrict the coefficients to be non-negative; only with ``method="lasso"``.
    penalty_scale : {"sklearn", "half_rss", "rss"}, default="sklearn"
        Objective that `alpha_min` and the returned alphas refer to; see `convert_penalty`.

    Returns
    -------
    alphas : ndarray of shape (n_nodes,)
        Largest absolute inner product of a column with the residual, divided by n (on scikit-learn's scale).
    active : list of int
        Active columns at the end of the path, in order of entry.
    coefs : ndarray of shape (n_features, n_nodes)
    n_iter : int
        Only if `return_n_iter`.

    Notes
    -----
    All columns that tie exactly are admitted (for the lasso, those for which the optimality conditions hold just beyond
    the tie), so no jitter is needed. A column that is linearly dependent on the active ones is left out, with a
    warning. A step costs O(n p), or O(p k) with the Gram matrix and k active columns.

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
    gram = np.asarray(Gram) if hasattr(Gram, "__array__") or isinstance(Gram, (list, tuple)) else None
    Xy = None if Xy is None else np.asarray(Xy)
    dtype = _common_dtype(X, y, Xy, gram)
    n = y.shape[0]
    X = np.asfortranarray(X, dtype=np.float64)
    xy = X.T @ y.astype(np.float64) if Xy is None else Xy
    if xy.shape != (X.shape[1],):
        raise ValueError(f"The shapes of the inputs Gram and Xy do not match: Xy has shape {xy.shape}.")
    path = solve_path(
        X, gram_for(Gram, X), xy, n, method=method, positive=positive, max_iter=max_iter, eps=eps,
        c_min=n * alpha_min * penalty_factor(penalty_scale, n), keep_path=return_path or verbose > 1,
    )  # fmt: skip
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
    eps=EPS,
    copy_Gram=True,
    verbose=0,
    return_path=True,
    return_n_iter=False,
    positive=False,
    penalty_scale="sklearn",
):
    """Least-angle regression or lasso path from cross-products.

    Parameters
    ----------
    Xy : array-like of shape (n_features,)
        ``X.T @ y``.
    Gram : array-like of shape (n_features, n_features)
        ``X.T @ X``.
    n_samples : int
        Number of rows from which the cross-products were computed.
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
    path = solve_path(
        None, Gram, Xy, n_samples, method=method, positive=positive, max_iter=max_iter, eps=eps,
        c_min=n_samples * alpha_min * penalty_factor(penalty_scale, n_samples),
        keep_path=return_path or verbose > 1,
    )  # fmt: skip
    return _path_result(path, n_samples, penalty_scale, _common_dtype(Xy, Gram), verbose, return_path, return_n_iter)
