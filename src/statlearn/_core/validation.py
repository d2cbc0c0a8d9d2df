"""Data validation: scikit-learn's checks with the argument's name in every message, and our own."""

import contextlib
import re

import numpy as np
from scipy.sparse import issparse
from sklearn.base import ClassNamePrefixFeaturesOutMixin
from sklearn.utils import get_tags, validation
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import assert_all_finite, check_array, check_consistent_length

from .memory import require_memory
from .sparse_indices import refuse_broken

FLOATS = (np.float64, np.float32)
LARGEST_WEIGHT = 1e150  # products of sums of larger ones overflow
SMALLEST_WEIGHT = 1e-290  # sums of smaller ones lose their digits, and their reciprocals overflow
# Options of `validate_data` that leave an array unchanged if its type and order are right.
_KNOWN_OPTIONS = {
    "reset",
    "dtype",
    "order",
    "accept_sparse",
    "accept_large_sparse",
    "ensure_all_finite",
    "ensure_min_samples",
    "ensure_min_features",
    "y_numeric",
    "multi_output",
}
_UNCONVERTED = {"validate_separately", "skip_check_array"}  # options with which X may be returned unchanged


def validate_data(estimator, /, X="no_validation", y="no_validation", **options):
    """scikit-learn's `validate_data`, with errors that name the invalid argument.

    Messages without it ("Expected 2D array, got 1D array instead", "could not convert string to float") are prefixed
    with the name. Arrays in which there is nothing to change or to refuse are recognised first: scikit-learn's checks
    take longer than most predictions for single rows.
    """
    if _is_plain(estimator, X, y, options):
        if options.get("reset", True):
            estimator.n_features_in_ = X.shape[1]
        return X if type(y) is str else (X, y)
    with explained(estimator, X, y, **options):
        valid = validation.validate_data(estimator, X, y, **options)
        if options.get("dtype", "numeric") == "numeric" and not options.keys() & _UNCONVERTED:
            valid = _with_floats(valid, options.get("ensure_all_finite", True))
        return _with_numbers(valid) if options.get("y_numeric") and isinstance(valid, tuple) else valid


def validate_columns(estimator, /, X="no_validation", y="no_validation", **options):
    """`validate_data` of methods for one predictor or more: a vector X is one column.

    After a fit to several columns, a vector is refused as in `validate_data`.
    """
    one = options.get("reset", True) or getattr(estimator, "n_features_in_", None) == 1
    return validate_data(estimator, as_column(X, estimator) if one else X, y, **options)


def as_column(X, estimator=None):
    """X itself, or a vector as a column; a named series keeps its name if the estimator knows the names of columns."""
    if hasattr(estimator, "feature_names_in_") and getattr(X, "ndim", 1) == 1 and hasattr(X, "to_frame"):
        return X.to_frame()
    if hasattr(X, "columns") or hasattr(X, "column_names"):  # tables of polars and pyarrow have no `ndim`
        return X
    if not hasattr(X, "ndim"):
        X = X.__array__() if hasattr(X, "__array__") else X
        try:
            vector = np.ndim(X) == 1
        except ValueError:  # rows of different lengths, which are refused later
            return X
        X = np.asarray(X) if vector else X
        return X.reshape(-1, 1) if vector else X
    return np.asarray(X).reshape(-1, 1) if X.ndim == 1 else X


