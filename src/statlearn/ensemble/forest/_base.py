"""Base classes of random forests and extra trees: bootstrap samples, growth, prediction, out-of-bag estimates."""

import warnings

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin, MultiOutputMixin, RegressorMixin
from sklearn.exceptions import DataConversionWarning
from sklearn.metrics import accuracy_score, r2_score
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import check_is_fitted

from statlearn._core.class_weights import label_and_sample_weights
from statlearn._core.fitted_state import forget
from statlearn._core.jobs import jobs
from statlearn._core.native import trees as native
from statlearn._core.params import Instance, Int, Options, Real, check_params
from statlearn._core.validation import FLOATS, check_labels, check_weights, validate_data
from statlearn._math.trees.growth import GROWTH_CONSTRAINTS, Share, check_response
from statlearn._math.trees.table_coder import TableCoder
from statlearn._math.trees.table_input import TableInputMixin, dense_training_table

from .._members import check_same_classes
from ._growth import (
    MAX_SEED,
    Grower,
    bootstrap_size,
    class_gains,
    growth_limits,
    mean_importances,
    pruned_trees,
)
from ._out_of_bag import mean_values
from ._quantiles import QuantilePredictions

FOREST_CONSTRAINTS = {
    **GROWTH_CONSTRAINTS,
    "n_estimators": [Int(1, None)],
    "max_features": [*GROWTH_CONSTRAINTS["max_features"], Options("p/3")],
    "bootstrap": ["boolean"],
    "oob_score": ["boolean", "callable"],
    "n_jobs": [Int(), None],
    "verbose": ["verbose"],
    "warm_start": ["boolean"],
    "max_samples": [None, Share(0, None, closed="neither"), Int(1, None)],
    "splitter": [Options("binned", "exact")],
}


