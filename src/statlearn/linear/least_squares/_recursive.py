"""Recursive least squares, updated one row at a time."""

from numbers import Number

import numpy as np
from sklearn.base import BaseEstimator, MultiOutputMixin
from sklearn.utils.validation import check_array, check_is_fitted

from statlearn._core import native
from statlearn._core.params import Real, check_params
from statlearn._core.validation import FLOATS, check_weights, require_finite, validate_data
from statlearn._math.rows.least_squares import EPS, LeastSquaresStatistic
from statlearn.linear._base import LinearRegressorMixin


def _single_row(X, y):
    """One row (p,) with a scalar response as tables; anything else unchanged."""
    is_number = isinstance(y, (Number, np.ndarray)) and np.ndim(y) == 0
    if is_number and np.asarray(X).ndim == 1:
        return np.asarray(X)[None, :], np.asarray(y)[None]
    return X, y


def sherman_morrison(A_inv, u, v=None):
    r"""Sherman-Morrison update: the inverse of A + uv' from the inverse of A.

    .. math:: (A + uv^\top)^{-1} = A^{-1} - \frac{A^{-1}u\, v^\top A^{-1}}{1 + v^\top A^{-1}u}

    Parameters
    ----------
    A_inv : array-like of shape (k, k)
        Inverse of A.
    u : array-like of shape (k,)
    v : array-like of shape (k,) or None, default=None
        None means u.

    Returns
    -------
    ndarray of shape (k, k)

    Raises
    ------
    numpy.linalg.LinAlgError
        If 1 + v'A⁻¹u is zero (to rounding): A + uv' is singular.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.linear import sherman_morrison
    >>> sherman_morrison(np.eye(2), [1.0, 1.0])
    array([[ 0.66666667, -0.33333333],
           [-0.33333333,  0.66666667]])
    """
    A_inv = check_array(A_inv, dtype=np.float64, input_name="A_inv")
    u = check_array(u, ensure_2d=False, dtype=np.float64, input_name="u")
    v = u if v is None else check_array(v, ensure_2d=False, dtype=np.float64, input_name="v")
    k = A_inv.shape[0]
    if A_inv.shape != (k, k) or u.shape != (k,) or v.shape != (k,):
        raise ValueError(f"A_inv must be (k, k) and u, v of shape (k,), got {A_inv.shape}, {u.shape} and {v.shape}.")
    Au, vA = A_inv @ u, v @ A_inv
    denominator = 1.0 + v @ Au
    # What rounding may leave of an exact zero: the terms of the sum are of this size.
    if abs(denominator) <= 4 * k * EPS * (1.0 + np.abs(v) @ np.abs(Au)):
        raise np.linalg.LinAlgError("A + uv' is singular: 1 + v'A⁻¹u = 0")
    return A_inv - np.outer(Au, vA / denominator)


