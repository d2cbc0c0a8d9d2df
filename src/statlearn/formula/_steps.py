"""Changes of the terms of a formula: update, terms that may be dropped or added, stepwise choice."""

import numpy as np

from statlearn._core.summary import Table
from statlearn._math.formulas.limits import shortened
from statlearn._math.formulas.parser import parse, parse_sides, written
from statlearn._math.formulas.terms import expand
from statlearn._math.formulas.tree import Binary, Brackets, Call, Constant, Name, Unary, walk


def formula_text(target, terms):
    """A formula from a target and expanded terms."""
    pieces = [":".join(ordered) for ordered in terms.all_ordered()]
    pieces += [f"offset({written(node)})" for node in terms.offsets]
    if not terms.intercept:
        pieces.append("0")
    return f"{target} ~ {' + '.join(pieces) or '1'}"


def updated(formula, change):
    """R's ``update``: "." stands for the old side."""
    try:
        old_left, old_right = parse_sides(formula)
        if "~" not in change:
            change = f". ~ {change}"
        left, right = parse_sides(change)
    except SyntaxError as error:
        raise ValueError(f"`formula`: cannot parse {shortened(change)}: {error.msg}.") from None
    target = written(_replaced(left, old_left)) if left is not None else written(old_left)
    has_dot = any(isinstance(node, Name) and node.name == "." for node in walk(right))
    if not has_dot:
        return f"{target} ~ {written(right)}"
    whole = _replaced(right, Brackets(old_right))
    if any(isinstance(node, Name) and node.name == "." for node in walk(old_right)):
        return f"{target} ~ {written(whole)}"
    return formula_text(target, expand(parse(written(whole))))


def _replaced(node, dot):
    """The tree with "." replaced."""
    if isinstance(node, Name):
        return dot if node.name == "." else node
    if isinstance(node, Constant):
        return node
    if isinstance(node, Brackets):
        return Brackets(_replaced(node.inner, dot))
    if isinstance(node, Unary):
        return Unary(node.sign, _replaced(node.operand, dot))
    if isinstance(node, Binary):
        return Binary(node.sign, _replaced(node.left, dot), _replaced(node.right, dot))
    if isinstance(node, Call):
        return Call(node.function, tuple(_replaced(each, dot) for each in node.arguments), node.named)
    return node


def droppable(terms):
    """Numbers of the terms that no other term contains."""
    return [k for k, term in enumerate(terms.terms) if not any(term < other for other in terms.terms)]


def addable(terms, scope):
    """Terms of the scope that the model lacks and whose parts it has."""
    present = set(terms.terms)
    added = []
    for term in scope.terms:
        parts = [other for other in scope.terms if other < term]
        if term not in present and all(part in present for part in parts):
            added.append(term)
    return added


def stepwise(fit, scope, direction, k, max_steps):
    """Fit after steps that lower the criterion, and the table of the path."""
    lower, upper = _scopes(fit, scope)
    path, current = [("", fit)], fit
    for _ in range(max_steps):
        candidates = []
        if direction in ("both", "backward"):
            for number in droppable(current.terms):
                term = current.terms.terms[number]
                if term not in lower:
                    candidates.append(("- " + _text(current, term), term))
        if direction in ("both", "forward") and upper is not None:
            candidates += [("+ " + ":".join(upper.ordered(term)), term) for term in addable(current.terms, upper)]
        best, least = None, current.core.extract_aic(k)
        for label, _ in candidates:
            other = current.update(f". ~ . {label}")
            _same_rows(fit, other, label)
            if other.core.extract_aic(k) < least - 1e-7:
                best, least = (label, other), other.core.extract_aic(k)
        if best is None:
            break
        path.append(best)
        current = best[1]
    table = Table(
        [label or "start" for label, _ in path],
        {
            "df_residual": np.array([each.core.df_residual for _, each in path], dtype=float),
            "deviance": np.array([each.core.deviance for _, each in path]),
            "AIC": np.array([each.core.extract_aic(k) for _, each in path]),
        },
        caption="Stepwise path",
    )
    return current, table


def _text(fit, term):
    return ":".join(fit.terms.ordered(term))


def _scopes(fit, scope):
    """Terms that stay, and the largest model (None without a scope: only dropping is possible)."""
    if scope is None:
        return set(), None
    if isinstance(scope, str):
        scope = {"upper": scope}
    if not isinstance(scope, dict) or set(scope) - {"lower", "upper"}:
        raise ValueError("`scope` must be a formula, or a dict with formulas 'lower' and 'upper'.")
    expanded = {word: scope_terms(fit, text) for word, text in scope.items()}
    lower = set(expanded["lower"].terms) if "lower" in expanded else set()
    return lower, expanded.get("upper")


def scope_terms(fit, text):
    """The terms of a scope such as ``. + x:z`` or ``~ a * b``."""
    whole = updated(fit.expanded_formula, text if "~" in text else f"~ {text}")
    return expand(parse_sides(whole)[1])


def _same_rows(fit, other, label):
    if other.core.n != fit.core.n:
        raise ValueError(
            f"the number of rows in use has changed from {fit.core.n} to {other.core.n} by {label!r}: remove missing "
            "values first, so that all models see the same rows."
        )
