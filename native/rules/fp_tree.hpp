// FP-trees: baskets as paths from a root, items by decreasing count, common beginnings shared.
#pragma once

#include "rules/itemsets.hpp"

namespace statlearn::rules {

// Node 0 is the root (item -1). Nodes of one item are linked: head[item], then next[node], ...; -1 ends a chain.
struct FpTree {
    std::vector<std::int32_t> item{-1}, parent{-1}, child{-1}, sibling{-1}, next{-1};
    std::vector<double> count{0.0};
    std::vector<std::int32_t> head, tail;
    std::vector<double> total;  // count of each item, over its nodes
    std::vector<double> pairs;  // lower triangle of the counts of pairs, row i(i-1)/2; empty if not kept

    explicit FpTree(Index n_items, bool keep_pairs);
    // Adds a path of increasing items.
    void insert(Span<const std::int32_t> path, double weight);
    bool single_path() const;
    Index n_items() const { return Index(head.size()); }

private:
    std::int32_t child_of(std::int32_t node, std::int32_t item_here);
    std::vector<std::int32_t> top_;  // children of the root, by item: the only node with many
};

// All sets with a count of at least min_count, by FP-growth: conditional trees, the array of pair counts where it is
// cheaper than a walk over the tree, and all subsets at once where a tree is a single path. One item is one unit of
// work.
MineStatus tree_mine(const Baskets& baskets, Span<const double> weights, double min_count, Bounds& bounds,
                     const Interrupt& interrupt, SetList& found);

}  // namespace statlearn::rules
