"""Nearest shrunken centroids along a path of thresholds, and the choice of one by cross-validation."""

from dataclasses import dataclass

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted, check_X_y

from statlearn._core.class_scores import ClassScores, class_priors
from statlearn._core.params import Int, Options, check_arguments, check_params
from statlearn._core.search import SearchSpace
from statlearn._core.selection import CVCurve, weighty_folds
from statlearn._core.validation import FLOATS, check_weights, encode_classes, validate_data

from ._nearest_centroid import class_moments, keep_weighted


@dataclass
class Centroids:
    """Class centroids on standardised columns, from which the model for any threshold is computed directly.

    Parameters
    ----------
    common : ndarray of shape (n_features,)
        Mean of all rows.
    scale : ndarray of shape (n_features,)
        s_j + s_0.
    deviations : ndarray of shape (n_classes, n_features)
        Standardised differences d_kj of the class means from the common one.
    size : ndarray of shape (n_classes,)
        m_k, which converts a deviation back to the units of the scale.
    counts : ndarray of shape (n_classes,)
        Weight of each class.
    """

    common: np.ndarray
    scale: np.ndarray
    deviations: np.ndarray
    size: np.ndarray
    counts: np.ndarray

    @classmethod
    def from_rows(cls, X, codes, weights, n_classes):
        counts, means, spread = class_moments(X, codes, weights, n_classes)
        total = counts.sum()
        deviation = np.sqrt(spread / (total - n_classes)) if total > n_classes else np.zeros_like(spread)
        # The median keeps columns of tiny spread from winning by chance; where it is 0 the mean does.
        scale = deviation + (np.median(deviation) or deviation.mean())
        if not np.any(scale > 0):
            raise ValueError("X: every column is constant within the classes, so the centroids cannot be standardised.")
        common = counts @ means / total
        size = np.sqrt(1.0 / counts - 1.0 / total)
        return cls(common, scale, (means - common) / (size[:, None] * scale), size, counts)

    def shrunken(self, threshold):
        """Deviations after soft thresholding."""
        return np.sign(self.deviations) * np.maximum(np.abs(self.deviations) - threshold, 0.0)

    def scores(self, X, thresholds, log_prior):
        """Discriminant scores of shape (n_thresholds, n_rows, n_classes), up to a term common to all classes."""
        # |z - c|^2 without |z|^2, where z are standardised rows around the common mean: one product for all models.
        centres = np.stack([self.size[:, None] * self.shrunken(t) for t in thresholds])
        flat = centres.reshape(-1, centres.shape[-1])
        weights = (flat / self.scale).T
        cross = X @ weights - (self.common / self.scale) @ flat.T
        half = cross - 0.5 * np.sum(flat**2, axis=1)
        shaped = half.reshape(X.shape[0], len(thresholds), -1) + log_prior
        return np.ascontiguousarray(shaped.transpose(1, 0, 2))


def default_thresholds(centroids, n):
    """Thresholds from the one that keeps at most one column down to no shrinkage."""
    if n > 1_000_000:
        raise ValueError(f"`n_thresholds`={n} is too large; use at most 1,000,000.")
    return np.linspace(np.abs(centroids.deviations).max(), 0.0, n)


@dataclass
class ShrunkenPath:
    """Result of :func:`shrunken_centroid_path`.

    Parameters
    ----------
    thresholds : ndarray of shape (n_thresholds,)
        In decreasing order, so the simplest model comes first.
    n_features : ndarray of shape (n_thresholds,)
        Number of columns in which some class still differs from the overall centroid.
    deviations : ndarray of shape (n_thresholds, n_classes, n_features)
        Shrunken standardised deviations.
    classes : ndarray of shape (n_classes,)
    """

    thresholds: np.ndarray
    n_features: np.ndarray
    deviations: np.ndarray
    classes: np.ndarray


