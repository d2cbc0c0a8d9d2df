// What limits the growth of a tree on derivatives, and what a split must be worth.
#pragma once

#include <cstdint>

#include "common/view.hpp"

namespace statlearn::trees {

struct GrowRule {
    int max_leaves = 31;
    int max_depth = 0;        // 0: no limit
    bool best_first = true;   // by gain; otherwise level by level
    bool post_prune = false;  // splits that do not pay are made and cut afterwards, if nothing below them pays
    Index min_leaf_rows = 20, min_split_rows = 2;
    double min_leaf_hessian = 1e-3;
    double min_leaf_weight = 0.0;  // needs exact sums
    double min_gain = 0.0;         // before gamma
    double prune_gain = 0.0;       // cost-complexity pruning: what every leaf below a node must gain
    double lambda = 0.0, alpha = 0.0, gamma = 0.0;
    double category_smoothing = 10.0;  // added to H when categories are ordered by their mean
    int max_side_categories = 0;       // on the shorter side of a split; 0: no limit
    int columns_per_split = 0;         // drawn for each split; 0: all
    std::uint64_t seed = 0;
    Span<const std::int8_t> monotone;        // per feature -1, 0, +1; empty: no constraint
    Matrix<const std::uint8_t> interaction;  // groups x features: a path stays inside a group; no rows: free
};

}  // namespace statlearn::trees