@contextlib.contextmanager
def explained(estimator, /, X, y="no_validation", **options):
    """Errors of scikit-learn's `validate_data` that say which argument or column is invalid, and what to do.

    Used by our `validate_data`, and by estimators that extend a class of scikit-learn, which calls scikit-learn's.
    Nothing is read from the words of an error: once there is one, the data are asked what is wrong with them.
    """
    from .frames.frame import refuse_lazy, refuse_repeated_names

    refuse_lazy(X)
    refuse_lazy(y, "y")
    refuse_repeated_names(X)
    refuse_broken(X)
    _refuse_endless(X)
    try:
        yield
    except (ValueError, TypeError) as error:
        if not (isinstance(X, str) and X == "no_validation") and not _has_other_names(estimator, X, options):
            _refuse_table(estimator, X, options)
        if _has_pandas_na(y) and _broken_argument(X, y, options) == "y":
            raise ValueError("Input y contains missing values (pandas.NA); drop these rows.") from None
        if type(error) in (ValueError, TypeError) and not re.search(r"\b[Xy]\b", str(error)):
            error.args = (f"{_broken_argument(X, y, options)}: {error}",)
        raise


def _refuse_endless(X):
    """Raise MemoryError for a broadcast array whose copy would exceed the memory, before its cells are looked at."""
    if type(X) is np.ndarray and X.nbytes > 2**30 and 0 in X.strides:
        require_memory(
            X.nbytes,
            f"X of shape {X.shape}, written out,",
            "It repeats the same memory; pass each row once, with `sample_weight` for its copies.",
        )


def _has_other_names(estimator, X, options):
    """Whether X lacks the columns that the estimator was fitted to, which scikit-learn reports first."""
    from .frames.columns import frame_names

    names, fitted = frame_names(X), getattr(estimator, "feature_names_in_", None)
    return not options.get("reset", True) and names is not None and fitted is not None and list(names) != list(fitted)


def _refuse_table(estimator, X, options):
    """Raise an error for a vector, for text and dates, or for missing values in X, if the estimator takes none."""
    from .frames.text import refuse_names, refuse_names_of_array

    if "validate_separately" in options:
        options = options["validate_separately"][0]
    tags = get_tags(estimator).input_tags
    sparse = hasattr(X, "tocsr")
    if not sparse and tags.two_d_array and options.get("ensure_2d", True) and _ndim(X) == 1:
        raise ValueError(_words_on_vectors(estimator, X)) from None
    takes_text = options["dtype"] in (None, object) if "dtype" in options else tags.string or tags.categorical
    if not sparse and not takes_text:
        refuse = refuse_names if hasattr(X, "columns") else refuse_names_of_array
        refuse(X, type(estimator).__name__, getattr(estimator, "_advice_on_text", None))
    takes_missing = options["ensure_all_finite"] is not True if "ensure_all_finite" in options else tags.allow_nan
    if not takes_missing and _contains_missing(X):
        raise ValueError(_words_on_missing_values(estimator, X)) from None


def _ndim(X):
    """Number of dimensions of X, None if it is ragged."""
    try:
        return np.ndim(X)
    except ValueError:
        return None


def _contains_missing(X):
    """Whether a table that can be read has missing values; NaN may be written as text."""
    from .frames.rows import missing

    try:
        table = check_array(X, dtype=None, ensure_all_finite=False, accept_sparse=True)
        values = table.tocoo().data if hasattr(table, "tocsr") else table
        if missing(values).any():
            return True
        return values.dtype.kind in "OUS" and bool(np.isnan(values.astype(np.float64)).any())
    except (ValueError, TypeError):
        return False


def _has_pandas_na(y):
    """Whether pandas' NA is among the values of y."""
    if y is None or isinstance(y, str):
        return False
    return any(type(value).__name__ == "NAType" for value in np.ravel(np.asarray(y, dtype=object)))


def _words_on_vectors(estimator, X):
    """The message for a vector where a table is required, in two lines that keep scikit-learn's words."""
    shape = f"{type(estimator).__name__} got a vector of length {np.shape(X)[0]}"
    return (
        f"X: Expected 2D array, got 1D array instead: {shape}.\n"
        "Reshape your data: one column is X[:, None], one row X[None, :]."
    )


