// Splits of a node by sums of derivatives: what a candidate is worth, and the best of many.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "trees/bins.hpp"
#include "trees/boosting_rule.hpp"

namespace statlearn::trees {

constexpr double kNone = -std::numeric_limits<double>::infinity();

struct Sums {
    double g = 0.0, h = 0.0;
    double rows = 0.0;    // exact, or the share of h where derivatives are rounded
    double weight = 0.0;  // kept only where the rule asks for it

    Sums operator+(const Sums& o) const { return {g + o.g, h + o.h, rows + o.rows, weight + o.weight}; }
    Sums operator-(const Sums& o) const { return {g - o.g, h - o.h, rows - o.rows, weight - o.weight}; }
};

// Leaf values of a node must stay inside these, under monotone constraints.
struct Bounds {
    double lower = kNone, upper = -kNone;
};

using LeftSet = std::vector<std::uint32_t>;  // one bit for each code

struct BoostingSplit {
    double gain = kNone;  // first the score of its sides, finally the gain
    int feature = -1, bin = -1;
    double threshold = 0.0;  // in place of the bin where columns are searched without bins
    bool missing_left = false, by_set = false;
    LeftSet left_set;
    Sums left, right;

    bool goes_left(int bin_of_row) const {
        if (by_set) return left_set[bin_of_row / 32] >> (bin_of_row % 32) & 1u;
        return bin_of_row == kMissing ? missing_left : bin_of_row <= bin;
    }
};

double leaf_value(double g, double h, const GrowRule& rule, const Bounds& bounds);

// Twice the fall of the loss by a leaf of this value.
double score(double g, double h, double value, const GrowRule& rule);

// The score of both sides, or kNone where the rule forbids the split. `monotone`: -1, 0 or +1.
double split_score(const Sums& left, const Sums& right, const GrowRule& rule, int monotone, const Bounds& bounds);

// Equal up to rounding counts as equal: the first of such splits is taken whatever the order in which sums were made.
inline bool is_better(double score, double best) {
    return best == kNone ? score > best : score - best > 1e-10 * (best < 0 ? -best : best);
}

// Whether S = G^2 / (H + lambda) tells all: no L1 penalty, no bounds, no weights to count.
inline bool is_plain(const GrowRule& rule) {
    return rule.alpha == 0.0 && rule.monotone.empty() && rule.min_leaf_weight == 0.0;
}

// Running sums over the bins of one feature, in some order.
struct Prefix {
    std::array<double, kBins> g, h, rows, weight;

    void set(int k, const Sums& s) {
        const Index at = k;
        g[at] = s.g, h[at] = s.h, rows[at] = s.rows, weight[at] = s.weight;
    }
    Sums at(int k) const {
        const Index i = k;
        return {g[i], h[i], rows[i], weight[i]};
    }
};

struct Candidate {
    int index = -1;
    double score = kNone;
};

// The best of the first `candidates` prefixes, each with `extra` added to the left side.
Candidate best_candidate(const Prefix& prefix, int candidates, const Sums& extra, const Sums& total,
                         const GrowRule& rule, int monotone, const Bounds& bounds);

// The best split of categories into two sets; `level`: code and sums of those that the node has, of `codes` in all,
// the last of which is that of missing values. For a convex loss the best of all subsets is a prefix of the categories
// in the order of their leaf values (Fisher, 1958).
BoostingSplit best_category_split(Span<const std::pair<int, Sums>> level, int codes, const Sums& total, int feature,
                                  const GrowRule& rule, const Bounds& bounds);

// The gain in place of the score; kNone where the split is not worth making. Returns the priority of the node.
double settle_gain(BoostingSplit& split, const Sums& total, const GrowRule& rule, const Bounds& bounds);

// Under a monotone constraint the leaves of either side stay on their side of the mid-point.
std::pair<Bounds, Bounds> child_bounds(const BoostingSplit& split, const GrowRule& rule, const Bounds& bounds);

inline int monotone_of(const GrowRule& rule, int feature) { return rule.monotone.empty() ? 0 : rule.monotone[feature]; }

// The features that a node may split on: a fresh draw, and those of the interaction groups that its path lies in.
class FeatureChoice {
public:
    FeatureChoice(const GrowRule& rule, Index features) : rule_(rule), features_(features) {}

    // Groups of a child after a split on `feature`; empty means all groups.
    std::vector<int> groups_below(const std::vector<int>& groups, int feature) const;

    // One flag per feature; empty means all. `node` names the node whatever the order in which nodes are made.
    std::vector<std::uint8_t> features(const std::vector<int>& groups, std::uint64_t node) const;

private:
    const GrowRule& rule_;
    Index features_;
};

}  // namespace statlearn::trees
