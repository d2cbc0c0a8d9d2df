"""From neighbours to predictions: weights, votes, means, medians and local fits.

A prediction sees m neighbourhoods as one flat list: entry e belongs to query ``query[e]``, is training row ``row[e]``
at distance ``distance[e]`` and counts ``copies[e]`` times. k nearest and radius neighbours differ in nothing else.
"""

from dataclasses import dataclass

import numpy as np

NO_WEIGHT = (
    "All neighbors of some sample is getting zero weights. Please modify 'weights' to avoid this case if you are using "
    "a user-defined function."
)


@dataclass
class Neighborhoods:
    """Neighbours of m queries, those of query i at places ``start[i]`` to ``start[i + 1] - 1``, nearest first.

    Parameters
    ----------
    start : ndarray of shape (m + 1,)
    row : ndarray of int
        Training rows.
    weight : ndarray of float or None
        Weight of each neighbour: its distance weight times its copies. None stands for 1.
    """

    start: np.ndarray
    row: np.ndarray
    weight: np.ndarray | None

    @property
    def sizes(self):
        return np.diff(self.start)

    @property
    def query(self):
        return np.repeat(np.arange(len(self.start) - 1), self.sizes)

    @property
    def weights(self):
        return np.ones(len(self.row)) if self.weight is None else self.weight

    def totals(self):
        """Sum of the weights of each query."""
        if self.weight is None:
            return self.sizes.astype(np.float64)
        return np.bincount(self.query, weights=self.weight, minlength=len(self.start) - 1)


def distance_weights(distance, query, weights, copies=None):
    """Weight of each neighbour by its distance, times its copies; None for ones.

    `query` assigns each entry of a flat list of neighbours to its query. Neighbours at distance 0 share all the weight
    among themselves; neighbours without copies are ignored.
    """
    copies = None if copies is None else copies.ravel()
    if weights is None or (isinstance(weights, str) and weights == "uniform"):
        return copies
    if callable(weights):
        computed = np.asarray(weights(distance), dtype=np.float64)
        if computed.shape != distance.shape:
            raise ValueError(f"`weights` must return an array of shape {distance.shape}, got {computed.shape}.")
        return computed.ravel() if copies is None else computed.ravel() * copies
    distance = distance.ravel()
    with np.errstate(divide="ignore"):
        out = 1.0 / distance
    touching = np.isinf(out)
    if copies is not None:
        out[copies == 0] = 0.0
        touching &= copies > 0
    if touching.any():
        at_zero = np.zeros(int(query[-1]) + 1, dtype=bool)
        at_zero[query[touching]] = True
        alone = at_zero[query]
        out[alone] = touching[alone]
    return out if copies is None else out * copies


def of_k_nearest(distance, row, weights, copies=None):
    """Neighbourhoods of k neighbours each, from arrays of shape (m, k)."""
    m, k = row.shape
    query = np.repeat(np.arange(m), k)
    weight = distance_weights(distance, query, weights, copies)
    return Neighborhoods(np.arange(m + 1) * k, row.ravel(), weight)


def of_radius(start, distance, row, weights, copies=None):
    """Neighbourhoods of any size, from a compressed list."""
    query = np.repeat(np.arange(len(start) - 1), np.diff(start))
    weight = distance_weights(distance, query, weights, copies) if len(row) else None
    return Neighborhoods(start, row, weight)


def share_copies(mass, k):
    """Number of the k places that each neighbour takes, nearest first, if neighbour l stands for mass[i, l] rows."""
    before = np.cumsum(mass, axis=1) - mass
    return np.clip(k - before, 0.0, mass)


def votes(hoods, codes, n_classes):
    """Sum of the weights by class, of shape (m, n_classes)."""
    m = len(hoods.start) - 1
    cell = hoods.query * n_classes + codes[hoods.row]
    counted = np.bincount(cell, weights=hoods.weight, minlength=m * n_classes)
    return counted.reshape(m, n_classes).astype(np.float64, copy=False)


def require_weight(hoods):
    """Raise an error for queries whose neighbours all have weight zero."""
    if hoods.weight is not None and np.any((hoods.totals() == 0) & (hoods.sizes > 0)):
        raise ValueError(NO_WEIGHT)


def means(hoods, y):
    """Weighted mean of y (n, q) over each neighbourhood; NaN where it is empty."""
    m, q = len(hoods.start) - 1, y.shape[1]
    sizes = hoods.sizes
    if hoods.weight is None and m and np.all(sizes == sizes[0]) and sizes[0] > 0:
        return y[hoods.row.reshape(m, -1)].mean(axis=1)
    out = np.empty((m, q))
    total = hoods.totals()
    query = hoods.query
    with np.errstate(invalid="ignore", divide="ignore"):
        for j in range(q):
            out[:, j] = np.bincount(query, weights=hoods.weights * y[hoods.row, j], minlength=m) / total
    return out


def medians(hoods, y):
    """Weighted median of y (n, q): the midpoint of two values if exactly half of the weight is reached between them."""
    m, q = len(hoods.start) - 1, y.shape[1]
    out = np.full((m, q), np.nan)
    query, weight = hoods.query, hoods.weights
    filled = np.flatnonzero(hoods.sizes)
    start, last = hoods.start[filled], hoods.start[filled + 1] - 1
    total = hoods.totals()[filled]
    for j in range(q):
        value = y[hoods.row, j]
        order = np.lexsort((value, query))  # by query, then by value
        reached = np.cumsum(weight[order])
        reached -= np.repeat(reached[start] - weight[order][start], hoods.sizes[filled])
        half = np.repeat(0.5 * total, hoods.sizes[filled])
        # Half that is reached exactly must not be missed, or passed, by rounding.
        below = np.add.reduceat(reached < half * (1 - 1e-12), start)
        at_most = np.add.reduceat(reached <= half * (1 + 1e-12), start)
        ordered = value[order]
        low = ordered[np.minimum(start + below, last)]
        high = ordered[np.minimum(start + at_most, last)]
        out[filled, j] = low + (high - low) / 2
    return out


def local_lines(hoods, y, X, Q):
    """Weighted least-squares plane through each neighbourhood at its query; the minimum-norm one if not unique."""
    out = np.full((len(Q), y.shape[1]), np.nan)
    weight = hoods.weights
    sizes = hoods.sizes
    for size in np.unique(sizes[sizes > 0]):
        chosen = np.flatnonzero(sizes == size)
        block = max(1, int(2e6 // (size * (X.shape[1] + 1))))
        for first in range(0, len(chosen), block):
            part = chosen[first : first + block]
            place = hoods.start[part][:, None] + np.arange(size)
            out[part] = _planes(X[hoods.row[place]], y[hoods.row[place]], weight[place], Q[part])
    return out


def _planes(X, y, w, Q):
    """Predictions at Q (b, p) from X (b, k, p), y (b, k, q) and weights (b, k)."""
    total = w.sum(axis=1)[:, None]
    x_mean = np.einsum("bk,bkp->bp", w, X) / total
    y_mean = np.einsum("bk,bkq->bq", w, y) / total
    root = np.sqrt(w)[:, :, None]
    A = root * (X - x_mean[:, None])
    b = root * (y - y_mean[:, None])
    # Directions in which the neighbours hardly spread do not determine the slope, which is set to 0 there.
    slopes = np.linalg.pinv(A, rcond=1e-6) @ b
    return y_mean + np.einsum("bp,bpq->bq", Q - x_mean, slopes)
