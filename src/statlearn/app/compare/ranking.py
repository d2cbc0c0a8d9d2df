"""What the scores say: ranks, differences with their tests, the simplest model that is as good, and the verdict."""

import numpy as np
from scipy.special import erfinv

from statlearn.app.compare import fitting
from statlearn.app.compare.portfolio.selection import STACK
from statlearn.app.compare.scoring import METRICS, ROOTS
from statlearn.app.compare.stack import is_luck, luck_level
from statlearn.app.honesty.wording import say
from statlearn.app.names import mean_and_error, plus_minus, with_article
from statlearn.app.setting_names import joined, listed
from statlearn.app.tables.profile import LEFT_OUT

ALPHA = 0.05  # level of the tests in the verdict
DOMINATED = 0.17  # share of the squared error in a hundredth of the rows; empirical
MUCH_WORSE = 1.5  # ratio of two losses from which "not significantly worse" would mislead
CERTAIN_SIGNAL = 0.01  # level of the test of all columns together, which replaces that over the folds
FEW_FOLDS = 4  # too few for a test to find much
MANY_COPIES = 0.1  # share of rows with a copy in the training part, from which the verdict says so


def paired_means(table):
    """Mean loss of each model, as if all had finished the same folds.

    Models that have finished fewer folds than others would be judged by easier or harder ones. Each is compared with
    the model that has finished most (the better one of several), on the folds that both have finished; its mean is that
    model's mean plus the mean difference.

    Parameters
    ----------
    table : ndarray of shape (n_models, n_folds)
        Losses, NaN where a fold was not finished.

    Returns
    -------
    ndarray of shape (n_models,)
        NaN for a model without a finished fold.
    """
    finished = np.isfinite(table)
    counts = finished.sum(axis=1)
    plain = np.array([row[here].mean() if here.any() else np.nan for row, here in zip(table, finished)])
    if not counts.any():
        return plain
    most = np.flatnonzero(counts == counts.max())
    reference = most[np.argmin(plain[most])]
    means = plain.copy()
    for k in np.flatnonzero(counts):
        both = finished[k] & finished[reference]
        if both.any():
            means[k] = plain[reference] + np.mean(table[k, both] - table[reference, both])
    return means


def leading(table, others):
    """Which row of a table of losses is the best one, or None.

    Models that have finished less than half of the folds that others have cannot lead: few folds make a lucky winner.

    Parameters
    ----------
    table : ndarray of shape (n_models, n_folds)
        Losses, NaN where a fold was not finished.
    others : ndarray of bool
        False for the baseline, whose folds do not count as those of others.

    Returns
    -------
    int or None
    """
    counts = np.isfinite(table).sum(axis=1)
    enough = max(counts[others].max(initial=0) / 2, 1)
    means = np.where(counts >= enough, paired_means(table), np.inf) if len(table) else np.empty(0)
    return int(np.argmin(means)) if np.isfinite(means).any() else None


def rank(results, table, metric, evidence):
    """Best first, by the scores of the table. Ties go to the simpler model; models without scores come last.

    A model that was not fitted on all rows, or has finished less than half of the folds that others have, cannot be the
    best: few folds make a lucky winner. A stack that is not significantly behind the best model comes before it,
    see :func:`statlearn.app.compare.stack.is_luck`.
    """
    sign = -1.0 if metric.greater_is_better else 1.0

    def loss(model):
        return sign * table.level(model.name)[0]

    def key(model):
        if model.status != "done":
            return (2, 0.0, model.complexity, model.name)
        known = np.isfinite(loss(model))
        return (0 if known else 1, loss(model) if known else 0.0, model.complexity, model.name)

    ranked = sorted(results, key=key)
    folds = {model.name: len(evidence.folds_of(model.name)) for model in ranked}
    enough = max((folds[m.name] for m in ranked if m.complexity > 0 and m.estimator is not None), default=0) / 2
    usable = [m for m in ranked if m.status == "done" and m.estimator is not None and np.isfinite(loss(m))]
    usable = [m for m in usable if folds[m.name] >= enough] or usable
    if not usable:
        return ranked
    first = usable[0]
    stack = next((m for m in usable if m.name == STACK), None)
    if stack is not None and first.complexity > 0 and stack is not first:
        error, units = evidence.paired_error(stack.name, first.name, metric)
        n_single = sum(m.complexity > 0 for m in usable) - 1
        level = luck_level(n_single, metric.name in METRICS["classification"])
        if is_luck(loss(stack) - loss(first), error, units, level):
            first = stack
    return [first, *(model for model in ranked if model is not first)]


