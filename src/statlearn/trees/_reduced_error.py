"""Pruning on held-out rows: reduced-error pruning and subtree raising."""

import copy

import numpy as np
from sklearn.base import is_classifier
from sklearn.utils.validation import check_is_fitted, column_or_1d

from statlearn._core.params import Options, Real, check_arguments
from statlearn._core.validation import check_same_length, check_weights, class_codes
from statlearn._math.trees.forest import Forest
from statlearn._math.trees.pruning import pruned
from statlearn._math.trees.tree import Tree

from ._tree_base import BaseDecisionTree


def _check_tree(estimator, function):
    if not isinstance(estimator, BaseDecisionTree):
        raise TypeError(
            f"{function} requires a statlearn DecisionTreeClassifier or DecisionTreeRegressor, got "
            f"{type(estimator).__name__}."
        )
    check_is_fitted(estimator)
    if is_classifier(estimator) and estimator.n_outputs_ > 1:
        raise ValueError(f"{function} does not support multi-output classification; fit one tree per output.")


def _checked_rows(estimator, X, y, sample_weight, name="sample_weight"):
    """The table as the tree reads it, the target, and the weights."""
    X = estimator._check_table(X)
    y = np.asarray(y) if np.ndim(y) > 1 and estimator.n_outputs_ > 1 else column_or_1d(y)
    check_same_length(X, y)
    weights = check_weights(sample_weight, np.empty((X.shape[0], 1)), name=name)
    return X, y, np.ones(X.shape[0]) if weights is None else weights


def _with_forest(estimator, forest, nodes):
    """A copy of the estimator with a new tree; `kept` are the old indices of its nodes."""
    new = copy.deepcopy(estimator)
    new.tree_ = Tree(forest, estimator.tree_.n_features, estimator.tree_.n_classes)
    if new.surrogates_ is not None:
        new.surrogates_ = new.surrogates_.of_nodes(nodes, forest.is_leaf)
    return new


def prune_reduced_error(estimator, X_val, y_val, *, strategy="bottom_up", threshold=0.0, sample_weight=None):
    """Reduced-error pruning of a tree on held-out rows.

    Subtrees are replaced by leaves if this does not increase the loss on the held-out rows. The loss is the error rate
    (or the mean loss by `loss_matrix`) for classifiers, the squared error for regressors, and the absolute error if
    that is the criterion.

    Parameters
    ----------
    estimator : DecisionTreeClassifier or DecisionTreeRegressor
        A fitted tree. It is not modified.
    X_val : array-like of shape (n_rows, n_features)
        Held-out rows, not used to grow the tree.
    y_val : array-like of shape (n_rows,)
        Their classes or target values.
    strategy : {"bottom_up", "greedy"}, default="bottom_up"
        "bottom_up" visits the nodes from the leaves up and replaces every subtree for which a leaf is no worse.
        "greedy" repeatedly replaces the subtree with the largest improvement until every replacement would increase
        the loss.
    threshold : float, default=0.0
        Maximum increase in the mean loss over all held-out rows allowed for a replacement.
    sample_weight : array-like of shape (n_rows,) or None, default=None
        Weights of the held-out rows.

    Returns
    -------
    estimator
        A pruned copy.

    Notes
    -----
    With ``threshold=0`` the loss on the held-out rows never increases. Afterwards it is no longer an honest estimate,
    so use other rows for that. Subtrees that no held-out row reaches are replaced. Bottom-up pruning returns the
    smallest of all pruned trees with the minimum loss on the held-out rows.

    The cost is one pass of the rows through the tree plus O(nodes), or O(nodes) per replacement for "greedy".

    References
    ----------
    Quinlan, J. R. (1987). Simplifying decision trees. *International Journal of Man-Machine Studies* 27, 221-234.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from statlearn.trees import DecisionTreeClassifier, prune_reduced_error
    >>> X, y = load_iris(return_X_y=True)
    >>> full = DecisionTreeClassifier().fit(X[::2], y[::2])
    >>> small = prune_reduced_error(full, X[1::2], y[1::2])
    >>> small.get_n_leaves() < full.get_n_leaves(), small.score(X[1::2], y[1::2]) >= full.score(X[1::2], y[1::2])
    (True, True)
    """
    check_arguments(
        prune_reduced_error,
        strategy=(strategy, [Options("bottom_up", "greedy")]),
        threshold=(threshold, [Real(0, None)]),
    )
    _check_tree(estimator, "prune_reduced_error")
    X, y, w = _checked_rows(estimator, X_val, y_val, sample_weight)
    forest = estimator.tree_.forest
    path = forest.paths(estimator._leaves(X)[:, None]).tocoo()
    losses = estimator._node_losses(y, path.row, path.col) * w[path.row]
    as_leaf = np.bincount(path.col, losses, minlength=len(forest.feature))
    slack = threshold * w.sum() + 1e-12 * as_leaf[0]
    collapse = _bottom_up if strategy == "bottom_up" else _greedy
    nodes, smaller = pruned(forest, collapse(forest, as_leaf, slack))
    return _with_forest(estimator, smaller, nodes)


