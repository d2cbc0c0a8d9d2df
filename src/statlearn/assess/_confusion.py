"""Confusion matrices in three layouts, and metrics of many such tables at once."""

import numpy as np
from sklearn.utils.validation import check_consistent_length, column_or_1d

from statlearn._core.params import Options, check_arguments
from statlearn._core.validation import check_weights


def distinct_labels(y):
    """Distinct labels: by counting for integers of a small range, by sorting otherwise."""
    if y.dtype.kind in "iub" and len(y):
        low, high = int(y.min()), int(y.max())
        if high - low < 65536:
            return (np.flatnonzero(np.bincount(y.astype(np.int64) - low)) + low).astype(y.dtype)
    return np.unique(y)


def label_codes(y, labels):
    """Index of each value among the (unsorted) labels, -1 for others."""
    if y.dtype.kind in "iub" and labels.dtype.kind in "iub" and len(y) and len(labels):
        low, high = min(int(y.min()), int(labels.min())), max(int(y.max()), int(labels.max()))
        if high - low < 65536:
            place = np.full(high - low + 1, -1, dtype=np.int64)
            place[labels.astype(np.int64) - low] = np.arange(len(labels))
            return place[y.astype(np.int64) - low]
    order = np.argsort(labels, kind="stable")
    at = np.minimum(np.searchsorted(labels, y, sorter=order), len(labels) - 1)
    return np.where(labels[order[at]] == y, order[at], -1)


def count_table(y_true, y_pred, labels=None, sample_weight=None):
    """Labels and the K x K counts with true classes in rows; rows with a label outside `labels` are ignored."""
    y_true, y_pred = column_or_1d(y_true), column_or_1d(y_pred)
    check_consistent_length(y_true, y_pred)
    if len(y_true) == 0:
        raise ValueError("Found array with 0 sample(s) while a minimum of 1 is required.")
    for name, y in (("y_true", y_true), ("y_pred", y_pred)):
        if y.dtype.kind == "f" and not np.all(y == np.floor(y)):
            raise ValueError(f"`{name}` must contain class labels, got continuous values.")
    if labels is None:
        labels = np.unique(np.concatenate([distinct_labels(y_true), distinct_labels(y_pred)]))
    else:
        labels = column_or_1d(labels)
        if len(labels) == 0:
            raise ValueError("`labels` must contain at least one label.")
        if not np.isin(labels, distinct_labels(y_true)).any():
            raise ValueError("At least one label specified must be in y_true.")
    K = len(labels)
    true, pred = label_codes(y_true, labels), label_codes(y_pred, labels)
    weights = None if sample_weight is None else check_weights(sample_weight, np.empty(len(y_true)))
    known = (true >= 0) & (pred >= 0)
    if not known.all():
        true, pred = true[known], pred[known]
        weights = None if weights is None else weights[known]
    return labels, np.bincount(K * true + pred, weights, minlength=K * K).reshape(K, K)


def confusion_matrix(
    y_true, y_pred, *, labels=None, sample_weight=None, normalize=None, layout="true_rows", positive_first=False
):
    """Confusion matrix: counts of true and predicted classes.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,)
    labels : array-like of shape (K,) or None, default=None
        Classes and their order; None sorts those that occur. Rows with other labels are ignored.
    sample_weight : array-like of shape (n,) or None, default=None
    normalize : {"true", "pred", "all"} or None, default=None
        Whether to divide by the number of rows of the true class, of the predicted class, or of all classes.
    layout : {"true_rows", "pred_rows"}, default="true_rows"
        Whether a row of the matrix is a true class (as in scikit-learn: [[TN, FP], [FN, TP]]) or a predicted one ([[TN,
        FN], [FP, TP]]).
    positive_first : bool, default=False
        Whether to reverse the order of the classes, so that two classes read [[TP, FN], [FP, TN]].

    Returns
    -------
    ndarray of shape (K, K)
        Integers, unless weighted or normalised.

    See Also
    --------
    per_class_confusion : one 2 x 2 table per class.

    Notes
    -----
    One pass over the rows; labels that are small integers are not sorted.

    Examples
    --------
    >>> from statlearn.assess import confusion_matrix
    >>> y, z = [0, 0, 0, 1, 1], [0, 0, 1, 1, 1]
    >>> confusion_matrix(y, z).tolist()
    [[2, 1], [0, 2]]
    >>> confusion_matrix(y, z, layout="pred_rows").tolist()
    [[2, 0], [1, 2]]
    >>> confusion_matrix(y, z, positive_first=True).tolist()
    [[2, 0], [1, 2]]
    """
    check_arguments(
        confusion_matrix,
        normalize=(normalize, [Options("true", "pred", "all"), None]),
        layout=(layout, [Options("true_rows", "pred_rows")]),
        positive_first=(positive_first, ["boolean"]),
    )
    _, C = count_table(y_true, y_pred, labels, sample_weight)
    if normalize is not None:
        total = C.sum(axis={"true": 1, "pred": 0, "all": None}[normalize], keepdims=True)
        C = np.divide(C, total, out=np.zeros(C.shape), where=total > 0)
    if positive_first:
        C = C[::-1, ::-1]
    return np.ascontiguousarray(C if layout == "true_rows" else C.T)


