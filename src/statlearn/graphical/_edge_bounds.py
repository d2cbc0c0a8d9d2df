"""Bounds of what one edge adds to the likelihood of a Gaussian graphical model, without a fit of the model with it.

The fit W on a graph has the largest determinant among the covariances that agree with S on the diagonal and the edges.
So every such covariance of the changed graph bounds the determinant of its fit from below. The bounds here take the
current fit and change as little of it as the edge demands.
"""

import numpy as np
from scipy.sparse.csgraph import connected_components, shortest_path

_TINY = np.finfo(np.float64).tiny


def loss_bounds(K):
    """Least decrease of the log determinant of K by the deletion of each edge.

    A covariance without the edge (i, j) is the current one with another entry (i, j); the determinant after a change
    of one entry is a formula in K.
    """
    return _information(K**2 / np.outer(np.diag(K), np.diag(K)))


def least_gains(S, W):
    """Least increase of the log determinant of K by the addition of each edge, if there is an estimate.

    The gain of a model that changes the joint distribution of the pair alone.
    """
    variances = np.outer(np.diag(S), np.diag(S))
    np.fill_diagonal(variances, np.inf)
    wanted, now = S / np.sqrt(variances), W / np.sqrt(variances)
    return 2.0 * now * (now - wanted) / (1.0 - now**2) + _information(wanted**2) - _information(now**2)


def gain_bounds(S, A, W, K, separators, enough):
    """Largest increase of the log determinant of K by the addition of each edge.

    Exact between two components, where the pair alone decides. Within a component, a covariance with the edge (i, j)
    is the current one with the entry S_ij; where that promises at least `enough` and the largest exact gain, the
    `separators` look closer.
    """
    pieces = connected_components(A, directed=False)[1]
    apart = pieces[:, None] != pieces
    scale = np.where(apart, 1.0 / np.outer(np.diag(S), np.diag(S)), np.outer(np.diag(K), np.diag(K)))
    bounds = _information((S - W) ** 2 * scale)
    enough = max(enough, bounds[apart].max(initial=0.0))
    return separators.tightened(bounds, ~A & ~apart, enough)


def _information(squared_correlation):
    """-log(1 - r^2), the gain of an edge between two variables of partial correlation r; infinite from r = 1 on."""
    with np.errstate(divide="ignore"):
        return -np.log1p(-np.minimum(squared_correlation, 1.0))


class SeparatorBounds:
    """Tighter bounds of the gain of an edge within a component.

    If C separates i and j, then W with another dependence of i and j given C, and all else as it was given (i, C) and
    (j, C), agrees with S on the same edges. With the entry S_ij, its log determinant is less by

        -log(1 - r^2),  r = (S_ij - W_ij) / sqrt(var(i | C) var(j | C)),

    the least for small separators. Those tried lie at equal distance from i or from j, as far as paths between the
    two pass there.
    """

    def __init__(self, S, A, W):
        self.S, self.W = S, W
        self.neighbours = [np.flatnonzero(row).tolist() for row in A]
        self.distances = shortest_path(A, directed=False, unweighted=True)
        self._least = {}  # by pair: the least bound, with the ends, separator and part that gave it

    def tightened(self, bounds, pairs, enough):
        """The bounds, with those of the given pairs lowered until they are below `enough`, or as far as it goes."""
        least = bounds.copy()
        for near in range(len(bounds)):
            for separator, part in self._cuts(near):
                far = part[pairs[near, part] & (least[near, part] >= enough)]
                if len(far):
                    gains = self._gains(near, far, separator)
                    self._remember(gains, near, far, separator, part)
                    least[near, far] = least[far, near] = np.minimum(least[near, far], gains)
        return least

    def joined(self, i, j):
        """The covariance behind the least bound of a new edge; None if no bound is finite."""
        gain, near, far, C, part = self._least.get((min(i, j), max(i, j))) or self._search(i, j)
        if not np.isfinite(gain):
            return None
        W = self.W
        rest = W[:, [near, far]] - W[:, C] @ np.linalg.solve(W[np.ix_(C, C)], W[np.ix_(C, [near, far])])
        slopes = rest / rest[[near, far], [0, 1]]
        slopes[C] = 0.0
        slopes[part, 0] = 0.0
        slopes[np.setdiff1d(np.arange(len(W)), part), 1] = 0.0
        change = (self.S[i, j] - W[i, j]) * np.outer(slopes[:, 0], slopes[:, 1])
        return W + change + change.T

    def _search(self, i, j):
        """The smallest bound of a pair that has not been examined."""
        if np.isinf(self.distances[i, j]):
            part = np.flatnonzero(np.isfinite(self.distances[j]))
            return self._gains(i, [j], [])[0], i, j, [], part
        pair = np.zeros_like(self.S, dtype=bool)
        pair[i, j] = pair[j, i] = True
        self.tightened(np.full_like(self.S, np.inf), pair, -np.inf)
        return self._least[min(i, j), max(i, j)]

    def _remember(self, gains, near, far, separator, part):
        for gain, node in zip(gains.tolist(), far.tolist()):
            pair = (near, node) if near < node else (node, near)
            if pair not in self._least or gain < self._least[pair][0]:
                self._least[pair] = gain, near, node, separator, part

    def _cuts(self, near):
        """Pairs of a separator, of nodes at equal distance from `near`, and a part of the graph beyond it."""
        distance = self.distances[near].tolist()
        reach = max(d for d in distance if d < np.inf)
        for level in range(1, int(reach)):
            left = {node for node, d in enumerate(distance) if level < d < np.inf}
            while left:
                part, border, separator = [], [left.pop()], set()
                while border:
                    node = border.pop()
                    part.append(node)
                    for other in self.neighbours[node]:
                        if distance[other] == level:
                            separator.add(other)
                        elif other in left:
                            left.remove(other)
                            border.append(other)
                yield sorted(separator), np.array(sorted(part))

    def _gains(self, near, far, separator):
        """Bounds for edges from one node to several that the separator parts from it."""
        W, nodes = self.W, [near, *far]
        across = W[np.ix_(separator, nodes)]
        explained = (across * np.linalg.solve(W[np.ix_(separator, separator)], across)).sum(axis=0)
        variances = np.diag(W)[nodes] - explained
        return _information((self.S[near, far] - W[near, far]) ** 2 / np.maximum(variances[0] * variances[1:], _TINY))