def simplest_within_one_se(ranked, table, evidence):
    """Name of the simplest model within one standard error of the best one, by the scores of the table.

    A baseline that is significantly worse is none of them: the errors of two scores are larger than that of their
    difference.
    """
    best = ranked[0]
    error = table.level(best.name)[1]
    limit = error if np.isfinite(error) else 0.0
    gaps = {d.name: d.mean for d in table.differences} | {best.name: 0.0}
    beaten = {d.name for d in table.differences if d.p_value < ALPHA and d.mean > 0}
    enough = len(evidence.folds_of(best.name)) / 2
    near = [
        (model.complexity, gaps[model.name], model.name)
        for model in ranked
        if model.status == "done" and model.estimator is not None and gaps.get(model.name, np.inf) <= limit
        and not (model.complexity == 0 and model.name in beaten)
        and len(evidence.folds_of(model.name) & evidence.folds_of(best.name)) >= enough
    ]  # fmt: skip
    return min(near)[2] if near else best.name


def count_parameters(pipeline):
    """Non-zero coefficients of a linear model, leaves of a tree if the model has them; None otherwise."""
    model = _model_of(pipeline)
    coefficients = getattr(model, "coef_", None)
    if coefficients is not None:
        if hasattr(coefficients, "nnz"):
            return int(coefficients.nnz)
        return int(np.count_nonzero(np.asarray(coefficients)))
    for name in ("n_leaves_", "n_parameters_"):
        if isinstance(getattr(model, name, None), (int, np.integer)):
            return int(getattr(model, name))
    return 1 if hasattr(model, "constant_") else None


def _model_of(pipeline):
    return pipeline.steps[-1][1] if hasattr(pipeline, "steps") else pipeline


def size_of(pipeline):
    """Bytes of the fitted model without its preparation of the table, as pickle would write it."""
    return fitting.size_of(_model_of(pipeline))


def verdict(result):
    """Which model is best and by how much it beats the baseline, which simpler one would do, and what did not run."""
    parts = [_first(result), _held_out(result), _copies(result), _not_finished(result), _left_out(result)]
    return " ".join(filter(None, parts))


def _first(result):
    metric = METRICS[result.task][result.metric]
    best = result.model(result.best)
    number = plus_minus(*result.level(best.name))
    gaps = {d.name: d for d in result.differences}
    if result.best == result.baseline:
        words = {"model": best.label, "score": f"{metric.label} {number}", "target": result.target}
        if result.signal < CERTAIN_SIGNAL:
            return say("NO-MODEL-FOR-SIGNAL", **words, signal=_p(result.signal))
        return say("NOTHING-BEATS-BASELINE", **words)
    words = {"number": number, "folds": _folds(result)}
    if _level_with(result, gaps):
        other = result.model(_level_with(result, gaps))
        shown = _level(result, other.name)
        first = say("STACK-PREFERRED", model=other.label, metric=metric.label, other=shown, **words)
    else:
        first = say("BEST", model=_title(best.label), metric=with_article(metric.label), **words)
    return f"{first}{_against_baseline(result, gaps.get(result.baseline))} {_second(result, gaps)}"


def _against_baseline(result, gap):
    """The end of the first sentence."""
    if gap is None:
        return say("NO-BASELINE")
    words = {"number": _level(result, result.baseline), "p": _p(gap.p_value)}
    if gap.p_value < ALPHA:
        return say("BETTER-THAN-BASELINE", **words)
    if gap.mean > 0 and result.signal < CERTAIN_SIGNAL:
        return say("SIGNAL-BY-TEST", **words, signal=_p(result.signal))
    if _finished(result) < FEW_FOLDS:
        return say("TOO-FEW-FOLDS", folds=_finished(result), **words)
    return say("NOT-BETTER-THAN-BASELINE", **words)


