"""Dendrograms, cophenetic distances and cuts of a hierarchy."""

from numbers import Integral

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_array, check_is_fitted

from statlearn._core.memory import require_memory
from statlearn._core.native import cluster as native
from statlearn._draw.style import styled, theme


def check_linkage(Z):
    """A hierarchy in scipy's format, or that of a fitted clustering, checked."""
    if isinstance(Z, BaseEstimator):
        Z = _hierarchy_of(Z)
    Z = check_array(Z, dtype=np.float64, order="C", input_name="Z")
    if Z.shape[1] != 4:
        raise ValueError(
            f"`Z` must have 4 columns (two clusters, height, size), got {Z.shape[1]}. For a table of rows pass "
            "linkage(X)."
        )
    n = len(Z) + 1
    nodes = Z[:, :2]
    n_created = n + np.arange(n - 1)[:, None]
    if np.any(nodes != np.round(nodes)) or np.any(nodes < 0) or np.any(nodes >= n_created):
        raise ValueError("`Z` is not a valid hierarchy: a merge refers to a cluster that does not exist yet.")
    if len(np.unique(nodes)) != 2 * (n - 1):
        raise ValueError("`Z` is not a valid hierarchy: a cluster is merged twice.")
    return Z


def _hierarchy_of(model):
    """The merge tree stored by a fitted clustering."""
    check_is_fitted(model)
    name = type(model).__name__
    if hasattr(model, "single_linkage_tree_"):
        return model.single_linkage_tree_
    if not hasattr(model, "children_"):
        raise TypeError(
            f"`Z`: {name} has no hierarchy; pass the result of linkage(X) or a fitted AgglomerativeClustering with "
            "compute_distances=True."
        )
    children = model.children_
    if len(children) < model.n_leaves_ - 1:
        raise ValueError(f"`Z`: this {name} stopped merging at n_clusters; fit it with compute_full_tree=True.")
    if not hasattr(model, "distances_"):
        raise ValueError(
            f"`Z`: this {name} did not keep the heights of its merges; fit it with compute_distances=True."
        )
    sizes = np.ones(len(children) + model.n_leaves_)
    for k, (a, b) in enumerate(children):
        sizes[model.n_leaves_ + k] = sizes[a] + sizes[b]
    return np.column_stack([children, model.distances_, sizes[model.n_leaves_ :]])