def shrunken_centroid_path(X, y, *, thresholds=None, n_thresholds=30, sample_weight=None):
    """Nearest shrunken centroids for a sequence of thresholds.

    Parameters
    ----------
    X : {array-like, sparse matrix} of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
        Class labels, with at least two classes.
    thresholds : array-like or None, default=None
        None uses `n_thresholds` equally spaced values from the largest deviation to 0.
    n_thresholds : int, default=30
    sample_weight : array-like of shape (n_samples,) or None, default=None

    Returns
    -------
    ShrunkenPath
        Has ``thresholds`` in decreasing order, the number ``n_features`` of remaining columns, and the ``deviations``.

    See Also
    --------
    ShrunkenCentroidsCV : chooses the threshold by cross-validation.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from statlearn.neighbors import shrunken_centroid_path
    >>> X, y = load_iris(return_X_y=True)
    >>> shrunken_centroid_path(X, y, n_thresholds=5).n_features.tolist()
    [0, 1, 2, 3, 4]
    """
    check_arguments(
        shrunken_centroid_path,
        thresholds=(thresholds, ["array-like", None]),
        n_thresholds=(n_thresholds, [Int(1, None)]),
    )
    X, y = check_X_y(X, y, accept_sparse="csr", dtype=FLOATS)
    X, y, weights = keep_weighted(X, y, sample_weight)
    classes, codes = encode_classes(y, owner="shrunken_centroid_path")
    centroids = Centroids.from_rows(X, codes, weights, len(classes))
    grid = default_thresholds(centroids, n_thresholds) if thresholds is None else _given(thresholds)
    deviations = np.stack([centroids.shrunken(t) for t in grid])
    return ShrunkenPath(grid, np.count_nonzero(np.any(deviations != 0, axis=1), axis=1), deviations, classes)


def _given(thresholds):
    grid = np.unique(np.asarray(thresholds, dtype=np.float64))[::-1]
    if grid.ndim != 1 or grid.size == 0 or not np.all(grid >= 0) or not np.all(np.isfinite(grid)):
        raise ValueError("`thresholds` must be a sequence of finite, non-negative numbers.")
    return grid