def _bottom_up(forest, as_leaf, slack):
    best, collapsed = as_leaf.copy(), np.zeros(len(as_leaf), bool)
    for node in np.flatnonzero(~forest.is_leaf)[::-1]:  # children come after their parents
        below = best[forest.child[node]] + best[forest.child[node] + 1]
        collapsed[node] = as_leaf[node] <= below + slack
        best[node] = as_leaf[node] if collapsed[node] else below
    return collapsed


def _greedy(forest, as_leaf, slack):
    below, parent = as_leaf.copy(), forest.parent
    inner = ~forest.is_leaf
    for node in np.flatnonzero(inner)[::-1]:
        below[node] = below[forest.child[node]] + below[forest.child[node] + 1]
    collapsed = np.zeros(len(as_leaf), bool)
    gain = np.where(inner, below - as_leaf, -np.inf)
    while (node := int(np.argmax(gain))) >= 0 and gain[node] >= -slack:
        change = as_leaf[node] - below[node]
        collapsed[node] = True
        below_it = [node]
        while below_it:  # nodes of a removed subtree are no longer candidates
            at = below_it.pop()
            gain[at] = -np.inf
            if inner[at]:
                below_it += [forest.child[at], forest.child[at] + 1]
        while node >= 0:
            below[node] += change
            if gain[node] > -np.inf:
                gain[node] = below[node] - as_leaf[node]
            node = parent[node]
    return collapsed


