"""A weighted mean of the best models of a comparison, with weights from their out-of-fold predictions.

Values are averaged within the range of the target, probabilities on the scale of their logarithms.
"""

import numpy as np
from scipy.special import stdtrit
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, clone
from sklearn.utils.validation import check_is_fitted

from statlearn._math.inference import standard_error
from statlearn._math.solvers.combination_weights import combination_weights, log_pool, log_pool_weights
from statlearn.app.compare.portfolio.selection import STACK
from statlearn.app.compare.result import ModelResult
from statlearn.app.compare.scoring import Predictions, predictions_of

LABEL = "stack"
COMPLEXITY = 6.0
MEMBERS = 8
MOST_FITS = 10  # of folds, in the mean that stands for a member
MIN_ROWS = 50  # behind the weights
MANY_ROWS = 300  # from which the weights need no fits inside the folds to be honest
LUCK = 0.05  # chance of a lead over the stack like that of the best model, from which it counts
MIN_FOLDS = 3  # that all members have finished
MOST_FOLDS = (0.75, 0.5)  # share of the folds of others that a member has finished, the second if the first leaves one
USEFUL_WEIGHT = 0.05  # from which a model is worth more folds for the sake of the stack
LEAST_WEIGHT = 0.01  # a member with less is left out
BEYOND = 0.5  # of the range of the training target: members predict no further outside of it
DOUBT = 0.001  # share of the class frequencies in the probabilities of members: none may rule a class out


class _Blend(BaseEstimator):
    def __init__(self, members=None, weights=None):
        self.members = members
        self.weights = weights

    def fit(self, X, y):
        """Fit the members again; the weights do not change.

        Parameters
        ----------
        X : data frame
        y : array-like of shape (n_rows,)

        Returns
        -------
        self
        """
        self.members_ = [[clone(member).fit(X, y)] for member in self.members]
        return self._learn(y)

    def _learn(self, y):
        return self

    @classmethod
    def of(cls, members, weights, y, **settings):
        """A fitted mean of fitted members: lists of fits of one model, whose plain mean is the member."""
        blend = cls([clone(fits[0]) for fits in members], list(map(float, weights)), **settings)
        blend.members_ = [list(fits) for fits in members]
        return blend._learn(y)

    def _means(self, predict):
        """The members' predictions, given the prediction of one fit."""
        check_is_fitted(self, "members_")
        return [sum(predict(fit) for fit in fits) / len(fits) for fits in self.members_]

    @property
    def columns_(self):
        """Columns used by any member, with their kinds."""
        found = {}
        for fit in (fit for fits in self.members_ for fit in fits):
            table = fit.steps[0][1]
            found |= {name: kind for name, kind in table.kinds_.items() if name not in table.dropped_}
        return found


class BlendRegressor(RegressorMixin, _Blend):
    """A weighted mean of the predictions of fitted pipelines.

    Predictions of a member far outside the range of the training target are cut off: a few rows unlike all others, on
    which an exponential or a polynomial leaves the range a hundredfold, would outweigh what the member is good for.

    Parameters
    ----------
    members : list of pipelines
    weights : list of float
        At least 0, with sum 1.
    bounded : bool
        False if the target may leave its range, as with rows in the order of time.
    """

    def __init__(self, members=None, weights=None, bounded=True):
        super().__init__(members, weights)
        self.bounded = bounded

    def _learn(self, y):
        self.limits_ = limits(y) if self.bounded else None
        return self

    def predict(self, X):
        """Weighted mean of the members' predictions.

        Parameters
        ----------
        X : data frame

        Returns
        -------
        ndarray of shape (n_rows,)
        """
        return combine(self._means(lambda fit: within(self.limits_, predictions_of(fit, X, None).values)), self.weights)


class BlendClassifier(ClassifierMixin, _Blend):
    """A logarithmic pool of the class probabilities of fitted pipelines.

    Parameters
    ----------
    members : list of pipelines
    weights : list of float
        At least 0. A sum above 1 makes the probabilities more extreme than those of the members.
    """

    def _learn(self, y):
        self.classes_, counts = np.unique(y, return_counts=True)
        self.prior_ = counts / len(y)
        return self

    def predict_proba(self, X):
        """Products of the members' probabilities to the powers of their weights, normalised.

        Parameters
        ----------
        X : data frame

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
        """
        means = self._means(lambda fit: predictions_of(fit, X, self.classes_).probabilities)
        return combine(means, self.weights, self.prior_)

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


