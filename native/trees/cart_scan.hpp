// The best split of one column at one node.
#pragma once

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "common/rng.hpp"
#include "trees/cart.hpp"
#include "trees/cart_criteria.hpp"

namespace statlearn::trees {

struct ScanRule {
    Index min_rows;
    double min_weight;
    int monotone;         // of this column
    double lower, upper;  // of the values on both sides
    double tie;           // gains closer than this are equal: the first one stays
};

// A split of one column. Ranks up to `last_left` go left, or the levels listed.
struct ColumnSplit {
    double gain = kNoGain;
    bool by_set = false, missing_left = false;
    bool multiway = false;  // one branch for each of `levels`
    bool branch = false;    // missing values get a branch of their own first
    std::uint32_t last_left = 0, first_right = 0;
    double threshold = std::numeric_limits<double>::quiet_NaN();  // NaN: midway between the two ranks
    std::vector<std::uint32_t> levels;                            // on the left, or all of them in a multiway split
    std::vector<std::uint32_t> right_levels;                      // the others that the node has
    Index left_rows = 0, right_rows = 0;
    double middle = 0.0;  // of the values of both sides
    Index evaluations = 0;
};

template <class Crit>
class ColumnScan {
public:
    ColumnScan(Crit& criterion, const ScanRule& rule) : c_(criterion), rule_(rule) {}

    // `cells` in the order of ranks, missing values last.
    ColumnSplit ordered(Cells cells, bool with_missing) {
        const auto [known, missing] = parted(cells);
        scan(known, with_missing ? missing : Cells{}, false);
        if (with_missing && !missing.empty()) scan(known, missing, true);
        best_.last_left = best_.count ? known[best_.count - 1].rank : 0;
        best_.first_right = best_.count < known.size() ? known[best_.count].rank : kMissingRank;
        if (missing.empty() || !with_missing) best_.missing_left = best_.left_rows > best_.right_rows;
        return std::move(best_);
    }

    // The three parts of an ordered column with missing values: they apart, the others cut at the best place.
    ColumnSplit branched(Cells cells, Crit& whole) {
        const auto [known, missing] = parted(cells);
        Crit part = whole;
        part.enter(missing);
        const double apart = whole.weight() * whole.impurity() - part.weight() * part.impurity();
        c_.enter(known);
        const double inner = c_.weight() * c_.impurity();
        if (Index(missing.size()) < rule_.min_rows || Index(known.size()) < rule_.min_rows ||
            part.weight() < rule_.min_weight || c_.weight() < rule_.min_weight)
            return {};
        ColumnSplit found = ordered(cells, false);
        const bool cut = found.gain > 0.0;
        found.gain = apart - inner + (cut ? found.gain : 0.0);
        found.branch = true;
        if (!cut) found.last_left = found.first_right = kMissingRank;
        found.left_rows = Index(known.size());
        found.right_rows = Index(missing.size());
        return found;
    }

    ColumnSplit by_level(Cells cells, bool with_missing, CartCategories how) {
        const auto [known, missing] = parted(cells);
        groups_.clear();
        for (std::size_t k = 0; k < known.size();) {
            std::size_t end = k + 1;
            while (end < known.size() && known[end].rank == known[k].rank) ++end;
            groups_.push_back(known.subspan(k, end - k));
            k = end;
        }
        const Cells others = with_missing ? missing : Cells{};
        if (how == CartCategories::multiway) return multiway(others);
        if (how == CartCategories::exhaustive && groups_.size() <= kExhaustive)
            exhaustive(known.size(), others);
        else
            for (Index k = 0; k < c_.n_orders(); ++k) in_order(k, known.size(), others);
        best_.by_set = true;
        for (const auto& group : groups_)
            if (std::find(best_.levels.begin(), best_.levels.end(), group[0].rank) == best_.levels.end())
                best_.right_levels.push_back(group[0].rank);
        if (others.empty()) best_.missing_left = best_.left_rows > best_.right_rows;
        return std::move(best_);
    }

