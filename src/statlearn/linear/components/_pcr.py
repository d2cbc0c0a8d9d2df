"""Principal component regression, and the base of component regressions."""

from functools import partial

import numpy as np
from scipy import linalg
from sklearn.base import BaseEstimator, MultiOutputMixin

from statlearn._core.fitted_state import forget
from statlearn._core.params import Int, Options, check_params
from statlearn._core.search import SearchSpace
from statlearn._core.selection import CVCurve, weighty_folds
from statlearn._core.validation import FLOATS, check_weights, require_finite, validate_data
from statlearn._math.rows.least_squares import EPS, SMALL_RESIDUAL, LeastSquaresStatistic, prefers_cross_products
from statlearn._math.rows.statistics import CrossProducts, fold_cross_products
from statlearn.linear._base import LinearRegressorMixin

# Beyond this width a fit uses the QR of the data, which costs less than the decomposition of the components.
_GRAM_FEATURES = 2000
# Reciprocal condition of scaled cross-products above which the smallest component has half of its digits.
_SAFE_RCOND = 1e-8
# Test errors below this fraction of their largest terms are computed from the residuals of the rows instead.
_CANCELLED_ERROR = 1e-6


def has_cheap_products(X):
    """Whether to form the cross-products of X rather than factorise its rows."""
    return X.shape[1] <= _GRAM_FEATURES and prefers_cross_products(*X.shape)


def factor_of(cross, rows):
    """Triangular factor of a part of the data.

    Computed from its `CrossProducts` if they are given and accurate enough, otherwise from
    ``rows() = (X, Y, weights)``.
    """
    if cross is not None:
        statistic = LeastSquaresStatistic.from_cross_products(cross)
        if statistic is not None and statistic.rcond >= _SAFE_RCOND:
            # With almost no residual, the number of components that explain y depends on the last digits.
            residual = np.sum(statistic.targets[statistic.n_features :] ** 2, axis=0)
            if np.all(residual > SMALL_RESIDUAL * statistic.tss):
                return statistic
    return LeastSquaresStatistic.from_block(*rows(), route="qr")


def squared_errors(test, rows, path, mean_x, mean_y):
    """Mean squared errors, summed over targets, of the models of a path on the test part of a fold.

    Computed from the cross-products `test` if accurate enough, otherwise from ``rows() = (X, Y, weights)``.
    """
    k, p, m = path.shape
    if k == 0:
        return np.empty(0)
    # The residuals of a model are [X - mean_x, Y - mean_y] times its columns of C.
    C = np.concatenate([-path, np.broadcast_to(np.eye(m), (k, m, m))], axis=1).transpose(1, 0, 2).reshape(p + m, k * m)
    if test is not None:
        G = test.moved_to(np.concatenate([mean_x, mean_y])).G[:-1, :-1]
        squares = np.sum((G @ C) * C, axis=0)
        terms = (np.sqrt(np.maximum(np.diag(G), 0.0)) @ np.abs(C)) ** 2
        if np.all(squares > _CANCELLED_ERROR * terms):
            return squares.reshape(k, m).sum(axis=1) / test.total_weight
    X, Y, weights = rows()
    squares = (np.column_stack([X - mean_x, Y - mean_y]) @ C) ** 2
    return np.average(squares, axis=0, weights=weights).reshape(k, m).sum(axis=1)


