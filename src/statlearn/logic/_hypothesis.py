"""Conjunctive hypotheses and the boundaries of their version space."""

import itertools
import math

import numpy as np

from ._errors import SearchBudgetExceeded

ANY = -1  # instead of the code of a value
_MOST_COUNTED = 16  # slots; with more, votes are those of the boundaries


# Hypotheses as tuples of codes; the unsatisfiable one is None. --------------------------------------------------------


def covers(h, row):
    """Whether a hypothesis (codes) accepts a row (codes)."""
    return h is not None and all(slot in (ANY, value) for slot, value in zip(h, row))


def at_least(general, specific):
    """Whether the first hypothesis accepts every row that the second one accepts."""
    if specific is None:
        return True
    return general is not None and all(g in (ANY, s) for g, s in zip(general, specific))


def generalise(h, row):
    """The smallest hypothesis above h that accepts the row."""
    return tuple(row) if h is None else tuple(slot if slot == value else ANY for slot, value in zip(h, row))


def specialise(h, row, sizes):
    """The largest hypotheses below h that reject the row."""
    for j, slot in enumerate(h):
        if slot == ANY:
            for value in range(sizes[j]):
                if value != row[j]:
                    yield (*h[:j], value, *h[j + 1 :])


class Boundaries:
    """The general boundary G and the specific one S of a version space, in codes.

    S has one member, since two conjunctions have one smallest common generalisation.
    """

    def __init__(self, sizes, max_boundary=10_000):
        self.sizes = list(sizes)
        self.max_boundary = max_boundary
        self.general = [(ANY,) * len(self.sizes)]
        self.specific = None
        self.empty = False

    def copy(self):
        twin = Boundaries(self.sizes, self.max_boundary)
        twin.general, twin.specific, twin.empty = list(self.general), self.specific, self.empty
        return twin

    def update(self, row, positive):
        """Narrow the space by one example; False if it becomes empty."""
        row = tuple(row)
        if self.empty:
            return False
        if positive:
            self.general = [g for g in self.general if covers(g, row)]
            self.specific = generalise(self.specific, row)
            self.general = [g for g in self.general if at_least(g, self.specific)]
        else:
            if covers(self.specific, row):
                self.general = []
            self.general = self._without(row)
        self.empty = not self.general
        return not self.empty

    def _without(self, row):
        remaining = [g for g in self.general if not covers(g, row)]
        fresh = {}
        for g in self.general:
            if covers(g, row):
                if self.specific is None:
                    options = specialise(g, row, self.sizes)
                else:  # only values of the specific hypothesis lead to something above it
                    options = (
                        (*g[:j], s, *g[j + 1 :])
                        for j, s in enumerate(self.specific)
                        if g[j] == ANY and s != ANY and s != row[j]
                    )
                fresh.update(dict.fromkeys(options))
                if len(fresh) + len(remaining) > self.max_boundary:
                    raise SearchBudgetExceeded(
                        f"The general boundary has more than max_boundary={self.max_boundary} hypotheses. Present "
                        "positive examples first, or raise max_boundary.",
                        n_nodes=len(fresh) + len(remaining),
                    )
        return remaining + _maximal(fresh, remaining)

    def decide(self, row):
        """True or False if all hypotheses of the space agree on the row, otherwise None."""
        if covers(self.specific, row):
            return True
        return None if any(covers(g, row) for g in self.general) else False

    def hypotheses(self):
        """All satisfiable hypotheses of the space, the most specific ones first."""
        unique = set()
        if self.specific is not None:
            free = [j for j, s in enumerate(self.specific) if s != ANY]
            for n in range(len(free) + 1):
                for dropped in itertools.combinations(free, n):
                    h = tuple(ANY if j in dropped else s for j, s in enumerate(self.specific))
                    if h not in unique and any(at_least(g, h) for g in self.general):
                        unique.add(h)
                        yield h
            return
        for n in range(len(self.sizes) + 1):
            for loose in itertools.combinations(range(len(self.sizes)), n):
                slots = [(ANY,) if j in loose else range(size) for j, size in enumerate(self.sizes)]
                for h in itertools.product(*slots):
                    if any(at_least(g, h) for g in self.general):
                        yield h

    def n_hypotheses(self):
        """Upper bound of the effort of `hypotheses`."""
        if self.specific is not None:
            return 2 ** sum(s != ANY for s in self.specific)
        return math.prod(size + 1 for size in self.sizes)

    def votes(self, rows):
        """Share of the hypotheses that accept each row; of the boundaries only, if the space is too large to count."""
        small = self.n_hypotheses() <= 2**_MOST_COUNTED
        voters = list(self.hypotheses()) if small else [*self.general, self.specific]
        if small and self.specific is None:
            voters.append(None)
        if not voters:
            return np.full(len(rows), 0.5)
        accepted = np.zeros(len(rows))
        for h in voters:
            if h is not None:
                codes = np.array(h)
                accepted += np.all((codes == ANY) | (codes == rows), axis=1)
        return accepted / len(voters)


