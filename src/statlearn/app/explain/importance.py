"""How much a model needs each column: permutation importance with intervals, within a budget of time."""

import time

import numpy as np

from statlearn._core.frames import cells, column_from_rows, column_names, n_rows, take_rows
from statlearn._core.inspection import MAX_CELLS

from ..compare.result import Importance

MAX_ROWS = 2000  # behind an importance
MAX_COLUMNS = 100  # measured one by one


class Clock:
    """A budget of seconds."""

    def __init__(self, seconds):
        self._end = time.monotonic() + seconds

    @property
    def left(self):
        return self._end - time.monotonic()

    def allows(self, seconds):
        return self.left > seconds


def predict_values(estimator, X):
    """Predicted values, or one column of probabilities per class; labels become columns of zeros and ones."""
    if hasattr(estimator, "predict_proba"):
        return np.asarray(estimator.predict_proba(X))
    predicted = np.asarray(estimator.predict(X))
    classes = getattr(estimator, "classes_", None)
    if classes is None:
        return predicted.reshape(len(predicted), -1)[:, 0] if predicted.ndim > 1 else predicted
    return (predicted[:, None] == np.asarray(classes)[None, :]).astype(float)


class AllClasses:
    """A fitted model that gives every class a column, those that it has not met too: with probability 0.

    Parameters
    ----------
    model : fitted estimator
        A regressor is left as it is.
    y : ndarray
        Targets among which all classes occur.
    """

    def __init__(self, model, y):
        self.model = model
        if hasattr(model, "classes_"):
            self.classes_ = np.unique(y)

    def predict(self, X):
        return self.model.predict(X)

    def __getattr__(self, name):
        if name != "predict_proba" or not hasattr(self.model, name):
            raise AttributeError(name)
        return self._probabilities

    def _probabilities(self, X):
        known = np.asarray(self.model.predict_proba(X))
        if known.shape[1] == len(self.classes_):
            return known
        table = np.zeros((len(known), len(self.classes_)))
        table[:, np.searchsorted(self.classes_, self.model.classes_)] = known
        return table


def permutation_importance(
    estimator,
    X,
    y,
    *,
    metric,
    score,
    greater_is_better,
    n_shuffles=5,
    n_boot=100,
    confidence=0.95,
    clock=None,
    seed=0,
    notes=None,
):
    """How much worse the score becomes when one column is shuffled, with an interval.

    The interval is a normal one; its variance is that of the bootstrap over the rows (which holds the spread of one
    shuffle), with the share of the shuffles divided by their number. In a wide table the `MAX_COLUMNS` that go most
    with the predictions are measured, in that order, as far as the clock allows. Several columns are predicted in one
    call, each in rows of its own.
    """
    from statistics import NormalDist

    clock = Clock(np.inf) if clock is None else clock
    rng = np.random.default_rng(seed)
    y = np.asarray(y)
    if n_rows(X) > MAX_ROWS:
        some = np.sort(rng.choice(n_rows(X), MAX_ROWS, replace=False))
        X, y = take_rows(X, some), y[some]
    n, names = n_rows(X), column_names(X)
    sign = 1.0 if greater_is_better else -1.0
    intact = predict_values(estimator, X)
    reference = score(y, intact)
    boots = rng.integers(0, n, size=(n_boot, n))
    boot_reference = np.array([_score_or_nan(score, y[b], intact[b]) for b in boots])
    drops, deviation, measured = [], [], []
    size = float(np.abs(intact).max(initial=0.0))
    for some in _batches(_candidates(X, intact), n * n_shuffles, len(names)):
        if measured and not clock.allows(0):
            break
        for j, shuffled in zip(some, _predict_shuffled(estimator, X, some, n_shuffles, rng)):
            drop, spread = np.zeros(n_shuffles), 0.0
            if np.abs(shuffled - intact).max(initial=0.0) > 1e-9 * size:  # the model looks at the column
                drop = np.array([sign * (reference - score(y, s)) for s in shuffled])
                boot = [
                    sign * (r - _score_or_nan(score, y[b], shuffled[k % n_shuffles][b]))
                    for k, (b, r) in enumerate(zip(boots, boot_reference))
                ]
                within = drop.var(ddof=1)
                spread = max(np.nanvar(boot, ddof=1) - within * (1 - 1 / n_shuffles), within / n_shuffles)
            measured.append(j)
            drops.append(drop)
            deviation.append(np.sqrt(spread))
    drops, deviation = np.array(drops), np.array(deviation)
    order = np.argsort(-drops.mean(axis=1), kind="stable")
    drops, deviation = drops[order], deviation[order]
    half = NormalDist().inv_cdf(0.5 + confidence / 2) * deviation
    if notes is not None and len(measured) < len(names):
        notes.append(f"Permutation importance was measured for {len(measured):,} of {len(names):,} columns.")
    return Importance(
        columns=[names[measured[k]] for k in order],
        drops=drops,
        lower=drops.mean(axis=1) - half,
        upper=drops.mean(axis=1) + half,
        metric=metric,
        score=float(reference),
        n_rows=n,
        n_left_out=len(names) - len(measured),
        confidence=confidence,
    )


def _score_or_nan(score, y, prediction):
    try:
        return score(y, prediction)
    except ValueError:  # a bootstrap sample without one of the classes
        return np.nan


def _candidates(X, prediction):
    """Positions of the columns to measure: all, or those that explain most of the predictions one by one."""
    p = X.shape[1]
    if p <= MAX_COLUMNS:
        return np.arange(p)
    outputs = prediction.reshape(len(prediction), -1)
    outputs = outputs - outputs.mean(axis=0)
    share = np.array([_share_explained(cells(X, j), outputs) for j in range(p)])
    return np.argsort(-share, kind="stable")[:MAX_COLUMNS]


def _share_explained(values, outputs):
    """Largest squared correlation (numbers) or correlation ratio (anything else) of a column with centred outputs."""
    total = np.maximum((outputs**2).sum(axis=0), 1e-300)
    if values.dtype.kind in "iuf":
        x = np.nan_to_num(values.astype(float))
        x = x - x.mean()
        return float(((x @ outputs) ** 2 / total).max() / max(x @ x, 1e-300))
    _, codes = np.unique(values.astype(str), return_inverse=True)
    counts = np.bincount(codes)
    if len(counts) > len(values) // 2:  # as good as one level per row: explains everything and nothing
        return 0.0
    sums = np.array([np.bincount(codes, weights=column) for column in outputs.T])
    return float(((sums**2 / counts).sum(axis=1) / total).max())


def _batches(columns, rows, width):
    """Groups of columns whose shuffled copies of the table stay small together."""
    n = max(1, min(20, MAX_CELLS // max(rows * width, 1)))
    return [columns[k : k + n] for k in range(0, len(columns), n)]


def _predict_shuffled(estimator, X, columns, n_shuffles, rng):
    """Predictions with each column shuffled in turn, `n_shuffles` arrays per column."""
    n = n_rows(X)
    table = take_rows(X, np.tile(np.arange(n), n_shuffles * len(columns)))
    place = np.arange(n_rows(table))
    for k, j in enumerate(columns):
        fill = place.copy()
        for s in range(n_shuffles):
            begin = (k * n_shuffles + s) * n
            fill[begin : begin + n] = begin + rng.permutation(n)
        table = column_from_rows(table, j, fill)
    predicted = predict_values(estimator, table)
    return predicted.reshape(len(columns), n_shuffles, n, *predicted.shape[1:])
