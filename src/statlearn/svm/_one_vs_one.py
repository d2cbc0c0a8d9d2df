"""One-vs-one classification by binary models."""

import itertools

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import check_is_fitted

from statlearn._core.jobs import keep_limit
from statlearn._core.params import HasMethods, Int, check_params
from statlearn._core.validation import check_weights, encode_classes, validate_data
from statlearn.svm._kernel_classifier import ovr_scores
from statlearn.svm._svc import SVC


def _fit_pair(estimator, X, y, weights):
    model = clone(estimator)
    return model.fit(X, y) if weights is None else model.fit(X, y, sample_weight=weights)


class OneVsOneClassifier(MetaEstimatorMixin, ClassifierMixin, BaseEstimator):
    """One-vs-one classifier: one binary model per pair of classes; the class with the most wins is predicted.

    Ties are broken by the summed decision values.

    Parameters
    ----------
    estimator : estimator or None, default=None
        Any binary classifier with `decision_function` or `predict_proba`. None means ``SVC()``.
    n_jobs : int or None, default=None
        Number of models fitted in parallel, with joblib.

    Attributes
    ----------
    estimators_ : list of n_classes * (n_classes - 1) / 2 models
        In the order of the pairs (0, 1), (0, 2), ..., (1, 2), ...
    classes_ : ndarray of shape (n_classes,)
    n_classes_ : int
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)

    See Also
    --------
    SVC : Does the same for its own machines, faster.
    statlearn.linear.OneVsRestClassifier : One model per class.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from statlearn.svm import HardMarginSVC, LinearSVC, OneVsOneClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> len(OneVsOneClassifier(LinearSVC()).fit(X, y).estimators_)
    3
    """

    _constraints = {"estimator": [HasMethods("fit", "predict"), None], "n_jobs": [Int(None, None), None]}

    def __init__(self, estimator=None, *, n_jobs=None):
        self.estimator = estimator
        self.n_jobs = n_jobs

    def fit(self, X, y, sample_weight=None):
        """Fit one model per pair of classes.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,) or None, default=None
            Passed to the models.

        Returns
        -------
        self
        """
        check_params(self)
        X, y = validate_data(self, X, y, accept_sparse=["csr", "csc"], ensure_all_finite=True)
        weights = check_weights(sample_weight, X)
        if weights is not None and not weights.all():
            used = np.flatnonzero(weights)
            X, y, weights = X[used], y[used], weights[used]
        self.classes_, codes = encode_classes(y, owner="OneVsOneClassifier")
        self.n_classes_ = self.classes_.size
        inner = SVC() if self.estimator is None else self.estimator
        jobs = []
        for i, j in itertools.combinations(range(self.n_classes_), 2):
            rows = np.flatnonzero((codes == i) | (codes == j))
            w = None if weights is None else weights[rows]
            jobs.append(delayed(keep_limit(_fit_pair))(inner, X[rows], (codes[rows] == j).astype(int), w))
        self.estimators_ = Parallel(n_jobs=self.n_jobs)(jobs)
        return self

    def _pair_values(self, X):
        """Votes for the second class of each pair, and confidences that are positive for it."""
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse=["csr", "csc"], reset=False)
        wins, values = [], []
        for model in self.estimators_:
            wins.append(model.predict(X) == 1)
            if hasattr(model, "decision_function"):
                values.append(np.ravel(model.decision_function(X)))
            elif hasattr(model, "predict_proba"):
                values.append(model.predict_proba(X)[:, 1] - 0.5)
            else:
                name = type(model).__name__
                raise TypeError(f"`estimator` must have `decision_function` or `predict_proba`, which {name} lacks.")
        return np.column_stack(wins), np.column_stack(values)

    def decision_function(self, X):
        """Votes plus a monotone map of the summed decision values into (-1/3, 1/3).

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            With two classes the decision value of the only model.
        """
        wins, values = self._pair_values(X)
        if self.n_classes_ == 2:
            return values[:, 0]
        return ovr_scores(wins, values, self.n_classes_)

    def predict(self, X):
        """Predicted class of each row.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        wins, values = self._pair_values(X)
        if self.n_classes_ == 2:
            return self.classes_[wins[:, 0].astype(np.intp)]
        return self.classes_[ovr_scores(wins, values, self.n_classes_).argmax(axis=1)]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
