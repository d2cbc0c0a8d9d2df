// The growing of an exact tree, written once for all criteria.
#pragma once

#include "common/interrupt.hpp"
#include "trees/cart.hpp"
#include "trees/cart_scorer.hpp"

namespace statlearn::trees {

struct CartJob {
    CartColumns& columns;  // its sorted cells are used up
    const CartTarget& target;
    const CartRule& rule;
    const Interrupt& interrupt;
};

// Grows the tree with the criterion that `make_scorer` makes.
CartTree grow_with(const CartJob& job, MakeScorer make_scorer);

}  // namespace statlearn::trees
