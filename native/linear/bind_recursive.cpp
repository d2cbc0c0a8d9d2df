#include "common/gate.hpp"
#include "linear/recursive.hpp"

namespace statlearn {

void bind_recursive(nb::module_& m) {
    m.def(
        "rls_update",
        [](In<double, 2> Z, In<double, 2> Y, In<double> weights, double forget, Out<double, 2> P, Out<double, 2> B) {
            const auto n = Z.shape(0), q = Z.shape(1);
            require(Y.shape(0) == n && weights.shape(0) == n, "rls_update: the arrays have different numbers of rows");
            require(P.shape(0) == q && P.shape(1) == q && B.shape(0) == q && B.shape(1) == Y.shape(1),
                    "rls_update: the shapes of the arrays do not match");
            require(forget > 0.0 && forget <= 1.0, "rls_update: `forget` must be in (0, 1]");
            return run_native([&](const Interrupt& stop) {
                return linear::rls_update(view(Z), view(Y), view(weights), forget, stop, view(P), view(B));
            });
        },
        "Z"_array, "Y"_array, "weights"_array, "forget"_a, "P"_array, "B"_array);
}

}  // namespace statlearn
