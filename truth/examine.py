"""One comparison of one table of a world, and the errors of its models on fresh rows: everything that claims need."""

import time
import traceback
import warnings
from dataclasses import asdict

import numpy as np
import pandas as pd

MODELS = {
    "regression": ["ridge", "regression-tree", "k-nearest-neighbours", "stack"],
    "classification": ["logistic-l2", "decision-tree", "shrunken-centroids", "stack"],
}
FOLDS = 5
FRESH = 100_000  # rows on which the best model and the baseline are judged
FRESH_OTHERS = 20_000  # and all others
REDRAWS = 10  # tables that decide whether other rows give another winner
COVERAGE = 0.9  # of the prediction intervals
TINY = np.finfo(float).eps


def examine(world, seed, fresh=FRESH, **options):
    """Compares the table `seed` of a world and returns a record of plain values.

    The record has the facts, what was said, the stated scores and the true ones. If the comparison fails, the record
    has its error.
    """
    made, table, clean, settings = world.sample(seed)
    record = {"world": world.name, "theme": world.theme, "seed": seed, "settings": _plain(settings)}
    record["facts"] = _plain(asdict(made.facts))
    record["facts"] |= {"task": made.task, "p_value": signal_p_value(clean, made), "shares": _shares(clean, made)}
    record["facts"]["columns"] = [name for name in table.columns if name != made.target]
    start = time.perf_counter()
    try:
        record |= compared(table, made.target, made.task, made.facts.options | options)
        result = record.pop("result")
        record["seconds"] = time.perf_counter() - start
        record["true"] = true_scores(result, world, made, seed, fresh)
        if any(f.code == "UNSTABLE-WINNER" for f in result.findings):
            record["redraws"] = redraws(result.best, made, seed, made.facts.options | options)
    except Exception:
        record["error"] = traceback.format_exc(limit=-3)
    record.setdefault("seconds", time.perf_counter() - start)
    return record


def compared(table, target, task, options):
    """What a comparison of the quick models says, as plain values, and the result itself."""
    from statlearn import compare
    from statlearn.app.honesty.wording import spoken

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = compare(table, target, **{"models": MODELS[task], "folds": FOLDS, "task": task} | options)
    said, rest = spoken(result.verdict)
    return {
        "result": result,
        "metric": result.metric,
        "verdict": result.verdict,
        "said": said,
        "rest": rest,
        "findings": [[f.code, f.detail, f.models, f.severity] for f in result.findings],
        "best": result.best,
        "simplest": result.simplest,
        "baseline": result.baseline,
        "labels": {m.name: m.label for m in result.models},
        "complexity": {m.name: m.complexity for m in result.models},
        "status": {m.name: m.status for m in result.models},
        "levels": {m.name: _plain(result.level(m.name)) for m in result.models if m.status == "done"},
        "gaps": {d.name: _plain([d.mean, d.std_error, d.p_value]) for d in result.differences},
        "holdout": {name: _plain(scores[result.metric]) for name, scores in result.holdout_scores.items()},
        "n_train": len(result.train_rows),
        "n_holdout": len(result.holdout_rows),
        "folds": result.settings.get("folds"),
        "groups": result.settings.get("groups"),
        "time_order": result.settings.get("time_order"),
        "kinds": {c.name: c.kind for c in result.profile.columns},
        "left_out": dict(result.profile.left_out),
        "with_leaks": _plain({k: v for k, v in result.with_leaks.items() if k != "interrupted"}),
        "uses": _columns_of(result.model(result.best).estimator),
    }


def _columns_of(estimator):
    columns = getattr(estimator, "columns_", None)
    if columns is None and hasattr(estimator, "steps"):
        table = estimator.steps[0][1]
        columns = [c for c in getattr(table, "kinds_", {}) if c not in getattr(table, "dropped_", ())]
    return None if columns is None else [str(c) for c in columns]


def redraws(best, made, seed, options, most=REDRAWS):
    """How many tables of other rows were compared until another model was the best, and whether one was."""
    rng = np.random.default_rng([seed, 2])
    for k in range(1, most + 1):
        table, _ = made.draw(rng, made.rows)
        table = table if made.spoil is None else made.spoil(table, rng)
        if compared(table, made.target, made.task, options)["best"] != best:
            return [k, True]
    return [most, False]


