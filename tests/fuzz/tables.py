"""Tables, texts and weights that are legal, degenerate or broken."""

import tempfile

import numpy as np
import pandas as pd
from scipy import sparse

# Some kinds make X, some y; "plain" leaves both as drawn.
KINDS = (
    *("plain", "plain", "plain", "constant", "duplicate", "huge", "tiny", "denormal", "nan", "inf", "all_nan"),
    *("nan_column", "collinear", "integers", "strings", "float32", "float16", "fortran", "one_class", "nan_y", "inf_y"),
    *("short_y", "long_y", "objects", "lists", "readonly", "negative", "big_offset", "three_d", "one_d", "empty_rows"),
    *("bool", "csr", "csc", "coo", "csr_unsorted", "csr_int64", "frame", "frame_mixed", "frame_na"),
    *("frame_duplicate_names", "complex", "datetime", "byteswapped", "strided", "reversed", "masked", "two_values"),
    *("mostly_ties", "outlier", "mixed_scale", "y_strings", "y_bool", "y_2d", "y_column", "y_huge", "y_tiny"),
    *("y_negative", "y_const", "y_objects", "y_counts", "rare_class", "no_y", "none", "memmap", "uint8", "longdouble"),
    *("wide", "separated"),
)
# Those that most estimators must be able to learn from.
TAME = (
    *("plain", "constant", "duplicate", "tiny", "denormal", "collinear", "integers", "float32", "fortran", "one_class"),
    *("readonly", "negative", "big_offset", "frame", "strided", "reversed", "two_values", "mostly_ties", "outlier"),
    *("mixed_scale", "y_const", "y_counts", "rare_class", "wide", "separated", "y_huge", "y_tiny", "y_bool", "huge"),
)


def nasty_table(rng):
    """X, y and a word for them: mostly finite, often degenerate."""
    n = int(rng.choice([0, 1, 2, 3, 5, 20, 20, 60, 60, 60, 60]))
    p = int(rng.choice([0, 1, 2, 5, 30], p=[0.03, 0.3, 0.3, 0.27, 0.1]))
    kind = str(rng.choice(KINDS if rng.random() < 0.5 else TAME))
    if kind == "wide":
        n, p = 12, 80
    X = rng.normal(size=(n, p))
    y = rng.integers(0, int(rng.choice([2, 3, 6])), n) if rng.random() < 0.5 else X.sum(1) + rng.normal(size=n)
    if kind in OF_Y:
        y = OF_Y[kind](X, y, rng)
    elif kind in OF_X:
        X = OF_X[kind](X, rng)
    return X, y, f"{kind} {n}x{p}"


def _first(X, value):
    """X with its first cell replaced; an empty table stays as it is."""
    if X.size:
        X.flat[0] = value
    return X


def _infinity(X, rng):
    if X.size:
        X.flat[rng.integers(X.size)] = rng.choice([np.inf, -np.inf])
    return X


def _missing(X, rng):
    if X.size:
        X.flat[rng.integers(X.size)] = np.nan
    return X


def _nan_column(X, rng):
    X[:, :1] = np.nan
    return X


def _collinear(X, rng):
    if X.shape[1] > 1:
        X[:, 1] = 2 * X[:, 0]
    return X


def _duplicate(X, rng):
    X[:] = X[:1]
    return X


def _strings(X, rng):
    return np.array([["a", "b"][i % 2] for i in range(X.size)], dtype=object).reshape(X.shape)


def _readonly(X, rng):
    X.setflags(write=False)
    return X


def _sparse(X, make):
    return make(np.where(np.abs(X) > 0.8, X, 0.0))


def _csr_unsorted(X, rng):
    """Column numbers in falling order, and a zero that is stored."""
    X = _sparse(X, sparse.csr_array)
    for a, b in zip(X.indptr[:-1], X.indptr[1:]):
        X.indices[a:b] = X.indices[a:b][::-1].copy()
        X.data[a:b] = X.data[a:b][::-1].copy()
    X.has_sorted_indices = False
    X.data[:1] = 0.0
    return X


def _csr_int64(X, rng):
    X = _sparse(X, sparse.csr_array)
    X.indices, X.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
    return X


def _frame(X, rng=None):
    return pd.DataFrame(X, columns=[f"c{j}" for j in range(X.shape[1])])


