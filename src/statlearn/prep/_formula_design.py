"""Evaluation of the variables of a formula and construction of the design."""

import inspect
import operator
from dataclasses import dataclass
from itertools import product

import numpy as np

from statlearn._core.frames.typed_columns import array_columns, frame_columns, is_frame
from statlearn._core.memory import require_memory
from statlearn._math.formulas.functions import FUNCTIONS, OPERATORS, SIGNS
from statlearn._math.formulas.limits import MAX_COLUMNS, over, shortened
from statlearn._math.formulas.parser import written
from statlearn._math.formulas.terms import codings
from statlearn._math.formulas.tree import (
    Binary,
    Brackets,
    Call,
    Constant,
    Name,
    Unary,
    bare,
    left_operands,
    plain_value,
)

from ._formula_functions import CONTRASTS, LEARNING, Contrasts, level_text

INTERCEPT = "Intercept"
_SMOOTHS = ("s", "te", "ti", "t2")  # mgcv's names, which readers of R know
_FACTORS = ("C", "factor", "as.factor")
_EXTRA = {
    "tan": np.tan, "asin": np.arcsin, "acos": np.arccos, "atan": np.arctan, "sinh": np.sinh, "cosh": np.cosh,
    "tanh": np.tanh, "exp2": np.exp2, "exp10": lambda x: 10.0**x, "floor": np.floor, "ceiling": np.ceil,
    "trunc": np.trunc, "sign": np.sign, "as.numeric": np.asarray,
}  # fmt: skip
_COMPARE = {
    "==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip
_LOGIC = {"&": np.logical_and, "&&": np.logical_and, "|": np.logical_or, "||": np.logical_or}
_WHOLE = {"%%": np.mod, "%/%": np.floor_divide}
KNOWN = sorted({*FUNCTIONS, *_EXTRA, *LEARNING, *_FACTORS, "offset"})


# Columns of tables ---------------------------------------------------------------------------------------------------


def read_columns(X, names, wanted=None):
    """The wanted columns of a frame or array by name, as :class:`Cells`; factors keep the order of their levels."""
    if not is_frame(X):
        return {name: cells for name, cells in zip(names, array_columns(X)) if wanted is None or name in wanted}
    import narwhals as nw

    frame = nw.from_native(X, eager_only=True)
    columns = dict(frame_columns(X, wanted))
    for name, cells in columns.items():
        if cells.type == "string" and frame.schema[name] == nw.Categorical and frame.implementation.is_pandas():
            cells.levels = [str(level) for level in frame[name].to_native().cat.categories]
    return columns


def columns_of(node):
    """The columns that a variable of a formula needs."""
    if isinstance(node, Call) and node.function in _FACTORS:
        return columns_of(node.arguments[0]) if node.arguments else []
    if isinstance(node, Call):
        return list(dict.fromkeys(name for part in node.arguments for name in columns_of(part)))
    if isinstance(node, Name):
        return [node.name]
    first, chain = left_operands(node)
    parts = [first, *(step.right for step in chain)] if chain else node.parts
    return list(dict.fromkeys(name for part in parts for name in columns_of(part)))


# Variables -----------------------------------------------------------------------------------------------------------


@dataclass
class Factor:
    """A variable with levels: `texts` are the values as text, `known` the ordered levels."""

    texts: np.ndarray
    known: list
    contrasts: Contrasts

    def codes(self):
        place = {level_text(level): k for k, level in enumerate(self.known)}
        return np.array([place.get(text, -1) for text in self.texts])


def check_functions(node):
    """Raise an error that names unknown functions and operators."""
    node = bare(node)
    if isinstance(node, Name):
        if node.name == ".":
            raise ValueError("'.' stands for all columns and cannot be a function argument")
        return
    if isinstance(node, Call):
        if node.function in _SMOOTHS:
            raise ValueError(
                f"{shortened(node.source)} is a smooth term, which only additive models have; pass the formula to the "
                "model itself, as in GAM('y ~ s(x)').fit(data)"
            )
        if not _is_known(node.function):
            raise ValueError(f"unknown function {shortened(node.function)}; choose from {', '.join(KNOWN)}")
        if not node.arguments:
            raise ValueError(f"{shortened(node.source)} requires a column as its first argument")
        if node.function in _FACTORS:
            check_functions(node.arguments[0])
            _contrasts(node)
            return
        check_functions(node.arguments[0])
        for value in (*node.arguments[1:], *(value for _, value in node.named)):
            plain_value(value)
        return
    if not isinstance(node, (Binary, Unary, Constant)):
        raise ValueError(f"{shortened(node.source)} is not an arithmetic expression of columns")
    first, chain = left_operands(node)
    signs = {**OPERATORS, **_COMPARE, **_LOGIC, **_WHOLE}
    for each in chain or [node]:
        if (isinstance(each, Binary) and each.sign not in signs) or (
            isinstance(each, Unary) and each.sign not in "+-!"
        ):
            raise ValueError(
                f"the operator {each.sign!r} in {shortened(each.source)} is not supported inside a function"
            )
    for part in [first, *(step.right for step in chain)] if chain else node.parts:
        check_functions(part)


def _is_known(function):
    return _elementwise(function) is not None or function in LEARNING or function in _FACTORS


def _elementwise(function):
    """The elementwise function of this name, including numpy's with the prefix ``np.`` or ``numpy.``; or None."""
    for package in ("np.", "numpy."):
        if function.startswith(package):
            ufunc = vars(np).get(function.removeprefix(package))
            return ufunc if isinstance(ufunc, np.ufunc) and ufunc.nin == 1 and ufunc.nout == 1 else None
    return FUNCTIONS[function].compute if function in FUNCTIONS else _EXTRA.get(function)


def _contrasts(node):
    """The contrasts of ``C(g, contr.sum)``, ``C(g, contr.treatment(base = 2))`` or ``C(g, Treatment("b"))``."""
    named = dict(node.named)
    if node.function != "C" or not (len(node.arguments) > 1 or "contr" in named):
        return Contrasts()
    scheme = node.arguments[1] if len(node.arguments) > 1 else named["contr"]
    if not isinstance(scheme, (Name, Call, Constant)) or (
        isinstance(scheme, Constant) and type(scheme.value) is not str
    ):
        raise ValueError(f"{shortened(scheme.source)} in {shortened(node.source)} is not a set of contrasts")
    name = scheme.function if isinstance(scheme, Call) else scheme.name if isinstance(scheme, Name) else scheme.value
    kind = name.removeprefix("contr.").lower()
    if kind not in CONTRASTS:
        raise ValueError(f"unknown contrasts {name!r}; choose from {', '.join(f'contr.{k}' for k in CONTRASTS)}")
    if not isinstance(scheme, Call) or not scheme.parts:
        return Contrasts(kind)
    words, plain = dict(scheme.named), [plain_value(part) for part in scheme.arguments]
    if kind != "treatment" or set(words) - {"n", "base"} or len(plain) > 2:
        raise ValueError(
            f"{shortened(scheme.source)}: only contr.treatment accepts arguments, the number of levels and `base`"
        )
    base = plain_value(words["base"]) if "base" in words else None
    if base is None and plain and (len(plain) == 2 or isinstance(plain[0], str)):
        base = plain[-1]  # a number alone is that of the levels, as in R
    return Contrasts(kind, base)


class Variables:
    """Values of the variables of a formula; `state` and `levels` hold the learned state by the text of the variable."""

    def __init__(self, columns, state, levels, *, learning):
        self.columns = columns
        self.state = state
        self.levels = levels
        self.learning = learning

    def value(self, node):
        """A float array of one or two dimensions, or a :class:`Factor`."""
        value = self._evaluate(node)
        key = written(node)
        if isinstance(value, np.ndarray) and value.dtype == bool:
            value = Factor(np.where(value, "TRUE", "FALSE").astype(object), [False, True], Contrasts())
        elif isinstance(value, np.ndarray) and value.dtype == object:
            if not isinstance(node, Name):
                raise ValueError(f"expected numbers in {shortened(key)}")
            cells = self.columns[node.name]
            value = Factor(value, cells.levels or sorted(set(value)), Contrasts())
        if not isinstance(value, Factor):
            if value.ndim == 0:
                raise ValueError(f"{shortened(key)} does not depend on a column")
            if not self.learning and key in self.levels:
                value = Factor(self._texts(node), [], Contrasts())  # text in training, numbers now
            else:
                return value
        if self.learning:
            present = set(value.texts)
            value.known = [level for level in value.known if level_text(level) in present]
            self.levels[key] = value.known
        elif key in self.levels:
            value.known = self.levels[key]
        else:
            raise ValueError(f"expected numbers in {key!r}")
        return value

    def _texts(self, node):
        if not isinstance(node, Name):
            raise ValueError(f"expected the levels of a factor in {written(node)!r}")
        return self.columns[node.name].as_strings()

    def number(self, node):
        """A float array of one or two dimensions."""
        return _as_numbers(self._evaluate(node), node)

    def _evaluate(self, node):
        if isinstance(node, Brackets):
            return self._evaluate(node.inner)
        if isinstance(node, Constant):
            return _constant(node)
        if isinstance(node, Name):
            return self._column(node.name)
        if isinstance(node, Unary):
            if node.sign == "!":
                return ~self.number(node.operand).astype(bool)
            return SIGNS[node.sign](self.number(node.operand))
        if isinstance(node, Binary):
            return self._binary(node)
        if node.function in _FACTORS:
            return self._factor(node)
        if node.function in LEARNING:
            return self._learned(node)
        return self._function(node)

    def _column(self, name):
        cells = self.columns[name]
        if cells.type == "boolean":
            return cells.values == 1
        if cells.type == "date":
            return (cells.values - np.datetime64(0, "us")) / np.timedelta64(1, "D")
        return cells.values.astype(np.float64) if cells.type == "number" else cells.values.astype(object)

    def _binary(self, node):
        first, chain = left_operands(node)
        left = self._evaluate(first)
        for step in chain:
            left = self._combined(step, left)
        return left

    def _combined(self, node, left):
        """The value of a binary node, from that of its left operand."""
        if node.sign in _COMPARE:
            right = self._evaluate(node.right)
            if isinstance(left, Factor) or isinstance(right, Factor):
                raise ValueError(f"{shortened(node.source)} compares a factor; compare the column itself")
            text = [left.dtype == object, right.dtype == object]
            if any(text) and not (all(text) and node.sign in ("==", "!=")):
                raise ValueError(f"{shortened(node.source)} compares text with numbers, or orders text")
            return np.asarray(_COMPARE[node.sign](left, right), dtype=bool)
        left, right = _as_numbers(left, node.left), self.number(node.right)
        if node.sign in _LOGIC:
            return _LOGIC[node.sign](left, right)
        return {**OPERATORS, **_WHOLE}[node.sign](left, right)

    def _function(self, node):
        x = self.number(node.arguments[0]) if node.function != "I" else self._evaluate(node.arguments[0])
        rest = [plain_value(value) for value in (*node.arguments[1:], *(value for _, value in node.named))]
        if node.function == "log" and len(rest) == 1:
            if isinstance(rest[0], (str, tuple)) or rest[0] is None:
                raise ValueError(f"{shortened(node.source)}: the base of the logarithm must be a number")
            return np.log(x) / np.log(float(rest[0]))
        if rest:
            raise ValueError(f"{shortened(node.source)}: {node.function} requires exactly one argument")
        if isinstance(x, Factor):
            raise ValueError(f"expected numbers in {shortened(written(node))}")
        try:
            return np.asarray(_elementwise(node.function)(x))
        except TypeError:  # numpy's functions of integers or of dates
            raise ValueError(
                f"{shortened(node.source)}: {node.function} does not accept numbers with decimals"
            ) from None

    def _learned(self, node):
        x = self.number(node.arguments[0])
        if x.ndim != 1:
            raise ValueError(f"{shortened(node.source)}: the argument must be a single column")
        function, key = LEARNING[node.function], written(node)
        if self.learning:
            values = [plain_value(value) for value in node.arguments[1:]]
            named = {word.lower().replace(".", "_"): plain_value(value) for word, value in node.named}
            try:
                inspect.signature(function.learn).bind(x, *values, **named)
            except TypeError as error:
                raise ValueError(f"{shortened(node.source)}: {error}") from None
            try:
                self.state[key] = function.learn(x, *values, **named)
            except ValueError as error:
                raise ValueError(f"{shortened(node.source)}: {error}") from None
        state = self.state[key]
        width = len(state.get("knots", ())) + state.get("degree", 3) + 3
        require_memory(
            24 * width * len(x), f"{shortened(node.source)} for {len(x):,} rows", "Use fewer columns or rows."
        )
        return function.compute(x, state)

    def _factor(self, node):
        inner, named = node.arguments[0], dict(node.named)
        contrasts = _contrasts(node)
        known = set(named) - {"levels", "contr"}
        if known or (node.function != "C" and len(node.arguments) > 1):
            words = "x, contr, levels" if node.function == "C" else "x, levels"
            raise ValueError(f"{shortened(node.source)}: the arguments of {node.function} are {words}")
        value = self._evaluate(inner)
        if not isinstance(value, Factor) and value.ndim != 1:
            raise ValueError(f"{shortened(node.source)}: the argument must be a single column")
        if isinstance(value, Factor):
            texts, levels = value.texts, value.known
        elif value.dtype == object:
            texts, levels = value, (self.columns[inner.name].levels or sorted(set(value)))
        elif value.dtype == bool:
            texts, levels = np.where(value, "TRUE", "FALSE").astype(object), [False, True]
        else:
            distinct, place = np.unique(value, return_inverse=True)
            levels = [int(v) if v == int(v) else float(v) for v in distinct.tolist()]
            texts = np.array([level_text(level) for level in levels], dtype=object)[place]
        if "levels" in named:
            levels = plain_value(named["levels"])
            levels = list(levels) if isinstance(levels, tuple) else [levels]
            strange = sorted(set(texts) - {level_text(level) for level in levels})
            if strange and self.learning:
                raise ValueError(f"{shortened(node.source)}: `levels` lacks {', '.join(map(repr, strange))}")
        return Factor(texts, levels, contrasts)


def _constant(node):
    value = node.value
    if value is None or isinstance(value, str):
        return np.asarray(value, dtype=object)
    return np.asarray(value if isinstance(value, bool) else float(value))


def _as_numbers(value, node):
    if isinstance(value, Factor) or value.dtype == object:
        raise ValueError(f"expected numbers in {shortened(written(node))}")
    return value.astype(np.float64)


# The design ----------------------------------------------------------------------------------------------------------


class NewLevels(ValueError):
    """Error raised if rows contain levels of a factor not seen in training."""


def design_matrix(terms, variables, n):
    """Design of a table of `n` rows, the names of its columns as printed by R, and the number of each column's term."""
    values = {key: variables.value(node) for key, node in terms.used.items()}
    shown = {key: node.name if isinstance(node, Name) else key for key, node in terms.used.items()}
    factors = {key for key, value in values.items() if isinstance(value, Factor)}
    for key in sorted(factors):
        strange = sorted(set(values[key].texts[values[key].codes() < 0]))
        if strange:
            raise NewLevels(key, columns_of(terms.used[key]), strange)
    full_keys = codings(terms, factors)
    _check_size(terms, values, full_keys, n)
    coded = {}
    blocks, names, numbers = ([np.ones((n, 1))], [INTERCEPT], [-1]) if terms.intercept else ([], [], [])
    for number, (term, full) in enumerate(zip(terms.all_ordered(), full_keys)):
        for key in term:
            if (key, key in full) not in coded:
                coded[key, key in full] = _coded(values[key], shown[key], key in full)
        parts = [coded[key, key in full] for key in term]
        # The first variable runs fastest, as in R.
        for choice in product(*[range(len(part[1])) for part in reversed(parts)]):
            choice = choice[::-1]
            column = np.ones(n)
            for (block, _), k in zip(parts, choice):
                column = column * block[:, k]
            blocks.append(column[:, None])
            names.append(":".join(part[1][k] for part, k in zip(parts, choice)))
            numbers.append(number)
    return np.hstack(blocks) if blocks else np.empty((n, 0)), names, numbers


def _check_size(terms, values, full_keys, n):
    """Refuse a design with too many columns, before any of them is computed."""
    total, largest = 1, 0
    for term, full in zip(terms.terms, full_keys):
        width = 1
        for key in term:
            value = values[key]
            if isinstance(value, Factor):
                width *= len(value.known) - (key not in full)
                largest = max(largest, len(value.known))
            else:
                width *= 1 if value.ndim == 1 else value.shape[1]
        total += width
        if total > MAX_COLUMNS:
            raise ValueError(f"the number of columns of the design exceeds {over('MAX_COLUMNS')}")
    require_memory(
        8 * (2 * n * (total + largest) + largest**2),
        f"the design of {n:,} rows and {total:,} columns",
        "Use fewer terms or factors with fewer levels.",
    )


def _coded(value, shown, full):
    """Columns and their names, by all levels or by contrasts."""
    if not isinstance(value, Factor):
        block = value if value.ndim == 2 else value[:, None]
        return block, [shown] if block.shape[1] == 1 else [f"{shown}{k + 1}" for k in range(block.shape[1])]
    codes = value.codes()
    if full:
        block = np.zeros((len(codes), len(value.known)))
        block[np.arange(len(codes)), codes] = 1.0
        return block, [shown + level_text(level) for level in value.known]
    matrix, ends = value.contrasts.matrix(value.known)
    return matrix[codes], [shown + end for end in ends]
