"""One-vs-rest classification by binary models."""

import numpy as np
from scipy import sparse
from sklearn import get_config
from sklearn.base import (
    BaseEstimator,
    ClassifierMixin,
    MetaEstimatorMixin,
    MultiOutputMixin,
    clone,
    is_classifier,
    is_regressor,
)
from sklearn.preprocessing import LabelBinarizer
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing
from sklearn.utils.metaestimators import available_if
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import assert_all_finite, check_is_fitted

from statlearn._core.fitted_state import take_attributes
from statlearn._core.jobs import keep_limit
from statlearn._core.params import HasMethods, Int, check_params
from statlearn._core.validation import check_same_length, classes_of_stream, refuse_no_label, refuse_no_rows
from statlearn._core.warnings import warn
from statlearn.linear.logistic._logistic import LogisticRegression


class _ConstantModel(ClassifierMixin, BaseEstimator):
    """Constant prediction, for a label that all rows or none have."""

    def __init__(self, label=0):
        self.label = label

    def fit(self, X, y):
        self.classes_ = np.array([0, 1])
        return self

    def predict(self, X):
        return np.full(_n_rows(X), self.label)

    def decision_function(self, X):
        return np.full(_n_rows(X), float(self.label))

    def predict_proba(self, X):
        return np.tile([1.0 - self.label, float(self.label)], (_n_rows(X), 1))


def _n_rows(X):
    return X.shape[0] if hasattr(X, "shape") else len(X)


def _fit_one(estimator, X, y, label, params):
    present = np.unique(y)
    if len(present) == 1:
        what = f"{'' if present[0] == 1 else 'not '}{label}"
        warn(f"Label {what} is present in all training examples.")
        return _ConstantModel(int(present[0] == 1)).fit(X, y)
    return clone(estimator).fit(X, y, **params)


def _partial_fit_one(estimator, X, y, params):
    return estimator.partial_fit(X, y, classes=np.array([0, 1]), **params)


def _binary_score(estimator, X):
    """Score of a model for its label."""
    if is_regressor(estimator):
        return np.asarray(estimator.predict(X), dtype=float)
    if hasattr(estimator, "decision_function"):
        return np.ravel(estimator.decision_function(X))
    return estimator.predict_proba(X)[:, 1]


def _inner_has(name):
    def check(self):
        inner = self.estimators_[0] if hasattr(self, "estimators_") else self._inner()
        getattr(inner, name)  # raises the AttributeError of the inner estimator
        return True

    return check


