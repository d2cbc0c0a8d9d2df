"""Support vector regression: epsilon-insensitive loss, and the nu form that finds epsilon."""

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_is_fitted

from statlearn._core.fitted_state import forget
from statlearn._core.params import Real, check_params
from statlearn._core.search import SearchSpace
from statlearn.svm._machine import KERNEL_CONSTRAINTS, KernelMachine, sparse_like
from statlearn.svm._solver import LARGEST_C, fill_in_order, regression_dual


class _KernelRegressor(RegressorMixin, KernelMachine):
    """Base of `SVR` and `NuSVR`."""

    def fit(self, X, y, sample_weight=None):
        """Fit the machine.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training rows, or the kernel matrix of shape (n_samples, n_samples) with ``kernel="precomputed"``.
        y : array-like of shape (n_samples,)
            Target values.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            Weight of every row: its C is multiplied by the weight. A weight of k equals k copies of the row. Rows with
            negative weights are left out with a warning, as in scikit-learn.

        Returns
        -------
        self
        """
        check_params(self)
        X, y = self._validate(X, y, y_numeric=True)
        table, rows, weights = self._prepare(X, sample_weight)
        price = min(float(self.C), LARGEST_C)
        bounds = np.full(rows.size, price) if weights is None else price * weights
        unit = self._unit(y[rows], weights)
        dual = self._dual(y[rows] / unit, bounds)
        (solution,) = self._solve(table, [dual])
        coef = unit * solution.multipliers(dual)
        self._set_level(dual, solution)
        self.intercept_ *= unit
        used = np.flatnonzero(coef)
        self._n_support = np.array([used.size], dtype=np.int32)
        self._keep_support(X, rows[used])
        self.dual_coef_ = sparse_like(coef[None, used], self.support_vectors_)
        self.n_iter_ = int(solution.n_iter)
        self.objective_, self.violation_ = unit**2 * float(solution.objective), unit * float(solution.gap)
        self._require_finite()
        return self

    def _unit(self, y, weights):
        """Unit in which the target is fitted."""
        return 1.0

    def predict(self, X):
        """Predicted values.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows, or with ``kernel="precomputed"`` their kernel values with the training rows.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        check_is_fitted(self)
        sums = self._segment_sums(X, self.dual_coef_, [0, int(self._n_support.sum())])
        return sums[:, 0, 0] + self.intercept_[0]


class SVR(_KernelRegressor):
    r"""Support vector regression with any kernel.

    Minimises over w and an unpenalised b

    .. math:: \tfrac12\lVert w\rVert^2 + \sum_i C_i \max\bigl(0, |y_i-w^\top\phi(x_i)-b|-\varepsilon\bigr)

    with :math:`C_i` equal to `C` times the weight of the row. Residuals inside the tube :math:`\pm\varepsilon` cost
    nothing. The dual has two multipliers a row, :math:`0\le\alpha_i,\alpha_i^*\le C_i` with
    :math:`\sum_i(\alpha_i^*-\alpha_i)=0`. The solver stops when no pair of multipliers violates its optimality
    conditions by `tol` or more.

    Parameters
    ----------
    kernel : {"linear", "poly", "rbf", "sigmoid", "precomputed"} or callable, default="rbf"
        As in `SVC`.
    degree : int, default=3
    gamma : {"scale", "auto"} or float, default="scale"
    coef0 : float, default=0.0
    tol : float, default=1e-3
        Largest violation of the optimality conditions at the end, on the scale of y.
    C : float, default=1.0
        Cost of residuals outside the tube; :math:`1/\lambda` if the penalty is written
        :math:`\frac\lambda2\lVert w\rVert^2`.
    epsilon : float, default=0.1
        Half the width of the tube, on the scale of y.
    scale_target : bool, default=False
        Whether `C`, `epsilon` and `tol` are in units of the standard deviation of y: the machine is fitted to y divided
        by it, and the predictions are multiplied by it.
    shrinking : bool, default=True
    cache_size : float, default=200
    verbose : bool, default=False
    max_iter : int, default=-1
    on_interrupt : {"raise", "keep"}, default="raise"
        These are as in `SVC`.

    Attributes
    ----------
    support_ : ndarray of shape (n_SV,)
        Positions of the support vectors: rows on or outside the tube.
    support_vectors_ : ndarray or csr matrix of shape (n_SV, n_features)
    n_support_ : ndarray of shape (1,)
    dual_coef_ : ndarray of shape (1, n_SV)
        :math:`\alpha_i^*-\alpha_i`, positive for rows above the tube.
    intercept_ : ndarray of shape (1,)
    coef_ : ndarray of shape (1, n_features)
        Only with a linear kernel.
    target_scale_ : float
        Standard deviation of y (1 if y is constant); only with `scale_target`.
    objective_ : float
        The dual objective that is minimised.
    violation_ : float
    fit_status_ : int
    n_iter_ : int
    shape_fit_ : tuple of int
    X_fit_ : array or list
        Only with a callable kernel.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)

    Notes
    -----
    The defaults of C and epsilon suppose that y has a standard deviation near 1: scale y, set ``scale_target=True``, or
    choose both for its unit.
    Scale the columns of X as well. The cost grows between the square and the cube of the number of rows.

    References
    ----------
    A. J. Smola and B. Schölkopf, "A tutorial on support vector regression", Statistics and Computing 14 (2004).

    Examples
    --------
    >>> from statlearn.svm import SVR
    >>> line = SVR(kernel="linear", C=10, epsilon=0.1, tol=1e-9).fit([[0.0], [1.0]], [0.0, 1.0])
    >>> print(line.coef_.round(6), line.intercept_.round(6))
    [[0.8]] [0.1]
    """

    _constraints = {
        **KERNEL_CONSTRAINTS,
        "C": [Real(0, None, closed="right")],
        "epsilon": [Real(0, None)],
        "scale_target": ["boolean"],
    }
    _search_space = SearchSpace(
        "support vector regression",
        grid={"C": [0.1, 1.0, 10.0, 100.0], "gamma": ["scale", 0.01, 0.1]},
        fixed={"scale_target": True},
    )

    def __init__(
        self,
        *,
        kernel="rbf",
        degree=3,
        gamma="scale",
        coef0=0.0,
        tol=1e-3,
        C=1.0,
        epsilon=0.1,
        scale_target=False,
        shrinking=True,
        cache_size=200,
        verbose=False,
        max_iter=-1,
        on_interrupt="raise",
    ):
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.tol = tol
        self.C = C
        self.epsilon = epsilon
        self.scale_target = scale_target
        self.shrinking = shrinking
        self.cache_size = cache_size
        self.verbose = verbose
        self.max_iter = max_iter
        self.on_interrupt = on_interrupt

    def _unit(self, y, weights):
        forget(self, "target_scale_")
        if not self.scale_target:
            return 1.0
        spread = float(np.sqrt(np.average((y - np.average(y, weights=weights)) ** 2, weights=weights)))
        self.target_scale_ = spread if spread > 0 else 1.0
        return self.target_scale_

    def _dual(self, y, bounds):
        return regression_dual(y, bounds, self.epsilon)

    def _set_level(self, dual, solution):
        self.intercept_ = np.array([-solution.level(dual)])


class NuSVR(_KernelRegressor):
    r"""Support vector regression in which `nu` determines the width of the tube.

    Minimises over w, b and :math:`\varepsilon\ge0`

    .. math:: \tfrac12\lVert w\rVert^2
        + C\,\Bigl(\nu\varepsilon S + \sum_i s_i\max\bigl(0, |y_i-w^\top\phi(x_i)-b|-\varepsilon\bigr)\Bigr)

    with weights :math:`s_i` of sum S. `nu` is an upper bound on the share of rows outside the tube and a lower bound on
    the share of support vectors. The fit equals that of `SVR` with the epsilon found, `epsilon_`.

    Parameters
    ----------
    nu : float, default=0.5
        Between 0 and 1.
    C : float, default=1.0
    kernel : {"linear", "poly", "rbf", "sigmoid", "precomputed"} or callable, default="rbf"
    degree : int, default=3
    gamma : {"scale", "auto"} or float, default="scale"
    coef0 : float, default=0.0
    shrinking : bool, default=True
    tol : float, default=1e-3
    cache_size : float, default=200
    verbose : bool, default=False
    max_iter : int, default=-1
    on_interrupt : {"raise", "keep"}, default="raise"
        As in `SVR`.

    Attributes
    ----------
    support_, support_vectors_, n_support_, dual_coef_, intercept_, objective_, violation_
        As in `SVR`.
    coef_ : ndarray of shape (1, n_features)
        Only with a linear kernel.
    X_fit_ : array or list
        Training rows. Only with a callable kernel.
    epsilon_ : float
        Half the width of the tube.
    fit_status_, n_iter_, shape_fit_, n_features_in_, feature_names_in_
        As in `SVR`.

    References
    ----------
    B. Schölkopf, A. J. Smola, R. C. Williamson and P. L. Bartlett, "New support vector algorithms", Neural Computation
    12 (2000).

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.svm import NuSVR
    >>> x = np.linspace(0, 6, 40)[:, None]
    >>> NuSVR(C=10).fit(x, np.sin(x.ravel())).score(x, np.sin(x.ravel())) > 0.99
    True
    """

    _constraints = {
        "nu": [Real(0, 1, closed="right")],
        "C": [Real(0, None, closed="right")],
        **KERNEL_CONSTRAINTS,
    }

    def __init__(
        self,
        *,
        nu=0.5,
        C=1.0,
        kernel="rbf",
        degree=3,
        gamma="scale",
        coef0=0.0,
        shrinking=True,
        tol=1e-3,
        cache_size=200,
        verbose=False,
        max_iter=-1,
        on_interrupt="raise",
    ):
        self.nu = nu
        self.C = C
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.shrinking = shrinking
        self.tol = tol
        self.cache_size = cache_size
        self.verbose = verbose
        self.max_iter = max_iter
        self.on_interrupt = on_interrupt

    def _dual(self, y, bounds):
        dual = regression_dual(y, bounds, 0.0)
        filled = fill_in_order(0.5 * self.nu * bounds.sum(), bounds)
        dual.start = np.concatenate([filled, -filled])
        dual.group = np.repeat([0, 1], y.size).astype(np.uint8)
        return dual

    def _set_level(self, dual, solution):
        above, below = solution.level(dual, 0), solution.level(dual, 1)
        self.intercept_ = np.array([-0.5 * (above + below)])
        self.epsilon_ = 0.5 * (below - above)
