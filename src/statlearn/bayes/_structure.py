"""Learning the graph of a discrete network: scores, hill climbing on them, and Chow-Liu trees."""

import math
from collections import deque
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np
from scipy.special import gammaln, xlogy

from statlearn._core.frames import as_frame
from statlearn._core.params import Int, Options, Real, check_arguments
from statlearn._core.validation import check_array, check_weights, naming
from statlearn._math.graphs.graph import CycleError, Digraph

from ._network_arrays import joint_counts
from ._states import encode_column, find_states, plain

# Tables of more cells than this are never counted: such a family has fewer rows than cells.
LARGEST_TABLE = 2**22
SCORES = ("bic", "aic", "bdeu", "k2", "loglik")


@dataclass
class Structure:
    """Result of structure learning.

    Parameters
    ----------
    nodes : list
    edges : list of (parent, child)
    undirected : list of (node, node)
        Edges whose direction the data do not determine (PC algorithm only).
    score : float
        Score of the graph, larger is better; NaN for methods without one.
    history : list
        Steps of the search.
    separators : dict
        For pairs of nodes that are not joined, the set that separates them (PC algorithm only).
    """

    nodes: list
    edges: list
    undirected: list = field(default_factory=list)
    score: float = math.nan
    history: list = field(default_factory=list)
    separators: dict = field(default_factory=dict)

    def graph(self):
        """The directed part as a graph."""
        return Digraph(self.nodes, self.edges)

    def to_dag(self):
        """Directed edges for all: undirected ones are directed without new collisions or cycles, where possible."""
        directed, free = list(self.edges), list(self.undirected)
        while free:
            directed, free = meek_rules(self.nodes, directed, free)
            if free:
                for a, b in (free[0], free[0][::-1]):
                    if Digraph(self.nodes, [*directed, (a, b)]).find_cycle() is None:
                        directed.append((a, b))
                        break
                free = free[1:]
        return directed


class DiscreteData:
    """Codes of complete discrete columns, and the cache of local scores."""

    def __init__(self, X, sample_weight, caller, *, allow_missing=False):
        frame = as_frame(X)
        names = None if frame is None else [plain(n) for n in frame.columns]
        with naming("X"):
            X = check_array(X, dtype=None, ensure_all_finite="allow-nan")
        weights = check_weights(sample_weight, np.empty((X.shape[0], 0)))
        if weights is not None:
            X, weights = X[weights > 0], weights[weights > 0].astype(np.float64)
        self.names = [f"x{j}" for j in range(X.shape[1])] if names is None else names
        self.states = [find_states(X[:, j], name) for j, name in enumerate(self.names)]
        self.sizes = [len(states) for states in self.states]
        self.codes = np.empty(X.shape, dtype=np.int32, order="F")
        for j, name in enumerate(self.names):
            self.codes[:, j] = encode_column(X[:, j], self.states[j], name)
            if not allow_missing and np.any(self.codes[:, j] < 0):
                raise ValueError(
                    f"X: column {name!r} has missing values, which {caller} does not support. Drop these rows, or "
                    "impute them."
                )
        self.weights = weights
        self.total = float(len(X) if weights is None else weights.sum())
        self.cache = {}

    def number(self, name, argument):
        if name not in self.names:
            raise ValueError(f"`{argument}`: {name!r} is not a column of X.")
        return self.names.index(name)

    def counts(self, sets):
        """Joint counts of sets of columns."""
        for columns in sets:
            if math.prod(self.sizes[j] for j in columns) > LARGEST_TABLE:
                raise MemoryError(
                    f"A table of the columns {[self.names[j] for j in columns]} has more than {LARGEST_TABLE:,} "
                    "cells; limit the number of parents, or merge states."
                )
        return joint_counts(self.codes, self.weights, self.sizes, sets)

    def cells(self, family):
        return math.prod(self.sizes[j] for j in family)

    def scores(self, families, kind, ess):
        """Local scores of families (node, parents), computed together where they are not in the cache."""
        new = [f for f in dict.fromkeys(families) if f not in self.cache]
        counted = [f for f in new if self.cells((*f[1], f[0])) <= LARGEST_TABLE]
        for f in set(new) - set(counted):
            self.cache[f] = -math.inf
        batch, cells = [], 0
        for f in [*counted, None]:
            if f is not None:
                batch.append(f)
                cells += self.cells((*f[1], f[0]))
            if batch and (f is None or cells > LARGEST_TABLE):
                for family, table in zip(batch, self.counts([(*p, v) for v, p in batch])):
                    self.cache[family] = local_score(table, kind, self.total, ess)
                batch, cells = [], 0
        return [self.cache[f] for f in families]


