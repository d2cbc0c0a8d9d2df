#include "trees/cart_scan.hpp"

namespace statlearn::trees {

template std::unique_ptr<CartScorer> make_scorer<ClassCriterion<GiniMeasure, true, false>>(const CartTarget&);
template std::unique_ptr<CartScorer> make_scorer<ClassCriterion<GiniMeasure, true, true>>(const CartTarget&);
template std::unique_ptr<CartScorer> make_scorer<ClassCriterion<GiniMeasure, false, true>>(const CartTarget&);
template std::unique_ptr<CartScorer> make_scorer<BinaryGini<true>>(const CartTarget&);
template std::unique_ptr<CartScorer> make_scorer<BinaryGini<false>>(const CartTarget&);

}  // namespace statlearn::trees
