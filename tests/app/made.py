"""Comparisons made by hand: a few real fits on outer folds, without the engine, for the tests of the report."""

import time
from dataclasses import replace

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from statlearn.app.compare.comparison import Comparison
from statlearn.app.compare.result import ColumnProfile, Finding, ModelResult, TableProfile, TuningCurve
from statlearn.app.compare.results import Evidence, Results, differences
from statlearn.app.compare.scoring import METRICS, Predictions
from statlearn.app.explain.importance import predict_values
from statlearn.app.explain.inspection import inspect_model
from statlearn.linear import LassoCV, LinearRegression, LogisticRegression, RidgeClassifier, RidgeCV

PORTFOLIO = {
    "regression": [
        ("ols", "least squares", LinearRegression(), 1.0),
        ("lasso", "lasso", LassoCV(alphas=30, cv=5), 1.0),
        ("ridge", "ridge", RidgeCV(alphas=np.logspace(3, -3, 13)), 2.0),
    ],
    "classification": [
        ("logistic", "logistic regression", LogisticRegression(C=np.inf, max_iter=2000), 1.0),
        ("logistic-l2", "logistic regression, L2", LogisticRegression(), 2.0),
        ("ridge-classifier", "ridge classifier", RidgeClassifier(), 2.0),
    ],
}


def scores_of(task, classes):
    if task == "regression":
        return {
            "rmse": lambda y, p: float(np.sqrt(np.mean((y - p) ** 2))),
            "r2": lambda y, p: float(1 - np.mean((y - p) ** 2) / np.var(y)),
        }

    def log_loss(y, p):
        return float(-np.mean(np.log(np.clip(p[np.arange(len(y)), np.searchsorted(classes, y)], 1e-15, 1))))

    return {"log_loss": log_loss, "accuracy": lambda y, p: float(np.mean(classes[p.argmax(axis=1)] == y))}


def profile_of(frame, target, source):
    columns = []
    for name in frame.columns:
        values = frame[name]
        column = ColumnProfile(str(name), "number", int(values.isna().sum()), int(values.nunique()))
        if values.dtype.kind in "iuf":
            present = values.dropna().to_numpy(dtype=float)
            keys = ("min", "q1", "median", "q3", "max")
            column.statistics = dict(zip(keys, np.quantile(present, [0, 0.25, 0.5, 0.75, 1])))
            column.statistics["mean"] = float(present.mean())
            counts, edges = np.histogram(present, bins=24)
            column.histogram = (edges, counts)
        else:
            column.kind = "category"
            column.levels = [(str(k), int(v)) for k, v in values.value_counts().head(10).items()]
        columns.append(column)
    return TableProfile(source, len(frame), columns, target)


def _encoder():
    levels = OneHotEncoder(drop="first", handle_unknown="ignore", sparse_output=False)
    return make_column_transformer((levels, make_column_selector(dtype_exclude="number")), remainder=StandardScaler())


def evidence_of(results, y, classes, splits, metrics):
    """The rows behind the scores of some models."""
    task = "regression" if classes is None else "classification"
    truth = y if classes is None else np.searchsorted(classes, y)

    def part(table):
        return Predictions(table) if classes is None else Predictions(table.argmax(axis=1), table)

    tested = {r.name: {k: part(r.predictions[test]) for k, (_, test) in enumerate(splits)} for r in results}
    return Evidence(truth, splits, tested, [METRICS[task][name] for name in metrics])


def table_of(results, y, classes, splits, metrics):
    """The table of results without differences."""
    return Results(metrics[0], evidence_of(results, y, classes, splits, metrics).scores())


