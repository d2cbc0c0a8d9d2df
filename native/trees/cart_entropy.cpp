#include "trees/cart_scan.hpp"

namespace statlearn::trees {

template std::unique_ptr<CartScorer> make_scorer<ClassCriterion<EntropyMeasure, true, false>>(const CartTarget&);
template std::unique_ptr<CartScorer> make_scorer<ClassCriterion<EntropyMeasure, true, true>>(const CartTarget&);
template std::unique_ptr<CartScorer> make_scorer<ClassCriterion<EntropyMeasure, false, true>>(const CartTarget&);

}  // namespace statlearn::trees