class RecursiveLeastSquares(MultiOutputMixin, LinearRegressorMixin, BaseEstimator):
    r"""Recursive least squares with optional exponential forgetting.

    After n rows the coefficients, including the intercept, minimise

    .. math:: \sum_{i=1}^n f^{\,n-i} s_i (y_i - b - x_i^\top w)^2 + f^{\,n} \delta\,(b^2 + \lVert w \rVert^2)

    with f = `forget` and :math:`\delta` = `delta` (no second term if `delta` is None). This is a sum without a factor
    1/2. Each row z = (1, x) costs O(p²): with P the inverse of the (discounted) cross-products,

    .. math:: \gamma = \frac{1}{1 + z^\top P z},\quad \beta \leftarrow \beta + \gamma P z\,(y - z^\top\beta),\quad
              P \leftarrow P - \gamma P z z^\top P

    Parameters
    ----------
    fit_intercept : bool, default=True
        Whether the model has an intercept.
    delta : float or None, default=None
        Start from P = I/delta and zero coefficients, a ridge penalty that fades as rows arrive. With None the start is
        exact: rows are collected in a triangular factor, with minimum-norm coefficients, until they have full rank.
    forget : float, default=1.0
        Discount factor in (0, 1] applied to earlier rows when a row arrives. The effective memory is about
        1/(1 - forget) rows; 1 forgets nothing.
    tol : float, default=1e-6
        With ``delta=None``, the rank is full when no column is explained by the others to within this fraction of its
        norm.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,) or (n_targets, n_features)
    intercept_ : float or ndarray of shape (n_targets,)
    P_ : ndarray of shape (q, q) or None
        Inverse cross-products, intercept first; None until the rows have full rank.
    statistic_ : LeastSquaresStatistic or None
        Triangular factor of the rows so far, until they have full rank.
    n_samples_seen_ : int
        Number of rows with a positive weight.
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Defined when X has string column names.

    See Also
    --------
    LinearRegression : Its `partial_fit` merges whole blocks without the rounding errors of the recursion.

    Notes
    -----
    With ``forget=1`` and ``delta=None``, the result after every row equals that of `LinearRegression` on all rows so
    far. The recursion accumulates rounding errors, so prefer ``LinearRegression.partial_fit`` for ill-conditioned data.
    With forgetting, P grows without bound in directions that no recent row covers. `forget_rows` takes single rows back
    exactly (unlearning).

    References
    ----------
    Plackett (1950), Some theorems in least squares, *Biometrika* 37. Haykin, *Adaptive Filter Theory*, chapter 10.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.linear import RecursiveLeastSquares
    >>> stream = RecursiveLeastSquares()
    >>> for x in range(4):
    ...     stream = stream.partial_fit([[x]], [1 + 2 * x])
    >>> stream.coef_.round(6), round(float(stream.intercept_), 6)
    (array([2.]), 1.0)
    """

    coef_: np.ndarray
    _beta: np.ndarray

    _accept_sparse = False
    _constraints = {
        "fit_intercept": ["boolean"],
        "delta": [None, Real(0, None, closed="neither")],
        "forget": [Real(0, 1, closed="right")],
        "tol": [Real(0, None)],
    }

    def __init__(self, *, fit_intercept=True, delta=None, forget=1.0, tol=1e-6):
        self.fit_intercept = fit_intercept
        self.delta = delta
        self.forget = forget
        self.tol = tol

    def fit(self, X, y, sample_weight=None):
        """Fit to these rows, discarding any earlier ones.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
        sample_weight : array-like of shape (n_samples,), float or None, default=None

        Returns
        -------
        self
        """
        return self._take(X, y, sample_weight, reset=True)

    def partial_fit(self, X, y, sample_weight=None):
        """Update the fit with these rows, in order.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), or (n_features,) for one row with a number y
        y : array-like of shape (n_samples,) or (n_samples, n_targets), or float
        sample_weight : array-like of shape (n_samples,), float or None, default=None

        Returns
        -------
        self
        """
        return self._take(X, y, sample_weight, reset=not hasattr(self, "n_features_in_"))

    def forget_rows(self, X, y, sample_weight=None):
        r"""Take rows back, as if they had never been seen.

        With the leverage :math:`h = s z^\top P z` and the residual e of a row, its removal is

        .. math:: \beta \leftarrow \beta - \frac{s P z\, e}{1 - h},\quad
                  P \leftarrow P + \frac{s P z z^\top P}{1 - h}

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows of the fit. Whether they were among them cannot be checked.
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
        sample_weight : array-like of shape (n_samples,), float or None, default=None
            Weights that the rows had in the fit.

        Returns
        -------
        self
            Equal to a fit without these rows, up to rounding. Requires ``forget=1``.

        Raises
        ------
        ValueError
            If a leverage reaches 1 to within 1e-8, because the other rows do not determine the coefficients; the model
            is then left as it is.
        """
        check_is_fitted(self)
        if self.forget != 1.0:
            raise ValueError(
                f"forget_rows() requires `forget`=1, got {self.forget}: discounted rows fade by themselves."
            )
        if self.P_ is None:
            raise ValueError("forget_rows() requires rows of full rank; fit again without these rows.")
        X, y = _single_row(X, y)
        X, y = validate_data(self, X, y, dtype=FLOATS, y_numeric=True, multi_output=True, reset=False)
        weights = check_weights(sample_weight, X)
        weights = np.ones(len(y)) if weights is None else weights.astype(np.float64)
        if y.ndim != self.coef_.ndim or y.reshape(len(y), -1).shape[1] != self._beta.shape[1]:
            raise ValueError(f"y must have {self._beta.shape[1]} target(s) and as many dimensions as in the fit.")
        P, beta = self.P_.copy(), self._beta.copy()
        Z = np.hstack([np.ones((len(X), int(self.fit_intercept))), X.astype(np.float64)])
        for row, (z, target, weight) in enumerate(zip(Z, y.reshape(len(y), -1).astype(np.float64), weights)):
            Pz = P @ z
            rest = 1.0 - weight * (z @ Pz)
            if not rest > 1e-8:
                raise ValueError(
                    f"Row {row} of X cannot be forgotten: its leverage is 1 to rounding, so the other rows do not "
                    "determine the coefficients. Fit again without these rows."
                )
            beta -= np.outer(Pz, target - z @ beta) * (weight / rest)
            P += np.outer(Pz, Pz) * (weight / rest)
        require_finite(P, beta)
        self.P_ = P
        self.n_samples_seen_ -= int(np.count_nonzero(weights))
        self._set_coef(beta, self.coef_.dtype, self.coef_.ndim)
        return self

    def _set_coef(self, beta, dtype, y_dim):
        """Attributes from the coefficients in double precision (intercept first, one column per target)."""
        c = int(self.fit_intercept)
        self._beta = beta
        coef = beta[c:].T.astype(dtype)
        self.coef_ = np.ascontiguousarray(coef) if y_dim == 2 else coef[0].copy()
        if c:
            self.intercept_ = beta[0].astype(dtype) if y_dim == 2 else dtype.type(beta[0, 0])
        else:
            self.intercept_ = 0.0

    def _take(self, X, y, sample_weight, reset):
        check_params(self)
        X, y = _single_row(X, y)
        X, y = validate_data(self, X, y, dtype=FLOATS, y_numeric=True, multi_output=True, reset=reset)
        weights = check_weights(sample_weight, X)
        weights = np.ones(len(y)) if weights is None else weights.astype(np.float64)
        dtype, y_dim = X.dtype, y.ndim
        X, Y = X.astype(np.float64), y.reshape(len(y), -1).astype(np.float64)
        c, p, m = int(self.fit_intercept), X.shape[1], Y.shape[1]
        if reset:
            self.n_samples_seen_ = 0
            self.statistic_ = None
            self.P_ = None if self.delta is None else np.eye(c + p) / self.delta
            beta = np.zeros((c + p, m))
        else:
            beta = self._beta.copy()  # in double precision whatever that of X
            if y_dim != self.coef_.ndim or beta.shape[1] != m:
                raise ValueError(f"y must have {beta.shape[1]} target(s) and as many dimensions as in the first call.")
        start = 0
        if self.P_ is None:
            start, beta = self._start(X, Y, weights, beta)
        if self.P_ is not None and start < len(X):
            Z = np.ascontiguousarray(np.hstack([np.ones((len(X) - start, c)), X[start:]]))
            self.P_, beta = np.ascontiguousarray(self.P_), np.ascontiguousarray(beta)
            native.linear.rls_update(Z, Y[start:].copy(), weights[start:].copy(), self.forget, self.P_, beta)
        require_finite(beta)
        self.n_samples_seen_ += int(np.count_nonzero(weights))
        self._set_coef(beta, dtype, y_dim)
        return self

    def _start(self, X, Y, weights, beta):
        """Add rows to the factor until it has full rank; returns the number of rows used, and the coefficients."""
        c, p = int(self.fit_intercept), X.shape[1]
        held = 0 if self.statistic_ is None else self.statistic_.n_rows
        start = 0
        while start < len(X) and self.P_ is None:
            # The smallest number of rows that full rank needs; all rows at once if nothing is forgotten.
            stop = len(X) if self.forget == 1.0 and start == 0 and held == 0 else start + max(1, c + p - held)
            rows = slice(start, min(stop, len(X)))
            count = rows.stop - start
            discount = self.forget ** np.arange(count - 1, -1, -1)
            if np.any(weights[rows] > 0):
                block = LeastSquaresStatistic.from_block(
                    X[rows], Y[rows], weights[rows] * discount, fit_intercept=self.fit_intercept
                )
                if self.statistic_ is not None:
                    self.statistic_.R = self.statistic_.R * self.forget ** (count / 2)
                    self.statistic_.total_weight *= self.forget**count
                    block = self.statistic_.merge(block)
                self.statistic_ = block
                held = block.n_rows
            start = rows.stop
            if self.statistic_ is None:
                continue
            solution = self.statistic_.solve(tol=self.tol)
            mean_x, mean_y = self.statistic_.means
            beta = np.vstack([mean_y - mean_x @ solution.coef, solution.coef]) if c else solution.coef
            if solution.rank == p:
                self.P_, self.statistic_ = self.statistic_.inverse(np.arange(p)), None
        return start, beta