class ForestModel(TableInputMixin, MultiOutputMixin, BaseEstimator):
    """Average of trees grown on bootstrap samples or on all rows."""

    _random_cuts = False

    @property
    def _continues(self):
        """Whether a fit starts from the existing trees."""
        return self.warm_start and hasattr(self, "forest_")

    @property
    def _adds_trees(self):
        """Whether a fit adds trees to the existing ones, so that the target must match that of the first fit."""
        return self._continues and self.n_estimators > len(self.forest_)

    def _fit(self, X, y, weights):
        """Grow the trees that are still needed and return their number. y: (n, outputs), numbers or class indices."""
        rng = check_random_state(self.random_state)
        n = X.shape[0]
        if not self.bootstrap and self.max_samples is not None:
            raise ValueError(
                "`max_samples` cannot be set if `bootstrap=False`. Either switch to `bootstrap=True` or set "
                "`max_samples=None`."
            )
        if not self.bootstrap and self.oob_score:
            raise ValueError("Out of bag estimation only available if bootstrap=True.")
        draws, few = bootstrap_size(n, self.max_samples, weights) if self.bootstrap else (0, None)
        if few:
            warnings.warn(few, stacklevel=3)
        continues = self._continues
        before = len(self.forest_) if continues else 0
        more = self.n_estimators - before
        if more < 0:
            raise ValueError(
                f"n_estimators={self.n_estimators} must be larger or equal to len(estimators_)={before} when "
                "warm_start==True."
            )
        self._n_samples, self._n_samples_bootstrap, self._sample_weight = n, draws, weights
        if more == 0:
            warnings.warn("Warm-start fitting without increasing n_estimators does not fit new trees.", stacklevel=3)
            return 0
        if not continues:
            self.n_split_evaluations_ = 0
            target = y[:, :1] == np.arange(self._class_counts()[0]) if len(self._class_counts()) else y
            self._coder.fit(X, getattr(self, "feature_names_in_", None), target)
        # The same seeds that a single fit of all trees would have drawn.
        seeds = rng.randint(MAX_SEED, size=before + more)[before:].astype(np.uint64)
        forest = self._grow(self._coder.encode(X), y, weights, seeds)
        if self.ccp_alpha > 0:
            forest = pruned_trees(forest, self.ccp_alpha)
        self.forest_ = self.forest_.joined(forest) if continues else forest
        self.seeds_ = np.concatenate([self.seeds_, seeds]) if continues else seeds
        return more

    def _grow(self, X, y, weights, seeds):
        """Grow a forest of one tree per seed."""
        n, p = X.shape
        grower = Grower(
            self._coder,
            self._exact or self._coder.bins is None,  # a warm start continues exact trees
            self.criterion,
            self._class_counts(),
            self._monotone_signs(p, self._class_counts()),
            growth_limits(self, n, p),
            draws=self._n_samples_bootstrap,
            balanced=bool(self.bootstrap) and getattr(self, "class_weight", None) == "balanced_subsample",
        )
        parts = []
        step = len(seeds) if not self.verbose else max(1, len(seeds) // 10)
        with jobs(self.n_jobs):
            grow = grower.on(X, y, weights)
            for start in range(0, len(seeds), step):
                forest, evaluations = grow(seeds[start : start + step])
                parts.append(forest)
                self.n_split_evaluations_ += evaluations
                if self.verbose:
                    print(f"[{type(self).__name__}] {min(start + step, len(seeds))} of {len(seeds)} trees grown")
        forest = parts[0]
        for part in parts[1:]:
            forest = forest.joined(part)
        return forest

    @property
    def _exact(self):
        return self.splitter == "exact" or self.criterion == "absolute_error"

    def _class_counts(self):
        """Number of classes of each output; empty for regression."""
        return np.empty(0, int)

    # ---- Individual trees ----

    def _member_class(self):
        """The class of the individual trees."""
        from statlearn import trees

        kind = "ExtraTree" if self._random_cuts else "DecisionTree"
        return getattr(trees, kind + ("Classifier" if isinstance(self, ClassifierMixin) else "Regressor"))

    def _member_settings(self):
        """The parameters of this forest that an individual tree also has."""
        shared = ("max_depth", "min_samples_split", "min_samples_leaf", "min_weight_fraction_leaf")
        shared += ("max_leaf_nodes", "min_impurity_decrease", "ccp_alpha", "monotonic_cst", "criterion")
        features = self.max_features
        if isinstance(features, str) and features == "p/3":
            features = 1 / 3
        return {"max_features": features, **{name: getattr(self, name) for name in shared}}

    @property
    def estimator_(self):
        """An unfitted tree with the parameters of this forest."""
        return self._member_class()(**self._member_settings())

    @property
    def estimator(self):
        """An unfitted tree with the parameters of this forest, available before `fit`."""
        return self.estimator_

    @property
    def estimators_(self):
        """The individual trees, created from `forest_` on every access; their classes are class indices."""
        if not hasattr(self, "forest_"):
            raise AttributeError(f"This {type(self).__name__} is not fitted yet and has no `estimators_`; call `fit`.")
        counts = self._class_counts() if len(self._class_counts()) else np.ones(self.n_outputs_, int)
        kind, settings = self._member_class(), self._member_settings()
        return [
            kind(**settings, random_state=int(seed))._adopt(
                self.forest_.tree(t), self._coder, self.n_features_in_, counts
            )
            for t, seed in enumerate(self.seeds_)
        ]

    def __len__(self):
        return len(self.forest_)

    def __getitem__(self, t):
        return self.estimators_[t]

    def __iter__(self):
        return iter(self.estimators_)

    # ---- Prediction ----

    def _voting_forest(self):
        """The trees with the values that are averaged: class proportions, or with hard votes one class per node."""
        if getattr(self, "_vote", "soft") == "soft":
            return self.forest_
        values = self.forest_.value.reshape(len(self.forest_.feature), self.n_outputs_, -1)
        forest = self.forest_.first(len(self.forest_))
        votes = np.argmax(values, axis=2)[:, :, None] == np.arange(values.shape[2])
        forest.value = np.ascontiguousarray(votes.reshape(self.forest_.value.shape), dtype=np.float64)
        return forest

    def _mean_values(self, X):
        """Mean over the trees of the values of each row's leaves."""
        check_is_fitted(self)
        parts, forest = [], self._voting_forest()
        with jobs(self.n_jobs):
            for block in self._blocks(self._check_table(X)):
                sums = np.zeros((block.shape[0], forest.value.shape[1]))
                forest.add_predictions(block, sums)
                sums /= len(forest)
                parts.append(sums)
        return parts[0] if len(parts) == 1 else np.concatenate(parts)

    def apply(self, X):
        """Index within the tree of the leaf that each row reaches, of shape (n_rows, n_estimators)."""
        with jobs(self.n_jobs):
            parts = [self.forest_.apply(block) for block in self._blocks(self._check_table(X))]
        return np.concatenate(parts).astype(np.int64)

    def decision_path(self, X):
        """Nodes on the paths of each row.

        Returns
        -------
        indicator : sparse matrix of shape (n_rows, n_nodes)
            1 if a row passes through a node. The nodes of all trees are concatenated.
        n_nodes_ptr : ndarray of shape (n_estimators + 1,)
            Index of the first node of each tree.
        """
        with jobs(self.n_jobs):
            parts = [self.forest_.decision_path(block) for block in self._blocks(self._check_table(X))]
        indicator = parts[0] if len(parts) == 1 else sparse.vstack(parts, format="csr")
        return indicator, np.append(self.forest_.roots, len(self.forest_.feature)).astype(np.int64)

    @property
    def feature_importances_(self):
        """Impurity importances: mean decrease in impurity by the splits on each column, normalised to sum to 1."""
        return self.impurity_importances()

    def impurity_importances(self, *, scale="sum1", per_class=False):
        """Impurity importances: mean decrease in impurity by the splits on each column.

        The importances of each tree are normalised before averaging, so that all trees have equal weight.

        Parameters
        ----------
        scale : {"sum1", "max100", None}, default="sum1"
            "sum1" normalises the sum to 1, "max100" the largest value to 100. None returns the decrease per unit of
            weight.
        per_class : bool, default=False
            Whether to return the decrease in one-vs-rest Gini impurity for each class. For single-output classifiers.

        Returns
        -------
        importances : ndarray of shape (n_features,) or (n_classes, n_features)
        """
        check_is_fitted(self)
        if scale not in ("sum1", "max100", None):
            raise ValueError(f"`scale` must be 'sum1', 'max100' or None, got {scale!r}.")
        if per_class and (not isinstance(self, ClassifierMixin) or self.n_outputs_ > 1):
            raise ValueError("`per_class`=True requires a single-output classifier.")
        gains = class_gains(self.forest_) if per_class else self.forest_.gain[None]
        importances = np.array([mean_importances(self.forest_, gain, self.n_features_in_, scale) for gain in gains])
        return importances if per_class else importances[0]

    def _counts(self, seed):
        """Number of times each training row is in the bootstrap sample of the tree with this seed."""
        counts = np.empty(self._n_samples, np.uint32)
        native.bootstrap_counts(int(seed), self._n_samples_bootstrap, self._cumulative(), counts)
        return counts

    def _cumulative(self):
        weights = self._sample_weight
        return np.empty(0) if weights is None else np.cumsum(weights.astype(np.float64))

    @property
    def estimators_samples_(self):
        """The training rows of each tree, repeated as often as drawn; recomputed on every access."""
        check_is_fitted(self)
        rows = np.arange(self._n_samples, dtype=np.int32)
        if not self.bootstrap:
            return [rows] * len(self.forest_)
        return [np.repeat(rows, self._counts(seed)) for seed in self.seeds_]

    def __sklearn_is_fitted__(self):
        return hasattr(self, "forest_")

    def _validated(self, X, y, sample_weight):
        """Validated X, y as a matrix, and weights, without rows of weight 0."""
        if sparse.issparse(y):
            raise ValueError("sparse multilabel-indicator for y is not supported.")
        if self._continues:
            X = self._coder.read_frame(X)
        else:
            max_bins = None if self._exact else self.max_bins
            self._coder = TableCoder(self.categorical_features, max_bins=max_bins, random_cuts=self._random_cuts)
            X = self._coder.fit_frame(X)
        options = dict(dtype=FLOATS, accept_sparse="csr", multi_output=True, ensure_all_finite="allow-nan")
        X, y = validate_data(self, X, y, reset=not self._continues, **options)
        X, y = dense_training_table(X), np.atleast_1d(y)
        if y.ndim == 2 and y.shape[1] == 1:
            warnings.warn(
                "A column-vector y was passed when a 1d array was expected. Please change the shape of y to "
                "(n_samples,), for example using ravel().",
                DataConversionWarning,
                stacklevel=3,
            )
        y = y.reshape(len(y), -1)
        if self._adds_trees and y.shape[1] != self.n_outputs_:
            raise ValueError(
                f"`warm_start`=True requires the {self.n_outputs_} outputs of the previous fit, but y has {y.shape[1]}."
            )
        self.n_outputs_ = y.shape[1]
        weights = check_weights(sample_weight, X)
        return X, y, weights


class ForestClassifierModel(ClassifierMixin, ForestModel):
    """Forest of classification trees."""

    _constraints = {
        **FOREST_CONSTRAINTS,
        "criterion": [Options("gini", "entropy", "log_loss")],
        "class_weight": [Options("balanced", "balanced_subsample"), Instance(dict, list), None],
        "smoothing": [Real(0, None)],
        "vote": [Options("soft", "hard")],
    }

    def fit(self, X, y, sample_weight=None):
        """Grow the trees.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)
            Training data. NaN is a missing value.
        y : array-like of shape (n_rows,) or (n_rows, n_outputs)
            Class labels.
        sample_weight : array-like of shape (n_rows,) or None, default=None
            Row weights. With `bootstrap`, rows are drawn with probabilities proportional to them. Otherwise they weight
            the rows in every tree.

        Returns
        -------
        self
        """
        check_params(self)
        X, y, weights = self._validated(X, y, sample_weight)
        self._smoothing, self._vote = self.smoothing, self.vote
        check_labels(y)
        codes, classes = np.empty(y.shape, np.int64), []
        for k in range(y.shape[1]):
            labels, codes[:, k] = np.unique(y[:, k], return_inverse=True)
            classes.append(labels)
            if self._adds_trees:
                check_same_classes(self.classes_ if self.n_outputs_ == 1 else self.classes_[k], labels)
        counts = [len(c) for c in classes]
        self.classes_, self.n_classes_ = (classes[0], counts[0]) if len(classes) == 1 else (classes, counts)
        weights = self._with_class_weights(y, weights)
        used = None if weights is None or np.all(weights > 0) else weights > 0
        if used is None:
            n_grown = self._fit(X, codes, weights)
        else:
            n_grown = self._fit(X[used], codes[used], weights[used])
        if not self.oob_score:
            forget(self, "oob_score_", "oob_decision_function_")
        elif n_grown or not hasattr(self, "oob_decision_function_"):
            kind = type_of_target(y)
            if kind in ("unknown", "multiclass-multioutput"):
                raise ValueError(
                    "The type of target cannot be used to compute OOB estimates. Got "
                    f"{kind} while only the following are supported: continuous, continuous-multioutput, binary, "
                    "multiclass, multilabel-indicator."
                )
            self._set_oob_score_and_attributes(X, codes, used)
        return self

    def _set_oob_score_and_attributes(self, X, codes, used):
        sums, _ = mean_values(self, self._coder.encode(X), used)
        outputs = codes.shape[1]
        shares = np.moveaxis(sums.reshape(len(sums), outputs, -1), 1, 2)  # (n, classes, outputs)
        self.oob_decision_function_ = shares[:, :, 0] if outputs == 1 else shares
        score = self.oob_score if callable(self.oob_score) else accuracy_score
        truth = codes[:, 0] if outputs == 1 else codes
        self.oob_score_ = score(truth, np.argmax(self.oob_decision_function_, axis=1))

    def _class_counts(self):
        return np.atleast_1d(self.n_classes_)

    def _with_class_weights(self, y, weights):
        """Row weights times class weights; "balanced_subsample" weights are computed while trees are grown."""
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
        preset = "balanced" if isinstance(self.class_weight, str) else self.class_weight
        return label_and_sample_weights(preset, y, weights)

    def _probabilities(self, values):
        """Values (n, outputs * classes) as one matrix per output, or a single matrix."""
        counts = self._class_counts()
        if len(counts) == 1:
            return values
        blocks = values.reshape(len(values), len(counts), -1)
        return [np.ascontiguousarray(blocks[:, k, :count]) for k, count in enumerate(counts)]

    def predict_proba(self, X):
        """Class probabilities: mean over the trees of the class proportions in the leaves of each row, or vote shares.

        Returns
        -------
        probabilities : ndarray of shape (n_rows, n_classes)
            Probabilities in the order of `classes_`, or a list of such arrays if y had several columns.
        """
        proba = self._probabilities(self._mean_values(X))
        if self._smoothing == 0:
            return proba
        return [self._smoothed(p) for p in proba] if isinstance(proba, list) else self._smoothed(proba)

    def _smoothed(self, p):
        share = self._smoothing / (len(self.forest_) + self._smoothing)
        return (1 - share) * p + share / p.shape[1]

    def predict_log_proba(self, X):
        """Logarithm of the class probabilities."""
        proba = self.predict_proba(X)
        with np.errstate(divide="ignore"):
            return [np.log(p) for p in proba] if isinstance(proba, list) else np.log(proba)

    def predict(self, X):
        """Predicted class: the one with the largest probability, the first one in case of ties."""
        proba = self.predict_proba(X)
        if self.n_outputs_ == 1:
            return self.classes_.take(np.argmax(proba, axis=1), axis=0)
        return np.column_stack([c.take(np.argmax(p, axis=1)) for c, p in zip(self.classes_, proba)])

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        return tags


class ForestRegressorModel(QuantilePredictions, RegressorMixin, ForestModel):
    """Forest of regression trees."""

    _constraints = {
        **FOREST_CONSTRAINTS,
        "criterion": [Options("squared_error", "absolute_error", "poisson")],
        "quantiles": ["boolean"],
    }

    def fit(self, X, y, sample_weight=None):
        """Grow the trees.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)
            Training data. NaN is a missing value.
        y : array-like of shape (n_rows,) or (n_rows, n_outputs)
        sample_weight : array-like of shape (n_rows,) or None, default=None
            Row weights. With `bootstrap`, rows are drawn with probabilities proportional to them. Otherwise they weight
            the rows in every tree.

        Returns
        -------
        self
        """
        check_params(self)
        X, y, weights = self._validated(X, y, sample_weight)
        y = np.ascontiguousarray(y, np.float64)
        check_response(y, self.criterion)
        used = None if weights is None or np.all(weights > 0) else weights > 0
        seen = (X, y, weights) if used is None else (X[used], y[used], weights[used])
        n_grown = self._fit(*seen)
        self._keep_responses(self._coder.encode(seen[0]), seen[1])
        if not self.oob_score:
            forget(self, "oob_score_", "oob_prediction_")
        elif n_grown or not hasattr(self, "oob_prediction_"):
            self._set_oob_score_and_attributes(X, y, used)
        return self

    def _set_oob_score_and_attributes(self, X, y, used):
        sums, _ = mean_values(self, self._coder.encode(X), used)
        self.oob_prediction_ = sums[:, 0] if y.shape[1] == 1 else sums
        score = self.oob_score if callable(self.oob_score) else r2_score
        self.oob_score_ = score(y, self.oob_prediction_)

    def predict(self, X):
        """Predicted values: mean over the trees of the leaf means of each row."""
        values = self._mean_values(X)
        return values[:, 0] if self.n_outputs_ == 1 else values
