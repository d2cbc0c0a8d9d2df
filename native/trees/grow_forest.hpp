// Forests: many trees, each on its own bootstrap sample, with a fresh choice of columns at every node.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "common/interrupt.hpp"
#include "common/view.hpp"
#include "trees/bins.hpp"

namespace statlearn::trees {

// The binned table. Bin b of column j holds training values from low(j, b) to high(j, b).
struct ForestTable {
    Matrix<const Bin> by_row;     // n x stride, stride >= p
    Matrix<const Bin> by_column;  // p x n
    Span<const int> n_bins;
    Span<const std::uint8_t> ordered;      // 0: the bins are categories
    Span<const std::uint8_t> has_missing;  // whether some row has bin kMissing
    Matrix<const double> low, high;        // p x 255

    Index rows() const { return by_column.cols; }
    Index columns() const { return by_column.rows; }
    // Numbers in all columns, and none of them missing.
    bool plain() const {
        return std::all_of(ordered.begin(), ordered.end(), [](auto yes) { return yes != 0; }) &&
               std::none_of(has_missing.begin(), has_missing.end(), [](auto yes) { return yes != 0; });
    }
};

enum class Criterion : int { gini = 0, entropy = 1, squared_error = 2, poisson = 3, absolute_error = 4 };

struct ForestTarget {
    Matrix<const double> y;     // n x outputs: numbers, or class numbers 0..
    Span<const int> n_classes;  // of each output; empty for numbers
    Span<const double> weight;  // of each row, none of them 0; empty for ones

    // Numbers that a node keeps of each output: as many shares as the largest has classes, or a mean.
    Index per_output() const { return n_classes.empty() ? 1 : *std::max_element(n_classes.begin(), n_classes.end()); }
    Index width() const { return y.cols * per_output(); }
};

// When a node may be split, and how.
struct ForestRules {
    Criterion criterion = Criterion::gini;
    bool random_cuts = false;  // one random cut per column instead of the best one
    bool bootstrap = true;     // weights then say how often a row is drawn, and every draw counts 1
    bool balanced = false;     // classes get equal weight within each bootstrap sample
    Index draws = 0;           // rows of a bootstrap sample
    int max_features = 1;      // columns that are looked at in a node, at least one of them not constant
    int max_depth = 0;         // 0: no limit
    int max_leaves = 0;        // 0: no limit, depth first; else best first
    Index min_split = 2, min_leaf = 1;
    double min_leaf_share = 0.0;         // of the tree's weight
    double min_decrease = 0.0;           // of the impurity, weighted by the node's share
    Span<const std::int8_t> monotone{};  // -1, 0, 1 per column, or empty
};

constexpr std::size_t kSetWords = 8;  // of a set of bins

// A node: see ForestView for what it means. Its number is its place in the tree.
struct GrownNode {
    double threshold = 0.0, impurity = 0.0, weight = 0.0, gain = 0.0;
    std::int64_t rows = 0;
    int feature = -1, child = 0, category_set = -1;
    std::uint8_t missing_left = 0;
};

struct GrownTree {
    std::vector<GrownNode> nodes;
    std::vector<double> value;  // nodes x width
    std::vector<std::array<std::uint32_t, kSetWords>> left_sets;
    std::int64_t evaluations = 0;  // splits that were scored

    // Forgets the nodes, and keeps their memory.
    void clear() {
        nodes.clear(), value.clear(), left_sets.clear();
        evaluations = 0;
    }
};

struct ForestArrays;

// The smallest and the largest value of each bin, from the rows of X; empty bins get those of the next one below.
template <class T>
void bin_ranges(Matrix<const T> X, Matrix<const Bin> by_column, Matrix<double> low, Matrix<double> high);

// How often each row is drawn for the tree of this seed. `cumulative` holds the running sums of the row weights, or
// nothing where all rows are equally likely. The same stream as grow_forest uses.
void bootstrap_counts(std::uint64_t seed, Index draws, Span<const double> cumulative, Span<std::uint32_t> counts);

// Grows one tree per seed, each a unit of work of its own. A node with class counts or sums of y looks at
// rules.max_features columns in random order, and at more while all of them are constant in it; the split that lowers
// the impurity most is made, even if by nothing. Rows without a value take the better side (a random one for random
// cuts). Cost per tree and level: O(rows x max_features) plus one move of every row's bins.
// No trees if interrupted.
ForestArrays grow_forest(const ForestTable& table, const ForestTarget& target, const ForestRules& rules,
                         Span<const std::uint64_t> seeds, const Interrupt& interrupt);

}  // namespace statlearn::trees
