#include "common/gate.hpp"
#include "neighbors/line_density.hpp"

namespace statlearn {

using namespace neighbors;

void bind_line_density(nb::module_& m) {
    m.def(
        "line_density",
        [](In<double> x, In<double> w, In<double> queries, int kernel, double bandwidth, double rtol,
           Out<double> log_sums) {
            require(x.shape(0) >= 1 && (w.shape(0) == 0 || w.shape(0) == x.shape(0)),
                    "line_density: pass one weight per point");
            require(log_sums.shape(0) == queries.shape(0), "line_density: pass one sum per query");
            require(0 <= kernel && kernel <= 5 && bandwidth > 0.0,
                    "line_density: unknown kernel, or the bandwidth is not positive");
            run_native([&](const Interrupt& stop) {
                neighbors::line_density({view(x), view(w)}, view(queries), {Kernel(kernel), bandwidth, rtol}, stop,
                                        view(log_sums));
            });
        },
        "x"_array, "w"_array, "queries"_array, "kernel"_a, "bandwidth"_a, "rtol"_a, "log_sums"_array);
}

}  // namespace statlearn
