#include "common/gate.hpp"
#include "decomposition/fastica.hpp"
#include "decomposition/sparse_times.hpp"

namespace statlearn {

void bind_components(nb::module_& m) {
    m.def(
        "sparse_times",
        [](In<double> values, In<int> columns, In<int> starts, In<double, 2> V, Out<double, 2> product) {
            const auto A = csr_view(values, columns, starts, Index(V.shape(0)));
            require(V.shape(1) % decomposition::kProductWidth == 0, "V: the number of columns must be a multiple of 8");
            require(Index(product.shape(0)) == A.rows && product.shape(1) == V.shape(1),
                    "product: the shapes of the arrays do not match");
            run_native([&](const Interrupt& stop) { decomposition::sparse_times(A, view(V), stop, view(product)); });
        },
        "values"_array, "columns"_array, "starts"_array, "V"_array, "product"_array);
    m.def(
        "ica_moments",
        [](In<double, 2> Z, In<double, 2> W, int contrast, double a, Out<double, 2> moments, Out<double> slopes) {
            require(W.shape(1) == Z.shape(0), "W: the shapes of the arrays do not match");
            require(moments.shape(0) == W.shape(0) && moments.shape(1) == W.shape(1),
                    "moments: the shapes of the arrays do not match");
            require(slopes.shape(0) == W.shape(0), "slopes: the shapes of the arrays do not match");
            require(0 <= contrast && contrast <= 2, "contrast: 0, 1 or 2");
            run_native([&](const Interrupt& stop) {
                decomposition::ica_moments(view(Z), view(W), decomposition::Contrast(contrast), a, stop, view(moments),
                                           view(slopes));
            });
        },
        "Z"_array, "W"_array, "contrast"_a, "a"_a, "moments"_array, "slopes"_array);
}

}  // namespace statlearn
