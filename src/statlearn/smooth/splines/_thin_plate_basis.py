"""Thin-plate spline bases."""

from math import comb

import numpy as np
from scipy.linalg import block_diag
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from statlearn._core.blas import single_blas_thread
from statlearn._core.memory import require_memory
from statlearn._core.names import input_names
from statlearn._core.params import Int, check_params
from statlearn._core.validation import FLOATS, check_weights, validate_columns
from statlearn.smooth._input_columns import check_sizes

from ._low_rank_plate import ThinPlate, thin_plate_kernel, thin_plate_order

_AT_ONCE = 8192  # rows whose distances to all centres are in memory together


class ThinPlateBasis(TransformerMixin, BaseEstimator):
    r"""Thin-plate spline basis of all columns together, full or of low rank.

    The full basis has a radial function for every distinct row, under side conditions, and the unpenalised polynomials:
    the columns themselves, and their squares and products from three columns on. A low-rank basis replaces the radial
    functions by the leading eigenvectors of the kernel, which lose the least among all bases of that size (Wood, 2003).

    Parameters
    ----------
    n_functions : int or None, default=30
        Total number of functions, including the constant and the polynomials; None is the number of distinct rows.
    include_bias : bool, default=False
        Whether to include the constant.

    Attributes
    ----------
    centres_ : ndarray of shape (n_centres, n_features)
        Rows with a radial function.
    weights_ : ndarray of shape (n_centres, n_radials)
        Coefficients of the combinations of radial functions.
    powers_ : ndarray of shape (n_polynomials, n_features)
        Exponents of the columns in the polynomials, excluding the constant.
    n_features_out_ : int
        The combinations of radial functions come first, then the constant, if included, and the polynomials.
    n_features_in_ : int
    feature_names_in_ : ndarray of str

    Notes
    -----
    Distances treat all columns alike, so scale columns of different units first. The penalty is, up to a constant, the
    integral of all squared derivatives of order m, the smallest with 2 m > d + 1 for d columns (for two columns the
    bending energy :math:`\iint f_{11}^2 + 2 f_{12}^2 + f_{22}^2`), as in mgcv. The set-up is cubic in the number of
    centres; a low-rank basis uses at most 1,000 random rows as centres. If there are no more rows or functions than
    polynomials, only the columns themselves are used.

    References
    ----------
    Wood, S. (2003). Thin plate regression splines. Journal of the Royal Statistical Society B 65, 95-114.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.smooth import ThinPlateBasis
    >>> X = np.random.default_rng(0).uniform(size=(50, 2))
    >>> basis = ThinPlateBasis(8).fit(X)
    >>> basis.get_feature_names_out().tolist()
    ['tp_1', 'tp_2', 'tp_3', 'tp_4', 'tp_5', 'x0', 'x1']
    >>> basis.penalty_matrix().shape
    (7, 7)
    """

    _constraints = {"n_functions": [Int(1, None), None], "include_bias": ["boolean"]}

    def __init__(self, n_functions=30, *, include_bias=False):
        self.n_functions = n_functions
        self.include_bias = include_bias

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    def fit(self, X, y=None, sample_weight=None):
        """Choose the basis functions.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : ignored
        sample_weight : array-like of shape (n_samples,) or None, default=None
            Rows of weight 0 are ignored; otherwise weights have no effect.

        Returns
        -------
        self
        """
        check_params(self)
        X = validate_columns(self, X, dtype=FLOATS, ensure_min_samples=2)
        check_sizes(X)
        weights = check_weights(sample_weight, X)
        rows = np.unique(np.asarray(X if weights is None else X[weights > 0], np.float64), axis=0)
        p, order = X.shape[1], thin_plate_order(X.shape[1])
        size = len(rows) if self.n_functions is None else min(self.n_functions, len(rows))
        if size <= comb(p + order - 1, p):
            self.powers_ = np.eye(p, dtype=np.int64)
            self.centres_, self.weights_, self._radial_penalty = rows[:1], np.zeros((1, 0)), np.zeros((0, 0))
        else:
            self._combine(rows, size)
        self.n_features_out_ = self.weights_.shape[1] + len(self.powers_) + bool(self.include_bias)
        return self

    def _combine(self, rows, size):
        if self.n_functions is None:
            require_memory(32 * len(rows) ** 2, f"Radial functions of {len(rows):,} rows", "Set n_functions.")
        size_limit = {"max_centres": None} if self.n_functions is None else {}
        with single_blas_thread():  # the same bits for any number of threads
            plate = ThinPlate(rows, size, rows, np.ones(len(rows)), **size_limit)
        powers = sorted(plate.powers[1:], key=lambda power: (sum(power), [-k for k in power]))
        self.powers_ = np.array(powers, dtype=np.int64)
        self.centres_, self.weights_ = plate.centres, plate.weights
        radials = plate.weights.shape[1]
        self._radial_penalty = plate.penalties[0][:radials, :radials]

    def transform(self, X):
        """Basis functions at the rows of X.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_features_out_)
        """
        check_is_fitted(self)
        X = validate_columns(self, X, dtype=FLOATS, reset=False)
        radials = self.weights_.shape[1]
        out = np.ones((len(X), self.n_features_out_), X.dtype)
        for column, power in zip(out.T[-len(self.powers_) :], self.powers_, strict=True):
            column[:] = np.prod(X**power, axis=1)
        for start in range(0, len(X) if radials else 0, _AT_ONCE):
            rows = slice(start, start + _AT_ONCE)
            with single_blas_thread():
                out[rows, :radials] = thin_plate_kernel(X[rows].astype(np.float64), self.centres_) @ self.weights_
        return out

    def penalty_matrix(self):
        """Penalty matrix of the coefficients; only radial functions are penalised.

        Returns
        -------
        ndarray of shape (n_features_out_, n_features_out_)
        """
        check_is_fitted(self)
        free = self.n_features_out_ - len(self._radial_penalty)
        return block_diag(self._radial_penalty, np.zeros((free, free)))

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
        radials = [f"tp_{j}" for j in range(1, self.weights_.shape[1] + 1)]
        bias = ["1"] if self.include_bias else []
        names = input_names(self, input_features)
        polynomials = []
        for powers in self.powers_:
            factors = [(name, k) for name, k in zip(names, powers, strict=True) if k]
            polynomials.append(" ".join(str(name) if k == 1 else f"{name}^{k}" for name, k in factors))
        return np.asarray([*radials, *bias, *polynomials], dtype=object)
