"""`evaluate`: metrics of a fitted model that add over blocks."""

from dataclasses import dataclass, field

import numpy as np
from scipy import special
from sklearn.base import is_classifier
from sklearn.utils.validation import check_is_fitted

from statlearn._core.params import HasMethods, Int, check_arguments
from statlearn._core.summary import Summary, Table
from statlearn._math.rows.statistics import CrossProducts

from ._fit import make_passes
from ._models import features_of, for_arrays, needs_frames
from ._sources.open import open_source
from ._sums import Sums

_SCORES = 2**14  # bins of the log-odds, from -_WIDEST to _WIDEST
_WIDEST = 20.0
_SMALLEST = np.finfo(np.float64).tiny


@dataclass
class Evaluation:
    """Metrics of a model on all rows of a source, returned by :func:`evaluate`.

    Parameters
    ----------
    metrics : dict of str to float
        Regression: ``n``, ``mse``, ``rmse``, ``mae``, ``bias`` (mean of prediction minus target), ``r2``.
        Classification: ``n``, ``accuracy``, ``log_loss`` and ``deviance`` (with `predict_proba`); two classes also
        ``brier``, ``roc_auc`` and ``roc_auc_error``, the largest possible distance from the exact area.
    confusion : ndarray of shape (n_classes, n_classes) or None
        Weights by true class (rows) and predicted class.
    classes : ndarray or None
    roc : tuple (fpr, tpr) or None
        Two classes only.
    calibration : dict of str to ndarray or None
        Two classes only: ``predicted`` and ``observed`` shares of the second class, and ``weight``, by bin.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn import scale
    >>> from statlearn.linear import LinearRegression
    >>> X = np.arange(10.0)[:, None]
    >>> y = X[:, 0] + [0, 1] * 5
    >>> model = LinearRegression().fit(X, y)
    >>> round(scale.evaluate(model, scale.open_source(X, rows=4), y).metrics["r2"], 4)
    0.9731
    """

    metrics: dict
    confusion: np.ndarray | None = None
    classes: np.ndarray | None = None
    roc: tuple | None = None
    calibration: dict | None = field(default=None, repr=False)

    def __str__(self):
        values = {name: value for name, value in self.metrics.items() if name != "n"}
        table = Table(list(values), {"value": np.array(list(values.values()))})
        return str(Summary("Evaluation", table, {"n": self.metrics["n"]}, {"n": "rows (by weight)"}))


def evaluate(model, source, target, weight=None, *, bins=20, features=None, client=None):
    """Metrics of a fitted model on data larger than memory, in one pass.

    Parameters
    ----------
    model : estimator
        Fitted classifier or regressor.
    source : path, array, frames or Source
        See :func:`open_source`.
    target, weight : str, array-like or None
        As in :func:`fit`.
    bins : int, default=20
        Bins of the calibration table, of equal width in the probability.
    features : list of str or None, default=None
        The columns of the model, if it has no ``feature_names_in_``.
    client : distributed.Client or None, default=None
        A Dask cluster.

    Returns
    -------
    Evaluation

    Notes
    -----
    The ROC curve is computed from weights of both classes in 16,384 bins of the log-odds from -20 to 20. Rows in one
    bin count as ties; ``roc_auc_error`` is the largest change that their true order could make.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn import scale
    >>> from statlearn.bayes import GaussianNB
    >>> X, y = np.arange(8.0)[:, None], np.repeat(["a", "b"], 4)
    >>> result = scale.evaluate(GaussianNB().fit(X, y), scale.open_source(X, rows=3), y)
    >>> result.metrics["accuracy"], result.metrics["roc_auc"]
    (1.0, 1.0)
    """
    check_arguments(evaluate, model=(model, [HasMethods("fit", "predict")]), bins=(bins, [Int(1, 10_000)]))
    check_is_fitted(model)
    source = open_source(source)
    if target is None:
        raise ValueError("`target` must be the column, or the array, that the model predicts.")
    names = None if source.columns is None else features_of(model) or features
    passes = make_passes(source, target, weight, names, client, frames=needs_frames(model))
    try:
        applied = for_arrays(model)
        if not is_classifier(model):
            return _regression(passes.reduce(_residuals, applied))
        return _classification(passes.reduce(_decisions, applied, bins), model.classes_, bins)
    finally:
        passes.close()


# --------------------------------------------------------------------------------------------------------- regression


class Residuals:
    """Sums of residuals, and the cross-products of the target, which is centred without loss of digits.

    Parameters
    ----------
    sums : Sums
    target : CrossProducts
    """

    def __init__(self, sums, target):
        self.sums, self.target = sums, target

    def merge(self, other):
        """The sums of both."""
        return Residuals(self.sums.merge(other.sums), self.target.merge(other.target))


