"""Piecewise bases: steps, and polynomials with a chosen order of continuity."""

from itertools import pairwise

import numpy as np
from scipy import sparse
from scipy.linalg import block_diag
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from statlearn._core.names import input_names
from statlearn._core.params import Int, check_arguments, check_params
from statlearn._core.validation import FLOATS, check_array, check_weights, validate_columns

from ._basis import TruncatedPowerBasis, derivative_products, power, quantile_knots


def inner_cuts(X, n_intervals, cuts_given, weights):
    """Increasing inner cuts of each column: quantiles, or given ones for all columns or by column."""
    if cuts_given is None:
        cuts = []
        for column in X.T:
            inner = np.unique(quantile_knots(column, n_intervals + 1, weights)[1:-1])
            used = column if weights is None else column[weights > 0]
            cuts.append(inner[(inner > used.min()) & (inner < used.max())])
        return cuts
    cuts = check_array(cuts_given, ensure_2d=False, dtype=np.float64, input_name="cuts", ensure_min_samples=0)
    if cuts.ndim < 2:
        cuts = np.atleast_1d(cuts)
        cuts = np.repeat(cuts[:, None], X.shape[1], axis=1)
    if cuts.shape[1] != X.shape[1]:
        raise ValueError(f"`cuts` must have one column per feature ({X.shape[1]}), got {cuts.shape[1]}.")
    if np.any(np.diff(cuts, axis=0) <= 0):
        raise ValueError("`cuts` must increase.")
    return list(cuts.T.copy())


class _CutBasis(TransformerMixin, BaseEstimator):
    """Shared part of both transformers: cuts, and blocks of columns."""

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    def fit(self, X, y=None, sample_weight=None):
        """Place the cuts.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : ignored
        sample_weight : array-like of shape (n_samples,) or None, default=None
            A weight of k counts as k rows when quantiles are computed.

        Returns
        -------
        self
        """
        check_params(self)
        X = validate_columns(self, X, dtype=FLOATS)
        weights = check_weights(sample_weight, X)
        self.cuts_ = inner_cuts(X, self.n_intervals, self.cuts, weights)
        used = X if weights is None else X[weights > 0]
        self.range_ = np.array([used.min(axis=0), used.max(axis=0)], np.float64)
        self._keep_form()
        self.n_features_out_ = len(self.get_feature_names_out())
        return self

    def _keep_form(self):
        """Store the parameters that define the functions, since they may be changed after the fit."""
        self._include_bias = bool(self.include_bias)

    def _columns(self, X):
        check_is_fitted(self)
        X = validate_columns(self, X, dtype=FLOATS, reset=False)
        return X, [(X[:, j].astype(np.float64), cuts) for j, cuts in enumerate(self.cuts_)]

    def get_feature_names_out(self, input_features=None):
        """Names of the functions.

        Parameters
        ----------
        input_features : array-like of str or None, default=None

        Returns
        -------
        ndarray of str
        """
        check_is_fitted(self)
        names = input_names(self, input_features)
        return np.asarray([n for name, cuts in zip(names, self.cuts_) for n in self._names(name, cuts)], dtype=object)


def _intervals(prefix, cuts):
    """Names of the intervals between cuts."""
    ends = ["-inf", *(f"{cut:.6g}" for cut in cuts), "inf"]
    return [f"{prefix}[{a},{b})" for a, b in pairwise(ends)]


