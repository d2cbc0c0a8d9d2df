"""Conformal prediction intervals for regression."""

import warnings

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin, clone
from sklearn.utils.validation import check_is_fitted

from statlearn._core.frames import n_rows, take_rows
from statlearn._core.jobs import keep_limit
from statlearn._core.params import HasMethods, Instance, Int, Options, Real, check_arguments, check_params
from statlearn._core.warnings import StatlearnWarning

from ._meta_estimator import InnerEstimatorMixin, check_target, fit_on, held_out_rows, is_frozen

_CELLS = 1 << 22  # entries of the table of predictions that CV+ holds at a time


def conformal_rank(n, coverage):
    """Rank among n sorted scores that bounds a new one with probability `coverage`; n + 1 means infinity."""
    # A hair less, so that (n + 1) coverage = 18.000000000000004 is 18.
    return max(1, int(np.ceil((n + 1) * coverage - 1e-9)))


def upper_score(ordered, coverage):
    """Conformal quantile of sorted scores, infinite if there are too few."""
    k = conformal_rank(len(ordered), coverage)
    if k > len(ordered):
        warnings.warn(
            f"{len(ordered)} calibration rows are too few for a coverage of {coverage:g}, so the bounds are "
            "infinite. Use more rows or a lower coverage.",
            StatlearnWarning,
            stacklevel=3,
        )
        return np.inf
    return float(ordered[k - 1])


