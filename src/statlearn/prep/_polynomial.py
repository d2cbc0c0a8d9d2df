"""Products of columns: polynomials and feature crosses."""

from itertools import combinations
from math import comb, inf

import numpy as np
from scipy import sparse
from sklearn import preprocessing
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from statlearn._core.frames import refuse_repeated_names
from statlearn._core.names import input_names
from statlearn._core.params import Instance, Int, Options, check_params
from statlearn._core.validation import FLOATS, explained, require_finite, validate_data
from statlearn._math.linalg.sparse_arrays import stored_values, to_dense

_BLOCK = 2**22  # entries of dense monomials at a time


class PolynomialFeatures(preprocessing.PolynomialFeatures):
    r"""Polynomial features: all distinct products of at most `degree` columns.

    There are :math:`\binom{p+d}{d}` of them, including the constant. ``form="monomials"`` returns scikit-learn's
    columns in its order, ``form="quadratic_map"`` the map :math:`(x_1, \dots, x_p, x_1^2, \dots, x_p^2, 2 x_1 x_2, 2
    x_1 x_3, \dots)` without the constant. Each product occurs once; the double sums of some textbooks repeat :math:`x_1
    x_2` as :math:`x_2 x_1` and make the design singular.

    Parameters
    ----------
    degree : int or tuple (min_degree, max_degree), default=2
        Highest degree, or lowest and highest degree.
    interaction_only : bool, default=False
        Whether to omit powers of single columns.
    include_bias : bool, default=True
        Whether to include the constant.
    order : {"C", "F"}, default="C"
        Memory order of dense output.
    form : {"monomials", "quadratic_map"}, default="monomials"
        "quadratic_map" requires ``degree=2`` and all products, and never includes the constant.

    Attributes
    ----------
    powers_ : ndarray of shape (n_monomials, n_features_in_)
        Exponents of the monomials, in scikit-learn's order.
    n_output_features_ : int
    n_features_in_ : int
    feature_names_in_ : ndarray of str

    Notes
    -----
    Scale the columns first, otherwise high powers dominate. The number of columns grows like :math:`p^d / d!`.

    References
    ----------
    Hastie, T., Tibshirani, R. and Friedman, J. (2009). *The Elements of Statistical Learning*, 2nd ed., section 5.1.

    Examples
    --------
    >>> from statlearn.prep import PolynomialFeatures
    >>> quadratic = PolynomialFeatures(form="quadratic_map").fit([[2, 3]])
    >>> quadratic.transform([[2, 3]]).tolist()
    [[2.0, 3.0, 4.0, 9.0, 12.0]]
    >>> quadratic.get_feature_names_out(["a", "b"]).tolist()
    ['a', 'b', 'a^2', 'b^2', '2 a b']
    """

    _constraints = {
        "degree": [Int(0, None), Instance(tuple, list)],
        "interaction_only": ["boolean"],
        "include_bias": ["boolean"],
        "order": [Options("C", "F")],
        "form": [Options("monomials", "quadratic_map")],
    }

    def __init__(self, degree=2, *, interaction_only=False, include_bias=True, order="C", form="monomials"):
        super().__init__(degree, interaction_only=interaction_only, include_bias=include_bias, order=order)
        self.form = form

    def fit(self, X, y=None):
        """Compute the number of columns.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : ignored

        Returns
        -------
        self
        """
        check_params(self)
        if self.form == "quadratic_map" and (self.degree != 2 or self.interaction_only):
            raise ValueError("`form`='quadratic_map' requires `degree`=2 and `interaction_only`=False.")
        refuse_repeated_names(X)
        with explained(self, X):
            super().fit(X, y)
        if self.form == "quadratic_map":
            self.n_output_features_ = len(self._quadratic()[0])
        return self

    def transform(self, X):
        """Products of the columns of each row.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray or sparse matrix of shape (n_samples, n_output_features)
        """
        with np.errstate(over="ignore", invalid="ignore"):
            out = self._monomials(X) if self.form == "monomials" else self._squares_and_products(X)
            values = np.asarray(stored_values(out))
            finite = np.isfinite(values.sum()) or np.isfinite(values).all()  # the sum takes less time
        if not finite:
            raise ValueError(f"X: powers up to `degree`={self.degree} overflow; scale X, or lower `degree`.")
        return out

    def _monomials(self, X):
        check_is_fitted(self)
        if not sparse.issparse(X) or np.max(self.degree) <= 3:
            with explained(self, X, reset=False):
                return super().transform(X)
        # The parent multiplies sparse columns one monomial at a time. Blocks of dense rows take a fraction of that.
        container = sparse.csc_matrix if X.format == "csc" else sparse.csr_matrix
        X = validate_data(self, X, accept_sparse="csr", dtype=FLOATS, reset=False)
        step = max(1, _BLOCK // max(self.n_output_features_, 1))
        dense = super().transform
        starts = range(0, X.shape[0], step)
        return container(sparse.vstack([sparse.csr_array(dense(X[a : a + step].toarray())) for a in starts]))

    def _squares_and_products(self, X):
        check_is_fitted(self)
        # Squares and products are formed here, not by a re-ordering: the parent sizes its output by its own count.
        X = validate_data(self, X, accept_sparse="csc", dtype=FLOATS, reset=False)
        p = X.shape[1]
        pairs = list(combinations(range(p), 2))
        if sparse.issparse(X):
            crossed = [2 * X[:, [i]].multiply(X[:, [j]]) for i, j in pairs]
            return sparse.hstack([X, X.multiply(X), *crossed], format="csr")
        out = np.empty((X.shape[0], self.n_output_features_), dtype=X.dtype, order=self.order)
        out[:, :p] = X
        np.square(X, out=out[:, p : 2 * p])
        for k, (i, j) in enumerate(pairs):
            out[:, 2 * p + k] = 2 * X[:, i] * X[:, j]
        return out

    def _check_state(self):
        """Check that the number of monomials agrees with the degree."""
        if not hasattr(self, "_max_degree"):
            return
        p, highest = int(self.n_features_in_), self._max_degree
        if type(highest) is not int or not 0 <= self._min_degree <= highest:
            raise ValueError("`_max_degree` must be a whole number.")
        if self.interaction_only:
            count = sum(comb(p, degree) for degree in range(min(highest, p) + 1))
        else:
            count = comb(p + highest, min(p, highest)) if min(p, highest) < 1000 else inf
        if count > self._n_out_full + 1:
            raise ValueError(f"`_max_degree`={highest} does not fit {self._n_out_full} monomials.")

    def get_feature_names_out(self, input_features=None):
        """Names such as "a", "a^2", "a b".

        Parameters
        ----------
        input_features : array-like of str or None, default=None

        Returns
        -------
        ndarray of str
        """
        names = super().get_feature_names_out(input_features)
        if self.form == "monomials":
            return names
        places, factors = self._quadratic()
        return np.asarray([f"2 {names[k]}" if f == 2 else names[k] for k, f in zip(places, factors)], dtype=object)

    def _quadratic(self):
        """Positions of the columns of the map among the monomials, and their factors."""
        powers = self.powers_
        total, highest = powers.sum(axis=1), powers.max(axis=1)
        groups = [
            np.flatnonzero(total == 1),
            np.flatnonzero(highest == 2),
            np.flatnonzero((total == 2) & (highest == 1)),
        ]
        return np.concatenate(groups), np.repeat([1, 1, 2], [len(g) for g in groups])


class FeatureCrosses(TransformerMixin, BaseEstimator):
    r"""Products of pairs of columns, or of the indicators of their bins.

    Without bins, the cross of two columns is their product. With `n_bins`, each column is first binned at its
    quantiles. The cross of two columns then has one 0/1 column per pair of bins, so a linear model on them can fit any
    function of the two binned columns.

    Parameters
    ----------
    pairs : list of pairs or None, default=None
        Pairs of columns by index, or by name for data frames; None uses all pairs.
    n_bins : int or None, default=None
        Number of quantile bins of each column; None crosses the numbers themselves.
    keep : bool, default=False
        Whether to include the original columns first.
    sparse_output : bool, default=False
        Whether to return a CSR array.

    Attributes
    ----------
    pairs_ : list of (int, int)
        Pairs that are crossed.
    bin_edges_ : list of ndarray or None
        Inner edges of the bins of each column; a value equal to an edge belongs to the bin above it.
    n_features_in_ : int
    feature_names_in_ : ndarray of str

    Notes
    -----
    All pairs of p columns with b bins give :math:`b^2 p (p-1) / 2` columns; specify the pairs, or use a penalty.
    Coinciding edges are merged.

    References
    ----------
    Hastie, T., Tibshirani, R. and Friedman, J. (2009). *The Elements of Statistical Learning*, 2nd ed., section 5.7.

    Examples
    --------
    >>> from statlearn.prep import FeatureCrosses
    >>> X = [[1, 2, 3], [4, 5, 6]]
    >>> FeatureCrosses().fit_transform(X).tolist()
    [[2.0, 3.0, 6.0], [20.0, 24.0, 30.0]]
    >>> FeatureCrosses(pairs=[(0, 1)], n_bins=2).fit(X).get_feature_names_out().tolist()
    ['x0[0] x1[0]', 'x0[0] x1[1]', 'x0[1] x1[0]', 'x0[1] x1[1]']
    """

    _constraints = {
        "pairs": ["array-like", None],
        "n_bins": [Int(2, 65_536), None],
        "keep": ["boolean"],
        "sparse_output": ["boolean"],
    }

    def __init__(self, pairs=None, *, n_bins=None, keep=False, sparse_output=False):
        self.pairs = pairs
        self.n_bins = n_bins
        self.keep = keep
        self.sparse_output = sparse_output

    def fit(self, X, y=None):
        """Determine the pairs and learn the bins.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : ignored

        Returns
        -------
        self
        """
        check_params(self)
        X = validate_data(self, X, dtype=FLOATS, ensure_min_features=2)
        self.pairs_ = self._find_pairs(X.shape[1])
        self.bin_edges_ = None
        if self.n_bins is not None:
            shares = np.linspace(0, 1, self.n_bins + 1)[1:-1]
            self.bin_edges_ = [np.unique(np.quantile(column, shares)) for column in X.T]
        return self

    def _find_pairs(self, p):
        if self.pairs is None:
            return list(combinations(range(p), 2))
        names = {name: k for k, name in enumerate(getattr(self, "feature_names_in_", []))}
        if not len(self.pairs):
            raise ValueError("`pairs` is empty; pass at least one pair of columns, or None for all pairs.")
        pairs = []
        for pair in self.pairs:
            if np.shape(pair) != (2,):
                raise ValueError(f"`pairs`: {pair!r} is not a pair of columns.")
            places = [names.get(c, c) for c in pair]
            if any(isinstance(c, str) or not 0 <= c < p for c in places) or places[0] == places[1]:
                raise ValueError(f"`pairs`: {tuple(pair)!r} does not refer to two distinct columns of X.")
            pairs.append((int(places[0]), int(places[1])))
        return pairs

    def transform(self, X):
        """Crosses of the columns.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray or CSR array of shape (n_samples, n_crosses)
        """
        check_is_fitted(self)
        X = validate_data(self, X, dtype=FLOATS, reset=False)
        blocks = [X] if self.keep else []
        if self.bin_edges_ is None:
            with np.errstate(over="ignore"):
                products = np.column_stack([X[:, i] * X[:, j] for i, j in self.pairs_])
            require_finite(products)
            blocks.append(products)
        else:
            bins = [np.searchsorted(edges, column, side="right") for edges, column in zip(self.bin_edges_, X.T)]
            for i, j in self.pairs_:
                width = len(self.bin_edges_[j]) + 1
                code = bins[i] * width + bins[j]
                shape = (X.shape[0], (len(self.bin_edges_[i]) + 1) * width)
                ones = np.ones(len(code), dtype=X.dtype)
                blocks.append(sparse.csr_array((ones, (np.arange(len(code)), code)), shape=shape))
        if self.sparse_output:
            return sparse.hstack([sparse.csr_array(block) for block in blocks], format="csr")
        return np.hstack([to_dense(block) for block in blocks])

    def get_feature_names_out(self, input_features=None):
        """Names such as "a b", or "a[0] b[2]" for bins.

        Parameters
        ----------
        input_features : array-like of str or None, default=None

        Returns
        -------
        ndarray of str
        """
        check_is_fitted(self)
        names = input_names(self, input_features)
        out = list(names) if self.keep else []
        for i, j in self.pairs_:
            if self.bin_edges_ is None:
                out.append(f"{names[i]} {names[j]}")
            else:
                widths = [len(self.bin_edges_[k]) + 1 for k in (i, j)]
                out += [f"{names[i]}[{a}] {names[j]}[{b}]" for a in range(widths[0]) for b in range(widths[1])]
        return np.asarray(out, dtype=object)
