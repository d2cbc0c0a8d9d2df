#include "trees/cart_grower.hpp"

namespace statlearn::trees {

template CartTree grow_with<SquaredCriterion<true, false>>(const CartJob&);
template CartTree grow_with<SquaredCriterion<true, true>>(const CartJob&);
template CartTree grow_with<SquaredCriterion<false, true>>(const CartJob&);

}  // namespace statlearn::trees
