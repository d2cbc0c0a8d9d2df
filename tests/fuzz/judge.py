"""Whether an answer or an exception is what a user may expect."""

import copy
import os
import re
import traceback
from pathlib import Path

import numpy as np

OUTCOMES = ("fine", "clean", "murky", "dirty", "silent", "wrong", "mutated", "unequal", "crash", "hang")
BAD = OUTCOMES[3:]
HUGE = 1e100  # squares and products of larger numbers overflow

CLEAN = {
    *("ValueError", "TypeError", "NotImplementedError", "MemoryError", "NotFittedError", "OverflowError"),
    "SearchBudgetExceeded",  # of statlearn.logic: a random budget is used up
    "OSError",  # of files that are not there: vectorizers with input="filename"
}
OUR_PLACES = re.compile(r"/(statlearn|sklearn|imblearn)/")
HERE = str(Path(__file__).parent)
# A C function of numpy or a binding raises in the frame of its caller: its words betray it.
FOREIGN_WORDS = re.compile(
    r"zero-size array|operands could not|cannot reshape|could not broadcast|shapes .* not aligned|attempt to get arg|"
    r"all the input|need at least one|index .* out of bounds|matmul: |a must be |invalid shape|negative dimensions|"
    r"array is too big|Maximum allowed|arange: |unsupported operand|'?<=?'? not supported|ufunc |Cannot cast|"
    r"not enough values|too many values|object of type|'NoneType'|only (integer|length|0-d)|The truth value|"
    r"setting an array|cannot convert float|Cannot interpret|__init__\(\)|.*\(\): incompatible function arguments|"
    r".*: (shapes|row counts|lengths) differ|math domain|probabilities"
)


def of_exception(error):
    """The outcome that an exception stands for, and a line that tells it."""
    line = f"{type(error).__name__}: {' '.join(str(error).split())[:110]}"
    kinds = {c.__name__ for c in type(error).__mro__}
    foreign, where = _origin(error)
    unavailable = str(error).startswith("This ") or "has none of the following attributes" in str(error)
    if type(error) is AttributeError and not foreign and unavailable:
        return "clean", line  # a method that is not available under these parameters, or that a scorer needs
    if re.match("([Xy]: )?could not convert string|Column .* contains |n_jobs == 0", str(error)):
        return "clean", line
    # A singular matrix may be refused in our own words; numpy's and scipy's say nothing to a user.
    if "UnicodeDecodeError" in kinds or ("LinAlgError" in kinds and foreign) or not kinds & CLEAN:
        return "dirty", f"{line} @ {where}"
    return ("murky", f"{line} @ {where}") if foreign else ("clean", line)


def _origin(error):
    """Whether the exception was raised outside the package and scikit-learn, and the package's last line before it."""
    frames = traceback.extract_tb(error.__traceback__)
    last = frames[-1].filename
    ours = last.startswith(HERE) or OUR_PLACES.search(last)
    ours = ours and not re.search("/(numpy|scipy|pandas)/", last) and not FOREIGN_WORDS.match(str(error))
    own = [f"{os.path.basename(f.filename)}:{f.lineno}" for f in frames if "/statlearn/" in f.filename]
    return not ours, own[-1] if own else "?"


def rows_of(Z):
    if hasattr(Z, "shape") and len(Z.shape):
        return Z.shape[0]
    return len(Z) if hasattr(Z, "__len__") else None


def as_floats(value):
    """A numeric answer as floats; None for anything else."""
    dense = value.toarray() if hasattr(value, "toarray") else value
    try:
        array = np.asarray(dense)
    except ValueError:  # a ragged list
        return None
    return array.astype(float) if array.dtype.kind in "fiub" else None


def is_finite(value):
    if isinstance(value, (list, tuple)) and value and isinstance(value[0], np.ndarray):
        return all(map(is_finite, value))
    array = as_floats(value)
    return array is None or bool(np.isfinite(array).all())


def is_tame(data):
    """Whether data are numbers of which an estimator must make finite answers."""
    if data is None:
        return True
    if isinstance(data, np.ma.MaskedArray):
        return False
    array = as_floats(data)
    if array is None:
        try:
            array = np.asarray(data, dtype=float)
        except (TypeError, ValueError):
            return False
    return bool((np.abs(array) < HUGE).all())


def snapshot(value):
    """What `is_unchanged` compares with."""
    return [value.data.copy()] if hasattr(value, "tocsr") else copy.deepcopy(value)


def is_unchanged(value, before):
    """Whether the caller's data are as they were; sorting the entries of a sparse row does not count."""
    if before is None or isinstance(value, np.ma.MaskedArray):
        return True
    if hasattr(value, "tocsr"):
        return np.array_equal(np.sort(value.data), np.sort(before[0]), equal_nan=True)
    if hasattr(value, "iloc"):
        return value.equals(before)
    try:
        now, then = np.asarray(value), np.asarray(before)
    except ValueError:  # a ragged list
        return value == before
    return bool(np.array_equal(now, then, equal_nan=now.dtype.kind in "fc"))


def is_same(a, b):
    """Whether two answers agree to the last bit."""
    a, b = (v.toarray() if hasattr(v, "toarray") else np.asarray(v) for v in (a, b))
    return a.shape == b.shape and bool(np.array_equal(a, b, equal_nan=a.dtype.kind == "f"))


# Verbs that may answer -inf or inf: logarithms of zero, distances to nothing, intervals without an end.
MAY_BE_INFINITE = {
    *("predict_log_proba", "score", "kneighbors", "inverse_transform", "score_samples", "decision_function"),
    "predict_interval",
}
ROW_BY_ROW = {"predict", "predict_proba", "transform", "decision_function", "score_samples"}


def of_answer(verb, answer, Z, y, *, tame, one_to_one=True, zeros=False):
    """A bad outcome and what it is, or None.

    `tame`: all data were; `one_to_one`: a row in, a row out; `zeros`: rows without any probability were announced.
    """
    if tame and not is_finite(answer) and not (verb == "score" and _is_constant(y)):
        array = as_floats(answer)
        missing = "?" if array is None else int(np.isnan(array).sum())
        if missing or verb not in MAY_BE_INFINITE:
            return "silent", f"{verb} gives {missing} NaN of {'?' if array is None else array.size}"
    if one_to_one and verb in ROW_BY_ROW and not isinstance(answer, (list, tuple)) and rows_of(answer) != rows_of(Z):
        return "wrong", f"{verb}: {rows_of(answer)} rows for {rows_of(Z)}"
    if verb == "predict_proba" and isinstance(answer, np.ndarray) and answer.ndim == 2 and len(answer):
        low, high, sums = answer.min(), answer.max(), answer.sum(axis=1)
        if zeros:
            sums = np.where(sums == 0, 1.0, sums)
        if low < -1e-9 or high > 1 + 1e-9 or np.abs(sums - 1).max() > 1e-6:
            return "wrong", f"{verb}: from {low:.3g} to {high:.3g}, sums {sums.min():.6g} to {sums.max():.6g}"
    return None


def _is_constant(y):
    """Whether a score against y is 0 / 0: of a single row, too, however many targets it has."""
    y = () if y is None else np.asarray(y)
    return len(y) < 2 or len(set(y.ravel().tolist())) < 2
