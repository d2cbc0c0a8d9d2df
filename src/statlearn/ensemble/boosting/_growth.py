"""Growing the trees of a boosted model: row sampling, growth on bins or sorted columns, and score updates."""

import numpy as np

from statlearn._core.frames import interaction_sets, monotone_signs
from statlearn._core.native import ensemble as native_ensemble
from statlearn._core.native import trees as native_trees
from statlearn._math.trees.forest import Forest
from statlearn._math.trees.growth import rows_or_share

# From this many rows on, sums of rounded derivatives are as accurate as exact sums and several times faster.
QUANTISED_FROM = 20_000
CATEGORY_SMOOTHING = (
    0.1  # added to the second derivatives when categories are ordered, as rare ones carry little information
)
MAX_SIDE_CATEGORIES = 64  # per split; with hundreds of categories, splits through the middle fit noise
LARGEST = 2**31 - 1  # largest count in the kernels
BLOCK = 1 << 16  # values of a sparse table converted to dense at a time


def add_predictions(forest, X, sums):
    """Add the values of a forest to `sums`, for a dense or a sparse table."""
    if isinstance(X, np.ndarray):
        forest.add_predictions(X, sums)
        return
    rows = max(1, BLOCK // max(X.shape[1], 1))
    for first in range(0, X.shape[0], rows):
        forest.add_predictions(X[first : first + rows].toarray(), sums[first : first + rows])


def leaves_of(forest, X):
    """Index of the leaf that each row reaches in each tree, for a dense or sparse table."""
    if isinstance(X, np.ndarray):
        return forest.apply(X)
    rows = max(1, BLOCK // max(X.shape[1], 1))
    parts = [forest.apply(X[first : first + rows].toarray()) for first in range(0, X.shape[0], rows)]
    return np.concatenate(parts)


def meeting_point(low, low_weight, high, high_weight):
    """The m that minimises the squared change when `low` values above m and `high` values below m are set to m."""
    knots = np.unique(np.concatenate([low, high]))
    above = np.maximum(low - knots[:, None], 0.0) @ low_weight
    below = np.maximum(knots[:, None] - high, 0.0) @ high_weight
    return np.interp(0.0, below - above, knots)


class TreeGrower:
    """Grows the trees of one fit; holds the row indices that a tree reorders.

    Parameters
    ----------
    model : GradientBoosting
    X : ndarray or sparse matrix
        The encoded table.
    weights : ndarray or None
    seed : int
        Seed of the random draws of all rounds.
    """

    def __init__(self, model, X, weights, seed):
        n, p = X.shape
        self.model, self.X, self.weights, self.seed = model, X, weights, seed
        self.exact = model.tree_method == "exact"
        self.all_rows = np.arange(n, dtype=np.uint32)
        self.order, self.scratch = np.empty((2, n), np.uint32)
        self.packed = np.empty(n, np.int32)  # rounded derivatives
        self.sample, self.factor = self.all_rows, None
        self.rule = self._rule(n, p)
        if self.exact:
            self._sort_columns()
        else:
            self.table = model._bins.transform(X)
        self.counts_weights = weights is not None and self.rule["min_leaf_weight"] > 0

    def _rule(self, n, p):
        model, names = self.model, getattr(self.model, "feature_names_in_", None)
        total = float(n if self.weights is None else self.weights.sum(dtype=np.float64))
        share = model.min_weight_fraction_leaf
        min_leaf_rows = min(rows_or_share(model.min_samples_leaf, n), n + 1)
        if self.weights is None:
            min_leaf_rows = max(min_leaf_rows, int(np.ceil(share * n)))
        drawn = model.max_features_
        return dict(
            max_leaves=LARGEST if model.max_leaf_nodes is None else min(int(model.max_leaf_nodes), LARGEST),
            max_depth=min(int(model.max_depth or 0), LARGEST),
            best_first=model.max_leaf_nodes is not None,
            post_prune=bool(model.post_prune),
            min_leaf_rows=min_leaf_rows,
            min_split_rows=max(2, min(rows_or_share(model.min_samples_split, n), n + 1)),
            min_leaf_hessian=float(model.min_child_weight),
            min_leaf_weight=0.0 if self.weights is None else share * total,
            min_gain=float(model.min_impurity_decrease) * total / 2,
            prune_gain=float(model.ccp_alpha) * total / 2,
            alpha=float(model.reg_alpha),
            gamma=float(model.gamma),
            category_smoothing=CATEGORY_SMOOTHING,
            max_side_categories=MAX_SIDE_CATEGORIES,
            columns_per_split=0 if drawn == p else drawn,
            monotone=self._monotone(p, names),
            interaction=interaction_sets(model.interaction_cst, p, names),
            **{"lambda": float(model.reg_lambda)},
        )

    def _monotone(self, p, names):
        signs = monotone_signs(self.model.monotonic_cst, p, names)
        if len(signs) and np.any(signs[self.model._bins.categorical] != 0):
            raise ValueError("`monotonic_cst` must be 0 for categorical columns.")
        return signs

    def _sort_columns(self):
        X = self.X if isinstance(self.X, np.ndarray) else self.X.toarray()
        self.values = np.asfortranarray(X)
        self.sorted = np.argsort(self.values.T, axis=1, kind="stable").astype(np.uint32)  # NaN comes last
        self.n_levels = np.zeros(X.shape[1], np.int32)
        for j, count in self.model._bins.n_levels.items():
            self.n_levels[j] = max(count, 1)

    def draw_rows(self, round_, g):
        """Draw the rows of a round: a random subsample, or those with large gradients and a sample of the others."""
        n, model = len(self.all_rows), self.model
        if model.goss is None and model.subsample == 1.0:
            return
        rng = np.random.default_rng([self.seed, round_])
        if model.goss is None:
            size = max(1, int(model.subsample * n))
            self.sample = np.sort(rng.permutation(n)[:size]).astype(np.uint32)
            return
        top, rest = model.goss
        n_top = int(np.ceil(top * n))
        if n_top >= n:
            self.sample, self.factor = self.all_rows, None
            return
        size = np.abs(g).sum(axis=0) if len(g) > 1 else np.abs(g[0])
        by_size = np.argpartition(-size, n_top)
        others = by_size[n_top:]
        drawn = rng.permutation(len(others))[: min(len(others), int(np.ceil(rest * n)))]
        self.factor = np.ones(n, size.dtype)
        self.factor[others] = (n - n_top) / max(len(drawn), 1)
        self.sample = np.sort(np.concatenate([by_size[:n_top], others[drawn]])).astype(np.uint32)

    @property
    def others(self):
        """Mask of the rows outside the sample."""
        mask = np.ones(len(self.all_rows), bool)
        mask[self.sample] = False
        return mask

    def row_weights(self, rows):
        """Weights of some rows in this round, or None if all are 1."""
        if self.weights is None:
            return None if self.factor is None else self.factor[rows]
        return self.weights[rows] if self.factor is None else self.weights[rows] * self.factor[rows]

    def grow(self, g, h, seed):
        """A tree on the rows of this round."""
        m = len(self.sample)
        order, scratch = self.order[:m], self.scratch[:m]
        order[:] = self.sample
        if self.factor is not None:
            g, h = g * self.factor, h * self.factor
        weight = self.weights if self.counts_weights else None
        rule = {**self.rule, "seed": seed, "max_leaves": max(2, min(self.rule["max_leaves"], m))}
        if self.exact:
            return native_trees.grow_boosting_tree_exact(
                self.values, self.sorted, self.n_levels, g, h, weight, rule, order, scratch
            )
        table = self.table
        packed = self.packed if m >= QUANTISED_FROM and weight is None else self.packed[:0]
        return native_trees.grow_boosting_tree(
            table.by_row,
            table.by_column,
            table.wide_codes,
            table.wide,
            table.column,
            table.n_bins,
            table.first,
            table.zero,
            table.ordered,
            g,
            h,
            weight,
            rule,
            order,
            scratch,
            packed,
        )

    def rows_of(self, tree, node):
        """The sampled rows in a leaf of the tree grown last."""
        first = tree["first"][node]
        return self.order[first : first + tree["rows"][node]]

    def keep_directions(self, tree):
        """Adjust leaf values that violate a monotonicity constraint.

        While a tree is grown, its leaf values are kept within bounds, but values fitted to the rows of the leaves
        afterwards ignore them. At every split on a constrained column, from the root down, the values of both sides are
        clipped at a common number.
        """
        signs = self.rule["monotone"]
        if not np.any(signs):
            return
        leaves = np.flatnonzero(tree["feature"] < 0)
        leaves = leaves[np.argsort(tree["first"][leaves])]  # so that the leaves below a node are contiguous
        value, weight, first = tree["value"][leaves], self._node_weights(tree)[leaves], tree["first"][leaves]
        for k in np.flatnonzero(tree["feature"] >= 0):  # parents come before children
            sign = signs[tree["feature"][k]]
            if sign == 0:
                continue
            child = tree["child"][k] + np.array([0, 1])[::sign]
            ends = np.searchsorted(first, [tree["first"][child], tree["first"][child] + tree["rows"][child]])
            low, high = slice(*ends[:, 0]), slice(*ends[:, 1])
            if value[low].max() > value[high].min():
                middle = meeting_point(value[low], weight[low], value[high], weight[high])
                value[low], value[high] = np.minimum(value[low], middle), np.maximum(value[high], middle)
        tree["value"][leaves] = value

    def finished(self, tree):
        """The tree with thresholds in terms of values instead of bins."""
        if not self.exact:
            inner = tree["feature"] >= 0
            tree["threshold"][inner] = self.model._bins.threshold(tree["feature"][inner], tree["bin"][inner])
        return {**tree, "category_set": tree["categories"], "weight": self._node_weights(tree)}

    def _node_weights(self, tree):
        """Sum of the weights of each node's rows."""
        if self.weights is None:
            return tree["rows"]
        passed = np.concatenate([[0.0], np.cumsum(self.weights[self.order[: len(self.sample)]], dtype=np.float64)])
        return passed[tree["first"] + tree["rows"]] - passed[tree["first"]]

    def add(self, tree, k, scores):
        """Add the values of a finished tree to column k of the scores: by leaf for its rows, else by prediction."""
        leaf = tree["feature"] < 0
        native_ensemble.add_leaf_values(
            self.order[: len(self.sample)], tree["first"][leaf], tree["rows"][leaf], tree["value"][leaf], k, scores
        )
        if len(self.sample) < len(self.all_rows):
            others = self.others
            sums = np.zeros((int(others.sum()), 1))
            add_predictions(Forest.of([tree]), self.X[others], sums)
            scores[others, k] += sums[:, 0].astype(scores.dtype)
