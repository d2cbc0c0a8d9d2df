"""What a fitted model does with a table: learning curve, importance of the columns, partial dependence, worst rows.

Each function works on any fitted pipeline and any table (`statlearn._core.frames`). Importances and partial dependence
take a `Clock` and stop between two units of work when it has run out; a note then names the parts that were skipped.
The learning curve takes a fixed number of fits, so that it does not depend on the load of the machine.
"""

import time
import warnings
from dataclasses import replace

import numpy as np

from statlearn._core.frames import cells, column_from_rows, column_names, missing, n_rows, take_rows
from statlearn._core.inspection import MAX_CELLS, predict_on_grid
from statlearn._core.text_values import date_format, read_date

from ..compare.result import Inspection, LearningCurve, PartialDependence, WorstRow
from ..compare.splits import mixed_order
from .importance import MAX_ROWS, AllClasses, Clock, permutation_importance, predict_values

MIN_UNSEEN = 30  # held-out rows; with fewer, a share of the training rows serves
MAX_DEPENDENCE_ROWS = 300
LONG = 10_000  # rows from which three folds tell enough
MAX_LEVELS = 12
N_VALUES = 20


def inspect_model(
    estimator,
    X,
    y,
    *,
    task,
    metric,
    score,
    greater_is_better,
    unseen=None,
    splits=None,
    predictions=None,
    rows=None,
    n_dependence=4,
    n_worst=8,
    n_curves=0,
    learning=True,
    seconds=20.0,
    seed=0,
):
    """All inspections of one model.

    Parameters
    ----------
    estimator : fitted pipeline
        Fitted on `X`, `y`.
    X, y : table and array
        The training rows.
    task : {"regression", "classification"}
    metric : str
        Name of what `score` computes.
    score : callable
        ``score(y_true, prediction)`` with the prediction as `predict_values` gives it: values, or one column per
        class.
    greater_is_better : bool
    unseen : (table, array) or None
        Rows that the model has not seen, for the importances. None sets a third of the training rows aside and fits
        a clone on the others.
    splits : list of (train, test) or None
        Positions for the learning curve; None makes five folds, three in long tables.
    predictions : ndarray or None
        Out-of-fold predictions of the training rows, for the worst rows.
    rows : ndarray or None
        Position of each training row in the table as read; None counts from 0.
    n_dependence, n_worst : int
        How many columns and rows are looked at.
    n_curves : int
        Rows whose own curves are kept beside each partial dependence.
    learning : bool
        Whether to fit clones for a learning curve.
    seconds : float
        For importances and partial dependence.
    seed : int

    Returns
    -------
    Inspection
    """
    started = time.monotonic()
    rng = np.random.default_rng(seed)
    found = Inspection()
    if predictions is not None:
        classes = getattr(estimator, "classes_", None)
        found.worst = worst_rows(X, y, predictions, task=task, classes=classes, rows=rows, n=n_worst)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the comparison itself has collected what the fits had to say
        seen_by, test_X, test_y = _unseen(estimator, X, y, unseen, task, rng)
        begin = time.monotonic()
        predict_values(estimator, take_rows(test_X, np.arange(min(n_rows(test_X), 50))))
        one_prediction = time.monotonic() - begin
        found.importance = permutation_importance(
            seen_by,
            test_X,
            test_y,
            metric=metric,
            score=score,
            greater_is_better=greater_is_better,
            clock=Clock(0.45 * seconds),
            seed=seed,
            notes=found.notes,
        )
        by_name = {name: j for j, name in enumerate(column_names(X))}
        clock = Clock(0.2 * seconds)
        for name, drop in zip(found.importance.columns[:n_dependence], found.importance.mean):
            if drop <= 0 or not clock.allows(one_prediction):
                break
            found.dependence.append(
                partial_dependence(estimator, X, by_name[name], task=task, n_curves=n_curves, seed=seed)
            )
        if learning:
            found.learning = learning_curve(
                estimator, X, y, task=task, metric=metric, score=score, splits=splits, seed=seed, notes=found.notes
            )
    found.seconds = time.monotonic() - started
    return found


