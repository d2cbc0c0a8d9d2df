// Growing one exact tree: classification and regression trees after Breiman, Friedman, Olshen and Stone (1984).
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "common/interrupt.hpp"
#include "trees/cart_data.hpp"

namespace statlearn::trees {

enum class CartCriterion { gini, entropy, error, loss, squared, absolute, poisson };

// What a node does with rows whose tested value is missing.
//   direction   they go to the side where they fall the impurity most
//   branch      a test on an ordered column first sends them to a leaf or subtree of their own
//   surrogate   they are left out of the choice of the split and follow the split that imitates it best
//   fractional  they are left out of the choice and go to both sides, with weights in proportion
enum class CartMissing { direction, branch, surrogate, fractional };

// How the levels of a category are shared out.
//   ordered     by every order of a criterion's own (mean target, share of a class), cut at one place
//   exhaustive  all subsets, where the node has at most kExhaustive levels
//   multiway    one branch for each level, held as a chain of binary splits
enum class CartCategories { ordered, exhaustive, multiway };
constexpr std::size_t kExhaustive = 12;

struct CartRule {
    CartCriterion criterion = CartCriterion::gini;
    CartMissing missing = CartMissing::direction;
    CartCategories categories = CartCategories::ordered;
    bool random_splits = false;  // one threshold per column, drawn uniformly
    bool random_start = false;   // of equally good columns any may win, not the first
    bool presort = true;         // columns sorted once; otherwise each node sorts those that it draws
    int max_depth = std::numeric_limits<int>::max();
    Index min_split = 2, min_leaf = 1;
    double min_weight_leaf = 0.0, min_decrease = 0.0;
    Index max_features = 0;   // columns drawn at each node
    Index max_leaves = 0;     // above 0: best-first
    double target_risk = -1;  // at least 0: best-first until the leaves' risk is as small
    int max_surrogates = 5;
    std::uint64_t seed = 0;
    Span<const std::int8_t> monotone;     // -1, 0, +1 of each column, or empty
    Matrix<const std::uint8_t> together;  // sets x columns: only columns of one set may meet on a path
};

// The nodes of a tree; the children of node k are child[k] and child[k] + 1, both behind it; 0 marks a leaf.
struct CartTree {
    std::vector<int> feature, child, category_set;  // -1 in leaves; -1 for ordered columns
    std::vector<double> threshold, value, gain, impurity, weight;
    std::vector<std::uint8_t> missing_left;
    std::vector<std::int64_t> rows;
    std::vector<std::uint32_t> left_sets;  // `words` each
    Index words = 1, width = 1;
    // Splits that stand in where the value of the first one is missing, best first within a node.
    std::vector<int> surrogate_node, surrogate_feature, surrogate_set;
    std::vector<double> surrogate_threshold, surrogate_agreement, surrogate_adjusted;
    std::vector<std::uint8_t> surrogate_below_left;  // whether values up to the threshold go left
    std::int64_t evaluations = 0;                    // candidate splits that were scored

    Index size() const { return Index(feature.size()); }
};

// Requires a target with at least one row, positive weights, and columns of the same rows.
// Uses up columns.sorted.
CartTree cart_grow(CartColumns& columns, const CartTarget& target, const CartRule& rule, const Interrupt& interrupt);

}  // namespace statlearn::trees
