"""Directed and undirected graphs over named nodes: orders, separation, triangulation and junction trees.

Nodes are any hashable names. Everything that lists nodes does so in the order of the nodes of the graph, so that no
result depends on hashing.
"""

import heapq
from itertools import combinations


class CycleError(ValueError):
    """A directed graph has a cycle; `cycle` lists its nodes, with the first one repeated at the end."""

    def __init__(self, cycle, owner="The graph"):
        self.cycle = list(cycle)
        super().__init__(f"{owner} has the directed cycle {' -> '.join(map(str, cycle))}; remove one of its edges.")

    def __reduce__(self):
        return _rebuilt_error, (self.cycle, str(self))


def _rebuilt_error(cycle, message):
    error = CycleError(cycle)
    error.args = (message,)
    return error


class _Nodes:
    """Names and positions of nodes, with checks that name what is wrong."""

    def __init__(self, nodes):
        self.nodes = list(nodes)
        self.index = {node: i for i, node in enumerate(self.nodes)}
        if len(self.index) < len(self.nodes):
            repeated = next(node for i, node in enumerate(self.nodes) if self.index[node] != i)
            raise ValueError(f"nodes: {repeated!r} occurs twice; names must be distinct.")

    def __len__(self):
        return len(self.nodes)

    def __contains__(self, node):
        try:
            return node in self.index
        except TypeError:
            return False

    def ordered(self, nodes):
        """The given nodes as a list in the graph's order."""
        return sorted(nodes, key=self.index.__getitem__)

    def node_set(self, nodes, argument):
        """One name, or a collection of names, as a set of known nodes."""
        names = (
            {nodes} if nodes in self else set() if nodes is None else {nodes} if isinstance(nodes, str) else set(nodes)
        )
        for node in names:
            if node not in self:
                raise ValueError(f"{argument}: {node!r} is not a node of the graph.")
        return names

    def _checked_edges(self, edges):
        """Pairs of distinct known nodes without repetitions."""
        seen = {}
        for edge in edges:
            pair = tuple(edge)
            if len(pair) != 2:
                raise ValueError(f"edges: {edge!r} is not a pair of nodes.")
            for node in pair:
                if node not in self:
                    raise ValueError(f"edges: {node!r} in {pair!r} is not a node of the graph.")
            if pair[0] == pair[1]:
                raise ValueError(f"edges: {pair!r} joins a node to itself.")
            seen[pair] = None
        return list(seen)

    def _separation_sets(self, a, b, given):
        a, b, given = self.node_set(a, "a"), self.node_set(b, "b"), self.node_set(given, "given")
        for name, both in (("a and b", a & b), ("a and given", a & given), ("b and given", b & given)):
            if both:
                raise ValueError(f"{name} share the node {self.ordered(both)[0]!r}; the sets must be disjoint.")
        return a, b, given


