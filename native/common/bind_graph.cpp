#include "common/bind_rows.hpp"
#include "common/index_checks.hpp"
#include "common/neighbor_graph.hpp"
#include "common/smallest_eigenpairs.hpp"

namespace statlearn {
void bind_graph(nb::module_& m) {
    m.def(
        "neighbor_graph",
        [](In<std::int64_t, 2> near, In<double, 2> distances, In<int> order, int ties, double gamma) {
            const auto n = near.shape(0), k = near.shape(1);
            require(distances.shape(0) == n && distances.shape(1) == k && 0 <= ties && ties <= 2,
                    "neighbor_graph: the shapes of the arrays do not match");
            require(2 * n * k < (std::size_t(1) << 31), "neighbor_graph: more than 2^31 ties");
            require(order.shape(0) == 0 || order.shape(0) == n, "neighbor_graph: the order has not one place per row");
            std::vector<char> met(order.shape(0), 0);
            for (std::size_t at = 0; at < met.size(); ++at) {
                const Index row = order.data()[at];
                require(row < n && !met[row], "neighbor_graph: the order is not a permutation");
                met[row] = 1;
            }
            auto graph = run_native([&](const Interrupt& stop) {
                require(all_below(near.data(), Index(n * k), n), "neighbor_graph: a row is out of range");
                return neighbor_graph(view(near), view(distances), view(order), Ties(ties), gamma, stop);
            });
            return to_tuple(std::move(graph));
        },
        "near"_array, "distances"_array, "order"_array, "ties"_a, "gamma"_a);
    m.def(
        "scale_rows_and_columns",
        [](In<double> values, In<int> columns, In<int> indptr, In<double> left, In<double> right, Out<double> scaled) {
            const auto A = csr_view(values, columns, indptr, Index(right.shape(0)));
            require(Index(left.shape(0)) == A.rows && scaled.shape(0) == values.shape(0),
                    "scale_rows_and_columns: the shapes of the arrays do not match");
            run_native([&](const Interrupt&) { scale_rows_and_columns(A, view(left), view(right), view(scaled)); });
        },
        "values"_array, "columns"_array, "indptr"_array, "left"_array, "right"_array, "scaled"_array);
    m.def(
        "smallest_pairs",
        [](In<double> values, In<int> columns, In<int> indptr, In<double, 2> null, In<double> near, double tol,
           int max_iter, std::uint64_t seed, Out<double> found, Out<double, 2> vectors) {
            const auto n = near.shape(0), k = found.shape(0);
            const auto A = csr_starts(values, columns, indptr, Index(n));
            require(std::size_t(A.rows) == n && null.shape(0) == n && vectors.shape(0) == n && vectors.shape(1) == k,
                    "smallest_pairs: the shapes of the arrays do not match");
            require(k >= 1 && null.shape(1) + k <= n, "smallest_pairs: more pairs than rows");
            const auto info = run_native([&](const Interrupt& stop) {
                require_columns(A);
                require(all_finite(A.values.data(), Index(A.values.size())),
                        "smallest_pairs: the values must be finite");
                return smallest_pairs(A, view(null), view(near), {tol, max_iter}, seed, stop, view(found),
                                      view(vectors));
            });
            return nb::make_tuple(info.residual, info.n_iter, int(info.status));
        },
        "values"_array, "columns"_array, "indptr"_array, "null"_array, "near"_array, "tol"_a, "max_iter"_a, "seed"_a,
        "found"_array, "vectors"_array);
}

}  // namespace statlearn
