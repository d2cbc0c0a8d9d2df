"""A Prolog as one writes it in an afternoon: terms as tuples, bindings in a dictionary, clauses renamed at each call.

The yardstick for what a compiled prover is worth. It knows what the benchmark programs need: cut, negation as failure,
`is` and `<`. Clauses are indexed by predicate and by their first argument if that is a constant.
"""

import operator

_OPERATIONS = {"+": operator.add, "-": operator.sub}


class Variable:
    __slots__ = ()


def _read(term, names):
    """statlearn's term as tuples: (functor, arguments...); constants as they are."""
    kind = type(term).__name__
    if kind == "Variable":
        return names.setdefault(term.name, Variable())
    if kind == "Constant":
        return term.name
    return (term.functor, *(_read(arg, names) for arg in term.args))


class Plain:
    """The interpreter; `clauses` are statlearn's, for their parser."""

    def __init__(self, clauses, facts=()):
        self.by_predicate, self.by_first = {}, {}
        for clause in clauses:
            names = {}
            head = _read(clause.head.to_term(), names)
            body = [_read(each.atom.to_term(), names) for each in clause.body]
            body = [("\\+", goal) if each.negated else goal for each, goal in zip(clause.body, body)]
            self._add(head, body, list(names.values()))
        for fact in facts:
            self._add(fact, [], [])

    def _add(self, head, body, variables):
        clause = head, body, variables
        key = (head[0], len(head)) if type(head) is tuple else (head, 1)
        self.by_predicate.setdefault(key, []).append(clause)
        if len(variables) == 0 and type(head) is tuple:
            self.by_first.setdefault((*key, head[1]), []).append(clause)
        else:
            self.by_first[key] = None  # some clause has variables: no index

    def count(self, goal):
        """Number of answers."""
        names = {}
        return sum(1 for _ in self._solve(_read(goal, names)))

    def _walk(self, term):
        while type(term) is Variable and term in self.bindings:
            term = self.bindings[term]
        return term

    def _unify(self, a, b):
        a, b = self._walk(a), self._walk(b)
        if a is b:
            return True
        if type(a) is Variable:
            self.bindings[a] = b
            self.trail.append(a)
            return True
        if type(b) is Variable:
            self.bindings[b] = a
            self.trail.append(b)
            return True
        if type(a) is not tuple or type(b) is not tuple:
            return a == b
        return len(a) == len(b) and a[0] == b[0] and all(map(self._unify, a[1:], b[1:]))

    def _undo(self, mark):
        while len(self.trail) > mark:
            del self.bindings[self.trail.pop()]

    def _value(self, term):
        term = self._walk(term)
        return term if type(term) is not tuple else _OPERATIONS[term[0]](*map(self._value, term[1:]))

    def _candidates(self, goal):
        if type(goal) is not tuple:
            return self.by_predicate[goal, 1]
        key = goal[0], len(goal)
        first = self._walk(goal[1])
        if key not in self.by_first and type(first) is str:
            return self.by_first.get((*key, first), ())
        return self.by_predicate[key]

    def _solve(self, goal):
        self.bindings, self.trail = {}, []
        goals = (goal, 0, None)  # a linked list: goal, height of the choices at its clause, rest
        choices = []
        while True:
            if goals is None:
                yield True
                goals = self._retry(choices)
            else:
                goals = self._step(goals, choices)
                if goals is False:
                    goals = self._retry(choices)
            if goals is False:
                return

    def _step(self, goals, choices):
        goal, height, rest = goals
        goal = self._walk(goal)
        name = goal[0] if type(goal) is tuple else goal
        if name == ",":
            return goal[1], height, (goal[2], height, rest)
        if name == "!":
            del choices[height:]
            return rest
        if name == "is":
            return rest if self._unify(goal[1], self._value(goal[2])) else False
        if name == "<":
            return rest if self._value(goal[1]) < self._value(goal[2]) else False
        if name == "\\+":
            inner, mark = [], len(self.trail)
            found = (goal[1], 0, None)
            while found:
                found = self._step(found, inner)
                if found is False:
                    found = self._retry(inner)
            self._undo(mark)
            return rest if found is False else False
        return self._call(iter(self._candidates(goal)), goal, rest, choices)

    def _call(self, clauses, goal, rest, choices):
        mark, height = len(self.trail), len(choices)
        for head, body, variables in clauses:
            fresh = {variable: Variable() for variable in variables}
            if self._unify(goal, _renamed(head, fresh)):
                choices.append((clauses, goal, rest, mark))
                for each in reversed(body):
                    rest = (_renamed(each, fresh), height, rest)
                return rest
            self._undo(mark)
        return False

    def _retry(self, choices):
        while choices:
            clauses, goal, rest, mark = choices.pop()
            self._undo(mark)
            goals = self._call(clauses, goal, rest, choices)
            if goals is not False:
                return goals
        return False


def _renamed(term, fresh):
    if type(term) is Variable:
        return fresh[term]
    return tuple([_renamed(each, fresh) for each in term]) if type(term) is tuple else term
