"""Base class of the relational learners: parameters, examples and budgets."""

import inspect
import time

import numpy as np

from statlearn._core.params import Int, Real, check_arguments
from statlearn._core.warnings import StatlearnWarning, warn

from ._errors import SearchBudgetExceeded
from ._modes import ModeH, read_modes
from ._parser import parse
from ._prolog import Prolog
from ._terms import Atom, Clause, Program, Variable

BUDGET_RULES = {"max_nodes": [Int(1, None), None], "max_seconds": [Real(0, None, closed="neither"), None]}


class Budget:
    """Nodes and seconds of one search. `best` is called for the program to attach when they are used up."""

    def __init__(self, learner, best=None):
        self.learner = type(learner).__name__
        self.max_nodes, self.max_seconds = learner.max_nodes, learner.max_seconds
        self.best = best or (lambda: None)
        self.nodes = 0
        self.start = time.monotonic()

    def spend(self, n=1):
        """Count nodes; raise if a budget is used up."""
        self.nodes += n
        if self.max_nodes is not None and self.nodes > self.max_nodes:
            self.stop(f"max_nodes={self.max_nodes}")
        if self.max_seconds is not None and time.monotonic() - self.start > self.max_seconds:
            self.stop(f"max_seconds={self.max_seconds}")

    def left(self):
        """Seconds that are left, or None."""
        if self.max_seconds is None:
            return None
        return max(1e-3, self.max_seconds - (time.monotonic() - self.start))

    def stop(self, what):
        raise SearchBudgetExceeded(
            f"{self.learner} used up {what} after {self.nodes} nodes. Raise the budget, or narrow the search with "
            "modes, metarules or smaller bounds. The best program so far is in the attribute `best`.",
            best=self.best(),
            n_nodes=self.nodes,
        )


class Learner:
    """Base of the relational learners: parameters as scikit-learn has them, `fit` and `learn`."""

    _rules: dict = {}

    @classmethod
    def _names(cls):
        return [name for name in inspect.signature(cls.__init__).parameters if name != "self"]

    def get_params(self, deep=True):
        """Constructor parameters and their values."""
        return {name: getattr(self, name) for name in self._names()}

    def set_params(self, **params):
        """Change constructor parameters."""
        for name, value in params.items():
            if name not in self._names():
                raise ValueError(f"{type(self).__name__} has no parameter {name!r}; it has {self._names()}.")
            setattr(self, name, value)
        return self

    def _check(self):
        rules = {**BUDGET_RULES, **self._rules}
        chosen = {name: (getattr(self, name), rule) for name, rule in rules.items() if name in self._names()}
        check_arguments(type(self).__name__, **chosen)

    def learn(self, background, positives, negatives=(), **options):
        """The program learned from examples; see :meth:`fit` for the options.

        Returns
        -------
        Program
        """
        return self.fit(background, positives, negatives, **options).program_

    def __repr__(self):
        defaults = inspect.signature(type(self).__init__).parameters
        settings = [
            f"{name}={value!r}" for name, value in self.get_params().items() if not _same(value, defaults[name].default)
        ]
        return f"{type(self).__name__}({', '.join(settings)})"


def _same(a, b):
    return a is b or (type(a) is type(b) and a == b)


def read_examples(positives, negatives):
    """Ground atoms of both kinds, without repetition; text may hold several."""
    pos, neg = _atoms(positives, "positives"), _atoms(negatives, "negatives")
    if not pos:
        raise ValueError("`positives` must contain at least one example.")
    both = [atom for atom in pos if atom in set(neg)]
    if both:
        raise ValueError(f"The examples contradict each other: {both[0]} is both positive and negative.")
    return pos, neg


def _atoms(examples, name):
    if isinstance(examples, str):
        examples = parse(examples, need_end=False).clauses
    elif isinstance(examples, (Atom, Clause)):
        examples = [examples]
    atoms = []
    for each in [] if examples is None else examples:
        if isinstance(each, Clause) or (isinstance(each, str) and ":-" in each):
            clause = Clause.of(each)
            if not clause.is_fact:
                raise ValueError(f"`{name}` must contain facts, got {clause}.")
            atom = clause.head
        else:
            atom = Atom.of(each)
        if not atom.is_ground:
            raise ValueError(f"`{name}` must contain ground atoms, but {atom} has the variable {atom.variables()[0]}.")
        atoms.append(atom)
    return list(dict.fromkeys(atoms))


def one_predicate(positives, negatives):
    """The predicate of the examples; an error if they have several."""
    indicators = list(dict.fromkeys(atom.indicator for atom in (*positives, *negatives)))
    if len(indicators) > 1:
        names = {each.rpartition("/")[0] for each in indicators}
        what = "numbers of arguments" if len(names) == 1 else "predicates"
        raise ValueError(f"The examples have different {what}: {', '.join(indicators)}. Learn one predicate at a time.")
    return positives[0].predicate, positives[0].arity


def declared_modes(modes, target, background, example, best=None):
    """Modes of the head, by default inputs of any type, and of the body.

    An error if there are none for the body; a warning for those of predicates that the background does not define.
    `example` is a mode for the message.
    """
    heads, bodies = read_modes(modes, target)
    if not bodies:
        raise SearchBudgetExceeded(
            f"Without modes for the body the space of clauses is infinite. Declare some, such as {example}.",
            best=best,
            n_nodes=0,
        )
    name, arity = target
    heads = heads or [ModeH(f"{name}({', '.join(['+any'] * arity)})" if arity else name)]
    prover = read_background(background)
    for mode in bodies:
        if (mode.predicate, mode.arity) != target and not prover._defines(mode.predicate, mode.arity):
            close = prover._similar(mode.indicator)
            warn(
                f"The background does not define {mode.indicator}, so the mode {mode} has no effect. "
                + (f"Did you mean {close}?" if close else "Check its name and its number of arguments."),
                StatlearnWarning,
            )
    return heads, bodies


def read_background(background, **options):
    """A prover of the background: a given one as it is, otherwise one made of the program."""
    return background if isinstance(background, Prolog) else Prolog(background, **options)


def background_program(background):
    """The clauses of a background, tables of a prover included."""
    if isinstance(background, Prolog):
        tables = [Clause(Atom(name, row)) for name, rows in background._tables for row in rows]
        return background.program + Program(tables)
    return Program(background)


def covered_by(program, background, atoms, **options):
    """Which ground atoms follow from background and program."""
    prover = Prolog(background_program(background) + Program(program), unknown="fail", **options)
    groups = {}
    for k, atom in enumerate(atoms):
        groups.setdefault(atom.indicator, []).append(k)
    covered = np.zeros(len(atoms), bool)
    for places in groups.values():
        atom = atoms[places[0]]
        head = Atom(atom.predicate, [Variable(f"V{k}") for k in range(atom.arity)])
        covered[places] = prover.covers(Clause(head, [head]), [atoms[k] for k in places])
    return covered
