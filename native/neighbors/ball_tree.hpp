// A ball tree in flat arrays: the places, blocks and node numbers of kd_tree.hpp, with a ball instead of a box for
// every node. It needs nothing of the distance but the triangle inequality.
#pragma once

#include "common/interrupt.hpp"
#include "neighbors/kd_tree.hpp"

namespace statlearn::neighbors {

template <class T>
struct BallTree {
    TreeShape shape;
    Span<const int> rows;
    Span<const T> blocks;
    Matrix<const double> centres;  // nodes x p
    Span<const double> radii;      // true distances

    const T* block(Index b) const { return blocks.data() + b * shape.block_size(); }
};

// Splits every node between two far points: a is the farthest from the centre, b the farthest from a, and the half that
// is nearer to a than to b goes left. Centres are means; for distances that only count equal or set coordinates, a row
// of the node. Requires what kd_tree_build requires and a metric with kTriangle. O(n p log n).
template <class T>
void ball_tree_build(Matrix<const T> X, TreeShape shape, Metric metric, double power, const Interrupt& interrupt,
                     Span<int> rows, Span<T> blocks, Matrix<double> centres, Span<double> radii);

template <class T>
void ball_tree_query(const BallTree<T>& tree, Matrix<const double> Q, Index k, SearchRule rule,
                     const Interrupt& interrupt, Matrix<double> distances, Matrix<std::int64_t> found);

template <class T>
Within ball_tree_radius(const BallTree<T>& tree, Matrix<const double> Q, Span<const double> radius, bool by_distance,
                        SearchRule rule, const Interrupt& interrupt);

}  // namespace statlearn::neighbors
