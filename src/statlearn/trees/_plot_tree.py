"""Plots of trees: node diagrams and partitions of the plane."""

from itertools import pairwise

import numpy as np
from sklearn.base import is_classifier

from statlearn._core.params import Instance, Int, Options, check_arguments

from ._export import branch_tests, check_tree, names_of_classes, names_of_columns


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
    decision_tree : decision tree
        A fitted tree.
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
    Rows that pass the test go left.

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
    check_tree(decision_tree, "plot_tree")
    words = _NodeText(decision_tree, feature_names, class_names, label, impurity, node_ids, proportion, precision)
    return _Drawing(decision_tree, words, max_depth, filled, rounded).draw(ax, fontsize)


class _NodeText:
    """Text of the boxes."""

    def __init__(self, tree, feature_names, class_names, label, impurity, node_ids, proportion, precision):
        self.tree, self.forest = tree, tree.tree_.forest
        self.names = names_of_columns(tree, feature_names, "x[")
        if feature_names is None and getattr(tree, "feature_names_in_", None) is None:
            self.names = [f"{name}]" for name in self.names]
        self.classes = None
        if is_classifier(tree) and tree.n_outputs_ == 1 and class_names is not None and class_names is not False:
            self.classes = names_of_classes(tree, None if class_names is True else class_names)
        self.label, self.impurity, self.node_ids = label, impurity, node_ids
        self.proportion, self.precision = proportion, 3 if precision is None else precision

    def __call__(self, node):
        forest, lines = self.forest, []
        worded = self.label == "all" or (self.label == "root" and node == 0)
        if self.node_ids:
            lines.append((("node " if worded else "") + "#") + str(node))
        if forest.child[node] != node:
            name = self.names[forest.feature[node]]
            lines.append(branch_tests(self.tree, node, name, self._number)[0])
        if self.impurity:
            word = self.tree.criterion
            lines.append((f"{word} = " if worded else "") + self._number(forest.impurity[node]))
        rows = forest.rows[node]
        shown = f"{self._number(100.0 * rows / forest.rows[0])}%" if self.proportion else str(rows)
        lines.append(("samples = " if worded else "") + shown)
        lines.append(("value = " if worded else "") + self._value(node))
        if self.classes is not None:
            best = int(self.tree._decide(self.tree.tree_.value[node])[0])
            lines.append(("class = " if worded else "") + self.classes[best])
        return "\n".join(lines)

    def _number(self, value):
        value = round(float(value), self.precision)
        return repr(value) if abs(value) < 1e16 else f"{value:g}"

    def _value(self, node):
        value = self.tree.tree_.value[node]
        if is_classifier(self.tree):
            value = value if self.proportion else value * self.tree._node_weights()[node]
            whole = np.allclose(value, np.round(value), atol=1e-9)
            digits = 0 if whole and not self.proportion else self.precision
        else:
            value, digits = value[:, 0], self.precision
            if len(value) == 1:
                return self._number(value[0])
        rows = [", ".join(self._entry(v, digits) for v in np.atleast_1d(row)) for row in np.atleast_2d(value)]
        return f"[{rows[0]}]" if len(rows) == 1 else "[" + "\n".join(f"[{row}]" for row in rows) + "]"

    def _entry(self, value, digits):
        return str(round(value)) if digits == 0 else self._number(value)


