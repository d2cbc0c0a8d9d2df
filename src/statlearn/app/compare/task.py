"""What is to be learned: regression or classification, and the target as an array."""

import narwhals as nw
import numpy as np

from statlearn.app.errors import DataError, UsageError
from statlearn.app.setting_names import listed, setting
from statlearn.app.tables import frames

TASKS = ("auto", "regression", "classification")
MAX_CLASSES_OF_INTEGERS = 10  # empirical: whole numbers with more values are taken for a quantity


def choose_task(series, task="auto"):
    """The task for a target column, with a note where the choice could be doubted.

    Text, booleans and any column of two values are classes. Whole numbers with at most ten values without gaps, each
    occurring twice or more and five times on average, are classes too. Other numbers are a quantity.
    """
    present = series.filter(~nw.new_series("m", frames.missing(series), backend=series.implementation))
    name = series.name
    if len(present) == 0:
        raise DataError(f"the target {name!r} is missing in every row")
    distinct = present.n_unique()
    if distinct < 2:
        raise DataError(f"the target {name!r} is constant ({present[0]!r}), so there is nothing to predict")
    if not (series.dtype.is_numeric()):
        if task == "regression":
            raise UsageError(f"the target {name!r} contains {_noun(series.dtype)}, but regression needs numbers")
        if series.dtype in (nw.Date, nw.Datetime):
            raise DataError(
                f"the target {name!r} contains dates; convert it to a number (such as days since a date) or to "
                "classes first"
            )
        return "classification", None
    if task != "auto":
        return task, None
    values = frames.numbers(present)
    whole = bool(np.all(values == np.round(values)))
    if distinct == 2:
        return "classification", None
    gapless = whole and values.max() - values.min() + 1 == distinct
    if gapless and distinct <= MAX_CLASSES_OF_INTEGERS and len(values) >= 5 * distinct:
        found = f"The target has {distinct} consecutive whole values"
        if np.unique(values, return_counts=True)[1].min() < 2:  # as the largest of counts do, but few classes
            note = (
                f"{found}, some of which occur only once, and was treated as a quantity. "
                f"If they are classes, merge the rare ones and use {setting('task', 'classification')}."
            )
            return "regression", note
        note = f"{found} and was treated as classes. If it is a quantity, use {setting('task', 'regression')}."
        return "classification", note
    return "regression", None


def truth_of(series):
    """A target column as numbers for a first look: values, or numbers of classes.

    None if the column cannot be a target.
    """
    try:
        task, _ = choose_task(series)
    except (DataError, UsageError):
        return None
    if task == "regression":
        return frames.numbers(series)
    return np.unique(frames.strings(series).astype(str), return_inverse=True)[1]


def target_array(series, task):
    """The target as a numpy array without missing values: floats, or labels (text, whole numbers or booleans)."""
    if task == "regression":
        values = frames.numbers(series)
        if not np.all(np.isfinite(values)):
            raise DataError(f"the target {series.name!r} contains infinite values; remove or replace them")
        return values
    if series.dtype == nw.Boolean:
        return series.to_numpy().astype(bool)
    if series.dtype.is_numeric():
        values = frames.numbers(series)
        return values.astype(np.int64) if np.all(values == np.round(values)) else values.astype(str)
    return frames.strings(series).astype(str)


def check_classes(y, name, *, most=1000):
    """Refuse targets whose classes cannot be both learned and tested."""
    classes, counts = np.unique(y, return_counts=True)
    single = classes[counts < 2]
    if len(classes) > most or len(classes) > len(y) // 2:
        raise DataError(
            f"the target {name!r} has {len(classes)} distinct values in {len(y):,} rows, too many for classification; "
            f"if it is a quantity, use {setting('task', 'regression')}"
        )
    if len(single):
        shown = listed(map(str, single))
        raise DataError(
            f"the target {name!r} has classes with only one row: {shown}. A class needs rows for both training "
            "and testing; remove these rows, merge the classes, or collect more."
        )
    return classes, counts


def _noun(dtype):
    return "dates" if dtype in (nw.Date, nw.Datetime) else "booleans" if dtype == nw.Boolean else "text"
