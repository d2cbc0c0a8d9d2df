"""Declaration of the valid values of constructor parameters, checked in `fit`.

A class lists its rules once::

    _constraints = {
        "alpha": [Real(0, None)],
        "selection": [Options("cyclic", "random")],
        "max_iter": [Int(1, None)],
        "positive": ["boolean"],
        "random_state": ["random_state"],
    }

A value passes if any rule of its list accepts it. Rules: `Real`, `Int`, `Options`, `Instance`, `HasMethods`, the words
"boolean", "array-like", "random_state", "verbose", "cv", "callable", and None for the value None.
"""

import inspect
import math
import numbers

import numpy as np


class InvalidParameterError(ValueError, TypeError):
    """A constructor parameter has an invalid value."""


def _is_bool(value):
    return isinstance(value, (bool, np.bool_))


def _is_int(value, low):
    return isinstance(value, numbers.Integral) and int(value) >= low


class Real:
    """A number in an interval; None leaves a side unbounded. NaN is never accepted.

    Infinity is accepted only if the rule closes an unbounded right side: ``Real(0, None)`` accepts finite numbers,
    ``Real(0, None, closed="both")`` also accepts infinity, for methods in which it has a meaning. -inf is never
    accepted.
    """

    noun = "a float"
    kind = numbers.Real

    def __init__(self, low=None, high=None, *, closed="left"):
        if closed not in ("left", "right", "both", "neither"):
            raise ValueError(f"closed: {closed!r}")
        self.low, self.high, self.closed = low, high, closed

    def accepts(self, value):
        if not isinstance(value, self.kind) or _is_bool(value) or value != value:
            return False
        if abs(value) == math.inf:
            return self.takes_infinity and value > 0
        above = self.low is None or value > self.low or (value == self.low and self.closed in ("left", "both"))
        below = self.high is None or value < self.high or (value == self.high and self.closed in ("right", "both"))
        return above and below

    @property
    def takes_infinity(self):
        """Whether the interval includes infinity."""
        return self.high is None and self.closed in ("right", "both")

    def describe(self):
        low = "(-inf" if self.low is None else ("[" if self.closed in ("left", "both") else "(") + str(float(self.low))
        high = ("inf" if self.high is None else str(float(self.high))) + (
            "]" if self.closed in ("right", "both") else ")"
        )
        return f"{self.noun} in the range {low}, {high}"

    def bad_values(self):
        """Values just outside, for the contract tests."""
        bad = [math.nan, -math.inf, "text"]
        if not self.takes_infinity:
            bad.append(math.inf)
        if self.low is not None:
            bad.append(self.low - 1)
        if self.high is not None:
            bad.append(self.high + 1)
        return bad


class Int(Real):
    """A whole number in an interval, both ends included."""

    noun = "an int"
    kind = numbers.Integral

    def __init__(self, low=None, high=None):
        super().__init__(low, high, closed="both")

    @property
    def takes_infinity(self):
        return False

    def describe(self):
        low = "(-inf" if self.low is None else f"[{self.low}"
        high = "inf)" if self.high is None else f"{self.high}]"
        return f"an int in the range {low}, {high}"

    def bad_values(self):
        return [*super().bad_values(), 1.5]


# The number of points of a grid that an estimator lays out itself; longer grids can be given as arrays.
GRID_POINTS = Int(1, 1000)


class Options:
    """One of a fixed set of strings; `hints` are sentences for values that users expect to be accepted."""

    def __init__(self, *options, hints=None):
        self.options, self.hints = options, hints or {}

    def hint(self, value):
        return self.hints.get(value, "") if isinstance(value, str) else ""

    def accepts(self, value):
        return isinstance(value, str) and value in self.options

    def describe(self):
        return "a str among {" + ", ".join(sorted(map(repr, self.options))) + "}"

    def bad_values(self):
        return ["no such option", 17.5]


class ListOf:
    """One or more values in a list, tuple or one-dimensional array, each accepted by a rule."""

    def __init__(self, rule):
        self.rule = rule

    def accepts(self, value):
        if isinstance(value, (str, bytes, dict)) or not (hasattr(value, "__len__") or hasattr(value, "__array__")):
            return False
        entries = np.asarray(value, dtype=object)
        return entries.ndim == 1 and len(entries) > 0 and all(map(self.rule.accepts, entries.tolist()))

    def describe(self):
        return f"a list of values, each {self.rule.describe()}"

    def bad_values(self):
        return [object(), [], [[1, 2], [3, 4]], *([bad] for bad in self.rule.bad_values())]


