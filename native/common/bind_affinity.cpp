#include "common/affinity.hpp"
#include "common/gate.hpp"

namespace statlearn {

namespace {

template <class T>
void def_rbf(nb::module_& m) {
    m.def(
        "rbf_affinity",
        [](InAny<T> X, double gamma, Out<double, 2> A) {
            require(A.shape(0) == X.shape(0) && A.shape(1) == X.shape(0),
                    "rbf_affinity: the shapes of the arrays do not match");
            run_native([&](const Interrupt& stop) { rbf_affinity<T>(view(X), gamma, stop, view(A)); });
        },
        "X"_array, "gamma"_a, "A"_array);
}

}  // namespace

void bind_affinity(nb::module_& m) {
    def_rbf<float>(m);
    def_rbf<double>(m);
    m.def(
        "symmetric_product",
        [](In<double, 2> A, In<double, 2> V, bool diagonal, Out<double, 2> Y) {
            const auto n = A.shape(0);
            require(A.shape(1) == n && V.shape(0) == n && Y.shape(0) == n && V.shape(1) == Y.shape(1),
                    "symmetric_product: the shapes of the arrays do not match");
            require(V.shape(1) % std::size_t(kVectors) == 0,
                    "symmetric_product: the number of columns must be a multiple of 8");
            run_native([&](const Interrupt& stop) { symmetric_product(view(A), view(V), diagonal, stop, view(Y)); });
        },
        "A"_array, "V"_array, "diagonal"_a, "Y"_array);
}

}  // namespace statlearn
