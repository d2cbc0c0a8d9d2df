"""Growing the trees of a forest, on bins all at once or one exact tree after another."""

import numbers

import numpy as np

from statlearn._core.frames import CategoryCoder
from statlearn._core.native import trees as native
from statlearn._core.trees.bins import BinMapper
from statlearn._core.trees.forest import Forest
from statlearn._core.trees.growth import CRITERIA as EXACT_CRITERIA
from statlearn._core.trees.growth import features_to_draw, rows_or_share
from statlearn._core.trees.pruning import collapse_alphas, pruned

MAX_SEED = np.iinfo(np.int32).max
LARGEST = 2**31 - 1  # largest count in the kernels
# Proportion of evenly spaced bins for random thresholds. Without them, all thresholds in the sparse tails of a column
# would move to the same bin edge.
EVEN_SHARE = 0.25
# Criteria without a binned version, as they need medians.
CRITERIA = {"gini": 0, "entropy": 1, "log_loss": 1, "squared_error": 2, "poisson": 3}


def columns_per_node(max_features, p):
    """Number of columns considered at a node, from `max_features` and the number of columns."""
    return (
        max(1, p // 3)
        if isinstance(max_features, str) and max_features == "p/3"
        else min(features_to_draw(max_features, p), p)
    )


class TableCoder:
    """Encoder of tables for growing forests: categories to codes, and values and codes to bins.

    Parameters
    ----------
    categorical_features : "from_dtype", array-like or None
        See CategoryCoder.
    max_bins : int or None
        Maximum number of bins per column. None leaves numbers and codes unchanged.
    random_cuts : bool
        Whether thresholds will be drawn uniformly from a column's range.
    """

    def __init__(self, categorical_features, max_bins, random_cuts):
        self.categories = CategoryCoder(categorical_features)
        self.max_bins = max_bins
        self.random_cuts = random_cuts
        self.bins = None

    def fit_frame(self, X):
        """A data frame with its categorical columns of text replaced by codes."""
        return self.categories.fit_frame(X)

    def read_frame(self, X):
        """The same for further tables."""
        return self.categories.read_frame(X)

    def fit(self, X, names, target):
        """Learn levels and bins from a validated table; `target` (n, k) orders the levels of columns with many."""
        codes = self.categories.fit(X, names).encode(X)
        if self.max_bins is not None:
            even = EVEN_SHARE if self.random_cuts else 0.0
            self.bins = BinMapper(self.max_bins, self.mask, even_share=even)
            self.bins.fit(codes, np.random.RandomState(0), target)
        return self

    def encode(self, X):
        """A validated table, encoded for the trees."""
        X = self.categories.encode(X)
        return X if self.bins is None else self.bins.encode(X)

    @property
    def mask(self):
        """Mask of the categorical columns."""
        return self.categories.mask


def growth_settings(model, n, p):
    """Sampling and stopping parameters as plain numbers."""
    leaf = min(rows_or_share(model.min_samples_leaf, n), n + 1)
    return {
        "max_features": columns_per_node(model.max_features, p),
        "min_split": max(2, min(rows_or_share(model.min_samples_split, n), n + 1), 2 * leaf),
        "min_leaf": leaf,
        "min_leaf_share": float(model.min_weight_fraction_leaf),
        "min_decrease": float(model.min_impurity_decrease),
        "max_depth": min(model.max_depth or 0, LARGEST),
        "max_leaves": min(model.max_leaf_nodes or 0, LARGEST),
        "random_cuts": model._random_cuts,
        "bootstrap": bool(model.bootstrap),
        "balanced": model._balances_samples,
    }


def grow_binned(model, X, y, weights, draws, seeds, monotone):
    """Grow a forest of one tree per seed. X is encoded; y: (n, outputs), numbers or class indices."""
    n, p = X.shape
    bins = model._coder.bins
    table = bins.transform(X)
    low, high = np.empty((2, p, 255))
    native.bin_ranges(X, table.by_column, low, high)
    arrays = native.grow_forest(
        by_row=table.by_row,
        by_column=table.by_column,
        n_bins=table.n_bins,
        ordered=table.ordered,
        has_missing=np.any(table.by_column == 255, axis=1).astype(np.uint8),
        low=low,
        high=high,
        y=np.ascontiguousarray(y, np.float64),
        n_classes=np.asarray(model._class_counts(), np.int32),
        weight=np.empty(0) if weights is None else weights.astype(np.float64),
        seeds=seeds,
        criterion=CRITERIA[model.criterion],
        draws=draws,
        monotone=monotone,
        **growth_settings(model, n, p),
    )
    model.n_split_evaluations_ = getattr(model, "n_split_evaluations_", 0) + arrays.pop("evaluations")
    forest = Forest()
    for name, array in arrays.items():
        setattr(forest, name, array)
    forest.output = np.zeros(len(forest.roots), np.int32)
    return forest


def grow_exact(model, X, y, weights, draws, seeds, monotone):
    """The same with exact, unbinned trees."""
    n, p = X.shape
    counts = np.asarray(model._class_counts(), np.int32)
    classes = len(counts) > 0
    trees = native.grow_exact_forest(
        X,
        np.empty((n, 0)) if classes else np.ascontiguousarray(y, np.float64),
        np.ascontiguousarray(y, np.int32) if classes else np.empty((n, 0), np.int32),
        counts if classes else np.ones(y.shape[1], np.int32),
        np.empty(0) if weights is None else weights.astype(np.float64),
        model._coder.mask.astype(np.uint8),
        monotone,
        seeds,
        # The same draw as in a single tree with the same random_state.
        np.array([np.random.RandomState(int(seed)).randint(MAX_SEED) for seed in seeds], np.uint64),
        criterion=EXACT_CRITERIA[model.criterion],
        draws=draws,
        **growth_settings(model, n, p),
    )
    model.n_split_evaluations_ = getattr(model, "n_split_evaluations_", 0) + sum(t.pop("evaluations") for t in trees)
    return Forest.of(trees)


def chained(forests):
    """Concatenation of many forests."""
    while len(forests) > 1:  # pairwise, so that every array is copied log2 times, not once per tree
        pairs = [a.joined(b) for a, b in zip(forests[::2], forests[1::2])]
        forests = pairs + forests[len(pairs) * 2 :]
    return forests[0]


def pruned_trees(forest, alpha):
    """The forest with every tree pruned at complexity alpha per leaf."""
    trees = [forest.tree(t) for t in range(len(forest))]
    return chained([pruned(tree, collapse_alphas(tree) <= alpha)[1] for tree in trees])


def bootstrap_size(n, max_samples, weights):
    """Size of a bootstrap sample, from `max_samples`, and a warning text if it is suspiciously small."""
    if max_samples is None:
        return n, None
    if isinstance(max_samples, numbers.Integral):
        _refuse_many_draws(n, max_samples, int(max_samples))
        return int(max_samples), None
    total = n if weights is None else float(weights.sum())
    _refuse_many_draws(n, max_samples, max_samples * total)
    size = max(int(max_samples * total), 1)
    if size >= max(10, n ** (1 / 3)):
        return size, None
    what = f"the number of samples is {n}" if weights is None else f"the total sum of sample weights is {total}"
    return size, (
        f"Using the fractional value max_samples={max_samples} when {what} results in a low number ({size}) of "
        "bootstrap samples. We recommend passing `max_samples` as an integer instead."
    )


def _refuse_many_draws(n, max_samples, size):
    most = min(max(100 * n, 1_000_000), LARGEST)
    if size > most:
        raise ValueError(
            f"`max_samples`={max_samples} amounts to {size:,.6g} draws per tree from {n:,} rows; at most {most:,} are "
            "supported. A float counts the draws as a share of the sum of the weights."
        )


def class_gains(forest):
    """Decrease in weight x one-vs-rest Gini impurity of each class at every node, (n_classes, n_nodes)."""
    inner = np.flatnonzero(~forest.is_leaf)
    left = forest.child[inner]
    mass = forest.weight[:, None] * 2 * forest.value * (1 - forest.value)
    gains = np.zeros_like(mass)
    gains[inner] = mass[inner] - mass[left] - mass[left + 1]
    return gains.T


def mean_importances(forest, gain, p, scale):
    """Mean over the trees of the gains of each column."""
    inner = np.flatnonzero(~forest.is_leaf)
    tree = np.searchsorted(forest.roots, inner, side="right") - 1
    total = np.bincount(tree * p + forest.feature[inner], weights=gain[inner], minlength=len(forest) * p)
    total = total.reshape(len(forest), p)
    if scale is None:
        return (total / forest.weight[forest.roots][:, None]).mean(axis=0)
    sums = total.sum(axis=1)
    grown = sums > 0
    if not np.any(grown):
        return np.zeros(p)
    mean = (total[grown] / sums[grown, None]).mean(axis=0)
    return mean / mean.sum() if scale == "sum1" else 100 * mean / mean.max()
