// Dense similarity matrices: Gaussian affinities, and products with a few vectors at a time.
#pragma once

#include "common/interrupt.hpp"
#include "common/view.hpp"

namespace statlearn {

// A(i, j) = exp(-gamma |x_i - x_j|^2), computed once for both triangles; exactly 1 on the diagonal. Cost O(n^2 p).
template <class T>
void rbf_affinity(Matrix<const T> X, double gamma, const Interrupt& interrupt, Matrix<double> A);

constexpr Index kVectors = 8;  // columns that a pass over the matrix serves at once

// Y = A V for a symmetric A, of which only the upper triangle is read: half the memory traffic of a general product.
// Without `diagonal`, as if it were zero: next to the similarity of a row to itself, faint ones would be lost.
// Columns of V and Y are a multiple of kVectors, both in C order. Same bits for any number of threads.
void symmetric_product(Matrix<const double> A, Matrix<const double> V, bool diagonal, const Interrupt& interrupt,
                       Matrix<double> Y);

}  // namespace statlearn
