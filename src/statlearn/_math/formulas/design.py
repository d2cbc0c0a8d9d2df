"""The design of a formula: the columns of its terms, with R's names."""

from dataclasses import dataclass
from itertools import product

import numpy as np

from statlearn._core.memory import require_memory

from .contrasts import level_text
from .limits import MAX_COLUMNS, over
from .terms import Terms, codings
from .tree import Name
from .variables import Factor, Variables, columns_of

INTERCEPT = "Intercept"


class NewLevels(ValueError):
    """Error raised if rows contain levels of a factor not seen in training."""


def design_matrix(terms, variables, n, only=None):
    """Design of a table of `n` rows, the names of its columns as printed by R, and the number of each column's term.

    With `only`, a set of numbers of terms, the others are left out; their coding is that of the whole design.
    """
    used = terms.used
    if only is not None:
        keys = set().union(*(terms.terms[number] for number in only))
        values = {key: variables.value(node) for key, node in used.items() if key in keys}
        factors = {key for key in used if key in variables.levels}
    else:
        values = {key: variables.value(node) for key, node in used.items()}
        factors = {key for key, value in values.items() if isinstance(value, Factor)}
    for key in sorted(factors & set(values)):
        codes = values[key].codes()
        if codes.min(initial=0) < 0:
            raise NewLevels(key, columns_of(used[key]), sorted(set(values[key].texts[codes < 0])))
    full_keys = codings(terms, factors)
    if only is None:
        _check_size(terms, values, full_keys, n)
    shown = {key: node.name if isinstance(node, Name) else key for key, node in used.items()}
    coded, columns = {}, []  # a column is a list of factors to be multiplied
    names, numbers = ([INTERCEPT], [-1]) if terms.intercept and only is None else ([], [])
    for number, (term, full) in enumerate(zip(terms.all_ordered(), full_keys)):
        if only is not None and number not in only:
            continue
        for key in term:
            if (key, key in full) not in coded:
                coded[key, key in full] = _coded(values[key], shown[key], key in full)
        parts = [coded[key, key in full] for key in term]
        # The first variable runs fastest, as in R.
        for choice in product(*[range(len(part[1])) for part in reversed(parts)]):
            choice = choice[::-1]
            columns.append([block[:, k] for (block, _), k in zip(parts, choice)])
            names.append(":".join(part[1][k] for part, k in zip(parts, choice)))
            numbers.append(number)
    return _assembled(columns, names, n), names, numbers


def _assembled(columns, names, n):
    """The matrix of columns that are products of others; the intercept, if named, comes first."""
    matrix = np.empty((n, len(names)), order="F")
    first = len(names) - len(columns)
    matrix[:, :first] = 1.0
    for j, factors in enumerate(columns, first):
        matrix[:, j] = factors[0]
        for values in factors[1:]:
            matrix[:, j] *= values
    return matrix


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
    if len(value.known) < 2:
        raise ValueError(
            f"{shown} has a single level, {level_text(value.known[0])!r}, and contrasts require two or more; remove it"
        )
    matrix, ends = value.contrasts.matrix(value.known)
    return matrix[codes], [shown + end for end in ends]


@dataclass
class Design:
    """Terms with everything learned from the training rows: levels, knots, contrasts, the names of the columns.

    Attributes
    ----------
    names : list of str
        Names of the columns, the intercept first if there is one.
    numbers : list of int
        Number of the term of each column, -1 for the intercept.
    """

    terms: Terms
    state: dict
    levels: dict
    names: list
    numbers: list

    @classmethod
    def learn(cls, terms, columns, n, contrasts=None):
        """The design of the training columns (a dict of `Cells`), and its matrix."""
        design = cls(terms, {}, {}, [], [])
        variables = Variables(columns, design.state, design.levels, learning=True, contrasts=contrasts)
        matrix, design.names, design.numbers = design._build(variables, n)
        return design, matrix

    def matrix(self, columns, n):
        """The columns of the design for other rows."""
        return self._build(Variables(columns, self.state, self.levels, learning=False), n)[0]

    def partial(self, columns, n, name):
        """The columns of the terms that use a column of the table, and a mask of their places in the design."""
        uses = {key for key, node in self.terms.used.items() if name in columns_of(node)}
        only = {number for number, term in enumerate(self.terms.terms) if term & uses}
        variables = Variables(columns, self.state, self.levels, learning=False)
        return self._build(variables, n, only)[0], np.isin(self.numbers, list(only))

    def _build(self, variables, n, only=None):
        try:
            with np.errstate(all="ignore"):  # non-finite columns are named below
                matrix, names, numbers = design_matrix(self.terms, variables, n, only)
        except NewLevels as error:
            key, sources, new = error.args
            name = sources[0] if len(sources) == 1 else key
            levels = ", ".join(map(repr, new))
            raise ValueError(f"`data` contains levels of {name!r} that did not occur in training: {levels}.") from None
        except ValueError as error:
            raise ValueError(f"`data` does not match the formula: {error}.") from None
        with np.errstate(all="ignore"):
            sums = matrix.sum(axis=0)  # not finite if a column has infinity or NaN, or overflows
        wild = (
            [name for name, column in zip(names, matrix.T) if not np.isfinite(column).all()]
            if (not np.isfinite(sums).all())
            else []
        )
        if wild:
            raise ValueError(
                f"`data`: the formula produces infinity or NaN in the columns {', '.join(map(repr, wild))}."
            )
        return matrix, names, numbers

    def offset(self, columns, n):
        """Sum of the offsets of the formula, or None."""
        if not self.terms.offsets:
            return None
        variables = Variables(columns, self.state, self.levels, learning=False)
        with np.errstate(all="ignore"):
            total = sum(variables.number(node) for node in self.terms.offsets)
        if not np.isfinite(total).all():
            raise ValueError("`data`: the formula produces infinity or NaN in the offset.")
        return np.array(np.broadcast_to(total, n), dtype=np.float64)
