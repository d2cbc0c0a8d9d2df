"""Frequent, closed and maximal item sets."""

import itertools

import numpy as np

from statlearn._core import native
from statlearn._core.params import Options, check_arguments
from statlearn._core.validation import check_weights

from ._baskets import read_baskets
from ._itemsets import Itemsets, check_use_colnames, count_threshold, refuse_too_many, storage_bounds

REPRESENTATIONS = {"auto": 0, "bitset": 1, "tidlist": 2, "diffset": 3, "tree": 4}
TARGETS = {"frequent": 0, "closed": 1, "maximal": 2}
OK, TOO_MANY = 0, 4
_MOST_BASKETS = 2.0**40  # the exact tests of rules sum over their square root; doubles count up to 2^53


def read_weighted(data, sample_weight):
    """Baskets, weights (empty if all are one) and the weight of all baskets; baskets without weight are left out."""
    baskets = read_baskets(data)
    if sample_weight is None:
        return baskets, np.empty(0), len(baskets)
    weights = check_weights(sample_weight, np.empty((len(baskets), 0)))
    if (weights == 0).any():
        baskets, weights = baskets.take(np.flatnonzero(weights)), weights[weights > 0]
    if (weights == 1).all():
        return baskets, np.empty(0), len(baskets)
    if weights.sum() > _MOST_BASKETS:
        raise ValueError(
            f"sample_weight: the weights count copies of the baskets, and their sum {weights.sum():.3g} exceeds "
            f"{_MOST_BASKETS:.3g}; scale them down."
        )
    if (weights == np.floor(weights)).all():
        return baskets, weights, int(weights.sum())
    return baskets, weights, float(weights.sum())


def tidy_counts(counts, total):
    """Counts as integers, if the weights are whole."""
    return counts.astype(np.int64) if isinstance(total, int) else counts


def _mine(data, min_support, kind, representation, max_len, max_sets, strict, sample_weight):
    choices = [name for name in REPRESENTATIONS if kind == "frequent" or name != "tree"]
    check_arguments("itemsets", representation=(representation, [Options(*choices)]))
    bounds = storage_bounds(max_len, max_sets)
    baskets, weights, total = read_weighted(data, sample_weight)
    if not len(baskets):
        raise ValueError("X contains no baskets.")
    if len(weights) and representation in ("tidlist", "diffset"):
        raise ValueError(f"representation={representation!r} does not support sample_weight; use 'bitset' or 'auto'.")
    least = count_threshold(min_support, total, strict=strict)
    status, indices, offsets, counts = native.rules.mine(
        baskets.indptr, baskets.indices, len(baskets.items), weights, float(least), TARGETS[kind],
        REPRESENTATIONS[representation], *bounds,
    )  # fmt: skip
    if status == TOO_MANY:
        raise refuse_too_many(bounds[1], least)
    return Itemsets(baskets.items, indices, offsets, tidy_counts(counts, total), total, least, kind, {"passes": 2})


def frequent_itemsets(
    data, min_support=0.1, *, max_len=None, max_sets=None, representation="auto", strict=False, sample_weight=None
):
    r"""All item sets that enough baskets contain.

    A set is frequent if its count, the number of baskets that contain all its items, is at least
    :math:`\lceil t N \rceil` for a share `t` of the N baskets, or at least `t` for an integer.

    Parameters
    ----------
    data : Baskets, iterable of iterables, data frame, array or sparse matrix
        Lists of items, or a table of booleans with one column per item; see :class:`Baskets`.
    min_support : float or int, default=0.1
        Threshold. A float of at most 1 is a share of the baskets, an integer is a count.
    max_len : int or None, default=None
        Largest number of items of a set.
    max_sets : int or None, default=None
        Largest number of sets. If there are more, the function raises MemoryError. None means ten million, or fewer if
        memory is short.
    representation : {"auto", "bitset", "tidlist", "diffset", "tree"}, default="auto"
        Representation of the baskets during the search: bit sets of baskets, lists of baskets, lists of the baskets
        that lack an item, or FP-trees. "auto" chooses among the first three by the density of each part of the data.
        The result is the same for all.
    strict : bool, default=False
        Whether the support must exceed the threshold.
    sample_weight : array-like of shape (n_baskets,) or None, default=None
        Weights of the baskets; a weight of k is equivalent to k copies.

    Returns
    -------
    Itemsets
        The sets and their counts, by length, then by items.

    See Also
    --------
    fpclose, fpmax : fewer sets with the same information, or the longest only.
    apriori : level-wise search, also of streams.
    association_rules : rules between the items of the sets.

    Notes
    -----
    Depth-first search from the rarest items on. The baskets of a first item form a small table, which shrinks along a
    branch; items that all baskets of a branch contain are not counted again. First items are searched in parallel, and
    the result does not depend on the number of threads.

    High thresholds favour frequent items, so that rare ones vanish. Low thresholds can give millions of sets. Start
    high, then lower the threshold.

    References
    ----------
    Zaki (2000), Scalable algorithms for association mining, IEEE Transactions on Knowledge and Data Engineering 12.
    Zaki and Gouda (2003), Fast vertical mining using diffsets, KDD.

    Examples
    --------
    >>> from statlearn.rules import frequent_itemsets
    >>> baskets = [["beer", "crisps"], ["beer", "crisps", "milk"], ["milk"], ["beer", "crisps"]]
    >>> frequent_itemsets(baskets, min_support=0.5).to_dict()
    {('beer',): 3, ('crisps',): 3, ('milk',): 2, ('beer', 'crisps'): 3}
    """
    return _mine(data, min_support, "frequent", representation, max_len, max_sets, strict, sample_weight)


