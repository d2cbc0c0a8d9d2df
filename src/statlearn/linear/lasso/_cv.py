"""Lasso and elastic net with the strength of the penalty chosen by cross-validation."""

import numbers

import numpy as np
from sklearn import get_config
from sklearn.base import BaseEstimator
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing
from sklearn.utils.validation import column_or_1d

from statlearn._core import native
from statlearn._core.jobs import jobs
from statlearn._core.params import GRID_POINTS, Int, Options, Real, check_entries, check_params
from statlearn._core.search import SearchSpace
from statlearn._core.selection import CVCurve, weighty_folds
from statlearn._core.validation import FLOATS, check_same_length, check_weights, validate_data
from statlearn._math.rows.rows import Rows
from statlearn._math.rows.statistics import NATIVE_WIDTH, CrossProducts
from statlearn.linear._base import LinearRegressorMixin
from statlearn.linear._path_cv import alpha_grid, given_alphas
from statlearn.linear._penalty import PENALTY_SCALE

from ._lasso import ElasticNet, Lasso
from ._path import enet_path, largest_alpha, lasso_path
from ._solver import Solver, check_factor, path_terms, warn_unless_converged

# Up to this many features, the cross-products of a fold are those of all rows minus those of the held-out rows.
_GRAM_FEATURES = 4096


class _Folds:
    """Paths on the training part of each fold, and their squared errors on the held-out part."""

    def __init__(self, rows, y, folds, solver, *, factor, precompute):
        self.rows, self.X, self.y, self.weights = rows, rows.X, y, rows.weights
        self.folds, self.solver = weighty_folds(folds, rows.weights), solver
        self.centre, self.factor = rows.centre, factor
        n, p = rows.shape
        self.by_gram = not rows.sparse and precompute is not False and p <= _GRAM_FEATURES and 2 * n >= p

    def weighted(self, w):
        """The table with the weights of a training part."""
        return Rows(self.X, w, centre=self.centre)

    def training_weights(self, train):
        w = np.zeros(self.X.shape[0])
        # A row listed twice (bootstrap folds) counts twice.
        np.add.at(w, train, 1.0 if self.weights is None else self.weights[train])
        return w

    def errors(self, terms_of):
        """Mean squared errors (penalties, models, folds); terms_of(total) returns a list of (l1, l2), one per path."""
        W = [self.training_weights(train) for train, _ in self.folds]
        chunks = self._gram_chunks(W) if self.by_gram else self._data_chunks(W)
        columns = []
        for numbers_of, solve in chunks:
            terms = [terms_of(W[f].sum()) for f in numbers_of]
            fits = [
                solve(np.vstack([t[path][0] for t in terms]), np.vstack([t[path][1] for t in terms]))
                for path in range(len(terms[0]))
            ]
            smallest = min(self.weighted(W[f]).squared_norm(self.y) for f in numbers_of)
            for fit in fits:
                warn_unless_converged(fit, 1.0, 0.5 * self.solver.tol * smallest)
            for k, f in enumerate(numbers_of):
                columns.append([self._error(f, W[f], fit.coef[k]) for fit in fits])
        return np.moveaxis(np.array(columns), 0, 2)

    def _error(self, f, w, coef):
        test = self.folds[f][1]
        used = np.flatnonzero(np.any(coef != 0, axis=0))
        coef = coef[:, used]
        predicted = np.asarray(self.X[test][:, used] @ coef.T)
        train = self.weighted(w)
        predicted += train.average(self.y) - coef @ train.means(used)
        squares = (self.y[test][:, None] - predicted) ** 2
        return np.average(squares, axis=0, weights=None if self.weights is None else self.weights[test])

    def _data_chunks(self, W):
        """All folds side by side on the same X, a held-out row having weight 0."""
        weights = np.stack(W)

        def solve(l1, l2):
            return self.solver.from_rows(self.rows, self.y[None], l1, l2, weights=weights, factor=self.factor)

        yield range(len(W)), solve

    def _gram_chunks(self, W):
        """One fold per thread at a time, to bound the memory of their matrices."""
        from scipy.linalg.blas import dger

        w = np.ones(len(self.y)) if self.weights is None else np.asarray(self.weights, np.float64)
        # Centred at the overall means, the sums of the folds are small and their differences accurate.
        Z = np.empty((self.X.shape[0], self.X.shape[1] + 2), order="F")
        np.subtract(self.X, self.rows.means(), out=Z[:, :-2])
        Z[:, -2] = self.y - self.rows.average(self.y)
        Z[:, -1] = 1.0
        everything = None
        step = min(len(W), max(1, native.common.threads()))
        p = self.X.shape[1]
        # Allocating memory for every fold would cost more than computing the sums.
        grams, dots, norms, work = np.empty((step, p, p)), np.empty((step, p)), np.empty(step), np.empty((p + 2, p + 2))
        for first in range(0, len(W), step):
            chunk = range(first, min(first + step, len(W)))
            for k, f in enumerate(chunk):
                absent = w - W[f]
                rows = np.flatnonzero(absent)
                if 2 * len(rows) < len(w):
                    if everything is None:
                        everything = _products(Z, w)
                    products = _products(Z[rows], absent[rows], out=work)
                    np.subtract(everything, products, out=products)
                else:
                    rows = np.flatnonzero(W[f])
                    products = _products(Z[rows], W[f][rows], out=work)
                if self.centre:
                    sums, total = products[-1].copy(), products[-1, -1]
                    products = dger(-1.0 / total, sums, sums, a=products.T, overwrite_a=True).T
                grams[k], dots[k], norms[k] = products[:-2, :-2], products[:-2, -2], products[-2, -2]
            G, dot, norm2 = (array[: len(chunk)] for array in (grams, dots, norms))

            def solve(l1, l2, G=G, dot=dot, norm2=norm2):
                return self.solver.from_gram(G, dot, norm2, l1, l2, factor=self.factor)

            yield chunk, solve


