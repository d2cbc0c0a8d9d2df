"""Boosting rounds: compute derivatives, grow a tree on them, and add its values to the scores."""

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.utils import assert_all_finite, check_random_state
from sklearn.utils.validation import check_is_fitted, column_or_1d

from statlearn._core.callbacks import CallbackSupportMixin, FitSteps
from statlearn._core.frames import CategoryCoder
from statlearn._core.params import Instance, Int, Options, Real
from statlearn._core.validation import FLOATS, check_weights, refuse_without_table, validate_data
from statlearn._math.linalg.sparse_arrays import by_rows
from statlearn._math.trees.bins import BinMapper
from statlearn._math.trees.forest import Forest
from statlearn._math.trees.growth import features_to_draw

from ._boosted_tree import BoostedTree
from ._dropout import Dropout
from ._growth import TreeGrower, add_predictions, leaves_of
from ._loss_history import Watch, scored_by
from ._losses import CustomLoss

LARGEST = 1e150  # limit of a gradient; squared sums of larger ones overflow
MAX_LEVELS = 4096  # categories of a column that are distinguished


class GradientBoosting(CallbackSupportMixin, BaseEstimator):
    """Base class of the gradient boosting regressor and classifier."""

    _constraints = {
        "learning_rate": [Real(0, None)],
        "n_estimators": [Int(1, None)],
        "subsample": [Real(0, 1, closed="right")],
        "min_samples_split": [Int(2, None), Real(0, 1, closed="right")],
        "min_samples_leaf": [Int(1, None), Real(0, 1, closed="neither")],
        "min_weight_fraction_leaf": [Real(0, 0.5, closed="both")],
        "max_depth": [Int(1, None), None],
        "min_impurity_decrease": [Real(0, None)],
        "random_state": ["random_state"],
        "max_features": [Int(1, None), Real(0, 1, closed="right"), Options("sqrt", "log2"), None],
        "verbose": ["verbose"],
        "max_leaf_nodes": [Int(2, None), None],
        "warm_start": ["boolean"],
        "validation_fraction": [Real(0, 1, closed="neither")],
        "n_iter_no_change": [Int(1, None), None],
        "tol": [Real(0, None)],
        "ccp_alpha": [Real(0, None)],
        "tree_method": [Options("hist", "exact")],
        "leaf": [Options("newton", "gradient")],
        "reg_lambda": [Real(0, None)],
        "reg_alpha": [Real(0, None)],
        "gamma": [Real(0, None)],
        "min_child_weight": [Real(0, None)],
        "post_prune": ["boolean"],
        "goss": ["array-like", None],
        "max_bins": [Int(2, 255)],
        "max_conflict_rate": [Real(0, 1), None],
        "categorical_features": ["array-like", Options("from_dtype"), None],
        "monotonic_cst": ["array-like", Instance(dict), None],
        "interaction_cst": ["array-like", Options("pairwise", "no_interactions"), None],
        "scoring": ["callable", Instance(str), None],
        "dropout": [Real(0, 1, closed="both")],
    }

    # ---- Fitting ----

    def _check_options(self):
        if self.goss is not None:
            share = np.asarray(self.goss, dtype=np.float64)
            if share.shape != (2,) or np.any(share < 0) or share.sum() > 1 + 1e-12 or share.sum() == 0:
                raise ValueError(f"`goss` must be a pair of proportions (a, b) with 0 < a + b <= 1, got {self.goss!r}.")
            if self.subsample < 1:
                raise ValueError(f"`goss` requires subsample=1.0, got subsample={self.subsample!r}.")

    @property
    def _continues(self):
        """Whether a fit adds to the existing trees."""
        return self.warm_start and hasattr(self, "forest_")

    def _read_training(self, X, y, *, y_numeric=False):
        """The validated table and target, with categories as codes."""
        continues = self._continues
        coder = self._category_coder if continues else CategoryCoder(self.categorical_features)
        X, y = validate_data(
            self,
            coder.read_frame(X) if continues else coder.fit_frame(X),
            y,
            dtype=FLOATS,
            accept_sparse=["csr", "csc", "coo"],
            ensure_all_finite="allow-nan",
            y_numeric=y_numeric,
            reset=not continues,
        )
        self._category_coder = coder
        return by_rows(X), y

    def _read(self, X):
        """The validated table for prediction."""
        return validate_data(
            self,
            self._category_coder.read_frame(X),
            dtype=FLOATS,
            accept_sparse="csr",
            reset=False,
            ensure_all_finite="allow-nan",
        )

    def _read_validation(self, X_val, y_val, weights_val, like):
        if X_val is None:
            refuse_without_table(y_val=y_val, sample_weight_val=weights_val)
            return None, None, None
        if y_val is None:
            raise ValueError("`X_val` requires `y_val`.")
        X_val = self._read(X_val)
        y_val = column_or_1d(y_val)
        if len(y_val) != X_val.shape[0]:
            raise ValueError(f"`X_val` has {X_val.shape[0]} rows, but `y_val` has {len(y_val)}.")
        if y_val.dtype.kind in "fc":
            assert_all_finite(y_val, input_name="y_val")
        weights_val = check_weights(weights_val, X_val, name="sample_weight_val")
        return X_val.astype(like.dtype, copy=False), y_val, weights_val

    def _fit(self, X, y, weights, loss, validation, monitor):
        """Boost on a validated table; y is the target as the loss expects it."""
        rng = check_random_state(self.random_state)
        seed = int(rng.randint(np.iinfo(np.int32).max))
        if weights is not None and not np.all(weights > 0):
            used = weights > 0
            X, y, weights = X[used], y[used], weights[used]
        X_val, y_val, weights_val = validation
        if X_val is None and self.n_iter_no_change is not None:
            X, y, weights, X_val, y_val, weights_val = self._hold_out(X, y, weights)
        continues = self._continues
        if continues:
            self._check_continuation(loss)
        self.loss_ = loss.name
        self.max_features_ = min(features_to_draw(self.max_features, X.shape[1]), X.shape[1])
        if not continues:
            self._fit_start(X, y, weights, loss)
        scores = self._start_scores(X).astype(X.dtype)
        if not continues:
            self._fit_bins(X, y, scores, weights, loss, rng)
        raw, X = X, self._bins.encode(X)
        if continues:
            sums = np.zeros(scores.shape)
            add_predictions(self.forest_, X, sums)
            scores += sums.astype(X.dtype)
        watch = Watch(self, loss, self if continues else None)
        val_sums = None
        if X_val is not None:
            X_val, val_sums = self._validation_start(X_val, y_val, weights_val, watch, continues)
        drop = None
        if self.dropout > 0:
            drop = Dropout(self, seed, self.forest_ if continues else None, scores.shape[1])
        rounds = Rounds(self, X, y, weights, loss, scores, seed, watch, drop)
        done = self.n_estimators_ if continues else 0
        trees = []
        at_once = self.subsample < 1 or self.verbose or monitor is not None or drop is not None or loss.adapts
        with FitSteps(self, raw, y, weights, max_steps=self.n_estimators - done, name="round") as steps:
            for round_ in range(done, self.n_estimators):
                steps.begin()
                grown = rounds.add(round_, at_once)
                trees += grown
                if X_val is not None:
                    if drop is not None and drop.out:
                        val_sums -= (1 - drop.kept) * drop.sums(X_val)
                    add_predictions(Forest.of(grown, range(len(grown))), X_val, val_sums)
                    watch.validate(y_val, val_sums.astype(X.dtype), weights_val)
                if drop is not None:
                    drop.settle(grown)
                watch.report(round_)
                if monitor is not None and monitor(round_, self, locals()):
                    break
                if watch.stalled() | bool(steps.end()):
                    break
        if not at_once and trees:
            watch.train.append(watch.value(y, scores, weights))
        if watch.train and np.isnan(watch.train[-1]):
            raise ValueError(_overflowed(np.nan, self.n_estimators))
        self._keep_trees(trees, scores.shape[1], drop, continues)
        if self.subsample == 1 and self.goss is None and drop is None and not loss.adapts:
            watch.warn_if_loss_rose(done)
        watch.store()
        return self

    def _validation_start(self, X_val, y_val, weights_val, watch, continues):
        """Binned validation rows and their scores before the first new tree."""
        sums = self._start_scores(X_val)
        if self.scoring not in (None, "loss"):
            watch.scorer = scored_by(self.scoring, self, X_val, self._labels(y_val), weights_val)
        X_val = self._bins.encode(X_val)
        if continues:
            add_predictions(self.forest_, X_val, sums)
        return X_val, sums

    def _keep_trees(self, trees, n_outputs, drop, continues):
        """Store the new trees, after those of a warm start."""
        forest = Forest.of(trees, np.tile(np.arange(n_outputs), len(trees) // n_outputs))
        self.forest_ = self.forest_.joined(forest) if continues else forest
        if drop is not None:
            self.forest_.value = drop.values
        self.n_trees_per_iteration_ = n_outputs
        self.n_estimators_ = len(self.forest_) // n_outputs

    def _check_continuation(self, loss):
        """Refuse a warm start that the existing trees do not allow."""
        if self.loss_ != loss.name:
            raise ValueError(
                f"`warm_start`=True cannot continue with loss={self.loss!r}, because the existing trees were fitted "
                f"with loss={self.loss_!r}."
            )
        if self.n_estimators < self.n_estimators_:
            raise ValueError(
                f"n_estimators={self.n_estimators} must be larger or equal to "
                f"estimators_.shape[0]={self.n_estimators_} when warm_start==True."
            )

    def _fit_start(self, X, y, weights, loss):
        """The initial scores: a constant, zero, or those of another model."""
        self.start_ = np.zeros(loss.n_scores) if self.init is not None else loss.start(y, weights)
        self.init_ = None
        if self.init is None or isinstance(self.init, str):
            return
        self.init_ = clone(self.init)
        target = self._labels(y)
        if weights is None:
            self.init_.fit(X, target)
            return
        message = f"The initial estimator {type(self.init_).__name__} does not support sample weights."
        try:
            self.init_.fit(X, target, sample_weight=weights)
        except TypeError as error:
            if "unexpected keyword argument 'sample_weight'" in str(error):
                raise ValueError(message) from error
            raise
        except ValueError as error:
            if "pass parameters to specific steps of your pipeline using the stepname__parameter" in str(error):
                raise ValueError(message) from error
            raise

    def _fit_bins(self, X, y, scores, weights, loss, rng):
        """Learn the bin edges; many categories of a column are ordered by the gradients of the first round."""
        names = getattr(self, "feature_names_in_", None)
        mask = self._category_coder.choose(X.shape[1], names)
        target = None
        if np.any(mask):
            g, h = np.empty((2, scores.shape[1], X.shape[0]), scores.dtype)
            loss.derivatives(y, scores, weights, g, h)
            target = -g.T
        self._bins = BinMapper(self.max_bins, mask, self.max_conflict_rate, MAX_LEVELS).fit(X, rng, target)

    def _start_scores(self, X):
        start = np.tile(self.start_.astype(np.float64), (X.shape[0], 1))
        return start if self.init_ is None else start + self._init_scores(X)

    def _hold_out(self, X, y, weights):
        """Hold out a random part of the rows for validation."""
        from sklearn.model_selection import train_test_split

        train, held = train_test_split(
            np.arange(X.shape[0]),
            test_size=self.validation_fraction,
            random_state=self.random_state,
            stratify=self._strata(y),
        )
        self._check_held_out(y, train)
        part = (lambda at: None) if weights is None else (lambda at: weights[at])
        return X[train], y[train], part(train), X[held], y[held], part(held)

    def _strata(self, y):
        return None

    def _check_held_out(self, y, train):
        """Raise if the validation split leaves too few rows or classes for training."""

    # ---- Predicting ----

    def _scores(self, X):
        check_is_fitted(self)
        X = self._read(X)
        sums = self._start_scores(X)
        add_predictions(self.forest_, self._bins.encode(X), sums)
        return sums

    def _staged_scores(self, X):
        check_is_fitted(self)
        X = self._read(X)
        sums, K = self._start_scores(X), self.n_trees_per_iteration_
        X = self._bins.encode(X)
        for round_ in range(self.n_estimators_):
            add_predictions(self.forest_._slice(round_ * K, (round_ + 1) * K), X, sums)
            yield sums.copy()

    def _leaves(self, X):
        check_is_fitted(self)
        leaves = leaves_of(self.forest_, self._bins.encode(self._read(X)))
        return leaves.reshape(len(leaves), -1, self.n_trees_per_iteration_)

    def fast_predictor(self):
        """Low-latency predictor for single rows; see :class:`FastPredictor`."""
        from ._fast_predictor import FastPredictor

        check_is_fitted(self)
        return FastPredictor(self)

    @property
    def estimators_(self):
        """The individual trees, an ndarray of shape (n_estimators_, n_trees_per_iteration_)."""
        check_is_fitted(self)
        trees = np.empty(len(self.forest_), object)
        for t in range(len(trees)):
            trees[t] = BoostedTree(self, t)
        return trees.reshape(-1, self.n_trees_per_iteration_)

    @property
    def feature_importances_(self):
        """Total gain of the splits on each column, normalised to sum to 1."""
        check_is_fitted(self)
        return self.forest_.importances(self.n_features_in_)

    def __sklearn_is_fitted__(self):
        return hasattr(self, "forest_")

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        return tags


def _overflowed(loss, rounds):
    return f"The loss is {loss} after {rounds} rounds because of overflow. Scale y or use a smaller `learning_rate`."


class Rounds:
    """State of a fit between rounds: scores, derivatives and the grower; `drop` is set if dropout is used."""

    def __init__(self, model, X, y, weights, loss, scores, seed, watch, drop=None):
        self.model, self.X, self.y, self.weights, self.loss, self.scores = model, X, y, weights, loss, scores
        self.seed, self.watch, self.drop = seed, watch, drop
        self.grower = TreeGrower(model, X, weights, seed)
        self.g, self.h = np.empty((2, scores.shape[1], X.shape[0]), scores.dtype)

    def add(self, round_, at_once):
        """Add the trees of a round; with `at_once` the training loss is recorded now, not with the next derivatives."""
        y, scores, weights, grower = self.y, self.scores, self.weights, self.grower
        lost, rate = self._leave_out(round_)
        value = self.loss.derivatives(y, scores, weights, self.g, self.h)
        if not np.isfinite(value) and not np.abs(self.g).max() < LARGEST:
            raise ValueError(_overflowed(value, round_))
        if not at_once and round_ > 0 and len(self.watch.train) < round_:
            self.watch.train.append(self.loss.report_factor * value)
        if self.model.leaf == "gradient":
            self.h[:] = 1.0 if weights is None else weights
        grower.draw_rows(round_, self.g)
        sampled = self.model.subsample < 1
        others = grower.others if sampled else None
        has_others = sampled and bool(others.any())
        whole = scores if lost is None else scores + lost
        before = self.watch.value(y, whole, weights, others) if has_others else None
        grown = self._grow(round_, rate)
        if lost is not None:
            scores += self.drop.kept * lost
        if at_once:
            rows = np.flatnonzero(~others) if has_others else None
            self.watch.train.append(self.watch.value(y, scores, weights, rows))
        if has_others:
            self.watch.out_of_bag(y, scores, weights, others, before)
        return grown

    def _leave_out(self, round_):
        """Drop rounds from the scores; returns their contribution (None without any) and the rate of the new trees."""
        if self.drop is None:
            return None, self.model.learning_rate
        self.drop.draw(round_)
        if not self.drop.out:
            return None, self.drop.rate
        lost = self.drop.sums(self.X).astype(self.scores.dtype)
        self.scores -= lost
        return lost, self.drop.rate

    def _grow(self, round_, rate):
        """Grow one tree per score and add its values to the scores."""
        K, grown = self.scores.shape[1], []
        by_gradient = getattr(self.model, "growth", "newton") == "gradient"
        for k in range(K):
            h = self._row_mass() if by_gradient else self.h[k]
            tree = self.grower.grow(self.g[k], h, self.seed + round_ * K + k)
            if by_gradient:
                self._newton_values(tree, self.g[k], self.h[k])
            self._settle_leaves(tree, self.scores[:, k], rate)
            grown.append(self.grower.finished(tree))
            self.grower.add(grown[-1], k, self.scores)
        return grown

    def _row_mass(self):
        """Second derivatives of the squared error, with which trees are grown by least squares on the gradients."""
        ones = np.ones(self.h.shape[1], self.h.dtype)
        return ones if self.weights is None else ones * self.weights

    def _newton_values(self, tree, g, h):
        """Leaf values -G / (H + lambda), with the penalties, for a tree that was grown without second derivatives."""
        leaves = np.flatnonzero(tree["feature"] < 0)
        leaves = leaves[np.argsort(tree["first"][leaves])]  # in the order of their rows
        rows = self.grower.order[: len(self.grower.sample)]
        factor = 1.0 if self.grower.factor is None else self.grower.factor[rows]
        starts = tree["first"][leaves].astype(np.intp)
        G = np.add.reduceat(np.asarray(g[rows], np.float64) * factor, starts)
        H = np.add.reduceat(np.asarray(h[rows], np.float64) * factor, starts) + self.model.reg_lambda
        G = np.sign(G) * np.maximum(np.abs(G) - self.model.reg_alpha, 0.0)
        # A leaf whose rows are all fitted has no curvature left, and needs no step.
        tree["value"][leaves] = np.where(H > 1e-150, -G / np.where(H > 1e-150, H, 1.0), 0.0)
        self.grower.keep_directions(tree)

    def _halve_steps(self, tree, scores):
        """Halve the Newton steps of leaves whose loss would rise."""
        leaves = np.flatnonzero(tree["feature"] < 0)
        leaves = leaves[np.argsort(tree["first"][leaves])]  # in the order of their rows
        rows = self.grower.order[: len(self.grower.sample)]
        leaf = np.repeat(np.arange(len(leaves)), tree["rows"][leaves])
        weights = self.grower.row_weights(rows)
        tree["value"][leaves] = self.loss.leaf_steps(self.y[rows], scores[rows], weights, leaf, tree["value"][leaves])

    def _settle_leaves(self, tree, scores, rate):
        """Set leaf values times the rate, fitted to the rows of the leaf if the loss requires it."""
        if self.model.leaf == "gradient":
            tree["value"][:] = -tree["gradient"]
        elif isinstance(self.loss, CustomLoss):
            self._halve_steps(tree, scores)
        elif not self.loss.newton_leaves:
            for k in np.flatnonzero(tree["feature"] < 0):
                rows = self.grower.rows_of(tree, k)
                row_weights = self.grower.row_weights(rows)
                tree["value"][k] = self.loss.leaf_value(self.y[rows], scores[rows], row_weights, tree["value"][k])
        if self.model.leaf == "gradient" or not self.loss.newton_leaves:
            self.grower.keep_directions(tree)
        tree["value"] *= rate
