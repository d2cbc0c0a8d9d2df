"""The steps of Metagol's search, written down by an interpreter in Python that searches in the same order."""

import itertools

from ._terms import Atom, Compound, Constant, Variable, make_list
from ._unify import apply, unify_all, walk

MAX_STEPS = 10_000
_MAX_GOALS = 300_000


class _Stop(Exception):
    """The trace is long enough."""


class TracedSearch:
    """Metagol's interpreter (see `_metagol`) over substitutions of variables, with a row for each step.

    Parameters
    ----------
    prover : Prolog
        The background.
    signature : list of (str, int)
        Background predicates, in the order in which they are tried.
    rules : list of MetaRule
    targets : list of (str, int)
    max_depth : int
    """

    def __init__(self, prover, signature, rules, targets, max_depth):
        self.prover, self.signature, self.rules, self.targets = prover, signature, rules, targets
        self.max_depth = max_depth
        self.rows, self._fresh, self._goals = [], itertools.count(1), 0
        self._answers = {}

    def run(self, positives, negatives, n, invented):
        """The abduced clauses of the first solution with up to n of them, or None. `invented` are (name, arity)."""
        self.n, self.invented, self.invention = n, set(invented), list(dict.fromkeys(name for name, _ in invented))
        goals = [self._goal(atom) for atom in positives]
        for bindings, subs in self._examples(goals, positives, {}, ()):
            if self._twice(subs, bindings):
                continue
            wrong = next((a for a in negatives if self._entailed(self._goal(a), bindings, subs)), None)
            if wrong is None:
                return [self._text(sub, bindings) for sub in subs]
            self._row(wrong, None, 0, None, f"negative {wrong!r} is entailed: take back the last choice")
        return None

    @staticmethod
    def _goal(atom):
        return (Constant(atom.predicate), tuple(atom.args))

    def _entailed(self, goal, bindings, subs):
        saved, self.n, self.silent = self.n, 0, True
        try:
            return next(self._prove(None, goal, bindings, subs, (), self.max_depth), None) is not None
        finally:
            self.n, self.silent = saved, False

    silent = False

    def _examples(self, goals, atoms, bindings, subs):
        if not goals:
            yield bindings, subs
            return
        for after, grown in self._prove(atoms[0], goals[0], bindings, subs, (), self.max_depth):
            yield from self._examples(goals[1:], atoms[1:], after, grown)

    def _body(self, example, goals, bindings, subs, above, depth):
        if not goals:
            yield bindings, subs
            return
        for after, grown in self._prove(example, goals[0], bindings, subs, above, depth):
            yield from self._body(example, goals[1:], after, grown, above, depth)

    def _prove(self, example, goal, bindings, subs, above, depth):
        self._goals += 1
        if self._goals > _MAX_GOALS:
            raise _Stop
        predicate, args = goal
        for name, arity in self.signature:
            if arity == len(args):
                known = unify_all([(predicate, Constant(name))], bindings)
                if known is not None:
                    for after in self._facts(name, args, known):
                        yield after, subs
        if depth <= 0:
            return
        shown = self._shape(goal, bindings)
        if not self._twice(subs, bindings):
            for rule, symbols in subs:
                head, body = self._instance(rule, symbols)
                after = unify_all([(predicate, symbols[0]), *self._pairs(head, args)], bindings)
                if after is None or not self._has_arity(symbols[0], len(args), after):
                    continue
                if self._shape(goal, after) not in above:
                    yield from self._body(example, body, after, subs, (*above, self._shape(goal, after)), depth - 1)
        if len(subs) < self.n:
            yield from self._abduce(example, goal, bindings, subs, above, depth, shown)

    def _abduce(self, example, goal, bindings, subs, above, depth, shown):
        predicate, args = goal
        for name in self._symbols(predicate, len(args), bindings, subs):
            for rule in self.rules:
                symbols = [Constant(name), *(Variable(f"{s}_{next(self._fresh)}") for s in rule.symbols[1:])]
                head, body = self._instance(rule, symbols)
                after = unify_all([(predicate, Constant(name)), *self._pairs(head, args)], bindings)
                if after is None or len(head) != len(args) or self._shape(goal, after) in above:
                    continue
                sub = (rule, tuple(symbols))
                row = self._row(example, goal, len(above), self._text(sub, after), "stored", bindings, rule.name)
                path, proved = (*above, self._shape(goal, after)), False
                for last, grown in self._body(example, body, after, (*subs, sub), path, depth - 1):
                    proved = True
                    self._row(example, goal, len(above), self._text(sub, last), "proved", last, rule.name)
                    yield last, grown
                if not proved and row is not None:
                    row["outcome"] = "failed"

    def _symbols(self, predicate, arity, bindings, subs):
        """Names that a new clause for a goal may define: a target, or the next invented predicate."""
        named = walk(predicate, bindings)
        if type(named) is Constant:
            target = any(name == named.name for name, _ in self.targets)
            ready = target or (named.name in self.invention and self._allowed(named.name, bindings, subs))
            return [named.name] if ready and self._has_arity(named, arity, bindings) else []
        names = [name for name, k in self.targets if k == arity]
        return names + [m for m in self.invention if (m, arity) in self.invented and self._allowed(m, bindings, subs)]

    def _allowed(self, name, bindings, subs):
        place = self.invention.index(name)
        if place == 0:
            return True
        before = Constant(self.invention[place - 1])
        return any(walk(symbols[0], bindings) == before for _, symbols in subs)

    def _has_arity(self, symbol, arity, bindings):
        name = walk(symbol, bindings).name
        first = next((k for target, k in self.targets if target == name), None)
        if first is not None:
            return first == arity
        return (name, arity) in self.invented

    def _facts(self, name, args, bindings):
        """Bindings under which the background proves an atom."""
        resolved = tuple(apply(arg, bindings) for arg in args)
        names = {}
        key = (name, tuple(_renamed(arg, names) for arg in resolved))
        if key not in self._answers:
            self._answers[key] = list(self.prover.answers(Atom(name, key[1])))
        variables = {Variable(new): old for old, new in names.items()}
        for answer in self._answers[key]:
            pairs = [(old, answer[new.name]) for new, old in variables.items() if new.name in answer]
            after = unify_all(pairs, bindings)
            if after is not None:
                yield after

    def _instance(self, rule, symbols):
        """Arguments of the head, and goals of the body, of a metarule with new variables."""
        values = dict(zip(rule.symbols, symbols))
        fresh = {}

        def term(word):
            if word in values:
                return values[word]
            if not (word[0].isupper() or word[0] == "_"):
                return Constant(word)
            return fresh.setdefault(word, Variable(f"{word}_{next(self._fresh)}"))

        body = [(term(lit[0]), tuple(term(w) for w in lit[1:])) for lit in rule.body]
        return tuple(term(w) for w in rule.head[1:]), body

    @staticmethod
    def _pairs(head, args):
        return list(zip(head, args)) if len(head) == len(args) else [(Constant("a"), Constant("b"))]

    def _twice(self, subs, bindings):
        shown = [(rule.name, tuple(apply(s, bindings) for s in symbols)) for rule, symbols in subs]
        ground = [each for each in shown if all(type(s) is Constant for s in each[1])]
        return len(set(ground)) < len(ground)

    def _shape(self, goal, bindings):
        """Pattern of a goal, ignoring the names of its variables."""
        names = {}
        return tuple(_renamed(apply(term, bindings), names) for term in (goal[0], *goal[1]))

    def _text(self, sub, bindings):
        """``sub(chain, [grandparent, mother, R])``; variables have the names of the metarule."""
        rule, symbols = sub
        values = [walk(s, bindings) for s in symbols]
        words = [v.name if type(v) is Constant else w for v, w in zip(values, rule.symbols)]
        return repr(Compound("sub", (Constant(rule.name), make_list([_word(w) for w in words]))))

    def _row(self, example, goal, level, stored, outcome, bindings=None, metarule=None):
        if self.silent:
            return None
        if len(self.rows) >= MAX_STEPS:
            raise _Stop
        row = {
            "n_clauses": self.n,
            "example": repr(example),
            "level": level,
            "goal": None if goal is None else self._goal_text(goal, bindings),
            "metarule": metarule,
            "substitution": stored,
            "outcome": outcome,
        }
        self.rows.append(row)
        return row

    def _goal_text(self, goal, bindings):
        names = {}
        args = ", ".join(repr(_lettered(apply(arg, bindings), names)) for arg in goal[1])
        predicate = walk(goal[0], bindings)
        return f"{predicate.name if type(predicate) is Constant else predicate.name.split('_')[0]}({args})"


