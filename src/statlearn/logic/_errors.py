"""Errors of the logic family."""


class PrologSyntaxError(ValueError):
    """Syntax error in the text of a program, with its position.

    Parameters
    ----------
    message : str
        What was found and what was expected.
    line : int
        Line of the error, from 1.
    column : int
        Column of the error, from 1.
    text : str, default=""
        The line itself.

    Examples
    --------
    >>> from statlearn.logic import PrologSyntaxError, parse
    >>> try:
    ...     parse("p(a).\\nq(b")
    ... except PrologSyntaxError as error:
    ...     print(error.line, error.column)
    2 4
    """

    def __init__(self, message, line, column, text=""):
        self.line, self.column, self.text = line, column, text
        pointer = f"\n  {text}\n  {' ' * (column - 1)}^" if text else ""
        super().__init__(f"line {line}, column {column}: {message}{pointer}")
        self.message = message

    def __reduce__(self):
        return type(self), (self.message, self.line, self.column, self.text)


class PrologError(RuntimeError):
    """A goal that cannot be proved or refuted: an unbound variable in arithmetic, a wrong type.

    Parameters
    ----------
    message : str
        What went wrong.

    Examples
    --------
    >>> from statlearn.logic import Prolog, PrologError
    >>> try:
    ...     Prolog("p(X) :- X > 0.").holds("p(Y)")
    ... except PrologError as error:
    ...     print(error)
    Arithmetic error: an unbound variable in an arithmetic expression.
    """

    def __init__(self, message):
        super().__init__(message)


class UnknownPredicateError(PrologError):
    """A goal calls a predicate that has no clauses.

    Parameters
    ----------
    message : str
        Names the predicate, and similar ones that exist.

    Examples
    --------
    >>> from statlearn.logic import Prolog, UnknownPredicateError
    >>> try:
    ...     Prolog("parent(ann, amy).").holds("parents(ann, amy)")
    ... except UnknownPredicateError as error:
    ...     print(error)
    Unknown predicate parents/2. Did you mean parent/2?
    """


class SearchBudgetExceeded(RuntimeError):
    """A search used up its nodes, inferences or seconds.

    Parameters
    ----------
    message : str
        The budget and how to raise it.
    best : Program or None, default=None
        The best program found before the budget ran out.
    n_nodes : int or None, default=None
        Number of nodes visited.

    Examples
    --------
    >>> from statlearn.logic import Prolog, SearchBudgetExceeded
    >>> loop = Prolog("p(N) :- M is N + 1, p(M).", max_inferences=1000, max_depth=10**6)
    >>> try:
    ...     loop.holds("p(0)")
    ... except SearchBudgetExceeded as error:
    ...     print(error)
    The proof took more than max_inferences=1000 inferences; raise max_inferences or bound the recursion.
    """

    def __init__(self, message, best=None, n_nodes=None):
        super().__init__(message)
        self.best = best
        self.n_nodes = n_nodes

    def __reduce__(self):
        return type(self), (str(self), self.best, self.n_nodes)
