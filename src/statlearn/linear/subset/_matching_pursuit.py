"""Orthogonal matching pursuit: features enter one by one, and all that are in are refitted."""

import numpy as np
from scipy import linalg
from sklearn.base import BaseEstimator, MultiOutputMixin
from sklearn.utils.validation import check_array, check_X_y

from statlearn._core.params import Int, Options, Real, check_arguments, check_params
from statlearn._core.selection import CVCurve
from statlearn._core.validation import FLOATS, check_weights, refuse_overflow, validate_data
from statlearn._core.warnings import warn
from statlearn.linear._base import LinearRegressorMixin
from statlearn.linear._centred_data import centred_data
from statlearn.linear._path_cv import fold_results

_PREMATURE = (
    "Orthogonal matching pursuit ended prematurely due to linear dependence in the dictionary. The requested precision "
    "might not have been met."
)


class _Rows:
    """A pursuit's questions, answered from X and y."""

    def __init__(self, X, y):
        self.X, self.y = X, y

    def products(self, j, active):
        return self.X[:, active].T @ self.X[:, j], float(self.X[:, j] @ self.X[:, j])

    def look(self, active, coef):
        residual = self.y - self.X[:, active] @ coef
        return self.X.T @ residual, float(residual @ residual)


class _Products:
    """The same from X'X, X'y and y'y."""

    def __init__(self, gram, xy, norm2):
        self.gram, self.xy, self.norm2 = gram, xy, norm2

    def products(self, j, active):
        return self.gram[active, j], float(self.gram[j, j])

    def look(self, active, coef):
        return self.xy - self.gram[:, active] @ coef, self.norm2 - float(self.xy[active] @ coef)


def _pursue(world, n_steps, tol):
    """The columns in the order of their entry and the coefficients (over these) after each step.

    Stops after `n_steps` or, with `tol`, when the residual sum of squares is at most that.
    """
    eps = np.finfo(float).eps
    active, steps = [], []
    inner, residual = world.look([], np.empty(0))
    target, noise = np.empty(0), 10.0 * eps * np.abs(inner).max(initial=0.0)
    first = inner.copy()
    L = np.zeros((n_steps, n_steps))  # zeros above the diagonal: solvers look at all of it
    while len(active) < n_steps and (tol is None or residual > tol):
        inner[active] = 0.0
        j = int(np.argmax(np.abs(inner)))
        with_active, own = world.products(j, active)
        k = len(active)
        row = linalg.solve_triangular(L[:k, :k], with_active, lower=True) if k else with_active
        left = own - float(row @ row)
        if abs(inner[j]) <= noise or left <= 100.0 * eps * own:
            warn(_PREMATURE, RuntimeWarning)
            break
        L[k, :k], L[k, k] = row, np.sqrt(left)
        active.append(j)
        target = np.append(target, first[j])
        coef = linalg.cho_solve((L[: k + 1, : k + 1], True), target)
        steps.append(coef)
        inner, residual = world.look(active, coef)
    return active, steps


def _coefficients(world, p, n_steps, tol):
    """Coefficients (p, steps) of a pursuit, one column per step."""
    active, steps = _pursue(world, n_steps, tol)
    path = np.zeros((p, len(steps)))
    for k, coef in enumerate(steps):
        path[active[: k + 1], k] = coef
    return path


def _collect(paths, return_path, return_n_iter, dtype):
    """The answer in scikit-learn's shapes, for paths (p, steps), one per target."""
    p, n_iter = paths[0].shape[0], [path.shape[1] for path in paths]
    if return_path:
        result = np.zeros((p, len(paths), max(n_iter)))
        for t, path in enumerate(paths):
            result[:, t, : path.shape[1]] = path
    else:
        result = np.column_stack([path[:, -1] if path.shape[1] else np.zeros(p) for path in paths])
    result = np.squeeze(result.astype(dtype, copy=False))
    return (result, n_iter[0] if len(n_iter) == 1 else n_iter) if return_n_iter else result


def _step_limit(n_nonzero_coefs, tol, p):
    """Steps at most: by `tol` alone up to p, else `n_nonzero_coefs`, a tenth of the features if that is None."""
    if tol is not None:
        return p
    steps = max(int(0.1 * p), 1) if n_nonzero_coefs is None else n_nonzero_coefs
    if steps > p:
        raise ValueError("n_nonzero_coefs: The number of atoms cannot be more than the number of features")
    return steps


_STEPS = {"n_nonzero_coefs": [Int(1, None), None], "tol": [Real(0, None), None]}


