#include <memory>

#include "common/gate.hpp"
#include "common/parallel.hpp"
#include "trees/grow_forest.hpp"

namespace statlearn {

namespace {

using trees::Bin;
using trees::GrownTree;

// An array of numpy's whose memory nobody has written yet.
template <class T>
struct Fresh {
    std::unique_ptr<T[]> data;
    std::size_t rows, width;

    explicit Fresh(std::size_t n, std::size_t w = 1)
        : data(std::make_unique_for_overwrite<T[]>(n * w)), rows(n), width(w) {}

    nb::ndarray<nb::numpy, T> numpy(bool matrix = false) {
        T* kept = data.release();
        nb::capsule owner(kept, [](void* at) noexcept { delete[] static_cast<T*>(at); });
        if (matrix) return nb::ndarray<nb::numpy, T>(kept, {rows, width}, owner);
        return nb::ndarray<nb::numpy, T>(kept, {rows}, owner);
    }
};

// The trees one behind the other, in the arrays of a Forest.
struct Joined {
    Fresh<int> feature, child, category_set, roots;
    Fresh<double> threshold, impurity, weight, gain, value;
    Fresh<std::int64_t> rows;
    Fresh<std::uint8_t> missing_left;
    Fresh<std::uint32_t> left_sets;
    std::int64_t evaluations = 0;

