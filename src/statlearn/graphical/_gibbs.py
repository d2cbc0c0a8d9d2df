"""Discrete distributions over graphs: Gibbs distributions and the Markov properties."""

from itertools import combinations, product

import numpy as np

from statlearn._core.memory import require_memory

from ._undirected import UndirectedGraph, _any_graph

_LARGEST = 2**20  # states of a table that is enumerated


def _listed(names, known):
    """One name or a collection of names, as a list."""
    if isinstance(names, (list, tuple, set)) and not (isinstance(names, tuple) and names in known):
        return list(names)
    return [names] if names in known else list(names)


class GibbsDistribution:
    r"""Discrete distribution as a normalised product of potentials.

    .. math:: p(x) = \frac1Z \prod_c \psi_c(x_c)

    Parameters
    ----------
    states : dict of name to int or list
        Number of states of each variable, or the states themselves.
    potentials : list of (names, table)
        Non-negative tables with one axis per name.

    Attributes
    ----------
    names : list
    states : dict of name to list
    log_partition : float
        Logarithm of Z, by enumeration.
    table : ndarray
        All probabilities, one axis per variable.

    Notes
    -----
    Enumerates all states, up to 2^20 of them. A pairwise potential per edge of a triangle and one potential of the
    whole triangle have the same graph, but the second family is larger.

    References
    ----------
    Koller, D. and Friedman, N. (2009). Probabilistic Graphical Models, chapter 4. MIT Press.

    Examples
    --------
    >>> from statlearn.graphical import GibbsDistribution
    >>> agree = [[3.0, 1.0], [1.0, 3.0]]
    >>> law = GibbsDistribution({"a": 2, "b": 2, "c": 2}, [("ab", agree), ("bc", agree)])
    >>> law.marginal(["a", "c"]).round(4)
    array([[0.3125, 0.1875],
           [0.1875, 0.3125]])
    >>> law.graph().edges()
    [('a', 'b'), ('b', 'c')]
    """

    def __init__(self, states, potentials):
        self.states = {}
        for name, labels in states.items():
            values = list(range(labels)) if isinstance(labels, (int, np.integer)) else list(labels)
            if not values:
                raise ValueError(f"`states`: {name!r} has no states.")
            self.states[name] = values
        self.names = list(self.states)
        shape = [len(values) for values in self.states.values()]
        size = int(np.prod([float(k) for k in shape]))
        if size > _LARGEST:
            raise ValueError(f"The variables have {size:,} joint states; at most {_LARGEST:,} are enumerated.")
        require_memory(8 * 2 * size, f"The table of {size:,} states", "Use fewer variables.")
        logs = np.zeros(shape)
        self.potentials = []
        for scope, table in potentials:
            scope = _listed(scope, self.states)
            table = np.asarray(table, dtype=np.float64)
            for name in scope:
                if name not in self.states:
                    raise ValueError(f"`potentials`: {name!r} is not a variable.")
            if len(set(scope)) < len(scope):
                raise ValueError(f"`potentials`: the scope {scope} contains a variable twice.")
            wanted = tuple(len(self.states[name]) for name in scope)
            if table.shape != wanted:
                raise ValueError(f"`potentials`: the table of {scope} has shape {table.shape}, expected {wanted}.")
            if not np.isfinite(table).all() or (table < 0).any():
                raise ValueError(f"`potentials`: the table of {scope} must be finite and not negative.")
            self.potentials.append((scope, table))
            with np.errstate(divide="ignore"):
                logs += np.log(self._spread(scope, table))
        largest = logs.max()
        if not np.isfinite(largest):
            raise ValueError("`potentials` are zero in every state.")
        weights = np.exp(logs - largest)
        self.log_partition = float(largest + np.log(weights.sum()))
        self.table = weights / weights.sum()

    @classmethod
    def from_table(cls, table, names=None):
        """Distribution with a given table of probabilities, which must sum to one."""
        table = np.asarray(table, dtype=np.float64)
        names = [chr(ord("A") + k) for k in range(table.ndim)] if names is None else list(names)
        if len(names) != table.ndim:
            raise ValueError(f"`names` has {len(names)} entries for a table of {table.ndim} variables.")
        if abs(table.sum() - 1.0) > 1e-8:
            raise ValueError(f"`table` must sum to 1, but sums to {table.sum():.6g}.")
        return cls(dict(zip(names, table.shape)), [(names, table)])

    def __repr__(self):
        return f"GibbsDistribution({len(self.names)} variables, {len(self.potentials)} potentials)"

    def _spread(self, scope, table):
        """A table over some variables, broadcast to the axes of all variables."""
        order = sorted(range(len(scope)), key=lambda k: self.names.index(scope[k]))
        shape = [1] * len(self.names)
        for k in order:
            shape[self.names.index(scope[k])] = table.shape[k]
        return np.transpose(table, order).reshape(shape)

    def _axes(self, names, argument):
        names = _listed(names, self.states)
        for name in names:
            if name not in self.states:
                raise ValueError(f"`{argument}`: {name!r} is not a variable.")
        return names, [self.names.index(name) for name in names]

    def marginal(self, names):
        """Table of the probabilities of some variables, with axes in their order."""
        names, axes = self._axes(names, "names")
        rest = tuple(k for k in range(len(self.names)) if k not in set(axes))
        remaining = [k for k in range(len(self.names)) if k in set(axes)]
        return np.transpose(self.table.sum(axis=rest), [remaining.index(k) for k in axes])

    def conditional(self, names, given):
        """Table of some variables given a dict of the states of others."""
        names, _ = self._axes(names, "names")
        others, _ = self._axes(list(given), "given")
        joint = self.marginal([*names, *others])
        where = tuple(self.states[name].index(given[name]) for name in others)
        part = joint[(..., *where)]
        total = part.sum()
        if total <= 0.0:
            raise ValueError(f"`given` has probability zero: {given}.")
        return part / total

    def probability(self, values):
        """Probability of states of some or all variables, given as a dict."""
        names, _ = self._axes(list(values), "values")
        return float(self.marginal(names)[tuple(self.states[name].index(values[name]) for name in names)])

    def graph(self):
        """Graph that joins the variables of each potential."""
        edges = [pair for scope, _ in self.potentials for pair in combinations(scope, 2)]
        return UndirectedGraph(self.names, edges)

    def independent(self, a, b, given=(), *, tol=1e-9):
        """Whether two sets of variables are independent given a third.

        Returns
        -------
        bool
        """
        return self.dependence(a, b, given) <= tol

    def dependence(self, a, b, given=()):
        """Largest ``|p(a, b, c) p(c) - p(a, c) p(b, c)|`` over all states; zero if and only if independent."""
        (a, _), (b, _), (c, _) = (self._axes(x, name) for x, name in ((a, "a"), (b, "b"), (given, "given")))
        joint = self.marginal([*a, *b, *c])
        sizes = [int(np.prod([len(self.states[n]) for n in names])) for names in (a, b, c)]
        joint = joint.reshape(sizes)
        pc = joint.sum(axis=(0, 1))
        return float(np.max(np.abs(joint * pc - joint.sum(axis=1)[:, None] * joint.sum(axis=0)[None])))


