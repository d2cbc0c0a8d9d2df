#include "cluster/dbscan.hpp"
#include "common/gate.hpp"

namespace statlearn {

void bind_dbscan(nb::module_& m) {
    m.def(
        "dbscan",
        [](In<double, 2> X, double eps, double least, std::optional<In<double>> weights, bool grid,
           Out<std::uint8_t> core, Out<Index> labels) {
            const auto n = X.shape(0);
            require(n < (std::size_t{1} << 30), "dbscan: use at most 10^9 rows");
            require(core.shape(0) == n && labels.shape(0) == n && (!weights || weights->shape(0) == n),
                    "dbscan: the arrays have different lengths");
            require(eps > 0.0, "dbscan: `eps` must be positive");
            const cluster::Density density{eps, least, weights ? view(*weights) : Span<const double>{}};
            const Span<const double> points{X.data(), X.size()};
            run_native([&](const Interrupt& stop) {
                const auto p = Index(X.shape(1));
                if (!grid || !cluster::dbscan_grid(points, Index(n), p, density, stop, view(core), view(labels)))
                    cluster::dbscan_tree(points, Index(n), p, density, stop, view(core), view(labels));
            });
        },
        "X"_array, "eps"_a, "least"_a, "weights"_array.none(), "grid"_a, "core"_array, "labels"_array);
    m.def(
        "join_neighbours",
        [](In<Index> rows, In<Index> indptr, In<Index> columns, In<std::uint8_t> core, Out<Index> parent) {
            const auto n = Index(parent.shape(0));
            require(Index(core.shape(0)) == n && indptr.shape(0) == rows.shape(0) + 1,
                    "join_neighbours: the arrays have different lengths");
            const auto inside = [&](const auto& numbers) {
                for (const Index i : view(numbers))
                    require(0 <= i && i < n, "join_neighbours: a row index is out of range");
            };
            inside(rows), inside(columns), inside(parent);
            for (std::size_t r = 0; r < rows.shape(0); ++r)
                require(0 <= indptr(r) && indptr(r) <= indptr(r + 1) && indptr(r + 1) <= Index(columns.shape(0)),
                        "join_neighbours: the arrays do not describe a compressed graph");
            run_native([&](const Interrupt&) {
                cluster::join_neighbours(view(rows), view(indptr), view(columns), view(core), view(parent));
            });
        },
        "rows"_array, "indptr"_array, "columns"_array, "core"_array, "parent"_array);
}

}  // namespace statlearn