class Digraph(_Nodes):
    """A directed graph.

    Parameters
    ----------
    nodes : iterable of hashable
    edges : iterable of (parent, child)
    acyclic : bool, default=False
        Whether to raise `CycleError` if there is a directed cycle.

    Attributes
    ----------
    parents, children : dict of lists
        Of every node, in the order of the nodes.

    Examples
    --------
    >>> from statlearn._math.graphs.graph import Digraph
    >>> graph = Digraph("RSWG", ["RW", "SW", "RG"])  # rain, sprinkler, wet street, grey sky
    >>> graph.topological_order(), graph.moral().edges()
    (['R', 'S', 'W', 'G'], [('R', 'S'), ('R', 'W'), ('R', 'G'), ('S', 'W')])
    >>> graph.d_separated("S", "R"), graph.d_separated("S", "R", given="W")
    (True, False)
    """

    def __init__(self, nodes, edges=(), *, acyclic=False):
        super().__init__(nodes)
        self.parents = {node: [] for node in self.nodes}
        self.children = {node: [] for node in self.nodes}
        for parent, child in sorted(self._checked_edges(edges), key=lambda e: (self.index[e[0]], self.index[e[1]])):
            self.children[parent].append(child)
            self.parents[child].append(parent)
        if acyclic:
            cycle = self.find_cycle()
            if cycle is not None:
                raise CycleError(cycle)

    def edges(self):
        """All edges, by parent and then child."""
        return [(parent, child) for parent in self.nodes for child in self.children[parent]]

    def topological_order(self):
        """All nodes with parents before children, otherwise in the order of the nodes. Raises `CycleError`."""
        waiting = {node: len(parents) for node, parents in self.parents.items()}
        ready = [self.index[node] for node in self.nodes if not waiting[node]]
        order = []
        while ready:
            node = self.nodes[heapq.heappop(ready)]
            order.append(node)
            for child in self.children[node]:
                waiting[child] -= 1
                if not waiting[child]:
                    heapq.heappush(ready, self.index[child])
        if len(order) < len(self):
            raise CycleError(self.find_cycle())
        return order

    def find_cycle(self):
        """A directed cycle as a list of nodes with the first one repeated at the end, or None."""
        done, on_path = set(), {}
        for start in self.nodes:
            stack = [(start, iter(self.children[start]))] if start not in done else []
            path = [start] if stack else []
            if stack:
                on_path = {start: 0}
            while stack:
                node, rest = stack[-1]
                child = next(rest, None)
                if child is None:
                    stack.pop()
                    path.pop()
                    del on_path[node]
                    done.add(node)
                elif child in on_path:
                    return [*path[on_path[child] :], child]
                elif child not in done:
                    on_path[child] = len(path)
                    path.append(child)
                    stack.append((child, iter(self.children[child])))
        return None

    def _closure(self, nodes, step):
        reached, waiting = set(nodes), list(nodes)
        while waiting:
            for other in step[waiting.pop()]:
                if other not in reached:
                    reached.add(other)
                    waiting.append(other)
        return reached

    def ancestors(self, nodes):
        """The given nodes and all their ancestors, as a set."""
        return self._closure(self.node_set(nodes, "nodes"), self.parents)

    def descendants(self, nodes):
        """The given nodes and all their descendants, as a set."""
        return self._closure(self.node_set(nodes, "nodes"), self.children)

    def markov_blanket(self, node):
        """Parents, children and the children's other parents of a node, as a set."""
        (node,) = self.node_set(node, "node")
        children = self.children[node]
        return {*self.parents[node], *children, *(p for child in children for p in self.parents[child])} - {node}

    def subgraph(self, nodes):
        """The graph of the given nodes and the edges among them."""
        chosen = self.node_set(nodes, "nodes")
        return Digraph(self.ordered(chosen), [e for e in self.edges() if e[0] in chosen and e[1] in chosen])

    def skeleton(self):
        """The undirected graph of the same edges."""
        return Graph(self.nodes, self.edges())

    def v_structures(self):
        """Triples (a, c, b) with edges a -> c <- b and no edge between a and b; a before b."""
        joined = {frozenset(edge) for edge in self.edges()}
        return [
            (a, c, b)
            for c in self.nodes
            for a, b in combinations(self.parents[c], 2)
            if frozenset((a, b)) not in joined
        ]

    def moral(self):
        """The moral graph: parents of a common child joined, directions dropped."""
        married = (pair for node in self.nodes for pair in combinations(self.parents[node], 2))
        return Graph(self.nodes, [*self.edges(), *married])

    def d_separated(self, a, b, given=()):
        """Whether `given` blocks every path between `a` and `b`, each one node or a collection of nodes.

        Linear in the number of edges (reachability along active trails).
        """
        a, b, given = self._separation_sets(a, b, given)
        return not (self.d_connected(a, given) & b)

    def d_connected(self, a, given=()):
        """The nodes that `given` does not separate from `a`, as a set; it includes `a` and excludes `given`."""
        a, given = self.node_set(a, "a"), self.node_set(given, "given")
        above_given = self.ancestors(given)
        # A trail arrives at a node from a child ("up") or from a parent ("down").
        waiting = [(node, "up") for node in a - given]
        visited, reached = set(), set()
        while waiting:
            state = waiting.pop()
            if state in visited:
                continue
            visited.add(state)
            node, direction = state
            if node not in given:
                reached.add(node)
                waiting.extend((child, "down") for child in self.children[node])
                if direction == "up":
                    waiting.extend((parent, "up") for parent in self.parents[node])
            if direction == "down" and node in above_given:
                waiting.extend((parent, "up") for parent in self.parents[node])
        return reached


