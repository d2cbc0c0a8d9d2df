"""Predictions that are computed once and scored many times."""

import numpy as np
from sklearn.base import is_classifier, is_regressor
from sklearn.metrics import check_scoring
from sklearn.utils import get_tags
from sklearn.utils.metaestimators import available_if

from ._scorers import get_scorer


def _can(method):
    return available_if(lambda self: hasattr(self.models[0], method))


class CachedPredictions:
    """Fitted models whose predictions are cached; scorers look them up by position among the rows of all tables.

    Either one model with its table, or the models of all folds, each with its held-out rows. A class that one of the
    models has not seen gets probability 0 there.
    """

    def __init__(self, models, tables):
        self.models, self.tables, self.answers = models, tables, {}
        if is_classifier(models[0]):
            self.classes_ = np.unique(np.concatenate([model.classes_ for model in models]))

    def __sklearn_tags__(self):
        return get_tags(self.models[0])

    def fit(self, X, y=None):
        return self

    @_can("predict")
    def predict(self, rows):
        return self._recall("predict", rows)

    @_can("predict_proba")
    def predict_proba(self, rows):
        return self._recall("predict_proba", rows)

    @_can("decision_function")
    def decision_function(self, rows):
        return self._recall("decision_function", rows)

    def _recall(self, method, rows):
        if method not in self.answers:
            parts = [self._ask(model, method, X) for model, X in zip(self.models, self.tables)]
            self.answers[method] = np.concatenate(parts)
        return self.answers[method][rows]

    def _ask(self, model, method, X):
        answer = np.asarray(getattr(model, method)(X))
        if method != "predict_proba" or len(model.classes_) == len(self.classes_):
            return answer
        full = np.zeros((len(answer), len(self.classes_)))
        full[:, np.searchsorted(self.classes_, model.classes_)] = answer
        return full


def prediction_scorer(estimator, scoring):
    """Scorer that needs only predictions: without `scoring`, R² for regressors and accuracy for classifiers."""
    if scoring is not None:
        return check_scoring(estimator, get_scorer(scoring))
    if not (is_regressor(estimator) or is_classifier(estimator)):
        raise ValueError(f"{type(estimator).__name__} is neither a regressor nor a classifier; pass `scoring`.")
    return get_scorer("r2" if is_regressor(estimator) else "accuracy")