def _level_with(result, gaps):
    """Name of the model with a better mean than the stack that was preferred to it, or nothing."""
    ahead = [m for m in result.models if m.name in gaps and gaps[m.name].mean < 0 and m.estimator is not None]
    ahead = [m for m in ahead if np.isfinite(m.scores[result.metric]).sum() >= _finished(result)]
    return min(ahead, key=lambda m: gaps[m.name].mean).name if ahead and result.best == STACK else ""


def _second(result, gaps):
    others = [m for m in result.models if m.name in gaps and m.name != result.baseline]
    if not others:
        return say("ALONE")
    if result.simplest == result.best:
        # A wild score is not significantly worse either: what does not beat the baseline is not called a tie.
        floor = gaps[result.baseline].mean if result.baseline in gaps else np.inf
        level = [m for m in others if gaps[m.name].p_value >= ALPHA]
        tied = [m for m in level if gaps[m.name].mean < floor]
        none = _no_simpler(result, others, gaps)
        if len(others) == 1 and level and _may_be_much_worse(result, gaps[others[0].name]):
            return say("ONLY-OTHER-OPEN", model=others[0].label, p=_p(gaps[others[0].name].p_value))
        if len(others) == 1:
            return say("ONLY-OTHER-TIED" if level else "ONLY-OTHER-WORSE", model=_title(others[0].label))
        if not tied:
            worse = "significantly worse" + (" or no better than the baseline" if level else "")
            return say("ALL-OTHERS-WORSE", none=none, others=_all(len(others)), worse=worse)
        partial = sum(np.isfinite(m.scores[result.metric]).sum() < _finished(result) for m in tied)
        few = f" ({partial} of them on fewer folds)" if partial else ""
        if len(tied) == len(others):
            which = "neither of the others is" if len(others) == 2 else f"none of the {len(others)} others is"
        elif len(tied) <= 2:
            shown = [f"{m.label} ({_level(result, m.name)})" for m in tied]
            which = f"{' and '.join(shown)} {'is' if len(tied) == 1 else 'are'} not"
        else:
            which = f"{len(tied)} of the {len(others)} others are not"
        return say("OTHERS-TIED", none=none, which=which, few=few)
    if result.simplest == result.baseline:
        return say("BASELINE-NEAR")
    simple = result.model(result.simplest)
    gap = gaps.get(simple.name)
    code = "SIMPLEST-TIED" if gap is None or gap.p_value >= ALPHA else "SIMPLEST-WORSE"
    return say(code, model=_title(simple.label), p="" if gap is None else f" ({_p(gap.p_value)})")


def _may_be_much_worse(result, gap):
    """Whether a loss half as large again as that of the best model is within two standard errors of the difference."""
    value, _ = result.level(result.best)
    return not result.greater_is_better and gap.mean + 2 * gap.std_error > (MUCH_WORSE - 1) * abs(value)


def _no_simpler(result, others, gaps):
    """The beginning of a sentence: on the few folds of an unfinished model, a simpler one may be as good."""
    best = result.model(result.best)
    _, error = result.level(best.name)
    near = any(m.complexity < best.complexity and gaps[m.name].mean <= error for m in others)
    return "No simpler model with enough finished folds" if near else "No simpler model"


