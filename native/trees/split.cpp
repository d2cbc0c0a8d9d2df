#include "trees/split.hpp"

#include <algorithm>
#include <cmath>

#include "common/samplers.hpp"
#include "common/vector.hpp"

namespace statlearn::trees {

namespace {

constexpr double kAlmost = 1.0 - 1e-12;  // sums of weights and shares of rows carry rounding errors

using Ranked = std::pair<double, std::uint32_t>;  // what a category is ranked by, and its place among the given ones

// Sorts as far as cuts ask for it: the first and the last `side` are in order, those between them in the middle.
void sort_ends(Span<Ranked> rank, Index side) {
    if (rank.size() <= 2 * side) {
        std::sort(rank.begin(), rank.end());
        return;
    }
    const auto low = rank.begin() + side, high = rank.end() - side;
    std::nth_element(rank.begin(), low, rank.end());
    std::nth_element(low, high, rank.end());
    std::sort(rank.begin(), low);
    std::sort(high, rank.end());
}

}  // namespace

double leaf_value(double g, double h, const GrowRule& rule, const Bounds& bounds) {
    const double curvature = h + rule.lambda;
    const double best = curvature > 0 ? -soft_threshold(g, rule.alpha) / curvature : 0.0;
    return std::clamp(best, bounds.lower, bounds.upper);
}

double score(double g, double h, double value, const GrowRule& rule) {
    return -2.0 * (g * value + rule.alpha * std::abs(value)) - (h + rule.lambda) * value * value;
}

double split_score(const Sums& left, const Sums& right, const GrowRule& rule, int monotone, const Bounds& bounds) {
    const double min_rows = double(rule.min_leaf_rows) * kAlmost, min_weight = rule.min_leaf_weight * kAlmost;
    for (const Sums* side : {&left, &right})
        if (side->h < rule.min_leaf_hessian || side->rows < min_rows || side->weight < min_weight ||
            side->h + rule.lambda <= 0)
            return kNone;
    const double vl = leaf_value(left.g, left.h, rule, bounds), vr = leaf_value(right.g, right.h, rule, bounds);
    if (monotone * (vr - vl) < 0) return kNone;
    return score(left.g, left.h, vl, rule) + score(right.g, right.h, vr, rule);
}

Candidate best_candidate(const Prefix& prefix, int candidates, const Sums& extra, const Sums& total,
                         const GrowRule& rule, int monotone, const Bounds& bounds) {
    std::array<double, kBins> scores;
    if (is_plain(rule)) {  // in vector code
        const double lambda = rule.lambda, min_h = rule.min_leaf_hessian;
        const double min_rows = double(rule.min_leaf_rows) * kAlmost;
        for (int b = 0; b < candidates; ++b) {
            const Index k = b;
            const double gl = prefix.g[k] + extra.g, hl = prefix.h[k] + extra.h, rl = prefix.rows[k] + extra.rows;
            const double gr = total.g - gl, hr = total.h - hl, rr = total.rows - rl;
            const bool ok = (hl >= min_h) & (hr >= min_h) & (rl >= min_rows) & (rr >= min_rows) & (hl + lambda > 0) &
                            (hr + lambda > 0);
            const double s = gl * gl / (hl + lambda) + gr * gr / (hr + lambda);
            scores[k] = ok ? s : kNone;
        }
    } else {
        for (int b = 0; b < candidates; ++b) {
            const Sums left = prefix.at(b) + extra;
            scores[b] = split_score(left, total - left, rule, monotone, bounds);
        }
    }
    Candidate best;
    for (int b = 0; b < candidates; ++b)
        if (is_better(scores[b], best.score)) best = {b, scores[b]};
    return best;
}

BoostingSplit best_category_split(Span<const std::pair<int, Sums>> level, int codes, const Sums& total, int feature,
                                  const GrowRule& rule, const Bounds& bounds) {
    std::vector<Ranked> rank(level.size());
    for (Index k = 0; k < level.size(); ++k) {
        const double mean = level[k].second.g / (level[k].second.h + rule.category_smoothing);
        rank[k] = {mean == mean ? mean : 0.0, std::uint32_t(k)};  // sums that overflowed must not upset the order
    }
    BoostingSplit best;
    int last_left = -1;
    // Cuts with few categories on one side: a cut through the middle of many is mostly fitted to noise.
    const std::size_t cuts = rank.size() - (rank.empty() ? 0 : 1);
    const auto side = rule.max_side_categories > 0 ? std::min(std::size_t(rule.max_side_categories), cuts) : cuts;
    sort_ends(rank, side);
    const auto sums_of = [&](std::size_t place) { return level[rank[place].second].second; };
    Prefix prefix;
    // The cuts behind the places first .. first + count - 1, whose sums of the left side are in `prefix`. A tie goes to
    // the cut that comes first.
    const auto try_cuts = [&](std::size_t first, std::size_t count) {
        const auto found = best_candidate(prefix, int(count), {}, total, rule, 0, bounds);
        if (!is_better(found.score, best.gain)) return;
        last_left = int(first) + found.index;
        best.gain = found.score;
        best.left = prefix.at(found.index);
    };
    const std::size_t ahead = 2 * side < cuts ? side : cuts;  // cuts from the left; the others from the right
    Sums run;
    for (std::size_t first = 0; first < ahead; first += kBins) {
        const auto count = std::min(std::size_t(kBins), ahead - first);
        for (std::size_t k = 0; k < count; ++k) prefix.set(int(k), run = run + sums_of(first + k));
        try_cuts(first, count);
    }
    run = {};
    for (std::size_t end = cuts, rest = cuts - ahead ? side : 0; rest > 0;) {
        const auto count = std::min(std::size_t(kBins), rest);
        for (std::size_t k = count; k-- > 0;) {
            run = run + sums_of(end - count + k + 1);
            prefix.set(int(k), total - run);
        }
        try_cuts(end - count, count);
        end -= count, rest -= count;
    }
    if (last_left < 0) return best;
    best.feature = feature;
    best.by_set = true;
    best.right = total - best.left;
    // A category that the node has not seen goes where most of the rows went.
    best.left_set.assign(std::size_t(codes + 31) / 32, best.left.rows >= best.right.rows ? ~0u : 0u);
    for (std::size_t k = 0; k < rank.size(); ++k) {
        const int bin = level[rank[k].second].first;
        const std::uint32_t bit = 1u << (bin % 32);
        auto& word = best.left_set[bin / 32];
        word = int(k) <= last_left ? word | bit : word & ~bit;
    }
    best.missing_left = best.goes_left(codes - 1);
    return best;
}

double settle_gain(BoostingSplit& split, const Sums& total, const GrowRule& rule, const Bounds& bounds) {
    if (split.gain == kNone) return kNone;
    const double own = score(total.g, total.h, leaf_value(total.g, total.h, rule, bounds), rule);
    const double raw = (split.gain - own) / 2;
    if (!std::isfinite(raw)) return kNone;  // the sums have overflowed: no split can be told from another
    split.gain = raw - rule.gamma;
    if (raw < rule.min_gain * kAlmost) return kNone;
    return rule.post_prune ? raw : split.gain;
}

std::pair<Bounds, Bounds> child_bounds(const BoostingSplit& split, const GrowRule& rule, const Bounds& bounds) {
    std::pair<Bounds, Bounds> sides{bounds, bounds};
    const int direction = monotone_of(rule, split.feature);
    if (direction == 0) return sides;
    const double middle = 0.5 * (leaf_value(split.left.g, split.left.h, rule, bounds) +
                                 leaf_value(split.right.g, split.right.h, rule, bounds));
    (direction > 0 ? sides.first : sides.second).upper = middle;
    (direction > 0 ? sides.second : sides.first).lower = middle;
    return sides;
}

std::vector<int> FeatureChoice::groups_below(const std::vector<int>& groups, int feature) const {
    std::vector<int> below;
    for (Index k = 0; k < rule_.interaction.rows; ++k) {
        const bool open = groups.empty() || std::find(groups.begin(), groups.end(), int(k)) != groups.end();
        if (open && rule_.interaction(k, feature)) below.push_back(int(k));
    }
    return below;
}

std::vector<std::uint8_t> FeatureChoice::features(const std::vector<int>& groups, std::uint64_t node) const {
    std::vector<int> open;
    if (groups.empty()) {
        for (Index j = 0; j < features_; ++j) open.push_back(int(j));
    } else {
        for (Index j = 0; j < features_; ++j)
            if (std::any_of(groups.begin(), groups.end(), [&](int k) { return rule_.interaction(k, j) != 0; }))
                open.push_back(int(j));
    }
    const auto n_open = Index(open.size());
    const Index wanted = rule_.columns_per_split > 0 ? std::min<Index>(rule_.columns_per_split, n_open) : n_open;
    if (wanted == features_) return {};
    if (wanted < n_open) {
        Rng rng(rule_.seed, node);
        draw_to_front(open.begin(), std::size_t(wanted), std::size_t(n_open), rng);
        open.resize(wanted);
    }
    std::vector<std::uint8_t> chosen(features_, 0);
    for (const int j : open) chosen[j] = 1;
    return chosen;
}

}  // namespace statlearn::trees
