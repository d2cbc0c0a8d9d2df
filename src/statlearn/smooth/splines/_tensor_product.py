"""Tensor-product splines."""

from itertools import combinations

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from statlearn._core.names import input_names
from statlearn._core.params import HasMethods, Int, Options, check_arguments, check_params
from statlearn._core.validation import FLOATS, check_weights, validate_columns

from ._basis import derivative_products
from ._basis_expansion import MODELS, BasisRegressor
from ._transformer import KINDS, SplineTransformer


class TensorProductBasis(TransformerMixin, BaseEstimator):
    r"""Tensor-product spline basis: products :math:`h_{1j}(x_1) h_{2k}(x_2)` of the functions of pairs of columns.

    Each column has `df` - 1 functions besides the constant. Together with the constant they and their products span the
    tensor-product space; for two columns these are all :math:`M_1 M_2` products. With more columns all pairs are
    included, but no triples.

    Parameters
    ----------
    df : int, default=4
        Number of functions of each column, including the constant.
    degree : int, default=3
    knots : {"quantile", "uniform"}, default="quantile"
    basis : {"natural", "bspline", "truncated_power", "cyclic"}, default="natural"
        See :class:`SplineTransformer`.
    extrapolation : {"linear", "constant", "continue", "error"}, default="linear"
    interaction : bool, default=True
        Whether to include products; without them the basis is additive.

    Attributes
    ----------
    transformer_ : SplineTransformer
        Transformer with the functions of each column.
    n_features_out_ : int
        Number of functions, excluding the constant.
    n_features_in_ : int
    feature_names_in_ : ndarray of str

    References
    ----------
    Hastie, T., Tibshirani, R. and Friedman, J. (2009). *The Elements of Statistical Learning*, 2nd ed., section 5.7.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.smooth import TensorProductBasis
    >>> X = np.random.default_rng(0).uniform(size=(50, 2))
    >>> TensorProductBasis(df=4).fit_transform(X).shape
    (50, 15)
    >>> TensorProductBasis(df=4, interaction=False).fit_transform(X).shape
    (50, 6)
    """

    _constraints: dict[str, list] = {
        "df": [Int(2, 10_000)],
        "degree": [Int(0, 24)],
        "knots": [Options("quantile", "uniform")],
        "basis": [Options(*KINDS)],
        "extrapolation": [Options("linear", "constant", "continue", "error")],
        "interaction": ["boolean"],
    }

    def __init__(self, df=4, *, degree=3, knots="quantile", basis="natural", extrapolation="linear", interaction=True):
        self.df = df
        self.degree = degree
        self.knots = knots
        self.basis = basis
        self.extrapolation = extrapolation
        self.interaction = interaction

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    def fit(self, X, y=None, sample_weight=None):
        """Place the knots.

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
        X = validate_columns(self, X, dtype=FLOATS, ensure_min_samples=2)
        settings = dict(degree=self.degree, basis=self.basis, form="bspline", extrapolation=self.extrapolation)
        settings.update(include_bias=False, clamped=True)
        n_knots = SplineTransformer(df=self.df - 1, **settings)._knots_of_df()
        spline = SplineTransformer(n_knots=n_knots, knots=self.knots, **settings).set_output(transform="default")
        self.transformer_ = spline.fit(X, sample_weight=check_weights(sample_weight, X))
        self._interaction = bool(self.interaction)
        self.n_features_out_ = len(self.get_feature_names_out())
        return self

    def _blocks(self, items):
        """A flat sequence, one item for each function, by column."""
        at, blocks = 0, []
        for basis in self.transformer_.bases_:
            width = len(self.transformer_._kept(basis))
            blocks.append(items[at : at + width])
            at += width
        return blocks

    def transform(self, X):
        """Basis functions of each column, then the products of each pair.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_features_out_)
        """
        check_is_fitted(self)
        X = validate_columns(self, X, dtype=FLOATS, reset=False)
        H = self.transformer_.transform(X)
        parts = [H]
        if self._interaction:
            columns = self._blocks(list(range(H.shape[1])))
            for a, b in combinations(columns, 2):
                parts.append((H[:, a][:, :, None] * H[:, b][:, None, :]).reshape(len(H), -1))
        return np.hstack(parts)

    def penalty_matrix(self, derivative=2, *, column=None):
        r"""Roughness penalty of a surface: mean squared derivatives along the columns.

        For column j the quadratic form of the coefficients is :math:`\int (\partial^d f / \partial x_j^d)^2 dx_j`,
        averaged over the ranges of the other columns.

        Parameters
        ----------
        derivative : int, default=2
            The order d.
        column : int or None, default=None
            Column j; None sums over all columns.

        Returns
        -------
        ndarray of shape (n_features_out_, n_features_out_)
        """
        check_is_fitted(self)
        p = self.n_features_in_
        check_arguments(
            "penalty_matrix", derivative=(derivative, [Int(1, None)]), column=(column, [Int(0, p - 1), None])
        )
        bends, means = zip(*(self._integrals(basis, derivative) for basis in self.transformer_.bases_), strict=True)
        blocks = [(j,) for j in range(p)] + (list(combinations(range(p), 2)) if self._interaction else [])
        total = 0.0
        for d in range(p) if column is None else [column]:
            factors = [*means[:d], bends[d], *means[d + 1 :]]
            total = total + np.block([[_crossed(factors, s, t, d) for t in blocks] for s in blocks])
        return total

    def _integrals(self, basis, derivative):
        """Integrals of products of derivatives of 1 and the functions of a column, and means of their products."""
        columns = self.transformer_._kept(basis)

        def design(x, d):
            return np.column_stack([np.full(len(x), float(d == 0)), basis.design(x, d)[:, columns]])

        bends = derivative_products(design, basis.pieces, basis.degree, derivative)
        products = derivative_products(design, basis.pieces, 2 * basis.degree, 0)
        return bends, products / (basis.upper - basis.lower)

    def get_feature_names_out(self, input_features=None):
        """Names of the functions and of their products.

        Parameters
        ----------
        input_features : array-like of str or None, default=None

        Returns
        -------
        ndarray of str
        """
        check_is_fitted(self)
        names = list(self.transformer_.get_feature_names_out(input_names(self, input_features)))
        if self._interaction:
            for a, b in combinations(self._blocks(list(names)), 2):
                names += [f"{j} {k}" for j in a for k in b]
        return np.asarray(names, dtype=object)


def _crossed(factors, s, t, d):
    """Products of the functions of columns s with those of columns t; zeros unless both contain column d.

    `factors`: of each column the products of 1 and its functions, 1 first.
    """
    widths = [len(F) - 1 for F in factors]
    shape = [int(np.prod([widths[c] for c in block])) for block in (s, t)]
    if d not in s or d not in t:
        return np.zeros(shape)
    out = np.ones((1, 1))
    for c in sorted({*s, *t}):
        rows, columns = (slice(1, None) if c in block else slice(1) for block in (s, t))
        out = np.kron(out, factors[c][rows, columns])
    return out


class TensorProductSpline(BasisRegressor):
    r"""Linear model on a tensor-product spline basis, for smooth surfaces or class boundaries.

    .. math:: f(x) = \sum_j \sum_k \theta_{jk} \, h_{1j}(x_1) \, h_{2k}(x_2)

    Parameters
    ----------
    df : int, default=4
        Number of functions of each column, including the constant: two columns have ``df ** 2`` coefficients.
    degree : int, default=3
        Degree of the polynomials; natural splines are always cubic.
    knots : {"quantile", "uniform"}, default="quantile"
    basis : {"natural", "bspline", "truncated_power", "cyclic"}, default="natural"
        See :class:`SplineTransformer`.
    extrapolation : {"linear", "constant", "continue", "error"}, default="linear"
        Extrapolation beyond the outer knots.
    interaction : bool, default=True
        Whether to include products. Without them the model is additive, and two columns have ``2 * df - 1``
        coefficients.
    model : {"ols", "ridge", "logistic"} or estimator, default="ols"
        Least squares, ridge, unpenalised logistic regression, or any other estimator for the features.

    Attributes
    ----------
    n_functions_ : int
        Number of coefficients, including the intercept.
    expansion_ : TensorProductBasis
        The fitted basis.
    model_ : estimator
        The fitted model.
    coef_, intercept_ : ndarray, float
        Coefficients and intercept of the model.
    classes_ : ndarray
        Class labels. Only if the model is a classifier.
    n_features_in_ : int
    feature_names_in_ : ndarray of str

    Notes
    -----
    With more than two columns all pairs have products, but no triples. The number of coefficients grows with the square
    of `df` and of the number of columns; a thin-plate spline, or an additive model with a few pairs, needs fewer.

    References
    ----------
    Hastie, T., Tibshirani, R. and Friedman, J. (2009). *The Elements of Statistical Learning*, 2nd ed., section 5.7.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.smooth import TensorProductSpline
    >>> X = np.random.default_rng(0).uniform(size=(100, 2))
    >>> y = np.sin(3 * X[:, 0]) * X[:, 1]
    >>> TensorProductSpline(df=4).fit(X, y).n_functions_
    16
    >>> TensorProductSpline(df=4, interaction=False).fit(X, y).n_functions_
    7
    """

    _constraints: dict[str, list] = {
        **TensorProductBasis._constraints,
        "model": [Options(*MODELS), HasMethods("fit", "predict")],
    }

    def __init__(
        self,
        df=4,
        *,
        degree=3,
        knots="quantile",
        basis="natural",
        extrapolation="linear",
        interaction=True,
        model="ols",
    ):
        self.df = df
        self.degree = degree
        self.knots = knots
        self.basis = basis
        self.extrapolation = extrapolation
        self.interaction = interaction
        self.model = model

    def fit(self, X, y, sample_weight=None):
        """Place the knots and fit the model.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,) or None, default=None

        Returns
        -------
        self
        """
        super().fit(X, y, sample_weight)
        self.n_functions_ = self.expansion_.n_features_out_ + 1
        return self

    def _expansion(self):
        return TensorProductBasis(**{name: getattr(self, name) for name in TensorProductBasis._constraints})
