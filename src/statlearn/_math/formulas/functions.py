"""Functions, operators and signs that formulas may compute with."""

import operator
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Function:
    """Function of one column: its computation, its domain, and the domain in words."""

    compute: Callable
    inside: Callable | None = None
    words: str = ""


def _above(least):
    return lambda x: x > least


FUNCTIONS = {
    "log": Function(np.log, _above(0), "needs values above 0"),
    "log2": Function(np.log2, _above(0), "needs values above 0"),
    "log10": Function(np.log10, _above(0), "needs values above 0"),
    "log1p": Function(np.log1p, _above(-1), "needs values above -1"),
    "exp": Function(np.exp),
    "expm1": Function(np.expm1),
    "sqrt": Function(np.sqrt, lambda x: x >= 0, "needs values of at least 0"),
    "abs": Function(np.abs),
    "sin": Function(np.sin),
    "cos": Function(np.cos),
    "exp2": Function(np.exp2),
    "exp10": Function(lambda x: 10.0**x),
    "tan": Function(np.tan),
    "asin": Function(np.arcsin, lambda x: np.abs(x) <= 1, "needs values between -1 and 1"),
    "acos": Function(np.arccos, lambda x: np.abs(x) <= 1, "needs values between -1 and 1"),
    "atan": Function(np.arctan),
    "sinh": Function(np.sinh),
    "cosh": Function(np.cosh),
    "tanh": Function(np.tanh),
    "floor": Function(np.floor),
    "ceiling": Function(np.ceil),
    "trunc": Function(np.trunc),
    "sign": Function(np.sign),
    "as.numeric": Function(np.asarray),
    "I": Function(np.asarray),
}
OPERATORS = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "^": operator.pow,
}
WHOLE = {"%%": np.mod, "%/%": np.floor_divide}
COMPARE = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
LOGIC = {"&": np.logical_and, "&&": np.logical_and, "|": np.logical_or, "||": np.logical_or}
SIGNS = {"-": operator.neg, "+": operator.pos}


def function_name(call):
    """Name in `FUNCTIONS` of the called function, including ``np.log``; None for others."""
    name = call.function.removeprefix("np.").removeprefix("numpy.")
    return name if name in FUNCTIONS else None
