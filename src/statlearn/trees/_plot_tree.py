"""Plots of trees: node diagrams and partitions of the plane."""

from itertools import pairwise

import numpy as np

from statlearn._core.params import Instance, Int, Options, check_arguments

from ._export import names_of_columns
from ._tree_views import MultiwayView, ObliqueView, tree_view


def plot_tree(
    decision_tree,
    *,
    max_depth=None,
    feature_names=None,
    class_names=None,
    label="all",
    filled=False,
    impurity=True,
    node_ids=False,
    proportion=False,
    rounded=False,
    precision=3,
    ax=None,
    fontsize=None,
):
    """Plot of a fitted tree as boxes and branches.

    Parameters
    ----------
    decision_tree : decision tree, ID3Classifier, C45Classifier, HuntTree, ObliqueTreeClassifier, ...
        A fitted tree, or a member of an ensemble: ``forest.estimators_[0]``, ``boosting.estimators_[0, 0]``.
    max_depth : int or None, default=None
        Maximum depth to draw; None draws the whole tree.
    feature_names : array-like of str or None, default=None
        Names of the columns. None uses those of the data frame the tree was fitted to.
    class_names : array-like of str, True or None, default=None
        Class names, or True to use the class labels. None does not show classes.
    label : {"all", "root", "none"}, default="all"
        Which nodes label their numbers: all, only the root, or none.
    filled : bool, default=False
        Whether to colour the nodes, by majority class and purity for classifiers and by predicted value for regressors.
    impurity : bool, default=True
        Whether to show the impurity.
    node_ids : bool, default=False
        Whether to show node indices.
    proportion : bool, default=False
        Whether to show proportions instead of counts.
    rounded : bool, default=False
        Whether to draw boxes with rounded corners.
    precision : int, default=3
        Number of decimal places.
    ax : matplotlib Axes or None, default=None
        Axes to draw on. None creates a figure large enough for the tree.
    fontsize : int or None, default=None
        Font size. None chooses one that fits.

    Returns
    -------
    list of matplotlib annotations
        The boxes in depth-first order, and the labels of the first two branches.

    Notes
    -----
    Rows that pass the test go left. A multiway tree has the value of its column at each branch, a node of an oblique
    tree the weighted sum of columns that it tests ("score(name)" is the score of a level of a categorical column), and
    a tree of a boosted model the gain of its splits and scores in its leaves.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from statlearn.trees import DecisionTreeClassifier, plot_tree
    >>> X, y = load_iris(return_X_y=True)
    >>> boxes = plot_tree(DecisionTreeClassifier(max_depth=1).fit(X, y), filled=True)
    >>> print(boxes[0].get_text())
    x[2] <= 2.45
    gini = 0.667
    samples = 150
    value = [50, 50, 50]
    """
    check_arguments(
        plot_tree,
        max_depth=(max_depth, [Int(0, None), None]),
        class_names=(class_names, ["array-like", "boolean", None]),
        label=(label, [Options("all", "root", "none")]),
        filled=(filled, ["boolean"]),
        impurity=(impurity, ["boolean"]),
        node_ids=(node_ids, ["boolean"]),
        proportion=(proportion, ["boolean"]),
        rounded=(rounded, ["boolean"]),
        precision=(precision, [Int(0, None), None]),
        fontsize=(fontsize, [Int(0, None), Instance(float), None]),
    )
    view = tree_view(decision_tree, "plot_tree", feature_names, class_names, precision)
    words = _NodeText(view, label, impurity, node_ids, proportion)
    return _Drawing(view, words, max_depth, filled, rounded).draw(ax, fontsize)


class _NodeText:
    """Text of the boxes."""

    def __init__(self, view, label, impurity, node_ids, proportion):
        self.view, self.label, self.impurity = view, label, impurity
        self.node_ids, self.proportion = node_ids, proportion

    def __call__(self, node):
        view, lines = self.view, []
        worded = self.label == "all" or (self.label == "root" and node == 0)
        if self.node_ids:
            lines.append((("node " if worded else "") + "#") + str(node))
        if view.children(node):
            lines.append(view.test(node))
        measure = view.measure(node) if self.impurity else None
        if measure is not None:
            lines.append((f"{measure[0]} = " if worded else "") + view.number(measure[1]))
        rows = view.rows[node]
        shown = f"{view.number(100.0 * rows / view.rows[0])}%" if self.proportion else f"{rows:.6g}"
        lines.append((f"{view.samples} = " if worded else "") + (shown if rows % 1 or self.proportion else str(rows)))
        lines.append(("value = " if worded else "") + view.value_text(node, self.proportion))
        if view.classes is not None:
            lines.append(("class = " if worded else "") + view.classes[int(view.decide(view.values[node][None])[0])])
        return "\n".join(lines)