class ComponentRegressorMixin(MultiOutputMixin, LinearRegressorMixin):
    """`fit` for regressions on k derived components, k given or chosen by cross-validation.

    A subclass implements `_path(A, B, k)`. For a design A and targets B (centred, scaled) it returns the coefficients
    (k, p, m) with 1 to k components, fewer if nothing is left to fit, and a dict of further attributes.
    """

    _accept_sparse = False

    def fit(self, X, y, sample_weight=None):
        """Fit to the data.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
        sample_weight : array-like of shape (n_samples,), float or None, default=None
            A weight of k counts as k copies of the row; a weight of 0 leaves it out.

        Returns
        -------
        self
        """
        check_params(self)
        X, y = validate_data(self, X, y, dtype=FLOATS, y_numeric=True, multi_output=True)
        weights = check_weights(sample_weight, X)
        Y = y.reshape(len(y), -1)
        n, p = X.shape if weights is None else (int(np.count_nonzero(weights)), X.shape[1])
        largest = min(n - 1, p)
        if isinstance(self.n_components, (int, np.integer)) and self.n_components > largest:
            raise ValueError(
                f"n_components={self.n_components} must be at most min(n_samples - 1, n_features) = {largest}, "
                f"with n_samples = {n}, n_features = {p}."
            )
        if largest < 1:
            raise ValueError(f"X: {type(self).__name__} requires at least 2 rows, got n_samples = {n}.")
        forget(self, "cv_curve_")
        if self.n_components == "cv":
            wanted = self._choose(X, Y, weights, largest)
        else:
            wanted = largest if self.n_components is None else int(self.n_components)
        cross = CrossProducts.from_block(X, Y, weights) if has_cheap_products(X) else None
        statistic = factor_of(cross, lambda: (X, Y, weights))
        with np.errstate(over="ignore", invalid="ignore"):  # refused below
            path, mean_x, mean_y, parts = self._fit_path(statistic, wanted)
        for name, value in parts.items():
            setattr(self, name, value)
        self.n_components_ = len(path)
        coef = path[-1] if len(path) else np.zeros((p, Y.shape[1]))
        require_finite(coef)
        intercept = (mean_y - mean_x @ coef).astype(X.dtype)
        coef = coef.T.astype(X.dtype)
        self.coef_ = np.ascontiguousarray(coef) if y.ndim == 2 else coef[0].copy()
        self.intercept_ = intercept if y.ndim == 2 else intercept[0]
        self.coef_path_ = path.transpose(0, 2, 1) if y.ndim == 2 else path[:, :, 0]
        return self

    def _fit_path(self, statistic, k):
        """Coefficients (k, p, m) on the original scale, the means, and the subclass's attributes."""
        mean_x, mean_y = statistic.means
        norm_x = statistic.scales()
        A = np.where(norm_x > 0, statistic.design, 0.0)
        B = statistic.targets
        count = statistic.total_weight
        # Standard deviations with divisor n - 1, as scikit-learn and R scale.
        divisor = np.sqrt(max(count - 1.0, EPS))
        scale_x = np.where(norm_x > 0, norm_x, divisor) / divisor if self.scale else np.ones(len(norm_x))
        norm_y = np.linalg.norm(B, axis=0)
        scale_y = np.where(norm_y > 0, norm_y, divisor) / divisor if self.scale else np.ones(len(norm_y))
        path, parts = self._path(A / scale_x, B / scale_y, k)
        parts = {**parts, "x_mean_": mean_x, "x_scale_": scale_x, "_y_mean": mean_y, "_total_weight": count}
        return path / scale_x[:, None] * scale_y, mean_x, mean_y, self._finish_parts(parts)

    def _finish_parts(self, parts):
        return {k: v for k, v in parts.items() if not k.startswith("_")}

    def _choose(self, X, Y, weights, largest):
        """The number of components by cross-validation; sets `cv_curve_`."""
        from sklearn.model_selection import check_cv

        def rows_of(part):
            return X[part], Y[part], None if weights is None else weights[part]

        every = np.arange(len(X))
        folds = weighty_folds(check_cv(self.cv).split(X, Y), weights, skip_tests=True)
        folds = [(every[train], every[test]) for train, test in folds]
        products = fold_cross_products(X, Y, weights, folds) if has_cheap_products(X) else [(None, None)] * len(folds)
        losses, fold_weight = [], []
        for (train, test), (inside, outside) in zip(folds, products):
            weight = float(len(test)) if weights is None else float(np.sum(weights[test], dtype=np.float64))
            statistic = factor_of(inside, partial(rows_of, train))
            path, mean_x, mean_y, _ = self._fit_path(statistic, min(largest, max(1, len(train) - 1)))
            losses.append(squared_errors(outside, partial(rows_of, test), path, mean_x, mean_y))
            fold_weight.append(weight)
        shortest = min(len(loss) for loss in losses)
        if shortest == 0:
            raise ValueError("X or y is constant in a training fold, so no component exists there; use other folds.")
        table = np.array([loss[:shortest] for loss in losses]).T
        self.cv_curve_ = CVCurve(np.arange(1, shortest + 1), table, np.array(fold_weight), name="n_components")
        return int(self.cv_curve_.parameter[self.cv_curve_.chosen(self.rule)])