def inspect_comparison(comparison, *, seconds=20.0, models=None, learning=True):
    """Inspect the finished models of a comparison, the best and the simplest first.

    Parameters
    ----------
    comparison : Comparison
        With its `features`.
    seconds : float
        Budget of the whole; the best and the simplest get three shares each, the others one.
    models : sequence of str or None
        None takes all that have a fitted model, the baseline aside.
    learning : bool
        Whether the best and the simplest model get a learning curve.

    Returns
    -------
    Comparison
        With the inspections of these models.
    """
    from ..compare.scoring import METRICS, score_function

    found = comparison
    X = take_rows(found.features, found.train_rows)
    unseen = None
    if len(found.holdout_rows) >= MIN_UNSEEN and len(found.y_holdout) == len(found.holdout_rows):
        unseen = (take_rows(found.features, found.holdout_rows), found.y_holdout)
    first = [found.best, found.simplest]
    wanted = [m.name for m in found.models if m.name != found.baseline] if models is None else models
    waiting = [m for m in found.models if m.name in wanted and m.status == "done" and m.estimator is not None]
    waiting.sort(key=lambda m: first.index(m.name) if m.name in first else len(first))
    clock = Clock(seconds)
    weights, inspections = [3.0 if m.name in first else 1.0 for m in waiting], {}
    for k, model in enumerate(waiting):
        if clock.left <= 0:
            break
        metric = _metric_for(model.estimator, METRICS[found.task], found)
        try:
            inspections[model.name] = inspect_model(
                model.estimator,
                X,
                found.y_true,
                task=found.task,
                metric=metric.name,
                score=score_function(metric, getattr(model.estimator, "classes_", None)),
                greater_is_better=metric.greater_is_better,
                unseen=unseen,
                predictions=model.predictions,
                rows=found.train_rows,
                n_dependence=6 if model.name in first else 4,
                learning=learning and model.name in first,
                seconds=max(clock.left, 0.0) * weights[k] / sum(weights[k:]),
                seed=int(found.settings.get("seed") or 0),
            )
        except (ArithmeticError, AttributeError, LookupError, RuntimeError, TypeError, ValueError) as error:
            # The comparison may have taken hours: it is not lost for the sake of a picture.
            words = f"This model could not be inspected: {type(error).__name__}: {error}"
            inspections[model.name] = Inspection(notes=[words])
    return replace(found, models=[replace(m, inspection=inspections.get(m.name, m.inspection)) for m in found.models])


def _metric_for(estimator, known, comparison):
    """The comparison's metric; for a classifier without probabilities the first that needs none."""
    ranking = known[comparison.metric]
    if ranking.needs == "values" or hasattr(estimator, "predict_proba"):
        return ranking
    return next(known[name] for name in [*comparison.metrics, *known] if known[name].needs == "values")


