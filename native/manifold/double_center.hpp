// Double centring of symmetric matrices of inner products.
#pragma once

#include "common/interrupt.hpp"
#include "common/view.hpp"

namespace statlearn::manifold {

// out = H f(A) H with H = I - 11'/n for a symmetric A (n x n, row-major), f(a) = a or, with `distances`, -a^2 / 2.
// `means` becomes the row means of f(A). `out` may be A itself. Returns the sum of the squares of out. Same bits for
// any number of threads. Cost O(n^2).
double double_center(Matrix<const double> A, bool distances, const Interrupt& interrupt, Span<double> means,
                     Matrix<double> out);

}  // namespace statlearn::manifold
