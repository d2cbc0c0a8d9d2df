#include "common/bind_rows.hpp"
#include "manifold/double_center.hpp"
#include "manifold/random_walk.hpp"
#include "manifold/shortest_paths.hpp"
#include "manifold/smacof.hpp"

namespace statlearn {

void bind_tsne(nb::module_& m);

void bind_manifold(nb::module_& m) {
    bind_tsne(m);
    m.def(
        "shortest_paths",
        [](In<int> starts, In<int> ends, In<double> lengths, In<int> sources, Out<double, 2> distance) {
            require(starts.shape(0) > 0, "starts: at least one value is needed");
            const auto n = Index(starts.shape(0)) - 1;
            require(ends.shape(0) == lengths.shape(0), "ends and lengths: the arrays have different lengths");
            const auto first = view(starts);
            require(first[0] == 0 && std::size_t(first[n]) == ends.shape(0),
                    "starts: they do not fit the number of edges");
            for (Index i = 0; i < n; ++i) require(first[i] <= first[i + 1], "starts: they must not decrease");
            for (const int node : view(ends)) require(0 <= node && node < n, "ends: node out of range");
            for (const int node : view(sources)) require(0 <= node && node < n, "sources: node out of range");
            for (const double length : view(lengths)) require(length >= 0.0, "lengths: they must be at least 0");
            require(distance.shape(0) == sources.shape(0) && Index(distance.shape(1)) == n,
                    "distance: one row per source and one column per node are needed");
            run_native([&](const Interrupt& stop) {
                manifold::shortest_paths({view(starts), view(ends), view(lengths), n}, view(sources), stop,
                                         view(distance));
            });
        },
        "starts"_array, "ends"_array, "lengths"_array, "sources"_array, "distance"_array);
    m.def(
        "double_center",
        [](In<double, 2> A, bool distances, Out<double> means, Out<double, 2> out) {
            const auto n = A.shape(0);
            require(A.shape(1) == n && means.shape(0) == n && out.shape(0) == n && out.shape(1) == n,
                    "double_center: the shapes of the arrays do not match");
            return run_native([&](const Interrupt& stop) {
                return manifold::double_center(view(A), distances, stop, view(means), view(out));
            });
        },
        "A"_array, "distances"_a, "means"_array, "out"_array);
    m.def(
        "has_diagonal",
        [](In<double> values, In<int> columns, In<int> indptr) {
            const auto K = csr_starts(values, columns, indptr, Index(indptr.shape(0)) - 1);
            return run_native(
                [&](const Interrupt&) { return manifold::has_diagonal(K); });  // columns are only compared
        },
        "values"_array, "columns"_array, "indptr"_array);
    m.def(
        "walk_laplacian",
        [](In<double> values, In<int> columns, In<int> indptr, double alpha, Out<double> density, Out<double> degree,
           Out<double> laplacian) {
            const auto K = csr_starts(values, columns, indptr, Index(degree.shape(0)));
            require(K.rows == K.cols && density.shape(0) == degree.shape(0) && laplacian.shape(0) == values.shape(0),
                    "walk_laplacian: the shapes of the arrays do not match");
            return run_native([&](const Interrupt&) {
                require_columns(K);
                return manifold::walk_laplacian(K, alpha, view(density), view(degree), view(laplacian));
            });
        },
        "values"_array, "columns"_array, "indptr"_array, "alpha"_a, "density"_array, "degree"_array, "laplacian"_array);
    m.def(
        "guttman_transform",
        [](In<double, 2> target, In<double, 2> Z, Out<double, 2> updated) {
            require(target.shape(0) == Z.shape(0) && target.shape(1) == Z.shape(0),
                    "target: the shapes of the arrays do not match");
            require(updated.shape(0) == Z.shape(0) && updated.shape(1) == Z.shape(1),
                    "updated: the shapes of the arrays do not match");
            const auto sums = run_native([&](const Interrupt& stop) {
                return manifold::guttman_transform(view(target), view(Z), stop, view(updated));
            });
            return nb::make_tuple(sums.squared_error, sums.squared_distances);
        },
        "target"_array, "Z"_array, "updated"_array);
}

}  // namespace statlearn
