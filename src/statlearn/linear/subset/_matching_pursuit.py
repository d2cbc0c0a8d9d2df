"""Orthogonal matching pursuit: columns enter one at a time, with a refit of all active columns."""

import numpy as np
from sklearn.base import BaseEstimator, MultiOutputMixin
from sklearn.utils.validation import check_array, check_X_y

from statlearn._core import native
from statlearn._core.params import Int, Options, Real, check_arguments, check_params
from statlearn._core.selection import CVCurve
from statlearn._core.validation import FLOATS, check_weights, validate_data
from statlearn._core.warnings import warn
from statlearn.linear._base import LinearRegressorMixin
from statlearn.linear._centred_data import centred_data
from statlearn.linear._path_cv import fold_results

_PREMATURE = (
    "Orthogonal matching pursuit ended prematurely due to linear dependence in the dictionary. The requested precision "
    "might not have been met."
)


class _Atoms:
    """The columns of X, by themselves or by their cross-products, and their products with the targets.

    Parameters
    ----------
    matrix : ndarray
        X'X, or X itself in Fortran order.
    gram : bool
        Whether `matrix` is X'X.
    products : ndarray of shape (n_targets, n_features)
        y'X of each target.
    squares : ndarray of shape (n_targets,)
        y'y of each target.
    """

    def __init__(self, matrix, gram, products, squares):
        order = np.ascontiguousarray if gram else np.asfortranarray
        self.matrix, self.gram = order(matrix, np.float64), gram
        self.products, self.squares = np.ascontiguousarray(products, np.float64), np.ascontiguousarray(squares)

    @classmethod
    def of(cls, X, Y, use_gram):
        """For targets in the columns of Y."""
        return cls(X.T @ X if use_gram else X, use_gram, Y.T @ X, np.einsum("ij,ij->j", Y, Y))

    def codes(self, n_steps, tol):
        """Coefficients (n_targets, n_features) at the end of the pursuit, and the number of steps of each target.

        Stops after `n_steps` or, with `tol`, when the residual sum of squares is at most `tol`.
        """
        pursue = native.common.omp_codes if self.gram else native.common.omp_codes_of_columns
        codes, steps = np.empty_like(self.products), np.empty(len(self.products), np.int32)
        if pursue(self.matrix, self.products, self.squares, n_steps, -1.0 if tol is None else tol, codes, steps):
            warn(_PREMATURE, RuntimeWarning)
        return codes, steps.tolist()

    def paths(self, n_steps, tol):
        """For each target the coefficients (n_features, steps), one column per step."""
        pursue = native.common.omp_path if self.gram else native.common.omp_path_of_columns
        limit, p = -1.0 if tol is None else tol, self.products.shape[1]
        chosen, coefs, paths = np.empty(n_steps, np.int32), np.empty((n_steps, n_steps)), []
        for products, square in zip(self.products, self.squares):
            steps = pursue(self.matrix, products, square, n_steps, limit, chosen, coefs)
            if steps < 0:
                warn(_PREMATURE, RuntimeWarning)
                steps = -1 - steps
            path = np.zeros((p, steps))
            path[chosen[:steps]] = np.tril(coefs[:steps, :steps]).T
            paths.append(path)
        return paths


def _answer(atoms, n_steps, tol, return_path, return_n_iter, dtype):
    """Coefficients in scikit-learn's shapes."""
    if return_path:
        paths = atoms.paths(n_steps, tol)
        n_iter = [path.shape[1] for path in paths]
        result = np.zeros((paths[0].shape[0], len(paths), max(n_iter)))
        for t, path in enumerate(paths):
            result[:, t, : path.shape[1]] = path
    else:
        codes, n_iter = atoms.codes(n_steps, tol)
        result = codes.T
    result = np.squeeze(result.astype(dtype, copy=False))
    return (result, n_iter[0] if len(n_iter) == 1 else n_iter) if return_n_iter else result


