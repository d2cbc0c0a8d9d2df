"""Directed and undirected graphs, separation, triangulation and junction trees."""

import pickle
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from statlearn._math.graphs.graph import CycleError, Digraph, Graph


@st.composite
def dags(draw, most=7):
    n = draw(st.integers(1, most))
    order = draw(st.permutations(range(n)))
    pairs = [(order[i], order[j]) for i in range(n) for j in range(i + 1, n)]
    return Digraph(range(n), [pair for pair in pairs if draw(st.booleans())], acyclic=True)


@st.composite
def graphs(draw, most=7):
    n = draw(st.integers(1, most))
    return Graph(range(n), [pair for pair in combinations(range(n), 2) if draw(st.booleans())])


def separated_by_moral_graph(dag, a, b, given):
    """The classical definition: separation in the moral graph of the ancestors."""
    return dag.subgraph(dag.ancestors({a, b, *given})).moral().separated({a}, {b}, set(given))


@settings(max_examples=60)
@given(dags(), st.data())
def test_d_separation_equals_separation_in_the_moral_ancestral_graph(dag, data):
    if len(dag) < 2:
        return
    a, b, *rest = data.draw(st.permutations(dag.nodes))
    given_nodes = [node for node in rest if data.draw(st.booleans())]
    assert dag.d_separated({a}, {b}, given_nodes) == separated_by_moral_graph(dag, a, b, given_nodes)


@settings(max_examples=60)
@given(dags())
def test_topological_order_puts_parents_first_and_ancestors_are_closed(dag):
    place = {node: i for i, node in enumerate(dag.topological_order())}
    assert len(place) == len(dag)
    assert all(place[a] < place[b] for a, b in dag.edges())
    for node in dag.nodes:
        above = dag.ancestors({node})
        assert node in above
        assert all(set(dag.parents[v]) <= above for v in above)
        assert all((node in dag.ancestors({v})) == (v in dag.descendants({node})) for v in dag.nodes)
        blanket = dag.markov_blanket(node)
        others = set(dag.nodes) - blanket - {node}
        assert not others or dag.d_separated({node}, others, blanket)


def test_the_cycle_is_named():
    with pytest.raises(CycleError, match="b -> c -> d -> b") as info:
        Digraph("abcd", ["ab", "bc", "cd", "db"], acyclic=True)
    assert info.value.cycle == ["b", "c", "d", "b"]
    assert str(pickle.loads(pickle.dumps(info.value))) == str(info.value)
    graph = Digraph("abcd", ["ab", "bc", "cd", "db"])
    with pytest.raises(CycleError):
        graph.topological_order()


@pytest.mark.parametrize(
    ("nodes", "edges", "message"),
    [("aab", [], "'a' occurs twice"), ("ab", ["ac"], "'c' in .* is not a node"), ("ab", ["aa"], "to itself"),
     ("ab", ["aba"], "not a pair")],
)  # fmt: skip
def test_wrong_graphs_raise(nodes, edges, message):
    for kind in (Digraph, Graph):
        with pytest.raises(ValueError, match=message):
            kind(nodes, edges)


def test_separation_raises_for_unknown_and_shared_nodes():
    graph = Digraph("abc", ["ab"])
    with pytest.raises(ValueError, match="given: 'x' is not a node"):
        graph.d_separated("a", "b", "x")
    with pytest.raises(ValueError, match="a and given share the node 'a'"):
        graph.d_separated("a", "b", "a")
    with pytest.raises(ValueError, match="a and b share"):
        graph.skeleton().separated("a", "a")


def test_names_of_several_letters_and_tuples_are_single_nodes():
    graph = Digraph(["rain", "wet", ("t", 1)], [("rain", "wet"), ("wet", ("t", 1))])
    assert graph.d_separated("rain", ("t", 1), given="wet")
    assert graph.v_structures() == []
    assert Digraph("abc", ["ac", "bc"]).v_structures() == [("a", "c", "b")]


@settings(max_examples=60)
@given(graphs())
def test_separation_equals_search_over_paths(graph):
    adjacency = np.zeros((len(graph), len(graph)), bool)
    for a, b in graph.edges():
        adjacency[a, b] = adjacency[b, a] = True
    for a, b in combinations(graph.nodes, 2):
        blocked = [v for v in graph.nodes if v not in (a, b)][::2]
        kept = np.setdiff1d(graph.nodes, blocked)
        reach = np.linalg.matrix_power(
            adjacency[np.ix_(kept, kept)].astype(int) + np.eye(len(kept), dtype=int), len(graph)
        )
        joined = reach[kept.tolist().index(a), kept.tolist().index(b)] > 0
        assert graph.separated({a}, {b}, blocked) == (not joined)


@settings(max_examples=60)
@given(graphs())
def test_cliques_are_exactly_the_maximal_complete_sets(graph):
    def complete(nodes):
        return all(graph.has_edge(a, b) for a, b in combinations(nodes, 2))

    every = [set(s) for k in range(1, len(graph) + 1) for s in combinations(graph.nodes, k) if complete(s)]
    maximal = [s for s in every if not any(s < t for t in every)]
    assert sorted(map(sorted, maximal)) == graph.cliques()


@settings(max_examples=60)
@given(graphs(9))
def test_triangulation_is_chordal_with_its_cliques_and_keeps_chordal_graphs(graph):
    result = graph.triangulate()
    filled = Graph(graph.nodes, [*graph.edges(), *result.fill])
    assert filled.is_chordal()
    assert sorted(result.cliques) == filled.cliques()
    if graph.is_chordal():
        assert result.fill == []
    assert graph.triangulate(order=result.order).fill == result.fill


@settings(max_examples=60)
@given(graphs(9))
def test_junction_tree_has_the_running_intersection_property(graph):
    tree = graph.triangulate().junction_tree()
    assert sorted(tree.order) == list(range(len(tree.cliques)))
    assert sum(p < 0 for p in tree.parent) == len(graph.components())
    assert all(tree.order.index(p) < tree.order.index(i) for i, p in enumerate(tree.parent) if p >= 0)
    for node in graph.nodes:  # the cliques with this node form one tree: one less inner edge than cliques
        holders = [i for i, clique in enumerate(tree.cliques) if node in clique]
        assert sum(node in tree.separators[i] for i in holders) == len(holders) - 1
    assert sum(map(len, tree.neighbors())) == 2 * sum(p >= 0 for p in tree.parent)


def test_min_fill_of_a_cycle_adds_the_fewest_chords():
    ring = Graph(range(8), [(i, (i + 1) % 8) for i in range(8)])
    result = ring.triangulate()
    assert len(result.fill) == 5
    assert max(map(len, result.cliques)) == 3
    with pytest.raises(ValueError, match="every node"):
        ring.triangulate(order=[0, 1])
