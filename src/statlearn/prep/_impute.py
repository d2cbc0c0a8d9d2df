"""Missing values: dropping rows or columns, and model-based imputation."""

from dataclasses import dataclass

import numpy as np
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.feature_selection import SelectorMixin
from sklearn.impute import KNNImputer
from sklearn.utils.validation import check_is_fitted

from statlearn._core.fitted_state import forget
from statlearn._core.frames import missing, take_rows
from statlearn._core.names import input_names
from statlearn._core.params import Int, Options, Real, check_params
from statlearn._core.validation import FLOATS, check_same_length, validate_data
from statlearn._core.warnings import MAX_ITER, StatlearnWarning, warn, warn_if_stopped
from statlearn._math.linalg.positive import regularised_cholesky

from ._explained_transform import ExplainedTransformMixin


class DropMissing(ExplainedTransformMixin, SelectorMixin, BaseEstimator):
    """Removal of columns, or training rows, with too many missing values.

    Parameters
    ----------
    axis : {"columns", "rows"}, default="columns"
        What to drop. Rows are dropped only by `fit_resample`, that is while a :class:`SamplingPipeline` is fitted;
        `transform` returns every row, outside such a pipeline with a warning if there are rows to drop.
    max_share : float, default=0.5
        Largest fraction of missing values that is kept; 0 keeps only complete rows or columns.

    Attributes
    ----------
    shares_ : ndarray of shape (n_features,)
        Fraction of missing values of each column in training.
    n_features_in_ : int
    feature_names_in_ : ndarray of str

    Notes
    -----
    Dropping incomplete rows loses information, and biases the result unless the values are missing completely at
    random. See :class:`ModelImputer` for an alternative.

    References
    ----------
    Little, R. J. A. and Rubin, D. B. (2019). *Statistical Analysis with Missing Data*, 3rd ed., chapter 3. Wiley.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.prep import DropMissing
    >>> X = np.array([[1, np.nan, 2], [3, np.nan, np.nan], [4, 5, 6]])
    >>> DropMissing().fit_transform(X).tolist()
    [[1.0, 2.0], [3.0, nan], [4.0, 6.0]]
    >>> DropMissing("rows", max_share=0.4).fit_resample(X, [0, 1, 2])
    (array([[ 1., nan,  2.],
           [ 4.,  5.,  6.]]), [0, 2])
    """

    _constraints = {"axis": [Options("columns", "rows")], "max_share": [Real(0, 1, closed="both")]}

    def __init__(self, axis="columns", *, max_share=0.5):
        self.axis = axis
        self.max_share = max_share

    def fit(self, X, y=None):
        """Count the missing values of every column.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : ignored

        Returns
        -------
        self
        """
        check_params(self)
        X = validate_data(self, X, dtype=None, ensure_all_finite="allow-nan")
        self.shares_ = missing(X).mean(axis=0)
        if not self._get_support_mask().any():
            raise ValueError(
                "In every column of X the fraction of missing values exceeds "
                f"`max_share`={self.max_share:g}; increase it."
            )
        return self

    def fit_resample(self, X, y=None):
        """Training rows that are kept.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,), default=None

        Returns
        -------
        X, y
            All rows if columns are dropped (with X reduced to the other columns), otherwise the rows with few missing
            values.
        """
        self.fit(X, y)
        check_same_length(X, y)
        if self.axis == "columns":
            return self.transform(X), y
        rows = np.flatnonzero(~self._sparse_rows(X))
        if not rows.size:
            raise ValueError(
                f"In every row of X the fraction of missing values exceeds `max_share`={self.max_share:g}; increase it."
            )
        return take_rows(X, rows), take_rows(y, rows)

    def transform(self, X):
        """Columns that are kept; every row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray or data frame
        """
        filled = self._transform_later(X)
        n = np.count_nonzero(self._sparse_rows(X)) if self.axis == "rows" else 0
        if n:
            warn(
                f"DropMissing(axis='rows').transform returns every row, including {n} with too many missing values. "
                "Use `fit_resample`, or a SamplingPipeline, which drops such rows of the training data only.",
                StatlearnWarning,
            )
        return filled

    def _transform_later(self, X):
        """Method `transform` of pipelines that drop rows while they are fitted, and predict all rows later."""
        return super().transform(X)

    def _sparse_rows(self, X):
        """Mask of the rows with too many missing values."""
        checked = validate_data(self, X, dtype=None, ensure_all_finite="allow-nan", reset=False)
        return missing(checked).mean(axis=1) > self.max_share

    def _get_support_mask(self):
        check_is_fitted(self)
        return self.shares_ <= self.max_share if self.axis == "columns" else np.ones(self.shares_.shape, dtype=bool)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        return tags