def _step_limit(n_nonzero_coefs, tol, p):
    """Maximum number of steps: p with `tol`, otherwise `n_nonzero_coefs` or a tenth of the features."""
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
    """Orthogonal matching pursuit for one or several targets.

    Each step adds the column with the largest inner product with the residual, then refits all added columns by least
    squares without an intercept.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The columns should have comparable norms.
    y : array-like of shape (n_samples,) or (n_samples, n_targets)
    n_nonzero_coefs : int or None, default=None
        Number of columns; None, without `tol`, means a tenth of the features.
    tol : float or None, default=None
        Stop when the residual sum of squares is at most this; overrides `n_nonzero_coefs`.
    precompute : bool or "auto", default=False
        Whether to use X'X and X'y, which is faster for many targets. "auto" uses them if there are more rows than
        columns.
    copy_X : bool, default=True
        Accepted for compatibility. X is never modified.
    return_path : bool, default=False
        Return the coefficients after every step, along a last axis.
    return_n_iter : bool, default=False
        Also return the number of steps.

    Returns
    -------
    coef : ndarray of shape (n_features,) or (n_features, n_targets), with `return_path` a further axis
    n_iters : int or list of int
        Only with ``return_n_iter=True``.

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
    atoms = _Atoms.of(np.asarray(X, np.float64), np.asarray(y, np.float64).reshape(len(y), -1), use_gram)
    return _answer(atoms, limit, tol, return_path, return_n_iter, X.dtype)


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
    n_nonzero_coefs : int or None, default=None
        Number of columns; None, without `tol`, means a tenth of the features.
    tol : float or None, default=None
        Stop when the residual sum of squares is at most this; overrides `n_nonzero_coefs`.
    norms_squared : array-like of shape (n_targets,) or None, default=None
        y'y of each target; required with `tol`.
    copy_Gram : bool, default=True
        Accepted for compatibility. Gram is never modified.
    copy_Xy : bool, default=True
        Accepted for compatibility. Xy is never modified.
    return_path : bool, default=False
        Return the coefficients after every step, along a last axis.
    return_n_iter : bool, default=False
        Also return the number of steps.

    Returns
    -------
    coef : ndarray of shape (n_features,) or (n_features, n_targets), with `return_path` a further axis
    n_iters : int or list of int
        Only with ``return_n_iter=True``.

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
        raise ValueError(f"Gram must be square and Xy must have as many rows, got {Gram.shape} and {Xy.shape}.")
    products = np.asarray(Xy, np.float64).reshape(p, -1)
    if tol is not None and norms_squared is None:
        raise ValueError("Gram OMP needs the precomputed norms in order to evaluate the error sum of squares.")
    norms = np.zeros(products.shape[1]) if norms_squared is None else np.ravel(norms_squared).astype(np.float64)
    limit = _step_limit(n_nonzero_coefs, tol, p)
    return _answer(_Atoms(Gram, True, products.T, norms), limit, tol, return_path, return_n_iter, Gram.dtype)


class OrthogonalMatchingPursuit(LinearRegressorMixin, MultiOutputMixin, BaseEstimator):
    r"""Orthogonal matching pursuit: greedy least squares with a limited number of columns.

    Minimises the residual sum of squares greedily,

    .. math:: \sum_i s_i (y_i - b - x_i^\top w)^2 \quad \text{subject to} \quad \lVert w \rVert_0 \le k,

    a sum without a factor 1/2, with an unpenalised intercept b. Each step adds the column with the largest inner
    product with the residual and refits all added columns. Stops at `n_nonzero_coefs` columns or, with `tol`, when the
    residual sum of squares is at most `tol`.

    Parameters
    ----------
    n_nonzero_coefs : int or None, default=None
        Number of columns; None, without `tol`, means a tenth of the features (at least 1). Ignored with `tol`.
    tol : float or None, default=None
        Target for the residual sum of squares, on the (weighted) scale of y².
    fit_intercept : bool, default=True
    precompute : bool or "auto", default="auto"
        Whether to use cross-products; "auto" uses them for several targets and more rows than columns.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,) or (n_targets, n_features)
    intercept_ : float or ndarray of shape (n_targets,)
    n_iter_ : int or list of int
        Number of steps per target.
    n_nonzero_coefs_ : int or None
        The limit that was used; None with `tol`.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    See Also
    --------
    OrthogonalMatchingPursuitCV, StepwiseRegressor, BestSubsetRegressor, Lars

    Notes
    -----
    A step costs O(n p). Standardise the columns first, because their inner products are compared. Forward selection by
    residual sum of squares (:class:`StepwiseRegressor`) compares columns after projecting out the active ones, which is
    slightly more expensive and slightly better. Standard errors are not valid, because the columns were selected on the
    same data.

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
        sample_weight : array-like of shape (n_samples,), float or None, default=None
            Weight k counts as k copies of the row.

        Returns
        -------
        self
        """
        check_params(self)
        X, y = validate_data(self, X, y, dtype=FLOATS, multi_output=True, y_numeric=True)
        limit = _step_limit(self.n_nonzero_coefs, self.tol, X.shape[1])
        self.n_nonzero_coefs_ = None if self.tol is not None else limit
        self._pursue(X, y, check_weights(sample_weight, X), limit, self.tol)
        return self

    def _pursue(self, X, y, weights, limit, tol):
        design = centred_data(X, y, weights, fit_intercept=self.fit_intercept)
        many = design.y.shape[1] > 1 and X.shape[0] > X.shape[1]
        precompute = getattr(self, "precompute", False)
        coef, n_iter = _Atoms.of(design.X, design.y, many if isinstance(precompute, str) else precompute).codes(
            limit, tol
        )
        intercept = design.intercept(coef).astype(X.dtype)
        coef = coef.astype(X.dtype)
        single = len(coef) == 1
        self.coef_, self.n_iter_ = (coef[0], n_iter[0]) if single else (coef, n_iter)
        self.intercept_ = 0.0 if not self.fit_intercept else intercept[0] if y.ndim == 1 else intercept

    def summary(self):
        """Not available: the columns were selected on the same data.

        Raises
        ------
        ValueError
        """
        raise ValueError(
            f"{type(self).__name__} has no summary(): the columns were selected on the same data, so standard errors "
            "and p-values are not valid. Refit the selected columns with LinearRegression on new data."
        )


class OrthogonalMatchingPursuitCV(OrthogonalMatchingPursuit):
    """Orthogonal matching pursuit with the number of columns chosen by cross-validation.

    The fit is that of :class:`OrthogonalMatchingPursuit`. Each fold runs the pursuit once, and the number of columns is
    chosen by the mean squared error after each step.

    Parameters
    ----------
    copy : bool, default=True
        Accepted for compatibility. X is never modified.
    fit_intercept : bool, default=True
    max_iter : int or None, default=None
        Maximum number of columns. None means a tenth of the features, but at least 5 (or all, if there are fewer).
    cv : int, splitter, iterable or None, default=None
        Cross-validation folds; None means 5.
    n_jobs : int or None, default=None
        Number of folds fitted in parallel.
    verbose : bool or int, default=False
        Accepted for compatibility.
    rule : {"min", "one_se"}, default="min"
        Choose the smallest error, or the fewest columns within one standard error of it.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
    intercept_ : float
    n_nonzero_coefs_ : int
        The chosen number of columns.
    n_iter_ : int
        Number of steps of the final fit.
    cv_curve_ : CVCurve
        Mean squared error against the number of columns.
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
        """Choose the number of columns and fit the model.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), float or None, default=None

        Returns
        -------
        self
        """
        check_params(self)
        X, y = validate_data(self, X, y, dtype=FLOATS, y_numeric=True)
        weights = check_weights(sample_weight, X)
        p = X.shape[1]
        limit = min(max(int(0.1 * p), 5), p) if self.max_iter is None else min(self.max_iter, p)

        def errors(train, test):
            design = centred_data(*train, fit_intercept=self.fit_intercept)
            path = _Atoms.of(design.X, design.y[:, :1], False).paths(min(limit, design.max_rank), None)[0]
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
