// Lengths of shortest paths between all nodes of a sparse graph.
#pragma once

#include <span>

#include "common/interrupt.hpp"
#include "common/view.hpp"

namespace statlearn::manifold {

// An undirected graph in compressed rows: edge k of node i, starts[i] <= k < starts[i + 1], leads to ends[k] and has
// the length lengths[k] >= 0. Every edge is listed from both of its ends.
struct Graph {
    std::span<const int> starts, ends;
    std::span<const double> lengths;
    Index n = 0;
};

// distance(r, j) = length of the shortest path from node sources[r] to node j, infinity where there is none, by
// Dijkstra's algorithm with a 4-ary heap, one source per unit of work. Cost O((n + m) log n) per source.
// Stops early, with the rest untouched, when interrupted.
void shortest_paths(const Graph& graph, std::span<const int> sources, const Interrupt& interrupt,
                    MatrixView<double> distance);

}  // namespace statlearn::manifold
