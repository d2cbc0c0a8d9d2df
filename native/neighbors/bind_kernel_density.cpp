#include "neighbors/bind_search.hpp"
#include "neighbors/kernel_density.hpp"

namespace statlearn {
namespace {

using namespace neighbors;

template <class T>
void def_kernel_density(nb::module_& m) {
    m.def(
        "kernel_density",
        [](In<int> rows, In<T> blocks, In<T, 2> low, In<T, 2> high, Index leaf, In<double, 2> Q,
           std::optional<In<double>> weights, int metric, double power, int kernel, double bandwidth, double atol,
           double rtol, Out<double> log_sums) {
            const auto tree = tree_of<T>(rows, blocks, low, high, leaf);
            require_box(metric);
            require(Q.shape(1) == low.shape(1) && log_sums.shape(0) == Q.shape(0),
                    "kernel_density: the shapes of the arrays do not match");
            require(!weights || weights->shape(0) == rows.shape(0), "kernel_density: pass one weight per point");
            require(0 <= kernel && kernel <= 5 && bandwidth > 0.0,
                    "kernel_density: unknown kernel, or the bandwidth is not positive");
            const DensityRule rule{Metric(metric), power, Kernel(kernel), bandwidth, atol, rtol};
            run_native([&](const Interrupt& stop) {
                neighbors::kernel_density<T>(tree, view(Q), weights ? view(*weights) : Span<const double>(), rule, stop,
                                             view(log_sums));
            });
        },
        "rows"_array, "blocks"_array, "low"_array, "high"_array, "leaf"_a, "Q"_array, "weights"_array.none(),
        "metric"_a, "power"_a, "kernel"_a, "bandwidth"_a, "atol"_a, "rtol"_a, "log_sums"_array);
}

}  // namespace

void bind_kernel_density(nb::module_& m) {
    def_kernel_density<float>(m);
    def_kernel_density<double>(m);
}

}  // namespace statlearn