def local_score(counts, kind, total, ess):
    """Score of one node from its counts, with the parents on the leading axes."""
    r = counts.shape[-1]
    N = counts.reshape(-1, r)
    q = len(N)
    sums = N.sum(axis=1)
    if kind in ("bic", "aic", "loglik"):
        value = float(xlogy(N, N).sum() - xlogy(sums, sums).sum())
        penalty = {"bic": 0.5 * math.log(max(total, 1.0)), "aic": 1.0, "loglik": 0.0}[kind]
        return value - penalty * q * (r - 1)
    prior = 1.0 if kind == "k2" else ess / (q * r)
    seen = sums > 0  # a combination of parents without rows contributes nothing
    N, sums = N[seen], sums[seen]
    value = gammaln(r * prior) - gammaln(sums + r * prior) + np.sum(gammaln(N + prior) - gammaln(prior), axis=1)
    return float(value.sum())


def _as_edges(edges, data, argument):
    try:
        pairs = [tuple(edge) for edge in ([] if edges is None else edges)]
        if any(len(pair) != 2 for pair in pairs):
            raise TypeError
    except TypeError:
        raise ValueError(f"`{argument}` must be a list of (parent, child) pairs.") from None
    return [(data.number(plain(a), argument), data.number(plain(b), argument)) for a, b in pairs]


def structure_score(X, edges, *, score="bic", equivalent_sample_size=10.0, sample_weight=None):
    """Score of a graph on complete discrete data; larger is better.

    Parameters
    ----------
    X : array-like or data frame of shape (n_samples, n_features)
    edges : list of (parent, child)
    score : {"bic", "aic", "bdeu", "k2", "loglik"}, default="bic"
        Log-likelihood minus :math:`\\tfrac12 d \\log n` or d for d parameters, the log marginal likelihood under
        Dirichlet priors (BDeu spreads the equivalent sample size over the cells, K2 gives each cell 1), or the plain
        log-likelihood.
    equivalent_sample_size : float, default=10.0
        For "bdeu".
    sample_weight : array-like of shape (n_samples,) or None, default=None

    Returns
    -------
    float

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.bayes import structure_score
    >>> X = np.array([[0, 0], [0, 0], [1, 1], [1, 1], [0, 1]])
    >>> round(structure_score(X, [("x0", "x1")]), 4), round(structure_score(X, []), 4)
    (-7.6888, -8.3396)
    """
    check_arguments(structure_score, score=(score, [Options(*SCORES)]))
    data = DiscreteData(X, sample_weight, "structure_score")
    pairs = _as_edges(edges, data, "edges")
    graph = Digraph(range(len(data.names)), pairs)
    cycle = graph.find_cycle()
    if cycle is not None:
        raise CycleError([data.names[v] for v in cycle], "`edges`")
    families = [(v, tuple(graph.parents[v])) for v in graph.nodes]
    return float(sum(data.scores(families, score, equivalent_sample_size)))


def hill_climb_structure(
    X,
    *,
    score="bic",
    equivalent_sample_size=10.0,
    max_parents=None,
    start=(),
    required=(),
    forbidden=(),
    tabu=10,
    max_worse=10,
    max_iter=10_000,
    sample_weight=None,
):
    """Graph by greedy search over single changes of an edge, with a tabu list.

    In each step the best addition, removal or reversal of an edge is made that is not tabu and makes no cycle, even if
    it lowers the score; the search ends after `max_worse` steps without a new best graph, which is returned.

    Parameters
    ----------
    X : array-like or data frame of shape (n_samples, n_features)
        Complete discrete columns.
    score : {"bic", "aic", "bdeu", "k2"}, default="bic"
    equivalent_sample_size : float, default=10.0
        For "bdeu".
    max_parents : int or None, default=None
    start : list of (parent, child)
        The graph to begin with.
    required, forbidden : list of (parent, child)
        Edges that must, or must not, be present.
    tabu : int, default=10
        Number of last changes that may not be undone. 0 with ``max_worse=0`` is plain hill climbing.
    max_worse : int, default=10
    max_iter : int, default=10000
    sample_weight : array-like of shape (n_samples,) or None, default=None

    Returns
    -------
    Structure
        With ``edges``, ``score`` and the ``history`` of changes.

    Notes
    -----
    Local scores of families are kept, so that a step counts only families of nodes whose parents have changed. Edges
    whose reversal gives an equivalent graph have an arbitrary direction. Do not read arrows as causes.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.bayes import hill_climb_structure
    >>> rng = np.random.default_rng(0)
    >>> a = rng.integers(0, 2, 500)
    >>> b = np.where(rng.uniform(size=500) < 0.9, a, 1 - a)
    >>> hill_climb_structure(np.column_stack([a, b, rng.integers(0, 2, 500)])).edges
    [('x0', 'x1')]
    """
    check_arguments(
        hill_climb_structure,
        score=(score, [Options(*SCORES[:4])]),
        equivalent_sample_size=(equivalent_sample_size, [Real(0, None, closed="neither")]),
        max_parents=(max_parents, [Int(0, None), None]),
        tabu=(tabu, [Int(0, None)]),
        max_worse=(max_worse, [Int(0, None)]),
        max_iter=(max_iter, [Int(0, None)]),
    )
    data = DiscreteData(X, sample_weight, "hill_climb_structure")
    search = _HillClimb(
        data,
        lambda families: data.scores(families, score, equivalent_sample_size),
        len(data.names) if max_parents is None else max_parents,
        set(_as_edges(required, data, "required")),
        set(_as_edges(forbidden, data, "forbidden")),
        _as_edges(start, data, "start"),
    )
    return search.run(tabu, max_worse, max_iter)


