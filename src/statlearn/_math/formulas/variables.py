"""Evaluation of the variables of a formula: columns, functions of columns, factors."""

import difflib
import inspect
from dataclasses import dataclass
from itertools import repeat

import numpy as np

from statlearn._core.frames.typed_columns import array_columns, frame_columns, is_frame
from statlearn._core.memory import require_memory

from .contrasts import CONTRASTS, Contrasts, level_text
from .functions import COMPARE, FUNCTIONS, LOGIC, OPERATORS, SIGNS, WHOLE
from .learning import LEARNING, Cut
from .limits import shortened
from .parser import written
from .tree import Binary, Brackets, Call, Constant, Name, Unary, bare, left_operands, plain_value

_SMOOTHS = ("s", "te", "ti", "t2")  # mgcv's names, which readers of R know
_FACTORS = ("C", "factor", "as.factor", "ordered", "as.ordered", "relevel", "cut")
_ORDERED = ("ordered", "as.ordered")
_SEVERAL = ("ifelse", "pmin", "pmax")  # functions of several columns
_CONTRASTS = "(contrasts)"  # entry of the state: the coding of each factor
KNOWN = sorted({*FUNCTIONS, *LEARNING, *_FACTORS, *_SEVERAL, "round", "offset"})


def nearest(word, words):
    """The closest of the known words as a question, such as ", did you mean 'speed'?", or nothing."""
    close = difflib.get_close_matches(str(word), [str(each) for each in words], n=1)
    return f", did you mean {close[0]!r}?" if close else ""


# Columns of tables ---------------------------------------------------------------------------------------------------


def read_columns(X, names, wanted=None):
    """The wanted columns of a frame or array by name, as :class:`Cells`; factors keep the order of their levels."""
    if not is_frame(X):
        return {name: cells for name, cells in zip(names, array_columns(X)) if wanted is None or name in wanted}
    import narwhals as nw

    frame = nw.from_native(X, eager_only=True)
    columns = dict(frame_columns(X, wanted))
    for name, cells in columns.items():
        if frame.implementation.is_pandas() and frame.schema[name] in (nw.Categorical, nw.Enum):
            categories = frame[name].to_native().dtype
            cells.levels, cells.ordered = [str(level) for level in categories.categories], bool(categories.ordered)
    return columns


def columns_of(node):
    """The columns that a variable of a formula needs."""
    if isinstance(node, Call) and node.function not in _SEVERAL and node.function != "cbind":
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
    contrasts: Contrasts | None = None  # None: those of the settings, by default treatment or polynomial
    ordered: bool = False
    _codes: tuple | None = None  # levels and codes of the last call

    def codes(self):
        """Number of the level of each value; -1 for others."""
        words = [level_text(level) for level in self.known]
        if self._codes is None or self._codes[0] != words:
            place = {word: k for k, word in enumerate(words)}
            codes = np.fromiter(map(place.get, self.texts, repeat(-1)), dtype=np.intp, count=len(self.texts))
            self._codes = words, codes
        return self._codes[1]


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
            close = nearest(node.function, KNOWN)
            raise ValueError(
                f"unknown function {shortened(node.function)}{close or '; choose from'} "
                f"{'The known ones are' if close else ''} {', '.join(KNOWN)}".replace("  ", " ")
            )
        if not node.arguments:
            raise ValueError(f"{shortened(node.source)} requires a column as its first argument")
        if node.function in _SEVERAL:
            if node.named or (node.function == "ifelse" and len(node.arguments) != 3):
                words = "a test and two values" if node.function == "ifelse" else "columns and numbers"
                raise ValueError(f"{shortened(node.source)}: the arguments of {node.function} are {words}")
            for part in node.arguments:
                check_functions(part)
            return
        check_functions(node.arguments[0])
        if node.function == "C":
            _contrasts(node)
            return
        for value in (*node.arguments[1:], *(value for _, value in node.named)):
            plain_value(value)
        return
    if not isinstance(node, (Binary, Unary, Constant)):
        raise ValueError(f"{shortened(node.source)} is not an arithmetic expression of columns")
    first, chain = left_operands(node)
    signs = {**OPERATORS, **COMPARE, **LOGIC, **WHOLE, "%in%": None}
    for each in chain or [node]:
        if (isinstance(each, Binary) and each.sign not in signs) or (
            isinstance(each, Unary) and each.sign not in "+-!"
        ):
            raise ValueError(
                f"the operator {each.sign!r} in {shortened(each.source)} is not supported inside a function"
            )
    for part in [first, *(step.right for step in chain if step.sign != "%in%")] if chain else node.parts:
        check_functions(part)
    for step in chain:
        if step.sign == "%in%":
            plain_value(step.right)


