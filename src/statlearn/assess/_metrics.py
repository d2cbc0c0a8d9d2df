"""Metrics: those of scikit-learn, and some that it lacks."""

import functools
import warnings
from typing import NamedTuple

import numpy as np
from sklearn import metrics
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.metrics import mean_squared_error as _mean_squared_error
from sklearn.metrics import root_mean_squared_error as _root_mean_squared_error
from sklearn.utils.validation import check_array, check_consistent_length, column_or_1d

from statlearn._core.params import Options, Real, check_arguments
from statlearn._core.validation import check_weights

from ._confusion import confusion_matrix, distinct_labels, per_class_confusion
from ._standard_metrics import (
    accuracy_score,
    average_precision_score,
    balanced_accuracy_score,
    brier_score_loss,
    classification_report,
    cohen_kappa_score,
    det_curve,
    explained_variance_score,
    log_loss,
    matthews_corrcoef,
    mean_absolute_error,
    mean_pinball_loss,
    median_absolute_error,
    precision_recall_curve,
    r2_score,
    roc_auc_score,
    roc_curve,
    zero_one_loss,
)

__all__ = [
    "ErrorShares",
    "accuracy_score",
    "average_precision_score",
    "balanced_accuracy_score",
    "brier_score_loss",
    "classification_report",
    "cohen_kappa_score",
    "cost_sensitive_score",
    "det_curve",
    "error_shares",
    "explained_variance_score",
    "f1_score",
    "false_positive_rate",
    "fbeta_score",
    "log_loss",
    "matthews_corrcoef",
    "mean_absolute_error",
    "mean_fractional_error",
    "mean_pinball_loss",
    "mean_squared_error",
    "median_absolute_error",
    "neyman_pearson_score",
    "precision_recall_curve",
    "precision_score",
    "r2_score",
    "recall_score",
    "report_averages",
    "roc_auc_score",
    "roc_curve",
    "root_mean_squared_error",
    "specificity_score",
    "zero_one_loss",
]


def mean_squared_error(y_true, y_pred, *, sample_weight=None, multioutput="uniform_average"):
    r"""Mean squared error, for several responses their mean or their sum.

    .. math::

        \frac{1}{nK} \sum_{i=1}^n \sum_{k=1}^K (y_{ik} - \hat y_{ik})^2 \qquad\text{or, with "sum",}\qquad
        \frac{1}{n} \sum_{i=1}^n \lVert y_i - \hat y_i \rVert^2

    Both are the same for one response. The first is scikit-learn's; the second is the mean squared length of the
    residual vectors, which is what texts with vector responses call the mean squared error.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,) or (n, n_outputs)
    sample_weight : array-like of shape (n,) or None, default=None
    multioutput : {"uniform_average", "raw_values", "sum"} or array-like of shape (n_outputs,), \
            default="uniform_average"
        Mean over the responses, one value for each, their sum, or their mean with these weights.

    Returns
    -------
    float or ndarray of shape (n_outputs,)

    See Also
    --------
    statlearn.assess.losses.SquaredError : One value per row, summed over responses.

    Examples
    --------
    >>> from statlearn.assess import mean_squared_error
    >>> Y, P = [[1, 2], [3, 4]], [[2, 4], [3, 6]]
    >>> mean_squared_error(Y, P), mean_squared_error(Y, P, multioutput="sum")
    (2.25, 4.5)
    """
    if isinstance(multioutput, str) and multioutput == "sum":
        return float(np.sum(_mean_squared_error(y_true, y_pred, sample_weight=sample_weight, multioutput="raw_values")))
    return _mean_squared_error(y_true, y_pred, sample_weight=sample_weight, multioutput=multioutput)


