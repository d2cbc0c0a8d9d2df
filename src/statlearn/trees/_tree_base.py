"""Base class of classification and regression trees."""

import numpy as np
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, MultiOutputMixin, is_classifier
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from statlearn._core.fitted_state import forget
from statlearn._core.frames import interaction_sets
from statlearn._core.params import Int, Options, Real, check_params
from statlearn._core.validation import FLOATS, check_same_length, check_weights, validate_data
from statlearn._math.trees.growth import (
    GROWTH_CONSTRAINTS,
    bin_columns,
    features_to_draw,
    grow,
    native_rules,
    unbin_thresholds,
)
from statlearn._math.trees.missing import Surrogates, fractional_values, surrogate_apply
from statlearn._math.trees.pruning import collapse_alphas, pruned, pruning_path, rounding
from statlearn._math.trees.table_coder import TableCoder
from statlearn._math.trees.table_input import TableInputMixin, dense_training_table
from statlearn._math.trees.tree import Tree


class BaseDecisionTree(TableInputMixin, MultiOutputMixin, BaseEstimator):
    """Base class of binary decision trees."""

    _constraints = {
        **GROWTH_CONSTRAINTS,
        "splitter": [Options("best", "random", "binned")],
        "missing": [Options("direction", "category", "surrogate", "fractional")],
        "max_surrogates": [Int(0, None)],
        "categorical_split": [Options("ordered", "exhaustive", "multiway")],
        "interaction_cst": [Options("no_interactions", "pairwise"), "array-like", None],
        "ccp_scale": [Options("mean", "count")],
        "target_score": [Real(None, 1, closed="right"), None],
    }
    _missing = "direction"  # default for trees made without `fit`, as by a forest

    def fit(self, X, y, sample_weight=None, check_input=True):
        """Grow the tree.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Training data. NaN is a missing value. A sparse matrix is converted to a dense one.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
        sample_weight : array-like of shape (n_samples,) or None, default=None
            Weight k is equivalent to k copies of a row, and 0 to dropping it.
        check_input : bool, default=True
            False skips the checks of X, which must then be a float array.

        Returns
        -------
        self
        """
        check_params(self)
        rng = check_random_state(self.random_state)
        X, y = self._check_data(X, y, check_input)
        y = y.reshape(-1, 1) if y.ndim == 1 else y
        self.n_outputs_ = y.shape[1]
        self.max_features_ = features_to_draw(self.max_features, X.shape[1])
        target = self._encode_target(y)
        check_same_length(X, y)
        weights = self._class_weighted(check_weights(sample_weight, np.empty((X.shape[0], 1))), y)
        coder = self._coder.fit(X, getattr(self, "feature_names_in_", None))
        X = coder.encode(X)
        if weights is not None and not np.all(weights > 0):
            used = weights > 0
            if not used.any():
                raise ValueError("All weights are zero; at least one row must have a positive weight.")
            X, target, weights = X[used], target[used], weights[used]
        self._grow(X, target, weights, rng.randint(np.iinfo(np.int32).max))
        return self

    def _check_data(self, X, y, check_input):
        self._missing = self.missing  # as of this fit, whatever set_params changes later
        self._coder = TableCoder(self.categorical_features, missing_level=self._missing == "category")
        if not check_input:
            if issparse(X):
                X = X.toarray(order="F")
            X = X if X.dtype in FLOATS else np.asarray(X, np.float32)
            self.n_features_in_ = X.shape[1]
            forget(self, "feature_names_in_")
            return X, np.atleast_1d(np.asarray(y))
        X = self._coder.fit_frame(X)
        X, y = validate_data(
            self,
            X,
            y,
            validate_separately=(
                {"dtype": FLOATS, "accept_sparse": "csc", "ensure_all_finite": "allow-nan"},
                {"ensure_2d": False, "dtype": None},
            ),
        )
        return dense_training_table(X, order="F"), np.atleast_1d(y)

    def _grow(self, X, target, weights, seed):
        names = getattr(self, "feature_names_in_", None)
        n, p = X.shape
        categorical = self._coder.mask
        classes = np.atleast_1d(self.n_classes_) if is_classifier(self) else None
        monotone = self._monotone_signs(p, () if classes is None else classes)
        if self.missing == "fractional" and (self.max_leaf_nodes is not None or self.target_score is not None):
            raise ValueError(
                "missing='fractional' does not support `max_leaf_nodes` or `target_score`; set both to None."
            )
        criterion, losses, weights = self._criterion(target, weights)
        rules = native_rules(
            self,
            n=n,
            total_weight=float(n if weights is None else weights.sum()),
            max_features=self.max_features_,
            criterion=criterion,
            seed=seed,
            target_risk=self._target_risk(target, weights),
        )
        ends = {}
        if self.splitter == "binned":
            X, ends = bin_columns(X, self.max_bins, categorical)
        together = interaction_sets(self.interaction_cst, p, names)
        forest, surrogates, evaluations = grow(
            X, target, classes, weights, losses, categorical, monotone, together, rules
        )
        unbin_thresholds(ends, forest.feature, forest.threshold)
        if surrogates:
            unbin_thresholds(ends, surrogates["feature"], surrogates["threshold"])
        self._settle_values(forest, losses)
        self.surrogates_ = Surrogates(**surrogates) if surrogates else None
        self.n_split_evaluations_ = evaluations
        self.tree_ = Tree(forest, p, np.ones(self.n_outputs_, int) if classes is None else classes)
        self._prune(self.ccp_alpha)

    def _adopt(self, forest, coder, n_features, n_classes):
        """Become a fitted tree of a forest, with class indices as classes; `n_classes` is 1 for regression."""
        self.n_features_in_, self.n_outputs_, self._coder = n_features, len(n_classes), coder
        self.max_features_ = min(features_to_draw(self.max_features, n_features), n_features)
        self.tree_, self.surrogates_ = Tree(forest, n_features, n_classes), None
        if is_classifier(self):
            self._set_classes([np.arange(k, dtype=np.float64) for k in n_classes])
        return self

    def _prune(self, alpha):
        """Collapse, in place, the subtrees whose leaves cost more than they gain."""
        if alpha == 0.0:
            return
        forest = self.tree_.forest
        per_row = alpha / forest.weight[0] if self.ccp_scale == "count" else alpha
        keep, forest = pruned(forest, collapse_alphas(forest) <= per_row + rounding(forest))
        self.tree_ = Tree(forest, self.tree_.n_features, self.tree_.n_classes)
        if self.surrogates_ is not None:
            self.surrogates_ = self.surrogates_.of_nodes(keep, forest.is_leaf)

    # What classification and regression trees differ in.

    def _encode_target(self, y):
        raise NotImplementedError

    def _criterion(self, target, weights):
        return self.criterion, None, weights

    def _class_weighted(self, weights, y):
        return weights

    def _settle_values(self, forest, losses):
        pass

    def _node_weights(self):
        """Weight of the training rows of each node."""
        return self.tree_.forest.weight

    # ---- Prediction ----

    def _leaf_values(self, X, forest=None):
        """The values of each row's leaf, or their mean over its leaves: (n, n_outputs, max_n_classes)."""
        tree = self.tree_
        forest = tree.forest if forest is None else forest
        parts = []
        for block in self._blocks(X):
            if self.surrogates_ is not None:
                values = forest.value[surrogate_apply(forest, self.surrogates_, block)]
            elif self._missing == "fractional":
                values = fractional_values(forest, block)
            else:
                values = np.zeros((block.shape[0], forest.value.shape[1]))
                forest.add_predictions(block, values)
            parts.append(values)
        values = parts[0] if len(parts) == 1 else np.concatenate(parts)
        return values.reshape(len(values), tree.n_outputs, tree.max_n_classes)

    def _leaves(self, X):
        forest = self.tree_.forest
        if self._missing == "fractional" and any(np.isnan(block).any() for block in self._blocks(X)):
            raise ValueError(
                "X contains missing values, and missing='fractional' sends such rows to several leaves; impute X first "
                "or fit with another value of `missing`."
            )
        parts = [
            forest.apply(block)[:, 0] if self.surrogates_ is None else surrogate_apply(forest, self.surrogates_, block)
            for block in self._blocks(X)
        ]
        return np.concatenate(parts).astype(np.int64)

    def apply(self, X, check_input=True):
        """Index of the leaf that each row reaches.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
        check_input : bool, default=True

        Returns
        -------
        ndarray of int, shape (n_samples,)
        """
        return self._leaves(self._check_table(X, check_input))

    def decision_path(self, X, check_input=True):
        """Nodes on the path of each row, as a sparse 0/1 matrix.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
        check_input : bool, default=True

        Returns
        -------
        csr_matrix of shape (n_samples, n_nodes)
        """
        return self.tree_.forest.paths(self._leaves(self._check_table(X, check_input))[:, None])

    # ---- Size and importance ----

    def get_depth(self):
        """Depth of the tree."""
        check_is_fitted(self)
        return self.tree_.max_depth

    def get_n_leaves(self):
        """Number of leaves."""
        check_is_fitted(self)
        return self.tree_.n_leaves

    @property
    def feature_importances_(self):
        """Impurity importances: decrease in impurity by the splits on each feature, normalised to sum to 1."""
        check_is_fitted(self)
        return self.tree_.compute_feature_importances()

    def impurity_importances(self, *, scale="sum1", root=False):
        """Impurity importances: decrease in impurity by the splits on each feature.

        Parameters
        ----------
        scale : {"sum1", "max100", None}, default="sum1"
            "sum1" normalises the sum to 1, "max100" the largest value to 100. None returns the decrease per unit of
            weight, which sums to the impurity of the root minus the mean impurity of the leaves.
        root : bool, default=False
            Whether to take square roots before scaling.

        Returns
        -------
        ndarray of shape (n_features,)
        """
        check_is_fitted(self)
        falls = self.tree_.compute_feature_importances(normalize=False)
        falls = np.sqrt(falls) if root else falls
        if scale is None or not falls.any():
            return falls
        if scale not in ("sum1", "max100"):
            raise ValueError(f"`scale` must be 'sum1', 'max100' or None, got {scale!r}.")
        return falls / falls.sum() if scale == "sum1" else 100.0 * falls / falls.max()

    def cost_complexity_pruning_path(self, X, y, sample_weight=None):
        """Cost-complexity (weakest-link) pruning path of a tree grown on the given data.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
        sample_weight : array-like of shape (n_samples,) or None, default=None

        Returns
        -------
        Bunch
            ``ccp_alphas``, the increasing values of alpha at which branches are pruned (the first is 0), and
            ``impurities``, the total impurity of the leaves from each of them on, both on the scale of `ccp_scale`.
        """
        from sklearn.base import clone
        from sklearn.utils import Bunch

        full = clone(self).set_params(ccp_alpha=0.0).fit(X, y, sample_weight=sample_weight)
        forest = full.tree_.forest
        alphas, impurities = pruning_path(forest)
        unit = forest.weight[0] if self.ccp_scale == "count" else 1.0
        return Bunch(ccp_alphas=alphas * unit, impurities=impurities * unit)