def true_scores(result, world, made, seed, fresh):
    """Errors on fresh rows: of each model, of the best possible prediction, and of the best model without leaks."""
    X, truth, ideal = world.fresh(made, seed, fresh)
    classes = None
    if made.task == "classification":
        classes = np.unique(np.asarray(result.y_true, dtype=object).astype(str))
        names = np.unique(truth.astype(str))
        if list(classes) != list(names):  # a class that the table does not have: no probability can be judged
            return {"undecidable": "classes"}
    found = {"models": {}, "bayes": score(truth, ideal, classes)[0]}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for model in result.models:
            if model.status != "done" or model.estimator is None:
                continue
            n = fresh if model.name in (result.best, result.baseline) else min(fresh, FRESH_OTHERS)
            predicted = _predicted(result, model.name, X[:n], classes)
            value, more = score(truth[:n], predicted, classes)
            found["models"][model.name] = [value, more, _spread(truth[:n], predicted, classes)]
            if model.name == result.best:
                # Others are compared with the best one on the rows that all have predicted.
                n_all = min(fresh, FRESH_OTHERS)
                found["best_shared"] = score(truth[:n_all], predicted[:n_all], classes)[0]
        if made.facts.leaks and result.best in found["models"]:
            blank = X[: min(fresh, FRESH_OTHERS)].copy()
            for name in made.facts.leaks:
                blank[name] = np.nan if blank[name].dtype.kind in "iuf" else None
            found["in_use"] = score(truth[: len(blank)], _predicted(result, result.best, blank, classes), classes)[0]
        if classes is None:
            found["inside"] = _inside(result, X, truth)
            squares = np.sort((truth - _predicted(result, result.best, X, None)) ** 2)[::-1]
            found["dominated"] = float(squares[: -(-len(squares) // 100)].sum() / max(squares.sum(), 1e-300))
    return _plain(found)


def _predicted(result, name, X, classes):
    """Predictions of a fitted model, of its pipeline if that takes the rows as they are printed: that is faster."""
    try:
        return predict(result.model(name).estimator, X, classes)
    except (ValueError, TypeError):
        return predict(result.model_for_use(name), X, classes)


def predict(estimator, X, classes):
    """Values, or a table of probabilities in the order of the classes' names."""
    if classes is None:
        return np.asarray(estimator.predict(X), float).reshape(len(X))
    table = np.asarray(estimator.predict_proba(X), float)
    known = getattr(estimator, "classes_", None)
    place = np.searchsorted(classes, np.asarray(estimator.classes if known is None else known).astype(str))
    full = np.zeros((len(X), len(classes)))
    full[:, place] = table
    return full


def score(truth, predicted, classes):
    """RMSE and R², or log loss and accuracy, by their formulas."""
    if classes is None:
        truth = truth.astype(float)
        error = np.mean((truth - predicted) ** 2)
        return float(np.sqrt(error)), float(1 - error / np.var(truth))
    k = np.searchsorted(classes, truth.astype(str))
    right = predicted[np.arange(len(k)), k]
    return float(-np.mean(np.log(np.clip(right, TINY, 1)))), float(np.mean(predicted.argmax(axis=1) == k))


def _spread(truth, predicted, classes):
    """Standard error of the true score over the fresh rows: how exactly the oracle knows it."""
    if classes is None:
        losses = (truth.astype(float) - predicted) ** 2
        root = np.sqrt(np.mean(losses))
        return float(np.std(losses) / np.sqrt(len(losses)) / (2 * root)) if root > 0 else 0.0
    k = np.searchsorted(classes, truth.astype(str))
    return float(np.std(np.log(np.clip(predicted[np.arange(len(k)), k], TINY, 1))) / np.sqrt(len(k)))


def _inside(result, X, truth):
    """Share of fresh rows inside their prediction intervals."""
    X, truth = X[:5000], truth[:5000].astype(float)
    table = result.model_for_use().predict_table(X, coverage=COVERAGE)
    ends = [name for name in table.columns if name.startswith(("lower", "upper"))]
    low, high = (np.asarray(table[name], float) for name in ends)
    return float(np.mean((truth >= low) & (truth <= high)))


def signal_p_value(frame, made):
    """p-value of the F test of all columns but the leaks, on the clean rows; None where rows are not independent."""
    from scipy.stats import f

    y = frame[made.target]
    y = (y == y.iloc[0]).astype(float) if made.task == "classification" else y.astype(float)
    columns = frame.drop(columns=[made.target, *made.facts.leaks, *made.facts.groups], errors="ignore")
    parts = [np.ones(len(frame))]
    for name in columns:
        values = columns[name]
        if values.dtype.kind in "iuf":
            parts.append(values.to_numpy(float))
        elif values.dtype == object and values.nunique() <= 10:
            parts += list(pd.get_dummies(values, drop_first=True).to_numpy(float).T)
    X = np.column_stack(parts)
    rank = np.linalg.matrix_rank(X)
    n = len(y)
    if n <= rank + 1 or rank < 2 or made.facts.ordered or made.facts.groups:
        return None
    rest = y - X @ np.linalg.lstsq(X, y, rcond=None)[0]
    total = np.sum((y - y.mean()) ** 2)
    explained = max(total - rest @ rest, 0.0)
    return float(f.sf(explained / (rank - 1) / (rest @ rest / (n - rank)), rank - 1, n - rank))


def _shares(frame, made):
    """Rows per class of the table."""
    if made.task != "classification":
        return None
    return {str(k): int(v) for k, v in frame[made.target].value_counts().items()}


def _plain(value):
    """Nested containers of plain Python values, for JSON."""
    if isinstance(value, dict):
        return {str(k): _plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple, set)):
        return [_plain(v) for v in value]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not np.isfinite(value):
        return None
    return value if value is None or isinstance(value, (bool, int, float, str)) else str(value)
