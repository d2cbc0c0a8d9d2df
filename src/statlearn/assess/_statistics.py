"""Metrics as statistics with fast resampling.

Each class holds n rows and computes the value of the metric on the data (`value`), on bootstrap samples (`resampled`)
and with rows left out (`left_out`, for the acceleration constant of the BCa interval).

- `MeanStatistic`: functions of column means (squared error, log loss, R²), by products with the counts.
- `TableStatistic`: functions of predicted and true labels. A bootstrap sample is one multinomial draw of the cells,
  whatever the number of rows.
- `AreaStatistic`: the area under the ROC curve. The rows are sorted once, and each sample is a cumulative sum.
- `AnyStatistic`: a Python function of the resampled rows.
"""

from functools import partial

import numpy as np
from sklearn.utils.validation import check_consistent_length, column_or_1d

from statlearn._core.blas import single_blas_thread

from ._confusion import BINARY_METRICS, TABLE_METRICS, distinct_labels, label_codes
from ._intervals import auc_placements, binary_truth


class Draws:
    """Number of times each of n rows is drawn in a bootstrap sample, within each of the `strata` if any.

    With strata, the same random numbers draw the same rows, whatever order a statistic stores them in.
    """

    def __init__(self, rng, n, strata=None):
        self.rng, self.n, self.strata = rng, n, strata
        # Buffers are reused, because fresh memory of this size costs more than the computation.
        self.uniform, self.rows, self.counts = np.empty(n), np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)

    def next(self):
        """Counts of the next sample, in a buffer that the following call overwrites."""
        if self.strata is None:
            self.rng.random(out=self.uniform)
            np.multiply(self.uniform, self.n, out=self.uniform)
            np.copyto(self.rows, self.uniform, casting="unsafe")
            return np.bincount(self.rows, minlength=self.n)
        for rows in self.strata:
            self.counts[rows] = np.bincount(self.rng.integers(0, len(rows), len(rows)), minlength=len(rows))
        return self.counts


class MeanStatistic:
    """`combine` of the means of `columns`, (q, n) or (n,)."""

    def __init__(self, columns, combine=None):
        self.columns = np.atleast_2d(np.asarray(columns, dtype=np.float64))
        self.combine = combine or (lambda means: means[0])
        self.n = self.columns.shape[1]

    def value(self):
        return float(self.combine(self.columns.mean(axis=1)))

    def resampled(self, rng, size, strata=None):
        return resampled_means([self], rng, size, strata)[0]

    def left_out(self, rng):
        return self.combine((self.columns.sum(axis=1, keepdims=True) - self.columns) / (self.n - 1)), np.ones(self.n)

    def with_squares(self):
        """The two means that a standard error needs: of the column and of its squares."""
        return MeanStatistic(np.concatenate([self.columns, self.columns**2]), lambda means: means)


def resampled_means(statistics, rng, size, strata=None, block=16):
    """`resampled` of several mean statistics of the same rows, on one common set of samples."""
    columns = np.concatenate([s.columns for s in statistics])
    n = columns.shape[1]
    means = np.empty((len(columns), size))
    draws, counts = Draws(rng, n, strata), np.empty((block, n))
    with single_blas_thread():
        for first in range(0, size, block):
            part = counts[: size - first]
            for row in part:
                np.copyto(row, draws.next())
            means[:, first : first + block] = columns @ part.T / n
    parts = np.split(means, np.cumsum([len(s.columns) for s in statistics])[:-1])
    return [s.combine(part) for s, part in zip(statistics, parts)]


def tables_of(true, pred, draws):
    """The K x K tables of many draws of the cells (true, pred), labels of both kinds sorted together."""
    labels, codes = np.unique(np.concatenate([true, pred]), return_inverse=True)
    K, half = len(labels), len(true)
    place = K * codes[:half] + codes[half:]
    tables = np.zeros((len(draws), K * K))
    for c in range(half):  # several cells may share a place
        tables[:, place[c]] += draws[:, c]
    return tables.reshape(-1, K, K)


