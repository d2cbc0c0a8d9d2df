// Regression trees on first and second derivatives: the tree of one round of gradient boosting.
//
// For derivatives g_i, h_i of the loss at the present scores, a leaf with G = sum g, H = sum h lowers the loss by
// S(G, H) / 2 with S = G^2 / (H + lambda), and takes the value -G / (H + lambda). A split is worth
//
//     gain = (S(G_L, H_L) + S(G_R, H_R) - S(G, H)) / 2 - gamma,        S by soft-thresholded G where alpha > 0
//
// (Chen & Guestrin, 2016). With g = -w y, h = w, lambda = 0 this is the regression tree of CART.
#pragma once

#include <cstdint>

#include "common/interrupt.hpp"
#include "common/view.hpp"
#include "trees/binned.hpp"
#include "trees/boosting_rule.hpp"
#include "trees/tree_draft.hpp"

namespace statlearn::trees {

// Grows one tree on the rows in `order` (row numbers, increasing; reordered in place so that a leaf's rows are
// together, in increasing order unless pruning joined leaves). g and h have one entry per row of the table; so has
// `weight`, which is needed for min_leaf_weight only.
//
// Without `packed`: histograms of exact sums in double precision. With it (scratch, one entry per row of the table): g
// and h are rounded at random, without bias, to a few bits, so that a histogram of all columns stays in the first-level
// cache and sums are integers; splits are chosen by these sums, leaf values by the exact ones. Then min_leaf_rows is
// judged by the share of H while splits are compared, and by the count itself before a split is made. Same bits for any
// number of threads. `scratch` has the length of `order`.
template <class T>
BoostingTree grow_boosting_tree(const BinnedRows& data, Span<const T> g, Span<const T> h, Span<const T> weight,
                                const GrowRule& rule, const Interrupt& interrupt, Span<std::uint32_t> order,
                                Span<std::uint32_t> scratch, Span<std::int32_t> packed);

// The same without bins, over all thresholds between neighbouring values: exact greedy search on presorted columns.
// X holds the values (n x p), `sorted` (p x n) the row numbers of every column by increasing value, missing ones last.
// Columns with n_levels > 0 hold the categories 0..n_levels-1. Cost O(rows x columns) per level of the tree, after O(n
// p) to copy the columns.
template <class T>
BoostingTree grow_boosting_tree_exact(Matrix<const T> X, Matrix<const std::uint32_t> sorted, Span<const int> n_levels,
                                      Span<const T> g, Span<const T> h, Span<const T> weight, const GrowRule& rule,
                                      const Interrupt& interrupt, Span<std::uint32_t> order,
                                      Span<std::uint32_t> scratch);

}  // namespace statlearn::trees