class _Drawing:
    """Layout of the boxes: leaves side by side, parents centred above their children."""

    def __init__(self, view, words, max_depth, filled, rounded):
        self.view, self.words, self.filled, self.rounded = view, words, filled, rounded
        self.limit = np.inf if max_depth is None else max_depth
        self.nodes = self._visible()
        self.x, self.y = self._places()

    def _visible(self):
        """Node, depth and parent's position of every box in depth-first order; node -1 marks a truncated branch."""
        visible, open_ = [], [(0, 0, -1)]
        while open_:
            node, depth, parent = open_.pop()
            if depth > self.limit:
                visible.append((-1, depth, parent))
                continue
            here = len(visible)
            visible.append((node, depth, parent))
            open_ += [(child, depth + 1, here) for child in self.view.children(node)[::-1]]
        return visible

    def _places(self):
        n = len(self.nodes)
        inner = {parent for _, _, parent in self.nodes}
        x, seen = np.zeros(n), 0
        for k in range(n):
            if k not in inner:
                x[k], seen = seen, seen + 1
        children = {}
        for k, (_, _, parent) in enumerate(self.nodes):
            children.setdefault(parent, []).append(k)
        for k in range(n - 1, -1, -1):
            if k in inner:
                x[k] = np.mean(x[children[k]])
        depth = np.array([d for _, d, _ in self.nodes])
        self.leaves, self.levels = max(seen, 1), int(depth.max()) + 1
        return (x + 0.5) / self.leaves, 1.0 - (depth + 0.5) / self.levels

    def draw(self, ax, fontsize):
        from statlearn._draw.axes import new_axes
        from statlearn._draw.style import styled

        @styled
        def drawn(ax):
            size = (min(max(1.25 * self.leaves, 4.5), 30.0), min(max(1.15 * self.levels, 3.0), 20.0))
            if ax is None:
                ax = new_axes(figsize=size, layout="none")  # no labels around the axes need space
                ax.figure.subplots_adjust(left=0.01, right=0.99, bottom=0.01, top=0.94)
            return self._annotations(ax, fontsize)

        return drawn(ax)

    def _annotations(self, ax, fontsize):
        from statlearn._draw.style import theme

        colours = theme()
        ax.clear()
        ax.set_axis_off()
        ax.set(xlim=(0, 1), ylim=(0, 1))
        boxes, branches = [], []
        style = {
            "boxstyle": "round,pad=0.35" if self.rounded else "square,pad=0.35", "ec": colours.muted, "lw": 0.8,
        }  # fmt: skip
        for k, (node, _, parent) in enumerate(self.nodes):
            text = "\n  (...)  \n" if node < 0 else self.words(node)
            place = (self.x[k], self.y[k])
            face = colours.background if node < 0 else self._colour(node, colours)
            if parent >= 0:
                ax.plot([self.x[parent], place[0]], [self.y[parent], place[1]], color=colours.muted, lw=1.0, zorder=1)
            options = {"ha": "center", "va": "center", "zorder": 3, "fontsize": fontsize or 10}
            boxes.append(ax.annotate(text, place, bbox={**style, "fc": face}, **options))
            if parent == 0 or (parent > 0 and not self.view.edges_at_root_only):
                branches.append(self._edge(ax, k, parent, fontsize, colours))
                boxes.append(branches[-1])
        if fontsize is None:
            self._fit(ax, [box for box in boxes if box not in branches], branches)
        return boxes

    def _edge(self, ax, k, parent, fontsize, colours):
        """The text of the branch that leads to a box."""
        siblings = [j for j, (_, _, above) in enumerate(self.nodes) if above == parent]
        text = self.view.edges(self.nodes[parent][0])[siblings.index(k)]
        gap = self.x[k] - self.x[parent]
        level = 0.5 * (self.y[parent] + self.y[k])
        middle = (0.5 * (self.x[parent] + self.x[k]), level)
        options = {"va": "bottom" if self.view.edges_at_root_only else "center", "fontsize": fontsize or 9}
        if not self.view.edges_at_root_only:
            back = {"boxstyle": "square,pad=0.15", "fc": colours.background, "ec": "none"}
            return ax.annotate(text, middle, color=colours.ink, ha="center", zorder=2, bbox=back, **options)
        text, side = (f"{text}  ", "right") if gap < 0 else (f"  {text}", "left")
        return ax.annotate(text, middle, color=colours.muted, ha=side, **options)

    def _fit(self, ax, boxes, branches):
        """Set a font size at which adjacent boxes do not overlap."""
        ax.figure.draw_without_rendering()  # settles the layout and the sizes of the boxes
        renderer = ax.figure.canvas.get_renderer()
        extent = ax.get_window_extent(renderer)
        sizes = [box.get_bbox_patch().get_window_extent(renderer) for box in boxes]
        room = []
        depth = np.array([d for _, d, _ in self.nodes])
        for level in np.unique(depth):
            at = np.flatnonzero(depth == level)
            at = at[np.argsort(self.x[at])]
            for a, b in pairwise(at):
                room.append((self.x[b] - self.x[a]) * extent.width / ((sizes[a].width + sizes[b].width) / 2 + 14))
        room.append(extent.height / self.levels / (max(s.height for s in sizes) + 16))
        room.append(extent.width / (max(s.width for s in sizes) + 8))
        scale = min(min(room), 1.1)
        for text in boxes + branches:
            text.set_fontsize(max(text.get_fontsize() * scale, 1.0))

    def _colour(self, node, colours):
        if not self.filled:
            return colours.background
        view, value = self.view, self.view.values[node]
        if view.classifies and view.n_outputs == 1:
            shares, best = value / (value.sum() or 1.0), int(view.decide(value[None])[0])
            even = 1.0 / len(shares)
            sure = max(shares[best] - even, 0.0) / (1 - even) if len(shares) > 1 else 1.0
            return tinted(colours.cycle[best % 7], 0.08 + 0.45 * sure, colours)
        if view.n_outputs == 1:
            every = view.values[:, 0]
            spread = every.max() - every.min()
            return tinted(colours.cycle[1], 0.6 * (value[0] - every.min()) / (spread or 1.0), colours)
        top = view.forest.impurity.max()
        return tinted(colours.cycle[1], 0.6 * (1 - view.forest.impurity[node] / (top or 1.0)), colours)