def root_mean_squared_error(y_true, y_pred, *, sample_weight=None, multioutput="uniform_average"):
    r"""Root mean squared error, for several responses the mean of their roots or the root of their sum.

    .. math::

        \frac{1}{K} \sum_{k=1}^K \sqrt{\frac{1}{n} \sum_{i=1}^n (y_{ik} - \hat y_{ik})^2}
        \qquad\text{or, with "sum",}\qquad \sqrt{\frac{1}{n} \sum_{i=1}^n \lVert y_i - \hat y_i \rVert^2}

    Both are the same for one response. The first is scikit-learn's; the second is the root of
    :func:`mean_squared_error` with ``multioutput="sum"``.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,) or (n, n_outputs)
    sample_weight : array-like of shape (n,) or None, default=None
    multioutput : {"uniform_average", "raw_values", "sum"} or array-like of shape (n_outputs,), \
            default="uniform_average"
        Mean of the roots of the responses, one value for each, the root of the sum of squares over all responses, or
        the mean of the roots with these weights.

    Returns
    -------
    float or ndarray of shape (n_outputs,)

    Examples
    --------
    >>> from statlearn.assess import root_mean_squared_error
    >>> Y, P = [[1, 2], [3, 4]], [[2, 4], [3, 6]]
    >>> round(root_mean_squared_error(Y, P), 4), round(root_mean_squared_error(Y, P, multioutput="sum"), 4)
    (1.3536, 2.1213)
    """
    if isinstance(multioutput, str) and multioutput == "sum":
        return float(np.sqrt(mean_squared_error(y_true, y_pred, sample_weight=sample_weight, multioutput="sum")))
    return _root_mean_squared_error(y_true, y_pred, sample_weight=sample_weight, multioutput=multioutput)


def mean_fractional_error(y_true, y_pred, *, sample_weight=None):
    """Mean fractional error: the mean of abs(prediction - truth) / min(prediction, truth), for positive values.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,)
        Positive values.
    sample_weight : array-like of shape (n,) or None, default=None

    Returns
    -------
    float

    Notes
    -----
    A value of 1 means wrong by a factor of 2. Unlike in the percentage error, twice and half the truth count the same.

    Examples
    --------
    >>> from statlearn.assess import mean_fractional_error
    >>> mean_fractional_error([10.0, 10.0], [20.0, 5.0])
    1.0
    """
    y_true, y_pred = (
        check_array(column_or_1d(v), ensure_2d=False, dtype=np.float64, input_name=name)
        for v, name in ((y_true, "y_true"), (y_pred, "y_pred"))
    )
    check_consistent_length(y_true, y_pred)
    smaller = np.minimum(y_true, y_pred)
    if np.any(smaller <= 0):
        raise ValueError("mean_fractional_error requires positive `y_true` and `y_pred`.")
    return float(np.average(np.abs(y_pred - y_true) / smaller, weights=check_weights(sample_weight, y_true)))


# --------------------------------------------------------------------------------------------- per class, and averages


def _wrong_label(pos_label, labels):
    """The words of scikit-learn's error, and what to write instead."""
    listed = np.asarray(labels).tolist()
    return (
        f"pos_label={pos_label} is not a valid label. It should be one of {listed}; pass pos_label={listed[-1]!r} for "
        "the class to detect."
    )


def _naming_labels(metric):
    """A metric of scikit-learn with the default `pos_label` 1 and an error that says what to pass for other labels."""

    @functools.wraps(metric)
    def named(y_true, y_pred, **options):
        try:
            return metric(y_true, y_pred, **options)
        except ValueError as error:
            if "is not a valid label" in str(error):
                labels = np.unique(np.concatenate([distinct_labels(column_or_1d(y)) for y in (y_true, y_pred)]))
                error.args = (_wrong_label(options.get("pos_label", 1), labels),)
            raise

    named.__module__, named.__qualname__ = __name__, metric.__name__
    named.__doc__ = None  # ours is below
    return named


precision_score, recall_score = _naming_labels(metrics.precision_score), _naming_labels(metrics.recall_score)
precision_score.__doc__ = r"""Precision, or positive predictive value: share of the rows predicted positive that are.

    .. math:: \frac{\mathrm{TP}}{\mathrm{TP} + \mathrm{FP}}

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,) or indicator matrix of shape (n, n_labels)
    labels : array-like or None, default=None
        Classes to average over, in their order.
    pos_label : label, default=1
        Positive class of two.
    average : {"binary", "micro", "macro", "weighted", "samples", None}, default="binary"
        "binary" is the score of `pos_label`. For several classes: of pooled counts, the mean over classes, their mean
        by support, the mean over rows, or one value for each class.
    sample_weight : array-like of shape (n,) or None, default=None
    zero_division : {"warn", 0, 1, nan}, default="warn"
        Value if no row is predicted positive.

    Returns
    -------
    float or ndarray of shape (n_classes,)

    Examples
    --------
    >>> from statlearn.assess import precision_score
    >>> precision_score([1, 1, 0, 0], [1, 0, 1, 0])
    0.5
    """
