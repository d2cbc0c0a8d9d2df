"""A single tree with scikit-learn's attribute names, as in `tree_` of a decision tree."""

import numpy as np

from statlearn._math.linalg.sparse_arrays import to_dense


class Tree:
    """Read-only view of a single tree with scikit-learn's attribute names.

    Leaves have no children (-1) and no feature (-2). ``value`` has the shape (node_count, n_outputs,
    max_n_classes): the class proportions of a classifier, the predictions of a regressor (max_n_classes is 1).

    Parameters
    ----------
    forest : Forest
        A forest of one tree with vector values.
    n_features : int
    n_classes : ndarray of int, shape (n_outputs,)
        Number of classes of each output; 1 for regression.
    """

    def __init__(self, forest, n_features, n_classes):
        self.forest = forest
        self.n_features = int(n_features)
        self.n_classes = np.asarray(n_classes)

    n_outputs = property(lambda self: len(self.n_classes))
    max_n_classes = property(lambda self: int(self.n_classes.max()))
    node_count = property(lambda self: len(self.forest.feature))
    capacity = node_count
    n_leaves = property(lambda self: int(np.count_nonzero(self.forest.is_leaf)))
    max_depth = property(lambda self: int(self.forest.depth.max()))
    impurity = property(lambda self: _frozen(self.forest.impurity))
    n_node_samples = property(lambda self: _frozen(self.forest.rows))
    weighted_n_node_samples = property(lambda self: _frozen(self.forest.weight))
    gain = property(lambda self: _frozen(self.forest.gain))

    @property
    def children_left(self):
        return np.where(self.forest.is_leaf, -1, self.forest.child).astype(np.int64)

    @property
    def children_right(self):
        return np.where(self.forest.is_leaf, -1, self.forest.child + 1).astype(np.int64)

    @property
    def feature(self):
        return np.where(self.forest.is_leaf, -2, self.forest.feature).astype(np.int64)

    @property
    def threshold(self):
        return np.where(self.forest.is_leaf, -2.0, self.forest.threshold)

    @property
    def missing_go_to_left(self):
        return np.where(self.forest.is_leaf, 0, self.forest.missing_left).astype(np.uint8)

    @property
    def value(self):
        return _frozen(self.forest.value.reshape(self.node_count, self.n_outputs, self.max_n_classes))

    def predict(self, X):
        """Values of the leaves that the rows of X reach, of shape (n_rows, [n_outputs,] max_n_classes)."""
        X = to_dense(X)
        sums = np.zeros((X.shape[0], self.forest.value.shape[1]))
        self.forest.add_predictions(X, sums)
        return sums if self.n_outputs == 1 else sums.reshape(len(sums), self.n_outputs, self.max_n_classes)

    def apply(self, X):
        """Index of the leaf that each row reaches."""
        return self.forest.apply(to_dense(X))[:, 0].astype(np.int64)

    def decision_path(self, X):
        """Nodes on the path of each row, as a sparse 0/1 matrix."""
        return self.forest.decision_path(to_dense(X))

    def compute_feature_importances(self, normalize=True):
        """Decrease in impurity by the splits on each feature, normalised to sum to 1 or per unit of weight."""
        total = self.forest.importances(self.n_features, normalize=normalize)
        return total if normalize else total / self.forest.weight[0]

    def __repr__(self):
        return f"<Tree: {self.node_count} nodes, {self.n_leaves} leaves, depth {self.max_depth}>"


def _frozen(array):
    view = array.view()
    view.flags.writeable = False
    return view