LOG_TAU = np.log(2 * np.pi)


@dataclass
class Pattern:
    """Rows with the same missing columns: the observed columns, the number of rows, their sums and sums of products."""

    seen: np.ndarray
    gaps: np.ndarray
    n: int
    sums: np.ndarray
    products: np.ndarray


def patterns_of(X):
    """Patterns of missing values of a table, with the statistics of their rows."""
    missing = np.isnan(X)
    masks, pattern_of = np.unique(missing, axis=0, return_inverse=True)
    patterns = []
    for k, mask in enumerate(masks):
        seen = np.flatnonzero(~mask)
        rows = X[np.ix_(pattern_of.ravel() == k, seen)]
        patterns.append(Pattern(seen, np.flatnonzero(mask), len(rows), rows.sum(axis=0), rows.T @ rows))
    return patterns


def regress_gaps(covariance, seen, gaps):
    """Regression slopes of the missing on the observed columns, the residual covariance, and the factor.

    A ridge of 1e-9 of the variances keeps singular covariances solvable.
    """
    known = covariance[np.ix_(seen, seen)]
    diagonal = np.diag(known)
    known = known + np.diag(1e-9 * np.where(diagonal > 0, diagonal, 1.0))
    factor = regularised_cholesky(known)
    cross = covariance[np.ix_(seen, gaps)]
    slopes = factor.solve(cross)
    return slopes, covariance[np.ix_(gaps, gaps)] - cross.T @ slopes, factor


def em_step(patterns, mean, covariance):
    """One EM iteration: the next mean and covariance, and the log-likelihood of the current ones.

    E-step: a row with missing values is completed by conditional means, :math:`A x_o + b`, and the conditional
    covariances are added to the products. M-step: moments of the completed rows with divisor n. Everything is computed
    from the sums of the patterns.
    """
    p = len(mean)
    total, sums, products, loglik = 0, np.zeros(p), np.zeros((p, p)), 0.0
    for k in patterns:
        slopes, rest, factor = regress_gaps(covariance, k.seen, k.gaps)
        A, b = np.zeros((p, len(k.seen))), np.zeros(p)
        A[k.seen, np.arange(len(k.seen))] = 1.0
        A[k.gaps] = slopes.T
        b[k.gaps] = mean[k.gaps] - slopes.T @ mean[k.seen]
        completed = A @ k.sums
        total += k.n
        sums += completed + k.n * b
        products += A @ k.products @ A.T + np.outer(completed, b) + np.outer(b, completed) + k.n * np.outer(b, b)
        products[np.ix_(k.gaps, k.gaps)] += k.n * rest
        centre = mean[k.seen]
        around = k.products - np.outer(k.sums, centre) - np.outer(centre, k.sums) + k.n * np.outer(centre, centre)
        distance = np.trace(factor.solve(around))
        loglik -= 0.5 * (distance + k.n * (factor.log_det + len(k.seen) * LOG_TAU))
    mean = sums / total
    return mean, products / total - np.outer(mean, mean), loglik


