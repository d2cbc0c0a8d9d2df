"""Aleph-style covering: one bottom clause and one search at a time."""

import math
from collections import deque
from dataclasses import dataclass

import numpy as np

from statlearn._core.params import Int, Options, Real

from ._bottom_clause import saturate
from ._learner import Budget, Learner, declared_modes, one_predicate, read_background, read_examples
from ._terms import Clause, Program


def mdl_gain(p, n, length, n_positives, n_negatives, n_literals):
    """Bits that a clause saves when the labels are sent: those of its positives, less its errors, less its own text.

    The labels of the examples cost ``log2 C(P + N, P)`` without the clause. With it, the errors among the covered and
    the positives among the rest are listed, and each literal costs ``log2`` of the number of candidates.
    """

    def choose(a, b):
        return (math.lgamma(a + 1) - math.lgamma(b + 1) - math.lgamma(a - b + 1)) / math.log(2)

    total = n_positives + n_negatives
    without = choose(total, n_positives)
    covered = p + n
    cost = choose(covered, n) + choose(total - covered, n_positives - p)
    return without - cost - length * math.log2(max(2, n_literals)) - math.log2(total + 1)


SCORES = {
    "coverage": lambda p, n, length: p - n,
    "compression": lambda p, n, length: p - n - length + 1,
    "precision": lambda p, n, length: p / (p + n) if p + n else 0.0,
    "laplace": lambda p, n, length: (p + 1) / (p + n + 2),
}


@dataclass
class SearchNode:
    """A clause that a search has visited."""

    clause: Clause
    positives: int
    negatives: int
    score: float
    parent: int | None