def _is_known(function):
    listed = function in LEARNING or function in _FACTORS or function in _SEVERAL or function == "round"
    return listed or _elementwise(function) is not None


def _elementwise(function):
    """The elementwise function of this name, including numpy's with the prefix ``np.`` or ``numpy.``; or None."""
    for package in ("np.", "numpy."):
        if function.startswith(package):
            ufunc = vars(np).get(function.removeprefix(package))
            return ufunc if isinstance(ufunc, np.ufunc) and ufunc.nin == 1 and ufunc.nout == 1 else None
    return FUNCTIONS[function].compute if function in FUNCTIONS else None


def _contrasts(node):
    """The contrasts of ``C(g, contr.sum)``, ``C(g, contr.treatment(base = 2))`` or ``C(g, Treatment("b"))``."""
    named = dict(node.named)
    if node.function != "C" or not (len(node.arguments) > 1 or "contr" in named):
        return None
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

    def __init__(self, columns, state, levels, *, learning, contrasts=None):
        self.columns = columns
        self.state = state
        self.levels = levels
        self.learning = learning
        self.contrasts = contrasts or {}  # kind of the coding by the text of a variable

    def value(self, node):
        """A float array of one or two dimensions, or a :class:`Factor`."""
        value = self._evaluate(node)
        key = written(node)
        if isinstance(value, np.ndarray) and value.dtype in (bool, object):
            value = self._as_factor(value, node)
        if not isinstance(value, Factor):
            if value.ndim == 0:
                raise ValueError(f"{shortened(key)} does not depend on a column")
            if not self.learning and key in self.levels:
                value = Factor(self._texts(node), [])  # text in training, numbers now
            else:
                return value
        if self.learning:
            present = set(value.texts)
            value.known = [level for level in value.known if level_text(level) in present]
            self.levels[key] = value.known
            if value.contrasts is None:
                default = "poly" if value.ordered else "treatment"
                value.contrasts = Contrasts(self.contrasts.get(key, default))
            self.state.setdefault(_CONTRASTS, {})[key] = value.contrasts.kind
        elif key in self.levels:
            value.known = self.levels[key]
            if value.contrasts is None:
                value.contrasts = Contrasts(self.state.get(_CONTRASTS, {}).get(key, "treatment"))
        else:
            raise ValueError(f"expected numbers in {key!r}")
        return value

    def _as_factor(self, value, node):
        """Text, truth values or numbers as a factor with sorted levels, or those of the column."""
        if isinstance(value, Factor):
            return value
        if value.ndim != 1:
            raise ValueError(f"{shortened(node.source)}: the argument must be a single column")
        if value.dtype == bool:
            return Factor(np.where(value, "TRUE", "FALSE").astype(object), [False, True])
        if value.dtype == object:
            cells = self.columns[node.name] if isinstance(node, Name) else None
            if cells is not None and cells.levels:
                return Factor(value, cells.levels, ordered=cells.ordered)
            return Factor(value, sorted(set(value)))
        distinct, place = np.unique(value, return_inverse=True)
        levels = [int(v) if v == int(v) else float(v) for v in distinct.tolist()]
        return Factor(np.array([level_text(level) for level in levels], dtype=object)[place], levels)

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
        if node.function == "cut":
            return self._cut(node)
        if node.function in _FACTORS:
            return self._factor(node)
        if node.function in _SEVERAL:
            return self._several(node)
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
        if node.sign == "%in%":
            wanted = plain_value(node.right)
            wanted = wanted if isinstance(wanted, tuple) else (wanted,)
            if isinstance(left, Factor):
                return np.isin(left.texts.astype(str), [level_text(each) for each in wanted])
            text = left.dtype == object
            if any(isinstance(each, str) != text for each in wanted):
                raise ValueError(f"{shortened(node.source)} compares text with numbers")
            return np.isin(left.astype(str) if text else left, list(wanted))
        if node.sign in COMPARE:
            right = self._evaluate(node.right)
            if isinstance(left, Factor) or isinstance(right, Factor):
                raise ValueError(f"{shortened(node.source)} compares a factor; compare the column itself")
            text = [left.dtype == object, right.dtype == object]
            if any(text) and not (all(text) and node.sign in ("==", "!=")):
                raise ValueError(f"{shortened(node.source)} compares text with numbers, or orders text")
            return np.asarray(COMPARE[node.sign](left, right), dtype=bool)
        left, right = _as_numbers(left, node.left), self.number(node.right)
        if node.sign in LOGIC:
            return LOGIC[node.sign](left, right)
        return {**OPERATORS, **WHOLE}[node.sign](left, right)

    def _several(self, node):
        """The value of ``ifelse``, ``pmin`` or ``pmax``."""
        if node.function != "ifelse":
            values = [self.number(part) for part in node.arguments]
            return np.asarray(
                np.minimum.reduce(np.broadcast_arrays(*values))
                if node.function == "pmin"
                else np.maximum.reduce(np.broadcast_arrays(*values))
            )
        test = self._evaluate(node.arguments[0])
        if isinstance(test, Factor) or test.dtype == object:
            raise ValueError(f"{shortened(node.source)}: the first argument of ifelse must be a comparison")
        yes, no = (self._evaluate(part) for part in node.arguments[1:])
        if isinstance(yes, Factor) or isinstance(no, Factor) or (yes.dtype == object) != (no.dtype == object):
            raise ValueError(f"{shortened(node.source)}: both values of ifelse must be numbers, or both text")
        return np.where(test.astype(bool), yes, no)

    def _function(self, node):
        x = self.number(node.arguments[0]) if node.function != "I" else self._evaluate(node.arguments[0])
        rest = [plain_value(value) for value in (*node.arguments[1:], *(value for _, value in node.named))]
        if node.function == "log" and len(rest) == 1:
            if isinstance(rest[0], (str, tuple)) or rest[0] is None:
                raise ValueError(f"{shortened(node.source)}: the base of the logarithm must be a number")
            return np.log(x) / np.log(float(rest[0]))
        if node.function == "round":
            if len(rest) > 1 or not all(type(digits) is int and abs(digits) < 30 for digits in rest):
                raise ValueError(f"{shortened(node.source)}: the number of digits must be an integer")
            # Correctly rounded as by R 4: numpy's product with a power of ten moves some ties.
            distinct, place = np.unique(x, return_inverse=True)
            digits = rest[0] if rest else 0
            rounded = [round(v, digits) if np.isfinite(v) else v for v in distinct.tolist()]
            return np.array(rounded)[place].reshape(x.shape)
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
        """The columns of a function that learns from the training rows."""
        x = self._single(node)
        function, key = LEARNING[node.function], written(node)
        if self.learning:
            self.state[key] = _learn(function, x, node)
        state = self.state[key]
        width = len(state.get("knots", ())) + state.get("degree", 3) + 3
        require_memory(
            24 * width * len(x), f"{shortened(node.source)} for {len(x):,} rows", "Use fewer columns or rows."
        )
        return function.compute(x, state)

    def _cut(self, node):
        """Intervals of a column as a factor."""
        x, key = self._single(node), written(node)
        if self.learning:
            self.state[key] = _learn(Cut, x, node)
        state = self.state[key]
        codes = Cut.compute(x, state)
        if (codes < 0).any():
            raise ValueError(
                f"{shortened(node.source)}: {(codes < 0).sum():,} values are outside the breaks, where R has NA; "
                "extend the breaks"
            )
        labels = state["labels"]
        return Factor(np.array(labels, dtype=object)[codes], labels, ordered=state["ordered"])

    def _single(self, node):
        x = self.number(node.arguments[0])
        if x.ndim != 1:
            raise ValueError(f"{shortened(node.source)}: the argument must be a single column")
        return x

    def _factor(self, node):
        """The factor of ``factor``, ``ordered``, ``C`` or ``relevel``."""
        words = {"C": ["contr", "levels"], "relevel": ["ref"]}.get(node.function, ["levels", "labels", "ordered"])
        named = dict(node.named)
        if node.function == "relevel" and len(node.arguments) == 2:
            named.setdefault("ref", node.arguments[1])
        elif len(node.arguments) > 1 and node.function != "C":
            named.setdefault("levels", node.arguments[1])
        if set(named) - set(words) or len(node.arguments) > 2:
            raise ValueError(f"{shortened(node.source)}: the arguments of {node.function} are x, {', '.join(words)}")
        value = self._as_factor(self._evaluate(node.arguments[0]), bare(node.arguments[0]))
        plain = {word: plain_value(each) for word, each in named.items() if word != "contr"}
        levels, texts = value.known, value.texts
        if "labels" in plain and self.learning:
            self.state[written(node)] = {"levels": [level_text(level) for level in levels]}
        elif "labels" in plain:
            levels = self.state[written(node)]["levels"]
        if "ref" in plain and self.learning:
            levels = _releveled(node, levels, plain["ref"])
        if "levels" in plain:
            levels = list(plain["levels"]) if isinstance(plain["levels"], tuple) else [plain["levels"]]
            strange = sorted(set(texts) - {level_text(level) for level in levels})
            if strange and self.learning:
                raise ValueError(f"{shortened(node.source)}: `levels` lacks {', '.join(map(repr, strange))}")
        if "labels" in plain:
            labels = plain["labels"] if isinstance(plain["labels"], tuple) else (plain["labels"],)
            if len(labels) != len(levels):
                raise ValueError(f"{shortened(node.source)}: {len(labels)} labels for {len(levels)} levels")
            renamed = {level_text(level): level_text(label) for level, label in zip(levels, labels)}
            texts = np.array([renamed.get(text, text) for text in texts], dtype=object)
            levels = [level_text(label) for label in labels]
        ordered = bool(
            plain.get("ordered", node.function in _ORDERED or (value.ordered and node.function != "relevel"))
        )
        return Factor(texts, levels, _contrasts(node), ordered)


def _learn(function, x, node):
    """The state of a learning function, with errors that show the call."""
    values = [plain_value(value) for value in node.arguments[1:]]
    named = {word.lower().replace(".", "_"): plain_value(value) for word, value in node.named}
    try:
        inspect.signature(function.learn).bind(x, *values, **named)
    except TypeError as error:
        raise ValueError(f"{shortened(node.source)}: {error}") from None
    try:
        return function.learn(x, *values, **named)
    except ValueError as error:
        raise ValueError(f"{shortened(node.source)}: {error}") from None


def _releveled(node, levels, ref):
    words = [level_text(level) for level in levels]
    if level_text(ref) not in words:
        raise ValueError(f"{shortened(node.source)}: `ref`={ref!r} is not a level; the levels are {', '.join(words)}")
    place = words.index(level_text(ref))
    return [levels[place], *levels[:place], *levels[place + 1 :]]


def _constant(node):
    value = node.value
    if value is None or isinstance(value, str):
        return np.asarray(value, dtype=object)
    return np.asarray(value if isinstance(value, bool) else float(value))


def _as_numbers(value, node):
    if isinstance(value, Factor) or value.dtype == object:
        raise ValueError(f"expected numbers in {shortened(written(node))}")
    return value.astype(np.float64)
