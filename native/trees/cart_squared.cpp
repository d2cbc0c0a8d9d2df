#include "trees/cart_scan.hpp"

namespace statlearn::trees {

template std::unique_ptr<CartScorer> make_scorer<SquaredCriterion<true, false>>(const CartTarget&);
template std::unique_ptr<CartScorer> make_scorer<SquaredCriterion<true, true>>(const CartTarget&);
template std::unique_ptr<CartScorer> make_scorer<SquaredCriterion<false, true>>(const CartTarget&);

}  // namespace statlearn::trees
