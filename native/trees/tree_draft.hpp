// A tree on derivatives while it grows: nodes are added in pairs, sums and values are settled at the end.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "trees/boosting_rule.hpp"
#include "trees/split.hpp"

namespace statlearn::trees {

// A tree as flat arrays. The children of node k are child[k] and child[k] + 1; leaves have child 0.
struct BoostingTree {
    std::vector<int> feature;       // -1 in leaves
    std::vector<int> bin;           // ordered: bins up to this one go left
    std::vector<double> threshold;  // without bins: values up to this one do
    std::vector<int> child;
    std::vector<std::uint8_t> missing_left;
    std::vector<int> categories;               // index into `left_sets`, or -1
    std::vector<LeftSet> left_sets;            // bins that go left, one bit each
    std::vector<double> gain, value, hessian;  // value: from the exact sums, before any learning rate
    std::vector<double> gradient;              // sum of g
    std::vector<Index> rows;                   // training rows in the node
    // Rows grouped by leaf: leaf k holds order[first[k]] .. order[first[k] + rows[k] - 1].
    std::vector<Index> first;
};

class TreeDraft {
public:
    int add_node(const Bounds& bounds);

    // Makes node k inner, with the rows begin .. end - 1 of the order; returns its first child.
    int split(int k, const BoostingSplit& split, Index begin, Index end, const Bounds& left, const Bounds& right);

    struct LeafRows {
        int node;
        Index begin, end;
    };

    // Exact sums of every leaf from its rows, then of the nodes above it, values from these, and what must be pruned.
    template <class T>
    BoostingTree finish(Span<const LeafRows> leaves, Span<const std::uint32_t> order, Span<const T> g, Span<const T> h,
                        const GrowRule& rule) &&;

private:
    BoostingTree tree_;
    std::vector<Bounds> bounds_;
};

// Cuts splits, leaves first, while their gain (after gamma) is negative and nothing is left below them.
void prune_losses(BoostingTree& tree);

// Minimal cost-complexity pruning (Breiman et al., 1984): cuts the weakest subtree as long as it gains at most
// `per_leaf` for each leaf that it adds. `gamma` is added back to the gains.
void prune_weakest(BoostingTree& tree, double per_leaf, double gamma);

}  // namespace statlearn::trees