class Aleph(Learner):
    """Rules by covering, with searches bounded by bottom clauses, in the manner of Aleph and Progol.

    While positive examples remain, the first one is taken, its bottom clause built, and clauses made of the bottom
    clause's literals are searched breadth first, from the empty body. The best clause is added, and the positives that
    it covers are removed. An example for which no clause has a positive score is left uncovered.

    Parameters
    ----------
    modes : str or list of ModeH and ModeB, default=None
        The literals that rules may have. Without modes for the body there is nothing to search.
    max_literals : int, default=4
        Largest number of body literals of a rule.
    depth : int, default=2
        Layers of new variables in bottom clauses.
    score : {"coverage", "compression", "precision", "laplace", "mdl"} or callable, default="coverage"
        "coverage" is P - N, with P and N the remaining positives and the negatives that a clause covers.
        "compression" subtracts the number of body literals. "mdl" is the number of bits that the clause saves. A
        callable gets P, N and the number of body literals.
    noise : int or float, default=0
        Largest number of negatives that a rule may cover; a float below 1 is a share of what it covers.
    min_positives : int, default=1
        Smallest number of positives that a rule must cover.
    beam : int or None, default=None
        Number of clauses of each length that are refined, those with the largest P - N. None means all: the search is
        then complete, and exponential in `max_literals`.
    max_failures : int or None, default=None
        Number of examples in a row without a good rule after which learning stops. None tries every example.
    max_depth : int, default=1000
        Depth bound of proofs.
    max_inferences : int, default=100_000
        Bound of each proof; an example that needs more counts as not covered.
    max_nodes : int or None, default=200_000
        Largest number of clauses visited in all; more raise :class:`SearchBudgetExceeded` with the rules found so far.
    max_seconds : float or None, default=None
        Longest time; more raises :class:`SearchBudgetExceeded`.
    keep_search : bool, default=False
        Whether to record the visited clauses in `search_`.

    Attributes
    ----------
    program_ : Program
        The rules.
    coverage_ : list of (int, int)
        Positives and negatives that each rule covers, among all examples.
    uncovered_ : list of Atom
        Positives that no rule covers.
    bottoms_ : list of Clause
        The bottom clauses that were searched.
    search_ : list of list of SearchNode
        Visited clauses of each search, if `keep_search`.
    n_nodes_ : int
        Number of clauses visited.

    See Also
    --------
    Metagol : recursion and predicate invention.
    ASPAL : the smallest set of rules.
    Popper : learning from failures.

    Notes
    -----
    One clause is learned at a time: recursion and the smallest program overall are its weak points. The cost is the
    number of clauses visited times the cost of a coverage test, which the native prover makes only for the examples
    that the parent clause covers.

    References
    ----------
    Muggleton, S. (1995). Inverse entailment and Progol. New Generation Computing 13, 245-286.

    Srinivasan, A. (2001). The Aleph manual. University of Oxford.

    Examples
    --------
    >>> from statlearn.logic import Aleph
    >>> learner = Aleph("modeh(1, happy(+p)). modeb(1, builder(+p)). modeb(1, agent(+p)). modeb(1, enjoys(+p)).")
    >>> learner.learn(
    ...     "builder(alice). builder(bob). agent(claire). agent(dave). enjoys(alice). enjoys(claire).",
    ...     positives=["happy(alice)"], negatives=["happy(bob)", "happy(claire)", "happy(dave)"],
    ... )
    happy(A) :- builder(A), enjoys(A).
    """

    _rules = {
        "max_literals": [Int(1, None)],
        "depth": [Int(1, None)],
        "score": [Options(*SCORES, "mdl"), "callable"],
        "noise": [Int(0, None), Real(0, 1, closed="left")],
        "min_positives": [Int(1, None)],
        "beam": [Int(1, None), None],
        "max_failures": [Int(1, None), None],
        "max_depth": [Int(1, None)],
        "max_inferences": [Int(1, None)],
        "keep_search": ["boolean"],
    }

    def __init__(
        self,
        modes=None,
        *,
        max_literals=4,
        depth=2,
        score="coverage",
        noise=0,
        min_positives=1,
        beam=None,
        max_failures=None,
        max_depth=1000,
        max_inferences=100_000,
        max_nodes=200_000,
        max_seconds=None,
        keep_search=False,
    ):
        self.modes = modes
        self.max_literals = max_literals
        self.depth = depth
        self.score = score
        self.noise = noise
        self.min_positives = min_positives
        self.beam = beam
        self.max_failures = max_failures
        self.max_depth = max_depth
        self.max_inferences = max_inferences
        self.max_nodes = max_nodes
        self.max_seconds = max_seconds
        self.keep_search = keep_search

    def fit(self, background, positives, negatives=(), *, positive_weights=None, negative_weights=None):
        """Learn rules.

        Parameters
        ----------
        background : Program, Prolog or str
            Facts and rules.
        positives, negatives : str or sequence of Atom or str
            Ground atoms of one predicate.
        positive_weights, negative_weights : array-like or None, default=None
            Weights of the examples in all counts, in their order. Examples with weights must differ from each other.

        Returns
        -------
        self
        """
        self._check()
        weights = [positive_weights, negative_weights]
        positives, negatives = read_examples(positives, negatives)
        weights = [
            _Weights(given_weights, len(atoms), name)
            for given_weights, atoms, name in zip(
                weights, (positives, negatives), ("positive_weights", "negative_weights")
            )
        ]
        head = one_predicate(positives, negatives)
        prover = read_background(
            background, unknown="fail", max_depth=self.max_depth, max_inferences=self.max_inferences
        )
        heads, bodies = declared_modes(self.modes, head, prover, "modeb(*, parent(+person, -person))", Program())
        words = [prover.encode_examples(each) for each in (positives, negatives)]
        examples = [each if w is None else w for each, w in zip((positives, negatives), words)]
        covers = _Coverage(prover, examples)
        rules, counts = [], []
        budget = Budget(self, best=lambda: Program(rules))
        remaining = np.ones(len(positives), bool)
        skipped = np.zeros(len(positives), bool)
        failed, n_failures = [], 0
        self.bottoms_, self.search_, self.coverage_ = [], [], counts
        while np.any(remaining & ~skipped):
            seed = int(np.flatnonzero(remaining & ~skipped)[0])
            bottom = saturate(positives[seed], heads, bodies, prover, self.depth, 2000)
            said = frozenset(bottom.literals)
            # What failed for a longer bottom clause fails again: fewer literals, and no more positives.
            best = None
            if not any(said <= other for other in failed):
                self.bottoms_.append(bottom.clause)
                best = self._search(bottom, covers, weights, remaining, budget)
            if best is None:
                skipped[seed] = True
                failed.append(said)
                n_failures += 1
                if self.max_failures is not None and n_failures >= self.max_failures:
                    break
                continue
            n_failures = 0
            clause, covered, n = best
            rules.append(clause)
            counts.append((weights[0].sum(prover.covers(clause, examples[0])), n))
            remaining &= ~covered
        self.program_ = Program(rules)
        self.uncovered_ = [atom for atom, yes in zip(positives, remaining) if yes]
        self.n_nodes_ = budget.nodes
        return self

    def plot_search(self, k=0, ax=None):
        """Draw the clauses of a search, if `keep_search` was on.

        Parameters
        ----------
        k : int, default=0
            Number of the search.
        ax : matplotlib axes or None, default=None

        Returns
        -------
        matplotlib axes
        """
        from ._plots import draw_search

        if not getattr(self, "search_", None):
            raise ValueError("There is no recorded search; fit with keep_search=True.")
        return draw_search(self.search_[k], ax=ax)

    def _allowed(self, p, n):
        if p < self.min_positives:
            return False
        if isinstance(self.noise, float) and not isinstance(self.noise, int):
            return n <= self.noise * (p + n)
        return n <= self.noise

    def _scorer(self, n_positives, n_negatives, n_literals):
        if self.score == "mdl":
            return lambda p, n, length: mdl_gain(p, n, length, n_positives, n_negatives, n_literals)
        return SCORES[self.score] if isinstance(self.score, str) else self.score

    def _search(self, bottom, covers, weights, remaining, budget):
        """The best clause, the remaining positives that it covers and the negatives' count; None if none is good."""
        positive, negative = weights
        score_of = self._scorer(positive.sum(remaining), negative.total, len(bottom.literals))
        monotone = self.score in ("coverage", "compression")
        head_variables = frozenset(bottom.head.variables())
        bound_by_head = _bound_variables(bottom)
        masks = covers.refined(bottom.head, [], None, (remaining, np.ones(covers.n_negatives, bool)))
        queue = deque([((), bound_by_head, *masks, 0)])
        visited = {frozenset()}
        best, best_score = None, 0.0
        nodes = [] if self.keep_search else None
        if self.keep_search:
            self.search_.append(nodes)

        def visit(body, p_mask, n_mask, parent):
            nonlocal best, best_score
            budget.spend()
            p, n = positive.sum(p_mask), negative.sum(n_mask)
            value = score_of(p, n, len(body))
            good = self._allowed(p, n) and value > best_score + 1e-12
            if good or nodes is not None:
                clause = Clause(bottom.head, [bottom.literals[k] for k in body])
            if nodes is not None:
                nodes.append(SearchNode(clause, p, n, value, parent))
            if good:
                best, best_score = (clause, p_mask, n), value
            return p, n

        visit((), *masks, None)
        length = 0
        while queue:
            if self.beam is not None and len(queue[0][0]) > length:
                length = len(queue[0][0])
                ranked = sorted(queue, key=lambda node: negative.sum(node[3]) - positive.sum(node[2]))
                queue = deque(ranked[: self.beam])
            body, bound, p_mask, n_mask, number = queue.popleft()
            if len(body) >= self.max_literals:
                continue
            p_parent, n_parent = positive.sum(p_mask), negative.sum(n_mask)
            if monotone and p_parent - (len(body) if self.score == "compression" else 0) <= best_score:
                continue  # no refinement can be better
            for k, literal in enumerate(bottom.literals):
                if k in body or not bound.issuperset(bottom.inputs[k]):
                    continue
                key = frozenset((*body, k))
                if key in visited:
                    continue
                visited.add(key)
                grown = (*body, k)
                about_head = head_variables.issuperset(literal.variables())
                p_new, n_new = covers.refined(
                    bottom.head, [bottom.literals[j] for j in grown], literal if about_head else None, (p_mask, n_mask)
                )
                child = len(nodes) if nodes is not None else 0
                p, n = visit(grown, p_new, n_new, number)
                if p < self.min_positives or (n == 0 and monotone):
                    continue  # refinements cover less, and there is nothing left to exclude
                if about_head and p == p_parent and n == n_parent:
                    continue  # it holds for every remaining example and does not constrain other variables
                queue.append((grown, bound | set(bottom.outputs[k]), p_new, n_new, child))
        return best


