"""ID3: multiway splits by information gain."""

import numpy as np

from statlearn._core.native import trees as native
from statlearn._core.params import Int, Real, check_params

from ._multiway import MultiwayClassifier, MultiwayTree, kernel_depth


class ID3Classifier(MultiwayClassifier):
    r"""ID3 decision tree for categorical columns, split by information gain.

    Each node is split on the column with the largest information gain (in bits), with one child per value, if this
    gain exceeds `min_gain`. Each column is used at most once on a path. A node with a single class, no remaining
    columns or no gain is a leaf. There is no pruning.

    Parameters
    ----------
    min_gain : float, default=0.0
        A node is split only if the information gain exceeds this value, in bits.
    max_depth : int or None, default=None
        Maximum depth of the tree; None means no limit.

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
    Columns may contain text, categories or numbers, all of which are treated as categorical. Bin continuous
    measurements first (:class:`statlearn.prep.KBinsDiscretizer`) or use :class:`C45Classifier`. Missing values form a
    separate level. A value that has no branch at a node (never seen, or not seen there) is assigned the majority class
    of that node.

    A column that is different in every row has the largest gain but does not generalise, so drop identifiers. Splits
    that only help in combination (exclusive or) have no individual gain and are not found. Ties are broken in favour
    of the first column.

    Growing costs O(n p) per level of the tree.

    References
    ----------
    Quinlan, J. R. (1986). Induction of decision trees. *Machine Learning* 1, 81-106.

    Examples
    --------
    >>> from statlearn.trees import ID3Classifier
    >>> X = [["severe", "yes"], ["severe", "no"], ["mild", "yes"], ["mild", "no"], ["none", "yes"], ["none", "no"]]
    >>> tree = ID3Classifier().fit(X, ["flu", "flu", "flu", "cold", "cold", "cold"])
    >>> print(tree.export_text())
    x0 = mild
    |   x1 = no: cold (1)
    |   x1 = yes: flu (1)
    x0 = none: cold (2)
    x0 = severe: flu (2)
    """

    _constraints = {"min_gain": [Real(0, None)], "max_depth": [Int(1, None), None]}

    def __init__(self, *, min_gain=0.0, max_depth=None):
        self.min_gain = min_gain
        self.max_depth = max_depth

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
        table, codes, weights = self._read_training(X, y, sample_weight)
        grown = native.multiway_grow(
            table,
            self._levels,
            codes,
            weights,
            n_classes=len(self.classes_),
            gain_ratio=False,
            threshold_penalty=False,
            min_leaf=np.finfo(float).tiny,
            min_gain=max(float(self.min_gain), 1e-12),  # smaller gains are rounding errors
            max_depth=kernel_depth(self.max_depth),
        )
        self.tree_ = MultiwayTree(**grown)
        return self