def _word(text):
    return Variable(text) if text[0].isupper() or text[0] == "_" else Constant(text)


def _renamed(term, names):
    """The term with its variables numbered in order of appearance."""
    if type(term) is Variable:
        return Variable(names.setdefault(term, f"V{len(names)}"))
    if type(term) is Compound:
        return Compound(term.functor, tuple(_renamed(arg, names) for arg in term.args))
    return term


def _lettered(term, names):
    """The term with the variable names of the metarule, without the numbers that make them unique."""
    if type(term) is Variable:
        return Variable(names.setdefault(term, term.name.split("_")[0] or "_"))
    if type(term) is Compound:
        return Compound(term.functor, tuple(_lettered(arg, names) for arg in term.args))
    return term


def trace(search, tasks):
    """Rows of the searches with a growing number of clauses, up to the first solution; whether they are complete.

    `tasks` yields the arguments of `TracedSearch.run`.
    """
    try:
        for task in tasks:
            if search.run(*task) is not None:
                break
    except (_Stop, RecursionError):
        return search.rows, False
    return search.rows, True


def format_trace(rows, complete):
    """A trace as text: a heading for each number of clauses, a line for each example, indented steps."""
    lines, seen = [], (None, None)
    for row in rows:
        if row["n_clauses"] != seen[0]:
            lines.append(f"up to {row['n_clauses']} clause{'s' if row['n_clauses'] > 1 else ''}")
        if (row["n_clauses"], row["example"]) != seen and row["goal"] is not None:
            lines.append(f"  {row['example']}")
        seen = (row["n_clauses"], row["example"])
        indent = "  " * (row["level"] + 2)
        if row["goal"] is None:
            lines.append(f"  {row['outcome']}")
        else:
            lines.append(f"{indent}{row['goal']}: {row['substitution']} {row['outcome']}")
    if not complete:
        lines.append(f"... (the first {len(rows):,} steps)")
    return "\n".join(lines)