def _products(Z, weights, out=None):
    """Z' diag(weights) Z; weights may be negative where folds list a row more often than the data do."""
    if np.any(weights < 0):
        return np.matmul(Z.T, weights[:, None] * Z, out=out)
    if Z.shape[1] <= NATIVE_WIDTH:
        # The columns after the features are a target and the column of ones added by the statistic.
        weights = None if np.all(weights == 1.0) else weights
        return CrossProducts.from_block(Z[:, :-2], Z[:, -2], weights, centre=False).G
    scaled = Z if np.all(weights == 1.0) else Z * np.sqrt(weights)[:, None]
    return np.matmul(scaled.T, scaled, out=out)


class _PathCV(LinearRegressorMixin, BaseEstimator):
    """Base class of LassoCV and ElasticNetCV."""

    def _ratios(self):
        return [1.0]

    def _model(self, alpha, l1_ratio):
        raise NotImplementedError

    def _splits(self, X, y, sample_weight, params):
        from sklearn.model_selection import check_cv

        cv = check_cv(self.cv)
        if params and not get_config()["enable_metadata_routing"]:
            raise ValueError(
                f"Passing {sorted(params)} to {type(self).__name__}.fit is only supported if "
                "enable_metadata_routing=True, see sklearn.set_config."
            )
        split = {}
        if get_config()["enable_metadata_routing"]:
            split = process_routing(self, "fit", sample_weight=sample_weight, **params).splitter.split
        return list(cv.split(X, y, **split))

    def fit(self, X, y, sample_weight=None, **params):
        """Choose alpha by cross-validation, then fit to all rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), float or None, default=None
            Weights of the rows in the fits and in the error of each fold. All folds count equally.
        **params
            Passed to the splitter (`groups`), with scikit-learn's metadata routing enabled.

        Returns
        -------
        self
        """
        check_params(self)
        X, y = validate_data(
            self,
            X,
            y,
            validate_separately=(
                dict(accept_sparse="csc", dtype=FLOATS, order="F", accept_large_sparse=False),
                dict(dtype=FLOATS, ensure_2d=False),
            ),
        )
        check_same_length(X, y)
        if y.ndim > 1 and y.shape[1] > 1:
            raise ValueError(
                f"For multi-task outputs, use MultiTask{type(self).__name__}: {type(self).__name__} accepts one target."
            )
        y = np.asarray(column_or_1d(y, warn=True), dtype=np.float64)
        weights = check_weights(sample_weight, X)
        rows = Rows(X, weights, centre=self.fit_intercept)
        factor = check_factor(self.penalty_factor, X.shape[1])
        ratios = self._ratios()
        options = dict(penalty_scale=self.penalty_scale, factor=factor, positive=self.positive)
        if isinstance(self.alphas, numbers.Integral):
            grids = [
                alpha_grid(
                    largest_alpha(rows, y, l1_ratio=ratio, **options),
                    self.eps,
                    self.alphas,
                )
                for ratio in ratios
            ]
        else:
            grids = [given_alphas(self.alphas)] * len(ratios)
        folds = self._splits(X, y, weights, params)
        solver = Solver(self.tol, self.max_iter, self.positive, self.selection, self.random_state)
        runner = _Folds(rows, y, folds, solver, factor=factor, precompute=self.precompute)

        def terms_of(total):
            return [path_terms(grid, ratio, self.penalty_scale, total) for grid, ratio in zip(grids, ratios)]

        with jobs(self.n_jobs):
            errors = runner.errors(terms_of)
            curves = [CVCurve(grid, error) for grid, error in zip(grids, errors)]
            best = int(np.argmin([curve.mean[curve.best] for curve in curves]))
            chosen = curves[best].chosen(self.rule)
            self.mse_path_ = np.squeeze(errors)
            self.cv_curve_ = curves[best]
            self.alpha_ = float(grids[best][chosen])
            one_grid = len(ratios) == 1 or not isinstance(self.alphas, numbers.Integral)
            self.alphas_ = grids[0] if one_grid else np.stack(grids)
            # Same result as fitting the model itself at this alpha.
            model = self._model(self.alpha_, ratios[best])
            model.fit(X, y, sample_weight=weights)
        self._store_ratio(ratios[best])
        self.coef_, self.intercept_ = model.coef_, model.intercept_
        self.dual_gap_, self.n_iter_ = model.dual_gap_, model.n_iter_
        return self

    def _store_ratio(self, ratio):
        pass

    def _shared(self):
        precompute = False if isinstance(self.precompute, str) else self.precompute
        names = ("fit_intercept", "max_iter", "tol", "copy_X", "positive", "random_state", "selection")
        names += ("penalty_scale", "penalty_factor")
        return dict({name: getattr(self, name) for name in names}, precompute=precompute)

    def summary(self):
        """Raise an error: standard errors of penalised coefficients are not valid."""
        return ElasticNet.summary(self)

    def get_metadata_routing(self):
        """Metadata routing of this estimator, see scikit-learn's user guide.

        Returns
        -------
        MetadataRouter
        """
        from sklearn.model_selection import check_cv

        return (
            MetadataRouter(owner=self)
            .add_self_request(self)
            .add(splitter=check_cv(self.cv), method_mapping=MethodMapping().add(caller="fit", callee="split"))
        )

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