class MarkovReport:
    """Result of `markov_report`.

    Parameters
    ----------
    holds : tuple of three bool
        Whether the pairwise, the local and the global property hold.
    counterexamples : dict of str to list of (a, b, given)
        Statements that the graph asserts and the distribution violates.
    positive : bool
        Whether all states have a positive probability; the three properties are then equivalent.

    Attributes
    ----------
    pairwise, local, global_ : bool
        Whether each property holds.

    Examples
    --------
    >>> from statlearn.graphical import MarkovReport
    >>> print(MarkovReport((True, True, True), {}, True))
    All states possible: yes
    Pairwise Markov property: holds
    Local Markov property: holds
    Global Markov property: holds
    """

    def __init__(self, holds, counterexamples, positive):
        self.pairwise, self.local, self.global_ = holds
        self.counterexamples, self.positive = counterexamples, positive

    def __repr__(self):
        lines = [f"All states possible: {'yes' if self.positive else 'no'}"]
        for name, holds in (("pairwise", self.pairwise), ("local", self.local), ("global", self.global_)):
            line = f"{name.capitalize()} Markov property: {'holds' if holds else 'fails'}"
            if not holds:
                a, b, c = self.counterexamples[name][0]
                text = [", ".join(map(str, part)) for part in (a, b, c)]
                line += f" ({{{text[0]}}} and {{{text[1]}}} are dependent" + (
                    f" given {{{text[2]}}})" if text[2] else ")"
                )
            lines.append(line)
        return "\n".join(lines)