class OneVsRestClassifier(MultiOutputMixin, ClassifierMixin, MetaEstimatorMixin, BaseEstimator):
    """One-vs-rest classifier: one binary model per class, with the highest score winning.

    If y is an indicator matrix (rows may have several labels or none), each column has its own model and decision.

    Parameters
    ----------
    estimator : estimator or None, default=None
        Any binary classifier, or a regressor whose predictions are used as scores. None means ``LogisticRegression()``.
    n_jobs : int or None, default=None
        Number of models fitted in parallel, with joblib.
    verbose : int, default=0

    Attributes
    ----------
    estimators_ : list
        The fitted models, one per class, or a single one for two classes.
    classes_ : ndarray
    n_classes_ : int
    label_binarizer_ : LabelBinarizer
    multilabel_ : bool
    n_features_in_, feature_names_in_
        Taken from the first model, if it has them.

    See Also
    --------
    LogisticRegression : Its multinomial loss is usually better calibrated.

    Notes
    -----
    Scores of separately fitted models need not be on the same scale, and each model faces a different class imbalance.
    Probabilities are those of the models divided by their sum. Ties are broken in favour of the first class.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from statlearn.linear import LogisticRegression, OneVsRestClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = OneVsRestClassifier(LogisticRegression()).fit(X, y)
    >>> len(model.estimators_), model.predict(X[:2]).tolist()
    (3, [0, 0])
    """

    _constraints = {"estimator": [HasMethods("fit"), None], "n_jobs": [Int(), None], "verbose": ["verbose"]}

    def __init__(self, estimator=None, *, n_jobs=None, verbose=0):
        self.estimator = estimator
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _inner(self):
        return LogisticRegression() if self.estimator is None else self.estimator

    def fit(self, X, y, **fit_params):
        """Fit one model per class.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,), or indicator matrix of shape (n_samples, n_classes)
        **fit_params : dict
            Passed to the `fit` of every model; requires scikit-learn's metadata routing.

        Returns
        -------
        self
        """
        check_params(self)
        params = self._routed("fit", fit_params)
        if y is None:
            raise ValueError("requires y to be passed, but the target y is None")
        if getattr(X, "ndim", 2) == 2:  # other shapes are left to the inner estimator
            check_same_length(X, y)
        refuse_no_rows(X)
        if not sparse.issparse(y):
            y = np.asarray(y)
            refuse_no_label(y)
            assert_all_finite(y, input_name="y")
        self.label_binarizer_ = LabelBinarizer(sparse_output=True)
        Y = sparse.csc_array(self.label_binarizer_.fit_transform(y))
        self.classes_ = self.label_binarizer_.classes_
        labels = self.classes_ if Y.shape[1] > 1 else self.classes_[-1:]
        self.estimators_ = Parallel(n_jobs=self.n_jobs, verbose=self.verbose)(
            delayed(keep_limit(_fit_one))(self._inner(), X, Y[:, [k]].toarray().ravel(), label, params)
            for k, label in enumerate(labels)
        )
        self._take_names()
        return self

    @available_if(_inner_has("partial_fit"))
    def partial_fit(self, X, y, classes=None, **partial_fit_params):
        """Update the models with a batch of rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,), or indicator matrix
        classes : array-like or None, default=None
            All classes that can occur; required in the first call.
        **partial_fit_params : dict
            Passed to the `partial_fit` of every model; requires scikit-learn's metadata routing.

        Returns
        -------
        self
        """
        check_params(self)
        params = self._routed("partial_fit", partial_fit_params)
        first = not hasattr(self, "estimators_")
        classes = classes_of_stream(None if first else self.classes_, classes)
        if first:
            self.label_binarizer_ = LabelBinarizer(sparse_output=True).fit(classes)
            self.classes_ = self.label_binarizer_.classes_
            self.estimators_ = [clone(self._inner()) for _ in self.classes_[len(self.classes_) == 2 :]]
        if len(np.setdiff1d(y, self.classes_)):
            raise ValueError(f"Mini-batch contains {np.unique(y)} while classes must be subset of {self.classes_}")
        Y = sparse.csc_array(self.label_binarizer_.transform(y))
        self.estimators_ = Parallel(n_jobs=self.n_jobs)(
            delayed(keep_limit(_partial_fit_one))(model, X, Y[:, [k]].toarray().ravel(), params)
            for k, model in enumerate(self.estimators_)
        )
        self._take_names()
        return self

    def _take_names(self):
        for name in ("n_features_in_", "feature_names_in_"):
            take_attributes(self, next((m for m in self.estimators_ if hasattr(m, name)), None), name)

    def _routed(self, method, params):
        if get_config()["enable_metadata_routing"]:
            return getattr(process_routing(self, method, **params).estimator, method)
        if params:
            raise ValueError(
                f"[{', '.join(sorted(params))}] are passed but are only supported if enable_metadata_routing=True, "
                "which you can set using `sklearn.set_config`."
            )
        return {}

    def predict(self, X):
        """The class with the highest score, or an indicator matrix of the labels.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray or sparse matrix of shape (n_samples,) or (n_samples, n_classes)
        """
        check_is_fitted(self)
        scores = np.column_stack([_binary_score(model, X) for model in self.estimators_])
        if self.label_binarizer_.y_type_ == "multiclass":
            return self.classes_[scores.argmax(axis=1)]
        first = self.estimators_[0]
        cut = 0.0 if hasattr(first, "decision_function") and is_classifier(first) else 0.5
        return self.label_binarizer_.inverse_transform(sparse.csc_matrix((scores > cut).astype(int)))

    @available_if(_inner_has("predict_proba"))
    def predict_proba(self, X):
        """Class probabilities; with one label per row they are normalised to sum to 1.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        check_is_fitted(self)
        P = np.column_stack([model.predict_proba(X)[:, 1] for model in self.estimators_])
        if len(self.estimators_) == 1:
            return np.hstack([1.0 - P, P])
        if not self.multilabel_:
            total = P.sum(axis=1, keepdims=True)
            np.divide(P, total, out=P, where=total != 0)
        return P

    @available_if(_inner_has("decision_function"))
    def decision_function(self, X):
        """Scores of the models.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes), or (n_samples,) with two classes
        """
        check_is_fitted(self)
        scores = np.column_stack([np.ravel(model.decision_function(X)) for model in self.estimators_])
        return scores[:, 0] if len(self.estimators_) == 1 else scores

    @property
    def multilabel_(self):
        """Whether rows may have several labels."""
        return self.label_binarizer_.y_type_.startswith("multilabel")

    @property
    def n_classes_(self):
        """Number of classes."""
        return len(self.label_binarizer_.classes_)

    def get_metadata_routing(self):
        """Metadata routing of this estimator, see scikit-learn's user guide.

        Returns
        -------
        MetadataRouter
        """
        mapping = MethodMapping().add(caller="fit", callee="fit").add(caller="partial_fit", callee="partial_fit")
        return MetadataRouter(owner=self).add_self_request(self).add(estimator=self._inner(), method_mapping=mapping)

    def __sklearn_tags__(self):
        from sklearn.utils import get_tags

        tags = super().__sklearn_tags__()
        inner = get_tags(self._inner())
        tags.input_tags.pairwise = inner.input_tags.pairwise
        tags.input_tags.sparse = inner.input_tags.sparse
        return tags