def _maximal(fresh, old):
    """The new hypotheses that are not below another one."""
    maximal, known = [], set(old)
    fresh = sorted(fresh, key=lambda h: sum(slot != ANY for slot in h))
    for h in fresh:
        if not _lies_below(h, known):
            maximal.append(h)
            known.add(h)
    return maximal


def _lies_below(h, known):
    """Whether a known hypothesis is at least as general; if these are fewer, all more general ones are looked up."""
    bound = [j for j, slot in enumerate(h) if slot != ANY]
    if 2 ** len(bound) > len(known):
        return any(at_least(g, h) for g in known)
    above = (loose for n in range(len(bound) + 1) for loose in itertools.combinations(bound, n))
    return any(tuple(ANY if j in loose else slot for j, slot in enumerate(h)) in known for loose in above)


# The public classes ---------------------------------------------------------------------------------------------------


class ConjunctiveHypothesis:
    """A conjunction with one slot per attribute: a value, ``?`` for any value, or unsatisfiable.

    Parameters
    ----------
    slots : sequence
        Values; the text ``"?"`` or None accepts any value, the text ``"∅"`` none. All hypotheses with a ``∅`` are
        equal.

    See Also
    --------
    VersionSpace : the hypotheses that agree with examples.

    Examples
    --------
    >>> from statlearn.logic import ConjunctiveHypothesis
    >>> h = ConjunctiveHypothesis(["Overcast", "?", "?", "?"])
    >>> h
    <Overcast, ?, ?, ?>
    >>> h.accepts(["Overcast", "Hot", "High", "Weak"])
    True
    >>> h >= ConjunctiveHypothesis(["Overcast", "Hot", "?", "?"])
    True
    >>> ConjunctiveHypothesis.count([3, 2, 2, 2])
    109
    """

    def __init__(self, slots):
        slots = [None if isinstance(s, str) and s == "?" else s for s in slots]
        if any(isinstance(s, str) and s == "∅" for s in slots):
            slots = ["∅"] * len(slots)
        self.slots = tuple(slots)

    @classmethod
    def top(cls, n):
        """The hypothesis that accepts every row of n attributes."""
        return cls([None] * n)

    @classmethod
    def bottom(cls, n):
        """The hypothesis that accepts no row."""
        return cls(["∅"] * n)

    @staticmethod
    def count(sizes):
        """Number of distinct hypotheses, given the numbers of values of the attributes: Π(v_j + 1) + 1."""
        return math.prod(int(size) + 1 for size in sizes) + 1

    @property
    def is_satisfiable(self):
        """Whether any row is accepted."""
        return "∅" not in self.slots

    def accepts(self, row):
        """Whether the row has the values of all slots."""
        if len(row) != len(self.slots):
            raise ValueError(f"The hypothesis has {len(self.slots)} slots, but the row has {len(row)} values.")
        return self.is_satisfiable and all(s is None or s == value for s, value in zip(self.slots, row))

    def __ge__(self, other):
        """Whether this hypothesis is at least as general."""
        if len(other.slots) != len(self.slots):
            raise ValueError(f"The hypotheses have {len(self.slots)} and {len(other.slots)} slots.")
        if not other.is_satisfiable:
            return True
        return self.is_satisfiable and all(g is None or g == s for g, s in zip(self.slots, other.slots))

    def __le__(self, other):
        return other >= self

    def __gt__(self, other):
        return self >= other and self != other

    def __lt__(self, other):
        return other > self

    def join(self, other):
        """The smallest hypothesis above both."""
        if not self.is_satisfiable:
            return other
        if not other.is_satisfiable:
            return self
        return ConjunctiveHypothesis([a if a == b else None for a, b in zip(self.slots, other.slots)])

    def meet(self, other):
        """The largest hypothesis below both."""
        slots = []
        for a, b in zip(self.slots, other.slots):
            slots.append(b if a is None else a if b is None or a == b else "∅")
        return ConjunctiveHypothesis(slots)

    def __eq__(self, other):
        return isinstance(other, ConjunctiveHypothesis) and other.slots == self.slots

    def __hash__(self):
        return hash(self.slots)

    def __repr__(self):
        return "<" + ", ".join("?" if s is None else str(s) for s in self.slots) + ">"