def _residuals(block, model):
    y = np.asarray(block.y, dtype=np.float64)
    w = np.ones(len(y)) if block.weights is None else block.weights
    error = np.asarray(model.predict(block.X), dtype=np.float64).reshape(len(y)) - y
    sums = Sums(weight=w.sum(), square=w @ error**2, size=w @ np.abs(error), error=w @ error)
    return Residuals(sums, CrossProducts.from_block(np.ascontiguousarray(y[:, None]), np.zeros(len(y)), w))


def _regression(total):
    s, spread = total.sums, float(total.target.centred()[0][0, 0])
    mse = float(s.square / s.weight)
    return Evaluation(
        {
            "n": float(s.weight),
            "mse": mse,
            "rmse": float(np.sqrt(mse)),
            "mae": float(s.size / s.weight),
            "bias": float(s.error / s.weight),
            "r2": 1.0 - float(s.square) / spread if spread > 0 else float("nan"),
        }
    )


# ----------------------------------------------------------------------------------------------------- classification


def _decisions(block, model, bins):
    """Confusions and losses of a block, and by bin of the score for two classes."""
    w = np.ones(len(block)) if block.weights is None else block.weights
    classes = np.asarray(model.classes_)
    codes = np.searchsorted(classes, block.y)
    known = classes[np.minimum(codes, len(classes) - 1)] == block.y
    if not known.all():
        raise ValueError(f"the target has the label {block.y[~known][0]!r}, which the model has not seen.")
    K = len(classes)
    if not hasattr(model, "predict_proba"):
        predicted = np.searchsorted(classes, model.predict(block.X))
        return Sums(confusion=np.bincount(codes * K + predicted, w, K * K))
    probabilities = np.asarray(model.predict_proba(block.X), dtype=np.float64)
    predicted = np.searchsorted(classes, model.predict(block.X))
    correct = np.maximum(probabilities[np.arange(len(codes)), codes], _SMALLEST)
    sums = {"confusion": np.bincount(codes * K + predicted, w, K * K), "log_loss": -(w @ np.log(correct))}
    if K == 2:
        p = probabilities[:, 1]
        score = np.clip(special.logit(np.clip(p, 0.0, 1.0)), -_WIDEST, _WIDEST)
        place = np.minimum(((score + _WIDEST) * (_SCORES / (2 * _WIDEST))).astype(np.intp), _SCORES - 1)
        part = np.minimum((p * bins).astype(np.intp), bins - 1)
        sums |= {
            "negative": np.bincount(place[codes == 0], w[codes == 0], _SCORES),
            "positive": np.bincount(place[codes == 1], w[codes == 1], _SCORES),
            "brier": w @ (p - codes) ** 2,
            "bin_weight": np.bincount(part, w, bins),
            "bin_predicted": np.bincount(part, w * p, bins),
            "bin_observed": np.bincount(part, w * codes, bins),
        }
    return Sums(**sums)


def _classification(s, classes, bins):
    K = len(classes)
    confusion = s.confusion.reshape(K, K)
    total = confusion.sum()
    metrics = {"n": float(total), "accuracy": float(np.trace(confusion) / total)}
    if "log_loss" in s.arrays:
        metrics |= {"log_loss": float(s.log_loss / total), "deviance": float(2.0 * s.log_loss)}
    if "brier" not in s.arrays:
        return Evaluation(metrics, confusion, np.asarray(classes))
    metrics["brier"] = float(s.brier / total)
    below, pairs = np.cumsum(s.negative) - s.negative, s.negative.sum() * s.positive.sum()
    ties = s.positive @ s.negative
    metrics["roc_auc"] = float((s.positive @ below + 0.5 * ties) / pairs) if pairs > 0 else float("nan")
    metrics["roc_auc_error"] = float(0.5 * ties / pairs) if pairs > 0 else float("nan")
    used = np.flatnonzero(s.positive + s.negative > 0)[::-1]
    fpr, tpr = (np.append(0.0, np.cumsum(side[used]) / max(side.sum(), _SMALLEST)) for side in (s.negative, s.positive))
    full = s.bin_weight > 0
    calibration = {
        "predicted": s.bin_predicted[full] / s.bin_weight[full],
        "observed": s.bin_observed[full] / s.bin_weight[full],
        "weight": s.bin_weight[full],
    }
    return Evaluation(metrics, confusion, np.asarray(classes), (fpr, tpr), calibration)