class ModelImputer(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    r"""Imputation of missing values from the other columns, by a Gaussian model or nearest neighbours.

    ``method="gaussian"`` assumes that the rows follow a multivariate normal distribution, whose mean and covariance are
    estimated by maximum likelihood from the incomplete table (EM). A missing part :math:`x_m` is imputed by its
    conditional mean given the observed part,

    .. math:: \mu_m + \Sigma_{mo} \Sigma_{oo}^{-1} (x_o - \mu_o).

    ``method="knn"`` imputes the mean of the nearest training rows (scikit-learn's :class:`~sklearn.impute.KNNImputer`).

    Parameters
    ----------
    method : {"gaussian", "knn"}, default="gaussian"
        Imputation model.
    max_iter : int, default=500
        Maximum number of EM iterations.
    tol : float, default=1e-6
        EM stops when no mean changes by more than `tol` standard deviations and no covariance by more than `tol` in
        units of the product of the standard deviations.
    n_neighbors : int, default=5
        Number of neighbours for "knn".
    weights : {"uniform", "distance"}, default="uniform"
        Weighting of the neighbours for "knn".

    Attributes
    ----------
    mean_ : ndarray of shape (n_features,)
        Estimated mean. This and the next three exist only for "gaussian".
    covariance_ : ndarray of shape (n_features, n_features)
        Estimated covariance, with divisor n.
    loglik_ : ndarray of shape (n_iter_,)
        Log-likelihood of the observed values before each iteration; it never decreases.
    n_iter_ : int
    imputer_ : KNNImputer
        The fitted imputer. Only for "knn".
    n_features_in_ : int
    feature_names_in_ : ndarray of str

    Notes
    -----
    A table without missing values is returned unchanged. Imputed tables understate variances: `covariance_` includes
    the conditional covariances to correct for this, but a model fitted to the imputed table does not. Each iteration
    costs one factorisation per pattern of missing values, :math:`O(p^3)`, and :math:`O(np^2)`. Convergence is slow if
    many values are missing. The method is valid if the values are missing at random given the observed ones.

    References
    ----------
    Dempster, A. P., Laird, N. M. and Rubin, D. B. (1977). Maximum likelihood from incomplete data via the EM algorithm.
    *JRSS B* 39, 1-38.
    Little, R. J. A. and Rubin, D. B. (2019). *Statistical Analysis with Missing Data*, 3rd ed., section 11.2. Wiley.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.prep import ModelImputer
    >>> X = np.array([[1, 2.1], [2, 3.9], [3, 6.2], [4, np.nan]])
    >>> ModelImputer().fit_transform(X)[3].round(2).tolist()
    [4.0, 8.17]
    """

    _constraints = {
        "method": [Options("gaussian", "knn")],
        "max_iter": [Int(1, None)],
        "tol": [Real(0, None)],
        "n_neighbors": [Int(1, None)],
        "weights": [Options("uniform", "distance")],
    }

    def __init__(self, method="gaussian", *, max_iter=500, tol=1e-6, n_neighbors=5, weights="uniform"):
        self.method = method
        self.max_iter = max_iter
        self.tol = tol
        self.n_neighbors = n_neighbors
        self.weights = weights

    def fit(self, X, y=None):
        """Estimate the distribution, or store the rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : ignored

        Returns
        -------
        self
        """
        check_params(self)
        X = validate_data(self, X, dtype=FLOATS, ensure_all_finite="allow-nan")
        empty = np.isnan(X).all(axis=0)
        if empty.any():
            named = ", ".join(repr(input_names(self)[j]) for j in np.flatnonzero(empty))
            raise ValueError(f"X: the columns {named} contain only missing values and cannot be imputed; drop them.")
        self._method = self.method
        forget(self, "imputer_", "mean_", "covariance_", "n_iter_", "loglik_")
        if self.method == "knn":
            self.imputer_ = KNNImputer(n_neighbors=self.n_neighbors, weights=self.weights).fit(X)
            return self
        self._em(np.asarray(X, dtype=np.float64))
        self.mean_, self.covariance_ = self.mean_.astype(X.dtype), self.covariance_.astype(X.dtype)
        return self

    def _em(self, X):
        # On the scale of the columns, so that tol and the ridge mean the same for all of them.
        centre, unit = np.nanmean(X, axis=0), np.nanstd(X, axis=0)
        unit = np.where(unit > 0, unit, 1.0)
        Z = (X - centre) / unit
        patterns = patterns_of(Z)
        mean, covariance = np.nanmean(Z, axis=0), np.diag(np.nanvar(Z, axis=0))
        history, change = [], np.inf
        while change > self.tol and len(history) < self.max_iter:
            before = mean, covariance
            mean, covariance, loglik = em_step(patterns, *before)
            history.append(loglik)
            change = max(np.abs(mean - before[0]).max(), np.abs(covariance - before[1]).max())
        if change > self.tol:
            remedy = "Increase max_iter or tol."
            warn_if_stopped(self, MAX_ITER, f"parameters still change by {change:.1e}", remedy=remedy)
        self.n_iter_ = len(history)
        self.loglik_ = np.array(history) - np.sum(~np.isnan(X) * np.log(unit))
        self.mean_, self.covariance_ = centre + unit * mean, covariance * np.outer(unit, unit)

    def transform(self, X):
        """Table with missing values imputed.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_features)
        """
        check_is_fitted(self)
        X = validate_data(self, X, dtype=FLOATS, ensure_all_finite="allow-nan", reset=False, copy=True)
        if self._method == "knn":
            return self.imputer_.transform(X)
        mean, covariance = self.mean_.astype(np.float64), self.covariance_.astype(np.float64)
        masks, pattern_of = np.unique(np.isnan(X), axis=0, return_inverse=True)
        for k, mask in enumerate(masks):
            if mask.any():
                rows, seen, gaps = np.flatnonzero(pattern_of.ravel() == k), np.flatnonzero(~mask), np.flatnonzero(mask)
                slopes, _, _ = regress_gaps(covariance, seen, gaps)
                X[np.ix_(rows, gaps)] = mean[gaps] + (X[np.ix_(rows, seen)] - mean[seen]) @ slopes
        return X

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
