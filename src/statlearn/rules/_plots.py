"""Pictures of FP-trees and rules."""

import numpy as np

from statlearn._core.params import Int, check_arguments
from statlearn._draw.axes import new_axes
from statlearn._draw.style import styled, theme

from ._frequency import frequency_comparison


@styled
def draw_tree(tree, *, ax=None, links=True):
    """The drawing behind :meth:`FPTree.plot`."""
    children = tree._children()
    place, depth, width = {}, {0: 0}, 0
    stack = [(0, False)]
    while stack:  # leaves from left to right, a parent above the middle of its children
        node, done = stack.pop()
        below = children.get(node, [])
        if done:
            place[node] = np.mean([place[child] for child in below])
        elif below:
            stack.append((node, True))
            for child in reversed(below):
                depth[child] = depth[node] + 1
                stack.append((child, False))
        else:
            place[node] = width
            width += 1
    deepest = max(depth.values())
    ax = new_axes(ax, figsize=(max(5.0, 0.9 * width + 2.5), max(2.5, 0.75 * (deepest + 1))))
    look = theme()
    for node, below in children.items():
        for child in below:
            ax.plot([place[node], place[child]], [-depth[node], -depth[child]], color=look.muted, lw=1.2, zorder=1)
    if links:
        for first in tree.head:
            node = first
            while node >= 0 and tree.node_link[node] >= 0:
                after = tree.node_link[node]
                ends = (place[node], -depth[node]), (place[after], -depth[after])
                ax.annotate(
                    "", ends[1], ends[0], zorder=2,
                    arrowprops={"arrowstyle": "->", "ls": "--", "lw": 0.9, "color": look.cycle[1], "shrinkA": 14,
                                "shrinkB": 14, "connectionstyle": "arc3,rad=-0.12"},
                )  # fmt: skip
                node = after
    box = {"boxstyle": "round,pad=0.35", "fc": look.background, "ec": look.ink, "lw": 1.0}
    for node, x in place.items():
        text = "root" if node == 0 else f"{tree.header[tree.node_item[node]]}: {tree.node_count[node]:g}"
        ax.text(x, -depth[node], text, ha="center", va="center", bbox=box, zorder=3)
    ax.set_xlim(-0.7, max(width - 0.3, 0.7))
    ax.set_ylim(-deepest - 0.6, 0.6)
    ax.axis("off")
    return ax


@styled
def draw_hyperlinks(structure, *, ax=None):
    """The drawing behind :meth:`HyperStructure.plot`."""
    longest = int(np.diff(structure.offsets).max(initial=1))
    n, n_items = len(structure.offsets) - 1, len(structure.header)
    ax = new_axes(ax, figsize=(max(5.0, 1.1 * longest + 3.0), max(2.5, 0.6 * max(n, n_items) + 0.6)))
    look = theme()
    starts, shift = structure.offsets[structure.rows], 3.0
    at = {entry: (shift + entry - starts[entry], -float(structure.rows[entry])) for entry in range(len(structure.rows))}
    gap = max(n - 1, 1) / max(n_items - 1, 1)  # the header is as high as the baskets
    box = {"boxstyle": "round,pad=0.35", "fc": look.background, "ec": look.ink, "lw": 1.0}
    for k, item in enumerate(structure.header):
        ax.text(0.0, -k * gap, f"{item}: {structure.counts[k]:g}", ha="center", va="center", bbox=box, zorder=3)
        place, entry = (0.0, -k * gap), int(structure.head[k])
        while entry >= 0:
            ax.annotate(
                "", at[entry], place, zorder=2,
                arrowprops={"arrowstyle": "->", "lw": 1.1, "color": look.cycle[k % len(look.cycle)], "shrinkA": 14,
                            "shrinkB": 11, "connectionstyle": "arc3,rad=-0.12"},
            )  # fmt: skip
            place, entry = at[entry], int(structure.link[entry])
    for entry, (x, y) in at.items():
        label = str(structure.header[structure.entries[entry]])
        ax.text(x, y, label, ha="center", va="center", bbox=box | {"ec": look.muted}, zorder=3)
    for row in range(n):
        ax.text(shift + longest - 0.4, -row, f"basket {row}", va="center", fontsize=8, color=look.muted)
    ax.set_xlim(-0.8, shift + longest + 0.6)
    ax.set_ylim(-max(n, n_items * gap) + 0.3, 0.7)
    ax.axis("off")
    return ax


@styled
def plot_rules(rules, *, ax=None, size="lift", label=0):
    """Scatter plot of the rules: support against confidence, coloured by a measure.

    Parameters
    ----------
    rules : Rules
    ax : matplotlib Axes or None, default=None
    size : str, default="lift"
        Measure behind the colour; see :func:`rule_metrics`.
    label : int, default=0
        Number of rules to label, those with the largest value of the measure.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from statlearn.rules import association_rules, frequent_itemsets, plot_rules
    >>> baskets = 3 * [["beer", "crisps"]] + 2 * [["bread", "milk"]] + [["beer"], ["milk"]]
    >>> ax = plot_rules(association_rules(frequent_itemsets(baskets, 0.2)))
    >>> ax.get_xlabel()
    'support'
    """
    check_arguments(plot_rules, label=(label, [Int(0, None)]))
    ax = new_axes(ax, figsize=(6.0, 4.2))
    values = np.asarray(rules.metric(size), dtype=float)
    order = np.argsort(np.nan_to_num(values, nan=-np.inf, posinf=1e300), kind="stable")  # the largest on top
    shown = np.where(np.isfinite(values), values, np.nan)
    x, y = rules.metric("support"), rules.metric("confidence")
    points = ax.scatter(x[order], y[order], c=shown[order], s=28, cmap="viridis", alpha=0.85, linewidths=0)
    if len(rules):
        ax.figure.colorbar(points, ax=ax, label=size.replace("_", " "))
    for k in order[::-1][:label]:
        ax.annotate(rules.text(k), (x[k], y[k]), xytext=(5, 4), textcoords="offset points", fontsize=8)
    ax.set(xlabel="support", ylabel="confidence")
    return ax


