"""Shared part of the MARS regressor and classifier: growing and selecting terms."""

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.utils.validation import check_is_fitted

from statlearn._core import native
from statlearn._core.fitted_state import forget
from statlearn._core.frames import CategoryCoder, column_mask, interaction_sets
from statlearn._core.memory import require_memory
from statlearn._core.params import Int, Options, Real, check_arguments
from statlearn._core.selection import CVCurve, weighty_folds
from statlearn._core.summary import Table
from statlearn._core.validation import validate_columns
from statlearn._math.linalg.quantiles import weighted_quantile
from statlearn.smooth._input_columns import check_sizes
from statlearn.smooth.gam._input import factor_columns

from ._terms import MarsTerms, compressed, delete_backward, gcv, least_squares

ENDINGS = (
    "no term lowers the residual sum of squares",
    "the next pair raises R^2 by less than the threshold",
    "GCV is far worse than that of the mean",
    "R^2 is within the threshold of 1",
    "`max_terms` was reached",
)


class MARSBase(BaseEstimator):
    """Forward pass, pruning and tables; `fit` is up to the subclass."""

    _constraints = {
        "max_terms": [Int(1, 10_000), None],
        "max_degree": [Int(1, 1000)],
        "penalty": [Real(-1, None), None],
        "threshold": [Real(0, 1)],
        "min_span": [Int(None, None), None],
        "end_span": [Int(1, None), None],
        "end_span_adjust": [Real(0, None)],
        "fast_k": [Int(1, None), None],
        "fast_beta": [Real(0, None)],
        "new_variable_penalty": [Real(0, None)],
        "linear_features": ["array-like", None],
        "interaction_cst": [Options("no_interactions", "pairwise"), "array-like", None],
        "basis": [Options("hinge", "step")],
        "remove_parent": ["boolean"],
        "pruning": [Options("gcv", "cv"), None],
        "max_pruned_terms": [Int(1, None), None],
        "cv": ["cv", None],
        "rule": [Options("min", "one_se")],
        "missing": [Options("error", "indicator")],
        "categorical_features": [Options("from_dtype"), "array-like", None],
    }

    def __init__(
        self,
        max_degree=1,
        *,
        max_terms=None,
        penalty=None,
        threshold=0.001,
        min_span=None,
        end_span=None,
        end_span_adjust=2.0,
        fast_k=20,
        fast_beta=1.0,
        new_variable_penalty=0.0,
        linear_features=None,
        interaction_cst=None,
        basis="hinge",
        remove_parent=False,
        pruning="gcv",
        max_pruned_terms=None,
        cv=None,
        rule="min",
        missing="error",
        categorical_features="from_dtype",
    ):
        self.max_degree = max_degree
        self.max_terms = max_terms
        self.penalty = penalty
        self.threshold = threshold
        self.min_span = min_span
        self.end_span = end_span
        self.end_span_adjust = end_span_adjust
        self.fast_k = fast_k
        self.fast_beta = fast_beta
        self.new_variable_penalty = new_variable_penalty
        self.linear_features = linear_features
        self.interaction_cst = interaction_cst
        self.basis = basis
        self.remove_parent = remove_parent
        self.pruning = pruning
        self.max_pruned_terms = max_pruned_terms
        self.cv = cv
        self.rule = rule
        self.missing = missing
        self.categorical_features = categorical_features

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.missing == "indicator"
        return tags

    @property
    def _finite(self):
        return True if self.missing == "error" else "allow-nan"

    # Columns -------------------------------------------------------------------------------------------------------

    def _read(self, X, y, **settings):
        """Validated rows and responses, with categories as codes."""
        columns = self.categorical_features
        if isinstance(columns, str):
            columns = factor_columns(None, X) if hasattr(X, "columns") else None
        self._coder = CategoryCoder(columns, declared_order=True)
        X, y = validate_columns(
            self, self._coder.fit_frame(X), y, dtype=np.float64, ensure_all_finite=self._finite, ensure_min_samples=2,
            **settings,
        )  # fmt: skip
        check_sizes(X, y if settings.get("y_numeric") else None)
        self._coder.fit(X, getattr(self, "feature_names_in_", None))
        return self._coder.encode(X), y

    def _learn_columns(self, X, weights):
        """Columns from which terms are built, and the source column of each in X.

        Numeric columns come first, then an indicator for each level of a category except the first. For columns with
        missing values in `fit`, the median is filled in and another indicator is added.
        """
        missing = np.isnan(X)
        categories = self._coder.levels
        self._numbers = np.array([j for j in range(X.shape[1]) if j not in categories], dtype=np.intp)
        self._level_columns = [(j, k) for j, levels in categories.items() for k in range(1, len(levels))]
        self.missing_columns_ = np.flatnonzero(missing.any(axis=0))
        owners = [*self._numbers, *(j for j, _ in self._level_columns), *self.missing_columns_]
        self._owners = np.array(owners, dtype=np.intp)
        w = np.ones(X.shape[0]) if weights is None else weights
        self.fill_values_ = np.zeros(len(self.missing_columns_))
        for k, j in enumerate(self.missing_columns_):
            seen = ~missing[:, j]
            if not seen.any():
                raise ValueError(f"X: column {self._column_names()[j]!r} contains only missing values.")
            if j not in categories:
                self.fill_values_[k] = weighted_quantile(X[seen, j], w[seen], 0.5, midpoint=True)

    def _design_columns(self, X):
        """Columns from which terms are built, with missing values filled in."""
        missing = np.isnan(X)
        gaps = missing.any(axis=0)
        gaps[self.missing_columns_] = False
        if gaps.any():
            j = int(np.argmax(gaps))
            new = "missing values or unseen levels" if j in self._coder.levels else "missing values"
            raise ValueError(f"X: column {self._column_names()[j]!r} contains {new}, but had none in fit.")
        if len(self._owners) == len(self._numbers):
            return X
        filled = X.copy(order="F")
        for j, value in zip(self.missing_columns_, self.fill_values_):
            filled[missing[:, j], j] = value
        levels = [X[:, j] == k for j, k in self._level_columns]
        return np.column_stack([filled[:, self._numbers], *levels, missing[:, self.missing_columns_]]).astype(X.dtype)

    def _column_names(self):
        names = getattr(self, "feature_names_in_", None)
        return [f"x{j}" for j in range(self.n_features_in_)] if names is None else [str(name) for name in names]

    def _design_names(self):
        names = self._column_names()
        numbers = [names[j] for j in self._numbers]
        levels = [f"{names[j]}[{self._level_name(j, k)}]" for j, k in self._level_columns]
        return [*numbers, *levels, *(f"missing({names[j]})" for j in self.missing_columns_)]

    def _level_name(self, j, k):
        """Name of level k of column j."""
        words = self._coder.text_levels.get(self._column_names()[j])
        return f"{self._coder.levels[j][k]:g}" if words is None else str(words[k])

    # Growing -------------------------------------------------------------------------------------------------------

    def _penalty(self):
        if self.penalty is not None:
            return float(self.penalty)
        return 3.0 if self.max_degree > 1 else 2.0

    def _grow(self, X, Y, weights):
        """Terms of the forward pass on complete columns, without those replaced by their halves."""
        n, p = X.shape
        n_columns = self.n_features_in_
        max_terms = min(201, max(21, 2 * p + 1)) if self.max_terms is None else int(self.max_terms)
        require_memory(
            8 * n * (2 * max_terms + 2) + 4 * n * p,
            f"The basis of {n:,} rows and {max_terms:,} terms",
            "Lower max_terms, or fit on a sample of the rows.",
        )
        if self.remove_parent and self.basis != "step":
            raise ValueError(
                "remove_parent=True requires basis='step'; a pair of hinges does not partition its parent."
            )
        names = getattr(self, "feature_names_in_", None)
        linear = np.zeros(p, np.uint8)
        linear[len(self._numbers) :] = 1  # indicators
        if self.linear_features is not None:
            linear |= column_mask(self.linear_features, n_columns, names, "linear_features")[self._owners]
        allowed = None
        if self.interaction_cst is not None:
            sets = interaction_sets(self.interaction_cst, n_columns, names)[:, self._owners]
            allowed = (sets.T.astype(np.int64) @ sets > 0).astype(np.uint8)
        parent, feature, factor, knot, removed, rss, end = native.smooth.mars_forward(
            np.asfortranarray(X, dtype=np.float64),
            np.ascontiguousarray(Y, dtype=np.float64),
            None if weights is None else np.ascontiguousarray(weights, dtype=np.float64),
            linear,
            allowed,
            max_terms,
            10_000 if self.remove_parent else int(self.max_degree),
            self._penalty(),
            float(self.threshold),
            0 if self.min_span is None else int(self.min_span),
            0 if self.end_span is None else int(self.end_span),
            float(self.end_span_adjust),
            0 if self.fast_k is None else int(self.fast_k),
            float(self.fast_beta),
            float(self.new_variable_penalty),
            self.basis == "step",
            bool(self.remove_parent),
        )
        terms = MarsTerms(parent, feature, factor, knot, self.basis == "step")
        return terms, np.flatnonzero(removed == 0), rss, ENDINGS[end]

    def _pruned(self, X, Y, weights):
        """Forward pass and backward deletion: the model of each size, as columns of the triangle R of all terms."""
        terms, usable, forward_rss, end = self._grow(X, Y, weights)
        R = compressed(terms.basis(X, usable), Y, weights)
        sizes, rss, subsets = delete_backward(R, len(usable), forced=1 if usable[0] == 0 else 0)
        self.forward_terms_, self.forward_rss_, self.forward_end_ = terms, forward_rss, end
        self.n_effective_ = float(X.shape[0] if weights is None else weights.sum())
        self.pruning_sizes_, self.pruning_rss_ = sizes, rss
        self.pruning_gcv_ = gcv(rss, self.n_effective_, sizes, self._penalty())
        self.pruning_subsets_ = [usable[s] for s in subsets]
        return R, subsets

    def _fit_terms(self, X, Y, weights, splitter):
        """Choose the terms; `splitter` yields folds for pruning by cross-validation. Sets all but the coefficients.

        Returns the complete columns, the triangle of all terms, and the chosen ones among its columns.
        """
        forget(self, "cv_curve_")
        if self.pruning == "cv":
            self._cross_validate(X, Y, weights, splitter)
        self._learn_columns(X, weights)
        self.feature_range_ = np.array([np.nanmin(X, axis=0), np.nanmax(X, axis=0)])
        self.feature_median_ = np.nanmedian(X, axis=0)
        X = self._design_columns(X)
        R, subsets = self._pruned(X, Y, weights)
        sizes = self.pruning_sizes_
        n_terms = len(sizes)
        if self.max_pruned_terms is not None:
            n_terms = max(1, int(np.searchsorted(sizes, self.max_pruned_terms, "right")))
        at = n_terms - 1
        if self.pruning == "gcv":
            at = int(np.argmin(self.pruning_gcv_[:n_terms]))
        elif self.pruning == "cv":
            wanted = self.cv_curve_.parameter[self.cv_curve_.chosen(self.rule)]
            at = min(int(np.searchsorted(sizes, wanted)), n_terms - 1)
        self.terms_ = self.pruning_subsets_[at]
        self.rss_, self.gcv_ = float(self.pruning_rss_[at]), float(self.pruning_gcv_[at])
        return X, R, subsets[at]

    def _cross_validate(self, X, Y, weights, splitter):
        """Cross-validated mean squared error by number of terms."""
        folds = []
        for train, test in weighty_folds(splitter, weights):
            model = clone(self)
            model.n_features_in_, model._coder = X.shape[1], self._coder
            if hasattr(self, "feature_names_in_"):
                model.feature_names_in_ = self.feature_names_in_
            w, w_test = (None, None) if weights is None else (weights[train], weights[test])
            model._learn_columns(X[train], w)
            R, subsets = model._pruned(model._design_columns(X[train]), Y[train], w)
            largest = model.pruning_subsets_[-1]
            B = model.forward_terms_.basis(model._design_columns(X[test]), largest)
            losses = []
            for columns in subsets:
                error = Y[test] - B[:, columns] @ least_squares(R, len(largest), columns)[0]
                losses.append(np.average((error**2).sum(axis=1), weights=w_test))
            folds.append(losses)
        n_steps = max(len(losses) for losses in folds)
        # A fold whose forward pass stopped earlier has nothing larger to offer than its last model.
        table = np.array([losses + losses[-1:] * (n_steps - len(losses)) for losses in folds]).T
        self.cv_curve_ = CVCurve(np.arange(1, n_steps + 1), table, name="terms")

    # What people look at ---------------------------------------------------------------------------------------------

    def _basis(self, X):
        check_is_fitted(self)
        X = self._coder.read_frame(X)
        # Levels never seen come as NaN, and are named where the columns are made.
        finite = "allow-nan" if self._coder.text_levels else self._finite
        X = validate_columns(self, X, dtype=np.float64, ensure_all_finite=finite, reset=False)
        return self.forward_terms_.basis(self._design_columns(self._coder.encode(X)), self.terms_)

    def basis_matrix(self, X):
        """Basis functions of the model at the rows of X, starting with the constant.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_terms)
        """
        return self._basis(X)

    def term_names(self):
        """Names of the terms, such as ``h(x1-0.47)*x2``.

        Returns
        -------
        list of str
        """
        check_is_fitted(self)
        names = self.forward_terms_.names(self._design_names())
        return [names[k] for k in self.terms_]

    def _features_of(self, k):
        """Features of X in term k: an indicator counts as its column."""
        return {int(self._owners[j]) for j in self.forward_terms_.features(k)}

    def importance(self, criterion="gcv"):
        """Importance of the features, from 0 to 100.

        Along the models found by pruning, up to the selected size, the gain of each model over the next smaller one is
        credited to all its features. The table shows square roots scaled to a maximum of 100, as R's evimp does.

        Parameters
        ----------
        criterion : {"gcv", "rss", "nsubsets"}, default="gcv"
            Criterion whose gain is counted; "nsubsets" counts the models that use the feature.

        Returns
        -------
        Table
            Features in order of importance; those not in the model are omitted.
        """
        check_is_fitted(self)
        if criterion not in ("gcv", "rss", "nsubsets"):
            raise ValueError(f"`criterion` must be 'gcv', 'rss' or 'nsubsets', got {criterion!r}.")
        gain = self._importances()
        order = np.argsort(-gain[criterion], kind="stable")
        order = [j for j in order if gain["nsubsets"][j] > 0]
        names = self._column_names()
        columns = {key: values[order] for key, values in gain.items()}
        for key in ("gcv", "rss"):
            top = columns[key].max(initial=0.0)
            columns[key] = 100 * np.sqrt(columns[key] / top) if top > 0 else columns[key]
        return Table([names[j] for j in order], columns, "Importance of features")

    def _importances(self):
        chosen = int(np.searchsorted(self.pruning_sizes_, len(self.terms_)))
        gain = {key: np.zeros(self.n_features_in_) for key in ("gcv", "rss")}
        gain["nsubsets"] = np.zeros(self.n_features_in_, int)
        for s in range(1, chosen + 1):
            used = sorted(set().union(*(self._features_of(k) for k in self.pruning_subsets_[s])))
            gain["nsubsets"][used] += 1
            gain["gcv"][used] += self.pruning_gcv_[s - 1] - self.pruning_gcv_[s]
            gain["rss"][used] += self.pruning_rss_[s - 1] - self.pruning_rss_[s]
        gain["gcv"] = np.maximum(gain["gcv"], 0.0)
        return gain

    @property
    def feature_importances_(self):
        """Shares of the decreases of the residual sum of squares, as in `importance`, which sum to 1."""
        check_is_fitted(self)
        rss = self._importances()["rss"]
        return rss / rss.sum() if rss.sum() > 0 else rss

    def _groups(self):
        """Terms of the model grouped by their features: {features: positions in terms_}."""
        groups = {}
        for position, k in enumerate(self.terms_):
            if k:
                groups.setdefault(tuple(sorted(self._features_of(k))), []).append(position)
        return dict(sorted(groups.items(), key=lambda item: (len(item[0]), item[0])))

    def term_curves(self, *, grid_size=101):
        """Functions of one feature as arrays, on the scale of the (linear) predictor.

        Parameters
        ----------
        grid_size : int, default=101

        Returns
        -------
        list of TermCurve
            With several responses or classes, the curves of one after the other.
        """
        from ._plot import curves

        check_is_fitted(self)
        return curves(self, grid_size)

    def plot(self, axes=None, *, grid_size=101, target=0):
        """Plot the functions of one or two features of the ANOVA decomposition.

        Values are taken as observed; functions of missing values alone appear only in :meth:`summary`.

        Parameters
        ----------
        axes : array of matplotlib axes or None, default=None
        grid_size : int, default=101
        target : int, default=0
            Response to plot, or the class if there are more than two. Functions of classes are in units of the
            log-odds.

        Returns
        -------
        ndarray of matplotlib axes
        """
        from ._plot import plot_functions

        check_is_fitted(self)
        functions = self._functions()
        check_arguments("plot", grid_size=(grid_size, [Int(2, None)]), target=(target, [Int(0, len(functions) - 1)]))
        return plot_functions(self, functions[target][1], axes, grid_size)