class _HillClimb:
    def __init__(self, data, scores, max_parents, required, forbidden, start):
        self.data, self.scores, self.max_parents = data, scores, max_parents
        self.required, self.forbidden = required, forbidden
        self.n = len(data.names)
        if required & forbidden:
            a, b = next(iter(required & forbidden))
            raise ValueError(f"`required` and `forbidden` share the edge {(data.names[a], data.names[b])}.")
        edges = [*required, *(e for e in start if e not in required)]
        cycle = Digraph(range(self.n), edges).find_cycle()
        if cycle is not None:
            raise CycleError([data.names[v] for v in cycle], "`start` with `required`")
        self.parents = [set() for _ in range(self.n)]
        for a, b in edges:
            self.parents[b].add(a)
        self.local = self.scores([(v, self.family(v)) for v in range(self.n)])
        # gain[v][u]: change of the score of v if u becomes, or ceases to be, a parent.
        self.gain = np.full((self.n, self.n), -np.inf)
        self.reach = self._closure()
        self.renew(range(self.n))

    def family(self, v, toggled=None):
        members = self.parents[v] if toggled is None else self.parents[v] ^ {toggled}
        return tuple(sorted(members))

    def renew(self, nodes):
        pairs = [
            (v, u)
            for v in nodes
            for u in range(self.n)
            if u != v and (u in self.parents[v] or len(self.parents[v]) < self.max_parents)
        ]
        scores = self.scores([(v, self.family(v, u)) for v, u in pairs])
        for v in nodes:
            self.gain[v] = -np.inf
        for (v, u), value in zip(pairs, scores):
            self.gain[v, u] = value - self.local[v]

    def _closure(self):
        """reach[u, v]: whether there is a directed path from u to v."""
        reach = np.zeros((self.n, self.n), dtype=bool)
        for v, node_parents in enumerate(self.parents):
            for u in node_parents:
                reach[u, v] = True
        for k in range(self.n):
            reach |= np.outer(reach[:, k], reach[k])
        return reach

    def changes(self):
        """Allowed changes as (gain, kind, u, v), for edges u -> v."""
        for v in range(self.n):
            for u in range(self.n):
                if u == v:
                    continue
                if u in self.parents[v]:
                    if (u, v) in self.required:
                        continue
                    yield self.gain[v, u], "remove", u, v
                    # Reversal makes a cycle if there is another path from u to v.
                    other_path = any(self.reach[u, w] for w in self.parents[v])
                    if (v, u) not in self.forbidden and len(self.parents[u]) < self.max_parents and not other_path:
                        yield self.gain[v, u] + self.gain[u, v], "reverse", u, v
                elif (u, v) not in self.forbidden and v not in self.parents[u] and not self.reach[v, u]:
                    yield self.gain[v, u], "add", u, v

    def apply(self, kind, u, v):
        touched = [v]
        if kind == "add":
            self.parents[v].add(u)
        else:
            self.parents[v].discard(u)
            if kind == "reverse":
                self.parents[u].add(v)
                touched.append(u)
        for w in touched:
            self.local[w] = self.scores([(w, self.family(w))])[0]
        self.reach = self._closure()
        self.renew(touched)

    def run(self, tabu, max_worse, max_iter):
        names = self.data.names
        best, best_score = [set(p) for p in self.parents], sum(self.local)
        recent = deque(maxlen=tabu) if tabu else ()
        worse, history = 0, []
        for _ in range(max_iter):
            options = [c for c in self.changes() if np.isfinite(c[0]) and (c[1], c[2], c[3]) not in recent]
            if not options:
                break
            top = max(c[0] for c in options)
            # Equivalent changes differ by rounding: the first in the order of the columns is made.
            near = [c for c in options if c[0] >= top - 1e-9 * max(1.0, abs(top))]
            gain, kind, u, v = min(near, key=lambda c: (c[2], c[3], c[1]))
            if gain <= 1e-9 and worse >= max_worse:
                break
            self.apply(kind, u, v)
            if tabu:
                undo = {"add": ("remove", u, v), "remove": ("add", u, v), "reverse": ("reverse", v, u)}[kind]
                recent.append(undo)
            score = sum(self.local)
            history.append((kind, names[u], names[v], float(score)))
            if score > best_score + 1e-9 * max(1.0, abs(best_score)):
                best, best_score, worse = [set(p) for p in self.parents], score, 0
            else:
                worse += 1
                if worse > max_worse:
                    break
        edges = [(names[u], names[v]) for v in range(self.n) for u in sorted(best[v])]
        return Structure(
            names,
            sorted(edges, key=lambda e: (names.index(e[0]), names.index(e[1]))),
            score=float(best_score),
            history=history,
        )