    Joined(std::size_t n, std::size_t sets, std::size_t trees, std::size_t width)
        : feature(n),
          child(n),
          category_set(n),
          roots(trees),
          threshold(n),
          impurity(n),
          weight(n),
          gain(n),
          value(n, width),
          rows(n),
          missing_left(n),
          left_sets(sets, 8) {}
};

Joined join(std::vector<GrownTree>& trees, std::size_t width) {
    std::vector<std::size_t> node(trees.size() + 1, 0), set(trees.size() + 1, 0);
    for (std::size_t t = 0; t < trees.size(); ++t) {
        node[t + 1] = node[t] + trees[t].feature.size();
        set[t + 1] = set[t] + trees[t].left_sets.size();
    }
    if (node.back() > std::size_t{0x7FFFFFFF})
        throw std::length_error("grow_forest: more than 2^31 nodes; grow smaller trees");
    Joined all(node.back(), set.back(), trees.size(), width);
    for (const auto& tree : trees) all.evaluations += tree.evaluations;
    parallel_for(Index(trees.size()), [&](Index u) {
        const auto t = std::size_t(u);
        GrownTree& tree = trees[t];
        const std::size_t at = node[t];
        all.roots.data[t] = int(at);
        const auto copy = [&](auto& from, auto& to) {
            std::copy(from.begin(), from.end(), to.data.get() + at * to.width);
        };
        copy(tree.feature, all.feature);
        copy(tree.threshold, all.threshold);
        copy(tree.impurity, all.impurity);
        copy(tree.weight, all.weight);
        copy(tree.gain, all.gain);
        copy(tree.value, all.value);
        copy(tree.rows, all.rows);
        copy(tree.missing_left, all.missing_left);
        for (std::size_t k = 0; k < tree.child.size(); ++k) {
            all.child.data[at + k] = tree.child[k] + int(at);
            all.category_set.data[at + k] = tree.category_set[k] < 0 ? -1 : tree.category_set[k] + int(set[t]);
        }
        for (std::size_t s = 0; s < tree.left_sets.size(); ++s)
            std::copy(tree.left_sets[s].begin(), tree.left_sets[s].end(), all.left_sets.data.get() + (set[t] + s) * 8);
        tree = {};
    });
    return all;
}

nb::dict as_dict(Joined&& all) {
    nb::dict out;
    out["feature"] = all.feature.numpy();
    out["threshold"] = all.threshold.numpy();
    out["child"] = all.child.numpy();
    out["missing_left"] = all.missing_left.numpy();
    out["category_set"] = all.category_set.numpy();
    out["left_sets"] = all.left_sets.numpy(true);
    out["roots"] = all.roots.numpy();
    out["value"] = all.value.numpy(true);
    out["gain"] = all.gain.numpy();
    out["impurity"] = all.impurity.numpy();
    out["weight"] = all.weight.numpy();
    out["rows"] = all.rows.numpy();
    out["evaluations"] = all.evaluations;
    return out;
}

void check_target(const trees::ForestTarget& target) {
    const auto outputs = std::size_t(target.y.cols);
    require(target.n_classes.empty() || target.n_classes.size() == outputs, "grow_forest: output counts differ");
    for (std::size_t o = 0; o < target.n_classes.size(); ++o) {
        require(target.n_classes[o] >= 1, "grow_forest: an output without classes");
        for (Index i = 0; i < target.y.rows; ++i) {
            const double k = target.y(i, Index(o));
            require(k >= 0 && k < target.n_classes[o], "grow_forest: class number out of range");
        }
    }
    for (const double w : target.weight) require(w > 0 && w < 1e300, "grow_forest: weights must be positive");
}

template <class T>
void def_bin_ranges(nb::module_& m) {
    m.def(
        "bin_ranges",
        [](InAny<T> X, In<Bin, 2> by_column, Out<double, 2> low, Out<double, 2> high) {
            require(by_column.shape(0) == X.shape(1) && by_column.shape(1) == X.shape(0), "bin_ranges: tables differ");
            require(low.shape(0) == X.shape(1) && high.shape(0) == X.shape(1) && low.shape(1) >= 255 &&
                        high.shape(1) >= 255,
                    "bin_ranges: column counts differ");
            run_native([&](const Interrupt&) {
                trees::bin_ranges<T>(view(X), view(by_column), view(low), view(high));
                return 0;
            });
        },
        "X"_a.noconvert(), "by_column"_a.noconvert(), "low"_a.noconvert(), "high"_a.noconvert());
}

}  // namespace

void bind_grow_forest(nb::module_& m) {
    def_bin_ranges<float>(m);
    def_bin_ranges<double>(m);
    m.def(
        "grow_forest",
        [](In<Bin, 2> by_row, In<Bin, 2> by_column, In<int> n_bins, In<std::uint8_t> ordered,
           In<std::uint8_t> has_missing, In<double, 2> low, In<double, 2> high, In<double, 2> y, In<int> n_classes,
           In<double> weight, In<std::uint64_t> seeds, int criterion, bool random_cuts, bool bootstrap, bool balanced,
           Index draws, int max_features, int max_depth, int max_leaves, Index min_split, Index min_leaf,
           double min_leaf_share, double min_decrease, In<std::int8_t> monotone) {
            const auto n = by_row.shape(0), p = by_column.shape(0);
            require(n > 0 && p > 0 && by_row.shape(1) >= p && by_column.shape(1) == n, "grow_forest: tables differ");
            require(n < (std::size_t{1} << 32), "grow_forest: too many rows");
            require(n_bins.shape(0) == p && ordered.shape(0) == p && has_missing.shape(0) == p && low.shape(0) == p &&
                        high.shape(0) == p && low.shape(1) >= 255 && high.shape(1) >= 255,
                    "grow_forest: column counts differ");
            require(monotone.shape(0) == p || monotone.shape(0) == 0, "grow_forest: column counts differ");
            require(y.shape(0) == n && y.shape(1) > 0, "grow_forest: row counts differ");
            require(weight.shape(0) == n || weight.shape(0) == 0, "grow_forest: row counts differ");
            require(0 <= criterion && criterion <= 4 && max_features >= 1 && max_depth >= 0 && max_leaves >= 0 &&
                        min_leaf >= 1 && (!bootstrap || draws >= 1),
                    "grow_forest: limits out of range");
            require(!balanced || (bootstrap && n_classes.shape(0) > 0), "grow_forest: nothing to balance");
            for (const int b : view(n_bins)) require(1 <= b && b <= 255, "grow_forest: bins out of range");
            const trees::ForestTable table{view(by_row),      view(by_column), view(n_bins), view(ordered),
                                           view(has_missing), view(low),       view(high)};
            const trees::ForestTarget target{view(y), view(n_classes), view(weight)};
            check_target(target);
            const trees::ForestRules rules{trees::Criterion(criterion),
                                           random_cuts,
                                           bootstrap,
                                           balanced,
                                           draws,
                                           max_features,
                                           max_depth,
                                           max_leaves,
                                           min_split,
                                           min_leaf,
                                           min_leaf_share,
                                           min_decrease,
                                           view(monotone)};
            auto all = run_native([&](const Interrupt& stop) {
                auto grown = trees::grow_forest(table, target, rules, view(seeds), stop);
                if (stop.requested()) grown.clear();
                return join(grown, std::size_t(target.width()));
            });
            return as_dict(std::move(all));
        },
        "by_row"_a.noconvert(), "by_column"_a.noconvert(), "n_bins"_a.noconvert(), "ordered"_a.noconvert(),
        "has_missing"_a.noconvert(), "low"_a.noconvert(), "high"_a.noconvert(), "y"_a.noconvert(),
        "n_classes"_a.noconvert(), "weight"_a.noconvert(), "seeds"_a.noconvert(), "criterion"_a, "random_cuts"_a,
        "bootstrap"_a, "balanced"_a, "draws"_a, "max_features"_a, "max_depth"_a, "max_leaves"_a, "min_split"_a,
        "min_leaf"_a, "min_leaf_share"_a, "min_decrease"_a, "monotone"_a.noconvert());
    m.def(
        "bootstrap_counts",
        [](std::uint64_t seed, Index draws, In<double> cumulative, Out<std::uint32_t> counts) {
            require(counts.shape(0) > 0 && (cumulative.shape(0) == 0 || cumulative.shape(0) == counts.shape(0)),
                    "bootstrap_counts: row counts differ");
            trees::bootstrap_counts(seed, draws, view(cumulative), view(counts));
        },
        "seed"_a, "draws"_a, "cumulative"_a.noconvert(), "counts"_a.noconvert());
}

}  // namespace statlearn
