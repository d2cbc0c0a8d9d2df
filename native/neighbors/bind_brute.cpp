#include "neighbors/bind_search.hpp"
#include "neighbors/brute.hpp"

namespace statlearn {
namespace {

using namespace neighbors;

template <class T>
PointBlocks<T> points_of(const In<T>& blocks, Index n, Index p) {
    require(0 < n && n < std::numeric_limits<int>::max() && p > 0, "search: the number of rows is out of range");
    require(blocks.shape(0) == std::size_t((n + kLanes - 1) / kLanes * kLanes * p),
            "search: the blocks belong to other points");
    return {view(blocks), n, p};
}

template <class T>
void def_brute(nb::module_& m) {
    m.def(
        "pack_blocks",
        [](In<T, 2> X) {
            const auto shape = tree_shape(X.shape(0), X.shape(1), kLanes);
            std::vector<T> blocks(shape.block_count() * shape.block_size());
            run_native([&](const Interrupt& stop) { pack_blocks<T>(view(X), stop, blocks); });
            const auto size = blocks.size();
            return to_numpy(std::move(blocks), {size});
        },
        "X"_array);
    m.def(
        "linear_map",
        [](In<T, 2> X, In<double, 2> A, Out<T, 2> Y) {
            require(X.shape(1) == A.shape(0) && Y.shape(0) == X.shape(0) && Y.shape(1) == A.shape(1),
                    "linear_map: the shapes of the arrays do not match");
            run_native([&](const Interrupt& stop) { linear_map<T>(view(X), view(A), stop, view(Y)); });
        },
        "X"_array, "A"_array, "Y"_array);
    m.def(
        "unit_rows",
        [](In<T, 2> X, bool centre, Index pole, Out<T, 2> Y) {
            require(Y.shape(0) == X.shape(0) && Y.shape(1) == X.shape(1) + 2 && (pole == 0 || pole == 1),
                    "unit_rows: the shapes of the arrays do not match");
            run_native([&](const Interrupt& stop) { unit_rows<T>(view(X), centre, pole, stop, view(Y)); });
        },
        "X"_array, "centre"_a, "pole"_a, "Y"_array);
    m.def(
        "brute_query",
        [](In<T> blocks, Index n, In<double, 2> Q, Index k, int metric, double power, bool self,
           Out<double, 2> distances, Out<std::int64_t, 2> found) {
            const auto points = points_of<T>(blocks, n, Index(Q.shape(1)));
            require_query({n, points.p, kLanes}, Q, k, self, distances, found);
            run_native([&](const Interrupt& stop) {
                brute_query<T>(points, view(Q), k, search_rule(metric, power, self), stop, view(distances),
                               view(found));
            });
        },
        "blocks"_array, "n"_a, "Q"_array, "k"_a, "metric"_a, "power"_a, "self"_a, "distances"_array, "found"_array);
    m.def(
        "brute_radius",
        [](In<T> blocks, Index n, In<double, 2> Q, In<double> radius, bool by_distance, int metric, double power,
           bool self) {
            const auto points = points_of<T>(blocks, n, Index(Q.shape(1)));
            require_radius({n, points.p, kLanes}, Q, self, radius);
            return to_tuple(run_native([&](const Interrupt& stop) {
                return brute_radius<T>(points, view(Q), view(radius), by_distance, search_rule(metric, power, self),
                                       stop);
            }));
        },
        "blocks"_array, "n"_a, "Q"_array, "radius"_array, "by_distance"_a, "metric"_a, "power"_a, "self"_a);
    m.def(
        "distance_matrix",
        [](In<T> blocks, Index n, In<double, 2> Q, int metric, double power, Out<double, 2> D) {
            const auto points = points_of<T>(blocks, n, Index(Q.shape(1)));
            require(D.shape(0) == Q.shape(0) && D.shape(1) == std::size_t(n),
                    "distance_matrix: the shapes of the arrays do not match");
            run_native([&](const Interrupt& stop) {
                distance_matrix<T>(points, view(Q), search_rule(metric, power, false).metric, power, stop, view(D));
            });
        },
        "blocks"_array, "n"_a, "Q"_array, "metric"_a, "power"_a, "D"_array);
}

}  // namespace

void bind_brute(nb::module_& m) {
    m.def(
        "sphere_rows",
        [](In<double, 2> X, Out<double, 2> Y) {
            require(X.shape(1) == 2 && Y.shape(1) == 3 && Y.shape(0) == X.shape(0),
                    "sphere_rows: the shapes of the arrays do not match");
            run_native([&](const Interrupt&) { sphere_rows(view(X), view(Y)); });
        },
        "X"_array, "Y"_array);
    def_brute<float>(m);
    def_brute<double>(m);
}

}  // namespace statlearn