_CONSTRAINTS = {
    "eps": [Real(0, None, closed="neither")],
    "alphas": [GRID_POINTS, "array-like"],
    "fit_intercept": ["boolean"],
    "precompute": [Options("auto"), "boolean", "array-like"],
    "max_iter": [Int(1, None)],
    "tol": [Real(0, None)],
    "copy_X": ["boolean"],
    "cv": ["cv"],
    "verbose": ["verbose"],
    "n_jobs": [Int(None, None), None],
    "positive": ["boolean"],
    "random_state": ["random_state"],
    "selection": [Options("cyclic", "random")],
    "rule": [Options("min", "one_se")],
    "penalty_scale": PENALTY_SCALE,
    "penalty_factor": ["array-like", None],
}


class LassoCV(_PathCV):
    r"""Lasso with the penalty chosen by cross-validation.

    The objective is that of `Lasso`, :math:`\frac{1}{2S} \sum_i s_i (y_i - b - x_i^\top w)^2 + \alpha \lVert w
    \rVert_1` (a weighted mean with a factor 1/2, intercept unpenalised). Every model of every fold is solved to a
    duality gap of at most `tol` times the objective at w = 0. The error of an alpha is the mean over folds of the mean
    squared error on the held-out rows.

    Parameters
    ----------
    eps : float, default=0.001
        Ratio of the smallest alpha to the largest in an automatic grid.
    alphas : int or array-like, default=100
        The grid, or the number of values from the largest useful alpha down to `eps` times it.
    fit_intercept : bool, default=True
        Whether to fit an intercept.
    precompute : "auto", bool or array-like, default="auto"
        Whether folds may use cross-products: those of all rows are computed once, and each fold subtracts its own.
    max_iter : int, default=1000
        Maximum number of passes per model.
    tol : float, default=1e-4
        Tolerance on the duality gap, see above.
    copy_X : bool, default=True
        Accepted for compatibility. X is never modified.
    cv : int, splitter, iterable or None, default=None
        Cross-validation folds. None means 5 consecutive blocks of rows.
    verbose : bool or int, default=False
        Accepted for compatibility.
    n_jobs : int or None, default=None
        Number of threads; None means all available. Results do not depend on it.
    positive : bool, default=False
        Restrict the slopes to be non-negative.
    random_state : int, RandomState or None, default=None
        Used when `selection` is "random".
    selection : {"cyclic", "random"}, default="cyclic"
        Order of the coordinate updates.
    rule : {"min", "one_se"}, default="min"
        Choose the alpha with the smallest error, or the largest alpha within one standard error of it.
    penalty_scale : {"sklearn", "half_rss", "rss"}, default="sklearn"
        Meaning of alpha, see `Lasso`.
    penalty_factor : array-like of shape (n_features,) or None, default=None
        Multiplies the penalty of each feature; 0 leaves it unpenalised.

    Attributes
    ----------
    alpha_ : float
        The chosen alpha.
    alphas_ : ndarray of shape (n_alphas,)
        Penalties in decreasing order.
    mse_path_ : ndarray of shape (n_alphas, n_folds)
        Held-out mean squared errors.
    cv_curve_ : CVCurve
        Mean errors with standard errors and a plot.
    coef_, intercept_, dual_gap_, n_iter_
        Results of the final fit to all rows, see `Lasso`.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    See Also
    --------
    Lasso, lasso_path, ElasticNetCV, LassoLarsCV

    Notes
    -----
    The rule "one_se" selects smaller models that predict about as well, whereas "min" tends to keep false positives.
    Folds run in parallel. Standardise the features first, preferably inside a pipeline.

    References
    ----------
    Hastie, Tibshirani & Friedman (2009), The Elements of Statistical Learning, section 7.10.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from statlearn.linear import LassoCV
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = LassoCV(cv=5, rule="one_se").fit(X, y)
    >>> int((model.coef_ != 0).sum())
    6
    """

    _constraints = _CONSTRAINTS
    path = staticmethod(lasso_path)
    _search_space = SearchSpace("lasso", fixed={"cv": 5})

    def __init__(
        self,
        *,
        eps=1e-3,
        alphas=100,
        fit_intercept=True,
        precompute="auto",
        max_iter=1000,
        tol=1e-4,
        copy_X=True,
        cv=None,
        verbose=False,
        n_jobs=None,
        positive=False,
        random_state=None,
        selection="cyclic",
        rule="min",
        penalty_scale="sklearn",
        penalty_factor=None,
    ):
        self.eps = eps
        self.alphas = alphas
        self.fit_intercept = fit_intercept
        self.precompute = precompute
        self.max_iter = max_iter
        self.tol = tol
        self.copy_X = copy_X
        self.cv = cv
        self.verbose = verbose
        self.n_jobs = n_jobs
        self.positive = positive
        self.random_state = random_state
        self.selection = selection
        self.rule = rule
        self.penalty_scale = penalty_scale
        self.penalty_factor = penalty_factor

    def _model(self, alpha, l1_ratio):
        return Lasso(alpha, **self._shared())


