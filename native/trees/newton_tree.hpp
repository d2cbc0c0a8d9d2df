// Regression trees on first and second derivatives: the tree of one round of gradient boosting.
//
// For derivatives g_i, h_i of the loss at the present scores, a leaf with G = sum g, H = sum h lowers the loss by
// S(G, H) / 2 with S = G^2 / (H + lambda), and takes the value -G / (H + lambda). A split is worth
//
//     gain = (S(G_L, H_L) + S(G_R, H_R) - S(G, H)) / 2 - gamma,        S by soft-thresholded G where alpha > 0
//
// (Chen & Guestrin, 2016). With g = -w y, h = w, lambda = 0 this is the regression tree of CART.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "common/interrupt.hpp"
#include "common/view.hpp"
#include "trees/bins.hpp"

namespace statlearn::trees {

struct BinnedRows {
    MatrixView<const Bin> by_row;           // n x stride: histograms read a row's bins from one cache line
    MatrixView<const Bin> by_column;        // p x n: a split reads one column
    std::span<const int> n_bins;            // bins of each column, without the missing one
    std::span<const std::uint8_t> ordered;  // 0: a column of categories, whose bins have no order
};

struct GrowRule {
    int max_leaves = 31;
    int max_depth = 0;  // 0: no limit
    bool best_first = true;
    Index min_leaf_rows = 20;
    double min_leaf_hessian = 1e-3;
    double lambda = 0.0, alpha = 0.0, gamma = 0.0;
    double category_smoothing = 10.0;  // added to H when categories are ordered by their mean
    double column_share = 1.0;         // of the columns, drawn for each split
    std::uint64_t seed = 0;
    std::span<const std::int8_t> monotone;  // per column -1, 0, +1; empty: no constraint
};

// A tree as flat arrays. The children of node k are child[k] and child[k] + 1; leaves have child 0.
struct NewtonTree {
    std::vector<int> feature;  // -1 in leaves
    std::vector<int> bin;      // ordered: bins up to this one go left
    std::vector<int> child;
    std::vector<std::uint8_t> missing_left;
    std::vector<int> categories;                          // index into `left_sets`, or -1
    std::vector<std::array<std::uint32_t, 8>> left_sets;  // bins that go left, one bit each
    std::vector<double> gain, value, hessian;             // value: from the exact sums, before any learning rate
    std::vector<Index> rows;                              // training rows in the node
    // Rows grouped by leaf: leaf k holds order[first[k]] .. order[first[k] + rows[k] - 1].
    std::vector<Index> first;
};

// Grows one tree on the rows in `order` (row numbers, increasing; reordered in place so that a leaf's rows are
// together, in increasing order). g and h have one entry per row of the table.
//
// quantised = false: histograms of exact sums in double precision. quantised = true: g and h are rounded at random,
// without bias, to a few bits, so that a histogram of all columns stays in the first-level cache and sums are
// integers; splits are chosen by these sums, leaf values by the exact ones. Then min_leaf_rows is judged by the share
// of H while splits are compared, and by the count itself before a split is made.
// Same bits for any number of threads. `scratch` has the length of `order`.
template <class T>
NewtonTree grow_newton_tree(const BinnedRows& data, std::span<const T> g, std::span<const T> h, bool quantised,
                            const GrowRule& rule, const Interrupt& interrupt, std::span<std::uint32_t> order,
                            std::span<std::uint32_t> scratch);

}  // namespace statlearn::trees
