"""Nearest centroid classification, plain or with centroids shrunken towards the overall mean."""

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from statlearn._core.class_scores import ClassScores, class_priors
from statlearn._core.params import Options, Real, check_params
from statlearn._core.search import SearchSpace
from statlearn._core.validation import check_weights, encode_classes, validate_data
from statlearn._core.warnings import warn
from statlearn._math.linalg.products import doubled_blocks
from statlearn._math.linalg.quantiles import weighted_quantile
from statlearn._math.linalg.sparse_arrays import to_dense


def _medians(X, weights):
    """Weighted median of each column; a weight of k is equivalent to k copies."""
    if weights is None and not sparse.issparse(X):
        return np.median(X, axis=0)
    out = np.empty(X.shape[1])
    for start in range(0, X.shape[1], 256):  # a block of columns at a time, as a sparse table may be wide
        block = X[:, start : start + 256]
        block = to_dense(block)
        for j, column in enumerate(block.T):
            out[start + j] = weighted_quantile(column, weights, 0.5, midpoint=True)
    return out


def class_moments(X, codes, weights, n_classes, centre="mean"):
    """Weight of each class, its centroids, and the pooled sum of squared deviations from them by column."""
    w = np.ones(X.shape[0]) if weights is None else weights.astype(np.float64)
    counts = np.bincount(codes, weights=w, minlength=n_classes)
    sums = np.zeros((n_classes, X.shape[1]))
    for rows, block in [(slice(None), X)] if sparse.issparse(X) else doubled_blocks(X):
        places = codes[rows], np.arange(block.shape[0])
        products = sparse.csr_array((w[rows], places), shape=(n_classes, block.shape[0])) @ block
        sums += to_dense(products)
    centroids = sums / counts[:, None]
    if centre == "median":
        for k in range(n_classes):
            rows = np.flatnonzero(codes == k)
            centroids[k] = _medians(X[rows], None if weights is None else weights[rows])
    if sparse.issparse(X):  # sum of squares without filling the zeros
        squares = w @ X.power(2)
        spread = squares - np.sum(2 * centroids * sums - counts[:, None] * centroids**2, axis=0)
        return counts, centroids, np.maximum(spread, 0.0)
    spread = np.zeros(X.shape[1])
    for rows, block in doubled_blocks(X):
        spread += w[rows] @ (block - centroids[codes[rows]]) ** 2
    return counts, centroids, spread


def keep_weighted(X, y, sample_weight):
    """Rows with a positive weight."""
    weights = check_weights(sample_weight, X)
    if weights is None or np.all(weights > 0):
        return X, y, weights
    rows = np.flatnonzero(weights)
    return X[rows], y[rows], weights[rows]


def _distances(X, centroids, metric):
    """Distances of rows to centroids, Euclidean or Manhattan, without the cancellation of an expanded square."""
    out = np.empty((X.shape[0], len(centroids)))
    for start in range(0, X.shape[0], 4096):
        block = X[start : start + 4096]
        block = to_dense(block)
        for k, centroid in enumerate(centroids):
            gap = np.abs(block - centroid)
            rows = slice(start, start + len(block))
            out[rows, k] = gap.sum(axis=1) if metric == "manhattan" else np.sqrt(np.einsum("ij,ij->i", gap, gap))
    return out


