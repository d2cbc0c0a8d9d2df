"""Reading of a formula for a table: its target, its terms, and the columns that they need."""

import numpy as np

from .limits import shortened
from .parser import parse_sides, written
from .terms import expand, limit_operations
from .tree import Call, bare
from .variables import check_functions, columns_of, nearest


def response_parts(left):
    """The expressions of the left-hand side: one, or those of ``cbind(a, b)``."""
    if left is None:
        return []
    node = bare(left)
    if isinstance(node, Call) and node.function == "cbind":
        if node.named or not node.arguments:
            raise ValueError(f"{shortened(node.source)}: the arguments of cbind are columns")
        return list(node.arguments)
    return [left]


def read(formula, columns=(), *, variables=()):
    """Target (a tree or None) and terms of a formula; "." stands for the columns that the target does not use."""
    try:
        left, right = parse_sides(formula)
    except SyntaxError as error:
        raise ValueError(f"`formula`: cannot parse {shortened(formula)}: {error.msg}.") from None
    try:
        left_columns = set() if left is None else set(columns_of(left))
        terms = expand(right, [name for name in columns if name not in left_columns], variables=variables)
        if left is not None:
            limit_operations(left)
        for node in [*terms.used.values(), *terms.offsets, *response_parts(left)]:
            check_functions(node)
    except (ValueError, SyntaxError) as error:
        raise ValueError(f"`formula`: {error}.") from None
    if left is not None and written(left) in terms.used:
        raise ValueError(
            f"`formula`: the target {shortened(left.source)} also appears on the right-hand side; remove it there."
        )
    return left, terms


def variables_of(terms):
    """Names of the columns that terms and offsets need, sorted."""
    return sorted({name for node in [*terms.used.values(), *terms.offsets] for name in columns_of(node)})


def require_columns(variables, names):
    """Raise an error that names the variables of a formula that a table lacks."""
    lacking = sorted(set(variables) - set(names))
    if lacking:
        more = f" and {len(lacking) - 20:,} more" if len(lacking) > 20 else ""
        close = nearest(lacking[0], names) if len(lacking) == 1 else ""
        listed = ", ".join(map(shortened, lacking[:20]))
        raise ValueError(f"X lacks columns used in the formula: {listed}{more}{close or '.'}")


def response_values(left, variables):
    """Numbers of the left-hand side: a vector, or for ``cbind(a, b)`` a matrix with a column for each argument."""
    columns = []
    for node in response_parts(left):
        target = shortened(written(node))
        try:
            with np.errstate(all="ignore"):
                values = variables.number(node)
        except ValueError as error:
            raise ValueError(f"`formula`: the target {target}: {error}.") from None
        if values.ndim == 0:
            raise ValueError(f"`formula`: the target {target} does not depend on a column.")
        if values.ndim != 1:
            raise ValueError(f"`formula`: the target must be a single column, but {target} has {values.shape[1]}.")
        if not np.isfinite(values).all():
            raise ValueError(f"`formula`: the target {target} produces infinity or NaN.")
        columns.append(values)
    return columns[0] if len(columns) == 1 else np.column_stack(columns)


def proportions(counts):
    """Proportions of successes, and numbers of trials, from columns of successes and failures."""
    if counts.shape[1] != 2:
        raise ValueError(
            f"`formula`: a binomial target of {counts.shape[1]} columns; write cbind(successes, failures)."
        )
    if (counts < 0).any():
        raise ValueError("`formula`: numbers of successes and failures must not be negative.")
    trials = counts.sum(axis=1)
    return counts[:, 0] / np.where(trials > 0, trials, 1.0), trials
