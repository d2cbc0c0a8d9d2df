#include "common/gate.hpp"
#include "common/parallel.hpp"
#include "trees/newton_tree.hpp"

namespace statlearn {

namespace {

using trees::Bin;

template <class T>
void def_bins(nb::module_& m) {
    m.def(
        "bin_edges",
        [](InAny<T> X, int max_bins) {
            require(2 <= max_bins && max_bins <= 255, "bin_edges: max_bins must lie between 2 and 255");
            const auto table = view(X);
            std::vector<std::vector<T>> edges(X.shape(1));
            run_native([&](const Interrupt& stop) {
                parallel_for(table.cols, [&](Index j) {
                    if (stop.requested()) return;
                    std::vector<T> column;
                    column.reserve(std::size_t(table.rows));
                    for (Index i = 0; i < table.rows; ++i)
                        if (const T x = table(i, j); x == x) column.push_back(x);
                    edges[std::size_t(j)] = trees::bin_edges<T>(column, max_bins);
                });
                return 0;
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
        "X"_a.noconvert(), "max_bins"_a);
    m.def(
        "bin_rows",
        [](InAny<T> X, In<T> edges, In<int> starts, Out<Bin, 2> by_row, Out<Bin, 2> by_column) {
            const auto n = X.shape(0), p = X.shape(1);
            require(starts.shape(0) == p + 1, "bin_rows: column counts differ");
            const auto at = view(starts);
            require(at[0] == 0 && std::size_t(at[p]) == edges.shape(0), "bin_rows: starts do not fit the edges");
            for (std::size_t j = 0; j < p; ++j)
                require(at[j] <= at[j + 1] && at[j + 1] - at[j] <= 254, "bin_rows: a column has more than 254 edges");
            require(by_row.shape(0) == n && by_row.shape(1) >= p, "bin_rows: by_row has another shape");
            require(by_column.shape(0) == p && by_column.shape(1) == n, "bin_rows: by_column has another shape");
            run_native([&](const Interrupt& stop) {
                trees::bin_rows<T>(view(X), view(edges), at, stop, view(by_row), view(by_column));
                return 0;
            });
        },
        "X"_a.noconvert(), "edges"_a.noconvert(), "starts"_a.noconvert(), "by_row"_a.noconvert(),
        "by_column"_a.noconvert());
}

nb::dict as_dict(trees::NewtonTree&& tree) {
    const auto n = tree.feature.size(), sets = tree.left_sets.size();
    std::vector<std::uint32_t> words;
    for (const auto& set : tree.left_sets) words.insert(words.end(), set.begin(), set.end());
    nb::dict out;
    out["feature"] = to_numpy(std::move(tree.feature), {n});
    out["bin"] = to_numpy(std::move(tree.bin), {n});
    out["child"] = to_numpy(std::move(tree.child), {n});
    out["missing_left"] = to_numpy(std::move(tree.missing_left), {n});
    out["categories"] = to_numpy(std::move(tree.categories), {n});
    out["left_sets"] = to_numpy(std::move(words), {sets, 8});
    out["gain"] = to_numpy(std::move(tree.gain), {n});
    out["value"] = to_numpy(std::move(tree.value), {n});
    out["hessian"] = to_numpy(std::move(tree.hessian), {n});
    out["rows"] = to_numpy(std::move(tree.rows), {n});
    out["first"] = to_numpy(std::move(tree.first), {n});
    return out;
}

template <class T>
void def_grow(nb::module_& m) {
    m.def(
        "grow_newton_tree",
        [](In<Bin, 2> by_row, In<Bin, 2> by_column, In<int> n_bins, In<std::uint8_t> ordered, In<T> g, In<T> h,
           bool quantised, int max_leaves, int max_depth, bool best_first, Index min_leaf_rows, double min_leaf_hessian,
           double lambda, double alpha, double gamma, double category_smoothing, double column_share,
           std::uint64_t seed, In<std::int8_t> monotone, Out<std::uint32_t> order, Out<std::uint32_t> scratch) {
            const auto n = by_row.shape(0), p = by_column.shape(0);
            require(p > 0 && by_row.shape(1) >= p && by_column.shape(1) == n, "grow_newton_tree: tables differ");
            require(n_bins.shape(0) == p && ordered.shape(0) == p, "grow_newton_tree: column counts differ");
            require(monotone.shape(0) == p || monotone.shape(0) == 0, "grow_newton_tree: column counts differ");
            require(g.shape(0) == n && h.shape(0) == n, "grow_newton_tree: row counts differ");
            require(order.shape(0) > 0 && scratch.shape(0) == order.shape(0),
                    "grow_newton_tree: no rows, or no scratch");
            require(max_leaves >= 2 && max_depth >= 0 && min_leaf_rows >= 1, "grow_newton_tree: limits out of range");
            for (const int b : view(n_bins)) require(1 <= b && b <= 255, "grow_newton_tree: bins out of range");
            for (const auto i : view(order)) require(i < n, "grow_newton_tree: row number out of range");
            auto tree = run_native([&](const Interrupt& stop) {
                const trees::BinnedRows data{view(by_row), view(by_column), view(n_bins), view(ordered)};
                const trees::GrowRule rule{max_leaves,         max_depth,    best_first, min_leaf_rows,
                                           min_leaf_hessian,   lambda,       alpha,      gamma,
                                           category_smoothing, column_share, seed,       view(monotone)};
                return trees::grow_newton_tree<T>(data, view(g), view(h), quantised, rule, stop, view(order),
                                                  view(scratch));
            });
            return as_dict(std::move(tree));
        },
        "by_row"_a.noconvert(), "by_column"_a.noconvert(), "n_bins"_a.noconvert(), "ordered"_a.noconvert(),
        "g"_a.noconvert(), "h"_a.noconvert(), "quantised"_a, "max_leaves"_a, "max_depth"_a, "best_first"_a,
        "min_leaf_rows"_a, "min_leaf_hessian"_a, "lambda_"_a, "alpha"_a, "gamma"_a, "category_smoothing"_a,
        "column_share"_a, "seed"_a, "monotone"_a.noconvert(), "order"_a.noconvert(), "scratch"_a.noconvert());
}

}  // namespace

void bind_newton_tree(nb::module_& m) {
    def_bins<float>(m);
    def_bins<double>(m);
    def_grow<float>(m);
    def_grow<double>(m);
}

}  // namespace statlearn
