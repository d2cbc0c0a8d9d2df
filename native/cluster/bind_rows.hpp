// Tables as the clustering kernels take them: for the bind_*.cpp files.
#pragma once

#include "cluster/rows.hpp"
#include "common/gate.hpp"

namespace statlearn {

// Dense: all values row by row, `indptr` empty. Sparse: the three arrays of compressed rows, which must stay inside one
// another, or foreign memory would be read.
template <class T>
cluster::Rows<T> rows_view(const In<T>& values, const In<int>& cols_of, const In<int>& indptr, int cols) {
    require(cols >= 1, "table: no columns");
    if (indptr.shape(0) == 0) {
        require(values.shape(0) % std::size_t(cols) == 0, "table: not a whole number of rows");
        return {view(values), {}, {}, Index(values.shape(0)) / cols, cols};
    }
    const auto starts = view(indptr);
    const Index rows = Index(starts.size()) - 1;
    require(values.shape(0) == cols_of.shape(0), "table: array lengths differ");
    require(starts[0] == 0 && std::size_t(starts[std::size_t(rows)]) <= values.shape(0),
            "table: row starts do not fit");
    for (Index i = 0; i < rows; ++i)
        require(starts[std::size_t(i)] <= starts[std::size_t(i) + 1], "table: row starts must not decrease");
    for (const int column : view(cols_of)) require(0 <= column && column < cols, "table: column out of range");
    return {view(values), view(cols_of), starts, rows, cols};
}

}  // namespace statlearn