def _held_out(result):
    """The score of the best model on the held-out rows, with its interval where one can be trusted."""
    value, low, high = result.holdout_scores.get(result.best, {}).get(result.metric, (np.nan,) * 3)
    known = bool(np.isfinite([low, high]).all())
    if not np.isfinite(value):
        return ""
    settings = getattr(result, "settings", {})
    code = "HELD-OUT"
    if settings.get("time_order"):
        code = "HELD-OUT-LATEST"
    elif settings.get("groups") and not known:
        code = "HELD-OUT-FEW-GROUPS"
    elif not known or high <= low:  # equal losses of all rows say nothing of others
        return ""
    elif _is_dominated(result):
        code = "HELD-OUT-ROUGH"
    numbers = {"number": mean_and_error(value, result.level(result.best)[1])[0]}
    if code == "HELD-OUT":
        shown = [mean_and_error(v, (high - low) / 4)[0] for v in (value, low, high)]
        numbers = dict(zip(("number", "low", "high"), shown))
    return say(
        code,
        rows=f"{len(result.holdout_rows):,}",
        model="the baseline" if result.best == result.baseline else "the best model",
        metric=with_article(METRICS[result.task][result.metric].label),
        **numbers,
    )


def held_out_words(result):
    """What the range of a held-out score is, for the report."""
    unused = "held-out rows, which were not used for fitting, tuning or ranking"
    if result.settings.get("time_order"):
        return f"the range is for stretches of time like those of the {unused}; later rows may differ by more"
    if _is_dominated(result):
        return f"the range is a guess from {unused}: a few rows hold much of the error"
    return f"the range is a 95 % interval from {unused}"


def _is_dominated(result):
    """Whether a few rows hold so much of the squared error that no interval for its mean can be trusted.

    The largest hundredth of normal errors holds 8 % of their sum of squares, that of Laplace's 16 %, and 27 % of those
    of Student's distribution with three degrees of freedom, for whose squares 95 % intervals hold in 70 % of the cases.
    """
    found = result.model(result.best).predictions
    if result.task != "regression" or result.metric not in (*ROOTS, "mse", "r2") or found is None:
        return False
    squares = [(np.asarray(result.y_true, float) - found) ** 2]
    if result.best in result.holdout_predictions:
        squares.append((np.asarray(result.y_holdout, float) - result.holdout_predictions[result.best]) ** 2)
    squares = np.sort(np.concatenate(squares)[np.isfinite(np.concatenate(squares))])[::-1]
    n = len(squares)
    if n < 2 or squares.sum() == 0:
        return False
    by_chance = 2 * erfinv(1 - 0.01 / n) ** 2 / n  # share of the largest of n normal errors, but for 1 % of tables
    return bool(squares[: -(-n // 100)].sum() > max(DOMINATED, by_chance) * squares.sum())


def _copies(result):
    """The share of rows that are copies of others, where it makes the errors too small."""
    if result.copied < MANY_COPIES:
        return ""
    return say("COPIES", share=f"{result.copied:.0%}")


def _all(n):
    return "both others" if n == 2 else f"all {n} others"


def _not_finished(result, most=4):
    """The models that ran out of time."""
    waiting = [m.label for m in result.models if m.status == "out of time"]
    if not waiting:
        return ""
    shown = joined(waiting[:most]) + (f" and {len(waiting) - most} more" if len(waiting) > most else "")
    return say("OUT-OF-TIME", models=shown)


def _left_out(result):
    """Columns that no model has seen without having been asked for."""
    asked = result.settings.get("drop", ())
    left_out = result.profile.left_out
    names = [name for name, reason in left_out.items() if name not in asked and reason != LEFT_OUT["leak"]]
    return say("LEFT-OUT", columns=listed(names)) if names else ""


def _level(result, name):
    """The score of a model, with no more decimals than that of the best one has."""
    mean, error = result.level(name)
    _, best = result.level(result.best)
    return mean_and_error(mean, max(error, best) if np.isfinite(best) else error)[0]


def _finished(result):
    return int(np.isfinite(result.model(result.best).scores[result.metric]).sum())


def _folds(result):
    n = _finished(result)
    planned = result.settings.get("folds", n) * result.settings.get("repeats", 1)
    return f"{n} outer folds" if n >= planned else f"{n} of {planned} outer folds"


def _p(value):
    return "p < 0.001" if value < 0.001 else f"p = {value:.2g}"


def _title(label):
    """The label at the beginning of a sentence."""
    return "The stack" if label == STACK else label[0].upper() + label[1:]
