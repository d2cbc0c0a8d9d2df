"""Fronts of several objectives that are minimised."""

import numpy as np

AUGMENTATION = 0.05  # weight of the sum in the augmented Chebyshev norm


def non_dominated(values, *, indices=False):
    """Rows that no other row dominates, or their indices; equal rows are all kept."""
    from statlearn.decision import is_dominated

    front = np.flatnonzero(~is_dominated(values))
    return front if indices else values[front]


def reference_point(front):
    """The worst values of a front, moved away by a tenth of its range, or of their size if it has none."""
    worst, best = front.max(axis=0), front.min(axis=0)
    spread = np.where(worst > best, worst - best, np.maximum(np.abs(worst), 1.0))
    return worst + 0.1 * spread


def scalarized(Y, rng):
    """Augmented Chebyshev norm of objectives scaled to [0, 1], with weights drawn from the simplex."""
    low, high = Y.min(axis=0), Y.max(axis=0)
    scaled = (Y - low) / np.where(high > low, high - low, 1.0)
    weights = rng.dirichlet(np.ones(Y.shape[1]))
    weighted = scaled * weights
    return weighted.max(axis=1) + AUGMENTATION * weighted.sum(axis=1)