    // One threshold between the smallest and the largest value, or a random half of the levels.
    ColumnSplit random(Cells cells, bool with_missing, const std::vector<double>& values, bool by_set, Rng& rng) {
        const auto [known, missing] = parted(cells);
        if (known.empty()) return {};
        const bool missing_left = with_missing && !missing.empty() && rng.uniform() < 0.5;
        double threshold = 0.0;
        std::uint32_t last_left = 0;
        std::vector<std::uint32_t> levels;
        if (by_set) {
            for (const auto& cell : known) levels.push_back(cell.rank);
            std::sort(levels.begin(), levels.end());
            levels.erase(std::unique(levels.begin(), levels.end()), levels.end());
            if (levels.size() < 2) return {};
            rng.shuffle(levels.begin(), Index(levels.size()));
            const auto kept = 1 + rng.below(std::uint32_t(levels.size() - 1));
            best_.right_levels.assign(levels.begin() + kept, levels.end());
            levels.resize(kept);
            std::sort(levels.begin(), levels.end());
        } else {
            const auto [low, high] = std::minmax_element(known.begin(), known.end(),
                                                         [](const Cell& a, const Cell& b) { return a.rank < b.rank; });
            const double from = values[low->rank], to = values[high->rank];
            if (low->rank == high->rank) {
                last_left = low->rank;
                threshold = from;
            } else {
                threshold = from + rng.uniform() * (to - from);
                if (!(threshold < to)) threshold = from;
                last_left =
                    std::uint32_t(std::upper_bound(values.begin() + low->rank, values.begin() + high->rank, threshold) -
                                  values.begin()) -
                    1;
            }
        }
        const Cells others = with_missing ? missing : Cells{};
        const auto goes_left = [&](const Cell& cell) {
            return by_set ? std::binary_search(levels.begin(), levels.end(), cell.rank) : cell.rank <= last_left;
        };
        std::size_t n_left = missing_left ? others.size() : 0;
        if constexpr (Crit::kOrdered) {
            left_.clear();
            right_.clear();
            for (const auto& cell : known) (goes_left(cell) ? left_ : right_).push_back(cell);
            auto& with_others = missing_left ? left_ : right_;
            with_others.insert(with_others.end(), others.begin(), others.end());
            n_left = left_.size();
            c_.begin(left_, {}, right_);
        } else {
            c_.begin(missing_left ? others : Cells{}, {}, {});
            for (const auto& cell : known)
                if (goes_left(cell)) {
                    c_.add(cell.row);
                    ++n_left;
                }
        }
        if (!offer(n_left, known.size() + others.size() - n_left)) return {};
        best_.by_set = by_set;
        best_.last_left = last_left;
        best_.threshold = threshold;
        best_.levels = std::move(levels);
        best_.missing_left = others.empty() ? best_.left_rows > best_.right_rows : missing_left;
        return std::move(best_);
    }

private:
    struct Best : ColumnSplit {
        std::size_t count = 0;  // cells of the scanned order that go left
    };

    static std::pair<Cells, Cells> parted(Cells cells) {
        std::size_t known = cells.size();
        while (known > 0 && cells[known - 1].rank == kMissingRank) --known;
        return {cells.first(known), cells.subspan(known)};
    }

    // Whether the criterion's present state is a split, and better than the best so far: then it is kept.
    bool offer(std::size_t left_rows, std::size_t right_rows) {
        if (Index(left_rows) < rule_.min_rows || Index(right_rows) < rule_.min_rows) return false;
        ++best_.evaluations;
        const double gain = c_.gain();
        return gain > bar_ && take(gain, left_rows, right_rows);
    }

    // Keeps a gain above the bar, if the split is allowed.
    bool take(double gain, std::size_t left_rows, std::size_t right_rows) {
        const double wl = c_.left_weight(), wr = c_.weight() - wl;
        if (wl < rule_.min_weight || wr < rule_.min_weight || !(wr > 0.0)) return false;
        // A column without a direction of its own may leave the bounds: its leaves' values are cut off at them.
        if (rule_.monotone != 0 && !within_bounds()) return false;
        best_.gain = gain;
        bar_ = gain + rule_.tie;
        best_.left_rows = Index(left_rows);
        best_.right_rows = Index(right_rows);
        if (rule_.monotone != 0) best_.middle = 0.5 * (c_.left_value() + c_.right_value());
        return true;
    }

    bool within_bounds() const {
        const double l = c_.left_value(), r = c_.right_value();
        if (std::min(l, r) < rule_.lower || std::max(l, r) > rule_.upper) return false;
        return double(rule_.monotone) * (r - l) >= 0.0;
    }

