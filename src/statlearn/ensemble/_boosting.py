"""The rounds of gradient boosting: derivatives, a tree on them, its values added to the scores."""

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from statlearn._core.native import ensemble as native_ensemble
from statlearn._core.native import trees as native_trees
from statlearn._core.params import Instance, Int, Real
from statlearn._core.validation import FLOATS
from statlearn.trees._bins import BinMapper
from statlearn.trees._forest import Forest

# From this many rows on, sums of rounded derivatives are as good as exact ones, and several times faster.
QUANTISED_FROM = 20_000
MIN_HESSIAN = 1e-3  # of a leaf, as the peers have it: guards Newton steps where the loss is flat


class GradientBoosting(BaseEstimator):
    """What the regressor and the classifier share."""

    _constraints = {
        "learning_rate": [Real(0, None, closed="neither")],
        "n_estimators": [Int(1, None)],
        "subsample": [Real(0, 1, closed="right")],
        "min_samples_leaf": [Int(1, None)],
        "max_depth": [Int(1, None), None],
        "max_leaf_nodes": [Int(2, None), None],
        "max_features": [Real(0, 1, closed="right"), None],
        "reg_lambda": [Real(0, None)],
        "reg_alpha": [Real(0, None)],
        "gamma": [Real(0, None)],
        "max_bins": [Int(2, 255)],
        "categorical_features": ["array-like", None],
        "monotonic_cst": ["array-like", Instance(dict), None],
        "warm_start": ["boolean"],
        "validation_fraction": [Real(0, 1, closed="neither")],
        "n_iter_no_change": [Int(1, None), None],
        "tol": [Real(0, None)],
        "random_state": ["random_state"],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        *,
        loss,
        learning_rate=0.1,
        n_estimators=100,
        subsample=1.0,
        min_samples_leaf=1,
        max_depth=3,
        max_leaf_nodes=None,
        max_features=None,
        reg_lambda=0.0,
        reg_alpha=0.0,
        gamma=0.0,
        max_bins=255,
        categorical_features=None,
        monotonic_cst=None,
        warm_start=False,
        validation_fraction=0.1,
        n_iter_no_change=None,
        tol=1e-4,
        random_state=None,
        verbose=0,
    ):
        self.loss = loss
        self.learning_rate = learning_rate
        self.n_estimators = n_estimators
        self.subsample = subsample
        self.min_samples_leaf = min_samples_leaf
        self.max_depth = max_depth
        self.max_leaf_nodes = max_leaf_nodes
        self.max_features = max_features
        self.reg_lambda = reg_lambda
        self.reg_alpha = reg_alpha
        self.gamma = gamma
        self.max_bins = max_bins
        self.categorical_features = categorical_features
        self.monotonic_cst = monotonic_cst
        self.warm_start = warm_start
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.tol = tol
        self.random_state = random_state
        self.verbose = verbose

    def _fit(self, X, y, weights, loss, X_val, y_val, weights_val):
        """Boost from a checked table; y is the target as the loss wants it."""
        rng = check_random_state(self.random_state)
        seed = rng.randint(np.iinfo(np.int32).max)
        if weights is not None and not np.all(weights > 0):
            kept = weights > 0
            X, y, weights = X[kept], y[kept], weights[kept]
        if X_val is None and self.n_iter_no_change is not None:
            X, y, weights, X_val, y_val, weights_val = self._hold_out(X, y, weights, rng)
        going_on = self.warm_start and hasattr(self, "forest_")
        if going_on and self.n_estimators < self.n_estimators_:
            raise ValueError(
                f"n_estimators={self.n_estimators} must be larger or equal to the {self.n_estimators_} rounds already "
                "fitted when warm_start==True"
            )
        self.bins_ = self.bins_ if going_on else BinMapper(self.max_bins, self._categorical(X)).fit(X, rng)
        X = self.bins_.encode(X)
        table = self.bins_.transform(X)
        start = self.start_ if going_on else loss.start(y, weights)
        scores = np.tile(start.astype(X.dtype), (X.shape[0], 1))
        trees, outputs, history, watched = [], [], [], []
        if going_on:
            sums = np.zeros(scores.shape)
            self.forest_.add_predictions(X, sums)
            scores += sums.astype(X.dtype)
            history, watched = list(self.train_score_), list(self.validation_score_)
        if X_val is not None:
            X_val = self.bins_.encode(X_val)
            val_sums = np.tile(start.astype(np.float64), (X_val.shape[0], 1))
            if going_on:
                self.forest_.add_predictions(X_val, val_sums)
        grower = Grower(self, table, len(start), X.dtype, self._monotone(X.shape[1]))
        g, h = np.empty((2, len(start), X.shape[0]), X.dtype)
        done = self.n_estimators_ if going_on else 0
        for round_ in range(done, self.n_estimators):
            history.append(loss.derivatives(y, scores, weights, g, h))
            grower.draw_rows(rng)
            grown = []
            for k in range(len(start)):
                tree = grower.grow(g[k], h[k], seed + round_ * len(start) + k)
                self._settle_leaves(tree, grower, loss, y, scores[:, k], weights)
                grown.append(tree)
                grower.add(tree, X, k, scores)
            trees += grown
            outputs += range(len(start))
            if X_val is not None:
                Forest.of([self._finished(t) for t in grown], range(len(start))).add_predictions(X_val, val_sums)
                watched.append(loss.value(y_val, val_sums.astype(X.dtype), weights_val))
            if self.verbose:
                self._report(round_ + 1, history[-1], watched)
            if self._stalled(watched):
                break
        before = self.forest_ if going_on else None
        self._store(before, [self._finished(t) for t in trees], outputs, start, history, watched)
        return self

    def _settle_leaves(self, tree, grower, loss, y, scores, weights):
        """Leaf values times the learning rate; fitted to the rows of the leaf where the loss asks for that."""
        if not loss.newton_leaves:
            for k in np.flatnonzero(tree["feature"] < 0):
                rows = grower.rows_of(tree, k)
                own = None if weights is None else weights[rows]
                tree["value"][k] = loss.leaf_value(y[rows], scores[rows], own, tree["value"][k])
        tree["value"] *= self.learning_rate

    def _finished(self, tree):
        """The tree in terms of values instead of bins."""
        inner = tree["feature"] >= 0
        threshold = np.zeros(len(inner))
        threshold[inner] = self.bins_.threshold(tree["feature"][inner], tree["bin"][inner])
        return {**tree, "threshold": threshold, "category_set": tree["categories"]}

    def _store(self, before, trees, outputs, start, history, watched):
        forest = Forest.of(trees, outputs)
        self.forest_ = forest if before is None else before.joined(forest)
        self.start_ = start
        self.n_estimators_ = len(self.forest_) // len(start)
        self.train_score_ = np.array(history)
        self.validation_score_ = np.array(watched)

    def _hold_out(self, X, y, weights, rng):
        """A random part of the rows for watching the loss; the classes in their shares."""
        from sklearn.model_selection import train_test_split

        stratify = y if isinstance(self, ClassifierMixin) else None
        rows = np.arange(X.shape[0])
        train, held = train_test_split(
            rows,
            test_size=self.validation_fraction,
            random_state=rng.randint(np.iinfo(np.int32).max),
            stratify=stratify,
        )
        part = (lambda w, at: None) if weights is None else (lambda w, at: w[at])
        return X[train], y[train], part(weights, train), X[held], y[held], part(weights, held)

    def _stalled(self, watched):
        """Whether none of the last rounds improved on the best before them by tol."""
        patience = self.n_iter_no_change
        if patience is None or len(watched) <= patience:
            return False
        return min(watched[-patience:]) + self.tol > min(watched[:-patience])

    def _report(self, round_, train, watched):
        if self.verbose > 1 or round_ <= 10 or round_ % 10 == 0 or round_ == self.n_estimators:
            tail = f"  validation {watched[-1]:.6f}" if watched else ""
            print(f"[{type(self).__name__}] round {round_}/{self.n_estimators}  loss before it {train:.6f}{tail}")

    def _categorical(self, X):
        """Mask of the categorical columns from indices, names or a mask."""
        p = X.shape[1]
        mask = np.zeros(p, bool)
        if self.categorical_features is None:
            return mask
        given = np.asarray(self.categorical_features)
        if given.dtype == bool:
            if given.shape != (p,):
                raise ValueError(f"categorical_features: a mask needs {p} entries, got {given.shape[0]}.")
            return given.copy()
        if given.dtype.kind in "iu":
            if given.size and (given.min() < 0 or given.max() >= p):
                raise ValueError(f"categorical_features: column numbers must lie between 0 and {p - 1}.")
            mask[given] = True
            return mask
        names = getattr(self, "feature_names_in_", None)
        if names is None:
            raise ValueError("categorical_features: names need a data frame with column names.")
        unknown = sorted(set(given.tolist()) - set(names))
        if unknown:
            raise ValueError(f"categorical_features: no column named {unknown[0]!r}.")
        return np.isin(names, given)

    def _monotone(self, p):
        """-1, 0 or +1 per column, from a list or from names; empty when there is no constraint."""
        given = self.monotonic_cst
        if given is None:
            return np.empty(0, np.int8)
        if isinstance(given, dict):
            names = list(getattr(self, "feature_names_in_", []))
            unknown = sorted(set(given) - set(names))
            if unknown:
                raise ValueError(f"monotonic_cst: no column named {unknown[0]!r}.")
            given = [given.get(name, 0) for name in names]
        signs = np.asarray(given)
        if signs.shape != (p,) or not np.all(np.isin(signs, (-1, 0, 1))):
            raise ValueError(f"monotonic_cst needs one of -1, 0, 1 for each of the {p} columns.")
        return signs.astype(np.int8) if np.any(signs) else np.empty(0, np.int8)

    def _check_table(self, X, reset=False):
        return validate_data(self, X, dtype=FLOATS, reset=reset, ensure_all_finite="allow-nan")

    def _scores(self, X):
        check_is_fitted(self)
        X = self.bins_.encode(self._check_table(X))
        sums = np.tile(self.start_.astype(np.float64), (X.shape[0], 1))
        self.forest_.add_predictions(X, sums)
        return sums

    def _staged_scores(self, X):
        check_is_fitted(self)
        X = self.bins_.encode(self._check_table(X))
        K = len(self.start_)
        sums = np.tile(self.start_.astype(np.float64), (X.shape[0], 1))
        for round_ in range(self.n_estimators_):
            for k in range(K):
                column = np.zeros((X.shape[0], 1))
                self.forest_.tree(round_ * K + k).add_predictions(X, column)
                sums[:, k] += column[:, 0]
            yield sums.copy()

    def apply(self, X):
        """The leaf of every row in every tree, of shape (n_rows, n_rounds) or (n_rows, n_rounds, n_classes)."""
        check_is_fitted(self)
        leaves = self.forest_.apply(self.bins_.encode(self._check_table(X)))
        K = len(self.start_)
        return leaves if K == 1 else leaves.reshape(len(leaves), -1, K)

    @property
    def feature_importances_(self):
        """Total fall of the loss by the splits on each column, scaled to sum 1."""
        check_is_fitted(self)
        return self.forest_.importances(self.n_features_in_)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags


