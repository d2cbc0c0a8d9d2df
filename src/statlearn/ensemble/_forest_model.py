"""What random forests and extra trees share: bins, bootstrap samples, growth, prediction, out-of-bag estimates."""

import math
import numbers
import warnings

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.exceptions import DataConversionWarning
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import check_is_fitted, validate_data

from statlearn._core.native import trees as native
from statlearn._core.params import Instance, Int, Options, Real, check_params
from statlearn._core.validation import FLOATS, check_weights
from statlearn.trees._bins import BinMapper
from statlearn.trees._forest import Forest

from . import _oob
from ._forest_threads import jobs

MAX_SEED = np.iinfo(np.int32).max
CRITERIA = {"gini": 0, "entropy": 1, "log_loss": 1, "squared_error": 2, "friedman_mse": 2, "poisson": 3}

TREE_CONSTRAINTS = {
    "max_depth": [Int(1, None), None],
    "min_samples_split": [Int(2, None), Real(0, 1, closed="right")],
    "min_samples_leaf": [Int(1, None), Real(0, 1, closed="neither")],
    "min_weight_fraction_leaf": [Real(0, 0.5, closed="both")],
    "max_features": [Int(1, None), Real(0, 1, closed="right"), Options("sqrt", "log2", "p/3"), None],
    "max_leaf_nodes": [Int(2, None), None],
    "min_impurity_decrease": [Real(0, None)],
    "random_state": ["random_state"],
    "ccp_alpha": [Real(0, None)],
}
FOREST_CONSTRAINTS = {
    "n_estimators": [Int(1, None)],
    **TREE_CONSTRAINTS,
    "bootstrap": ["boolean"],
    "oob_score": ["boolean", "callable"],
    "n_jobs": [Int(), None],
    "verbose": ["verbose"],
    "warm_start": ["boolean"],
    "max_samples": [None, Real(0, None, closed="neither"), Int(1, None)],
    "monotonic_cst": ["array-like", None],
    "max_bins": [Int(2, 255)],
}