def _frame_mixed(X, rng):
    (n, p), frame = X.shape, _frame(X)
    if p:
        frame["c0"] = pd.Categorical(["u", "v", "w"] * (n // 3) + ["u"] * (n % 3))
    if p > 1:
        frame["c1"] = pd.date_range("2020-01-01", periods=n)
    if p > 2:
        frame["c2"] = ["text"] * n
    return frame


def _frame_na(X, rng):
    frame = _frame(X)
    if X.shape[1]:
        frame["c0"] = pd.array([None if i % 3 == 0 else i for i in range(len(X))], dtype="Int64")
    return frame


def _frame_duplicate_names(X, rng):
    return _frame(X).set_axis(["same"] * X.shape[1], axis=1)


def _memmap(X, rng):
    (n, p), shape = X.shape, tuple(max(k, 1) for k in X.shape)
    with tempfile.NamedTemporaryFile() as file:
        written = np.memmap(file.name, dtype=float, mode="w+", shape=shape)
        written[:n, :p] = X
        written.flush()
        return np.memmap(file.name, dtype=float, mode="r", shape=shape)[:n, :p]


OF_X = {
    "constant": lambda X, rng: np.full_like(X, 3.0),
    "duplicate": _duplicate,
    "huge": lambda X, rng: X * 1e200,
    "tiny": lambda X, rng: X * 1e-200,
    "denormal": lambda X, rng: X * 1e-310,
    "nan": _missing,
    "inf": _infinity,
    "all_nan": lambda X, rng: np.full_like(X, np.nan),
    "nan_column": _nan_column,
    "collinear": _collinear,
    "integers": lambda X, rng: rng.integers(-3, 3, X.shape),
    "uint8": lambda X, rng: rng.integers(0, 255, X.shape).astype(np.uint8),
    "strings": _strings,
    "float32": lambda X, rng: X.astype(np.float32),
    "float16": lambda X, rng: X.astype(np.float16),
    "longdouble": lambda X, rng: X.astype(np.longdouble),
    "fortran": lambda X, rng: np.asfortranarray(X),
    "objects": lambda X, rng: X.astype(object),
    "lists": lambda X, rng: X.tolist(),
    "readonly": _readonly,
    "negative": lambda X, rng: -np.abs(X),
    "big_offset": lambda X, rng: X + 1e9,
    "three_d": lambda X, rng: X[:, :, None],
    "one_d": lambda X, rng: X[:, 0] if X.shape[1] else np.zeros(len(X)),
    "empty_rows": lambda X, rng: X[:0],
    "bool": lambda X, rng: X > 0,
    "csr": lambda X, rng: _sparse(X, sparse.csr_array),
    "csc": lambda X, rng: _sparse(X, sparse.csc_matrix),
    "coo": lambda X, rng: _sparse(X, sparse.coo_array),
    "csr_unsorted": _csr_unsorted,
    "csr_int64": _csr_int64,
    "frame": _frame,
    "frame_mixed": _frame_mixed,
    "frame_na": _frame_na,
    "frame_duplicate_names": _frame_duplicate_names,
    "complex": lambda X, rng: X + 1j,
    "datetime": lambda X, rng: (X * 1e6).astype("datetime64[s]"),
    "byteswapped": lambda X, rng: X.astype(">f8"),
    "strided": lambda X, rng: np.repeat(np.repeat(X, 2, 0), 3, 1)[::2, ::3],
    "reversed": lambda X, rng: X[::-1, ::-1],
    "masked": lambda X, rng: np.ma.masked_greater(X, 1.0),
    "two_values": lambda X, rng: (X > 0).astype(float),
    "mostly_ties": lambda X, rng: np.round(X / 3),
    "outlier": lambda X, rng: _first(X, 1e15),
    "mixed_scale": lambda X, rng: X * np.logspace(-12, 12, X.shape[1]) if X.shape[1] else X,
    "none": lambda X, rng: None,
    "memmap": _memmap,
}


def _replace(y, place, value):
    y = y.astype(float)
    y[place] = value
    return y


def _rare_class(X, y, rng):
    y = np.zeros(len(X), int)
    y[:1] = 1
    return y


OF_Y = {
    "one_class": lambda X, y, rng: np.zeros(len(X), int),
    "nan_y": lambda X, y, rng: _replace(y, slice(0, 1), np.nan) if len(y) else y,
    "inf_y": lambda X, y, rng: _replace(y, slice(-1, None), np.inf) if len(y) else y,
    "short_y": lambda X, y, rng: y[: max(len(X) - 1, 0)],
    "long_y": lambda X, y, rng: np.append(y, y[:1]),
    "y_strings": lambda X, y, rng: np.array([["no", "yes", "maybe"][i % 3] for i in range(len(X))]),
    "y_bool": lambda X, y, rng: X.sum(1) > 0,
    "y_2d": lambda X, y, rng: rng.normal(size=(len(X), 2)),
    "y_column": lambda X, y, rng: y[:, None],
    "y_huge": lambda X, y, rng: y.astype(float) * 1e90,
    "y_tiny": lambda X, y, rng: y.astype(float) * 1e-200,
    "y_negative": lambda X, y, rng: -np.abs(y.astype(float)) - 1,
    "y_const": lambda X, y, rng: np.full(len(X), 2.5),
    "y_objects": lambda X, y, rng: np.array([None, "a", 3] * len(X), dtype=object)[: len(X)],
    "y_counts": lambda X, y, rng: rng.poisson(3, len(X)),
    "rare_class": _rare_class,
    "no_y": lambda X, y, rng: None,
    "separated": lambda X, y, rng: (X[:, 0] > 0).astype(int) if X.shape[1] else y,
}


AT_PREDICTION = {
    "float32": lambda Z: Z.astype(np.float32),
    "int": lambda Z: np.nan_to_num(Z, posinf=9, neginf=-9).clip(-9, 9).astype(int),
    "fortran": np.asfortranarray,
    "csr": sparse.csr_matrix,
    "one": lambda Z: Z[:1],
    "object": lambda Z: Z.astype(object),
    "frame": lambda Z: pd.DataFrame(Z, columns=[f"other{j}" for j in range(Z.shape[1])]),
    "nan": lambda Z: _first(Z, np.nan),
    "big": lambda Z: Z * 1e90,
    "narrow": lambda Z: Z[:, :-1],
    "extrapolate": lambda Z: Z * 1e6,
}


def altered(X, rng):
    """A table to predict for, made from X, but of another type, order, length, width or scale; and a word for it."""
    kind = rng.choice(list(AT_PREDICTION))
    numeric = X.dtype.kind in "fiub"
    return AT_PREDICTION[kind](np.array(X, dtype=float)) if numeric else X, f"as_{kind}"


WORDS = ["cat", "dog", "the", "a", "Ünïcode", "naïve", "x1", "42"]
TEXTS = {
    "plain": lambda docs: docs,
    "empty": lambda docs: [],
    "empties": lambda docs: [""] * 3,
    "one": lambda docs: ["cat"],
    "blank": lambda docs: [" \t\n", "  "],
    "unicode": lambda docs: ["\U0001f600 \u0301e \u202e", "ß ẞ İ", "\ud800"],
    "bytes": lambda docs: [b"cat dog", b"\xff\xfe caf\xe9"],
    "none_inside": lambda docs: [*docs, None],
    "numbers": lambda docs: [1, 2.5, 3],
    "long": lambda docs: ["a " * 20000, "b" * 50000],
    "nul": lambda docs: ["a\0b c", "c"],
    "stop": lambda docs: ["the a an of", "the"],
    "string": lambda docs: "cat dog",
    "array": np.array,
}


def nasty_texts(rng):
    """Documents and a word for them."""
    kind = str(rng.choice(list(TEXTS)))
    docs = [" ".join(rng.choice(WORDS, int(rng.integers(0, 9)))) for _ in range(int(rng.choice([1, 2, 5, 30])))]
    docs = TEXTS[kind](docs)
    return docs, f"texts:{kind} {len(docs)}"


def _start(w, value):
    w[:1] = value
    return w


def _mostly_zero(w, rng):
    w[1:] = 0
    return w


WEIGHTS = {
    "ones": lambda w, rng: np.ones_like(w),
    "zeros": lambda w, rng: np.zeros_like(w),
    "one_zero": lambda w, rng: _start(w, 0),
    "mostly_zero": _mostly_zero,
    "negative": lambda w, rng: _start(w, -1),
    "nan": lambda w, rng: _start(w, np.nan),
    "inf": lambda w, rng: _start(w, np.inf),
    "huge": lambda w, rng: w * 1e90,
    "tiny": lambda w, rng: w * 1e-90,
    "short": lambda w, rng: w[:-1],
    "strings": lambda w, rng: np.array(["a"] * len(w)),
    "scalar": lambda w, rng: 2.0,
    "two_d": lambda w, rng: w[:, None],
    "ints": lambda w, rng: rng.integers(0, 3, len(w)),
    "list": lambda w, rng: w.tolist(),
    "random": lambda w, rng: w,
    "float32": lambda w, rng: w.astype(np.float32),
    "denormal": lambda w, rng: w * 1e-310,
}


def nasty_weights(rng, n):
    """Weights, or None twelve times in thirty-one, and a word for them."""
    names = list(WEIGHTS)
    at = names.index("random")
    kind = str(rng.choice(["none"] * 12 + names[: at + 1] + names[at:]))  # harmless random ones count twice
    if kind == "none":
        return None, ""
    return WEIGHTS[kind](rng.uniform(0.1, 2, n), rng), f" weights:{kind}"