class PrincipalComponentRegression(ComponentRegressorMixin, BaseEstimator):
    r"""Principal component regression: least squares on the leading principal components of X.

    With the singular value decomposition :math:`X = UDV^\top` of the centred (and, with ``scale=True``, standardised) X
    the coefficients are

    .. math:: \hat\beta = \sum_{j \le k} v_j \frac{u_j^\top y}{d_j}

    reported on the original scale of X, with an unpenalised intercept. With all components this is least squares.

    Parameters
    ----------
    n_components : int, "cv" or None, default=None
        Number k of components. "cv" chooses it by cross-validation; None uses all.
    scale : bool, default=False
        Divide the columns of X by their standard deviations first. Otherwise, the components depend on the units of X.
    cv : int, splitter, iterable or None, default=None
        Folds for ``n_components="cv"``; None means 5 consecutive blocks of rows.
    rule : {"min", "one_se"}, default="min"
        Choose the smallest cross-validated squared error, or the fewest components within one standard error of it.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,) or (n_targets, n_features)
    intercept_ : float or ndarray of shape (n_targets,)
    n_components_ : int
        Number of components used, fewer than requested if X has a lower rank.
    coef_path_ : ndarray of shape (n_components_, n_features) or (n_components_, n_targets, n_features)
        Coefficients with 1, 2, ... components.
    components_ : ndarray of shape (n_components_, n_features)
        Directions in the space of the (scaled) columns.
    explained_variance_ : ndarray of shape (n_components_,)
        Variance of X along each component, with divisor n - 1.
    explained_variance_ratio_ : ndarray of shape (n_components_,)
        Share of the total variance.
    x_mean_, x_scale_ : ndarray of shape (n_features,)
    cv_curve_ : CVCurve
        Cross-validated squared errors. Only with ``n_components="cv"``.
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Defined when X has string column names.

    Notes
    -----
    The components are chosen without regard to y, although a direction of small variance may carry all of the signal.
    `PartialLeastSquares` takes y into account. One decomposition serves every number of components. Tall data are read
    once, O(np²) in total, since the cross-products of the folds add up to those of the training parts, O(p³) each.
    Standard errors are not provided: even with k fixed in advance, those of the regression on the components are valid
    only if the dropped directions have no effect.

    References
    ----------
    Hastie, Tibshirani and Friedman, *The Elements of Statistical Learning*, section 3.5.1.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.linear import PrincipalComponentRegression
    >>> X = np.array([[1.0, 1.1], [2.0, 1.9], [3.0, 3.2], [4.0, 3.8]])
    >>> model = PrincipalComponentRegression(n_components=1).fit(X, [2.0, 4.0, 6.0, 8.0])
    >>> model.coef_.round(3)
    array([1.053, 0.999])
    """

    _constraints = {
        "n_components": [Int(1, None), Options("cv"), None],
        "scale": ["boolean"],
        "cv": ["cv"],
        "rule": [Options("min", "one_se")],
    }
    _search_space = SearchSpace("principal components", fixed={"n_components": "cv", "cv": 5})

    def __init__(self, n_components=None, *, scale=False, cv=None, rule="min"):
        self.n_components = n_components
        self.scale = scale
        self.cv = cv
        self.rule = rule

    def _path(self, A, B, k):
        U, d, Vt = linalg.svd(A, full_matrices=False, check_finite=False)
        k = min(k, int(np.sum(d > max(A.shape) * EPS * d[0]))) if d.size and d[0] > 0 else 0
        # The sign of a direction is arbitrary; its largest entry is made positive.
        signs = np.sign(Vt[np.arange(len(Vt)), np.argmax(np.abs(Vt), axis=1)])
        steps = Vt[:k, :, None] * ((U[:, :k].T @ B) / d[:k, None])[:, None, :]
        return np.cumsum(steps, axis=0), {"components_": (signs[:, None] * Vt)[:k], "_d": d}

    def _finish_parts(self, parts):
        d, k = parts["_d"], len(parts["components_"])
        variance = d**2 / max(parts["_total_weight"] - 1.0, EPS)
        attributes = super()._finish_parts(parts)
        attributes["explained_variance_"] = variance[:k]
        attributes["explained_variance_ratio_"] = variance[:k] / variance.sum() if variance.sum() > 0 else variance[:k]
        return attributes