class StepBasis(_CutBasis):
    r"""Step-function basis: indicators of intervals.

    Column x becomes :math:`1[x < c_1], 1[c_1 \le x < c_2], \dots, 1[c_K \le x]`. Least squares on these
    indicators gives the mean of each interval.

    Parameters
    ----------
    n_intervals : int, default=4
        Number of intervals of each column, cut at its quantiles; fewer if quantiles coincide.
    cuts : array-like of shape (n_cuts,) or (n_cuts, n_features) or None, default=None
        The inner cuts, increasing.
    include_bias : bool, default=True
        Whether all intervals have a column, so that each block sums to 1, or all but the first.
    sparse_output : bool, default=False
        Whether to return a CSR array.

    Attributes
    ----------
    cuts_ : list of ndarray
        Inner cuts of each column; a value equal to a cut belongs to the interval above.
    range_ : ndarray of shape (2, n_features)
        Smallest and largest values of each column.
    n_features_out_ : int
    n_features_in_ : int
    feature_names_in_ : ndarray of str

    References
    ----------
    Hastie, T., Tibshirani, R. and Friedman, J. (2009). *The Elements of Statistical Learning*, 2nd ed., section 5.2.

    Examples
    --------
    >>> from statlearn.smooth import StepBasis
    >>> StepBasis(cuts=[1.0, 2.0]).fit_transform([[0.5], [1.0], [7.0]]).tolist()
    [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    """

    _constraints = {
        "n_intervals": [Int(1, 1000)],
        "cuts": ["array-like", None],
        "include_bias": ["boolean"],
        "sparse_output": ["boolean"],
    }

    def __init__(self, n_intervals=4, *, cuts=None, include_bias=True, sparse_output=False):
        self.n_intervals = n_intervals
        self.cuts = cuts
        self.include_bias = include_bias
        self.sparse_output = sparse_output

    def transform(self, X):
        """Indicators of the intervals.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray or CSR array of shape (n_samples, n_features_out_)
        """
        X, columns = self._columns(X)
        rows = np.arange(X.shape[0])
        blocks = []
        for x, cuts in columns:
            place = np.searchsorted(cuts, x, side="right")
            shape = (len(x), len(cuts) + 1)
            block = sparse.csr_array((np.ones(len(x), dtype=X.dtype), (rows, place)), shape=shape)
            blocks.append(block if self._include_bias else block[:, 1:])
        out = sparse.hstack(blocks, format="csr")
        return out if self.sparse_output else out.toarray()

    def penalty_matrix(self, difference=1):
        """Penalty on squared differences of the coefficients of neighbouring intervals, block by block.

        Parameters
        ----------
        difference : int, default=1
            Order of the differences.

        Returns
        -------
        ndarray of shape (n_features_out_, n_features_out_)
        """
        check_is_fitted(self)
        check_arguments("penalty_matrix", difference=(difference, [Int(1, None)]))
        blocks = []
        for cuts in self.cuts_:
            D = np.diff(np.eye(len(cuts) + 1), n=difference, axis=0)[:, 0 if self._include_bias else 1 :]
            blocks.append(D.T @ D)
        return block_diag(*blocks)

    def _names(self, prefix, cuts):
        return _intervals(prefix, cuts)[0 if self._include_bias else 1 :]


