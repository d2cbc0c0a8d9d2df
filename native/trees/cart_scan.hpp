// The best split of one column at one node.
#pragma once

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "common/rng.hpp"
#include "trees/cart_criteria.hpp"
#include "trees/cart_scorer.hpp"

namespace statlearn::trees {

// What a scan needs that does not depend on the criterion.
class ColumnScanBase {
protected:
    explicit ColumnScanBase(const ScanRule& rule) : rule_(rule) {}

    struct Best : ColumnSplit {
        Index count = 0;  // cells of the scanned order that go left
    };

    // A split drawn at random.
    struct Draw {
        bool by_set = false, missing_left = false;
        double threshold = 0.0;
        std::uint32_t last_left = 0;
        std::vector<std::uint32_t> levels;

        bool goes_left(const Cell& cell) const {
            return by_set ? std::binary_search(levels.begin(), levels.end(), cell.rank) : cell.rank <= last_left;
        }
    };

    using Order = std::vector<std::pair<double, std::size_t>>;  // a key and its group

    // The cells with a value, and the missing ones.
    static std::pair<Cells, Cells> parted(Cells cells);
    // The runs of equal rank.
    void set_groups(Cells known);
    // The groups by their keys; left_ gets their cells in this order, with the place of the group as rank.
    void line_up(Order& order);
    // The levels of the best cut of this order.
    void set_levels(const Order& order);
    // The groups of the mask, and all others with the missing values behind them.
    void divide(std::size_t mask, Cells others);
    void set_levels(std::size_t mask);
    ColumnSplit by_set_result(Cells others);
    // False where there is nothing to draw from.
    bool draw(Cells known, Cells missing, const std::vector<double>& values, Rng& rng, Draw& drawn);

    const ScanRule& rule_;
    Best best_;
    double bar_ = kNoGain;  // what a gain must exceed
    std::vector<Cells> groups_;
    std::vector<Cell> left_, right_;
};

template <class Crit>
class ColumnScan : ColumnScanBase {
public:
    ColumnScan(Crit& criterion, const ScanRule& rule) : ColumnScanBase(rule), c_(criterion) {}

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
        set_groups(known);
        const Cells others = with_missing ? missing : Cells{};
        if (how == CartCategories::multiway) return multiway(others);
        if (how == CartCategories::exhaustive && groups_.size() <= kExhaustive)
            exhaustive(known.size(), others);
        else
            for (Index k = 0; k < c_.n_orders(); ++k) in_order(k, others);
        return by_set_result(others);
    }

    // One threshold between the smallest and the largest value, or a random half of the levels.
    ColumnSplit random(Cells cells, bool with_missing, const std::vector<double>& values, bool by_set, Rng& rng) {
        const auto [known, missing] = parted(cells);
        const Cells others = with_missing ? missing : Cells{};
        Draw drawn;
        drawn.by_set = by_set;
        if (!draw(known, others, values, rng, drawn)) return {};
        std::size_t n_left = drawn.missing_left ? others.size() : 0;
        if constexpr (Crit::kOrdered) {
            left_.clear();
            right_.clear();
            for (const auto& cell : known) (drawn.goes_left(cell) ? left_ : right_).push_back(cell);
            auto& with_others = drawn.missing_left ? left_ : right_;
            with_others.insert(with_others.end(), others.begin(), others.end());
            n_left = left_.size();
            c_.begin(left_, {}, right_);
        } else {
            c_.begin(drawn.missing_left ? others : Cells{}, {}, {});
            for (const auto& cell : known)
                if (drawn.goes_left(cell)) {
                    c_.add(cell.row);
                    ++n_left;
                }
        }
        if (!offer(n_left, known.size() + others.size() - n_left)) return {};
        best_.by_set = by_set;
        best_.last_left = drawn.last_left;
        best_.threshold = drawn.threshold;
        best_.levels = std::move(drawn.levels);
        best_.missing_left = others.empty() ? best_.left_rows > best_.right_rows : drawn.missing_left;
        return std::move(best_);
    }

private:
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

    void in_order(Index key, Cells others) {
        Order order;
        for (std::size_t g = 0; g < groups_.size(); ++g) {
            const double mean = c_.level_key(groups_[g], key);
            order.emplace_back(mean == mean ? mean : 0.0, g);  // sums that overflowed must not upset the order
        }
        line_up(order);
        for (const bool missing_left : {false, true}) {
            if (missing_left && others.empty()) break;
            const double before = best_.gain;
            scan(left_, others, missing_left);
            if (best_.gain != before) set_levels(order);
        }
    }

    void exhaustive(std::size_t n_known, Cells others) {
        const std::size_t total = n_known + others.size();
        // The last level stays on the right: every partition once.
        for (std::size_t mask = 1; mask < std::size_t(1) << (groups_.size() - (others.empty() ? 1 : 0)); ++mask) {
            divide(mask, others);
            c_.begin(left_, right_, {});
            if (right_.empty() || !offer(left_.size(), total - left_.size())) continue;
            set_levels(mask);
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
};

template <class Crit>
class ScorerOf final : public CartScorer {
public:
    explicit ScorerOf(const CartTarget& target) : criterion_(target) {}

    std::unique_ptr<CartScorer> copy() const override { return std::make_unique<ScorerOf>(*this); }
    void enter(Cells cells) override { criterion_.enter(cells); }
    double weight() const override { return criterion_.weight(); }
    double impurity() const override { return criterion_.impurity(); }
    double risk() const override { return criterion_.risk(); }
    bool pure() const override { return criterion_.pure(); }
    void value(double low, double high, double* out) const override { criterion_.value(low, high, out); }

    ColumnSplit scan(Cells cells, const ColumnTask& task) override {
        const bool missing = cells.back().rank == kMissingRank;
        if (!missing || task.missing == CartMissing::direction) return scan_with(criterion_, cells, task, true);
        Crit known = criterion_;
        if (task.missing == CartMissing::branch && !task.categorical && !task.random)
            return ColumnScan<Crit>(known, task.rule).branched(cells, criterion_);
        if (task.missing == CartMissing::branch) return scan_with(criterion_, cells, task, true);
        auto end = cells.size();
        while (end > 0 && cells[end - 1].rank == kMissingRank) --end;
        if (end == 0) return {};
        known.enter(cells.first(end));
        return scan_with(known, cells, task, false);
    }

private:
    static ColumnSplit scan_with(Crit& criterion, Cells cells, const ColumnTask& task, bool with_missing) {
        ColumnScan<Crit> columns(criterion, task.rule);
        if (task.random) {
            Rng rng(task.seed, task.stream);
            return columns.random(cells, with_missing, task.values, task.categorical, rng);
        }
        return task.categorical ? columns.by_level(cells, with_missing, task.categories)
                                : columns.ordered(cells, with_missing);
    }

    Crit criterion_;
};

template <class Crit>
std::unique_ptr<CartScorer> make_scorer(const CartTarget& target) {
    return std::make_unique<ScorerOf<Crit>>(target);
}

}  // namespace statlearn::trees