class Instance:
    """An object of one of these types."""

    def __init__(self, *types):
        self.types = types

    def accepts(self, value):
        return isinstance(value, self.types) and not _is_bool(value)

    def describe(self):
        return " or ".join(f"an instance of {t.__qualname__!r}" for t in self.types)

    def bad_values(self):
        return [object()]


class HasMethods:
    """An object, not a class, with these methods."""

    def __init__(self, *methods):
        self.methods = methods

    def accepts(self, value):
        return not isinstance(value, type) and all(callable(getattr(value, method, None)) for method in self.methods)

    def describe(self):
        return "an object implementing " + " and ".join(map(repr, self.methods))

    def bad_values(self):
        return [object()]


class _Word:
    """A rule that is written as a word."""

    def __init__(self, describe, accepts):
        self._describe, self._accepts = describe, accepts

    def accepts(self, value):
        return bool(self._accepts(value))

    def describe(self):
        return self._describe

    def bad_values(self):
        return [object()]


_WORDS = {
    "boolean": _Word("a bool", _is_bool),
    "array-like": _Word(
        "an array-like",
        lambda v: (hasattr(v, "__len__") or hasattr(v, "__array__")) and not isinstance(v, (str, bytes, dict)),
    ),
    "random_state": _Word(
        "an int, a numpy.random.RandomState or None",
        lambda v: (
            v is None or isinstance(v, np.random.RandomState) or (_is_int(v, 0) and not _is_bool(v) and int(v) < 2**32)
        ),
    ),
    "verbose": _Word("an int in the range [0, inf) or a bool", lambda v: _is_int(v, 0)),
    "cv": _Word(
        "an int in the range [2, inf), an object with `split` and `get_n_splits`, an iterable of splits or None",
        lambda v: (
            v is None
            or (_is_int(v, 2) and not _is_bool(v))
            or (hasattr(v, "split") and not isinstance(v, str))
            or (hasattr(v, "__iter__") and not isinstance(v, str))
        ),
    ),
    "callable": _Word("a callable", callable),
    None: _Word("None", lambda v: v is None),
}


def rules_of(constraints):
    """The rule objects behind a list of constraints."""
    return [_WORDS[c] if c is None or isinstance(c, str) else c for c in constraints]


def check_value(name, value, constraints, owner):
    """Raise InvalidParameterError, naming the parameter and its owner, unless a rule accepts the value."""
    rules = rules_of(constraints)
    if any(rule.accepts(value) for rule in rules):
        return
    described = [rule.describe() for rule in rules]
    wanted = described[0] if len(described) == 1 else ", ".join(described[:-1]) + " or " + described[-1]
    hints = "".join(f" {text}" for rule in rules if (text := getattr(rule, "hint", lambda _: "")(value)))
    raise InvalidParameterError(f"The {name!r} parameter of {owner} must be {wanted}. Got {value!r} instead.{hints}")


def check_entries(name, values, rule, owner):
    """The entries of a list parameter, or a single number as a list of one; each must pass the rule."""
    entries = values.tolist() if hasattr(values, "tolist") else values
    entries = list(entries) if hasattr(entries, "__len__") and not isinstance(entries, str) else [entries]
    if not entries:
        raise InvalidParameterError(f"The {name!r} parameter of {owner} must not be empty.")
    for entry in entries:
        if not rule.accepts(entry):
            raise InvalidParameterError(
                f"Each entry of the {name!r} parameter of {owner} must be {rule.describe()}. Got {entry!r} instead."
            )
    return entries


def check_params(estimator):
    """Check every constructor parameter of an estimator against its `_constraints`."""
    owner = type(estimator).__name__
    for name, constraints in estimator._constraints.items():
        check_value(name, getattr(estimator, name), constraints, owner)


def check_arguments(function, **rules):
    """Check the arguments of a plain function: ``check_arguments(lasso_path, eps=(eps, [Real(0, 1)]))``."""
    name = function if isinstance(function, str) else function.__name__
    for argument, (value, constraints) in rules.items():
        check_value(argument, value, constraints, name)


def parameter_names(cls):
    """Constructor parameters of a class, in order."""
    return [name for name in inspect.signature(cls.__init__).parameters if name != "self"]