    void scan(Cells known, Cells missing, bool missing_left) {
        const std::size_t m = known.size(), extra = missing.size(), total = m + extra;
        c_.begin(missing_left ? missing : Cells{}, known, missing_left ? Cells{} : missing);
        const std::size_t before = missing_left ? extra : 0, least = std::size_t(rule_.min_rows);
        // All known values against the missing ones is the last candidate of the first direction.
        std::size_t last = extra > 0 && !missing_left ? m : m - (m > 0);
        if (total < before + least) return;
        last = std::min(last, total - before - least);
        std::size_t k = 0;
        for (; k < last && before + k + 1 < least; ++k) c_.add(known[k].row);
        Index scored = 0;
        for (; k < last; ++k) {
            c_.add(known[k].row);
            if (k + 1 < m && known[k + 1].rank == known[k].rank) continue;
            ++scored;
            const double gain = c_.gain();
            if (gain > bar_ && take(gain, before + k + 1, total - before - k - 1)) {
                best_.count = k + 1;
                best_.missing_left = missing_left;
            }
        }
        best_.evaluations += scored;
    }

    void in_order(Index key, std::size_t n_known, Cells others) {
        std::vector<std::pair<double, std::size_t>> order;
        for (std::size_t g = 0; g < groups_.size(); ++g) {
            const double mean = c_.level_key(groups_[g], key);
            order.emplace_back(mean == mean ? mean : 0.0, g);  // sums that overflowed must not upset the order
        }
        std::sort(order.begin(), order.end());
        left_.clear();
        left_.reserve(n_known);
        for (std::size_t k = 0; k < order.size(); ++k)
            for (const auto& cell : groups_[order[k].second]) left_.push_back({cell.row, std::uint32_t(k)});
        for (const bool missing_left : {false, true}) {
            if (missing_left && others.empty()) break;
            const double before = best_.gain;
            scan(left_, others, missing_left);
            if (best_.gain == before) continue;
            best_.levels.clear();
            for (std::size_t k = 0; k <= left_[best_.count - 1].rank; ++k)
                best_.levels.push_back(groups_[order[k].second][0].rank);
        }
    }

    void exhaustive(std::size_t n_known, Cells others) {
        const std::size_t total = n_known + others.size();
        // The last level stays on the right: every partition once.
        for (std::size_t mask = 1; mask < std::size_t(1) << (groups_.size() - (others.empty() ? 1 : 0)); ++mask) {
            left_.clear();
            for (std::size_t g = 0; g < groups_.size(); ++g)
                if (mask >> g & 1) left_.insert(left_.end(), groups_[g].begin(), groups_[g].end());
            right_.clear();
            for (std::size_t g = 0; g < groups_.size(); ++g)
                if (!(mask >> g & 1)) right_.insert(right_.end(), groups_[g].begin(), groups_[g].end());
            right_.insert(right_.end(), others.begin(), others.end());
            c_.begin(left_, right_, {});
            if (right_.empty() || !offer(left_.size(), total - left_.size())) continue;
            best_.levels.clear();
            for (std::size_t g = 0; g < groups_.size(); ++g)
                if (mask >> g & 1) best_.levels.push_back(groups_[g][0].rank);
            best_.missing_left = false;
        }
    }

    // Missing values stay with the last branch.
    ColumnSplit multiway(Cells others) {
        if (groups_.size() < 2) return {};
        Crit part = c_;
        double inner = 0.0;
        std::size_t rows = others.size();
        for (std::size_t g = 0; g < groups_.size(); ++g) {
            left_.assign(groups_[g].begin(), groups_[g].end());
            if (g + 1 == groups_.size()) left_.insert(left_.end(), others.begin(), others.end());
            if (Index(left_.size()) < rule_.min_rows) return {};
            part.enter(left_);
            if (part.weight() < rule_.min_weight) return {};
            inner += part.weight() * part.impurity();
            rows += groups_[g].size();
            best_.levels.push_back(groups_[g][0].rank);
        }
        best_.evaluations = 1;
        best_.gain = c_.weight() * c_.impurity() - inner;
        best_.by_set = best_.multiway = true;
        best_.left_rows = Index(groups_[0].size());
        best_.right_rows = Index(rows) - best_.left_rows;
        return std::move(best_);
    }

    Crit& c_;
    const ScanRule& rule_;
    Best best_;
    double bar_ = kNoGain;  // what a gain must exceed
    std::vector<Cells> groups_;
    std::vector<Cell> left_, right_;
};

}  // namespace statlearn::trees