def fpgrowth(
    data, min_support=0.1, *, max_len=None, max_sets=None, strict=False, sample_weight=None, use_colnames=True
):
    """Frequent item sets by FP-growth.

    Two passes over the data build a tree of baskets (:class:`FPTree`). Every item, the rarest first, is joined with the
    sets of its conditional tree. If a tree is a single path, all subsets of the path are frequent sets. An array of
    pair counts saves a pass over a tree where it is small enough.

    Parameters
    ----------
    data : Baskets, iterable of iterables, data frame, array or sparse matrix
        Lists of items, or a table of booleans with one column per item; see :class:`Baskets`.
    min_support : float or int, default=0.1
        Threshold. A float of at most 1 is a share of the baskets, an integer is a count.
    max_len : int or None, default=None
        Largest number of items of a set.
    max_sets : int or None, default=None
        Largest number of sets. If there are more, the function raises MemoryError. None means ten million, or fewer if
        memory is short.
    strict : bool, default=False
        Whether the support must exceed the threshold.
    sample_weight : array-like of shape (n_baskets,) or None, default=None
        Weights of the baskets; a weight of k is equivalent to k copies.
    use_colnames : True, default=True
        Accepted for calls as in mlxtend; sets always hold the labels of the items.

    Returns
    -------
    Itemsets

    See Also
    --------
    frequent_itemsets : the same sets, usually faster.

    References
    ----------
    Han, Pei and Yin (2000), Mining frequent patterns without candidate generation, SIGMOD.
    Grahne and Zhu (2005), Fast algorithms for frequent itemset mining using FP-trees, IEEE Transactions on Knowledge
    and Data Engineering 17.

    Examples
    --------
    >>> from statlearn.rules import fpgrowth
    >>> fpgrowth([["a", "b"], ["a", "b", "c"]], min_support=2).to_dict()
    {('a',): 2, ('b',): 2, ('a', 'b'): 2}
    """
    check_use_colnames(fpgrowth, use_colnames)
    return _mine(data, min_support, "frequent", "tree", max_len, max_sets, strict, sample_weight)


def fpclose(
    data, min_support=0.1, *, max_len=None, max_sets=None, representation="auto", strict=False, sample_weight=None
):
    """Closed frequent item sets: no larger set is contained in the same baskets.

    Closed sets determine the supports of all frequent sets; :func:`supports_from_closed` recovers them.

    Parameters
    ----------
    data : Baskets, iterable of iterables, data frame, array or sparse matrix
        Lists of items, or a table of booleans with one column per item; see :class:`Baskets`.
    min_support : float or int, default=0.1
        Threshold. A float of at most 1 is a share of the baskets, an integer is a count.
    max_len : int or None, default=None
        Largest number of items of a set. Longer closed sets are left out, so that the supports of some sets can no
        longer be recovered.
    max_sets : int or None, default=None
        Largest number of sets. If there are more, the function raises MemoryError. None means ten million, or fewer if
        memory is short.
    representation : {"auto", "bitset", "tidlist", "diffset"}, default="auto"
        Representation of the baskets during the search; see :func:`frequent_itemsets`.
    strict : bool, default=False
        Whether the support must exceed the threshold.
    sample_weight : array-like of shape (n_baskets,) or None, default=None
        Weights of the baskets; a weight of k is equivalent to k copies.

    Returns
    -------
    Itemsets

    Notes
    -----
    The search keeps the columns of items whose branches are finished. A branch ends if such an item is in all its
    baskets, because its sets were found before.

    References
    ----------
    Grahne and Zhu (2005), Fast algorithms for frequent itemset mining using FP-trees, IEEE Transactions on Knowledge
    and Data Engineering 17.

    Examples
    --------
    >>> from statlearn.rules import fpclose
    >>> fpclose([["a", "b"], ["a", "b", "c"], ["a"]], min_support=1).to_dict()
    {('a',): 3, ('a', 'b'): 2, ('a', 'b', 'c'): 1}
    """
    return _mine(data, min_support, "closed", representation, max_len, max_sets, strict, sample_weight)