class _Raiser:
    """Pass from the leaves up that replaces nodes by their heaviest children."""

    def __init__(self, estimator, train, held):
        self.estimator = estimator
        self.X, self.y, self.w = train
        self.X_held, self.y_held, self.w_held = held
        self.forest = copy.deepcopy(estimator.tree_.forest)
        self.judge = copy.copy(estimator)
        self.judge.tree_ = Tree(self.forest, estimator.tree_.n_features, estimator.tree_.n_classes)

    def run(self, slack):
        while self._one_pass(slack):
            pass
        return pruned(self.forest, np.zeros(len(self.forest.feature), bool))

    def _one_pass(self, slack):
        """Perform one pass; returns whether it raised a node. Nodes above a change keep their rows."""
        train, held = (_rows_by_node(self.forest, X) for X in (self.X, self.X_held))
        changed = False
        for node in sorted(train, reverse=True):
            if self.forest.child[node] == node:
                continue
            children = self.forest.child[node] + np.arange(2)
            heaviest = int(children[np.argmax(self.forest.weight[children])])
            if self.forest.child[heaviest] != heaviest and self._raise(node, heaviest, train[node], held[node], slack):
                changed = True
        return changed

    def _loss(self, node, rows):
        """Loss of these held-out rows below a node."""
        if len(rows) == 0:
            return 0.0
        leaves = _descend(self.forest, self.X_held, rows, node)
        return float(self.w_held[rows] @ self.judge._node_losses(self.y_held, rows, leaves))

    def _raise(self, node, child, train, held, slack):
        """Try a replacement, and keep it if the loss on the held-out rows does not increase."""
        forest = self.forest
        before = self._loss(node, held)
        touched = np.array([node, *_below(forest, child)])
        saved = {name: getattr(forest, name)[touched].copy() for name in Forest._PER_NODE if len(getattr(forest, name))}
        for name in ("feature", "threshold", "child", "missing_left", "category_set"):
            getattr(forest, name)[node] = getattr(forest, name)[child]
        forest.child[child] = child  # detached, so that its children have a single parent
        self._refill(node, train)
        if self._loss(node, held) <= before + slack:
            return True
        for name, values in saved.items():
            getattr(forest, name)[touched] = values
        return False

    def _refill(self, top, rows):
        """Recompute the statistics of the nodes from `top` down from the rows that now reach them."""
        forest, inner = self.forest, []
        open_ = [(top, rows)]
        while open_:
            node, here = open_.pop()
            forest.rows[node], forest.weight[node] = len(here), self.w[here].sum()
            forest.value[node], forest.impurity[node] = self._facts(here)
            child = forest.child[node]
            if child != node:
                inner.append(node)
                left = _goes_left(forest, self.X[here], np.full(len(here), node))
                open_ += [(child, here[left]), (child + 1, here[~left])]
        inner = np.array(inner)
        mass = forest.weight * forest.impurity
        forest.gain[inner] = mass[inner] - mass[forest.child[inner]] - mass[forest.child[inner] + 1]

    def _facts(self, rows):
        """Value and impurity of a node that holds some rows."""
        if is_classifier(self.estimator):
            from ._impurity import class_impurity

            counts = np.bincount(self.y[rows], self.w[rows], len(self.estimator.classes_))
            names = {"log_loss": "entropy"}
            criterion = names.get(self.estimator.criterion, self.estimator.criterion)
            base = 2 if criterion == "entropy" else None
            return counts / counts.sum(), class_impurity(counts, criterion, base=base)
        y, w = self.y[rows], self.w[rows]
        mean = np.average(y, weights=w)
        return mean, np.average((y - mean) ** 2, weights=w)


def _below(forest, top):
    """A node and its descendants."""
    below = [top]
    for node in below:
        if forest.child[node] != node:
            below += [forest.child[node], forest.child[node] + 1]
    return below


