// Large sparse matrices in the bindings: checked by all threads of a call, and taken over from a kernel.
#pragma once

#include "common/gate.hpp"
#include "common/index_checks.hpp"
#include "common/sparse_rows.hpp"

namespace statlearn {

// Compressed rows of which the columns have not been checked: the first act of the call is require_columns.
template <class T>
RowsView<T> csr_starts(const In<T>& values, const In<int>& cols_of, const In<int>& indptr, Index cols) {
    const Index rows = Index(indptr.shape(0)) - 1;
    require(rows >= 0 && values.shape(0) == cols_of.shape(0), "sparse matrix: the arrays have different lengths");
    const auto starts = view(indptr);
    require(starts[0] == 0 && std::size_t(starts[rows]) <= values.shape(0),
            "sparse matrix: `indptr` does not match the data");
    for (std::size_t i = 0; i + 1 < starts.size(); ++i)
        require(starts[i] <= starts[i + 1], "sparse matrix: `indptr` must not decrease");
    return {view(values), view(cols_of), starts, rows, cols};
}
template <class T>
void require_columns(const RowsView<T>& A) {
    require(all_below(A.cols_of.data(), Index(A.cols_of.size()), std::uint64_t(A.cols)),
            "sparse matrix: a column index is out of range");
}

// A numpy array that takes over the vector's memory.
template <class T>
nb::ndarray<nb::numpy, T> to_numpy(UnsetVector<T>&& values) {
    const auto size = values.size();
    auto* kept = new UnsetVector<T>(std::move(values));
    nb::capsule owner(kept, [](void* data) noexcept { delete static_cast<UnsetVector<T>*>(data); });
    return nb::ndarray<nb::numpy, T>(kept->data(), {size}, owner);
}

// Values, columns and starts.
inline nb::tuple to_tuple(SparseRows&& A) {
    return nb::make_tuple(to_numpy(std::move(A.values)), to_numpy(std::move(A.cols_of)), to_numpy(std::move(A.indptr)));
}

}  // namespace statlearn
