#include "common/gate.hpp"
#include "gp/posterior_slope.hpp"

namespace statlearn {

void bind_posterior_slope(nb::module_& m) {
    m.def(
        "posterior_slope",
        [](int kernel, double variance, In<double, 2> X, In<double> alpha, In<double, 2> L, In<double, 2> Q,
           Out<double> mean, Out<double> var, Out<double, 2> mean_slope, Out<double, 2> var_slope) {
            require(0 <= kernel && kernel <= 2, "posterior_slope: kernel must be 0, 1 or 2");
            const auto n = X.shape(0), p = X.shape(1), rows = Q.shape(0);
            require(n > 0 && alpha.shape(0) == n && L.shape(0) == n && L.shape(1) == n && Q.shape(1) == p,
                    "posterior_slope: the shapes of the arrays do not match");
            require(mean.shape(0) == rows && var.shape(0) == rows, "posterior_slope: one output per row is needed");
            const bool none = mean_slope.shape(0) == 0 && var_slope.shape(0) == 0;
            require(none || (mean_slope.shape(0) == rows && var_slope.shape(0) == rows && mean_slope.shape(1) == p &&
                             var_slope.shape(1) == p),
                    "posterior_slope: the slopes need one row per query");
            run_native([&](const Interrupt& stop) {
                gp::posterior_slope({gp::Radial(kernel), variance, view(X), view(alpha), view(L)}, view(Q), stop,
                                    view(mean), view(var), view(mean_slope), view(var_slope));
            });
        },
        "kernel"_a, "variance"_a, "X"_array, "alpha"_array, "L"_array, "Q"_array, "mean"_array, "var"_array,
        "mean_slope"_array, "var_slope"_array);
}

}  // namespace statlearn
