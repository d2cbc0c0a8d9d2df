// The parts of Apriori: joining frequent sets to candidates, and counting sets in baskets.
#pragma once

#include "rules/itemsets.hpp"

namespace statlearn::rules {

struct Joined {
    std::vector<std::int32_t> sets;  // the candidates of k items each, in order
    Index n_joined = 0;              // distinct candidates before pruning
    MineStatus status = MineStatus::ok;
};

// Candidates of k = width + 1 items from the frequent sets of `width` items, given in order end to end.
// shared: any two sets with width - 1 common items are joined; otherwise only those that differ in their last item.
// prune: candidates with an infrequent subset of `width` items are dropped.
// Stops with too_many once more than max_candidates unions are held.
Joined join_sets(Span<const std::int32_t> sets, Index width, bool shared, bool prune, Index max_candidates,
                 const Interrupt& interrupt);

// Adds to counts[s] the weight of the baskets that contain set s (offsets as in SetList; items of a set increasing).
// The baskets are read in blocks, as bit sets of the items that occur in the sets; the intersections of a common
// beginning of neighbouring sets are kept. Sets of two items of many are counted by pairs in each basket instead.
void count_sets(const Baskets& baskets, Span<const double> weights, Span<const std::int32_t> items,
                Span<const std::int64_t> offsets, const Interrupt& interrupt, Span<double> counts);

// The supports of all sets that a list of closed sets describes: every non-empty subset of a closed set, with the
// largest count of the closed sets that contain it.
MineStatus closed_supports(const SetList& closed, Index n_items, Bounds& bounds, const Interrupt& interrupt,
                           SetList& found);

}  // namespace statlearn::rules
