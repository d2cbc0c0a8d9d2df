"""Diagonal discriminants: Gaussian classes whose columns are independent."""

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from statlearn._core.class_scores import class_priors
from statlearn._core.names import input_names
from statlearn._core.params import Options, check_params
from statlearn._core.search import SearchSpace
from statlearn._core.summary import Summary, Table, as_counts
from statlearn._core.validation import require_finite
from statlearn._core.warnings import RankWarning, warn

from ._base import DiscriminantClassifier, check_training
from ._sphering import separator_words


def class_variances(X, codes, weights, n_classes):
    """Weights, means and sums of squared deviations of each class, column by column, in double precision."""
    p = X.shape[1]
    counts, means, squares = np.zeros(n_classes), np.zeros((n_classes, p)), np.zeros((n_classes, p))
    with np.errstate(over="ignore", invalid="ignore"):
        for k in range(n_classes):
            rows = np.flatnonzero(codes == k)
            if not len(rows):
                continue
            block = X[rows].astype(np.float64)
            w = np.ones(len(rows)) if weights is None else weights[rows].astype(np.float64)
            counts[k] = w.sum()
            means[k] = w @ block / counts[k]
            block -= means[k]
            squares[k] = w @ block**2
    return counts, means, squares


class _Diagonal(DiscriminantClassifier, ClassifierMixin, BaseEstimator):
    """Fit shared by the diagonal models; `_variances` divides the sums of squares."""

    def fit(self, X, y, sample_weight=None):
        """Fit the diagonal model.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,) or None, default=None
            A weight of k is equivalent to k copies of the row, a weight of 0 to its absence.

        Returns
        -------
        self
        """
        check_params(self)
        X, classes, codes, weights = check_training(self, X, y, sample_weight)
        counts, means, squares = class_variances(X, codes, weights, len(classes))
        require_finite(means, squares)
        if counts.sum() <= len(classes):
            raise ValueError("The number of samples must be more than the number of classes.")
        self.classes_, self.class_count_ = classes, counts
        self.priors_ = class_priors(self.priors, counts)
        variances = self._variances(counts, squares, classes)
        size = (counts @ (means**2) + squares.sum(axis=0)) / counts.sum()
        small = 1e-14 * np.maximum(size, np.finfo(float).tiny)
        pooled = squares.sum(axis=0) / (counts.sum() - len(classes))
        zero = pooled <= small  # constant within every class
        if zero.all():
            raise ValueError("All columns of X are constant within the classes, so no variances can be estimated.")
        separators = np.flatnonzero(zero & (np.ptp(means, axis=0) ** 2 > 1e4 * small))
        self._warn_of_constants(zero, "within the classes, so they are ignored", separators)
        if variances.ndim == 2:
            flat = (variances <= small) & ~zero
            self._warn_of_constants(
                flat.any(axis=0), "within a class; their variances there are replaced by the pooled ones"
            )
            variances = np.where(flat, pooled, variances)
        variances = np.where(zero, 0.0, variances)
        precision = np.divide(1.0, variances, out=np.zeros_like(variances), where=variances > 0)
        log_det = np.log(np.where(variances > 0, variances, 1.0)).sum(axis=-1)
        self.means_, self.var_ = means.astype(X.dtype), variances.astype(X.dtype)
        self._precision, self._log_det = precision.astype(X.dtype), np.asarray(log_det, dtype=X.dtype)
        return self

    def summary(self):
        """Class sizes and priors, and means and standard deviations of the columns.

        Returns
        -------
        Summary
            The standard deviations are pooled over the classes for :class:`DiagonalLDA`.
        """
        check_is_fitted(self)
        names, classes = list(input_names(self)), [str(c) for c in self.classes_]
        spreads = np.sqrt(self.var_.astype(np.float64))
        by_class = dict(zip(classes, spreads)) if spreads.ndim == 2 else {"pooled": spreads}
        tables = [
            Table(names, dict(zip(classes, self.means_.astype(np.float64))), "Means", tuple(classes)),
            Table(names, by_class, "Standard deviations", tuple(by_class)),
        ]
        columns = {"n": as_counts(self.class_count_), "prior": self.priors_.astype(np.float64)}
        return Summary(self._title, Table(classes, columns), tables=tables)

    def _warn_of_constants(self, which, words, separators=()):
        if which.any():
            names = [str(input_names(self)[j]) for j in np.flatnonzero(which)[:5]]
            more = ", ..." if which.sum() > 5 else ""
            warn(
                f"{type(self).__name__}: these columns are constant {words}: {', '.join(names)}{more}. Remove them if "
                "they carry no information." + separator_words(self, separators),
                RankWarning,
            )

    def _likelihood_scores(self, X):
        scores = np.empty((len(X), len(self.classes_)), dtype=X.dtype)
        per_class = np.broadcast_to(self._precision, self.means_.shape)
        log_dets = np.broadcast_to(self._log_det, len(self.classes_))
        block = max(256, 2**20 // X.shape[1])
        for start in range(0, len(X), block):
            rows = slice(start, start + block)
            for k in range(len(self.classes_)):
                scores[rows, k] = -0.5 * ((X[rows] - self.means_[k]) ** 2 @ per_class[k] + log_dets[k])
        return scores


class DiagonalLDA(_Diagonal):
    r"""Diagonal linear discriminant analysis, the independence rule.

    Gaussian classes with a common diagonal covariance. A row goes to the class with the largest

    .. math:: \delta_k(x) = -\sum_j \frac{(x_j - \bar x_{jk})^2}{s_j^2} + 2 \log \pi_k

    with the pooled within-class variances s_j². `decision_function` returns half of it, the log posterior up to a term
    that is common to all classes.

    Parameters
    ----------
    priors : array-like of shape (n_classes,) or None, default=None
        Class priors. None for the class proportions of the training data.
    cov_divisor : {"n-k", "n"}, default="n-k"
        Divisor of the pooled variances.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    priors_ : ndarray of shape (n_classes,)
    means_ : ndarray of shape (n_classes, n_features)
    var_ : ndarray of shape (n_features,)
        Pooled within-class variances.
    class_count_ : ndarray of shape (n_classes,)
    n_features_in_ : int
    feature_names_in_ : ndarray of str

    Notes
    -----
    Cost O(n p). Suits many columns and few rows, such as genes, where full covariances cannot be estimated. Columns
    that are constant within the classes are ignored, with a warning. See `statlearn.neighbors.ShrunkenCentroidsCV` for
    a version that selects columns.

    References
    ----------
    Bickel & Levina (2004), Some theory for Fisher's linear discriminant function, "naive Bayes", Bernoulli 10.
    Dudoit, Fridlyand & Speed (2002), Comparison of discrimination methods for the classification of tumors, JASA 97.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from statlearn.discriminant import DiagonalLDA
    >>> X, y = load_iris(return_X_y=True)
    >>> round(DiagonalLDA().fit(X, y).score(X, y), 2)
    0.96
    """

    _title = "Diagonal linear discriminant analysis"
    _search_space = SearchSpace("diagonal linear discriminant")
    _constraints = {"priors": ["array-like", None], "cov_divisor": [Options("n-k", "n")]}

    def __init__(self, *, priors=None, cov_divisor="n-k"):
        self.priors = priors
        self.cov_divisor = cov_divisor

    def _variances(self, counts, squares, classes):
        return squares.sum(axis=0) / (counts.sum() - (len(classes) if self.cov_divisor == "n-k" else 0))


class DiagonalQDA(_Diagonal):
    r"""Diagonal quadratic discriminant analysis: independent Gaussian columns with separate variances in each class.

    .. math:: \delta_k(x) = -\tfrac12 \sum_j \Big[\log s_{jk}^2 + \frac{(x_j - \bar x_{jk})^2}{s_{jk}^2}\Big]
        + \log \pi_k

    Parameters
    ----------
    priors : array-like of shape (n_classes,) or None, default=None
        Class priors. None for the class proportions of the training data.
    cov_divisor : {"nk-1", "nk"}, default="nk-1"
        Divisor of the variances.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    priors_ : ndarray of shape (n_classes,)
    means_ : ndarray of shape (n_classes, n_features)
    var_ : ndarray of shape (n_classes, n_features)
    class_count_ : ndarray of shape (n_classes,)
    n_features_in_ : int
    feature_names_in_ : ndarray of str

    Notes
    -----
    The same rule as Gaussian naive Bayes with unbiased variances and without smoothing. The variance of a
    column that is constant within a class is replaced by the pooled one, with a warning; columns that are constant
    within all classes are ignored. Every class needs at least two rows.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from statlearn.discriminant import DiagonalQDA
    >>> X, y = load_iris(return_X_y=True)
    >>> round(DiagonalQDA().fit(X, y).score(X, y), 2)
    0.96
    """

    _title = "Diagonal quadratic discriminant analysis"
    _search_space = SearchSpace("diagonal quadratic discriminant")
    _constraints = {"priors": ["array-like", None], "cov_divisor": [Options("nk-1", "nk")]}

    def __init__(self, *, priors=None, cov_divisor="nk-1"):
        self.priors = priors
        self.cov_divisor = cov_divisor

    def _variances(self, counts, squares, classes):
        left = counts - (1.0 if self.cov_divisor == "nk-1" else 0.0)
        for label, count in zip(classes, counts):
            if count <= 1:
                raise ValueError(
                    f"y has only 1 sample in class {label}; its variances are not defined. Remove the class, or use "
                    "DiagonalLDA."
                )
        return squares / left[:, None]
