"""Stumps fitted repeatedly to the same table, whose columns are sorted once."""

import copy
from dataclasses import dataclass

import numpy as np

from statlearn._core.native import ensemble as native
from statlearn._core.validation import FLOATS
from statlearn._math.trees.forest import Forest
from statlearn._math.trees.tree import Tree

from .._weak_learner import LARGEST_SEED, WeakLearner, seeded_clone

_PIECES, _GROUP = 256, 4  # as in native/ensemble/stump.hpp
_TIE = 1e-11  # gains closer than this, relative to the weighted impurity, are equal, as in the trees
_VANISHING = 1e-6  # weight proportion of a class below which its weights are summed again
_ROW = np.uint32(2**31 - 1)


class StumpTable:
    """Table with presorted columns, for finding the best split for any weights and targets."""

    def __init__(self, X):
        n, p = X.shape
        self.X = X
        self.order = np.empty((p, n), np.uint32)
        self.ends = np.empty((p, _PIECES), np.uint32)
        self.bins = np.zeros((-(-p // _GROUP), _GROUP * n), np.uint8)
        native.stump_sort(X, self.order, self.ends, self.bins)
        self.n_cuts = int(np.count_nonzero(self.order > _ROW))

    def split_numbers(self, target, weights):
        """The split with the largest decrease in squared error, or None if there is no valid split.

        Targets are centred, so that small decreases are not computed as differences of large sums.
        """
        mean = np.sum(weights * target) / np.sum(weights)
        centred = target - mean
        wz = weights * centred
        sums = np.column_stack([weights, wz, np.maximum(wz, 0.0), np.zeros(len(wz))])
        cut = self._cut(native.stump_search(self.order, self.ends, self.bins, sums, _TIE * np.sum(wz * centred)))
        if cut is not None:
            cut.left_sum += mean * cut.left_weight
        return cut

    def split_signs(self, signs, weights):
        """The split with the largest decrease in the weighted Gini index of two classes, -1 and +1."""
        sums = np.empty((len(signs), 2))
        sums[:, 0] = weights
        np.multiply(weights, signs, out=sums[:, 1])
        total = np.sum(weights)
        # The Gini index decreases by half as much as the sum of squares of the signs.
        tie = _TIE * (total - np.sum(sums[:, 1]) ** 2 / total)
        return self._cut(native.stump_search(self.order, self.ends, self.bins, sums, tie), 0.5)

    def split_classes(self, codes, weights, n_classes):
        """The split with the largest decrease in the weighted Gini index of any number of classes."""
        total = np.sum(weights)
        shares = np.bincount(codes, weights=weights, minlength=n_classes) / total
        tie = _TIE * total * (1.0 - np.sum(shares**2))
        return self._cut(native.stump_search_classes(self.order, weights, codes, n_classes, tie))

    def _cut(self, cut, unit=1.0):
        feature, place, gain, left_weight, left_sum = cut
        if feature < 0:
            return None
        low, high = (float(self.X[self.order[feature, k] & _ROW, feature]) for k in (place, place + 1))
        middle = low / 2 + high / 2
        threshold = low if middle >= high or middle < low else middle
        return Cut(feature, threshold, unit * gain, place + 1, left_weight, left_sum, self.X[:, feature] <= threshold)


@dataclass
class Cut:
    """A split of a table."""

    feature: int
    threshold: float
    gain: float
    left_rows: int
    left_weight: float
    left_sum: float
    left: np.ndarray  # which rows go left


def _one_split(cut, values, impurities, weights, rows):
    """A forest of one tree with one split or a single leaf; root first, then left and right."""
    split = cut is not None
    nodes = 3 if split else 1
    feature, threshold, child = np.full(nodes, -1, np.int32), np.zeros(nodes), np.zeros(nodes, np.int32)
    gain, missing = np.zeros(nodes), np.zeros(nodes, np.uint8)
    if split:
        feature[0], threshold[0], child[0], gain[0] = cut.feature, cut.threshold, 1, cut.gain
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
    """Learner of the same stumps as those of the estimator, as instances of its class."""

    takes_weights = True

    def __init__(self, estimator, X, rng, total=None):
        super().__init__(estimator, X, rng, total)
        self.table = StumpTable(X)
        self.model = None

    def _member(self, forest, n_classes):
        """A fitted estimator with a given tree: a copy of the first member, which was fitted to a few rows."""
        member = copy.copy(self.model)
        member.random_state = int(self.rng.randint(LARGEST_SEED))
        member.tree_ = Tree(forest, self.X.shape[1], n_classes)
        member.n_split_evaluations_ = self.table.n_cuts if len(forest.feature) > 1 else 0
        return member


class ClassificationStumps(_Stumps):
    """Gini stumps."""

    def fit(self, y, weights):
        if self.model is None:
            self._meet(y)
        K = len(self.classes)
        weights = np.ascontiguousarray(self.scaled(weights), np.float64)
        cut, counts = self._two(weights) if K == 2 else self._several(weights, K)
        n = len(self.codes)
        rows = [n] if cut is None else [n, cut.left_rows, n - cut.left_rows]
        sums = counts.sum(axis=1)
        shares = counts / sums[:, None]
        self.left = np.ones(n, bool) if cut is None else cut.left
        self.shares = shares[[0, 0]] if cut is None else shares[1:]
        return self._member(_one_split(cut, shares, 1.0 - np.sum(shares**2, axis=1), sums, rows), np.array([K]))

    def _meet(self, y):
        self.classes, codes = np.unique(y, return_inverse=True)
        self.codes = codes.astype(np.int32)
        self.signs = 2.0 * self.codes - 1.0
        first = np.unique(codes, return_index=True)[1]
        self.model = seeded_clone(self.estimator, np.random.RandomState(0)).fit(self.X[first], y[first])

    def _two(self, weights):
        """The split and the class weights at the root and on both sides, from sums computed during the search."""
        cut = self.table.split_signs(self.signs, weights)
        total, balance = np.sum(weights), np.sum(weights * self.signs)
        if cut is None:
            return None, np.array([[total - balance, total + balance]]) / 2
        W = np.array([total, cut.left_weight, total - cut.left_weight])
        S = np.array([balance, cut.left_sum, balance - cut.left_sum])
        counts = np.column_stack([W - S, W + S]) / 2
        if counts.min() < _VANISHING * total:  # differences of sums would lose precision
            return cut, self._counts(cut, weights, 2)
        return cut, counts

    def _counts(self, cut, weights, K):
        sides = [np.bincount(self.codes[s], weights=weights[s], minlength=K) for s in (cut.left, ~cut.left)]
        return np.array([sides[0] + sides[1], *sides])

    def _several(self, weights, K):
        cut = self.table.split_classes(self.codes, weights, K) if K > 1 else None
        if cut is None:
            return None, np.bincount(self.codes, weights=weights, minlength=K)[None]
        return cut, self._counts(cut, weights, K)

    def codes_of(self, member, classes):
        low, high = np.argmax(self.shares, axis=1)
        return np.where(self.left, np.int32(low), np.int32(high))

    def output(self, member, method="predict"):
        if method == "predict":
            return self.classes[self.codes_of(member, self.classes)]
        return np.where(self.left[:, None], self.shares[0], self.shares[1])


class RegressionStumps(_Stumps):
    """Stumps of smallest squared error."""

    def fit(self, y, weights):
        if self.model is None:
            self.model = seeded_clone(self.estimator, np.random.RandomState(0)).fit(self.X[:1], np.asarray(y)[:1])
        y, weights = np.ascontiguousarray(y, np.float64), np.ascontiguousarray(self.scaled(weights), np.float64)
        cut = self.table.split_numbers(y, weights) if np.ptp(y) > 0 else None
        n, total = len(y), np.sum(weights)
        W, means = np.array([total]), np.array([np.sum(weights * y) / total])
        self.left = np.ones(n, bool) if cut is None else cut.left
        if cut is not None:
            W = np.array([total, cut.left_weight, total - cut.left_weight])
            right = means[0] * total - cut.left_sum
            means = np.array([means[0], cut.left_sum / W[1], right / W[2]])
        self.means = means[[0, 0]] if cut is None else means[1:]
        squares = weights * (y - self.output(None)) ** 2
        inside = np.array([np.sum(weights * (y - means[0]) ** 2)])
        if cut is not None:
            left = np.sum(squares[cut.left])
            inside = np.array([inside[0], left, np.sum(squares) - left])
        rows = [n] if cut is None else [n, cut.left_rows, n - cut.left_rows]
        return self._member(_one_split(cut, means[:, None], np.maximum(inside / W, 0.0), W, rows), np.array([1]))

    def output(self, member, method="predict"):
        return np.where(self.left, *self.means)


def stump_learner(estimator, X, rng, total=None):
    """A learner with presorted columns if the estimator is a plain statlearn stump and X has no NaN, else None."""
    from statlearn.trees import DecisionTreeClassifier, DecisionTreeRegressor

    kinds = {DecisionTreeClassifier: ClassificationStumps, DecisionTreeRegressor: RegressionStumps}
    kind = type(estimator)
    if kind not in kinds or not isinstance(X, np.ndarray) or X.ndim != 2 or X.dtype.kind not in "fiub":
        return None
    plain = kind(max_depth=1).get_params(deep=False)
    params = estimator.get_params(deep=False)
    if any(repr(params[name]) != repr(value) for name, value in plain.items() if name != "random_state"):
        return None
    X = X if X.dtype in FLOATS else X.astype(np.float64)
    if not X.shape[1] or np.isnan(X).any():
        return None
    return kinds[kind](estimator, X, rng, total)