def tinted(colour, share, colours):
    """A colour blended with the background."""
    from matplotlib.colors import to_rgb

    paper, ink = np.array(to_rgb(colours.background)), np.array(to_rgb(colour))
    return tuple(np.clip(paper + (ink - paper) * share, 0, 1))


def plot_partition(estimator, X, y=None, *, kind="regions", labels=True, margin=0.05, ax=None):
    """Plot of the partition of the plane by a tree fitted to two columns.

    Parameters
    ----------
    estimator : decision tree, ObliqueTreeClassifier, C45Classifier, ID3Classifier, ...
        A tree fitted to two numeric columns; those of a multiway tree may be categorical, with a place per level.
    X : array-like of shape (n_rows, 2)
        Rows that determine the axis limits.
    y : array-like of shape (n_rows,) or None, default=None
        Classes or target values of the rows. None draws no points.
    kind : {"regions", "surface"}, default="regions"
        "regions" draws the regions in the plane. "surface" draws the predictions (for classifiers, the probability
        of the last class) as a three-dimensional step function.
    labels : bool, default=True
        Whether to print the prediction in each rectangle that has room for it.
    margin : float, default=0.05
        Margin around the rows, as a fraction of their range.
    ax : matplotlib Axes or None, default=None
        Axes to draw on; three-dimensional for "surface". None creates a figure.

    Returns
    -------
    matplotlib Axes

    Notes
    -----
    The regions of a tree are axis-parallel rectangles obtained by recursive bisection. Not every partition into
    rectangles can be obtained this way. The regions of an oblique tree are convex polygons.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from statlearn.trees import DecisionTreeClassifier, plot_partition
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> X = X[["petal length (cm)", "petal width (cm)"]]
    >>> ax = plot_partition(DecisionTreeClassifier(max_leaf_nodes=3).fit(X, y), X, y)
    >>> len(ax.patches), ax.get_ylabel()
    (3, 'petal width (cm)')
    """
    check_arguments(plot_partition, kind=(kind, [Options("regions", "surface")]), labels=(labels, ["boolean"]))
    view = tree_view(estimator, "plot_partition")
    if estimator.n_features_in_ != 2 or view.n_outputs != 1 or view.has_categories:
        raise ValueError("plot_partition requires a single-output tree fitted to two numeric columns.")
    if kind == "surface" and isinstance(view, ObliqueView):
        raise ValueError("kind='surface' supports trees with axis-parallel splits only; use kind='regions'.")
    points = _places(view, X)
    low, high = np.nanmin(points, axis=0), np.nanmax(points, axis=0)
    space = margin * np.where(high > low, high - low, 1.0)
    low, high = low - space, high + space
    if isinstance(view, MultiwayView):
        low, high = view.limits(low, high)
    regions = view.regions(low, high)

    from statlearn._draw.style import styled

    draw = styled(_regions if kind == "regions" else _surface)
    ax = draw(view, regions, (low, high), None if y is None else (points, np.asarray(y)), labels, ax)
    names = names_of_columns(estimator, None, "x")
    ax.set(xlabel=names[0], ylabel=names[1])
    return ax


