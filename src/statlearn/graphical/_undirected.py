"""Undirected graphs of variables: from a precision matrix, cliques, separation, drawings."""

import numpy as np

from statlearn._math.graphs.graph import Graph


class UndirectedGraph(Graph):
    """Undirected graph over named variables that can draw itself.

    Parameters
    ----------
    nodes : iterable of hashable
        Distinct names.
    edges : iterable of (node, node)
    weights : dict of (node, node) to float, or None, default=None
        Number per edge, such as a partial correlation; drawings show its size and sign.

    Attributes
    ----------
    nodes : list
    neighbors : dict of lists

    See Also
    --------
    dependence_graph : the graph of a precision matrix.

    Examples
    --------
    >>> from statlearn.graphical import UndirectedGraph
    >>> graph = UndirectedGraph("ABCD", ["AB", "BC", "CD"])
    >>> graph.separated("A", "D", given="C"), graph.cliques()
    (True, [['A', 'B'], ['B', 'C'], ['C', 'D']])
    >>> graph
    UndirectedGraph(4 nodes, 3 edges)
    """

    def __init__(self, nodes, edges=(), weights=None):
        super().__init__(nodes, edges)
        weight_of = {} if weights is None else dict(weights)
        self.weights = {}
        for a, b in self.edges():
            value = weight_of.get((a, b), weight_of.get((b, a)))
            if value is not None:
                self.weights[a, b] = float(value)

    def __repr__(self):
        return f"UndirectedGraph({len(self.nodes)} nodes, {len(self.edges())} edges)"

    def __eq__(self, other):
        return isinstance(other, Graph) and self.nodes == other.nodes and self.edges() == other.edges()

    __hash__ = None  # type: ignore[assignment]

    def adjacency(self):
        """Boolean matrix with True for each edge, in the order of the nodes."""
        A = np.zeros((len(self.nodes), len(self.nodes)), dtype=bool)
        for a, b in self.edges():
            i, j = self.index[a], self.index[b]
            A[i, j] = A[j, i] = True
        return A

    def to_networkx(self):
        """The graph as a ``networkx.Graph`` with the edge attribute ``weight``. Needs networkx."""
        try:
            import networkx
        except ImportError as error:
            raise ImportError("to_networkx() needs networkx: pip install networkx.") from error
        graph = networkx.Graph()
        graph.add_nodes_from(self.nodes)
        for a, b in self.edges():
            if (a, b) in self.weights:
                graph.add_edge(a, b, weight=self.weights[a, b])
            else:
                graph.add_edge(a, b)
        return graph

    def layout(self, kind="auto"):
        """Positions of the nodes for a drawing.

        Parameters
        ----------
        kind : {"auto", "circle", "distances"}, default="auto"
            "distances" places nodes by multidimensional scaling of the lengths of the shortest paths; "circle" in the
            order of the nodes; "auto" takes the circle for up to 12 nodes.

        Returns
        -------
        ndarray of shape (n_nodes, 2)
        """
        if kind not in ("auto", "circle", "distances"):
            raise ValueError(f"`kind` must be 'auto', 'circle' or 'distances', got {kind!r}.")
        n = len(self.nodes)
        angle = 2.0 * np.pi * np.arange(n) / max(n, 1)
        circle = np.column_stack([np.sin(angle), np.cos(angle)])
        if kind == "circle" or (kind == "auto" and n <= 12) or n < 3:
            return circle
        return _by_distances(self.adjacency(), circle)

    def plot(self, *, ax=None, layout="auto", labels=True, weights=True):
        """Draw the graph.

        Parameters
        ----------
        ax : matplotlib Axes or None, default=None
        layout : {"auto", "circle", "distances"} or array-like of shape (n_nodes, 2), default="auto"
        labels : bool, default=True
            Whether to write the names.
        weights : bool, default=True
            Whether the width and the colour of an edge show the size and the sign of its weight.

        Returns
        -------
        matplotlib Axes
        """
        from ._plots import draw_graph

        return draw_graph(self, ax=ax, layout=layout, labels=labels, weights=weights)


