"""Spline bases as features."""

import numpy as np
from scipy import linalg, sparse
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from statlearn._core.names import input_names
from statlearn._core.params import Int, Options, check_arguments, check_params
from statlearn._core.validation import FLOATS, check_array, check_weights, naming, validate_columns
from statlearn.smooth._input_columns import check_sizes

from ._basis import make_basis, quantile_knots

KINDS = ("bspline", "truncated_power", "natural", "cyclic")
FORMS = ("difference_last", "difference_local", "bspline")


def read_knots(knots, n_columns, name="knots"):
    """Given knots as a table with a column per column of X; a flat list is the knots of one column."""
    with naming(name):
        base = check_array(knots, dtype=np.float64, input_name=name, ensure_2d=False, allow_nd=True)
    if base.ndim == 1 and n_columns == 1:
        base = base[:, None]
    if base.ndim != 2:
        raise ValueError(
            f"`{name}` must have shape (n_knots, {n_columns}), one column of knots for each column of X, got shape "
            f"{base.shape}. A flat list is accepted for a single column."
        )
    return base


def refuse_constant(columns, names):
    """Refuse columns of X, or their knots, with a single value: natural splines need two knots."""
    for name, values in zip(names, columns, strict=True):
        if values.min() == values.max():
            raise ValueError(f"Natural splines require at least 2 distinct knots, but column {name} of X is constant.")


