"""Random-effect bases."""

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from statlearn._core.frames import CategoryCoder
from statlearn._core.names import input_names
from statlearn._core.params import check_params
from statlearn._core.validation import require_finite_table, validate_columns


class RandomEffectBasis(TransformerMixin, BaseEstimator):
    """Random-effect basis: indicators of the levels of factors, with a ridge penalty.

    Penalising the sum of squares of the coefficients of a column corresponds to a common normal distribution. Ridge
    regression on these features is therefore the mixed model with random intercepts for a known ratio of variances. The
    term `re` of :class:`GAM` estimates that ratio.

    Parameters
    ----------
    sparse_output : bool, default=False
        Whether to return a CSR array.

    Attributes
    ----------
    levels_ : list of list
        The levels of each column.
    n_features_out_ : int
    n_features_in_ : int
    feature_names_in_ : ndarray of str

    Notes
    -----
    Every column is treated as a factor: text and categories in a data frame, or numbers. All levels have a column,
    since none needs to be dropped under a penalty. A level that was not seen in `fit` is encoded as zeros, which is the
    overall mean.

    Examples
    --------
    >>> from statlearn.smooth import RandomEffectBasis
    >>> basis = RandomEffectBasis().fit([[1.0], [3.0], [1.0]])
    >>> basis.get_feature_names_out().tolist()
    ['x0[1]', 'x0[3]']
    >>> basis.transform([[3.0], [2.0]]).tolist()
    [[0.0, 1.0], [0.0, 0.0]]
    """

    _constraints = {"sparse_output": ["boolean"]}

    def __init__(self, *, sparse_output=False):
        self.sparse_output = sparse_output

    def fit(self, X, y=None):
        """Find the levels.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : ignored

        Returns
        -------
        self
        """
        check_params(self)
        columns = getattr(X, "columns", None)
        self._coder = CategoryCoder(None if columns is None else np.ones(len(columns), bool), declared_order=True)
        X = validate_columns(self, self._coder.fit_frame(X), dtype=np.float64)
        self._coder.given = np.ones(X.shape[1], bool)
        self._coder.fit(X, getattr(self, "feature_names_in_", None))
        self.levels_ = [
            list(self._coder.text_levels.get(name, self._coder.levels[j])) for j, name in enumerate(self._names())
        ]
        self.n_features_out_ = sum(len(levels) for levels in self.levels_)
        return self

    def transform(self, X):
        """Indicators of the levels.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray or CSR array of shape (n_samples, n_features_out_)
        """
        check_is_fitted(self)
        X = validate_columns(
            self, self._coder.read_frame(X), dtype=np.float64, ensure_all_finite="allow-nan", reset=False
        )
        plain = [j for j, name in enumerate(self._names()) if name not in self._coder.text_levels]
        require_finite_table(self, X[:, plain])
        codes = self._coder.encode(X)
        first = np.cumsum([0, *(len(levels) for levels in self.levels_)])[:-1]
        rows, columns = np.nonzero(~np.isnan(codes))
        places = codes[rows, columns].astype(np.intp) + first[columns]
        out = sparse.csr_array((np.ones(len(rows)), (rows, places)), shape=(len(X), self.n_features_out_))
        return out if self.sparse_output else out.toarray()

    def _names(self):
        return getattr(self, "feature_names_in_", [None] * self.n_features_in_)

    def penalty_matrix(self):
        """Penalty matrix of the coefficients: the sum of their squares.

        Returns
        -------
        ndarray of shape (n_features_out_, n_features_out_)
        """
        check_is_fitted(self)
        return np.eye(self.n_features_out_)

    def get_feature_names_out(self, input_features=None):
        """Names of the indicators: "school[3]".

        Parameters
        ----------
        input_features : array-like of str or None, default=None

        Returns
        -------
        ndarray of str
        """
        check_is_fitted(self)
        names = input_names(self, input_features)
        labels = [(name, level) for name, levels in zip(names, self.levels_, strict=True) for level in levels]
        return np.asarray([f"{name}[{_label(level)}]" for name, level in labels], dtype=object)


def _label(level):
    return f"{level:g}" if isinstance(level, (float, np.floating)) else str(level)
