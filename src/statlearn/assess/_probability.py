"""Scores of predicted probabilities."""

import numpy as np
from sklearn.utils.validation import check_array, check_consistent_length, column_or_1d

from statlearn._core.params import Options, Real, check_arguments
from statlearn._core.validation import check_weights, class_codes

from ._confusion import distinct_labels


def probability_of_truth(y_true, y_prob, labels=None):
    """Predicted probability of the true class of each row.

    `y_prob` has one column per class in the order of the sorted labels, or is the probability of the second of two
    classes.
    """
    y_true = column_or_1d(y_true)
    y_prob = check_array(y_prob, ensure_2d=False, dtype=np.float64, input_name="y_prob")
    check_consistent_length(y_true, y_prob)
    if np.any(y_prob < 0) or np.any(y_prob > 1):
        raise ValueError("`y_prob` contains values outside [0, 1].")
    classes = distinct_labels(y_true) if labels is None else np.unique(labels)
    if y_prob.ndim == 1:
        if len(classes) > 2 or (len(classes) < 2 and labels is not None):
            raise ValueError(
                f"`y_prob` has one column, but there are {len(classes)} classes; pass one column per class."
            )
        if len(classes) == 1:
            raise ValueError("`y_true` contains a single class; pass both classes as `labels`.")
        return np.where(y_true == classes[1], y_prob, 1.0 - y_prob)
    if y_prob.shape[1] != len(classes):
        raise ValueError(f"`y_prob` has {y_prob.shape[1]} columns, but there are {len(classes)} classes; see `labels`.")
    codes = class_codes(classes, y_true, name="y_true", among="`labels`")
    return y_prob[np.arange(len(codes)), codes]


def row_log_probabilities(y_true, y_prob):
    """Natural logarithms as in scikit-learn's log_loss: rows are normalised and bounded away from 0."""
    y_prob = np.asarray(y_prob)
    tiny = np.finfo(y_prob.dtype if y_prob.dtype.kind == "f" else np.float64).eps
    p = np.clip(probability_of_truth(y_true, y_prob), tiny, 1.0 - tiny)
    total = 1.0 if y_prob.ndim == 1 else y_prob.sum(axis=1)
    return np.log(p / total)


def log_likelihood(y_true, y_prob, *, labels=None, base="e", sample_weight=None):
    r"""Log-likelihood of a probabilistic classifier, :math:`\sum_i s_i \log P(g_i)`, a sum over rows.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        True classes g.
    y_prob : array-like of shape (n,) or (n, n_classes)
        Predicted probabilities: one column per class in the order of the sorted labels, or that of the second of two
        classes.
    labels : array-like or None, default=None
        All classes, if some do not occur in y_true.
    base : {"e"} or float, default="e"
        Base of the logarithm; 2 gives bits.
    sample_weight : array-like of shape (n,) or None, default=None

    Returns
    -------
    float
        ``-inf`` if a class that occurred had probability 0. The deviance is -2 times this (base e).

    See Also
    --------
    deviance : -2 times the log-likelihood.
    log_loss : minus its mean.

    Examples
    --------
    >>> from statlearn.assess import log_likelihood
    >>> log_likelihood(["red", "red", "blue"], [0.5, 0.5, 0.5], base=2)
    -3.0
    """
    check_arguments(log_likelihood, base=(base, [Real(0, None, closed="neither"), Options("e")]))
    p = probability_of_truth(y_true, y_prob, labels)
    weights = check_weights(sample_weight, p)
    with np.errstate(divide="ignore"):
        logs = np.log(p) if base == "e" else np.log(p) / np.log(base)
    if base == 2:
        with np.errstate(divide="ignore"):
            logs = np.log2(p)
    if weights is None:
        return float(np.sum(logs))
    return float(np.sum(logs[weights > 0] * weights[weights > 0]))


def deviance(y_true, y_prob, *, labels=None, sample_weight=None):
    r"""Deviance of a probabilistic classifier, :math:`-2 \sum_i s_i \log P(g_i)`, a sum over rows.

    Parameters
    ----------
    y_true : array-like of shape (n,)
    y_prob : array-like of shape (n,) or (n, n_classes)
        Predicted probabilities, as in `log_likelihood`.
    labels : array-like or None, default=None
        All classes, if some do not occur in y_true.
    sample_weight : array-like of shape (n,) or None, default=None

    Returns
    -------
    float

    See Also
    --------
    log_likelihood

    Examples
    --------
    >>> from statlearn.assess import deviance
    >>> round(deviance([0, 1, 1], [0.5, 0.5, 0.5]), 4)
    4.1589
    """
    return -2.0 * log_likelihood(y_true, y_prob, labels=labels, sample_weight=sample_weight)
