#include <atomic>
#include <cstdlib>

#include "common/gate.hpp"
#include "trees/forest_arrays.hpp"

namespace statlearn {

namespace {

using trees::Bin;

// Hands the memory over to numpy.
template <class T, class... Shape>
nb::ndarray<nb::numpy, T> numpy(trees::LongArray<T>& array, Shape... shape) {
    T* kept = array.release();
    nb::capsule owner(kept, [](void* at) noexcept { std::free(at); });
    return nb::ndarray<nb::numpy, T>(kept, {shape...}, owner);
}

nb::dict as_dict(trees::ForestArrays&& all) {
    const std::size_t n = all.nodes;
    nb::dict out;
    out["feature"] = numpy(all.feature, n);
    out["threshold"] = numpy(all.threshold, n);
    out["child"] = numpy(all.child, n);
    out["missing_left"] = numpy(all.missing_left, n);
    out["category_set"] = numpy(all.category_set, n);
    out["left_sets"] = numpy(all.left_sets, all.sets, trees::kSetWords);
    out["roots"] = numpy(all.roots, all.trees);
    out["value"] = numpy(all.value, n, all.width);
    out["gain"] = numpy(all.gain, n);
    out["impurity"] = numpy(all.impurity, n);
    out["weight"] = numpy(all.weight, n);
    out["rows"] = numpy(all.rows, n);
    out["evaluations"] = all.evaluations;
    return out;
}

void check_target(const trees::ForestTarget& target) {
    const Index outputs = target.y.cols;
    require(target.n_classes.empty() || target.n_classes.size() == outputs,
            "grow_forest: the numbers of outputs differ");
    for (std::size_t o = 0; o < target.n_classes.size(); ++o) {
        require(target.n_classes[o] >= 1, "grow_forest: an output has no classes");
        for (Index i = 0; i < target.y.rows; ++i) {
            const double k = target.y(i, Index(o));
            require(k >= 0 && k < target.n_classes[o], "grow_forest: a class code is out of range");
        }
    }
    for (const double w : target.weight) require(w > 0 && w < 1e300, "grow_forest: weights must be positive");
}

// A column's histogram has cells for its bins and for the missing values; both tables must stay in them and agree.
void check_bins(const trees::ForestTable& table) {
    const Index p = table.columns();
    const Blocks blocks(table.by_column.cols, 512);  // rows of both tables that a cache holds
    std::atomic<bool> sound{true};
    parallel_for(blocks.count(), Work(2 * p * blocks.n), [&](Index b) {
        bool good = true;
        for (Index j = 0; j < p; ++j) {
            const Bin* column = table.by_column.row(j);
            const int n_bins = table.n_bins[j];
            const int missing = table.has_missing[j] ? int(trees::kMissing) : -1;
            for (Index i = blocks.begin(b); i < blocks.end(b); ++i)
                good &= (column[i] < n_bins || column[i] == missing) && table.by_row(i, j) == column[i];
        }
        if (!good) sound.store(false, std::memory_order_relaxed);
    });
    require(sound, "grow_forest: a bin code is out of range, or the two tables differ");
}

template <class T>
void def_bin_ranges(nb::module_& m) {
    m.def(
        "bin_ranges",
        [](InAny<T> X, In<Bin, 2> by_column, Out<double, 2> low, Out<double, 2> high) {
            require(by_column.shape(0) == X.shape(1) && by_column.shape(1) == X.shape(0),
                    "bin_ranges: the two tables have different shapes");
            require(low.shape(0) == X.shape(1) && high.shape(0) == X.shape(1) && low.shape(1) >= 255 &&
                        high.shape(1) >= 255,
                    "bin_ranges: the arrays have different numbers of columns");
            run_native(
                [&](const Interrupt&) { trees::bin_ranges<T>(view(X), view(by_column), view(low), view(high)); });
        },
        "X"_array, "by_column"_array, "low"_array, "high"_array);
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
            require(n > 0 && p > 0 && by_row.shape(1) >= p && by_column.shape(1) == n,
                    "grow_forest: the two tables have different shapes");
            require(n < (std::size_t{1} << 32), "grow_forest: too many rows; use at most 2^31 - 1");
            require(n_bins.shape(0) == p && ordered.shape(0) == p && has_missing.shape(0) == p && low.shape(0) == p &&
                        high.shape(0) == p && low.shape(1) >= 255 && high.shape(1) >= 255,
                    "grow_forest: the arrays have different numbers of columns");
            require(monotone.shape(0) == p || monotone.shape(0) == 0,
                    "grow_forest: the arrays have different numbers of columns");
            require(y.shape(0) == n && y.shape(1) > 0, "grow_forest: the arrays have different numbers of rows");
            require(weight.shape(0) == n || weight.shape(0) == 0,
                    "grow_forest: the arrays have different numbers of rows");
            require(0 <= criterion && criterion <= 4 && max_features >= 1 && max_depth >= 0 && max_leaves >= 0 &&
                        min_leaf >= 1 && (!bootstrap || draws >= 1),
                    "grow_forest: a limit is out of range");
            require(!balanced || (bootstrap && n_classes.shape(0) > 0), "grow_forest: there are no classes to balance");
            for (const int b : view(n_bins)) require(1 <= b && b <= 255, "grow_forest: a bin code is out of range");
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
            return as_dict(run_native([&](const Interrupt& stop) {
                check_bins(table);
                return trees::grow_forest(table, target, rules, view(seeds), stop);
            }));
        },
        "by_row"_array, "by_column"_array, "n_bins"_array, "ordered"_array, "has_missing"_array, "low"_array,
        "high"_array, "y"_array, "n_classes"_array, "weight"_array, "seeds"_array, "criterion"_a, "random_cuts"_a,
        "bootstrap"_a, "balanced"_a, "draws"_a, "max_features"_a, "max_depth"_a, "max_leaves"_a, "min_split"_a,
        "min_leaf"_a, "min_leaf_share"_a, "min_decrease"_a, "monotone"_array);
    m.def(
        "bootstrap_counts",
        [](std::uint64_t seed, Index draws, In<double> cumulative, Out<std::uint32_t> counts) {
            require(counts.shape(0) > 0 && (cumulative.shape(0) == 0 || cumulative.shape(0) == counts.shape(0)),
                    "bootstrap_counts: the arrays have different numbers of rows");
            run_native([&](const Interrupt&) { trees::bootstrap_counts(seed, draws, view(cumulative), view(counts)); });
        },
        "seed"_a, "draws"_a, "cumulative"_array, "counts"_array);
}

}  // namespace statlearn