class Graph(_Nodes):
    """An undirected graph.

    Parameters
    ----------
    nodes : iterable of hashable
    edges : iterable of (node, node)

    Attributes
    ----------
    neighbors : dict of lists
        Of every node, in the order of the nodes.

    Examples
    --------
    >>> from statlearn._math.graphs.graph import Graph
    >>> square = Graph("abcd", ["ab", "bc", "cd", "da"])
    >>> square.separated("a", "c", given=["b", "d"]), square.is_chordal()
    (True, False)
    >>> square.triangulate().cliques
    [['a', 'b', 'd'], ['b', 'c', 'd']]
    """

    def __init__(self, nodes, edges=()):
        super().__init__(nodes)
        joined = {node: set() for node in self.nodes}
        for a, b in self._checked_edges(edges):
            joined[a].add(b)
            joined[b].add(a)
        self.neighbors = {node: self.ordered(others) for node, others in joined.items()}

    def edges(self):
        """All edges, the node that comes first in the order of the nodes first."""
        index = self.index
        return [(a, b) for a in self.nodes for b in self.neighbors[a] if index[a] < index[b]]

    def has_edge(self, a, b):
        """Whether two nodes are joined."""
        return b in self.neighbors[a]

    def subgraph(self, nodes):
        """The graph of the given nodes and the edges among them."""
        chosen = self.node_set(nodes, "nodes")
        return Graph(self.ordered(chosen), [e for e in self.edges() if e[0] in chosen and e[1] in chosen])

    def components(self):
        """The connected components, as lists of nodes."""
        seen, parts = set(), []
        for node in self.nodes:
            if node not in seen:
                part = self._reachable({node}, set())
                seen |= part
                parts.append(self.ordered(part))
        return parts

    def _reachable(self, start, blocked):
        reached, waiting = set(start), list(start)
        while waiting:
            for other in self.neighbors[waiting.pop()]:
                if other not in reached and other not in blocked:
                    reached.add(other)
                    waiting.append(other)
        return reached

    def separated(self, a, b, given=()):
        """Whether every path between `a` and `b` passes through `given`; each is one node or a collection of nodes."""
        a, b, given = self._separation_sets(a, b, given)
        return not (self._reachable(a, given) & b)

    def cliques(self):
        """All maximal cliques, as lists of nodes (Bron-Kerbosch with pivots; exponential in the worst case)."""
        joined = {node: set(others) for node, others in self.neighbors.items()}
        cliques = []

        def extend(clique, candidates, excluded):
            if not candidates and not excluded:
                cliques.append(self.ordered(clique))
                return
            pivot = max(self.ordered(candidates | excluded), key=lambda node: len(joined[node] & candidates))
            for node in self.ordered(candidates - joined[pivot]):
                extend([*clique, node], candidates & joined[node], excluded & joined[node])
                candidates = candidates - {node}
                excluded = excluded | {node}

        if self.nodes:
            extend([], set(self.nodes), set())
        return sorted(cliques, key=lambda clique: [self.index[node] for node in clique])

    def is_chordal(self):
        """Whether every cycle of four or more nodes has a chord (maximum cardinality search)."""
        joined = {node: set(others) for node, others in self.neighbors.items()}
        numbered, order = set(), []
        while len(order) < len(self):
            rest = [node for node in self.nodes if node not in numbered]
            node = max(rest, key=lambda v: len(joined[v] & numbered))
            earlier = joined[node] & numbered
            if any(not earlier - {v} <= joined[v] for v in earlier):
                return False
            numbered.add(node)
            order.append(node)
        return True

    def triangulate(self, sizes=None, order=None):
        """Eliminate all nodes, and return a `Triangulation`.

        Parameters
        ----------
        sizes : dict or None, default=None
            Number of states of every node; breaks ties by the size of the clique that elimination creates.
        order : list or None, default=None
            The elimination order. By default the node whose elimination adds the fewest edges comes next (min-fill).
        """
        joined = {node: set(others) for node, others in self.neighbors.items()}
        sizes = dict.fromkeys(self.nodes, 2) if sizes is None else sizes
        if order is not None and (len(order) != len(self) or set(order) != set(self.nodes)):
            raise ValueError("order: must list every node of the graph exactly once.")

        def cost(node):
            around = joined[node]
            missing = sum(len(around) - 1 - len(joined[other] & around) for other in around) // 2
            weight = sizes[node]
            for other in around:
                weight *= sizes[other]
            return missing, weight, self.index[node]

        costs = {} if order is not None else {node: cost(node) for node in self.nodes}
        eliminated, fill, cliques = [], [], []
        for step in range(len(self)):
            node = order[step] if order is not None else min(costs, key=costs.__getitem__)
            around = joined.pop(node)
            new = [(a, b) for a, b in combinations(self.ordered(around), 2) if b not in joined[a]]
            touched = set(around)
            for a, b in new:
                touched |= joined[a] & joined[b]
                joined[a].add(b)
                joined[b].add(a)
            fill += new
            for other in around:
                joined[other].discard(node)
            clique = {node, *around}
            if not any(clique <= earlier for earlier in cliques):
                cliques.append(clique)
            eliminated.append(node)
            if order is None:
                del costs[node]
                costs.update((other, cost(other)) for other in touched if other in costs)
        return Triangulation(eliminated, fill, [self.ordered(clique) for clique in cliques])


