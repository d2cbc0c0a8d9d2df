#include "neighbors/ball_tree.hpp"
#include "neighbors/bind_search.hpp"

namespace statlearn {
namespace {

using namespace neighbors;

template <class T>
BallTree<T> tree_of(const In<int>& rows, const In<T>& blocks, const In<double, 2>& centres, const In<double>& radii,
                    Index leaf) {
    const TreeShape shape = tree_shape(rows.shape(0), centres.shape(1), leaf);
    require(centres.shape(0) == std::size_t(shape.nodes()) && radii.shape(0) == centres.shape(0) &&
                blocks.shape(0) == std::size_t(shape.block_count() * shape.block_size()),
            "ball_tree: the arrays do not match");
    return {shape, view(rows), view(blocks), view(centres), view(radii)};
}

template <class T>
void def_ball_tree(nb::module_& m) {
    m.def(
        "ball_tree_build",
        [](In<T, 2> X, Index leaf, int metric, double power) {
            const TreeShape shape = tree_shape(X.shape(0), X.shape(1), leaf);
            require_triangle(metric);
            const auto nodes = std::size_t(shape.nodes()), n = X.shape(0), p = X.shape(1);
            std::vector<int> rows(n);
            std::vector<T> blocks(std::size_t(shape.block_count() * shape.block_size()));
            std::vector<double> centres(nodes * p), radii(nodes);
            run_native([&](const Interrupt& stop) {
                ball_tree_build<T>(view(X), shape, search_rule(metric, power, false).metric, power, stop, rows, blocks,
                                   {centres.data(), shape.nodes(), shape.p, shape.p, 1}, radii);
                return 0;
            });
            const auto size = blocks.size();
            return nb::make_tuple(to_numpy(std::move(rows), {n}), to_numpy(std::move(blocks), {size}),
                                  to_numpy(std::move(centres), {nodes, p}), to_numpy(std::move(radii), {nodes}));
        },
        "X"_a.noconvert(), "leaf"_a, "metric"_a, "power"_a);
    m.def(
        "ball_tree_query",
        [](In<int> rows, In<T> blocks, In<double, 2> centres, In<double> radii, Index leaf, In<double, 2> Q, Index k,
           int metric, double power, bool self, Out<double, 2> distances, Out<std::int64_t, 2> found) {
            const auto tree = tree_of<T>(rows, blocks, centres, radii, leaf);
            require_triangle(metric);
            require_query(tree.shape, Q, k, self, distances, found);
            run_native([&](const Interrupt& stop) {
                require_own_rows(rows, self);
                ball_tree_query<T>(tree, view(Q), k, search_rule(metric, power, self), stop, view(distances),
                                   view(found));
                if (!stop.requested()) require_found(found, tree.shape.n);
                return 0;
            });
        },
        "rows"_a.noconvert(), "blocks"_a.noconvert(), "centres"_a.noconvert(), "radii"_a.noconvert(), "leaf"_a,
        "Q"_a.noconvert(), "k"_a, "metric"_a, "power"_a, "self"_a, "distances"_a.noconvert(), "found"_a.noconvert());
    m.def(
        "ball_tree_radius",
        [](In<int> rows, In<T> blocks, In<double, 2> centres, In<double> radii, Index leaf, In<double, 2> Q,
           In<double> radius, bool by_distance, int metric, double power, bool self) {
            const auto tree = tree_of<T>(rows, blocks, centres, radii, leaf);
            require_triangle(metric);
            require_radius(tree.shape, Q, self, radius);
            return to_tuple(run_native([&](const Interrupt& stop) {
                require_own_rows(rows, self);
                const auto rule = search_rule(metric, power, self);
                return require_found(ball_tree_radius<T>(tree, view(Q), view(radius), by_distance, rule, stop),
                                     tree.shape.n);
            }));
        },
        "rows"_a.noconvert(), "blocks"_a.noconvert(), "centres"_a.noconvert(), "radii"_a.noconvert(), "leaf"_a,
        "Q"_a.noconvert(), "radius"_a.noconvert(), "by_distance"_a, "metric"_a, "power"_a, "self"_a);
}

}  // namespace

void bind_ball_tree(nb::module_& m) {
    def_ball_tree<float>(m);
    def_ball_tree<double>(m);
}

}  // namespace statlearn
