// What a grown forest tells beyond its predictions: out-of-bag sums and importances, proximities, quantiles.
//
// A bag is a row of bits, one per training row: 1 where the row is in the tree's sample. `leaves(i, t)` is the node, in
// the numbering of the whole forest, that row i reaches in tree t.
#pragma once

#include <cstdint>
#include <vector>

#include "trees/forest.hpp"

namespace statlearn::ensemble {

using Bags = Matrix<const std::uint8_t>;  // trees x ceil(n / 8)

inline bool in_bag(const Bags& bags, Index tree, Index row) { return bags(tree, row / 8) >> (row % 8) & 1; }

// The bags of the trees of these seeds; see trees::bootstrap_counts.
void bootstrap_bags(Span<const std::uint64_t> seeds, Index draws, Span<const double> cumulative, Index n,
                    Matrix<std::uint8_t> bags);

// Adds for each row the values of its leaves in the trees that have not seen it, and counts these trees. The rows are
// first_row, first_row + 1, ... of the bags.
void oob_add(Matrix<const int> leaves, const Bags& bags, Index first_row, Matrix<const double> value,
             Matrix<double> sums, Span<std::int64_t> trees);

enum class Void : int { permute = 0, random_side = 1 };

// How much worse each tree predicts its out-of-bag rows when column j is made useless, for all j: trees x p, the mean
// loss after minus the mean loss before. The column's values are permuted among the rows (permute), or every test of
// it sends a row left with the share of the training rows that went left (random_side).
// `decision` holds what a node predicts, per output; the loss is whether it differs from y (labels) or the squared
// difference, averaged over outputs. Requires is_sound(forest).
template <class T>
void oob_importance(const trees::ForestView& forest, Span<const std::int64_t> node_rows, Matrix<const double> decision,
                    bool labels, Matrix<const T> X, Matrix<const double> y, const Bags& bags, Void how,
                    std::uint64_t seed, const Interrupt& interrupt, Matrix<double> importance);

// The share of the trees in which rows i and j meet in a leaf, n x n; of those trees that have seen neither where
// bags are given (no rows otherwise). 1 on the diagonal, 0 for two rows that no tree has both left out.
// `by_tree` holds the leaves, trees x n.
void proximities(Matrix<const int> by_tree, const Bags& bags, const Interrupt& interrupt, Matrix<double> share);

// The in-bag rows of every leaf and how often each was drawn: entries start[k] to start[k+1] belong to node k.
struct LeafRows {
    std::vector<std::int64_t> start;
    std::vector<std::uint32_t> row, count;
};
LeafRows leaf_rows(Matrix<const int> leaves, Index nodes, Span<const std::uint64_t> seeds, Index draws,
                   Span<const double> cumulative);

// Quantiles of the weighted sample of responses that share a leaf with each row: a tree spreads weight 1 over the rows
// of the leaf (Meinshausen, 2006). The quantile of level q is the smallest response up to which the weight reaches q.
// `rank` is the place of each training row's response in `sorted`.
void leaf_quantiles(Matrix<const int> leaves, Span<const std::int64_t> start, Span<const std::uint32_t> row,
                    Span<const std::uint32_t> count, Span<const std::uint32_t> rank, Span<const double> sorted,
                    Span<const double> levels, const Interrupt& interrupt, Matrix<double> quantiles);

}  // namespace statlearn::ensemble
