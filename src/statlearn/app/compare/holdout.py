"""Scores on the held-out rows, with intervals for those of other rows.

Independent rows are resampled. Rows of a group, and neighbours in time, are alike: there an interval has to come from
the differences between groups or stretches of time, and none is given where there are few of them.
"""

import numpy as np
from scipy.special import stdtrit

from statlearn.app.compare.results import estimate, standard_error_of
from statlearn.app.compare.scoring import METRICS, ROOTS, predictions_of

MIN_UNITS = 12  # groups or stretches of time behind an interval: with 8, 95 % intervals hold in 90 % of simulations
MOST_ERRORS = 5.0  # standard errors that an end may be away from the score


def score_holdout(models, X, truth, problem, confidence=0.95, scheme=None):
    """Scores on the held-out rows with intervals, and the predictions, by model.

    Parameters
    ----------
    models : list of ModelResult
    X : native data frame
    truth : ndarray
    problem : Problem
    confidence : float
    scheme : Scheme or None
        How the held-out rows depend on each other; None for independent rows.

    Returns
    -------
    scores : dict of str to dict of str to (value, low, high)
    tables : dict of str to ndarray
    """
    from statlearn.assess import bootstrap_intervals

    n_classes = None if problem.classes is None else len(problem.classes)
    predictions = {model.name: predictions_of(model.estimator, X, problem.classes) for model in models}
    scores = {name: {} for name in predictions}
    options = {"confidence": confidence, "random_state": problem.seed, "stratify": problem.classes is not None}
    fast = {}
    for name, predicted in predictions.items():
        for metric in problem.metrics:
            value = metric(truth, predicted)
            scores[name][metric.name] = (value, float("nan"), float("nan"))
            if scheme is not None and not scheme.at_random:
                units = scheme.units(len(truth))
                scores[name][metric.name] = (
                    value,
                    *_limits_by_unit(metric, truth, predicted, units, confidence, problem.seed),
                )
            elif np.isfinite(value) and len(truth) >= 5:
                case = _fast_case(metric, truth, predicted)
                if case is None:
                    scores[name][metric.name] = (value, *_limits(metric, truth, predicted, options))
                else:
                    fast[name, metric.name] = case
    for metrics in (_MEANS, set(_FAST) - _MEANS):
        cases = {key: case for key, case in fast.items() if key[1] in metrics}
        # The loss of a mean over rows depends on how many rows each class has, which resampling by class would hold
        # fixed. A few rows often carry much of the loss: of all intervals, the studentized one suffers least from it.
        own = {"stratify": False, "method": "studentized"} if metrics is _MEANS else {}
        for (name, metric), found in zip(cases, bootstrap_intervals(list(cases.values()), truth, **options | own)):
            scores[name][metric] = (scores[name][metric][0], float(found.low), float(found.high))
    return scores, {name: predicted.table(n_classes) for name, predicted in predictions.items()}


# Names of the same metrics in scikit-learn, which the bootstrap has fast ways for, and what they take.
_FAST = {
    "rmse": ("root_mean_squared_error", "values"),
    "mse": ("mean_squared_error", "values"),
    "mae": ("mean_absolute_error", "values"),
    "r2": ("r2_score", "values"),
    "log_loss": ("log_loss", "probabilities"),
    "roc_auc": ("roc_auc_score", "second"),
    "brier": ("brier_score_loss", "second"),
}


# Means over rows, or functions of one.
_MEANS = {name for metrics in METRICS.values() for name, metric in metrics.items() if metric.row_loss is not None}


def _fast_case(metric, truth, predictions):
    """The pair (metric, predictions) for `bootstrap_intervals`; None where it has no fast way."""
    name, takes = _FAST.get(metric.name, (None, None))
    table = predictions.probabilities
    two = table is not None and table.shape[1] == 2
    if takes == "values":
        return name, predictions.values
    present = len(np.unique(truth))
    if takes == "second" and two and present == 2:
        return name, table[:, 1]
    if takes == "probabilities" and present == table.shape[1]:
        return name, table[:, 1] if two else table
    return None


def _limits(metric, truth, predictions, options):
    from statlearn.assess import bootstrap_interval, score_interval

    if metric.name == "accuracy":
        hits = int(np.sum(truth == predictions.values))
        found = score_interval(hits, len(truth), confidence=options["confidence"])
    else:
        rows = np.arange(len(truth))
        found = bootstrap_interval(
            lambda _, i: metric(truth[i], predictions.rows(i)), truth, rows, n_resamples=200, **options
        )
    return float(found.low), float(found.high)


def _limits_by_unit(metric, truth, predictions, units, confidence, seed):
    """Ends of an interval from the differences between units: a bootstrap-t of units for losses, else a t interval."""
    found = estimate(metric, truth, predictions)
    error, n = standard_error_of(found.influence, units)
    if n < MIN_UNITS or not np.isfinite(error):
        return float("nan"), float("nan")
    if metric.row_loss is None or metric.greater_is_better:
        reach = stdtrit(n - 1, 0.5 + 0.5 * confidence) * error
        return found.value - reach, found.value + reach
    _, place = np.unique(units, return_inverse=True)
    ends = _ratio_limits(np.bincount(place, metric.row_loss(truth, predictions)), np.bincount(place), confidence, seed)
    return tuple(float(np.sqrt(end) if metric.name in ROOTS else end) for end in ends)


def _ratio_limits(sums, counts, confidence, seed, n_draws=1000):
    """Bootstrap-t interval of the mean of a loss from its sums by unit, on the scale of logarithms."""
    rows = np.random.default_rng(seed).integers(0, len(sums), (n_draws, len(sums)))
    centre, relative = _mean_and_error(sums, counts)
    if not centre > 0:
        return centre, centre
    with np.errstate(divide="ignore", invalid="ignore"):
        means, errors = _mean_and_error(sums[rows], counts[rows])
        ratios = np.log(means / centre) / errors
    ratios = np.clip(ratios[~np.isnan(ratios)], -MOST_ERRORS, MOST_ERRORS)
    if not len(ratios):  # the loss is the same in all units
        return centre, centre
    tails = [0.5 + 0.5 * confidence, 0.5 - 0.5 * confidence]
    return tuple(centre * np.exp(-q * relative) for q in np.quantile(ratios, tails))


def _mean_and_error(sums, counts):
    """A ratio of two sums over units, and its relative standard error."""
    n, total = sums.shape[-1], counts.sum(axis=-1)
    mean = sums.sum(axis=-1) / total
    rest = sums - mean[..., None] * counts
    with np.errstate(divide="ignore", invalid="ignore"):
        return mean, np.sqrt(n / (n - 1) * np.sum(rest**2, axis=-1)) / total / mean
