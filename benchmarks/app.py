"""The application: what a comparison costs beyond the fits it consists of, and how soon the command answers."""

import subprocess
import sys
import time

import numpy as np

from benchmarks.case import Case
from benchmarks.problems import sparse_classification, sparse_regression

REGRESSION = ["lasso", "elastic-net", "ridge", "least-squares", "huber"]
CLASSIFICATION = ["logistic-l2", "logistic-l1", "logistic-no-penalty"]
FOLDS = 10


def parts(n):
    """The rows as `compare` divides them: training part, held-out part."""
    from sklearn.model_selection import train_test_split

    return train_test_split(np.arange(n), test_size=0.2, random_state=0)


def bare(X, y, task, names):
    """The fits of a comparison and nothing else: every model on all training rows and on every outer fold."""
    from sklearn.model_selection import KFold, StratifiedKFold
    from sklearn.preprocessing import StandardScaler

    from statlearn.app.compare.portfolio.selection import candidates

    known = {c.name: c for c in candidates(task)}
    splitter = KFold if task == "regression" else StratifiedKFold

    def inner(k):
        return splitter(k, shuffle=True, random_state=0)

    train, _ = parts(len(y))
    rounds = [(train, None), *((train[a], train[b]) for a, b in inner(FOLDS).split(train, y[train]))]
    for rows, test in rounds:
        scaler = StandardScaler().fit(X[rows])
        Z = np.asfortranarray(scaler.transform(X[rows]))
        for name in names:
            model = known[name].make(0, inner, "min").fit(Z, y[rows])
            if test is not None:
                model.predict(scaler.transform(X[test]))
    return {}


class compare_regression(Case):
    """Five models on ten outer folds of a table of numbers; `statlearn_bare` is the fits alone: at most 10 % less."""

    size, quick = dict(n=20_000, p=40), dict(n=200, p=5)
    goal = dict(statlearn_bare=1 / 1.1)

    def data(n, p):
        X, y = sparse_regression(n, p, min(p, 10))[:2]
        return dict(X=X, y=y)

    def statlearn(X, y):
        from statlearn import compare

        result = compare(X, y, models=REGRESSION, folds=FOLDS)
        return dict(score=result.model(result.best).scores["rmse"])

    def statlearn_bare(X, y):
        return bare(X, y, "regression", REGRESSION)


class compare_classification(Case):
    """Three models on ten outer folds of two classes."""

    size, quick = dict(n=20_000, p=20), dict(n=200, p=5)
    goal = dict(statlearn_bare=1 / 1.1)

    def data(n, p):
        X, y = sparse_classification(n, p, min(p, 10))[:2]
        return dict(X=X, y=y)

    def statlearn(X, y):
        from statlearn import compare

        result = compare(X, y, models=CLASSIFICATION, folds=FOLDS)
        return dict(score=result.model(result.best).scores["log_loss"])

    def statlearn_bare(X, y):
        return bare(X, y, "classification", CLASSIFICATION)


class command_help(Case):
    """`statlearn --help` in a fresh process, the interpreter's start included; half a second is the limit."""

    def statlearn():
        start = time.perf_counter()
        subprocess.run([sys.executable, "-m", "statlearn", "--help"], capture_output=True, check=True)
        return dict(seconds=time.perf_counter() - start)
