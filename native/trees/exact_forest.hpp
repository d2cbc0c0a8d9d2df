// Forests of exact trees: each on its own bootstrap sample, on columns that are sorted once for all.
#pragma once

#include "trees/cart.hpp"

namespace statlearn::trees {

struct ExactForestRule {
    bool bootstrap = true;  // weights then say how often a row is drawn, and every draw counts 1
    bool balanced = false;  // classes get equal weight within each bootstrap sample
    Index draws = 0;        // rows of a bootstrap sample
    double min_leaf_share = 0.0;
};

// One tree per seed, each a unit of work of its own; `tree_seeds` are for the trees, `bag_seeds` for their samples (see
// bootstrap_counts). Empty trees where the user interrupted.
std::vector<CartTree> grow_exact_forest(const CartColumns& columns, const CartTarget& target, const CartRule& rule,
                                        const ExactForestRule& forest, Span<const std::uint64_t> bag_seeds,
                                        Span<const std::uint64_t> tree_seeds, const Interrupt& interrupt);

}  // namespace statlearn::trees
