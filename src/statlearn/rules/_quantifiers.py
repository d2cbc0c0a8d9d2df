"""Quantifiers of the GUHA method: conditions on the fourfold table of a rule."""

import numpy as np
from scipy.special import betainc

from statlearn._core import native
from statlearn._core.params import Int, Real, check_arguments

_SHARE, _EXCESS = [Real(0, 1, closed="right")], [Real(0, None)]
_LEVEL, _BASE = [Real(0, 1, closed="neither")], [Int(1, None)]
_RULES = {"p": _SHARE, "excess": _EXCESS, "alpha": _LEVEL, "base": _BASE}

# The numbers of each quantifier, in the order in which they are given.
QUANTIFIERS = {
    "founded_implication": ("p", "base"),
    "lower_critical_implication": ("p", "alpha", "base"),
    "double_founded_implication": ("p", "base"),
    "founded_equivalence": ("p", "base"),
    "above_average": ("excess", "base"),
    "fisher": ("alpha", "base"),
}


def check_numbers(name, numbers):
    """The numbers of a quantifier by name."""
    names = QUANTIFIERS[name]
    if not isinstance(numbers, (tuple, list)) or len(numbers) != len(names):
        raise ValueError(f"thresholds[{name!r}] must be a tuple ({', '.join(names)}), got {numbers!r}.")
    values = dict(zip(names, numbers))
    check_arguments(f"thresholds[{name!r}]", **{key: (value, _RULES[key]) for key, value in values.items()})
    return values


def satisfies(name, numbers, ab, a, b, n, strict=False):
    """Which fourfold tables satisfy a quantifier; counts of A and B, of A, of B, and of all baskets."""
    values = check_numbers(name, numbers)
    ab, a, b = (np.asarray(c, dtype=np.float64) for c in (ab, a, b))
    enough = ab >= values["base"] * (1 - 1e-12)
    if name in ("fisher", "lower_critical_implication"):
        if not all((c == np.floor(c)).all() for c in (ab, a, b)):
            raise ValueError(f"thresholds[{name!r}] needs whole counts, but the baskets have fractional weights.")
        if name == "fisher":
            p_value = np.empty(len(ab))
            native.rules.fisher_upper(ab, a, b, float(n), p_value)
            enough &= ab * n > a * b
        else:  # at least ab of a successes, if each has probability p
            p_value = np.where(ab > 0, betainc(np.maximum(ab, 1.0), a - ab + 1.0, values["p"]), 1.0)
        return enough & (p_value < values["alpha"] if strict else p_value <= values["alpha"])
    part, whole = {
        "founded_implication": (ab, a),
        "double_founded_implication": (ab, a + b - ab),
        "founded_equivalence": (n - a - b + 2 * ab, np.full(len(ab), float(n))),
        "above_average": (ab * n, a * b),
    }[name]
    least = (1 + values["excess"] if name == "above_average" else values["p"]) * whole
    slack = 1e-12 * whole
    return enough & (part > least + slack if strict else part >= least - slack)