recall_score.__doc__ = r"""Recall, the sensitivity or rate of true positives: share of the positive rows that are found.

    .. math:: \frac{\mathrm{TP}}{\mathrm{TP} + \mathrm{FN}}

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,) or indicator matrix of shape (n, n_labels)
    labels : array-like or None, default=None
        Classes to average over, in their order.
    pos_label : label, default=1
        Positive class of two.
    average : {"binary", "micro", "macro", "weighted", "samples", None}, default="binary"
        "binary" is the score of `pos_label`. For several classes: of pooled counts, the mean over classes, their mean
        by support, the mean over rows, or one value for each class.
    sample_weight : array-like of shape (n,) or None, default=None
    zero_division : {"warn", 0, 1, nan}, default="warn"
        Value if there is no positive row.

    Returns
    -------
    float or ndarray of shape (n_classes,)

    See Also
    --------
    specificity_score : The same share of the negative rows.

    Examples
    --------
    >>> from statlearn.assess import recall_score
    >>> recall_score(["b", "b", "a"], ["b", "a", "a"], pos_label="b")
    0.5
    """
_f1_score, _fbeta_score = _naming_labels(metrics.f1_score), _naming_labels(metrics.fbeta_score)


def _positive_table(y_true, y_pred, pos_label, sample_weight, owner):
    """tn, fp, fn, tp of one class against the other of two; a class without rows is allowed."""
    labels = np.unique(np.concatenate([distinct_labels(column_or_1d(y)) for y in (y_true, y_pred)]))
    if len(labels) > 2:
        raise ValueError(f"{owner} supports exactly two classes, got {len(labels)}.")
    if pos_label is None and len(labels) < 2 and labels[0] in (-1, 0, 1):
        pos_label = 1
    if pos_label is None:
        if len(labels) < 2:
            raise ValueError(
                f"{owner}: only the class {labels.tolist()[0]!r} is present; set `pos_label` to the positive class."
            )
        pos_label = labels[1]
    elif len(labels) == 2 and pos_label not in labels.tolist():
        raise ValueError(_wrong_label(pos_label, labels))
    table = per_class_confusion(y_true, y_pred, labels=[pos_label], sample_weight=sample_weight)[0]
    return table.ravel()


def _ratio(top, bottom, zero_division, what):
    top, bottom = np.asarray(top, dtype=np.float64), np.asarray(bottom, dtype=np.float64)
    if np.any(bottom == 0) and zero_division == "warn":
        warnings.warn(
            f"{what} is ill-defined and being set to 0.0 where there is nothing to count. Use `zero_division` "
            "parameter to control this behavior.",
            UndefinedMetricWarning,
            stacklevel=3,
        )
    fill = 0.0 if zero_division == "warn" else float(zero_division)
    return np.divide(top, bottom, out=np.full(np.broadcast(top, bottom).shape, fill), where=bottom != 0)


