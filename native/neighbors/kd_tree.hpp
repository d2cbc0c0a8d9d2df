// A KD-tree in flat arrays, and the searches on it.
//
// The rows are reordered so that every leaf holds `leaf` consecutive places (the last one what is left); a leaf is
// stored in blocks of eight points, coordinate by coordinate (lanes.hpp). A node is a run of leaves. Nodes are numbered
// in preorder, so that nothing but the number of leaves is needed to walk the tree:
//
//     node (id, first, count)  ->  left (id + 1, first, count / 2), right (id + 2 (count / 2), first + count / 2, rest)
//
// Every node has the bounding box of its points. Splits are at the median (rounded to whole leaves) of the widest
// coordinate, judged by a sample of the node's rows.
#pragma once

#include <vector>

#include "common/interrupt.hpp"
#include "common/view.hpp"
#include "neighbors/distances.hpp"
#include "neighbors/top_k.hpp"

namespace statlearn::neighbors {

struct TreeNode {
    Index id = 0, first = 0, count = 0;  // number of the node, its first leaf, how many leaves

    bool is_leaf() const { return count == 1; }
    Index half() const { return count / 2; }
    TreeNode left() const { return {id + 1, first, half()}; }
    TreeNode right() const { return {id + 2 * half(), first + half(), count - half()}; }
};

// Sizes that follow from the number of points and the leaf size (a multiple of kLanes).
struct TreeShape {
    Index n, p, leaf;

    Index leaves() const { return (n + leaf - 1) / leaf; }
    Index nodes() const { return 2 * leaves() - 1; }
    Index block_count() const { return (n + kLanes - 1) / kLanes; }
    Index block_size() const { return p * kLanes; }
    TreeNode root() const { return {0, 0, leaves()}; }
    Index begin(const TreeNode& node) const { return node.first * leaf; }  // places of a node's points
    Index end(const TreeNode& node) const { return std::min(n, (node.first + node.count) * leaf); }
};

// A built tree: views of the caller's arrays.
template <class T>
struct KdTree {
    TreeShape shape;
    Span<const int> rows;       // the row of the data at each place
    Span<const T> blocks;       // block_count x p x 8; lanes beyond n hold the last point
    Matrix<const T> low, high;  // nodes x p

    const T* block(Index b) const { return blocks.data() + b * shape.block_size(); }
    double at(Index place, Index j) const { return double(block(place / kLanes)[j * kLanes + place % kLanes]); }
};

// Fills rows (n), blocks (block_count * p * 8), low and high (nodes x p, row-major) from X (n x p, row-major).
// Requires 0 < n < 2^31, leaf a positive multiple of 8, finite X. Cost O(n log n) comparisons and n (p + 4) memory
// beyond the result; the same tree for any number of threads.
template <class T>
void kd_tree_build(Matrix<const T> X, TreeShape shape, const Interrupt& interrupt, Span<int> rows, Span<T> blocks,
                   Matrix<T> low, Matrix<T> high);

// What a search may do without: `self` says that the queries are the rows of the data and none is its own neighbour.
struct SearchRule {
    Metric metric;
    double power;  // of Minkowski's metric
    bool self;
};

// The k nearest points of every query: distances and rows are m x k, row-major, sorted by (distance, row). Requires
// k <= n (k < n for `self`) and a metric with kBox.
template <class T>
void kd_tree_query(const KdTree<T>& tree, Matrix<const double> Q, Index k, SearchRule rule, const Interrupt& interrupt,
                   Matrix<double> distances, Matrix<std::int64_t> found);

// All points within radius[i] (or radius[0] for all) of query i.
template <class T>
Within kd_tree_radius(const KdTree<T>& tree, Matrix<const double> Q, Span<const double> radius, bool by_distance,
                      SearchRule rule, const Interrupt& interrupt);

// Reduced distance from a query to the nearest point of a node's box, made a little smaller than rounding could have
// made it: a bound that is safe to prune with.
template <class M, class T>
double box_bound(const M& metric, const T* low, const T* high, const double* q, Index p) {
    Sum<double> s{0.0, 0.0};
    for (Index j = 0; j < p; ++j) {
        const double below = double(low[j]) - q[j], above = q[j] - double(high[j]);
        metric.add(s, max(max(below, above), 0.0), 0.0);
    }
    return metric.reduced(s, p) * (1.0 - double(p + 4) * 4e-16);
}

}  // namespace statlearn::neighbors
