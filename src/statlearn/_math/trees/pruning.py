"""Cost-complexity pruning of flat trees: the weakest-link sequence and the pruned tree."""

import numpy as np

from statlearn._core.native import trees as native

from .forest import Forest


def leaf_costs(forest):
    """Cost of every node as a leaf: its proportion of the weight times its impurity."""
    return forest.weight / forest.weight[0] * forest.impurity


def rounding(forest):
    """Tolerance below which alphas are considered equal."""
    return 1e-12 * float(forest.impurity[0])


def collapse_alphas(forest):
    """The alpha at which each inner node is collapsed; 0 for leaves."""
    alphas = np.zeros(len(forest.feature))
    native.collapse_alphas(forest.child, leaf_costs(forest), alphas)
    return alphas


def pruning_path(forest):
    """Distinct alphas at which branches are pruned, starting with 0, and the total impurity of the leaves from each."""
    alphas, cost, inner = collapse_alphas(forest), leaf_costs(forest), ~forest.is_leaf
    # A node is a leaf from its own alpha until that of its parent.
    parent = forest.parent
    until = np.where(parent < 0, np.inf, alphas[parent])
    steps, slack = np.unique(alphas[inner]), rounding(forest)
    if len(steps):
        steps = steps[np.concatenate([[True], np.diff(steps) > slack])]
    full = cost[~inner].sum()
    totals = [full]
    order_from, order_until = np.argsort(alphas[inner], kind="stable"), np.argsort(until, kind="stable")
    comes = np.concatenate([[0.0], np.cumsum(cost[inner][order_from])])
    goes = np.concatenate([[0.0], np.cumsum(np.where(np.isinf(until), 0.0, cost)[order_until])])
    for alpha in steps:
        come = comes[np.searchsorted(alphas[inner][order_from], alpha + slack, side="right")]
        totals.append(full + come - goes[np.searchsorted(until[order_until], alpha + slack, side="right")])
    return np.concatenate([[0.0], steps]), np.maximum(np.array(totals), 0.0)


def pruned(forest, collapsed):
    """The indices of the remaining nodes, and the tree in which the nodes marked `collapsed` are leaves."""
    alive = np.zeros(len(forest.feature), bool)
    alive[0] = True
    inner = ~forest.is_leaf & ~collapsed
    by_depth = np.argsort(forest.depth, kind="stable")
    for level in np.split(by_depth, np.cumsum(np.bincount(forest.depth))[:-1]):
        at = level[alive[level] & inner[level]]
        alive[forest.child[at]] = alive[forest.child[at] + 1] = True
    nodes = np.flatnonzero(alive)
    number = np.cumsum(alive) - 1
    leaf = ~inner[nodes]
    tree = Forest()
    for name in Forest._PER_NODE:
        values = getattr(forest, name)
        setattr(tree, name, values[nodes] if len(values) else values)
    tree.child = np.where(leaf, np.arange(len(nodes)), number[forest.child[nodes]]).astype(np.int32)
    tree.feature = np.where(leaf, -1, tree.feature).astype(np.int32)
    tree.category_set = np.where(leaf, -1, tree.category_set).astype(np.int32)
    tree.threshold = np.where(leaf, 0.0, tree.threshold)
    tree.gain = np.where(leaf, 0.0, tree.gain)
    tree.left_sets, tree.roots, tree.output = forest.left_sets, forest.roots, forest.output
    return nodes, tree
