"""Hunt's algorithm with an interchangeable rule for choosing the split column."""

import numpy as np
from sklearn.utils import check_random_state

from statlearn._core.params import Int, Options, check_params

from ._multiway import MultiwayClassifier, MultiwayTree


def _branch_counts(codes, classes, weights, K):
    """The column of every (column, level) branch at a node, and the class weights of each branch."""
    p = codes.shape[1]
    flat = codes + np.arange(p) * (int(codes.max()) + 1)
    present, place = np.unique(flat.ravel(), return_inverse=True)
    counts = np.bincount(place * K + np.repeat(classes, p), np.repeat(weights, p), minlength=len(present) * K).reshape(
        -1, K
    )
    return present // (int(codes.max()) + 1), counts


def _impurity_mass(counts, criterion):
    """Weight times impurity of each branch."""
    n = counts.sum(axis=1)
    if criterion == "error":
        return n - counts.max(axis=1)
    if criterion == "gini":
        return n - (counts**2).sum(axis=1) / n
    shares = counts / n[:, None]
    return -(counts * np.log2(np.where(shares > 0, shares, 1.0))).sum(axis=1)


class HuntTree(MultiwayClassifier):
    """Decision tree by Hunt's algorithm, with an interchangeable rule for choosing the split column.

    A node is a leaf if it has a single class or if its rows do not differ in any column. Otherwise the rule chooses a
    column, every value present becomes a child, and the algorithm continues recursively. Any rule classifies
    consistent training data without error. The rules differ in the size of the tree.

    Parameters
    ----------
    chooser : {"gini", "entropy", "error", "fewest", "most", "random"} or callable, default="gini"
        Choose the column with the largest decrease in the given impurity, the one with the fewest or most values at
        the node, or a random one. A callable is called with ``(codes, classes, weights, columns)``, the level indices,
        class indices and weights of the rows at the node and the indices of the columns that are not constant there.
        It must return one of these columns.
    max_depth : int or None, default=None
        Maximum depth of the tree; None means no limit.
    random_state : int, RandomState or None, default=None
        Seed for ``chooser="random"``.

    Attributes
    ----------
    tree_ : MultiwayTree
        The fitted tree as flat arrays.
    categories_ : list of ndarray
        The values of each column.
    classes_ : ndarray
        The class labels, sorted.
    n_features_in_ : int
    feature_names_in_ : ndarray of str

    Notes
    -----
    Columns may contain text, categories or numbers, all of which are treated as categorical. Missing values form a
    separate level. A value without a branch at a node is assigned the majority class of that node. Ties are broken in
    favour of the first column.

    Unlike :class:`ID3Classifier`, this tree keeps splitting when no single column has any gain, and therefore learns
    exclusive or. It neither stops early nor prunes, so it is meant for studying split rules rather than for prediction.

    References
    ----------
    Hunt, E. B., Marin, J. and Stone, P. J. (1966). *Experiments in Induction*.

    Examples
    --------
    >>> from statlearn.trees import HuntTree
    >>> tree = HuntTree().fit([[0, 0], [0, 1], [1, 0], [1, 1]], ["no", "yes", "yes", "no"])
    >>> tree.get_n_leaves(), tree.predict([[1, 0]]).tolist()
    (4, ['yes'])
    """

    _constraints = {
        "chooser": [Options("gini", "entropy", "error", "fewest", "most", "random"), "callable"],
        "max_depth": [Int(1, None), None],
        "random_state": ["random_state"],
    }

    def __init__(self, chooser="gini", *, max_depth=None, random_state=None):
        self.chooser = chooser
        self.max_depth = max_depth
        self.random_state = random_state

    def fit(self, X, y, sample_weight=None):
        """Grow the tree.

        Parameters
        ----------
        X : array-like or data frame of shape (n_rows, n_features)
        y : array-like of shape (n_rows,)
            Class labels.
        sample_weight : array-like of shape (n_rows,) or None, default=None

        Returns
        -------
        self
        """
        check_params(self)
        table, classes, weights = self._read_training(X, y, sample_weight)
        codes = np.ascontiguousarray(table, dtype=np.int64)
        self.tree_ = self._grow(codes, classes, weights, len(self.classes_), check_random_state(self.random_state))
        return self

    def _grow(self, codes, classes, weights, K, rng):
        counts = np.bincount(classes, weights, K)
        feature, first_child, n_children, branch, weight = [-1], [0], [0], [0], [counts]
        open_ = [(0, 0, np.arange(len(classes)))]
        while open_:
            node, depth, rows = open_.pop()
            if np.count_nonzero(weight[node]) < 2 or (self.max_depth is not None and depth >= self.max_depth):
                continue
            column = self._choose(codes[rows], classes[rows], weights[rows], K, rng)
            if column is None:
                continue
            order = rows[np.argsort(codes[rows, column], kind="stable")]
            levels, starts = np.unique(codes[order, column], return_index=True)
            children = np.split(order, starts[1:])
            feature[node], first_child[node], n_children[node] = column, len(feature), len(levels)
            for level, rows_of in zip(levels, children):
                open_.append((len(feature), depth + 1, rows_of))
                feature.append(-1)
                first_child.append(0)
                n_children.append(0)
                branch.append(int(level))
                weight.append(np.bincount(classes[rows_of], weights[rows_of], K))
        return MultiwayTree(
            feature=np.array(feature, np.int32),
            threshold=np.full(len(feature), np.nan),
            first_child=np.array(first_child, np.int32),
            n_children=np.array(n_children, np.int32),
            branch=np.array(branch, np.int32),
            weight=np.array(weight),
        )

    def _choose(self, codes, classes, weights, K, rng):
        """The column to split a node on, or None if its rows do not differ."""
        differ = np.flatnonzero((codes != codes[0]).any(axis=0))
        if len(differ) == 0:
            return None
        if callable(self.chooser):
            column = self.chooser(codes, classes, weights, differ)
            if column not in differ:
                raise ValueError(f"`chooser` returned {column!r}; it must return one of the columns {differ.tolist()}.")
            return int(column)
        if self.chooser == "random":
            return int(differ[rng.randint(len(differ))])
        owner, counts = _branch_counts(codes[:, differ], classes, weights, K)
        if self.chooser in ("fewest", "most"):
            n_values = np.bincount(owner)
            return int(differ[np.argmin(n_values) if self.chooser == "fewest" else np.argmax(n_values)])
        left = np.bincount(owner, _impurity_mass(counts, self.chooser))
        # Sums of the same terms in a different order differ by rounding, which must not break a tie.
        return int(differ[np.flatnonzero(left <= left.min() + 1e-12 * counts.sum())[0]])