def specificity_score(
    y_true, y_pred, *, labels=None, pos_label=None, average="binary", sample_weight=None, zero_division="warn"
):
    """Specificity TN / (TN + FP): the fraction of negatives that are predicted negative.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,)
    labels : array-like or None, default=None
        Classes to report if `average` is not "binary".
    pos_label : label or None, default=None
        Positive class, for "binary". None uses the larger of the two labels.
    average : {"binary", "micro", "macro", "weighted"} or None, default="binary"
        As in scikit-learn's `recall_score`: each class in turn against the rest. "micro" pools the counts, "macro" is
        the mean over classes, "weighted" weights it by support, and None returns one value per class.
    sample_weight : array-like of shape (n,) or None, default=None
    zero_division : {"warn", 0.0, 1.0, np.nan}, default="warn"
        Value if every row belongs to the class; "warn" is 0 with a warning.

    Returns
    -------
    float or ndarray of shape (n_classes,)

    See Also
    --------
    false_positive_rate : one minus the specificity.

    Notes
    -----
    Not to be confused with precision, which divides by the number of predicted positives.

    Examples
    --------
    >>> from statlearn.assess import specificity_score
    >>> specificity_score([0, 0, 0, 0, 1, 1], [0, 0, 0, 1, 1, 0])
    0.75
    """
    averages = Options("binary", "micro", "macro", "weighted")
    check_arguments(
        specificity_score,
        average=(average, [averages, None]),
        zero_division=(zero_division, [Options("warn"), Real(0, 1, closed="both"), _Nan()]),
    )
    if average == "binary":
        tn, fp, _, _ = _positive_table(y_true, y_pred, pos_label, sample_weight, "specificity_score(average='binary')")
        return float(_ratio(tn, tn + fp, zero_division, "Specificity"))
    tables = per_class_confusion(y_true, y_pred, labels=labels, sample_weight=sample_weight)
    tn, fp = tables[:, 0, 0], tables[:, 0, 1]
    if average == "micro":
        return float(_ratio(tn.sum(), (tn + fp).sum(), zero_division, "Specificity"))
    values = _ratio(tn, tn + fp, zero_division, "Specificity")
    if average is None:
        return values
    support = tables[:, 1].sum(axis=1) if average == "weighted" else np.ones(len(values))
    return float(np.average(values, weights=support)) if support.sum() > 0 else float(np.mean(values))


class _Nan:
    def accepts(self, value):
        return isinstance(value, float) and np.isnan(value)

    def describe(self):
        return "nan"

    def bad_values(self):
        return [0.5]


def false_positive_rate(y_true, y_pred, *, pos_label=None, sample_weight=None, zero_division="warn"):
    """False positive rate FP / (FP + TN), or false alarm rate: one minus the specificity.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,)
    pos_label : label or None, default=None
        None uses the larger of the two labels.
    sample_weight : array-like of shape (n,) or None, default=None
    zero_division : {"warn", 0.0, 1.0, np.nan}, default="warn"
        Value if there are no negatives.

    Returns
    -------
    float

    See Also
    --------
    error_shares : false positives and false negatives divided by all rows.

    Examples
    --------
    >>> from statlearn.assess import false_positive_rate
    >>> false_positive_rate([0, 0, 0, 0, 1, 1], [0, 0, 0, 1, 1, 0])
    0.25
    """
    tn, fp, _, _ = _positive_table(y_true, y_pred, pos_label, sample_weight, "false_positive_rate")
    return float(_ratio(fp, tn + fp, zero_division, "False positive rate"))


def f1_score(
    y_true,
    y_pred,
    *,
    labels=None,
    pos_label=1,
    average="binary",
    macro="mean",
    sample_weight=None,
    zero_division="warn",
):
    """F1 score as in scikit-learn, with a second way of averaging over classes.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,)
    labels, pos_label, average, sample_weight, zero_division
        As in `sklearn.metrics.f1_score`.
    macro : {"mean", "harmonic"}, default="mean"
        "mean" averages the F1 scores of the classes. "harmonic" is the harmonic mean 2PR / (P + R) of mean precision P
        and mean recall R over classes, regardless of `average`; it is never smaller.

    Returns
    -------
    float or ndarray of shape (n_classes,)

    See Also
    --------
    report_averages : both, from the rows of a printed report.

    Examples
    --------
    >>> from statlearn.assess import f1_score
    >>> y, z = [0, 0, 0, 1, 1, 2], [0, 0, 1, 1, 0, 2]
    >>> round(f1_score(y, z, average="macro"), 4), round(f1_score(y, z, macro="harmonic"), 4)
    (0.7222, 0.7222)
    """
    check_arguments(f1_score, macro=(macro, [Options("mean", "harmonic")]))
    if macro == "mean":
        return _f1_score(
            y_true,
            y_pred,
            labels=labels,
            pos_label=pos_label,
            average=average,
            sample_weight=sample_weight,
            zero_division=zero_division,
        )
    return _macro_f(y_true, y_pred, 1.0, labels, sample_weight, zero_division)