class SplineTransformer(TransformerMixin, BaseEstimator):
    r"""Spline basis of each column: piecewise polynomials joined smoothly at knots.

    With M = `degree` + 1 and K inner knots there are K + M functions. All bases below span the same space, except the
    natural and the cyclic one. Natural cubic splines are linear beyond the outer knots and have one function per knot;
    cyclic ones agree at both ends.

    Parameters
    ----------
    n_knots : int, default=5
        Number of knots of each column, including the two outer ones; ignored if `df` or an array of knots is given.
    degree : int, default=3
        Degree of the polynomials (natural splines are always cubic).
    knots : {"uniform", "quantile"} or array-like of shape (n_knots, n_features), default="uniform"
        Evenly spaced between the extremes, at evenly spaced quantiles, or an array that includes the outer knots. A
        flat list is the knots of one column.
    extrapolation : {"error", "constant", "linear", "continue", "periodic"}, default="constant"
        Beyond the outer knots: raise an error, keep the value constant, continue linearly, continue the outermost
        polynomials, or repeat periodically (which makes the basis cyclic). Natural splines are always linear there.
    include_bias : bool, default=True
        Whether the constant is in the span of the functions of each column. If not, one function is dropped: the last
        B-spline, or the constant among the powers.
    order : {"C", "F"}, default="C"
        Memory order of dense output.
    handle_missing : {"error", "zeros"}, default="error"
        Raise an error for missing values, or encode them as a row of zeros.
    sparse_output : bool, default=False
        Whether to return a CSR array.
    df : int or None, default=None
        Number of functions of each column, instead of `n_knots`; the knots are then quantiles.
    basis : {"bspline", "truncated_power", "natural", "cyclic"}, default="bspline"
        B-splines, of which only M are nonzero at any x; powers and truncated powers; natural cubic splines; or cyclic
        B-splines, which agree at both ends.
    form : {"difference_last", "difference_local", "bspline"}, default="difference_last"
        Form of the natural splines: 1, x and :math:`d_k - d_{K-1}` with :math:`d_k = [(x - \xi_k)^3_+ - (x -
        \xi_K)^3_+] / (\xi_K - \xi_k)`; 1, x and :math:`e_k - e_{k-1}`, where :math:`e_k` has the next knot instead of
        the last (the penalty is then tridiagonal); or combinations of B-splines, the same columns as R's ``ns``.
    clamped : bool, default=False
        For B-splines, repeat the outer knots, as R's ``bs`` does, instead of adding equally spaced knots beyond them.

    Attributes
    ----------
    bases_ : list
        One basis per column, with ``knots``, ``design(x, derivative)`` and ``penalty(derivative)``.
    bsplines_ : list of scipy.interpolate.BSpline
        The B-splines of each column, one object per column. Only for the bases "bspline" and "cyclic".
    n_features_out_ : int
    n_features_in_ : int
    feature_names_in_ : ndarray of str

    Notes
    -----
    The columns of all features together contain the constant once per feature, so use ``include_bias=False`` in a model
    with an intercept and several columns. Coinciding knots, from quantiles of tied values, are merged in the natural
    and truncated-power bases. With many knots use B-splines rather than truncated powers, which are nearly collinear.

    References
    ----------
    de Boor, C. (2001). *A Practical Guide to Splines*. Springer.

    Hastie, T., Tibshirani, R. and Friedman, J. (2009). *The Elements of Statistical Learning*, 2nd ed., section 5.2.

    Eilers, P. and Marx, B. (1996). Flexible smoothing with B-splines and penalties. Statistical Science 11, 89-121.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.smooth import SplineTransformer
    >>> X = np.arange(6.0).reshape(6, 1)
    >>> SplineTransformer(degree=1, n_knots=3).fit_transform(X).round(1)[:3]
    array([[1. , 0. , 0. ],
           [0.6, 0.4, 0. ],
           [0.2, 0.8, 0. ]])
    >>> SplineTransformer(df=4, basis="natural").fit(X).get_feature_names_out().tolist()
    ['x0^0', 'x0', 'x0_ns_1', 'x0_ns_2']
    """

    _constraints = {
        "n_knots": [Int(2, 1000)],
        "degree": [Int(0, 24)],
        "knots": [Options("uniform", "quantile"), "array-like"],
        "extrapolation": [Options("error", "constant", "linear", "continue", "periodic")],
        "include_bias": ["boolean"],
        "order": [Options("C", "F")],
        "handle_missing": [Options("error", "zeros")],
        "sparse_output": ["boolean"],
        "df": [Int(1, 10_000), None],
        "basis": [Options(*KINDS)],
        "form": [Options(*FORMS)],
        "clamped": ["boolean"],
    }

    def __init__(
        self,
        n_knots=5,
        degree=3,
        *,
        knots="uniform",
        extrapolation="constant",
        include_bias=True,
        order="C",
        handle_missing="error",
        sparse_output=False,
        df=None,
        basis="bspline",
        form="difference_last",
        clamped=False,
    ):
        self.n_knots = n_knots
        self.degree = degree
        self.knots = knots
        self.extrapolation = extrapolation
        self.include_bias = include_bias
        self.order = order
        self.handle_missing = handle_missing
        self.sparse_output = sparse_output
        self.df = df
        self.basis = basis
        self.form = form
        self.clamped = clamped

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.handle_missing == "zeros"
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    def fit(self, X, y=None, sample_weight=None):
        """Place the knots.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : ignored
        sample_weight : array-like of shape (n_samples,) or None, default=None
            A weight of k counts as k rows when quantiles are computed; rows of weight 0 are ignored.

        Returns
        -------
        self
        """
        check_params(self)
        X = self._validate(X, reset=True)
        check_sizes(X)
        weights = check_weights(sample_weight, X)
        columns = self._place(X.astype(np.float64, copy=False), weights)
        kind = self._kind()
        if kind == "cyclic" and len(columns[0]) <= self.degree:
            raise ValueError(
                f"Periodic splines require degree < n_knots. Got n_knots={len(columns[0])} and degree={self.degree}."
            )
        if kind == "natural":
            refuse_constant(columns, input_names(self))
        self.bases_ = [
            make_basis(
                kind, k, degree=self.degree, form=self.form, clamped=self.clamped, intercept=bool(self.include_bias)
            )
            for k in columns
        ]
        self._fitted_kind, self._include_bias = kind, bool(self.include_bias)
        self.n_features_out_ = sum(len(self._kept(basis)) for basis in self.bases_)
        return self

    def _validate(self, X, *, reset):
        settings = {"ensure_min_samples": 2} if reset else {}
        finite = "allow-nan" if self.handle_missing == "zeros" else True
        try:
            return validate_columns(self, X, reset=reset, dtype=FLOATS, ensure_all_finite=finite, **settings)
        except ValueError as error:
            if reset and "contains NaN" in str(error):
                raise ValueError(
                    "Input X contains NaN values and `SplineTransformer` is configured to error in this case "
                    "(handle_missing='error'). To avoid this error, set handle_missing='zeros' to encode missing "
                    "values as splines with value 0 or ensure no missing values in X."
                ) from error
            raise

    def _kind(self):
        if self.extrapolation == "periodic":
            if self.basis not in ("bspline", "cyclic"):
                raise ValueError("extrapolation='periodic' requires basis='bspline' or basis='cyclic'.")
            return "cyclic"
        return self.basis

    def _place(self, X, weights):
        """Knots of each column."""
        if not isinstance(self.knots, str):
            if self.df is not None:
                raise ValueError("Set either `df` or an array of knots, not both.")
            base = read_knots(self.knots, self.n_features_in_)
            if base.shape[0] < 2:
                raise ValueError("Number of knots, knots.shape[0], must be >= 2 (`knots` includes the two outer ones).")
            if base.shape[1] != X.shape[1]:
                raise ValueError(
                    "knots.shape[1] == n_features is violated: `knots` must have a column for each column of X."
                )
            if not np.all(np.diff(base, axis=0) > 0):
                raise ValueError("knots must be sorted without duplicates.")
            return list(base.T)
        count = self.n_knots if self.df is None else self._knots_of_df()
        places = []
        for column in X.T:
            known = ~np.isnan(column)
            x, w = column[known], None if weights is None else weights[known]
            if len(x) == 0:
                places.append(np.zeros(count))
            elif self.knots == "quantile" or self.df is not None:
                places.append(quantile_knots(x, count, w))
            else:
                x = x if w is None else x[w > 0]
                places.append(np.linspace(x.min(), x.max(), count))
        return places

    def _knots_of_df(self):
        """Number of knots, including the outer ones, for `df` functions."""
        functions = self.df + (0 if self.include_bias else 1)
        extra = {"natural": 0, "cyclic": -1}.get(self._kind(), self.degree - 1)
        if functions - extra < 2:
            least = 2 + extra - (0 if self.include_bias else 1)
            raise ValueError(f"`df` must be at least {least} for this basis and degree, got {self.df}.")
        return functions - extra

    def _kept(self, basis):
        """Indices of the functions that are returned."""
        every = np.arange(basis.n_functions)
        if self._include_bias or self._fitted_kind == "natural":
            return every
        return every[1:] if self._fitted_kind == "truncated_power" else every[:-1]

    def transform(self, X):
        """Basis functions of each column, column by column.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray or CSR array of shape (n_samples, n_features_out_)
        """
        check_is_fitted(self)
        X = self._validate(X, reset=False)
        zeros = self.handle_missing == "zeros"
        columns = [np.ascontiguousarray(X[:, j], dtype=np.float64) for j in range(X.shape[1])]
        missing = [np.isnan(x) if zeros else np.zeros(0, dtype=bool) for x in columns]
        if self.sparse_output:
            blocks = [self._block(*each) for each in zip(self.bases_, columns, missing)]
            return sparse.hstack(blocks, format="csr", dtype=X.dtype)
        out = np.zeros((X.shape[0], self.n_features_out_), dtype=X.dtype, order=self.order)
        at = 0
        for basis, x, lost in zip(self.bases_, columns, missing):
            block = out[:, at : at + len(self._kept(basis))]
            at += block.shape[1]
            if self._direct(basis, x) and not lost.any():
                flat = self.extrapolation == "constant" and not basis.periodic
                basis.write(np.clip(x, basis.lower, basis.upper) if flat else x, block)
            else:
                block[:] = self._block(basis, x, lost)
        return out

    def _direct(self, basis, x):
        """Whether B-splines can be written directly into the output."""
        if self._fitted_kind not in ("bspline", "cyclic"):
            return False
        free = self._fitted_kind == "cyclic" or self.extrapolation in ("constant", "continue")
        return free or (x.min() >= basis.lower and x.max() <= basis.upper)

    def _block(self, basis, x, missing):
        if missing.any():
            x = np.where(missing, basis.lower, x)
        columns = self._kept(basis)
        inside = self.extrapolation in ("periodic", "continue") or np.all((x >= basis.lower) & (x <= basis.upper))
        if self.sparse_output and inside and self._fitted_kind in ("bspline", "cyclic"):
            values = basis.sparse_design(x)[:, : len(columns)]
            if missing.any():
                values = sparse.diags_array((~missing).astype(np.float64)) @ values
            return values
        values = basis.extended(x, self.extrapolation)[:, columns]
        if missing.any():
            values[missing] = 0.0
        return sparse.csr_array(values) if self.sparse_output else values

    def penalty_matrix(self, derivative=2, *, difference=None):
        """Roughness penalty of the functions of each column, block by block.

        Parameters
        ----------
        derivative : int, default=2
            Order of the derivatives whose products are integrated over the range of the knots.
        difference : int or None, default=None
            For B-splines, use squared differences of this order of neighbouring coefficients instead (P-splines).

        Returns
        -------
        ndarray of shape (n_features_out_, n_features_out_)
        """
        check_is_fitted(self)
        blocks = []
        for basis in self.bases_:
            columns = self._kept(basis)
            blocks.append(_penalty(basis, derivative, difference)[np.ix_(columns, columns)])
        return linalg.block_diag(*blocks)

    def get_feature_names_out(self, input_features=None):
        """Names of the functions: "x0_sp_1", "x0^2", "x0_ns_1".

        Parameters
        ----------
        input_features : array-like of str or None, default=None

        Returns
        -------
        ndarray of str
        """
        check_is_fitted(self)
        names = []
        for basis, prefix in zip(self.bases_, input_names(self, input_features)):
            every = basis.names(prefix)
            names += [every[k] for k in self._kept(basis)]
        return np.asarray(names, dtype=object)

    @property
    def bsplines_(self):
        """The B-splines of each column as scipy objects."""
        from scipy.interpolate import BSpline

        if self._fitted_kind not in ("bspline", "cyclic"):
            raise AttributeError("bsplines_ is available for B-splines only")
        splines = []
        for basis in self.bases_:
            coef = np.eye(basis.n_functions)
            if basis.periodic:
                coef = np.concatenate([coef, coef[: basis.degree]])
            follow = self.extrapolation in ("periodic", "continue")
            splines.append(BSpline.construct_fast(basis.full_knots, coef, basis.degree, extrapolate=follow))
        return splines


