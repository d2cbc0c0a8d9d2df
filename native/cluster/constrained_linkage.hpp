// Agglomeration in which only neighbours in a given graph may be merged.
#pragma once

#include <vector>

#include "cluster/linkage_matrix.hpp"
#include "common/interrupt.hpp"
#include "common/view.hpp"

namespace statlearn::cluster {

struct Edge {
    int a, b;  // a > b
    double length;
};

// Merges `count` times the two adjacent clusters with the smallest dissimilarity, kept in a heap; a new cluster is
// adjacent to all that were adjacent to its parts. Merge k makes node n + k and gives its children, the one that stood
// first in the edge last; `heights` may fall.
//
// Complete and average linkage know only the dissimilarities along edges (`length`): where one part has none to a
// neighbour, the other's stands for both. Ward linkage takes the rows of X (n x p) instead, and its height is as in
// ward.hpp. Requires a connected graph without loops; cost O(E log E) where merged neighbourhoods stay small.
// Returns the children, two for each merge.
std::vector<Index> constrained_merges(Index n, const std::vector<Edge>& edges, Linkage linkage, Span<const double> X,
                                      Index p, Index count, const Interrupt& interrupt, std::vector<double>& heights);

}  // namespace statlearn::cluster
