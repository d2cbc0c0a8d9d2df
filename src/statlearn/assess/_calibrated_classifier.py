"""Probability calibration of classifiers by a sigmoid or an isotonic function of their scores."""

import warnings
from dataclasses import dataclass

import numpy as np
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from statlearn._core.frames import take_rows
from statlearn._core.jobs import keep_limit
from statlearn._core.params import HasMethods, Int, Options, check_params
from statlearn._core.validation import check_weights, encode_classes
from statlearn._math.isotonic import isotonic_curve
from statlearn._math.solvers.platt import platt_sigmoid

from ._meta_estimator import InnerEstimatorMixin, check_target, is_frozen


@dataclass
class SigmoidMap:
    """Map from score to probability, 1 / (1 + exp(-(slope · score + intercept)))."""

    slope: float
    intercept: float

    def __call__(self, scores):
        return expit(self.slope * scores + self.intercept)


@dataclass
class IsotonicMap:
    """Piecewise linear map from score to probability, constant beyond the ends."""

    scores: np.ndarray
    probabilities: np.ndarray

    def __call__(self, scores):
        return np.interp(scores, self.scores, self.probabilities)


def fit_sigmoid(scores, positive, weights):
    """Platt's sigmoid as a map from score to probability."""
    return SigmoidMap(*platt_sigmoid(scores, positive, weights))


def fit_isotonic(scores, positive, weights):
    """Isotonic regression of the outcome on the scores; equal scores share their mean."""
    return IsotonicMap(*isotonic_curve(scores, positive, weights))


_METHODS = {"sigmoid": fit_sigmoid, "isotonic": fit_isotonic}


def class_scores(model, X):
    """Scores of a classifier: (n, 1) for the second of two classes, (n, K) otherwise."""
    if hasattr(model, "decision_function"):
        scores = np.asarray(model.decision_function(X), dtype=np.float64)
        return scores.reshape(len(scores), -1)
    if not hasattr(model, "predict_proba"):
        raise ValueError(
            f"estimator must be a classifier with decision_function or predict_proba; got {type(model).__name__}."
        )
    P = np.asarray(model.predict_proba(X), dtype=np.float64)
    return P[:, 1:] if P.shape[1] == 2 else P


@dataclass
class _Calibrated:
    """A fitted classifier with one map per score column."""

    estimator: object
    maps: list

    def predict_proba(self, X, classes):
        scores = class_scores(self.estimator, X)
        P = np.column_stack([f(scores[:, k]) for k, f in enumerate(self.maps)])
        place = np.searchsorted(classes, self.estimator.classes_)
        full = np.zeros((len(P), len(classes)))
        if P.shape[1] == 1:
            full[:, place[0]], full[:, place[1]] = 1.0 - P[:, 0], P[:, 0]
            return full
        total = P.sum(axis=1, keepdims=True)
        full[:, place] = np.divide(P, total, out=np.full(P.shape, 1.0 / P.shape[1]), where=total > 0)
        return full