def per_class_confusion(y_true, y_pred, *, labels=None, sample_weight=None):
    """Confusion matrix [[TN, FP], [FN, TP]] of each class against all others.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,)
    labels : array-like of shape (K,) or None, default=None
        Classes to report; None means all, sorted.
    sample_weight : array-like of shape (n,) or None, default=None

    Returns
    -------
    ndarray of shape (K, 2, 2)

    See Also
    --------
    confusion_matrix : all classes in one table.

    Examples
    --------
    >>> from statlearn.assess import per_class_confusion
    >>> per_class_confusion(["a", "b", "c"], ["a", "c", "c"])[2].tolist()
    [[1, 1], [0, 1]]
    """
    everything, C = count_table(y_true, y_pred, None, sample_weight)
    labels = everything if labels is None else column_or_1d(labels)
    at = label_codes(labels, everything)
    # A class that does not occur has counts of 0.
    C = np.pad(C, ((0, 1), (0, 1)))
    tp, true, pred, n = np.diag(C)[at], C.sum(axis=1)[at], C.sum(axis=0)[at], C.sum()
    return np.stack([n - true - pred + tp, pred - tp, true - tp, tp], axis=-1).reshape(-1, 2, 2)


# ------------------------------------------------------------------------------------------ metrics of tables, at once


def _divide(top, bottom, fill=0.0):
    return np.divide(top, bottom, out=np.full(np.broadcast(top, bottom).shape, fill), where=bottom != 0)


def _accuracy(C):
    return _divide(np.trace(C, axis1=-2, axis2=-1), C.sum(axis=(-2, -1)))


def _balanced_accuracy(C):
    support = C.sum(axis=-1)
    recall = _divide(np.diagonal(C, axis1=-2, axis2=-1), support)
    return recall.sum(axis=-1) / np.maximum((support > 0).sum(axis=-1), 1)


def _kappa(C):
    n = C.sum(axis=(-2, -1))
    chance = _divide(np.sum(C.sum(axis=-1) * C.sum(axis=-2), axis=-1), n * n)
    return _divide(_accuracy(C) - chance, 1.0 - chance, np.nan)


def _matthews(C):
    n, right = C.sum(axis=(-2, -1)), np.trace(C, axis1=-2, axis2=-1)
    true, pred = C.sum(axis=-1), C.sum(axis=-2)
    top = right * n - np.sum(true * pred, axis=-1)
    bottom = (n * n - np.sum(true**2, axis=-1)) * (n * n - np.sum(pred**2, axis=-1))
    return _divide(top, np.sqrt(bottom))


def _binary(formula):
    def metric(C):
        return formula(C[..., 0, 0], C[..., 0, 1], C[..., 1, 0], C[..., 1, 1])

    return metric


TABLE_METRICS = {
    "accuracy_score": _accuracy,
    "balanced_accuracy_score": _balanced_accuracy,
    "cohen_kappa_score": _kappa,
    "matthews_corrcoef": _matthews,
    "zero_one_loss": lambda C: 1.0 - _accuracy(C),
}
# For the classes 0 and 1, of which 1 is positive.
BINARY_METRICS = {
    "f1_score": _binary(lambda tn, fp, fn, tp: _divide(2 * tp, 2 * tp + fp + fn)),
    "precision_score": _binary(lambda tn, fp, fn, tp: _divide(tp, tp + fp)),
    "recall_score": _binary(lambda tn, fp, fn, tp: _divide(tp, tp + fn)),
    "specificity_score": _binary(lambda tn, fp, fn, tp: _divide(tn, tn + fp)),
}
