#include "neighbors/bind_search.hpp"
#include "neighbors/panel_search.hpp"

namespace statlearn {
namespace {

using namespace neighbors;

template <class T>
Panels<T> panels_of(const In<T, 2>& X, const In<float>& data, const In<float>& norms, const In<double>& centre,
                    double scale, int metric) {
    const auto shape = tree_shape(X.shape(0), X.shape(1), kLanes);
    const auto padded = std::size_t((shape.n + kPanel - 1) / kPanel * kPanel), p = X.shape(1);
    require(data.shape(0) == padded * p && norms.shape(0) == padded && centre.shape(0) == p,
            "panels: the arrays do not match");
    const auto m = Metric(metric);
    require(m == Metric::euclidean || m == Metric::sqeuclidean || m == Metric::half_square,
            "panels: only Euclidean distances are supported");
    return {view(X), view(data), view(norms), view(centre), scale};
}

template <class T>
void def_panels(nb::module_& m) {
    m.def(
        "panels_pack",
        [](In<T, 2> X, In<double> centre) {
            const auto shape = tree_shape(X.shape(0), X.shape(1), kLanes);
            require(centre.shape(0) == X.shape(1), "panels_pack: the centre has the wrong length");
            const std::size_t padded = (shape.n + kPanel - 1) / kPanel * kPanel;
            std::vector<float> data(padded * X.shape(1)), norms(padded);
            const double scale = run_native(
                [&](const Interrupt& stop) { return panels_pack<T>(view(X), view(centre), stop, data, norms); });
            const auto size = data.size();
            return nb::make_tuple(to_numpy(std::move(data), {size}), to_numpy(std::move(norms), {padded}), scale);
        },
        "X"_array, "centre"_array);
    m.def(
        "panels_query",
        [](In<T, 2> X, In<float> data, In<float> norms, In<double> centre, double scale, In<double, 2> Q, Index k,
           int metric, bool self, Out<double, 2> distances, Out<std::int64_t, 2> found) {
            const auto points = panels_of<T>(X, data, norms, centre, scale, metric);
            require_query({points.X.rows, points.X.cols, kLanes}, Q, k, self, distances, found);
            run_native([&](const Interrupt& stop) {
                panels_query<T>(points, view(Q), k, search_rule(metric, 2.0, self), stop, view(distances), view(found));
            });
        },
        "X"_array, "data"_array, "norms"_array, "centre"_array, "scale"_a, "Q"_array, "k"_a, "metric"_a, "self"_a,
        "distances"_array, "found"_array);
    m.def(
        "panels_radius",
        [](In<T, 2> X, In<float> data, In<float> norms, In<double> centre, double scale, In<double, 2> Q,
           In<double> radius, bool by_distance, int metric, bool self) {
            const auto points = panels_of<T>(X, data, norms, centre, scale, metric);
            require_radius({points.X.rows, points.X.cols, kLanes}, Q, self, radius);
            return to_tuple(run_native([&](const Interrupt& stop) {
                return panels_radius<T>(points, view(Q), view(radius), by_distance, search_rule(metric, 2.0, self),
                                        stop);
            }));
        },
        "X"_array, "data"_array, "norms"_array, "centre"_array, "scale"_a, "Q"_array, "radius"_array, "by_distance"_a,
        "metric"_a, "self"_a);
}

}  // namespace

void bind_panels(nb::module_& m) {
    def_panels<float>(m);
    def_panels<double>(m);
}

}  // namespace statlearn
