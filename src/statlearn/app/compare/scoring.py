"""The metrics of a comparison, on predictions that are already there."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from statlearn.app.errors import UsageError
from statlearn.app.setting_names import option

TINY = np.finfo(np.float64).eps
ROOTS = ("rmse",)  # metrics that are the root of a mean over rows


@dataclass
class Predictions:
    """What a model says about some rows: values, or class numbers with probabilities or scores where it has them."""

    values: np.ndarray  # regression: the values; classification: the number of the class
    probabilities: np.ndarray | None = None  # one column per class
    scores: np.ndarray | None = None  # one column per class, or one score for the second of two

    def rows(self, index):
        """The predictions for some of the rows."""
        part = [None if item is None else item[index] for item in (self.values, self.probabilities, self.scores)]
        return Predictions(*part)

    def table(self, n_classes):
        """For storage: values, or one column per class (certainties where the model has no probabilities)."""
        if n_classes is None:
            return self.values
        return np.eye(n_classes)[self.values] if self.probabilities is None else self.probabilities


@dataclass(frozen=True)
class Metric:
    """A number for the quality of predictions."""

    name: str
    label: str
    greater_is_better: bool
    needs: str  # "values", "probabilities" or "ranking" (probabilities or scores)
    function: Callable
    row_loss: Callable | None = None  # loss of each row, if the metric (or its square) is a mean over rows

    def __call__(self, y, predictions):
        if self.needs == "probabilities" and predictions.probabilities is None:
            return float("nan")
        if self.needs == "ranking" and predictions.probabilities is None and predictions.scores is None:
            return float("nan")
        return float(self.function(y, predictions))

    def loss(self, y, predictions):
        """The metric turned so that smaller is better."""
        value = self(y, predictions)
        return -value if self.greater_is_better else value

    def additive(self, scores):
        """Scores of folds turned so that smaller is better, and squared where the metric is the root of a mean.

        What is compared between models is the mean of these over folds. The mean of the roots would be too small where
        a few folds hold the rows that are hardest to predict.
        """
        scores = np.asarray(scores, dtype=np.float64)
        if self.name in ROOTS:
            return scores**2
        return -scores if self.greater_is_better else scores

    def row_gaps(self, y, one, other):
        """Differences of the losses of two models, row by row, or None if the metric is not a mean over rows.

        Parameters
        ----------
        y : ndarray of shape (n_rows,)
            True values, or numbers of the classes.
        one, other : ndarray of shape (n_rows,) or (n_rows, n_classes)
            Predictions; rows in which either has NaN are left out.

        Examples
        --------
        >>> import numpy as np
        >>> from statlearn.app.compare.scoring import METRICS
        >>> y, a, b = np.array([1.0, 2.0, 3.0]), np.array([1.0, 4.0, np.nan]), np.array([2.0, 2.0, 3.0])
        >>> METRICS["regression"]["rmse"].row_gaps(y, a, b)
        array([-1.,  4.])
        """
        if self.row_loss is None:
            return None
        both = np.isfinite(one + other)
        if both.ndim == 1:
            models = [Predictions(table[both]) for table in (one, other)]
        else:
            both = both.all(axis=1)
            models = [Predictions(table[both].argmax(axis=1), table[both]) for table in (one, other)]
        return np.subtract(*(self.row_loss(y[both], predictions) for predictions in models))


def _squared_errors(y, p):
    return (y - p.values) ** 2


def _absolute_errors(y, p):
    return np.abs(y - p.values)


def _rmse(y, p):
    return np.sqrt(np.mean(_squared_errors(y, p)))


def _mse(y, p):
    return np.mean(_squared_errors(y, p))


def _mae(y, p):
    return np.mean(_absolute_errors(y, p))


def _median_ae(y, p):
    return np.median(_absolute_errors(y, p))


def _r2(y, p):
    spread = np.sum((y - y.mean()) ** 2)
    return 1 - np.sum((y - p.values) ** 2) / spread if spread > 0 else np.nan


def _poisson_deviances(y, p):
    mean = np.maximum(p.values, TINY)
    ratio = np.where(y > 0, y * np.log(np.where(y > 0, y, 1) / mean), 0.0)
    return 2 * (ratio - y + mean)


def _poisson_deviance(y, p):
    return np.mean(_poisson_deviances(y, p))


def _log_losses(y, p):
    return -np.log(np.clip(p.probabilities[np.arange(len(y)), y], TINY, 1))


def _log_loss(y, p):
    return np.mean(_log_losses(y, p))


def _brier_losses(y, p):
    """Squared distances between the probabilities and the truth, over 2 with two classes (as scikit-learn's)."""
    truth = np.eye(p.probabilities.shape[1])[y]
    total = np.sum((p.probabilities - truth) ** 2, axis=1)
    return total / 2 if truth.shape[1] == 2 else total


def _brier(y, p):
    return np.mean(_brier_losses(y, p))


def _errors(y, p):
    return (y != p.values).astype(np.float64)


def _accuracy(y, p):
    return np.mean(y == p.values)


def _balanced_accuracy(y, p):
    return np.mean([np.mean(p.values[y == k] == k) for k in np.unique(y)])


def _f1(y, p):
    """F1 of the second of two classes; the mean over the classes with more."""

    def one(k):
        hits = np.sum((y == k) & (p.values == k))
        both = np.sum(y == k) + np.sum(p.values == k)
        return 2 * hits / both if both else 0.0

    classes = np.unique(np.concatenate([y, p.values]))
    return one(1) if classes.max() <= 1 else np.mean([one(k) for k in classes])


def area_under_curve(positive, scores):
    """Chance that a positive row scores above a negative one, ties counting one half."""
    n_pos = int(positive.sum())
    n_neg = len(positive) - n_pos
    if n_pos == 0 or n_neg == 0:
        return np.nan
    _, place, counts = np.unique(scores, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - (counts - 1) / 2)[place]
    return (ranks[positive].sum() - n_pos * (n_pos + 1) / 2) / (n_pos * n_neg)


def _roc_auc(y, p):
    table = p.probabilities if p.probabilities is not None else p.scores
    if table.ndim == 1:
        return area_under_curve(y == 1, table)
    if table.shape[1] == 2:
        return area_under_curve(y == 1, table[:, 1])
    return np.nanmean([area_under_curve(y == k, table[:, k]) for k in np.unique(y)])


_METRICS = {
    "regression": [
        Metric("rmse", "root mean squared error", False, "values", _rmse, _squared_errors),
        Metric("mae", "mean absolute error", False, "values", _mae, _absolute_errors),
        Metric("r2", "R²", True, "values", _r2),
        Metric("mse", "mean squared error", False, "values", _mse, _squared_errors),
        Metric("median_ae", "median absolute error", False, "values", _median_ae),
        Metric("poisson_deviance", "mean Poisson deviance", False, "values", _poisson_deviance, _poisson_deviances),
    ],
    "classification": [
        Metric("log_loss", "log loss", False, "probabilities", _log_loss, _log_losses),
        Metric("accuracy", "accuracy", True, "values", _accuracy, _errors),
        Metric("balanced_accuracy", "balanced accuracy", True, "values", _balanced_accuracy),
        Metric("roc_auc", "area under the ROC curve", True, "ranking", _roc_auc),
        Metric("brier", "Brier score", False, "probabilities", _brier, _brier_losses),
        Metric("f1", "F1", True, "values", _f1),
    ],
}
METRICS = {task: {metric.name: metric for metric in metrics} for task, metrics in _METRICS.items()}
DEFAULT = {"regression": "rmse", "classification": "log_loss"}
_SHOWN = {"regression": ("rmse", "mae", "r2"), "classification": ("log_loss", "accuracy", "roc_auc", "brier")}


# What people call the metrics elsewhere, without case, spaces, hyphens and underscores.
_ALIASES = {
    "rootmeansquarederror": "rmse", "meansquarederror": "mse", "meanabsoluteerror": "mae",
    "medianabsoluteerror": "median_ae", "medae": "median_ae", "mad": "median_ae", "rsquared": "r2", "r2score": "r2",
    "r^2": "r2", "r²": "r2", "l1": "mae", "l2": "mse", "meanpoissondeviance": "poisson_deviance",
    "auc": "roc_auc", "rocaucscore": "roc_auc", "aucroc": "roc_auc", "auroc": "roc_auc", "cstatistic": "roc_auc",
    "acc": "accuracy", "accuracyscore": "accuracy", "balancedaccuracyscore": "balanced_accuracy",
    "balacc": "balanced_accuracy", "crossentropy": "log_loss", "deviance": "log_loss", "nll": "log_loss",
    "brierscore": "brier", "brierscoreloss": "brier", "f1score": "f1", "fscore": "f1", "fmeasure": "f1",
}  # fmt: skip


def canonical(metric):
    """The name of a metric here, for a name that people use; unknown names stay what they are.

    Examples
    --------
    >>> from statlearn.app.compare.scoring import canonical
    >>> canonical("AUC"), canonical("neg_log_loss"), canonical("Log-Loss"), canonical("beauty")
    ('roc_auc', 'log_loss', 'log_loss', 'beauty')
    """
    bare = "".join(c for c in metric.lower().removeprefix("neg_") if c not in " _-")
    names = {name.replace("_", ""): name for known in METRICS.values() for name in known}
    return names.get(bare) or _ALIASES.get(bare, metric)


def choose_metrics(task, metric=None):
    """The metric that ranks and all that are shown, the ranking one first."""
    known = METRICS[task]
    name = DEFAULT[task] if metric is None else canonical(metric)
    if name not in known:
        raise UsageError(f"{option('metric')} must be one of {', '.join(known)} for {task}, got {metric!r}")
    names = [name, *(other for other in _SHOWN[task] if other != name)]
    return known[name], [known[other] for other in names]


def score_function(metric, classes):
    """The metric as a function of true values (or labels) and predictions (or one column per class)."""

    def score(y, table):
        if classes is None:
            return metric(np.asarray(y, float), Predictions(np.asarray(table, float)))
        table = np.asarray(table, float)
        return metric(np.searchsorted(classes, y), Predictions(table.argmax(axis=1), table))

    return score


def predictions_of(estimator, X, classes):
    """Predictions of a fitted estimator; classes that it has not met get probability 0."""
    if classes is None:
        values = np.asarray(estimator.predict(X), np.float64)
        return Predictions(values.reshape(len(values)))
    place = np.searchsorted(classes, estimator.classes_)
    if hasattr(estimator, "predict_proba"):
        known = np.asarray(estimator.predict_proba(X), np.float64)
        table = known
        if len(place) < len(classes):
            table = np.zeros((len(known), len(classes)))
            table[:, place] = known
        return Predictions(table.argmax(axis=1), table)
    labels = np.searchsorted(classes, estimator.predict(X))
    if not hasattr(estimator, "decision_function"):
        return Predictions(labels)
    scores = np.asarray(estimator.decision_function(X), np.float64)
    if len(place) < len(classes) or (scores.ndim == 1 and len(classes) > 2):
        return Predictions(labels)  # a ranking of fewer classes than there are says nothing comparable
    return Predictions(labels, None, scores)