def learning_curve(estimator, X, y, *, task, metric, score, splits=None, n_sizes=5, seed=0, notes=None):
    """Score on seen and unseen rows against the number of rows learnt from.

    Clones are fitted to `n_sizes` beginnings of the training part of each split: 25 fits, 15 in long tables. In
    classification every beginning holds the classes in about their proportions. Sizes that a model cannot be fitted to
    are left out; None when fewer than two remain.
    """
    from sklearn.exceptions import FitFailedWarning

    from statlearn import assess

    rng = np.random.default_rng(seed)
    y = np.asarray(y)
    splits = _folds(y, task, rng) if splits is None else list(splits)
    orders = [np.asarray(train)[mixed_order(y[train], task == "classification", rng)] for train, _ in splits]
    tests = [rng.permutation(test)[:MAX_ROWS] for _, test in splits]  # a table may be sorted
    smallest = min(len(order) for order in orders)
    fractions = np.geomspace(max(0.05, min(0.5, 20 / smallest)), 1.0, n_sizes)
    sizes = np.unique(np.maximum((fractions * smallest).astype(int), 2))

    def scorer(model, table, target):
        looked = take_rows(table, np.arange(min(n_rows(table), MAX_ROWS)))
        return float(score(np.asarray(target)[:MAX_ROWS], predict_values(AllClasses(model, y), looked)))

    with warnings.catch_warnings():  # too few rows for this method
        warnings.simplefilter("ignore", FitFailedWarning)
        warnings.filterwarnings("ignore", message="Scoring failed")
        try:
            found = assess.learning_curve(
                estimator, X, y, cv=list(zip(orders, tests)), train_sizes=sizes, scoring=scorer
            )
        except ValueError:  # every fit has failed
            return _few_sizes([], sizes, notes)
    done = np.flatnonzero(np.isfinite(found.test_scores).all(axis=1))
    if len(done) < len(sizes):
        _few_sizes(done, sizes, notes)
    if len(done) < 2:
        return None
    return LearningCurve(sizes[done], found.train_scores[done], found.test_scores[done], metric)


def _few_sizes(done, sizes, notes):
    """A note on the sizes that no model could be fitted to."""
    if notes is not None:
        shown = "is left out" if len(done) < 2 else f"has only {len(done)} of {len(sizes)} sizes"
        notes.append(f"The learning curve {shown} because some fits to fewer rows failed.")


