// Log densities of rows under Gaussian classes with their own covariances: the discriminants of quadratic analysis.
#pragma once

#include "common/interrupt.hpp"
#include "common/view.hpp"

namespace statlearn::discriminant {

// out(i, k) = offset_k - |W_k'(x_i - mean_k)|^2 / 2, where W_k W_k' is the inverse of the covariance of class k.
//
// `factors` holds one p x p matrix W_k per class, row-major; if `upper`, all are upper triangles, which halves the
// work. A class whose offset is -inf has the score -inf, whatever its factor. Rows are centred before they are
// multiplied: far means cost no digits. Cost n K p^2 multiply-adds, or half of them; memory 512 rows per thread.
// Requires a BLAS that runs in the calling thread (the loop over blocks of rows has the threads).
template <class T>
void gaussian_scores(Matrix<const T> X, Matrix<const T> means, Span<const T> factors, bool upper,
                     Span<const double> offsets, const Interrupt& interrupt, Matrix<T> out);

}  // namespace statlearn::discriminant