class CalibratedClassifier(InnerEstimatorMixin, ClassifierMixin, BaseEstimator):
    r"""Probability calibration of a classifier on rows that it was not fitted to.

    With folds, every row is scored by a model that did not see it, and a map from score to probability is fitted to
    these scores and outcomes:

    - "sigmoid" (Platt): :math:`p = 1/(1 + e^{-(a s + b)})` by maximum likelihood, the outcomes replaced by
      :math:`(n_+ + 1)/(n_+ + 2)` and :math:`1/(n_- + 2)`.
    - "isotonic": the non-decreasing function with the smallest squared error, by pooling adjacent violators, with
      linear interpolation between its steps.

    With more than two classes, each class is calibrated against the rest, and the results are divided by their sum.

    Parameters
    ----------
    estimator : estimator or None, default=None
        Classifier with `decision_function` or `predict_proba`; None means ``LogisticRegression()``. A
        `sklearn.frozen.FrozenEstimator` is not refitted, and all rows passed to `fit` are used for calibration.
    method : {"sigmoid", "isotonic"}, default="sigmoid"
    cv : int, splitter, iterable or None, default=None
        Folds; None means 5, stratified.
    n_jobs : int or None, default=None
        Number of folds fitted in parallel.
    ensemble : bool or "auto", default="auto"
        True keeps a model and a map per fold and averages their probabilities. False fits one map to the scores of all
        rows and one model to all rows. "auto" is True, except for a frozen estimator.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    calibrated_ : list
        Pairs of a fitted `estimator` and its `maps`: one per fold, or a single one.
    n_features_in_, feature_names_in_
        As reported by the inner estimator.

    See Also
    --------
    reliability_curve : shows whether calibration is needed, and whether it helped.

    Notes
    -----
    Isotonic regression needs some thousand rows, creates ties (so it can reduce the area under the ROC curve), and
    returns probabilities of exactly 0 and 1. The sigmoid has two parameters and suits scores with an S-shaped
    distortion, such as margins of support vector machines and boosting; it cannot correct others. Logistic regression
    needs neither.

    References
    ----------
    Platt (1999), Probabilistic outputs for support vector machines. Zadrozny and Elkan (2002), Transforming classifier
    scores into accurate multiclass probability estimates. Niculescu-Mizil and Caruana (2005), Predicting good
    probabilities with supervised learning.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from statlearn.assess import CalibratedClassifier
    >>> from statlearn.linear import RidgeClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = CalibratedClassifier(RidgeClassifier()).fit(X[::2], y[::2])
    >>> P = model.predict_proba(X[1::2])
    >>> P.shape, bool(abs(P[:, 1].mean() - y[1::2].mean()) < 0.05)
    ((284, 2), True)
    """

    _constraints = {
        "estimator": [HasMethods("fit"), None],
        "method": [Options("sigmoid", "isotonic")],
        "cv": ["cv"],
        "n_jobs": [Int(), None],
        "ensemble": ["boolean", Options("auto")],
    }

    def __init__(self, estimator=None, *, method="sigmoid", cv=None, n_jobs=None, ensemble="auto"):
        self.estimator = estimator
        self.method = method
        self.cv = cv
        self.n_jobs = n_jobs
        self.ensemble = ensemble

    def _default(self):
        from statlearn.linear import LogisticRegression

        return LogisticRegression()

    def fit(self, X, y, sample_weight=None):
        """Fit the classifier and the maps from its scores.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Passed unchanged to the inner estimator.
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,) or None, default=None
            Weights for the maps, and for the inner estimator if its `fit` accepts weights.

        Returns
        -------
        self
        """
        check_params(self)
        X, y = check_target(X, y, numeric=False)
        weights = check_weights(sample_weight, np.empty(len(y)))
        self.classes_, codes = encode_classes(y, owner="CalibratedClassifier")
        inner = self._inner()
        ensemble = not is_frozen(inner) if self.ensemble == "auto" else self.ensemble
        if is_frozen(inner):
            scores = class_scores(inner, X)
            everything = np.arange(len(y))
            self.calibrated_ = [_Calibrated(inner, self._maps(inner, scores, codes, weights, everything))]
        elif ensemble:
            folds = self._fit_folds(inner, X, y, codes, weights)
            self.calibrated_ = [
                _Calibrated(model, self._maps(model, scores, codes, weights, test)) for model, scores, test in folds
            ]
        else:
            # The model of all rows is fitted first, so that errors in the data are raised here.
            model = _fit(inner, X, y, weights, np.arange(len(y)))
            folds = self._fit_folds(inner, X, y, codes, weights)
            if any(len(m.classes_) != len(self.classes_) for m, _, _ in folds):
                raise ValueError(
                    "`cv`: a class is missing from the training rows of a fold; use `ensemble`=True or fewer folds."
                )
            scores = np.concatenate([s for _, s, _ in folds])
            rows = np.concatenate([test for _, _, test in folds])
            self.calibrated_ = [_Calibrated(model, self._maps(model, scores, codes, weights, rows))]
        self._take_names(self.calibrated_[0].estimator)
        return self

    def _fit_folds(self, inner, X, y, codes, weights):
        """For each fold: the model of the other rows, its scores of the held-out rows, and their indices."""
        from sklearn.model_selection import check_cv
        from sklearn.utils.parallel import Parallel, delayed

        n_folds = 5 if self.cv is None else self.cv
        if isinstance(n_folds, (int, np.integer)):
            present = codes if weights is None else codes[weights > 0]
            if np.bincount(present, minlength=len(self.classes_)).min() < n_folds:
                raise ValueError(
                    f"Requesting {n_folds}-fold cross-validation but provided less than {n_folds} examples for at "
                    "least one class."
                )
        folds = list(check_cv(self.cv, y, classifier=True).split(np.zeros((len(y), 1)), y))
        return Parallel(n_jobs=self.n_jobs)(
            delayed(keep_limit(_fit_and_score))(inner, X, y, weights, train, test) for train, test in folds
        )

    def _maps(self, model, scores, codes, weights, rows):
        """One map per score column."""
        positions = np.searchsorted(self.classes_, model.classes_)
        w = np.ones(len(rows)) if weights is None else weights[rows]
        used = w > 0
        if not used.any():
            raise ValueError(
                "`sample_weight`: all rows of a test fold have weight 0; use fewer folds, or pass "
                "your own splits as `cv`."
            )
        labels = positions[1:] if scores.shape[1] == 1 else positions
        fit_map = _METHODS[self.method]
        return [
            fit_map(scores[used, k], codes[rows][used] == label, w[used].astype(np.float64))
            for k, label in enumerate(labels)
        ]

    def predict_proba(self, X):
        """Calibrated probabilities.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        check_is_fitted(self)
        total = sum(pair.predict_proba(X, self.classes_) for pair in self.calibrated_)
        return total / len(self.calibrated_)

    def predict(self, X):
        """Class with the highest calibrated probability.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        check_is_fitted(self)
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


def _fit(inner, X, y, weights, rows):
    model = clone(inner)
    if weights is None:
        return model.fit(take_rows(X, rows), y[rows])
    if not has_fit_parameter(model, "sample_weight"):
        warnings.warn(
            f"Since {type(model).__name__} does not appear to accept sample_weight, sample weights will only be used "
            "for the calibration itself. This can be caused by a limitation of the current scikit-learn API.",
            stacklevel=3,
        )
        return model.fit(take_rows(X, rows), y[rows])
    return model.fit(take_rows(X, rows), y[rows], sample_weight=weights[rows])


def _fit_and_score(inner, X, y, weights, train, test):
    model = _fit(inner, X, y, weights, train)
    return model, class_scores(model, take_rows(X, test)), test
