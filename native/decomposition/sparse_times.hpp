// Product of a sparse matrix in compressed rows with a block of vectors.
#pragma once

#include "common/interrupt.hpp"
#include "common/rows.hpp"
#include "common/view.hpp"

namespace statlearn::decomposition {

constexpr Index kProductWidth = 8;  // the number of vectors is a multiple of this

// product = A V for A (n x p, compressed rows), V (p x k) and the product (n x k), both row-major. Cost nnz k; a row of
// the product belongs to one thread, and is summed in the order of its entries.
void sparse_times(const RowsView<double>& A, Matrix<const double> V, const Interrupt& interrupt,
                  Matrix<double> product);

}  // namespace statlearn::decomposition