def columns_per_node(max_features, p):
    """Columns that a node looks at, from the parameter `max_features` and the number of columns."""
    if max_features is None:
        return p
    if max_features == "sqrt":
        return max(1, int(math.sqrt(p)))
    if max_features == "log2":
        return max(1, int(math.log2(p)))
    if max_features == "p/3":
        return max(1, p // 3)
    if isinstance(max_features, numbers.Integral):
        return min(int(max_features), p)
    return max(1, int(max_features * p))


def bootstrap_size(n, max_samples, weights):
    """Rows of a bootstrap sample, from the parameter `max_samples`."""
    if max_samples is None:
        return n
    if isinstance(max_samples, numbers.Integral):
        return int(max_samples)
    total = n if weights is None else float(weights.sum())
    size = max(int(max_samples * total), 1)
    if size < max(10, n ** (1 / 3)):
        what = f"the number of samples is {n}" if weights is None else f"the total sum of sample weights is {total}"
        warnings.warn(
            f"Using the fractional value max_samples={max_samples} when {what} results in a low number "
            f"({size}) of bootstrap samples. We recommend passing `max_samples` as an integer instead.",
            stacklevel=4,
        )
    return size


class ForestModel(BaseEstimator):
    """Trees grown on bootstrap samples or on all rows, and averaged."""

    _random_cuts = False

    def _fit(self, X, y, weights):
        """Grow the trees that are wanted and not there yet. y: (n, outputs), numbers or class numbers."""
        rng = check_random_state(self.random_state)
        n, p = X.shape
        if not self.bootstrap and self.max_samples is not None:
            raise ValueError(
                "`max_sample` cannot be set if `bootstrap=False`. Either switch to `bootstrap=True` or set "
                "`max_sample=None`."
            )
        if not self.bootstrap and self.oob_score:
            raise ValueError("Out of bag estimation only available if bootstrap=True")
        size = bootstrap_size(n, self.max_samples, weights) if self.bootstrap else 0
        going_on = self.warm_start and hasattr(self, "forest_")
        before = len(self.forest_) if going_on else 0
        more = self.n_estimators - before
        if more < 0:
            raise ValueError(
                f"n_estimators={self.n_estimators} must be larger or equal to len(estimators_)={before} when "
                "warm_start==True"
            )
        self._n_samples, self._n_samples_bootstrap, self._sample_weight = n, size, weights
        if more == 0:
            warnings.warn("Warm-start fitting without increasing n_estimators does not fit new trees.", stacklevel=3)
            return
        # The seeds that one fit of all trees would have drawn.
        seeds = rng.randint(MAX_SEED, size=before + more)[before:].astype(np.uint64)
        self.bins_ = BinMapper(self.max_bins, np.zeros(p, bool)).fit(X, np.random.RandomState(0))
        with jobs(self.n_jobs):
            forest = self._grow(self.bins_.encode(X), y, weights, size, seeds)
        self.forest_ = self.forest_.joined(forest) if going_on else forest
        self.seeds_ = np.concatenate([self.seeds_, seeds]) if going_on else seeds

    def _grow(self, X, y, weights, size, seeds):
        """A forest of one tree per seed."""
        n, p = X.shape
        table = self.bins_.transform(X)
        low, high = np.empty((2, p, 255))
        native.bin_ranges(X, table.by_column, low, high)
        leaf = self.min_samples_leaf
        leaf = leaf if isinstance(leaf, numbers.Integral) else math.ceil(leaf * n)
        split = self.min_samples_split
        split = split if isinstance(split, numbers.Integral) else max(2, math.ceil(split * n))
        settings = dict(
            by_row=table.by_row,
            by_column=table.by_column,
            n_bins=table.n_bins,
            ordered=table.ordered,
            has_missing=np.any(table.by_column == 255, axis=1).astype(np.uint8),
            low=low,
            high=high,
            y=np.ascontiguousarray(y, np.float64),
            n_classes=np.asarray(self._class_counts(), np.int32),
            weight=np.empty(0) if weights is None else weights.astype(np.float64),
            criterion=CRITERIA[self.criterion],
            random_cuts=self._random_cuts,
            bootstrap=bool(self.bootstrap),
            balanced=bool(self.bootstrap) and getattr(self, "class_weight", None) == "balanced_subsample",
            draws=size,
            max_features=columns_per_node(self.max_features, p),
            max_depth=self.max_depth or 0,
            max_leaves=self.max_leaf_nodes or 0,
            min_split=max(split, 2 * leaf),
            min_leaf=leaf,
            min_leaf_share=float(self.min_weight_fraction_leaf),
            min_decrease=float(self.min_impurity_decrease),
            monotone=self._monotone(p),
        )
        parts = []
        step = len(seeds) if not self.verbose else max(1, len(seeds) // 10)
        for start in range(0, len(seeds), step):
            parts.append(_forest_of(native.grow_forest(seeds=seeds[start : start + step], **settings)))
            if self.verbose:
                print(f"[{type(self).__name__}] {min(start + step, len(seeds))} of {len(seeds)} trees grown")
        forest = parts[0]
        for part in parts[1:]:
            forest = forest.joined(part)
        return forest

    def _class_counts(self):
        return []

    def _monotone(self, p):
        """-1, 0 or +1 per column; empty without a constraint."""
        given = getattr(self, "monotonic_cst", None)
        if given is None:
            return np.empty(0, np.int8)
        if self.n_outputs_ > 1:
            raise ValueError("Monotonicity constraints are not supported with multiple outputs.")
        if len(self._class_counts()) and max(self._class_counts()) > 2:
            raise ValueError("Monotonicity constraints are not supported with multiclass classification")
        signs = np.asarray(given, dtype=np.int32)
        if signs.shape != (p,):
            raise ValueError(f"monotonic_cst has shape {signs.shape[0]} but the input data X has {p} features.")
        if not np.all(np.isin(signs, (-1, 0, 1))):
            raise ValueError(f"monotonic_cst must be None or an array-like of -1, 0 or 1, but got {signs}")
        return signs.astype(np.int8) if np.any(signs) else np.empty(0, np.int8)

    def _check_table(self, X):
        """A table to predict, in the terms of the trees."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=FLOATS, accept_sparse="csr", reset=False, ensure_all_finite="allow-nan")
        return self.bins_.encode(_dense(X))

    def _mean_values(self, X):
        """The average over the trees of the values of a row's leaves."""
        X = self._check_table(X)
        sums = np.zeros((X.shape[0], self.forest_.value.shape[1]))
        with jobs(self.n_jobs):
            self.forest_.add_predictions(X, sums)
        sums /= len(self.forest_)
        return sums

    def apply(self, X):
        """The leaf of every row in every tree, numbered within the tree: (n_rows, n_estimators)."""
        X = self._check_table(X)
        with jobs(self.n_jobs):
            return self.forest_.apply(X).astype(np.int64)

    def decision_path(self, X):
        """The nodes that every row passes.

        Returns
        -------
        indicator : sparse matrix of shape (n_rows, n_nodes)
            1 where a row passes a node; the nodes of all trees one after the other.
        n_nodes_ptr : ndarray of shape (n_estimators + 1,)
            Where the nodes of each tree begin.
        """
        X = self._check_table(X)
        with jobs(self.n_jobs):
            indicator = self.forest_.decision_path(X)
        return indicator, np.append(self.forest_.roots, len(self.forest_.feature)).astype(np.int64)

    @property
    def feature_importances_(self):
        """The share of each column in the fall of the impurity, averaged over the trees; they sum to 1."""
        return self.impurity_importances()

    def impurity_importances(self, *, scale="sum", per_class=False):
        """Mean fall of the impurity by the splits on each column.

        Each tree's falls are divided by their sum before the trees are averaged, so that every tree counts alike.

        Parameters
        ----------
        scale : {"sum", "max100", None}
            Importances that sum to 1, whose largest is 100, or the plain fall per unit of weight.
        per_class : bool, default=False
            For a classifier with one output: the fall of the Gini impurity of each class against the rest.

        Returns
        -------
        importances : ndarray of shape (n_features,) or (n_classes, n_features)
        """
        check_is_fitted(self)
        if scale not in ("sum", "max100", None):
            raise ValueError(f"scale must be 'sum', 'max100' or None. Got {scale!r} instead.")
        if per_class and (not isinstance(self, ClassifierMixin) or self.n_outputs_ > 1):
            raise ValueError("per_class needs a classifier with one output.")
        gains = _class_gains(self.forest_) if per_class else self.forest_.gain[None]
        found = np.array([_mean_importances(self.forest_, gain, self.n_features_in_, scale) for gain in gains])
        return found if per_class else found[0]

    def _counts(self, seed):
        """How often each training row is in the sample of the tree of this seed."""
        counts = np.empty(self._n_samples, np.uint32)
        native.bootstrap_counts(int(seed), self._n_samples_bootstrap, self._cumulative(), counts)
        return counts

    def _cumulative(self):
        weights = self._sample_weight
        return np.empty(0) if weights is None else np.cumsum(weights.astype(np.float64))

    @property
    def estimators_samples_(self):
        """The training rows of each tree, a row as often as it was drawn; made anew at every call."""
        check_is_fitted(self)
        rows = np.arange(self._n_samples, dtype=np.int32)
        if not self.bootstrap:
            return [rows] * len(self.forest_)
        return [np.repeat(rows, self._counts(seed)) for seed in self.seeds_]

    def __len__(self):
        return len(self.forest_)

    def __sklearn_is_fitted__(self):
        return hasattr(self, "forest_")

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        tags.target_tags.multi_output = True
        return tags

    def _validated(self, X, y, sample_weight):
        """Checked X, y as a matrix, weights; rows of weight 0 are left out."""
        if sparse.issparse(y):
            raise ValueError("sparse multilabel-indicator for y is not supported.")
        X, y = validate_data(
            self, X, y, dtype=FLOATS, accept_sparse="csr", multi_output=True, ensure_all_finite="allow-nan"
        )
        X = _dense(X)
        y = np.atleast_1d(y)
        if y.ndim == 2 and y.shape[1] == 1:
            warnings.warn(
                "A column-vector y was passed when a 1d array was expected. Please change the shape of y to "
                "(n_samples,), for example using ravel().",
                DataConversionWarning,
                stacklevel=3,
            )
        y = y.reshape(len(y), -1)
        self.n_outputs_ = y.shape[1]
        weights = check_weights(sample_weight, X)
        return X, y, weights


class ForestClassifierModel(ClassifierMixin, ForestModel):
    """A forest whose leaves hold class shares."""

    _constraints = {
        **FOREST_CONSTRAINTS,
        "criterion": [Options("gini", "entropy", "log_loss")],
        "class_weight": [Options("balanced", "balanced_subsample"), Instance(dict, list), None],
    }

    def fit(self, X, y, sample_weight=None):
        """Grow the trees.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)
            NaN is a missing value.
        y : array-like of shape (n_rows,) or (n_rows, n_outputs)
            Labels.
        sample_weight : array-like of shape (n_rows,) or None
            With `bootstrap`, rows are drawn in proportion to it; without, it weights the rows of every tree.

        Returns
        -------
        self
        """
        check_params(self)
        X, y, weights = self._validated(X, y, sample_weight)
        check_classification_targets(y)
        codes, classes = np.empty(y.shape, np.int64), []
        for k in range(y.shape[1]):
            labels, codes[:, k] = np.unique(y[:, k], return_inverse=True)
            classes.append(labels)
        self.classes_, self.n_classes_ = classes, [len(c) for c in classes]
        weights = self._with_class_weights(y, weights)
        used = None if weights is None or np.all(weights > 0) else weights > 0
        if used is None:
            self._fit(X, codes, weights)
        else:
            self._fit(X[used], codes[used], weights[used])
        if self.oob_score:
            kind = type_of_target(y)
            if kind in ("unknown", "multiclass-multioutput"):
                raise ValueError(
                    "The type of target cannot be used to compute OOB estimates. Got "
                    f"{kind} while only the following are supported: continuous, continuous-multioutput, binary, "
                    "multiclass, multilabel-indicator."
                )
            _oob.set_classifier_attributes(self, X, codes, used)
        if self.n_outputs_ == 1:
            self.classes_, self.n_classes_ = classes[0], len(classes[0])
        return self

    def _class_counts(self):
        return np.atleast_1d(self.n_classes_)

    def _with_class_weights(self, y, weights):
        """Row weights times class weights; those of bootstrap samples are left to the growth."""
        if self.class_weight is None:
            return weights
        if isinstance(self.class_weight, str) and self.warm_start:
            warnings.warn(
                'class_weight presets "balanced" or "balanced_subsample" are not recommended for warm_start if the '
                "fitted data differs from the full dataset. Compute the weights once with "
                'sklearn.utils.class_weight.compute_class_weight("balanced", ...) and pass them.',
                stacklevel=3,
            )
        if self.class_weight == "balanced_subsample" and self.bootstrap:
            return weights
        from sklearn.utils.class_weight import compute_class_weight, compute_sample_weight

        if isinstance(self.class_weight, str):
            given = [
                dict(zip(c, compute_class_weight("balanced", classes=c, y=y[:, k], sample_weight=weights)))
                for k, c in enumerate(self.classes_)
            ]
            given = given[0] if len(given) == 1 else given
        else:
            given = self.class_weight
        own = compute_sample_weight(given, y)
        return own if weights is None else own * weights

    def _probabilities(self, values):
        """(n, outputs * classes) as one matrix per output, a single one alone."""
        counts = self._class_counts()
        if len(counts) == 1:
            return values
        blocks = values.reshape(len(values), len(counts), -1)
        return [np.ascontiguousarray(blocks[:, k, :count]) for k, count in enumerate(counts)]

    def predict_proba(self, X):
        """The mean over the trees of the class shares in a row's leaves.

        Returns
        -------
        probabilities : ndarray of shape (n_rows, n_classes)
            In the order of `classes_`; a list of such arrays where y had several columns.
        """
        return self._probabilities(self._mean_values(X))

    def predict_log_proba(self, X):
        """Logarithms of the class probabilities."""
        found = self.predict_proba(X)
        with np.errstate(divide="ignore"):
            return [np.log(p) for p in found] if isinstance(found, list) else np.log(found)

    def predict(self, X):
        """The class with the largest mean share; the first of equals."""
        found = self.predict_proba(X)
        if self.n_outputs_ == 1:
            return self.classes_.take(np.argmax(found, axis=1), axis=0)
        return np.column_stack([c.take(np.argmax(p, axis=1)) for c, p in zip(self.classes_, found)])

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        return tags


class ForestRegressorModel(RegressorMixin, ForestModel):
    """A forest whose leaves hold means."""

    _constraints = {
        **FOREST_CONSTRAINTS,
        "criterion": [Options("squared_error", "friedman_mse", "poisson")],
    }

    def fit(self, X, y, sample_weight=None):
        """Grow the trees.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)
            NaN is a missing value.
        y : array-like of shape (n_rows,) or (n_rows, n_outputs)
        sample_weight : array-like of shape (n_rows,) or None
            With `bootstrap`, rows are drawn in proportion to it; without, it weights the rows of every tree.

        Returns
        -------
        self
        """
        check_params(self)
        X, y, weights = self._validated(X, y, sample_weight)
        y = np.ascontiguousarray(y, np.float64)
        if self.criterion == "poisson":
            if np.any(y < 0):
                raise ValueError("Some value(s) of y are negative which is not allowed for Poisson regression.")
            if np.sum(y) <= 0:
                raise ValueError("Sum of y is not strictly positive which is necessary for Poisson regression.")
        used = None if weights is None or np.all(weights > 0) else weights > 0
        if used is None:
            self._fit(X, y, weights)
        else:
            self._fit(X[used], y[used], weights[used])
        if self.oob_score:
            _oob.set_regressor_attributes(self, X, y, used)
        return self

    def predict(self, X):
        """The mean over the trees of the mean response in a row's leaves."""
        values = self._mean_values(X)
        return values[:, 0] if self.n_outputs_ == 1 else values


def _dense(X):
    return X.toarray() if sparse.issparse(X) else X


def _forest_of(arrays):
    """The native arrays as a Forest."""
    forest = Forest()
    for name, array in arrays.items():
        setattr(forest, name, array)
    forest.output = np.zeros(len(forest.roots), np.int32)
    return forest


def _class_gains(forest):
    """Fall of weight x Gini impurity of each class against the rest at every node, (n_classes, n_nodes)."""
    inner = np.flatnonzero(~forest.is_leaf)
    left = forest.child[inner]
    mass = forest.weight[:, None] * 2 * forest.value * (1 - forest.value)
    gains = np.zeros_like(mass)
    gains[inner] = mass[inner] - mass[left] - mass[left + 1]
    return gains.T


def _mean_importances(forest, gain, p, scale):
    """Average over the trees of the gains of each column."""
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
    return mean / mean.sum() if scale == "sum" else 100 * mean / mean.max()