class _Weights:
    """Counts of examples, or sums of their weights."""

    def __init__(self, weights, n, name):
        self.weights = None if weights is None else np.asarray(weights, dtype=np.float64)
        if self.weights is not None and self.weights.shape != (n,):
            raise ValueError(f"`{name}` must have one weight for each of the {n} different examples.")
        self.total = n if weights is None else float(self.weights.sum())

    def sum(self, mask):
        """Weight of the examples of a mask."""
        return int(np.count_nonzero(mask)) if self.weights is None else float(self.weights[mask].sum())


class _Coverage:
    """Coverage of the examples by clauses, with a cache for literals about the variables of the head alone."""

    def __init__(self, prover, examples):
        self.prover, self.examples = prover, examples
        self.n_negatives = len(examples[1])
        self.known = {}

    def refined(self, head, body, last, masks):
        """The masks (positives, negatives) after a clause; its literal `last` may be evaluated alone."""
        if last is not None:
            both = self.known.get((head, last))
            if both is None:
                both = self.known[head, last] = [self._test(Clause(head, [last]), k, None) for k in (0, 1)]
            return tuple(mask & whole for mask, whole in zip(masks, both))
        clause = Clause(head, body)
        return tuple(self._test(clause, k, mask) for k, mask in enumerate(masks))

    def _test(self, clause, k, mask):
        if k == 1 and not self.n_negatives:
            return np.zeros(0, bool)
        return self.prover.covers(clause, self.examples[k], mask=mask)


def _bound_variables(bottom):
    """Variables that are bound before the body: those of the head that serve as inputs."""
    return frozenset(bottom.head.variables())
