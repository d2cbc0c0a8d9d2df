"""The additive statistic of a step of k-means: sums of the rows of every cluster."""

import numpy as np
from scipy import sparse

from ._seeding import nearest_centres


class CentreSums:
    """Sums and weights of clusters, the objective, and the rows that are farthest from their centres.

    Parameters
    ----------
    centres : ndarray of shape (k, p)
        The centres that the rows were assigned to.
    first : ndarray of shape (k, p)
        Weighted sums of rows minus their centre.
    weight : ndarray of shape (k,)
    inertia : float
    far : ndarray of shape (m, p)
        The farthest rows, by decreasing distance, at most one per cluster that can be empty.
    far_distance : ndarray of shape (m,)
    """

    def __init__(self, centres, first, weight, inertia, far, far_distance):
        self.centres, self.first, self.weight, self.inertia = centres, first, weight, inertia
        self.far, self.far_distance = far, far_distance

    @classmethod
    def from_block(cls, X, centres, weights=None):
        """From rows that are assigned to the nearest centre."""
        X = np.ascontiguousarray(X)
        labels, squares = nearest_centres(X, centres)
        w = np.ones(len(X)) if weights is None else np.asarray(weights, dtype=np.float64)
        k = len(centres)
        indicator = sparse.csr_array((w, (labels, np.arange(len(X)))), shape=(k, len(X)))
        weight = np.bincount(labels, w, k)
        first = indicator @ X.astype(np.float64, copy=False) - weight[:, None] * centres
        order = np.argsort(-squares, kind="stable")[: k - 1]
        return cls(centres, first, weight, float(w @ squares), X[order].astype(np.float64), squares[order])

    def merge(self, other):
        """The statistic of both blocks."""
        if not np.array_equal(self.centres, other.centres):
            raise ValueError("Blocks that were assigned to different centres cannot be merged.")
        distance = np.concatenate([self.far_distance, other.far_distance])
        order = np.argsort(-distance, kind="stable")[: len(self.centres) - 1]
        return CentreSums(
            self.centres, self.first + other.first, self.weight + other.weight, self.inertia + other.inertia,
            np.concatenate([self.far, other.far])[order], distance[order],
        )  # fmt: skip

    def solve(self):
        """The means of the clusters; empty clusters receive the farthest rows."""
        empty = np.flatnonzero(self.weight == 0)
        centres = self.centres + self.first / np.where(self.weight > 0, self.weight, 1.0)[:, None]
        centres[empty] = self.far[: len(empty)]
        return centres
