"""Expansion of the right-hand side of a formula into a list of terms, and the coding of its factors."""

from dataclasses import dataclass

from .limits import MAX_OPERATIONS, MAX_ORDER, MAX_POWER, MAX_PRODUCTS, MAX_TERMS, over, shortened
from .parser import parse, written
from .tree import Binary, Call, Constant, Name, Unary, bare, left_operands, walk


@dataclass
class Terms:
    """Right-hand side of a formula with all terms expanded.

    Attributes
    ----------
    intercept : bool
    variables : dict of str to Node
        Columns and functions of columns in the terms by their text, in the order of the formula.
    terms : list of frozenset of str
        Variables of each term in R's order: main effects first, then products of two, and so on.
    offsets : list of Node
        The arguments of ``offset(...)``.
    """

    intercept: bool
    variables: dict
    terms: list
    offsets: list

    def ordered(self, term):
        """The variables of a term in the order of the formula."""
        return next(self.all_ordered([term]))

    def all_ordered(self, terms=None):
        """The variables of every term, in the order of the formula."""
        place = {key: k for k, key in enumerate(self.variables)}
        return (sorted(term, key=place.__getitem__) for term in (self.terms if terms is None else terms))

    @property
    def used(self):
        """The variables that a term contains, in the order of the formula."""
        keys = set().union(*self.terms)
        return {key: node for key, node in self.variables.items() if key in keys}

    def text(self):
        """An equivalent formula with every term written out."""
        pieces = ["1" if self.intercept else "0"]
        pieces += map(":".join, self.all_ordered())
        pieces += [f"offset({written(node)})" for node in self.offsets]
        return " + ".join(pieces)


def expand(node, columns=(), *, variables=()):
    """Expand the right-hand side of a formula by R's rules.

    Parameters
    ----------
    node : Node
    columns : sequence of str, default=()
        Columns that "." stands for.
    variables : sequence of str, default=()
        Texts of variables whose order is given; others follow in the order of the formula.

    Returns
    -------
    Terms

    Examples
    --------
    >>> from statlearn._math.formulas.parser import parse
    >>> from statlearn._math.formulas.terms import expand
    >>> expand(parse("(a + b)^2 + c %in% a - 1")).text()
    '0 + a + b + a:b + a:c'
    """
    algebra = _Algebra(columns, variables)
    terms = sorted(algebra.terms(node), key=len)
    return Terms(algebra.intercept, algebra.variables, terms, algebra.offsets)