def _goes_left(forest, X, nodes):
    """Whether each row goes left at the corresponding node."""
    rows = np.arange(len(nodes))
    x = X[rows, forest.feature[nodes]]
    left = x <= forest.threshold[nodes]
    sets = forest.category_set[nodes]
    unknown = np.isnan(x)
    if (sets >= 0).any():
        bits = forest.left_sets.shape[1] * 32
        code = np.where(unknown | (x < 0) | (x >= bits), 0, x).astype(np.int64)
        inside = (forest.left_sets[sets, code // 32] >> (code % 32).astype(np.uint32)) & 1
        left = np.where(sets >= 0, inside.astype(bool), left)
        unknown |= (sets >= 0) & ((x < 0) | (x >= bits))
    return np.where(unknown, forest.missing_left[nodes].astype(bool), left)


def _descend(forest, X, rows, start):
    """The leaf that each of these rows reaches, starting from a given node."""
    node = np.full(len(rows), start)
    active = np.flatnonzero(forest.child[node] != node)
    while len(active):
        at = node[active]
        node[active] = forest.child[at] + ~_goes_left(forest, X[rows[active]], at)
        active = active[forest.child[node[active]] != node[active]]
    return node


def _rows_by_node(forest, X):
    """The rows that reach each node."""
    rows_of, open_ = {}, [(0, np.arange(X.shape[0]))]
    while open_:
        node, rows = open_.pop()
        rows_of[node] = rows
        child = forest.child[node]
        if child != node:
            left = _goes_left(forest, X[rows], np.full(len(rows), node))
            open_ += [(child, rows[left]), (child + 1, rows[~left])]
    return rows_of


def subtree_raising(estimator, X, y, X_val, y_val, *, threshold=0.0, sample_weight=None, sample_weight_val=None):
    """Subtree raising: pruning that replaces nodes by their heaviest child.

    A node is replaced if this does not increase the loss on held-out rows. All training rows of the node are then
    passed through the subtree of the child, and its leaves are recomputed.

    Parameters
    ----------
    estimator : DecisionTreeClassifier or DecisionTreeRegressor
        A fitted tree. It is not modified.
    X, y : array-like
        The training data of the tree.
    X_val, y_val : array-like
        Held-out rows, not used to grow the tree.
    threshold : float, default=0.0
        Maximum increase in the mean loss over the held-out rows allowed for each replacement.
    sample_weight, sample_weight_val : array-like of shape (n_rows,) or None, default=None
        Weights of the training rows and of the held-out rows.

    Returns
    -------
    estimator
        A copy with raised branches. It can be pruned further with :func:`prune_reduced_error`.

    Notes
    -----
    Passes from the leaves up are repeated until nothing changes. With ``threshold=0`` the loss on `X_val` never
    increases, and these rows no longer give an honest estimate afterwards. Supported are single-output trees with the
    Gini, entropy, error rate or squared error criterion, without a loss matrix or monotonicity constraints, and with
    ``missing="direction"`` or ``missing="category"``.

    In each pass, the rows of every node are passed through its heaviest branch, which costs O(n depth^2) for a
    balanced tree.

    References
    ----------
    Quinlan, J. R. (1993). *C4.5: Programs for Machine Learning*, chapter 4.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from statlearn.trees import DecisionTreeClassifier, subtree_raising
    >>> X, y = load_iris(return_X_y=True)
    >>> full = DecisionTreeClassifier().fit(X[::2], y[::2])
    >>> small = subtree_raising(full, X[::2], y[::2], X[1::2], y[1::2])
    >>> small.get_n_leaves() <= full.get_n_leaves(), small.score(X[1::2], y[1::2]) >= full.score(X[1::2], y[1::2])
    (True, True)
    """
    check_arguments(subtree_raising, threshold=(threshold, [Real(0, None)]))
    _check_tree(estimator, "subtree_raising")
    _check_raisable(estimator)
    table, target, w = _checked_rows(estimator, X, y, sample_weight)
    if is_classifier(estimator):
        w = estimator._class_weighted(w, target.reshape(-1, 1))
        target = class_codes(estimator.classes_, target, among="the classes of the tree")
    kept_rows = w > 0
    held, *of_held = _checked_rows(estimator, X_val, y_val, sample_weight_val, "sample_weight_val")
    table, held = (np.concatenate(list(estimator._blocks(rows))) for rows in (table, held))
    raiser = _Raiser(estimator, (table[kept_rows], target[kept_rows], w[kept_rows]), (held, *of_held))
    nodes, smaller = raiser.run(threshold * of_held[1].sum() + 1e-12)
    return _with_forest(estimator, smaller, nodes)


def _check_raisable(estimator):
    if estimator._missing in ("surrogate", "fractional"):
        raise ValueError(
            f"subtree_raising does not support missing={estimator._missing!r}; use 'direction' or 'category'."
        )
    if estimator.n_outputs_ > 1 or getattr(estimator, "loss_matrix", None) is not None:
        raise ValueError("subtree_raising supports only single-output trees without `loss_matrix`.")
    if estimator.monotonic_cst is not None:
        raise ValueError("`subtree_raising` does not support `monotonic_cst`: a raised subtree may violate it.")
    if estimator.criterion in ("absolute_error", "poisson"):
        raise ValueError(
            f"subtree_raising does not support criterion={estimator.criterion!r}; use 'squared_error' for regression."
        )