def fbeta_score(
    y_true,
    y_pred,
    *,
    beta,
    labels=None,
    pos_label=1,
    average="binary",
    macro="mean",
    sample_weight=None,
    zero_division="warn",
):
    r"""F-beta score as in scikit-learn, with a second way of averaging over classes.

    The weighted harmonic mean of precision P and recall R,

    .. math:: F_\beta = \frac{(1 + \beta^2) P R}{\beta^2 P + R}.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,)
    beta : float
        Weight of recall relative to precision, at least 0. Values above 1 favour recall; infinity gives recall.
    labels, pos_label, average, sample_weight, zero_division
        As in `sklearn.metrics.fbeta_score`.
    macro : {"mean", "harmonic"}, default="mean"
        "mean" averages the scores of the classes. "harmonic" is the formula above with mean precision and mean recall
        over classes, regardless of `average`; it is never smaller than the mean of the scores.

    Returns
    -------
    float or ndarray of shape (n_classes,)

    See Also
    --------
    f1_score : the score with ``beta=1``.

    Examples
    --------
    >>> from statlearn.assess import fbeta_score
    >>> y, z = [0, 0, 0, 1, 1, 2], [0, 0, 1, 1, 2, 2]
    >>> [round(fbeta_score(y, z, beta=2, average="macro", macro=macro), 4) for macro in ("mean", "harmonic")]
    [0.6825, 0.7104]
    """
    check_arguments(
        fbeta_score, macro=(macro, [Options("mean", "harmonic")]), beta=(beta, [Real(0, None, closed="both")])
    )
    if macro == "mean":
        return _fbeta_score(
            y_true,
            y_pred,
            beta=beta,
            labels=labels,
            pos_label=pos_label,
            average=average,
            sample_weight=sample_weight,
            zero_division=zero_division,
        )
    return _macro_f(y_true, y_pred, beta, labels, sample_weight, zero_division)


def _macro_f(y_true, y_pred, beta, labels, sample_weight, zero_division):
    common = dict(labels=labels, average="macro", sample_weight=sample_weight, zero_division=zero_division)
    return _harmonic(precision_score(y_true, y_pred, **common), recall_score(y_true, y_pred, **common), beta)


def _harmonic(P, R, beta=1.0):
    """F-beta, with the weights of 1/P and 1/R scaled to sum to 1, which also holds for infinite beta."""
    of_precision = 1.0 / (1.0 + beta * beta)
    return float(P * R / ((1.0 - of_precision) * P + of_precision * R)) if P > 0 and R > 0 else 0.0


def report_averages(precision, recall, support, f1=None):
    """Averages over classes from the rows of a classification report.

    Parameters
    ----------
    precision, recall : array-like of shape (n_classes,)
    support : array-like of shape (n_classes,)
        Number of rows of each class.
    f1 : array-like of shape (n_classes,) or None, default=None
        None computes them from precision and recall.

    Returns
    -------
    dict
        "macro" and "weighted", each with "precision", "recall" and "f1" (the mean F1 score of the classes), and under
        "macro" also "f1_harmonic", the harmonic mean of mean precision and mean recall.

    Examples
    --------
    >>> from statlearn.assess import report_averages
    >>> averages = report_averages([0.96, 0.73], [0.99, 0.41], [1884, 116], f1=[0.98, 0.53])
    >>> round(averages["weighted"]["f1"], 4), round(averages["macro"]["f1_harmonic"], 4)
    (0.9539, 0.7657)
    """
    P, R, n = (np.asarray(v, dtype=np.float64) for v in (precision, recall, support))
    check_consistent_length(P, R, n)
    F = np.array([_harmonic(p, r) for p, r in zip(P, R)]) if f1 is None else np.asarray(f1, dtype=np.float64)
    check_consistent_length(P, F)
    columns = {"precision": P, "recall": R, "f1": F}
    macro = {name: float(np.mean(v)) for name, v in columns.items()}
    macro["f1_harmonic"] = _harmonic(macro["precision"], macro["recall"])
    return {"macro": macro, "weighted": {name: float(np.average(v, weights=n)) for name, v in columns.items()}}


# ------------------------------------------------------------------------------------------------------ shares, prices