class PiecewisePolynomialBasis(_CutBasis):
    r"""Piecewise polynomial basis with a chosen number of continuous derivatives.

    With K cuts and degree d there are (K + 1)(d + 1) coefficients. Each derivative required to be continuous, including
    the function itself, removes K of them. ``continuity=d - 1`` is the spline.

    Parameters
    ----------
    degree : int, default=3
    n_intervals : int, default=3
        Number of intervals of each column, cut at its quantiles.
    cuts : array-like of shape (n_cuts,) or (n_cuts, n_features) or None, default=None
        The inner cuts, increasing.
    continuity : int, default=-1
        Highest derivative that is continuous at the cuts: -1 for none, 0 for the function, 1 for its slope, at most
        ``degree - 1``.
    include_bias : bool, default=True
        Whether the constant is in the span of each block; otherwise its first column is dropped.

    Attributes
    ----------
    cuts_ : list of ndarray
        Inner cuts of each column; a value equal to a cut belongs to the interval above.
    range_ : ndarray of shape (2, n_features)
        Smallest and largest values of each column.
    n_features_out_ : int
    n_features_in_ : int
    feature_names_in_ : ndarray of str

    Notes
    -----
    Without continuity the columns are powers of x times indicators. Otherwise they are powers of x and, for each cut c,
    the truncated powers :math:`(x - c)_+^q` with q from ``continuity + 1`` to the degree.

    References
    ----------
    Hastie, T., Tibshirani, R. and Friedman, J. (2009). *The Elements of Statistical Learning*, 2nd ed., section 5.2.

    Examples
    --------
    >>> from statlearn.smooth import PiecewisePolynomialBasis
    >>> X = [[0.0], [1.0], [2.0]]
    >>> PiecewisePolynomialBasis(degree=1, cuts=[1.0], continuity=0).fit(X).get_feature_names_out().tolist()
    ['x0^0', 'x0', '(x0-1)+^1']
    >>> PiecewisePolynomialBasis(degree=3, cuts=[0.5, 1.5]).fit(X).n_features_out_
    12
    """

    _constraints = {
        "degree": [Int(0, 24)],
        "n_intervals": [Int(1, 1000)],
        "cuts": ["array-like", None],
        "continuity": [Int(-1, None)],
        "include_bias": ["boolean"],
    }

    def __init__(self, degree=3, *, n_intervals=3, cuts=None, continuity=-1, include_bias=True):
        self.degree = degree
        self.n_intervals = n_intervals
        self.cuts = cuts
        self.continuity = continuity
        self.include_bias = include_bias

    def fit(self, X, y=None, sample_weight=None):
        """Place the cuts.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : ignored
        sample_weight : array-like of shape (n_samples,) or None, default=None
            A weight of k counts as k rows when quantiles are computed.

        Returns
        -------
        self
        """
        check_params(self)
        if self.continuity >= max(self.degree, 1):
            raise ValueError(f"`continuity`={self.continuity} must be less than `degree`={self.degree}.")
        return super().fit(X, y, sample_weight)

    def _keep_form(self):
        super()._keep_form()
        self._degree, self._continuity = self.degree, self.continuity

    def _check_state(self):
        if hasattr(self, "_degree"):
            check_arguments("fit", degree=(self._degree, [Int(0, 24)]), continuity=(self._continuity, [Int(-1, 24)]))

    def transform(self, X):
        """Basis functions of each column.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_features_out_)
        """
        X, columns = self._columns(X)
        blocks = [self._block(x, cuts)[:, 0 if self._include_bias else 1 :] for x, cuts in columns]
        return np.hstack(blocks).astype(X.dtype, copy=False)

    def _block(self, x, cuts, derivative=0):
        powers = np.column_stack([power(x, d, derivative) for d in range(self._degree + 1)])
        if self._continuity < 0:
            inside = np.searchsorted(cuts, x, side="right")[:, None] == np.arange(len(cuts) + 1)
            return (inside[:, :, None] * powers[:, None, :]).reshape(len(x), -1)
        columns = [powers]
        for q in range(self._continuity + 1, self._degree + 1):
            hinges = TruncatedPowerBasis(np.concatenate([[-np.inf], cuts, [np.inf]]), q)
            columns.append(hinges.design(x, derivative)[:, q + 1 :])
        return np.hstack(columns)

    def penalty_matrix(self, derivative=2):
        """Integrals of products of derivatives over the range of each column, block by block.

        Parameters
        ----------
        derivative : int, default=2
            Order of the derivatives; jumps at the cuts are ignored.

        Returns
        -------
        ndarray of shape (n_features_out_, n_features_out_)
        """
        check_is_fitted(self)
        check_arguments("penalty_matrix", derivative=(derivative, [Int(0, None)]))
        blocks = []
        for cuts, (low, high) in zip(self.cuts_, self.range_.T, strict=True):
            pieces = np.concatenate([[low], cuts[(cuts > low) & (cuts < high)], [high]])
            products = derivative_products(
                lambda x, d, cuts=cuts: self._block(x, cuts, d), pieces, self._degree, derivative
            )
            blocks.append(products[0 if self._include_bias else 1 :, 0 if self._include_bias else 1 :])
        return block_diag(*blocks)

    def _names(self, prefix, cuts):
        powers = [f"{prefix}^0", prefix, *(f"{prefix}^{d}" for d in range(2, self._degree + 1))][: self._degree + 1]
        if self._continuity < 0:
            names = [f"{power} {interval}" for interval in _intervals(prefix, cuts) for power in powers]
        else:
            orders = range(self._continuity + 1, self._degree + 1)
            names = powers + [f"({prefix}-{cut:.6g})+^{q}" for q in orders for cut in cuts]
        return names[0 if self._include_bias else 1 :]
