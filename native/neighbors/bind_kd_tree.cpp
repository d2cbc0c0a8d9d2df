#include "neighbors/bind_search.hpp"

namespace statlearn {
namespace {

using namespace neighbors;

template <class T>
void def_kd_tree(nb::module_& m) {
    m.def(
        "kd_tree_build",
        [](In<T, 2> X, Index leaf) {
            const TreeShape shape = tree_shape(X.shape(0), X.shape(1), leaf);
            const auto nodes = std::size_t(shape.nodes()), n = X.shape(0), p = X.shape(1);
            std::vector<int> rows(n);
            std::vector<T> blocks(std::size_t(shape.block_count() * shape.block_size())), low(nodes * p),
                high(nodes * p);
            run_native([&](const Interrupt& stop) {
                const auto box = [&](std::vector<T>& side) {
                    return MatrixView<T>{side.data(), shape.nodes(), shape.p, shape.p, 1};
                };
                kd_tree_build<T>(view(X), shape, stop, rows, blocks, box(low), box(high));
                return 0;
            });
            const auto size = blocks.size();
            return nb::make_tuple(to_numpy(std::move(rows), {n}), to_numpy(std::move(blocks), {size}),
                                  to_numpy(std::move(low), {nodes, p}), to_numpy(std::move(high), {nodes, p}));
        },
        "X"_a.noconvert(), "leaf"_a);
    m.def(
        "kd_tree_query",
        [](In<int> rows, In<T> blocks, In<T, 2> low, In<T, 2> high, Index leaf, In<double, 2> Q, Index k, int metric,
           double power, bool self, Out<double, 2> distances, Out<std::int64_t, 2> found) {
            const auto tree = tree_of<T>(rows, blocks, low, high, leaf);
            require_box(metric);
            require_query(tree.shape, Q, k, self, distances, found);
            run_native([&](const Interrupt& stop) {
                require_own_rows(rows, self);
                kd_tree_query<T>(tree, view(Q), k, search_rule(metric, power, self), stop, view(distances),
                                 view(found));
                if (!stop.requested()) require_found(found, tree.shape.n);
                return 0;
            });
        },
        "rows"_a.noconvert(), "blocks"_a.noconvert(), "low"_a.noconvert(), "high"_a.noconvert(), "leaf"_a,
        "Q"_a.noconvert(), "k"_a, "metric"_a, "power"_a, "self"_a, "distances"_a.noconvert(), "found"_a.noconvert());
    m.def(
        "kd_tree_radius",
        [](In<int> rows, In<T> blocks, In<T, 2> low, In<T, 2> high, Index leaf, In<double, 2> Q, In<double> radius,
           bool by_distance, int metric, double power, bool self) {
            const auto tree = tree_of<T>(rows, blocks, low, high, leaf);
            require_box(metric);
            require_radius(tree.shape, Q, self, radius);
            return to_tuple(run_native([&](const Interrupt& stop) {
                require_own_rows(rows, self);
                const auto rule = search_rule(metric, power, self);
                return require_found(kd_tree_radius<T>(tree, view(Q), view(radius), by_distance, rule, stop),
                                     tree.shape.n);
            }));
        },
        "rows"_a.noconvert(), "blocks"_a.noconvert(), "low"_a.noconvert(), "high"_a.noconvert(), "leaf"_a,
        "Q"_a.noconvert(), "radius"_a.noconvert(), "by_distance"_a, "metric"_a, "power"_a, "self"_a);
}

}  // namespace

void bind_kd_tree(nb::module_& m) {
    def_kd_tree<float>(m);
    def_kd_tree<double>(m);
}

}  // namespace statlearn
