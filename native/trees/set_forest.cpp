#include "trees/set_forest.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace statlearn::trees {

namespace {

constexpr Index kMaxLeaves = 64;
constexpr Index kMaxEntries = Index(1) << 24;  // 128 MB of tables

}  // namespace

template <class T>
std::optional<SetForest<T>> SetForest<T>::prepare(const ForestView& forest, Index rows) {
    const auto n_trees = Index(forest.roots.size());
    const Index codes = 32 * forest.left_sets.cols, work = forest.left_sets.rows * codes;
    if (forest.value.empty() || work > kMaxEntries || work > 2 * rows * n_trees) return std::nullopt;
    SetForest made;
    made.codes_ = codes;
    for (Index t = 0; t < n_trees; ++t) {
        const Index begin = forest.roots[t];
        const Index end = t + 1 < n_trees ? forest.roots[t + 1] : Index(forest.feature.size());
        if (end - begin >= 2 * kMaxLeaves) return std::nullopt;
        made.read_tree(forest, begin, end);
        made.trees_.back().output = forest.output[t];
    }
    return made;
}

template <class T>
int SetForest<T>::column_of(int feature) {
    if (std::size_t(feature) >= column_of_.size()) column_of_.resize(std::size_t(feature) + 1, -1);
    int& at = column_of_[feature];
    if (at < 0) {
        at = int(columns_.size());
        columns_.push_back(feature);
    }
    return at;
}

template <class T>
void SetForest<T>::read_tree(const ForestView& forest, Index begin, Index end) {
    // Leaves below every node, from the back: children lie behind their parents.
    std::vector<int> below(end - begin, 1);
    for (Index k = end - 1; k >= begin; --k)
        if (const Index child = forest.child[k]; child != k)
            below[k - begin] = below[child - begin] + below[child + 1 - begin];
    const auto values_begin = values_.size(), first_table = tables_.size();
    values_.resize(values_begin + std::size_t(below[0]));
    struct Open {
        Index node;
        int first;  // leaf below it
    };
    std::vector<Open> open{{begin, 0}};
    while (!open.empty()) {
        const auto [node, first] = open.back();
        open.pop_back();
        const Index child = forest.child[node];
        if (child == node) {
            values_[values_begin + std::size_t(first)] = forest.value[node];
            continue;
        }
        const int n_left = below[child - begin];  // at most 63: there is a right side
        strike(forest, node, column_of(forest.feature[node]), ((Leaves{1} << n_left) - 1) << first, first_table);
        open.push_back({child, first});
        open.push_back({child + 1, first + n_left});
    }
    trees_.push_back({tables_.size(), cuts_.size(), values_begin, 0});
}

// Enters a node whose left side has the leaves `left`; the tables of its tree begin with number first_table.
template <class T>
void SetForest<T>::strike(const ForestView& forest, std::size_t node, int column, Leaves left,
                          std::size_t first_table) {
    const bool missing_left = forest.missing_left[node] != 0;
    if (forest.category_set[node] < 0) {
        cuts_.push_back({column, floor_to<T>(forest.threshold[node]), missing_left, left});
        return;
    }
    auto table = std::find_if(tables_.begin() + std::ptrdiff_t(first_table), tables_.end(),
                              [&](const Table& other) { return other.column == column; });
    if (table == tables_.end()) {
        tables_.push_back({column, open_.size()});
        open_.resize(open_.size() + std::size_t(codes_) + 1, ~Leaves{0});
        table = tables_.end() - 1;
    }
    Leaves* entry = open_.data() + table->begin;
    const std::uint32_t* set = forest.left_sets.row(forest.category_set[node]);
    for (Index code = 0; code < codes_; ++code)
        entry[code] &= (set[code / 32] >> (code % 32) & 1u) ? ~Leaves{0} : ~left;
    if (!missing_left) entry[codes_] &= ~left;
}

template <class T>
void SetForest<T>::add(Matrix<const T> X, Index first, Index rows, Matrix<double> sums) const {
    const auto n_columns = columns_.size();
    std::vector<T> x(n_columns * std::size_t(kRows));
    std::vector<std::int32_t> code(x.size());
    for (std::size_t c = 0; c < n_columns; ++c)
        for (Index i = 0; i < rows; ++i) {
            const auto at = c * std::size_t(kRows) + std::size_t(i);
            x[at] = X(first + i, columns_[c]);
            code[at] = x[at] >= 0 && x[at] < T(codes_) ? std::int32_t(x[at]) : std::int32_t(codes_);
        }
    std::array<Leaves, kRows> open;
    std::size_t table = 0, cut = 0;
    for (const SmallTree& tree : trees_) {
        open.fill(~Leaves{0});
        for (; table < tree.tables_end; ++table) {
            const Leaves* entry = open_.data() + tables_[table].begin;
            const std::int32_t* own = code.data() + Index(tables_[table].column) * kRows;
            for (Index i = 0; i < rows; ++i) open[i] &= entry[own[i]];
        }
        for (; cut < tree.cuts_end; ++cut) {
            const auto [column, threshold, missing_left, left] = cuts_[cut];
            const T* own = x.data() + Index(column) * kRows;
            for (Index i = 0; i < rows; ++i) {
                const bool right = missing_left ? own[i] > threshold : !(own[i] <= threshold);
                open[i] &= ~(right ? left : Leaves{0});
            }
        }
        const double* value = values_.data() + tree.values_begin;
        for (Index i = 0; i < rows; ++i) sums(first + i, tree.output) += value[std::countr_zero(open[i])];
    }
}

template class SetForest<float>;
template class SetForest<double>;

}  // namespace statlearn::trees
