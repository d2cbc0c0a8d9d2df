// Trees that isolate rows: random columns cut at random places (Liu, Ting & Zhou, 2008).
#pragma once

#include <cstdint>

#include "common/interrupt.hpp"
#include "common/view.hpp"

namespace statlearn::ensemble {

// Nodes of trees in the form of trees::ForestView; tree t has the places t * room to t * room + size[t] of each array,
// with children counted from its root. `value` is the path length of a leaf: its depth plus the mean depth of a search
// tree of its rows; that of the root is the mean depth for all rows of the tree.
struct IsolationNodes {
    Span<int> feature, child;
    Span<double> threshold, value;
    Span<std::uint8_t> missing_left;
    Span<std::int64_t> rows;
    Span<int> size;
};

// Tree t is grown on rows `rows(t, .)` and columns `columns(t, .)` of X with the stream of seeds[t]. A node draws its
// columns until one has two values among its rows, and the threshold is uniform between the smallest and the largest.
// NaN takes the side of a coin of the node. It ends at max_depth, with one row, or where all columns are constant.
// A tree of m rows has fewer than 2 m nodes, the room that each must have. Cost per level O(m), trees in parallel.
template <class T>
void isolation_trees(Matrix<const T> X, Matrix<const std::int64_t> rows, Matrix<const int> columns,
                     Span<const std::uint64_t> seeds, int max_depth, const Interrupt& interrupt,
                     const IsolationNodes& nodes);

}  // namespace statlearn::ensemble
