"""Dynamic time warping: distance and alignment of two sequences that run at different speeds."""

import numpy as np
from sklearn.utils.validation import check_array

from statlearn._core import native
from statlearn._core.memory import require_memory
from statlearn._core.params import Int, Options, check_arguments

_COSTS = ("absolute", "squared", "euclidean")


def _sequence(values, name):
    array = check_array(values, ensure_2d=False, dtype=np.float64, order="C", input_name=name)
    if array.ndim > 2:
        raise ValueError(f"{name} must have shape (n,) or (n, n_features), got {array.shape}")
    return array.reshape(len(array), -1)


def _band(n, m, window):
    """Half the width of the band; None leaves every cell open."""
    if window is None:
        return max(n, m)
    if window < abs(n - m):
        raise ValueError(
            f"window={window} leaves no path between sequences of lengths {n} and {m}: it must be at least {abs(n - m)}"
        )
    return min(int(window), max(n, m))


def _solve(function, a, b, window, cost, with_moves):
    """Distance, the table of steps or None, and the half width of the band."""
    check_arguments(function, window=(window, [Int(0, None), None]), cost=(cost, [Options(*_COSTS), "callable"]))
    a, b = _sequence(a, "a"), _sequence(b, "b")
    if a.shape[1] != b.shape[1]:
        raise ValueError(f"a has {a.shape[1]} features and b has {b.shape[1]}: they must be equal")
    width = _band(len(a), len(b), window)
    moves = None
    if with_moves:
        cells = len(a) * (2 * width + 1)
        require_memory(cells, f"the steps of {len(a):,} x {2 * width + 1:,} cells", "Set a smaller window.")
        moves = np.empty((len(a), 2 * width + 1), dtype=np.uint8)
    if not callable(cost):
        return native.neighbors.dtw_distance(a, b, _COSTS.index(cost), width, moves), moves, width
    costs = np.array([[float(cost(x, y)) for y in b] for x in a])
    if not np.all(costs >= 0):
        raise ValueError("cost must return numbers of at least 0")
    return native.neighbors.dtw_costs(costs, width, moves), moves, width


def dtw_distance(a, b, *, window=None, cost="absolute"):
    r"""Dynamic time warping distance: the least total cost of a monotone alignment of two sequences.

    .. math:: D_{ij} = c_{ij} + \min(D_{i-1,j-1},\, D_{i-1,j},\, D_{i,j-1})

    The distance is the last entry of D, a sum along the path (no root, no division by its length).

    Parameters
    ----------
    a, b : array-like of shape (n,) or (n, n_features)
        Two sequences; their lengths may differ.
    window : int or None
        Positions i and j are matched only if abs(i - j) is at most this; None matches any two.
    cost : {"absolute", "squared", "euclidean"} or callable, default="absolute"
        Cost of matching two entries: the sum of absolute differences, of squared ones, or the root of the latter.
        A callable takes two vectors of length n_features and is asked n times m times.

    Returns
    -------
    float

    See Also
    --------
    dtw_path : the alignment itself.

    Notes
    -----
    Not a metric: the triangle inequality fails, so that search trees cannot be used (``algorithm="brute"``). Takes
    O(n window) time and O(n) memory.

    References
    ----------
    Sakoe, H. & Chiba, S. (1978). Dynamic programming algorithm optimization for spoken word recognition. IEEE Trans.
    Acoustics, Speech and Signal Processing 26, 43-49.

    Examples
    --------
    >>> from statlearn.neighbors import dtw_distance
    >>> dtw_distance([0, 1, 2, 1, 0], [0, 0, 1, 2, 1, 0])
    0.0
    >>> dtw_distance([0, 1, 2], [0, 3, 2], cost="squared")
    2.0
    """
    return _solve(dtw_distance, a, b, window, cost, with_moves=False)[0]


def dtw_path(a, b, *, window=None, cost="absolute"):
    """The cheapest monotone alignment of two sequences, and its cost.

    Parameters
    ----------
    a, b : array-like of shape (n,) or (n, n_features)
        Two sequences; their lengths may differ.
    window : int or None
        Positions i and j are matched only if abs(i - j) is at most this.
    cost : {"absolute", "squared", "euclidean"} or callable, default="absolute"
        As for :func:`dtw_distance`.

    Returns
    -------
    path : ndarray of shape (length, 2)
        Matched positions (i, j), from (0, 0) to the two ends; every position of both sequences occurs.
    distance : float

    Notes
    -----
    Where several steps lead to a cell at the same cost, the path comes diagonally, else along `a`. Landmarks of one
    curve are found on the other by the pairs in which they occur. Keeps one byte for each open cell: a `window` bounds
    the memory.

    Examples
    --------
    >>> from statlearn.neighbors import dtw_path
    >>> path, distance = dtw_path([0, 1, 2], [0, 0, 1, 2])
    >>> path.tolist(), distance
    ([[0, 0], [0, 1], [1, 2], [2, 3]], 0.0)
    """
    distance, moves, width = _solve(dtw_path, a, b, window, cost, with_moves=True)
    i, j = len(a) - 1, len(b) - 1
    path = [(i, j)]
    while i or j:
        move = moves[i, j - i + width]
        i, j = i - (move != 2), j - (move != 1)
        path.append((i, j))
    return np.array(path[::-1], dtype=np.intp), distance