def orthogonal_mp(
    X, y, *, n_nonzero_coefs=None, tol=None, precompute=False, copy_X=True, return_path=False, return_n_iter=False
):
    """Orthogonal matching pursuit of one or several targets.

    Each step takes in the column with the largest inner product with the residual, then refits all columns taken in by
    least squares, without an intercept.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Columns are taken to have comparable norms.
    y : array-like of shape (n_samples,) or (n_samples, n_targets)
    n_nonzero_coefs : int or None
        Number of columns; None, without `tol`, means a tenth of the features.
    tol : float or None
        Stop when the residual sum of squares is at most this; overrides `n_nonzero_coefs`.
    precompute : bool or "auto"
        Work on X'X and X'y, which pays for many targets. "auto" does when there are more rows than columns.
    copy_X : bool
        Accepted for compatibility: X is never changed.
    return_path : bool
        Return the coefficients after every step, along a last axis.
    return_n_iter : bool
        Also return the number of steps.

    Returns
    -------
    coef : ndarray of shape (n_features,) or (n_features, n_targets), with `return_path` a further axis
    n_iters : int or list of int
        With `return_n_iter`.

    See Also
    --------
    OrthogonalMatchingPursuit, orthogonal_mp_gram

    Examples
    --------
    >>> from statlearn.linear import orthogonal_mp
    >>> orthogonal_mp([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], [2.0, 0.0, 2.0], n_nonzero_coefs=1)
    array([2., 0.])
    """
    check_arguments(
        orthogonal_mp,
        n_nonzero_coefs=(n_nonzero_coefs, _STEPS["n_nonzero_coefs"]),
        tol=(tol, _STEPS["tol"]),
        precompute=(precompute, ["boolean", Options("auto")]),
    )
    X, y = check_X_y(X, y, dtype=FLOATS, order="F", multi_output=True, y_numeric=True)
    limit = _step_limit(n_nonzero_coefs, tol, X.shape[1])
    use_gram = X.shape[0] > X.shape[1] if isinstance(precompute, str) else precompute
    worlds = _worlds(np.asarray(X, np.float64), np.asarray(y, np.float64).reshape(len(y), -1), use_gram)
    paths = [_coefficients(world, X.shape[1], limit, tol) for world in worlds]
    return _collect(paths, return_path, return_n_iter, X.dtype)


def _worlds(X, Y, use_gram):
    """One world per target."""
    if not use_gram:
        return [_Rows(X, target) for target in Y.T]
    gram, products = X.T @ X, X.T @ Y
    return [_Products(gram, xy, float(target @ target)) for xy, target in zip(products.T, Y.T)]


def orthogonal_mp_gram(
    Gram,
    Xy,
    *,
    n_nonzero_coefs=None,
    tol=None,
    norms_squared=None,
    copy_Gram=True,
    copy_Xy=True,
    return_path=False,
    return_n_iter=False,
):
    """Orthogonal matching pursuit from cross-products.

    Parameters
    ----------
    Gram : array-like of shape (n_features, n_features)
        X'X.
    Xy : array-like of shape (n_features,) or (n_features, n_targets)
        X'y.
    n_nonzero_coefs : int or None
        Number of columns; None, without `tol`, means a tenth of the features.
    tol : float or None
        Stop when the residual sum of squares is at most this; overrides `n_nonzero_coefs`.
    norms_squared : array-like of shape (n_targets,) or None
        y'y of each target; `tol` needs it.
    copy_Gram : bool
        Accepted for compatibility: nothing is overwritten.
    copy_Xy : bool
        Likewise.
    return_path : bool
        Return the coefficients after every step, along a last axis.
    return_n_iter : bool
        Also return the number of steps.

    Returns
    -------
    coef : ndarray of shape (n_features,) or (n_features, n_targets), with `return_path` a further axis
    n_iters : int or list of int
        With `return_n_iter`.

    See Also
    --------
    orthogonal_mp

    Examples
    --------
    >>> from statlearn.linear import orthogonal_mp_gram
    >>> orthogonal_mp_gram([[2.0, 1.0], [1.0, 2.0]], [4.0, 2.0], n_nonzero_coefs=1)
    array([2., 0.])
    """
    check_arguments(
        orthogonal_mp_gram,
        n_nonzero_coefs=(n_nonzero_coefs, _STEPS["n_nonzero_coefs"]),
        tol=(tol, _STEPS["tol"]),
    )
    Gram = check_array(Gram, dtype=FLOATS, input_name="Gram")
    Xy = check_array(Xy, ensure_2d=False, dtype=FLOATS, input_name="Xy")
    p = Gram.shape[0]
    if Gram.shape != (p, p) or Xy.shape[0] != p:
        raise ValueError(f"Gram must be square and Xy of as many rows, got {Gram.shape} and {Xy.shape}")
    products = np.asarray(Xy, np.float64).reshape(p, -1)
    if tol is not None and norms_squared is None:
        raise ValueError("Gram OMP needs the precomputed norms in order to evaluate the error sum of squares.")
    norms = np.zeros(products.shape[1]) if norms_squared is None else np.ravel(norms_squared).astype(np.float64)
    limit = _step_limit(n_nonzero_coefs, tol, p)
    gram = np.asarray(Gram, np.float64)
    paths = [_coefficients(_Products(gram, xy, norm), p, limit, tol) for xy, norm in zip(products.T, norms)]
    return _collect(paths, return_path, return_n_iter, Gram.dtype)