def _with_floats(valid, finite):
    """X as floats if it holds objects: scikit-learn does not convert pandas' own types (Period, Interval, ...)."""
    X, *y = valid if isinstance(valid, tuple) else (valid,)
    if not isinstance(X, np.ndarray) or X.dtype.kind != "O":
        return valid
    X = check_array(X.astype(np.float64), ensure_all_finite=finite, input_name="X", ensure_min_features=0)
    return (X, *y) if y else X


def _is_plain(estimator, X, y, options):
    """Whether X, and y if there is one, are arrays that scikit-learn would return as they are."""
    if type(X) is not np.ndarray or X.ndim != 2 or X.dtype not in FLOATS or not options.keys() <= _KNOWN_OPTIONS:
        return False
    if hasattr(estimator, "feature_names_in_"):  # to be forgotten, or to be warned of
        return False
    rows, columns = X.shape
    if rows < options.get("ensure_min_samples", 1) or columns < options.get("ensure_min_features", 1):
        return False
    if not options.get("reset", True) and columns != getattr(estimator, "n_features_in_", columns):
        return False
    dtype, order = options.get("dtype", "numeric"), options.get("order")
    if dtype not in ("numeric", None) and X.dtype not in (dtype if isinstance(dtype, (list, tuple)) else (dtype,)):
        return False
    if not (order is None or (X.flags.c_contiguous if order == "C" else X.flags.f_contiguous)):
        return False
    if type(y) is not str or y != "no_validation":
        if type(y) is not np.ndarray or y.shape != (rows,) or not y.flags.c_contiguous or y.dtype.kind not in "fiub":
            return False
        if y.dtype.kind == "f" and not _is_finite(y):
            return False
    return _is_finite(X)


def _is_finite(values):
    """Whether all values are finite; False also if their sum overflows."""
    with np.errstate(over="ignore", invalid="ignore"):
        return bool(np.isfinite(values.sum()))


def _with_numbers(valid):
    """X and y, with a y of text converted to numbers where possible; scikit-learn converts objects only."""
    X, y = valid
    if y.dtype.kind not in "US":
        return valid
    try:
        return X, y.astype(np.float64)
    except ValueError:
        wrong = next(text for text in y.ravel().tolist() if not _is_number(text))
        raise ValueError(f"y must contain numbers, got {wrong!r}; for class labels use a classifier.") from None


def _is_number(text):
    try:
        float(text)
    except ValueError:
        return False
    return True


def require_finite_table(estimator, X):
    """Refuse missing and infinite entries of an X that is valid otherwise, in the words of `validate_data`."""
    with explained(estimator, X):
        assert_all_finite(X.data if hasattr(X, "tocsr") else X, input_name="X")


def _words_on_missing_values(estimator, X):
    """Message that names the columns with missing values and suggests remedies."""
    from .frames.columns import frame_names

    names = frame_names(X)
    where, names = "", getattr(estimator, "feature_names_in_", None) if names is None else names
    if names is not None:
        table = check_array(X, dtype=None, ensure_all_finite=False, accept_sparse=True)
        unnamed = hasattr(table, "tocsr") or table.shape[1] != len(names)
        missing = [] if unnamed else [n for n, c in zip(names, table.T) if (c != c).any()]
        if missing:
            more = f" and {len(missing) - 3} more" if len(missing) > 3 else ""
            where = f" in {', '.join(map(repr, missing[:3]))}{more}"
    owner = type(estimator).__name__
    return f"Input X contains NaN{where}. {owner} does not handle missing values. {_ways_out(estimator)}"


def _ways_out(estimator):
    """Remedies for missing values, by the kind of estimator."""
    tags = get_tags(estimator)
    if tags.input_tags.pairwise:
        return "Fill in the missing entries, or drop the rows and columns that they belong to."
    ways = "(statlearn.prep.ModelImputer or SimpleImputer)"
    if tags.estimator_type in ("classifier", "regressor"):
        others = "a model that handles them, such as a tree, a forest or gradient boosting"
    elif tags.estimator_type is None and isinstance(estimator, ClassNamePrefixFeaturesOutMixin):  # reduces the columns
        others = "PCA, FactorAnalysis or NMF of statlearn.decomposition, which handle them"
    else:
        return f"Impute them in a pipeline {ways}, or drop the rows (DropMissing)."
    return f"Impute them in a pipeline {ways}, drop the rows (DropMissing), or use {others}."


