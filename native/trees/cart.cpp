#include "trees/cart.hpp"

#include "trees/cart_criteria.hpp"
#include "trees/cart_grower.hpp"

namespace statlearn::trees {

// Instantiated in cart_<criterion>.cpp.
template <class Crit>
std::unique_ptr<CartScorer> make_scorer(const CartTarget& target);

namespace {

// Fractions of rows are weights.
bool is_weighted(const CartJob& job) {
    return !job.target.weights.empty() || job.rule.missing == CartMissing::fractional;
}

template <template <bool, bool> class Crit>
CartTree grow_variant(const CartJob& job) {
    if (job.target.outputs > 1) return grow_with(job, make_scorer<Crit<true, false>>);
    const bool weighted = is_weighted(job);
    return weighted ? grow_with(job, make_scorer<Crit<true, true>>) : grow_with(job, make_scorer<Crit<false, true>>);
}

template <bool kWeighted, bool kSingle>
using Gini = ClassCriterion<GiniMeasure, kWeighted, kSingle>;
template <bool kWeighted, bool kSingle>
using Entropy = ClassCriterion<EntropyMeasure, kWeighted, kSingle>;

}  // namespace

CartTree cart_grow(CartColumns& columns, const CartTarget& target, const CartRule& rule, const Interrupt& interrupt) {
    const CartJob job{columns, target, rule, interrupt};
    switch (rule.criterion) {
        case CartCriterion::gini:
            if (target.outputs == 1 && target.classes == 2)
                return is_weighted(job) ? grow_with(job, make_scorer<BinaryGini<true>>)
                                        : grow_with(job, make_scorer<BinaryGini<false>>);
            return grow_variant<Gini>(job);
        case CartCriterion::entropy:
            return grow_variant<Entropy>(job);
        case CartCriterion::error:
            return grow_with(job, make_scorer<ClassCriterion<ErrorMeasure, true, false>>);
        case CartCriterion::loss:
            return grow_with(job, make_scorer<ClassCriterion<LossMeasure, true, false>>);
        case CartCriterion::squared:
            return grow_variant<SquaredCriterion>(job);
        case CartCriterion::poisson:
            return grow_with(job, make_scorer<PoissonCriterion>);
        case CartCriterion::absolute:
            return grow_with(job, make_scorer<AbsoluteCriterion>);
    }
    return {};
}

}  // namespace statlearn::trees