@styled
def plot_rule_graph(rules, *, n=15, by="lift", ax=None):
    """Graph of the top rules: arrows from the items of the antecedent to the rule, and on to its consequent.

    Parameters
    ----------
    rules : Rules
    n : int, default=15
        Number of rules, those with the largest value of `by`.
    by : str, default="lift"
        Measure that selects the rules and colours their nodes; the size of a node shows the support.
    ax : matplotlib Axes or None, default=None

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from statlearn.rules import association_rules, frequent_itemsets, plot_rule_graph
    >>> baskets = 3 * [["beer", "crisps"]] + 2 * [["bread", "milk"]] + [["beer"], ["milk"]]
    >>> ax = plot_rule_graph(association_rules(frequent_itemsets(baskets, 0.2)), n=3)
    >>> sorted(text.get_text() for text in ax.texts if text.get_text())
    ['beer', 'bread', 'crisps', 'milk']
    """
    check_arguments(plot_rule_graph, n=(n, [Int(1, None)]))
    top = rules.sort(by).select(slice(0, n))
    if not len(top):
        raise ValueError("rules is empty; there is nothing to draw.")
    ax = new_axes(ax, figsize=(7.0, 6.0))
    look = theme()
    items = sorted({*top.antecedents[0].tolist(), *top.consequents[0].tolist()})
    place, edges = {item: k for k, item in enumerate(items)}, []
    for r in range(len(top)):
        node = len(items) + r
        for item in top.antecedents[0][top.antecedents[1][r] : top.antecedents[1][r + 1]]:
            edges.append((place[int(item)], node))
        for item in top.consequents[0][top.consequents[1][r] : top.consequents[1][r + 1]]:
            edges.append((node, place[int(item)]))
    xy = spring_layout(len(items) + len(top), edges)
    for a, b in edges:
        ax.annotate(
            "", xy[b], xy[a], zorder=1,
            arrowprops={"arrowstyle": "-|>", "lw": 0.9, "color": look.muted, "shrinkA": 5, "shrinkB": 6},
        )  # fmt: skip
    values, support = np.asarray(top.metric(by), dtype=float), top.metric("support")
    finite = np.where(np.isfinite(values), values, np.nan)
    points = ax.scatter(
        *xy[len(items) :].T, s=60 + 240 * support / support.max(), c=finite, cmap="viridis", zorder=2, linewidths=0
    )
    ax.figure.colorbar(points, ax=ax, label=by.replace("_", " "), shrink=0.8)
    box = {"boxstyle": "round,pad=0.3", "fc": look.background, "ec": look.ink, "lw": 0.9}
    for item, k in place.items():
        ax.text(*xy[k], str(top.items[item]), ha="center", va="center", fontsize=9, bbox=box, zorder=3)
    ax.margins(0.18, 0.1)
    ax.axis("off")
    return ax


@styled
def plot_frequency_comparison(rules, data=None, *, n=25, ax=None):
    """Relative frequency of the items in the rules and in the data, as paired bars.

    Parameters
    ----------
    rules : Rules or Itemsets
    data : baskets or None, default=None
        As in :func:`frequency_comparison`.
    n : int, default=25
        Number of items, the most frequent in the data.
    ax : matplotlib Axes or None, default=None

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from statlearn.rules import association_rules, frequent_itemsets, plot_frequency_comparison
    >>> baskets = [["a", "b"], ["a", "b"], ["a", "c"]]
    >>> ax = plot_frequency_comparison(association_rules(frequent_itemsets(baskets, 2)), baskets)
    >>> ax.get_xlabel()
    'relative frequency'
    """
    check_arguments(plot_frequency_comparison, n=(n, [Int(1, None)]))
    comparison = frequency_comparison(rules, data).head(n)
    ax = new_axes(ax, figsize=(6.0, max(2.5, 0.34 * len(comparison) + 1)))
    rows = np.arange(len(comparison))
    ax.barh(rows - 0.2, comparison["data"], height=0.38, label="data")
    ax.barh(rows + 0.2, comparison["rules"], height=0.38, label="rules")
    ax.set_yticks(rows, [str(item) for item in comparison["item"]])
    ax.invert_yaxis()
    ax.set(xlabel="relative frequency")
    ax.legend()
    return ax


def spring_layout(n, edges, rounds=300):
    """Positions of n nodes: neighbours attract, all others repel; deterministic, components side by side."""
    angle = np.arange(n) * 2.399963  # golden angle: no two nodes start close together
    xy = np.sqrt((np.arange(n) + 0.5) / n)[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
    a, b = np.array(edges).T
    rest = 1.6 / np.sqrt(n)
    for step in range(rounds):
        gap = xy[:, None] - xy
        square = np.maximum((gap**2).sum(axis=2), 1e-9)
        np.fill_diagonal(square, np.inf)
        move = (gap * (rest**2 / square)[:, :, None]).sum(axis=1)
        pull = xy[a] - xy[b]
        pull *= (np.sqrt((pull**2).sum(axis=1)) / rest)[:, None]
        np.add.at(move, a, -pull)
        np.add.at(move, b, pull)
        move -= 0.6 * xy  # towards the centre: separate components do not drift away
        length = np.maximum(np.sqrt((move**2).sum(axis=1)), 1e-12)
        heat = 0.15 * (1 - step / rounds) + 1e-3
        xy += move * (np.minimum(length, heat) / length)[:, None]
    return xy