class ErrorShares(NamedTuple):
    """False positives, false negatives and both, as fractions of all rows."""

    fp_share: float
    fn_share: float
    error: float


def error_shares(y_true, y_pred, *, pos_label=None, sample_weight=None):
    """False positives and false negatives as fractions of all rows, FP/n and FN/n; their sum is the error rate.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,)
        Two classes.
    pos_label : label or None, default=None
        None uses the larger of the two labels.
    sample_weight : array-like of shape (n,) or None, default=None

    Returns
    -------
    ErrorShares
        Named tuple ``(fp_share, fn_share, error)``.

    See Also
    --------
    false_positive_rate : FP divided by the number of negatives.

    Notes
    -----
    Some textbooks call these "rates", but the rates in common use divide by the rows of one class.

    Examples
    --------
    >>> from statlearn.assess import error_shares
    >>> error_shares([0, 0, 0, 1], [0, 1, 0, 0])
    ErrorShares(fp_share=0.25, fn_share=0.25, error=0.5)
    """
    tn, fp, fn, tp = _positive_table(y_true, y_pred, pos_label, sample_weight, "error_shares")
    n = float(tn + fp + fn + tp)
    return ErrorShares(float(fp) / n, float(fn) / n, float(fp + fn) / n)


def neyman_pearson_score(y_true, y_pred, kappa=1.0, *, pos_label=None, sample_weight=None):
    """Neyman-Pearson error kappa · FN/n + FP/n: a missed positive costs kappa false alarms. Smaller is better.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,)
        Two classes.
    kappa : float, default=1.0
        Cost of a false negative; 1 gives the error rate.
    pos_label : label or None, default=None
        None uses the larger of the two labels.
    sample_weight : array-like of shape (n,) or None, default=None

    Returns
    -------
    float

    Examples
    --------
    >>> from statlearn.assess import neyman_pearson_score
    >>> neyman_pearson_score([0, 0, 0, 1], [0, 1, 0, 0], kappa=10)
    2.75
    """
    check_arguments(neyman_pearson_score, kappa=(kappa, [Real(0, None)]))
    shares = error_shares(y_true, y_pred, pos_label=pos_label, sample_weight=sample_weight)
    return kappa * shares.fn_share + shares.fp_share


def cost_sensitive_score(y_true, y_pred, weights, *, labels=None, kind="accuracy", sample_weight=None):
    """Accuracy, error or cost from a confusion matrix with weighted cells.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,)
    weights : array-like of shape (K, K)
        Non-negative weight W of each cell, with true classes in rows.
    labels : array-like of shape (K,) or None, default=None
        Order of the classes; None sorts those that occur.
    kind : {"accuracy", "error", "cost"}, default="accuracy"
        With confusion matrix C: the fraction of W * C on the diagonal, off the diagonal, or the mean of W over rows,
        sum(W * C) / n.
    sample_weight : array-like of shape (n,) or None, default=None

    Returns
    -------
    float

    See Also
    --------
    statlearn.assess.losses.LossMatrix : expected costs and optimal decisions from probabilities.

    Examples
    --------
    >>> from statlearn.assess import cost_sensitive_score
    >>> cost_sensitive_score([0, 0, 0, 1], [0, 1, 0, 0], [[1, 1], [4, 1]])
    0.2857142857142857
    >>> cost_sensitive_score([0, 0, 0, 1], [0, 1, 0, 0], [[0, 1], [4, 0]], kind="cost")
    1.25
    """
    check_arguments(cost_sensitive_score, kind=(kind, [Options("accuracy", "error", "cost")]))
    C = confusion_matrix(y_true, y_pred, labels=labels, sample_weight=sample_weight).astype(np.float64)
    W = check_array(weights, dtype=np.float64, input_name="weights")
    if W.shape != C.shape or np.any(W < 0):
        raise ValueError(f"`weights` must be non-negative and of shape {C.shape}, one entry per pair of classes.")
    total = float(np.sum(W * C))
    if kind == "cost":
        return total / float(np.sum(C))
    if total == 0.0:
        raise ValueError("`weights`: all pairs of classes that occur have weight 0.")
    share = float(np.sum(np.diag(W * C))) / total
    return share if kind == "accuracy" else 1.0 - share
