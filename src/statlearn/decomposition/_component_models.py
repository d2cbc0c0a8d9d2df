"""Regression and classification on the components of a decomposition."""

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from statlearn._core.params import Int, Options, Real, check_params
from statlearn._core.search import SearchSpace
from statlearn._core.validation import check_labels, refuse_one_class, validate_data
from statlearn.linear import LogisticRegression, Ridge

_METHODS = ("pca", "ica", "nmf", "factors")
_GRID = [2, 5, 10, 20]
_LABELS = {"pca": "principal components", "ica": "independent components", "nmf": "non-negative factors"}


def _spaces(methods, words, complexity):
    return tuple(
        SearchSpace(f"{_LABELS[method]} + {words}", grid={"n_components": _GRID}, fixed={"method": method})
        for method in methods
    )


class _ComponentModel(BaseEstimator):
    """Validation, decomposition and scores; a subclass fits its model to the scores."""

    _constraints: dict = {
        "method": [Options(*_METHODS)],
        "n_components": [Int(1, None)],
        "alpha": [Real(0, None)],
        "random_state": ["random_state"],
    }

    def __init__(self, method="pca", *, n_components=5, alpha=1e-3, random_state=None):
        self.method = method
        self.n_components = n_components
        self.alpha = alpha
        self.random_state = random_state

    def _decompose(self, X):
        """Fit the decomposition and return the scores, in standard deviations."""
        from . import NMF, PCA, FactorAnalysis, FastICA

        limit = min(len(X) - 1, X.shape[1])
        k = max(1, min(self.n_components, limit))
        self.low_, self.range_ = X.min(axis=0), np.ptp(X, axis=0)
        self.range_[self.range_ == 0] = 1.0
        self._rescaled = self.method == "nmf"
        methods = {
            "pca": lambda: PCA(k, random_state=self.random_state),
            "ica": lambda: FastICA(k, random_state=self.random_state, max_iter=500, tol=1e-3),
            "nmf": lambda: NMF(k, init="nndsvda", random_state=self.random_state, max_iter=500, tol=1e-3),
            "factors": lambda: FactorAnalysis(min(k, max(1, X.shape[1] - 1)), tol=1e-3),
        }
        self.decomposition_ = methods[self.method]()
        # The scores of `transform`, as at prediction: those that an iterative fit ends with differ a little.
        Z = self._prepared(X)
        scores = np.asarray(self.decomposition_.fit(Z).transform(Z), dtype=np.float64)
        self.scale_ = scores.std(axis=0)
        self.scale_[self.scale_ == 0] = 1.0
        self.n_components_ = scores.shape[1]
        return scores / self.scale_

    def _prepared(self, X):
        """Columns between 0 and 1 for non-negative factors; rows outside the training range are moved to its border."""
        return np.clip((X - self.low_) / self.range_, 0.0, 1.0) if self._rescaled else X

    def _scores(self, X):
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        return np.asarray(self.decomposition_.transform(self._prepared(X)), dtype=np.float64) / self.scale_


class ComponentRegressor(RegressorMixin, _ComponentModel):
    """Ridge regression on the components of a decomposition of X.

    The decomposition does not see y: few components make a model that is simple, but a direction of small variance may
    carry all of the signal. `statlearn.linear.PartialLeastSquares` takes y into account.

    Parameters
    ----------
    method : {"pca", "ica", "nmf", "factors"}, default="pca"
        Principal components, independent components, non-negative factors (of the columns scaled to between 0 and 1)
        or factor analysis.
    n_components : int, default=5
        Number of components, reduced to min(n_samples - 1, n_features) if it is larger.
    alpha : float, default=1e-3
        Ridge penalty on the coefficients of the standardised components.
    random_state : int, RandomState or None, default=None

    Attributes
    ----------
    decomposition_ : estimator
        The fitted decomposition.
    model_ : statlearn.linear.Ridge
        Fitted to the scores.
    scale_ : ndarray of shape (n_components_,)
        Standard deviations of the scores.
    low_, range_ : ndarray of shape (n_features,)
        Smallest value and range of the columns.
    n_components_ : int
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Defined when X has string column names.

    See Also
    --------
    statlearn.linear.PrincipalComponentRegression : With the number of components by cross-validation and coefficients
        on the scale of X.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from statlearn.decomposition import ComponentRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> round(ComponentRegressor("ica", n_components=4, random_state=0).fit(X, y).score(X, y), 2)
    0.5
    """

    _search_space = _spaces(("ica", "nmf"), "ridge", 2.1)

    def fit(self, X, y):
        """Fit the decomposition to X and the regression to its scores.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)

        Returns
        -------
        self
        """
        check_params(self)
        X, y = validate_data(self, X, y, dtype=np.float64, y_numeric=True, ensure_min_samples=2)
        self.model_ = Ridge(self.alpha).fit(self._decompose(X), y)
        return self

    def predict(self, X):
        """Predicted values.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        y : ndarray of shape (n_samples,)
        """
        scores = self._scores(X)
        return self.model_.predict(scores)


class ComponentClassifier(ClassifierMixin, _ComponentModel):
    """Logistic regression on the components of a decomposition of X.

    Parameters
    ----------
    method : {"pca", "ica", "nmf", "factors"}, default="pca"
        Principal components, independent components, non-negative factors (of the columns scaled to between 0 and 1)
        or factor analysis.
    n_components : int, default=5
        Number of components, reduced to min(n_samples - 1, n_features) if it is larger.
    alpha : float, default=1e-3
        L2 penalty: the inverse of the parameter C of the logistic regression on the standardised components.
    random_state : int, RandomState or None, default=None

    Attributes
    ----------
    decomposition_ : estimator
        The fitted decomposition.
    model_ : statlearn.linear.LogisticRegression
        Fitted to the scores.
    classes_ : ndarray
    scale_ : ndarray of shape (n_components_,)
        Standard deviations of the scores.
    low_, range_ : ndarray of shape (n_features,)
        Smallest value and range of the columns.
    n_components_ : int
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Defined when X has string column names.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from statlearn.decomposition import ComponentClassifier
    >>> X, y = load_digits(return_X_y=True)
    >>> ComponentClassifier("pca", n_components=15).fit(X, y).score(X, y) > 0.9
    True
    """

    _search_space = _spaces(("pca", "ica", "nmf"), "logistic regression", 2.1)

    def fit(self, X, y):
        """Fit the decomposition to X and the classifier to its scores.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)

        Returns
        -------
        self
        """
        check_params(self)
        X, y = validate_data(self, X, y, dtype=np.float64, ensure_min_samples=2)
        check_labels(y)
        refuse_one_class(np.unique(y), type(self).__name__)
        self.model_ = LogisticRegression(C=1.0 / max(self.alpha, 1e-12), max_iter=1000).fit(self._decompose(X), y)
        self.classes_ = self.model_.classes_
        return self

    def predict(self, X):
        """Predicted classes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        y : ndarray of shape (n_samples,)
        """
        scores = self._scores(X)
        return self.model_.predict(scores)

    def predict_proba(self, X):
        """Probabilities of the classes, in the order of `classes_`.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_classes)
        """
        scores = self._scores(X)
        return self.model_.predict_proba(scores)