def refuse_no_rows(X):
    """Raise an error for an X without (valid) rows before anything reads the first one, or divides them into folds."""
    refuse_broken(X)
    if X is None or (isinstance(X, dict) and not issparse(X)):  # sparse dictionaries of keys are dicts, too
        raise TypeError(f"X must be a table, got {'None' if X is None else 'a dict'}.")
    shape = getattr(X, "shape", None) or ([len(X)] if isinstance(X, (list, tuple)) else [])
    if len(shape) and shape[0] == 0:
        raise ValueError("X must have at least one row, got none.")


def _broken_argument(X, y, options):
    """The name of the argument, X or y, that scikit-learn rejects on its own."""
    if y is None or (isinstance(y, str) and y == "no_validation"):
        return "X"
    if isinstance(X, str) and X == "no_validation":
        return "y"
    options = options.get("validate_separately", (options,))[0]
    known = ("accept_sparse", "accept_large_sparse", "dtype", "order", "copy", "ensure_all_finite", "ensure_2d")
    known += ("allow_nd", "ensure_min_samples", "ensure_min_features")
    try:
        table = check_array(X, **{name: options[name] for name in known if name in options})
        if options.get("dtype", "numeric") == "numeric":
            _with_floats(table, finite=False)
    except (ValueError, TypeError):
        return "X"
    try:
        check_consistent_length(X, y)
    except (ValueError, TypeError):
        return "X and y"
    return "y"


@contextlib.contextmanager
def naming(argument):
    """Prefix a message that lacks the argument's name with it."""
    try:
        yield
    except (ValueError, TypeError) as error:
        if type(error) in (ValueError, TypeError) and not re.search(rf"\b{argument}\b", str(error)):
            error.args = (f"{argument}: {error}",)
        raise


def check_same_length(X, y, name="X"):
    """Refuse an X and a y of different numbers of rows; errors call the first `name`."""
    with naming(f"{name} and y"):
        check_consistent_length(X, y)


def check_weights(sample_weight, X, *, allow_zero_sum=False, name="sample_weight"):
    """The weights as a float array of X's precision, or None if no weights are given.

    A scalar applies to every row. Negative, non-finite or all-zero weights raise an error: a weight of k means k copies
    of the row, a weight of 0 its absence. Errors call the argument `name`.
    """
    if sample_weight is None:
        return None
    dtype = X.dtype if X.dtype in FLOATS else np.float64
    n = X.shape[0]
    if np.asarray(sample_weight).ndim == 0:
        sample_weight = np.full(n, sample_weight)
    with naming(name):
        weights = check_array(
            sample_weight,
            ensure_2d=False,
            dtype=dtype,
            order="C",
            input_name=name,
            ensure_min_samples=0,
        )
    if weights.ndim != 1:
        raise ValueError(f"Sample weights must be 1D array or scalar: {name} has {weights.ndim} dimensions.")
    if weights.shape[0] != n:
        raise ValueError(f"{name}.shape == {weights.shape}, expected {(n,)}!")
    if np.any(weights < 0):
        raise ValueError(f"Negative values in data passed to `{name}`: weights must be non-negative.")
    if not allow_zero_sum and not np.any(weights > 0):
        raise ValueError(f"{name} must contain a positive weight, but all weights are zero.")
    if n and float(weights.max()) > LARGEST_WEIGHT:
        raise ValueError(f"{name} contains {weights.max():.3g}, so large that sums overflow; scale the weights.")
    if n and 0.0 < float(weights.max()) < SMALLEST_WEIGHT:
        raise ValueError(f"{name} is at most {weights.max():.3g}, so small that sums underflow; scale the weights.")
    return weights


