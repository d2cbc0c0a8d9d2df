// Lengths of shortest paths between all nodes of a sparse graph.
#pragma once

#include "common/interrupt.hpp"
#include "common/view.hpp"

namespace statlearn::manifold {

// An undirected graph in compressed rows: edge k of node i, starts[i] <= k < starts[i + 1], leads to ends[k] and has
// the length lengths[k] >= 0. Every edge is listed from both of its ends.
struct Graph {
    Span<const int> starts, ends;
    Span<const double> lengths;
    Index n = 0;
};

// distance(r, j) = length of the shortest path from node sources[r] to node j, infinity where there is none.
//
// Eight sources that are near one another go side by side, one per lane: where one path is short, the others are too,
// so that a variant of Dijkstra's algorithm which lets a node come back when one of its lengths has improved visits few
// nodes more than once. Any order of visits ends with the same bits: a length is the smallest of the sums along the
// paths, each added from the source on, and rounding never exchanges the order of two sums. Stops early, with the rest
// untouched, when interrupted.
void shortest_paths(const Graph& graph, Span<const int> sources, const Interrupt& interrupt, Matrix<double> distance);

}  // namespace statlearn::manifold
