"""Novelty detection by a hyperplane that separates the data from the origin of the feature space."""

import numpy as np
from sklearn.base import OutlierMixin
from sklearn.utils.validation import check_is_fitted

from statlearn._core.params import Real, check_params
from statlearn.svm._machine import KERNEL_CONSTRAINTS, KernelMachine, sparse_like
from statlearn.svm._solver import Dual, fill_in_order

_ROUNDING = 1e-9


class OneClassSVM(OutlierMixin, KernelMachine):
    r"""One-class support vector machine for the support of a distribution.

    Minimises over w, :math:`\rho` and slacks :math:`\xi_i\ge0`

    .. math:: \tfrac12\lVert w\rVert^2 - \nu S\rho + \sum_i s_i\xi_i
        \quad\text{with}\quad w^\top\phi(x_i) \ge \rho-\xi_i

    with weights :math:`s_i` of sum S. `nu` is an upper bound on the share of training rows called outliers and a lower
    bound on the share of support vectors.

    Parameters
    ----------
    kernel : {"linear", "poly", "rbf", "sigmoid", "precomputed"} or callable, default="rbf"
    degree : int, default=3
    gamma : {"scale", "auto"} or float, default="scale"
    coef0 : float, default=0.0
    tol : float, default=1e-3
    nu : float, default=0.5
        Between 0 and 1.
    shrinking : bool, default=True
    cache_size : float, default=200
    verbose : bool, default=False
    max_iter : int, default=-1
    on_interrupt : {"raise", "keep"}, default="raise"
        All but `nu` are as in `SVC`.

    Attributes
    ----------
    support_, support_vectors_, n_support_, dual_coef_, intercept_
        As in `SVR`; the dual coefficients sum to `nu` times the total weight.
    coef_ : ndarray of shape (1, n_features)
        Only with a linear kernel.
    X_fit_ : array or list
        Training rows. Only with a callable kernel.
    offset_ : float
        ``-intercept_``: `decision_function` is `score_samples` minus this offset.
    objective_ : float
    violation_ : float
    fit_status_, n_iter_, shape_fit_, n_features_in_, feature_names_in_
        As in `SVR`.

    Notes
    -----
    Scale the columns and tune gamma: with a large gamma every training row is its own island.

    References
    ----------
    B. Schölkopf, J. C. Platt, J. Shawe-Taylor, A. J. Smola and R. C. Williamson, "Estimating the support of a
    high-dimensional distribution", Neural Computation 13 (2001).

    Examples
    --------
    >>> from statlearn.svm import OneClassSVM
    >>> X = [[0.0], [0.44], [0.45], [0.46], [1.0]]
    >>> OneClassSVM(gamma="auto").fit_predict(X)
    array([-1,  1,  1,  1, -1])
    """

    _constraints = {**KERNEL_CONSTRAINTS, "nu": [Real(0, 1, closed="right")]}

    def __init__(
        self,
        *,
        kernel="rbf",
        degree=3,
        gamma="scale",
        coef0=0.0,
        tol=1e-3,
        nu=0.5,
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
        self.nu = nu
        self.shrinking = shrinking
        self.cache_size = cache_size
        self.verbose = verbose
        self.max_iter = max_iter
        self.on_interrupt = on_interrupt

    def fit(self, X, y=None, sample_weight=None):
        """Fit the machine.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : ignored
        sample_weight : array-like of shape (n_samples,) or None, default=None
            Weight of every row. Rows with negative weights are left out with a warning.

        Returns
        -------
        self
        """
        check_params(self)
        X, _ = self._validate(X, None, needs_y=False)
        table, rows, weights = self._prepare(X, sample_weight)
        upper = np.ones(rows.size) if weights is None else weights
        n = rows.size
        start = fill_in_order(self.nu * upper.sum(), upper)
        dual = Dual(np.arange(n), np.arange(n), np.zeros(n), np.zeros(n), upper, start)
        (solution,) = self._solve(table, [dual])
        coef = solution.b
        used = np.flatnonzero(coef)
        self._n_support = np.array([used.size], dtype=np.int32)
        self._keep_support(X, rows[used])
        self.dual_coef_ = sparse_like(coef[None, used], self.support_vectors_)
        self.intercept_ = np.array([-solution.level(dual)])
        self.offset_ = -self.intercept_
        self.n_iter_ = int(solution.n_iter)
        self.objective_, self.violation_ = float(solution.objective), float(solution.gap)
        self._require_finite()
        return self

    def score_samples(self, X):
        """Raw scores: sums of dual coefficients times kernel values.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        check_is_fitted(self)
        scores = self._segment_sums(X, self.dual_coef_, [0, int(self._n_support.sum())])[:, 0, 0]
        # Support vectors on the boundary differ from the offset by rounding only, the sign of which means nothing.
        offset = float(self.offset_[0])
        scores[np.abs(scores - offset) <= _ROUNDING * max(1.0, abs(offset))] = offset
        return scores

    def decision_function(self, X):
        """Signed distance to the separating hyperplane, positive for inliers.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        return self.score_samples(X) + self.intercept_[0]

    def predict(self, X):
        """+1 for inliers, the boundary included, and -1 for outliers.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of int of shape (n_samples,)
        """
        return np.where(self.decision_function(X) >= 0, 1, -1)