class OrthogonalMatchingPursuit(LinearRegressorMixin, MultiOutputMixin, BaseEstimator):
    r"""Least squares on a few columns, taken in one by one.

    Minimises, greedily, the residual sum of squares

    .. math:: \sum_i s_i (y_i - b - x_i^\top w)^2 \quad \text{subject to} \quad \lVert w \rVert_0 \le k,

    a sum without factor, intercept b free: each step takes in the column with the largest inner product with the
    residual and refits all columns taken in. Stops at `n_nonzero_coefs` columns or, with `tol`, when the residual sum
    of squares is at most `tol`.

    Parameters
    ----------
    n_nonzero_coefs : int or None, default=None
        Number of columns; None, without `tol`, means a tenth of the features (at least 1). Ignored with `tol`.
    tol : float or None, default=None
        Bound on the residual sum of squares, on the (weighted) scale of y².
    fit_intercept : bool, default=True
    precompute : bool or "auto", default="auto"
        Work on cross-products; "auto" does for several targets and more rows than columns.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,) or (n_targets, n_features)
    intercept_ : float or ndarray of shape (n_targets,)
    n_iter_ : int or list of int
        Steps, per target.
    n_nonzero_coefs_ : int or None
        The limit that was used; None with `tol`.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    See Also
    --------
    OrthogonalMatchingPursuitCV, StepwiseRegressor, BestSubsetRegressor, Lars

    Notes
    -----
    O(n p) per step. Inner products compare columns: standardise them first. Forward selection by residual sum of
    squares (:class:`StepwiseRegressor`) looks at each column after removing what the active ones explain of it, which
    is a little dearer and a little better. Coefficients were selected on these data: standard errors do not hold.

    References
    ----------
    Pati, Rezaiifar & Krishnaprasad (1993), Orthogonal matching pursuit: recursive function approximation.
    Mallat & Zhang (1993), Matching pursuits with time-frequency dictionaries.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.linear import OrthogonalMatchingPursuit
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(50, 10))
    >>> y = 3.0 * X[:, 2] - 2.0 * X[:, 7] + 1.0
    >>> OrthogonalMatchingPursuit(n_nonzero_coefs=2).fit(X, y).coef_.round(6)
    array([ 0.,  0.,  3.,  0.,  0.,  0.,  0., -2.,  0.,  0.])
    """

    _constraints = {**_STEPS, "fit_intercept": ["boolean"], "precompute": ["boolean", Options("auto")]}
    _accept_sparse = False

    def __init__(self, *, n_nonzero_coefs=None, tol=None, fit_intercept=True, precompute="auto"):
        self.n_nonzero_coefs = n_nonzero_coefs
        self.tol = tol
        self.fit_intercept = fit_intercept
        self.precompute = precompute

    def fit(self, X, y, sample_weight=None):
        """Fit the model.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
        sample_weight : array-like of shape (n_samples,), float or None
            Weight k counts as k copies of the row.

        Returns
        -------
        self
        """
        check_params(self)
        X, y = validate_data(self, X, y, dtype=FLOATS, multi_output=True, y_numeric=True)
        refuse_overflow(X, "X")
        limit = _step_limit(self.n_nonzero_coefs, self.tol, X.shape[1])
        self.n_nonzero_coefs_ = None if self.tol is not None else limit
        self._pursue(X, y, check_weights(sample_weight, X), limit, self.tol)
        return self

    def _pursue(self, X, y, weights, limit, tol):
        design = centred_data(X, y, weights, fit_intercept=self.fit_intercept)
        many = design.y.shape[1] > 1 and X.shape[0] > X.shape[1]
        precompute = getattr(self, "precompute", False)
        worlds = _worlds(design.X, design.y, many if isinstance(precompute, str) else precompute)
        paths = [_coefficients(world, X.shape[1], limit, tol) for world in worlds]
        coef = np.stack([path[:, -1] if path.shape[1] else np.zeros(X.shape[1]) for path in paths])
        n_iter = [path.shape[1] for path in paths]
        intercept = design.intercept(coef).astype(X.dtype)
        coef = coef.astype(X.dtype)
        single = len(paths) == 1
        self.coef_, self.n_iter_ = (coef[0], n_iter[0]) if single else (coef, n_iter)
        self.intercept_ = 0.0 if not self.fit_intercept else intercept[0] if y.ndim == 1 else intercept

    def summary(self):
        """Refused: the columns were chosen on these data.

        Raises
        ------
        ValueError
        """
        raise ValueError(
            f"{type(self).__name__} selects columns: standard errors, t and p values of the selected ones do not hold. "
            "Refit them by LinearRegression on data that did not choose them."
        )


