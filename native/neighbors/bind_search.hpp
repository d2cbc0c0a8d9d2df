// Checks and conversions that the bindings of all search engines share.
#pragma once

#include <cmath>
#include <limits>

#include "common/gate.hpp"
#include "common/index_checks.hpp"
#include "neighbors/kd_tree.hpp"

namespace statlearn::neighbors {

inline TreeShape tree_shape(std::size_t n, std::size_t p, Index leaf) {
    require(0 < n && n < std::size_t(std::numeric_limits<int>::max()) && p > 0,
            "search tree: the number of rows is out of range");
    require(leaf > 0 && leaf % kLanes == 0, "search tree: the leaf size must be a multiple of 8");
    return {Index(n), Index(p), leaf};
}

inline SearchRule search_rule(int metric, double power, bool self) {
    require(metric >= 0 && metric <= int(Metric::half_square), "search: unknown metric");
    return {Metric(metric), power, self};
}

inline void require_box(int metric) {
    require(box_metric(Metric(metric)), "kd_tree: a k-d tree does not support this metric");
}

inline void require_triangle(int metric) {
    const auto m = Metric(metric);
    require(m != Metric::braycurtis && m != Metric::kl && m != Metric::jeffreys && m != Metric::nan_euclidean &&
                m != Metric::dice && m != Metric::sqeuclidean && m != Metric::half_square,
            "ball_tree: a ball tree needs a metric");
}

// Arguments that every k-nearest query has.
inline void require_query(const TreeShape& shape, const In<double, 2>& Q, Index k, bool self,
                          const Out<double, 2>& distances, const Out<std::int64_t, 2>& found) {
    require(Q.shape(1) == std::size_t(shape.p), "search: the queries and the data have different numbers of columns");
    require(!self || Q.shape(0) == std::size_t(shape.n), "search: the queries must be the rows of the data");
    require(k > 0 && k <= shape.n - Index(self), "search: `k` is out of range");
    require(distances.shape(0) == Q.shape(0) && distances.shape(1) == std::size_t(k) && found.shape(0) == Q.shape(0) &&
                found.shape(1) == std::size_t(k),
            "search: the result has the wrong shape");
}

inline void require_radius(const TreeShape& shape, const In<double, 2>& Q, bool self, const In<double>& radius) {
    require(Q.shape(1) == std::size_t(shape.p), "search: the queries and the data have different numbers of columns");
    require(!self || Q.shape(0) == std::size_t(shape.n), "search: the queries must be the rows of the data");
    require(radius.shape(0) == 1 || radius.shape(0) == Q.shape(0), "search: pass one radius, or one per query");
}

inline constexpr char kNoSuchRow[] = "search tree: a row index is out of range";

// A search copies the tree's row numbers into its result, and only where the queries are the points themselves does it
// use them as addresses: so it checks what it found, and all of them in that case. A query of one row stays cheap.
inline void require_own_rows(const In<int>& rows, bool self) {
    require(!self || all_below(rows.data(), Index(rows.shape(0)), rows.shape(0)), kNoSuchRow);
}
inline void require_found(const Out<std::int64_t, 2>& found, Index n) {
    require(all_below(found.data(), Index(found.size()), std::uint64_t(n)), kNoSuchRow);
}
inline Within require_found(Within&& within, Index n) {
    require(all_below(within.rows.data(), Index(within.rows.size()), std::uint64_t(n)), kNoSuchRow);
    return std::move(within);
}

// The tree of the arrays that kd_tree_build returned.
template <class T>
KdTree<T> tree_of(const In<int>& rows, const In<T>& blocks, const In<T, 2>& low, const In<T, 2>& high, Index leaf) {
    const TreeShape shape = tree_shape(rows.shape(0), low.shape(1), leaf);
    require(low.shape(0) == std::size_t(shape.nodes()) && high.shape(0) == low.shape(0) &&
                high.shape(1) == low.shape(1) &&
                blocks.shape(0) == std::size_t(shape.block_count() * shape.block_size()),
            "kd_tree: the arrays do not match");
    return {shape, view(rows), view(blocks), view(low), view(high)};
}

inline nb::tuple to_tuple(Within&& within) {
    const auto starts = within.start.size(), total = within.rows.size();
    return nb::make_tuple(to_numpy(std::move(within.start), {starts}), to_numpy(std::move(within.rows), {total}),
                          to_numpy(std::move(within.distances), {total}));
}

// The two searches of a tree whose nodes are described by two arrays. Engine tells a kind of tree apart: the types
// First and Second of these arrays and their names, tree() of all arrays, require_metric(), query() and radius().
template <class T, class Engine>
void def_searches(nb::module_& m, const char* query, const char* radius) {
    using First = typename Engine::First;
    using Second = typename Engine::Second;
    m.def(
        query,
        [](In<int> rows, In<T> blocks, First first, Second second, Index leaf, In<double, 2> Q, Index k, int metric,
           double power, bool self, Out<double, 2> distances, Out<std::int64_t, 2> found) {
            const auto tree = Engine::tree(rows, blocks, first, second, leaf);
            Engine::require_metric(metric);
            require_query(tree.shape, Q, k, self, distances, found);
            run_native([&](const Interrupt& stop) {
                require_own_rows(rows, self);
                Engine::query(tree, view(Q), k, search_rule(metric, power, self), stop, view(distances), view(found));
                if (!stop.requested()) require_found(found, tree.shape.n);
            });
        },
        "rows"_array, "blocks"_array, nb::arg(Engine::kFirst).noconvert(), nb::arg(Engine::kSecond).noconvert(),
        "leaf"_a, "Q"_array, "k"_a, "metric"_a, "power"_a, "self"_a, "distances"_array, "found"_array);
    m.def(
        radius,
        [](In<int> rows, In<T> blocks, First first, Second second, Index leaf, In<double, 2> Q, In<double> within,
           bool by_distance, int metric, double power, bool self) {
            const auto tree = Engine::tree(rows, blocks, first, second, leaf);
            Engine::require_metric(metric);
            require_radius(tree.shape, Q, self, within);
            return to_tuple(run_native([&](const Interrupt& stop) {
                require_own_rows(rows, self);
                const auto rule = search_rule(metric, power, self);
                return require_found(Engine::radius(tree, view(Q), view(within), by_distance, rule, stop),
                                     tree.shape.n);
            }));
        },
        "rows"_array, "blocks"_array, nb::arg(Engine::kFirst).noconvert(), nb::arg(Engine::kSecond).noconvert(),
        "leaf"_a, "Q"_array, "radius"_array, "by_distance"_a, "metric"_a, "power"_a, "self"_a);
}

}  // namespace statlearn::neighbors
