"""A Prolog: goals are proved by the compiled prover."""

import difflib
import threading

import numpy as np

from statlearn._core import native
from statlearn._core.memory import size_words
from statlearn._core.params import Int, Options, Real, check_arguments
from statlearn._core.warnings import StatlearnWarning, warn

from ._errors import PrologError, SearchBudgetExceeded, UnknownPredicateError
from ._goals import conjunction, goal_term
from ._library import library
from ._parser import body_literals
from ._term_codes import Words
from ._terms import NIL, Atom, Clause, Constant, Literal, Program, Variable

SOLUTION, FAILED, PAUSED, INTERRUPTED, INFERENCES, SECONDS, MEMORY, UNKNOWN, ARITHMETIC, TYPE = range(10)
_NO_LIMIT = 2**62
_PATIENCE = 20_000  # inferences after which answers that wait are handed out
_FIRST_DEPTH = 8


class DepthBoundWarning(StatlearnWarning):
    """Some branches of a proof were cut off at the depth bound, so that answers may be missing."""


class Prolog:
    """A Prolog with a compiled prover.

    Goals are proved by SLD resolution: depth first, clauses in their order, with first-argument indexing (and
    further arguments where these are selective). A proof deeper than `max_depth` counts as a failure, which is
    reported by a warning and by `depth_exceeded`.

    Parameters
    ----------
    program : str, Program or iterable of clauses, default=()
        Facts and rules. ``:- dynamic name/arity`` declares a predicate without clauses.
    max_depth : int, default=100_000
        Largest number of nested calls of a proof.
    max_inferences : int or None, default=None
        Largest number of calls per query; more raise :class:`SearchBudgetExceeded`.
    max_seconds : float or None, default=None
        Longest time per query; more raises :class:`SearchBudgetExceeded`.
    max_memory : int, default=2**30
        Largest memory of the prover in bytes; more raises MemoryError.
    unknown : {"error", "fail"}, default="error"
        What a call of a predicate without clauses does. Under negation it always fails (closed world).
    strategy : {"depth_first", "iterative"}, default="depth_first"
        "iterative" repeats the search with growing depth bounds. It finds an answer if there is one, also below an
        infinite branch, and costs a constant factor.

    Attributes
    ----------
    depth_exceeded : bool
        Whether the last query was cut off somewhere at the depth bound.
    n_inferences : int
        Number of calls of the last query.

    See Also
    --------
    unify : unification with occurs check.
    answer_sets : stable models of normal programs.

    Notes
    -----
    Built in are arithmetic (``is``, ``=:=``, ``<``, ...), comparison (``=``, ``==``, ``@<``, ``compare/3``), type
    tests, ``functor/3``, ``arg/3``, ``=..``, ``copy_term/2``, control (``,``, ``;``, ``->``, ``!``, ``\\+``, ``not``,
    ``call/N``, ``once/1``, ``forall/2``, ``findall/3``, ``aggregate_all/3``) and lists (``member/2``, ``append/3``,
    ``length/2``, ``nth0/3``, ``reverse/2``, ``msort/2``, ``sort/2``, ``between/3``, ``maplist/2..4``, ``foldl/4``
    and others). A program that defines one of the list predicates replaces it. Integers have 61 bits; an overflow
    is an error. Input and output, ``assert/1`` and exceptions are not available. As in Prolog, unification in proofs
    makes no occurs check.

    A negation or condition whose test is cut off at the depth bound is undecided, and fails too.

    Examples
    --------
    >>> from statlearn.logic import Prolog
    >>> family = Prolog('''
    ...     parent(ann, amy).  parent(amy, amelia).  parent(amy, bob).
    ...     grandparent(X, Z) :- parent(X, Y), parent(Y, Z).
    ... ''')
    >>> list(family.query("grandparent(ann, Who)"))
    [{'Who': 'amelia'}, {'Who': 'bob'}]
    >>> family.holds("grandparent(amy, bob)")
    False
    >>> print(family.prove("grandparent(ann, bob)"))
    grandparent(ann, bob)
    ├─ parent(ann, amy)
    └─ parent(amy, bob)
    """

    def __init__(
        self,
        program=(),
        *,
        max_depth=100_000,
        max_inferences=None,
        max_seconds=None,
        max_memory=2**30,
        unknown="error",
        strategy="depth_first",
    ):
        check_arguments(
            "Prolog",
            max_depth=(max_depth, [Int(1, None)]),
            max_inferences=(max_inferences, [Int(1, None), None]),
            max_seconds=(max_seconds, [Real(0, None, closed="neither"), None]),
            max_memory=(max_memory, [Int(2**16, None)]),
            unknown=(unknown, [Options("error", "fail")]),
            strategy=(strategy, [Options("depth_first", "iterative")]),
        )
        self.program = Program(program)
        self.max_depth = int(max_depth)
        self.max_inferences = max_inferences
        self.max_seconds = max_seconds
        self.max_memory = int(max_memory)
        self.unknown = unknown
        self.strategy = strategy
        self.depth_exceeded = False
        self.n_inferences = 0
        self._tables = []
        self._build()

    # Programs ---------------------------------------------------------------------------------------------------------

    def _build(self):
        self._lock = threading.RLock()
        self._native = native.logic.make_program()
        self._words = Words(self._native)
        self._by_predicate = {}
        defined = set(self.program.predicates())
        for indicator, clauses in library().items():
            if indicator not in defined:
                for clause in clauses:
                    self._compile(clause)
        for clause in self.program:
            self._add(clause)
        for predicate, rows in self._tables:
            self._add_rows(predicate, rows)

    def _add(self, clause):
        if clause.head is None:
            self._directive(clause)
            return
        self._by_predicate.setdefault(clause.head.indicator, []).append(clause)
        self._compile(clause)

    def _compile(self, clause):
        code, variables = [], {}
        self._words.encode(clause.head.to_term(), variables, code)
        self._words.encode(conjunction(clause.body), variables, code)
        try:
            self._native.add(np.array(code, dtype=np.int64), len(variables))
        except ValueError as error:
            if "built-in" in str(error):
                raise ValueError(f"{clause.head.indicator} is built in and cannot be defined: {clause}") from None
            raise ValueError(f"{error}: {clause}") from None

    def _directive(self, clause):
        for literal in clause.body:
            if literal.predicate != "dynamic" or literal.negated:
                raise ValueError(f"The only directive is dynamic, got {clause}")
            for each in body_literals(literal.args[0]):
                if each.predicate != "/" or len(each.args) != 2:
                    raise ValueError(f"dynamic needs name/arity, got {clause}")
                name, arity = (a.name for a in each.args)
                self._native.declare(self._words.functor(name, arity))

    def add_facts(self, predicate, rows):
        """Add many facts of one predicate.

        Parameters
        ----------
        predicate : str
        rows : iterable of tuples
            Names, numbers or constants, one tuple per fact.

        Returns
        -------
        self
        """
        rows = [tuple(row) for row in rows]
        with self._lock:
            self._tables.append((predicate, rows))
            self._add_rows(predicate, rows)
        return self

    def _add_rows(self, predicate, rows):
        if not rows:
            return
        arity = len(rows[0])
        if any(len(row) != arity for row in rows):
            raise ValueError(f"The facts of {predicate!r} have different numbers of arguments.")
        codes = np.array([[self._words.constant(value) for value in row] for row in rows], dtype=np.int64)
        self._native.add_facts(self._words.functor(predicate, arity), codes.reshape(len(rows), arity))

    def __getstate__(self):
        hidden = ("_lock", "_native", "_words", "_by_predicate")
        return {name: value for name, value in self.__dict__.items() if name not in hidden}

    def __setstate__(self, state):
        self.__dict__.update(state)
        self._build()

    def __repr__(self):
        return f"Prolog with {len(self.program) + sum(len(rows) for _, rows in self._tables)} clauses"

    # Queries ----------------------------------------------------------------------------------------------------------

    def query(self, goal, limit=None):
        """The answers of a goal, one by one.

        Parameters
        ----------
        goal : str, Atom, Literal, Clause or list of literals
            For example ``"parent(ann, X), not rich(X)"``.
        limit : int or None, default=None
            Largest number of answers.

        Yields
        ------
        dict of str to value
            The values of the goal's variables: text, numbers, Python lists, or terms. Variables whose names begin
            with an underscore are left out.

        Raises
        ------
        UnknownPredicateError, PrologError, SearchBudgetExceeded
        """
        for answer in self.answers(goal, limit):
            yield {name: term.value for name, term in answer.items()}

    def answers(self, goal, limit=None):
        """As :meth:`query`, with terms as values."""
        if self.strategy == "iterative":
            yield from self._deepening(goal, limit)
            return
        for answer, _ in self._search(goal, limit, self.max_depth):
            yield answer

    def _deepening(self, goal, limit):
        before, bound, n_found = 0, min(_FIRST_DEPTH, self.max_depth), 0
        while True:
            last = bound >= self.max_depth
            for answer, depth in self._search(goal, None, bound, quiet=not last):
                if depth > before:
                    yield answer
                    n_found += 1
                    if limit is not None and n_found >= limit:
                        return
            if last or not self.depth_exceeded:
                return
            before, bound = bound, min(4 * bound, self.max_depth)

    def _start(self, goal, depth, trace=False):
        goal = goal_term(goal)
        code, variables = [], {}
        self._words.encode(goal, variables, code)
        try:
            query = native.logic.make_query(
                self._native,
                np.array(code, dtype=np.int64),
                len(variables),
                depth,
                _NO_LIMIT if self.max_inferences is None else int(self.max_inferences),
                1e18 if self.max_seconds is None else float(self.max_seconds),
                self.max_memory,
                self.unknown == "fail",
                trace,
            )
        except ValueError as error:
            raise ValueError(f"{error}: {goal}") from None
        return query, variables

    def _search(self, goal, limit, depth, quiet=False):
        with self._lock:
            query, variables = self._start(goal, depth)
        names = [(k, name) for k, name in enumerate(variables) if not name.startswith("_")]
        size, n_found = 1, 0
        self.depth_exceeded = False
        while limit is None or n_found < limit:
            with self._lock:
                outcome, words, depths = _next(query, size if limit is None else min(size, limit - n_found))
                code, at = words.tolist(), 0
                answers = []
                for depth_of_proof in depths.tolist():
                    terms, at = self._words.decode(code, at, len(variables))
                    answers.append(({name: terms[k] for k, name in names}, depth_of_proof))
                self.n_inferences = query.inferences
                self.depth_exceeded = query.depth_hit
            for each in answers:
                n_found += 1
                yield each
            if outcome not in (SOLUTION, PAUSED):
                self._finish(query, outcome, quiet)
                return
            size = min(2 * size, 1024)

    def _finish(self, query, outcome, quiet=False):
        """Raise the error of an outcome, or warn if the failure is due to the depth bound."""
        if outcome == FAILED:
            if query.depth_hit and not quiet:
                warn(
                    f"Branches of the proof deeper than max_depth={self.max_depth} were cut off, so answers may be "
                    "missing. Raise max_depth, or look for left recursion: put the recursive goal last.",
                    DepthBoundWarning,
                )
            return
        if outcome == INFERENCES:
            raise SearchBudgetExceeded(
                f"The proof took more than max_inferences={self.max_inferences} inferences; raise max_inferences or "
                "bound the recursion.",
                n_nodes=query.inferences,
            )
        if outcome == SECONDS:
            raise SearchBudgetExceeded(
                f"The proof took more than max_seconds={self.max_seconds}; raise max_seconds or bound the recursion.",
                n_nodes=query.inferences,
            )
        if outcome == MEMORY:
            raise MemoryError(
                f"The proof needs more than max_memory, {size_words(self.max_memory)}. Raise max_memory, or lower "
                "max_depth if the recursion does not end."
            )
        if outcome == INTERRUPTED:
            raise KeyboardInterrupt
        if outcome == UNKNOWN:
            raise UnknownPredicateError(self._unknown_words(query.message))
        kind = "Arithmetic error" if outcome == ARITHMETIC else "Type error"
        raise PrologError(f"{kind}: {query.message}.")

    def _similar(self, indicator):
        """A defined predicate with the same or a similar name; None if there is none."""
        name = indicator.rpartition("/")[0]
        known = [*self._by_predicate, *(f"{p}/{len(rows[0])}" for p, rows in self._tables if rows)]
        known += [each for each in library() if not each.startswith("$")]
        other = [each for each in known if each.rpartition("/")[0] == name]
        close = other or difflib.get_close_matches(indicator, known, n=1, cutoff=0.7)
        return close[0] if close else None

    def _unknown_words(self, indicator):
        close = self._similar(indicator)
        hint = f" Did you mean {close}?" if close else " Define it, declare it with :- dynamic, or use unknown='fail'."
        return f"Unknown predicate {indicator}.{hint}"

    def _defines(self, name, arity):
        """Whether a predicate is built in, declared or has clauses."""
        return self._native.defines(self._words.functor(name, arity))

    def holds(self, goal):
        """Whether the goal has a proof.

        Parameters
        ----------
        goal : str, Atom, Literal, Clause or list of literals

        Returns
        -------
        bool
        """
        if self.strategy == "iterative":
            return next(iter(self.answers(goal, 1)), None) is not None
        return self.count(goal, 1) > 0  # without making the answer, which may be large, or cyclic

    def first(self, goal):
        """The first answer of a goal as a dict, or None."""
        return next(iter(self.query(goal, 1)), None)

    def count(self, goal, limit=None):
        """Number of answers of a goal, counted without making them.

        Parameters
        ----------
        goal : str, Atom, Literal, Clause or list of literals
        limit : int or None, default=None
            Stop counting here.

        Returns
        -------
        int
        """
        with self._lock:
            query, _ = self._start(goal, self.max_depth)
            outcome, n = query.count(_NO_LIMIT if limit is None else int(limit))
            self.n_inferences = query.inferences
            self.depth_exceeded = query.depth_hit
        if outcome != SOLUTION:
            self._finish(query, outcome)
        return n

    def prove(self, goal):
        """The first proof of a goal.

        Parameters
        ----------
        goal : str, Atom, Literal, Clause or list of literals

        Returns
        -------
        Proof or None
            A tree that prints itself; None if there is no proof.
        """
        from ._proof import proof_tree

        with self._lock:
            query, variables = self._start(goal, self.max_depth, trace=True)
            outcome, words, _ = _next(query, 1)
            self.n_inferences = query.inferences
            self.depth_exceeded = query.depth_hit
            if outcome != SOLUTION:
                self._finish(query, outcome)
                return None
            terms, _ = self._words.decode(words.tolist(), 0, len(variables))
            code, at, steps = query.proof().tolist(), 0, []
            while at < len(code):
                (name, arity), clause, depth = self._words.signature(code[at]), code[at + 1], code[at + 2]
                args, at = self._words.decode(code, at + 3, arity)
                steps.append((Atom(name, args), clause, depth))
        values = dict(zip(variables, terms))
        return proof_tree(goal_term(goal), values, steps, self._by_predicate)

    # Coverage ---------------------------------------------------------------------------------------------------------

    def encode_examples(self, examples):
        """Arguments of ground atoms of one predicate as an array of words, for :meth:`covers`."""
        atoms = [Atom.of(each) for each in examples]
        arity = atoms[0].arity if atoms else 0
        if any(each.indicator != atoms[0].indicator for each in atoms):
            raise ValueError("The examples must have the same predicate and number of arguments.")
        if all(isinstance(arg, Constant) for each in atoms for arg in each.args):
            with self._lock:
                words = [[self._words.constant(arg) for arg in each.args] for each in atoms]
            return np.array(words, dtype=np.int64).reshape(len(atoms), arity)
        return None

    def covers(self, clause, examples, *, mask=None, max_inferences=None):
        """Which examples a clause proves, given the program.

        Parameters
        ----------
        clause : Clause or str
            Its body is proved with the head's variables bound to an example's arguments.
        examples : sequence of Atom or str, or array of words
            Ground atoms of the head's predicate, or what :meth:`encode_examples` made of them.
        mask : array of bool or None, default=None
            Examples to try; the others count as not covered.
        max_inferences : int or None, default=None
            Largest number of inferences per example; an example that needs more counts as not covered.

        Returns
        -------
        ndarray of bool of shape (n_examples,)
        """
        clause = Clause.of(clause)
        words = examples if isinstance(examples, np.ndarray) else self.encode_examples(examples)
        if words is None:
            return self._cover_one_by_one(clause, examples, mask)
        n = len(words)
        arity = clause.head.arity
        if words.shape[1] != arity and n:
            raise ValueError(f"{clause.head.indicator} has {arity} arguments, but the examples have {words.shape[1]}.")
        # Head arguments become the first variables of the goal; other arguments of the head become equations.
        variables, equations = {}, []
        for k, arg in enumerate(clause.head.args):
            if isinstance(arg, Variable) and arg.name not in variables:
                variables[arg.name] = k
            else:
                variables[f"_Argument{k}"] = k
                equations.append(Literal(Atom("=", (Variable(f"_Argument{k}"), arg))))
        code = []
        with self._lock:
            self._words.encode(conjunction((*equations, *clause.body)), variables, code)
            covered = np.zeros(n, np.uint8)
            active = np.ones(n, np.uint8) if mask is None else np.ascontiguousarray(mask, dtype=np.uint8)
            limit = max_inferences or self.max_inferences
            outcome, deep, long, message = native.logic.cover(
                self._native,
                np.array(code, dtype=np.int64),
                len(variables),
                words.reshape(n, arity),
                active,
                self.max_depth,
                _NO_LIMIT if limit is None else int(limit),
                self.unknown == "fail",
                covered,
            )
        self.depth_exceeded = deep > 0
        self.n_exceeded = int(deep + long)
        if outcome not in (SOLUTION, FAILED):
            self._finish(_Failure(message), outcome)
        return covered.astype(bool)

    def _cover_one_by_one(self, clause, examples, mask):
        covered = np.zeros(len(examples), bool)
        for k, example in enumerate(examples):
            if mask is None or mask[k]:
                atom = Atom.of(example)
                goal = [Literal(Atom("=", pair)) for pair in zip(clause.head.args, atom.args)]
                covered[k] = self.holds([*goal, *clause.body])
        return covered


def _next(query, n):
    """Up to n further answers."""
    try:
        return query.next(n, _PATIENCE)
    except MemoryError:
        raise MemoryError(
            "An answer is larger than max_memory. It may be a cyclic term such as X = f(X), which unification without "
            "occurs check makes; use unify_with_occurs_check/2."
        ) from None


class _Failure:
    """Data of a query that `Prolog._finish` reads."""

    inferences = 0
    depth_hit = False

    def __init__(self, message):
        self.message = message


__all__ = ["NIL", "DepthBoundWarning", "Prolog"]