class _Drawing:
    """Layout of the boxes: leaves side by side, parents centred above their children."""

    def __init__(self, tree, words, max_depth, filled, rounded):
        self.tree, self.forest, self.words, self.filled, self.rounded = tree, tree.tree_.forest, words, filled, rounded
        self.limit = np.inf if max_depth is None else max_depth
        self.nodes = self._visible()
        self.x, self.y = self._places()

    def _visible(self):
        """Node, depth and parent of every box in depth-first order; node -1 marks a truncated branch."""
        found, open_ = [], [(0, 0, -1)]
        while open_:
            node, depth, parent = open_.pop()
            if depth > self.limit:
                found.append((-1, depth, parent))
                continue
            here = len(found)
            found.append((node, depth, parent))
            child = int(self.forest.child[node])
            if child != node:
                open_ += [(child + 1, depth + 1, here), (child, depth + 1, here)]
        return found

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
        from statlearn.plot import new_axes, styled

        @styled
        def drawn(ax):
            size = (min(max(1.25 * self.leaves, 4.5), 30.0), min(max(1.15 * self.levels, 3.0), 20.0))
            if ax is None:
                ax = new_axes(figsize=size, layout="none")  # there are no labels around the axes to make room for
                ax.figure.subplots_adjust(left=0.01, right=0.99, bottom=0.01, top=0.94)
            return self._annotations(ax, fontsize)

        return drawn(ax)

    def _annotations(self, ax, fontsize):
        from statlearn.plot import theme

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
            if parent == 0:
                yes = place[0] < self.x[0]
                middle = ((self.x[0] + place[0]) / 2, (self.y[0] + place[1]) / 2)
                options = {"ha": "right" if yes else "left", "va": "bottom", "fontsize": fontsize or 9}
                branches.append(ax.annotate("True  " if yes else "  False", middle, color=colours.muted, **options))
                boxes.append(branches[-1])
        if fontsize is None:
            self._fit(ax, [box for box in boxes if box not in branches], branches)
        return boxes

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
        value = self.tree.tree_.value[node]
        if is_classifier(self.tree) and self.tree.n_outputs_ == 1:
            shares, best = value[0] / value[0].sum(), int(self.tree._decide(value)[0])
            even = 1.0 / len(shares)
            sure = max(shares[best] - even, 0.0) / (1 - even) if len(shares) > 1 else 1.0
            return tinted(colours.cycle[best % 7], 0.08 + 0.45 * sure, colours)
        if self.tree.n_outputs_ == 1:
            every = self.forest.value[:, 0]
            spread = every.max() - every.min()
            return tinted(colours.cycle[1], 0.6 * (value[0, 0] - every.min()) / (spread or 1.0), colours)
        top = self.forest.impurity.max()
        return tinted(colours.cycle[1], 0.6 * (1 - self.forest.impurity[node] / (top or 1.0)), colours)


def tinted(colour, share, colours):
    """A colour blended with the background."""
    from matplotlib.colors import to_rgb

    paper, ink = np.array(to_rgb(colours.background)), np.array(to_rgb(colour))
    return tuple(np.clip(paper + (ink - paper) * share, 0, 1))


