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
        raise ValueError(f"`{name}` must have shape (n,) or (n, n_features), got {array.shape}.")
    return array.reshape(len(array), -1)


def _band(n, m, window):
    """Half width of the band; None allows every cell."""
    if window is None:
        return max(n, m)
    if window < abs(n - m):
        raise ValueError(
            f"`window`={window} allows no path between sequences of lengths {n} and {m}; use at least {abs(n - m)}."
        )
    return min(int(window), max(n, m))


def _solve(function, a, b, window, cost, with_moves):
    """Distance, the table of steps or None, and the half width of the band."""
    check_arguments(function, window=(window, [Int(0, None), None]), cost=(cost, [Options(*_COSTS), "callable"]))
    a, b = _sequence(a, "a"), _sequence(b, "b")
    if a.shape[1] != b.shape[1]:
        raise ValueError(f"`a` and `b` must have the same number of features, got {a.shape[1]} and {b.shape[1]}.")
    width = _band(len(a), len(b), window)
    moves = None
    if with_moves:
        cells = len(a) * (2 * width + 1)
        require_memory(cells, f"The {len(a):,} x {2 * width + 1:,} table of the path", "Set a smaller `window`.")
        moves = np.empty((len(a), 2 * width + 1), dtype=np.uint8)
    if not callable(cost):
        return native.neighbors.dtw_distance(a, b, _COSTS.index(cost), width, moves), moves, width
    costs = np.array([[float(cost(x, y)) for y in b] for x in a])
    if not np.all(costs >= 0):
        raise ValueError("`cost` must return non-negative numbers.")
    return native.neighbors.dtw_costs(costs, width, moves), moves, width


def dtw_distance(a, b, *, window=None, cost="absolute"):
    r"""Dynamic time warping distance: the smallest total cost of a monotone alignment of two sequences.

    .. math:: D_{ij} = c_{ij} + \min(D_{i-1,j-1},\, D_{i-1,j},\, D_{i,j-1})

    The distance is the last entry of D, the sum of costs along the path (without a root or a division by its length).

    Parameters
    ----------
    a, b : array-like of shape (n,) or (n, n_features)
        Two sequences; their lengths may differ.
    window : int or None, default=None
        Largest difference abs(i - j) between matched positions; None allows any.
    cost : {"absolute", "squared", "euclidean"} or callable, default="absolute"
        Cost of matching two entries: the sum of absolute differences, the sum of squared differences, or the root of
        the latter. A callable receives two vectors of length n_features and is called n times m times.

    Returns
    -------
    float

    See Also
    --------
    dtw_path : the alignment itself.

    Notes
    -----
    This is not a metric: it violates the triangle inequality, so search trees cannot be used (set
    ``algorithm="brute"``). The cost is O(n window) time and O(n) memory.

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
    """Cheapest monotone alignment of two sequences and its cost.

    Parameters
    ----------
    a, b : array-like of shape (n,) or (n, n_features)
        Two sequences; their lengths may differ.
    window : int or None, default=None
        Largest difference abs(i - j) between matched positions.
    cost : {"absolute", "squared", "euclidean"} or callable, default="absolute"
        As in :func:`dtw_distance`.

    Returns
    -------
    path : ndarray of shape (length, 2)
        Matched positions (i, j), from (0, 0) to the ends of both sequences. Every position of both sequences occurs.
    distance : float

    Notes
    -----
    If several steps reach a cell at the same cost, the path prefers the diagonal, then a step along `a`. To find a
    landmark of one curve on the other, look up the pairs that contain it. The memory is one byte per allowed cell; a
    `window` limits it.

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