def mutual_informations(data, given=None):
    """Matrix of (conditional) mutual information of all pairs of columns, in nats."""
    p = len(data.names)
    columns = [j for j in range(p) if j != given]
    pairs = list(combinations(columns, 2))
    extra = () if given is None else (given,)
    M = np.zeros((p, p))
    step = 2000
    for begin in range(0, len(pairs), step):
        batch = pairs[begin : begin + step]
        for (a, b), N in zip(batch, data.counts([(*extra, a, b) for a, b in batch])):
            N = N.reshape(-1, *N.shape[-2:])
            total = N.sum()
            value = (
                xlogy(N, N).sum()
                - xlogy(N.sum(axis=2), N.sum(axis=2)).sum()
                - xlogy(N.sum(axis=1), N.sum(axis=1)).sum()
                + xlogy(N.sum(axis=(1, 2)), N.sum(axis=(1, 2))).sum()
            ) / max(total, 1e-300)
            M[a, b] = M[b, a] = max(value, 0.0)
    return M


def spanning_tree(weights, root, nodes):
    """Edges (parent, child) of a maximum spanning tree over the nodes, directed away from the root (Prim)."""
    inside, edges = [root], []
    best = {v: root for v in nodes if v != root}
    while best:
        v = max(best, key=lambda u: (weights[best[u], u], -u))
        edges.append((best.pop(v), v))
        inside.append(v)
        for u in best:
            if weights[v, u] > weights[best[u], u]:
                best[u] = v
    return edges


def chow_liu_structure(X, *, root=None, sample_weight=None):
    """Chow-Liu tree: the tree with the largest likelihood.

    Parameters
    ----------
    X : array-like or data frame of shape (n_samples, n_features)
        Discrete columns. Rows with a missing value are left out of the pairs that it belongs to.
    root : name or None, default=None
        Node from which edges are directed; None means the first column.
    sample_weight : array-like of shape (n_samples,) or None, default=None

    Returns
    -------
    Structure
        The maximum spanning tree of the mutual informations.

    References
    ----------
    Chow, C. K. & Liu, C. N. (1968). Approximating discrete probability distributions with dependence trees. IEEE
    Transactions on Information Theory 14, 462-467.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.bayes import chow_liu_structure
    >>> a = np.arange(200) % 2
    >>> b = np.where(np.arange(200) % 10 == 0, 1 - a, a)
    >>> c = np.where(np.arange(200) % 7 == 0, 1 - b, b)
    >>> chow_liu_structure(np.column_stack([a, c, b])).edges
    [('x0', 'x2'), ('x2', 'x1')]
    """
    data = DiscreteData(X, sample_weight, "chow_liu_structure", allow_missing=True)
    start = 0 if root is None else data.number(root, "root")
    M = mutual_informations(data)
    edges = spanning_tree(M, start, range(len(data.names)))
    names = data.names
    return Structure(names, [(names[a], names[b]) for a, b in edges])


def meek_rules(nodes, directed, free):
    """Meek's rules: direct edges that would otherwise make a new collision or a cycle."""
    directed, free = dict.fromkeys(directed), list(free)
    nodes = list(nodes)

    def joined(a, b):
        return (a, b) in directed or (b, a) in directed or (a, b) in free or (b, a) in free

    def forced(a, b):
        if any((c, a) in directed and not joined(c, b) for c in nodes if c not in (a, b)):
            return True
        if any((a, c) in directed and (c, b) in directed for c in nodes):
            return True
        middle = [c for c in nodes if (c, b) in directed and ((a, c) in free or (c, a) in free)]
        if any(not joined(c, d) for c, d in combinations(middle, 2)):
            return True
        return any(
            (d, c) in directed and not joined(d, b) and joined(a, c)
            for c in nodes
            if (c, b) in directed
            for d in nodes
            if (a, d) in free or (d, a) in free
        )

    changed = True
    while changed:
        changed = False
        for a, b in list(free):
            for u, v in ((a, b), (b, a)):
                if forced(u, v) and Digraph(nodes, [*directed, (u, v)]).find_cycle() is None:
                    free.remove((a, b))
                    directed[(u, v)] = None
                    changed = True
                    break
    return list(directed), free
