#include <cstdint>

#include "cluster/kmeans.hpp"
#include "cluster/nearest_centre.hpp"
#include "cluster/seeding.hpp"
#include "common/gate.hpp"

namespace statlearn {
namespace {

using namespace cluster;

void require_weights(const In<double>& weights, Index n, const char* message) {
    require(weights.shape(0) == 0 || Index(weights.shape(0)) == n, message);
}

template <class T>
void def_kmeans(nb::module_& m) {
    m.def(
        "mean_and_scatter",
        [](In<T> values, In<int> cols_of, In<int> indptr, int cols, In<double> weights, Out<double> mean) {
            const auto X = rows_view<T>(values, cols_of, indptr, cols);
            require(X.rows > 0, "mean_and_scatter: the table has no rows");
            require_weights(weights, X.rows, "mean_and_scatter: the arrays have different numbers of rows");
            require(Index(mean.shape(0)) == X.cols, "mean_and_scatter: the arrays have different numbers of columns");
            return run_native(
                [&](const Interrupt& stop) { return mean_and_scatter<T>(X, view(weights), stop, view(mean)); });
        },
        "values"_array, "cols_of"_array, "indptr"_array, "cols"_a, "weights"_array, "mean"_array);

    m.def(
        "row_keys",
        [](In<T> values, In<int> cols_of, In<int> indptr, int cols, Out<double> keys) {
            const auto X = rows_view<T>(values, cols_of, indptr, cols);
            require(Index(keys.shape(0)) == X.rows, "row_keys: the arrays have different numbers of rows");
            run_native([&](const Interrupt& stop) { row_keys<T>(X, stop, view(keys)); });
        },
        "values"_array, "cols_of"_array, "indptr"_array, "cols"_a, "keys"_array);

    m.def(
        "kmeans_plusplus",
        [](In<T> values, In<int> cols_of, In<int> indptr, int cols, In<double> weights, In<Index> order, int trials,
           std::uint64_t seed, Out<Index> chosen) {
            const auto X = rows_view<T>(values, cols_of, indptr, cols);
            require(X.rows > 0, "kmeans_plusplus: the table has no rows");
            require_weights(weights, X.rows, "kmeans_plusplus: the arrays have different numbers of rows");
            require(Index(order.shape(0)) == X.rows && trials >= 1,
                    "kmeans_plusplus: `order` has the wrong length or `trials` is not positive");
            for (const Index row : view(order))
                require(0 <= row && row < X.rows, "kmeans_plusplus: `order` has a row index out of range");
            run_native([&](const Interrupt& stop) {
                kmeans_plusplus<T>(X, view(weights), view(order), Index(chosen.shape(0)), trials, seed, stop,
                                   view(chosen));
            });
        },
        "values"_array, "cols_of"_array, "indptr"_array, "cols"_a, "weights"_array, "order"_array, "trials"_a, "seed"_a,
        "chosen"_array);

    m.def(
        "kmeans_fit",
        [](In<T> values, In<int> cols_of, In<int> indptr, int cols, In<double> weights, int algorithm, double tol,
           int max_iter, In<double> origin, double scatter, Out<double, 2> centres, Out<int> labels) {
            const auto X = rows_view<T>(values, cols_of, indptr, cols);
            require(X.rows > 0, "kmeans_fit: the table has no rows");
            require_weights(weights, X.rows, "kmeans_fit: the arrays have different numbers of rows");
            require(Index(labels.shape(0)) == X.rows && Index(centres.shape(1)) == X.cols && centres.shape(0) >= 1 &&
                        Index(origin.shape(0)) == X.cols,
                    "kmeans_fit: the shapes of the arrays do not match");
            require(0 <= algorithm && algorithm <= 3, "kmeans_fit: unknown algorithm");
            std::vector<double> history;
            const auto info = run_native([&](const Interrupt& stop) {
                return kmeans_fit<T>(X, view(weights), KMeansAlgorithm(algorithm), {tol, max_iter}, view(origin),
                                     scatter, stop, {centres.data(), centres.size()}, Index(centres.shape(0)),
                                     view(labels), history);
            });
            const std::size_t steps = history.size();
            return nb::make_tuple(info.inertia, info.n_iter, info.strict, int(info.status), info.shift,
                                  info.n_distances, to_numpy(std::move(history), {steps}));
        },
        "values"_array, "cols_of"_array, "indptr"_array, "cols"_a, "weights"_array, "algorithm"_a, "tol"_a,
        "max_iter"_a, "origin"_array, "scatter"_a, "centres"_array, "labels"_array);

    m.def(
        "nearest_centres",
        [](In<T> values, In<int> cols_of, In<int> indptr, int cols, In<double, 2> centres, In<double> origin,
           Out<int> labels, Out<double> distances) {
            const auto X = rows_view<T>(values, cols_of, indptr, cols);
            require(Index(labels.shape(0)) == X.rows && Index(centres.shape(1)) == X.cols && centres.shape(0) >= 1 &&
                        Index(origin.shape(0)) == X.cols &&
                        (distances.shape(0) == 0 || distances.shape(0) == labels.shape(0)),
                    "nearest_centres: the shapes of the arrays do not match");
            run_native([&](const Interrupt& stop) {
                CentreSet<T> set(Index(centres.shape(0)), X.cols, X.sparse());
                set.set(centres.data(), view(origin));
                nearest_centres<T>(X, set, stop, view(labels), view(distances));
            });
        },
        "values"_array, "cols_of"_array, "indptr"_array, "cols"_a, "centres"_array, "origin"_array, "labels"_array,
        "distances"_array);

    m.def(
        "row_sums",
        [](In<T> values, In<int> cols_of, In<int> indptr, int cols, In<double> weights, In<int> labels,
           Out<double, 2> sums, Out<double> totals) {
            const auto X = rows_view<T>(values, cols_of, indptr, cols);
            require_weights(weights, X.rows, "row_sums: the arrays have different numbers of rows");
            require(
                Index(labels.shape(0)) == X.rows && Index(sums.shape(1)) == X.cols && totals.shape(0) == sums.shape(0),
                "row_sums: the shapes of the arrays do not match");
            for (const int label : view(labels))
                require(-1 <= label && label < int(sums.shape(0)), "row_sums: a label is out of range");
            run_native([&](const Interrupt&) {
                row_sums<T>(X, view(weights), view(labels), {sums.data(), sums.size()}, view(totals));
            });
        },
        "values"_array, "cols_of"_array, "indptr"_array, "cols"_a, "weights"_array, "labels"_array, "sums"_array,
        "totals"_array);

    m.def(
        "centre_distances",
        [](In<T> values, In<int> cols_of, In<int> indptr, int cols, In<double, 2> centres, Out<T, 2> D) {
            const auto X = rows_view<T>(values, cols_of, indptr, cols);
            require(Index(D.shape(0)) == X.rows && D.shape(1) == centres.shape(0) && Index(centres.shape(1)) == X.cols,
                    "centre_distances: the shapes of the arrays do not match");
            run_native(
                [&](const Interrupt& stop) { centre_distances<T>(X, view(centres), stop, {D.data(), D.size()}); });
        },
        "values"_array, "cols_of"_array, "indptr"_array, "cols"_a, "centres"_array, "D"_array);
}

}  // namespace

void bind_kmeans(nb::module_& m) {
    def_kmeans<float>(m);
    def_kmeans<double>(m);
}

}  // namespace statlearn
