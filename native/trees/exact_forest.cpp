#include "trees/exact_forest.hpp"

#include <algorithm>
#include <numeric>

#include "common/parallel.hpp"
#include "trees/grow_forest.hpp"

namespace statlearn::trees {

namespace {

// The rows of one tree, numbered from 0, with their weights.
struct Bag {
    std::vector<std::uint32_t> row, place;  // the table's row; where a row of the table stands here
    std::vector<double> weight;
};

Bag make_bag(Span<const std::uint32_t> counts, const CartTarget& target, const ExactForestRule& rule) {
    Bag bag;
    bag.place.assign(counts.size(), 0);
    for (Index i = 0; i < counts.size(); ++i) {
        if (counts[i] == 0) continue;
        bag.place[i] = std::uint32_t(bag.row.size());
        bag.row.push_back(std::uint32_t(i));
        bag.weight.push_back(rule.bootstrap ? double(counts[i]) : target.weight(std::uint32_t(i)));
    }
    if (!rule.balanced) return bag;
    for (Index o = 0; o < target.outputs; ++o) {
        const auto code = [&](std::uint32_t row) { return std::size_t(target.codes[row * target.outputs + o]); };
        std::vector<double> size(target.n_classes[o], 0.0);
        for (const auto row : bag.row) size[code(row)] += counts[row];
        const double total = std::accumulate(size.begin(), size.end(), 0.0);
        const auto present = double(std::count_if(size.begin(), size.end(), [](double s) { return s > 0; }));
        for (std::size_t k = 0; k < bag.row.size(); ++k) bag.weight[k] *= total / (present * size[code(bag.row[k])]);
    }
    return bag;
}

CartColumns columns_of(const CartColumns& all, Span<const std::uint32_t> counts, const Bag& bag) {
    CartColumns own;
    own.rows = Index(bag.row.size()), own.cols = all.cols;
    own.values = all.values, own.n_levels = all.n_levels, own.categorical = all.categorical;
    own.sorted.resize(all.sorted.size());
    for (std::size_t j = 0; j < all.sorted.size(); ++j) {
        own.sorted[j].reserve(bag.row.size());
        for (const Cell& cell : all.sorted[j])
            if (counts[cell.row] != 0) own.sorted[j].push_back({bag.place[cell.row], cell.rank});
    }
    return own;
}

template <class T>
std::vector<T> rows_of(Span<const T> table, Index width, const Bag& bag) {
    std::vector<T> own;
    if (table.empty()) return own;
    own.reserve(bag.row.size() * std::size_t(width));
    for (const auto row : bag.row)
        own.insert(own.end(), table.begin() + Index(row) * width, table.begin() + Index(row + 1) * width);
    return own;
}

}  // namespace

std::vector<CartTree> grow_exact_forest(const CartColumns& columns, const CartTarget& target, const CartRule& rule,
                                        const ExactForestRule& forest, Span<const std::uint64_t> bag_seeds,
                                        Span<const std::uint64_t> tree_seeds, const Interrupt& interrupt) {
    std::vector<double> cumulative(forest.bootstrap ? target.weights.size() : 0);
    double sum = 0.0;
    for (std::size_t i = 0; i < cumulative.size(); ++i) cumulative[i] = sum += target.weights[i];
    std::vector<CartTree> trees(bag_seeds.size());
    parallel_for(Index(trees.size()), [&](Index t) {
        if (interrupt.requested()) return;
        std::vector<std::uint32_t> counts(columns.rows, 1);
        if (forest.bootstrap) bootstrap_counts(bag_seeds[t], forest.draws, cumulative, counts);
        const Bag bag = make_bag(counts, target, forest);
        CartColumns own = columns_of(columns, counts, bag);
        const auto y = rows_of(target.y, target.outputs, bag);
        const auto codes = rows_of(target.codes, target.outputs, bag);
        CartTarget part = target;
        part.rows = own.rows;
        part.y = y, part.codes = codes, part.weights = bag.weight;
        CartRule seeded = rule;
        seeded.seed = tree_seeds[t];
        seeded.random_start = true;
        seeded.min_weight_leaf = forest.min_leaf_share * std::accumulate(bag.weight.begin(), bag.weight.end(), 0.0);
        trees[t] = cart_grow(own, part, seeded, interrupt);
    });
    return trees;
}

}  // namespace statlearn::trees
