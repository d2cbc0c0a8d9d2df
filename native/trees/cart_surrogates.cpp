#include "trees/cart_surrogates.hpp"

#include <algorithm>

namespace statlearn::trees {

namespace {

constexpr Index kLeastRows = 2;  // on each side of a surrogate, as in rpart

struct Sides {
    double left = 0.0, right = 0.0;
};

// By the side that most of the rows of each level take; where both are equal, that of most rows with a known level.
Surrogate by_levels(Span<const Cell> cells, Span<const std::uint8_t> known, Span<const std::uint8_t> side,
                    const CartTarget& target, Index words, bool others_left) {
    Surrogate found;
    found.by_set = true;
    found.left_set.assign(words, others_left ? ~0u : 0u);
    Sides all;
    for (const auto& cell : cells)
        if (cell.rank != kMissingRank && known[cell.row])
            (side[cell.row] ? all.left : all.right) += target.weight(cell.row);
    Index n_left = 0, n_right = 0;
    for (Index k = 0; k < cells.size() && cells[k].rank != kMissingRank;) {
        const auto level = cells[k].rank;
        Sides here;
        Index rows = 0;
        for (; k < cells.size() && cells[k].rank == level; ++k)
            if (known[cells[k].row]) {
                (side[cells[k].row] ? here.left : here.right) += target.weight(cells[k].row);
                ++rows;
            }
        if (here.left + here.right == 0.0) continue;
        const std::uint32_t bit = 1u << (level % 32);
        auto& word = found.left_set[level / 32];
        const bool left = here.left > here.right || (here.left == here.right && all.left > all.right);
        word = left ? word | bit : word & ~bit;
        (left ? n_left : n_right) += rows;
        found.agreement += std::max(here.left, here.right);
    }
    if (std::min(n_left, n_right) < kLeastRows) found.agreement = 0.0;
    return found;
}

// The threshold lies midway to the next value of any row, whether or not the first split knows that row, as in rpart.
Surrogate by_threshold(Span<const Cell> cells, Span<const std::uint8_t> known, Span<const std::uint8_t> side,
                       const CartTarget& target) {
    Index size = 0;  // cells with a value
    Index n_above = 0, n_below = 0;
    Sides total;
    for (; size < cells.size() && cells[size].rank != kMissingRank; ++size) {
        const auto row = cells[size].row;
        if (!known[row]) continue;
        (side[row] ? total.left : total.right) += target.weight(row);
        ++n_above;
    }
    Surrogate found;
    Sides below;
    for (Index k = 0; k + 1 < size; ++k) {
        if (const auto row = cells[k].row; known[row]) {
            (side[row] ? below.left : below.right) += target.weight(row);
            ++n_below;
            --n_above;
        }
        if (cells[k + 1].rank == cells[k].rank || n_below < kLeastRows || n_above < kLeastRows) continue;
        const double same = below.left + (total.right - below.right);
        const double crossed = below.right + (total.left - below.left);
        if (std::max(same, crossed) <= found.agreement) continue;
        found.agreement = std::max(same, crossed);
        found.below_left = same >= crossed;
        found.last_below = cells[k].rank;
        found.first_above = cells[k + 1].rank;
    }
    return found;
}

}  // namespace

std::vector<Surrogate> find_surrogates(const CartColumns& columns, const CartPart& part, Index begin, Index end,
                                       int primary, Span<const int> candidates, Span<const std::uint8_t> side,
                                       int most) {
    const CartTarget& target = part.target();
    std::vector<std::uint8_t> known(part.rows(), 0);
    std::vector<Cell> scratch;
    Sides all;
    for (const auto& cell : part.cells(begin, end, primary, false, scratch)) {
        known[cell.row] = cell.rank != kMissingRank;
        if (known[cell.row]) (side[cell.row] ? all.left : all.right) += target.weight(cell.row);
    }
    const double total = all.left + all.right, majority = std::max(all.left, all.right);
    std::vector<Surrogate> found;
    for (const int j : candidates) {
        if (j == primary) continue;
        const bool categorical = !columns.categorical.empty() && columns.categorical[j];
        const auto cells = part.cells(begin, end, j, true, scratch);
        Surrogate one = categorical ? by_levels(cells, known, side, target, part.words(), all.left > all.right)
                                    : by_threshold(cells, known, side, target);
        one.feature = j;
        if (!categorical && one.agreement > 0.0) {
            const auto& values = columns.values[j];
            one.threshold = midway(values, one.last_below, one.first_above);
            // Values of other nodes may lie between the two.
            one.last_below =
                std::uint32_t(std::upper_bound(values.begin(), values.end(), one.threshold) - values.begin()) - 1;
        }
        one.adjusted = (one.agreement - majority) / (total - majority);
        one.agreement /= total;
        if (one.adjusted > 1e-10) found.push_back(std::move(one));
    }
    std::stable_sort(found.begin(), found.end(),
                     [](const auto& a, const auto& b) { return a.agreement > b.agreement; });
    if (found.size() > std::size_t(most)) found.resize(most);
    return found;
}

void route_missing(const CartPart& part, Index begin, Index end, Span<const Cell> cells,
                   const std::vector<Surrogate>& surrogates, Span<std::uint8_t> side) {
    if (surrogates.empty() || cells.empty()) return;
    std::vector<std::uint8_t> open(part.rows(), 0);
    Index n_open = 0;
    for (const auto& cell : cells)
        if (cell.rank == kMissingRank) {
            open[cell.row] = 1;
            ++n_open;
        }
    std::vector<Cell> scratch;
    for (const auto& s : surrogates) {
        if (n_open == 0) return;
        for (const auto& cell : part.cells(begin, end, s.feature, false, scratch)) {
            if (!open[cell.row] || cell.rank == kMissingRank) continue;
            const bool left = s.by_set ? s.left_set[cell.rank / 32] >> (cell.rank % 32) & 1u
                                       : (cell.rank <= s.last_below) == s.below_left;
            side[cell.row] = left;
            open[cell.row] = 0;
            --n_open;
        }
    }
}

}  // namespace statlearn::trees
