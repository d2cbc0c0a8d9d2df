// Non-owning views of the caller's arrays. A kernel sees its data only through these.
#pragma once

#include <cassert>
#include <cstddef>
#include <span>

namespace statlearn {

using Index = std::ptrdiff_t;

// A matrix with arbitrary strides, counted in elements: C order, Fortran order and slices share one type.
template <class T>
struct MatrixView {
    T* data = nullptr;
    Index rows = 0, cols = 0;
    Index row_stride = 0, col_stride = 0;

    T& operator()(Index i, Index j) const {
        assert(0 <= i && i < rows && 0 <= j && j < cols);
        return data[i * row_stride + j * col_stride];
    }
    T* col(Index j) const { return data + j * col_stride; }
    T* row(Index i) const { return data + i * row_stride; }
    bool row_major() const { return col_stride == 1; }
    bool col_major() const { return row_stride == 1; }
    MatrixView<const T> as_const() const { return {data, rows, cols, row_stride, col_stride}; }
};

// A sparse matrix in compressed columns: column j holds entries indptr[j] to indptr[j + 1].
template <class T>
struct CscView {
    std::span<const T> values;
    std::span<const int> rows_of;  // row index of each stored value
    std::span<const int> indptr;   // cols + 1 offsets
    Index rows = 0, cols = 0;
};

}  // namespace statlearn
