// The kernels that a machine can be fitted with: of dense or sparse rows, or a given matrix, on a subset of the rows.
#pragma once

#include <memory>

#include "common/kernel_matrix.hpp"
#include "common/view.hpp"
#include "svm/smo.hpp"

namespace statlearn::svm {

// `rows` are the rows of X (or of the matrix) that take part, in the solver's order; the views must outlive the result.
template <class T>
std::unique_ptr<KernelRows<T>> dense_rows(const KernelSpec& spec, Matrix<const T> X, Span<const int> rows);
// Sparse rows are given as the columns of X', column numbers ascending.
template <class T>
std::unique_ptr<KernelRows<T>> sparse_rows(const KernelSpec& spec, const CscView<T>& X, Span<const int> rows);
template <class T>
std::unique_ptr<KernelRows<T>> matrix_rows(Matrix<const T> K, Span<const int> rows);

}  // namespace statlearn::svm
