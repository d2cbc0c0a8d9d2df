"""The table of results: every score, standard error and difference of a comparison is computed here, once, from rows.

A score is a function of means over the rows that a model was tested on. Its standard error comes from the influence of
each row on it (the delta method; for the area under the ROC curve that of DeLong, DeLong and Clarke-Pearson), not from
the spread over folds: folds that are drawn class by class share the class proportions and most of their training rows,
so that their scores differ by less than those of fresh rows. Rows of a group, and neighbours in the order of time,
count as one unit.

References
----------
Bayle, P., Bayle, A., Janson, L. and Mackey, L. (2020). Cross-validation confidence intervals for test error. *NeurIPS*.
DeLong, E. R., DeLong, D. M. and Clarke-Pearson, D. L. (1988). Comparing the areas under two or more correlated receiver
operating characteristic curves. *Biometrics* 44, 837-845.
Nadeau, C. and Bengio, Y. (2003). Inference for the generalization error. *Machine Learning* 52, 239-281.
"""

from dataclasses import dataclass, field

import numpy as np
from scipy.special import stdtr

from statlearn.app.compare.scoring import ROOTS, Predictions

# A score is about the model of all rows, but was measured on the models of the folds, which depend on each other by
# their common training rows. This is the share of Nadeau and Bengio's increase of the variance with which two thirds of
# the errors on fresh rows lie within the ± of a score, as measured by `python -m truth` (54 % without it).
LEVEL_OVERLAP = 0.5


@dataclass(frozen=True)
class Difference:
    """A model against the best one, paired over the rows that both were tested on.

    The variance of the mean difference is increased for training parts that overlap, as in Nadeau and Bengio's test.
    """

    name: str
    mean: float  # positive: worse than the best
    std_error: float
    p_value: float


@dataclass(frozen=True)
class Results:
    """Scores of all models with their standard errors, and the differences to the best one.

    Models that have not finished all folds are scored as if they had: by the score of the model that has finished most
    folds and the difference on those that both have finished.
    """

    metric: str = ""  # the metric that ranks
    scores: dict[str, dict[str, list[float]]] = field(default_factory=dict)  # model -> metric -> value, standard error
    differences: list[Difference] = field(default_factory=list)
    wins: dict[str, float] = field(default_factory=dict)  # share of redraws of the rows in which a model comes first

    def level(self, name, metric=None):
        """Score of a model and its standard error, NaN where they are unknown."""
        value, error = self.scores.get(name, {}).get(metric or self.metric, (float("nan"),) * 2)
        return value, error

    def difference(self, name):
        """The difference of a model to the best one, or None."""
        return next((d for d in self.differences if d.name == name), None)


@dataclass
class Estimate:
    """A score and how each tested row moves it: its error is about the mean of the influences."""

    value: float
    influence: np.ndarray


