"""Bayesian networks as classifiers: naive, tree-augmented, or any structure."""

import numpy as np
from scipy.special import logsumexp
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from statlearn._core.params import Instance, Int, Options, Real, check_params
from statlearn._core.search import SearchSpace
from statlearn._core.validation import check_weights, encode_classes, present_rows
from statlearn._math.linalg.quantiles import equal_weight_edges

from ._network import DiscreteBayesianNetwork
from ._network_arrays import propagate
from ._structure import DiscreteData, mutual_informations, spanning_tree
from ._table_reader import TableReaderMixin


class BayesianNetworkClassifier(TableReaderMixin, ClassifierMixin, BaseEstimator):
    r"""Classifier by a discrete Bayesian network of the class and the columns.

    Numeric columns are cut into bins of equal weight; columns of text or of a categorical data type are used as they
    are. The class is predicted by its exact posterior, :math:`P(c \mid x) \propto P(c, x)`; missing values are summed
    out, in training by EM.

    Parameters
    ----------
    structure : {"tan", "naive"} or list of (parent, child), default="tan"
        "naive": the class is the only parent of every column. "tan": each column has one further parent, such that the
        tree of the columns has the largest conditional likelihood. A list of edges names columns (``"x0"``, ``"x1"``,
        ... for arrays) and the class (`class_name`).
    class_name : str, default="class"
        Name of the class in `structure` and `network_`.
    n_bins : int, default=5
        Maximum number of bins of a numeric column; a column with at most this many distinct values keeps them.
    alpha : float, default=1.0
        Pseudo-count of every cell of the tables.
    max_iter : int, default=100
        Maximum number of EM steps, if values are missing.
    tol : float, default=1e-6
        EM stops when the objective rises by less than this per unit of weight.
    categorical_features : array-like or None, default=None
        Columns of numbers that are categories, by index, name or mask; they are not binned.

    Attributes
    ----------
    network_ : DiscreteBayesianNetwork
        The fitted network, for queries, drawings and files.
    edges_ : list of (parent, child)
    bin_edges_ : list
        Inner edges of the bins of each numeric column; None for categories.
    levels_ : list
        Levels of each categorical column; None for numbers.
    classes_ : ndarray of shape (n_classes,)
    n_iter_ : int
        Number of EM steps; 1 for complete data.
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Defined only if X has column names that are all strings.

    Notes
    -----
    Tree-augmented naive Bayes takes O(n p^2) time for the conditional mutual informations. A category that was not seen
    in training is treated as missing.

    References
    ----------
    Friedman, N., Geiger, D. & Goldszmidt, M. (1997). Bayesian network classifiers. Machine Learning 29, 131-163.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from statlearn.bayes import BayesianNetworkClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = BayesianNetworkClassifier().fit(X, y)
    >>> len(model.edges_), round(model.score(X, y), 2)
    (7, 0.99)
    """

    _constraints = {
        "structure": [Options("tan", "naive"), "array-like"],
        "class_name": [Instance(str)],
        "n_bins": [Int(2, 1000)],
        "alpha": [Real(0, None)],
        "max_iter": [Int(1, None)],
        "tol": [Real(0, None)],
        "categorical_features": ["array-like", None],
    }
    _search_space = SearchSpace("naive Bayes, tree-augmented", grid={"n_bins": [3, 6]})

    def __init__(
        self,
        structure="tan",
        *,
        class_name="class",
        n_bins=5,
        alpha=1.0,
        max_iter=100,
        tol=1e-6,
        categorical_features=None,
    ):
        self.structure = structure
        self.class_name = class_name
        self.n_bins = n_bins
        self.alpha = alpha
        self.max_iter = max_iter
        self.tol = tol
        self.categorical_features = categorical_features

    def fit(self, X, y, sample_weight=None):
        """Learn the structure and the tables.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            Numbers, text or categories; NaN or None marks missing values.
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,) or None, default=None
            A weight of k is equivalent to k copies of the row.

        Returns
        -------
        self
        """
        check_params(self)
        X, y = self._read_table(X, y, reset=True)
        weights = check_weights(sample_weight, np.empty((X.shape[0], 0)))
        X, y, weights = present_rows(None if weights is None else weights.astype(np.float64), X, y)
        self.classes_, labels = encode_classes(y, owner=type(self).__name__)
        self.bin_edges_ = [
            None if self.levels_[j] is not None else equal_weight_edges(X[:, j], weights, self.n_bins)
            for j in range(X.shape[1])
        ]
        codes = np.column_stack([self._codes(X), labels.astype(np.int32)])
        sizes = [*self._sizes(), len(self.classes_)]
        self.network_ = self._network(codes, sizes, weights)
        self.edges_ = [(u, v) for v in self.network_.nodes_ for u in self.network_.parents_[v]]
        self.network_._fit_codes(codes, weights)
        self.n_iter_ = self.network_.n_iter_
        return self

    def _names(self):
        names = getattr(self, "feature_names_in_", None)
        names = [f"x{j}" for j in range(self.n_features_in_)] if names is None else list(names)
        if self.class_name in names:
            raise ValueError(f"`class_name`={self.class_name!r} is also a column of X; choose another name.")
        return names

    def _sizes(self):
        return [
            max(len(levels), 1) if levels is not None else len(edges) + 1
            for levels, edges in zip(self.levels_, self.bin_edges_)
        ]

    def _codes(self, X):
        """State numbers of the columns, -1 for missing values and unknown categories."""
        codes = np.empty(X.shape, dtype=np.int32)
        for j, edges in enumerate(self.bin_edges_):
            column = X[:, j]
            lost = np.isnan(column)
            if edges is None:
                lost = lost | (column >= len(self.levels_[j]))
                place = np.where(lost, 0, column)
            else:
                place = np.searchsorted(edges, column, side="right")
            codes[:, j] = np.where(lost, -1, place)
        return codes

    def _network(self, codes, sizes, weights):
        names = self._names()
        nodes, c = [*names, self.class_name], len(names)
        if isinstance(self.structure, str):
            edges = [(c, j) for j in range(c)]
            if self.structure == "tan" and c > 1:
                edges += spanning_tree(_conditional_informations(codes, sizes, weights), 0, range(c))
            edges = [(nodes[a], nodes[b]) for a, b in edges]
        else:
            edges = [tuple(edge) for edge in self.structure]
            known = set(nodes)
            for edge in edges:
                if len(edge) != 2 or not set(edge) <= known:
                    raise ValueError(f"`structure`: {edge!r} is not a pair of columns of X or {self.class_name!r}.")
        states = {v: self._state_names(j) for j, v in enumerate(names)}
        states[self.class_name] = self.classes_.tolist()
        network = DiscreteBayesianNetwork(edges, alpha=self.alpha, max_iter=self.max_iter, tol=self.tol, random_state=0)
        parents = {v: [u for u in [self.class_name, *names] if (u, v) in set(edges)] for v in nodes}
        network._set_structure(nodes, edges, parents, states, argument="structure")
        return network

    def _state_names(self, j):
        """Levels, or intervals such as '[1.5, 2)'."""
        if self.levels_[j] is not None:
            return self.levels_[j] or ["missing"]
        bounds = [-np.inf, *self.bin_edges_[j], np.inf]
        return [f"[{a!r}, {b!r})" for a, b in zip(map(float, bounds[:-1]), map(float, bounds[1:]))]

    def predict_log_proba(self, X):
        """Logarithm of the posterior probability of each class.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        check_is_fitted(self)
        codes = self._codes(self._read_table(X, reset=False))
        layout, flat, _ = self.network_._layout()
        c, k = codes.shape[1], len(self.classes_)
        joint = np.zeros((len(codes), k))
        whole = np.all(codes >= 0, axis=1)
        full = codes[whole]
        with np.errstate(divide="ignore"):
            for v, table in enumerate(layout.split(flat)):
                family = [*layout.parents[v], v]
                if c in family:  # other tables do not depend on the class
                    at = tuple(np.arange(k)[None] if u == c else full[:, u, None] for u in family)
                    joint[whole] += np.log(table[at])
        if not np.all(whole):
            rows, at = np.unique(codes[~whole], axis=0, return_inverse=True)
            evidence = np.column_stack([rows, np.full(len(rows), -1, dtype=np.int32)])
            logs, posteriors = propagate(layout, flat, evidence, layout.tree(names=self.network_.nodes_))
            with np.errstate(divide="ignore"):
                joint[~whole] = np.log(np.where(np.isneginf(logs)[:, None], 0.0, posteriors[:, -k:]))[at.ravel()]
        total = logsumexp(joint, axis=1, keepdims=True)
        lost = np.isneginf(total[:, 0])
        if np.any(lost):  # impossible rows have the prior
            prior = propagate(layout, flat, np.full((1, c + 1), -1), layout.tree(names=self.network_.nodes_))[1]
            joint[lost], total[lost] = np.log(prior[0, -k:]), 0.0
        return joint - total

    def predict_proba(self, X):
        """Posterior probability of each class.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        return np.exp(self.predict_log_proba(X))

    def predict(self, X):
        """The most probable class of each row; ties go to the first class.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        best = np.argmax(self.predict_log_proba(X), axis=1)
        return self.classes_[best]

    def summary(self):
        """Nodes of the network with their parents and numbers of parameters."""
        check_is_fitted(self)
        return self.network_.summary()

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags


def _conditional_informations(codes, sizes, weights):
    """Mutual information of all pairs of columns given the class, the last column."""
    data = DiscreteData.__new__(DiscreteData)
    data.names, data.sizes, data.weights = list(range(codes.shape[1])), sizes, weights
    data.codes = np.asfortranarray(codes)
    return mutual_informations(data, given=codes.shape[1] - 1)