class TableStatistic:
    """A metric of labels, computed from the counts of the distinct pairs (true, predicted).

    `of_draws(true, pred, draws)` returns the values for many draws (m, cells) of the cells at once; without it the
    metric is called with the pairs and their counts as weights.
    """

    def __init__(self, metric, y_true, y_pred, of_draws=None):
        self.metric, self.of_draws, self.n = metric, of_draws, len(y_true)
        true_labels, pred_labels = distinct_labels(y_true), distinct_labels(y_pred)
        true, pred = label_codes(y_true, true_labels), label_codes(y_pred, pred_labels)
        K = len(pred_labels)
        cells = np.bincount(K * true + pred)
        self.cells = np.flatnonzero(cells)
        self.counts = cells[self.cells]
        self.true, self.pred = true_labels[self.cells // K], pred_labels[self.cells % K]

    def _of(self, counts):
        present = counts > 0  # an absent label is absent, not a class of weight 0
        return self.metric(self.true[present], self.pred[present], sample_weight=counts[present].astype(np.float64))

    def _of_many(self, draws):
        if self.of_draws is None:
            return np.array([self._of(counts) for counts in draws], dtype=np.float64)
        return self.of_draws(self.true, self.pred, draws)

    def value(self):
        return float(self._of(self.counts))

    def resampled(self, rng, size, strata=None):
        if strata is None:
            return self._of_many(rng.multinomial(self.n, self.counts / self.n, size=size))
        # The strata are the true classes: each row of the table is drawn on its own.
        draws = np.empty((size, len(self.cells)), dtype=np.int64)
        for label in np.unique(self.true):
            at = np.flatnonzero(self.true == label)
            total = self.counts[at].sum()
            draws[:, at] = rng.multinomial(total, self.counts[at] / total, size=size)
        return self._of_many(draws)

    def left_out(self, rng):
        fewer = self.counts - np.eye(len(self.cells), dtype=np.int64)
        return self._of_many(fewer), self.counts.astype(np.float64)


class AreaStatistic:
    """The area under the ROC curve."""

    def __init__(self, y_true, y_score, pos_label=None):
        positive, score = binary_truth(y_true, y_score, pos_label=pos_label)
        self.order = np.argsort(score, kind="stable")
        self.positive = positive[self.order].astype(np.int64)
        self.score, self.n = score[self.order], len(score)
        starts = np.flatnonzero(np.r_[True, self.score[1:] != self.score[:-1]])
        self.starts = starts if len(starts) < self.n else None
        self.buffers = np.empty((2, self.n), dtype=np.int64)

    def value(self):
        return float(self._of(np.ones(self.n, dtype=np.int64)))

    def _of(self, counts):
        """Area with each (sorted) row repeated by integer counts; NaN if a class is absent."""
        up, down = self.buffers
        np.multiply(counts, self.positive, out=up)
        np.subtract(counts, up, out=down)
        if self.starts is not None:
            up, down = np.add.reduceat(up, self.starts), np.add.reduceat(down, self.starts)
        ties = int(np.einsum("i,i->", up, down))
        n_up, n_down = int(up.sum()), int(down.sum())
        below = np.cumsum(down, out=down)
        pairs = 2 * int(np.einsum("i,i->", up, below)) - ties
        return pairs / (2 * n_up * n_down) if n_up and n_down else np.nan

    def resampled(self, rng, size, strata=None):
        if strata is not None:
            place = np.empty(self.n, dtype=np.intp)
            place[self.order] = np.arange(self.n)
            strata = [place[rows] for rows in strata]
        draws = Draws(rng, self.n, strata)
        return np.array([self._of(draws.next()) for _ in range(size)])

    def left_out(self, rng):
        positive = self.positive > 0
        up, down = auc_placements(positive, self.score)
        area, m, n = up.mean(), len(up), len(down)
        if m < 2 or n < 2:
            return np.full(self.n, np.nan), np.ones(self.n)
        values = np.empty(self.n)
        values[self.order[positive]] = (m * area - up) / (m - 1)
        values[self.order[~positive]] = (n * area - down) / (n - 1)
        return values, np.ones(self.n)


class AnyStatistic:
    """Any function of y_true and y_pred."""

    _GROUPS = 200  # the acceleration of the BCa interval leaves out at most this many groups of rows

    def __init__(self, metric, y_true, y_pred):
        self.metric, self.y_true, self.y_pred = metric, np.asarray(y_true), np.asarray(y_pred)
        self.n = len(self.y_true)

    def value(self):
        return float(self.metric(self.y_true, self.y_pred))

    def _at(self, rows):
        return float(self.metric(self.y_true[rows], self.y_pred[rows]))

    def resampled(self, rng, size, strata=None):
        if strata is None:
            return np.array([self._at(rng.integers(0, self.n, self.n)) for _ in range(size)])
        return np.array(
            [self._at(np.concatenate([s[rng.integers(0, len(s), len(s))] for s in strata])) for _ in range(size)]
        )

    def left_out(self, rng):
        groups = np.array_split(rng.permutation(self.n), min(self.n, self._GROUPS))
        everything = np.arange(self.n)
        return np.array([self._at(np.setdiff1d(everything, g)) for g in groups]), np.ones(len(groups))


# ------------------------------------------------------------------------------------------- from metrics to statistics


def _residual_columns(y_true, y_pred):
    y_true, y_pred = (column_or_1d(v).astype(np.float64) for v in (y_true, y_pred))
    return y_true, y_true - y_pred


def _squared(y_true, y_pred):
    return MeanStatistic(_residual_columns(y_true, y_pred)[1] ** 2)


def _root_squared(y_true, y_pred):
    return MeanStatistic(_residual_columns(y_true, y_pred)[1] ** 2, lambda m: np.sqrt(m[0]))


def _absolute(y_true, y_pred):
    return MeanStatistic(np.abs(_residual_columns(y_true, y_pred)[1]))


def _explained(y_true, y_pred, centred):
    y, r = _residual_columns(y_true, y_pred)
    y = y - y.mean()  # keeps the digits of the variance

    def combine(m):
        left = m[0] - (m[3] ** 2 if centred else 0.0)
        spread = m[2] - m[1] ** 2
        constant = spread <= 0.0
        with np.errstate(divide="ignore", invalid="ignore"):
            share = 1.0 - left / spread
        return np.where(constant, np.where(left <= 0.0, 1.0, 0.0), share)

    return MeanStatistic([r**2, y, y**2, r] if centred else [r**2, y, y**2], combine)


def _log_loss(y_true, y_pred):
    from ._probability import row_log_probabilities

    return MeanStatistic(-row_log_probabilities(y_true, y_pred))


def _brier(y_true, y_pred):
    positive, p = binary_truth(y_true, y_pred)
    return MeanStatistic((p - positive) ** 2)


_FAST = {
    "mean_squared_error": _squared,
    "root_mean_squared_error": _root_squared,
    "mean_absolute_error": _absolute,
    "r2_score": partial(_explained, centred=False),
    "explained_variance_score": partial(_explained, centred=True),
    "log_loss": _log_loss,
    "brier_score_loss": _brier,
    "roc_auc_score": AreaStatistic,
}
_OF_LABELS = {
    "accuracy_score",
    "balanced_accuracy_score",
    "cohen_kappa_score",
    "f1_score",
    "fbeta_score",
    "jaccard_score",
    "matthews_corrcoef",
    "precision_score",
    "recall_score",
    "specificity_score",
    "zero_one_loss",
}


def table_formula(metric, *labels):
    """A metric (a known function without options) as a formula of tables, if it has one for these labels."""
    name = getattr(metric, "__name__", "")
    if name in TABLE_METRICS:
        return TABLE_METRICS[name]
    labels = np.unique(np.concatenate([distinct_labels(y) for y in labels]))
    return BINARY_METRICS.get(name) if labels.dtype.kind in "iub" and labels.tolist() == [0, 1] else None


def find_metric(metric):
    """Function of a metric given by name or as a function."""
    if callable(metric):
        return metric
    import sklearn.metrics

    import statlearn.assess

    for module in (statlearn.assess, sklearn.metrics):
        for name in (metric, f"{metric}_score"):
            function = getattr(module, name, None) if isinstance(metric, str) else None
            if callable(function):
                return function
    raise ValueError(
        f"metric must be a function of (y_true, y_pred) or the name of one in statlearn.assess or sklearn.metrics, "
        f"such as 'roc_auc_score'. Got {metric!r} instead."
    )


def statistic_of(metric, y_true, y_pred):
    """Fastest statistic for the metric: of a known function on one column, otherwise the function itself."""
    function = find_metric(metric)
    check_consistent_length(y_true, y_pred)
    if isinstance(function, partial) and not function.args:
        base, options = function.func, function.keywords
    else:
        base, options = function, {}
    name = getattr(base, "__name__", "")
    home = getattr(base, "__module__", "") or ""
    known = home.startswith(("sklearn.metrics", "statlearn.assess"))
    y_true, y_pred = np.asarray(y_true), np.asarray(y_pred)
    if known and name in _FAST and not options and y_true.ndim == 1 and (y_pred.ndim == 1 or name == "log_loss"):
        return _FAST[name](y_true, y_pred)
    if known and name in _OF_LABELS and "sample_weight" not in options and y_true.ndim == y_pred.ndim == 1:
        formula = None if options else table_formula(function, y_true, y_pred)
        of_draws = formula and (lambda true, pred, draws: formula(tables_of(true, pred, draws)))
        return TableStatistic(function, y_true, y_pred, of_draws)
    return AnyStatistic(function, y_true, y_pred)