class Evidence:
    """Predictions of models for the rows of the folds that tested them.

    Parameters
    ----------
    truth : ndarray of shape (n_rows,)
        Values, or numbers of classes.
    folds : list of (train, test)
    tested : dict of str to dict of int to Predictions
        By model and fold.
    metrics : list of Metric
        The ranking one first.
    scheme : Scheme or None
        How rows depend on each other; None for independent rows.
    """

    def __init__(self, truth, folds, tested, metrics, scheme=None):
        self.truth, self.folds, self.metrics = truth, folds, metrics
        self.tested = {name: parts for name, parts in tested.items() if parts}
        self.units = np.arange(len(truth)) if scheme is None else scheme.units(len(truth))
        self._known = {}

    def folds_of(self, name):
        """The folds that a model has finished."""
        return frozenset(self.tested.get(name, ()))

    def estimate(self, name, metric, folds=None):
        """Score of a model on the test rows of some of its folds, by default of all."""
        folds = self.folds_of(name) if folds is None else frozenset(folds)
        key = (name, metric.name, folds)
        if key not in self._known:
            parts = [(self.folds[fold][1], self.tested[name][fold], fold) for fold in sorted(folds)]
            rows = np.concatenate([rows for rows, _, _ in parts]) if parts else np.empty(0, int)
            place = np.concatenate([np.full(len(rows), fold) for rows, _, fold in parts]) if parts else rows
            self._known[key] = estimate(metric, self.truth[rows], joined([p for _, p, _ in parts]), place)
        return self._known[key]

    def rows(self, folds):
        """The tested rows of some folds, in the order of the influences."""
        return np.concatenate([self.folds[fold][1] for fold in sorted(folds)])

    def error(self, influence, folds):
        """Standard error of a score with these influences, and the number of independent units behind it."""
        return standard_error_of(influence, self.units[self.rows(folds)])

    def level(self, name, metric, reference=None):
        """Score and standard error of a model, as if it had finished the folds of the `reference`."""
        own = self.estimate(name, metric)
        error, _ = self.error(own.influence, self.folds_of(name)) if np.isfinite(own.value) else (np.nan, 0)
        error *= np.sqrt(1 + LEVEL_OVERLAP * self.overlap(self.folds_of(name))) if np.isfinite(error) else 1.0
        value = own.value
        if reference is not None and self.folds_of(name) != self.folds_of(reference):
            both = self.folds_of(name) & self.folds_of(reference)
            if not both:
                return float("nan"), float("nan")
            whole = self.estimate(reference, metric).value
            here, there = (self.estimate(n, metric, both).value for n in (name, reference))
            if metric.name in ROOTS and there > 0:
                value = whole * here / there  # a difference of squares could fall below zero
            else:
                value = whole + here - there
        return float(value), float(error)

    def reference(self):
        """The model that has finished most folds, the better one of several; None if there is none."""
        metric = self.metrics[0]
        most = max((len(self.folds_of(name)) for name in self.tested), default=0)
        names = [name for name in self.tested if len(self.folds_of(name)) == most]
        sign = -1.0 if metric.greater_is_better else 1.0
        losses = {name: sign * self.estimate(name, metric).value for name in names}
        return min(names, key=lambda name: (not np.isfinite(losses[name]), losses[name]), default=None)

    def scores(self):
        """Score and standard error of each model by each metric."""
        first = self.reference()
        return {
            name: {metric.name: list(self.level(name, metric, first)) for metric in self.metrics}
            for name in self.tested
        }

    def paired_error(self, name, other, metric):
        """Standard error of the difference of two models on the rows of the folds that both share, and its units."""
        both = self.folds_of(name) & self.folds_of(other)
        if not both:
            return float("nan"), 0
        one, two = (self.estimate(n, metric, both) for n in (name, other))
        return self.error(one.influence - two.influence, both)

    def overlap(self, folds):
        """Nadeau and Bengio's ratio of test to training rows, times the folds of one partition of the rows."""
        ratio = np.mean([len(self.folds[fold][1]) / len(self.folds[fold][0]) for fold in folds])
        n_splits = max(1, round(len(np.unique(self.rows(folds))) / np.mean([len(self.folds[f][1]) for f in folds])))
        return float(n_splits * ratio)


def differences(evidence, scores, names, best):
    """Every model against the best one, as the scores of the table put them."""
    metric = evidence.metrics[0]
    sign = -1.0 if metric.greater_is_better else 1.0
    found = []
    for name in names:
        if name == best:
            continue
        mean = sign * (scores[name][metric.name][0] - scores[best][metric.name][0])
        if not np.isfinite(mean):
            continue
        error, units = evidence.paired_error(name, best, metric)
        error *= np.sqrt(1 + evidence.overlap(evidence.folds_of(name) & evidence.folds_of(best)))
        found.append(Difference(name, float(mean), error, two_sided(mean, error, units - 1)))
    return found


