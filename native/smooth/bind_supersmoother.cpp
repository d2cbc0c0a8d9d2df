#include "common/gate.hpp"
#include "smooth/supersmoother.hpp"

namespace statlearn {

void bind_supersmoother(nb::module_& m) {
    m.def(
        "supersmoother_fit",
        [](In<double> x, In<double> y, In<double> w, double span, double bass, bool periodic, Out<double> value,
           Out<double> slope, Out<double> spans) {
            const auto n = x.shape(0);
            require(n >= 1 && y.shape(0) == n && w.shape(0) == n,
                    "supersmoother_fit: the arrays have different numbers of rows");
            require(value.shape(0) == n && slope.shape(0) == n && spans.shape(0) == n,
                    "supersmoother_fit: the outputs have different lengths");
            require(0.0 <= span && span <= 1.0 && 0.0 <= bass && bass <= 10.0, "supersmoother_fit: unknown rule");
            // A window on a circle must not meet itself.
            require(!periodic || n >= 8, "supersmoother_fit: a periodic smooth needs at least eight rows");
            run_native([&](const Interrupt& interrupt) {
                return smooth::supersmoother_fit({view(x), view(y), view(w)}, {span, bass, periodic}, interrupt,
                                                 {view(value), view(slope), view(spans)});
            });
        },
        "x"_array, "y"_array, "w"_array, "span"_a, "bass"_a, "periodic"_a, "value"_array, "slope"_array, "spans"_array);
}

}  // namespace statlearn
