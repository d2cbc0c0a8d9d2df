#include "common/gate.hpp"
#include "graphical/known_graph.hpp"

namespace statlearn {

using namespace graphical;

void bind_known_graph(nb::module_& m) {
    m.def(
        "known_graph_fit",
        [](In<double, 2> S, In<int> starts, In<int> neighbours, double tol, int max_iter, Out<double, 2> W,
           Out<double, 2> B) {
            const std::size_t p = S.shape(0);
            require(S.shape(1) == p && W.shape(0) == p && W.shape(1) == p && B.shape(0) == p && B.shape(1) == p &&
                        starts.shape(0) == p + 1,
                    "known_graph_fit: the shapes of the arrays do not match");
            const auto first = view(starts);
            require(first[0] == 0 && std::size_t(first[p]) <= neighbours.shape(0), "known_graph_fit: bad lists");
            for (std::size_t j = 0; j < p; ++j) require(first[j] <= first[j + 1], "known_graph_fit: bad lists");
            for (const int k : view(neighbours)) require(0 <= k && k < int(p), "known_graph_fit: no such variable");
            const auto info = run_native([&](const Interrupt& stop) {
                return known_graph_fit(view(S), first, view(neighbours), {tol, max_iter}, stop, view(W), view(B));
            });
            return nb::make_tuple(info.change, info.n_iter, int(info.status), info.column);
        },
        "S"_array, "starts"_array, "neighbours"_array, "tol"_a, "max_iter"_a, "W"_array, "B"_array);
}

}  // namespace statlearn