def _places(view, X):
    """Coordinates of the rows: numbers, and the position of the level in a categorical column of a multiway tree."""
    if not isinstance(view, MultiwayView):
        return np.asarray(X, dtype=np.float64)
    codes = np.array(view.tree._read(X), dtype=np.float64)
    for j, levels in enumerate(view.tree.categories_):
        if levels is not None:  # levels that were not seen in training have no place
            codes[(codes[:, j] < 0) | (codes[:, j] >= len(levels)), j] = np.nan
    return codes


def _colours_of(view, nodes, colours):
    values = view.values[nodes]
    if view.classifies:
        best = view.decide(values)
        even = 1.0 / values.shape[1]
        sure = np.maximum(values[np.arange(len(best)), best] - even, 0.0) / max(1 - even, 1e-12)
        return [tinted(colours.cycle[k % 7], 0.10 + 0.35 * s, colours) for k, s in zip(best, sure)]
    from matplotlib import colormaps

    spread = np.ptp(values[:, 0]) or 1.0
    return [colormaps[colours.sequential](0.15 + 0.8 * (v - values[:, 0].min()) / spread) for v in values[:, 0]]


def _regions(view, regions, limits, data, labels, ax):
    from matplotlib.patches import Polygon

    from statlearn._draw.axes import new_axes
    from statlearn._draw.style import MARKERS, theme

    colours, classes = theme(), getattr(view.tree, "classes_", None)
    ax = new_axes(ax, figsize=(5.6, 4.6))
    nodes = [node for node, _ in regions]
    extent = limits[1] - limits[0]
    for (node, corners), colour in zip(regions, _colours_of(view, nodes, colours)):
        ax.add_patch(Polygon(corners, fc=colour, ec=colours.ink, lw=0.9, zorder=0))
        if labels and np.all(np.ptp(corners, axis=0) > 0.09 * extent):
            value = view.values[node]
            text = classes[view.decide(value[None])[0]] if view.classifies else f"{value[0]:.3g}"
            backing = {"boxstyle": "round,pad=0.2", "fc": colours.background, "ec": "none", "alpha": 0.75}
            place = corners.mean(axis=0)
            ax.text(*place, str(text), ha="center", va="center", fontsize=9, zorder=4, bbox=backing)
    if data is not None and view.classifies:
        for k, c in enumerate(classes):
            ax.scatter(
                *data[0][data[1] == c].T, s=20, color=colours.cycle[k % 7], marker=MARKERS[k % 7],
                edgecolors=colours.background, linewidths=0.6, label=str(c), zorder=2,
            )  # fmt: skip
        ax.legend(loc="best", frameon=True, framealpha=0.85, facecolor=colours.background, edgecolor=colours.faint)
    elif data is not None:
        dots = ax.scatter(*data[0].T, c=data[1], s=18, cmap=colours.sequential, ec=colours.background, lw=0.5, zorder=2)
        ax.figure.colorbar(dots, ax=ax, label="y")
    ax.set(xlim=(limits[0][0], limits[1][0]), ylim=(limits[0][1], limits[1][1]))
    if isinstance(view, MultiwayView):
        for j, axis in enumerate((ax.xaxis, ax.yaxis)):
            if view.tree.categories_[j] is not None:
                levels = view.levels(j)
                axis.set_ticks(range(len(levels)), levels)
    ax.grid(False)
    return ax


def _surface(view, regions, limits, data, labels, ax):
    from statlearn._draw.axes import new_axes
    from statlearn._draw.style import theme

    if ax is not None and ax.name != "3d":
        raise ValueError(
            "kind='surface' requires three-dimensional axes; create them with "
            "plt.subplots(subplot_kw={'projection': '3d'})."
        )
    ax = new_axes(ax, figsize=(5.8, 5.0), subplot_kw={"projection": "3d"})
    nodes = [node for node, _ in regions]
    heights = view.heights(nodes)
    floor = min(0.0, heights.min()) if view.classifies else heights.min() - 0.15 * (np.ptp(heights) or 1.0)
    for (_, corners), height, colour in zip(regions, heights, _colours_of(view, nodes, theme())):
        size = corners[2] - corners[0]
        ax.bar3d(*corners[0], floor, *size, height - floor, color=colour, shade=True, edgecolor="k", linewidth=0.3)
    if data is not None and not view.classifies:
        ax.scatter(*data[0].T, data[1], s=6, color=theme().ink, depthshade=True)
    ax.set_zlabel(f"P({view.tree.classes_[-1]})" if view.classifies else "prediction")
    return ax