def markov_report(distribution, graph, *, tol=1e-9):
    """Markov properties of a discrete distribution with respect to a graph.

    Pairwise: two variables that are not joined are independent given all others. Local: a variable is independent of
    all others given its neighbours. Global: sets are independent given any set that separates them. Global implies
    local implies pairwise; the converse holds if all states have a positive probability.

    Parameters
    ----------
    distribution : GibbsDistribution or ndarray
        A distribution, or a table of probabilities with variables ``A, B, ...``.
    graph : UndirectedGraph or list of pairs
    tol : float, default=1e-9
        Differences of products of probabilities up to this value count as zero.

    Returns
    -------
    MarkovReport

    Notes
    -----
    The global property is checked for all pairs of variables and all sets that separate them, which suffices for pairs,
    and for all triples of disjoint sets otherwise: 4^p of them, so up to 8 variables.

    References
    ----------
    Lauritzen, S. L. (1996). Graphical Models, chapter 3. Oxford University Press.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.graphical import markov_report
    >>> table = np.zeros((2, 2, 2))
    >>> table[0, 0, 0] = table[1, 1, 1] = 0.5
    >>> markov_report(table, [("B", "C")])
    All states possible: no
    Pairwise Markov property: holds
    Local Markov property: fails ({A} and {B, C} are dependent)
    Global Markov property: fails ({A} and {C} are dependent)
    """
    law = distribution if isinstance(distribution, GibbsDistribution) else GibbsDistribution.from_table(distribution)
    checked = _any_graph(graph)
    for node in checked.nodes:
        if node not in law.states:
            raise ValueError(f"`graph` has the node {node!r}, which is not a variable; variables are {law.names}.")
    if len(law.names) > 8:
        raise ValueError(f"markov_report enumerates sets of variables; at most 8 are supported, got {len(law.names)}.")
    full = UndirectedGraph(law.names, checked.edges())
    failures: dict[str, list] = {"pairwise": [], "local": [], "global": []}
    for a, b in combinations(law.names, 2):
        if not full.has_edge(a, b):
            rest = [x for x in law.names if x not in (a, b)]
            if not law.independent([a], [b], rest, tol=tol):
                failures["pairwise"].append(([a], [b], rest))
    for a in law.names:
        near = full.neighbors[a]
        rest = [x for x in law.names if x != a and x not in near]
        if rest and not law.independent([a], rest, near, tol=tol):
            failures["local"].append(([a], rest, near))
    for roles in product(range(4), repeat=len(law.names)):  # 0: unused, 1: a, 2: b, 3: given
        parts = [[x for x, role in zip(law.names, roles) if role == k] for k in (1, 2, 3)]
        if not parts[0] or not parts[1] or law.names.index(parts[0][0]) > law.names.index(parts[1][0]):
            continue
        if full.separated(*parts) and not law.independent(*parts, tol=tol):
            failures["global"].append(tuple(parts))
    failures["global"].sort(key=lambda parts: sum(map(len, parts)))
    holds = [not failures[name] for name in ("pairwise", "local", "global")]
    return MarkovReport(holds, failures, bool((law.table > 0).all()))
