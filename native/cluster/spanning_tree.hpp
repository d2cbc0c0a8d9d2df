// Minimum spanning trees: all that single linkage and HDBSCAN need to know of the distances.
#pragma once

#include <vector>

#include "cluster/merge_tree.hpp"
#include "common/interrupt.hpp"
#include "common/view.hpp"

namespace statlearn::cluster {

// The k-th smallest distance of each row of X (n x p, row-major) to a row of X, itself included (k = 1 gives 0).
void core_distances(Span<const double> X, Index n, Index p, Index k, const Interrupt& interrupt, Span<double> core);

// Minimum spanning tree of the rows of X (n x p, row-major, finite, n >= 2) under max(core_i, core_j, |x_i - x_j| /
// alpha); an empty `core` means plain distances (alpha 1). Boruvka's algorithm: in every round each component takes its
// shortest edge to another one, found in a box tree that skips boxes of one component. A short list of nearest
// neighbours serves the first rounds, and the best edge known so far bounds all searches of a component.
// Edges whose square exceeds `longest` are left out, which gives a forest: n minus its number of trees.
// Memory O(n). Returns the edges unsorted; the same for any number of threads.
std::vector<Merge> spanning_tree(Span<const double> X, Index n, Index p, Span<const double> core, double alpha,
                                 double longest, const Interrupt& interrupt);

// The same by Prim's algorithm on a full matrix of distances (n x n, row-major). Where the graph is not connected the
// edges are infinite.
std::vector<Merge> spanning_tree(Span<const double> D, Index n, Span<const double> core, const Interrupt& interrupt);

}  // namespace statlearn::cluster