def partial_dependence(estimator, X, j, *, task, n_curves=0, seed=0):
    """Average prediction when column `j` is set to each of some of its own values.

    Numbers: up to `N_VALUES` values between the 2 % and 98 % quantiles; anything else: its most frequent levels. The
    band holds the middle 80 % of the rows' own curves, each moved to the same mean level: it is narrow where the
    column acts alike in all rows, wide where it interacts with others. The curves of `n_curves` rows are kept as they
    are.
    """
    rng = np.random.default_rng(seed)
    name = column_names(X)[j]
    values = cells(X, j)
    values = _as_dates(values)
    donors, counts, categorical = _donors(values)
    n = n_rows(X)
    most = max(30, min(MAX_DEPENDENCE_ROWS, MAX_CELLS // (X.shape[1] * len(donors))))
    some = np.sort(rng.choice(n, most, replace=False)) if n > most else np.arange(n)
    curves = predict_on_grid(
        lambda table: predict_values(estimator, table).reshape(n_rows(table), -1),
        take_rows(X, some),
        lambda table, points: column_from_rows(table, j, donors[points], source=X),
        len(donors),
    )
    outputs = ["prediction"]
    if task == "classification":
        classes = [str(c) for c in estimator.classes_]
        likely = np.argsort(-curves.mean(axis=(0, 1)), kind="stable")[:MAX_LEVELS]
        shown = [1] if len(classes) == 2 else list(likely)
        curves, outputs = curves[:, :, shown], [classes[k] for k in shown]
    mean = curves.mean(axis=1)
    centred = curves - curves.mean(axis=0) + mean.mean(axis=0)
    lower, upper = np.quantile(centred, [0.1, 0.9], axis=1)
    shown_values = [_plain(v) for v in values[donors]]
    single = None if n_curves == 0 else curves[:, np.linspace(0, curves.shape[1] - 1, n_curves).astype(int)]
    return PartialDependence(name, shown_values, mean, lower, upper, outputs, categorical, counts, single)


def worst_rows(X, y, predictions, *, task, classes=None, rows=None, n=8):
    """The rows with the largest loss: squared error, or minus the log of the probability of the actual class."""
    y, predictions = np.asarray(y), np.asarray(predictions)
    rows = np.arange(len(y)) if rows is None else np.asarray(rows)
    if task == "classification":
        position = {c: k for k, c in enumerate(np.asarray(classes).tolist())}
        codes = np.array([position[v] for v in y.tolist()])
        known = np.isfinite(predictions).all(axis=1)
        filled = np.where(known[:, None], predictions, 0.0)
        loss = -np.log(np.maximum(filled[np.arange(len(y)), codes], 1e-15))
        predicted = np.asarray(classes)[filled.argmax(axis=1)]
    else:
        known = np.isfinite(predictions)
        loss, predicted = (np.asarray(y, dtype=float) - predictions) ** 2, predictions
    loss = np.where(known, loss, -np.inf)
    worst = np.argsort(-loss, kind="stable")[: min(n, int(known.sum()))]
    names = column_names(X)
    table = take_rows(X, worst)
    columns = [cells(table, j) for j in range(min(len(names), 40))]
    return [
        WorstRow(
            int(rows[i]),
            _plain(y[i]),
            _plain(predicted[i]),
            float(loss[i]),
            {name: _plain(column[k]) for name, column in zip(names, columns)},
        )
        for k, i in enumerate(worst)
    ]


def _plain(value):
    if isinstance(value, np.datetime64):
        return value.astype("datetime64[us]").item()  # nanoseconds would become a whole number
    return value.item() if isinstance(value, np.generic) else value


def _unseen(estimator, X, y, unseen, task, rng):
    """A model and rows that it has not seen."""
    if unseen is not None:
        return estimator, unseen[0], np.asarray(unseen[1])
    from sklearn.base import clone

    y = np.asarray(y)
    order = mixed_order(y, task == "classification", rng)
    cut = max(1, len(y) // 3)
    test, train = order[:cut], order[cut:]
    return AllClasses(clone(estimator).fit(take_rows(X, train), y[train]), y), take_rows(X, test), y[test]


def _folds(y, task, rng):
    k = 5 if len(y) < LONG else 3
    order = mixed_order(y, task == "classification", rng)
    fold = np.empty(len(y), dtype=int)
    fold[order] = np.arange(len(y)) % k  # neighbours in the mixed order are alike: the folds are stratified
    return [(np.flatnonzero(fold != f), np.flatnonzero(fold == f)) for f in range(k)]


def _donors(values):
    """Positions whose cells stand for the column's range, rows or deciles behind them, and whether they are levels."""
    present = np.flatnonzero(~missing(values))
    if len(present) == 0:
        return np.array([0]), np.array([len(values)]), True
    column = values[present]
    if column.dtype.kind == "O" and all(isinstance(v, (int, float)) and not isinstance(v, bool) for v in column):
        column = column.astype(float)
    numeric = column.dtype.kind in "iufmM"
    distinct, first, counts = _unique(column)
    if numeric and len(distinct) > MAX_LEVELS:
        order = np.argsort(column, kind="stable")
        at = np.unique(np.round(np.linspace(0.02, 0.98, N_VALUES) * (len(order) - 1)).astype(int))
        grid = order[at]
        _, keep = np.unique(column[grid], return_index=True)
        deciles = np.sort(column)[np.round(np.linspace(0.1, 0.9, 9) * (len(order) - 1)).astype(int)]
        return present[grid[keep]], deciles, False
    if numeric:
        return present[first], counts, len(distinct) <= 2
    top = np.argsort(-counts, kind="stable")[:MAX_LEVELS]
    return present[first[top]], counts[top], True


def _as_dates(values):
    """A column of text in which every cell is a date as dates; anything else as it is."""
    if values.dtype.kind not in "OU":
        return values
    known = ~missing(values)
    texts = set(values[known].tolist())
    form = date_format(list(texts)) if texts and all(isinstance(text, str) for text in texts) else None
    if form is None:
        return values
    moments = np.full(len(values), "NaT", dtype="datetime64[us]")
    moments[known] = [read_date(text, form) for text in values[known]]
    return moments


def _unique(column):
    if column.dtype.kind != "O":
        distinct, first, counts = np.unique(column, return_index=True, return_counts=True)
        return distinct, first, counts
    where = {}
    for i, value in enumerate(column):
        where.setdefault(value, []).append(i)
    return list(where), np.array([v[0] for v in where.values()]), np.array([len(v) for v in where.values()])
