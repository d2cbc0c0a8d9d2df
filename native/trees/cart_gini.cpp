#include "trees/cart_grower.hpp"

namespace statlearn::trees {

template CartTree grow_with<ClassCriterion<GiniMeasure, true, false>>(const CartJob&);
template CartTree grow_with<ClassCriterion<GiniMeasure, true, true>>(const CartJob&);
template CartTree grow_with<ClassCriterion<GiniMeasure, false, true>>(const CartJob&);
template CartTree grow_with<BinaryGini<true>>(const CartJob&);
template CartTree grow_with<BinaryGini<false>>(const CartJob&);

}  // namespace statlearn::trees
