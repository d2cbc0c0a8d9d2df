"""Random trees embedding: one indicator feature per leaf."""

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from statlearn._core.frames import refuse_names
from statlearn._core.names import input_names
from statlearn._core.params import check_params
from statlearn._core.validation import FLOATS, check_weights, validate_data
from statlearn._math.linalg.sparse_arrays import to_dense

from ._base import FOREST_CONSTRAINTS
from ._extra_trees import ExtraTreesRegressor

_OWN = (
    "n_estimators",
    "max_depth",
    "min_samples_split",
    "min_samples_leaf",
    "min_weight_fraction_leaf",
    "max_leaf_nodes",
    "min_impurity_decrease",
    "n_jobs",
    "random_state",
    "verbose",
    "warm_start",
)


class RandomTreesEmbedding(TransformerMixin, BaseEstimator):
    """Sparse binary embedding of rows by the leaves they reach in completely random trees.

    Every node is split on a random column at a random threshold, without a response. Rows that are close together share
    many leaves. A linear model or a similarity measure on the embedding is nonlinear in the columns.

    Parameters
    ----------
    n_estimators : int, default=100
        Number of trees.
    max_depth : int or None, default=5
        Maximum depth of the trees. A tree has up to 2 ** max_depth leaves.
    min_samples_split : int or float, default=2
        Minimum number (or, as a float, proportion) of rows required to split a node.
    min_samples_leaf : int or float, default=1
        Minimum number (or, as a float, proportion) of rows in each child of a split.
    min_weight_fraction_leaf : float, default=0.0
        Minimum proportion of the total weight in each child of a split.
    max_leaf_nodes : int or None, default=None
        Maximum number of leaves per tree.
    min_impurity_decrease : float, default=0.0
        Minimum decrease in the variance of an arbitrary, uniformly drawn response for a split.
    sparse_output : bool, default=True
        Whether `transform` returns a sparse matrix or an array.
    n_jobs : int or None, default=None
        Number of threads. None and -1 use all threads available to the process.
    random_state : int, RandomState or None, default=None
        Seed for columns, thresholds and the drawn response.
    verbose : int, default=0
        If positive, print the number of trees grown so far.
    warm_start : bool, default=False
        Whether another `fit` with a larger `n_estimators` adds trees to the existing ones.

    Attributes
    ----------
    forest_ : Forest
        The trees as flat arrays.
    estimators_ : list of ExtraTreeRegressor
        The individual trees.
    feature_importances_ : ndarray of shape (n_features,)
        Normalised decrease in the variance of the drawn response, which reflects how often each column is split.
    n_features_in_ : int
        Number of columns seen during `fit`.
    feature_names_in_ : ndarray of str
        Column names, if X had them.

    References
    ----------
    .. [1] P. Geurts, D. Ernst, L. Wehenkel (2006), Extremely randomized trees, Machine Learning 63.
    .. [2] F. Moosmann, B. Triggs, F. Jurie (2006), Fast discriminative visual codebooks using randomized clustering
       forests, NIPS.

    Examples
    --------
    >>> from statlearn.ensemble import RandomTreesEmbedding
    >>> X = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]]
    >>> code = RandomTreesEmbedding(n_estimators=5, max_depth=1, random_state=0).fit_transform(X)
    >>> code.shape, int(code.sum())
    ((5, 10), 25)
    """

    _constraints = {**{name: FOREST_CONSTRAINTS[name] for name in _OWN}, "sparse_output": ["boolean"]}

    def __init__(
        self,
        n_estimators=100,
        *,
        max_depth=5,
        min_samples_split=2,
        min_samples_leaf=1,
        min_weight_fraction_leaf=0.0,
        max_leaf_nodes=None,
        min_impurity_decrease=0.0,
        sparse_output=True,
        n_jobs=None,
        random_state=None,
        verbose=0,
        warm_start=False,
    ):
        self.n_estimators = n_estimators
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.sparse_output = sparse_output
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.warm_start = warm_start

    def fit(self, X, y=None, sample_weight=None):
        """Grow the trees.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)
            Training data. NaN is a missing value.
        y : ignored
        sample_weight : array-like of shape (n_rows,) or None, default=None

        Returns
        -------
        self
        """
        self.fit_transform(X, y, sample_weight=sample_weight)
        return self

    def fit_transform(self, X, y=None, sample_weight=None):
        """Grow the trees and return the embedding of the training rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)
        y : ignored
        sample_weight : array-like of shape (n_rows,) or None, default=None

        Returns
        -------
        code : sparse matrix or ndarray of shape (n_rows, n_leaves)
        """
        check_params(self)
        refuse_names(X, type(self).__name__)
        again = self.warm_start and hasattr(self, "_trees")
        X = validate_data(self, X, dtype=FLOATS, accept_sparse="csr", ensure_all_finite="allow-nan", reset=not again)
        rng = check_random_state(self.random_state)
        weights = check_weights(sample_weight, X)
        drawn = _drawn_response(X, weights, rng)
        trees = self._trees if again else ExtraTreesRegressor(max_features=1)
        shared = {name: getattr(self, name) for name in _OWN}
        trees.set_params(**{**shared, "random_state": rng if self.random_state is None else self.random_state})
        self._trees = trees.fit(X, drawn, sample_weight=weights)
        self._leaf_column, self._n_leaves = _number_leaves(trees.forest_)
        return self._code(X)

    def transform(self, X):
        """Embedding of the rows of X.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)

        Returns
        -------
        code : sparse matrix or ndarray of shape (n_rows, n_leaves)
            1 in the columns of the leaves that a row reaches, one in each tree.
        """
        check_is_fitted(self)
        return self._code(self._checked(X))

    def _code(self, X):
        from scipy.sparse import csr_matrix

        leaves = self._trees.apply(X) + self.forest_.roots
        n, trees = leaves.shape
        start = np.arange(0, n * trees + 1, trees)
        code = csr_matrix((np.ones(n * trees), self._leaf_column[leaves].ravel(), start), shape=(n, self._n_leaves))
        return code if self.sparse_output else code.toarray()

    def get_feature_names_out(self, input_features=None):
        """Names of the columns of the embedding, from the index of the tree and of the leaf within it.

        Parameters
        ----------
        input_features : array-like of str or None, default=None
            Only checked against the names seen during `fit`.

        Returns
        -------
        names : ndarray of str
        """
        check_is_fitted(self)
        input_names(self, input_features)
        forest, prefix = self.forest_, type(self).__name__.lower()
        leaves = np.flatnonzero(forest.is_leaf)
        tree = np.searchsorted(forest.roots, leaves, side="right") - 1
        return np.array([f"{prefix}_{t}_{k}" for t, k in zip(tree, leaves - forest.roots[tree])], dtype=object)

    def apply(self, X):
        """Index within the tree of the leaf that each row reaches, of shape (n_rows, n_estimators)."""
        check_is_fitted(self)
        return self._trees.apply(self._checked(X))

    def decision_path(self, X):
        """Nodes on the paths of each row, and the index of the first node of each tree."""
        check_is_fitted(self)
        return self._trees.decision_path(self._checked(X))

    def _checked(self, X):
        return validate_data(self, X, dtype=FLOATS, accept_sparse="csr", reset=False, ensure_all_finite="allow-nan")

    def __len__(self):
        return len(self._trees)

    def __getitem__(self, t):
        return self._trees[t]

    def __iter__(self):
        return iter(self._trees)

    @property
    def forest_(self):
        """The trees as flat arrays."""
        check_is_fitted(self)
        return self._trees.forest_

    @property
    def estimators_(self):
        """The individual trees."""
        check_is_fitted(self)
        return self._trees.estimators_

    @property
    def feature_importances_(self):
        """Normalised decrease in the variance of the drawn response, which reflects how often each column is split."""
        check_is_fitted(self)
        return self._trees.feature_importances_

    @property
    def _n_features_out(self):
        return self._n_leaves

    def __sklearn_is_fitted__(self):
        return hasattr(self, "_trees")

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        return tags


def _drawn_response(X, weights, rng):
    """A random number for each distinct row of positive weight, so that identical rows get the same response."""

    used = np.ones(X.shape[0], bool) if weights is None else weights > 0
    rows = to_dense(X[used])
    distinct, number = np.unique(rows, axis=0, return_inverse=True)
    drawn = np.zeros(X.shape[0])
    drawn[used] = rng.uniform(size=len(distinct))[number.ravel()]
    return drawn


def _number_leaves(forest):
    """The column of each leaf, numbered over all trees, and the number of leaves."""
    leaf = forest.is_leaf
    return np.cumsum(leaf) - 1, int(leaf.sum())
