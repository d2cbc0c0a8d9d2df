// Cholesky factors and inverses of large symmetric matrices on the threads of the current context.
//
// Blocks of a grid that depends on n only go through BLAS one by one, so that any number of threads gives the same
// bits, provided that BLAS itself runs in the calling thread (single_blas_thread in Python). Matrices are row-major, n
// x n, and only their lower triangles are read and written.
#pragma once

#include "common/interrupt.hpp"
#include "common/view.hpp"

namespace statlearn {

// A = L L' in place of A. Returns 0, or the order of the leading minor that is not positive definite or not finite; the
// factor is then incomplete. Cost n^3 / 3; allocates nothing. Incomplete as well when interrupted.
[[nodiscard]] Index cholesky_factor(Matrix<double> A, const Interrupt& interrupt);

// out = A^-1 (lower triangle) from the factor L. Cost 2 n^3 / 3; allocates O(n).
void cholesky_inverse(Matrix<const double> L, const Interrupt& interrupt, Matrix<double> out);

// B = L^-1 B or L'^-1 B in place, for B of n rows and any number of columns, row-major. Cost n^2 per column.
void cholesky_solve_half(Matrix<const double> L, bool transposed, Matrix<double> B);

}  // namespace statlearn