def comparison_of(
    frame, target, task, *, source="made.csv", folds=5, holdout=0.2, inspect=True, seconds=1e6, models=None
):
    """Fit, score on outer folds, inspect, and put everything where the engine puts it."""
    rng = np.random.default_rng(0)
    y = frame[target].to_numpy()
    X = frame.drop(columns=target)
    classes = np.unique(y) if task == "classification" else None
    order = rng.permutation(len(y))
    cut = int(holdout * len(y))
    held, train = np.sort(order[:cut]), np.sort(order[cut:])
    splitter = (StratifiedKFold if task == "classification" else KFold)(folds, shuffle=True, random_state=0)
    splits = list(splitter.split(train, y[train] if task == "classification" else None))
    scores = scores_of(task, classes)
    metric = next(iter(scores))
    dummy = DummyClassifier() if task == "classification" else DummyRegressor()
    chosen = [*(models or PORTFOLIO[task]), ("baseline", "learns nothing", dummy, 0.0)]
    results, holdout_scores, holdout_predictions = [], {}, {}
    X_train, y_train = X.iloc[train], y[train]
    for name, label, estimator, complexity in chosen:
        pipeline = make_pipeline(_encoder(), estimator)
        result = ModelResult(name, label, f"statlearn.linear.{type(estimator).__name__}", complexity, status="done")
        out = np.full((len(train), len(classes)) if classes is not None else len(train), np.nan)
        fit_seconds, predict_seconds = [], []
        result.scores = {m: np.empty(folds) for m in scores}
        for k, (a, b) in enumerate(splits):
            begin = time.perf_counter()
            fitted = clone(pipeline).fit(X_train.iloc[a], y_train[a])
            middle = time.perf_counter()
            out[b] = predict_values(fitted, X_train.iloc[b])
            fit_seconds.append(middle - begin)
            predict_seconds.append(time.perf_counter() - middle)
            for m, score in scores.items():
                result.scores[m][k] = score(y_train[b], out[b])
            if hasattr(fitted[-1], "alpha_"):
                result.fold_settings.append({"alpha": float(fitted[-1].alpha_)})
        result.predictions = out
        result.fit_seconds, result.predict_seconds = np.array(fit_seconds), np.array(predict_seconds)
        result.estimator = pipeline.fit(X_train, y_train)
        result.size_bytes = 2300
        final = pipeline[-1]
        if hasattr(final, "coef_"):
            result.n_parameters = int(np.count_nonzero(final.coef_))
        curve = getattr(final, "cv_curve_", None)
        if curve is not None:
            result.settings = {"alpha": float(final.alpha_)}
            result.tuning = TuningCurve(
                "alpha", [float(v) for v in curve.parameter], curve.mean, curve.std_error, curve.best, curve.one_se,
                curve.best, "mse", log_scale=True,
            )  # fmt: skip
        if cut:
            holdout_predictions[name] = predict_values(pipeline, X.iloc[held])
            value = scores[metric](y[held], holdout_predictions[name])
            holdout_scores[name] = {metric: (value, 0.9 * value, 1.1 * value)}
        if inspect and complexity:
            result.inspection = inspect_model(
                pipeline,
                X_train,
                y_train,
                task=task,
                metric=metric,
                score=scores[metric],
                greater_is_better=False,
                unseen=(X.iloc[held], y[held]),
                predictions=out,
                rows=train,
                seconds=seconds,
            )
        results.append(result)
    table = table_of(results, y_train, classes, splits, list(scores))
    results.sort(key=lambda r: table.level(r.name)[0])
    best = results[0]
    evidence = evidence_of(results, y_train, classes, splits, list(scores))
    table = replace(table, differences=differences(evidence, table.scores, [r.name for r in results], best.name))
    profile = profile_of(frame, target, source)
    profile.task = task
    profile.classes = [] if classes is None else [str(c) for c in classes]
    findings = [
        Finding("GRID-EDGE", "The best penalty is at the edge of its grid", "ridge chose 0.001 in 4 of 5 folds.",
                "A better value may lie outside of what was tried.", "Widen the grid.", "note", ["ridge"]),
        Finding("LEAK", "A column almost gives the target away", "carat alone reaches R² = 0.98.",
                "Such a column is often known only after the target.", "Ask when it becomes known.", "serious"),
    ]  # fmt: skip
    return Comparison(
        profile=profile,
        task=task,
        target=target,
        metric=metric,
        greater_is_better=False,
        metrics=list(scores),
        models=results,
        baseline="baseline",
        best=best.name,
        simplest=results[1].name,
        results=table,
        findings=findings,
        verdict=f"{best.label.capitalize()} is best. It cannot be told apart from {results[1].label} (p = 0.31).",
        y_true=y_train,
        train_rows=train,
        holdout_rows=held,
        holdout_scores=holdout_scores,
        holdout_predictions=holdout_predictions,
        y_holdout=y[held],
        settings={
            "command": f"statlearn compare {source} --target {target} --seed 0",
            "folds": folds,
            "repeats": 1,
            "seed": 0,
            "versions": {"statlearn": "0.1.0", "numpy": np.__version__},
        },
        seconds=12.3,
    )


def regression_frame(n=240, seed=0):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(rng.normal(size=(n, 4)), columns=["size", "age", "weight", "noise"])
    frame["colour"] = rng.choice(["red", "green", "blue"], size=n)
    frame["price"] = 3 * frame["size"] - frame["age"] + (frame["colour"] == "red") + rng.normal(size=n)
    return frame


def classification_frame(n=240, k=2, seed=0):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(rng.normal(size=(n, 4)), columns=["size", "age", "weight", "noise"])
    score = 2 * frame["size"] - frame["age"] + rng.logistic(size=n)
    frame["kind"] = np.array([f"class {c}" for c in range(k)])[
        np.digitize(score, np.quantile(score, np.arange(1, k) / k))
    ]
    return frame