def limits(y):
    """The smallest and the largest value that members may predict."""
    low, high = float(np.min(y)), float(np.max(y))
    return low - BEYOND * (high - low), high + BEYOND * (high - low)


def within(limits, values):
    """Values inside the limits; None leaves them as they are."""
    return values if limits is None else np.clip(values, *limits)


def combine(predictions, weights, prior=None):
    """Weighted mean of values, or logarithmic pool of probabilities, given the frequencies of the classes."""
    if prior is None:
        return sum(w * values for w, values in zip(weights, predictions))
    return log_pool(_logs(predictions, prior), np.asarray(weights, float))


def _logs(tables, prior):
    return np.log((1 - DOUBT) * np.stack(tables) + DOUBT * prior)


def stack(problem, records, results, done, nested=None):
    """The stack as a model of the comparison, or None if it would be the same as its only member.

    In each outer fold the members are the models with the best scores on the other folds, and their weights (at least
    0, for values with sum 1) minimise the squared error (the log loss of classes) of out-of-fold predictions for the
    rows outside the fold's test part. That costs no fit, but is not quite honest: those predictions come from models
    whose training part includes the test part of this fold, so that its targets reach the weights (with 50 rows and
    no signal the error seems some 1.5 % smaller than it is). If the stack would win by these scores, the members are
    therefore fitted again inside the training part of each fold (`nested`), and its scores come from weights that
    have seen nothing of the test part. If there is no time for that, a remark says so. A few weights learn little
    from one row of many: the advantage shrinks with the number of rows, and from 300 rows on (a quarter of a percent)
    it is ignored.

    Where models have finished different folds, the stack is judged by those that all of its members have finished.

    A member whose fits differ much from one sample of rows to the next (``Entry.averaged``) is the mean of its
    fits on all rows and on the training parts of the folds, which exist already. The scores of the stack are those of
    single fits. Squared error and log loss are convex, so the mean is on average at least as good as they say.

    Parameters
    ----------
    problem : Problem
    records : dict of (str, int) to Record
    results : list of ModelResult
    done : sequence of int
        The finished outer folds.
    nested : callable or None
        From a fold, the names of models and the number of folds to their out-of-fold predictions inside its training
        part, or to None if there is no time: :class:`statlearn.app.compare.inner_predictions.Nested`.

    Returns
    -------
    ModelResult or None
    """
    metric = problem.metric
    pool, shared = _pool(problem, records, results, done)
    if not pool:
        return None
    table = metric.additive([[records[m.name, fold].scores.get(metric.name, np.nan) for fold in shared] for m in pool])
    if not np.isfinite(table).all() or len(problem.y) < MIN_ROWS:
        return None
    data = _OutOfFold.of_folds(problem, records, [m.name for m in pool], shared)
    make = BlendRegressor if problem.classes is None else BlendClassifier
    result = ModelResult(STACK, LABEL, f"statlearn.app.compare.stack.{make.__name__}", COMPLEXITY, status="done")
    chosen = [np.argsort(np.delete(table, k, axis=1).mean(axis=1), kind="stable")[:MEMBERS] for k in range(len(shared))]
    weights = [
        data.weights(chosen[k], without=problem.folds[fold][1], folds=np.delete(shared, k))
        for k, fold in enumerate(shared)
    ]
    judged = np.isin(done, shared)
    _score(result, problem, records, pool, shared, chosen, weights, judged)
    best = np.argmin(table.mean(axis=1))
    gaps = metric.additive(result.scores[metric.name])[judged] - table[best]
    few = nested is not None and len(problem.y) < MANY_ROWS
    if few and is_preferred(gaps, row_gaps(problem, result, pool[best])):
        chosen = [members[own >= LEAST_WEIGHT] for members, own in zip(chosen, weights)]
        weights = _nested_weights(problem, pool, shared, chosen, nested)
        if weights is None:
            result.remark = "weights not nested"
        else:
            _score(result, problem, records, pool, shared, chosen, weights, judged)
    members = np.argsort(table.mean(axis=1), kind="stable")[:MEMBERS]
    weights = data.weights(members, without=np.empty(0, int), folds=np.asarray(shared))
    members = members[weights >= LEAST_WEIGHT]
    fits = [_fits(problem, records, pool[m]) for m in members]
    if sum(map(len, fits)) < 2:
        return None
    weights = data.weights(members, without=np.empty(0, int), folds=np.asarray(shared))
    settings = {} if problem.classes is not None else {"bounded": not problem.scheme.ordered}
    result.estimator = make.of(fits, weights, problem.y, **settings)
    result.settings = {pool[m].label: round(float(w), 3) for w, m in zip(weights, members)}
    parts = [[records[pool[m].name, fold] for m in members] for fold in shared]
    result.fit_seconds = np.array([sum(part.fit_seconds for part in fold) for fold in parts])
    result.predict_seconds = np.array([sum(part.predict_seconds for part in fold) for fold in parts])
    return result


