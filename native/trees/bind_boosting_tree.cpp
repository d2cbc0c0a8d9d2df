#include <atomic>

#include "common/gate.hpp"
#include "common/index_checks.hpp"
#include "common/parallel.hpp"
#include "trees/boosting_tree.hpp"

namespace statlearn {

namespace {

using trees::Bin;

template <class T>
void def_bins(nb::module_& m) {
    m.def(
        "bin_edges",
        [](InAny<T> X, int max_bins, int even) {
            require(2 <= max_bins && max_bins <= 255, "bin_edges: `max_bins` must be between 2 and 255");
            require(0 <= even && even <= max_bins - 2, "bin_edges: there is not enough room for the edges");
            const auto table = view(X);
            std::vector<std::vector<T>> edges(X.shape(1));
            run_native([&](const Interrupt& stop) {
                parallel_for(table.cols, [&](Index j) {
                    if (stop.requested()) return;
                    std::vector<T> column;
                    column.reserve(table.rows);
                    for (Index i = 0; i < table.rows; ++i)
                        if (const T x = table(i, j); x == x) column.push_back(x);
                    edges[j] = trees::bin_edges<T>(column, max_bins, even);
                });
            });
            std::vector<T> all;
            std::vector<int> starts{0};
            for (const auto& column : edges) {
                all.insert(all.end(), column.begin(), column.end());
                starts.push_back(int(all.size()));
            }
            const auto n_edges = all.size(), n_starts = starts.size();
            return nb::make_tuple(to_numpy(std::move(all), {n_edges}), to_numpy(std::move(starts), {n_starts}));
        },
        "X"_array, "max_bins"_a, "even"_a = 0);
    m.def(
        "bin_rows",
        [](InAny<T> X, In<T> edges, In<int> starts, Out<Bin, 2> by_row, Out<Bin, 2> by_column) {
            const auto n = X.shape(0), p = X.shape(1);
            require(starts.shape(0) == p + 1, "bin_rows: the arrays have different numbers of columns");
            const auto at = view(starts);
            require(at[0] == 0 && std::size_t(at[p]) == edges.shape(0), "bin_rows: the starts do not match the edges");
            for (std::size_t j = 0; j < p; ++j)
                require(at[j] <= at[j + 1] && at[j + 1] - at[j] <= 254, "bin_rows: a column has more than 254 edges");
            require(by_row.shape(0) == n && by_row.shape(1) >= p, "bin_rows: `by_row` has the wrong shape");
            require(by_column.shape(0) == p && by_column.shape(1) == n, "bin_rows: `by_column` has the wrong shape");
            run_native([&](const Interrupt& stop) {
                trees::bin_rows<T>(view(X), view(edges), at, stop, view(by_row), view(by_column));
            });
        },
        "X"_array, "edges"_array, "starts"_array, "by_row"_array, "by_column"_array);
}

nb::dict as_dict(trees::BoostingTree&& tree) {
    const auto n = tree.feature.size(), sets = tree.left_sets.size();
    std::size_t width = 8;
    for (const auto& set : tree.left_sets) width = std::max(width, set.size());
    std::vector<std::uint32_t> words;
    for (auto& set : tree.left_sets) {
        set.resize(width, 0u);
        words.insert(words.end(), set.begin(), set.end());
    }
    nb::dict out;
    out["feature"] = to_numpy(std::move(tree.feature), {n});
    out["bin"] = to_numpy(std::move(tree.bin), {n});
    out["threshold"] = to_numpy(std::move(tree.threshold), {n});
    out["child"] = to_numpy(std::move(tree.child), {n});
    out["missing_left"] = to_numpy(std::move(tree.missing_left), {n});
    out["categories"] = to_numpy(std::move(tree.categories), {n});
    out["left_sets"] = to_numpy(std::move(words), {sets, width});
    out["gain"] = to_numpy(std::move(tree.gain), {n});
    out["value"] = to_numpy(std::move(tree.value), {n});
    out["gradient"] = to_numpy(std::move(tree.gradient), {n});
    out["hessian"] = to_numpy(std::move(tree.hessian), {n});
    out["rows"] = to_numpy(std::move(tree.rows), {n});
    out["first"] = to_numpy(std::move(tree.first), {n});
    return out;
}

// The rule, and the arrays that it looks at.
struct Rule {
    trees::GrowRule rule;
    In<std::int8_t> monotone;
    In<std::uint8_t, 2> interaction;
};

Rule read_rule(const nb::dict& given, std::size_t features) {
    Rule out;
    auto& rule = out.rule;
    rule.max_leaves = nb::cast<int>(given["max_leaves"]);
    rule.max_depth = nb::cast<int>(given["max_depth"]);
    rule.best_first = nb::cast<bool>(given["best_first"]);
    rule.post_prune = nb::cast<bool>(given["post_prune"]);
    rule.min_leaf_rows = nb::cast<Index>(given["min_leaf_rows"]);
    rule.min_split_rows = nb::cast<Index>(given["min_split_rows"]);
    rule.min_leaf_hessian = nb::cast<double>(given["min_leaf_hessian"]);
    rule.min_leaf_weight = nb::cast<double>(given["min_leaf_weight"]);
    rule.min_gain = nb::cast<double>(given["min_gain"]);
    rule.prune_gain = nb::cast<double>(given["prune_gain"]);
    rule.lambda = nb::cast<double>(given["lambda"]);
    rule.alpha = nb::cast<double>(given["alpha"]);
    rule.gamma = nb::cast<double>(given["gamma"]);
    rule.category_smoothing = nb::cast<double>(given["category_smoothing"]);
    rule.max_side_categories = nb::cast<int>(given["max_side_categories"]);
    rule.columns_per_split = nb::cast<int>(given["columns_per_split"]);
    rule.seed = nb::cast<std::uint64_t>(given["seed"]);
    out.monotone = nb::cast<In<std::int8_t>>(given["monotone"]);
    out.interaction = nb::cast<In<std::uint8_t, 2>>(given["interaction"]);
    require(rule.max_leaves >= 2 && rule.max_depth >= 0 && rule.min_leaf_rows >= 1, "a tree: a limit is out of range");
    require(out.monotone.shape(0) == features || out.monotone.shape(0) == 0,
            "a tree: the arrays have different numbers of columns");
    require(out.interaction.shape(1) == features || out.interaction.shape(0) == 0,
            "a tree: the arrays have different numbers of columns");
    rule.monotone = view(out.monotone);
    rule.interaction = view(out.interaction);
    return out;
}

template <class T>
void check_rows(std::size_t n, In<T>& g, In<T>& h, std::optional<In<T>>& weight, Out<std::uint32_t>& order,
                Out<std::uint32_t>& scratch) {
    require(g.shape(0) == n && h.shape(0) == n && (!weight || weight->shape(0) == n),
            "a tree: the arrays have different numbers of rows");
    require(order.shape(0) > 0 && scratch.shape(0) == order.shape(0),
            "a tree: the table has no rows or no scratch memory");
    std::uint32_t last = 0;
    for (const auto i : view(order)) last = std::max(last, i);
    require(last < n, "a tree: a row index is out of range");
}

template <class T>
Span<const T> optional_view(const std::optional<In<T>>& a) {
    return a ? view(*a) : Span<const T>();
}

void check_slots(const trees::BinnedRows& data) {
    const auto& slots = data.features;
    const Index columns = data.columns();
    const auto p = slots.n_bins.size();
    require(slots.wide.size() == p, "grow_boosting_tree: the arrays have different numbers of columns");
    for (Index w = 0; w < data.wide.cols; ++w)
        require(std::count(slots.wide.begin(), slots.wide.end(), int(w)) == 1,
                "grow_boosting_tree: every wide column must belong to exactly one feature");
    require(slots.column.size() == p && slots.first.size() == p && slots.zero.size() == p && slots.ordered.size() == p,
            "grow_boosting_tree: the arrays have different numbers of columns");
    for (std::size_t j = 0; j < p; ++j) {
        if (slots.wide[j] >= 0) {
            require(slots.wide[j] < data.wide.cols && slots.zero[j] < 0 && slots.n_bins[j] >= 1 &&
                        slots.n_bins[j] < 65536 && !slots.ordered[j],
                    "grow_boosting_tree: a wide column index is out of range");
            continue;
        }
        require(0 <= slots.column[j] && slots.column[j] < columns,
                "grow_boosting_tree: a column index is out of range");
        require(1 <= slots.n_bins[j] && slots.n_bins[j] <= 255, "grow_boosting_tree: a bin code is out of range");
        require(slots.zero[j] < slots.n_bins[j], "grow_boosting_tree: a bin code is out of range");
        if (slots.zero[j] >= 0)
            require(0 <= slots.first[j] && slots.first[j] + slots.n_bins[j] - 1 <= 256,
                    "grow_boosting_tree: a feature does not match its column");
    }
}

// Looked at before every tree: whatever has happened to the table since, no code leads out of a histogram.
void check_wide(const trees::BinnedRows& data) {
    const Index n_wide = data.wide.cols;
    if (n_wide == 0) return;
    constexpr Index kRows = 16;  // compared at a time, in vector code
    std::vector<std::uint16_t> last(n_wide * kRows);
    for (std::size_t k = 0; k < last.size(); ++k) {
        const auto w = k % std::size_t(n_wide);
        last[k] = std::uint16_t(data.wide_cells[w + 1] - data.wide_cells[w] - 1);
    }
    const Blocks blocks(data.wide.rows, 1024 * kRows);
    std::atomic<bool> sound{true};
    parallel_for(blocks.count(), [&](Index b) {
        bool beyond = false;
        for (Index i = blocks.begin(b); i < blocks.end(b); i += kRows) {
            const std::uint16_t* code = data.wide.row(i);
            const Index m = std::min(kRows, blocks.end(b) - i) * n_wide;
            for (std::size_t k = 0; k < m; ++k) beyond |= code[k] > last[k];
        }
        if (beyond) sound = false;
    });
    require(sound, "grow_boosting_tree: a category code is out of range");
}

template <class T>
void def_grow_boosting_tree(nb::module_& m) {
    m.def(
        "grow_boosting_tree",
        [](In<Bin, 2> by_row, In<Bin, 2> by_column, In<std::uint16_t, 2> wide_codes, In<int> wide, In<int> column,
           In<int> n_bins, In<int> first, In<int> zero, In<std::uint8_t> ordered, In<T> g, In<T> h,
           std::optional<In<T>> weight, nb::dict rule, Out<std::uint32_t> order, Out<std::uint32_t> scratch,
           Out<std::int32_t> packed) {
            const auto n = by_row.shape(0), columns = by_column.shape(0);
            require(columns > 0 && by_row.shape(1) >= columns && by_column.shape(1) == n,
                    "grow_boosting_tree: the two tables have different shapes");
            require(wide_codes.shape(1) == 0 || wide_codes.shape(0) == n,
                    "grow_boosting_tree: the two tables have different shapes");
            trees::BinnedRows data{view(by_row),
                                   view(by_column),
                                   view(wide_codes),
                                   {view(column), view(n_bins), view(first), view(zero), view(wide), view(ordered)},
                                   {}};
            check_slots(data);
            data.lay_out();
            check_rows(n, g, h, weight, order, scratch);
            require(packed.shape(0) == 0 || packed.shape(0) == n,
                    "grow_boosting_tree: the arrays have different numbers of rows");
            const auto limits = read_rule(rule, n_bins.shape(0));
            auto tree = run_native([&](const Interrupt& stop) {
                check_wide(data);
                return trees::grow_boosting_tree<T>(data, view(g), view(h), optional_view(weight), limits.rule, stop,
                                                    view(order), view(scratch), view(packed));
            });
            return as_dict(std::move(tree));
        },
        "by_row"_array, "by_column"_array, "wide_codes"_array, "wide"_array, "column"_array, "n_bins"_array,
        "first"_array, "zero"_array, "ordered"_array, "g"_array, "h"_array, "weight"_array.none(), "rule"_a,
        "order"_array, "scratch"_array, "packed"_array);
    m.def(
        "grow_boosting_tree_exact",
        [](InAny<T> X, In<std::uint32_t, 2> sorted, In<int> n_levels, In<T> g, In<T> h, std::optional<In<T>> weight,
           nb::dict rule, Out<std::uint32_t> order, Out<std::uint32_t> scratch) {
            const auto n = X.shape(0), p = X.shape(1);
            require(p > 0 && sorted.shape(0) == p && sorted.shape(1) == n && n_levels.shape(0) == p,
                    "grow_boosting_tree_exact: the shapes of the arrays do not match");
            check_rows(n, g, h, weight, order, scratch);
            const auto limits = read_rule(rule, p);
            auto tree = run_native([&](const Interrupt& stop) {
                require(all_below(sorted.data(), Index(sorted.size()), n),
                        "grow_boosting_tree_exact: a row index is out of range");
                return trees::grow_boosting_tree_exact<T>(view(X), view(sorted), view(n_levels), view(g), view(h),
                                                          optional_view(weight), limits.rule, stop, view(order),
                                                          view(scratch));
            });
            return as_dict(std::move(tree));
        },
        "X"_array, "sorted"_array, "n_levels"_array, "g"_array, "h"_array, "weight"_array.none(), "rule"_a,
        "order"_array, "scratch"_array);
}

}  // namespace

void bind_boosting_tree(nb::module_& m) {
    def_bins<float>(m);
    def_bins<double>(m);
    def_grow_boosting_tree<float>(m);
    def_grow_boosting_tree<double>(m);
}

}  // namespace statlearn
