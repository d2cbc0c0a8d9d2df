"""Encoder of the tables of trees and forests: categories to codes, and optionally values and codes to bins."""

import numpy as np

from statlearn._core.frames import CategoryCoder

from .bins import BinMapper

# Proportion of evenly spaced bins for random thresholds. Without them, all thresholds in the sparse tails of a column
# would move to the same bin edge.
EVEN_SHARE = 0.25


class TableCoder(CategoryCoder):
    """Encoder of tables for growing trees.

    Parameters
    ----------
    categorical_features : "from_dtype", array-like or None
        See CategoryCoder.
    missing_level : bool, default=False
        See CategoryCoder.
    max_bins : int or None, default=None
        Maximum number of bins per column. None leaves numbers and codes unchanged.
    random_cuts : bool, default=False
        Whether thresholds will be drawn uniformly from a column's range.
    """

    def __init__(self, categorical_features, *, missing_level=False, max_bins=None, random_cuts=False):
        super().__init__(categorical_features, missing_level=missing_level)
        self.max_bins = max_bins
        self.random_cuts = random_cuts
        self.bins = None

    def _check_state(self):
        """Take over the coder of categories that model files of before kept as a part."""
        if "categories" in vars(self):
            vars(self).update(vars(vars(self).pop("categories")))

    def fit(self, X, names=None, target=None):
        """Learn levels and bins from a validated table; `target` (n, k) orders the levels of columns with many."""
        super().fit(X, names)
        if self.max_bins is not None:
            even = EVEN_SHARE if self.random_cuts else 0.0
            self.bins = BinMapper(self.max_bins, self.mask, even_share=even)
            self.bins.fit(super().encode(X), np.random.RandomState(0), target)
        return self

    def encode(self, X):
        """A validated table, encoded for the trees."""
        X = super().encode(X)
        return X if self.bins is None else self.bins.encode(X)