class NearestCentroid(ClassScores, ClassifierMixin, BaseEstimator):
    r"""Nearest centroid classification.

    With equal priors a row is assigned to the class with the nearest centroid in `metric`. With other priors, and in
    ``decision_function`` and ``predict_proba``, columns are divided by their pooled standard deviation s_j, and the
    class with the largest

    .. math:: \delta_k(x) = -\sum_j \frac{(x_j - c_{kj})^2}{s_j^2} + 2 \log \pi_k

    is predicted.

    Parameters
    ----------
    metric : {"euclidean", "manhattan"}, default="euclidean"
        Centroids are means for "euclidean" and columnwise medians for "manhattan".
    shrink_threshold : float or None, default=None
        Soft threshold for the standardised deviations of the centroids from the overall mean. Columns whose deviations
        all become zero no longer affect the prediction. None does not shrink.
    priors : {"uniform", "empirical"} or array-like of shape (n_classes,), default="uniform"
        Probabilities of the classes.

    Attributes
    ----------
    centroids_ : ndarray of shape (n_classes, n_features)
        Class centroids after shrinking.
    classes_ : ndarray of shape (n_classes,)
    class_prior_ : ndarray of shape (n_classes,)
    deviations_ : ndarray of shape (n_classes, n_features)
        Standardised deviations of the class centroids from the overall centroid, after shrinking.
    within_class_std_dev_ : ndarray of shape (n_features,)
        Pooled standard deviation of each column, with divisor n - n_classes.
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Defined only if X has column names that are all strings.

    See Also
    --------
    ShrunkenCentroidsCV : consistent scores, with the threshold chosen by cross-validation.

    Notes
    -----
    Scale the columns. With equal priors the raw distances decide, whereas the probabilities are computed from
    standardised ones (scikit-learn's convention), so the two may disagree. Deviations are standardised by
    :math:`m_k (s_j + s_0)` with :math:`m_k = \sqrt{1/n_k - 1/n}` and s_0 the median of the s_j.

    References
    ----------
    Tibshirani, R., Hastie, T., Narasimhan, B. & Chu, G. (2002). Diagnosis of multiple cancer types by shrunken
    centroids of gene expression. PNAS 99, 6567-6572.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.neighbors import NearestCentroid
    >>> X = np.array([[-1, -1], [-2, -1], [-3, -2], [1, 1], [2, 1], [3, 2]])
    >>> NearestCentroid().fit(X, [1, 1, 1, 2, 2, 2]).predict([[-0.8, -1]])
    array([1])
    """

    _constraints = {
        "metric": [Options("euclidean", "manhattan")],
        "shrink_threshold": [Real(0, None, closed="neither"), None],
        "priors": [Options("uniform", "empirical"), "array-like"],
    }
    _search_space = SearchSpace("nearest centroid", fixed={"priors": "empirical"})

    def __init__(self, metric="euclidean", *, shrink_threshold=None, priors="uniform"):
        self.metric = metric
        self.shrink_threshold = shrink_threshold
        self.priors = priors

    def fit(self, X, y, sample_weight=None):
        """Compute the centroids.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Class labels, with at least two classes.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            A weight of k is equivalent to k copies of the row.

        Returns
        -------
        self
        """
        check_params(self)
        X, y = validate_data(self, X, y, accept_sparse="csr", dtype=(np.float64, np.float32))
        X, y, weights = keep_weighted(X, y, sample_weight)
        self.classes_, codes = encode_classes(y, minimum=1)
        n_classes = len(self.classes_)
        if n_classes < 2:
            raise ValueError(f"The number of classes has to be greater than one; got {n_classes} class.")
        self._metric = self.metric
        centre = "median" if self.metric == "manhattan" else "mean"
        counts, centroids, spread = class_moments(X, codes, weights, n_classes, centre)
        self.class_prior_ = class_priors(self.priors, counts)
        total = counts.sum()
        self.within_class_std_dev_ = (
            np.sqrt(spread / (total - n_classes)) if total > n_classes else np.zeros_like(spread)
        )
        common = class_moments(X, np.zeros_like(codes), weights, 1)[1][0]
        self._check_spread(X)
        scale = self.within_class_std_dev_ + np.median(self.within_class_std_dev_)
        unit = np.sqrt(1.0 / counts - 1.0 / total)[:, None] * scale
        gap = centroids - common
        # A column without any spread inside the classes has no scale: its deviation is infinite, or 0 where it is 0.
        self.deviations_ = np.divide(gap, unit, out=np.where(gap == 0, 0.0, np.sign(gap) * np.inf), where=unit > 0)
        if self.shrink_threshold:
            size = np.maximum(np.abs(self.deviations_) - self.shrink_threshold, 0.0)
            self.deviations_ = np.sign(self.deviations_) * size
            with np.errstate(invalid="ignore"):
                centroids = np.where(unit > 0, common + unit * self.deviations_, centroids)
        self.centroids_ = centroids
        return self

    def _check_spread(self, X):
        span = X.max(axis=0) - X.min(axis=0)
        if not np.any(to_dense(span)):
            raise ValueError("All features have zero variance. Division by zero.")
        if np.any(self.within_class_std_dev_ == 0):
            warn(
                "self.within_class_std_dev_ has at least 1 zero standard deviation. "
                "Inputs within the same classes for at least 1 feature are identical."
            )

    def _scores(self, X):
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False)
        scale = np.where(self.within_class_std_dev_ > 0, self.within_class_std_dev_, 1.0)
        X = X @ sparse.diags_array(1.0 / scale) if sparse.issparse(X) else X / scale
        with np.errstate(divide="ignore"):
            return 2.0 * np.log(self.class_prior_) - _distances(X, self.centroids_ / scale, self._metric) ** 2

    def predict(self, X):
        """The class of each row.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        check_is_fitted(self)
        if not np.allclose(self.class_prior_, 1.0 / len(self.classes_)):
            return self.classes_[np.argmax(self._scores(X), axis=1)]
        X = validate_data(self, X, accept_sparse="csr", dtype=(np.float64, np.float32), reset=False)
        return self.classes_[np.argmin(_distances(X, self.centroids_, self._metric), axis=1)]

    def _is_euclidean(self):
        return getattr(self, "_metric", self.metric) == "euclidean"

    decision_function = available_if(_is_euclidean)(ClassScores.decision_function)
    predict_proba = available_if(_is_euclidean)(ClassScores.predict_proba)
    predict_log_proba = available_if(_is_euclidean)(ClassScores.predict_log_proba)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