def cophenetic(Z):
    """Cophenetic distances: the height at which two rows are first in the same cluster, for all pairs.

    Parameters
    ----------
    Z : ndarray of shape (n_samples - 1, 4) or fitted clustering
        Hierarchy returned by `linkage`, or a clustering fitted with ``compute_distances=True`` (also
        the single linkage tree of an HDBSCAN).

    Returns
    -------
    ndarray of shape (n_samples * (n_samples - 1) / 2,)
        Upper triangle of the matrix, row by row (`scipy.spatial.distance.squareform` returns the matrix). The
        correlation with the dissimilarities measures how well the hierarchy represents them.

    Examples
    --------
    >>> from statlearn.cluster import cophenetic, linkage
    >>> cophenetic(linkage([[0.0], [2.0], [10.0]], "average"))
    array([2., 9., 9.])
    """
    Z = check_linkage(Z)
    n = len(Z) + 1
    require_memory(
        4 * n * (n - 1), f"The cophenetic distances of {n:,} rows", "Use `cut_tree`, which needs only O(n) memory."
    )
    out = np.empty(n * (n - 1) // 2)
    native.cophenetic(Z, out)
    return out


def cut_tree(Z, n_clusters=None, *, height=None):
    """Cluster labels from cutting a hierarchy.

    Parameters
    ----------
    Z : ndarray of shape (n_samples - 1, 4) or fitted clustering
        Hierarchy returned by `linkage`, or a clustering fitted with ``compute_distances=True`` (also
        the single linkage tree of an HDBSCAN).
    n_clusters : int or None, default=None
        Number of clusters: the last ``n_clusters - 1`` merges are undone.
    height : float or None, default=None
        Height above which merges are undone instead. Two rows share a cluster if their cophenetic distance is at most
        `height` (for linkages whose heights never decrease).

    Returns
    -------
    labels : ndarray of shape (n_samples,)
        Cluster of each row, numbered in the order of first appearance.

    Examples
    --------
    >>> from statlearn.cluster import cut_tree, linkage
    >>> Z = linkage([[0.0], [9.0], [2.0], [10.0]], "single")
    >>> cut_tree(Z, 2)
    array([0, 1, 0, 1])
    >>> cut_tree(Z, height=1.5)
    array([0, 1, 2, 1])
    """
    Z = check_linkage(Z)
    n = len(Z) + 1
    if (n_clusters is None) == (height is None):
        raise ValueError("Pass exactly one of `n_clusters` and `height`.")
    if height is None:
        if not isinstance(n_clusters, Integral) or not 1 <= n_clusters <= n:
            raise ValueError(f"`n_clusters` must be an integer between 1 and {n}, got {n_clusters!r}.")
        n_merges = n - n_clusters
    else:
        n_merges = int(np.searchsorted(np.maximum.accumulate(Z[:, 2]), height, side="right"))
    return number_by_first(labels_of_nodes(Z[:n_merges, :2].astype(np.intp), n))


def labels_of_nodes(children, n):
    """For each leaf, the topmost node above it."""
    nodes = np.full(n + len(children), -1, dtype=np.intp)
    tops = np.setdiff1d(np.arange(len(nodes)), children, assume_unique=True)
    nodes[tops] = tops
    native.spread_labels(np.ascontiguousarray(children), nodes)
    return nodes[:n]


def number_by_first(names):
    """Labels recoded as 0, 1, ... in the order of first appearance."""
    _, first, codes = np.unique(names, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[codes]


def leaf_order(Z):
    """Order of the rows in the dendrogram from left to right; of two clusters the one merged lower comes first.

    Parameters
    ----------
    Z : ndarray of shape (n_samples - 1, 4) or fitted clustering
        Hierarchy returned by `linkage`, or a clustering fitted with ``compute_distances=True`` (also
        the single linkage tree of an HDBSCAN).

    Returns
    -------
    ndarray of shape (n_samples,)

    Examples
    --------
    >>> from statlearn.cluster import leaf_order, linkage
    >>> leaf_order(linkage([[0.0], [9.0], [2.0], [10.0]], "single"))
    array([1, 3, 0, 2])
    """
    Z = check_linkage(Z)
    n = len(Z) + 1
    heights = np.concatenate([np.zeros(n), Z[:, 2]])
    order, stack = [], [2 * n - 2]
    while stack:
        node = stack.pop()
        if node < n:
            order.append(node)
            continue
        left, right = sorted(Z[node - n, :2].astype(int), key=lambda c: heights[c])
        stack += [right, left]
    return np.array(order)


def _links(Z, order):
    """Corners of the U of each merge: horizontal positions of its two legs and their lower ends."""
    n = len(Z) + 1
    place, base = np.empty(2 * n - 1), np.zeros(2 * n - 1)
    place[order] = np.arange(n)
    links = np.empty((n - 1, 4))
    for k, (a, b, height, _) in enumerate(Z):
        a, b = sorted((int(a), int(b)), key=lambda c: place[c])
        links[k] = place[a], place[b], base[a], base[b]
        place[n + k], base[n + k] = (place[a] + place[b]) / 2, height
    return links


@styled
def dendrogram(Z, *, labels=None, n_clusters=None, height=None, orientation="top", ax=None):
    """Dendrogram: each merge is drawn as a U with its bar at the height of the merge.

    Adjacent leaves need not be close: read the height at which they are joined, not their distance along the axis. The
    order of the leaves is one of many that represent the same tree.

    Parameters
    ----------
    Z : ndarray of shape (n_samples - 1, 4) or fitted clustering
        Hierarchy returned by `linkage`, or a clustering fitted with ``compute_distances=True`` (also
        the single linkage tree of an HDBSCAN).
    labels : sequence of str or None, default=None
        Names of the rows. None uses their indices (no labels for more than 60 rows).
    n_clusters, height : int, float or None, default=None
        Cut as in `cut_tree`. Each cluster below it has its own colour, and a line marks it. A fitted clustering is cut
        at its own number of clusters if neither is given.
    orientation : {"top", "right"}, default="top"
        Position of the root: "top", or "right", where long names are easier to read.
    ax : matplotlib Axes or None, default=None

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from statlearn.cluster import dendrogram, linkage
    >>> dendrogram(linkage([[0.0], [2.0], [10.0]], "average")).get_ylabel()
    'height'
    """
    from matplotlib.collections import LineCollection

    from statlearn._draw.axes import new_axes

    model, Z = Z, check_linkage(Z)
    if isinstance(model, BaseEstimator) and n_clusters is None and height is None:
        n_clusters = getattr(model, "n_clusters_", None)
    if orientation not in ("top", "right"):
        raise ValueError(f"`orientation` must be 'top' or 'right', got {orientation!r}.")
    n = len(Z) + 1
    if labels is not None and len(labels) != n:
        raise ValueError(f"`labels` has {len(labels)} entries, but there are {n} rows.")
    upright = orientation == "top"
    ax = new_axes(ax, figsize=(6.4, 4.0) if upright else (5.4, max(2.5, 0.2 * n)))
    order = leaf_order(Z)
    links, tops = _links(Z, order), Z[:, 2]
    left, right, foot_left, foot_right = links.T
    corners = np.stack(
        [np.stack([left, left, right, right], axis=1), np.stack([foot_left, tops, tops, foot_right], axis=1)], axis=-1
    )
    if not upright:
        corners = corners[..., ::-1]
    ax.add_collection(LineCollection(corners, colors=_colours(Z, n_clusters, height, theme()), linewidths=1.2))
    top = tops.max() * 1.05 or 1.0
    least = min(0.0, tops.min())
    span = {"xlim": (-0.7, n - 0.3), "ylim": (least, top), "ylabel": "height"}
    if not upright:
        span = {"ylim": (-0.7, n - 0.3), "xlim": (least, top), "xlabel": "height"}
    ax.set(**span)
    axis = ax.xaxis if upright else ax.yaxis
    names = [str(i) for i in order] if labels is None else [str(labels[i]) for i in order]
    if labels is None and n > 60:
        axis.set_ticks([])
    else:
        long = upright and max(map(len, names)) * n > 60
        axis.set_ticks(np.arange(n), names, rotation=90 if long else 0)
    axis.grid(False)
    axis.set_tick_params(length=0)
    cut = _cut_height(Z, n_clusters, height)
    if cut is not None:
        (ax.axhline if upright else ax.axvline)(cut, color=theme().muted, lw=1.0, ls="--")
    return ax


def _cut_height(Z, n_clusters, height):
    """Height of the line: as given, or midway between the last merge made and the first one undone."""
    if n_clusters is None:
        return height
    n_merges = len(Z) + 1 - n_clusters
    if n_merges == len(Z):
        return None
    return (Z[n_merges, 2] + (Z[n_merges - 1, 2] if n_merges else 0.0)) / 2


def _colours(Z, n_clusters, height, colours):
    """One colour for the merges within each cluster, a muted one above the cut."""
    if n_clusters is None and height is None:
        return [colours.cycle[0]] * len(Z)
    labels = cut_tree(Z, n_clusters, height=height)
    n = len(labels)
    of_node = np.concatenate([labels, np.full(n - 1, -1)])
    shades = []
    for k, (a, b) in enumerate(Z[:, :2].astype(int)):
        same = of_node[a] >= 0 and of_node[a] == of_node[b]
        of_node[n + k] = of_node[a] if same else -1
        shades.append(colours.cycle[of_node[a] % len(colours.cycle)] if same else colours.muted)
    return shades
