"""A weighted mean of the best models of a comparison: one more candidate, made of their out-of-fold predictions."""

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, clone
from sklearn.utils.validation import check_is_fitted

from statlearn._core.combination_weights import combination_weights
from statlearn.app.portfolio import STACK
from statlearn.app.result import ModelResult
from statlearn.app.scoring import Predictions, predictions_of

LABEL = "stack"
COMPLEXITY = 6.0
MEMBERS = 5
MIN_ROWS = 50  # behind the weights
LEAST_WEIGHT = 0.01  # a member with less is left out


class _Blend(BaseEstimator):
    def __init__(self, members=None, weights=None):
        self.members = members
        self.weights = weights

    def fit(self, X, y):
        """Fit the members again; their weights stay what they were.

        Parameters
        ----------
        X : data frame
        y : array-like of shape (n_rows,)

        Returns
        -------
        self
        """
        self.members_ = [clone(member).fit(X, y) for member in self.members]
        return self._learn(y)

    def _learn(self, y):
        return self

    @classmethod
    def of(cls, members, weights, y):
        """A fitted mean of fitted members."""
        blend = cls([clone(member) for member in members], list(map(float, weights)))
        blend.members_ = list(members)
        return blend._learn(y)

    @property
    def columns_(self):
        """The columns that any member uses, and what they were taken for."""
        found = {}
        for member in self.members_:
            table = member.steps[0][1]
            found |= {name: kind for name, kind in table.kinds_.items() if name not in table.dropped_}
        return found


class BlendRegressor(RegressorMixin, _Blend):
    """A weighted mean of the predictions of fitted pipelines.

    Parameters
    ----------
    members : list of pipelines
    weights : list of float
        At least 0, with sum 1.
    """

    def predict(self, X):
        """Weighted mean of the members' predictions.

        Parameters
        ----------
        X : data frame

        Returns
        -------
        ndarray of shape (n_rows,)
        """
        check_is_fitted(self, "members_")
        return sum(w * predictions_of(m, X, None).values for w, m in zip(self.weights, self.members_))


class BlendClassifier(ClassifierMixin, _Blend):
    """A weighted mean of the class probabilities of fitted pipelines.

    Parameters
    ----------
    members : list of pipelines
    weights : list of float
        At least 0, with sum 1.
    """

    def _learn(self, y):
        self.classes_ = np.unique(y)
        return self

    def predict_proba(self, X):
        """Weighted mean of the members' probabilities.

        Parameters
        ----------
        X : data frame

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
        """
        check_is_fitted(self, "members_")
        tables = (predictions_of(m, X, self.classes_).probabilities for m in self.members_)
        return sum(w * table for w, table in zip(self.weights, tables))

    def predict(self, X):
        """The most probable class.

        Parameters
        ----------
        X : data frame

        Returns
        -------
        ndarray of shape (n_rows,)
        """
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


def stack(problem, records, results, done):
    """The stack as a model of the comparison, or None where it would not be another model than its first member.

    In each outer fold the members are the best models of the other folds, and their weights (at least 0, with sum 1)
    minimise the squared error of their out-of-fold predictions for the rows outside the fold's test part: neither has
    seen the rows that the stack is tested on. It costs no further fits.

    Parameters
    ----------
    problem : Problem
    records : dict of (str, int) to Record
    results : list of ModelResult
    done : sequence of int
        The finished outer folds.

    Returns
    -------
    ModelResult or None
    """
    pool = [m for m in results if _may_join(m, problem, records, done)]
    if len(pool) < 2 or len(done) < 3:
        return None
    metric = problem.metric
    table = np.array([[metric_loss(metric, records[m.name, fold].scores) for fold in done] for m in pool])
    if not np.isfinite(table).all() or len(problem.y) < MIN_ROWS:
        return None
    data = _OutOfFold(problem, records, pool, done)
    result = ModelResult(STACK, LABEL, "statlearn.ensemble.StackingRegressor", COMPLEXITY, status="done")
    if problem.classes is not None:
        result.estimator_class = "statlearn.ensemble.StackingClassifier"
    result.scores = {m.name: np.full(len(done), np.nan) for m in problem.metrics}
    shape = (len(problem.y),) if problem.classes is None else (len(problem.y), len(problem.classes))
    total, times = np.zeros(shape), np.zeros(len(problem.y))
    for k, fold in enumerate(done):
        others = np.arange(len(done)) != k
        members = np.argsort(table[:, others].mean(axis=1), kind="stable")[:MEMBERS]
        test = problem.folds[fold][1]
        weights = data.weights(members, without=test, folds=np.asarray(done)[others])
        found = sum(w * records[pool[m].name, fold].predictions for w, m in zip(weights, members))
        predictions = Predictions(found) if problem.classes is None else Predictions(found.argmax(axis=1), found)
        for score in problem.metrics:
            result.scores[score.name][k] = score(problem.truth[test], predictions)
        total[test] += found
        times[test] += 1
    members = np.argsort(table.mean(axis=1), kind="stable")[:MEMBERS]
    weights = data.weights(members, without=np.empty(0, int), folds=np.asarray(done))
    kept = weights >= LEAST_WEIGHT
    members, weights = members[kept], weights[kept] / weights[kept].sum()
    if len(members) < 2:
        return None
    make = BlendRegressor if problem.classes is None else BlendClassifier
    result.estimator = make.of([pool[m].estimator for m in members], weights, problem.y)
    result.settings = {pool[m].label: round(float(w), 3) for w, m in zip(weights, members)}
    with np.errstate(invalid="ignore"):
        result.predictions = total / (times if total.ndim == 1 else times[:, None])
    result.fit_seconds = np.sum([pool[m].fit_seconds for m in members], axis=0)
    result.predict_seconds = np.sum([pool[m].predict_seconds for m in members], axis=0)
    return result


def metric_loss(metric, scores):
    """The score of the metric, turned so that smaller is better."""
    value = scores.get(metric.name, np.nan)
    return -value if metric.greater_is_better else value


def _may_join(model, problem, records, done):
    if model.status != "done" or model.estimator is None or model.complexity == 0:
        return False
    if problem.classes is not None and not hasattr(model.estimator, "predict_proba"):
        return False
    return all((model.name, fold) in records for fold in done)


class _OutOfFold:
    """Predictions of the models for the test rows of all folds, one below the other."""

    def __init__(self, problem, records, pool, done):
        self.rows = np.concatenate([problem.folds[fold][1] for fold in done])
        self.fold = np.concatenate([np.full(len(problem.folds[fold][1]), fold) for fold in done])
        self.truth = problem.truth[self.rows]
        self.classes = problem.classes
        self.predictions = [np.concatenate([records[m.name, fold].predictions for fold in done]) for m in pool]

    def weights(self, members, *, without, folds):
        """Weights on the simplex of some of the models, from rows that are not among `without`."""
        here = np.isin(self.fold, folds) & ~np.isin(self.rows, without)
        columns = [self.predictions[m][here] for m in members]
        truth = self.truth[here]
        if self.classes is not None:
            truth = np.eye(len(self.classes))[truth].ravel()
            columns = [table.ravel() for table in columns]
        return combination_weights(np.column_stack(columns), truth)
