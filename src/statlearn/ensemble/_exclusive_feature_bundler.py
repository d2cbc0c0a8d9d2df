"""Exclusive feature bundling: sparse columns that are (almost) never non-zero together share a column."""

import numpy as np
from scipy.sparse import csc_matrix, issparse
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from statlearn._core.frames import refuse_names
from statlearn._core.params import Int, Real, check_params
from statlearn._core.validation import FLOATS, validate_data
from statlearn._math.trees.sparse_bins import CODES, bundle_columns, sparse_edges


class ExclusiveFeatureBundler(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Exclusive feature bundling of sparse columns.

    Two columns conflict in a row if both are non-zero. Columns are processed in decreasing order of their number of
    non-zero values. Each joins the most recent bundle whose number of conflicting rows stays within the budget, or
    starts a new bundle. In the column of a bundle, 0 means that all its members are zero. Each member is assigned one
    code per bin, starting after its offset.

    Parameters
    ----------
    max_conflict_rate : float, default=0.0
        Maximum proportion of rows in which several members of a bundle may be non-zero. In such rows the last member
        determines the code.
    max_bins : int, default=255
        Maximum number of bins per column, including the one for zero. The members of a bundle have at most 255 bins in
        total, not counting those for zero.

    Attributes
    ----------
    bundles_ : list of list of int
        Columns of each bundle, in the order of their offsets.
    offsets_ : ndarray of int, shape (n_features,)
        Offset added to the bins of each column, which are numbered from 1 without the bin for zero.
    edges_ : list of ndarray
        Upper edges of the bins of each column.
    n_features_in_ : int
        Number of columns seen during `fit`.
    feature_names_in_ : ndarray of str
        Column names, if X had them.

    Notes
    -----
    Finding optimal bundles is a graph colouring problem; the greedy order by number of non-zero values is the cheap
    variant of [1]_. Gradient boosting bundles the columns of sparse tables automatically. Codes have no meaningful
    order across the members of a bundle, so they suit only trees that know the offsets or treat the codes as
    categories.

    References
    ----------
    .. [1] G. Ke et al. (2017), LightGBM: a highly efficient gradient boosting decision tree, NeurIPS.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.ensemble import ExclusiveFeatureBundler
    >>> X = np.array([[1, 0, 5], [2, 0, 5], [0, 1, 5], [0, 0, 6]])
    >>> bundler = ExclusiveFeatureBundler().fit(X)
    >>> bundler.bundles_
    [[2], [0, 1]]
    >>> bundler.transform(X)[:, 1]
    array([1., 2., 3., 0.])
    """

    _constraints = {"max_conflict_rate": [Real(0, 1)], "max_bins": [Int(2, 255)]}

    def __init__(self, max_conflict_rate=0.0, *, max_bins=255):
        self.max_conflict_rate = max_conflict_rate
        self.max_bins = max_bins

    def fit(self, X, y=None):
        """Find the bundles.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_rows, n_features)
        y : Ignored

        Returns
        -------
        self
        """
        check_params(self)
        refuse_names(X, type(self).__name__)
        X = self._read(X, reset=True)
        self.edges_ = sparse_edges(X, self.max_bins)
        widths = np.array([len(edges) for edges in self.edges_])
        budget = int(self.max_conflict_rate * X.shape[0])
        self.bundles_ = bundle_columns(X, widths, budget, alone=widths > CODES)
        self.offsets_ = np.zeros(X.shape[1], np.int64)
        for members in self.bundles_:
            self.offsets_[members] = np.concatenate([[0], np.cumsum(widths[members])[:-1]])
        return self

    def _read(self, X, reset):
        X = validate_data(self, X, dtype=FLOATS, accept_sparse=["csc", "csr"], reset=reset)
        X = X.tocsc(copy=True) if issparse(X) else csc_matrix(X)
        X.eliminate_zeros()
        return X

    def transform(self, X):
        """Codes of the rows in every bundle.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_rows, n_features)

        Returns
        -------
        ndarray of shape (n_rows, n_bundles)
        """
        check_is_fitted(self)
        X = self._read(X, reset=False)
        codes = np.zeros((X.shape[0], len(self.bundles_)), X.dtype)
        for b, members in enumerate(self.bundles_):
            for j in members:
                at = slice(X.indptr[j], X.indptr[j + 1])
                bins = np.searchsorted(self.edges_[j], X.data[at], side="left")
                zero = np.searchsorted(self.edges_[j], 0.0, side="left")
                inside = bins != zero
                codes[X.indices[at][inside], b] = self.offsets_[j] + bins[inside] + (bins[inside] < zero)
        return codes

    @property
    def _n_features_out(self):
        return len(self.bundles_)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
