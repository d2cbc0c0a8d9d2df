"""Designs with several objectives: dominance and the Pareto front."""

import numpy as np

BLOCK = 1024  # points compared at a time


def _costs(points, minimize):
    """Objectives turned so that less is better."""
    points = np.asarray(points, dtype=np.float64)
    if points.ndim != 2 or points.shape[1] == 0:
        raise ValueError(f"`points` must have shape (n_points, n_objectives), got {points.shape}.")
    if np.isnan(points).any():
        raise ValueError("`points` must not contain NaN; drop designs that were not evaluated.")
    minimize = (
        np.broadcast_to(np.asarray(minimize), (points.shape[1],)) if np.ndim(minimize) == 0 else np.asarray(minimize)
    )
    if minimize.shape != (points.shape[1],) or minimize.dtype != bool:
        raise ValueError(f"`minimize` must be a bool or a list of {points.shape[1]} bools, got {minimize.tolist()}.")
    return np.where(minimize, points, -points)


def is_dominated(points, *, minimize=True):
    """Whether another point is at least as good in every objective and better in one.

    Parameters
    ----------
    points : array-like of shape (n_points, n_objectives)
    minimize : bool or list of bool, default=True
        Whether each objective is to be minimised; False stands for maximised.

    Returns
    -------
    dominated : ndarray of bool of shape (n_points,)

    Notes
    -----
    Two objectives take O(n log n), more take O(n m) with m points on the front.

    Examples
    --------
    >>> from statlearn.decision import is_dominated
    >>> is_dominated([[1, 5], [2, 3], [3, 4], [4, 1], [5, 2]])
    array([False, False,  True, False,  True])
    """
    costs = _costs(points, minimize)
    unique, inverse = np.unique(costs, axis=0, return_inverse=True)  # sorted: a point is dominated by earlier ones only
    dominated = _dominated_in_order(unique)
    return dominated[inverse.ravel()]


def _dominated_in_order(costs):
    """Dominance among distinct rows in lexicographic order."""
    n, d = costs.shape
    dominated = np.zeros(n, dtype=bool)
    if n == 0:
        return dominated
    if d <= 2:  # the last objective must fall below all before
        dominated[1:] = costs[1:, -1] >= np.minimum.accumulate(costs[:, -1])[:-1]
        return dominated
    front = np.empty((0, d))
    for begin in range(0, n, BLOCK):
        block = costs[begin : begin + BLOCK]
        covered = _covered(block, front)
        for i in np.flatnonzero(~covered):  # within the block, only by earlier rows that are on the front
            earlier = block[:i][~covered[:i]]
            covered[i] = (earlier <= block[i]).all(axis=1).any()
        dominated[begin : begin + BLOCK] = covered
        front = np.concatenate([front, block[~covered]])
    return dominated


def _covered(block, front):
    covered = np.zeros(len(block), dtype=bool)
    for begin in range(0, len(front), BLOCK):
        part = front[begin : begin + BLOCK]
        covered |= (part[None, :, :] <= block[:, None, :]).all(axis=2).any(axis=1)
    return covered


def pareto_front(points, *, minimize=True):
    """Points that no other point dominates.

    Parameters
    ----------
    points : array-like of shape (n_points, n_objectives)
    minimize : bool or list of bool, default=True
        Whether each objective is to be minimised; False stands for maximised.

    Returns
    -------
    front : ndarray of int
        Row numbers of the points on the front, in increasing order. Equal points are all kept.

    Examples
    --------
    >>> from statlearn.decision import pareto_front
    >>> pareto_front([[1, 5], [2, 3], [3, 4], [4, 1], [5, 2]])
    array([0, 1, 3])
    """
    return np.flatnonzero(~is_dominated(points, minimize=minimize))
