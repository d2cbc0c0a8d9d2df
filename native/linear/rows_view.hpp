// Rows of a dense or sparse matrix, met one by one.
#pragma once

#include <span>

#include "common/view.hpp"

namespace statlearn::linear {

// Dense (row-major, cols_of empty) or compressed (indptr gives each row's range).
template <class T>
struct RowsView {
    std::span<const T> values;
    std::span<const int> cols_of;
    std::span<const int> indptr;
    Index rows = 0, cols = 0;

    // body(column, value) for the entries of row i.
    template <class F>
    void each(Index i, F&& body) const {
        if (cols_of.empty()) {
            const T* x = values.data() + i * cols;
            for (Index j = 0; j < cols; ++j) body(std::size_t(j), double(x[j]));
        } else {
            for (int k = indptr[std::size_t(i)]; k < indptr[std::size_t(i) + 1]; ++k)
                body(std::size_t(cols_of[std::size_t(k)]), double(values[std::size_t(k)]));
        }
    }
};

}  // namespace statlearn::linear
