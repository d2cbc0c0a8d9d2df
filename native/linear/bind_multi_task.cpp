#include "common/gate.hpp"
#include "linear/multi_task.hpp"

namespace statlearn {

void bind_multi_task(nb::module_& m) {
    m.def(
        "multi_task_fit",
        [](InF<double> X, double l1, double l2, double tol, int max_iter, OutF<double> residual, Out<double, 2> W) {
            require(l1 > 0.0 && l2 >= 0.0, "multi_task_fit: l1 must be positive and l2 at least 0");
            require(residual.shape(0) == X.shape(0) && W.shape(0) == X.shape(1) && W.shape(1) == residual.shape(1),
                    "multi_task_fit: the shapes of the arrays do not match");
            const auto info = run_native([&](const Interrupt& stop) {
                return linear::multi_task_fit(view(X), l1, l2, {tol, max_iter}, stop, view(residual), view(W));
            });
            return nb::make_tuple(info.gap, info.n_iter, int(info.status));
        },
        "X"_array, "l1"_a, "l2"_a, "tol"_a, "max_iter"_a, "residual"_array, "W"_array);
}

}  // namespace statlearn