def fpmax(
    data,
    min_support=0.1,
    *,
    max_len=None,
    max_sets=None,
    representation="auto",
    strict=False,
    sample_weight=None,
    use_colnames=True,
):
    """Maximal frequent item sets: no larger set is frequent.

    The frequent sets are the subsets of the maximal ones, but their supports are lost.

    Parameters
    ----------
    data : Baskets, iterable of iterables, data frame, array or sparse matrix
        Lists of items, or a table of booleans with one column per item; see :class:`Baskets`.
    min_support : float or int, default=0.1
        Threshold. A float of at most 1 is a share of the baskets, an integer is a count.
    max_len : int or None, default=None
        Largest number of items of a set. Longer maximal sets are left out; their subsets are not maximal.
    max_sets : int or None, default=None
        Largest number of sets. If there are more, the function raises MemoryError. None means ten million, or fewer if
        memory is short.
    representation : {"auto", "bitset", "tidlist", "diffset"}, default="auto"
        Representation of the baskets during the search; see :func:`frequent_itemsets`.
    strict : bool, default=False
        Whether the support must exceed the threshold.
    sample_weight : array-like of shape (n_baskets,) or None, default=None
        Weights of the baskets; a weight of k is equivalent to k copies.
    use_colnames : True, default=True
        Accepted for calls as in mlxtend; sets always hold the labels of the items.

    Returns
    -------
    Itemsets

    References
    ----------
    Grahne and Zhu (2005), Fast algorithms for frequent itemset mining using FP-trees, IEEE Transactions on Knowledge
    and Data Engineering 17.

    Examples
    --------
    >>> from statlearn.rules import fpmax
    >>> fpmax([["a", "b"], ["a", "b", "c"], ["a"]], min_support=2).to_dict()
    {('a', 'b'): 2}
    """
    check_use_colnames(fpmax, use_colnames)
    return _mine(data, min_support, "maximal", representation, max_len, max_sets, strict, sample_weight)


def supports_from_closed(closed, *, max_len=None, max_sets=None):
    """All frequent item sets and their counts, recovered from the closed sets.

    A frequent set has the largest count of the closed sets that contain it.

    Parameters
    ----------
    closed : Itemsets
        The closed sets, as found by :func:`fpclose` without `max_len`.
    max_len : int or None, default=None
        Largest number of items of the recovered sets.
    max_sets : int or None, default=None
        Largest number of sets. If there are more, the function raises MemoryError. None means ten million, or fewer if
        memory is short.

    Returns
    -------
    Itemsets

    Examples
    --------
    >>> from statlearn.rules import fpclose, supports_from_closed
    >>> closed = fpclose([["a", "b"], ["a", "b", "c"], ["a"]], min_support=2)
    >>> supports_from_closed(closed).to_dict()
    {('a',): 3, ('b',): 2, ('a', 'b'): 2}
    """
    if not isinstance(closed, Itemsets):
        raise TypeError(f"`closed` must be Itemsets, as returned by fpclose, got {type(closed).__name__}.")
    if closed.kind == "maximal":
        raise ValueError("`closed` contains maximal sets, which do not determine the supports; use fpclose.")
    bounds = storage_bounds(max_len, max_sets)
    status, indices, offsets, counts = native.rules.closed_supports(
        closed.indices, closed.offsets, closed.counts.astype(np.float64), len(closed.items), *bounds
    )
    if status == TOO_MANY:
        raise refuse_too_many(bounds[1], closed.min_count)
    counts = counts.astype(closed.counts.dtype)
    return Itemsets(closed.items, indices, offsets, counts, closed.n_baskets, closed.min_count)


def brute_force_itemsets(data, min_support=0.1, *, max_len=None, strict=False):
    """Frequent item sets by counting every set of items: an exhaustive reference for small data.

    Parameters
    ----------
    data : Baskets, iterable of iterables, data frame, array or sparse matrix
        Lists of items, or a table of booleans with one column per item, with at most 20 items.
    min_support : float or int, default=0.1
        Threshold. A float of at most 1 is a share of the baskets, an integer is a count.
    max_len : int or None, default=None
        Largest number of items of a set.
    strict : bool, default=False
        Whether the support must exceed the threshold.

    Returns
    -------
    Itemsets

    Examples
    --------
    >>> from statlearn.rules import brute_force_itemsets
    >>> brute_force_itemsets([["a", "b"], ["a"]], min_support=1).to_dict()
    {('a',): 2, ('b',): 1, ('a', 'b'): 1}
    """
    longest, _, _ = storage_bounds(max_len, None)
    baskets = read_baskets(data)
    if len(baskets.items) > 20:
        raise ValueError(f"X has {len(baskets.items)} items; counting every set is limited to 20. Use fpgrowth.")
    least = count_threshold(min_support, len(baskets), strict=strict)
    table = baskets.to_sparse().toarray()
    itemsets = {}
    for length in range(1, min(longest, len(baskets.items)) + 1):
        for chosen in itertools.combinations(range(len(baskets.items)), length):
            count = int(table[:, chosen].all(axis=1).sum())
            if count >= least:
                itemsets[chosen] = count
    offsets = np.concatenate([[0], np.cumsum([len(chosen) for chosen in itemsets])]).astype(np.int64)
    indices = np.fromiter(itertools.chain.from_iterable(itemsets), np.int32, int(offsets[-1]))
    counts = np.fromiter(itemsets.values(), np.int64, len(itemsets))
    return Itemsets(baskets.items, indices, offsets, counts, len(baskets), least)
