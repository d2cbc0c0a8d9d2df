#include "trees/cart_data.hpp"

#include "common/parallel.hpp"
#include "common/radix.hpp"

namespace statlearn::trees {

namespace {

template <class T>
void sort_column(Matrix<const T> X, Index j, std::vector<Cell>& cells, std::vector<double>& values) {
    using Key = decltype(radix_key(T{}));
    struct Item {
        Key key;
        std::uint32_t row;
    };
    std::vector<Item> items, scratch;
    std::vector<std::uint32_t> missing;
    items.reserve(X.rows);
    for (Index i = 0; i < X.rows; ++i) {
        const T x = X(i, j);
        if (x == x)
            items.push_back({radix_key(x), std::uint32_t(i)});
        else
            missing.push_back(std::uint32_t(i));
    }
    scratch.resize(items.size());
    radix_sort<Item>(items, scratch, [](const Item& item) { return item.key; });
    cells.reserve(X.rows);
    for (std::size_t k = 0; k < items.size(); ++k) {
        if (k == 0 || items[k].key != items[k - 1].key) values.push_back(double(radix_value<T>(items[k].key)));
        cells.push_back({items[k].row, std::uint32_t(values.size() - 1)});
    }
    for (const auto row : missing) cells.push_back({row, kMissingRank});
}

}  // namespace

template <class T>
CartColumns sort_columns(Matrix<const T> X, Span<const std::uint8_t> categorical, const Interrupt& interrupt) {
    CartColumns columns{X.rows, X.cols, {}, {}, {}, categorical};
    columns.sorted.resize(X.cols);
    columns.values.resize(X.cols);
    columns.n_levels.resize(X.cols);
    parallel_for(X.cols, [&](Index j) {
        if (interrupt.requested()) return;
        sort_column(X, j, columns.sorted[j], columns.values[j]);
        auto& values = columns.values[j];
        if (!categorical.empty() && categorical[j]) {
            for (auto& cell : columns.sorted[j])
                if (cell.rank != kMissingRank) cell.rank = std::uint32_t(values[cell.rank]);
            columns.n_levels[j] = values.empty() ? 0 : std::uint32_t(values.back()) + 1;
            values.clear();
        } else {
            columns.n_levels[j] = std::uint32_t(values.size());
        }
    });
    return columns;
}

template CartColumns sort_columns(Matrix<const float>, Span<const std::uint8_t>, const Interrupt&);
template CartColumns sort_columns(Matrix<const double>, Span<const std::uint8_t>, const Interrupt&);

}  // namespace statlearn::trees
