// Association rules from frequent sets.
#pragma once

#include "rules/itemsets.hpp"

namespace statlearn::rules {

// The counts of item sets by a 64-bit hash of the set, in one table with open addressing. The hash is the exclusive or
// of one random number per item, so that subsets are hashed without being written down. The numbers are drawn again
// until the hashes of the stored sets differ, so that a stored set is never taken for another.
class SetIndex {
public:
    SetIndex(Span<const std::int32_t> items, Span<const std::int64_t> offsets, Span<const double> counts,
             Index n_items);
    std::uint64_t of_item(std::int32_t item) const { return number_[item]; }
    double find(std::uint64_t hash) const {  // -1 if there is no such set
        for (auto at = std::size_t(hash) & mask_;; at = (at + 1) & mask_) {
            if (slots_[at].count < 0) return -1.0;
            if (slots_[at].hash == hash) return slots_[at].count;
        }
    }
    bool repeated() const { return repeated_; }  // a set was given twice

private:
    struct Slot {
        std::uint64_t hash;
        double count;  // below 0: empty
    };
    bool fill(Span<const std::int32_t> items, Span<const std::int64_t> offsets, Span<const double> counts);
    std::vector<std::uint64_t> number_;
    std::vector<Slot> slots_;
    std::size_t mask_ = 0;
    bool repeated_ = false;
};

// A rule is a set and the part of it that is the consequent: bit k for the set's k-th item.
struct RuleList {
    std::vector<std::int64_t> set;
    std::vector<std::uint64_t> consequent;
    std::vector<double> antecedent_count, consequent_count;
};

enum class RuleStatus : int { ok = 0, interrupted = 2, too_many = 4, missing = 5, too_long = 6 };

struct RuleInfo {
    RuleStatus status = RuleStatus::ok;
    std::int64_t set = -1;  // where a subset is missing, and which
    std::uint64_t subset = 0;
};

// All rules A => B of the sets, A and B not empty and B of at most max_consequent items, with
// count(AB) >= min_confidence count(A), or > with `strict`. In the order of the sets; within a set consequents by depth
// first. A consequent that fails takes all larger ones with it, as these have larger antecedent counts. Every subset of
// a set must be among the sets.
RuleInfo find_rules(const SetIndex& index, Span<const std::int32_t> items, Span<const std::int64_t> offsets,
                    Span<const double> counts, double min_confidence, bool strict, Index max_consequent,
                    Index max_rules, const Interrupt& interrupt, RuleList& rules);

// The antecedents (0) and consequents (1) of rules, each as items end to end with offsets.
struct Sides {
    std::vector<std::int32_t> items[2];
    std::vector<std::int64_t> offsets[2];
};
Sides split_rules(Span<const std::int32_t> items, Span<const std::int64_t> offsets, Span<const std::int64_t> set,
                  Span<const std::uint64_t> consequent);

// The largest confidence of A' => B over all proper subsets A' of the antecedent, the empty one included (where it is
// the support of B): a rule that does not exceed it is redundant. `n` is the weight of all baskets.
RuleInfo best_general(const SetIndex& index, Span<const std::int32_t> antecedents, Span<const std::int64_t> a_offsets,
                      Span<const std::int32_t> consequents, Span<const std::int64_t> c_offsets, double n,
                      const Interrupt& interrupt, Span<double> best);

// P(X >= both) for X hypergeometric: `both` of a marked baskets among b drawn from n. One-sided Fisher test of a rule.
void fisher_upper(Span<const double> both, Span<const double> a, Span<const double> b, double n,
                  const Interrupt& interrupt, Span<double> p);

}  // namespace statlearn::rules
