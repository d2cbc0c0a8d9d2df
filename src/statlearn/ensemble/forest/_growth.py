"""Growth of the trees of a forest."""

import functools
import numbers
from dataclasses import dataclass

import numpy as np

from statlearn._core.native import trees as native
from statlearn._math.trees.forest import Forest
from statlearn._math.trees.growth import CRITERIA as EXACT_CRITERIA
from statlearn._math.trees.growth import features_to_draw, rows_or_share
from statlearn._math.trees.pruning import collapse_alphas, pruned
from statlearn._math.trees.table_coder import TableCoder

MAX_SEED = np.iinfo(np.int32).max
LARGEST = 2**31 - 1  # largest count in the kernels
# Criteria without a binned version, as they need medians.
CRITERIA = {"gini": 0, "entropy": 1, "log_loss": 1, "squared_error": 2, "poisson": 3}


def columns_per_node(max_features, p):
    """Number of columns considered at a node, from `max_features` and the number of columns."""
    return (
        max(1, p // 3)
        if isinstance(max_features, str) and max_features == "p/3"
        else min(features_to_draw(max_features, p), p)
    )


def growth_limits(model, n, p):
    """Sampling and stopping parameters of a forest as plain numbers, for n rows and p columns."""
    leaf = min(rows_or_share(model.min_samples_leaf, n), n + 1)
    return {
        "max_features": columns_per_node(model.max_features, p),
        "min_split": max(2, min(rows_or_share(model.min_samples_split, n), n + 1), 2 * leaf),
        "min_leaf": leaf,
        "min_leaf_share": float(model.min_weight_fraction_leaf),
        "min_decrease": float(model.min_impurity_decrease),
        "max_depth": min(model.max_depth or 0, LARGEST),
        "max_leaves": min(model.max_leaf_nodes or 0, LARGEST),
        "bootstrap": bool(model.bootstrap),
    }


@dataclass(frozen=True)
class Grower:
    """Grower of trees from encoded rows, on the bins of all columns or one exact tree after another.

    Parameters
    ----------
    coder : TableCoder
        Encoder of the rows.
    exact : bool
        Whether to look for thresholds between all values instead of bins.
    criterion : str
    n_classes : ndarray of int
        Number of classes of each output; empty for regression.
    monotone : ndarray of int
        Monotonicity constraint of each column; empty without constraints.
    limits : dict
        From `growth_limits`.
    draws : int
        Size of a bootstrap sample.
    balanced : bool
        Whether the classes of each bootstrap sample are weighted to have equal totals.
    """

    coder: TableCoder
    exact: bool
    criterion: str
    n_classes: np.ndarray
    monotone: np.ndarray
    limits: dict
    draws: int
    balanced: bool

    def on(self, X, y, weights):
        """A function of seeds: a forest of one tree per seed, and the number of splits evaluated. y: (n, outputs).

        What all trees share, such as the bins of the table, is made once.
        """
        weights = np.empty(0) if weights is None else weights.astype(np.float64)
        if self.exact:
            return functools.partial(self._grow_exact, X, y, weights)
        return functools.partial(self._grow_binned, self._binned(X, y, weights))

    @property
    def _settings(self):
        return {
            **self.limits,
            "draws": self.draws,
            "monotone": self.monotone,
            "random_cuts": self.coder.random_cuts,
            "balanced": self.balanced,
        }

    def _binned(self, X, y, weights):
        table = self.coder.bins.transform(X)
        low, high = np.empty((2, X.shape[1], 255))
        native.bin_ranges(X, table.by_column, low, high)
        return dict(
            by_row=table.by_row,
            by_column=table.by_column,
            n_bins=table.n_bins,
            ordered=table.ordered,
            has_missing=np.any(table.by_column == 255, axis=1).astype(np.uint8),
            low=low,
            high=high,
            y=np.ascontiguousarray(y, np.float64),
            n_classes=np.asarray(self.n_classes, np.int32),
            weight=weights,
            criterion=CRITERIA[self.criterion],
            **self._settings,
        )

    @staticmethod
    def _grow_binned(arguments, seeds):
        arrays = native.grow_forest(seeds=seeds, **arguments)
        evaluations = arrays.pop("evaluations")
        return Forest.of_arrays(arrays), evaluations

    def _grow_exact(self, X, y, weights, seeds):
        n, outputs = y.shape
        classes = len(self.n_classes) > 0
        trees = native.grow_exact_forest(
            X,
            np.empty((n, 0)) if classes else np.ascontiguousarray(y, np.float64),
            np.ascontiguousarray(y, np.int32) if classes else np.empty((n, 0), np.int32),
            np.asarray(self.n_classes, np.int32) if classes else np.ones(outputs, np.int32),
            weights,
            self.coder.mask.astype(np.uint8),
            bag_seeds=seeds,
            # The same draw as in a single tree with the same random_state.
            tree_seeds=np.array([np.random.RandomState(int(seed)).randint(MAX_SEED) for seed in seeds], np.uint64),
            criterion=EXACT_CRITERIA[self.criterion],
            **self._settings,
        )
        evaluations = sum(tree.pop("evaluations") for tree in trees)
        return Forest.of(trees), evaluations


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
    limit = min(max(100 * n, 1_000_000), LARGEST)
    if size > limit:
        raise ValueError(
            f"`max_samples`={max_samples} amounts to {size:,.6g} draws per tree from {n:,} rows; at most {limit:,} are "
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
