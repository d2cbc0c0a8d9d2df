"""The ILP task and its checks."""

from dataclasses import dataclass, field

from ._learner import background_program, covered_by, read_examples
from ._prolog import Prolog
from ._terms import Program


@dataclass
class TaskCheck:
    """Result of :meth:`ILPTask.check` for a hypothesis."""

    necessary: bool
    complete: bool
    weakly_consistent: bool
    strongly_consistent: bool
    uncovered: list = field(default_factory=list)
    false_positives: list = field(default_factory=list)

    @property
    def correct(self):
        """Whether the hypothesis is complete and strongly consistent."""
        return self.complete and self.strongly_consistent

    def __repr__(self):
        def yes(value):
            return "yes" if value else "no"

        lines = [
            f"necessary            {yes(self.necessary)}",
            f"complete             {yes(self.complete)}" + _listed("; not covered", self.uncovered),
            f"weakly consistent    {yes(self.weakly_consistent)}",
            f"strongly consistent  {yes(self.strongly_consistent)}" + _listed("; covers", self.false_positives),
        ]
        return "\n".join(lines)


def _listed(words, atoms):
    if not atoms:
        return ""
    more = f" and {len(atoms) - 3} more" if len(atoms) > 3 else ""
    return f"{words} {', '.join(map(repr, atoms[:3]))}{more}"


class ILPTask:
    """Background knowledge with positive and negative examples.

    Parameters
    ----------
    background : Program, Prolog or str
        Facts and rules; clauses without head are integrity constraints.
    positives, negatives : str or sequence of Atom or str
        Ground atoms. An atom that is both raises an error.

    See Also
    --------
    Aleph, Metagol, ASPAL, Popper : learners that solve it.

    Examples
    --------
    >>> from statlearn.logic import ILPTask
    >>> task = ILPTask(
    ...     "builder(alice). builder(bob). enjoys(alice). enjoys(claire).",
    ...     positives=["happy(alice)"], negatives=["happy(bob)", "happy(claire)"],
    ... )
    >>> task.check("happy(A) :- builder(A).")
    necessary            yes
    complete             yes
    weakly consistent    yes
    strongly consistent  no; covers happy(bob)
    >>> task.check("happy(A) :- builder(A), enjoys(A).").correct
    True
    """

    def __init__(self, background, positives, negatives=()):
        self.background = background
        self.positives, self.negatives = read_examples(positives, negatives)

    def check(self, hypothesis, *, max_depth=10_000, max_inferences=10_000_000):
        """Check a hypothesis.

        Parameters
        ----------
        hypothesis : Program, Clause or str
        max_depth, max_inferences : int
            Bounds of the proofs, per example.

        Returns
        -------
        TaskCheck
            `necessary`: the background alone does not prove all positives. `complete`: with the hypothesis it does.
            `weakly_consistent`: no integrity constraint of the background is violated. `strongly_consistent`: also no
            negative example is proved. `uncovered` and `false_positives` list the examples in question.
        """
        options = {"max_depth": max_depth, "max_inferences": max_inferences}
        theory = background_program(self.background)
        rules = Program([clause for clause in theory if clause.head is not None or _is_directive(clause)])
        constraints = [clause for clause in theory if clause.head is None and not _is_directive(clause)]
        hypothesis = Program(hypothesis)
        before = covered_by((), rules, self.positives, **options)
        positive = covered_by(hypothesis, rules, self.positives, **options)
        negative = covered_by(hypothesis, rules, self.negatives, **options)
        prover = Prolog(rules + hypothesis, unknown="fail", **options)
        weak = not any(prover.holds(clause) for clause in constraints)
        return TaskCheck(
            necessary=not bool(before.all()),
            complete=bool(positive.all()),
            weakly_consistent=weak,
            strongly_consistent=weak and not negative.any(),
            uncovered=[atom for atom, yes in zip(self.positives, positive) if not yes],
            false_positives=[atom for atom, yes in zip(self.negatives, negative) if yes],
        )

    def __repr__(self):
        return f"ILPTask with {len(self.positives)} positive and {len(self.negatives)} negative examples"


def _is_directive(clause):
    return len(clause.body) == 1 and clause.body[0].predicate == "dynamic"
