#include "trees/cart_scan.hpp"

#include <algorithm>

namespace statlearn::trees {

std::pair<Cells, Cells> ColumnScanBase::parted(Cells cells) {
    Index known = cells.size();
    while (known > 0 && cells[known - 1].rank == kMissingRank) --known;
    return {cells.first(known), cells.subspan(known)};
}

void ColumnScanBase::set_groups(Cells known) {
    groups_.clear();
    for (Index k = 0; k < known.size();) {
        Index end = k + 1;
        while (end < known.size() && known[end].rank == known[k].rank) ++end;
        groups_.push_back(known.subspan(k, end - k));
        k = end;
    }
}

void ColumnScanBase::line_up(Order& order) {
    std::sort(order.begin(), order.end());
    left_.clear();
    for (std::size_t k = 0; k < order.size(); ++k)
        for (const auto& cell : groups_[order[k].second]) left_.push_back({cell.row, std::uint32_t(k)});
}

void ColumnScanBase::set_levels(const Order& order) {
    best_.levels.clear();
    for (std::size_t k = 0; k <= left_[best_.count - 1].rank; ++k)
        best_.levels.push_back(groups_[order[k].second][0].rank);
}

void ColumnScanBase::divide(std::size_t mask, Cells others) {
    left_.clear();
    right_.clear();
    for (std::size_t g = 0; g < groups_.size(); ++g) {
        auto& side = mask >> g & 1 ? left_ : right_;
        side.insert(side.end(), groups_[g].begin(), groups_[g].end());
    }
    right_.insert(right_.end(), others.begin(), others.end());
}

void ColumnScanBase::set_levels(std::size_t mask) {
    best_.levels.clear();
    for (std::size_t g = 0; g < groups_.size(); ++g)
        if (mask >> g & 1) best_.levels.push_back(groups_[g][0].rank);
}

ColumnSplit ColumnScanBase::by_set_result(Cells others) {
    best_.by_set = true;
    for (const auto& group : groups_)
        if (std::find(best_.levels.begin(), best_.levels.end(), group[0].rank) == best_.levels.end())
            best_.right_levels.push_back(group[0].rank);
    if (others.empty()) best_.missing_left = best_.left_rows > best_.right_rows;
    return std::move(best_);
}

bool ColumnScanBase::draw(Cells known, Cells missing, const std::vector<double>& values, Rng& rng, Draw& drawn) {
    if (known.empty()) return false;
    drawn.missing_left = !missing.empty() && rng.uniform() < 0.5;
    if (drawn.by_set) {
        auto& levels = drawn.levels;
        for (const auto& cell : known) levels.push_back(cell.rank);
        std::sort(levels.begin(), levels.end());
        levels.erase(std::unique(levels.begin(), levels.end()), levels.end());
        if (levels.size() < 2) return false;
        rng.shuffle(levels.begin(), Index(levels.size()));
        const auto kept = 1 + rng.below(std::uint32_t(levels.size() - 1));
        best_.right_levels.assign(levels.begin() + kept, levels.end());
        levels.resize(kept);
        std::sort(levels.begin(), levels.end());
        return true;
    }
    const auto [low, high] =
        std::minmax_element(known.begin(), known.end(), [](const Cell& a, const Cell& b) { return a.rank < b.rank; });
    const double from = values[low->rank], to = values[high->rank];
    if (low->rank == high->rank) {
        drawn.last_left = low->rank;
        drawn.threshold = from;
        return true;
    }
    drawn.threshold = from + rng.uniform() * (to - from);
    if (!(drawn.threshold < to)) drawn.threshold = from;
    const auto above = std::upper_bound(values.begin() + low->rank, values.begin() + high->rank, drawn.threshold);
    drawn.last_left = std::uint32_t(above - values.begin()) - 1;
    return true;
}

}  // namespace statlearn::trees
