"""Distances between sets, binary vectors, rows of categories, and strings."""

import numpy as np


def _same_length(a, b, owner):
    """Two one-dimensional arrays of equal length; strings become arrays of their characters."""
    pair = []
    for values in (a, b):
        if isinstance(values, (str, bytes)):
            array = np.array(list(values), dtype=object)
        else:
            array = np.asarray(values)
            if array.ndim == 0:
                array = np.array(list(values), dtype=object)
        if array.ndim != 1:
            raise ValueError(f"{owner} requires two sequences, got an array with {array.ndim} dimensions.")
        pair.append(array)
    if len(pair[0]) != len(pair[1]):
        raise ValueError(f"{owner} requires sequences of equal length, got {len(pair[0])} and {len(pair[1])}.")
    return pair


def _binary(a, b, owner):
    """The vectors as booleans; values other than 0, 1, False and True are errors."""
    pair = []
    for array in _same_length(a, b, owner):
        if array.dtype.kind != "b" and not np.all(np.isin(array, (0, 1))):
            raise ValueError(
                f"{owner} requires binary vectors of 0 and 1 (or sets); use overlap_distance for categories."
            )
        pair.append(array.astype(bool))
    return pair


def jaccard_similarity(a, b):
    r"""Jaccard similarity of two sets: :math:`|A \cap B| / |A \cup B|`.

    Parameters
    ----------
    a, b : set, frozenset, or array-like of shape (n,) of 0 and 1
        Two sets, or two binary vectors that indicate which of n items belong to each set.

    Returns
    -------
    float
        Between 0 and 1. Two empty sets are equal, so their similarity is 1.

    See Also
    --------
    jaccard_distance : one minus the similarity.

    Examples
    --------
    >>> from statlearn.neighbors import jaccard_similarity
    >>> jaccard_similarity({"milk", "bread"}, {"milk", "beer", "eggs"})
    0.25
    >>> jaccard_similarity([1, 1, 0, 1], [1, 0, 1, 1])
    0.5
    """
    return 1.0 - jaccard_distance(a, b)


def jaccard_distance(a, b):
    r"""Jaccard distance of two sets or binary vectors.

    .. math:: 1 - \frac{|A \cap B|}{|A \cup B|} = \frac{\mathrm{NNEQ}}{\mathrm{NNZ}}

    where NNEQ is the number of coordinates that differ and NNZ the number that are nonzero in at least one vector. This
    is a metric.

    Parameters
    ----------
    a, b : set, frozenset, or array-like of shape (n,) of 0 and 1

    Returns
    -------
    float
        Between 0 and 1. The distance of two empty sets is 0.

    See Also
    --------
    matching_distance : also counts common absences as agreement.

    Notes
    -----
    Suitable if presence is more informative than absence (words of a text, items of a basket): what neither row
    contains does not make two rows similar.

    Examples
    --------
    >>> from statlearn.neighbors import jaccard_distance
    >>> jaccard_distance([1, 1, 0, 1], [1, 0, 1, 1])
    0.5
    >>> jaccard_distance(set(), set())
    0.0
    """
    sets = [isinstance(x, (set, frozenset)) for x in (a, b)]
    if any(sets):
        if not all(sets):
            raise TypeError("jaccard_distance requires two sets or two binary vectors, got one of each.")
        unequal, present = len(a ^ b), len(a | b)
    else:
        a, b = _binary(a, b, "jaccard_distance")
        unequal, present = int(np.count_nonzero(a != b)), int(np.count_nonzero(a | b))
    return unequal / present if present else 0.0


def matching_distance(a, b):
    """Fraction of coordinates in which two binary vectors differ, NNEQ / N.

    Parameters
    ----------
    a, b : array-like of shape (n,) of 0 and 1

    Returns
    -------
    float
        Between 0 and 1; 0 for vectors without coordinates.

    See Also
    --------
    jaccard_distance : ignores common absences.
    overlap_distance : the same for categories.

    Examples
    --------
    >>> from statlearn.neighbors import matching_distance
    >>> matching_distance([1, 1, 0, 1], [1, 0, 1, 1])
    0.5
    """
    a, b = _binary(a, b, "matching_distance")
    return float(np.mean(a != b)) if len(a) else 0.0


def overlap_distance(a, b):
    """Fraction of columns in which two rows of categories differ.

    Parameters
    ----------
    a, b : array-like of shape (n,)
        Values of any type, compared with ``==``. A missing value (None, NaN) differs from everything, including itself.

    Returns
    -------
    float
        Between 0 and 1; 0 for rows without columns.

    See Also
    --------
    hamming_count : the number instead of the fraction.
    MixedDistance : combines categories and numbers in one distance.

    Examples
    --------
    >>> from statlearn.neighbors import overlap_distance
    >>> overlap_distance(["red", "round", "sweet", "small"], ["red", "long", "sweet", "small"])
    0.25
    """
    a, b = _same_length(a, b, "overlap_distance")
    return _unequal(a, b) / len(a) if len(a) else 0.0


def hamming_count(a, b):
    """Hamming distance: the number of positions at which two sequences of equal length differ.

    Parameters
    ----------
    a, b : str or array-like of shape (n,)

    Returns
    -------
    int

    Notes
    -----
    "hamming" in scikit-learn and scipy is the fraction of such positions, not their number.

    Examples
    --------
    >>> from statlearn.neighbors import hamming_count
    >>> hamming_count("toned", "roses")
    3
    """
    return _unequal(*_same_length(a, b, "hamming_count"))


def _unequal(a, b):
    if a.dtype.kind == "O" or b.dtype.kind == "O" or a.dtype.kind != b.dtype.kind:
        return sum(x is None or y is None or x != y for x, y in zip(a.tolist(), b.tolist()))
    return int(np.count_nonzero(a != b))