def wins(evidence, names, best, n_draws=2000, seed=0):
    """Share of redraws of the rows in which each model comes first, among those that were tested on the same folds.

    Scores are redrawn from the joint distribution of their errors, with the variance of the test of differences. The
    draws keep to the side of a perfect score on which the scores are: the logarithm of what is left to a perfect score
    is what varies.
    """
    metric = evidence.metrics[0]
    folds = evidence.folds_of(best)
    names = [name for name in names if evidence.folds_of(name) == folds]
    found = [evidence.estimate(name, metric) for name in names]
    names = [name for name, e in zip(names, found) if np.isfinite(e.value)]
    found = [e for e in found if np.isfinite(e.value)]
    if best not in names or len(names) < 2:
        return {}
    labels, place = np.unique(evidence.units[evidence.rows(folds)], return_inverse=True)
    sums = np.array([np.bincount(place, e.influence, minlength=len(labels)) for e in found]) / len(place)
    if len(labels) < 2:
        return {}
    rng = np.random.default_rng(seed)
    sums = (sums - sums.mean(axis=1, keepdims=True)) * np.sqrt(1 + evidence.overlap(folds))
    covariance = sums @ sums.T * len(labels) / (len(labels) - 1)
    values, vectors = np.linalg.eigh(covariance)
    noise = rng.normal(size=(n_draws, len(names))) * np.sqrt(np.maximum(values, 0)) @ vectors.T
    level = np.array([e.value for e in found])
    left = 1 - level if metric.greater_is_better else level
    noise = -noise if metric.greater_is_better else noise
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        draws = np.where(left > 0, left * np.exp(noise / left), left + noise)
    share = np.bincount(draws.argmin(axis=1), minlength=len(names)) / n_draws
    return {name: float(s) for name, s in zip(names, share)}


def two_sided(mean, error, df):
    """Two-sided p-value of a t statistic; without any spread, 1 for no difference and 0 for one."""
    if not np.isfinite(mean) or not np.isfinite(error) or df < 1:
        return float("nan")
    if error <= 1e-12 * abs(mean) or error == 0:
        return 1.0 if mean == 0 else 0.0
    return float(2 * stdtr(df, -abs(mean) / error))


def standard_error_of(influence, units):
    """Root of the variance of a mean of influences where the rows of a unit move together, and the number of units."""
    labels, place = np.unique(units, return_inverse=True)
    n = len(labels)
    if n < 2:
        return float("nan"), n
    sums = np.bincount(place, influence, minlength=n) / len(influence)
    return float(np.sqrt(n / (n - 1) * np.sum((sums - sums.mean()) ** 2))), n


def joined(parts):
    """Predictions for several sets of rows, one below the other."""

    def stack(name):
        found = [getattr(part, name) for part in parts]
        return None if not found or any(item is None for item in found) else np.concatenate(found)

    return Predictions(*(stack(name) for name in ("values", "probabilities", "scores")))


def estimate(metric, truth, predictions, fold=None):
    """Score of predictions for rows and the influence of each row.

    Areas under the ROC curve compare rows of the same fold only, since scores of different models are no ranking. All
    other metrics look at all rows together: an R² of each of many small folds would say little.

    Parameters
    ----------
    metric : Metric
    truth : ndarray of shape (n_rows,)
    predictions : Predictions
    fold : ndarray of shape (n_rows,) or None
        The fold that each row belongs to.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.app.compare.results import estimate
    >>> from statlearn.app.compare.scoring import METRICS, Predictions
    >>> found = estimate(METRICS["regression"]["rmse"], np.array([1.0, 2.0]), Predictions(np.array([1.0, 4.0])))
    >>> round(found.value, 3), found.influence.round(3).tolist()
    (1.414, [-0.707, 0.707])
    """
    lacks = {"probabilities": predictions.probabilities is None, "values": predictions.values is None}
    lacks["ranking"] = predictions.probabilities is None and predictions.scores is None
    if lacks[metric.needs] or len(truth) == 0:
        return Estimate(float("nan"), np.full(len(truth), np.nan))
    if metric.row_loss is not None:
        losses = metric.row_loss(truth, predictions)
        mean = losses.mean()
        influence = losses - mean
        if metric.name in ROOTS:
            root = np.sqrt(mean)
            return Estimate(float(root), influence / (2 * root) if root > 0 else influence)
        if metric.greater_is_better:  # the accuracy, whose loss is the share of errors
            return Estimate(float(1 - mean), -influence)
        return Estimate(float(mean), influence)
    return _OTHERS[metric.name](truth, predictions, np.zeros(len(truth), int) if fold is None else fold)


