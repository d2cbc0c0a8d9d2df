"""Isotonic regression: the closest non-decreasing sequence."""

import numpy as np


def pool_adjacent(values, weights):
    """Weighted isotonic regression of `values`: levels and block lengths.

    Pool adjacent violators. Neighbours out of order always end up in one block, so whole decreasing runs are merged at
    a time; the remainder after 30 rounds is merged one by one.
    """
    sums, mass, length = values * weights, weights, np.ones(len(values), dtype=np.int64)
    for _ in range(30):
        level = sums / mass
        starts = np.flatnonzero(np.r_[True, level[1:] > level[:-1]])
        if len(starts) == len(level):
            return level, length
        sums, mass, length = (np.add.reduceat(v, starts) for v in (sums, mass, length))
    return _pool_one_by_one(sums / mass, mass, length)


def _pool_one_by_one(values, weights, lengths):
    level, mass, length = [], [], []
    for v, w, n in zip(values.tolist(), weights.tolist(), lengths.tolist()):
        while level and level[-1] >= v:
            m = mass.pop()
            v = (level.pop() * m + v * w) / (m + w)
            w += m
            n += length.pop()
        level.append(v)
        mass.append(w)
        length.append(n)
    return np.array(level), np.array(length)
