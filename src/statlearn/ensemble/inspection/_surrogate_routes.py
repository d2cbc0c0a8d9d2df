"""Trees with surrogate splits, as the equivalent plain trees for rows with the same missing values."""

import numpy as np

from statlearn._math.trees.missing import Surrogates


def joined_surrogates(parts, forest, n_sets):
    """The surrogates of several trees, in the columns of their ensemble, for the forest that joins the trees.

    Parameters
    ----------
    parts : list of (Surrogates or None, columns or None)
        The surrogates of each tree, and the columns of the ensemble it was grown on.
    forest : Forest
    n_sets : list of int
        Number of level sets of each tree.
    """
    first_set = np.cumsum(n_sets) - n_sets
    parts_of_all = []
    for (part, columns), root, start in zip(parts, forest.roots, first_set, strict=True):
        if part is not None:
            fields = {name: getattr(part, name) for name in Surrogates.__dataclass_fields__}
            fields["node"] = part.node + root
            fields["set"] = np.where(part.set >= 0, part.set + start, -1)
            if columns is not None:
                fields["feature"] = np.asarray(columns)[part.feature]
            parts_of_all.append(fields)
    if not parts_of_all:
        return None
    return Surrogates(**{name: np.concatenate([fields[name] for fields in parts_of_all]) for name in parts_of_all[0]})


def routes(forest, surrogates, table):
    """Groups of rows with the same missing columns, and the forest with plain splits equivalent to the surrogates.

    Yields
    ------
    rows : ndarray of int
    forest : Forest
    """
    gap = np.isnan(table)
    patterns, code = np.unique(gap, axis=0, return_inverse=True)
    code = code.ravel()
    for k, pattern in enumerate(patterns):
        yield np.flatnonzero(code == k), detour(forest, surrogates, pattern)


def detour(forest, surrogates, gap):
    """The forest with every split on a missing column replaced by its first usable surrogate.

    If none is usable the split is unchanged, and missing values go with the majority.
    """
    inner = ~forest.is_leaf
    usable = np.flatnonzero((inner & gap[forest.feature])[surrogates.node] & ~gap[surrogates.feature])
    if not len(usable):
        return forest
    node, first = np.unique(surrogates.node[usable], return_index=True)  # the best comes first
    chosen = usable[first]
    new = forest.first(len(forest))
    for name, source in (("feature", "feature"), ("threshold", "threshold"), ("category_set", "set")):
        array = getattr(new, name).copy()
        array[node] = getattr(surrogates, source)[chosen]
        setattr(new, name, array)
    turned = node[(surrogates.set[chosen] < 0) & (surrogates.below_left[chosen] == 0)]
    return _with_children_swapped(new, turned)


def _with_children_swapped(forest, nodes):
    """The forest with left and right children exchanged at these nodes."""
    n, left = len(forest.feature), forest.child[nodes]
    source = np.arange(n)
    source[left], source[left + 1] = left + 1, left
    child = forest.child[source]
    child = np.where(forest.is_leaf[source], np.arange(n), child).astype(forest.child.dtype)
    for name in forest._PER_NODE:
        array = getattr(forest, name)
        if name != "child" and len(array) == n:
            setattr(forest, name, np.ascontiguousarray(array[source]))
    forest.child = child
    return forest
