"""Gaussian naive Bayes."""

import numpy as np
from sklearn.utils.validation import check_is_fitted

from statlearn._core import native
from statlearn._core.params import Real, check_params
from statlearn._core.search import SearchSpace
from statlearn._core.summary import Summary, Table
from statlearn._core.validation import FLOATS, require_finite, validate_data
from statlearn._math.rows.site_statistics import SiteStatistics, StatisticsMixin, column_names

from ._base import NO_Y, BayesFactorMixin, log_quietly
from ._category_block import FrameNB
from ._moments import ClassMoments
from ._nb_summary import LOG_ODDS_NOTE, class_table, log_odds_table

# The variance of a constant column is 0: a point mass, whose density we write as that of this variance.
_LEAST_VARIANCE = np.finfo(np.float64).tiny * 1e8


class GaussianNB(StatisticsMixin, BayesFactorMixin, FrameNB):
    r"""Gaussian naive Bayes: independent normal columns within each class, and categories by their frequencies.

    A row is assigned to the class with the largest

    .. math:: \log \pi_c + \sum_j \Bigl(-\tfrac12 \log(2\pi\sigma_{cj}^2)
              - \frac{(x_j - \mu_{cj})^2}{2\sigma_{cj}^2}\Bigr)

    with the weighted mean and variance (divisor :math:`N_c`) of each column within each class. A column of text or
    categories of a data frame adds the logarithm of the smoothed frequency of its level within the class,

    .. math:: \log \frac{N_{cj}(x_j) + \alpha}{N_{cj} + S_j \alpha}

    where :math:`N_{cj}(k)` is the weight of the rows of class c with level k in column j, :math:`N_{cj}` their sum over
    the levels, and :math:`S_j` the number of levels. Missing values are ignored in training and prediction.

    Parameters
    ----------
    priors : array-like of shape (n_classes,) or None, default=None
        Prior probabilities of the classes. If None, the relative frequencies.
    var_smoothing : float, default=1e-9
        This share of the largest variance of all columns is added to all variances; 0 gives the plain estimates.
    smooth_prior : float, default=0.0
        Pseudo-count of each class in the relative frequencies.
    alpha : float, default=1.0
        Pseudo-count of every level of a category column; columns of numbers do not use it. 0 gives the plain
        frequencies, with which a single level can exclude a class.
    categorical_features : array-like or None, default=None
        Numeric columns to treat as categories, by index, name or mask. Not supported for sparse matrices.

    Attributes
    ----------
    class_count_ : ndarray of shape (n_classes,)
        Total weight of the rows of each class.
    class_prior_ : ndarray of shape (n_classes,)
    classes_ : ndarray of shape (n_classes,)
    epsilon_ : float
        The value added to the variances.
    theta_ : ndarray of shape (n_classes, n_numbers)
        Means of the columns of numbers.
    var_ : ndarray of shape (n_classes, n_numbers)
        Variances, with `epsilon_` added.
    feature_count_ : ndarray of shape (n_classes, n_numbers)
        Total weight of the values that are not missing.
    levels_ : list
        Per column, the levels of text or categories; None for numbers.
    category_count_ : list
        Per column, the weights of the levels by class, of shape (n_classes, n_levels); None for numbers.
    category_log_prob_ : list
        Per column, the log probabilities of the levels, of shape (n_classes, n_levels); None for numbers.
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

    In a pandas or polars data frame, columns of text, of a categorical data type or of other objects are categories.
    Booleans are the numbers 0 and 1, as in scikit-learn. Declared levels count even if they do not occur, and levels
    that first occur in a later batch of `partial_fit` are added. A level that did not occur in training has the
    probability :math:`\alpha / (N_{cj} + (S_j + 1) \alpha)` in class c, and no factor if `alpha` is 0.

    R's ``e1071::naiveBayes`` is the same model with the divisor :math:`N_c - 1` in the variances, without
    `var_smoothing` and with ``laplace=0`` by default.

    Without categories, the classifier equals quadratic discriminant analysis with diagonal covariance matrices. If
    columns depend on each other, evidence is counted repeatedly and the probabilities are too close to 0 and 1; the
    order of the rows may still be good. A column that is constant within a class has a variance of 0 (apart from
    smoothing), so that any other value excludes the class.

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

    Numbers and categories of a data frame:

    >>> import pandas as pd
    >>> X = pd.DataFrame({"height": [1.6, 1.7, 1.8, 1.9], "sport": ["judo", "judo", "rowing", None]})
    >>> model = GaussianNB().fit(X, [0, 0, 1, 1])
    >>> model.levels_, model.category_count_[1].tolist()
    ([None, ['judo', 'rowing']], [[2.0, 0.0], [0.0, 1.0]])
    >>> model.predict_proba(pd.DataFrame({"height": [1.75], "sport": ["rowing"]})).round(3).tolist()
    [[0.273, 0.727]]
    """

    _constraints = {
        "priors": ["array-like", None],
        "var_smoothing": [Real(0, None)],
        "smooth_prior": [Real(0, None)],
        "alpha": [Real(0, None)],
        "categorical_features": ["array-like", None],
    }
    _search_space = SearchSpace("naive Bayes, Gaussian", grid={"var_smoothing": [0.1, 0.01, 1e-9]})

    def __init__(self, *, priors=None, var_smoothing=1e-9, smooth_prior=0.0, alpha=1.0, categorical_features=None):
        self.priors = priors
        self.var_smoothing = var_smoothing
        self.smooth_prior = smooth_prior
        self.alpha = alpha
        self.categorical_features = categorical_features

    def fit(self, X, y, sample_weight=None):
        """Fit the means and variances of numbers, and the frequencies of categories.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            Columns of numbers, and in a data frame also of text or categories; NaN or None marks missing values.
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
        X : array-like or data frame of shape (n_samples, n_features)
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

    def summary(self, n_terms=5):
        """Class priors, means and standard deviations of the numbers, and the categories typical of each class.

        Parameters
        ----------
        n_terms : int, default=5
            Maximum number of categories per class: those with the largest log odds.

        Returns
        -------
        Summary
        """
        check_is_fitted(self)
        names, classes = self._number_names(), [str(c) for c in self.classes_]
        missing = len(names) * self.class_count_ - self.feature_count_.sum(axis=1) + self._missing_categories()
        table = class_table(self.classes_, self.class_count_, self.class_prior_, missing)
        # Where a class has no value of a column, there is nothing to show.
        seen = self.feature_count_ > 0
        means, spreads = np.where(seen, self.theta_, np.nan), np.where(seen, np.sqrt(self.var_), np.nan)
        tables = [
            Table(list(names), dict(zip(classes, values)), caption, tuple(classes))
            for caption, values in (("Means", means), ("Standard deviations", spreads))
            if names
        ]
        terms = self._category_table(n_terms)
        return Summary("Gaussian naive Bayes", table, {"epsilon": self.epsilon_} if names else {},
                       {"epsilon": "Added to the variances"}, [*tables, *terms],
                       [LOG_ODDS_NOTE] if terms else [])  # fmt: skip

    def _category_table(self, n_terms):
        block = self._block
        if block is None:
            return []
        shares = np.exp(block.logs())
        return log_odds_table(self.classes_, self.class_prior_, self._level_terms(), shares, block.counts(), n_terms)

    _statistics_kind = "moments"

    def _site_statistics(self, X, y, sample_weight):
        n_rows = self._summed(X, y, sample_weight)
        arrays = {
            "class_weight": self.class_count_,
            "counts": self.feature_count_,
            "means": np.where(self.feature_count_ > 0, self._mean, 0.0),
            "squares": self._scatter,
        }
        return SiteStatistics(
            "moments",
            arrays,
            n_features=self.n_features_in_,
            n_rows=n_rows,
            classes=self.classes_,
            columns=column_names(self),
        )

    def _fit_statistics(self, statistics):
        self._begin(statistics)
        a = statistics.arrays
        self.class_count_, self.feature_count_ = a["class_weight"].astype(np.float64), a["counts"].astype(np.float64)
        self._mean, self._scatter = a["means"].astype(np.float64), a["squares"].astype(np.float64)
        self._solve()

    def _read_numbers(self, X, y=NO_Y, *, reset):
        options = {"dtype": FLOATS, "ensure_all_finite": "allow-nan", "reset": reset}
        if y is NO_Y:
            return validate_data(self, X, **options)
        X, y = validate_data(self, X, y, **options)
        return X, self._read_y(y)

    def _checked_numbers(self, X):
        return X

    def _check_alpha(self):
        return np.asarray(self.alpha, dtype=np.float64)

    def _clear_numbers(self, p):
        shape = (len(self.classes_), p)
        self.class_count_ = np.zeros(shape[0])
        self.feature_count_, self._mean, self._scatter = np.zeros(shape), np.zeros(shape), np.zeros(shape)

    def _add_numbers(self, X, labels, weights):
        k = len(self.classes_)
        block = ClassMoments.from_block(X, labels, weights, n_classes=k)
        both = ClassMoments(self.feature_count_, self._mean, self._scatter).merge(block)
        self.feature_count_, self._mean, self._scatter = both.count, both.mean, both.scatter
        self.class_count_ = self.class_count_ + np.bincount(labels, weights, minlength=k)

    def _solve_numbers(self, alpha):
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
        constant = (self.var_ < _LEAST_VARIANCE) & (moments.count > 0)
        self._warn_constant(self._at_numbers(constant))
        return False

    def _parameters(self):
        """Means, half precisions and constants; columns without values have no factor."""
        used = self.feature_count_ > 0
        safe = np.where(used, np.maximum(self.var_, _LEAST_VARIANCE), 1.0)
        half = np.where(used, 0.5 / safe, 0.0)
        constant = np.where(used, -0.5 * np.log(2 * np.pi * safe), 0.0)
        return np.ascontiguousarray(self.theta_), half, constant

    def _joint_of_numbers(self, X):
        out = np.empty((X.shape[0], len(self.classes_)))
        native.bayes.gaussian_scores(X, *self._parameters(), log_quietly(self.class_prior_), out)
        return out

    def _feature_logs_of_numbers(self, X, c):
        mean, half, constant = (a[c] for a in self._parameters())
        return np.nan_to_num(constant - half * (X.astype(np.float64) - mean) ** 2, nan=0.0, neginf=-np.inf)

    def _log_prior(self):
        return log_quietly(self.class_prior_)