class ShrunkenCentroidsCV(ClassScores, ClassifierMixin, BaseEstimator):
    r"""Nearest shrunken centroids ("PAM") with the threshold chosen by cross-validation.

    Columns are standardised by :math:`s_j + s_0`, where s_j is the pooled within-class standard deviation and s_0 the
    median of the s_j. The deviations of the class centroids from the overall centroid are soft-thresholded,

    .. math:: d'_{kj} = \operatorname{sign}(d_{kj})\,(|d_{kj}| - \Delta)_+, \qquad
              d_{kj} = \frac{\bar x_{kj} - \bar x_j}{\sqrt{1/n_k - 1/n}\,(s_j + s_0)}

    and a row is assigned to the class with the largest :math:`-\tfrac12 \sum_j (x_j - c'_{kj})^2 / (s_j + s_0)^2 + \log
    \pi_k`, the log posterior of a diagonal Gaussian model up to a constant.

    Parameters
    ----------
    thresholds : array-like or None, default=None
        Values of Delta to try; None uses `n_thresholds` values from the largest deviation to 0.
    n_thresholds : int, default=30
    priors : {"empirical", "uniform"} or array-like of shape (n_classes,), default="empirical"
    cv : int, splitter, iterable of splits or None, default=None
        Folds stratified by class; None means five.
    rule : {"min", "one_se"}, default="min"
        "min" chooses the threshold with the smallest error rate and, among ties, the largest. "one_se" chooses the
        largest threshold (the fewest columns) within one standard error of it.

    Attributes
    ----------
    threshold_ : float
        The chosen threshold.
    cv_curve_ : CVCurve
        Error rates of all thresholds in all folds.
    selected_ : ndarray of int
        Indices of the columns that remain.
    deviations_ : ndarray of shape (n_classes, n_features)
        Shrunken deviations.
    centroids_ : ndarray of shape (n_classes, n_features)
        Shrunken centroids in the units of the columns.
    scale_ : ndarray of shape (n_features,)
        The divisors s_j + s_0.
    class_prior_, classes_ : ndarray of shape (n_classes,)
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Defined only if X has column names that are all strings.

    See Also
    --------
    NearestCentroid : scikit-learn's class, with a fixed threshold.
    shrunken_centroid_path : all thresholds at once.

    Notes
    -----
    Designed for few rows and thousands of columns. Columns are treated as independent, so correlated columns are
    counted repeatedly and the probabilities become overconfident. All thresholds of a fold are evaluated by a single
    matrix product. The columns are selected using y, so assess the model on other rows.

    References
    ----------
    Tibshirani, R., Hastie, T., Narasimhan, B. & Chu, G. (2003). Class prediction by nearest shrunken centroids, with
    applications to DNA microarrays. Statistical Science 18, 104-117.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from statlearn.neighbors import ShrunkenCentroidsCV
    >>> X, y = load_iris(return_X_y=True)
    >>> model = ShrunkenCentroidsCV([10.0, 5.0, 1.0], rule="one_se").fit(X, y)
    >>> model.threshold_, model.selected_.tolist()
    (1.0, [0, 1, 2, 3])
    """

    _constraints = {
        "thresholds": ["array-like", None],
        "n_thresholds": [Int(1, None)],
        "priors": [Options("uniform", "empirical"), "array-like"],
        "cv": ["cv"],
        "rule": [Options("min", "one_se")],
    }
    _search_space = SearchSpace("shrunken centroids", fixed={"cv": 5})

    def __init__(self, thresholds=None, *, n_thresholds=30, priors="empirical", cv=None, rule="min"):
        self.thresholds = thresholds
        self.n_thresholds = n_thresholds
        self.priors = priors
        self.cv = cv
        self.rule = rule

    def fit(self, X, y, sample_weight=None):
        """Choose the threshold and compute the centroids.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Class labels, with at least two classes.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            A weight of k is equivalent to k copies of the row, in the centroids and in the error rates.

        Returns
        -------
        self
        """
        check_params(self)
        X, y = validate_data(self, X, y, accept_sparse="csr", dtype=FLOATS)
        weights = check_weights(sample_weight, X)
        present = np.ones(len(y), dtype=bool) if weights is None else weights > 0
        self.classes_, _ = encode_classes(y[present], owner=type(self).__name__)
        codes = np.searchsorted(self.classes_, y)
        rows = np.flatnonzero(present)
        w = None if weights is None else weights[rows]
        centroids = Centroids.from_rows(X[rows], codes[rows], w, len(self.classes_))
        grid = default_thresholds(centroids, self.n_thresholds) if self.thresholds is None else _given(self.thresholds)
        self.class_prior_ = class_priors(self.priors, centroids.counts)
        self.cv_curve_ = self._curve(X, y, codes, weights, grid)
        self.threshold_ = float(grid[self.cv_curve_.chosen(self.rule)])
        self.scale_ = centroids.scale
        self.deviations_ = centroids.shrunken(self.threshold_)
        self.centroids_ = centroids.common + centroids.size[:, None] * centroids.scale * self.deviations_
        self.selected_ = np.flatnonzero(np.any(self.deviations_ != 0, axis=0))
        return self

    def _curve(self, X, y, codes, weights, grid):
        from sklearn.model_selection import check_cv

        losses, sizes = [], []
        w = np.ones(len(y)) if weights is None else weights
        for train, test in weighty_folds(check_cv(self.cv, y, classifier=True).split(X, y), w, skip_tests=True):
            train, test = train[w[train] > 0], test[w[test] > 0]
            present, fold_codes = np.unique(codes[train], return_inverse=True)
            fold = Centroids.from_rows(X[train], fold_codes, None if weights is None else w[train], len(present))
            with np.errstate(divide="ignore"):
                prior = np.log(
                    fold.counts
                    if isinstance(self.priors, str) and self.priors == "empirical"
                    else self.class_prior_[present]
                )
            scores = fold.scores(X[test], grid, prior)
            wrong = present[np.argmax(scores, axis=2)] != codes[test]
            losses.append(wrong @ w[test] / w[test].sum())
            sizes.append(w[test].sum())
        return CVCurve(grid, np.array(losses).T, np.array(sizes), name="threshold")

    def _scores(self, X):
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", dtype=FLOATS, reset=False)
        # Around the mean of the centroids the numbers are small: far from the origin a bare product would cancel.
        origin = self.centroids_.mean(axis=0)
        centres = (self.centroids_ - origin) / self.scale_
        weights = (centres / self.scale_).T
        cross = X @ weights - origin @ weights if sparse.issparse(X) else (X - origin) @ weights
        with np.errstate(divide="ignore"):
            return cross - 0.5 * np.sum(centres**2, axis=1) + np.log(self.class_prior_)

    def predict(self, X):
        """The class of each row.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        scores = self._scores(X)
        return self.classes_[np.argmax(scores, axis=1)]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
