"""ID3: multiway splits by information gain."""

import numpy as np

from statlearn._core.native import trees as native
from statlearn._core.params import Int, Real, check_params
from statlearn._core.warnings import AmbiguousInputWarning, warn

from ._attributes import column_names
from ._multiway import MultiwayClassifier, MultiwayTree, kernel_depth


class ID3Classifier(MultiwayClassifier):
    r"""ID3 decision tree for categorical columns, split by information gain in bits.

    Each node is split on the column with the largest :func:`information_gain`, with one child per value, if this gain
    exceeds `min_gain`; :func:`entropy` and :func:`mutual_information` are in nats unless ``base=2``. Each column is
    used at most once on a path. A node with a single class, no remaining columns or no gain is a leaf. There is no
    pruning.

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
    measurements first (:class:`statlearn.prep.KBinsDiscretizer`) or use :class:`C45Classifier`; columns of numbers with
    more than 20 distinct values, or with fractions and more than 5, are warned about. Missing values form a
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
        self._warn_of_measurements()
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

    def _warn_of_measurements(self):
        """Warn of numeric columns with a branch for nearly every value."""
        numbers = [_numbers(levels) for levels in self.categories_]
        columns = [
            (name, len(values))
            for name, values in zip(column_names(self), numbers, strict=True)
            if len(values) > 20 or (len(values) > 5 and (values % 1 != 0).any())
        ]
        if columns:
            shown = ", ".join(f"{name!r} ({n} values)" for name, n in columns[:5]) + (
                ", ..." if len(columns) > 5 else ""
            )
            warn(
                f"X: every value of a column is a branch, also of these columns of numbers: {shown}. The tree "
                "repeats the training rows rather than learn from them. Use C45Classifier, which splits at thresholds, "
                "or bin the columns by KBinsDiscretizer; pass codes of categories as text.",
                AmbiguousInputWarning,
            )


def _numbers(levels):
    """The numbers among the levels of a column; none for columns of text."""
    levels = np.empty(0) if levels is None else np.asarray(levels)
    if levels.dtype.kind not in "iuf":
        return np.empty(0)
    return levels[~np.isnan(levels)]
