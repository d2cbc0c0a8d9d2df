// The k nearest points of every point of a KD-tree, itself among them.
//
// A search for the points themselves, without an order within a set, does less than a query for each of them. The
// points of a leaf share a list of the leaves near it; how far a point must look follows from the points of its leaf
// that have been answered (the triangle inequality); and the k-th distance is found by counting, not by sorting.
#pragma once

#include "common/interrupt.hpp"
#include "common/neighbor_graph.hpp"
#include "neighbors/kd_tree.hpp"

namespace statlearn::neighbors {

// The sets of a query with the points as its rows (Euclidean distance, ties by row number), at the places of the tree.
// Requires 0 < k <= n. Incomplete if interrupted. The same for any number of threads.
template <class T>
NearSets kd_tree_near_sets(const KdTree<T>& tree, Index k, const Interrupt& interrupt);

}  // namespace statlearn::neighbors