class ElasticNetCV(_PathCV):
    r"""Elastic net with `alpha` and optionally `l1_ratio` chosen by cross-validation.

    The objective is that of `ElasticNet` (a weighted mean loss with a factor 1/2, intercept unpenalised). Every model
    of every fold is solved to a duality gap of at most `tol` times the objective at w = 0. The error of a pair is the
    mean over folds of the mean squared error on the held-out rows.

    Parameters
    ----------
    l1_ratio : float or list of float, default=0.5
        1 is the lasso, 0 is ridge (which requires explicit `alphas`). From a list, the best value is chosen.
    eps : float, default=0.001
        Ratio of the smallest alpha to the largest in an automatic grid.
    alphas : int or array-like, default=100
        The grid, or the number of values from the largest useful alpha down to `eps` times it.
    fit_intercept : bool, default=True
        Whether to fit an intercept.
    precompute : "auto", bool or array-like, default="auto"
        Whether folds may use cross-products: those of all rows are computed once, and each fold subtracts its own.
    max_iter : int, default=1000
        Maximum number of passes per model.
    tol : float, default=1e-4
        Tolerance on the duality gap, see above.
    cv : int, splitter, iterable or None, default=None
        Cross-validation folds. None means 5 consecutive blocks of rows.
    copy_X : bool, default=True
        Accepted for compatibility. X is never modified.
    verbose : bool or int, default=0
        Accepted for compatibility.
    n_jobs : int or None, default=None
        Number of threads; None means all available. Results do not depend on it.
    positive : bool, default=False
        Restrict the slopes to be non-negative.
    random_state : int, RandomState or None, default=None
        Used when `selection` is "random".
    selection : {"cyclic", "random"}, default="cyclic"
        Order of the coordinate updates.
    rule : {"min", "one_se"}, default="min"
        Choose the alpha with the smallest error, or the largest alpha within one standard error of it (for the best
        l1_ratio).
    penalty_scale : {"sklearn", "half_rss", "rss"}, default="sklearn"
        Meaning of alpha, see `ElasticNet`.
    penalty_factor : array-like of shape (n_features,) or None, default=None
        Multiplies the penalty of each feature; 0 leaves it unpenalised.

    Attributes
    ----------
    alpha_, l1_ratio_ : float
        The chosen pair.
    alphas_ : ndarray of shape (n_alphas,) or (n_l1_ratio, n_alphas)
        Penalties in decreasing order.
    mse_path_ : ndarray of shape (n_alphas, n_folds) or (n_l1_ratio, n_alphas, n_folds)
        Held-out mean squared errors.
    cv_curve_ : CVCurve
        The errors along the path of the chosen l1_ratio, with means, standard errors and a plot.
    coef_, intercept_, dual_gap_, n_iter_
        Results of the final fit to all rows, see `ElasticNet`.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    See Also
    --------
    ElasticNet, enet_path, LassoCV

    Notes
    -----
    A list such as ``[0.1, 0.5, 0.7, 0.9, 0.95, 0.99, 1]`` puts more values near the lasso than near ridge. Standardise
    the features first, preferably inside a pipeline.

    References
    ----------
    Zou & Hastie (2005), Regularization and variable selection via the elastic net.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from statlearn.linear import ElasticNetCV
    >>> X, y = load_diabetes(return_X_y=True)
    >>> ElasticNetCV(l1_ratio=[0.5, 1.0]).fit(X, y).l1_ratio_
    1.0
    """

    _constraints = {"l1_ratio": [Real(0, 1, closed="both"), "array-like"], **_CONSTRAINTS}
    path = staticmethod(enet_path)
    _search_space = SearchSpace("elastic net", fixed={"cv": 5})

    def __init__(
        self,
        *,
        l1_ratio=0.5,
        eps=1e-3,
        alphas=100,
        fit_intercept=True,
        precompute="auto",
        max_iter=1000,
        tol=1e-4,
        cv=None,
        copy_X=True,
        verbose=0,
        n_jobs=None,
        positive=False,
        random_state=None,
        selection="cyclic",
        rule="min",
        penalty_scale="sklearn",
        penalty_factor=None,
    ):
        self.l1_ratio = l1_ratio
        self.eps = eps
        self.alphas = alphas
        self.fit_intercept = fit_intercept
        self.precompute = precompute
        self.max_iter = max_iter
        self.tol = tol
        self.cv = cv
        self.copy_X = copy_X
        self.verbose = verbose
        self.n_jobs = n_jobs
        self.positive = positive
        self.random_state = random_state
        self.selection = selection
        self.rule = rule
        self.penalty_scale = penalty_scale
        self.penalty_factor = penalty_factor

    def _ratios(self):
        rule = Real(0, 1, closed="both")
        return [float(ratio) for ratio in check_entries("l1_ratio", self.l1_ratio, rule, type(self).__name__)]

    def _model(self, alpha, l1_ratio):
        return ElasticNet(alpha, l1_ratio=l1_ratio, **self._shared())

    def _store_ratio(self, ratio):
        self.l1_ratio_ = ratio
