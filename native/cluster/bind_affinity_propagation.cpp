#include "cluster/affinity_propagation.hpp"
#include "common/gate.hpp"

namespace statlearn {

void bind_affinity_propagation(nb::module_& m) {
    m.def(
        "affinity_propagation",
        [](In<double, 2> S, double damping, int max_iter, int patience, Out<double, 2> R, Out<double, 2> A,
           Out<std::uint8_t> exemplar) {
            const auto n = S.shape(0);
            require(S.shape(1) == n && R.shape(0) == n && R.shape(1) == n && A.shape(0) == n && A.shape(1) == n &&
                        exemplar.shape(0) == n,
                    "affinity_propagation: the shapes of the arrays do not match");
            const auto info = run_native([&](const Interrupt& stop) {
                return cluster::affinity_propagation(view(S), {damping, max_iter, patience}, stop, view(R), view(A),
                                                     view(exemplar));
            });
            return nb::make_tuple(info.n_iter, int(info.status));
        },
        "S"_array, "damping"_a, "max_iter"_a, "patience"_a, "R"_array, "A"_array, "exemplar"_array);
}

}  // namespace statlearn
