"""Baseline models that ignore the features."""

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from statlearn._core.params import Options, check_params
from statlearn._core.search import SearchSpace
from statlearn._core.validation import FLOATS, check_weights, encode_classes, validate_data
from statlearn._math.linalg.quantiles import weighted_quantile


class BaselineRegressor(RegressorMixin, BaseEstimator):
    """Baseline regressor: the mean or median of the target.

    The mean minimises the squared error over constants, the median the absolute error. A model that does not beat this
    baseline has learned nothing.

    Parameters
    ----------
    statistic : {"mean", "median"}, default="mean"
        Constant to predict.

    Attributes
    ----------
    constant_ : float
        Prediction for every row.
    n_features_in_ : int
    feature_names_in_ : ndarray of str, where X has names

    Examples
    --------
    >>> from statlearn.assess import BaselineRegressor
    >>> BaselineRegressor("median").fit([[0], [1], [2]], [1.0, 2.0, 9.0]).predict([[5], [6]])
    array([2., 2.])
    """

    _constraints = {"statistic": [Options("mean", "median")]}
    _search_space = SearchSpace("mean of the target")

    def __init__(self, statistic="mean"):
        self.statistic = statistic

    def fit(self, X, y, sample_weight=None):
        """Compute the constant.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Only its shape and column names are used.
        y : array-like of shape (n_samples,)
        sample_weight : float or array-like of shape (n_samples,) or None, default=None

        Returns
        -------
        self : BaselineRegressor
        """
        check_params(self)
        X, y = validate_data(self, X, y, accept_sparse=True, y_numeric=True, dtype=FLOATS)
        weights = check_weights(sample_weight, X)
        y = np.asarray(y, np.float64)
        if self.statistic == "mean":
            self.constant_ = float(np.average(y, weights=weights))
        else:
            self.constant_ = weighted_quantile(y, weights, 0.5, midpoint=True)
        return self

    def predict(self, X):
        """The constant for every row.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse=True, dtype=FLOATS, reset=False)
        return np.full(X.shape[0], self.constant_)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.regressor_tags.poor_score = True
        return tags


class BaselineClassifier(ClassifierMixin, BaseEstimator):
    """Baseline classifier: class frequencies or equal probabilities.

    The frequencies minimise the log loss over constant probabilities; the most frequent class (the first among ties)
    minimises the misclassification rate.

    Parameters
    ----------
    strategy : {"prior", "uniform"}, default="prior"
        Class frequencies, or equal probabilities for all classes.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    class_prior_ : ndarray of shape (n_classes,)
        Predicted probabilities for every row.
    n_features_in_ : int
    feature_names_in_ : ndarray of str, where X has names

    Examples
    --------
    >>> from statlearn.assess import BaselineClassifier
    >>> model = BaselineClassifier().fit([[0], [1], [2], [3]], ["no", "yes", "no", "no"])
    >>> model.predict([[7]]), model.predict_proba([[7]])
    (array(['no'], dtype='<U3'), array([[0.75, 0.25]]))
    """

    _constraints = {"strategy": [Options("prior", "uniform")]}
    _search_space = SearchSpace("class frequencies")

    def __init__(self, strategy="prior"):
        self.strategy = strategy

    def fit(self, X, y, sample_weight=None):
        """Compute the class frequencies.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Only its shape and column names are used.
        y : array-like of shape (n_samples,)
        sample_weight : float or array-like of shape (n_samples,) or None, default=None

        Returns
        -------
        self : BaselineClassifier
        """
        check_params(self)
        X, y = validate_data(self, X, y, accept_sparse=True, dtype=FLOATS)
        self.classes_, codes = encode_classes(y, owner="BaselineClassifier")
        weights = check_weights(sample_weight, X)
        total = np.bincount(codes, weights=weights, minlength=len(self.classes_))
        present = np.ones(len(total)) if self.strategy == "uniform" else total
        self.class_prior_ = present / present.sum()
        return self

    def predict_proba(self, X):
        """Class probabilities for every row.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse=True, dtype=FLOATS, reset=False)
        return np.tile(self.class_prior_, (X.shape[0], 1))

    def predict(self, X):
        """Most frequent class for every row.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        chances = self.predict_proba(X)
        return self.classes_[chances.argmax(axis=1)]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.classifier_tags.poor_score = True
        return tags