def present_rows(weights, *arrays):
    """The arrays and the weights without the rows of weight 0; weights of None stay None."""
    if weights is None or np.all(weights > 0):
        return (*arrays, weights)
    present = weights > 0
    return (*(array[present] for array in arrays), weights[present])


def require_finite(*arrays, remedy="Scale them."):
    """Raise an error if a computed quantity is not finite, which happens if finite data overflow or underflow."""
    if not all(np.isfinite(array).all() for array in arrays):
        raise ValueError(
            "X, y, sample_weight or parameters are so large or so small that the computations overflow or underflow. "
            + remedy
        )


def refuse_without_table(**given):
    """Raise an error for targets or weights of validation rows without the rows themselves."""
    for name, value in given.items():
        if value is not None:
            raise ValueError(f"`{name}` requires `X_val`.")


def check_labels(y):
    """Raise an error for missing labels and continuous targets."""
    refuse_no_label(y)
    check_classification_targets(y)


def refuse_no_label(y):
    """Raise an error for labels that are None."""
    labels = y if hasattr(y, "dtype") else np.asarray(y)
    if labels.dtype == object and any(label is None for label in np.ravel(labels)):
        raise ValueError("Input y contains None; drop these rows.")


def encode_classes(y, *, minimum=2, owner="This classifier"):
    """The sorted classes and the class code of each row.

    Raises ValueError for missing labels, for continuous targets and, unless `minimum` is 1, for a single class.
    """
    check_labels(y)
    classes, codes = np.unique(y, return_inverse=True)
    if minimum > 1:
        refuse_one_class(classes, owner)
    return classes, codes.reshape(np.shape(y))


def class_codes(classes, y, *, name="y", among="the classes"):
    """The code of each label among known sorted classes; a label that is not among them is an error."""
    y = np.asarray(y)
    codes = np.minimum(np.searchsorted(classes, y), len(classes) - 1)
    unknown = classes[codes] != y
    if np.any(unknown):
        label = y[unknown].tolist()[0]
        raise ValueError(f"{name} contains the label {label!r}, which is not one of {among}: {shortened(classes)}.")
    return codes


def shortened(values, limit=10):
    """The values as a list in print, the first ones if there are many."""
    shown = ", ".join(map(repr, np.asarray(values)[:limit].tolist()))
    return f"[{shown}, ...]" if len(values) > limit else f"[{shown}]"


def refuse_one_class(classes, owner):
    """Raise if there are no two classes to tell apart."""
    if len(classes) < 2:
        raise ValueError(
            f"{owner} needs samples of at least 2 classes in the data, but y contains only one class: "
            f"{classes.tolist()[0]!r}."
        )


def classes_of_stream(known, classes):
    """The sorted classes of a `partial_fit`: required in the first call, when `known` is None, and fixed by it."""
    if known is None and classes is None:
        raise ValueError("classes must be passed on the first call to partial_fit.")
    if classes is None:
        return known
    classes = np.unique(np.asarray(classes))
    if known is not None and not np.array_equal(known, classes):
        raise ValueError(f"`classes={classes!r}` is not the same as on last call to partial_fit, was: {known!r}.")
    return classes


def effective_rows(n, weights):
    """Number of rows with a positive weight; all rows without weights."""
    return n if weights is None else int(np.count_nonzero(weights))


__all__ = [
    "FLOATS",
    "as_column",
    "check_array",
    "check_consistent_length",
    "check_labels",
    "check_same_length",
    "check_weights",
    "class_codes",
    "classes_of_stream",
    "effective_rows",
    "encode_classes",
    "naming",
    "present_rows",
    "refuse_no_label",
    "refuse_one_class",
    "refuse_without_table",
    "require_finite",
    "validate_columns",
    "validate_data",
]
