// Kernel matrices of dense and sparse rows. The kernels themselves are in common/kernel_matrix.hpp, since solvers of
// other families need them.
#include "common/gate.hpp"
#include "common/kernel_matrix.hpp"

namespace statlearn {
namespace {

KernelSpec kernel_spec(int kind, double gamma, double coef0, double degree) {
    require(0 <= kind && kind < kKernelKinds, "kernel: unknown kind");
    return {KernelKind(kind), gamma, coef0, degree};
}

std::vector<Index> row_numbers(const In<std::int64_t>& which, Index n) {
    std::vector<Index> rows;
    for (const std::int64_t i : view(which)) {
        require(0 <= i && i < n, "kernel_rows: a row index is out of range");
        rows.push_back(Index(i));
    }
    return rows;
}

template <class T, class U>
void fill_rows(const KernelSource& source, const In<std::int64_t>& which, Index first, Out<U, 2>& out) {
    const Index last = first + Index(out.shape(1));
    require(first >= 0 && last <= source.size() && out.shape(0) == which.shape(0),
            "kernel_rows: the shapes of the arrays do not match");
    const auto rows = row_numbers(which, source.size());
    std::vector<U*> places;
    for (std::size_t r = 0; r < rows.size(); ++r) places.push_back(out.data() + r * out.shape(1));
    source.rows(rows, first, last, Span<U* const>(places));
}

template <class T>
void def_dense(nb::module_& m) {
    m.def(
        "kernel_cross",
        [](int kind, double gamma, double coef0, double degree, In<T, 2> X, In<T, 2> Y, Out<T, 2> out) {
            const auto spec = kernel_spec(kind, gamma, coef0, degree);
            require(X.shape(1) == Y.shape(1) && out.shape(0) == X.shape(0) && out.shape(1) == Y.shape(0),
                    "kernel_cross: the shapes of the arrays do not match");
            run_native([&](const Interrupt& stop) { kernel_cross<T>(spec, view(X), view(Y), stop, view(out)); });
        },
        "kind"_a, "gamma"_a, "coef0"_a, "degree"_a, "X"_array, "Y"_array, "out"_array);
    m.def(
        "kernel_gram",
        [](int kind, double gamma, double coef0, double degree, In<T, 2> X, Out<T, 2> out) {
            const auto spec = kernel_spec(kind, gamma, coef0, degree);
            require(out.shape(0) == X.shape(0) && out.shape(1) == X.shape(0),
                    "kernel_gram: the shapes of the arrays do not match");
            run_native([&](const Interrupt& stop) { kernel_gram<T>(spec, view(X), stop, view(out)); });
        },
        "kind"_a, "gamma"_a, "coef0"_a, "degree"_a, "X"_array, "out"_array);
    m.def(
        "kernel_diagonal",
        [](int kind, double gamma, double coef0, double degree, In<T, 2> X, Out<double> out) {
            const auto spec = kernel_spec(kind, gamma, coef0, degree);
            require(out.shape(0) == X.shape(0), "kernel_diagonal: the shapes of the arrays do not match");
            run_native([&](const Interrupt&) { dense_kernel<T>(spec, view(X))->diagonal(view(out)); });
        },
        "kind"_a, "gamma"_a, "coef0"_a, "degree"_a, "X"_array, "out"_array);
}

template <class T>
void def_sparse(nb::module_& m) {
    m.def(
        "kernel_cross_sparse",
        [](int kind, double gamma, double coef0, double degree, In<T> x_values, In<int> x_columns, In<int> x_starts,
           In<T> y_values, In<int> y_columns, In<int> y_starts, Index n_columns, Out<T, 2> out) {
            const auto spec = kernel_spec(kind, gamma, coef0, degree);
            const auto X = csc_view(x_values, x_columns, x_starts, n_columns);
            const auto Y = csc_view(y_values, y_columns, y_starts, n_columns);
            require(Index(out.shape(0)) == X.cols && Index(out.shape(1)) == Y.cols,
                    "kernel_cross_sparse: the shapes of the arrays do not match");
            run_native([&](const Interrupt& stop) { kernel_cross<T>(spec, X, Y, stop, view(out)); });
        },
        "kind"_a, "gamma"_a, "coef0"_a, "degree"_a, "x_values"_array, "x_columns"_array, "x_starts"_array,
        "y_values"_array, "y_columns"_array, "y_starts"_array, "n_columns"_a, "out"_array);
    m.def(
        "kernel_gram_sparse",
        [](int kind, double gamma, double coef0, double degree, In<T> values, In<int> columns, In<int> starts,
           Index n_columns, Out<T, 2> out) {
            const auto spec = kernel_spec(kind, gamma, coef0, degree);
            const auto X = csc_view(values, columns, starts, n_columns);
            require(Index(out.shape(0)) == X.cols && Index(out.shape(1)) == X.cols,
                    "kernel_gram_sparse: the shapes of the arrays do not match");
            run_native([&](const Interrupt& stop) { kernel_gram<T>(spec, X, stop, view(out)); });
        },
        "kind"_a, "gamma"_a, "coef0"_a, "degree"_a, "values"_array, "columns"_array, "starts"_array, "n_columns"_a,
        "out"_array);
    m.def(
        "kernel_diagonal_sparse",
        [](int kind, double gamma, double coef0, double degree, In<T> values, In<int> columns, In<int> starts,
           Index n_columns, Out<double> out) {
            const auto spec = kernel_spec(kind, gamma, coef0, degree);
            const auto X = csc_view(values, columns, starts, n_columns);
            require(Index(out.shape(0)) == X.cols, "kernel_diagonal_sparse: the shapes of the arrays do not match");
            run_native([&](const Interrupt&) { sparse_kernel<T>(spec, X)->diagonal(view(out)); });
        },
        "kind"_a, "gamma"_a, "coef0"_a, "degree"_a, "values"_array, "columns"_array, "starts"_array, "n_columns"_a,
        "out"_array);
}

// What a solver's cache asks for, for the tests: rows `which` against the stored rows from `first` on.
template <class T, class U>
void def_rows(nb::module_& m) {
    m.def(
        "kernel_rows",
        [](int kind, double gamma, double coef0, double degree, In<T, 2> X, In<std::int64_t> which, Index first,
           Out<U, 2> out) {
            const auto spec = kernel_spec(kind, gamma, coef0, degree);
            run_native([&](const Interrupt&) { fill_rows<T>(*dense_kernel<T>(spec, view(X)), which, first, out); });
        },
        "kind"_a, "gamma"_a, "coef0"_a, "degree"_a, "X"_array, "which"_array, "first"_a, "out"_array);
    m.def(
        "kernel_rows_sparse",
        [](int kind, double gamma, double coef0, double degree, In<T> values, In<int> columns, In<int> starts,
           Index n_columns, In<std::int64_t> which, Index first, Out<U, 2> out) {
            const auto spec = kernel_spec(kind, gamma, coef0, degree);
            const auto X = csc_view(values, columns, starts, n_columns);
            run_native([&](const Interrupt&) { fill_rows<T>(*sparse_kernel<T>(spec, X), which, first, out); });
        },
        "kind"_a, "gamma"_a, "coef0"_a, "degree"_a, "values"_array, "columns"_array, "starts"_array, "n_columns"_a,
        "which"_array, "first"_a, "out"_array);
    m.def(
        "kernel_rows_precomputed",
        [](In<T, 2> K, In<std::int64_t> which, Index first, Out<U, 2> out) {
            require(K.shape(0) == K.shape(1), "kernel_rows_precomputed: `K` must be square");
            run_native([&](const Interrupt&) { fill_rows<T>(*precomputed_kernel<T>(view(K)), which, first, out); });
        },
        "K"_array, "which"_array, "first"_a, "out"_array);
}

}  // namespace

void bind_kernels(nb::module_& m) {
    def_dense<double>(m);
    def_dense<float>(m);
    def_sparse<double>(m);
    def_sparse<float>(m);
    def_rows<double, double>(m);
    def_rows<double, float>(m);
    def_rows<float, float>(m);
    def_rows<float, double>(m);
}

}  // namespace statlearn
