"""The search for a ridge penalty: leave-one-out and GCV from one decomposition, and folds."""

import numbers

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin

from statlearn._core import native
from statlearn._core.fitted_state import forget
from statlearn._core.registry import published
from statlearn._core.selection import CVCurve, weighty_folds
from statlearn._core.warnings import warn
from statlearn._math.penalties.scales import ridge_lambda
from statlearn._math.rows.statistics import CrossProducts

from ._path import check_alphas
from ._ridge import coef_shape
from ._solvers import solve_ridge
from ._spectrum import RidgeProducts, decompose

# Beyond this many rows and columns a sparse problem is cross-validated by conjugate gradients, penalty by penalty.
DECOMPOSE_LIMIT = 5000
# Leave-one-out residuals processed at once (rows x targets x penalties), so that a block fits in the cache.
RESIDUALS = 2**19
# A training fold with less than this fraction of a column's spread is summed directly, not by subtraction.
SUBTRACT_LIMIT = 1e-4


def loo_residuals(spectrum, design, B, penalties):
    """Leave-one-out residuals of ridge fits, block by block of rows: yields (rows, residuals (rows, m, k)).

    The residual of row i when it is left out is r_i / (1 - h_ii), with the leverages h_ii(lambda) of all rows and
    penalties from two matrix products. Residuals are on the weighted scale, sqrt(w_i) (y_i - prediction).
    """
    n, m = B.shape
    k = len(penalties)
    base = np.zeros(n)  # leverage of the intercept
    if design.mean is not None:
        base = np.full(n, 1.0 / n) if design.weights is None else design.weights / design.total_weight
    one_block = _loo_by_rows if spectrum.left is None else _loo_by_left
    d2 = spectrum.values[:, None]
    factors = (1.0 if spectrum.left is None else penalties) / (d2 + penalties)
    scores = spectrum.scores * np.sqrt(d2) if spectrum.left is None else spectrum.scores
    fit_factors = (scores[:, :, None] * factors[:, None, :]).reshape(-1, m * k)
    size = max(1, RESIDUALS // (m * k))
    for start in range(0, n, size):
        rows = slice(start, min(start + size, n))
        yield rows, one_block(spectrum, design, B, base, factors, fit_factors, rows).reshape(-1, m, k)


def _loo_by_rows(spectrum, design, B, base, factors, fit_factors, rows):
    """Leave-one-out leverages from the rows of A: h_ii = sum_j (a_i'v_j)² / (d_j² + lambda)."""
    X, mean, root = design.X[rows], design.mean, None if design.root is None else design.root[rows]
    if sparse.issparse(X):
        X = X.toarray()
    residuals = np.empty((X.shape[0], fit_factors.shape[1]))
    native.linear.ridge_loo(
        X, mean, root, spectrum.vectors, fit_factors, factors, B[rows], base[rows], np.finfo(float).eps, residuals
    )
    return residuals


def _loo_by_left(spectrum, design, B, base, factors, fit_factors, rows):
    """From an orthonormal basis U of the fitted space: 1 - h_ii = sum_j u_ij² lambda / (d_j² + lambda) + what U leaves.

    No digits are lost where h is near 1 (p >= n): all terms are positive.
    """
    U = spectrum.left[rows]
    squares = U**2
    residuals, unexplained = U @ fit_factors, squares @ factors
    if len(spectrum.values) < B.shape[0] - (design.mean is not None):
        unexplained += np.maximum(1.0 - base[rows] - np.sum(squares, axis=1), 0.0)[:, None]
        residuals += np.repeat(B[rows] - U @ spectrum.scores, factors.shape[1], axis=1)
    residuals /= np.tile(np.maximum(unexplained, np.finfo(float).eps), B.shape[1])
    return residuals


class _Answers(BaseEstimator):
    """Estimator with fixed predictions, through which scorers are called."""

    def __init__(self, classes=None, multilabel=False):
        self.classes = classes
        self.multilabel = multilabel

    def decision_function(self, X):
        return X[:, 0] if X.ndim == 2 and X.shape[1] == 1 else X


class _RegressionAnswers(RegressorMixin, _Answers):
    def predict(self, X):
        return X


class _ClassAnswers(ClassifierMixin, _Answers):
    @property
    def classes_(self):
        return self.classes

    def predict(self, X):
        scores = self.decision_function(X)
        if self.multilabel:
            return (scores.reshape(len(X), -1) > 0).astype(np.intp)
        return self.classes[(scores > 0).astype(np.intp) if scores.ndim == 1 else scores.argmax(axis=1)]


def _check_grid(alphas, positive):
    """The grid as floats, with scikit-learn's error messages."""
    if not isinstance(alphas, (list, tuple, np.ndarray)) or np.ndim(alphas) == 0:
        return check_alphas(alphas)
    if len(alphas) == 0:
        raise ValueError("alphas must not be empty; pass at least one penalty.")
    for index, alpha in enumerate(alphas):
        name = f"alphas[{index}]" if len(alphas) > 1 else "alphas"
        if not isinstance(alpha, numbers.Real):
            raise TypeError(f"{name} must be an instance of float, not {type(alpha).__name__}.")
        if not (alpha > 0.0 if positive else alpha >= 0.0) or not np.isfinite(alpha):
            if np.isfinite(alpha):
                raise ValueError(f"{name} == {alpha}, must be {'>' if positive else '>='} 0.0.")
            raise ValueError(f"{name} == {alpha}, must be finite.")
    return np.asarray(alphas, dtype=np.float64)


def _like(predictions, y):
    """Predictions (n, m) in the shape of y."""
    return predictions[:, 0] if y.ndim == 1 and predictions.shape[1] == 1 else predictions


def _ask(scorer, model, X, y, weights):
    """The score, weighted if the scorer supports weights."""
    try:
        return _weighted_score(scorer, model, X, y, weights)
    except AttributeError as error:
        if "predict_proba" not in str(error) and "decision_function" not in str(error):
            raise
        raise ValueError("`scoring` must be a metric of predicted values, not of probabilities or scores.") from None


def _weighted_score(scorer, model, X, y, weights):
    if weights is None:
        return scorer(model, X, y)
    try:
        return scorer(model, X, y, sample_weight=weights)
    except TypeError as error:
        if "sample_weight" not in str(error):
            raise
        return scorer(model, X, y)


class RidgeSearch:
    """Penalty search shared by RidgeCV and RidgeClassifierCV."""

    def _search(self, X, y, Y, weights):
        """Choose the penalty for the columns of Y (n, m) and set the attributes that describe the choice."""
        self._check_settings()
        grid = _check_grid(self.alphas, positive=self.cv is None)
        if sparse.issparse(X) and X.format == "coo":
            X = X.tocsr()
        Y = Y.astype(X.dtype).astype(np.float64)
        order = np.argsort(-grid, kind="stable")  # the curve runs from the simplest model on
        forget(self, "df_", "cv_results_")
        if self.cv is None:
            loss, std_error, chosen = self._leave_one_out(X, y, Y, weights, grid)
            score = None if self.scoring is None else self._score_name()
            curves = [CVCurve(grid[order], loss[order, [t]][:, None], known_std_error=std_error[order, t], score=score)
                      for t in range(loss.shape[1])]  # fmt: skip
        else:
            scores, squared, chosen = self._cross_validate(X, y, Y, weights, grid)
            loss = -scores.mean(axis=1, keepdims=True)
            if squared is None:
                curves = [CVCurve(grid[order], -scores[order], score=self._score_name())]
            else:
                curves = [CVCurve(grid[order], squared[0][order], squared[1])]
        if self.rule == "one_se":
            picks = [int(order[curve.one_se]) for curve in curves]
        else:
            picks = [int(np.argmin(column)) for column in loss.T]
        self.cv_curve_ = curves[0] if len(curves) == 1 else curves
        per_target = len(picks) > 1
        self.alpha_ = grid[picks] if per_target else grid[picks[0]]
        best = np.array([-loss[pick, t] for t, pick in enumerate(picks)])
        self.best_score_ = best if per_target else float(best[0])
        return chosen(picks if per_target else picks[0])

    def _check_settings(self):
        per_target = getattr(self, "alpha_per_target", False)
        if self.cv is not None and self.store_cv_results:
            raise ValueError("cv!=None and store_cv_results=True are incompatible")
        if self.cv is not None and per_target:
            raise ValueError("cv!=None and alpha_per_target=True are incompatible")
        if self.criterion == "gcv":
            if self.cv is not None or self.scoring is not None or self.store_cv_results:
                raise ValueError("criterion='gcv' requires cv=None, scoring=None and store_cv_results=False.")
            if self.rule == "one_se":
                raise ValueError("criterion='gcv' has no standard error; use rule='min' or criterion='loo'.")

    def _scorer(self):
        from sklearn.metrics import check_scoring

        get_scorer = published("assess.get_scorer")
        if self.scoring is None:
            return get_scorer("accuracy" if isinstance(self, ClassifierMixin) else "r2")
        return check_scoring(self, scoring=get_scorer(self.scoring))

    def _score_name(self):
        if self.scoring is None:
            return "accuracy"  # of a classifier; a regressor shows the squared error
        if isinstance(self.scoring, str):
            return self.scoring
        function = getattr(self.scoring, "_score_func", self.scoring)
        return getattr(function, "__name__", "score")

    def _answers(self):
        if isinstance(self, ClassifierMixin):
            return _ClassAnswers(self.classes_, self._multilabel)
        return _RegressionAnswers()

    def _leave_one_out(self, X, y, Y, weights, grid):
        """Loss and standard error (k, t) per penalty (and target), and how to finish with the chosen one."""
        per_target = getattr(self, "alpha_per_target", False) and Y.shape[1] > 1
        penalties = ridge_lambda(grid, self.penalty_scale)
        n = X.shape[0]
        present = slice(None)
        if weights is not None and not np.all(weights > 0):
            present = np.flatnonzero(weights > 0)
            X, Y, y, weights = X[present], Y[present], y[present], weights[present]
        method = getattr(self, "gcv_mode", None) or "auto"
        if method == "svd" and sparse.issparse(X):
            warn(
                "gcv_mode='svd' does not support sparse X. 'eigen' is used instead; set gcv_mode='eigen', since a "
                "later version will raise an error here.",
                FutureWarning,
            )
            method = "eigen"
        spectrum, design, B = decompose(
            X, Y, weights, fit_intercept=self.fit_intercept, method=method, floor=penalties.min()
        )
        if self.criterion == "gcv":
            loss = self._generalised(spectrum, weights, X.shape[0], penalties)
            loss = loss if per_target else loss.mean(axis=1, keepdims=True)
            std_error = np.zeros_like(loss)
        elif self.scoring is None:
            loss, std_error = self._squared_errors(spectrum, design, B, penalties, per_target, n, present)
        else:
            predictions = np.empty((*Y.shape, len(grid)))
            for rows, residuals in loo_residuals(spectrum, design, B, penalties):
                if design.root is not None:
                    residuals /= design.root[rows, None, None]
                predictions[rows] = Y[rows, :, None] - residuals
            if self.store_cv_results:
                self.cv_results_ = np.full((n, *predictions.shape[1:]), np.nan)
                self.cv_results_[present] = predictions
            loss = -self._score_predictions(predictions, y, weights, per_target)
            std_error = np.zeros_like(loss)

        def chosen(pick):
            penalty = penalties[pick]
            coef = spectrum.coef(penalty)
            self.df_ = spectrum.df(penalty)
            return coef, np.broadcast_to(spectrum.intercept(coef), Y.shape[1:])

        return loss, std_error, chosen

    def _squared_errors(self, spectrum, design, B, penalties, per_target, n, present):
        n_present, m = B.shape
        k = len(penalties)
        if self.store_cv_results:
            self.cv_results_ = np.full((n, m, k), np.nan)
            places = np.arange(n)[present]
        total, squares = np.zeros((m if per_target else 1, k)), np.zeros((m if per_target else 1, k))
        for rows, residuals in loo_residuals(spectrum, design, B, penalties):
            errors = np.square(residuals, out=residuals)
            if self.store_cv_results:
                self.cv_results_[places[rows]] = errors
            if not per_target and m > 1:
                errors = errors.mean(axis=1, keepdims=True)
            total += errors.sum(axis=0)
            squares += np.einsum("itk,itk->tk", errors, errors)
        mean = total / n_present
        variance = np.maximum(squares / n_present - mean**2, 0.0)
        return mean.T, np.sqrt(variance / max(n_present - 1, 1)).T

    def _generalised(self, spectrum, weights, n, penalties):
        rows = n if weights is None else float(np.sum(weights, dtype=np.float64))
        df = spectrum.df(penalties) + self.fit_intercept
        left = np.maximum(1.0 - df / rows, np.finfo(float).eps)
        return spectrum.rss(penalties) / rows / left[:, None] ** 2

    def _score_predictions(self, predictions, y, weights, per_target):
        """Scores (k, t) of leave-one-out predictions (n, m, k)."""
        scorer, answers = self._scorer(), self._answers()
        columns = [slice(t, t + 1) for t in range(predictions.shape[1])] if per_target else [slice(None)]
        scores = np.empty((predictions.shape[2], len(columns)))
        for i in range(predictions.shape[2]):
            for j, column in enumerate(columns):
                truth = y[:, j] if per_target else y
                scores[i, j] = _ask(scorer, answers, _like(predictions[:, column, i], truth), truth, weights)
        return scores

    def _cross_validate(self, X, y, Y, weights, grid):
        """Scores (k, folds) of the validation folds, their squared errors, and how to finish with the chosen penalty.

        The squared errors, (k, folds) with the weights of the folds, are those of a regressor without `scoring`.
        """
        from sklearn.model_selection import check_cv

        penalties = ridge_lambda(grid, self.penalty_scale)
        splitter = check_cv(self.cv, y, classifier=isinstance(self, ClassifierMixin))
        splits = weighty_folds(splitter.split(X, y), weights)
        if sparse.issparse(X):
            X = X.tocsr()
        solve = self._path_solver(X, Y, weights, penalties)
        scorer, answers = self._scorer(), self._answers()
        scores = np.empty((len(grid), len(splits)))
        squared = None
        if self.scoring is None and not isinstance(self, ClassifierMixin):
            sizes = [len(test) if weights is None else weights[test].sum() for _, test in splits]
            squared = np.empty_like(scores), np.array(sizes, dtype=np.float64)
        for fold, (train, test) in enumerate(splits):
            coefs, intercepts = solve(train, test)
            X_test, y_test, w_test = X[test], y[test], None if weights is None else weights[test]
            if callable(self.scoring):  # may look at the model and at X itself
                for i in range(len(grid)):
                    model = self._fitted_copy(coefs[i], intercepts[i], y.ndim, X.dtype)
                    scores[i, fold] = _ask(scorer, model, X_test, y_test, w_test)
                continue
            k, m, p = coefs.shape
            predictions = (X_test @ coefs.reshape(k * m, p).T).reshape(-1, k, m) + intercepts
            if squared is not None:
                errors = ((predictions - Y[test][:, None, :]) ** 2).mean(axis=2)
                squared[0][:, fold] = np.average(errors, axis=0, weights=w_test)
            for i in range(k):
                scores[i, fold] = _ask(scorer, answers, _like(predictions[:, i], y_test), y_test, w_test)

        def chosen(pick):
            penalty = np.full(Y.shape[1], penalties[pick])
            solution = solve_ridge(X, Y, weights, penalty, fit_intercept=self.fit_intercept, tol=1e-8)
            return solution.coef, solution.intercept

        return scores, squared, chosen

    def _path_solver(self, X, Y, weights, penalties):
        """A function (train, test) -> coefficients (k, m, p) and intercepts (k, m) of the training rows."""
        n, p = X.shape
        fit_intercept = self.fit_intercept

        def by_gradients(train, test):
            w = None if weights is None else weights[train]
            solutions = [
                solve_ridge(X[train], Y[train], w, np.full(Y.shape[1], c), fit_intercept=fit_intercept, tol=1e-8)
                for c in penalties
            ]
            return np.stack([f.coef for f in solutions]), np.stack([f.intercept for f in solutions])

        def by_decomposition(train, test):
            w = None if weights is None else weights[train]
            spectrum, *_ = decompose(X[train], Y[train], w, fit_intercept=fit_intercept, floor=penalties.min())
            coefs = spectrum.coefs(penalties)
            return coefs, np.broadcast_to(spectrum.intercept(coefs), coefs.shape[:2])

        if sparse.issparse(X) and min(n, p) > DECOMPOSE_LIMIT:
            return by_gradients
        if 2 * p > n or Y.shape[1] > max(p, 16) or sparse.issparse(X):
            return by_decomposition
        whole = CrossProducts.from_block(X, Y, weights, centre=fit_intercept)
        spread = np.diag(whole.G)[:-1]

        def by_subtraction(train, test):
            # The cross-products of a training fold are those of all rows minus those of the rest: one data pass.
            w = None if weights is None else weights[test]
            out = np.ones(n, dtype=bool)
            out[train] = False
            if len(test) == 0 or len(train) + len(test) != n or not np.all(out[test]):
                return by_decomposition(train, test)
            rest = CrossProducts.from_block(X[test], Y[test], w, centre=fit_intercept).moved_to(whole.shift)
            statistic = CrossProducts(whole.G - rest.G, whole.shift, p, whole.n_rows - rest.n_rows)
            products = RidgeProducts.of_statistic(statistic, fit_intercept)
            if np.any(np.append(np.diag(products.S), products.total) < SUBTRACT_LIMIT * spread):
                return by_decomposition(train, test)
            spectrum = products.spectrum()
            if spectrum.values.size and spectrum.values[-1] + penalties.min() < 1e-8 * spectrum.values[0]:
                return by_decomposition(train, test)
            coefs = spectrum.coefs(penalties)
            return coefs, np.broadcast_to(spectrum.intercept(coefs), coefs.shape[:2])

        return by_subtraction

    def _fitted_copy(self, coef, intercept, y_ndim, dtype):
        """A model with these coefficients, as the scorer of a fold sees it."""
        model = type(self)()
        model.n_features_in_ = self.n_features_in_
        if isinstance(self, ClassifierMixin):
            model.classes_, model._multilabel = self.classes_, self._multilabel
            model.coef_, model.intercept_ = coef.astype(dtype), intercept.astype(dtype)
        else:
            model.coef_, model.intercept_ = coef_shape(coef, intercept, y_ndim, True, dtype)
        return model

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
