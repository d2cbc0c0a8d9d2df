"""Trees with one split, fitted again and again to the same table: the columns are sorted once."""

import copy

import numpy as np

from statlearn._core.native import ensemble as native
from statlearn._core.validation import FLOATS
from statlearn.trees._forest import Forest
from statlearn.trees._tree_face import Tree

from ._weak import LARGEST_SEED, WeakLearner, seeded_clone

_PIECES, _GROUP = 256, 4  # as in native/ensemble/stump.hpp
_TIE = 1e-11  # of the weighted impurity: gains closer than this are equal, as in the trees
_ROW = np.uint32(2**31 - 1)


class StumpTable:
    """A table whose columns are sorted and cut into pieces; finds the best split for any weights and targets."""

    def __init__(self, X):
        n, p = X.shape
        self.X = X
        self.order = np.empty((p, n), np.uint32)
        self.ends = np.empty((p, _PIECES), np.uint32)
        self.bins = np.zeros((-(-p // _GROUP), _GROUP * n), np.uint8)
        native.stump_sort(X, self.order, self.ends, self.bins)

    def split_numbers(self, target, weights):
        """Feature, threshold, fall of the summed squares, and which rows go left; None where nothing can be split."""
        wy = weights * target
        sums = np.column_stack([weights, wy, np.maximum(wy, 0.0), np.zeros(len(wy))])
        spread = wy @ target - wy.sum() ** 2 / weights.sum()
        return self._cut(native.stump_search(self.order, self.ends, self.bins, sums, _TIE * spread))

    def split_classes(self, codes, weights, n_classes):
        """The same for classes: the fall of the weighted Gini index."""
        shares = np.bincount(codes, weights=weights, minlength=n_classes) / weights.sum()
        tie = _TIE * weights.sum() * (1.0 - shares @ shares)
        if n_classes != 2:
            return self._cut(native.stump_search_classes(self.order, weights, codes, n_classes, tie))
        # For two classes the index falls by half of what the squares of the signs -1, +1 fall.
        sums = np.empty((len(codes), 2))
        sums[:, 0] = weights
        np.multiply(weights, 2.0 * codes - 1.0, out=sums[:, 1])
        return self._cut(native.stump_search(self.order, self.ends, self.bins, sums, 2.0 * tie), 0.5)

    def _cut(self, found, unit=1.0):
        feature, place, gain = found
        if feature < 0:
            return None
        low, high = (float(self.X[self.order[feature, k] & _ROW, feature]) for k in (place, place + 1))
        middle = low / 2 + high / 2
        threshold = low if middle >= high or middle < low else middle
        return feature, threshold, unit * gain, self.X[:, feature] <= threshold


def _one_split(cut, values, impurities, weights, rows):
    """The forest of one tree with one split, or of a single leaf; root first, then left and right."""
    split = cut is not None
    nodes = 3 if split else 1
    feature, threshold, child = np.full(nodes, -1, np.int32), np.zeros(nodes), np.zeros(nodes, np.int32)
    gain, missing = np.zeros(nodes), np.zeros(nodes, np.uint8)
    if split:
        feature[0], threshold[0], child[0], gain[0] = cut[0], cut[1], 1, cut[2]
        missing[0] = rows[1] > rows[2]
    return Forest.of([{
        "feature": feature,
        "threshold": threshold,
        "child": child,
        "missing_left": missing,
        "category_set": np.full(nodes, -1, np.int32),
        "left_sets": np.empty((0, 1), np.uint32),
        "value": np.asarray(values, np.float64),
        "gain": gain,
        "rows": np.asarray(rows, np.int64),
        "impurity": np.asarray(impurities, np.float64),
        "weight": np.asarray(weights, np.float64),
    }])  # fmt: skip


class _Stumps(WeakLearner):
    """Fits the same stumps as the estimator would, as objects of its class."""

    takes_weights = True

    def __init__(self, estimator, X, rng):
        super().__init__(estimator, X, rng)
        self.table = StumpTable(X)
        self.model = None

    def _member(self, forest, n_classes):
        """A fitted estimator around the tree: as the first one, which was fitted to a few rows, but for its tree."""
        member = copy.copy(self.model)
        member.random_state = int(self.rng.randint(LARGEST_SEED))
        member.tree_ = Tree(forest, self.X.shape[1], n_classes)
        member.n_split_evaluations_ = 0
        return member


class ClassificationStumps(_Stumps):
    """Gini stumps."""

    def fit(self, y, weights):
        if self.model is None:
            self.classes, codes = np.unique(y, return_inverse=True)
            self.codes = codes.astype(np.int32)
            first = np.unique(codes, return_index=True)[1]
            self.model = seeded_clone(self.estimator, np.random.RandomState(0)).fit(self.X[first], y[first])
        K = len(self.classes)
        weights = np.ascontiguousarray(weights, np.float64)
        cut = self.table.split_classes(self.codes, weights, K) if K > 1 else None
        total = np.bincount(self.codes, weights=weights, minlength=K)
        counts, rows = [total], [len(self.codes)]
        if cut is not None:
            self.left = cut[3]
            left = np.bincount(self.codes[self.left], weights=weights[self.left], minlength=K)
            counts += [left, np.maximum(total - left, 0.0)]
            rows += [int(self.left.sum()), int((~self.left).sum())]
        else:
            self.left = np.ones(len(self.codes), bool)
        counts = np.array(counts)
        sums = counts.sum(axis=1)
        shares = counts / sums[:, None]
        self.shares = shares[1:] if cut is not None else shares[[0, 0]]
        return self._member(_one_split(cut, shares, 1.0 - np.sum(shares**2, axis=1), sums, rows), np.array([K]))

    def output(self, member, method="predict"):
        if method == "predict":
            low, high = self.classes[np.argmax(self.shares, axis=1)]
            return np.where(self.left, low, high)
        return np.where(self.left[:, None], self.shares[0], self.shares[1])


class RegressionStumps(_Stumps):
    """Stumps of smallest squared error."""

    def fit(self, y, weights):
        if self.model is None:
            self.model = seeded_clone(self.estimator, np.random.RandomState(0)).fit(self.X[:1], np.asarray(y)[:1])
        y, weights = np.ascontiguousarray(y, np.float64), np.ascontiguousarray(weights, np.float64)
        cut = self.table.split_numbers(y, weights) if np.ptp(y) > 0 else None
        self.left = cut[3] if cut is not None else np.ones(len(y), bool)
        parts = [slice(None)] if cut is None else [slice(None), self.left, ~self.left]
        sums = np.array([weights[part].sum() for part in parts])
        means = np.array([weights[part] @ y[part] for part in parts]) / sums
        spread = np.array([weights[part] @ (y[part] - m) ** 2 for part, m in zip(parts, means, strict=True)]) / sums
        rows = [len(y[part]) for part in parts]
        self.means = means[1:] if cut is not None else means[[0, 0]]
        return self._member(_one_split(cut, means[:, None], spread, sums, rows), np.array([1]))

    def output(self, member, method="predict"):
        return np.where(self.left, *self.means)


def stump_learner(estimator, X, rng):
    """A learner with the table sorted once, where the estimator is a plain stump of ours and X has no gaps; or None."""
    from statlearn.trees import DecisionTreeClassifier, DecisionTreeRegressor

    kinds = {DecisionTreeClassifier: ClassificationStumps, DecisionTreeRegressor: RegressionStumps}
    kind = type(estimator)
    if kind not in kinds or not isinstance(X, np.ndarray) or X.ndim != 2 or X.dtype.kind not in "fiub":
        return None
    plain = kind(max_depth=1).get_params(deep=False)
    given = estimator.get_params(deep=False)
    if any(repr(given[name]) != repr(value) for name, value in plain.items() if name != "random_state"):
        return None
    X = X if X.dtype in FLOATS else X.astype(np.float64)
    if not X.shape[1] or np.isnan(X).any():
        return None
    return kinds[kind](estimator, X, rng)
