#include "common/gate.hpp"
#include "neighbors/mixed.hpp"

namespace statlearn {

void bind_mixed(nb::module_& m) {
    m.def(
        "mixed_distances",
        [](In<double, 2> X, In<double, 2> Y, In<int> kinds, In<double> scale, In<double> weight, Out<double, 2> D) {
            const auto p = X.shape(1);
            require(Y.shape(1) == p && kinds.shape(0) == p && scale.shape(0) == p && weight.shape(0) == p,
                    "mixed_distances: the tables have different numbers of columns");
            require(D.shape(0) == X.shape(0) && D.shape(1) == Y.shape(0),
                    "mixed_distances: `D` must have shape (n, m)");
            for (const int kind : view(kinds))
                require(0 <= kind && kind <= 3, "mixed_distances: unknown kind of column");
            run_native([&](const Interrupt& stop) {
                neighbors::mixed_distances(view(X), view(Y), view(kinds), view(scale), view(weight), stop, view(D));
            });
        },
        "X"_array, "Y"_array, "kinds"_array, "scale"_array, "weight"_array, "D"_array);
}

}  // namespace statlearn
