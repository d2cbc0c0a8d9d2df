"""Lists of items to and from a boolean matrix."""

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from statlearn._core.params import Instance, Options, check_params

from ._baskets import Baskets


class TransactionEncoder(TransformerMixin, BaseEstimator):
    """Encoding of baskets as a boolean matrix with one column per item.

    Parameters
    ----------
    basket : str or None, default=None
        Column with the identifier of the basket, if X is a long table with one row per item of a basket. None means
        that X holds a list of items per basket, or a table of booleans.
    item : str or None, default=None
        Column with the item, if X is a long table.
    sep : str or None, default=None
        Separator of the items, if each basket is a string such as "milk,bread".
    sparse_output : bool, default=False
        Whether to return a SciPy CSR matrix. Large collections need it: a dense matrix has a byte per basket and item.
    handle_unknown : {"error", "ignore"}, default="error"
        What to do with items that `fit` has not seen.

    Attributes
    ----------
    items_ : list
        Labels of the columns, sorted (for tables of booleans, in the order of the columns).

    See Also
    --------
    Baskets : the compressed form that the searches use.
    BinarizeDataset : for tables of numbers and categories.
    sklearn.preprocessing.MultiLabelBinarizer : the same idea for labels.

    Examples
    --------
    >>> from statlearn.rules import TransactionEncoder
    >>> encoder = TransactionEncoder().fit([["milk", "bread"], ["bread"]])
    >>> encoder.items_
    ['bread', 'milk']
    >>> encoder.transform([["milk"], []])
    array([[False,  True],
           [False, False]])
    >>> encoder.inverse_transform([[True, True]])
    [['bread', 'milk']]
    """

    _constraints = {
        "basket": [Instance(str, int), None],
        "item": [Instance(str, int), None],
        "sep": [Instance(str), None],
        "sparse_output": ["boolean"],
        "handle_unknown": [Options("error", "ignore")],
    }

    def __init__(self, *, basket=None, item=None, sep=None, sparse_output=False, handle_unknown="error"):
        self.basket = basket
        self.item = item
        self.sep = sep
        self.sparse_output = sparse_output
        self.handle_unknown = handle_unknown

    def fit(self, X, y=None):
        """Learn the items.

        Parameters
        ----------
        X : iterable of iterables, data frame, array or sparse matrix
            Lists of items, a long table, or a table of booleans.
        y : ignored

        Returns
        -------
        self
        """
        check_params(self)
        self.items_ = self._read(X).items
        return self

    def _read(self, X):
        if (self.basket is None) != (self.item is None):
            raise ValueError("basket and item: a long table needs both columns.")
        if self.basket is not None:
            return Baskets.from_long(X, self.basket, self.item)
        return Baskets(X, sep=self.sep)

    def transform(self, X):
        """Boolean matrix of the baskets.

        Parameters
        ----------
        X : iterable of iterables, data frame, array or sparse matrix
            Lists of items, a long table, or a table of booleans.

        Returns
        -------
        ndarray or CSR matrix of bool, of shape (n_baskets, n_items)
        """
        check_is_fitted(self)
        baskets = self._read(X)
        place = {label: k for k, label in enumerate(self.items_)}
        known = np.array([place.get(label, -1) for label in baskets.items], dtype=np.int64)
        if (known < 0).any() and self.handle_unknown == "error":
            unknown = [baskets.items[k] for k in np.flatnonzero(known < 0)[:5]]
            raise ValueError(
                f"X contains items that fit has not seen: {unknown}. Set handle_unknown='ignore' to skip them."
            )
        codes = known[baskets.indices] if len(baskets.indices) else np.empty(0, dtype=np.int64)
        indptr = np.concatenate([[0], np.cumsum(codes >= 0)])[baskets.indptr]
        matrix = sparse.csr_matrix(
            (np.ones(int(indptr[-1]), dtype=bool), codes[codes >= 0], indptr), shape=(len(baskets), len(self.items_))
        )
        matrix.sort_indices()
        return matrix if self.sparse_output else matrix.toarray()

    def inverse_transform(self, X):
        """Lists of items of a boolean matrix.

        Parameters
        ----------
        X : array, data frame or sparse matrix of shape (n_baskets, n_items)

        Returns
        -------
        list of list
        """
        check_is_fitted(self)
        baskets = Baskets(X if sparse.issparse(X) or hasattr(X, "columns") else np.asarray(X))
        if len(baskets.items) != len(self.items_):
            raise ValueError(f"X has {len(baskets.items)} columns, but the encoder has {len(self.items_)} items.")
        return Baskets.from_arrays(self.items_, baskets.indptr, baskets.indices).to_lists()

    def get_feature_names_out(self, input_features=None):
        """Labels of the items as strings.

        Parameters
        ----------
        input_features : ignored

        Returns
        -------
        ndarray of str
        """
        check_is_fitted(self)
        return np.array([str(label) for label in self.items_], dtype=object)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.input_tags.string = True
        tags.requires_fit = True
        return tags
