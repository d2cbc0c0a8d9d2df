"""Interface between the parameters of decision trees and the native grower."""

import math
import numbers

import numpy as np

from statlearn._core.native import trees as native
from statlearn._core.params import Instance, Int, Options, Real

from .forest import Forest

CRITERIA = {"gini": 0, "entropy": 1, "log_loss": 1, "error": 2, "loss": 3}
CRITERIA |= {"squared_error": 4, "absolute_error": 5, "poisson": 6}
MISSING = {"direction": 0, "category": 1, "surrogate": 2, "fractional": 3}
LARGEST = 2**62  # larger than any number of rows, and still an integer in the kernels
CATEGORIES = {"ordered": 0, "exhaustive": 1, "multiway": 2}
LARGEST_TARGET = 1e150  # limit for criteria that sum squares
SURROGATES = ("node", "feature", "threshold", "below_left", "set", "agreement", "adjusted")


class Share(Real):
    """A real number that is not an integer, for a proportion of the rows or columns."""

    def accepts(self, value):
        return super().accepts(value) and not isinstance(value, numbers.Integral)


# Constraints of the parameters shared by single trees and forests.
GROWTH_CONSTRAINTS: dict = {
    "max_depth": [Int(1, None), None],
    "min_samples_split": [Int(2, None), Share(0, 1, closed="right")],
    "min_samples_leaf": [Int(1, None), Share(0, 1, closed="neither")],
    "min_weight_fraction_leaf": [Real(0, 0.5, closed="both")],
    "max_features": [Int(1, None), Share(0, 1, closed="right"), Options("sqrt", "log2"), None],
    "random_state": ["random_state"],
    "max_leaf_nodes": [Int(2, None), None],
    "min_impurity_decrease": [Real(0, None)],
    "ccp_alpha": [Real(0, None)],
    "monotonic_cst": ["array-like", Instance(dict), None],
    "categorical_features": [Options("from_dtype"), "array-like", None],
    "max_bins": [Int(2, 255)],
}


def check_response(y, criterion):
    """Raise for targets that the criterion cannot handle: squares that overflow, negative counts."""
    if criterion == "squared_error" and np.abs(y).max(initial=0.0) > LARGEST_TARGET:
        raise ValueError(f"y contains {np.abs(y).max():.3g}, whose square overflows; scale y.")
    if criterion == "poisson":
        if np.any(y < 0):
            raise ValueError("Some value(s) of y are negative which is not allowed for Poisson regression.")
        if np.sum(y) <= 0:
            raise ValueError("Sum of y is not positive which is necessary for Poisson regression.")


def features_to_draw(max_features, p):
    """Number of columns considered at each node."""
    if max_features is None:
        return p
    if max_features == "sqrt":
        return max(1, int(np.sqrt(p)))
    if max_features == "log2":
        return max(1, int(np.log2(p)))
    if isinstance(max_features, numbers.Integral):
        return int(max_features)
    return max(1, int(max_features * p))


def rows_or_share(value, n):
    """A number of rows, given as such or as a proportion of n."""
    return int(value) if isinstance(value, numbers.Integral) else math.ceil(value * n)


def native_rules(model, *, n, total_weight, max_features, criterion, seed, target_risk):
    """The parameters of the native grower as plain numbers."""
    min_leaf = min(rows_or_share(model.min_samples_leaf, n), LARGEST)
    min_split = max(2, rows_or_share(model.min_samples_split, n), 2 * min_leaf)
    # Sorting a few drawn columns at each node is cheaper than maintaining the order of all of them.
    presort = not (model.splitter == "random" or 3 * max_features < model.n_features_in_)
    presort = presort or model.missing == "fractional"
    return {
        "criterion": CRITERIA[criterion],
        "missing": MISSING[model.missing],
        "categories": CATEGORIES[model.categorical_split],
        "random_splits": model.splitter == "random",
        "presort": presort,
        "max_depth": np.iinfo(np.int32).max if model.max_depth is None else min(model.max_depth, 2**31 - 1),
        "min_split": min(min_split, LARGEST),
        "min_leaf": min_leaf,
        "min_weight_leaf": float(model.min_weight_fraction_leaf * total_weight),
        "min_decrease": float(model.min_impurity_decrease),
        "max_features": min(max_features, model.n_features_in_),
        "max_leaves": 0 if model.max_leaf_nodes is None else min(int(model.max_leaf_nodes), LARGEST),
        "target_risk": float(target_risk),
        "max_surrogates": min(model.max_surrogates, model.n_features_in_),
        "seed": int(seed),
    }


def grow(X, target, n_classes, weights, losses, categorical, monotone, together, rules):
    """Grow one tree; returns a forest of one tree, its surrogates and the number of candidate splits scored.

    The surrogates are a dict of arrays, empty if there are none. `target`: (n, outputs), numbers or, with `n_classes`,
    class indices.
    """
    n, outputs = target.shape
    classes = np.ones(outputs, np.int32) if n_classes is None else np.asarray(n_classes, np.int32)
    y = np.ascontiguousarray(target, np.float64) if n_classes is None else np.empty((n, 0))
    codes = np.ascontiguousarray(target, np.int32) if n_classes is not None else np.empty((n, 0), np.int32)
    grown = native.cart_grow(
        X,
        y,
        codes,
        classes,
        np.empty(0) if weights is None else np.ascontiguousarray(weights, np.float64),
        np.empty((0, 0)) if losses is None else np.ascontiguousarray(losses, np.float64),
        np.ascontiguousarray(categorical, np.uint8),
        monotone,
        together,
        rules,
    )
    surrogates = {name: grown[f"surrogate_{name}"] for name in SURROGATES}
    return Forest.of([grown]), surrogates if len(surrogates["node"]) else {}, int(grown["evaluations"])


def bin_columns(X, max_bins, categorical):
    """The table with numeric columns of more than `max_bins` distinct values replaced by bin indices.

    Returns the table and a dict of the upper bin edges by column.
    """
    edges, starts = native.bin_edges(X, max_bins)
    binned, ends = X.copy(order="F"), {}
    for j, here in enumerate(np.split(edges, starts[1:-1])):
        known = ~np.isnan(X[:, j])
        if categorical[j] or len(here) + 1 >= len(np.unique(X[known, j])):
            continue
        binned[known, j] = np.searchsorted(here, X[known, j], side="left")
        ends[j] = here
    return binned, ends


def unbin_thresholds(ends, feature, threshold):
    """Convert thresholds between bin indices to thresholds between values, in place."""
    for j, here in ends.items():
        at = np.flatnonzero((feature == j) & np.isfinite(threshold))
        threshold[at] = here[np.floor(threshold[at]).astype(int)]
