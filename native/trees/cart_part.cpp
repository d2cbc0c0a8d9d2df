#include "trees/cart_part.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "common/parallel.hpp"
#include "common/radix.hpp"
#include "common/scratch.hpp"

namespace statlearn::trees {

namespace {

constexpr Index kRadixFrom = 512;  // below this a comparison sort is faster

// Items of side 1 to the front, the others to `scratch` and behind them.
template <class Item, class RowOf>
Index part_range(Item* items, Index m, Item* scratch, Span<const std::uint8_t> side, RowOf row_of) {
    Index l = 0, r = 0;
    for (Index k = 0; k < m; ++k) {
        const Item item = items[k];
        const Index go = side[row_of(item)];
        items[l] = item;
        scratch[r] = item;
        l += go;
        r += 1 - go;
    }
    std::copy(scratch, scratch + r, items + l);
    return l;
}

}  // namespace

double midway(const std::vector<double>& values, std::uint32_t low, std::uint32_t high) {
    const double a = values[low], b = values[high], middle = a / 2 + b / 2;
    return middle >= b || middle < a ? a : middle;
}

CartPart::CartPart(CartColumns& columns, const CartTarget& target, bool presort)
    : cols_(columns.cols), presorted_(presort), target_(target) {
    for (Index j = 0; j < cols_; ++j)
        if (!columns.categorical.empty() && columns.categorical[j])
            words_ = std::max(words_, Index(columns.n_levels[j] + 31) / 32);
    if (presort) {
        columns_ = std::move(columns.sorted);
        return;
    }
    ranks_.resize(cols_ * rows());
    parallel_for(cols_, [&](Index j) {
        auto& sorted = columns.sorted[j];
        for (const auto& cell : sorted) ranks_[std::size_t(j * rows()) + cell.row] = cell.rank;
        std::vector<Cell>().swap(sorted);
    });
    list_.resize(rows());
    std::iota(list_.begin(), list_.end(), 0u);
}

CartPart::CartPart(const CartPart& whole, Index begin, Index end, std::vector<std::uint32_t>& local,
                   Span<const double> weights)
    : cols_(whole.cols_), words_(whole.words_), presorted_(whole.presorted_) {
    std::vector<std::uint32_t> rows;
    rows.reserve(end - begin);
    const auto take = [&](std::uint32_t row) {
        if (!weights.empty() && !(weights[row] > 0.0)) return;
        local[row] = std::uint32_t(rows.size());
        rows.push_back(row);
    };
    if (presorted_)
        for (Index k = begin; k < end; ++k) take(whole.columns_[0][k].row);
    else
        for (Index k = begin; k < end; ++k) take(whole.list_[k]);
    take_target(whole.target_, rows, weights);
    const auto m = rows.size();
    if (presorted_) {
        columns_.resize(cols_);
        for (std::size_t j = 0; j < columns_.size(); ++j) {
            columns_[j].reserve(m);
            for (Index k = begin; k < end; ++k) {
                const Cell cell = whole.columns_[j][k];
                if (weights.empty() || weights[cell.row] > 0.0) columns_[j].push_back({local[cell.row], cell.rank});
            }
        }
        return;
    }
    ranks_.resize(std::size_t(cols_) * m);
    for (Index j = 0; j < cols_; ++j)
        for (std::size_t i = 0; i < m; ++i) ranks_[j * m + i] = whole.ranks_[j * std::size_t(whole.rows()) + rows[i]];
    list_.resize(m);
    std::iota(list_.begin(), list_.end(), 0u);
}

void CartPart::take_target(const CartTarget& from, Span<const std::uint32_t> rows, Span<const double> weights) {
    target_ = from;
    target_.rows = Index(rows.size());
    const Index outputs = from.outputs;
    const auto copied = [&](const auto& source, auto& store) {
        if (source.empty()) return;
        store.resize(rows.size() * outputs);
        for (Index i = 0; i < rows.size(); ++i)
            for (Index o = 0; o < outputs; ++o) store[i * outputs + o] = source[rows[i] * outputs + o];
    };
    copied(from.y, y_);
    copied(from.codes, codes_);
    target_.y = y_;
    target_.codes = codes_;
    const auto source = weights.empty() ? from.weights : weights;
    for (const auto row : rows)
        if (!source.empty()) weights_.push_back(source[row]);
    target_.weights = weights_;
}

Span<const Cell> CartPart::any_cells(Index begin, Index end, std::vector<Cell>& scratch) const {
    if (presorted_) return {columns_[0].data() + begin, end - begin};
    scratch.resize(end - begin);
    for (Index k = begin; k < end; ++k) scratch[k - begin] = {list_[k], 0};
    return scratch;
}

Span<const Cell> CartPart::cells(Index begin, Index end, Index j, bool sorted, std::vector<Cell>& scratch) const {
    if (presorted_) return {columns_[j].data() + begin, end - begin};
    const Index m = end - begin;
    scratch.resize(m);
    const std::uint32_t* rank = ranks_.data() + j * rows();
    bool missing = false;
    for (Index k = 0; k < m; ++k) {
        const auto row = list_[std::size_t(begin) + k];
        scratch[k] = {row, rank[row]};
        missing |= rank[row] == kMissingRank;
    }
    if (!sorted && !missing) return scratch;
    if (!sorted)
        std::stable_partition(scratch.begin(), scratch.end(), [](Cell c) { return c.rank != kMissingRank; });
    else if (m < kRadixFrom)
        std::sort(scratch.begin(), scratch.end(),
                  [](Cell a, Cell b) { return a.rank != b.rank ? a.rank < b.rank : a.row < b.row; });
    else {
        std::vector<Cell> other(m);
        radix_sort<Cell>(scratch, other, [](const Cell& cell) { return cell.rank; });
    }
    return scratch;
}

bool CartPart::is_constant(Index begin, Index end, Index j) const {
    if (presorted_) {
        const auto& column = columns_[j];
        return column[begin].rank == column[end - 1].rank;
    }
    const std::uint32_t* rank = ranks_.data() + j * rows();
    for (Index k = begin + 1; k < end; ++k)
        if (rank[list_[k]] != rank[list_[begin]]) return false;
    return true;
}

Index CartPart::partition(Index begin, Index end, Span<const std::uint8_t> side, Index first_col, Index last_col,
                          bool shared) {
    const Index m = end - begin;
    if (!presorted_) {
        if (first_col > 0) return begin;
        right_rows_.resize(m);
        return begin + part_range(list_.data() + begin, m, right_rows_.data(), side, [](std::uint32_t r) { return r; });
    }
    Index left = 0;
    const auto part_column = [&](Index j, Cell* scratch) {
        return part_range(columns_[j].data() + begin, m, scratch, side, [](const Cell& cell) { return cell.row; });
    };
    if (shared) {
        parallel_for(last_col - first_col, [&](Index k) {
            Scratch<Cell> scratch(m);
            const Index l = part_column(first_col + k, scratch.data());
            if (k == 0) left = l;
        });
    } else {
        right_.resize(std::max(right_.size(), std::size_t(m)));
        for (Index j = first_col; j < last_col; ++j) left = part_column(j, right_.data());
    }
    return begin + left;
}

}  // namespace statlearn::trees
