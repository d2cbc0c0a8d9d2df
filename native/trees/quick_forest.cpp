#include "trees/quick_forest.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "common/pack.hpp"

namespace statlearn::trees {

namespace {

constexpr Index kWidth = 32;          // bytes of a vector
constexpr std::size_t kCounted = 20;  // thresholds up to which counting all is faster than searching
constexpr int kMaxLeaves = 64;

using Bytes = SignedBytes32;
using UnsignedBytes = Bytes32;  // whose negation cannot overflow

inline Bytes load(const std::int8_t* from) {
    Bytes v;
    std::memcpy(&v, from, sizeof v);
    return v;
}

inline Bytes fill(int byte) { return Bytes{} + std::int8_t(byte); }

}  // namespace

template <class T>
bool QuickForest<T>::read_columns(const ForestView& forest) {
    int n_features = 0;
    for (Index k = 0; k < forest.feature.size(); ++k)
        if (forest.child[k] != int(k)) n_features = std::max(n_features, forest.feature[k] + 1);
    column_of_.assign(n_features, -1);
    for (Index k = 0; k < forest.feature.size(); ++k) {
        if (forest.child[k] == int(k)) continue;
        if (std::isnan(forest.threshold[k])) return false;  // has no rank
        int& at = column_of_[forest.feature[k]];
        if (at < 0) {
            at = int(columns_.size());
            columns_.push_back({});
            columns_.back().feature = forest.feature[k];
        }
        Column& column = columns_[at];
        column.edges.push_back(floor_to<T>(forest.threshold[k]));
        int& slot = forest.missing_left[k] ? column.low_slot : column.high_slot;
        if (slot < 0) slot = n_slots_++;
    }
    for (Column& column : columns_) {
        std::sort(column.edges.begin(), column.edges.end());
        column.edges.erase(std::unique(column.edges.begin(), column.edges.end()), column.edges.end());
        const auto n = column.edges.size();
        if (n > 254) return false;
        if (n > kCounted) {
            column.steps = int(std::bit_width(n));
            column.edges.resize((std::size_t{1} << column.steps) - 1, std::numeric_limits<T>::infinity());
        }
    }
    return n_slots_ <= std::numeric_limits<std::int16_t>::max();
}

template <class T>
bool QuickForest<T>::read_tree(const ForestView& forest, std::size_t t, Index end) {
    struct Range {
        int node, first;  // first leaf below it
    };
    const Index begin = forest.roots[t];
    // Leaves below every node, from the back: children lie behind their parents.
    std::vector<int> leaves(end - begin, 1);
    for (Index k = end - 1; k >= begin; --k)
        if (const Index child = forest.child[k]; child != k)
            leaves[k - begin] = leaves[child - begin] + leaves[child + 1 - begin];
    if (leaves[0] > kMaxLeaves) return false;
    const int n_parts = (leaves[0] + 7) / 8;
    const auto first_value = values_.size();
    values_.resize(first_value + std::size_t(leaves[0]));
    std::array<std::vector<Strike>, kMaxLeaves / 8> strikes;
    std::vector<Range> open{{int(begin), 0}};
    while (!open.empty()) {
        const auto [node, first] = open.back();
        open.pop_back();
        const Index k = node;
        const int child = forest.child[k];
        if (child == node) {
            values_[first_value + std::size_t(first)] = forest.value[k];
            continue;
        }
        const int left = leaves[child - begin];
        const Column& column = columns_[column_of_[forest.feature[k]]];
        const auto rank = std::lower_bound(column.edges.begin(), column.edges.end(), floor_to<T>(forest.threshold[k])) -
                          column.edges.begin();
        const int slot = forest.missing_left[k] ? column.low_slot : column.high_slot;
        for (int part = first / 8; part <= (first + left - 1) / 8; ++part) {
            const int from = std::max(first - 8 * part, 0), to = std::min(first + left - 8 * part, 8);
            const int mask = ((1 << to) - 1) & ~((1 << from) - 1);
            strikes[part].push_back({std::int16_t(slot), std::int8_t(rank - 128), std::uint8_t(mask)});
        }
        open.push_back({child, first});
        open.push_back({child + 1, first + left});
    }
    trees_.push_back({int(parts_.size()), int(parts_.size()) + n_parts, int(first_value), forest.output[t]});
    for (int part = 0; part < n_parts; ++part) {
        const auto& own = strikes[part];
        parts_.push_back({int(strikes_.size()), int(strikes_.size() + own.size())});
        strikes_.insert(strikes_.end(), own.begin(), own.end());
    }
    return true;
}

template <class T>
std::optional<QuickForest<T>> QuickForest<T>::prepare(const ForestView& forest) {
    if (forest.left_sets.rows > 0 || forest.value.empty()) return std::nullopt;
    QuickForest quick;
    if (!quick.read_columns(forest)) return std::nullopt;
    for (Index t = 0; t < forest.roots.size(); ++t) {
        const Index end = t + 1 < forest.roots.size() ? forest.roots[t + 1] : Index(forest.feature.size());
        if (end - forest.roots[t] > 2 * kMaxLeaves || !quick.read_tree(forest, t, end)) return std::nullopt;
    }
    return quick;
}

template <class T>
void QuickForest<T>::rank_rows(Matrix<const T> X, Index first, Index rows, std::int8_t* ranks) const {
    std::array<T, kRows> x{};
    std::array<int, kRows> rank;
    for (const Column& column : columns_) {
        bool complete = true;
        for (Index i = 0; i < rows; ++i) {
            const T value = X(first + i, column.feature);
            x[i] = value;
            complete &= value == value;
        }
        const T* edge = column.edges.data();
        if (column.steps > 0) {
            for (Index i = 0; i < kRows; ++i) {
                int at = 0;
                for (int step = 1 << (column.steps - 1); step > 0; step /= 2)
                    at += x[i] > edge[at + step - 1] ? step : 0;
                rank[i] = at;
            }
        } else {
            rank.fill(0);
            for (const T e : column.edges)
                for (Index i = 0; i < kRows; ++i) rank[i] += x[i] > e ? 1 : 0;
        }
        for (const bool low : {true, false}) {
            const int slot = low ? column.low_slot : column.high_slot;
            if (slot < 0) continue;
            std::int8_t* to = ranks + slot * kRows;
            for (Index i = 0; i < kRows; ++i) to[i] = std::int8_t(rank[i] - 128);
            if (complete) continue;
            for (Index i = 0; i < rows; ++i)
                if (x[i] != x[i]) to[i] = low ? -128 : 127;
        }
    }
}

template <class T>
void QuickForest<T>::add(Matrix<const T> X, Index first, Index rows, Matrix<double> sums) const {
    constexpr Index kVectors = kRows / kWidth;
    std::vector<std::int8_t> ranks(n_slots_ * kRows);
    rank_rows(X, first, rows, ranks.data());
    std::vector<double> total(sums.cols * kRows);
    for (Index i = 0; i < rows; ++i)
        for (Index k = 0; k < sums.cols; ++k) total[k * kRows + i] = sums(first + i, k);
    std::array<std::int8_t, kRows> leaf;
    for (const SmallTree& tree : trees_) {
        Bytes found[kVectors] = {}, base[kVectors] = {};  // the first eight leaves that are not all struck out
        for (int p = tree.part_begin; p < tree.part_end; ++p) {
            Bytes open[kVectors];
            for (Bytes& v : open) v = fill(-1);
            for (int s = parts_[p].begin; s < parts_[p].end; ++s) {
                const Strike& strike = strikes_[s];
                const std::int8_t* rank = ranks.data() + strike.slot * kRows;
                const Bytes limit = fill(strike.rank), leaves = fill(strike.leaves);
                for (Index v = 0; v < kVectors; ++v) open[v] &= ~((load(rank + v * kWidth) > limit) & leaves);
            }
            const Bytes start = fill(8 * (p - tree.part_begin));
            for (Index v = 0; v < kVectors; ++v) {
                const Bytes none = found[v] == 0;
                base[v] = (none & start) | (~none & base[v]);
                found[v] |= none & open[v];
            }
        }
        for (Index v = 0; v < kVectors; ++v) {
            const auto left = UnsignedBytes(found[v]);
            const Bytes lowest = Bytes(left & -left);
            const Bytes bit = (((lowest & fill(0xAA)) != 0) & fill(1)) | (((lowest & fill(0xCC)) != 0) & fill(2)) |
                              (((lowest & fill(0xF0)) != 0) & fill(4));
            const Bytes at = base[v] + bit;
            std::memcpy(leaf.data() + Index(v) * kWidth, &at, sizeof at);
        }
        const double* value = values_.data() + tree.value;
        double* sum = total.data() + tree.output * kRows;
        for (Index i = 0; i < kRows; ++i) sum[i] += value[leaf[i]];
    }
    for (Index i = 0; i < rows; ++i)
        for (Index k = 0; k < sums.cols; ++k) sums(first + i, k) = total[k * kRows + i];
}

template class QuickForest<float>;
template class QuickForest<double>;

}  // namespace statlearn::trees
