// The leaves of a growing tree, and which of them is split next.
#pragma once

#include <cstdint>
#include <vector>

#include "trees/split.hpp"

namespace statlearn::trees {

struct OpenLeaf {
    int node = 0, depth = 0;
    Index begin = 0, end = 0;  // its rows, in the order
    Bounds bounds;
    std::vector<int> groups;  // interaction groups that its path lies in; empty: all
    BoostingSplit split;
    double priority = kNone;  // by which leaves are ranked; a split that is corrected later keeps its rank

    Index rows() const { return end - begin; }

    // A node is known by its rows and depth, whatever the order in which nodes are made.
    std::uint64_t name() const {
        return (std::uint64_t(begin) << 24) ^ std::uint64_t(depth) ^ std::uint64_t(end) << 44;
    }

    bool may_split(const GrowRule& rule) const {
        return rows() >= 2 * rule.min_leaf_rows && rows() >= rule.min_split_rows &&
               (!rule.max_depth || depth < rule.max_depth);
    }

    OpenLeaf child(Index from, Index to, const Bounds& limits, std::vector<int> open) const {
        OpenLeaf part;
        part.depth = depth + 1;
        part.begin = from;
        part.end = to;
        part.bounds = limits;
        part.groups = std::move(open);
        return part;
    }
};

// The order in which leaves are split: by gain, or level by level; then by node, which is unique.
inline bool comes_before(const OpenLeaf& a, const OpenLeaf& b, const GrowRule& rule) {
    const bool can_a = a.priority > 0, can_b = b.priority > 0;
    if (can_a != can_b) return can_a;
    if (!rule.best_first && a.depth != b.depth) return a.depth < b.depth;
    const auto gain_a = float(a.priority), gain_b = float(b.priority);  // equal up to rounding is equal
    if (rule.best_first && gain_a != gain_b) return gain_a > gain_b;
    return a.node < b.node;
}

}  // namespace statlearn::trees
