"""Class weights, and their product with sample weights."""

import numpy as np
from sklearn.utils.class_weight import compute_class_weight, compute_sample_weight


def class_factors(class_weight, classes, codes, sample_weight=None):
    """Weight factor of every class.

    Parameters
    ----------
    class_weight : dict, "balanced" or None
        Factors by label (1 for labels not listed), or "balanced" for factors that give all classes the same total.
    classes : ndarray of shape (k,)
        The distinct labels.
    codes : ndarray of int of shape (n,)
        Position in `classes` of the label of every row.
    sample_weight : ndarray of shape (n,) or None, default=None
        If given, "balanced" counts a row of weight k as k rows.

    Returns
    -------
    factors : ndarray of float64 of shape (k,)
        With "balanced", the factor of a class without weight is 0.
    """
    if class_weight is None:
        return np.ones(len(classes))
    if isinstance(class_weight, str):
        counts = np.bincount(codes, weights=sample_weight, minlength=len(classes))
        present = counts > 0  # a class without weight is absent, so it must not change the factors of the others
        return np.divide(counts.sum(), present.sum() * counts, out=np.zeros(len(classes)), where=present)
    factors = np.asarray(compute_class_weight(class_weight, classes=classes, y=classes), dtype=np.float64)
    bad = ~(np.isfinite(factors) & (factors >= 0.0))
    if bad.any():
        k = int(np.argmax(bad))
        raise ValueError(f"`class_weight` must be finite and at least 0, got {factors[k]:g} for class {classes[k]}.")
    return factors


def refuse_balanced_stream(class_weight):
    """Raise where the class frequencies that "balanced" needs are unknown: in the first batch of a `partial_fit`."""
    if class_weight == "balanced":
        raise ValueError(
            "class_weight 'balanced' is not supported for partial_fit: compute the weights from a sample of y "
            "with sklearn.utils.compute_class_weight('balanced', classes=classes, y=y) and pass them as a dict."
        )


def class_and_sample_weights(class_weight, classes, codes, sample_weight=None):
    """Sample weights times the factor of each row's class, as float64; None if neither is given.

    The arguments are those of `class_factors`.
    """
    if class_weight is None:
        return None if sample_weight is None else sample_weight.astype(np.float64)
    factors = class_factors(class_weight, classes, codes, sample_weight)
    if isinstance(class_weight, str) and not factors.all():
        raise ValueError("class_weight='balanced' requires rows of positive weight in every class.")
    by_row = factors[codes]
    return by_row if sample_weight is None else by_row * sample_weight.astype(np.float64)


def label_and_sample_weights(class_weight, y, sample_weight=None, *, weighted_counts=True):
    """`class_and_sample_weights` computed from labels, which may have several columns.

    Parameters
    ----------
    class_weight : dict, list of dicts, "balanced" or None
        A list has one dict per column of y. The factors of several columns are multiplied.
    y : ndarray of shape (n,) or (n, m)
    sample_weight : ndarray of shape (n,) or None, default=None
    weighted_counts : bool, default=True
        Whether "balanced" counts a row of weight k as k rows; otherwise every row counts once.

    Returns
    -------
    weights : ndarray of shape (n,) or None
        None if neither weight is given. In the precision of `sample_weight`, or float64 without it.
    """
    if class_weight is None:
        return sample_weight
    if isinstance(class_weight, list):
        n_outputs = 1 if y.ndim == 1 else y.shape[1]
        if n_outputs == 1:
            raise ValueError("`class_weight` must be a dict, 'balanced' or None for a single output, got a list.")
        known = all(item is None or isinstance(item, dict) or item == "balanced" for item in class_weight)
        if len(class_weight) != n_outputs or not known:
            raise ValueError(
                f"`class_weight` must contain one dict for each of the {n_outputs} outputs if it is a list."
            )
    if isinstance(class_weight, str) and weighted_counts and sample_weight is not None:
        by_row = np.ones(len(y))
        for column in np.reshape(y, (len(y), -1)).T:
            classes, codes = np.unique(column, return_inverse=True)
            by_row *= class_factors(class_weight, classes, codes, sample_weight)[codes]
    else:
        by_row = compute_sample_weight(class_weight, y)
    return by_row if sample_weight is None else (by_row * sample_weight).astype(sample_weight.dtype, copy=False)