def _penalty(basis, derivative, difference):
    if difference is None:
        return basis.penalty(derivative)
    if not hasattr(basis, "difference_penalty"):
        raise ValueError("`difference` requires B-splines, whose neighbouring coefficients belong together.")
    return basis.difference_penalty(difference)


def penalty_matrix(
    knots, *, basis="bspline", degree=3, derivative=2, form="difference_last", clamped=False, difference=None
):
    r"""Penalty matrix of a spline basis: integrals :math:`\Omega_{jk} = \int N_j^{(d)} N_k^{(d)}`.

    Parameters
    ----------
    knots : array-like of shape (n_knots,)
        Increasing knots; the first and the last bound the integral.
    basis : {"bspline", "truncated_power", "natural", "cyclic"}, default="bspline"
    degree : int, default=3
        Ignored for natural splines, which are always cubic.
    derivative : int, default=2
        The order d.
    form : {"difference_last", "difference_local", "bspline"}, default="difference_last"
        Form of natural splines; see :class:`SplineTransformer`.
    clamped : bool, default=False
        For B-splines, whether the outer knots are repeated.
    difference : int or None, default=None
        For B-splines, return the matrix of squared differences of this order of the coefficients instead.

    Returns
    -------
    ndarray of shape (n_functions, n_functions)
        Exact up to rounding: on every piece the integrand is a polynomial, which Gauss quadrature integrates exactly.

    Examples
    --------
    >>> from statlearn.smooth import penalty_matrix
    >>> penalty_matrix([0, 0.25, 0.5, 1], basis="truncated_power")[2:, 2:].round(5)
    array([[ 4.     ,  6.     ,  3.375  ,  1.5    ],
           [ 6.     , 12.     ,  7.59375,  3.75   ],
           [ 3.375  ,  7.59375,  5.0625 ,  2.625  ],
           [ 1.5    ,  3.75   ,  2.625  ,  1.5    ]])
    """
    check_arguments(
        penalty_matrix,
        basis=(basis, [Options(*KINDS)]),
        degree=(degree, [Int(0, 24)]),
        derivative=(derivative, [Int(0, None)]),
        form=(form, [Options(*FORMS)]),
        clamped=(clamped, ["boolean"]),
        difference=(difference, [Int(1, None), None]),
    )
    knots = check_array(knots, ensure_2d=False, dtype=np.float64, input_name="knots")
    if knots.ndim != 1 or len(knots) < 2 or np.any(np.diff(knots) <= 0):
        raise ValueError("`knots` must be at least two increasing numbers.")
    built = make_basis(basis, knots, degree=degree, form=form, clamped=clamped)
    return _penalty(built, derivative, difference)