def plot_partition(estimator, X, y=None, *, kind="regions", labels=True, margin=0.05, ax=None):
    """Plot of the partition of the plane by a tree fitted to two columns.

    Parameters
    ----------
    estimator : decision tree
        A tree fitted to two numeric columns.
    X : array-like of shape (n_rows, 2)
        Rows that determine the axis limits.
    y : array-like of shape (n_rows,) or None, default=None
        Classes or target values of the rows. None draws no points.
    kind : {"regions", "surface"}, default="regions"
        "regions" draws the rectangles in the plane. "surface" draws the predictions (for classifiers, the probability
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
    rectangles can be obtained this way.

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
    check_tree(estimator, "plot_partition")
    if estimator.n_features_in_ != 2 or estimator.n_outputs_ != 1 or (estimator.tree_.forest.category_set >= 0).any():
        raise ValueError("plot_partition requires a single-output tree fitted to two numeric columns.")
    names = names_of_columns(estimator, None, "x")
    points = np.asarray(X, dtype=np.float64)
    low, high = np.nanmin(points, axis=0), np.nanmax(points, axis=0)
    space = margin * np.where(high > low, high - low, 1.0)
    boxes = rectangles(estimator.tree_.forest, low - space, high + space)

    from statlearn.plot import styled

    draw = styled(_regions if kind == "regions" else _surface)
    ax = draw(estimator, boxes, None if y is None else (points, np.asarray(y)), labels, ax)
    ax.set(xlabel=names[0], ylabel=names[1])
    return ax


def rectangles(forest, low, high):
    """Leaf, lower corner and upper corner of every region of a tree within the given limits."""
    found, open_ = [], [(0, np.array(low), np.array(high))]
    while open_:
        node, below, above = open_.pop()
        child = int(forest.child[node])
        if child == node:
            found.append((node, below, above))
            continue
        j = forest.feature[node]
        cut = np.clip(forest.threshold[node], below[j], above[j])
        left, right = above.copy(), below.copy()
        left[j] = right[j] = cut
        open_ += [(child + 1, right, above), (child, below, left)]
    return [box for box in found if np.all(box[2] > box[1])]


def _heights(estimator, nodes):
    """Height of the surface at the given leaves: the value, or the probability of the last class."""
    value = estimator.tree_.forest.value[nodes]
    return value[:, -1] if is_classifier(estimator) else value[:, 0]


def _colours_of(estimator, nodes, colours):
    value = estimator.tree_.forest.value[nodes]
    if is_classifier(estimator):
        best = estimator._decide(value)
        even = 1.0 / value.shape[1]
        sure = np.maximum(value[np.arange(len(best)), best] - even, 0.0) / max(1 - even, 1e-12)
        return [tinted(colours.cycle[k % 7], 0.10 + 0.35 * s, colours) for k, s in zip(best, sure)]
    from matplotlib import colormaps

    spread = np.ptp(value[:, 0]) or 1.0
    return [colormaps[colours.sequential](0.15 + 0.8 * (v - value[:, 0].min()) / spread) for v in value[:, 0]]


def _regions(estimator, boxes, data, labels, ax):
    from matplotlib.patches import Rectangle

    from statlearn.plot import MARKERS, new_axes, theme

    colours = theme()
    ax = new_axes(ax, figsize=(5.6, 4.6))
    nodes = [node for node, _, _ in boxes]
    whole = boxes[0][1], boxes[0][2]
    for _, below, above in boxes:
        whole = np.minimum(whole[0], below), np.maximum(whole[1], above)
    for (node, below, above), colour in zip(boxes, _colours_of(estimator, nodes, colours)):
        ax.add_patch(Rectangle(below, *(above - below), fc=colour, ec=colours.ink, lw=0.9, zorder=0))
        if labels and np.all((above - below) > 0.09 * (whole[1] - whole[0])):
            value = estimator.tree_.forest.value[node]
            said = (
                estimator.classes_[estimator._decide(value[None])[0]] if is_classifier(estimator) else f"{value[0]:.3g}"
            )
            backing = {"boxstyle": "round,pad=0.2", "fc": colours.background, "ec": "none", "alpha": 0.75}
            ax.text(*(below + above) / 2, str(said), ha="center", va="center", fontsize=9, zorder=4, bbox=backing)
    if data is not None and is_classifier(estimator):
        for k, c in enumerate(estimator.classes_):
            ax.scatter(
                *data[0][data[1] == c].T, s=20, color=colours.cycle[k % 7], marker=MARKERS[k % 7],
                edgecolors=colours.background, linewidths=0.6, label=str(c), zorder=2,
            )  # fmt: skip
        ax.legend(loc="best", frameon=True, framealpha=0.85, facecolor=colours.background, edgecolor=colours.faint)
    elif data is not None:
        dots = ax.scatter(*data[0].T, c=data[1], s=18, cmap=colours.sequential, ec=colours.background, lw=0.5, zorder=2)
        ax.figure.colorbar(dots, ax=ax, label="y")
    ax.set(xlim=(whole[0][0], whole[1][0]), ylim=(whole[0][1], whole[1][1]))
    ax.grid(False)
    return ax


def _surface(estimator, boxes, data, labels, ax):
    from statlearn.plot import new_axes, theme

    if ax is not None and ax.name != "3d":
        raise ValueError(
            "kind='surface' requires three-dimensional axes; create them with "
            "plt.subplots(subplot_kw={'projection': '3d'})."
        )
    ax = new_axes(ax, figsize=(5.8, 5.0), subplot_kw={"projection": "3d"})
    nodes = [node for node, _, _ in boxes]
    heights = _heights(estimator, nodes)
    floor = min(0.0, heights.min()) if is_classifier(estimator) else heights.min() - 0.15 * (np.ptp(heights) or 1.0)
    for (_, below, above), height, colour in zip(boxes, heights, _colours_of(estimator, nodes, theme())):
        ax.bar3d(
            *below, floor, *(above - below), height - floor, color=colour, shade=True, edgecolor="k", linewidth=0.3
        )
    if data is not None and not is_classifier(estimator):
        ax.scatter(*data[0].T, data[1], s=6, color=theme().ink, depthshade=True)
    ax.set_zlabel(f"P({estimator.classes_[-1]})" if is_classifier(estimator) else "prediction")
    return ax
