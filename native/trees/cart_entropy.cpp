#include "trees/cart_grower.hpp"

namespace statlearn::trees {

template CartTree grow_with<ClassCriterion<EntropyMeasure, true, false>>(const CartJob&);
template CartTree grow_with<ClassCriterion<EntropyMeasure, true, true>>(const CartJob&);
template CartTree grow_with<ClassCriterion<EntropyMeasure, false, true>>(const CartJob&);

}  // namespace statlearn::trees