def _fits(problem, records, model):
    """The fit on all rows, and those of folds where they are averaged."""
    kept = (records.get((model.name, fold)) for fold in range(len(problem.folds)))
    of_folds = [record.estimator for record in kept if record is not None and record.estimator is not None]
    return [model.estimator, *of_folds[:MOST_FITS]]


def _pool(problem, records, results, done):
    """Models that may join, and the folds that all of them have finished.

    The weights are learned from these folds, and the stack is judged by them: models that have finished much fewer than
    others stay out, as long as two remain.
    """
    able = [m for m in results if _may_join(m, problem)]
    finished = {m.name: [fold for fold in done if (m.name, fold) in records] for m in able}
    most = max(map(len, finished.values()), default=0)
    for share in MOST_FOLDS:
        few = max(MIN_FOLDS, share * most)
        ahead = [m for m in able if len(finished[m.name]) >= few]
        if len(ahead) > 1:
            break
    able = sorted(ahead, key=lambda m: -len(finished[m.name]))
    while able:
        shared = [fold for fold in done if all(fold in finished[m.name] for m in able)]
        if len(shared) >= MIN_FOLDS:
            return able, shared
        able.pop()
    return [], []


def row_gaps(problem, stack, best):
    """Differences of the losses of two models on single rows, where these tell what luck may do; None otherwise.

    They do not if the metric is not a mean over rows, or if rows depend on their group or on those before them.
    """
    if not problem.scheme.at_random:
        return None
    return problem.metric.row_gaps(problem.truth, stack.predictions, best.predictions)


def is_preferred(gaps, of_rows=None):
    """Whether a stack is taken although its loss is a little larger than that of the best model.

    The smallest of many losses flatters its model, while the stack had to beat nobody to be made: a lead that may be
    luck (one-sided t-test at the level `LUCK`) is no reason to prefer a single model to a mean of several. In 127
    comparisons of 28 public tables, of at most 200 rows and with three or ten folds, the stack was better on the rows
    that were left in 96 cases, and in 72 of the 98 in which its cross-validated loss was larger. This rule takes the
    better one in 100 cases, the smaller cross-validated loss in 50.

    Parameters
    ----------
    gaps : ndarray of shape (n_folds,)
        Loss of the stack minus that of the best model.
    of_rows : ndarray of shape (n_rows,) or None
        The same for single rows, if they are independent (:func:`row_gaps`). Of three folds, the spread is hardly
        known, and a lead of 2.9 standard errors would be called luck.
    """
    if len(gaps) < 2:
        return len(gaps) == 1 and bool(gaps[0] <= 0)
    units = gaps if of_rows is None else of_rows
    return is_luck(np.mean(gaps), standard_error(units), len(units))


def luck_level(n_models, classes):
    """Level of the test by which a stack is preferred to a single model that leads it.

    The best of many models is flattered by luck, that of a few hardly. A pool of the probabilities of a few classifiers
    gains little: where it was behind one of three, that one was the better on fresh rows in 12 of 14 worlds of `truth`
    in which they differed by 2 %; means of three regressors were better than the leader in 6 of 7.
    """
    return min(0.5, max(LUCK, 1.5 / max(n_models, 1))) if classes else LUCK