class ConformalRegressor(InnerEstimatorMixin, RegressorMixin, BaseEstimator):
    r"""Conformal prediction intervals with guaranteed coverage for any regressor.

    For exchangeable rows (identically distributed, in any order), an interval covers a new target with probability at
    least `coverage`, whatever the regressor and the distribution. A bad regressor gets long intervals, not wrong ones.

    - "split": fit on one part; q is the :math:`\lceil (m + 1) c \rceil`-th smallest of the m absolute residuals on the
      other; the interval is :math:`\hat f(x) \pm q`.
    - "cv+": each row has the residual :math:`R_i` of the fold model that did not see it; with n rows the bounds are the
      :math:`\lfloor (n + 1)(1 - c) \rfloor`-th smallest :math:`\hat f_{-k(i)}(x) - R_i` and the
      :math:`\lceil (n + 1) c \rceil`-th smallest :math:`\hat f_{-k(i)}(x) + R_i`. All rows serve both purposes.
    - "jackknife+": the same with every row its own fold.
    - "cqr": quantile regressions at (1 - c)/2 and (1 + c)/2 on one part, widened by the conformal quantile of
      :math:`\max(\hat q_{lo}(x_i) - y_i,\; y_i - \hat q_{hi}(x_i))` on the other: the length adapts to x.

    Parameters
    ----------
    estimator : estimator or None, default=None
        Regressor; for "cqr" one that predicts quantiles. None means ``LinearRegression()``, or
        ``QuantileRegressor(alpha=0)`` for "cqr". A `sklearn.frozen.FrozenEstimator` is not refitted, and all rows
        passed to `fit` are used for calibration ("split" only).
    coverage : float, default=0.9
        Probability c that an interval covers the target.
    method : {"split", "cv+", "jackknife+", "cqr"}, default="split"
    calibration_size : float, default=0.25
        Fraction of the rows that "split" and "cqr" use for calibration.
    cv : int, splitter, iterable or None, default=None
        Folds for "cv+"; None means 10, shuffled. Each row must be held out exactly once.
    quantile_parameter : str, default="quantile"
        Parameter of `estimator` that sets the quantile level, for "cqr".
    random_state : int, RandomState or None, default=None
        Seed of the split or the folds.
    n_jobs : int or None, default=None
        Number of fold models fitted in parallel.

    Attributes
    ----------
    estimator_ : estimator
        Model used by `predict`: that of the training part, of all rows for "cv+" and "jackknife+", or the median for
        "cqr".
    estimators_ : list of estimator
        Fold models of "cv+" and "jackknife+", lower and upper quantile models of "cqr", otherwise empty.
    fold_ : ndarray of shape (n_scores,)
        Index of the fold model of each score; zeros for "split" and "cqr".
    scores_ : ndarray of shape (n_scores,)
        Conformity scores, sorted for "split" and "cqr", by row for "cv+" and "jackknife+".
    n_features_in_, feature_names_in_
        As reported by the inner estimator.

    See Also
    --------
    ConformalClassifier : prediction sets of classes.

    Notes
    -----
    The guarantee is marginal, that is on average over the data and the new row: some regions of x may be covered less,
    others more; "cqr" evens this out but does not guarantee it. For "cv+" and "jackknife+" the guarantee is 2c - 1; in
    practice they cover about c. Time series and shifted populations are not exchangeable. With m calibration rows,
    coverage above m/(m + 1) makes the bounds infinite, with a warning.

    "cv+" costs one fit per fold and n numbers per predicted row; "jackknife+" stores n models.

    References
    ----------
    Vovk, Gammerman and Shafer (2005), Algorithmic learning in a random world. Lei et al. (2018), Distribution-free
    predictive inference for regression. Romano, Patterson and Candès (2019), Conformalized quantile regression. Barber
    et al. (2021), Predictive inference with the jackknife+.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.assess import ConformalRegressor
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(400, 2))
    >>> y = X[:, 0] + rng.normal(size=400)
    >>> model = ConformalRegressor(coverage=0.9, random_state=0).fit(X[:200], y[:200])
    >>> interval = model.predict_interval(X[200:])
    >>> interval.shape
    (200, 2)
    >>> covered = (interval[:, 0] <= y[200:]) & (y[200:] <= interval[:, 1])
    >>> bool(0.8 < covered.mean() < 0.97)
    True
    """

    _constraints = {
        "estimator": [HasMethods("fit"), None],
        "coverage": [Real(0, 1, closed="neither")],
        "method": [Options("split", "cv+", "jackknife+", "cqr")],
        "calibration_size": [Real(0, 1, closed="neither")],
        "cv": ["cv"],
        "quantile_parameter": [Instance(str)],
        "random_state": ["random_state"],
        "n_jobs": [Int(), None],
    }

    def __init__(
        self,
        estimator=None,
        *,
        coverage=0.9,
        method="split",
        calibration_size=0.25,
        cv=None,
        quantile_parameter="quantile",
        random_state=None,
        n_jobs=None,
    ):
        self.estimator = estimator
        self.coverage = coverage
        self.method = method
        self.calibration_size = calibration_size
        self.cv = cv
        self.quantile_parameter = quantile_parameter
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _default(self):
        from statlearn.linear import LinearRegression, QuantileRegressor

        return QuantileRegressor(alpha=0.0) if self.method == "cqr" else LinearRegression()

    def fit(self, X, y):
        """Fit the regressor and its conformity scores.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Passed unchanged to the inner estimator.
        y : array-like of shape (n_samples,)

        Returns
        -------
        self
        """
        check_params(self)
        X, y = check_target(X, y, numeric=True)
        inner = self._inner()
        if is_frozen(inner) and self.method != "split":
            raise ValueError(
                f"`method`={self.method!r} refits the estimator; use `method`='split' with a frozen estimator."
            )
        if self.method in ("cv+", "jackknife+"):
            self._fit_folds(inner, X, y)
        elif self.method == "cqr":
            self._fit_quantiles(inner, X, y)
        else:
            self._fit_split(inner, X, y)
        self._take_names(self.estimator_)
        return self

    def _split(self, y):
        return held_out_rows(len(y), self.calibration_size, self.random_state)

    def _fit_split(self, inner, X, y):
        if is_frozen(inner):
            self.estimator_, held_out = inner, np.arange(len(y))
        else:
            train, held_out = self._split(y)
            self.estimator_ = fit_on(inner, X, y, train)
        self.estimators_ = []
        residuals = np.abs(y[held_out] - self.estimator_.predict(take_rows(X, held_out)))
        self.scores_, self.fold_ = np.sort(residuals.astype(np.float64)), np.zeros(len(held_out), dtype=np.intp)

    def _fit_quantiles(self, inner, X, y):
        train, held_out = self._split(y)
        if self.quantile_parameter not in inner.get_params(deep=True):
            raise ValueError(
                f"`method`='cqr' requires a quantile estimator, but {type(inner).__name__} has no parameter "
                f"{self.quantile_parameter!r}. Set `quantile_parameter` to its name."
            )
        levels = (0.5, 0.5 - 0.5 * self.coverage, 0.5 + 0.5 * self.coverage)
        models = [fit_on(clone(inner).set_params(**{self.quantile_parameter: q}), X, y, train) for q in levels]
        self.estimator_, self.estimators_ = models[0], models[1:]
        low, high = (m.predict(take_rows(X, held_out)) for m in self.estimators_)
        scores = np.maximum(low - y[held_out], y[held_out] - high).astype(np.float64)
        self.scores_, self.fold_ = np.sort(scores), np.zeros(len(held_out), dtype=np.intp)

    def _fit_folds(self, inner, X, y):
        from sklearn.utils.parallel import Parallel, delayed

        folds = self._folds(X, y)
        held_out = np.concatenate([test for _, test in folds])
        if not np.array_equal(np.sort(held_out), np.arange(len(y))):
            raise ValueError("`cv` must hold out each row exactly once, as K-fold does.")
        # The model of all rows is fitted first, so that errors in the data are raised in the caller's process.
        self.estimator_ = fit_on(inner, X, y, np.arange(len(y)))
        self.estimators_ = Parallel(n_jobs=self.n_jobs)(
            delayed(keep_limit(fit_on))(inner, X, y, train) for train, _ in folds
        )
        self.scores_, self.fold_ = np.empty(len(y)), np.empty(len(y), dtype=np.intp)
        for k, (model, (_, test)) in enumerate(zip(self.estimators_, folds)):
            self.fold_[test] = k
            self.scores_[test] = np.abs(y[test] - model.predict(take_rows(X, test)))

    def _folds(self, X, y):
        from sklearn.model_selection import KFold, LeaveOneOut, check_cv

        n = len(y)
        if n < 2:
            raise ValueError(
                f"n_samples={n}, but at least 2 samples are required, to train on one part and calibrate on the other."
            )
        if self.method == "jackknife+":
            cv = LeaveOneOut()
        elif self.cv is None:
            cv = KFold(min(10, n), shuffle=True, random_state=self.random_state)
        else:
            cv = check_cv(self.cv, y, classifier=False)
        return list(cv.split(np.zeros((n, 1)), y))

    def predict(self, X):
        """Predicted values, without intervals.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        check_is_fitted(self)
        return self.estimator_.predict(X)

    def predict_interval(self, X, coverage=None):
        """Lower and upper bounds for the targets of new rows.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
        coverage : float or None, default=None
            Coverage that overrides that of the constructor; not for "cqr", whose models are fitted for a single
            coverage.

        Returns
        -------
        ndarray of shape (n_samples, 2)
        """
        check_is_fitted(self)
        coverage = self._asked(coverage)
        if self.method in ("cv+", "jackknife+"):
            return self._fold_bounds(X, coverage)
        q = upper_score(self.scores_, coverage)
        if self.method == "split":
            centre = self.estimator_.predict(X)
            return np.column_stack([centre - q, centre + q])
        low, high = (m.predict(X) for m in self.estimators_)
        bounds = np.column_stack([low - q, high + q]).astype(np.float64)
        crossed = (
            bounds[:, 0] > bounds[:, 1]
        )  # a negative q can close an interval: nothing is covered there but a point
        bounds[crossed] = bounds[crossed].mean(axis=1, keepdims=True)
        return bounds

    def _asked(self, coverage):
        if coverage is None:
            return self.coverage
        check_arguments("predict_interval", coverage=(coverage, self._constraints["coverage"]))
        if self.method == "cqr" and coverage != self.coverage:
            raise ValueError(
                "`coverage` cannot be changed after fitting with `method`='cqr'; set it in the constructor and refit."
            )
        return coverage

    def _fold_bounds(self, X, coverage):
        n = len(self.scores_)
        up = conformal_rank(n, coverage)
        if up > n:
            upper_score(self.scores_, coverage)  # warns
            return np.repeat([[-np.inf, np.inf]], n_rows(X), axis=0)
        # By symmetry the lower bound is the (n + 1 - up)-th smallest.
        predictions = np.column_stack([m.predict(X) for m in self.estimators_]).astype(np.float64)
        bounds = np.empty((len(predictions), 2))
        step = max(1, _CELLS // n)
        for start in range(0, len(predictions), step):
            block = predictions[start : start + step][:, self.fold_]
            bounds[start : start + step, 0] = np.partition(block - self.scores_, n - up, axis=1)[:, n - up]
            bounds[start : start + step, 1] = np.partition(block + self.scores_, up - 1, axis=1)[:, up - 1]
        return bounds