def _by_distances(adjacency, circle):
    """Stress majorisation of the path lengths, started on a circle; components at a fixed distance."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import shortest_path

    D = shortest_path(csr_array(adjacency), unweighted=True)
    finite = D[np.isfinite(D)]
    D[~np.isfinite(D)] = finite.max(initial=1.0) + 1.0
    n = len(D)
    weight = np.where(D > 0, 1.0 / np.maximum(D, 1.0) ** 2, 0.0)
    laplacian = np.diag(weight.sum(axis=1)) - weight
    solve = np.linalg.pinv(laplacian)
    points = circle * n / 4.0
    for _ in range(60):
        gap = np.linalg.norm(points[:, None] - points[None], axis=2)
        ratio = np.where(gap > 1e-9, weight * D / np.maximum(gap, 1e-9), 0.0)
        points = solve @ (np.diag(ratio.sum(axis=1)) - ratio) @ points
    points -= points.mean(axis=0)
    return points / max(np.abs(points).max(), 1e-12)


def names_of(names, p, argument="names"):
    """Names of p variables, ``x0, x1, ...`` by default, checked."""
    if names is None:
        return [f"x{k}" for k in range(p)]
    names = [str(name) if isinstance(name, np.str_) else name for name in names]
    if len(names) != p:
        raise ValueError(f"`{argument}` has {len(names)} entries for {p} variables.")
    return names


def dependence_graph(precision, *, threshold=0.0, names=None):
    """Graph with an edge wherever the precision matrix is not zero.

    Two variables are joined unless they are independent given all others.

    Parameters
    ----------
    precision : array-like of shape (n_features, n_features)
    threshold : float, default=0.0
        Absolute partial correlations up to this value count as zero.
    names : list or None, default=None
        Names of the variables; ``x0, x1, ...`` by default.

    Returns
    -------
    UndirectedGraph
        Its weights are the partial correlations.

    Examples
    --------
    >>> from statlearn.graphical import dependence_graph
    >>> dependence_graph([[2.0, -1.0, 0.0], [-1.0, 2.0, -1.0], [0.0, -1.0, 2.0]], names="abc").edges()
    [('a', 'b'), ('b', 'c')]
    """
    from ._gaussian import partial_correlation

    K = np.asarray(precision, dtype=np.float64)
    if K.ndim != 2 or K.shape[0] != K.shape[1]:
        raise ValueError(f"`precision` must be a square matrix, got shape {K.shape}.")
    R = partial_correlation(precision=K)
    names = names_of(names, len(K))
    i, j = np.nonzero(np.triu((K != 0) & (np.abs(R) > threshold), 1))
    edges = [(names[a], names[b]) for a, b in zip(i, j)]
    return UndirectedGraph(names, edges, {edge: R[a, b] for edge, a, b in zip(edges, i, j)})


def as_graph(graph, names):
    """A graph over `names` from an `UndirectedGraph`, a boolean matrix or a list of pairs of columns."""
    p = len(names)
    if isinstance(graph, Graph):
        unknown = [node for node in graph.nodes if node not in set(names)]
        if unknown and list(graph.nodes) == list(range(p)):
            return UndirectedGraph(names, [(names[a], names[b]) for a, b in graph.edges()])
        if unknown:
            raise ValueError(f"`graph` has the node {unknown[0]!r}, which is not a column; columns are {names[:8]}.")
        return UndirectedGraph(names, graph.edges())
    if isinstance(graph, np.ndarray) or (hasattr(graph, "shape") and len(graph.shape) == 2):
        A = np.asarray(graph)
        if A.shape != (p, p) and not (A.ndim == 2 and A.shape[1] == 2 and A.shape[0] != p):
            raise ValueError(f"`graph` must have shape {(p, p)}, one row per column of X, got {A.shape}.")
        if A.shape == (p, p) and not (p == 2 and A.dtype != bool and A.max() > 1):
            A = A != 0
            if not np.array_equal(A, A.T):
                raise ValueError("`graph` must be a symmetric matrix: an edge has no direction.")
            i, j = np.nonzero(np.triu(A, 1))
            return UndirectedGraph(names, [(names[a], names[b]) for a, b in zip(i, j)])
        graph = A.tolist()
    edges = []
    for edge in graph:
        pair = tuple(edge)
        if len(pair) != 2:
            raise ValueError(f"`graph` must contain pairs of nodes, got {edge!r}.")
        a, b = (column_of(value, names, "graph") for value in pair)
        if a == b:
            raise ValueError(f"`graph` joins {a!r} to itself; remove this edge.")
        edges.append((a, b))
    return UndirectedGraph(names, edges)


def column_of(value, names, argument):
    """The name of a column that an argument gives by name or number."""
    if value in names:
        return value
    if isinstance(value, (int, np.integer)) and not isinstance(value, bool) and 0 <= value < len(names):
        return names[value]
    raise ValueError(f"`{argument}` has the node {value!r}, which is not a column; columns are {names[:8]}.")


def _any_graph(graph):
    if isinstance(graph, Graph):
        return graph
    edges = [tuple(edge) for edge in graph]
    nodes = dict.fromkeys(node for edge in edges for node in edge)
    return UndirectedGraph(nodes, edges)


def maximal_cliques(graph):
    """Maximal complete subgraphs, by the algorithm of Bron and Kerbosch.

    Parameters
    ----------
    graph : UndirectedGraph or list of pairs

    Returns
    -------
    list of lists of nodes

    Examples
    --------
    >>> from statlearn.graphical import maximal_cliques
    >>> maximal_cliques(["ab", "bc", "ac", "cd"])
    [['a', 'b', 'c'], ['c', 'd']]
    """
    return _any_graph(graph).cliques()


def generating_class(graph):
    """Formula of the graphical model: its maximal cliques.

    Parameters
    ----------
    graph : UndirectedGraph or list of pairs

    Returns
    -------
    str
        Cliques joined by plus signs, the names within a clique by asterisks.

    Examples
    --------
    >>> from statlearn.graphical import generating_class
    >>> generating_class(["ab", "bc", "ac", "cd"])
    'a*b*c + c*d'
    """
    return " + ".join("*".join(map(str, clique)) for clique in _any_graph(graph).cliques())


def separates(graph, a, b, given):
    """Whether every path from `a` to `b` meets `given`.

    In a distribution with the global Markov property, `a` and `b` are then independent given `given`.

    Parameters
    ----------
    graph : UndirectedGraph or list of pairs
    a, b, given : node or collection of nodes
        Disjoint sets.

    Returns
    -------
    bool

    Examples
    --------
    >>> from statlearn.graphical import separates
    >>> separates(["ab", "bc", "cd", "da"], "a", "c", given=["b", "d"])
    True
    >>> separates(["ab", "bc", "cd", "da"], "a", "c", given="b")
    False
    """
    return _any_graph(graph).separated(a, b, given)


class GraphMixin:
    """`to_graph` and `plot` for estimators with a sparse `precision_`."""

    def to_graph(self):
        """Graph of the non-zero entries of the precision matrix, weighted by partial correlations.

        Returns
        -------
        UndirectedGraph
        """
        from sklearn.utils.validation import check_is_fitted

        from statlearn._core.names import input_names

        check_is_fitted(self)
        return dependence_graph(self.get_precision(), names=input_names(self))

    def plot(self, *, ax=None, layout="auto"):
        """Draw the graph; positive partial correlations and negative ones have different colours.

        Parameters
        ----------
        ax : matplotlib Axes or None, default=None
        layout : {"auto", "circle", "distances"} or array-like of shape (n_features, 2), default="auto"

        Returns
        -------
        matplotlib Axes
        """
        return self.to_graph().plot(ax=ax, layout=layout)
