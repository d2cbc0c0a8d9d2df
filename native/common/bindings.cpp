#include "common/blas.hpp"
#include "common/gate.hpp"
#include "common/gram.hpp"
#include "common/gram_sparse.hpp"
#include "common/index_checks.hpp"
#include "common/parallel.hpp"

namespace statlearn {

void bind_affinity(nb::module_& m);
void bind_graph(nb::module_& m);
void bind_pursuit(nb::module_& m);

namespace {

template <class T>
void def_gram(nb::module_& m) {
    m.def(
        "gram_with_targets",
        [](InAny<T> X, InAny<T> Y, std::optional<In<T>> weights, In<double> shift, Out<double, 2> G) {
            const auto n = X.shape(0), q = X.shape(1) + Y.shape(1) + 1;
            require(Y.shape(0) == n && (!weights || weights->shape(0) == n),
                    "gram_with_targets: the arrays have different numbers of rows");
            require(shift.shape(0) == q - 1 && G.shape(0) == q && G.shape(1) == q,
                    "gram_with_targets: the shapes of the arrays do not match");
            run_native([&](const Interrupt& stop) {
                gram_with_targets<T>(view(X), view(Y), weights ? view(*weights) : Span<const T>(), view(shift), stop,
                                     {G.data(), q * q});
            });
        },
        "X"_array, "Y"_array, "weights"_array.none(), "shift"_array, "G"_array);
}

template <class T>
void def_gram_sparse(nb::module_& m) {
    m.def(
        "gram_sparse_rows",
        [](In<T> values, In<int> columns, In<int> indptr, std::optional<In<double>> weights, Out<double, 2> G) {
            const auto p = G.shape(0);
            const auto rows = csc_view(values, columns, indptr, Index(p));  // compressed rows are columns of X'
            require(G.shape(1) == p, "gram_sparse_rows: `G` must be square");
            require(!weights || Index(weights->shape(0)) == rows.cols,
                    "gram_sparse_rows: the arrays have different numbers of rows");
            run_native([&](const Interrupt& stop) {
                gram_sparse_rows<T>(rows.values, rows.rows_of, rows.indptr, rows.rows,
                                    weights ? view(*weights) : Span<const double>(), stop, {G.data(), p * p});
            });
        },
        "values"_array, "columns"_array, "indptr"_array, "weights"_array.none(), "G"_array);
}

template <class I>
void def_compressed_fault(nb::module_& m) {
    m.def(
        "compressed_fault",
        [](In<I> indices, In<I> indptr, Index size) -> const char* {
            // What is wrong with the arrays of compressed rows that have `size` columns (or columns that have `size`
            // rows), or None.
            require(indptr.shape(0) > 0 && size >= 0, "compressed_fault: `indptr` is empty");
            const auto starts = view(indptr);
            const auto entries = starts.back();
            if (starts.front() != 0) return "`indptr` must begin with 0";
            if (entries < 0 || std::size_t(entries) > indices.shape(0))
                return "`indptr` must end within the stored values";
            return run_native([&](const Interrupt&) -> const char* {
                if (!never_falls(starts.data(), Index(starts.size()))) return "`indptr` must not decrease";
                if (entries > 0 && !all_below(indices.data(), Index(entries), std::uint64_t(size)))
                    return "an index is out of range";
                return nullptr;
            });
        },
        "indices"_array, "indptr"_array, "size"_a);
}

}  // namespace

void bind_common(nb::module_& m) {
    def_thread_limit(m);
    def_exit(m);
    m.def("receive_blas", [](const char* name, nb::handle capsule) {
        const char* signature = PyCapsule_GetName(capsule.ptr());
        void* pointer = signature ? PyCapsule_GetPointer(capsule.ptr(), signature) : nullptr;
        if (PyErr_Occurred()) throw nb::python_error();
        require(pointer, "receive_blas: the capsule has no signature");
        blas::receive(name, signature, pointer);
    });
    m.def("blas_ready", &blas::ready);
    def_gram<double>(m);
    def_gram<float>(m);
    def_gram_sparse<double>(m);
    def_gram_sparse<float>(m);
    def_compressed_fault<std::int32_t>(m);
    def_compressed_fault<std::int64_t>(m);
    bind_affinity(m);
    bind_graph(m);
    bind_pursuit(m);
}

}  // namespace statlearn
