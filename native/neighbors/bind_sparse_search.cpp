#include "neighbors/bind_search.hpp"
#include "neighbors/sparse_search.hpp"

namespace statlearn {
namespace {

using namespace neighbors;

template <class T>
SparsePoints<T> points_of(const In<T>& by_row, const In<int>& column, const In<int>& row_start, const In<T>& by_column,
                          const In<int>& row, const In<int>& column_start, int metric) {
    const Index n = Index(row_start.shape(0)) - 1, p = Index(column_start.shape(0)) - 1;
    require(n > 0 && p > 0, "sparse search: the table has no rows or no columns");
    const auto m = Metric(metric);
    require(m == Metric::euclidean || m == Metric::sqeuclidean || m == Metric::half_square || m == Metric::manhattan,
            "sparse search: this metric does not support sparse rows");
    return {csc_view<T>(by_row, column, row_start, p), csc_view<T>(by_column, row, column_start, n)};
}

template <class T>
void def_sparse_search(nb::module_& m) {
    m.def(
        "sparse_query",
        [](In<T> by_row, In<int> column, In<int> row_start, In<T> by_column, In<int> row, In<int> column_start,
           In<double> values, In<int> at, In<int> start, Index k, int metric, bool self, Out<double, 2> distances,
           Out<std::int64_t, 2> found) {
            const auto points = points_of<T>(by_row, column, row_start, by_column, row, column_start, metric);
            const auto queries = csc_view<double>(values, at, start, points.p());
            require(k > 0 && k <= points.n() - Index(self) && (!self || queries.cols == points.n()),
                    "sparse_query: `k` is out of range");
            require(distances.shape(0) == std::size_t(queries.cols) && distances.shape(1) == std::size_t(k) &&
                        found.shape(0) == distances.shape(0) && found.shape(1) == distances.shape(1),
                    "sparse_query: the result has the wrong shape");
            run_native([&](const Interrupt& stop) {
                sparse_query<T>(points, queries, k, search_rule(metric, 2.0, self), stop, view(distances), view(found));
            });
        },
        "by_row"_array, "column"_array, "row_start"_array, "by_column"_array, "row"_array, "column_start"_array,
        "values"_array, "at"_array, "start"_array, "k"_a, "metric"_a, "self"_a, "distances"_array, "found"_array);
    m.def(
        "sparse_radius",
        [](In<T> by_row, In<int> column, In<int> row_start, In<T> by_column, In<int> row, In<int> column_start,
           In<double> values, In<int> at, In<int> start, In<double> radius, bool by_distance, int metric, bool self) {
            const auto points = points_of<T>(by_row, column, row_start, by_column, row, column_start, metric);
            const auto queries = csc_view<double>(values, at, start, points.p());
            require(!self || queries.cols == points.n(), "sparse_radius: the queries must be the rows of the data");
            require(radius.shape(0) == 1 || radius.shape(0) == std::size_t(queries.cols),
                    "sparse_radius: pass one radius, or one per query");
            return to_tuple(run_native([&](const Interrupt& stop) {
                return sparse_radius<T>(points, queries, view(radius), by_distance, search_rule(metric, 2.0, self),
                                        stop);
            }));
        },
        "by_row"_array, "column"_array, "row_start"_array, "by_column"_array, "row"_array, "column_start"_array,
        "values"_array, "at"_array, "start"_array, "radius"_array, "by_distance"_a, "metric"_a, "self"_a);
    m.def(
        "sparse_unit_rows",
        [](Out<T> values, In<int> starts, Out<std::uint8_t> empty) {
            require(starts.shape(0) == empty.shape(0) + 1, "sparse_unit_rows: the arrays have different lengths");
            const auto at = view(starts);
            for (std::size_t i = 0; i + 1 < at.size(); ++i)
                require(0 <= at[i] && at[i] <= at[i + 1], "sparse_unit_rows: `indptr` must not decrease");
            require(std::size_t(at.back()) <= values.shape(0), "sparse_unit_rows: `indptr` does not match the data");
            run_native([&](const Interrupt&) { sparse_unit_rows<T>(view(values), at, view(empty)); });
        },
        "values"_array, "starts"_array, "empty"_array);
}

}  // namespace

void bind_sparse_search(nb::module_& m) {
    def_sparse_search<float>(m);
    def_sparse_search<double>(m);
}

}  // namespace statlearn