class OrthogonalMatchingPursuitCV(OrthogonalMatchingPursuit):
    """Orthogonal matching pursuit with the number of columns chosen by cross-validation.

    The fit is that of :class:`OrthogonalMatchingPursuit`; each fold follows the pursuit once, and the mean squared
    error after each step decides.

    Parameters
    ----------
    copy : bool, default=True
        Accepted for compatibility: X is never changed.
    fit_intercept : bool, default=True
    max_iter : int or None, default=None
        Largest number of columns; None means a tenth of the features, at least 5 (if there are as many).
    cv : int, splitter, iterable or None, default=None
        None means 5 folds.
    n_jobs : int or None, default=None
        Folds at once.
    verbose : bool or int, default=False
        Accepted for compatibility.
    rule : {"min", "one_se"}, default="min"
        The smallest error, or the fewest columns within one standard error of it.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
    intercept_ : float
    n_nonzero_coefs_ : int
        The choice.
    n_iter_ : int
        Steps of the final fit.
    cv_curve_ : CVCurve
        Mean squared errors along the number of columns.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    See Also
    --------
    OrthogonalMatchingPursuit, LassoCV, LarsCV

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.linear import OrthogonalMatchingPursuitCV
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(60, 8))
    >>> y = 3.0 * X[:, 2] - 2.0 * X[:, 7] + 0.1 * rng.normal(size=60)
    >>> OrthogonalMatchingPursuitCV(rule="one_se").fit(X, y).n_nonzero_coefs_
    2
    """

    _constraints = {
        "copy": ["boolean"],
        "fit_intercept": ["boolean"],
        "max_iter": [Int(1, None), None],
        "cv": ["cv"],
        "n_jobs": [Int(), None],
        "verbose": ["verbose"],
        "rule": [Options("min", "one_se")],
    }

    def __init__(
        self, *, copy=True, fit_intercept=True, max_iter=None, cv=None, n_jobs=None, verbose=False, rule="min"
    ):
        self.copy = copy
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.cv = cv
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.rule = rule

    def fit(self, X, y, sample_weight=None):
        """Choose the number of columns and fit.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), float or None

        Returns
        -------
        self
        """
        check_params(self)
        X, y = validate_data(self, X, y, dtype=FLOATS, y_numeric=True)
        refuse_overflow(X, "X")
        weights = check_weights(sample_weight, X)
        p = X.shape[1]
        limit = min(max(int(0.1 * p), 5), p) if self.max_iter is None else min(self.max_iter, p)

        def errors(train, test):
            design = centred_data(*train, fit_intercept=self.fit_intercept)
            path = _coefficients(_Rows(design.X, design.y[:, 0]), p, min(limit, design.max_rank), None)
            path = np.column_stack([np.zeros(p), path])
            X_test, y_test, w_test = test
            predictions = X_test @ path + (design.y_mean[0] - design.x_mean @ path)
            return np.average((y_test[:, None] - predictions) ** 2, axis=0, weights=w_test)

        losses = fold_results(errors, X, y, weights, self.cv, self.n_jobs)
        steps = min(len(loss) for loss in losses) - 1  # a fold may run out of independent columns
        numbers = np.arange(1, steps + 1) if steps else np.array([0])
        table = np.column_stack([loss[numbers] for loss in losses])
        self.cv_curve_ = CVCurve(numbers, table, name="n_nonzero_coefs")
        self.n_nonzero_coefs_ = int(numbers[self.cv_curve_.chosen(self.rule)])
        self._pursue(X, y, weights, self.n_nonzero_coefs_, None)
        return self

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = False
        return tags
