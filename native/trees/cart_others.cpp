#include "trees/cart_grower.hpp"

namespace statlearn::trees {

template CartTree grow_with<ClassCriterion<ErrorMeasure, true, false>>(const CartJob&);
template CartTree grow_with<ClassCriterion<LossMeasure, true, false>>(const CartJob&);
template CartTree grow_with<PoissonCriterion>(const CartJob&);

}  // namespace statlearn::trees
