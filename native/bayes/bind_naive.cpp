#include "bayes/naive.hpp"
#include "common/gate.hpp"

namespace statlearn {
namespace {

// Labels outside 0..k-1 would write into foreign memory.
void check_rows(const In<int>& labels, const In<double>& weights, std::size_t rows, std::size_t classes) {
    require(labels.shape(0) == rows, "bayes: one label per row");
    require(weights.shape(0) == 0 || weights.shape(0) == rows, "bayes: one weight per row, or none");
    for (const int label : view(labels))
        require(0 <= label && std::size_t(label) < classes, "bayes: a label is out of range");
}

void check_starts(const In<std::int64_t>& starts, std::size_t columns, std::size_t total) {
    require(starts.shape(0) == columns + 1, "bayes: one start per column and the end");
    const auto at = view(starts);
    require(at[0] == 0 && std::size_t(at[columns]) == total, "bayes: starts do not fit the table");
    for (std::size_t j = 0; j < columns; ++j) require(at[j] < at[j + 1], "bayes: starts must increase");
}

template <class T>
void def_naive(nb::module_& m) {
    m.def(
        "class_moments",
        [](InAny<T> X, In<int> labels, In<double> weights, Out<double, 2> count, Out<double, 2> mean,
           Out<double, 2> scatter) {
            const auto k = count.shape(0), p = X.shape(1);
            check_rows(labels, weights, X.shape(0), k);
            for (const auto* a : {&count, &mean, &scatter})
                require(a->shape(0) == k && a->shape(1) == p, "class_moments: the shapes of the arrays do not match");
            run_native([&](const Interrupt& stop) {
                bayes::class_moments<T>(view(X), view(labels), view(weights), Index(k), stop, view(count), view(mean),
                                        view(scatter));
            });
        },
        "X"_array, "labels"_array, "weights"_array, "count"_array, "mean"_array, "scatter"_array);
    m.def(
        "gaussian_scores",
        [](InAny<T> X, In<double, 2> mean, In<double, 2> precision, In<double, 2> constant, In<double> offset,
           Out<double, 2> out) {
            const auto k = mean.shape(0), p = X.shape(1);
            for (const auto* a : {&mean, &precision, &constant})
                require(a->shape(0) == k && a->shape(1) == p, "gaussian_scores: the shapes of the arrays do not match");
            require(offset.shape(0) == k && out.shape(0) == X.shape(0) && out.shape(1) == k,
                    "gaussian_scores: the shapes of the arrays do not match");
            run_native([&](const Interrupt& stop) {
                bayes::gaussian_scores<T>(view(X), view(mean), view(precision), view(constant), view(offset), stop,
                                          view(out));
            });
        },
        "X"_array, "mean"_array, "precision"_array, "constant"_array, "offset"_array, "out"_array);
    m.def(
        "sparse_class_sums",
        [](In<T> values, In<int> indices, In<int> indptr, In<int> labels, In<double> weights, Out<double, 2> sums) {
            const auto X = csc_view<T>(values, indices, indptr, Index(sums.shape(1)));
            check_rows(labels, weights, std::size_t(X.cols), sums.shape(0));
            run_native([&](const Interrupt& stop) {
                bayes::sparse_class_sums<T>(X, view(labels), view(weights), stop, view(sums));
            });
        },
        "values"_array, "indices"_array, "indptr"_array, "labels"_array, "weights"_array, "sums"_array);
    m.def(
        "sparse_scores",
        [](In<T> values, In<int> indices, In<int> indptr, In<double, 2> table, In<double> offset, Out<double, 2> out) {
            const auto X = csc_view<T>(values, indices, indptr, Index(table.shape(0)));
            require(offset.shape(0) == table.shape(1) && out.shape(1) == table.shape(1) &&
                        out.shape(0) == std::size_t(X.cols),
                    "sparse_scores: the shapes of the arrays do not match");
            run_native(
                [&](const Interrupt& stop) { bayes::sparse_scores<T>(X, view(table), view(offset), stop, view(out)); });
        },
        "values"_array, "indices"_array, "indptr"_array, "table"_array, "offset"_array, "out"_array);
}

}  // namespace

void bind_naive(nb::module_& m) {
    def_naive<double>(m);
    def_naive<float>(m);
    m.def(
        "category_counts",
        [](InAny<std::int64_t> codes, In<int> labels, In<double> weights, In<std::int64_t> starts,
           Out<double, 2> counts) {
            check_rows(labels, weights, codes.shape(0), counts.shape(1));
            check_starts(starts, codes.shape(1), counts.shape(0));
            return run_native([&](const Interrupt& stop) {
                return bayes::category_counts(view(codes), view(labels), view(weights), view(starts), stop,
                                              view(counts));
            });
        },
        "codes"_array, "labels"_array, "weights"_array, "starts"_array, "counts"_array);
    m.def(
        "code_ranges",
        [](InAny<std::int64_t> codes, Out<std::int64_t> low, Out<std::int64_t> high) {
            require(low.shape(0) == codes.shape(1) && high.shape(0) == codes.shape(1),
                    "code_ranges: the shapes of the arrays do not match");
            run_native([&](const Interrupt& stop) { bayes::code_ranges(view(codes), stop, view(low), view(high)); });
        },
        "codes"_array, "low"_array, "high"_array);
    m.def(
        "category_scores",
        [](InAny<std::int64_t> codes, In<std::int64_t> starts, In<double, 2> table, In<double> offset,
           Out<double, 2> out) {
            check_starts(starts, codes.shape(1), table.shape(0));
            require(
                offset.shape(0) == table.shape(1) && out.shape(1) == table.shape(1) && out.shape(0) == codes.shape(0),
                "category_scores: the shapes of the arrays do not match");
            run_native([&](const Interrupt& stop) {
                bayes::category_scores(view(codes), view(starts), view(table), view(offset), stop, view(out));
            });
        },
        "codes"_array, "starts"_array, "table"_array, "offset"_array, "out"_array);
}

}  // namespace statlearn