def is_luck(gap, error, units, level=LUCK):
    """Whether a loss that is larger by `gap` may be due to luck: one-sided t-test."""
    if gap <= 0:
        return True
    return bool(units > 1 and np.isfinite(error) and gap <= stdtrit(units - 1, 1 - level) * error)


def useful_members(problem, records, names, folds):
    """Those of the models that have weight in a stack of them, judged on folds that all have finished."""
    names = [name for name in names if all((name, fold) in records for fold in folds)]
    if len(names) < 2:
        return names
    data = _OutOfFold.of_folds(problem, records, names, list(folds))
    weights = data.weights(range(len(names)), without=np.empty(0, int), folds=list(folds))
    return [name for name, weight in zip(names, weights) if weight >= USEFUL_WEIGHT]


def _nested_weights(problem, pool, done, chosen, nested):
    """Weights of each fold from fits inside its training part; None if there is no time for all of them."""
    found = []
    for fold, members in zip(done, chosen):
        inside = nested(fold, [pool[m].name for m in members], len(done))
        if inside is None:
            return None
        rows, predictions = inside
        if problem.classes is None and not problem.scheme.ordered:
            predictions = [within(limits(problem.y[rows]), values) for values in predictions]
        data = _OutOfFold(problem, rows, np.zeros(len(rows)), predictions)
        found.append(data.weights(range(len(members)), without=np.empty(0, int), folds=[0]))
    return found


def _score(result, problem, records, pool, folds, chosen, weights, judged):
    """Scores and predictions of the stack on the test parts of the folds, which `judged` marks among all finished."""
    result.scores = {m.name: np.full(len(judged), np.nan) for m in problem.metrics}
    places = np.flatnonzero(judged)
    shape = (len(problem.y),) if problem.classes is None else (len(problem.y), len(problem.classes))
    total, times = np.zeros(shape), np.zeros(len(problem.y))
    result.tested = {}
    for k, fold in enumerate(folds):
        test = problem.folds[fold][1]
        prior = None if problem.classes is None else _frequencies(problem, problem.folds[fold][0])
        found = combine([_predictions(problem, records, pool[m].name, fold) for m in chosen[k]], weights[k], prior)
        predictions = Predictions(found) if problem.classes is None else Predictions(found.argmax(axis=1), found)
        for score in problem.metrics:
            result.scores[score.name][places[k]] = score(problem.truth[test], predictions)
        result.tested[fold] = predictions
        total[test] += found
        times[test] += 1
    with np.errstate(invalid="ignore"):
        result.predictions = total / (times if total.ndim == 1 else times[:, None])


def _predictions(problem, records, name, fold):
    """Predictions of a member for the test rows of a fold, within the limits of its training rows."""
    found = records[name, fold].predictions
    if problem.classes is not None or problem.scheme.ordered:
        return found
    return within(limits(problem.y[problem.folds[fold][0]]), found)


def _frequencies(problem, rows):
    return np.bincount(problem.truth[rows], minlength=len(problem.classes)) / len(rows)


def _may_join(model, problem):
    if model.status != "done" or model.estimator is None or model.complexity == 0:
        return False
    return problem.classes is None or hasattr(model.estimator, "predict_proba")


class _OutOfFold:
    """Predictions of the models for the test rows of all folds, one below the other."""

    def __init__(self, problem, rows, fold, predictions):
        self.rows, self.fold, self.predictions = rows, fold, predictions
        self.truth, self.classes = problem.truth[rows], problem.classes
        self.prior = None if problem.classes is None else _frequencies(problem, rows)

    @classmethod
    def of_folds(cls, problem, records, names, done):
        """From the records of the outer folds."""
        tests = [problem.folds[fold][1] for fold in done]
        fold = np.repeat(done, [len(test) for test in tests])
        predictions = [np.concatenate([_predictions(problem, records, name, f) for f in done]) for name in names]
        return cls(problem, np.concatenate(tests), fold, predictions)

    def weights(self, members, *, without, folds):
        """Weights of some of the models, from rows that are not among `without`."""
        here = np.isin(self.fold, folds) & ~np.isin(self.rows, without)
        columns = [self.predictions[m][here] for m in members]
        truth = self.truth[here]
        if self.classes is None:
            return combination_weights(np.column_stack(columns), truth)
        return log_pool_weights(_logs(columns, self.prior), truth)
