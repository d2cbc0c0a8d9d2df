#include "trees/cart_scan.hpp"

namespace statlearn::trees {

template std::unique_ptr<CartScorer> make_scorer<ClassCriterion<ErrorMeasure, true, false>>(const CartTarget&);
template std::unique_ptr<CartScorer> make_scorer<ClassCriterion<LossMeasure, true, false>>(const CartTarget&);
template std::unique_ptr<CartScorer> make_scorer<PoissonCriterion>(const CartTarget&);

}  // namespace statlearn::trees
