#include "neighbors/ball_tree.hpp"
#include "neighbors/bind_search.hpp"

namespace statlearn {
namespace {

using namespace neighbors;

template <class T>
struct BallEngine {
    using First = In<double, 2>;
    using Second = In<double>;
    static constexpr char kFirst[] = "centres", kSecond[] = "radii";
    static BallTree<T> tree(const In<int>& rows, const In<T>& blocks, const First& centres, const Second& radii,
                            Index leaf) {
        const TreeShape shape = tree_shape(rows.shape(0), centres.shape(1), leaf);
        require(centres.shape(0) == std::size_t(shape.nodes()) && radii.shape(0) == centres.shape(0) &&
                    blocks.shape(0) == std::size_t(shape.block_count() * shape.block_size()),
                "ball_tree: the arrays do not match");
        return {shape, view(rows), view(blocks), view(centres), view(radii)};
    }
    static void require_metric(int metric) { require_triangle(metric); }
    template <class... Args>
    static void query(Args&&... args) {
        ball_tree_query<T>(std::forward<Args>(args)...);
    }
    template <class... Args>
    static Within radius(Args&&... args) {
        return ball_tree_radius<T>(std::forward<Args>(args)...);
    }
};

template <class T>
void def_ball_tree(nb::module_& m) {
    m.def(
        "ball_tree_build",
        [](In<T, 2> X, Index leaf, int metric, double power) {
            const TreeShape shape = tree_shape(X.shape(0), X.shape(1), leaf);
            require_triangle(metric);
            const auto nodes = std::size_t(shape.nodes()), n = X.shape(0), p = X.shape(1);
            std::vector<int> rows(n);
            std::vector<T> blocks(shape.block_count() * shape.block_size());
            std::vector<double> centres(nodes * p), radii(nodes);
            run_native([&](const Interrupt& stop) {
                ball_tree_build<T>(view(X), shape, search_rule(metric, power, false).metric, power, stop, rows, blocks,
                                   {centres.data(), shape.nodes(), shape.p, shape.p, 1}, radii);
            });
            const auto size = blocks.size();
            return nb::make_tuple(to_numpy(std::move(rows), {n}), to_numpy(std::move(blocks), {size}),
                                  to_numpy(std::move(centres), {nodes, p}), to_numpy(std::move(radii), {nodes}));
        },
        "X"_array, "leaf"_a, "metric"_a, "power"_a);
    def_searches<T, BallEngine<T>>(m, "ball_tree_query", "ball_tree_radius");
}

}  // namespace

void bind_ball_tree(nb::module_& m) {
    def_ball_tree<float>(m);
    def_ball_tree<double>(m);
}

}  // namespace statlearn
