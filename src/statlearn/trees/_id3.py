"""ID3: one branch per value, by information gain."""

import numpy as np

from statlearn._core.native import trees as native
from statlearn._core.params import Int, Real, check_params

from ._multiway import MultiwayClassifier, MultiwayTree


class ID3Classifier(MultiwayClassifier):
    r"""Quinlan's first tree: names in the columns, one child per value, the largest information gain.

    At each node the column with the largest fall of the entropy of the classes (in bits) is chosen, as long as it is
    more than `min_gain`; each column is used once on a path. A node of one class, without columns left or without gain
    is a leaf. There is no pruning.

    Parameters
    ----------
    min_gain : float, default=0.0
        A split must gain more bits than this.
    max_depth : int or None, default=None
        Most tests on a path.

    Attributes
    ----------
    tree_ : MultiwayTree
        The tree in flat arrays.
    categories_ : list of ndarray
        The values of each column.
    classes_ : ndarray
        The labels, sorted.
    n_features_in_ : int
    feature_names_in_ : ndarray of str

    Notes
    -----
    Columns may hold text, categories or numbers; a number is a name like any other, so cut measurements into bins
    first (:class:`statlearn.prep.KBinsDiscretizer`) or use :class:`C45Classifier`. A missing cell is a value of its
    own. A value that has no branch at a node (never seen, or not seen there) gets the majority of that node.

    A column that is different in every row has the largest gain and teaches nothing: leave identifiers out. Splits
    that only help together (exclusive or) have no gain alone and are not found. Equal gains: the first column.

    Growing costs O(n p) for each level of the tree.

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
            Labels.
        sample_weight : array-like of shape (n_rows,) or None

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
            min_gain=max(float(self.min_gain), 1e-12),  # below this a gain is rounding
            max_depth=self.max_depth or 0,
        )
        self.tree_ = MultiwayTree(**grown)
        return self