class Grower:
    """Grows trees on one binned table; holds the row numbers that a tree reorders."""

    def __init__(self, model, table, n_scores, dtype, monotone):
        self.model, self.table, self.monotone = model, table, monotone
        n = table.by_row.shape[0]
        self.all_rows = np.arange(n, dtype=np.uint32)
        self.sample = self.all_rows
        self.order, self.scratch = np.empty((2, n), np.uint32)
        depth = model.max_depth or 0
        self.max_leaves = model.max_leaf_nodes or (2**depth if 0 < depth < 31 else np.iinfo(np.int32).max)

    def draw_rows(self, rng):
        """The rows of the next round: all of them, or a sample without replacement."""
        n = len(self.all_rows)
        if self.model.subsample < 1.0:
            size = max(1, int(self.model.subsample * n))
            self.sample = np.sort(rng.permutation(n)[:size]).astype(np.uint32)

    def grow(self, g, h, seed):
        model, m = self.model, len(self.sample)
        self.order[:m] = self.sample
        table = self.table
        return native_trees.grow_newton_tree(
            table.by_row,
            table.by_column,
            table.n_bins,
            table.ordered,
            g,
            h,
            quantised=m >= QUANTISED_FROM,
            max_leaves=min(self.max_leaves, max(m, 2)),
            max_depth=model.max_depth or 0,
            best_first=model.max_leaf_nodes is not None,
            min_leaf_rows=model.min_samples_leaf,
            min_leaf_hessian=MIN_HESSIAN,
            lambda_=model.reg_lambda,
            alpha=model.reg_alpha,
            gamma=model.gamma,
            category_smoothing=10.0,
            column_share=1.0 if model.max_features is None else model.max_features,
            seed=seed,
            monotone=self.monotone,
            order=self.order[:m],
            scratch=self.scratch[:m],
        )

    def rows_of(self, tree, node):
        first = tree["first"][node]
        return self.order[first : first + tree["rows"][node]]

    def add(self, tree, X, k, scores):
        """Add the tree's values to column k of the scores: by leaf for the rows it was grown on, else by walking."""
        leaf = tree["feature"] < 0
        native_ensemble.add_leaf_values(
            self.order[: len(self.sample)], tree["first"][leaf], tree["rows"][leaf], tree["value"][leaf], k, scores
        )
        if len(self.sample) < len(self.all_rows):
            others = np.ones(len(self.all_rows), bool)
            others[self.sample] = False
            sums = np.zeros((int(others.sum()), 1))
            Forest.of([self.model._finished(tree)], [0]).add_predictions(X[others], sums)
            scores[others, k] += sums[:, 0].astype(scores.dtype)
