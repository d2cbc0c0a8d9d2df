"""Least-angle regression and the LARS lasso."""

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state

from statlearn._core.fitted_state import forget
from statlearn._core.params import Int, Options, Real, check_params
from statlearn._core.validation import FLOATS, check_weights, require_finite, validate_data
from statlearn._math.penalties.scales import penalty_factor
from statlearn.linear._base import LinearRegressorMixin
from statlearn.linear._centred_data import centred_data
from statlearn.linear._penalty import PENALTY_SCALE

from ._path import EPS, gram_for, print_steps, solve_path

PRECOMPUTE = ["boolean", Options("auto"), "array-like", None]


class Lars(LinearRegressorMixin, BaseEstimator):
    r"""Least-angle regression.

    Starting at 0, moves the coefficients of the columns that have the largest absolute inner product with the residual
    jointly in the least-squares direction, until another column ties. At most min(n - 1, p) steps lead to the
    least-squares fit. The intercept follows from centring the data.

    Parameters
    ----------
    fit_intercept : bool, default=True
    verbose : bool or int, default=False
        Values above 1 print a table of the columns entering the model.
    precompute : bool, "auto" or array-like of shape (n_features, n_features), default="auto"
        Whether to use the Gram matrix of the centred columns, or that matrix itself.
    n_nonzero_coefs : int, default=500
        Maximum number of steps.
    eps : float, default=machine precision
        A column is treated as dependent on the active ones if its squared pivot is below ``64 * eps`` times its norm².
    copy_X : bool, default=True
        If False, X may be overwritten.
    fit_path : bool, default=True
        Whether to store the whole path.
    jitter : float or None, default=None
        Upper bound of uniform noise added to y. Exact ties are handled without it.
    random_state : int, RandomState or None, default=None
        Seed of the jitter.

    Attributes
    ----------
    alphas_ : ndarray of shape (n_nodes,), or list of such arrays
        Largest absolute inner product at each node divided by the number of rows (or the sum of the weights).
    active_ : list of int, or list of such lists
        Active columns at the end, in order of entry.
    coef_path_ : ndarray of shape (n_features, n_nodes), or list
    inner_products_path_ : ndarray of shape (n_features, n_nodes), or list
        Inner product of every centred column with the residual at each node. They are equal in absolute value on the
        active set and decrease together.
    coef_ : ndarray of shape (n_features,) or (n_targets, n_features)
    intercept_ : float or ndarray of shape (n_targets,)
    n_iter_ : int or list of int
        Number of steps.
    n_features_in_ : int
    feature_names_in_ : ndarray of str

    Notes
    -----
    The columns are not standardised; scale them first if their units differ. After k steps the fit has about k degrees
    of freedom. The whole path costs O(n p min(n, p)), like one least-squares fit.

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
        "precompute": PRECOMPUTE,
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
        eps=EPS,
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
            ``X.T @ y`` of the centred data, if already computed.
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
            y = np.asarray(y, dtype=np.float64) + check_random_state(self.random_state).uniform(
                high=self.jitter, size=y.shape
            )
        design = centred_data(X, y, check_weights(sample_weight, X), fit_intercept=self.fit_intercept, copy=self.copy_X)
        return self._fit_path(design, X.dtype, self._alpha(), self._max_steps(), Xy)

    def _alpha(self):
        return 0.0

    def _max_steps(self):
        return self.n_nonzero_coefs

    def _fit_path(self, design, dtype, alpha, max_iter, Xy=None):
        """Fit every target down to `alpha` (on this estimator's scale) and set the attributes."""
        targets = design.y.shape[1]
        gram = gram_for(self.precompute, design.X, targets)
        factor = penalty_factor(getattr(self, "penalty_scale", "sklearn"), design.total_weight)
        Xy = design.X.T @ design.y if Xy is None else np.asarray(Xy, dtype=np.float64).reshape(design.X.shape[1], -1)
        if Xy.shape[1] != targets:
            raise ValueError(f"Xy must have {targets} column(s), one per target, got {Xy.shape[1]}.")
        fit_path = getattr(self, "fit_path", True)
        paths = []
        for k in range(targets):
            path = solve_path(
                design.X, gram, Xy[:, k], design.max_rank,
                method=self.method, positive=getattr(self, "positive", False),
                c_min=design.total_weight * alpha * factor, max_iter=max_iter, eps=self.eps, keep_path=fit_path,
            )  # fmt: skip
            if self.verbose > 1:
                print_steps(path, design.total_weight)
            paths.append(path)
        coef = np.vstack([path.coefs[-1] for path in paths])
        intercept = design.intercept(coef)
        with np.errstate(over="ignore"):
            coef, intercept = coef.astype(dtype), intercept.astype(dtype)
        require_finite(coef, intercept, remedy="Scale y, or lower `jitter`.")  # float32 ends at 3e38

        def per_target(values):
            return values[0] if targets == 1 else values

        self.coef_ = per_target(coef)
        self.intercept_ = per_target(intercept)
        self.alphas_ = per_target([(path.level / design.total_weight / factor).astype(dtype) for path in paths])
        self.n_iter_ = per_target([path.n_iter for path in paths])
        forget(self, "active_", "coef_path_", "inner_products_path_")
        if fit_path:
            self.active_ = per_target([path.active for path in paths])
            self.coef_path_ = per_target([np.ascontiguousarray(path.coefs.T, dtype=dtype) for path in paths])
            self.inner_products_path_ = per_target([path.products.T.astype(dtype) for path in paths])
        return self


class LassoLars(Lars):
    r"""Lasso by least-angle regression (LARS).

    Minimises over w and an unpenalised intercept b, with S the sum of the weights (the number of rows),

    .. math:: \frac{1}{2S} \sum_i s_i (y_i - b - x_i^\top w)^2 + \alpha \lVert w \rVert_1

    by following the exact piecewise linear path from the penalty at which all coefficients are 0 down to `alpha`.

    Parameters
    ----------
    alpha : float, default=1.0
        The penalty; 0 leads to least squares.
    fit_intercept : bool, default=True
    verbose : bool or int, default=False
        Values above 1 print a table of the columns entering and leaving the model.
    precompute : bool, "auto" or array-like of shape (n_features, n_features), default="auto"
        Whether to use the Gram matrix of the centred columns, or that matrix itself.
    max_iter : int, default=500
        Maximum number of steps.
    eps : float, default=machine precision
        A column is treated as dependent on the active ones if its squared pivot is below ``64 * eps`` times its norm².
    copy_X : bool, default=True
        If False, X may be overwritten.
    fit_path : bool, default=True
        Whether to store the whole path.
    positive : bool, default=False
        Restrict the coefficients to be non-negative. The path is exact down to alpha = 0, which is non-negative least
        squares.
    jitter : float or None, default=None
        Upper bound of uniform noise added to y. Exact ties are handled without it.
    random_state : int, RandomState or None, default=None
        Seed of the jitter.
    penalty_scale : {"sklearn", "half_rss", "rss"}, default="sklearn"
        Objective that `alpha` and `alphas_` refer to: the one above, ``RSS/2 + alpha |w|_1`` or
        ``RSS + alpha |w|_1``.

    Attributes
    ----------
    alphas_ : ndarray of shape (n_nodes,), or list of such arrays
        Penalties at which the active set changes, followed by the last one reached.
    active_ : list of int, or list of such lists
    coef_path_ : ndarray of shape (n_features, n_nodes), or list
        Coefficients at these penalties. They are linear in between.
    inner_products_path_ : ndarray of shape (n_features, n_nodes), or list
        Inner products of the centred columns with the residual.
    coef_ : ndarray of shape (n_features,) or (n_targets, n_features)
    intercept_ : float or ndarray of shape (n_targets,)
    n_iter_ : int or list of int
    n_features_in_ : int
    feature_names_in_ : ndarray of str

    See Also
    --------
    Lasso : Same objective by coordinate descent, which is faster if many coefficients are non-zero.

    Notes
    -----
    Standardise the columns first unless they share a unit, because the penalty treats all coefficients alike.

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
        eps=EPS,
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
