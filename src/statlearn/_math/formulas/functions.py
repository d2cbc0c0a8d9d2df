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
    "I": Function(np.asarray),
}
OPERATORS = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "^": operator.pow,
}
SIGNS = {"-": operator.neg, "+": operator.pos}


def function_name(call):
    """Name in `FUNCTIONS` of the called function, including ``np.log``; None for others."""
    name = call.function.removeprefix("np.").removeprefix("numpy.")
    return name if name in FUNCTIONS else None