class Triangulation:
    """Elimination order, added edges and maximal cliques of a triangulated graph.

    Attributes
    ----------
    order : list of nodes
    fill : list of (node, node)
    cliques : list of lists of nodes
        In the order in which elimination found them.
    """

    def __init__(self, order, fill, cliques):
        self.order, self.fill, self.cliques = order, fill, cliques

    def junction_tree(self):
        """A `JunctionTree` of the cliques."""
        return JunctionTree(self.cliques)


class JunctionTree:
    """A tree (or one tree per component) of cliques with the running intersection property.

    A spanning forest of maximal separator size. The cliques that contain a node are always connected.

    Parameters
    ----------
    cliques : list of lists of nodes
        The maximal cliques of a chordal graph.

    Attributes
    ----------
    cliques : list of lists of nodes
    parent : list of int
        Position of the clique's neighbour towards the root of its component, -1 at a root.
    order : list of int
        All cliques, each after its parent.
    separators : list of lists of nodes
        Nodes that each clique shares with its parent; empty at a root.
    """

    def __init__(self, cliques):
        self.cliques = [list(clique) for clique in cliques]
        sets = [frozenset(clique) for clique in self.cliques]
        holders = {}
        for i, clique in enumerate(self.cliques):
            for node in clique:
                holders.setdefault(node, []).append(i)
        self.parent = [-1] * len(sets)
        self.order = []
        inside = [False] * len(sets)
        for root in range(len(sets)):  # Prim's algorithm, component by component
            waiting = [] if inside[root] else [(0, root, -1)]
            while waiting:
                _, i, towards = heapq.heappop(waiting)
                if inside[i]:
                    continue
                inside[i] = True
                self.parent[i] = towards
                self.order.append(i)
                near = {k for node in self.cliques[i] for k in holders[node] if not inside[k]}
                for k in sorted(near):
                    heapq.heappush(waiting, (-len(sets[i] & sets[k]), k, i))
        self.separators = [
            [] if p < 0 else [node for node in clique if node in sets[p]]
            for clique, p in zip(self.cliques, self.parent, strict=True)
        ]

    def neighbors(self):
        """For every clique, the positions of the cliques joined to it."""
        joined = [[] for _ in self.cliques]
        for i, p in enumerate(self.parent):
            if p >= 0:
                joined[i].append(p)
                joined[p].append(i)
        return joined