def _ratio(above, below):
    """A ratio of two means over rows."""
    if below.mean() == 0:
        return Estimate(float("nan"), np.full(len(above), np.nan))
    value = above.mean() / below.mean()
    return Estimate(float(value), (above - value * below) / below.mean())


def _r2(truth, predictions, fold):
    found = _ratio((truth - predictions.values) ** 2, (truth - truth.mean()) ** 2)
    return Estimate(1 - found.value, -found.influence)


def _median_error(truth, predictions, fold):
    """The median, with the density of the errors around it from the quartiles of the normal distribution's kernel."""
    sizes = np.abs(truth - predictions.values)
    middle = np.median(sizes)
    low, high = np.quantile(sizes, [0.25, 0.75])
    width = 0.9 * min(sizes.std(), (high - low) / 1.349 or sizes.std()) * len(sizes) ** -0.2
    if width == 0:
        return Estimate(float(middle), np.zeros(len(sizes)))
    density = np.mean(np.exp(-0.5 * ((sizes - middle) / width) ** 2)) / (width * np.sqrt(2 * np.pi))
    return Estimate(float(middle), (0.5 - (sizes <= middle)) / max(density, 1e-300))


def _balanced_accuracy(truth, predictions, fold):
    classes = np.unique(truth)
    parts = [_ratio((truth == k) * (predictions.values == k) * 1.0, (truth == k) * 1.0) for k in classes]
    return _mean_of(parts)


def _f1(truth, predictions, fold):
    def one(k):
        actual, said = truth == k, predictions.values == k
        if not (actual | said).any():
            return Estimate(0.0, np.zeros(len(truth)))
        return _ratio(2.0 * (actual & said), actual * 1.0 + said)

    classes = np.unique(np.concatenate([truth, predictions.values]))
    return one(1) if classes.max() <= 1 else _mean_of([one(k) for k in classes])


def _mean_of(parts):
    return Estimate(float(np.mean([p.value for p in parts])), np.mean([p.influence for p in parts], axis=0))


def _roc_auc(truth, predictions, fold):
    table = predictions.probabilities if predictions.probabilities is not None else predictions.scores
    if table.ndim == 1:
        return _area(truth == 1, table, fold)
    if table.shape[1] == 2:
        return _area(truth == 1, table[:, 1], fold)
    parts = [_area(truth == k, table[:, k], fold) for k in np.unique(truth)]
    parts = [part for part in parts if np.isfinite(part.value)]
    return _mean_of(parts) if parts else Estimate(float("nan"), np.full(len(truth), np.nan))


def _area(positive, scores, fold):
    """Share of the pairs of a positive and a negative row of the same fold that are in order, ties counting one half.

    A row's influence is the share of its own pairs that are in order, as in DeLong's variance.
    """
    wins, pairs = np.zeros(len(scores)), np.zeros(len(scores))
    for k in np.unique(fold):
        here = np.flatnonzero(fold == k)
        up, down = here[positive[here]], here[~positive[here]]
        if len(up) == 0 or len(down) == 0:
            continue
        wins[up], wins[down] = _wins(scores[up], scores[down]), len(up) - _wins(scores[down], scores[up])
        pairs[up], pairs[down] = len(down), len(up)
    total = pairs[positive].sum()
    if total == 0:
        return Estimate(float("nan"), np.full(len(scores), np.nan))
    value = wins[positive].sum() / total
    return Estimate(float(value), (wins - value * pairs) * len(scores) / total)


def _wins(scores, others):
    """For each score the number of others below it, ties counting one half."""
    others = np.sort(others)
    return 0.5 * (np.searchsorted(others, scores, "left") + np.searchsorted(others, scores, "right"))


_OTHERS = {
    "r2": _r2,
    "median_ae": _median_error,
    "balanced_accuracy": _balanced_accuracy,
    "f1": _f1,
    "roc_auc": _roc_auc,
}