class _Algebra:
    """The operators of formulas on sets of terms, which are dicts because order matters; a term is a set of variables.

    Every set that a method returns is the caller's own, to be changed in place.
    """

    def __init__(self, columns, variables):
        self.columns = columns
        self.intercept = True
        self.variables = {text: parse(text) for text in variables}
        self.offsets = []
        self.products = 0

    def terms(self, node):
        node = bare(node)
        if isinstance(node, Constant):
            return self._constant(node, adds=True)
        if isinstance(node, Name) and node.name == ".":
            self._count(len(self.columns))
            return self._limited(dict.fromkeys(self._variable(Name(name)) for name in self.columns))
        if isinstance(node, Name):
            return dict.fromkeys([self._variable(node)])
        if isinstance(node, Call):
            if node.function != "offset":
                return dict.fromkeys([self._variable(node)])
            if len(node.arguments) != 1 or node.named:
                raise ValueError(f"{shortened(written(node))} requires exactly one argument")
            limit_operations(node)
            self.offsets.append(node.arguments[0])
            return {}
        if isinstance(node, Unary) and node.sign in "+-":
            return self.terms(node.operand) if node.sign == "+" else self._without({}, node.operand)
        if isinstance(node, Binary):
            first, chain = left_operands(node)
            terms = self.terms(first)
            for step in chain:
                terms = self._limited(self._combined(step, terms))
            return terms
        raise ValueError(
            f"{shortened(node.source)} is not a term; put arithmetic and comparisons of columns inside I(...)"
        )

    def _combined(self, node, left):
        """The terms of a binary node, from those of its left operand."""
        if node.sign == "-":
            return self._without(left, node.right)
        if node.sign == "^":
            return self._power(node, left)
        if node.sign in ("|", "||"):
            raise ValueError(f"{shortened(f'({node.source})')} is a random effect, which only mixed models have")
        if node.sign not in ("+", "*", ":", "/", "%in%"):
            raise ValueError(
                f"the operator {shortened(node.sign)} in {shortened(node.source)} is only allowed inside I(...)"
            )
        right = self.terms(node.right)
        if node.sign == "+":
            self._count(len(right))
            left.update(right)
            return left
        if node.sign == ":":
            return self._crossed(left, right)
        if node.sign == "*":
            return {**left, **right, **self._crossed(left, right)}
        if node.sign == "%in%":
            return self._crossed(left, [frozenset().union(*right)])
        return {**left, **self._crossed([frozenset().union(*left)], right)}

    def _power(self, node, base):
        power = bare(node.right)
        if not isinstance(power, Constant) or type(power.value) is not int or power.value < 1:
            raise ValueError(
                f"{shortened(node.source)}: the power of terms must be a positive integer; use I(...) for powers of "
                "columns"
            )
        if power.value > MAX_POWER:
            raise ValueError(
                f"{shortened(node.source)}: the power exceeds {over('MAX_POWER')}; use I(...) for powers of columns"
            )
        terms = dict(base)
        for _ in range(power.value - 1):
            before = len(terms)
            terms.update(self._crossed(terms, base))
            if len(self._limited(terms)) == before:  # all products are there
                break
        return terms

    def _crossed(self, left, right):
        self._count(len(left) * len(right))
        terms = {}
        for a in left:
            for b in right:
                term = a | b
                if len(term) > MAX_ORDER:
                    raise ValueError(f"the number of variables in one term exceeds {over('MAX_ORDER')}")
                terms[term] = None
            self._limited(terms)
        return terms

    def _count(self, products):
        self.products += products
        if self.products > MAX_PRODUCTS:
            raise ValueError(f"the number of products of terms exceeds {over('MAX_PRODUCTS')}")

    def _limited(self, terms):
        if len(terms) > MAX_TERMS:
            raise ValueError(f"the number of terms exceeds {over('MAX_TERMS')}")
        return terms

    def _constant(self, node, *, adds):
        if node.value not in (0, 1) or type(node.value) is not int:
            raise ValueError(f"{shortened(node.source)} is not a term; use 1 or 0 to include or remove the intercept")
        self.intercept = bool(node.value) == adds
        return {}

    def _without(self, terms, node):
        if isinstance(bare(node), Constant):
            self._constant(bare(node), adds=False)
            return terms
        intercept, n_offsets = self.intercept, len(self.offsets)
        dropped = self.terms(node)
        self.intercept = intercept
        del self.offsets[n_offsets:]
        for term in dropped:
            terms.pop(term, None)
        return terms

    def _variable(self, node):
        if isinstance(node, Call):
            limit_operations(node)
        text = written(node)
        self.variables.setdefault(text, node)
        return frozenset([text])


def limit_operations(node):
    """Raise an error for a variable with more than `MAX_OPERATIONS` operators and calls."""
    count = sum(isinstance(each, (Call, Unary, Binary)) for each in walk(node))
    if count > MAX_OPERATIONS:
        raise ValueError(
            f"{shortened(node.source)} contains {count:,} operators and calls, which exceeds {over('MAX_OPERATIONS')}"
        )


def codings(terms, factors):
    """For every term, the factors coded by all their levels; the others are coded by contrasts.

    R's rule (Chambers and Hastie 1992, page 38): a factor is coded by contrasts if an earlier term contains the rest of
    its term, and by all levels otherwise. Without an intercept the first factor of the formula has all levels.

    Parameters
    ----------
    terms : Terms
    factors : set of str
        Variables that have levels.

    Returns
    -------
    list of set of str
    """
    full, containing = [], {}  # earlier terms that contain a variable
    for term in terms.terms:
        rests = {key: term - {key} for key in term & factors}
        full.append({key for key, rest in rests.items() if rest and not _is_contained(rest, containing)})
        for key in term:
            containing.setdefault(key, []).append(term)
    if not terms.intercept:
        for k, ordered in enumerate(terms.all_ordered()):
            first = next((key for key in ordered if key in factors), None)
            if first is not None:
                full[k].add(first)
                break
    return full


def _is_contained(rest, containing):
    """Whether one of the earlier terms, each given by its variables, contains all variables in `rest`."""
    return any(rest <= term for term in min((containing.get(key, ()) for key in rest), key=len))
