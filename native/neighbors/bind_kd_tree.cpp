#include "common/bind_rows.hpp"
#include "neighbors/bind_search.hpp"
#include "neighbors/near_sets.hpp"

namespace statlearn {
namespace {

using namespace neighbors;

template <class T>
struct KdEngine {
    using First = In<T, 2>;
    using Second = In<T, 2>;
    static constexpr char kFirst[] = "low", kSecond[] = "high";
    static KdTree<T> tree(const In<int>& rows, const In<T>& blocks, const First& low, const Second& high, Index leaf) {
        return tree_of<T>(rows, blocks, low, high, leaf);
    }
    static void require_metric(int metric) { require_box(metric); }
    template <class... Args>
    static void query(Args&&... args) {
        kd_tree_query<T>(std::forward<Args>(args)...);
    }
    template <class... Args>
    static Within radius(Args&&... args) {
        return kd_tree_radius<T>(std::forward<Args>(args)...);
    }
};

template <class T>
void def_kd_tree(nb::module_& m) {
    m.def(
        "kd_tree_build",
        [](In<T, 2> X, Index leaf) {
            const TreeShape shape = tree_shape(X.shape(0), X.shape(1), leaf);
            const auto nodes = std::size_t(shape.nodes()), n = X.shape(0), p = X.shape(1);
            std::vector<int> rows(n);
            std::vector<T> blocks(shape.block_count() * shape.block_size()), low(nodes * p), high(nodes * p);
            run_native([&](const Interrupt& stop) {
                const auto box = [&](std::vector<T>& side) {
                    return Matrix<T>{side.data(), shape.nodes(), shape.p, shape.p, 1};
                };
                kd_tree_build<T>(view(X), shape, stop, rows, blocks, box(low), box(high));
                return 0;
            });
            const auto size = blocks.size();
            return nb::make_tuple(to_numpy(std::move(rows), {n}), to_numpy(std::move(blocks), {size}),
                                  to_numpy(std::move(low), {nodes, p}), to_numpy(std::move(high), {nodes, p}));
        },
        "X"_array, "leaf"_a);
    m.def(
        "kd_tree_graph",
        [](In<int> rows, In<T> blocks, In<T, 2> low, In<T, 2> high, Index leaf, Index k, int ties, double gamma) {
            const auto tree = tree_of<T>(rows, blocks, low, high, leaf);
            require(0 < k && k <= tree.shape.n, "kd_tree_graph: `k` is out of range");
            require(2 * tree.shape.n * k < (Index(1) << 31), "kd_tree_graph: more than 2^31 ties");
            require(0 <= ties && ties <= 2, "kd_tree_graph: unknown ties");
            auto graph = run_native([&](const Interrupt& stop) {
                const NearSets sets = kd_tree_near_sets<T>(tree, k, stop);
                return stop.requested() ? SparseRows{} : neighbor_graph(sets, Ties(ties), gamma, stop);
            });
            return to_tuple(std::move(graph));
        },
        "rows"_array, "blocks"_array, "low"_array, "high"_array, "leaf"_a, "k"_a, "ties"_a, "gamma"_a);
    def_searches<T, KdEngine<T>>(m, "kd_tree_query", "kd_tree_radius");
}

}  // namespace

void bind_kd_tree(nb::module_& m) {
    def_kd_tree<float>(m);
    def_kd_tree<double>(m);
}

}  // namespace statlearn
