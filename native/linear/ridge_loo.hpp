// Leave-one-out residuals of ridge regression for a whole grid of penalties from one eigen-decomposition.
#pragma once

#include "common/interrupt.hpp"
#include "common/view.hpp"

namespace statlearn::linear {

// A = diag(root) (X - 1 mean') is n x p, V (p x r) the eigenvectors of A'A. With Z = A V, the residuals of target t at
// penalty c when row i is left out are
//     (b_it - sum_j z_ij fits(j, t k + c)) / max(1 - base_i - sum_j z_ij^2 shrink(j, c), least).
// fits is r x (m k), shrink r x k, B n x m (centred, weighted targets), base the leverages of the intercept; `mean` and
// `root` may be empty (zeros, ones). Fills residuals, n x (m k), row-major.
// Cost n r (p + k + m k) multiply-adds in row blocks that stay in the cache, one thread per block: same bits for any
// number of threads. Allocates the packed V and about 0.5 MB per block.
template <class T>
void ridge_loo(Matrix<const T> X, Span<const double> mean, Span<const double> root, Matrix<const double> V,
               Matrix<const double> fits, Matrix<const double> shrink, Matrix<const double> B, Span<const double> base,
               double least, const Interrupt& interrupt, Matrix<double> residuals);

}  // namespace statlearn::linear
