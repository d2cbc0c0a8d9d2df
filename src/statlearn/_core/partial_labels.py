"""Class labels of which some are unknown: -1, NaN or None."""

import numbers
from dataclasses import dataclass

import numpy as np
from sklearn.utils.validation import column_or_1d

from .frames import is_missing
from .validation import check_same_length, encode_classes, naming


@dataclass
class PartialLabels:
    """The sorted classes of the known labels, the code of each row (-1 if unknown), and the labels themselves."""

    classes: np.ndarray
    codes: np.ndarray

    @property
    def known(self):
        """Which rows have a label."""
        return self.codes >= 0


def _is_unknown(label):
    """Whether an entry of an object array means an unknown label."""
    if is_missing(label):
        return True
    return isinstance(label, numbers.Real) and not isinstance(label, (bool, np.bool_)) and label == -1


def unknown_labels(y):
    """Which entries of a one-dimensional array mark unlabelled rows."""
    if y.dtype.kind == "f":
        return np.isnan(y) | (y == -1)
    if y.dtype.kind == "i":
        return y == -1
    if y.dtype.kind == "O":
        return np.fromiter((_is_unknown(label) for label in y), bool, len(y))
    return np.zeros(len(y), bool)


def partial_labels(y, X, owner, *, minimum=2):
    """Known and unknown labels of the rows of X; at least `minimum` classes must be known."""
    if y is None:
        raise ValueError(f"requires y to be passed, but the target y is None. {owner} marks unlabelled rows by -1.")
    with naming("y"):
        y = column_or_1d(np.asarray(y, dtype=object) if _is_nullable(y) else y, warn=True)
    check_same_length(X, y)
    unknown = unknown_labels(y)
    if unknown.all() and minimum:
        raise ValueError(f"y must contain a label, but all of its {len(y)} entries mark unlabelled rows (-1 or NaN).")
    labels = y[~unknown]
    if y.dtype.kind == "O":
        labels = np.asarray(labels.tolist())
    if unknown.any() and minimum > 1 and len(labels) and len(np.unique(labels)) < 2:
        raise ValueError(
            f"y contains only one class among its labels: {labels.tolist()[0]!r}. {owner} takes -1 for an unlabelled "
            "row; if -1 is a class of yours, give it another label."
        )
    if labels.dtype.kind == "f" and np.isinf(labels).any():
        raise ValueError("Input y contains infinity.")
    classes, known_codes = encode_classes(labels, owner=owner, minimum=minimum)
    codes = np.full(len(y), -1, dtype=np.intp)
    codes[~unknown] = known_codes
    return PartialLabels(classes, codes)


def _is_nullable(y):
    """Whether y has a nullable pandas type, whose missing entries are not numbers."""
    return hasattr(getattr(y, "dtype", None), "na_value")
