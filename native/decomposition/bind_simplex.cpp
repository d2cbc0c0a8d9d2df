#include "common/gate.hpp"
#include "decomposition/simplex.hpp"

namespace statlearn {

void bind_simplex(nb::module_& m) {
    m.def(
        "simplex_rows",
        [](In<double, 2> A, In<double, 2> G, double tol, int max_steps, Out<double, 2> W) {
            const auto k = W.shape(1);
            require(k > 0 && A.shape(0) == W.shape(0) && A.shape(1) == k && G.shape(0) == k && G.shape(1) == k,
                    "simplex_rows: the shapes of the arrays do not match");
            for (std::size_t i = 0; i < W.shape(0); ++i) {
                bool any = false;
                for (std::size_t j = 0; j < k; ++j) any = any || W.data()[i * k + j] > 0.0;
                require(any, "simplex_rows: every row must lie in the simplex");
            }
            run_native([&](const Interrupt& stop) {
                decomposition::simplex_rows(view(A), view(G), tol, max_steps, stop, view(W));
            });
        },
        "A"_array, "G"_array, "tol"_a, "max_steps"_a, "W"_array);
}

}  // namespace statlearn