class VersionSpace:
    """The conjunctive hypotheses that agree with all examples seen, held by its boundaries.

    Parameters
    ----------
    values : sequence of sequences
        The values of each attribute.
    max_boundary : int, default=10_000
        Largest size of the general boundary. It can grow exponentially while there are no positive examples.

    Attributes
    ----------
    general : list of ConjunctiveHypothesis
        The maximally general members (G).
    specific : list of ConjunctiveHypothesis
        The maximally specific members (S).
    is_empty : bool
        Whether no hypothesis agrees with the examples.
    n_examples : int

    See Also
    --------
    CandidateElimination : the same as a classifier.

    Examples
    --------
    >>> from statlearn.logic import VersionSpace
    >>> space = VersionSpace([["Sunny", "Rain"], ["Hot", "Cool"]])
    >>> space.update(["Sunny", "Hot"], True).update(["Rain", "Hot"], False)
    G: {<Sunny, ?>}  S: {<Sunny, Hot>}
    >>> space.decide(["Sunny", "Cool"]), space.decide(["Rain", "Cool"])
    (None, False)
    >>> list(space)
    [<Sunny, Hot>, <Sunny, ?>]
    """

    def __init__(self, values, *, max_boundary=10_000):
        self.values = [list(dict.fromkeys(each)) for each in values]
        self._codes = [{value: k for k, value in enumerate(each)} for each in self.values]
        self._bounds = Boundaries([len(each) for each in self.values], max_boundary)
        self.n_examples = 0

    def _encode(self, row, known=False):
        if len(row) != len(self.values):
            raise ValueError(f"The version space has {len(self.values)} attributes, but the row has {len(row)} values.")
        for j, value in enumerate(row):
            if known and value not in self._codes[j]:
                raise ValueError(f"{value!r} is not a value of attribute {j}; its values are {self.values[j]}.")
        return tuple(codes.get(value, -2) for codes, value in zip(self._codes, row))

    def _decode(self, h):
        if h is None:
            return ConjunctiveHypothesis.bottom(len(self.values))
        return ConjunctiveHypothesis([None if s == ANY else self.values[j][s] for j, s in enumerate(h)])

    def update(self, row, positive):
        """Narrow the space by one example.

        Parameters
        ----------
        row : sequence
        positive : bool
            Whether the row belongs to the concept.

        Returns
        -------
        self
        """
        self.n_examples += 1
        self._bounds.update(self._encode(row, known=True), positive)
        return self

    @property
    def general(self):
        return [self._decode(g) for g in self._bounds.general]

    @property
    def specific(self):
        return [] if self._bounds.empty else [self._decode(self._bounds.specific)]

    @property
    def is_empty(self):
        return self._bounds.empty

    def __contains__(self, hypothesis):
        """Whether the hypothesis lies between the boundaries."""
        return any(g >= hypothesis for g in self.general) and any(hypothesis >= s for s in self.specific)

    def __iter__(self):
        """The satisfiable hypotheses, the most specific ones first."""
        return (self._decode(h) for h in self._bounds.hypotheses()) if not self._bounds.empty else iter(())

    def __len__(self):
        """Number of satisfiable hypotheses."""
        return sum(1 for _ in self._bounds.hypotheses()) if not self._bounds.empty else 0

    def decide(self, row):
        """True or False if all hypotheses agree on the row, None if they differ.

        Parameters
        ----------
        row : sequence

        Returns
        -------
        bool or None
        """
        if self._bounds.empty:
            raise ValueError("The version space is empty: no conjunction agrees with the examples.")
        return self._bounds.decide(self._encode(row))

    def vote(self, row):
        """Share of the hypotheses that accept the row."""
        if self._bounds.empty:
            raise ValueError("The version space is empty: no conjunction agrees with the examples.")
        return float(self._bounds.votes(np.array([self._encode(row)]))[0])

    def plot(self, ax=None, *, all_hypotheses=None):
        """Draw the lattice of hypotheses, with the members of the space.

        Parameters
        ----------
        ax : matplotlib axes or None, default=None
        all_hypotheses : list of ConjunctiveHypothesis or None, default=None
            The hypotheses to show; by default those of the space.

        Returns
        -------
        matplotlib axes
        """
        from ._plots import draw_version_space

        shown = list(self) if all_hypotheses is None else all_hypotheses
        return draw_version_space(self, ax, all_hypotheses=shown)

    def __repr__(self):
        general, specific = (", ".join(map(repr, each)) for each in (self.general, self.specific))
        return f"G: {{{general}}}  S: {{{specific}}}"
