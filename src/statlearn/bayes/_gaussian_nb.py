"""Gaussian naive Bayes."""

import numpy as np
from sklearn.utils.validation import check_is_fitted

from statlearn._core import native
from statlearn._core.names import input_names
from statlearn._core.params import Real, check_params
from statlearn._core.search import SearchSpace
from statlearn._core.summary import Summary, Table
from statlearn._core.validation import FLOATS, require_finite, validate_data

from ._base import NO_Y, BaseNB, BayesFactorMixin, log_quietly
from ._moments import ClassMoments
from ._nb_summary import class_table


class GaussianNB(BayesFactorMixin, BaseNB):
    r"""Gaussian naive Bayes: independent normal columns within each class.

    A row is assigned to the class with the largest

    .. math:: \log \pi_c + \sum_j \Bigl(-\tfrac12 \log(2\pi\sigma_{cj}^2)
              - \frac{(x_j - \mu_{cj})^2}{2\sigma_{cj}^2}\Bigr)

    with the weighted mean and variance (divisor :math:`N_c`) of each column within each class. Missing values (NaN) are
    ignored in training and prediction.

    Parameters
    ----------
    priors : array-like of shape (n_classes,) or None, default=None
        Prior probabilities of the classes. If None, the relative frequencies.
    var_smoothing : float, default=1e-9
        This share of the largest variance of all columns is added to all variances; 0 gives the plain estimates.
    smooth_prior : float, default=0.0
        Pseudo-count of each class in the relative frequencies.

    Attributes
    ----------
    class_count_ : ndarray of shape (n_classes,)
        Total weight of the rows of each class.
    class_prior_ : ndarray of shape (n_classes,)
    classes_ : ndarray of shape (n_classes,)
    epsilon_ : float
        The value added to the variances.
    theta_ : ndarray of shape (n_classes, n_features)
        Means.
    var_ : ndarray of shape (n_classes, n_features)
        Variances, with `epsilon_` added.
    feature_count_ : ndarray of shape (n_classes, n_features)
        Total weight of the values that are not missing.
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Defined only if X has column names that are all strings.

    See Also
    --------
    MixedNB : columns of different kinds, with any density.

    Notes
    -----
    The fit takes one pass over the data, and prediction one pass, each O(n p). Moments of batches are merged exactly,
    so `partial_fit` gives the same model as `fit`, up to rounding; in particular `epsilon_` belongs to all rows seen,
    whereas scikit-learn uses the last batch and ignores the weights.

    The classifier equals quadratic discriminant analysis with diagonal covariance matrices. If columns depend on each
    other, evidence is counted repeatedly and the probabilities are too close to 0 and 1; the order of the rows may
    still be good. A column that is constant within a class has a variance of 0 (apart from smoothing), so that any
    other value excludes the class.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from statlearn.bayes import GaussianNB
    >>> X, y = load_iris(return_X_y=True)
    >>> model = GaussianNB().fit(X, y)
    >>> model.theta_[0].round(3).tolist(), round(model.score(X, y), 3)
    ([5.006, 3.428, 1.462, 0.246], 0.96)
    >>> model.predict_proba([[5.9, float("nan"), 4.8, 1.6]]).round(3).tolist()
    [[0.0, 0.86, 0.14]]
    """

    _constraints = {
        "priors": ["array-like", None],
        "var_smoothing": [Real(0, None)],
        "smooth_prior": [Real(0, None)],
    }
    _search_space = SearchSpace("naive Bayes, Gaussian", 0.9, grid={"var_smoothing": [0.1, 0.01, 1e-9]})

    def __init__(self, *, priors=None, var_smoothing=1e-9, smooth_prior=0.0):
        self.priors = priors
        self.var_smoothing = var_smoothing
        self.smooth_prior = smooth_prior

    def fit(self, X, y, sample_weight=None):
        """Fit means and variances.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            NaN marks missing values.
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,) or None, default=None
            A weight of k is equivalent to k copies of the row.

        Returns
        -------
        self
        """
        check_params(self)
        return self._fit(X, y, sample_weight)

    def partial_fit(self, X, y, classes=None, sample_weight=None):
        """Add a batch of rows; the result equals one `fit` of all rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        classes : array-like of shape (n_classes,) or None, default=None
            All classes that will occur; required in the first call.
        sample_weight : array-like of shape (n_samples,) or None, default=None

        Returns
        -------
        self
        """
        check_params(self)
        return self._partial_fit(X, y, classes, sample_weight)

    def summary(self):
        """Class priors, and means and standard deviations of the columns within the classes.

        Returns
        -------
        Summary
        """
        check_is_fitted(self)
        names, classes = input_names(self), [str(c) for c in self.classes_]
        missing = self.n_features_in_ * self.class_count_ - self.feature_count_.sum(axis=1)
        table = class_table(self.classes_, self.class_count_, self.class_prior_, missing)
        # Where a class has no value of a column, there is nothing to show.
        seen = self.feature_count_ > 0
        means, spreads = np.where(seen, self.theta_, np.nan), np.where(seen, np.sqrt(self.var_), np.nan)
        tables = [
            Table(list(names), dict(zip(classes, values)), caption, tuple(classes))
            for caption, values in (("Means", means), ("Standard deviations", spreads))
        ]
        return Summary("Gaussian naive Bayes", table, {"epsilon": self.epsilon_},
                       {"epsilon": "Added to the variances"}, tables)  # fmt: skip

    def _read(self, X, y=NO_Y, *, reset):
        options = {"dtype": FLOATS, "ensure_all_finite": "allow-nan", "reset": reset}
        if y is NO_Y:
            return validate_data(self, X, **options)
        X, y = validate_data(self, X, y, **options)
        return X, self._read_y(y)

    def _clear(self):
        shape = (len(self.classes_), self.n_features_in_)
        self.class_count_ = np.zeros(shape[0])
        self.feature_count_, self._mean, self._scatter = np.zeros(shape), np.zeros(shape), np.zeros(shape)

    def _add(self, X, labels, weights):
        k = len(self.classes_)
        block = ClassMoments.from_block(X, labels, weights, n_classes=k)
        both = ClassMoments(self.feature_count_, self._mean, self._scatter).merge(block)
        self.feature_count_, self._mean, self._scatter = both.count, both.mean, both.scatter
        self.class_count_ = self.class_count_ + np.bincount(labels, weights, minlength=k)

    def _solve(self):
        moments = ClassMoments(self.feature_count_, self._mean, self._scatter)
        self.class_prior_ = self._prior_from_counts(self.priors)
        with np.errstate(over="ignore", invalid="ignore"):
            whole = moments.total()
            spread = whole.solve()
        largest = np.nanmax(spread, initial=0.0)
        self.epsilon_ = float(self.var_smoothing * largest)
        self.theta_ = np.where(moments.count > 0, moments.mean, 0.0)
        # A class without values of a column (an empty class of `partial_fit`, or all missing) has no factor.
        self.var_ = np.where(moments.count > 0, moments.solve(), 0.0) + self.epsilon_
        require_finite(self.theta_, self.var_)
        constant = (self.var_ == 0) & (moments.count > 0)
        self._warn_constant(constant)

    def _parameters(self):
        """Means, half precisions and constants; columns without values have no factor."""
        used = self.feature_count_ > 0
        positive = used & (self.var_ > 0)
        safe = np.where(positive, self.var_, 1.0)
        # The variance of a constant column is 0: a point mass, whose density we write as that of a tiny variance.
        tiny = np.finfo(np.float64).tiny * 1e8
        safe = np.where(used & (self.var_ == 0), tiny, safe)
        half = np.where(used, 0.5 / safe, 0.0)
        constant = np.where(used, -0.5 * np.log(2 * np.pi * safe), 0.0)
        return np.ascontiguousarray(self.theta_), half, constant

    def _joint_log_likelihood(self, X):
        out = np.empty((X.shape[0], len(self.classes_)))
        native.bayes.gaussian_scores(X, *self._parameters(), log_quietly(self.class_prior_), out)
        return out

    def _feature_log_likelihood(self, X, c):
        mean, half, constant = (a[c] for a in self._parameters())
        return np.nan_to_num(constant - half * (X.astype(np.float64) - mean) ** 2, nan=0.0, neginf=-np.inf)

    def _log_prior(self):
        return log_quietly(self.class_prior_)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags
