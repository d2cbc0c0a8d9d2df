#include "cluster/mean_shift.hpp"
#include "common/gate.hpp"

namespace statlearn {

namespace {

template <class T>
void def_mean_shift(nb::module_& m) {
    m.def(
        "mean_shift_climb",
        [](InAny<T> X, In<double> weights, double bandwidth, double rate, double tol, int max_iter,
           Out<double, 2> points, Out<double> mass, Out<int> n_iter) {
            require(weights.size() == 0 || weights.shape(0) == X.shape(0), "mean_shift_climb: pass one weight per row");
            require(
                points.shape(1) == X.shape(1) && mass.shape(0) == points.shape(0) && n_iter.shape(0) == points.shape(0),
                "mean_shift_climb: the shapes of the arrays do not match");
            run_native([&](const Interrupt& stop) {
                cluster::mean_shift_climb<T>(view(X), view(weights), {bandwidth, rate}, {tol, max_iter}, stop,
                                             view(points), view(mass), view(n_iter));
            });
        },
        "X"_array, "weights"_array, "bandwidth"_a, "rate"_a, "tol"_a, "max_iter"_a, "points"_array, "mass"_array,
        "n_iter"_array);
    m.def(
        "neighbor_radius",
        [](InAny<T> X, In<double> weights, double count, Out<double> radius) {
            require(radius.shape(0) == X.shape(0), "neighbor_radius: pass one radius per row");
            require(weights.size() == 0 || weights.shape(0) == X.shape(0), "neighbor_radius: pass one weight per row");
            run_native([&](const Interrupt& stop) {
                cluster::neighbor_radius<T>(view(X), view(weights), count, stop, view(radius));
            });
        },
        "X"_array, "weights"_array, "count"_a, "radius"_array);
}

}  // namespace

void bind_mean_shift(nb::module_& m) {
    def_mean_shift<float>(m);
    def_mean_shift<double>(m);
    m.def(
        "mean_shift_merge",
        [](In<double, 2> points, double radius, Out<std::uint8_t> keep) {
            require(keep.shape(0) == points.shape(0), "mean_shift_merge: pass one flag per point");
            run_native(
                [&](const Interrupt& stop) { cluster::mean_shift_merge(view(points), radius, stop, view(keep)); });
        },
        "points"_array, "radius"_a, "keep"_array);
}

}  // namespace statlearn
